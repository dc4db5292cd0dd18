"""A line that is typed on a terminal, with history and completion; what is written never breaks it."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from asyncssh.editor import SSHLineEditor

from kk_tui.matching import completed
from kk_tui.plain.lines import LONGEST, wrapped

_HISTORY: Final = 200
"""Lines that the arrow keys bring back."""

_WIDTH: Final = 80
"""Columns of a terminal that does not say how many it has."""

_UNUSED: Final = re.compile(
    r"\x1b(?:\[(?:[25-8]|(?!33~)\d\d+|\d+;\d+)~|\[1;\d+[A-Z]|\[\d+(?:;\d+)?u|\[\[[A-E]|O[P-S])"
)
"""What a terminal sends for Page Up, F5, Ctrl+Left and the like; asyncssh's editor would take its end for
text. It knows number 33, Ctrl+Break."""


class LineEditor:
    """asyncssh's line editor, fed with bytes, on whatever terminal there is.

    `send` writes text to the terminal, `entered` is called with each line, `left` when there will be no more,
    `interrupted` when the line has been thrown away, and `complete` returns the words that may stand at the
    end of a line.
    """

    def __init__(
        self,
        send: Callable[[str], object],
        entered: Callable[[str], object],
        left: Callable[[], object],
        interrupted: Callable[[], object],
        complete: Callable[[str], Sequence[str]],
        *,
        kind: str,
        width: int,
    ) -> None:
        self._entered = entered
        self._left = left
        self._interrupted = interrupted
        self._complete = complete
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        # what it needs of a channel and a session is here: `write`, `data_received` and the rest
        self._send = send
        this: Any = self
        self._editor = SSHLineEditor(this, this, True, _HISTORY, LONGEST, kind, width)
        self._editor.register_key("\t", self._completed)
        self.width = width or _WIDTH

    def feed(self, data: bytes) -> None:
        """Take keys."""
        self._editor.process_input(_UNUSED.sub("", self._decoder.decode(data)), None)

    def resize(self, width: int) -> None:
        """Take a new width of the terminal."""
        self.width = width or _WIDTH
        self._editor.set_width(self.width)

    def show(self, line: str) -> None:
        """Write a line above the one that is being typed."""
        for piece in wrapped(line, self.width):
            self._editor.process_output(f"{piece}\n")

    def _completed(self, line: str, pos: int) -> bool | tuple[str, int]:
        """Complete the word before the cursor as far as it is certain; otherwise show what it may become."""
        begun = line[:pos]
        whole, found = completed(begun, self._complete(begun))
        if not found:
            return False
        if whole == begun:
            self.show("  ".join(found))
        return whole + line[pos:], len(whole)

    # -- as the editor sees its channel and its session ------------------------------------------------------

    def write(self, data: str) -> None:
        """Send text to the terminal."""
        self._send(data)

    def data_received(self, data: str, _datatype: object) -> None:
        """Take a line that was entered."""
        self._entered(data.rstrip("\n"))

    def soft_eof_received(self) -> None:
        """Take Ctrl+D."""
        self._left()

    def break_received(self, _ms: int) -> bool:
        """Take Ctrl+C: throw away the line that is being typed."""
        self._editor.set_input("", 0)
        self._interrupted()
        return True
