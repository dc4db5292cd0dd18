"""Clocks: the time each player has left in a match, and what happens when it runs out.

`Clock` is a value; callers pass the current time. `Timekeeper` runs the clocks of a loaded table, and
`TimerQueue` those of unloaded ones. Both count in the seconds of `Uptime`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from heapq import heappop, heappush
from time import monotonic
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from kk_core.errors import KkError
from kk_core.types import Seat
from kk_core.views import ClockRule, ClockView, SeatClock
from kk_server.background import spawn
from kk_server.log import get_logger
from kk_server.storage.summaries import PLAYING
from kk_server.storage.table_log import TableLog
from kk_server.tables.context import TableContext

if TYPE_CHECKING:
    from kk_server.tables.table import Table

_logger = get_logger()

_UPTIME_KEPT_EVERY: Final = 60.0
"""Seconds. If the server is killed, all clocks gain up to this much."""


class Side(msgspec.Struct, frozen=True):
    """Seconds that a seat has left for turn number `turn`, and in its bank."""

    move: float
    bank: float
    turn: int = -1

    def after(self, seconds: float) -> Side:
        """Return the side `seconds` later; the bank pays for what the turn's time does not cover."""
        beyond = max(0.0, seconds - self.move)
        return replace(self, move=max(0.0, self.move - seconds), bank=max(0.0, self.bank - beyond))

    @property
    def left(self) -> float:
        """Seconds until the time is over."""
        return self.move + self.bank


class Clock(msgspec.Struct, frozen=True):
    """All clocks of match number `match` at one moment; only those of `running` seats are running.

    Moments are counted in seconds of server uptime: clocks stand still while no server runs.
    """

    rule: ClockRule
    match: int
    sides: tuple[Side, ...]
    running: frozenset[Seat] = frozenset()
    at: float = 0.0

    def now(self, now: float) -> Clock:
        """Return the clocks at a later moment."""
        gone = max(0.0, now - self.at)
        sides = tuple(
            side.after(gone) if seat in self.running else side for seat, side in enumerate(self.sides)
        )
        return replace(self, sides=sides, at=now)

    def run(self, turns: Mapping[Seat, int], now: float) -> Clock:
        """Return the clocks with these seats to move, each in the given turn; a new turn has its own time."""
        sides = list(self.now(now).sides)
        for seat, turn in turns.items():
            if sides[seat].turn != turn:
                # several moves may belong to one turn, and they share its time
                sides[seat] = Side(float(self.rule.move), sides[seat].bank, turn)
        return replace(self, sides=tuple(sides), running=frozenset(turns), at=now)

    @property
    def turns(self) -> dict[Seat, int]:
        """The running seats, and the turn of each."""
        return {seat: self.sides[seat].turn for seat in self.running}

    def fresh(self, seat: Seat) -> Clock:
        """Return the clocks with a seat's full turn time restored."""
        sides = list(self.sides)
        # no turn has this number, so the next `run` treats the current one as new
        sides[seat] = replace(sides[seat], turn=-1)
        return replace(self, sides=tuple(sides))

    def is_over(self, seat: Seat, now: float) -> bool:
        """Return whether a running seat has used up its time."""
        return seat in self.running and self.now(now).sides[seat].left <= 0

    def remaining(self, now: float) -> float | None:
        """Return the seconds until the first time runs out; None if no clock is running."""
        sides = self.now(now).sides
        return min((sides[seat].left for seat in self.running), default=None)

    @property
    def end(self) -> float | None:
        """The moment when the first time runs out; None if no clock is running."""
        remaining = self.remaining(self.at)
        return None if remaining is None else self.at + remaining

    def view(self, now: float) -> ClockView:
        """Return it as clients see it."""
        sides = enumerate(self.now(now).sides)
        seats = tuple(
            SeatClock(round(side.move), round(side.bank), seat in self.running) for seat, side in sides
        )
        return ClockView(self.rule, seats)


def new_clock(rule: ClockRule, match: int, seats: int) -> Clock:
    """Return the clocks at the beginning of a match."""
    return Clock(rule, match, (Side(float(rule.move), float(rule.bank)),) * seats)


def encode_clock(clock: Clock) -> str:
    """Encode the clocks for the log."""
    return msgspec.json.encode(clock).decode()


def decode_clock(kept: str) -> Clock | None:
    """Decode what `encode_clock` made; None if it cannot be read."""
    try:
        return msgspec.json.decode(kept, type=Clock)
    # an unreadable clock costs only the time used so far, not the match: it starts again at full time
    except msgspec.MsgspecError:
        return None


class Timekeeper:
    """Runs the clocks of one table: follows whose turn it is, and reports to the table when time runs out."""

    def __init__(self, table: Table, context: TableContext) -> None:
        self._table = table
        self._log = context.log
        self._now = context.now
        self._clock: Clock | None = None
        self._watching: asyncio.Task[None] | None = None
        self._saving: asyncio.Task[None] | None = None
        self._is_saved = True

    async def resume(self) -> None:
        """Continue with the stored clocks."""
        if self._table.state.created.clock is not None:
            kept = await self._log.clock_of(self._table.id)
            self._clock = None if kept is None else decode_clock(kept)
            self.follow()

    def follow(self) -> None:
        """Follow a change of the table: run the clocks of the seats to move."""
        rule, match = self._table.state.created.clock, self._table.state.match
        if rule is None or match is None:
            self.stop_watching()
            return
        clock = self._clock
        if clock is None or clock.match != self._table.state.matches:
            clock = new_clock(rule, self._table.state.matches, len(match.seats))
        before, turn = clock.turns, match.game.turn(match.state)
        self._clock = clock = clock.run(dict.fromkeys(self._waited_for(), turn), self._now())
        # stored only when a turn begins or ends: in between, the uptime shows how far the clock has run
        if clock.turns != before:
            self._keep()
        self._start_watching()

    def _waited_for(self) -> tuple[Seat, ...]:
        state = self._table.state
        if state.match is None or state.phase != PLAYING or state.is_closed:
            return ()
        active = state.match.game.active_seats(state.match.state)
        return tuple(seat for seat in active if state.seats[seat].player is None)

    def over(self) -> tuple[Seat, ...]:
        """Return the seats whose time is up."""
        clock, now = self._clock, self._now()
        return () if clock is None else tuple(seat for seat in clock.running if clock.is_over(seat, now))

    def give_back(self, seat: Seat) -> None:
        """Restore the full turn time of somebody who has taken their seat back."""
        if self._clock is not None:
            self._clock = self._clock.fresh(seat)

    def give_time(self, seconds: float) -> None:
        """Give the running clocks time back in which nobody could move."""
        if self._clock is not None:
            self._clock = replace(self._clock, at=self._clock.at + seconds)
            self._start_watching()

    def view(self) -> ClockView | None:
        """Return the clocks as clients see them; None if there are none."""
        rule = self._table.state.created.clock
        if rule is None:
            return None
        # before the first match there is only the rule
        return ClockView(rule) if self._clock is None else self._clock.view(self._now())

    @property
    def is_saved(self) -> bool:
        """True if the stored clocks are up to date."""
        return self._is_saved and (self._saving is None or self._saving.done())

    @property
    def end(self) -> float | None:
        """The moment when the first time runs out, in seconds of server uptime, or None."""
        return None if self._clock is None else self._clock.end

    def stop_watching(self) -> None:
        """No longer report when time runs out; the clocks keep running."""
        if self._watching is not None:
            self._watching.cancel()
        self._watching = None

    async def stop(self) -> None:
        """Stop watching the clocks, and store them; they stand still while no server runs."""
        self.stop_watching()
        self._keep()
        if self._saving is not None:
            await asyncio.wait([self._saving])

    # -- watching --------------------------------------------------------------------------------------------

    def _start_watching(self) -> None:
        self.stop_watching()
        if self._clock is not None and self._clock.running:
            self._watching = spawn(self._watch(), f"clock of {self._table.id}")

    async def _watch(self) -> None:
        while self._clock is not None and (remaining := self._clock.remaining(self._now())) is not None:
            if remaining > 0:
                await asyncio.sleep(remaining)
                continue
            # in a task of its own: this one is cancelled when the table changes
            spawn(self._end(self.over()), f"time is over at {self._table.id}")
            return

    async def _end(self, seats: tuple[Seat, ...]) -> None:
        try:
            await self._table.time_is_over(seats)
        except KkError as error:
            _logger.warning("no bot for who is late", table=self._table.id, error=type(error).__name__)

    def _keep(self) -> None:
        self._is_saved = False
        if self._saving is None or self._saving.done():
            self._saving = spawn(self._store(), f"keep the clock of {self._table.id}")

    async def _store(self) -> None:
        # a change made during the write needs another write
        while self._clock is not None and not self._is_saved:
            self._is_saved = True
            try:
                await self._log.keep_clock(self._table.id, encode_clock(self._clock.now(self._now())))
            except KkError as error:
                self._is_saved = False
                _logger.warning("clock not kept", table=self._table.id, error=type(error).__name__)
                return


class TimerQueue:
    """One timer for each of many unloaded tables.

    `now` returns the seconds that clocks count in; `due` is called with each table whose time has come.
    """

    def __init__(self, now: Callable[[], float], due: Callable[[str], Awaitable[object]]) -> None:
        self._now = now
        self._due = due
        self._queue: list[tuple[float, str]] = []
        self._at: dict[str, float] = {}
        self._sooner = asyncio.Event()

    def set(self, table: str, at: float | None) -> None:
        """Set the timer of a table, replacing any earlier one; None clears it."""
        self._at.pop(table, None)
        if at is not None:
            self._at[table] = at
            heappush(self._queue, (at, table))
            self._sooner.set()

    async def run(self) -> None:
        """Call `due` for each timer in turn; runs until cancelled."""
        while True:
            self._sooner.clear()
            rest = max(0.0, self._queue[0][0] - self._now()) if self._queue else None
            with suppress(TimeoutError):
                async with asyncio.timeout(rest):
                    await self._sooner.wait()
            while self._queue and self._queue[0][0] <= self._now():
                at, table = heappop(self._queue)
                # replaced timers leave their old entries in the heap; skip those
                if self._at.get(table) == at:
                    del self._at[table]
                    await self._due(table)


class Uptime:
    """The total seconds that servers have run over a log.

    Counting this way, the state of a stored clock is known at any time although nothing runs it.
    """

    def __init__(self, log: TableLog) -> None:
        self._log = log
        self._before = 0.0
        self._since = monotonic()
        self._task: asyncio.Task[None] | None = None

    def now(self) -> float:
        """Return the total so far."""
        return self._before + monotonic() - self._since

    def follow(self, seconds: float) -> None:
        """Follow another server that has counted further."""
        self._before += max(0.0, seconds - self.now())

    async def start(self) -> None:
        """Continue where the last server stopped. Raises `StorageFailed`."""
        self._before, self._since = await self._log.uptime(), monotonic()
        self._task = spawn(self._run(), "uptime")

    async def stop(self) -> None:
        """Stop counting, and store the total."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
            await self._keep()

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(_UPTIME_KEPT_EVERY)
            await self._keep()

    async def _keep(self) -> None:
        try:
            await self._log.keep_uptime(self.now())
        except KkError as error:
            _logger.warning("uptime not kept", error=type(error).__name__)
