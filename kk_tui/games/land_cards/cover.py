"""The card game on the first screen: four rows of cards that get shorter, with stones on some."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from kk_core.games.land_cards.model import COUNTRIES, META
from kk_tui.cover import Cover
from kk_tui.games import Appearance
from kk_tui.games.land_cards.theme import COLOURS, GLYPHS, country_variable, woodcut_points
from kk_tui.pixels import read_pictures

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

_ART: Final = Path(__file__).parent / "art" / "cover.txt"

_RIMMED: Final = 9
"""Columns of the smallest card that has a rim."""

_INK: Final = {"#": "land_cards-open-ink"}


class _Box(NamedTuple):
    left: int
    top: int
    width: int
    height: int


def cover(width: int, height: int) -> Cover:
    """Return the picture at a size in pixels."""
    picture = Cover(width, height)
    pitch = height // len(_ROWS)
    wide, tall = _size(width, pitch)
    rest = (width + 1) % (wide + 1) // 2
    for row, cards in enumerate(_ROWS):
        # neighbouring rows are half a card apart, as in brickwork
        left = rest - (row * wide // 2) % (wide + 1) - wide - 1
        for column, letter in enumerate(cards):
            x, y = left + (column + 1) * (wide + 1), row * pitch + (height - pitch * len(_ROWS)) // 2
            if letter in _COUNTRIES and x >= 0 and x + wide <= width:
                box = _Box(x, y, wide, tall)
                _card(picture, box, _COUNTRIES.index(letter), _STONES.get((row, column)))
    return picture


def _size(room: int, pitch: int) -> tuple[int, int]:
    """Return the size of a card, given the width of a row and the distance to the next.

    It is about 3 to 4, and its picture can be exactly in its middle.
    """
    wide, tall = max(3, (pitch - 1) * 3 // 4), pitch - 1
    sizes = [(width, height) for width in (wide, wide + 1, wide - 1, wide - 2) for height in (tall, tall - 1)]
    fitting = [size for size in sizes if _has_middle(_inside(_Box(0, 0, *size)))]
    return max(fitting, key=lambda size: (room + 1) // (size[0] + 1), default=(wide, tall))


def _has_middle(room: _Box) -> bool:
    """Return whether the picture can be in the middle, with equal margins on opposite sides."""
    drawing, (wide, tall) = _drawing(0, room)
    if not drawing or not wide:
        return False
    beside, below = room.width - len(drawing[0]) * wide, room.height - len(drawing) * tall
    return beside >= 2 and beside % 2 == 0 and below % 2 == 0


def _inside(card: _Box) -> _Box:
    """Return a card without its rim, which only a large one has."""
    rim = int(card.width >= _RIMMED)
    return _Box(card.left + rim, card.top + rim, card.width - 2 * rim, card.height - 2 * rim)


def _card(picture: Cover, box: _Box, country: int, seat: int | None) -> None:
    """Draw a card with a rim, and the picture of its country or the stone that lies on it."""
    colour = country_variable(country)
    inner = _inside(box)
    picture.block(*box, colour if inner == box else f"{colour}-shade")
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
    """Return the largest picture that leaves a margin, and the pixels of each of its points.

    A point of a woodcut is half as wide as high.
    """
    for rows in woodcut_points(country):
        if len(rows[0]) + 2 <= room.width and 2 * len(rows) + 2 <= room.height:
            return rows, (1, 2)
    symbols = [drawn for (drawn,) in read_pictures(_ART).values()]
    symbol = symbols[country % len(symbols)]
    scale = min((room.width - 1) // 3, (room.height - 1) // 3, 3)
    return (symbol, (scale, scale)) if room.height >= 5 else ((), (1, 1))


def _stone(picture: Cover, card: _Box, seat: int) -> None:
    """Draw a round stone of a seat, in a dark rim if there is room for one."""
    size = max(1, min(card.width - 2, card.height * 3 // 5))
    # odd or even like the card, so that it is in the middle
    size += 1 if size == 1 and card.width % 2 == 0 else -((card.width - size) % 2)
    left, top = card.left + (card.width - size) // 2, card.top + (card.height - size) // 2
    if size >= 5:
        _disc(picture, left, top, size, "ground-deep")
        _disc(picture, left + 1, top + 1, size - 2, f"seat-{seat}")
    else:
        picture.block(left, top, size, size, f"seat-{seat}")


def _disc(picture: Cover, left: int, top: int, size: int, colour: str) -> None:
    """Draw a square with its corners cut."""
    cut = size // 4
    for y in range(size):
        short = max(0, cut - min(y, size - 1 - y))
        picture.block(left + short, top + y, size - 2 * short, 1, colour)


DRAWN: Final = {
    **{
        rf"\[[{''.join(GLYPHS[f'land_cards-symbol-{one}'])}]\]": (
            f"bold $land_cards-symbol-{one}-ink on $land_cards-symbol-{one}"
        )
        for one in "KFL"
    },
    **{
        rf"(?<=[│|]) {name} +(?=[│|])": f"bold $land_cards-open-ink on $land_cards-{COUNTRIES.index(country)}"
        for name, country in (("FRANKREICH", "Frankreich"), ("BAYERN", "Bayern"))
    },
}
"""Badges and countries of the cards that the rules draw."""

APPEARANCE: Final = Appearance(meta=META, colours=COLOURS, glyphs=GLYPHS, cover=cover, drawn=DRAWN)
