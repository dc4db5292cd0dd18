"""Matches for all environments: dealing, moving, and rewards."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from enum import StrEnum
from hashlib import sha256
from typing import Any

from kk_core.checks import complete_options
from kk_core.registry import game
from kk_core.types import CommonObservation, Move, Seat, totals
from kk_learn.vectors import layout, vector


class Reward(StrEnum):
    """The kind of rewards for a match; those of all seats add up to 0."""

    WIN = "win"
    """A seat's share of the win, less an equal share: 1 - 1/seats for a sole winner."""
    MARGIN = "margin"
    """A seat's points, less the mean of all seats'."""


class Episodes:
    """A series of matches of a game, with a number of seats and options."""

    def __init__(
        self, game_id: str, seats: int | None = None, options: Mapping[str, str] | None = None
    ) -> None:
        """Deal the first match; `seats` is by default the fewest possible. Raises `InvalidOptions`."""
        self.game = game(game_id)
        self.seats = seats or self.game.meta.min_seats
        self.options = complete_options(self.game.meta, self.seats, options or {})
        self.moves = self.game.meta.moves
        self.layout = layout(self.game, self.seats, self.options)
        self.size = max(place.stop for place in self.layout.values())
        self.state: Any = self.dealt(0)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle only the arguments; the other process deals a new match."""
        return Episodes, (self.game.meta.id, self.seats, self.options)

    def dealt(self, number: int) -> Any:
        """Return the state before the first move of deal `number`."""
        seed = sha256(b"%d" % number).digest()
        return self.game.setup(self.options, self.seats, seed)

    def seen(self, seat: Seat) -> CommonObservation:
        """Return a seat's current observation."""
        observation: CommonObservation = self.game.observe(self.state, seat)
        return observation

    def vector(self, seen: CommonObservation) -> array[int]:
        """Return an observation as numbers."""
        return vector(self.game.meta.id, seen)

    def active(self) -> tuple[Seat, ...]:
        """Return the seats that may act."""
        return self.game.active_seats(self.state)

    def step(self, seat: Seat, move: Move) -> None:
        """Make a move. Raises `IllegalMove`; then nothing has changed."""
        self.state = self.game.apply(self.state, seat, move)

    def rewards(self, state: Any, reward: Reward) -> list[float]:
        """Return the reward of every seat; zeros until the match is over."""
        outcome = self.game.outcome(state)
        if outcome is None:
            return [0.0] * self.seats
        if reward is Reward.MARGIN:
            points = totals(self.game.score(state))
            mean = sum(points) / self.seats
            return [own - mean for own in points]
        winners = outcome.winners or tuple(range(self.seats))
        return [(seat in winners) / len(winners) - 1 / self.seats for seat in range(self.seats)]
