"""What is not kept says so on every screen as long as it is so, and whoever leaves is told what is lost."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from time import time

import pytest
from textual.widgets import Static

from kk_core.protocol.messages import RecordText
from kk_core.protocol.stream import ClientLink
from kk_core.text import text
from kk_tui.app import KkApp
from kk_tui.games import faces
from kk_tui.match.screen import save_record
from kk_tui.match.table import TableScreen
from kk_tui.saving import SaveState
from kk_tui.screens.base import KkScreen
from kk_tui.screens.daily import DailyScreen
from kk_tui.screens.dialogs import ConfirmScreen
from kk_tui.screens.game_card import GameCard, LessonRow
from kk_tui.screens.help import HelpScreen
from kk_tui.screens.history import PastMatchesScreen
from kk_tui.screens.menu import MenuScreen
from kk_tui.screens.new_game import NewGameScreen
from kk_tui.settings import Recent, RecentFile
from kk_tui.widgets.agreement import AgreementStrip
from kk_tui.widgets.bars import KeyBar, TextLine
from tests.tui.conftest import Running, Stage, at_rest, renewed, shown, until
from tests.tui.plain import plain_faces
from tests.tui.playing import begin, can_act, is_over
from tests.tui.scenes import lines_of

FULL = text("the disk is full.")
SENTENCE = "Matches are not being saved: the disk is full."
AGAIN = "Matches are being saved again."


def footer(app: KkApp) -> str:
    """The last line of the screen in front."""
    return app.screen.query_one(KeyBar).render_line(0).text


def question(app: KkApp) -> str:
    """What a dialog asks."""
    assert isinstance(app.screen, ConfirmScreen)
    return str(app.screen.query_one("#question Static", Static).content)


def unkept(save_state: SaveState, app: KkApp, since: int | None = None) -> None:
    """Let the match on the screen be one that is not kept."""
    assert app.store.table is not None
    known = {app.store.table.id: since}
    save_state.unkept = lambda: known


@pytest.mark.parametrize("size", [(80, 23), (80, 24), (120, 40)])
async def test_that_nothing_is_kept_stands_on_every_screen_from_its_first_frame(
    stage: Stage, size: tuple[int, int]
) -> None:
    save_state = SaveState()
    save_state.tell(FULL)
    async with stage.play(save_state=save_state, size=size) as (app, pilot):
        assert isinstance(app.screen, MenuScreen)
        assert str(app.screen.query_one("#notice", TextLine).content) == SENTENCE
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewGameScreen))
        assert "saved" in footer(app)
        await pilot.press("escape")
        await begin(app, pilot)
        assert shown(app, "prompt") == SENTENCE
        assert "saved" in footer(app)
        assert not app.screen.query_one(AgreementStrip).display
        assert "ply" in shown(app, "header")
        await pilot.press("down")
        await until(pilot, lambda: "choose a move" in shown(app, "prompt"))
        assert "saved" in footer(app)
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        assert "saved" in footer(app)


async def test_the_first_screen_says_so_before_it_knows_any_match() -> None:
    async def connect() -> ClientLink:
        await asyncio.Event().wait()
        raise AssertionError("the hub stays busy")

    save_state = SaveState()
    save_state.tell(FULL)
    app = KkApp(connect, local=True, games=plain_faces(), save_state=save_state)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, MenuScreen))
        await until(pilot, lambda: any(SENTENCE in line for line in lines_of(app)))
        assert app.store.place is None


async def test_it_is_said_as_soon_as_it_is_so_and_no_longer(stage: Stage) -> None:
    save_state = SaveState()
    async with stage.play(save_state=save_state) as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: "choose a move" in shown(app, "prompt"))
        before = footer(app)
        assert "kept" not in before
        save_state.tell(FULL)
        await until(pilot, lambda: shown(app, "prompt") == SENTENCE)
        assert "saved" in footer(app)
        save_state.tell(None)
        await until(pilot, lambda: shown(app, "prompt") == AGAIN)
        renewed(app)
        assert shown(app, "prompt") == AGAIN
        assert footer(app) == before
        await pilot.press("down")
        await until(pilot, lambda: "choose a move" in shown(app, "prompt"))


async def test_a_screen_under_another_one_says_it_too_when_it_comes_up(stage: Stage) -> None:
    save_state = SaveState()
    async with stage.play(save_state=save_state) as (app, pilot):
        await begin(app, pilot)
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        save_state.tell(FULL)
        await until(pilot, lambda: "saved" in footer(app))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        assert "saved" in footer(app)


async def told_that_it_is_saved_again(app: KkApp, pilot: Running) -> None:
    """Read it: it stays until the next key, although what could not be read comes meanwhile."""
    await until(pilot, lambda: shown(app, "prompt") == AGAIN)
    await at_rest(pilot)
    assert shown(app, "prompt") == AGAIN
    await pilot.press("up")


async def test_where_earlier_matches_cannot_be_read_nobody_is_called_new_until_they_can_be(
    stage: Stage,
) -> None:
    save_state = SaveState()
    save_state.is_unread = lambda: save_state.fault is not None
    save_state.tell(text("kk is already running on this machine."))
    async with stage.play(save_state=save_state) as (app, pilot):
        lessons = app.screen.query_one(LessonRow)
        await until(pilot, lambda: lessons.is_all_new)
        await at_rest(pilot)
        assert isinstance(app.focused, GameCard)
        await pilot.press("down")
        await until(pilot, lambda: app.focused in lessons.offered)
        assert shown(app, "prompt") == "Press Enter to learn this game by playing, in a few minutes."
        await pilot.press("l")
        await until(pilot, lambda: isinstance(app.screen, PastMatchesScreen))
        unread = "Your past matches can't be read: kk is already running on this machine."
        await until(pilot, lambda: shown(app, "prompt") == unread)
        save_state.tell(None)
        await told_that_it_is_saved_again(app, pilot)
        await until(pilot, lambda: shown(app, "prompt") == "You haven't finished a match yet.")


async def test_the_deal_of_the_day_promises_nothing_where_earlier_matches_cannot_be_read(
    stage: Stage,
) -> None:
    save_state = SaveState()
    save_state.is_unread = lambda: save_state.fault is not None
    save_state.tell(FULL)
    async with stage.play(save_state=save_state, games=faces()) as (app, pilot):
        await pilot.press("d")
        await until(pilot, lambda: isinstance(app.screen, DailyScreen))
        unread = "Your past matches can't be read: the disk is full."
        await until(pilot, lambda: shown(app, "prompt") == unread)
        save_state.tell(None)
        await told_that_it_is_saved_again(app, pilot)
        await until(pilot, lambda: "Enter plays it" in shown(app, "prompt"))


async def test_once_earlier_matches_can_be_read_lessons_are_offered_as_new_to_those_alone_who_are_new(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_state = SaveState()
    save_state.is_unread = lambda: save_state.fault is not None
    save_state.tell(FULL)
    async with stage.play(save_state=save_state) as (app, pilot):
        lessons = app.screen.query_one(LessonRow)
        await until(pilot, lambda: lessons.is_all_new)
        await pilot.press("down")
        await until(pilot, lambda: app.focused in lessons.offered)
        learnt = tuple(app.games)
        monkeypatch.setattr(app.recent, "load", lambda: Recent(learnt=learnt))
        save_state.tell(None)
        await until(pilot, lambda: not lessons.new)
        assert shown(app, "prompt") == "Press Enter to take this game's lesson again."


async def leaving(app: KkApp, pilot: Running) -> str:
    """The question on leaving the table, and back."""
    await pilot.press("q")
    await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
    asked = question(app)
    await pilot.press("n")
    await until(pilot, lambda: not isinstance(app.screen, ConfirmScreen))
    return asked


async def test_leaving_a_table_says_what_is_lost_and_promises_nothing_else(stage: Stage) -> None:
    save_state = SaveState()
    async with stage.play(save_state=save_state) as (app, pilot):
        await begin(app, pilot)
        kept = "Leave the table? The match is kept; you can come back to it."
        assert await leaving(app, pilot) == kept
        save_state.tell(FULL)
        assert await leaving(app, pilot) == kept  # so far it is
        unkept(save_state, app)
        whole = "Leave the table? You can come back until you quit; then the match is lost."
        assert await leaving(app, pilot) == whole
        unkept(save_state, app, int(time()))
        part = await leaving(app, pilot)
        assert part.startswith("Leave the table? You can come back until you quit; then everything since ")
        save_state.unkept = dict
        save_state.tell(None)
        assert await leaving(app, pilot) == kept


async def test_an_open_question_says_no_more_that_something_is_lost_which_is_kept_again(stage: Stage) -> None:
    save_state = SaveState()
    async with stage.play(save_state=save_state) as (app, pilot):
        await begin(app, pilot)
        save_state.tell(FULL)
        unkept(save_state, app)
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        assert question(app).endswith("then the match is lost.")
        save_state.unkept = dict
        save_state.tell(None)
        kept = "Leave the table? The match is kept; you can come back to it."
        await until(pilot, lambda: question(app) == kept)
        assert kept.removeprefix("Leave the table? ") in " ".join(" ".join(lines_of(app)).split())


async def test_a_result_that_is_not_kept_is_not_said_to_be(stage: Stage) -> None:
    save_state = SaveState()
    async with stage.play(save_state=save_state) as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        while not is_over(app):
            await pilot.press("enter")
            await until(pilot, lambda: can_act(app) or is_over(app))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        save_state.tell(FULL)
        unkept(save_state, app, int(time()))
        over = "Leave the table? The match is over; "
        assert await leaving(app, pilot) == f"{over}its result will be lost when you quit."
        save_state.tell(None)
        await pilot.press("q")  # nothing is lost, so nothing is asked
        await until(pilot, lambda: isinstance(app.screen, MenuScreen))


@pytest.mark.parametrize(
    ("matches", "lost"),
    [
        ({}, "Quit kk?"),
        ({"a": None}, "Quit kk? 1 match will be lost: the disk is full."),
        ({"a": None, "b": None}, "Quit kk? 2 matches will be lost: the disk is full."),
        ({"a": 9}, "Quit kk? The last moves of 1 match will be lost: the disk is full."),
        (
            {"a": 9, "b": None},
            "Quit kk? The last moves of 2 matches, or all of them, will be lost: the disk is full.",
        ),
    ],
)
async def test_leaving_the_program_says_what_is_lost(
    stage: Stage, matches: dict[str, int | None], lost: str
) -> None:
    save_state = SaveState()
    save_state.tell(FULL)
    save_state.unkept = lambda: matches
    async with stage.play(save_state=save_state) as (app, pilot):
        for keys in ("q", "ctrl+c", "ctrl+q"):
            await pilot.press(keys)
            await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
            assert question(app) == lost
            await pilot.press("n")
            await until(pilot, lambda: isinstance(app.screen, MenuScreen))


def names(folder: Path) -> list[str]:
    """The files of a folder."""
    return [file.name for file in folder.iterdir()]


async def test_a_record_that_does_not_fit_leaves_the_one_before_as_it_was(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage.play() as (app, pilot):
        await begin(app, pilot)
        scene = app.store.scene
        assert scene is not None
        target = tmp_path / f"{scene.match.game}-{scene.match.commitment.hex()[:12]}.json"
        target.write_text("the one before")

        async def record(_make: object) -> RecordText:
            return RecordText(0, "x" * 10_000)

        def full(_file: int) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(app, "request", record)
        monkeypatch.setattr(os, "fsync", full)
        assert isinstance(app.screen, KkScreen)
        await save_record(app.screen, tmp_path)
        assert "No space left on device" in shown(app, "prompt")
    assert target.read_text() == "the one before"
    assert names(tmp_path) == [target.name]


def test_choices_that_cannot_be_kept_leave_no_half_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    RecentFile(tmp_path / "recent.json").save(Recent("ku_ka_king"))
    assert names(tmp_path) == []
