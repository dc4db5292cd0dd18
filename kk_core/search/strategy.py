"""The interface between the search and a game: how it is played passably, and what a position is worth.

A game without a strategy of its own is played by its rules alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Final, Protocol, TypeAlias, TypeVar, runtime_checkable

from kk_core.chance import Chance
from kk_core.game import AnyGame
from kk_core.registry import part_of
from kk_core.types import CommonObservation, Move, Seat, SeenMove, totals

P = TypeVar("P")


Outlook: TypeAlias = tuple[Sequence[float], float]
"""The final points of every seat as far as they can be foreseen, and by how many that may be wrong."""


class SearchStrategy(Protocol[P]):
    """A way to play a game on from one observation; made anew for every decision.

    It is made of the game, the observation and, for a bot that watches, what it has learned: how likely each
    seat plays plainly, as the greedy bot does, and then what a `Believing` one believes.

    A position is anything that a move changes in place. All of them come from `world`, so nothing is known
    here that the observation does not tell.
    """

    def world(self, chance: Chance) -> P:
        """Return a position that the observation's viewer cannot tell from the true one."""
        ...

    def copy(self, position: P) -> P:
        """Return the same position once more, to be changed by itself."""
        ...

    def active(self, position: P) -> tuple[Seat, ...]:
        """Return who may act; several when the choice is simultaneous, nobody when the match is over."""
        ...

    def legal(self, position: P, seat: Seat) -> tuple[Move, ...]:
        """Return the moves of a seat that may act, ascending."""
        ...

    def step(self, position: P, seat: Seat, move: Move) -> None:
        """Make a legal move."""
        ...

    def priors(self, position: P, seat: Seat, moves: Sequence[Move]) -> list[float]:
        """Return how likely a passable player makes each of the moves; adds up to 1."""
        ...

    def keen_priors(self, position: P, seat: Seat, moves: Sequence[Move]) -> list[float]:
        """Return the same for a good player, who sees further."""
        ...

    @property
    def let_play(self) -> Callable[[P, Random], bool] | None:
        """The function that makes the rest of another's turn as they are likely to; it returns False, and
        does nothing, where what they choose is to be searched. None where all of it always is.
        """
        ...

    def playout(self, position: P, random: Random) -> None:
        """Play on as far as it makes the evaluation better."""
        ...

    def long_playout(self, position: P, random: Random) -> Outlook | None:
        """Play on to see further, though each simulation says less; return what was expected on the way.

        That counts as well then: it varies less from one simulation to the next.
        """
        ...

    def settle(self, position: P, random: Random) -> None:
        """Play on to where no seat is ahead only because it moved last, so that results of different turns
        compare.
        """
        ...

    def expected(self, position: P) -> Sequence[float]:
        """Return the final points of every seat as far as they can be foreseen; exact when it is over."""
        ...

    def spread(self, position: P) -> float:
        """Return by how many points that may be wrong, as a standard deviation; above 0."""
        ...


@runtime_checkable
class Readable(SearchStrategy[P], Protocol[P]):
    """A strategy that knows the moves of a plain player, and expects them of seats it trusts to be one."""

    def plain_moves(self, position: P) -> Sequence[Move]:
        """Return what the seat whose turn it is may do next if it plays plainly."""
        ...


@runtime_checkable
class Believing(SearchStrategy[P], Protocol[P]):
    """One that finds out by itself how the others play, and what they are likely to hold."""

    def learn(
        self, seen: Sequence[SeenMove], trust: Sequence[float], beliefs: Sequence[float], chance: Chance
    ) -> tuple[dict[Seat, float], tuple[float, ...]]:
        """Learn from moves, given how likely each seat plays plainly and what was believed before.

        Returns by how much likelier each seat plays plainly, as a logarithm of odds, and what is believed
        now.
        """
        ...


@runtime_checkable
class Reserving(Protocol):
    """A strategy for a game in which a move may keep something for its player, who gets it later."""

    def with_reserved(self, state: Any, seat: Seat, move: Move) -> Any | None:
        """Return a state of the rules in which they have it already; None where a move keeps nothing."""
        ...


# -- for any game --------------------------------------------------------------------------------------------

_LONGEST: Final = 400
"""Moves after which a random match is judged as it stands."""

_SPREAD: Final = 5.0
"""The spread of a match that goes on; in the end it is next to none."""


class _Position:
    """A state that can be changed in place."""

    __slots__ = ("state",)

    def __init__(self, state: Any) -> None:
        self.state = state


class PlainStrategy:
    """The strategy for a game that has none: the rules alone."""

    let_play: Final = None

    def __init__(self, game: AnyGame, observation: CommonObservation, learned: Sequence[float] = ()) -> None:  # noqa: ARG002
        self._game, self._observation = game, observation

    def world(self, chance: Chance) -> _Position:
        """Return a state that the viewer could believe in."""
        return _Position(self._game.determinise(self._observation, chance))

    def copy(self, position: _Position) -> _Position:
        """Return the same state to be changed by itself."""
        return _Position(position.state)

    def active(self, position: _Position) -> tuple[Seat, ...]:
        """Return who may act."""
        return self._game.active_seats(position.state)

    def legal(self, position: _Position, seat: Seat) -> tuple[Move, ...]:
        """Return the moves of a seat."""
        return tuple(self._game.legal_moves(position.state, seat))

    def step(self, position: _Position, seat: Seat, move: Move) -> None:
        """Make a move."""
        position.state = self._game.apply(position.state, seat, move)

    def priors(self, position: _Position, seat: Seat, moves: Sequence[Move]) -> list[float]:  # noqa: ARG002
        """Return the same for all."""
        return [1 / len(moves)] * len(moves)

    keen_priors = priors

    def playout(self, position: _Position, random: Random) -> None:
        """Play at random to the end."""
        for _ in range(_LONGEST):
            active = self.active(position)
            if not active:
                return
            self.step(position, active[0], random.choice(self.legal(position, active[0])))

    long_playout = playout

    def settle(self, position: Any, random: Random) -> None:
        """Do nothing: everybody has had their turns when the match is over."""

    def expected(self, position: _Position) -> Sequence[float]:
        """Return the points as they stand; the winners by the rules of a tie are ahead of all others."""
        points: list[float] = list(totals(self._game.score(position.state)))
        outcome = self._game.outcome(position.state)
        # a point more than all with as many: the search knows points alone, and ties are broken by rule
        if outcome is not None:
            for seat in outcome.winners:
                points[seat] += 1
        return points

    def spread(self, position: _Position) -> float:
        """Return little when the match is over."""
        # above 0, since the search divides by it; little, so that a lead of a point is as good as a win
        return _SPREAD if self.active(position) else 0.3


def strategy_of(
    game: AnyGame, observation: CommonObservation, learned: Sequence[float] = ()
) -> SearchStrategy[Any]:
    """Return the strategy in a game's folder, or a plain one that plays by chance.

    `learned` is what a bot that watches has found out: how likely every seat plays plainly, and then what
    that strategy believes.
    """
    module = part_of(game.meta.id, "ai.strategy")
    make = PlainStrategy if module is None else module.Strategy
    made: SearchStrategy[Any] = make(game, observation, learned)
    return made
