"""The cost of single choices: `python -m tools.bench.choices GAME [--matches N] [--bots NAMES] [--among N]`.

A hard bot with few simulations plays matches against greedy ones, and an expert watches from its seat. At
three of its choices in each match bots choose, many times; `hint` is the advice that people would get there.
Their choices are then examined at length, along with the moves that a long search of the expert's kind finds
best: each is tried equally often, in the same worlds. By how much is the choice worse than the best, by that
measure? It has errors of its own, which cost every bot the same. With `--among`, choices of fewer moves are
left out: from 20 moves on, the board game's are the first steps of turns.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from itertools import chain, pairwise
from math import sqrt
from random import Random
from statistics import fmean, stdev
from typing import Final, NamedTuple

from kk_core.chance import Chance
from kk_core.game import AnyGame
from kk_core.match import Match
from kk_core.registry import game, game_ids
from kk_core.search.advice import SIMULATIONS, advise, compared
from kk_core.search.arena import parse_contestant, seed_of
from kk_core.search.bots import AdaptiveSearcher, bot
from kk_core.search.memory import BotMemory
from kk_core.search.opponents import BotKnowledge, Memory
from kk_core.search.search import Budget, SearchSettings
from kk_core.types import CommonObservation, Move

SEATS: Final = 4
QUICKLY: Final = Budget(60)
LOOKED_AT: Final = 3
"""Choices of a match: one from its first third, one from the second, one from the last."""
FIRST: Final = Budget(1200)
BEST: Final = 4
"""Number of moves that are examined at length."""
EACH: Final = 2000
SETTINGS: Final = SearchSettings(is_keen=True, worlds=1999)
REPEATS: Final = 4
HINT: Final = "hint"


class Choice(NamedTuple):
    """A choice, with everything that a watcher had learned by then."""

    observation: CommonObservation
    memory: Memory


def chance_of(*words: object) -> Chance:
    """Return a random stream for a purpose."""
    return Chance(seed_of(" ".join(map(str, words)), 0))


def choices(rules: AnyGame, number: int, among: int) -> list[Choice]:
    """Return some of one seat's choices in a match, each of at least `among` moves."""
    match = Match(rules, rules.meta.default_options(), ("",) * SEATS, seed_of("choices", number))
    seat, watcher, notes = number % SEATS, AdaptiveSearcher(rules), BotMemory()
    players = [bot("hard" if other == seat else "greedy", rules) for other in range(SEATS)]
    play, watch = chance_of("play", number), chance_of("watch", number)
    seen: list[Choice] = []
    while active := rules.active_seats(match.state):
        observation = rules.observe(match.state, active[0])
        if active[0] == seat:
            notes.known(match, seat).tell(watcher, watch)
            notes.keep(match, watcher.memory)
            if len(observation.legal_moves) >= among:
                seen.append(Choice(observation, watcher.memory))
        match.play(active[0], players[active[0]].choose(observation, play, QUICKLY))
    random, cuts = Random(number), [len(seen) * part // LOOKED_AT for part in range(LOOKED_AT + 1)]
    return [seen[random.randrange(low, high)] for low, high in pairwise(cuts) if low < high]


def chosen(rules: AnyGame, label: str, choice: Choice, name: str) -> list[Move]:
    """Return a bot's choices, made many times, or a hint's best one."""
    moves = []
    for again in range(REPEATS):
        chance = chance_of("choose", name, again)
        if label == HINT:
            budget, known = Budget(SIMULATIONS), BotKnowledge(choice.memory)
            moves.append(advise(rules, choice.observation, chance, budget, known)[0].move)
            continue
        player = parse_contestant(label, rules.meta.id)
        chooser = bot(player.name, rules)
        if isinstance(chooser, AdaptiveSearcher):
            chooser.memory = choice.memory
        moves.append(chooser.choose(choice.observation, chance, player.allowance.budget()))
    return moves


def margins(rules: AnyGame, choice: Choice, also: set[Move], name: str) -> dict[Move, float]:
    """Return the leads over the best opponent after each of the best moves, and after the `also` ones."""
    watcher = AdaptiveSearcher(rules)
    watcher.memory = choice.memory
    found = watcher.think(choice.observation, chance_of("think", name), FIRST)
    moves = sorted(also | {figures.move for figures in found.moves[:BEST]})
    budget, learned = Budget(EACH * len(moves)), watcher.learned(choice.observation)
    figures = compared(rules, choice.observation, moves, chance_of("long", name), budget, SETTINGS, learned)
    return {move: figures[move].margin for move in moves}


def line(label: str, found: Sequence[float]) -> str:
    """Return the mean over positions, with its 95 % interval."""
    error = 1.96 * stdev(found) / sqrt(len(found))
    return f"{label}: {fmean(found):.3f} ± {error:.3f} points a choice, {len(found)} choices\n"


def main() -> None:
    """Print a line for each bot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", choices=game_ids())
    parser.add_argument("--matches", type=int, default=20)
    parser.add_argument("--bots", nargs="*", default=["expert", "expert:300", "hard", "medium", HINT])
    parser.add_argument("--among", type=int, default=2)
    arguments = parser.parse_args()
    rules = game(arguments.game)
    found: dict[str, list[float]] = {label: [] for label in arguments.bots}
    for number in range(arguments.matches):
        for part, choice in enumerate(choices(rules, number, arguments.among)):
            name = f"{number} {part}"
            by_label = {label: chosen(rules, label, choice, name) for label in found}
            worth = margins(rules, choice, set(chain.from_iterable(by_label.values())), name)
            for label, moves in by_label.items():
                found[label].append(max(worth.values()) - fmean(worth[move] for move in moves))
    for label, costs in found.items():
        sys.stdout.write(line(label, costs))


if __name__ == "__main__":
    main()
