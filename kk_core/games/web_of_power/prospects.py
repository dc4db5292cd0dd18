"""Prospects on the board: what one more piece of a seat would make possible, by what everybody sees.

Nothing here counts points; those are `scoring`'s.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import NamedTuple

from kk_core.games.web_of_power.model import (
    CLOISTER_OF,
    COUNTRIES,
    FREE,
    SHORTEST,
    Observation,
    Printed,
)
from kk_core.types import Seat


class Pieces(NamedTuple):
    """The pieces on the board, coded as in `Observation`, and how many seats there are."""

    land: Printed
    board: bytes
    advisors: bytes
    seats: int

    @classmethod
    def of(cls, view: Observation) -> Pieces:
        """Return the pieces that a viewer sees."""
        return cls(view.printed, view.board, view.advisors, len(view.hand_sizes))

    def with_cloister(self, seat: Seat, space: int) -> Pieces:
        """Return the pieces with one more cloister of a seat."""
        board = bytearray(self.board)
        board[space] = CLOISTER_OF + seat
        return self._replace(board=bytes(board))

    def with_advisor(self, seat: Seat, country: int) -> Pieces:
        """Return the pieces with one more advisor of a seat."""
        advisors = bytearray(self.advisors)
        advisors[country * self.seats + seat] += 1
        return self._replace(advisors=bytes(advisors))

    def cloisters(self, country: int) -> tuple[int, ...]:
        """Return every seat's cloisters in a country."""
        lying = [self.board[space] for space in self.land.spaces_of[country]]
        return tuple(lying.count(CLOISTER_OF + seat) for seat in range(self.seats))

    def court(self, country: int) -> Sequence[int]:
        """Return every seat's advisors in a country."""
        return self.advisors[country * self.seats : (country + 1) * self.seats]

    def room(self, country: int) -> int:
        """Return how many advisors more a crest takes: as many as the strongest has cloisters."""
        return max(self.cloisters(country)) - sum(self.court(country))

    # -- chains ----------------------------------------------------------------------------------------------

    def line(self, seat: Seat, space: int, *, is_to_come: bool = False) -> int:
        """Return the cloisters of a seat's longest line through a space, one there included.

        If it `is_to_come`, free spaces count as the seat's, and no more than a chain needs are counted.
        """
        wanted = {CLOISTER_OF + seat} | ({FREE} if is_to_come else set())
        own = {each for each, owner in enumerate(self.board) if owner in wanted} - {space}
        most = SHORTEST if is_to_come else len(own) + 1
        return _longest(self.land, own, (space,), most, is_turned=False)

    def growing(self, seat: Seat, space: int) -> tuple[int, ...]:
        """Return the free spaces that would make a chain with the line through a cloister of a seat."""
        if self.line(seat, space) >= SHORTEST:
            return ()
        free = (each for each, owner in enumerate(self.board) if owner == FREE)
        return tuple(each for each in free if self.with_cloister(seat, each).line(seat, space) >= SHORTEST)

    # -- alliances -------------------------------------------------------------------------------------------

    def held(self, seat: Seat) -> frozenset[int]:
        """Return the alliances, from 0, in each of whose countries nobody has more advisors than a seat."""
        leads = {country for country in range(len(COUNTRIES)) if self._leads(seat, country)}
        pairs = enumerate(self.land.alliances)
        return frozenset(number for number, pair in pairs if leads.issuperset(pair))

    def _leads(self, seat: Seat, country: int) -> bool:
        court = self.court(country)
        return 0 < court[seat] == max(court)  # ruling 6: without an advisor there is no majority

    def won_by(self, seat: Seat, country: int) -> frozenset[int]:
        """Return the alliances that one more advisor would win for a seat; none where there is no room."""
        if self.room(country) <= 0:
            return frozenset()
        return self.with_advisor(seat, country).held(seat) - self.held(seat)


def _longest(land: Printed, own: Container[int], line: tuple[int, ...], most: int, *, is_turned: bool) -> int:
    # A line grows at its last space; turned once, it grows at the one that it began with.
    best = len(line)
    for near in land.neighbours[line[-1]]:
        if best < most and near in own and near not in line:
            best = max(best, _longest(land, own, (*line, near), most, is_turned=is_turned))
    if best < most and not is_turned:
        best = max(best, _longest(land, own, line[::-1], most, is_turned=True))
    return best
