"""Bots at a table. They see their seat's observation and nothing else."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Final, Protocol

from kk_core.bot_names import BOT_PREFIX
from kk_core.errors import KkError
from kk_core.match import Match
from kk_core.search.bots import may_watch
from kk_core.search.memory import BotMemory
from kk_core.search.opponents import NOTHING, BotKnowledge
from kk_core.types import CommonObservation, Move, Seat
from kk_server.accounts.names import distinct
from kk_server.background import spawn
from kk_server.bots.pool import Chooser
from kk_server.limits import BotPace
from kk_server.log import get_logger, log_of
from kk_server.storage.entries import SeatHolder

SLOW: Final = 5.0
"""Seconds of thinking, waiting for a free process included, after which people are told."""

_LONGEST_PAUSE: Final = 30.0  # seconds between two attempts at storing a move

_logger = get_logger()


@dataclass(frozen=True)
class BotTurn:
    """A turn of a bot. The bot is given the observation only, not the match or the state."""

    seat: Seat
    bot: str
    match: Match
    observation: CommonObservation
    state: object
    move: Move | None = None
    """The move written in a lesson; no bot is asked for it."""
    is_skipped: bool = False
    """True if the lesson skips it: there is no pause before it."""
    seed: bytes | None = None
    """The seed for the bot's random choices; None to draw a new one."""
    style: str | None = None
    """The style in which it plays, one of `kk_core.bot_names.STYLES`, or None."""


def alone_with_bots(user: str, name: str, seats: int, bot: str, *, at: Seat) -> tuple[SeatHolder, ...]:
    """Return the holders of a table where a user plays alone, against bots of one kind."""
    others: list[str] = []
    for _ in range(seats - 1):
        others.append(distinct(BOT_PREFIX + bot, [name, *others]))
    holders = [SeatHolder(other, None, bot) for other in others]
    return *holders[:at], SeatHolder(name, user), *holders[at:]


class StudyAhead:
    """Studies the choices of those who are coached at a table while they think about them themselves."""

    def __init__(self, chooser: Chooser) -> None:
        self._chooser = chooser
        self._coached: set[Seat] = set()
        self._task: asyncio.Task[None] | None = None

    def add(self, seat: Seat) -> None:
        """Note that the holder of a seat has a coach, which is not known before it is asked."""
        self._coached.add(seat)

    def follow(self, match: Match | None) -> None:
        """Study the choice that a coached seat has now, and no other one any longer."""
        active = () if match is None else match.game.active_seats(match.state)
        seat = next((seat for seat in active if seat in self._coached), None)
        before, self._task = self._task, None
        if match is not None and seat is not None:
            # before the one under way ends: it may be the same, where others have chosen at the same moment
            seen, moves = match.choice_of(seat)
            work = self._chooser.study_ahead(match.game, seen, BotKnowledge(moves=moves))
            self._task = spawn(work, "study ahead")
        if before is not None:
            before.cancel()


class TableOfBots(Protocol):
    """A table where bots may have to move."""

    id: str

    def bot_turn(self) -> BotTurn | None:
        """Return the turn of a bot; None if no bot has to move now."""
        ...

    def is_current(self, turn: BotTurn) -> bool:
        """Return whether nothing has changed since a bot was asked."""
        ...

    def excuse_bot(self, turn: BotTurn) -> None:
        """Tell whoever waits for a bot that it is still thinking."""
        ...

    async def play_bot(self, turn: BotTurn, move: Move) -> None:
        """Make a bot's move, unless something has changed since it was asked."""
        ...


class BotPlayers:
    """Plays for all bots of a table, at a pace that people can follow."""

    def __init__(self, table: TableOfBots, chooser: Chooser, pace: BotPace) -> None:
        self._table = table
        self._chooser = chooser
        self._pace = pace
        self._task: asyncio.Task[None] | None = None
        self._match: Match | None = None
        self._memories: dict[tuple[Seat, str], BotMemory] = {}
        self._thinking: tuple[BotTurn, asyncio.Timeout] | None = None

    def wake(self) -> None:
        """Follow a change of the table: stop an outdated search, and start one if it is a bot's turn."""
        if self._thinking is not None and not self._table.is_current(self._thinking[0]):
            # ends the search by a timeout: cancelling the task would also stop it from taking the next turn
            self._thinking[1].reschedule(0)
            self._thinking = None
        if (self._task is None or self._task.done()) and self._table.bot_turn() is not None:
            self._task = spawn(self._run(), f"bots of {self._table.id}")

    def stop(self) -> None:
        """Stop playing."""
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        trouble = 0.0
        while (turn := self._table.bot_turn()) is not None:
            if trouble:
                await asyncio.sleep(trouble)
            move = await self._think(turn)
            if move is None:
                continue
            try:
                await self._table.play_bot(turn, move)
                trouble = 0.0
            except KkError as error:
                # the disk may be full: try again less and less often
                trouble = min(_LONGEST_PAUSE, 2 * trouble + 1)
                _logger.warning("bot move not stored", table=self._table.id, error=type(error).__name__)
        self._pace.rest()

    async def _think(self, turn: BotTurn) -> Move | None:
        """Return the move of a bot; None if the table changed while it was thinking."""
        is_over = asyncio.timeout(None)  # a task would cost rounds of the loop to start and to end
        try:
            async with is_over:
                self._thinking = turn, is_over
                return await self._move_of(turn)
        except TimeoutError:
            if not is_over.expired():
                raise
            return None
        finally:
            self._thinking = None

    async def _move_of(self, turn: BotTurn) -> Move:
        match, observation, begun = turn.match, turn.observation, asyncio.get_running_loop().time()
        if turn.move is not None:
            await self._pace.wait(begun, 0 if turn.is_skipped else 1)
            return turn.move
        if self._match is not match:
            self._match, self._memories = match, {}
        # a new match, or a new bot on the seat, starts with an empty memory
        memory = self._memories.setdefault((turn.seat, turn.bot), BotMemory())
        known = memory.known(match, observation.viewer) if may_watch(turn.bot) else NOTHING
        excuse = asyncio.get_running_loop().call_later(SLOW, self._table.excuse_bot, turn)
        try:
            with log_of(table=self._table.id, seat=turn.seat):
                chosen = await self._chooser.choose(
                    turn.bot, match.game, observation, known, seed=turn.seed, style=turn.style
                )
        finally:
            excuse.cancel()
        # thinking counts towards the pause, during which people look at the previous move
        await self._pace.wait(begun)
        if len(observation.legal_moves) > 1:  # otherwise no bot was asked, and there is no memory to keep
            memory.keep(match, chosen.memory)
        return chosen.move
