"""Bots: players that see an observation and nothing else, and their levels.

All levels share the same knowledge of a game; they differ in how far they look ahead, and how long they
think. Their names are in `kk_core.bot_names`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.metadata import EntryPoint
from math import exp
from typing import Any, Final, NamedTuple, Protocol

from kk_core.bot_names import bot_names, other_bots
from kk_core.chance import Chance
from kk_core.errors import InvalidOptions, told
from kk_core.game import AnyGame
from kk_core.registry import part_of
from kk_core.search.opponents import read, trust, updated
from kk_core.search.search import NO_PREFERENCES, Budget, Findings, QuickChance, Search, SearchSettings
from kk_core.search.strategy import Believing, Readable, SearchStrategy, Styled, strategy_of
from kk_core.text import text
from kk_core.types import CommonObservation, Move, SeenMove

_CARE: Final = 0.5
"""The exponent on the easy bot's policy: 1 follows the policy, 0 is random. A game's `CARE` replaces it."""

_EASY_LIKES: Final = 1 / 3
"""The exponent on what an easy bot's style likes, in points: points gained count for little, too."""

_RANDOM_BITS: Final = 1 << 24


class Bot(Protocol):
    """A player of one game."""

    def choose(self, observation: CommonObservation, chance: Chance, budget: Budget) -> Move:
        """Choose one of the legal moves of the observation's viewer; `chance` is the only randomness."""
        ...


class Allowance(NamedTuple):
    """A bot's limits for one move, whichever comes first; without a clock, only simulations count."""

    simulations: int = 1
    seconds: float = 1.0

    def budget(self, clock: Callable[[], float] | None = None) -> Budget:
        """Return the budget of a decision that begins now; `clock` gives seconds."""
        if clock is None:
            return Budget(self.simulations)
        begun = clock()
        return Budget(self.simulations, lambda: (clock() - begun) / self.seconds)


class BotKind(NamedTuple):
    """The target of a `kk.bots` entry point: how to create a bot for a game, and its allowance."""

    make: Callable[[AnyGame], Bot]
    allowance: Allowance = Allowance()


class _Quick:
    """A bot that does not search: a function of observation and chance."""

    def __init__(self, choose: Callable[[CommonObservation, Chance], Move]) -> None:
        self._choose = choose

    def choose(self, observation: CommonObservation, chance: Chance, budget: Budget) -> Move:  # noqa: ARG002
        return self._choose(observation, chance)


def choose_at_random(observation: CommonObservation, chance: Chance) -> Move:
    """Choose a legal move at random, each equally likely."""
    moves = observation.legal_moves
    return moves[chance.below(len(moves))]


def _greedy(game: AnyGame) -> Bot:
    module = part_of(game.meta.id, "ai.greedy")
    return _Quick(choose_at_random if module is None else module.choose)


def _preferences(
    strategy: SearchStrategy[Any], style: str | None, observation: CommonObservation, chance: Chance
) -> Mapping[Move, float]:
    """Return what a style likes about each legal move, in points; nothing if the game has no styles."""
    moves, seat = observation.legal_moves, observation.viewer
    if style is None or seat is None or not isinstance(strategy, Styled):
        return NO_PREFERENCES
    position = strategy.world(QuickChance(chance.word()))
    return dict(zip(moves, strategy.preferences(style, position, seat, moves), strict=True))


class Searcher:
    """A bot that searches; its strength follows from its budget."""

    _settings = SearchSettings()
    style: str | None = None
    """One of `kk_core.bot_names.STYLES`, or None."""

    def __init__(self, game: AnyGame) -> None:
        self._game = game

    def choose(self, observation: CommonObservation, chance: Chance, budget: Budget) -> Move:
        """Choose the best move found; in a simultaneous choice, draw one by how often it was tried."""
        moves = observation.legal_moves
        if len(moves) == 1:
            return moves[0]
        search = self._search(observation, chance)
        return search.choose(search.run(budget, until_decided=True))

    def think(self, observation: CommonObservation, chance: Chance, budget: Budget) -> Findings:
        """Search, and return the figures of all moves, for callers that explain or advise."""
        return self._search(observation, chance).run(budget)

    def learned(self, observation: CommonObservation) -> Sequence[float]:  # noqa: ARG002
        """Return what was learned about the others, as for `strategy_of`."""
        return ()

    def _search(self, observation: CommonObservation, chance: Chance) -> Search:
        assert observation.viewer is not None, "only seats have moves to choose from"
        strategy = strategy_of(self._game, observation, self.learned(observation))
        preferences = _preferences(strategy, self.style, observation, chance)
        return Search(
            strategy, len(observation.points), observation.viewer, chance, self._settings, preferences
        )


class AdaptiveSearcher(Searcher):
    """A bot that looks further ahead and watches the others, to predict those that play plainly."""

    _settings = SearchSettings(is_keen=True, shared_worlds=160)

    def __init__(self, game: AnyGame) -> None:
        super().__init__(game)
        self.memory: tuple[float, ...] = ()

    def watch(self, moves: Sequence[SeenMove], chance: Chance) -> None:
        """Learn from the moves since and including the bot's last one."""
        before = moves[0].observation
        strategy = strategy_of(self._game, before)
        assert before.viewer is not None, "only seats watch"
        odds, beliefs = self._remembered(before)
        if isinstance(strategy, Believing):
            trusted = trust(odds, before.viewer)
            change, beliefs = strategy.learn(moves, trusted, beliefs, QuickChance(chance.word()))
        elif isinstance(strategy, Readable):
            change = read(strategy, before.viewer, moves, QuickChance(chance.word()))
        else:
            return
        self.memory = (*updated(odds, change), *beliefs)

    def learned(self, observation: CommonObservation) -> Sequence[float]:
        assert observation.viewer is not None, "only seats have moves to choose from"
        odds, beliefs = self._remembered(observation)
        return (*trust(odds, observation.viewer), *beliefs)

    def _remembered(self, observation: CommonObservation) -> tuple[Sequence[float], Sequence[float]]:
        seats = len(observation.points)
        return self.memory[:seats] or (0.0,) * seats, self.memory[seats:]


class Easy:
    """A bot that does not look ahead: it makes moves its policy finds likely, better ones more often."""

    style: str | None = None
    """One of `kk_core.bot_names.STYLES`, or None."""

    def __init__(self, game: AnyGame) -> None:
        self._game = game

    def choose(self, observation: CommonObservation, chance: Chance, budget: Budget) -> Move:  # noqa: ARG002
        """Draw a move from a flattened policy."""
        moves, seat = observation.legal_moves, observation.viewer
        if len(moves) == 1 or seat is None:
            return moves[0]
        strategy = strategy_of(self._game, observation)
        position = strategy.world(QuickChance(chance.word()))
        care = getattr(part_of(self._game.meta.id, "ai.strategy"), "CARE", _CARE)
        weights = [prior**care for prior in strategy.priors(position, seat, moves)]
        if preferences := _preferences(strategy, self.style, observation, chance):
            weights = [
                weight * exp(_EASY_LIKES * preferences[move])
                for weight, move in zip(weights, moves, strict=True)
            ]
        # not `random.choices`: with `chance` the move can be reproduced
        point = chance.below(_RANDOM_BITS) / _RANDOM_BITS * sum(weights)
        for move, weight in zip(moves, weights, strict=True):
            point -= weight
            if point < 0:
                return move
        return moves[-1]  # reached only through rounding


_KINDS: Final = {
    "expert": BotKind(AdaptiveSearcher, Allowance(2000, 1.0)),
    "hard": BotKind(Searcher, Allowance(1000, 0.5)),
    "medium": BotKind(Searcher, Allowance(30, 0.2)),
    "easy": BotKind(Easy),
    "greedy": BotKind(_greedy),
    "random": BotKind(lambda _: _Quick(choose_at_random)),
}


@cache
def bot_kind(name: str) -> BotKind:
    """Return the kind of a named bot.

    Raises `InvalidOptions` if it is unknown, or from another package and cannot be loaded.
    """
    if name in _KINDS:
        return _KINDS[name]
    if (point := other_bots().points.get(name)) is not None:
        return _loaded(point)
    known = ", ".join(bot_names())
    raise InvalidOptions(text("Unknown bot {name}; known bots: {known}.", name=repr(name), known=known))


def _loaded(point: EntryPoint) -> BotKind:
    try:
        found = point.load()
    except ImportError as error:
        reason = str(error)
    except Exception as error:  # importing another package may raise anything
        reason = told(error)
    else:
        if isinstance(found, BotKind):
            return found
        reason = f"{point.value}: no BotKind"
    raise InvalidOptions(
        text("The bot {name} cannot be loaded: {reason}", name=repr(point.name), reason=reason)
    )


def may_watch(name: str) -> bool:
    """Return whether a bot of that name may want to watch the others' moves.

    Always true for bots from other packages, which are only known once created.
    """
    return name not in _KINDS or _KINDS[name].make is AdaptiveSearcher


def allowance_of(name: str, game_id: str) -> Allowance:
    """Return a bot's allowance in a game: its kind's, with the game's own number of simulations, if any.

    Raises `InvalidOptions` for an unknown name.
    """
    own = getattr(part_of(game_id, "ai.strategy"), "SIMULATIONS", {})
    allowance = bot_kind(name).allowance
    return allowance._replace(simulations=own.get(name, allowance.simulations))


def bot(name: str, game: AnyGame, style: str | None = None) -> Bot:
    """Create a bot for a game; only levels have styles. Raises `InvalidOptions` for an unknown name."""
    made = bot_kind(name).make(game)
    if isinstance(made, Easy | Searcher):
        made.style = style
    return made
