"""Random damage to a server's file: does `kk store check --repair` report the losses correctly?

`python -m tools.trials.damages [COUNT [SEED]]` plays some evenings on one file, with accounts, ratings,
clocks, deals of the day, chat for people who are away, purged tables and records, and damages COUNT copies of
it: bytes flipped, pages or runs of sectors zeroed, the end cut off, on pages of every kind. The repair's
report is compared with the difference between the good file and the repaired one, which has to have all rows
of every page that was not touched. Prints a line for each; exits with 1 if they differ.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import sqlite3
import sys
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeAlias
from unittest.mock import patch

import msgspec

from kk_core.protocol.messages import OpenTable, Propose
from kk_core.registry import game_ids
from kk_core.text import text
from kk_core.views import ClockRule
from kk_server.accounts.accounts import AccountStore
from kk_server.accounts.bans import BANS, BanTable, parse_ban
from kk_server.accounts.daily import DailyDeal, DailyResult, DailyStore
from kk_server.accounts.lessons import AccountLessons
from kk_server.accounts.link_codes import LinkCodes
from kk_server.accounts.ratings import Ratings, RatingStore
from kk_server.calls.store import CalledTurn, CallStore
from kk_server.hub.hub import Hub
from kk_server.maintenance.backup import copy_database
from kk_server.maintenance.repair import save_readable
from kk_server.storage.archive import Archive
from kk_server.storage.entries import Ended
from kk_server.storage.files import RECORDS, RecordFolder
from kk_server.storage.sql_log import SqlLog
from kk_server.storage.sqlite import DATABASE, SqliteDatabase, open_database
from kk_server.storage.tallies import COLUMNS
from kk_server.tables.expiry import Purger
from tests.commands.calling import kk
from tests.server.client import Client
from tests.server.hosting import PLENTY
from tests.server.playing import begin_match, finish

PAGE: Final = 4096
SECTOR: Final = 512
HEADER: Final = 100

PEOPLE: Final = ("anna", "beate", "carla", "dora", "emil", "franz")
LONG_AGO: Final = "2001-02-03T04:05:06+00:00"


# -- evenings ------------------------------------------------------------------------------------------------


async def evenings(folder: Path, matches: int) -> None:
    """Play some matches to their end in a data folder, and others not; purge half of them."""
    (folder / RECORDS).mkdir(parents=True)
    database = await open_database(folder / DATABASE)
    await _settle_in(database)
    hub = Hub(
        SqlLog(database), bot_pause=0, limits=PLENTY, keep_record=RecordFolder(folder / RECORDS).keep,
        ratings=Ratings(RatingStore(database)), archive=Archive(database),
    )  # fmt: skip
    await hub.load()
    for number, game_id in enumerate(islice(cycle(game_ids()), matches)):
        people = [PEOPLE[(number + seat) % len(PEOPLE)] for seat in range(3)]
        await (_rated(hub, game_id, people) if number % 2 else _with_bots(hub, game_id, people[0]))
        if number == matches // 2:
            await database.write("UPDATE entries SET at = :at", {"at": LONG_AGO})
            await Purger(SqlLog(database), Archive(database), 1).purge()
    await _unfinished(hub)
    for person in PEOPLE[:2]:
        await SqlLog(database).take_words(person)  # collected lines leave free pages
    await hub.close()


async def _settle_in(database: SqliteDatabase) -> None:
    """Add accounts with keys, codes and settings, bans, and what is kept for people who are away."""
    accounts, log, lessons = AccountStore(database), SqlLog(database), AccountLessons(database)
    calls, codes = CallStore(database), LinkCodes(database)
    await BanTable(database, BANS).keep(tuple(parse_ban(f"eve{n}", "root") for n in range(20)))
    for number, name in enumerate((*PEOPLE, *(f"guest{n}" for n in range(40)))):
        key = f"SHA256:{number:042d}"
        assert await accounts.claim(name, name, f"{key}A", "laptop")
        assert await accounts.add_key(name, f"{key}B", "phone")
        await accounts.keep_welcomed(name, f"{number:064x}")
        await accounts.keep_settings(name, f'{{"palette":"{name}","bell":{number}}}')
        for step, game_id in enumerate(game_ids()):
            await lessons.leave(name, game_id, step)
        await lessons.finish(name, game_ids()[0])
        await codes.new(name)
        await calls.keep_address(name, f"{name}@example.org")
        await calls.keep_turns(name, [CalledTurn(f"{number}-{turn}", 1, turn) for turn in range(4)])
        for sentence in range(4):
            await log.leave_word(name, text("Table {table} was closed.", table=f"{number}-{sentence}"))
    await _settle_deals(DailyStore(database))


async def _settle_deals(store: DailyStore) -> None:
    """Add deals of some days, with first tries of which some were finished."""
    for day in range(1, 29):
        for number, game_id in enumerate(game_ids()):
            deal = DailyDeal(f"2026-11-{day:02d}", game_id, bytes([day, number]) * 16, 3, "medium")
            await store.keep_deal(deal)
            for person in PEOPLE[number:]:
                table = f"{day:06x}{number:02x}"
                await store.begin(deal, person, table)
                if day % 3:
                    result = DailyResult(person, 40 + day, 0.0, "▁▄█▄▁▁▄█")
                    ended = Ended(table, 1, 1_793_500_000, game_id, (), (), (), 0, 0)
                    await store.finish(deal.day, ended, result)


async def _with_bots(hub: Hub, game_id: str, person: str) -> None:
    client = Client(hub.connect(person))
    await client.open(game_id, 3)
    await client.sit(0)
    await client.seat_bots(1, 2)
    await client.start()
    await client.play_to_the_end()
    await client.do(Propose, "close")
    await client.close()


async def _rated(hub: Hub, game_id: str, people: list[str]) -> None:
    clients = await _begun(hub, game_id, people, ClockRule(3600, 3600), is_rated=True)
    await finish(*clients)
    for client in clients:
        await client.go_to(None)
        await client.close()


async def _unfinished(hub: Hub) -> None:
    """Leave a match unfinished, with a clock."""
    clients = await _begun(hub, "web_of_power", list(PEOPLE[:3]), ClockRule(3600), is_rated=False)
    for _ in range(10):
        (seat,) = clients[0].observation.active
        ply = clients[0].match.ply
        await clients[seat].play(seat, clients[seat].observation.legal_moves[0])
        for client in clients:
            await client.until(lambda c, ply=ply: c.match.ply > ply)
    for client in clients:
        await client.close()


async def _begun(
    hub: Hub, game_id: str, people: list[str], clock: ClockRule, *, is_rated: bool
) -> list[Client]:
    """Begin a match of these people."""
    clients = [Client(hub.connect(person)) for person in people]
    await clients[0].do(OpenTable, game_id, {}, len(people), "", False, False, True, clock, is_rated)
    for seat, client in enumerate(clients):
        await client.go_to(clients[0].table.id)
        await client.sit(seat)
    return await begin_match(clients)


# -- damages -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Damage:
    """The damage done to a file, the kinds of pages that it hit, and their numbers."""

    what: str
    kinds: frozenset[str]
    pages: frozenset[int]


def pages_of(path: Path) -> dict[str, list[int]]:
    """Return the pages of a file, counted from 1, by the table or index that they belong to."""
    with closing(sqlite3.connect(path)) as connection:
        ((count,),) = connection.execute("PRAGMA page_count")
        found: dict[str, list[int]] = {}
        for name, page in connection.execute("SELECT name, pageno FROM dbstat"):
            found.setdefault(name, []).append(page)
    used = {page for pages in found.values() for page in pages}
    return found | {"free or a map": [page for page in range(1, count + 1) if page not in used]}


def damage(path: Path, pages: dict[str, list[int]], random: Random) -> Damage:
    """Damage a file in one of several ways."""
    content = bytearray(path.read_bytes())
    way = random.choice(("flip one", "flip", "flip", "header", "zero", "sectors", "sectors", "cut"))
    count, touched = len(content) // PAGE, set[int]()
    if way == "cut":
        length = random.randrange(len(content))
        del content[length:]
        touched.update(range(length // PAGE + 1, count + 1))
    elif way == "header":
        for _ in range(random.randint(1, 3)):
            content[random.randrange(HEADER)] ^= 1 << random.randrange(8)
        touched.add(1)
    elif way == "sectors":  # a run of sectors, as a disk loses them: across page boundaries
        start = (_some_page(pages, random) - 1) * PAGE + SECTOR * random.randrange(-8, 8)
        start, length = max(0, start), SECTOR * random.choice((1, 4, 10, 10, 10, 30, 100))
        end = min(start + length, len(content))
        content[start:end] = bytes(end - start)
        touched.update(range(start // PAGE + 1, (end - 1) // PAGE + 2))
    else:
        for _ in range(1 if way == "flip one" else random.randint(1, 6)):
            page = _some_page(pages, random)
            touched.add(page)
            start = (page - 1) * PAGE
            if way == "zero":
                content[start : start + PAGE] = bytes(PAGE)
                continue
            for _ in range(1 if way == "flip one" else random.randint(1, 350)):
                content[start + random.randrange(PAGE)] ^= random.randint(1, 255)
    path.write_bytes(content)
    kinds = frozenset(kind for kind, own in pages.items() if touched.intersection(own))
    return Damage(way, kinds, frozenset(touched))


def _some_page(pages: dict[str, list[int]], random: Random) -> int:
    """Choose a page: of any kind, or of one that has many."""
    kinds = sorted(kind for kind, own in pages.items() if own)
    weights = [len(pages[kind]) for kind in kinds] if random.random() < 0.5 else None
    (kind,) = random.choices(kinds, weights)
    return random.choice(pages[kind])


def untouched(good: Path, done: Damage) -> dict[str, int]:
    """Return how many rows of each table are on pages that a damage has not touched."""
    query = "SELECT name, path, pageno, pagetype, ncell FROM dbstat"
    with closing(sqlite3.connect(good)) as connection:
        pages = [page for page in connection.execute(query) if page[0] in COLUMNS]
    # A long row continues on other pages, whose path begins with that of its leaf.
    broken = {(name, where.partition("+")[0]) for name, where, page, *_ in pages if page in done.pages}
    left: Counter[str] = Counter()
    for name, where, page, kind, cells in pages:
        if kind == "leaf" and page not in done.pages:
            own = {cell for other, cell in broken if other == name and cell.rpartition("/")[0] + "/" == where}
            left[name] += cells - len(own)
    return left


# -- what is lost --------------------------------------------------------------------------------------------


Rows: TypeAlias = Counter[tuple[Any, ...]]


def rows_in(path: Path) -> dict[str, Rows]:
    """Return all readable rows of a file, by table."""
    with closing(sqlite3.connect(path)) as connection:
        return {
            name: Counter(connection.execute(f"SELECT {', '.join(columns)} FROM {name}").fetchall())
            for name, columns in COLUMNS.items()
        }


@dataclass(frozen=True)
class Verdict:
    """The repair's findings in a damaged file; None for rows whose number is unknown."""

    told: dict[str, int | None]
    is_new: bool
    is_whole: bool
    is_unread: bool
    is_doubtful: bool
    code: int


_LOST: Final = re.compile(r"(\d+) rows? of (\w+) (?:is|are) lost")
_UNKNOWN: Final = re.compile(
    r"An unknown number of rows of (?:\d+ tables is lost: )?([\w, ]+?)(?: is lost|\.)"
)


_STRAY: Final = "is only in records/, and none of its players is known here."


def repaired(folder: Path) -> Verdict:
    """Run `kk store check --repair`, and return its findings."""
    answer = kk("store", "check", "--repair", "--data", str(folder))
    _, is_new, said = answer.out.partition("was rebuilt; the old one")
    said = said.partition("\n")[2]
    told: dict[str, int | None] = {name: int(n) for n, name in _LOST.findall(said)}
    told |= dict.fromkeys(name for names in _UNKNOWN.findall(said) for name in names.split(", "))
    is_unread = (
        "Too little" in answer.err
        or "could not be examined" in answer.out
        or "nothing can be saved" in answer.out
    )
    is_doubtful = "may have been deleted before" in said
    return Verdict(told, bool(is_new), "Nothing is lost." in said, is_unread, is_doubtful, answer.code)


def faults(good: Path, spare: Path, pages: dict[str, list[int]], random: Random) -> tuple[str, list[str]]:
    """Damage a copy of a data folder; return the damage, and everything that the repair got wrong."""
    shutil.copytree(good, spare)
    file, before = spare / DATABASE, rows_in(good / DATABASE)
    done = damage(file, pages, random)
    shutil.copyfile(file, spare / "other")
    checked = kk("store", "check", "--data", str(spare)).code
    saved = kk("backup", str(spare / "saved"), "--data", str(spare)).code
    verdict = repaired(spare)
    what = f"{done.what} in {', '.join(sorted(done.kinds))}"
    if verdict.is_unread:
        is_told = checked and saved and verdict.code and not verdict.told and not verdict.is_whole
        wrong = [] if is_told else ["this was not told"]
        if readable := untouched(good / DATABASE, done):
            wrong.append(f"{readable} could be read")
        if "--repair" in kk("store", "check", "--data", str(spare)).out:
            wrong.append("the advice leads in a circle")
        return f"{what}: nothing could be read", wrong
    if verdict.is_new:
        save_readable(spare / "other")
    left, after = rows_in(spare / "other"), rows_in(file)
    lost = {name: n for name in COLUMNS if (n := (before[name] - left[name]).total())}
    unknown = {name for name, told in verdict.told.items() if told is None}
    wrong = []
    if {name: n for name, n in verdict.told.items() if n} != {
        name: n for name, n in lost.items() if name not in unknown
    }:
        wrong.append(f"{verdict.told} told, {lost} lost")
    if unknown and not (verdict.is_doubtful or done.kinds & {"tallies", "sqlite_schema"}):
        wrong.append(f"nobody can tell of {unknown}, although the tallies were not damaged")
    if verdict.is_whole and (lost or verdict.told):
        wrong.append("said that nothing is lost")
    if lost and not (checked and saved):
        wrong.append(f"a status is 0: {checked} {saved}")
    if lost and not unknown and bool(verdict.code) is (before == after):
        wrong.append(f"the status is {verdict.code}, all is there: {before == after}")
    if not lost and not unknown and verdict.code:
        wrong.append("nothing is lost, and the status is 1")
    if any(left[name] - after[name] - _aside(after, name, left[name]) for name in COLUMNS):
        wrong.append("what could be read is neither there nor set aside")
    least = untouched(good / DATABASE, done)
    unsaved = {name: least[name] - (before[name] & left[name]).total() for name in COLUMNS}
    if any(n > 0 for n in unsaved.values()):
        wrong.append(f"not saved although their pages are whole: {unsaved}")
    if not verdict.is_doubtful and any(left[name] - before[name] for name in COLUMNS if name != "set_aside"):
        wrong.append("rows are there that were not")
    again = kk("store", "check", "--data", str(spare))
    # where nobody is known any more, the host is told of records until they are somewhere else
    faults_left = [line for line in again.out.splitlines() if line[0] != " " and _STRAY not in line]
    if again.code and (faults_left or "account_keys" not in lost):
        wrong.append("what was repaired is not good")
    gone = matches_of(before["results"]) - matches_of(after["results"])
    if gone and "account_keys" not in lost:  # without accounts, the owners of records are unknown
        wrong.append(f"not in the histories again: {gone}")
    return f"{what}: {lost or 'nothing'} lost, {verdict.told or 'nothing'} told", wrong


def _aside(rows: dict[str, Rows], name: str, wanted: Rows) -> Rows:
    """Return those of the wanted rows of a table that were set aside."""
    aside = rows["set_aside"]
    if name == "archive":  # stored as TABLE, MATCH, ENTRIES
        kept = {(row[1], row[2], row[5]) for row in aside if row[4] == "match"}
        return Counter(row for row in wanted if (row[0], row[1], row[4]) in kept)
    return aside if name == "entries" else Counter()


def matches_of(results: Rows) -> set[tuple[Any, ...]]:
    """Return everybody's matches in the history, with their results."""
    ended = [(row[0], msgspec.json.decode(row[-1], type=Ended)) for row in results if row[-1]]
    return {(owner, each.table, each.match, each.points, each.winners) for owner, each in ended}


def good_folder(folder: Path, matches: int) -> Path:
    """Play some evenings in a data folder, nearly the same each time; its file is from `kk backup`."""
    chance = Random(f"evenings {matches}")
    with (
        patch("secrets.token_bytes", chance.randbytes),
        patch("secrets.token_hex", lambda size: chance.randbytes(size).hex()),
        patch("secrets.choice", chance.choice),
    ):
        asyncio.run(evenings(folder / "played", matches))
    good = folder / "good"
    shutil.copytree(folder / "played" / RECORDS, good / RECORDS)
    copy_database(folder / "played" / DATABASE, good / DATABASE)
    return good


def main() -> None:
    """Print the outcome of all damages; return 1 if the repair got one wrong."""
    count, seed = (*map(int, sys.argv[1:]), *(200, 1)[len(sys.argv) - 1 :])
    with TemporaryDirectory() as base:
        good = good_folder(Path(base), 30)
        pages = pages_of(good / DATABASE)
        sys.stdout.write(f"{ {name: len(own) for name, own in pages.items()} }\n")
        bad = 0
        for number in range(count):
            what, wrong = faults(good, Path(base) / "spare", pages, Random(f"{seed} {number}"))
            sys.stdout.write(f"{number}: {what} {' WRONG: ' + '; '.join(wrong) if wrong else ''}\n")
            bad += bool(wrong)
            sys.stdout.flush()
            shutil.rmtree(Path(base) / "spare")
        sys.stdout.write(f"{bad} of {count} told wrongly\n")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
