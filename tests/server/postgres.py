"""A PostgreSQL of the tests' own: a real server in a folder, on a free port of this machine."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Final

import pytest

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


class Postgres:
    """A running server; `address` is that of a new, empty database."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self.port = port

    def run(self, program: str, *given: str) -> str:
        """Run one of PostgreSQL's programs; returns what it prints."""
        who = _USER if os.geteuid() == 0 else None
        done = subprocess.run(
            [require_postgres() / program, *given],
            cwd=self.folder, capture_output=True, text=True, check=False, user=who, group=who,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    def control(self, *given: str) -> None:
        """Start, stop or restart it, with what `pg_ctl` is told."""
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off"
        log, data = self.folder / "log", self.folder / "data"
        self.run("pg_ctl", "-D", str(data), "-w", "-s", "-l", str(log), "-o", options, *given)

    def new_database(self) -> str:
        """Return the address of a new database."""
        name = f"kk{next(_numbers)}"
        self.run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "kk", name)
        return f"postgresql://kk@127.0.0.1:{self.port}/{name}"


@contextmanager
def running_postgres() -> Iterator[Postgres]:
    """Run a server until the block ends."""
    require_postgres()
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    folder = Path(tempfile.mkdtemp(prefix="kk-postgres-"))
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, _USER, _USER)
        server = Postgres(folder, port)
        server.run("initdb", "-D", str(folder / "data"), "-A", "trust", "-U", "kk", "-E", "UTF8", "--no-sync")
        server.control("start")
        try:
            yield server
        finally:
            if (folder / "data" / "postmaster.pid").exists():
                server.control("stop", "-m", "immediate")
    finally:
        shutil.rmtree(folder)
