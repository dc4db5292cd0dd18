"""The parts of the hub that its tables use."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from kk_core.record import Record
from kk_core.text import Text
from kk_server.accounts.daily import DailyDeals
from kk_server.accounts.lessons import AccountLessons
from kk_server.accounts.ratings import Ratings
from kk_server.bots.pool import Chooser
from kk_server.limits import BotPace, Timeouts
from kk_server.storage.entries import Ended
from kk_server.storage.table_log import TableLog
from kk_server.tables.admissions import Admissions
from kk_server.tables.nodes import Nodes
from kk_server.tables.presence import Presence


@dataclass(frozen=True)
class TableContext:
    """The parts of the hub that its tables use."""

    log: TableLog
    chooser: Chooser
    hints: bool
    pace: BotPace
    times: Timeouts
    presence: Presence
    count: Callable[[], int]
    now: Callable[[], float]
    """The time that clocks count in: seconds of server uptime over the log."""
    line_changed: Callable[[str], None]
    """Called with a table that was added or removed, or whose line in the lobby may have changed."""
    tell: Callable[[str, Text, str | None], None]
    """Shows a sentence to all sessions of a user, with the table it links to."""
    keep: Callable[[Ended, Record], Awaitable[bool]]
    """Stores the result and record of a match; False if that failed."""
    seat_name: Callable[[str, str], Awaitable[str]]
    """Returns the name a user gets on a seat, given the name they want. Raises `KkError`."""
    daily: DailyDeals
    """The deals of the day; their clock gives the time."""
    lessons: AccountLessons
    """The lessons that people have finished or left."""
    nodes: Nodes
    """All nodes that share the log."""
    admissions: Admissions
    """The guests who may enter private tables."""
    ratings: Ratings | None = None
    """None if there are no accounts, so that nothing is rated."""
