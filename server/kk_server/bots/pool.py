"""The worker processes in which bots think: as many as are needed, up to a limit; none at first."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import Any, Final, TypeVar

import msgspec

from kk_core.bot_names import QUICK, level_below
from kk_core.chance import SEED_BYTES, Chance
from kk_core.config import canonical_json
from kk_core.errors import BotFailed, KkError, where
from kk_core.game import AnyGame
from kk_core.reasons import system_reason
from kk_core.search import analysis
from kk_core.search.advice import Study, study_seed
from kk_core.search.analysis import MatchAnalysis
from kk_core.search.bots import allowance_of, bot, bot_kind
from kk_core.search.opponents import NOTHING, BotKnowledge
from kk_core.search.review import Expectation, Judgement
from kk_core.text import text
from kk_core.types import CommonObservation, Move
from kk_core.views import Advice, encode_observation
from kk_server.background import command_of, environment, spawn
from kk_server.bots.messages import (
    LENGTH_BYTES,
    AdviceReply,
    AdviceRequest,
    Failed,
    JudgeRequest,
    MoveReply,
    MoveRequest,
    Noted,
    Order,
    OutlookReply,
    OutlookRequest,
    Question,
    Reply,
    ReviewReply,
    ReviewRequest,
    Rules,
    Stop,
    WeighReply,
    WeighRequest,
    decode_reply,
    encode,
)
from kk_server.log import get_logger

LEAST_SECONDS: Final = 0.05
"""Minimum seconds that a bot may think, however many want to."""

SLOWEST: Final = 500
"""Simulations per second assumed when setting the time limit of a question about a match."""
LONGEST: Final = 1.0
"""Maximum seconds for such a question, since a bot may have to wait for it."""

UNHURRIED: Final = 60.0
"""Seconds for what ends only after its simulations, however many are asking: the answer is reproducible."""

_TRY_AGAIN: Final = 1.0
"""Seconds before asking such a bot again after its worker was lost."""

HUNG_AFTER: Final = 5.0
"""Seconds past its limit after which a worker counts as hung: many, since the machine may be busy."""

_STOOD_STILL: Final = 1.0
"""Seconds from which on a timer that is late shows that this process stood still."""

SETTLING: Final = 1.0
"""Seconds that a worker has to stop once its answer is no longer needed."""

_STARTING: Final = 20.0  # seconds for a worker to import the games, on a busy machine

_logger = get_logger()

T = TypeVar("T")
K = TypeVar("K")


def default_workers() -> int:
    """Return the number of processors this process may use, minus one for itself; at least one."""
    # `cpu_count` is the machine's, and a container or a service may have fewer; but macOS tells no more
    own = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, own - 1)


def share(seconds: float, asking: int, workers: int) -> float:
    """Return the seconds for a bot that wants `seconds`, when `asking` questions share the workers."""
    return max(LEAST_SECONDS, seconds * min(1.0, workers / asking))


def question(
    bot: str,
    game: AnyGame,
    observation: CommonObservation,
    known: BotKnowledge,
    seconds: float,
    *,
    seed: bytes | None = None,
    style: str | None = None,
) -> MoveRequest:
    """Return the request for a bot's move, which contains only what its seat may know.

    Its random choices follow from the `seed`, by default a new one.
    """
    head, seed = (game.meta.id, game.rules_version), seed or secrets.token_bytes(SEED_BYTES)
    values = encode_observation(observation)
    return MoveRequest(*head, bot, values, seed, seconds, known.memory, _noted(known), style)


def hint_question(
    game: AnyGame, observation: CommonObservation, known: BotKnowledge, seed: bytes, seconds: float
) -> AdviceRequest:
    """Return the request for a hint, which holds only what its seat may know."""
    head = game.meta.id, game.rules_version
    return AdviceRequest(*head, encode_observation(observation), seed, seconds, _noted(known))


def _noted(known: BotKnowledge) -> tuple[Noted, ...]:
    return tuple(
        Noted(encode_observation(seen), seat, move, events) for seen, seat, move, events in known.moves
    )


def _put(game: AnyGame, asked: analysis.Question, seconds: float) -> Question:
    key = game.meta.id, game.rules_version
    match asked:
        case analysis.ForecastQuestion(_, observations, samples, seed):
            return OutlookRequest(
                *key, [encode_observation(seen) for seen in observations], samples, seed, seconds
            )
        case analysis.JudgementQuestion(_, observation, played, depth, seed):
            return JudgeRequest(*key, encode_observation(observation), played, depth, seed, seconds)
        case analysis.ReviewQuestion(_, observation, known, played, simulations, seed):
            values = encode_observation(observation)
            return ReviewRequest(*key, values, played, simulations, seed, seconds, _noted(known))


# -- a process -----------------------------------------------------------------------------------------------


class WorkerLost(KkError):
    """A worker that cannot be used: it has not started, has died or hangs."""


class Process:
    """A running worker; `start_process` creates one. Await each reply before asking the next question."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None, "both are pipes"
        assert process.stdout is not None, "both are pipes"
        self._process = process
        self._orders, self._replies = process.stdin, process.stdout
        self._told: set[tuple[str, str]] = set()
        self._is_asked = True
        """True while it owes a reply; the first one says that it is ready."""
        self._is_killed = False
        self._reply: asyncio.Task[Reply] = asyncio.create_task(self._read())
        """The task that reads its next message; always running, so that its death is noticed at once."""

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """True unless it is known to have ended, or has sent something unasked."""
        has_ended = self._process.returncode is not None or self._replies.at_eof()
        return not has_ended and (self._is_asked or not self._reply.done())

    async def ask(self, game: AnyGame, question: Question) -> Reply:
        """Ask a question and return the reply. Raises `WorkerLost`, `BotFailed`."""
        key = game.meta.id, game.rules_version
        orders: list[Order] = [question]
        if key not in self._told:
            # once per worker and version, since rules data are larger than any question
            orders.insert(0, Rules(*key, canonical_json(game.rules_data)))
            self._told.add(key)
        self._is_asked = True
        self._send(*orders)
        reply = await self.next_reply(question.seconds + HUNG_AFTER)
        if isinstance(reply, Failed):
            raise BotFailed(text("A bot failed: {error}", error=reply.error))
        return reply

    async def settle(self) -> None:
        """Stop the question that is running, if any. Raises `WorkerLost`."""
        if self._is_asked:
            self._send(Stop())
            await self.next_reply(SETTLING)

    async def next_reply(self, seconds: float) -> Reply:
        """Return its next reply, within `seconds`. Raises `WorkerLost`."""
        loop = asyncio.get_running_loop()
        due = loop.time() + seconds
        done, _ = await asyncio.wait([self._reply], timeout=seconds)
        if not done and (stood_still := loop.time() - due) > _STOOD_STILL:
            # perhaps with the worker, and a reply that has come has not been read yet
            done, _ = await asyncio.wait([self._reply], timeout=min(stood_still, seconds))
        if not done:
            raise WorkerLost(text("A worker is stuck."))
        if self._is_killed:  # even if there was a reply: nobody reads the next one
            raise WorkerLost(text("A worker was ended."))
        reply = self._reply.result()
        self._is_asked, self._reply = False, asyncio.create_task(self._read())
        return reply

    def kill(self) -> None:
        """Kill it."""
        self._is_killed = True
        if not self._reply.cancel() and not self._reply.cancelled():
            self._reply.exception()  # nobody else retrieves it
        with suppress(ProcessLookupError):
            self._process.kill()

    async def wait(self) -> None:
        """Wait until it has ended."""
        await self._process.wait()

    def _send(self, *orders: Order) -> None:
        # not drained: a worker that does not read runs out of time for its reply
        self._orders.write(b"".join(map(encode, orders)))

    async def _read(self) -> Reply:
        try:
            head = await self._replies.readexactly(LENGTH_BYTES)
            return decode_reply(await self._replies.readexactly(int.from_bytes(head, "big")))
        except (asyncio.IncompleteReadError, OSError, msgspec.MsgspecError):
            raise WorkerLost(text("A worker has died.")) from None


async def start_process() -> Process:
    """Start a worker that is ready for its first question. Raises `WorkerLost`."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command_of("kk_server.bots.search_worker"),
            # what a third-party bot prints must not get onto the screen of `kk play`
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,  # Ctrl+C and hangups of the terminal must not reach it
            env=environment(),
        )  # fmt: skip
    except OSError as error:
        raise WorkerLost(
            text("A worker could not be started: {reason}", reason=system_reason(error))
        ) from None
    worker = Process(process)
    try:
        await worker.next_reply(_STARTING)
    except BaseException:
        worker.kill()
        await worker.wait()
        raise
    return worker


# -- all of them ---------------------------------------------------------------------------------------------


class Pool:
    """Shares worker processes among all questions: the more there are, the less time each gets."""

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
        """The process ids of the running workers."""
        return tuple(worker.pid for worker in self._workers if worker.is_running)

    async def choose(
        self,
        bot: str,
        game: AnyGame,
        observation: CommonObservation,
        known: BotKnowledge = NOTHING,
        *,
        seed: bytes | None = None,
        style: str | None = None,
    ) -> MoveReply:
        """Return a bot's move; cancel it when it is no longer needed. Raises `WorkerLost`, `BotFailed`.

        With a `seed` it has all the time its simulations take, and always makes the same move.
        """
        ask = partial(question, bot, game, observation, known, seed=seed, style=style)
        if seed is None:
            reply = await self._share(bot_kind(bot).allowance.seconds, game, ask)
        else:
            reply = await self._share(UNHURRIED, game, ask, is_shared=False)
        if isinstance(reply, MoveReply) and reply.move in observation.legal_moves:
            return reply
        raise BotFailed(text("A bot failed: {error}", error="illegal move"))

    async def study(
        self, game: AnyGame, observation: CommonObservation, known: BotKnowledge, seed: bytes
    ) -> Study:
        """Study the choice of the observation's viewer, who has seen what is `known`.

        Raises `WorkerLost`, `BotFailed`.
        """
        ask = partial(hint_question, game, observation, known, seed)
        reply = await self._share(UNHURRIED, game, ask, is_shared=False)
        if isinstance(reply, AdviceReply):
            return reply.study
        raise BotFailed(text("A bot failed: {error}", error="wrong answer"))

    async def think(self, game: AnyGame, asked: analysis.Question) -> Expectation | Judgement | None:
        """Answer a question about a match that is over. Raises `WorkerLost`, `BotFailed`."""
        # a hint of that position was not hurried either, and must not be contradicted
        is_hurried = not isinstance(asked, analysis.ReviewQuestion)
        wanted = min(LONGEST, asked.work / SLOWEST) if is_hurried else UNHURRIED
        match await self._share(wanted, game, partial(_put, game, asked), is_shared=is_hurried):
            case OutlookReply(outlook):
                return outlook
            case ReviewReply(judgement):
                return judgement
        raise BotFailed(text("A bot failed: {error}", error="wrong answer"))

    async def weigh(
        self, game: AnyGame, observation: CommonObservation, study: Study, move: Move, seed: bytes
    ) -> Judgement | None:
        """Judge a move that the observation's viewer is about to make. Raises `WorkerLost`, `BotFailed`."""

        def ask(seconds: float) -> Question:
            key, values = (game.meta.id, game.rules_version), encode_observation(observation)
            return WeighRequest(*key, values, study, move, seed, seconds)

        reply = await self._share(UNHURRIED, game, ask, is_shared=False)
        if isinstance(reply, WeighReply):
            return reply.judgement
        raise BotFailed(text("A bot failed: {error}", error="wrong answer"))

    async def _share(
        self, wanted: float, game: AnyGame, ask: Callable[[float], Question], *, is_shared: bool = True
    ) -> Reply:
        self._asking += 1
        try:
            await self._free.acquire()
            seconds = share(wanted, self._asking, self.size) if is_shared else wanted
            return await self._ask(game, ask(seconds))
        finally:
            self._asking -= 1

    async def _ask(self, game: AnyGame, asked: Question) -> Reply:
        worker, starting = self._take(), None
        try:
            if worker is None:
                # a separate task: even two cancellations must not leave half a process
                starting = asyncio.create_task(self._start())
                worker = await asyncio.shield(starting)
            return await worker.ask(game, asked)
        except WorkerLost as error:
            _logger.warning("worker lost", reason=str(error))
            self._end(worker)
            worker = starting = None
            raise
        finally:
            # later, since a stopped worker may have to finish a step; until then its place is taken
            self._later(self._give_back(worker, starting))

    def _take(self) -> Process | None:
        while self._idle:
            worker = self._idle.pop()
            if worker.is_running:
                return worker
            self._end(worker)
        return None

    async def _start(self) -> Process:
        # the pool may be closed while the process starts
        worker = None if self._is_closed else await start_process()
        if worker is None or self._is_closed:
            self._end(worker)
            raise WorkerLost(text("The worker pool is closed."))
        self._workers.add(worker)
        _logger.info("worker started", workers=len(self._workers))
        return worker

    async def _give_back(self, worker: Process | None, starting: asyncio.Task[Process] | None) -> None:
        try:
            if worker is None and starting is not None:
                worker = await starting
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
        """End all workers and wait for them."""
        self._is_closed = True
        for worker in list(self._workers):
            self._end(worker)
        while self._tasks:
            await asyncio.wait(self._tasks)


PIECE: Final = 0.4
"""Seconds after which intermediate findings are shown."""


class NoAnalysis(KkError):
    """An analysis that cannot continue now."""


class Analyst:
    """Continues the analyses of a hub, which take turns with every question."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._turn = asyncio.Semaphore(1)

    async def go_on(self, analysis: MatchAnalysis) -> None:
        """Continue an analysis for a moment; may be cancelled at any time. Raises `NoAnalysis`."""
        end = monotonic() + PIECE
        while analysis.question is not None:
            await self._step(analysis)
            if monotonic() >= end:
                return

    async def _step(self, analysis: MatchAnalysis) -> None:
        # one question at a time, so that analyses never take all workers from the bots
        async with self._turn:
            question = analysis.question
            if question is None:
                return
            try:
                analysis.take(await self._pool.think(analysis.game, question))
            except BotFailed as error:
                _logger.warning(
                    "analysis failed", game=analysis.game.meta.id, ply=question.ply, error=str(error)
                )
                analysis.take(None)
            except WorkerLost:
                raise NoAnalysis(text("The analysis was interrupted; please try again.")) from None


FALLBACK: Final = "random"
"""The bot that plays when even a quick one fails."""


REMEMBERED: Final = 256
"""Number of studies, and of moves weighed, that are kept, so that nothing is looked for twice."""


class NoHint(KkError):
    """A hint, or a comment on a move, that cannot be given now."""


class _Running:
    """A study that is under way, for as long as anybody waits for it."""

    def __init__(self, work: Coroutine[Any, Any, Study]) -> None:
        self._task = spawn(work, "study")
        self.waiting = 0

    async def wait(self) -> Study:
        """Return what is found; whoever stops waiting as the last one ends the search."""
        self.waiting += 1
        try:
            return await asyncio.shield(self._task)
        finally:
            self.waiting -= 1
            if not self.waiting:
                self._task.cancel()


class Chooser:
    """Chooses moves for all bots of a hub."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self._chance = Chance(secrets.token_bytes(SEED_BYTES))
        self._studies: dict[bytes, Study] = {}
        self._running: dict[bytes, _Running] = {}
        self._weighed: dict[tuple[bytes, Move], Judgement | None] = {}

    async def choose(
        self,
        name: str,
        game: AnyGame,
        observation: CommonObservation,
        known: BotKnowledge = NOTHING,
        *,
        seed: bytes | None = None,
        style: str | None = None,
    ) -> MoveReply:
        """Return a legal move, whatever happens to the bot; cancel it when it is no longer needed.

        With a `seed` it is always the same one.
        """
        # a forced move needs no thinking, and quick bots need no separate process
        while name not in QUICK and len(observation.legal_moves) > 1:
            try:
                return await self.pool.choose(name, game, observation, known, seed=seed, style=style)
            except KkError as error:
                _logger.warning("bot failed", bot=name, game=game.meta.id, error=str(error))
                if seed is not None and isinstance(error, WorkerLost):
                    await asyncio.sleep(_TRY_AGAIN)  # another bot would change the match
                else:
                    # a weaker bot needs less time and may do without what failed
                    name = level_below(name)
        chance = self._chance if seed is None else Chance(seed)
        return MoveReply(self._choose_here(name, game, observation, chance, style), known.memory)

    async def advise(
        self, game: AnyGame, observation: CommonObservation, known: BotKnowledge = NOTHING
    ) -> tuple[Advice, ...]:
        """Return the best moves for the observation's viewer, who has seen what is `known`.

        Returns none if there is no choice. Raises `NoHint`.
        """
        return (await self._study(game, observation, known)).moves

    async def study_ahead(self, game: AnyGame, observation: CommonObservation, known: BotKnowledge) -> None:
        """Find out what hint and coach will be asked for, while the viewer thinks."""
        with suppress(NoHint):  # whoever asks hears why
            await self._study(game, observation, known)

    async def _study(self, game: AnyGame, observation: CommonObservation, known: BotKnowledge) -> Study:
        if len(observation.legal_moves) < 2:
            return Study()
        key = study_seed(game, observation, known)
        if key in self._studies:
            return self._studies[key]
        running = self._running.get(key)
        if running is None:
            running = self._running[key] = _Running(self.pool.study(game, observation, known, key))
        try:
            study = await running.wait()
        except KkError as error:
            _logger.warning("no hint", game=game.meta.id, error=str(error))
            raise NoHint(text("Couldn't find a hint; please try again.")) from None
        finally:
            if not running.waiting and self._running.get(key) is running:
                del self._running[key]
        _keep(self._studies, key, study)
        return study

    async def weigh(
        self, game: AnyGame, observation: CommonObservation, move: Move, known: BotKnowledge = NOTHING
    ) -> Judgement | None:
        """Judge a move that the observation's viewer is about to make, beside the best one of a hint.

        None if it is not a serious mistake, or there is no other move. Raises `NoHint`.
        """
        if len(observation.legal_moves) < 2:
            return None
        study, seed = await self._study(game, observation, known), study_seed(game, observation, known)
        key = seed, move
        if key not in self._weighed:
            try:
                judgement = await self.pool.weigh(game, observation, study, move, seed)
            except KkError as error:
                _logger.warning("move not weighed", game=game.meta.id, error=str(error))
                raise NoHint(text("The coach couldn't check this move.")) from None
            _keep(self._weighed, key, judgement)
        return self._weighed[key]

    def _choose_here(
        self, name: str, game: AnyGame, observation: CommonObservation, chance: Chance, style: str | None
    ) -> Move:
        if len(observation.legal_moves) == 1:
            return observation.legal_moves[0]
        try:
            move = _move_of(name, game, observation, chance, style)
            if move in observation.legal_moves:
                return move
            _logger.warning("bot failed", bot=name, game=game.meta.id, error="illegal move")
        except Exception as error:  # whatever a bot does wrong, the match must continue
            _logger.warning("bot failed", bot=name, game=game.meta.id, error=where(error))
        return _move_of(FALLBACK, game, observation, chance)


def _move_of(
    name: str, game: AnyGame, observation: CommonObservation, chance: Chance, style: str | None = None
) -> Move:
    return bot(name, game, style).choose(observation, chance, allowance_of(name, game.meta.id).budget())


def _keep(known: dict[K, T], key: K, answer: T) -> None:
    if len(known) >= REMEMBERED:
        # the oldest one, since dicts keep insertion order
        del known[next(iter(known))]
    known[key] = answer
