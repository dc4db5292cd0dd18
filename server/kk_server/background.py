"""Tasks and subprocesses that run independently of their callers, and end with the server."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Coroutine
from contextvars import Context
from typing import Any, TypeVar

from kk_server.log import log_session, session_name

T = TypeVar("T")


def spawn(work: Coroutine[Any, Any, T], name: str, *, named: bool = False) -> asyncio.Task[T]:
    """Run in an empty context, and not before the caller yields.

    A hosted app leaves itself in context variables and may set an eager task factory on the loop; tables and
    sessions must inherit neither. A `named` task keeps the session that log lines currently carry.
    """
    context = Context()
    if named and (session := session_name()) is not None:
        context.run(log_session, session)
    return asyncio.Task(work, loop=asyncio.get_running_loop(), name=name, context=context)


def retrieve(task: asyncio.Task[Any]) -> None:
    """Retrieve the exception of a finished task for which perhaps nobody waits any longer, if it has one."""
    # asyncio complains about exceptions that are never retrieved
    if not task.cancelled():
        task.exception()


def command_of(module: str, *arguments: str) -> list[str]:
    """Return the command that runs a module as a program."""
    return [sys.executable, "-P", "-m", module, *arguments]


def environment() -> dict[str, str]:
    """Return an environment with this process's module path."""
    return os.environ | {"PYTHONPATH": os.pathsep.join(path or os.curdir for path in sys.path)}
