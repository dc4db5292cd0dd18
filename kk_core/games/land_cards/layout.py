"""Questions about the layout, given as bytes with one value per cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kk_core.games.land_cards.model import COLUMNS, ROWS, STONE, TAKEN, country_of, symbols_of
from kk_core.types import Seat
from kk_core.values import BYTE

STONES: Final = 3
"""Stones of a player at the start."""

LIMIT: Final = 2
"""The most circle symbols on the cards taken in a turn, without a law."""

RAISED_LIMIT: Final = 3
"""The limit with "Up to 3 symbols"; two such laws do not add up (ruling 2)."""

_FACES: Final = range(1 << 12)
COST: Final = bytes(len(symbols_of(face)) for face in _FACES)
"""The number of circle symbols on a face; a table, because every step needs it."""

COUNTRY: Final = bytes(country_of(face) for face in _FACES)
"""The country of a face."""

COUNTRY_OF_KIND: Final = 15
"""The mask of the country in a card's kind; the bits above it count its circle symbols."""

_KIND: Final = bytes(COST[face] << 4 | COUNTRY[face] for face in _FACES)
NEIGHBOURS: Final = tuple(
    tuple(near for near in (cell - 1, cell + 1) if near // COLUMNS == cell // COLUMNS)
    for cell in range(ROWS * COLUMNS)
)
_IN_LAYOUT: Final = bytes(value < TAKEN for value in range(256))
_TAKEN_BY_ANYBODY: Final = bytes(range(TAKEN, 256))


def kinds_of(faces: Sequence[int]) -> bytes:
    """Return country and number of symbols for every cell, which decide whether its card can be taken.

    The result is a table for `bytes.translate`, so that many cells can be looked up at once.
    """
    return bytes([_KIND[face] for face in faces]).ljust(256, b"\0")


def stones_of(board: bytes | bytearray, seat: Seat) -> list[int]:
    """Return the cells, ascending, under a stone of a seat."""
    cells = []
    cell = board.find(STONE + seat)
    while cell >= 0:
        cells.append(cell)
        cell = board.find(STONE + seat, cell + 1)
    return cells


def has_cards(board: bytes | bytearray) -> bool:
    """Return whether a card is left in the layout."""
    return bool(board.translate(None, _TAKEN_BY_ANYBODY))


def row_ends(board: bytes | bytearray) -> bytes:
    """Return the cells, ascending, of the cards at the ends of the rows."""
    in_layout = board.translate(_IN_LAYOUT)
    ends = []
    for first in range(0, ROWS * COLUMNS, COLUMNS):
        left = in_layout.find(1, first, first + COLUMNS)
        if left >= 0:
            ends.append(left)
            right = in_layout.rfind(1, first, first + COLUMNS)
            if right > left:
                ends.append(right)
    return bytes(ends)


def uncovered(board: bytes, ends: bytes, cell: int) -> bytes:
    """Return the ends after the card of `cell` is taken: its inner neighbour, if any, becomes an end."""
    for inner in NEIGHBOURS[cell]:
        if board[inner] < TAKEN:
            if inner in ends:  # the other end of the row
                break
            return ends.replace(BYTE[cell], BYTE[inner])
    return ends.replace(BYTE[cell], b"")
