"""No press that was meant for what was there before counts for what came."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest

from kk_core.games.web_of_power.model import FREE, PLACING
from kk_tui import press_guard
from kk_tui.app import KkApp
from kk_tui.games import faces
from kk_tui.match.table import TableScreen
from kk_tui.press_guard import BURST, SEEN, TOO_SOON, PressGuard
from kk_tui.screens.dialogs import HandoverDialog
from kk_tui.settings import AppSettings, SessionSettings
from tests.tui.conftest import Stage, shown, until
from tests.tui.ku_ka_king.test_play import waits_for_all
from tests.tui.playing import begin, board_in, can_act, scene_in

SOON = str(TOO_SOON)

EVER = 3600.0
"""Seconds that no test takes."""


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def _as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(press_guard, "SEEN", SEEN)
    monkeypatch.setattr(press_guard, "BURST", BURST)


def pressed(there: PressGuard, clock: Clock, *presses: tuple[float, str]) -> Iterator[bool]:
    """Whether each press was meant, so many seconds after the one before."""
    for pause, key in presses:
        clock.now += pause
        there.press(key)
        yield there.is_meant


@pytest.mark.usefixtures("_as_it_is")
def test_a_press_counts_for_what_has_been_there_for_a_moment() -> None:
    there = PressGuard(clock := Clock())
    there.changed()
    assert list(pressed(there, clock, (SEEN / 2, "1"), (SEEN / 4, "2"), (SEEN / 2, "3"))) == [
        False,
        False,
        True,
    ]


@pytest.mark.usefixtures("_as_it_is")
def test_presses_in_a_row_count_for_what_the_first_was_meant_for() -> None:
    there = PressGuard(clock := Clock())
    assert list(pressed(there, clock, (1, "enter"), (0.3, "enter"))) == [True, True]
    there.changed()
    assert not any(pressed(there, clock, *((0.3, "enter") for _ in range(9))))
    assert list(pressed(there, clock, (BURST + 0.1, "enter"))) == [True], "a pause ends the row"
    there.changed()
    assert list(pressed(there, clock, (0.3, "enter"), (SEEN, "down"), (0.1, "enter"))) == [False, True, True]


@pytest.mark.usefixtures("_as_it_is")
def test_a_row_of_presses_goes_on_in_the_same_turn_as_soon_as_what_is_new_was_seen() -> None:
    there = PressGuard(clock := Clock())
    there.press("enter")
    there.changed(goes_on=True)
    assert list(pressed(there, clock, (0.3, "enter"), (0.3, "enter"))) == [False, True]


@pytest.mark.usefixtures("_as_it_is")
def test_a_row_of_presses_ends_with_the_turn_in_which_it_went_on() -> None:
    there = PressGuard(clock := Clock())
    there.press("enter")
    there.changed(goes_on=True)
    assert list(pressed(there, clock, (SEEN, "enter"))) == [True]
    there.changed()
    assert not any(pressed(there, clock, *((SEEN, "enter") for _ in range(9))))


def own_plies(app: KkApp) -> int:
    """How many of the last plies the viewer has made."""
    scene = scene_in(app)
    return sum(entry.seat == scene.viewer for _ply, entry in scene.match.recent())


@pytest.mark.parametrize("game", faces())
async def test_a_key_pressed_before_ones_turn_could_be_seen_makes_no_move(
    stage: Stage, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage.play(games={game: faces()[game]}) as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        monkeypatch.setattr(press_guard, "SEEN", EVER)
        assert own_plies(app) == 0
        for key in ("tab", "enter", "1", "enter", "enter", "e", "p", "d", "x", "u", "escape"):
            await pilot.press(key)
        assert isinstance(app.screen, TableScreen), "nor does it ask whether to leave"
        assert own_plies(app) == 0
        monkeypatch.setattr(press_guard, "SEEN", 0.0)
        for number in count():
            if own_plies(app):
                break
            await pilot.press("tab" if number % 3 == 0 else "enter")
            await until(pilot, lambda: not board_in(app).pending)


def is_waited_for_alone(app: KkApp) -> bool:
    """Tell whether all others have called a row, and the one who looks may."""
    seen = scene_in(app).observation
    return can_act(app) and set(seen.affected) - set(seen.called) == {0}


async def test_the_enter_that_ends_a_reveal_calls_no_row_however_often_it_is_pressed(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    lively = SessionSettings(AppSettings(motion="full", confirm=False))
    game = {"ku_ka_king": faces()["ku_ka_king"]}
    async with stage.play(games=game, settings=lively) as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        for _ in range(6):
            turn = scene_in(app).observation.turn
            await pilot.press("down", "enter")
            await until(pilot, lambda: app.screen.scoring_player.is_playing)  # type: ignore[attr-defined]
            monkeypatch.setattr(press_guard, "BURST", EVER)
            while app.screen.scoring_player.is_playing:  # type: ignore[attr-defined]
                await pilot.press("enter")
            # once nobody else is to call, after which the refusal would be taken back
            await until(pilot, lambda: is_waited_for_alone(app) and board_in(app).scene is scene_in(app))
            for _ in range(3):
                await pilot.press("enter")
            await until(pilot, lambda: shown(app, "prompt").startswith("Choose a row first"))
            assert board_in(app).cursor is None
            monkeypatch.setattr(press_guard, "BURST", 0.0)
            assert scene_in(app).observation.turn == turn + 1
            assert scene_in(app).legal


async def test_a_number_that_ends_a_reveal_calls_no_row(stage: Stage) -> None:
    lively = SessionSettings(AppSettings(motion="full", confirm=False))
    game = {"ku_ka_king": faces()["ku_ka_king"]}
    async with stage.play(games=game, settings=lively) as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        await pilot.press("3")
        await until(pilot, lambda: app.screen.scoring_player.is_playing)  # type: ignore[attr-defined]
        await pilot.press("3")
        await until(pilot, lambda: can_act(app))
        assert shown(app, "prompt") == SOON
        assert scene_in(app).observation.turn == 1


async def test_what_a_reveal_says_is_said_again_after_a_complaint(stage: Stage) -> None:
    lively = SessionSettings(AppSettings(motion="full", confirm=False))
    game = {"ku_ka_king": faces()["ku_ka_king"]}
    async with stage.play(games=game, settings=lively) as (app, pilot):
        await begin(app, pilot)
        for _ in range(4):
            await until(pilot, lambda: can_act(app) and board_in(app).scene is scene_in(app))
            await pilot.press("down", "enter")
            await until(pilot, lambda: app.screen.scoring_player.is_playing)  # type: ignore[attr-defined]
            screen = app.screen
            assert isinstance(screen, TableScreen)
            while screen.scoring_player.is_playing:
                said = shown(app, "prompt")
                screen.complain(TOO_SOON)
                assert shown(app, "prompt") == SOON
                screen.take_back()
                assert shown(app, "prompt") == said
                await pilot.press("enter")


async def test_the_enter_that_places_a_piece_places_no_second_one(stage: Stage) -> None:
    async with stage.play(games={"web_of_power": faces()["web_of_power"]}) as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        while scene_in(app).observation.phase == PLACING and not board_in(app).laid:
            await pilot.press("tab", "enter")
            await until(pilot, lambda: can_act(app))
        target = board_in(app).laid
        await pilot.press("enter")
        await until(pilot, lambda: can_act(app) and scene_in(app).match.ply > 0)
        assert scene_in(app).observation.board[target] != FREE
        assert board_in(app).laid is None


async def test_the_enter_of_the_one_before_does_not_take_the_screen_over(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage.play(games={"ku_ka_king": faces()["ku_ka_king"]}) as (app, pilot):
        monkeypatch.setattr(press_guard, "BURST", EVER)
        await begin(app, pilot, humans=2)
        await until(pilot, lambda: isinstance(app.screen, HandoverDialog))
        await pilot.press("enter")
        await until(pilot, lambda: can_act(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: isinstance(app.screen, HandoverDialog) and scene_in(app).viewer is None)
        await pilot.press("enter")
        await until(pilot, lambda: shown(app, "prompt") == SOON)
        assert isinstance(app.screen, HandoverDialog)
        await pilot.press("tab", "enter")
        await until(pilot, lambda: can_act(app) and scene_in(app).viewer == 1)


async def test_the_enter_of_the_last_call_does_not_take_the_reveal_from_those_who_are_to_see_it(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage.play(games={"ku_ka_king": faces()["ku_ka_king"]}) as (app, pilot):
        await begin(app, pilot, humans=2)
        for seat in (0, 1):
            await until(
                pilot, lambda: isinstance(app.screen, HandoverDialog) and scene_in(app).viewer is None
            )
            await pilot.press("tab", "enter")
            await until(pilot, lambda seat=seat: can_act(app) and scene_in(app).viewer == seat)  # type: ignore[misc]
            await pilot.press("down")
            monkeypatch.setattr(press_guard, "BURST", EVER)
            await pilot.press("enter")
        await until(pilot, lambda: waits_for_all(app))
        await pilot.press("enter", "enter")
        assert waits_for_all(app)
        await pilot.press("tab", "enter")
        await until(pilot, lambda: isinstance(app.screen, HandoverDialog))


async def test_a_click_in_a_row_with_the_one_that_closed_what_was_there_does_nothing(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage.play(games={"ku_ka_king": faces()["ku_ka_king"]}) as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        monkeypatch.setattr(press_guard, "SEEN", EVER)
        await pilot.click("#board", offset=(20, board_in(app).painter.layout.region(2).y))
        await until(pilot, lambda: shown(app, "prompt") == SOON)
        assert own_plies(app) == 0
