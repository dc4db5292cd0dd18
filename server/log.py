"""The host's log: one line per event, and never a hand, a seed or a local variable in it.

Nothing is written until `log_to` says where; a hub that plays inside a terminal app stays silent.
"""

from __future__ import annotations

from typing import TextIO

import structlog


def log_to(stream: TextIO) -> None:
    """Write the log of this process to a stream, one JSON object a line."""
    structlog.configure(
        processors=[
            structlog.stdlib.add_log_level,
            structlog.processors.TimeStamper(fmt="iso"),
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ],
        logger_factory=structlog.PrintLoggerFactory(stream),
    )


def silence() -> None:
    """Write nothing: the state at the start."""
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())


def where(error: BaseException) -> str:
    """A fault without any value that was at hand: the error's type and the line that raised it."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return type(error).__name__
    return f"{type(error).__name__} in {trace.tb_frame.f_code.co_qualname}:{trace.tb_lineno}"


get_logger = structlog.get_logger

silence()
