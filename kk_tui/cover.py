"""Small pictures of the games for the first screen, of any size: two pixels to a character."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from math import ceil
from typing import Final, TypeAlias

from rich.segment import Segment
from rich.style import Style

from kk_tui.terminal.sgr import PIXEL
from kk_tui.theme.palette import Ink

Point: TypeAlias = tuple[float, float]
"""Column and row, in a picture of the size 1 x 1."""

Scale: TypeAlias = tuple[int, int]
"""Pixels across and down for one point of a drawing."""

_ASCII: Final = "#%*+=@&ox"


class Cover:
    """A picture of pixels, each a theme variable, or None where the ground shows through."""

    def __init__(self, width: int, height: int, ground: str = "ground") -> None:
        self.ground = ground
        self.width, self.height = width, height
        self._rows: list[list[str | None]] = [[None] * width for _ in range(height)]

    def at(self, x: int, y: int) -> str | None:
        """Return the theme variable of a pixel."""
        return self._rows[y][x]

    def dot(self, x: int, y: int, colour: str | None) -> None:
        """Colour a pixel, if it is inside the picture."""
        if 0 <= x < self.width and 0 <= y < self.height:
            self._rows[y][x] = colour

    def block(self, left: int, top: int, width: int, height: int, colour: str | None) -> None:
        """Fill a rectangle."""
        for y in range(top, top + height):
            for x in range(left, left + width):
                self.dot(x, y, colour)

    def stamp(
        self, left: int, top: int, rows: Iterable[str], colours: Mapping[str, str], scale: Scale = (1, 1)
    ) -> None:
        """Draw a picture made of letters; letters without a colour are transparent."""
        wide, tall = scale
        for y, row in enumerate(rows):
            for x, letter in enumerate(row):
                if letter in colours:
                    self.block(left + x * wide, top + y * tall, wide, tall, colours[letter])

    def polygon(self, corners: Sequence[Point], colour: str) -> None:
        """Fill the pixels whose centres are inside a polygon."""
        for y in range(self.height):
            borders = [ceil(x * self.width - 0.5) for x in _crossings(corners, (y + 0.5) / self.height)]
            for left, right in zip(borders[::2], borders[1::2], strict=True):
                self.block(left, y, right - left, 1, colour)

    def line(self, start: Point, end: Point, colour: str) -> None:
        """Draw a line one pixel wide."""
        steps = max(1, round(max(abs(end[0] - start[0]) * self.width, abs(end[1] - start[1]) * self.height)))
        for step in range(steps + 1):
            share = step / steps
            x, y = (a + (b - a) * share for a, b in zip(start, end, strict=True))
            self.dot(int(x * self.width), int(y * self.height), colour)

    def segments(self, y: int, ink: Ink, *, is_ascii: bool, has_colours: bool) -> list[Segment]:
        """Return a line of characters, two rows of pixels; in ASCII or without colours, as letters."""
        lower = self._rows[2 * y + 1] if 2 * y + 1 < self.height else [None] * self.width
        drawn = []
        for (above, below), run in groupby(zip(self._rows[2 * y], lower, strict=True)):
            sign, style = (
                _letters(above or below, ink, self.ground, has_colours=has_colours)
                if is_ascii or not has_colours
                else _blocks(above, below, ink, self.ground)
            )
            drawn.append(Segment(sign * len(list(run)), style))
        return drawn


@lru_cache(maxsize=64)
def drawn_once(draw: Callable[[int, int], Cover], width: int, height: int) -> Cover:
    """Return the drawing of a size, made once for all apps; it must not be drawn on any more."""
    return draw(width, height)


def _letters(colour: str | None, ink: Ink, ground: str, *, has_colours: bool) -> tuple[str, Style]:
    """Return the letter and style for a pixel: a blank for grounds, and for details drawn in ink."""
    if colour is None or colour.startswith("ground") or colour.endswith(("-ground", "-ink")):
        return " ", ink("ink", on=ground)
    letter = _ASCII[sum(colour.encode()) % len(_ASCII)]  # always the same one for a variable
    # The colour it is a shade of, since with 16 colours a shade may be black as an ink.
    full = colour.removesuffix("-under").removesuffix("-rest")
    return letter, ink(full if has_colours else "ink", on=ground)


def _blocks(above: str | None, below: str | None, ink: Ink, ground: str) -> tuple[str, Style]:
    if above == below:
        # The ground too, since many fonts leave a gap between full blocks.
        sign = "█" if above and not _lies_under(above) else " "
        return sign, ink(above or ground, on=above or ground)
    if _as_ground(above) > _as_ground(below):
        return "▄", ink(below or ground, on=above or ground)
    style = ink(above or ground, on=below or ground)
    return "▀", style if _as_ground(below) else _pixels(style)


@lru_cache(maxsize=1024)
def _pixels(style: Style) -> Style:
    # Neither colour was designed as a ground, which with 16 colours would have another number.
    return style + Style(meta={PIXEL: True})


def _lies_under(colour: str) -> bool:
    return colour.endswith("-under")


def _as_ground(colour: str | None) -> int:
    """Return how suitable a colour is as the ground of a cell with 16 colours.

    Colours of cards lying under others come first, since their ink may be black there.
    """
    if colour is None or colour.startswith("ground"):
        return 2
    if _lies_under(colour):
        return 3
    return int(colour.startswith(("seat-", "gold", "ink")) or colour.endswith(("-ink", "-ground", "-rest")))


def _crossings(corners: Sequence[Point], y: float) -> list[float]:
    """Return the columns where a horizontal line crosses the edges, from left to right."""
    edges = zip(corners, [*corners[1:], corners[0]], strict=True)
    return sorted(
        (x2 - x1) * (y - y1) / (y2 - y1) + x1 for (x1, y1), (x2, y2) in edges if (y1 > y) != (y2 > y)
    )
