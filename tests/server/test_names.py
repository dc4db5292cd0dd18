"""Names that people choose are safe to show on everybody's screen."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from kk_core.protocol.messages import OpenTable
from kk_server.accounts.names import NAME_COLUMNS, BadName, clean_name, clean_title, distinct, legible_name
from kk_server.hub.hub import Hub


def test_control_characters_and_escape_sequences_are_dropped() -> None:
    assert legible_name("an\x1b[31mna\x07") == "an[31mna"


def test_marks_that_turn_the_writing_direction_are_dropped() -> None:
    assert clean_name("\u202eanna\u2066") == "anna"


def test_characters_without_any_width_are_dropped() -> None:
    assert clean_name("an\u200bn\u200da\ufeff") == "anna"


def test_a_name_in_parts_is_put_together() -> None:
    assert clean_name("Ame\u0301lie") == "Am\u00e9lie"


@pytest.mark.parametrize("name", ["Žofie", "अनिता", "हिंदी", "தமிழ்", "สมชาย", "محمد", "안나", "花子"])
def test_names_in_all_scripts_stay_as_they_are(name: str) -> None:
    assert clean_name(name) == name


def test_only_two_marks_stay_on_a_letter() -> None:
    assert clean_name("x" + "\u0335" * 40) == "x\u0335\u0335"


def test_blanks_of_all_kinds_become_one_space() -> None:
    assert clean_name("  anna\t\n\u3000maria\u2028x ") == "anna maria x"


def test_a_name_is_at_most_twenty_columns_wide_and_wide_letters_count_two() -> None:
    assert clean_name("a" * 30) == "a" * 20
    assert clean_name("\u738b" * 30) == "\u738b" * 10


@pytest.mark.parametrize("raw", ["", "   ", "\u200b", "\x00\x01", "\u3164", "\u0301"])
def test_a_name_of_which_nothing_can_be_seen_is_refused(raw: str) -> None:
    with pytest.raises(BadName):
        clean_name(raw)


def test_nobody_is_called_like_a_bot() -> None:
    with pytest.raises(BadName, match="bot:"):
        clean_name("Bot:\u200bgreedy")


@pytest.mark.parametrize(
    "raw",
    [
        "anna (you)", "anna \uff08you\uff09", "A\u25cf anna", "anna \u2605", "Mathilde (hard bot)",
        "B\u25a0", "*anna", "anna [admin]", "anna: hello", "anna\uff1a hello", "anna\u02d0 hello",
        "\u2022 anna", "A\u20dd anna", "\u066d anna", "\u25b6 anna", "anna <you>", "\u00abanna\u00bb",
        "anna \u2502",
    ],
)  # fmt: skip
def test_a_name_has_no_sign_that_the_app_draws_beside_names(raw: str) -> None:
    with pytest.raises(BadName, match="cannot contain"):
        clean_name(raw)


@pytest.mark.parametrize(
    "name",
    ["O'Brien", "O\u2019Brien", "Jean-Luc", "J. R.", "a_b", "a+b", "R & B", "Ana, 2", "Paral\u00b7lel"],
)
def test_the_punctuation_of_names_stays(name: str) -> None:
    assert clean_name(name) == name


@pytest.mark.parametrize("raw", ["-", "...", "'", "- -"])
def test_a_name_has_a_letter_or_a_digit(raw: str) -> None:
    with pytest.raises(BadName, match="needs at least one visible letter"):
        clean_name(raw)


def test_a_title_of_which_nothing_is_left_gets_the_default() -> None:
    assert clean_title("\u202e", default="anna") == "anna"


@pytest.mark.parametrize(
    "raw",
    [
        "[Announcement] Hi",
        "\uff3bAnnouncement\uff3d Hi",
        "\u3010Announcement\u3011 Hi",
        "\u27e6Announcement\u27e7 Hi",
    ],
)
def test_a_title_has_none_of_the_brackets_in_which_announcements_stand(raw: str) -> None:
    assert clean_title(raw, default="anna") == "(Announcement) Hi"


def test_the_second_of_the_same_name_at_a_table_gets_a_number() -> None:
    assert distinct("anna", ["Anna", "anna 2"]) == "anna 3"
    assert distinct("a" * 20, ["a" * 20]) == "a" * 18 + " 2"


@given(st.text(max_size=60))
@example("\U0001f3fb")
@example("a\u200d\u0301")
@example("\u2764\ufe0f")
def test_whatever_is_typed_a_name_is_clean_narrow_and_stays_the_same_when_cleaned_again(raw: str) -> None:
    try:
        name = clean_name(raw)
    except BadName:
        return
    assert 0 < cell_len(name) <= NAME_COLUMNS
    assert not {unicodedata.category(c) for c in name} & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert clean_name(name) == name


async def test_where_nobody_else_is_a_seat_has_the_name_without_such_signs(hub: Hub) -> None:
    """At home: a match of the past is played on whatever its people were called."""
    table = await hub.open_table("home", OpenTable(0, "land_cards", {}, 3))
    await table.take_seat("home", 0, "A\u25cf Tom: (you)")
    assert table.state.seats[0].name == "A Tom you"
