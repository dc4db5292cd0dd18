"""A worker process as the hub sees it, which is asked one thing at a time."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

import msgspec

from kk_core.config import canonical_json
from kk_core.errors import BotFailed, KkError
from kk_core.game import AnyGame
from kk_core.text import text
from kk_server.bots.messages import (
    LENGTH_BYTES,
    Failed,
    Order,
    Question,
    Reply,
    Rules,
    Stop,
    decode_reply,
    encode,
)
from kk_server.child import command_of, environment

GRACE: Final = 5.0
"""Seconds past its limit after which a worker counts as hung: many, since the machine may be busy."""

SETTLING: Final = 1.0
"""Seconds that a worker has to stop once its answer is no longer needed."""

_STARTING: Final = 20.0  # seconds for a worker to import the games, on a busy machine


class WorkerLost(KkError):
    """A worker that cannot be used: it has not started, has died or hangs."""


class Process:
    """A running worker; `start` creates one. Await each reply before asking the next question."""

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
        """True unless it is known to have ended, or has said something unasked."""
        has_ended = self._process.returncode is not None or self._replies.at_eof()
        return not has_ended and (self._is_asked or not self._reply.done())

    async def ask(self, game: AnyGame, question: Question) -> Reply:
        """Ask a question and return the reply. Raises `WorkerLost`, `BotFailed`."""
        key = game.meta.id, game.rules_version
        orders: list[Order] = [question]
        if key not in self._told:
            # once per worker and version: rules data are larger than any question
            orders.insert(0, Rules(*key, canonical_json(game.rules_data)))
            self._told.add(key)
        self._is_asked = True
        self._send(*orders)
        reply = await self.next_reply(question.seconds + GRACE)
        if isinstance(reply, Failed):
            raise BotFailed(text("A bot failed: {error}", error=reply.error))
        return reply

    async def settle(self) -> None:
        """Stop the question that is running, if any. Raises `WorkerLost`."""
        if self._is_asked:
            self._send(Stop())
            await self.next_reply(SETTLING)

    async def next_reply(self, seconds: float) -> Reply:
        """Return its next reply, within so many seconds. Raises `WorkerLost`."""
        done, _ = await asyncio.wait([self._reply], timeout=seconds)
        if not done:
            raise WorkerLost(text("A worker hangs."))
        if self._is_killed:  # even if a reply was there before: nobody would read on
            raise WorkerLost(text("A worker was ended."))
        reply = self._reply.result()
        self._is_asked, self._reply = False, asyncio.create_task(self._read())
        return reply

    def kill(self) -> None:
        """Kill it."""
        self._is_killed = True
        if not self._reply.cancel() and not self._reply.cancelled():
            self._reply.exception()  # nobody waits for it any more
        with suppress(ProcessLookupError):
            self._process.kill()

    async def wait(self) -> None:
        """Wait until it has ended."""
        await self._process.wait()

    def _send(self, *orders: Order) -> None:
        self._orders.write(b"".join(map(encode, orders)))

    async def _read(self) -> Reply:
        try:
            head = await self._replies.readexactly(LENGTH_BYTES)
            return decode_reply(await self._replies.readexactly(int.from_bytes(head, "big")))
        except (asyncio.IncompleteReadError, OSError, msgspec.MsgspecError):
            raise WorkerLost(text("A worker has died.")) from None


async def start() -> Process:
    """Start a worker that is ready for its first question. Raises `WorkerLost`."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command_of("kk_server.bots.search_worker"),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,  # Ctrl+C and hangups of the terminal must not reach it
            env=environment(),
        )  # fmt: skip
    except OSError as error:
        raise WorkerLost(text("A worker does not start: {reason}", reason=error.strerror or "")) from None
    worker = Process(process)
    try:
        await worker.next_reply(_STARTING)
    except BaseException:
        worker.kill()
        await worker.wait()
        raise
    return worker
