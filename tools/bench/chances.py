"""Chances of winning: `python -m tools.bench.chances GAME [--fit] [--positions N] [--times N] [--save FILE]`.

At choices drawn from matches of medium bots, the first move of a hint is made, and hard bots play on to the
end, `--times` times: of moves told to win in six of ten matches as many should win. A line for every ten
percent told says how many did, with an interval of 95 %, for which a choice counts once, however often it was
played on.

With --fit, config/GAME.chances.json then has the logistic curve that makes the results likeliest
(`kk_core/search/chances.py`); the table is of the new curve, which is no test of it: that takes another seed.
Chances do not change which moves a hint shows. With --save, results are kept in a file, a line each, and the
next run goes on from there.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from math import exp
from pathlib import Path
from statistics import fmean
from typing import Final, NamedTuple

import msgspec

from kk_core.game import AnyGame
from kk_core.registry import game, game_ids
from kk_core.search.arena import interval
from kk_core.search.chances import WinCurve, file_of, win_curve
from kk_core.search.search import WIN_SLOPE
from kk_core.search.strategy import strategy_of
from tools.bench.choices import chance_of
from tools.bench.played_on import Choice, choices, share_of_win

CONFIG: Final = Path(__file__).parents[2] / "config"
BINS: Final = 10
ROUNDS: Final = 30
# the prior: as if so many results had been seen that fit the curve of normally distributed errors
_PRIOR: Final = 2.0


class Sample(NamedTuple):
    """The lead that a hint's first move is expected to have, in spreads, and the share of wins after it.

    It is the mean of so many `times`.
    """

    lead: float
    won: float
    times: int = 1


def sample(rules: AnyGame, choice: Choice, times: int, simulations: int, about: str) -> Sample:
    """Return what becomes of a choice."""
    first = choice.study().moves[0]
    strategy = strategy_of(rules, choice.seen)
    spread = strategy.spread(strategy.world(chance_of(about)))
    won = [share_of_win(choice, first.move, simulations, f"{about} {again}") for again in range(times)]
    return Sample(first.margin / spread, fmean(won), times)


def samples(rules: AnyGame, asked: argparse.Namespace) -> Iterator[Sample]:
    """Yield the samples kept from earlier runs, then new ones, which are kept at once."""
    kept = asked.save.read_bytes().splitlines() if asked.save and asked.save.exists() else []
    yield from (msgspec.json.decode(line, type=Sample) for line in kept[: asked.positions])
    for number, choice in enumerate(choices(rules, asked.seed, asked.positions, len(kept)), len(kept)):
        found = sample(rules, choice, asked.times, asked.simulations, f"{asked.seed} {number}")
        if asked.save:
            with asked.save.open("ab") as file:
                file.write(msgspec.json.encode(found) + b"\n")
        yield found


def fitted(found: Sequence[Sample]) -> WinCurve:
    """Return the likeliest curve, by Newton's method."""
    level, slope = 0.0, WIN_SLOPE
    for _ in range(ROUNDS):
        pull_level, pull_slope = -_PRIOR * level, -_PRIOR * (slope - WIN_SLOPE)
        a, b, c = _PRIOR, 0.0, _PRIOR
        for lead, won, _ in found:
            chance = 1 / (1 + exp(-(level + slope * lead)))
            weight = chance * (1 - chance)
            pull_level += won - chance
            pull_slope += (won - chance) * lead
            a, b, c = a + weight, b + weight * lead, c + weight * lead * lead
        root = a * c - b * b
        level += (c * pull_level - b * pull_slope) / root
        slope += (a * pull_slope - b * pull_level) / root
    return WinCurve(round(level, 3), round(slope, 3))


def table(found: Sequence[Sample], curve: WinCurve) -> Iterator[str]:
    """Yield how often moves have won, by the chance that they are told to have, and in all."""
    told = [(curve.chance(lead, 1.0), won) for lead, won, _ in found]
    bins = [[each for each in told if min(BINS - 1, int(each[0] * BINS)) == number] for number in range(BINS)]
    for number, inside in enumerate(bins):
        if inside:
            yield f"  {number / BINS:4.0%} to {(number + 1) / BINS:4.0%}: {_line(inside)}\n"
    yield f"  in all: {_line(told)}\n"


def _line(inside: Sequence[tuple[float, float]]) -> str:
    chances, won = zip(*inside, strict=True)
    # the matches played on from one choice are alike, so each choice counts as one
    least, most = interval(sum(won), len(won))
    return f"{len(inside)} choices, told {fmean(chances):.0%}, won {fmean(won):.0%} ({least:.0%}-{most:.0%})"


def main() -> None:
    """Print how often moves win beside what they are told to; fit the curve of a game."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("game", choices=game_ids())
    parser.add_argument("--fit", action="store_true", help="write the curve that fits best")
    parser.add_argument("--positions", type=int, default=60)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--simulations", type=int, default=30)
    parser.add_argument("--seed", default="chances")
    parser.add_argument("--save", type=Path)
    asked = parser.parse_args()
    rules = game(asked.game)
    found = [*samples(rules, asked)]
    if asked.fit:
        curve = fitted(found)
        (CONFIG / file_of(asked.game)).write_bytes(msgspec.json.encode(curve) + b"\n")
    else:
        curve = win_curve(asked.game)
    sys.stdout.write(
        f"{asked.game}, seed {asked.seed!r}: {curve}, {len(found)} choices, "
        f"{sum(each.times for each in found)} matches\n"
    )
    sys.stdout.writelines(table(found, curve))


if __name__ == "__main__":
    main()
