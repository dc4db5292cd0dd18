"""Motion after a reveal of Ku-Ka-King: cards go to their takers, and rows are refilled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from textual.content import Content

from kk_core.games.ku_ka_king.model import (
    AnyEvent,
    Filled,
    FirstScored,
    Observation,
    Taken,
    read_event,
)
from kk_core.types import Move, Seat
from kk_core.views import LogEntry
from kk_tui.games.ku_ka_king.picture import RowLook
from kk_tui.games.ku_ka_king.scoring_animation import left_by_reveal
from kk_tui.games.ku_ka_king.theme import group, group_variable, sign
from kk_tui.scene import Scene
from kk_tui.scoring_animation import since
from kk_tui.theme.glyphs import Glyphs
from kk_tui.widgets.motion import Chip, Lit, MotionFrame, Name, Thing


@dataclass(frozen=True)
class Waiting:
    """Rows that are not refilled yet, as the reveal left them."""

    rows: Mapping[Move, RowLook] = field(default_factory=dict)


def motion(before: Scene[Observation], after: Scene[Observation], glyphs: Glyphs) -> Sequence[MotionFrame]:
    """Return what moves after a single reveal; a call by itself is secret, and moves nothing."""
    entries = [entry for entry in since(before, after) if entry.events]
    return [*_settled(before, after, entries[0], glyphs)] if len(entries) == 1 else ()


def _settled(
    before: Scene[Observation], after: Scene[Observation], entry: LogEntry, glyphs: Glyphs
) -> Iterator[MotionFrame]:
    """Yield cards on their way from the rows to their takers, whose names light up during the refill."""
    events = [*map(read_event, entry.events)]
    has_scored = any(isinstance(event, FirstScored) for event in events)  # after which some are gone
    taken = [event for event in events if isinstance(event, Taken) and not has_scored]
    filled = sorted(_filled(events))
    looks = left_by_reveal(before, after, entry) if filled else ()
    late = filled[(len(filled) + 1) // 2 :]
    waiting = [Waiting({row: looks[row - 1] for row in rows}) for rows in (filled, late, ())]
    going = [(took, _signs(took.cards, took.seat, glyphs)) for took in taken]
    lit = tuple(Lit(took.seat, cards) for took, cards in going)
    for share, mark, shown in ((0.5, waiting[0], ()), (1.0, waiting[1], lit), (None, waiting[2], lit)):
        chips = (
            Chip(cards, Thing(took.row), Name(took.seat), share, took.seat)
            for took, cards in going
            if share is not None
        )
        yield MotionFrame(mark, tuple(chips), shown)


def _filled(events: Sequence[AnyEvent]) -> set[Move]:
    """Return the rows that have got more cards."""
    filled = [event.rows for event in events if isinstance(event, Filled)]
    return {row for added in filled for row, cards in enumerate(added, 1) if cards}


def _signs(cards: bytes, seat: Seat, glyphs: Glyphs) -> Content:
    """Return cards as their signs on their grounds, on the colour of a seat."""
    grounds = (f"bold $ku_ka_king-card-ink on ${group_variable(group(card))}" for card in cards)
    signs = [(f" {sign(card, glyphs)} ", ground) for card, ground in zip(cards, grounds, strict=True)]
    edge = (" ", f"bold $seat-ink on $seat-{seat}")
    return Content.assemble(edge, *signs, edge)
