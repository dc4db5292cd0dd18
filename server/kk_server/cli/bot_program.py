"""A program of any language as a process: lines go in, lines come out, and it comes to its end."""

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
from kk_core.protocol.views import MatchView, TableView
from kk_core.registry import game, part_of
from kk_core.text import Text, quoted, text
from kk_core.types import CommonObservation, Move, Seat
from kk_server.cli import Failure

_LONGEST_LINE: Final = 1 << 20
_PATIENCE: Final = 5.0
"""Seconds that a program has to end when nobody needs it any more."""

_SETTLING: Final = 1.0
"""Seconds in which the end of a process is known, once it was killed or has closed its output."""


class ProgramLost(Exception):
    """A program that says or hears nothing any more; `how` is a sentence that leaves open when."""

    def __init__(self, how: Text) -> None:
        super().__init__(str(how))
        self.how = how


class Program:
    """A running program; `start` makes one."""

    def __init__(self, transport: asyncio.SubprocessTransport, pipes: _Pipes) -> None:
        self._transport = transport
        self._pipes = pipes

    @property
    def has_ended(self) -> bool:
        """Whether it says nothing any more."""
        return not self._pipes.speaks

    def check(self) -> None:
        """Nothing may be said before a question. Raises `Failure`."""
        if (unasked := self._pipes.take_line()) is not None:
            line = shown(unasked)
            raise Failure(text("The program writes {line} without being asked for a move.", line=line))

    async def ask(self, question: bytes, seconds: float) -> bytes:
        """The line that it answers within so many seconds to a line. Raises `ProgramLost`, or `Failure`."""
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
            raise Failure(text("The answer of the program is too long."))
        raise await self.lost()

    def tell(self, line: bytes) -> None:
        """Say something that wants no answer, if it still hears."""
        if self._pipes.hears:
            self._stdin.write(line + b"\n")

    async def lost(self) -> ProgramLost:
        """What has become of a program that says nothing any more."""
        return ProgramLost(await self._fate(text("The program has closed its standard output")))

    async def end(self) -> None:
        """Let it read that there is nothing more; if it does not go then, kill it with all it has started.

        It has no time for that where the task was cancelled twice.
        """
        self._pipes.discard()
        self._stdin.close()
        task = asyncio.current_task()
        try:
            await self._pipes.wait(0 if task is not None and task.cancelling() > 1 else _PATIENCE)
        finally:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._transport.get_pid(), signal.SIGKILL)
            await self._pipes.wait(_SETTLING)
            self._transport.close()

    async def _fate(self, otherwise: Text) -> Text:
        await self._pipes.wait(_SETTLING)
        status = self._transport.get_returncode()
        if status is None:
            return otherwise
        if status >= 0:
            return text("The program has ended with exit status {status}", status=status)
        return text("The program was ended by the signal {number}", number=-status)

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
            start_new_session=True,  # what is typed or hung up at the terminal is not for it
        )  # fmt: skip
    except OSError as error:
        raise Failure(
            text("{program}: {reason}", program=quoted(words[0]), reason=error.strerror or "")
        ) from None
    return Program(transport, pipes)


def shown(line: bytes) -> str:
    """A line of a program as sentences repeat it."""
    return quoted(line.decode(errors="replace").strip())


class _Pipes(asyncio.SubprocessProtocol):
    """What comes from the process, not more than fits one line."""

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
        """The next line that was said, if it is whole."""
        line, end, rest = self._said.partition(b"\n")
        if not end:
            return None
        self._said = rest
        return bytes(line)

    async def until_said(self) -> None:
        """Wait for a whole line, or for what makes that one will never come."""
        while self.speaks and b"\n" not in self._said and not self._is_full:
            self._moved.clear()
            await self._moved.wait()

    async def wait(self, seconds: float) -> None:
        """Until the process has ended, but only so long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._has_ended.wait()

    def discard(self) -> None:
        """From now on heed nothing, and do not read for ever: who writes into a full pipe does not end."""
        self._is_heeded = False
        self._said.clear()
        self._stdout.resume_reading()

    @property
    def _is_full(self) -> bool:
        return len(self._said) > _LONGEST_LINE

    def _tell(self) -> None:
        self._moved.set()
        self._changed()


def rules_of(match: MatchView) -> AnyGame:
    """The game here, if it is the one that is played there. Raises `Failure`."""
    rules = game(match.game)
    if rules.rules_version != match.rules_version:
        raise Failure(
            text("There, {game} is played by other cards or another map than here.", game=rules.meta.name)
        )
    return rules


def observed(match: MatchView) -> CommonObservation:
    """What the viewer of a match sees, in the shape of its game."""
    observation: CommonObservation = match.observed(part_of(match.game, "model").Observation)
    return observation


def question(rules: AnyGame, table: TableView, match: MatchView, seat: Seat) -> bytes:
    """A line that has all that a person on its seat sees, bytes as lists of numbers."""
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
    """A value as JSON has it: structs by the names of their fields."""
    if isinstance(value, msgspec.Struct):
        return {name: _plain(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, bytes):
        return list(value)
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    return value


def move_of(rules: AnyGame, line: bytes, observation: CommonObservation) -> Move:
    """The move that a program's line names, by its number or its words. Raises `Failure`."""
    try:
        answer = msgspec.json.decode(line, type=int | str)
        move = rules.parse_move(answer) if isinstance(answer, str) else answer
    except (msgspec.MsgspecError, UnicodeDecodeError, InvalidMove):
        raise Failure(
            text(
                "The program answers {line}, which is none of its moves: their numbers are answers, or their "
                "words in double quotes.",
                line=shown(line),
            )
        ) from None
    if move not in observation.legal_moves:
        raise Failure(text("The program chooses {move}, which is not possible now.", move=shown(line)))
    return move
