"""The command palette knows what can be done on every screen, and does it."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.command import CommandList, CommandPalette
from textual.widgets import Input

from kk_core.games.web_of_power.model import CARD_NAMES
from kk_tui.app import KkApp
from kk_tui.games import faces
from kk_tui.i18n import render
from kk_tui.keymap import KEYS, Action
from kk_tui.match.replay import ReplayScreen
from kk_tui.match.table import TableScreen
from kk_tui.screens.base import KkScreen
from kk_tui.screens.dialogs import ConfirmScreen
from kk_tui.screens.help import HelpScreen
from kk_tui.screens.menu import MenuScreen
from kk_tui.screens.settings import SettingsScreen
from kk_tui.widgets.bars import KeyBar
from tests.tui.conftest import Running, Stage, at_rest, until
from tests.tui.playing import at_table, begin, can_act, is_over, keys_of, scene_in, sit_down
from tests.tui.scenes import match_of

OUT = ["quit", "kk", "Ctrl+Q"]
"""What stands on every screen."""


async def opened(app: KkApp, pilot: Running) -> list[str]:
    """The lines of the palette, which is opened over the screen in front."""
    await pilot.press("ctrl+p")
    await until(pilot, lambda: isinstance(app.screen, CommandPalette) and commands(app).option_count)
    return lines(app)


def commands(app: KkApp) -> CommandList:
    """The list in the palette."""
    return app.screen.query_one(CommandList)


def lines(app: KkApp) -> list[str]:
    """Its lines as they read."""
    return [str(option.prompt) for option in commands(app).options]


def expected(actions: tuple[Action, ...]) -> list[list[str]]:
    """The words of each action's line."""
    return [[*action.whole_words().split(), *KEYS[action.name].shown.split()] for action in actions]


@pytest.mark.parametrize("game", faces())
async def test_it_lists_every_action_of_the_table_with_its_key(game: str, stage: Stage) -> None:
    async with stage.play(games=None) as (app, pilot):
        await sit_down(app, game, faces()[game].meta.min_seats, 0)
        await until(pilot, lambda: can_act(app))
        actions = tuple(app.screen.actions())  # type: ignore[attr-defined]
        by_key = {action.whole_words() for action in actions if action.name != "do"}
        once = tuple(
            action for action in actions if action.name != "do" or action.whole_words() not in by_key
        )
        listed = [line.split() for line in await opened(app, pilot)]
        assert listed == [*expected(once), OUT]


async def test_cards_that_the_footer_calls_alike_are_told_by_name(stage: Stage) -> None:
    async with stage.play(games=None) as (app, pilot):
        await sit_down(app, "web_of_power", 3, 0)
        await until(pilot, lambda: can_act(app))
        assert "1/2/3 card" in keys_of(app)
        cards = [render(CARD_NAMES[kind]) for kind in scene_in(app).observation.hand]
        listed = [line.split() for line in await opened(app, pilot)]
        assert all(["card", *card.split(), str(place)] in listed for place, card in enumerate(cards, 1))


async def test_what_has_no_room_in_the_footer_is_found_by_a_click_on_the_last_of_it(stage: Stage) -> None:
    async with stage.play(games=None) as (app, pilot):
        await sit_down(app, "land_cards", 3, 0)
        await until(pilot, lambda: can_act(app))
        footer = keys_of(app)
        assert footer.rstrip().endswith("Ctrl+P more")
        await pilot.click(KeyBar, offset=(footer.index("more"), 0))
        await until(pilot, lambda: isinstance(app.screen, CommandPalette))


async def test_what_is_chosen_is_done_on_the_screen_below(stage: Stage) -> None:
    async with stage.play() as (app, pilot):
        await opened(app, pilot)
        await pilot.press(*"sett")
        await until(pilot, lambda: [line.split() for line in lines(app)] == [["settings", ","]])
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, SettingsScreen))


async def test_a_click_does_it_too(stage: Stage) -> None:
    async with stage.play() as (app, pilot):
        listed = await opened(app, pilot)
        row = next(i for i, line in enumerate(listed) if line.endswith("?"))
        await pilot.click(CommandList, offset=(3, row))
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))


async def test_a_move_can_be_made_through_it(stage: Stage) -> None:
    async with stage.play() as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        before = scene_in(app).match.ply
        assert (await opened(app, pilot))[0].endswith("Enter")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, TableScreen) and scene_in(app).match.ply > before)


async def test_its_cursor_does_not_blink(stage: Stage) -> None:
    async with stage.play() as (app, pilot):
        await opened(app, pilot)
        line = app.screen.query_one(Input)
        assert line.has_focus
        assert line._blink_timer is not None
        assert not line._blink_timer._active.is_set()


async def test_esc_leaves_it_and_nothing_is_done(stage: Stage) -> None:
    async with stage.play() as (app, pilot):
        await opened(app, pilot)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, MenuScreen))


async def test_words_that_fit_nothing_are_answered_with_a_sentence(stage: Stage) -> None:
    async with stage.play() as (app, pilot):
        await opened(app, pilot)
        await pilot.press(*"zzzz")
        await until(pilot, lambda: lines(app) == ["No matching command."])
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, MenuScreen))


async def test_in_a_replay_it_knows_the_ways_to_turns_rounds_and_scorings(stage: Stage) -> None:
    async with stage.play() as (app, pilot):
        await sit_down(app, stage.game, stage.seats)
        await until(pilot, lambda: is_over(app))
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen) and len(app.screen.actions()) > 3)
        keys = {line.split()[-1] for line in await opened(app, pilot)}
        assert {"Up", "Down", "PgUp", "PgDn", "Tab", "Shift+Tab", "Home", "End", "[", "]", "v"} <= keys


@pytest.mark.parametrize("local", [True, False])
async def test_nothing_in_it_reaches_the_machine_that_the_app_runs_on(local: bool, stage: Stage) -> None:
    async with stage.play(local=local) as (app, pilot):
        screen = app.screen
        assert isinstance(screen, KkScreen)
        actions = tuple(screen.actions())
        assert [line.split() for line in await opened(app, pilot)] == [*expected(actions), OUT]
        assert not list(app.get_system_commands(app.screen))


async def test_quitting_through_it_asks_first(stage: Stage) -> None:
    async with stage.play() as (app, pilot):
        await opened(app, pilot)
        await pilot.press(*"quit")
        await until(pilot, lambda: lines(app) and "Ctrl+Q" in lines(app)[-1])
        await pilot.press("up", "enter")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))


async def test_it_lists_all_at_once_on_a_screen_that_has_room_for_them(tmp_path: Path) -> None:
    match = match_of("land_cards", 3)
    async with at_table(match, tmp_path, games=faces(), hints=True, size=(120, 40)) as (app, pilot):
        await until(pilot, lambda: can_act(app))
        await opened(app, pilot)
        await at_rest(pilot)
        assert len(lines(app)) > 15, "more than fit at 80x24"
        assert commands(app).max_scroll_y == 0


@pytest.mark.parametrize("ascii_only", [False, True])
async def test_it_fits_the_smallest_screen(ascii_only: bool, stage: Stage) -> None:
    async with stage.play(size=(80, 23), ascii_only=ascii_only) as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        await opened(app, pilot)
        await at_rest(pilot)
        assert commands(app).virtual_size.height == len(lines(app)), "each in one line"
        frame = app.screen.query_one("#--container").region
        assert app.screen.region.contains_region(frame)
        assert all(len(line) <= commands(app).content_size.width for line in lines(app))
        strips = app.screen._compositor.render_strips()[frame.y : frame.bottom]
        drawn = "".join(strip.crop(frame.x, frame.right).text for strip in strips)
        assert drawn.isascii() is ascii_only


async def test_what_enter_and_another_key_do_alike_stands_there_once(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    ending = (Action("do", KEYS["end"].label), Action("end"), Action("help"))
    async with stage.play(games=None) as (app, pilot):
        await sit_down(app, "land_cards", 3, 0)
        await until(pilot, lambda: can_act(app))
        monkeypatch.setattr(app.screen, "actions", lambda: ending)
        listed = [line.split() for line in await opened(app, pilot)]
        assert listed == [*expected(ending[1:]), OUT]


async def test_its_footer_tells_of_its_own_keys_and_can_be_clicked(stage: Stage) -> None:
    async with stage.play() as (app, pilot):
        await opened(app, pilot)
        bar = app.screen.query_one(KeyBar)
        await until(pilot, lambda: bar.render_line(0).text.split() == ["Enter", "do", "it", "Esc", "back"])
        await pilot.click("#keys", offset=(bar.render_line(0).text.index("back"), 0))
        await until(pilot, lambda: isinstance(app.screen, MenuScreen))
