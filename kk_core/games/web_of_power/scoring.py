"""Points for cloisters, alliances and chains, by the rules' own words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from kk_core.games.web_of_power.chains import best_chains
from kk_core.games.web_of_power.model import CLOISTER_OF, COUNTRIES, SHEET, Printed
from kk_core.types import Outcome, Seat

Rows = tuple[tuple[int, ...], ...]


def cloister_points(counts: Sequence[int]) -> tuple[int, ...]:
    """Points of every seat in one country, from their cloisters there.

    The most get one point for each cloister in the country; everybody else gets as many as those on the
    next higher place have cloisters; who has none gets nothing. Who is tied gets the same.
    """
    places = sorted(set(counts), reverse=True)
    worth = dict(zip(places, (sum(counts), *places), strict=False))
    return tuple(worth[count] if count else 0 for count in counts)


def alliance_points(first: Sequence[int], second: Sequence[int]) -> tuple[int, ...]:
    """Points of every seat for one alliance, from the advisors in its two countries.

    Who has the most, alone or shared, in both of them, and at least one (ruling 6), gets one point for each
    advisor in both, whosever they are.
    """
    most_first, most_second = max(first), max(second)
    total = sum(first) + sum(second)
    return tuple(
        total if a and b and a == most_first and b == most_second else 0
        for a, b in zip(first, second, strict=True)
    )


def chains_of(land: Printed, board: bytes, seat: Seat) -> tuple[bytes, ...]:
    """The chains that give a seat the most points, each as the spaces along it."""
    own = CLOISTER_OF + seat
    return best_chains(land.neighbours, bytes(space for space, owner in enumerate(board) if owner == own))


def final_rows(land: Printed, board: bytes, cloisters: bytes, advisors: bytes) -> Rows:
    """The lines of the sheet from the final scoring on, in the order of SHEET."""
    seats = len(cloisters) // len(COUNTRIES)
    courts = [advisors[start : start + seats] for start in range(0, len(advisors), seats)]
    return (
        *(cloister_points(cloisters[start : start + seats]) for start in range(0, len(cloisters), seats)),
        *(alliance_points(courts[first], courts[second]) for first, second in land.alliances),
        tuple(sum(map(len, chains_of(land, board, seat))) for seat in range(seats)),
    )


@lru_cache(maxsize=1024)
def interim_rows(interim: bytes, seats: int) -> Rows:
    """The lines of the sheet up to the interim scoring; all empty before it."""
    points = interim or bytes(len(COUNTRIES) * seats)
    return tuple(tuple(points[start : start + seats]) for start in range(0, len(points), seats))


@lru_cache(maxsize=1024)
def rows_so_far(interim: bytes, seats: int) -> Rows:
    """All lines of the sheet before the final scoring."""
    return interim_rows(interim, seats) + ((0,) * seats,) * (len(SHEET) - len(COUNTRIES))


def outcome(rows: Rows, pieces_left: tuple[int, ...]) -> Outcome:
    """Most points; then most pieces left in the supply; then the win is shared (ruling 9)."""
    totals = [sum(column) for column in zip(*rows, strict=True)]
    best = [seat for seat, total in enumerate(totals) if total == max(totals)]
    if len(best) == 1:
        return Outcome(tuple(best))
    most = max(pieces_left[seat] for seat in best)
    return Outcome(tuple(seat for seat in best if pieces_left[seat] == most), pieces_left)
