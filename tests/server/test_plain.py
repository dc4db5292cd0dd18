"""`ssh HOST plain`: lines of text over a real connection, with and without a terminal."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest

from kk_core.registry import game, game_ids
from kk_core.text import text
from kk_server.frontend import plain
from kk_server.limits import ServerLimits
from kk_server.serve.server import Server, start
from tests.server.client import Client
from tests.server.hosting import PLENTY, here
from tests.server.remote import dial
from tests.waiting import patience, wait_for


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    server = await start(here(tmp_path, bot_pause=0.0, limits=PLENTY))
    yield server
    await server.close()


class Talk:
    """One visit by lines."""

    def __init__(self, connection: Any, process: Any) -> None:
        self.connection, self.process = connection, process
        self.lines = list[str]()
        """All that has been read."""

    def type(self, *lines: str, end: str = "\n") -> None:
        self.process.stdin.write("".join(f"{line}{end}" for line in lines))

    async def until(self, pattern: str) -> str:
        """Read until a line matches."""
        async with asyncio.timeout(patience()):
            while True:
                line = await self.process.stdout.readline()
                assert line, f"closed before {pattern!r}: {self.lines[-5:]!r}"
                self.lines.append(line.rstrip("\r\n"))
                if re.search(pattern, self.lines[-1]):
                    return self.lines[-1]

    async def rest(self) -> int | None:
        """Read to the end; gives the exit status."""
        async with asyncio.timeout(patience()):
            self.lines += (await self.process.stdout.read()).splitlines()
            await self.process.wait_closed()
        status: int | None = self.process.exit_status
        return status

    async def close(self) -> None:
        self.connection.close()
        await self.connection.wait_closed()


async def talk(server: Server, user: str = "anna", **options: Any) -> Talk:
    connection = await dial(server.port, user)
    return Talk(connection, await connection.create_process("plain", **options))


@pytest.mark.e2e
@pytest.mark.parametrize("game_id", game_ids())
async def test_a_script_plays_a_whole_match_over_ssh_without_a_terminal(server: Server, game_id: str) -> None:
    anna, chance = await talk(server), Random(3)
    await anna.until("^Lobby: 0 tables")
    anna.type(f"open {game_id}", "bots random", "start")
    await anna.until("^The match begins")
    while True:
        anna.type("wait", "score", "moves", "help who")
        await anna.until("^(As things stand|Points): ")
        heard = len(anna.lines)
        await anna.until("^who: ")
        if any(line.startswith("Final score: ") for line in anna.lines):
            break
        offered = anna.lines[heard:]
        numbers = [found[1] for line in offered if (found := re.match(r"(\d+)\. ", line))]
        if not numbers:
            words = re.findall(r"\w{3,}", " ".join(offered[:-1]))
            anna.type(f"moves {chance.choice(words)}", "1")
        else:
            anna.type(chance.choice(numbers))
    anna.type("quit")
    assert await anna.rest() == 0
    await anna.close()


@pytest.mark.e2e
async def test_lines_that_are_looked_for_among_all_moves_wait_for_as_many_requests_as_they_take_long(
    tmp_path: Path,
) -> None:
    limits = ServerLimits(requests_per_second=200, requests_at_once=60)
    server = await start(here(tmp_path, limits=limits))
    anna = await talk(server)
    anna.type("open web_of_power 3", "join 2", "join 3", "start")
    await anna.until("^The match begins")
    begun = asyncio.get_running_loop().time()
    for seat in (2, 1, 2, 1, 2):
        anna.type(f"seat {seat}", "xx")
    for _ in range(5):
        await anna.until("^'xx' is ")
    assert asyncio.get_running_loop().time() - begun > (5 * 25 - 60) / 200
    await anna.close()
    await server.close()


async def test_what_takes_many_requests_is_not_overtaken_by_what_takes_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    taken: dict[str, Any] = {}
    monkeypatch.setattr(plain, "PlainClient", lambda *_args, **options: taken.update(options))
    limits = ServerLimits(requests_per_second=1_000, requests_at_once=30)
    visit, writer = SimpleNamespace(link=None), SimpleNamespace(stop_reading=None, note_place=None)
    plain.PlainHandler(cast("Any", visit), cast("Any", writer), limits, None, {}, None, 80, None)
    spend, done = taken["spend"], list[int]()

    async def spent(requests: int) -> None:
        await spend(requests)
        done.append(requests)

    await spend(30)
    async with asyncio.timeout(patience()):
        await asyncio.gather(spent(25), *(spent(1) for _ in range(40)))
    assert done == [25, *[1] * 40]


@pytest.mark.e2e
async def test_what_others_do_stands_above_the_line_that_is_being_typed(server: Server) -> None:
    anna = await talk(server, term_type="xterm", term_size=(80, 24))
    anna.type("open ku_ka_king", end="\r")
    await anna.until("^'bot' gives")
    anna.type("say half", end="")
    beate = Client(server.hub.connect("beate"))
    await beate.go_to(next(iter(server.hub.tables)))
    await beate.sit(1)
    # the line is erased, what has happened is written, and the line stands there again
    await anna.until("beate now has seat 2.")
    anna.type(" a line", end="\r")
    assert "anna: half a line" in await anna.until("anna: ")
    await beate.until(
        lambda client: any("half a line" in str(one.words) for one in client.table.chat.recent())
    )
    await beate.close()
    await anna.close()


@pytest.mark.e2e
async def test_lines_over_ssh_are_in_the_language_of_the_visitor(server: Server) -> None:
    anna = await talk(server, env={"LANG": "nl_NL.UTF-8"})
    await anna.until("^Lobby: 0 tafels")
    anna.type("openen ku_ka_king", "bots easy", "start", "roep 2")
    await anna.until("^anna roept rij 2")
    await anna.close()


@pytest.mark.e2e
async def test_the_end_of_a_pipe_comes_after_the_answers_and_the_seat_is_kept(server: Server) -> None:
    anna = await talk(server)
    anna.type("open ku_ka_king", "bots easy", "start", "call 2")
    anna.process.stdin.write_eof()
    assert await anna.rest() == 0
    assert "anna calls row 2." in anna.lines
    again = await talk(server)
    await again.until("^Ku-Ka-King|anna: Ku-Ka-King")
    await again.until("^Your turn")
    await again.close()
    await anna.close()


@pytest.mark.e2e
async def test_a_line_that_the_end_of_a_pipe_cuts_off_is_not_carried_out(server: Server) -> None:
    anna = await talk(server)
    anna.type("open ku_ka_king", "bots easy", "start")
    await anna.until("^Your turn")
    anna.type("call 1", end="")
    anna.process.stdin.write_eof()
    assert await anna.rest() == 0
    assert anna.lines[-1] == "'call 1' has no end of line and is not carried out."
    assert "anna calls row 1." not in anna.lines
    await anna.close()


@pytest.mark.e2e
async def test_ctrl_c_throws_away_the_line_and_says_how_to_end(server: Server) -> None:
    anna = await talk(server, term_type="xterm", term_size=(80, 24))
    await anna.until("^Lobby")
    anna.type("open ku_ka_king\x03help who", end="\r")
    await anna.until(r"Ctrl\+D or 'quit' ends\.")
    await anna.until("who: who is here")
    piped = await talk(server, "beate")
    piped.type("open ku_ka_king\x03help who", "\x03", "help quit")
    await piped.until("^who: who is here")
    await piped.until("^quit: ")
    assert not server.hub.tables
    for one in (anna, piped):
        await one.close()


@pytest.mark.e2e
async def test_who_is_sent_away_reads_why(server: Server) -> None:
    anna = await talk(server)
    await anna.until("^Lobby")
    (visit,) = server.visits.of("anna")
    visit.end(text("The server is being restarted."))
    assert await anna.rest() == 0
    assert "The server is being restarted." in anna.lines
    await anna.close()


@pytest.mark.e2e
async def test_more_lines_than_anybody_types_wait_and_nothing_is_lost(server: Server) -> None:
    anna = await talk(server)
    anna.type(*["help who"] * 60)
    anna.process.stdin.write_eof()
    assert await anna.rest() == 0
    assert anna.lines.count("who: who is here") == 60
    await anna.close()


@pytest.mark.e2e
async def test_noise_on_a_terminal_is_no_line_and_disturbs_nobody(server: Server) -> None:
    anna = await talk(server, term_type="xterm", term_size=(80, 24), encoding=None)
    anna.process.stdin.write(bytes(Random(5).randrange(32, 256) for _ in range(20_000)))
    beate = await talk(server, "beate")
    await beate.until("^Lobby")
    await anna.close()
    await beate.close()
    await wait_for(lambda: not server.hub.presence.users())


@pytest.mark.e2e
async def test_a_game_is_known_to_everybody_by_the_words_of_its_table(server: Server) -> None:
    anna = await talk(server)
    for game_id in game_ids():
        anna.type(f"open {game_id}")
        await anna.until(re.escape(str(game(game_id).meta.name)))
        anna.type("leave")
        await anna.until("^Lobby")
    beate = await talk(server, "beate")
    beate.type("tables")
    for _game_id in game_ids():
        await beate.until(r"^\d\. .*: anna, free")
    for one in (anna, beate):
        await one.close()


@pytest.mark.e2e
async def test_lines_come_from_a_worker_process_as_well(tmp_path: Path) -> None:
    server = await start(here(tmp_path, bot_pause=0.0, limits=PLENTY, workers=2))
    anna = await talk(server)
    anna.type("open ku_ka_king", "bots easy", "start", "call 2", "wait", "quit")
    assert await anna.rest() == 0
    assert "anna calls row 2." in anna.lines
    await anna.close()
    await server.close()


@pytest.mark.e2e
@pytest.mark.parametrize(("term", "end"), [(None, "\n"), ("xterm-256color", "\r\n")])
async def test_who_is_not_let_in_reads_why_in_lines_as_their_side_ends_them(
    server: Server, term: str | None, end: str
) -> None:
    connection = await dial(server.port, "kk bot")
    size = {} if term is None else {"term_type": term, "term_size": (200, 24)}
    process: Any = await connection.create_process("plain", **size)
    said = await process.stdout.read() + await process.stderr.read()
    assert said.endswith(end)
    assert said.count("\r") == end.count("\r") * said.count("\n")
    connection.close()
