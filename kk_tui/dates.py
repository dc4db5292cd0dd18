"""When something was, for the person in front of the screen."""

from __future__ import annotations

from datetime import datetime, timedelta

from kk_tui.i18n import _

_HOUR, _DAY = 3600, 86400


def format_when(at: int, now: datetime | None = None) -> str:
    """A time in seconds since 1970: today and yesterday with the hour, before that the day alone."""
    now = now or datetime.now().astimezone()
    then = datetime.fromtimestamp(at, now.tzinfo)
    time = f"{then:%H:%M}"
    if then.date() == now.date():
        return _("today {time}", time=time)
    if then.date() == (now - timedelta(days=1)).date():
        return _("yesterday {time}", time=time)
    return f"{then:%Y-%m-%d}"


def format_span(seconds: float) -> str:
    """How long something takes or is ago, in its largest unit."""
    whole = max(0, int(seconds))
    if whole >= 2 * _DAY:
        return _("{n} days", n=whole // _DAY)
    if whole >= 2 * _HOUR:
        return _("{n} h", n=whole // _HOUR)
    return _("{n} min", n=max(1, whole // 60))
