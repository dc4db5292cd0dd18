"""Settings by lines: what they are, and another value for one."""

from __future__ import annotations

import pytest

from kk_server.hub.hub import Hub
from kk_tui.languages import languages
from kk_tui.setting_choices import CHOICES
from tests.plain.script import Script


async def test_settings_are_listed_with_what_else_they_can_be(anna: Script) -> None:
    listed = await anna.type("settings")
    assert listed[0].startswith("Language: from the terminal; or English, ")
    assert "Bell: rings at your turn; or is silent." in listed
    assert len(listed) == len(CHOICES) + 3
    assert await anna.type("settings bell") == ["Bell: rings at your turn; or is silent."]


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("bell silent", "bell", False),
        ("bell no", "bell", False),
        ("animation none", "motion", "off"),
        ("motion off", "motion", "off"),
        ("bot speed instant", "bot_speed", "instant"),
        ("colours colour-blind", "palette", "colour-blind"),
        ("last steps happen", "confirm", False),
        ("language nederlands", "language", "nl"),
        ("name Anna Maria", "name", "Anna Maria"),
    ],
)
async def test_a_setting_is_chosen_by_its_words_or_as_it_is_in_the_file(
    anna: Script, line: str, name: str, value: object
) -> None:
    assert len(await anna.type(f"settings {line}")) == 1
    assert getattr(anna.client.settings, name) == value


@pytest.mark.parametrize("line", ["dance", "dance well", "silent bell", "s"])
async def test_what_is_no_setting_is_refused_and_changes_nothing(anna: Script, line: str) -> None:
    before = anna.client.settings
    (refused,) = await anna.type(f"settings {line}")
    assert refused.endswith("is no setting; 'settings' lists them.")
    assert anna.client.settings == before


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("bell loud", "'loud' is none of the values of 'Bell': rings at your turn, is silent."),
        ("bot-speed very fast", "'very fast' is none of the values of 'Bot speed': "),
        ("language xx", "'xx' is none of the values of 'Language': from the terminal, "),
    ],
)
async def test_a_value_that_a_setting_does_not_have_is_answered_with_those_that_it_has(
    anna: Script, line: str, told: str
) -> None:
    before = anna.client.settings
    (refused,) = await anna.type(f"settings {line}")
    assert refused.startswith(told)
    assert anna.client.settings == before


async def test_another_language_is_read_and_typed_from_the_next_line_on(anna: Script) -> None:
    assert (await anna.type("settings language de"))[0].startswith("Sprache: Deutsch; ")
    assert (await anna.type("wer"))[0].startswith("1 hier: ")
    assert "English" in (await anna.type("einstellungen sprache"))[0]
    assert (await anna.type("settings language from the terminal"))[0].startswith("Language: ")


@pytest.mark.parametrize("language", languages())
async def test_every_setting_is_chosen_by_the_words_that_its_list_has(hub: Hub, language: str) -> None:
    anna = Script(hub, language=language)
    await anna.begin()
    chosen = 0
    for line in await anna.type("settings"):
        label, _colon, values = line.partition(": ")
        now, has_others, _others = values.partition("; ")
        if has_others:
            assert await anna.type(f"settings {label} {now}") == [line]
            chosen += 1
    assert chosen > 3
    await anna.end()
