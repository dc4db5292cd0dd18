"""Learn the preferences of good players.

Run as `python -m tools.bench.weights GAME [--generations N] [--seed S] [--show]`. Players with different
weights, as in the simulations of `expert`, each play the same matches in every seat, against three others who
do whatever gains most now. An evolution strategy starts from the weights of those three, looks for a greater
lead over the mean of the others, and writes config/GAME.weights.json after every generation. With --show the
present weights play alone.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from math import sqrt
from pathlib import Path
from random import Random
from statistics import fmean, stdev
from typing import Any, Final, NamedTuple

import msgspec

from kk_core.config import read_weights
from kk_core.games.land_cards.ai.evaluation import PLAIN, GainWeights, Group, GroupGains
from kk_core.games.land_cards.ai.rollout import PLAIN_PLAYER, TurnPlayer
from kk_core.games.web_of_power.ai.policy import go_on
from kk_core.games.web_of_power.ai.rollout import Keen, Weights
from kk_core.registry import game
from kk_core.search.arena import seed_of
from kk_core.search.strategy import strategy_of

SEATS: Final = 4
MATCHES: Final = 400
"""Matches of every player in a generation."""
PAIRS: Final = 12
"""Pairs of players in a generation, whose weights differ from the mean in opposite directions."""
BEST: Final = 6
"""Number of the best players, whose mean starts the next generation."""
STEP: Final = 0.2
LEAST_STEP: Final = 0.02
INERTIA: Final = 0.8
"""The share of its step that a weight keeps from one generation to the next."""
SHOWN: Final = 2000

PlayTurn = Callable[[Any], None]
"""Plays a position to the end of a turn."""


class Learned(NamedTuple):
    """A game with weights: those of greedy players, how to play by some, and how all others play."""

    first: msgspec.Struct
    by: Callable[[Any], PlayTurn]
    others: PlayTurn


def _always() -> float:
    return 0.0


def _with_cards(weights: GainWeights) -> PlayTurn:
    """Return a player of the card game."""
    player, known = TurnPlayer(weights), dict[Group, GroupGains]()

    def play_turn(position: Any) -> None:
        groups = position.worths.groups
        for group in groups:
            if group not in known:
                known[group] = group.gains_by(weights)
        position.look_by([known[group] for group in groups])
        player.play_turn(position, _always)

    return play_turn


def _plainly_with_cards(position: Any) -> None:
    position.look_by(position.worths.plain_gains)
    PLAIN_PLAYER.play_turn(position, _always)


def _on_the_map(weights: Weights) -> PlayTurn:
    """Return a player of the board game."""
    keen: list[Keen] = []

    def play_turn(position: Any) -> None:
        if not keen:
            keen.append(Keen(position.tables, weights))
        keen[0].play_turn(position, _always)

    return play_turn


LEARNED: Final = {
    "land_cards": Learned(PLAIN, _with_cards, _plainly_with_cards),
    "web_of_power": Learned(
        Weights(
            country=(1.0, 1.0), chains=1.0, links=0.7, groups=(0.0, 0.0, 0.0), room=0.0, beyond=0.0,
            courts=(1.0, 1.0), pair=0.6, second=0.6, exchange=1.5, pile=1.0, cards=(0.5, 2.0, 1.5), lands=0.1,
        ),
        _on_the_map,
        lambda position: go_on(position, _always),
    ),
}  # fmt: skip


def margins(game_id: str, series: str, weights: Any, first: int, matches: int) -> list[tuple[float, bool]]:
    """Return how far a player ends ahead of the mean of the others, and whether it wins."""
    rules, learned = game(game_id), LEARNED[game_id]
    play, found = learned.by(weights), []
    for number in range(first, first + matches):
        deal, seat = divmod(number, SEATS)
        state = rules.setup(rules.meta.default_options(), SEATS, seed_of(series, deal))
        strategy: Any = strategy_of(rules, rules.observe(state, seat))
        position = strategy.position(state)
        while strategy.active(position):
            (play if position.seat == seat else learned.others)(position)
        points = list(strategy.expected(position))
        own = points.pop(seat)
        found.append((own - fmean(points), own > max(points)))
    return found


def flat(weights: msgspec.Struct) -> list[float]:
    """Return all numbers of some weights, in the order of the fields."""
    numbers: list[float] = []
    for field in msgspec.structs.astuple(weights):
        numbers += field if isinstance(field, tuple) else (field,)
    return numbers


def shaped(numbers: Sequence[float], like: msgspec.Struct) -> msgspec.Struct:
    """Return the weights that `flat` has turned into numbers."""
    left = iter(numbers)
    fields = {
        name: [next(left) for _ in field] if isinstance(field, tuple) else next(left)
        for name, field in msgspec.structs.asdict(like).items()
    }
    return msgspec.convert(fields, type(like))


def generations(game_id: str, count: int, seed: int) -> Iterator[msgspec.Struct]:
    """Yield the mean of each generation."""
    random, series, like = Random(seed), f"weights {seed}", LEARNED[game_id].first
    mean = flat(like)
    steps = [STEP] * len(mean)
    for number in range(count):
        ranked = []
        for _ in range(PAIRS):
            towards = [random.gauss(0, step) for step in steps]
            for sign in (1, -1):
                player = [at + sign * by for at, by in zip(mean, towards, strict=True)]
                found = margins(game_id, series, shaped(player, like), number * MATCHES, MATCHES)
                ranked.append((fmean(margin for margin, _ in found), player))
        best = [player for _, player in sorted(ranked, reverse=True)[:BEST]]
        for i, step in enumerate(steps):
            spread = sqrt(fmean((player[i] - mean[i]) ** 2 for player in best))
            steps[i] = max(LEAST_STEP, INERTIA * step + (1 - INERTIA) * spread)
        mean = [fmean(column) for column in zip(*best, strict=True)]
        yield shaped([round(at, 2) for at in mean], like)


def show(game_id: str, weights: Any) -> str:
    """Return how good a player with some weights is, in matches that it has not learned from."""
    found = margins(game_id, "shown", weights, 0, SHOWN)
    points = [margin for margin, _ in found]
    error = 1.96 * stdev(points) / sqrt(len(points))
    return f"{fmean(won for _, won in found):.3f} of {SHOWN} won, margin {fmean(points):.2f} ± {error:.2f}\n"


def main() -> None:
    """Learn, or show."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", choices=sorted(LEARNED))
    parser.add_argument("--generations", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    name = f"{arguments.game}.weights.json"
    if arguments.show:
        shape = type(LEARNED[arguments.game].first)
        sys.stdout.write(show(arguments.game, read_weights(name, shape)))
        return
    file = Path(__file__).parents[2] / "config" / name
    for number, weights in enumerate(generations(arguments.game, arguments.generations, arguments.seed), 1):
        file.write_bytes(msgspec.json.format(msgspec.json.encode(weights), indent=1) + b"\n")
        if number % 5 == 0:
            sys.stdout.write(f"{number}: {show(arguments.game, weights)}")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
