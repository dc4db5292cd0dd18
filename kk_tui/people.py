"""What people at a table are called and asked, in words."""

from __future__ import annotations

from time import time

from rich.cells import cell_len
from textual.content import Content

from kk_core.text import Text, text
from kk_core.wire.views import ProposalView, SeatView, TableView
from kk_tui.bots import bot_level
from kk_tui.clocks import format_left
from kk_tui.dates import format_span
from kk_tui.i18n import _


def seat_name(table: TableView, user: str) -> str:
    """What a user is called at a table."""
    return next((seat.name for seat in table.seats if seat.owner == user), user)


def away_words(seat: SeatView) -> str:
    """Behind the name of a person: since when he is away; nothing for who is here, and for bots."""
    if seat.owner is None or seat.online:
        return ""
    if not seat.away:
        return _(" (away)")
    return _(" (away for {time})", time=format_span(time() - seat.away))


def beside_name(table: TableView, index: int, elapsed: float, room: int) -> Content:
    """What stands behind a name at a table, in so many columns: who plays there or is away, and his time.

    `elapsed` are the seconds since the table was seen so.
    """
    left = "" if table.clock is None else format_left(table.clock, index, elapsed)
    time_left = Content.styled(f" {left}" if left else "", "$happened")
    if time_left.cell_length > room:
        return Content()
    return Content.assemble(_status(table.seats[index], room - time_left.cell_length), time_left)


def _status(seat: SeatView, room: int) -> Content:
    bot = bot_level(seat.bot) if seat.bot else ""
    if seat.stand_in:
        words = [_(" (a bot plays)"), _(" (bot)")]
    elif bot:
        words = [f" ({bot})"]
    else:
        words = [away_words(seat), _(" (away)") if away_words(seat) else ""]
    fitting = next((each for each in words if cell_len(each) <= room), "")
    return Content.styled(fitting, "$refused" if seat.stand_in else "$ink-dim")


def proposal_words(table: TableView, proposal: ProposalView) -> Text:
    """What somebody proposes."""
    name = seat_name(table, proposal.user)
    seat = table.seats[proposal.seat].name if proposal.seat is not None else ""
    match proposal.what:
        case "start":
            return text("{name} is ready to begin", name=name)
        case "rematch":
            return text("{name} would like a rematch", name=name)
        case "abort":
            return text("{name} would like to break the match off, without a result", name=name)
        case "resign":
            return text("{name} would like to give up; a bot would play on", name=name)
        case "close":
            return text("{name} would like to close the table", name=name)
        case "bot":
            return text("{name} would like a bot to play for {seat} meanwhile", name=name, seat=seat)
        case _:
            return text("{name} proposes something that only a newer program knows", name=name)


def waits_for(table: TableView, proposal: ProposalView) -> str:
    """Whose answer is missing."""
    return ", ".join(seat_name(table, user) for user in proposal.waits)
