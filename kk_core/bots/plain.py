"""A strategy for any game: every move is as likely as any other, and matches are played on at random."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, Final

from kk_core.chance import Chance
from kk_core.game import AnyGame
from kk_core.types import Move, Observation, Seat, totals

_LONGEST: Final = 400
"""Moves after which a random match is judged as it stands."""

_SPREAD: Final = 5.0


class _Position:
    """A state that can be changed in place."""

    __slots__ = ("state",)

    def __init__(self, state: Any) -> None:
        self.state = state


class PlainStrategy:
    """What the rules alone tell."""

    let_play: Final = None

    def __init__(self, game: AnyGame, observation: Observation, learned: Sequence[float] = ()) -> None:  # noqa: ARG002
        self._game, self._observation = game, observation

    def world(self, chance: Chance) -> _Position:
        """A state that the viewer could believe in."""
        return _Position(self._game.determinise(self._observation, chance))

    def copy(self, position: _Position) -> _Position:
        """The same state to be changed by itself."""
        return _Position(position.state)

    def active(self, position: _Position) -> tuple[Seat, ...]:
        """Who may act."""
        return self._game.active_seats(position.state)

    def legal(self, position: _Position, seat: Seat) -> tuple[Move, ...]:
        """The moves of a seat."""
        return tuple(self._game.legal_moves(position.state, seat))

    def step(self, position: _Position, seat: Seat, move: Move) -> None:
        """Make a move."""
        position.state = self._game.apply(position.state, seat, move)

    def priors(self, position: _Position, seat: Seat, moves: Sequence[Move]) -> list[float]:  # noqa: ARG002
        """All equally likely."""
        return [1 / len(moves)] * len(moves)

    keen_priors = priors

    def playout(self, position: _Position, random: Random) -> None:
        """At random to the end."""
        for _ in range(_LONGEST):
            active = self.active(position)
            if not active:
                return
            self.step(position, active[0], random.choice(self.legal(position, active[0])))

    long_playout = playout

    def settle(self, position: Any, random: Random) -> None:
        """Everybody has had his turns: the match is over."""

    def expected(self, position: _Position) -> Sequence[float]:
        """The points as they stand; who has won by the rules of a tie is before all others."""
        points: list[float] = list(totals(self._game.score(position.state)))
        outcome = self._game.outcome(position.state)
        if outcome is not None:
            for seat in outcome.winners:
                points[seat] += 1
        return points

    def spread(self, position: _Position) -> float:
        """A little, when the match is over."""
        return _SPREAD if self.active(position) else 0.3
