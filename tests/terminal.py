"""A program on a pseudo-terminal, and what a person would see there."""

from __future__ import annotations

import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

import pyte

from tests.waiting import patience

KK: Final = [
    sys.executable,
    "-c",
    "from tests.chance import follow; follow(); from kk_server.cli.main import main; main()",
]
"""The command `kk` of this working copy; what it draws follows from the test."""

_CONTROL: Final = re.compile(r"\x1b\[[0-9;?<>=]*[ -/]*[@-~]|\x1b[()][A-Z0-9]|\x1b[=>]")


class Terminal:
    """Runs a program; `size` is (columns, rows)."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], size: tuple[int, int] = (80, 24)
    ) -> None:
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            signal.signal(signal.SIGHUP, signal.SIG_DFL)  # also where the tests run under `nohup`
            os.execvpe(command[0], list(command), {**os.environ, **environment})
        columns, rows = size
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.raw = ""
        """All that was written."""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.Stream(self._screen)

    @property
    def lines(self) -> list[str]:
        """What is shown now."""
        columns, rows = range(self._screen.columns), range(self._screen.lines)
        cells = self._screen.buffer  # not `display`, which measures every sign anew
        return ["".join(cells[row][column].data for column in columns) for row in rows]

    @property
    def text(self) -> str:
        """What is shown now, as one text."""
        return "\n".join(self.lines)

    @property
    def words(self) -> str:
        """All that was written, without control sequences."""
        return _CONTROL.sub("", self.raw)

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self.fd, keys.encode())

    def until(self, words: str) -> None:
        """Read until words are shown."""
        end = time.monotonic() + patience()
        while words not in self.text:
            assert time.monotonic() < end, f"never saw {words!r} in {self.lines!r}"
            assert self._read(), f"ended before {words!r}: {self.words!r}"
            while self._is_ready(0.0) and self._read():  # all that has come, before it is looked at
                pass

    def until_typed(self, keys: str, words: str) -> None:
        """Press keys until words are shown: a press counts only for what has stood there for a moment.

        Again only after an answer to the last press, or a long silence: one that is only late counts too.
        """
        end = time.monotonic() + patience()
        self.read_for(0.5)
        while words not in self.text:
            assert time.monotonic() < end, f"never saw {words!r} in {self.lines!r}"
            before, silent = self.text, time.monotonic() + patience() / 10
            self.type(keys)
            while self.text == before and time.monotonic() < silent:
                assert self._read(), f"ended before {words!r}: {self.words!r}"
            self.read_for(1.0)

    def until_sent(self, code: str) -> None:
        """Read until a code has come."""
        end = time.monotonic() + patience()
        while code not in self.raw:
            assert time.monotonic() < end, f"never sent {code!r}"
            assert self._read(), f"ended before {code!r}"

    def read_for(self, seconds: float) -> None:
        """Take in what is written in so many seconds."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._read(min(0.2, seconds))

    def status(self) -> int:
        """The exit status, once the program has ended."""
        end = time.monotonic() + patience()
        while self._read():
            assert time.monotonic() < end, "still running"
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def hang_up(self) -> None:
        """Close the terminal alone."""
        os.close(self.fd)
        self.fd = -1

    def close(self) -> None:
        """Tear the connection to the program, as a window that is closed does."""
        with suppress(ProcessLookupError, ChildProcessError):
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        with suppress(OSError):
            os.close(self.fd)

    def _is_ready(self, seconds: float) -> bool:
        return bool(select.select([self.fd], [], [], seconds)[0])

    def _read(self, seconds: float = 0.2) -> bool:
        if not self._is_ready(seconds):
            return True
        try:
            data = os.read(self.fd, 65536)
        except OSError:  # the other end is closed
            return False
        written = self._decoder.decode(data)
        self.raw += written
        self._stream.feed(written)
        return bool(data)
