"""Pictures are read from text files, and a file that cannot be used says where."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from kk_core.errors import BadData
from kk_core.games.land_cards.model import COUNTRIES
from kk_core.games.web_of_power.model import COUNTRIES as COUNTRIES_OF_THE_MAP
from kk_tui.games.land_cards.theme import woodcut_points
from kk_tui.games.web_of_power.heraldry import arms
from kk_tui.games.web_of_power.land import MapScale
from kk_tui.pixels import digit, read_pictures

Write: TypeAlias = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Make a file of pictures."""

    def written(words: str) -> Path:
        path = tmp_path / "beasts.txt"
        path.write_text(words, encoding="utf-8")
        return path

    return written


def test_a_file_has_sections_of_pictures_and_comments(write: Write) -> None:
    path = write("; beasts\n\n[cat]\n; asleep\n##.\n.##\n\n#.\n\n[a dog]\n#..\n\n.#\n")
    assert dict(read_pictures(path, each=2)) == {
        "cat": [("##.", ".##"), ("#.",)],
        "a dog": [("#..",), (".#",)],
    }


def test_rows_are_filled_up_where_the_blank_is_a_sign(write: Write) -> None:
    assert read_pictures(write("[wave]\n  ~\n~ ~ ~\n"), signs=" ~")["wave"] == [("  ~  ", "~ ~ ~")]


@pytest.mark.parametrize(
    ("words", "where", "reason"),
    [
        ("[cat]\n##\n#x\n", "line 3", "'x' is not one of the signs '#.'"),
        ("[cat]\n##\n#\n", "line 3", "a row of 1 signs in a picture 2 wide"),
        ("; beasts\n##\n", "line 2", "a picture before the first section"),
        ("[cat]\n##\n\n[cat]\n##\n", "line 4", "a second section [cat]"),
        ("[cat]\n##\n\n##\n", "[cat]", "it must have 1 pictures, not 2"),
        ("[cat]\n", "[cat]", "it must have 1 pictures, not 0"),
    ],
)
def test_a_file_that_cannot_be_used_says_where(write: Write, words: str, where: str, reason: str) -> None:
    path = write(words)
    with pytest.raises(BadData) as refused:
        read_pictures(path)
    assert str(refused.value) == f"{path}: {where}: {reason}"


def test_a_section_that_is_missing_is_named_with_its_file(write: Write) -> None:
    path = write("[cat]\n##\n")
    with pytest.raises(BadData) as refused:
        read_pictures(path)["dog"]
    assert str(refused.value) == f"{path}: [dog]: no such section"


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    path = tmp_path / "beasts.txt"
    path.write_bytes(b"[cat]\n\xff\n")
    with pytest.raises(BadData) as refused:
        read_pictures(path)
    assert str(refused.value) == f"{path}: byte 6: not UTF-8"


def test_a_file_is_read_once(write: Write) -> None:
    path = write("[cat]\n##\n")
    first = read_pictures(path)
    path.unlink()
    assert read_pictures(path) is first


def test_digits_are_of_one_size() -> None:
    assert {(len(digit(value)), len(digit(value)[0])) for value in range(10)} == {(5, 3)}


@pytest.mark.parametrize("country", range(len(COUNTRIES)))
def test_every_country_has_a_woodcut_in_both_sizes(country: int) -> None:
    assert [(len(rows[0]), len(rows)) for rows in woodcut_points(country)] == [(14, 10), (10, 8)]


@pytest.mark.parametrize("scale", MapScale)
@pytest.mark.parametrize("country", range(len(COUNTRIES_OF_THE_MAP)))
def test_every_country_has_arms_as_large_as_its_shield(country: int, scale: MapScale) -> None:
    lines = arms(country, scale)
    assert (len(lines[0]), len(lines)) == scale.shield
