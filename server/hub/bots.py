"""Bots at a table: they see their seat's observation and nothing else."""

from __future__ import annotations

import asyncio
import secrets
from time import monotonic
from typing import Final, Protocol

from kk_core.bot_names import BOTS
from kk_core.bots import bot, bot_kind
from kk_core.chance import SEED_BYTES, Chance
from kk_core.errors import KkError
from kk_core.game import AnyGame
from kk_core.text import text
from kk_core.types import Move, Observation, Seat
from server.hub.pace import Pace
from server.hub.tasks import spawn
from server.log import get_logger

FALLBACK: Final = "random"
"""Who plays on when a bot fails."""

_LONGEST_PAUSE: Final = 30.0

_log = get_logger("hub.bots")


class TooSlow(KkError):
    """A bot that would keep everybody waiting."""


def check_bot(name: str) -> None:
    """Refuse a bot that cannot sit at a table. Raises `InvalidOptions`, `TooSlow`."""
    bot_kind(name)
    if name not in BOTS:
        raise TooSlow(text("The bot {name} thinks too long for a table.", name=name))


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
    """Plays for all bots of a table, at a pace that people can follow."""

    def __init__(self, table: BotTable, pace: Pace) -> None:
        self._table = table
        self._pace = pace
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

    def choose(self, name: str, game: AnyGame, observation: Observation) -> Move:
        """What a bot does; when it fails or chooses what it must not, chance decides."""
        try:
            move = self._move_of(name, game, observation)
        except Exception as error:  # whatever a bot does wrong, the people at the table play on
            _log.warning("bot failed", table=self._table.id, bot=name, error=type(error).__name__)
        else:
            if move in observation.legal_moves:
                return move
            _log.warning("bot failed", table=self._table.id, bot=name, error="illegal move")
        return self._move_of(FALLBACK, game, observation)

    def _move_of(self, name: str, game: AnyGame, observation: Observation) -> Move:
        budget = bot_kind(name).allowance.budget(monotonic)
        return bot(name, game).choose(observation, self._chance, budget)

    async def _run(self) -> None:
        trouble = 0.0
        while (turn := self._table.bot_to_move()) is not None:
            await (asyncio.sleep(trouble) if trouble else self._pace.wait())
            try:
                await self._table.play_bot(turn[0], self)
                trouble = 0.0
            except KkError as error:
                trouble = min(_LONGEST_PAUSE, 2 * trouble + 1)
                _log.warning("bot move not stored", table=self._table.id, error=type(error).__name__)
        self._pace.rest()
