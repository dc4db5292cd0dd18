"""Guests with unchanged data at a host with a map, a deck and a scale of its own.

`python -m tools.trials.other_host [GAME ...]` starts `kk serve` with a changed folder in KK_CONFIG and plays
every game to its end by keys: one guest by `kk connect`, one by OpenSSH's `ssh`, and a bot. Then it verifies
the records without the folder and the host's data. Exits with 1 if a match does not end or a record does not
verify.
"""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Final

from kk_core import config
from kk_core.protocol.messages import PROTOCOL_VERSION, Hello
from kk_core.registry import game_ids
from tests.server.client import Client
from tests.server.remote import remote_link
from tests.terminal import KK, Terminal

PATIENCE: Final = 600
"""Seconds for one match."""

CHANGES: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "web_of_power.toml": (  # a seventh space in England, another border road and alliance
        ('"EN4", "EN5", "EN6"]', '"EN4", "EN5", "EN6", "EN7"]'),
        ('"EN5-EN6"]', '"EN5-EN6", "EN6-EN7"]'),
        ("spaces = 54", "spaces = 55"),
        ("roads = 68", "roads = 69"),
        ('"SW4-BU3"', '"SW4-BU6"'),
        ('"England-Frankreich",', '"England-Burgund",'),
    ),
    "web_of_power.drawing.toml": (
        ("EN6 = [2, 5]", "EN6 = [2, 5]\nEN7 = [3, 1]"),
        ("EN6 = [15, 18]", "EN6 = [15, 18]\nEN7 = [25, 5]"),
    ),
    "land_cards.toml": (
        ('England = ["LL", "L+s", "F+s", "F", "-+s"]', 'England = ["TT", "L+k", "F+s", "F", "-+k"]'),
        ("minus_two = 2", "minus_two = 1"),
        ("three_symbols = 2", "three_symbols = 3"),
    ),
    "ku_ka_king.toml": (
        ("kings = [0, 0, 1, 4, 9, 16, 25, 36]", "kings = [0, 1, 3, 6, 10, 15, 21]"),
        ("count = 12 # R", "count = 11 # R"),
        ("count = 10 # R", "count = 11 # R"),
    ),
}


def change_data(folder: Path) -> None:
    """Write the changed files."""
    folder.mkdir()
    for name, changes in CHANGES.items():
        content = config.read(name).text
        for old, new in changes:
            if old not in content:
                sys.exit(f"{name} has no {old!r}")
            content = content.replace(old, new)
        (folder / name).write_text(content)


async def open_table(port: int, game_id: str) -> None:
    """Open a table with two free seats and a bot."""
    client = Client(await remote_link(port, "olga"))
    await client.ask(Hello, PROTOCOL_VERSION)
    await client.open(game_id, 3)
    await client.seat_bots(2)
    await client.close()


class Guest:
    """A player who knows nothing but the footer."""

    def __init__(self, command: list[str], home: Path, size: tuple[int, int], seat: int) -> None:
        environment = {
            "TERM": "xterm-256color",
            "COLORTERM": "",
            "LANG": "C.UTF-8",
            "HOME": str(home),
            "XDG_DATA_HOME": str(home),
            "XDG_CONFIG_HOME": str(home),
        }
        self._terminal = Terminal(command, environment, size)
        self._random = Random(seat)

    @property
    def is_done(self) -> bool:
        """True once the result is shown."""
        return "r rematch" in self._foot

    @property
    def _foot(self) -> str:
        return self._terminal.lines[-1]

    def sit_down(self, seat: int) -> None:
        """Go from the lobby to the table, and to a seat."""
        self._terminal.until("Enter go")
        if "go in" in self._foot:  # on the first visit the server's key has to be confirmed
            self.press("\r")
        self._terminal.until("j join")
        self.press("\r", 1.5)
        for _ in range(seat):
            self.press("\x1b[B", 0.3)
        self.press("\r", 1.0)

    def press(self, keys: str, seconds: float = 0.05) -> None:
        """Press a key, and wait for its effect."""
        self._terminal.type(keys)
        self._terminal.read_for(seconds)

    def play(self) -> None:
        """Press a key or two, if there is something to do."""
        self._terminal.read_for(0.05)
        if self.is_done:
            return
        if "once more" in self._foot:
            self.press("\r")
        elif "Space" in self._foot:
            self.press(" ")
        else:
            offered = re.findall(r"(?:^| )([a-z0-9]) [A-Za-z]", self._foot.split("undo")[0])
            offered = [key for key in offered if key not in "lscqutivoj,"]
            if offered and self._random.random() < 0.45:
                self.press(self._random.choice(offered))
            else:
                self.press("\t" * self._random.choice((0, 1, 1, 2)))
                self.press("\r")

    def show(self) -> None:
        """Print the picture."""
        print(self._terminal.text)  # noqa: T201

    def close(self) -> None:
        """Hang up."""
        os.close(self._terminal.fd)
        with suppress(ChildProcessError):
            os.waitpid(self._terminal.pid, 0)


def play(port: int, game_id: str, home: Path) -> bool:
    """Play one match; return whether it reached its end."""
    asyncio.run(open_table(port, game_id))
    ssh = ["ssh", "-p", str(port), "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null"]
    guests = [
        Guest([*KK, "connect", f"anna@127.0.0.1:{port}"], home, (120, 40), 0),
        Guest([*ssh, "-o", "LogLevel=ERROR", "beate@127.0.0.1"], home, (80, 24), 1),
    ]
    for seat, guest in enumerate(guests):
        guest.sit_down(seat)
    for guest in guests:  # the host opened the table: it begins when all are ready
        guest.press("g", 1)
    begun = time.monotonic()
    while not all(guest.is_done for guest in guests) and time.monotonic() - begun < PATIENCE:
        for guest in guests:
            guest.play()
    is_over = all(guest.is_done for guest in guests)
    if not is_over:
        for guest in guests:
            guest.show()
    for guest in guests:
        guest.close()
    print(f"{game_id}: {'over' if is_over else 'NOT over'} after {time.monotonic() - begun:.0f} s")  # noqa: T201
    return is_over


def verify(record: Path, home: Path) -> bool:
    """Return whether a record verifies without the host's folder and data."""
    environment = {key: value for key, value in os.environ.items() if key != "KK_CONFIG"}
    environment |= {"HOME": str(home), "XDG_DATA_HOME": str(home), "XDG_CONFIG_HOME": str(home)}
    call = subprocess.run([*KK, "record", "verify", str(record)], env=environment, check=False)
    return call.returncode == 0


def main(*chosen: str) -> int:
    """Play and verify; return the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        change_data(base / "config")
        for name in ("guest", "third"):
            (base / name).mkdir()
        serve = [*KK, "serve", "--port", "0", "--data", str(base / "data")]
        environment = {**os.environ, "KK_CONFIG": str(base / "config")}
        with subprocess.Popen(
            serve, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
        ) as server:
            assert server.stdout is not None
            found = re.search(r"port (\d+)", server.stdout.readline())
            assert found is not None
            over = [play(int(found[1]), game_id, base / "guest") for game_id in chosen or game_ids()]
            server.terminate()
        records = sorted((base / "data" / "records").glob("*.json"))
        good = [verify(record, base / "third") for record in records]
    return 0 if all(over) and all(good) and len(good) == len(over) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
