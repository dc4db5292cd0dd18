"""Whoever is away is called when it is their turn: once, where they want to be, and with nothing secret."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("aiosmtpd", reason="left out: aiosmtpd not installed")

from aiohttp import web
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword
from msgspec.structs import replace

from kk_core.protocol.messages import (
    CallWays,
    ConfirmCalls,
    GetCalls,
    Notice,
    OpenTable,
    OrderCalls,
    StopCalls,
)
from kk_server.background import environment
from kk_server.calls.senders import WebhookSender, _is_public
from kk_server.calls.store import CalledTurn, CallStore
from kk_server.calls.ways import CallSettings, CannotCall, NotDelivered, Way, way_to, why_no_calls
from kk_server.frontend.listener import CannotServe
from kk_server.serve.server import Server, start
from kk_server.serve.settings import Sources
from kk_server.storage.sql import Database
from kk_server.tables.nodes import Alone
from tests.server.client import Client
from tests.server.hosting import PLENTY, here
from tests.server.test_accounts import come
from tests.server.test_console import ask
from tests.waiting import Clock, wait_for

HOUR = 3600.0
SERVER = "kk.example.org:8022"
REACHED_BY = "ssh -t -p 8022 kk.example.org table"


@dataclass
class Inbox:
    """A mail server of this test on loopback."""

    port: int = 0
    mails: list[EmailMessage] = field(default_factory=list)
    refusal: str = ""
    """Answered in place of taking a mail."""
    refuses: set[str] = field(default_factory=set)
    """Addresses that there are not."""
    logins: list[tuple[bytes, bytes]] = field(default_factory=list)

    async def handle_RCPT(  # noqa: N802
        self, _server: SMTP, _session: object, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        if address in self.refuses:
            return "550 no such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server: SMTP, _session: object, envelope: Envelope) -> str:  # noqa: N802
        if self.refusal:
            return self.refusal
        assert isinstance(envelope.content, bytes)
        mail = message_from_bytes(envelope.content, policy=default)
        assert isinstance(mail, EmailMessage)
        assert envelope.rcpt_tos == [mail["To"]]
        self.mails.append(mail)
        return "250 OK"

    def login(
        self, _server: object, _session: object, _envelope: object, _how: str, given: object
    ) -> AuthResult:
        assert isinstance(given, LoginPassword)
        self.logins.append((given.login, given.password))
        return AuthResult(success=True)

    @property
    def bodies(self) -> list[str]:
        return [str(mail.get_content()) for mail in self.mails]

    def code(self) -> str:
        """The code in the last mail."""
        return self.bodies[-1].split()[0]


@asynccontextmanager
async def inbox(**settings: Any) -> AsyncIterator[Inbox]:
    box = Inbox()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: SMTP(box, hostname="mail", authenticator=box.login, **settings), "127.0.0.1", 0
    )
    box.port = server.sockets[0].getsockname()[1]
    try:
        yield box
    finally:
        server.close()


@dataclass
class Chats:
    """A service of webhooks on loopback."""

    url: str = ""
    posts: list[tuple[str, str]] = field(default_factory=list)
    """Paths and bodies."""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)

    async def take(self, request: web.Request) -> web.StreamResponse:
        self.posts.append((request.path, await request.text()))
        return web.Response(status=self.status, headers=self.headers)

    def to(self, path: str) -> list[str]:
        """The bodies sent to a path."""
        return [body for there, body in self.posts if there == path]


@asynccontextmanager
async def chats(
    take: Callable[[Chats, web.Request], Awaitable[web.StreamResponse]] = Chats.take,
) -> AsyncIterator[Chats]:
    service = Chats()
    app = web.Application()

    async def post(request: web.Request) -> web.StreamResponse:
        return await take(service, request)

    app.router.add_post("/{path:.*}", post)
    runner = web.AppRunner(app, shutdown_timeout=0.01)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    service.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield service
    finally:
        await runner.cleanup()


@dataclass
class Host:
    """A server whose people live by a clock that the test sets forward; it can be restarted."""

    folder: Path
    settings: CallSettings
    clock: Clock
    now: Callable[[], float]
    server: Server

    @property
    def hub(self) -> Any:
        return self.server.hub

    def connect(self, user: str) -> Client:
        return Client(self.hub.connect(user))

    async def restart(self) -> None:
        await self.server.close()
        self.server = await started(self.folder, self.settings, self.now)

    async def leave(self, *clients: Client) -> None:
        for client in clients:
            await client.link.close()
            await client.until_closed()
        await wait_for(lambda: not len(self.hub.presence))

    async def later(self, hours: float) -> None:
        """Let hours go by, and all be called who have to be."""
        await self.clock.forward(hours * HOUR)
        await self.hub.caller.look()

    async def table(self, *users: str, title: str = "", game: str = "ku_ka_king") -> str:
        """Open a table for these people, begin a match there, and leave."""
        clients = [self.connect(user) for user in users]
        await clients[0].do(OpenTable, game, {}, len(users), title)
        table = clients[0].table.id
        for seat, client in enumerate(clients):
            if seat:
                await client.go_to(table)
            await client.sit(seat)
        await clients[0].start()
        await self.leave(*clients)
        return table

    def waiting(self, table: str) -> list[str]:
        """Whose turn it is."""
        known = dict(self.hub.table_cache.summaries())[table]
        return [known.seats[seat].owner for seat in known.active]

    async def take_turn(self, user: str, table: str) -> None:
        """Come, play to the end of one's own turn, and leave."""
        client = self.connect(user)
        await client.go_to(table)
        await client.until(lambda c: c.table.match is not None)
        seat = next(n for n, seat in enumerate(client.table.seats) if seat.owner == user)
        while seat in client.observation.active:
            await client.play(seat, client.observation.legal_moves[0])
        await self.leave(client)


async def started(folder: Path, settings: CallSettings, now: Callable[[], float], **others: Any) -> Server:
    server = await start(here(folder, calls=settings, address=SERVER, limits=PLENTY, bot_pause=0.0, **others))
    vars(server.hub.presence).update(_now=now, since=now())
    return server


def time_of_loop() -> Callable[[], float]:
    """A time of day that goes on with the running loop."""
    begun = 1.8e9 - asyncio.get_running_loop().time()
    return lambda: begun + asyncio.get_running_loop().time()  # which a clock may replace


Hosting = Callable[[CallSettings], Awaitable[Host]]


@pytest.fixture
async def hosting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Hosting]:
    hosts: list[Host] = []
    clock, now = Clock(stands=False), time_of_loop()
    monkeypatch.setattr("kk_server.serve.server.time", now)

    async def host(settings: CallSettings) -> Host:
        hosts.append(Host(tmp_path, settings, clock, now, await started(tmp_path, settings, now)))
        return hosts[-1]

    yield host
    for each in hosts:
        await each.server.close()


def by_mail(box: Inbox, **others: Any) -> CallSettings:
    given = {"smtp_security": "none", "sender": "kk@example.org", **others}
    return CallSettings(smtp=f"127.0.0.1:{box.port}", **given)


async def wants_mails(host: Host, box: Inbox, user: str) -> None:
    client, before = host.connect(user), len(box.mails)
    await client.do(OrderCalls, f"{user}@example.net")
    await wait_for(lambda: len(box.mails) > before)
    await client.do(ConfirmCalls, box.code())
    box.mails.clear()
    await host.leave(client)


async def wants_posts(host: Host, service: Chats, path: str) -> None:
    client = host.connect(path.rpartition("/")[2])
    await client.do(OrderCalls, f"{service.url}/{path}")
    await wait_for(lambda: service.posts)
    told = service.posts[-1][1]
    await client.do(ConfirmCalls, (json.loads(told)["text"] if told.startswith("{") else told).split()[0])
    service.posts.clear()
    await host.leave(client)


# -- a week --------------------------------------------------------------------------------------------------


async def test_in_a_week_by_correspondence_everybody_is_told_of_every_turn_once_and_of_none_that_is_made(
    hosting: Hosting,
) -> None:
    async with inbox() as box, chats() as service:
        webhooks = (f"matrix {service.url}/hook", f"ntfy {service.url}")
        settings = by_mail(box, webhooks=webhooks, private_addresses=True)
        host = await hosting(settings)
        await wants_mails(host, box, "anna")
        await wants_posts(host, service, "beate")
        await wants_posts(host, service, "hook/carl")
        table = await host.table("anna", "beate", "carl", title="By post", game="web_of_power")

        def told() -> dict[str, int]:
            return {
                "anna": len(box.mails),
                "beate": len(service.to("/beate")),
                "carl": len(service.to("/hook/carl")),
            }

        turns = dict.fromkeys(("anna", "beate", "carl"), 0)
        for eighth in range(7 * 8):
            (user,) = host.waiting(table)
            if eighth % 8 == 3:  # somebody moves before they are called
                await host.later(0.25)
                assert told() == turns
                await host.take_turn(user, table)
                continue
            turns[user] += 1
            await host.later(1)
            assert told() == turns
            if eighth % 8 == 5:
                await host.restart()
            await host.later(2)
            assert told() == turns, "once for each turn"
            await host.take_turn(user, table)
        assert all(count > 10 for count in turns.values())
        line = f"{REACHED_BY} {table}"
        for said in (*box.bodies, *(body for _path, body in service.posts)):
            assert "Your turn at By post (Kardinal & " in said
            assert line in said


async def test_what_waits_at_several_tables_is_one_call(hosting: Hosting) -> None:
    async with inbox() as box:
        host = await hosting(by_mail(box))
        await wants_mails(host, box, "anna")
        first = await host.table("anna", "beate", title="One")
        await host.clock.forward(0.4 * HOUR)
        second = await host.table("anna", "carl", title="Two")
        await host.later(0.6)
        (mail,) = box.mails
        assert mail["Subject"] == "2 tables wait for you"
        assert all(f"{REACHED_BY} {table}" in box.bodies[0] for table in (first, second))
        assert "ssh -p 8022 kk.example.org calls stop" in box.bodies[0]
        await host.later(3)
        assert len(box.mails) == 1


@pytest.mark.parametrize(
    ("settings", "page"),
    [
        ({"web_address": "https://play.example.org"}, "https://play.example.org/"),
        ({}, "http://kk.example.org:{port}/"),
    ],
)
async def test_where_there_is_a_page_for_browsers_a_call_has_the_link_that_leads_to_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: dict[str, Any], page: str
) -> None:
    now, clock = time_of_loop(), Clock(stands=False)
    monkeypatch.setattr("kk_server.serve.server.time", now)
    async with inbox() as box, chats() as service:
        calls = by_mail(box, webhooks=(f"ntfy {service.url}/ntfy",), private_addresses=True)
        server = await started(tmp_path, calls, now, web=0, **settings)
        host = Host(tmp_path, calls, clock, now, server)
        await wants_mails(host, box, "anna")
        await wants_posts(host, service, "ntfy/beate")
        table = await host.table("anna", "beate")
        await host.later(1)
        assert server.web is not None
        link = f"{page.format(port=server.web.port)}table/{table}"
        assert box.bodies[0].splitlines()[1:3] == [f"    {REACHED_BY} {table}", f"    {link}"]
        assert service.to("/ntfy/beate")[0].endswith(f": {REACHED_BY} {table}, {link}")
        await server.close()


async def test_nobody_is_called_who_is_here_or_whom_only_bots_wait_for(hosting: Hosting) -> None:
    async with inbox() as box:
        host = await hosting(by_mail(box))
        await wants_mails(host, box, "anna")
        anna = host.connect("anna")
        await anna.do(OpenTable, "web_of_power", {}, 3)
        await anna.sit(0)
        await anna.seat_bots(1, 2)
        await anna.start()
        await host.leave(anna)
        await host.later(5)
        assert not box.mails
        await host.table("anna", "beate")
        anna = host.connect("anna")
        await host.later(5)
        assert not box.mails
        await host.leave(anna)
        await host.later(0.4)
        assert not box.mails
        await host.later(0.2)
        assert len(box.mails) == 1


async def test_a_simultaneous_choice_calls_everybody_once_whatever_the_others_do(hosting: Hosting) -> None:
    async with inbox() as box:
        host = await hosting(by_mail(box))
        await wants_mails(host, box, "anna")
        table = await host.table("anna", "beate", "carl")
        await host.later(1)
        assert len(box.mails) == 1
        await host.take_turn("beate", table)
        await host.later(1)
        assert len(box.mails) == 1


async def test_people_are_called_once_they_have_been_away_for_so_long(hosting: Hosting) -> None:
    async with inbox() as box:
        host = await hosting(by_mail(box, away_minutes=120))
        await wants_mails(host, box, "anna")
        await host.table("anna", "beate")
        await host.later(1.9)
        assert not box.mails
        await host.later(0.2)
        assert len(box.mails) == 1


# -- services that are away ----------------------------------------------------------------------------------


async def test_while_the_mail_server_is_away_the_log_has_one_line_and_the_call_comes_afterwards(
    hosting: Hosting, journal: StringIO
) -> None:
    async with inbox() as box:
        host = await hosting(by_mail(box))
        await wants_mails(host, box, "anna")
        table = await host.table("anna", "beate")
        box.refusal = "421 come back later"
        for _ in range(5):
            await host.later(2)
        assert journal.getvalue().count("call not delivered") == 1
        box.refusal = ""
        await host.restart()
        await host.later(2)
        assert len(box.mails) == 1
        assert table in box.bodies[0]


async def test_an_address_that_is_no_more_is_tried_once_for_each_turn_and_keeps_nobody_from_theirs(
    hosting: Hosting, journal: StringIO
) -> None:
    async with inbox() as box:
        host = await hosting(by_mail(box))
        await wants_mails(host, box, "anna")
        await wants_mails(host, box, "beate")
        box.refuses = {"anna@example.net"}
        await host.table("anna", "carl")
        await host.table("beate", "carl")
        for _ in range(3):
            await host.later(2)
        assert [mail["To"] for mail in box.mails] == ["beate@example.net"]
        assert journal.getvalue().count("call refused") == 1
        assert "550" in journal.getvalue()


async def test_a_service_that_never_answers_holds_up_neither_other_services_nor_the_stop_of_the_server(
    hosting: Hosting,
) -> None:
    release = asyncio.Event()

    async def hang(service: Chats, request: web.Request) -> web.StreamResponse:
        if service.status == 200:
            return await service.take(request)
        service.posts.append((request.path, ""))
        await release.wait()
        return web.Response()

    async with inbox() as box, chats(hang) as service:
        host = await hosting(by_mail(box, webhooks=(f"ntfy {service.url}",), private_addresses=True))
        await wants_mails(host, box, "anna")
        await wants_posts(host, service, "beate")
        service.status = 500
        await host.table("anna", "carl")
        await host.table("beate", "carl")
        await host.clock.forward(HOUR)
        await wait_for(lambda: box.mails and service.posts)
        closing = asyncio.create_task(host.server.close())
        await wait_for(lambda: host.hub.caller._closing.is_set())
        await host.clock.forward(6)
        await closing
        release.set()
        host.server = await started(host.folder, host.settings, host.now)


# -- choosing ------------------------------------------------------------------------------------------------


async def test_an_address_counts_once_its_code_is_typed_and_is_forgotten_at_once(
    hosting: Hosting, journal: StringIO
) -> None:
    async with inbox() as box:
        host = await hosting(by_mail(box))
        anna = host.connect("anna")
        await anna.do(OrderCalls, "anna@example.net")
        await wait_for(lambda: box.mails)
        assert box.mails[0]["From"] == "kk@example.org"
        assert box.mails[0]["Auto-Submitted"] == "auto-generated"
        reply = await anna.ask(GetCalls)
        assert isinstance(reply, CallWays)
        assert (reply.address, reply.unconfirmed, reply.minutes) == ("", "anna@example.net", 30)
        assert "wrong" in await anna.refused(ConfirmCalls, "ABC234")
        await anna.do(ConfirmCalls, box.code().lower())
        assert "no code" in await anna.refused(ConfirmCalls, box.code())
        assert host.hub.caller.address_of("anna") == "anna@example.net"
        await host.leave(anna)
        await host.restart()
        assert host.hub.caller.address_of("anna") == "anna@example.net"
        anna = host.connect("anna")
        await anna.do(StopCalls)
        assert host.hub.caller.address_of("anna") == ""
        await host.leave(anna)
        await host.table("anna", "beate")
        await host.later(5)
        assert len(box.mails) == 1
        await host.server.close()
        assert b"anna@example.net" not in (host.folder / "tables.sqlite").read_bytes()
        assert "anna@example.net" not in journal.getvalue()
        host.server = await started(host.folder, host.settings, host.now)


async def test_a_code_is_void_after_an_hour_and_after_five_wrong_ones(hosting: Hosting) -> None:
    async with inbox() as box:
        host = await hosting(by_mail(box))
        anna = host.connect("anna")
        await anna.do(OrderCalls, "anna@example.net")
        await wait_for(lambda: box.mails)
        for _ in range(4):
            assert await anna.refused(ConfirmCalls, "ABC234") == "This code is wrong."
        assert "void now" in await anna.refused(ConfirmCalls, "ABC234")
        assert "no code" in await anna.refused(ConfirmCalls, box.code())
        await anna.do(OrderCalls, "anna@example.net")
        await wait_for(lambda: len(box.mails) == 2)
        await host.clock.forward(1.1 * HOUR)
        assert "no code" in await anna.refused(ConfirmCalls, box.code())
        await host.leave(anna)


async def test_so_many_codes_are_sent_for_one_user_and_to_one_address_and_no_more(
    tmp_path: Path, hosting: Hosting
) -> None:
    async with inbox() as box:
        host = await hosting(by_mail(box))
        limits = host.server.settings.limits
        assert (limits.call_codes_at_once, limits.call_codes_per_hour) == (4, 2)
        anna, eve = host.connect("anna"), host.connect("eve")
        for _ in range(2):
            await anna.do(OrderCalls, "victim@example.net")
            await eve.do(OrderCalls, "Victim@example.net")
        assert "Too many codes" in await eve.refused(OrderCalls, "victim@example.net")
        await wait_for(lambda: len(box.mails) == 4)
        await host.leave(anna, eve)


async def test_a_code_that_cannot_be_sent_is_told_to_whoever_waits_for_it(hosting: Hosting) -> None:
    async with inbox() as box:
        host = await hosting(by_mail(box))
        box.refusal = "554 no"
        anna = host.connect("anna")
        await anna.do(OrderCalls, "anna@example.net")
        said = "The code couldn't be sent to"
        await anna.until(lambda c: any(said in str(m.text) for m in c.sent if isinstance(m, Notice)))
        assert "no code" in await anna.refused(ConfirmCalls, "ABC234")
        await host.leave(anna)


async def test_calls_are_ordered_confirmed_and_stopped_by_a_command_too(hosting: Hosting) -> None:
    async with inbox() as box:
        host = await hosting(by_mail(box))
        await (await come(host.server, "anna")).close()
        assert (await ask(host.server, "calls")).out == (
            "You are not called when it is your turn and you are away.\nYou can be called at: NAME@HOST\n"
        )
        assert "Usage: calls at ADDRESS" in (await ask(host.server, "calls at")).err
        assert "can't be called" in (await ask(host.server, "calls at anna")).err
        assert (await ask(host.server, "calls at anna@example.net")).status == 0
        await wait_for(lambda: box.mails)
        assert (await ask(host.server, "calls --json")).json == {
            "address": None, "unconfirmed": "anna@example.net", "ways": ["NAME@HOST"], "minutes": 30,
        }  # fmt: skip
        assert "wrong" in (await ask(host.server, "calls confirm ABC234")).err
        said = "From now on you are called at anna@example.net.\n"
        assert (await ask(host.server, f"calls confirm {box.code()}")).out == said
        assert "you are called at anna@example.net" in (await ask(host.server, "calls")).out
        said = "You are no longer called, and your address is forgotten.\n"
        assert (await ask(host.server, "calls stop")).out == said
        assert "You are not called" in (await ask(host.server, "calls stop")).out


async def test_guests_are_not_called(hosting: Hosting) -> None:
    async with inbox() as box:
        host = await hosting(by_mail(box))
        carl = host.connect("~carl")
        assert "no account" in await carl.refused(OrderCalls, "carl@example.net")
        await host.leave(carl)


async def test_where_nobody_is_called_an_address_can_still_be_forgotten(hosting: Hosting) -> None:
    host = await hosting(CallSettings())
    anna = host.connect("anna")
    assert "calls nobody" in await anna.refused(OrderCalls, "anna@example.net")
    await anna.do(StopCalls)
    await host.leave(anna)


async def test_who_reads_german_is_called_in_german(hosting: Hosting) -> None:
    async with inbox() as box:
        host = await hosting(by_mail(box))
        await host.hub.accounts.keep_settings("anna", '{"language": "de"}')
        await wants_mails(host, box, "anna")
        await host.table("anna", "beate", title="Süßes")
        await host.later(1)
        assert box.mails[0]["Subject"] == "Du bist dran am Tisch Süßes"


async def test_who_has_chosen_no_language_is_called_in_the_one_that_the_settings_have_now(
    hosting: Hosting,
) -> None:
    async with inbox() as box:
        host = await hosting(by_mail(box))
        await wants_mails(host, box, "anna")
        now = replace(host.server.settings, language="de")
        vars(host.server)["_read"] = lambda: now
        await host.server.reload()
        await host.table("anna", "beate", title="Süßes")
        await host.later(1)
        assert box.mails[0]["Subject"] == "Du bist dran am Tisch Süßes"


# -- addresses -----------------------------------------------------------------------------------------------

ALLOWED = CallSettings(
    smtp="mail", sender="kk@example.org",
    webhooks=("ntfy https://ntfy.sh", "discord https://discord.com/api/webhooks/", "matrix http://10.0.0.7:9000/webhook"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("typed", "kind"),
    [
        ("anna@example.net", "mail"),
        ("a.b+kk@mail.example.co.uk", "mail"),
        (" https://ntfy.sh/annas-turns ", "ntfy"),
        ("https://discord.com/api/webhooks/123/aB-c_d", "discord"),
        ("http://10.0.0.7:9000/webhook/f3a", "matrix"),
    ],
)
def test_an_address_says_itself_what_takes_it(typed: str, kind: str) -> None:
    assert way_to(typed, ALLOWED) == Way(kind, typed.strip())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "typed",
    [
        "https://ntfy.sh", "https://ntfy.sh/", "http://ntfy.sh/topic", "https://ntfy.sh.evil.example/topic",
        "https://ntfy.sh@evil.example/topic", "https://evil.example/https://ntfy.sh/topic",
        "https://ntfy.sh:444/topic", "https://ntfy.sh/topic?x=1", "https://ntfy.sh/topic#x",
        "https://discord.com/api/webhooks/../users", "https://discord.com/api/webhooks/%2e%2e/users",
        "https://discord.com/api/webhooks/.hidden", "https://ntfy.sh/a\r\nHost: evil", "https://ntfy.sh/a b",
        "http://127.0.0.1/topic", "http://169.254.169.254/latest", "file:///etc/passwd", "gopher://ntfy.sh/x",
        "https://ntfy.sh/" + "x" * 300, "anna", "anna@localhost", "anna@example.net, eve@example.net",
        "anna@example.net\r\nBcc: eve@example.net", "<anna@example.net>", "-oQ/tmp@exa mple.net", "",
    ],
)  # fmt: skip
def test_nobody_is_called_anywhere_but_where_the_host_allows(typed: str) -> None:
    with pytest.raises(CannotCall):
        way_to(typed, ALLOWED)


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.1.2.3", "192.168.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "::1",
     "fe80::1%eth0", "fc00::1", "::ffff:127.0.0.1", "2002:7f00:1::", "224.0.0.1"],
)  # fmt: skip
def test_addresses_of_ones_own_network_are_private(address: str) -> None:
    assert not _is_public(address)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:{port}/a", "http://localhost:{port}/a", "http://[::1]:{port}/a"]
)
async def test_a_webhook_leads_to_no_machine_of_the_hosts_own_network_unless_the_host_allows_it(
    url: str,
) -> None:
    async with chats() as service:
        address = url.format(port=service.url.rpartition(":")[2])
        sender = WebhookSender(CallSettings(webhooks=("ntfy http://x",)))
        with pytest.raises(NotDelivered, match="not a public one"):
            await sender.send(Way("ntfy", address), "", "", "hello")
        await sender.close()
        assert not service.posts


async def test_a_redirection_is_not_followed_and_an_answer_without_end_is_not_read() -> None:
    async def endless(service: Chats, request: web.Request) -> web.StreamResponse:
        await service.take(request)
        if request.path == "/moved":
            return web.Response(status=307, headers={"Location": f"{service.url}/elsewhere"})
        answer = web.StreamResponse()
        await answer.prepare(request)
        while True:
            await answer.write(b"x" * 2**16)

    async with chats(endless) as service:
        sender = WebhookSender(CallSettings(webhooks=("ntfy http://x",), private_addresses=True))
        with pytest.raises(NotDelivered, match="it answered 307") as refused:
            await sender.send(Way("ntfy", f"{service.url}/moved"), "", "", "hello")
        assert refused.value.is_final
        await sender.send(Way("ntfy", f"{service.url}/endless"), "", "", "hello")
        await sender.close()
        assert [path for path, _body in service.posts] == ["/moved", "/endless"]


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("ntfy", "<@everyone> & co"),
        ("matrix", {"text": "<@everyone> & co"}),
        ("slack", {"text": "&lt;@everyone&gt; &amp; co"}),
        ("discord", {"content": "<@everyone> & co", "allowed_mentions": {"parse": []}}),
    ],
)
async def test_each_service_gets_the_form_that_it_understands_and_a_title_calls_nobody_else(
    kind: Any, body: Any
) -> None:
    async with chats() as service:
        sender = WebhookSender(CallSettings(webhooks=("ntfy http://x",), private_addresses=True))
        await sender.send(Way(kind, f"{service.url}/a"), "", "", "<@everyone> & co")
        await sender.close()
        assert service.posts == [("/a", body if kind == "ntfy" else json.dumps(body))]


@pytest.mark.parametrize("status", [500, 503, 429])
async def test_a_service_that_is_busy_is_tried_again(status: int) -> None:
    async with chats() as service:
        service.status = status
        sender = WebhookSender(CallSettings(webhooks=("ntfy http://x",), private_addresses=True))
        with pytest.raises(NotDelivered) as refused:
            await sender.send(Way("ntfy", f"{service.url}/a"), "", "", "hello")
        await sender.close()
        assert not refused.value.is_final


# -- storage and settings ------------------------------------------------------------------------------------


async def test_addresses_and_turns_are_kept_and_forgotten_in_either_database(database: Database) -> None:
    store = CallStore(database)
    await store.keep_address("anna", "a@example.net")
    await store.keep_address("anna", "b@example.net")
    await store.keep_turns("anna", [CalledTurn("t", 1, 4), CalledTurn("u", 2, 0)])
    await store.keep_turns("beate", [CalledTurn("t", 1, 3)])
    assert await store.addresses() == {"anna": "b@example.net"}
    await store.keep_turns("anna", [CalledTurn("t", 1, 9)])
    assert await store.turns() == {
        "anna": {"t": CalledTurn("t", 1, 9)},
        "beate": {"t": CalledTurn("t", 1, 3)},
    }
    await store.forget("anna")
    assert (await store.addresses(), set(await store.turns())) == ({}, {"beate"})


@pytest.mark.parametrize(
    ("settings", "address", "reason"),
    [
        (CallSettings(smtp="mail", sender="kk@example.org"), None, "calls needs address"),
        (CallSettings(smtp="mail:x", sender="kk@example.org"), "h", "HOST or HOST:PORT"),
        (CallSettings(smtp="mail"), "h", "calls.sender"),
        (CallSettings(webhooks=("https://ntfy.sh",)), "h", "write KIND URL, where KIND is ntfy, matrix"),
        (CallSettings(webhooks=("mail https://ntfy.sh",)), "h", "write KIND URL"),
        (CallSettings(webhooks=("ntfy https://user:pass@ntfy.sh",)), "h", "write KIND URL"),
        (CallSettings(), None, ""),
        (ALLOWED, "h", ""),
    ],
)
def test_settings_of_calls_that_cannot_work_are_refused(
    settings: CallSettings, address: str | None, reason: str
) -> None:
    assert reason in str(why_no_calls(settings, address) or "")
    assert bool(reason) == (why_no_calls(settings, address) is not None)


@pytest.mark.parametrize("package", ["aiohttp", "aiosmtplib"])
async def test_without_the_extra_a_server_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    monkeypatch.delitem(sys.modules, "kk_server.calls.senders", raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(CannotServe, match=r"install them with `pip install 'kk\[calls\]'`"):
        await start(here(tmp_path, calls=ALLOWED, address=SERVER))


async def test_a_server_that_calls_nobody_loads_nothing_for_it() -> None:
    program = "import sys, kk_server.serve.server; print({'aiohttp', 'aiosmtplib'} & set(sys.modules))"
    done = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, stdout=asyncio.subprocess.PIPE, env=environment()
    )
    out, _ = await done.communicate()
    assert out == b"set()\n"


async def test_the_file_with_the_password_is_found_beside_the_settings(tmp_path: Path) -> None:
    file = tmp_path / "server.toml"
    file.write_text(
        'address = "kk.example.org"\n[calls]\nsmtp = "mail"\nsender = "kk@example.org"\n'
        'smtp_password = "secret/smtp"\n'
    )
    assert Sources(file).read().calls.smtp_password == str(tmp_path / "secret" / "smtp")
    with pytest.raises(CannotServe, match="secret/smtp cannot be read: "):
        await start(here(tmp_path / "data", calls=Sources(file).read().calls, address=SERVER))


async def test_the_server_logs_in_where_the_mail_server_wants_it(hosting: Hosting, tmp_path: Path) -> None:
    password = tmp_path / "password"
    password.write_text("geheim\n")
    async with inbox(auth_require_tls=False, auth_required=True) as box:
        login = {"smtp_user": "kk", "smtp_password": str(password), "sender": "abbey@example.org"}
        host = await hosting(by_mail(box, **login))
        await wants_mails(host, box, "anna")
        await host.table("anna", "beate")
        await host.later(1)
        assert box.mails[0]["From"] == "abbey@example.org"
        assert set(box.logins) == {(b"kk", b"geheim")}


async def test_a_mail_server_without_encryption_is_not_used_where_the_settings_ask_for_it(
    hosting: Hosting, journal: StringIO
) -> None:
    async with inbox() as box:
        host = await hosting(by_mail(box, smtp_security="starttls"))
        anna = host.connect("anna")
        await anna.do(OrderCalls, "anna@example.net")
        await wait_for(lambda: "code not sent" in journal.getvalue())
        assert not box.mails
        await host.leave(anna)


async def test_of_several_nodes_one_calls_people_and_follows_what_the_others_have_stored(
    hosting: Hosting, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with inbox() as box:
        host = await hosting(by_mail(box))
        await wants_mails(host, box, "anna")
        table = await host.table("anna", "beate")
        monkeypatch.setattr(Alone, "is_keeper", False)
        await host.later(1)
        assert not box.mails
        # by the node that calls: Anna, and what Beate has chosen at a third one
        known, store = dict(host.hub.table_cache.summaries())[table], host.hub.caller._store
        await store.keep_turns("anna", [CalledTurn(table, known.matches, known.turn)])
        await store.keep_address("beate", "beate@example.net")
        monkeypatch.setattr(Alone, "is_keeper", True)
        await host.later(1)
        assert [mail["To"] for mail in box.mails] == ["beate@example.net"]
