"""A server from start to stop."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Final

import asyncssh

from kk_core.errors import KkError
from kk_core.text import text
from server.accounts.accounts import Accounts
from server.accounts.store import AccountStore
from server.front import algorithms
from server.front.collector import Collector, Traffic
from server.front.connections import Connections
from server.front.door import Door, door_rules
from server.front.keys import host_key
from server.front.signatures import sign
from server.front.ssh_server import SshServer
from server.front.terminal import MakeApp, make_app, translate
from server.hub.hub import Hub
from server.log import get_logger, log_to
from server.ratings.ratings import Ratings
from server.ratings.store import RatingStore
from server.settings import Settings
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
    """A hub and its listener; made by `start`."""

    def __init__(
        self,
        settings: Settings,
        hub: Hub,
        connections: Connections,
        listener: asyncssh.SSHAcceptor,
        lock: int,
    ) -> None:
        self.settings = settings
        self.hub = hub
        self.port: int = listener.get_port()
        self._connections = connections
        self._listener = listener
        self._lock = lock

    @property
    def connections(self) -> int:
        """How many connections are open."""
        return len(self._connections.open)

    @property
    def traffic(self) -> Traffic:
        """What goes on here."""
        return self._connections

    async def close(self) -> None:
        """Let everybody go, with all that they did stored."""
        reason = text("The server is shutting down; everything is stored.")
        self._listener.close()
        closing = asyncio.create_task(self.hub.close(reason))
        await self._connections.close(reason)
        await closing
        os.close(self._lock)


async def start(settings: Settings, make_app: MakeApp = make_app) -> Server:
    """Load all tables and listen; port 0 takes any free one. Raises `CannotServe` or another `KkError`."""
    rules, data = door_rules(settings), settings.folder
    lock = hold_folder(data, text("Another server is using {folder}.", folder=str(data)))
    try:
        key = host_key(data)
        database = await open_database(data / DATABASE)
        accounts = Accounts(AccountStore(database))
        keep = RecordFolder(data / RECORDS, partial(sign, key)).keep
        hub = Hub(
            SqliteLog(database), accounts=accounts, limits=settings.limits, bot_pause=settings.bot_pause,
            bot_processes=settings.bot_processes, keep_record=keep, sign=partial(sign, key),
            times=settings.times, ratings=Ratings(RatingStore(database)),
        )  # fmt: skip
        try:
            await hub.load()
            door = Door(accounts, rules)
            connections = Connections(hub, door, make_app, settings.limits)
            connections.language = settings.language
            listener = await _listen(settings, key, connections)
        except BaseException:
            await hub.close()
            raise
    except BaseException:
        os.close(lock)
        raise
    return Server(settings, hub, connections, listener, lock)


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


async def serve(settings: Settings, announce: Callable[[str], None] = _announce) -> None:
    """Serve until SIGINT or SIGTERM, with a log on standard error. Raises `KkError` when it cannot start."""
    log_to(sys.stderr)
    server = await start(settings)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    host = settings.host
    there = "localhost" if host in ("", "0.0.0.0", "::", "127.0.0.1", "::1") else host
    serving = text(
        "Serving on {host} port {port}. Play with: ssh -p {port} NAME@{there}",
        host=host or "*",
        port=server.port,
        there=there,
    )
    announce(translate(serving, os.environ))
    _log.info("started", port=server.port, tables=len(server.hub.tables))
    collector = Collector(server.traffic)
    collector.start()
    try:
        await stop.wait()
    finally:
        with suppress(asyncio.CancelledError):
            await server.close()
        await collector.stop()
        _log.info("stopped")
