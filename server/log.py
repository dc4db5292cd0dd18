"""The host's log: one line per event, and never a hand, a seed or a local variable in it.

Nothing is written until `log_to` says where; a hub that plays inside a terminal app stays silent.
"""

from __future__ import annotations

import json
from collections.abc import MutableMapping
from typing import Any, TextIO

import structlog

from kk_core.text import LONGEST_LINE, printable, shortened


def log_to(stream: TextIO) -> None:
    """Write the log of this process to a stream, one JSON object a line."""
    structlog.configure(
        processors=[
            structlog.stdlib.add_log_level,
            structlog.processors.TimeStamper(fmt="iso"),
            _make_printable,
            _render,
        ],
        logger_factory=structlog.PrintLoggerFactory(stream),
    )


def _make_printable(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> dict[str, Any]:
    """Names and files are other people's: what they hold must not steer the terminal of whoever reads."""
    return {key: printable(value) if isinstance(value, str) else value for key, value in event.items()}


def _render(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> str:
    """An event as one line of JSON; where that is too long, its longest values are cut."""
    line = json.dumps(event, ensure_ascii=False, default=str)
    for key in sorted(event, key=lambda key: -len(str(event[key]))):
        excess = len(line) - LONGEST_LINE
        if excess <= 0:
            break
        value = str(event[key])
        event[key] = shortened(value, len(value) - excess)
        line = json.dumps(event, ensure_ascii=False, default=str)
    return line


def silence() -> None:
    """Write nothing: the state at the start."""
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())


get_logger = structlog.get_logger

silence()
