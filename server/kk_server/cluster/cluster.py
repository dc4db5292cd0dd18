"""A node of a cluster: its hub serves the tables that it is home to, and shows those of all."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterable, Mapping
from time import time_ns
from typing import Any, Final

import asyncssh

from kk_core.errors import KkError, where
from kk_core.protocol.stream import CLOSED, ClientLink, LinkClosed, ServerLink, Writer
from kk_core.text import Text
from kk_server.background import spawn
from kk_server.cluster.bus import (
    Admitted,
    Bus,
    CarriedOut,
    GuestsNamed,
    Message,
    Ordered,
    Present,
    Rated,
    Spoken,
    TableGone,
    TablesChanged,
    Told,
    WhoIsThere,
    parts,
)
from kk_server.cluster.membership import PARTITIONS, Membership, partition_of
from kk_server.cluster.ordering import GivenOrders, TakenOrders
from kk_server.cluster.peers import Peers
from kk_server.hub.hub import Hub
from kk_server.log import get_logger
from kk_server.storage.postgres import FAULTS, cannot_be_opened, reason_of, shown_address
from kk_server.storage.sql_log import SqlLog
from kk_server.storage.sqlite import SCHEMA
from kk_server.storage.table_log import StorageFailed
from kk_server.tables.nodes import ForwardedCommand, Node, Visitor
from kk_server.visits.orders import AddressSeen, Answers, Order, Orders, ReadBans

_logger = get_logger()

_OVERLAP: Final = 1000
"""Numbers of entries that are looked at again: with several writers, they do not become visible in order."""

_NEWEST: Final = 5000
"""Numbers of entries that are looked at at most: of tables opened before, the others have told."""


_JOINING: Final = 5.0
"""Seconds until a node that tells who is there has to be among the others."""


class Cluster:
    """The `Nodes` of a hub that shares a PostgreSQL database with others."""

    summaries_kept_every = 1.0

    def __init__(self, store: str, address: str, key: asyncssh.SSHKey, log: SqlLog) -> None:
        """Take the database's address, the node's own as HOST:PORT, and the host key of all nodes."""
        self._store = store
        self._address = address
        self._log = log
        self._hub: Hub | None = None
        self._membership = Membership(store, address, key.get_fingerprint(), self)
        self._bus = Bus(store, address, self._take_message, self._joined)
        self._peers = Peers(key, self._receive, self._run)
        self._since = time_ns()
        self._given = GivenOrders()
        self._taken = TakenOrders(
            self._carry_out, lambda giver, number: self._bus.tell(CarriedOut(giver, number))
        )
        self._looked_at = 0
        """The number of the last entry in the log when new tables were last looked for."""
        self._told: dict[str, bool] = {}
        """Who is here, as the others know it."""
        self._is_outdated = False
        self.on_outdated: Callable[[], object] | None = None
        """Called once if only newer versions can use the database from now on."""
        self.run_forwarded: Callable[[ForwardedCommand, Writer], Awaitable[None]] | None = None
        """Carries out commands that other nodes send; None until the server has started. Raises `KkError`."""
        self.carry_out: Callable[[Orders], Awaitable[None]] | None = None
        """Carries out the orders of other nodes; None until the server has started. Raises `KkError`."""
        self.on_back: Callable[[], object] | None = None
        """Called when orders of other nodes may have been missed; None until the server has started."""
        self._strangers = set[str]()
        """The nodes that have told who is there and are not among the others, or not yet."""
        self._tasks = set[asyncio.Task[None]]()
        self._late_orders = set[tuple[str, str]]()
        """The kinds of orders that could not be carried out yet, and why, each of which the log says once."""

    @property
    def hub(self) -> Hub:
        """The hub of this node."""
        assert self._hub is not None, "it has started"
        return self._hub

    # -- life ------------------------------------------------------------------------------------------------

    async def start(self, hub: Hub) -> None:
        """Join the other nodes with a hub that is loaded. Raises `KkError`."""
        self._hub = hub
        if hub.guests is not None:
            hub.guests.used = lambda name, network: self._bus.tell(GuestsNamed({name: network}))
        host, _, port = self._address.rpartition(":")
        try:
            await self._peers.open(host.strip("[]"), int(port))
            await self._bus.start()
            await self._membership.start()
        except BaseException as error:
            await self.close()
            if isinstance(error, FAULTS):
                raise StorageFailed(cannot_be_opened(shown_address(self._store), reason_of(error))) from None
            raise

    def drain(self) -> None:
        """Hand everything over to the other nodes, one by one where there are people."""
        self._membership.drain()

    async def stop(self) -> None:
        """Take nothing more: the hub is about to store what it has."""
        await self._membership.stop()

    async def close(self) -> None:
        """Leave the other nodes, once the hub is closed."""
        self._give_up_orders()
        await self._membership.close()
        await self._bus.close()
        self._give_up_orders()  # those that were heard until then
        await self._peers.close()

    def _give_up_orders(self) -> None:
        self._taken.close()
        for task in self._tasks:
            task.cancel()

    # -- what the hub asks -----------------------------------------------------------------------------------

    @property
    def has_others(self) -> bool:
        """True if there are other nodes."""
        return len(self._membership.members) > 1

    def all(self) -> tuple[Node, ...]:
        """Return all nodes, by address."""
        newest = max((member.version for member in self._membership.members.values()), default=0)
        return tuple(
            Node(
                address,
                address == self._address,
                member.is_draining,
                len(member.partitions) / PARTITIONS,
                member.version < newest,
                self._peers.is_reached(address),
            )
            for address, member in sorted(self._membership.members.items())
        )

    @property
    def has_room(self) -> bool:
        """True if tables can be opened at this node."""
        return bool(self._membership.held)

    @property
    def is_keeper(self) -> bool:
        """True at the one node that does what is done once for all tables."""
        return 0 in self._membership.held

    def is_home(self, table: str) -> bool:
        """Return whether this node serves a table."""
        return self._membership.is_home(table)

    def home_of(self, table: str) -> str | None:
        """Return the address of the node that serves a table; None if there is none now."""
        return self._membership.home_of(table)

    @property
    def held(self) -> Collection[int]:
        """The partitions of the tables that this node serves."""
        return self._membership.held

    async def link(self, table: str, visitor: Visitor) -> ClientLink:
        """Return a link to the node that serves a table. Raises `LinkClosed` if there is none now."""
        home = self.home_of(table)
        if home is None:
            raise LinkClosed(CLOSED)
        return await self._peers.link(home, visitor)

    async def run(self, table: str, command: ForwardedCommand, writer: Writer) -> None:
        """Have the node that serves a table carry out a command, and write its answer. Raises `KkError`."""
        home = self.home_of(table)
        if home is None:
            raise LinkClosed(CLOSED)
        await self._peers.run(home, command, writer)

    def tables_changed(self, tables: Collection[str]) -> None:
        """Tell the others that the summaries of tables were stored."""
        for some in parts(sorted(tables)):
            self._bus.tell(TablesChanged(some))

    def table_gone(self, table: str) -> None:
        """Tell the others that a table was closed."""
        self._bus.tell(TableGone(table))

    def admitted(self, table: str, guests: Collection[str]) -> None:
        """Tell the others that guests were admitted to a private table."""
        for some in parts(sorted(guests)):
            self._bus.tell(Admitted(table, some))

    def presence_changed(self, user: str) -> None:
        """Tell the others that a user has come or gone, if that is so."""
        is_program = self.hub.presence.one_here(user)
        if self._told.get(user) == is_program:
            return
        if is_program is None:
            del self._told[user]
        else:
            self._told[user] = is_program
        self._bus.tell(Present({user: is_program}))

    def said(self, user: str, words: str | Text, *, is_admin: bool) -> None:
        """Tell the others what somebody has said in the lobby."""
        self._bus.tell(Spoken(user, words, is_admin))

    def tell(self, user: str, sentence: Text, table: str | None, *, stays: bool) -> None:
        """Notify a user's sessions at other nodes."""
        self._bus.tell(Told(user, sentence, table, stays))

    def rated(self, game: str, accounts: Iterable[str]) -> None:
        """Tell the others that ratings have changed."""
        self._bus.tell(Rated(game, sorted(accounts)))

    def order(self, order: Orders) -> None:
        """Have the others do something to the people who came to them."""
        if isinstance(order, AddressSeen):  # of which there are many, and nobody waits for them
            self._bus.tell(order)
            return
        others = self._membership.members.keys() - {self._address}
        self._bus.tell(Ordered(self._given.give(order, others), order))

    @property
    def last_order(self) -> int:
        """The number of the last order that was given here."""
        return self._given.last

    async def answers(self, after: int) -> Answers:
        """Return who has carried out the orders after one; waits a while for all to do so."""
        return await self._given.answers(after)

    async def look_again(self) -> None:
        """Learn of tables that others have opened a moment ago. Raises `StorageFailed`."""
        last = await self._log.last_entry()
        since = max(self._looked_at - _OVERLAP, last - _NEWEST)
        await self.hub.table_cache.look_up(await self._log.opened_after(since))
        self._looked_at = last

    # -- what others say -------------------------------------------------------------------------------------

    async def _joined(self) -> None:
        """Ask for everything, and tell everything: anything may have been missed."""
        self._looked_at = await self._log.last_entry()
        await self.hub.table_cache.refresh()
        self._bus.tell(WhoIsThere(self._since))
        self._tell_all_here()
        self.order(ReadBans())
        if self.on_back is not None:
            self.on_back()

    def _tell_all_here(self) -> None:
        self._told = self.hub.presence.here()
        users, uptime = list(parts(self._told.items())) or [[]], self.hub.uptime.now()
        for number, some in enumerate(users):
            self._bus.tell(Present(dict(some), is_all=not number, uptime=uptime))
        for named in () if self.hub.guests is None else parts(self.hub.guests.reserved().items()):
            self._bus.tell(GuestsNamed(dict(named)))
        for table, guests in self.hub.table_cache.admissions:
            self.admitted(table, guests)

    async def _take_message(self, node: str, message: Message) -> None:
        hub = self.hub
        match message:
            case WhoIsThere(since):
                self._tell_all_here()
                for number, order in self._given.missed_by(node, since):
                    self._bus.tell(Ordered(number, order))
            case Present():
                self._take_present(node, message)
            case GuestsNamed(networks):
                for name, network in networks.items():
                    if hub.guests is not None:
                        hub.guests.reserve(name, network)
            case TablesChanged(tables):
                hub.table_cache.follow(await self._log.summaries(tables))
            case TableGone(table):
                hub.table_cache.drop(table)
            case Admitted(table, guests):
                await hub.table_cache.admit(table, guests)
            case Spoken(user, words, is_admin):
                hub.lobby.say(user, words, is_admin=is_admin)
            case Told(user, sentence, table, stays):
                hub.sessions.tell_here(user, sentence, table, stays=stays)
            case Rated(game, accounts):
                await hub.follow_ratings(game, accounts)
            case Ordered(number, order):
                # not awaited: one that waits for the database must not hold up what others say
                self._spawn(self._taken.take(node, number, order), f"carry out {type(order).__name__}")
            case CarriedOut(giver, number) if giver == self._address:
                self._given.carried_out(node, number)
            case Order() if self.carry_out is not None:
                await self.carry_out(message)

    async def _carry_out(self, order: Orders) -> bool:
        """Return whether an order has been carried out, or never can be."""
        if self.carry_out is None:  # the server has not started yet
            return False
        try:
            await self.carry_out(order)
        except StorageFailed as error:
            if (late := (type(order).__name__, str(error))) not in self._late_orders:
                self._late_orders.add(late)
                _logger.warning("order not carried out yet", order=late[0], reason=late[1])
            return False
        except KkError as error:  # such as a table that is gone: there is nothing more to do
            _logger.warning("order not carried out", order=type(order).__name__, reason=str(error))
        except Exception as error:
            _logger.error("order not carried out yet", order=type(order).__name__, error=where(error))
            return False
        self._late_orders = {late for late in self._late_orders if late[0] != type(order).__name__}
        return True

    def _take_present(self, node: str, message: Present) -> None:
        presence, changed = self.hub.presence, dict(message.users)
        if message.is_all:
            presence.regain(node)
            changed |= dict.fromkeys(presence.at(node) - message.users.keys())
        presence.change(node, changed)
        for user in changed:
            self.hub.presence_changed(user)
        self.hub.uptime.follow(message.uptime)
        if node not in self._membership.members and node not in self._strangers:
            self._strangers.add(node)
            self._spawn(self._forget_stranger(node), "forget a node")

    async def _forget_stranger(self, node: str) -> None:
        """Forget who is at a node unless it joins the others: one that is gone may have been heard late."""
        await asyncio.sleep(_JOINING)
        self._strangers.discard(node)
        if node not in self._membership.members:
            self._forget_people(node)

    def _forget_people(self, node: str) -> None:
        users = self.hub.presence.at(node)
        self.hub.presence.forget(node)
        for user in users:
            self.hub.presence_changed(user)

    def _spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """Run until the end, or until this node leaves the others."""
        task = spawn(work, name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # -- who is home to what ---------------------------------------------------------------------------------

    def members_changed(self, gone: Collection[str]) -> None:
        """Cut the connections to nodes that are gone, with everybody there."""
        if any(member.version > self._membership.version for member in self._membership.members.values()):
            spawn(self._look_at_schema(), "look at the schema")
        self._peers.keep(self._membership.members)
        self._given.forget(gone)
        for node in gone:
            self._forget_people(node)

    def weights(self) -> Mapping[int, int]:
        """Return how many people are at the tables of each partition."""
        weights = Counter[int]()
        for table in self.hub.tables.values():
            weights[partition_of(table.id)] += len(table.subscribers)
        return weights

    def unknown(self) -> Collection[int]:
        """Return the partitions with tables that only a newer version can serve."""
        unloaded = self.hub.table_cache.unloaded.all()
        return {partition_of(table.id) for table in unloaded if table.unplayable is not None}

    async def take(self, partitions: Collection[int]) -> None:  # noqa: ARG002
        """Begin to serve tables. Raises `KkError`."""
        await self.hub.table_cache.refresh()

    async def release(self, partitions: Collection[int]) -> None:  # noqa: ARG002
        """Serve tables no longer, and store what is known of them."""
        await self.hub.table_cache.release(is_lost=False)

    async def come_back(self, lost: Collection[int]) -> None:  # noqa: ARG002
        """Look anew at everything after a lost connection. Raises `KkError`."""
        await self.hub.table_cache.release(is_lost=True)
        await self._joined()

    async def _look_at_schema(self) -> None:
        """Give up if a newer node has changed the tables of the database."""
        try:
            version = await self._log.schema()
        except KkError:  # with the next change of nodes
            return
        if version <= SCHEMA or self._is_outdated:
            return
        self._is_outdated = True
        _logger.error("database of a newer version", schema=version, do="upgrade this node; it drains")
        self.drain()
        if self.on_outdated is not None:
            self.on_outdated()

    async def _run(self, command: ForwardedCommand, writer: Writer) -> None:
        if self.run_forwarded is None:
            raise LinkClosed(CLOSED)
        await self.run_forwarded(command, writer)

    async def _receive(self, visitor: Visitor, link: ServerLink) -> None:
        await self.hub.receive(visitor, link)
