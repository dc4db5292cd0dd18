"""Which node is home to which tables.

Tables are spread over `PARTITIONS` by their identifier. A node holds a partition by an advisory lock of its
session with PostgreSQL, which ends the session of a node that falls silent, and so frees what it held. No
table depends on that: two nodes that both believe to be home cannot both append.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Collection, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Final, NamedTuple, Protocol
from zlib import crc32

import asyncpg

import kk_core
from kk_core.errors import KkError, where
from kk_core.text import Text, text
from kk_server.background import spawn
from kk_server.log import get_logger
from kk_server.ssh.host_keys import FILE
from kk_server.storage.postgres import (
    FAULTS,
    SERVING,
    cannot_be_opened,
    connect,
    in_use,
    reason_of,
    shown_address,
)
from kk_server.storage.table_log import StorageFailed

PARTITIONS: Final = 128

_PARTITION, _ADDRESS, _VERSION, _KEY = 0x6B6B0010, 0x6B6B0011, 0x6B6B0012, 0x6B6B0013
"""The classes of advisory locks: of partitions, of nodes by their address, of those of a version, of those
with a host key."""

_NODE, _DRAINING = "kk node ", "kk draining "
"""How sessions of nodes are called, followed by the address."""

_BEAT: Final = 0.5
"""Seconds between two looks at who is there, which are also signs of life."""

_SILENT: Final = 3
"""Seconds of silence after which PostgreSQL ends a session."""

_SETTLING: Final = 3
"""Beats after a lost connection in which a node takes back no more than what it held: the others have lost
theirs, too."""

_WHO: Final = """
    SELECT activity.pid = pg_backend_pid(), activity.application_name,
        coalesce(array_agg(locks.objid::int) FILTER (WHERE locks.classid::bigint = $1), '{}'),
        coalesce(max(locks.objid::int) FILTER (WHERE locks.classid::bigint = $4), 0)
    FROM pg_stat_activity AS activity LEFT JOIN pg_locks AS locks
        ON locks.pid = activity.pid AND locks.locktype = 'advisory' AND locks.granted
        AND locks.classid::bigint IN ($1, $4) AND locks.objsubid = 2
    WHERE activity.datname = current_database()
        AND (starts_with(activity.application_name, $2) OR starts_with(activity.application_name, $3))
    GROUP BY activity.pid, activity.application_name
"""
_TAKE: Final = """
    SELECT partition FROM unnest($2::int[]) AS partition WHERE pg_try_advisory_lock($1, partition)
"""
_OTHER_KEY: Final = """
    SELECT EXISTS (
        SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
        WHERE datname = current_database() AND locktype = 'advisory' AND granted
            AND classid::bigint = $1 AND objid::int <> $2 AND objsubid = 2
    )
"""
_RELEASE: Final = "SELECT pg_advisory_unlock($1, partition) FROM unnest($2::int[]) AS partition"

_logger = get_logger()


def partition_of(table: str) -> int:
    """Return the partition of a table."""
    return crc32(table.encode()) % PARTITIONS


def _lock_number(words: str) -> int:
    return crc32(words.encode()) - 2**31  # the numbers of locks have a sign


_VERSION_PARTS: Final = re.compile(r"(\d+)(?:\.(\d+))?(?:\.(\d+))?(?P<before>\.?(?:a|b|rc|dev)\d+)?")


def version_number(version: str) -> int:
    """Return a number that is greater for a later version; all that come before a release are alike."""
    found = _VERSION_PARTS.match(version)
    assert found is not None, "versions begin with a number"
    major, minor, patch = (int(part or 0) for part in found.groups()[:3])
    # of 32 bits, as PostgreSQL's locks are
    return ((major * 1000 + minor) * 1000 + patch) * 2 + (found["before"] is None)


class Member(NamedTuple):
    """A node, the partitions that it holds, and the number of its version."""

    address: str
    is_draining: bool
    partitions: frozenset[int]
    version: int = 0


class Holder(Protocol):
    """The part of a node that serves the tables of its partitions."""

    def weights(self) -> Mapping[int, int]:
        """Return how many people are at the tables of each partition; none at those left out."""
        ...

    def unknown(self) -> Collection[int]:
        """Return the partitions with tables that only a newer version can serve."""
        ...

    def members_changed(self, gone: Collection[str]) -> None:
        """Note that nodes have come, or are `gone`."""
        ...

    async def take(self, partitions: Collection[int]) -> None:
        """Begin to serve tables. Raises `KkError`."""
        ...

    async def release(self, partitions: Collection[int]) -> None:
        """Serve tables no longer; others will."""
        ...

    async def come_back(self, lost: Collection[int]) -> None:
        """Serve the `lost` no longer; others have them, and may have had all others for a while.

        Raises `KkError`.
        """
        ...


def share_of(address: str, members: Iterable[Member]) -> int:
    """Return how many partitions a node shall hold.

    While there are nodes of different versions, the older ones take nothing more: what newer ones have begun,
    they may not know.
    """
    active = {member.address: member for member in members if not member.is_draining}
    if address not in active:
        return 0
    even = _spread(PARTITIONS, active)
    newest = max(member.version for member in active.values())
    kept = {
        each: min(len(member.partitions), even[each])
        for each, member in active.items()
        if member.version < newest
    }
    shares = kept | _spread(PARTITIONS - sum(kept.values()), active.keys() - kept.keys())
    return shares[address]


def _spread(partitions: int, addresses: Collection[str]) -> dict[str, int]:
    each, rest = divmod(partitions, len(addresses))
    return {address: each + (place < rest) for place, address in enumerate(sorted(addresses))}


class Membership:
    """One node among those of a database."""

    def __init__(
        self, store: str, address: str, fingerprint: str, holder: Holder, version: str | None = None
    ) -> None:
        """Take the database's address, the node's own, and the fingerprint of the host key that all share.

        And the node's version, if that is not this one.
        """
        self.address = address
        self._fingerprint = fingerprint
        self.version = version_number(version or kk_core.__version__)
        self.members: dict[str, Member] = {}
        """All nodes, this one included, by address."""
        self.held: frozenset[int] = frozenset()
        """The partitions that this node is home to.

        While its connection is lost, these are the last ones: no move can be stored then.
        """
        self._store = store
        self._holder = holder
        self._is_draining = False
        self._named = ""
        """How the session is called."""
        self._connection: asyncpg.Connection | None = None
        self._logged: Text | None = None
        """Why the connection is lost, as the log has it."""
        self._settling = 0
        self._homes: Mapping[int, str] = {}
        self._task: asyncio.Task[None] | None = None
        self._is_closing = asyncio.Event()

    def is_home(self, table: str) -> bool:
        """Return whether a table is served here."""
        return partition_of(table) in self.held

    def home_of(self, table: str) -> str | None:
        """Return the address of the node where a table is served; None if there is none at the moment."""
        partition = partition_of(table)
        return self.address if partition in self.held else self._homes.get(partition)

    # -- life ------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Join the others, and take what is free. Raises `StorageFailed`, also for an address in use."""
        shown = shown_address(self._store)
        try:
            if (reason := await self._join()) is not None:
                raise StorageFailed(reason)
            await self._beat()
        except BaseException as error:
            self._hang_up()
            if isinstance(error, FAULTS):
                raise StorageFailed(cannot_be_opened(shown, reason_of(error))) from None
            raise
        self._task = spawn(self._run(), "membership")

    def drain(self) -> None:
        """Take nothing more, and let go of everything, one by one where there are people."""
        self._is_draining = True

    async def stop(self) -> None:
        """Take nothing more, and let go of nothing until `close`."""
        await self._end()
        self._task = spawn(self._stay(self._is_closing), "membership")

    async def _end(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _stay(self, is_over: asyncio.Event) -> None:
        """Give signs of life."""
        with suppress(*FAULTS):  # whoever speaks next notices it
            while self._connection is not None:
                with suppress(TimeoutError):
                    async with asyncio.timeout(_BEAT):
                        await is_over.wait()
                    return
                await self._connection.execute("SELECT 1")

    @asynccontextmanager
    async def _alive(self) -> AsyncIterator[None]:
        """Give signs of life during what may take longer than PostgreSQL waits for one."""
        is_over = asyncio.Event()
        staying = spawn(self._stay(is_over), "membership")
        try:
            yield
        finally:
            is_over.set()
            await staying

    async def close(self) -> None:
        """Leave the others, who are home to everything from now on."""
        self._is_closing.set()
        await self._end()
        self.held = frozenset()
        self._hang_up()  # `close` would wait for an answer, even of a PostgreSQL that hangs

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(_BEAT)
            try:
                if self._connection is None and (reason := await self._join()) is not None:
                    self._log_cut_off(reason)
                else:
                    await self._beat()
            except (*FAULTS, KkError) as error:
                self._log_cut_off(reason_of(error))
                self._hang_up()
            except Exception as error:  # a fault of ours must not end a node that seems to live
                _logger.error("node not followed", error=where(error))
                self._hang_up()

    def _log_cut_off(self, reason: Text) -> None:
        # once, until it is back: an attempt fails twice a second
        if reason != self._logged:
            self._logged = reason
            _logger.warning("node cut off", reason=str(reason))

    def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.terminate()
            self._connection = None

    # -- the others ------------------------------------------------------------------------------------------

    async def _join(self) -> Text | None:
        """Connect, and take back what is still free; returns why another server forbids it."""
        self._connection = connection = await connect(
            self._store,
            timeout=_SILENT,
            command_timeout=_SILENT,
            # a node that hangs does not close its connection: PostgreSQL does
            server_settings={
                "application_name": self._called,
                "idle_session_timeout": f"{_SILENT}s",
                "tcp_user_timeout": f"{_SILENT}s",
            },
        )
        self._named = self._called
        if (reason := await self._why_not(connection)) is not None:
            self._hang_up()
            return reason
        if self._task is not None:
            kept = await self._lock(self.held)
            lost, self.held, self._settling = self.held - kept, kept, _SETTLING
            self._logged = None
            _logger.info("node back", kept=len(kept), lost=len(lost))
            async with self._alive():
                await self._holder.come_back(lost)
        return None

    async def _why_not(self, connection: asyncpg.Connection) -> Text | None:
        shown = shown_address(self._store)
        if not await connection.fetchval("SELECT pg_try_advisory_lock_shared($1)", SERVING):
            return in_use(shown)
        if not await connection.fetchval(
            "SELECT pg_try_advisory_lock($1, $2)", _ADDRESS, _lock_number(self.address)
        ):
            return text("Another server with the address {address} is using {folder}.",
                        address=self.address, folder=shown)  # fmt: skip
        # held before it is looked for: of two that come at the same time, one at least sees the other
        key = _lock_number(self._fingerprint)
        await connection.execute("SELECT pg_advisory_lock_shared($1, $2)", _KEY, key)
        # only a newcomer: while the database was away, another server may have come first with a wrong key
        if self._task is None and await connection.fetchval(_OTHER_KEY, _KEY, key):
            return text("The other nodes on {folder} have another host key: copy {file} from the data folder "
                        "of one of them.", folder=shown, file=FILE)  # fmt: skip
        await connection.execute("SELECT pg_advisory_lock_shared($1, $2)", _VERSION, self.version)
        return None

    @property
    def _called(self) -> str:
        return f"{_DRAINING if self._is_draining else _NODE}{self.address}"

    async def _name(self) -> None:
        if self._named != self._called:
            assert self._connection is not None
            await self._connection.execute("SELECT set_config('application_name', $1, false)", self._called)
            self._named = self._called

    async def _beat(self) -> None:
        await self._name()
        members = await self._look()
        self._settling = max(0, self._settling - 1)
        surplus = len(self.held) - share_of(self.address, members)
        if surplus < 0 and not self._settling:
            taken = {partition for member in members for partition in member.partitions}
            await self._take([each for each in range(PARTITIONS) if each not in taken][:-surplus])
        # whoever drains lets go once there is somebody to take it
        elif surplus > 0 and any(not member.is_draining for member in members):
            await self._let_go(surplus)
        elif unknown := self._unknown(members):
            await self._release(sorted(unknown))

    def _unknown(self, members: Iterable[Member]) -> frozenset[int]:
        """Return what only newer versions can serve, if there is a node of one."""
        is_known = all(member.is_draining or member.version <= self.version for member in members)
        return frozenset() if is_known else self.held.intersection(self._holder.unknown())

    async def _look(self) -> Collection[Member]:
        assert self._connection is not None
        rows = await self._connection.fetch(_WHO, _PARTITION, _NODE, _DRAINING, _VERSION)
        members = dict[str, Member]()
        for is_own, called, partitions, version in rows:
            is_draining = called.startswith(_DRAINING)
            address = called.removeprefix(_DRAINING if is_draining else _NODE)
            # a session of this node's that has not ended yet is nobody
            if is_own or address != self.address:
                members[address] = Member(address, is_draining, frozenset(partitions), version)
        if members != self.members:
            gone = self.members.keys() - members.keys()
            self.members = members
            self._homes = {each: member.address for member in members.values() for each in member.partitions}
            self._holder.members_changed(gone)
        return members.values()

    async def _take(self, free: Collection[int]) -> None:
        taken = await self._lock(free)
        if taken:
            # served from now on, so that what is read next is not answered by nobody
            self.held |= taken
            async with self._alive():
                await self._holder.take(taken)
            _logger.info("partitions taken", taken=len(taken), held=len(self.held))

    async def _lock(self, partitions: Collection[int]) -> frozenset[int]:
        assert self._connection is not None
        rows = await self._connection.fetch(_TAKE, _PARTITION, sorted(partitions))
        return frozenset(partition for (partition,) in rows)

    async def _let_go(self, surplus: int) -> None:
        weights = self._holder.weights()
        lightest = sorted(self.held, key=lambda each: (weights.get(each, 0), each))[:surplus]
        await self._release([each for each in lightest if not weights.get(each)] or lightest[:1])

    async def _release(self, going: list[int]) -> None:
        self.held -= frozenset(going)
        async with self._alive():
            await self._holder.release(going)
        assert self._connection is not None
        await self._connection.execute(_RELEASE, _PARTITION, going)
        _logger.info("partitions released", released=len(going), held=len(self.held))
