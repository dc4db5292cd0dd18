"""What a player of the card game minds: the greedy bot, and a good one, whose weights are learned."""

from __future__ import annotations

from functools import cache
from typing import Final

import msgspec

from kk_core.data import read_weights
from kk_core.games.land_cards.data import WEIGHTS
from kk_core.games.land_cards.greedy import GUARD_FOR, LAW_WORTH, PLAY_LAW_FOR, STONE_LOST


class Taste(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Weights, in points where nothing else stands there."""

    countries: float
    """How much of what a card is likely to bring in its country in the end is added to what it gains now."""
    routes: float
    """The same for ships and carriages."""
    stone_lost: float
    """What it costs to take a card under another's stone."""
    guard_for: float
    """What a card must gain to be worth a stone,"""
    move_for: float
    """and by how much more, to be worth moving one."""
    next_to_end: float
    """How much a card next to an end counts for a stone."""
    laws: tuple[float, float, float, float]
    """What a law card of each kind is worth."""
    play_law_for: float
    """What a further card must gain to play one for it."""
    more_for: float
    """What a further card of a turn must gain."""


PLAIN: Final = Taste(
    countries=0.0, routes=0.0, stone_lost=STONE_LOST, guard_for=GUARD_FOR, move_for=GUARD_FOR,
    next_to_end=1.0, laws=(LAW_WORTH[0], LAW_WORTH[1], LAW_WORTH[2], LAW_WORTH[3]),
    play_law_for=PLAY_LAW_FOR, more_for=0.0,
)  # fmt: skip
"""That of the greedy bot."""


@cache
def keen_taste() -> Taste:
    """That of a good player."""
    return read_weights(WEIGHTS, Taste)
