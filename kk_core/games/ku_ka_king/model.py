"""Moves and observations of Ku-Ka-King: all that a client may know.

A card is a number, the index of its type in `CARDS`; several cards are bytes. A collection is one byte per
type, the count. Rows are counted from 1, as on the number cards. A move is the number of the row called.
"""

from __future__ import annotations

from typing import Final

import msgspec

from kk_core.types import Move, Seat
from kk_core.types import Observation as CommonObservation

CARDS: Final = (
    "sheep",
    "horse",
    "pig",
    "cow",
    "chicken",
    "goose",
    "goat",
    "rabbit",
    "king",
    "knight",
    "church",
    "points2",
    "points3",
    "points4",
    "farmer",
    "farmers_wife",
    "farmhouse",
)
"""The types of cards: the order of collections, and of the cards before they are shuffled."""

ANIMALS: Final = 8
"""The first types are the animals."""

KING, KNIGHT, CHURCH, POINTS2, POINTS3, POINTS4, FARMER, FARMERS_WIFE, FARMHOUSE = range(ANIMALS, len(CARDS))

ROW_CARDS: Final = 3
"""Cards in a full row."""

MAX_ROWS: Final = 8

FIRST_SCORING_AT: Final = 13
"""The first pass ends after the round in which a player reaches this many cards."""

LINES: Final = ("kings", "churches", "points", "knights", "animals", "farm")

SHEET: Final = tuple(f"{scoring}:{line}" for scoring in ("first", "final") for line in LINES)
"""The lines of a score sheet, in the order of scoring."""

NO_CALL: Final = 0
"""Stands where a seat has called no row."""

MOVES_END: Final = MAX_ROWS + 1

# -- events --------------------------------------------------------------------------------------------------

REVEALED: Final = 0
"""(REVEALED, calls): the rows called, one byte per seat, NO_CALL for who was not affected."""

TAKEN: Final = 1
"""(TAKEN, seat, row, cards): the seat was the only one to call the row and takes its cards."""

CLASHED: Final = 2
"""(CLASHED, row, seats, card): several called the row; its outermost card goes into the box."""

ROUND_OVER: Final = 3
"""(ROUND_OVER, seats): the round ended; these seats went empty-handed."""

FIRST_SCORED: Final = 4
"""(FIRST_SCORED, cards): the first scoring was held; these cards went back into the box."""

FILLED: Final = 5
"""(FILLED, cards of row 1, cards of row 2, ...): the cards added to the rows."""

LAST_ROUND: Final = 6
"""(LAST_ROUND,): the pile is empty; the round that begins is the last one."""

BOX_SHUFFLED: Final = 7
"""(BOX_SHUFFLED,): the cards in the box were shuffled, to fill the rows up with them."""


class Scale(msgspec.Struct, frozen=True, array_like=True):
    """What the cards are worth.

    `kings` and `animals` have the points for 0, 1, 2 ... cards; more cards than listed give the last figure.
    `points` are those of the three victory point cards. A knight gives `most_knights` to who has the most of
    them and `knight` to others. `pair` is for a farmer with a wife, `trio` for both with a farmhouse.
    """

    kings: tuple[int, ...]
    churches: int
    points: tuple[int, int, int]
    most_knights: int
    knight: int
    animals: tuple[int, ...]
    pair: int
    trio: int


class Table(msgspec.Struct, frozen=True, array_like=True):
    """What is laid out for a number of players: rows, and cards in the game."""

    seats: int
    rows: int
    cards: int


class Printed(msgspec.Struct, frozen=True, array_like=True):
    """The deck: for every type how many cards there are, and whether it stays after the first scoring (1) or
    goes back into the box (0); what the cards are worth; what is laid out.
    """

    counts: bytes
    kept: bytes
    scale: Scale
    tables: tuple[Table, ...]

    def table(self, seats: int) -> Table:
        """What is laid out for a number of players."""
        return next(table for table in self.tables if table.seats == seats)


class Observation(CommonObservation, frozen=True, array_like=True, kw_only=True):
    """What one viewer may know of a match of Ku-Ka-King.

    `rows` hold the cards of each row, the outermost (fully visible) last; `taken` are the rows taken in this
    round. `affected` are the seats that take part in the running choice, `called` those of them that have
    called, `own_call` is the viewer's own row. `collections` hold one collection per seat. In the sheet, the
    lines of the first scoring are zero until it was held; those of the final one are what the present
    collections stand for.
    """

    printed: Printed
    rows: tuple[bytes, ...]
    taken: bytes
    pile: int
    box: int
    round: int
    second_pass: bool
    last_round: bool
    collections: tuple[bytes, ...]
    affected: tuple[Seat, ...]
    called: tuple[Seat, ...]
    own_call: Move
