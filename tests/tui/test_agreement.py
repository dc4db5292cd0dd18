"""What is proposed at a table is seen above the prompt line, and answered in the table's menu."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace
from textual.widgets import OptionList

from kk_core.bot_names import bot_choices
from kk_core.protocol.messages import GoTo, Join, Notice, OpenTable, Propose, SetBot, Start, TakeSeat
from kk_core.text import text
from kk_core.views import ClockRule, SeatView, TableView
from kk_server.hub.hub import Hub
from kk_server.limits import Timeouts
from kk_server.storage.memory_log import MemoryLog
from kk_tui.app import KkApp
from kk_tui.games import faces
from kk_tui.match import table_setup
from kk_tui.match.screen import SheetScreen
from kk_tui.match.table import TableScreen
from kk_tui.match.table_menu import TableMenuScreen, offers
from kk_tui.match.table_setup import TableSetupScreen
from kk_tui.press_guard import TOO_SOON
from kk_tui.screens.dialogs import ConfirmScreen
from kk_tui.screens.lobby import LobbyScreen
from kk_tui.widgets.agreement import proposal_line
from tests.server.client import Client
from tests.tui.conftest import Stage, at_rest, shown, until
from tests.tui.playing import begin, keys_of, sit_down
from tests.tui.scenes import lines_of


async def test_a_proposal_stands_above_the_prompt_and_is_answered_in_the_menu(stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats))
        await app.request(lambda n: TakeSeat(n, 0))
        assert app.store.table is not None
        beate = stage.hub.connect("beate")
        await beate.send(GoTo(1, app.store.table.id))
        await beate.send(TakeSeat(2, 1))
        await until(pilot, lambda: app.store.table and app.store.table.seats[1].owner == "beate")
        for seat in range(2, stage.seats):
            await app.request(lambda n, seat=seat: SetBot(n, seat, "random"))  # type: ignore[misc]
        await app.request(Start)
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        await beate.send(Propose(3, "abort"))
        await until(pilot, lambda: app.store.table and app.store.table.proposal)
        assert "beate would like to abort the match" in shown(app, "agreement")
        assert "j answers" in shown(app, "agreement")
        await pilot.click("#agreement")
        await until(pilot, lambda: isinstance(app.screen, TableMenuScreen) and app.screen.query(OptionList))
        await pilot.press("enter")  # Agree
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        assert "would like" not in shown(app, "agreement")
        await beate.close()


async def test_a_proposal_is_seen_over_a_score_sheet_that_lies_over_the_board_and_answered_from_there(
    stage: Stage,
) -> None:
    async with stage.play("anna", local=False, games=faces(), size=(80, 24)) as (app, pilot):
        await app.request(lambda n: OpenTable(n, "web_of_power", {}, 3))
        await app.request(lambda n: TakeSeat(n, 0))
        assert app.store.table is not None
        beate = stage.hub.connect("beate")
        await beate.send(GoTo(1, app.store.table.id))
        await beate.send(TakeSeat(2, 1))
        await until(pilot, lambda: app.store.table and app.store.table.seats[1].owner == "beate")
        await app.request(lambda n: SetBot(n, 2, "random"))
        await app.request(Start)
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        assert isinstance(app.screen, TableScreen)
        await app.push_screen(SheetScreen(app.screen))  # as `s` does once it has more to say
        await beate.send(Propose(3, "abort"))
        await until(
            pilot, lambda: "beate would like to abort the match, without a result: j answers" in page(app)
        )
        await pilot.press("j")
        await until(pilot, lambda: isinstance(app.screen, TableMenuScreen) and app.screen.query(OptionList))
        await beate.close()


def page(app: KkApp) -> str:
    """Everything on the screen."""
    return "\n".join(lines_of(app))


async def test_nobody_agrees_by_an_enter_that_was_meant_for_what_stood_there_before(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats))
        await app.request(lambda n: TakeSeat(n, 0))
        assert app.store.table is not None
        beate = stage.hub.connect("beate")
        await beate.send(GoTo(1, app.store.table.id))
        await beate.send(TakeSeat(2, 1))
        await until(pilot, lambda: app.store.table and app.store.table.seats[1].owner == "beate")
        for seat in range(2, stage.seats):
            await app.request(lambda n, seat=seat: SetBot(n, seat, "random"))  # type: ignore[misc]
        await app.request(Start)
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        await pilot.press("j")
        await until(pilot, lambda: isinstance(app.screen, TableMenuScreen) and app.screen.query(OptionList))
        first = app.screen.query_one(OptionList).get_option_at_index(0).prompt
        monkeypatch.setattr("kk_tui.press_guard.SEEN", 3600.0)
        await beate.send(Propose(3, "abort"))
        await until(pilot, lambda: app.screen.query_one(OptionList).get_option_at_index(0).prompt != first)
        await pilot.press("enter")
        await until(pilot, lambda: shown(app, "prompt") == str(TOO_SOON))
        assert app.store.table.proposal is not None
        monkeypatch.setattr("kk_tui.press_guard.SEEN", 0.0)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        await beate.close()


async def test_a_second_enter_does_not_give_up_the_seat_that_the_first_one_has_taken(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await stage.hub.open_table("beate", OpenTable(0, stage.game, {}, stage.seats))
    async with stage.play("anna", local=False) as (app, pilot):
        await app.request(lambda n: GoTo(n, table.id))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen) and app.store.table)
        monkeypatch.setattr("kk_tui.press_guard.SEEN", 3600.0)
        await pilot.press("enter")
        await until(pilot, lambda: shown(app, "prompt") == str(TOO_SOON))
        assert not app.my_seats
        monkeypatch.setattr("kk_tui.press_guard.SEEN", 0.0)
        await pilot.press("enter")
        await until(pilot, lambda: app.my_seats == (0,))
        monkeypatch.setattr("kk_tui.press_guard.SEEN", 3600.0)
        await pilot.press("enter")
        await until(pilot, lambda: shown(app, "prompt") == str(TOO_SOON))
        assert app.my_seats == (0,)


async def test_the_waiting_room_shows_the_code_and_who_is_ready(stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats, private=True))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen) and app.store.table)
        assert app.store.table is not None
        code = app.store.table.code
        assert code is not None
        await until(pilot, lambda: f"join {code}" in str(app.screen.query_one("#table-words").render()))
        assert "b bot" in keys_of(app)


async def test_who_has_said_that_he_is_ready_is_not_asked_for_it_again(stage: Stage) -> None:
    table = await stage.hub.open_table("beate", OpenTable(0, stage.game, {}, stage.seats))
    beate, others = stage.hub.connect("beate"), stage.hub.connect("carl")
    await beate.send(GoTo(1, table.id))
    await beate.send(TakeSeat(2, 0))
    await others.send(GoTo(1, table.id))
    for seat in range(2, stage.seats):
        await others.send(TakeSeat(seat, seat))
    async with stage.play("anna", local=False) as (app, pilot):
        await app.request(lambda n: GoTo(n, table.id))
        await app.request(lambda n: TakeSeat(n, 1))
        await until(pilot, lambda: "press g when you're ready" in shown(app, "prompt"))
        assert "ready" in keys_of(app)
        await pilot.press("g")
        await until(pilot, lambda: "You're ready" in shown(app, "prompt"))
        assert "ready" not in keys_of(app)
    await beate.close()
    await others.close()


async def test_a_table_is_handed_on_only_to_somebody_who_is_here(stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats))
        assert app.store.table is not None
        beate = stage.hub.connect("beate")
        await beate.send(GoTo(1, app.store.table.id))
        await beate.send(TakeSeat(2, 0))
        await until(pilot, lambda: app.store.table and app.store.table.seats[0].online)
        hand_on = "Make {name} the owner"
        assert hand_on in [offer.label.msgid for offer in offers(app.store.table, "anna")]
        await beate.close()
        await until(pilot, lambda: app.store.table and not app.store.table.seats[0].online)
        assert hand_on not in [offer.label.msgid for offer in offers(app.store.table, "anna")]


async def test_what_loses_something_is_asked_for_once_more(stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        await pilot.press("j")
        await until(pilot, lambda: isinstance(app.screen, TableMenuScreen) and app.screen.query(OptionList))
        assert "the SHA-256 of the host's part is" in str(app.screen.query_one("#shuffle").render())
        assert "Enter do it" in keys_of(app)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        await until(pilot, lambda: "Enter/Esc back" in keys_of(app))
        await pilot.press("left")
        await until(pilot, lambda: "Enter do it  Esc back" in keys_of(app))
        assert stage.hub.tables
        await pilot.press("y")
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen) and not stage.hub.tables)


async def test_a_seat_that_its_owner_has_clicked_himself_onto_goes_to_a_bot_by_one_key(stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats))
        await app.request(lambda n: TakeSeat(n, 0))
        await app.request(lambda n: TakeSeat(n, 1))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen) and app.my_seats == (0, 1))
        await pilot.press("up", "up")
        await until(pilot, lambda: app.screen.query_one(OptionList).highlighted == 0)
        assert "b bot" in keys_of(app)
        await pilot.press("b")
        await until(pilot, lambda: app.store.table and app.store.table.seats[0].bot)
        await until(pilot, lambda: app.my_seats == (1,))


async def test_the_only_seat_of_somebody_goes_to_no_bot_by_a_key_pressed_once_too_often(stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats))
        await app.request(lambda n: TakeSeat(n, 0))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen) and app.my_seats == (0,))
        await pilot.press("up")
        await until(pilot, lambda: app.screen.query_one(OptionList).highlighted == 0)
        assert "b bot" not in keys_of(app)
        await pilot.press("b")
        await until(pilot, lambda: "your own seat" in shown(app, "prompt"))
        assert app.my_seats == (0,)


async def test_a_command_typed_blindly_into_a_question_neither_answers_it_nor_is_said_to_anybody(
    stage: Stage,
) -> None:
    """Its letters are answers and keys otherwise: n goes back, and o opens the chat, which says the rest."""
    async with stage.play("anna", local=False) as (app, pilot):
        await sit_down(app, stage.game, stage.seats, 0)
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        await pilot.press(*"/open web_of_power", "enter")
        await at_rest(pilot)
        assert isinstance(app.screen, ConfirmScreen)
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        await at_rest(pilot)
        assert app.store.table is not None
        assert app.store.table.chat.said == 0


async def test_each_press_of_b_changes_the_bot_on_the_seat_under_the_cursor_which_stays_there(
    stage: Stage,
) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen) and app.store.table)
        setup = app.screen
        assert isinstance(setup, TableSetupScreen)
        seats = setup.query_one(OptionList)
        for bot in (*bot_choices(), None, bot_choices()[0]):
            await pilot.press("b")
            await until(pilot, lambda: app.store.table.seats[0].bot == bot)  # type: ignore[union-attr] # noqa: B023
            await at_rest(pilot)
            assert seats.highlighted == 0
        await pilot.press("down", "b")
        await until(pilot, lambda: app.store.table.seats[1].bot == bot_choices()[0])  # type: ignore[union-attr]


async def test_presses_of_b_on_the_last_free_seat_that_come_before_an_answer_count_all(stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats))
        for seat in range(1, stage.seats):
            await app.request(partial(SetBot, seat=seat, bot="easy"))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen) and app.store.table)
        await until(pilot, lambda: sum(not seat.bot for seat in app.store.table.seats) == 1)  # type: ignore[union-attr]
        setup = app.screen
        assert isinstance(setup, TableSetupScreen)
        for _ in range(3):
            setup.do_bot()
        await until(pilot, lambda: app.store.table.seats[0].bot == bot_choices()[2])  # type: ignore[union-attr]


async def test_what_was_refused_is_told_no_more_on_another_seat(stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats))
        await app.request(lambda n: TakeSeat(n, 0))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen) and app.my_seats == (0,))
        await pilot.press("up", "b")
        await until(pilot, lambda: "your own seat" in shown(app, "prompt"))
        await pilot.press("down")
        await until(pilot, lambda: "b puts a bot on" in shown(app, "prompt"))


async def test_the_key_for_a_bot_goes_past_one_that_cannot_be_seated(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_setup, "bot_choices", lambda: ("broken", "easy"))
    async with stage.play("anna", local=False) as (app, pilot):
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen) and app.store.table)
        await pilot.press("b")
        await until(pilot, lambda: "Unknown bot 'broken'" in shown(app, "prompt"))
        await pilot.press("b")
        await until(pilot, lambda: "easy" in {seat.bot for seat in app.store.table.seats})  # type: ignore[union-attr]


async def test_in_a_long_menu_the_line_under_the_cursor_is_seen(stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        clock = ClockRule(86400, 86400)
        await app.request(lambda n: OpenTable(n, "land_cards", {}, 5, private=True, clock=clock))
        await app.request(lambda n: TakeSeat(n, 0))
        assert app.store.table is not None
        code = app.store.table.code or ""
        others = [stage.hub.connect(name) for name in ("beate", "carl", "dora", "emil")]
        for seat, other in enumerate(others, start=1):
            await other.send(Join(1, code))
            await other.send(TakeSeat(2, seat))
        await until(pilot, lambda: app.store.table and all(seat.online for seat in app.store.table.seats))
        await app.request(Start)
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        await pilot.press("j")
        await until(pilot, lambda: isinstance(app.screen, TableMenuScreen) and app.screen.query(OptionList))
        await until(pilot, lambda: "You own this table." in "\n".join(lines_of(app)))
        await pilot.press("end")
        menu = app.screen.query_one(OptionList)
        await until(pilot, lambda: menu.highlighted == menu.option_count - 1)
        last = menu.region.y + menu.option_count - 1
        assert str(menu.options[-1].prompt) == "Close the table"
        assert menu.highlighted == menu.option_count - 1
        frame = app.screen.query_one("#table-menu").content_region
        assert frame.y <= last < frame.bottom
        await until(pilot, lambda: "SHA-256" in "\n".join(lines_of(app)))
        await pilot.press("home")
        await until(pilot, lambda: "You own this table." in "\n".join(lines_of(app)))
        for other in others:
            await other.close()


@pytest.mark.parametrize(("size", "title"), [((160, 50), True), ((80, 24), False)])
async def test_a_notice_leaves_the_title_of_a_match_in_view_where_both_have_room(
    stage: Stage, size: tuple[int, int], title: bool
) -> None:
    async with stage.play(size=size) as (app, pilot):
        await begin(app, pilot)
        said = shown(app, "header")
        notice = Notice(text("There is much to be told here, {a}.", a="word after word " * 2))
        app.post_message(app.Noticed(notice))
        await until(pilot, lambda: "much to be told" in lines_of(app)[0])
        assert (said in lines_of(app)[0]) is title
        app._noticed_at = -1e9
        app.post_message(app.PlaceChanged())
        await until(pilot, lambda: "much to be told" not in lines_of(app)[0])
        assert said in lines_of(app)[0]


@pytest.mark.parametrize("phase", ["playing", "finished", "replay"])
def test_a_seat_is_taken_back_from_a_bot_only_while_the_match_goes_on(phase: str) -> None:
    seats = (
        SeatView("Anna", "anna", None, True, 0, stand_in="medium"),
        SeatView("Ben", "ben", None, True, 0),
    )
    table = TableView("t", "", "ben", "g", (), False, phase, seats, None, None)
    labels = [offer.label.msgid for offer in offers(table, "anna")]
    line = proposal_line(table, "anna")
    assert ("Take my seat back from the bot" in labels) == (phase == "playing")
    assert (line is not None) == (phase == "playing")
    assert proposal_line(table, "ben") is None


async def test_a_bot_is_offered_for_who_is_away_as_soon_as_it_can_play_and_before_it_is_said_when(
    tmp_path: Path,
) -> None:
    hub = Hub(MemoryLog(), bot_pause=0, times=Timeouts(vote=100))
    async with Stage(hub, tmp_path).play("anna", local=False) as (app, pilot):
        await app.request(lambda n: OpenTable(n, "web_of_power", {}, 3))
        await app.request(lambda n: TakeSeat(n, 0))
        assert app.store.table is not None
        others = [Client(hub.connect(name)) for name in ("beate", "claus")]
        for seat, other in enumerate(others, 1):
            await other.go_to(app.store.table.id)
            await other.sit(seat)
        await app.request(Start)
        await others[0].close()
        await until(pilot, lambda: app.store.table is not None and not app.store.table.seats[1].online)
        await pilot.press("j")
        await until(pilot, lambda: isinstance(app.screen, TableMenuScreen) and app.screen.query(OptionList))
        offered = "Let a bot play for beate, who is away"
        assert offered not in [str(offer.label) for offer in offers(app.store.table, "anna")]
        await until(pilot, lambda: "beate has only just left: " in "\n".join(lines_of(app)))
        gone = replace(app.store.table.seats[1], away=app.store.table.seats[1].away - 100)
        seats = (app.store.table.seats[0], gone, app.store.table.seats[2])
        app.store.place = replace(app.store.table, seats=seats)
        app.screen_in_front.renew()
        await until(pilot, lambda: offered in "\n".join(lines_of(app)))
        assert "has only just left" not in "\n".join(lines_of(app))
        await others[1].close()
    await hub.close()


async def test_an_open_menu_offers_a_bot_when_the_time_for_it_has_come(tmp_path: Path) -> None:
    hub = Hub(MemoryLog(), bot_pause=0, times=Timeouts(vote=1))
    async with Stage(hub, tmp_path).play("anna", local=False) as (app, pilot):
        await app.request(lambda n: OpenTable(n, "web_of_power", {}, 3))
        await app.request(lambda n: TakeSeat(n, 0))
        assert app.store.table is not None
        beate = Client(hub.connect("beate"))
        await beate.go_to(app.store.table.id)
        await beate.sit(1)
        await app.request(lambda n: SetBot(n, 2, "random"))
        await app.request(Start)
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        await pilot.press("j")
        await until(pilot, lambda: isinstance(app.screen, TableMenuScreen))
        await beate.close()
        await until(pilot, lambda: "Let a bot play for beate, who is away" in "\n".join(lines_of(app)))
    await hub.close()
