"""The line of keys under every screen."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult

from kk_core.text import text
from kk_tui.keymap import Action
from kk_tui.theme.glyphs import Glyphs
from kk_tui.theme.palette import palette
from kk_tui.widgets import bars
from kk_tui.widgets.bars import KeyBar, fitting
from tests.tui.conftest import at_rest

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


class Footer(App[None]):
    """Nothing but a line of keys; keeps what was pressed, and "-" for what was not meant."""

    def __init__(self) -> None:
        super().__init__()
        theme = palette("manuscript", []).theme()
        self.register_theme(theme)
        self.theme = theme.name
        self.glyphs = Glyphs(ascii_only=False)
        self.pressed: list[str] = []

    def compose(self) -> ComposeResult:
        yield KeyBar()

    def on_key_bar_pressed(self, event: KeyBar.Pressed) -> None:
        self.pressed.append(event.action)

    def on_key_bar_moved(self) -> None:
        self.pressed.append("-")


async def test_a_click_in_the_footer_counts_only_for_words_that_have_stood_there_for_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 100.0
    monkeypatch.setattr(bars, "STOOD", 0.4)
    monkeypatch.setattr(bars, "monotonic", lambda: now)
    before = (Action("end", text("end taking")), Action("help"))
    after = (Action("choice_1", text("Up to 3 symbols")), Action("help"))
    app = Footer()
    async with app.run_test(size=(80, 1)) as pilot:
        bar = app.query_one(KeyBar)
        for shown, waits in ((before, 0.0), (after, 0.0), (after, 0.3), (after, 0.2), (before, 0.5)):
            bar.show(shown)
            await at_rest(pilot)
            now += waits
            await pilot.click(KeyBar, offset=(5, 0))
        assert app.pressed == ["end", "-", "-", "choice_1", "end"]


@pytest.mark.parametrize("width", [80, 44])
async def test_where_all_keys_have_room_they_stay_whatever_enter_does(width: int) -> None:
    app, others = Footer(), (Action("hint"), Action("log"), Action("help"))
    async with app.run_test(size=(width, 1)) as pilot:
        bar, places = app.query_one(KeyBar), []
        for first in ((Action("do", text("take the card")),), (Action("do", text("end")),), ()):
            bar.show((*first, *others))
            await at_rest(pilot)
            places.append(bar.render_line(0).text.index("log"))
        assert len(set(places)) == 1


@pytest.mark.parametrize("width", range(30, 90))
async def test_no_key_touches_the_edge(width: int) -> None:
    app = Footer()
    async with app.run_test(size=(width, 1)) as pilot:
        bar = app.query_one(KeyBar)
        bar.show(ACTIONS)
        await at_rest(pilot)
        line = bar.render_line(0).text
        assert (line[0], line[-1]) == (" ", " ")
        assert line.strip()


@pytest.mark.parametrize("width", [80, 52])
async def test_minor_keys_that_fit_only_without_enter_move_no_others(width: int) -> None:
    app = Footer()
    minor = tuple(
        Action(name, minor=True) for name in ("log", "sheet", "race", "earlier", "what", "settings")
    )
    async with app.run_test(size=(width, 1)) as pilot:
        bar, shown = app.query_one(KeyBar), []
        for first in ((Action("do", text("take the card")),), ()):
            bar.show((*first, Action("hint"), *minor, Action("help")))
            await at_rest(pilot)
            shown.append(bar.render_line(0).text)
    enter = " Enter take the card"
    assert shown[0].startswith(enter)
    assert shown[1] == shown[0].replace(enter, " " * len(enter))
    assert "Ctrl+P more" in shown[0]


async def test_keys_that_are_not_minor_are_shown_where_they_have_room_without_enter() -> None:
    app = Footer()
    async with app.run_test(size=(30, 1)) as pilot:
        bar, shown = app.query_one(KeyBar), []
        for first in ((Action("do", text("take the card")),), ()):
            bar.show((*first, Action("end", text("end taking")), Action("help")))
            await at_rest(pilot)
            shown.append(bar.render_line(0).text)
    assert ["end taking" in line for line in shown] == [False, True]


async def test_where_all_other_keys_change_no_hole_is_kept_behind_enter() -> None:
    app = Footer()
    async with app.run_test(size=(80, 1)) as pilot:
        bar = app.query_one(KeyBar)
        bar.show((Action("do", text("take the card")), Action("log"), Action("help")))
        await at_rest(pilot)
        bar.show((Action("do", text("go on")), Action("skip"), Action("help")))
        await at_rest(pilot)
        assert "go on  Space skip" in bar.render_line(0).text


async def test_a_word_that_keeps_its_place_in_the_footer_can_be_clicked_at_any_moment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bars, "STOOD", 3600.0)
    app = Footer()
    async with app.run_test(size=(80, 1)) as pilot:
        for last in ("log", "race"):
            app.query_one(KeyBar).show((Action("help"), Action(last)))
            await at_rest(pilot)
            await pilot.click(KeyBar, offset=(3, 0))
        assert app.pressed == ["help", "help"]
