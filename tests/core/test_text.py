"""Sentences for people, and other people's text in them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kk_core.text import LONGEST_SENTENCE, QUOTED, Text, joined, printable, quoted, text


@given(st.text(st.characters(), max_size=50))
def test_a_printable_line_holds_nothing_that_a_terminal_would_obey(line: str) -> None:
    shown = printable(line)
    assert shown.isprintable()
    assert printable(shown) == shown


def test_escapes_marks_of_direction_and_half_characters_are_spelt_out() -> None:
    assert printable("a\x1b[31mb\x9b2Jc\x07\u202ed\ud800e\x7f") == (
        "a\\x1b[31mb\\x9b2Jc\\x07\\u202ed\\ud800e\\x7f"
    )


def test_what_people_write_stays_as_it_is() -> None:
    assert printable("Dänemark, Ωmega, 王, \xa0blank") == "Dänemark, Ωmega, 王,  blank"


@given(st.text())
def test_a_quoted_input_is_short_and_printable(line: str) -> None:
    assert quoted(line).isprintable()
    assert len(quoted(line)) <= 10 * QUOTED + 2


def test_a_long_input_is_cut_in_a_sentence() -> None:
    assert quoted("7" * 5000) == "'" + "7" * (QUOTED - 1) + "…'"
    assert quoted("take 1 14") == "'take 1 14'"


def test_a_sentence_is_filled_in_by_names_alone() -> None:
    assert str(Text("{a} and {b}", (("a", 1), ("b", Text("{c}!", (("c", "x"),)))))) == "1 and x!"
    assert str(Text("{a} and {b}", (("a", "{b}"), ("b", 2)))) == "{b} and 2"


def test_fields_of_a_strangers_sentence_are_left_that_have_no_argument_or_want_more_than_a_name() -> None:
    assert str(Text("{y} {} {0} {", (("x", 1),))) == "{y} {} {0} {"
    wild = "{x:>300000000} {x.__class__} {x!r}"
    assert str(Text(wild, (("x", 1),))) == wild


def test_a_sentence_stays_short_however_it_is_nested() -> None:
    sentence = Text("x" * 1000)
    for _ in range(6):
        sentence = Text("{a}" * 100, (("a", sentence),))
    assert len(str(sentence)) == LONGEST_SENTENCE


def test_a_sentence_that_ends_with_something_short_for_more_has_one_period() -> None:
    assert text("Name: {name}.", name="Anna B.").render() == "Name: Anna B."
    assert text("{n} {unit}.", n=3, unit=text("pts.")).render() == "3 pts."
    assert text("{name} says: {words}", name="anna", words="wait..").render() == "anna says: wait.."
    assert text("{words}.", words="wait..").render() == "wait..."


def test_names_are_joined_by_a_word_before_the_last() -> None:
    assert str(joined(["Sarah"])) == "Sarah"
    assert str(joined(["Sarah", "Tim", "Ida"])) == "Sarah, Tim and Ida"
    assert str(joined(["1", "7", "8"], is_choice=True)) == "1, 7 or 8"
