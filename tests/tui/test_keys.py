"""One way for a key at a table, in every game: what is not possible now says why."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import AppBlur, Event, Key, Paste
from textual.message import Message
from textual.message_pump import MessagePump
from textual.screen import Screen

from kk_core.match import Match
from kk_core.types import Move
from kk_tui.app import KkApp
from kk_tui.games import faces
from kk_tui.i18n import render
from kk_tui.keymap import KEYS
from kk_tui.match.table import TableScreen
from kk_tui.scene import Scene
from kk_tui.terminal.driver import PaintedApp, hears_keys
from kk_tui.terminal.widgets import LineWidget
from kk_tui.widgets.board import Board
from tests.tui.conftest import Running, shown, until
from tests.tui.playing import at_table, can_act, scene_in
from tests.tui.scenes import SIZES, Page, match_of, scene_of_match
from tests.waiting import patience

MOVE_THE_CURSOR = {"next", "previous"}
EVERYWHERE = {"log", "sheet", "collections", "help", "leave", "back"}
"""What every table offers at any time."""

every_game = pytest.mark.parametrize("game", faces())


def possible(app: KkApp) -> set[str]:
    """The actions that the table in front offers."""
    assert isinstance(app.screen, TableScreen)
    return {action.name for action in app.screen.actions()}


async def all_others_say_why(app: KkApp, pilot: Running) -> None:
    """Press every key that is not on offer: each gets a sentence, and nothing else happens."""
    assert isinstance(app.screen, TableScreen)
    assert possible(app) >= EVERYWHERE
    before = scene_in(app)
    left = KEYS.keys() - possible(app) - MOVE_THE_CURSOR
    for name in sorted(left, key=lambda name: (name != "do", name)):  # Enter before anything is pointed at
        app.screen.say("")
        await pilot.press(KEYS[name].key)
        await until(pilot, lambda: shown(app, "prompt"))
        assert isinstance(app.screen, TableScreen), name
    assert scene_in(app) is before
    app.screen.place_changed()


def match_where(game: str, *, is_first_to_act: bool) -> Match:
    """A match of few plies in which the first seat is to act, or others are."""
    seats = faces()[game].meta.min_seats
    for plies in range(1, 100):
        match = match_of(game, seats, plies)
        if (0 in match.game.active_seats(match.state)) is is_first_to_act:
            return match
    raise AssertionError("the first seat never acts, or nobody else does")


@every_game
@pytest.mark.parametrize("own_turn", [True, False], ids=["in ones own turn", "while others act"])
async def test_a_key_that_is_not_possible_says_why(game: str, own_turn: bool, tmp_path: Path) -> None:
    match = match_where(game, is_first_to_act=own_turn)
    async with at_table(match, tmp_path, games=faces()) as (app, pilot):
        await until(pilot, lambda: can_act(app) is own_turn and not app.screen.mover.pending)  # type: ignore[attr-defined]
        await pilot.press("tab")  # no row is called that nobody has pointed at
        assert ("do" in possible(app)) is own_turn
        await all_others_say_why(app, pilot)


@every_game
async def test_after_the_end_a_key_that_is_not_possible_says_why(game: str, tmp_path: Path) -> None:
    match = match_of(game, faces()[game].meta.min_seats, 10_000)
    async with at_table(match, tmp_path, games=faces()) as (app, pilot):
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, TableScreen) and app.screen.board.has_focus)
        await all_others_say_why(app, pilot)


def shown_one_by_one(page: Page) -> Iterator[Scene[Any]]:
    """The beginning of a match, ply by ply, on the board and through the eyes of who is to act."""
    for plies in range(60):
        match = match_of(page.shown.match.game, len(page.shown.names), plies)
        scene = scene_of_match(match, next(iter(match.game.active_seats(match.state)), 0))
        page.board.show(scene, pending=False)
        yield scene


@every_game
async def test_the_board_leads_to_every_legal_move_that_has_a_place_so_that_enter_makes_it(
    game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Move] = []
    monkeypatch.setattr(Board, "choose", lambda _board, move, **_how: asked.append(move))
    placed = 0
    page = Page(scene_of_match(match_of(game, faces()[game].meta.min_seats)))
    async with page.run_test(size=SIZES["80x24"]):
        for scene in shown_one_by_one(page):
            for move in scene.legal:
                if page.board.point_at(move):
                    placed += 1
                    page.board.action_do()
                    assert asked.pop() == move, move
                else:
                    words = render(faces()[game].move_words(scene, 0, move))
                    assert re.search(
                        r" (plays the law|gives up a stone from|takes no more|leaves|skips|discards|ends) ",
                        words,
                    )
            assert not asked
    assert placed


@every_game
async def test_in_every_phase_a_key_on_offer_is_a_step_and_any_other_is_explained(
    game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Move] = []
    monkeypatch.setattr(Board, "choose", lambda _board, move, **_how: asked.append(move))
    phases = set()
    page = Page(scene_of_match(match_of(game, faces()[game].meta.min_seats)))
    async with page.run_test(size=SIZES["80x24"]):
        for scene in shown_one_by_one(page):
            offered = {action.name for action in page.board.actions()}
            phases.add(frozenset(offered))
            for name in KEYS.keys() - MOVE_THE_CURSOR - {"do"}:
                asked.clear()
                reason = page.board.perform(name)
                is_refused = reason is not None or not scene.legal.issuperset(asked)
                assert is_refused is (name not in offered), name
                page.board.step_back()
    assert len(phases) > 1


class Hearing(Vertical):
    """A container that hears keys, and has the app note them."""

    def on_key(self, event: Key) -> None:
        assert isinstance(self.app, Around)
        self.app.noted.append(f"heard {event.key}")
        if event.key == "s":
            event.stop()


class Telling(LineWidget, can_focus=True):
    """A widget that notes a key only after it has told itself of it."""

    BINDINGS: ClassVar[list[BindingType]] = [("t", "tell", "")]

    class Told(Message):
        """The key was pressed."""

    def action_tell(self) -> None:
        self.post_message(self.Told())

    def on_paste(self, event: Paste) -> None:
        assert isinstance(self.app, Around)
        self.app.noted.append(event.text)


class Around(PaintedApp):
    """A focused widget in containers; the app has bindings for three keys, and takes another one early."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("x", "note('x')", ""), ("s", "note('s')", ""), Binding("p", "note('p')", "", priority=True),
    ]  # fmt: skip

    def __init__(self, around: type[Vertical] = Vertical) -> None:
        super().__init__()
        self._around = around
        self.noted: list[str] = []

    def compose(self) -> ComposeResult:
        yield self._around(Vertical(Telling()))

    def on_mount(self) -> None:
        self.query_one(Telling).focus()

    def action_note(self, key: str) -> None:
        self.noted.append(key)

    def take_early(self, event: Event) -> bool:
        if isinstance(event, Key) and event.key == "z":
            self.noted.append("z")
            return True
        return super().take_early(event)


async def test_all_around_the_focus_that_hear_keys_and_then_the_bindings_get_a_key_without_a_message(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    passed: list[str] = []
    real = MessagePump._dispatch_message

    async def noted(pump: MessagePump, message: Message) -> None:
        if isinstance(message, Key):
            passed.append(type(pump).__name__)
        await real(pump, message)

    monkeypatch.setattr(MessagePump, "_dispatch_message", noted)
    app = Around(Hearing)
    async with app.run_test() as pilot:
        await pilot.press("x", "s")
        assert passed == ["Around", "Around"]
        assert app.noted == ["heard x", "x", "heard s"]
        assert not any(map(hears_keys, (LineWidget, Vertical, Screen)))


async def test_a_key_gives_the_focus_back_to_a_terminal_that_reported_only_that_it_was_gone() -> None:
    app = Around(Hearing)
    async with app.run_test() as pilot:
        app.post_message(AppBlur())
        await until(pilot, lambda: app.focused is None)
        await pilot.press("x")
        assert app.focused is app.query_one(Telling)
        assert app.noted == ["heard x", "x"]


@pytest.mark.parametrize("around", [Vertical, Hearing])
async def test_keys_that_come_at_once_act_in_the_order_in_which_they_were_typed(
    around: type[Vertical],
) -> None:
    """Wherever they go: taken early, with priority, or past somebody who hears keys."""
    app = Around(around)
    async with app.run_test() as pilot:
        for key in "xzpxpzx":
            app.post_message(Key(key, key))
        await until(pilot, lambda: [key for key in app.noted if len(key) == 1] == [*"xzpxpzx"])


class ToldAround(Around):
    """An app whose screen has it note what the widget tells."""

    def get_default_screen(self) -> Screen[None]:
        return TellingScreen(id="_default")


class TellingScreen(Screen[None]):
    """A screen that hears what its widget tells."""

    def on_telling_told(self, event: Telling.Told) -> None:
        event.stop()
        assert isinstance(self.app, Around)
        self.app.noted.append("t")


@pytest.mark.parametrize("around", [Vertical, Hearing])
async def test_a_key_waits_for_what_earlier_keys_and_pastes_have_told_those_on_its_way(
    around: type[Vertical],
) -> None:
    app = ToldAround(around)
    async with app.run_test() as pilot:
        for key in "txtzp":
            app.post_message(Key(key, key))
        app.post_message(Paste("pasted"))
        app.post_message(Key("x", "x"))
        await until(pilot, lambda: "pasted" in app.noted)
        await until(pilot, lambda: app.noted[-1] == "x")
        assert [key for key in app.noted if not key.startswith("heard")] == [*"txtzp", "pasted", "x"]


async def test_a_key_does_not_wait_for_somebody_who_waits_for_it() -> None:
    pressed = asyncio.Event()

    class Waiting(Hearing):
        async def on_telling_told(self, event: Telling.Told) -> None:
            event.stop()
            await pressed.wait()

    class Pressed(Around):
        def action_note(self, key: str) -> None:
            super().action_note(key)
            pressed.set()

    app = Pressed(Waiting)
    async with app.run_test():
        for key in "tttx":
            app.post_message(Key(key, key))
        async with asyncio.timeout(patience()):
            await pressed.wait()
