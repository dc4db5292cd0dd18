"""What each message of a client asks of the hub."""

from __future__ import annotations

from typing import Protocol

import kk_core
from kk_core.record import format_record
from kk_core.text import text
from kk_core.wire.messages import (
    PROTOCOL_VERSION,
    Answer,
    ClientMessage,
    Done,
    GetRecord,
    GoTo,
    Hello,
    LeaveSeat,
    Look,
    OpenTable,
    Play,
    Preview,
    Previewed,
    RecordText,
    Rematch,
    Resync,
    ServerMessage,
    SetBot,
    Start,
    TakeSeat,
    Undo,
    Welcome,
    WhyNot,
)
from server.hub.session import Session
from server.hub.table import NotPossible, Table


class Tables(Protocol):
    """The tables that requests are about."""

    async def open_table(self, user: str, wish: OpenTable) -> Table:
        """Open a table. Raises `KkError`."""
        ...

    def table(self, table_id: str) -> Table:
        """A table by its identifier. Raises `NotPossible`."""
        ...

    def sign(self, content: bytes) -> str | None:
        """The signature of what leaves this house; None where nobody signs."""
        ...


async def answer(tables: Tables, session: Session, message: ClientMessage) -> ServerMessage:
    """Carry out one request. Raises `KkError` when it is refused; then nothing has changed."""
    match message:
        case Hello():
            return Welcome(message.request, session.user, PROTOCOL_VERSION, kk_core.__version__)
        case OpenTable():
            await session.go_to(await tables.open_table(session.user, message))
        case GoTo():
            await session.go_to(None if message.table is None else tables.table(message.table))
        case Resync():
            session.resync()
        case GetRecord():
            record = format_record(_table_of(session).record())
            return RecordText(message.request, record, tables.sign(record.encode()))
        case _:
            return await _at_table(_table_of(session), session, message)
    return Done(message.request)


async def _at_table(table: Table, session: Session, message: ClientMessage) -> ServerMessage:
    user = session.user
    match message:
        case WhyNot():
            return Answer(message.request, table.why_not(user, message.seat, message.move))
        case Preview():
            return Previewed(message.request, table.preview(user, message.seat, message.move))
        case Play():
            await table.play(user, message.seat, message.ply, message.move)
        case Undo():
            await table.undo(user, message.seat)
        case Look():
            session.look(message.seat)
        case TakeSeat():
            await table.take_seat(user, message.seat, message.name)
        case LeaveSeat():
            await table.leave_seat(user, message.seat)
        case SetBot():
            await table.set_bot(user, message.seat, message.bot)
        case Start():
            await table.start(user)
        case Rematch():
            await table.rematch(user)
    return Done(message.request)


def _table_of(session: Session) -> Table:
    if session.table is None:
        raise NotPossible(text("You are in the lobby; go to a table first."))
    return session.table
