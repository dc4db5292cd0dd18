"""Apps of one process share what rules they found for their widgets; it is what Textual would find."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode

from kk_tui.app import KkApp
from kk_tui.screens.lobby import LobbyScreen
from kk_tui.terminal.parsed_styles import SharedStylesheet
from tests.tui.conftest import Running, Stage, until


def nodes_of(app: KkApp) -> list[DOMNode]:
    return [app, *app.screen.walk_children(with_self=True)]


def rules_of(app: KkApp) -> list[dict[str, object]]:
    return [dict(node.styles.base._rules) for node in nodes_of(app)]


def found_by_textual(app: KkApp) -> list[dict[str, object]]:
    """The rules of all nodes after each has looked them up by itself."""
    for node in nodes_of(app):
        Stylesheet.apply(app.stylesheet, node)
    return rules_of(app)


def _shows(app: KkApp, screen: str) -> bool:
    return type(app.screen).__name__ == screen


def _has_size(app: KkApp, size: tuple[int, int]) -> bool:
    return tuple(app.screen.size) == size


async def on_all_screens(app: KkApp, pilot: Running) -> None:
    """Everything has the rules that Textual would find: in the lobby, in a form, in the settings."""
    for key, screen in (
        ("", "LobbyScreen"),
        ("n", "NewGameScreen"),
        ("escape", "LobbyScreen"),
        ("comma", "SettingsScreen"),
    ):
        if key:
            await pilot.press(key)
        await until(pilot, partial(_shows, app, screen))
        shared = rules_of(app)
        assert shared == found_by_textual(app)


async def test_rules_that_others_have_found_are_those_that_textual_finds(stage: Stage) -> None:
    for user in ("anna", "beate"):
        async with stage.play(user, local=False) as (app, pilot):
            await on_all_screens(app, pilot)


async def test_a_change_of_classes_and_of_the_focus_changes_the_rules(stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        for size in ((120, 40), (80, 24)):
            await pilot.resize_terminal(*size)
            await until(pilot, partial(_has_size, app, size))
            await pilot.press("tab")
            shared = rules_of(app)
            assert shared == found_by_textual(app)


async def test_the_second_app_looks_nothing_up_that_the_first_has_found(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage.play("anna", local=False) as (app, _pilot):
        sheet = app.stylesheet
        assert isinstance(sheet, SharedStylesheet)
        assert sheet._sheet is not None
        found = len(sheet._sheet.found)
        assert isinstance(app.screen, LobbyScreen)
    apply, looked_up = Stylesheet.apply, list[DOMNode]()

    def applied(sheet: Stylesheet, node: DOMNode, **more: Any) -> None:
        looked_up.append(node)
        apply(sheet, node, **more)

    monkeypatch.setattr(Stylesheet, "apply", applied)
    async with stage.play("anna", local=False) as (again, _pilot):
        assert isinstance(again.stylesheet, SharedStylesheet)
        assert again.stylesheet._sheet is sheet._sheet
        assert len(sheet._sheet.found) == found
    assert not looked_up
