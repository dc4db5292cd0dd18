"""`kk bot`: seats a program of any language at somebody's table; it is asked in lines of JSON."""

from __future__ import annotations

import asyncio
import shlex
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from hashlib import sha256
from typing import Final, NamedTuple

import platformdirs
import typer

from kk_core.text import text
from kk_core.wire.link import ClientLink
from kk_tui import remote
from kk_tui.own_keys import made_key
from server import log
from server.commands import Usage
from server.commands.address import Address, parse_address
from server.commands.language import note
from server.robot import program as programs
from server.robot.claims import Claims
from server.robot.player import Player
from server.robot.program import Program
from server.robot.visit import Visit

_ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Whither(NamedTuple):
    """Where to sit down: at the table of an identifier, or of an invitation, or at any that has a free seat;
    otherwise only where one sits already.
    """

    table: str | None
    code: str | None
    at_any: bool = False


def run(address: str, command: str, whither: Whither, patience: float) -> None:
    """Sit down at a server and play one match, under a name and a key that are the program's.

    The program has `patience` seconds for an answer. Raises `Failure`, or `KkError` when nobody answers.
    """
    named = {"--table": whither.table, "--join": whither.code, "--any": whither.at_any}
    said = [option for option, value in named.items() if value]
    if len(said) > 1:
        raise Usage(
            text("{one} and {other} both say where to go: leave one of them out.", one=said[0], other=said[1])
        )
    place = parse_address(address, own="{user}-bot")
    try:
        words = shlex.split(command)
    except ValueError:
        raise Usage(text("--command: a quotation mark is not closed.")) from None
    if not words:
        raise Usage(text("--command names no program."))
    log.silence()
    stopped_by = asyncio.run(_until_stopped(place, words, whither, patience))
    if stopped_by is not None:
        raise typer.Exit(128 + stopped_by)


async def _until_stopped(place: Address, words: list[str], whither: Whither, patience: float) -> int | None:
    """Play to the end, or until a signal says that it is enough; gives that signal."""
    loop, stopped = asyncio.get_running_loop(), list[int]()
    playing = asyncio.create_task(_play(place, words, whither, patience))

    def stop(number: int) -> None:
        stopped.append(number)
        playing.cancel()

    for number in _ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, stop, number)
    await asyncio.wait([playing])
    if playing.cancelled():
        return stopped[0]
    playing.result()
    return None


async def _play(place: Address, words: list[str], whither: Whither, patience: float) -> None:
    own = made_key(f"bot-{sha256(place.user.encode()).hexdigest()[:16]}")
    claims = Claims(platformdirs.user_data_path("kk", appauthor=False) / "seats")
    news = asyncio.Event()

    async def connect() -> ClientLink:
        link = await remote.connect(*place, own=own)
        if link.first_key is not None:
            where = f"{place.host}:{place.port}"
            note(text("First visit to {where}. Its key is {key}", where=where, key=link.first_key))
        return link

    async with _running(words, news.set) as program, _visiting(Visit(connect, news.set, note)) as visit:
        note(text("Connected to {where} as {user}.", where=f"{place.host}:{place.port}", user=visit.user))
        await Player(visit, program, news, claims, patience, note).play(*whither)


@asynccontextmanager
async def _running(words: list[str], changed: Callable[[], object]) -> AsyncIterator[Program]:
    program = await programs.start(words, changed)
    try:
        yield program
    finally:
        await program.end()


@asynccontextmanager
async def _visiting(visit: Visit) -> AsyncIterator[Visit]:
    await visit.begin()
    try:
        yield visit
    finally:
        await visit.close()
