"""The order in which tables matter to a user, and what each is waiting for."""

from __future__ import annotations

from kk_core.text import Text, text_in
from kk_core.views import LobbyView, TableLine
from kk_tui.i18n import _, ngettext, render

YOUR_TURN, YOURS, OPEN, RUNNING, ENDED = range(5)
"""Ranks of tables, in list order."""


def rank(table: TableLine, user: str) -> int:
    """Return the rank of a table in a user's list; a match they have resigned ranks as other people's."""
    is_own = any(seat.owner == user and not seat.has_given_up for seat in table.seats)
    if table.phase == "playing":
        return YOUR_TURN if table.waits_for(user) else YOURS if is_own else RUNNING
    if table.phase == "open":
        return YOURS if is_own else OPEN
    return ENDED


def running_match(lobby: LobbyView, user: str) -> TableLine | None:
    """Return the user's most urgent match, or None if they are in none.

    One where it is their turn comes first, then one where a bot stands in for them, then one with a clock,
    then the one that changed last.
    """
    own = [
        table
        for table in lobby.tables
        if table.phase == "playing"
        and table.unplayable is None
        and not (table.lesson or table.daily)
        and rank(table, user) in (YOUR_TURN, YOURS)
    ]

    def urgency(table: TableLine) -> tuple[bool, bool, bool, int]:
        missed = any(holder.owner == user and holder.stood_in for holder in table.seats)
        return rank(table, user) == YOUR_TURN, missed, table.clock is not None, table.at

    return max(own, key=urgency, default=None)


def way_of(table: TableLine, user: str) -> str:
    """Return in a word or two what a table is to a user: theirs, or what they can do there."""
    return render(_way(table, rank(table, user)))


def _way(table: TableLine, place: int) -> Text:
    if table.unplayable is not None:
        return text_in("table", "unplayable")
    if table.phase == "playing" and (table.lesson or table.daily):
        return text_in("table", "lesson") if table.lesson else text_in("table", "daily deal")
    if place == YOUR_TURN:
        return text_in("table", "your turn")
    if place == YOURS:
        return text_in("table", "your match") if table.phase == "playing" else text_in("table", "your seat")
    if place == OPEN:
        return text_in("table", "join") if free_seats(table) else text_in("table", "full")
    if place == RUNNING:
        return text_in("table", "watch") if table.watched else text_in("table", "closed")
    return text_in("table", "finished")


def progress_of(table: TableLine) -> str:
    """Return how far a table is: its free seats before the match, the round in it; "" after it."""
    if table.phase == "open":
        free = free_seats(table)
        return ngettext("{n} free", "{n} free", free) if free else ""
    is_counted = table.phase == "playing" and table.round and not table.lesson
    return _("round {n}", n=table.round) if is_counted else ""


def free_seats(table: TableLine) -> int:
    """Return how many seats nobody has."""
    return sum(1 for seat in table.seats if not seat.owner and not seat.bot)


def state_of(table: TableLine, user: str) -> str:
    """Return the state of a table in a few words."""
    if table.unplayable is not None:
        return _("unplayable here")
    if table.phase == "open":
        free = free_seats(table)
        if not free:
            return _("open, all seats taken")
        return ngettext("open, {n} free seat", "open, {n} free seats", free)
    if table.lesson and table.phase == "playing":
        return _("your lesson waits") if rank(table, user) == YOURS else _("lesson")
    if table.daily and table.phase == "playing":
        return _("deal of the day")
    if table.phase == "playing":
        if rank(table, user) == YOUR_TURN:
            return _("your turn, round {n}", n=table.round)
        return _("playing, round {n}", n=table.round) if table.round else _("playing")
    return _("finished")
