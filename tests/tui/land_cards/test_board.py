"""The board alone: how it looks, and what keys and clicks ask for."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from syrupy.assertion import SnapshotAssertion
from textual.geometry import Region, Size
from textual.pilot import Pilot

from kk_core.games.land_cards.model import CELLS, COLUMNS, FREE, STONE, SYMBOLS, TAKEN, country_of, symbols_of
from kk_core.views import LogEntry
from kk_tui.games.land_cards.board import LandCardsBoard
from kk_tui.games.land_cards.picture import (
    CURSOR,
    DETAIL,
    HINTED,
    BoardPicture,
    CellLook,
    Gaps,
    Painter,
    Tiles,
    Traces,
    halo,
    impact,
    layout_for,
    looks_of,
)
from kk_tui.games.land_cards.theme import COUNTRY_CODES, GLYPHS, badge
from kk_tui.i18n import render
from kk_tui.theme.glyphs import Glyphs
from tests.core.land_cards.positions import RULES, play, position
from tests.tui.conftest import at_rest, until
from tests.tui.land_cards.scenes import SIZES, move, scene_after, scene_of
from tests.tui.scenes import Page, drawn, lines_of

TAKING = "FrKK SaL+s FrK+k@B/. UnA KaT@A*t BaLL/ItKA+s DäL@A"
"""Three rows; A's turn."""

STONES = "SaL FrKK@A FrF@B FrL@A FrK@A EnF"
"""A has all three stones on cards; after a card without a stone there is one to move."""


def at(row: int, column: int) -> int:
    """A cell from row and column, counted from 1."""
    return (row - 1) * COLUMNS + column - 1


async def click(pilot: Pilot[None], page: Page, row: int, column: int) -> None:
    """Click the middle of a card."""
    layout = page.board.painter.layout
    x = layout.left + (column - 1) * layout.pitch_x + layout.pitch_x // 2
    await pilot.click("#board", offset=(x, (row - 1) * layout.pitch_y + layout.pitch_y // 2))


def test_without_colours_a_stone_lies_on_the_page_whatever_the_colour_of_its_card() -> None:
    """Its card and itself may be as light as each other, and then nothing of its edge would be seen."""
    grounds = []

    def ink(colour: str | None, on: str | None = None, *, bold: bool = False) -> Style:
        if colour == "seat-1":
            grounds.append(on)
        return Style()

    tiles = Tiles(layout_for(145, 57), Glyphs(ascii_only=False, more=[GLYPHS]), ink, has_colours=False)
    for is_open in (True, False):
        tiles.tile(CellLook(0, STONE + 1, is_open=is_open, printed=8))
    assert grounds == ["ground", "ground"]


# -- how it looks --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("seats", [3, 5])
async def test_the_first_layout_shows_every_card(size: str, seats: int, snapshot: SnapshotAssertion) -> None:
    lines = await drawn(scene_after(seats), SIZES[size])
    assert "".join(lines[: layout_for(*SIZES[size]).bottom]).count("§") == 8
    assert lines == snapshot


@pytest.mark.parametrize("size", SIZES)
async def test_in_the_middle_of_a_match_stones_laws_and_gaps_are_drawn(
    size: str, snapshot: SnapshotAssertion
) -> None:
    assert await drawn(scene_after(4, 40), SIZES[size]) == snapshot


async def test_plain_terminals_get_nothing_but_ascii(snapshot: SnapshotAssertion) -> None:
    lines = await drawn(scene_after(3, 30), SIZES["80x24"], ascii_only=True)
    assert "\n".join(lines).isascii()
    assert lines == snapshot


async def test_lines_drawn_right_after_a_change_of_size_fit_the_new_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = Page(scene_after(3))
    async with page.run_test(size=(97, 37)) as pilot:
        await at_rest(pilot)
        layout = page.board.painter.layout
        assert layout.left > 0
        assert page.board.render_line(2 * layout.pitch_y + layout.middle).text.startswith("       3 ")
        with monkeypatch.context() as patch:
            for name in ("size", "outer_size"):  # before the board hears of it
                patch.setattr(LandCardsBoard, name, Size(85, 37))
            assert page.board.painter.layout.left == 0
            assert page.board.render_line(18).cell_length == 85


@pytest.mark.parametrize("size", SIZES)
async def test_the_frame_around_the_last_column_is_closed(size: str) -> None:
    page = Page(scene_after(3))
    async with page.run_test(size=SIZES[size]) as pilot:
        page.board.cursor = at(1, COLUMNS)
        await pilot.press("right", "left", "right")
        await at_rest(pilot)
        lines = lines_of(page)[: page.board.painter.layout.pitch_y + 1]
    assert {line[-1] for line in lines} == {"▖", "▌", "▘"}


@pytest.mark.parametrize("size", SIZES)
async def test_the_card_under_the_cursor_is_told_in_words(size: str) -> None:
    page = Page(scene_of(position(TAKING)))
    async with page.run_test(size=SIZES[size]) as pilot:
        page.board.cursor = at(2, 2)
        await pilot.press("right")
        detail = page.board.painter.layout.detail
        told = [
            "".join(segment.text for segment in page.board.render_line(detail + y)).strip() for y in range(2)
        ]
    assert told[0].startswith("Kastilien")
    assert "tower" in told[0]
    assert told[1] == "Andreas's stone A●, a law card: others pay a stone."
    assert told[0].endswith("1 of 1 in the rows")


async def test_a_taken_card_leaves_a_ghost_with_its_takers_seal_and_a_placed_stone_has_a_halo() -> None:
    state = play(position("FrKK FrK SaLL/UnA UnK KaTT@C", turn="B"), "take 1 1; end; place 2 2")
    log = [LogEntry(1, move("take 1 1")), LogEntry(1, move("end")), LogEntry(1, move("place 2 2"))]
    lines = await drawn(scene_of(state, *log), SIZES["80x24"])
    # no frame, which would take the sides of those of its neighbours
    assert [line[:5] for line in lines[:5]] == ["    ▗", " †† ▐", "1 B■▐", " FRA▐", "    ▝"]
    assert [line[4:9] for line in (lines[6], lines[8])] == ["┃B ■┃", "┗━━━┛"]
    quiet = await drawn(scene_of(state), SIZES["80x24"])
    assert [line[1:4] for line in quiet[1:4]] == ["   ", " ■ ", "FRA"]
    assert [line[4:9].strip() for line in (quiet[6], quiet[8])] == ["B ■", ""]


@pytest.mark.parametrize("size", SIZES)
def test_where_a_card_has_gone_nothing_has_a_ground_and_the_country_has_its_quiet_ink(size: str) -> None:
    def named(colour: str | None, on: str | None = None, *, bold: bool = False) -> Style:
        return Style(bold=bold, meta={"on": on, "ink": colour})

    tiles = Tiles(layout_for(*SIZES[size]), Glyphs(ascii_only=False, more=[GLYPHS]), named)
    parts = [part for line in tiles.tile(CellLook(0, TAKEN + 1)) for part in line]
    styles = {part.text.strip(): part.style for part in parts if part.style is not None}
    assert {style.meta["on"] for style in styles.values()} == {"ground"}
    assert styles["FRA"].meta["ink"] == "land_cards-0-gone"
    assert styles["■"].meta["ink"] == "seat-1"


async def test_after_the_end_every_card_lies_there_under_the_stone_of_its_taker_and_without_a_frame() -> None:
    over = scene_after(3, 1000)
    lines = await drawn(over, SIZES["80x24"])
    owners = ["ABC"[lies - TAKEN] for lies in over.observation.board]
    shown = [lines[4 * row + 2][4 * column + 1] for row in range(4) for column in range(COLUMNS)]
    assert shown == owners
    assert not any(sign in "".join(lines[: layout_for(57, 21).bottom]) for sign in "╭╮╰╯┄┆")


def test_the_frame_of_the_cursor_leaves_the_rows_number_and_the_side_that_it_shares_with_another() -> None:
    def named(colour: str | None, on: str | None = None, *, bold: bool = False) -> Style:
        return Style(bold=bold, meta={"on": on, "ink": colour})

    layout = layout_for(57, 21)
    gaps = Gaps(layout, Glyphs(ascii_only=False, more=[GLYPHS]), named)
    frames = {at(1, 1): CURSOR, at(1, 2): halo(1)}
    shared = gaps.upright(frames, 0, 1, 1)
    assert shared.style is not None
    assert (shared.text, shared.style.meta) == ("▌", {"on": "seat-1", "ink": "cursor"})
    assert gaps.upright(frames, 0, 0, 1).text == "▐"
    assert gaps.upright(frames, 0, 0, layout.middle).text == "1"
    above = "".join(segment.text for segment in gaps.level(frames, 1, range(3)))
    assert above.rstrip() == "▝▀▀▀▘━━━┛"


def test_on_the_sides_of_a_hints_frame_nothing_of_another_one_is_seen() -> None:
    def named(colour: str | None, on: str | None = None, *, bold: bool = False) -> Style:
        return Style(bold=bold, meta={"on": on, "ink": colour})

    gaps = Gaps(layout_for(57, 21), Glyphs(ascii_only=False, more=[GLYPHS]), named)
    marked = {at(1, 1): replace(HINTED, label="a")}
    crowded = {at(1, 2): impact(1), at(2, 1): CURSOR, at(2, 2): halo(2)}
    for column, inside in ((0, 1), (1, 1), (1, 2)):
        assert gaps.upright(marked | crowded, 0, column, inside) == gaps.upright(marked, 0, column, inside)
    for row in (0, 1):
        alone, beside = gaps.level(marked, row, range(1)), gaps.level(marked | crowded, row, range(1))
        assert [*Segment.simplify(alone)] == [*Segment.simplify(beside)]


@pytest.mark.parametrize(
    ("before", "after", "trace"),
    [("take 1 1; end", "move 1 4 1 6", "(A)"), ("take 1 7", "give 1 4", "(A)")],
)
async def test_where_a_stone_has_just_left_a_card_its_trace_is_seen(
    before: str, after: str, trace: str
) -> None:
    state = play(position(STONES + " FrK@B"), f"{before}; {after}")
    lines = await drawn(scene_of(state, LogEntry(0, move(after)), viewer=0), SIZES["80x24"])
    assert trace in lines[2][13:16]


def ink(colour: str | None, on: str | None = None, *, bold: bool = False) -> Style:
    """No colours at all."""
    return Style(bold=bold)


@given(width=st.integers(56, 260), height=st.integers(21, 90), seats=st.integers(3, 5))
def test_at_every_size_all_stands_inside_and_every_card_is_found_where_it_is_drawn(
    width: int, height: int, seats: int
) -> None:
    layout = layout_for(width, height)
    for cell in range(CELLS):
        card = layout.card(cell)
        assert Region(0, 0, width, layout.bottom).contains_region(card)
        whole = Region(0, 0, max(width, SIZES["80x24"][0]), layout.bottom)
        assert whole.contains_region(layout.framed(cell))
        assert {layout.cell_at(x, y) for x in card.column_range for y in card.line_range} == {cell}
    parts = [range(layout.bottom), range(layout.detail, layout.detail + DETAIL), layout.legend]
    used = [y for part in parts for y in part]
    assert len(used) == len(set(used))
    assert max(used) < height
    assert layout.cell_at(layout.left, layout.bottom) is None


@settings(deadline=None)
@given(
    width=st.integers(56, 260), height=st.integers(21, 90), plies=st.integers(0, 120), is_plain=st.booleans()
)
def test_at_every_size_cards_fill_their_lines_and_say_country_symbols_and_owner(
    width: int, height: int, plies: int, is_plain: bool
) -> None:
    scene = scene_after(3, plies)
    view, layout = scene.observation, layout_for(width, height)
    painter = Painter(layout, Glyphs(ascii_only=is_plain, more=[GLYPHS]), ink)
    picture = BoardPicture(looks_of(view, frozenset(), Traces()))
    lines = ["".join(segment.text for segment in painter.line(picture, y)) for y in range(layout.bottom)]
    assert {len(line) for line in lines} == {layout.left + COLUMNS * layout.pitch_x + 1}
    for cell in (cell for cell, lies in enumerate(view.board) if lies < TAKEN):
        card = layout.card(cell)
        words = "".join(lines[y][card.x : card.right] for y in card.line_range)
        face = view.faces[cell]
        owner = "-ABC"[view.board[cell]].strip("-")
        assert all(word in words for word in (str(COUNTRY_CODES[country_of(face)]), owner))
        assert all(_is_drawn(SYMBOLS[symbol], words, is_plain=is_plain) for symbol in symbols_of(face))


def _is_drawn(letter: str, words: str, *, is_plain: bool) -> bool:
    """Whether a symbol stands on a card, as its sign or as a picture."""
    pictures = [badge(letter, *size) for size in ((3, 2), (3, 3), (4, 2), (4, 3))]
    sign = GLYPHS[f"land_cards-symbol-{letter}"][is_plain]
    return sign in words or any(all(row in words for row in picture) for picture in pictures)


@pytest.mark.parametrize("name", GLYPHS)
def test_every_sign_is_one_column_wide_and_has_an_ascii_twin(name: str) -> None:
    sign, twin = GLYPHS[name]
    assert cell_len(sign) == len(twin) == 1
    assert twin.isascii()


def test_a_card_is_all_in_its_countrys_colour_while_it_can_be_chosen_and_else_only_at_its_foot() -> None:
    def named(colour: str | None, on: str | None = None, *, bold: bool = False) -> Style:
        return Style(bold=bold, meta={"on": on})

    layout = layout_for(145, 57)
    tiles = Tiles(layout, Glyphs(ascii_only=False, more=[GLYPHS]), named)
    (face,) = {
        face
        for face in scene_after(3).observation.faces
        if country_of(face) == 0 and symbols_of(face) == (2,)
    }
    for is_open in (True, False):
        lines = tiles.tile(CellLook(face, FREE, is_open=is_open, printed=8))
        grounds = [{segment.style.meta["on"] for segment in line if segment.style} for line in lines]
        assert "land_cards-symbol-L" in grounds[1]
        assert grounds[-1] == {"land_cards-0"}
        assert ("land_cards-0" in grounds[5]) is is_open
        assert ("land_cards-body" in grounds[5]) is not is_open


@pytest.mark.parametrize(("size", "lines"), [((85, 37), 7), ((116, 47), 9), ((144, 57), 12)])
def test_cards_use_the_lines_that_there_are(size: tuple[int, int], lines: int) -> None:
    assert layout_for(*size).card_height == lines


@pytest.mark.parametrize("size", [(57, 21), (71, 27), (85, 37), (116, 47), (144, 57)])
def test_each_symbol_of_a_card_has_a_badge_of_its_own(size: tuple[int, int]) -> None:
    def named(colour: str | None, on: str | None = None, *, bold: bool = False) -> Style:
        return Style(bold=bold, meta={"on": on})

    layout = layout_for(*size)
    tiles = Tiles(layout, Glyphs(ascii_only=False, more=[GLYPHS]), named)
    for face in scene_after(3).observation.faces:
        grounds = {
            segment.style.meta["on"]
            for line in tiles.tile(CellLook(face, FREE, printed=8))
            for segment in line
            if segment.style
        }
        badges = {f"land_cards-symbol-{SYMBOLS[symbol]}" for symbol in symbols_of(face)}
        assert {ground for ground in grounds if "-symbol-" in ground} == badges


# -- keys ----------------------------------------------------------------------------------------------------


async def test_the_cursor_starts_on_a_card_that_can_be_taken_and_tab_jumps_between_those() -> None:
    page = Page(scene_of(position(TAKING)))
    async with page.run_test(size=SIZES["80x24"]) as pilot:
        cells = []
        for _ in range(7):
            cells.append(page.board.cursor)
            await pilot.press("tab")
        assert cells == [at(1, 1), at(1, 3), at(2, 2), at(2, 4), at(3, 1), at(3, 2), at(1, 1)]
        await pilot.press("shift+tab")
        assert page.board.cursor == at(1, 1)


@pytest.mark.parametrize("size", ["80x24", "120x40"])
async def test_what_is_asked_for_of_a_card_is_first_its_circle_symbol(
    size: str,
) -> None:
    page = Page(scene_of(position("FrK . . SaL/UnF . . KaT")))
    async with page.run_test(size=SIZES[size]):
        for cell in (at(1, 1), at(1, 4)):
            page.board.cursor = cell
            place = page.board.cursor_place()
            assert place is not None
            assert page.board.region_of(cell).contains_region(place)
            meaning = page.board.explain(place.x, place.y)
            assert meaning is not None
            assert "most of any one symbol scores" in str(meaning.sentence)


async def test_arrows_go_to_the_next_card_over_gaps_and_stop_at_the_edge() -> None:
    page = Page(scene_of(position("FrK . . SaL/. . KaT")))
    async with page.run_test(size=SIZES["80x24"]) as pilot:
        for key, cell in (
            ("right", at(1, 4)),
            ("right", at(1, 4)),
            ("down", at(2, 3)),
            ("down", at(2, 3)),
            ("left", at(2, 3)),
            ("up", at(1, 4)),
            ("left", at(1, 1)),
        ):
            await pilot.press(key)
            assert page.board.cursor == cell


async def test_in_another_row_arrows_go_to_a_card_that_can_be_chosen_if_it_has_one() -> None:
    page = Page(scene_of(position("FrK SaL KaT UnA/BaL BaL BaL BaL BaL/FrA@B FrK FrF@B", gone="AAA")))
    async with page.run_test(size=SIZES["80x24"]) as pilot:
        for key, cell in (
            ("right", at(1, 2)),
            ("right", at(1, 3)),
            ("right", at(1, 4)),
            ("down", at(2, 5)),
            ("left", at(2, 4)),
            # a row without one has its cards all the same
            ("down", at(3, 3)),
            ("left", at(3, 2)),
            ("up", at(2, 1)),
        ):
            await pilot.press(key)
            assert page.board.cursor == cell


async def test_the_cursor_goes_to_either_end_of_its_row_over_gaps() -> None:
    page = Page(scene_of(position(". FrK . SaL KaT ./. . KaT")))
    async with page.run_test(size=SIZES["80x24"]):
        page.board.cursor = at(1, 4)
        for by, cell in ((1, at(1, 5)), (-1, at(1, 2)), (-1, at(1, 2))):
            assert page.board.go_to_end(by)
            assert page.board.cursor == cell


@pytest.mark.parametrize("by", ["keys", "mouse"])
@pytest.mark.parametrize(
    ("layout", "before", "way", "asked"),
    [
        (TAKING, "", [(1, 1)], "take 1 1"),
        (TAKING, "take 1 3", [(3, 2)], "give 3 2"),
        (TAKING, "take 1 1; end", [(1, 2)], "place 1 2"),
        (STONES, "take 1 1; end", [(1, 4), (1, 6)], "move 1 4 1 6"),
    ],
)
async def test_what_names_cards_is_done_by_enter_or_by_clicking_them(
    layout: str, before: str, way: list[tuple[int, int]], asked: str, by: str
) -> None:
    state = play(position(layout), before) if before else position(layout)
    page = Page(scene_of(state))
    async with page.run_test(size=SIZES["80x24"]) as pilot:
        for row, column in way:
            if by == "mouse":
                await click(pilot, page, row, column)
                continue
            if before.startswith("take 1 3"):  # otherwise Enter gives up a stone from the supply
                await pilot.press("tab")
            while page.board.cursor != at(row, column):
                await pilot.press("tab")
            await pilot.press("enter")
        await until(pilot, lambda: page.chosen == [asked])
        assert page.tried == []


@pytest.mark.parametrize(
    ("layout", "hands", "before", "key", "asked"),
    [
        (TAKING, "", "take 1 1", "e", "end"),
        (TAKING, "", "take 1 1; end", "p", "pass"),
        (TAKING, "", "take 1 3", "y", "give supply"),
        ("FrKK SaLL FrF", "A:m3", "take 1 1", "1", "law three_symbols"),
        ("FrKK SaLL FrF", "A:3d", "take 1 1", "2", "law different_colours"),
    ],
)
async def test_other_moves_have_a_key_each(
    layout: str, hands: str, before: str, key: str, asked: str
) -> None:
    page = Page(scene_of(play(position(layout, hands=hands), before)))
    async with page.run_test(size=SIZES["80x24"]) as pilot:
        await pilot.press(key)
        assert page.chosen == [asked]


async def test_who_can_take_no_card_skips_or_takes_a_stone_back_by_key() -> None:
    state = position("FrKK@B SaLL@C", hands="A:t", gone="AAA")
    page = Page(scene_of(state))
    async with page.run_test(size=SIZES["80x24"]) as pilot:
        await pilot.press("p", "1")
        assert page.chosen == ["skip", "law take_back_stone"]


@pytest.mark.parametrize(
    ("key", "tried"), [("e", "end"), ("p", "pass"), ("y", "give supply"), ("1", "law minus_two")]
)
async def test_a_key_that_does_not_count_now_asks_why(key: str, tried: str) -> None:
    page = Page(scene_of(position(TAKING, hands="A:m")))
    async with page.run_test(size=SIZES["80x24"]) as pilot:
        await pilot.press(key)
        assert (page.chosen, page.tried) == ([], [tried])


async def test_a_card_that_cannot_be_taken_asks_why_even_where_it_is_gone() -> None:
    page = Page(scene_of(position(TAKING)))
    async with page.run_test(size=SIZES["80x24"]) as pilot:
        await click(pilot, page, 2, 3)
        await click(pilot, page, 2, 1)
        assert (page.chosen, page.tried) == ([], ["take 2 3", "take 2 1"])
        assert page.board.cursor == at(2, 3)


async def test_where_one_move_is_left_and_no_card_can_be_chosen_enter_makes_it() -> None:
    page = Page(scene_of(play(position(TAKING), "take 1 1")))
    async with page.run_test(size=SIZES["80x24"]) as pilot:
        enter, *others = page.board.actions()
        assert (enter.name, str(enter.label)) == ("do", "end taking")
        assert [(other.name, str(other.label)) for other in others] == [("end", "end taking")]
        await pilot.press("enter")
        assert page.chosen == ["end"]


@pytest.mark.parametrize(("layout", "chosen"), [("FrKK SaL", ["end"]), ("FrKK FrL", [])])
async def test_a_law_card_that_would_bring_no_card_leaves_enter_to_end_taking_and_one_that_would_does_not(
    layout: str, chosen: list[str]
) -> None:
    page = Page(scene_of(play(position(layout, hands="A:3"), "take 1 1")))
    async with page.run_test(size=SIZES["80x24"]) as pilot:
        first, *_others = page.board.actions()
        assert (first.name == "do") is bool(chosen)
        await pilot.press("enter")
        assert page.chosen == chosen


async def test_who_owes_a_stone_gives_up_one_of_the_supply_unless_the_cursor_goes_to_another() -> None:
    page = Page(scene_of(play(position(TAKING), "take 1 3")))
    async with page.run_test(size=SIZES["80x24"]) as pilot:
        assert str(page.board.actions()[0].label) == "give up a supply stone"
        assert "Enter gives up one from your supply" in str(page.board.prompt())
        await pilot.press("enter")
        assert page.chosen == ["give supply"]
        await pilot.press("tab")
        assert str(page.board.actions()[0].label) == "give up this stone"
        assert "Enter" not in str(page.board.prompt())
        await pilot.press("enter")
        assert page.chosen == ["give supply", "give 2 3"]


@pytest.mark.parametrize(
    ("layout", "before", "cell", "label"),
    [
        (TAKING, "", (1, 1), "take the card"),
        (TAKING, "", (1, 2), None),
        (TAKING, "take 1 1; end", (1, 2), "place a stone"),
        (STONES, "take 1 1; end", (1, 4), "choose this stone"),
    ],
)
async def test_the_footer_says_what_enter_does_to_the_card_under_the_cursor(
    layout: str, before: str, cell: tuple[int, int], label: str | None
) -> None:
    page = Page(scene_of(play(position(layout), before) if before else position(layout)))
    async with page.run_test(size=SIZES["80x24"]):
        page.board.cursor = at(*cell)
        offered = [action for action in page.board.actions() if action.name == "do"]
        assert [str(action.label) for action in offered] == ([label] if label else [])


async def test_the_footer_says_that_enter_moves_the_chosen_stone() -> None:
    page = Page(scene_of(play(position(STONES), "take 1 1; end")))
    async with page.run_test(size=SIZES["80x24"]) as pilot:
        await click(pilot, page, 1, 4)
        assert str(page.board.actions()[0].label) == "leave it here"
        page.board.cursor = at(1, 6)
        assert str(page.board.actions()[0].label) == "move the stone here"


@pytest.mark.parametrize("size", SIZES)
async def test_the_signs_beside_the_names_are_explained_under_the_cards_or_beside_them(size: str) -> None:
    page = Page(scene_after(3))
    async with page.run_test(size=SIZES[size]) as pilot:
        await at_rest(pilot)
        beside = "\n".join(line.plain for line in page.board.panel())
        told = "\n".join([beside, *lines_of(page)])
        assert told.count("○ laid × out § laws") == 1
        assert all(f"{sign} " in told for sign in "†▽☼Ψ⌂≈⊕")


@pytest.mark.parametrize(("size", "is_drawn"), [((57, 21), False), ((85, 37), True), ((145, 57), True)])
async def test_where_symbols_are_pictures_on_the_cards_the_legend_shows_these(
    size: tuple[int, int], *, is_drawn: bool
) -> None:
    page = Page(scene_after(3))
    async with page.run_test(size=size) as pilot:
        await at_rest(pilot)
        upper, lower = (lines_of(page)[y] for y in page.board.painter.layout.legend)
    for letter in SYMBOLS:
        picture = badge(letter, 3, 2)
        assert (picture[0] in upper and picture[1] in lower) is is_drawn


# -- what Enter and clicks would do -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layout", "before", "cell", "asked"),
    [
        (TAKING, "", (1, 1), "take 1 1"),
        (TAKING, "", (1, 2), None),
        (TAKING, "take 1 1", (2, 2), "end"),
        (TAKING, "take 1 1; end", (1, 2), "place 1 2"),
        (STONES, "take 1 1; end", (1, 2), None),
    ],
)
async def test_the_board_names_the_move_that_enter_would_make(
    layout: str, before: str, cell: tuple[int, int], asked: str | None
) -> None:
    page = Page(scene_of(play(position(layout), before) if before else position(layout)))
    async with page.run_test(size=SIZES["80x24"]):
        page.board.cursor = at(*cell)
        found = page.board.candidate()
        assert found == (None if asked is None else move(asked))


async def test_under_the_mouse_a_card_has_a_frame_and_a_stone_that_would_come_there_an_arrow() -> None:
    page = Page(scene_of(play(position(TAKING), "take 1 1; end")))
    async with page.run_test(size=SIZES["80x24"]) as pilot:
        await pilot.hover("#board", offset=(2, 10))
        await at_rest(pilot)
        assert [line[:5] for line in lines_of(page)[8:13]] == ["╭───╮", "│†Ψ≈│", "3▶A●│", "│ITA│", "╰───╯"]


async def test_the_sign_of_a_stone_that_would_come_to_a_card_is_explained_below_the_rows() -> None:
    page = Page(scene_of(play(position(TAKING), "take 1 1; end")))
    async with page.run_test(size=SIZES["80x24"]) as pilot:
        await pilot.press("down")
        await at_rest(pilot)
        sign = "▶A●"
        assert any(sign in line for line in lines_of(page)[: page.board.painter.layout.bottom])
        assert f"{sign} would be your stone." in "\n".join(lines_of(page))


async def test_no_card_has_the_cursors_frame_while_enter_gives_up_a_stone_from_the_supply() -> None:
    page = Page(scene_of(play(position("FrKK@B SaL@A EnF FrK"), "take 1 1")))
    async with page.run_test(size=SIZES["80x24"]) as pilot:
        await at_rest(pilot)
        assert page.board.candidate() == move("give supply")
        assert not page.board._picture.frames
        await pilot.press("right")
        await at_rest(pilot)
        assert [*page.board._picture.frames.values()] == [CURSOR]


async def test_a_step_of_the_cursor_draws_two_cards_anew_and_no_other() -> None:
    page = Page(scene_of(position(TAKING)))
    async with page.run_test(size=SIZES["120x40"]) as pilot:
        await at_rest(pilot)
        before = page.board._picture
        await pilot.press("down")
        assert set(page.board._picture.changed(before)) == {at(1, 1), at(2, 2)}


# -- the first half of a stone move --------------------------------------------------------------------------


async def test_the_first_half_of_a_stone_move_can_be_taken_back() -> None:
    page = Page(scene_of(play(position(STONES), "take 1 1; end")))
    async with page.run_test(size=SIZES["80x24"]) as pilot:
        board = page.board
        board.cursor = at(1, 2)
        await pilot.press("enter")
        assert board.picked == at(1, 2)
        await pilot.press("enter")
        assert board.picked is None
        await pilot.press("enter")
        assert board.picked == at(1, 2)
        assert board.step_back()
        assert board.picked is None
        assert not board.step_back()
        assert page.chosen == page.tried == []


async def test_a_stone_that_cannot_go_to_a_card_asks_why_with_both_cards() -> None:
    page = Page(scene_of(play(position(STONES), "take 1 1; end")))
    async with page.run_test(size=SIZES["80x24"]) as pilot:
        await click(pilot, page, 1, 2)
        await click(pilot, page, 1, 3)
        assert page.tried == ["move 1 2 1 3"]
        assert page.board.picked == at(1, 2)


async def test_another_position_forgets_the_first_half() -> None:
    state = play(position(STONES), "take 1 1; end")
    page = Page(scene_of(state))
    async with page.run_test(size=SIZES["80x24"]) as pilot:
        await click(pilot, page, 1, 2)
        page.board.show(scene_of(RULES.apply(state, 0, move("pass"))), pending=False)
        assert page.board.picked is None


async def test_while_a_move_is_under_way_nothing_is_chosen() -> None:
    scene = scene_of(position(TAKING))
    page = Page(scene)
    async with page.run_test(size=SIZES["80x24"]) as pilot:
        page.board.show(scene, pending=True)
        await pilot.press("enter", "e")
        await click(pilot, page, 1, 1)
        assert page.chosen == page.tried == []


async def test_the_words_follow_the_mouse_and_return_to_the_cursor() -> None:
    page = Page(scene_of(position(TAKING)))
    async with page.run_test(size=SIZES["80x24"]) as pilot:
        bottom = page.board.painter.layout.bottom
        await pilot.hover("#board", offset=(5, 2))
        assert "Sachsen" in "".join(part.text for part in page.board.render_line(bottom))
        await pilot.hover("#board", offset=(30, 2))
        assert "Frankreich" in "".join(part.text for part in page.board.render_line(bottom))


@pytest.mark.parametrize("size", ["80x24", "120x40"])
async def test_a_mark_says_that_it_is_a_hints_and_a_rows_number_what_the_row_is(size: str) -> None:
    page = Page(scene_after(3))
    async with page.run_test(size=SIZES[size]) as pilot:
        await at_rest(pilot)
        board, layout = page.board, page.board.painter.layout
        board.mark_moves([move("take 1 1")])
        assert board.cursor == at(1, 1)

        def told(x: int, y: int) -> str:
            meaning = board.explain(x, y)
            return "" if meaning is None else render(meaning.sentence)

        for x in range(layout.card_width):
            assert "hint" in told(layout.left + 1 + x, 0)
        assert layout.left == 0
        assert told(0, layout.middle).startswith("Row 1: ")
        assert "cursor" in told(0, layout.middle + 1)
        assert [told(x, layout.bottom - 1) for x in range(*SIZES[size][:1])] == [""] * SIZES[size][0]
