"""A server of its own process, as a host starts it, and what it takes of the machine."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_TICKS: Final = os.sysconf("SC_CLK_TCK")
_PATIENCE: Final = 60.0
_QUIET: Final = 3
"""Seconds in which nothing was done; every other second a server looks what nobody needs any more."""

HUB: Final = "hub"
FRONTS: Final = "workers"
BOTS: Final = "bots"
OTHERS: Final = "others"
"""What processes of a server do."""

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
"""All people of a load come from one address, at once."""


class Hosted:
    """A server and its processes."""

    def __init__(self, server: subprocess.Popen[str], port: int) -> None:
        self._server = server
        self.port = port
        self.others: list[int] = []
        """Processes that it has not started, and that count as its own nevertheless."""

    @property
    def pids(self) -> list[int]:
        """The server's process, those that it has started, and the others."""
        children = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(self._server.pid)], capture_output=True, text=True, check=False
        )
        return [self._server.pid, *map(int, children.stdout.split()), *self.others]

    @property
    def workers(self) -> list[int]:
        """Those of them that speak SSH, where that is not the server's own."""
        return self.parts[FRONTS]

    @property
    def parts(self) -> dict[str, list[int]]:
        """Its processes by what they do."""
        parts: dict[str, list[int]] = {HUB: [self._server.pid], FRONTS: [], BOTS: [], OTHERS: self.others}
        for pid in self.pids[1:]:
            found = _MODULE.search(_command(pid))
            if found is not None:
                parts[found.group(1).decode()].append(pid)
        return parts

    def stop(self) -> None:
        """Let it come to its end."""
        self._server.terminate()
        try:
            self._server.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """End it without a word."""
        self._server.kill()
        self._server.wait()

    @property
    def spent(self) -> float:
        """Seconds of processor time so far."""
        return sum(_spent(pid) for pid in self.pids)

    @property
    def spent_by(self) -> dict[str, float]:
        """The same by what they do."""
        return {part: sum(map(_spent, pids)) for part, pids in self.parts.items()}

    @property
    def resident(self) -> float:
        """MiB of memory in use now, without bots that think."""
        return sum(resident(pid) for part, pids in self.parts.items() if part != BOTS for pid in pids)


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""  # it has just ended


def _spent(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def resident(pid: int) -> float:
    """MiB of memory that a process has in use."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(found.group(1)) / 1024 if found else 0.0


def begin(folder: Path, *settings: str, files: int | None = None, port: int = 0) -> Hosted:
    """Start a server over a data folder, with settings written KEY=VALUE, that may open so many files."""
    program = "from kk_server.cli.main import main; main()"
    command = [sys.executable, "-c", program, "serve", "--port", str(port), "--data", str(folder)]
    for setting in settings:
        command += ["--set", setting]
    if files is not None:
        command = ["sh", "-c", 'ulimit -n "$0" && exec "$@"', str(files), *command]
    with (folder / "log").open("a") as log:
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
    assert server.stdout is not None, "it was asked for"
    found = re.search(r"port (\d+)", server.stdout.readline())
    if found is None:
        server.kill()
        server.wait()
        raise RuntimeError((folder / "log").read_text())
    return Hosted(server, int(found.group(1)))


@contextmanager
def hosted(folder: Path, *settings: str, files: int | None = None) -> Iterator[Hosted]:
    """A server as `begin` starts it, and its end."""
    server = begin(folder, *settings, files=files)
    try:
        yield server
    finally:
        server.stop()


def settled(server: Hosted, share: float = 0.05) -> None:
    """Wait until a server has done what it was given, and cleaned up after it, or a minute is over."""
    end, quiet = time.monotonic() + _PATIENCE, 0
    while time.monotonic() < end and quiet < _QUIET:
        before = server.spent
        time.sleep(1)
        quiet = quiet + 1 if server.spent - before <= share else 0
