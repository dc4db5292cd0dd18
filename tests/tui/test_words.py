"""Every sentence on every screen goes through the translation."""

from __future__ import annotations

import re

import pytest
from textual.command import CommandList
from textual.widgets import OptionList, Static

from kk_core.bot_names import DEFAULT_BOT, bot_people
from kk_core.protocol.messages import OpenTable
from kk_core.protocol.stream import ClientLink
from kk_core.text import text
from kk_tui import i18n, languages
from kk_tui.app import KkApp
from kk_tui.games import faces
from kk_tui.keymap import ALWAYS, KEYS
from kk_tui.match.result import ResultScreen
from kk_tui.match.table import TableScreen
from kk_tui.match.table_setup import TableSetupScreen
from kk_tui.rules_pages import sections
from kk_tui.screens.dialogs import ConfirmScreen, HandoverDialog, LostDialog
from kk_tui.screens.help import Book, HelpScreen
from kk_tui.screens.new_game import NewGameScreen
from kk_tui.widgets.bars import KeyBar
from kk_tui.widgets.form import LineButton, LineSelect
from kk_tui.widgets.lines import Lines
from tests.tui.conftest import Stage, until
from tests.tui.pseudo import Pseudo, outside_of_brackets


@pytest.fixture
def pseudo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(languages, "translator", lambda _: Pseudo())


TITLES = tuple(sections(game)[0].title for game in faces())  # translated as files
BOTS = bot_people((DEFAULT_BOT,) * 6, 0)
NAMES = (
    *TITLES,
    *filter(None, BOTS),
    "Anna",
    "anna",
    "Beate",
    "bot:greedy",
    "Ku-Ka-King",
    "Kardinal & König",
    "kk",
    "chart",
)


def written(app: KkApp) -> list[str]:
    """All that the screen in front says."""
    words: list[str] = []
    for widget in app.screen.query("*"):
        if isinstance(widget, OptionList):
            words += [str(option.prompt) for option in widget.options]
        elif isinstance(widget, Static):
            words.append(str(widget.content))
        elif isinstance(widget, LineSelect | LineButton | Book | Lines):
            words.append(str(widget.render()))
        elif isinstance(widget, KeyBar):
            words.append(widget.render_line(0).text)
    return words


def untranslated(app: KkApp) -> list[str]:
    """Words outside of brackets that are neither names nor keys nor signs."""
    found = []
    for words in written(app):
        left = outside_of_brackets(words)
        keys = sorted((key.shown for key in (*KEYS.values(), *ALWAYS)), key=len, reverse=True)
        for name in (*NAMES, *keys):
            left = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "", left)
        for begun in re.findall(r"(\w+)…", left):  # a name that was cut
            if any(name.startswith(begun) for name in NAMES):
                left = left.replace(f"{begun}…", "")
        found += re.findall(r"[^\W\d_]{2,}", left)
    return found


@pytest.mark.usefixtures("pseudo")
async def test_no_screen_at_home_shows_words_that_are_not_translated(stage: Stage) -> None:
    async with stage.play(secrets=True) as (app, pilot):
        app.show_help("keys")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen) and app.screen.query_one(Book).starts)
        assert untranslated(app) == []
        await pilot.press("escape", "n")
        await until(pilot, lambda: isinstance(app.screen, NewGameScreen) and app.screen.query("#kind-1"))
        assert untranslated(app) == []
        app.screen.query_one("#kind-1").focus()
        await pilot.press("left", "g")
        await until(pilot, lambda: isinstance(app.screen, HandoverDialog))
        assert untranslated(app) == []
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, TableScreen) and app.screen.board.scene)
        for drawer in "lsc":
            await pilot.press(drawer)
            assert untranslated(app) == []
        await pilot.press("ctrl+p")
        await until(pilot, lambda: [each.option_count > 5 for each in app.screen.query(CommandList)])
        assert untranslated(app) == []
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        assert untranslated(app) == []


@pytest.mark.usefixtures("pseudo")
async def test_no_screen_at_a_server_shows_words_that_are_not_translated(stage: Stage) -> None:
    async with stage.play(local=False) as (app, pilot):
        assert untranslated(app) == []
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        assert untranslated(app) == []
        await app.push_screen(LostDialog(text("The server closed the connection.")))
        assert untranslated(app) == []


@pytest.mark.usefixtures("pseudo")
async def test_the_result_shows_no_words_that_are_not_translated(stage: Stage) -> None:
    async with stage.play() as (app, pilot):
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewGameScreen) and app.screen.query("#kind-1"))
        app.screen.query_one("#kind-0").focus()
        await pilot.press("right", "g")  # three bots
        await until(pilot, lambda: isinstance(app.screen, ResultScreen))
        assert untranslated(app) == []


def test_a_language_without_a_catalogue_reads_english() -> None:
    assert languages.translator("xx_XX.UTF-8").gettext("Quit") == "Quit"


def test_two_apps_in_one_process_keep_their_own_language() -> None:
    async def never() -> ClientLink:
        raise AssertionError

    here, there = (KkApp(never, local=True, games={}) for _ in range(2))
    there.translator = Pseudo()
    with here._context():
        assert i18n.render(text("Quit")) == "Quit"
    with there._context():
        assert i18n.render(text("Quit")) == "⟦Quit⟧"
