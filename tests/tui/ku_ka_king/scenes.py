"""Matches of Ku-Ka-King after some calls."""

from __future__ import annotations

from collections.abc import Iterable

from kk_core.match import Match
from kk_core.types import Move, Seat
from tests.tui import scenes

NAMES = ("Tim", "Sarah", "Linus", "Anna")


def match_of(seats: int, calls: Iterable[tuple[Seat, Move]] = ()) -> Match:
    """A match of the first names, after some calls."""
    match = scenes.match_of("ku_ka_king", seats, names=NAMES)
    for seat, row in calls:
        match.play(seat, row)
    return match


def rounds(match: Match, count: int) -> None:
    """Play rounds in which nobody clashes: seat 0 takes row 1, seat 1 row 2 ..."""
    for _ in range(count):
        for seat in range(len(match.seats)):
            match.play(seat, seat + 1)
