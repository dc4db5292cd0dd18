"""The app on a real server, and what it does when the connection fails."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import asyncssh
import pytest
from textual.widgets import OptionList, Static

from kk_core.protocol.messages import (
    GetLinkCode,
    Goodbye,
    GoTo,
    LinkCode,
    Notice,
    OpenTable,
    SetBot,
    Start,
    TakeSeat,
)
from kk_core.protocol.stream import ClientLink, LinkClosed
from kk_core.text import text
from kk_core.views import KeyLine
from kk_server.hub.hub import Hub
from kk_server.serve.server import Server, start, stops_in
from kk_server.storage.memory_log import MemoryLog
from kk_server.tables.place import Viewpoint
from kk_tui.account_words import key_words
from kk_tui.app import KkApp
from kk_tui.client import remote
from kk_tui.client.client import pauses
from kk_tui.match.table import TableScreen
from kk_tui.match.table_setup import TableSetupScreen
from kk_tui.screens.dialogs import ConfirmScreen, LostDialog
from kk_tui.screens.lobby import LobbyScreen
from kk_tui.screens.new_game import NewGameScreen
from kk_tui.screens.ssh_keys import FurtherKeyDialog, SshKeysScreen
from kk_tui.server_address import ServerAddress
from kk_tui.widgets import agreement
from kk_tui.widgets.form import LineButton
from kk_tui.widgets.table_list import TableList
from tests.server.client import Client
from tests.server.hosting import here
from tests.server.ports import free_port
from tests.server.remote import key_of
from tests.server.test_storage import Failing
from tests.tui.conftest import Stage, shown, until
from tests.tui.plain import plain_faces
from tests.tui.playing import board_in, can_act, keys_of, scene_in, sit_down
from tests.tui.scenes import lines_of


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without keys and without an agent."""
    for name in ("HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    return tmp_path


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    server = await start(here(tmp_path / "data", bot_pause=0))
    yield server
    await server.close()


async def test_a_table_is_opened_filled_and_started_at_a_server_over_ssh(
    server: Server, tmp_path: Path
) -> None:
    async def connect() -> ClientLink:
        return await remote.connect("anna", "127.0.0.1", server.port, tmp_path / "known_hosts")

    app = KkApp(connect, local=False, games=plain_faces())
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.store.lobby is not None and app.user == "anna")
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewGameScreen) and app.screen.query("#count"))
        app.screen.query_one("#hints").focus()
        await pilot.press("right", "g")
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        assert "may ask for hints" in str(app.screen.query_one("#summary", Static).content)
        await until(pilot, lambda: app.my_seats == (0,) and app.screen.query_one(OptionList).highlighted == 1)
        for seat in range(1, next(iter(app.faces.values())).meta.min_seats):
            await pilot.press("b")
            await until(pilot, lambda seat=seat: app.store.table and app.store.table.seats[seat].bot)  # type: ignore[misc]
            await pilot.press("down")
        await pilot.press("g")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))


async def test_a_server_key_that_has_changed_is_refused_with_a_sentence(
    server: Server, tmp_path: Path
) -> None:
    known = tmp_path / "known_hosts"
    link = await remote.connect("anna", "127.0.0.1", server.port, known)
    await link.close()
    other = asyncssh.generate_private_key("ssh-ed25519").export_public_key().decode()
    name = known.read_text().split(" ")[0]
    known.write_text(f"{name} {other}")
    with pytest.raises(remote.CannotConnect, match="has changed to") as refused:
        await remote.connect("anna", "127.0.0.1", server.port, known)
    assert f"has changed to {server.fingerprint}. If its owner" in str(refused.value)


async def test_a_server_whose_key_is_known_is_met_again_and_the_first_time_its_key_is_shown(
    server: Server, tmp_path: Path
) -> None:
    known = tmp_path / "known_hosts"
    shown_keys = []
    for _ in range(2):
        link = await remote.connect("anna", "127.0.0.1", server.port, known)
        shown_keys.append(link.first_key)
        await link.close()
    assert len(known.read_text().splitlines()) == 1
    assert shown_keys == [server.fingerprint, None]


@pytest.mark.parametrize("code", [None, "wrong-code"])
async def test_a_server_refuses_in_the_language_of_the_one_who_connects(
    server: Server, tmp_path: Path, code: str | None
) -> None:
    said = set()
    for language in ("de_DE.UTF-8", "es", None):
        with pytest.raises(remote.CannotConnect) as refused:
            await remote.connect(
                "host", "127.0.0.1", server.port, tmp_path / "known", code=code, language=language
            )
        said.add(str(refused.value))
    assert len(said) == 3


async def test_a_visit_that_is_refused_is_not_the_first_one(server: Server, tmp_path: Path) -> None:
    known = tmp_path / "known_hosts"
    with pytest.raises(remote.CannotConnect, match="host"):
        await remote.connect("host", "127.0.0.1", server.port, known)
    link = await remote.connect("anna", "127.0.0.1", server.port, known)
    assert link.first_key == server.fingerprint
    await link.close()


async def test_a_name_that_no_machine_can_have_is_a_sentence(home: Path) -> None:
    with pytest.raises(remote.CannotConnect, match="Could not connect to aaa"):
        await remote.connect("anna", "a" * 70, 8022, home / "known_hosts")


class Open(asyncssh.SSHServer):
    """A server of somebody's that lets everybody in."""

    def begin_auth(self, username: str) -> bool:
        return False


async def test_what_a_strange_server_says_is_told_in_short_and_without_orders_to_a_terminal(
    home: Path,
) -> None:
    def refuse(process: asyncssh.SSHServerProcess[bytes]) -> None:
        process.stderr.write(b"\x1b]0;yours\x07Go \x1b[2Jaway. " + b"And stay away. " * 1000)
        process.exit(1)

    there = await asyncssh.listen(
        "127.0.0.1", 0, server_factory=Open, server_host_keys=[key_of("there")], process_factory=refuse,
        encoding=None,
    )  # fmt: skip
    with pytest.raises(remote.CannotConnect, match=r"Go .*away\. And stay away\.") as told:
        await remote.connect("anna", "127.0.0.1", there.get_port(), home / "known_hosts")
    assert str(told.value).isprintable()
    assert len(str(told.value)) <= remote.LONGEST_SAID + 1
    there.close()


async def test_whoever_has_no_key_gets_one_that_is_kept(server: Server, home: Path) -> None:
    for _ in range(2):
        link = await remote.connect("anna", "127.0.0.1", server.port, home / "known_hosts")
        assert server.hub.lobby.view(Viewpoint("anna")).users == ("anna",)
        await link.close()
    (made,) = (home / "kk" / "keys").iterdir()
    assert made.stat().st_mode & 0o777 == 0o600


async def test_the_key_that_ssh_would_show_is_shown_and_none_is_made(server: Server, home: Path) -> None:
    (home / ".ssh").mkdir()
    key_of("anna").write_private_key(home / ".ssh" / "id_ed25519")
    link = await remote.connect("anna", "127.0.0.1", server.port, home / "known_hosts")
    await link.close()
    own = await remote.connect("x", "127.0.0.1", server.port, home / "known", own=own_pair("anna"))
    assert server.hub.lobby.view(Viewpoint("anna")).users == ("anna",)
    await own.close()
    assert not (home / "kk" / "keys").exists()


def own_pair(owner: str) -> list[asyncssh.SSHKeyPair]:
    return list(asyncssh.load_keypairs([key_of(owner)]))


async def test_whoever_is_not_let_in_is_told_before_the_app_begins(server: Server, home: Path) -> None:
    link = await remote.connect("anna", "127.0.0.1", server.port, home / "known", own=own_pair("anna"))
    with pytest.raises(remote.CannotConnect, match="The name anna belongs to somebody's key"):
        await remote.connect("anna", "127.0.0.1", server.port, home / "known", own=own_pair("eve"))
    await link.close()


async def test_a_code_links_the_key_of_another_machine(server: Server, home: Path) -> None:
    anna = await remote.connect("anna", "127.0.0.1", server.port, home / "known", own=own_pair("anna"))
    await anna.send(GetLinkCode(1))
    while not isinstance(answer := await anna.receive(), LinkCode):
        pass
    port, known, phone = server.port, home / "known", own_pair("phone")
    with pytest.raises(remote.CannotConnect, match="This code is wrong"):
        await remote.connect("anna", "127.0.0.1", port, known, own=phone, code="AAAA-AAAA")
    link = await remote.connect("anna", "127.0.0.1", port, known, own=phone, code=answer.code)
    assert server.hub.lobby.view(Viewpoint("anna")).users == ("anna",)
    await link.close()
    await anna.close()


async def test_the_lobby_shows_what_to_type_on_the_other_machine(server: Server, home: Path) -> None:
    async def connect() -> ClientLink:
        return await remote.connect("anna", "127.0.0.1", server.port, home / "known_hosts")

    app = KkApp(connect, local=False, games=plain_faces())
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.store.lobby is not None and app.user == "anna")
        await until(pilot, lambda: "belongs to your key" in shown(app, "prompt"))
        await pilot.press("k")
        await until(
            pilot, lambda: isinstance(app.screen, SshKeysScreen) and "only key" in shown(app, "prompt")
        )
        await pilot.press("k")
        await until(pilot, lambda: isinstance(app.screen, FurtherKeyDialog))
        words = str(app.screen.query_one("#reason", Static).content)
        assert re.search(rf"ssh -t -p {server.port} ADDRESS link [A-Z2-9]{{4}}-[A-Z2-9]{{4}}", words)
        assert f"kk connect ADDRESS:{server.port} --link" in words
        (code,) = re.findall(r"link ([A-Z2-9-]{9})\n", words)[:1]
        phone = own_pair("phone")
        link = await remote.connect("x", "127.0.0.1", server.port, home / "other", own=phone, code=code)
        await until(pilot, lambda: "has been used" in str(app.screen.query_one("#reason", Static).content))
        words = str(app.screen.query_one("#reason", Static).content)
        assert code not in words
        assert "now opens your account" in words
        await link.close()


async def test_a_code_that_nobody_has_used_in_time_is_shown_no_longer(server: Server, home: Path) -> None:
    async def connect() -> ClientLink:
        return await remote.connect("anna", "127.0.0.1", server.port, home / "known_hosts")

    app = KkApp(connect, local=False, games=plain_faces())
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.store.lobby is not None and app.user == "anna")
        app.push_screen(FurtherKeyDialog("anna", LinkCode(1, "ABCD-EFG2", 1), app.server_address, ()))
        await until(
            pilot,
            lambda: (
                isinstance(app.screen, FurtherKeyDialog)
                and "has expired" in str(app.screen.query_one("#reason", Static).content)
            ),
        )


async def test_keys_are_named_and_taken_away_on_a_screen_of_their_own_after_a_question(
    server: Server, home: Path
) -> None:
    async def connect() -> ClientLink:
        return await remote.connect("anna", "127.0.0.1", server.port, home / "known", own=own_pair("anna"))

    app = KkApp(connect, local=False, games=plain_faces())
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.store.lobby is not None and app.user == "anna")
        await pilot.press("k")
        await until(
            pilot, lambda: isinstance(app.screen, SshKeysScreen) and "only key" in shown(app, "prompt")
        )
        assert "remove it" not in keys_of(app)
        code, _ = await server.hub.new_link_code("anna")
        phone = await remote.connect(
            "anna", "127.0.0.1", server.port, home / "known", own=own_pair("phone"), code=code
        )
        await until(pilot, lambda: "Another SSH key now opens your account" in shown(app, "agreement"))
        await pilot.press("escape", "k")
        await until(
            pilot,
            lambda: (
                isinstance(app.screen, SshKeysScreen) and app.screen.query_one(OptionList).option_count == 2
            ),
        )
        await pilot.press("down", "enter", *(["backspace"] * 20), *"phone", "escape")
        await until(pilot, lambda: app.screen.query_one(OptionList).has_focus)
        assert isinstance(app.screen, SshKeysScreen)
        await pilot.press("enter", *(["backspace"] * 20), *"phone", "enter")
        await until(pilot, lambda: any(line.startswith("  phone") for line in lines_of(app)))
        assert [key.name for key in await server.hub.accounts.keys_of("anna")] == ["ed25519", "phone"]
        await pilot.press("delete")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        assert "Remove phone (SHA256:" in " ".join(lines_of(app))
        await pilot.press("enter")  # the harmless answer
        await until(pilot, lambda: isinstance(app.screen, SshKeysScreen))
        assert len(await server.hub.accounts.keys_of("anna")) == 2
        await pilot.press("delete")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        await pilot.press("y")
        await until(
            pilot,
            lambda: (
                isinstance(app.screen, SshKeysScreen) and app.screen.query_one(OptionList).option_count == 1
            ),
        )
        while not isinstance(message := await phone.receive(), Goodbye):
            pass
        assert "no longer opens the account anna" in str(message.reason)
        await phone.close()


def test_a_key_without_a_name_is_called_so_in_the_list_and_in_sentences() -> None:
    key, screen = KeyLine("SHA256:" + "x" * 43, "", 0, 0), SshKeysScreen()
    screen._keys = (key,)
    assert screen._line(key).plain.startswith("(no name) ")
    assert key_words(key).startswith("(no name) (SHA256:x")


async def test_a_guest_is_told_how_to_get_an_account_with_keys(stage: Stage) -> None:
    async with stage.play("~carl", local=False) as (app, pilot):
        await pilot.press("k")
        await until(pilot, lambda: "Guests have no account" in shown(app, "prompt"))
        assert isinstance(app.screen, LobbyScreen)


@pytest.mark.parametrize(
    ("address", "words", "connects"),
    [(("", 8022), "-p 8022 ADDRESS", "ADDRESS:8022"), (("kk.org", 22), "kk.org", "kk.org:22")],
)
async def test_the_waiting_room_shows_what_those_type_who_are_invited(
    stage: Stage, address: tuple[str, int], words: str, connects: str
) -> None:
    stage.hub.address = address
    async with stage.play("anna", local=False) as (app, pilot):
        await app.request(lambda n: OpenTable(n, "ku_ka_king", {}, 2, private=True))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        said = str(app.screen.query_one("#table-words", Static).content)
        assert re.search(rf"ssh -t {words} join [A-Z2-9]{{6}}$", said, re.MULTILINE)
        assert re.search(rf"kk connect {connects} --join [A-Z2-9]{{6}}$", said, re.MULTILINE)
        assert ("ADDRESS is what you typed" in said) == (not address[0])


@pytest.mark.parametrize(
    ("server_address", "ssh", "connect"),
    [
        (ServerAddress(), "ADDRESS", "ADDRESS"),
        (ServerAddress("", 8022), "-p 8022 ADDRESS", "ADDRESS:8022"),
        (ServerAddress("kk.org", 22), "kk.org", "kk.org:22"),
        (ServerAddress("[::1]", 2222), "-p 2222 ::1", "[::1]:2222"),
        (ServerAddress("kk\x1b[31m.org", 22), r"kk\x1b[31m.org", r"kk\x1b[31m.org:22"),
    ],
)
def test_one_is_told_to_come_as_ssh_and_kk_connect_understand_it(
    server_address: ServerAddress, ssh: str, connect: str
) -> None:
    assert (server_address.for_ssh, server_address.for_connect) == (ssh, connect)


@pytest.mark.parametrize("name", ["🦊", "a" * 2000])
async def test_a_name_that_ssh_cannot_have_is_refused_in_a_sentence(
    server: Server, home: Path, name: str
) -> None:
    with pytest.raises(remote.CannotConnect, match="use another one before the @"):
        await remote.connect(name, "127.0.0.1", server.port, home / "known", own=own_pair("anna"))


async def test_a_port_where_nobody_listens_is_named_in_the_refusal(tmp_path: Path) -> None:
    port = free_port()
    with pytest.raises(remote.CannotConnect, match=f"127.0.0.1:{port}: Connection refused."):
        await remote.connect("anna", "127.0.0.1", port, tmp_path / "known_hosts")


async def test_after_a_lost_connection_the_app_connects_again_and_returns_to_its_table(stage: Stage) -> None:
    links: list[ClientLink] = []

    async def connect() -> ClientLink:
        links.append(stage.hub.connect("anna"))
        return links[-1]

    app = KkApp(connect, local=False, games=plain_faces())
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.user)
        await sit_down(app, stage.game, stage.seats, 0)
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        await links[0].close()
        await until(pilot, lambda: isinstance(app.screen, LostDialog) and app.screen.query(LineButton))
        again, leave = app.screen.query(LineButton)
        assert (again.region.x, again.region.width) == (leave.region.x, leave.region.width)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, TableScreen) and len(links) == 2)


async def test_whoever_comes_back_from_a_table_that_has_gone_meanwhile_lands_at_their_match(
    stage: Stage,
) -> None:
    links: list[ClientLink] = []

    async def connect() -> ClientLink:
        links.append(stage.hub.connect("anna"))
        return links[-1]

    carla = Client(stage.hub.connect("carla"))
    watched = await carla.open(stage.game, stage.seats)
    app = KkApp(connect, local=False, games=plain_faces())
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.user)
        await sit_down(app, stage.game, stage.seats, 0)
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        own = app.store.table
        assert own is not None
        await app.request(lambda number: GoTo(number, watched))
        await until(pilot, lambda: app.store.table is not None and app.store.table.id == watched)
        await links[0].close()
        await until(pilot, lambda: isinstance(app.screen, LostDialog))
        await carla.go_to(None)
        assert watched not in stage.hub.tables
        await pilot.press("enter")
        await until(pilot, lambda: app.store.table is not None and app.store.table.id == own.id)
    await carla.close()


async def test_that_the_server_stops_stands_before_other_announcements_and_is_over_after_a_reconnect(
    stage: Stage,
) -> None:
    links: list[ClientLink] = []

    async def connect() -> ClientLink:
        links.append((stage.hub, another)[len(links)].connect("anna"))
        return links[-1]

    another, app = Hub(MemoryLog()), KkApp(connect, local=False, games=plain_faces(), reconnects=True)
    await another.load()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.user and isinstance(app.screen, LobbyScreen))
        stage.hub.stop_opening(stops_in(2))
        await until(pilot, lambda: "will stop in 2 minutes" in shown(app, "agreement"))
        stage.hub.sessions.tell_all(text("Tea at five."), from_host=True)
        stage.hub.stop_opening(stops_in(1))
        await until(pilot, lambda: "will stop in a minute" in shown(app, "agreement"))
        await links[0].close()
        await until(pilot, lambda: len(links) == 2 and isinstance(app.screen, LobbyScreen))
        await until(pilot, lambda: "Tea at five." in shown(app, "agreement"))
        await pilot.click("#agreement")
        await until(pilot, lambda: app.kept_notice is None)
        assert "will stop" not in " ".join(lines_of(app))
    await another.close()


async def test_an_app_that_reconnects_says_when_it_tries_again_and_returns_to_its_table(stage: Stage) -> None:
    links: list[ClientLink] = []

    async def connect() -> ClientLink:
        links.append(stage.hub.connect("anna"))
        if len(links) == 2:
            raise LinkClosed(text("There is nobody."))
        return links[-1]

    app = KkApp(connect, local=False, games=plain_faces(), reconnects=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.user)
        await sit_down(app, stage.game, stage.seats, 0)
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        await links[0].close()
        await until(pilot, lambda: isinstance(app.screen, LostDialog) and "Trying again" in reason_in(app))
        await until(pilot, lambda: "There is nobody." in reason_in(app))
        await until(pilot, lambda: isinstance(app.screen, TableScreen) and len(links) == 3)


async def test_whoever_waits_for_an_answer_is_told_so_until_it_comes(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on = asyncio.Event()
    open_table = stage.hub.open_table

    async def later(*args: Any, **more: Any) -> Any:
        await goes_on.wait()
        return await open_table(*args, **more)

    async def connect() -> ClientLink:
        return stage.hub.connect("anna")

    monkeypatch.setattr(stage.hub, "open_table", later)
    monkeypatch.setattr("kk_tui.app.LATE", 0.01)
    app = KkApp(connect, local=False, games=plain_faces(), reconnects=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.user and app.store.lobby is not None)
        screen = app.screen
        assert isinstance(screen, LobbyScreen)
        screen.ask(lambda n: OpenTable(n, stage.game, {}, stage.seats))
        await until(pilot, lambda: "Waiting for the server" in shown(app, "agreement"))
        goes_on.set()
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        await until(pilot, lambda: "Waiting for the server" not in shown(app, "agreement"))


async def test_a_table_that_waits_for_the_database_says_so_until_it_goes_on(stage: Stage) -> None:
    async def connect() -> ClientLink:
        return stage.hub.connect("anna")

    app = KkApp(connect, local=False, games=plain_faces())
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.user and app.store.lobby is not None)
        app.screen.ask(lambda n: OpenTable(n, stage.game, {}, stage.seats))  # type: ignore[attr-defined]
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        (table,) = stage.hub.tables.values()
        for waits in (True, False):
            table._log_writer._tell_waiting(waits)
            await until(pilot, lambda: any("isn't answering" in line for line in lines_of(app)) is waits)  # noqa: B023


async def test_a_question_outlasts_the_attempts_to_connect_again_and_goes_with_the_first_that_succeeds(
    stage: Stage,
) -> None:
    links: list[ClientLink] = []
    is_there = True

    async def connect() -> ClientLink:
        links.append(stage.hub.connect("anna"))
        if not is_there:
            raise LinkClosed(text("There is nobody."))
        return links[-1]

    app = KkApp(connect, local=False, games=plain_faces(), reconnects=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.user)
        is_there = False
        await links[0].close()
        await until(pilot, lambda: isinstance(app.screen, LostDialog))
        await pilot.press("q")
        attempts = len(links)
        await until(pilot, lambda: len(links) > attempts)
        assert isinstance(app.screen, ConfirmScreen)
        is_there = True
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen))
        assert len(app.screen_stack) == 2


def reason_in(app: KkApp) -> str:
    return "".join(str(part.content) for part in app.screen.query("#reason").results(Static))


def test_the_pauses_between_attempts_grow_to_half_a_minute() -> None:
    waits = pauses(lambda: 0)
    assert [next(waits) for _ in range(7)] == [1, 2, 4, 8, 16, 30, 30]


async def test_who_is_called_to_a_table_goes_there_by_one_key(stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats, "Friday"))
        await app.request(lambda n: TakeSeat(n, 0))
        assert app.store.table is not None
        table = stage.hub.tables[app.store.table.id]
        for seat in range(1, stage.seats):
            await app.request(lambda n, seat=seat: SetBot(n, seat, "random"))  # type: ignore[misc]
        await app.request(lambda n: GoTo(n, None))
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen))
        await table.start("anna")
        await until(pilot, lambda: "at Friday" in shown(app, "agreement"))
        assert "Ctrl+G goes there" in shown(app, "agreement")
        await pilot.press("ctrl+g")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        assert not app.screen.query_one("#agreement").display


async def test_who_comes_when_it_is_his_turn_goes_there_by_the_same_key(stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        await pilot.press("ctrl+g")
        await until(pilot, lambda: "No other table is waiting for you." in shown(app, "prompt"))
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats, "Friday"))
        for seat in range(stage.seats):
            await app.request(lambda n, seat=seat: TakeSeat(n, seat))  # type: ignore[misc]
        await app.request(Start)
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        await app.request(lambda n: GoTo(n, None))
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen))
        assert app.call is None
        await pilot.press("ctrl+g")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))


async def test_who_watches_another_table_in_their_turn_is_told_and_goes_back_by_the_same_key(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when the line that says so is no longer there."""
    other = await stage.hub.open_table("beate", OpenTable(0, stage.game, {}, stage.seats, "Monday"))
    await other.take_seat("beate", 0, "")
    async with stage.play("anna", local=False) as (app, pilot):
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats, "Friday"))
        for seat in range(stage.seats):
            await app.request(lambda n, seat=seat: TakeSeat(n, seat))  # type: ignore[misc]
        await app.request(Start)
        for is_old in (False, True):
            await until(pilot, lambda: isinstance(app.screen, TableScreen))
            await app.request(lambda n: GoTo(n, other.id))
            await until(pilot, lambda: "Your turn at Friday. Ctrl+G" in shown(app, "agreement"))
            assert isinstance(app.screen, TableSetupScreen)
            if is_old:
                monkeypatch.setattr(agreement, "CALL_STAYS", -1.0)
                app.screen.show_above()
                assert not app.screen.query_one("#agreement").display
            await pilot.press("ctrl+g")
            await until(pilot, lambda: isinstance(app.screen, TableScreen))


async def test_what_calls_to_the_table_that_one_looks_at_is_only_told(stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats, "Friday"))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen) and app.store.table)
        assert app.store.table is not None
        app.post_message(app.Noticed(Notice(text("You now own the table Friday."), app.store.table.id)))
        await until(pilot, lambda: shown(app, "prompt") == "You now own the table Friday.")
        app.screen_in_front.renew()
        assert shown(app, "prompt") == "You now own the table Friday."
        assert not app.screen.query_one("#agreement").display


async def test_a_refused_request_is_explained_in_the_prompt_line(stage: Stage) -> None:
    async with stage.play(local=False) as (app, pilot):
        assert isinstance(app.screen, LobbyScreen)
        app.screen.ask(lambda n: OpenTable(n, "whist", {}, 4))
        await until(pilot, lambda: "whist" in shown(app, "prompt"))


async def test_a_move_that_was_refused_is_no_longer_on_its_way_and_can_be_made_again(tmp_path: Path) -> None:
    log = Failing()
    hub = Hub(log)
    await hub.load()
    stage = Stage(hub, tmp_path)
    async with stage.play(local=False) as (app, pilot):
        await sit_down(app, stage.game, stage.seats, *range(stage.seats))
        await until(pilot, lambda: can_act(app))
        log.is_full = True
        await pilot.press("enter")
        await until(pilot, lambda: "The disk is full." in shown(app, "prompt"))
        assert can_act(app)
        assert not board_in(app).pending
        log.is_full = False
        await pilot.press("enter")
        await until(pilot, lambda: scene_in(app).match.ply == 1)
    await hub.close()


async def test_the_lobby_shows_tables_as_others_open_them(stage: Stage) -> None:
    async with stage.play(local=False) as (app, pilot):
        other = stage.hub.connect("beate")
        await other.send(OpenTable(1, stage.game, {}, stage.seats, "Friday"))
        tables = app.screen.query_one(TableList)
        await until(pilot, lambda: tables.line_count == 1)
        await until(pilot, lambda: "Friday" in "\n".join(lines_of(app)))
        await other.close()


async def test_what_is_asked_before_there_is_a_connection_is_refused_with_a_sentence() -> None:
    never = asyncio.Event()

    async def connect() -> ClientLink:
        await never.wait()
        raise AssertionError

    app = KkApp(connect, local=False, games=plain_faces())
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen))
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewGameScreen) and app.screen.query("#count"))
        await pilot.press("g")
        await until(pilot, lambda: "Not connected yet" in shown(app, "prompt"))


async def test_an_invitation_leads_straight_to_its_table_and_a_wrong_code_is_refused(
    server: Server, home: Path
) -> None:
    known, port = home / "known", server.port
    wish = OpenTable(0, "ku_ka_king", {}, 2, "Friday", private=True)
    table = await server.hub.open_table("beate", wish)
    with pytest.raises(remote.CannotConnect, match="No table here has this code"):
        await remote.connect("anna", "127.0.0.1", port, known, own=own_pair("anna"), invitation="AAAAAA")
    link = await remote.connect("anna", "127.0.0.1", port, known, own=own_pair("anna"), invitation=table.code)
    app = KkApp(lambda: _given(link), local=False, games=plain_faces(secrets=False))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.store.table is not None and app.store.table.title == "Friday")


async def _given(link: ClientLink) -> ClientLink:
    return link
