"""Carries one command out."""

from __future__ import annotations

import asyncio

from kk_core.errors import KkError
from kk_core.text import Text, text
from server.front.console.desk import Desk, Refused, Work
from server.log import get_logger

_log = get_logger()


class Command:
    """One command."""

    def __init__(self, desk: Desk, command: str, work: Work) -> None:
        self._desk = desk
        self._command = command
        self._work = work
        self._task: asyncio.Task[object] | None = None
        self._reason: Text | None = None

    async def run(self) -> None:
        """Carry it out. Raises `KkError` where it is refused."""
        self._task = asyncio.current_task()
        try:
            await (self._audited() if self._work.is_admins else self._work.run(self._desk))
        except asyncio.CancelledError:
            if self._reason is None:
                raise
            raise Refused(self._reason) from None

    async def _audited(self) -> None:
        """What changes something for others is kept, with what came of it. Raises `KkError`."""
        if not self._desk.asker.is_admin:
            self._keep("refused: not an admin")
            raise Refused(text("Only those who run this server can do this."))
        self._desk.house.audit.check()
        outcome = "failed"
        try:
            await self._work.run(self._desk)
            outcome = "done"
        except KkError as error:
            outcome = f"refused: {error}"
            raise
        finally:
            self._keep(outcome)

    def _keep(self, outcome: str) -> None:
        asker = self._desk.asker
        said = {"address": asker.address, "user": asker.user, "command": self._command, "outcome": outcome}
        _log.info("admin command", **said)
        try:
            self._desk.house.audit.add(asker.user, asker.key, asker.address, self._command, outcome)
        except KkError as error:
            _log.error("not in the audit log", reason=str(error))

    def stop(self, reason: Text | None = None) -> None:
        """Nobody waits for it any more, or is to; a change that has begun is done to its end."""
        self._reason = self._reason or reason
        if self._task is not None and not (self._work.is_admins or self._work.is_change):
            self._task.cancel()
