"""Learn the outcomes of positions: `python -m tools.bench.averages GAME [--games N] [--seed S]`.

Bots play matches by the policy of the game's strategy (with --greedy all greedily, with --looking half of
them as the evaluation so far advises), with some random moves. At every turn the strategy names keys,
features of the position, and the lines of the score sheet that each key predicts. A key's average is first
that of its lines (with --onward, the one already in the file). With --together all averages of a position are
then corrected repeatedly and in small steps, so that their sum predicts how far every seat ends ahead of the
mean of all; so keys can also represent something that has no line, such as cards in the hand. The file
config/GAME.averages.json then holds the average of every key.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any, Final, TypeAlias

import msgspec

from kk_core.config import read_averages
from kk_core.game import AnyGame
from kk_core.registry import game
from kk_core.search.arena import seed_of
from kk_core.search.bots import bot
from kk_core.search.search import Budget, QuickChance
from kk_core.search.strategy import strategy_of
from kk_core.types import CommonObservation, Move, Sheet

AT_RANDOM: Final = 0.2
RARELY_AT_RANDOM: Final = 0.03
"""The share of random moves if half of the bots look ahead."""
MISJUDGED: Final = 0.4
"""The standard deviation of their misjudgements, in points."""
CONSIDERED: Final = 14
"""Number of the likeliest moves that they consider."""
LEAST: Final = 15
"""Number of occurrences below which a key is left out."""
SWEEPS: Final = 8
STEP: Final = 0.003
"""The share of an error that is corrected in one step, at the beginning."""
TRUST: Final = 150.0
"""Number of corrections that the average of the lines counts as."""

Key: TypeAlias = tuple[int | str, ...]
Seen: TypeAlias = tuple[Key, tuple[int, ...], int]
"""A key, the lines that it predicts, and the seat."""

Example: TypeAlias = tuple[list[list[int]], list[float]]
"""A position: for every seat the numbers of its keys, and how far it ends ahead of the mean."""


class Players:
    """The players of the matches to learn from."""

    def __init__(self, rules: AnyGame, random: Random, style: str) -> None:
        self._rules, self._random, self._style = rules, random, style
        self._greedy, self._chance = bot("greedy", rules), QuickChance(random.getrandbits(64))

    def seated(self, seats: int) -> list[bool]:
        """Return for every seat whether it plays by the strategy; the others are greedy."""
        share = {"greedy": 0.0, "looking": 0.5, "policy": 1.0}[self._style]
        return [self._random.random() < share for _ in range(seats)]

    def move(self, state: Any, position: Any, strategy: Any, *, by_strategy: bool) -> Move:
        """Return the move of the seat whose turn it is."""
        random, seat = self._random, self._rules.active_seats(state)[0]
        observation = self._rules.observe(state, seat)
        moves = observation.legal_moves
        at_random = RARELY_AT_RANDOM if self._style == "looking" else AT_RANDOM
        if random.random() < at_random:
            weights = None if self._style == "looking" else strategy.priors(position, seat, moves)
            return int(random.choices(moves, weights)[0])
        if not by_strategy:
            return self._greedy.choose(observation, self._chance, Budget(1))
        if self._style == "looking":
            return self._look(observation)
        return int(max(zip(strategy.priors(position, seat, moves), moves, strict=True))[1])

    def _look(self, observation: CommonObservation) -> Move:
        """Return the move after which its own turn, played to the end, promises most; it may be misjudged."""
        strategy: Any = strategy_of(self._rules, observation)
        seat, moves, random = observation.viewer, observation.legal_moves, self._random
        world = strategy.world(self._chance)
        likely = sorted(zip(strategy.priors(world, seat, moves), moves, strict=True), reverse=True)
        promises = []
        for _, move in likely[:CONSIDERED]:
            position = strategy.copy(world)
            strategy.step(position, seat, move)
            strategy.finish_turn(position, random)
            points = strategy.expected(position)
            promises.append((points[seat] - fmean(points) + random.gauss(0, MISJUDGED), move))
        return max(promises)[1]


def play(rules: AnyGame, seats: int, seed: bytes, players: Players) -> tuple[list[list[Seen]], Sheet]:
    """Play one match; return the keys at every turn, and the final sheet."""
    state = rules.setup(rules.meta.default_options(), seats, seed)
    strategy: Any = strategy_of(rules, rules.observe(state, 0))
    by_strategy = players.seated(seats)
    seen: list[list[Seen]] = []
    turn = -1
    while active := rules.active_seats(state):
        position = strategy.position(state)
        if rules.turn(state) != turn:
            turn = rules.turn(state)
            seen.append(list(strategy.keys(position)))
        move = players.move(state, position, strategy, by_strategy=by_strategy[active[0]])
        state = rules.apply(state, active[0], move)
    return seen, rules.score(state)


class Table:
    """The figures learned for every key."""

    def __init__(self, known: Mapping[Key, float]) -> None:
        self._known = known
        self._numbers: dict[Key, int] = {}
        self._counts: list[int] = []
        self._sums: list[float] = []
        self._figures: list[float] = []
        self._examples: list[Example] = []

    def add(self, seats: int, seen: Sequence[Sequence[Seen]], sheet: Sheet) -> None:
        """Add a match: the keys of each position, and the outcomes that they predict."""
        for position in seen:
            own: list[list[int]] = [[] for _ in range(seats)]
            to_come = [0] * seats
            for key, lines, seat in position:
                number = self._numbers.setdefault(key, len(self._numbers))
                if number == len(self._counts):
                    self._counts.append(0)
                    self._sums.append(0.0)
                points = sum(sheet[line][seat] for line in lines)
                self._counts[number] += 1
                self._sums[number] += points
                to_come[seat] += points
                own[seat].append(number)
            mean = fmean(to_come)
            self._examples.append((own, [points - mean for points in to_come]))

    def average(self) -> None:
        """Set every key's figure to the known one, or else to the average of its lines."""
        averages = [sum_ / count for sum_, count in zip(self._sums, self._counts, strict=True)]
        self._figures = [self._known.get(key, averages[number]) for key, number in self._numbers.items()]

    def correct(self, random: Random) -> Iterator[float]:
        """Correct the figures so that their sums predict the ends; return the mean square error so far."""
        figures, first = self._figures, self._figures.copy()
        pulls = [TRUST / count for count in self._counts]
        for sweep in range(SWEEPS):
            step, errors = STEP * (1 - sweep / SWEEPS), 0.0
            random.shuffle(self._examples)
            for keys, ends in self._examples:
                sums = [sum([figures[number] for number in own]) for own in keys]
                mean = fmean(sums)
                for own, sum_, end in zip(keys, sums, ends, strict=True):
                    error = end - sum_ + mean
                    errors += error**2 / len(sums)
                    for number in own:
                        pull = pulls[number] * (figures[number] - first[number])
                        figures[number] += step * (error - pull)
            yield errors / len(self._examples)

    def lines(self) -> Iterator[tuple[Key, float]]:
        """Return the keys that were seen often enough, or known before."""
        for key, number in self._numbers.items():
            if self._counts[number] >= LEAST or key in self._known:
                yield key, round(self._figures[number], 2)


def learn(given: argparse.Namespace, known: Mapping[Key, float]) -> dict[Key, float]:
    """Return the figures for all numbers of seats; known ones are kept if nothing else is learned."""
    rules, random = game(given.game), Random(given.seed)
    players, found = Players(rules, random, given.style), dict(known)
    for seats in range(rules.meta.min_seats, rules.meta.max_seats + 1):
        table = Table(known)
        for number in range(given.games):
            table.add(seats, *play(rules, seats, seed_of(given.seed, number), players))
        table.average()
        if given.together:
            for error in table.correct(random):
                print(f"{seats} seats: {error:.2f}", flush=True)  # noqa: T201
        found.update(table.lines())
    return found


def main() -> None:
    """Parse arguments, and write the file of a game."""
    parser = argparse.ArgumentParser()
    parser.add_argument("game")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--seed", default="averages")
    parser.add_argument("--together", action="store_true")
    parser.add_argument("--onward", action="store_true")
    style = parser.add_mutually_exclusive_group()
    style.add_argument("--greedy", dest="style", action="store_const", const="greedy", default="policy")
    style.add_argument("--looking", dest="style", action="store_const", const="looking")
    given = parser.parse_args()
    name = f"{given.game}.averages.json"
    found = learn(given, read_averages(name) if given.onward else {})
    lines = [msgspec.json.encode(line).decode() for line in sorted(found.items(), key=repr)]
    file = Path(__file__).parents[2] / "config" / name
    file.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
    print(f"{len(lines)} averages in {file}")  # noqa: T201


if __name__ == "__main__":
    main()
