"""The lobby lists first what concerns the one who reads it."""

from __future__ import annotations

import re
from time import time

import pytest
from msgspec.structs import replace
from rich.cells import cell_len
from textual.widgets import Input, OptionList

from kk_core.protocol.messages import PROTOCOL_VERSION, GoTo, Hello, OpenTable, Say, SetBot, Start, TakeSeat
from kk_core.registry import game, game_ids
from kk_core.text import text
from kk_core.views import DAY, ClockRule, LobbyView, SeatView, TableLine, TableView
from kk_server.tables.table import Table
from kk_tui.app import KkApp
from kk_tui.games import faces
from kk_tui.i18n import render
from kk_tui.match.result import verdict
from kk_tui.match.table import TableScreen
from kk_tui.match.table_menu import offers
from kk_tui.match.table_setup import TableSetupScreen
from kk_tui.screens.dialogs import ConfirmScreen
from kk_tui.screens.game_card import FRAMED, GameCard
from kk_tui.screens.history import short_name
from kk_tui.screens.lobby import LobbyScreen
from kk_tui.screens.new_game import NewGameScreen
from kk_tui.screens.table_rows import details, written
from kk_tui.table.ranks import ENDED, OPEN, RUNNING, YOUR_TURN, YOURS, rank, running_match, state_of
from kk_tui.table_words import after_name, as_remembered, beside_name, here_words, needed_beside_name
from kk_tui.widgets.chat_panel import ChatPanel, Said
from kk_tui.widgets.form import LineSelect
from kk_tui.widgets.runs import Row
from kk_tui.widgets.table_list import TableList
from tests.server.client import Client
from tests.tui.conftest import Stage, at_rest, renewed, shown, until
from tests.tui.playing import beside, keys_of, open_table
from tests.tui.scenes import lines_of

ANNA = SeatView("Anna", "anna", None, True, 0)
BEN = SeatView("Ben", "ben", None, True, 0)
BOT = SeatView("Midas", None, "greedy", True, 0)
FREE = SeatView("", None, None, False, 0)


def line(phase: str, *seats: SeatView, active: tuple[int, ...] = ()) -> TableLine:
    return TableLine("t", "", "land_cards", phase, seats, 5, (), active)


def test_tables_that_wait_for_me_come_first_then_my_own_open_running_and_ended_ones() -> None:
    waiting = line("playing", ANNA, BEN, active=(0,))
    mine = line("playing", ANNA, BEN, active=(1,))
    seated = line("open", ANNA, FREE)
    others = line("playing", BEN, BOT, active=(0,))
    tables = [waiting, mine, seated, line("open", BEN, FREE), others, line("finished", ANNA, BEN)]
    assert [rank(table, "anna") for table in tables] == [YOUR_TURN, YOURS, YOURS, OPEN, RUNNING, ENDED]


def test_a_match_that_somebody_has_given_up_waits_for_him_no_more() -> None:
    given_up = replace(ANNA, stand_in="medium", has_given_up=True)
    assert rank(line("playing", given_up, BEN, active=(0,)), "anna") == RUNNING


MINE = line("playing", ANNA, BEN, active=(1,))
MISSED = replace(MINE, id="missed", seats=(replace(ANNA, stood_in=3), BEN))
CLOCKED = replace(MINE, id="clocked", clock=ClockRule(60))


@pytest.mark.parametrize(
    ("tables", "wanted"),
    [
        ([line("open", ANNA, FREE), line("playing", BEN, BOT), line("finished", ANNA, BEN)], None),
        ([line("open", ANNA, FREE), replace(MINE, id="a")], "a"),
        ([replace(MINE, id="a", at=7), replace(MINE, id="b", at=9), replace(MINE, id="c", at=8)], "b"),
        ([replace(MINE, id="a", at=9), CLOCKED], "clocked"),
        ([replace(MINE, id="a", at=9), CLOCKED, MISSED], "missed"),
        ([CLOCKED, MISSED, replace(MINE, id="a", active=(0,))], "a"),
        ([replace(MINE, id="a", active=(0,), unplayable=text("Too new."))], None),
    ],
)
def test_the_match_that_waits_most_is_where_it_is_ones_turn_or_a_bot_stood_in(
    tables: list[TableLine], wanted: str | None
) -> None:
    found = running_match(LobbyView(tuple(tables)), "anna")
    assert (found and found.id) == wanted


async def match_with_beate(stage: Stage, title: str) -> Table:
    """A match of Anna, whose turn it is, and Beate on all the other seats."""
    wish = OpenTable(0, stage.game, {}, stage.seats, title, stand_in="random")
    table = await stage.hub.open_table("anna", wish)
    await table.take_seat("anna", 0, "")
    for seat in range(1, stage.seats):
        await table.take_seat("beate", seat, "")
    await table.start("anna", bytes(32))
    return table


async def test_against_bots_a_match_begins_as_soon_as_the_table_is_open(stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewGameScreen) and app.screen.query("#opponents"))
        assert "Open the table" in "\n".join(lines_of(app))
        app.screen.query_one("#opponents", LineSelect).choose("random")
        await until(pilot, lambda: "Begin" in "\n".join(lines_of(app)))
        assert not app.screen.query_one("#rated").display
        await pilot.press("g")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        table = app.store.table
        assert table is not None
        assert [seat.bot for seat in table.seats] == [None, *["random"] * (stage.seats - 1)]
        assert table.hints, "nobody else is there to mind"


async def test_the_form_offers_a_level_for_each_bot_and_free_seats_beside_them(stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        kinds = ["hard", *["random"] * (stage.seats - 2)]
        for is_full in (False, True):
            await pilot.press("n")
            await until(
                pilot, lambda: isinstance(app.screen, NewGameScreen) and app.screen.query("#opponents")
            )
            form = app.screen
            await at_rest(pilot)
            assert not any(line.display for line in form.query(".seat"))
            form.query_one("#opponents", LineSelect).choose("each")
            await until(pilot, lambda: sum(line.display for line in form.query(".seat")) == stage.seats - 1)  # noqa: B023
            for seat, kind in enumerate(kinds if is_full else ["hard", *[""] * (stage.seats - 2)], 1):
                form.query_one(f"#kind-{seat}", LineSelect).choose(kind)
            await until(pilot, lambda: ("Begin" in "\n".join(lines_of(app))) is is_full)  # noqa: B023
            assert not form.query_one("#rated").display, "no match with bots is rated"
            assert form.query_one("#private").display is not is_full
            await pilot.press("g")
            await until(pilot, lambda: isinstance(app.screen, TableScreen if is_full else TableSetupScreen))  # noqa: B023
            wanted = [None, *kinds] if is_full else [None, "hard", *[None] * (stage.seats - 2)]
            await until(pilot, lambda: app.store.table and [s.bot for s in app.store.table.seats] == wanted)  # noqa: B023
            await app.request(lambda n: GoTo(n, None))
            await until(pilot, lambda: isinstance(app.screen, LobbyScreen))


async def test_another_game_in_the_form_keeps_what_was_chosen_for_the_table(stage: Stage) -> None:
    chosen = {"opponents": "random", "hints": "no", "stand-in": "random", "watched": "no"}
    async with stage.play("anna", local=False, games=faces()) as (app, pilot):
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewGameScreen) and app.screen.query("#opponents"))

        def line(name: str) -> LineSelect:
            return app.screen.query_one(f"#{name}", LineSelect)

        for name, value in chosen.items():
            line(name).choose(value)
            await at_rest(pilot)
        app.screen.query_one("#title-of-table", Input).value = "Friday"
        before = line("opponents")
        line("game").focus()
        await pilot.press("right")
        await until(pilot, lambda: app.screen.query("#opponents") and line("opponents") is not before)
        await at_rest(pilot)
        assert {name: line(name).value for name in chosen} == chosen
        assert app.screen.query_one("#title-of-table", Input).value == "Friday"
        assert not line("rated").display


async def test_the_values_of_the_form_begin_in_one_column(stage: Stage) -> None:
    for is_local in (True, False):
        async with stage.play("anna", local=is_local, games=faces()) as (app, pilot):
            await pilot.press("n")
            await until(pilot, lambda: isinstance(app.screen, NewGameScreen) and app.screen.query("#coach"))
            await at_rest(pilot)
            left = app.glyphs["left"]
            assert len({line.index(left) for line in lines_of(app) if left in line}) == 1


async def test_who_comes_lands_at_the_match_that_goes_on_and_not_at_an_open_table(stage: Stage) -> None:
    table = await match_with_beate(stage, "Monday")
    opened = await stage.hub.open_table("anna", OpenTable(0, stage.game, {}, stage.seats, "Friday"))
    await opened.take_seat("anna", 0, "")
    async with stage.play("anna", local=False) as (app, pilot):
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        assert app.store.table is not None
        assert app.store.table.id == table.id
        await until(pilot, lambda: "You're back at your match" in lines_of(app)[-2])
        assert render(app.games[stage.game].meta.name) in lines_of(app)[0]  # of which it takes nothing
        await pilot.press("?", "escape")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        await at_rest(pilot)
        assert "You're back at your match" not in "\n".join(lines_of(app))  # whoever goes on has read it
        await app.request(lambda n: GoTo(n, None))
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen))
        assert "Monday" in next(line for line in lines_of(app) if "day" in line)


async def test_who_was_at_an_open_table_when_the_connection_broke_lands_at_the_match_that_waits(
    stage: Stage,
) -> None:
    opened = await stage.hub.open_table("anna", OpenTable(0, stage.game, {}, stage.seats, "Friday"))
    async with stage.play("anna", local=False, reconnects=True) as (app, pilot):
        await app.request(lambda n: GoTo(n, opened.id))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        table = await match_with_beate(stage, "Monday")
        assert app.client is not None
        await app.client.close()
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        assert app.store.table is not None
        assert app.store.table.id == table.id


async def test_who_plays_at_a_table_comes_back_to_it_though_others_wait(stage: Stage) -> None:
    first = await match_with_beate(stage, "Monday")
    await match_with_beate(stage, "Tuesday")
    async with stage.play("anna", local=False, reconnects=True) as (app, pilot):
        await app.request(lambda n: GoTo(n, first.id))
        await until(pilot, lambda: app.store.table is not None and app.store.table.id == first.id)
        before = app.client
        assert before is not None
        await before.close()
        await until(pilot, lambda: app.client is not before and app.store.table)
        assert app.store.table is not None
        assert app.store.table.id == first.id


async def test_the_news_say_what_a_bot_has_done_for_who_was_away(stage: Stage) -> None:
    table = await match_with_beate(stage, "Monday")
    await table._stand_in(0, text("A bot plays."))
    beate = Client(stage.hub.connect("beate"))
    await beate.go_to(table.id)
    await beate.until(lambda c: c.table.seats[0].stood_in > 0 and 0 not in c.observation.active)
    moves = table.state.stood_in[0]
    async with stage.play("anna", local=False, size=(120, 40), games=faces()) as (app, pilot):
        words = f"Stoodinforyou:randombot,{moves}move"
        await until(pilot, lambda: words in beside(app).replace(" ", ""))
        assert "Since your turn" in beside(app)
        assert app.store.scene is not None
        done = [entry.seat for entry in app.store.scene.just_happened()]
        assert done.count(0) == moves
    await beate.close()


def test_a_line_says_whose_turn_it_is_and_how_many_seats_are_free() -> None:
    assert state_of(line("playing", ANNA, BEN, active=(0,)), "anna") == "your turn, round 5"
    assert state_of(line("playing", ANNA, BEN, active=(1,)), "anna") == "playing, round 5"
    assert state_of(line("open", BEN, FREE, FREE), "anna") == "open, 2 free seats"
    assert state_of(line("open", BEN, BOT, FREE), "anna") == "open, 1 free seat"
    assert state_of(line("open", BEN, BOT), "anna") == "open, all seats taken"


def test_a_match_that_cannot_go_on_here_waits_for_nobody() -> None:
    stuck = replace(line("playing", ANNA, BEN, active=(0,)), unplayable=text("Rules 9 are not known."))
    assert rank(stuck, "anna") == YOURS
    assert state_of(stuck, "anna") == "unplayable here"


@pytest.mark.parametrize("width", [75, 115, 195])
async def test_a_table_of_five_has_one_row_in_the_lobby_and_its_details_say_everything(
    stage: Stage, width: int
) -> None:
    names = ("Anna", "Beate", "Maximilian", "Dora", "Emil")
    seats = tuple(SeatView(name, name.lower(), None, True, seat) for seat, name in enumerate(names))
    table = TableLine("t", "", stage.game, "playing", seats, 1, (12,) * 5)
    async with stage.play("anna", local=False) as (app, pilot):
        await until(pilot, lambda: isinstance(app.screen_in_front, LobbyScreen))
        row = words_of(written(app.screen_in_front, table, width))
        assert cell_len(row.rstrip()) <= width
        assert all(name in row for name in names)
        assert row.count("12") == (5 if width > 75 else 0)
        said = [words_of(each) for each in details(app.screen_in_front, table, width)]
        assert len(said) <= 2
        assert all(cell_len(line.rstrip()) <= width for line in said)
        assert all(f"{name} 12" in " ".join(said) for name in names)


def words_of(row: Row) -> str:
    """The text of a row."""
    return "".join(words for words, *_ in row)


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_the_rows_of_the_lobby_are_columns_and_begin_with_what_one_can_do_there(
    stage: Stage, size: tuple[int, int]
) -> None:
    """Also who plays how well is seen in them."""
    await match_with_beate(stage, "<Monday>")
    opened = await stage.hub.open_table("beate", OpenTable(0, stage.game, {}, stage.seats, "<Friday>"))
    await opened.set_bot("beate", 0, "hard")
    running = await stage.hub.open_table("beate", OpenTable(0, stage.game, {}, stage.seats, "<Sunday>"))
    await running.take_seat("beate", 0, "")
    for seat in range(1, stage.seats):
        await running.set_bot("beate", seat, "random")
    await running.start("beate", bytes(32))
    async with stage.play("anna", local=False, size=size, games=faces()) as (app, pilot):
        await app.request(lambda n: GoTo(n, None))
        await until(pilot, lambda: sum("<" in line for line in lines_of(app)) == 3)
        rows = [line for line in lines_of(app) if "<" in line]
        assert [row.split()[0] for row in rows] == ["your", "join", "watch"]
        assert len({row.index("<") for row in rows}) == 1
        assert len({row.index("the ") for row in rows}) == 1
        assert f"{stage.seats - 1} free" in rows[1]
        assert "(hard" in rows[1]
        assert "(ran" in rows[2]


async def test_the_details_below_the_list_are_those_of_the_table_under_the_cursor(stage: Stage) -> None:
    for number in range(3):
        table = await open_table(stage, number)
        await table.set_bot(f"host {number}", 0, ("easy", "medium", "hard")[number])
    async with stage.play("anna", local=False) as (app, pilot):
        await until(pilot, lambda: app.screen.query_one(TableList).line_count == 3)
        for level in ("easy", "medium", "hard"):
            await until(pilot, lambda: f"({level} bot)" in shown(app, "details"))  # noqa: B023
            await pilot.press("down")


async def test_the_chat_takes_a_row_until_something_is_said_and_grows_with_the_talk(stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        said = app.screen.query_one(Said)
        await until(pilot, lambda: "No messages yet" in "\n".join(lines_of(app)))
        assert said.region.height == 1
        for number in range(6):
            stage.hub.lobby.say("beate", f"line {number}")
            await until(pilot, lambda: f"line {number}" in "\n".join(lines_of(app)))  # noqa: B023
            assert said.region.height == min(number + 1, 4)


async def test_a_match_that_cannot_go_on_here_says_why_under_its_people(stage: Stage) -> None:
    reason = text("This version knows only rules {ours} of {game}, not {theirs}.",
                  theirs="'99-0'", game=stage.game, ours=2)  # fmt: skip
    hub = stage.hub
    table = await hub.open_table("beate", OpenTable(0, stage.game, {}, stage.seats, "Friday"))
    for seat in range(stage.seats):
        await table.take_seat("beate", seat, "Beate")
    await table.start("beate")
    table._touched = -1e9  # nobody has been there for long
    await hub.table_cache.tidy()
    hub.table_cache.unloaded[table.id].unplayable = reason
    hub.lobby.changed(table.id)
    async with stage.play("anna", local=False) as (app, pilot):
        await until(pilot, lambda: any("Friday" in line for line in lines_of(app)))
        said = " ".join(" ".join(lines_of(app)).split())
        name = app.screen_in_front.game_name(stage.game)
        assert f"unplayable round 1 {short_name(name)} Friday" in said
        assert str(reason) in said


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_program_is_marked_in_the_lobby_the_waiting_room_the_match_and_on_the_result(
    stage: Stage, size: tuple[int, int]
) -> None:
    robot = Client(stage.hub.connect("Robot with a long na"))
    await robot.ask(Hello, PROTOCOL_VERSION, True)
    async with stage.play("anna", local=False, size=size, games=faces()) as (app, pilot):
        await until(pilot, lambda: "Robot with a long na (program)" in " ".join(lines_of(app)))
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats))
        await app.request(lambda n: TakeSeat(n, 0))
        assert app.store.table is not None
        await robot.go_to(app.store.table.id)
        for seat in range(1, stage.seats):
            await robot.sit(seat)
        await until(pilot, lambda: "Robot with a long na (program)" in " ".join(lines_of(app)))
        await app.request(lambda n: GoTo(n, None))
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen))
        await until(pilot, lambda: " ".join(lines_of(app)).count("(program)") == stage.seats)
        await app.request(lambda n: GoTo(n, robot.table.id))
        await app.request(Start)
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        await until(pilot, lambda: len(re.findall(r"\((program|prog|p)\)", beside(app))) == stage.seats - 1)
        assert app.store.scene is not None
        assert app.store.face is not None
        said = verdict(app.store.scene, app.store.face.meta, app.glyphs).plain
        assert said.endswith(" are programs.")
    await robot.close()


def test_the_mark_of_a_program_is_no_part_of_its_name() -> None:
    forged = replace(ANNA, name="Anna (program)")
    assert after_name(forged) == ""
    assert after_name(replace(ANNA, program=True)) == " (program)"
    table = TableView(
        "t", "", "anna", "g", (), False, "playing", (forged, replace(BEN, program=True)), None, None
    )
    marks = [[str(beside_name(table, seat, 0, room)) for room in (30, 8, 5, 4)] for seat in (0, 1)]
    assert marks == [[""] * 4, [" (program)", " (prog)", " (p)", " (p)"]]
    assert [needed_beside_name(table, seat, 0) for seat in (0, 1)] == [0, 4]


def test_the_menu_of_a_table_marks_a_program_that_it_could_be_handed_on_to() -> None:
    seats = (ANNA, replace(BEN, program=True))
    table = TableView("t", "", "anna", "g", (), False, "open", seats, None, None)
    assert "Make Ben (program) the owner" in [str(offer.label) for offer in offers(table, "anna")]


def test_a_program_that_is_away_is_marked_as_both() -> None:
    gone = replace(BEN, program=True, online=False, away=time() - 300)
    table = TableView("t", "", "anna", "g", (), False, "playing", (ANNA, gone), None, None)
    marks = [str(beside_name(table, 1, 0, room)) for room in (30, 13, 10)]
    assert marks == [" (program) (away for 5 min)", " (prog, away)", " (p, away)"]
    assert needed_beside_name(table, 1, 0) == 10
    assert str(beside_name(as_remembered(table), 1, 0, 30)) == " (program)"


async def test_enter_on_a_bots_seat_only_says_which_key_changes_it(stage: Stage) -> None:
    async with stage.play(local=False) as (app, pilot):
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats))
        await app.request(lambda n: TakeSeat(n, 0))
        await app.request(lambda n: SetBot(n, 1, "random"))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen) and app.store.table)
        seats = app.screen.query_one(OptionList)
        seats.focus()
        seats.highlighted = 1
        await until(pilot, lambda: "b another bot" in keys_of(app) and "Enter" not in keys_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: "A bot sits here; b " in shown(app, "prompt"))
        assert app.store.table is not None
        sitting = app.store.table.seats[1]
        assert (sitting.bot, sitting.owner) == ("random", None)


async def test_a_cursor_just_moved_to_a_seat_stays_there_whoever_comes_at_that_moment(stage: Stage) -> None:
    async with stage.play(local=False) as (app, pilot):
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen) and app.store.table)
        seats = app.screen.query_one(OptionList)
        assert seats.highlighted == 0
        seats.highlighted = 1
        renewed(app)
        await at_rest(pilot)
        assert seats.highlighted == 1


async def test_the_titles_of_tables_of_all_games_begin_in_one_column(stage: Stage) -> None:
    for game_id in game_ids():
        await stage.hub.open_table(
            "beate", OpenTable(0, game_id, {}, game(game_id).meta.min_seats, f"<{game_id}>")
        )
    async with stage.play(local=False, games=faces(), size=(120, 60)) as (app, pilot):
        await until(pilot, lambda: all(f"<{game_id}>" in "\n".join(lines_of(app)) for game_id in game_ids()))
        assert len({line.index("<") for line in lines_of(app) if "<" in line}) == 1


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_of_tables_with_one_title_is_said_who_opened_them_unless_they_sit_there(
    stage: Stage, size: tuple[int, int]
) -> None:
    for host, title in (("beate", "<Friday>"), ("carl", "<Friday>"), ("dora", "<Friday>"), ("emil", "")):
        table = await stage.hub.open_table(host, OpenTable(0, stage.game, {}, stage.seats, title))
        if host == "carl":
            await table.take_seat(host, 0, "carl")
    async with stage.play(local=False, size=size) as (app, pilot):
        await until(pilot, lambda: sum("<Friday>" in line for line in lines_of(app)) == 3)
        said = "\n".join(lines_of(app))
        assert all(name in said for name in ("carl", "emil"))
        openers = list[str]()
        for _ in range(4):
            openers += re.findall(r"opened by (\w+)", shown(app, "details"))
            await pilot.press("down")
            await at_rest(pilot)
        assert openers == ["beate", "dora"]


async def test_at_120_columns_no_column_is_empty_and_points_follow_the_names_they_belong_to(
    stage: Stage,
) -> None:
    await match_with_beate(stage, "Monday")
    wish = OpenTable(0, "ku_ka_king", {}, 2, "Friday")
    await stage.hub.open_table("beate", wish)
    async with stage.play("anna", local=False, games=faces(), size=(120, 40)) as (app, pilot):
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        await app.request(lambda n: GoTo(n, None))
        await until(
            pilot, lambda: isinstance(app.screen, LobbyScreen) and "Monday" in "\n".join(lines_of(app))
        )
        heads, row = (next(line for line in lines_of(app) if words in line) for words in ("state", "Monday"))
        assert heads.split() == ["state", "game", "players"]
        assert row.index("Monday: ") == heads.index("players")
        assert re.search(r"anna -?\d+, .*beate -?\d+", row, re.IGNORECASE)
        assert sum("New table: " in line for line in lines_of(app)) == 1  # on every card, side by side
        line = next(line for line in lines_of(app) if "New table: " in line)
        assert line.count("New table: ") == len(app.games)


@pytest.mark.parametrize("size", [(160, 50), (200, 60)])
async def test_on_a_wide_screen_a_table_has_one_row_with_all_there_is_to_choose_by_in_columns(
    stage: Stage, size: tuple[int, int]
) -> None:
    for game_id in game_ids():
        wish = OpenTable(0, game_id, {}, game(game_id).meta.min_seats, f"<{game_id}>", clock=ClockRule(DAY))
        table = await stage.hub.open_table("beate", wish)
        await table.take_seat("beate", 0, "Beate")
        await table.set_bot("beate", 1, "medium")
    async with stage.play(local=False, games=faces(), size=size) as (app, pilot):
        await until(pilot, lambda: sum("<" in line for line in lines_of(app)) == len(game_ids()))
        rows = [line for line in lines_of(app) if "<" in line]
        assert all(re.search("(join|full) .* <.*> .*Beate.*medium", row) for row in rows)
        first = rows[0]
        begins = [first.index(words) for words in ("<", "Beate")]
        assert all([row.index(words) for words in ("<", "Beate")] == begins for row in rows)
        heads = next(line for line in lines_of(app) if "state" in line and "players" in line)
        places = [heads.index(words) for words in ("state", "title", "players")]
        signed = "A\N{BLACK CIRCLE}" if "A\N{BLACK CIRCLE}" in first else "Beate"
        assert places == [first.index(words) for words in (first.split()[0], "<", signed)]
        assert "1 day a turn" in shown(app, "details")


async def test_a_long_title_is_whole_on_a_wide_screen_and_the_rules_of_a_table_end_its_row(
    stage: Stage,
) -> None:
    title = "Friday evening at the inn"
    wish = OpenTable(0, "ku_ka_king", {}, 2, title, clock=ClockRule(DAY))
    table = await stage.hub.open_table("beate", wish)
    await table.take_seat("beate", 0, "Beate")
    for size in ((200, 60), (160, 50), (120, 40)):
        async with stage.play(local=False, games=faces(), size=size) as (app, pilot):
            await until(pilot, lambda: any(title in line for line in lines_of(app)))
            row = next(line for line in lines_of(app) if title in line)
            assert row.rstrip().endswith("1 day a turn")


async def test_the_names_of_columns_take_no_row_from_many_tables_on_a_low_screen(stage: Stage) -> None:
    for number in range(24):
        await open_table(stage, number)
    async with stage.play(local=False, games=faces(), size=(160, 24)) as (app, pilot):
        await until(pilot, lambda: app.screen.query_one(TableList).line_count == 24)
        await at_rest(pilot)
        heads = next(row for row, line in enumerate(lines_of(app)) if "state" in line and "players" in line)
        assert lines_of(app)[heads - 1].strip()


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (120, 40)])
async def test_however_many_tables_there_are_all_games_and_the_talk_stay_in_view(
    stage: Stage, size: tuple[int, int]
) -> None:
    for number in range(24):
        await open_table(stage, number)
    async with stage.play(local=False, games=faces(), size=size) as (app, pilot):
        tables = app.screen.query_one(TableList)
        await until(pilot, lambda: tables.line_count == 24)
        page = "\n".join(lines_of(app))
        assert all(words in page for words in ("the card game", "the board game", "Ku-Ka-King", "/help"))


@pytest.mark.parametrize("size", [(80, 23), (80, 24), (80, 27), (100, 30)])
async def test_the_smallest_terminals_too_have_room_for_four_tables_and_four_lines_of_talk(
    stage: Stage, size: tuple[int, int]
) -> None:
    for number in range(12):
        await open_table(stage, number)
    talker = Client(stage.hub.connect("talker"))
    for number in range(6):
        await talker.do(Say, f"line {number} of the talk")
    async with stage.play(local=False, games=faces(), size=size) as (app, pilot):
        tables = app.screen.query_one(TableList)
        await until(pilot, lambda: tables.line_count == 12 and "5 of the talk" in "\n".join(lines_of(app)))
        lines = lines_of(app)
        assert sum(" Number " in line for line in lines) >= 4
        assert sum("of the talk" in line for line in lines) >= 4
        assert app.screen.query_one("#games").region.bottom <= app.screen.query_one(ChatPanel).region.y


@pytest.mark.parametrize("size", [(40, 10), (60, 18), (79, 24)])
async def test_a_terminal_that_is_too_small_for_the_tables_says_what_it_needs_until_it_grows(
    stage: Stage, size: tuple[int, int]
) -> None:
    for number in range(12):
        await open_table(stage, number)
    async with stage.play(local=False, games=faces(), size=(80, 24)) as (app, pilot):
        await until(pilot, lambda: app.screen.query_one(TableList).line_count == 12)
        await pilot.resize_terminal(*size)
        await until(pilot, lambda: "kk needs at least" in "\n".join(lines_of(app)))
        await until(pilot, lambda: " Number " not in "\n".join(lines_of(app)))
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: sum(" Number " in line for line in lines_of(app)) >= 4)


@pytest.mark.parametrize("size", [(133, 26), (80, 26)])
async def test_beside_a_few_tables_games_keep_their_frames_where_rows_are_free(
    stage: Stage, size: tuple[int, int]
) -> None:
    for number in range(5):
        await open_table(stage, number)
    async with stage.play(local=False, games=faces(), size=size) as (app, pilot):
        await until(pilot, lambda: app.screen.query_one(TableList).line_count == 5)
        await at_rest(pilot)
        assert app.screen.query_one(GameCard).size.height == FRAMED


async def test_what_a_few_tables_leave_free_says_what_it_is_for_and_no_table_moves_what_is_below(
    stage: Stage,
) -> None:
    async with stage.play(local=False, games=faces(), size=(80, 24)) as (app, pilot):
        places = list[tuple[int, ...]]()
        for number in range(3):
            await open_table(stage, number)
            await until(pilot, lambda: app.screen.query_one(TableList).line_count == number + 1)  # noqa: B023
            await at_rest(pilot)
            if number == 0:
                page = "\n".join(lines_of(app))
                assert "Tables that others open appear here; j joins one" in page
                assert "Enter on a game below opens one" in page
            below = ("#games", "#daily", "ChatPanel")
            places.append(tuple(app.screen.query_one(name).region.y for name in below))
        assert len({*places}) == 1


async def test_in_the_smallest_terminal_too_games_make_way_for_many_tables(stage: Stage) -> None:
    for number in range(12):
        await open_table(stage, number)
    async with stage.play(local=False, games=faces(), size=(80, 24)) as (app, pilot):
        await until(pilot, lambda: app.screen.query_one(TableList).line_count == 12)
        await at_rest(pilot)
        assert sum(" Number " in line for line in lines_of(app)) == 10
        assert app.screen.query_one("#games").region.height == 1


@pytest.mark.parametrize("size", [(80, 24), (80, 27), (120, 40)])
async def test_the_last_line_tells_how_many_more_there_are(stage: Stage, size: tuple[int, int]) -> None:
    for number in range(32):
        await open_table(stage, number)
    async with stage.play(local=False, games=faces(), size=size) as (app, pilot):
        tables = app.screen.query_one(TableList)
        await until(pilot, lambda: tables.line_count == 32 and "more" in "\n".join(lines_of(app)))
        for key in ["down"] * 31 + ["up"] * 31:
            lines = lines_of(app)
            heads = [int(line.split("Number ")[1].split(".")[0]) for line in lines if "Number " in line]
            assert sum(f" {stage.seats} free " in line for line in lines) == len(heads)
            assert tables.cursor in heads
            left = 31 - heads[-1]
            assert sum(f"▼ {left} more" in line for line in lines) == bool(left)
            await pilot.press(key)
            # held back for long, the app draws what the key has changed a moment later
            await until(pilot, lambda: f"Number {tables.cursor}." in "\n".join(lines_of(app)))


async def test_the_list_shows_all_tables_or_some_kinds_of_them(stage: Stage) -> None:
    await stage.hub.open_table("beate", OpenTable(0, stage.game, {}, stage.seats, "Friday"))
    async with stage.play("anna", local=False) as (app, pilot):
        assert "All tables" in shown(app, "header")
        tables = app.screen.query_one(TableList)
        await until(pilot, lambda: tables.line_count == 1)
        await pilot.press("f")
        await until(pilot, lambda: "Your tables" in shown(app, "header") and tables.line_count == 0)
        assert "f changes the filter" in shown(app, "prompt")
        await pilot.press("f")
        await until(pilot, lambda: "Open tables" in shown(app, "header") and tables.line_count == 1)


async def test_ones_own_tables_are_among_those_that_are_open_or_being_played_too(stage: Stage) -> None:
    for name, is_begun in (("Friday", False), ("Sunday", True)):
        table = await stage.hub.open_table("anna", OpenTable(0, stage.game, {}, stage.seats, name))
        for seat in range(stage.seats):
            await table.take_seat("anna", seat, "")
        if is_begun:
            await table.start("anna", bytes(32))
    async with stage.play("anna", local=False) as (app, pilot):
        await app.request(lambda n: GoTo(n, None))
        for header, listed in (
            ("All tables", ["Friday", "Sunday"]), ("Your tables", ["Friday", "Sunday"]),
            ("Open tables", ["Friday"]), ("Matches in progress", ["Sunday"]),
        ):  # fmt: skip
            await until(pilot, lambda: header in shown(app, "header"))  # noqa: B023
            await until(pilot, lambda: titles(app) == listed)  # noqa: B023
            await pilot.press("f")


def titles(app: KkApp) -> list[str]:
    """The titles on the screen, of tables named after days."""
    return sorted(re.findall(r"Friday|Sunday", "\n".join(lines_of(app))))


def pointed(app: KkApp) -> str | None:
    """The table that the cursor of the lobby is on."""
    return app.screen.query_one(TableList).pointed


async def test_a_table_lies_over_no_lobby_and_who_leaves_it_finds_the_cursor_on_it(stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        opened = set()
        for _ in range(2):
            await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats))
            await app.request(lambda n: TakeSeat(n, 0))
            await until(pilot, lambda: isinstance(app.screen, TableSetupScreen) and app.store.table)
            assert app.store.table is not None
            opened.add(app.store.table.id)
            await app.request(lambda n: GoTo(n, None))
            await until(pilot, lambda: isinstance(app.screen, LobbyScreen) and pointed(app))
        (other,) = opened - {pointed(app)}
        await app.request(lambda n: GoTo(n, other))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        assert not any(isinstance(screen, LobbyScreen) for screen in app.screen_stack)
        await app.request(lambda n: GoTo(n, None))
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen) and pointed(app) == other)


def test_in_a_line_is_said_how_many_are_here_and_as_many_names_as_fit() -> None:
    names = [f"name{number:03}" for number in range(400)]
    assert here_words(["anna"], 76) == "1 here: anna"
    assert here_words(["anna", "beate"], 76) == "2 here: anna, beate"
    few = here_words(names[:12], 76)
    assert few.startswith("12 here: name000, name001, ")
    assert few.endswith(" and 6 others")
    many = here_words(names, 76)
    assert many.startswith("400 here: name000, ")
    assert cell_len(many) <= 76
    assert here_words(["anna", "b" * 20], 24) == "2 here: anna and 1 other"
    assert here_words(names, 10) == "400 here"


async def test_a_lobby_under_another_screen_does_nothing_for_its_news(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        lobby = app.screen
        assert isinstance(lobby, LobbyScreen)
        await pilot.press("n")
        await until(pilot, lambda: app.screen is not lobby)
        renewed: list[str] = []
        monkeypatch.setattr(lobby, "place_changed", lambda: renewed.append("lobby"))
        stage.hub.connect("carl")
        await until(pilot, lambda: app.store.lobby is not None and len(app.store.lobby.users) == 2)
        assert renewed == []
        await pilot.press("escape")
        await until(pilot, lambda: renewed != [])


async def test_a_second_seat_is_taken_only_after_a_question(stage: Stage) -> None:
    async with stage.play(local=False) as (app, pilot):
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats))
        await app.request(lambda n: TakeSeat(n, 0))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen) and app.my_seats)
        await until(pilot, lambda: "sit here, too" in keys_of(app))
        for answer, seats in (("enter", {0}), ("y", {0, 1})):
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
            await pilot.press(answer)
            await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
            await app.request(lambda n: TakeSeat(n, 0))
            await until(pilot, lambda wanted=seats: set(app.my_seats) == wanted)  # type: ignore[misc]


async def test_who_begins_too_early_is_told_why_not(stage: Stage) -> None:
    async with stage.play(local=False) as (app, pilot):
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats))
        await app.request(lambda n: TakeSeat(n, 0))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen) and app.my_seats)
        assert "g" not in keys_of(app).split()
        await pilot.press("g")
        await until(pilot, lambda: "A seat is still free" in shown(app, "prompt"))
        assert app.store.table is not None
        table = await stage.hub.table(app.store.table.id)
        for seat in range(1, stage.seats):
            await table.take_seat("beate", seat, "")
        await until(pilot, lambda: "All seats are taken: press g" in shown(app, "prompt"))


@pytest.mark.parametrize("is_new", [True, False])
@pytest.mark.parametrize("is_game", [True, False])
async def test_at_80_columns_the_keys_to_join_to_choose_and_to_learn_or_look_back_are_among_those_shown(
    stage: Stage, is_game: bool, is_new: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def games_of(_user: str, _least: int) -> frozenset[str]:
        return frozenset() if is_new else frozenset(game_ids())

    monkeypatch.setattr(stage.hub.history, "games_of", games_of)
    if not is_game:
        await stage.hub.open_table("beate", OpenTable(0, stage.game, {}, stage.seats, "Friday"))
    async with stage.play("anna", local=False, size=(80, 24)) as (app, pilot):
        first = "Enter open" if is_game else "Enter go"
        learns, looks_back = ("z learn ", "") if is_new else ("", "l past ")
        talks = "" if is_game else "o chat "
        wanted = f"{first} n new {learns}j join f show {talks}{looks_back}? help q leave Ctrl+P more"
        await until(pilot, lambda: " ".join(keys_of(app).split()) == wanted)
        footer = lines_of(app)[-1]
        assert all(label in footer for label in ("j join", "f show", "q leave", "Ctrl+P more"))


async def test_news_of_the_lobby_that_come_while_the_app_ends_do_no_harm(stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen) and app.store.lobby is not None)
    app._take_news()


async def test_games_and_chat_make_way_for_many_tables_and_come_back_when_few_are_left(stage: Stage) -> None:
    async with stage.play(local=False, size=(120, 40)) as (app, pilot):
        games, tables = app.screen.query_one("#games"), app.screen.query_one("#tables")
        opened: list[Table] = []

        async def with_tables(number: int) -> None:
            while len(opened) < number:
                opened.append(await open_table(stage, len(opened)))
            while len(opened) > number:
                await opened.pop().close_by_host(text("Closed."))
            await until(pilot, lambda: app.store.lobby is not None and app.store.lobby.total == number)
            await at_rest(pilot)

        await with_tables(11)
        assert games.region.height > 3
        await with_tables(12)
        assert games.region.height == 3
        assert tables.region.height >= 20
        await with_tables(8)  # not at once: the screen would change all the time
        assert games.region.height == 3
        await with_tables(7)
        assert games.region.height > 3


@pytest.mark.parametrize(("tables", "size"), [(1, (80, 24)), (12, (80, 24)), (12, (120, 40))])
async def test_each_game_says_that_choosing_it_opens_a_new_table(
    stage: Stage, tables: int, size: tuple[int, int]
) -> None:
    for number in range(tables):
        await open_table(stage, number)
    async with stage.play(local=False, games=faces(), size=size) as (app, pilot):
        await until(pilot, lambda: app.screen.query_one(TableList).line_count == tables)
        await at_rest(pilot)
        (line,) = (line for line in lines_of(app) if "New" in line and "New here" not in line)
        assert len(re.findall("New(?: table)?: ", line)) == len(app.games)


async def test_opponents_chosen_seat_by_seat_are_one_key_away_and_a_choice_says_how_many_there_are(
    stage: Stage,
) -> None:
    async with stage.play("anna", local=False, games=faces(), size=(80, 24)) as (app, pilot):
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewGameScreen) and app.screen.query("#opponents"))
        await at_rest(pilot)
        opponents = app.screen.query_one("#opponents", LineSelect)
        opponents.focus()
        many = len(opponents.offered)
        await until(pilot, lambda: f"anybody who sits down {app.glyphs['right']}  1/{many}" in page_of(app))
        await pilot.press("right")
        await until(pilot, lambda: f"chosen seat by seat {app.glyphs['right']}  2/{many}" in page_of(app))
        await pilot.press("down")
        await until(pilot, lambda: f"2/{many}" not in page_of(app))


def page_of(app: KkApp) -> str:
    """Everything on the screen."""
    return "\n".join(lines_of(app))
