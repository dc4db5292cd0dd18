"""What is seen moving in a step of the board game, and what is announced."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from random import Random
from typing import NamedTuple

import pytest

from kk_core.games.web_of_power.model import (
    CLOISTER_OF,
    FREE,
    DrawFaceUp,
    DrawFromPile,
    EndPlacing,
    Exchange,
    Observation,
    PlaceAdvisor,
    PlaceCloister,
    read,
)
from kk_core.types import Seat, Viewer
from kk_tui.games.web_of_power.choices import CREST
from kk_tui.games.web_of_power.face import FACE
from kk_tui.games.web_of_power.mapview import holders
from kk_tui.games.web_of_power.panels import chip
from kk_tui.games.web_of_power.picture import PARTS, Marks, Painter, Rising, painter_for
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs
from kk_tui.widgets.motion import MOST, MotionFrame, Name, Thing
from tests.tui.conftest import at_rest
from tests.tui.scenes import Page, match_of, scene_of_match

GLYPHS = Glyphs(ascii_only=True, more=[FACE.glyphs])
EYES: tuple[Viewer, ...] = (None, 0, 1, 2)


class Seen(NamedTuple):
    """A ply of a match as somebody sees it."""

    seat: Seat
    move: object
    before: Scene[Observation]
    after: Scene[Observation]

    @property
    def frames(self) -> Sequence[MotionFrame]:
        return FACE.motion(self.before, self.after, GLYPHS)


@cache
def match_seen_by(viewer: Viewer) -> Sequence[Seen]:
    """Every ply of a random match."""
    match, chance, found = match_of("web_of_power", 3), Random(1), list[Seen]()
    before = scene_of_match(match, viewer)
    while active := match.game.active_seats(match.state):
        move = chance.choice(match.game.legal_moves(match.state, active[0]))
        match.play(active[0], move)
        after = scene_of_match(match, viewer)
        found.append(Seen(active[0], read(after.observation.printed, move), before, after))
        before = after
    return found


def plies(*kinds: type) -> Iterator[Seen]:
    return (seen for seen in match_seen_by(None) if isinstance(seen.move, kinds))


def rising(frames: Sequence[MotionFrame]) -> list[Rising]:
    return [frame.mark for frame in frames if isinstance(frame.mark, Rising)]


def test_a_piece_rises_part_by_part_where_it_is_placed() -> None:
    for seen in plies(PlaceCloister, PlaceAdvisor):
        target = seen.move.space if isinstance(seen.move, PlaceCloister) else CREST + seen.move.country  # type: ignore[attr-defined]
        marks = rising(seen.frames)
        assert [mark.parts for mark in marks] == [*range(PARTS + 1)]
        assert {(mark.target, mark.seat) for mark in marks} == {(target, seen.seat)}


def test_the_cards_that_pay_come_from_their_player_to_the_place() -> None:
    for seen in plies(PlaceCloister):
        chips = [[(chip.start, chip.end) for chip in frame.chips] for frame in seen.frames]
        assert chips == [[(Name(seen.seat), Thing(seen.move.space))], [], []]  # type: ignore[attr-defined]
        (paid,) = seen.frames[0].chips
        assert len(paid.words.plain.split()) == 1 + (seen.move.payment > 0)  # type: ignore[attr-defined]


def test_an_alliance_that_goes_to_somebody_lights_up_and_so_does_their_name() -> None:
    won = 0
    for seen in plies(PlaceAdvisor):
        were, are = holders(seen.before.standing), holders(seen.after.standing)
        new = {number for number, held in enumerate(are) if held and held != were[number]}
        first, *others = rising(seen.frames)
        assert first.holders == were
        assert not first.won
        assert [mark.won for mark in others] == [new, new]
        gained = {seat for number in new for seat in set(are[number]) - set(were[number])}
        assert {lit.seat for lit in seen.frames[-1].lit} == gained
        won += len(gained)
    assert won


def test_who_draws_is_lit_with_the_card_if_all_have_seen_it() -> None:
    for seen in plies(DrawFromPile, DrawFaceUp, Exchange):
        assert seen.frames == (seen.frames[0],) * MOST
        (lit,) = seen.frames[0].lit
        match seen.move:
            case DrawFromPile():
                said = "+ card from pile"
            case DrawFaceUp(kind):
                said = f"+ {chip(kind).plain}"
            case Exchange(kind):
                said = f"discards {chip(kind).plain}"
        assert (lit.seat, lit.words.plain) == (seen.seat, said)


def test_who_ends_placing_moves_nothing() -> None:
    assert not [seen for seen in plies(EndPlacing) if seen.frames]


@pytest.mark.parametrize("viewer", EYES[1:])
def test_everybody_sees_the_same_moving(viewer: Viewer) -> None:
    for own, theirs in zip(match_seen_by(viewer), match_seen_by(None), strict=True):
        assert own.frames == theirs.frames


def test_the_interim_scoring_and_the_last_round_are_announced_once() -> None:
    every = [FACE.announcements(seen.before, seen.after) for seen in match_seen_by(0)]
    assert [str(words) for said in every for words in said] == [
        "Interim scoring: the cloisters count.",
        "The draw pile has run out again: this is the last round.",
    ]


# -- drawn ---------------------------------------------------------------------------------------------------


def lines(seen: Seen, painter: Painter, mark: Rising | None) -> list[str]:
    marks = Marks(rising=mark, holders=holders(seen.after.standing) if mark is None else mark.holders or ())
    layout = painter.layout
    return [
        "".join(segment.text for segment in painter.line(seen.after.observation, marks, y))
        for y in range(layout.height)
    ]


@pytest.mark.parametrize("size", [(56, 19), (84, 35), (144, 55)])
def test_a_cloister_is_not_there_then_its_walls_and_then_all_of_it(size: tuple[int, int]) -> None:
    seen = next(plies(PlaceCloister))
    space = seen.move.space  # type: ignore[attr-defined]
    assert seen.before.observation.board[space] == FREE
    assert seen.after.observation.board[space] == CLOISTER_OF + seen.seat
    painter = painter_for(seen.after, *size, GLYPHS, lambda *_more, **_bold: None)  # type: ignore[arg-type]
    box = painter.layout.boxes[space]

    def drawn(mark: Rising | None) -> list[str]:
        return [line[box.x : box.x + box.width] for line in lines(seen, painter, mark)][box.y :][: box.height]

    parts = [drawn(mark) for mark in rising(seen.frames)]
    owner = GLYPHS.owner(seen.seat)
    assert [any(owner in line for line in part) for part in parts] == [False, False, True]
    assert parts[0] != parts[1] != parts[2]
    assert parts[2] == drawn(None)


async def test_the_board_shows_each_frame_and_then_what_is_there() -> None:
    seen = next(seen for seen in plies(PlaceAdvisor) if rising(seen.frames)[1].won)
    page = Page(seen.after)
    async with page.run_test(size=(84, 37)) as pilot:
        await at_rest(pilot)
        board, pictures = page.board, []

        def drawn() -> tuple[object, object]:
            return [board.render_line(y) for y in range(37)], list(board._over)

        rest = drawn()
        for frame in FACE.motion(seen.before, seen.after, page.glyphs):
            board.play(frame, {0: 1, 1: 3, 2: 5})
            await at_rest(pilot)
            pictures.append(drawn())
        board.play(None, {})
        await at_rest(pilot)
        assert all(one != other for one, other in zip([rest, *pictures], [*pictures, rest], strict=True))
        assert drawn() == rest
