"""Where rows have run out stands what is still to be won."""

from __future__ import annotations

import pytest

from kk_core.games.land_cards.model import CELLS, COLUMNS, TAKEN
from kk_tui.games.land_cards.board import LandCardsBoard
from kk_tui.games.land_cards.face import FACE
from kk_tui.games.land_cards.outlook import free_rows, outlook
from kk_tui.games.land_cards.picture import CellLook, Traces, looks_of
from kk_tui.i18n import render
from kk_tui.theme.glyphs import Glyphs
from tests.core.land_cards.positions import position
from tests.tui.conftest import at_rest
from tests.tui.land_cards.scenes import SIZES, scene_after, scene_of
from tests.tui.scenes import Page, drawn

GLYPHS = Glyphs(ascii_only=False, more=[FACE.glyphs])

LATE = "FrKK FrL SaL+s/UnA"
"""Two rows are left, and in them two cards of Frankreich."""


def looks(*rows: bool) -> list[CellLook]:
    """The looks of rows of which some have a card in the middle."""
    cells = [CellLook(3, TAKEN)] * CELLS
    for row, has_card in enumerate(rows):
        if has_card:
            cells[row * COLUMNS + 6] = CellLook(3, 0)
    return cells


@pytest.mark.parametrize(
    ("rows", "free"),
    [
        ((True, True, True, True), range(0)),
        ((True, False, True, True), range(1, 2)),
        ((False, True, True, False), range(3, 4)),
        ((False, False, True, False), range(2)),
        ((True, False, False, False), range(1, 4)),
    ],
)
def test_it_stands_in_the_most_rows_below_one_another_that_have_run_out(
    rows: tuple[bool, ...], free: range
) -> None:
    assert free_rows(looks(*rows)) == free


def test_with_much_room_each_country_that_has_cards_left_has_a_line() -> None:
    scene = scene_of(position(LATE))
    lines = [line.plain for line in outlook(scene, GLYPHS, 139, 12)]
    assert lines[0].startswith("still in the rows")
    assert "most cards" in lines[0]
    (france,) = (line.split() for line in lines if "Frankreich" in line)
    assert france[:4] == ["Frankreich", "2", "†2", "☼1"]
    named = [name for name in ("Frankreich", "Sachsen", "Ungarn", "Italien") if name in "\n".join(lines)]
    assert named == ["Frankreich", "Sachsen", "Ungarn"]
    assert any("Ships" in line for line in lines)


def test_who_has_most_is_told_by_their_sign() -> None:
    scene = scene_after(3, 60)
    lines = [line.plain for line in outlook(scene, GLYPHS, 139, 40)]
    assert any(sign in line for line in lines for sign in ("A●", "B■", "C▲"))


def test_with_little_room_countries_are_side_by_side_under_words_for_their_figures() -> None:
    lines = [line.plain for line in outlook(scene_of(position("FrKK FrL/UnA UnK/KaTT")), GLYPHS, 22, 3)]
    assert lines == ["         FRA  UNG  KAS", "in rows  2    2    1", "most     ▲51"]


def test_each_symbol_that_somebody_has_most_of_is_a_group_without_a_gap() -> None:
    scene = scene_after(5, 125)
    lines = [line.plain for line in outlook(scene, GLYPHS, 82, 7)]
    (at,) = [at for at, line in enumerate(lines) if line.startswith("most of a symbol")]
    owners, signs = "●■▲◆★", "†▽☼Ψ⌂"
    groups = [word for line in lines[at:] for word in line.removeprefix("most of a symbol").split()]
    assert len(groups) > 9, "some countries have several"
    for group in groups:
        who, symbol, count = group[:-2], group[-2], group[-1]
        assert who, group
        assert {*who} <= {*owners}
        assert symbol in signs
        assert count.isdigit()


@pytest.mark.parametrize("plies", [95, 110, 122, 125, 137, 152, 158])
@pytest.mark.parametrize(("width", "high"), [(54, 4), (82, 8), (138, 13)])
@pytest.mark.parametrize("seats", [3, 4, 5])
def test_words_say_what_the_figures_are_at_every_stage_and_size(
    seats: int, width: int, high: int, plies: int
) -> None:
    scene = scene_after(seats, plies)
    free = free_rows(looks_of(scene.observation, frozenset(), Traces()))
    if not free or scene.is_over:
        return
    lines = [line.plain for line in outlook(scene, GLYPHS, width, len(free) * high - 1)]
    words = "\n".join(lines)
    assert "still in the rows" in words or "in rows" in words
    assert "most" in words
    assert ("†" in words or "Ψ" in words) <= ("symbol" in words)


@pytest.mark.parametrize("plies", [30, 60, 90, 110])
@pytest.mark.parametrize("height", [3, 5, 8, 11, 23])
@pytest.mark.parametrize("width", [55, 69, 83, 139])
def test_it_fits_whatever_is_left(width: int, height: int, plies: int) -> None:
    scene = scene_after(5, plies)
    lines = outlook(scene, GLYPHS, width, height)
    assert len(lines) <= height
    assert all(line.cell_length <= width for line in lines)


@pytest.mark.parametrize("size", ["80x24", "120x40"])
async def test_above_it_places_say_who_has_taken_which_card(size: str) -> None:
    page = Page(scene_of(position("UnA")))
    async with page.run_test(size=SIZES[size]):
        board = page.board
        assert isinstance(board, LandCardsBoard)
        layout = board.painter.layout
        assert len(board.outlook.lines) == layout.pitch_y - 1, "one row is enough for one country"
        meaning = board.explain(layout.card(3 * COLUMNS - 1).x, layout.card(3 * COLUMNS - 1).y)
        assert meaning is not None
        assert "has taken this card of" in render(meaning.sentence)


@pytest.mark.parametrize("size", ["80x24", "120x40"])
async def test_the_board_shows_and_explains_it_in_rows_that_have_run_out_and_in_no_others(size: str) -> None:
    late, early = scene_of(position(LATE)), scene_after(3, 0)
    assert any("UNG" in line or "Ungarn" in line for line in (await drawn(late, SIZES[size]))[9:])
    page = Page(late)
    async with page.run_test(size=SIZES[size]) as pilot:
        board = page.board
        assert isinstance(board, LandCardsBoard)
        lines = board.outlook.lines
        assert lines.start > 2 * board.painter.layout.pitch_y
        told = [board.explain(x, y) for y in lines for x in range(board.size.width)]
        layout = board.painter.layout
        number = [board.render_line(y).crop(0, layout.left + 2).text.strip() for y in lines]
        assert not any(number), "a row that has run out has no number before words about all of them"
        sentences = {render(meaning.sentence) for meaning in told if meaning is not None}
        assert any("of them still in the rows" in sentence for sentence in sentences)
        board.show(early, pending=False)
        await at_rest(pilot)
        assert not board.outlook.lines
