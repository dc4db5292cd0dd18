"""The time to the first picture of `kk play`: `python -m tools.bench.first [--runs 15]`.

It runs in a pseudo-terminal of 80x24, with a home directory of its own, so that there is no match to
continue. Prints milliseconds from the start of the process until the first screen says what Enter does, and
the processor's milliseconds until then: the minimum and the median.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Final

from tools.bench.terminal import Guest
from tools.load.hosted import with_bytecode

HERE: Final = Path(__file__).parents[2]
COMMAND: Final = (sys.executable, "-c", "from kk_server.cli.main import main; main()", "play")
_MOMENT: Final = 0.002
"""Seconds without a byte before the screen is examined."""


def first_picture(home: str) -> tuple[float, float]:
    """Return the seconds, and the seconds of processor time."""
    environment = {
        **with_bytecode(), "HOME": home, "XDG_DATA_HOME": home, "XDG_CONFIG_HOME": home,
        "TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8",
    }  # fmt: skip
    begun = perf_counter()
    guest = Guest(COMMAND, (80, 24), environment, HERE)
    while "Enter do it" not in guest.text:
        guest.settle(1.0, _MOMENT)
    found = perf_counter() - begun, guest.spent
    guest.close()
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    found = []
    for _ in range(parser.parse_args().runs + 1):
        with tempfile.TemporaryDirectory() as home:
            found.append(first_picture(home))
    for name, times in zip(
        ("until it is shown", "of the processor"), zip(*found[1:], strict=True), strict=True
    ):
        print(f"{name:>18} {1000 * min(times):6.0f} {1000 * median(times):6.0f}")  # noqa: T201


if __name__ == "__main__":
    main()
