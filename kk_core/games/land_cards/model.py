"""Moves and observations of the card game: all that a client may know.

A cell is a place of the layout, `row * COLUMNS + column`, both from 0; it keeps its number all through the
match. A face is what a land card shows, packed into one number. Owners are seats.
"""

from __future__ import annotations

from typing import Final

import msgspec

from kk_core.types import Observation as CommonObservation

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
"""In the layout, without a stone."""

STONE: Final = 1
"""STONE + seat: in the layout under a stone of that seat."""

TAKEN: Final = 8
"""TAKEN + seat: in front of that seat."""

# -- phases of a turn ----------------------------------------------------------------------------------------

TAKING, GIVING_UP, STONE_STEP, OVER = range(4)

# -- moves ---------------------------------------------------------------------------------------------------

END_TAKING: Final = 0
PASS: Final = 1
SKIP: Final = 2
PLAY_LAW: Final = 4
"""PLAY_LAW + kind of law."""
GIVE_UP_SUPPLY: Final = 8
TAKE: Final = 64
"""TAKE + cell."""
GIVE_UP: Final = 128
"""GIVE_UP + cell: the stone lying there leaves the game."""
PLACE: Final = 192
"""PLACE + cell."""
MOVE: Final = 256
"""MOVE + cell from * CELLS + cell to."""
MOVES_END: Final = MOVE + CELLS * CELLS

# -- events --------------------------------------------------------------------------------------------------

SKIPPED: Final = 0
"""(SKIPPED, seat): the seat could take no card and was passed over."""

# -- faces ---------------------------------------------------------------------------------------------------


def face(country: int, symbols: tuple[int, ...], route: int) -> int:
    """Pack a card: indexes into COUNTRIES, SYMBOLS (at most two) and ROUTES."""
    first, second = (*(symbol + 1 for symbol in symbols), 0, 0)[:2]
    return country | first << 4 | second << 7 | route << 10


def country_of(face: int) -> int:
    """Index into COUNTRIES."""
    return face & 15


def symbols_of(face: int) -> tuple[int, ...]:
    """Indexes into SYMBOLS, none to two."""
    return tuple(code - 1 for code in (face >> 4 & 7, face >> 7 & 7) if code)


def route_of(face: int) -> int:
    """Index into ROUTES."""
    return face >> 10


class Printed(msgspec.Struct, frozen=True, array_like=True):
    """All cards of the game in their order before the shuffles.

    `faces` are the land cards, `laws` the kinds of the law cards, `law_cells` the cells where those are laid.
    """

    faces: tuple[int, ...]
    laws: bytes
    law_cells: bytes


class Observation(CommonObservation, frozen=True, array_like=True, kw_only=True):
    """What one viewer may know of a match of the card game.

    `board` has one byte per cell, `law_cells` the cells under a face-down law card, `taken` the cells taken
    in this turn. `supply` and `gone` count stones per seat (in hand, out of the game); at most `stone_limit`
    stones of a seat may lie on cards. `law_counts` counts the law cards in every hand; `hands` has the kinds
    that this viewer knows: his own, and everybody's after the end. `played` are the kinds out of the game.
    """

    printed: Printed
    faces: tuple[int, ...]
    board: bytes
    law_cells: bytes
    phase: int
    taken: bytes
    symbols: int
    symbol_limit: int
    any_colour: bool
    stone_limit: int
    supply: bytes
    gone: bytes
    law_counts: bytes
    hands: tuple[bytes, ...]
    played: bytes
