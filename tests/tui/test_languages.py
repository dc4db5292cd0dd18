"""The language of the app: which one it is, and how it is changed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from kk_core.protocol.messages import ClientMessage, GetLessons
from kk_core.protocol.stream import ClientLink
from kk_core.text import Text, joined, text
from kk_server.hub.hub import Hub
from kk_server.storage.memory_log import MemoryLog
from kk_tui.app import KkApp
from kk_tui.languages import (
    demanded_language,
    first_language,
    language_of,
    languages,
    settled_language,
    translate,
)
from kk_tui.match.table import TableScreen
from kk_tui.screens.dialogs import NO, YES, ConfirmScreen
from kk_tui.screens.menu import MenuScreen
from kk_tui.screens.settings import SettingsScreen
from kk_tui.settings import AppSettings, SessionSettings
from kk_tui.widgets.bars import TextLine
from kk_tui.widgets.form import LineButton
from tests.tui.conftest import Running, at_rest, until
from tests.tui.test_frames import TRUE, at_table


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, None),
        ({"LANG": "de_DE.UTF-8"}, "de_DE.UTF-8"),
        ({"LANG": "de_DE.UTF-8", "LC_MESSAGES": "nl_NL"}, "nl_NL"),
        ({"LANG": "de_DE.UTF-8", "LC_MESSAGES": "nl_NL", "LC_ALL": "es_ES"}, "es_ES"),
        ({"LANG": "de_DE.UTF-8", "LANGUAGE": "nl:de"}, "nl"),
        ({"LANG": "de_DE.UTF-8", "LANGUAGE": "xx::nl:de"}, "nl"),
        ({"LANG": "de_DE.UTF-8", "LANGUAGE": "xx"}, "de_DE.UTF-8"),
        ({"LANG": "xx_XX.UTF-8"}, "xx_XX.UTF-8"),
        ({"LANGUAGE": "nl"}, "nl"),
        ({"LANGUAGE": "nl", "LANG": "C.UTF-8"}, None),
        ({"LANG": "C.UTF-8"}, None),
        ({"LC_ALL": "C", "LANG": "de_DE.UTF-8"}, None),
        ({"LANG": "POSIX"}, None),
    ],
)
def test_a_terminal_asks_for_a_language_as_gettext_reads_it(
    environment: dict[str, str], language: str | None
) -> None:
    assert language_of(environment) == language


def test_the_first_wish_counts() -> None:
    assert first_language(None, "", "de", "nl") == "de"
    assert first_language(None, "") is None
    assert demanded_language({"KK_LANG": "es", "LANG": "de"}) == "es"
    assert settled_language({"KK_LANG": "es", "LANG": "de"}, "nl") == "es"
    assert settled_language({"LANG": "de"}, "nl") == "nl"


def test_a_wish_that_cannot_be_met_gives_way_to_the_next() -> None:
    assert first_language("xx", "../de", "de_AT@euro") == "de_AT@euro"
    assert first_language("xx") is None
    assert settled_language({"KK_LANG": "xx", "LANG": "de"}, "nl") == "nl"
    assert settled_language({"KK_LANG": "xx", "LANG": "de"}, "fr") == "de"


@asynccontextmanager
async def at_home(
    settings: AppSettings | None = None, terminal: str | None = None, demanded: str | None = None
) -> AsyncIterator[tuple[KkApp, Running, SessionSettings]]:
    """The app in its menu."""
    hub, store = Hub(MemoryLog()), SessionSettings(settings)
    await hub.load()

    async def connect() -> ClientLink:
        return hub.connect("anna")

    app = KkApp(connect, local=True, settings=store, language=terminal, demanded_language=demanded)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, MenuScreen) and app.user)
        yield app, pilot, store
    await hub.close()


def footer_of(app: KkApp) -> str:
    """The words of the last line."""
    return app.screen.query_one("KeyBar").render_line(0).text


@pytest.mark.parametrize(
    ("settings", "terminal", "demanded", "word"),
    [
        ("", None, None, "Help"),
        ("", "de_AT.UTF-8", None, "Hilfe"),
        ("es", "de_AT.UTF-8", None, "Ayuda"),
        ("es", "de_AT.UTF-8", "nl", "Help"),
        ("xx", "de", None, "Hilfe"),
    ],
)
async def test_what_is_asked_for_now_precedes_the_settings_which_precede_the_terminal(
    settings: str, terminal: str | None, demanded: str | None, word: str
) -> None:
    async with at_home(AppSettings(language=settings), terminal, demanded) as (app, pilot, _store):
        await until(pilot, lambda: word.lower() in footer_of(app).lower())


async def test_another_language_is_on_all_screens_at_once_and_kept() -> None:
    async with at_home(terminal="nl_NL", demanded="de") as (app, pilot, store):
        await pilot.press("comma")
        await until(pilot, lambda: isinstance(app.screen, SettingsScreen))
        app.screen.query_one("#language").focus()
        for code, title in (("en", "Settings"), ("de", "Einstellungen"), ("es", "Ajustes")):
            await pilot.press("right")
            await until(
                pilot,
                lambda title=title: (
                    isinstance(app.screen, SettingsScreen)  # type: ignore[misc]
                    and app.screen.query(TextLine)
                    and title in str(app.screen.query_one("#header", TextLine).render())
                ),
            )
            assert app.settings.language == store.load().language == code
            assert app.focused is not None
            assert app.focused.id == "language"
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, MenuScreen) and "ayuda" in footer_of(app).lower())
        assert len(app.screen_stack) == 2  # Textual's own, and the menu


@pytest.mark.parametrize(
    ("language", "key", "is_done"),
    [
        ("en", "y", True),
        ("de", "j", True),
        ("es", "s", True),
        ("es", "n", False),
        ("nl", "y", True),
        ("en", "j", None),
    ],
)
async def test_a_question_is_answered_by_the_letters_of_the_readers_language(
    language: str, key: str, is_done: bool | None
) -> None:
    done: list[bool] = []
    async with at_home(AppSettings(language=language)) as (app, pilot, _store):
        below = app.screen
        await app.push_screen(ConfirmScreen(text("Go on?"), lambda: done.append(True)))
        await at_rest(pilot)
        shown = {str(button.render()) for button in app.screen.query(LineButton)}
        assert any(f"({translate(YES, language)})" in words for words in shown)
        await pilot.press(key)
        await at_rest(pilot)
        assert (app.screen is below) == (is_done is not None)
        assert done == [True] * bool(is_done)


@pytest.mark.parametrize("language", languages())
def test_the_letters_for_yes_and_no_are_two_single_letters(language: str) -> None:
    answers = [translate(word, language) for word in (YES, NO)]
    assert len({*answers}) == 2
    assert all(len(letter) == 1 and letter.islower() for letter in answers)


async def test_another_language_leaves_people_at_their_table() -> None:
    async with at_table("ku_ka_king", TRUE) as (app, pilot):
        app.show_settings()
        await until(pilot, lambda: isinstance(app.screen, SettingsScreen))
        app.change_settings(language="de")
        await until(pilot, lambda: "Einstellungen" in str(app.screen.query("#header").first().render()))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, TableScreen) and app.screen.board.scene is not None)
        assert "Runde" in str(app.screen.query_one("#header", TextLine).render())


def test_every_language_is_offered_under_its_own_name() -> None:
    assert [*languages().values()] == ["English", "Deutsch", "Español", "Nederlands"]


@pytest.mark.parametrize("name", ["Ida", "Íñigo", "Hilda", "iris"])
def test_spanish_has_another_and_before_the_sound_that_it_ends_in(name: str) -> None:
    assert _said(joined(["Tim", name]), "es") == f"Tim e {name}"
    assert _said(joined(["Tim", name]), "nl") == f"Tim en {name}"


@pytest.mark.parametrize("name", ["8", "80", "875", "11", "11000", "Otto", "Hortensia"])
def test_spanish_has_another_or_before_the_sound_that_it_is(name: str) -> None:
    assert _said(joined(["7", name], is_choice=True), "es") == f"7 u {name}"
    assert _said(joined(["7", name], is_choice=True), "de") == f"7 oder {name}"


@pytest.mark.parametrize("name", ["Hielo", "Yolanda", "Emma", "1", "18", "110", "1100", "1180"])
def test_spanish_keeps_its_and_and_or_before_other_sounds(name: str) -> None:
    assert _said(joined(["Tim", name]), "es") == f"Tim y {name}"
    assert _said(joined(["Tim", name], is_choice=True), "es") == f"Tim o {name}"


def _said(names: Text | str, language: str) -> str:
    assert isinstance(names, Text)
    return translate(names, language)


async def test_an_answer_that_arrives_after_its_screen_was_replaced_is_dropped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    request, asked, may_answer = KkApp.request, asyncio.Event(), asyncio.Event()

    async def late(app: KkApp, make: Callable[[int], ClientMessage]) -> Any:
        if make is GetLessons:
            asked.set()
            await may_answer.wait()
        return await request(app, make)

    monkeypatch.setattr(KkApp, "request", late)
    monkeypatch.setattr(MenuScreen, "is_alive", True)  # not a property here
    async with at_home() as (app, pilot, _store):
        await asked.wait()
        screen = app.screen
        assert isinstance(screen, MenuScreen)
        # as for a moment while another screen takes its place
        monkeypatch.setattr(screen, "is_alive", False)
        await screen.remove_children()
        may_answer.set()
        await at_rest(pilot)
        app.change_settings(language="de")
        await until(pilot, lambda: app.screen is not screen and isinstance(app.screen, MenuScreen))
