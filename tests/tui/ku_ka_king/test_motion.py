"""What is seen moving after a reveal, and what is announced."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest

from kk_core.match import Match
from kk_core.types import Move, Seat, Viewer
from kk_tui.games.ku_ka_king.face import FACE
from kk_tui.games.ku_ka_king.motion import Waiting
from kk_tui.games.ku_ka_king.picture import Moment
from kk_tui.games.ku_ka_king.scoring_animation import scoring_animation
from kk_tui.theme.glyphs import Glyphs
from kk_tui.widgets.motion import MotionFrame, Name, Thing
from tests.tui.conftest import at_rest
from tests.tui.ku_ka_king.scenes import match_of, rounds
from tests.tui.scenes import Page, scene_of_match

GLYPHS = Glyphs(ascii_only=True, more=[FACE.glyphs])


def after_calls(
    match: Match, calls: Iterable[tuple[Seat, Move]], viewer: Viewer = 0
) -> Sequence[MotionFrame]:
    """What is seen moving after some calls."""
    before = scene_of_match(match, viewer)
    for seat, row in calls:
        match.play(seat, row)
    return FACE.motion(before, scene_of_match(match, viewer), GLYPHS)


def waiting(frames: Sequence[MotionFrame]) -> list[list[Move]]:
    """The rows that are not filled up yet, frame by frame."""
    marks = [frame.mark for frame in frames]
    return [sorted(mark.rows) if isinstance(mark, Waiting) else [] for mark in marks]


def test_a_call_that_is_not_the_last_one_moves_nothing() -> None:
    assert not after_calls(match_of(3), [(0, 6), (1, 2)])


def test_cards_go_from_their_row_to_their_taker_whose_name_lights_up() -> None:
    frames = after_calls(match_of(3), [(0, 6), (1, 2), (2, 2)])
    assert [[(chip.start, chip.end) for chip in frame.chips] for frame in frames] == [
        [(Thing(6), Name(0))], [(Thing(6), Name(0))], [],
    ]  # fmt: skip
    assert [[lit.seat for lit in frame.lit] for frame in frames] == [[], [0], [0]]
    assert frames[0].chips[0].words == frames[1].lit[0].words, "the cards by their signs"
    assert waiting(frames) == [[], [], []], "the round goes on"


def test_rows_are_filled_up_one_half_after_the_other() -> None:
    frames = after_calls(match_of(3), [(0, 6), (1, 2), (2, 4)])
    assert waiting(frames) == [[2, 4, 6], [6], []]


def test_until_it_is_filled_up_a_row_looks_as_the_reveal_has_left_it() -> None:
    match = match_of(3)
    before = scene_of_match(match, 0)
    for seat, row in ((0, 6), (1, 2), (2, 4)):
        match.play(seat, row)
    after = scene_of_match(match, 0)
    last = scoring_animation(before, after)[-1].mark
    assert isinstance(last, Moment)
    mark = FACE.motion(before, after, GLYPHS)[0].mark
    assert isinstance(mark, Waiting)
    assert mark.rows == {row: last.rows[row - 1] for row in (2, 4, 6)}


def test_after_a_scoring_no_cards_fly_since_some_have_gone_back() -> None:
    match = match_of(4)
    rounds(match, 4)
    frames = after_calls(match, [(0, 5), (1, 6), (2, 7), (3, 8)])
    assert scene_of_match(match, 0).observation.second_pass
    assert not any(frame.chips or frame.lit for frame in frames)
    assert waiting(frames)[0] == [5, 6, 7, 8]


@pytest.mark.parametrize("viewer", [None, 0, 1, 2])
def test_everybody_sees_the_same_moving(viewer: Viewer) -> None:
    calls = [(0, 6), (1, 2), (2, 2)]
    seen = [(frame.chips, frame.lit) for frame in after_calls(match_of(3), calls, viewer)]
    assert seen == [(frame.chips, frame.lit) for frame in after_calls(match_of(3), calls, 0)]


@pytest.mark.parametrize("size", [(56, 21), (84, 37)])
async def test_the_board_shows_each_frame_and_then_what_is_there(size: tuple[int, int]) -> None:
    match = match_of(3)
    before = scene_of_match(match, 0)
    for seat, row in ((0, 6), (1, 2), (2, 4)):
        match.play(seat, row)
    page = Page(scene_of_match(match, 0))
    async with page.run_test(size=size) as pilot:
        await at_rest(pilot)
        board, pictures = page.board, []
        rest = board._looks
        for frame in FACE.motion(before, page.shown, page.glyphs):
            board.play(frame, {0: 1, 1: 3, 2: 5})
            await at_rest(pilot)
            pictures.append((board._looks, board._over))
        assert [looks == rest for looks, _over in pictures] == [False, False, True]
        assert [bool(over) for _looks, over in pictures] == [True, True, False]
        board.play(None, {})
        await at_rest(pilot)
        assert (board._looks, board._over) == (rest, [])
