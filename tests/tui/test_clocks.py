"""Clocks and absence stand by the names."""

from __future__ import annotations

from pathlib import Path
from time import time

import pytest
from msgspec.structs import replace
from textual.widgets import Static

from kk_core.protocol.messages import GoTo, OpenTable, Propose, SetBot, Start, TakeSeat
from kk_core.views import DAY, ClockRule, ClockView, SeatClock, SeatView, TableView
from kk_server.hub.hub import Hub
from kk_server.storage.memory_log import MemoryLog
from kk_tui.match.table import TableScreen
from kk_tui.match.table_menu import offers
from kk_tui.screens.dialogs import ConfirmScreen
from kk_tui.screens.lobby import LobbyScreen
from kk_tui.table_words import as_remembered, beside_name, format_left, format_rule, next_change
from tests.server.client import Client
from tests.tui.conftest import Stage, until
from tests.tui.playing import beside

RULE = ClockRule(60, 600)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (None, "none"),
        (ClockRule(30, 300), "30 s a turn, 5 min reserve"),
        (ClockRule(120), "2 min a turn"),
        (ClockRule(DAY), "1 day a turn"),
        (ClockRule(3 * DAY), "3 days a turn"),
    ],
)
def test_a_table_says_what_clock_it_plays_with(rule: ClockRule | None, words: str) -> None:
    assert format_rule(rule) == words


@pytest.mark.parametrize(("elapsed", "words"), [(0, "1:00"), (33, "0:27"), (60, "+10 min"), (659, "+0:01")])
def test_the_time_of_the_turn_goes_by_first_and_then_that_in_the_bank(elapsed: int, words: str) -> None:
    clock = ClockView(RULE, (SeatClock(60, 600, True), SeatClock(20, 300, False)))
    assert format_left(clock, 0, elapsed) == words
    assert format_left(clock, 1, elapsed) == "+5 min"


@pytest.mark.parametrize("elapsed", [0, 0.4, 30.5, 59.99, 60, 61, 200.3, 480, 539.5, 540.2, 658.1])
@pytest.mark.parametrize("rule", [RULE, ClockRule(2 * 3600 + 30, 3 * DAY), ClockRule(DAY)])
def test_a_clock_says_when_it_will_tell_something_else_and_tells_the_same_until_then(
    rule: ClockRule, elapsed: float
) -> None:
    clock = ClockView(rule, (SeatClock(rule.move, rule.bank, True), SeatClock(20, 300, False)))
    wait = next_change(clock, elapsed)
    assert wait is not None
    assert wait > 0
    now = format_left(clock, 0, elapsed)
    assert format_left(clock, 0, elapsed + 0.9 * wait) == now
    assert format_left(clock, 0, elapsed + wait + 0.001) != now


def test_a_clock_that_stands_and_one_that_has_run_out_change_by_themselves_no_more() -> None:
    standing = ClockView(RULE, (SeatClock(60, 600, False), SeatClock(20, 300, False)))
    assert next_change(standing, 10) is None
    assert next_change(ClockView(RULE, (SeatClock(60, 600, True),)), 660) is None
    assert next_change(None, 0) is None


def seated(*seats: SeatView) -> TableView:
    return TableView("t", "", "anna", "g", (), False, "playing", seats, None, None)


def test_behind_a_name_stands_who_is_away_since_when_and_who_plays_for_him() -> None:
    away = SeatView("Beate", "beate", None, False, 0, int(time()) - 300)
    replaced = SeatView("Beate", "beate", None, False, 0, int(time()) - 300, "medium")
    here = SeatView("Anna", "anna", None, True, 1)
    just = SeatView("Carl", "carl", None, False, 0, int(time()) - 5)
    table = seated(away, replaced, here, just)
    assert str(beside_name(table, 0, 0, 30)) == " (away for 5 min)"
    assert str(beside_name(table, 0, 0, 10)) == " (away)"
    assert str(beside_name(table, 0, 0, 5)) == " away"
    assert str(beside_name(table, 0, 0, 3)) == ""
    assert str(beside_name(table, 1, 0, 30)) == " (a bot plays)"
    assert str(beside_name(table, 2, 0, 30)) == ""
    assert str(beside_name(table, 3, 0, 30)) == " (away)"


def test_nobody_is_away_in_a_match_that_is_looked_at_once_more_and_no_clock_runs() -> None:
    away, bot = SeatView("Beate", "beate", None, False, 0), SeatView("Croesus", None, "hard", False, 1)
    clock = ClockView(RULE, (SeatClock(60, 600, True), SeatClock(20, 300, False)))
    table = as_remembered(replace(seated(away, bot), clock=clock))
    assert [str(beside_name(table, seat, 0, 30)) for seat in (0, 1)] == ["", " (hard bot)"]


@pytest.mark.parametrize("name", ["away", "Maximilian-Gottfried"])
async def test_who_is_away_stands_by_the_name_at_the_table_however_long_that_is(
    stage: Stage, name: str
) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats))
        await app.request(lambda n: TakeSeat(n, 0))
        assert app.store.table is not None
        other = Client(stage.hub.connect(name))
        await other.go_to(app.store.table.id)
        await other.sit(1)
        for seat in range(2, stage.seats):
            await app.request(lambda n, seat=seat: SetBot(n, seat, "random"))  # type: ignore[misc]
        await app.request(Start)
        await other.close()
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        await until(pilot, lambda: f"{name[:3]}" in beside(app) and "(away)" in beside(app))


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
@pytest.mark.parametrize("user", ["anna", "Maximilian-Gottfried"])
async def test_the_clock_stands_by_the_name_at_the_table_however_long_that_is(
    stage: Stage, size: tuple[int, int], user: str
) -> None:
    async with stage.play(user, local=False, size=size) as (app, pilot):
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats, clock=ClockRule(3600)))
        await app.request(lambda n: TakeSeat(n, 0))
        for seat in range(1, stage.seats):
            await app.request(lambda n, seat=seat: SetBot(n, seat, "random"))  # type: ignore[misc]
        await app.request(Start)
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        await until(pilot, lambda: "60 min" in beside(app) or "59 min" in beside(app))


async def test_a_clock_near_its_end_is_shown_with_every_second_and_an_idle_table_has_no_timer_for_it(
    stage: Stage,
) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        for clock in (None, ClockRule(90)):
            await app.request(lambda n, clock=clock: OpenTable(n, stage.game, {}, stage.seats, clock=clock))  # type: ignore[misc]
            await app.request(lambda n: TakeSeat(n, 0))
            for seat in range(1, stage.seats):
                await app.request(lambda n, seat=seat: SetBot(n, seat, "random"))  # type: ignore[misc]
            await app.request(Start)
            await until(pilot, lambda: isinstance(app.screen, TableScreen))
            assert (app._clock is None) is (clock is None)
            if clock is None:
                await app.request(lambda n: GoTo(n, None))
        first = beside(app)
        await until(pilot, lambda: "1:2" in beside(app) and beside(app) != first)


@pytest.mark.parametrize("clock", [None, RULE])
async def test_leaving_says_what_the_clock_does_and_where_one_runs_no_bot_is_offered(
    stage: Stage, clock: ClockRule | None
) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats, clock=clock))
        await app.request(lambda n: TakeSeat(n, 0))
        assert app.store.table is not None
        other = Client(stage.hub.connect("beate"))
        await other.go_to(app.store.table.id)
        await other.sit(1)
        for seat in range(2, stage.seats):
            await app.request(lambda n, seat=seat: SetBot(n, seat, "random"))  # type: ignore[misc]
        await app.request(Start)
        await other.close()
        await until(pilot, lambda: isinstance(app.screen, TableScreen) and "(away)" in beside(app))
        later = replace(app.store.table, absence=0)
        labels = [str(offer.label) for offer in offers(later, "anna")]
        assert ("Let a bot play for beate, who is away" in labels) is (clock is None)
        words = "Your clock keeps running; if your time runs out, a bot plays for you until you come back."
        for key in ("q", "ctrl+q"):
            await pilot.press(key)
            await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
            asked = str(app.screen.query_one("#question Static", Static).content)
            assert (words in asked) is (clock is not None)
            await pilot.press("n")
            await until(pilot, lambda: isinstance(app.screen, TableScreen))


async def test_who_has_given_up_hears_nothing_of_a_clock_and_leaves_without_being_asked(
    tmp_path: Path,
) -> None:
    stage = Stage(Hub(MemoryLog(), bot_pause=3600), tmp_path)
    async with stage.play("anna", local=False) as (app, pilot):
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats, clock=RULE))
        await app.request(lambda n: TakeSeat(n, 0))
        for seat in range(1, stage.seats):
            await app.request(lambda n, seat=seat: SetBot(n, seat, "random"))  # type: ignore[misc]
        await app.request(Start)
        await app.request(lambda n: Propose(n, "resign", 0))
        await until(pilot, lambda: isinstance(app.screen, TableScreen) and not app.seats_in_play)
        await pilot.press("ctrl+q")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        assert "clock" not in str(app.screen.query_one("#question Static", Static).content)
        await pilot.press("n", "q")
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen))
    await stage.hub.close()
