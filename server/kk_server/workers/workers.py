"""All worker processes of a server: a fixed number, each replaced when it ends."""

from __future__ import annotations

import asyncio
import socket
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import asyncssh
from asyncssh.public_key import decode_ssh_public_key

from kk_core.errors import KkError, where
from kk_core.protocol.stream import CLOSED, LinkClosed
from kk_core.reasons import system_reason
from kk_core.text import Text, text
from kk_server.background import command_of, environment, spawn
from kk_server.counts import Counts
from kk_server.frontend.garbage_collection import Traffic
from kk_server.frontend.listener import ConnectionCounter, ConnectionRejected, CountedConnection
from kk_server.gateway import Caller
from kk_server.limits import FrontendSettings
from kk_server.log import get_logger, is_silent, log_session
from kk_server.visits.visits import HubVisit, Visits
from kk_server.workers.channel import (
    AdmitSession,
    Answer,
    Channel,
    CheckKey,
    ClientIdentity,
    Configure,
    ConnectionAuthenticated,
    ConnectionClosed,
    CountPerson,
    EndSession,
    FindLanguage,
    FromHub,
    FromWorker,
    Handed,
    HubHeartbeat,
    KeepSettings,
    KeyChecked,
    LanguageFound,
    PassedConnection,
    PassedStream,
    PersonCounted,
    Request,
    RequestDone,
    RequestRefused,
    RunCommand,
    ServeApp,
    ServeSubsystem,
    SessionAdmitted,
    SessionClosed,
    SessionOpened,
    Shutdown,
    SocketPasser,
    StopServing,
    UseSettings,
    WorkerHeartbeat,
    WorkerReady,
    close_all,
    open_stream,
)

_HANDING: Final = 10.0
"""Seconds after which an announced stream counts as lost."""

_FAULT: Final = text("The server couldn't do this because of an internal error.")

_logger = get_logger()


class Serving:
    """The visits of one worker, and the streams it has passed for them."""

    def __init__(self, visits: Visits, tell: Callable[[FromHub], None]) -> None:
        self._visits = visits
        self._tell = tell
        self._sessions: dict[str, HubVisit] = {}
        self._streams: dict[int, asyncio.Future[socket.socket]] = {}

    def take(self, message: SessionOpened | StopServing | SessionClosed | Request) -> None:
        """Handle a message from a worker; what takes time is answered later."""
        match message:
            case SessionOpened(session, shown):
                self._sessions[session] = self._visits.visit(
                    session, _caller(shown), lambda reason: self._tell(EndSession(session, reason))
                )
            case StopServing(session, reason):
                if session in self._sessions:
                    self._sessions[session].send_away(reason)
            case SessionClosed(session):
                self._sessions.pop(session).leave()
            case _:
                spawn(self._answer(message), "worker's request")

    def forget(self) -> None:
        """End everything: the worker is gone, and so are all its connections."""
        for visit in self._sessions.values():
            visit.leave()
        for stream in self._streams.values():
            _drop(stream)
        self._sessions.clear()

    # -- requests --------------------------------------------------------------------------------------------

    async def _answer(self, request: Request) -> None:
        answer: Answer = RequestRefused(request.number, CLOSED)
        try:
            answer = await self._done(request)
        except KkError as error:
            answer = RequestRefused(request.number, error.reason)
        except OSError:
            pass  # the reader is gone
        except Exception as error:  # a fault of ours must not end the worker
            _logger.error("request failed", kind=type(request).__name__, error=where(error))
            answer = RequestRefused(request.number, _FAULT)
        finally:
            self._tell(answer)

    async def _done(self, request: Request) -> Answer:
        number = request.number
        if isinstance(request, CheckKey):
            key = decode_ssh_public_key(request.key)
            return KeyChecked(number, await self._visits.why_not(_caller(request.caller), key))
        log_session(request.session)
        match request:
            case AdmitSession():
                return SessionAdmitted(number, await self._visit(request.session).enter(request.request))
            case FindLanguage():
                return LanguageFound(number, await self._visit(request.session).language())
            case KeepSettings():
                await self._visit(request.session).keep(request.settings, request.before)
                return RequestDone(number)
            case _:
                return RequestDone(number, await self._served(request))

    async def _served(self, request: ServeApp | ServeSubsystem | RunCommand) -> int:
        reader, writer = await open_stream(await self._stream(request.number))
        try:
            visit = self._visit(request.session)
            match request:
                case ServeApp():
                    await visit.serve_app(reader, writer)
                case ServeSubsystem():
                    return await visit.serve(request.subsystem, reader, writer)
                case RunCommand():
                    await visit.run(request.command, writer)
            return 0
        finally:
            writer.close()

    def _visit(self, session: str) -> HubVisit:
        if session not in self._sessions:
            raise LinkClosed(CLOSED)
        return self._sessions[session]

    # -- streams ---------------------------------------------------------------------------------------------

    def handed(self, number: int, given: socket.socket | None) -> None:
        """Take the stream of a request; None if it was lost."""
        stream = self._expected(number)
        if given is not None and not stream.done():
            stream.set_result(given)
        else:
            _drop(stream)

    def _expected(self, number: int) -> asyncio.Future[socket.socket]:
        # descriptors come over a separate socket, so a stream may arrive before its request
        return self._streams.setdefault(number, asyncio.get_running_loop().create_future())

    async def _stream(self, number: int) -> socket.socket:
        """Return the stream of a request. Raises `LinkClosed` if it does not arrive."""
        try:
            async with asyncio.timeout(_HANDING):
                return await self._expected(number)
        # `_drop` cancels the future of a stream that was lost
        except (TimeoutError, asyncio.CancelledError):
            raise LinkClosed(CLOSED) from None
        finally:
            self._streams.pop(number, None)


def _drop(stream: asyncio.Future[socket.socket]) -> None:
    if not stream.cancel() and not stream.cancelled():
        stream.result().close()


def _caller(shown: ClientIdentity) -> Caller:
    key = None if shown.key is None else decode_ssh_public_key(shown.key)
    return Caller(shown.address, shown.name, key, shown.refusal, shown.origin)


PROGRAM: Final = "kk_server.workers.worker"

STARTING: Final = 60.0
"""Seconds that a worker has to get ready; long, since the machine may be busy."""

LEAVING: Final = 6.0
"""Seconds that a worker has to say goodbye to everybody."""


class WorkerNotStarted(KkError):
    """A worker that did not start."""


class WorkerProcess:
    """A running worker; `start` creates one. It is gone when `run` returns."""

    def __init__(
        self,
        number: int,
        visits: Visits,
        counting: ConnectionCounter,
        process: asyncio.subprocess.Process,
        channel: Channel[FromHub, FromWorker],
        passer_end: socket.socket,
    ) -> None:
        self.number = number
        self.counts = Counts()
        """Its counters."""
        self.silence = 0
        """Missed heartbeats; see `Workers`."""
        self._is_open = False
        """True while it accepts connections."""
        self._counting = counting
        self._process = process
        self._channel = channel
        self._passer = SocketPasser(passer_end, self._handed)
        self._serving = Serving(visits, channel.tell)
        self._last = 0
        self._counted: dict[int, CountedConnection] = {}
        self.tell = channel.tell

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def load(self) -> int:
        """Number of its connections."""
        return len(self._counted)

    def take(self, connection: socket.socket, counted: CountedConnection, *, is_page: bool) -> bool:
        """Have it speak SSH or HTTP on a connection; False if the connection cannot be passed."""
        self._last += 1
        what = PassedConnection(self._last, counted.address, counted.refusal, is_page)
        if not self._is_open or not self._passer.hand(what, connection):
            return False
        self._counted[self._last] = counted
        return True

    # -- what it says ----------------------------------------------------------------------------------------

    async def be_ready(self) -> None:
        """Wait until it accepts connections. Raises `WorkerNotStarted`."""
        try:
            async with asyncio.timeout(STARTING):
                message = await self._channel.receive()
        except (LinkClosed, TimeoutError):
            message = None
        if not isinstance(message, WorkerReady):
            raise WorkerNotStarted(text("A worker process could not be started."))
        self._is_open = True

    async def run(self) -> int:
        """Handle its messages until it is gone; returns its exit status."""
        try:
            while True:
                self._take(await self._channel.receive())
        except LinkClosed:
            pass
        except Exception as error:  # its messages make no sense: replace it
            _logger.error("worker failed", worker=self.number, error=where(error))
        finally:
            await self.end()
        return self._process.returncode or 0

    def _take(self, message: FromWorker) -> None:
        match message:
            case ConnectionAuthenticated(number, name):
                if number in self._counted:
                    self._counted[number].know(name)
            case ConnectionClosed(number):
                if number in self._counted:
                    self._counted.pop(number).end()
            case CountPerson(number, address):
                self.tell(self._person_counted(number, address))
            case WorkerHeartbeat(counts):
                self.counts, self.silence = counts, 0
            case WorkerReady():
                pass
            case _:
                self._serving.take(message)

    def _person_counted(self, number: int, address: str) -> Answer:
        try:
            counted = self._counting.count_person(address)
        except ConnectionRejected as error:
            return RequestRefused(number, error.reason)
        self._last += 1
        self._counted[self._last] = counted
        return PersonCounted(number, self._last)

    def _handed(self, what: Handed, given: socket.socket | None) -> None:
        if isinstance(what, PassedStream):
            self._serving.handed(what.number, given)

    # -- its end ---------------------------------------------------------------------------------------------

    async def close(self, reason: Text) -> None:
        """Have it say goodbye to everybody and end."""
        self._is_open = False
        self.tell(Shutdown(reason))
        await self._gone()

    async def end(self) -> None:
        """Drop its connections and sessions, and make sure that it ends."""
        self._is_open = False
        self._channel.close()
        self._passer.close()
        for counted in self._counted.values():
            if counted.name:  # a worker logs each connection that ends, but this one could not
                _logger.info("disconnect", address=counted.address, user=counted.name, error="worker lost")
            counted.end()
        self._counted.clear()
        self._serving.forget()
        await self._gone()

    async def _gone(self) -> None:
        try:
            async with asyncio.timeout(LEAVING):
                await self._process.wait()
        except TimeoutError:
            _logger.error("worker does not end", worker=self.number)
            self.kill()
            await self._process.wait()

    def kill(self) -> None:
        """Kill it."""
        with suppress(ProcessLookupError):
            self._process.kill()


async def start(
    visits: Visits, counting: ConnectionCounter, begin: Configure, program: str = PROGRAM
) -> WorkerProcess:
    """Start a worker that accepts connections. Raises `WorkerNotStarted`."""
    # a second pair for descriptors, which must not come between the bytes of messages
    (ours, theirs), (our_passer, their_passer) = socket.socketpair(), socket.socketpair()
    handed = theirs.fileno(), their_passer.fileno()
    try:
        process = await asyncio.create_subprocess_exec(
            # nothing is written to this pipe: its end shows that the hub has ended
            *command_of(program, *map(str, handed)), pass_fds=handed, stdin=PIPE, stdout=DEVNULL,
            start_new_session=True,  # Ctrl+C and hangups of the terminal must not reach it
            env=environment(),
        )  # fmt: skip
    except OSError as error:
        close_all(ours, our_passer)
        reason = system_reason(error)
        raise WorkerNotStarted(
            text("A worker process could not be started: {reason}", reason=reason)
        ) from None
    finally:
        close_all(theirs, their_passer)
    channel: Channel[FromHub, FromWorker] = Channel(*await open_stream(ours), FromWorker)
    worker = WorkerProcess(begin.worker, visits, counting, process, channel, our_passer)
    worker.tell(begin)
    try:
        await worker.be_ready()
    except BaseException:
        await worker.end()
        raise
    return worker


SOON: Final = 3.0
"""A worker that has lived longer than these seconds is restarted at once."""

PAUSES: Final = (0.5, 30.0)
"""Seconds before restarting a worker that ended sooner: at first, and at most."""

LOOK: Final = 1.0
"""Seconds between two heartbeats, and between two checks for them."""

_WELL: Final = 4
"""Missed heartbeats after which a worker gets connections only if no other can take them."""

HANGS: Final = 60
"""Missed heartbeats after which it is killed."""


class Workers:
    """Hands every connection to the worker with the fewest."""

    def __init__(
        self,
        number: int,
        visits: Visits,
        counting: ConnectionCounter,
        key: asyncssh.SSHKey,
        settings: FrontendSettings,
        program: str = PROGRAM,
    ) -> None:
        """Take the settings; `key` is the server's private key, `program` the module to start."""
        self.on_ready: Callable[[], None] = lambda: None
        """Called when one more worker can take connections."""
        self.workers: dict[int, WorkerProcess] = {}
        """The running workers, by number from 1."""
        self._number = number
        self._visits = visits
        self._counting = counting
        self._key = key.export_private_key()
        self._settings = settings
        self._program = program
        self._past = Counts()
        """The counters of workers that are gone."""
        self._tasks: list[asyncio.Task[None]] = []
        self._is_closing = False

    @property
    def traffic(self) -> Traffic:
        """The sessions of this process."""
        return self._visits

    def counted(self) -> dict[str, Counts]:
        """Return the counters of each worker by its number, and of all that have ended."""
        running = {str(number): worker.counts for number, worker in sorted(self.workers.items())}
        return {"ended": self._past, **running}

    # -- requests --------------------------------------------------------------------------------------------

    def take(self, connection: socket.socket, counted: CountedConnection) -> bool:
        """Have SSH spoken on a connection; False if no worker can."""
        return self._take(connection, counted, is_page=False)

    def take_page(self, connection: socket.socket, counted: CountedConnection) -> bool:
        """Have HTTP spoken on a connection; False if no worker can."""
        return self._take(connection, counted, is_page=True)

    def _take(self, connection: socket.socket, counted: CountedConnection, *, is_page: bool) -> bool:
        # silent workers come last, but are still better than none
        order = sorted(self.workers.values(), key=lambda worker: (worker.silence >= _WELL, worker.load))
        return any(worker.take(connection, counted, is_page=is_page) for worker in order)

    def use(self, settings: FrontendSettings) -> None:
        """Apply new settings to connections made from now on."""
        self._settings = settings
        for worker in self.workers.values():
            worker.tell(UseSettings(settings))

    async def close(self, reason: Text) -> None:
        """Disconnect everybody and end all workers."""
        self._is_closing, self.on_ready = True, lambda: None
        await asyncio.gather(*(worker.close(reason) for worker in list(self.workers.values())))
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    # -- life ------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Start all of them. Raises `WorkerNotStarted`."""
        numbers = range(1, self._number + 1)
        started = await asyncio.gather(*map(self._start, numbers), return_exceptions=True)
        # all or none: a server starts with exactly the configured number of workers
        if faults := [each for each in started if isinstance(each, BaseException)]:
            for worker in self.workers.values():
                await worker.end()
            raise faults[0]
        self._tasks = [asyncio.create_task(self._keep(worker)) for worker in self.workers.values()]
        self._tasks.append(asyncio.create_task(self._watch()))

    async def _start(self, number: int) -> WorkerProcess:
        begin = Configure(number, self._key, self._settings, not is_silent(), LOOK)
        worker = await start(self._visits, self._counting, begin, self._program)
        worker.tell(UseSettings(self._settings))  # they may have changed in the meantime
        worker.tell(HubHeartbeat())  # from now on it notices when they stop
        self.workers[number] = worker
        _logger.info("worker started", worker=number, pid=worker.pid)
        self.on_ready()
        return worker

    async def _keep(self, worker: WorkerProcess) -> None:
        loop, number, pause = asyncio.get_running_loop(), worker.number, 0.0
        running: WorkerProcess | None = worker
        while not self._is_closing:
            since = loop.time()
            try:
                await self._run(running or await self._start(number))
            except (WorkerNotStarted, OSError) as error:  # out of file descriptors, for example
                _logger.error("worker not started", worker=number, reason=str(error))
            running = None
            pause = pause_after(loop.time() - since, pause)
            await asyncio.sleep(pause)

    async def _run(self, worker: WorkerProcess) -> None:
        status = await worker.run()
        # counters must never decrease, so those of lost workers are kept
        self._past += worker.counts
        del self.workers[worker.number]
        if not self._is_closing:
            _logger.error("worker lost", worker=worker.number, status=status)

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(LOOK)
            for worker in self.workers.values():
                worker.tell(HubHeartbeat())
                worker.silence += 1
                if worker.silence == HANGS:
                    _logger.error("worker hangs", worker=worker.number)
                    worker.kill()


def pause_after(lived: float, pause: float) -> float:
    """Return the seconds before restarting a worker that lived `lived` seconds, after the last `pause`."""
    if lived > SOON:
        return 0.0
    return min(max(PAUSES[0], 2 * pause), PAUSES[1])
