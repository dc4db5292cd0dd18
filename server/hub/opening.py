"""Opening tables, and what has to be so that somebody may."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from kk_core.bot_names import STAND_IN
from kk_core.text import text
from kk_core.wire.messages import OpenTable
from kk_core.wire.people import is_guest
from server.hub.lifetime import Standing
from server.hub.limits import LimitReached, Limits
from server.hub.place import NotPossible
from server.hub.shelf import Shelf
from server.hub.table import Table
from server.hub.table_context import TableContext
from server.hub.table_state import TableState
from server.storage.entries import Entry
from server.storage.summaries import FINISHED
from server.storage.table_log import Conflict, TableLog

UNRATED: Final = text("Nothing is rated here.")


def check_rated(user: str, wish: OpenTable, *, has_ratings: bool) -> None:
    """Whether somebody may open a table whose matches are rated, if it is one. Raises `NotPossible`.

    There the stand-in is no matter of choice: nobody is to gain by staying away.
    """
    if not wish.rated:
        return
    if not has_ratings:
        raise NotPossible(UNRATED)
    if is_guest(user):
        raise NotPossible(text("Guests have no rating: come with an SSH key, and the name is yours."))
    if wish.hints:
        raise NotPossible(text("Where matches are rated, nobody gets hints."))
    if wish.stand_in != STAND_IN:
        raise NotPossible(text("Where matches are rated, the stand-in is the bot {bot}.", bot=STAND_IN))


def check_room(user: str, tables: Iterable[Standing], neighbours: Iterable[Standing], limits: Limits) -> None:
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


def _busy(tables: Iterable[Standing]) -> list[Standing]:
    return [table for table in tables if table.phase != FINISHED]


def new_id(is_taken: Callable[[str], bool]) -> str:
    """An identifier of a place that is not taken."""
    while is_taken(candidate := secrets.token_hex(4)):
        pass
    return candidate


class Opener:
    """Opens tables, and knows from which network each was opened since the server was started."""

    def __init__(
        self, log: TableLog, shelf: Shelf, context: TableContext, propose_id: Callable[[], str]
    ) -> None:
        self._log = log
        self._shelf = shelf
        self._context = context
        self._propose_id = propose_id
        self._from: dict[str, str] = {}

    def check_room(self, user: str, network: str | None, limits: Limits) -> None:
        """Whether somebody may have one more, who comes from a network. Raises `LimitReached`."""
        standing = dict(self._shelf.summaries())
        self._from = {table: origin for table, origin in self._from.items() if table in standing}
        near = [standing[table] for table, origin in self._from.items() if origin == network]
        check_room(user, standing.values(), near, limits)

    async def open(self, entries: Sequence[Entry], state: TableState, network: str | None) -> Table:
        """A table that stands as these first entries make it. Raises `StorageFailed`."""
        while True:
            table = Table(self._propose_id(), state, self._context)
            self._shelf.add(table)
            try:
                for revision, entry in enumerate(entries):
                    await self._log.append(table.id, revision, entry, table.at)
            except Conflict:  # there was a table of this name, and what it has left is in the file
                self._shelf.forget(table.id)
            except BaseException:
                self._shelf.forget(table.id)
                raise
            else:
                if network is not None:
                    self._from[table.id] = network
                return table
