"""The arena: series of matches between bots."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from kk_core.errors import InvalidOptions
from kk_core.registry import game
from kk_core.search.arena import Contest, parse_contestant, play_numbered
from kk_core.search.bots import bot_kind
from tests.server.outside_bots import installed

TICK = 0.03
"""Seconds between two looks at the clock of these tests."""


@pytest.mark.parametrize(("timed", "looks"), [(True, bot_kind("hard").allowance.seconds / TICK), (False, 0)])
def test_bots_think_for_their_time_only_where_they_are_timed(timed: bool, looks: float) -> None:
    rules, ticks = game("ku_ka_king"), count()
    contest = Contest("ku_ka_king", ("hard:20", "random"), rules.meta.default_options(), "time", timed)
    result = play_numbered(rules, contest, 0, lambda: next(ticks) * TICK)
    in_ticks = result.seconds[0] / result.choices[0] / TICK
    assert in_ticks == pytest.approx(1 + looks, abs=2)


def test_a_level_makes_as_many_simulations_as_the_game_names_for_it() -> None:
    usual = parse_contestant("hard", "land_cards")
    fewer = parse_contestant("hard", "ku_ka_king")
    assert fewer.allowance.simulations < usual.allowance.simulations
    assert parse_contestant(f"hard:{fewer.allowance.simulations}", "ku_ka_king").label == "hard"
    assert parse_contestant(f"hard:{usual.allowance.simulations}", "ku_ka_king").label != "hard"


@pytest.mark.parametrize("label", ["greedy:50", "easy:50", "random:1", "brisk:7"])
def test_a_bot_that_does_not_search_takes_no_number(
    label: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = label.partition(":")[0]
    with installed(tmp_path, monkeypatch), pytest.raises(InvalidOptions, match=f"{label}'.* {name} does not"):
        parse_contestant(f" {label}", "land_cards")


@pytest.mark.parametrize("number", ["", "0", "n0", "-5", "1.5", "²", "1000001", "9" * 5000])
def test_a_number_of_simulations_is_whole_and_can_be_made(number: str) -> None:
    with pytest.raises(InvalidOptions, match="a number of simulations, 1 to 1000000"):
        parse_contestant(f"hard:{number}", "land_cards")


def test_a_number_may_be_written_with_noughts_before_it() -> None:
    assert parse_contestant(" hard:050 ", "land_cards") == parse_contestant("hard:50", "land_cards")
