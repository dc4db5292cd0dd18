"""What a terminal shows, cell by cell: of one that was sent frames, and of Textual's own strips."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple
from unicodedata import normalize

import pyte
from rich.cells import get_character_cell_size
from rich.style import Style
from textual.filter import ANSIToTruecolor
from textual.strip import Strip

CODE = re.compile(r"\x1b\[(\??)([0-9;]*)([A-Za-z])")
"""A control sequence: private or not, its numbers, its letter."""


class Cell(NamedTuple):
    """A character and how it looks; of blanks, what cannot be seen is left out."""

    character: str
    ink: str
    ground: str
    attributes: tuple[bool, ...]


Picture = list[list[Cell]]


@lru_cache(maxsize=8192)
def cell(character: str, ink: str, ground: str, *attributes: Any) -> Cell:
    """`attributes` are bold, italic, underline, strike, reverse, blink."""
    bold, italic, *seen, blink = (bool(attribute) for attribute in attributes)
    if character == " " and not any(seen):
        return Cell(" ", "", ground, ())
    return Cell(normalize("NFC", character), ink, ground, (bold, italic, *seen, blink))


class Terminal:
    """An emulator that does not wrap, and remembers what it was sent."""

    def __init__(self, width: int, height: int) -> None:
        self._screen = pyte.Screen(width, height)
        self._stream = pyte.Stream(self._screen)
        self._stream.feed("\x1b[?7l")
        self.sent = ""

    def feed(self, text: str) -> None:
        self.sent += text
        self._stream.feed(text)

    def resize(self, width: int, height: int) -> None:
        self._screen.resize(height, width)

    @property
    def cursor(self) -> tuple[int, int]:
        return self._screen.cursor.x, self._screen.cursor.y

    @property
    def picture(self) -> Picture:
        screen = self._screen
        columns = range(screen.columns)
        return [[_shown(screen.buffer[y][x]) for x in columns] for y in range(screen.lines)]

    @property
    def text(self) -> str:
        return "\n".join(self._screen.display)


@lru_cache(maxsize=8192)
def _shown(at: pyte.screens.Char) -> Cell:
    seen = at.underscore, at.strikethrough, at.reverse
    return cell(at.data, at.fg, at.bg, at.bold, at.italics, *seen, at.blink)


def drawn(lines: Iterable[Strip], colours: ANSIToTruecolor, background: Any) -> Picture:
    """The picture that strips with all their colours make."""
    picture = []
    for strip in lines:
        row: list[Cell] = []
        for text, style, _ in strip.apply_filter(colours, background):
            for character in text:
                row += _cells(row, character, style or Style())
        picture.append(row)
    return picture


def _cells(row: list[Cell], character: str, style: Style) -> list[Cell]:
    width = get_character_cell_size(character)
    if width == 0 and row:
        at = -1 if row[-1].character else -2
        row[at] = row[at]._replace(character=normalize("NFC", row[at].character + character))
        return []
    return [cell(sign, *_look(style)) for sign in (character, *[""] * (width - 1))]


@lru_cache(maxsize=1024)
def _look(style: Style) -> tuple[Any, ...]:
    return (
        _colour(style.color), _colour(style.bgcolor), style.bold, style.italic, style.underline, style.strike,
        style.reverse, style.blink,
    )  # fmt: skip


def _colour(colour: Any) -> str:
    return "default" if colour is None or colour.is_default else colour.get_truecolor().hex[1:]


def words(picture: Picture) -> list[str]:
    """The characters alone."""
    return ["".join(at.character for at in row) for row in picture]
