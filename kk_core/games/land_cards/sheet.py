"""The score sheet of a position, quick enough to be part of every observation.

A line changes only when a card that it counts is taken. So the lines are kept from one position of a deal to
the next.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from kk_core.games.land_cards.model import (
    CELLS,
    COUNTRIES,
    OVER,
    ROUTES,
    SHEET,
    SYMBOLS,
    TAKEN,
    country_of,
    route_of,
    symbols_of,
)
from kk_core.games.land_cards.scoring import (
    Points,
    chain_points,
    count_owners,
    land_points,
    law_points,
    outcome_of,
    symbol_points,
)
from kk_core.games.land_cards.state import Deal, State
from kk_core.types import Outcome, Sheet

Rows: TypeAlias = tuple[Points, ...]

_ONLY_TAKEN: Final = bytes(lying if lying >= TAKEN else 0 for lying in range(256))


def sheet_rows(state: State) -> Rows:
    """One row of points per line of `SHEET`; the "-2 victory points" count when the match is over."""
    deal = state.deal
    rows = _lines_of(deal).rows(state.board.translate(_ONLY_TAKEN))
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
    """The lines of one deal, law cards aside; keeps the counts of the last position asked for."""

    def __init__(self, deal: Deal) -> None:
        self._cards = [(country_of(face), route_of(face), symbols_of(face)) for face in deal.faces]
        countries = [country for country, _, _ in self._cards]
        self._totals = [countries.count(country) for country in range(len(COUNTRIES))]
        self._lands = [[0] * deal.seats for _ in COUNTRIES]
        self._symbols = [[[0] * len(SYMBOLS) for _ in range(deal.seats)] for _ in COUNTRIES]
        self._routes = [[0] * deal.seats for _ in ROUTES]
        self._last = bytes(CELLS), ((0,) * deal.seats,) * len(SHEET)

    def rows(self, taken: bytes) -> Rows:
        """The rows when these cells (their bytes of the board) are taken."""
        before, rows = self._last
        if taken == before:
            return rows
        now = list(rows)
        for cell in _differing(before, taken):
            self._count(cell, before[cell], -1)
            self._count(cell, taken[cell], 1)
            country, route, _ = self._cards[cell]
            now[2 * country] = land_points(self._lands[country], self._totals[country])
            now[2 * country + 1] = symbol_points(self._symbols[country])
            if route:
                now[2 * len(COUNTRIES) + route - 1] = chain_points(self._routes[route])
        rows = tuple(now)
        self._last = taken, rows
        return rows

    def _count(self, cell: int, lying: int, more: int) -> None:
        """A card more, or less, in front of the seat that has taken it, if any has."""
        if lying:
            seat = lying - TAKEN
            country, route, symbols = self._cards[cell]
            self._lands[country][seat] += more
            self._routes[route][seat] += more
            counts = self._symbols[country][seat]
            for symbol in symbols:
                counts[symbol] += more


_LINES: Final[dict[int, tuple[Deal, _Lines]]] = {}
"""Those of the last deals that were asked for, by their identity."""

_DEALS: Final = 64


def _lines_of(deal: Deal) -> _Lines:
    """The lines of a deal; found by identity, since hashing its faces costs as much as a whole sheet."""
    found = _LINES.get(id(deal))
    if found is None or found[0] is not deal:
        if len(_LINES) >= _DEALS:
            del _LINES[next(iter(_LINES))]
        found = _LINES[id(deal)] = deal, _Lines(deal)
    return found[1]


def _differing(one: bytes, other: bytes) -> Iterator[int]:
    """The cells in which two boards differ."""
    bits = int.from_bytes(one, "little") ^ int.from_bytes(other, "little")
    while bits:
        cell = (bits.bit_length() - 1) // 8
        yield cell
        bits &= (1 << 8 * cell) - 1
