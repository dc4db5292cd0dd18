"""Moves, events and observations of Noughts and bids: all that a client may know.

The spaces are numbered from 0 to 8, row by row. A board is bytes, one for each space.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

import msgspec

from kk_core.checks import no_such_move
from kk_core.text import text
from kk_core.types import CommonObservation, Event, Meta, Move, Seat

CELLS: Final = 9
SIDE: Final = 3

FREE: Final = 0
"""A space without a mark; with one it is 1 for seat 0, 2 for seat 1."""

COINS: Final = 10
"""All coins; both begin with half of them, and none is ever lost."""

NO_BID: Final = 0
"""Stands where no bid lies; a bid lies there as its coins and one more."""

SHEET: Final = ("lines",)
"""The lines of a score sheet."""

LINES: Final = (
    *(tuple(range(row, row + SIDE)) for row in range(0, CELLS, SIDE)),
    *(tuple(range(column, CELLS, SIDE)) for column in range(SIDE)),
    (0, 4, 8),
    (2, 4, 6),
)
"""The spaces that are in a line with each other."""

# -- moves ---------------------------------------------------------------------------------------------------

BID, PLACE = 0, COINS + 1
"""The first numbers of bids (one for each number of coins) and of placing (one for each space)."""


@dataclass(frozen=True, slots=True)
class Bid:
    """So many coins for the right to place, in secret."""

    coins: int

    @property
    def move(self) -> Move:
        """The number of the move."""
        return BID + self.coins


@dataclass(frozen=True, slots=True)
class Place:
    """The own mark on a free space."""

    space: int

    @property
    def move(self) -> Move:
        """The number of the move."""
        return PLACE + self.space


def read(move: Move) -> Bid | Place:
    """Return the meaning of a move. Raises `InvalidMove` for a number that stands for none."""
    if type(move) is int and BID <= move < PLACE:
        return Bid(move - BID)
    if type(move) is int and PLACE <= move < PLACE + CELLS:
        return Place(move - PLACE)
    raise no_such_move(move)


# -- events --------------------------------------------------------------------------------------------------

OPENED: Final = 0
"""The first number of the event; the others are the particulars, in the order of the class below."""


@dataclass(frozen=True, slots=True)
class Opened:
    """Both bids, one byte of coins per seat, and the seat that pays its bid and places."""

    bids: bytes
    seat: Seat


AnyEvent: TypeAlias = Opened

_EVENTS: Final = (Opened,)


def read_event(event: Event) -> AnyEvent:
    """Return the meaning of an event."""
    kind, *particulars = event
    return _EVENTS[int(kind)](*particulars)  # type: ignore[arg-type]


# -- what is known -------------------------------------------------------------------------------------------


class Printed(msgspec.Struct, frozen=True, array_like=True):
    """The number of coins that each seat begins with."""

    coins: int


class Observation(CommonObservation, frozen=True, array_like=True):
    """A match as one viewer may know it.

    `board` and `coins` are open. `placer` is the seat that has won the bidding and is to place, None while
    bids are made; of equal bids that of `favoured` wins. `turn` counts the biddings and marks so far.
    `own_bid` is the viewer's own, NO_BID where none lies; `opened` are the bids that were turned over last,
    NO_BID before the first time.
    """

    printed: Printed
    board: bytes
    coins: bytes
    placer: Seat | None
    favoured: Seat
    turn: int
    own_bid: int
    opened: bytes


# -- the entry in the lobby ----------------------------------------------------------------------------------

META: Final = Meta(
    id="noughts",
    name=text("Noughts and bids"),
    summary=text("Three in a line wins; who may place is decided by a bid that both make in secret."),
    min_seats=2,
    max_seats=2,
    moves=PLACE + CELLS,
    order=4,
)
