"""What this program cannot read or draw is told in a sentence, and everything else goes on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from textual.strip import Strip
from textual.widgets import Static

from kk_core.protocol.messages import GoTo
from kk_core.text import text
from kk_core.types import Tree
from kk_core.views import LobbyView, MatchView, TableLine, TableView, encode_place
from kk_tui.app import KkApp
from kk_tui.games import Face, faces
from kk_tui.match.table import TableScreen
from kk_tui.match.table_setup import TableSetupScreen
from kk_tui.scene import CannotDraw, Scene
from kk_tui.screens.dialogs import CannotShowDialog
from kk_tui.screens.lobby import LobbyScreen
from kk_tui.screens.menu import MenuScreen
from kk_tui.screens.new_game import NewGameScreen
from tests.tui.conftest import Elsewhere, Running, Stage, until
from tests.tui.plain import PlainBoard, plain, plain_faces
from tests.tui.playing import at_table, begin, can_act, sit_down
from tests.tui.scenes import match_of, scene_of_match

GAME, FACE = next(iter(faces().items()))
SEATS = FACE.meta.min_seats
UNKNOWN = "whist"


def table_of(game: str = GAME, **changes: Any) -> TableView:
    """A table with a match in it; `changes` go to the view of the match."""
    table = scene_of_match(match_of(GAME, SEATS)).table
    assert table.match is not None
    match = msgspec.structs.replace(table.match, game=game, **changes)
    return msgspec.structs.replace(table, game=game, match=match)


def garbled(part: str, value: Tree) -> Tree:
    """The tree of a table in which a part of the match has another shape."""
    tree = encode_place(table_of())
    tree[1 + TableView.__struct_fields__.index("match")][MatchView.__struct_fields__.index(part)] = value
    return tree


LOBBY = encode_place(LobbyView((TableLine("t", "Friday", UNKNOWN, "playing", ()),), users=("anna",)))


def said(app: KkApp) -> str:
    """Why the table is not shown."""
    return str(app.screen.query_one("#reason", Static).content)


@asynccontextmanager
async def guest(elsewhere: Elsewhere) -> AsyncIterator[tuple[KkApp, Running]]:
    """The app at a server that is not ours."""
    app = KkApp(elsewhere.connect, local=False, games=plain_faces())
    async with app.run_test(size=(80, 24)) as pilot:
        await elsewhere.show(LOBBY)
        await until(pilot, lambda: app.store.lobby is not None and app.user)
        yield app, pilot


async def goes_on(elsewhere: Elsewhere, app: KkApp, pilot: Running) -> None:
    """From the sentence the way leads back to the lobby, and to a table that can be shown."""
    await pilot.press("enter")
    await until(pilot, lambda: any(isinstance(message, GoTo) for message in elsewhere.asked))
    await elsewhere.show(LOBBY)
    await until(pilot, lambda: isinstance(app.screen, LobbyScreen))
    await elsewhere.show(encode_place(table_of()))
    await until(pilot, lambda: isinstance(app.screen, TableScreen) and app.screen.board.has_focus)


async def test_a_table_of_an_unknown_game_is_told_by_its_name_and_the_version_of_its_rules(
    elsewhere: Elsewhere,
) -> None:
    async with guest(elsewhere) as (app, pilot):
        await elsewhere.show(encode_place(table_of(UNKNOWN, rules_version="7-cafe")))
        await until(pilot, lambda: isinstance(app.screen, CannotShowDialog))
        assert said(app) == "This program can't show the game whist with rules 7-cafe; a newer version may."
        await goes_on(elsewhere, app, pilot)


async def test_before_its_match_begins_an_unknown_game_is_told_by_its_name(elsewhere: Elsewhere) -> None:
    async with guest(elsewhere) as (app, pilot):
        await elsewhere.show(
            encode_place(TableView("t", "", "anna", UNKNOWN, (), False, "open", (), None, None))
        )
        await until(pilot, lambda: isinstance(app.screen, CannotShowDialog))
        assert said(app) == "This program can't show the game whist; a newer version may."
        await elsewhere.show(encode_place(table_of(UNKNOWN, rules_version="7-cafe")))
        await until(pilot, lambda: "with rules 7-cafe" in said(app))
        await goes_on(elsewhere, app, pilot)


@pytest.mark.parametrize(
    "tree",
    [
        garbled("observation", []),
        garbled("observation", [1, 2, 3]),
        garbled("observation", "a string"),
        garbled("printed", None),
        garbled("printed", [[], "of another rules version"]),
    ],
    ids=["nothing", "numbers", "a string", "nothing printed", "something else printed"],
)
async def test_a_view_of_another_shape_is_told_with_the_game_and_the_version_of_its_rules(
    tree: Tree, elsewhere: Elsewhere
) -> None:
    async with guest(elsewhere) as (app, pilot):
        await elsewhere.show(tree)
        await until(pilot, lambda: isinstance(app.screen, CannotShowDialog))
        version = table_of().match.rules_version  # type: ignore[union-attr]
        name = f"the game {FACE.meta.name} with rules {version}"
        assert said(app) == f"This program can't read {name}; a newer version can."
        await goes_on(elsewhere, app, pilot)


@pytest.mark.parametrize("tree", [None, 7, ["castle", 1], ["table"]])
async def test_a_place_of_another_shape_is_told_and_the_connection_stays(
    tree: Tree, elsewhere: Elsewhere
) -> None:
    async with guest(elsewhere) as (app, pilot):
        await elsewhere.show(["no place", tree])
        await until(pilot, lambda: isinstance(app.screen, CannotShowDialog))
        assert said(app) == "This program can't read what the server sent; a newer version can."
        await goes_on(elsewhere, app, pilot)


async def test_a_table_that_becomes_readable_is_shown(elsewhere: Elsewhere) -> None:
    async with guest(elsewhere) as (app, pilot):
        await elsewhere.show(garbled("observation", []))
        await until(pilot, lambda: isinstance(app.screen, CannotShowDialog))
        await elsewhere.show(encode_place(table_of()))
        await until(pilot, lambda: isinstance(app.screen, TableScreen))


# -- a face that fails ---------------------------------------------------------------------------------------


class Fault(Exception):
    """What a board does not expect."""


def fails(*_args: Any, **_more: Any) -> Any:
    raise Fault("with a hand in it")


def board_with(**failing: Callable[..., Any]) -> Callable[[Any], PlainBoard]:
    """A board of which some methods fail."""
    return type("FailingBoard", (PlainBoard,), failing)


FAULTS: dict[str, Face[Any]] = {
    "its making": replace(plain(FACE), board=fails),
    "the change of its scene": replace(plain(FACE), board=board_with(scene_changed=fails)),
    "its lines": replace(plain(FACE), board=board_with(render_line=fails)),
    "its panel": replace(plain(FACE), board=board_with(panel=fails)),
    "its prompt": replace(plain(FACE), board=board_with(prompt=fails)),
    "its actions": replace(plain(FACE), board=board_with(actions=fails)),
    "the header": replace(plain(FACE), status=fails),
    "a person": replace(plain(FACE), person=fails),
    "who holds secrets": replace(plain(FACE), holds_secrets=fails),
    "the last reveal": replace(plain(FACE), last_reveal=fails),
}


@pytest.mark.parametrize("face", FAULTS.values(), ids=FAULTS.keys())
async def test_a_table_that_cannot_be_drawn_is_told_so_and_the_app_goes_on(
    stage: Stage, face: Face[Any]
) -> None:
    async with stage.play(local=False, games={GAME: face}) as (app, pilot):
        await sit_down(app, GAME, SEATS, 0)
        await until(pilot, lambda: isinstance(app.screen, CannotShowDialog))
        assert str(FACE.meta.name) in said(app)
        assert ": Fault in fails:" in said(app)
        assert "hand" not in said(app)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen))
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewGameScreen) and app.screen.query("#count"))
        await pilot.press("g")
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))


@pytest.mark.parametrize(
    ("method", "press"),
    [
        ("action_step", "right"),
        ("action_jump", "tab"),
        ("action_do", "enter"),
        ("perform", "x"),
        ("step_back", "escape"),
        ("on_click", "click"),
        ("thing_at", "hover"),
    ],
)
async def test_a_board_that_fails_at_a_key_or_at_the_mouse_is_told_so(
    stage: Stage, method: str, press: str
) -> None:
    face = replace(plain(FACE), board=board_with(**{method: fails}))
    async with stage.play(games={GAME: face}) as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        if press == "click":
            await pilot.click("#board")
        elif press == "hover":
            await pilot.hover("#board")
        else:
            await pilot.press(press)
        await until(pilot, lambda: isinstance(app.screen, CannotShowDialog))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, MenuScreen))


async def test_the_reason_that_a_face_gives_is_told(stage: Stage) -> None:
    def lost(*_args: Any) -> Strip:
        raise CannotDraw(text("Nobody knows where X9 is."))

    face = replace(plain(FACE), board=board_with(render_line=lost))
    async with stage.play(local=False, games={GAME: face}) as (app, pilot):
        await sit_down(app, GAME, SEATS, 0)
        await until(pilot, lambda: isinstance(app.screen, CannotShowDialog))
        assert said(app).startswith("This program can't draw the game ")
        assert said(app).endswith(": Nobody knows where X9 is.")
        assert "newest version" in str(app.screen.query_one("#advice", Static).content)


async def test_a_log_that_cannot_be_drawn_is_told_so(tmp_path: Path) -> None:
    face = replace(plain(FACE), describe=fails)
    begun = match_of(GAME, SEATS, 20)
    async with at_table(begun, tmp_path, games={GAME: face}, screen=CannotShowDialog) as (app, _):
        assert "can't draw" in said(app)


async def test_a_drawer_that_cannot_be_drawn_is_told_so(tmp_path: Path) -> None:
    face = replace(plain(FACE), collections=fails)
    async with at_table(match_of(GAME, SEATS, 20), tmp_path, games={GAME: face}) as (app, pilot):
        await pilot.press("c")
        await until(pilot, lambda: isinstance(app.screen, CannotShowDialog))


async def test_a_chart_that_cannot_be_drawn_is_told_so(tmp_path: Path) -> None:
    face = replace(plain(FACE), chart=fails)
    over = match_of(GAME, SEATS, 10_000)
    async with at_table(over, tmp_path, games={GAME: face}, screen=CannotShowDialog) as (app, pilot):
        assert "can't draw" in said(app)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen))


async def test_a_table_that_could_not_be_drawn_is_tried_again_when_one_comes_back_to_it(
    elsewhere: Elsewhere,
) -> None:
    made: list[Scene[Any]] = []

    def board(scene: Scene[Any]) -> PlainBoard:
        made.append(scene)
        raise Fault

    app = KkApp(elsewhere.connect, local=False, games={GAME: replace(plain(FACE), board=board)})
    async with app.run_test(size=(80, 24)) as pilot:
        await elsewhere.show(encode_place(table_of()))
        await until(pilot, lambda: isinstance(app.screen, CannotShowDialog))
        await elsewhere.show(encode_place(table_of(may_undo=True)))
        await until(pilot, lambda: app.store.table and app.store.table.match.may_undo)  # type: ignore[union-attr]
        assert isinstance(app.screen, CannotShowDialog)
        assert len(made) == 1
        await elsewhere.show(LOBBY)
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen))
        await elsewhere.show(encode_place(table_of()))
        await until(pilot, lambda: len(made) == 2 and isinstance(app.screen, CannotShowDialog))
