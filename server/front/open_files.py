"""How many files this process may open, and what is done where they do not suffice.

Every connection is one. A server that accepts more than fit could not store moves any more: it accepts fewer.
"""

from __future__ import annotations

import asyncio
import errno
import resource
from contextlib import suppress
from time import monotonic
from typing import Any, Final

from msgspec.structs import replace

from kk_core.errors import where
from server.front.limits import ServerLimits
from server.front.turning_away import AT_ONCE
from server.log import get_logger

INFINITY: Final = resource.RLIM_INFINITY

BACKLOG: Final = 100
"""Connections that may wait to be accepted, which is done with all of them at once."""

_OWN: Final = 64 + AT_ONCE
"""Files that the server needs for itself: tables, log, records, processes of bots, and whom it turns away."""

_EXHAUSTED: Final = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_SAID_APART: Final = 60.0

_log = get_logger()


def raise_limit() -> None:
    """Have as many files as the system lets this process have."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):  # some systems call a number infinite that they do not allow
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def allowed() -> int:
    """How many files this process may open now."""
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def backlog_of(files: int) -> int:
    """How many connections may wait to be accepted where there are so many files."""
    return BACKLOG if files == INFINITY else max(1, min(BACKLOG, files // 8))


def fitting(limits: ServerLimits, files: int) -> ServerLimits:
    """As many connections as so many files suffice for."""
    room = files - _OWN - backlog_of(files)
    if files == INFINITY or limits.connections + limits.unauthenticated <= room:
        return limits
    strangers = max(1, min(limits.unauthenticated, room // 4))
    connections = max(1, min(limits.connections, room - strangers))
    if (connections, strangers) != (limits.connections, limits.unauthenticated):
        _log.warning("fewer connections", files=files, connections=connections, unauthenticated=strangers)
    return replace(limits, connections=connections, unauthenticated=strangers)


class LoopFaults:
    """Says in a line what goes wrong in the event loop and nobody waits for; asyncio writes tracebacks."""

    def __init__(self) -> None:
        self._said = -_SAID_APART

    def __call__(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """What `set_exception_handler` asks for."""
        error = context.get("exception")
        if isinstance(error, OSError) and error.errno in _EXHAUSTED:
            self._say_exhausted(error)
        else:
            message = context.get("message")
            _log.error("fault", message=message, error=None if error is None else where(error))

    def _say_exhausted(self, error: OSError) -> None:
        if monotonic() - self._said >= _SAID_APART:
            self._said = monotonic()
            _log.error("cannot accept connections", reason=error.strerror, tried_again="every second")
