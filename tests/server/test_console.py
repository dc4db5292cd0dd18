"""`ssh HOST COMMAND`: what everybody may ask, in words and in JSON, without a terminal."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kk_core.protocol.messages import OpenTable
from kk_core.record import parse_record, replay
from kk_core.text import text
from kk_core.views import SETTLED
from kk_server.accounts.ratings import Rating, RatingStore
from kk_server.hub.hub import Hub
from kk_server.serve.server import Server, start
from kk_server.ssh.host_keys import host_key, signer_of
from kk_server.storage.entries import Ended, SeatHolder
from kk_server.storage.sqlite import DATABASE, open_database
from kk_server.visits.console.parser import app
from tests.server.client import Client
from tests.server.hosting import PLENTY, here
from tests.server.probe import make_probe
from tests.server.remote import dial, key_of

GAME = "land_cards"
COMMANDS = sorted(command.name or command.callback.__name__ for command in app.registered_commands)  # type: ignore[union-attr]


@dataclass(frozen=True)
class Said:
    """What a command has answered."""

    status: int | None
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


async def ask(server: Server, command: str, user: str = "anna", language: str = "", **how: Any) -> Said:
    """What `ssh USER@HOST COMMAND < /dev/null` prints, from a terminal in a language."""
    connection = await dial(server.port, user, **how)
    done = await connection.run(command, encoding=None, input=b"", env={"LANG": language} if language else {})
    connection.close()
    await connection.wait_closed()
    out, err = done.stdout, done.stderr
    assert isinstance(out, bytes)
    assert isinstance(err, bytes)
    return Said(done.exit_status, out.decode(), err.decode())


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    server = await start(here(tmp_path, limits=PLENTY, bot_pause=0), make_probe)
    yield server
    await server.close()


async def table_of(hub: Hub, user: str, *, private: bool = False, watched: bool = True) -> Client:
    """Somebody at a table of his own, on all of its seats."""
    client = Client(hub.connect(user))
    await client.do(OpenTable, GAME, {}, 3, "At the inn", False, private, watched)
    await client.sit(0, 1, 2)
    return client


async def play_on(client: Client, plies: int) -> None:
    for _ in range(plies):
        (seat,) = client.observation.active
        await client.look(seat)
        await client.play(seat, client.observation.legal_moves[0])


# -- what is understood --------------------------------------------------------------------------------------


async def test_the_help_names_every_command_and_each_has_a_help_of_its_own(server: Server) -> None:
    everything = await ask(server, "help")
    assert everything.status == 0
    assert (await ask(server, "--help")).out == everything.out
    for name in COMMANDS:
        assert f"  {name} " in everything.out
        own = await ask(server, f"help {name}")
        assert own.status == 0
        assert f"ssh HOST {name}" in own.out
        assert (await ask(server, f"{name} --help")).out == own.out
        assert not re.search(r"[<>{}]|\[OPTIONS\]", own.out), own.out


async def test_a_help_says_in_words_what_is_typed(server: Server) -> None:
    assert (await ask(server, "help drain")).out == (
        "Usage: ssh HOST drain [MINUTES]\n\n"
        "  Admins: allow no new tables, and stop once everybody has left.\n\n"
        "  MINUTES  How long people may stay, at most a day (1440).\n"
    )


async def test_a_help_shows_an_option_that_takes_a_value_as_it_is_typed(server: Server) -> None:
    told = (await ask(server, "help day")).out
    assert told.startswith("Usage: ssh HOST day [GAME] [--date DATE] [--share] [--json]\n")
    assert "  --date DATE  An earlier day" in told


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("ls -la", "Unknown command 'ls'. See: help"),
        ("tabels", "Did you mean 'tables'?"),
        ("ranking", "Unknown command 'ranking'. See: help"),
        ("watch", "watch needs TABLE. Usage: ssh HOST watch TABLE [--json]"),
        ("tables --jsn", "tables has no option '--jsn'. Usage: ssh HOST tables [--json]"),
        ("tables --json=yes", "no option '--json=yes'"),
        ("tables more", "Too many arguments for tables: 'more'."),
        ("record", "record needs ID[-N]."),
        ("record ../../etc/passwd", "such as 113cf96c-1. `history` and `tables` list them."),
        ("record 12345678", "no match '12345678'"),
        ("watch 12345678", "no table '12345678'"),
        ("help dance", "Unknown command 'dance'"),
        ("join ABCDEF", "need a terminal"),
        ("drain many", "drain does not accept 'many' as MINUTES. Usage: ssh HOST drain [MINUTES]"),
        ("drain -5", "drain does not accept '-5' as MINUTES."),
        ("drain 1 2", "Too many arguments for drain: '2'."),
        ("announce", "announce needs TEXT."),
        ("x" * 5000, "at most 4000"),
        ("'", "Unknown command"),
        ("\x1b]0;owned\x07", "Unknown command '\\x1b]0;owned"),
    ],
)
async def test_what_cannot_be_done_is_told_in_one_line_on_stderr_and_by_the_status(
    server: Server, command: str, words: str
) -> None:
    said = await ask(server, command)
    assert (said.status, said.out) == (2, "")
    assert said.err.count("\n") == 1
    assert words in said.err
    assert said.err.strip().isprintable()


async def test_on_a_terminal_lines_end_as_terminals_want_it(server: Server) -> None:
    connection = await dial(server.port, "anna")
    process = await connection.create_process("tables", term_type="xterm", encoding=None)
    assert await process.stdout.read() == b"No table is open.\r\n"
    connection.close()
    await connection.wait_closed()


async def test_asking_claims_no_name(server: Server) -> None:
    for command in ("tables", "who", "health", "help"):
        assert (await ask(server, command, "newcomer")).status == 0
    accounts = server.visits.access.accounts
    assert await accounts.account_of(key_of("newcomer").get_fingerprint()) is None


async def test_who_may_not_come_in_may_not_ask(tmp_path: Path) -> None:
    server = await start(here(tmp_path, guests="no"), make_probe)
    said = await ask(server, "tables", "carl", is_guest=True)
    assert said.status == 2
    assert "requires an SSH key" in said.err
    await server.close()


# -- looking -------------------------------------------------------------------------------------------------


async def test_tables_are_listed_with_round_points_and_who_is_to_move(server: Server) -> None:
    anna = await table_of(server.hub, "anna")
    await anna.start()
    line = anna.table.id
    said = await ask(server, "tables")
    heads, row = (re.split(r"  +", each) for each in said.out.splitlines())
    assert heads == ["ID", "game", "state", "round", "title: players, * has the turn"]
    assert row[:4] == [line, "the card game", "playing", "1"]
    assert "At the inn: *anna 0, anna 2 0, anna 3 0" in said.out
    (tree,) = (await ask(server, "tables --json")).json
    assert (tree["id"], tree["game"], tree["round"], tree["title"]) == (line, GAME, 1, "At the inn")
    assert [seat["to_move"] for seat in tree["seats"]] == [True, False, False]
    assert tree["seats"][0]["points"] == 0
    await anna.close()


async def test_the_state_of_a_table_is_told_in_the_language_of_the_reader_and_in_json_as_ever(
    server: Server,
) -> None:
    anna, beate = await table_of(server.hub, "anna"), await table_of(server.hub, "beate")
    await anna.start()
    phases = {"": {"open", "playing"}, "de": {"offen", "läuft"}, "es": {"abierta", "en juego"}}
    for language, words in phases.items():
        lines = (await ask(server, "tables", language=language)).out.splitlines()
        columns = [re.split(r"  +", line) for line in lines[1:]]
        assert {column[2] for column in columns} == words
        assert len({line.index("At the inn") for line in lines[1:]}) == 1, "one below the other"
    trees = (await ask(server, "tables --json", language="de")).json
    assert {tree["phase"] for tree in trees} == {"open", "playing"}
    for client in (anna, beate):
        await client.close()


async def test_a_table_that_cannot_go_on_is_listed_with_the_reason(server: Server) -> None:
    anna = await table_of(server.hub, "anna")
    await anna.start()
    table = server.hub.tables[anna.table.id]
    await anna.go_to(None)
    table._touched = -1e9  # nobody has been there for long
    await server.hub.table_cache.tidy()
    server.hub.table_cache.unloaded[table.id].unplayable = text("Rules {n} are not known here.", n=9)
    said = await ask(server, "tables")
    assert said.out.splitlines()[2:] == [
        "          This table can't be continued here: Rules 9 are not known here."
    ]
    (tree,) = (await ask(server, "tables --json")).json
    assert tree["unplayable"] == "Rules 9 are not known here."
    await anna.close()


async def test_a_table_by_invitation_is_listed_for_its_people_alone(server: Server) -> None:
    beate = await table_of(server.hub, "~beate", private=True)
    assert (await ask(server, "tables --json", "eve")).json == []
    (own,) = (await ask(server, "tables --json", "beate", is_guest=True)).json
    assert own["private"] is True
    await beate.close()


async def test_who_tells_who_is_here_and_where_and_addresses_to_nobody(server: Server) -> None:
    anna, beate = await table_of(server.hub, "anna"), Client(server.hub.connect("beate"))
    hidden = await table_of(server.hub, "carla", private=True)
    said = await ask(server, "who --json", "dora")
    assert said.json == [
        {"user": "anna", "program": False, "tables": [anna.table.id]},
        {"user": "beate", "program": False, "tables": []},
        {"user": "carla", "program": False, "tables": []},
    ]
    for client in (anna, hidden):
        lines = (await ask(server, "who", "dora")).out.splitlines()
        assert list(map(str.split, lines)) == [
            ["name", "at", "table"], ["anna", anna.table.id], ["beate", "-"], ["carla", "-"],
        ]  # fmt: skip
        await client.start()
    assert (await ask(server, "who --json", "dora")).json == said.json
    for client in (anna, beate, hidden):
        await client.close()


async def test_where_nothing_was_rated_the_leaderboard_says_so(server: Server) -> None:
    assert (await ask(server, "leaderboard")).out == "Nobody has a rating yet.\n"


async def test_the_leaderboard_has_the_best_of_every_game(tmp_path: Path) -> None:
    database = await open_database(tmp_path / DATABASE)
    seats = (SeatHolder("a", "anna"), SeatHolder("b", "beate"))
    ended = Ended("t", 1, 0, GAME, seats, (1, 2), (1,), 9, 0, rated=True)
    known = {"anna": Rating(1400, 200, SETTLED, 2.5), "beate": Rating(1600, 300, 1, 1)}
    await RatingStore(database).keep(ended, known)
    await database.close()
    server = await start(here(tmp_path), make_probe)
    assert (await ask(server, "leaderboard land_cards")).out == (
        "land_cards  1.  anna   1400   10 played,  2.5 won\nland_cards   -  beate  1600?   1 played,  1 won\n"
    )
    found = (await ask(server, "leaderboard --json")).json
    assert [line["name"] for line in found[GAME]] == ["anna", "beate"]
    assert found[GAME][1]["place"] is None
    assert found["ku_ka_king"] == []
    assert "chess" in (await ask(server, "leaderboard chess")).err
    await server.close()


async def test_health_is_told_in_words_and_in_json(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    anna = await table_of(server.hub, "anna")
    said = (await ask(server, "health --json")).json
    assert (said["status"], said["people"], said["tables"]["open"]) == ("ok", 1, 1)
    words = (await ask(server, "health")).out
    assert "status: ok\n" in words
    assert "tables: 1 open, 0 playing, 0 finished\n" in words
    assert re.search(r"^uptime: 0:\d\d:\d\d$", words, re.MULTILINE)
    monkeypatch.setattr(Server, "uptime", 2 * 86_400 + 61)
    assert "uptime: 2 days, 0:01:01\n" in (await ask(server, "health")).out
    await anna.close()


async def test_health_is_told_in_the_language_of_the_reader_and_in_json_as_ever(server: Server) -> None:
    english = (await ask(server, "health")).out.splitlines()
    spanish = (await ask(server, "health", language="es_ES.UTF-8")).out.splitlines()
    assert [spanish[0], spanish[-2]] == ["estado: bien", "mesas: 0 abiertas, 0 en juego, 0 terminadas"]
    labels = [[line.partition(":")[0] for line in lines] for lines in (english, spanish)]
    assert not {*labels[0]} & {*labels[1]}
    known = (await ask(server, "health --json")).json
    assert (await ask(server, "health --json", language="es_ES.UTF-8")).json.keys() == known.keys()


# -- records -------------------------------------------------------------------------------------------------


async def finished(server: Server, user: str, **table: bool) -> Client:
    client = await table_of(server.hub, user, **table)
    await client.start()
    await client.play_to_the_end()
    return client


async def test_a_record_comes_as_the_file_that_it_is_with_its_signature(
    server: Server, tmp_path: Path
) -> None:
    anna = await finished(server, "anna")
    said = await ask(server, f"record {anna.table.id}", "carl", is_guest=True)
    (kept,) = (tmp_path / "records").glob("*.json")
    assert said.out.encode() == kept.read_bytes()
    assert replay(parse_record(said.out)).is_over
    signature = await ask(server, f"record {anna.table.id} --signature", "carl", is_guest=True)
    signer = signer_of(said.out.encode(), signature.out.encode())
    assert signer.get_fingerprint() == host_key(tmp_path).get_fingerprint()
    await anna.close()


async def test_the_record_of_a_match_that_goes_on_is_a_secret(server: Server) -> None:
    anna = await table_of(server.hub, "anna")
    await anna.start()
    said = await ask(server, f"record {anna.table.id}")
    assert (said.status, said.out) == (2, "")
    assert "stays secret" in said.err
    await anna.close()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("--skip x", "--skip must be a whole number from 0 to 1000000000."),
        ("--skip -3", "--skip must be a whole number from 0 to 1000000000."),
        ("--skip", "--skip needs a value."),
        ("--json=yes", "history has no option '--json=yes'."),
        ("--skip 3 4", "Too many arguments for history: '4'."),
        ("x", "Too many arguments for history: 'x'."),
    ],
)
async def test_of_the_options_of_a_command_it_is_said_what_is_wrong_with_them(
    server: Server, words: str, reason: str
) -> None:
    said = await ask(server, f"history {words}")
    assert said.err == f"{reason} Usage: ssh HOST history [--skip N] [--json]\n"


@pytest.mark.parametrize("table", [{"private": True}, {"watched": False}], ids=["private", "not-watched"])
async def test_the_record_of_a_table_that_is_not_for_everybody_is_for_those_who_played(
    server: Server, table: dict[str, bool]
) -> None:
    connection = await dial(server.port, "anna")
    process = await connection.create_process(term_type="xterm-256color", encoding=None)
    await process.stdout.read(10)  # the account is anna's from now on
    anna = await finished(server, "anna", **table)
    assert "no match" in (await ask(server, f"record {anna.table.id}", "eve")).err
    own = await ask(server, f"record {anna.table.id}")
    assert replay(parse_record(own.out)).is_over
    ((line),) = (await ask(server, "history --json")).json
    assert line["id"] == f"{anna.table.id}-1"
    assert f"{anna.table.id}-1  " in (await ask(server, "history")).out
    assert "no older matches" in (await ask(server, "history --skip 1")).out
    connection.close()
    await anna.close()


@pytest.mark.parametrize("is_guest", [True, False])
async def test_who_has_no_account_is_told_how_to_get_one_and_not_taken_for_a_guest_with_a_key(
    server: Server, is_guest: bool
) -> None:
    for command in ("history", "keys", "keys remove SHA256:5z9g"):
        said = (await ask(server, command, "carl", is_guest=is_guest)).err
        assert "You have no account here yet: open the game once with an SSH key." in said
    assert "uest" not in said


@pytest.mark.parametrize("user", ["root", "admin", "system", "svc:health", "greedy"])
@pytest.mark.parametrize("is_guest", [True, False])
async def test_a_command_that_shows_no_name_to_others_is_answered_under_any_name(
    server: Server, user: str, is_guest: bool
) -> None:
    """A container's health check is asked by root."""
    assert (await ask(server, "health --json", user, is_guest=is_guest)).json["status"] == "ok"
