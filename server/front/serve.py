"""A server from start to stop."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from math import ceil
from time import monotonic
from typing import Final

import asyncssh

from kk_core.errors import KkError
from kk_core.text import Text, text
from server.accounts.accounts import Accounts
from server.accounts.bans import BANS, Bans
from server.accounts.store import AccountStore
from server.front import algorithms, open_files, systemd
from server.front.audit import AUDIT, AuditLog
from server.front.collector import Collector, Traffic
from server.front.connections import Connections
from server.front.door import Door, DoorRules, door_rules
from server.front.draining import drained, stops_in
from server.front.keys import host_key
from server.front.limits import ServerLimits
from server.front.metrics import Metrics
from server.front.signatures import sign
from server.front.ssh_server import SshServer
from server.front.terminal import MakeApp, make_app, translate
from server.hub.hub import Hub
from server.hub.tasks import spawn
from server.log import get_logger, log_as, log_to
from server.ratings.ratings import Ratings
from server.ratings.store import RatingStore
from server.settings import Settings, changed_settings
from server.storage.database import DATABASE, open_database
from server.storage.folder import hold_folder
from server.storage.records import RecordFolder
from server.storage.sqlite import SqliteLog

RECORDS: Final = "records"

_KEEPALIVE: Final = 30

_log = get_logger("front")


class CannotServe(KkError):
    """The server cannot start; the sentence says why."""


class Server:
    """A hub and its listener; made by `start`. `stopping` is set when it is to be closed."""

    def __init__(
        self,
        settings: Settings,
        read: Callable[[], Settings],
        hub: Hub,
        connections: Connections,
        listener: asyncssh.SSHAcceptor,
        lock: int,
        metrics: Metrics | None,
    ) -> None:
        """`read` gives the settings as they are now."""
        self.settings = settings
        self.hub = hub
        self.front = connections
        self.bans = connections.door.bans
        self.audit = AuditLog(settings.folder / AUDIT)
        self.port: int = listener.get_port()
        self.stopping = asyncio.Event()
        self.metrics = metrics
        self._read = read
        self._listener = listener
        self._lock = lock
        self._since = monotonic()
        self._draining: asyncio.Task[None] | None = None
        self._ends = 0.0
        connections.house = self
        hub.address = settings.address_at(self.port)

    @property
    def connections(self) -> int:
        """How many connections are open."""
        return len(self.front.open)

    @property
    def uptime(self) -> float:
        """Seconds since the start."""
        return monotonic() - self._since

    @property
    def is_draining(self) -> bool:
        """Whether it stops soon."""
        return self._draining is not None

    def drain(self, minutes: int | None = None) -> Text:
        """Stop when all have left, or in so many minutes; gives what people are told.

        Without `minutes` the time that was set before stays, and is told again.
        """
        if minutes is None and self._draining is not None:
            return stops_in(max(1, ceil((self._ends - monotonic()) / 60)))
        minutes = minutes or self.settings.drain_minutes
        if self._draining is not None:
            self._draining.cancel()
        self._draining, self._ends = spawn(self._drain(minutes), "drain"), monotonic() + 60 * minutes
        _log.info("draining", minutes=minutes)
        return stops_in(minutes)

    async def _drain(self, minutes: int) -> None:
        await drained(self.hub, minutes)
        self.stopping.set()

    def reload(self) -> list[Text]:
        """Take in the settings, the lists of keys and the bans; gives what has changed.

        Raises `KkError`, and then nothing has changed.
        """
        read = self._read()
        rules = door_rules(read)
        self.bans.read()
        self.settings, said = changed_settings(self.settings, read)
        self._use(rules)
        _log.info("reloaded", changes=[str(line) for line in said])
        return said

    def _use(self, rules: DoorRules) -> None:
        """Have these settings count for whoever comes from now on."""
        settings = self.settings
        log_as(settings.log)
        self.hub.use(settings.limits, settings.bot_pause)
        self.hub.address = settings.address_at(self.port)
        self.front.limits, self.front.language = _fitting(settings), settings.language
        self.front.door.rules = rules
        self._listener.update(login_timeout=settings.limits.login_seconds)

    @property
    def traffic(self) -> Traffic:
        """What goes on here."""
        return self.front

    async def close(self) -> None:
        """Let everybody go, with all that they did stored."""
        reason = text("The server is shutting down; everything is stored.")
        if self._draining is not None:
            self._draining.cancel()
        self._listener.close()
        closing = asyncio.create_task(self.hub.close(reason))
        await self.front.close(reason)
        await closing
        if self.metrics is not None:
            await self.metrics.close()
        os.close(self._lock)


async def start(
    settings: Settings, make_app: MakeApp = make_app, read: Callable[[], Settings] | None = None
) -> Server:
    """Load all tables and listen; port 0 takes any free one. Raises `CannotServe` or another `KkError`.

    `read` gives the settings anew, where they are not what they were.
    """
    rules, data = door_rules(settings), settings.folder
    lock = hold_folder(data, text("Another server is using {folder}.", folder=str(data)))
    try:
        key = host_key(data)
        database = await open_database(data / DATABASE)
        accounts = Accounts(AccountStore(database), settings.limits)
        keep = RecordFolder(data / RECORDS, partial(sign, key)).keep
        hub = Hub(
            SqliteLog(database), accounts=accounts, limits=settings.limits, bot_pause=settings.bot_pause,
            bot_processes=settings.bot_processes, keep_record=keep, sign=partial(sign, key),
            times=settings.times, ratings=Ratings(RatingStore(database)),
        )  # fmt: skip
        try:
            await hub.load()
            door = Door(accounts, rules, Bans(data / BANS))
            connections = Connections(hub, door, make_app, _fitting(settings))
            connections.language = settings.language
            metrics = None if settings.metrics is None else Metrics(hub, connections, settings.metrics)
            listener = await _listen(settings, key, connections)
        except BaseException:
            await hub.close()
            raise
    except BaseException:
        os.close(lock)
        raise
    return Server(settings, read or (lambda: settings), hub, connections, listener, lock, metrics)


def _fitting(settings: Settings) -> ServerLimits:
    """The limits that there are files for."""
    return open_files.fitting(settings.limits, open_files.allowed())


async def _listen(settings: Settings, key: asyncssh.SSHKey, connections: Connections) -> asyncssh.SSHAcceptor:
    try:
        return await asyncssh.create_server(
            lambda: SshServer(connections),
            settings.host,
            settings.port,
            server_host_keys=[key],
            server_version="kk",
            encoding=None,
            line_editor=False,
            gss_host=None,
            keepalive_interval=_KEEPALIVE,
            login_timeout=settings.limits.login_seconds,
            backlog=open_files.backlog_of(open_files.allowed()),
            agent_forwarding=False,
            x11_forwarding=False,
            allow_scp=False,
            kex_algs=algorithms.KEY_EXCHANGE,
            encryption_algs=algorithms.ENCRYPTION,
            mac_algs=algorithms.MACS,
            compression_algs=algorithms.COMPRESSION,
        )
    except OSError as error:
        raise CannotServe(
            text(
                "Cannot listen on {host} port {port}: {reason}",
                host=settings.host,
                port=settings.port,
                reason=str(error.strerror),
            )
        ) from None


def _announce(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


async def serve(
    settings: Settings,
    read: Callable[[], Settings] | None = None,
    announce: Callable[[str], None] = _announce,
) -> None:
    """Serve until SIGINT or SIGTERM, with a log on standard error; take in what `read` gives on SIGHUP.

    Raises `KkError` when it cannot start.
    """
    log_to(sys.stderr, settings.log)
    open_files.raise_limit()
    asyncio.get_running_loop().set_exception_handler(open_files.LoopFaults())
    server = await start(settings, read=read)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, server.stopping.set)
    loop.add_signal_handler(signal.SIGHUP, _reload, server)
    announce(translate(_serving(settings.host, server.port), os.environ))
    _log.info("started", port=server.port, tables=len(server.hub.tables))
    collector = Collector(server.traffic)
    collector.start()
    systemd.ready()
    try:
        await server.stopping.wait()
    finally:
        systemd.stopping()
        with suppress(asyncio.CancelledError):
            await server.close()
        await collector.stop()
        _log.info("stopped")


def _serving(host: str, port: int) -> Text:
    there = "localhost" if host in ("", "0.0.0.0", "::", "127.0.0.1", "::1") else host
    return text(
        "Serving on {host} port {port}. Play with: ssh -p {port} NAME@{there}",
        host=host or "*", port=port, there=there,
    )  # fmt: skip


def _reload(server: Server) -> None:
    """What SIGHUP asks for; it stands in the audit log like the command."""
    systemd.reloading()
    try:
        server.reload()
        outcome = "done"
    except KkError as error:
        _log.error("not reloaded", reason=str(error))
        outcome = f"refused: {error}"
    with suppress(KkError):  # it is in the log, too
        server.audit.add("SIGHUP", None, "", "reload", outcome)
    systemd.ready()
