"""Scoring of the card game: pure functions over plain counts, one for each paragraph of the rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

import msgspec

from kk_core.games.land_cards.model import (
    CELLS,
    CHAIN,
    COUNTRIES,
    MINUS_TWO,
    ROUTES,
    SHEET,
    SYMBOLS,
    TAKEN,
    country_of,
    route_of,
    symbols_of,
)
from kk_core.types import Outcome

LAW_PENALTY: Final = 2

Points: TypeAlias = tuple[int, ...]
"""One number per seat."""

Card: TypeAlias = tuple[int, int]
"""A face, and where its card is: a byte of the board."""

# a table, since every take recounts the cards of a country
_SYMBOLS_OF: Final = tuple(symbols_of(face) for face in range(1 << 12))


class CardCounts(msgspec.Struct, frozen=True, gc=False):
    """The cards in front of the seats.

    `lands[country][seat]` are cards, `symbols[country][seat][symbol]` circle symbols, `ships` and `carriages`
    are per seat; `totals[country]` is the number of all cards of a country.
    """

    lands: list[list[int]]
    symbols: list[list[list[int]]]
    ships: list[int]
    carriages: list[int]
    totals: list[int]


def count_cards(faces: Sequence[int], board: bytes, seats: int) -> CardCounts:
    """Count the cards in front of every seat."""
    of_country: list[list[Card]] = [[] for _ in COUNTRIES]
    of_route: list[list[int]] = [[] for _ in ROUTES]
    for face, lying in zip(faces, board, strict=True):
        of_country[country_of(face)].append((face, lying))
        of_route[route_of(face)].append(lying)
    counts = [count_country(cards, seats) for cards in of_country]
    _, ships, carriages = (count_owners(owners, seats) for owners in of_route)
    return CardCounts(
        [lands for lands, _ in counts], [symbols for _, symbols in counts], ships, carriages,
        [len(cards) for cards in of_country],
    )  # fmt: skip


def count_country(cards: Iterable[Card], seats: int) -> tuple[list[int], list[list[int]]]:
    """Count a country's cards in front of every seat, and their symbols per seat and type."""
    lands = [0] * seats
    symbols = [[0] * len(SYMBOLS) for _ in range(seats)]
    for face, lying in cards:
        if lying >= TAKEN:
            lands[lying - TAKEN] += 1
            counts = symbols[lying - TAKEN]
            for symbol in _SYMBOLS_OF[face]:
                counts[symbol] += 1
    return lands, symbols


def count_owners(owners: Sequence[int], seats: int) -> list[int]:
    """Count the cards in front of every seat, given the board's bytes of their cells."""
    return [owners.count(TAKEN + seat) for seat in range(seats)]


def land_points(cards: Sequence[int], total: int) -> Points:
    """Return the land scoring of a country from cards per seat and the number of all its cards.

    All with the most get the total, all with the next lower count get the highest count, and so on (ruling
    7).
    """
    points = {0: 0}
    worth = total
    for count in sorted(set(cards) - {0}, reverse=True):
        points[count] = worth
        worth = count
    return tuple([points[count] for count in cards])


def symbol_points(symbols: Sequence[Sequence[int]]) -> Points:
    """Return the symbol scoring of a country from counts per seat and type.

    The seat with the most of any one type gets that many points, for one type only, as do all who tie.
    """
    best_of = list(map(max, symbols))
    best = max(best_of)
    return tuple([best if own == best else 0 for own in best_of])


def chain_points(routes: Sequence[int]) -> Points:
    """Return the chain scoring of ships, or carriages, per seat."""
    return tuple([count if count >= CHAIN else 0 for count in routes])


def law_points(hands: Sequence[bytes]) -> Points:
    """Return the (negative) points of "-2 victory points" in hands."""
    return tuple([-LAW_PENALTY * hand.count(MINUS_TWO) for hand in hands])


def outcome_of(totals: Sequence[int], land_cards: Sequence[int]) -> Outcome:
    """Return the outcome: most points, then most land cards of those tied; then nobody wins (ruling 8)."""
    leaders = _leaders(totals, range(len(totals)))
    if len(leaders) == 1:
        return Outcome(leaders)
    leaders = _leaders(land_cards, leaders)
    return Outcome(leaders if len(leaders) == 1 else (), tuple(land_cards))


def _leaders(figures: Sequence[int], seats: Sequence[int]) -> tuple[int, ...]:
    best = max(figures[seat] for seat in seats)
    return tuple(seat for seat in seats if figures[seat] == best)


# -- the score sheet -----------------------------------------------------------------------------------------


class RunningSheet:
    """The score sheet of a deal without law cards; caches the counts of the last position."""

    def __init__(self, faces: Sequence[int], seats: int) -> None:
        self._cards = [(country_of(face), route_of(face), symbols_of(face)) for face in faces]
        countries = [country for country, _, _ in self._cards]
        self._totals = [countries.count(country) for country in range(len(COUNTRIES))]
        self._lands = [[0] * seats for _ in COUNTRIES]
        self._symbols = [[[0] * len(SYMBOLS) for _ in range(seats)] for _ in COUNTRIES]
        self._routes = [[0] * seats for _ in ROUTES]
        # one position is cached: the next one usually differs in a card or two
        self._last = bytes(CELLS), ((0,) * seats,) * len(SHEET)

    def rows(self, taken: bytes) -> tuple[Points, ...]:
        """Return a row of points for each line of `SHEET`; `taken` is the board with other cells zero."""
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
        # adds a card to the counts of the seat it is in front of, if any, or removes it
        if lying:
            seat = lying - TAKEN
            country, route, symbols = self._cards[cell]
            self._lands[country][seat] += more
            self._routes[route][seat] += more
            counts = self._symbols[country][seat]
            for symbol in symbols:
                counts[symbol] += more


def _differing(one: bytes, other: bytes) -> Iterator[int]:
    bits = int.from_bytes(one, "little") ^ int.from_bytes(other, "little")
    while bits:
        cell = (bits.bit_length() - 1) // 8
        yield cell
        bits &= (1 << 8 * cell) - 1
