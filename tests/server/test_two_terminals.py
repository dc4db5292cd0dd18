"""Two people with terminals of different kinds on one server."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kk_server.serve.server import start
from kk_tui.terminal.driver import questions
from tests.server.emulator import emulator
from tests.server.hosting import here
from tests.server.remote import Screen, screen
from tests.waiting import Clock, rest

SHOWN = "you are"
DEAL = "once a day"
"""The last words to come: the server is asked for them after the first picture."""

COLOURS = re.compile(rb"[34]8;([25]);")


async def shown(terminal: Screen) -> set[bytes]:
    """The kinds of colours on the first screen: by number (5) or by parts (2)."""
    await terminal.until(SHOWN)
    return set(COLOURS.findall(terminal.seen.replace(questions("xterm").encode(), b"")))


@pytest.mark.parametrize("order", [("256", "true", "16"), ("16", "true", "256"), ("true", "256", "16")])
async def test_each_guest_is_sent_the_colours_of_his_own_terminal_whoever_came_before(
    tmp_path: Path, order: tuple[str, ...]
) -> None:
    kinds = {"256": "xterm-256color", "true": "xterm-kitty", "16": "xterm"}
    expected = {"256": {b"5"}, "true": {b"2"}, "16": set()}
    server = await start(here(tmp_path))
    guests = []
    for depth in order:
        guests.append(await screen(server, f"guest{depth}", size=(120, 40), term=kinds[depth]))
        assert await shown(guests[-1]) == expected[depth]
    for guest in guests:
        await guest.close()
    await server.close()


async def test_a_screen_on_which_nothing_happens_sends_nothing(tmp_path: Path) -> None:
    server = await start(here(tmp_path))
    async with emulator(server, "anna") as guest:
        await guest.until(lambda screen: SHOWN in screen and DEAL in screen)
        clock, before = Clock(stands=False), 0
        while before != (before := len(guest.received)):  # all that is told later, or marked for a moment
            await rest()
            await clock.forward(10)
            await rest()
        for _ in range(30):
            await clock.forward(0.1)
            await rest()
        assert len(guest.received) == before
    await server.close()


TRUE_COLOUR = "\x1bP1$r0;48;2;1;2;3m\x1b\\"
LIGHT_PAGE = "\x1b]11;rgb:ffff/ffff/eded\x1b\\"


async def test_a_terminal_that_says_it_shows_all_colours_is_sent_them_and_its_neighbour_is_not(
    tmp_path: Path,
) -> None:
    server = await start(here(tmp_path))
    guest, other = [await screen(server, name, size=(120, 40)) for name in ("anna", "beate")]
    assert await shown(guest) == await shown(other) == {b"5"}
    guest.type(TRUE_COLOUR + "\x1b[?65;1c")
    await guest.until("48;2;28;25;20")
    other.type("n")
    await other.until("Open the table")
    assert await shown(other) == {b"5"}
    await guest.close()
    await other.close()
    await server.close()


async def test_a_terminal_that_says_its_page_is_light_gets_the_light_palette(tmp_path: Path) -> None:
    server = await start(here(tmp_path))
    guest = await screen(server, term="xterm-kitty")
    await shown(guest)
    guest.type(LIGHT_PAGE)
    await guest.until("48;2;242;232;208")
    await guest.close()
    await server.close()


async def test_the_first_picture_waits_for_no_answer(tmp_path: Path) -> None:
    server = await start(here(tmp_path))
    guest = await screen(server)
    await guest.until(SHOWN)
    assert questions("xterm").encode() in guest.seen
    await guest.close()
    await server.close()


async def test_what_has_no_room_in_the_footer_is_listed_by_the_key_that_it_names(tmp_path: Path) -> None:
    server = await start(here(tmp_path))
    guest = await screen(server)
    await guest.until("Ctrl+P more")
    guest.type("\x10")
    await guest.until("Commands")
    await guest.until("leaderboard")
    guest.type("SSH")
    await guest.until("your SSH keys")
    guest.type("\r")
    await guest.until("SSH keys of anna")
    await guest.close()
    await server.close()
