"""How the rows look."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from kk_core.games.ku_ka_king.model import Observation
from kk_core.match import Match
from kk_core.registry import game
from kk_tui.games.ku_ka_king.layout import TOP, layout_for
from tests.tui.ku_ka_king.scenes import match_of, rounds
from tests.tui.scenes import SEED, SIZES, drawn, scene_of_match

CLASH = ((0, 6), (1, 2), (2, 2))
"""The example of the rules: Tim is the only one to call row 6; Sarah and Linus both call row 2."""


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
    assert "A● 6✓" in lines[0]
    assert "B■ 2✗" in lines[0]
    assert "taken by Tim" in "\n".join(lines)
    assert lines == snapshot


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
    assert after[TOP:] == before[TOP:]


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
async def test_after_a_round_everybody_sees_who_took_which_row_in_all_its_calls(size: str) -> None:
    lines = await drawn(scene_of_match(match_of(3, (*CLASH, (1, 7), (2, 2))), 0), SIZES[size])
    assert lines[0].endswith("A● 6✓  B■ 7✓  C▲ 2✓")
    marks = [line[1:6].strip() for line in lines[TOP:]]
    assert [mark for mark in marks if "✓" in mark] == ["C▲✓", "A●✓", "B■✓"]


async def test_when_the_match_is_over_the_rows_of_the_last_round_show_who_took_them() -> None:
    match = match_of(4)
    rounds(match, 9)
    assert match.is_over
    lines = await drawn(scene_of_match(match, 0), SIZES["80x24"])
    assert [f"taken by {name}" in lines[TOP + 2 * seat] for seat, name in enumerate(match.seats)] == [
        True
    ] * 4


async def test_a_sentence_too_long_for_its_line_ends_in_an_ellipsis() -> None:
    names = ("Bartholomäus Langnam", "Sarah")
    match = Match(game("ku_ka_king"), {}, names, SEED)
    match.play(0, 1)
    match.play(1, 2)
    for ascii_only, sign in ((False, "…"), (True, "~")):
        line = (await drawn(scene_of_match(match, 0), SIZES["80x24"], ascii_only=ascii_only))[1]
        assert line.startswith(" Bartholomäus Langnam takes row 1: ")
        assert len(line) == SIZES["80x24"][0]
        assert line.endswith(sign)


async def test_the_first_scoring_is_told_with_what_everybody_got() -> None:
    match = match_of(4)
    rounds(match, 5)
    shown = "\n".join(await drawn(scene_of_match(match, 0), SIZES["80x24"]))
    got = [sum(row[seat] for row in match.view(None).observed(Observation).sheet[:6]) for seat in range(4)]
    assert "First scoring:  A● {}  B■ {}  C▲ {}  D◆ {}".format(*got) in shown
    assert "with a red cross go back into the box" in shown


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("rows", [6, 7, 8])
def test_all_rows_fit_on_the_board(size: str, rows: int) -> None:
    width, height = SIZES[size]
    layout = layout_for(width, height, rows)
    assert layout.bottom <= height
    assert layout.left + 2 * layout.inner + layout.outer == width - 1
    for row in range(1, rows + 1):
        assert layout.row_at(layout.top_of(row)) == row
        assert layout.row_at(layout.top_of(row) + layout.pitch - 1) == row
