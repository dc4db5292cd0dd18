"""All tables of a hub: loaded ones, and those that are only in the log until they are needed.

A table is loaded when somebody goes there, its clock runs out or a bot has to move. Of unloaded ones the
summary is known; if the log has none yet, `SummaryBackfill` makes it.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from time import time
from typing import Final, TypeVar

from kk_core.errors import KkError
from kk_core.registry import check_rules
from kk_core.text import Text, text
from kk_core.views import RatingView, TableLine
from kk_server.background import spawn
from kk_server.log import get_logger
from kk_server.storage.entries import Closed, Created, Moved, Undone
from kk_server.storage.sqlite import CHECK
from kk_server.storage.summaries import FINISHED, OPEN, PLAYING, Summary, outlined
from kk_server.storage.table_log import ListedTable, StoredTable, TableLog, told_host
from kk_server.tables.admissions import Admissions
from kk_server.tables.chat import Audience, Chat, audience_in
from kk_server.tables.clock import TimerQueue, decode_clock
from kk_server.tables.context import TableContext
from kk_server.tables.daily import DealTable
from kk_server.tables.expiry import is_expired, is_needed
from kk_server.tables.lessons import LessonTable
from kk_server.tables.nodes import Elsewhere
from kk_server.tables.place import NotPossible
from kk_server.tables.state import CooperativeYield, restore
from kk_server.tables.table import Table
from kk_server.tables.transient import TransientState, decode_transient, encode_transient
from kk_server.tables.view import line_of

UNLOADED_AFTER: Final = 600.0
"""Seconds without visitors or events after which a table is unloaded."""

_LOAD_PAUSE: Final = 0.02
"""Seconds between two tables loaded without a request, to leave the event loop to others."""

_BACKFILL_PAUSE: Final = 0.01
"""Seconds between two summaries of the backfill."""

_logger = get_logger()

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class UnloadedTable:
    """A table that is only in the log; `revision` is the number of its entries.

    `since` is when it was unloaded, in seconds of server uptime. If it was loaded before, `transient` is what
    its entries lack. If it cannot continue here, `unplayable` says why.
    """

    id: str
    revision: int
    summary: Summary
    since: float
    context: TableContext = field(repr=False)
    transient: TransientState | None = field(default=None, repr=False)
    unplayable: Text | None = None

    @property
    def code(self) -> str | None:
        """The code of a private table."""
        return self.summary.created.code

    @property
    def is_private(self) -> bool:
        """True if the table is by invitation only."""
        return self.summary.is_private

    def admits(self, user: str) -> bool:
        """Return whether a user may enter."""
        return self.summary.admits(user) or user in self.guests

    @property
    def guests(self) -> frozenset[str]:
        """The guests admitted since the server started."""
        return self.context.admissions.of(self.id)

    @property
    def known_to(self) -> set[str]:
        """The users it concerns: its owner, everybody who sits here, and everybody invited."""
        return {*self.summary.people, *self.summary.invited, *self.guests}

    def audience_of(self, user: str) -> Audience | None:
        """Return the audience that a user talks to; None for everybody."""
        has_seat = any(holder.owner == user for holder in self.summary.seats)
        return audience_in(self.summary.phase, has_seat=has_seat)

    def line(self) -> TableLine:
        """Return the table's line in the lobby."""
        return line_of(self.id, self.summary, self.context.presence, self._rating, self.unplayable)

    def _rating(self, user: str | None) -> RatingView | None:
        created, ratings = self.summary.created, self.context.ratings
        return (
            None if ratings is None or user is None or not created.rated else ratings.view(created.game, user)
        )

    @property
    def waits_for_bot(self) -> bool:
        """True if a bot has to move and people are waiting for it."""
        seats, is_playing = self.summary.seats, self.summary.phase == PLAYING
        has_people = any(holder.owner is not None for holder in seats)
        if self.summary.created.lesson:
            return False  # the bots move once the learner is back
        return is_playing and has_people and any(seats[seat].player for seat in self.summary.active)

    def waits_for(self, user: str) -> bool:
        """Return whether the table has to react to a user coming or going."""
        has_proposal = self.transient is not None and self.transient.proposal is not None
        has_stand_in = self.summary.phase == PLAYING and any(
            holder.owner == user and holder.stand_in is not None and not holder.has_given_up
            for holder in self.summary.seats
        )
        return has_proposal or (has_stand_in and self.context.presence.has(user))


class UnloadedTables:
    """All unloaded tables, by identifier and by user."""

    def __init__(self) -> None:
        self._tables: dict[str, UnloadedTable] = {}
        self._known_to: dict[str, set[str]] = {}

    def __contains__(self, table: str) -> bool:
        return table in self._tables

    def __getitem__(self, table: str) -> UnloadedTable:
        return self._tables[table]

    def get(self, table: str) -> UnloadedTable | None:
        """Return an unloaded table, or None."""
        return self._tables.get(table)

    def __len__(self) -> int:
        return len(self._tables)

    def all(self) -> Iterable[UnloadedTable]:
        """Return all of them."""
        return list(self._tables.values())

    def of(self, user: str) -> list[UnloadedTable]:
        """Return those that concern a user."""
        return [self._tables[table] for table in self._known_to.get(user, ())]

    def add(self, table: UnloadedTable) -> None:
        """Add one."""
        self._tables[table.id] = table
        for user in table.known_to:
            self._known_to.setdefault(user, set()).add(table.id)

    def take(self, table: str) -> UnloadedTable | None:
        """Remove and return a table; None if it is not here."""
        found = self._tables.pop(table, None)
        if found is None:
            return None
        for user in found.known_to:
            self._known_to[user].discard(table)
            if not self._known_to[user]:
                del self._known_to[user]
        return found


def unknown_rules(summary: Summary) -> Text | None:
    """Return why a table's match cannot continue here, as far as its summary shows."""
    if summary.phase == OPEN or summary.rules is None:
        return None
    try:
        check_rules(summary.created.game, summary.rules[0])
    except KkError as error:
        return error.reason
    return None


class SummaryBackfill:
    """Makes the summaries that the log lacks, one by one; after an upgrade that can be all of them."""

    def __init__(self, summarise: Callable[[str], Awaitable[None]]) -> None:
        self._summarise = summarise
        self._waiting: OrderedDict[str, None] = OrderedDict()

    def __contains__(self, table: str) -> bool:
        return table in self._waiting

    def add(self, table: str) -> None:
        """Add a table."""
        self._waiting[table] = None

    def first(self, table: str) -> None:
        """Move a table to the front, because somebody it concerns is here."""
        if table in self._waiting:
            self._waiting.move_to_end(table, last=False)

    def discard(self, table: str) -> None:
        """Remove a table whose summary is known."""
        self._waiting.pop(table, None)

    async def run(self) -> None:
        """Make all summaries."""
        while self._waiting:
            table = next(iter(self._waiting))
            await self._summarise(table)
            self.discard(table)
            await asyncio.sleep(_BACKFILL_PAUSE)


def table_class(created: Created) -> type[Table]:
    """Return the class for a table opened with `created`."""
    if created.lesson:
        return LessonTable
    return DealTable if created.daily else Table


class TableCache:
    """Loads tables when they are needed, and unloads them when they have been quiet for a while.

    Whoever comes back to an unloaded table finds everything as it was.
    """

    def __init__(self, context: TableContext) -> None:
        self._context = context
        self._log: TableLog = context.log
        self._nodes = context.nodes
        self.loaded: dict[str, Table] = {}
        self.unloaded = UnloadedTables()
        self.left_out = 0
        """The number of tables in the log that could not be read."""
        self._reasons: dict[str, Text] = {}
        """Why tables cannot be read, or replayed by this version."""
        self._ages: dict[str, int] = {}
        self._loading: dict[str, asyncio.Task[Table | None]] = {}
        self._kept: dict[str, tuple[int, Summary]] = {}
        self._kept_transients: dict[str, TransientState] = {}
        self._gone: set[str] = set()
        """Tables that were closed, and of which something may be stored that their log does not tell."""
        self._not_kept = set[str]()
        """What could last not be stored, which the log has."""
        self._backfill = SummaryBackfill(self._summarise)
        self._found: dict[str, tuple[int, Summary]] = {}
        """Summaries made by the backfill, with their revisions, that are not stored yet."""
        self._timers = TimerQueue(context.now, self._load_in_time)
        self._refreshing = asyncio.Lock()
        """Held while all tables are looked at anew."""
        self._told = set[str]()
        """The tables that other nodes have told of since that began."""
        self._keeping = asyncio.Lock()
        """Held while what their log lacks is stored, so that nothing older is stored after it."""
        self._tasks: list[asyncio.Task[None]] = []
        self._backfilling: asyncio.Task[None] | None = None

    # -- all tables -----------------------------------------------------------------------------------------

    def __contains__(self, table: str) -> bool:
        return table in self.loaded or table in self.unloaded

    def __len__(self) -> int:
        return len(self.loaded) + len(self.unloaded)

    def ids(self) -> list[str]:
        """Return the identifiers of all tables, oldest first."""
        return [table.id for table in self.all()]

    def all(self) -> list[Table | UnloadedTable]:
        """Return all tables, oldest first."""
        tables: list[Table | UnloadedTable] = [*self.loaded.values(), *self.unloaded.all()]
        return sorted(tables, key=self.age)

    def age(self, table: Table | UnloadedTable) -> int:
        """Return the rank of a table by age."""
        return self._ages[table.id]

    def summaries(self) -> Iterator[tuple[str, Summary]]:
        """Yield the summaries of all tables."""
        for table in self.loaded.values():
            yield table.id, table.summary()
        for unloaded in self.unloaded.all():
            yield unloaded.id, unloaded.summary

    async def chats(self, user: str) -> list[tuple[UnloadedTable, Chat]]:
        """Return a user's unloaded tables with what was said there, as far as that can be read now."""
        own = self.unloaded.of(user)
        try:
            kept = await self._log.transients([unloaded.id for unloaded in own if unloaded.transient is None])
        except KkError as error:
            _logger.warning("chat not read", error=type(error).__name__)
            kept = {}
        found = [(each, each.transient or decode_transient(kept.get(each.id, ""))) for each in own]
        return [(unloaded, Chat(state=state.chat)) for unloaded, state in found if state is not None]

    def phases(self) -> Counter[str]:
        """Count the tables in each phase; may be called from another thread."""
        loaded = Counter(table.state.phase for table in list(self.loaded.values()))
        return loaded + Counter(unloaded.summary.phase for unloaded in self.unloaded.all())

    # -- starting and stopping -------------------------------------------------------------------------------

    async def start(self) -> None:
        """List all tables, and begin to serve them."""
        self._tasks = [
            spawn(self._keep(), "keep summaries"),
            spawn(self._timers.run(), "load tables of clocks"),
        ]
        await self.find()

    async def find(self) -> list[str]:
        """List the tables of the log that are not known yet; returns their identifiers.

        Those without a summary are listed only as far as is known without replaying them.
        """
        listed = [found for found in await self._log.listed() if found.id not in self]
        clocks = await self._log.clocks()
        unknown = await self._log.outlines([found.id for found in listed if found.summary is None])
        # found later, they are older than what was opened meanwhile
        oldest = min(self._ages.values(), default=len(listed)) - len(listed)
        for age, found in enumerate(listed, oldest):
            summary = found.summary or self._outlined(unknown.get(found.id, StoredTable(found.id, ())))
            if summary is None or found.id in self:  # another node may have told of it
                continue
            self._ages[found.id] = age
            self._set_timer(found.id, summary, clocks.get(found.id))
            unloaded = UnloadedTable(
                found.id, found.revision, summary, self._context.now(), self._context,
                unplayable=unknown_rules(summary),
            )  # fmt: skip
            self.unloaded.add(unloaded)
            if found.summary is None or (summary.phase == FINISHED and not summary.is_kept):
                self._backfill.add(found.id)
        self._serve()
        return [found.id for found in listed if found.id in self.unloaded]

    def _set_timer(self, table: str, summary: Summary, kept: str | None) -> None:
        clock = None if kept is None or summary.created.clock is None else decode_clock(kept)
        # a clock of an earlier match may still be stored
        if clock is not None and clock.match == summary.matches:
            self._timers.set(table, clock.end)

    def _serve(self) -> None:
        """Begin to serve what was listed."""
        self._tasks = [task for task in self._tasks if not task.done()]
        self._tasks.append(spawn(self._serve_bots(), "load tables of bots"))
        if self._backfilling is None or self._backfilling.done():
            self._backfilling = spawn(self._backfill.run(), "backfill summaries")

    def _outlined(self, table: StoredTable) -> Summary | None:
        try:
            if table.damage is not None:
                raise table.damage
            return outlined(table.entries, table.at)
        except KkError as error:
            self._leave_out(table.id, error)
            return None

    async def backfilled(self) -> None:
        """Wait until the summaries of all tables are known."""
        if self._backfilling is not None:
            await asyncio.wait([self._backfilling])

    async def _summarise(self, table: str) -> None:
        if table not in self.unloaded or table in self._loading or not self._nodes.is_home(table):
            return
        unloaded = self.unloaded[table]
        try:
            stored = await self._log.read(table)
            made = await self._set_up(stored, unloaded, CooperativeYield())
            if made is not None:
                await made.keep_result()
        except KkError as error:
            _logger.warning("table not settled", table=table, error=type(error).__name__)
            return
        if table in self._loading or table not in self.unloaded:
            return  # it has been requested in the meantime
        if made is not None:
            summary = made.summary()
            self.unloaded.take(table)
            self.unloaded.add(replace(unloaded, summary=summary))
            self._found[table] = made.state.revision, summary
            self._context.line_changed(table)
            if self.unloaded[table].waits_for_bot:
                spawn(self._load_in_time(table), f"load {table} for its bots")
        elif stored.damage is None:
            self._mark(unloaded)
        else:
            self._take(table)
            del self._ages[table]
            self._context.line_changed(table)

    async def close(self) -> None:
        """Stop all tables, and store their summaries."""
        for task in (*self._tasks, self._backfilling):
            if task is not None:
                task.cancel()
        self._tasks, self._backfilling = [], None
        for table in list(self.loaded.values()):
            await table.stop()
        await self.keep_summaries()
        await self.keep_transients()

    # -- loading ---------------------------------------------------------------------------------------------

    def add(self, table: Table) -> None:
        """Add a newly opened table."""
        self._ages[table.id] = max(self._ages.values(), default=0) + 1
        self.loaded[table.id] = table

    def forget(self, table: str) -> None:
        """Remove a closed table."""
        self.loaded.pop(table, None)
        self._forget_kept(table)
        self._forget_closed(table)
        self._nodes.table_gone(table)

    def _forget_kept(self, table: str) -> None:
        self._kept.pop(table, None)
        self._kept_transients.pop(table, None)

    def _forget_closed(self, table: str) -> None:
        del self._ages[table]
        self._gone.add(table)
        self._context.admissions.forget(table)

    async def load(self, table: str) -> Table:
        """Return a table, reading and replaying it if it is unloaded.

        Raises `KkError`, which is `Elsewhere` if another node serves it.
        """
        if not self._nodes.is_home(table):
            raise Elsewhere(table)
        if table not in self:
            # perhaps it will be known in a moment
            async with self._refreshing:
                if table not in self and self._nodes.has_others:
                    await self._look_up(table)
        if table in self.loaded:
            self.loaded[table].touch()
            return self.loaded[table]
        if table in self.unloaded and table not in self._loading:
            self._loading[table] = asyncio.create_task(self._load(self.unloaded[table]))
        if table in self._loading:
            # others may wait for the same table: one caller who gives up must not cancel it for them
            found = await asyncio.shield(self._loading[table])
            if found is not None:
                # unless it was released in the meantime
                return found if self.loaded.get(table) is found else await self.load(table)
        raise NotPossible(text("There is no table {table}.", table=repr(table)))

    async def look_up(self, tables: Iterable[str]) -> None:
        """List those tables that are not known here, as they were opened a moment ago, or are closed.

        Raises `StorageFailed`.
        """
        for table in tables:
            if table not in self:
                async with self._refreshing:
                    if table not in self:
                        await self._look_up(table)

    async def _look_up(self, table: str) -> None:
        """List a table that a node has opened which did not know yet that it was home no longer."""
        stored = await self._log.read(table)
        if stored.entries and not isinstance(stored.entries[-1], Closed):
            known = [entry for entry in stored.entries if not isinstance(entry, Moved | Undone)]
            self._list(table, len(stored.entries), outlined(known, stored.at))

    def _list(self, table: str, revision: int, summary: Summary) -> None:
        unplayable = unknown_rules(summary)
        self.unloaded.take(table)
        self.unloaded.add(
            UnloadedTable(table, revision, summary, self._context.now(), self._context, unplayable=unplayable)
        )
        self._ages.setdefault(table, max(self._ages.values(), default=0) + 1)
        self._context.line_changed(table)

    async def _load(self, unloaded: UnloadedTable) -> Table | None:
        try:
            stored = await self._log.read(unloaded.id)
            table = await self._set_up(stored, unloaded)
            if table is None and stored.damage is None:
                raise NotPossible(
                    text("This table can't be continued here: {reason}", reason=self._mark(unloaded))
                )
            if not self._nodes.is_home(unloaded.id):
                raise Elsewhere(unloaded.id)
            if self._take(unloaded.id) is None:
                return None
            if table is None:
                del self._ages[unloaded.id]
                return None
            self.loaded[table.id] = table
        finally:
            del self._loading[unloaded.id]
            self._context.line_changed(unloaded.id)
        await table.resume()
        return table

    def _mark(self, unloaded: UnloadedTable) -> Text:
        reason = self._reasons[unloaded.id]
        if unloaded.unplayable != reason:
            unloaded.unplayable = reason
            self._context.line_changed(unloaded.id)
        return reason

    def _take(self, table: str) -> UnloadedTable | None:
        self._backfill.discard(table)
        self._found.pop(table, None)
        self._timers.set(table, None)
        return self.unloaded.take(table)

    async def _set_up(
        self, stored: StoredTable, unloaded: UnloadedTable, yielding: CooperativeYield | None = None
    ) -> Table | None:
        """Build a table from its log; None if it is damaged."""
        try:
            state = await restore(self._log, stored, yielding)
            at, is_kept = unloaded.summary.at or stored.at, unloaded.summary.is_kept
            transient = unloaded.transient or await self._transient_of(stored)
            made = table_class(state.created)
            return made(stored.id, state, self._context, at, is_kept=is_kept, transient=transient)
        except KkError as error:
            fault = error
        # a damaged table must not keep the server from its others
        except Exception as error:  # the log has something the engine never writes
            reason = text("its entries do not fit the rules ({fault}).", fault=type(error).__name__)
            fault = KkError(reason)
        self._leave_out(stored.id, fault)
        return None

    async def _transient_of(self, stored: StoredTable) -> TransientState | None:
        kept = await self._log.transients([stored.id])
        found = decode_transient(kept.get(stored.id, ""))
        return None if found is None else found.after(stored.entries[found.proposed_at :])

    def _leave_out(self, table: str, fault: KkError) -> None:
        if table in self._reasons:
            return
        self._reasons[table] = fault.reason
        self.left_out += 1
        _logger.error("table left out", table=table, reason=str(told_host(fault)), do=CHECK)

    # -- loading unasked -------------------------------------------------------------------------------------

    async def _serve_bots(self) -> None:
        for unloaded in self.unloaded.all():
            if unloaded.waits_for_bot:
                await self._load_unasked(unloaded.id)

    async def _load_in_time(self, table: str) -> None:
        if table in self.unloaded:
            await self._load_unasked(table)

    async def _load_unasked(self, table: str) -> Table | None:
        if not self._nodes.is_home(table):
            return None
        await asyncio.sleep(_LOAD_PAUSE)
        try:
            return await self.load(table)
        except KkError as error:
            _logger.warning("table not woken", table=table, error=type(error).__name__)
            return None

    def presence_changed(self, user: str) -> None:
        """Note that a user has come online or gone."""
        for table in list(self.loaded.values()):
            table.presence_changed(user)
        for unloaded in self.unloaded.of(user):
            self._backfill.first(unloaded.id)
            if unloaded.waits_for(user):
                spawn(self._follow(unloaded.id, user), f"presence at {unloaded.id}")
            self._wait_for_owner(unloaded)

    async def _follow(self, table: str, user: str) -> None:
        loaded = await self._load_unasked(table)
        if loaded is not None:
            loaded.presence_changed(user)

    def _wait_for_owner(self, unloaded: UnloadedTable) -> None:
        if self._has_heirs(unloaded.summary):
            spawn(self._hand_on(unloaded), f"wait for the owner of {unloaded.id}")

    def _has_heirs(self, summary: Summary) -> bool:
        presence = self._context.presence
        return not presence.has(summary.owner) and any(
            holder.owner is not None and presence.has(holder.owner) for holder in summary.seats
        )

    async def _hand_on(self, unloaded: UnloadedTable) -> None:
        gone = self._context.presence.gone_for(unloaded.summary.owner)
        await asyncio.sleep(max(0.0, self._context.times.handover - gone))
        if unloaded.id in self.unloaded and self._has_heirs(unloaded.summary):
            # once loaded, the table hands itself on to somebody who is here
            await self._load_unasked(unloaded.id)

    # -- summaries and unloading -----------------------------------------------------------------------------

    async def _keep(self) -> None:
        while True:
            # later changes are replayed if the server is killed
            await asyncio.sleep(self._nodes.summaries_kept_every)
            await self.tidy()

    async def tidy(self) -> None:
        """Store what has changed, and unload the quiet tables."""
        await self.keep_summaries()
        await self.keep_transients()
        self._unload_quiet()

    async def keep_summaries(self) -> None:
        """Store the summaries that have changed."""
        # swapped before the write: what the backfill adds during it is stored next time
        found, self._found = self._found, {}
        made = {table.id: (table.state.revision, table.summary()) for table in self.loaded.values()}
        changed = {table: summary for table, summary in made.items() if self._kept.get(table) != summary}
        if not (changed or found):
            return
        try:
            await self._log.keep_summaries(found | changed)
        except KkError as error:
            # not stored: try again, unless there is a newer one
            self._found = found | self._found
            self._log_not_kept("summaries", error)
            return
        self._log_kept("summaries")
        self._kept |= self._still_loaded(changed)
        self._nodes.tables_changed({*found, *changed})

    async def keep_transients(self) -> None:
        """Store what has changed at tables and is not in their log."""
        async with self._keeping:
            await self._keep_transients()

    async def _keep_transients(self) -> None:
        made = {table.id: table.transient for table in self.loaded.values() if not table.state.is_closed}
        changed = {table: state for table, state in made.items() if self._kept_transients.get(table) != state}
        gone, self._gone = self._gone, set()
        if not (changed or gone):
            return
        encoded = {table: (state.term, encode_transient(state)) for table, state in changed.items()}
        try:
            await self._log.keep_transients(dict.fromkeys(gone) | encoded)
        except KkError as error:
            self._gone |= gone
            self._log_not_kept("chat", error)
            return
        self._log_kept("chat")
        self._kept_transients |= self._still_loaded(changed)

    def _log_not_kept(self, what: str, error: KkError) -> None:
        # once, until it is: this is tried every second
        if what not in self._not_kept:
            self._not_kept.add(what)
            _logger.warning("not kept", what=what, error=type(error).__name__)

    def _log_kept(self, what: str) -> None:
        if what in self._not_kept:
            self._not_kept.discard(what)
            _logger.info("kept again", what=what)

    def _still_loaded(self, stored: Mapping[str, T]) -> dict[str, T]:
        # some may have been closed or released during the write
        return {table: state for table, state in stored.items() if table in self.loaded}

    def _unload_quiet(self) -> None:
        for table in list(self.loaded.values()):
            summary, revision, transient = table.summary(), table.state.revision, table.transient
            # without a stored summary, a server that was killed would have to replay it
            is_stored = self._kept.get(table.id) == (revision, summary)
            if not is_stored or self._kept_transients.get(table.id) != transient:
                continue
            if not table.may_unload(UNLOADED_AFTER):
                continue
            end, now = table.timekeeper.end, self._context.now()
            table.unload()
            del self.loaded[table.id]
            self._forget_kept(table.id)
            unloaded = UnloadedTable(table.id, revision, summary, now, self._context, transient)
            self.unloaded.add(unloaded)
            self._timers.set(table.id, end)
            self._context.line_changed(table.id)
            self._wait_for_owner(unloaded)

    # -- other nodes -----------------------------------------------------------------------------------------

    async def refresh(self) -> None:
        """Look at all tables anew: other nodes may have served them, or this one is home to others now.

        Raises `StorageFailed`.
        """
        async with self._refreshing:
            await self._refresh()

    async def _refresh(self) -> None:
        self._told.clear()
        known = self.ids()
        listed = {found.id: found for found in await self._log.listed()}
        clocks = await self._log.clocks()
        transients = await self._log.transients(list(self.loaded))
        for table in known:
            if table in self.loaded:
                await self._follow_log(self.loaded[table], listed.get(table))
                await self._follow_transient(table, transients.get(table, ""))
            elif table in self._told and not self._nodes.is_home(table):
                continue  # what others have told meanwhile is newer than what was read
            elif (unloaded := self.unloaded.get(table)) is not None:
                self._renew(unloaded, listed.get(table), clocks.get(table))
        for table in await self.find():
            self._context.line_changed(table)

    async def _follow_log(self, table: Table, found: ListedTable | None) -> None:
        if found is None or found.revision != table.state.revision:
            try:
                await table.follow_log()
            except KkError as error:
                _logger.warning("table not followed", table=table.id, error=type(error).__name__)

    async def _follow_transient(self, table: str, kept: str) -> None:
        state, loaded = decode_transient(kept), self.loaded.get(table)
        if state is not None and loaded is not None and state.term > loaded.term:
            stored = await self._log.read(table)
            loaded.follow_transient(state.after(stored.entries[state.proposed_at :]))

    def _renew(self, unloaded: UnloadedTable, found: ListedTable | None, clock: str | None) -> None:
        if found is None:
            self.drop(unloaded.id)
            return
        summary = found.summary or unloaded.summary
        if (found.revision, summary) != (unloaded.revision, unloaded.summary):
            self.unloaded.take(unloaded.id)
            self.unloaded.add(replace(unloaded, revision=found.revision, summary=summary))
            self._context.line_changed(unloaded.id)
        if self._nodes.is_home(unloaded.id):
            self._set_timer(unloaded.id, summary, clock)
            if found.summary is None or (summary.phase == FINISHED and not summary.is_kept):
                self._backfill.add(unloaded.id)

    def follow(self, summaries: Mapping[str, tuple[int, Summary]]) -> None:
        """Take the summaries of tables that other nodes serve, with their numbers of entries."""
        for table, (revision, summary) in summaries.items():
            is_own = table in self.unloaded and self._nodes.is_home(table)
            if table not in self.loaded and not is_own:
                self._list(table, revision, summary)
                if self._refreshing.locked():
                    self._told.add(table)

    def drop(self, table: str) -> None:
        """Remove a table that was closed at another node."""
        if self._take(table) is not None:
            del self._ages[table]
            self._context.admissions.forget(table)
            self._context.line_changed(table)

    async def admit(self, table: str, guests: Iterable[str]) -> None:
        """Follow another node in admitting guests to a table, unless it is closed. Raises `StorageFailed`."""
        await self.look_up([table])
        if table not in self:
            return
        unloaded = self.unloaded.take(table)
        self._context.admissions.add(table, guests)
        if unloaded is not None:
            self.unloaded.add(unloaded)
        self._context.line_changed(table)

    @property
    def admissions(self) -> Admissions:
        """The guests who may enter private tables."""
        return self._context.admissions

    async def release(self, *, is_lost: bool) -> None:
        """Unload the tables that other nodes serve from now on, and send the people there after them.

        If they were `is_lost`, others have written to their logs, and nothing is stored here any more.
        """
        going = [table for table in self.loaded.values() if not self._nodes.is_home(table.id)]
        for table in going:
            if is_lost:
                table.unload()
            else:
                await table.stop()
        if going and not is_lost:
            await self.keep_summaries()
            await self.keep_transients()
        for table in going:
            if self.loaded.pop(table.id, None) is None:
                continue  # closed in the meantime
            for somebody in list(table.subscribers):
                table.subscribers.discard(somebody)
                somebody.follow(table.id)
            self._forget_kept(table.id)
            self.unloaded.add(
                UnloadedTable(
                    table.id, table.state.revision, table.summary(), self._context.now(), self._context
                )
            )
            self._context.line_changed(table.id)
        for unloaded in self.unloaded.all():
            if not self._nodes.is_home(unloaded.id):
                self._timers.set(unloaded.id, None)
                self._backfill.discard(unloaded.id)
            if unloaded.transient is not None and (is_lost or not self._nodes.is_home(unloaded.id)):
                # what is stored may be newer from now on
                self.unloaded.take(unloaded.id)
                self.unloaded.add(replace(unloaded, transient=None))

    # -- ending ----------------------------------------------------------------------------------------------

    async def expire(self) -> None:
        """Close the tables that nobody comes back to, and those that nobody needs."""
        times, presence = self._context.times, self._context.presence
        for unloaded in self.unloaded.all():
            summary, now = unloaded.summary, time()
            if not self._nodes.is_home(unloaded.id):
                continue
            if is_expired(summary, summary.at, presence, times, now):
                await self._load_unasked(unloaded.id)
            elif unloaded.id in self._backfill or (summary.phase == FINISHED and not summary.is_kept):
                continue
            elif not is_needed(summary) and self._context.now() - unloaded.since >= times.reconnect:
                await self._close(unloaded)
                await asyncio.sleep(0)
        for table in list(self.loaded.values()):
            try:
                await table.keep_result_again()
                await table.close_if_expired(time())
            except KkError as error:
                _logger.warning("table not ended", table=table.id, error=type(error).__name__)

    async def close_unplayable(self, user: str, table: str) -> bool:
        """Close a table for its owner if it cannot be replayed here; False if it can. Raises `KkError`."""
        if not self._nodes.is_home(table):
            raise Elsewhere(table)
        if table not in self.unloaded or self.unloaded[table].unplayable is None:
            return False
        if self.unloaded[table].summary.owner != user:
            owner = self.unloaded[table].summary.owner
            raise NotPossible(text("Only {name}, who owns the table, can do this.", name=owner))
        await self._close(self.unloaded[table])
        return True

    async def _close(self, unloaded: UnloadedTable) -> None:
        if unloaded.id in self._loading or self._take(unloaded.id) is None:
            return
        try:
            await self._log.append(unloaded.id, unloaded.revision, Closed())
        except KkError as error:
            self.unloaded.add(unloaded)
            _logger.warning("table not closed", table=unloaded.id, error=type(error).__name__)
            return
        self._forget_closed(unloaded.id)
        _logger.info("table closed", table=unloaded.id)
        self._nodes.table_gone(unloaded.id)
        self._context.line_changed(unloaded.id)
