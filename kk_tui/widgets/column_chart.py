"""Numbers as columns side by side, each with its figure on top."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from textual.content import Content

from kk_tui.theme.glyphs import Glyphs

_LEAST: Final = 4
_MOST: Final = 8
"""Screen columns of a column and of the gap behind it."""


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
    most = width // _LEAST
    marked = next((at for at, column in enumerate(columns) if column.is_marked), len(columns))
    first = max(0, min(len(columns) - most, marked))
    shown = columns[first : first + most]
    if not shown:
        return
    wide = min(_MOST, width // len(shown)) - 1
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
