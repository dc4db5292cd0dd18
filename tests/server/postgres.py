"""A PostgreSQL of the tests' own: a real server in a folder, on a free port of this machine."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.server.ports import free_port

NEEDED: Final = "KK_NEEDS_POSTGRESQL"
"""Set by the gate, where a machine without PostgreSQL must not pass unnoticed."""

_USER: Final = "postgres"
"""Who runs the server if the tests run as root, as which it refuses to."""

_numbers = count()


@cache
def programs() -> Path | None:
    """Return the folder of PostgreSQL's programs; None if it is not installed."""
    folders = [
        Path(found).resolve().parent for name in ("postgres", "initdb") if (found := shutil.which(name))
    ]
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


def require_postgres() -> Path:
    """Return the folder of its programs, or skip the test; in the gate, fail."""
    folder = programs()
    missing = [
        name for name, found in (("PostgreSQL", folder), ("asyncpg", find_spec("asyncpg"))) if not found
    ]
    if missing:
        told = f"left out: {' and '.join(missing)} not installed"
        if os.environ.get(NEEDED):
            pytest.fail(told)
        pytest.skip(told)
    assert folder is not None
    return folder


def self_signed() -> tuple[bytes, bytes]:
    """Return a new key and a certificate for this machine that it has signed, both as PEM."""
    key, name = (
        ec.generate_private_key(ec.SECP256R1()),
        x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "kk")]),
    )
    now = datetime.now(UTC)
    built = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    built = built.serial_number(x509.random_serial_number()).not_valid_before(now - timedelta(days=1))
    built = built.not_valid_after(now + timedelta(days=1)).add_extension(
        x509.BasicConstraints(True, None), True
    )
    form, plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    pem = serialization.Encoding.PEM
    return key.private_bytes(pem, form, plain), built.sign(key, hashes.SHA256()).public_bytes(pem)


class Postgres:
    """A server in a folder, on a port of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.is_durable = False
        """True if it waits for the disk, as tests need not."""
        self._data = str(folder / "data")
        self.port = free_port()

    def run(self, program: str, *given: str) -> str:
        """Run one of PostgreSQL's programs; returns what it prints."""
        who = _USER if os.geteuid() == 0 else None
        done = subprocess.run(
            [require_postgres() / program, *given],
            cwd=self.folder, capture_output=True, text=True, check=False, user=who, group=who,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    def ask(self, program: str, *given: str) -> str:
        """Run a client program of PostgreSQL's that connects to this server."""
        return self.run(program, "-h", "127.0.0.1", "-p", str(self.port), "-U", "kk", *given)

    def create(self) -> None:
        """Make it a new, empty server."""
        self.run("initdb", "-D", self._data, "-A", "trust", "-U", "kk", "-E", "UTF8", "--no-sync")

    def follow(self, primary: Postgres) -> None:
        """Make it a standby of another one, without which that one acknowledges nothing from now on."""
        shutil.rmtree(self._data, ignore_errors=True)
        copy = ("-h", "127.0.0.1", "-p", str(primary.port), "-U", "kk", "-D", self._data)
        self.run("pg_basebackup", *copy, "-R", "-c", "fast", "--no-sync")
        self.control("start")
        for change in ("ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()"):
            primary.ask("psql", "-d", "postgres", "-c", change)
        # the first process reads this first, then the one that writes checkpoints makes commits wait for it
        while primary.ask("psql", "-At", "-d", "postgres", "-c", "SHOW synchronous_standby_names") != "*\n":
            pass
        for _ in range(2):  # it may have begun the first one before it has read this
            primary.ask("psql", "-d", "postgres", "-c", "CHECKPOINT")

    def control(self, *given: str) -> None:
        """Start, stop, restart or promote it, with what `pg_ctl` is told."""
        fsync = "on" if self.is_durable else "off"
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync={fsync}"
        log = str(self.folder / "log")
        self.run("pg_ctl", "-D", self._data, "-w", "-s", "-l", log, "-o", options, *given)

    def encrypt(self) -> Path:
        """Have it serve by TLS, too; returns the file with its certificate."""
        files = Path(self._data, "server.key"), Path(self._data, "server.crt")
        for file, content in zip(files, self_signed(), strict=True):
            file.write_bytes(content)
            file.chmod(0o600)
            if os.geteuid() == 0:
                shutil.chown(file, _USER, _USER)
        self.ask("psql", "-d", "postgres", "-c", "ALTER SYSTEM SET ssl = on")
        self.control("restart")
        return files[1]

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to all processes of the server, first to the one that starts the others."""
        first = int(Path(self._data, "postmaster.pid").read_text().split()[0])
        with suppress(FileNotFoundError):
            others = Path(f"/proc/{first}/task/{first}/children").read_text().split()
            for process in (first, *map(int, others)):
                with suppress(ProcessLookupError):
                    os.kill(process, number)

    def new_database(self) -> str:
        """Return the address of a new database."""
        name = f"kk{next(_numbers)}"
        self.ask("createdb", name)
        return f"postgresql://kk@127.0.0.1:{self.port}/{name}"

    def logged(self) -> int:
        """Return the bytes of its log of changes so far, which a standby is sent."""
        return int(self.ask("psql", "-At", "-d", "postgres", "-c", "SELECT pg_current_wal_lsn() - '0/0'"))

    def spent(self) -> float:
        """Return the seconds of processor time of all its processes so far, also of those that have ended."""
        first = int(Path(self._data, "postmaster.pid").read_text().split()[0])
        others = Path(f"/proc/{first}/task/{first}/children").read_text().split()
        ticks = 0
        for process in (str(first), *others):
            # after the program's name, which is in parentheses
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            # utime and stime, and those of the children that have ended
            ticks += sum(map(int, fields[11:15]))
        return ticks / os.sysconf("SC_CLK_TCK")

    def end(self) -> None:
        """End it for good, whatever its state."""
        if Path(self._data, "postmaster.pid").exists():
            self.signal(signal.SIGKILL)


@contextmanager
def _stopped_postgres(*, is_durable: bool = False) -> Iterator[Postgres]:
    """A server that is not even created."""
    require_postgres()
    folder = Path(tempfile.mkdtemp(prefix="kk-postgres-"))
    if os.geteuid() == 0:
        shutil.chown(folder, _USER, _USER)
    server = Postgres(folder)
    server.is_durable = is_durable
    try:
        yield server
    finally:
        server.end()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def running_postgres(*, is_durable: bool = False) -> Iterator[Postgres]:
    """Run a server until the block ends."""
    with _stopped_postgres(is_durable=is_durable) as server:
        server.create()
        server.control("start")
        yield server


class Replicated:
    """Two servers, of which one is a synchronous standby of the other."""

    def __init__(self, primary: Postgres, standby: Postgres) -> None:
        self._primary, self._standby = primary, standby

    def new_database(self) -> str:
        """Return the address of a new database on both."""
        path = urlsplit(self._primary.new_database()).path
        machines = ",".join(f"127.0.0.1:{each.port}" for each in (self._primary, self._standby))
        return f"postgresql://kk@{machines}{path}?target_session_attrs=read-write"

    @property
    def primary(self) -> Postgres:
        """The server that is written to."""
        return self._primary

    def fail(self, number: signal.Signals) -> None:
        """Kill the primary, or freeze it as if its machine were gone without a word."""
        self._primary.signal(number)

    def lose_standby(self) -> None:
        """Stop the standby, so that nothing is stored."""
        self._standby.control("stop", "-m", "immediate")

    def find_standby(self) -> None:
        """Start the standby again."""
        self._standby.control("start")

    def promote(self) -> None:
        """Make the standby the primary."""
        self._standby.control("promote")

    def restore(self) -> None:
        """Make the machine that has failed the standby of the other."""
        self._primary.end()
        self._primary, self._standby = self._standby, self._primary
        self._standby.follow(self._primary)


@contextmanager
def replicated_postgres(*, is_durable: bool = False) -> Iterator[Replicated]:
    """Run a primary and a synchronous standby until the block ends."""
    with (
        running_postgres(is_durable=is_durable) as primary,
        _stopped_postgres(is_durable=is_durable) as standby,
    ):
        standby.follow(primary)
        yield Replicated(primary, standby)
