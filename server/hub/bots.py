"""Bots at a table: they see their seat's observation and nothing else."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from typing import Final, Protocol

from kk_core.bots import bot
from kk_core.chance import SEED_BYTES, Chance
from kk_core.errors import KkError
from kk_core.types import Move, Observation, Seat
from server.hub.tasks import spawn
from server.log import get_logger

FALLBACK: Final = "random"
"""Who plays on when a bot fails."""

_LONGEST_PAUSE: Final = 30.0

_log = get_logger("hub.bots")


class BotTable(Protocol):
    """What bots need of their table."""

    id: str

    def bot_to_move(self) -> tuple[Seat, str] | None:
        """The first active seat of a bot, and which bot it is."""
        ...

    async def play_bot(self, seat: Seat, players: BotPlayers) -> None:
        """Let the bot of a seat choose and make its move, if it is still its turn."""
        ...


class BotPlayers:
    """Plays for all bots of a table, as many seconds before each move as `pause` says then."""

    def __init__(self, table: BotTable, pause: Callable[[], float]) -> None:
        self._table = table
        self._pause = pause
        self._chance = Chance(secrets.token_bytes(SEED_BYTES))
        self._task: asyncio.Task[None] | None = None

    def wake(self) -> None:
        """Go on if it is a bot's turn."""
        if (self._task is None or self._task.done()) and self._table.bot_to_move() is not None:
            self._task = spawn(self._run(), f"bots of {self._table.id}")

    def stop(self) -> None:
        """Make no further move."""
        if self._task is not None:
            self._task.cancel()

    def choose(self, name: str, game_id: str, observation: Observation) -> Move:
        """What a bot does; when it fails or chooses what it must not, chance decides."""
        try:
            move = bot(name, game_id)(observation, self._chance)
        except Exception as error:  # whatever a bot does wrong, the people at the table play on
            _log.warning("bot failed", table=self._table.id, bot=name, error=type(error).__name__)
        else:
            if move in observation.legal_moves:
                return move
            _log.warning("bot failed", table=self._table.id, bot=name, error="illegal move")
        return bot(FALLBACK, game_id)(observation, self._chance)

    async def _run(self) -> None:
        pause = self._pause()
        while (turn := self._table.bot_to_move()) is not None:
            await asyncio.sleep(pause)
            try:
                await self._table.play_bot(turn[0], self)
                pause = self._pause()
            except KkError as error:
                pause = min(_LONGEST_PAUSE, 2 * pause + 1)
                _log.warning("bot move not stored", table=self._table.id, error=type(error).__name__)
