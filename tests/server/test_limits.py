"""Each limit of a server: who reaches it is told, and nobody else notices."""

from __future__ import annotations

import asyncio
import io
import json
import random
import socket
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import asyncssh
import pytest
from msgspec.structs import replace

from kk_core.errors import KkError
from kk_core.protocol.frames import frame
from kk_core.protocol.messages import (
    PROTOCOL_VERSION,
    ClientMessage,
    Done,
    Games,
    GetGames,
    GetHistory,
    GoTo,
    Hello,
    Hint,
    Join,
    LeaveSeat,
    Look,
    OpenReplay,
    OpenTable,
    Refused,
    Resync,
    Say,
    ServerMessage,
    SetBot,
    TakeSeat,
)
from kk_core.protocol.stream import LinkClosed
from kk_core.tree import pack
from kk_server.accounts.accounts import Accounts, AccountStore
from kk_server.frontend import driver, listener
from kk_server.frontend.channel import ChannelWriter
from kk_server.frontend.driver import Resizes, Terminal, clamp, rest_after
from kk_server.frontend.listener import AT_ONCE, Rejections
from kk_server.frontend.terminal import make_app
from kk_server.hub.hub import Hub, Invitations
from kk_server.limits import Limits, ServerLimits, SharedBuckets
from kk_server.serve.server import Server, start
from kk_server.ssh.farewell import farewell
from kk_server.storage.memory_log import MemoryLog
from kk_server.storage.sqlite import DATABASE, open_database
from kk_server.tables.nodes import Alone
from tests.server.client import Client
from tests.server.hosting import PLENTY, here
from tests.server.probe import HostedProbe, apps, make_probe
from tests.server.remote import RemoteLink, dial, key_of, screen, wait_for
from tests.server.test_accounts import link_key, refusal
from tests.server.test_console import ask
from tests.waiting import Clock, patience, rest

ELSEWHERE = "127.0.0.9"

Serving = Callable[..., AbstractAsyncContextManager[Server]]


@pytest.fixture
def serving(tmp_path: Path) -> Serving:
    @asynccontextmanager
    async def serve(**limits: Any) -> AsyncIterator[Server]:
        server = await start(here(tmp_path, limits=replace(PLENTY, **limits), bot_pause=0), make_probe)
        yield server
        await server.close()

    return serve


async def greeted(server: Server, user: str, address: str = "127.0.0.1") -> Client:
    connection = await dial(server.port, user, address=address)
    process: Any = await connection.create_process(subsystem="kk-sync", encoding=None)
    client = Client(RemoteLink(connection, process))
    await client.ask(Hello, PROTOCOL_VERSION)
    return client


async def silent(server: Server, address: str = "127.0.0.1") -> asyncio.StreamReader:
    """A connection that says nothing; what it reads."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port, local_addr=(address, 0))
    reader._kept = writer  # type: ignore[attr-defined]  # it is closed when nobody has it any more
    return reader


async def test_who_holds_the_door_open_without_logging_in_is_turned_away_and_others_come_in(
    serving: Serving,
) -> None:
    async with serving(unauthenticated_per_address=2) as server:
        held = [await silent(server) for _ in range(2)]
        for reader in held:
            assert (await reader.readline()).startswith(b"SSH-2.0-")
        for _ in range(20):
            assert b"waiting to log in" in await (await silent(server)).read()
        anna = await dial(server.port, "anna", address=ELSEWHERE)
        anna.close()


async def test_those_who_have_not_logged_in_are_limited_all_together(serving: Serving) -> None:
    async with serving(unauthenticated=2) as server:
        held = [await silent(server, address) for address in ("127.0.0.1", ELSEWHERE)]
        for reader in held:
            await reader.readline()
        assert b"waiting to log in" in await (await silent(server, "127.0.0.3")).read()


async def test_who_connects_again_and_again_is_turned_away_and_others_come_in(serving: Serving) -> None:
    async with serving(connections_per_second=0.01, connections_at_once=2) as server:
        for _ in range(2):
            (await dial(server.port, "eve")).close()
        with pytest.raises(asyncssh.DisconnectError, match="Too many new connections from your address"):
            await dial(server.port, "eve")
        anna = await dial(server.port, "anna", address=ELSEWHERE)
        anna.close()


async def test_those_who_are_turned_away_keep_few_connections_open_and_not_for_long() -> None:
    turning_away, pairs = (
        Rejections(farewell, seconds=0.01),
        [socket.socketpair() for _ in range(AT_ONCE + 1)],
    )
    for ours, _ in pairs:
        turning_away.tell(ours, "No.")
    assert [ours.fileno() == -1 for ours, _ in pairs] == [True] + [False] * AT_ONCE
    await wait_for(lambda: all(ours.fileno() == -1 for ours, _ in pairs))
    for _, theirs in pairs:
        theirs.close()


async def test_the_log_tells_once_of_many_connections_that_were_turned_away_and_then_how_many(
    serving: Serving, journal: io.StringIO
) -> None:
    async with serving(unauthenticated_per_address=1) as server:
        held = await silent(server)
        assert (await held.readline()).startswith(b"SSH-2.0-")
        for _ in range(20):
            await (await silent(server)).read()
        (first,) = turned_away(journal)
        assert (first["address"], first.get("times")) == ("127.0.0.1", None)
    _, others = turned_away(journal)
    assert (others["address"], others["times"]) == ("127.0.0.1", 19)


async def test_who_is_turned_away_later_has_a_line_of_his_own_again(
    serving: Serving, monkeypatch: pytest.MonkeyPatch, journal: io.StringIO
) -> None:
    monkeypatch.setattr(listener, "_NOTED_APART", 0)
    async with serving(unauthenticated_per_address=1) as server:
        held = await silent(server)
        assert (await held.readline()).startswith(b"SSH-2.0-")
        for number in range(3):
            await (await silent(server)).read()
            await wait_for(lambda: len(turned_away(journal)) > number)  # noqa: B023
            await rest()
    assert [line.get("times") for line in turned_away(journal)] == [None] * 3


def turned_away(journal: io.StringIO) -> list[dict[str, Any]]:
    lines = map(json.loads, journal.getvalue().splitlines())
    return [line for line in lines if line["event"] == "turned away"]


async def test_who_has_logged_in_does_not_count_among_them(serving: Serving) -> None:
    async with serving(unauthenticated=1) as server:
        people = [await dial(server.port, user) for user in ("anna", "beate", "carla")]
        assert server.connections == 3
        for connection in people:
            connection.close()


async def test_who_does_not_log_in_is_disconnected_after_a_while(serving: Serving) -> None:
    async with serving(login_seconds=0.3) as server:
        async with asyncio.timeout(patience()):
            await (await silent(server)).read()
        await wait_for(lambda: server.connections == 0)


async def test_who_logs_in_and_asks_for_nothing_is_disconnected_after_a_while(serving: Serving) -> None:
    async with serving(login_seconds=3600) as server:
        clock, connection = Clock(stands=False), await dial(server.port, "anna")
        await clock.forward(3601)
        async with asyncio.timeout(patience()):
            await connection.wait_closed()


async def test_connections_are_limited_all_together(serving: Serving) -> None:
    async with serving(connections=1) as server:
        first = await dial(server.port, "anna")
        with pytest.raises(asyncssh.DisconnectError, match="This server is full"):
            await dial(server.port, "beate", address=ELSEWHERE)
        first.close()


async def test_who_is_refused_counts_no_more_once_gone_and_makes_no_room_for_others(serving: Serving) -> None:
    async with serving(connections=1) as server:
        first = await dial(server.port, "anna")
        for user in ("beate", "carla"):
            with pytest.raises(asyncssh.DisconnectError, match="This server is full"):
                await dial(server.port, user)
            await wait_for(lambda: server.connections == 1)
        first.close()
        await wait_for(lambda: server.connections == 0)
        (await dial(server.port, "carla")).close()


async def test_one_account_has_so_many_sessions_whatever_connections_they_come_over(serving: Serving) -> None:
    async with serving(sessions_per_user=2) as server:
        clients = [await greeted(server, "anna") for _ in range(2)]
        connection = await dial(server.port, "anna")
        process = await connection.create_process(term_type="xterm-256color")
        assert "You already have 2 sessions here" in await process.stderr.read()
        other = await greeted(server, "beate")
        await clients[0].close()
        await wait_for(lambda: len(server.hub.presence.users()) == 2)
        again = await greeted(server, "anna")
        for client in (clients[1], other, again):
            await client.close()
        connection.close()


async def test_commands_and_files_are_sessions_of_an_account_as_well(serving: Serving) -> None:
    async with serving(sessions_per_user=1) as server:
        anna = await greeted(server, "anna")
        full = "You already have a session here"
        for way in ({"command": "who"}, {"subsystem": "sftp"}):
            connection = await dial(server.port, "anna")
            process: Any = await connection.create_process(**way, encoding=None)
            assert full in (await process.stderr.read()).decode()
            await process.wait_closed()
            assert process.exit_status == 2
            connection.close()
        await anna.close()
        sftp = await (await dial(server.port, "anna")).start_sftp_client()
        said = await ask(server, "who")
        assert (said.status, full in said.err) == (2, True)
        sftp.exit()


async def test_from_one_address_so_many_tables_are_opened_under_whatever_names(serving: Serving) -> None:
    async with serving(tables_per_address=3) as server:
        people = [await greeted(server, user) for user in ("anna", "beate", "carla")]
        for client in people:
            await client.open("land_cards", 3)
            await client.sit(0)
        eve = await greeted(server, "eve")
        assert "3 tables are already open from your address" in await eve.refused(
            OpenTable, "land_cards", {}, 3, ""
        )
        dora = await greeted(server, "dora", ELSEWHERE)
        await dora.open("land_cards", 3)
        await people[0].do(LeaveSeat, 0)
        await people[0].go_to(None)
        await eve.open("land_cards", 3)
        for client in (*people, eve, dora):
            await client.close()


async def test_who_opens_tables_faster_than_anybody_can_is_refused_until_a_while_has_gone_by(
    serving: Serving,
) -> None:
    async with serving(openings_per_minute=1e-9, openings_at_once=2) as server:
        anna, *others = [
            await greeted(server, user) for user in ("anna", "beate", "carla", "dora", "eve", "f")
        ]
        for _ in range(2):
            await anna.open("land_cards", 3)
            await anna.go_to(None)
        assert "opening tables too fast" in await anna.refused(OpenTable, "land_cards", {}, 3, "")
        for other in others[:4]:
            for _ in range(2):
                await other.open("land_cards", 3)
                await other.go_to(None)
        assert "opening tables too fast" in await others[4].refused(OpenTable, "land_cards", {}, 3, "")
        elsewhere = await greeted(server, "f", ELSEWHERE)
        await elsewhere.open("land_cards", 3)
        server.hub.use(replace(PLENTY, openings_per_minute=1e9), 0, "never")
        await anna.open("land_cards", 3)
        for client in (anna, *others, elsewhere):
            await client.close()


@pytest.mark.parametrize(
    ("shape", "args"),
    [
        (GoTo, (None,)), (Look, (0,)), (Resync, ()), (OpenReplay, ("x", 1)), (GetHistory, ()),
        (TakeSeat, (1,)), (LeaveSeat, (0,)), (SetBot, (1, "random")),
    ],
)  # fmt: skip
async def test_who_looks_about_faster_than_anybody_can_is_refused(
    serving: Serving, shape: Any, args: tuple[Any, ...]
) -> None:
    async with serving(looks_per_second=1e-9, looks_at_once=2) as server:
        anna = await greeted(server, "anna")
        await anna.open("land_cards", 3)
        await anna.sit(0, 2)
        before = anna.tree
        assert "switching too fast" in await anna.refused(shape, *args)
        assert anna.tree == before
        await anna.close()


def test_who_flips_through_tables_by_hand_is_never_refused() -> None:
    now = 0.0
    limits = Limits()
    looks = SharedBuckets(limits.looks_per_second, limits.looks_at_once, lambda: now)
    for _ in range(600):
        now += 1
        assert all(looks.take("anna", None) for _ in range(7))
    assert sum(looks.take("eve", None) for _ in range(500)) == 80


@pytest.mark.parametrize(
    ("limits", "request_of", "answer"),
    [
        (Limits(requests_per_second=1e-9, requests_at_once=3), GetGames, Games),
        (Limits(requests_per_second=1e-9, requests_at_once=3), partial(Hint, seat=0), Refused),
        (Limits(looks_per_second=1e-9, looks_at_once=3), Resync, Done),
        (Limits(lines_per_second=1e-9, lines_at_once=3), partial(Say, words="Good evening."), Done),
    ],
    ids=["requests", "hints", "looks", "lines"],
)
async def test_who_asks_too_fast_is_refused_four_times_a_second_and_read_no_faster(
    limits: Limits, request_of: Callable[[int], ClientMessage], answer: type[ServerMessage]
) -> None:
    hub = Hub(MemoryLog(), limits=limits)
    link, answers = hub.connect("hasty"), list[ServerMessage]()
    clock = Clock()

    async def listen() -> None:
        with suppress(LinkClosed):
            while True:
                found = await link.receive()
                if isinstance(found, answer | Refused):
                    answers.append(found)

    listening = asyncio.create_task(listen())
    for number in range(60):
        await link.send(request_of(number + 1))
    await clock.forward(0.1)
    assert [type(each) for each in answers] == [answer] * 3
    await clock.forward(1.0)
    assert [type(each) for each in answers[3:]] == [Refused] * 4
    await link.close()
    await clock.forward(1.0)
    await listening
    await hub.close()


async def test_who_has_reached_a_limit_that_is_no_pace_is_told_at_once() -> None:
    hub, clock = Hub(MemoryLog(), limits=Limits(tables_per_user=1)), Clock()
    anna = Client(hub.connect("anna"))
    await anna.open("land_cards", 3)
    asking = asyncio.create_task(anna.refused(OpenTable, "land_cards", {}, 3))
    await clock.forward(0)
    assert asking.done()
    assert "already have 1 table" in asking.result()
    await anna.close()
    await hub.close()


async def test_who_asks_for_hints_and_reads_no_answer_is_read_no_further() -> None:
    hub = Hub(MemoryLog(), limits=Limits(requests_at_once=10_000))
    link, sent = hub.connect("hasty"), 0

    async def ask() -> None:
        nonlocal sent
        while True:
            await link.send(Hint(sent + 1, 0))
            sent += 1

    asking = asyncio.create_task(ask())
    await rest()
    assert sent < 300
    asking.cancel()
    await link.close()
    await hub.close()


async def test_a_hint_that_comes_too_soon_is_not_said_to_be_on_its_way() -> None:
    hub, clock = Hub(MemoryLog(), limits=Limits(requests_per_second=1e-9, requests_at_once=1)), Clock()
    anna = Client(hub.connect("anna"))
    assert "Too many requests" not in await anna.refused(Hint, 0)
    asking = [asyncio.create_task(anna.refused(Hint, 0)) for _ in range(2)]
    await clock.forward(1.0)
    assert all("Too many requests" in each for each in await asyncio.gather(*asking))
    await anna.close()
    await hub.close()


async def test_who_asks_for_much_at_once_has_others_between(hub: Hub) -> None:
    hasty, other = hub.connect("hasty"), hub.connect("other")
    for number in range(60):
        await hasty.send(Resync(number + 1))
    await other.send(GetGames(1))
    answered = 0
    while not isinstance(await other.receive(), Games):
        pass
    await hasty.close()
    with suppress(LinkClosed):
        while True:
            answered += isinstance(await hasty.receive(), Done)
    assert answered < 30


async def test_from_one_address_so_many_names_are_claimed(serving: Serving) -> None:
    async with serving(names_at_once=1) as server:
        anna = await greeted(server, "anna")
        assert "many new names from your address" in await refusal(server, "beate")
        beate = await greeted(server, "beate", ELSEWHERE)
        server.hub.use(replace(PLENTY, names_at_once=2), 0, "never")  # as a reload does
        carla = await greeted(server, "carla")
        for client in (anna, beate, carla):
            await client.close()


async def test_so_many_wrong_codes_of_invitations_are_borne_of_one_user(serving: Serving) -> None:
    async with serving(codes_at_once=2) as server:
        anna = await greeted(server, "anna")
        for _ in range(2):
            assert "No table here" in await anna.refused(Join, "AAAAAA")
        assert "Too many codes" in await anna.refused(Join, "AAAAAA")
        server.hub.use(replace(PLENTY, codes_per_minute=1e9), 0, "never")
        assert "No table here" in await anna.refused(Join, "AAAAAA")
        await anna.close()


async def test_so_many_codes_for_further_keys_are_tried_from_one_address(serving: Serving) -> None:
    async with serving(links_at_once=1) as server:
        for address in ("127.0.0.1", ELSEWHERE):
            assert "is wrong" in (await link_key(server, "AAAA-AAAA", key_of("eve"), address=address))[1]
            assert (
                "Too many codes" in (await link_key(server, "AAAA-AAAA", key_of("eve"), address=address))[1]
            )
        server.hub.use(replace(PLENTY, links_at_once=2), 0, "never")
        assert "is wrong" in (await link_key(server, "AAAA-AAAA", key_of("eve")))[1]


async def test_what_was_used_up_comes_back_by_the_minute(tmp_path: Path) -> None:
    now = 0.0
    limits = replace(
        PLENTY, names_at_once=1, names_per_minute=2, links_at_once=1, links_per_minute=2, codes_at_once=1,
        codes_per_minute=2,
    )  # fmt: skip
    database = await open_database(tmp_path / DATABASE)
    accounts = Accounts(AccountStore(database), limits, lambda: now)
    invitations = Invitations(limits, lambda: now)
    for minute, name in enumerate(("anna", "beate")):
        now = 30.0 * minute
        await accounts.login(name, name, "127.0.0.1")
        with pytest.raises(KkError, match="many new names"):
            await accounts.login("carla", "carla", "127.0.0.1")
        for reason in ("is wrong", "Too many"):
            with pytest.raises(KkError, match=reason):
                await accounts.link("AAAA-AAAA", "phone", "127.0.0.1")
        for reason in ("No table", "Too many"):
            with pytest.raises(KkError, match=reason):
                await invitations.find("anna", "AAAAAA", tuple, Alone().look_again)
    await database.close()


@pytest.fixture
async def accounts(tmp_path: Path) -> AsyncIterator[Accounts]:
    """Accounts at a moment that does not pass."""
    database = await open_database(tmp_path / DATABASE)
    yield Accounts(AccountStore(database), PLENTY, lambda: 0.0)
    await database.close()


async def test_so_many_codes_for_further_keys_are_tried_from_all_addresses_together(
    accounts: Accounts,
) -> None:
    for number in range(60):
        with pytest.raises(KkError, match="is wrong"):
            await accounts.link("AAAA-AAAA", "phone", f"192.0.2.{number}")
    with pytest.raises(KkError, match="Too many codes tried"):
        await accounts.link("AAAA-AAAA", "phone", "198.51.100.1")


async def test_all_addresses_of_one_ipv6_network_claim_as_many_names_as_one_machine(
    accounts: Accounts,
) -> None:
    accounts.use(replace(PLENTY, names_at_once=2, names_per_minute=1e-9))
    for number in (1, 2):
        await accounts.login(f"anna {number}", f"key {number}", f"2001:db8::{number}")
    with pytest.raises(KkError, match="many new names"):
        await accounts.login("anna 3", "key 3", "2001:db8:0:0:ffff::3")
    assert (await accounts.login("beate", "key 4", "2001:db8:0:1::1")).user == "beate"


async def test_so_many_keys_open_one_account(accounts: Accounts) -> None:
    accounts.use(replace(PLENTY, links_at_once=100))
    await accounts.login("anna", "key 1", "127.0.0.1")
    for number in range(2, 21):
        assert await accounts.link(await accounts.new_code("anna"), f"key {number}", "127.0.0.1") == "anna"
    with pytest.raises(KkError, match="anna already has 20 keys"):
        await accounts.link(await accounts.new_code("anna"), "key 21", "127.0.0.1")
    assert len(await accounts.keys_of("anna")) == 20
    assert await accounts.account_of("key 21") is None


async def test_a_message_that_is_longer_than_a_frame_may_be_ends_the_session_with_a_sentence(
    serving: Serving,
) -> None:
    async with serving(frame_bytes=2000) as server:
        anna = await greeted(server, "anna")
        anna.link.process.stdin.write(frame(pack(["say", 5, "x" * 3000])))  # type: ignore[attr-defined]
        await anna.until_closed()
        assert "2000" in str(anna.goodbye)


async def test_a_terminal_is_drawn_as_large_as_the_host_allows(serving: Serving) -> None:
    assert clamp(500, 500, (100, 40)) == (100, 40)
    async with serving(columns=100, rows=40) as server:
        terminal = await screen(server, size=(300, 90))
        await terminal.until("size=100x40.")
        await terminal.close()


async def test_of_many_sizes_in_a_moment_the_last_one_is_drawn(serving: Serving) -> None:
    async with serving() as server:
        terminal, loop = await screen(server), asyncio.get_running_loop()
        await terminal.until("size=80x24.")
        begun, sizes = loop.time(), list[object]()
        app, told = apps[-1], apps[-1].terminal.on_resize
        app.terminal.on_resize = lambda: (sizes.append(app.terminal.size), told())[-1]  # type: ignore[func-returns-value]
        for width in range(100, 300):
            terminal.process.change_terminal_size(width, 30)
        await terminal.until("size=299x30.")
        assert len(sizes) <= 1 + (loop.time() - begun) / driver._RESIZES_APART
        await terminal.close()


async def test_after_a_large_size_the_next_one_waits_until_others_had_their_turn(serving: Serving) -> None:
    assert rest_after((80, 24)) < 0.1  # no longer than sizes are apart in any case
    async with serving(columns=400, rows=200) as server:
        terminal = await screen(server)
        await terminal.until("size=80x24.")
        app, told, times = apps[-1], apps[-1].terminal.on_resize, list[float]()
        app.terminal.on_resize = lambda: (times.append(app.terminal._drawn_at), told())[-1]  # type: ignore[func-returns-value]
        for size in ((400, 200), (100, 30)):
            terminal.process.change_terminal_size(*size)
            await terminal.until("size={}x{}.".format(*size))
        assert times[1] - times[0] >= rest_after((400, 200))
        await terminal.close()


async def test_words_in_the_chat_of_an_app_may_be_worth_as_many_requests_as_the_host_allows() -> None:
    async def connect() -> Any:
        pytest.fail("nothing is sent")

    limits = ServerLimits(requests_per_second=1e-6, requests_at_once=3)
    channel: Any = SimpleNamespace(is_closing=lambda: False)
    terminal = Terminal(ChannelWriter(channel, patience=30), "xterm", (80, 24), {}, limits)
    console = make_app(connect, terminal, None).chat_console
    await console.spend(3)
    more = asyncio.create_task(console.spend(1))
    for _ in range(9):
        await asyncio.sleep(0)
    assert not more.done()
    more.cancel()


class Window:
    """A window that has one size after the other as soon as the last one is drawn; keeps when that was."""

    def __init__(self, resizes: Resizes, *sizes: tuple[int, int]) -> None:
        channel: Any = SimpleNamespace(is_closing=lambda: False)
        writer = ChannelWriter(channel, patience=30)
        self.terminal = Terminal(writer, "xterm", (80, 24), {}, ServerLimits(), resizes)
        self.terminal.on_resize = self._is_drawn
        self.drawn: list[float] = []
        self._sizes = list(sizes)
        self._begun = asyncio.get_running_loop().time()
        self._go_on()

    def _is_drawn(self) -> None:
        self.drawn.append(asyncio.get_running_loop().time() - self._begun)
        self._go_on()

    def _go_on(self) -> None:
        if self._sizes:
            self.terminal.resize(*self._sizes.pop(0))


def drawn_between(windows: list[Window], begin: float, end: float) -> int:
    return sum(begin <= at < end for window in windows for at in window.drawn)


async def test_large_screens_have_turns_and_others_do_not_wait_for_them() -> None:
    clock, resizes = Clock(), Resizes()
    large = [Window(resizes, (400, 200)) for _ in range(3)]
    small = Window(resizes, (200, 60))
    await clock.forward(2)
    first, second, third = sorted(window.drawn[0] for window in large)
    assert min(second - first, third - second) > 0.3
    assert small.drawn == pytest.approx([0.1])


async def test_a_window_that_is_dragged_follows_at_once() -> None:
    clock, resizes = Clock(), Resizes()
    window = Window(resizes, *((width, 40) for width in range(80, 120)))
    await clock.forward(5)
    assert window.drawn == pytest.approx([0.1 * number for number in range(1, 41)])


async def test_windows_that_change_without_end_have_a_small_part_of_the_time_together() -> None:
    clock, resizes = Clock(), Resizes()
    sizes = [(200 - number % 2, 80) for number in range(10_000)]
    windows = [Window(resizes, *sizes) for _ in range(10)]
    await clock.forward(60)
    assert drawn_between(windows, 0, 10) <= 160_000 * 10 / (199 * 80) + 1
    assert drawn_between(windows, 50, 60) <= 60_000 * 10 / (199 * 80) + 1
    assert all(drawn_between([window], 40, 60) for window in windows)


async def test_a_window_that_is_dragged_does_not_wait_for_those_that_change_without_end() -> None:
    clock, resizes = Clock(), Resizes()
    endless = [Window(resizes, *[(400 - number % 2, 200) for number in range(10_000)]) for _ in range(10)]
    await clock.forward(60)
    windows = [Window(resizes, size) for size in ((80, 24), (200, 60), (300, 90))]
    before = len(endless[0].drawn)
    await clock.forward(20)
    assert [window.drawn[0] < 0.6 for window in windows] == [True] * 3
    assert len(endless[0].drawn) > before


async def test_a_size_has_its_turn_as_what_it_is_when_it_is_drawn() -> None:
    clock, resizes = Clock(), Resizes()
    first, second = Window(resizes, (400, 200)), Window(resizes, (400, 200))
    await clock.forward(0.1)
    second.terminal.resize(80, 24)
    sly = Window(resizes, (80, 24))
    await clock.forward(0.05)
    sly.terminal.resize(400, 200)
    await clock.forward(2)
    assert [len(window.drawn) for window in (first, second, sly)] == [1, 1, 1]
    assert sly.drawn[0] > 0.3


async def test_nobody_waits_for_a_window_that_has_gone() -> None:
    clock, resizes = Clock(), Resizes()
    first, gone, last = (Window(resizes, (400, 200)) for _ in range(3))
    gone.terminal.writer.close()
    await clock.forward(2)
    assert not gone.drawn
    assert abs(last.drawn[0] - first.drawn[0]) == pytest.approx(400 * 200 / 240_000)


def _noting(times: list[float], told: Callable[[], object]) -> None:
    times.append(time.monotonic())
    told()


async def test_two_large_windows_are_not_drawn_anew_at_the_same_time(serving: Serving) -> None:
    async with serving(columns=400, rows=200) as server:
        terminals = [await screen(server, user) for user in ("anna", "beate")]
        for terminal in terminals:
            await terminal.until("size=80x24.")
        times: list[float] = []
        for app in apps[-2:]:
            app.terminal.on_resize = partial(_noting, times, app.terminal.on_resize)
            app.terminal.resize(400, 200)
        for terminal in terminals:
            await terminal.until("size=400x200.")
            await terminal.close()
        assert times[1] - times[0] > 0.3


async def test_who_says_nothing_for_long_is_told_and_his_session_ended(serving: Serving) -> None:
    async with serving(idle_seconds=3600) as server:
        terminal, client = await screen(server, "anna"), await greeted(server, "beate")
        await terminal.until("size=80x24.")
        await Clock(stands=False).forward(3601)
        assert await terminal.rest() == 0
        assert b"You were inactive" in terminal.seen
        await client.until_closed()
        assert "You were inactive" in str(client.goodbye)
        await terminal.close()


async def test_who_says_something_now_and_then_stays(serving: Serving) -> None:
    async with serving(idle_seconds=3600) as server:
        terminal, clock = await screen(server), Clock(stands=False)
        await terminal.until("size=80x24.")
        for key in "abcdefgh":
            terminal.type(key)
            await terminal.until(f"key={key}.")
            await clock.forward(3000)
        await clock.forward(601)
        assert await terminal.rest() == 0
        assert b"You were inactive" in terminal.seen
        await terminal.close()


@pytest.mark.parametrize("queued", [1024, 64 * 1024])
async def test_so_much_and_one_frame_waits_for_a_slow_reader(serving: Serving, queued: int) -> None:
    async with serving(queued_bytes=queued) as server:
        terminal = await screen(server, size=(200, 60), window=100)
        await terminal.until("\x1b[?1049h")
        app = apps[-1]
        await wait_for(lambda: app.painter.size == (200, 60))
        channel = app.terminal.writer.channel

        def paint() -> bool:
            app.painter.forget()
            app.paint()
            return app.terminal.writer.is_paused

        await wait_for(paint)
        waits = channel.queued
        assert queued < waits < queued + 64 * 1024
        for _ in range(50):
            paint()
        assert channel.queued == waits
        await terminal.close()


async def test_what_is_not_looked_at_fills_a_small_window_and_no_memory(serving: Serving) -> None:
    async with serving(window_bytes=2048, keys_per_second=1, keys_at_once=5) as server:
        terminal = await screen(server)
        await terminal.until("size=80x24.")
        terminal.type(b"x" * 100_000)
        channel = terminal.process.channel
        await wait_for(lambda: channel.get_write_buffer_size() < 100_000)
        assert channel.get_write_buffer_size() > 100_000 - 5 * 2048
        await terminal.close()


class Counting(HostedProbe):
    """A probe that counts what is typed."""

    keys = 0

    def on_event(self, event: Any) -> Any:
        self.keys += type(event).__name__ in ("Key", "Paste", "MouseDown", "MouseScrollDown")
        return super().on_event(event)


async def test_a_megabyte_of_noise_is_not_read_and_another_player_does_not_wait_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.server.probe.HostedProbe", Counting)
    server = await start(here(tmp_path, bot_pause=0), make_probe)
    eve, loop = await screen(server, "eve"), asyncio.get_running_loop()
    await eve.until("size=80x24.")
    app: Any = apps[-1]
    anna, beate = await greeted(server, "anna"), await greeted(server, "beate")
    table = await anna.open("land_cards", 3)
    await anna.sit(0, 1, 2)
    await anna.start()
    await beate.go_to(table)
    began = loop.time()
    eve.type(random.Random(2).randbytes(1_000_000).replace(b"q", b"r").replace(b"x", b"y"))
    await anna.look(0)
    await anna.play(0, anna.observation.legal_moves[0])
    await beate.until(lambda c: c.match.ply == 1)
    limits = server.settings.limits
    most = limits.keys_at_once + limits.keys_per_second * (loop.time() - began) + 1
    assert app.keys <= most
    await eve.close()
    await wait_for(lambda: not app.is_running)
    assert app.keys <= limits.keys_at_once + limits.keys_per_second * (loop.time() - began) + 1
    await anna.close()
    await beate.close()
    await server.close()
