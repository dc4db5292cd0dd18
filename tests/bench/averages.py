"""Learns what positions bring in the end: `python -m tests.bench.averages GAME [--games N] [--seed S]`.

Bots play matches by the policy of the game's strategy (or greedily, with --greedy), some moves at random.
At every turn the strategy names keys, what it can tell of the position, and the lines of the score sheet that
each key foretells; the file config/GAME.averages.json then has the average of those lines for every key.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

import msgspec

import config
from kk_core.arena import seed_of
from kk_core.bots import bot
from kk_core.bots.levels import strategy_of
from kk_core.bots.search import Budget, QuickChance
from kk_core.game import AnyGame
from kk_core.registry import game
from kk_core.types import Sheet

AT_RANDOM: Final = 0.2
LEAST: Final = 15
"""Keys that were seen less often are left out."""

Seen = tuple[tuple[int | str, ...], tuple[int, ...], int]
"""A key, the lines that it foretells, and the seat."""


def play(
    rules: AnyGame, seats: int, seed: bytes, random: Random, *, greedily: bool
) -> tuple[list[Seen], Sheet]:
    """One match: what was seen on the way, and the final sheet."""
    state = rules.setup(rules.meta.default_options(), seats, seed)
    strategy: Any = strategy_of(rules, rules.observe(state, 0))
    greedy, chance = bot("greedy", rules), QuickChance(random.getrandbits(64))
    seen: list[Seen] = []
    turn = -1
    while active := rules.active_seats(state):
        position = strategy.position(state)
        if rules.turn(state) != turn:
            turn = rules.turn(state)
            seen += strategy.keys(position)
        seat = active[0]
        moves = tuple(rules.legal_moves(state, seat))
        if greedily and random.random() > AT_RANDOM:
            move = greedy.choose(rules.observe(state, seat), chance, Budget(1))
        elif random.random() < AT_RANDOM:
            move = random.choices(moves, strategy.priors(position, seat, moves))[0]
        else:
            move = max(zip(strategy.priors(position, seat, moves), moves, strict=True))[1]
        state = rules.apply(state, seat, move)
    return seen, rules.score(state)


def learn(
    rules: AnyGame, games: int, seed: str, *, greedily: bool
) -> Iterator[tuple[tuple[int | str, ...], float]]:
    """The lines of the file."""
    sums: dict[tuple[int | str, ...], float] = defaultdict(float)
    counts: dict[tuple[int | str, ...], int] = defaultdict(int)
    random = Random(seed)
    for seats in range(rules.meta.min_seats, rules.meta.max_seats + 1):
        for number in range(games):
            seen, sheet = play(rules, seats, seed_of(seed, number), random, greedily=greedily)
            for key, lines, seat in seen:
                counts[key] += 1
                sums[key] += sum(sheet[line][seat] for line in lines)
    for key in sorted(sums, key=repr):
        if counts[key] >= LEAST:
            yield key, round(sums[key] / counts[key], 2)


def main() -> None:
    """Write the file of a game."""
    parser = argparse.ArgumentParser()
    parser.add_argument("game")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--seed", default="averages")
    parser.add_argument("--greedy", action="store_true")
    arguments = parser.parse_args()
    rules = game(arguments.game)
    lines = [
        msgspec.json.encode(line).decode()
        for line in learn(rules, arguments.games, arguments.seed, greedily=arguments.greedy)
    ]
    file = Path(str(config.__file__)).parent / f"{arguments.game}.averages.json"
    file.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
    print(f"{len(lines)} averages in {file}")  # noqa: T201


if __name__ == "__main__":
    main()
