"""PostgreSQL is an extra: it costs nothing where it isn't used, and where it is missing a line says so."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from kk_server.storage.sqlite import DATABASE, open_database
from tests.waiting import patience

STORE = "postgresql://kk@127.0.0.1:1/kk"

WITHOUT = "import sys; sys.modules['asyncpg'] = None; from kk_server.cli.main import main; main()"

SERVED = """
import asyncio, sys
import kk_server.cli.main, kk_server.cli.play, kk_server.cli.store
from kk_server.serve.server import start
from kk_server.serve.settings import Settings
async def main():
    server = await start(Settings(port=0, data=sys.argv[1]))
    await server.close()
asyncio.run(main())
print(*(each for each in sys.modules for part in ("asyncpg", "postgres", "server.cluster") if part in each))
"""


def run(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=patience())


@pytest.mark.parametrize(
    "arguments",
    [
        ("serve", "--port", "0", "--data", "{folder}", "--store", STORE),
        ("serve", "--port", "0", "--data", "{folder}", "--store", STORE, "--set", "node=127.0.0.1:1"),
        ("store", "check", "--store", STORE),
        ("store", "copy", "{folder}", STORE),
        ("store", "copy", STORE, "{folder}/copy.sqlite"),
    ],
)
async def test_without_the_extra_a_line_says_what_to_install(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    await (await open_database(tmp_path / DATABASE)).close()
    done = run(WITHOUT, *(each.format(folder=tmp_path) for each in arguments))
    assert done.returncode != 0
    assert done.stdout == ""
    assert done.stderr == "kk: PostgreSQL needs asyncpg: install it with `pip install 'kk[cluster]'`.\n"


def test_nothing_of_the_extra_is_loaded_where_tables_are_in_a_file(tmp_path: Path) -> None:
    done = run(SERVED, str(tmp_path))
    assert done.stdout == "\n", done.stderr
