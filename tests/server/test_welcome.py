"""What a host tells those who come: once an account, each time a guest, and by ssh before the game."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import asyncssh
import pytest
from msgspec.structs import replace

from kk_core.errors import KkError
from kk_core.protocol.messages import PROTOCOL_VERSION, Hello, ReadWelcome, Welcome, WelcomePage
from kk_core.text import text
from kk_server.accounts.accounts import Accounts
from kk_server.accounts.names import BadName
from kk_server.serve.server import start
from kk_server.serve.settings import Settings, Sources, WelcomeSettings
from kk_server.storage.sqlite import DATABASE
from tests.commands.calling import kk, refused
from tests.server.client import Client
from tests.server.hosting import PROBES
from tests.server.probe import make_probe
from tests.server.remote import NoAnswers, RemoteLink, dial, key_of
from tests.server.test_addresses import HOME
from tests.server.test_admins import Hosted
from tests.server.test_settings import settings_file

HOUSE = WelcomeSettings(name="The Blue Abbey", rules="Be kind.\n\n- no bets", news="Open until ten.")
PAGE = WelcomePage("The Blue Abbey", "Be kind.\n\n- no bets", "Open until ten.")
BANNER = "\n".join(
    [
        "",
        "The Blue Abbey",
        "",
        "House rules",
        "Be kind.",
        "",
        "- no bets",
        "",
        "News",
        "Open until ten.",
        "",
        "",
    ]
)


@pytest.fixture(params=[1, 2], ids=["one-process", "two-workers"])
async def hosted(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Hosted]:
    hosted = Hosted(tmp_path)
    hosted.next = replace(hosted.next, workers=request.param, welcome=HOUSE)
    hosted.server = await start(hosted.next, make_probe, lambda: hosted.next, PROBES)
    yield hosted
    await hosted.server.close()


async def shown_to(hosted: Hosted, user: str, *, is_guest: bool = False, reads: bool = False) -> Any:
    """The page that somebody is given who comes and goes."""
    connection = await dial(hosted.server.port, user, is_guest=is_guest)
    process: Any = await connection.create_process(subsystem="kk-sync", encoding=None)
    client = Client(RemoteLink(connection, process))
    welcome = await client.ask(Hello, PROTOCOL_VERSION)
    assert isinstance(welcome, Welcome)
    if reads:
        await client.do(ReadWelcome)
    await client.close()
    return welcome.page


async def test_an_account_is_shown_it_until_it_was_read_and_again_when_it_has_changed(hosted: Hosted) -> None:
    assert await shown_to(hosted, "anna") == PAGE
    assert await shown_to(hosted, "anna", reads=True) == PAGE
    assert await shown_to(hosted, "anna") is None
    assert await shown_to(hosted, "beate") == PAGE
    hosted.next = replace(hosted.next, welcome=WelcomeSettings(news="Closed tomorrow."))
    assert "welcome.news is now Closed tomorrow." in (await hosted.by_root("reload")).out
    assert await shown_to(hosted, "anna", reads=True) == WelcomePage(news="Closed tomorrow.")
    hosted.next = replace(hosted.next, welcome=WelcomeSettings())
    await hosted.by_root("reload")
    assert await shown_to(hosted, "beate") is None


async def test_what_was_read_is_so_after_a_restart(hosted: Hosted) -> None:
    await shown_to(hosted, "anna", reads=True)
    await hosted.server.close()
    await hosted.start()
    assert await shown_to(hosted, "anna") is None
    assert await shown_to(hosted, "beate") == PAGE


async def test_a_guest_is_shown_it_at_every_visit_and_nothing_is_kept_of_him(hosted: Hosted) -> None:
    for _ in range(2):
        assert await shown_to(hosted, "carl", is_guest=True, reads=True) == PAGE
    with sqlite3.connect(hosted.folder / "data" / DATABASE) as file:
        assert file.execute("SELECT * FROM welcomed").fetchall() == []


async def test_a_page_that_has_changed_while_it_was_read_is_not_taken_for_read(hosted: Hosted) -> None:
    connection = await dial(hosted.server.port, "anna")
    process: Any = await connection.create_process(subsystem="kk-sync", encoding=None)
    client = Client(RemoteLink(connection, process))
    await client.ask(Hello, PROTOCOL_VERSION)
    hosted.server.hub.welcome = WelcomePage(news="Closed.")
    await client.do(ReadWelcome)
    await client.close()
    assert await shown_to(hosted, "anna") == WelcomePage(news="Closed.")


async def test_where_it_is_not_known_who_has_read_it_people_come_in_and_read_it_again(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> bool:
        raise KkError(text("The disk is gone."))

    await shown_to(hosted, "anna", reads=True)
    monkeypatch.setattr(Accounts, "has_read", broken)
    assert await shown_to(hosted, "anna") == PAGE


# -- by ssh --------------------------------------------------------------------------------------------------


class Reader(NoAnswers):
    """Remembers what is printed before the login."""

    def __init__(self) -> None:
        self.banners: list[str] = []

    def auth_banner_received(self, msg: str, lang: str) -> None:
        self.banners.append(msg)


async def printed(hosted: Hosted) -> list[str]:
    reader = Reader()
    connection = await asyncssh.connect(
        "127.0.0.1", hosted.server.port, username="anna", known_hosts=None, config=None,
        agent_path=None, client_keys=[key_of("dora"), key_of("anna")], client_factory=lambda: reader,
    )  # fmt: skip
    connection.close()
    await connection.wait_closed()
    return [banner.replace("\r\n", "\n") for banner in reader.banners]


async def test_ssh_prints_it_once_before_the_login_and_what_is_new_after_a_reload(hosted: Hosted) -> None:
    assert await printed(hosted) == [BANNER]
    hosted.next = replace(hosted.next, welcome=WelcomeSettings(name="Closed"))
    await hosted.by_root("reload")
    for _ in range(2):  # through both workers
        assert await printed(hosted) == ["\nClosed\n\n"]
    hosted.next = replace(hosted.next, welcome=WelcomeSettings())
    await hosted.by_root("reload")
    for _ in range(2):
        assert await printed(hosted) == []


@pytest.mark.e2e
async def test_openssh_shows_it_beside_what_was_asked_for(hosted: Hosted) -> None:
    process = await asyncio.create_subprocess_exec(
        "ssh", "-F", "/dev/null", "-o", "IdentityAgent=none", "-o", "PubkeyAuthentication=no",
        "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-p", str(hosted.server.port),
        "carl@127.0.0.1", "tables", stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await process.communicate()
    assert out == b"No table is open.\n"
    assert BANNER in err.decode().replace("\r\n", "\n")


# -- the settings --------------------------------------------------------------------------------------------


def test_what_a_terminal_would_obey_is_no_part_of_it() -> None:
    raw = WelcomeSettings(
        name="The \x1b[31mBlue\n Abbey \u202e" + "x" * 60,
        rules="\n\n\nBe\tkind.\x07\r\n\n\n\n- no bets\u2028x\n",
        news="\x1b\u200b\n \n",
    )  # fmt: skip
    page = raw.page()
    assert page is not None
    assert page.name.startswith("The [31mBlue Abbey x")
    assert len(page.name) == 40
    assert page.rules == "Be kind.\n\n- no bets\nx"
    assert page.news == ""
    assert WelcomeSettings(name="\x1b", news="\n\n").page() is None
    assert Settings().welcome.page() is None


async def test_nobody_comes_under_the_name_of_the_house_also_after_a_reload(hosted: Hosted) -> None:
    accounts = hosted.server.hub.accounts
    for name in ("The Blue Abbey", "blue-abbey"):
        with pytest.raises(BadName, match="is reserved for the server"):
            await accounts.guest(name, HOME)
        with pytest.raises(BadName, match="is reserved for the server"):
            await accounts.login(name, "SHA256:new", HOME)
        with pytest.raises(BadName, match="is reserved for the server"):
            await accounts.seat_name("anna", name)
    fox = (await accounts.login("Red Fox", "SHA256:fox", HOME)).user
    hosted.next = replace(hosted.next, welcome=WelcomeSettings(name="The Red Fox"))
    await hosted.by_root("reload")
    with pytest.raises(KkError, match="nobody sees your messages"):
        accounts.check_heard(fox)
    assert (await accounts.guest("Blue Abbey", HOME)).user == "~Blue Abbey"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("[welcome]\nname = 3", "welcome.name is 3: Expected str, got int"),
        ("[welcome]\nruels = 'x'", "welcome.ruels: no such setting; did you mean rules?"),
        (f"[welcome]\nname = '{'x' * 41}'", "welcome.name is 41 columns wide; at most 40 are allowed."),
        (f"[welcome]\nnews = '{'x' * 4001}'", "welcome.news is 'xxx"),
        ("welcome = 'hello'", "welcome is 'hello': Expected object, got str"),
        ("[welcome]\nnews = '''no end", "Expected"),
    ],
)
def test_a_bad_one_is_named_with_its_file_and_the_reason(tmp_path: Path, content: str, sentence: str) -> None:
    file = settings_file(tmp_path, content)
    refused(kk("serve", "--config", str(file), "--check"), 2, sentence)


def test_it_stands_in_a_file_in_lines_or_is_typed(tmp_path: Path) -> None:
    file = settings_file(tmp_path, '[welcome]\nrules = """\nBe kind.\n\nNo bets.\n"""\n')
    page = Sources(file, {"welcome": {"name": "The Abbey", "news": "Open."}}).read().welcome.page()
    assert page == WelcomePage("The Abbey", "Be kind.\n\nNo bets.", "Open.")
