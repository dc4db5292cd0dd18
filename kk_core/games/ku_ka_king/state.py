"""The full truth of a match of Ku-Ka-King."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import Final

import msgspec

from kk_core.games.ku_ka_king.model import MAX_ROWS, META
from kk_core.games.ku_ka_king.scoring import Lines
from kk_core.types import Event, Move, Seat


class State(msgspec.Struct, array_like=True, gc=False):
    """A match between two steps; cards, collections and moves as in the model.

    Treat it as immutable; it is not frozen only because `rules` changes private copies during a step.

    `pile` has the next card first; `box` has its cards in the order in which they came, the first `unseen` of
    them unseen or shuffled. `affected` and `waiting` are sets of seats (bit 1 << seat): those in the current
    choice, and those of them that have not called. `open_rows` are the rows that may be called, `taken` the
    set of rows (bit 1 << row) taken in this round. `turn` counts the choices, `first` is the first scoring,
    empty until it is held. `position` is the number of used words of the chance stream of `seed`.
    """

    rows: tuple[bytes, ...]
    pile: bytes
    box: bytes
    unseen: int
    collections: tuple[bytes, ...]
    affected: int
    waiting: int
    calls: bytes
    open_rows: tuple[Move, ...]
    taken: int
    round: int
    turn: int
    first: Lines
    last_round: bool
    seed: bytes
    position: int
    events: tuple[Event, ...] = ()


_MAX_SEATS: Final = META.max_seats

SEATS_OF: Final[tuple[tuple[Seat, ...], ...]] = tuple(
    tuple(seat for seat in range(_MAX_SEATS) if seats >> seat & 1) for seats in range(1 << _MAX_SEATS)
)
"""The seats in every set of seats (bit 1 << seat)."""

_ROW_NUMBERS: Final = range(1, MAX_ROWS + 1)


def open_rows(rows: Sequence[bytes]) -> tuple[Move, ...]:
    """Return the rows that have cards, and so have not been taken in this round."""
    return tuple(compress(_ROW_NUMBERS, rows))
