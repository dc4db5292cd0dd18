"""Who chooses for a bot: itself in a worker, the level below if that fails, in the end a quick one here."""

from __future__ import annotations

import secrets
from hashlib import sha256
from typing import Final

import msgspec

from kk_core.bot_names import QUICK, level_below
from kk_core.bots import allowance_of, bot
from kk_core.bots.watching import NOTHING, Known
from kk_core.chance import SEED_BYTES, Chance
from kk_core.errors import KkError, where
from kk_core.game import AnyGame
from kk_core.text import text
from kk_core.types import Move, Observation
from kk_core.wire.advice import Advice
from kk_core.wire.views import encode_observation
from server.bots.messages import Chosen
from server.bots.pool import Pool
from server.log import get_logger

FALLBACK: Final = "random"
"""Who plays on when even a quick bot fails."""


REMEMBERED: Final = 256
"""So many hints are kept: who asks twice gets the same answer."""


class NoHint(KkError):
    """A hint that cannot be given now."""


_log = get_logger()


class Chooser:
    """Chooses moves for all bots of a hub."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self._chance = Chance(secrets.token_bytes(SEED_BYTES))
        self._hints: dict[bytes, tuple[Advice, ...]] = {}

    async def choose(
        self, name: str, game: AnyGame, observation: Observation, known: Known = NOTHING
    ) -> Chosen:
        """One of the legal moves, whatever happens to the bot; cancelled when nobody needs it any more."""
        while name not in QUICK and len(observation.legal_moves) > 1:
            try:
                return await self.pool.choose(name, game, observation, known)
            except KkError as error:
                _log.warning("bot failed", bot=name, game=game.meta.id, error=str(error))
                name = level_below(name)
        return Chosen(self._choose_here(name, game, observation), known.memory)

    async def advise(
        self, game: AnyGame, observation: Observation, known: Known = NOTHING
    ) -> tuple[Advice, ...]:
        """The best moves of the observation's viewer, who has seen what is known, if there is a choice.

        Raises `NoHint`.
        """
        if len(observation.legal_moves) < 2:
            return ()
        key = _digest(game, observation, known)
        if key in self._hints:
            return self._hints[key]
        try:
            advice = await self.pool.advise(game, observation, known)
        except KkError as error:
            _log.warning("no hint", game=game.meta.id, error=str(error))
            raise NoHint(text("No hint could be found; please try again.")) from None
        if len(self._hints) >= REMEMBERED:
            del self._hints[next(iter(self._hints))]
        return self._hints.setdefault(key, advice)

    def _choose_here(self, name: str, game: AnyGame, observation: Observation) -> Move:
        if len(observation.legal_moves) == 1:
            return observation.legal_moves[0]
        try:
            move = self._move_of(name, game, observation)
            if move in observation.legal_moves:
                return move
            _log.warning("bot failed", bot=name, game=game.meta.id, error="illegal move")
        except Exception as error:  # whatever a bot does wrong, the people at the table play on
            _log.warning("bot failed", bot=name, game=game.meta.id, error=where(error))
        return self._move_of(FALLBACK, game, observation)

    def _move_of(self, name: str, game: AnyGame, observation: Observation) -> Move:
        return bot(name, game).choose(observation, self._chance, allowance_of(name, game.meta.id).budget())


def _digest(game: AnyGame, observation: Observation, known: Known) -> bytes:
    """What is the same for the same position after the same moves, seen by one seat under the same rules."""
    moves = [(seat, move) for _, seat, move in known.moves]
    asked = game.meta.id, game.rules_version, encode_observation(observation), moves
    return sha256(msgspec.msgpack.encode(asked)).digest()
