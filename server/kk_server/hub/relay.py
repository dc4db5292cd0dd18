"""A session's stay at a table that another node serves.

Requests about the table go there as they are, and what comes back goes to the client. If the node is lost,
or serves the table no longer, the stay goes on wherever the table is served then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Protocol

from kk_core.errors import KkError, where
from kk_core.protocol.messages import (
    Analyse,
    ClientMessage,
    Contribute,
    Done,
    GetCourse,
    GetRecord,
    GetRemarks,
    Goodbye,
    GoOn,
    GoTo,
    HandOn,
    Hint,
    Invite,
    LeaveSeat,
    Look,
    LookBack,
    Play,
    PlayOn,
    Preview,
    Propose,
    Refused,
    Report,
    Resync,
    Say,
    SayPhrase,
    ServerMessage,
    SetBot,
    Snapshot,
    Start,
    TakeSeat,
    Undo,
    Vote,
    Weigh,
    WhyNot,
)
from kk_core.protocol.stream import ClientLink, LinkClosed
from kk_core.text import Text, text
from kk_server.background import spawn
from kk_server.log import get_logger
from kk_server.storage.table_log import AWAY
from kk_server.tables.nodes import Elsewhere, Nodes, Visitor

FOR_PLACES: Final = (
    Analyse, Contribute, GetCourse, GetRecord, GetRemarks, GoOn, HandOn, Hint, Invite, LeaveSeat, Look,
    LookBack, Play, PlayOn, Preview, Propose, Report, Resync, Say, SayPhrase, SetBot, Start, TakeSeat, Undo,
    Vote, Weigh, WhyNot,
)  # fmt: skip
"""Requests that are carried out where the user is; all others are the business of the node they came to."""

_ASIDE: Final = (Hint, Weigh, Analyse)
"""Requests whose answers nobody has to wait for."""

_PATIENCE: Final = 20.0
"""Seconds in which a table must be served again after its node was lost."""

_AGAIN: Final = 0.1
"""Seconds between two attempts."""

OWN: Final = 2**32
"""The number of requests that no client has made."""

_LOST: Final = text("The table has moved to another machine; please look whether this was done.")
_MOVED_ON: Final = text("You've moved on in the meantime.")
_UNREACHABLE: Final = text("The table can't be reached; please try again in a moment.")

_logger = get_logger()


class RelayedSession(Protocol):
    """A session as its relay knows it."""

    async def show(self, message: ServerMessage, /) -> None:
        """Send what another node shows the user, as soon as there is room."""
        ...

    def reply(self, reply: ServerMessage, /) -> None:
        """Send an answer, after all before."""
        ...

    def send_away(self, reason: Text, /) -> None:
        """Move the user to the lobby, and say why."""
        ...

    async def come_back(self, message: ClientMessage, /) -> None:
        """Go to a table that has moved to this node. Raises `KkError`, `Elsewhere` if it has moved on."""
        ...


class Relay:
    """One session at a table of another node."""

    def __init__(self, session: RelayedSession, nodes: Nodes, visitor: Visitor, table: str) -> None:
        self.table = table
        self._session = session
        self._nodes = nodes
        self._visitor = visitor
        self._link: ClientLink | None = None
        self._pending: dict[int, ClientMessage] = {}
        self._changed = asyncio.Event()
        self._look: Look | None = None
        self._task: asyncio.Task[None] | None = None

    async def enter(self, message: ClientMessage) -> tuple[list[ServerMessage], ServerMessage]:
        """Carry out a request at the node that serves the table.

        Returns what was shown before the answer, and the answer: with a snapshot, the user is there now.
        Raises `Elsewhere` if the table is served by this node, and `LinkClosed` if by none.
        """
        try:
            async with asyncio.timeout(_PATIENCE):
                while True:
                    if self._nodes.is_home(self.table):
                        raise Elsewhere(self.table)
                    try:
                        return await self._enter(message)
                    except LinkClosed:
                        await asyncio.sleep(_AGAIN)
        except TimeoutError:
            raise LinkClosed(_UNREACHABLE) from None

    async def _enter(self, message: ClientMessage) -> tuple[list[ServerMessage], ServerMessage]:
        link = await self._nodes.link(self.table, self._visitor)
        shown, is_there = list[ServerMessage](), False
        try:
            await link.send(message)
            while getattr(received := await link.receive(), "request", -1) != message.request:
                if isinstance(received, Goodbye):
                    raise LinkClosed(received.reason)
                shown.append(received)
            is_there = any(isinstance(each, Snapshot) for each in shown)
        finally:
            if is_there:
                self._link = link
            else:
                await link.close()
        return shown, received

    @property
    def is_there(self) -> bool:
        """True once the user is at the table."""
        return self._link is not None

    def begin(self, message: ClientMessage | None = None) -> None:
        """Show what happens there from now on; go there first by a `message`, which no client has sent."""
        self._task = spawn(self._run(message), f"relay to {self.table}", named=True)

    async def close(self, *, has_left: bool = False) -> None:
        """End the stay, because the connection is lost or the user `has_left`; refuse what has no answer."""
        # not from within: whoever goes back to a table of this node ends by itself
        if self._task is not None and self._task is not asyncio.current_task():
            self._task.cancel()
            await asyncio.wait([self._task])
        if self._link is not None:
            if has_left:
                with suppress(LinkClosed):
                    await self._link.send(GoTo(OWN, None))
            await self._link.close()
        self._refuse(_MOVED_ON)

    # -- there and back --------------------------------------------------------------------------------------

    async def send(self, message: ClientMessage) -> None:
        """Forward a request, as soon as the table is served."""
        self._pending[message.request] = message
        await self._until(lambda: self.is_there or message.request not in self._pending)
        if self._link is not None:
            # a lost link is noticed by whoever receives
            with suppress(LinkClosed):
                await self._link.send(message)

    async def settled(self) -> None:
        """Wait until all requests that change something are answered."""
        await self._until(lambda: all(isinstance(each, _ASIDE) for each in self._pending.values()))

    async def _until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            self._changed.clear()
            await self._changed.wait()

    async def _run(self, message: ClientMessage | None) -> None:
        try:
            while message is None or await self._go(message):
                if not await self._show():
                    return
                message = GoTo(OWN, self.table)
        except Exception as error:  # a fault of ours must not leave anybody at a table that stands still
            _logger.error("visit failed", table=self.table, error=where(error))
            self._session.send_away(_UNREACHABLE)

    async def _show(self) -> bool:
        """Show what happens there; returns True if the node is lost, and False if the user is sent away."""
        assert self._link is not None, "they are there"
        while True:
            try:
                message = await self._link.receive()
            except KkError:
                break
            if isinstance(message, Goodbye):
                self._refuse(_MOVED_ON)
                self._session.send_away(message.reason)
                return False
            request = getattr(message, "request", -1)
            if request == OWN:
                continue
            asked = self._pending.pop(request, None)
            if isinstance(asked, Look) and isinstance(message, Done):
                self._look = asked
            self._changed.set()
            await self._session.show(message)
        await self._link.close()
        self._link = None
        self._refuse(_LOST)
        return True

    async def _go(self, message: ClientMessage) -> bool:
        """Go to the table once it can be read; returns False if it is here, or the user cannot go there."""
        loop = asyncio.get_running_loop()
        end = loop.time() + _PATIENCE
        while (reason := await self._try(message)) is not None:
            # the database is often away when a table has lost its node, and the nodes do not agree at once
            if reason not in (AWAY, _UNREACHABLE) or loop.time() > end:
                self._session.send_away(reason)
                return False
            await asyncio.sleep(_AGAIN)
        return self.is_there

    async def _try(self, message: ClientMessage) -> Text | None:
        """Go to the table wherever it is served; returns why the user cannot go there."""
        try:
            shown, answer = await self.enter(message)
        except Elsewhere:
            return await self._come_back(message)
        except LinkClosed as error:
            return error.reason
        if self._link is None:
            return answer.reason if isinstance(answer, Refused) else _MOVED_ON
        for each in shown:
            await self._session.show(each)
        if self._look is not None:
            # refused if the seat is not theirs any more, which nobody has to know
            with suppress(LinkClosed):
                await self._link.send(Look(OWN, self._look.seat))
        self._changed.set()
        return None

    async def _come_back(self, message: ClientMessage) -> Text | None:
        try:
            await self._session.come_back(message)
        except Elsewhere:  # it has moved on
            return _UNREACHABLE
        except KkError as error:
            return error.reason
        return None

    def _refuse(self, reason: Text) -> None:
        for request in self._pending:
            self._session.reply(Refused(request, reason))
        self._pending.clear()
        self._changed.set()
