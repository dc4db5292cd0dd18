"""When something was, for the person in front of the screen."""

from __future__ import annotations

from datetime import datetime, timedelta

from kk_tui.i18n import _


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
