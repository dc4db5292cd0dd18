"""A player of Noughts and bids that takes the best space, and bids all where a line is at stake."""

from __future__ import annotations

from kk_core.chance import Chance
from kk_core.games.noughts.model import BID, PLACE, SIDE, Observation, read
from kk_core.games.noughts.model import Place as Mark
from kk_core.games.noughts.scoring import open_lines
from kk_core.types import Move, Seat

# The worth from which on a space makes a line.
_DECIDES = float(SIDE ** (2 * (SIDE - 1)))


def choose(observation: Observation, chance: Chance) -> Move:
    """Choose a bid or a space, for the viewer of an observation."""
    seat = observation.viewer
    assert seat is not None, "only seats have moves to choose from"
    if observation.placer is None:
        return _bid(observation, seat, chance)
    best = max(_worth(observation, seat, move) for move in observation.legal_moves)
    good = [move for move in observation.legal_moves if _worth(observation, seat, move) == best]
    return good[chance.below(len(good))]


def _bid(observation: Observation, seat: Seat, chance: Chance) -> Move:
    free = [PLACE + space for space, mark in enumerate(observation.board) if not mark]
    own = observation.coins[seat]
    if max(_worth(observation, seat, move) for move in free) >= _DECIDES:
        return BID + own
    return BID + min(own, 1 + chance.below(own // 2 + 1))


def _worth(observation: Observation, seat: Seat, move: Move) -> float:
    # By what it makes for the seat, and by what it stops.
    meant = read(move)
    assert isinstance(meant, Mark), "only spaces are worth something"
    own, other = (open_lines(observation.board, each, meant.space) for each in (seat, 1 - seat))
    return max(own * 2, other)
