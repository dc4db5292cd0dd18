"""Laying out the cards; the only place where chance plays a part."""

from __future__ import annotations

from typing import Final

from kk_core.chance import Chance
from kk_core.errors import InvalidOptions
from kk_core.games.land_cards.data import Deck
from kk_core.games.land_cards.meta import EXPOSED_AT_START, META, ONE_BY_ONE, TAKE
from kk_core.games.land_cards.model import CELLS
from kk_core.games.land_cards.moves import first_turn
from kk_core.games.land_cards.state import Deal, State
from kk_core.text import text
from kk_core.types import Options

_STONES_ON_CARDS: Final = {3: 3, 4: 2, 5: 2}
"""How many of a player's stones may lie on cards, by the number of players."""


def set_up(deck: Deck, options: Options, seats: int, seed: bytes) -> State:
    """Shuffle the land cards, lay them out row by row, shuffle the laws, lay them on their cells."""
    if seats not in _STONES_ON_CARDS:
        raise InvalidOptions(
            text("{game} is for {low} to {high} players, not {seats}.",
                 game=META.name, low=META.min_seats, high=META.max_seats, seats=seats)
        )  # fmt: skip
    take = options.get(TAKE, ONE_BY_ONE)
    if take not in (ONE_BY_ONE, EXPOSED_AT_START):
        raise InvalidOptions(
            text("Option {name} cannot be {value}; possible: {known}.",
                 name=TAKE, value=repr(take), known=f"{ONE_BY_ONE}, {EXPOSED_AT_START}")
        )  # fmt: skip
    chance = Chance(seed)
    faces = list(deck.faces)
    chance.shuffle(faces)
    kinds = list(deck.laws)
    chance.shuffle(kinds)
    laws = bytearray(CELLS)
    for cell, kind in zip(deck.law_cells, kinds, strict=True):
        laws[cell] = 1 + kind
    return first_turn(
        Deal(tuple(faces), bytes(laws), seats, _STONES_ON_CARDS[seats], take == EXPOSED_AT_START)
    )
