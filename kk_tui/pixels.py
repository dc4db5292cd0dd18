"""Pictures made of block characters: rows of pixels, `#` for ink, as lines of text.

With half blocks a character is one pixel wide and two high, so that pixels are about square; with quadrants
it is two wide and two high. Terminals without these signs get `#`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Final, TypeAlias

Pixels: TypeAlias = Sequence[str]
"""Rows from top to bottom, all of one length; `#` is ink, anything else is not."""

_HALVES: Final = " ▀▄█"
_QUADRANTS: Final = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"


def halves(pixels: Pixels, *, ascii_only: bool = False) -> list[str]:
    """The lines of a picture in half blocks: as many columns as pixels, half as many lines."""
    return [
        "".join(_half(upper == "#", lower == "#", ascii_only=ascii_only) for upper, lower in columns)
        for columns in _pairs(pixels)
    ]


def _half(upper: bool, lower: bool, *, ascii_only: bool) -> str:
    if ascii_only:
        return "#" if upper or lower else " "
    return _HALVES[upper + 2 * lower]


def quadrants(pixels: Pixels) -> list[str]:
    """The lines of a picture in quadrants: half as many columns as pixels, half as many lines."""
    lines = []
    for columns in _pairs(pixels):
        bits = [(upper == "#") + 4 * (lower == "#") for upper, lower in columns]
        left, right = bits[::2], bits[1::2]
        lines.append("".join(_QUADRANTS[a + 2 * b] for a, b in zip_longest(left, right, fillvalue=0)))
    return lines


def _pairs(pixels: Pixels) -> Iterable[list[tuple[str, str]]]:
    """Two rows of pixels at a time."""
    for upper, lower in zip_longest(pixels[::2], pixels[1::2], fillvalue=""):
        yield list(zip_longest(upper, lower, fillvalue=" "))


def scaled(pixels: Pixels, by: int) -> Pixels:
    """The same picture, larger."""
    return [line for row in pixels for line in ["".join(pixel * by for pixel in row)] * by]


def beside(parts: Iterable[Pixels], gap: int = 1) -> Pixels:
    """Pictures of the same height side by side."""
    return [(" " * gap).join(rows) for rows in zip(*parts, strict=True)]


_DIGITS: Final = (
    "### .#. ### ### #.# ### ### ### ### ###",
    "#.# ##. ..# ..# #.# #.. #.. ..# #.# #.#",
    "#.# .#. ### .## ### ### ### .#. ### ###",
    "#.# .#. #.. ..# ..# ..# #.# .#. #.# ..#",
    "### ### ### ### ..# ### ### .#. ### ###",
)

DIGITS: Final[Sequence[Pixels]] = tuple(zip(*(row.split() for row in _DIGITS), strict=True))
"""The digits from 0 to 9, 3 x 5 pixels each."""

_LOW_DIGITS: Final = (
    "### ##. ### ### #.# ### #.. ### #.# ###",
    "#.# .#. ..# .## #.# #.. ### ..# ### #.#",
    "#.# .#. ##. ..# ### ..# #.# .#. #.# ..#",
    "### ### ### ### ..# ### ### .#. ### ..#",
)

LOW_DIGITS: Final[Sequence[Pixels]] = tuple(zip(*(row.split() for row in _LOW_DIGITS), strict=True))
"""The digits from 0 to 9, 3 x 4 pixels each."""

_LETTERS: Final = {
    "K": (
        "###..###",
        "###.###.",
        "######..",
        "#####...",
        "#####...",
        "######..",
        "###.###.",
        "###..###",
    ),
    "U": (
        "###..###",
        "###..###",
        "###..###",
        "###..###",
        "###..###",
        "###..###",
        "########",
        ".######.",
    ),
    "A": (
        ".######.",
        "########",
        "###..###",
        "###..###",
        "########",
        "########",
        "###..###",
        "###..###",
    ),
    "I": ("####", ".##.", ".##.", ".##.", ".##.", ".##.", ".##.", "####"),
    "N": (
        "###..###",
        "####.###",
        "########",
        "########",
        "###.####",
        "###..###",
        "###..###",
        "###..###",
    ),
    "G": (
        ".######.",
        "########",
        "###.....",
        "###.####",
        "###.####",
        "###..###",
        "########",
        ".######.",
    ),
    "!": ("###", "###", "###", "###", ".#.", "...", "###", "###"),
    ".": ("..", "..", "..", "..", "..", "..", "##", "##"),
    " ": (("...",) * 8),
}


def large(words: str, room: int) -> Pixels:
    """Words in large letters, 8 pixels high, twice that where `room` columns allow; unknown ones as gaps."""
    written = beside(_LETTERS.get(letter, _LETTERS[" "]) for letter in words)
    return scaled(written, 2) if 2 * len(written[0]) <= room else written


def number(value: int, *, scale: int = 1) -> Pixels:
    """A number in digits of 3 x 5 pixels, or a multiple of that."""
    return scaled(beside(DIGITS[int(digit)] for digit in str(value)), scale)
