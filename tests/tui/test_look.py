"""Keys, signs and colours."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from kk_tui.keymap import KEYS
from kk_tui.screens.table import Table
from kk_tui.theme.glyphs import GLYPHS, wants_ascii
from tests.tui.conftest import Stage, shown, until


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
        assert "80 x 24" in shown(app, "small")
        assert app.screen.query_one("#small").display
        assert not app.screen.query_one("#header").display
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: not app.screen.query_one("#small").display)


async def test_ascii_screens_contain_only_ascii_but_for_names(stage: Stage) -> None:
    async with stage.play(ascii_only=True) as (app, pilot):
        for keys in ("", "?", "escape n", "g", "l", "s", "c"):
            await pilot.press(*keys.split())
            await pilot.pause()
            lines = [strip.text for strip in app.screen._compositor.render_strips()]
            assert "".join(lines).translate({ord("ö"): "o", ord("Ö"): "O"}).isascii(), keys
        assert isinstance(app.screen, Table)
