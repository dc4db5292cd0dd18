"""Words about the people at a table: bots, clocks, names, spectators, proposals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from time import time
from typing import Final

from msgspec.structs import replace
from rich.cells import cell_len
from textual.content import Content

from kk_core.bot_names import bot_choices, level_of
from kk_core.text import Text, text, text_in
from kk_core.types import Seat
from kk_core.views import (
    DAY,
    ClockRule,
    ClockView,
    ProposalView,
    RatingView,
    SeatView,
    TableLine,
    TableView,
    bare_name,
)
from kk_tui.i18n import _, format_span, ngettext, render
from kk_tui.server_address import ServerAddress

DATABASE_WAITS: Final = text("The server's database isn't answering: the table waits for it.")
"""What people at a server's table read while a change there is still to be stored."""


def bot_level(bot: str) -> str:
    """Return the level of a bot as a word; a bot from another package keeps its own name."""
    return render(level_of(bot))


def bot_label(bot: str) -> str:
    """Return the name of a bot among people."""
    return _("{level} bot", level=bot_level(bot))


def bot_values() -> list[tuple[str, str]]:
    """Return all bots with their labels, for a form."""
    return [(bot, bot_label(bot)) for bot in bot_choices()]


NONE: Final = "none"

PRESETS: Final = {
    NONE: None,
    "fast": ClockRule(30, 5 * 60),
    "usual": ClockRule(60, 15 * 60),
    "slow": ClockRule(2 * 60, 60 * 60),
    "day": ClockRule(DAY),
    "days": ClockRule(3 * DAY),
    "week": ClockRule(7 * DAY),
}
"""The clocks to choose from for a table."""

_EXACT: Final = 120
"""Seconds up to which the remaining time is shown to the second."""


def format_rule(rule: ClockRule | None) -> str:
    """Return the clock of a table in words."""
    if rule is None:
        return render(text_in("clock", "none"))
    if rule.move % DAY == 0:
        return ngettext("{n} day a turn", "{n} days a turn", rule.move // DAY)
    turn = format_span(rule.move) if rule.move % 60 == 0 else _("{n} s", n=rule.move)
    if not rule.bank:
        return _("{turn} a turn", turn=turn)
    return _("{turn} a turn, {bank} reserve", turn=turn, bank=format_span(rule.bank))


def format_left(clock: ClockView, seat: Seat, elapsed: float) -> str:
    """Return the time left after `elapsed` seconds: for the turn while that lasts, then in the bank."""
    if seat >= len(clock.seats):
        return ""
    side = clock.seats[seat]
    gone = elapsed if side.runs else 0.0
    move = side.move - gone
    if side.runs and move > 0:
        return _span(move)
    if not clock.rule.bank and not side.runs:
        return ""
    # The plus distinguishes the time in the bank from that for the turn.
    return _("+{time}", time=_span(max(0.0, side.bank + min(0.0, move)) if side.runs else float(side.bank)))


def next_change(clock: ClockView | None, elapsed: float) -> float | None:
    """Return the seconds until a clock shows another time; None if none runs."""
    # checking every second whether a clock is due costs 0.3 ms of a processor per second, waiting for it
    # 0.05
    waits = []
    for side in () if clock is None else clock.seats:
        move = side.move - elapsed
        left = move if move > 0 else side.bank + move
        if side.runs and left > 0:
            unit = _unit(left)
            waits.append(left - (ceil(left / unit) - 1) * unit)
    return min(waits, default=None)


def _unit(seconds: float) -> int:
    if seconds <= _EXACT:
        return 1
    return next((unit for unit in (DAY, 3600) if seconds > 2 * unit), 60)


def _span(seconds: float) -> str:
    unit = _unit(seconds)
    whole = ceil(seconds / unit) * unit
    return f"{whole // 60}:{whole % 60:02}" if unit == 1 else format_span(whole)


_MINUTE = 60
"""Seconds before it is shown for how long somebody has been away."""


def seat_name(table: TableView, user: str) -> str:
    """Return the name of a user at a table."""
    return next((seat.name for seat in table.seats if seat.owner == user), user)


def opener_words(table: TableLine) -> str:
    """Return who opened a table; "" if they sit there, or if it is called after them."""
    named = {bare_name(table.title), *(bare_name(seat.owner) for seat in table.seats if seat.owner)}
    is_known = not table.owner or bare_name(table.owner) in named or table.lesson or table.daily
    return "" if is_known else _("opened by {name}", name=table.owner)


def after_name(seat: SeatView) -> str:
    """Return the words after a name outside a match: a bot, a program, or away."""
    if seat.bot:
        return f" ({bot_label(seat.bot)})"
    return f"{program_words(is_program=seat.program)}{away_words(seat)}"


def program_words(*, is_program: bool) -> str:
    """Return the words after the name of a program."""
    return _(" (program)") if is_program else ""


_PLAIN_SIGNS: Final = str.maketrans("█▄▁", "#=_")


def signs_in_ascii(signs: str) -> str:
    """Return the signs for how somebody stood in a deal of the day, as any terminal shows them."""
    return signs.translate(_PLAIN_SIGNS)


def replay_words(table: TableView, address: ServerAddress) -> str:
    """Return where the match that has ended at a table can be seen again; "" if not by everybody."""
    url = address.replay_of(table)
    return _("Anybody can see the replay: {url}", url=url) if url else ""


def away_words(seat: SeatView) -> str:
    """Return for how long a person has been away; "" if they are online, and for bots."""
    if seat.owner is None or seat.online:
        return ""
    since = time() - seat.away
    if not seat.away or since < _MINUTE:
        return _(" (away)")
    return _(" (away for {time})", time=format_span(since))


def tells_time(table: TableView) -> bool:
    """Return whether the words about people change as time passes: a clock, or for how long one is away."""
    return table.clock is not None or any(away_words(seat) for seat in table.seats)


def as_remembered(table: TableView) -> TableView:
    """Return a table for looking back at its match: nobody is away or stood in for, and no clock runs."""
    seats = tuple(replace(seat, online=True, stand_in=None, stood_in=0) for seat in table.seats)
    return replace(table, seats=seats, clock=None)


def format_rating(rating: RatingView) -> str:
    """Format a rating and its change by a match; a first estimate is marked: "1523? (+23)"."""
    guess = "" if rating.is_settled else "?"
    change = "" if rating.change is None else f" ({rating.change:+})"
    return f"{rating.shown}{guess}{change}"


def needed_beside_name(table: TableView, index: int, elapsed: float) -> int:
    """Return the columns that a name must leave free: for a running clock, or for away, bot or program."""
    clock, seat = table.clock, table.seats[index]
    status = _statuses(seat)[-1].cell_length
    if clock is not None and _is_running(table, index):
        return len(format_left(clock, index, elapsed)) + 1 + (status if seat.program else 0)
    return status


def gives_way(table: TableView, index: int) -> bool:
    """Return whether the words after a name are left out rather than that it is cut: how well a bot plays,
    and that somebody is away, which the ink of the name shows, too.
    """
    seat = table.seats[index]
    is_away = bool(away_words(seat)) and not (seat.stand_in or seat.program)
    return seat.bot is not None or (is_away and not _is_running(table, index))


def name_ink(table: TableView, index: int) -> str:
    """Return the ink of a name at a table: that of who is away is dim."""
    return "$ink-dim" if away_words(table.seats[index]) else "$ink"


def _is_running(table: TableView, index: int) -> bool:
    clock = table.clock
    return clock is not None and index < len(clock.seats) and clock.seats[index].runs


def shared_form(table: TableView, rooms: Mapping[Seat, int]) -> int | None:
    """Return the longest form of the words after bots' names, 0 or more, that fits all of them.

    `rooms` are the columns after the name of each; None if not even the shortest form fits.
    """
    found = 0
    for index, room in rooms.items():
        forms = [words.cell_length <= room for words in _statuses(table.seats[index])]
        if True not in forms:
            return None
        found = max(found, forms.index(True))
    return found


def beside_name(table: TableView, index: int, elapsed: float, room: int, form: int = 0) -> Content:
    """Return the words after a name at a table, as far as they fit: who plays there, away, time left.

    `elapsed` are the seconds since the table was in this state. Those for a bot are in this `form` of
    `shared_form` at most.
    """
    clock = None if table.seats[index].bot else table.clock
    left = "" if clock is None else format_left(clock, index, elapsed)
    time_left = Content.styled(f" {left}" if left else "", "$happened")
    statuses = _statuses(table.seats[index])
    if table.seats[index].bot:
        statuses = statuses[min(form, len(statuses) - 1) :]
    both = [Content.assemble(status, time_left) for status in statuses]
    alone = [*statuses, time_left]
    alone = alone[::-1] if _is_running(table, index) else alone
    return next((each for each in (*both, *alone) if each.cell_length <= room), Content())


_SHORT_LEVELS: Final = {
    "medium": text("med."),
    "expert": text("exp."),
    "greedy": text("gre."),
    "random": text("ran."),
}
"""The words for longer levels if there is little room."""


def kind_marks(seat: SeatView) -> tuple[str, ...]:
    """Return the words after the name of a bot or a program, from long to short; none for people."""
    if seat.bot:
        level = bot_level(seat.bot)
        short = render(_SHORT_LEVELS[seat.bot]) if seat.bot in _SHORT_LEVELS else level
        return tuple(dict.fromkeys((f" ({bot_label(seat.bot)})", f" ({level})", f" ({short})")))
    return (_(" (program)"), _(" (prog)"), _(" (p)")) if seat.program else ()


def _statuses(seat: SeatView) -> list[Content]:
    """Return the words for a seat that a bot plays or whose player is away, from long to short."""
    if seat.program and not seat.stand_in:
        away = away_words(seat)
        full = (_(" (program)") + away, _(" (prog, away)"), _(" (p, away)"))
        words = full if away else kind_marks(replace(seat, bot=None))
        return [Content.styled(label, "$ink-dim") for label in words]
    if seat.stand_in:
        return [Content.styled(words, "$refused") for words in (_(" (a bot plays)"), _(" (bot)"))]
    if seat.bot:
        return [Content.styled(words, "$ink-dim") for words in kind_marks(seat)]
    if seat.has_given_up:
        return [Content.styled(_(" (gave up)"), "$ink-dim"), Content()]
    if away_words(seat):
        return [Content.styled(words, "$ink-dim") for words in (away_words(seat), _(" (away)"), _(" away"))]
    return [Content()]


def status_words(seat: SeatView) -> str:
    """Return the words after a name in a match: a bot or a program, away, or that a bot plays for them."""
    return _statuses(seat)[0].plain


def given_up_words() -> str:
    """Return what those are told who have given up: their seat stays with a bot."""
    return _("You have given up: a bot plays for you.")


def watching_words(table: TableView, user: str) -> str:
    """Return the line for spectators and for players who have resigned; "" for anybody else."""
    own = [seat for seat in table.seats if seat.owner == user]
    if own and all(seat.has_given_up for seat in own) and table.phase == "playing":
        return given_up_words()
    if user not in table.watchers or table.phase == "replay":
        return ""
    others = [name for name in table.watchers if name != user]
    if others:
        return _("You are watching, with {names}.", names=", ".join(others))
    return _("You are watching.")


def played_for(table: TableView, user: str) -> list[int]:
    """Return a user's seats where a bot plays until they come back; none after the end."""
    if table.phase != "playing":
        return []
    seats = enumerate(table.seats)
    return [i for i, seat in seats if seat.owner == user and seat.stand_in and not seat.has_given_up]


def proposal_words(table: TableView, proposal: ProposalView) -> Text:
    """Return a proposal as a sentence."""
    name = seat_name(table, proposal.user)
    seat = table.seats[proposal.seat].name if proposal.seat is not None else ""
    match proposal.what:
        case "start":
            return text("{name} is ready to begin", name=name)
        case "rematch":
            return text("{name} would like a rematch", name=name)
        case "abort":
            return text("{name} would like to abort the match, without a result", name=name)
        case "resign":
            return text("{name} would like to give up; a bot would play on", name=name)
        case "close":
            return text("{name} would like to close the table", name=name)
        case "bot":
            return text("{name} would like a bot to play for {seat} for now", name=name, seat=seat)
        case _:
            return text("{name} proposes something only a newer version knows", name=name)


def waits_for(table: TableView, proposal: ProposalView) -> str:
    """Return the names of those who have not answered."""
    return ", ".join(seat_name(table, user) for user in proposal.waits)


def here_words(users: Sequence[str], width: int, total: int | None = None) -> str:
    """Return a line of at most `width` columns that counts the people here and names as many as fit.

    The `total` may include people who are not among the `users`.
    """
    n = len(users) if total is None else total
    most = min(len(users), width // 2)  # a name takes at least two columns
    for left_out in range(n - most, n):
        names = ", ".join(users[: n - left_out])
        words = (
            ngettext(
                "{total} here: {names} and {n} other", "{total} here: {names} and {n} others", left_out,
                total=n, names=names,
            )
            if left_out
            else ngettext("{n} here: {names}", "{n} here: {names}", n, names=names)
        )  # fmt: skip
        if cell_len(words) <= width:
            return words
    return ngettext("{n} here", "{n} here", n)
