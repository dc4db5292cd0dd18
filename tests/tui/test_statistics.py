"""What the matches of the past come to, and when they were."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from msgspec.structs import replace

from kk_core.views import PastMatch
from kk_tui.i18n import format_when
from kk_tui.screens.history import LeaderboardEntry, standings
from kk_tui.settings import Choice, Recent, RecentFile


def match(points: tuple[int, ...], winners: tuple[int, ...], replayed: int = 0) -> PastMatch:
    names, bots = ("Anna", "bot:easy", "bot:easy 2")[: len(points)], (None, "easy", "easy")[: len(points)]
    return PastMatch("t", 1, 0, "g", names, bots, (0,), points, winners, 10, replayed, (0, 1, 2))


def test_each_name_has_its_matches_wins_mean_and_best_and_bots_of_a_kind_count_together() -> None:
    found = standings([match((10, 8, 6), (0,)), match((4, 12, 7), (1,))])
    assert found == [
        LeaderboardEntry("easy", "easy", 2, 1, 8.25, 12),
        LeaderboardEntry("Anna", None, 2, 1, 7, 10),
    ]


def test_a_match_with_two_bots_of_a_kind_is_one_match_of_theirs() -> None:
    (found,) = (one for one in standings([match((10, 8, 6), (1,))]) if one.bot)
    assert (found.played, found.won, found.mean) == (1, 1, 7)


def test_a_win_that_is_shared_counts_in_part_and_one_that_nobody_has_for_nobody() -> None:
    (anna, bot) = sorted(standings([match((5, 5), (0, 1)), match((5, 5), ())]), key=lambda s: s.name)
    assert (anna.won, bot.won) == (0.5, 0.5)


def test_matches_that_were_played_on_are_not_counted() -> None:
    assert standings([match((10, 8), (0,), replayed=3)]) == []


def test_today_and_yesterday_are_told_with_the_hour_and_other_days_by_their_date() -> None:
    now = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)

    def told(**ago: int) -> str:
        return format_when(int((now - timedelta(**ago)).timestamp()), now)

    assert told(minutes=5) == "today 09:25"
    assert told(hours=10) == "yesterday 23:30"
    assert told(days=3) == "2026-02-26"


def test_choices_are_kept_in_a_file_and_a_damaged_one_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "new" / "recent.json"
    kept = Recent().begun("g", Choice({"wind": "south"}, (("", "Anna"), ("easy", "")))).begun("h", Choice())
    RecentFile(path).save(kept)
    assert RecentFile(path).load() == kept
    assert kept.game == "h"
    path.write_bytes(b"\xff{")
    assert RecentFile(path).load() == Recent()
    RecentFile(tmp_path).save(kept)


def test_without_a_file_choices_are_kept_as_long_as_the_app_runs() -> None:
    recent = RecentFile()
    recent.save(Recent().begun("g", Choice()))
    assert recent.load().game == "g"


def test_what_a_program_has_played_is_told_apart_from_what_a_person_has_under_the_same_name() -> None:
    by_program = replace(match((10, 8), (0,)), programs=(0,))
    found = [one for one in standings([by_program, match((6, 8), (1,))]) if one.bot is None]
    assert [(one.name, one.is_program, one.best) for one in found] == [("Anna", True, 10), ("Anna", False, 6)]
