"""The whole suite many times: `python -m tools.trials.many_runs [--calm 10] [--busy 10] [-- PYTEST...]`.

Calm runs differ in their seeds, in the order of the tests and in Python's hashes; busy ones are also
disturbed by two busy loops and by a disk that is written to all the time. Every run is reported in a line,
with the numbers that repeat it; failures follow. `--lag` adds runs of the app's tests in which its loop is
delayed, `--redraw` adds those in which its screens are drawn again whenever a test waits. Before runs of
the whole suite mypy looks at the tree: each of them has it look at a copy, where it then reads only what
differs.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_LOOP: Final = "while True: pass"

_DISK: Final = """
import os, sys
while True:
    with open(sys.argv[1], "wb") as file:
        for _ in range(64):
            file.write(os.urandom(1 << 20))
            file.flush()
            os.fsync(file.fileno())
"""


@contextmanager
def disturbed() -> Iterator[None]:
    """Run two busy loops and a busy disk during the block."""
    with tempfile.TemporaryDirectory() as folder:
        written = str(Path(folder) / "written")
        programs = [["-c", _LOOP], ["-c", _LOOP], ["-c", _DISK, written]]
        busy = [subprocess.Popen([sys.executable, *program]) for program in programs]
        try:
            yield
        finally:
            for process in busy:
                process.kill()
                process.wait()


def run(number: int, given: Sequence[str]) -> bool:
    """Run pytest once, with an order and seeds of its own; return whether everything passed."""
    seeds = ["--chance", str(number), "--order-seed", str(number)]
    command = [sys.executable, "-m", "pytest", "-n", "3", "--dist", "worksteal", *seeds, *given]
    began = time.monotonic()
    ended = subprocess.run(
        command,
        env={**os.environ, "PYTHONHASHSEED": str(number)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    last = ended.stdout.strip().rsplit("\n", 1)[-1]
    told = f"PYTHONHASHSEED={number} pytest {' '.join([*seeds, *given])}"
    print(f"{time.monotonic() - began:6.0f} s  {told}  {last}", flush=True)  # noqa: T201
    if ended.returncode:
        print(ended.stdout, flush=True)  # noqa: T201
    return ended.returncode == 0


def look_at_types() -> bool:
    """Let mypy look at the tree and keep what it finds out; return whether nothing is wrong with it."""
    return subprocess.run([sys.executable, "-m", "mypy"], check=False).returncode == 0


def main() -> int:
    """Run all; return 1 if anything has failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--calm", type=int, default=10, help="runs in another order each (10)")
    parser.add_argument("--busy", type=int, default=10, help="such runs on a busy machine (10)")
    parser.add_argument("--lag", type=int, default=0, help="runs of the app's tests, held back (0)")
    parser.add_argument("--redraw", type=int, default=0, help="runs of the app's tests, drawn again (0)")
    parser.add_argument("--first", type=int, default=1, help="the number of the first run (1)")
    parser.add_argument("pytest", nargs="*", help="what pytest is told besides")
    told = parser.parse_args()
    if not told.pytest and told.calm + told.busy and not look_at_types():
        print("mypy has failed, and will fail again at the fourth game's copy of the tree")  # noqa: T201
    numbers = iter(range(told.first, told.first + told.calm + told.busy + told.lag + told.redraw))
    passed = [run(next(numbers), told.pytest) for _ in range(told.calm)]
    for _ in range(told.busy):
        with disturbed():
            passed.append(run(next(numbers), ["--patience", "4", *told.pytest]))
    for seed in ["--lag-seed"] * told.lag + ["--redraw-seed"] * told.redraw:
        number = next(numbers)
        passed.append(run(number, [seed, str(number), *(told.pytest or ["tests/tui"])]))
    print(f"{passed.count(True)} of {len(passed)} runs are green")  # noqa: T201
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
