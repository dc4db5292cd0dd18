"""Sessions: one per link, which reads requests and sends views, answers and notices.

`Sessions` holds all of a hub; `pipe` makes a link inside this process.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Final, Generic, TypeAlias, TypeVar

from kk_core.errors import BadData, KkError, where
from kk_core.protocol.messages import (
    Analyse,
    ClientMessage,
    Delta,
    Goodbye,
    GoTo,
    Hint,
    Notice,
    Play,
    Refused,
    ServerMessage,
    Snapshot,
    Weigh,
    WelcomePage,
)
from kk_core.protocol.stream import CLOSED, ClientLink, LinkClosed, ServerLink
from kk_core.text import Text, text
from kk_core.types import Seat, Viewer
from kk_server.accounts.names import AT_HOME
from kk_server.background import spawn
from kk_server.hub.directory import check_window
from kk_server.hub.lobby import Lobby
from kk_server.hub.relay import FOR_PLACES, OWN, Relay
from kk_server.limits import Limits, RateLimited, TokenBucket
from kk_server.log import get_logger, is_silent
from kk_server.storage.table_log import TableLog
from kk_server.tables.nodes import Elsewhere, Nodes, Visitor
from kk_server.tables.place import DeltaEncoder, NotPossible, Place, Publisher, Viewpoint, Window
from kk_server.tables.presence import Presence

_WAITING_REPLIES: Final = 32
"""Answers that may queue up before a slow reader's next request is read."""

_TOO_MANY: Final = 0.25
"""Seconds by which the refusal of a request that comes too soon is delayed."""

_ASIDE: Final[dict[type[ClientMessage], Text]] = {
    Hint: text("A hint is already on its way."),
    Analyse: text("Your analysis is already under way."),
}
"""Requests answered in the background, and the refusal of a second one; a new `Weigh` replaces one."""

_FAREWELL: Final = 2.0
"""Seconds that sessions have to end by themselves."""

_SIZE: Final = 64
"""Messages that may queue up in one direction of a pipe before the sender must wait."""

_logger = get_logger()

T = TypeVar("T")
Out = TypeVar("Out")
In = TypeVar("In")

RequestHandler: TypeAlias = "Callable[[Session, ClientMessage], Awaitable[ServerMessage]]"
"""Carries out a session's request. Raises `KkError` if it is refused."""


@dataclass(frozen=True)
class _ChosenSeat:
    """The seat chosen by `Look`, and its match: by the next one the seats have moved."""

    match: int
    seat: Seat | None


class Session:
    """Reads requests one by one; a second task writes, so that a slow reader delays nobody else."""

    def __init__(
        self,
        user: str,
        link: ServerLink,
        lobby: Lobby,
        nodes: Nodes,
        limits: Limits,
        handle: RequestHandler,
        network: str | None = None,
        *,
        key: str | None = None,
        origin: str = "",
        is_admin: bool = False,
    ) -> None:
        """Serve a link; `network` is where the user connects from, `key` the fingerprint of their key.

        `origin` is the checked one of the page they came by, empty for another door.
        """
        self.user = user
        self.network = network
        self.key = key
        self.origin = origin
        self.is_admin = is_admin
        self.page: WelcomePage | None = None
        """The welcome page shown to the user."""
        self.is_program = False
        """True if the client has said that it is a program."""
        self.window = Window()
        """The window on the lobby."""
        self.asked_at = 0.0
        """The time of the last request, by the loop's clock."""
        self._link = link
        self._lobby = lobby
        self._nodes = nodes
        self._limits = limits
        self._handle = handle
        self._place: Place | None = None
        self._relay: Relay | None = None
        """Their stay at a table of another node."""
        self._chosen: _ChosenSeat | None = None
        self._encoder = DeltaEncoder()
        self._stale = True
        self._replies: deque[ServerMessage] = deque()
        self._held_back: ServerMessage | None = None
        """A message that did not fit into the link."""
        self._is_sending = False
        """True while the writer waits for the link."""
        self._wake = asyncio.Event()
        self._room = asyncio.Event()
        self._rate = TokenBucket(limits.requests_per_second, limits.requests_at_once)
        self._aside: dict[type[ClientMessage], asyncio.Task[None]] = {}
        self._farewell: Text | None = None
        self._is_gone = False

    # -- looking --------------------------------------------------------------------------------------

    @property
    def place(self) -> Place | None:
        """The table or replay that the user is at; None in the lobby, or at a table of another node."""
        return self._place

    @property
    def table_elsewhere(self) -> str | None:
        """The table of another node that the user is at."""
        return None if self._relay is None else self._relay.table

    @property
    def viewer(self) -> Viewer:
        """The seat that the user looks through, or None for a spectator.

        If they own a single seat, that one from the start; if several, the one chosen by `Look`.
        """
        if self._place is None:
            return None
        own = self._place.seats_of(self.user)
        if self._chosen is not None and self._chosen.match == self._place.match_number:
            return self._chosen.seat if self._chosen.seat in own else None
        return own[0] if len(own) == 1 else None

    def look(self, seat: Seat | None) -> None:
        """Look at the table through one's own seat, or as a spectator. Raises `KkError`."""
        if self._place is None or (seat is not None and seat not in self._place.seats_of(self.user)):
            raise NotPossible(text("This is not your seat."))
        self._chosen = _ChosenSeat(self._place.match_number, seat)
        # publish a new revision: at the old one this session would count as up to date (`Place.has_seen`)
        self._place.publish()

    async def go_to(self, place: Place | None) -> None:
        """Go to a table or a replay, or with None to the lobby. Raises `KkError` if it is gone."""
        if place is self._place and self._relay is None:
            return
        if place is not None:
            # enter first: if that is refused, the user stays where they are
            place.enter(self)
        else:
            self._enter_lobby()
        await self._leave_for(place, None)

    async def _leave_for(self, place: Place | None, relay: Relay | None) -> None:
        left, self._place = self._place, place
        ended, self._relay = self._relay, relay
        self._chosen = None
        # the analysis was about the place they leave
        self._stop_thinking(Analyse)
        self.changed()
        if ended is not None:
            self._drop_shown()
            await ended.close(has_left=True)
        elif left is not None:
            await left.leave(self)
        else:
            self._lobby.lose(self)
        # where they are now: the place they went to may have closed, or moved to another node
        there = self._place.id if self._place is not None else self.table_elsewhere
        if there is not None:
            self._call_elsewhere(there)

    def _call_elsewhere(self, table: str) -> None:
        """Call the user to another table where it is their turn already: here they see no list of tables."""
        # at home nobody waits
        waiting = None if self.user == AT_HOME else self._lobby.turn_of(self.user, table)
        if waiting is not None:
            self.notify(text("Your turn at {title}.", title=waiting.title), waiting.id)

    def _enter_lobby(self) -> None:
        self._lobby.enter(self)

    def browse(self, window: Window) -> None:
        """Show other lines of the lobby, now or on the next visit. Raises `NotPossible`."""
        check_window(window)
        self.window = window
        if self._place is None and self._relay is None:
            self._lobby.enter(self)

    def resync(self) -> None:
        """Send a snapshot next."""
        self._encoder.reset()
        self.changed()

    def changed(self) -> None:
        """Note a change, which the writer will fetch."""
        self._stale = True
        self._wake.set()

    def notify(
        self, sentence: Text, table: str | None = None, *, stays: bool = False, from_host: bool = False,
        lapses: bool = False,
    ) -> None:  # fmt: skip
        """Show the user a sentence, and the table it links to."""
        self._replies.append(Notice(sentence, table, stays, from_host, lapses))
        self._wake.set()

    def send_away(self, reason: Text) -> None:
        """Move the user to the lobby, because the place is gone or closed, and say why."""
        if self._place is not None:
            self._place.subscribers.discard(self)
        self._place = self._chosen = self._relay = None
        self._drop_shown()
        self._enter_lobby()
        self.changed()
        self.notify(reason)

    # -- other nodes -----------------------------------------------------------------------------------------

    def follow(self, table: str) -> None:
        """Follow a table to the node that serves it from now on."""
        self._place = self._chosen = None
        self._stop_thinking(Analyse)
        self._begin_relay(table, GoTo(OWN, table))

    def _drop_shown(self) -> None:
        """Drop what another node has shown and was not sent: a snapshot of something else comes first."""
        self._encoder.reset()
        shown = (each for each in self._replies if not isinstance(each, Snapshot | Delta))
        self._replies = deque(shown)
        self._room.set()

    def _begin_relay(self, table: str, message: ClientMessage) -> None:
        self._encoder.reset()
        self._relay = self._relay_to(table)
        self._relay.begin(message)

    def _relay_to(self, table: str) -> Relay:
        visitor = Visitor(self.user, self.network, self.key, self.is_admin, self.is_program)
        return Relay(self, self._nodes, visitor, table)

    async def come_back(self, message: ClientMessage) -> None:
        """Go to a table that has moved to this node, by a request that nobody waits for.

        Raises `KkError`, which is `Elsewhere` if it has moved on.
        """
        await self._handle(self, message)

    async def show(self, message: ServerMessage) -> None:
        """Send what another node shows the user, as soon as there is room."""
        self.reply(message)
        self._send_at_once()
        await self._until_room()

    async def _go_elsewhere(self, message: ClientMessage, table: str) -> ServerMessage:
        relay = self._relay_to(table)
        try:
            shown, answer = await relay.enter(message)
        except Elsewhere:  # served here by now
            return await self._answer(message)
        except LinkClosed as error:
            return Refused(message.request, error.reason)
        if relay.is_there:
            await self._leave_for(None, relay)
            # at once, and before the answer
            self._replies.extend(shown)
            relay.begin()
        return answer

    # -- life ------------------------------------------------------------------------------------------------

    async def run(self, place: Place | Elsewhere | None = None) -> None:
        """Serve the link until either side closes it; start at a place, or in the lobby."""
        self._enter_lobby()  # they stay here if the place refuses them
        if isinstance(place, Elsewhere):
            self._lobby.lose(self)
            self._begin_relay(place.table, place.message or GoTo(OWN, place.table))
            self._call_elsewhere(place.table)
        elif place is not None:
            try:
                await self.go_to(place)
            except KkError as error:
                self.notify(error.reason)
        self.changed()
        reader = spawn(self._read(), f"read {self.user}", named=True)
        writer = spawn(self._write(), f"write {self.user}", named=True)
        try:
            await asyncio.wait([reader, writer], return_when=asyncio.FIRST_COMPLETED)
            if self._farewell is not None:  # no more is read, but what is queued is still sent
                await asyncio.wait([writer])
        finally:
            self._is_gone = True
            self._stop_thinking(*self._aside)
            # the reader may be waiting for room
            self._room.set()
            await self._link.close()
            if self._relay is not None:
                await self._relay.close()
            # not the reader: a request that has begun is carried out, then the closed link ends it
            writer.cancel()
            await asyncio.wait([reader, writer])
            self._depart()

    def end(self, reason: Text) -> None:
        """Say goodbye and close the link, after everything queued has been sent."""
        self._farewell = reason
        self._wake.set()

    def _depart(self) -> None:
        self._lobby.lose(self)
        left, self._place = self._place, None
        if left is not None:
            left.lose(self)

    async def _read(self) -> None:
        while self._farewell is None:
            try:
                message = await self._link.receive()
            except LinkClosed:
                return
            except KkError as error:
                _logger.info("ended", user=self.user, kind=type(error).__name__, reason=str(error))
                self.end(error.reason)
                return
            self.asked_at = asyncio.get_running_loop().time()
            if self._relay is not None:
                if isinstance(message, FOR_PLACES):
                    await self._relay.send(message)
                    await self._until_room()
                    continue
                await self._relay.settled()
            if isinstance(message, Weigh | Play):
                # a comment on the previous move is no longer wanted
                self._stop_thinking(Weigh)
            reply = await self._answer_in_turn(message)
            if reply is not None:
                if self._place is None:  # lobby updates may wait, but not the effect of one's own request
                    self.changed()
                self.reply(reply)
                self._send_at_once()
            await asyncio.sleep(0)  # other sessions get their turn before the next request
            await self._until_room()

    async def _until_room(self) -> None:
        while len(self._replies) > _WAITING_REPLIES and not self._is_gone:
            self._room.clear()
            await self._room.wait()

    async def _answer_in_turn(self, message: ClientMessage) -> ServerMessage | None:
        """Return the answer to a request; None if it is given in the background."""
        try:
            if not self._rate.take():
                raise RateLimited(text("Too many requests at once; please wait a moment."))
            if isinstance(message, Hint | Weigh | Analyse):
                return self._answer_aside(message)
            return await self._answer(message)
        except RateLimited as error:
            # delayed: slows down a client that floods, without disconnecting it
            # refused at once if the client is gone: the session waits for its reader
            await asyncio.sleep(0 if self._is_gone else _TOO_MANY)
            return Refused(message.request, error.reason)

    def _answer_aside(self, message: Hint | Weigh | Analyse) -> Refused | None:
        """Answer a request in the background; returns the refusal of a second one."""

        async def answer() -> None:
            try:
                self.reply(await self._answer(message))
            except RateLimited as error:  # not delayed: meanwhile it would count as under way
                self.reply(Refused(message.request, error.reason))
            except asyncio.CancelledError:  # not re-raised: only the client awaits an answer
                self.reply(Refused(message.request, text("You've moved on in the meantime.")))

        # one of each kind at a time; they take long, and must not hold up other requests
        kind = type(message)
        running = self._aside.get(kind)
        if kind in _ASIDE and running is not None and not running.done():
            return Refused(message.request, _ASIDE[kind])
        self._aside[kind] = spawn(answer(), f"{kind.__name__} for {self.user}", named=True)
        return None

    def _stop_thinking(self, *kinds: type[ClientMessage]) -> None:
        for kind in kinds:
            if (running := self._aside.get(kind)) is not None:
                running.cancel()

    def reply(self, reply: ServerMessage) -> None:
        """Send an answer, after all before."""
        self._replies.append(reply)
        self._wake.set()

    async def _answer(self, message: ClientMessage) -> ServerMessage:
        """Return the answer to a request. Raises `RateLimited`."""
        try:
            return await self._handle(self, message)
        except RateLimited:
            raise
        except Elsewhere as elsewhere:
            return await self._go_elsewhere(message, elsewhere.table)
        except BadData as error:  # the reason names files on the host
            _logger.error("data cannot be used", user=self.user, reason=str(error))
            if is_silent():  # without a log, the hub is in the user's own process
                return Refused(message.request, error.reason)
            return Refused(
                message.request, text("The cards or the map here cannot be used; the host's log says why.")
            )
        except KkError as error:
            return Refused(message.request, error.reason)
        except Exception as error:  # a fault of ours must not end the session
            _logger.error("request failed", user=self.user, kind=type(message).__name__, error=where(error))
            return Refused(message.request, text("The server couldn't do this because of an internal error."))

    async def _write(self) -> None:
        try:
            while self._farewell is None or self._stale or self._replies or self._held_back is not None:
                await self._wake.wait()
                self._wake.clear()
                await self._flush()
            await self._send(Goodbye(self._farewell))
        except LinkClosed:
            return
        except TimeoutError:
            _logger.info("disconnected", user=self.user, reason="does not read")

    def _take(self) -> ServerMessage | None:
        """Return the next message."""
        message, self._held_back = self._held_back, None
        # before any answer: the answer to a request must not arrive before the change it made
        if message is None and self._stale:
            self._stale = False
            publisher = self._publisher
            if publisher is not None:
                message = self._encoder.message(publisher, Viewpoint(self.user, self.viewer, self.window))
        if message is None and self._replies:
            message = self._replies.popleft()
            self._room.set()
        return message

    @property
    def _publisher(self) -> Publisher | None:
        """The place the user looks at; None if another node shows it."""
        return None if self._relay is not None else self._place or self._lobby

    def _send_at_once(self) -> None:
        # send what fits from here: waking the writer takes another round of the loop
        while not self._is_sending and (message := self._take()) is not None:
            try:
                was_sent = self._link.offer(message)
            except LinkClosed:
                was_sent = False  # the writer gets the same error, and ends the session
            if not was_sent:
                self._held_back = message
                self._wake.set()
                return

    async def _flush(self) -> None:
        while (message := self._take()) is not None:
            self._is_sending = True
            try:
                await self._send(message)
            finally:
                self._is_sending = False

    async def _send(self, message: ServerMessage) -> None:
        async with asyncio.timeout(self._limits.patience):
            await self._link.send(message)


class VisitingSession(Session):
    """A session of somebody who has come to another node, and is here only at tables of this one."""

    @property
    def _publisher(self) -> Publisher | None:
        return self._place

    def _enter_lobby(self) -> None:
        """Do nothing: the lobby is shown by the node that they came to."""

    def _call_elsewhere(self, table: str) -> None:
        """Do nothing, since the node that they came to calls them."""

    def send_away(self, reason: Text) -> None:
        """End the visit, and say why."""
        if self._place is not None:
            self._place.subscribers.discard(self)
        self._place = None
        self.end(reason)

    def follow(self, table: str) -> None:  # noqa: ARG002
        """End the visit without a word: the node that they came to follows the table."""
        self._place = None
        spawn(self._link.close(), f"end the visit of {self.user}")

    async def _go_elsewhere(self, message: ClientMessage, table: str) -> ServerMessage:  # noqa: ARG002
        # whoever asked looks again who serves the table
        await self._link.close()
        return Refused(message.request, CLOSED)


@dataclass(frozen=True)
class ArrivalNews:
    """News for a user who arrives: `here` is shown briefly, `kept` until they have read it.

    With `is_known_elsewhere`, their other sessions are not notified of the new one.
    """

    here: Text | None = None
    kept: tuple[Text, ...] = ()
    is_known_elsewhere: bool = False


class Sessions:
    """All sessions of a hub; `changed` is called when a user has come or gone."""

    def __init__(
        self, log: TableLog, presence: Presence, nodes: Nodes, changed: Callable[[str], None]
    ) -> None:
        self._log, self._presence, self._nodes, self._changed = log, presence, nodes, changed
        self._tasks: dict[Session, asyncio.Task[None]] = {}
        self._nobody = asyncio.Event()
        self._nobody.set()
        self.notice: Text | None = None
        """A notice for everybody who arrives."""

    def admit(
        self, session: Session, news: ArrivalNews, place: Place | Elsewhere | None
    ) -> asyncio.Task[None]:
        """Admit a session to the lobby or to a place; the task ends with the session."""
        user = session.user
        if self._presence.has(user):
            if not news.is_known_elsewhere:
                self.tell(user, text("You've connected again: both sessions see your seats."))
            session.notify(news.here or text("You're already connected elsewhere: both see your seats."))
        elif news.here is not None:
            session.notify(news.here)
        for sentence in news.kept:
            session.notify(sentence, stays=True)
        self._nobody.clear()
        self._tasks[session] = task = spawn(self._run(session, place), f"session of {user}", named=True)
        return task

    async def _run(self, session: Session, place: Place | Elsewhere | None) -> None:
        user = session.user
        if self.notice is not None:
            session.notify(self.notice)
        self._presence.come(user)
        self._changed(user)
        _logger.info("session opened", user=user)
        try:
            await self._hand_over_words(session)
            await session.run(place)
        finally:
            del self._tasks[session]
            if not self._tasks:
                self._nobody.set()
            self._presence.go(user, is_program=session.is_program)
            self._changed(user)
            _logger.info("session closed", user=user)

    async def _hand_over_words(self, session: Session) -> None:
        try:
            for sentence in await self._log.take_words(session.user):
                session.notify(sentence)
        except KkError as error:
            _logger.warning("words not found", user=session.user, error=type(error).__name__)

    def be_program(self, session: Session) -> None:
        """Mark a session as a program's, and publish that."""
        if not session.is_program:
            session.is_program = True
            self._presence.be_program(session.user)
            self._changed(session.user)

    def tell(self, user: str, sentence: Text, table: str | None = None, *, stays: bool = False) -> None:
        """Notify all sessions of a user, with the table the sentence links to."""
        self.tell_here(user, sentence, table, stays=stays)
        if self._presence.is_elsewhere(user):
            self._nodes.tell(user, sentence, table, stays=stays)

    def tell_here(self, user: str, sentence: Text, table: str | None = None, *, stays: bool = False) -> None:
        """Notify all sessions of a user at this node."""
        for session in self._tasks:
            if session.user == user:
                session.notify(sentence, table, stays=stays)

    def tell_all(self, sentence: Text, *, from_host: bool = False, lapses: bool = False) -> int:
        """Notify everybody, until they have read it if `from_host`; returns the number of sessions."""
        for session in self._tasks:
            session.notify(sentence, stays=from_host, from_host=from_host, lapses=lapses)
        return len(self._tasks)

    def admins(self) -> tuple[str, ...]:
        """Return the admins who are online, by name."""
        return tuple(sorted({session.user for session in self._tasks if session.is_admin}))

    def away(self) -> Iterator[tuple[str, str]]:
        """Yield the users of this node who are at tables of others, each with the table."""
        for session in self._tasks:
            if session.table_elsewhere is not None:
                yield session.user, session.table_elsewhere

    def announce(self, sentence: Text) -> None:
        """Notify everybody who is here, and everybody who arrives later."""
        self.notice = sentence
        self.tell_all(sentence)

    async def nobody_here(self) -> None:
        """Wait until nobody is online."""
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


class _Queue(Generic[T]):
    """One direction of a link."""

    def __init__(self) -> None:
        self._waiting: deque[T] = deque()
        self._closed = False
        self._wanted: list[asyncio.Future[None]] = []
        """Futures that wait for a change."""

    async def put(self, message: T) -> None:
        while not self.offer(message):
            await self._change()

    def offer(self, message: T) -> bool:
        """Put a message if there is room; False if not."""
        if self._closed:
            raise _closed()
        if len(self._waiting) >= _SIZE:
            return False
        self._waiting.append(message)
        self._changed()
        return True

    async def get(self) -> T:
        while not self._waiting:
            if self._closed:
                raise _closed()
            await self._change()
        message = self._waiting.popleft()
        self._changed()
        return message

    def close(self) -> None:
        self._closed = True
        self._changed()

    async def _change(self) -> None:
        """Wait until a message is added or taken, or the link is closed."""
        self._wanted.append(change := asyncio.get_running_loop().create_future())
        await change

    def _changed(self) -> None:
        for change in self._wanted:
            if not change.done():
                change.set_result(None)
        self._wanted.clear()


class _End(Generic[Out, In]):
    """One end of a link: a queue each way."""

    def __init__(self, outgoing: _Queue[Out], incoming: _Queue[In]) -> None:
        self._outgoing = outgoing
        self._incoming = incoming

    async def send(self, message: Out) -> None:
        await self._outgoing.put(message)

    def offer(self, message: Out) -> bool:
        return self._outgoing.offer(message)

    async def receive(self) -> In:
        return await self._incoming.get()

    async def close(self) -> None:
        self._outgoing.close()
        self._incoming.close()


def pipe() -> tuple[ClientLink, ServerLink]:
    """Return the two ends of a new link: the client's and the hub's."""
    up: _Queue[ClientMessage] = _Queue()
    down: _Queue[ServerMessage] = _Queue()
    return _End(up, down), _End(down, up)


def _closed() -> LinkClosed:
    return LinkClosed(text("The connection is closed."))
