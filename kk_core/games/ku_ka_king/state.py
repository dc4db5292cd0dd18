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

    A value like any other, but that `moves` works on a copy of its own until the step is done.

    `pile` has the next card first; `box` the cards in the order in which they went there, of which the first
    `unseen` were put there unseen, or shuffled. `affected` and `waiting` are sets of seats (bit 1 << seat):
    who takes part in the running choice, and who of them has not called yet. `open_rows` are the rows that
    may be called, `taken` the set of rows (bit 1 << row) taken in this round. `turn` counts the choices,
    `first` is the first scoring, empty until it was held. `position` words of the chance stream of `seed`
    are used.
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
"""The seats of every set of seats."""

_ROW_NUMBERS: Final = range(1, MAX_ROWS + 1)


def open_rows(rows: Sequence[bytes]) -> tuple[Move, ...]:
    """Return the rows that have cards; one that was taken in this round has none until it is filled."""
    return tuple(compress(_ROW_NUMBERS, rows))
