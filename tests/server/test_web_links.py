"""Links to a table: what is sent to friends, and where it leads."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from kk_core.protocol.messages import OpenTable
from kk_core.views import DailyMark, TableView
from kk_server.serve.server import Server, start
from kk_server.web.frames import Greeting
from kk_tui.server_address import ServerAddress
from tests.server.client import Client
from tests.server.emulator import emulator
from tests.server.hosting import PLENTY, here
from tests.server.remote import screen
from tests.server.web_page import calling, socket_of, url_of, web_page
from tests.waiting import wait_for

TITLE = "The Sunday table"


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    server = await start(here(tmp_path, web=0))
    yield server
    await server.close()


async def opened(server: Server, title: str = TITLE, *, is_private: bool) -> Client:
    """Somebody with a table of their own."""
    client = Client(server.hub.connect("doro"))
    await client.do(OpenTable, "ku_ka_king", {}, 2, title, False, is_private)
    return client


@pytest.mark.parametrize("path", ["join/ABCDEF", "table/113cf96c", "match/113cf96c-1", "plain"])
async def test_a_link_shows_the_page(server: Server, path: str) -> None:
    async with calling() as client, client.get(url_of(server, path)) as answer:
        assert answer.status == 200
        assert 'id="terminal"' in await answer.text()


async def test_the_code_of_an_invitation_leads_to_its_table(server: Server) -> None:
    doro = await opened(server, is_private=True)
    async with web_page(server, owner="anna", go="join", code=doro.table.code) as page:
        await page.until(TITLE)
    assert server.hub.tables[doro.table.id].admits("anna")
    await doro.close()


@pytest.mark.parametrize(
    ("greeting", "command"),
    [
        (Greeting("", 80, 24, ()), ""),
        (Greeting("", 80, 24, (), code="ABCDEF"), ""),
        (Greeting("", 80, 24, (), go="join", code="ABCDEF"), "join ABCDEF"),
        (Greeting("", 80, 24, (), go="plain"), "plain"),
    ],
)
def test_a_code_without_a_word_for_what_it_is_leads_nowhere(greeting: Greeting, command: str) -> None:
    assert greeting.command == command


async def test_a_wrong_code_is_refused_in_a_sentence(server: Server) -> None:
    async with web_page(server, go="join", code="AAAAAA") as page:
        assert "No table here has this code" in (await page.until_told("ended"))["reason"]


async def test_the_id_of_a_public_table_leads_there_and_of_a_private_one_does_not(
    server: Server,
) -> None:
    public = await opened(server, is_private=False)
    private = await opened(server, "Nobody else's", is_private=True)
    async with web_page(server, go="table", code=public.table.id) as page:
        await page.until(TITLE)
    async with web_page(server, "beate", go="table", code=private.table.id) as page:
        await page.until("you are")
        await page.until("This table")
        assert b"Nobody else's" not in page.seen
    async with web_page(server, "doro", owner="doro", go="table", code=private.table.id) as page:
        await page.until("Nobody else's")
    for client in (public, private):
        await client.close()


async def test_the_id_of_no_table_is_refused_in_a_sentence(server: Server) -> None:
    async with web_page(server, go="table", code="0000") as page:
        ended = await page.until_told("ended")
        assert (ended["kind"], ended["status"], ended["reason"] != "") == ("nowhere", 2, True)


async def test_what_has_nothing_to_do_with_the_place_of_a_link_is_not_said_to_be_its_fault(
    tmp_path: Path,
) -> None:
    server = await start(here(tmp_path, web=0, limits=replace(PLENTY, sessions_per_user=1, codes_at_once=1)))
    doro = await opened(server, is_private=False)
    link = {"owner": "anna", "go": "table", "code": doro.table.id}
    async with web_page(server, **link) as page:
        await page.until(TITLE)
        async with web_page(server, **link) as another:
            ended = await another.until_told("ended")
            assert (ended["kind"], "a session here" in ended["reason"]) == ("refused", True)
    wrong = {"name": "carla", "owner": "carla", "go": "join", "code": "AAAAAA"}
    for kind, reason in (("nowhere", "No table here has this code"), ("refused", "wait")):
        async with web_page(server, **wrong) as page:
            ended = await page.until_told("ended")
            assert (ended["kind"], reason in ended["reason"]) == (kind, True)
        await wait_for(lambda: not server.visits.of("carla"))
    await doro.close()
    await server.close()


async def test_a_table_is_gone_to_by_its_id_over_ssh_too(server: Server) -> None:
    doro = await opened(server, is_private=False)
    terminal = await screen(server, "anna", command=f"table {doro.table.id}")
    await terminal.until(TITLE)
    await terminal.close()
    await doro.close()


async def finished(server: Server, *, is_private: bool) -> tuple[Client, str]:
    """Somebody at a table of their own, and the number of the match that has been played there."""
    doro = await opened(server, is_private=is_private)
    await doro.sit(0)
    await doro.seat_bots(1)
    await doro.start()
    await doro.play_to_the_end()
    return doro, f"{doro.table.id}-1"


async def test_the_replay_of_a_match_at_a_public_table_is_seen_by_anybody_with_the_link(
    server: Server,
) -> None:
    doro, match = await finished(server, is_private=False)
    for code in (match, match.removesuffix("-1")):
        async with web_page(server, "beate", go="match", code=code) as page:
            await page.until("all revealed")
            assert b"doro" in page.seen
    await doro.close()


@pytest.mark.parametrize("is_plain", [False, True])
async def test_whoever_comes_back_to_a_replay_is_at_its_step_or_else_at_its_end(
    server: Server, *, is_plain: bool
) -> None:
    doro, match = await finished(server, is_private=False)
    end = doro.match.ply
    for step, shown in ((0, 0), (3, 3), (99999, end)):
        place = f"{match} {step}"
        async with web_page(server, "beate", go="plain" if is_plain else "", place=place) as page:
            await page.until(f"After {shown} of {end}" if is_plain else f"Move {shown} of {end}")
    await doro.close()


async def test_the_replay_of_a_private_match_is_seen_by_those_who_played_it_alone(server: Server) -> None:
    doro, match = await finished(server, is_private=True)
    async with web_page(server, owner="anna", go="match", code=match) as page:
        assert "no match" in (await page.until_told("ended"))["reason"]
    async with web_page(server, "doro", owner="doro", go="match", code=match) as page:
        await page.until("all revealed")
    await doro.close()


async def test_a_match_that_is_not_over_and_what_is_no_match_are_refused_in_a_sentence(
    server: Server,
) -> None:
    doro = await opened(server, is_private=False)
    await doro.sit(0)
    await doro.seat_bots(1)
    await doro.start()
    for code, reason in ((f"{doro.table.id}-1", "isn't over"), ("0000-7", "no match"), ("x", "not a match")):
        async with web_page(server, go="match", code=code) as page:
            told = (await page.until_told("ended"))["reason"]
            assert reason in told
            assert "`" not in told, "a page takes no commands"
    await doro.close()


async def test_a_finished_match_is_gone_to_by_its_number_over_ssh_too(server: Server) -> None:
    doro, match = await finished(server, is_private=False)
    terminal = await screen(server, "anna", command=f"match {match}")
    await terminal.until("all revealed")
    await terminal.close()
    await doro.close()


async def test_what_is_no_match_is_refused_over_ssh_with_where_their_names_stand(server: Server) -> None:
    terminal = await screen(server, "anna", command="match x")
    told = await terminal.process.stderr.read()
    assert "such as 113cf96c-1. `history` and `tables` list them." in " ".join(told.decode().split())
    await terminal.close()


@pytest.mark.parametrize("is_private", [False, True])
async def test_past_matches_say_the_link_of_the_one_under_the_cursor_and_whom_it_serves(
    server: Server, *, is_private: bool
) -> None:
    doro, match = await finished(server, is_private=is_private)
    await doro.go_to(None)
    await doro.close()
    async with emulator(server, "doro") as terminal:
        await terminal.until(lambda shown: "you are doro" in shown)
        terminal.type("l")
        assert server.web is not None
        link = f"http://ADDRESS:{server.web.port}/match/{match}"
        told = f"{link} (others can open it only if spectators were allowed)"
        await terminal.until(lambda shown: told in " ".join(shown.split()))


@pytest.mark.parametrize("is_private", [False, True])
async def test_a_result_says_the_link_to_its_replay_if_everybody_may_see_it(
    server: Server, *, is_private: bool
) -> None:
    doro, match = await finished(server, is_private=is_private)
    assert server.web is not None
    link = f"http://ADDRESS:{server.web.port}/match/{match}"
    async with web_page(server, "doro", owner="doro", go="table", code=doro.table.id) as page:
        await page.type("\r")
        await page.until("Result" if is_private else link)
        assert is_private is (link.encode() not in page.seen)
    async with web_page(server, "doro", owner="doro", go="plain") as page:
        await page.type(f"join {doro.table.id}\r")
        await page.until("Final" if is_private else link)
        assert is_private is (link.encode() not in page.seen)
    await doro.close()


async def test_lines_say_the_link_of_an_invitation_too(server: Server) -> None:
    doro = await opened(server, is_private=True)
    async with web_page(server, "doro", owner="doro", go="plain") as page:
        await page.type(f"join {doro.table.id}\r")
        assert server.web is not None
        await page.until(f"http://ADDRESS:{server.web.port}/join/{doro.table.code}")
        await page.until("ADDRESS is what you typed to connect here.")
    await doro.close()


@pytest.mark.parametrize("workers", [1, 2])
async def test_an_invitation_in_a_page_begins_with_the_address_by_which_that_was_found(
    tmp_path: Path, workers: int
) -> None:
    server = await start(here(tmp_path, web=0, workers=workers))
    doro = await opened(server, is_private=True)
    assert server.web is not None
    for host in ("192.0.2.7", f"192.0.2.8:{server.web.port}"):
        opening = socket_of(server, origin=(origin := f"http://{host}"), headers={"Host": host})
        async with opening as page:
            await page.greet("doro", "doro", go="plain")
            await page.type(f"join {doro.table.id}\r")
            await page.until(f"{origin}/join/{doro.table.code}")
            await page.type("quit\r")
            await page.rest()
            assert b"http://ADDRESS" not in page.seen
    await doro.close()
    await server.close()


async def test_whoever_comes_by_a_page_reads_the_host_at_which_they_have_found_it_in_commands_for_ssh(
    server: Server,
) -> None:
    doro = await opened(server, is_private=True)
    where = {"go": "table", "code": doro.table.id}
    for host, shown in (("192.0.2.7", "192.0.2.7"), ("[2001:db8::7]", "2001:db8::7")):
        async with socket_of(server, origin=f"http://{host}", headers={"Host": host}) as page:
            await page.greet("doro", "doro", **where)
            await page.until(f"ssh -t -p {server.port} {shown} join {doro.table.code}")
            await page.until(f"kk connect {host}:{server.port} --join {doro.table.code}")
            await page.until(f"http://{host}/join/{doro.table.code}")
            assert b"ADDRESS" not in page.seen
        await wait_for(lambda: not server.visits.of("doro"))
    async with web_page(server, "doro", owner="doro", **where) as page:
        await page.until("ADDRESS is what you typed to connect here.")
    await doro.close()


@pytest.mark.parametrize(
    ("settings", "is_known"),
    [
        ({"web_proxies": ["127.0.0.1"]}, True),
        ({"web_proxies": ["127.0.0.1", "192.0.2.9"]}, False),
        ({"web_address": "https://192.0.2.7"}, False),
    ],
)
async def test_the_host_of_a_page_that_may_be_another_machine_stands_in_no_command_for_ssh(
    tmp_path: Path, settings: dict[str, Any], *, is_known: bool
) -> None:
    server = await start(here(tmp_path, web=0, **settings))
    assert server.web is not None
    assert server.web.host("https://192.0.2.7") == ("192.0.2.7" if is_known else "")
    doro = await opened(server, is_private=True)
    headers = {"Host": "192.0.2.7", "X-Forwarded-For": "192.0.2.20"}
    async with socket_of(server, origin="http://192.0.2.7", headers=headers) as page:
        await page.greet("doro", "doro", go="table", code=doro.table.id)
        shown = "192.0.2.7" if is_known else "ADDRESS"
        await page.until(f"ssh -t -p {server.port} {shown} join {doro.table.code}")
    await doro.close()
    await server.close()


async def test_a_table_for_everybody_says_its_link_where_an_invitation_stands(server: Server) -> None:
    doro = await opened(server, is_private=False)
    assert server.web is not None
    link = f"http://ADDRESS:{server.web.port}/table/{doro.table.id}"
    async with web_page(server, owner="anna", go="table", code=doro.table.id) as page:
        await page.until(link)
        await page.until("ADDRESS is what you typed to connect here.")
    async with web_page(server, owner="anna", go="plain") as page:
        await page.type(f"watch {doro.table.id}\r")
        await page.until(link)
    await doro.close()


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({}, "table/1a"),
        ({"code": "ABCDE2"}, "join/ABCDE2"),
        ({"phase": "playing"}, "table/1a"),
        ({"phase": "finished"}, "table/1a"),
        ({"phase": "replay"}, ""),
        ({"watched": False}, "table/1a"),
        ({"watched": False, "phase": "playing"}, ""),
        ({"code": "ABCDE2", "watched": False}, "join/ABCDE2"),
        ({"code": "ABCDE2", "watched": False, "phase": "playing"}, ""),
        ({"daily": DailyMark("2026-11-24", counts=True, secret=True)}, ""),
    ],
)
def test_only_a_table_to_which_others_can_go_has_a_link(changes: dict[str, Any], path: str) -> None:
    table = replace(TableView("1a", "", "", "ku_ka_king", (), False, "open", (), None, None), **changes)
    page = "https://kk.example.org/"
    assert ServerAddress(web=page).way_to(table) == (f"{page}{path}" if path else "")
    assert ServerAddress().way_to(table) == ""


@pytest.mark.parametrize(
    ("web", "url", "path"),
    [
        ("https://kk.example.org/", "https://kk.example.org/join/ABCDE2", "/join/ABCDE2"),
        ("https://kk.example.org/", "HTTPS://KK.Example.ORG:443/join/ABCDE2", "/join/ABCDE2"),
        ("https://kk.example.org/", "https://kk.example.org", ""),
        ("https://kk.example.org/", "https://kk.example.org/join/ABCDE2.", "/join/ABCDE2"),
        ("https://kk.example.org/", "https://kk.example.org/table/1a?!", "/table/1a"),
        ("https://kk.example.org/", "https://kk.example.net/join/ABCDE2", None),
        ("https://kk.example.org/", "http://kk.example.org/join/ABCDE2", None),
        ("https://kk.example.org/", "https://kk.example.org:8080/join/ABCDE2", None),
        ("https://kk.example.org/", "https://kk.example.org:port/join/ABCDE2", None),
        ("http://[::1]:8080/", "http://[::1]:8080/table/1a", "/table/1a"),
        # nobody has said which host is this one
        ("http://ADDRESS:8080/", "http://192.0.2.7:8080/table/1a", "/table/1a"),
        ("http://ADDRESS:8080/", "http://192.0.2.7:8081/table/1a", None),
        ("", "http://192.0.2.7/table/1a", None),
    ],
)
def test_a_link_is_known_by_scheme_host_and_port(web: str, url: str, path: str | None) -> None:
    assert ServerAddress(web=web).path_in(url) == path


async def test_links_are_understood_by_the_words_of_lines_and_by_those_of_the_chat(server: Server) -> None:
    doro = await opened(server, is_private=True)
    public = await opened(server, "For all", is_private=False)
    invitation, table = f"join/{doro.table.code}", f"table/{public.table.id}"
    for number, line in enumerate(("join {}" + invitation, "watch {}" + table, "{}" + table)):
        title = TITLE if "join" in line else "For all"
        typed = line.format(url_of(server))
        name = f"anna{number}"
        async with web_page(server, name, owner=name, go="plain") as page:
            await page.type(f"{typed}\r")
            await page.until(f"Table {title}")
        async with emulator(server, f"beate{number}") as terminal:
            await terminal.until(lambda shown: "you are" in shown)
            terminal.type(f"o/\x1b[200~{typed}\x1b[201~\r")
            await terminal.until(lambda shown, title=title: f"Table: {title}" in shown)  # type: ignore[misc]
        async with web_page(server, name, owner=name, go="plain") as page:
            await page.type(f"{line.format('http://127.0.0.1:9/')}\r")
            await page.until("Links here begin with http://")
    for client in (doro, public):
        await client.close()


async def test_an_invitation_in_a_page_begins_with_the_address_that_the_host_has_set(tmp_path: Path) -> None:
    server = await start(here(tmp_path, web=0, address="play.example.org"))
    doro = await opened(server, is_private=True)
    assert server.web is not None
    async with web_page(server, "doro", owner="doro", go="plain") as page:
        await page.type(f"join {doro.table.id}\r")
        await page.until(f"http://play.example.org:{server.web.port}/join/{doro.table.code}")
    await doro.close()
    await server.close()


async def test_an_invitation_says_the_link_where_there_is_a_page(server: Server) -> None:
    doro = await opened(server, is_private=True)
    code = doro.table.code
    async with emulator(server, "doro") as terminal:
        await terminal.until(lambda shown: TITLE in shown)
        terminal.type("\r")
        assert server.web is not None
        link = f"http://ADDRESS:{server.web.port}/join/{code}"
        await terminal.until(lambda shown: link in shown)
    await doro.close()


async def test_a_code_for_another_key_says_the_page_that_takes_it_too(server: Server) -> None:
    async with emulator(server, "doro") as terminal:
        await terminal.until(lambda shown: "you are doro" in shown)
        terminal.type("k")
        await terminal.until(lambda shown: "this one" in shown)
        terminal.type("k")
        assert server.web is not None
        url = f"http://ADDRESS:{server.web.port}/"
        await terminal.until(lambda shown: url in shown and "I have an account" in shown)


async def test_the_link_to_lines_of_text_leads_to_those_in_place_of_the_screen(server: Server) -> None:
    async with web_page(server, owner="anna", go="plain") as page:
        await page.until("anna")
        await page.type("who\r")
        await page.until("here: anna")
        assert b"\x1b[?1049h" not in page.seen
        await page.type("quit\r")
        assert (await page.until_told("ended"))["status"] == 0
