"""Settings are chosen by keys and by mouse, and hold at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input

from kk_core.registry import game_ids
from kk_tui.match.table import TableScreen
from kk_tui.screens.settings import SettingsScreen, Swatches
from kk_tui.setting_choices import CHOICES
from kk_tui.settings import AppSettings, SessionSettings, SettingsFile
from kk_tui.terminal.capabilities import ColourDepth, TerminalKind, kind_of
from kk_tui.widgets.board import Board
from kk_tui.widgets.form import LineSelect
from tests.tui.conftest import Running, Stage, at_rest, shown, until
from tests.tui.emulated import ShownApp, settled
from tests.tui.playing import begin
from tests.tui.test_frames import TRUE, at_table

PARTS_OF_BLOCKS = "▘▝▀▖▌▞▛▗▚▐▜▄▙▟"


async def opened(app: ShownApp, pilot: Running) -> None:
    await pilot.press("comma")
    await until(pilot, lambda: isinstance(app.screen, SettingsScreen))
    await settled(app, pilot)


def test_every_setting_has_its_line_or_field() -> None:
    fields = {choice.name for choice in CHOICES} | {"language", "name"}
    # keys have a screen of their own
    assert fields | {"keys"} == set(AppSettings.__struct_fields__)


async def test_colours_change_at_once_and_the_table_below_is_drawn_in_them() -> None:
    async with at_table("land_cards", TRUE) as (app, pilot):
        await opened(app, pilot)
        await pilot.press("right")
        await settled(app, pilot)
        assert app.settings.palette == "contrast"
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        await settled(app, pilot)
        assert app.terminal.picture == app.expected()
        assert {cell.ground for row in app.terminal.picture for cell in row} >= {"000000"}


async def test_another_depth_is_painted_anew_and_samples_of_others_stay_as_they_are() -> None:
    async with at_table("land_cards", TRUE) as (app, pilot):
        await opened(app, pilot)
        before = len(app.terminal.sent)
        app.change_settings(depth="256")
        await settled(app, pilot)
        sent = app.terminal.sent[before:]
        assert "48;5;234" in sent
        assert "48;2;143;164;216" in sent


@pytest.mark.parametrize("light", ["light", "dark"])
async def test_the_page_can_be_chosen_whatever_the_terminal_says(light: str) -> None:
    async with at_table("land_cards", TRUE) as (app, pilot):
        app.has_light_page = light == "dark"
        app.change_settings(light=light)
        await settled(app, pilot)
        assert app.palette.is_dark is (light == "dark")
        assert app.terminal.picture == app.expected()


async def test_a_click_on_a_sample_chooses_it(stage: Stage) -> None:
    async with stage.play() as (app, pilot):
        await pilot.press("comma")
        await until(pilot, lambda: isinstance(app.screen, SettingsScreen))
        await pilot.click(Swatches, offset=(5, 6))
        await until(pilot, lambda: app.settings.palette == "colour-blind")
        assert app.screen.query_one("#palette", LineSelect).value == "colour-blind"
        await pilot.click(Swatches, offset=(5, 12))
        await until(pilot, lambda: app.settings.depth == "256")


async def test_everything_fits_into_80x24(stage: Stage) -> None:
    async with stage.play() as (app, pilot):
        await pilot.press("comma")
        await until(pilot, lambda: isinstance(app.screen, SettingsScreen))
        form = app.screen.query_one("#choices")
        assert form.max_scroll_y == 0
        assert app.screen.query_one("#samples").region.right <= 80
        assert all(select.region.right <= form.region.right for select in app.screen.query(LineSelect))


async def test_a_name_is_kept_when_its_field_is_left(stage: Stage) -> None:
    async with stage.play() as (app, pilot):
        await pilot.press("comma")
        await until(pilot, lambda: isinstance(app.screen, SettingsScreen))
        app.screen.query_one("#name").focus()
        await pilot.press("I", "d", "a", "escape")
        await until(pilot, lambda: not isinstance(app.screen, SettingsScreen))
        assert app.settings.name == "Ida"


async def test_plain_letters_are_drawn_at_once(stage: Stage) -> None:
    async with stage.play() as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        app.change_settings(ascii="on")

        def is_plain() -> bool:
            lines = [strip.text for strip in app.screen._compositor.render_strips()]
            return "".join(lines).replace("ö", "o").isascii()

        await until(pilot, is_plain)
        app.change_settings(ascii="auto")
        assert not app.glyphs.ascii_only


async def test_every_setting_in_focus_is_explained_in_a_sentence_of_its_own(stage: Stage) -> None:
    async with stage.play(size=(80, 24)) as (app, pilot):
        await pilot.press("comma")
        await until(pilot, lambda: isinstance(app.screen, SettingsScreen))
        told = []
        for field in app.screen.query("LineSelect, Input"):
            field.focus()
            await at_rest(pilot)
            told.append(shown(app, "prompt"))
        assert len(set(told)) == len(told)
        assert all(len(sentence) <= 78 and sentence.endswith(".") for sentence in told)


async def test_what_cannot_be_kept_is_told_in_the_prompt_line(stage: Stage, tmp_path: Path) -> None:
    async with stage.play(settings=SettingsFile(tmp_path)) as (app, pilot):
        await pilot.press("comma")
        await until(pilot, lambda: isinstance(app.screen, SettingsScreen))
        await pilot.press("right")
        await until(pilot, lambda: "last only until you leave" in shown(app, "prompt"))
        assert app.settings.palette == "contrast"


@pytest.mark.parametrize(
    ("game_id", "term"),
    [
        *((game_id, "vt100") for game_id in game_ids()),
        *(("web_of_power", term) for term in ("xterm", "linux", "screen-256color")),
    ],
)
async def test_few_colours_cover_blanks_and_hide_only_coasts_or_without_any_what_is_faint(
    game_id: str, term: str
) -> None:
    kind: TerminalKind = kind_of(term, {})
    async with at_table(game_id, kind) as (app, pilot):
        await settled(app, pilot)
        board = app.screen.query_one(Board).region
        shown_cells = [row[board.x : board.right] for row in app.terminal.picture[board.y : board.bottom]]
        drawn_cells = [row[board.x : board.right] for row in app.expected()[board.y : board.bottom]]
        changed = {
            (drawn.character, cell.character)
            for shown_row, drawn_row in zip(shown_cells, drawn_cells, strict=True)
            for cell, drawn in zip(shown_row, drawn_row, strict=True)
            if cell.character != drawn.character
        }
        covered = {after for before, after in changed if before == " "}
        gone = {before for before, after in changed if before != " "}
        instead = {after for before, after in changed if before != " "}
        assert covered <= set("░╱·")
        assert instead <= set(" ░╱·")
        assert kind.depth is not ColourDepth.SIXTEEN or gone <= set(PARTS_OF_BLOCKS)
        assert kind.depth in (ColourDepth.SIXTEEN, ColourDepth.MONO) or not changed


@pytest.mark.parametrize(("written", "name"), [("", "frieda"), ("Rosa", "Rosa")])
async def test_the_own_seat_has_the_name_of_the_settings_or_else_of_the_account(
    stage: Stage, written: str, name: str
) -> None:
    settings = SessionSettings(AppSettings(name=written))
    async with stage.play(settings=settings, account="frieda") as (app, pilot):
        await pilot.press("n")
        await until(pilot, lambda: app.screen.query("#name-0"))
        assert app.screen.query_one("#name-0", Input).value == name
