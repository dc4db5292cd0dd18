"""The door for browsers: what the page may do, and what nobody else may do with its socket."""

from __future__ import annotations

import asyncio
import io
import json
import re
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from msgspec.structs import replace
from multidict import CIMultiDict
from textual.widgets import Static
from yarl import URL

from kk_core.errors import KkError
from kk_core.protocol.stream import LinkClosed
from kk_core.text import text
from kk_server.counts import counts
from kk_server.frontend.plain import PlainHandler
from kk_server.frontend.terminal import TerminalHandler
from kk_server.serve.server import Server, start
from kk_server.serve.settings import BadSettings, Sources
from tests.server.hosting import PLENTY, here, probing
from tests.server.postgres import self_signed
from tests.server.probe import apps, make_probe
from tests.server.remote import dial, screen, wait_for
from tests.server.web_page import WebPage, calling, socket_of, url_of, web_page
from tests.waiting import Clock, rest

ELSEWHERE = "127.0.0.9"

Serving = Callable[..., AbstractAsyncContextManager[Server]]


@pytest.fixture
def serving(tmp_path: Path) -> Serving:
    @asynccontextmanager
    async def serve(**limits: Any) -> AsyncIterator[Server]:
        settings = here(tmp_path, web=0, limits=replace(PLENTY, **limits), bot_pause=0)
        server = await start(settings, make_probe)
        yield server
        await server.close()

    return serve


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    async with probing(tmp_path, web=0) as server:
        yield server


def events(journal: io.StringIO, event: str) -> list[dict[str, Any]]:
    lines = map(json.loads, journal.getvalue().splitlines())
    return [line for line in lines if line["event"] == event]


# -- the page ------------------------------------------------------------------------------------------------


async def test_the_page_brings_all_that_it_needs_and_loads_nothing_from_elsewhere(server: Server) -> None:
    async with calling() as client:
        async with client.get(url_of(server)) as answer:
            page = await answer.text()
            policy = answer.headers["Content-Security-Policy"]
        named = re.findall(r'<(?:link|script)[^>]* (?:src|href)="([^"]*)"', page)
        assert [name.rpartition(".")[2] for name in named if name != "data:,"] == ["css", "js"]
        for name in named[1:]:
            async with client.get(url_of(server, name.lstrip("/"))) as answer:
                assert answer.status == 200
                assert answer.headers["Content-Encoding"] == "gzip"
                assert "immutable" in answer.headers["Cache-Control"]
    assert policy.startswith("default-src 'none'; script-src 'self';")
    assert "unsafe" not in policy.replace("style-src 'self' 'unsafe-inline'", "")


async def test_the_page_is_in_the_language_of_the_browser(server: Server) -> None:
    async with calling() as client:
        for wish, word in (("fr, de;q=0.8", "Spielen"), ("../../de", "Play"), ("", "Play")):
            async with client.get(url_of(server), headers={"Accept-Language": wish}) as answer:
                assert f"<button>{word}</button>" in await answer.text()


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "nothing", 404),
        ("GET", "static/../server.py", 404),
        ("GET", "static/%2e%2e%2fserver.py", 404),
        ("GET", "socket", 403),
        ("POST", "", 405),
        ("PUT", "socket", 405),
    ],
)
async def test_whatever_else_is_asked_for_is_refused_under_the_same_headers(
    server: Server, method: str, path: str, status: int
) -> None:
    async with calling() as client, client.request(method, url_of(server, path)) as answer:
        assert answer.status == status
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        assert answer.headers["Server"] == "kk"


async def test_where_there_is_nothing_a_browser_shows_so_in_its_language_and_a_way_in(server: Server) -> None:
    wishes = {"Accept": "text/html,*/*;q=0.8", "Accept-Language": "de"}
    async with calling() as client:
        for path in ("nothing", "join", "join/ABCDEF/more"):
            async with client.get(url_of(server, path), headers=wishes) as answer:
                shown = await answer.text()
            assert (answer.status, answer.content_type) == (404, "text/html")
            assert answer.headers["Vary"] == "Accept, Accept-Language"
            assert answer.headers["Cache-Control"] == "no-cache"
            assert "Unter dieser Adresse gibt es nichts." in shown
            assert '<a href="/">Spielen</a>' in shown
            assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        async with client.get(url_of(server, "nothing")) as answer:
            assert answer.content_type == "text/plain"


async def test_a_page_is_told_the_name_of_the_script_that_the_server_has_now(server: Server) -> None:
    async with calling() as client, client.get(url_of(server)) as answer:
        shown = await answer.text()
    async with socket_of(server) as page:
        challenge = await page.until_told("challenge")
    assert f'<script src="/static/{challenge["script"]}"></script>' in shown


# -- the socket ----------------------------------------------------------------------------------------------


async def test_what_is_typed_on_the_page_reaches_the_app_and_what_it_draws_the_page(server: Server) -> None:
    async with web_page(server, columns=100, rows=30) as page:
        await page.until("size=100x30.")
        await page.type("a")
        await page.until("key=a.")
        await page.type("\x1b[<0;5;3M\x1b[<0;5;3m")
        await page.until("click=4,2.")
        await page.say("resize", columns=90, rows=25)
        await page.until("size=90x25.")
        await page.type("q")
        ended = await page.until_told("ended")
        assert ended == {"type": "ended", "status": 0, "kind": "left", "reason": ""}
        assert await page.rest() == 1000
    assert page.seen.endswith(b"\x1b[?25h")


async def test_a_page_is_drawn_with_all_characters_and_colours_in_the_languages_of_the_browser(
    server: Server,
) -> None:
    async with web_page(server, languages=["de-AT", "en", "../../evil"]) as page:
        await page.until("size=80x24.")
        assert apps[-1].terminal.environment == {
            "COLORTERM": "truecolor", "LC_CTYPE": "C.UTF-8", "LANG": "de_AT", "LANGUAGE": "de_AT:en",
        }  # fmt: skip


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "http://evil.example:{port}",
        "http://127.0.0.1",
        "http://127.0.0.1:{port}.evil.example",
        "http://127.0.0.1:{port}@evil.example",
        "file://127.0.0.1:{port}",
        "http://127.0.0.1:{port}/",
        "http://127.0.0.1:{port}?evil.example",
        "null",
        "http://[",
    ],
)
async def test_a_page_from_elsewhere_does_not_get_the_socket(server: Server, origin: str) -> None:
    assert server.web is not None
    with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
        async with socket_of(server, origin=origin.format(port=server.web.port)):
            pass
    assert server.traffic.present == 0


async def test_a_foreign_name_that_was_made_to_lead_here_does_not_open_the_socket(tmp_path: Path) -> None:
    async with probing(tmp_path, web=0, address="play.example.org") as server:
        assert server.web is not None
        for name, is_own in (("evil.example", False), ("play.example.org", True), ("localhost", True)):
            host = f"{name}:{server.web.port}"
            opening = socket_of(server, origin=f"http://{host}", headers={"Host": host})
            if is_own:
                async with opening as page:
                    await page.until_told("challenge")
            else:
                with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
                    await opening.__aenter__()


HELLO = {"type": "hello", "name": "anna", "columns": 80, "rows": 24, "languages": []}


@pytest.mark.parametrize(
    "said",
    [
        "",
        "[]",
        "{}",
        '{"type":"resize","columns":80,"rows":24}',
        json.dumps({**HELLO, "columns": -1}),
        json.dumps({**HELLO, "columns": 10**30}),
        json.dumps({**HELLO, "name": "a" * 101}),
        json.dumps({**HELLO, "languages": ["de"] * 11}),
        json.dumps({**HELLO, "more": 1}),
        "[" * 4000,
        '{"type":"hello","name":"\\ud800"}',
    ],
)
async def test_a_greeting_that_makes_no_sense_ends_the_socket_with_a_sentence(
    server: Server, said: str
) -> None:
    async with socket_of(server) as page:
        await page.until_told("challenge")
        await page.socket.send_str(said)
        ended = await page.until_told("ended")
        assert ended["status"] == 2
        assert ended["reason"]
        await page.rest()
    assert server.traffic.present == 0


async def test_bytes_before_a_greeting_end_the_socket(server: Server) -> None:
    async with socket_of(server) as page:
        await page.type("x")
        await page.rest()
    await wait_for(lambda: server.connections == 0)


async def test_a_second_greeting_ends_the_session(server: Server) -> None:
    async with web_page(server) as page:
        await page.until("size=80x24.")
        await page.greet("beate")
        ended = await page.until_told("ended")
        assert (ended["kind"], "twice" in ended["reason"]) == ("refused", True)
        await page.rest()
    await wait_for(lambda: server.traffic.present == 0)


async def test_sizes_are_clamped_like_those_of_ssh(serving: Serving) -> None:
    async with serving(columns=120, rows=50) as server, web_page(server, columns=65536, rows=65536) as page:
        await page.until("size=120x50.")


async def test_a_frame_that_is_too_long_closes_the_socket(serving: Serving) -> None:
    async with serving(frame_bytes=2048) as server, web_page(server) as page:
        await page.until("size=80x24.")
        await page.type(b"x" * 2049)
        assert await page.rest() == aiohttp.WSCloseCode.MESSAGE_TOO_BIG
        await wait_for(lambda: server.traffic.present == 0)


async def test_whoever_may_not_come_in_is_told_why(tmp_path: Path) -> None:
    async with probing(tmp_path, web=0, guests="no") as server, web_page(server) as page:
        ended = await page.until_told("ended")
        assert (ended["status"], ended["kind"]) == (2, "refused")
        assert "requires a key, which this browser cannot keep here" in ended["reason"]


async def test_a_reason_is_told_in_the_language_of_the_browser(tmp_path: Path) -> None:
    async with (
        probing(tmp_path, web=0, guests="no") as server,
        web_page(server, languages=["de-DE"]) as page,
    ):
        reason = (await page.until_told("ended"))["reason"]
        assert "Schlüssel" in reason
        assert "ssh" not in reason.casefold()


@pytest.mark.parametrize("workers", [1, 2])
async def test_a_page_is_told_apart_whether_its_name_is_taken_by_an_account_or_the_cause_is_another(
    tmp_path: Path, workers: int
) -> None:
    server = await start(here(tmp_path, web=0, workers=workers))
    async with web_page(server, owner="anna") as page:
        await page.until("you are anna")
        for owner in (None, "beate"):
            async with web_page(server, owner=owner) as other:
                ended = await other.until_told("ended")
                assert (ended["kind"], "belongs to somebody's key" in ended["reason"]) == ("taken", True)
        async with web_page(server, "root") as other:
            ended = await other.until_told("ended")
            reason = "root is reserved for the server; choose another name."
            assert (ended["kind"], ended["reason"]) == ("refused", reason)
    await server.close()


async def test_a_page_whose_server_stops_is_told_and_comes_back_by_itself(tmp_path: Path) -> None:
    server = await start(here(tmp_path, web=0), make_probe)
    async with web_page(server) as page:
        await page.until("size=80x24.")
        closing = asyncio.create_task(server.close())
        assert await page.rest() == aiohttp.WSCloseCode.SERVICE_RESTART
        assert page.messages[-1]["kind"] == "stopping"
        await closing
    assert b"shutting down" in page.seen


async def test_whoever_is_kicked_is_disconnected_here_too(server: Server) -> None:
    async with web_page(server) as page:
        await page.until("size=80x24.")
        (visit,) = server.visits.all
        visit.end(text("Please go."))
        ended = await page.until_told("ended")
        assert ended == {"type": "ended", "status": 0, "kind": "ended", "reason": "Please go."}
    assert b"Please go." in page.seen


FAILED = "Something went wrong in the program. Your seat is kept: please connect again."


async def test_a_page_whose_app_fails_is_told_that_and_not_that_its_user_has_left(server: Server) -> None:
    async with web_page(server) as page:
        await page.until("size=80x24.")
        await page.type("x")
        ended = await page.until_told("ended")
        assert ended == {"type": "ended", "status": 1, "kind": "ended", "reason": FAILED}
    assert FAILED.encode() in page.seen


@pytest.mark.parametrize("purpose", ["", "plain"])
async def test_a_page_whose_session_fails_in_any_other_way_is_told_so_too(
    server: Server, monkeypatch: pytest.MonkeyPatch, purpose: str
) -> None:
    async def fail(_handler: object) -> int:
        raise RuntimeError

    for handler in (TerminalHandler, PlainHandler):
        monkeypatch.setattr(handler, "run", fail)
    async with web_page(server, go=purpose, languages=["de"]) as page:
        ended = await page.until_told("ended")
        assert (ended["status"], ended["kind"]) == (1, "ended")
        assert ended["reason"].startswith("Im Programm ")
    assert ended["reason"][:20].encode() in page.seen


async def test_lines_whose_link_the_hub_has_ended_say_so_on_the_page(server: Server) -> None:
    async with web_page(server, go="plain") as page:
        await page.until("Lobby")
        await server.hub.sessions.end(text("Please go."))
        ended = await page.until_told("ended")
        assert ended == {"type": "ended", "status": 1, "kind": "ended", "reason": "Please go."}
    assert b"Please go." in page.seen


async def test_a_page_knows_its_place_before_it_shows_that(server: Server) -> None:
    async with web_page(server) as page:
        await page.until("size=80x24.")
        writer = apps[-1].terminal.writer
        writer.write(b"the table")
        writer.note_place("113cf96c")
        assert (await page.until_told("place"))["place"] == "113cf96c"
        assert b"the table" not in page.seen
        await page.until("the table")


# -- limits --------------------------------------------------------------------------------------------------


async def test_connections_count_together_with_those_of_ssh(serving: Serving) -> None:
    async with serving(connections_per_address=2) as server:
        connection = await dial(server.port, "beate")
        async with web_page(server) as page:
            await page.until("size=80x24.")
            async with calling() as client, client.get(url_of(server)) as answer:
                assert answer.status == 503
                assert "Too many connections from your address" in await answer.text()
            with pytest.raises(Exception, match="Too many connections"):
                await dial(server.port, "carla")
        connection.close()


GERMAN = {"Accept-Language": "de", "Accept": "text/html"}


async def test_an_open_page_for_which_a_server_has_no_room_is_told_only_that_in_its_language(
    serving: Serving,
) -> None:
    async with serving(connections=1) as server, web_page(server) as page:
        await page.until("size=80x24.")
        async with socket_of(server, headers=GERMAN) as other:
            assert await other.rest() == aiohttp.WSCloseCode.TRY_AGAIN_LATER
            # not as the end of a session, after which pages do not come back
            assert other.messages == [
                {"type": "full", "reason": "Dieser Server ist voll; diese Seite versucht es weiter."}
            ]
        with pytest.raises(aiohttp.WSServerHandshakeError, match="503"):
            async with socket_of(server, origin="https://evil.example"):
                pass


@pytest.mark.parametrize("path", ["", "plain", "table/113cf96c", "join/AB%20CD"])
async def test_who_opens_the_page_of_a_full_server_reads_so_with_a_link_to_where_they_were_going(
    serving: Serving, path: str
) -> None:
    async with serving(connections=1) as server, web_page(server) as page:
        await page.until("size=80x24.")
        async with calling() as client:
            address = URL(url_of(server, path), encoded=True)
            async with client.get(address, headers=GERMAN) as answer:
                assert (answer.status, answer.content_type) == (503, "text/html")
                assert answer.headers["Retry-After"] == "60"
                shown = await answer.text()
            assert "Dieser Server ist voll; bitte versuch es später noch einmal." in shown
            assert f'<a href="/{path}">Spielen</a>' in shown
            (style,) = re.findall(r'<link rel="stylesheet" href="/([^"]*)"', shown)
            async with client.get(url_of(server, style)) as answer:
                assert (answer.status, answer.content_type) == (200, "text/css")


async def test_who_is_refused_for_anything_else_than_room_is_not_told_that_a_server_is_full(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def lost(_address: str) -> None:
        raise LinkClosed(text("The server lost track of you."))

    assert server.web is not None
    frontend = server.web._frontend
    assert frontend is not None
    monkeypatch.setattr(frontend, "_count_person", lost)
    monkeypatch.setattr(frontend, "_settings", replace(frontend._settings, proxies=("127.0.0.1",)))
    with pytest.raises(aiohttp.WSServerHandshakeError, match="503"):
        async with socket_of(server, headers={FORWARDED: "192.0.2.1"}):
            pass


async def test_who_is_sent_by_a_page_from_elsewhere_is_counted_and_named_by_their_own_address(
    tmp_path: Path, journal: io.StringIO
) -> None:
    limits = replace(PLENTY, connections_per_second=0.01, connections_at_once=1)
    async with probing(tmp_path, web=0, web_proxies=("127.0.0.1",), limits=limits) as server:
        person = {FORWARDED: "192.0.2.1"}
        for status in ("403", "503"):
            with pytest.raises(aiohttp.WSServerHandshakeError, match=status):
                async with socket_of(server, origin="https://evil.example", headers=person):
                    pass
    (line,) = events(journal, "turned away")
    assert (line["address"], line["reason"]) == ("192.0.2.1", "origin")


async def test_too_many_new_connections_are_turned_away_before_anything_is_said(serving: Serving) -> None:
    async with serving(connections_per_second=0.01, connections_at_once=1) as server:
        for status in (200, 503):
            async with calling() as client, client.get(url_of(server)) as answer:
                assert answer.status == status
        async with calling(ELSEWHERE) as client, client.get(url_of(server)) as answer:
            assert answer.status == 200


async def test_whoever_plays_no_longer_counts_among_those_who_have_not_logged_in(serving: Serving) -> None:
    async with serving(unauthenticated=1) as server, web_page(server) as page:
        await page.until("size=80x24.")
        async with socket_of(server) as other:
            await other.until_told("challenge")
            async with calling() as client, client.get(url_of(server)) as answer:
                assert answer.status == 503


@pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.1\r\nHost: a\r\n", b"GET / HTTP/1.1\r\n\r\n" * 3])
async def test_a_connection_without_a_session_is_closed_after_a_while(serving: Serving, said: bytes) -> None:
    async with serving(login_seconds=10) as server:
        assert server.web is not None
        clock = Clock(stands=False)
        reader, writer = await asyncio.open_connection("127.0.0.1", server.web.port)
        writer.write(said)
        await wait_for(lambda: server.connections == 1)
        await clock.forward(11)
        await wait_for(lambda: server.connections == 0)
        await reader.read()
        writer.close()


async def test_a_page_that_says_nothing_is_disconnected_after_a_while(serving: Serving) -> None:
    async with serving(login_seconds=10) as server, socket_of(server) as page:
        await page.until_told("challenge")
        await Clock(stands=False).forward(11)
        await page.rest()
        await wait_for(lambda: server.connections == 0)


async def test_noise_is_not_read_and_another_player_does_not_wait_for_it(serving: Serving) -> None:
    async with serving(keys_per_second=30, keys_at_once=40) as server:
        beate = await screen(server, "beate")
        await beate.until("size=80x24.")
        async with web_page(server) as page:
            await page.until("size=80x24.")
            noisy, before = apps[-1], counts.dropped_keys

            async def flood() -> None:
                while True:
                    await page.type(b"a" * 8000)

            flooding = asyncio.create_task(flood())
            await wait_for(lambda: counts.dropped_keys > before)
            beate.type("b")
            await beate.until("key=b.")
            assert noisy.terminal.writer.channel.queued < 64 * 1024
            flooding.cancel()
            transport_of(page).abort()
        await beate.close()


@pytest.mark.parametrize("kind", [aiohttp.WSMsgType.BINARY, aiohttp.WSMsgType.PING])
async def test_empty_frames_are_read_no_faster_than_keys_and_another_player_does_not_wait_for_them(
    serving: Serving, kind: aiohttp.WSMsgType
) -> None:
    async with serving(keys_per_second=10, keys_at_once=10) as server:
        beate = await screen(server, "beate")
        await beate.until("size=80x24.")
        async with web_page(server) as page:
            await page.until("size=80x24.")
            empty = bytes([0x80 | kind, 0x80, 0, 0, 0, 0])
            transport = transport_of(page)
            transport.write(empty * 10**6)
            for key in "bcd":
                beate.type(key)
                await beate.until(f"key={key}.")
            waits = None
            while waits != (waits := transport.get_write_buffer_size()):  # the system takes some more in
                await rest()
            assert waits > 0
            transport.abort()
        await beate.close()


def transport_of(page: WebPage) -> Any:
    """The transport below a page's socket."""
    connection = page.socket._response.connection
    assert connection is not None
    return connection.transport


async def test_whoever_asks_whether_the_server_is_still_there_is_answered(server: Server) -> None:
    async with web_page(server) as page:
        await page.until("size=80x24.")
        await page.say("ping")
        await page.until_told("pong")
        await page.type("a")
        await page.until("key=a.")


def last_key() -> str:
    """The last key that the newest app has shown, of which its terminal may be sent a part."""
    return str(apps[-1].query_one(Static).content).removeprefix("key=").removesuffix(".")


async def test_a_page_of_which_nothing_is_read_is_told_that_the_server_is_there(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kk_server.web.channel._REASSURING", 0.01)
    async with web_page(server) as page:
        await page.until("size=80x24.")
        channel = apps[-1].terminal.writer.channel
        channel.pause_reading()
        await page.type("a")  # which was being waited for already
        await page.type("b")
        await page.until_told("pong")
        assert last_key() != "b"
        channel.resume_reading()
        await wait_for(lambda: last_key() == "b")


async def test_a_ping_is_answered(server: Server) -> None:
    async with web_page(server) as page:
        await page.until("size=80x24.")
        await page.socket.ping(b"there?")
        await page.type("a")
        await page.until("key=a.")


async def test_a_page_that_does_not_read_gets_no_frames_and_is_disconnected(
    serving: Serving, journal: io.StringIO
) -> None:
    async with (
        serving(patience=10, queued_bytes=16 * 1024) as server,
        web_page(server, columns=200, rows=60) as page,
    ):
        await page.until("size=200x60.")
        app = apps[-1]
        transport_of(page).pause_reading()

        def paint() -> bool:
            app.painter.forget()
            app.paint()
            return app.terminal.writer.is_paused

        await wait_for(paint)
        waits = app.terminal.writer.channel.queued
        assert 16 * 1024 < waits < 128 * 1024
        for _ in range(50):
            paint()
        assert app.terminal.writer.channel.queued <= waits
        await Clock(stands=False).forward(11)
        await wait_for(lambda: server.connections == 0)
        transport_of(page).abort()
    assert [line["reason"] for line in events(journal, "disconnected")] == ["does not read"]


FORWARDED = "X-Forwarded-For"


@pytest.mark.parametrize(
    ("told", "address"),
    [
        (["192.0.2.1"], "192.0.2.1"),
        (["198.51.100.7, 192.0.2.1"], "192.0.2.1"),
        (["198.51.100.7", "192.0.2.1"], "192.0.2.1"),
        (["192.0.2.1, 127.0.0.9"], "192.0.2.1"),
        (["2001:db8::1"], "2001:db8::1"),
    ],
)
async def test_behind_a_proxy_of_web_proxies_the_last_address_that_it_was_told_counts(
    tmp_path: Path, told: list[str], address: str
) -> None:
    async with probing(tmp_path, web=0, web_proxies=("127.0.0.1", "127.0.0.9")) as server:
        headers = CIMultiDict((FORWARDED, value) for value in told)
        async with socket_of(server, headers=headers) as page:
            await page.greet()
            await page.until("size=80x24.")
            (visit,) = server.visits.all
            assert visit.caller.address == address
            assert server.connections == 1
        await wait_for(lambda: server.connections == 0)


@pytest.mark.parametrize("told", ["", "somebody", "192.0.2.1:80", "127.0.0.1"])
async def test_a_proxy_that_does_not_say_for_whom_it_speaks_gets_no_socket(tmp_path: Path, told: str) -> None:
    async with probing(tmp_path, web=0, web_proxies=("127.0.0.1",)) as server:
        with pytest.raises(aiohttp.WSServerHandshakeError, match="400"):
            async with socket_of(server, headers={FORWARDED: told}):
                pass


async def test_nobody_else_can_say_that_they_come_from_elsewhere(tmp_path: Path) -> None:
    async with (
        probing(tmp_path, web=0, web_proxies=("127.0.0.9",)) as server,
        socket_of(server, headers={FORWARDED: "192.0.2.1"}) as page,
    ):
        await page.greet()
        await page.until("size=80x24.")
        (visit,) = server.visits.all
        assert visit.caller.address == "127.0.0.1"


@pytest.mark.parametrize("workers", [1, 2])
async def test_people_behind_a_proxy_are_limited_one_by_one(tmp_path: Path, workers: int) -> None:
    settings = {"web": 0, "workers": workers, "web_proxies": ("127.0.0.1",)}
    limits = replace(PLENTY, connections_per_address=1)
    async with probing(tmp_path, **settings, limits=limits) as server:
        first = {FORWARDED: "192.0.2.1"}
        async with socket_of(server, headers=first) as page:
            await page.greet()
            await page.until("size=80x24.")
            assert [visit.caller.address for visit in server.visits.all] == ["192.0.2.1"]
            assert server.connections == 1
            async with socket_of(server, headers=first) as another:
                told = await another.until_told("full")
                assert told["reason"] == "Too many connections from your address; this page keeps trying."
            async with socket_of(server, headers={FORWARDED: "192.0.2.2"}) as other:
                await other.greet("beate")
                await other.until("size=80x24.")
        await wait_for(lambda: server.connections == 0)
        async with socket_of(server, headers=first) as page:
            await page.until_told("challenge")


# -- TLS, settings -------------------------------------------------------------------------------------------


def certificate(folder: Path) -> tuple[str, str]:
    """The files of a certificate that nobody has seen before, and of its key."""
    folder.mkdir(exist_ok=True)
    files = folder / "key.pem", folder / "cert.pem"
    for file, content in zip(files, self_signed(), strict=True):
        file.write_bytes(content)
    return str(files[1]), str(files[0])


def spoil(file: str) -> None:
    Path(file).write_text("nothing")


async def presented(port: int) -> bytes:
    """The certificate that a port shows."""
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    _, writer = await asyncio.open_connection("127.0.0.1", port, ssl=trusting)
    shown: bytes = writer.get_extra_info("ssl_object").getpeercert(True)
    writer.close()
    return shown


async def test_with_web_cert_and_web_key_the_page_comes_over_tls_and_a_reload_takes_a_new_certificate(
    tmp_path: Path,
) -> None:
    web_cert, web_key = certificate(tmp_path)
    async with probing(tmp_path / "data", web=0, web_cert=web_cert, web_key=web_key) as server:
        assert server.web is not None
        assert server.web.url("localhost").startswith("https://localhost:")
        trusting = ssl.create_default_context(cafile=web_cert)
        trusting.check_hostname = False
        async with (
            calling(ssl=trusting) as client,
            client.ws_connect(url_of(server, "socket", "https"), origin=url_of(server, "", "https")[:-1]),
        ):
            pass
        first = await presented(server.web.port)
        certificate(tmp_path)
        await server.reload()
        assert await presented(server.web.port) != first
        spoil(web_key)
        with pytest.raises(KkError, match="cannot be used"):
            await server.reload()
        assert await presented(server.web.port) != first


async def test_what_is_no_tls_does_not_stay_on_a_port_for_tls(tmp_path: Path) -> None:
    web_cert, web_key = certificate(tmp_path)
    async with probing(tmp_path / "data", web=0, web_cert=web_cert, web_key=web_key) as server:
        assert server.web is not None
        reader, writer = await asyncio.open_connection("127.0.0.1", server.web.port)
        writer.write(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        await reader.read()
        writer.close()
        await wait_for(lambda: server.connections == 0)


@pytest.mark.parametrize(
    ("web", "place"),
    [
        (8080, ("localhost", 8080)),
        ("8080", ("localhost", 8080)),
        (":8080", ("localhost", 8080)),
        ("all:8080", ("all", 8080)),
        ("[::1]:8080", ("::1", 8080)),
    ],
)
def test_web_is_a_port_or_a_host_and_a_port(web: object, place: tuple[str, int]) -> None:
    assert Sources(typed={"web": web}).read().web_place == place


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ({"web": "play.example.org"}, "write PORT or HOST:PORT"),
        ({"web": "a:70000"}, "write PORT or HOST:PORT"),
        ({"web": 70000}, "web is 70000"),
        ({"web": 8022}, "taken by another setting"),
        ({"web": 8080, "metrics": 8080}, "taken by another setting"),
        ({"web": 8080, "web_proxies": ["my.proxy"]}, "which is no address"),
        ({"web_address": "play.example.org"}, "write http://HOST or https://HOST"),
        ({"web_address": "https://play.example.org/kk"}, "write http://HOST or https://HOST"),
        ({"web": 8080, "web_cert": "cert.pem"}, "belong together"),
        ({"web_cert": "cert.pem", "web_key": "key.pem"}, "web is not"),
    ],
)
def test_settings_of_the_page_that_cannot_be_are_refused(typed: dict[str, object], reason: str) -> None:
    with pytest.raises(BadSettings, match=reason):
        Sources(typed=typed).read()


@pytest.mark.parametrize(
    ("told", "url"),
    [
        ({}, "http://ADDRESS:{port}/"),
        ({"address": "play.example.org:22"}, "http://play.example.org:{port}/"),
        ({"address": "[::1]"}, "http://[::1]:{port}/"),
        ({"web_address": "https://kk.example.org"}, "https://kk.example.org/"),
        ({"address": "a.example", "web_address": "http://b.example:80/"}, "http://b.example:80/"),
    ],
)
async def test_the_page_is_where_web_address_says_or_else_the_address(
    tmp_path: Path, told: dict[str, str], url: str
) -> None:
    async with probing(tmp_path, web=0, **told) as server:
        assert server.web is not None
        assert server.hub.web_for("") == url.format(port=server.web.port)


@pytest.mark.parametrize(
    ("told", "origin", "url"),
    [
        ({}, "http://192.0.2.7:8080", "http://192.0.2.7:8080/"),
        ({}, "https://[2001:db8::7]", "https://[2001:db8::7]/"),
        # friends would find their own machine there
        ({}, "http://localhost:8080", "http://ADDRESS:{port}/"),
        ({}, "http://127.0.0.1:8080", "http://ADDRESS:{port}/"),
        ({}, "http://127.1.2.3:8080", "http://ADDRESS:{port}/"),
        ({}, "http://[::1]:8080", "http://ADDRESS:{port}/"),
        # behind a proxy that speaks TLS
        ({"address": "Play.example.org:22"}, "https://play.example.org", "https://play.example.org/"),
        ({"address": "[2001:db8::7]"}, "https://[2001:db8::7]", "https://[2001:db8::7]/"),
        ({"address": "localhost"}, "http://localhost:8080", "http://localhost:8080/"),
        ({"address": "play.example.org"}, "http://192.0.2.7:8080", "http://play.example.org:{port}/"),
        ({"web_address": "https://kk.example.org"}, "http://192.0.2.7:8080", "https://kk.example.org/"),
        (
            {"address": "a.example", "web_address": "https://b.example"},
            "https://a.example",
            "https://b.example/",
        ),
    ],
)
async def test_links_begin_with_web_address_or_else_the_address_by_which_others_find_the_page_as_well(
    tmp_path: Path, told: dict[str, str], origin: str, url: str
) -> None:
    async with probing(tmp_path, web=0, **told) as server:
        assert server.web is not None
        assert server.hub.web_for(origin) == url.format(port=server.web.port)


async def test_the_page_of_web_address_may_open_the_socket(tmp_path: Path) -> None:
    # a reverse proxy that speaks TLS passes the name on
    async with probing(tmp_path, web=0, web_address="https://KK.example.org") as server:
        opening = socket_of(server, origin="https://kk.example.org", headers={"Host": "kk.example.org"})
        async with opening as page:
            await page.until_told("challenge")


async def test_a_certificate_that_is_not_there_is_named(tmp_path: Path) -> None:
    missing = str(tmp_path / "cert.pem")
    with pytest.raises(KkError, match=re.escape(missing)):
        await start(here(tmp_path, web=0, web_cert=missing, web_key=missing), make_probe)


WITHOUT = "import sys; sys.modules['aiohttp'] = None; from kk_server.cli.main import main; main()"


def test_without_the_extra_a_line_says_what_to_install(tmp_path: Path) -> None:
    answer = subprocess.run(
        [sys.executable, "-c", WITHOUT, "serve", "--port", "0", "--web", "0", "--data", str(tmp_path)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert answer.returncode == 1
    assert answer.stderr == (
        "kk: The page for browsers needs aiohttp: install it with `pip install 'kk[web]'`.\n"
    )


def test_nothing_of_the_extra_is_loaded_where_no_page_is_served(tmp_path: Path) -> None:
    program = (
        "import asyncio, sys\n"
        "from kk_server.serve.server import start\n"
        "from kk_server.serve.settings import Settings\n"
        "async def main():\n"
        f"    server = await start(Settings(port=0, data={str(tmp_path)!r}))\n"
        "    await server.close()\n"
        "asyncio.run(main())\n"
        "print('aiohttp' in sys.modules, 'kk_server.web.server' in sys.modules)\n"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout == "False False\n"
