"""What a terminal answers is understood, in however many pieces, and never taken for keys."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual._xterm_parser import XTermParser
from textual.events import Key
from textual.message import Message
from textual.messages import TerminalSupportsSynchronizedOutput

from kk_tui.terminal import driver
from kk_tui.terminal.driver import AnswerParser, TerminalAnswered, questions

FENCE = "\x1b[?65;1;9c"
DARK, LIGHT = "\x1b]11;rgb:1c1c/1919/1414\x1b\\", "\x1b]11;rgb:ff/ff/ed\x07"
TRUE, FEWER = "\x1bP1$r0;48;2;1;2;3m\x1b\\", "\x1bP1$r0;48;5;16m\x1b\\"

Told = list[tuple[bool | None, bool | None]]


def told(messages: Iterable[Message]) -> Told:
    found = [message for message in messages if isinstance(message, TerminalAnswered)]
    return [(message.is_light, message.has_true_colour) for message in found]


def keys(messages: Iterable[Message]) -> list[str]:
    return [message.key for message in messages if isinstance(message, Key)]


def parser() -> AnswerParser:
    asked = AnswerParser()
    asked.expect()
    return asked


@pytest.mark.parametrize(
    ("answer", "understood"),
    [
        (DARK, [(False, None)]),
        (LIGHT, [(True, None)]),
        ("\x1b]11;rgba:ffff/ffff/ffff/ffff\x07", [(True, None)]),
        ("\x1b]11;rgb:f/f/0\x07", [(True, None)]),
        ("\x1b]11;mauve\x07", []),
        (TRUE, [(None, True)]),
        ("\x1bP1$r48:2:1:2:3m\x1b\\", [(None, True)]),
        ("\x1bP1$r0;1;48:2::1:2:3m\x1b\\", [(None, True)]),
        (FEWER, [(None, False)]),
        ("\x1bP0$r\x1b\\", [(None, False)]),
        (FENCE, []),
    ],
)
def test_answers_are_understood(answer: str, understood: Told) -> None:
    messages = list(parser().feed(answer))
    assert told(messages) == understood
    assert not keys(messages)


@given(st.lists(st.integers(0, len(DARK + TRUE + FENCE + "xy")), max_size=6))
def test_answers_may_come_in_pieces_between_keys(cuts: list[int]) -> None:
    asked = parser()
    whole = f"x{DARK}{TRUE}{FENCE}y"
    edges = [0, *sorted(cuts), len(whole)]
    pieces = [whole[start:end] for start, end in pairwise(edges) if start < end]
    messages = [message for piece in pieces for message in asked.feed(piece)]
    assert told(messages) == [(False, None), (None, True)]
    assert keys(messages) == ["x", "y"]


def test_answers_that_come_late_are_no_keys_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "_PATIENCE", -1.0)
    asked = parser()
    messages = [*asked.feed(DARK + TRUE[:9]), *asked.tick(), *asked.feed(TRUE[9:] + FENCE)]
    assert told(messages) == [(False, None), (None, True)]
    assert not keys(messages)


@pytest.mark.parametrize("typed", ["\x1b", "\x1b]", "\x1bP", "\x1b["])
def test_what_only_looks_like_the_beginning_of_an_answer_is_a_key_after_a_while(
    typed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, plain = parser(), XTermParser()
    monkeypatch.setattr("textual._parser.get_time", lambda: 0.0)
    assert not keys(asked.feed(typed))
    found = keys(asked.tick())
    expected = keys(plain.feed(typed))
    monkeypatch.setattr("textual._parser.get_time", lambda: 1000.0)
    assert found + keys(asked.tick()) == expected + keys(plain.tick()) != []


def test_after_the_last_answer_escape_is_a_key_at_once() -> None:
    asked = parser()
    assert not keys(asked.feed(FENCE + "\x1b"))
    assert not asked.is_holding


def test_an_answer_without_an_end_is_held_no_further_than_an_answer_is_long() -> None:
    asked = parser()
    for _ in range(1000):
        list(asked.feed("\x1b]11;" + "z" * 50))
        assert len(asked._held) < 200


def test_other_reports_and_keys_go_through() -> None:
    asked = parser()
    messages = list(asked.feed("\x1b[?2026;2$y\x1b[A"))
    assert [type(message) for message in messages] == [TerminalSupportsSynchronizedOutput, Key]
    assert keys(messages) == ["up"]


@pytest.mark.parametrize("term", ["linux", "vt100", "dumb", "", "never-heard-of"])
def test_terminals_that_might_show_a_question_are_asked_none(term: str) -> None:
    assert questions(term) == ""


@pytest.mark.parametrize("term", ["screen-256color", "tmux-256color"])
def test_what_stands_between_is_not_asked_what_the_terminal_around_it_shows(term: str) -> None:
    assert "\x1bP" not in questions(term)
    assert questions(term).endswith("\x1b[c")


def test_a_terminal_is_asked_whether_it_keeps_a_colour_of_16_million() -> None:
    assert "\x1bP" in questions("xterm-256color")
    assert questions("xterm-256color").endswith("\x1b[c")
