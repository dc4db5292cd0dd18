"""Who somebody is at a server: keys, names, guests and link codes, over real SSH connections."""

from __future__ import annotations

import asyncio
import io
import json
import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import asyncssh
import pytest

from kk_core.errors import KkError
from kk_core.protocol.messages import (
    PROTOCOL_VERSION,
    GetHistory,
    GetKeys,
    GetLinkCode,
    Hello,
    History,
    Invite,
    Keys,
    LinkCode,
    NameKey,
    Notice,
    OpenReplay,
    RemoveKey,
    Say,
    SayPhrase,
    TakeSeat,
    Welcome,
)
from kk_server.accounts.guests import Guests
from kk_server.accounts.link_codes import LinkCodes
from kk_server.accounts.names import skeleton
from kk_server.frontend.driver import Terminal
from kk_server.frontend.terminal import AccountSettings
from kk_server.limits import ServerLimits
from kk_server.serve.server import Server, start
from kk_server.storage.sqlite import DATABASE, open_database
from kk_server.visits.access import BadKeys, read_allowed_keys
from kk_tui.settings import AppSettings, SettingsStore, changed
from tests.server.client import Client
from tests.server.hosting import PLENTY, here
from tests.server.probe import HostedProbe, make_probe
from tests.server.remote import RemoteLink, dial, key_of
from tests.waiting import patience, wait_for

GAME = "land_cards"
ELSEWHERE = "127.0.0.2"


async def link(connection: asyncssh.SSHClientConnection) -> RemoteLink:
    return RemoteLink(connection, await connection.create_process(subsystem="kk-sync", encoding=None))


async def come(server: Server, user: str, *keys: asyncssh.SSHKey, **how: object) -> Client:
    """Somebody who is let in."""
    client = Client(await link(await dial(server.port, user, *keys, **how)))  # type: ignore[arg-type]
    assert isinstance(await client.ask(Hello, PROTOCOL_VERSION), Welcome)
    return client


async def name_of(client: Client) -> str:
    welcome = await client.ask(Hello, PROTOCOL_VERSION)
    assert isinstance(welcome, Welcome)
    return welcome.user


async def refusal(server: Server, user: str, *keys: asyncssh.SSHKey, **how: object) -> str:
    """What somebody is told who is not let in."""
    connection = await dial(server.port, user, *keys, **how)  # type: ignore[arg-type]
    process = await connection.create_process(subsystem="kk-sync")
    said = str(await process.stderr.read())
    assert process.exit_status == 2
    connection.close()
    await connection.wait_closed()
    return said.strip()


def told(client: Client) -> str:
    return "\n".join(str(message.text) for message in client.sent if isinstance(message, Notice))


async def until_told(client: Client, words: str) -> None:
    await client.until(lambda c: words in told(c))


@asynccontextmanager
async def serving(folder: Path, **settings: str) -> AsyncIterator[Server]:
    server = await start(here(folder, limits=PLENTY, bot_pause=0, **settings), make_probe)
    try:
        yield server
    finally:
        await server.close()


# -- the key is the account ----------------------------------------------------------------------------------


async def test_the_first_login_with_a_key_claims_the_name_and_says_so(server: Server) -> None:
    anna = await come(server, "anna")
    await until_told(anna, "The name anna is now yours")
    assert await name_of(anna) == "anna"
    await anna.close()


async def test_whoever_comes_with_the_same_key_is_the_same_account_also_after_a_restart(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path) as server:
        anna = await come(server, "anna")
        table = await anna.open(GAME, 3)
        await anna.sit(0)
    async with serving(tmp_path) as server:
        again = await come(server, "anna")
        await again.go_to(table)
        assert again.table.seats[0].owner == "anna"
        assert told(again) == ""


async def test_a_key_is_its_account_under_whatever_name_it_comes(server: Server) -> None:
    await (await come(server, "anna")).close()
    anna = await come(server, "laptop", key_of("anna"))
    assert await name_of(anna) == "anna"
    await until_told(anna, "Your key belongs to anna")
    await anna.close()


LOOK_ALIKES = [
    "anna", "Anna", "ANNA", "\u00e1nn\u00e4", "an-na", "a n n a", "\uff41nna", "\U0001d41anna", "\u00aanna",
    "\u0391\u039d\u039d\u0391",
]  # fmt: skip


@pytest.mark.parametrize("name", LOOK_ALIKES)
async def test_nobody_else_wears_a_claimed_name_or_one_that_looks_like_it(server: Server, name: str) -> None:
    anna = await come(server, "anna")
    assert "The name anna belongs to somebody's key" in await refusal(server, name, key_of("eve"))
    assert "The name anna belongs to somebody's key" in await refusal(server, name, is_guest=True)
    await anna.close()


async def test_a_name_of_mixed_alphabets_is_refused(server: Server) -> None:
    assert "several alphabets" in await refusal(server, "\u0430nn\u0430", key_of("eve"))


@pytest.mark.parametrize("name", ["Hildegard", "hildegard", "F0rtuna", "greedy", "Expert"])
async def test_names_of_bots_cannot_be_claimed_nor_worn_by_guests(server: Server, name: str) -> None:
    assert "is the name of a bot here" in await refusal(server, name, key_of("eve"))
    assert "is the name of a bot here" in await refusal(server, name, is_guest=True)


@pytest.mark.parametrize(
    "name", ["The host says", "root", "admin1", "AdminAnna", "A\u25cf anna", "anna (you)"]
)
async def test_names_of_the_house_and_signs_of_the_app_are_refused_with_a_key_without_and_on_seats(
    server: Server, name: str
) -> None:
    anna = await come(server, "anna")
    await anna.open(GAME, 3)
    on_a_seat = await anna.refused(TakeSeat, 0, name)
    assert re.search("is reserved for the server|cannot contain", on_a_seat)
    said = f"{on_a_seat} Your name goes before the @: NAME@HOST."
    assert await refusal(server, name, key_of("eve")) == said
    assert await refusal(server, name, is_guest=True) == said
    await anna.close()


@pytest.mark.parametrize("name", ["The host says", "A\u25cf anna"])
async def test_an_account_from_before_under_such_a_name_plays_on_but_nobody_hears_it(
    tmp_path: Path, name: str
) -> None:
    async with serving(tmp_path):
        pass
    with closing(sqlite3.connect(tmp_path / DATABASE)) as file, file:
        row = key_of("old").get_fingerprint(), name, skeleton(name)
        file.execute("INSERT INTO account_keys (fingerprint, account, claims, at) VALUES (?, ?, ?, 1)", row)
    async with serving(tmp_path) as server:
        old, anna = await come(server, "anybody", key_of("old")), await come(server, "anna")
        await until_told(old, "you can go on playing, but nobody sees your messages")
        assert await name_of(old) == name
        await old.open(GAME, 3)
        await old.sit(0)
        for request in (Say, "Enter this code"), (SayPhrase, 1), (Invite, "anna"):
            assert "nobody sees your messages" in await old.refused(*request)
        await old.go_to(None)
        assert "nobody sees your messages" in await old.refused(Say, "Enter this code")
        assert told(anna) == "The name anna is now yours: it belongs to your key."
        await old.close()
        await anna.close()


async def test_a_claimed_name_cannot_be_put_on_a_seat_by_others_but_a_free_one_can(server: Server) -> None:
    anna, eve = await come(server, "anna"), await come(server, "eve")
    await eve.open(GAME, 3)
    assert "belongs to somebody else" in await eve.refused(TakeSeat, 0, "Ann\u00e1")
    assert "is the name of a bot here" in await eve.refused(TakeSeat, 0, "Puck")
    await eve.do(TakeSeat, 0, "Eve's son")
    await eve.do(TakeSeat, 1, "EVE")
    assert [seat.name for seat in eve.table.seats] == ["Eve's son", "EVE", ""]
    await anna.close()
    await eve.close()


async def test_on_a_terminal_a_refusal_is_broken_between_words(server: Server) -> None:
    await (await come(server, "anna")).close()
    connection = await dial(server.port, "anna", is_guest=True)
    process = await connection.create_process(
        term_type="xterm-256color", term_size=(60, 24), encoding="utf-8"
    )
    lines = (await process.stderr.read()).split("\r\n")
    assert len(lines) > 3
    assert max(map(len, lines)) < 60
    said = "The name anna belongs to somebody's key. Connect under another name (with ssh, as NAME@HOST)."
    assert " ".join(lines).startswith(said)
    connection.close()
    await connection.wait_closed()


async def test_a_key_that_claims_its_name_over_another_connection_meanwhile_is_let_in(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    accounts, key = server.visits.access.accounts, key_of("newcomer").get_fingerprint()
    holder_of = accounts.holder_of

    async def after_a_claim(raw: str) -> str | None:
        await accounts.login(raw, key, "127.0.0.1")
        return await holder_of(raw)

    monkeypatch.setattr(accounts, "holder_of", after_a_claim)
    assert await accounts.why_not("newcomer", key) is None
    assert "belongs to somebody's key" in str(await accounts.why_not("newcomer", "SHA256:other"))


async def test_of_two_keys_that_claim_a_name_at_once_one_gets_it(server: Server) -> None:
    connections = [await dial(server.port, "anna", key_of(owner)) for owner in ("one", "two")]
    processes = await asyncio.gather(*(c.create_process(subsystem="kk-sync") for c in connections))
    refused = [asyncio.create_task(process.stderr.read(1)) for process in processes]
    done, _ = await asyncio.wait(refused, return_when=asyncio.FIRST_COMPLETED, timeout=patience())
    assert [await task for task in done] == ["T"]
    winner = next(owner for owner, task in zip(("one", "two"), refused, strict=True) if task not in done)
    anna = await come(server, "anna", key_of(winner))
    assert await name_of(anna) == "anna"
    await anna.close()
    for connection in connections:
        connection.close()


async def test_the_key_that_fits_is_found_among_several(server: Server) -> None:
    await (await come(server, "anna")).close()
    anna = await come(server, "anna", key_of("other"), key_of("anna"))
    assert await name_of(anna) == "anna"
    await anna.close()


async def test_to_offer_somebodys_key_without_signing_with_it_is_worth_nothing(server: Server) -> None:
    """The public key of anna is no secret: eve offers it, cannot sign, and goes on without a key."""

    class Borrowed(asyncssh.SSHKeyPair):
        def __init__(self) -> None:
            public = key_of("anna").convert_to_public()
            super().__init__(b"ssh-ed25519", b"ssh-ed25519", (b"ssh-ed25519",), (b"ssh-ed25519",),
                             public.public_data, None)  # fmt: skip

        def sign(self, data: bytes) -> bytes:
            return key_of("eve").sign(data, b"ssh-ed25519")

    await (await come(server, "anna")).close()
    eve = await come(server, "eve", Borrowed())  # type: ignore[arg-type]
    assert await name_of(eve) == "~eve"
    await eve.close()


async def test_who_offers_too_many_keys_is_disconnected(tmp_path: Path) -> None:
    limits = ServerLimits(keys_per_connection=3)
    server = await start(here(tmp_path, limits=limits), make_probe)
    await (await come(server, "anna")).close()
    await (await come(server, "anna", key_of("one"), key_of("two"), key_of("anna"))).close()
    with pytest.raises(asyncssh.DisconnectError, match="Too many keys"):
        await dial(server.port, "anna", *(key_of(str(n)) for n in range(4)))
    await server.close()


async def test_the_file_holds_no_key_and_the_log_neither_keys_nor_codes(
    tmp_path: Path, journal: io.StringIO
) -> None:
    async with serving(tmp_path) as server:
        anna = await come(server, "anna")
        code = await code_of(anna)
        await link_key(server, code, key_of("phone"))
        await anna.close()
    public = key_of("anna").export_public_key().decode().split()[1]
    told = journal.getvalue()
    assert '"anna"' in told
    for secret in (code, code.replace("-", ""), public, key_of("anna").get_fingerprint()):
        assert secret not in told
    with closing(sqlite3.connect(tmp_path / DATABASE)) as file:
        assert code not in str(file.execute("SELECT * FROM account_keys").fetchall())


# -- guests --------------------------------------------------------------------------------------------------


async def test_a_guest_without_a_key_has_a_mark_before_the_name(server: Server) -> None:
    guest = await come(server, "carl", is_guest=True)
    assert await name_of(guest) == "~carl"
    await guest.open(GAME, 3)
    await guest.sit(0)
    assert guest.table.seats[0].name == "~carl"
    await guest.close()


async def test_nobody_with_a_key_wears_the_mark_of_guests(server: Server) -> None:
    eve = await come(server, "~\u223c\uff5ecarl", key_of("eve"))
    assert await name_of(eve) == "carl"
    await eve.close()


async def test_a_guests_name_on_a_seat_keeps_the_mark_whatever_he_wishes(server: Server) -> None:
    guest = await come(server, "carl", is_guest=True)
    await guest.open(GAME, 3)
    await guest.do(TakeSeat, 0, "Carl the Great and Beautiful")
    assert guest.table.seats[0].name == "~Carl the Great and"
    await guest.close()


async def test_a_guest_from_elsewhere_under_the_same_name_is_somebody_else(server: Server) -> None:
    carl = await come(server, "carl", is_guest=True)
    other = await come(server, "CARL", is_guest=True, address=ELSEWHERE)
    assert await name_of(other) == "~CARL 2"
    await carl.close()
    again = await come(server, "carl", is_guest=True)
    assert await name_of(again) == "~carl"
    await again.close()
    await other.close()


async def test_a_guest_keeps_the_seat_when_somebody_claims_the_name(server: Server) -> None:
    carl = await come(server, "carl", is_guest=True)
    table = await carl.open(GAME, 3)
    await carl.sit(0)
    await carl.close()
    other = await come(server, "carl")
    carl = await come(server, "carl", is_guest=True)
    await carl.go_to(table)
    assert carl.table.seats[0].owner == await name_of(carl) == "~carl"
    await carl.close()
    await other.close()


async def test_where_guests_are_not_wanted_they_are_told_what_to_do(tmp_path: Path) -> None:
    async with serving(tmp_path, guests="no") as server:
        assert "requires an SSH key" in await refusal(server, "carl", is_guest=True)
        await (await come(server, "carl")).close()


async def test_a_code_for_a_further_key_is_not_said_nor_announced_until_it_is_used(tmp_path: Path) -> None:
    admins = tmp_path / "admins"
    admins.write_text(key_of("beate").export_public_key().decode())
    async with serving(tmp_path / "data", admins=str(admins)) as server:
        anna, beate = await come(server, "anna"), await come(server, "beate")
        code = await code_of(anna)
        for client in (anna, beate):
            for line in (code, code.lower().replace("-", " "), f"psst {code.replace('-', '')}!"):
                assert "Your message wasn't sent" in await client.refused(Say, line)
        said = await beate.link.connection.run(f"announce {code}", check=False)  # type: ignore[attr-defined]
        assert "Your message wasn't sent" in str(said.stderr)
        await link_key(server, code, key_of("phone"))
        await beate.do(Say, code)
        await anna.until(lambda c: c.lobby.chat.said == 1)
        assert not any(isinstance(each, Notice) and each.from_host for each in anna.sent)
        await anna.close()
        await beate.close()


async def test_guests_have_no_account_to_link_a_key_to(server: Server) -> None:
    guest = await come(server, "carl", is_guest=True)
    assert "Guests have no account" in await guest.refused(GetLinkCode)
    await guest.close()


@pytest.mark.parametrize(
    ("address", "other", "is_same"),
    [
        ("192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8::1", "2001:db8::2:3", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("fe80::1%eth0", "fe80::2", True),
    ],
)
def test_a_machine_that_changes_the_second_half_of_its_address_is_the_same_guest(
    address: str, other: str, is_same: bool
) -> None:
    guests = Guests()
    guests.name_for("carl", address)
    assert guests.has_used("Carl", other) is is_same
    assert (guests.name_for("Carl", other) == "~Carl") is is_same


def test_a_guests_name_is_free_again_after_a_day() -> None:
    now = [0.0]
    guests = Guests(lambda: now[0])
    guests.name_for("carl", "192.0.2.1")
    now[0] = 24 * 3600.0 - 1
    assert guests.name_for("carl", "192.0.2.2") == "~carl 2"
    now[0] += 2
    assert guests.name_for("carl", "192.0.2.3") == "~carl"


def test_one_address_keeps_twenty_names_those_used_last() -> None:
    guests = Guests()
    for number in range(21):
        guests.name_for(f"carl {number}", "192.0.2.1")
    assert not guests.has_used("carl 0", "192.0.2.1")
    assert all(guests.has_used(f"carl {number}", "192.0.2.1") for number in range(1, 21))


# -- listed keys ---------------------------------------------------------------------------------------------


def public(owner: str) -> str:
    return key_of(owner).export_public_key().decode().strip()


async def test_only_listed_keys_come_in_and_the_others_are_told(tmp_path: Path) -> None:
    keys = tmp_path / "keys.txt"
    keys.write_text(f'# friends\n\n{public("anna")}\nrestrict,from="{ELSEWHERE}" {public("beate")}\n')
    async with serving(tmp_path / "data", allow=str(keys)) as server:
        anna = await come(server, "anna", key_of("other"), key_of("anna"))
        beate = await come(server, "beate", address=ELSEWHERE)
        assert "only listed keys" in await refusal(server, "beate")
        assert "only listed keys" in await refusal(server, "carl", is_guest=True)
        await anna.close()
        await beate.close()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("ssh-ed25519 nonsense", "line 2: this is not an SSH public key: 'ssh-ed25519 nonsense'"),
        ("hello", "line 2: this is not an SSH public key"),
        ("cert-authority KEY", "line 2: the option 'cert-authority' is not supported here"),
        ('restrict,command="ls -l, all" KEY', "line 2: the option 'command=\"ls -l, all\"' is not supported"),
    ],
)
def test_a_bad_line_in_a_list_of_keys_is_refused_with_number_and_reason(
    tmp_path: Path, line: str, reason: str
) -> None:
    keys = tmp_path / "keys.txt"
    keys.write_text(f"{public('anna')}\n{line.replace('KEY', public('beate'))}\n")
    with pytest.raises(BadKeys, match=re.escape(reason)):
        read_allowed_keys(keys)


def test_a_list_without_keys_or_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("# nobody\n")
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    for name, reason in (("empty", "has no key"), ("binary", "not UTF-8"), ("none", "No such file")):
        with pytest.raises(BadKeys, match=reason):
            read_allowed_keys(tmp_path / name)


# -- further keys --------------------------------------------------------------------------------------------


async def code_of(client: Client) -> str:
    answer = await client.ask(GetLinkCode)
    assert isinstance(answer, LinkCode), answer
    assert re.fullmatch(r"[A-Z2-9]{4}-[A-Z2-9]{4}", answer.code)
    assert answer.seconds == 600
    return answer.code


async def link_key(
    server: Server, code: str, key: asyncssh.SSHKey, user: str = "elsewhere", address: str = "127.0.0.1"
) -> tuple[int, str]:
    """`ssh host link CODE`: the exit status, and what was said."""
    connection = await dial(server.port, user, key, address=address)
    result = await connection.run(f"link {code}")
    connection.close()
    await connection.wait_closed()
    assert result.exit_status is not None
    return result.exit_status, str(result.stdout) + str(result.stderr)


@pytest.mark.parametrize("user", ["anna", "elsewhere"])
async def test_a_further_key_is_linked_by_a_code_and_both_sides_are_told(server: Server, user: str) -> None:
    anna = await come(server, "anna")
    status, said = await link_key(server, await code_of(anna), key_of("phone"), user)
    assert (status, said.strip()) == (0, "This key now opens the account anna.")
    await until_told(anna, "Another SSH key now opens your account")
    phone = await come(server, "whoever", key_of("phone"))
    assert await name_of(phone) == "anna"
    await anna.close()
    await phone.close()


async def test_a_code_is_good_once(server: Server) -> None:
    anna = await come(server, "anna")
    code = await code_of(anna)
    assert (await link_key(server, code.lower().replace("-", " "), key_of("phone")))[0] == 0
    status, said = await link_key(server, code, key_of("eve"))
    assert status == 2
    assert "wrong, already used, or more than ten minutes old" in said
    await anna.close()


async def test_a_newer_code_takes_the_place_of_the_one_before(server: Server) -> None:
    anna = await come(server, "anna")
    old, new = await code_of(anna), await code_of(anna)
    assert (await link_key(server, old, key_of("phone")))[0] == 2
    assert (await link_key(server, new, key_of("phone")))[0] == 0
    await anna.close()


async def test_whoever_guesses_codes_has_to_wait_and_others_have_not(server: Server) -> None:
    anna = await come(server, "anna")
    code = await code_of(anna)
    for _ in range(5):
        assert "is wrong" in (await link_key(server, "AAAA-AAAA", key_of("eve")))[1]
    assert "Too many codes" in (await link_key(server, code, key_of("eve")))[1]
    assert (await link_key(server, code, key_of("phone"), address=ELSEWHERE))[0] == 0
    await anna.close()


async def test_a_key_with_an_account_is_not_linked_to_another_and_the_code_stays_good(server: Server) -> None:
    anna, eve = await come(server, "anna"), await come(server, "eve")
    code = await code_of(anna)
    assert "already belongs to eve" in (await link_key(server, code, key_of("eve")))[1]
    assert (await link_key(server, code, key_of("phone")))[0] == 0
    await anna.close()
    await eve.close()


async def test_linking_claims_no_name(server: Server) -> None:
    await link_key(server, "AAAA-AAAA", key_of("phone"), "phone")
    phone = await come(server, "phone", key_of("somebody"))
    assert await name_of(phone) == "phone"
    await phone.close()


async def test_on_a_terminal_linking_leads_straight_to_the_game(server: Server) -> None:
    anna = await come(server, "anna")
    code = await code_of(anna)
    connection = await dial(server.port, "anna", key_of("phone"))
    process = await connection.create_process(
        f"link {code}", term_type="xterm-256color", term_size=(80, 24), encoding=None
    )
    assert b"\x1b[?1049h" in await process.stdout.read(1000)
    connection.close()
    await anna.close()


async def test_of_a_key_that_was_linked_and_comes_in_at_once_the_other_session_is_told(
    tmp_path: Path,
) -> None:
    server = await start(here(tmp_path))
    anna = await come(server, "anna")
    code = await code_of(anna)
    connection = await dial(server.port, "anna", key_of("phone"))
    await connection.create_process(f"link {code}", term_type="xterm-256color", encoding=None)
    await until_told(anna, "Another SSH key now opens your account")
    assert "connected again" not in told(anna)
    connection.close()
    await anna.close()
    await server.close()


# -- the keys of an account ----------------------------------------------------------------------------------


def print_of(owner: str) -> str:
    return key_of(owner).get_fingerprint()


async def command(server: Server, line: str, owner: str = "anna", user: str = "anna") -> tuple[int, str]:
    """What `ssh HOST LINE` answers to somebody with a key: the exit status, and what was said."""
    connection = await dial(server.port, user, key_of(owner))
    result = await connection.run(line)
    connection.close()
    await connection.wait_closed()
    assert result.exit_status is not None
    return result.exit_status, str(result.stdout) + str(result.stderr)


async def keys_of(client: Client) -> Keys:
    answer = await client.ask(GetKeys)
    assert isinstance(answer, Keys), answer
    return answer


async def with_phone(server: Server) -> Client:
    """Anna, to whose account the key of "phone" was linked."""
    anna = await come(server, "anna")
    assert (await link_key(server, await code_of(anna), key_of("phone")))[0] == 0
    return anna


async def test_the_keys_of_an_account_are_listed_with_name_since_when_and_last_used(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1_700_000_000.0]
    monkeypatch.setattr("kk_server.accounts.accounts.time", lambda: now[0])
    anna = await with_phone(server)
    now[0] += 86_400
    assert (await command(server, "health", "phone"))[0] == 0
    now[0] += 60
    assert (await command(server, "health", "phone"))[0] == 0  # within the hour nothing is written
    mine, phone = (listed := await keys_of(anna)).keys
    assert listed.own == mine.fingerprint == print_of("anna")
    assert (mine.name, mine.since, mine.used) == ("ed25519", 1_700_000_000, 1_700_000_000)
    assert (phone.fingerprint, phone.since, phone.used) == (print_of("phone"), 1_700_000_000, 1_700_086_400)
    status, said = await command(server, "keys")
    assert status == 0
    head, first, second = said.splitlines()
    assert head.split("  ")[0] == "SSH key"
    assert first.split() == [print_of("anna"), "ed25519", "2023-11-14", "2023-11-15", "this", "one"]
    assert second.split() == [print_of("phone"), "ed25519", "2023-11-14", "2023-11-15"]
    _, told_json = await command(server, "keys --json", "phone")
    assert [(line["fingerprint"], line["this"]) for line in json.loads(told_json)] == [
        (print_of("anna"), False), (print_of("phone"), True),
    ]  # fmt: skip
    await anna.close()


async def test_a_key_gets_a_name_and_is_found_by_it_or_by_its_beginning(server: Server) -> None:
    anna = await with_phone(server)
    assert (await command(server, f"keys name {print_of('phone')[:20]} my  phone\u202e"))[0] == 0
    assert [key.name for key in (await keys_of(anna)).keys] == ["ed25519", "my phone"]
    await anna.do(NameKey, print_of("anna"), "laptop")
    assert [key.name for key in (await keys_of(anna)).keys] == ["laptop", "my phone"]
    assert "no such key" in await anna.refused(NameKey, print_of("eve"), "mine")
    for line, reason in (
        ("keys remove SHA256:", "'SHA256:' matches several of your keys"),
        ("keys remove tablet", "no key 'tablet'"),
        ("keys remove", "keys remove KEY"),
        ("keys name laptop", "keys name KEY NAME"),
        ("keys drop laptop", "keys remove KEY"),
    ):
        status, said = await command(server, line)
        assert status == 2
        assert reason in said
    assert (await command(server, "keys name MyPhone old phone"))[0] == 0
    assert [key.name for key in (await keys_of(anna)).keys] == ["laptop", "old phone"]
    assert (await command(server, "keys name 'OLD PHONE' my phone"))[0] == 0
    assert (await command(server, "keys remove MY PHONE"))[0] == 0
    assert [key.name for key in (await keys_of(anna)).keys] == ["laptop"]
    await anna.close()


async def test_who_came_with_a_key_that_is_taken_away_leaves_and_others_stay_and_are_told(
    server: Server,
) -> None:
    anna = await with_phone(server)
    phone, eve = await come(server, "anna", key_of("phone")), await come(server, "eve")
    connection = await dial(server.port, "anna", key_of("phone"))
    terminal = await connection.create_process(term_type="xterm-256color", encoding=None)
    await terminal.stdout.read(10)
    code = await code_of(phone)
    await anna.do(RemoveKey, print_of("phone"))
    await phone.until_closed()
    assert "no longer opens the account anna" in str(phone.goodbye)
    async with asyncio.timeout(patience()):
        assert b"no longer opens the account anna" in await terminal.stdout.read()
    connection.close()
    await until_told(anna, f"no longer opens your account: {print_of('phone')}")
    assert await name_of(anna) == "anna"
    assert "belongs to somebody" in await refusal(server, "anna", key_of("phone"))
    assert "is wrong" in (await link_key(server, code, key_of("phone")))[1]
    assert "opens" not in told(eve)
    await anna.close()
    await eve.close()


@pytest.mark.parametrize("by_command", [True, False])
async def test_the_last_key_of_an_account_stays(server: Server, by_command: bool) -> None:
    anna = await come(server, "anna")
    if by_command:
        status, said = await command(server, f"keys remove {print_of('anna')}")
        assert status == 2
    else:
        said = await anna.refused(RemoveKey, print_of("anna"))
    assert "This is your only key" in said
    assert await name_of(anna) == "anna"
    await anna.close()


async def test_nobody_takes_a_key_of_somebody_else_away_and_guests_have_none(server: Server) -> None:
    anna, eve = await with_phone(server), await come(server, "eve")
    assert "no such key" in await eve.refused(RemoveKey, print_of("phone"))
    assert (await command(server, f"keys remove {print_of('phone')}", "eve", "eve"))[0] == 2
    guest = await come(server, "carl", is_guest=True)
    for request in (GetKeys,), (RemoveKey, print_of("phone")):
        assert "You have no account here yet" in await guest.refused(*request)
    assert len((await keys_of(anna)).keys) == 2
    for client in (anna, eve, guest):
        await client.close()


async def test_an_account_without_its_first_key_keeps_its_name(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        anna = await with_phone(server)
        status, said = await command(server, f"keys remove {print_of('anna')}")
        assert (status, said.strip()) == (
            0,
            f"{print_of('anna')} no longer opens your account; anybody using it was disconnected.",
        )
        await anna.until_closed()
        assert "belongs to somebody" in await refusal(server, "Anna", key_of("eve"))
    async with serving(tmp_path) as server:
        assert "belongs to somebody" in await refusal(server, "anna")
        phone = await come(server, "whoever", key_of("phone"))
        assert await name_of(phone) == "anna"
        assert "only key" in await phone.refused(RemoveKey, print_of("phone"))
        await phone.close()


async def test_of_two_keys_that_take_each_other_away_at_once_one_stays(server: Server) -> None:
    anna = await with_phone(server)
    accounts = server.visits.access.accounts
    done = await asyncio.gather(
        *(accounts.remove_key("anna", print_of(owner)) for owner in ("anna", "phone")), return_exceptions=True
    )
    assert sorted(type(outcome).__name__ for outcome in done) == ["NoneType", "NotLetIn"]
    assert len(await accounts.keys_of("anna")) == 1
    await anna.link.close()


async def test_whose_key_was_added_while_nobody_was_there_is_told_when_they_come_and_not_who_added_it(
    tmp_path: Path,
) -> None:
    added = f"Another SSH key now opens your account: ed25519, {print_of('phone')}"
    async with serving(tmp_path) as server:
        anna = await come(server, "anna")
        code = await code_of(anna)
        await anna.close()
        await wait_for(lambda: not server.hub.presence.has("anna"))
        await link_key(server, code, key_of("phone"))
        for _ in range(2):
            phone = await come(server, "anna", key_of("phone"))
            assert added not in told(phone)
            await phone.close()
    async with serving(tmp_path) as server:
        anna = await come(server, "anna")
        await until_told(anna, added)
        (notice,) = [
            each for each in anna.sent if isinstance(each, Notice) and "Another SSH key" in str(each.text)
        ]
        assert notice.stays
        await anna.close()
        again = await come(server, "anna")
        assert added not in told(again)
        await again.close()


async def test_a_code_is_good_for_ten_minutes_and_used_once(tmp_path: Path) -> None:
    now = [0.0]
    database = await open_database(tmp_path / DATABASE)
    codes = LinkCodes(database, lambda: now[0])
    late, early, newer = await codes.new("anna"), await codes.new("beate"), await codes.new("carl")
    assert await codes.redeem(newer.replace("-", "").lower()) == "carl"
    assert await codes.redeem(newer) is None
    now[0] = 599.9
    assert await codes.redeem(early) == "beate"
    assert await codes.is_out("anna")
    now[0] = 600.1
    assert await codes.redeem(late) is None
    assert not await codes.is_out("anna")
    await codes.new("dora")
    assert await database.rows("SELECT account FROM link_codes") == [("dora",)]
    await database.close()


# -- what is kept for an account -----------------------------------------------------------------------------


async def test_settings_are_kept_for_an_account_and_not_for_a_guest(tmp_path: Path) -> None:
    stores: list[SettingsStore | None] = []

    def save_state(connect: object, terminal: Terminal, settings: SettingsStore | None) -> HostedProbe:
        stores.append(settings)
        return make_probe(connect, terminal, settings)

    async def visit(server: Server, user: str = "anna", *, is_guest: bool = False) -> SettingsStore | None:
        connection = await dial(server.port, user, is_guest=is_guest)
        process = await connection.create_process(term_type="xterm", encoding=None)
        await process.stdout.read(10)
        connection.close()
        await connection.wait_closed()
        return stores[-1]

    kept = (AppSettings(), changed(AppSettings(), palette="contrast"))
    for expected, chosen in zip(kept, ("contrast", "colour-blind"), strict=True):
        server = await start(here(tmp_path), save_state)
        store = await visit(server)
        assert store is not None
        assert store.load() == expected
        store.save(changed(expected, palette=chosen))
        again = await visit(server)
        assert again is not None
        assert again.load() == changed(expected, palette=chosen)
        assert await visit(server, "carl", is_guest=True) is None
        await server.close()


async def test_two_sessions_of_an_account_keep_each_what_they_have_changed(tmp_path: Path) -> None:
    kept: list[tuple[str, str | None]] = []

    async def keep(settings: str, before: str | None) -> None:
        kept.append((settings, before))

    server = await start(here(tmp_path))
    one, other = AccountSettings(None, keep), AccountSettings(None, keep)
    one.save(changed(one.load(), language="nl"))
    other.save(changed(other.load(), palette="contrast"))
    other.save(changed(changed(AppSettings(), palette="contrast"), bot_speed="slow"))
    await wait_for(lambda: len(kept) == 3)
    for settings, before in kept:
        await server.hub.accounts.keep_settings("anna", settings, before)
    stored = await server.hub.accounts.settings_of("anna")
    assert AccountSettings(stored, keep).load() == changed(
        AppSettings(), language="nl", palette="contrast", bot_speed="slow"
    )
    await server.close()


async def test_settings_that_cannot_be_used_are_replaced_by_the_next_that_are_saved(tmp_path: Path) -> None:
    kept: list[tuple[str, str | None]] = []

    async def keep(settings: str, before: str | None) -> None:
        kept.append((settings, before))

    server = await start(here(tmp_path))
    await server.hub.accounts.keep_settings("anna", '{"of-another-version": 1}')
    store = AccountSettings(await server.hub.accounts.settings_of("anna"), keep)
    with pytest.raises(KkError):
        store.load()
    store.save(changed(AppSettings(), palette="contrast"))
    await wait_for(lambda: len(kept) == 1)
    await server.hub.accounts.keep_settings("anna", *kept[0])
    again = AccountSettings(await server.hub.accounts.settings_of("anna"), keep)
    assert again.load() == changed(AppSettings(), palette="contrast")
    await server.close()


async def test_settings_that_cannot_be_read_are_refused_with_the_reason() -> None:
    async def keep(_settings: str, _before: str | None) -> None: ...

    with pytest.raises(KkError, match=r"cannot be used: .*palette"):
        AccountSettings('{"palette": 7}', keep).load()


async def test_a_finished_match_is_in_the_past_of_the_account_and_guests_have_none(server: Server) -> None:
    anna, guest = await come(server, "anna"), await come(server, "carl", is_guest=True)
    table = await anna.open(GAME, 3)
    await anna.sit(0)
    await anna.seat_bots(1, 2)
    await anna.start()
    await anna.play_to_the_end()
    answer = await anna.ask(GetHistory)
    assert isinstance(answer, History)
    assert [(match.table, match.mine) for match in answer.matches] == [(table, (0,))]
    assert "You have no account here yet" in await guest.refused(GetHistory)
    assert "You have no account here yet" in await guest.refused(OpenReplay, table, 1)
    await anna.close()
    await guest.close()


# -- two sessions --------------------------------------------------------------------------------------------


async def test_two_sessions_of_one_account_are_both_told_and_own_the_same_seats(server: Server) -> None:
    first = await come(server, "anna")
    table = await first.open(GAME, 3)
    await first.sit(0)
    second = await come(server, "anna")
    await until_told(first, "You've connected again")
    await until_told(second, "You're already connected")
    await second.go_to(table)
    await second.sit(1)
    assert [seat.owner for seat in second.table.seats] == ["anna", "anna", None]
    await first.until(lambda c: c.table.seats[1].owner == "anna")
    await first.close()
    await second.close()
