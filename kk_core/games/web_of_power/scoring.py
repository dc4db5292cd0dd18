"""Scoring of the board game: cloisters, alliances and chains."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from kk_core.games.web_of_power.chains import chains_of
from kk_core.games.web_of_power.model import COUNTRIES, SHEET, Printed
from kk_core.types import Outcome

Rows = tuple[tuple[int, ...], ...]


def cloister_points(counts: Sequence[int]) -> tuple[int, ...]:
    """Return every seat's points in a country, from their cloisters there.

    Seats with the most get a point for each cloister in the country; others get the number of cloisters of
    the next higher place. Seats without a cloister get nothing, and seats that tie get the same.
    """
    places = sorted(set(counts), reverse=True)
    # the first place scores the sum, each other one the count of the place above
    worth = dict(zip(places, (sum(counts), *places), strict=False))
    return tuple(worth[count] if count else 0 for count in counts)


def alliance_points(first: Sequence[int], second: Sequence[int]) -> tuple[int, ...]:
    """Return every seat's points for an alliance, from the advisors in its two countries.

    Seats with the most in both of them, alone or tied, and at least one in each (ruling 6), get a point for
    each advisor in both, whoever owns it.
    """
    most_first, most_second = max(first), max(second)
    total = sum(first) + sum(second)
    return tuple(
        total if a and b and a == most_first and b == most_second else 0
        for a, b in zip(first, second, strict=True)
    )


def final_rows(land: Printed, board: bytes, cloisters: bytes, advisors: bytes) -> Rows:
    """Return the sheet's lines of the final scoring, in the order of SHEET."""
    seats = len(cloisters) // len(COUNTRIES)
    courts = [advisors[start : start + seats] for start in range(0, len(advisors), seats)]
    return (
        *(cloister_points(cloisters[start : start + seats]) for start in range(0, len(cloisters), seats)),
        *(alliance_points(courts[first], courts[second]) for first, second in land.alliances),
        tuple(sum(map(len, chains_of(land, board, seat))) for seat in range(seats)),
    )


@lru_cache(maxsize=1024)
def interim_rows(interim: bytes, seats: int) -> Rows:
    """Return the sheet's lines of the interim scoring; zeros before it."""
    points = interim or bytes(len(COUNTRIES) * seats)
    return tuple(tuple(points[start : start + seats]) for start in range(0, len(points), seats))


@lru_cache(maxsize=1024)
def rows_so_far(interim: bytes, seats: int) -> Rows:
    """Return all lines of the sheet before the final scoring, with zeros for it."""
    return interim_rows(interim, seats) + ((0,) * seats,) * (len(SHEET) - len(COUNTRIES))


def outcome(rows: Rows, pieces_left: tuple[int, ...]) -> Outcome:
    """Return the winners: most points, then most pieces in the supply; then the win is shared (ruling 9)."""
    totals = [sum(column) for column in zip(*rows, strict=True)]
    best = [seat for seat, total in enumerate(totals) if total == max(totals)]
    if len(best) == 1:
        return Outcome(tuple(best))
    most = max(pieces_left[seat] for seat in best)
    return Outcome(tuple(seat for seat in best if pieces_left[seat] == most), pieces_left)
