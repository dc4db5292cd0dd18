"""Tasks that run independently of their callers."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextvars import Context
from typing import Any

from kk_server.log import log_session, session_name


def spawn(work: Coroutine[Any, Any, None], name: str, *, named: bool = False) -> asyncio.Task[None]:
    """Run in an empty context, and not before the caller yields.

    A hosted app leaves itself in context variables and may set an eager task factory on the loop; tables and
    sessions must inherit neither. A task that is `named` stays in the session that the log names now.
    """
    context = Context()
    if named and (session := session_name()) is not None:
        context.run(log_session, session)
    return asyncio.Task(work, loop=asyncio.get_running_loop(), name=name, context=context)
