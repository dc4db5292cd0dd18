"""The contests of the bots, in docs/bots.md."""

from __future__ import annotations

import pytest

from kk_core.registry import game, game_ids
from kk_core.search.arena import MatchResult
from tools.bench.contests import FOUR, LADDER, entries, more_by_deal

SEATS = 3


def result(number: int, *wins: float) -> MatchResult:
    nothing = (0,) * len(wins)
    return MatchResult(number, nothing, wins, tuple(map(float, nothing)), nothing)


def test_a_deal_counts_once_it_has_been_played_from_every_seat() -> None:
    played = [
        *(result(number, 1.0, 0.0, 0.0) for number in (0, 1, 2)),  # the first deal: won from every seat
        result(3, 1.0, 0.0, 0.0),
        result(4, 0.0, 1.0, 0.0),
        result(5, 0.0, 0.5, 0.5),  # the second: a third of the wins for each seat
        result(6, 0.0, 1.0, 0.0),  # the third: not yet played to its end
    ]
    more = more_by_deal(SEATS, {each.number: each for each in played})
    assert more == pytest.approx([1.0, 0.0])


def test_levels_meet_the_next_lower_one_at_as_few_seats_as_may_be_and_at_four() -> None:
    found = {(entry.game_id, entry.one, entry.others, entry.seats) for entry in entries()}
    for game_id in game_ids():
        meta = game(game_id).meta
        for higher, lower, _ in LADDER:
            for seats in (meta.min_seats, min(FOUR, meta.max_seats)):
                assert (game_id, higher, lower, seats) in found


def test_contests_are_kept_in_files_of_their_own() -> None:
    files = [entry.file for entry in entries()]
    assert len(files) == len(set(files))
