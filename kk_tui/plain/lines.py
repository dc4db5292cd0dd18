"""Lines that are read and written: typed ones wait here, and long ones are wrapped for a terminal."""

from __future__ import annotations

import asyncio
import codecs
from collections.abc import AsyncIterator, Callable
from textwrap import wrap
from typing import Final

from kk_core.text import Text, quoted, text

LONGEST: Final = 500
"""Characters of a line; what is longer is cut."""

_INTERRUPT: Final = "\x03"
"""Ctrl+C: what stands before it in its line is not meant."""

_WAITING: Final = 8
"""Lines from which no more is read until they have been carried out."""

_WRAPPED: Final = 20
"""Columns from which lines are wrapped between words."""


class TypedLines:
    """Lines in the order in which they were typed, until there are no more.

    `hold` is called with True while many wait, so that nobody reads more, and with False when they are gone.
    """

    def __init__(self, hold: Callable[[bool], object] = lambda _held: None) -> None:
        self._hold = hold
        self._queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._begun = ""
        self._ends_with_return = False
        self.unfinished = ""
        """What was typed last, if its line was not ended: nobody knows whether more was to come."""

    def feed(self, data: bytes) -> None:
        """Take bytes that contain whole lines or parts of them."""
        typed = self._decoder.decode(data)
        # both ends of a line that ends like that may come apart
        if self._ends_with_return and typed:
            typed = typed.removeprefix("\n")
        self._ends_with_return = typed.endswith("\r") or (self._ends_with_return and not typed)
        ended = f"{self._begun}{typed}".replace("\r\n", "\n").replace("\r", "\n")
        *lines, begun = ended.split("\n")
        self._begun = begun[:LONGEST]
        for line in lines:
            self.put(line.rpartition(_INTERRUPT)[2])

    def put(self, line: str) -> None:
        """Take a whole line, which may be empty."""
        self._queue.put_nowait(line[:LONGEST])
        self._hold(self._queue.qsize() >= _WAITING)

    def end(self) -> None:
        """Take note that there will be no more; what is not a whole line is not carried out."""
        self.unfinished = self._begun.strip() or self.unfinished
        self._begun = ""
        self._queue.put_nowait(None)

    async def __aiter__(self) -> AsyncIterator[str]:
        """Yield the lines as they come."""
        while (line := await self._queue.get()) is not None:
            yield line
            if self._queue.empty():
                self._hold(False)


def unfinished_words(lines: TypedLines) -> Text | None:
    """Return what is said of a last line without an end; None if every line had one."""
    if not lines.unfinished:
        return None
    return text("{line} has no end of line and is not carried out.", line=quoted(lines.unfinished))


def wrapped(line: str, width: int) -> list[str]:
    """Return a line in pieces that a terminal of so many columns shows without breaking a word."""
    if width < _WRAPPED:
        return [line]
    return wrap(line, width - 1, subsequent_indent="  ") or [line]
