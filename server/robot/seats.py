"""Finds a seat for a program: one that is its own already, or a free one."""

from __future__ import annotations

from collections.abc import Sequence

from kk_core.text import Text, quoted, text
from kk_core.types import Seat
from kk_core.wire.views import LobbyView, SeatView, TableLine, TableView
from server.commands import Failure
from server.robot.claims import Claims

OPEN, PLAYING = "open", "playing"


def tables_for(user: str, lobby: LobbyView, *, at_any: bool) -> list[TableLine]:
    """Where a user may play: in his match that has changed last, in others, where he sits, on free seats of
    anybody's.
    """
    seats = _seats_for if at_any else _seats_of
    lines = [line for line in lobby.tables if line.unplayable is None and seats(user, line)]
    return sorted(lines, key=lambda line: _rank(user, line))


def _rank(user: str, line: TableLine) -> tuple[bool, bool, int]:
    is_own = bool(_own(user, line.seats))
    return line.phase != PLAYING, not is_own, -line.at if is_own else 0


def claim_seat(user: str, table: TableView, claims: Claims) -> Seat:
    """The seat that a user plays for from now on, unless another process does. Raises `Failure`."""
    for seat in _seats_for(user, table):
        if claims.take(table.id, seat):
            return seat
    raise Failure(_why_none(table))


def _seats_for(user: str, table: TableView | TableLine) -> list[Seat]:
    """His own, and free ones before the match, the last first: the first is for who opens the table."""
    if table.phase == PLAYING:
        return _own(user, table.seats)
    if table.phase == OPEN:
        free = [seat for seat, holder in enumerate(table.seats) if not (holder.owner or holder.bot)][::-1]
        return _own(user, table.seats) + free
    return []


def _seats_of(user: str, table: TableLine) -> list[Seat]:
    """His own, of a match that goes on or is to begin."""
    return _own(user, table.seats) if table.phase in (OPEN, PLAYING) else []


def _own(user: str, seats: Sequence[SeatView]) -> list[Seat]:
    return [seat for seat, holder in enumerate(seats) if holder.owner == user and not holder.has_given_up]


def _why_none(table: TableView) -> Text:
    if table.phase == OPEN:
        return text("At the table {table} no seat is free.", table=quoted(table.id))
    if table.phase == PLAYING:
        return text("At the table {table} a match goes on, without a seat for you.", table=quoted(table.id))
    return text("At the table {table} the match is over.", table=quoted(table.id))
