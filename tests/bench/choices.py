"""What single choices cost: `python -m tests.bench.choices GAME [--matches N] [--bots NAMES]`.

A hard bot with few simulations plays matches against greedy ones, and an expert watches from its seat. Three
of its choices in each match are gone through at length: of the moves that a long search of the expert's kind
tries most, each is tried equally often, in the same worlds. Then bots choose there, again and again: by how
much is what they choose worse than the best, by that measure? It errs, too, which costs everybody the same.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from math import sqrt
from random import Random
from statistics import fmean, stdev
from typing import Final, NamedTuple

from kk_core.arena import parse_player, seed_of
from kk_core.bots import bot
from kk_core.bots.duel import compared
from kk_core.bots.levels import Watcher
from kk_core.bots.search import Budget, Settings
from kk_core.bots.watching import Memory
from kk_core.chance import Chance
from kk_core.game import AnyGame
from kk_core.match import Match
from kk_core.notes import Notes
from kk_core.registry import game, game_ids
from kk_core.types import Move, Observation

SEATS: Final = 4
QUICKLY: Final = Budget(60)
LOOKED_AT: Final = 3
"""Choices of a match: one of its first third, one of the second, one of the last."""
FIRST: Final = Budget(1200)
BEST: Final = 4
"""So many moves are tried at length."""
EACH: Final = 2000
SETTINGS: Final = Settings(is_keen=True, worlds=1999)
REPEATS: Final = 4


class Choice(NamedTuple):
    """What was seen, and what a watcher had learned by then."""

    observation: Observation
    memory: Memory


def chance_of(*words: object) -> Chance:
    """A stream for a purpose."""
    return Chance(seed_of(" ".join(map(str, words)), 0))


def choices(rules: AnyGame, number: int) -> list[Choice]:
    """Some of one seat's choices in a match."""
    match = Match(rules, rules.meta.default_options(), ("",) * SEATS, seed_of("choices", number))
    seat, watcher, notes = number % SEATS, Watcher(rules), Notes()
    players = [bot("hard" if other == seat else "greedy", rules) for other in range(SEATS)]
    play, watch = chance_of("play", number), chance_of("watch", number)
    seen: list[Choice] = []
    while active := rules.active_seats(match.state):
        observation = rules.observe(match.state, active[0])
        if active[0] == seat:
            notes.known(match, seat).tell(watcher, watch)
            notes.keep(match, watcher.memory)
            if len(observation.legal_moves) > 1:
                seen.append(Choice(observation, watcher.memory))
        match.play(active[0], players[active[0]].choose(observation, play, QUICKLY))
    random, cuts = Random(number), [len(seen) * part // LOOKED_AT for part in range(LOOKED_AT + 1)]
    return [seen[random.randrange(*cuts[part : part + 2])] for part in range(LOOKED_AT)]


def measured(rules: AnyGame, choice: Choice, name: str) -> dict[Move, float]:
    """By how many points one ends before the best of the others after each of the best moves."""
    watcher = Watcher(rules)
    watcher.memory = choice.memory
    found = watcher.think(choice.observation, chance_of("think", name), FIRST)
    moves = [figures.move for figures in found.moves[:BEST]]
    budget, learned = Budget(EACH * len(moves)), watcher.learned(choice.observation)
    figures = compared(rules, choice.observation, moves, chance_of("long", name), budget, SETTINGS, learned)
    return {move: figures[move].margin for move in moves}


def costs(
    rules: AnyGame, label: str, choice: Choice, margins: dict[Move, float], name: str
) -> Iterator[float]:
    """What a bot loses by what it chooses; what is not among the best counts as the last of them."""
    player = parse_player(label, rules.meta.id)
    for again in range(REPEATS):
        chooser = bot(player.name, rules)
        if isinstance(chooser, Watcher):
            chooser.memory = choice.memory
        chance = chance_of("choose", name, again)
        move = chooser.choose(choice.observation, chance, player.allowance.budget())
        yield max(margins.values()) - margins.get(move, min(margins.values()))


def line(label: str, found: Sequence[float]) -> str:
    """The mean over positions, with its 95 % interval."""
    error = 1.96 * stdev(found) / sqrt(len(found))
    return f"{label}: {fmean(found):.3f} ± {error:.3f} points a choice, {len(found)} choices\n"


def main() -> None:
    """Print a line for each bot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", choices=game_ids())
    parser.add_argument("--matches", type=int, default=20)
    parser.add_argument("--bots", nargs="*", default=["expert", "expert:300", "hard", "medium"])
    arguments = parser.parse_args()
    rules = game(arguments.game)
    found: dict[str, list[float]] = {label: [] for label in arguments.bots}
    for number in range(arguments.matches):
        for part, choice in enumerate(choices(rules, number)):
            name = f"{number} {part}"
            margins = measured(rules, choice, name)
            for label, means in found.items():
                means.append(fmean(costs(rules, label, choice, margins, name)))
    for label, means in found.items():
        sys.stdout.write(line(label, means))


if __name__ == "__main__":
    main()
