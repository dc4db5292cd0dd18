"""What a game tells tests about its simulations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from kk_core.types import Move, Seat

Noise = Callable[[], float]


class Simulated(NamedTuple):
    """A game's simulations: the ways in which one goes on for a turn, the state that a position stands for,
    whether a move may be part of what led from one state to another (anything else is not tried), and what a
    position keeps.
    """

    ways: tuple[Callable[[Any, Any, Noise], None], ...]
    state: Callable[[Any, Any], Any]
    fits: Callable[[Any, Seat, Move, Any], bool]
    kept: tuple[str, ...] = ()
