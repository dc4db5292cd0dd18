"""Where a server listens, what it says of that, and how others see from outside that it is well."""

from __future__ import annotations

import ast
import asyncio
import json
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path
from unittest.mock import Mock

import asyncssh
import pytest

from kk_core.text import Text
from kk_server.frontend import listener
from kk_server.frontend.listener import CannotServe, ConnectionCounter, Port, bind
from kk_server.limits import ServerLimits
from kk_server.serve.metrics import NoMetrics
from kk_server.serve.server import start
from kk_server.ssh.farewell import farewell
from kk_server.ssh.host_keys import FILE
from kk_tui.languages import languages, translate
from tests.commands.calling import kk
from tests.server.hosting import here, probing
from tests.server.ports import free_port
from tests.server.remote import NoAnswers, key_of, wait_for
from tests.server.test_admins import public
from tests.server.test_metrics import figures
from tests.server.test_service import service
from tests.waiting import patience

CONTAINERFILE = Path(__file__).parents[2] / "deploy" / "Containerfile"


def answers(address: str, port: int) -> bool:
    try:
        with socket.create_connection((address, port), patience()):
            return True
    except ConnectionRefusedError:
        return False


@pytest.mark.parametrize(
    ("host", "four", "six"),
    [
        ("all", True, True), ("*", True, True), ("", True, True),
        ("localhost", True, True), ("0.0.0.0", True, False),
        ("::", False, True), ("127.0.0.1", True, False), ("::1", False, True),
    ],
)  # fmt: skip
async def test_everybody_and_this_machine_are_both_families_and_an_address_is_one(
    host: str, four: bool, six: bool
) -> None:
    port = free_port()  # where nobody else listens by the other family, either
    sockets = await bind(host, port)
    for each in sockets:
        each.listen()
    assert {each.getsockname()[1] for each in sockets} == {port}
    assert (answers("127.0.0.1", port), answers("::1", port)) == (four, six)
    for each in sockets:
        each.close()


@pytest.mark.parametrize("workers", [1, 2])
async def test_people_come_by_both_families_and_an_ipv4_address_is_written_as_one(
    tmp_path: Path, workers: int
) -> None:
    (tmp_path / "admins").write_text(public("root"))
    async with probing(
        tmp_path / "data", host="all", workers=workers, admins=str(tmp_path / "admins")
    ) as server:
        for address in ("127.0.0.1", "::1"):
            connection = await asyncssh.connect(
                address, server.port, username="root", known_hosts=None, config=None, agent_path=None,
                client_keys=[key_of("root")], client_factory=NoAnswers,
            )  # fmt: skip
            assert (await connection.run("bans")).exit_status == 0
            connection.close()
    lines = (tmp_path / "data" / "audit.jsonl").read_text().splitlines()
    assert [json.loads(line)["address"] for line in lines] == ["127.0.0.1", "::1"]


async def test_whoever_waits_when_the_port_is_closed_is_let_go() -> None:
    nobody = Mock(return_value=False)
    port = Port(await bind("127.0.0.1", 0), ConnectionCounter(ServerLimits()).count, nobody, farewell)
    reader, writer = await asyncio.open_connection("127.0.0.1", port.number)
    await wait_for(lambda: port._held)
    port.close()
    async with asyncio.timeout(patience()):
        assert await reader.read() == b""
    writer.close()


@pytest.mark.parametrize("fails_at", ["socket", "bind"])
async def test_a_machine_without_ipv6_serves_by_ipv4(monkeypatch: pytest.MonkeyPatch, fails_at: str) -> None:
    class Socket(socket.socket):
        def __init__(self, family: int, kind: int) -> None:
            if family == socket.AF_INET6 and fails_at == "socket":
                raise OSError(97, "Address family not supported by protocol")
            super().__init__(family, kind)

        def bind(self, address: object) -> None:
            if self.family == socket.AF_INET6:
                raise OSError(99, "Cannot assign requested address")
            super().bind(address)  # type: ignore[arg-type]

    monkeypatch.setattr("kk_server.frontend.listener.socket.socket", Socket)
    (only,) = await bind("all", 0)
    assert only.family == socket.AF_INET
    only.close()
    with pytest.raises(CannotServe, match=r"Cannot listen on ::1 port 0"):
        await bind("::1", 0)


@pytest.mark.parametrize("code", ["EAI_AGAIN", "EAI_FAIL", "EAI_NODATA", "EAI_NONAME"])
async def test_a_host_without_an_address_is_refused_with_a_reason_that_can_be_translated(
    monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    number = getattr(socket, code)

    async def unknown(*_: object) -> object:
        raise socket.gaierror(number, "whatever the system says")

    monkeypatch.setattr(listener, "_places", unknown)
    with pytest.raises(CannotServe) as caught:
        await bind("nowhere.invalid", 8022)
    reason = dict(caught.value.reason.args)["reason"]
    assert isinstance(reason, Text)
    assert all(translate(reason, language) != str(reason) for language in languages() if language != "en")


async def test_a_port_that_one_family_has_taken_is_refused_and_a_free_one_is_free_for_both(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.socket(socket.AF_INET6) as taken:
        taken.bind(("::1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(CannotServe, match=f"localhost port {port}: Address already in use"):
            await bind("localhost", port)
        tries = iter([port, port, 0])
        places = listener._places

        async def unlucky(host: str, _port: int) -> object:
            first, *rest = await places(host, 0)
            return [(first[0], (first[1][0], next(tries))), *rest]

        monkeypatch.setattr(listener, "_places", unlucky)
        sockets = await bind("localhost", 0)
        assert len({each.getsockname()[1] for each in sockets} - {port}) == 1
        for each in sockets:
            each.close()


@pytest.mark.parametrize("host", ["192.0.2.77", "no.such.host.invalid", "a" * 70])
async def test_an_address_that_is_none_of_this_machine_is_a_sentence(tmp_path: Path, host: str) -> None:
    with pytest.raises(CannotServe, match="Cannot listen on"):
        await start(here(tmp_path, host=host))


def fingerprint_of(key: Path) -> str:
    """As OpenSSH has it."""
    said = subprocess.run(["ssh-keygen", "-l", "-f", str(key)], capture_output=True, text=True, check=True)
    return said.stdout.split()[1]


@pytest.mark.e2e
async def test_a_server_says_at_the_start_where_it_is_and_by_which_key_it_is_known(tmp_path: Path) -> None:
    settings = "--host", "all", "--set", "address=play.example.org:22"
    async with service(tmp_path, *settings) as run:
        await run.notice()
        assert run.process.stdout is not None
        where, known_by, key = [(await run.process.stdout.readline()).decode() for _ in range(3)]
        printed = fingerprint_of(tmp_path / "data" / FILE)
        await run.end(signal.SIGTERM)
    assert re.fullmatch(
        r"Serving on 0\.0\.0\.0, \[::\] port \d+\. Play with: ssh -p 22 NAME@play\.example\.org\n", where
    )
    assert known_by == "This server's key, which people see on their first visit:\n"
    assert key == f"  {printed}\n"
    assert f'"host_key": "{printed}"'.encode() in run.log


# -- from outside --------------------------------------------------------------------------------------------


def health_check(port: int) -> list[str]:
    """The check of the image, at another port."""
    (words,) = re.findall(r"^ +CMD (\[.*\])$", CONTAINERFILE.read_text(), re.MULTILINE)
    _, *rest = ast.literal_eval(words)
    return [sys.executable, *(word.replace("8022", str(port)) for word in rest)]


@pytest.mark.e2e
async def test_the_check_of_the_image_tells_whether_a_server_answers_and_leaves_no_line(
    tmp_path: Path,
) -> None:
    async with service(tmp_path) as run:
        await run.notice()
        port = await run.port()
        for _ in range(3):
            checking = await asyncio.create_subprocess_exec(*health_check(port))
            assert await checking.wait() == 0
        await run.end(signal.SIGTERM)
        gone = await asyncio.create_subprocess_exec(*health_check(port), stderr=asyncio.subprocess.DEVNULL)
        assert await gone.wait() == 1
    assert [json.loads(line)["event"] for line in run.log.splitlines()] == ["started", "stopped"]


def test_the_check_calls_nothing_well_that_speaks_no_ssh() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        checking = subprocess.Popen(health_check(other.getsockname()[1]))
        connection, _ = other.accept()
        with connection:
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\n")
        assert checking.wait(patience()) == 1


async def test_figures_are_at_the_address_of_the_settings_alone(tmp_path: Path) -> None:
    port = free_port()
    async with probing(tmp_path, metrics=port, metrics_host="127.0.0.9"):
        url = f"http://127.0.0.9:{port}/metrics"
        assert b"kk_sessions" in await asyncio.to_thread(lambda: urllib.request.urlopen(url).read())
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.1", port)
    async with probing(tmp_path, metrics=0) as server:
        assert server.metrics is not None
        assert "kk_sessions" in await figures(server.metrics.port)
    for host in ("192.0.2.77", "a" * 70):
        with pytest.raises(NoMetrics, match=f"Cannot serve metrics on {host} port"):
            await start(here(tmp_path, metrics=0, metrics_host=host))


def test_the_check_of_settings_shows_where_it_would_listen() -> None:
    assert 'host = "all"' in kk("serve", "--host", "all", "--check").out
