"""The deal of the day: the same for everybody, and a secret until the day is over; the first try counts."""

from __future__ import annotations

import re
import signal
from base64 import b64decode
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from kk_core.bot_names import LEVELS, QUICK, style_of
from kk_core.chance import commitment
from kk_core.daily import BOT, PLAYER, SIGNS
from kk_core.protocol.frames import encode_message
from kk_core.protocol.messages import (
    PROTOCOL_VERSION,
    Analyse,
    CloseTable,
    Contribute,
    Daily,
    Find,
    Found,
    GetCourse,
    GetDaily,
    GetHistory,
    GetRecord,
    GoTo,
    Hello,
    Hint,
    History,
    Invite,
    LookBack,
    MatchCourse,
    OpenDaily,
    OpenReplay,
    PastPosition,
    PlayOn,
    Preview,
    Previewed,
    Propose,
    RecordText,
    Refused,
    Undo,
)
from kk_core.record import parse_record, replay
from kk_core.registry import game_ids
from kk_core.types import CommonObservation, Move
from kk_core.views import DailyTable
from kk_server.accounts.daily import DailyDeal, DailyDeals, DailyStore
from kk_server.hub.hub import Hub
from kk_server.serve.server import Server, start
from kk_server.serve.settings import WelcomeSettings
from kk_server.storage.archive import Archive
from kk_server.storage.memory_log import MemoryLog
from kk_server.storage.sql_log import SqlLog
from kk_server.storage.sqlite import DATABASE, open_database
from kk_server.storage.table_log import StorageFailed
from tests.commands.calling import kk_process
from tests.server.client import Client
from tests.server.conftest import Connect
from tests.server.emulator import emulator
from tests.server.hosting import PLENTY, here, probing
from tests.server.remote import key_of
from tests.server.test_accounts import come
from tests.server.test_console import ask
from tests.server.test_kill import PROGRAM, greeted, running

GAME = "ku_ka_king"
NOON = 1_795_521_600
"""2026-11-24, noon by UTC."""
DAY, NEXT = "2026-11-24", "2026-11-25"
HOUR = 3600

every_game = pytest.mark.parametrize("game_id", game_ids())


class Days:
    """The time of a hub, in the hands of a test."""

    def __init__(self) -> None:
        self.now = float(NOON)

    def __call__(self) -> float:
        return self.now

    def turn(self, days: int = 1) -> None:
        self.now += days * 24 * HOUR


@pytest.fixture
def days() -> Days:
    return Days()


@asynccontextmanager
async def hub_over(folder: Path, days: Days, **more: Any) -> AsyncIterator[Hub]:
    """A hub over the file of a folder, whose days turn when a test says so."""
    database = await open_database(folder / DATABASE)
    daily = DailyDeals(DailyStore(database), days)
    hub = Hub(SqlLog(database), bot_pause=0, limits=PLENTY, archive=Archive(database), daily=daily, **more)
    await hub.load()
    yield hub
    await hub.close()


@pytest.fixture
async def hub(tmp_path: Path, days: Days) -> AsyncIterator[Hub]:
    async with hub_over(tmp_path, days) as hub:
        yield hub


async def deal(client: Client, game_id: str = GAME) -> None:
    await client.do(OpenDaily, game_id)
    await client.until(lambda c: c.tree[0] == "table" and c.table.daily is not None)


async def finish(client: Client, choose: Callable[[CommonObservation], Move] | None = None) -> None:
    """Play to the end, by default the first legal moves."""
    while client.observation.outcome is None:
        if 0 not in client.observation.active:
            await client.until(lambda c: 0 in c.observation.active or c.observation.outcome is not None)
            continue
        moves = client.observation.legal_moves
        await client.play(0, moves[0] if choose is None else choose(client.observation))


async def play_deal(client: Client, game_id: str = GAME) -> tuple[int, ...]:
    """Play the deal of the day, and go back to the lobby; gives everybody's points."""
    await deal(client, game_id)
    await finish(client)
    points = client.observation.points
    await client.go_to(None)
    return points


async def table_of(client: Client, day: str = "", game_id: str = GAME) -> DailyTable:
    reply = await client.ask(GetDaily, game_id, day)
    assert isinstance(reply, Daily), str(reply)
    return reply.table


def last_move(observation: CommonObservation) -> Move:
    return observation.legal_moves[-1]


def middle_move(observation: CommonObservation) -> Move:
    return observation.legal_moves[len(observation.legal_moves) // 2]


# -- the same for everybody ----------------------------------------------------------------------------------


@every_game
async def test_whoever_makes_the_same_moves_plays_the_same_match(game_id: str, connect: Connect) -> None:
    anna, ben = connect("anna"), connect("ben")
    for client in (anna, ben):
        await deal(client, game_id)
        await finish(client)
    assert anna.table.id != ben.table.id
    assert {seat.bot for seat in anna.table.seats[1:]} == {BOT}
    assert anna.table.seats[1:] == ben.table.seats[1:], "the bots have the same names, too"
    assert anna.observation == ben.observation
    assert anna.match.commitment == ben.match.commitment


@every_game
async def test_everybody_finds_their_deal_by_the_names_that_its_bots_have_that_day(
    game_id: str, connect: Connect
) -> None:
    for name in ("anna", "ben", "cleo", "dora"):
        somebody = connect(name)
        await deal(somebody, game_id)
        for seat in somebody.table.seats[1:]:
            found = await somebody.ask(Find, seat.name)
            assert isinstance(found, Found)
            assert found.table == somebody.table.id, seat.name


async def test_bots_of_a_deal_come_to_the_same_moves_in_a_process_of_their_own_after_a_restart(
    tmp_path: Path, days: Days
) -> None:
    seen = []
    for name in ("anna", "ben"):
        async with hub_over(tmp_path, days, bot_processes=1) as hub:
            client = Client(hub.connect(name))
            await deal(client)
            await finish(client, last_move)
            seen.append(client.observation)
            await client.close()
    assert seen[0] == seen[1]


async def test_the_bots_of_a_deal_play_in_the_styles_that_their_names_tell(connect: Connect) -> None:
    anna = connect("anna")
    await deal(anna)
    bots = anna.table.seats[1:]
    assert [seat.style for seat in bots] == [style_of(seat.bot, seat.name) for seat in bots]


async def test_bots_of_a_deal_play_as_they_did_when_it_was_drawn_until_the_day_is_over(
    tmp_path: Path, days: Days
) -> None:
    database = await open_database(tmp_path / DATABASE)
    # as a server does that knows no styles
    await DailyStore(database).keep_deal(DailyDeal(DAY, GAME, bytes(32), 3, BOT, version=0))
    await database.close()
    async with hub_over(tmp_path, days) as hub:
        for day_of_deal in (DAY, NEXT):
            client = Client(hub.connect("anna"))
            await deal(client)
            bots = client.table.seats[1:]
            styled = [style_of(seat.bot, seat.name) for seat in bots]
            assert client.table.daily is not None
            assert client.table.daily.day == day_of_deal
            assert [seat.style for seat in bots] == ([None] * 2 if day_of_deal == DAY else styled)
            await client.close()
            days.turn()


async def test_each_day_has_another_deal(connect: Connect, days: Days) -> None:
    anna = connect("anna")
    first = await table_of(anna)
    days.turn()
    second = await table_of(anna)
    assert (first.day, second.day) == (DAY, NEXT)
    assert first.commitment != second.commitment


async def test_each_game_has_a_deal_of_its_own_against_a_level_that_is_told(connect: Connect) -> None:
    anna = connect("anna")
    tables = [await table_of(anna, game_id=game_id) for game_id in game_ids()]
    assert len({table.commitment for table in tables}) == len(game_ids())
    assert {table.bot for table in tables} <= set(LEVELS)


async def test_a_deal_stays_the_same_after_a_restart(tmp_path: Path, days: Days) -> None:
    seen = []
    for _ in range(2):
        async with hub_over(tmp_path, days) as hub:
            anna = Client(hub.connect("anna"))
            seen.append((await table_of(anna)).commitment)
            await anna.close()
    assert seen[0] == seen[1]


# -- first tries ---------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("quick_bots")
async def test_the_first_try_of_an_account_counts_and_later_ones_are_practice(connect: Connect) -> None:
    anna = connect("anna")
    assert not (await table_of(anna)).tried
    await deal(anna)
    assert anna.table.daily is not None
    assert anna.table.daily.counts
    await finish(anna)
    points = anna.observation.points[0]
    for choose in (last_move, middle_move):
        await anna.go_to(None)
        await deal(anna)
        assert anna.table.daily is not None
        assert not anna.table.daily.counts
        await finish(anna, choose)
        if anna.observation.points[0] != points:
            break
    assert anna.observation.points[0] != points, "otherwise this shows nothing"
    table = await table_of(anna)
    assert table.own is not None
    assert (table.finished, table.own.points) == (1, points)


@pytest.mark.usefixtures("quick_bots")
async def test_a_first_try_that_is_given_up_is_not_another_ones_first(connect: Connect) -> None:
    anna = connect("anna")
    await deal(anna)
    table = anna.table.id
    await anna.go_to(None)
    await anna.do(CloseTable, table)
    await play_deal(anna)
    seen = await table_of(anna)
    assert seen.tried
    assert seen.own is None
    assert seen.finished == 0


@pytest.mark.usefixtures("quick_bots")
async def test_guests_play_and_do_not_count(connect: Connect) -> None:
    guest, anna = connect("~gast"), connect("anna")
    await deal(guest)
    assert guest.table.daily is not None
    assert not guest.table.daily.counts
    await finish(guest)
    assert (await table_of(guest)).own is None
    assert (await table_of(anna)).finished == 0


@pytest.mark.usefixtures("quick_bots")
async def test_a_program_plays_and_does_not_count(hub: Hub) -> None:
    robot = Client(hub.connect("robot"))
    await robot.ask(*hello(program=True))
    await play_deal(robot)
    assert (await table_of(robot)).finished == 0


def hello(*, program: bool) -> tuple[Any, ...]:
    return Hello, PROTOCOL_VERSION, program


@pytest.mark.usefixtures("quick_bots")
async def test_what_is_finished_after_its_day_does_not_count(connect: Connect, days: Days) -> None:
    anna = connect("anna")
    await deal(anna)
    days.turn()
    await finish(anna)
    await anna.go_to(None)
    seen = await table_of(anna, DAY)
    assert (seen.finished, seen.own) == (0, None)
    await deal(anna)
    assert anna.table.daily is not None
    assert (anna.table.daily.day, anna.table.daily.counts) == (NEXT, True)


async def test_two_sessions_of_an_account_come_to_the_same_try(connect: Connect) -> None:
    first, second = connect("anna"), connect("anna")
    await deal(first)
    await deal(second)
    assert first.table.id == second.table.id


@every_game
@pytest.mark.usefixtures("quick_bots")
async def test_a_deal_goes_on_where_it_was_left_after_a_restart(
    game_id: str, tmp_path: Path, days: Days
) -> None:
    async with hub_over(tmp_path, days) as hub:
        anna = Client(hub.connect("anna"))
        await deal(anna, game_id)
        await anna.play(0, anna.observation.legal_moves[0])
        table, ply = anna.table.id, anna.match.ply
        await anna.close()
    async with hub_over(tmp_path, days) as hub:
        anna = Client(hub.connect("anna"))
        assert (await table_of(anna, game_id=game_id)).table == table
        await deal(anna, game_id)
        assert anna.table.id == table
        assert anna.match.ply >= ply
        await finish(anna)
        assert (await table_of(anna, game_id=game_id)).finished == 1
        await anna.close()


@pytest.mark.usefixtures("quick_bots")
async def test_a_result_that_could_not_be_kept_is_kept_at_the_next_start(
    tmp_path: Path, days: Days, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(*_: object) -> None:
        raise StorageFailed(None)  # type: ignore[arg-type]

    async with hub_over(tmp_path, days) as hub:
        anna = Client(hub.connect("anna"))
        with monkeypatch.context() as patched:
            patched.setattr(DailyStore, "finish", fails)
            await deal(anna)
            await finish(anna)
            assert (await table_of(anna)).finished == 0
        await anna.close()
    days.turn()
    async with hub_over(tmp_path, days) as hub:
        await hub.table_cache.backfilled()
        anna = Client(hub.connect("anna"))
        assert (await table_of(anna, DAY)).finished == 1
        await anna.close()


AT_NOON = PROGRAM.replace(
    "asyncio.run",
    f"""
import kk_server.accounts.daily as daily
import kk_server.serve.server as server
daily.BOT, server.time = {QUICK[0]!r}, lambda: {NOON}.0
asyncio.run""",
).replace("Settings(", "Settings(bot_pause=0, ")
"""A server whose day does not turn, and whose bots make the same moves at once."""


@pytest.mark.e2e
async def test_after_kill_9_a_first_try_goes_on_and_comes_to_the_same_end(tmp_path: Path) -> None:
    async with running(tmp_path, program=AT_NOON) as server:
        ben = await greeted(server.port, "ben")
        await play_deal(ben)
        anna = await greeted(server.port, "anna")
        await deal(anna)
        for _ in range(3):
            await anna.until(lambda c: 0 in c.observation.active)
            await anna.play(0, anna.observation.legal_moves[0])
        table = anna.table.id
        await server.end(signal.SIGKILL)
        await anna.until_closed()
    async with running(tmp_path, program=AT_NOON) as server:
        anna = await greeted(server.port, "anna")
        await deal(anna)
        assert anna.table.id == table
        await finish(anna)
        seen = await table_of(anna, DAY)
        assert {line.name for line in seen.lines} == {"anna", "ben"}
        assert {line.points for line in seen.lines} == {anna.observation.points[0]}
        await anna.close()


# -- the table of the day ------------------------------------------------------------------------------------


@pytest.mark.usefixtures("quick_bots")
async def test_only_who_has_finished_sees_how_others_fared_until_the_day_is_over(
    connect: Connect, days: Days
) -> None:
    anna, ben, guest = connect("anna"), connect("ben"), connect("~gast")
    await play_deal(anna)
    await deal(ben)
    for client in (ben, guest):
        seen = await table_of(client)
        assert seen.finished == 1
        assert not seen.lines
    await finish(ben, last_move)
    seen = await table_of(ben)
    assert {line.name for line in seen.lines} == {"anna", "ben"}
    assert [line.points for line in seen.lines] == sorted((line.points for line in seen.lines), reverse=True)
    assert seen.own in seen.lines
    days.turn()
    seen = await table_of(guest, DAY)
    assert {line.name for line in seen.lines} == {"anna", "ben"}


@pytest.mark.usefixtures("quick_bots")
async def test_whoever_has_as_many_points_shares_the_place(connect: Connect) -> None:
    names = ("anna", "ben", "carl")
    for name in names[:2]:
        await play_deal(connect(name))
    carl = connect("carl")
    await deal(carl)
    await finish(carl, last_move)
    seen = await table_of(carl)
    places = {line.name: line.place for line in seen.lines}
    assert places["anna"] == places["ben"]
    for line in seen.lines:
        assert line.place == 1 + sum(other.points > line.points for other in seen.lines)


@pytest.mark.usefixtures("quick_bots")
async def test_days_before_are_paged_back_to(connect: Connect, days: Days) -> None:
    anna = connect("anna")
    await table_of(anna)
    days.turn(3)
    today = await table_of(anna)
    assert (today.earlier, today.later) == (DAY, None)
    assert (await table_of(anna, DAY)).later == today.day


@pytest.mark.parametrize(
    ("day", "said"),
    [
        ("2026-11-23", "Nobody opened"),
        ("2026-11-25", "in the future"),
        ("yesterday", "is not a date"),
        ("2026-02-30", "is not a date"),
    ],
)
async def test_a_day_without_a_deal_is_refused(day: str, said: str, connect: Connect) -> None:
    assert said in await connect("anna").refused(GetDaily, GAME, day)


async def test_an_unknown_game_is_refused(connect: Connect) -> None:
    anna = connect("anna")
    assert "chess" in await anna.refused(GetDaily, "chess")
    assert "chess" in await anna.refused(OpenDaily, "chess")


# -- secrets -------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("quick_bots")
async def test_the_seed_is_shown_once_the_day_is_over_and_the_record_proves_it(
    connect: Connect, days: Days
) -> None:
    anna = connect("anna")
    await deal(anna)
    promised = anna.match.commitment
    assert (await table_of(anna)).commitment == promised
    await finish(anna)
    assert anna.match.seed is None
    assert anna.match.host_seed is None
    assert (await table_of(anna)).seed is None
    days.turn()
    seed = (await table_of(anna, DAY)).seed
    assert seed is not None
    assert commitment(seed) == promised == sha256(seed).digest()
    reply = await anna.ask(GetRecord)
    assert isinstance(reply, RecordText)
    record = parse_record(reply.text.encode())
    assert record.seed == seed.hex()
    assert replay(record).is_over


@every_game
@pytest.mark.usefixtures("quick_bots")
async def test_no_message_of_a_finished_deal_has_its_seed_in_it(
    game_id: str, tmp_path: Path, days: Days
) -> None:
    async with hub_over(tmp_path, days) as hub:
        anna = Client(hub.connect("anna"))
        await deal(anna, game_id)
        await finish(anna)
        table = hub.tables[anna.table.id]
        assert table.match is not None
        seed = table.match.seed
        for shape, args in (
            (GetRecord, ()),
            (Analyse, ()),
            (LookBack, (0, 1)),
            (PlayOn, (0, ("", "", ""))),
            (OpenReplay, (anna.table.id, 1)),
        ):
            assert await anna.refused(shape, *args)
        assert isinstance(await anna.ask(GetCourse), MatchCourse), "which tells nothing of the deal"
        assert isinstance(await anna.ask(LookBack, 0, 0), PastPosition), "what they saw themselves"
        assert isinstance(await anna.ask(GetHistory), History)
        await table_of(anna, game_id=game_id)
        sent = b"".join(map(encode_message, anna.sent))
        assert seed not in sent
        assert seed.hex().encode() not in sent
        await anna.close()


@pytest.mark.usefixtures("quick_bots")
async def test_the_replay_of_a_deal_opens_once_the_day_is_over(connect: Connect, days: Days) -> None:
    anna, eve, guest = connect("anna"), connect("eve"), connect("~anna")
    await deal(anna)
    await finish(anna)
    table = anna.table.id
    await anna.go_to(None)
    assert "stays secret until midnight" in await anna.refused(OpenReplay, table, 1)
    assert "stays secret until midnight" in await anna.refused(GoTo, f"{table}-1")
    for stranger in (eve, guest):
        assert isinstance(await stranger.ask(GoTo, f"{table}-1"), Refused)
    days.turn()
    await anna.do(OpenReplay, table, 1)
    await anna.go_to(None)
    await anna.go_to(f"{table}-1")


# -- a table of one person -----------------------------------------------------------------------------------


async def test_nothing_is_taken_back_in_a_deal_of_the_day(connect: Connect) -> None:
    anna = connect("anna")
    await deal(anna)
    reply = await anna.ask(Preview, 0, anna.observation.legal_moves[0])
    assert isinstance(reply, Previewed)
    assert reply.ends == "choice", "what it ends by the rules of the game, and no secret"
    await anna.play(0, anna.observation.legal_moves[0])
    assert not anna.match.may_undo
    assert "can't take moves back" in await anna.refused(Undo, 0)


async def test_nobody_gets_hints_in_a_deal_of_the_day(tmp_path: Path, days: Days) -> None:
    async with hub_over(tmp_path, days, hints=True) as hub:
        anna = Client(hub.connect("anna"))
        await deal(anna)
        assert not anna.table.hints
        assert "Hints are off" in await anna.refused(Hint, 0)
        await anna.close()


async def test_nobody_else_sees_a_deal_or_comes_there(connect: Connect) -> None:
    anna, ben = connect("anna"), connect("ben")
    await deal(anna)
    await ben.until(lambda c: c.tree[0] == "lobby" and "anna" in c.lobby.users)
    assert not ben.lobby.tables
    assert "by invitation" in await ben.refused(GoTo, anna.table.id)
    assert "alone" in await anna.refused(Invite, "ben")


@pytest.mark.parametrize("what", ["rematch", "resign", "abort", "bot", "start"])
@pytest.mark.usefixtures("quick_bots")
async def test_nothing_is_proposed_at_a_deal_of_the_day(what: str, connect: Connect) -> None:
    anna = connect("anna")
    await deal(anna)
    assert "alone" in await anna.refused(Propose, what, 0)
    assert await anna.refused(Contribute, bytes(32))


@pytest.mark.usefixtures("quick_bots")
async def test_a_deal_is_in_the_history_and_the_file_is_sound(tmp_path: Path, days: Days) -> None:
    async with hub_over(tmp_path, days) as hub:
        anna = Client(hub.connect("anna"))
        await play_deal(anna)
        history = await anna.ask(GetHistory)
        assert isinstance(history, History)
        assert [past.game for past in history.matches] == [GAME]
        await anna.close()
    assert kk_process("store", "check", "--without-records", "--data", str(tmp_path)).code == 0


# -- streaks -------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("quick_bots")
async def test_a_streak_is_days_in_a_row_with_a_deal_of_any_game(connect: Connect, days: Days) -> None:
    anna = connect("anna")
    assert (await table_of(anna)).streak == 0
    await play_deal(anna)
    assert (await table_of(anna)).streak == 1
    days.turn()
    assert (await table_of(anna)).streak == 1, "today may still be played"
    await play_deal(anna, game_ids()[0])
    await play_deal(anna)
    assert (await table_of(anna)).streak == 2
    days.turn(2)
    assert (await table_of(anna)).streak == 0
    assert (await table_of(anna, NEXT)).streak == 2


@pytest.mark.usefixtures("quick_bots")
async def test_a_result_has_a_sign_for_each_eighth_of_its_match(connect: Connect) -> None:
    anna = connect("anna")
    await play_deal(anna)
    table = await table_of(anna)
    assert table.own is not None
    assert len(table.signs) == SIGNS
    assert table.own.won == (1.0 if table.signs[-1] == "█" else 0.0)


# -- by a command --------------------------------------------------------------------------------------------


@pytest.fixture
async def server(tmp_path: Path, days: Days, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Server]:
    """A server whose days turn when a test says so."""
    monkeypatch.setattr("kk_server.serve.server.time", days)
    async with probing(tmp_path, welcome=WelcomeSettings(name="The Inn")) as server:
        yield server


async def test_the_command_prints_the_table_of_the_day_in_words_and_in_json(
    server: Server, days: Days
) -> None:
    for name in ("anna", "ben"):
        client = await come(server, name, key_of(name))
        await play_deal(client)
        await client.close()
    told = await ask(server, f"day {GAME}", "anna")
    assert told.status == 0
    assert told.out.startswith(f"Ku-Ka-King, deal of the day {DAY} (UTC), against 2 medium bots\n1.  anna ")
    assert "2 accounts have finished it." in told.out
    assert "Streak: 1 day" in told.out
    seen = (await ask(server, f"day {GAME} --json", "anna")).json[GAME]
    assert [line["name"] for line in seen["lines"]] == ["anna", "ben"]
    assert (seen["place"], seen["seed"]) == (1, None)
    other = await ask(server, f"day {GAME}", "carl")
    assert "anna" not in other.out
    assert "Finish it to see how others did" in other.out
    assert (await ask(server, "day")).out.count("SHA-256") == len(game_ids())
    days.turn()
    over = (await ask(server, f"day {GAME} --date {DAY} --json", "carl")).json[GAME]
    assert sha256(bytes.fromhex(over["seed"])).hexdigest() == seen["commitment"]
    assert "Nobody opened" in (await ask(server, "day --date 2026-11-01")).err


@pytest.mark.usefixtures("quick_bots")
async def test_the_command_prints_four_lines_to_share(server: Server) -> None:
    client = await come(server, "anna", key_of("anna"))
    await play_deal(client)
    await client.close()
    lines = (await ask(server, f"day {GAME} --share", "anna")).out.splitlines()
    assert lines[0] == f"Ku-Ka-King, deal of the day {DAY} at The Inn"
    assert "points" in lines[1]
    assert len(lines[2]) == SIGNS
    assert set(lines[2]) <= set("█▄▁")
    assert lines[3] == "Streak: 1 day"
    assert len(lines) == 4
    refused = await ask(server, f"day {GAME} --share", "ben")
    assert "nothing to share" in refused.err


def game_shown(screen: str) -> str:
    """The game that the screen of the day is about."""
    found = re.search("◀ (.+?) ▶", screen)
    return "" if found is None else found[1]


@pytest.mark.e2e
@pytest.mark.usefixtures("quick_bots")
async def test_a_key_copies_the_lines_into_the_clipboard_of_the_users_own_terminal(
    tmp_path: Path, days: Days, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kk_server.serve.server.time", days)
    server = await start(here(tmp_path, limits=PLENTY, bot_pause=0.0))
    client = Client(server.hub.connect("anna"))
    await play_deal(client)
    await client.close()
    async with emulator(server, "anna") as terminal:
        await terminal.until(lambda screen: f"1 of {len(game_ids())} finished" in screen)
        terminal.type("d")
        await terminal.until(lambda screen: "You play against" in screen)
        while (shown := game_shown(terminal.text)) != "Ku-Ka-King":
            terminal.type("\t")
            await terminal.until(lambda screen, shown=shown: game_shown(screen) != shown)  # type: ignore[misc]
        await terminal.until(lambda screen: "copy to share" in screen)
        terminal.type("c")
        await terminal.until(lambda screen: "Copied" in screen)
        (copied,) = re.findall(rb"\x1b\]52;c;([A-Za-z0-9+/=]+)\x07", terminal.received)
    await server.close()
    head, _, signs, streak = b64decode(copied).decode().splitlines()
    assert head.startswith("Ku-Ka-King, deal of the day ")
    assert len(signs) == SIGNS
    assert streak == "Streak: 1 day"


# -- where there are no accounts -----------------------------------------------------------------------------


@pytest.mark.usefixtures("quick_bots")
async def test_without_accounts_the_deal_follows_from_the_date_and_nothing_is_counted() -> None:
    seen = []
    for _ in range(2):
        hub = Hub(MemoryLog(), bot_pause=0, limits=PLENTY, daily=DailyDeals(None, Days()))
        await hub.load()
        anna = Client(hub.connect("home"))
        table = await table_of(anna)
        assert not table.ranked
        assert table.own is None
        await deal(anna)
        assert anna.table.daily is not None
        assert not anna.table.daily.counts
        await finish(anna)
        assert anna.match.seed is not None
        seen.append(anna.match.seed)
        points = anna.observation.points[PLAYER]
        await anna.go_to(None)
        table = await table_of(anna)
        assert table.tried
        assert table.own is not None
        assert (table.own.points, len(table.signs)) == (points, SIGNS), "how it went is known at home, too"
        await deal(anna)
        assert (await table_of(anna)).own == table.own, "the first try stays what is told"
        await anna.close()
        await hub.close()
    assert seen[0] == seen[1]


@pytest.mark.usefixtures("quick_bots")
async def test_without_accounts_ones_own_tries_are_kept_and_the_first_of_a_day_is_told(
    tmp_path: Path, days: Days
) -> None:
    async def at_home() -> Hub:
        database = await open_database(tmp_path / DATABASE)
        hub = Hub(SqlLog(database), bot_pause=0, limits=PLENTY, daily=DailyDeals(None, days))
        await hub.load()
        return hub

    hub = await at_home()
    anna = Client(hub.connect("home"))
    before = await table_of(anna)
    assert (before.own, before.lines, before.past, before.streak, before.left) == (None, (), (), 0, 12 * HOUR)
    await deal(anna)
    assert before.bots == tuple(seat.name for seat in anna.table.seats[1:])
    await finish(anna)
    first = anna.observation.points[0]
    await anna.go_to(None)
    await deal(anna)
    await finish(anna, lambda observation: observation.legal_moves[-1])
    second = anna.observation.points[0]
    await anna.go_to(None)
    table = await table_of(anna)
    assert table.own is not None
    assert table.own.points == first
    assert sorted(line.points for line in table.lines) == sorted([first, second])
    assert (table.streak, len(table.signs), table.tried) == (1, SIGNS, True)
    await anna.close()
    await hub.close()

    days.turn()
    hub = await at_home()
    anna = Client(hub.connect("home"))
    table = await table_of(anna)
    assert (table.own, table.streak, table.earlier) == (None, 1, DAY)
    assert [(one.day, one.game, one.points) for one in table.past] == [(DAY, GAME, first)]
    past = await table_of(anna, DAY)
    assert past.own is not None
    assert (past.own.points, past.is_over, past.later, past.left) == (first, True, NEXT, 0)
    await anna.close()
    await hub.close()


@pytest.mark.usefixtures("quick_bots")
async def test_an_account_is_told_its_results_of_the_last_weeks_in_all_games(hub: Hub, days: Days) -> None:
    anna = Client(hub.connect("anna"))
    points = await play_deal(anna)
    days.turn()
    table = await table_of(anna)
    assert [(one.day, one.game, one.points) for one in table.past] == [(DAY, GAME, points[0])]
    days.turn(100)
    assert (await table_of(anna)).past == ()
    ben = Client(hub.connect("ben"))
    assert (await table_of(ben)).past == ()
