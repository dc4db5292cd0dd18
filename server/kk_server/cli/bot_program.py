"""A program in any language as a subprocess that reads and writes lines."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

import msgspec

from kk_core.errors import InvalidMove
from kk_core.game import AnyGame
from kk_core.reasons import system_reason
from kk_core.registry import game, part_of
from kk_core.text import Text, quoted, text
from kk_core.types import CommonObservation, Move, Seat
from kk_core.views import MatchView, TableView
from kk_server.cli import Failure

_LONGEST_LINE: Final = 1 << 20
_PATIENCE: Final = 5.0
"""Seconds that a program has to end by itself."""

_SETTLING: Final = 1.0
"""Seconds to wait for the exit status after a process was killed or has closed its output."""


class ProgramLost(Exception):
    """A program that has stopped writing or reading; `how` is the first half of a sentence about it."""

    def __init__(self, how: Text) -> None:
        super().__init__(str(how))
        self.how = how


class Program:
    """A running program; `start` creates one."""

    def __init__(self, transport: asyncio.SubprocessTransport, pipes: _Pipes) -> None:
        self._transport = transport
        self._pipes = pipes

    @property
    def has_ended(self) -> bool:
        """True once it writes nothing any more."""
        return not self._pipes.speaks

    def check(self) -> None:
        """Make sure that it has written nothing unasked. Raises `Failure`."""
        if (unasked := self._pipes.take_line()) is not None:
            line = shown(unasked)
            raise Failure(text("The program wrote {line} without being asked for a move.", line=line))

    async def ask(self, question: bytes, seconds: float) -> bytes:
        """Return its answer to a line, within so many seconds. Raises `ProgramLost`, `Failure`."""
        self.check()
        if not self._pipes.hears:
            raise ProgramLost(await self._fate(text("The program has closed its standard input")))
        self.tell(question)
        try:
            async with asyncio.timeout(seconds):
                await self._pipes.until_said()
        except TimeoutError:
            limit = f"{seconds:g}"
            raise Failure(
                text("The program gave no answer within {n} seconds (--patience).", n=limit)
            ) from None
        if (answer := self._pipes.take_line()) is not None:
            return answer
        if self._pipes.speaks:
            raise Failure(text("The program's answer is too long."))
        raise await self.lost()

    def tell(self, line: bytes) -> None:
        """Write a line that needs no answer, if it still reads."""
        if self._pipes.hears:
            self._stdin.write(line + b"\n")

    async def lost(self) -> ProgramLost:
        """Return the error for a program that writes nothing any more."""
        return ProgramLost(await self._fate(text("The program has closed its standard output")))

    async def end(self) -> None:
        """Close its input; if it does not end then, kill it with everything it has started.

        It gets no time for that if the task was cancelled twice.
        """
        self._pipes.discard()
        self._stdin.close()
        # cancelling twice means that somebody pressed Ctrl+C again
        task = asyncio.current_task()
        try:
            await self._pipes.wait(0 if task is not None and task.cancelling() > 1 else _PATIENCE)
        finally:
            with suppress(ProcessLookupError, PermissionError):
                # its session of its own is a process group as well, with everything that it has started
                os.killpg(self._transport.get_pid(), signal.SIGKILL)
            await self._pipes.wait(_SETTLING)
            self._transport.close()

    async def _fate(self, otherwise: Text) -> Text:
        await self._pipes.wait(_SETTLING)
        status = self._transport.get_returncode()
        if status is None:
            return otherwise
        if status >= 0:
            return text("The program exited with status {status}", status=status)
        return text("The program was killed by signal {number}", number=-status)

    @property
    def _stdin(self) -> asyncio.WriteTransport:
        stdin: Any = self._transport.get_pipe_transport(0)
        return stdin  # type: ignore[no-any-return]


async def start(words: Sequence[str], changed: Callable[[], object]) -> Program:
    """Start a program; `changed` is called whenever something is heard of it. Raises `Failure`."""
    try:
        transport, pipes = await asyncio.get_running_loop().subprocess_exec(
            lambda: _Pipes(changed), *words,
            stderr=None,  # ours
            start_new_session=True,  # Ctrl+C and hangups of the terminal must not reach it
        )  # fmt: skip
    except OSError as error:
        raise Failure(
            text("{program}: {reason}", program=quoted(words[0]), reason=system_reason(error))
        ) from None
    return Program(transport, pipes)


def shown(line: bytes) -> str:
    """Format a line of a program for an error message."""
    return quoted(line.decode(errors="replace").strip())


class _Pipes(asyncio.SubprocessProtocol):
    """The output of the process, buffered up to one longest line."""

    def __init__(self, changed: Callable[[], object]) -> None:
        self.hears = self.speaks = True
        self._changed = changed
        self._said = bytearray()
        self._is_heeded = True
        self._moved = asyncio.Event()
        self._has_ended = asyncio.Event()
        self._stdout: asyncio.ReadTransport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.SubprocessTransport), "it is one of a process"
        stdout: Any = transport.get_pipe_transport(1)
        self._stdout = stdout

    def pipe_data_received(self, _fd: int, data: bytes) -> None:
        self._said += data
        if self._is_full and self._is_heeded:
            # nobody has asked for so much: let the pipe fill up
            self._stdout.pause_reading()
        elif self._is_full:
            self._stdout.close()
        self._tell()

    def pipe_connection_lost(self, fd: int, _exc: Exception | None) -> None:
        if fd == 0:
            self.hears = False
        else:
            self.speaks = False
        self._tell()

    def process_exited(self) -> None:
        self._has_ended.set()
        self._tell()

    def take_line(self) -> bytes | None:
        """Return the next whole line, if there is one."""
        line, end, rest = self._said.partition(b"\n")
        if not end:
            return None
        self._said = rest
        return bytes(line)

    async def until_said(self) -> None:
        """Wait for a whole line, or until there can be none."""
        while self.speaks and b"\n" not in self._said and not self._is_full:
            self._moved.clear()
            await self._moved.wait()

    async def wait(self, seconds: float) -> None:
        """Wait until the process has ended, at most so many seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._has_ended.wait()

    def discard(self) -> None:
        """Ignore everything it writes from now on."""
        self._is_heeded = False
        self._said.clear()
        # a process that writes into a full pipe does not end
        self._stdout.resume_reading()

    @property
    def _is_full(self) -> bool:
        return len(self._said) > _LONGEST_LINE

    def _tell(self) -> None:
        self._moved.set()
        self._changed()


def rules_of(match: MatchView) -> AnyGame:
    """Return the game, if it has the same rules data here as on the server. Raises `Failure`."""
    rules = game(match.game)
    if rules.rules_version != match.rules_version:
        raise Failure(
            text("The server plays {game} with different cards or a different map.", game=rules.meta.name)
        )
    return rules


def observed(match: MatchView) -> CommonObservation:
    """Return the observation in a match view, in the shape of its game."""
    observation: CommonObservation = match.observed(part_of(match.game, "model").Observation)
    return observation


def question(rules: AnyGame, table: TableView, match: MatchView, seat: Seat) -> bytes:
    """Encode everything that a person on this seat sees as a line of JSON, bytes as lists of numbers."""
    observation = observed(match)
    told = {
        "game": rules.meta.id,
        "options": dict(table.options),
        "names": [holder.name for holder in table.seats],
        "seat": seat,
        "ply": match.ply,
        "is_over": observation.outcome is not None,
        "points": list(observation.points),
        "moves": {rules.format_move(move): move for move in observation.legal_moves},
        "observation": _plain(observation),
    }
    return msgspec.json.encode(told)


def _plain(value: Any) -> Any:
    if isinstance(value, msgspec.Struct):
        return {name: _plain(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, bytes):
        return list(value)
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    return value


def move_of(rules: AnyGame, line: bytes, observation: CommonObservation) -> Move:
    """Parse the move in a program's answer, by its number or its words. Raises `Failure`."""
    try:
        answer = msgspec.json.decode(line, type=int | str)
        move = rules.parse_move(answer) if isinstance(answer, str) else answer
    except (msgspec.MsgspecError, UnicodeDecodeError, InvalidMove):
        raise Failure(
            text(
                "The program answered {line}, which is not one of its moves: answer with a move's "
                "number, or its words in double quotes.",
                line=shown(line),
            )
        ) from None
    if move not in observation.legal_moves:
        raise Failure(text("The program chose {move}, which is not possible now.", move=shown(line)))
    return move
