"""`kk bot`: seats a program of any language at somebody's table; it is asked in lines of JSON."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Any, Final

import msgspec

from kk_core.errors import InvalidMove
from kk_core.game import AnyGame
from kk_core.registry import game, part_of
from kk_core.text import quoted, text
from kk_core.types import Move, Observation, Seat
from kk_core.wire.messages import PROTOCOL_VERSION, GoTo, Hello, Play, TakeSeat
from kk_core.wire.views import LobbyView, MatchView, SeatView, TableView, decode_place
from kk_tui import remote
from kk_tui.client import Client, Refusal
from kk_tui.own_keys import made_key
from server import log
from server.commands import Failure, Usage
from server.commands.address import parse_address

_LONGEST_LINE: Final = 1 << 20
_PATIENCE: Final = 5.0
"""Seconds that a program has to end when its match is over."""


def run(address: str, command: str, table: str | None) -> None:
    """Sit down at a server and play one match, under a name and a key that are the program's.

    Raises `Failure`, or `KkError` when nobody answers.
    """
    place = parse_address(address)
    try:
        words = shlex.split(command)
    except ValueError:
        raise Usage(text("--command: a quotation mark is not closed.")) from None
    if not words:
        raise Usage(text("--command names no program."))
    log.silence()
    own = made_key(f"bot-{sha256(place.user.encode()).hexdigest()[:16]}")
    asyncio.run(_run(lambda: remote.connect(*place, own=own), words, table))


async def _run(connect: Callable[[], Awaitable[Any]], words: list[str], table: str | None) -> None:
    program = await _start(words)
    try:
        changed = asyncio.Event()
        client = Client(await connect(), changed=changed.set, noticed=lambda *_: None)
        running = asyncio.create_task(client.run())
        running.add_done_callback(lambda _: changed.set())
        try:
            await client.request(lambda n: Hello(n, PROTOCOL_VERSION))
            await _Guest(client, running, changed, program).play(table)
        finally:
            await client.close()
            await asyncio.wait([running])
    finally:
        await _end(program)


async def _start(words: list[str]) -> asyncio.subprocess.Process:
    pipe = asyncio.subprocess.PIPE
    try:
        return await asyncio.create_subprocess_exec(*words, stdin=pipe, stdout=pipe, limit=_LONGEST_LINE)
    except OSError as error:
        raise Failure(
            text("{program}: {reason}", program=quoted(words[0]), reason=error.strerror or "")
        ) from None


async def _end(program: asyncio.subprocess.Process) -> None:
    """It has read that there is nothing more; who does not go then is made to."""
    assert program.stdin is not None, "it was started with a pipe"
    program.stdin.close()
    try:
        async with asyncio.timeout(_PATIENCE):
            await program.wait()
    except TimeoutError:
        with suppress(ProcessLookupError):
            program.kill()
        await program.wait()


class _Guest:
    """Follows a table through a client, and asks the program whenever it is its turn."""

    def __init__(
        self,
        client: Client,
        running: asyncio.Task[Any],
        changed: asyncio.Event,
        program: asyncio.subprocess.Process,
    ) -> None:
        self._client, self._running, self._changed = client, running, changed
        self._program = program

    async def play(self, wanted: str | None) -> None:
        """Take a seat, and make its moves until the match is over."""
        seat = await self._sit_down(wanted)
        while True:
            table = await self._table_where(lambda table: table.match is not None and _wants(table))
            match = table.match
            assert match is not None, "it was waited for"
            seat = table.viewer if table.viewer is not None else seat
            rules = _rules_of(match)
            observation = match.observed(part_of(match.game, "model").Observation)
            if observation.outcome is not None:
                await self._tell(_question(rules, table, observation))
                return
            move = await self._ask(rules, table, observation)
            await self._client.request(lambda n, s=seat, p=match.ply, m=move: Play(n, s, p, m))  # type: ignore[misc]
            await self._table_where(lambda now, ply=match.ply: now.match is None or now.match.ply > ply)  # type: ignore[misc]

    async def _sit_down(self, wanted: str | None) -> Seat:
        """At the table of an identifier, or the first one with a free seat, as soon as there is one."""
        if wanted is not None:
            return await self._take_seat(wanted)
        while True:
            with suppress(Refusal, Failure):  # somebody else was quicker
                return await self._take_seat(await self._free_table())
            await self._client.request(lambda n: GoTo(n, None))

    async def _take_seat(self, table: str) -> Seat:
        await self._client.request(lambda n: GoTo(n, table))
        there = await self._table_where(lambda now: now.id == table)
        seat = _free_seat(there.seats)
        if seat is None:
            raise Failure(text("At the table {table} no seat is free.", table=quoted(table)))
        await self._client.request(lambda n: TakeSeat(n, seat))
        return seat

    async def _free_table(self) -> str:
        while True:
            place = await self._place()
            if isinstance(place, LobbyView):
                for line in place.tables:
                    if line.phase == "open" and _free_seat(line.seats) is not None:
                        return line.id
            await self._next()

    async def _table_where(self, condition: Callable[[TableView], bool]) -> TableView:
        while True:
            place = await self._place()
            if isinstance(place, TableView) and condition(place):
                return place
            await self._next()

    async def _place(self) -> TableView | LobbyView:
        while self._client.tree is None:
            await self._next()
        return decode_place(self._client.tree)

    async def _next(self) -> None:
        if self._running.done():
            raise Failure(self._running.result())
        await self._changed.wait()
        self._changed.clear()

    async def _ask(self, rules: AnyGame, table: TableView, observation: Observation) -> Move:
        assert self._program.stdout is not None, "it was started with a pipe"
        await self._tell(_question(rules, table, observation))
        try:
            line = await self._program.stdout.readline()
        except ValueError:
            raise Failure(text("The answer of the program is too long.")) from None
        if not line:
            raise Failure(text("The program has ended before the match."))
        return _move_of(rules, line, observation)

    async def _tell(self, question: dict[str, Any]) -> None:
        assert self._program.stdin is not None, "it was started with a pipe"
        try:
            self._program.stdin.write(msgspec.json.encode(question) + b"\n")
            await self._program.stdin.drain()
        except ConnectionError:
            raise Failure(text("The program has ended before the match.")) from None


def _free_seat(seats: Sequence[SeatView]) -> Seat | None:
    return next((seat for seat, holder in enumerate(seats) if not (holder.owner or holder.bot)), None)


def _wants(table: TableView) -> bool:
    """Whether the program has something to read: its turn, or the end."""
    assert table.match is not None, "asked only of a match"
    observation = table.match.observed(part_of(table.match.game, "model").Observation)
    return bool(observation.legal_moves) or observation.outcome is not None


def _rules_of(match: MatchView) -> AnyGame:
    """The game here, if it is the one that is played there. Raises `Failure`."""
    rules = game(match.game)
    if rules.rules_version != match.rules_version:
        raise Failure(
            text("There, {game} is played by other cards or another map than here.", game=rules.meta.name)
        )
    return rules


def _question(rules: AnyGame, table: TableView, observation: Observation) -> dict[str, Any]:
    """What the program is told: all that a person on its seat sees, bytes as lists of numbers."""
    assert table.match is not None, "asked only of a match"
    moves = {rules.format_move(move): move for move in observation.legal_moves}
    return {
        "game": rules.meta.id,
        "options": dict(table.options),
        "names": [seat.name for seat in table.seats],
        "seat": table.viewer,
        "ply": table.match.ply,
        "is_over": observation.outcome is not None,
        "points": list(observation.points),
        "moves": moves,
        "observation": _plain(observation),
    }


def _plain(value: Any) -> Any:
    """A value as JSON has it: structs by the names of their fields."""
    if isinstance(value, msgspec.Struct):
        return {name: _plain(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, bytes):
        return list(value)
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    return value


def _move_of(rules: AnyGame, line: bytes, observation: Observation) -> Move:
    """The move that a program's line names, by its number or its words. Raises `Failure`."""
    try:
        answer = msgspec.json.decode(line, type=int | str)
        move = rules.parse_move(answer) if isinstance(answer, str) else answer
    except (msgspec.MsgspecError, UnicodeDecodeError, InvalidMove):
        shown = quoted(line.decode(errors="replace").strip())
        raise Failure(text("The program answers {line}, which is no move.", line=shown)) from None
    if move not in observation.legal_moves:
        raise Failure(text("The program chooses {move}, which is not possible now.", move=str(answer)))
    return move
