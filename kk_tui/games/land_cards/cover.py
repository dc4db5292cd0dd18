"""The card game on the first screen: four rows of cards that grow shorter, with stones on some."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from kk_tui.cover import Cover
from kk_tui.games.land_cards.theme import country_variable
from kk_tui.games.land_cards.woodcuts import DRAWINGS

_ROWS: Final = (
    "fsukfbi edakbs",
    "biefs ukdaisfb",
    " kdaib sfuekda",
    "sfbkue idafsbk",
)
"""The countries of the cards, from left to right; a blank where one was taken."""

_COUNTRIES: Final = "fsukabied"
"""The letters of the countries, in the model's order."""

_STONES: Final = {(0, 2): 0, (1, 1): 1, (1, 6): 2, (2, 4): 0, (3, 3): 3, (3, 7): 1, (0, 9): 4, (2, 9): 2}

_SYMBOLS: Final = (
    (".#.", "###", ".#."),
    ("#.#", ".#.", "#.#"),
    ("###", ".#.", ".#."),
    ("#.#", "###", ".#."),
    (".#.", "###", "#.#"),
)
"""Cross, lion, fan, eagle and tower, where there is no room for more on a card."""

_INK: Final = {"#": "land_cards-open-ink"}


class _Box(NamedTuple):
    left: int
    top: int
    width: int
    height: int


def cover(width: int, height: int) -> Cover:
    """The picture at a size in pixels."""
    picture = Cover(width, height)
    pitch = height // len(_ROWS)
    tall, wide = pitch - 1, max(3, (pitch - 1) * 3 // 4)
    for row, cards in enumerate(_ROWS):
        left = -(row * wide // 2) % (wide + 1) - wide - 1
        for column, letter in enumerate(cards):
            x, y = left + (column + 1) * (wide + 1), row * pitch + (height - pitch * len(_ROWS)) // 2
            if letter in _COUNTRIES and x >= 0 and x + wide <= width:
                box = _Box(x, y, wide, tall)
                _card(picture, box, _COUNTRIES.index(letter), _STONES.get((row, column)))
    return picture


def _card(picture: Cover, box: _Box, country: int, seat: int | None) -> None:
    """A card with a rim, the picture of its country, or the stone that lies on it."""
    colour = country_variable(country)
    has_rim = box.width >= 9
    picture.block(*box, f"{colour}-rest" if has_rim else colour)
    inner = _Box(box.left + has_rim, box.top + has_rim, box.width - 2 * has_rim, box.height - 2 * has_rim)
    picture.block(*inner, colour)
    if seat is not None:
        _stone(picture, inner, seat)
        return
    drawing, scale = _drawing(country, inner)
    if drawing:
        left = inner.left + (inner.width - len(drawing[0]) * scale[0]) // 2
        top = inner.top + (inner.height - len(drawing) * scale[1]) // 2
        picture.stamp(left, top, drawing, _INK, scale)


def _drawing(country: int, room: _Box) -> tuple[Sequence[str], tuple[int, int]]:
    """The largest picture that leaves a margin, and how many pixels each of its points takes.

    A point of a woodcut is half as wide as high.
    """
    for points in DRAWINGS[country]:
        rows = points.split()
        if len(rows[0]) + 2 <= room.width and 2 * len(rows) + 2 <= room.height:
            return rows, (1, 2)
    symbol = _SYMBOLS[country % len(_SYMBOLS)]
    scale = min((room.width - 1) // 3, (room.height - 1) // 3, 3)
    return (symbol, (scale, scale)) if room.height >= 5 else ((), (1, 1))


def _stone(picture: Cover, card: _Box, seat: int) -> None:
    """A round stone of a seat, in a dark rim where there is room for one."""
    size = max(1, min(card.width - 2, card.height * 3 // 5))
    left, top = card.left + (card.width - size + 1) // 2, card.top + (card.height - size) // 2
    if size >= 5:
        _disc(picture, left, top, size, "ground-deep")
        _disc(picture, left + 1, top + 1, size - 2, f"seat-{seat}")
    else:
        picture.block(left, top, size, size, f"seat-{seat}")


def _disc(picture: Cover, left: int, top: int, size: int, colour: str) -> None:
    """A square with its corners cut."""
    cut = size // 4
    for y in range(size):
        short = max(0, cut - min(y, size - 1 - y))
        picture.block(left + short, top + y, size - 2 * short, 1, colour)
