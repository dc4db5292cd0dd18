"""A small surface to write on: cells with a sign and a style, read off as lines of segments."""

from __future__ import annotations

from functools import lru_cache
from itertools import groupby
from typing import TypeAlias

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

Line: TypeAlias = list[Segment]


class Pad:
    """`width` x `height` blank cells of one style at first."""

    def __init__(self, width: int, height: int, style: Style) -> None:
        self.width, self.height = width, height
        self._cells = [[(" ", style)] * width for _ in range(height)]

    def write(self, x: int, y: int, words: str, style: Style | None = None) -> None:
        """Write from a place on; what lies outside is left out, and without a style that of the place stays.

        Every character of `words` is a column wide.
        """
        if not 0 <= y < self.height:
            return
        row = self._cells[y]
        for at, sign in enumerate(words, x):
            if 0 <= at < self.width:
                row[at] = sign, style or row[at][1]

    def centre(self, y: int, words: str, style: Style | None = None, *, x: int = 0, width: int = 0) -> None:
        """Write in the middle of a line, or of `width` columns of it from `x` on."""
        room = width or self.width - x
        kept = words if cell_len(words) <= room else words[:room]
        self.write(x + (room - len(kept)) // 2, y, kept, style)

    def fill(self, x: int, y: int, width: int, height: int, sign: str, style: Style) -> None:
        """Cover a part."""
        for line in range(y, y + height):
            self.write(x, line, sign * width, style)

    def lines(self) -> list[Line]:
        """Everything, in as few segments as can be."""
        return [
            [
                Segment("".join(sign for sign, _ in run), style)
                for style, run in ((style, list(run)) for style, run in groupby(row, key=lambda at: at[1]))
            ]
            for row in self._cells
        ]


@lru_cache(maxsize=256)
def inverse(style: Style) -> Style:
    """Ink and ground exchanged by the terminal itself, which takes few bytes and works without colours."""
    return style + Style(reverse=True)
