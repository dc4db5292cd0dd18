"""All tables of a hub: those that are awake, and those that sleep in the log until they are needed."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from time import time
from typing import Final

from kk_core.errors import KkError
from kk_core.protocol.views import RatingView, TableLine
from kk_core.registry import check_rules
from kk_core.text import Text, text
from kk_server.hub.clock import TimerQueue, decode_clock
from kk_server.hub.expiry import is_forsaken, is_needed
from kk_server.hub.place import NotPossible
from kk_server.hub.table import Table
from kk_server.hub.table_context import TableContext
from kk_server.hub.table_state import CooperativeYield, restore
from kk_server.hub.table_view import TransientState, line_of
from kk_server.log import get_logger
from kk_server.storage.database import CHECK
from kk_server.storage.entries import Closed
from kk_server.storage.summaries import FINISHED, OPEN, PLAYING, Summary, outlined
from kk_server.storage.table_log import StoredTable, TableLog, told_host
from kk_server.tasks import spawn


@dataclass(slots=True, eq=False)
class UnloadedTable:
    """A table of which nobody asks anything; `revision` is how many entries it has.

    `since` is from when on it sleeps, in seconds that servers have run. Where it was awake before, it has
    what is `unwritten`. Where it cannot go on here, `unplayable` says why.
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
        """The code by which people come to a table that is not for everybody."""
        return self.summary.created.code

    @property
    def is_private(self) -> bool:
        """Whether only those come who are invited."""
        return self.summary.is_private

    def admits(self, user: str) -> bool:
        """Whether somebody may come."""
        return self.summary.admits(user) or user in self.guests

    @property
    def guests(self) -> frozenset[str]:
        """Guests who were let in since the server was started."""
        return frozenset() if self.transient is None else self.transient.guests

    @property
    def known_to(self) -> set[str]:
        """Whom it concerns: its owner, those who sit here, and those who are invited."""
        return {*self.summary.people, *self.summary.invited, *self.guests}

    def line(self) -> TableLine:
        """The table's line in the lobby."""
        return line_of(self.id, self.summary, self.context.presence, self._rating, self.unplayable)

    def _rating(self, user: str | None) -> RatingView | None:
        created, ratings = self.summary.created, self.context.ratings
        return (
            None if ratings is None or user is None or not created.rated else ratings.view(created.game, user)
        )

    @property
    def waits_for_bot(self) -> bool:
        """Whether a bot has to move, for people who wait for it."""
        seats, is_playing = self.summary.seats, self.summary.phase == PLAYING
        has_people = any(holder.owner is not None for holder in seats)
        return is_playing and has_people and any(seats[seat].player for seat in self.summary.active)

    def waits_for(self, user: str) -> bool:
        """Whether it matters here that somebody comes or goes."""
        return self.has_proposal or (self.context.presence.has(user) and self._has_stand_in_for(user))

    @property
    def has_proposal(self) -> bool:
        """Whether something is proposed here."""
        return self.transient is not None and self.transient.proposal is not None

    def _has_stand_in_for(self, user: str) -> bool:
        """Whether a bot plays for somebody until he is back."""
        return self.summary.phase == PLAYING and any(
            holder.owner == user and holder.stand_in is not None and not holder.has_given_up
            for holder in self.summary.seats
        )


class UnloadedTables:
    """All tables that sleep, found by themselves and by their people."""

    def __init__(self) -> None:
        self._tables: dict[str, UnloadedTable] = {}
        self._known_to: dict[str, set[str]] = {}

    def __contains__(self, table: str) -> bool:
        return table in self._tables

    def __getitem__(self, table: str) -> UnloadedTable:
        return self._tables[table]

    def get(self, table: str) -> UnloadedTable | None:
        """One of them; None where it does not sleep."""
        return self._tables.get(table)

    def __len__(self) -> int:
        return len(self._tables)

    def all(self) -> Iterable[UnloadedTable]:
        """All of them."""
        return list(self._tables.values())

    def of(self, user: str) -> list[UnloadedTable]:
        """Those that are somebody's, at which he sits, or to which he is invited."""
        return [self._tables[table] for table in self._known_to.get(user, ())]

    def add(self, table: UnloadedTable) -> None:
        """One more."""
        self._tables[table.id] = table
        for user in table.known_to:
            self._known_to.setdefault(user, set()).add(table.id)

    def take(self, table: str) -> UnloadedTable | None:
        """One less; None where it is not here."""
        found = self._tables.pop(table, None)
        if found is None:
            return None
        for user in found.known_to:
            self._known_to[user].discard(table)
            if not self._known_to[user]:
                del self._known_to[user]
        return found


def unknown_rules(summary: Summary) -> Text | None:
    """Why the match of a table cannot go on here, as far as it shows without replaying it."""
    if summary.phase == OPEN or summary.rules is None:
        return None
    try:
        check_rules(summary.created.game, summary.rules[0])
    except KkError as error:
        return error.reason
    return None


_SETTLING_PAUSE: Final = 0.01
"""Seconds between two tables."""


class SummaryBackfill:
    """After an upgrade that can be all there are. `settle` makes known what is to be known of one."""

    def __init__(self, settle: Callable[[str], Awaitable[None]]) -> None:
        self._settle = settle
        self._waiting: OrderedDict[str, None] = OrderedDict()

    def __contains__(self, table: str) -> bool:
        return table in self._waiting

    def add(self, table: str) -> None:
        """One more."""
        self._waiting[table] = None

    def first(self, table: str) -> None:
        """Somebody has come whom it concerns: it does not wait for the others."""
        if table in self._waiting:
            self._waiting.move_to_end(table, last=False)

    def discard(self, table: str) -> None:
        """All is known of it."""
        self._waiting.pop(table, None)

    async def run(self) -> None:
        """Go through all of them."""
        while self._waiting:
            table = next(iter(self._waiting))
            await self._settle(table)
            self.discard(table)
            await asyncio.sleep(_SETTLING_PAUSE)


KEPT_EVERY: Final = 5.0
"""Seconds after which summaries are stored: what changed since is replayed after a server was killed."""

QUIET: Final = 600.0
"""Seconds after which a table sleeps again at which nobody is, and nothing happens."""

_PAUSE: Final = 0.02
"""Seconds between two tables that are woken though nobody asks for them: others have the loop meanwhile."""

_log = get_logger()


class TableCache:
    """A table is read and replayed when somebody asks for it, time is over there, or a bot is waited for.

    `awake` are those of which that was so lately, and those that were opened. When nobody has been at one for
    a while, it sleeps again; who comes back finds all as it was.
    """

    def __init__(self, context: TableContext) -> None:
        self._context = context
        self._log: TableLog = context.log
        self.awake: dict[str, Table] = {}
        self.asleep = UnloadedTables()
        self.left_out = 0
        """How many tables of the log could not be read."""
        self._reasons: dict[str, Text] = {}
        """Why tables cannot be read, or not be replayed by this version."""
        self._ages: dict[str, int] = {}
        self._waking: dict[str, asyncio.Task[Table | None]] = {}
        self._kept: dict[str, tuple[int, Summary]] = {}
        self._settling = SummaryBackfill(self._settle)
        self._settled: dict[str, tuple[int, Summary]] = {}
        """What has been found out of tables that sleep, and is not stored yet."""
        self._timers = TimerQueue(context.now, self._wake_in_time)
        self._tasks: list[asyncio.Task[None]] = []

    # -- what there is ---------------------------------------------------------------------------------------

    def __contains__(self, table: str) -> bool:
        return table in self.awake or table in self.asleep

    def __len__(self) -> int:
        return len(self.awake) + len(self.asleep)

    def ids(self) -> list[str]:
        """The identifiers of all tables, oldest first."""
        return [table.id for table in self.all()]

    def all(self) -> list[Table | UnloadedTable]:
        """All tables, oldest first."""
        tables: list[Table | UnloadedTable] = [*self.awake.values(), *self.asleep.all()]
        return sorted(tables, key=self.age)

    def age(self, table: Table | UnloadedTable) -> int:
        """Where a table stands among all, the oldest first."""
        return self._ages[table.id]

    def summaries(self) -> Iterator[tuple[str, Summary]]:
        """What is known of every table."""
        for table in self.awake.values():
            yield table.id, table.summary()
        for sleeper in self.asleep.all():
            yield sleeper.id, sleeper.summary

    def phases(self) -> Counter[str]:
        """How many tables there are in each phase; may be asked from another thread."""
        awake = Counter(table.state.phase for table in list(self.awake.values()))
        return awake + Counter(sleeper.summary.phase for sleeper in self.asleep.all())

    # -- changes ---------------------------------------------------------------------------------------------

    def add(self, table: Table) -> None:
        """A table that was opened."""
        self._ages[table.id] = max(self._ages.values(), default=0) + 1
        self.awake[table.id] = table

    def forget(self, table: str) -> None:
        """A table that is no more."""
        self.awake.pop(table, None)
        self._kept.pop(table, None)
        del self._ages[table]

    async def wake(self, table: str) -> Table:
        """A table, read and replayed if it sleeps. Raises `KkError`."""
        if table in self.awake:
            self.awake[table].touch()
            return self.awake[table]
        if table in self.asleep and table not in self._waking:
            self._waking[table] = asyncio.create_task(self._wake(self.asleep[table]))
        if table in self._waking:
            found = await asyncio.shield(self._waking[table])
            if found is not None:
                return found
        raise NotPossible(text("There is no table {table}.", table=repr(table)))

    async def _wake(self, sleeper: UnloadedTable) -> Table | None:
        try:
            stored = await self._log.read(sleeper.id)
            table = await self._set_up(stored, sleeper)
            if table is None and stored.damage is None:
                raise NotPossible(text("This table cannot go on here: {reason}", reason=self._mark(sleeper)))
            if self._take(sleeper.id) is None:
                return None
            if table is None:
                del self._ages[sleeper.id]
                return None
            self.awake[table.id] = table
        finally:
            del self._waking[sleeper.id]
            self._context.line_changed(sleeper.id)
        await table.resume()
        return table

    def _mark(self, sleeper: UnloadedTable) -> Text:
        """Show in the lobby why a table cannot be replayed."""
        reason = self._reasons[sleeper.id]
        if sleeper.unplayable != reason:
            sleeper.unplayable = reason
            self._context.line_changed(sleeper.id)
        return reason

    def _take(self, table: str) -> UnloadedTable | None:
        """A table that sleeps no more; None where it does not."""
        self._settling.discard(table)
        self._settled.pop(table, None)
        self._timers.set(table, None)
        return self.asleep.take(table)

    async def _set_up(
        self, stored: StoredTable, sleeper: UnloadedTable, gently: CooperativeYield | None = None
    ) -> Table | None:
        """A table as the log says it stood; None for one that is damaged, which harms no other."""
        try:
            state = await restore(self._log, stored, gently)
            at, is_kept = sleeper.summary.at or stored.at, sleeper.summary.is_kept
            return Table(stored.id, state, self._context, at, is_kept=is_kept, transient=sleeper.transient)
        except KkError as error:
            fault = error
        except Exception as error:  # the engine met something it never writes
            reason = text("its entries do not fit the rules ({fault}).", fault=type(error).__name__)
            fault = KkError(reason)
        self._leave_out(stored.id, fault)
        return None

    def _leave_out(self, table: str, fault: KkError) -> None:
        if table in self._reasons:
            return
        self._reasons[table] = fault.reason
        self.left_out += 1
        _log.error("table left out", table=table, reason=str(told_host(fault)), do=CHECK)

    # -- life ------------------------------------------------------------------------------------------------

    async def load(self) -> None:
        """List all tables; of those without a summary only what can be told without replaying them."""
        listed, clocks = await self._log.listed(), await self._log.clocks()
        unknown = await self._log.outlines([found.id for found in listed if found.summary is None])
        for age, found in enumerate(listed):
            summary = found.summary or self._outlined(unknown.get(found.id, StoredTable(found.id, ())))
            if summary is None:
                continue
            self._ages[found.id] = age
            self._lay_down(found.id, found.revision, summary, clocks.get(found.id))
            if found.summary is None or (summary.phase == FINISHED and not summary.is_kept):
                self._settling.add(found.id)
        self._tasks = [
            spawn(self._keep(), "keep summaries"),
            spawn(self._settling.run(), "settle tables"),
            spawn(self._serve_bots(), "wake tables of bots"),
            spawn(self._timers.run(), "wake tables of clocks"),
        ]

    def _outlined(self, table: StoredTable) -> Summary | None:
        """What is known of a table before it is replayed; None for one that is damaged."""
        try:
            if table.damage is not None:
                raise table.damage
            return outlined(table.entries, table.at)
        except KkError as error:
            self._leave_out(table.id, error)
            return None

    async def settled(self) -> None:
        """Wait until all tables are known."""
        await asyncio.wait([task for task in self._tasks if task.get_name() == "settle tables"])

    async def _settle(self, table: str) -> None:
        """Find out of a table that sleeps how it stands, and keep what a match that is over has come to."""
        if table not in self.asleep or table in self._waking:
            return
        sleeper = self.asleep[table]
        try:
            stored = await self._log.read(table)
            made = await self._set_up(stored, sleeper, CooperativeYield())
            if made is not None:
                await made.settle()
        except KkError as error:
            _log.warning("table not settled", table=table, error=type(error).__name__)
            return
        if table in self._waking or table not in self.asleep:
            return  # somebody has asked for it meanwhile
        if made is not None:
            summary = made.summary()
            self.asleep.take(table)
            self.asleep.add(replace(sleeper, summary=summary))
            self._settled[table] = made.state.revision, summary
            self._context.line_changed(table)
            if self.asleep[table].waits_for_bot:
                spawn(self._wake_in_time(table), f"wake the bots of {table}")
        elif stored.damage is None:
            self._mark(sleeper)
        else:
            self._take(table)
            del self._ages[table]
            self._context.line_changed(table)

    def _lay_down(self, table: str, revision: int, summary: Summary, kept: str | None) -> None:
        clock = None if kept is None or summary.created.clock is None else decode_clock(kept)
        if clock is not None and clock.match == summary.matches:
            self._timers.set(table, clock.end)
        now, reason = self._context.now(), unknown_rules(summary)
        self.asleep.add(UnloadedTable(table, revision, summary, now, self._context, unplayable=reason))

    async def close(self) -> None:
        """Let all tables stand as they are, and keep what is known of them."""
        while self._tasks:
            self._tasks.pop().cancel()
        for table in list(self.awake.values()):
            await table.stop()
        await self.keep_summaries()

    def _lay_down_quiet(self) -> None:
        """Let those sleep at which nobody has been for a while; what is known of them has been stored."""
        for table in list(self.awake.values()):
            summary = table.summary()
            if not table.may_sleep(QUIET) or self._kept.get(table.id) != (table.state.revision, summary):
                continue
            end, transient, revision = table.timekeeper.end, table.rest(), table.state.revision
            del self.awake[table.id], self._kept[table.id]
            sleeper = UnloadedTable(
                table.id, revision, summary, self._context.now(), self._context, transient
            )
            self.asleep.add(sleeper)
            self._timers.set(table.id, end)
            self._context.line_changed(table.id)
            self._wait_for_owner(sleeper)

    # -- summaries -------------------------------------------------------------------------------------------

    async def keep_summaries(self) -> None:
        """Store what is known of the tables that have changed."""
        settled, self._settled = self._settled, {}
        made = {table.id: (table.state.revision, table.summary()) for table in self.awake.values()}
        changed = {table: summary for table, summary in made.items() if self._kept.get(table) != summary}
        if not (changed or settled):
            return
        try:
            await self._log.keep_summaries(settled | changed)
        except KkError as error:
            self._settled = settled | self._settled
            _log.warning("summaries not kept", error=type(error).__name__)
            return
        self._kept |= changed

    async def _keep(self) -> None:
        while True:
            await asyncio.sleep(KEPT_EVERY)
            await self.tidy()

    async def tidy(self) -> None:
        """Store what is known of the tables that have changed, and let those sleep that are quiet."""
        await self.keep_summaries()
        self._lay_down_quiet()

    # -- what does not wait for somebody to ask --------------------------------------------------------------

    async def _serve_bots(self) -> None:
        for sleeper in self.asleep.all():
            if sleeper.waits_for_bot:
                await self._wake_for(sleeper.id)

    async def _wake_in_time(self, table: str) -> None:
        if table in self.asleep:
            await self._wake_for(table)

    async def _wake_for(self, table: str) -> Table | None:
        """Wake a table for which nobody has asked."""
        await asyncio.sleep(_PAUSE)
        try:
            return await self.wake(table)
        except KkError as error:
            _log.warning("table not woken", table=table, error=type(error).__name__)
            return None

    def presence_changed(self, user: str) -> None:
        """Somebody has come to the server, or gone."""
        for table in list(self.awake.values()):
            table.presence_changed(user)
        for sleeper in self.asleep.of(user):
            self._settling.first(sleeper.id)
            if sleeper.waits_for(user):
                spawn(self._follow(sleeper.id, user), f"presence at {sleeper.id}")
            self._wait_for_owner(sleeper)

    async def _follow(self, table: str, user: str) -> None:
        woken = await self._wake_for(table)
        if woken is not None:
            woken.presence_changed(user)

    def _wait_for_owner(self, sleeper: UnloadedTable) -> None:
        """Hand a table on after a while, if its owner does not come back and somebody else is here."""
        if self._has_heirs(sleeper.summary):
            spawn(self._hand_on(sleeper), f"wait for the owner of {sleeper.id}")

    def _has_heirs(self, summary: Summary) -> bool:
        """Whether the owner is gone, and somebody is here who sits there."""
        presence = self._context.presence
        return not presence.has(summary.owner) and any(
            holder.owner is not None and presence.has(holder.owner) for holder in summary.seats
        )

    async def _hand_on(self, sleeper: UnloadedTable) -> None:
        gone = self._context.presence.gone_for(sleeper.summary.owner)
        await asyncio.sleep(max(0.0, self._context.times.handover - gone))
        if sleeper.id in self.asleep and self._has_heirs(sleeper.summary):
            await self._wake_for(
                sleeper.id
            )  # a table that wakes looks for its owner, who has been away too long

    async def sweep(self) -> None:
        """End the tables that nobody comes back to, and those that nobody needs."""
        times, presence = self._context.times, self._context.presence
        for sleeper in self.asleep.all():
            summary, now = sleeper.summary, time()
            if is_forsaken(summary, summary.at, presence, times, now):
                await self._wake_for(sleeper.id)
            elif sleeper.id in self._settling or (summary.phase == FINISHED and not summary.is_kept):
                continue
            elif not is_needed(summary) and self._context.now() - sleeper.since >= times.grace:
                await self._close(sleeper)
                await asyncio.sleep(0)
        for table in list(self.awake.values()):
            try:
                await table.keep_once_more()
                await table.end_if_forsaken(time())
            except KkError as error:
                _log.warning("table not ended", table=table.id, error=type(error).__name__)

    async def close_unplayable(self, user: str, table: str) -> bool:
        """Close a table that cannot be replayed here, for its owner; whether it was such a one."""
        if table not in self.asleep or self.asleep[table].unplayable is None:
            return False
        if self.asleep[table].summary.owner != user:
            owner = self.asleep[table].summary.owner
            raise NotPossible(text("Only {name} can do this, whose table it is.", name=owner))
        await self._close(self.asleep[table])
        return True

    async def _close(self, sleeper: UnloadedTable) -> None:
        """Close a table that sleeps; where that cannot be stored it sleeps on."""
        if sleeper.id in self._waking or self._take(sleeper.id) is None:
            return
        try:
            await self._log.append(sleeper.id, sleeper.revision, Closed())
        except KkError as error:
            self.asleep.add(sleeper)
            _log.warning("table not closed", table=sleeper.id, error=type(error).__name__)
            return
        del self._ages[sleeper.id]
        _log.info("table closed", table=sleeper.id)
        self._context.line_changed(sleeper.id)
