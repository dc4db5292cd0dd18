"""The ratings of those who sit at a table where matches are rated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from kk_core.wire.ratings import RatingView
from server.hub.table_context import TableContext
from server.hub.table_state import TableState
from server.log import get_logger
from server.storage.entries import Ended
from server.storage.summaries import FINISHED
from server.storage.table_log import StorageFailed

_log = get_logger()


class RatedTable(Protocol):
    """What is rated."""

    state: TableState


class TableRatings:
    """What the last match has changed, and how everybody stands."""

    def __init__(self, table: RatedTable, context: TableContext) -> None:
        self._table = table
        self._ratings = context.ratings
        self._changes: tuple[int, Mapping[str, RatingView]] = 0, {}

    async def rate(self, ended: Ended) -> bool:
        """Let a match count; where that cannot be stored, the next start of the server does it."""
        if self._ratings is None or not ended.rated:
            return True
        try:
            self._changes = ended.match, await self._ratings.rate(ended)
        except StorageFailed as error:
            _log.error("match not rated", table=ended.table, error=type(error).__name__)
            return False
        return True

    def view(self, account: str | None) -> RatingView | None:
        """The rating of somebody who sits here; after a match with what it has changed."""
        state = self._table.state
        if self._ratings is None or account is None or not state.created.rated:
            return None
        match, changes = self._changes
        if state.phase == FINISHED and match == state.matches and account in changes:
            return changes[account]
        return self._ratings.view(state.created.game, account)
