"""One search for all games: a tree over atomic moves, grown in worlds drawn from an observation.

The tree is open-loop: a node stands for the moves that led to it, in any world; what is legal differs from
world to world. Every seat maximises its own reward (max^n). A move is tried more often the better it did and
the likelier the game's policy makes it (PUCT); of many moves the likeliest are considered first. In a
simultaneous choice, each seat uses only the figures of its own moves, and considers all of them (decoupled
UCB); the move played is drawn from those tried nearly as often as the favourite, so that nobody can predict
it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from math import exp, inf, log, sqrt
from operator import add
from random import Random
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from kk_core.chance import Chance
from kk_core.search.strategy import Outlook, SearchStrategy
from kk_core.types import Move, Seat

# measured against what long searches find
PRIOR_TRIALS: Final = 19
"""The number of trials that the prior belief is worth."""
LEANING: Final = 0.1
"""The prior advantage, in spreads of a trial, of a move that the policy makes e times as likely."""
HOPE: Final = 4.0
"""The standard errors by which a move may be better than believed: more means more exploration."""
DOUBT: Final = 2.5
"""The standard errors by which beliefs may still change."""

# the assumed standard deviation of a trial before there are any
_SPREAD: Final = 0.16
# the number of trials that this assumption is worth
_SPREAD_TRIALS: Final = 20
# the number of trials between updates of the spread and the overall level
_FIT_EVERY: Final = 10


class Bandit:
    """A bandit over moves, numbered by their place in a list; rewards are 0 to 1."""

    def __init__(self, priors: Sequence[float]) -> None:
        """Begin with `priors`, the policy's probability of each move; none is 0."""
        # centred: the policy says which moves are better, not how good they all are
        logs = list(map(log, priors))
        middle = sum(logs) / len(logs)
        self._leanings = [LEANING * (own - middle) for own in logs]
        self._known = [PRIOR_TRIALS] * len(logs)
        self._sums = [0.0] * len(logs)
        self._squares = 0.0
        self._count = 0
        self._fit()

    def pick(self) -> int:
        """Return the number of the move to try next."""
        # even a single reward says more about the level than the guess of 0.5
        if self._count == 1 or not self._count % _FIT_EVERY:
            self._fit()
        hope, best = HOPE * self._spread, -1.0
        for number, (first, total, known) in enumerate(
            zip(self._firsts, self._sums, self._known, strict=True)
        ):
            worth = (first + total) / known + hope / sqrt(known)
            if worth > best:
                best, chosen = worth, number
        return chosen

    def add(self, number: int, reward: float) -> None:
        """Add the reward of a trial."""
        self._count += 1
        self._known[number] += 1
        self._sums[number] += reward
        self._squares += reward * reward

    def means(self) -> list[float]:
        """Return the believed mean reward of each move."""
        self._fit()
        rows = zip(self._firsts, self._sums, self._known, strict=True)
        return [(first + total) / known for first, total, known in rows]

    def is_decided(self, left: float) -> bool:
        """Return whether `left` more trials would hardly change which move is believed best."""
        means = self.means()
        best = max(means)
        leader, doubt = means.index(best), DOUBT * self._spread
        return all(
            # how far a mean of `known` trials may still move in `left` more
            mean + doubt * sqrt(1 / known - 1 / (known + left)) < best
            for number, (mean, known) in enumerate(zip(means, self._known, strict=True))
            if number != leader
        )

    def _fit(self) -> None:
        # Estimates the spread of trials (pooled within moves) and the level of all moves, and from these the
        # prior belief about each move, as the sum over the `PRIOR_TRIALS` it is worth.
        within, degrees = self._squares + _SPREAD_TRIALS * _SPREAD**2, float(_SPREAD_TRIALS)
        rows = zip(self._known, self._sums, self._leanings, strict=True)
        tried = [(known - PRIOR_TRIALS, total, lean) for known, total, lean in rows if known > PRIOR_TRIALS]
        for trials, total, _ in tried:
            within -= total * total / trials
            degrees += trials - 1
        self._spread = sqrt(max(0.0, within) / degrees)
        level = 0.5
        if tried:
            weights = [trials / (trials + PRIOR_TRIALS) for trials, _, _ in tried]
            levels = [total / trials - self._spread * lean for trials, total, lean in tried]
            level = sum(map(float.__mul__, weights, levels)) / sum(weights)
        leaning = PRIOR_TRIALS * self._spread
        self._firsts = [PRIOR_TRIALS * level + leaning * lean for lean in self._leanings]


class SearchSettings(msgspec.Struct, frozen=True):
    """The settings of a search."""

    exploration: float = 0.4
    first_play: float = 0.02
    """An untried move's discount from its parent's mean reward."""
    widen_from: int = 5
    widen: float = 1.0
    """A node considers `widen_from` moves, plus `widen` times the square root of its visits."""
    win: float = 0.5
    """The weight of winning in the reward; the rest is that of the margin."""
    margin_scale: float = 12.0
    """The lead in points that counts as 0.73 of the best possible margin."""
    worlds: int = 64
    """The most worlds drawn; they are then reused in turn, so that moves are compared in the same ones."""
    least_share: float = 0.85
    """Simultaneous choices: moves tried less often than this share of the favourite's are never drawn."""
    is_keen: bool = False
    """True if simulations play better and further: each says less, but about more."""
    on_the_way: float = 0.5
    """The weight of the outlook before the end of a long simulation against the one at its end."""
    shared_worlds: int = 0
    """If not 0, every first move of the viewer is tried in the same worlds, up to this many, one after the
    other, so that none looks better by luck, and a `Bandit` decides which is tried next and which is best.
    With 0, the first move is chosen like all others, and worlds are reused in turn whatever is tried.
    """


class Budget(NamedTuple):
    """A decision's limits: simulations, and a function for the share (0 to 1) of the time that is over."""

    simulations: int
    share: Callable[[], float] = lambda: 0.0

    def is_spent(self) -> bool:
        """Return whether the time is over."""
        return self.share() >= 1

    def left(self, simulations: int) -> float:
        """Estimate how many more simulations will follow after the first `simulations`."""
        share = self.share()
        in_time = simulations * (1 - share) / share if share else inf
        return min(self.simulations - simulations, in_time)


class MoveFigures(NamedTuple):
    """The figures of one move of the viewer: how often it was tried, the mean reward (0 to 1) and the mean
    margin over the best of the others in points; `then` is what they mostly did next, None where nothing
    stands out, and `variance` that of the margins.
    """

    move: Move
    visits: int
    reward: float
    margin: float
    then: Move | None
    variance: float


Choices: TypeAlias = Mapping[Seat, Mapping[Move, float]]
"""The probability of each seat's moves, without those that it would never choose."""
NOBODY: Final[Choices] = MappingProxyType({})
NO_PREFERENCES: Final[Mapping[Move, float]] = MappingProxyType({})


class Findings(NamedTuple):
    """The result of a search; `moves` are those tried, best first: by visits, or with a bandit by belief."""

    moves: tuple[MoveFigures, ...]
    simulations: int
    others: Choices
    """The others' choices in a simultaneous choice; `NOBODY` if the viewer chooses alone."""


Edge: TypeAlias = list[Any]
"""Prior, move, and the `_Node` it leads to or None. A list, since it is updated in place."""

Arm: TypeAlias = list[Any]
"""Prior, move, visits, sum of rewards, and how much better than others the prior makes it, in a simultaneous
choice."""

# In simultaneous choices: the factor of the upper confidence bound (rewards are 0 to 1), the number of trials
# that the prior belief is worth, and the prior advantage of a move that the policy makes e times as likely.
# Set by contests of Ku-Ka-King.
_SIMULTANEOUS_EXPLORATION: Final = 0.3
_SIMULTANEOUS_TRIALS: Final = 5
_SIMULTANEOUS_LEANING: Final = 0.01

# the number of simulations between checks whether the result can still change
_LOOK_EVERY: Final = 20

# the fewest visits of a move that should follow another
_SURE: Final = 10

# The exponent that flattens the forecast of others' choices, and the part spread evenly over all moves. Set
# so that easy and medium bots together make choices as often as forecast: `tools.bench.calls`.
_SURENESS: Final = 0.8
_WHIMS: Final = 0.05

WIN_SLOPE: Final = 1.7
"""The factor by which a logistic curve approximates the normal distribution's."""


class _Node:
    """A line of moves: its visits, every seat's sum of rewards, and what follows.

    `edges` has lists by the legal moves, `children` nodes by what was done: seat and move, or all moves of a
    simultaneous choice. Forced moves have no node.
    """

    __slots__ = ("children", "edges", "totals", "visits")

    def __init__(self, seats: int) -> None:
        self.visits = 0
        self.totals = [0.0] * seats
        self.children: dict[Any, _Node] = {}
        self.edges: dict[Any, list[Any]] = {}


class Search:
    """A tree that grows with every simulation."""

    def __init__(
        self,
        strategy: SearchStrategy[Any],
        seats: int,
        viewer: Seat,
        chance: Chance,
        settings: SearchSettings,
        preferences: Mapping[Move, float] = NO_PREFERENCES,
    ) -> None:
        """Begin a search; `preferences` are points that the viewer's first moves count for beyond theirs."""
        self._strategy, self._seats, self._viewer, self._settings = strategy, seats, viewer, settings
        self._preferences = preferences
        seed = chance.word() << 32 | chance.word()
        self._random = Random(seed)
        self._playout: Callable[[Any, Random], Outlook | None] = (
            strategy.long_playout if settings.is_keen else strategy.playout
        )
        self._let_play = strategy.let_play
        self._foretell = strategy.foretell
        self._priors = strategy.keen_priors if settings.is_keen else strategy.priors
        self._chance = QuickChance(seed)
        self._root = _Node(seats)
        self._margins: dict[Move, list[float]] = {}
        self._worlds: list[Any] = []
        self._moves: list[Move] = []
        self._bandit: Bandit | None = None
        self._is_simultaneous = False
        self.simulations = 0

    def run(self, budget: Budget, *, until_decided: bool = False) -> Findings:
        """Simulate until the budget is spent, at least once.

        With `until_decided`, stop earlier if no move can overtake the best one.
        """
        while True:
            self.simulate()
            if self.simulations >= budget.simulations or budget.is_spent():
                return self.findings()
            if until_decided and not self.simulations % _LOOK_EVERY and self._is_decided(budget):
                return self.findings()

    def _is_decided(self, budget: Budget) -> bool:
        # no other move can be tried as often as the first one in what is left; with a bandit, none is likely
        # to be believed better by then
        if self._is_simultaneous:
            return False
        if self._bandit is not None:
            return self._bandit.is_decided(budget.left(self.simulations))
        # `sums` are visits, rewards and margins
        visits = sorted([sums[0] for sums in self._margins.values()])
        return visits[-1] - (visits[-2] if len(visits) > 1 else 0) > budget.left(self.simulations)

    def findings(self) -> Findings:
        """Return the figures so far."""
        beliefs = {} if self._bandit is None else dict(zip(self._moves, self._bandit.means(), strict=True))
        moves = [
            MoveFigures(
                move,
                int(visits),
                reward / visits,
                margin / visits,
                self._then(move),
                max(0.0, squares / visits - (margin / visits) ** 2),
            )
            for move, (visits, reward, margin, squares) in self._margins.items()
        ]
        # the move is the last key, so that equal figures have a fixed order
        moves.sort(key=lambda found: (-beliefs.get(found.move, 0.0), -found.visits, found.move))
        return Findings(tuple(moves), self.simulations, self._others())

    def _then(self, move: Move) -> Move | None:
        # None unless any other continuation was tried less than half as often
        node = None if self._is_simultaneous else self._root.children.get((self._viewer, move))
        if node is None or not node.children:
            return None
        tried = sorted([(child.visits, key) for key, child in node.children.items()], reverse=True)
        (visits, (seat, *done)), *others = tried
        is_sure = visits >= _SURE and (not others or visits > 2 * others[0][0])
        return done[0] if is_sure and seat == self._viewer else None

    def _others(self) -> Choices:
        # half by the policy, half by visits: together they predict choices better than either does
        if not self._is_simultaneous:
            return NOBODY
        choices = {}
        for (seat, _), arms in self._root.edges.items():
            if seat != self._viewer:
                visits = sum(arm[2] for arm in arms)
                weights = [((prior + n / visits) / 2) ** _SURENESS for prior, _, n, _, _ in arms]
                share, whim = (1 - _WHIMS) / sum(weights), _WHIMS / len(arms)
                choices[seat] = {
                    move: share * weight + whim for (_, move, *_), weight in zip(arms, weights, strict=True)
                }
        return choices

    def simulate(self) -> None:
        """Walk down the tree, add a node, evaluate it, and update every node on the way."""
        strategy = self._strategy
        active_of, legal_of, step = strategy.active, strategy.legal, strategy.step
        let_play, viewer = self._let_play, self._viewer
        position, first, node = self._begin()
        self.simulations += 1
        plain = () if self._foretell is None else self._foretell(self._random)
        path = [self._root] if first is None else [self._root, node]
        played: list[tuple[Seat, Arm]] = []
        # down to the first new node, but at least past the viewer's first move
        while (first is None or node.visits) and (active := active_of(position)):
            if len(active) == 1:
                seat = active[0]
                if let_play is not None and seat != viewer and let_play(position, self._random):
                    continue
                legal = legal_of(position, seat)
                if len(legal) == 1 and first is not None:  # forced: no node
                    step(position, seat, legal[0])
                    continue
                _, move, node = self._choose(node, position, seat, legal)
                step(position, seat, move)
            else:
                arms = self._choose_all(node, position, active, plain)
                self._is_simultaneous |= first is None
                for seat, arm in arms:
                    step(position, seat, arm[1])
                    if first is None and seat == self._viewer:
                        move = arm[1]
                played += arms
                node = self._child(node, tuple([arm[1] for _, arm in arms]))
            if first is None:
                first = move
            path.append(node)
        # a node that is not new means that the match is over: there is nothing to play out
        outlook = None if node.visits else self._playout(position, self._random)
        self._back_up(self._outlook(position, outlook), path, played, first)

    def _begin(self) -> tuple[Any, Move | None, _Node]:
        # returns a position, the viewer's first move if it is already made, and the node to start from
        strategy, settings, viewer = self._strategy, self._settings, self._viewer
        # no bandit in a simultaneous choice: the best move depends on the others'
        if settings.shared_worlds and strategy.active(seen := self._world(0)) == (viewer,):
            if self._bandit is None:
                ranked = self._ranked(self._root, seen, viewer, strategy.legal(seen, viewer))
                self._moves = [move for _, move, _ in ranked]
                self._bandit = Bandit([prior for prior, _, _ in ranked])
            move = self._moves[self._bandit.pick()]
            node = self._child(self._root, (viewer, move))
            position = strategy.copy(self._world(node.visits % settings.shared_worlds))
            strategy.step(position, viewer, move)
            return position, move, node
        return strategy.copy(self._world(self.simulations % settings.worlds)), None, self._root

    def _world(self, number: int) -> Any:
        # drawn lazily: many searches end before they have used all
        while len(self._worlds) <= number:
            self._worlds.append(self._strategy.world(self._chance))
        return self._worlds[number]

    def _choose(self, node: _Node, position: Any, seat: Seat, legal: tuple[Move, ...]) -> Edge:
        edges = node.edges.get(legal)
        if edges is None:
            edges = node.edges[legal] = self._ranked(node, position, seat, legal)
        settings, visits, children = self._settings, node.visits, node.children
        # in different worlds, different moves may be legal at the same node
        is_shared = len(node.edges) > 1
        root = sqrt(visits)
        bonus = settings.exploration * root
        untried = node.totals[seat] / visits - settings.first_play if visits else 0.5
        best = -1.0
        for edge in edges[: settings.widen_from + int(settings.widen * root)]:
            prior, move, child = edge
            if child is None and is_shared:  # tried perhaps in a world with other legal moves
                child = edge[2] = children.get((seat, move))
            if child is None:
                worth = untried + bonus * prior
            else:
                n = child.visits
                worth = child.totals[seat] / n + bonus * prior / (1 + n)
            if worth > best:
                best, chosen = worth, edge
        if chosen[2] is None:
            chosen[2] = self._child(node, (seat, chosen[1]))
        return chosen

    def _choose_all(
        self, node: _Node, position: Any, active: Sequence[Seat], plain: Collection[Seat]
    ) -> list[tuple[Seat, Arm]]:
        # each seat chooses by its own figures: nobody knows the others' choices (decoupled UCB); those that
        # play plainly follow the policy
        chosen = []
        for seat in active:
            legal = self._strategy.legal(position, seat)
            arms = node.edges.get((seat, legal))
            if arms is None:
                ranked = self._ranked(node, position, seat, legal)
                arms = node.edges[seat, legal] = _arms(ranked)
            if seat in plain:
                chosen.append((seat, self._drawn(arms)))
                continue
            level = node.totals[seat] / node.visits if node.visits else 0.5
            hope, best = (
                _SIMULTANEOUS_EXPLORATION * sqrt(log(node.visits + _SIMULTANEOUS_TRIALS * len(arms) + 1)),
                -1.0,
            )
            for arm in arms:
                _, _, n, total, leaning = arm
                known = n + _SIMULTANEOUS_TRIALS
                worth = (total + _SIMULTANEOUS_TRIALS * (level + leaning)) / known + hope / sqrt(known)
                if worth > best:
                    best, mine = worth, arm
            chosen.append((seat, mine))
        return chosen

    def _drawn(self, arms: Sequence[Arm]) -> Arm:
        # by priors, the likeliest first
        point = self._random.random()
        for arm in arms:
            point -= arm[0]
            if point < 0:
                return arm
        return arms[-1]  # reached only through rounding

    def _ranked(self, node: _Node, position: Any, seat: Seat, legal: Sequence[Move]) -> list[Edge]:
        priors = self._priors(position, seat, legal)
        if self._preferences and node is self._root and seat == self._viewer:
            liked = [prior * exp(self._preferences[move]) for prior, move in zip(priors, legal, strict=True)]
            total = sum(liked)
            priors = [weight / total for weight in liked]
        ranked = sorted(zip(priors, legal, strict=True), reverse=True)
        # moves that the policy considers impossible are never tried
        return [[prior, move, None] for prior, move in ranked if prior]

    def _child(self, node: _Node, key: Any) -> _Node:
        child = node.children.get(key)
        if child is None:
            child = node.children[key] = _Node(self._seats)
        return child

    def _outlook(self, position: Any, on_the_way: Outlook | None) -> Outlook:
        points, spread = self._strategy.expected(position), self._strategy.spread(position)
        if on_the_way is None:
            return points, spread
        share, (before, spread_before) = self._settings.on_the_way, on_the_way
        points = [share * then + (1 - share) * now for then, now in zip(before, points, strict=True)]
        return points, share * spread_before + (1 - share) * spread

    def _back_up(
        self, outlook: Outlook, path: list[_Node], played: list[tuple[Seat, Arm]], first: Move | None
    ) -> None:
        points, spread = outlook
        if self._preferences and first is not None:
            points = [
                own + (seat == self._viewer) * self._preferences[first] for seat, own in enumerate(points)
            ]
        margins = leads(points)
        rewards = self._rewards(margins, spread)
        for node in path:
            node.visits += 1
            node.totals = list(map(add, node.totals, rewards))
        for seat, arm in played:
            arm[2] += 1
            arm[3] += rewards[seat]
        if first is not None:
            sums = self._margins.setdefault(first, [0, 0.0, 0.0, 0.0])
            sums[0] += 1
            sums[1] += rewards[self._viewer]
            sums[2] += margins[self._viewer]
            sums[3] += margins[self._viewer] ** 2
            if self._bandit is not None:
                self._bandit.add(self._moves.index(first), rewards[self._viewer])

    def _rewards(self, leads: Sequence[float], spread: float) -> list[float]:
        # 0 to 1 for every seat, by its chance of winning and its margin
        settings = self._settings
        win, slope, scale = settings.win, WIN_SLOPE / spread, settings.margin_scale
        return [
            # capped, since `exp` would overflow with a small spread and a large lead
            win / (1 + exp(min(50.0, -lead * slope))) + (1 - win) / (1 + exp(-lead / scale))
            for lead in leads
        ]

    def choose(self, findings: Findings) -> Move:
        """Choose the best move; in a simultaneous choice, draw one by how often it was tried."""
        if not self._is_simultaneous:
            return findings.moves[0].move
        # rarely tried moves were explored and found bad; they do not belong in the mix
        least = findings.moves[0].visits * self._settings.least_share
        shares = [found for found in findings.moves if found.visits >= least]
        return self._random.choices([found.move for found in shares], [found.visits for found in shares])[0]


def _arms(ranked: Sequence[Edge]) -> list[Arm]:
    # centred, as the leanings of a `Bandit`
    logs = [log(prior) for prior, _, _ in ranked]
    middle = sum(logs) / len(logs)
    return [
        [prior, move, 0, 0.0, _SIMULTANEOUS_LEANING * (own - middle)]
        for (prior, move, _), own in zip(ranked, logs, strict=True)
    ]


def leads(points: Sequence[float]) -> list[float]:
    """Return every seat's lead over the best of the others."""
    ordered = sorted(points)
    best, second = ordered[-1], ordered[-2]
    # if the best are tied, `second` equals `best`, and their lead is 0
    return [own - (second if own == best else best) for own in points]


class QuickChance(Chance):
    """A fast, non-cryptographic stream for simulated worlds, which nobody has to reproduce."""

    __slots__ = ()

    def __init__(self, seed: int) -> None:
        super().__init__(b"")
        draw = Random(seed).getrandbits
        # the sentinel -1 is never drawn, so this iterator never ends
        self._words = iter(lambda: draw(32), -1)
