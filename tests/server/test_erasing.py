"""An erased account: nothing is stored about it any more, and others lose nothing by that."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import pytest

from kk_core.protocol.messages import (
    EraseAccount,
    GetHistory,
    HandOn,
    History,
    OpenTable,
    Say,
)
from kk_core.record import parse_record, replay
from kk_core.text import text
from kk_server.accounts.accounts import AccountStore
from kk_server.accounts.addresses import ADDRESSES
from kk_server.accounts.daily import DailyDeal, DailyResult, DailyStore
from kk_server.accounts.lessons import AccountLessons
from kk_server.accounts.link_codes import LinkCodes
from kk_server.accounts.ratings import Rating, RatingStore
from kk_server.calls.store import CalledTurn, CallStore
from kk_server.hub import erasure
from kk_server.hub.erasure import Erasure
from kk_server.maintenance.check import faults_of
from kk_server.serve.server import Server
from kk_server.ssh.host_keys import host_key, signer_of
from kk_server.storage.archive import Archive
from kk_server.storage.entries import (
    Closed,
    Created,
    Ended,
    Entry,
    HandedOn,
    Invited,
    Reopened,
    Seated,
    SeatHolder,
    Started,
    encode_entry,
)
from kk_server.storage.files import RECORDS
from kk_server.storage.sql import Database
from kk_server.storage.sql_log import SqlLog
from kk_server.storage.summaries import outlined
from kk_server.storage.table_log import StorageFailed
from kk_server.storage.tallies import COLUMNS
from kk_server.tables.chat import Audience, Chat
from kk_server.tables.proposals import Proposal, ProposalKind
from kk_server.tables.transient import TransientState, decode_transient, encode_transient
from tests.server.client import Client
from tests.server.hosting import probing
from tests.server.remote import key_of
from tests.server.test_accounts import come, name_of
from tests.server.test_admins import ELSEWHERE, public
from tests.server.test_console import ask

GAME = "ku_ka_king"

# a name that is part of another one, and has a sign that JSON writes in its own way
ANNA = "an\\na"
OTHER = f"{ANNA}-maria"


async def everything(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of a database, readable."""
    found = {}
    for name in (*COLUMNS, "summaries"):
        columns = COLUMNS.get(name, ("table_id", "revision", "summary"))
        names = ", ".join(f'"{column}"' for column in columns)
        rows = await database.rows(f"SELECT {names} FROM {name} ORDER BY {names}")
        found[name] = [
            tuple(zlib.decompress(v).decode() if isinstance(v, bytes) else v for v in row) for row in rows
        ]
    return found


def names_in(rows: dict[str, list[tuple[Any, ...]]], name: str) -> set[str]:
    """The SQL tables in which a name stands, by itself or as a text in JSON."""
    quoted = json.dumps(name)
    return {
        table
        for table, own in rows.items()
        for row in own
        for value in row
        if value == name or (isinstance(value, str) and quoted in value)
    }


async def an_account(database: Database) -> None:
    """Whatever the server stores about Anna, and the same about Beate and somebody with a longer name."""
    log = SqlLog(database)
    for who in (ANNA, "beate", OTHER):
        accounts = AccountStore(database)
        await accounts.claim(who, f"skeleton of {who}", f"key of {who}", f"laptop of {who}")
        await accounts.add_key(who, f"second key of {who}", "")
        await accounts.keep_settings(who, "{}")
        await accounts.keep_welcomed(who, "digest")
        await AccountLessons(database).finish(who, GAME)
        await CallStore(database).keep_address(who, f"{who}@example.org")
        await CallStore(database).keep_turns(who, [CalledTurn("t", 1, 3)])
        await LinkCodes(database).new(who)
        await log.leave_word(who, text("{name} has closed it.", name="carl"))
        deal = DailyDeal("2026-11-27", GAME, b"s", 3, "medium")
        await DailyStore(database).begin(deal, who, "d")
    await log.leave_word("beate", text("{name} has closed it.", name=ANNA))
    holders = SeatHolder("Annie", ANNA), SeatHolder("B", "beate"), SeatHolder("A", OTHER)
    ended = Ended("t", 1, 5, GAME, holders, (1, 2, 3), (2,), 9, 0, rated=True)
    await log.keep_result(ended)
    await log.forget_result(ANNA, "t", 1)
    await RatingStore(database).keep(ended, {who: Rating() for who in (ANNA, "beate", OTHER)})
    await DailyStore(database).finish("2026-11-27", ended, DailyResult(ANNA, 1, 0.0, ""))
    entries: list[Entry] = [
        Created(f"{ANNA}'s", ANNA, GAME, {"long": ANNA}, 3), Invited(ANNA), Invited("beate"),
        HandedOn("beate"), HandedOn(ANNA), Seated(holders), Started("00", "1", holders, "rules"),
        Reopened(holders),
    ]  # fmt: skip
    for table in ("t", "old"):
        for revision, entry in enumerate(entries):
            await log.append(table, revision, entry)
    await log.append("old", len(entries), Closed())
    await Archive(database).purge("old", {1: (*entries[:1], *entries[6:7])})
    await log.keep_summaries({"t": (len(entries), outlined(entries, 7))})
    chat = Chat()
    chat.say(ANNA, "Annie", "mine", Audience.PLAYERS)
    chat.say("beate", "B", "hers")
    chat.note(text("{name} has gone.", name=ANNA))
    proposal = Proposal(ProposalKind.CLOSE, "beate", None, ("beate",), (ANNA,))
    state = TransientState(1, 1, b"s", {ANNA: b"x", "beate": b"y"}, chat.state, proposal, 8)
    await log.keep_transients({"t": (1, encode_transient(state))})


# -- the contract of every database --------------------------------------------------------------------------


async def test_nothing_names_an_erased_account_and_all_others_have_what_they_had(database: Database) -> None:
    await an_account(database)
    before = await everything(database)
    assert {"entries", "archive", "results", "summaries", "transients", "words"} <= names_in(before, ANNA)
    renaming = await Erasure(database).erase(ANNA)
    after = await everything(database)
    # an option of the game is nobody's name, even if it reads like one
    assert names_in(after, ANNA) == {"entries", "archive", "summaries"}
    entries = (await SqlLog(database).read("t")).entries
    assert [each for each in entries[1:] if json.dumps(ANNA) in encode_entry(each).decode()] == []
    assert entries[0] == Created(renaming.alias, renaming.alias, GAME, {"long": ANNA}, 3)
    assert isinstance(entries[6], Started)
    assert [holder.name for holder in entries[6].seats] == [renaming.alias, "B", "A"]
    assert [holder.owner for holder in entries[6].seats] == [renaming.alias, "beate", OTHER]
    for who in ("beate", OTHER):
        assert names_in(after, who) == names_in(before, who)
        (result,) = await SqlLog(database).results_of(who)
        assert [holder.owner for holder in result.seats] == [renaming.alias, "beate", OTHER]
    assert await Erasure(database).matches() == [(renaming.alias, ("t", 1))]
    told = await SqlLog(database).take_words("beate")
    assert [str(words) for words in told] == ["carl has closed it.", f"{renaming.alias} has closed it."]


async def test_what_an_erased_account_has_said_is_gone_and_what_others_said_stays(database: Database) -> None:
    await an_account(database)
    renaming = await Erasure(database).erase(ANNA)
    state = decode_transient((await SqlLog(database).transients(["t"]))["t"])
    assert state is not None
    said = [(said.line.user, str(said.line.words)) for said in state.chat.said]
    assert said == [("beate", "hers"), ("", f"{renaming.alias} has gone.")]
    assert (state.added, state.proposal) == ({"beate": b"y"}, None)


async def test_an_account_is_erased_wholly_or_not_at_all(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await an_account(database)
    before = await everything(database)
    monkeypatch.setattr(erasure, "_OWN_RESULTS", "UPDATE nowhere SET owner = :alias WHERE owner = :account")
    with pytest.raises(StorageFailed):
        await Erasure(database).erase(ANNA)
    assert await everything(database) == before


async def test_what_is_stored_while_an_account_is_erased_is_found_afterwards(database: Database) -> None:
    await an_account(database)
    renaming = await Erasure(database).erase(ANNA)
    await SqlLog(database).append("t", 8, HandedOn(ANNA))
    await Erasure(database).finish(renaming)
    assert (await SqlLog(database).read("t")).entries[-1] == HandedOn(renaming.alias)


async def test_two_seats_of_an_erased_account_keep_different_names(database: Database) -> None:
    log = SqlLog(database)
    await log.append("t", 0, Created("t", "beate", GAME, {}, 2))
    await log.append("t", 1, Seated((SeatHolder("A", ANNA), SeatHolder("a", ANNA))))
    renaming = await Erasure(database).erase(ANNA)
    seated = (await log.read("t")).entries[1]
    assert isinstance(seated, Seated)
    assert [holder.name for holder in seated.seats] == [renaming.alias, f"{renaming.alias} 2"]


# -- a server ------------------------------------------------------------------------------------------------


async def a_match(server: Server) -> tuple[Client, Client, str]:
    """Anna and Beate have played a match to its end at Anna's table, where Carl's chat line stands."""
    anna, beate = await come(server, "anna"), await come(server, "beate")
    table = await anna.open(GAME, 2)
    await anna.sit(0)
    await beate.go_to(table)
    await beate.sit(1)
    await anna.start()
    await beate.until(lambda c: c.table.match is not None)
    clients = {0: anna, 1: beate}
    while anna.observation.outcome is None:
        seat = anna.observation.active[0]
        client = clients[seat]
        await client.until(lambda c, ply=anna.match.ply: c.match.ply >= ply)
        await client.play(seat, client.observation.legal_moves[0])
        await anna.until(lambda c, ply=client.match.ply: c.match.ply >= ply)
    await beate.until(lambda c: c.table.phase == "finished")
    return anna, beate, table


async def test_an_owner_erases_their_account_and_the_other_has_a_match_that_verifies(
    tmp_path: Path,
) -> None:
    async with probing(tmp_path) as server:
        anna, beate, table = await a_match(server)
        await anna.do(Say, "I am Anna of Example Street")
        await beate.do(Say, "Good night")
        for client in (anna, beate):
            await client.go_to(None)
        await anna.do(Say, "in the lobby")
        said = await ask(server, "account erase anna")
        assert (said.status, said.out, said.err) == (0, "The account anna has been erased.\n", "")
        await anna.until(lambda c: c.goodbye is not None)
        assert str(anna.goodbye) == "The account anna has been erased."
        reply = await beate.ask(GetHistory, 0)
        assert isinstance(reply, History)
        (match,) = reply.matches
        name = match.names[0]
        assert name.startswith("(erased ")
        assert match.names[1] == "beate"
        record = (await ask(server, f"record {table}", "beate")).out.encode()
        assert replay(parse_record(record)).seats[0] == name
        signature = (await ask(server, f"record {table} --signature", "beate")).out
        assert signer_of(record, signature.encode()) == host_key(tmp_path).convert_to_public()
        (file,) = (tmp_path / RECORDS).glob("*.json")
        assert file.read_bytes() == record
        assert all(line.user != "anna" for line in beate.lobby.chat.recent())
        assert await server.hub.accounts.holder_of("anna") is None
        again = await come(server, "anna", key_of("eve"))
        assert await name_of(again) == "anna"
        reply = await again.ask(GetHistory, 0)
        assert isinstance(reply, History)
        assert reply.matches == ()
        await again.close()
        await beate.close()
    assert [fault async for fault in faults_of(tmp_path, lambda *_: None)] == []
    # where the one who has the name now came from
    assert (tmp_path / ADDRESSES).read_text().count("anna") == 1


async def test_tables_of_others_that_go_on_know_an_erased_account_by_no_name(server: Server) -> None:
    anna, beate = await come(server, "anna"), await come(server, "beate")
    await anna.do(OpenTable, GAME, {}, 2, "Anna and friends")
    table = anna.table.id
    await beate.go_to(table)
    await beate.sit(0, 1)
    await anna.do(Say, "hello")
    await anna.do(HandOn, "beate")
    await beate.start()
    await beate.do(Say, "and here we are")
    assert "That's not your name" in await anna.refused(EraseAccount, "beate")
    said = await ask(server, "account erase Anna")
    assert said.status == 0
    await beate.until(lambda c: c.table.title.startswith("(erased "))
    spoken = [(line.user, str(line.words)) for line in beate.table.chat.recent() if line.user]
    assert spoken == [("beate", "and here we are")]
    await beate.look(beate.observation.active[0])
    await beate.play_to_the_end()
    assert server.hub.tables[table].state.created.host == beate.table.title
    await beate.close()


@pytest.mark.parametrize("is_begun", [False, True])
async def test_an_account_with_a_seat_is_not_erased_until_the_table_is_closed(
    tmp_path: Path, is_begun: bool
) -> None:
    (tmp_path / "admins.txt").write_text(public("root"))
    async with probing(tmp_path / "data", admins=str(tmp_path / "admins.txt")) as server:
        anna, beate = await come(server, "anna"), await come(server, "beate")
        table = await beate.open(GAME, 2, title="At the inn")
        await beate.sit(0)
        await anna.go_to(table)
        await anna.sit(1)
        if is_begun:
            await beate.start()
        refusal = f"anna has a seat at a table: At the inn ({table}). It has to be closed or left first."
        assert (await ask(server, "account erase anna")).err.strip() == refusal
        assert (await ask(server, "erase anna", "root", address=ELSEWHERE)).err.strip() == refusal
        assert await name_of(anna) == "anna"
        assert (await ask(server, f"close {table}", "root", address=ELSEWHERE)).status == 0
        said = await ask(server, "erase anna", "root", address=ELSEWHERE)
        assert (said.status, said.out) == (0, "The account anna has been erased.\n")
        await anna.until(lambda c: c.goodbye is not None)
        assert "has no account here" in (await ask(server, "erase anna", "root", address=ELSEWHERE)).err
        await beate.close()


async def test_an_account_is_erased_only_by_its_owner_with_its_name_typed_and_by_admins(
    server: Server,
) -> None:
    anna = await come(server, "anna")
    assert "account erase anna" in (await ask(server, "account")).out
    assert (await ask(server, "account erase")).err.strip() == "Usage: account erase NAME."
    assert "That's not your name: you are anna." in (await ask(server, "account erase beate")).err
    assert "no account here" in (await ask(server, "account", "eve", is_guest=True)).err
    assert "Only this server's admins" in (await ask(server, "erase anna", "eve")).err
    assert await name_of(anna) == "anna"
    await anna.close()
