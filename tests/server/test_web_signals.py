"""What a page is told beside what is drawn: whose turn it is, and whether text is typed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from kk_core.protocol.messages import OpenTable, Propose, Vote
from kk_server.serve.server import Server, start
from kk_tui.table import turn_signal
from tests.server.client import Client
from tests.server.hosting import here
from tests.server.remote import screen
from tests.server.web_page import web_page

YOURS, OTHERS = "\x1b]2;Your turn: Ku-Ka-King\x07", "\x1b]2;Ku-Ka-King\x07"
BELL = "\x07"
NO_TITLE = "\x1b[23;2t"


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    server = await start(here(tmp_path, web=0))
    yield server
    await server.close()


async def seated(server: Server, title: str = "Sunday") -> Client:
    """Somebody on the first of two seats."""
    doro = Client(server.hub.connect("doro"))
    await doro.do(OpenTable, "ku_ka_king", {}, 2, title)
    await doro.sit(0)
    return doro


async def test_lines_in_a_page_have_a_title_that_says_whose_turn_it_is_and_ring_when_it_is_the_readers(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turn_signal, "QUIET", 0.0)
    doro = await seated(server)
    async with web_page(server, owner="anna", go="plain") as page:
        await page.type("join Sunday\r")
        await doro.until(lambda c: c.table.seats[1].owner == "anna")
        await doro.start()
        await page.until(YOURS)
        page.seen = b""
        await page.type("1\r")
        await page.until(OTHERS)
        page.seen = b""
        await doro.play(0, doro.observation.legal_moves[0])
        await page.until(YOURS + BELL)
    await doro.close()


async def test_the_app_in_a_page_rings_behind_the_title_that_a_notification_shows(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turn_signal, "QUIET", 0.0)
    doro, anna = await seated(server), Client(server.hub.connect("anna"))
    await anna.go_to(doro.table.id)
    await anna.sit(1)
    async with web_page(server, owner="anna", go="table", code=doro.table.id) as page:
        await doro.start()
        await page.until(YOURS)
        page.seen = b""
        await anna.play(1, anna.observation.legal_moves[0])
        await page.until(OTHERS)
        page.seen = b""
        await doro.play(0, doro.observation.legal_moves[0])
        await page.until(YOURS + BELL)
    await anna.close()
    await doro.close()


@pytest.mark.parametrize(("go", "typed"), [("plain", "join Sunday\r"), ("table", "")])
async def test_a_page_says_and_rings_when_others_wait_for_an_answer_before_the_match_too(
    server: Server, go: str, typed: str
) -> None:
    doro, anna = await seated(server), Client(server.hub.connect("anna"))
    await anna.go_to(doro.table.id)
    await anna.sit(1)
    async with web_page(server, owner="anna", go=go, code=doro.table.id) as page:
        await page.type(typed)
        await page.until(OTHERS)
        assert BELL.encode() not in page.seen.replace(OTHERS.encode(), b"")
        await doro.do(Propose, "close")
        await page.until("\x1b]2;Others wait for your answer: Ku-Ka-King\x07" + BELL)
        page.seen = b""
        await anna.do(Vote, False)
        await page.until(OTHERS)
    await anna.close()
    await doro.close()


async def test_lines_in_a_page_leave_out_the_signals_that_are_switched_off(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turn_signal, "QUIET", 0.0)
    doro = await seated(server)
    async with web_page(server, owner="anna", go="plain") as page:
        for line in ("settings bell no", "settings window no", "join Sunday"):
            await page.type(f"{line}\r")
        await doro.until(lambda c: c.table.seats[1].owner == "anna")
        await doro.start()
        await page.until("Your turn.")
        await page.type("1\r")
        await page.until("Waiting for doro.")
        await doro.play(0, doro.observation.legal_moves[0])
        await page.until("call row 1")
        await page.type("quit\r")
        await page.rest()
        assert b"\x1b]2;" not in page.seen
        assert BELL.encode() not in page.seen
    await doro.close()


async def test_the_title_of_lines_in_a_page_goes_and_comes_as_soon_as_it_is_switched(server: Server) -> None:
    doro = await seated(server)
    async with web_page(server, owner="anna", go="plain") as page:
        await page.type("join Sunday\r")
        await doro.until(lambda c: c.table.seats[1].owner == "anna")
        await doro.start()
        await page.until(YOURS)
        for choice, title in (("no", NO_TITLE), ("yes", YOURS)):
            page.seen = b""
            await page.type(f"settings window {choice}\r")
            await page.until(title)
    await doro.close()


async def test_a_call_to_another_table_rings_in_lines_in_a_page(server: Server) -> None:
    doro = await seated(server)
    async with web_page(server, owner="anna", go="plain") as page:
        await page.until("Lobby")
        assert BELL.encode() not in page.seen
        lines = await screen(server, "beate", command="plain")
        await lines.until("Lobby")
        lines.type("join Sunday\n")
        await doro.until(lambda c: c.table.seats[1].owner == "beate")
        lines.type("invite anna\n")
        await page.until("beate invites you to the table Sunday. 'join' goes there.")
        # a notification has the title that stands there when it rings
        await page.until(f"\x1b]2;beate invites you to the table Sunday.\x07{BELL}{NO_TITLE}")
        await doro.start()
        await lines.until("Your turn.")
        # on a terminal a screen reader would say each title aloud
        assert b"\x1b]2;" not in lines.seen
        await lines.close()
    await doro.close()


async def test_a_call_to_another_table_rings_in_the_app_in_a_page_with_the_call_as_its_title(
    server: Server,
) -> None:
    doro = await seated(server)
    async with web_page(server, owner="anna") as page:
        await page.until("you are")
        lines = await screen(server, "beate", command="plain")
        await lines.until("Lobby")
        lines.type("join Sunday\n")
        await doro.until(lambda c: c.table.seats[1].owner == "beate")
        lines.type("invite anna\n")
        await page.until(f"\x1b]2;beate invites you to the table Sunday.\x07{BELL}")
        await page.until("Ctrl+G goes there.")
        assert NO_TITLE.encode() in page.seen.partition(BELL.encode() * 2)[2]
        await lines.close()
    await doro.close()


async def test_a_page_is_told_when_text_is_typed_and_when_no_longer(server: Server) -> None:
    async with web_page(server, owner="anna") as page:
        await page.until("you are")
        assert not any(message["type"] == "typing" for message in page.messages)
        await page.type("o")
        assert (await page.until_told("typing"))["on"] is True
        page.messages.clear()
        await page.type("\x1b")
        assert (await page.until_told("typing"))["on"] is False
