"""Lets the clocks of one table run, and says when somebody's time is over."""

from __future__ import annotations

import asyncio
from typing import Protocol

from kk_core.errors import KkError
from kk_core.types import Seat
from kk_core.wire.clock import ClockView
from server.hub.clock import Clock, decode_clock, encode_clock, new_clock
from server.hub.table_context import TableContext
from server.hub.table_state import TableState
from server.hub.tasks import spawn
from server.log import get_logger
from server.storage.summaries import PLAYING

_log = get_logger()


class TimedTable(Protocol):
    """The table whose clocks run."""

    id: str
    state: TableState

    async def time_is_over(self, seats: tuple[Seat, ...]) -> None:
        """These seats have used up their time. Raises `KkError`."""
        ...


class Timekeeper:
    """Follows whose turn it is."""

    def __init__(self, table: TimedTable, context: TableContext) -> None:
        self._table = table
        self._log = context.log
        self._now = context.now
        self._clock: Clock | None = None
        self._waiting: asyncio.Task[None] | None = None
        self._keeping: asyncio.Task[None] | None = None
        self._is_kept = True

    async def resume(self) -> None:
        """Go on with the clocks as they were kept."""
        if self._table.state.created.clock is not None:
            kept = await self._log.clock_of(self._table.id)
            self._clock = None if kept is None else decode_clock(kept)
            self.follow()

    def follow(self) -> None:
        """The table has changed: let those clocks run that have to."""
        rule, match = self._table.state.created.clock, self._table.state.match
        if rule is None or match is None:
            self._wait_no_more()
            return
        clock = self._clock
        if clock is None or clock.match != self._table.state.matches:
            clock = new_clock(rule, self._table.state.matches, len(match.seats))
        before, turn = clock.turns, match.game.turn(match.state)
        self._clock = clock = clock.run(dict.fromkeys(self._waited_for(), turn), self._now())
        if clock.turns != before:
            self._keep()
        self._wait()

    def _waited_for(self) -> tuple[Seat, ...]:
        """The people whose turn it is."""
        state = self._table.state
        if state.match is None or state.phase != PLAYING or state.is_closed:
            return ()
        active = state.match.game.active_seats(state.match.state)
        return tuple(seat for seat in active if state.seats[seat].player is None)

    def over(self) -> tuple[Seat, ...]:
        """The seats whose time is over."""
        clock, now = self._clock, self._now()
        return () if clock is None else tuple(seat for seat in clock.running if clock.is_over(seat, now))

    def give_back(self, seat: Seat) -> None:
        """Somebody plays again himself: he has the time of a turn."""
        if self._clock is not None:
            self._clock = self._clock.fresh(seat)

    def view(self) -> ClockView | None:
        """As clients see it; None where there is no clock."""
        rule = self._table.state.created.clock
        if rule is None:
            return None
        return ClockView(rule) if self._clock is None else self._clock.view(self._now())

    @property
    def is_kept(self) -> bool:
        """Whether the log knows how the clocks stand."""
        return self._is_kept and (self._keeping is None or self._keeping.done())

    @property
    def end(self) -> float | None:
        """When the first time is over, in seconds that servers have run; None while nobody's runs."""
        return None if self._clock is None else self._clock.end

    def rest(self) -> None:
        """Look after the clocks no more; they go on."""
        self._wait_no_more()

    async def stop(self) -> None:
        """Let the clocks stand, and keep how they stand."""
        self._wait_no_more()
        self._keep()
        if self._keeping is not None:
            await asyncio.wait([self._keeping])

    # -- waiting ---------------------------------------------------------------------------------------------

    def _wait(self) -> None:
        self._wait_no_more()
        if self._clock is not None and self._clock.running:
            self._waiting = spawn(self._watch(), f"clock of {self._table.id}")

    def _wait_no_more(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
        self._waiting = None

    async def _watch(self) -> None:
        """Wait until somebody's time is over."""
        while self._clock is not None and (rest := self._clock.rest(self._now())) is not None:
            if rest > 0:
                await asyncio.sleep(rest)
                continue
            # apart from this task, which ends when the table changes
            spawn(self._end(self.over()), f"time is over at {self._table.id}")
            return

    async def _end(self, seats: tuple[Seat, ...]) -> None:
        try:
            await self._table.time_is_over(seats)
        except KkError as error:
            _log.warning("no bot for who is late", table=self._table.id, error=type(error).__name__)

    def _keep(self) -> None:
        self._is_kept = False
        if self._keeping is None or self._keeping.done():
            self._keeping = spawn(self._store(), f"keep the clock of {self._table.id}")

    async def _store(self) -> None:
        while self._clock is not None and not self._is_kept:
            self._is_kept = True
            try:
                await self._log.keep_clock(self._table.id, encode_clock(self._clock.now(self._now())))
            except KkError as error:
                self._is_kept = False
                _log.warning("clock not kept", table=self._table.id, error=type(error).__name__)
                return
