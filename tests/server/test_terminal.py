"""Players on terminals, over a real SSH connection."""

from __future__ import annotations

import asyncio
import io
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import asyncssh
import pytest
from msgspec.structs import replace

from kk_core.registry import game_ids
from kk_server.background import spawn
from kk_server.frontend.driver import clamp
from kk_server.limits import ServerLimits
from kk_server.serve.server import Server, start
from kk_server.ssh import server as ssh_server
from kk_tui import languages
from kk_tui.terminal.capabilities import kind_of
from tests.server.hosting import PLENTY, here
from tests.server.probe import SECRET, HostedProbe, apps, make_probe
from tests.server.remote import dial, screen, wait_for
from tests.waiting import Clock


async def test_an_app_starts_in_the_terminals_size_and_gives_the_terminal_back_as_it_was(
    either: Server,
) -> None:
    terminal = await screen(either, size=(91, 33))
    await terminal.until("size=91x33.")
    terminal.type("q")
    assert await terminal.rest() == 0
    assert terminal.seen.startswith(b"\x1b[?1049h")
    for mode in (b"1000", b"1002", b"1006", b"2004", b"1049"):
        assert terminal.seen.rfind(b"\x1b[?%bl" % mode) > terminal.seen.rfind(b"\x1b[?%bh" % mode)
    assert terminal.seen.rstrip().endswith(b"\x1b[?25h")
    await terminal.close()


async def test_the_mouse_is_asked_for_buttons_and_dragging_and_not_for_every_motion(server: Server) -> None:
    terminal = await screen(server)
    await terminal.until("size=80x24.")
    assert b"1003" not in terminal.seen
    assert b"\x1b[?2026$p" in terminal.seen
    await terminal.close()


def test_a_server_loads_the_boards_of_all_games_before_a_table_of_them_opens() -> None:
    program = "import asyncio, sys; from kk_server.frontend.terminal import prepare;"
    program += "before = set(sys.modules); asyncio.run(prepare()); print(*set(sys.modules) - before)"
    loaded = subprocess.check_output([sys.executable, "-c", program], text=True).split()
    modules = [f"kk_tui.games.{game}.{part}" for game in game_ids() for part in ("face", "board")]
    assert {module for module in modules if find_spec(module) is not None} <= set(loaded)


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("a", "key=a."),
        ("\x1b[A", "key=up."),
        ("\x1b", "key=escape."),
        ("\r", "key=enter."),
        ("\u00e4", "key=\u00e4."),
        ("\x1b[<0;5;7M\x1b[<0;5;7m", "click=4,6."),
        ("\x1b[200~" + "x" * 5000 + "\x1b[201~", "paste=1000."),
    ],
)
async def test_keys_clicks_and_pastes_arrive(server: Server, typed: str, shown: str) -> None:
    terminal = await screen(server)
    await terminal.until("size=80x24.")
    terminal.type(typed)
    await terminal.until(shown)
    await terminal.close()


async def test_a_letter_that_comes_in_two_packets_is_one_letter(server: Server) -> None:
    terminal = await screen(server)
    await terminal.until("size=80x24.")
    first, second = "\u00e4".encode()[:1], "\u00e4".encode()[1:]
    terminal.type(first)
    terminal.process.change_terminal_size(81, 24)  # travels behind the first byte
    await wait_for(lambda: apps[-1].size.width == 81)
    terminal.type(second)
    await terminal.until("key=\u00e4.")
    await terminal.close()


POISON = [
    b"\x1b[1114112u",  # no such character
    b"\x1b[48;60000;60000;1;1t",  # a window larger than any memory
    b"\x1b[?2048;2$y",
    b"\x1b[<99999999999;9999999999;99999999M",
    b"\x1b[99999;99999R",
    b"\xff\xfe\x00\x80",
    b"\x1b[I\x1b[O",
    b"\x1b" * 200,
]


@pytest.mark.parametrize("poison", POISON)
async def test_whatever_bytes_a_terminal_sends_the_next_key_still_arrives(
    server: Server, poison: bytes
) -> None:
    terminal = await screen(server)
    await terminal.until("size=80x24.")
    terminal.type(poison)
    terminal.type("\r\r")
    await terminal.until("key=enter.")
    assert b"size=6" not in terminal.seen
    await terminal.close()


@pytest.mark.parametrize(
    ("said", "drawn"),
    [((0, 0), "80x24"), ((65535, 65535), "400x200"), ((1, 1), "20x8"), ((100, 40), "100x40")],
)
async def test_a_window_of_any_size_is_drawn_in_a_size_that_can_be_drawn(
    server: Server, said: tuple[int, int], drawn: str
) -> None:
    terminal = await screen(server, size=(90, 30))
    await terminal.until("size=90x30.")
    terminal.process.change_terminal_size(*said)
    width, height = clamp(*said, (400, 200))
    assert f"{width}x{height}" == drawn
    await wait_for(lambda: apps[-1].size == (width, height))
    terminal.type("a")
    await terminal.until("key=a.")
    await terminal.close()


@pytest.mark.parametrize("key", ["x", "w"])
async def test_a_crash_is_a_sentence_for_the_player_and_a_line_without_hands_for_the_host(
    server: Server, key: str, capfd: pytest.CaptureFixture[str], journal: io.StringIO
) -> None:
    terminal, other = await screen(server), await screen(server, "beate")
    for started in (terminal, other):
        await started.until("size=80x24.")
    terminal.type(key)
    assert await terminal.rest() == 1
    other.type("a")
    await other.until("key=a.")
    output = capfd.readouterr()
    assert "Something went wrong in the program" in terminal.seen.decode()
    assert terminal.seen.find(b"\x1b[?1049l") < terminal.seen.find(b"Something went wrong")
    assert "app failed" in journal.getvalue()
    assert "RuntimeError" in journal.getvalue()
    for told in (journal.getvalue(), terminal.seen.decode(), output.out, output.err):
        assert SECRET not in told
        assert "Traceback" not in told
    await terminal.close()
    await other.close()


async def test_output_of_the_process_goes_where_it_went_whichever_app_ends_first(server: Server) -> None:
    out, err = sys.stdout, sys.stderr
    first, second = await screen(server, "a"), await screen(server, "b")
    await first.until("size=80x24.")
    await second.until("size=80x24.")
    for terminal in (first, second):
        terminal.type("q")
        await terminal.rest()
    assert (sys.stdout, sys.stderr) == (out, err)
    await first.close()
    await second.close()


async def test_an_app_leaves_the_loop_and_the_hubs_tasks_alone(server: Server) -> None:
    terminal = await screen(server)
    await terminal.until("size=80x24.")
    assert asyncio.get_running_loop().get_task_factory() is None
    began: list[bool] = []

    async def work() -> None:
        began.append(True)

    task = spawn(work(), "work")
    assert not began
    await task
    await terminal.close()


async def test_an_app_ends_with_its_connection(server: Server) -> None:
    terminal = await screen(server)
    await terminal.until("size=80x24.")
    app = apps[-1]
    terminal.connection.abort()
    await wait_for(lambda: not app.is_running and server.connections == 0)


async def test_a_stopping_server_gives_terminals_back_with_a_reason(tmp_path: Path) -> None:
    server = await start(here(tmp_path), make_probe)
    terminal = await screen(server)
    await terminal.until("size=80x24.")
    closing = asyncio.create_task(server.close())
    assert await terminal.rest() == 0
    assert b"shutting down" in terminal.seen[terminal.seen.find(b"\x1b[?1049l") :]
    await closing


@pytest.fixture
def bracketed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A language that only terminals with LANG=tlh ask for, in which every sentence stands in brackets."""

    class Brackets:
        def gettext(self, message: str) -> str:
            return f"<{message}>"

        def ngettext(self, one: str, many: str, n: int) -> str:
            return self.gettext(one if n == 1 else many)

    def chosen(language: str | None) -> languages.Translator:
        return Brackets() if language == "tlh" else languages.ENGLISH

    monkeypatch.setattr(languages, "translator", chosen)
    monkeypatch.setattr(languages, "has_language", lambda language: language in {"tlh", "en"})


async def test_a_stopping_server_lets_people_go_by_themselves_before_it_ends_their_connections(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for patience in ("_PARTING", "_ENDING"):
        monkeypatch.setattr(ssh_server, patience, 40)
    server = await start(here(tmp_path), make_probe)
    terminal = await screen(server)
    await terminal.until("size=80x24.")
    closing = asyncio.create_task(server.close())
    await terminal.rest()
    with pytest.raises(asyncssh.ChannelListenError):  # asked and refused: it is still served
        await terminal.connection.forward_remote_port("", 0, "127.0.0.1", 1)
    assert not closing.done()
    await terminal.close()
    await closing


@pytest.mark.usefixtures("bracketed")
async def test_the_farewell_of_a_stopping_server_is_in_the_language_of_each_terminal(tmp_path: Path) -> None:
    server = await start(here(tmp_path), make_probe)
    one, other = await screen(server, env={"LANG": "tlh"}), await screen(server, "beate")
    for terminal in (one, other):
        await terminal.until("size=80x24.")
    closing = asyncio.create_task(server.close())
    assert [await terminal.rest() for terminal in (one, other)] == [0, 0]
    assert one.seen.endswith(b"<The server is shutting down; everything is saved.>\r\n")
    assert other.seen.endswith(b"The server is shutting down; everything is saved.\r\n")
    await closing


@pytest.mark.usefixtures("bracketed")
async def test_a_crash_is_told_in_the_language_of_the_terminal(server: Server) -> None:
    terminal = await screen(server, env={"LC_ALL": "tlh", "LANG": "en_GB.UTF-8"})
    await terminal.until("size=80x24.")
    terminal.type("x")
    assert await terminal.rest() == 1
    assert b"<Something went wrong in the program." in terminal.seen
    await terminal.close()


@pytest.mark.usefixtures("bracketed")
async def test_who_is_refused_before_the_app_starts_is_told_why_in_the_language_of_the_terminal(
    server: Server,
) -> None:
    connection = await dial(server.port, "anna")
    result = await connection.run("ls", encoding="utf-8", env={"LANG": "tlh"})
    assert result.stderr == "<Unknown command 'ls'. See: help>\n"
    connection.close()
    await connection.wait_closed()


@pytest.mark.usefixtures("bracketed")
async def test_who_asks_for_no_language_is_told_in_that_of_the_host(tmp_path: Path) -> None:
    server = await start(here(tmp_path, language="tlh"), make_probe)
    connection = await dial(server.port, "anna")
    for asked, said in (
        ({}, "<Unknown command 'ls'. See: help>"),
        ({"LANG": "en_GB"}, "Unknown command"),
    ):
        result = await connection.run("ls", encoding="utf-8", env=asked)
        assert str(result.stderr).startswith(said)
    connection.close()
    await connection.wait_closed()
    await server.close()


def paint_much(app: HostedProbe) -> None:
    """Paint until the other side has to read first, but not for long."""
    for _ in range(100):
        if app.terminal.writer.is_paused:
            return
        app.painter.forget()
        app.paint()


async def test_frames_for_a_slow_reader_are_dropped_and_painted_anew_when_it_reads(tmp_path: Path) -> None:
    server = await start(here(tmp_path, limits=PLENTY), make_probe)
    terminal = await screen(server, size=(400, 200), window=20_000)
    await terminal.until("size=400x200.")
    app = apps[-1]

    def paint() -> bool:
        paint_much(app)
        return app.terminal.writer.is_paused

    await wait_for(paint)
    app.show("late news.")
    await terminal.until("late news.")
    await terminal.close()
    await server.close()


async def test_who_reads_again_in_time_is_not_disconnected_later(tmp_path: Path) -> None:
    limits = replace(PLENTY, patience=3600)
    server = await start(here(tmp_path, limits=limits), make_probe)
    terminal, clock = await screen(server, size=(400, 200), window=20_000), Clock(stands=False)
    await terminal.until("size=400x200.")
    app = apps[-1]

    def paint() -> bool:
        paint_much(app)
        return app.terminal.writer.is_paused

    await wait_for(paint)
    await clock.forward(3000)
    app.show("late news.")
    await terminal.until("late news.")
    await wait_for(lambda: not app.terminal.writer.is_paused)
    await clock.forward(3000)
    terminal.type("a")
    await terminal.until("key=a.")
    await terminal.close()
    await server.close()


async def test_who_never_reads_is_disconnected(tmp_path: Path) -> None:
    limits = ServerLimits(patience=3600)
    server = await start(here(tmp_path, limits=limits), make_probe)
    terminal = await screen(server, size=(400, 200), window=100)
    await wait_for(lambda: server.connections == 1)
    await terminal.until("\x1b[?1049h")
    app = apps[-1]

    def paint() -> bool:
        paint_much(app)
        return app.terminal.writer.is_paused

    await wait_for(paint)
    await Clock(stands=False).forward(3601)
    await wait_for(lambda: server.connections == 0)
    await server.close()


async def test_colours_are_those_of_the_terminal_and_not_of_the_server(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    terminal = await screen(server, env={"COLORTERM": "truecolor"})
    await terminal.until("size=80x24.")
    assert b"38;2;" in terminal.seen
    plain = await screen(server, "beate", env={"NO_COLOR": "1"})
    await plain.until("size=80x24.")
    assert b"38;" not in plain.seen
    await terminal.close()
    await plain.close()


@pytest.mark.parametrize(
    ("kind", "colorterm", "system"),
    [
        ("xterm-256color", "", "256"),
        ("xterm-256color", "truecolor", "truecolor"),
        ("xterm-kitty", "", "truecolor"),
        ("xterm", "", "standard"),
        ("linux", "", "standard"),
    ],
)
def test_how_many_colours_a_terminal_has_follows_from_term_and_colorterm(
    kind: str, colorterm: str, system: str
) -> None:
    assert kind_of(kind, {"COLORTERM": colorterm}).depth.value == system


def files(folder: Path) -> set[Path]:
    return set(folder.rglob("*"))


async def test_players_cannot_reach_the_host_through_the_app(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    terminal = await screen(server)
    await terminal.until("size=80x24.")
    app: HostedProbe = apps[-1]
    before = files(tmp_path)
    assert app.save_screenshot() == ""
    assert app.deliver_screenshot() is None
    app.open_url("http://localhost/")
    app.action_suspend_process()
    assert not list(app.get_system_commands(app.screen))
    assert files(tmp_path) == before
    assert opened == []
    await terminal.close()


@pytest.mark.parametrize("command", [None, "ls -la"])
async def test_without_a_terminal_there_is_one_clear_line_and_status_2(
    server: Server, command: str | None
) -> None:
    connection = await dial(server.port, "anna")
    result = await connection.run(command, encoding="utf-8")
    assert result.exit_status == 2
    assert isinstance(result.stderr, str)
    assert len(result.stderr.splitlines()) == 1
    connection.close()
    await connection.wait_closed()


async def test_a_command_on_a_terminal_is_refused_too(server: Server) -> None:
    connection = await dial(server.port, "anna")
    process = await connection.create_process("ls", term_type="xterm")
    assert "Unknown command 'ls'" in await process.stderr.read()
    connection.close()
    await connection.wait_closed()


async def test_ports_of_the_host_are_not_forwarded(server: Server) -> None:
    connection = await dial(server.port, "anna")
    with pytest.raises(asyncssh.ChannelOpenError):
        await connection.open_connection("127.0.0.1", server.port)
    connection.close()
    await connection.wait_closed()
