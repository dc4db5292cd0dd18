"""`kk bot`: seats a program of any language at a table; it is asked in lines of JSON."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import shlex
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

import asyncssh
import platformdirs
import typer

from kk_core.errors import KkError
from kk_core.protocol.messages import (
    MOST_LINES,
    PROTOCOL_VERSION,
    Browse,
    ClientMessage,
    GoTo,
    Hello,
    Join,
    LeaveSeat,
    Look,
    Notice,
    Play,
    TakeSeat,
    Vote,
)
from kk_core.protocol.stream import ClientLink, LinkClosed
from kk_core.text import Text, quoted, text, texts
from kk_core.types import CommonObservation, Move, Outcome, Seat, Tree
from kk_core.views import (
    LobbyView,
    MatchView,
    PlaceView,
    SeatView,
    TableLine,
    TableView,
    decode_place,
)
from kk_server import log
from kk_server.cli import Failure, Usage
from kk_server.cli import bot_program as programs
from kk_server.cli.bot_program import Program, ProgramLost, move_of, observed, question, rules_of
from kk_server.cli.common import Address, parse_address
from kk_server.cli.language import language, note
from kk_tui.client import remote
from kk_tui.client.client import Client, Refusal, pauses
from kk_tui.client.own_keys import made_key

Tell = Callable[[Text], object]

_TRIES_FOR: Final = 10
"""Minutes of trying to reconnect."""

_FAREWELL: Final = 2.0
"""Seconds to close a connection properly."""


class BotConnection:
    """A connection to a server that is kept alive; `news` is called when anything changes there."""

    def __init__(
        self, connect: Callable[[], Awaitable[ClientLink]], news: Callable[[], object], tell: Tell
    ) -> None:
        self._connect = connect
        self._news = news
        self._tell = tell
        self._client: Client | None = None
        self._running: asyncio.Task[Text]
        self._staying: asyncio.Task[None]
        self._gone: Text | None = None
        self.user = ""
        """The user that the server knows it as."""
        self.table: str | None = None
        """The table to return to after reconnecting."""
        self.heard: Text | None = None
        """The server's last notice."""

    async def begin(self) -> None:
        """Connect, and reconnect from now on. Raises `KkError`."""
        self._client = await self._connected()
        self._staying = asyncio.create_task(self._stay(self._client))

    async def close(self) -> None:
        """Disconnect."""
        self._staying.cancel()
        await asyncio.wait([self._staying])
        if self._client is not None:
            await self._leave(self._client)

    @property
    def tree(self) -> Tree:
        """The last tree of the place; another object whenever something has changed."""
        return None if self._client is None else self._client.tree

    def place(self) -> PlaceView | None:
        """Return the place as it is now; None while disconnected. Raises `Failure` once that is final."""
        if self._gone is not None:
            raise Failure(self._gone)
        return None if self.tree is None else decode_place(self.tree)

    async def request(self, make: Callable[[int], ClientMessage]) -> Any:
        """Send a request and return its answer. Raises `Refusal`, or `LinkClosed` when disconnected."""
        client = self._client
        if client is None:
            raise LinkClosed(text("Not connected yet."))
        try:
            return await client.request(make)
        except LinkClosed:
            self._client = None
            raise

    # -- the connection --------------------------------------------------------------------------------------

    async def _connected(self) -> Client:
        client = Client(await self._connect(), changed=self._news, noticed=self._hear)
        self._running = asyncio.create_task(client.run())
        try:
            welcome = await client.request(lambda number: Hello(number, PROTOCOL_VERSION, program=True))
            self.user = welcome.user
            if self.table is not None:
                await self._go_back(client)
        except BaseException:
            await self._leave(client)
            raise
        return client

    async def _go_back(self, client: Client) -> None:
        try:
            await client.request(lambda number: GoTo(number, self.table))
        except Refusal as error:
            self.heard = error.reason

    async def _leave(self, client: Client) -> None:
        with suppress(TimeoutError, OSError, asyncssh.Error):
            async with asyncio.timeout(_FAREWELL):
                await client.close()
        self._running.cancel()
        await asyncio.wait([self._running])

    async def _stay(self, client: Client) -> None:
        while self._gone is None:
            reason = await self._running
            self._client = None
            self._tell(text("{reason} Trying again for {n} minutes.", reason=reason, n=_TRIES_FOR))
            await self._leave(client)
            try:
                client = self._client = await self._connected_again()
                self._tell(text("Connected again."))
            except KkError as error:
                self._gone = error.reason
            self._news()

    async def _connected_again(self) -> Client:
        loop = asyncio.get_running_loop()
        end = loop.time() + 60 * _TRIES_FOR
        for pause in pauses():
            await asyncio.sleep(pause)
            try:
                return await self._connected()
            except KkError:
                if loop.time() > end:
                    raise
        raise AssertionError("pauses have no end")

    def _hear(self, notice: Notice) -> None:
        self.heard = notice.text


class Claims:
    """A file in which one byte is locked for each seat played for; locks end with the process."""

    def __init__(self, file: Path) -> None:
        """Open the file. Raises `OSError` if that is not possible."""
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._file = os.open(file, os.O_CREAT | os.O_RDWR, 0o600)

    def take(self, table: str, seat: Seat) -> bool:
        """Lock a seat; False if another process has it."""
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _place(table, seat))
        except OSError as error:
            # a file system without locks keeps nobody out
            return error.errno not in (errno.EACCES, errno.EAGAIN)
        return True

    def give_up(self, table: str, seat: Seat) -> None:
        """Unlock a seat."""
        fcntl.lockf(self._file, fcntl.LOCK_UN, 1, _place(table, seat))


def _place(table: str, seat: Seat) -> int:
    # bytes far beyond the end of an empty file can be locked, up to what an offset can be
    return int.from_bytes(sha256(f"{table}/{seat}".encode()).digest()[:6], "big")


OPEN, PLAYING = "open", "playing"


def tables_for(user: str, lobby: LobbyView, *, at_any: bool) -> list[TableLine]:
    """Return the tables where a user may play, the best first.

    First their running match that changed last, then their other matches, tables where they sit, and free
    seats of anybody's.
    """
    seats = _seats_for if at_any else _seats_of
    lines = [line for line in lobby.tables if line.unplayable is None and seats(user, line)]
    return sorted(lines, key=lambda line: _rank(user, line))


def _rank(user: str, line: TableLine) -> tuple[bool, bool, int]:
    is_own = bool(_own(user, line.seats))
    return line.phase != PLAYING, not is_own, -line.at if is_own else 0


def claim_seat(user: str, table: TableView, claims: Claims) -> Seat:
    """Lock a seat for a user and return it. Raises `Failure` if none is left."""
    for seat in _seats_for(user, table):
        if claims.take(table.id, seat):
            return seat
    raise Failure(_why_none(table))


def _seats_for(user: str, table: TableView | TableLine) -> list[Seat]:
    if table.phase == PLAYING:
        return _own(user, table.seats)
    if table.phase == OPEN:
        # the last first: the first seat is for whoever opened the table
        free = [seat for seat, holder in enumerate(table.seats) if not (holder.owner or holder.bot)][::-1]
        return _own(user, table.seats) + free
    return []


def _seats_of(user: str, table: TableLine) -> list[Seat]:
    return _own(user, table.seats) if table.phase in (OPEN, PLAYING) else []


def _own(user: str, seats: Sequence[SeatView]) -> list[Seat]:
    return [seat for seat, holder in enumerate(seats) if holder.owner == user and not holder.has_given_up]


def _why_none(table: TableView) -> Text:
    if table.phase == OPEN:
        return text("Table {table} has no free seat.", table=quoted(table.id))
    if table.phase == PLAYING:
        return text("Table {table} has a running match without a seat for you.", table=quoted(table.id))
    return text("The match at table {table} is over.", table=quoted(table.id))


_STANDING_UP: Final = 2.0
"""Seconds for the server to free the seat."""

_REFUSALS: Final = 5
_AFTER_REFUSAL: Final = 1.0
"""Attempts, and seconds between them, at a legal move that was refused."""

_NOWHERE: Final = text(
    "You have no seat here. Say where to sit down: --table ID, --join CODE, or --any for "
    "a free seat at any table."
)

_KEPT: Final = text("The match continues and the seat is kept: run kk bot again to play on.")


class _Chosen(NamedTuple):
    """A move that the program has chosen; it stays valid as long as the choices are the same."""

    match: bytes
    ply: int
    possible: tuple[Move, ...]
    move: Move


class BotClient:
    """A program that plays one match at a server."""

    def __init__(
        self,
        visit: BotConnection,
        program: Program,
        news: asyncio.Event,
        claims: Claims,
        patience: float,
        tell: Tell,
    ) -> None:
        """Take a connection and a program.

        `news` is set when anything has changed at the server or with the program, which has `patience`
        seconds for an answer.
        """
        self._visit = visit
        self._program = program
        self._news = news
        self._claims = claims
        self._patience = patience
        self._tell = tell
        self._seat: Seat | None = None
        self._match: bytes | None = None  # by its commitment, once it has begun
        self._chosen: _Chosen | None = None
        self._refusals = 0
        self._at_any = False

    async def play(self, wanted: str | None, code: str | None = None, at_any: bool = False) -> None:
        """Take a seat at a table, by its identifier, an invitation or `at_any`, and play one match.

        A seat of its own comes first, where a match may go on already; without any of these it takes no
        other. Raises `KkError`, `Failure`.
        """
        self._at_any = at_any
        try:
            if code is not None:
                wanted = await self._let_in(code)
            await self._sit_down(wanted)
            while not await self._has_begun():
                why = await self._why_gone()
                if wanted is not None:
                    raise Failure(why)
                self._tell(why)
                await self._sit_down(None)
            await self._play()
        except ProgramLost as lost:
            raise self._failure(lost.how) from None
        except asyncio.CancelledError:
            if self._match is not None:
                self._tell(_KEPT)
            raise
        finally:
            await self._stand_up()

    def _failure(self, how: Text) -> Failure:
        if self._match is None:
            return Failure(text("{what} before the match began.", what=how))
        return Failure(text("{what} in the middle of the match.", what=how), _KEPT)

    # -- a seat ----------------------------------------------------------------------------------------------

    async def _sit_down(self, wanted: str | None) -> None:
        """Take a seat. Raises `Failure` or `Refusal` if a certain table is wanted and has none."""
        tried: dict[str, Sequence[SeatView]] = {}
        is_told = False
        while True:
            try:
                await self._place()
                if await (self._sit_at(wanted) if wanted else self._sit_anywhere(tried)):
                    return
            except LinkClosed:
                tried.clear()
                continue
            await self._check_program()
            if not self._at_any:
                raise Failure(_NOWHERE)
            if not is_told:
                self._tell(text("No table has a free seat: waiting for one."))
                is_told = True
            await self._next()

    async def _let_in(self, code: str) -> str:
        """Go to the table of an invitation and return its identifier. Raises `Refusal`, `Failure`."""
        while True:
            await self._place()
            with suppress(LinkClosed):
                await self._visit.request(lambda n: Join(n, code))
                if isinstance(there := await self._place(), TableView):
                    return there.id

    async def _sit_anywhere(self, tried: dict[str, Sequence[SeatView]]) -> bool:
        """Sit down at the first table that allows it. Raises `LinkClosed`."""
        if not isinstance(lobby := await self._place(), LobbyView):
            await self._visit.request(lambda n: GoTo(n, None))
            lobby = await self._place()
        if not isinstance(lobby, LobbyView):
            raise LinkClosed(text("Not connected yet."))  # it was made anew meanwhile
        while True:
            for line in tables_for(self._visit.user, lobby, at_any=self._at_any):
                # a table that has refused is tried again when its seats have changed
                if tried.get(line.id) != line.seats:
                    tried[line.id] = line.seats
                    with suppress(Failure, Refusal):  # somebody was quicker, or it is not for programs
                        return await self._sit_at(line.id)
            after = await self._next_tables(lobby) if self._at_any else None
            if after is None:
                return False
            lobby = after

    async def _next_tables(self, lobby: LobbyView) -> LobbyView | None:
        """Return the lobby with further open tables; None, with the first ones again, if there are no more.

        Raises `LinkClosed`.
        """
        if not isinstance(await self._place(), LobbyView):
            await self._visit.request(lambda n: GoTo(n, None))
        first = lobby.first + len(lobby.others) if lobby.shows == OPEN else 0
        has_more = lobby.shows != OPEN or first < lobby.total
        if has_more or lobby.first:
            at = first if has_more else 0
            await self._visit.request(lambda n: Browse(n, at, MOST_LINES, OPEN))
        there = await self._place()
        if has_more and isinstance(there, LobbyView):
            return there
        self._news.clear()  # looking through them all has made changes of its own
        return None

    async def _sit_at(self, table: str) -> bool:
        """Take a seat at a table. Raises `Failure`, `Refusal`, `LinkClosed`."""
        await self._visit.request(lambda n: GoTo(n, table))
        there = await self._place()
        if not isinstance(there, TableView):
            raise LinkClosed(text("Not connected yet."))  # it was made anew meanwhile
        seat = claim_seat(self._visit.user, there, self._claims)
        if there.seats[seat].owner is None:
            await self._take(table, seat)
        self._visit.table, self._visit.heard, self._seat = table, None, seat
        self._tell(_where(there, seat))
        return True

    async def _take(self, table: str, seat: Seat) -> None:
        try:
            await self._visit.request(lambda n: TakeSeat(n, seat))
        except Refusal:
            self._claims.give_up(table, seat)
            raise

    async def _has_begun(self) -> bool:
        """Wait for the match; False when the table is gone. Raises `Failure`."""
        while isinstance(table := await self._place(), TableView):
            if table.match is not None and table.phase != OPEN:
                self._match = table.match.commitment
                self._tell(_begun(table.match))
                return True
            if table.seats[self._own_seat].owner != self._visit.user:
                self._seat = None
                raise Failure(await self._why_gone())
            await self._check_program()
            await self._agree(table)
            await self._next()
        self._visit.table = self._seat = None
        return False

    async def _stand_up(self) -> None:
        # before the match nobody should wait for a program that will not play; in a match its seat is kept
        if self._seat is not None and self._match is None:
            with suppress(KkError, TimeoutError):
                async with asyncio.timeout(_STANDING_UP):
                    await self._visit.request(lambda n: LeaveSeat(n, self._own_seat))

    # -- the match -------------------------------------------------------------------------------------------

    async def _play(self) -> None:
        """Do one thing at a time and look again after each. Raises `Failure`, `ProgramLost`."""
        while isinstance(table := await self._place(), TableView):
            match = table.match
            if match is None or table.phase == OPEN or match.commitment != self._match:
                raise Failure(text("The match was aborted; it has no winner."))
            observation, holder = observed(match), table.seats[self._own_seat]
            if observation.outcome is not None:
                self._program.tell(question(rules_of(match), table, match, self._own_seat))
                self._tell(_result(table, observation, observation.outcome))
                return
            await self._agree(table)
            if table.viewer != self._own_seat:
                await self._try(lambda n: Look(n, self._own_seat))
            elif holder.stand_in is not None and not holder.has_given_up:
                await self._try(lambda n: TakeSeat(n, self._own_seat))
            elif observation.legal_moves and not holder.has_given_up:
                await self._move(table, match, observation)
            else:
                await self._check_program()
                await self._next()
        raise Failure(await self._why_gone())

    async def _move(self, table: TableView, match: MatchView, observation: CommonObservation) -> None:
        chosen, before = self._chosen, self._visit.tree
        if chosen is None or (chosen.match, chosen.possible) != (match.commitment, observation.legal_moves):
            self._chosen = await self._choose(table, match, observation)
            return
        try:
            await self._visit.request(lambda n: Play(n, self._own_seat, chosen.ply, chosen.move))
        except LinkClosed:
            return
        except Refusal as error:
            await self._take_refusal(error, is_late=match.ply != chosen.ply)
        else:
            self._chosen, self._refusals = None, 0
            # wait for the change that the move has made: until then, the same turn would be asked for again
            while self._visit.tree is before:
                await self._next()

    async def _choose(self, table: TableView, match: MatchView, observation: CommonObservation) -> _Chosen:
        rules = rules_of(match)
        try:
            asked = question(rules, table, match, self._own_seat)
            move = move_of(rules, await self._program.ask(asked, self._patience), observation)
        except Failure as error:
            raise Failure(*error.reasons, _KEPT) from None
        return _Chosen(match.commitment, match.ply, observation.legal_moves, move)

    async def _take_refusal(self, error: Refusal, *, is_late: bool) -> None:
        # the match has moved on, so ask again; otherwise the server has no time just now
        if is_late:
            self._chosen = None
            return
        self._refusals += 1
        if self._refusals > _REFUSALS:
            raise Failure(error.reason, _KEPT)
        await asyncio.sleep(_AFTER_REFUSAL)

    async def _agree(self, table: TableView) -> None:
        proposal = table.proposal
        # agree to everything but ending a rated match early
        if proposal is not None and self._visit.user in proposal.waits:
            yes = proposal.what == "start" or not table.rated
            with suppress(Refusal, LinkClosed):
                await self._visit.request(lambda n: Vote(n, yes=yes))

    # -- waiting ---------------------------------------------------------------------------------------------

    @property
    def _own_seat(self) -> Seat:
        assert self._seat is not None, "it sits"
        return self._seat

    async def _place(self) -> PlaceView:
        while (place := self._visit.place()) is None:
            await self._next()
        return place

    async def _next(self) -> None:
        await self._news.wait()
        self._news.clear()

    async def _try(self, make: Callable[[int], ClientMessage]) -> None:
        try:
            await self._visit.request(make)
        except LinkClosed:
            return
        except Refusal:
            await self._next()

    async def _check_program(self) -> None:
        try:
            self._program.check()
        except Failure as error:
            raise Failure(*error.reasons, *((_KEPT,) if self._match is not None else ())) from None
        if self._program.has_ended:
            raise await self._program.lost()

    async def _why_gone(self) -> Text:
        with suppress(Refusal, LinkClosed):
            await self._visit.request(lambda n: GoTo(n, None))
        return self._visit.heard or text("The table is gone.")


def _where(table: TableView, seat: Seat) -> Text:
    where = text(
        "At table {title} ({table}), seat {n} of {seats}",
        title=table.title, table=table.id, n=seat + 1, seats=len(table.seats),
    )  # fmt: skip
    if table.phase == OPEN:
        return text("{where}: waiting for the match to begin.", where=where)
    return text("{where}.", where=where)


def _begun(match: MatchView) -> Text:
    if match.ply == 0:
        return text("The match has begun.")
    return texts("The match continues after {n} move.", "The match continues after {n} moves.", match.ply)


def _result(table: TableView, observation: CommonObservation, outcome: Outcome) -> Text:
    names = [holder.name for holder in table.seats]
    points = ", ".join(f"{name} {n}" for name, n in zip(names, observation.points, strict=True))
    winners = ", ".join(names[seat] for seat in outcome.winners)
    won = text("Won by {players}.", players=winners) if winners else text("No winner.")
    return text("The match is over: {points}. {won}", points=points, won=won)


_ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Destination(NamedTuple):
    """The seat to take: at a table, by an invitation, or any free one; otherwise only one's own."""

    table: str | None
    code: str | None
    at_any: bool = False


def run(address: str, command: str, destination: Destination, patience: float) -> None:
    """Sit down at a server and play one match, under a name and a key of the program's own.

    The program has `patience` seconds for an answer. Raises `Failure`, or `KkError` if nobody answers.
    """
    named = {"--table": destination.table, "--join": destination.code, "--any": destination.at_any}
    said = [option for option, value in named.items() if value]
    if len(said) > 1:
        raise Usage(
            text("{one} and {other} both say where to go: leave one of them out.", one=said[0], other=said[1])
        )
    place = parse_address(address, own="{user}-bot")
    try:
        words = shlex.split(command)
    except ValueError:
        raise Usage(text("--command: missing closing quotation mark.")) from None
    if not words:
        raise Usage(text("--command names no program."))
    log.silence()
    stopped_by = asyncio.run(_until_stopped(place, words, destination, patience))
    if stopped_by is not None:
        # the status that a shell gives a program which a signal has ended
        raise typer.Exit(128 + stopped_by)


async def _until_stopped(
    place: Address, words: list[str], destination: Destination, patience: float
) -> int | None:
    """Play to the end, or until a signal stops it; returns that signal."""
    loop, stopped = asyncio.get_running_loop(), list[int]()
    playing = asyncio.create_task(_play(place, words, destination, patience))

    def stop(number: int) -> None:
        stopped.append(number)
        playing.cancel()

    for number in _ENDING:
        # nohup and background jobs ignore some of them on purpose
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, stop, number)
    await asyncio.wait([playing])
    if playing.cancelled():
        return stopped[0]
    playing.result()
    return None


async def _play(place: Address, words: list[str], destination: Destination, patience: float) -> None:
    # a key per name, so that the program is an account of its own, and not its owner's
    own = made_key(f"bot-{sha256(place.user.encode()).hexdigest()[:16]}")
    claims = Claims(platformdirs.user_data_path("kk", appauthor=False) / "seats")
    news = asyncio.Event()

    async def connect() -> ClientLink:
        link = await remote.connect(*place, own=own, language=language())
        if link.first_key is not None:
            where = f"{place.host}:{place.port}"
            note(text("First visit to {where}. Its key is {key}", where=where, key=link.first_key))
        return link

    async with (
        _running(words, news.set) as program,
        _visiting(BotConnection(connect, news.set, note)) as visit,
    ):
        note(text("Connected to {where} as {user}.", where=f"{place.host}:{place.port}", user=visit.user))
        await BotClient(visit, program, news, claims, patience, note).play(*destination)


@asynccontextmanager
async def _running(words: list[str], changed: Callable[[], object]) -> AsyncIterator[Program]:
    program = await programs.start(words, changed)
    try:
        yield program
    finally:
        await program.end()


@asynccontextmanager
async def _visiting(visit: BotConnection) -> AsyncIterator[BotConnection]:
    await visit.begin()
    try:
        yield visit
    finally:
        await visit.close()
