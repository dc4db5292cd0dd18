"""The start of a server with many tables: `python -m tools.load.stored --tables 10000`.

Writes the tables into a fresh data folder, with entries as a hub writes them: of each game in turn one that
is open, one in mid-match after 60 plies, one that is finished. A hub imports them, as after an upgrade, when
every table is replayed once while it serves; then `kk serve` starts on the folder. Prints the seconds until
it lists all tables, and until it has replayed all, then until it listens, and MiB. With `--keep FOLDER` the
folder is kept, and an existing one is used. With `--matches 50000` the history has that many more matches,
whose tables have been purged since.
"""

from __future__ import annotations

import argparse
import asyncio
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from itertools import cycle, islice
from pathlib import Path
from random import Random
from time import perf_counter, time
from typing import Final

import msgspec

from kk_core.checks import complete_options
from kk_core.match import Match
from kk_core.registry import game, game_ids
from kk_server.hub.hub import Hub
from kk_server.storage.entries import Created, Ended, Entry, Moved, Seated, SeatHolder, Started, encode_entry
from kk_server.storage.sql_log import SqlLog, open_log
from kk_server.storage.sqlite import DATABASE
from kk_server.storage.table_log import keep_data_of
from kk_server.storage.tallies import watch
from tools.load.hosted import WIDE_OPEN, hosted

_PLIES: Final = 60
_SAMPLES: Final = 5
"""Different matches of each kind, which all others repeat."""

_PEOPLE: Final = 997


async def _entries(log: SqlLog, game_id: str, phase: str, seed: int) -> list[Entry]:
    """Return the log entries of a table of three people."""
    rules, people = game(game_id), ("anna", "beate", "carla")
    options = complete_options(rules.meta, 3, {})
    seats = tuple(SeatHolder(name, owner=name) for name in people)
    entries: list[Entry] = [Created("Evening", "anna", game_id, options, 3), Seated(seats)]
    if phase == "open":
        return entries
    chosen, drawn = Random(seed), Random(seed).randbytes(32)
    match = Match(rules, options, people, drawn)
    kept, drawing = await keep_data_of(log, rules, rules.drawing)
    entries.append(Started(drawn.hex(), rules.rules_version, seats, kept, drawing=drawing))
    while not match.is_over and (phase == "finished" or len(match.plies) < _PLIES):
        seat = rules.active_seats(match.state)[0]
        move = chosen.choice(rules.legal_moves(match.state, seat))
        entries.append(Moved(f"{seat} {rules.format_move(move)}"))
        match.play(seat, move)
    return entries


async def write(folder: Path, tables: int) -> int:
    """Fill a data folder, and return the number of entries."""
    log = await open_log(folder / DATABASE)
    kinds = [(game_id, phase) for game_id in game_ids() for phase in ("open", "playing", "finished")]
    samples = [await _entries(log, *kind, seed) for seed in range(_SAMPLES) for kind in kinds]
    await log.close()
    now = datetime.now(UTC).isoformat(timespec="seconds")
    rows = (
        (f"{number:08x}", revision, now, entry.__struct_config__.tag, encode_entry(entry).decode())
        for number, entries in enumerate(islice(cycle(samples), tables))
        for revision, entry in enumerate(_of_others(each, number) for each in entries)
    )
    with closing(sqlite3.connect(folder / DATABASE)) as connection, connection:
        watch(connection)
        columns = "table_id, revision, at, kind, entry"
        return connection.executemany(
            f"INSERT INTO entries ({columns}) VALUES (?, ?, ?, ?, ?)", rows
        ).rowcount


def write_matches(folder: Path, matches: int) -> None:
    """Fill the history of a data folder with results."""
    now, seats = int(time()), tuple(SeatHolder(name, owner=name) for name in ("anna", "beate", "carla"))
    with closing(sqlite3.connect(folder / DATABASE)) as connection, connection:
        watch(connection)
        connection.executemany(
            "INSERT INTO results (owner, table_id, match, at, result) VALUES (?, ?, 1, ?, ?)",
            _results(matches, seats, now),
        )


def _results(matches: int, seats: tuple[SeatHolder, ...], now: int) -> Iterator[tuple[str, str, int, str]]:
    for number, game_id in enumerate(islice(cycle(game_ids()), matches)):
        names = {holder.name: f"{holder.name}{number % _PEOPLE}" for holder in seats}
        table, at = f"m{number:07x}", now - number
        people = tuple(_renamed(holder, names) for holder in seats)
        ended = Ended(table, 1, at, game_id, people, (30, 20, 10), (0,), _PLIES, 0)
        for name in names.values():
            yield name, table, at, msgspec.json.encode(ended).decode()


def _of_others(entry: Entry, number: int) -> Entry:
    """Return the same entry for another table, with people of its own."""
    names = {name: f"{name}{number % _PEOPLE}" for name in ("anna", "beate", "carla")}
    if isinstance(entry, Created):
        return Created(entry.title, names[entry.host], entry.game, entry.options, entry.seats)
    if isinstance(entry, Seated):
        return Seated(tuple(_renamed(holder, names) for holder in entry.seats))
    if isinstance(entry, Started):
        seats = tuple(_renamed(holder, names) for holder in entry.seats)
        return Started(entry.seed, entry.rules_version, seats, entry.rules, drawing=entry.drawing)
    return entry


def _renamed(holder: SeatHolder, names: dict[str, str]) -> SeatHolder:
    return SeatHolder(names[holder.name], owner=names[holder.owner or ""])


async def take_in(folder: Path) -> float:
    """Replay all tables, as the first start after an upgrade does; return the seconds."""
    log = await open_log(folder / DATABASE)
    await log._database.rows("PRAGMA synchronous = OFF")  # a real server has stored the results already
    begun = perf_counter()
    hub = Hub(log)
    await hub.load()
    _tell(f"lists all after {perf_counter() - begun:.1f} s")
    await hub.table_cache.backfilled()
    seconds = perf_counter() - begun
    await hub.close()
    return seconds


def measure(folder: Path) -> tuple[float, float, float]:
    """Start a server; return the seconds until it listens, its processor seconds, and its MiB then."""
    begun = perf_counter()
    with hosted(folder, *WIDE_OPEN) as server:
        return perf_counter() - begun, server.spent, server.resident


def main() -> None:
    """Write, take in, start, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tables", type=int, default=10_000)
    parser.add_argument("--matches", type=int, default=0)
    parser.add_argument("--keep", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = arguments.keep or Path(made)
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / DATABASE).exists():
            written = asyncio.run(write(folder, arguments.tables))
            _tell(f"{arguments.tables} tables, {written} entries")
            write_matches(folder, arguments.matches)
        _tell(f"taken in after {asyncio.run(take_in(folder)):.1f} s")
        measure(folder)  # the first start compiles
        _tell("listens after {:.1f} s, {:.1f} s of the processor, {:.0f} MiB".format(*measure(folder)))


def _tell(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
