"""What a server finishes it signs, so that anybody can check it with ssh-keygen alone."""

from __future__ import annotations

import base64
import os
import re
import shutil
import subprocess
from errno import ENOSPC
from hashlib import sha512
from pathlib import Path

import asyncssh
import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from kk_core.errors import KkError
from kk_core.protocol.messages import PROTOCOL_VERSION, GetRecord, Hello, RecordText
from kk_core.record import record_of
from kk_server.cli import Failure
from kk_server.cli.record import verify
from kk_server.serve.server import start
from kk_server.ssh.host_keys import FILE, BadSignature, host_key, sign, signer_of
from kk_server.storage.files import RecordFolder
from kk_tui.client import remote
from tests.commands.calling import kk, refused
from tests.core.contract.tables import Table
from tests.server.client import Client
from tests.server.hosting import PLENTY, here
from tests.server.probe import make_probe
from tests.server.remote import dial, remote_link

needs_ssh_keygen = pytest.mark.skipif(
    shutil.which("ssh-keygen") is None, reason="there is no ssh-keygen on this machine"
)


def fields(blob: bytes) -> list[bytes]:
    """The strings of an SSH packet, each with its length in front."""
    found = []
    while blob:
        stop = 4 + int.from_bytes(blob[:4], "big")
        found.append(blob[4:stop])
        blob = blob[stop:]
    return found


def string(content: bytes) -> bytes:
    return len(content).to_bytes(4, "big") + content


def check_by_hand(public: bytes, message: bytes, signature: bytes) -> None:
    """Verify by the words of OpenSSH's PROTOCOL.sshsig, without asyncssh. Raises `InvalidSignature`."""
    lines = signature.strip().splitlines()
    assert (lines[0], lines[-1]) == (b"-----BEGIN SSH SIGNATURE-----", b"-----END SSH SIGNATURE-----")
    blob = base64.b64decode(b"".join(lines[1:-1]), validate=True)
    assert blob[:10] == b"SSHSIG" + (1).to_bytes(4, "big")
    key, namespace, reserved, algorithm, signed = fields(blob[10:])
    assert (namespace, reserved, algorithm) == (b"kk-record", b"", b"sha512")
    assert base64.b64encode(key) == public.split()[1]
    kind, drawn = fields(key)
    kind_of_signature, raw = fields(signed)
    assert kind == kind_of_signature == b"ssh-ed25519"
    covered = b"SSHSIG" + b"".join(map(string, (namespace, reserved, algorithm, sha512(message).digest())))
    Ed25519PublicKey.from_public_bytes(drawn).verify(raw, covered)


@pytest.fixture(scope="module")
def key() -> asyncssh.SSHKey:
    return asyncssh.generate_private_key("ssh-ed25519")


# -- a served match ------------------------------------------------------------------------------------------


class Served:
    """What a server has left of a match, and what its guest was sent."""

    def __init__(self, data: Path, guest: RecordText, shown: asyncssh.SSHKey) -> None:
        (self.record,) = (data / "records").glob("*.json")
        self.signature = Path(f"{self.record}.sig")
        self.guest = guest
        self.public = shown.export_public_key()
        self.fingerprint = shown.get_fingerprint()


@pytest.fixture
async def served(tmp_path: Path) -> Served:
    """A whole match of bots on a real server, watched by a guest."""
    server = await start(here(tmp_path, limits=PLENTY, bot_pause=0), make_probe)
    connection = await dial(server.port, "anna")
    shown = connection.get_server_host_key()
    assert shown is not None
    connection.close()
    anna = Client(await remote_link(server.port, "anna"))
    await anna.ask(Hello, PROTOCOL_VERSION)
    await anna.open("ku_ka_king", 2)
    await anna.seat_bots(0, 1)
    await anna.start()
    await anna.until(lambda c: c.table.phase == "finished")
    reply = await anna.ask(GetRecord)
    assert isinstance(reply, RecordText)
    await anna.close()
    await server.close()
    return Served(tmp_path, reply, shown)


async def test_record_and_signature_are_the_same_for_the_host_and_for_the_guest(served: Served) -> None:
    assert served.record.read_bytes() == served.guest.text.encode()
    assert served.guest.signature is not None
    assert served.signature.read_bytes() == served.guest.signature.encode()


async def test_the_signature_is_that_of_the_key_which_the_server_shows_its_guests(served: Served) -> None:
    message, signature = served.record.read_bytes(), served.signature.read_bytes()
    check_by_hand(served.public, message, signature)
    with pytest.raises(InvalidSignature):
        check_by_hand(served.public, message.replace(b"random", b"Random", 1), signature)
    assert signer_of(message, signature).get_fingerprint() == served.fingerprint


def ssh_keygen(served: Served, message: bytes, *arguments: str) -> int:
    allowed = served.record.parent / "allowed"
    allowed.write_bytes(b"kk " + served.public)
    call = ["ssh-keygen", "-Y", *arguments, "-n", "kk-record", "-s", str(served.signature)]
    return subprocess.run(call, input=message, capture_output=True, check=False).returncode


def another_call(record: bytes) -> bytes:
    """A record in which somebody has called the next row."""
    return re.sub(rb"call (\d)", lambda found: b"call %d" % (int(found[1]) + 1), record, count=1)


@needs_ssh_keygen
async def test_ssh_keygen_accepts_a_served_record_and_refuses_a_changed_one(served: Served) -> None:
    good = served.record.read_bytes()
    assert b"call " in good
    bad = another_call(good)
    allowed = str(served.record.parent / "allowed")
    for call in (["check-novalidate"], ["verify", "-f", allowed, "-I", "kk"]):
        assert ssh_keygen(served, good, *call) == 0
        assert ssh_keygen(served, bad, *call) != 0


@needs_ssh_keygen
async def test_the_list_of_hosts_that_were_met_is_one_that_ssh_keygen_reads(served: Served) -> None:
    known = served.record.parent / "known_hosts"
    known.write_bytes(b"[kk.example]:8022 " + served.public)
    call = ["verify", "-f", str(known), "-I", "[kk.example]:8022"]
    assert ssh_keygen(served, served.record.read_bytes(), *call) == 0


@needs_ssh_keygen
def test_a_signature_that_ssh_keygen_made_is_as_good(tmp_path: Path) -> None:
    private = host_key(tmp_path)
    file = tmp_path / "record.json"
    file.write_bytes(b"a record")
    subprocess.run(
        ["ssh-keygen", "-Y", "sign", "-f", str(tmp_path / FILE), "-n", "kk-record", str(file)],
        check=True, capture_output=True,
    )  # fmt: skip
    signature = Path(f"{file}.sig").read_bytes()
    assert signer_of(b"a record", signature).get_fingerprint() == private.get_fingerprint()


def kinds_in(folder: Path) -> list[str]:
    return sorted(path.suffix for path in folder.iterdir())


async def test_a_record_whose_signature_cannot_be_written_is_there_only_when_both_can(tmp_path: Path) -> None:
    record, is_full = record_of(Table("ku_ka_king", 2).finished()), True

    def sign_or_fail(_: bytes) -> str:
        if is_full:
            raise OSError(ENOSPC, os.strerror(ENOSPC))
        return "signature"

    folder = RecordFolder(tmp_path, sign_or_fail)
    with pytest.raises(OSError, match="No space"):
        await folder.keep("t", 1, record)
    assert kinds_in(tmp_path) == []
    is_full = False
    await folder.keep("t", 1, record)
    assert kinds_in(tmp_path) == [".json", ".sig"]


# -- kk record verify ----------------------------------------------------------------------------------------


async def test_verify_says_whose_the_signature_is_by_its_fingerprint(served: Served, tmp_path: Path) -> None:
    told = kk("record", "verify", str(served.record), XDG_DATA_HOME=str(tmp_path / "home"))
    assert told.code == 0, told.err
    assert served.fingerprint in told.out
    assert "no server has shown you" in told.out


async def test_verify_names_the_host_whose_key_was_met_before(served: Served, tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "kk").mkdir(parents=True)
    (home / "kk" / "known_hosts").write_bytes(
        b"[other.example]:22 ssh-ed25519 damaged\n[kk.example]:8022 " + served.public
    )
    told = kk("record", "verify", str(served.record), XDG_DATA_HOME=str(home))
    assert "Signed by [kk.example]:8022" in told.out
    assert served.fingerprint in told.out


async def test_verify_says_that_nothing_is_signed(served: Served) -> None:
    served.signature.unlink()
    told = kk("record", "verify", str(served.record))
    assert told.code == 0
    assert "no signature" in told.out


async def test_a_signature_that_does_not_fit_is_a_failure(served: Served) -> None:
    served.signature.write_bytes(b"damaged")
    refused(kk("record", "verify", str(served.record)), 1, served.signature.name, "not a signature")


async def test_a_signature_that_is_damaged_or_of_something_else_is_refused_by_name(served: Served) -> None:
    good = served.signature.read_bytes()
    other = asyncssh.generate_private_key("ssh-ed25519")
    for bad, words in (
        (b"", "not a signature"),
        (b"\xff\x00" * 1000, "not a signature"),
        (good[: len(good) // 2], "not a signature"),
        (good.replace(b"U1NI", b"....", 1), "damaged"),
        (sign(other, b"something else").encode(), "not for this record"),
        (asyncssh.create_sshsig(other, served.record.read_bytes(), namespace="file"), "not for this"),
    ):
        served.signature.write_bytes(bad)
        with pytest.raises(Failure, match=rf"{served.signature.name}: .*{words}"):
            verify(served.record)
    served.signature.unlink()
    served.signature.mkdir()
    with pytest.raises(Failure, match="directory"):
        verify(served.record)


async def test_the_signature_of_a_record_is_not_one_of_another_form_of_it(served: Served) -> None:
    served.record.write_bytes(served.record.read_bytes() + b"\n")
    refused(kk("record", "verify", str(served.record)), 1, "not for this record")


# -- signatures by themselves --------------------------------------------------------------------------------


def test_a_signature_with_any_bit_flipped_is_refused_or_is_the_same_key_and_the_same_bytes(
    key: asyncssh.SSHKey,
) -> None:
    good = sign(key, b"message").encode()
    kept = 0
    for bit in range(len(good) * 8):
        flipped = bytearray(good)
        flipped[bit // 8] ^= 1 << bit % 8
        try:
            signer = signer_of(b"message", bytes(flipped))
        except BadSignature:
            continue
        assert signer.get_fingerprint() == key.get_fingerprint()
        assert flipped.split() == good.split()
        kept += 1
    assert kept <= 1  # the blank after the last line


def test_only_a_host_key_of_the_usual_kind_counts(key: asyncssh.SSHKey) -> None:
    other = asyncssh.generate_private_key("ecdsa-sha2-nistp256")
    with pytest.raises(BadSignature, match="ed25519"):
        signer_of(b"message", asyncssh.create_sshsig(other, b"message", namespace="kk-record"))
    by_another_hash = asyncssh.create_sshsig(key, b"message", namespace="kk-record", hash_name="sha256")
    assert signer_of(b"message", by_another_hash) == key.convert_to_public()


def test_a_host_key_of_another_kind_is_refused_at_the_start(tmp_path: Path) -> None:
    other = asyncssh.generate_private_key("ecdsa-sha2-nistp256")
    (tmp_path / FILE).touch(0o600)
    (tmp_path / FILE).write_bytes(other.export_private_key())
    with pytest.raises(KkError, match="ecdsa-sha2-nistp256"):
        host_key(tmp_path)


def names_in(folder: Path) -> list[str]:
    """What is in a folder."""
    return [path.name for path in folder.iterdir()]


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o620])
async def test_a_host_key_that_others_on_the_machine_may_read_is_refused_at_the_start(
    tmp_path: Path, mode: int
) -> None:
    kept = host_key(tmp_path).get_fingerprint()
    (tmp_path / FILE).chmod(mode)
    with pytest.raises(KkError, match=rf"Others can read .*{FILE} \(mode {mode:04o}\).*chmod 600"):
        await start(here(tmp_path))
    assert names_in(tmp_path) == [FILE], "nothing has been begun"
    (tmp_path / FILE).chmod(0o400)
    assert host_key(tmp_path).get_fingerprint() == kept


def test_a_host_key_that_cannot_be_read_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir(mode=0o700)
    with pytest.raises(KkError, match=f"{FILE} isn't a usable key: Is a directory"):
        host_key(tmp_path)


def test_the_hosts_of_a_key_are_those_that_have_shown_it(tmp_path: Path, key: asyncssh.SSHKey) -> None:
    known = tmp_path / "known_hosts"
    shown = key.convert_to_public()
    assert remote.hosts_of(shown, known) == ()
    public = shown.export_public_key().decode()
    known.write_text(f"[a]:1 {public}[b]:2 ssh-ed25519 nonsense\n\n[c]:3 {public}")
    assert remote.hosts_of(shown, known) == ("[a]:1", "[c]:3")
