"""What those who run a server can do: refused to all others, and everything stands in the audit log."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Callable
from errno import ENOSPC
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from kk_core.protocol.messages import (
    PROTOCOL_VERSION,
    GetLinkCode,
    Hello,
    LinkCode,
    Notice,
    OpenTable,
    Say,
    SayPhrase,
)
from kk_core.text import text
from kk_server.accounts.bans import BANS, BadBans, BanFile, BanKind, Bans, parse_ban
from kk_server.accounts.names import BadName
from kk_server.gateway import Admission, SessionRequest
from kk_server.log import get_logger, log_to, silence
from kk_server.serve import server as serve
from kk_server.serve.server import Server, start
from kk_server.serve.settings import BadSettings, Settings, Sources
from kk_server.storage.sqlite import SqliteDatabase
from kk_server.storage.table_log import StorageFailed
from kk_server.visits.audit import AUDIT
from kk_server.visits.visits import HubVisit
from tests.server.client import Client
from tests.server.hosting import PLENTY, here
from tests.server.probe import make_probe
from tests.server.remote import RemoteLink, dial, key_of, remote_link, screen, wait_for
from tests.server.test_accounts import come, refusal, told, until_told
from tests.server.test_console import Said, ask, table_of
from tests.waiting import patience

ELSEWHERE = "127.0.0.9"


def public(owner: str) -> str:
    return key_of(owner).export_public_key().decode().strip()


def fingerprint(owner: str) -> str:
    return key_of(owner).get_fingerprint()


class Hosted:
    """A server whose admin has the key of "root", and the settings that it reads anew."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "admins.txt").write_text(public("root"))
        self.next = here(folder / "data", limits=PLENTY, bot_pause=0.0, admins=str(folder / "admins.txt"))
        self.server: Server

    async def start(self) -> None:
        self.server = await start(self.next, make_probe, lambda: self.next)

    async def by_root(self, command: str, language: str = "") -> Said:
        return await ask(self.server, command, "root", language, address=ELSEWHERE)

    @property
    def audit(self) -> list[dict[str, Any]]:
        path = self.folder / "data" / AUDIT
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.fixture
async def hosted(tmp_path: Path) -> AsyncIterator[Hosted]:
    hosted = Hosted(tmp_path)
    await hosted.start()
    yield hosted
    await hosted.server.close()


async def greeted(hosted: Hosted, user: str) -> Client:
    client = Client(await remote_link(hosted.server.port, user))
    await client.ask(Hello, PROTOCOL_VERSION)
    return client


ROOT = f"root ({fingerprint('root')})"
"""How an admin without an account is written down."""

ADMINS = [
    "kick anna", "ban carla", "unban carla", "bans", "announce hello", "close 12345678", "drain 5", "reload",
    "mute anna", "unmute anna", "mutes",
]  # fmt: skip


@pytest.mark.parametrize("command", ADMINS)
async def test_who_has_no_admin_key_is_refused_and_that_stands_in_the_audit_log(
    hosted: Hosted, command: str
) -> None:
    anna = await greeted(hosted, "anna")
    for user, is_guest in (("eve", False), ("root", True)):
        said = await ask(hosted.server, command, user, is_guest=is_guest)
        assert (said.status, said.out) == (2, "")
        assert "Only this server's admins" in said.err
    first, second = hosted.audit
    assert {**first, "at": ""} == {
        "at": "", "who": f"eve ({fingerprint('eve')})", "key": fingerprint("eve"), "address": "127.0.0.1",
        "command": command, "outcome": "refused: not an admin",
    }  # fmt: skip
    assert (second["who"], second["key"]) == ("~root", None)
    assert not hosted.server.is_draining
    assert hosted.server.moderation.bans.all == ()
    assert told(anna) == "The name anna is now yours: it belongs to your key."
    await anna.close()


@pytest.mark.parametrize("line", ADMINS)
async def test_what_an_admin_does_stands_in_the_audit_log_with_its_outcome(hosted: Hosted, line: str) -> None:
    anna = await greeted(hosted, "anna")
    command = line.replace("12345678", await anna.open("land_cards", 3))
    if line.startswith("un"):
        await hosted.by_root(line.removeprefix("un"))
    assert (await hosted.by_root(command)).status == 0
    assert (await hosted.by_root("kick nobody")).status == 2
    *_, done, refused = hosted.audit
    await anna.close()
    assert (done["who"], done["key"], done["address"]) == (ROOT, fingerprint("root"), ELSEWHERE)
    assert (done["command"], done["outcome"]) == (command, "done")
    assert refused["outcome"] == "refused: nobody is not online."
    assert (hosted.folder / "data" / AUDIT).stat().st_mode & 0o777 == 0o600


async def test_an_admin_with_an_account_is_written_down_by_its_name(
    hosted: Hosted, capsys: pytest.CaptureFixture[str]
) -> None:
    await (await come(hosted.server, "olga", key_of("root"))).close()
    log_to(sys.stderr)
    await hosted.by_root("ban carla")
    silence()
    assert (hosted.audit[-1]["who"], hosted.audit[-1]["key"]) == ("olga", fingerprint("root"))
    assert hosted.server.moderation.bans.all[-1].by == "olga"
    assert '"user": "olga", "command": "ban carla"' in capsys.readouterr().err


async def test_what_cannot_be_written_down_is_not_done(hosted: Hosted) -> None:
    (hosted.folder / "data" / AUDIT).mkdir()
    said = await hosted.by_root("ban carla")
    assert said.status == 2
    assert AUDIT in said.err
    assert hosted.server.moderation.bans.all == ()


async def test_an_admin_comes_in_where_only_listed_keys_do(tmp_path: Path) -> None:
    for name, owner in (("admins.txt", "root"), ("friends.txt", "anna")):
        (tmp_path / name).write_text(public(owner))
    friends = here(
        tmp_path / "data", admins=str(tmp_path / "admins.txt"), allow=str(tmp_path / "friends.txt")
    )
    server = await start(friends, make_probe)
    assert (await ask(server, "bans", "root")).status == 0
    assert (await ask(server, "tables", "anna")).status == 0
    assert "only listed keys" in (await ask(server, "tables", "eve")).err
    await server.close()


async def test_an_admin_sees_addresses_and_keys(hosted: Hosted) -> None:
    anna = await greeted(hosted, "anna")
    (tree,) = json.loads((await hosted.by_root("who --json")).out)
    assert tree["sessions"] == [{"address": "127.0.0.1", "key": fingerprint("anna")}]
    heads, row = (await hosted.by_root("who")).out.splitlines()
    assert heads.split("  ")[0] == "name"
    assert row.split() == ["anna", "-", "127.0.0.1", fingerprint("anna")]
    await anna.close()


async def test_an_admin_reads_every_connection_of_a_user_in_a_line_of_its_own(hosted: Hosted) -> None:
    anna, again = await greeted(hosted, "anna"), await greeted(hosted, "anna")
    await anna.do(OpenTable, "land_cards", {}, 3, "At the inn", False, True)
    _heads, first, second = (await hosted.by_root("who")).out.splitlines()
    assert first.split() == ["anna", anna.table.id, "127.0.0.1", fingerprint("anna")]
    assert second.split() == ["127.0.0.1", fingerprint("anna")]
    assert second.index("127.0.0.1") == first.index("127.0.0.1")
    for client in (anna, again):
        await client.close()


# -- people --------------------------------------------------------------------------------------------------


async def test_who_is_kicked_is_told_and_may_come_again(hosted: Hosted) -> None:
    terminal, client = await screen(hosted.server, "anna"), await greeted(hosted, "anna")
    other = await greeted(hosted, "beate")
    await terminal.until("size=80x24.")
    said = await hosted.by_root("kick Anna")
    assert said.out == "2 sessions were ended.\n"
    await terminal.rest()
    assert b"has ended your session" in terminal.seen
    await client.until_closed()
    assert "has ended your session" in str(client.goodbye)
    again = await greeted(hosted, "anna")
    for one in (again, other):
        await one.close()


async def test_a_guest_is_kicked_with_or_without_his_mark(hosted: Hosted) -> None:
    for name in ("carl", "~carl"):
        connection = await dial(hosted.server.port, "carl", is_guest=True)
        await connection.create_process(term_type="xterm-256color", encoding=None)
        await wait_for(lambda: bool(hosted.server.visits.of("~carl")))
        assert (await hosted.by_root(f"kick {name}")).status == 0
        await wait_for(lambda: hosted.server.visits.of("~carl") == [])
        connection.close()
        await connection.wait_closed()


async def test_who_is_sent_away_before_anything_is_shown_leaves_all_the_same(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter = HubVisit.enter

    async def kicked(visit: HubVisit, request: SessionRequest) -> Admission:
        admitted = await enter(visit, request)
        visit.end(text("You have to go."))
        return admitted

    monkeypatch.setattr(HubVisit, "enter", kicked)
    connection = await dial(hosted.server.port, "anna")
    process = await connection.create_process(term_type="xterm-256color", encoding=None)
    async with asyncio.timeout(patience()):
        assert b"You have to go." in await process.stdout.read()
    connection.close()
    program = Client(await remote_link(hosted.server.port, "anna"))
    await program.until_closed()
    assert "You have to go." in str(program.goodbye)


async def test_a_command_of_who_is_sent_away_before_it_has_begun_is_not_carried_out(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    recognised = HubVisit._recognised

    async def kicked(visit: HubVisit, **how: bool) -> str:
        user = await recognised(visit, **how)
        visit.end(text("You have to go."))
        return user

    monkeypatch.setattr(HubVisit, "_recognised", kicked)
    said = await ask(hosted.server, "who")
    assert (said.status, said.out) == (2, "")
    assert "You have to go." in said.err


@pytest.mark.parametrize("what", ["Anna", "SHA256", "127.0.0.1", "127.0.0.0/29"])
async def test_who_is_banned_leaves_and_comes_in_no_more_until_that_is_lifted(
    hosted: Hosted, what: str
) -> None:
    what = fingerprint("anna") if what == "SHA256" else what
    anna, away = await greeted(hosted, "anna"), Client(hosted.server.hub.connect("away"))
    assert (await hosted.by_root(f"ban {what} 3 Too loud.")).status == 0
    await anna.until_closed()
    said = await refusal(hosted.server, "anna")
    assert "You are banned from this server until" in said
    assert "Reason: Too loud." in said
    assert str(anna.goodbye) in said
    assert (await hosted.by_root(f"unban {what}")).status == 0
    await (await greeted(hosted, "anna")).close()
    await away.close()


async def test_no_code_of_a_banned_account_lets_another_key_in(hosted: Hosted) -> None:
    anna = await greeted(hosted, "anna")
    code = await anna.ask(GetLinkCode)
    assert isinstance(code, LinkCode)
    assert (await hosted.by_root("ban anna")).status == 0
    await anna.until_closed()
    connection = await dial(hosted.server.port, "elsewhere", key_of("phone"), address="127.0.0.44")
    process = await connection.create_process(f"link {code.code}", term_type="xterm-256color", encoding=None)
    async with asyncio.timeout(patience()):
        assert b"You are banned from this server" in await process.stderr.read()
        await process.wait_closed()
    assert process.exit_status == 2
    connection.close()


async def test_bans_last_beyond_a_restart_and_are_listed(hosted: Hosted) -> None:
    await hosted.by_root("ban anna")
    await hosted.by_root("ban 2001:db8::1")
    await hosted.server.close()
    await hosted.start()
    assert "You are banned" in await refusal(hosted.server, "anna")
    assert "You are banned" in await refusal(hosted.server, "\u0430nna", is_guest=True)
    lines = (await hosted.by_root("bans")).out.splitlines()
    assert [line.split()[:2] for line in lines] == [["name", "anna"], ["address", "2001:db8::/64"]]
    in_german = (await hosted.by_root("bans", "de")).out.splitlines()
    assert [line.split()[0] for line in in_german] == ["Name", "Adresse"]
    (first, _) = json.loads((await hosted.by_root("bans --json", "de")).out)
    assert (first["kind"], first["by"]) == ("name", ROOT)


@pytest.mark.parametrize("what", ["root", ELSEWHERE, "SHA256"])
async def test_nobody_bans_himself(hosted: Hosted, what: str) -> None:
    what = fingerprint("root") if what == "SHA256" else what
    assert "That's you." in (await hosted.by_root(f"ban {what}")).err


def test_what_is_banned_is_told_apart_by_its_form() -> None:
    kinds = {
        "anna": BanKind.NAME,
        "SHA256:abc": BanKind.KEY,
        "10.0.0.0/8": BanKind.ADDRESS,
        "::1": BanKind.ADDRESS,
    }
    assert {words: parse_ban(words, "").kind for words in kinds} == kinds
    with pytest.raises(BadName):
        parse_ban("\u200b", "")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("SHA256:abc", "SHA256:abc is not a key fingerprint"),
        ("999.1.1.1", "999.1.1.1 is not an address"),
        ("10.0.0.0/99", "10.0.0.0/99 is not an address"),
        ("fe80::12345", "fe80::12345 is not an address"),
    ],
)
async def test_what_can_be_about_nobody_is_not_banned(hosted: Hosted, words: str, reason: str) -> None:
    assert reason in (await hosted.by_root(f"ban {words}")).err
    assert hosted.server.moderation.bans.all == ()


async def test_bans_that_cannot_be_read_are_no_empty_list(tmp_path: Path) -> None:
    (tmp_path / BANS).write_text("[{")
    with pytest.raises(BadBans, match=BANS):
        await Bans(BanFile(tmp_path / BANS)).load()


async def test_what_is_banned_twice_or_lifted_once_too_often_is_refused(hosted: Hosted) -> None:
    await hosted.by_root("ban anna")
    assert "already banned" in (await hosted.by_root("ban A.N.N.A")).err
    await hosted.by_root("unban anna")
    assert "not banned" in (await hosted.by_root("unban anna")).err


async def test_everybody_hears_an_announcement_wherever_he_is(hosted: Hosted) -> None:
    anna, beate = await greeted(hosted, "anna"), await table_of(hosted.server.hub, "beate")
    said = await hosted.by_root("announce don't panic: \x1b[31m\u202etea at five")
    assert said.out == "Sent to 2 sessions.\n"
    for client in (anna, beate):
        await until_told(client, "don't panic: [31mtea at five")
        notice = next(each for each in client.sent if isinstance(each, Notice) and "panic" in str(each.text))
        assert notice.from_host
        assert notice.stays
        await client.close()
    assert "no visible characters" in (await hosted.by_root("announce \x1b")).err


async def test_who_comes_with_the_key_of_an_admin_is_marked_and_nobody_else(hosted: Hosted) -> None:
    connection = await dial(hosted.server.port, "olga", key_of("root"))
    process = await connection.create_process(subsystem="kk-sync", encoding=None)
    olga, anna = Client(RemoteLink(connection, process)), await greeted(hosted, "anna")
    await olga.ask(Hello, PROTOCOL_VERSION)
    await olga.do(Say, "hello")
    await anna.do(Say, "olga [admin]: hello")
    await anna.until(lambda c: c.lobby.chat.said == 2 and len(c.lobby.users) == 2)
    assert [(line.name, line.is_admin) for line in anna.lobby.chat.recent()] == [
        ("olga", True),
        ("anna", False),
    ]
    assert anna.lobby.admins == ("olga",)
    await anna.open("land_cards", 3)
    await olga.go_to(anna.table.id)
    await olga.do(SayPhrase, 1)
    await anna.until(lambda c: [line.is_admin for line in c.table.chat.recent()] == [True])
    for client in (olga, anna):
        await client.close()


# -- tables --------------------------------------------------------------------------------------------------


async def test_a_table_is_closed_and_its_people_are_told_now_or_when_they_come(hosted: Hosted) -> None:
    anna = await greeted(hosted, "anna")
    table = await anna.open("land_cards", 3)
    await anna.sit(0, 1, 2)
    await anna.start()
    beate = await greeted(hosted, "beate")
    await beate.go_to(table)
    await anna.close()
    assert (await hosted.by_root(f"close {table}")).out == f"Table {table} is closed.\n"
    await until_told(beate, "has closed")
    assert beate.lobby.tables == ()
    again = await greeted(hosted, "anna")
    await until_told(again, "has closed")
    for client in (beate, again):
        await client.close()


# -- draining ------------------------------------------------------------------------------------------------


async def test_who_is_here_is_told_that_the_server_stops_and_nothing_new_is_opened(hosted: Hosted) -> None:
    anna = await table_of(hosted.server.hub, "anna")
    await anna.start()
    said = await hosted.by_root("drain 7")
    assert "will stop in 7 minutes" in said.out
    await until_told(anna, "will stop in 7 minutes")
    later = await greeted(hosted, "beate")
    await until_told(later, "will stop in 7 minutes")
    assert "no new tables can be opened" in await later.refused(OpenTable, "land_cards", {}, 3, "")
    await anna.play_to_the_end()
    assert json.loads((await hosted.by_root("health --json")).out)["status"] == "draining"
    for client in (anna, later):
        assert not hosted.server.stopping.is_set()
        await client.close()
    await wait_for(hosted.server.stopping.is_set)


async def test_without_a_number_people_have_as_long_as_the_settings_say(hosted: Hosted) -> None:
    anna = await greeted(hosted, "anna")
    hosted.server.settings = replace(hosted.server.settings, drain_minutes=3)
    assert "in 3 minutes" in (await hosted.by_root("drain")).out
    await anna.close()


async def test_where_nobody_is_here_it_stops_at_once_and_says_so(hosted: Hosted) -> None:
    assert (
        await hosted.by_root("drain 7")
    ).out == "Nobody is online: this server stops now. Everything is saved.\n"
    await wait_for(hosted.server.stopping.is_set)


async def test_who_asks_again_without_a_number_leaves_the_deadline_and_with_one_sets_another(
    hosted: Hosted,
) -> None:
    anna = await greeted(hosted, "anna")
    for command, minutes in (("drain 7", 7), ("drain", 7), ("drain 2", 2), ("drain", 2)):
        assert f"in {minutes} minutes" in (await hosted.by_root(command)).out
    await anna.close()


async def test_the_deadline_ends_it_and_people_hear_of_the_last_minutes(hosted: Hosted) -> None:
    anna = await greeted(hosted, "anna")
    await serve.drained(hosted.server.hub, 12, minute=0.02)
    await until_told(anna, "will stop in a minute")
    for minutes in ("12", "10", "5", "2"):
        assert f"will stop in {minutes} minutes" in told(anna)
    assert "in 11 minutes" not in told(anna)
    await anna.close()


# -- reloading -----------------------------------------------------------------------------------------------


async def test_a_reload_takes_in_settings_and_lists_and_says_what_has_to_wait(hosted: Hosted) -> None:
    limits = replace(PLENTY, lines_at_once=1, sessions_per_user=1)
    (hosted.folder / "admins.txt").write_text(f"{public('root')}\n{public('anna')}\n")
    hosted.next = replace(hosted.next, guests="no", port=1, bot_processes=3, language="tlh", limits=limits)
    said = (await hosted.by_root("reload")).out.splitlines()
    assert set(said) == {
        "guests is now no.", "port stays 0 until the next start.", "language is now tlh.",
            "There is no translation for language = 'tlh': English is used.",
        "bot_processes stays not set until the next start.",
        "limits.lines_at_once is now 1.", "limits.sessions_per_user is now 1.",
    }  # fmt: skip
    assert "requires an SSH key" in await refusal(hosted.server, "carl", is_guest=True)
    assert (await ask(hosted.server, "bans", "anna")).status == 0
    beate = await greeted(hosted, "beate")
    await beate.do(Say, "one")
    assert "too fast" in await beate.refused(Say, "two")
    assert "already have a session here" in (await ask(hosted.server, "tables", "beate")).err
    await beate.close()


async def test_a_reload_without_changes_says_so(hosted: Hosted) -> None:
    assert "No settings have changed" in (await hosted.by_root("reload")).out


async def test_bans_that_were_written_into_the_file_count_after_a_reload(hosted: Hosted) -> None:
    (hosted.folder / "data" / BANS).write_text('[{"kind": "name", "what": "anna"}]')
    await hosted.by_root("reload")
    assert "You are banned" in await refusal(hosted.server, "anna")


def no_settings() -> Settings:
    raise BadSettings(text("port is x: Expected int"))


async def test_of_settings_with_several_faults_each_is_named(hosted: Hosted, tmp_path: Path) -> None:
    file = tmp_path / "faulty.toml"
    file.write_text("port = 70000\n[limits]\ntables = 0\nsheep = 3\n")
    hosted.server._read = Sources(file).read
    said = await hosted.by_root("reload")
    for fault in (
        "port is 70000: Expected int <= 65535.",
        "limits.tables is 0: Expected int >= 1.",
        "limits.sheep: no such setting.",
    ):
        assert fault in said.err
        assert fault in hosted.audit[-1]["outcome"]


@pytest.mark.parametrize("fault", ["settings", "admins", "bans"])
async def test_a_reload_of_something_faulty_changes_nothing(hosted: Hosted, fault: str) -> None:
    spoil: dict[str, Callable[[], object]] = {
        "settings": lambda: setattr(hosted.server, "_read", no_settings),
        "admins": lambda: (hosted.folder / "admins.txt").write_text("nonsense"),
        "bans": lambda: (hosted.folder / "data" / BANS).write_text("nonsense"),
    }
    hosted.next = replace(hosted.next, guests="no")
    spoil[fault]()
    said = await hosted.by_root("reload")
    assert said.status == 2
    assert hosted.server.settings.guests is None
    assert hosted.audit[-1]["outcome"].startswith("refused: ")
    await (await greeted(hosted, "anna")).close()
    assert (await ask(hosted.server, "tables", "carl", is_guest=True)).status == 0


async def test_health_says_that_nothing_can_be_stored_until_something_is_and_to_admins_why(
    hosted: Hosted,
) -> None:
    database = hosted.server._database
    assert isinstance(database, SqliteDatabase)
    with pytest.raises(StorageFailed):
        await database.rows("SELECT nothing")
    assert (await hosted.by_root("health --json")).json["status"] == "ok", "it was only a question"
    await database.rows("PRAGMA query_only = on")
    with pytest.raises(StorageFailed):
        await database.write("DELETE FROM clocks", {})
    reason = "attempt to write a readonly database"
    said = (await hosted.by_root("health --json")).json
    assert (said["status"], said["storage"]) == ("not storing", reason)
    assert f"status: nothing can be stored: {reason}\n" in (await hosted.by_root("health")).out
    said = (await ask(hosted.server, "health --json", "eve")).json
    assert (said["status"], said["storage"]) == ("not storing", None)
    assert "status: nothing can be stored\n" in (await ask(hosted.server, "health", "eve")).out
    await database.rows("PRAGMA query_only = off")
    await database.write("DELETE FROM clocks", {})
    assert "status: ok\n" in (await ask(hosted.server, "health", "eve")).out


async def test_health_says_to_admins_that_the_log_cannot_be_written_until_it_can(
    hosted: Hosted, journal: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_line: str) -> int:
        raise OSError(ENOSPC, os.strerror(ENOSPC))

    reason = "No space left on device"
    assert "log:" not in (await hosted.by_root("health")).out
    with monkeypatch.context() as patch:
        patch.setattr(journal, "write", full)
        get_logger().info("lost")
        assert f"log: it can't be written: {reason}\n" in (await hosted.by_root("health")).out
        assert (await hosted.by_root("health --json")).json["log"] == reason
        assert "log:" not in (await ask(hosted.server, "health", "eve")).out
        assert (await ask(hosted.server, "health --json", "eve")).json["log"] is None
    get_logger().info("written")
    assert (await hosted.by_root("health --json")).json["log"] is None
