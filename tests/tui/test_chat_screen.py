"""People talk in the lobby, in the waiting room and beside the board."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from textual.events import Key
from textual.widgets import Input

from kk_core.protocol.messages import Find, GoTo, Join, OpenTable, Say, TakeSeat
from kk_core.text import text
from kk_core.views import CHAT_SLOTS, ChatLine, ChatView, TableView
from kk_server.hub.hub import Hub
from kk_server.tables.chat import Complaint
from kk_tui.app import KkApp, multiplayer
from kk_tui.chat import ChatReader, parse_line, seat_of
from kk_tui.chat import shown as rows_of
from kk_tui.games import faces
from kk_tui.match.table import TableScreen
from kk_tui.match.table_setup import TableSetupScreen
from kk_tui.plain.people import parted
from kk_tui.screens.chat import ChatHelpDialog, ChatScreen
from kk_tui.screens.dialogs import Dialog
from kk_tui.screens.help import HelpScreen
from kk_tui.screens.lobby import LobbyScreen
from kk_tui.widgets.agreement import heard_line
from kk_tui.widgets.chat_panel import ChatPanel, Said
from tests.core.contract.tables import people_at
from tests.tui.conftest import Stage, shown, until
from tests.tui.playing import at_table, beside_one_who_is_away, board_in, keys_of
from tests.tui.scenes import lines_of, match_of, scene_of_match
from tests.waiting import wait_for


def words(chat_reader: ChatReader, *lines: ChatLine) -> list[str]:
    return [str(row) for line in lines if chat_reader.hears(line) for row in rows_of(line, 60)]


def heard(app: object) -> str:
    """The words of the chat in front."""
    return "\n".join(app.screen.query_one(Said).rows)  # type: ignore[attr-defined]


def said(app: object) -> str:
    """The same in one line, however it is wrapped."""
    return " ".join(heard(app).split())


@pytest.mark.parametrize(
    ("line", "parsed"),
    [
        ("hello", ("", "hello")),
        ("/join", ("join", "")),
        ("/JOIN  ab CD ", ("join", "ab CD")),
        ("/", ("help", "")),
    ],
)
def test_a_line_with_a_slash_is_a_command(line: str, parsed: tuple[str, str]) -> None:
    assert parse_line(line) == parsed


def test_nothing_is_heard_of_whom_one_has_muted_until_one_hears_him_again() -> None:
    chat_reader, lines = ChatReader(), (ChatLine(1, "eve", "Eve", "psst"), ChatLine(2, "ben", "Ben", "hello"))
    chat_reader.mute("EVE")
    assert words(chat_reader, *lines) == ["Ben: hello"]
    chat_reader.unmute("eve")
    assert words(chat_reader, *lines) == ["Eve: psst", "Ben: hello"]


@pytest.mark.parametrize("name", ["eve", "Aunt Eve"])
def test_somebody_is_muted_by_the_name_of_the_account_or_by_that_on_the_seat(name: str) -> None:
    chat_reader, lines = (
        ChatReader(),
        (ChatLine(1, "eve", "Aunt Eve", "psst"), ChatLine(2, "ben", "Ben", "hello")),
    )
    chat_reader.mute(name)
    assert words(chat_reader, *lines) == words(ChatReader(), lines[1])
    chat_reader.unmute(name)
    assert words(chat_reader, *lines) == words(ChatReader(), *lines)


async def test_who_mutes_somebody_is_told_how_to_hear_him_again(stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        guest = stage.hub.connect("~Eve")
        await until(pilot, lambda: app.store.lobby is not None and "~Eve" in app.store.lobby.users)
        await pilot.press("slash", *"mute Eve", "enter")
        await until(pilot, lambda: "Eve is muted for you; '/unmute Eve'" in said(app))
        await pilot.press(*"/unmute Eve", "enter")
        await until(pilot, lambda: "Eve is no longer muted." in said(app))
        await guest.close()


async def test_somebody_is_reported_to_the_host_by_a_line_and_where_there_is_none_that_is_said(
    stage: Stage,
) -> None:
    taken: list[Complaint] = []
    async with stage.play("anna", local=False) as (app, pilot):
        guest = stage.hub.connect("~Eve")
        await guest.send(Say(1, "psst"))
        await until(pilot, lambda: "Eve: psst" in heard(app))
        await pilot.press("slash", *"report eve", "enter")
        await until(pilot, lambda: "You can't report anybody here" in shown(app, "prompt"))
        stage.hub.take_complaint = taken.append
        await pilot.press(*" it is rude", "enter")
        await until(pilot, lambda: "Your report goes to the host of this server" in said(app))
        await guest.close()
    (complaint,) = taken
    assert (complaint.user, complaint.about, complaint.why) == ("anna", "eve", "it is rude")
    assert [line.words for line in complaint.heard[0].lines] == ["psst"]


@pytest.mark.parametrize(
    ("words", "name", "why"),
    [
        ("anna maria cheats", "anna maria", "cheats"),
        ("Anna Maria", "Anna Maria", ""),
        ("anna cheats", "anna", "cheats"),
        ("carl 2  is rude", "carl 2", "is rude"),
        ("~carl 2 is rude", "~carl 2", "is rude"),
        ("carl 22 is rude", "carl", "22 is rude"),
        ("nobody is rude", "nobody", "is rude"),
    ],
)
def test_a_name_of_several_words_is_reported_as_one_and_not_somebody_of_its_first_word(
    words: str, name: str, why: str
) -> None:
    assert parted(words, ["", "Anna", "Anna Maria", "~carl 2"]) == (name, why)


async def test_somebody_who_has_left_is_known_to_who_mutes_him_while_his_words_are_there(
    stage: Stage,
) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        guest = stage.hub.connect("~Eve")
        await guest.send(Say(1, "psst"))
        await until(pilot, lambda: "Eve: psst" in heard(app))
        await guest.close()
        await until(pilot, lambda: app.store.lobby is not None and "~Eve" not in app.store.lobby.users)
        await pilot.press("slash", *"mute eve", "enter")
        await until(pilot, lambda: "eve is muted for you" in said(app))


async def test_who_mutes_a_name_that_nobody_has_here_is_told_so_and_hears_no_one_who_comes(
    stage: Stage,
) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        await pilot.press("slash", *"mute Eev", "enter")
        await until(pilot, lambda: "Nobody called Eev is here" in said(app))
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        await pilot.press("slash", *"mute Zoe", "enter")
        await until(pilot, lambda: "Nobody called Zoe is here" in said(app))
        assert app.chat_reader.muted == {"eev", "zoe"}


async def test_who_has_sat_down_reads_what_the_match_waits_for(stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        host = stage.hub.connect("ben")
        await host.send(OpenTable(1, stage.game, {}, stage.seats))
        await until(pilot, lambda: app.store.lobby is not None and bool(app.store.lobby.tables))
        assert app.store.lobby is not None
        table = app.store.lobby.tables[0].id
        await app.request(lambda n: GoTo(n, table))
        await until(
            pilot,
            lambda: (
                shown(app, "prompt").strip()
                == "Enter takes a free seat; the match can begin when all are taken."
            ),
        )
        await app.request(lambda n: TakeSeat(n, 1))
        await until(pilot, lambda: "You have a seat; the match can begin" in shown(app, "prompt"))
        await host.close()


async def test_who_leaves_the_line_of_a_waiting_room_reads_again_what_he_can_do_there(stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        await until(pilot, lambda: "b puts a bot on" in shown(app, "prompt"))
        await pilot.press("o")
        await until(pilot, lambda: "Everybody at this table will see this." in shown(app, "prompt"))
        await pilot.press("escape")
        await until(pilot, lambda: "b puts a bot on" in shown(app, "prompt"))


async def test_what_is_written_in_the_lobby_is_said_and_escape_leads_back_to_the_tables(stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        await pilot.press("o", *"hello", "enter")
        await until(pilot, lambda: "anna: hello" in heard(app))
        assert "send" in keys_of(app)
        await pilot.press("escape")
        await until(pilot, lambda: "n new" in keys_of(app))


async def test_a_function_key_says_its_phrase_wherever_one_is(stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        await pilot.press("f2")
        await until(pilot, lambda: "anna: Good luck, and have fun!" in heard(app))
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        await pilot.press("f9")
        await until(pilot, lambda: "anna: Thanks, that was fun. Bye!" in heard(app))
        await pilot.press("o", "slash", "h", "e", "l", "p", "enter")
        await until(pilot, lambda: isinstance(app.screen, ChatHelpDialog))
        lines = [line.rstrip() for line in lines_of(app)]
        assert any(line.strip().startswith("F4 Well played!") for line in lines)
        assert any(line.endswith("F8 Another game?") for line in lines)
        assert lines[0].strip() == "Chat"
        assert "Back" in "\n".join(lines)


@pytest.mark.parametrize("ascii_only", [False, True])
async def test_on_a_wide_screen_dialogs_are_framed_but_for_the_help_which_needs_the_columns(
    stage: Stage, *, ascii_only: bool
) -> None:
    async with stage.play("anna", local=False, size=(120, 40)) as (app, pilot):
        app.set_class(ascii_only, "-ascii")
        await pilot.press("o", *"/help", "enter")
        await until(pilot, lambda: isinstance(app.screen, ChatHelpDialog))
        help_page = app.screen.query_one("#dialog")
        assert (help_page.size.width, help_page.styles.border_top[0]) == (120, "")
        app.push_screen(Dialog(text("Is it so?"), {"back": text("Back")}))
        await until(pilot, lambda: isinstance(app.screen, Dialog) and app.screen is not help_page.screen)
        framed = app.screen.query_one("#dialog").styles.border_top[0]
        assert framed == ("ascii" if ascii_only else "round")


async def test_the_meanings_of_the_words_after_a_slash_stand_in_one_column(stage: Stage) -> None:
    async with stage.play("anna", local=False, size=(80, 70)) as (app, pilot):
        await pilot.press("o", *"/help", "enter")
        await until(pilot, lambda: isinstance(app.screen, ChatHelpDialog))
        lines = [line.rstrip() for line in lines_of(app)]
        commands = [line for line in lines if line.lstrip().startswith("/")]
        assert len(commands) == len(app.chat_console.words())
        assert len({len(line) - len(line.lstrip()) for line in commands}) == 1
        starts = {
            words: line.index(words)
            for line in lines
            for words in ("go to a table, and", "report some")
            if words in line
        }
        assert len(starts) == 2
        assert len(set(starts.values())) == 1


async def test_what_the_host_says_stays_over_the_header_of_a_table_while_others_move(stage: Stage) -> None:
    async with (
        stage.play("anna", local=False) as (app, pilot),
        beside_one_who_is_away(stage, app, pilot, stage.game),
    ):
        stage.hub.sessions.tell_all(text("The server stops at ten"))
        await until(pilot, lambda: "stops at ten" in shown(app, "agreement"))
        app.screen_in_front.renew()
        assert "stops at ten" in shown(app, "agreement")
        assert "stops at ten" not in shown(app, "prompt")


@pytest.mark.parametrize("where", ["lobby", "table", "help"])
async def test_an_announcement_stays_in_whole_until_somebody_presses_a_key_who_had_time_to_read_it(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    said = "The server stops at ten, since the host goes to bed; finish your matches or come back tomorrow."
    async with stage.play("anna", local=False) as (app, pilot):
        if where == "table":
            await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats))
            await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        if where == "help":
            await pilot.press("question_mark")
            await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        screen = app.screen_in_front
        monkeypatch.setattr(multiplayer, "reading", lambda _: 1e9)
        stage.hub.sessions.tell_all(text(said), from_host=True)
        stage.hub.sessions.tell("anna", text("A notice that passes."))
        await until(pilot, lambda: f"[Announcement] {said}" in shown(app, "agreement"))
        strip = screen.query_one("#agreement")
        await until(pilot, lambda: strip.size.height > 1)
        await pilot.press("tab", "tab")
        assert strip.display
        words = " ".join(" ".join(lines_of(app)).split())
        assert said in words
        monkeypatch.setattr(multiplayer, "reading", lambda _: 0.0)
        await pilot.press("tab")
        await until(pilot, lambda: "Announcement" not in " ".join(lines_of(app)))
        assert app.kept_notice is None


async def test_one_announcement_after_the_other_is_shown_and_a_click_takes_one_away(stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        for said in ("first", "second"):
            stage.hub.sessions.tell_all(text(said), from_host=True)
        for said in ("first", "second"):
            await until(pilot, lambda said=said: f"[Announcement] {said}" in shown(app, "agreement"))  # type: ignore[misc]
            await pilot.click("#agreement")
        await until(pilot, lambda: not app.screen.query_one("#agreement").display)


async def test_nothing_that_a_person_says_begins_a_row_where_announcements_and_names_begin(
    stage: Stage,
) -> None:
    """Written with care, the words begin a new row; they stand under the words before, not under names."""
    async with stage.play("anna", local=False) as (app, pilot):
        chat = app.screen.query_one(ChatPanel)
        for blanks in range(45, 65):
            stage.hub.lobby.say("eve", "x" * blanks + " [Announcement] Type your code into the line below.")
            await until(pilot, lambda n=blanks: "x" * n in heard(app))  # type: ignore[misc]
        rows = [line.strip("\n") for line in heard(app).split("\n")]
        assert sum("[Announcement]" in row for row in rows) == 20
        assert not any(row.startswith(("[", "x")) for row in rows)
        assert max(map(len, rows)) <= chat.query_one(Said).size.width - 4


async def test_who_runs_the_server_is_marked_in_the_talk_and_among_those_who_are_here(stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        olga = stage.hub.connect("olga", is_admin=True)
        await olga.send(Say(1, "hello"))
        await until(pilot, lambda: "olga [admin]: hello" in heard(app))
        await until(pilot, lambda: "2 here: anna, olga [admin]" in shown(app, "here"))
        await app.request(lambda n: Say(n, "olga [admin]: me, too"))
        await until(pilot, lambda: "anna: olga [admin]: me, too" in heard(app))
        await olga.close()


async def test_at_home_a_phrase_has_nobody_to_hear_it(stage: Stage) -> None:
    async with stage.play() as (app, pilot):
        await pilot.press("f2")
        await until(pilot, lambda: "You're alone here" in shown(app, "prompt"))


async def test_join_takes_a_seat_also_before_the_table_can_be_seen(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await stage.hub.open_table("beate", OpenTable(0, stage.game, {}, stage.seats, "Friday"))
    shows, show = asyncio.Event(), KkApp.on_configured_app_place_changed

    async def late(app: KkApp) -> None:
        await shows.wait()
        await show(app)

    async with stage.play("anna", local=False) as (app, pilot):
        await pilot.press("slash", *"join friday")
        monkeypatch.setattr(KkApp, "on_configured_app_place_changed", late)
        pressing = asyncio.create_task(pilot.press("enter"))
        try:
            await wait_for(lambda: table.state.seats[0].owner == "anna")
        finally:
            shows.set()
            await pressing
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))


async def test_join_takes_a_seat_at_the_table_under_the_cursor_or_of_a_name(stage: Stage) -> None:
    table = await stage.hub.open_table("beate", OpenTable(0, stage.game, {}, stage.seats, "Friday"))
    async with stage.play("anna", local=False) as (app, pilot):
        await pilot.press("slash", *"join", "enter")
        await until(pilot, lambda: table.state.seats[0].owner == "anna")
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
    async with stage.play("carl", local=False) as (app, pilot):
        await pilot.press("slash", *"join friday", "enter")
        await until(pilot, lambda: table.state.seats[1].owner == "carl")


async def test_who_comes_back_by_join_takes_no_further_seat(stage: Stage) -> None:
    table = await stage.hub.open_table("beate", OpenTable(0, stage.game, {}, stage.seats, "Friday"))
    async with stage.play("anna", local=False) as (app, pilot):
        for line in ("join friday", "join", "join friday"):
            await pilot.press("slash", *line, "enter")
            await until(pilot, lambda: isinstance(app.screen, TableSetupScreen) and app.my_seats == (0,))
            await app.request(lambda n: GoTo(n, None))
            await until(pilot, lambda: isinstance(app.screen, LobbyScreen))
    assert [seat.owner for seat in table.state.seats].count("anna") == 1


async def test_who_joins_a_table_without_a_free_seat_looks_on_and_reads_so(stage: Stage) -> None:
    table = await stage.hub.open_table("beate", OpenTable(0, stage.game, {}, stage.seats, "Friday"))
    for seat, name in enumerate(("beate", "carl", "dora")[: stage.seats]):
        await table.take_seat(name, seat, name)
    async with stage.play("anna", local=False) as (app, pilot):
        await pilot.press("slash", *"join friday", "enter")
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        await until(pilot, lambda: "All seats are taken" in shown(app, "prompt"))
        await pilot.press("slash", *"join", "enter")
        await until(pilot, lambda: "No seat is free here." in shown(app, "prompt"))


async def test_what_is_told_while_a_screen_makes_way_for_another_one_is_said_there(stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        coming = TableSetupScreen()
        coming.complain(text("There is no such table."))
        app.push_screen(coming)
        await until(pilot, lambda: "There is no such table." in shown(app, "prompt"))


@pytest.mark.parametrize("command", ["watch", "join"])
async def test_at_a_table_it_is_said_where_other_tables_are_found(stage: Stage, command: str) -> None:
    await stage.hub.open_table("beate", OpenTable(0, stage.game, {}, stage.seats, "Friday"))
    async with stage.play("anna", local=False) as (app, pilot):
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        await pilot.press("slash", *f"{command} friday", "enter")
        await until(pilot, lambda: "the lobby" in shown(app, "prompt"))
        await pilot.press("ctrl+u", *"/join k3r-tzw", "enter")
        await until(pilot, lambda: "No table here has this code" in shown(app, "prompt"))


async def test_in_the_lobby_a_name_that_nobody_has_is_not_taken_for_a_code(stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        await pilot.press("slash", *"join friday", "enter")
        await until(pilot, lambda: "or a player of this name" in shown(app, "prompt"))


async def test_a_mistyped_invitation_stays_to_be_mended_letter_by_letter_and_is_never_said(
    stage: Stage,
) -> None:
    table = await stage.hub.open_table("beate", OpenTable(0, stage.game, {}, stage.seats, private=True))
    code = table.code or ""
    wrong = code[:-1] + ("7" if code[-1] != "7" else "8")
    async with stage.play("anna", local=False) as (app, pilot):
        await pilot.press("j", *wrong, "enter")
        await until(pilot, lambda: "No table here has this code" in shown(app, "prompt"))
        assert app.screen.query_one(Input).value == f"/join {wrong}"
        await pilot.press("backspace")
        assert app.screen.query_one(Input).value == f"/join {wrong[:-1]}"
        await pilot.press(code[-1], "enter")
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        assert app.store.table is not None
        assert app.store.table.id == table.id
        assert stage.hub.lobby.chat.view().said == 0


async def test_what_is_typed_after_a_mistyped_invitation_takes_its_place(stage: Stage) -> None:
    table = await stage.hub.open_table("beate", OpenTable(0, stage.game, {}, stage.seats, private=True))
    async with stage.play("anna", local=False) as (app, pilot):
        await pilot.press("j", *"xyz", "enter")
        await until(pilot, lambda: "or a player of this name" in shown(app, "prompt"))
        await pilot.press(*(table.code or ""))
        assert app.screen.query_one(Input).value == f"/join {table.code}"
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        assert stage.hub.lobby.chat.view().said == 0


@pytest.mark.parametrize(
    ("refused", "typed", "then"),
    [
        ("/watch nobody", "Friday", "/watch Friday"),
        ("/invite nobody at all", "beate", "/invite beate"),
        ("/report nobody", " is rude", "/report nobody is rude"),
        ("/jion K3RTZW", "/join K3RTZW", "/jion /join K3RTZW"),
        ("K3RTZW", "/join K3RTZW", "/join K3RTZW"),
    ],
)
async def test_what_is_typed_after_a_refused_line_takes_the_place_of_what_was_wrong(
    stage: Stage, refused: str, typed: str, then: str
) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        line = app.screen.query_one(Input)
        await pilot.press("o", *typed_as(refused), "enter")
        await until(pilot, lambda: not line.selection.is_empty)
        assert line.value == refused
        await pilot.press(*typed_as(typed))
        assert line.value == then
        assert stage.hub.lobby.chat.view().said == 0


async def test_the_key_that_empties_the_line_empties_a_refused_one_too(stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        line = app.screen.query_one(Input)
        await pilot.press("o", *typed_as("/join nobody"), "enter")
        await until(pilot, lambda: not line.selection.is_empty)
        await pilot.press("ctrl+u")
        assert line.value == ""


def typed_as(line: str) -> list[str]:
    return ["slash" if letter == "/" else "space" if letter == " " else letter for letter in line]


async def test_who_comes_back_to_a_refused_line_types_over_it(stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        await pilot.press("j", *"xyz", "enter")
        await until(pilot, lambda: "or a player of this name" in shown(app, "prompt"))
        await pilot.press("escape", "o", "backspace")
        assert app.screen.query_one(Input).value == "/join xy"
        await pilot.press("home", "backspace")
        assert app.screen.query_one(Input).value == "/join xy"
        await pilot.press("enter")
        await until(pilot, lambda: not app.screen.query_one(Input).selection.is_empty)
        await pilot.press("escape", "o", *"hello", "enter")
        await until(pilot, lambda: "anna: hello" in heard(app))


@pytest.mark.parametrize("line", ["/join K3R-TZW", "/join /join K3R-TZW", "/watch  /join K3R-TZW"])
def test_the_last_command_of_a_line_counts(line: str) -> None:
    assert parse_line(line) == ("join", "K3R-TZW")


async def test_a_line_that_is_refused_stays_and_one_that_was_said_goes(stage: Stage) -> None:
    stage.hub.use(replace(stage.hub.limits, lines_per_second=1e-9, lines_at_once=1), 0, "never")
    async with stage.play("anna", local=False) as (app, pilot):
        await pilot.press("o", *"hello", "enter")
        await until(pilot, lambda: app.screen.query_one(Input).value == "")
        await pilot.press(*"again", "enter")
        await until(pilot, lambda: "wait a moment" in shown(app, "prompt"))
        assert app.screen.query_one(Input).value == "again"


async def test_what_is_typed_before_the_answer_is_no_line_of_its_own(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody types on while an answer is slow: nothing of it is said before it is known what came."""
    answered, asked = asyncio.Event(), []
    async with stage.play("anna", local=False) as (app, pilot):
        request = app.request

        async def slow(make: Any) -> Any:
            message = make(0)
            asked.append(message)
            if isinstance(message, Find | Join | Say):
                await answered.wait()
            return await request(make)

        monkeypatch.setattr(app, "request", slow)
        await pilot.press("j", *"K3RTZX", "enter", *"K3", "enter")
        answered.set()
        await until(pilot, lambda: "No table here has this code" in shown(app, "prompt"))
        assert app.screen.query_one(Input).value == "/join K3"
        assert [type(message) for message in asked] == [Find, Join]
        await pilot.press("escape", "o", *"hello", "enter")
        await until(pilot, lambda: "anna: hello" in heard(app))


async def test_join_takes_the_beginning_of_a_title_where_only_one_begins_so(stage: Stage) -> None:
    for title in ("Friday evening", "Friday night", "Sunday at Beate's"):
        await stage.hub.open_table("beate", OpenTable(0, stage.game, {}, stage.seats, title))
    async with stage.play("anna", local=False) as (app, pilot):
        await until(pilot, lambda: app.store.lobby is not None and len(app.store.lobby.tables) == 3)
        await pilot.press("j", *"fri", "enter")
        await until(
            pilot,
            lambda: "2 titles match; type more of one: Friday evening, Friday night" in shown(app, "prompt"),
        )
        await pilot.press(*"day n", "enter")
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        assert "Friday night" in shown(app, "header")


async def test_an_unknown_command_is_no_line_and_help_tells_what_there_is(stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        await pilot.press("slash", *"dance", "enter")
        await until(pilot, lambda: "'dance' is no word here. Type '/help'." in shown(app, "prompt"))
        assert app.screen.query_one(Input).value == "/dance"
        await pilot.press(*" /report", "enter")
        await until(pilot, lambda: "Type a name after it." in shown(app, "prompt"))
        await pilot.press(*" /help", "enter")
        await until(pilot, lambda: isinstance(app.screen, ChatHelpDialog))


async def test_at_the_table_a_line_stands_over_the_header_and_the_talk_opens_beside_the_board(
    stage: Stage,
) -> None:
    async with (
        stage.play("anna", local=False) as (app, pilot),
        beside_one_who_is_away(stage, app, pilot, stage.game),
    ):
        hub: Hub = stage.hub
        assert app.store.table is not None
        await hub.say("away", hub.tables[app.store.table.id], "I am thinking")
        await until(pilot, lambda: "away: I am thinking" in shown(app, "agreement"))
        for key in ("o", *"fine", "enter"):  # all at once, as they come over a slow line
            app.post_message(Key(key, key if len(key) == 1 else None))
        await until(pilot, lambda: isinstance(app.screen, ChatScreen) and "I am thinking" in heard(app))
        await until(pilot, lambda: "anna: fine" in heard(app))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        assert not app.screen.query_one("#agreement").display


def test_the_names_of_those_who_play_stand_in_the_colours_of_their_seats() -> None:
    table = scene_of_match(match_of("land_cards", 3)).table
    seats = tuple(replace(seat, owner=name) for seat, name in zip(table.seats, "abc", strict=True))
    place = replace(table, seats=seats)
    for user, seat in (("b", 1), ("visitor", None), ("", None)):
        line = ChatLine(1, user, "Some One", "words")
        assert seat_of(place, line) == seat
        (row,) = rows_of(line, 60, seat)
        for shown_as in (row, heard_line(place, line)):
            styles = [str(span.style) for span in shown_as.spans]
            assert any("seat-1" in style for style in styles) is (seat == 1)


async def test_the_talk_at_a_table_says_what_it_is_in_its_first_line(tmp_path: Path) -> None:
    async with at_table(match_of("land_cards", 3), tmp_path, games=faces()) as (app, pilot):
        await pilot.press("o")
        await until(pilot, lambda: isinstance(app.screen, ChatScreen))
        await until(pilot, lambda: any(line.rstrip().endswith(" Chat") for line in lines_of(app)))


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (120, 40), (160, 50), (200, 60)])
@pytest.mark.parametrize("game", faces())
async def test_the_talk_covers_nothing_of_the_board(game: str, size: tuple[int, int], tmp_path: Path) -> None:
    match = match_of(game, people_at(game))
    async with at_table(match, tmp_path, games=faces(), size=size) as (app, pilot):
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        board = board_in(app)
        await until(pilot, lambda: board.region.right > 0)
        await pilot.press("o")
        await until(
            pilot, lambda: isinstance(app.screen, ChatScreen) and app.screen.query_one(ChatPanel).region
        )
        assert board.region.right <= app.screen.query_one(ChatPanel).region.x


async def test_what_is_said_after_a_notice_stands_in_its_place(stage: Stage) -> None:
    async with (
        stage.play("anna", local=False) as (app, pilot),
        beside_one_who_is_away(stage, app, pilot, stage.game),
    ):
        assert app.store.table is not None
        table = stage.hub.tables[app.store.table.id]
        stage.hub.sessions.tell("anna", text("Mind the step."))
        await until(pilot, lambda: "Mind the step." in shown(app, "agreement"))
        await stage.hub.say("away", table, "I am thinking")
        await until(pilot, lambda: "away: I am thinking" in shown(app, "agreement"))
        stage.hub.sessions.tell("anna", text("And the dog."))
        await until(pilot, lambda: "And the dog." in shown(app, "agreement"))


async def test_a_line_in_the_waiting_room_leaves_the_seats_alone(stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats))
        await app.request(lambda n: TakeSeat(n, 0))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        await pilot.press("o", *"big", "enter")
        await until(pilot, lambda: "anna: big" in heard(app))
        await pilot.press("escape", "escape")
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen))
        assert app.store.lobby is not None
        assert app.store.lobby.tables[0].seats[0].owner == "anna"
        await app.request(lambda n: Say(n, "x"))
        await app.request(lambda n: GoTo(n, None))


async def test_people_are_muted_and_invited_by_their_names_without_the_mark_of_guests(stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        guest = stage.hub.connect("~Eve")
        await guest.send(Say(1, "psst"))
        await until(pilot, lambda: "Eve: psst" in heard(app))
        await pilot.press("slash", *"mute eve", "enter")
        await until(pilot, lambda: "psst" not in heard(app))
        await pilot.press(*"/mute Anna", "enter")
        await until(pilot, lambda: "That's you." in shown(app, "prompt"))
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats, private=True))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        await pilot.press("slash", *"invite eve", "enter")
        await until(pilot, lambda: "eve has been invited" in said(app))
        await guest.close()


async def test_who_writes_reads_who_hears_him_and_what_a_line_can_ask_for(stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        await pilot.press("o")
        await until(pilot, lambda: "Everybody in the lobby will see this." in shown(app, "prompt"))
        await pilot.press("escape", "j")
        await until(pilot, lambda: "Type an invitation code" in shown(app, "prompt"))
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        await pilot.press("o")
        await until(pilot, lambda: "Everybody at this table will see this." in shown(app, "prompt"))


@pytest.mark.parametrize("is_at_table", [False, True])
async def test_the_footer_says_what_enter_does_with_the_line_that_is_written(
    stage: Stage, *, is_at_table: bool
) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        if is_at_table:
            await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats))
            await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        await pilot.press("slash", *"join K3R")
        await until(pilot, lambda: "Enter go there" in lines_of(app)[-1])
        assert "will see this" not in shown(app, "prompt")
        await pilot.press(*["backspace"] * 9, *"hello")
        await until(pilot, lambda: "Enter send" in lines_of(app)[-1])
        assert "will see this." in shown(app, "prompt")
        await pilot.press(*["backspace"] * 5, *"/dance", "enter")
        await until(pilot, lambda: "'dance' is no word here. Type '/help'." in shown(app, "prompt"))
        await pilot.press("x")
        await until(pilot, lambda: "A line that begins with a slash" in shown(app, "prompt"))
        assert "Enter do it" in lines_of(app)[-1]


@pytest.mark.parametrize("is_at_table", [False, True])
async def test_a_line_that_is_nothing_but_a_code_is_asked_about_before_it_is_said(
    stage: Stage, *, is_at_table: bool
) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        if is_at_table:
            await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats))
            await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        await pilot.press("o", *"adp3ze", "enter")
        await until(
            pilot, lambda: "Did you mean /join ADP3ZE? Enter again sends it as chat." in shown(app, "prompt")
        )
        assert app.screen.query_one(Input).value == "adp3ze"
        assert "anna" not in heard(app)
        await pilot.press("enter")
        await until(pilot, lambda: "anna: adp3ze" in heard(app))
        assert "Did you mean" not in shown(app, "prompt")
        await pilot.press(*"adp3ze", "enter")
        await until(pilot, lambda: "Did you mean" in shown(app, "prompt"))


@pytest.mark.parametrize("line", ["hello", "friday", "at 9 ok", "go at 45", "adp3ze?", "ab3"])
async def test_no_word_and_no_sentence_is_asked_about(line: str, stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        await pilot.press("o", *line, "enter")
        await until(pilot, lambda: f"anna: {line}" in heard(app))


async def test_why_a_line_was_refused_is_told_no_more_when_the_next_one_was_carried_out(stage: Stage) -> None:
    table = await stage.hub.open_table("beate", OpenTable(0, stage.game, {}, stage.seats, private=True))
    async with stage.play("anna", local=False) as (app, pilot):
        await pilot.press("o", *f"it is {table.code}", "enter")
        await until(pilot, lambda: "Your message wasn't sent" in shown(app, "prompt"))
        await pilot.press("ctrl+u", *"/help", "enter")
        await until(pilot, lambda: isinstance(app.screen, ChatHelpDialog))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen))
        assert "Everybody in the lobby will see this." in shown(app, "prompt")


async def test_words_for_the_shuffle_are_answered(stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        await pilot.press("slash", *"shuffle moon", "enter")
        await until(pilot, lambda: "'shuffle' is for a table; you are in the lobby." in shown(app, "prompt"))
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats))
        await app.request(lambda n: TakeSeat(n, 0))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen) and app.my_seats)
        await pilot.press("slash", *"shuffle moon", "enter")
        await until(pilot, lambda: "Your words will be part" in said(app))
        assert app.store.table is not None
        assert app.store.table.shuffle is not None
        assert app.store.table.shuffle.added == ("anna",)


def test_a_line_is_unread_until_the_chat_is_opened_or_the_place_is_left() -> None:
    def place(table: str, *lines: ChatLine) -> TableView:
        chat = ChatView(len(lines), (*lines, *[None] * (CHAT_SLOTS - len(lines))))
        return replace(scene.table, id=table, chat=chat)

    scene = scene_of_match(match_of("ku_ka_king", 2), 0)
    line = ChatLine(1, "beate", "beate", "hello")
    for table, is_open in (("table", True), ("other", False)):
        reader = ChatReader()
        reader.follow(place("table"), "anna", is_open=False)
        reader.follow(place("table", line), "anna", is_open=False)
        assert reader.fresh is line
        reader.follow(place(table, line), "anna", is_open=is_open)
        assert reader.fresh is None


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_an_empty_talk_says_what_will_stand_there_until_somebody_speaks(
    size: tuple[int, int], stage: Stage
) -> None:
    async with stage.play("anna", local=False, size=size) as (app, pilot):
        await until(pilot, lambda: "No messages yet" in "\n".join(lines_of(app)))
        guest = stage.hub.connect("~Eve")
        await guest.send(Say(1, "psst"))
        await until(pilot, lambda: "Eve: psst" in heard(app))
        await until(pilot, lambda: "No messages yet" not in "\n".join(lines_of(app)))
        await guest.close()
