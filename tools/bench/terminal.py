"""A program in a pseudo-terminal, and its screen."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import pyte

QUIET: Final = 0.15
"""Seconds without a byte after which a frame is complete."""

_PATIENCE: Final = 20
"""Seconds after which something is taken to be never shown."""


class Guest:
    """The program, its keys and its screen."""

    def __init__(
        self, command: Sequence[str], size: tuple[int, int], environment: Mapping[str, str], folder: Path
    ) -> None:
        columns, rows = self.size = size
        ours, theirs = pty.openpty()
        self._resize(ours, size)
        self._program = subprocess.Popen(
            command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, cwd=folder,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        os.close(theirs)
        self._terminal = ours
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)

    @property
    def text(self) -> str:
        """The lines of the screen."""
        return "\n".join(self._screen.display)

    @property
    def spent(self) -> float:
        """The program's seconds of processor time so far, without those of its children."""
        return time.clock_gettime((~self._program.pid << 3) | 2)  # clock_getcpuclockid(3)

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._terminal, keys.encode())

    def resize(self, columns: int, rows: int) -> None:
        """Resize the window."""
        self._screen.resize(rows, columns)
        self._resize(self._terminal, (columns, rows))

    def settle(self, patience: float = 0.6, quiet: float = QUIET) -> int:
        """Read until no more bytes arrive; return their number."""
        received, wait = 0, patience
        while select.select([self._terminal], [], [], wait)[0]:
            data = os.read(self._terminal, 65536)
            received += len(data)
            self._stream.feed(data)
            wait = quiet
        return received

    def until(self, condition: Callable[[str], bool], keys: str = "") -> None:
        """Read until the screen fulfils a condition."""
        end = time.monotonic() + _PATIENCE
        self.type(keys)
        while not condition(self.text):
            if time.monotonic() > end:
                sys.exit(f"never shown; the screen is:\n{self.text}")
            self.settle(0.3)

    def close(self) -> None:
        """Hang up."""
        self._program.terminate()
        self._program.wait()
        os.close(self._terminal)

    @staticmethod
    def _resize(terminal: int, size: tuple[int, int]) -> None:
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
