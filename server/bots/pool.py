"""The workers: as many as are needed, up to a limit, and none before the first question."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Final

from kk_core import analysis
from kk_core.bots import bot_kind
from kk_core.bots.judge import Judgement, Outlook
from kk_core.bots.watching import NOTHING, Known
from kk_core.chance import SEED_BYTES
from kk_core.errors import BotFailed
from kk_core.game import AnyGame
from kk_core.text import text
from kk_core.types import Observation
from kk_core.wire.advice import Advice
from kk_core.wire.views import encode_observation
from server.bots import process
from server.bots.messages import (
    ADVISER,
    Advise,
    Advised,
    Choose,
    Chosen,
    Foresee,
    Foreseen,
    Judge,
    Judged,
    Noted,
    Question,
    Reply,
)
from server.bots.process import Process, WorkerLost
from server.log import get_logger

LEAST_SECONDS: Final = 0.05
"""So long a bot may think however many want to."""

SLOWEST: Final = 500
"""Simulations a second that are hoped for at least: a question about a match gets its time by that."""
LONGEST: Final = 1.0
"""More seconds it never gets, since a bot may have to wait for them."""

_log = get_logger()


def default_workers() -> int:
    """The processors that this process may use, less the one that it needs itself; at least one."""
    return max(1, len(os.sched_getaffinity(0)) - 1)


def share(seconds: float, asking: int, workers: int) -> float:
    """How long a bot may think that would like to for so many seconds, when so many want to."""
    return max(LEAST_SECONDS, seconds * min(1.0, workers / asking))


def question(bot: str, game: AnyGame, observation: Observation, known: Known, seconds: float) -> Choose:
    """What a worker is sent for a move of a bot: nothing of the match but what the bot's seat may know."""
    head, seed = (game.meta.id, game.rules_version), secrets.token_bytes(SEED_BYTES)
    values = encode_observation(observation)
    return Choose(*head, bot, values, seed, seconds, known.memory, _noted(known))


def hint_question(game: AnyGame, observation: Observation, known: Known, seconds: float) -> Advise:
    """What a worker is sent for a hint, likewise."""
    head, seed = (game.meta.id, game.rules_version), secrets.token_bytes(SEED_BYTES)
    return Advise(*head, encode_observation(observation), seed, seconds, _noted(known))


def _noted(known: Known) -> tuple[Noted, ...]:
    return tuple(Noted(encode_observation(seen), seat, move) for seen, seat, move in known.moves)


def _put(game: AnyGame, asked: analysis.Question, seconds: float) -> Question:
    """A question about a match that is over, as a worker is asked it: by observations alone."""
    key = game.meta.id, game.rules_version
    match asked:
        case analysis.Foresee(_, observations, samples, seed):
            return Foresee(*key, [encode_observation(seen) for seen in observations], samples, seed, seconds)
        case analysis.Judge(_, observation, played, depth, explain, seed):
            return Judge(*key, encode_observation(observation), played, depth, explain, seed, seconds)


class Pool:
    """Shares workers among all who ask: when many do, each question gets less time."""

    def __init__(self, size: int | None = None) -> None:
        self.size = size or default_workers()
        self._free = asyncio.Semaphore(self.size)
        self._idle: list[Process] = []
        self._workers: set[Process] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._asking = 0
        self._is_closed = False

    @property
    def pids(self) -> tuple[int, ...]:
        """The numbers of the running processes."""
        return tuple(worker.pid for worker in self._workers if worker.is_running)

    async def choose(
        self, bot: str, game: AnyGame, observation: Observation, known: Known = NOTHING
    ) -> Chosen:
        """The move of a bot; cancel it when nobody needs it any more. Raises `WorkerLost`, `BotFailed`."""
        wanted = bot_kind(bot).allowance.seconds
        ask = partial(question, bot, game, observation, known)
        reply = await self._share(wanted, game, ask)
        if isinstance(reply, Chosen) and reply.move in observation.legal_moves:
            return reply
        raise BotFailed(text("A bot failed: {error}", error="illegal move"))

    async def advise(self, game: AnyGame, observation: Observation, known: Known) -> tuple[Advice, ...]:
        """What one might do in the place of the observation's viewer, who has seen what is known. Raises
        `WorkerLost`, `BotFailed`.
        """
        wanted = bot_kind(ADVISER).allowance.seconds
        reply = await self._share(wanted, game, partial(hint_question, game, observation, known))
        return reply.moves if isinstance(reply, Advised) else ()

    async def think(self, game: AnyGame, asked: analysis.Question) -> Outlook | Judgement:
        """The answer to a question about a match that is over. Raises `WorkerLost`, `BotFailed`."""
        match await self._share(min(LONGEST, asked.work / SLOWEST), game, partial(_put, game, asked)):
            case Foreseen(outlook):
                return outlook
            case Judged(judgement):
                return judgement
        raise BotFailed(text("A bot failed: {error}", error="wrong answer"))

    async def _share(self, wanted: float, game: AnyGame, ask: Callable[[float], Question]) -> Reply:
        """Have a question answered that gets its part of the seconds that are wanted for it."""
        self._asking += 1
        try:
            await self._free.acquire()
            return await self._ask(game, ask(share(wanted, self._asking, self.size)))
        finally:
            self._asking -= 1

    async def _ask(self, game: AnyGame, asked: Question) -> Reply:
        """Have a question answered by one of the workers, whose place is taken already."""
        worker: Process | None = None
        try:
            worker = self._take() or await self._start()
            return await worker.ask(game, asked)
        except WorkerLost as error:
            _log.warning("worker lost", reason=str(error))
            self._end(worker)
            worker = None
            raise
        finally:
            self._later(self._give_back(worker))

    def _take(self) -> Process | None:
        """A worker that has nothing to do."""
        while self._idle:
            worker = self._idle.pop()
            if worker.is_running:
                return worker
            self._end(worker)
        return None

    async def _start(self) -> Process:
        worker = None if self._is_closed else await process.start()
        if worker is None or self._is_closed:
            self._end(worker)
            raise WorkerLost(text("No worker starts any more."))
        self._workers.add(worker)
        _log.info("worker started", workers=len(self._workers))
        return worker

    async def _give_back(self, worker: Process | None) -> None:
        """Let the next question have a place, and its worker, as soon as that thinks no more."""
        try:
            if worker is not None:
                await worker.settle()
                self._idle.append(worker)
        except WorkerLost:
            self._end(worker)
        finally:
            self._free.release()

    def _end(self, worker: Process | None) -> None:
        if worker is not None:
            self._workers.discard(worker)
            worker.kill()
            self._later(worker.wait())

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """End all workers, and see to it that none is left."""
        self._is_closed = True
        for worker in list(self._workers):
            self._end(worker)
        while self._tasks:
            await asyncio.wait(self._tasks)
