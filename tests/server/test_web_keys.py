"""Who somebody is in a browser: its key, what it signs, and what proves nothing."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from kk_core.protocol.messages import PROTOCOL_VERSION, GetLinkCode, Hello, LinkCode
from kk_server.serve.server import Server
from tests.server.client import Client
from tests.server.hosting import probing
from tests.server.remote import key_of, remote_link, wait_for
from tests.server.web_page import proof, signed, socket_of, web_page


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    async with probing(tmp_path, web=0) as server:
        yield server


def users(server: Server) -> set[str | None]:
    return {visit.user for visit in server.visits.all}


async def came_as(server: Server, name: str, **fields: Any) -> str | None:
    """The user that a page gets in as."""
    async with web_page(server, name, **fields) as page:
        await page.until("size=80x24.")
        (user,) = users(server)
    await wait_for(lambda: not server.visits.all)
    return user


async def refusal(server: Server, name: str, **fields: Any) -> str:
    """Why a page does not get in."""
    async with web_page(server, name, **fields) as page:
        ended = await page.until_told("ended")
        await page.rest()
    assert ended["status"] == 2
    reason: str = ended["reason"]
    return reason


async def test_a_key_of_a_browser_is_an_account_whatever_name_is_typed_later(server: Server) -> None:
    assert await came_as(server, "anna", owner="anna") == "anna"
    assert await came_as(server, "somebody", owner="anna") == "anna"
    assert await came_as(server, "carla") == "~carla"


async def test_nobody_else_gets_in_under_the_name_of_an_account(server: Server) -> None:
    await came_as(server, "anna", owner="anna")
    assert "anna" in await refusal(server, "anna", owner="eve")
    assert "anna" in await refusal(server, "anna")


async def test_a_key_of_a_browser_is_linked_to_the_account_of_an_ssh_key_by_its_code(server: Server) -> None:
    anna = Client(await remote_link(server.port, "anna"))
    await anna.ask(Hello, PROTOCOL_VERSION)
    coded = await anna.ask(GetLinkCode)
    assert isinstance(coded, LinkCode)
    await anna.close()
    await wait_for(lambda: not server.visits.all)
    assert await came_as(server, "whoever", owner="browser", go="link", code=coded.code) == "anna"
    assert await came_as(server, "whoever", owner="browser") == "anna"


async def test_a_wrong_code_links_nothing_and_is_refused_in_a_sentence(server: Server) -> None:
    assert "code" in await refusal(server, "anna", owner="eve", go="link", code="ABCD-EFGH")


async def test_where_only_listed_keys_come_in_that_of_a_browser_has_to_be_listed(tmp_path: Path) -> None:
    allowed = tmp_path / "keys.txt"
    allowed.write_bytes(key_of("anna").export_public_key())
    async with probing(tmp_path / "data", web=0, allow=str(allowed)) as server:
        assert "listed keys" in await refusal(server, "anna", owner="anna")


@pytest.mark.parametrize(
    "elsewhere",
    [
        {"origin": "https://evil.example"},
        {"fingerprint": "SHA256:of-another-server"},
        {"purpose": "something else"},
        {"nonce": "another"},
        {"expires": 2**40},
    ],
    ids=lambda elsewhere: next(iter(elsewhere)),
)
async def test_what_was_signed_for_something_else_proves_nothing(
    server: Server, elsewhere: dict[str, Any]
) -> None:
    async with socket_of(server) as page:
        challenge = await page.until_told("challenge")
        await page.greet(**proof("anna", signed({**challenge, **elsewhere}, page.origin)))
        assert "signature" in (await page.until_told("ended"))["reason"]
        await page.rest()
    assert not server.visits.all


async def test_a_challenge_stolen_from_another_socket_proves_nothing_there(server: Server) -> None:
    # a page in between asks the server for a challenge, and has somebody sign it who comes to another socket
    async with socket_of(server) as thief, socket_of(server) as page:
        stolen = await thief.until_told("challenge")
        await page.greet(**proof("anna", signed(stolen, page.origin)))
        assert "signature" in (await page.until_told("ended"))["reason"]
        await page.rest()


async def test_a_signature_that_was_recorded_opens_no_second_session(server: Server) -> None:
    async with socket_of(server) as page:
        recorded = proof("anna", signed(await page.until_told("challenge"), page.origin))
        await page.greet(**recorded)
        await page.until("size=80x24.")
    async with socket_of(server) as again:
        await again.greet(**recorded)
        assert "signature" in (await again.until_told("ended"))["reason"]
        await again.rest()


async def test_a_challenge_does_not_hold_for_ever(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    async with socket_of(server) as page:
        challenge = await page.until_told("challenge")
        now = time.time()
        assert now < challenge["expires"] <= now + server.settings.limits.login_seconds + 2
        monkeypatch.setattr("kk_server.web.identity.time.time", lambda: challenge["expires"] + 1.0)
        await page.greet(owner="anna")
        assert "signature" in (await page.until_told("ended"))["reason"]


@pytest.mark.parametrize(
    "fields",
    [
        {"signature": ""},
        {"key": ""},
        {"key": "AAAA"},
        {"signature": "AAAA"},
        {"signature": "A" * 86 + "=="},
        {"key": "ö" * 44},
        {"key": "!" * 44},
        {"key": "A" * 44},
    ],
)
async def test_what_is_no_key_or_no_signature_proves_nothing(server: Server, fields: dict[str, str]) -> None:
    async with socket_of(server) as page:
        await page.greet(owner="anna", **fields)
        assert "signature" in (await page.until_told("ended"))["reason"]
    assert not server.visits.all


@pytest.mark.parametrize("code", ["--help", "a --b", "a;b", "a\n", "-x", "\u0661"])
async def test_a_code_never_looks_like_an_option(server: Server, code: str) -> None:
    assert "makes no sense" in await refusal(server, "anna", go="join", code=code)
