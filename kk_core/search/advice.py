"""Hints: the moves that a search finds best, compared in the same worlds, and the reasons for each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property, partial
from hashlib import sha256
from math import ceil, prod, sqrt
from random import Random
from statistics import fmean
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

import msgspec
from msgspec.structs import replace

from kk_core.chance import Chance
from kk_core.game import AnyGame, Contested
from kk_core.search.bots import AdaptiveSearcher
from kk_core.search.chances import win_curve
from kk_core.search.opponents import NOTHING, BotKnowledge
from kk_core.search.search import (
    NOBODY,
    Budget,
    Choices,
    Findings,
    MoveFigures,
    QuickChance,
    Search,
    SearchSettings,
)
from kk_core.search.strategy import Outlook, Reserving, SearchStrategy, strategy_of
from kk_core.types import CommonObservation, Move, Seat, Sheet, totals
from kk_core.views import CLOSE, Advice, Change, Rival, encode_observation

# a prime, since moves take turns: so each of them is tried in every world
_COMPARED_WORLDS: Final = 61
_SETTINGS: Final = SearchSettings(worlds=_COMPARED_WORLDS)
KEENLY: Final = SearchSettings(worlds=_COMPARED_WORLDS, is_keen=True)
"""Settings to play on as expert does."""


# -- a few moves compared ------------------------------------------------------------------------------------


def compared(
    game: AnyGame,
    observation: CommonObservation,
    moves: Sequence[Move],
    chance: Chance,
    budget: Budget,
    settings: SearchSettings = _SETTINGS,
    learned: Sequence[float] = (),
    others: Choices = NOBODY,
) -> dict[Move, MoveFigures]:
    """Compare a few moves of the observation's viewer; returns the figures by move.

    All are tried equally often in one tree, in the same worlds, at least once each. `learned` is what is
    known about the others, as for `strategy_of`. `others` are their simultaneous choices, as an earlier
    search found them: in this tree they would adapt to the viewer's having only these few moves.
    """
    search = Comparison(game, observation, moves, chance, settings, learned, others, keeps_ends=False).run(
        budget
    )
    return {figures.move: figures for figures in search.moves}


class Comparison:
    """A comparison of a few moves, as `compared` makes it, for callers that look at more than the figures."""

    def __init__(
        self,
        game: AnyGame,
        observation: CommonObservation,
        moves: Sequence[Move],
        chance: Chance,
        settings: SearchSettings = _SETTINGS,
        learned: Sequence[float] = (),
        others: Choices = NOBODY,
        *,
        keeps_ends: bool = True,
    ) -> None:
        """Begin with one simulation of each move; with `keeps_ends`, `ends` are kept for `missed`."""
        assert observation.viewer is not None, "only seats make moves"
        self._seat, self._seats = observation.viewer, len(observation.points)
        strategy = strategy_of(game, observation, learned)
        worlds = settings.worlds if keeps_ends else 0
        self._few = _Few(strategy, self._seat, moves, others, Random(chance.word()), worlds)
        self._search = Search(self._few, self._seats, self._seat, chance, settings)
        self._anew = partial(Comparison, game, observation, moves, chance, settings, learned, others)
        self._share: Callable[[], float] = lambda: 0.0
        # at least one simulation of each, whatever the budget
        for _ in moves:
            self._search.simulate()

    def run(self, budget: Budget) -> Findings:
        """Simulate until the budget is spent, at least once; returns the figures so far."""
        self._share = budget.share
        return self._search.run(budget)

    @cached_property
    def _another(self) -> Comparison:
        # A tree comes to rest on some lines of play, which another tree of the same position may not find.
        another = self._anew()
        another.run(Budget(_CONFIRMING * len(self._few.ends), self._share))
        return another

    @property
    def ends(self) -> Mapping[Move, Sequence[Sheet]]:
        """The score sheets at the end of each move's simulations."""
        return {move: [sheet for _, sheet in ends] for move, ends in self._few.ends.items()}

    @property
    def expected(self) -> Mapping[Move, Sequence[Sequence[float]]]:
        """The points that every seat is expected to have at the end of each move's simulations."""
        return {move: [points for _, points in ends] for move, ends in self._few.expectations.items()}

    def beside(self, better: Advice, other: Advice) -> Advice:
        """Return the advice for one move, with what the simulations say of it beside a better one."""
        figures = {found.move: found for found in self._search.findings().moves}
        return replace(
            other,
            missed=self.missed(better.move, other.move),
            ended=self.ended(better.move, other.move),
            error=error_of(figures[better.move], figures[other.move]),
        )

    def missed(self, better: Move, other: Move) -> tuple[Change, ...]:
        """Return what the simulations of one move brought and those of another did not, greatest first.

        Only differences in the score sheet that are certain enough not to come from chance, and that another
        tree confirms.
        """

        def more(few: _Few) -> list[tuple[float, ...]]:
            return _more(*(_by_world(few.ends[move], _flat) for move in (better, other)))

        certain = self._confirmed(more, _APART, _CERTAIN)
        seats = self._seats
        found = [
            self._difference(line, certain[line * seats : (line + 1) * seats])
            for line in range(len(certain) // seats)
        ]
        return tuple(sorted(filter(None, found), key=lambda change: change.loss - change.own))

    def ended(self, better: Move, other: Move) -> tuple[float, ...]:
        """Return by how many points each seat is expected to end higher after one move than after another.

        0 where that is not certain enough, or not confirmed by another tree.
        """

        def more(few: _Few) -> list[tuple[float, ...]]:
            return _more(*(_by_world(few.expectations[move], tuple) for move in (better, other)))

        return tuple(self._confirmed(more, _APART_IN_ALL, _CERTAIN_IN_ALL))

    def _confirmed(
        self, more: Callable[[_Few], Sequence[Sequence[float]]], least: float, errors: float
    ) -> list[float]:
        """Return the means that are certain and, in another tree, at least half as large; 0 for others."""
        found = [_certain_mean(points, least, errors) for points in more(self._few)]
        if not any(found):
            return found
        again = [fmean(points) for points in more(self._another._few)]
        if not again:
            return [0.0] * len(found)
        return [
            mean if 2 * other * mean >= mean * mean else 0.0 for mean, other in zip(found, again, strict=True)
        ]

    def _difference(self, line: int, more: Sequence[float]) -> Change | None:
        rivals = [seat for seat, points in enumerate(more) if seat != self._seat and points < 0]
        rival = min(rivals, key=more.__getitem__, default=None)
        own, loss = more[self._seat], 0.0 if rival is None else more[rival]
        return Change(line, own, rival, loss, leads=False) if own or loss else None


_Means: TypeAlias = Mapping[int, Sequence[float]]
"""Mean points by the number of the world."""


def error_of(one: MoveFigures, other: MoveFigures) -> float:
    """Return the standard error of the difference between the margins of two moves."""
    return sqrt(one.variance / one.visits + other.variance / other.visits)


def _certain_mean(points: Sequence[float], least: float, errors: float) -> float:
    """Return the mean; 0 if it is smaller than the `least` to be told, or so many `errors` may explain it."""
    count, mean = len(points), fmean(points)
    if count < _FEWEST or abs(mean) < least:
        return 0.0
    squares = sum([(each - mean) ** 2 for each in points])
    return mean if mean * mean > errors**2 * squares / count / (count - 1) else 0.0


E = TypeVar("E")


def _by_world(ends: Iterable[tuple[int, E]], points_of: Callable[[E], Sequence[float]]) -> _Means:
    """Return the mean points of ends in each world."""
    found: dict[int, list[Sequence[float]]] = {}
    for world, end in ends:
        found.setdefault(world, []).append(points_of(end))
    return {
        world: [sum(points) / len(each) for points in zip(*each, strict=True)]
        for world, each in found.items()
    }


def _flat(sheet: Sheet) -> list[int]:
    return [points for line in sheet for points in line]


def _more(one: _Means, another: _Means) -> list[tuple[float, ...]]:
    """Return for each of the points by how much they differ in each world."""
    # in the same worlds, so that it does not count which ones they are
    worlds = sorted(one.keys() & another.keys())
    more = [[a - b for a, b in zip(one[world], another[world], strict=True)] for world in worlds]
    return list(zip(*more, strict=True))


class _Few:
    # A game's strategy in which the viewer at first has only a few moves, which they make in turns, and
    # others in the same simultaneous choice draw theirs from given probabilities. So all moves are searched
    # equally far, while the others' choices cannot depend on which of them it is. `ends` has the sheets, and
    # `expectations` the points expected, at the end of each move's simulations, with the number of the world:
    # `Search` takes them in turn.

    def __init__(
        self,
        strategy: SearchStrategy[Any],
        viewer: Seat,
        moves: Sequence[Move],
        others: Choices,
        random: Random,
        worlds: int,
    ) -> None:
        self._strategy, self._viewer, self._moves = strategy, viewer, moves
        self._others = {seat: (list(likely), list(likely.values())) for seat, likely in others.items()}
        self._random = random
        self._turn = 0
        self._is_first = False
        self._worlds, self._count = worlds, -1
        self.ends: dict[Move, list[tuple[int, Sheet]]] = {move: [] for move in moves}
        self.expectations: dict[Move, list[tuple[int, Sequence[float]]]] = {move: [] for move in moves}

    def world(self, chance: Chance) -> Any:
        return self._strategy.world(chance)

    def copy(self, position: Any) -> Any:
        """Return a copy; every copy begins a simulation, with the next of the moves."""
        self._turn, self._is_first = (self._turn + 1) % len(self._moves), True
        self._count += 1
        return self._strategy.copy(position)

    def active(self, position: Any) -> tuple[Seat, ...]:
        return self._strategy.active(position)

    def legal(self, position: Any, seat: Seat) -> tuple[Move, ...]:
        if self._is_first and seat == self._viewer:
            return (self._moves[self._turn],)
        if self._is_first and seat in self._others:
            return (self._random.choices(*self._others[seat])[0],)
        return self._strategy.legal(position, seat)

    def step(self, position: Any, seat: Seat, move: Move) -> None:
        self._is_first = self._is_first and seat != self._viewer
        self._strategy.step(position, seat, move)

    def priors(self, position: Any, seat: Seat, moves: Sequence[Move]) -> list[float]:
        return [1.0] if len(moves) == 1 else self._strategy.priors(position, seat, moves)

    def keen_priors(self, position: Any, seat: Seat, moves: Sequence[Move]) -> list[float]:
        return [1.0] if len(moves) == 1 else self._strategy.keen_priors(position, seat, moves)

    @property
    def let_play(self) -> Callable[[Any, Random], bool] | None:
        return self._strategy.let_play

    @property
    def foretell(self) -> Callable[[Random], Collection[Seat]] | None:
        return self._strategy.foretell

    def playout(self, position: Any, random: Random) -> None:
        self._strategy.playout(position, random)

    def long_playout(self, position: Any, random: Random) -> Outlook | None:
        return self._strategy.long_playout(position, random)

    def settle(self, position: Any, random: Random) -> None:
        self._strategy.settle(position, random)

    def expected(self, position: Any) -> Sequence[float]:
        """Return the expected points, which are asked for once a simulation, at its end."""
        points = self._strategy.expected(position)
        if self._worlds:
            move, world = self._moves[self._turn], self._count % self._worlds
            self.expectations[move].append((world, points))
            # every second time of each move: a sheet costs something, and says little where others are alike
            if not self._count // len(self._moves) % 2:
                self.ends[move].append((world, self._strategy.sheet(position)))
        return points

    def spread(self, position: Any) -> float:
        return self._strategy.spread(position)

    def sheet(self, position: Any) -> Sheet:
        return self._strategy.sheet(position)


# -- hints ---------------------------------------------------------------------------------------------------


MOST: Final = 3
"""The most moves that a hint shows."""

SIMULATIONS: Final = 1000
"""The simulations of a hint, which take a second or two. They are counted, not timed, so that a hint is the
same whenever it is asked for, and the coach can go by it.
"""

# The part of time and simulations in which moves are looked for; in the rest the best ones are compared.
_SEARCHING: Final = 0.4
# The part in which all moves are compared in a simultaneous choice: a search comes to rest on one move then,
# and says next to nothing about the others.
_SIFTING: Final = 0.4

_WORLDS: Final = 16
# the smallest change in points that is worth showing
_LEAST: Final = 0.5
# Standard errors by which the ends of simulations differ that are told apart: there are many lines and seats,
# and chance must not be told as a reason.
_CERTAIN: Final = 4.5
# the points by which they must differ: the trees that have grown from two moves differ a little by themselves
_APART: Final = 1.0
# the same for the points of a seat in all, of which there are fewer
_CERTAIN_IN_ALL: Final = 4.0
_APART_IN_ALL: Final = 1.0
# the simulations of each move in another tree, which must confirm what differs
_CONFIRMING: Final = 80
# the fewest worlds that say anything of chance
_FEWEST: Final = 10


class Study(NamedTuple):
    """The findings about a position that hints and coach speak from: the best moves, the best first, what
    `others` choose at the same moment, and what was `learned` of how they play, as for `strategy_of`.
    """

    moves: tuple[Advice, ...] = ()
    others: Choices = NOBODY
    learned: tuple[float, ...] = ()


def study_seed(game: AnyGame, observation: CommonObservation, known: BotKnowledge) -> bytes:
    """Return the seed of the study of a choice, which follows from what its viewer sees and has seen.

    So whoever asks is told the same: hint, coach, and the analysis after the match. What the viewer must not
    know has no part in it; how observations, moves and events are encoded has, so that another encoding makes
    other studies of the same choice.
    """
    # earlier observations follow from the moves, so the moves identify what is known; of secret ones, what
    # was revealed does
    parts = slice(1, 4 if any(seen.move is None for seen in known.moves) else 3)
    moves = [seen[parts] for seen in known.moves]
    asked = game.meta.id, game.rules_version, encode_observation(observation), moves
    return sha256(msgspec.msgpack.encode(asked)).digest()


def advise(
    game: AnyGame,
    observation: CommonObservation,
    chance: Chance,
    budget: Budget,
    known: BotKnowledge = NOTHING,
) -> tuple[Advice, ...]:
    """Return the best moves of the observation's viewer, best first, as `study` finds them."""
    return study(game, observation, chance, budget, known).moves


def study(
    game: AnyGame,
    observation: CommonObservation,
    chance: Chance,
    budget: Budget,
    known: BotKnowledge = NOTHING,
) -> Study:
    """Study the choice of the observation's viewer; nothing is found if they have no moves.

    Expert's search finds the best moves, from what the viewer sees and what is `known` about how the others
    have played. It tries inferior moves too rarely to say by how many points they are worse, so the best few
    are then compared with equally many trials.
    """
    assert observation.viewer is not None, "only seats have moves to choose from"
    if not observation.legal_moves:
        return Study()
    looking = ceil(_SEARCHING * budget.simulations)
    # the search's own time is over when that part of the whole is
    search = Budget(looking, lambda: budget.share() / _SEARCHING)
    expert = AdaptiveSearcher(game)
    known.tell(expert, chance)
    findings = expert.think(observation, chance, search)
    others, learned = findings.others, expert.learned(observation)
    adviser = Adviser(game, observation, chance, others)

    def beside(moves: Iterable[MoveFigures]) -> Comparison:
        few = [found.move for found in moves]
        return Comparison(game, observation, few, chance, KEENLY, learned, others)

    if others:
        # the search's margins do not count, since the others' choices were still changing; so comparing takes
        # as many simulations as the whole
        sift = ceil(_SIFTING * budget.simulations)
        in_time = Budget(sift, lambda: budget.share() / (_SEARCHING + _SIFTING * (1 - _SEARCHING)))
        all_of_them = compared(
            game, observation, observation.legal_moves, chance, in_time, KEENLY, learned, others
        )
        sifted = _best_first(all_of_them.values())
        best = _with_most_at_once(sifted, adviser)
        comparison = beside(best)
        found_again = comparison.run(Budget(budget.simulations - sift, budget.share)).moves
        figures = {found.move: found for found in found_again}
        ranked = _best_first(_by_both(found, figures[found.move]) for found in best)
        tried = sum(found.visits for found in (*sifted, *found_again))
        moves = _surest_first([adviser.advice(found, found.visits / tried) for found in ranked])
    else:
        best = adviser.different(findings.moves)
        comparison = beside(best)
        found_again = comparison.run(Budget(budget.simulations - looking, budget.share)).moves
        figures = {found.move: found for found in found_again}
        # only the second search says by how much: in the first, rare tries are thought through less
        ranked = _best_first(
            found._replace(margin=figures[found.move].margin, then=figures[found.move].then) for found in best
        )
        moves = tuple(
            adviser.advice(found, found.visits / findings.simulations) for found in adviser.different(ranked)
        )
    first, *others_told = moves
    moves = (first, *(comparison.beside(first, each) for each in others_told))
    return Study(moves, {seat: dict(likely) for seat, likely in others.items()}, tuple(learned))


def _best_first(moves: Iterable[MoveFigures]) -> list[MoveFigures]:
    return sorted(moves, key=lambda figures: -figures.margin)


def _surest_first(moves: Sequence[Advice]) -> tuple[Advice, ...]:
    # of moves that a search cannot tell apart, the one that is likely to bring most at once comes first
    as_good = [advice for advice in moves if moves[0].margin - advice.margin < CLOSE]
    first = max(as_good, key=_at_once)
    return (first, *(advice for advice in moves if advice is not first))


def _with_most_at_once(moves: Sequence[MoveFigures], adviser: Adviser) -> list[MoveFigures]:
    # The first moves; the last of them gives way to the one that brings most at once, if that is none of
    # them: whoever asks for a hint has seen it, and wants to know what speaks against it.
    most = max(moves, key=lambda found: sum(change.own for change in adviser.changes(found.move)))
    first = list(moves[:MOST])
    return first if most in first else [*first[:-1], most]


def _at_once(advice: Advice) -> float:
    return (1 - advice.contested) * sum(change.own for change in advice.changes)


def _by_both(found: MoveFigures, again: MoveFigures) -> MoveFigures:
    visits = found.visits + again.visits
    mean = (found.visits * found.margin + again.visits * again.margin) / visits
    return found._replace(visits=visits, margin=mean, then=again.then)


class Adviser:
    """Explains moves by comparing score sheets in worlds that are possible for the viewer.

    `others` are the probabilities of others' simultaneous choices.
    """

    def __init__(
        self, game: AnyGame, observation: CommonObservation, chance: Chance, others: Choices
    ) -> None:
        assert observation.viewer is not None, "only seats have moves to choose from"
        self._game, self._seat, self._others = game, observation.viewer, others
        self._strategy = strategy_of(game, observation)
        # how far the match has come is the same in all worlds
        self._spread = self._strategy.spread(self._strategy.world(QuickChance(0)))
        self._curve = win_curve(game.meta.id)
        self._worlds = [game.determinise(observation, chance) for _ in range(_WORLDS)]
        self._random = Random(chance.word())

    def different(self, moves: Sequence[MoveFigures]) -> list[MoveFigures]:
        """Return the first moves, as many as a hint shows, none of which makes the same turn as another."""
        found: list[MoveFigures] = []
        for figures in moves:
            if len(found) < MOST and not any(self._same_turn(better, figures) for better in found):
                found.append(figures)
        return found

    def _same_turn(self, better: MoveFigures, other: MoveFigures) -> bool:
        # A move and one that mostly follows it, either way round; or two that lead to the same with theirs.
        if better.then == other.move and other.then in (better.move, None):
            return True
        after = self._after(better)
        return after is not None and after == self._after(other)

    def _after(self, figures: MoveFigures) -> Any:
        # What the viewer sees after a move and what mostly follows it; None where nothing follows at once.
        world, game, seat = self._worlds[0], self._game, self._seat
        if figures.then is None:
            return None
        between = game.apply(world, seat, figures.move)
        if not self._may_follow(world, between, figures.then):
            return None
        return game.observe(game.apply(between, seat, figures.then), seat)

    def advice(self, figures: MoveFigures, share: float) -> Advice:
        """Return the advice for a move; `share` is the part of the search that went to it."""
        move = figures.move
        then = self.next_after(move, figures.then)
        contested = self.contested(move)
        return Advice(
            move, share, figures.margin, contested, self.changes(move, then), then, self.promised(move),
            self.rivals(move), chance=self._curve.chance(figures.margin, self._spread),
        )  # fmt: skip

    def contested(self, move: Move) -> float:
        """Return how likely another seat makes the same simultaneous choice."""
        return 1 - prod(1 - likely.get(move, 0.0) for likely in self._others.values())

    def rivals(self, move: Move) -> tuple[Rival, ...]:
        """Return the gain and probability of the same choice for each seat that chooses simultaneously."""
        game, standing = self._game, self._game.standing
        if not isinstance(game, Contested):
            return ()
        before = [standing(world, self._seat) for world in self._worlds]
        found = list[Rival]()
        for seat, likely in self._others.items():
            after = [standing(game.with_taken(world, seat, move), self._seat) for world in self._worlds]
            pairs = [(totals(now), totals(then)) for now, then in zip(before, after, strict=True)]
            gain = fmean(then[seat] - now[seat] for now, then in pairs)
            cost = fmean(now[self._seat] - then[self._seat] for now, then in pairs)
            more = (
                (line, [then[line][seat] - now[line][seat] for now, then in zip(before, after, strict=True)])
                for line in range(len(before[0]))
            )
            # only what it gains whatever the viewer does not know
            sure = [(line, fmean(points)) for line, points in more if min(points) > 0]
            gains = tuple(sorted(sure, key=lambda each: -each[1]))
            found.append(Rival(seat, gain, likely.get(move, 0.0), cost, gains))
        return tuple(found)

    def next_after(self, move: Move, then: Move | None) -> Move | None:
        """Return `then` if it can follow the move in the same turn in most worlds; None otherwise."""
        if then is None:
            return None
        worlds = [(world, self._game.apply(world, self._seat, move)) for world in self._worlds]
        possible = sum(self._may_follow(world, after, then) for world, after in worlds)
        return then if 2 * possible > len(worlds) else None

    def _may_follow(self, before: Any, after: Any, then: Move) -> bool:
        game, seat = self._game, self._seat
        goes_on = game.turn(after) == game.turn(before) and game.active_seats(after) == (seat,)
        return goes_on and then in game.legal_moves(after, seat)

    def changes(self, move: Move, then: Move | None = None) -> tuple[Change, ...]:
        """Return what a move, or it and the next one, changes in the sheet, greatest first."""
        return self._worthy([self._tried(world, move, then) for world in self._worlds])

    def promised(self, move: Move) -> tuple[Change, ...]:
        """Return what a move will change later by what it reserves; empty if it reserves nothing."""
        strategy, standing, seat = self._strategy, self._game.standing, self._seat
        if not isinstance(strategy, Reserving):
            return ()
        worlds = [(world, strategy.with_reserved(world, seat, move)) for world in self._worlds]
        return self._worthy(
            [(standing(now, seat), standing(then, seat)) for now, then in worlds if then is not None]
        )

    def _worthy(self, pairs: Sequence[tuple[Sheet, Sheet]]) -> tuple[Change, ...]:
        if not pairs:
            return ()
        lines = range(len(pairs[0][0]))
        found = [self._change(line, [(then[line], now[line]) for then, now in pairs]) for line in lines]
        worthy = [change for change in found if max(abs(change.own), -change.loss) >= _LEAST]
        return tuple(sorted(worthy, key=lambda change: change.loss - change.own))

    def _tried(self, world: Any, move: Move, then: Move | None) -> tuple[Sheet, Sheet]:
        # Others in a simultaneous choice choose something else: the result is what the move brings if nobody
        # contests it. `contested` says how likely somebody does.
        game, turn = self._game, self._game.turn(world)
        if isinstance(game, Contested):
            taken = game.with_taken(world, self._seat, move)
            return game.standing(world, self._seat), game.standing(taken, self._seat)
        after = game.apply(world, self._seat, move)
        while len(game.active_seats(world)) > 1 and game.turn(after) == turn:
            seat = game.active_seats(after)[0]
            likely = self._others[seat]
            # the same move after all if they have no other
            likely = {choice: weight for choice, weight in likely.items() if choice != move} or likely
            (choice,) = self._random.choices(list(likely), list(likely.values()))
            after = game.apply(after, seat, choice)
        if then is not None and self._may_follow(world, after, then):
            after = game.apply(after, self._seat, then)
        return game.standing(world, self._seat), game.standing(after, self._seat)

    def _change(self, line: int, pairs: Sequence[tuple[Sequence[int], Sequence[int]]]) -> Change:
        # no rival's loss is shown if the others' simultaneous choices may have caused it
        is_own = not self._others or isinstance(self._game, Contested)
        seats = range(len(pairs[0][0]))
        more = [sum(now[seat] - then[seat] for then, now in pairs) / len(pairs) for seat in seats]
        rivals = [seat for seat in seats if is_own and seat != self._seat and more[seat] < 0]
        rival = min(rivals, key=more.__getitem__, default=None)
        gained = sum(_leads(now, self._seat) and not _leads(then, self._seat) for then, now in pairs)
        loss = 0.0 if rival is None else more[rival]
        # a lead counts as gained if it is in most worlds
        return Change(line, more[self._seat], rival, loss, 2 * gained > len(pairs))


def _leads(points: Sequence[int], seat: Seat) -> bool:
    return points[seat] > max(points[other] for other in range(len(points)) if other != seat)
