"""OpenSSH's own client at the door: with a key, without one, with a wrong one, and with a code."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from kk_core.protocol.messages import GetLinkCode, LinkCode, OpenTable
from kk_server.serve.server import Server, start
from tests.server.client import Client
from tests.server.hosting import PLENTY, here
from tests.server.probe import make_probe
from tests.server.remote import key_of
from tests.waiting import patience

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(shutil.which("ssh") is None, reason="there is no ssh on this machine"),
]


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    server = await start(here(tmp_path / "data"), make_probe)
    yield server
    await server.close()


def key_file(folder: Path, owner: str) -> Path:
    path = folder / owner
    key_of(owner).write_private_key(path)
    path.chmod(0o600)
    return path


async def ssh(
    server: Server, user: str, *words: str, key: Path | None = None, until: bytes = b""
) -> tuple[int | None, bytes]:
    """Call `ssh` without any settings of this machine; the status, and the output as far as `until`."""
    identity = ["-i", str(key), "-o", "IdentitiesOnly=yes"] if key else ["-o", "PubkeyAuthentication=no"]
    command = [
        "ssh", "-F", "/dev/null", *identity, "-o", "StrictHostKeyChecking=no", "-o", "IdentityAgent=none",
        "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR",
        "-p", str(server.port), "-tt", f"{user}@127.0.0.1", *words,
    ]  # fmt: skip
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT, env={"TERM": "xterm-256color", "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert process.stdout is not None
    said = b""
    async with asyncio.timeout(patience()):
        while data := await process.stdout.read(1000):
            said += data
            if until and until in said:
                process.terminate()
                break
        await process.wait()
    return process.returncode, said


IN_THE_GAME = b"\x1b[?1049h"


async def test_with_a_key_one_is_in_the_game_and_the_name_is_claimed(server: Server, tmp_path: Path) -> None:
    _, said = await ssh(server, "anna", key=key_file(tmp_path, "anna"), until=IN_THE_GAME)
    assert IN_THE_GAME in said
    status, said = await ssh(server, "anna", key=key_file(tmp_path, "eve"))
    assert status == 2
    assert b"The name anna belongs to somebody's key." in said
    status, said = await ssh(server, "anna")
    assert status == 2
    assert b"The name anna belongs to somebody's key." in said


async def test_without_a_key_one_is_in_the_game_unasked_as_a_guest(server: Server) -> None:
    _, said = await ssh(server, "carl", until=IN_THE_GAME)
    assert IN_THE_GAME in said


async def test_who_comes_again_and_again_reads_why_he_is_turned_away(tmp_path: Path) -> None:
    limits = replace(PLENTY, connections_per_second=0.001, connections_at_once=1)
    server = await start(here(tmp_path, limits=limits), make_probe)
    _, first = await asyncio.open_connection("127.0.0.1", server.port)
    status, said = await ssh(server, "carl")
    assert status == 255
    assert b"Too many new connections from your address; please try again in a minute." in said
    first.close()
    await server.close()


async def test_a_name_that_ssh_cannot_have_is_refused_in_a_sentence(server: Server) -> None:
    status, said = await ssh(server, "🦊")
    assert status == 255
    assert b"has characters that no name can have over SSH: use another one" in said


async def test_where_guests_are_not_wanted_one_is_told_so_in_a_sentence(tmp_path: Path) -> None:
    server = await start(here(tmp_path, guests="no"), make_probe)
    status, said = await ssh(server, "carl")
    assert status == 2
    assert b"This server requires an SSH key" in said
    await server.close()


async def test_a_further_key_is_linked_by_the_command_and_leads_into_the_game(
    server: Server, tmp_path: Path
) -> None:
    await ssh(server, "anna", key=key_file(tmp_path, "anna"), until=IN_THE_GAME)
    anna = Client(server.hub.connect("anna"))
    answer = await anna.ask(GetLinkCode)
    assert isinstance(answer, LinkCode)
    phone = key_file(tmp_path, "phone")
    _, said = await ssh(server, "anna", "link", answer.code, key=phone, until=IN_THE_GAME)
    assert IN_THE_GAME in said
    _, said = await ssh(server, "anna", key=phone, until=IN_THE_GAME)
    assert IN_THE_GAME in said
    await anna.close()


async def test_the_code_of_an_invitation_leads_to_its_table_and_a_wrong_one_is_refused_in_a_sentence(
    server: Server, tmp_path: Path
) -> None:
    anna = Client(server.hub.connect("anna"))
    await anna.do(OpenTable, "ku_ka_king", {}, 2, "", False, True)
    code = anna.table.code
    assert code is not None
    status, said = await ssh(server, "beate", "join", "AAAAAA", key=key_file(tmp_path, "beate"))
    assert status == 2
    assert b"No table here has this code" in said
    _, said = await ssh(server, "beate", "join", code, key=key_file(tmp_path, "beate"), until=IN_THE_GAME)
    assert IN_THE_GAME in said
    assert server.hub.tables[anna.table.id].admits("beate")
    await anna.close()


async def test_the_command_for_lines_of_text_needs_no_screen(server: Server, tmp_path: Path) -> None:
    _, said = await ssh(server, "anna", "plain", key=key_file(tmp_path, "anna"), until=b"Lobby: 0 tables.")
    assert b"Lobby: 0 tables." in said
    assert IN_THE_GAME not in said
    status, said = await ssh(server, "anna", "plain", "talk", key=tmp_path / "anna")
    assert status == 2
    assert b"Too many arguments for plain: 'talk'." in said
