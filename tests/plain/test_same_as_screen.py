"""Whatever the screen can do, lines can do as well; what they cannot is listed here, with the reason."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final, get_args

import pytest

import kk_tui
from kk_core.protocol.messages import ClientMessage, OpenTable
from kk_tui.keymap import ON_BOARDS
from kk_tui.setting_choices import CHOICES
from kk_tui.settings import AppSettings

TUI: Final = Path(kk_tui.__file__).parent

SHARED: Final = ("table", "client")
"""Rooms that screens and lines have in common."""

NAVIGATION: Final = {"back", "do", "help", "leave", "quit", "next", "previous", "settings"}
"""Ways around the screen, and what is asked for by the same word everywhere: help, leave, quit, settings."""

ON_SCREEN_ALONE: Final = {
    "command": "opens the chat for a word of these",
    "what": "explains signs, of which lines have none",
    "skip": "skips an animation; lines have none",
    "all": "skips an animation; lines have none",
}

AS_WORD: Final[dict[str, dict[str, str]]] = {
    "LobbyScreen": {
        "new": "open", "lesson": "lesson", "table": "join", "filter": "tables", "chat": "say", "draw": "day",
        "log": "history", "sheet": "leaders", "key": "keys", "mode": "calls",
    },
    "MenuScreen": {"new": "open", "lesson": "lesson", "delete": "delete", "draw": "day", "log": "history"},
    "NewGameScreen": {"start": "open"},
    "PastMatchesScreen": {"delete": "forget"},
    "SshKeysScreen": {"delete": "keys", "key": "keys"},
    "SettingsScreen": {"key": ""},  # keys of the keyboard
    "KeysScreen": {"delete": ""},
    "DailyScreen": {"collections": "share", "earlier": "day", "later": "day"},
    "TableSetupScreen": {"bot": "bot", "start": "start", "table": "propose", "chat": "say"},
    "SheetScreen": {"sheet": "score", "table": "propose"},
    "TableScreen": {
        "earlier": "back", "later": "look", "hint": "hint", "undo": "undo", "view": "next",
        "lesson": "lesson",
    },
    "KkScreen": {"table": "propose", "chat": "say"},
    "LessonEnd": {"new": "open", "hint": "coach", "undo": "undo", "view": "score"},
    "ResultScreen": {
        "rematch": "start", "new": "day", "undo": "undo", "collections": "share", "save": "save",
        "view": "back", "hint": "coach", "sheet": "score",
    },
    "ReplayScreen": {
        "earlier": "back", "later": "next", "view": "view", "hint": "coach", "draw": "coach",
        "start": "play", "save": "save",
    },
    "PlayOnFromScreen": {"start": "play"},
}  # fmt: skip
"""The word for each action of each screen; none for keys of the keyboard, which lines do not have."""

OFFERED: Final = {
    "_coaching": "coach", "_answers": "yes", "_returns": "join", "_proposals": "propose",
    "_in_match": "propose", "_handing": "owner", "_closing": "propose",
}  # fmt: skip
"""The word for what each function of the table's menu offers."""

NO_SETTINGS: Final = {"keys": "of the keyboard, which lines do not have"}


def trees(*rooms: str) -> Iterator[ast.Module]:
    for room in rooms:
        for path in sorted((TUI / room).rglob("*.py")):
            yield ast.parse(path.read_text())


def requests_of(*rooms: str) -> set[str]:
    """The requests that are made in some rooms."""
    known = {message.__name__ for message in get_args(ClientMessage)}
    names = (node.id for tree in trees(*rooms) for node in ast.walk(tree) if isinstance(node, ast.Name))
    return known.intersection(names)


def words() -> set[str]:
    """All words that can be typed."""
    return {
        str(call.args[1].value)
        for tree in trees("plain")
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        and getattr(call.func, "id", "") == "text_in"
        and isinstance(call.args[0], ast.Constant)
        and call.args[0].value == "typed"
        and isinstance(call.args[1], ast.Constant)
    }


def actions() -> dict[str, set[str]]:
    """The actions of every class of the screen that has some."""
    found: dict[str, set[str]] = {}
    for tree in trees("app", "match", "screens"):
        for each in tree.body:
            if isinstance(each, ast.ClassDef):
                methods = (part.name for part in each.body if isinstance(part, ast.FunctionDef))
                own = {name.removeprefix("do_") for name in methods if name.startswith("do_")}
                own |= {
                    str(call.args[0].value)
                    for call in ast.walk(each)
                    if isinstance(call, ast.Call)
                    and getattr(call.func, "id", "") == "Action"
                    and isinstance(call.args[0], ast.Constant)
                }
                if own:
                    found[each.name] = own
    return found


def test_whatever_the_screen_can_ask_of_a_server_lines_can_ask() -> None:
    on_screen = requests_of("app", "match", "screens", "widgets", *SHARED)
    assert on_screen
    assert on_screen - requests_of("plain", *SHARED) == set()


def test_every_action_of_every_screen_has_a_word() -> None:
    known = words()
    for screen, names in actions().items():
        for name in names - NAVIGATION - set(ON_SCREEN_ALONE) - ON_BOARDS:
            assert name in AS_WORD.get(screen, {}), f"what is {name!r} of {screen} in lines?"
            assert AS_WORD[screen][name] in known | {""}


def test_no_word_is_given_for_an_action_that_is_gone() -> None:
    found = actions()
    for screen, names in AS_WORD.items():
        assert set(names) <= found[screen], screen


def test_everything_that_the_table_s_menu_offers_has_a_word() -> None:
    (menu,) = (ast.parse((TUI / "match" / "table_menu.py").read_text()),)
    offering = {
        each.name
        for each in menu.body
        if isinstance(each, ast.FunctionDef)
        and each.returns is not None
        and "Iterator[Offer]" in ast.unparse(each.returns)
    }
    assert offering == set(OFFERED)
    assert set(OFFERED.values()) <= words()


def test_every_setting_can_be_chosen_in_lines() -> None:
    chosen = {choice.name for choice in CHOICES} | {"language", "name"}
    assert set(AppSettings.__struct_fields__) - set(NO_SETTINGS) == chosen


def test_a_table_can_be_opened_in_lines_with_whatever_the_form_offers() -> None:
    (call,) = (
        call
        for tree in trees("plain")
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "OpenTable"
    )
    fields = OpenTable.__struct_fields__
    given = {*fields[: len(call.args)], *(keyword.arg for keyword in call.keywords)}
    assert given == set(fields)


@pytest.mark.parametrize(
    "word", sorted({word for each in AS_WORD.values() for word in each.values() if word})
)
def test_the_page_about_lines_tells_each_of_these_words(word: str) -> None:
    page = (TUI.parent / "docs" / "plain.md").read_text()
    assert f"`{word}" in page
