"""What a person likes is kept, as a whole, and a faulty file costs no more than a sentence."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from kk_core.errors import KkError
from kk_tui.settings import AppSettings, Choice, Recent, SessionSettings, SettingsFile, changed
from tests.tui.conftest import Stage, shown, until

OTHER = AppSettings(palette="contrast", depth="256", light="light", confirm=False, name="Jörg", ascii="on")


@pytest.fixture
def file(tmp_path: Path) -> SettingsFile:
    return SettingsFile(tmp_path / "kk" / "settings.json")


def write(file: SettingsFile, content: bytes) -> SettingsFile:
    file.path.parent.mkdir()
    file.path.write_bytes(content)
    return file


def test_without_a_file_the_settings_are_the_defaults(file: SettingsFile) -> None:
    assert file.load() == AppSettings()


def test_what_is_saved_is_loaded_again(file: SettingsFile) -> None:
    file.save(OTHER)
    assert SettingsFile(file.path).load() == OTHER
    assert [path.name for path in file.path.parent.iterdir()] == ["settings.json"]


@given(
    st.from_type(AppSettings).filter(lambda kept: max(len(kept.name), len(kept.language)) <= 20),
    st.dictionaries(st.text(), st.text()),
)
def test_all_settings_survive_the_way_through_a_file(settings: AppSettings, keys: dict[str, str]) -> None:
    settings = replace(settings, keys=keys)
    assert msgspec.json.decode(msgspec.json.encode(settings), type=AppSettings) == settings


def test_a_file_may_leave_settings_out(file: SettingsFile) -> None:
    assert write(file, b'{"bot-speed": "slow"}').load() == AppSettings(bot_speed="slow")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "truncated"),
        (b"[]", "Expected `object`"),
        (b'{"palette": "plaid"}', "$.palette"),
        (b'{"pallette": "contrast"}', "pallette"),
        (b'{"mouse": 1}', "$.mouse"),
        (b'{"name": "' + b"x" * 21 + b'"}', "$.name"),
        (b'{"name": "\xff"}', "not UTF-8"),
        (b" " * 10_001, "longer than 10000 bytes"),
    ],
)
def test_a_faulty_file_is_told_by_its_name_and_the_reason(
    file: SettingsFile, content: bytes, reason: str
) -> None:
    with pytest.raises(KkError) as caught:
        write(file, content).load()
    assert str(file.path) in str(caught.value)
    assert reason in str(caught.value)


def test_a_folder_in_place_of_the_file_is_told(file: SettingsFile) -> None:
    file.path.mkdir(parents=True)
    with pytest.raises(KkError, match="directory"):
        file.load()
    with pytest.raises(KkError, match="can't be written"):
        file.save(OTHER)
    assert [path.name for path in file.path.parent.iterdir()] == ["settings.json"]


def test_settings_that_do_not_exist_change_nothing() -> None:
    with pytest.raises(KkError, match="bot-speed"):
        changed(OTHER, bot_speed="warp")
    with pytest.raises(KkError, match="no-such"):
        changed(OTHER, no_such=1)
    assert changed(OTHER, bot_speed="slow", mouse=False) == msgspec.structs.replace(
        OTHER, bot_speed="slow", mouse=False
    )


async def test_the_app_begins_with_what_was_kept_and_keeps_what_is_changed(
    stage: Stage, file: SettingsFile
) -> None:
    file.save(OTHER)
    async with stage.play(settings=SettingsFile(file.path)) as (app, _pilot):
        assert app.settings == OTHER
        app.change_settings(motion="off")
        assert app.settings.motion == "off"
    assert file.load() == msgspec.structs.replace(OTHER, motion="off")


@pytest.mark.parametrize("local", [True, False])
async def test_a_faulty_file_is_told_on_the_first_screen(
    stage: Stage, file: SettingsFile, local: bool
) -> None:
    write(file, b"{")
    async with stage.play(settings=file, local=local) as (app, pilot):
        await until(pilot, lambda: "settings.json" in shown(app, "prompt"))
        assert app.settings == AppSettings()


async def test_settings_that_cannot_be_kept_hold_until_the_end(stage: Stage, file: SettingsFile) -> None:
    file.path.mkdir(parents=True)
    async with stage.play(settings=file) as (app, _pilot):
        with pytest.raises(KkError, match="last only until you leave"):
            app.change_settings(bell=False)
        assert not app.settings.bell


def test_without_a_file_settings_are_kept_in_memory() -> None:
    store = SessionSettings()
    store.save(OTHER)
    assert store.load() == OTHER


def test_the_name_of_the_first_person_at_a_table_begun_at_home_is_the_users_from_then_on() -> None:
    begun = Recent().begun("land_cards", Choice(seats=(("easy", ""), ("", "Cleo"), ("", "Dora"))))
    assert begun.name == "Cleo"
    assert begun.begun("ku_ka_king", Choice(seats=(("easy", ""),))).name == "Cleo"
