"""Clocks in words: what a table plays with, and what somebody has left."""

from __future__ import annotations

from math import ceil
from typing import Final

from kk_core.types import Seat
from kk_core.wire.clock import DAY, ClockRule, ClockView
from kk_tui.dates import format_span
from kk_tui.i18n import _, ngettext

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
"""What can be chosen for a table."""

_EXACT: Final = 120
"""The last seconds, of which every one is shown."""


def format_rule(rule: ClockRule | None) -> str:
    """What a table plays with."""
    if rule is None:
        return _("none: everybody takes his time")
    if rule.move % DAY == 0:
        return ngettext("{n} day a turn", "{n} days a turn", rule.move // DAY)
    turn = format_span(rule.move) if rule.move % 60 == 0 else _("{n} s", n=rule.move)
    if not rule.bank:
        return _("{turn} a turn", turn=turn)
    return _("{turn} a turn, {bank} besides", turn=turn, bank=format_span(rule.bank))


def format_left(clock: ClockView, seat: Seat, elapsed: float) -> str:
    """What somebody has left so many seconds later: for the turn while that lasts, then in the bank."""
    if seat >= len(clock.seats):
        return ""
    side = clock.seats[seat]
    gone = elapsed if side.runs else 0.0
    move = side.move - gone
    if side.runs and move > 0:
        return _span(move)
    if not clock.rule.bank and not side.runs:
        return ""
    return _("+{time}", time=_span(max(0.0, side.bank + min(0.0, move)) if side.runs else float(side.bank)))


def next_change(clock: ClockView | None, elapsed: float) -> float | None:
    """In how many seconds a clock shows something else by itself; None if none runs."""
    waits = []
    for side in () if clock is None else clock.seats:
        move = side.move - elapsed
        left = move if move > 0 else side.bank + move
        if side.runs and left > 0:
            unit = _unit(left)
            waits.append(left - (ceil(left / unit) - 1) * unit)
    return min(waits, default=None)


def _unit(seconds: float) -> int:
    """What is counted while so much is left."""
    if seconds <= _EXACT:
        return 1
    return next((unit for unit in (DAY, 3600) if seconds > 2 * unit), 60)


def _span(seconds: float) -> str:
    """What is left, begun units in full."""
    unit = _unit(seconds)
    whole = ceil(seconds / unit) * unit
    return f"{whole // 60}:{whole % 60:02}" if unit == 1 else format_span(whole)
