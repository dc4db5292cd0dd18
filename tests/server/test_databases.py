"""One contract over every store: in memory, in an SQLite file, and in PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from hashlib import sha256
from pathlib import Path
from time import time

import pytest

from kk_core.text import Text, text
from kk_server.accounts.accounts import MOST_KEYS, AccountStore
from kk_server.accounts.daily import DailyDeal, DailyResult, DailyStore
from kk_server.accounts.lessons import AccountLessons
from kk_server.accounts.ratings import Rating, RatingStore
from kk_server.storage.archive import Archive
from kk_server.storage.entries import Closed, Created, Ended, Entry, Moved, SeatHolder, Started, Undone
from kk_server.storage.memory_log import MemoryLog
from kk_server.storage.sql import Database
from kk_server.storage.sql_log import SqlLog
from kk_server.storage.summaries import outlined
from kk_server.storage.table_log import Conflict, ListedTable, StorageFailed, StoredTable, TableLog
from tests.server.conftest import DATABASES, Opening

OPENED = Created(title="t", host="anna", game="land_cards", options={}, seats=3)
ANNA, BEATE = SeatHolder("Anna", "anna"), SeatHolder('B"e', 'be"ate')


@pytest.fixture(params=["memory", *DATABASES])
async def any_log(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[TableLog]:
    """A new log of each kind."""
    if request.param == "memory":
        yield MemoryLog()
        return
    opening: Opening = request.getfixturevalue(f"{request.param}_opening")
    log = SqlLog(await opening())
    yield log
    await log.close()


# -- the log -------------------------------------------------------------------------------------------------


async def test_an_entry_is_stored_only_on_top_of_exactly_what_its_writer_has_seen(any_log: TableLog) -> None:
    await any_log.append("a", 0, OPENED)
    for wrong in (0, 2, 7):
        with pytest.raises(Conflict):
            await any_log.append("a", wrong, Moved("0 end"))
    await any_log.append("a", 1, Moved("0 end"))
    assert await any_log.read("a") == StoredTable("a", (OPENED, Moved("0 end")))


async def test_all_tables_are_listed_oldest_first_without_the_closed_ones(any_log: TableLog) -> None:
    for table in "zyx":
        await any_log.append(table, 0, OPENED)
    await any_log.append("y", 1, Closed())
    assert [table.id for table in await any_log.listed()] == ["z", "x"]
    assert (await any_log.read("nowhere")).entries == ()


async def test_what_is_not_in_the_log_is_stored_in_the_order_of_terms_until_the_table_is_closed(
    any_log: TableLog,
) -> None:
    await any_log.append("a", 0, OPENED)
    for term, state, stored in ((1, "1", "1"), (2, "2", "2"), (2, "3", "3"), (1, "4", "3"), (3, "5", "5")):
        await any_log.keep_transients({"a": (term, state)})
        assert await any_log.transients(["a", "b"]) == {"a": stored}
    await any_log.append("a", 1, Closed())
    await any_log.keep_transients({"a": None})
    await any_log.keep_transients({"a": (3, "6")})
    assert await any_log.transients(["a"]) == {}


async def test_rules_data_are_kept_once_and_found_by_their_digest(any_log: TableLog) -> None:
    data = {"deck": ["KK", "Dänemark"], "count": {"b": 2, "a": 1}}
    key = await any_log.keep_data(data)
    assert key == await any_log.keep_data({"count": {"a": 1, "b": 2}, "deck": ["KK", "Dänemark"]})
    assert key == sha256(b'{"count":{"a":1,"b":2},"deck":["KK","D\xc3\xa4nemark"]}').hexdigest()
    assert await any_log.read_data(key) == data
    with pytest.raises(StorageFailed, match="missing"):
        await any_log.read_data("0" * 64)


async def test_no_sentence_left_for_somebody_is_lost_however_many_there_are(any_log: TableLog) -> None:
    left = [text("The table {n} is gone.", n=n) for n in range(250)]
    for sentence in left:
        await any_log.leave_word("anna", sentence)
    await any_log.leave_word("beate", left[0])
    taken: list[Text] = []
    while found := await any_log.take_words("anna"):
        taken += found
    assert taken == left
    assert await any_log.take_words("beate") == left[:1]


async def test_every_log_knows_when_a_table_last_changed(any_log: TableLog) -> None:
    before = int(time())
    await any_log.append("t", 0, OPENED)
    outlines = await any_log.outlines(["t"])
    assert before <= outlines["t"].at <= time()
    assert (await any_log.read("t")).at == outlines["t"].at


async def test_results_are_kept_once_and_found_by_their_people(any_log: TableLog) -> None:
    anna, beate = SeatHolder("Anna", "anna"), SeatHolder('B"e', 'be"ate')
    older = Ended("t", 1, 10, "ku_ka_king", (anna, beate), (3, 4), (1,), 12, 0)
    newer = Ended("t", 2, 20, "ku_ka_king", (anna,), (3,), (0,), 12, 5)
    for ended in (older, newer, older, Ended("t", 1, 99, "other", (), (), (), 0, 0)):
        await any_log.keep_result(ended)
    assert await any_log.results_of("anna") == [newer, older]
    assert await any_log.results_of('be"ate') == [older]
    assert await any_log.results_of("Anna") == []


async def test_of_many_writers_at_once_one_alone_stores_the_next_entry(any_log: TableLog) -> None:
    await any_log.append("a", 0, OPENED)
    for revision in range(1, 20):
        told = await asyncio.gather(
            *(any_log.append("a", revision, Moved(f"0 {n}")) for n in range(8)), return_exceptions=True
        )
        refused = [error for error in told if error is not None]
        assert len(refused) == 7
        assert all(isinstance(error, Conflict) for error in refused)
    assert len((await any_log.read("a")).entries) == 20


async def test_outlines_are_tables_without_their_moves_however_many(any_log: TableLog) -> None:
    names = [f"t{n}" for n in range(1100)]
    for name in names:
        await any_log.append(name, 0, OPENED, at=7)
    entries: tuple[Entry, ...] = (Moved("0 end"), Undone(0), Closed())
    for revision, entry in enumerate(entries, 1):
        await any_log.append("t3", revision, entry, at=9)
    outlines = await any_log.outlines(names)
    assert outlines.keys() == set(names)
    assert outlines["t3"] == StoredTable("t3", (OPENED, Closed()))
    assert (outlines["t3"].at, outlines["t4"].at) == (9, 7)
    assert await any_log.outlines([]) == {}


async def test_a_summary_counts_only_while_it_covers_all_entries(any_log: TableLog) -> None:
    await any_log.append("a", 0, OPENED)
    summary = outlined([OPENED], at=5)
    await any_log.keep_summaries({"a": (1, summary), "b": (3, summary)})
    assert await any_log.listed() == [ListedTable("a", 1, summary)]
    await any_log.keep_summaries({"a": (1, outlined([OPENED], at=6))})
    assert await any_log.listed() == [ListedTable("a", 1, outlined([OPENED], at=6))]
    await any_log.append("a", 1, Moved("0 end"))
    assert await any_log.listed() == [ListedTable("a", 2, None)]


async def test_clocks_and_uptime_are_replaced_by_newer_ones(any_log: TableLog) -> None:
    assert (await any_log.clock_of("a"), await any_log.uptime()) == (None, 0)
    for clock, seconds in (("one", 0.5), ("two", 7)):
        await any_log.keep_clock("a", clock)
        await any_log.keep_uptime(seconds)
    assert await any_log.clocks() == {"a": await any_log.clock_of("a")} == {"a": "two"}
    assert await any_log.uptime() == 7


async def test_a_hidden_result_stays_hidden_from_one_and_known_to_others(any_log: TableLog) -> None:
    ended = [Ended("t", n, n, game, (ANNA, BEATE), (3, 4), (1,), 12, 0) for n, game in enumerate("aab")]
    for each in ended:
        await any_log.keep_result(each)
    assert await any_log.games_of("anna", 2) == {"a"}
    await any_log.forget_result("anna", "t", 1)
    await any_log.keep_result(ended[1])
    assert await any_log.results_of("anna") == [ended[2], ended[0]]
    assert await any_log.results_of('be"ate', skip=1, most=1) == [ended[1]]
    assert (await any_log.games_of("anna", 2), await any_log.games_of("anna")) == (set(), {"a", "b"})
    assert await any_log.result_of("anna", "t", 1) is None
    assert await any_log.result_of('be"ate', "t", 1) == ended[1]


# -- what only a database has --------------------------------------------------------------------------------


async def test_several_statements_are_done_together_or_not_at_all(database: Database) -> None:
    add = 'INSERT INTO words ("user", words) VALUES (:user, :words)'
    with pytest.raises(StorageFailed):
        await database.write_all([(add, {"user": "anna", "words": "w"}), ("UPDATE nothing SET a = 1", {})])
    assert await database.rows("SELECT * FROM words") == []
    row = {"user": "anna", "words": "w"}
    delete = 'DELETE FROM words WHERE "user" = :user'
    assert await database.write_all([(add, row), (add, row), (delete, row)]) == [1, 1, 2]


async def test_a_purged_table_leaves_its_matches_and_its_name_is_not_used_again(database: Database) -> None:
    log, archive = SqlLog(database), Archive(database)
    begun = Started("00", "1", (ANNA, BEATE), "rules", drawing="drawing")
    entries: tuple[Entry, ...] = (OPENED, begun, Moved("0 end"), Closed())
    for revision, entry in enumerate(entries):
        await log.append("a", revision, entry, at=1000)
    await log.keep_clock("a", "clock")
    assert await archive.closed_before(1000) == []
    assert await archive.closed_before(1001) == ["a"]
    await archive.purge("a", {1: (OPENED, begun, Moved("0 end"))})
    assert (await log.read("a")).entries == ()
    assert await log.clocks() == {}
    assert await archive.matches() == [("a", 1)]
    assert (await archive.last("a"), await archive.last("b")) == (1, None)
    assert await archive.entries("a", 1) == (OPENED, begun, Moved("0 end"))
    assert await archive.entries("a", 2) == ()
    with pytest.raises(Conflict):
        await log.append("a", 0, OPENED)


async def test_data_that_a_match_refers_to_are_not_forgotten(database: Database) -> None:
    log, archive = SqlLog(database), Archive(database)
    told, kept, unused = [await log.keep_data({"n": n}) for n in range(3)]
    begun = Started("00", "1", (ANNA,), told, drawing=kept)
    await log.append("a", 0, OPENED)
    await log.append("a", 1, begun)
    await archive.forget_data(time() + 10)
    assert [await log.read_data(key) for key in (told, kept)] == [{"n": 0}, {"n": 1}]
    with pytest.raises(StorageFailed, match="missing"):
        await log.read_data(unused)
    await archive.purge("a", {1: (OPENED, begun)})
    await archive.forget_data(time() + 10)
    assert await log.read_data(told) == {"n": 0}


async def test_an_account_has_its_keys_and_always_one_that_claims_its_name(database: Database) -> None:
    accounts = AccountStore(database)
    assert await accounts.claim("Anna", "anna", "key0", "laptop")
    assert not await accounts.claim("ANNA", "anna", "key1", "")
    assert not await accounts.claim("Beate", "beate", "key0", "")
    added = [await accounts.add_key("Anna", f"key{n}", "") for n in range(1, MOST_KEYS + 3)]
    assert added == [True] * (MOST_KEYS - 1) + [False] * 3
    assert not await accounts.add_key("Nobody", "other", "")
    assert [key.fingerprint for key in await accounts.keys_of("Anna")][:2] == ["key0", "key1"]
    assert await accounts.name_key("Anna", "key1", "tablet")
    await accounts.note_use("key1")
    assert len(await accounts.untold("Anna", "key1")) == MOST_KEYS - 2
    await accounts.note_told("key2")
    assert len(await accounts.untold("Anna", "key1")) == MOST_KEYS - 3
    for n in range(MOST_KEYS - 1):
        assert await accounts.remove_key("Anna", "anna", f"key{n}")
        assert await accounts.holder_of("anna") == "Anna"
    assert not await accounts.remove_key("Anna", "anna", f"key{MOST_KEYS - 1}")
    for settings in ("{}", '{"bell":true}'):
        await accounts.keep_settings("Anna", settings)
        await accounts.keep_welcomed("Anna", settings)
    last = f"key{MOST_KEYS - 1}"
    assert await accounts.settings_by(last) == await accounts.settings_of("Anna") == '{"bell":true}'
    assert await accounts.welcomed_by("Anna") == '{"bell":true}'


async def test_the_first_try_at_a_deal_counts_and_no_other(database: Database) -> None:
    daily, deal = DailyStore(database), DailyDeal("2026-11-24", "ku_ka_king", b"\x01", 3, "medium")
    for seed in (b"\x01", b"\x02"):
        await daily.keep_deal(deal._replace(seed=seed))
    assert await daily.deal(deal.day, deal.game) == deal
    await daily.keep_deal(earlier := deal._replace(day="2026-11-26", version=0))
    assert await daily.deal(earlier.day, earlier.game) == earlier
    assert await daily.beside("2026-11-25", deal.game) == ("2026-11-24", "2026-11-26")
    await daily.begin(deal, "anna", "t1")
    await daily.begin(deal, "anna", "t2")
    assert await daily.has_tried(deal.day, deal.game, "anna")
    for table, points in (("t2", 90), ("t1", 60), ("t1", 95)):
        ended = Ended(table, 1, 10, deal.game, (ANNA,), (points,), (0,), 12, 0)
        await daily.finish(deal.day, ended, DailyResult("anna", points, 0.5, "+-"))
    assert await daily.results(deal.day, deal.game) == [DailyResult("anna", 60, 0.5, "+-")]


async def test_a_lesson_is_learnt_or_left_at_a_step(database: Database) -> None:
    lessons = AccountLessons(database)
    await lessons.leave("anna", "a", 3)
    await lessons.finish("anna", "b")
    assert await lessons.step("anna", "a") == 3
    assert await lessons.learnt("anna") == {"b"}
    await lessons.finish("anna", "a")
    assert await lessons.step("anna", "a") == 0
    assert await lessons.learnt("anna") == {"a", "b"}


async def test_ratings_are_kept_once_for_each_match_and_the_newest_counts(database: Database) -> None:
    ratings = RatingStore(database)
    first, second = (Ended("t", n, n, "g", (ANNA, BEATE), (3, 4), (1,), 12, 0) for n in (1, 2))
    before = {"anna": Rating(1400.5, 400, 1, 0), 'be"ate': Rating(1600, 400.25, 1, 1)}
    after = {"anna": Rating(1450, 350, 2, 0.5)}
    await ratings.keep(first, before)
    await ratings.keep(second, after)
    await ratings.keep(first, after)
    assert await ratings.newest() == {("g", "anna"): after["anna"], ("g", 'be"ate'): before['be"ate']}
    assert await ratings.after("t", 1) == before
    assert await ratings.before(second, "anna") == before["anna"]
    assert await ratings.before(first, "anna") == Rating()
