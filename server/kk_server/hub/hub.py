"""The hub: all tables, everybody online, and their sessions.

`Opener` decides whether a table may be opened; `Invitations` handles the codes of private ones.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Sequence
from functools import partial
from hashlib import sha256
from itertools import count
from time import monotonic
from typing import Final

import msgspec
from msgspec.structs import replace

from kk_core.bot_names import STAND_IN, bot_people, level_of
from kk_core.checks import complete_options
from kk_core.daily import PLAYER, seats_for, signs
from kk_core.errors import KkError
from kk_core.game import AnyGame
from kk_core.match import Match, Replay
from kk_core.match_name import match_name
from kk_core.protocol.messages import Join, OpenDaily, OpenLesson, OpenTable, PlayOn, WelcomePage
from kk_core.protocol.stream import ClientLink, ServerLink
from kk_core.protocol.typed_codes import INVITATION_LENGTH, codes_in, is_code, readings
from kk_core.record import Record
from kk_core.registry import game, lesson_of
from kk_core.search.bots import bot_kind
from kk_core.text import Text, text
from kk_core.views import GUEST_MARK, ChatLine, DailyTable, LeaderLine, LessonLine, is_guest
from kk_server.accounts.accounts import Accounts
from kk_server.accounts.daily import DailyDeal, DailyDeals, first_tries
from kk_server.accounts.guests import Guests
from kk_server.accounts.lessons import AccountLessons
from kk_server.accounts.link_codes import LIFE, new_code
from kk_server.accounts.names import (
    TITLE_COLUMNS,
    clean_line,
    clean_name,
    clean_title,
    distinct,
    impersonates_server,
    nobody_called,
    skeleton_of,
    without_signs,
)
from kk_server.accounts.ratings import Ratings
from kk_server.bots.pool import Analyst, Chooser, Pool
from kk_server.calls.turn_caller import TurnCaller
from kk_server.hub import requests
from kk_server.hub.calling import SSH_PORT, HubCalling
from kk_server.hub.history import (
    Analyses,
    MatchHistory,
    ReplayPlace,
    continuation_entries,
)
from kk_server.hub.lobby import Lobby
from kk_server.hub.relay import OWN
from kk_server.hub.session import ArrivalNews, Session, Sessions, VisitingSession, pipe
from kk_server.limits import (
    BOT_PAUSE,
    BotPace,
    LimitReached,
    Limits,
    RateLimited,
    SharedBuckets,
    Timeouts,
    TokenBuckets,
)
from kk_server.log import get_logger
from kk_server.storage.archive import Archive
from kk_server.storage.entries import Created, Ended, Entry, SeatHolder
from kk_server.storage.summaries import FINISHED
from kk_server.storage.table_log import Conflict, TableLog, data_for, keep_data_of, told_host
from kk_server.tables.admissions import Admissions
from kk_server.tables.cache import TableCache, UnloadedTable, table_class
from kk_server.tables.chat import LINE_WIDTH, Complaint, Heard
from kk_server.tables.clock import Uptime
from kk_server.tables.context import TableContext
from kk_server.tables.daily import DealTable, deal_begun, deal_entries
from kk_server.tables.expiry import Days, ExpiringTable, ExpiryTask, Purger
from kk_server.tables.lessons import PLAYED_WITHOUT, LessonTable, lesson_entries, lesson_lines, lessons_begun
from kk_server.tables.nodes import Alone, Elsewhere, Nodes, Visitor
from kk_server.tables.place import NotPossible, Place
from kk_server.tables.presence import Presence
from kk_server.tables.state import TableState, replayed
from kk_server.tables.table import Table

UNRATED: Final = text("Matches here are not rated.")


def check_rated(user: str, request: OpenTable, *, has_ratings: bool) -> None:
    """Refuse a rated table that a user may not open. Raises `NotPossible`."""
    if not request.rated:
        return
    if not has_ratings:
        raise NotPossible(UNRATED)
    if is_guest(user):
        raise NotPossible(text("Guests have no rating: connect with an SSH key, and the name is yours."))
    if request.hints:
        raise NotPossible(text("Rated matches have no hints."))
    # nobody should gain by staying away, so the stand-in of a rated match is fixed
    if request.stand_in != STAND_IN:
        raise NotPossible(text("In rated matches, the stand-in is the bot {bot}.", bot=level_of(STAND_IN)))


def check_room(
    user: str, tables: Iterable[ExpiringTable], nearby: Iterable[ExpiringTable], limits: Limits
) -> None:
    """Refuse a table if the user, their address or the server has too many already.

    `nearby` are the tables opened from the user's address. Raises `LimitReached`.
    """
    busy = _busy(tables)
    own = sum(table.owner == user for table in busy)
    if own >= limits.tables_per_user:
        raise LimitReached(text("You already have {n} tables; finish or leave one first.", n=own))
    near = len(_busy(nearby))
    if near >= limits.tables_per_address:
        raise LimitReached(
            text("{n} tables are already open from your address; finish or leave one first.", n=near)
        )
    if len(busy) >= limits.tables:
        raise LimitReached(text("This server is full: {n} tables are open.", n=len(busy)))


def _busy(tables: Iterable[ExpiringTable]) -> list[ExpiringTable]:
    return [table for table in tables if table.phase != FINISHED]


def _is_for_one(created: Created) -> bool:
    return created.lesson or bool(created.daily)


def new_id(is_taken: Callable[[str], bool]) -> str:
    """Return an unused identifier for a place."""
    while is_taken(candidate := secrets.token_hex(4)):
        pass
    return candidate


class Opener:
    """Opens tables, and remembers which network each was opened from, until the server restarts."""

    def __init__(
        self, log: TableLog, table_cache: TableCache, context: TableContext, propose_id: Callable[[], str]
    ) -> None:
        self._log = log
        self._table_cache = table_cache
        self._context = context
        self._propose_id = propose_id
        self._from: dict[str, str] = {}

    def check_room(self, user: str, network: str | None, limits: Limits) -> None:
        """Refuse another table to a user from a network. Raises `LimitReached`."""
        standing = dict(self._table_cache.summaries())
        self._from = {table: origin for table, origin in self._from.items() if table in standing}
        near = [standing[table] for table, origin in self._from.items() if origin == network]
        check_room(user, standing.values(), near, limits)

    async def open(self, entries: Sequence[Entry], state: TableState, network: str | None) -> Table:
        """Open a table with these first entries. Raises `StorageFailed`."""
        while True:
            table = table_class(state.created)(self._propose_id(), state, self._context)
            # listed before it is stored, which reserves its identifier
            self._table_cache.add(table)
            try:
                for revision, entry in enumerate(entries):
                    await self._log.append(table.id, revision, entry, table.at)
            except Conflict:  # an earlier table's entries under this identifier are still in the file
                self._table_cache.forget(table.id)
            except BaseException:
                self._table_cache.forget(table.id)
                raise
            else:
                if network is not None:
                    self._from[table.id] = network
                return table


_TOO_MANY: Final = text("Too many codes tried; please wait a minute.")
UNHEARD: Final = text("Your message wasn't sent: anybody who read the code in it could use it.")
UNNAMED: Final = text("This can't be a name: anybody who read the code in it could use it.")
UNTITLED: Final = text("This can't be a title: everybody would see the code in it and could use it.")


class Invitations:
    """Creates the codes of private tables and finds their tables; guessing is rate-limited."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self.use(limits)

    def use(self, limits: Limits) -> None:
        """Apply new limits.

        There are 882 million codes: even a hundred guests at once would have to guess for days, while nobody
        with the right code is slowed down.
        """
        self._tries = TokenBuckets(limits.codes_per_minute / 60, limits.codes_at_once, self._clock)

    def new(self) -> str:
        """Return a code such as K3RTZW, of letters and digits that are not easily confused."""
        return new_code(INVITATION_LENGTH)

    async def find(
        self, user: str, raw: str, tables: Callable[[], Iterable[Table | UnloadedTable]],
        look_again: Callable[[], Awaitable[None]],
    ) -> Table | UnloadedTable:  # fmt: skip
        """Return the table of a code as typed; `look_again` finds more `tables`. Raises `KkError`."""
        read = readings(raw)
        codes, tries = [code.encode(errors="replace") for code in read], max(1, sum(map(is_code, read)))
        # taken first and put back on success, so that only wrong codes count, in each reading
        for taken in range(tries):
            if not self._tries.take(user):
                self._put_back(user, taken)
                raise RateLimited(_TOO_MANY)
        found = _with_code(codes, tables())
        if not found:
            await look_again()
            found = _with_code(codes, tables())
        if len(found) == 1:
            self._put_back(user, tries)
            return found[0]
        raise NotPossible(text("No table here has this code: it may be mistyped, or its table is gone."))

    def _put_back(self, user: str, tries: int) -> None:
        for _ in range(tries):
            self._tries.put_back(user)

    async def check_said(
        self, user: str, line: str, tables: Iterable[Table | UnloadedTable],
        is_link: Callable[[str], Awaitable[bool]], refusal: Text,
    ) -> None:  # fmt: skip
        """Refuse a public line containing a code that leads to a table or links a key.

        Anything that looks like a code counts as a guess, so this is no way to find codes. Raises `KkError`.
        """
        for codes in codes_in(line):
            if not self._tries.take(user):
                raise RateLimited(_TOO_MANY)
            if any(table.code in codes for table in tables) or any([await is_link(code) for code in codes]):
                self._tries.put_back(user)
                raise NotPossible(refusal)


def _with_code(
    codes: Sequence[bytes], tables: Iterable[Table | UnloadedTable]
) -> list[Table | UnloadedTable]:
    # compared in constant time, so that timing does not show how close a guess was
    return [
        table for table in tables
        if table.code is not None and any(hmac.compare_digest(table.code.encode(), code) for code in codes)
    ]  # fmt: skip


KeepRecord = Callable[[str, int, Record], Awaitable[None]]
"""Takes a table, the number of a finished match there (from 1) and its record."""

Sign = Callable[[bytes], str]
"""Returns the signature of a record's bytes."""

_logger = get_logger()


class Hub:
    """Lobby and tables over one log. Call `load` once before the first connection."""

    def __init__(
        self,
        log: TableLog,
        *,
        limits: Limits | None = None,
        bot_pause: float = BOT_PAUSE,
        bot_processes: int | None = None,
        hints: bool = False,
        times: Timeouts | None = None,
        keep_record: KeepRecord | None = None,
        sign: Sign | None = None,
        accounts: Accounts | None = None,
        ratings: Ratings | None = None,
        daily: DailyDeals | None = None,
        lessons: AccountLessons | None = None,
        archive: Archive | None = None,
        purge_days: Days = "never",
        nodes: Nodes | None = None,
        caller: TurnCaller | None = None,
    ) -> None:
        """Build the hub over a log.

        With `hints`, people may ask for hints at every table. Without `accounts` all names are free. Without
        `daily` (deals from a store), the deals of the day are unranked; without `lessons`, finished ones are
        forgotten. Tables closed `purge_days` days ago are purged, and what remains of them goes to the
        `archive`. Without `nodes` nobody else uses the log; without a `caller`, nobody who is away is called.
        """
        self.nodes = nodes or Alone()
        self.limits = limits or Limits()
        self.pace = BotPace(bot_pause)
        self.chooser = Chooser(Pool(bot_processes))
        self.address = "", 0
        """The host and port that people connect to; empty and 0 if unknown."""
        self.web_for: Callable[[str], str] = lambda origin: ""  # noqa: ARG005
        """Returns the address of the page for somebody whose page has an origin ("" if they have none)."""
        self.host_for: Callable[[str], str] = lambda origin: ""  # noqa: ARG005
        """Returns likewise the host that their page was found at, for where `address` has none."""
        self.why_silent: Callable[[str], Text | None] = _nothing_against
        """Returns why a user is muted; None if they are not."""
        self.take_complaint: Callable[[Complaint], None] | None = None
        """Takes reports about users; None if nobody receives them. Raises `KkError`."""
        self.welcome: WelcomePage | None = None
        """The page that everybody reads once on arrival; None if there is none."""
        self._replays: dict[str, ReplayPlace] = {}
        self._closed_for: Text | None = None
        self.presence = Presence()
        self.sessions = Sessions(log, self.presence, self.nodes, self._own_presence_changed)
        self._invitations = Invitations(self.limits)
        self._count_by(self.limits)
        self.analyses = Analyses(Analyst(self.chooser.pool), self.limits)
        self.daily = daily or DailyDeals()
        self._lessons = lessons or AccountLessons()
        self.history = MatchHistory(log, archive, self.daily)
        self._log = log
        self._keep_record = keep_record
        self._sign = sign
        self._accounts = accounts
        self._ratings = ratings
        self._caller = caller
        revision = count(1)
        self._count = lambda: next(revision)
        self.uptime = Uptime(log)
        self._context = TableContext(
            log=log,
            chooser=self.chooser,
            hints=hints,
            pace=self.pace,
            times=times or Timeouts(),
            presence=self.presence,
            tell=self.sessions.tell,
            count=self._count,
            now=self.uptime.now,
            line_changed=self._line_changed,
            keep=self._keep,
            seat_name=_free_name if accounts is None else self._seat_name,
            daily=self.daily,
            lessons=self._lessons,
            nodes=self.nodes,
            admissions=Admissions(),
            ratings=ratings,
        )
        self.table_cache = TableCache(self._context)
        self._opener = Opener(log, self.table_cache, self._context, self._new_table_id)
        self.lobby = Lobby(
            self._count, self.table_cache, self.presence, self.sessions.admins, self.sessions.away
        )
        self._purger = None if archive is None else Purger(log, archive, purge_days)
        self.expiry_task = ExpiryTask(self._expire)

    @property
    def tables(self) -> dict[str, Table]:
        """The loaded tables; `table_cache` has the unloaded ones too."""
        return self.table_cache.loaded

    @property
    def left_out(self) -> int:
        """The number of tables in the log that could not be read."""
        return self.table_cache.left_out

    # -- sessions --------------------------------------------------------------------------------------------

    def connect(
        self,
        user: str,
        news: ArrivalNews | None = None,
        place: Place | Elsewhere | None = None,
        network: str | None = None,
        *,
        key: str | None = None,
        origin: str = "",
        is_admin: bool = False,
    ) -> ClientLink:
        """Open a session inside this process, in the lobby or at a place; closing the link ends it.

        `user` is a clean name, `network` where they connect from (if known), `key` the fingerprint of
        their key, `origin` that of the page they came by.
        """
        ours, theirs = pipe()
        self._admit(user, theirs, news, place, network, key, origin, is_admin=is_admin)
        return ours

    async def serve(
        self,
        user: str,
        link: ServerLink,
        news: ArrivalNews | None = None,
        place: Place | Elsewhere | None = None,
        network: str | None = None,
        *,
        key: str | None = None,
        origin: str = "",
        is_admin: bool = False,
    ) -> None:
        """Serve a session over any link until it ends."""
        await asyncio.wait([self._admit(user, link, news, place, network, key, origin, is_admin=is_admin)])

    def _admit(
        self,
        user: str,
        link: ServerLink,
        news: ArrivalNews | None,
        place: Place | Elsewhere | None,
        network: str | None,
        key: str | None,
        origin: str,
        *,
        is_admin: bool,
    ) -> asyncio.Task[None]:
        session = Session(
            user, link, self.lobby, self.nodes, self.limits, partial(requests.answer, self), network,
            key=key, origin=origin, is_admin=is_admin,
        )  # fmt: skip
        return self.sessions.admit(session, news or ArrivalNews(), place)

    async def receive(self, visitor: Visitor, link: ServerLink) -> None:
        """Serve somebody who has come to another node at tables of this one, until they go elsewhere."""
        session = VisitingSession(
            visitor.user, link, self.lobby, self.nodes, self.limits, partial(requests.answer, self),
            visitor.network, key=visitor.key, is_admin=visitor.is_admin,
        )  # fmt: skip
        session.is_program = visitor.is_program
        await session.run()

    def leaders(self, user: str, name: str) -> tuple[LeaderLine, ...]:
        """Return the best players of a game. Raises `KkError`."""
        if self._ratings is None:
            raise NotPossible(UNRATED)
        return self._ratings.leaders(game(name).meta.id, user)

    async def new_link_code(self, user: str) -> tuple[str, int]:
        """Return a code linking a key to a user's account, and its lifetime in seconds. Raises `KkError`."""
        return await self.accounts.new_code(user), LIFE

    @property
    def accounts(self) -> Accounts:
        """The accounts of this hub. Raises `NotPossible` if it has none."""
        if self._accounts is None:
            raise NotPossible(text("There are no accounts here."))
        return self._accounts

    @property
    def caller(self) -> TurnCaller:
        """The caller of people who are away. Raises `NotPossible` if there is none."""
        if self._caller is None:
            raise NotPossible(text("Nobody is called here."))
        return self._caller

    @property
    def guests(self) -> Guests | None:
        """The names of guests; None if there are no accounts."""
        return None if self._accounts is None else self._accounts.guests

    async def language_of(self, user: str) -> str:
        """Return the language that somebody has chosen for their account; "" if they have chosen none."""
        if self._accounts is None:
            return ""
        try:
            return await self._accounts.language_of(user) or ""
        except KkError as error:
            _logger.warning("language not known", user=user, error=type(error).__name__)
            return ""

    async def welcome_for(self, user: str) -> WelcomePage | None:
        """Return the welcome page for somebody who arrives; None if there is none or they have read it."""
        page = self.welcome
        if page is None or self._accounts is None:
            return page
        try:
            return None if await self._accounts.has_read(user, _digest(page)) else page
        except KkError as error:  # no reason to turn somebody away
            _logger.warning("not known who has read the welcome", user=user, error=type(error).__name__)
            return page

    async def welcome_read(self, user: str, page: WelcomePage | None) -> None:
        """Record that a user has read a page. Raises `KkError`."""
        if page is not None and self._accounts is not None:
            await self._accounts.keep_read(user, _digest(page))

    # -- tables ----------------------------------------------------------------------------------------------

    async def open_table(self, user: str, request: OpenTable, network: str | None = None) -> Table:
        """Open a table. Raises `KkError` for bad options or when a limit is reached."""
        rules = game(request.game)
        options = complete_options(rules.meta, request.seats, request.options)
        self._check_limits(user, network)
        check_rated(user, request, has_ratings=self._ratings is not None)
        bot_kind(request.stand_in)
        title = clean_title(request.title, default=user)
        if title != user:  # shown to everybody in the lobby
            self._check_titled(user, title)
            await self.check_said(user, title, UNTITLED)
        created = Created(
            title, user, request.game, options, request.seats, hints=request.hints, watched=request.watched,
            code=self._invitations.new() if request.private else None, clock=request.clock,
            rated=request.rated, stand_in=request.stand_in,
        )  # fmt: skip
        return await self._open([created], network)

    async def play_on(self, user: str, match: Match, request: PlayOn, network: str | None = None) -> Table:
        """Open a table that continues a match that has ended elsewhere. Raises `KkError`."""
        if len(request.seats) != len(match.seats):
            raise NotPossible(text("The match has {n} seats.", n=len(match.seats)))
        self._check_limits(user, network)
        name = await self._context.seat_name(user, request.name)
        entries = continuation_entries(
            user, name, match, request, *await keep_data_of(self._log, match.game, match.drawing)
        )
        table = await self._open(entries, network)
        await table.resume()
        return table

    async def open_lesson(self, user: str, request: OpenLesson, network: str | None = None) -> Table:
        """Return the table where a user has begun the lesson of a game, or open one, at the step where they
        have left it. Raises `KkError`.
        """
        begun = lessons_begun(self.lobby.lines_of(user)).get(request.game)
        if begun is not None:
            table = await self.table(begun)
            if request.anew and isinstance(table, LessonTable):
                await table.begin_anew()
            return table
        rules = game(request.game)
        course = lesson_of(rules)
        self._check_limits(user, network)
        name = await self._context.seat_name(user, request.name)
        step = 0 if request.anew else await self._lessons.step(user, request.game)
        kept = await keep_data_of(self._log, rules, rules.drawing)
        return await self._open(lesson_entries(user, name, course, *kept, step=step), network)

    async def lessons(self, user: str) -> tuple[LessonLine, ...]:
        """Return the lessons for the games here, as a user may take them. Raises `KkError`."""
        begun = lessons_begun(self.lobby.lines_of(user))
        played = await self.history.games_of(user, PLAYED_WITHOUT)
        return lesson_lines(begun, played | await self._lessons.learnt(user))

    async def open_daily(self, user: str, request: OpenDaily, network: str | None = None) -> Table:
        """Return the table where a user plays today's deal of a game, or open one. Raises `KkError`."""
        rules = game(request.game)
        # one at a time, so that an account's first try cannot begin twice
        async with self.daily.opening:
            deal = await self.daily.deal(self.daily.today(), rules.meta.id, seats_for(rules.meta))
            begun = deal_begun(self.lobby.lines_of(user), deal)
            if begun is not None:
                table = await self.table(begun)
            else:
                table = await self._deal(user, rules, deal, request.name, network)
            if table.state.created.counts:  # repeated in case the server stopped before storing it
                await self.daily.begin(deal, user, table.id)
        return table

    async def _deal(
        self, user: str, rules: AnyGame, deal: DailyDeal, wanted: str, network: str | None
    ) -> Table:
        self._check_limits(user, network)
        name = await self._context.seat_name(user, wanted)
        counts = await self.daily.counts(deal, user)
        kept = await keep_data_of(self._log, rules, rules.drawing)
        return await self._open(deal_entries(user, name, rules, deal, *kept, counts=counts), network)

    async def daily_table(self, user: str, game_id: str, typed: str = "") -> DailyTable:
        """Return how a day's deal of a game went, as one user may see it. Raises `KkError`."""
        rules, day = game(game_id), self.daily.check_day(typed)
        for place in list(self.tables.values()):
            if isinstance(place, DealTable) and place.state.owner == user:
                await place.result_kept()  # people ask as soon as they see the end
        deal = await self.daily.deal(day, rules.meta.id, seats_for(rules.meta))
        bots = bot_people((None, *[deal.bot] * (deal.seats - 1)), sum(day.encode()))
        tries = [] if self.daily.is_ranked else await self.history.tries(user)
        table = await self.daily.table(deal, user, deal_begun(self.lobby.lines_of(user), deal), tries)
        table = replace(table, bots=tuple(filter(None, bots)))
        if table.ranked:
            return replace(table, server=self.name)
        if (own := first_tries(tries).get((deal.day, deal.game))) is not None:
            match, _holders = await self.history.match(user, own.table, own.number)
            return replace(table, signs=signs(Replay(match).course(), PLAYER))
        return table

    @property
    def name(self) -> str:
        """The name that people know this server by, or else its address."""
        name, (host, port) = "" if self._accounts is None else self._accounts.server_name, self.address
        return name or (f"{host}:{port}" if host and port != SSH_PORT else host)

    async def _open(self, entries: Sequence[Entry], network: str | None) -> Table:
        data = await data_for(self._log, entries)
        # from here on until it is listed, no other table can take its title
        entries = self._titled(entries)
        # replayed before they are stored, so that invalid entries never get into the log
        state = replayed(entries, data)
        table = await self._opener.open(entries, state, network)
        _logger.info("table opened", table=table.id, user=state.created.host, game=state.created.game)
        self.lobby.changed(table.id)
        return table

    def _titled(self, entries: Sequence[Entry]) -> Sequence[Entry]:
        """Return the entries of a new table, numbered if its host may enter another of that title."""
        created, *others = entries
        if not isinstance(created, Created) or _is_for_one(created):  # nobody is called there
            return entries
        host, admissions = created.host, self._context.admissions
        titles = [
            other.created.title
            for table, other in self.table_cache.summaries()
            if not _is_for_one(other.created) and (other.phase != FINISHED or self._is_met_at(table, host))
            if other.admits(host) or host in admissions.of(table)
        ]
        return [replace(created, title=distinct(created.title, titles, TITLE_COLUMNS)), *others]

    def _is_met_at(self, table_id: str, host: str) -> bool:
        """Return whether others than a host are at a table, where they may have a rematch."""
        table = self.tables.get(table_id)
        return table is not None and any(somebody.user != host for somebody in table.subscribers)

    async def table(self, table_id: str) -> Table:
        """Return a table by its identifier. Raises `KkError`."""
        return await self.table_cache.load(table_id)

    def count_opening(self, user: str, network: str | None) -> None:
        """Count a table that somebody wants to open. Raises `RateLimited`."""
        if not self._openings.take(user, network):
            raise RateLimited(text("You are opening tables too fast; please wait a moment."))

    def count_look(self, user: str, network: str | None) -> None:
        """Count a change of place or view. Raises `RateLimited`."""
        if not self._looks.take(user, network):
            raise RateLimited(text("You're switching too fast; please wait a moment."))

    def count_line(self, user: str) -> None:
        """Count a line that others hear: a chat line, a proposal or an invitation. Raises `RateLimited`."""
        if not self._chat_limits.take(user):
            raise RateLimited(text("You're sending messages too fast; please wait a moment."))

    def check_heard(self, user: str) -> None:
        """Refuse a muted user. Raises `KkError`."""
        reason = self.why_silent(user)
        if reason is not None:
            raise NotPossible(reason)
        if self._accounts is not None:
            self._accounts.check_heard(user)

    def _check_titled(self, user: str, title: str) -> None:
        try:
            self.check_heard(user)
        except KkError as error:
            raise NotPossible(
                text("{reason} You can open the table without a title.", reason=error.reason)
            ) from None
        # titles stand in the server's own sentences, where "The host says: ..." would be one
        if self._accounts is not None and impersonates_server(title, self._accounts.server_name):
            raise NotPossible(
                text("{title} reads like a message from the server; choose another title.", title=title)
            )

    async def check_named(self, user: str, name: str) -> None:
        """Refuse a name given to something if others could read a code in it. Raises `KkError`."""
        self.check_heard(user)
        await self.check_said(user, name, UNNAMED)

    async def _seat_name(self, user: str, wanted: str) -> str:
        # their own name was checked when they connected
        if wanted.removeprefix(GUEST_MARK) not in ("", user.removeprefix(GUEST_MARK)):
            await self.check_named(user, wanted)
        return await self.accounts.seat_name(user, wanted)

    async def check_said(self, user: str, line: str, refusal: Text = UNHEARD) -> None:
        """Refuse a line containing a code that others could use. Raises `KkError`."""
        is_link = _no_code if self._accounts is None else self._accounts.is_link_code
        await self._invitations.check_said(user, line, self.table_cache.all(), is_link, refusal)

    async def say(self, user: str, place: Place | None, words: str | Text, *, is_admin: bool = False) -> None:
        """Say something to everybody at a place or in the lobby. Raises `KkError`."""
        self.check_heard(user)
        self.count_line(user)
        if isinstance(words, str):
            await self.check_said(user, words)
        if place is None:
            self.lobby.say(user, words, is_admin=is_admin)
            self.nodes.said(user, words, is_admin=is_admin)
        elif isinstance(place, Table):
            place.say(user, words, is_admin=is_admin)
        else:
            raise NotPossible(text("There is no chat in replays."))

    async def report(self, user: str, about: str, why: str) -> None:
        """Report somebody to the host, with the lines that both could read. Raises `KkError`."""
        if self.take_complaint is None:
            raise NotPossible(text("You can't report anybody here."))
        self.count_line(user)
        heard = [each async for each in self._heard_by(user)]
        known = self.people(user)
        known |= {(line.user, line.name) for each in heard for line in each.lines if line.user}
        about, why = _parted(about, why, known)
        # people report the name they have read, which may be a lookalike
        wanted = skeleton_of(about)
        if wanted == skeleton_of(user):
            raise NotPossible(text("That's you."))
        accused = {one for one, name in known if wanted in (skeleton_of(one), skeleton_of(name))} - {user}
        if not accused:
            raise NotPossible(nobody_called(about, {name for one, name in known if one != user}))
        told = tuple(each for each in heard if any(_is_called(wanted, line) for line in each.lines))
        complaint = Complaint(
            user, about, clean_line(why, LINE_WIDTH), tuple(sorted(accused)), told or tuple(heard)
        )
        self.take_complaint(complaint)

    def people(self, user: str | None = None) -> set[tuple[str, str]]:
        """Return users, each with a name they go by, as far as `user` may see them; with None, all of them.

        These are all who are online, were since the start, or have a seat or a table.
        """
        known = {(each, each) for each in self.presence.seen()}
        for line in self.lobby.lines(user):
            known |= {
                (seat.owner, name) for seat in line.seats if seat.owner for name in (seat.owner, seat.name)
            }
            known |= {(line.owner, line.owner)}
        return known

    async def _heard_by(self, user: str) -> AsyncIterator[Heard]:
        """Yield the lines a user has heard, in the lobby and at tables where they are or have a seat."""
        yield Heard(None, "", self.lobby.chat.view().recent())
        for unloaded, chat in await self.table_cache.chats(user):
            lines = chat.view(unloaded.audience_of(user)).recent()
            yield Heard(unloaded.id, unloaded.summary.created.title, lines)
        for table in list(self.tables.values()):
            if user in table.known_to or any(somebody.user == user for somebody in table.subscribers):
                lines = table.chat.view(table.audience_of(user)).recent()
                yield Heard(table.id, table.state.created.title, lines)

    async def join(self, user: str, code: str) -> Table:
        """Return the table of an invitation code, and admit the user from now on. Raises `KkError`."""
        listed = await self._invitations.find(user, code, self.table_cache.all, self.nodes.look_again)
        found = listed.id
        if not self.nodes.is_home(found):
            raise Elsewhere(found, Join(OWN, code))
        table = await self.table(found)
        await table.let_in(user)
        return table

    async def place(self, user: str, place_id: str) -> Place:
        """Return a table, or a replay that a user may see, by its identifier. Raises `KkError`."""
        if place_id in self._replays:
            return self._replays[place_id]
        return await (self.open_match(user, place_id) if "-" in place_id else self.table(place_id))

    async def close_table(self, user: str, table_id: str) -> None:
        """Close one of a user's tables. Raises `KkError`."""
        if not await self.table_cache.close_unplayable(user, table_id):
            await (await self.table(table_id)).close_for(user)

    # -- the past --------------------------------------------------------------------------------------------

    async def open_replay(self, user: str, table_id: str, number: int) -> ReplayPlace:
        """Return a replay of a match in a user's history, for them alone. Raises `KkError`."""
        return self._replay(table_id, number, *await self.history.match(user, table_id, number))

    async def open_match(self, user: str, name: str) -> ReplayPlace:
        """Return a replay of a finished match that a user may see, by the name of it. Raises `KkError`."""
        table_id, number = await self.history.match_named(name)
        return self._replay(table_id, number, *await self.history.ended(user, table_id, number))

    def _replay(self, table_id: str, number: int, match: Match, seats: tuple[SeatHolder, ...]) -> ReplayPlace:
        name = match_name(table_id, number)
        return ReplayPlace(name, match, self._count, seats=seats, number=number)

    def add_replay(self, match: Match, title: str) -> str:
        """Add a replay that anybody may visit; returns its identifier."""
        place = ReplayPlace(self._new_id(), match, self._count, title)
        self._replays[place.id] = place
        return place.id

    def sign(self, content: bytes) -> str | None:
        """Return the signature of a record; None in `kk play`, where nothing is signed."""
        return None if self._sign is None else self._sign(content)

    def _new_table_id(self) -> str:
        return new_id(lambda taken: taken in self.table_cache or not self.nodes.is_home(taken))

    def _new_id(self) -> str:
        return new_id(lambda taken: taken in self.table_cache or taken in self._replays)

    def stop_opening(self, reason: Text, *, is_told: bool = True) -> None:
        """Open no more tables; announce why, now and to everybody who arrives later."""
        self._closed_for = self.sessions.notice = reason
        if is_told:
            self.sessions.tell_all(reason, from_host=True, lapses=True)

    async def _expire(self) -> None:
        await self.table_cache.expire()
        if self._purger is not None and self.nodes.is_keeper:
            await self._purger.purge()

    def use(self, limits: Limits, bot_pause: float, purge_days: Days) -> None:
        """Apply new limits, bot pause and purge time."""
        if self._purger is not None:
            self._purger.days = purge_days
        self.limits, self.pace.seconds = limits, bot_pause
        self._count_by(limits)
        self._invitations.use(limits)
        if self._accounts is not None:
            self._accounts.use(limits)
        if self._caller is not None:
            self._caller.use(limits)
        self.analyses.use(limits)

    def _count_by(self, limits: Limits) -> None:
        self._chat_limits = TokenBuckets(limits.lines_per_second, limits.lines_at_once)
        self._openings = SharedBuckets(limits.openings_per_minute / 60, limits.openings_at_once)
        self._looks = SharedBuckets(limits.looks_per_second, limits.looks_at_once)

    def _check_limits(self, user: str, network: str | None) -> None:
        if self._closed_for is not None:
            raise NotPossible(self._closed_for)
        if not self.nodes.has_room:
            raise NotPossible(text("No tables can be opened here now; please try again in a moment."))
        self._opener.check_room(user, network, self.limits)

    def _line_changed(self, table_id: str) -> None:
        table = self.tables.get(table_id)
        if table is not None and table.state.is_closed:
            self.table_cache.forget(table_id)
            _logger.info("table closed", table=table_id)
        self.lobby.changed(table_id)

    def _own_presence_changed(self, user: str) -> None:
        self.nodes.presence_changed(user)
        self.presence_changed(user)

    def presence_changed(self, user: str) -> None:
        """Note that a user has come online or gone, at any node."""
        self.table_cache.presence_changed(user)
        self.lobby.presence_changed(user)

    async def _keep(self, ended: Ended, record: Record) -> bool:
        # the log has everything, so a failure here loses nothing
        _logger.info("match finished", table=ended.table, number=ended.match)
        try:
            await self._log.keep_result(ended)
            if self._keep_record is not None:
                await self._keep_record(ended.table, ended.match, record)
        except (OSError, KkError) as error:
            reason = str(told_host(error) if isinstance(error, KkError) else error.strerror)
            _logger.error("record not written", table=ended.table, reason=reason)
            return False
        return True

    # -- life ------------------------------------------------------------------------------------------------

    async def load(self) -> None:
        """Find every table in the log; damaged ones are left out."""
        if self._ratings is not None:
            # before the tables, whose lines show ratings
            await self._ratings.load()
        await self.uptime.start()
        await self.table_cache.start()
        self.expiry_task.start()
        self.lobby.load()
        if self._caller is not None:
            await self._caller.start(HubCalling(self))

    async def follow_ratings(self, game: str, accounts: Collection[str]) -> None:
        """Read ratings that another node has changed. Raises `StorageFailed`."""
        if self._ratings is not None:
            await self._ratings.follow(game, accounts)
            for account in accounts:
                self.lobby.presence_changed(account)

    async def find_tables(self) -> list[str]:
        """Find the tables of a log that could not be read until now; returns their identifiers."""
        found = await self.table_cache.find()
        for table in found:
            self.lobby.changed(table)
        return found

    async def close(self, reason: Text | None = None) -> None:
        """Say goodbye to everybody, finish what is being stored, and close the log."""
        self.expiry_task.stop()
        if self._caller is not None:
            await self._caller.close()
        self._log.stop_waiting()
        await self.table_cache.close()
        await self.uptime.stop()
        # after the tables, so that everybody still sees what was stored last
        await self.sessions.end(reason or text("The server is shutting down; everything is saved."))
        await self.chooser.pool.close()
        await self._log.close()


def _nothing_against(_user: str) -> Text | None:
    return None


def _is_called(wanted: str, line: ChatLine) -> bool:
    return wanted in {skeleton_of(name) for name in (line.user, line.name)}


def _parted(about: str, why: str, known: Iterable[tuple[str, str]]) -> tuple[str, str]:
    """Split a report into name and reason again."""
    names = {skeleton_of(name) for pair in known for name in pair}
    words = f"{about} {why}".split()
    # a name may have spaces: the longest beginning that is a name wins
    for end in range(min(len(words), requests.WORDS_OF_A_NAME), 0, -1):
        if skeleton_of(" ".join(words[:end])) in names:
            return " ".join(words[:end]), " ".join(words[end:])
    return about, why


def _digest(page: WelcomePage) -> str:
    return sha256(msgspec.msgpack.encode(page)).hexdigest()


async def _no_code(_: str) -> bool:
    return False


async def _free_name(user: str, wanted: str) -> str:
    return clean_name(without_signs(wanted or user))
