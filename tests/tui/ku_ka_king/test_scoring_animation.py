"""What is shown between two scenes, told in sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

import pytest
from rich.segment import Segment
from rich.style import Style

from kk_core.games.ku_ka_king.model import (
    CARDS,
    FARMER,
    FARMERS_WIFE,
    FARMHOUSE,
    LINES,
    Observation,
    with_cards,
)
from kk_core.match import Match
from kk_core.types import Move, Seat, Viewer
from kk_tui.games.ku_ka_king.picture import Crack, Moment, Painter, RowLook, layout_for
from kk_tui.games.ku_ka_king.scoring_animation import cards_of, scoring_animation
from kk_tui.scene import Scene
from kk_tui.scoring_animation import Step
from tests.tui.conftest import at_rest
from tests.tui.ku_ka_king.scenes import match_of, rounds
from tests.tui.scenes import Page, lines_of, scene_of_match

Calls = Iterable[tuple[Seat, Move]]


def between(match: Match, calls: Calls, viewer: Viewer = 0) -> tuple[Scene[Observation], list[Step]]:
    """The scene before some calls, and the scoring animation after them."""
    before = scene_of_match(match, viewer)
    for seat, row in calls:
        match.play(seat, row)
    return before, list(scoring_animation(before, scene_of_match(match, viewer)))


def said(steps: Iterable[Step]) -> list[str]:
    return [str(step.says) for step in steps]


def rows_of(step: Step) -> tuple[RowLook, ...]:
    assert isinstance(step.mark, Moment)
    return step.mark.rows


def test_a_call_that_is_not_the_last_one_shows_nothing() -> None:
    assert between(match_of(3), [(0, 6), (1, 2)])[1] == []


def test_the_example_of_the_rules_is_told_in_order() -> None:
    _, steps = between(match_of(3), [(0, 6), (1, 2), (2, 2)])
    assert said(steps) == [
        "Ku ...",
        "Ka ...",
        "King!",
        "King! Tim 6, Sarah 2, Linus 2.",
        *["CLASH in row 2, Sarah and Linus. Into the box: 3 points."] * 4,
        "Tim takes row 6: church, knight, knight.",
    ]
    assert [str(step.banner.letters) for step in steps if step.banner] == ["KU", "KA", "KING!", "CLASH"]


def test_during_the_beats_nothing_tells_what_was_called() -> None:
    beats = [between(match_of(3), [(0, row), (1, 2), (2, 3)])[1][:3] for row in (1, 6)]
    assert [step.mark for step in beats[0]] == [step.mark for step in beats[1]]
    assert not any(look.callers for step in beats[0] for look in rows_of(step))


def test_every_caller_stands_at_the_row_he_called() -> None:
    _, steps = between(match_of(3), [(0, 6), (1, 2), (2, 2)])
    called = {look.row: look.callers for look in rows_of(steps[3]) if look.callers}
    assert called == {6: ((0, "Tim"),), 2: ((1, "Sarah"), (2, "Linus"))}
    assert all(look.loud for look in rows_of(steps[3]) if look.callers)


@pytest.mark.parametrize("size", [(56, 21), (84, 37)])
def test_the_number_of_a_row_that_clashed_is_on_no_colour_of_a_seat_nor_on_one_like_it(
    size: tuple[int, int],
) -> None:
    def ink(colour: str | None, on: str | None = None, *, bold: bool = False) -> Style:
        return Style(link=on, bold=bold)

    before, steps = between(match_of(3), [(0, 6), (1, 2), (2, 2)])
    layout = layout_for(*size, 8)
    painter = Painter(layout, Page(before).glyphs, ink, before.observation)
    grounds = []
    for row in (2, 6):
        line = painter.row(rows_of(steps[5])[row - 1])[0]
        number = Segment.adjust_line_length(line, layout.left)
        grounds.append({segment.style.link for segment in number[1:] if segment.style is not None})
    assert grounds == [{"cursor"}, {"seat-0"}]


def test_only_the_outermost_card_of_a_row_that_clashed_breaks_and_is_gone_afterwards() -> None:
    before, steps = between(match_of(3), [(0, 6), (1, 2), (2, 2)])
    cracks = [{look.row: look.crack for look in rows_of(step)} for step in steps]
    assert [crack[2] for crack in cracks] == [
        *[Crack.WHOLE] * 5, Crack.CRACKED, Crack.FALLING, Crack.IN_PIECES, Crack.WHOLE,
    ]  # fmt: skip
    assert all(crack[row] is Crack.WHOLE for crack in cracks for row in (1, 3, 4, 5, 6, 7))
    last = rows_of(steps[-1])[1]
    assert last.cards == before.observation.rows[1][:-1]
    assert last.lost == before.observation.rows[1][-1]


@pytest.mark.parametrize("size", [(56, 21), (84, 37), (144, 57)])
@pytest.mark.parametrize("ascii_only", [False, True])
async def test_a_clash_is_named_on_its_row_with_those_who_clashed_beside_the_card_that_falls(
    size: tuple[int, int], ascii_only: bool
) -> None:
    before, steps = between(match_of(3), [(0, 6), (1, 2), (2, 2)])
    page = Page(before, ascii_only=ascii_only)
    async with page.run_test(size=size) as pilot:
        drawn = []
        for step in steps[5:8]:
            page.board.highlight(step.mark)
            await at_rest(pilot)
            row, lines = page.board.region_of(2), lines_of(page)
            drawn.append([lines[y][row.x : row.right] for y in row.line_range])
        names = "B# Sarah, C^ Linus" if ascii_only else "B■ Sarah, C▲ Linus"
        assert all(any(names in line for line in lines) for lines in drawn)
        is_large = not ascii_only and size == (144, 57)
        assert all(any("CLASH" in line for line in lines) is not is_large for lines in drawn)
        outer = page.board.painter.layout.outer
        whole, falling, _pieces = ([line.ljust(row.width)[-outer:-1] for line in lines] for lines in drawn)
        down = page.board.painter.layout.full // 2
        assert not any(line.strip() for line in falling[:down])
        assert falling[down:] == whole[: len(falling) - down]


def test_cards_go_to_their_owner_with_the_points_they_bring() -> None:
    match = match_of(4)
    rounds(match, 2)
    before, steps = between(match, [(0, 5), (1, 6), (2, 7), (3, 8)])
    after = scene_of_match(match, 0).observation
    taken = {look.taker.seat: look.taker for look in rows_of(steps[-1]) if look.taker}
    for seat in range(4):
        assert taken[seat].points == after.points[seat] - before.observation.points[seat]
        assert taken[seat].cards == before.observation.rows[4 + seat]


def test_the_rows_are_not_filled_before_everybody_has_seen_what_was_taken() -> None:
    before, steps = between(match_of(2), [(0, 1), (1, 2)])
    assert steps[-1].seconds == 2
    assert [look.cards for look in rows_of(steps[-1])] == [b"", b"", *before.observation.rows[2:]]


def test_who_took_a_row_before_in_the_round_keeps_it_in_the_next_reveal() -> None:
    match = match_of(3)
    for seat, row in ((0, 6), (1, 2), (2, 2)):
        match.play(seat, row)
    _, steps = between(match, [(1, 7), (2, 2)])
    assert said(steps)[-1] == "Sarah takes row 7, Linus takes row 2."
    assert rows_of(steps[0])[5].taker is not None


def test_of_many_reveals_only_the_last_two_are_shown() -> None:
    match = match_of(2)
    calls = [(seat, row) for _ in range(3) for seat, row in ((0, 1), (1, 2))]
    _, steps = between(match, calls)
    assert said(steps).count("Ku ...") == 2


def test_every_card_that_is_counted_shows_what_it_is_and_those_of_a_trio_are_side_by_side() -> None:
    match = match_of(4)
    rounds(match, 4)
    _, steps = between(match, [(seat, seat + 1) for seat in range(4)])
    bars = next(step.scoring for step in steps if step.scoring).bars
    for bar in bars:
        assert tuple(map(len, bar.things)) == bar.counts
    pair = bytes(2 * (card in (FARMER, FARMERS_WIFE)) + (card == FARMHOUSE) for card in range(len(CARDS)))
    assert cards_of(pair, "farm") == [FARMER, FARMERS_WIFE, FARMHOUSE, FARMER, FARMERS_WIFE]
    assert cards_of(pair, "kings") == []


@pytest.mark.parametrize("viewer", [0, None])
@pytest.mark.parametrize("seats", [2, 4])
def test_between_two_reveals_rows_and_collections_are_shown_as_they_were_then(
    seats: int, viewer: Viewer
) -> None:
    match, seen = match_of(seats), set[tuple[int, bool]]()
    names = "rows", "collections", "round", "pile", "box", "second_pass", "last_round"
    while not match.is_over:
        before = scene_of_match(match, viewer)
        reveal(match)
        if match.is_over:
            break
        then = scene_of_match(match, viewer).observation
        reveal(match)
        after = scene_of_match(match, viewer)
        steps = scoring_animation(before, after)
        second = [n for n, step in enumerate(steps) if str(step.says) == "Ku ..."][1]
        if then.second_pass == before.observation.second_pass:
            shown = steps[second].scene.observation
            assert [getattr(shown, name) for name in names] == [getattr(then, name) for name in names]
            seen.add((then.round - before.observation.round, then.last_round))
        # what each of them has brought is not known
        last = next(step for step in steps[second:] if " row " in str(step.says) or step.seconds == 2)
        has_gained = then.collections != before.observation.collections
        assert not has_gained or not any(look.taker and look.taker.points for look in rows_of(last))
    assert {(0, False), (1, False)} <= seen


def reveal(match: Match) -> None:
    """One reveal, in which the first two seats clash now and then."""
    turn, state = match.game.turn(match.state), match.state
    active = match.game.active_seats(state)
    for number, seat in enumerate(active):
        rows = match.game.legal_moves(match.state, seat)
        clash = turn % 3 == 0 and number < 2
        match.play(seat, rows[0] if clash else rows[min(number, len(rows) - 1)])


def test_the_first_scoring_is_counted_line_by_line_up_to_the_points_of_the_sheet() -> None:
    match = match_of(4)
    rounds(match, 4)
    _, steps = between(match, [(seat, seat + 1) for seat in range(4)])
    view = scene_of_match(match, 0).observation
    scorings = [step.scoring for step in steps if step.scoring]
    assert [scoring.counted for scoring in scorings] == [1, 2, 3, 4, 5, 6, 6]
    assert [bar.points for bar in scorings[-1].bars] == list(view.sheet[: len(LINES)])
    assert scorings[-1].totals == tuple(map(sum, zip(*view.sheet[: len(LINES)], strict=True)))
    assert "cards with a cross go into the box." in said(steps)[-1]
    for bar, line in zip(scorings[-1].bars, view.sheet, strict=False):
        assert all(count for count, points in zip(bar.counts, line, strict=True) if points)


def test_during_the_first_scoring_the_collections_are_whole_until_the_cards_go_back() -> None:
    match = match_of(4)
    rounds(match, 4)
    before, steps = between(match, [(seat, seat + 1) for seat in range(4)])
    view = before.observation
    whole = tuple(with_cards(*both) for both in zip(view.collections, view.rows[:4], strict=True))
    scoring = [step for step in steps if step.scoring]
    moments = [step.mark for step in scoring if isinstance(step.mark, Moment)]
    assert [moment.collections for moment in moments] == [whole] * (len(scoring) - 1) + [None]
    assert scoring[-1].scene.observation.collections != whole


async def test_the_collections_under_the_rows_are_those_of_the_moment() -> None:
    match = match_of(4)
    rounds(match, 4)
    _, steps = between(match, [(seat, seat + 1) for seat in range(4)])
    first, *_rest, last = [step for step in steps if step.scoring]
    shown = []
    for step in (first, last):
        page = Page(step.scene)
        async with page.run_test(size=(144, 57)) as pilot:
            page.board.highlight(step.mark)
            await at_rest(pilot)
            shown.append("\n".join(lines_of(page)[layout_for(144, 57, 8).bottom :]))
    counts = [sum(int(n) for n in re.findall(r"×(\d+)", words)) for words in shown]
    held = [sum(map(sum, step.scene.observation.collections)) for step in (first, last)]
    assert counts[1] == held[1] < counts[0]


def test_after_the_last_round_the_final_scoring_leads_to_the_totals_of_the_result() -> None:
    match = match_of(4)
    rounds(match, 8)
    _, steps = between(match, [(seat, seat + 1) for seat in range(4)])
    assert match.is_over
    scoring = steps[-1].scoring
    assert scoring is not None
    assert scoring.totals == scene_of_match(match, 0).observation.points


@pytest.mark.parametrize("viewer", [0, 2, None])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_reveal_of_a_match_has_a_scoring_animation_for_every_viewer(seats: int, viewer: Viewer) -> None:
    viewer = viewer if viewer is None or viewer < seats else None
    match = match_of(seats)
    scenes = [scene_of_match(match, viewer)]
    while not match.is_over:
        # all but the last one call the same row as the last but one, so that there are clashes
        for seat in match.game.active_seats(match.state):
            rows = match.game.legal_moves(match.state, seat)
            match.play(seat, rows[min(seat, len(rows) - 1) if len(match.plies) % 3 else 0])
        scenes.append(scene_of_match(match, viewer))
    for before, after in pairwise(scenes):
        steps = scoring_animation(before, after)
        assert steps[0].banner is not None
        assert all(step.seconds <= 4 and str(step.says) for step in steps)


def test_every_line_of_a_scoring_says_what_its_cards_give() -> None:
    match = match_of(4)
    rounds(match, 4)
    _, steps = between(match, [(seat, seat + 1) for seat in range(4)])
    told = [str(step.says) for step in steps if step.scoring]
    scale = scene_of_match(match, 0).observation.printed.scale
    assert told[0] == f"1, 2, 3 ... kings give {', '.join(map(str, scale.kings[1:]))}."
    assert told[1].startswith(f"Churches: {scale.churches} ")
    assert len(set(told)) == len(told)
