"""What nodes tell each other, by PostgreSQL's LISTEN and NOTIFY.

Messages are told once and kept by nobody: after a lost connection everything is asked for anew. Orders, which
nobody could ask for, wait until they are told; whoever has given one repeats it to a node that comes back.
"""

from __future__ import annotations

import asyncio
import base64
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, Final, TypeAlias, TypeVar

import asyncpg
import msgspec

from kk_core.errors import KkError, where
from kk_core.text import Text
from kk_server.background import spawn
from kk_server.log import get_logger
from kk_server.storage.postgres import FAULTS, be_patient, connect, is_passing, reason_of
from kk_server.visits.orders import Order, Orders

_CHANNEL: Final = "kk_nodes"

_TELL: Final = "SELECT pg_notify($1, $2)"

_LAST: Final = 1.0
"""Seconds for the last messages of a node that ends."""

_MOST: Final = 5800
"""Bytes of a message or several: PostgreSQL takes up to 8000 of text."""

_ROOM: Final = 5000
"""Bytes of a message's longest part, a list."""

_MOST_ORDERS: Final = 1000
"""Orders that wait while the database is away, the latest ones."""

_WAIT: Final = 5.0
"""Seconds until a statement without an answer counts as lost."""

_AGAIN: Final = 0.5
"""Seconds between two attempts to connect."""

_BEAT: Final = 10.0
"""Seconds between two signs of life of a node that has nothing to say."""

T = TypeVar("T")

_logger = get_logger()


class _Message(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Base of all messages: an array that begins with the name of its class."""


class WhoIsThere(_Message, frozen=True):
    """A node has come, or come back: the others answer with everybody at theirs.

    They repeat the orders that it has missed since it was started, in nanoseconds since 1970.
    """

    since: int = 0


class Present(_Message, frozen=True):
    """The people who have come, and whether they are programs; None for those who left.

    With `is_all`, everybody else at the node has left. `uptime` is as the node counts it.
    """

    users: dict[str, bool | None]
    is_all: bool = False
    uptime: float = 0.0


class GuestsNamed(_Message, frozen=True):
    """The networks that guests' names are reserved for, by the names' skeletons."""

    networks: dict[str, str]


class TablesChanged(_Message, frozen=True):
    """The summaries of tables were stored."""

    tables: list[str]


class TableGone(_Message, frozen=True):
    """A table was closed."""

    table: str


class Admitted(_Message, frozen=True):
    """Guests were admitted to a private table."""

    table: str
    guests: list[str]


class Spoken(_Message, frozen=True):
    """Somebody has said something in the lobby."""

    user: str
    words: str | Text
    is_admin: bool


class Told(_Message, frozen=True):
    """A notice for a user."""

    user: str
    sentence: Text
    table: str | None
    stays: bool


class Rated(_Message, frozen=True):
    """The ratings of accounts in a game have changed."""

    game: str
    accounts: list[str]


class Ordered(_Message, frozen=True):
    """An order, and its number among those of this node; the others tell when they have carried it out."""

    number: int
    order: Orders


class CarriedOut(_Message, frozen=True):
    """An order of node `giver` was carried out."""

    giver: str
    number: int


Message: TypeAlias = (
    WhoIsThere | Present | GuestsNamed | TablesChanged | TableGone | Admitted | Spoken | Told | Rated | Orders
    | Ordered | CarriedOut
)  # fmt: skip

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(tuple[str, list[msgspec.Raw]])
_message_decoder: msgspec.msgpack.Decoder[Message] = msgspec.msgpack.Decoder(Message)


class Bus:
    """One node's end of it."""

    def __init__(
        self,
        store: str,
        address: str,
        take: Callable[[str, Message], Awaitable[None]],
        joined: Callable[[], Awaitable[None]],
    ) -> None:
        """Take the database's address and the node's own.

        `take` is called with the address of another node and what it says, one after another; `joined` before
        anything is received, at first and after each lost connection.
        """
        self._store = store
        self._address = address
        self._take = take
        self._joined = joined
        self._connection: asyncpg.Connection | None = None
        self._logged: Text | None = None
        """Why nobody is heard, as the log has it."""
        self._waiting: deque[Message] = deque()
        self._heard: asyncio.Queue[tuple[str, list[Message]]] = asyncio.Queue()
        self._wake = asyncio.Event()
        self._told = asyncio.Event()
        """Set while nothing is waiting."""
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Listen, and call `joined`. Raises `KkError`, or an error of PostgreSQL's."""
        await self._listen()
        self._tasks = [spawn(self._send(), "bus: send"), spawn(self._receive(), "bus: receive")]

    async def close(self) -> None:
        """Tell what is left, if that takes but a moment, and hear nothing more."""
        if self._tasks:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._told.wait(), _LAST)
        for task in self._tasks:
            task.cancel()
        if self._connection is not None:
            # `close` would wait for an answer, even of a PostgreSQL that hangs
            self._connection.terminate()

    def tell(self, message: Message) -> None:
        """Tell all other nodes something, soon."""
        self._waiting.append(message)
        self._told.clear()
        self._wake.set()

    # -- hearing ---------------------------------------------------------------------------------------------

    async def _listen(self) -> None:
        self._connection = connection = await connect(
            self._store,
            timeout=_WAIT,
            command_timeout=_WAIT,
            server_settings={"application_name": "kk bus", "tcp_user_timeout": f"{_WAIT:.0f}s"},
        )
        await be_patient(connection, _WAIT)
        # come back at once: what others tell meanwhile is not heard
        connection.add_termination_listener(lambda _: self._wake.set())
        await connection.add_listener(_CHANNEL, self._notified)
        await self._joined()

    def _notified(self, _connection: Any, _process: int, _channel: str, payload: str) -> None:
        try:
            node, messages = _decoder.decode(base64.b64decode(payload))
        except (msgspec.MsgspecError, ValueError):  # somebody else's
            return
        if node != self._address:
            self._heard.put_nowait((node, list(_known(messages))))

    async def _receive(self) -> None:
        # one after another: what is read for one must not overtake the next
        while True:
            node, messages = await self._heard.get()
            for message in messages:
                try:
                    await self._take(node, message)
                except KkError as error:
                    _logger.warning("node not followed", node=node, error=type(error).__name__)
                except Exception as error:  # a fault of ours must not keep the next message from being heard
                    _logger.error("node not followed", node=node, error=where(error))

    # -- telling ---------------------------------------------------------------------------------------------

    async def _send(self) -> None:
        while True:
            try:
                if self._connection is None or self._connection.is_closed():
                    await self._listen()
                    self._logged = None
                    # if the database was away, the others are about to come back, too
                    await asyncio.sleep(2 * _AGAIN)
                await self._send_waiting()
            except (*FAULTS, KkError) as error:
                # once, until they are: an attempt fails twice a second
                if (reason := reason_of(error)) != self._logged:
                    self._logged = reason
                    _logger.warning("other nodes not heard", reason=str(reason))
                if self._connection is not None:
                    self._connection.terminate()
                # all else that was waiting is told by what all are asked for anew
                orders = [message for message in self._waiting if isinstance(message, Ordered | Order)]
                self._waiting = deque(orders[-_MOST_ORDERS:])
                await asyncio.sleep(_AGAIN)
                continue
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), _BEAT)

    async def _send_waiting(self) -> None:
        assert self._connection is not None
        self._wake.clear()
        if not self._waiting:
            await self._connection.execute("SELECT 1")
        while self._waiting:
            batch = list(self._batch())
            try:
                await self._connection.execute(_TELL, _CHANNEL, _packed(self._address, batch))
            except FAULTS as error:
                if not is_passing(error):  # they would be refused for ever
                    self._drop(len(batch))
                raise
            self._drop(len(batch))  # only now: until then they may have to be told again
        self._told.set()

    def _drop(self, told: int) -> None:
        for _ in range(told):
            self._waiting.popleft()

    def _batch(self) -> Iterator[msgspec.Raw]:
        size = 0
        for message in self._waiting:
            encoded = _encoder.encode(message)
            size += len(encoded)
            if size > _MOST and size > len(encoded):
                return
            yield msgspec.Raw(encoded)


def parts(items: Iterable[T]) -> Iterator[list[T]]:
    """Divide what is to be told into lists, each of which fits into a message; names may be long in bytes."""
    part, size = list[T](), 0
    for item in items:
        more = len(_encoder.encode(item))
        if part and size + more > _ROOM:
            yield part
            part, size = [], 0
        part.append(item)
        size += more
    if part:
        yield part


def _known(messages: Iterable[msgspec.Raw]) -> Iterator[Message]:
    for message in messages:
        # a node of another version may say more
        with suppress(msgspec.MsgspecError):
            yield _message_decoder.decode(message)


def _packed(address: str, messages: list[msgspec.Raw]) -> str:
    return base64.b64encode(_encoder.encode((address, messages))).decode()
