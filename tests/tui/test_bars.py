"""The line of keys under every screen."""

from __future__ import annotations

import pytest

from kk_core.text import text
from kk_tui.keymap import Action
from kk_tui.widgets.bars import fitting

ACTIONS = (
    Action("do", text("place a stone")), Action("end", text("end taking")), Action("pass", text("leave")),
    Action("undo"), Action("hint", minor=True), Action("log", minor=True), Action("help", minor=True),
)  # fmt: skip


@pytest.mark.parametrize("width", range(8, 100))
def test_the_keys_fit_into_the_line_and_none_of_them_is_cut(width: int) -> None:
    labels = {action.name: f" {action.words()}" for action in ACTIONS}
    pieces = fitting(ACTIONS, width)
    assert sum(len(key + words) + 2 for key, words, _name in pieces) <= width
    assert all(words in ("", labels[name]) for _key, words, name in pieces)


def test_minor_keys_go_before_those_that_count_of_which_the_last_ones_go_first() -> None:
    lines = [" ".join(name for *_key, name in fitting(ACTIONS, width)) for width in range(100, 8, -1)]
    assert list(dict.fromkeys(lines)) == [
        "do end pass undo hint log help",
        "do end pass undo hint help",
        "do end pass undo help",
        "do end pass help",
        "do end help",
        "do help",
        "help",
    ]
