"""The accuracy of simulated ends.

Run as `python -m tools.bench.foresight GAME [--games N] [--seed S] [--lengths 0 8]`. Greedy bots play
matches. At some of the turns, simulations are played for each of the lengths in turns (in Ku-Ka-King, in
rounds), and the leads expected then are compared with those at the end: their correlation, the mean error,
and the deviation of single simulations of a position, in points. Longer ones see more, but each of them says
less.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from random import Random
from statistics import correlation, fmean, pstdev
from typing import Any, Final, TypeAlias

from kk_core.game import AnyGame
from kk_core.registry import game, part_of
from kk_core.search.arena import seed_of
from kk_core.search.bots import bot
from kk_core.search.search import Budget, QuickChance
from kk_core.search.strategy import strategy_of
from kk_core.types import CommonObservation, totals

SEATS: Final = 4
WORLDS: Final = 16
EVERY: Final = 4
"""Turns from one simulated position to the next."""

Seen: TypeAlias = tuple[list[tuple[int, CommonObservation]], list[float]]
"""Observations with their turns, and the leads at the end."""

LENGTH_NAMES: Final = ("TURNS", "ROUNDS")


def leads(points: Sequence[float]) -> list[float]:
    """Return the leads of all seats over their best opponent."""
    best, second = sorted(points, reverse=True)[:2]
    return [own - (second if own == best else best) for own in points]


def match(rules: AnyGame, seed: bytes) -> Seen:
    """Play a match between greedy bots; return some of the positions, and the leads at the end."""
    state, greedy = rules.setup(rules.meta.default_options(), SEATS, seed), bot("greedy", rules)
    chance = QuickChance(int.from_bytes(seed[:8], "big"))
    seen: list[tuple[int, CommonObservation]] = []
    turn = -1
    while active := rules.active_seats(state):
        observation = rules.observe(state, active[0])
        if rules.turn(state) > turn:
            turn = rules.turn(state)
            if turn and turn % EVERY == 0:
                seen.append((turn, observation))
        state = rules.apply(state, active[0], greedy.choose(observation, chance, Budget(1)))
    return seen, leads(totals(rules.score(state)))


def foreseen(rules: AnyGame, observation: CommonObservation, random: Random) -> Iterator[list[float]]:
    """Return the leads that simulations expect."""
    strategy: Any = strategy_of(rules, observation)
    for _ in range(WORLDS):
        position = strategy.world(QuickChance(random.getrandbits(64)))
        strategy.playout(position, random)
        yield leads(list(strategy.expected(position)))


def main() -> None:
    """Print the figures by length, for the first, second and last third of the turns."""
    parser = argparse.ArgumentParser()
    parser.add_argument("game")
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--seed", default="foresight")
    parser.add_argument("--lengths", type=int, nargs="+", default=[0, 4, 8, 99])
    arguments = parser.parse_args()
    rules, module = game(arguments.game), part_of(arguments.game, "ai.strategy")
    matches = [match(rules, seed_of(arguments.seed, number)) for number in range(arguments.games)]
    for length in arguments.lengths:
        for name in LENGTH_NAMES:
            if hasattr(module, name):
                setattr(module, name, length)
        report(rules, length, matches)


def report(rules: AnyGame, length: int, matches: Sequence[Seen]) -> None:
    """Print the figures for one length."""
    random = Random(1)
    pairs: dict[int, list[tuple[float, float]]] = defaultdict(list)
    spreads: dict[int, list[float]] = defaultdict(list)
    for seen, end in matches:
        for turn, observation in seen:
            third = 3 * turn // (seen[-1][0] + 1)
            by_seat = list(zip(*foreseen(rules, observation, random), strict=True))
            pairs[third] += zip(map(fmean, by_seat), end, strict=True)
            spreads[third] += map(pstdev, by_seat)
    for third in sorted(pairs):
        expected, true = zip(*pairs[third], strict=True)
        error = fmean((a - b) ** 2 for a, b in pairs[third]) ** 0.5
        print(  # noqa: T201
            f"length {length}, third {third + 1}: correlation {correlation(expected, true):.2f}, "
            f"error {error:.1f}, spread {fmean(spreads[third]):.1f}"
        )


if __name__ == "__main__":
    main()
