"""Moves, events and observations of the card game: all that a client may know.

A cell is a place in the layout, `row * COLUMNS + column`, both from 0; its number never changes. A face is
what a land card shows, packed into one number. Owners are seats.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

import msgspec

from kk_core.checks import check_number, no_such_move
from kk_core.text import text
from kk_core.types import CommonObservation, Event, Meta, Move, Option, OptionValue, Seat

ROWS: Final = 4
COLUMNS: Final = 14
CELLS: Final = ROWS * COLUMNS

COUNTRIES: Final = (
    "Frankreich",
    "Sachsen",
    "Ungarn",
    "Kastilien",
    "Franken",
    "Bayern",
    "Italien",
    "England",
    "Dänemark",
)
"""The countries in the order of the scoring chart."""

SYMBOLS: Final = ("K", "F", "L", "A", "T")
"""Cross, fan, lion, eagle and tower: the circle symbols."""

ROUTES: Final = ("", "ship", "carriage")

CHAIN: Final = 5
"""The fewest ships, or carriages, that score."""

LAWS: Final = ("take_back_stone", "three_symbols", "different_colours", "minus_two")
TAKE_BACK_STONE, THREE_SYMBOLS, DIFFERENT_COLOURS, MINUS_TWO = range(4)

SHEET: Final = (
    *(f"{kind}:{country}" for country in COUNTRIES for kind in ("land", "symbols")),
    "ships",
    "carriages",
    "minus_two",
)
"""The lines of a score sheet, in the order of scoring."""

# -- what lies where: one byte per cell ----------------------------------------------------------------------

FREE: Final = 0
"""The card is in the layout, without a stone."""

STONE: Final = 1
"""STONE + seat: the card is in the layout, under a stone of that seat."""

# above STONE + any seat, so that one comparison shows whether a card is gone
TAKEN: Final = 8
"""TAKEN + seat: the card is in front of that seat."""

# -- phases of a turn ----------------------------------------------------------------------------------------

TAKING, GIVING_UP, STONE_STEP, OVER = range(4)

# -- moves ---------------------------------------------------------------------------------------------------

END_TAKING: Final = 0
PASS: Final = 1
SKIP: Final = 2
PLAY_LAW: Final = 4
"""PLAY_LAW + kind of law."""
GIVE_UP_SUPPLY: Final = 8
# 64 apart, which is more than there are cells, so that each kind of move has its own range
TAKE: Final = 64
"""TAKE + cell."""
GIVE_UP: Final = 128
"""GIVE_UP + cell: the stone there leaves the game."""
PLACE: Final = 192
"""PLACE + cell."""
MOVE: Final = 256
"""MOVE + cell from * CELLS + cell to."""
MOVES_END: Final = MOVE + CELLS * CELLS


@dataclass(frozen=True, slots=True)
class Take:
    """The card of a cell is taken."""

    cell: int

    @property
    def move(self) -> Move:
        """The number of the move."""
        return TAKE + self.cell


@dataclass(frozen=True, slots=True)
class GiveUp:
    """A stone leaves the game: the one on the card of a cell, or one from the supply (None)."""

    cell: int | None

    @property
    def move(self) -> Move:
        """The number of the move."""
        return GIVE_UP_SUPPLY if self.cell is None else GIVE_UP + self.cell


@dataclass(frozen=True, slots=True)
class PlayLaw:
    """A law card of a kind is played."""

    law: int

    @property
    def move(self) -> Move:
        """The number of the move."""
        return PLAY_LAW + self.law


@dataclass(frozen=True, slots=True)
class EndTaking:
    """No more cards are taken in this turn."""

    @property
    def move(self) -> Move:
        """The number of the move."""
        return END_TAKING


@dataclass(frozen=True, slots=True)
class PlaceStone:
    """A stone from the supply is placed on the card of a cell."""

    cell: int

    @property
    def move(self) -> Move:
        """The number of the move."""
        return PLACE + self.cell


@dataclass(frozen=True, slots=True)
class MoveStone:
    """A stone moves from the card of a cell to that of another."""

    start: int
    target: int

    @property
    def move(self) -> Move:
        """The number of the move."""
        return MOVE + self.start * CELLS + self.target


@dataclass(frozen=True, slots=True)
class Pass:
    """The stones stay as they are."""

    @property
    def move(self) -> Move:
        """The number of the move."""
        return PASS


@dataclass(frozen=True, slots=True)
class Skip:
    """The whole turn is skipped."""

    @property
    def move(self) -> Move:
        """The number of the move."""
        return SKIP


AnyMove: TypeAlias = Take | GiveUp | PlayLaw | EndTaking | PlaceStone | MoveStone | Pass | Skip
_PLAIN: Final[dict[Move, AnyMove]] = {
    END_TAKING: EndTaking(),
    PASS: Pass(),
    SKIP: Skip(),
    GIVE_UP_SUPPLY: GiveUp(None),
}
_ON_A_CELL: Final = ((TAKE, Take), (GIVE_UP, GiveUp), (PLACE, PlaceStone))


def read(move: Move) -> AnyMove:
    """Return the meaning of a move. Raises `InvalidMove` for any other number."""
    check_number(move)
    if move in _PLAIN:
        return _PLAIN[move]
    if PLAY_LAW <= move < PLAY_LAW + len(LAWS):
        return PlayLaw(move - PLAY_LAW)
    if MOVE <= move < MOVES_END:
        return MoveStone(*divmod(move - MOVE, CELLS))
    for base, kind in _ON_A_CELL:
        if base <= move < base + CELLS:
            return kind(move - base)
    raise no_such_move(move)


# -- events --------------------------------------------------------------------------------------------------

SKIPPED: Final = 0
"""(SKIPPED, seat)"""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A seat could take no card and was passed over."""

    seat: Seat


_EVENTS: Final = (Skipped,)


def read_event(event: Event) -> Skipped:
    """Return the meaning of an event; there is only one kind."""
    match event:
        case (0, int(seat)):
            return Skipped(seat)
    raise ValueError(f"no event of this game: {event!r}")


# -- faces ---------------------------------------------------------------------------------------------------


def face(country: int, symbols: tuple[int, ...], route: int) -> int:
    """Pack a card: indexes into COUNTRIES, SYMBOLS (at most two) and ROUTES."""
    first, second = (*(symbol + 1 for symbol in symbols), 0, 0)[:2]
    return country | first << 4 | second << 7 | route << 10


def country_of(face: int) -> int:
    """Return the index into COUNTRIES."""
    return face & 15


def symbols_of(face: int) -> tuple[int, ...]:
    """Return up to two indexes into SYMBOLS."""
    return tuple(code - 1 for code in (face >> 4 & 7, face >> 7 & 7) if code)


def route_of(face: int) -> int:
    """Return the index into ROUTES."""
    return face >> 10


class Printed(msgspec.Struct, frozen=True, array_like=True):
    """All cards of the game in their order before the shuffles.

    `faces` are the land cards, `laws` the kinds of the law cards, `law_cells` the cells they are laid on.
    A face is country + (symbol << 4) + (symbol << 7) + (route << 10); symbols count from 1 there, 0 is none.
    """

    faces: tuple[int, ...]
    laws: bytes
    law_cells: bytes


# -- what everybody has seen of the law cards ----------------------------------------------------------------

LAW_PLAYED: Final = 64
"""LAW_PLAYED + kind: the seat played a law card."""
LAW_HELD: Final = 80
"""The seat holds "take back a stone": it could choose whether to skip."""
LAW_LACKED: Final = 81
"""The seat does not hold that law card: it had to skip."""


class Observation(CommonObservation, frozen=True, array_like=True):
    """A match of the card game as one viewer may know it.

    `board` has one byte per cell, `law_cells` the cells under a face-down law card, `taken` the cells taken
    in this `turn`, which counts from 0. `supply` and `gone` count stones per seat (in hand, out of the game);
    at most `stone_limit` stones of a seat may be on cards. With `at_start_only`, only cards that were at an
    end when the turn began may be taken.

    `law_counts` has the number of law cards in every hand; `hands` has the kinds that this viewer knows:
    their own, and everybody's after the end. `law_log` has everything public about law cards, oldest first,
    two bytes each: a seat, then the cell whose law card it took, LAW_PLAYED + kind, LAW_HELD or LAW_LACKED.
    `laws_taken` are the kinds of those that the viewer took, in the same order. `idle_laws` are kinds that
    they may play now, but that would not allow another card, not even with the others in hand: at once or,
    before the first card of a turn, in this turn.
    """

    printed: Printed
    faces: tuple[int, ...]
    board: bytes
    law_cells: bytes
    phase: int
    turn: int
    taken: bytes
    symbols: int
    symbol_limit: int
    any_colour: bool
    at_start_only: bool
    stone_limit: int
    supply: bytes
    gone: bytes
    law_counts: bytes
    hands: tuple[bytes, ...]
    law_log: bytes
    laws_taken: bytes
    idle_laws: bytes

    @property
    def played(self) -> bytes:
        """The kinds of the law cards that were played."""
        return played_laws(self.law_log)


def law_entries(law_log: bytes) -> list[tuple[Seat, int]]:
    """Return the entries of a `law_log` as (seat, what)."""
    return list(zip(law_log[::2], law_log[1::2], strict=True))


def played_laws(law_log: bytes) -> bytes:
    """Return the kinds of law cards that were played, oldest first."""
    return bytes(what - LAW_PLAYED for what in law_log[1::2] if LAW_PLAYED <= what < LAW_HELD)


# -- the entry in the lobby ----------------------------------------------------------------------------------

TAKE_OPTION: Final = "take"
ONE_BY_ONE: Final = "one_by_one"
EXPOSED_AT_START: Final = "exposed_at_start"

META: Final = Meta(
    id="land_cards",
    name=text("Kardinal & König: the card game"),
    summary=text(
        "Take land cards from the ends of four rows, guard them with stones, bend the rules with laws."
    ),
    min_seats=3,
    max_seats=5,
    moves=MOVES_END,
    order=1,
    tie_break=text("land cards"),
    options=(
        Option(
            TAKE_OPTION,
            text("Which cards may be taken"),
            (
                OptionValue(ONE_BY_ONE, text("also those uncovered in the same turn")),
                OptionValue(EXPOSED_AT_START, text("only those at an end when the turn begins")),
            ),
        ),
    ),
)
