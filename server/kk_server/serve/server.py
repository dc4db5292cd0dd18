"""A server from start to stop."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from functools import partial
from ipaddress import ip_address
from math import ceil
from pathlib import Path
from time import CLOCK_MONOTONIC, clock_gettime_ns, monotonic, time
from typing import TYPE_CHECKING, Final

import asyncssh

from kk_core.bot_names import other_bots
from kk_core.errors import KkError
from kk_core.protocol.messages import WelcomePage
from kk_core.protocol.stream import Writer
from kk_core.reasons import system_reason
from kk_core.text import Text, quoted, text, texts
from kk_server.accounts.accounts import Accounts, AccountStore
from kk_server.accounts.addresses import ADDRESSES, Addresses
from kk_server.accounts.bans import BANS, MUTES, BanFile, Bans, BanStore, BanTable, Mutes
from kk_server.accounts.daily import DailyDeals, DailyStore
from kk_server.accounts.lessons import AccountLessons
from kk_server.accounts.ratings import Ratings, RatingStore
from kk_server.background import spawn
from kk_server.calls.store import CallStore
from kk_server.calls.turn_caller import TurnCaller
from kk_server.calls.ways import CallSettings, Sender
from kk_server.frontend import listener
from kk_server.frontend.garbage_collection import GarbageCollection, Traffic
from kk_server.frontend.listener import CannotServe, ConnectionCounter, ConnectionHandler, Port, bind
from kk_server.gateway import Caller, CommandRequest
from kk_server.hub.hub import Hub
from kk_server.limits import FrontendSettings
from kk_server.log import get_logger, log_as, log_to, take_in_others
from kk_server.serve.metrics import KkCollector, Metrics
from kk_server.serve.settings import BadSettings, Settings, changed_settings
from kk_server.serve.web import UNKNOWN_HOST, WebDoor, open_web, web_certificate, web_settings
from kk_server.ssh.farewell import farewell
from kk_server.ssh.host_keys import FILE as KEY
from kk_server.ssh.host_keys import host_key, sign
from kk_server.storage.archive import Archive
from kk_server.storage.files import RECORDS, RecordFolder
from kk_server.storage.folder import hold_folder
from kk_server.storage.sql import NO_ASYNCPG, Database
from kk_server.storage.sql_log import SqlLog
from kk_server.storage.sqlite import CHECK, DATABASE, WritesLost, open_database
from kk_server.storage.table_log import Damaged
from kk_server.tables.nodes import Elsewhere, ForwardedCommand
from kk_server.visits.access import AccessPolicy, AccessRules, read_allowed_keys
from kk_server.visits.audit import AUDIT, AuditLog
from kk_server.visits.console.parser import ServerConsole
from kk_server.visits.moderation import Moderation
from kk_server.visits.orders import AddressSeen, Announce, Close, DropKey, Kick, Orders, ReadBans, TellAdmins
from kk_server.visits.visits import Visits
from kk_server.workers.workers import PROGRAM, Workers
from kk_tui.languages import has_language, settled_language, translate

if TYPE_CHECKING:
    from kk_server.cluster.cluster import Cluster
    from kk_server.frontend.terminal import MakeApp
    from kk_server.ssh.server import SshFrontend

_ALOUD: Final = (10, 5, 2, 1)
"""Minutes before the end at which the announcement is repeated."""


def stops_in(minutes: int) -> Text:
    """Return the announcement that the server will stop."""
    return texts(
        "This server will stop in a minute; no new tables can be opened. Everything is saved.",
        "This server will stop in {n} minutes; no new tables can be opened. Everything is saved.",
        minutes,
    )


async def drained(hub: Hub, minutes: int, minute: float = 60.0) -> None:
    """Wait until everybody has left, or `minutes` of `minute` seconds each are over."""
    for left in range(minutes, 0, -1):
        hub.stop_opening(stops_in(left), is_told=left == minutes or left in _ALOUD)
        try:
            async with asyncio.timeout(minute):
                await hub.sessions.nobody_here()
        except TimeoutError:
            continue
        return


SOCKET: Final = "NOTIFY_SOCKET"

NO_SENDERS: Final = text(
    "Calls need aiohttp and aiosmtplib: install them with `{command}`.", command="pip install 'kk[calls]'"
)

_logger = get_logger()


def ready() -> None:
    """Notify the service manager that the server is listening, or has reloaded its settings."""
    _notify("READY=1")


def reloading() -> None:
    """Notify the service manager that the server is reloading its settings."""
    now = clock_gettime_ns(CLOCK_MONOTONIC) // 1000
    _notify(f"RELOADING=1\nMONOTONIC_USEC={now}")


def stopping() -> None:
    """Notify the service manager that the server is stopping."""
    _notify("STOPPING=1")


def _notify(state: str) -> None:
    address = os.environ.get(SOCKET, "")
    if not address:
        return
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
            channel.connect("\0" + address[1:] if address.startswith("@") else address)
            channel.sendall(state.encode())
    except OSError as error:
        _logger.warning("service manager not told", error=error.strerror)


_UNSURE: Final = 1.0
_SURE: Final = 0.2
"""Seconds for the database to show that it stores something, and if it did not last."""

_LOOK_FOR_OLD: Final = 3600.0
"""Seconds between two runs that delete old addresses."""

_LOOK_FOR_TERMINAL: Final = 2.0
"""Seconds between two looks at whether the terminal is still there."""

STOPPING: Final = text("The server is shutting down; everything is saved.")


class Server:
    """A hub and its listener; created by `start`. `stopping` is set when it should be closed."""

    def __init__(
        self,
        settings: Settings,
        read: Callable[[], Settings],
        visits: Visits,
        mutes: Mutes,
        counting: ConnectionCounter,
        handler: ConnectionHandler,
        port: Port,
        web: WebDoor | None,
        lock: int,
        metrics: Metrics | None,
        fingerprint: str,
        stopping: asyncio.Event,
        database: Database,
        cluster: Cluster | None,
    ) -> None:
        """Put the parts together; `read` returns the current settings."""
        self.settings = settings
        self.hub = visits.hub
        self.visits = visits
        self.addresses = visits.access.addresses
        self.moderation = Moderation(visits, mutes, AuditLog(settings.folder / AUDIT), database)
        self.port = port.number
        self.places = port.places
        """The addresses it listens on."""
        self.fingerprint = fingerprint
        """The fingerprint of its host key, as printed by `ssh-keygen -l`."""
        self.stopping = stopping
        self.metrics = metrics
        self._read = read
        self._counting = counting
        self.handler = handler
        self._port = port
        self.web = web
        """The door for browsers, if it is open."""
        self._lock = lock
        self._database = database
        self._cluster = cluster
        self._since = monotonic()
        self._draining: asyncio.Task[None] | None = None
        self._ends = 0.0
        visits.console = ServerConsole(self)
        self._introduce()
        self._forgetting = spawn(self._forget_addresses(), "forget addresses")
        self._trying_storage: asyncio.Task[None] | None = None
        if cluster is not None:
            visits.tell_others, visits.answers = cluster.order, cluster.answers
            visits.last_order = lambda: cluster.last_order
            cluster.carry_out, cluster.run_forwarded = self.carry_out, self.run_forwarded
            cluster.on_back = self.moderation.follow_bans_soon
            cluster.on_outdated = self.drain

    @property
    def connections(self) -> int:
        """Number of open connections."""
        return self._counting.open

    async def storage_fault(self) -> Text | None:
        """Return why nothing can be stored, after a second at most; None if it can."""
        # what was stored last, and when, is no answer: nobody here may have stored anything for long
        if self._trying_storage is None or self._trying_storage.done():
            self._trying_storage = spawn(self._try_storage(), "try storage")
        known = self._database.fault is not None
        await asyncio.wait([self._trying_storage], timeout=_SURE if known else _UNSURE)
        if not self._trying_storage.done() and self._database.fault is None:
            return text("no answer")
        return self._database.fault

    async def _try_storage(self) -> None:
        with suppress(KkError):
            await self._database.settled()

    @property
    def uptime(self) -> float:
        """Seconds since the start."""
        return monotonic() - self._since

    @property
    def is_draining(self) -> bool:
        """True if it will stop soon."""
        return self._draining is not None

    def drain(self, minutes: int | None = None) -> Text:
        """Stop when everybody has left, or after `minutes`; returns the announcement.

        Without `minutes` an earlier schedule stays, and is announced again.
        """
        if minutes is None and self._draining is not None:
            return stops_in(max(1, ceil((self._ends - monotonic()) / 60)))
        minutes = minutes or self.settings.drain_minutes
        if self._draining is not None:
            self._draining.cancel()
        self._draining, self._ends = spawn(self._drain(minutes), "drain"), monotonic() + 60 * minutes
        _logger.info("draining", minutes=minutes)
        return stops_in(minutes)

    async def _drain(self, minutes: int) -> None:
        if self._cluster is not None:
            self._cluster.drain()
        await drained(self.hub, minutes)
        self.stopping.set()

    async def reload(self) -> list[Text]:
        """Reload the settings, the lists of keys and the bans; returns what has changed.

        Raises `KkError`; then nothing has changed.
        """
        read = self._read()
        rules = access_rules(read)
        bans, mutes = self.moderation.bans, self.moderation.mutes
        async with bans.changing, mutes.changing:
            banned, muted = await bans.read(), await mutes.read()
            if self.web is not None:
                self.web.use(read)
            self.settings, said = changed_settings(self.settings, read)
            bans.use(banned)
            mutes.use(muted)
        self._use(rules)
        said += _untranslated(self.settings)
        _logger.info("reloaded", changes=[str(line) for line in said])
        return said

    def _use(self, rules: AccessRules) -> None:
        """Apply the settings to the hub and to connections made from now on."""
        settings = self.settings
        log_as(settings.log)
        self.hub.use(settings.limits, settings.bot_pause, settings.purge_days)
        self.hub.caller.language = settings.language
        self._introduce()
        self.visits.access.rules = rules
        # restarted, since a shorter time also applies at once to addresses already stored
        self._forgetting.cancel()
        self._forgetting = spawn(self._forget_addresses(), "forget addresses")
        frontend_settings = _frontend_settings(settings)
        self.visits.limits = frontend_settings.limits
        self._counting.use(frontend_settings.limits)
        self.handler.use(frontend_settings)

    def _introduce(self) -> None:
        """Have the hub say where this server is and what it is called, as the settings say it."""
        self.hub.address = self.settings.address_at(self.port)
        if self.web is not None:
            self.hub.web_for = partial(self.web.url, UNKNOWN_HOST)
            self.hub.host_for = self.web.host
        self.hub.welcome = self.settings.welcome.page()
        self.hub.accounts.server_name = self.settings.welcome.name

    async def close_table(self, table: str) -> None:
        """Close a table, and notify its people. Raises `KkError`."""
        found = await self.hub.table(table)
        await found.close_by_host(
            text("The host of this server has closed {title}.", title=found.state.created.title)
        )

    # -- other nodes -----------------------------------------------------------------------------------------

    async def carry_out(self, order: Orders) -> None:
        """Do what another node orders. Raises `KkError`."""
        match order:
            case Kick(name, by):
                self.visits.end_named(name, by)
            case DropKey(user, fingerprint):
                self.visits.end_key(user, fingerprint)
            case Announce(words):
                self.hub.sessions.tell_all(words, from_host=True)
            case TellAdmins(words):
                self.moderation.tell_admins(words)
            case Close(table):
                if self.hub.nodes.is_home(table):
                    await self.close_table(table)
            case AddressSeen(user, address):
                self.addresses.note(user, address)
            case ReadBans():
                await self.moderation.follow_bans()

    async def forward(self, table: str, forwarded: ForwardedCommand, writer: Writer) -> None:
        """Have the node that serves a table carry out a command, and write its answer. Raises `KkError`."""
        if self._cluster is None:
            raise Elsewhere(table)
        await self._cluster.run(table, forwarded, writer)

    async def run_forwarded(self, forwarded: ForwardedCommand, writer: Writer) -> None:
        """Carry out a command that another node sends. Raises `KkError`."""
        request = CommandRequest(forwarded.command, forwarded.language, forwarded.newline, is_sent=True)
        command = self.visits.console.parse(Caller("", forwarded.user), request, writer)
        await command.run(forwarded.user, is_admin=False)

    async def _forget_addresses(self) -> None:
        while True:
            self.addresses.days = days = self.settings.address_days
            self.addresses.forget()
            try:
                await asyncio.to_thread(self.moderation.audit.forget_addresses, days)
            except KkError as error:
                _logger.error("addresses not forgotten", reason=str(error))
            await asyncio.sleep(_LOOK_FOR_OLD)

    @property
    def traffic(self) -> Traffic:
        """The sessions of this process."""
        return self.handler.traffic

    async def close(self) -> None:
        """Disconnect everybody, with everything stored."""
        self._forgetting.cancel()
        if self._draining is not None:
            self._draining.cancel()
        self._port.close()
        if self.web is not None:
            self.web.stop()
        if self._cluster is not None:
            await self._cluster.stop()
        # concurrently: sessions say goodbye while their connections are still open
        closing = asyncio.create_task(self.hub.close(STOPPING))
        await self.handler.close(STOPPING)
        await closing
        if self.web is not None:
            await self.web.close()
        if self._cluster is not None:
            self._cluster.on_back = None
        # not before: until now admins may have banned somebody
        self.moderation.close()
        if self._trying_storage is not None:
            self._trying_storage.cancel()
        if self._cluster is not None:
            await self._cluster.close()
        if self.metrics is not None:
            await self.metrics.close()
        os.close(self._lock)


async def start(
    settings: Settings,
    make_app: MakeApp | None = None,
    read: Callable[[], Settings] | None = None,
    program: str = PROGRAM,
) -> Server:
    """Load all tables and listen; port 0 means any free one. Raises `CannotServe` or another `KkError`.

    `make_app` replaces kk's own apps in this process, and the module `program` those in worker processes;
    `read` returns the current settings, if they can change.
    """
    rules, data = access_rules(settings), settings.folder
    # before anything is created: where the key is refused, the folder stays as it is
    key = host_key(data) if os.access(data / KEY, os.F_OK) else None
    lock = hold_folder(data, text("Another server is using {folder}.", folder=str(data)))
    async with AsyncExitStack() as undoing:
        undoing.callback(os.close, lock)
        with _telling_what_to_do(data / DATABASE):
            # first, because a new database must not find other files beside it
            stopping = asyncio.Event()
            database = await _open(settings, stopping)
            undoing.push_async_callback(database.close)
            key, log = key or host_key(data), SqlLog(database)
            cluster = _cluster(settings, key, log)
            hub, accounts = _hub(settings, database, key, log, cluster, _senders(settings.calls))
            undoing.push_async_callback(hub.close)
            await hub.load()
            if cluster is not None:
                # before tables are taken: loading the app can take longer than other nodes wait for one
                make_app = _app_maker(settings.workers, make_app)
                await cluster.start(hub)
                undoing.push_async_callback(cluster.close)
        frontend_settings = _frontend_settings(settings)
        addresses = Addresses(data / ADDRESSES, settings.address_days)
        bans = Bans(_ban_store(settings, database, BANS))
        mutes = Mutes(_ban_store(settings, database, MUTES))
        for listed in (bans, mutes):
            await listed.load()
        visits = Visits(hub, AccessPolicy(accounts, rules, bans, addresses), frontend_settings.limits)
        counting = ConnectionCounter(frontend_settings.limits)
        sockets = await bind(settings.host, settings.port)
        for each in sockets:
            undoing.callback(each.close)
        certificate = web_certificate(settings)
        handler = await _connection_handler(
            settings.workers, visits, counting, key, frontend_settings, make_app, program
        )
        undoing.push_async_callback(handler.close, STOPPING)
        known_by = key.get_fingerprint()
        web = await open_web(settings, handler, counting, known_by, certificate)
        if web is not None:
            undoing.callback(web.stop)
            undoing.push_async_callback(web.close)
        figures = KkCollector(visits, counting, handler.counted)
        metrics = (
            None if settings.metrics is None else Metrics(figures, settings.metrics_host, settings.metrics)
        )
        # last, so that nobody can connect before everything is ready
        port = Port(sockets, counting.count, handler.take, farewell)
        if isinstance(handler, Workers):
            # connections may be waiting because all workers are down
            handler.on_ready = partial(_accept, port, web)
        # everything has started: from here on `Server.close` cleans up
        undoing.pop_all()
    read = read or (lambda: settings)
    server = Server(
        settings, read, visits, mutes, counting, handler, port, web, lock, metrics, known_by, stopping,
        database, cluster,
    )  # fmt: skip
    if cluster is not None:
        server.moderation.follow_bans_soon()  # others may have ordered something since they were read
    return server


def _accept(port: Port, web: WebDoor | None) -> None:
    port.open()
    if web is not None:
        web.accept()


async def _open(settings: Settings, stopping: asyncio.Event) -> Database:
    """Open the database; `stopping` is set if another server takes it over. Raises `KkError`."""
    if settings.store is None:
        return await open_database(settings.folder / DATABASE)
    try:
        from kk_server.storage.postgres import open_postgres  # imported here: asyncpg is an extra
    except ImportError:
        raise CannotServe(NO_ASYNCPG) from None
    database = await open_postgres(settings.store)
    if settings.node is not None:
        return database
    try:
        await database.hold(stopping.set)
    except BaseException:
        await database.close()
        raise
    return database


def _ban_store(settings: Settings, database: Database, name: str) -> BanStore:
    file = settings.folder / name
    if settings.store is None:
        return BanFile(file)
    if file.exists():
        _logger.warning("file not used", file=str(file), do="move it away: the database has what counts")
    return BanTable(database, name)


def _cluster(settings: Settings, key: asyncssh.SSHKey, log: SqlLog) -> Cluster | None:
    if settings.store is None or settings.node is None:
        return None
    from kk_server.cluster.cluster import Cluster  # imported here, as for `_open`

    return Cluster(settings.store, settings.node, key, log)


@contextmanager
def _telling_what_to_do(file: Path) -> Iterator[None]:
    try:
        yield
    except WritesLost:
        raise
    except Damaged:
        raise CannotServe(
            text(
                "{file} is damaged: restore a backup, or save what can be read with `{command}`.",
                file=str(file), command=f"{CHECK} --repair",
            )
        ) from None  # fmt: skip


def _senders(settings: CallSettings) -> dict[str, Sender]:
    """Return what delivers calls, by kind of address. Raises `KkError`."""
    if not settings.are_on:
        return {}
    try:
        # imported here: what it needs is an extra
        from kk_server.calls.senders import MailSender, WebhookSender
    except ImportError:
        raise CannotServe(NO_SENDERS) from None
    senders: dict[str, Sender] = {}
    if settings.smtp:
        senders["mail"] = MailSender(settings, _password(settings.smtp_password))
    if services := settings.services():
        senders |= dict.fromkeys((service.kind for service in services), WebhookSender(settings))
    return senders


def _password(file: str) -> str | None:
    if not file:
        return None
    try:
        return Path(file).read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = system_reason(error) if isinstance(error, OSError) else text("it is not UTF-8")
        raise CannotServe(text("{file} cannot be read: {reason}", file=file, reason=reason)) from None


def _hub(
    settings: Settings,
    database: Database,
    key: asyncssh.SSHKey,
    log: SqlLog,
    cluster: Cluster | None,
    senders: dict[str, Sender],
) -> tuple[Hub, Accounts]:
    accounts = Accounts(AccountStore(database), settings.limits)
    keep = RecordFolder(settings.folder / RECORDS, partial(sign, key)).keep
    hub = Hub(
        log, accounts=accounts, limits=settings.limits, bot_pause=settings.bot_pause,
        bot_processes=settings.bot_processes, keep_record=keep, sign=partial(sign, key),
        times=settings.times, ratings=Ratings(RatingStore(database)),
        daily=DailyDeals(DailyStore(database), time), lessons=AccountLessons(database),
        archive=Archive(database), purge_days=settings.purge_days, nodes=cluster,
        caller=TurnCaller(
            CallStore(database), settings.calls, senders, limits=settings.limits,
            language=settings.language, now=time,
        ),
    )  # fmt: skip
    return hub, accounts


async def _connection_handler(
    workers: int,
    visits: Visits,
    counting: ConnectionCounter,
    key: asyncssh.SSHKey,
    settings: FrontendSettings,
    make_app: MakeApp | None,
    program: str,
) -> Workers | SshFrontend:
    """Start what speaks with people, in this process or in `workers` processes. Raises `KkError`."""
    if workers > 1:
        started = Workers(workers, visits, counting, key, settings, program)
        await started.start()
        return started
    # imported here: with workers, the hub need not load the app
    from kk_server.frontend.session import SessionHost
    from kk_server.ssh.server import SshFrontend

    made = _app_maker(workers, make_app)
    assert made is not None, "without workers there is one"
    return SshFrontend(SessionHost(visits, made, settings), key, settings)


def _app_maker(workers: int, make_app: MakeApp | None) -> MakeApp | None:
    """Return what makes apps in this process, which loads them; None if workers do."""
    if make_app is None and workers == 1:
        from kk_server.frontend import terminal

        return terminal.make_app
    return make_app


def access_rules(settings: Settings) -> AccessRules:
    """Return the access rules from settings, with the keys in their files. Raises `BadKeys`."""
    allowed, admins = (
        None if file is None else read_allowed_keys(Path(file)) for file in (settings.allow, settings.admins)
    )
    return AccessRules(settings.guests != "no" and allowed is None, allowed, admins)


def _frontend_settings(settings: Settings) -> FrontendSettings:
    """Return the settings of the frontends, with limits that fit the number of open files."""
    files = listener.allowed()
    if settings.workers > 1 and files != listener.INFINITY:
        files //= 2  # each session needs another one for its socket to the hub
    limits, page = listener.fitting(settings.limits, files), settings.welcome.page()
    banner = "" if page is None else banner_of(page, settings.language)
    return FrontendSettings(
        limits, settings.language, settings.log, banner, settings.motion, web_settings(settings)
    )


def banner_of(page: WelcomePage, language: str | None) -> str:
    """Return the welcome that ssh prints, in the host's language, since the user's is not known yet."""
    parts = [page.name]
    for head, words in ((text("House rules"), page.rules), (text("News"), page.news)):
        if words:
            parts.append(f"{translate(head, language)}\n{words}")
    lines = "\n\n".join(filter(None, parts)).splitlines()
    return "".join(f"{line}\r\n" for line in ("", *lines, ""))


def _announce(line: str) -> None:
    # where nobody reads any more, that is no reason not to serve
    with suppress(OSError):
        sys.stdout.write(line + "\n")
        # when writing to a pipe, Python would buffer the line
        sys.stdout.flush()


async def serve(
    settings: Settings,
    read: Callable[[], Settings] | None = None,
    announce: Callable[[str], None] = _announce,
) -> None:
    """Serve until SIGINT, SIGTERM or the hangup of its terminal, with a log on standard error.

    Any other SIGHUP reloads the settings. Raises `KkError` if it cannot start.
    """
    log_to(sys.stderr, settings.log)
    take_in_others()
    for refused in other_bots().refused:
        _logger.warning("bot not used", reason=str(refused.sentence))
    listener.raise_limit()
    asyncio.get_running_loop().set_exception_handler(listener.LoopFaults())
    server = await start(settings, read=read)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, server.stopping.set)
    # one that ignores hangups (`nohup`) stays when its terminal is closed
    hangs_up = signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN and _has_terminal()
    outliving = spawn(_outlive_terminal(), "terminal") if hangs_up else None

    def hang_up() -> None:
        if outliving is not None and not outliving.done() and not _has_terminal():
            server.stopping.set()
        else:
            spawn(_reload(server), "reload")

    loop.add_signal_handler(signal.SIGHUP, hang_up)
    for line in _serving(server):
        announce(translate(line, settled_language(os.environ)))
    _logger.info("started", port=server.port, tables=len(server.hub.table_cache), host_key=server.fingerprint)
    collection = GarbageCollection(server.traffic)
    collection.start()
    # the service manager waits for this, even if nothing has changed
    ready()
    try:
        await server.stopping.wait()
    finally:
        stopping()
        with suppress(asyncio.CancelledError):
            await server.close()
        if outliving is not None:
            outliving.cancel()
        await collection.stop()
        _logger.info("stopped")


def _serving(server: Server) -> Iterator[Text]:
    """Yield sentences on where it listens, how to connect, and its key."""
    told, port = server.hub.address
    places = ", ".join(server.places)
    yield text(
        "Serving on {places} port {port}. Play with: ssh -p {told} NAME@{there}",
        places=places, port=server.port, told=port, there=told.strip("[]") or _own_name(server),
    )  # fmt: skip
    if server.web is not None:
        yield text("In a browser: {url}", url=server.web.url("localhost"))
    yield text("This server's key, which people see on their first visit:")
    yield Text("  {key}", (("key", server.fingerprint),))  # on a line of its own, to be compared and copied
    yield from _untranslated(server.settings)


def _untranslated(settings: Settings) -> list[Text]:
    if settings.language is None or has_language(settings.language):
        return []
    return [
        text("There is no translation for language = {language}: English is used.",
             language=quoted(settings.language))
    ]  # fmt: skip


def _own_name(server: Server) -> str:
    # the best guess while no `address` is set
    address = server.places[0].strip("[]")
    parsed = ip_address(address)
    return "localhost" if parsed.is_loopback or parsed.is_unspecified else address


def _has_terminal() -> bool:
    """Return whether this process belongs to a terminal that is still there."""
    try:
        os.close(os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY))
    except OSError:
        return False
    return True


async def _outlive_terminal() -> None:
    """Return once the terminal has been gone for so long that no hangup will come of it (`disown`)."""
    while _has_terminal():  # noqa: ASYNC110
        await asyncio.sleep(_LOOK_FOR_TERMINAL)
    await asyncio.sleep(_LOOK_FOR_TERMINAL)
    _logger.info("serving on without its terminal")


async def _reload(server: Server) -> None:
    reloading()
    try:
        await server.reload()
        outcome = "done"
    except KkError as error:
        for reason in error.reasons if isinstance(error, BadSettings) else (error.reason,):
            _logger.error("not reloaded", reason=str(reason))
        outcome = f"refused: {error}"
    with suppress(KkError):  # it is in the log too
        server.moderation.audit.add("SIGHUP", None, "", "reload", outcome)
    ready()
