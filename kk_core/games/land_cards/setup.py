"""Laying out the cards; the only place where chance plays a part."""

from __future__ import annotations

from typing import Final

from kk_core.chance import Chance
from kk_core.checks import checked_setup
from kk_core.games.land_cards.layout import kinds_of
from kk_core.games.land_cards.meta import EXPOSED_AT_START, META, TAKE
from kk_core.games.land_cards.model import CELLS, Printed
from kk_core.games.land_cards.moves import first_position
from kk_core.games.land_cards.state import Deal, State
from kk_core.types import Options

_STONES_ON_CARDS: Final = {3: 3, 4: 2, 5: 2}
"""How many of a player's stones may lie on cards, by the number of players."""


def set_up(cards: Printed, options: Options, seats: int, seed: bytes) -> State:
    """Shuffle the land cards, lay them out row by row, shuffle the laws, lay them on their cells.

    Raises `InvalidOptions`.
    """
    take = checked_setup(META, options, seats, seed)[TAKE]
    chance = Chance(seed)
    faces = list(cards.faces)
    chance.shuffle(faces)
    kinds = list(cards.laws)
    chance.shuffle(kinds)
    laws = bytearray(CELLS)
    for cell, kind in zip(cards.law_cells, kinds, strict=True):
        laws[cell] = 1 + kind
    return first_position(
        Deal(
            tuple(faces),
            kinds_of(faces),
            bytes(laws),
            seats,
            _STONES_ON_CARDS[seats],
            take == EXPOSED_AT_START,
        )
    )
