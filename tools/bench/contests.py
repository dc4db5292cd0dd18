"""The strength of the bots: `python -m tools.bench.contests [--minutes N] [--only WORDS] [--table]`.

Plays the remaining matches of the contests whose tables are in docs/bots.md, one after the other, and saves
every result in `tools/bench/contests`, so that it may be stopped at any time and resumed another day. With
`--minutes` it ends by itself, with `--only` it plays contests whose name contains all these words; two
processes may run concurrently if that keeps them apart. `--table` prints the results so far; its *more* is by
how much the first bot's share of the wins exceeds that of each other, with an interval of 95 % from the deals
that every seat has played. After a change to how a bot thinks, delete the results of its contests.

The number of matches of a contest is fixed before its first one. The results follow from the seeds alone, on
any machine and interpreter; the seconds in the files do not, and appear in no table.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import Final

import msgspec

from kk_core.checks import complete_options
from kk_core.registry import game, game_ids
from kk_core.search.advice import SIMULATIONS
from kk_core.search.arena import (
    NORMAL_95,
    BotSummary,
    Contest,
    MatchResult,
    play_numbered,
    summaries_of,
)
from kk_server.cli.arena import ContestFile

FOLDER: Final = Path(__file__).parent / "contests"
MATCHES: Final = 200
FOUR: Final = 4
LADDER: Final = (("medium", "easy", 60), ("hard", "medium", 120), ("expert", "hard", 120))
"""Every level against the next lower one, and the number of matches.

They play with two seats (three where two may not play) and with four, medium and easy bots also with most.
"""
CLOSE: Final = {("web_of_power", "expert"): MATCHES}
"""Pairs of levels that are closer, and need more matches to be told apart."""

PLAIN_SIMULATIONS: Final = {2: 200, 3: 220, 4: 300}
"""By seats, the simulations of the plain search that take as long as 200 of expert's.

The more seats, the more often expert expects one of them to call plainly, and thinks through their calls.
"""

FEWEST: Final = 8
"""The fewest deals that say anything of chance."""
OUTSIDE: Final = Path(__file__).parent / "outside"
"""The folder with bots of other packages."""


@dataclass(frozen=True)
class Entry:
    """One contest: the first bot against copies of the second in all other seats."""

    game_id: str
    one: str
    others: str
    seats: int
    matches: int = MATCHES

    @property
    def name(self) -> str:
        """The name of its file."""
        return f"{self.game_id} {self.one} {self.others} {self.seats}".replace(":", "-").replace(" ", "_")

    @property
    def file(self) -> Path:
        """The file of its results; `kk arena --save` writes and reads the same."""
        return FOLDER / f"{self.name}.jsonl"

    @property
    def contest(self) -> Contest:
        """The contest as the arena plays it."""
        rules = game(self.game_id)
        options = complete_options(rules.meta, self.seats, {})
        bots = (self.one, *[self.others] * (self.seats - 1))
        return Contest(self.game_id, bots, options, "1", timed=False, rules=rules.rules_version)

    def results(self) -> dict[int, MatchResult]:
        """Return the results so far, by number."""
        if not self.file.exists():
            return {}
        head, *lines = self.file.read_bytes().splitlines()
        assert head == msgspec.json.encode(self.contest), f"{self.file} holds another contest"
        found = [msgspec.json.decode(line, type=MatchResult) for line in lines]
        return {result.number: result for result in found}


def entries() -> Iterator[Entry]:
    """Return all contests, the most informative ones first."""
    for level in ("hard", "expert"):
        for game_id in ("web_of_power", "land_cards", "ku_ka_king"):
            yield Entry(game_id, level, "greedy", 4)
        yield Entry("ku_ka_king", level, "earlier_greedy", 4)
    # as many as hard makes: what it brings to read how the others call
    yield Entry("ku_ka_king", "expert:200", "greedy", 4)
    yield Entry("land_cards", "expert:2000", "expert:200", 4)
    for seats, simulations in PLAIN_SIMULATIONS.items():
        yield Entry("ku_ka_king", "expert:200", f"plain_ucb:{simulations}", seats)
    # a hint as people get it, and the expert in the same time
    yield Entry("ku_ka_king", "expert:1850", f"hinted:{SIMULATIONS}", 2, 120)
    for higher, lower, matches in LADDER:
        for game_id in game_ids():
            meta = game(game_id).meta
            most = {meta.max_seats} if lower == "easy" else set[int]()
            for seats in sorted({meta.min_seats, min(FOUR, meta.max_seats)} | most):
                yield Entry(game_id, higher, lower, seats, CLOSE.get((game_id, higher), matches))


def play(entry: Entry, end: float) -> None:
    """Continue until all matches are played, or the time is over."""
    FOLDER.mkdir(exist_ok=True)
    with ContestFile(entry.file, entry.contest) as file:
        for number in range(entry.matches):
            if number in file.results:
                continue
            if time.monotonic() >= end:
                return
            file.add(play_numbered(game(entry.game_id), entry.contest, number, time.process_time))


def rows(entry: Entry) -> str:
    """Yield the lines of the table in Markdown."""
    results = entry.results()
    table = summaries_of(entry.contest, [results[number] for number in sorted(results)])
    one, others = (next(line for line in table if line.bot == bot) for bot in (entry.one, entry.others))
    return (
        f"| {entry.game_id} | {entry.seats} | {entry.one} against {entry.others} | {_share(one)} | "
        f"{_share(others)} | {_more(entry.seats, results)} | {len(results)} of {entry.matches} |"
    )


def more_by_deal(seats: int, results: Mapping[int, MatchResult]) -> list[float]:
    """Return by how much the first bot's share exceeds that of each other, in every deal played to its end.

    A deal is played once from each seat, so its luck is the same for both.
    """
    won = defaultdict[int, list[float]](list)
    for number, result in results.items():
        won[number // seats].append(result.wins[0])
    shares = [fmean(wins) for wins in won.values() if len(wins) == seats]
    return [share - (1 - share) / (seats - 1) for share in shares]


def _more(seats: int, results: Mapping[int, MatchResult]) -> str:
    more = more_by_deal(seats, results)
    if len(more) < FEWEST:
        return ""
    mean = fmean(more)
    if len({*more}) == 1:  # which says nothing of how much deals differ
        return f"{mean:.3f}"
    free = len(more) - 1
    # Student's t as a series in 1/free, since deals may be few
    t = NORMAL_95 + (NORMAL_95**3 + NORMAL_95) / (4 * free)
    half = t * stdev(more) / sqrt(len(more))
    return f"{mean:.3f} ({max(-1 / (seats - 1), mean - half):.3f} to {min(1.0, mean + half):.3f})"


def _share(line: BotSummary) -> str:
    return f"{line.share:.3f} ({line.low:.3f}-{line.high:.3f})"


def main() -> None:
    """Play, or print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    sys.path.append(str(OUTSIDE))
    chosen = [entry for entry in entries() if all(word in entry.name for word in arguments.only)]
    if not chosen:
        parser.error("no contest has these words; there are " + ", ".join(entry.name for entry in entries()))
    if arguments.table:
        head = ("game", "seats", "", "wins", "wins of each other", "more", "matches")
        lines = [" | ".join(("", *head, "")).strip(), "|---" * len(head) + "|"]
        lines += [rows(entry) for entry in chosen if entry.results()]
        sys.stdout.write("\n".join(lines) + "\n")
        return
    end = time.monotonic() + 60 * arguments.minutes
    for entry in chosen:
        play(entry, end)


if __name__ == "__main__":
    main()
