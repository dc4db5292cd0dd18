"""Small things that every screen has to get right."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from textual.widgets import Static

from kk_core.wire.messages import GoTo, OpenTable, Play, SetBot, Start, TakeSeat
from kk_tui.app import KkApp
from kk_tui.games import faces
from kk_tui.keymap import KEYS
from kk_tui.screens.dialogs import Confirm
from kk_tui.screens.help import Help
from kk_tui.screens.menu import Menu
from kk_tui.screens.new_game import NewGame
from kk_tui.screens.result import Result
from kk_tui.screens.table import Table
from kk_tui.screens.table_setup import TableSetup
from kk_tui.widgets.bars import KeyBar
from kk_tui.widgets.choice import Choice
from kk_tui.widgets.side_panel import SidePanel
from tests.tui.conftest import Running, Stage, shown, until


def picture(app: KkApp) -> str:
    """The screen in front as text."""
    return "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips())


async def seat_bots(app: KkApp, pilot: Running) -> None:
    """A table with bots only, started."""
    await app.request(lambda n: OpenTable(n, "land_cards", {}, 3))
    for seat in range(3):
        await app.request(lambda n, s=seat: SetBot(n, s, "random"))  # type: ignore[misc]
    await app.request(Start)


async def test_the_first_screens_look_as_before(stage: Stage, snapshot: SnapshotAssertion) -> None:
    async with stage.play() as (app, pilot):
        assert picture(app) == snapshot(name="menu")
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewGame) and app.screen.query("#kind-1"))
        await pilot.pause()
        assert picture(app) == snapshot(name="new game")


async def test_the_card_game_is_offered_first_then_the_board_game_then_ku_ka_king(stage: Stage) -> None:
    order = ["land_cards", "web_of_power", "ku_ka_king"]
    assert list(faces()) == order
    async with stage.play(games=None) as (app, pilot):
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewGame) and app.screen.query("#kind-1"))
        game = app.screen.query_one("#game", Choice)
        seen = []
        for _ in order:
            seen.append(game.value)
            await pilot.press("right")
        assert seen == order


async def test_the_waiting_room_looks_as_before(stage: Stage, snapshot: SnapshotAssertion) -> None:
    async with stage.play(local=False) as (app, pilot):
        await app.request(lambda n: OpenTable(n, "land_cards", {}, 3, "Friday"))
        await until(pilot, lambda: isinstance(app.screen, TableSetup))
        await app.request(lambda n: SetBot(n, 1, "greedy"))
        await until(pilot, lambda: app.store.table and app.store.table.seats[1].bot)
        await pilot.pause()
        assert picture(app) == snapshot


async def test_the_seat_of_somebody_else_is_neither_offered_nor_given_to_a_bot(stage: Stage) -> None:
    async with (
        stage.play(local=False) as (anna, _pilot),
        stage.play("beate", local=False) as (beate, other),
    ):
        await anna.request(lambda n: OpenTable(n, "land_cards", {}, 3))
        await anna.request(lambda n: TakeSeat(n, 0))
        table = anna.store.table
        assert table is not None
        await beate.request(lambda n: GoTo(n, table.id))
        await until(other, lambda: isinstance(beate.screen, TableSetup) and beate.screen.query("#seats"))
        await until(other, lambda: "take the seat" not in keys_of(beate))
        assert "bot" not in keys_of(beate)
        await other.press("down")
        await until(other, lambda: "take the seat" in keys_of(beate))


def keys_of(app: KkApp) -> str:
    """The footer of the screen in front."""
    return str(app.screen.query_one(KeyBar).render())


async def test_at_a_server_the_form_opens_a_table_and_does_not_begin_a_match(stage: Stage) -> None:
    async with stage.play(local=False) as (app, pilot):
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewGame) and app.screen.query("#count"))
        assert "g open the table" in keys_of(app)
        await pilot.press("g")
        await until(pilot, lambda: isinstance(app.screen, TableSetup))
        assert shown(app, "header") == "Table: anna"


async def test_a_spectator_sees_the_match_to_its_end_and_is_offered_no_rematch(stage: Stage) -> None:
    async with stage.play(local=False) as (app, pilot):
        await seat_bots(app, pilot)
        await until(pilot, lambda: isinstance(app.screen, Result))
        assert app.my_seats == ()
        assert "rematch" not in [action.name for action in app.screen.actions()]  # type: ignore[attr-defined]


async def test_a_spectator_who_tries_to_move_is_told_that_he_is_watching(stage: Stage) -> None:
    anna = stage.hub.connect("anna")
    for message in (
        OpenTable(1, "land_cards", {}, 3),
        TakeSeat(2, 0),
        SetBot(3, 1, "random"),
        SetBot(4, 2, "random"),
        Start(5),
    ):
        await anna.send(message)
    async with stage.play("beate", local=False) as (app, pilot):
        await until(pilot, lambda: app.store.lobby and app.store.lobby.tables)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Table))
        await pilot.press("x")
        await until(pilot, lambda: "watching" in shown(app, "prompt"))
    await anna.close()


async def test_hosted_players_are_not_offered_to_save_files(stage: Stage) -> None:
    async with stage.play(local=False, records=None) as (app, pilot):
        await seat_bots(app, pilot)
        await until(pilot, lambda: isinstance(app.screen, Result))
        assert "save" not in [action.name for action in app.screen.actions()]  # type: ignore[attr-defined]


async def test_a_record_that_cannot_be_saved_is_explained(stage: Stage) -> None:
    stage.records.write_text("a file where the folder should be")
    async with stage.play(local=False) as (app, pilot):
        await seat_bots(app, pilot)
        await until(pilot, lambda: isinstance(app.screen, Result))
        await pilot.press("w")
        await until(pilot, lambda: "cannot be saved" in shown(app, "prompt"))


async def test_esc_on_the_result_shows_the_final_board_and_enter_the_result_again(stage: Stage) -> None:
    async with stage.play(local=False) as (app, pilot):
        await seat_bots(app, pilot)
        await until(pilot, lambda: isinstance(app.screen, Result))
        await pilot.press("escape")
        await until(pilot, lambda: "match is over" in shown(app, "prompt"))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Result))


@pytest.mark.parametrize("key", ["q", "ctrl+q", "ctrl+c"])
async def test_leaving_the_program_asks_first(stage: Stage, key: str) -> None:
    async with stage.play() as (app, pilot):
        await pilot.press(key)
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, Menu))
        await pilot.press(key)
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        await pilot.press("enter")
        await until(pilot, lambda: not app.is_running)


async def test_help_names_every_key_but_the_digits_one_by_one(stage: Stage) -> None:
    async with stage.play(size=(120, 90)) as (app, pilot):
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, Help))
        await pilot.pause()
        words = picture(app)
        named = [key.shown for key in KEYS.values() if not key.action.startswith("choice_")]
        assert [shown for shown in named if f"{shown} " not in words] == []


async def test_letters_in_a_name_are_letters_and_no_keys(stage: Stage) -> None:
    async with stage.play() as (app, pilot):
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewGame) and app.screen.query("#name-0"))
        name = app.screen.query_one("#name-0")
        name.focus()
        await pilot.press("g", "q", "question_mark")
        assert isinstance(app.screen, NewGame)
        assert name.value == "gq?"  # type: ignore[attr-defined]
        assert "start" not in [action.name for action in app.screen.actions()]


def test_nothing_in_the_app_can_write_a_screenshot(tmp_path: Path) -> None:
    async def never() -> None:
        raise AssertionError

    app = KkApp(never, local=True, games={})  # type: ignore[arg-type]
    assert app.deliver_screenshot(path=str(tmp_path)) is None
    assert list(tmp_path.iterdir()) == []


def side(app: KkApp) -> str:
    """The words beside the board, without what breaks them into lines."""
    return "".join(str(part.content) for part in app.screen.query("#people, #below").results(Static)).replace(
        "\n", ""
    )


async def test_the_seal_of_the_shuffles_is_shown_before_the_first_move_and_the_seed_after_the_last(
    stage: Stage,
) -> None:
    async with stage.play(local=False) as (app, pilot):
        await app.request(lambda n: OpenTable(n, "land_cards", {}, 3))
        await app.request(lambda n: TakeSeat(n, 0))
        for seat in (1, 2):
            await app.request(lambda n, s=seat: SetBot(n, s, "random"))  # type: ignore[misc]
        await app.request(Start)
        await until(pilot, lambda: isinstance(app.screen, Table) and app.store.scene is not None)
        scene = app.store.scene
        assert scene is not None
        seal = scene.match.commitment
        assert scene.match.ply == 0
        await until(pilot, lambda: seal.hex() in side(app))
        await pilot.press("l")
        await until(pilot, lambda: app.screen.query_one(SidePanel).drawer == "log")
        await until(pilot, lambda: seal.hex() in side(app))
        while not (scene := app.store.scene).is_over:  # type: ignore[union-attr]
            legal = scene.observation.legal_moves  # type: ignore[union-attr]
            if legal:
                ply = scene.match.ply  # type: ignore[union-attr]
                await app.request(lambda n, p=ply, m=legal[0]: Play(n, 0, p, m))  # type: ignore[misc]
            await pilot.pause()
        await until(pilot, lambda: isinstance(app.screen, Result))
        seed = app.store.scene.match.seed  # type: ignore[union-attr]
        assert seed is not None
        assert sha256(seed).digest() == seal
        await until(pilot, lambda: seed.hex() in shown(app, "prompt"))
