"""Pictures made of block characters: rows of pixels, `#` for ink, as lines of text.

With half blocks a character is one pixel wide and two high, so that pixels are about square; with quadrants
it is two wide and two high. Terminals without these characters get `#`.

They are drawn in text files in the folders `art`, where a heading such as `[king]` begins a section, a blank
line separates its pictures, and `;` begins a comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby, zip_longest
from pathlib import Path
from typing import Final, NoReturn, TypeAlias

from kk_core.errors import BadData
from kk_core.text import text

Pixels: TypeAlias = Sequence[str]
"""Rows from top to bottom, all of the same length; `#` is ink, anything else is not."""

Pictures: TypeAlias = Mapping[str, Sequence[Pixels]]
"""Pictures by the name of their section."""

_HEADING: Final = re.compile(r"\[(.+)]")


@cache
def read_pictures(path: Path, *, each: int = 1, signs: str = "#.") -> Pictures:
    """Read a text file of pictures, `each` in every section, made of `signs`. Raises `BadData`.

    If the blank is one of the signs, rows are padded with it, so that no line in the file has to end in one.
    """
    sections = _Sections(path)
    name = ""
    for block in _blocks(path):
        heading = _HEADING.fullmatch(block[0][1])
        if heading:
            name = heading[1]
            if name in sections:
                raise _fault(path, f"line {block[0][0]}", f"a second section [{name}]")
            sections[name] = []
            del block[0]  # a picture may follow without a blank line
        if block and not sections:
            raise _fault(path, f"line {block[0][0]}", "a picture before the first section")
        if block:
            sections[name].append(_picture(path, block, signs))
    for name, pictures in sections.items():
        if len(pictures) != each:
            raise _fault(path, f"[{name}]", f"it must have {each} pictures, not {len(pictures)}")
    return sections


class _Sections(dict[str, list[Pixels]]):
    """The sections of a file; accessing a missing one is an error that names the file."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    def __missing__(self, name: str) -> NoReturn:
        raise _fault(self._path, f"[{name}]", "no such section")


def _blocks(path: Path) -> Iterator[list[tuple[int, str]]]:
    """Yield blocks of lines between blank ones, numbered and without comments."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise _fault(path, f"byte {error.start}", "not UTF-8") from None
    told = ((number, line) for number, line in enumerate(lines, 1) if not line.startswith(";"))
    for has_signs, block in groupby(told, key=lambda numbered: bool(numbered[1].strip())):
        if has_signs:
            yield list(block)


def _picture(path: Path, rows: Sequence[tuple[int, str]], signs: str) -> Pixels:
    is_filled_up = " " in signs
    width = max(len(row) for _, row in rows) if is_filled_up else len(rows[0][1])
    for number, row in rows:
        foreign = set(row) - set(signs)
        if foreign:
            raise _fault(path, f"line {number}", f"{min(foreign)!r} is not one of the signs {signs!r}")
        if len(row) != width and not is_filled_up:
            raise _fault(path, f"line {number}", f"a row of {len(row)} signs in a picture {width} wide")
    return tuple(row.ljust(width) for _, row in rows)


def _fault(path: Path, where: str, reason: str) -> BadData:
    return BadData(str(path), where, text("{reason}", reason=reason))


_HALVES: Final = " ▀▄█"
_QUADRANTS: Final = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"


def halves(pixels: Pixels, *, ascii_only: bool = False) -> list[str]:
    """Return a picture in half blocks: as many columns as pixels, half as many lines."""
    return [
        "".join(_half(upper == "#", lower == "#", ascii_only=ascii_only) for upper, lower in columns)
        for columns in _pairs(pixels)
    ]


def _half(upper: bool, lower: bool, *, ascii_only: bool) -> str:
    if ascii_only:
        return "#" if upper or lower else " "
    return _HALVES[upper + 2 * lower]


def quadrants(pixels: Pixels) -> list[str]:
    """Return a picture in quadrants: half as many columns and half as many lines as pixels."""
    lines = []
    for columns in _pairs(pixels):
        bits = [(upper == "#") + 4 * (lower == "#") for upper, lower in columns]
        left, right = bits[::2], bits[1::2]
        lines.append("".join(_QUADRANTS[a + 2 * b] for a, b in zip_longest(left, right, fillvalue=0)))
    return lines


def _pairs(pixels: Pixels) -> Iterable[list[tuple[str, str]]]:
    for upper, lower in zip_longest(pixels[::2], pixels[1::2], fillvalue=""):
        yield list(zip_longest(upper, lower, fillvalue=" "))


def scaled(pixels: Pixels, by: int) -> Pixels:
    """Return a picture enlarged."""
    return [line for row in pixels for line in ["".join(pixel * by for pixel in row)] * by]


def beside(parts: Iterable[Pixels], gap: int = 1) -> Pixels:
    """Join pictures of the same height side by side."""
    return [(" " * gap).join(rows) for rows in zip(*parts, strict=True)]


_ART: Final = Path(__file__).parent / "art"


def digit(value: int) -> Pixels:
    """Return a digit of 3 x 5 pixels."""
    return read_pictures(_ART / "digits.txt")[str(value)][0]


def large(words: str, room: int, high: int = 16) -> Pixels:
    """Return words in letters 8 pixels high, or 16 if `room` columns and `high` pixels allow.

    Unknown letters become gaps.
    """
    letters = read_pictures(_ART / "letters.txt")
    written = beside(letters.get(letter, letters[" "])[0] for letter in words)
    is_high = 2 * len(written[0]) <= room and 2 * len(written) <= high
    return scaled(written, 2) if is_high else written


def has_letters(words: str) -> bool:
    """Return whether there is a large letter for each of these."""
    return set(words) <= read_pictures(_ART / "letters.txt").keys()


_PLUS: Final = ("...", ".#.", "###", ".#.", "...")


def gain(value: int, *, scale: int = 1) -> Pixels:
    """Return a number above 0 with a plus, in digits of 3 x 5 pixels or a multiple of that."""
    return scaled(beside([_PLUS, number(value)]), scale)


def number(value: int, *, scale: int = 1) -> Pixels:
    """Return a number in digits of 3 x 5 pixels, or a multiple of that."""
    return scaled(beside(digit(int(sign)) for sign in str(value)), scale)
