"""The card game on the first screen: four rows of cards that grow shorter, with stones on some."""

from __future__ import annotations

from typing import Final

from kk_tui.cover import Cover
from kk_tui.games.land_cards.theme import country_variable

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


def cover(width: int, height: int) -> Cover:
    """The picture at a size in pixels."""
    picture = Cover(width, height)
    pitch = height // len(_ROWS)
    tall, wide = pitch - 1, max(3, (pitch - 1) * 3 // 4)
    for row, cards in enumerate(_ROWS):
        left = -(row * wide // 2) % (wide + 1) - wide - 1
        for column, country in enumerate(cards):
            x, y = left + (column + 1) * (wide + 1), row * pitch + (height - pitch * len(_ROWS)) // 2
            if country in _COUNTRIES and x >= 0 and x + wide <= width:
                _card(
                    picture,
                    (x, y),
                    (wide, tall),
                    country_variable(_COUNTRIES.index(country)),
                    _STONES.get((row, column)),
                )
    return picture


def _card(picture: Cover, at: tuple[int, int], size: tuple[int, int], colour: str, seat: int | None) -> None:
    """A card, with its number in a corner where there is room, and the stone that lies on it."""
    (x, y), (wide, tall) = at, size
    picture.block(x, y, wide, tall, colour)
    if tall >= 5:
        picture.block(x + 1, y + 1, max(1, wide // 4), max(1, tall // 5), "land_cards-open-ink")
    if seat is not None:
        stone = max(1, tall // 2)
        left, top = x + (wide - stone) // 2, y + tall - stone - (tall >= 5)
        rim = int(stone > 2)
        picture.block(left, top, stone, stone, "ground-deep")
        picture.block(left + rim, top + rim, stone - 2 * rim, stone - 2 * rim, f"seat-{seat}")
