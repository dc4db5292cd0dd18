"""`ssh HOST watch TABLE`: a match as lines, with all that a spectator's log has and nothing else."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from random import Random
from typing import Any

import asyncssh
import pytest

from kk_core.match import Match
from kk_core.protocol.messages import PROTOCOL_VERSION, Hello, OpenTable, Undo
from kk_core.registry import game, game_ids, part_of
from kk_core.views import LogEntry, TableView, decode_place
from kk_server.serve.server import Server, start
from kk_server.tables.table import Table
from kk_tui.games import faces
from tests.core.contract.tables import people_at
from tests.server.client import Client
from tests.server.hosting import PLENTY, here, retitle
from tests.server.probe import make_probe
from tests.server.remote import dial, remote_link, wait_for
from tests.server.test_console import ask, table_of
from tests.tui.scenes import scene_of_view
from tests.waiting import patience

EVENTS = {
    "ku_ka_king": {"Revealed", "Taken", "Clashed", "RoundOver", "FirstScored", "Filled", "LastRound"},
    "land_cards": {"Skipped"},
    "web_of_power": {"TurnedUp", "Reshuffled", "InterimScored", "LastRound"},
}
"""What happens at least in the matches that are watched here, of games that have much to tell."""


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    server = await start(here(tmp_path, limits=PLENTY, bot_pause=0), make_probe)
    yield server
    await server.close()


class Watching:
    """`ssh HOST watch ...`, and the lines that it has printed."""

    def __init__(self, connection: asyncssh.SSHClientConnection, process: Any) -> None:
        self.connection, self.process = connection, process
        self.lines: list[str] = []

    async def until(self, words: str) -> None:
        async with asyncio.timeout(patience()):
            while not self.lines or words not in self.lines[-1]:
                line = await self.process.stdout.readline()
                assert line, f"ended before {words!r}: {self.lines[-3:]}"
                self.lines.append(line.rstrip("\n"))

    async def rest(self) -> int:
        async with asyncio.timeout(patience()):
            self.lines += (await self.process.stdout.read()).splitlines()
            await self.process.wait_closed()
        self.connection.close()
        status: int = self.process.exit_status
        return status

    @property
    def trees(self) -> list[dict[str, Any]]:
        """The lines as JSON."""
        return [json.loads(line) for line in self.lines]


async def watching(server: Server, command: str, user: str = "zoe") -> Watching:
    connection = await dial(server.port, user)
    return Watching(connection, await connection.create_process(command))


async def seated(server: Server, game_id: str, seats: int = 3) -> tuple[Client, Table]:
    """Anna on all seats of a match that has just begun, the same in every run."""
    anna = Client(server.hub.connect("anna"))
    await anna.do(OpenTable, game_id, {}, seats, "At the inn")
    await anna.sit(*range(seats))
    table = server.hub.tables[anna.table.id]
    await table.start("anna", bytes(32))
    return anna, table


async def play_at_random(table: Table, plies: int = 1000, chance: Random | None = None) -> None:
    """So many plies of everybody at the table, or all to the end."""
    match, chance = running(table), chance or Random(0)
    for _ in range(plies):
        active = match.game.active_seats(match.state)
        if not active:
            return
        seat = active[chance.randrange(len(active))]
        move = chance.choice(match.game.legal_moves(match.state, seat))
        await table.play("anna", seat, len(match.plies), move)


def running(table: Table) -> Match:
    assert table.match is not None
    return table.match


def sent_log(client: Client) -> dict[int, LogEntry]:
    """Every ply, numbered from 1, as a spectator was sent it."""
    found: dict[int, LogEntry] = {}
    for _, tree in client.trees:
        place = decode_place(tree)
        if isinstance(place, TableView) and place.match is not None:
            found |= {number + 1: entry for number, entry in place.match.recent()}
    return found


def log_of_the_app(client: Client) -> dict[int, list[str]]:
    """The sentences that the log of a spectator's app has for every ply."""
    names = [seat.name for seat in client.table.seats]
    scene, face = scene_of_view(client.match, names, None), faces()[client.table.game]
    return {
        ply: [str(said) for said in face.describe(scene, entry)] for ply, entry in sent_log(client).items()
    }


def as_lines(log: dict[int, list[str]]) -> Iterator[str]:
    for ply, (first, *others) in ((ply, said) for ply, said in log.items() if said):
        yield f"{ply}. {first}"
        yield from (" " * len(f"{ply}. ") + sentence for sentence in others)


def verdict(match: Match) -> str:
    """What is said of who has won; not every match has a winner."""
    outcome = match.game.outcome(match.state)
    assert outcome is not None
    if not outcome.winners:
        return "No winner: the tie could not be broken."
    return f"Won by {', '.join(match.seats[seat] for seat in outcome.winners)}."


# -- what is told --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game_id", game_ids())
async def test_who_watches_reads_the_log_of_a_spectator_in_the_app(server: Server, game_id: str) -> None:
    anna, table = await seated(server, game_id, people_at(game_id))
    carl = Client(server.hub.connect("carl"))
    await carl.go_to(table.id)
    zoe = await watching(server, f"watch {table.id}")
    await zoe.until("At the inn: ")
    await play_at_random(table)
    assert await zoe.rest() == 0
    await carl.until(lambda c: c.table.phase == "finished")
    head, *told = zoe.lines
    names = [seat.name for seat in carl.table.seats]
    points = ", ".join(f"{name} 0" for name in names)
    assert names == ["anna", "anna 2", "anna 3"][: people_at(game_id)]
    assert head.replace("*", "") == f"At the inn: {game(game_id).meta.name}, round 1: {points}"
    won, told = told[-1], told[: -1 - len(names)]
    assert told == list(as_lines(log_of_the_app(carl)))
    assert won == verdict(running(table))
    for client in (anna, carl):
        await client.close()


@pytest.mark.parametrize("game_id", game_ids())
async def test_in_json_every_ply_has_what_a_spectator_is_sent_and_nothing_else(
    server: Server, game_id: str
) -> None:
    anna, table = await seated(server, game_id, people_at(game_id))
    carl = Client(server.hub.connect("carl"))
    await carl.go_to(table.id)
    zoe = await watching(server, f"watch {table.id} --json")
    await zoe.until('"table"')
    await play_at_random(table)
    assert await zoe.rest() == 0
    await carl.until(lambda c: c.table.phase == "finished")
    first, *plies, result = zoe.trees
    words, model = log_of_the_app(carl), part_of(game_id, "model")
    assert [seat["name"] for seat in first["table"]["seats"]] == [seat.name for seat in carl.table.seats]
    assert plies == [
        {
            "ply": number, "seat": entry.seat, "player": carl.table.seats[entry.seat].name,
            "move": None if entry.move is None else game(game_id).format_move(entry.move),
            "events": [by_name(model.read_event(event)) for event in entry.events],
            "words": words[number],
        }
        for number, entry in sorted(sent_log(carl).items())
    ]  # fmt: skip
    told = {event["event"] for ply in plies for event in ply["events"]}
    assert told
    assert told >= EVENTS.get(game_id, set())
    assert list(result) == ["points", "winners", "sheet"]
    assert list(result["points"].values()) == list(carl.observation.points)
    assert [tuple(line["points"]) for line in result["sheet"]] == list(carl.observation.sheet)
    for client in (anna, carl):
        await client.close()


def by_name(event: Any) -> dict[str, Any]:
    """An event as its fields print."""
    told = {name: getattr(event, name) for name in type(event).__dataclass_fields__}
    return {"event": type(event).__name__} | {
        name: [list(row) if isinstance(row, bytes) else row for row in value]
        if isinstance(value, tuple | bytes)
        else value
        for name, value in told.items()
    }


async def test_a_choice_that_is_a_secret_is_told_by_nothing_but_that_it_was_made(server: Server) -> None:
    anna, table = await seated(server, "ku_ka_king")
    said, read = (
        await watching(server, f"watch {table.id} --json"),
        await watching(server, f"watch {table.id}"),
    )
    await play_at_random(table, 2)
    await said.until('"ply": 2')
    assert said.trees[1:] == [
        {"ply": n, "seat": ply.seat, "player": table.state.seats[ply.seat].name,
         "move": None, "events": [], "words": []}
        for n, ply in enumerate(running(table).plies, 1)
    ]  # fmt: skip
    await play_at_random(table, 1)
    await read.until("3. Ku ... Ka ... King! ")
    assert len(read.lines) == 2, "the calls before it were told by no line of their own"
    for one in (said, read):
        one.connection.close()
    await anna.close()


async def test_who_begins_to_watch_late_reads_all_that_was_done_before(server: Server) -> None:
    anna, table = await seated(server, "web_of_power")
    await play_at_random(table, 100)
    zoe = await watching(server, f"watch {table.id} --json")
    await zoe.until('"ply": 100')
    assert [tree["ply"] for tree in zoe.trees[1:]] == list(range(1, 101))
    zoe.connection.close()
    await wait_for(lambda: anna.table.watchers == ())
    await anna.close()


async def test_a_match_is_watched_to_its_end_and_undo_is_told(server: Server) -> None:
    anna, table = await seated(server, "land_cards")
    zoe = await watching(server, f"watch {table.id} --json")
    await zoe.until('"table"')
    await anna.until(lambda c: c.table.watchers == ("~zoe",))
    chance = Random(1)
    while not any(map(running(table).may_undo, range(3))):
        await play_at_random(table, 1, chance)
    match = running(table)
    ply, last = len(match.plies), match.plies[-1]
    await zoe.until(f'"ply": {ply}, ')
    await anna.do(Undo, last.seat)
    await zoe.until('"undone"')
    assert zoe.trees[-1] == {"undone": ply - 1}
    await play_at_random(table, chance=chance)
    assert await zoe.rest() == 0
    again = [tree for tree in zoe.trees if tree.get("ply") == ply]
    assert len(again) == 2
    assert set(zoe.trees[-1]) == {"points", "winners", "sheet"}
    await anna.close()


async def test_a_call_taken_back_between_those_of_others_is_told_with_who_has_still_called(
    server: Server,
) -> None:
    anna, table = await seated(server, "ku_ka_king")
    zoe = await watching(server, f"watch {table.id} --json")
    for seat, row in ((0, 1), (1, 2)):
        await table.play("anna", seat, seat, row)
    await zoe.until('"ply": 2')
    await anna.do(Undo, 0)
    await zoe.until('"ply": 1')
    assert [(tree.get("undone"), tree.get("ply"), tree.get("seat")) for tree in zoe.trees[1:]] == [
        (None, 1, 0), (None, 2, 1), (0, None, None), (None, 1, 1),
    ]  # fmt: skip
    zoe.connection.close()
    await anna.close()


async def test_a_step_taken_back_and_made_otherwise_at_once_is_told_anew(server: Server) -> None:
    anna, table = await seated(server, "ku_ka_king", 2)
    zoe = await watching(server, f"watch {table.id}")
    await zoe.until("At the inn")
    await table.play("anna", 0, 0, 1)
    await table.undo("anna", 0)
    await table.play("anna", 1, 0, 2)  # before whoever watches has looked
    await table.play("anna", 0, 1, 3)
    await zoe.until("   anna takes row 3")
    assert "1. Ku" not in "".join(zoe.lines)
    zoe.connection.close()
    await anna.close()


async def test_the_result_is_told_though_a_rematch_has_begun_already(server: Server) -> None:
    anna, table = await seated(server, "ku_ka_king")
    zoe = await watching(server, f"watch {table.id}")
    await zoe.until("At the inn")
    before = running(table)
    await play_at_random(table)
    await table.propose("anna", "rematch", None)
    assert await zoe.rest() == 0
    assert running(table) is not before
    assert zoe.lines[-1] == verdict(before)
    await anna.close()


async def test_a_match_that_is_broken_off_is_told_so(server: Server) -> None:
    anna, table = await seated(server, "ku_ka_king")
    zoe = await watching(server, f"watch {table.id}")
    await zoe.until("At the inn")
    await table.propose("anna", "abort", None)
    assert await zoe.rest() == 0
    assert zoe.lines[-1] == "The match was aborted; it has no winner."
    await anna.close()


async def test_where_nobody_looks_on_or_nothing_goes_on_there_is_nothing_to_watch(server: Server) -> None:
    anna = await table_of(server.hub, "anna", watched=False)
    assert "No match is running" in (await ask(server, f"watch {anna.table.id}", "zoe")).err
    await anna.start()
    assert "does not admit spectators" in (await ask(server, f"watch {anna.table.id}", "zoe")).err
    await anna.close()


@pytest.mark.parametrize("words", ["At the inn", "At t"])
async def test_of_several_tables_with_one_title_the_running_one_is_watched_or_their_ids_are_told(
    server: Server, words: str
) -> None:
    beate = Client(server.hub.connect("beate"))
    await beate.do(OpenTable, "land_cards", {}, 3, "At the inn")
    anna, table = await seated(server, "ku_ka_king")
    retitle(server.hub, table, "At the inn")
    zoe = await watching(server, f"watch {words} --json")
    await zoe.until(f'"{table.id}"')
    zoe.connection.close()
    another, other = await seated(server, "ku_ka_king", 2)
    retitle(server.hub, other, "At the inn")
    said = (await ask(server, f"watch {words}", "zoe")).err
    assert said.startswith("2 tables are called 'At the inn': type the ID of one of them instead: ")
    assert f"{table.id} (*anna 0, *anna 2 0, *anna 3 0)" in said
    assert f"{other.id} (*anna 0, *anna 2 0)" in said
    assert beate.table.id not in said
    chosen = await watching(server, f"watch {other.id} --json")
    await chosen.until(f'"{other.id}"')
    chosen.connection.close()
    for client in (anna, another, beate):
        await client.close()


async def test_whoever_has_some_of_several_tables_with_one_title_means_those(server: Server) -> None:
    beate = Client(server.hub.connect("beate"))
    await beate.do(OpenTable, "ku_ka_king", {}, 2, "At the inn")
    await beate.sit(0, 1)
    await beate.start()
    host = Client(await remote_link(server.port, "anna"))  # who has an account with that
    await host.ask(Hello, PROTOCOL_VERSION)
    await host.do(OpenTable, "land_cards", {}, 3, "At the inn")
    retitle(server.hub, server.hub.tables[host.table.id], "At the inn")
    anna, table = await seated(server, "ku_ka_king")
    retitle(server.hub, table, "At the inn")
    watcher = await watching(server, "watch At the inn --json", "anna")
    await watcher.until(f'"{table.id}"')
    watcher.connection.close()
    another, other = await seated(server, "ku_ka_king", 2)
    retitle(server.hub, other, "At the inn")
    said = (await ask(server, "watch At the inn", "anna")).err
    assert said.startswith("2 tables are called 'At the inn': type the ID of one of them instead: ")
    assert all(one.id in said for one in (table, other))
    assert beate.table.id not in said
    for client in (beate, host, anna, another):
        await client.close()


@pytest.mark.parametrize("words", ["At the inn", "at the INN", "Anna", "At t"])
async def test_a_match_is_watched_by_the_title_of_its_table_or_somebody_there(
    server: Server, words: str
) -> None:
    anna, _table = await seated(server, "land_cards")
    zoe = await watching(server, f"watch {words}")
    await zoe.until("At the inn: ")
    zoe.connection.close()
    await anna.close()


async def test_whoever_watches_hears_which_titles_begin_like_that_and_that_none_does(server: Server) -> None:
    clients = []
    for user in ("anna", "beate"):
        clients.append(Client(server.hub.connect(user)))
        await clients[-1].do(OpenTable, "land_cards", {}, 3, f"Inn of {user}")
    said = (await ask(server, "watch inn")).err
    assert "2 titles match; type more of one: Inn of " in said
    assert "There is no table 'river'" in (await ask(server, "watch river")).err
    for client in clients:
        await client.close()
