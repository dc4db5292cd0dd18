"""A picture of a terminal as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby
from typing import Final

from tests.tui.picture import Cell, Picture

WIDTH, HEIGHT = 10, 20
"""Of a cell."""

_NAMED: Final = {
    "default": "", "black": "000000", "red": "cd3131", "green": "0dbc79", "brown": "e5e510", "blue": "2472c8",
    "magenta": "bc3fbc", "cyan": "11a8cd", "white": "e5e5e5", "brightblack": "666666", "brightred": "f14c4c",
    "brightgreen": "23d18b", "brightbrown": "f5f543", "brightblue": "3b8eea", "bfightmagenta": "d670d6",
    "brightmagenta": "d670d6", "brightcyan": "29b8db", "brightwhite": "ffffff",
}  # fmt: skip
"""Colours that the emulator has names for, as many terminals show them."""

_INK, _GROUND = "d4d4d4", "0c0c0c"
_PARTS: Final = {
    "█": ((0, 0, 8, 8),), "▀": ((0, 0, 8, 4),), "▄": ((0, 4, 8, 8),), "▌": ((0, 0, 4, 8),),
    "▐": ((4, 0, 8, 8),),
    "▘": ((0, 0, 4, 4),), "▝": ((4, 0, 8, 4),), "▖": ((0, 4, 4, 8),), "▗": ((4, 4, 8, 8),),
    "▚": ((0, 0, 4, 4), (4, 4, 8, 8)), "▞": ((4, 0, 8, 4), (0, 4, 4, 8)),
    "▛": ((0, 0, 8, 4), (0, 4, 4, 8)), "▜": ((0, 0, 8, 4), (4, 4, 8, 8)),
    "▙": ((0, 0, 4, 8), (4, 4, 8, 8)), "▟": ((4, 0, 8, 8), (0, 4, 4, 8)),
    **{sign: ((0, 8 - n, 8, 8),) for n, sign in enumerate("▁▂▃", 1)},
    **{sign: ((0, 8 - n, 8, 8),) for n, sign in enumerate("▅▆▇", 5)},
    **{sign: ((0, 0, 8 - n, 8),) for n, sign in enumerate("▉▊▋", 1)},
    **{sign: ((0, 0, 8 - n, 8),) for n, sign in enumerate("▍▎▏", 5)},
}  # fmt: skip
"""Blocks as rectangles in eighths of a cell, so that they touch as they do on a terminal."""


def svg(picture: Picture) -> str:
    """Grounds as rectangles, blocks too, everything else as text."""
    width, height = len(picture[0]) * WIDTH, len(picture) * HEIGHT
    lines = [line for y, row in enumerate(picture) for line in (*_grounds(y, row), *_signs(y, row))]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" shape-rendering="crispEdges" '
        'font-family="DejaVu Sans Mono, monospace" font-size="16.6">'
    )
    return "\n".join([head, _box(0, 0, width, height, _GROUND), *lines, "</svg>\n"])


def _grounds(y: int, row: Sequence[Cell]) -> Iterator[str]:
    x = 0
    for ground, cells in groupby(row, key=lambda cell: _colours(cell)[1]):
        n = len(list(cells))
        if ground != _GROUND:
            yield _box(x * WIDTH, y * HEIGHT, n * WIDTH, HEIGHT, ground)
        x += n


def _signs(y: int, row: Sequence[Cell]) -> Iterator[str]:
    for x, cell in enumerate(row):
        ink = _colours(cell)[0]
        for left, top, right, bottom in _PARTS.get(cell.character, ()):
            across, down = WIDTH / 8, HEIGHT / 8
            yield _box(
                x * WIDTH + left * across,
                y * HEIGHT + top * down,
                (right - left) * across,
                (bottom - top) * down,
                ink,
            )
        if cell.character.strip() and cell.character not in _PARTS:
            yield _text(x, y, cell, ink)


def _text(x: int, y: int, cell: Cell, ink: str) -> str:
    bold, italic, underline, *_more = cell.attributes
    style = ' font-weight="bold"' * bold + ' font-style="italic"' * italic
    style += ' text-decoration="underline"' * underline
    return f'<text x="{x * WIDTH}" y="{y * HEIGHT + 15}" fill="#{ink}"{style}>{escape(cell.character)}</text>'


def _box(x: float, y: float, width: float, height: float, colour: str) -> str:
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="#{colour}"/>'


def _colours(cell: Cell) -> tuple[str, str]:
    """Ink and ground as they are seen."""
    ink, ground = _NAMED.get(cell.ink, cell.ink) or _INK, _NAMED.get(cell.ground, cell.ground) or _GROUND
    return (ground, ink) if len(cell.attributes) > 4 and cell.attributes[4] else (ink, ground)
