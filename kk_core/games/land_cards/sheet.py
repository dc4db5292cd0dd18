"""The score sheet of a position, quick enough to be part of every observation.

A line changes only when a card that it counts is taken. So the lines are kept from one position of a deal to
the next, and what a country comes to is kept by who has which of its cards.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, TypeAlias

from kk_core.games.land_cards.meta import META
from kk_core.games.land_cards.model import CELLS, COUNTRIES, OVER, ROUTES, SHEET, TAKEN, country_of, route_of
from kk_core.games.land_cards.scoring import (
    Points,
    chain_points,
    count_country,
    count_owners,
    land_points,
    law_points,
    outcome_of,
    symbol_points,
)
from kk_core.games.land_cards.state import State
from kk_core.types import Outcome, Sheet

Rows: TypeAlias = tuple[Points, ...]

_ONLY_TAKEN: Final = bytes(lying if lying >= TAKEN else 0 for lying in range(256))
_OF_SEAT: Final = tuple(
    bytes(TAKEN if lying == TAKEN + seat else 0 for lying in range(256)) for seat in range(META.max_seats)
)


def sheet_rows(state: State) -> Rows:
    """One row of points per line of `SHEET`; the "-2 victory points" count when the match is over."""
    deal = state.deal
    rows = _lines_of(deal.faces, deal.seats).rows(state.board.translate(_ONLY_TAKEN))
    return rows if state.phase != OVER else (*rows[:-1], law_points(state.hands))


def full_sheet(state: State) -> Sheet:
    """The sheet by the full truth of a position."""
    return (*sheet_rows(state)[:-1], law_points(state.hands))


def outcome(state: State) -> Outcome | None:
    """Who has won; None while the match goes on."""
    if state.phase != OVER:
        return None
    totals = [sum(column) for column in zip(*sheet_rows(state), strict=True)]
    return outcome_of(totals, count_owners(state.board, state.deal.seats))


class _Lines:
    """The lines of one deal, without what law cards count; remembers those of the last position asked for."""

    def __init__(self, faces: tuple[int, ...], seats: int) -> None:
        self._faces, self._seats = faces, seats
        self._countries: list[list[int]] = [[] for _ in COUNTRIES]
        self._routes: list[list[int]] = [[] for _ in ROUTES]
        for cell in sorted(range(CELLS), key=faces.__getitem__):  # a country's cards stand alike in all deals
            self._countries[country_of(faces[cell])].append(cell)
            self._routes[route_of(faces[cell])].append(cell)
        self._cards = [tuple([faces[cell] for cell in cells]) for cells in self._countries]
        self._last = bytes(CELLS), ((0,) * seats,) * len(SHEET)

    def rows(self, taken: bytes) -> Rows:
        """The rows when these cells (their bytes of the board) are taken."""
        before, rows = self._last
        if taken == before:
            return rows
        now = list(rows)
        faces = [self._faces[cell] for cell in _differing(before, taken)]
        for country in {country_of(face) for face in faces}:
            owners = bytes([taken[cell] for cell in self._countries[country]])
            now[2 * country : 2 * country + 2] = _rows_of_country(self._cards[country], owners, self._seats)
        for route in {route_of(face) for face in faces} - {0}:
            owners = bytes([taken[cell] for cell in self._routes[route]])
            now[2 * len(COUNTRIES) + route - 1] = chain_points(count_owners(owners, self._seats))
        rows = tuple(now)
        self._last = taken, rows
        return rows


@lru_cache(maxsize=64)
def _lines_of(faces: tuple[int, ...], seats: int) -> _Lines:
    return _Lines(faces, seats)


def _differing(one: bytes, other: bytes) -> Iterator[int]:
    """The cells in which two boards differ."""
    bits = int.from_bytes(one, "little") ^ int.from_bytes(other, "little")
    while bits:
        cell = (bits.bit_length() - 1) // 8
        yield cell
        bits &= (1 << 8 * cell) - 1


@lru_cache(maxsize=1 << 14)
def _rows_of_country(cards: tuple[int, ...], owners: bytes, seats: int) -> Rows:
    held = [_held(cards, owners.translate(_OF_SEAT[seat])) for seat in range(seats)]
    lands, symbols = zip(*held, strict=True)
    return _land_points(lands, len(cards)), symbol_points(symbols)


_land_points: Final = lru_cache(maxsize=1 << 10)(land_points)


@lru_cache(maxsize=1 << 12)
def _held(cards: tuple[int, ...], own: bytes) -> tuple[int, list[int]]:
    """Of a country's cards, those of one seat (TAKEN): how many, and their symbols per type."""
    (lands,), (symbols,) = count_country(zip(cards, own, strict=True), 1)
    return lands, symbols
