"""How every row looks: a pure value, made from a scene or by a ceremony."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from kk_core.games.ku_ka_king.model import NO_CALL, Observation
from kk_core.types import Move, Seat
from kk_tui.games.ku_ka_king.detail import Line, brought, calls_line
from kk_tui.games.ku_ka_king.reveal import Reveal, takers
from kk_tui.table.scene import Scene
from kk_tui.theme.glyphs import Glyphs


class Crack(IntEnum):
    """How far the outermost card of a row is broken."""

    WHOLE, CRACKED, IN_PIECES = range(3)


@dataclass(frozen=True, slots=True)
class Taker:
    """Who has taken a row: seat, name, the cards, and how many points that brought, if that is to be told."""

    seat: Seat
    name: str
    cards: bytes
    points: int | None = None


@dataclass(frozen=True, slots=True)
class RowLook:
    """All that decides how a row is drawn.

    `bright` rows can be called by whoever has still to call, so that a call changes nothing but signs; of a
    row that the viewer has called, his seat is `own`. A click calls the one that is `hovered`. `callers`
    have called it in a reveal that is being shown, by seat and name, `clashed` when in vain; `lost` is the
    card that it cost. With `loud` the callers are told large. `taker` has taken the row in this round.
    """

    row: Move
    cards: bytes
    bright: bool
    cursor: bool = False
    hovered: bool = False
    own: Seat | None = None
    callers: tuple[tuple[Seat, str], ...] = ()
    clashed: bool = False
    loud: bool = False
    crack: Crack = Crack.WHOLE
    lost: int | None = None
    taker: Taker | None = None


@dataclass(frozen=True)
class Moment:
    """What a ceremony shows for a moment: the rows, and the reveal that the head tells of, if it is over.

    `collections` are those under the rows, where they are not the scene's.
    """

    rows: tuple[RowLook, ...]
    reveal: Reveal | None = None
    collections: tuple[bytes, ...] | None = None

    def head(self, glyphs: Glyphs, width: int) -> list[Line]:
        """The lines over the rows."""
        return (
            []
            if self.reveal is None
            else [calls_line(self.reveal, glyphs), brought(self.reveal, glyphs, width)]
        )


def looks(
    scene: Scene[Observation], reveal: Reveal | None, cursor: Move | None, hovered: Move | None = None
) -> tuple[RowLook, ...]:
    """How every row looks: whether it is open, who has taken it, whether it is the one under the mouse.

    The cursor is seen only by who may call: to others, in the past or in a replay, it looked like a call.

    Who called a row in the last reveal is told over the rows alone: on them it looked like a new call.
    """
    view = scene.observation
    taken = takers(scene)
    own = scene.viewer if view.own_call != NO_CALL else None
    ended = reveal is not None and reveal.ended_round
    found = []
    for row, cards in enumerate(view.rows, start=1):
        clash = reveal.clashed.get(row) if reveal else None
        took = taken.get(row) if row in view.taken else None
        found.append(
            RowLook(
                row=row,
                cards=cards,
                bright=bool(cards) and row not in view.taken and not scene.is_over,
                cursor=row == cursor and scene.may_act,
                hovered=row == hovered and row in scene.legal,
                own=own if row == view.own_call else None,
                clashed=clash is not None and not ended,
                lost=clash[1] if clash and not ended else None,
                taker=Taker(took.seat, scene.name(took.seat), took.cards) if took else None,
            )
        )
    return tuple(found)
