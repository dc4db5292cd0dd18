"""What is seen moving in a step of the card game, and what is announced."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from kk_core.games.land_cards.model import COLUMNS, FREE, STONE
from kk_core.games.land_cards.state import State
from kk_core.views import LogEntry
from kk_tui.games.land_cards.face import FACE
from kk_tui.games.land_cards.motion import Moving
from kk_tui.theme.glyphs import Glyphs
from kk_tui.widgets.motion import MOST, Away, Middle, MotionFrame, Name, Thing
from tests.core.land_cards.positions import RULES, position
from tests.tui.conftest import at_rest
from tests.tui.land_cards.scenes import move, scene_of
from tests.tui.scenes import Page

GLYPHS = Glyphs(ascii_only=True, more=[FACE.glyphs])
EYES = (None, 0, 1, 2)


def played(state: State, *lines: str) -> tuple[State, State, LogEntry]:
    """The position before the last of some moves and after it, and its ply."""
    before, seat, made = state, 0, 0
    for line in lines:
        before, seat, made = state, RULES.active_seats(state)[0], move(line)
        state = RULES.apply(state, seat, made)
    return before, state, LogEntry(seat, made, RULES.events(state))


def frames_of(state: State, *lines: str, viewer: int | None = None) -> Sequence[MotionFrame]:
    """What is seen moving in the last of some moves."""
    before, after, entry = played(state, *lines)
    return FACE.motion(scene_of(before, viewer=viewer), scene_of(after, entry, viewer=viewer), GLYPHS)


def lying(frames: Sequence[MotionFrame], cell: int) -> list[int | None]:
    """What is drawn as lying on a card, frame by frame; None where it is drawn as it is."""
    marks = [frame.mark for frame in frames]
    looks = [mark.looks.get(cell) if isinstance(mark, Moving) else None for mark in marks]
    return [None if look is None else look.lies for look in looks]


def ways(frames: Sequence[MotionFrame]) -> list[list[tuple[str, object, object]]]:
    """The words on their way, frame by frame."""
    return [[(chip.words.plain.strip(), chip.start, chip.end) for chip in frame.chips] for frame in frames]


def test_a_card_that_is_taken_is_lifted_and_goes_to_its_taker_whose_name_lights_up() -> None:
    frames = frames_of(position("FrK+s UnA/BaL/ItT/DäK"), "take 1 1")
    assert lying(frames, 0) == [FREE, None, None]
    assert ways(frames) == [[], *[[("FRA +~", Thing(0), Name(0))]] * 2]
    assert [chip.share for frame in frames for chip in frame.chips] == [0.5, 1.0]
    assert [[(lit.seat, lit.words.plain) for lit in frame.lit] for frame in frames][-1] == [(0, "+  FRA +~ ")]


def test_the_stone_on_a_card_that_is_taken_goes_back_to_its_owner() -> None:
    frames = frames_of(position("FrK@B UnA/BaL/ItT/DäK"), "take 1 1")
    assert lying(frames, 0) == [STONE + 1, None, None]
    assert ways(frames)[1] == [("FRA +", Thing(0), Name(0)), ("B#", Thing(0), Name(1))]
    assert [lit.seat for lit in frames[-1].lit] == [0, 1]


def test_a_stone_comes_from_its_owner_and_hits_the_card() -> None:
    frames = frames_of(position("FrK UnA/BaL/ItT/DäK"), "take 1 1", "end", "place 3 1")
    cell = 2 * COLUMNS
    assert lying(frames, cell) == [FREE, FREE, None]
    assert ways(frames) == [*[[("Ao", Name(0), Thing(cell))]] * 2, []]
    marks = [frame.mark for frame in frames]
    assert [isinstance(mark, Moving) and list(mark.frames) for mark in marks] == [[], [], [cell]]


def test_a_stone_that_is_moved_comes_from_its_card() -> None:
    stones = "FrK UnA@A BaL@A/BaLA@A ItT/ItTT/DäK"
    frames = frames_of(position(stones), "take 1 1", "end", "move 1 2 3 1")
    assert lying(frames, 1) == [STONE, None, None]
    assert ways(frames)[0] == [("Ao", Thing(1), Thing(2 * COLUMNS))]


def test_a_stone_that_is_given_up_is_thrown_out_from_where_it_lies() -> None:
    frames = frames_of(position("FrK@B UnA/BaL@A ItT/ItTT/DäK"), "take 1 1", "give 2 1")
    assert lying(frames, COLUMNS) == [STONE, None, None]
    assert ways(frames)[1:] == [[("Ao", Thing(COLUMNS), Away())]] * 2
    supply = frames_of(position("FrK@B UnA/BaL ItT/ItTT/DäK"), "take 1 1", "give supply")
    assert [frame.lit[0].words.plain for frame in supply] == ["gives up a stone"] * MOST


def test_a_law_comes_from_its_player_into_the_middle() -> None:
    frames = frames_of(position("FrK UnA/BaL/ItT/DäK", hands="A:3"), "law three_symbols")
    assert ways(frames) == [[("& Up to 3 symbols", Name(0), Middle())]] * MOST


def test_who_has_to_skip_is_lit() -> None:
    # Beate has no stone left to pay for a card of the others
    state = position("FrK UnA@C/", gone="BBB")
    frames = frames_of(state, "take 1 1", "end", "pass")
    assert [(lit.seat, lit.words.plain) for lit in frames[0].lit] == [(1, "skips")]


@pytest.mark.parametrize("line", ["end", "pass"])
def test_what_changes_nothing_on_the_table_moves_nothing(line: str) -> None:
    lines = ["take 1 1", "end", "pass"]
    assert not frames_of(position("FrK UnA/BaL/ItT/DäK"), *lines[: lines.index(line) + 1])


def test_of_several_steps_at_once_nothing_is_seen_moving() -> None:
    state = position("FrK UnA/BaL/ItT/DäK")
    _before, middle, first = played(state, "take 1 1")
    _before, after, second = played(middle, "end")
    assert not FACE.motion(scene_of(state, viewer=1), scene_of(after, first, second, viewer=1), GLYPHS)


def test_the_law_card_under_a_card_is_not_told() -> None:
    state = position("FrK*m UnA/BaL/ItT/DäK")
    for viewer in EYES:
        told = str([(frame.chips, frame.lit) for frame in frames_of(state, "take 1 1", viewer=viewer)])
        assert "-2" not in told


def test_the_last_row_is_announced_once() -> None:
    state = position("FrK/BaL ItT UnA")
    before, after, entry = played(state, "take 1 1")
    said = FACE.announcements(scene_of(before, viewer=1), scene_of(after, entry, viewer=1))
    assert [str(words) for words in said] == ["Last row: 3 cards left."]
    _before, later, ply = played(after, "end")
    assert not FACE.announcements(scene_of(after, entry, viewer=1), scene_of(later, entry, ply, viewer=1))


async def test_the_board_shows_each_frame_and_then_what_is_there() -> None:
    before, after, entry = played(position("FrK@B UnA/BaL/ItT/DäK"), "take 1 1")
    scene = scene_of(after, entry, viewer=0)
    page = Page(scene)
    async with page.run_test(size=(57, 21)) as pilot:
        await at_rest(pilot)

        def drawn() -> tuple[object, object]:
            return [page.board.render_line(y) for y in range(17)], page.board._over

        rest, pictures = drawn(), []
        for frame in FACE.motion(scene_of(before, viewer=0), scene, page.glyphs):
            page.board.play(frame, {0: 1, 1: 3})
            await at_rest(pilot)
            pictures.append(drawn())
        page.board.play(None, {})
        await at_rest(pilot)
        assert all(picture != rest for picture in pictures)
        assert drawn() == rest
