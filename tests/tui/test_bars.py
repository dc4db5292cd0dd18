"""The line of keys under every screen."""

from __future__ import annotations

import pytest

from kk_core.text import text
from kk_tui.keymap import Action
from kk_tui.widgets.bars import fitting

ACTIONS = (
    Action("do", text("place a stone")), Action("end", text("end taking")), Action("pass", text("leave")),
    Action("undo"), Action("hint", minor=True), Action("log", minor=True), Action("help"),
)  # fmt: skip


@pytest.mark.parametrize("width", range(8, 100))
def test_the_keys_fit_into_the_line_and_each_of_them_has_its_words(width: int) -> None:
    labels = {action.name: f" {action.words()}" for action in ACTIONS} | {"commands": " more"}
    pieces = fitting(ACTIONS, width)
    assert len(" " + "".join(key + words for key, words, _name in pieces).rstrip()) <= width
    assert all(words.rstrip() == labels[name] for _key, words, name in pieces)


def test_keys_that_count_go_before_minor_ones_and_what_is_left_out_is_found_under_more() -> None:
    whole, *shorter = (
        " ".join(name for *_key, name in fitting(ACTIONS, width)) for width in (74, 73, 44, 32, 26, 13)
    )
    assert whole == "do end pass undo hint log help"
    assert shorter == [
        "do end pass undo help commands",
        "do help commands",
        "pass help commands",
        "help commands",
        "help",
    ]


def test_keys_that_do_the_same_are_told_in_one_breath() -> None:
    actions = (Action("do", text("end taking")), Action("end", text("end taking")), Action("help"))
    said = "".join(key + words for key, words, _name in fitting(actions, 80))
    assert said.rstrip() == "Enter/e end taking  ? help"
