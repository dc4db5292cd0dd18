"""How the rows look."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pytest
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from syrupy.assertion import SnapshotAssertion
from textual.geometry import Region

from kk_core.games.ku_ka_king.model import CARDS, CHURCH, KING, KNIGHT, LINES, Observation
from kk_core.games.ku_ka_king.notation import CARD_NAMES
from kk_core.text import text
from kk_tui.games.ku_ka_king import panels, theme
from kk_tui.games.ku_ka_king.board import collection_strip
from kk_tui.games.ku_ka_king.panels import clip
from kk_tui.games.ku_ka_king.picture import Painter, Taker, layout_for, looks
from kk_tui.games.ku_ka_king.theme import (
    FIGURE_SIZES,
    GLYPHS,
    SHORT_NAMES,
    figure,
    group,
    group_variable,
    line_sign,
    sign,
)
from kk_tui.i18n import render
from kk_tui.languages import languages, translate
from kk_tui.rules_pages import FOLDER, HelpTable, sections
from kk_tui.theme.glyphs import Glyphs
from kk_tui.widgets.board import Board
from tests.tui import scenes
from tests.tui.conftest import at_rest
from tests.tui.ku_ka_king.scenes import match_of, rounds
from tests.tui.scenes import SIZES, Page, drawn, lines_of, scene_of_match

CLASH = ((0, 6), (1, 2), (2, 2))
"""The example of the rules: Tim is the only one to call row 6; Sarah and Linus both call row 2."""


def shown_in(lines: Sequence[str], region: Region) -> str:
    """What a part of the board shows."""
    return "\n".join(line[region.x : region.right] for line in lines[region.y : region.bottom])


def collections_in(lines: Sequence[str], size: tuple[int, int]) -> list[str]:
    """The lines of the collections beside or below seven rows."""
    layout = layout_for(*size, 7)
    beside = layout.beside_rows
    if not beside or size[0] > 120:
        return list(lines[layout.bottom :])
    return [line[beside.x :] for line in lines[beside.y :]]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("seats", [2, 3, 4])
async def test_every_row_shows_its_number_and_three_cards(
    size: str, seats: int, snapshot: SnapshotAssertion
) -> None:
    assert await drawn(scene_of_match(match_of(seats), 0), SIZES[size]) == snapshot


@pytest.mark.parametrize("size", SIZES)
async def test_the_reveal_stands_with_who_took_what_and_which_card_a_clash_cost(
    size: str, snapshot: SnapshotAssertion
) -> None:
    lines = await drawn(scene_of_match(match_of(3, CLASH), 1), SIZES[size])
    assert "A● 6  clash:  B■ 2  C▲ 2" in lines[0]
    layout = layout_for(*SIZES[size], 7)
    assert "A● Tim" in shown_in(lines, layout.region(6))
    assert re.search("▼ 3 (points|pts)", shown_in(lines, layout.region(2)))
    assert lines == snapshot


@pytest.mark.parametrize("width", range(50, 70))
def test_a_collection_that_fits_into_its_lines_is_not_cut(width: int) -> None:
    glyphs = Glyphs(ascii_only=False, more=[GLYPHS])
    collections = [bytes(card % 2 for card in range(len(CARDS)))] * 2
    lines = collection_strip(scene_of_match(match_of(2), 0), width, 4, glyphs, collections)
    words = "".join(part[0] for line in lines for part in line)
    assert 2 <= len(lines) <= 4
    assert glyphs["ellipsis"] not in words
    assert all(render(SHORT_NAMES[card]) in words for card, n in enumerate(collections[0]) if n)


@pytest.mark.parametrize("count", range(1, 10))
@pytest.mark.parametrize("width", [57, 84])
@pytest.mark.parametrize("room", [5, 8])
def test_no_collection_touches_what_is_beside_the_board(count: int, width: int, room: int) -> None:
    match = match_of(2)
    rounds(match, count)
    glyphs = Glyphs(ascii_only=False, more=[GLYPHS])
    drawn = collection_strip(scene_of_match(match, 0), width, room, glyphs)
    lines = ["".join(part[0] for part in line) for line in drawn]
    assert max(map(cell_len, lines)) < width


@pytest.mark.parametrize("width", [56, 70, 84])
@pytest.mark.parametrize("count", range(1, 9))
def test_who_has_no_seat_sees_everybodys_collection_in_three_lines(width: int, count: int) -> None:
    match = match_of(4)
    rounds(match, count)
    glyphs = Glyphs(ascii_only=False, more=[GLYPHS])
    scene = scene_of_match(match, None)
    lines = ["".join(part[0] for part in line) for line in collection_strip(scene, width, 3, glyphs)]
    assert len(lines) <= 3
    assert max(map(cell_len, lines)) <= width
    words = "\n".join(lines)
    assert glyphs["ellipsis"] not in words
    first, *others = [glyphs.owner(seat) for seat in range(4)]
    for owner, after, cards in zip(
        (first, *others), (*others, "end"), scene.observation.collections, strict=True
    ):
        own = words.partition(owner)[2].partition(after)[0]
        held = [
            (line_sign(group(card), glyphs), sign(card, glyphs), render(SHORT_NAMES[card]))
            for card, n in enumerate(cards)
            if n
        ]
        assert all(any(form in own for form in forms) for forms in held)


@pytest.mark.parametrize("room", range(1, 5))
@pytest.mark.parametrize("viewer", [None, 0, 2])
def test_however_few_have_cards_yet_theirs_are_shown(viewer: int | None, room: int) -> None:
    glyphs = Glyphs(ascii_only=False, more=[GLYPHS])
    scene = scene_of_match(match_of(4), viewer)
    for having in range(1 << 4):
        collections = [bytes([having >> seat & 1]).ljust(len(CARDS), b"\0") for seat in range(4)]
        lines = collection_strip(scene, 80, room, glyphs, collections)
        words = "\n".join("".join(part[0] for part in line) for line in lines)
        assert len(lines) <= room
        others = [seat for seat in range(4) if having >> seat & 1 and seat != viewer]
        told = others if room > 1 or viewer is None else ()  # one line is for the own cards
        assert all(glyphs.owner(seat) in words for seat in told)


@pytest.mark.parametrize("room", range(1, 7))
@pytest.mark.parametrize("viewer", [None, 0, 3])
@pytest.mark.parametrize("width", [57, 85])
def test_everybodys_collection_is_in_words_or_everybodys_in_signs(
    width: int, viewer: int | None, room: int
) -> None:
    glyphs = Glyphs(ascii_only=False, more=[GLYPHS])
    for count in range(1, 9):
        match = match_of(4)
        rounds(match, count)
        lines = collection_strip(scene_of_match(match, viewer), width, room, glyphs)
        grounds = {group_variable(line) for line in LINES}
        chips = [
            words.split("×")[0].strip() for line in lines for words, look, _bold in line if look in grounds
        ]
        named = [chip in {*map(render, SHORT_NAMES)} for chip in chips]
        assert len({*named}) == 1


@pytest.mark.parametrize("size", [(84, 37), (116, 47), (144, 57)])
async def test_words_on_an_upright_card_stay_clear_of_the_card_over_it(size: tuple[int, int]) -> None:
    scene = scene_of_match(match_of(4), 0)
    lines, layout = await drawn(scene, size), layout_for(*size, len(scene.observation.rows))
    assert layout.is_upright
    for row in range(1, layout.rows + 1):
        place = layout.region(row)
        for covered in (1, 2):
            x = place.x + layout.left + covered * layout.inner - 1
            assert lines[place.y + layout.full - 1].ljust(layout.width)[x] == " "


def test_beside_many_cards_the_beginning_of_a_name_is_left_rather_than_none_of_it() -> None:
    glyphs = Glyphs(ascii_only=False, more=[GLYPHS])
    scene = scene_of_match(match_of(4), 0)
    many = bytes(2 if card in {KING, KNIGHT, CHURCH, *range(7)} else 0 for card in range(len(CARDS)))
    name = scene.names[1]
    lines = collection_strip(scene, 57, 4, glyphs, [bytes(len(CARDS)), many, *[bytes(len(CARDS))] * 2])
    told = ["".join(part[0] for part in line) for line in lines]
    assert max(map(cell_len, told)) < 57
    assert name[:2] in told[1]


@pytest.mark.parametrize("width", range(56, 116))
def test_the_own_cards_have_whole_names(width: int) -> None:
    glyphs = Glyphs(ascii_only=False, more=[GLYPHS])
    types = (KNIGHT, CHURCH, 0, 1, 4, 7)
    collections = [bytes(card in types for card in range(len(CARDS)))] * 2
    lines = collection_strip(scene_of_match(match_of(2), 0), width, 4, glyphs, collections)
    words = "\n".join("".join(part[0] for part in line) for line in lines)
    for card in types:
        assert render(SHORT_NAMES[card]) in words


@pytest.mark.parametrize(("height", "is_written"), [(21, True), (27, True), (40, False)])
def test_a_number_is_written_where_a_drawn_one_would_fill_its_card(height: int, is_written: bool) -> None:
    glyphs, scene = Glyphs(ascii_only=False, more=[GLYPHS]), scene_of_match(match_of(4), 0)
    layout = layout_for(70, height, 8)
    painter = Painter(layout, glyphs, lambda *_args, **_kwargs: Style(), scene.observation)
    numbers = [painter._number(row)[0][0].text.strip() for row in looks(scene, None, 3)]
    assert [number.isdigit() for number in numbers] == [is_written] * 8


@pytest.mark.parametrize("viewer", [0, 1, None])
def test_the_cursor_is_seen_by_nobody_but_who_may_call(viewer: int | None) -> None:
    scene = scene_of_match(match_of(3, [(0, 6)]), viewer)
    at_cursor = [look.row for look in looks(scene, None, 2) if look.cursor]
    assert at_cursor == [2] * (viewer == 1)


@pytest.mark.parametrize("height", range(37, 70, 3))
def test_numbers_stand_in_the_middle_of_their_cards(height: int) -> None:
    glyphs, layout = Glyphs(ascii_only=False, more=[GLYPHS]), layout_for(140, height, 8)
    view = scene_of_match(match_of(4), 0).observation
    painter = Painter(layout, glyphs, lambda *_args, **_kwargs: Style(), view)
    for row in looks(scene_of_match(match_of(4), 0), None, cursor=0):
        lines = [number[0].text for number in painter._number(row)[: layout.full]]
        pixels = [half in line or "█" in line for line in lines for half in "▀▄"]
        assert abs(pixels.index(True) - pixels[::-1].index(True)) <= 1


async def test_where_no_line_is_free_between_rows_their_digits_do_not_touch() -> None:
    size = SIZES["80x24"]
    lines = await drawn(scene_of_match(match_of(3), 0), size)
    layout = layout_for(*size, 7)
    assert layout.pitch == 2
    for row in range(2, 8):
        first, second = (lines[layout.region(row).y + y][: layout.left].strip() for y in range(2))
        assert (first, second) == (str(row), "")


@pytest.mark.parametrize("size", [*SIZES.values(), (84, 27), (144, 57)])
@pytest.mark.parametrize("ascii_only", [True, False])
async def test_the_cursor_is_a_bar_at_either_end_of_a_row_just_as_high_as_the_cards_or_lights_a_large_number(
    size: tuple[int, int], ascii_only: bool
) -> None:
    page = Page(scene_of_match(match_of(3), 0), ascii_only=ascii_only)
    async with page.run_test(size=size) as pilot:
        await pilot.press("down", "down")
        lines = [line.ljust(size[0]) for line in lines_of(page)]
        number = page.board.painter.row(page.board._looks[1])[0][1]
    layout = layout_for(*size, 7)
    region = layout.region(2)
    at_cursor = range(region.y, region.y + layout.full)
    for end in (region.x, region.right - 1):
        marked = [y for y in range(layout.top, layout.bottom) if lines[y][end] != " "]
        assert marked == ([] if layout.is_upright else list(at_cursor))
    assert number.style is not None
    assert number.style.bgcolor is not None
    assert number.style.bgcolor.name == page.theme_variables["cursor"].lower()


@pytest.mark.parametrize("size", [*SIZES.values(), (144, 57)])
@pytest.mark.parametrize("ascii_only", [True, False])
async def test_the_row_that_a_click_would_call_has_a_line_at_either_end(
    size: tuple[int, int], ascii_only: bool
) -> None:
    match = match_of(3, CLASH)
    page = Page(scene_of_match(match, 1), ascii_only=ascii_only)
    layout = layout_for(*size, 7)
    line = "|" if ascii_only else "│"
    marked = {}
    async with page.run_test(size=size) as pilot:
        for row in (3, 6):  # row 6 is taken
            region = layout.region(row)
            await pilot.hover("#board", offset=(region.x + 20, region.y))
            await at_rest(pilot)
            drawn = [line.ljust(size[0]) for line in lines_of(page)]
            ends = region.x, region.right - 1
            marked[row] = [
                y for y in range(layout.top, layout.bottom) if {drawn[y][end] for end in ends} == {line}
            ]
    assert marked == {3: [*range(layout.region(3).y, layout.region(3).y + layout.full)], 6: []}


@pytest.mark.parametrize("size", [*SIZES.values(), (84, 27), (144, 57)])
async def test_of_a_row_that_looks_different_only_the_cells_that_differ_are_drawn(
    size: tuple[int, int],
) -> None:
    scene, layout = scene_of_match(match_of(3), 0), layout_for(*size, 7)
    async with (page := Page(scene)).run_test(size=size):
        painter = Painter(layout, page.glyphs, page.board.ink, scene.observation)
        row = looks(scene, None, None)[2]
        number = Region(*layout.region(3).offset, layout.left, layout.pitch)
        at_cursor = replace(row, cursor=True)
        taken = replace(row, cards=b"", bright=False, taker=Taker(1, "Sarah", row.cards))
        others = (
            at_cursor, replace(row, hovered=True), replace(row, hint="a"), replace(row, own=0), taken,
            replace(row, cards=row.cards[:-1], clashed=True, lost=row.cards[-1]),
        )  # fmt: skip
        for other in others:
            for before, now in ((row, other), (other, row), (other, at_cursor)):
                parts = painter.changed(before, now)
                old, new = (_cells(painter.row(look), layout.region(3)) for look in (before, now))
                drawn = {place for part in parts for place in _places(part)}
                assert {place for place, cell in new.items() if old[place] != cell} <= drawn
                assert drawn <= {*new}
        if layout.is_upright:
            assert all(number.contains_region(part) for part in painter.changed(row, at_cursor))
            assert painter.changed(row, at_cursor)


@pytest.mark.parametrize("size", SIZES.values())
async def test_a_mouse_that_comes_to_the_row_under_the_cursor_draws_nothing_there(
    size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = layout_for(*size, 7)
    async with (page := Page(scene_of_match(match_of(3), 0))).run_test(size=size) as pilot:
        await pilot.press("down", "down", "down")
        await at_rest(pilot)
        asked, refresh = list[tuple[Region, ...]](), page.board.refresh

        def noted(*regions: Region, **how: bool) -> object:
            asked.append(regions)
            return refresh(*regions, **how)

        monkeypatch.setattr(page.board, "refresh", noted)
        for row in (3, 4):
            region = layout.region(row)
            await pilot.hover("#board", offset=(region.x + 20, region.y))
            await at_rest(pilot)
            assert page.board.hovered == row
            assert all(asked), "the whole board is drawn where no part is named"
            assert bool(asked) is (row == 4)


def test_however_many_looks_rows_have_had_the_painter_keeps_those_of_a_few() -> None:
    scene, glyphs = scene_of_match(match_of(4), 0), Glyphs(ascii_only=False, more=[GLYPHS])
    painter = Painter(layout_for(84, 37, 8), glyphs, lambda *_args, **_kwargs: Style(), scene.observation)
    before = looks(scene, None, None)[0]
    for number in range(100):
        now = replace(before, hint=str(number))
        painter.changed(before, now)
        painter.strips(now)
    assert 8 <= len(painter._strips) <= 32
    assert max(len(painter._rows), len(painter._changes)) <= 32


def _places(region: Region) -> list[tuple[int, int]]:
    return [(x, y) for y in region.line_range for x in region.column_range]


def _cells(lines: Sequence[Sequence[Segment]], region: Region) -> dict[tuple[int, int], tuple[str, object]]:
    """The signs of a row and their styles, by their places in the widget."""
    rows = [[(sign, segment.style) for segment in line for sign in segment.text] for line in lines]
    cells = [cell for row in rows for cell in row]
    return dict(zip(_places(region), cells, strict=True))


async def test_plain_terminals_get_nothing_but_ascii(snapshot: SnapshotAssertion) -> None:
    lines = await drawn(scene_of_match(match_of(3, CLASH), 1), SIZES["80x24"], ascii_only=True)
    assert "\n".join(lines).isascii()
    assert lines == snapshot


async def test_a_call_is_marked_for_who_made_it_and_for_nobody_else() -> None:
    match = match_of(3, [(0, 6)])
    assert "Your call: row 6." in (await drawn(scene_of_match(match, 0), SIZES["80x24"]))[0]
    before = await drawn(scene_of_match(match_of(3), 1), SIZES["80x24"])
    after = await drawn(scene_of_match(match, 1), SIZES["80x24"])
    assert after[0].split() == ["Called:", "A●", "Choosing:", "B■", "C▲"]
    top = layout_for(*SIZES["80x24"], 7).top
    assert after[top:] == before[top:]


@pytest.mark.parametrize("size", [*SIZES.values(), (56, 21), (144, 57)])
@pytest.mark.parametrize("ascii_only", [True, False])
async def test_a_called_row_has_the_same_number_as_before_and_its_caller_beside_or_over_it(
    size: tuple[int, int], ascii_only: bool
) -> None:
    layout, shown = layout_for(*size, 7), []
    for calls in ([], [(0, 6)]):
        match = match_of(3, calls)
        lines = await drawn(scene_of_match(match, 0), size, ascii_only=ascii_only)
        region = layout.region(6)
        shown.append(
            [line[region.x + 1 : region.x + layout.left] for line in lines[region.y : region.bottom]]
        )
    before, after = shown
    seal = "Ao" if ascii_only else "A●"
    assert after == [f"{before[0][:-2]}{seal}", *before[1:]]


@pytest.mark.parametrize("size", [*SIZES.values(), (56, 21), (84, 27), (144, 57)])
async def test_the_points_that_a_row_has_brought_hide_neither_its_number_nor_its_cards(
    size: tuple[int, int],
) -> None:
    scene = scene_of_match(match_of(3), 0)
    layout = layout_for(*size, 7)
    async with (page := Page(scene)).run_test(size=size):
        painter = page.board.painter
        for look in looks(scene, None, None):
            told = replace(look, cards=b"", taker=Taker(1, "Sarah", look.cards, 15))
            bare, taken = (
                ["".join(part.text for part in line) for line in painter.row(each)] for each in (look, told)
            )
            assert [line[layout.left :] for line in taken] == [line[layout.left :] for line in bare]
            number = [line[1 : layout.left] for line in taken]
            assert number[0].endswith("B■")
            assert "+15" in number[layout.full - 1]
            left = [line.replace("B■", "  ").replace("+15", "   ") for line in number]
            assert [line.rstrip() for line in left] == [line[1 : layout.left].rstrip() for line in bare]


@pytest.mark.parametrize("viewer", [1, None])
async def test_nothing_on_the_board_depends_on_what_others_have_called(viewer: int | None) -> None:
    boards = [await drawn(scene_of_match(match_of(3, [(0, row)]), viewer), SIZES["120x40"]) for row in (1, 6)]
    assert boards[0] == boards[1]


async def test_the_last_reveal_stands_until_one_has_called_again() -> None:
    match = match_of(3, CLASH)
    match.play(1, 7)
    assert "King" not in (await drawn(scene_of_match(match, 1), SIZES["80x24"]))[0]
    assert "King" in (await drawn(scene_of_match(match, 2), SIZES["80x24"]))[0]


@pytest.mark.parametrize("size", SIZES)
async def test_after_a_round_everybody_sees_over_the_rows_who_took_which_row_in_all_its_calls(
    size: str,
) -> None:
    lines = await drawn(scene_of_match(match_of(3, (*CLASH, (1, 7), (2, 2))), 0), SIZES[size])
    # where a second line tells what was brought, it tells what the clash has cost, too
    lost = " ▼ 3 pts" if size == "80x24" else ""
    assert lines[0].strip() == f"Round 1:  A● 6  B■ 7  C▲ 2  clash: B■C▲ 2{lost}"


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("calls", [CLASH, (*CLASH, (1, 7), (2, 2))])
async def test_once_somebody_may_call_no_call_of_the_past_stands_at_a_row(
    calls: tuple[tuple[int, int], ...], size: str
) -> None:
    lines = await drawn(scene_of_match(match_of(3, calls), 1), SIZES[size])
    layout = layout_for(*SIZES[size], 7)
    for row in set(range(1, 8)) - ({6} if calls == CLASH else set()):  # row 6 is taken, and stays so
        shown = shown_in(lines, layout.region(row))
        assert not any(seal in shown for seal in ("A●", "B■", "C▲"))


async def test_when_the_match_is_over_the_rows_of_the_last_round_show_who_took_them() -> None:
    match = match_of(4)
    rounds(match, 9)
    assert match.is_over
    lines = await drawn(scene_of_match(match, 0), SIZES["80x24"])
    layout = layout_for(*SIZES["80x24"], 8)
    for seat, name in enumerate(match.seats):
        assert name in "\n".join(lines[layout.region(seat + 1).y : layout.region(seat + 2).y])


def test_a_line_too_long_ends_in_an_ellipsis() -> None:
    line = [("Bartholomäus ", "ink", True), ("Langnam", "ink", False)]
    assert clip(line, 20, "…") == line
    assert "".join(words for words, *_rest in clip(line, 16, "…")) == "Bartholomäus La…"
    assert "".join(words for words, *_rest in clip(line, 5, "~")) == "Bart~"


async def test_the_first_scoring_is_told_with_what_everybody_got() -> None:
    match = match_of(4)
    rounds(match, 5)
    shown = "\n".join(await drawn(scene_of_match(match, 0), SIZES["120x40"]))
    got = [sum(row[seat] for row in match.view(None).observed(Observation).sheet[:6]) for seat in range(4)]
    assert "First scoring:  A● {}  B■ {}  C▲ {}  D◆ {}".format(*got) in shown
    assert "cards with a cross go into the box" in shown


@pytest.mark.parametrize("width", range(56, 146, 6))
@pytest.mark.parametrize("height", range(21, 59, 3))
@pytest.mark.parametrize("rows", [6, 7, 8])
def test_all_rows_fit_on_the_board(width: int, height: int, rows: int) -> None:
    layout = layout_for(width, height, rows)
    assert layout.bottom < height, "a line is left for the own collection"
    assert layout.left + 2 * layout.inner + layout.outer == layout.row_width - 1
    assert layout.inner < layout.outer
    for row in range(1, rows + 1):
        region = layout.region(row)
        assert layout.row_at(region.x, region.y) == row
        assert layout.row_at(region.right - 1, region.bottom - 1) == row


@pytest.mark.parametrize("width", [56, 70, 84, 100, 116, 130, 144])
@pytest.mark.parametrize("height", [21, 27, 33, 37, 47, 57])
async def test_at_every_size_all_cards_have_their_names_and_nothing_is_wider_than_the_board(
    width: int, height: int
) -> None:
    scene = scene_of_match(match_of(4), 0)
    lines = await drawn(scene, (width, height))
    assert max(map(cell_len, lines)) <= width
    layout = layout_for(width, height, 8)
    for row, cards in enumerate(scene.observation.rows, start=1):
        region = layout.region(row)
        shown = "\n".join(line[region.x : region.right] for line in lines[region.y : region.bottom])
        for card in cards:
            assert str(SHORT_NAMES[card]) in shown or str(CARD_NAMES[card]) in shown


@pytest.mark.parametrize("size", SIZES.values())
async def test_ones_own_collection_stands_under_the_rows_in_the_order_of_the_seats(
    size: tuple[int, int],
) -> None:
    match = match_of(3)
    rounds(match, 3)
    scene = scene_of_match(match, 1)
    lines = await drawn(scene, size)
    under = "\n".join(collections_in(lines, size))
    assert re.findall(r"A●|B■|C▲", under) == ["A●", "B■", "C▲"]
    own, glyphs = under.partition("B■")[2].partition("C▲")[0], Glyphs(ascii_only=False, more=[GLYPHS])
    held = {card: n for card, n in enumerate(scene.observation.collections[1]) if n}
    assert all(render(SHORT_NAMES[card]) in own or sign(card, glyphs) in own for card in held)
    assert sorted(map(int, re.findall(r"×(\d+)", own))) == sorted(n for n in held.values() if n > 1)


@pytest.mark.parametrize("size", [(84, 37), (144, 57)])
@pytest.mark.parametrize("count", [0, 3])
async def test_a_name_under_the_rows_is_whole_where_there_is_room(size: tuple[int, int], count: int) -> None:
    match = scenes.match_of("ku_ka_king", 3, names=("root", "Adelheid", "Jutta"))
    rounds(match, count)
    lines = await drawn(scene_of_match(match, 0), size)
    assert sum("B■ Adelheid " in line for line in collections_in(lines, size)) == 1


@pytest.mark.parametrize("count", range(1, 10))
@pytest.mark.parametrize("viewer", [0, None])
async def test_in_the_place_of_a_missing_row_all_cards_of_all_players_have_whole_names(
    viewer: int | None, count: int
) -> None:
    match = match_of(3)
    rounds(match, count)
    scene = scene_of_match(match, viewer)
    lines = collections_in(await drawn(scene, SIZES["120x40"]), SIZES["120x40"])
    each = re.split("A●|B■|C▲", "\n".join(lines))[1:]
    for said, cards in zip(each, scene.observation.collections, strict=True):
        assert all(render(SHORT_NAMES[card]) in said for card, n in enumerate(cards) if n)
        assert sorted(map(int, re.findall(r"×(\d+)", said))) == sorted(n for n in cards if n > 1)


@pytest.mark.parametrize("card", range(len(CARDS)))
@pytest.mark.parametrize("size", range(len(FIGURE_SIZES)))
def test_every_card_has_a_figure_in_every_size(card: int, size: int) -> None:
    columns, lines = FIGURE_SIZES[size]
    drawing = figure(card, size)
    assert [len(line) for line in drawing] == [columns] * lines
    assert set("".join(drawing)) <= set(" ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█")
    assert drawing not in [figure(other, size) for other in range(len(CARDS)) if other != card]


@pytest.mark.parametrize("seats", [2, 3, 4])
async def test_cards_too_low_for_a_picture_have_their_names_apart_from_their_marks_and_one_word_for_points(
    seats: int,
) -> None:
    size = SIZES["80x24"]
    lines = await drawn(scene_of_match(match_of(seats), 0), size)
    layout = layout_for(*size, 4 + seats)
    assert not layout.has_figures
    knights = set()
    for row in range(1, 5 + seats):
        shown = shown_in(lines, layout.region(row))
        assert not set("▘▝▖▞▛▗▚▜▄▙▟█") & set(shown.split("▝")[0])
        assert not re.search(r"[a-z0-9×][✓✗]", shown)
        knights |= {*re.findall(r"1\W+2 if most\W?", shown)}
    assert {found.strip() for found in knights} == {"1 (2 if most)"}


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
async def test_once_the_first_scoring_is_over_no_card_says_whether_it_stays(size: tuple[int, int]) -> None:
    match = match_of(4)
    rounds(match, 4)
    page = Page(scene_of_match(match, 0))
    async with page.run_test(size=size) as pilot:
        await at_rest(pilot)
        assert re.search("[✓✗]", "".join(lines_of(page)))
        for seat in range(4):
            match.play(seat, seat + 5)
        now = scene_of_match(match, 0)
        assert now.observation.second_pass
        page.board.show(now, pending=False)
        await at_rest(pilot)
        assert not re.search("[✓✗]", "".join(lines_of(page)))


@pytest.mark.parametrize("language", languages())
def test_the_help_names_the_sign_or_the_letters_of_every_card(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(theme, "render", lambda sentence: translate(sentence, language))
    tables = [
        block
        for part in sections("ku_ka_king", [language])
        for block in part.blocks
        if isinstance(block, HelpTable)
    ]
    (table,) = (each for each in tables if any(cell.plain == "♔" for row in each.rows for cell in row))
    told = {tuple(cell.plain for cell in row) for row in table.rows[1:]}
    rich, plain = (Glyphs(ascii_only=ascii_only, more=[GLYPHS]) for ascii_only in (False, True))
    signs = [
        (translate(name, language), sign(card, rich), sign(card, plain))
        for card, name in enumerate(CARD_NAMES)
    ]
    assert told == {each for each in signs if each[1] != each[2]}
    file = FOLDER / ("" if language == "en" else language) / "ku_ka_king.md"
    words = file.read_text(encoding="utf-8").replace("\n", " ")
    for name, letters, plain_letters in {*signs} - told:
        assert letters == plain_letters
        is_points = letters[0].isdigit()
        told_as = f"{letters} for {name}" if language == "en" and not is_points else letters
        assert re.search(rf"\b{told_as}\b", words), f"{letters} is not explained"
    for column in (1, 2):
        looks = {each[column] for each in signs}
        assert len(looks) == len(CARDS), "no two cards look the same"
        assert max(map(cell_len, looks)) <= 2


@pytest.mark.parametrize(("width", "is_told"), [(80, True), (50, False)])
async def test_the_line_over_the_keys_names_the_cards_under_the_cursor_where_there_is_room(
    width: int, is_told: bool
) -> None:
    scene = scene_of_match(match_of(3), 0)
    page = Page(scene)
    async with page.run_test(size=(width, 24)) as pilot:
        asked = render(page.query_one(Board).prompt())
        await pilot.press("down", "down")
        said = render(page.query_one(Board).prompt())
    cards = [render(SHORT_NAMES[card]) for card in scene.observation.rows[1]]
    assert asked == "Call a row: 1-7, arrows or a click."
    assert said.startswith("Enter calls row 2.")
    assert ("  Row 2: " in said and all(card in said for card in cards)) is is_told


# -- two columns of upright cards ----------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(116, 47), (144, 57)])
async def test_where_there_is_room_cards_stand_upright_with_their_largest_pictures(
    size: tuple[int, int],
) -> None:
    scene = scene_of_match(match_of(4), 0)
    lines = await drawn(scene, size)
    layout = layout_for(*size, 8)
    assert layout.figure == 0
    for row, cards in enumerate(scene.observation.rows, start=1):
        region = layout.region(row)
        shown = [line[region.x : region.right] for line in lines[region.y : region.bottom]]
        for card in cards:
            pictures = "\n".join(shown)
            assert all(part.strip() in pictures for part in figure(card, 0))


async def test_from_one_column_of_rows_to_the_other_lead_left_and_right() -> None:
    page = Page(scene_of_match(match_of(4), 0))
    async with page.run_test(size=(144, 57)) as pilot:
        found = []
        for key in ("right", "down", "right", "right", "down", "left", "left", "up"):
            await pilot.press(key)
            found.append(page.board.cursor)
    assert found == [1, 2, 6, 6, 7, 3, 3, 2]


@pytest.mark.parametrize("row", range(1, 9))
async def test_a_click_in_either_column_calls_the_row_under_it(row: int) -> None:
    page = Page(scene_of_match(match_of(4), 0))
    async with page.run_test(size=(144, 57)) as pilot:
        region = layout_for(144, 57, 8).region(row)
        await pilot.click("#board", offset=(region.x + 30, region.y + 3))
        await at_rest(pilot)
    assert page.chosen == [f"call {row}"]


async def test_at_80x24_everybody_s_collection_stands_under_the_rows() -> None:
    match = match_of(4)
    rounds(match, 3)
    scene = scene_of_match(match, 2)
    lines = await drawn(scene, SIZES["80x24"])
    under = lines[layout_for(*SIZES["80x24"], 8).bottom :]
    assert [line.split()[0] for line in under if line] == ["A●", "B■", "C▲", "D◆"]


async def test_at_80x24_the_prompt_tells_all_that_the_cards_of_a_row_score() -> None:
    scene = scene_of_match(match_of(4), 0)
    king = next(row for row, cards in enumerate(scene.observation.rows, 1) if KING in cards)
    page = Page(scene)
    async with page.run_test(size=(80, 24)) as pilot:
        await pilot.press(*["down"] * king)
        assert "0 1 4 9 16 25 36" in str(page.board.prompt())


@pytest.mark.parametrize("seats", [2, 3, 4])
async def test_where_there_is_room_all_collections_are_a_table_from_the_start(seats: int) -> None:
    match = match_of(seats)
    for _round in range(2):
        scene = scene_of_match(match, 1)
        lines = await drawn(scene, (144, 57))
        under = lines[layout_for(144, 57, seats + 4).bottom :]
        (names,) = (line for line in under if "king" in line)
        assert names.split().count("points") == 1
        for seat, cards in enumerate(scene.observation.collections):
            (line,) = (line for line in under if line.startswith(f" {'ABCD'[seat]}"))
            held = [int(n) for n in re.findall(r"×(\d+)", line)]
            assert sum(held) == sum(cards)
            kings = line[names.index("king") :].split()[0]
            assert kings == (f"×{cards[KING]}" if cards[KING] else "·")
        rounds(match, 2)


async def test_where_there_is_room_it_is_counted_what_is_in_the_game_and_what_lies_in_the_rows() -> None:
    match = match_of(4)
    rounds(match, 2)
    scene = scene_of_match(match, 1)
    lines = await drawn(scene, (144, 57))
    under = lines[layout_for(144, 57, 8).bottom :]
    names = next(line for line in under if "king" in line)
    printed, lying = scene.observation.printed.counts, b"".join(scene.observation.rows)
    for words, counts in (("in the game", printed), ("in the rows", [*map(lying.count, range(len(CARDS)))])):
        (line,) = (line for line in under if line.startswith(f" {words}"))
        assert sum(int(n) for n in re.findall(r"\d+", line)) == sum(counts)
        assert line[names.index("knight") :].split()[0] == (str(counts[KNIGHT]) if counts[KNIGHT] else "·")


@pytest.mark.parametrize(("size", "count"), [((57, 21), 7), ((84, 37), 4), ((85, 37), 7)])
async def test_every_collection_has_a_line_of_its_own_with_a_whole_name(
    size: tuple[int, int], count: int
) -> None:
    match = scenes.match_of("ku_ka_king", 4, names=("Bo", "Maximilian", "Jutta", "Emil"))
    rounds(match, count)
    scene = scene_of_match(match, 0)
    lines = (await drawn(scene, size))[layout_for(*size, 8).bottom :]
    under = [line.split()[:2] for line in lines]
    assert under == [["A●", "Bo"], ["B■", "Maximilian"], ["C▲", "Jutta"], ["D◆", "Emil"]]
    if count == 4:  # all types have room for their names
        for line, cards in zip(lines, scene.observation.collections, strict=True):
            assert all(render(SHORT_NAMES[card]) in line for card, n in enumerate(cards) if n)


@pytest.mark.parametrize("language", languages())
def test_what_a_knight_gives_has_a_comma_and_a_word_on_an_upright_card(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = partial(translate, language=language)
    monkeypatch.setattr(panels, "_", lambda words, **values: said(text(words, **values)))
    scale = scene_of_match(match_of(4), 0).observation.printed.scale
    assert re.fullmatch(r"1, \w+ 2", panels.scoring(KNIGHT, scale, 9, "…"))


@pytest.mark.parametrize("size", [(57, 21), (85, 37), (144, 57)])
async def test_the_sign_of_who_has_taken_a_row_cuts_neither_their_name_nor_what_a_card_gives(
    size: tuple[int, int],
) -> None:
    names = ("Bo", "Maximilian", "Jutta", "Emil")
    match = scenes.match_of("ku_ka_king", 4, names=names)
    rounds(match, 9)
    assert match.is_over
    lines = await drawn(scene_of_match(match, None), size)
    layout = layout_for(*size, 8)
    printed = "stays goes pair trio worth points if most each for the with house empty A B C D"
    known = {*" ".join(map(str, (*CARD_NAMES, *SHORT_NAMES))).split(), *printed.split(), *names}
    for row in range(1, 9):
        assert {*re.findall(r"[A-Za-z]+", shown_in(lines, layout.region(row)))} <= known


@pytest.mark.parametrize("size", [*SIZES.values(), (84, 37), (144, 57)])
async def test_the_mark_of_a_hint_stands_on_an_upright_number_card_or_else_beside_it_and_is_explained(
    size: tuple[int, int],
) -> None:
    page = Page(scene_of_match(match_of(3), 0))
    layout = layout_for(*size, 7)
    async with page.run_test(size=size):
        before = lines_of(page)
        page.board.mark_moves((3,))
        after = lines_of(page)
        region = layout.region(3)
        wide = 3 if layout.is_upright else 1
        start = region.x + layout.is_upright
        assert after[region.y][start : start + wide] == "a".center(wide)
        assert before[region.y][start + wide :] == after[region.y][start + wide :]
        said = page.board.explain(start, region.y)
        assert said is not None
        assert (
            str(said.sentence)
            == "Marks a row from the hint, or in an analysis the better and the played one."
        )


@pytest.mark.parametrize("ascii_only", [False, True])
def test_collections_of_whom_it_is_about_come_first(ascii_only: bool) -> None:
    scene, glyphs = scene_of_match(match_of(4), 0), Glyphs(ascii_only=ascii_only, more=[GLYPHS])
    collections = [bytes([1] * len(scene.observation.collections[0]))] * 4
    for first, order in (((), "ABCD"), ((2,), "CABD"), ((2, 1), "CBAD")):
        lines = collection_strip(scene, 57, 4, glyphs, collections, first)
        assert "".join("".join(part[0] for part in line).strip()[0] for line in lines) == order
