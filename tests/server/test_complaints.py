"""Who disturbs can be muted at the whole server, and reported with what he has said."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from kk_core.protocol.messages import (
    PROTOCOL_VERSION,
    GoTo,
    Hello,
    Invite,
    NameKey,
    OpenTable,
    Report,
    Say,
    SayPhrase,
    TakeSeat,
)
from kk_server.accounts.bans import MUTES, parse_ban
from kk_server.hub.hub import Hub
from kk_server.serve.server import start
from kk_server.storage.memory_log import MemoryLog
from kk_server.visits.audit import AUDIT
from tests.server.client import Client
from tests.server.hosting import PROBES
from tests.server.probe import make_probe
from tests.server.remote import RemoteLink, dial, key_of, wait_for
from tests.server.test_accounts import come, told, until_told
from tests.server.test_addresses import CAFE, HOME
from tests.server.test_admins import Hosted, fingerprint, greeted
from tests.server.test_console import ask
from tests.waiting import Clock


@pytest.fixture
async def hosted(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Hosted]:
    """A server of one process, or of so many workers as a test is given."""
    hosted = Hosted(tmp_path)
    hosted.next = replace(hosted.next, workers=getattr(request, "param", 1))
    hosted.server = await start(hosted.next, make_probe, lambda: hosted.next, PROBES)
    yield hosted
    await hosted.server.close()


each_kind = pytest.mark.parametrize("hosted", [1, 2], ids=["one-process", "two-workers"], indirect=True)
"""With workers too, where it matters what they tell the hub of somebody, or what comes back by them."""


async def coming(hosted: Hosted, user: str, address: str, *, is_guest: bool = False) -> Client:
    connection = await dial(hosted.server.port, user, is_guest=is_guest, address=address)
    process: Any = await connection.create_process(subsystem="kk-sync", encoding=None)
    client = Client(RemoteLink(connection, process))
    await client.ask(Hello, PROTOCOL_VERSION)
    return client


def talk_in(hosted: Hosted) -> list[dict[str, Any]]:
    talk: list[dict[str, Any]] = hosted.audit[-1]["talk"]
    return talk


# -- muting --------------------------------------------------------------------------------------------------


@each_kind
async def test_who_is_muted_is_told_and_heard_nowhere_until_that_is_lifted(hosted: Hosted) -> None:
    anna, beate = await greeted(hosted, "anna"), await greeted(hosted, "beate")
    assert (await hosted.by_root("mute Anna")).out == "Anna is muted for good; `unmute` lifts it.\n"
    await until_told(anna, "has muted you")
    assert "has muted you" in await anna.refused(Say, "hear me")
    await anna.open("land_cards", 3)
    for what in ((Say, "hear me"), (SayPhrase, 1), (Invite, "beate")):
        assert "has muted you: nobody sees" in await anna.refused(*what)
    await anna.go_to(None)
    said = await anna.refused(OpenTable, "land_cards", {}, 3, "hear me")
    assert "has muted you" in said
    assert "You can open the table without a title." in said
    await beate.do(Say, "how quiet it is")
    assert [line.words for line in hosted.server.hub.lobby.chat.view().recent()] == ["how quiet it is"]
    assert (await hosted.by_root("mutes")).out.startswith("name  Anna  ")
    assert (await hosted.by_root("unmute anna")).out == "anna is no longer muted.\n"
    await anna.do(Say, "thank you")
    for client in (anna, beate):
        await client.close()


@each_kind
async def test_who_is_muted_says_nothing_by_the_name_on_a_seat_or_that_of_a_key(hosted: Hosted) -> None:
    anna = await greeted(hosted, "anna")
    await anna.open("land_cards", 3)
    await anna.do(TakeSeat, 0, "Anna two")
    await hosted.by_root("mute Anna")
    for what in ((TakeSeat, 1, "hear me"), (NameKey, fingerprint("anna"), "hear me")):
        assert "has muted you: nobody sees" in await anna.refused(*what)
    await anna.do(TakeSeat, 1, "anna")
    await anna.do(TakeSeat, 2)
    assert [seat.name for seat in anna.table.seats] == ["Anna two", "anna", "anna 2"]
    await anna.close()


async def test_no_code_is_worn_on_a_seat(hosted: Hosted) -> None:
    anna = await greeted(hosted, "anna")
    await anna.do(OpenTable, "land_cards", {}, 3, "", False, True)
    code = anna.table.code
    assert code is not None
    assert "can't be a name" in await anna.refused(TakeSeat, 0, f"me {code}")
    await anna.close()


@each_kind
async def test_a_mute_lasts_beyond_a_restart_and_is_over_after_its_minutes(hosted: Hosted) -> None:
    await (await greeted(hosted, "anna")).close()
    before = datetime.now(UTC)
    said = (await hosted.by_root("mute Anna 90")).out
    now = datetime.now(UTC)
    (until,) = re.findall(r"Anna is muted until (\S+)", said)
    assert until in {f"{day + timedelta(minutes=90):%Y-%m-%d}" for day in (before, now)}
    await hosted.server.close()
    await hosted.start()
    anna = await greeted(hosted, "anna")
    assert "has muted you until" in await anna.refused(Say, "hear me")
    hosted.server.moderation.mutes._now = lambda: now + timedelta(minutes=91)
    await anna.do(Say, "hear me")
    await anna.close()


@each_kind
async def test_a_guest_who_is_muted_is_so_under_any_name_and_nobody_else_is(hosted: Hosted) -> None:
    carl = await coming(hosted, "carl", HOME, is_guest=True)
    await hosted.by_root("mute carl 5")
    otto = await coming(hosted, "otto", HOME, is_guest=True)
    dora = await coming(hosted, "dora", HOME)
    emil = await coming(hosted, "emil", CAFE, is_guest=True)
    for muted in (carl, otto):
        assert "has muted you" in await muted.refused(Say, "hear me")
    for heard in (dora, emil):
        await heard.do(Say, "good evening")
    for client in (carl, otto, dora, emil):
        await client.close()


@each_kind
async def test_a_slip_of_the_pen_mutes_nobody_unnoticed(hosted: Hosted) -> None:
    await (await greeted(hosted, "anna")).close()
    await (await coming(hosted, "carl", HOME, is_guest=True)).close()
    for command in ("mute ana", "mute ana 90", "mute carol"):
        said = await hosted.by_root(command)
        name, near = command.split()[1], "~carl" if "carol" in command else "anna"
        assert (said.status, said.out) == (2, "")
        assert f"Nobody called {name} is here or has been here recently. Did you mean {near}?" in said.err
        assert hosted.audit[-1]["outcome"].startswith("refused: Nobody called")
    assert "Did you mean" not in (await hosted.by_root("mute nobodyatall")).err
    assert (await hosted.by_root("mute anna")).out == "anna is muted for good; `unmute` lifts it.\n"
    assert "is already muted" in (await hosted.by_root("mute Anna")).err
    assert "ana is not muted. Did you mean anna?" in (await hosted.by_root("unmute ana")).err
    assert "ana is not banned." in (await hosted.by_root("unban ana")).err
    anna = await greeted(hosted, "anna")
    assert "ana is not online. Did you mean anna?" in (await hosted.by_root("kick ana")).err
    await anna.close()
    assert "That's you." in (await hosted.by_root("mute root")).err
    for what in ("192.0.2.7", fingerprint("anna"), "999.1.1.1"):
        assert (await hosted.by_root(f"mute {what}")).status == 2
    assert [one.what for one in hosted.server.moderation.mutes.all] == ["anna"]
    assert "Only this server's admins" in (await ask(hosted.server, "mute anna", "eve")).err


@each_kind
async def test_mutes_that_were_written_into_the_file_count_after_a_reload_and_faulty_ones_change_nothing(
    hosted: Hosted,
) -> None:
    anna = await greeted(hosted, "anna")
    file = hosted.folder / "data" / MUTES
    file.write_text('[{"kind": "name", "what": "anna"}]')
    await hosted.by_root("reload")
    assert "has muted you" in await anna.refused(Say, "hear me")
    file.write_text("[{")
    assert MUTES in (await hosted.by_root("reload")).err
    assert "has muted you" in await anna.refused(Say, "hear me")
    await anna.close()


HEARD = "You are no longer muted: people see your messages again."


@each_kind
async def test_whose_mute_is_lifted_or_over_is_told_so_and_nobody_else(hosted: Hosted) -> None:
    anna, beate = await greeted(hosted, "anna"), await greeted(hosted, "beate")
    await hosted.by_root("mute beate")
    await hosted.by_root("mute anna")
    await hosted.by_root("unmute anna")
    await until_told(anna, HEARD)
    clock, now = Clock(stands=False), datetime.now(UTC)
    in_an_hour = (now + timedelta(hours=1)).isoformat()
    await hosted.server.moderation.mutes.add(replace(parse_ban("Anna", "root"), until=in_an_hour))
    anna.sent.clear()
    hosted.server.moderation.mutes._now = lambda: now + timedelta(hours=2)
    await clock.forward(2 * 3600)
    await until_told(anna, HEARD)
    await anna.do(Say, "thank you")
    await beate.refused(Say, "hear me")
    assert HEARD not in told(beate)
    (hosted.folder / "data" / MUTES).unlink()
    await hosted.by_root("reload")
    await until_told(beate, HEARD)
    for client in (anna, beate):
        await client.close()


@each_kind
async def test_who_is_muted_twice_is_told_when_the_last_mute_ends(hosted: Hosted) -> None:
    carl = await coming(hosted, "carl", HOME, is_guest=True)
    await hosted.by_root("mute carl")
    otto = await coming(hosted, "otto", HOME, is_guest=True)
    await hosted.by_root("mute otto")
    await hosted.by_root("unmute otto")
    for client in (carl, otto):
        await client.refused(Say, "hear me")
        assert HEARD not in told(client)
    await hosted.by_root("unmute carl")
    for client in (carl, otto):
        await until_told(client, HEARD)
        await client.close()


# -- reporting -----------------------------------------------------------------------------------------------


@each_kind
async def test_a_report_keeps_the_last_lines_with_names_and_addresses_and_tells_the_admins(
    hosted: Hosted,
) -> None:
    anna, eve = await coming(hosted, "anna", HOME), await coming(hosted, "eve", CAFE)
    root = await come(hosted.server, "olga", key_of("root"))
    table = await anna.open("land_cards", 3, title="At the inn")
    await eve.go_to(table)
    await eve.do(Say, "you \u202eare all fools")
    await anna.do(Say, "please stop")
    await anna.do(Report, "Eve", "rude\x1b words")
    kept = hosted.audit[-1]
    assert (kept["who"], kept["key"], kept["address"]) == ("anna", fingerprint("anna"), HOME)
    assert (kept["command"], kept["outcome"]) == ("report Eve rude words", "kept")
    assert kept["accused"] == [{"user": "eve", "address": CAFE}]
    (place,) = kept["talk"]
    assert (place["place"], place["title"]) == (table, "At the inn")
    assert [(line["user"], line["address"], line["words"]) for line in place["lines"]] == [
        ("eve", CAFE, "you are all fools"),
        ("anna", HOME, "please stop"),
    ]
    await until_told(root, "anna reports Eve; what was said is in the audit file. Reason: rude words")
    for client in (anna, eve, root):
        await client.close()


@each_kind
async def test_who_has_left_is_reported_by_a_command_too(
    hosted: Hosted,
) -> None:
    anna, eve = await coming(hosted, "anna", HOME), await coming(hosted, "eve", CAFE, is_guest=True)
    await eve.do(Say, "buy my coins")
    await eve.close()
    said = await ask(hosted.server, "report eve spam in the lobby", "anna", address=HOME)
    assert (said.status, said.out) == (
        0,
        "Your report goes to the host of this server, with the latest chat.\n",
    )
    (place,) = talk_in(hosted)
    assert place["place"] is None
    (line,) = place["lines"]
    assert (line["name"], line["address"], line["words"]) == ("~eve", CAFE, "buy my coins")
    assert hosted.audit[-1]["command"] == "report eve spam in the lobby"
    await anna.close()


@each_kind
async def test_nobody_is_reported_of_whom_one_has_heard_nothing_and_nothing_unheard_is_kept(
    hosted: Hosted,
) -> None:
    anna, eve, beate = [await coming(hosted, name, HOME) for name in ("anna", "eve", "beate")]
    await eve.do(OpenTable, "land_cards", {}, 3, "Secret", False, True)
    await eve.do(Say, "a secret plan")
    await beate.do(Say, "hello")
    assert "That's you." in await anna.refused(Report, "Anna", "")
    assert "Nobody called frieda is here" in await anna.refused(Report, "frieda", "")
    await anna.do(Report, "eve", "")
    assert [line["words"] for place in talk_in(hosted) for line in place["lines"]] == ["hello"]
    for client in (anna, eve, beate):
        await client.close()


@each_kind
async def test_who_is_reported_and_has_said_nothing_has_an_address_in_it_too(hosted: Hosted) -> None:
    anna, eve = await coming(hosted, "anna", HOME), await coming(hosted, "eve", CAFE, is_guest=True)
    await anna.do(Report, "Eve", "moves for nobody")
    assert hosted.audit[-1]["accused"] == [{"user": "~eve", "address": CAFE}]
    for client in (anna, eve):
        await client.close()


@each_kind
async def test_who_holds_a_seat_is_reported_though_away_and_silent_also_after_a_restart(
    hosted: Hosted,
) -> None:
    anna, eve = await coming(hosted, "anna", HOME), await coming(hosted, "eve", CAFE)
    table = await eve.open("land_cards", 3)
    await eve.do(TakeSeat, 0, "Eve the silent")
    await anna.go_to(table)
    await anna.sit(1)
    for client in (anna, eve):
        await client.close()
    await hosted.server.close()
    await hosted.start()
    for about, address in (("eve", HOME), ("EVE THE SILENT never moves", CAFE)):
        said = await ask(hosted.server, f"report {about}", "anna", address=address)
        assert (said.status, said.err) == (0, "")
        assert hosted.audit[-1]["accused"] == [{"user": "eve", "address": CAFE}]
    assert hosted.audit[-1]["command"] == "report EVE THE SILENT never moves"


@each_kind
async def test_who_was_here_lately_is_reported_though_silent_and_who_never_was_is_not(hosted: Hosted) -> None:
    anna = await coming(hosted, "anna", HOME)
    await (await coming(hosted, "eve", CAFE, is_guest=True)).close()
    await wait_for(lambda: not hosted.server.hub.presence.has("~eve"))
    await anna.do(Report, "eve", "looked over my shoulder")
    assert hosted.audit[-1]["accused"] == [{"user": "~eve", "address": CAFE}]
    assert "Nobody called evi is here or has been here recently. Did you mean ~eve?" in (
        await anna.refused(Report, "evi", "")
    )
    await anna.close()


async def test_nobody_is_reported_by_a_name_that_only_the_reporter_has_on_a_seat(hosted: Hosted) -> None:
    anna = await coming(hosted, "anna", HOME)
    await anna.open("land_cards", 3)
    await anna.do(TakeSeat, 0, "Mother superior")
    assert "Nobody called Mother superior is here" in await anna.refused(Report, "Mother superior", "")
    await anna.close()


@each_kind
async def test_who_sits_at_a_private_table_alone_is_not_given_away_by_a_report(hosted: Hosted) -> None:
    eve = await coming(hosted, "eve", CAFE)
    await eve.do(OpenTable, "land_cards", {}, 3, "Secret", False, True)
    await eve.do(TakeSeat, 0, "Mother superior")
    anna = await coming(hosted, "anna", HOME)
    assert await anna.refused(Report, "Mother superior", "") == await anna.refused(
        Report, "Mother superior", "x"
    )
    assert "Did you mean" not in await anna.refused(Report, "Mother superio", "")
    for client in (anna, eve):
        await client.close()


@each_kind
async def test_while_a_match_runs_a_report_has_only_what_its_writer_could_hear(hosted: Hosted) -> None:
    anna, eve = await coming(hosted, "anna", HOME), await coming(hosted, "eve", CAFE)
    table = await anna.open("land_cards", 3)
    await anna.sit(0, 1, 2)
    await anna.start()
    await eve.go_to(table)
    await eve.do(Say, "she has no cards")
    await anna.do(Report, "eve", "")
    assert not [line for place in talk_in(hosted) for line in place["lines"] if line["user"] == "eve"]
    await eve.do(GoTo, None)
    await eve.do(Say, "she cannot play")
    await anna.do(Report, "eve", "")
    assert talk_in(hosted)[0]["lines"][0]["words"] == "she cannot play"
    for client in (anna, eve):
        await client.close()


@each_kind
async def test_a_report_that_cannot_be_kept_says_so_and_names_no_file(hosted: Hosted) -> None:
    anna, eve = await greeted(hosted, "anna"), await greeted(hosted, "eve")
    (hosted.folder / "data" / AUDIT).mkdir()
    said = await anna.refused(Report, "eve", "")
    assert "couldn't save this" in said
    assert AUDIT not in said
    for client in (anna, eve):
        await client.close()


@each_kind
async def test_reports_count_as_lines_so_that_nobody_fills_the_disk(hosted: Hosted) -> None:
    limits = replace(hosted.next.limits, lines_per_second=0.001, lines_at_once=2)
    hosted.next = replace(hosted.next, limits=limits)
    await hosted.by_root("reload")
    anna, eve = await greeted(hosted, "anna"), await greeted(hosted, "eve")
    for _ in range(2):
        await anna.do(Report, "eve", "")
    assert "too fast" in await anna.refused(Report, "eve", "")
    assert len([line for line in hosted.audit if line["command"].startswith("report")]) == 2
    for client in (anna, eve):
        await client.close()


async def test_at_home_there_is_nobody_to_report_to() -> None:
    hub = Hub(MemoryLog())
    await hub.load()
    anna = Client(hub.connect("anna"))
    assert "You can't report anybody here" in await anna.refused(Report, "eve", "")
    await anna.close()
    await hub.close()
