"""What an expert would win that knew more: `python -m tools.bench.oracle GAME [--knows calls cards]`.

An oracle is an expert that is certain from the start that the three greedy bots around it play plainly. With
`calls` it is also told what they call in this choice, where all choose at once; with `cards` every card in
its place. So its share of the wins shows what an expert could gain by reading the others better, or by
guessing better what it cannot see.

Deals and the others' chance are those of `tools.bench.contests`: each match differs from one there only in
the oracle's moves. Every deal is played from each seat. *More* is by how much its share exceeds expert's in
the same deals, with an interval of 95 %. `--save FILE` keeps the results, so that you can stop and resume.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import nullcontext
from hashlib import sha256
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, Final

from msgspec.structs import replace

from kk_core.chance import Chance
from kk_core.game import AnyGame
from kk_core.registry import game, game_ids
from kk_core.search.arena import NORMAL_95, MatchResult, interval, new_match, seed_of
from kk_core.search.bots import AdaptiveSearcher, allowance_of, bot
from kk_core.search.memory import BotMemory
from kk_core.search.search import Budget, Search
from kk_core.search.strategy import strategy_of
from kk_core.types import CommonObservation, Move, Seat, totals
from kk_server.cli.arena import ContestFile
from tools.bench.contests import FEWEST, FOUR, Entry

AT_ONCE: Final = Budget(1)
KNOWN: Final = ("calls", "cards")


class Oracle(AdaptiveSearcher):
    """An expert that knows that the others play plainly, and what it is told besides."""

    def __init__(self, rules: AnyGame, knows: Collection[str]) -> None:
        super().__init__(rules)
        self._knows = knows
        self.state: Any = None
        """The state of the match at its choice."""
        self.calls: Mapping[Seat, Move] = {}
        """What the others call in it."""

    def learned(self, observation: CommonObservation) -> Sequence[float]:
        """Trust all others, whatever they have done."""
        seats, learned = len(observation.points), super().learned(observation)
        return (*(float(seat != observation.viewer) for seat in range(seats)), *learned[seats:])

    def _search(self, observation: CommonObservation, chance: Chance) -> Search:
        viewer = observation.viewer
        assert viewer is not None, "only seats have moves to choose from"
        strategy: Any = strategy_of(self._game, observation, self.learned(observation))
        fair = strategy.world

        def world(chance: Chance) -> Any:
            position = strategy.position(self.state) if "cards" in self._knows else fair(chance)
            if hasattr(position, "calls"):  # all choose at once; the true state may have some of the calls
                told = self.calls if "calls" in self._knows else {}
                position.calls = bytes(told.get(seat, 0) for seat in range(len(observation.points)))
                position.waiting = 1 << viewer if told else position.affected
            return position

        strategy.world = world
        return Search(strategy, len(observation.points), viewer, chance, self._settings)


def play(entry: Entry, number: int, knows: Collection[str], simulations: int) -> MatchResult:
    """Play match `number` of a contest with an oracle in the expert's seat."""
    rules, contest = game(entry.game_id), entry.contest
    deal, turn = divmod(number, entry.seats)
    own = -turn % entry.seats
    bots = [entry.one if seat == own else entry.others for seat in range(entry.seats)]
    match = new_match(rules, contest.options, bots, seed_of(contest.seed, deal))
    players = [bot(entry.others, rules) for _ in bots]
    players[own] = oracle = Oracle(rules, knows)
    # the arena's streams
    chances = [Chance(sha256(match.seed + b"bot" + bytes([seat])).digest()) for seat in range(entry.seats)]
    notes = BotMemory()
    while active := rules.active_seats(match.state):
        # what the others choose at the same moment does not depend on who has chosen before
        chosen = {
            seat: players[seat].choose(rules.observe(match.state, seat), chances[seat], AT_ONCE)
            for seat in active
            if seat != own
        }
        for seat in active:
            if seat == own:
                notes.known(match, own).tell(oracle, chances[own])
                oracle.state, oracle.calls = match.state, chosen.copy()
                seen = rules.observe(match.state, own)
                chosen[own] = oracle.choose(seen, chances[own], Budget(simulations))
                notes.keep(match, oracle.memory)
            match.play(seat, chosen[seat])
    outcome = rules.outcome(match.state)
    winners, sums = outcome.winners if outcome else (), totals(rules.score(match.state))
    order = [(own + place) % entry.seats for place in range(entry.seats)]
    wins = tuple(1 / len(winners) if seat in winners else 0.0 for seat in order)
    # nobody asks how long they took
    seconds, choices = (0.0,) * entry.seats, (0,) * entry.seats
    return MatchResult(number, tuple(sums[seat] for seat in order), wins, seconds, choices)


def more(results: Mapping[int, MatchResult], others: Mapping[int, MatchResult], seats: int) -> str:
    """Return by how much the first share exceeds the second one, in the deals played to their end in both."""
    gained = defaultdict[int, list[float]](list)
    for number in results.keys() & others.keys():
        gained[number // seats].append(results[number].wins[0] - others[number].wins[0])
    whole = [fmean(each) for each in gained.values() if len(each) == seats]
    if len(whole) < FEWEST:
        return "too few deals to compare"
    mean, half = fmean(whole), NORMAL_95 * stdev(whole) / sqrt(len(whole))
    return f"{mean:+.3f} ({mean - half:+.3f} to {mean + half:+.3f}) in {len(whole)} deals"


def table(results: Mapping[int, MatchResult], entry: Entry) -> Iterator[str]:
    """Yield the lines of the result."""
    won, matches = sum(result.wins[0] for result in results.values()), len(results)
    low, high = interval(won, matches)
    yield f"wins {won / max(1, matches):.3f} ({low:.3f}-{high:.3f}) of {matches}"
    yield f"more than {entry.one}: {more(results, entry.results(), entry.seats)}"


def main() -> None:
    """Play, and print the oracle's share."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("game", choices=game_ids())
    parser.add_argument("--knows", nargs="*", choices=KNOWN, default=[])
    parser.add_argument("--simulations", type=int, help="by default, expert's")
    parser.add_argument("--matches", type=int, default=120)
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--save", type=Path)
    asked = parser.parse_args()
    entry = Entry(asked.game, "expert", "greedy", FOUR)
    simulations = asked.simulations or allowance_of(entry.one, asked.game).simulations
    knows = sorted(set(asked.knows))  # in any order it is the same oracle
    label = ":".join(("oracle", *knows, str(simulations)))
    contest = replace(entry.contest, bots=(label, *entry.contest.bots[1:]))
    end = time.monotonic() + 60 * asked.minutes
    with nullcontext() if asked.save is None else ContestFile(asked.save, contest) as file:
        results = {} if file is None else file.results
        for number in range(asked.matches):
            if number in results:
                continue
            if time.monotonic() >= end:
                break
            results[number] = play(entry, number, knows, simulations)
            if file is not None:
                file.add(results[number])
    sys.stdout.write("\n".join(table(results, entry)) + "\n")


if __name__ == "__main__":
    main()
