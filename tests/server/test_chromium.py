"""The page in a real browser: somebody plays there with others who came by SSH."""

from __future__ import annotations

import asyncio
import re
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from textual.widgets import Input

from kk_core.registry import game, game_ids
from kk_core.text import text
from kk_server.frontend import terminal
from kk_server.frontend.driver import Terminal
from kk_server.gateway import Caller, nobody
from kk_server.serve.server import Server, start
from kk_server.tables.table import Table
from kk_server.web import channel as web_channel
from kk_server.web import page as web_page
from kk_server.web.frames import BadWebFrame, PageMessage, decode
from kk_tui import press_guard
from kk_tui.app import KkApp
from kk_tui.match.result import ResultScreen
from kk_tui.match.table import TableScreen
from kk_tui.plain.editor import LineEditor
from kk_tui.screens.help import HelpScreen
from kk_tui.settings import SettingsStore
from kk_tui.widgets import bars
from kk_tui.widgets.bars import KeyBar
from tests.server.chromium import Browser, chromium, require_chromium
from tests.server.client import Client
from tests.server.emulator import Emulator, emulator
from tests.server.hosting import PLENTY, here
from tests.server.ports import free_port
from tests.server.web_page import socket_of, url_of
from tests.waiting import patience, rest, wait_for
from tools.trials import phone

pytestmark = pytest.mark.e2e

MANY = 60
"""Presses in which a move is made, whatever has to be looked at before."""

RELEASE = re.compile(rb"\x1b\[<\d+;\d+;\d+m")

releases: list[bytes] = []
"""All reports of a mouse button that was let go."""

fed = bytearray()
"""All that terminals have sent lately."""

apps: list[KkApp] = []
"""The apps of all pages, the last one last."""


@pytest.fixture(autouse=True)
def _quick_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who presses here means it, however short the table has been there."""
    require_chromium()
    apps.clear()
    monkeypatch.setattr(press_guard, "SEEN", 0.0)
    monkeypatch.setattr(press_guard, "BURST", 0.0)
    monkeypatch.setattr(bars, "STOOD", 0.0)
    feed = Terminal.feed

    def noting(shown: Terminal, data: bytes) -> None:
        feed(shown, data)
        fed.extend(data)
        if RELEASE.fullmatch(data):
            releases.append(data)

    monkeypatch.setattr(Terminal, "feed", noting)


def made(connect: Any, shown: Terminal, settings: SettingsStore | None) -> terminal.HostedKkApp:
    """kk's own app, remembered."""
    app = terminal.make_app(connect, shown, settings)
    apps.append(app)
    return app


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    server = await start(here(tmp_path, web=0, limits=PLENTY, bot_pause=0.0), made)
    yield server
    await server.close()


def url(server: Server) -> str:
    """The page by a name, as a browser keeps keys only for those and for HTTPS."""
    return url_of(server).replace("127.0.0.1", "localhost")


async def visit(browser: Browser, server: Server) -> None:
    """Open the page, and enter the lobby as anna."""
    await browser.open(url(server))
    await browser.enter("anna")
    await browser.until("you are anna")


def app_in_front() -> KkApp:
    """The app of the page, which was the last to come."""
    return apps[-1]


def is_in_match(app: KkApp) -> bool:
    return app.is_running and isinstance(app.screen, TableScreen) and app.store.scene is not None


def is_waiting(app: KkApp) -> bool:
    """Whether a move is on its way that is not stored yet."""
    return isinstance(app.screen, TableScreen) and app.screen.mover.pending


async def done(app: KkApp) -> None:
    """Wait until all is done that was asked for last."""
    await rest()
    await wait_for(lambda: not is_waiting(app))
    await rest()


async def click(browser: Browser, x: int, y: int) -> None:
    """Click a cell, and wait until all is done that this asks for."""
    before, size = len(releases), app_in_front().size
    await browser.click(x, y, (size.width, size.height))
    await wait_for(lambda: len(releases) > before)
    await done(app_in_front())


async def click_on_a_move(browser: Browser, table: Table) -> None:
    """Click where a move can be made, or on what the footer says can be done, until a move is stored."""
    app, before = app_in_front(), table.state.revision
    await wait_for(lambda: is_in_match(app))
    for tried in range(MANY):
        if table.state.revision > before:
            return
        await rest()
        places = places_of_moves(app)
        if places and tried % 3 == 0:
            await click(browser, *places[tried // 3 % len(places)])
        else:  # what the footer names first, since it has no place, or since it has to be chosen twice
            await click(browser, 2, app.size.height - 1)
    pytest.fail(f"no click made a move; the page is:\n{await browser.text()}")


def places_of_moves(app: KkApp) -> list[tuple[int, int]]:
    """The cells in the middle of the places where moves are made."""
    assert isinstance(app.screen, TableScreen)
    board, scene = app.screen.board, app.store.scene
    assert scene is not None
    corner = board.content_region.offset
    places = dict.fromkeys(place for move in scene.legal for place in board.places(move))
    return [
        (corner.x + place.x + place.width // 2, corner.y + place.y + place.height // 2) for place in places
    ]


def actor_of(table: Table) -> str | None:
    """The user who has to move; None if it is a bot."""
    match = table.state.match
    assert match is not None
    return table.state.seats[match.game.active_seats(match.state)[0]].owner


def is_over(table: Table) -> bool:
    return table.state.match is not None and table.state.match.is_over


async def move_after(table: Table) -> None:
    """Wait until somebody else has made a move."""
    before = table.state.revision
    await wait_for(lambda: table.state.revision > before)


async def press_until_a_move(terminal: Emulator, app: KkApp, table: Table) -> None:
    """Go to the next choice and press Enter, a few times if asked, or what the footer names first."""
    before = table.state.revision
    try:
        async with asyncio.timeout(patience()):  # presses do nothing until what happened before was shown
            for tried in count():
                fed.clear()
                first = terminal.text.rstrip().rpartition("\n")[2].split(maxsplit=1)[0]
                # with no choice left under the cursor, the footer begins with the key that ends the turn
                keys = first if tried % 4 == 3 and len(first) == 1 else "\t\r" if tried % 4 < 2 else "\r"
                terminal.type(keys)
                # the other one's page may say behind it where the mouse is
                await wait_for(lambda keys=keys: keys[-1].encode() in fed)  # type: ignore[misc]
                await done(app)
                if table.state.revision > before:
                    return
    except TimeoutError:
        raise AssertionError(f"no key made a move; the screen is:\n{terminal.text}") from None


async def opened(server: Server, game_id: str) -> Table:
    """A match of two people, and of bots for as many as the game needs besides."""
    seats = game(game_id).meta.min_seats
    anna, beate = (Client(server.hub.connect(user)) for user in ("anna", "beate"))
    table = await anna.open(game_id, seats)
    await anna.sit(0)
    await anna.seat_bots(*range(2, seats), bot="greedy")
    await beate.go_to(table)
    await beate.sit(1)
    await anna.start()
    for client in (anna, beate):
        await client.close()
    return server.hub.tables[table]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("game_id", game_ids())
async def test_a_match_is_played_to_its_end_by_clicks_with_somebody_who_came_by_ssh(
    server: Server, game_id: str
) -> None:
    table, moves = await opened(server, game_id), 0
    async with emulator(server, "beate", (80, 24)) as beate, chromium() as browser:
        await wait_for(lambda: apps and is_in_match(apps[0]))
        await browser.open(url(server))
        await browser.enter("anna")
        await wait_for(lambda: len(apps) == 2)
        while not is_over(table):
            match actor_of(table):
                case "anna":
                    await click_on_a_move(browser, table)
                case "beate":
                    await press_until_a_move(beate, apps[0], table)
                case _:
                    await move_after(table)
            moves += 1
            if moves == RELOADED_AFTER:
                await reload(server, browser)
        for _ in range(MANY):  # through the last scoring
            if isinstance(app_in_front().screen, ResultScreen):
                break
            await click(browser, 2, app_in_front().size.height - 1)
        await browser.until("rematch")
        assert await browser.faults() == []


RELOADED_AFTER = 11
"""Moves after which the page is loaded again."""


async def reload(server: Server, browser: Browser) -> None:
    """Load the page again, and wait until it is where it was."""
    before = len(apps)
    await browser.reload()
    await come_again(server, before)


async def come_again(server: Server, before: int) -> None:
    """Wait until a page of Anna's has come after so many, and is at her match in place of the last one."""
    await wait_for(lambda: len(apps) > before and is_in_match(apps[-1]))
    await wait_for(lambda: len(server.visits.of("anna")) == 1)


async def reload_at(server: Server, browser: Browser, user: str, words: str) -> None:
    """Load the page again, and wait until somebody is where they were."""
    await wait_for(lambda: len(server.visits.of(user)) == 1)
    (before,) = server.visits.of(user)
    await browser.run(
        "document.querySelector('.xterm-rows').remove()"
    )  # what was shown before counts no more
    await browser.reload()
    await wait_for(lambda: server.visits.of(user) and before not in server.visits.of(user))
    await browser.until(words)


@pytest.mark.parametrize("is_plain", [False, True], ids=["screen", "lines"])
async def test_who_watches_or_looks_at_a_replay_is_there_again_after_a_reload(
    server: Server, *, is_plain: bool
) -> None:
    lobby, watched, replayed = (
        ("Lobby:", "Table beate:", "After ")
        if is_plain
        else ("you are carla", "Round 1, pass 1", "Move 0 of")
    )
    beate = Client(server.hub.connect("beate"))
    table = await beate.open("ku_ka_king", 2)
    await beate.sit(0)
    await beate.seat_bots(1, bot="greedy")
    await beate.start()
    async with chromium() as browser:
        await browser.open(url(server) + ("plain" if is_plain else ""))
        await browser.enter("carla")
        await browser.until(lobby)
        for words, shown in (("watch beate", watched), ("leave", lobby), ("watch beate", watched)):
            await browser.type(f"{words}\n" if is_plain else "\ue00c" if words == "leave" else f"o/{words}\n")
            await browser.until(shown)
            await reload_at(server, browser, "carla", shown)
        await beate.play_to_the_end()
        await browser.open(f"{url(server)}match/{table}-1")
        if is_plain:
            await browser.until("Move 0 of")
            await browser.open(url(server) + "plain")
        await browser.until(replayed)
        for step, arrows in ((3, "\ue014\ue014\ue014"), (0, "\ue012\ue012\ue012")):
            await browser.type(f"back {step}\n" if is_plain else arrows)
            replayed = f"After {step} of" if is_plain else f"Move {step} of"
            await browser.until(replayed)
            await reload_at(server, browser, "carla", replayed)
        assert await browser.faults() == []
    await beate.close()


async def test_a_link_to_no_table_says_so_and_leads_to_the_lobby(server: Server) -> None:
    beate = Client(server.hub.connect("beate"))
    table = await beate.open("ku_ka_king", 2)
    async with chromium(language="de") as browser:
        await browser.open(f"{url(server)}table/{table}")
        await browser.enter("anna")
        await browser.until("Tisch: ")
        for path in ("table/0000", "match/0000-1", "join/ABCDE2"):
            await browser.open(f"{url(server)}{path}")
            await browser.until_said("why", "0000" if "0000" in path else "Code")
            assert not await browser.run("return document.getElementById('code').checkVisibility()")
            await browser.until_said("door", "Zur Lobby")
            await browser.press_button()
            await browser.until("du bist anna")
    await beate.close()


async def test_the_account_is_the_browsers_own_and_comes_back_after_the_page_is_left(server: Server) -> None:
    async with chromium() as browser:
        await visit(browser, server)
        await browser.open(url(server) + "table/0000")
        await browser.until_said("why", "0000")
        await browser.press_button()
        await browser.until("you are anna")
        assert await browser.run("return location.pathname") == "/"
        assert await browser.faults() == []


async def test_a_browser_that_has_forgotten_its_key_is_told_how_to_link_a_new_one(server: Server) -> None:
    async with chromium() as browser:
        await visit(browser, server)
        await browser.open(url(server) + "nowhere")
        await browser.run("indexedDB.deleteDatabase('kk')")
        await browser.open(url(server))
        await browser.until_said("why", "The name anna belongs to somebody's key.")
        assert await browser.run("return document.getElementById('code').checkVisibility()")
        for path in ("table/0000", "plain"):  # whatever they come for
            await browser.run("sessionStorage.clear()")
            await browser.open(url(server) + path)
            await browser.until_asked()
            assert not await browser.run("return document.getElementById('code').checkVisibility()")
            await browser.press_button()
            await browser.until_said("why", "The name anna belongs to somebody's key.")
            assert await browser.run("return document.getElementById('code').checkVisibility()")


async def test_lines_go_on_as_lines_after_a_code_was_used(server: Server) -> None:
    async with chromium() as browser:
        await browser.open(url(server) + "plain")
        await browser.until_asked()
        await browser.run("document.getElementById('linking').open = true")
        await browser.fill("code", "ABCD")
        await browser.enter("anna")
        await browser.until_asked()
        await browser.press_button()
        await browser.until("Lobby")
        assert not apps


async def test_a_page_whose_server_starts_again_comes_back_by_itself(tmp_path: Path) -> None:
    settings = here(tmp_path, web=free_port())
    server = await start(settings, made)
    async with chromium() as browser:
        await visit(browser, server)
        await server.close()
        await browser.until_said("state", "lost")
        again = await start(settings, made)
        await wait_for(lambda: len(apps) == 2)
        await browser.until("you are anna")
        await again.close()


@asynccontextmanager
async def at_a_link(folder: Path, **limits: int) -> AsyncIterator[tuple[Server, Browser]]:
    """A server with little room, and a page that a link to a table there has opened."""
    server = await start(here(folder, web=0, limits=replace(PLENTY, **limits)), made)
    doro = Client(server.hub.connect("doro"))
    table = await doro.open("ku_ka_king", 2)
    async with chromium(language="de") as browser:
        await browser.open(f"{url(server)}table/{table}")
        await browser.until_asked()
        yield server, browser
    await doro.close()
    await server.close()


async def test_a_page_whose_server_is_full_says_so_and_comes_in_where_its_link_leads_once_there_is_room(
    tmp_path: Path,
) -> None:
    async with at_a_link(tmp_path, connections=3) as (server, browser):
        await browser.run(ASKING)
        await wait_for(lambda: not server.connections)
        async with socket_of(server) as one, socket_of(server) as two, socket_of(server) as three:
            for another in (one, two, three):
                await another.until_told("challenge")
            await browser.enter("anna")
            await browser.until_said("state", "Dieser Server ist voll; diese Seite versucht es weiter.")
            for share, pause in ((0, 10000), (0.5, 15000), (1, 20000)):  # not all pages at once
                await browser.run("const [share] = arguments; Math.random = () => share; again()", share)
                await browser.until_so("return waits.includes(arguments[0])", pause)
            await browser.until_said("state", "Dieser Server ist voll; diese Seite versucht es weiter.")
        await wait_for(lambda: not server.connections)
        await browser.run("again()")
        await browser.until("Tisch: ")
        assert await browser.run("return document.getElementById('state').hidden")


async def test_who_has_too_many_sessions_comes_in_where_they_were_going_once_one_has_ended(
    tmp_path: Path,
) -> None:
    async with at_a_link(tmp_path, sessions_per_user=1) as (server, browser):
        for _ in range(2):  # by a link, and back where they were sent away
            other = server.visits.visit("other", Caller("127.0.0.1"), nobody)
            other.user = "anna"
            await browser.enter("anna")
            await browser.until_said("why", "Du hast hier schon eine Sitzung")
            await browser.until_said("door", "Weiterspielen")
            assert not await browser.run("return document.getElementById('linking').open")
            other.leave()
            await browser.press_button()
            await browser.until("Tisch: ")
            server.visits.end_named("anna", "root")
            await browser.until_asked()
        assert await browser.faults() == []


# notes what the page means to do later
NOTING = """
const wait = setTimeout;
window.later = [];
window.setTimeout = (act, ms) => {
  later.push(act.name);
  return wait(act, ms);
};
"""


# connects again only when told, and notes after how many milliseconds it would have
ASKING = """
const later = setTimeout;
window.waits = [];
window.setTimeout = (act, ms) => {
  if (act.name !== "connect") return later(act, ms);
  window.again = act;
  return waits.push(ms);
};
"""


async def test_the_door_stands_before_an_empty_page_without_a_scroll_bar(server: Server) -> None:
    async with chromium() as browser:
        await browser.open(url(server))
        await browser.until_asked()
        width = "document.querySelector('.xterm-viewport')"
        assert await browser.run(f"return {width}.offsetWidth - {width}.clientWidth") == 0


async def test_whoever_is_sent_away_reads_on_the_page_why_and_stays_away(server: Server) -> None:
    async with chromium() as browser:
        await visit(browser, server)
        await browser.run(COUNTING)
        server.visits.end_named("anna", "root")
        await browser.until_asked()
        await browser.until_said("why", "The host of this server has ended your session.")
        assert not await browser.run("return document.getElementById('code').checkVisibility()")
        await browser.run("return new Promise(done => later(done, 100))")  # long after a page that comes back
        assert await browser.run("return opened") == 0
        assert len(apps) == 1


# comes back at once, if it does, and counts how often
COUNTING = """
window.later = setTimeout;
window.setTimeout = act => later(act, 0);
window.opened = 0;
window.WebSocket = new Proxy(WebSocket, { construct(kind, told) { opened++; return new kind(...told); } });
"""


# what was typed before is not shown any more
IS_EMPTIED = "return !/watch.doro/.test(document.querySelector('.xterm-rows').textContent)"


@pytest.mark.parametrize("has_left", [True, False])
async def test_who_is_sent_away_comes_back_to_where_they_were_and_who_has_left_to_the_lobby(
    server: Server, *, has_left: bool
) -> None:
    doro = Client(server.hub.connect("doro"))
    await doro.open("ku_ka_king", 2)
    async with chromium() as browser:
        await browser.open(url(server) + "plain")
        await browser.enter("anna")
        await browser.until("Lobby:")
        await browser.type("watch doro\n")
        await browser.until("Table doro:")
        if has_left:
            await browser.type("quit\n")
        else:
            server.visits.end_named("anna", "root")
        await browser.until_asked()
        await browser.press_button()
        await browser.until_so(IS_EMPTIED)
        await browser.until("Lobby:" if has_left else "Table doro:")
        assert ("Table doro:" in await browser.text()) is not has_left
    await doro.close()


async def test_a_page_whose_server_has_another_page_by_now_loads_that_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = here(tmp_path, web=free_port())
    server = await start(settings, made)
    async with chromium() as browser:
        await visit(browser, server)
        await server.close()
        monkeypatch.setattr(web_page, "_SCRIPTS", (web_page._SCRIPTS[-2], *web_page._SCRIPTS))
        again = await start(settings, made)
        assert again.web is not None
        await wait_for(lambda: len(apps) == 2)
        await browser.until("you are anna")
        loaded = await browser.run("return document.scripts[1].src")
        async with socket_of(again) as socket:
            assert loaded.endswith((await socket.until_told("challenge"))["script"])
        await again.close()


async def test_a_page_whose_server_is_an_older_one_stays_and_asks_it_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def of_before(message: msgspec.Struct) -> str:
        fields = msgspec.to_builtins(message)
        for name in ("script", "kind"):
            fields.pop(name, None)
        return msgspec.json.encode(fields).decode()

    def by_one_of_before(packed: str) -> PageMessage:
        message = decode(packed)
        if "place" in msgspec.json.decode(packed):
            raise BadWebFrame(text("The page has sent a message that makes no sense."))
        return message

    settings = here(tmp_path, web=free_port())
    server = await start(settings, made)
    async with chromium() as browser:
        await visit(browser, server)
        await browser.run("sessionStorage.setItem('kk-place', '113cf96c')")
        await browser.reload()
        await wait_for(lambda: len(apps) == 2)
        await browser.until("you are anna")
        await browser.run(NOTING)
        await browser.type("?")
        await browser.until_so("return later.includes('ping')")  # a server of the page's own age is asked
        await server.close()
        monkeypatch.setattr(web_channel, "encode", of_before)
        monkeypatch.setattr(web_channel, "decode", by_one_of_before)
        for come in (3, 4):  # from a newer one, and from another of the same age, whose close alone says so
            server = await start(settings, made)
            await wait_for(lambda come=come: len(apps) == come)  # type: ignore[misc]
            await browser.until("you are anna")
            if come == 3:
                await server.close()
        await browser.run(NOTING)
        await browser.type("?")
        await wait_for(lambda: isinstance(app_in_front().screen, HelpScreen))
        assert "ping" not in await browser.run("return later")
        assert len(apps) == 4
        await server.close()


async def test_in_a_browser_that_lets_pages_keep_nothing_one_plays_all_the_same(server: Server) -> None:
    async with chromium(keeps=False) as browser:
        await browser.open(url(server))
        await browser.enter("anna")
        await browser.until("~anna")
        assert await browser.faults() == []


async def test_in_a_browser_that_lets_pages_keep_nothing_one_is_where_one_was_once_a_line_is_there_again(
    server: Server,
) -> None:
    doro = Client(server.hub.connect("doro"))
    await doro.open("ku_ka_king", 2)
    async with chromium(keeps=False) as browser:
        await browser.open(url(server) + "plain")
        await browser.enter("anna")
        await browser.until("Lobby:")
        await browser.type("watch doro\n")
        await browser.until("Table doro:")
        (before,) = server.visits.of("~anna")
        await browser.run(SLEEP)
        await wait_for(lambda: server.visits.of("~anna") and before not in server.visits.of("~anna"))
        await browser.until_so(IS_EMPTIED)
        await browser.until("Table doro:")
    await doro.close()


async def test_what_is_in_the_clipboard_is_pasted_as_everywhere_in_a_browser(server: Server) -> None:
    async with chromium() as browser:
        await visit(browser, server)
        await browser.copy("two words")
        await browser.type("o")
        await wait_for(lambda: isinstance(app_in_front().focused, Input))
        await browser.type("\ue009v\ue000")  # Ctrl+V
        await browser.until("two words")
        # whatever the keyboard writes there: with Caps Lock, in Cyrillic, and where V lies elsewhere
        for key, code in (("V", "KeyV"), ("м", "KeyV"), ("v", "Period")):
            assert await browser.run(
                "const told = {keyCode: 86, ctrlKey: true, bubbles: true, cancelable: true};"
                "const [key, code] = arguments, event = new KeyboardEvent('keydown', {key, code, ...told});"
                "return document.querySelector('.xterm-helper-textarea').dispatchEvent(event);",
                key, code,
            ), key  # fmt: skip
        assert await browser.faults() == []


async def test_the_other_button_opens_no_menu_over_the_game_and_one_over_lines(server: Server) -> None:
    async with chromium() as browser:
        for path, is_prevented in (("", True), ("plain", False)):
            await browser.open(url(server) + path)
            asked = "new MouseEvent('contextmenu', {bubbles: true, cancelable: true})"
            script = f"return !document.getElementById('terminal').dispatchEvent({asked})"
            assert await browser.run(script) is is_prevented


async def test_the_door_says_where_a_link_leads_before_anybody_says_who_they_are(server: Server) -> None:
    async with chromium(language="de") as browser:
        table = "zu einem Tisch"
        for path, there in (("join/ABCDE2", table), ("table/0000", table), ("match/0000-1", "zum Replay")):
            await browser.open(f"{url(server)}{path}")
            await browser.until_said("why", f"Dieser Link führt {there}")
        for path in ("", "plain"):
            await browser.open(f"{url(server)}{path}")
            await browser.until_asked()
            assert await browser.run("return document.getElementById('why').textContent") == ""
        assert await browser.faults() == []


async def test_what_is_no_code_is_said_before_anything_is_sent(server: Server) -> None:
    async with chromium() as browser:
        for code in ("AB_C", 41 * "A"):
            await browser.open(f"{url(server)}join/{code}")
            await browser.until_asked()
            await browser.until_said("why", "There is nothing at this address.")
        await browser.run("document.getElementById('linking').open = true")
        await browser.fill("code", "50%")
        await browser.enter("anna")
        await browser.until_said("why", "That is not a code")
        assert not apps
        await browser.run("document.getElementById('code').value = ''")
        await browser.press_button()
        await browser.until("you are anna")
        assert await browser.faults() == []


async def test_where_a_browser_can_keep_no_key_one_is_a_guest_and_reads_what_that_means(
    tmp_path: Path,
) -> None:
    server = await start(here(tmp_path, web=0, address="kk.example.org"), made)
    async with chromium(hosts="MAP kk.example.org 127.0.0.1", language="de") as browser:
        await browser.open(url(server).replace("localhost", "kk.example.org"))
        await browser.until_said("who", "als Gast")
        await browser.enter("anna")
        await browser.until("~anna")
        assert await browser.faults() == []
    await server.close()


@pytest.mark.parametrize("size", [(390, 844), (844, 390)], ids=["upright", "across"])
async def test_on_a_phone_all_columns_and_lines_fit_and_taps_are_clicks(
    server: Server, size: tuple[int, int], tmp_path: Path
) -> None:
    async with chromium(size, is_phone=True) as browser:
        await visit(browser, server)
        app = app_in_front()
        assert app.size.width >= 80
        assert app.size.height >= 24
        room = await browser.run("return [innerWidth, innerHeight, document.body.scrollWidth]")
        assert room[2] <= room[0]
        bar = app.screen.query_one(KeyBar)
        at = bar.region.x + bar.render_line(0).text.index("help"), bar.region.y
        await browser.tap(*at, (app.size.width, app.size.height))
        await wait_for(lambda: isinstance(app.screen, HelpScreen))
        assert await browser.faults() == []


async def test_on_a_phone_that_lies_across_all_of_the_door_can_be_reached(server: Server) -> None:
    async with chromium((844, 390), is_phone=True) as browser:
        await browser.open(url(server) + "match/0-1")
        await browser.enter("anna")
        await browser.until_said("why", "There is no match")
        await browser.run("document.getElementById('linking').open = true")
        top, bottom, height = await browser.run(
            "const { top, bottom } = document.getElementById('door').getBoundingClientRect();"
            "return [top, bottom, innerHeight];"
        )
        assert 0 <= top < bottom <= height
        assert await browser.run(
            "document.getElementById('plain').scrollIntoView();"
            "const { x, y } = document.getElementById('plain').getBoundingClientRect();"
            "return document.elementFromPoint(x + 5, y + 5).id;"
        ) == "plain"  # fmt: skip


async def test_on_a_phone_the_keys_of_the_footer_are_buttons_that_change_with_it(server: Server) -> None:
    async with chromium((390, 844), is_phone=True) as browser:
        await visit(browser, server)
        await browser.until_said("actions", "q leave")
        size = app_in_front().size
        await browser.press_action("? help")
        await wait_for(lambda: isinstance(app_in_front().screen, HelpScreen))
        await browser.until_said("actions", "Esc")
        assert "q leave" not in await browser.run("return document.getElementById('actions').innerText")
        assert app_in_front().size == size
        assert await browser.faults() == []


async def test_the_title_of_the_tab_says_when_it_is_ones_turn(server: Server) -> None:
    table = await opened(server, "land_cards")
    async with chromium() as browser:
        await browser.open(url(server))
        await browser.enter("anna")
        await wait_for(lambda: apps and is_in_match(apps[0]))
        await browser.until_titled("Your turn")
        while actor_of(table) == "anna":
            await click_on_a_move(browser, table)
        await browser.until_titled("Kardinal")
        assert "Your turn" not in await browser.run("return document.title")


async def test_who_leaves_the_page_is_gone_and_is_back_with_the_button_of_the_browser(server: Server) -> None:
    await opened(server, "land_cards")
    async with chromium() as browser:
        await browser.open(url(server))
        await browser.enter("anna")
        await wait_for(lambda: apps and is_in_match(apps[0]))
        await browser.open(url(server) + "nowhere")
        await wait_for(lambda: not server.visits.of("anna"))
        await browser.run("history.back()")
        await come_again(server, 1)
        # as where a browser keeps pages that are left, which depends on how much room it has
        for leaves_or_returns, visits in (("pagehide", 0), ("pageshow", 1)):
            await browser.run(
                "dispatchEvent(new PageTransitionEvent(arguments[0], {persisted: true}))", leaves_or_returns
            )
            await wait_for(lambda visits=visits: len(server.visits.of("anna")) == visits)  # type: ignore[misc]
        await come_again(server, 2)
        assert "404" in "".join(await browser.faults())


# a tab behind others, and what it tells the desktop
BEHIND = """
window.told = [];
window.Notification = class {
  constructor(title, { tag, renotify }) { told.push({ title, tag, renotify }); }
};
const [permission, isBehind] = arguments;
Notification.permission = permission;
Object.defineProperty(document, "hidden", { get: () => isBehind, configurable: true });
"""


async def test_a_bell_in_a_tab_behind_others_is_a_notification_if_those_are_allowed(server: Server) -> None:
    await opened(server, "land_cards")
    async with chromium() as browser:
        await browser.open(url(server))
        await browser.enter("anna")
        await wait_for(lambda: apps and is_in_match(apps[0]))
        await browser.until_titled("Your turn")
        for permission, is_behind in (("denied", True), ("granted", False), ("granted", True)):
            await browser.run(BEHIND, permission, is_behind)
            app_in_front().bell()
            app_in_front().set_window_title(f"{permission} {is_behind}")
            await browser.until_titled(f"{permission} {is_behind}")  # which comes after the bell
            told = await browser.run("return told")
            may = permission == "granted" and is_behind
            assert len(told) == may
        # a turn is told although the notification of the one before may still lie there
        assert told[0]["title"] == "granted False"
        assert told[0]["tag"]
        assert told[0]["renotify"]


# an hour has passed unnoticed
SLEEP = "const now = Date.now; Date.now = () => now() + 3600 * 1000"


async def test_a_page_that_is_back_from_sleep_is_where_it_was(server: Server) -> None:
    await opened(server, "land_cards")
    async with chromium() as browser:
        await browser.open(url(server))
        await browser.enter("anna")
        await wait_for(lambda: apps and is_in_match(apps[0]))
        await browser.run(SLEEP)
        await come_again(server, 1)
        assert await browser.faults() == []


async def test_a_page_that_is_online_again_goes_on_if_its_line_has_survived_that(server: Server) -> None:
    async with chromium() as browser:
        await visit(browser, server)
        await browser.run("dispatchEvent(new Event('offline'))")
        await browser.until_said("state", "lost")
        await browser.run("dispatchEvent(new Event('online'))")
        await browser.until_so("return document.getElementById('state').hidden")
        await browser.type("?")
        await wait_for(lambda: isinstance(app_in_front().screen, HelpScreen))
        assert len(apps) == 1


class Line:
    """What lies between a browser and a server; it can be cut without either noticing."""

    def __init__(self, port: int) -> None:
        self._server_port = port
        self._pumps = list[asyncio.Task[None]]()
        self._writers = list[asyncio.StreamWriter]()
        self.is_dead = False
        """True while nobody is at the other end of new connections, either."""
        self.swallowed = 0
        """The number of these."""

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.is_dead:
            self.swallowed += 1
            self._writers.append(writer)
            return
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._server_port)
        self._writers += writer, far_writer
        for source, sink in ((reader, far_writer), (far_reader, writer)):
            self._pumps.append(asyncio.create_task(self._pump(source, sink)))

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await source.read(65536):
                sink.write(data)
        sink.close()

    async def cut(self) -> None:
        """Let nothing through any more on the connections that there are."""
        pumps, self._pumps = self._pumps, []
        for pump in pumps:
            pump.cancel()
        await asyncio.gather(*pumps, return_exceptions=True)

    async def close(self) -> None:
        await self.cut()
        for writer in self._writers:
            writer.close()


@asynccontextmanager
async def line_to(server: Server) -> AsyncIterator[tuple[Line, str]]:
    """A line to a server, and the page at its other end."""
    assert server.web is not None
    line = Line(server.web.port)
    listening = await asyncio.start_server(line.take, "127.0.0.1", 0)
    try:
        yield line, f"http://localhost:{listening.sockets[0].getsockname()[1]}/"
    finally:
        listening.close()
        await line.close()


# what waits for seconds waits for a fifth of that
QUICK = "const later = setTimeout; window.setTimeout = (act, ms) => later(act, ms < 10000 ? ms : ms / 5)"


@pytest.mark.parametrize("notices", ["", "dispatchEvent(new Event('online'))"], ids=["typed", "online"])
async def test_a_page_whose_line_is_dead_says_so_and_is_connected_again(server: Server, notices: str) -> None:
    async with line_to(server) as (line, page), chromium() as browser:
        await browser.open(page)
        await browser.enter("anna")
        await browser.until("you are anna")
        await browser.run(QUICK)
        await line.cut()
        line.is_dead = True
        if notices:
            await browser.run(notices)
        else:
            await browser.type("?")
        await browser.until_said("state", "lost")
        await wait_for(lambda: line.swallowed > 1)  # one try after the other
        line.is_dead = False
        await wait_for(lambda: len(apps) == 2)
        await browser.until("you are anna")
        assert await browser.run("return document.getElementById('state').hidden")
        assert await browser.faults() == []


# what is shown, however it is broken into rows
BARE = """
const shown = document.querySelector(".xterm-rows").textContent.replaceAll(/\\s+/g, "");
return shown.includes(arguments[0].replaceAll(" ", ""));
"""


async def connect_again(server: Server, browser: Browser) -> None:
    """Leave the page, and go back to it as a browser had kept it."""
    for leaves_or_returns, visits in (("pagehide", 0), ("pageshow", 1)):
        await browser.run(
            "dispatchEvent(new PageTransitionEvent(arguments[0], {persisted: true}))", leaves_or_returns
        )
        await wait_for(lambda visits=visits: len(server.visits.of("anna")) == visits)  # type: ignore[misc]


async def test_a_line_that_is_half_typed_is_there_again_once_the_page_is_connected_or_loaded_again(
    server: Server,
) -> None:
    doro = Client(server.hub.connect("doro"))
    async with chromium((390, 844), is_phone=True) as browser:
        await browser.open(url(server) + "plain")
        await browser.enter("anna")
        await browser.until("Lobby")
        words = "as many words as are wider than all of a phone"
        await browser.type(f"say {words}")
        await browser.until_so(BARE, words)
        await connect_again(server, browser)
        await browser.type(" and")
        await browser.until_so(BARE, f"{words} and")
        await reload_at(server, browser, "anna", "Lobby")
        await browser.until_so(BARE, f"{words} and")
        await browser.type(" then some\n")
        said = f"{words} and then some"
        await doro.until(lambda c: [line.words for line in c.lobby.chat.recent() if line.user] == [said])
        assert await browser.faults() == []
    await doro.close()


BACKSPACE, CONTROL, UP, DOWN, RELEASED = "\ue003", "\ue009", "\ue013", "\ue015", "\ue000"


@pytest.mark.parametrize(
    ("typed", "left", "then", "said"),
    [
        (f"say helo{2 * BACKSPACE}", "say he", "llo", "hello"),
        ("say hello ", "say hello ", "there", "hello there"),
        # at the end of a row of 40 there is no room for a letter that is wider than one cell
        (f"say {35 * 'x'}\u4e2d", f"say {35 * 'x'}\u4e2d", "\u6587", f"{35 * 'x'}\u4e2d\u6587"),
        (f"{60 * 'x'}{CONTROL}u{RELEASED}", "", "say hello", "hello"),
        (f"{60 * 'x'}{CONTROL}c{RELEASED}", "", "say hello", "hello"),
        (f"hint {60 * 'x'}\n{UP}{DOWN}", "", "say hello", "hello"),
    ],
    ids=["deleted", "blank", "wide", "ctrl-u", "ctrl-c", "arrows"],
)
async def test_of_a_half_typed_line_all_comes_back_but_what_was_deleted(
    server: Server, monkeypatch: pytest.MonkeyPatch, typed: str, left: str, then: str, said: str
) -> None:
    keys, given, feed = typed.replace(RELEASED, "").replace(CONTROL, ""), "", LineEditor.feed

    def noting(editor: LineEditor, data: bytes) -> None:
        nonlocal given
        feed(editor, data)
        given += data.decode()
        if len(given) >= len(keys) and editor._editor._line == left:
            editor.write("\x1b]2;all is typed\x07")  # unlike a sentence, it leaves the line as it is

    monkeypatch.setattr(LineEditor, "feed", noting)
    doro = Client(server.hub.connect("doro"))
    async with chromium((390, 844), is_phone=True) as browser:
        await browser.open(url(server) + "plain")
        await browser.enter("anna")
        await browser.until("Lobby")
        await browser.type(typed)
        await browser.until_titled("all is typed")
        given = ""
        await connect_again(server, browser)
        await browser.type(f"{then}\n")
        await doro.until(lambda c: [line.words for line in c.lobby.chat.recent()] == [said])
        assert given == f"{left}{then}\r"
        assert await browser.faults() == []
    await doro.close()


# the next time that the page says who comes, something happens in place of that
NO_HELLO = """
const send = WebSocket.prototype.send, [happens] = arguments;
WebSocket.prototype.send = function (data) {
  WebSocket.prototype.send = send;
  if (happens === "refused") {
    const ended = { type: "ended", kind: "refused", status: 2, reason: "You have a session here." };
    this.onmessage({ data: JSON.stringify(ended) });
  }
  if (happens === "left") dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }));
  else this.close();
};
dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
"""


@pytest.mark.parametrize("happens", ["lost", "refused", "left"])
async def test_a_half_typed_line_is_kept_until_the_server_has_it(server: Server, happens: str) -> None:
    async with chromium() as browser:
        await browser.open(url(server) + "plain")
        await browser.enter("anna")
        await browser.until("Lobby")
        await browser.type("say hel")
        await browser.until("say hel")
        await browser.run(NO_HELLO, happens)
        if happens == "refused":
            await browser.until_said("why", "You have a session here.")
            await browser.press_button()
        if happens == "left":
            await browser.until_so("return sessionStorage.getItem('kk-line') === 'say hel'")
        else:
            await browser.until("say hel")
            await browser.until("Lobby")
        assert await browser.faults() == []


@pytest.mark.parametrize("is_reloaded", [False, True])
async def test_a_half_typed_line_is_typed_again_for_nobody_but_whoever_has_typed_it(
    server: Server, *, is_reloaded: bool
) -> None:
    async with chromium() as browser:
        await browser.open(url(server) + "plain")
        await browser.enter("anna")
        await browser.until("Lobby")
        await browser.type("say secret")
        await browser.until("say secret")
        if is_reloaded:  # the last name that was typed in another tab
            await browser.run("localStorage.setItem('kk-name', 'beate')")
            await reload_at(server, browser, "anna", "Lobby")
        else:
            (visit,) = server.visits.of("anna")
            visit.end(text("You are banned."))
            await browser.until_asked()
            assert "secret" in await browser.text()
            await browser.press_button()
            await wait_for(lambda: visit not in server.visits.of("anna"))
        await browser.type("who\n")
        await browser.until("here: anna")
        assert "secret" not in await browser.text()
        assert await browser.faults() == []


async def test_the_title_of_a_tab_with_lines_says_when_it_is_ones_turn(server: Server) -> None:
    await opened(server, "ku_ka_king")
    async with chromium() as browser:
        await browser.open(url(server) + "plain")
        await browser.enter("anna")
        await browser.until_titled("Your turn")
        await browser.type("1\n")
        await browser.until_titled("Ku-Ka-King")
        await browser.type("leave\n")
        await browser.until_titled("kk")
        assert await browser.faults() == []


PRESS_KEYBOARD = (
    "document.querySelector('#keys > :last-child').dispatchEvent(new PointerEvent('pointerdown'))"
)


async def test_on_a_phone_a_tap_on_the_line_of_the_chat_brings_the_keyboard_and_esc_takes_it_away(
    server: Server,
) -> None:
    shows = "return document.querySelector('.xterm-helper-textarea').inputMode === arguments[0]"
    async with chromium((390, 844), is_phone=True) as browser:
        await visit(browser, server)
        await browser.until_so(shows, "none")
        app = app_in_front()
        field = app.screen.query_one(Input).region
        await browser.tap(field.x + 3, field.y, (app.size.width, app.size.height))
        await browser.until_so(shows, "text")
        await browser.type("\ue00c")
        await browser.until_so(shows, "none")
        # one that is asked for stays
        await browser.run(PRESS_KEYBOARD)
        await browser.until_so(shows, "text")
        await browser.tap(field.x + 3, field.y, (app.size.width, app.size.height))
        await wait_for(lambda: isinstance(app.focused, Input))
        await browser.type("\ue00c")
        await wait_for(lambda: not isinstance(app.focused, Input))
        await rest()
        app.set_window_title("no text is typed")
        await browser.until_titled("no text is typed")
        assert await browser.run(shows, "text")
        await connect_again(server, browser)
        await wait_for(lambda: len(apps) == 2)
        await browser.until("you are anna")
        assert await browser.run(shows, "text")
        await browser.run(PRESS_KEYBOARD)
        await browser.until_so(shows, "none")
        assert await browser.faults() == []


def test_pictures_of_a_phone_can_be_taken(tmp_path: Path) -> None:
    asyncio.run(phone.take(tmp_path, "across", ["ku_ka_king"]))
    names = {file.stem.removesuffix("-across") for file in tmp_path.iterdir()}
    assert names == {"door", "lobby", "ku_ka_king", "ku_ka_king-result", "plain"}
    for file in tmp_path.iterdir():
        assert struct.unpack(">II", file.read_bytes()[16:24]) == (2 * 844, 2 * 390), file.name


async def test_lines_of_text_are_as_wide_as_a_phone_is_and_stay_after_a_reload(server: Server) -> None:
    async with chromium((390, 844), is_phone=True) as browser:
        await browser.open(url(server) + "plain")
        await browser.enter("anna")
        await browser.until("Lobby")
        await browser.type("who\n")
        await browser.until("here: anna")
        assert await browser.run("return document.querySelector('.xterm-rows > div').offsetHeight") >= 14
        await browser.reload()
        await browser.until("Lobby")
        assert not apps  # no screen was drawn
        assert await browser.faults() == []
