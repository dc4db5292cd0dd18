"""Everybody who is here: their sessions, from hello to goodbye, and what all of them are told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from kk_core.errors import KkError
from kk_core.text import Text, text
from server.hub.place import Place
from server.hub.presence import Presence
from server.hub.session import Session
from server.hub.tasks import spawn
from server.log import get_logger
from server.storage.table_log import TableLog

_FAREWELL = 2.0
"""Seconds in which sessions may come to their end by themselves."""

_log = get_logger()


@dataclass(frozen=True)
class News:
    """What somebody is told who comes in: `here` in passing, `kept` until it is read.

    Where their other sessions know of it, they are not told that there is one more.
    """

    here: Text | None = None
    kept: tuple[Text, ...] = ()
    is_known_elsewhere: bool = False


class Sessions:
    """All sessions of a hub; `changed` is called when somebody has come or gone."""

    def __init__(self, log: TableLog, presence: Presence, changed: Callable[[str], None]) -> None:
        self._log, self._presence, self._changed = log, presence, changed
        self._tasks: dict[Session, asyncio.Task[None]] = {}
        self._nobody = asyncio.Event()
        self._nobody.set()
        self.notice: Text | None = None
        """What whoever comes is told."""

    def admit(self, session: Session, news: News, place: Place | None) -> asyncio.Task[None]:
        """Let somebody in, to the lobby or to a place; the task ends with the session."""
        user = session.user
        if self._presence.has(user):
            if not news.is_known_elsewhere:
                self.tell(user, text("You have come in once more: both see your seats."))
            session.notify(news.here or text("You are here already, elsewhere: both see your seats."))
        elif news.here is not None:
            session.notify(news.here)
        for sentence in news.kept:
            session.notify(sentence, stays=True)
        self._nobody.clear()
        self._tasks[session] = task = spawn(self._run(session, place), f"session of {user}", named=True)
        return task

    async def _run(self, session: Session, place: Place | None) -> None:
        user = session.user
        if self.notice is not None:
            session.notify(self.notice)
        self._presence.come(user)
        self._changed(user)
        _log.info("session opened", user=user)
        try:
            await self._hand_over_words(session)
            await session.run(place)
        finally:
            del self._tasks[session]
            if not self._tasks:
                self._nobody.set()
            self._presence.go(user, is_program=session.is_program)
            self._changed(user)
            _log.info("session closed", user=user)

    async def _hand_over_words(self, session: Session) -> None:
        """Tell what was left for somebody while he was away."""
        try:
            for sentence in await self._log.take_words(session.user):
                session.notify(sentence)
        except KkError as error:
            _log.warning("words not found", user=session.user, error=type(error).__name__)

    def be_program(self, session: Session) -> None:
        """A session says that it is a program's; all who look are told."""
        if not session.is_program:
            session.is_program = True
            self._presence.be_program(session.user)
            self._changed(session.user)

    def tell(self, user: str, sentence: Text, table: str | None = None, *, stays: bool = False) -> None:
        """Tell all sessions of a user, and which table it leads to."""
        for session in self._tasks:
            if session.user == user:
                session.notify(sentence, table, stays=stays)

    def tell_all(self, sentence: Text, *, from_host: bool = False) -> int:
        """Tell everybody who is here, by the host until it is read; gives how many sessions there are."""
        for session in self._tasks:
            session.notify(sentence, stays=from_host, from_host=from_host)
        return len(self._tasks)

    def admins(self) -> tuple[str, ...]:
        """Those who are here and run the server, in the order of their names."""
        return tuple(sorted({session.user for session in self._tasks if session.is_admin}))

    def announce(self, sentence: Text) -> None:
        """Tell everybody who is here, and whoever comes later."""
        self.notice = sentence
        self.tell_all(sentence)

    async def nobody_here(self) -> None:
        """Wait until nobody is here any more."""
        await self._nobody.wait()

    async def end(self, reason: Text) -> None:
        """Say goodbye to everybody."""
        tasks = list(self._tasks.values())
        for session in list(self._tasks):
            session.end(reason)
        if tasks:
            await asyncio.wait(tasks, timeout=_FAREWELL)
        for task in tasks:
            task.cancel()
