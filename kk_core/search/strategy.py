"""The interface between the search and a game: a passable policy, and an evaluation of positions.

For a game without a strategy, `PlainStrategy` needs only the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from random import Random
from typing import Any, Final, Protocol, TypeAlias, TypeVar, runtime_checkable

from kk_core.chance import Chance
from kk_core.game import AnyGame
from kk_core.registry import part_of
from kk_core.types import CommonObservation, Move, Seat, SeenMove, Sheet, totals

P = TypeVar("P")


Outlook: TypeAlias = tuple[Sequence[float], float]
"""The expected final points of every seat, and their standard deviation."""


class SearchStrategy(Protocol[P]):
    """A game's play and evaluation from one observation; created for every decision.

    It is created with the game, the observation and, for a bot that watches, what it has learned: how likely
    each seat plays plainly, as the greedy bot does, followed by the beliefs of a `Believing` strategy.

    A position is anything that a move changes in place. All positions come from `world`, so the strategy
    knows nothing that is not in the observation.
    """

    def world(self, chance: Chance) -> P:
        """Return a position that the observation's viewer cannot tell from the true one."""
        ...

    def copy(self, position: P) -> P:
        """Return an independent copy of a position."""
        ...

    def active(self, position: P) -> tuple[Seat, ...]:
        """Return the seats that may act: several in a simultaneous choice, none when the match is over."""
        ...

    def legal(self, position: P, seat: Seat) -> tuple[Move, ...]:
        """Return the legal moves of an active seat, ascending."""
        ...

    def step(self, position: P, seat: Seat, move: Move) -> None:
        """Make a legal move in place."""
        ...

    def priors(self, position: P, seat: Seat, moves: Sequence[Move]) -> list[float]:
        """Return the probability that a passable player makes each of the moves; they add up to 1."""
        ...

    def keen_priors(self, position: P, seat: Seat, moves: Sequence[Move]) -> list[float]:
        """Return the same for a good player, who sees further."""
        ...

    @property
    def let_play(self) -> Callable[[P, Random], bool] | None:
        """A function that plays the rest of an opponent's turn as they are likely to, without searching it.

        It returns False, and does nothing, if the opponent's choices should be searched. None if they always
        should.
        """
        ...

    @property
    def foretell(self) -> Callable[[Random], Collection[Seat]] | None:
        """A function that draws who plays plainly in a simulation, each as often as it is trusted to.

        It is called at the beginning of every simulation. Where several choose at once, these seats' choices
        follow `priors`. None if the others are always searched.
        """
        ...

    def playout(self, position: P, random: Random) -> None:
        """Play on as far as that makes the evaluation better."""
        ...

    def long_playout(self, position: P, random: Random) -> Outlook | None:
        """Play on further, though each simulation then says less; return the outlook at an earlier point.

        The search mixes that outlook in: it varies less from one simulation to the next.
        """
        ...

    def settle(self, position: P, random: Random) -> None:
        """Play on until no seat is ahead only because it moved last, so that different turns compare."""
        ...

    def expected(self, position: P) -> Sequence[float]:
        """Return the expected final points of every seat; exact when the match is over."""
        ...

    def spread(self, position: P) -> float:
        """Return the standard deviation of the expected points; above 0."""
        ...

    def sheet(self, position: P) -> Sheet:
        """Return the score sheet as if the match ended there."""
        ...


@runtime_checkable
class Readable(SearchStrategy[P], Protocol[P]):
    """A strategy that can tell a plain player's moves, and expects them from seats it trusts to be plain."""

    def plain_moves(self, position: P) -> Sequence[Move]:
        """Return the moves that the active seat may make next if it plays plainly."""
        ...


@runtime_checkable
class Believing(SearchStrategy[P], Protocol[P]):
    """A strategy that learns how the others play, and what they are likely to hold."""

    def learn(
        self, seen: Sequence[SeenMove], trust: Sequence[float], beliefs: Sequence[float], chance: Chance
    ) -> tuple[dict[Seat, float], tuple[float, ...]]:
        """Learn from moves, given how likely each seat plays plainly and the beliefs so far.

        Returns the change in each seat's log odds of playing plainly, and the new beliefs.
        """
        ...


@runtime_checkable
class Reserving(Protocol):
    """A strategy for a game in which a move may reserve something for its player, who gets it later."""

    def with_reserved(self, state: Any, seat: Seat, move: Move) -> Any | None:
        """Return a state of the rules in which they already have it; None if the move reserves nothing."""
        ...


@runtime_checkable
class Styled(Protocol):
    """A strategy for a game in which bots of one level may play in different styles."""

    def preferences(self, style: str, position: Any, seat: Seat, moves: Sequence[Move]) -> list[float]:
        """Return the points that each move is worth to a seat beyond its gain, because its style likes it.

        The `style` is one of `kk_core.bot_names.STYLES`. What the seat must not know does not matter.
        """
        ...


# -- for any game --------------------------------------------------------------------------------------------

_LONGEST: Final = 400
"""The moves after which a random match is evaluated as it is."""

_SPREAD: Final = 5.0
"""The spread of an unfinished match, in points."""


class _Position:
    """A mutable reference to a state."""

    __slots__ = ("state",)

    def __init__(self, state: Any) -> None:
        self.state = state


class PlainStrategy:
    """The strategy for games without one: random play by the rules."""

    let_play: Final = None
    foretell: Final = None

    def __init__(self, game: AnyGame, observation: CommonObservation, learned: Sequence[float] = ()) -> None:  # noqa: ARG002
        self._game, self._observation = game, observation

    def world(self, chance: Chance) -> _Position:
        """Return a state that is possible for the viewer."""
        return _Position(self._game.determinise(self._observation, chance))

    def copy(self, position: _Position) -> _Position:
        """Return an independent copy."""
        return _Position(position.state)

    def active(self, position: _Position) -> tuple[Seat, ...]:
        """Return the seats that may act."""
        return self._game.active_seats(position.state)

    def legal(self, position: _Position, seat: Seat) -> tuple[Move, ...]:
        """Return the legal moves of a seat."""
        return tuple(self._game.legal_moves(position.state, seat))

    def step(self, position: _Position, seat: Seat, move: Move) -> None:
        """Make a move."""
        position.state = self._game.apply(position.state, seat, move)

    def priors(self, position: _Position, seat: Seat, moves: Sequence[Move]) -> list[float]:  # noqa: ARG002
        """Return equal probabilities."""
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
        """Do nothing: playouts go to the end of the match, where turns are even."""

    def expected(self, position: _Position) -> Sequence[float]:
        """Return the current points, with a point more for the winners, who may have won by tie-break."""
        points: list[float] = list(totals(self._game.score(position.state)))
        outcome = self._game.outcome(position.state)
        # the search looks at points only, and would take a tie broken by rule for a shared win
        if outcome is not None:
            for seat in outcome.winners:
                points[seat] += 1
        return points

    def spread(self, position: _Position) -> float:
        """Return a small value when the match is over."""
        # above 0, since the search divides by it; small, so that a lead of one point counts as a win
        return _SPREAD if self.active(position) else 0.3

    def sheet(self, position: _Position) -> Sheet:
        """Return the score sheet as if the match ended there."""
        return self._game.score(position.state)


def strategy_of(
    game: AnyGame, observation: CommonObservation, learned: Sequence[float] = ()
) -> SearchStrategy[Any]:
    """Return a game's strategy, or a `PlainStrategy` if it has none.

    `learned` is what a bot that watches has learned: how likely every seat plays plainly, followed by the
    strategy's beliefs.
    """
    module = part_of(game.meta.id, "ai.strategy")
    make = PlainStrategy if module is None else module.Strategy
    made: SearchStrategy[Any] = make(game, observation, learned)
    return made
