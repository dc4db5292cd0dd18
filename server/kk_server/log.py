"""The host's log: one line per event, which never contains a hand, a seed or a local variable.

Nothing is written until `log_to` is called, and structlog (18 ms) is not imported before that: a hub inside
a terminal app stays silent. `take_in_others` turns messages of libraries and of the interpreter into events.
"""

from __future__ import annotations

import json
import logging
import sys
import threading
from collections.abc import Callable, Mapping, MutableMapping
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from os import environ
from shutil import get_terminal_size
from textwrap import wrap
from typing import Any, Final, Literal, TextIO, TypeAlias

from kk_core.errors import where
from kk_core.reasons import system_reason
from kk_core.text import Text, printable, shortened

Style: TypeAlias = Literal["json", "text"]
"""One JSON object per line, or plain words; at a terminal, short lines for a person instead."""

_always: dict[str, Any] = {}

_place = {"terminal": False, "colours": False}
"""Whether the log goes to a terminal, where somebody reads it, and whether that shows colours."""


class Logger:
    """Writes the events of a process to its log."""

    writer: Any = None
    """structlog's logger; None while nothing is written."""

    fault: Text | None = None
    """Why the last line could not be written; None if it was."""

    def info(self, event: str, **details: Any) -> None:
        """Log something ordinary."""
        if self.writer is not None:
            self._write(self.writer.info, event, details)

    def warning(self, event: str, **details: Any) -> None:
        """Log something that the host should look at."""
        if self.writer is not None:
            self._write(self.writer.warning, event, details)

    def error(self, event: str, **details: Any) -> None:
        """Log something that went wrong."""
        if self.writer is not None:
            self._write(self.writer.error, event, details)

    def _write(self, write: Callable[..., object], event: str, details: Mapping[str, Any]) -> None:
        try:
            write(event, **details)
            self.fault = None
        except OSError as error:
            # a full disk, or a reader or terminal that is gone, is no reason not to serve
            self.fault = system_reason(error)


_LOGGER: Final = Logger()


def get_logger() -> Logger:
    """Return the logger of this process; it may be used before `log_to`."""
    return _LOGGER


def log_session(name: str) -> None:
    """Add a session to every line that this task, and the tasks it starts, write from now on."""
    if not is_silent():
        from structlog.contextvars import bind_contextvars

        # tasks copy the context of the task that starts them, so their lines have it too
        bind_contextvars(session=name)


def session_name() -> str | None:
    """Return the session that lines currently carry."""
    if is_silent():
        return None
    from structlog.contextvars import get_contextvars

    name: str | None = get_contextvars().get("session")
    return name


def log_of(**details: Any) -> AbstractContextManager[None]:
    """Add these details to every line within the context, and in tasks started there."""
    if is_silent():
        return nullcontext()
    from structlog.contextvars import bound_contextvars

    return bound_contextvars(**details)


def log_to(stream: TextIO, style: Style = "json", worker: int | None = None) -> None:
    """Write the log to a stream, one event per line; in a `worker`, lines carry its number."""
    import structlog

    if worker is not None:
        _always["worker"] = worker
    _place["terminal"] = stream.isatty()
    _place["colours"] = not environ.get("NO_COLOR") and environ.get("TERM", "dumb") != "dumb"
    # a line and its end in a single write, since workers write to the same stream
    factory = structlog.WriteLoggerFactory(stream)
    structlog.configure(processors=_processors(style), logger_factory=factory)
    _LOGGER.writer = structlog.get_logger()


def log_as(style: Style) -> None:
    """Switch to another style, if anything is written."""
    if not is_silent():
        import structlog

        structlog.configure(processors=_processors(style))


def is_silent() -> bool:
    """Return whether nothing is written."""
    return _LOGGER.writer is None


def _processors(style: Style) -> list[Any]:
    import structlog

    return [
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso"),
        structlog.contextvars.merge_contextvars,
        _name_worker,
        _make_printable,
        _put_in_order,
        _tell if _place["terminal"] else _render if style == "json" else _say,
    ]


def _name_worker(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    event.update(_always)
    return event


def _make_printable(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> dict[str, Any]:
    # names and files are chosen by others, and must not control the terminal of whoever reads the log
    return {key: printable(value) if isinstance(value, str) else value for key, value in event.items()}


_FIRST: Final = ("timestamp", "level", "event", "address")
"""The first keys of a line, before anything that users have chosen, so that programs can rely on them."""


def _put_in_order(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> dict[str, Any]:
    return {key: event[key] for key in _FIRST if key in event} | dict(event)


_LONGEST: Final = 200
"""Maximum characters of a line; with many values it may get slightly longer."""

_LEAST: Final = 20
"""Characters of a value that are never cut."""


def _render(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> str:
    """Format an event as one line of JSON, cutting the longest values if it is too long."""
    line = json.dumps(event, ensure_ascii=False, default=str)
    # never the first keys, which programs rely on
    for key in sorted(event.keys() - {*_FIRST}, key=lambda key: (-len(str(event[key])), key)):
        excess = len(line) - _LONGEST
        if excess <= 0:
            break
        value = str(event[key])
        event[key] = shortened(value, max(_LEAST, len(value) - excess))
        line = json.dumps(event, ensure_ascii=False, default=str)
    return line


def _say(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> str:
    """Format an event as words: time, level, event and details."""
    at, level, what = (event.pop(key, "") for key in ("timestamp", "level", "event"))
    details = " ".join(f"{key}={value}" for key, value in event.items() if value is not None)
    return shortened(f"{at} {level:<7} {what}{': ' if details else ''}{details}", _LONGEST)


_CLOCK: Final = "%H:%M"

_LEFT_OUT: Final = ("session", "host_key", "purpose", "worker")
"""Details that tell a person at the terminal nothing."""

_UNTOLD: Final = frozenset({"session opened", "session closed"})
"""Events that a person at the terminal is told as others: who came, and who left."""

_SENTENCES: Final = {
    "connect": "{user} came, from {address}",
    "disconnect": "{user} left",
    "command": "{user} ran: {command}",
    "admin command": "{user}, as admin: {command} ({outcome})",
    "files": "{user} opened their files, from {address}",
    "refused": "{user}, from {address}, was refused: {reason}",
    "auth failed": "{user}, from {address}, could not log in: {reason}",
    "turned away": "{address} was turned away: {reason}",
    "ended": "{user} was sent away: {reason}",
    "table opened": "{user} opened table {table} ({game})",
    "table closed": "table {table} was closed",
    "match finished": "the match at table {table} is over",
    "key linked": "{user} added an SSH key, from {address}",
    "key removed": "{user} removed an SSH key",
    "kicked": "{by} kicked {user}",
    "banned": "{by} banned {what}",
    "unbanned": "{by} lifted the ban of {what}",
    "muted": "{by} muted {what}",
    "unmuted": "{by} let {what} speak again",
    "report": "{user} reported {about}",
    "started": "started, with {tables} tables",
}
"""What a person at the terminal reads for frequent events, with the details that matter."""

_REFUSALS: Final = frozenset({"refused", "auth failed", "turned away", "ended", "kicked", "banned"})
_DIM, _YELLOW, _RED, _PLAIN = "\x1b[2m", "\x1b[33m", "\x1b[31m", "\x1b[0m"
_INKS: Final = {"warning": _YELLOW, "error": _RED, "disconnect": _DIM, **dict.fromkeys(_REFUSALS, _YELLOW)}
"""Colours of levels and events."""

_LONGEST_TOLD: Final = 400
"""Characters that a person at the terminal is told at most, in as many lines as that takes."""


def _tell(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> str:
    """Format an event for a person: the local time and a sentence, or the event with its main details."""
    from structlog import DropEvent

    at, level, what = (event.pop(key, "") for key in ("timestamp", "level", "event"))
    if what in _UNTOLD:
        raise DropEvent
    told = {key: value for key, value in event.items() if value is not None and key not in _LEFT_OUT}
    try:
        said = _SENTENCES[what].format_map(told)
    except KeyError:  # another event, or one without these details
        details = ", ".join(f"{key} {value}" for key, value in told.items())
        said = f"{what}{': ' if details else ''}{details}"
    clock = datetime.fromisoformat(at).astimezone().strftime(_CLOCK)
    line = shortened(f"{clock} {'' if level == 'info' else f'{level}: '}{said}", _LONGEST_TOLD)
    width = max(_LEAST, get_terminal_size().columns - 1)
    rows = "\n".join(wrap(line, width, subsequent_indent=" " * (len(clock) + 1)))
    ink = _INKS.get(what) or _INKS.get(level)
    return f"{ink}{rows}{_PLAIN}" if ink and _place["colours"] else rows


def silence() -> None:
    """Write nothing, as before `log_to`."""
    _LOGGER.writer = _LOGGER.fault = None


# -- what libraries would write to standard error ------------------------------------------------------------


def take_in_others() -> None:
    """From now on, log messages and warnings of libraries, and uncaught errors."""
    logging.getLogger().addHandler(_Others(logging.WARNING))
    logging.captureWarnings(capture=True)
    # one line with the place of the error, instead of a traceback
    sys.excepthook = lambda _kind, error, _trace: _fault("fault", error)
    sys.unraisablehook = lambda fault: _fault("fault", fault.exc_value)
    threading.excepthook = lambda fault: _fault("fault in a thread", fault.exc_value)


class _Others(logging.Handler):
    """Forwards the messages of libraries to the log."""

    def emit(self, record: logging.LogRecord) -> None:
        """Log a record at its level."""
        write = get_logger().error if record.levelno >= logging.ERROR else get_logger().warning
        error = record.exc_info[1] if record.exc_info else None
        write("library", name=record.name, message=record.getMessage(), **_place_of(error))


def _fault(event: str, error: BaseException | None) -> None:
    get_logger().error(event, **_place_of(error))


def _place_of(error: BaseException | None) -> dict[str, str]:
    return {} if error is None else {"error": where(error)}
