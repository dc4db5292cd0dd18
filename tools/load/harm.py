"""Honest people during an attack: `python -m tools.load.harm [--attacks noise,held]`.

Starts a fresh `kk serve` on loopback with its default limits for every attack (`tools.load.attacks`). Two
honest people play a match, with a move every 100 ms; prints milliseconds from a move to the other's copy of
the table, without and during the attack, and the load on the server. Meanwhile somebody logs in every half
second, from elsewhere and from the attacker's address: milliseconds, and how many of them succeeded. With
`--lobby N` that many people are in the lobby with terminals, every other one in a browser where the attack
comes through its door, and press a key every two seconds: milliseconds to the next bytes there. Where an
attack ends without a result, nothing was measured: that is said, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any, Final

import asyncssh

from kk_core.protocol.messages import PROTOCOL_VERSION, GoTo, Hello, Join, OpenTable
from tests.server.client import Client
from tests.server.remote import RemoteLink, dial
from tools.load.attacks import ADDRESS, ATTACKS, THROUGH_THE_PAGE
from tools.load.browser import Browser
from tools.load.evening import Seen as Typed
from tools.load.evening import in_the_lobby, press
from tools.load.hosted import Hosted, errors_in, hosted
from tools.load.lateness import free_port, within
from tools.load.person import Person, in_turns

_FILES: Final = 200
"""Files that the server may open during an attack that exhausts them."""

_PAUSE: Final = 0.1
KEYS: Final = ("\x1b[C", "\x1b[D")
"""Keys that do and undo something on every screen."""

_KEYS_APART: Final = 2.0
_SIZE: Final = (80, 24)
_KNOCKS_APART: Final = 0.5
_LOGIN: Final = 5.0
"""Seconds after which somebody gives up logging in."""

_NOTHING: Final = "Nothing was measured: the attack ended without a result."

_ELSEWHERE: Final = ("127.0.5.1", "127.0.5.2", "127.0.5.3")


@dataclass
class Seen:
    """Measurements over a period: seconds, maximum MiB, and failed logins."""

    moves: list[float] = field(default_factory=list)
    keys: list[float] = field(default_factory=list)
    logins: list[float] = field(default_factory=list)
    same: list[float] = field(default_factory=list)
    failed: int = 0
    same_failed: int = 0
    memory: float = 0.0
    spent: float = 0.0


class Pair:
    """Two people at a table, who make moves whenever they are asked to."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._clients: list[Client] = []
        self.code = ""

    async def come(self) -> None:
        """Log in and sit down."""
        for name, address in zip(("anna", "beate"), _ELSEWHERE, strict=False):
            connection = await dial(self._port, name, address=address)
            process: Any = await connection.create_process(subsystem="kk-sync", encoding=None)
            self._clients.append(Client(RemoteLink(connection, process)))
            await self._clients[-1].ask(Hello, PROTOCOL_VERSION)
        await self._look()
        await self.begin()

    async def _look(self) -> None:
        """Open a terminal once, since the first screen of a server takes longer than all others."""
        async with await dial(self._port, "anna", address=_ELSEWHERE[0]) as connection:
            process: Any = await connection.create_process(
                encoding=None, term_type="xterm-256color", term_size=(80, 24)
            )
            await process.stdout.read(65536)

    async def begin(self) -> None:
        """Begin a match at a new table."""
        anna, beate = self._clients
        await anna.do(OpenTable, "land_cards", {}, 3, "", False, True)
        self.code = anna.table.code or ""
        await beate.do(Join, self.code)
        await anna.sit(0, 2)
        await beate.sit(1)
        await anna.start()

    async def move(self) -> float:
        """Make a move, in a new match if necessary; return the seconds until the other has it."""
        anna, beate = self._clients
        if anna.observation.outcome is not None:
            for client in self._clients:
                await client.do(GoTo, None)
            await self.begin()
        seat = anna.observation.active[0]
        mover, other = (beate, anna) if seat == 1 else (anna, beate)
        await mover.look(seat)
        ply, move = mover.match.ply, mover.observation.legal_moves[0]
        begun = perf_counter()
        await mover.play(seat, move)
        await other.until(lambda client: client.match.ply > ply)
        took = perf_counter() - begun
        await mover.until(lambda client: client.match.ply > ply)
        return took


async def watch(
    server: Hosted, pair: Pair, lobby: Sequence[Person], until: asyncio.Future[Any] | asyncio.Task[Any]
) -> Seen:
    """Play, press keys and log in until something is done; return the measurements."""
    seen, spent = Seen(memory=server.resident), server.spent
    typed = Typed(keys=seen.keys)
    knocking = [
        asyncio.create_task(_knock(server.port, _ELSEWHERE[2], seen, same=False)),
        asyncio.create_task(_knock(server.port, ADDRESS, seen, same=True)),
    ]
    pressing = [asyncio.create_task(_press(person, typed)) for person in lobby]
    while not until.done():
        seen.moves.append(await pair.move())
        seen.memory = max(seen.memory, server.resident)
        await asyncio.sleep(_PAUSE)
    for task in knocking:
        task.cancel()
    typed.is_over = True
    await asyncio.wait([*knocking, *pressing])
    seen.spent = server.spent - spent
    return seen


async def _press(person: Person, typed: Typed) -> None:
    dice = Random(person.name)
    await press(person, in_the_lobby(dice, KEYS), _KEYS_APART, dice, typed)


async def _knock(port: int, address: str, seen: Seen, *, same: bool) -> None:
    while True:
        begun = perf_counter()
        try:
            async with asyncio.timeout(_LOGIN):
                connection = await dial(port, "carla" if same else "dora", address=address)
            (seen.same if same else seen.logins).append(perf_counter() - begun)
            connection.close()
        except (asyncssh.Error, OSError, TimeoutError):
            if same:
                seen.same_failed += 1
            else:
                seen.failed += 1
        await asyncio.sleep(_KNOCKS_APART)


async def measure(
    server: Hosted, attack: str, seconds: float, lobby: int, web: int | None
) -> tuple[Seen, Seen, str]:
    """Measure without an attack and during one; return both, and the attacker's own line."""
    pair = Pair(server.port)
    people = [
        Person(number) if web is None or number % 2 else Browser(number, web) for number in range(lobby)
    ]
    await pair.come()
    await in_turns(person.come(server.port) for person in people)
    await in_turns(person.look(None, _SIZE) for person in people)
    calm = await watch(server, pair, people, asyncio.create_task(asyncio.sleep(seconds)))
    command = ["-m", "tools.load.attacks", attack, str(server.port), str(seconds), pair.code]
    command += [] if web is None else [str(web)]
    process = await asyncio.create_subprocess_exec(
        sys.executable, *command, stdout=asyncio.subprocess.PIPE, preexec_fn=lambda: os.nice(10)
    )
    said = asyncio.create_task(process.communicate())
    harmed = await watch(server, pair, people, said)
    with suppress(ProcessLookupError):
        process.kill()
    for person in people:
        await person.go()
    return calm, harmed, (await said)[0].decode().strip()


HEAD: Final = (
    f"{'':10} {'moves':>6} {'50 %':>7} {'99 %':>7} {'most':>7}"
    f"   {'keys':>5} {'50 %':>7} {'99 %':>7} {'most':>7}   {'logins':>6} {'most':>7} {'failed':>6}"
    f"   {'same':>6} {'failed':>6}   {'MiB':>6} {'cpu':>5}"
)


def line(name: str, seen: Seen) -> str:
    """Return a line of the table."""
    times = " ".join(f"{within(share, seen.moves):7.1f}" for share in (0.5, 0.99, 1))
    moves = f"{len(seen.moves):6} {times}"
    typed = " ".join(f"{within(share, seen.keys):7.1f}" for share in (0.5, 0.99, 1))
    keys = f"{len(seen.keys):5} {typed}"
    logins = f"{len(seen.logins):6} {1000 * max(seen.logins, default=0):7.1f} {seen.failed:6}"
    same = f"{len(seen.same):6} {seen.same_failed:6}"
    return f"{name:10} {moves}   {keys}   {logins}   {same}   {seen.memory:6.1f} {seen.spent:5.1f}"


def _say(words: str) -> None:
    print(words, flush=True)  # noqa: T201


def main() -> None:
    """Parse arguments, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--attacks", default=",".join(ATTACKS))
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--lobby", type=int, default=0)
    parser.add_argument("--set", action="append", default=[])
    arguments = parser.parse_args()
    _say("milliseconds from a move to the other player, from a key, of logins; MiB at most; processor s")
    _say(HEAD)
    failed = 0
    for attack in arguments.attacks.split(","):
        files = _FILES if attack == "files" else None
        web = free_port() if attack in THROUGH_THE_PAGE else None
        settings = [*arguments.set, *([] if web is None else [f"web={web}"])]
        with (
            tempfile.TemporaryDirectory() as folder,
            hosted(Path(folder), *settings, files=files) as server,
        ):
            calm, harmed, said = asyncio.run(measure(server, attack, arguments.seconds, arguments.lobby, web))
            _say(line("calm", calm))
            _say(line(attack, harmed))
            _say(f"           {said or _NOTHING}")
            failed += not said
            _say(f"           log: {errors_in(Path(folder))}")
    sys.exit(min(failed, 1))


if __name__ == "__main__":
    main()
