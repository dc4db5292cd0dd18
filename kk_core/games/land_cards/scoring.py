"""Points of the card game from plain counts, one function per paragraph of the rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

import msgspec

from kk_core.games.land_cards.model import (
    COUNTRIES,
    MINUS_TWO,
    SHEET,
    SYMBOLS,
    TAKEN,
    country_of,
    route_of,
    symbols_of,
)
from kk_core.types import Outcome, ScoreItem, ScoreSheet

CHAIN: Final = 5
"""Ships, or carriages, needed to score them."""

LAW_PENALTY: Final = 2

Points: TypeAlias = tuple[int, ...]
"""One number per seat."""

_PARTS: Final = tuple(
    (country_of(face), symbols_of(face), route_of(face)) if country_of(face) < len(COUNTRIES) else None
    for face in range(3 << 10)
)


class Tally(msgspec.Struct, frozen=True, gc=False):
    """What lies in front of the seats.

    `lands[country][seat]` cards, `symbols[country][seat][symbol]` circle symbols, and `ships` and `carriages`
    per seat; `totals[country]` are all the cards there are.
    """

    lands: list[list[int]]
    symbols: list[list[list[int]]]
    ships: list[int]
    carriages: list[int]
    totals: list[int]


def tally(faces: Sequence[int], board: bytes, seats: int) -> Tally:
    """Count the cards in front of every seat."""
    countries = range(len(COUNTRIES))
    lands = [[0] * seats for _ in countries]
    symbols = [[[0] * len(SYMBOLS) for _ in range(seats)] for _ in countries]
    routes = [[0] * seats for _ in range(3)]
    totals = [0] * len(COUNTRIES)
    for face, lying in zip(faces, board, strict=True):
        country, shown, route = _PARTS[face] or (0, (), 0)
        totals[country] += 1
        if lying >= TAKEN:
            seat = lying - TAKEN
            lands[country][seat] += 1
            routes[route][seat] += 1
            counts = symbols[country][seat]
            for symbol in shown:
                counts[symbol] += 1
    return Tally(lands, symbols, routes[1], routes[2], totals)


def land_points(cards: Sequence[int], total: int) -> Points:
    """Land scoring of a country: cards per seat, and how many there are of it.

    All with the most get the total, all with the next lower count the highest count, and so on (ruling 7).
    """
    points = {0: 0}
    worth = total
    for count in sorted(set(cards) - {0}, reverse=True):
        points[count] = worth
        worth = count
    return tuple([points[count] for count in cards])


def symbol_points(symbols: Sequence[Sequence[int]]) -> Points:
    """Symbol scoring of a country: counts per seat and type.

    Who has the most of any one type gets that many points, for one type only; all who tie get them.
    """
    best_of = [max(counts) for counts in symbols]
    best = max(best_of)
    return tuple([best if own == best else 0 for own in best_of])


def chain_points(routes: Sequence[int]) -> Points:
    """Chain scoring: ships, or carriages, per seat."""
    return tuple([count if count >= CHAIN else 0 for count in routes])


def law_points(hands: Sequence[bytes]) -> Points:
    """What the "-2 victory points" cost their holders."""
    return tuple([-LAW_PENALTY * hand.count(MINUS_TWO) for hand in hands])


def sheet_rows(counts: Tally, hands: Sequence[bytes]) -> tuple[Points, ...]:
    """One row of points per line of `SHEET`; of the hands, only what is in them counts."""
    rows: list[Points] = []
    for cards, symbols, total in zip(counts.lands, counts.symbols, counts.totals, strict=True):
        rows += (land_points(cards, total), symbol_points(symbols))
    rows += (chain_points(counts.ships), chain_points(counts.carriages), law_points(hands))
    return tuple(rows)


def score_sheet(counts: Tally, hands: Sequence[bytes]) -> ScoreSheet:
    """The sheet with every line."""
    rows = sheet_rows(counts, hands)
    return ScoreSheet(tuple(ScoreItem(item, points) for item, points in zip(SHEET, rows, strict=True)))


def outcome_of(totals: Sequence[int], land_cards: Sequence[int]) -> Outcome:
    """The most points win, then the most land cards of those tied; after that nobody wins (ruling 8)."""
    leaders = _leaders(totals, range(len(totals)))
    if len(leaders) == 1:
        return Outcome(leaders)
    leaders = _leaders(land_cards, leaders)
    return Outcome(leaders if len(leaders) == 1 else (), tuple(land_cards))


def _leaders(figures: Sequence[int], seats: Sequence[int]) -> tuple[int, ...]:
    best = max(figures[seat] for seat in seats)
    return tuple(seat for seat in seats if figures[seat] == best)
