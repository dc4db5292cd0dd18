"""What has to be so that somebody may open a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from kk_core.text import text
from kk_core.wire.messages import OpenTable
from kk_core.wire.people import is_guest
from server.hub.limits import LimitReached, Limits
from server.hub.place import NotPossible
from server.hub.table_state import FINISHED, TableState

UNRATED: Final = text("Nothing is rated here.")


def check_rated(user: str, wish: OpenTable, *, has_ratings: bool) -> None:
    """Whether somebody may open a table whose matches are rated, if it is one. Raises `NotPossible`."""
    if not wish.rated:
        return
    if not has_ratings:
        raise NotPossible(UNRATED)
    if is_guest(user):
        raise NotPossible(text("Guests have no rating: come with an SSH key, and the name is yours."))
    if wish.hints:
        raise NotPossible(text("Where matches are rated, nobody gets hints."))


def check_room(
    user: str, tables: Iterable[TableState], neighbours: Iterable[TableState], limits: Limits
) -> None:
    """Whether there is room for one more, of this user's, of his address's and at all.

    `neighbours` are the tables that were opened from his address. Raises `LimitReached`.
    """
    busy = _busy(tables)
    own = sum(table.owner == user for table in busy)
    if own >= limits.tables_per_user:
        raise LimitReached(text("You have {n} tables already; finish or leave one first.", n=own))
    near = len(_busy(neighbours))
    if near >= limits.tables_per_address:
        raise LimitReached(
            text("From your address {n} tables are open already; finish or leave one first.", n=near)
        )
    if len(busy) >= limits.tables:
        raise LimitReached(text("This server is full: {n} tables are open.", n=len(busy)))


def _busy(tables: Iterable[TableState]) -> list[TableState]:
    return [table for table in tables if table.phase != FINISHED]
