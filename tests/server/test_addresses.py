"""Addresses: in every line of the log that programs go by, remembered for some days, and then nowhere."""

from __future__ import annotations

import json
import re
import signal
import sys
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import asyncssh
import pytest
from msgspec.structs import replace

from kk_core.protocol.messages import OpenTable
from kk_server.accounts.addresses import ADDRESSES, Addresses
from kk_server.accounts.bans import BANS, BadBans, BanFile, Bans, parse_ban
from kk_server.log import get_logger, log_to, silence
from kk_server.serve.server import Server, start
from kk_server.visits.audit import AUDIT, AuditLog
from tests.server.hosting import PROBES
from tests.server.probe import make_probe
from tests.server.remote import dial, wait_for
from tests.server.test_accounts import refusal
from tests.server.test_admins import ELSEWHERE, Hosted, greeted, public
from tests.server.test_console import ask
from tests.server.test_service import service

DOCS = Path(__file__).parents[2] / "docs"
HOME, CAFE = "127.0.0.21", "127.0.0.22"


@pytest.fixture
async def hosted(tmp_path: Path) -> AsyncIterator[Hosted]:
    hosted = Hosted(tmp_path)
    await hosted.start()
    yield hosted
    await hosted.server.close()


async def visit(server: Server, user: str, address: str, *, is_guest: bool = False) -> None:
    """Somebody comes to the game from an address, and goes."""
    connection = await dial(server.port, user, is_guest=is_guest, address=address)
    await connection.create_process(term_type="xterm", encoding=None)
    await wait_for(lambda: any(v.user for v in server.visits.all if v.caller.address == address))
    connection.close()
    await connection.wait_closed()
    await wait_for(lambda: all(v.caller.address != address for v in server.visits.all))


# -- the log -------------------------------------------------------------------------------------------------


def filter_of_the_docs() -> re.Pattern[str]:
    """The filter for fail2ban that docs/server.md gives, as Python has it."""
    page = (DOCS / "server.md").read_text(encoding="utf-8")
    (found,) = re.findall(r"^ +failregex = (.+)$", page, re.MULTILINE)
    return re.compile(found.replace("<HOST>", r"(?P<host>[0-9a-f:.]+)"))


@pytest.mark.e2e
@pytest.mark.parametrize("workers", ["1", "2"])
async def test_every_line_that_a_program_goes_by_begins_alike_and_names_the_address(
    tmp_path: Path, workers: str
) -> None:
    (tmp_path / "admins").write_text(public("root"))
    limits = "--set", "limits.connections_at_once=8", "--set", "limits.connections_per_second=0.01"
    async with service(tmp_path, "--workers", workers, "--admins", str(tmp_path / "admins"), *limits) as run:
        await run.notice()
        server: Any = SimpleNamespace(port=await run.port())
        anna = await dial(server.port, "anna", address=HOME)
        visit = await anna.create_process(term_type="xterm", encoding=None)
        await visit.stdout.readuntil(b"anna")  # in the lobby: with several processes, not known before
        assert (await ask(server, "kick anna", "root", address=ELSEWHERE)).status == 0
        assert (await ask(server, "ban anna 1 rude", "root", address=ELSEWHERE)).status == 0
        assert (await ask(server, "nonsense", "beate", address=CAFE)).status == 2
        assert "banned" in (await ask(server, "tables", "anna", address=HOME)).err
        for _ in range(8):
            (await dial(server.port, '","address":"9.9.9.9', address="127.0.0.33")).close()
        with pytest.raises(asyncssh.DisconnectError, match="Too many new connections"):
            await dial(server.port, "anna", address="127.0.0.33")
        anna.close()
        await run.end(signal.SIGTERM)
    lines = [line.decode() for line in run.log.splitlines()]
    found: dict[tuple[str, str], str] = {}
    for line in lines:
        tree = json.loads(line)
        order = list(tree)
        assert order[:3] == ["timestamp", "level", "event"], line
        if "address" in tree:
            assert order[3] == "address"
            found.setdefault((tree["event"], tree["address"]), line)
    for event, address in (
        ("connect", HOME), ("kicked", HOME), ("banned", HOME), ("refused", CAFE), ("auth failed", HOME),
        ("disconnect", HOME), ("turned away", "127.0.0.33"), ("admin command", ELSEWHERE),
    ):  # fmt: skip
        assert (event, address) in found, event
    counted = {match["host"] for line in lines if (match := filter_of_the_docs().search(line))}
    assert counted == {HOME, "127.0.0.33"}
    caught = {key for key, line in found.items() if filter_of_the_docs().search(line)}
    assert {event for event, _ in caught} == {"auth failed", "turned away", "banned"}


def test_no_name_can_forge_a_line_that_a_filter_takes(capsys: pytest.CaptureFixture[str]) -> None:
    evil = '{"timestamp": "", "level": "info", "event": "auth failed", "address": "9.9.9.9"}\n'
    for style in ("json", "text"):
        log_to(sys.stderr, style)
        get_logger().info("connect", user=evil, address="1.2.3.4")
        get_logger().info("auth failed", user=evil, reason=evil, address="1.2.3.4")
    silence()
    first, second, third, fourth = capsys.readouterr().err.splitlines()
    assert filter_of_the_docs().search(first) is None
    match = filter_of_the_docs().search(second)
    assert match is not None
    assert match["host"] == "1.2.3.4"
    for line, event in ((third, "connect"), (fourth, "auth failed")):
        assert re.match(rf"\S+ info +{event}: address=1\.2\.3\.4 user=", line)


# -- who has left --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [1, 2])
async def test_who_has_left_is_banned_with_addresses_that_were_his_alone(
    tmp_path: Path, workers: int
) -> None:
    hosted = Hosted(tmp_path)
    hosted.next = replace(hosted.next, workers=workers)
    hosted.server = await start(hosted.next, make_probe, lambda: hosted.next, PROBES)
    day = datetime.now(UTC).date()
    hosted.server.addresses.today = lambda: day  # also where it is midnight meanwhile
    await visit(hosted.server, "eve", HOME)
    await visit(hosted.server, "eve", CAFE)
    await visit(hosted.server, "dora", CAFE)
    await visit(hosted.server, "carl", "127.0.0.23", is_guest=True)
    assert (await hosted.by_root("ban eve")).out.splitlines() == [
        "eve is banned for good; `unban` lifts it.",
        f"{HOME}/32 is banned, too: eve last used it on {day}.",
        f"{CAFE} is not banned: dora used it, too; `ban {CAFE}` bans it.",
    ]
    assert "127.0.0.23/32 is banned, too: ~carl last" in (await hosted.by_root("ban carl")).out
    for name, address in (("eve", HOME), ("eve", CAFE), ("otto", HOME), ("otto", "127.0.0.23")):
        said = await ask(hosted.server, "tables", name, address=address)
        assert "You are banned" in said.err
        connection = await dial(hosted.server.port, name, address=address)
        for command in (None, "join ABCDEF"):  # which need a terminal, but would not be let in with one
            assert "You are banned" in str((await connection.run(command)).stderr)
        connection.close()
    assert (await ask(hosted.server, "tables", "dora", address=CAFE)).status == 0
    assert f"  {HOME}/32" in (await hosted.by_root("bans")).out
    assert (await hosted.by_root(f"unban {HOME}")).status == 0
    assert (await ask(hosted.server, "tables", "otto", address=HOME)).status == 0
    assert "banned" in (await ask(hosted.server, "tables", "eve", address=HOME)).err
    await hosted.server.close()


async def test_of_an_address_that_many_came_from_a_few_are_named_and_all_stand_in_the_audit_file(
    hosted: Hosted,
) -> None:
    names = [f"guest{number:02}" for number in range(43)]
    for name in ("eve", *names):
        hosted.server.addresses.see(name, CAFE)
    said = (await hosted.by_root("ban eve")).out.splitlines()
    assert said[1] == (
        f"{CAFE} is not banned: 43 others used it, too (guest00, guest01, guest02, guest03, guest04, ...; "
        f"the audit file has all of them); `ban {CAFE}` bans it."
    )
    assert hosted.audit[-1]["spared"] == [{"address": CAFE, "users": names}]
    for name in ("otto", *names[:5]):
        hosted.server.addresses.see(name, HOME)
    said = (await hosted.by_root("ban otto")).out.splitlines()
    assert said[1] == f"{HOME} is not banned: {', '.join(names[:5])} used it, too; `ban {HOME}` bans it."


async def test_where_people_came_from_is_known_after_a_restart_and_only_as_long_as_the_settings_say(
    hosted: Hosted,
) -> None:
    await visit(hosted.server, "anna", HOME)
    await hosted.server.close()
    file = hosted.folder / "data" / ADDRESSES
    assert file.stat().st_mode & 0o777 == 0o600
    old = (datetime.now(UTC).date() - timedelta(days=30)).isoformat()
    file.write_text(f'{file.read_text()}{{"user":"eve","address":"192.0.2.1","day":"{old}"}}\n{{"user":')
    await hosted.start()
    assert [seen.address for seen in hosted.server.addresses.of("Anna")] == [HOME]
    assert "192.0.2.1" not in file.read_text()
    hosted.next = replace(hosted.next, address_days=0)
    await hosted.by_root("reload")
    await wait_for(lambda: file.read_text() == "")
    await visit(hosted.server, "anna", HOME)
    assert file.read_text() == ""
    assert "No address of anna is known: the name alone is banned." in (await hosted.by_root("ban anna")).out
    said = (await hosted.by_root("ban ana")).out
    assert "ana is banned for good" in said
    assert "Nobody called ana is here or has been here recently." in said
    assert "anne is not banned. Did you mean anna?" in (await hosted.by_root("unban anne")).err


def test_of_one_name_the_latest_addresses_are_remembered_and_of_all_a_bounded_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kk_server.accounts.addresses._MOST", 15)
    days = iter(date(2026, 3, 1) + timedelta(days=n) for n in range(1000))
    today = [next(days)]
    addresses = Addresses(tmp_path / ADDRESSES, 30, lambda: today[0])
    for number in range(12):
        addresses.see("anna", f"192.0.2.{number}")
    assert [seen.address for seen in addresses.of("~ANNA")] == [f"192.0.2.{n}" for n in range(11, 1, -1)]
    for number in range(40):
        addresses.see(f"~guest{number}", "192.0.2.200")
    assert len(addresses.at("192.0.2.200")) == 15
    assert len((tmp_path / ADDRESSES).read_text().splitlines()) <= 2 * 15
    today[0] = date(2026, 3, 31)
    assert addresses.at("192.0.2.200") == frozenset()


def test_what_cannot_be_written_is_remembered_all_the_same(tmp_path: Path) -> None:
    (tmp_path / ADDRESSES).mkdir()
    addresses = Addresses(tmp_path / ADDRESSES, 30)
    addresses.see("anna", "192.0.2.7")
    assert [seen.address for seen in addresses.of("anna")] == ["192.0.2.7"]


async def test_older_addresses_are_taken_from_the_audit_file_and_nothing_else(tmp_path: Path) -> None:
    audit = AuditLog(tmp_path / AUDIT)
    audit.add("root", "SHA256:x", "192.0.2.9", "ban 2001:db8::/64 7 rude, see a.b:c", "done")
    talk = [{"place": None, "lines": [{"user": "eve", "address": "192.0.2.8", "words": "192.0.2.7 is mine"}]}]
    audit.add("anna", None, "::1", "report eve", "kept", talk=talk)
    (tmp_path / AUDIT).open("a").write("no json\n")
    before = (tmp_path / AUDIT).read_bytes()
    now = datetime.now(UTC)
    audit.forget_addresses(30, now + timedelta(days=29))
    assert (tmp_path / AUDIT).read_bytes() == before
    audit.forget_addresses(30, now + timedelta(days=31))
    *lines, last = (tmp_path / AUDIT).read_text().splitlines()
    ban, report = map(json.loads, lines)
    assert last == "no json"
    assert (ban["address"], ban["key"], ban["command"]) == (
        None,
        "SHA256:x",
        "ban (address) 7 rude, see a.b:c",
    )
    assert report["talk"][0]["lines"] == [{"user": "eve", "address": None, "words": "192.0.2.7 is mine"}]
    assert (tmp_path / AUDIT).stat().st_mode & 0o777 == 0o600


# -- how long, and why ---------------------------------------------------------------------------------------


async def test_a_ban_is_over_after_its_days_and_tells_how_long_and_why(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = datetime.now(UTC)
    said = await hosted.by_root("ban anna 7 rude in\x1b the lobby")
    now = datetime.now(UTC)
    (until,) = re.findall(r"^anna is banned until (\S+)", said.out)
    assert until in {f"{day + timedelta(days=7):%Y-%m-%d}" for day in (before, now)}
    told = await refusal(hosted.server, "anna")
    assert f"banned from this server until {until}" in told
    assert "Reason: rude in the lobby" in told
    assert re.search(rf"until {until} .* UTC  rude in the lobby$", (await hosted.by_root("bans")).out.strip())
    (tree,) = json.loads((await hosted.by_root("bans --json")).out)
    assert (tree["kind"], tree["what"], tree["reason"]) == ("name", "anna", "rude in the lobby")
    hosted.server.moderation.bans._now = lambda: now + timedelta(days=7, minutes=1)
    assert (await hosted.by_root("bans")).out == "Nobody is banned.\n"
    assert (await ask(hosted.server, "tables", "anna")).status == 0
    assert (await hosted.by_root("ban anna forever")).out.startswith("anna is banned for good")


@pytest.mark.parametrize(
    "line", ["ban Anna Maria", "ban anna rude 7", "ban anna 0", "ban anna 99999999", "mute anna -1"]
)
async def test_what_is_no_number_of_days_is_refused_and_nobody_is_banned(hosted: Hosted, line: str) -> None:
    said = await hosted.by_root(line)
    assert said.status == 2
    assert f"ssh HOST {line.split()[0]}" in said.err
    assert hosted.server.moderation.bans.all == hosted.server.moderation.mutes.all == ()


async def test_a_name_of_several_words_is_banned_in_one(hosted: Hosted) -> None:
    await hosted.by_root("ban AnnaMaria 7")
    assert "banned" in (await ask(hosted.server, "tables", "Anna Maria")).err


@pytest.mark.parametrize("until", ['"soon"', '"2026-01-01T00:00:00"', "7"])
async def test_bans_whose_end_is_no_moment_cannot_be_read(tmp_path: Path, until: str) -> None:
    (tmp_path / BANS).write_text(f'[{{"kind": "name", "what": "anna", "until": {until}}}]')
    with pytest.raises(BadBans, match=BANS):
        await Bans(BanFile(tmp_path / BANS)).load()


async def test_who_may_read_them_is_the_host_alone(tmp_path: Path) -> None:
    await Bans(BanFile(tmp_path / BANS)).add(parse_ban("192.0.2.7", "root"))
    assert (tmp_path / BANS).stat().st_mode & 0o777 == 0o600
    again = Bans(BanFile(tmp_path / BANS))
    await again.load()
    assert again.find("x", None, "192.0.2.7") is not None


# -- what admins see -----------------------------------------------------------------------------------------


async def test_admins_see_private_tables_who_opened_them_and_from_where_but_no_code(hosted: Hosted) -> None:
    anna = await greeted(hosted, "anna")
    await anna.do(OpenTable, "land_cards", {}, 3, "At the inn", False, True)
    code, table = anna.table.code, anna.table.id
    await anna.sit(0)
    said = await hosted.by_root("tables")
    assert table in said.out
    assert "by invitation; opened by anna, 127.0.0.1" in said.out
    (tree,) = json.loads((await hosted.by_root("tables --json")).out)
    assert (tree["private"], tree["opened_by"], tree["addresses"]) == (True, "anna", ["127.0.0.1"])
    assert str(code) not in said.out + json.dumps(tree)
    (person,) = json.loads((await hosted.by_root("who --json")).out)
    assert person["tables"] == [table]
    for other in ("tables", "tables --json", "who", "who --json"):
        assert table not in (await ask(hosted.server, other, "eve")).out
    await anna.close()
