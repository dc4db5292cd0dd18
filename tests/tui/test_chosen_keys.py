"""People may choose their own keys, in a file or on a screen; help and footer show those that count."""

from __future__ import annotations

import ast
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from textual.widgets import OptionList

import kk_tui
from kk_core.errors import KkError
from kk_core.protocol.stream import ClientLink
from kk_server.hub.hub import Hub
from kk_server.storage.memory_log import MemoryLog
from kk_tui.app import KkApp
from kk_tui.keymap import FIXED, KEYS, changeable, check_keys
from kk_tui.match.table import TableScreen
from kk_tui.match.table_setup import TableSetupScreen
from kk_tui.screens.dialogs import ConfirmScreen
from kk_tui.screens.help import HelpScreen
from kk_tui.screens.keys import KeysScreen
from kk_tui.screens.lobby import LobbyScreen
from kk_tui.screens.new_game import NewGameScreen
from kk_tui.screens.settings import SettingsScreen
from kk_tui.settings import AppSettings, KeysIgnored, SessionSettings, SettingsFile, SettingsStore
from kk_tui.widgets.chat_panel import ChatPanel
from tests.server.client import Client
from tests.tui.conftest import shown, until
from tests.tui.plain import plain_faces
from tests.tui.playing import keys_of
from tests.tui.scenes import lines_of


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ({"undo": "h"}, "h would be the key of undo (undo) and of hint (hint)"),
        ({"undo": "z", "hint": "z"}, "z would be the key of undo (undo) and of hint (hint)"),
        ({"settings": "?"}, "? would be the key of settings (settings) and of help (help)"),
        ({"undoo": "z"}, "no action is called 'undoo'; did you mean undo?"),
        ({"xyz": "z"}, "no action is called 'xyz'"),
        ({"do": "z"}, "the key of do can't be changed"),
        ({"bot": "z"}, "the key of bot can't be changed"),
        ({"undo": "ctrl+u"}, "'ctrl+u' can't be the key of undo"),
        ({"undo": ""}, "'' can't be the key of undo"),
        ({"undo": "7"}, "'7' can't be the key of undo"),
        ({"undo": " "}, "' ' can't be the key of undo"),
    ],
)
def test_keys_that_cannot_be_are_refused_with_the_reason_and_clashes_with_both_names(
    keys: dict[str, str], reason: str
) -> None:
    with pytest.raises(KkError) as refused:
        check_keys(keys)
    assert reason in str(refused.value)


def test_two_actions_can_change_their_keys_with_each_other_and_usual_ones_are_not_kept() -> None:
    assert check_keys({"undo": "h", "hint": "u"}) == {"undo": "h", "hint": "u"}
    assert check_keys({"undo": "u", "settings": ",", "log": "ä"}) == {"log": "ä"}


def test_every_action_has_a_key_of_its_own_that_can_be_changed_unless_it_is_everybodys() -> None:
    assert {key.action for key in changeable()} == set(KEYS) - FIXED
    for key in changeable():
        assert check_keys({key.action: "%"}) == {key.action: "%"}


def test_no_sentence_of_the_screens_has_a_key_in_it_that_people_may_have_changed() -> None:
    sentences = [
        str(call.args[0].value)
        for path in Path(kk_tui.__file__).parent.rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call)
        and getattr(call.func, "id", "") in ("_", "text")
        and isinstance(call.args[0], ast.Constant)
    ]
    assert len(sentences) > 1000
    named = re.compile(r"\([a-z?,/.]\)(?! )|then [a-z]\b[.,]|[;,] [?/] ")
    # (p) is short for a program
    assert [said for said in sentences if named.search(said) and said != " (p)"] == []


@pytest.fixture
def file(tmp_path: Path) -> SettingsFile:
    return SettingsFile(tmp_path / "settings.json")


def test_keys_are_kept_in_a_file_beside_the_settings_that_lists_all_actions(file: SettingsFile) -> None:
    file.save(AppSettings(palette="contrast", keys={"undo": '"', "hint": "ß"}))
    assert "keys" not in file.path.read_text()
    lines = file.keys_path.read_text().splitlines()
    assert 'undo = "\\""' in lines
    assert 'hint = "ß"' in lines
    assert '# log = "l"  # log' in lines
    assert SettingsFile(file.path).load() == AppSettings(palette="contrast", keys={"undo": '"', "hint": "ß"})


def test_what_somebody_has_written_in_that_file_stays_until_they_change_a_key(file: SettingsFile) -> None:
    written = '# mine\nundo = "z"\n'
    file.keys_path.write_text(written)
    with pytest.raises(KeysIgnored, match="z would be the key of undo"):
        file.load()
    file.keys_path.write_text(written := '# mine\nundo = "%"\n')
    file.save(AppSettings(palette="contrast", keys=file.load().keys))
    assert file.keys_path.read_text() == written
    file.save(AppSettings(keys={}))
    assert SettingsFile(file.path).load() == AppSettings()


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("undo = ", "keys.toml were ignored: "),
        ("undo = 7", "keys.toml were ignored: '7' can't be the key of undo: write one character"),
        ("[undo]\nhint = 1", "keys.toml were ignored: "),
        ("[redo]", "no action is called 'redo'"),
        ('undo = "h"', "h would be the key of undo (undo) and of hint (hint)"),
    ],
)
def test_a_file_of_keys_that_cannot_be_used_leaves_the_other_settings_and_says_why(
    file: SettingsFile, written: str, reason: str
) -> None:
    file.save(AppSettings(palette="contrast"))
    file.keys_path.write_text(written)
    with pytest.raises(KeysIgnored) as refused:
        file.load()
    assert reason in str(refused.value)
    assert refused.value.rest == AppSettings(palette="contrast")
    file.save(refused.value.rest)
    assert file.keys_path.read_text() == written


@pytest.fixture
async def hub() -> AsyncIterator[Hub]:
    hub = Hub(MemoryLog(), bot_pause=0)
    await hub.load()
    yield hub
    await hub.close()


def app_of(hub: Hub, settings: SettingsStore, go_to: str | None = None) -> KkApp:
    async def connect() -> ClientLink:
        return hub.connect("anna")

    return KkApp(connect, local=False, games=plain_faces(), settings=settings, go_to=go_to)


@pytest.mark.parametrize("is_begun", [True, False])
async def test_who_begins_at_a_table_reads_there_that_their_keys_are_ignored(
    hub: Hub, file: SettingsFile, *, is_begun: bool
) -> None:
    file.keys_path.write_text('undo = "h"')
    anna = Client(hub.connect("anna"))
    await anna.open("ku_ka_king", 2)
    await anna.sit(0)
    for _ in range(is_begun):
        await anna.seat_bots(1)
        await anna.start()
    app = app_of(hub, file, anna.table.id)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: "h would be the key of undo" in shown(app, "prompt"))
        assert isinstance(app.screen, TableScreen if is_begun else TableSetupScreen)
        await pilot.press("f20")
        await until(pilot, lambda: "h would be the key of undo" not in shown(app, "prompt"))
    await anna.close()


async def test_an_own_key_does_what_the_usual_one_did_which_does_nothing_any_more(hub: Hub) -> None:
    app = app_of(
        hub, SessionSettings(AppSettings(keys={"new": "%", "leave": "n", "settings": "Ä", "chat": "&"}))
    )
    async with app.run_test(size=(120, 60)) as pilot:
        await until(pilot, lambda: app.store.lobby is not None and isinstance(app.screen, LobbyScreen))
        assert "% new" in keys_of(app)
        assert "n leave" in keys_of(app)
        await pilot.press("percent_sign")
        await until(pilot, lambda: isinstance(app.screen, NewGameScreen))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen))
        await pilot.press("q")
        await pilot.press("comma")
        assert isinstance(app.screen, LobbyScreen)
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        await pilot.press("escape", "o")
        assert not app.screen.query_one(ChatPanel).is_written_in
        await pilot.press("ampersand", "o", "%")
        await until(pilot, lambda: app.screen.query_one(ChatPanel).words == "o%")
        await pilot.press("escape", "Ä")
        await until(pilot, lambda: isinstance(app.screen, SettingsScreen))
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        help_lines = " ".join(lines_of(app))
        assert "Ä" in help_lines
        assert "open the settings" in help_lines


async def test_two_people_in_one_process_have_their_own_keys(hub: Hub) -> None:
    one = app_of(hub, SessionSettings(AppSettings(keys={"new": "%"})))
    other = app_of(hub, SessionSettings())
    async with one.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: one.store.lobby is not None and isinstance(one.screen, LobbyScreen))
        assert "% new" in keys_of(one)
    async with other.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: other.store.lobby is not None and isinstance(other.screen, LobbyScreen))
        assert "n new" in keys_of(other)


async def test_keys_that_an_account_has_kept_and_that_clash_today_are_ignored_with_the_reason(
    hub: Hub,
) -> None:
    app = app_of(hub, SessionSettings(AppSettings(palette="contrast", keys={"new": "h"})))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.store.lobby is not None and isinstance(app.screen, LobbyScreen))
        await until(pilot, lambda: "Your own keys were ignored: h would be" in shown(app, "prompt"))
        assert app.settings == AppSettings(palette="contrast")


async def test_a_key_is_changed_on_its_screen_and_given_back_and_a_clash_is_refused(
    hub: Hub, tmp_path: Path
) -> None:
    file = SettingsFile(tmp_path / "settings.json")
    app = app_of(hub, file)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.store.lobby is not None and isinstance(app.screen, LobbyScreen))
        await pilot.press("comma")
        await until(pilot, lambda: isinstance(app.screen, SettingsScreen))
        await pilot.press("k")
        await until(pilot, lambda: isinstance(app.screen, KeysScreen))
        assert app.screen.query_one(OptionList).highlighted == 0
        await pilot.press("enter")
        await until(pilot, lambda: "Press the new key for: undo" in shown(app, "prompt"))
        await pilot.press("h")
        await until(pilot, lambda: "h would be the key of undo" in shown(app, "prompt"))
        await pilot.press("enter", "escape")
        await until(pilot, lambda: "the same for everybody" in shown(app, "prompt"))
        assert app.settings.keys == {}
        await pilot.press("enter", "percent_sign")
        await until(pilot, lambda: any("undo   usually u" in line for line in lines_of(app)))
        assert SettingsFile(file.path).load().keys == {"undo": "%"}
        await pilot.press("delete")
        await until(pilot, lambda: not any("usually" in line for line in lines_of(app)))
        assert SettingsFile(file.path).load().keys == {}
