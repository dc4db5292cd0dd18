"""Everybody's own records, as `sftp` and `scp` fetch them; and nothing else."""

from __future__ import annotations

import asyncio
import shutil
import stat
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import asyncssh
import pytest
import pytest_asyncio
from asyncssh.packet import Byte, String, UInt32

from kk_core.protocol.frames import frame
from kk_core.protocol.messages import PROTOCOL_VERSION, Hello, Join, OpenTable
from kk_core.record import parse_record, replay
from kk_core.text import text
from kk_server.serve.server import Server, start
from kk_server.ssh.host_keys import host_key, signer_of
from kk_server.visits.programs import SentAway
from kk_server.visits.sftp import OPEN_AT_ONCE, OwnRecords, SftpSession
from tests.server.client import Client
from tests.server.hosting import PLENTY, here
from tests.server.playing import begin_match, finish
from tests.server.probe import make_probe
from tests.server.remote import dial, key_of, remote_link, wait_for
from tests.waiting import patience

pytestmark = pytest.mark.e2e

needs_openssh = pytest.mark.skipif(
    shutil.which("sftp") is None or shutil.which("scp") is None, reason="there is no OpenSSH on this machine"
)


class Played:
    """A server where Anna and Beate have played a match at a table by invitation; Olga runs it."""

    def __init__(self, server: Server, folder: Path, table: str) -> None:
        self.server, self.folder, self.table = server, folder, table

    @property
    def kept(self) -> bytes:
        """The record as the host has it."""
        (file,) = (self.folder / "data" / "records").glob("*.json")
        return file.read_bytes()

    async def by(self, user: str, **how: Any) -> asyncssh.SFTPClient:
        connection = await dial(self.server.port, user, **how)
        return await connection.start_sftp_client()

    async def call(
        self, program: str, user: str, *words: str, script: str = ""
    ) -> tuple[int | None, str, str]:
        """Call a client of OpenSSH; words with HOST are an address here."""
        key = self.folder / user
        key_of(user).write_private_key(key)
        key.chmod(0o600)
        process = await asyncio.create_subprocess_exec(
            program, "-F", "/dev/null", "-i", str(key), "-o", "IdentitiesOnly=yes",
            "-o", "IdentityAgent=none", "-o", "StrictHostKeyChecking=no",
            "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR",
            "-P", str(self.server.port), *(word.replace("HOST", f"{user}@127.0.0.1") for word in words),
            cwd=self.folder, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        async with asyncio.timeout(patience()):
            out, err = await process.communicate(script.encode())
        return process.returncode, out.decode(), err.decode()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def past(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The data of a server where the match was played, and the table."""
    data = tmp_path_factory.mktemp("past") / "data"
    server = await start(here(data, limits=PLENTY, bot_pause=0), make_probe)
    anna, beate, *_ = clients = [
        Client(await remote_link(server.port, user)) for user in ("anna", "beate", "eve", "olga")
    ]
    for client in clients:
        await client.ask(Hello, PROTOCOL_VERSION)
    await anna.do(OpenTable, "ku_ka_king", {}, 2, "", False, True)
    await beate.do(Join, anna.table.code)
    await anna.sit(0)
    await beate.sit(1)
    await begin_match([anna, beate])
    await finish(anna, beate)
    await wait_for(lambda: any((data / "records").glob("*.json")))
    for client in clients:
        await client.close()
    await server.close()
    return data, anna.table.id


@pytest.fixture
async def played(past: tuple[Path, str], tmp_path: Path) -> AsyncIterator[Played]:
    data, table = past
    shutil.copytree(data, tmp_path / "data")
    (tmp_path / "admins").write_bytes(key_of("olga").export_public_key())
    server = await start(here(tmp_path / "data", limits=PLENTY, admins=str(tmp_path / "admins")), make_probe)
    yield Played(server, tmp_path, table)
    await server.close()


@needs_openssh
async def test_sftp_lists_own_matches_by_day_game_and_people_and_gets_them(played: Played) -> None:
    status, out, err = await played.call(
        "sftp", "anna", "-b", "-", "HOST", script="cd records\nls -l\nget *\n"
    )
    assert status == 0, err
    names = [line.split()[-1] for line in out.splitlines() if line.startswith("-r--r--r--")]
    assert [name.partition("_")[2] for name in names] == [
        f"ku_ka_king_anna_beate_{played.table}-1.json",
        f"ku_ka_king_anna_beate_{played.table}-1.json.sig",
    ]
    record, signature = [(played.folder / name).read_bytes() for name in names]
    assert record == played.kept
    assert replay(parse_record(record.decode())).is_over
    assert (
        signer_of(record, signature).get_fingerprint() == host_key(played.folder / "data").get_fingerprint()
    )


@needs_openssh
async def test_scp_fetches_a_record_by_its_number_and_the_folder_as_a_whole(
    played: Played,
) -> None:
    number = f"{played.table}-1.json"
    status, _, err = await played.call("scp", "anna", f"HOST:records/{number}", ".")
    assert status == 0, err
    assert (played.folder / number).read_bytes() == played.kept
    status, _, err = await played.call("scp", "anna", "-r", "HOST:records", "all")
    assert status == 0, err
    assert played.kept in [file.read_bytes() for file in (played.folder / "all").iterdir()]


@needs_openssh
async def test_who_has_no_past_here_is_told_so(played: Played) -> None:
    status, _, err = await played.call("sftp", "stranger", "-b", "-", "HOST")
    assert status not in (0, None)
    assert "You have no account here yet" in err


@needs_openssh
async def test_the_way_of_an_old_scp_is_refused_with_a_word_about_the_new_one(played: Played) -> None:
    status, _, err = await played.call("scp", "anna", "-O", f"HOST:records/{played.table}-1.json", ".")
    assert status not in (0, None)
    assert "with sftp, or with scp -s" in err


@pytest.mark.parametrize("user", ["eve", "olga"])
async def test_nobody_reads_what_others_have_played_not_even_an_admin(played: Played, user: str) -> None:
    sftp = await played.by(user)
    assert await sftp.listdir("/records") == []
    with pytest.raises(asyncssh.SFTPNoSuchFile):
        await sftp.stat(f"/records/{played.table}-1.json")
    sftp.exit()


async def test_no_path_leads_to_a_file_of_the_host(played: Played) -> None:
    sftp = await played.by("anna")
    upwards = ["../../etc/passwd", "records/../../etc/passwd", "records/.."]
    for path in ["/etc/passwd", "data", "/records/x", *upwards]:
        with pytest.raises(asyncssh.SFTPError):
            await (await sftp.open(path, "rb")).read()
    assert set(await sftp.listdir("/")) == {"records"}
    sftp.exit()


async def test_nothing_can_be_changed(played: Played) -> None:
    sftp = await played.by("anna")
    file = f"/records/{played.table}-1.json"
    changes: list[Any] = [
        sftp.open("/records/new", "wb"), sftp.open(file, "r+b"), sftp.open(file, "ab"), sftp.remove(file),
        sftp.mkdir("/records/folder"), sftp.rmdir("/records"), sftp.rename(file, "/records/other"),
        sftp.posix_rename(file, "/records/other"), sftp.symlink("/etc/passwd", "/records/link"),
        sftp.link(file, "/records/link"), sftp.chmod(file, 0o777), sftp.truncate(file, 0),
        sftp.readlink(file), sftp.statvfs("/"),
    ]  # fmt: skip
    for change in changes:
        with pytest.raises(asyncssh.SFTPError):
            await change
    assert stat.S_IMODE((await sftp.stat(file)).permissions or 0) == 0o444
    opened: Any
    async with sftp.open(file, "rb") as opened:
        assert await opened.read() == played.kept
        with pytest.raises(asyncssh.SFTPError):
            await opened.write(b"x")
    sftp.exit()


async def test_so_many_files_are_open_at_once_in_one_session(played: Played) -> None:
    sftp = await played.by("anna")
    file = f"/records/{played.table}-1.json"
    held = [await sftp.open(file, "rb") for _ in range(OPEN_AT_ONCE)]
    with pytest.raises(asyncssh.SFTPFailure, match="Too many"):
        await sftp.open(file, "rb")
    await held[0].close()
    await (await sftp.open(file, "rb")).close()
    sftp.exit()


async def test_open_folders_count_among_them(played: Played) -> None:
    sftp = await played.by("anna")
    folders = [await sftp._handler.opendir(b"/records") for _ in range(OPEN_AT_ONCE)]
    with pytest.raises(asyncssh.SFTPFailure, match="Too many"):
        await sftp.open(f"/records/{played.table}-1.json", "rb")
    await sftp._handler.close(folders[0])
    await (await sftp.open(f"/records/{played.table}-1.json", "rb")).close()
    sftp.exit()


async def test_what_was_asked_for_before_a_session_is_ended_is_not_answered_after_it(played: Played) -> None:
    answers = list[bytes]()

    class Ending:
        """A writer to a client whose session is ended by somebody after the first answer."""

        async def drain(self) -> None:
            """There is room."""

        def write(self, data: bytes) -> None:
            answers.append(data)
            sftp.end(text("You were sent away."))

        def is_closing(self) -> bool:
            return False

        def close(self) -> None:
            """Nothing is left to do."""

    reader = asyncio.StreamReader()
    init, realpath = Byte(1) + UInt32(3), Byte(16) + UInt32(7) + String(b"/")
    reader.feed_data(frame(init) + 5 * frame(realpath))
    sftp = SftpSession(OwnRecords(played.server.hub, "anna"), reader, Ending(), PLENTY)
    with pytest.raises(SentAway, match="You were sent away"):
        await sftp.run()
    assert len(answers) == 1


@pytest.mark.parametrize("garbage", [b"\xff" * 100, b"\0\0\0\0", b"\0\0\0\1\3", bytes(range(256))])
async def test_garbage_ends_the_session_and_harms_nobody(played: Played, garbage: bytes) -> None:
    connection = await dial(played.server.port, "anna")
    process: Any = await connection.create_process(subsystem="sftp", encoding=None)
    process.stdin.write(garbage)
    process.stdin.write_eof()
    async with asyncio.timeout(patience()):
        await process.stdout.read()
    connection.close()
    sftp = await played.by("anna")
    assert len(await sftp.listdir("/records")) == 2
    sftp.exit()
