"""Every game as people play it with `ssh`: the app that the server hosts, keys in, screens out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from kk_core.registry import game, game_ids
from kk_server.hub.session import Session
from kk_server.serve.server import Server, start
from kk_server.tables.place import Place
from kk_server.tables.table import Table
from kk_tui import press_guard
from kk_tui.app import type_ahead
from tests.server.client import Client
from tests.server.emulator import Emulator, emulator
from tests.server.hosting import here

TAB, ENTER = "\t", "\r"
NAMES = ("anna", "beate", "carl", "doro", "emil")


PRESSES = 5
"""How often Enter may be needed for one move: a card and a place may be chosen one after the other."""


@pytest.fixture(autouse=True)
def _quick_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who presses here means it, however short the table has been there."""
    monkeypatch.setattr(press_guard, "SEEN", 0.0)
    monkeypatch.setattr(press_guard, "BURST", 0.0)


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    server = await start(here(tmp_path))
    yield server
    await server.close()


async def begun(server: Server, game_id: str) -> Table:
    """A table whose seats belong to as many users as the game needs, just after the deal."""
    users = NAMES[: game(game_id).meta.min_seats]
    host, *others = (Client(server.hub.connect(user)) for user in users)
    table = await host.open(game_id, len(users))
    await host.sit(0)
    for seat, guest in enumerate(others, 1):
        await guest.go_to(table)
        await guest.sit(seat)
    await host.start()
    for client in (host, *others):
        await client.close()
    return server.hub.tables[table]


async def at_table(terminal: Emulator, table: Table) -> Emulator:
    """A terminal whose user has come to the match that he plays."""
    title = table.state.created.title
    assert title
    await terminal.until(lambda screen: "? help" in screen and "Enter go there" not in screen)
    return terminal


async def play_by_keys(terminal: Emulator, table: Table) -> None:
    """Press Enter on what is possible until a move is stored."""
    before = table.state.revision
    terminal.type(TAB)
    for _ in range(PRESSES):
        shown = await terminal.settled()
        if table.state.revision > before:  # a slow disk has stored it only now
            return
        terminal.type(ENTER)
        await terminal.until_unlike(shown)
        await terminal.settled()
        if table.state.revision > before:
            return
    pytest.fail(f"no move was made; the screen is:\n{terminal.text}")


@pytest.mark.e2e
@pytest.mark.parametrize("game_id", game_ids())
async def test_a_move_made_by_keys_over_ssh_is_seen_on_the_screen_of_everybody_at_the_table(
    server: Server, game_id: str
) -> None:
    table = await begun(server, game_id)
    match = table.state.match
    assert match is not None
    actor = match.game.active_seats(match.state)[0]
    async with AsyncExitStack() as stack:
        terminals = [
            await at_table(await stack.enter_async_context(emulator(server, holder.name)), table)
            for holder in table.state.seats
        ]
        before = [await terminal.settled() for terminal in terminals]
        await play_by_keys(terminals[actor], table)
        for terminal, shown in zip(terminals, before, strict=True):
            await terminal.until_unlike(shown)
    assert match.plies[0].seat == actor


@pytest.mark.e2e
@pytest.mark.parametrize("has_begun", [False, True])
@pytest.mark.parametrize("is_slow", [False, True])
async def test_what_is_typed_in_one_packet_with_enter_on_a_line_stands_whole_in_the_chat_of_that_table(
    server: Server, monkeypatch: pytest.MonkeyPatch, *, has_begun: bool, is_slow: bool
) -> None:
    # all of it is typed in one go, however long it takes
    monkeypatch.setattr(type_ahead, "_GOES_ON", 3600.0)
    host, go_to, answers = Client(server.hub.connect("beate")), Session.go_to, asyncio.Event()

    async def slow(session: Session, place: Place | None) -> None:
        await answers.wait()
        await go_to(session, place)

    table = server.hub.tables[await host.open("ku_ka_king", 3, title="Friday")]
    if has_begun:
        for seat in range(3):
            await host.sit(seat)
        await host.start()
    async with emulator(server, "anna") as guest:
        await guest.until(
            lambda screen: "Friday" in screen and ("Enter go " in screen or "Enter watch" in screen)
        )
        if is_slow:
            monkeypatch.setattr(Session, "go_to", slow)
            guest.type("\r\rbbbbbboabcde")
            await guest.settled()
            guest.type("fghij")
            assert "abcde" not in await guest.settled()
            answers.set()
        else:
            guest.type("\r\r\r\r\r\rbbbbbboabcdefghij")
        await guest.until(lambda screen: "abcdefghij" in screen)
        guest.type(ENTER)
        await guest.until(lambda screen: "anna: abcdefghij" in screen)
        assert server.hub.lobby.chat.view().said == 0
        assert all(seat.bot is None and seat.owner in (None, "beate") for seat in table.state.seats)
    await host.close()
