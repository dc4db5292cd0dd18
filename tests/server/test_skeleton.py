"""Names that look alike have one skeleton."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kk_server.accounts.names import BadName, clean_name, has_one_alphabet, skeleton


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Anna", "anna"),
        ("Weiß", "WEISS"),
        ("Amélie", "amelie"),
        ("Jean-Luc", "jean luc"),
        ("Bill", "BiII"),
        ("Bill", "Bi11"),
        ("Otto", "0tt0"),
        ("Marner", "Mamer"),
        ("Willi", "VViIIi"),
        ("COCO", "\u0421\u041e\u0421\u041e"),  # Cyrillic
        ("TOM", "\u03a4\u039f\u039c"),  # Greek
        ("COCO", "\u03f9\u039f\u03f9\u039f"),  # Greek, with the sigma of inscriptions
        ("CUP", "\u1455\u144c\u146d"),  # Canadian syllabics
        ("Øyvind", "Oyvind"),
        ("Łukasz", "lukasz"),
        ("kadmin", "\u1d0b\u1d00\u1d05\u1d0d\u026a\u0274"),  # small capitals
        ("anna", "\uff41\uff4e\uff4e\uff41"),  # full width
        ("anna", "\U0001d41a\U0001d427\U0001d427\U0001d41a"),  # mathematical bold
    ],
)
def test_names_that_look_alike_are_one(name: str, other: str) -> None:
    assert skeleton(name) == skeleton(other)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("anna", "hanna"),
        ("anna", "anne"),
        ("anna 1", "anna 2"),
        ("कुल", "कल"),
        ("花子", "花于"),
        ("...", "!!!"),
    ],
)
def test_names_that_differ_stay_apart(name: str, other: str) -> None:
    assert skeleton(name) != skeleton(other)


@pytest.mark.parametrize(
    "name",
    [
        "Žofie",
        "अनिता",
        "Ken 健",
        "田中さくら",
        "안나",
        "Σοφία",
        "Олена",
        "🙂",
        "\u0639\u0644\u064a \u0664\u0665",
        "\u0639\u0644\u06cc \u06f4",
        "\u0905\u0928\u093f\u0924\u093e \u0967",
    ],
)
def test_a_name_of_one_alphabet_is_one_however_it_is_written(name: str) -> None:
    assert has_one_alphabet(name)


@pytest.mark.parametrize(
    "name", ["\u0430nna", "ann\u03b1", "Ол\u0435na", "h\u0966st", "h\u0665st", "\u0966\u0665"]
)
def test_letters_and_digits_of_several_alphabets_are_noticed(name: str) -> None:
    assert not has_one_alphabet(name)


@given(st.text(max_size=30))
@example("\uff9e")
def test_every_name_has_a_skeleton_that_no_change_of_case_changes(raw: str) -> None:
    try:
        name = clean_name(raw)
    except BadName:
        return
    assert skeleton(name)
    assert skeleton(name.casefold()) == skeleton(name)
