"""Advice for people: the moves that a search finds best, and what speaks for each."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, prod
from random import Random
from typing import Any, Final

from kk_core.bots.duel import KEENLY, compared
from kk_core.bots.levels import Watcher, strategy_of
from kk_core.bots.search import Budget, Choices, MoveFigures
from kk_core.bots.strategy import Reserving
from kk_core.bots.watching import NOTHING, Known
from kk_core.chance import Chance
from kk_core.game import AnyGame
from kk_core.types import Move, Observation, Seat, Sheet
from kk_core.wire.advice import Advice, Change

MOST: Final = 3
"""So many moves are told at most."""

_SEARCHING: Final = 0.5
"""The part of time and simulations in which moves are looked for; in the rest the best ones are compared."""

_WORLDS: Final = 16
_LEAST: Final = 0.5
"""Changes of fewer points are not worth a word."""


def advise(
    game: AnyGame, observation: Observation, chance: Chance, budget: Budget, known: Known = NOTHING
) -> tuple[Advice, ...]:
    """The best moves of the observation's viewer, the best first; nothing where he has no choice to make.

    They are those that expert's search finds best, by what the viewer sees and by what is `known` of how the
    others have played. What it turns away from it tries too seldom to say by how many points, so that these
    few are tried equally often afterwards.
    """
    assert observation.viewer is not None, "only seats have moves to choose from"
    if not observation.legal_moves:
        return ()
    half = ceil(_SEARCHING * budget.simulations)
    search = Budget(half, lambda: budget.share() / _SEARCHING)
    expert = Watcher(game)
    known.tell(expert, chance)
    findings = expert.think(observation, chance, search)
    best = _different(findings.moves)
    moves, compare = [found.move for found in best], budget._replace(simulations=half)
    learned = expert.learned(observation)
    again = compared(game, observation, moves, chance, compare, KEENLY, learned, findings.others)
    ranked = [_by_both(found, again[found.move], findings.others) for found in best]
    ranked.sort(key=lambda figures: -figures.margin)
    adviser = Adviser(game, observation, chance, findings.others)
    return tuple(adviser.advice(figures, findings.simulations) for figures in _different(ranked))


def _different(moves: Sequence[MoveFigures]) -> list[MoveFigures]:
    """The best few, without those that follow a better one, and it them: that is the same turn."""
    found: list[MoveFigures] = []
    for figures in moves:
        if len(found) < MOST and not any(_same_turn(better, figures) for better in found):
            found.append(figures)
    return found


def _same_turn(better: MoveFigures, other: MoveFigures) -> bool:
    return better.then == other.move and other.then in (better.move, None)


def _by_both(found: MoveFigures, again: MoveFigures, others: Choices) -> MoveFigures:
    """With the mean margin of both searches; where others choose at the same moment, with that of the second
    one: they still changed their minds while the first one went on.
    """
    visits = found.visits + again.visits
    mean = (found.visits * found.margin + again.visits * again.margin) / visits
    return found._replace(margin=again.margin if others else mean, then=again.then)


class Adviser:
    """Tries moves out in worlds that the viewer could believe in; `others` is what is known of those who
    choose at the same moment.
    """

    def __init__(self, game: AnyGame, observation: Observation, chance: Chance, others: Choices) -> None:
        assert observation.viewer is not None, "only seats have moves to choose from"
        self._game, self._seat, self._others = game, observation.viewer, others
        self._strategy = strategy_of(game, observation)
        self._worlds = [game.determinise(observation, chance) for _ in range(_WORLDS)]
        self._random = Random(chance.word())

    def advice(self, figures: MoveFigures, simulations: int) -> Advice:
        """What is told of a move to which so much of so many simulations went."""
        move = figures.move
        then = self.next_after(move, figures.then)
        share, contested = figures.visits / simulations, self.contested(move)
        return Advice(
            move, share, figures.margin, contested, self.changes(move, then), then, self.promised(move)
        )

    def contested(self, move: Move) -> float:
        """How likely one of those who choose at the same moment chooses the same."""
        return 1 - prod(1 - likely.get(move, 0.0) for likely in self._others.values())

    def next_after(self, move: Move, then: Move | None) -> Move | None:
        """What follows a move, where it may follow at once and the turn goes on; None otherwise."""
        if then is None:
            return None
        worlds = [(world, self._game.apply(world, self._seat, move)) for world in self._worlds]
        possible = sum(self._may_follow(world, after, then) for world, after in worlds)
        return then if 2 * possible > len(worlds) else None

    def _may_follow(self, before: Any, after: Any, then: Move) -> bool:
        """Whether a turn goes on after a move, with another one of the same seat."""
        game, seat = self._game, self._seat
        goes_on = game.turn(after) == game.turn(before) and game.active_seats(after) == (seat,)
        return goes_on and then in game.legal_moves(after, seat)

    def changes(self, move: Move, then: Move | None = None) -> tuple[Change, ...]:
        """What a move changes in the sheet, or it and the next one, the most first."""
        return self._worthy([self._tried(world, move, then) for world in self._worlds])

    def promised(self, move: Move) -> tuple[Change, ...]:
        """What will change in the sheet by what a move keeps for one, likewise; nothing if it keeps none."""
        strategy, standing, seat = self._strategy, self._game.standing, self._seat
        if not isinstance(strategy, Reserving):
            return ()
        worlds = [(world, strategy.with_reserved(world, seat, move)) for world in self._worlds]
        return self._worthy(
            [(standing(now, seat), standing(then, seat)) for now, then in worlds if then is not None]
        )

    def _worthy(self, pairs: Sequence[tuple[Sheet, Sheet]]) -> tuple[Change, ...]:
        """The lines that change, of some sheets before and after, the most first."""
        if not pairs:
            return ()
        lines = range(len(pairs[0][0]))
        found = [self._change(line, [(then[line], now[line]) for then, now in pairs]) for line in lines]
        worthy = [change for change in found if max(abs(change.own), -change.loss) >= _LEAST]
        return tuple(sorted(worthy, key=lambda change: change.loss - change.own))

    def _tried(self, world: Any, move: Move, then: Move | None) -> tuple[Sheet, Sheet]:
        """The sheet before a move and after it, when those who choose at the same moment have chosen, and
        after the next move, where that may follow.

        They choose something else: what the move brings if nobody stands in its way. How likely that is
        `contested` tells.
        """
        game, turn = self._game, self._game.turn(world)
        after = game.apply(world, self._seat, move)
        while len(game.active_seats(world)) > 1 and game.turn(after) == turn:
            seat = game.active_seats(after)[0]
            likely = self._others[seat]
            likely = {choice: weight for choice, weight in likely.items() if choice != move} or likely
            (choice,) = self._random.choices(list(likely), list(likely.values()))
            after = game.apply(after, seat, choice)
        if then is not None and self._may_follow(world, after, then):
            after = game.apply(after, self._seat, then)
        return game.standing(world, self._seat), game.standing(after, self._seat)

    def _change(self, line: int, pairs: Sequence[tuple[Sequence[int], Sequence[int]]]) -> Change:
        """A line of the sheet in all worlds; what others choose at the same moment does not count."""
        seats = range(len(pairs[0][0]))
        more = [sum(now[seat] - then[seat] for then, now in pairs) / len(pairs) for seat in seats]
        rivals = [seat for seat in seats if seat != self._seat and more[seat] < 0 and not self._others]
        rival = min(rivals, key=more.__getitem__, default=None)
        gained = sum(_leads(now, self._seat) and not _leads(then, self._seat) for then, now in pairs)
        loss = 0.0 if rival is None else more[rival]
        return Change(line, more[self._seat], rival, loss, 2 * gained > len(pairs))


def _leads(points: Sequence[int], seat: Seat) -> bool:
    return points[seat] > max(points[other] for other in range(len(points)) if other != seat)
