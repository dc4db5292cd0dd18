"""Charts of characters: numbers as columns, and ratings with their uncertainty on one axis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from rich.cells import set_cell_size
from textual.content import Content

from kk_core.views import RatingView
from kk_tui.theme.glyphs import Glyphs

_NARROWEST: Final = 4
_WIDEST: Final = 12
"""Screen columns of a column and of the gap after it."""

SHORTEST_AXIS: Final = 12
"""Columns from which distances on an axis can be told apart."""

_STEPS: Final = (50, 100, 200, 500, 1000, 2000)
"""Distances between labelled ratings."""

_APART: Final = 6
"""Columns from one label to the next, at least."""


class Column(NamedTuple):
    """A number, the style of its column, whether a sign points at it from below, and whether it is shaded."""

    value: int
    style: str
    is_marked: bool = False
    is_shaded: bool = False


def column_chart(columns: Sequence[Column], width: int, rows: int, glyphs: Glyphs) -> Iterator[Content]:
    """Yield columns in so many rows, the highest value as high as there is room, and signs in one more row.

    Where not all fit into the width, the first ones are left out, but for those from the marked one on.
    """
    most = width // _NARROWEST
    marked = next((at for at, column in enumerate(columns) if column.is_marked), len(columns))
    first = max(0, min(len(columns) - most, marked))
    shown = columns[first : first + most]
    if not shown:
        return
    wide = min(_WIDEST, width // len(shown)) - 1
    highest = max(1, *(column.value for column in shown))
    # in halves of a row
    tops = [round(2 * (rows - 1) * max(0, column.value) / highest) for column in shown]
    for row in range(rows - 1, -1, -1):
        cells = (_cell(column, top - 2 * row, wide, glyphs) for column, top in zip(shown, tops, strict=True))
        yield Content.assemble(*((f"{words} ", style) for words, style in cells))
    signs = ((glyphs["up"] if column.is_marked else "").center(wide + 1) for column in shown)
    yield Content.styled("".join(signs), "$gold")


def _cell(column: Column, halves: int, wide: int, glyphs: Glyphs) -> tuple[str, str]:
    """Return a row of a column that has so many half rows from this row's lower edge on."""
    if column.is_shaded and halves > 0:  # there is no sign for a shaded half
        return glyphs["shade"] * wide, column.style
    if halves > 1:
        return glyphs["full"] * wide, column.style
    if halves == 1:
        return glyphs["bar"] * wide, column.style
    return (str(column.value) if halves > -2 else "").center(wide), f"bold {column.style}"


class RatingAxis:
    """An axis of `width` columns on which some ratings fit, each with its deviation."""

    def __init__(self, ratings: Iterable[tuple[RatingView, int]], width: int, glyphs: Glyphs) -> None:
        spans = [(rating.shown - deviation, rating.shown + deviation) for rating, deviation in ratings]
        self._low, high = min(low for low, _high in spans), max(high for _low, high in spans)
        self._range = max(1, high - self._low)
        self._width = width
        self._glyphs = glyphs

    def _column(self, shown: int) -> int:
        return round((shown - self._low) * (self._width - 1) / self._range)

    @property
    def _marks(self) -> Sequence[int]:
        """The ratings with a label."""
        wanted = self._range * _APART / max(1, self._width - 1)
        step = next((step for step in _STEPS if step >= wanted), _STEPS[-1])
        first = -(-self._low // step) * step
        return range(first, self._low + self._range + 1, step)

    def labels(self) -> str:
        """Return the labels of the axis."""
        line = ""
        for shown in self._marks:
            words = str(shown)
            at = max(0, min(self._column(shown) - len(words) // 2, self._width - len(words)))
            if not line or at > len(line):
                line = set_cell_size(line, at) + words
        return line

    def line(self, rating: RatingView, deviation: int, own: RatingView | None, style: str) -> Content:
        """Return a rating as a mark on the line of its uncertainty, and where the user's `own` one is."""
        signs = dict.fromkeys(self._columns_of(own), ("v", "$gold"))
        first, last = self._column(rating.shown - deviation), self._column(rating.shown + deviation)
        inner = "h" if rating.is_settled else "bullet"
        signs |= dict.fromkeys(range(first, last + 1), (inner, style))
        if deviation:
            signs |= {first: ("tee-right", style), last: ("tee-left", style)}
        signs[self._column(rating.shown)] = ("chosen", style)
        return self._drawn(signs)

    def between(self, own: RatingView | None) -> Content:
        """Return a line between two ratings: only where the user's `own` one is."""
        return self._drawn(dict.fromkeys(self._columns_of(own), ("v", "$gold")))

    def _columns_of(self, own: RatingView | None) -> Iterable[int]:
        return () if own is None else (self._column(own.shown),)

    def _drawn(self, signs: dict[int, tuple[str, str]]) -> Content:
        parts = list[tuple[str, str]]()
        for at in range(self._width):
            name, style = signs.get(at, ("", ""))
            parts.append((self._glyphs[name] if name else " ", style))
        return Content.assemble(*parts).rstrip()
