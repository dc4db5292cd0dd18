"""A server in a process of its own, as a host starts it, and its use of the machine."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_TICKS: Final = os.sysconf("SC_CLK_TCK")
_PATIENCE: Final = 60.0
_QUIET: Final = 3
"""Seconds without work after which a server is idle; every other second it looks for unused tables."""

HUB: Final = "hub"
WORKERS: Final = "workers"
BOTS: Final = "bots"
OTHERS: Final = "others"
"""The name for all processes that are neither hub, worker nor bot."""

_MODULE: Final = re.compile(rb"kk_server\.(workers|bots)\.")

WIDE_OPEN: Final = (
    "limits.connections=100000",
    "limits.connections_per_address=100000",
    "limits.connections_per_second=100000",
    "limits.connections_at_once=100000",
    "limits.unauthenticated=100000",
    "limits.unauthenticated_per_address=100000",
    "limits.tables=100000",
    "limits.tables_per_user=100000",
    "limits.tables_per_address=100000",
    "limits.openings_at_once=100000",
    "limits.looks_at_once=100000",
    "limits.login_seconds=600",
)
"""Limits for a load test, in which everybody connects from one address at once."""


class Hosted:
    """A server and its processes."""

    def __init__(self, server: subprocess.Popen[str], port: int) -> None:
        self._server = server
        self.port = port
        self.others: list[int] = []
        """Processes that the server has not started, but that count as its own."""

    @property
    def pids(self) -> list[int]:
        """The server's process, those that it has started, and the others."""
        children = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(self._server.pid)], capture_output=True, text=True, check=False
        )
        return [self._server.pid, *map(int, children.stdout.split()), *self.others]

    @property
    def workers(self) -> list[int]:
        """The processes that handle SSH, if the server's own does not."""
        return self.parts[WORKERS]

    @property
    def parts(self) -> dict[str, list[int]]:
        """The server's processes by their tasks."""
        parts: dict[str, list[int]] = {HUB: [self._server.pid], WORKERS: [], BOTS: [], OTHERS: self.others}
        for pid in self.pids[1:]:
            found = _MODULE.search(_command(pid))
            if found is not None:
                parts[found.group(1).decode()].append(pid)
        return parts

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Freeze the server's own process until the block ends, as if its machine hung."""
        self._server.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._server.send_signal(signal.SIGCONT)

    def stop(self) -> None:
        """Stop the server in an orderly way."""
        self._server.terminate()
        try:
            self._server.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """Kill the server."""
        self._server.kill()
        self._server.wait()

    @property
    def spent(self) -> float:
        """Seconds of processor time so far."""
        return sum(_spent(pid) for pid in self.pids)

    @property
    def spent_by(self) -> dict[str, float]:
        """Seconds of processor time so far, by the processes' tasks."""
        return {part: sum(map(_spent, pids)) for part, pids in self.parts.items()}

    @property
    def resident(self) -> float:
        """MiB of memory in use, without the bots' processes."""
        return sum(resident(pid) for part, pids in self.parts.items() if part != BOTS for pid in pids)


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""  # the process has just ended


def _spent(pid: int) -> float:
    # After the program's name, which is in parentheses and may contain blanks.
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS  # utime and stime


def resident(pid: int) -> float:
    """Return the MiB of memory that a process is using."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(found.group(1)) / 1024 if found else 0.0


def with_bytecode() -> dict[str, str]:
    """Return this environment for a program of its own, which compiles what it imports only once.

    An installed kk is compiled, too. The first start compiles: whoever measures starts leaves it out.
    """
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def begin(folder: Path, *settings: str, files: int | None = None, port: int = 0) -> Hosted:
    """Start a server on a data folder, with settings written KEY=VALUE, and a limit on open files."""
    program = "from kk_server.cli.main import main; main()"  # from this checkout, not the `kk` in the PATH
    command = [sys.executable, "-c", program, "serve", "--port", str(port), "--data", str(folder)]
    for setting in settings:
        command += ["--set", setting]
    if files is not None:  # only for the server: the driver needs many more
        command = ["sh", "-c", 'ulimit -n "$0" && exec "$@"', str(files), *command]
    with (folder / "log").open("a") as log:
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, env=with_bytecode())
    assert server.stdout is not None, "it was asked for"
    found = re.search(r"port (\d+)", server.stdout.readline())
    if found is None:
        server.kill()
        server.wait()
        raise RuntimeError((folder / "log").read_text())
    return Hosted(server, int(found.group(1)))


def errors_in(folder: Path) -> str:
    """Return how many errors a server has logged on a data folder, by event; it never writes tracebacks."""
    lines = (folder / "log").read_text().rpartition("\n")[0].splitlines()  # it may be writing one
    entries = [json.loads(line) for line in lines if line.startswith("{")]
    errors = Counter(str(entry["event"]) for entry in entries if entry["level"] == "error")
    by_event = ", ".join(f"{count} {event}" for event, count in errors.items())
    return f"{len(lines)} lines, {errors.total()} errors{': ' if errors else ''}{by_event}"


@contextmanager
def hosted(folder: Path, *settings: str, files: int | None = None) -> Iterator[Hosted]:
    """Start a server as `begin` does, and stop it at the end."""
    server = begin(folder, *settings, files=files)
    try:
        yield server
    finally:
        server.stop()


def settled(server: Hosted, share: float = 0.05) -> None:
    """Wait until a server has done its work and cleaned up, for at most a minute."""
    end, quiet = time.monotonic() + _PATIENCE, 0
    while time.monotonic() < end and quiet < _QUIET:
        before = server.spent
        time.sleep(1)
        quiet = quiet + 1 if server.spent - before <= share else 0
