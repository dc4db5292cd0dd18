"""What a table needs of the hub around it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from kk_core.record import Record
from kk_core.text import Text
from kk_server.accounts.ratings import Ratings
from kk_server.bots.pool import Chooser
from kk_server.hub.presence import Presence
from kk_server.limits import Pace, Times
from kk_server.storage.entries import Ended
from kk_server.storage.table_log import TableLog


@dataclass(frozen=True)
class TableContext:
    """What a table needs of the hub around it."""

    log: TableLog
    chooser: Chooser
    hints: bool
    pace: Pace
    times: Times
    presence: Presence
    count: Callable[[], int]
    now: Callable[[], float]
    """Seconds that servers have run over the log: what clocks are counted in."""
    line_changed: Callable[[str], None]
    """A table has come or gone, or what the lobby shows of it may have changed."""
    tell: Callable[[str, Text, str | None], None]
    """Tells all sessions of a user a sentence, and which table it leads to."""
    keep: Callable[[Ended, Record], Awaitable[bool]]
    """Keeps what a match came to, and gives whether that could be done."""
    seat_name: Callable[[str, str], Awaitable[str]]
    """The name that a user wears on a seat, by the user and what he wishes. Raises `KkError`."""
    ratings: Ratings | None = None
    """None where there are no accounts, and so nothing is rated."""
