"""The strength of the bots: `python -m tools.bench.contests [--minutes N] [--only WORDS] [--table]`.

Plays the remaining matches of the contests whose tables are in docs/bots.md, one after the other, and saves
every result in `tools/bench/contests`, so that it may be stopped at any time and resumed another day. With
`--minutes` it ends by itself, with `--only` it plays contests whose name contains all these words; two
processes may run concurrently if that keeps them apart. `--table` prints the results so far. After a change
to how a bot thinks, delete the results of its contests.

The number of matches of a contest is fixed before its first one. The results follow from the seeds alone, on
any machine and interpreter; the seconds in the files do not, and appear in no table.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from kk_core.checks import complete_options
from kk_core.registry import game, game_ids
from kk_core.search.arena import BotSummary, Contest, MatchResult, play_numbered, summaries_of
from kk_server.cli.arena import ContestFile

FOLDER: Final = Path(__file__).parent / "contests"
MATCHES: Final = 200
LADDER: Final = (("medium", "easy", -1, 60), ("hard", "medium", 0, 120), ("expert", "hard", 1, 120))
"""Every level against the next lower one: the number of players, and the number of matches.

The players are the most (-1), the fewest (0) or a number in between, so that each occurs once in every game.
"""
CLOSE: Final = {("web_of_power", "expert"): MATCHES}
"""Pairs of levels that are closer, and need more matches to be told apart."""

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
    yield Entry("land_cards", "expert:2000", "expert:200", 4)
    # equal numbers, since a simulation of either takes as long
    for seats in (2, 3, 4):
        yield Entry("ku_ka_king", "expert:200", "plain_ucb:200", seats)
    for higher, lower, place, matches in LADDER:
        for game_id in game_ids():
            meta = game(game_id).meta
            seats = range(meta.min_seats, meta.max_seats + 1)[place]
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
        f"{_share(others)} | {len(results)} of {entry.matches} |"
    )


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
        head = ("game", "seats", "", "wins", "wins of each other", "matches")
        lines = [" | ".join(("", *head, "")).strip(), "|---" * len(head) + "|"]
        lines += [rows(entry) for entry in chosen if entry.results()]
        sys.stdout.write("\n".join(lines) + "\n")
        return
    end = time.monotonic() + 60 * arguments.minutes
    for entry in chosen:
        play(entry, end)


if __name__ == "__main__":
    main()
