"""Keys, signs and colours."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.cells import cell_len

from kk_core.text import in_ascii, text
from kk_tui.games import faces
from kk_tui.i18n import render
from kk_tui.keymap import KEYS
from kk_tui.match.table import TableScreen
from kk_tui.screens.dialogs import ConfirmScreen
from kk_tui.terminal.painted_screen import WholeCells
from kk_tui.theme.glyphs import GLYPHS, wants_ascii
from tests.tui.conftest import Stage, at_rest, shown, until
from tests.tui.plain import plain_faces
from tests.tui.playing import begin


def test_no_two_actions_share_a_key() -> None:
    keys = [key.key for key in KEYS.values()]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("name", GLYPHS)
def test_every_sign_is_one_column_wide_and_has_an_ascii_twin(name: str) -> None:
    sign, twin = GLYPHS[name]
    assert cell_len(sign) == len(twin) == 1
    assert twin.isascii()


def test_owners_differ_in_shape_in_ascii_too() -> None:
    assert len({GLYPHS[f"owner-{seat}"][1] for seat in range(5)}) == 5


@pytest.mark.parametrize(
    ("environment", "ascii_only"),
    [
        ({"LANG": "de_DE.UTF-8"}, False),
        ({"LANG": "C"}, True),
        ({"LC_ALL": "en_GB.ISO-8859-1", "LANG": "de_DE.UTF-8"}, True),
        ({"LANG": "C", "KK_ASCII": "0"}, False),
        ({"LANG": "de_DE.UTF-8", "KK_ASCII": "1"}, True),
        ({}, False),
    ],
)
def test_ascii_is_drawn_where_the_locale_is_not_utf_8_or_a_setting_says_so(
    environment: dict[str, str], ascii_only: bool
) -> None:
    assert wants_ascii(environment) is ascii_only


async def test_a_terminal_that_is_too_small_is_told_so_and_nothing_else(stage: Stage) -> None:
    async with stage.play(size=(79, 24)) as (app, pilot):
        assert "80 x 23" in shown(app, "small")
        assert app.screen.query_one("#small").display
        assert not app.screen.query_one("#header").display
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: not app.screen.query_one("#small").display)
        assert app.screen.query_one("#header").display


async def test_what_had_the_focus_has_it_again_once_the_terminal_is_large_enough(stage: Stage) -> None:
    async with stage.play(size=(80, 24)) as (app, pilot):
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen) and app.screen.focused)
        await pilot.press("left")
        before = app.screen.focused
        for size in ((60, 18), (40, 10)):
            await pilot.resize_terminal(*size)
            await until(pilot, lambda: app.screen.query_one("#small").display and not app.screen.focused)
        await pilot.resize_terminal(120, 40)
        await until(pilot, lambda: app.screen.focused is before)


async def test_where_the_last_line_is_taken_the_title_makes_room(stage: Stage) -> None:
    """As in tmux, whose status leaves 23 of 24 lines."""
    async with stage.play(size=(80, 22)) as (app, pilot):
        assert app.screen.query_one("#small").display
        await pilot.resize_terminal(80, 23)
        await until(pilot, lambda: not app.screen.query_one("#small").display)
        assert not app.screen.query_one("#header").display


async def test_the_title_of_a_table_has_the_game_as_soon_as_there_is_room_for_it(stage: Stage) -> None:
    games = {
        name: replace(
            face, status=lambda _scene: [text("so much to tell that it fills most of a line of 80 columns")]
        )
        for name, face in plain_faces().items()
    }
    async with stage.play(games=games) as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: shown(app, "header").startswith("so much"))
        await pilot.resize_terminal(120, 40)
        await until(pilot, lambda: "  |  so much" in shown(app, "header"))


@pytest.mark.parametrize("lines", [11, 17, 40, 4_000])
def test_a_scrollbar_is_made_of_blanks_and_leaves_a_cell_free_where_something_is_out_of_sight(
    lines: int,
) -> None:
    room = 10
    for hidden in (0, 1, (lines - room) // 2, lines - room):
        bar = WholeCells.render_bar(room, lines, room, hidden)
        thumb = [bool(segment.style and segment.style.reverse) for segment in bar.segments]
        assert {segment.text for segment in bar.segments} == {" "}
        assert len(thumb) == room
        assert 0 < sum(thumb) < room
        assert thumb[0] or hidden > 0
        assert thumb[-1] or hidden < lines - room


async def test_ascii_screens_contain_only_ascii(stage: Stage) -> None:
    async with stage.play(ascii_only=True) as (app, pilot):
        for keys in ("", "?", "escape l", "escape comma", "escape n", "g", "l", "s", "c"):
            await pilot.press(*keys.split())
            await at_rest(pilot)
            await until(pilot, lambda: keys != "g" or isinstance(app.screen, TableScreen))  # noqa: B023
            lines = [strip.text for strip in app.screen._compositor.render_strips()]
            assert "".join(lines).isascii(), keys
        assert isinstance(app.screen, TableScreen)


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("Jürgen Öz", "Juergen Oez"),
        ("Renée", "Renee"),
        ("Łukasz", "Lukasz"),
        ("Straße", "Strasse"),
        ("李 A", "? A"),
        ("DÄN", "DAN"),
    ],
)
def test_in_plain_letters_names_are_spelled_as_people_do_without_marks(name: str, plain: str) -> None:
    assert in_ascii(name) == plain


async def test_where_a_terminal_has_ascii_alone_sentences_name_the_signs_that_it_shows(stage: Stage) -> None:
    said = text("▶+6 for a card with 2☼, and † or §; “{name}”…", name="Jürgen")
    async with stage.play(games=faces(), ascii_only=True):
        assert render(said) == '>+6 for a card with 2W, and + or &; "Juergen"...'
