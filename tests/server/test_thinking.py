"""Bots think in processes of their own: in nobody's way, and gone when nobody needs them."""

from __future__ import annotations

import asyncio
import gc
import io
import json
import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import AsyncMock

import pytest
from msgspec.structs import replace

from kk_core import config
from kk_core.bot_names import DEFAULT_BOT, LEVELS, QUICK, STYLES, bot_choices, bot_names, level_below
from kk_core.chance import Chance
from kk_core.errors import BotFailed
from kk_core.game import AnyGame
from kk_core.protocol.messages import (
    CloseTable,
    Hint,
    Hinted,
    Notice,
    OpenTable,
    Play,
    Refused,
    SetBot,
    Undo,
    Weigh,
    Weighed,
)
from kk_core.registry import game, game_ids, part_of
from kk_core.search import review
from kk_core.search.advice import SIMULATIONS, Study, study
from kk_core.search.bots import allowance_of, bot
from kk_core.search.memory import BotMemory
from kk_core.search.opponents import NOTHING, BotKnowledge, Memory
from kk_core.search.review import Judgement, weigh
from kk_core.search.search import Budget
from kk_core.types import SEED_BYTES, CommonObservation, Move
from kk_core.views import Advice, CostlyMove, encode_observation, is_even
from kk_server.bots import pool as pools
from kk_server.bots import search_worker
from kk_server.bots.messages import (
    LENGTH_BYTES,
    AdviceReply,
    BotWorkerReady,
    MoveReply,
    Question,
    Reply,
    Rules,
    WeighReply,
    WeighRequest,
    decode_order,
    decode_reply,
    encode,
)
from kk_server.bots.pool import (
    LEAST_SECONDS,
    UNHURRIED,
    Chooser,
    Pool,
    WorkerLost,
    default_workers,
    hint_question,
    question,
    share,
)
from kk_server.bots.search_worker import BotWorker
from kk_server.cli.play import home_hub
from kk_server.hub.hub import Hub
from kk_server.limits import BotPace
from kk_server.storage.memory_log import MemoryLog
from kk_server.storage.sql_log import open_log
from kk_server.tables.bots import SLOW, BotPlayers, BotTurn
from tests.core.contract.tables import Table, people_at
from tests.core.contract.test_bots import choices_of
from tests.server.client import Client
from tests.server.hosting import PLENTY
from tests.server.outside_bots import Diary, installed
from tests.server.test_corrected_data import CORRECTIONS
from tests.server.thinking import studied_here
from tests.waiting import Clock, rest, wait_for

GAME = "ku_ka_king"

every_game = pytest.mark.parametrize("game_id", game_ids())


def first_turn(game_id: str = GAME) -> tuple[AnyGame, CommonObservation]:
    """A game, and what the first seat knows before the first move."""
    rules = game(game_id)
    state = rules.setup(rules.meta.default_options(), rules.meta.max_seats, bytes(32))
    return rules, rules.observe(state, rules.active_seats(state)[0])


def is_running(pid: int) -> bool:
    """Whether a process is there, a zombie too."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


until = wait_for


@pytest.fixture
async def pool() -> AsyncIterator[Pool]:
    pool = Pool(1)
    yield pool
    await pool.close()


@pytest.fixture
def diary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Diary]:
    with installed(tmp_path, monkeypatch) as diary:
        yield diary


@contextmanager
def impatience() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pools, "HUNG_AFTER", 0.5)
        patch.setattr(pools, "SETTLING", 0.5)
        yield


@pytest.fixture
def impatient() -> Iterator[None]:
    with impatience():
        yield


# -- the pool ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("processors", "workers"), [(8, 7), (1, 1), (None, 1)])
def test_where_nothing_tells_the_processors_of_one_process_bots_get_those_of_the_machine(
    processors: int | None, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)  # as on macOS
    monkeypatch.setattr(os, "cpu_count", lambda: processors)
    assert default_workers() == workers


@every_game
@pytest.mark.parametrize("name", ["medium", "easy"])
async def test_a_worker_gives_a_legal_move_in_every_game(pool: Pool, game_id: str, name: str) -> None:
    rules, observation = first_turn(game_id)
    assert (await pool.choose(name, rules, observation)).move in observation.legal_moves


@pytest.mark.parametrize("game_id", CORRECTIONS)
async def test_a_worker_plays_by_the_corrected_rules_of_the_match(
    pool: Pool, game_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, instead = CORRECTIONS[game_id]
    corrected = config.Source(
        "corrected", config.read_shipped(f"{game_id}.toml").text.replace(found, instead)
    )
    today, rules = game(game_id), part_of(game_id, "game").create(corrected)
    assert rules.rules_version != today.rules_version
    state = rules.setup(rules.meta.default_options(), 3, bytes(32))
    observation = rules.observe(state, rules.active_seats(state)[0])
    assert (await pool.choose("medium", rules, observation)).move in observation.legal_moves
    assert await pool.choose("medium", *first_turn(game_id))


@every_game
def test_a_worker_is_sent_the_same_whatever_its_seat_cannot_know(game_id: str) -> None:
    table, chance = Table(game_id, people_at(game_id)), Chance(bytes(32))
    *_, match = islice(table.random_match(), 8)
    seat = table.game.active_seats(match.state)[0]
    observation = table.game.observe(match.state, seat)
    drawn = (table.game.determinise(observation, chance) for _ in range(100))
    believed = [*islice((state for state in drawn if state != match.state), 5)]
    assert len(believed) == 5
    for state in (match.state, *believed):
        order = question("easy", table.game, table.game.observe(state, seat), NOTHING, 1.0)
        assert encode(replace(order, seed=b"")) == encode(
            replace(question("easy", table.game, observation, NOTHING, 1.0), seed=b"")
        )


async def test_a_pool_has_no_more_workers_than_its_size(
    diary: Diary, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = AsyncMock(side_effect=pools.start_process)
    monkeypatch.setattr(pools, "start_process", start)
    pool = Pool(2)
    asking = [asyncio.create_task(pool.choose("patient", *first_turn())) for _ in range(5)]
    await until(lambda: diary.count("begun") == 2)
    await rest()
    assert (len(pool.pids), start.await_count, diary.count("begun")) == (2, 2, 2)
    for task in asking:
        task.cancel()
    await asyncio.wait(asking)
    await pool.close()


def test_when_more_ask_than_there_are_workers_each_gets_less_time() -> None:
    assert share(1.0, asking=1, workers=2) == 1.0
    assert share(1.0, asking=2, workers=2) == 1.0
    assert share(1.0, asking=4, workers=2) == 0.5
    assert share(1.0, asking=1000, workers=2) == LEAST_SECONDS


async def test_a_search_that_nobody_needs_any_more_ends_and_its_worker_is_used_again(
    pool: Pool, diary: Diary
) -> None:
    asking = asyncio.create_task(pool.choose("patient", *first_turn()))
    await until(lambda: diary.count("begun"))
    pids = pool.pids
    asking.cancel()
    await until(lambda: diary.count("ended"))
    assert await pool.choose("medium", *first_turn())
    assert pool.pids == pids


async def test_a_bot_that_does_not_stop_when_nobody_needs_it_any_more_is_ended(
    pool: Pool, diary: Diary
) -> None:
    asking = asyncio.create_task(pool.choose("stuck", *first_turn()))
    await until(lambda: diary.count("begun"))
    (pid,) = pool.pids
    with impatience():
        asking.cancel()
        await until(lambda: not is_running(pid))
    assert await pool.choose("medium", *first_turn())


@pytest.mark.usefixtures("diary")
async def test_a_worker_that_hangs_is_replaced(pool: Pool) -> None:
    await pool.choose("brisk", *first_turn())
    (pid,) = pool.pids
    with impatience(), pytest.raises(WorkerLost):
        await pool.choose("stuck", *first_turn())
    await until(lambda: not is_running(pid))
    assert await pool.choose("medium", *first_turn())


async def test_a_worker_that_was_killed_while_it_waited_is_replaced(pool: Pool) -> None:
    await pool.choose("easy", *first_turn())
    (pid,) = pool.pids
    os.kill(pid, signal.SIGKILL)
    await until(lambda: pid not in pool.pids)
    assert await pool.choose("easy", *first_turn())
    assert len(pool.pids) == 1


async def test_what_a_bot_prints_or_reads_disturbs_nobody(pool: Pool, diary: Diary) -> None:
    _, observation = first_turn()
    for _ in range(2):
        assert (await pool.choose("talking", *first_turn())).move == observation.legal_moves[-1]


async def test_a_bot_that_fails_keeps_its_worker_and_what_it_knows_stays_there(
    pool: Pool, diary: Diary
) -> None:
    with pytest.raises(BotFailed, match=r"RuntimeError in \S+") as failure:
        await pool.choose("failing", *first_turn())
    assert "seed" not in str(failure.value)
    (pid,) = pool.pids
    await pool.choose("easy", *first_turn())
    assert pool.pids == (pid,)


@pytest.mark.parametrize("steps", range(6))
async def test_a_worker_may_be_ended_at_any_moment_of_its_reply(steps: int) -> None:
    complaints: list[dict[str, Any]] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, complaint: complaints.append(complaint))
    replies = asyncio.StreamReader()
    child = SimpleNamespace(stdin=object(), stdout=replies, returncode=None, kill=replies.feed_eof)
    worker = pools.Process(cast("asyncio.subprocess.Process", child))
    waiting = asyncio.create_task(worker.next_reply(1))
    await asyncio.sleep(0)
    replies.feed_data(encode(BotWorkerReady()))
    for _ in range(steps):
        await asyncio.sleep(0)
    worker.kill()
    await asyncio.wait([waiting])
    assert waiting.exception() is None or isinstance(waiting.exception(), WorkerLost)
    del worker
    await rest()
    gc.collect()
    assert not complaints


def silent_worker(replies: asyncio.StreamReader) -> pools.Process:
    """A worker that says only what is fed to a stream."""
    child = SimpleNamespace(stdin=object(), stdout=replies, returncode=None, kill=replies.feed_eof)
    return pools.Process(cast("asyncio.subprocess.Process", child))


async def test_a_worker_is_not_stuck_if_it_was_the_server_that_stood_still() -> None:
    replies = asyncio.StreamReader()
    worker, clock = silent_worker(replies), Clock()
    waiting = asyncio.create_task(worker.next_reply(5))
    await asyncio.sleep(0)
    clock.stand_still(8)
    await rest()
    assert not waiting.done()
    replies.feed_data(encode(BotWorkerReady()))
    assert isinstance(await waiting, BotWorkerReady)
    worker.kill()


async def test_a_stuck_worker_has_only_its_own_time_again_however_long_the_server_stood_still() -> None:
    replies = asyncio.StreamReader()
    worker, clock = silent_worker(replies), Clock()
    waiting = asyncio.create_task(worker.next_reply(5))
    await asyncio.sleep(0)
    clock.stand_still(36_000)
    await rest()
    assert not waiting.done()
    clock.stand_still(6)
    with pytest.raises(WorkerLost):
        await asyncio.wait_for(waiting, 30)
    worker.kill()


async def test_after_a_pool_is_closed_nobody_thinks_and_nothing_is_left(diary: Diary) -> None:
    pool = Pool(1)
    asking = asyncio.create_task(pool.choose("stuck", *first_turn()))
    await until(lambda: diary.count("begun"))
    (pid,) = pool.pids
    await pool.close()
    assert not is_running(pid)
    with pytest.raises(WorkerLost):
        await asking
    with pytest.raises(WorkerLost):
        await pool.choose("easy", *first_turn())


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[asyncio.subprocess.Process]:
    """The processes that were started, which need not be ready yet."""
    start, started = asyncio.create_subprocess_exec, list[asyncio.subprocess.Process]()

    async def starting(*words: str, **more: Any) -> asyncio.subprocess.Process:
        started.append(await start(*words, **more))
        return started[-1]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", starting)
    return started


@pytest.mark.parametrize("times", [1, 2])
async def test_a_worker_that_is_still_starting_has_ended_when_its_pool_is_closed_though_nobody_asks_any_more(
    started: list[asyncio.subprocess.Process], times: int
) -> None:
    pool = Pool(1)
    asking = asyncio.create_task(pool.choose("medium", *first_turn()))
    await until(lambda: bool(started))
    for _ in range(times):
        asking.cancel()
        await asyncio.sleep(0)
    await pool.close()
    assert asking.cancelled()
    (process,) = started
    assert process.returncode is not None


async def test_a_worker_that_was_starting_for_somebody_who_asks_no_more_is_used_by_the_next(
    pool: Pool, started: list[asyncio.subprocess.Process]
) -> None:
    asking = asyncio.create_task(pool.choose("medium", *first_turn()))
    await until(lambda: bool(started))
    asking.cancel()
    rules, observation = first_turn()
    assert (await pool.choose("medium", rules, observation)).move in observation.legal_moves
    assert len(started) == 1


# -- the level below -----------------------------------------------------------------------------------------


def test_below_every_level_is_the_next_one_and_below_all_a_quick_bot() -> None:
    assert [level_below(level) for level in LEVELS] == ["hard", "medium", "easy", "greedy"]
    assert level_below("of another package") == "greedy"


def test_people_choose_among_all_bots_the_usual_one_first() -> None:
    assert bot_choices()[0] == DEFAULT_BOT
    assert sorted(bot_choices()) == sorted(bot_names())


async def test_when_the_worker_of_an_expert_is_killed_the_level_below_plays_the_move(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = AsyncMock(side_effect=pools.Process.ask)
    monkeypatch.setattr(pools.Process, "ask", lambda *asked: ask(*asked))
    _, observation = first_turn("land_cards")
    choosing = asyncio.create_task(Chooser(pool).choose("expert", *first_turn("land_cards")))
    await until(lambda: ask.await_count)
    (pid,) = pool.pids
    os.kill(pid, signal.SIGKILL)
    assert (await choosing).move in observation.legal_moves
    assert pool.pids
    assert pid not in pool.pids


async def test_what_an_expert_learns_of_the_others_comes_with_its_move_and_is_given_to_it_again(
    pool: Pool,
) -> None:
    rules, greedy, notes = game("land_cards"), bot("greedy", game("land_cards")), BotMemory()
    match = Table("land_cards", 3).match(5)
    memories: dict[int, Memory] = {}
    while (turn := rules.turn(match.state)) < 9:
        (seat,) = rules.active_seats(match.state)
        observation = rules.observe(match.state, seat)
        if seat == 0 and turn not in memories:
            chosen = await pool.choose("expert", rules, observation, notes.known(match, observation.viewer))
            notes.keep(match, chosen.memory)
            memories[turn] = chosen.memory
        match.play(seat, greedy.choose(observation, Chance(bytes(32)), Budget(1)))
    first, then, last = memories.values()
    assert first == ()
    assert 0 < then[1] <= last[1]


class BotsOnly:
    """A table with no people, whose first seat has to choose three times in each match."""

    id = "t"

    def __init__(self, bot: str = "expert") -> None:
        self.bot = bot
        self.matches = [Table("land_cards", 3).match(number) for number in range(2)]
        self.moves = 0

    def bot_turn(self) -> BotTurn | None:
        if self.moves == 3:
            self.moves = 0
            del self.matches[0]
        if not self.matches:
            return None
        match = self.matches[0]
        (seat,) = match.game.active_seats(match.state)
        return BotTurn(seat, self.bot, match, match.game.observe(match.state, seat), match.state)

    def is_current(self, turn: BotTurn) -> bool:
        return turn.match.state is turn.state

    def excuse_bot(self, turn: BotTurn) -> None:
        """Nobody waits here."""

    async def play_bot(self, turn: BotTurn, move: int) -> None:
        self.moves += turn.seat == 0 and len(turn.observation.legal_moves) > 1
        turn.match.play(turn.seat, move)


class Pupil:
    """Chooses in the place of a bot: it counts its choices, and notes what it is told."""

    def __init__(self) -> None:
        self.told: list[BotKnowledge] = []

    async def choose(
        self,
        name: str,
        rules: AnyGame,
        observation: CommonObservation,
        known: BotKnowledge,
        *,
        seed: bytes | None = None,
        style: str | None = None,
    ) -> MoveReply:
        assert (name, seed, style) == ("expert", None, None)
        if len(observation.legal_moves) == 1:
            return MoveReply(observation.legal_moves[0], known.memory)
        if observation.viewer == 0:
            self.told.append(known)
        return MoveReply(observation.legal_moves[-1], (sum(known.memory) + 1,))


async def test_a_bot_at_a_table_is_told_what_it_learned_and_begins_anew_in_another_match() -> None:
    table, pupil = BotsOnly(), Pupil()
    BotPlayers(table, pupil, BotPace(0.0)).wake()  # type: ignore[arg-type]
    await until(lambda: not table.matches)
    assert [known.memory for known in pupil.told] == [(), (1,), (2,), (), (1,), (2,)]
    assert [bool(known.moves) for known in pupil.told] == [False, True, True] * 2


@pytest.mark.parametrize("name", ["easy", "medium"])
async def test_a_bot_plays_in_the_style_it_is_asked_for_wherever_it_thinks(pool: Pool, name: str) -> None:
    rules, seen = first_turn("land_cards")
    for style in (None, *STYLES):
        asked = bytes([len(style or "")]) * SEED_BYTES
        told = await Chooser(pool).choose(name, rules, seen, seed=asked, style=style)
        budget = allowance_of(name, rules.meta.id).budget()
        assert told.move == bot(name, rules, style).choose(seen, Chance(asked), budget)


@pytest.mark.usefixtures("impatient", "diary")
@pytest.mark.parametrize("name", ["stuck", "dying", "failing", "unmade", "wrong"])
async def test_whatever_a_bot_does_a_legal_move_is_made(pool: Pool, name: str) -> None:
    _, observation = first_turn()
    assert (await Chooser(pool).choose(name, *first_turn())).move in observation.legal_moves


@pytest.mark.usefixtures("impatient", "diary")
@pytest.mark.parametrize("name", ["unmade", "wrong"])
async def test_a_table_goes_on_where_a_bot_cannot_even_be_made(pool: Pool, name: str) -> None:
    table = BotsOnly(name)
    BotPlayers(table, Chooser(pool), BotPace(0.0)).wake()
    await until(lambda: not table.matches)


async def test_where_no_process_can_be_started_a_quick_bot_plays(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    _, observation = first_turn()
    assert (await Chooser(pool).choose("expert", *first_turn())).move in observation.legal_moves
    assert pool.pids == ()


async def test_who_asks_twice_in_the_same_position_gets_the_same_hint(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Study] = []

    async def fresh(_game: AnyGame, seen: CommonObservation, _known: BotKnowledge, _seed: bytes) -> Study:
        told.append(Study((Advice(seen.legal_moves[0], 1.0, float(len(told)), 0.0, ()),)))
        return told[-1]

    monkeypatch.setattr(pool, "study", fresh)
    chooser, (rules, observation) = Chooser(pool), first_turn()
    other = rules.observe(rules.setup(rules.meta.default_options(), 2, bytes(32)), 1)
    first = await chooser.advise(rules, observation)
    assert await chooser.advise(rules, other) != first
    assert await chooser.advise(rules, observation) == first
    assert len(told) == 2


# -- at tables -----------------------------------------------------------------------------------------------


async def seated(hub: Hub, bot: str, game_id: str = GAME, seats: int = 2) -> Client:
    """Anna on the first seat, bots on the others, and the match has begun."""
    anna = Client(hub.connect("anna"))
    await anna.open(game_id, seats)
    await anna.sit(0)
    await anna.seat_bots(*range(1, seats), bot=bot)
    await anna.start()
    return anna


@pytest.fixture
async def hub() -> AsyncIterator[Hub]:
    hub = Hub(MemoryLog(), bot_pause=0, bot_processes=1, limits=PLENTY)
    yield hub
    await hub.close()


async def test_every_bot_can_be_seated(hub: Hub) -> None:
    anna = Client(hub.connect("anna"))
    await anna.open(GAME, 2)
    for name in bot_choices():
        await anna.do(SetBot, 1, name)
        assert anna.table.seats[1].bot == name


@pytest.mark.usefixtures("diary")
async def test_no_process_is_started_before_a_bot_thinks(hub: Hub) -> None:
    for name in QUICK:
        await (await seated(hub, name)).play_to_the_end()
    assert hub.chooser.pool.pids == ()
    await (await seated(hub, "brisk")).play_to_the_end()
    assert len(hub.chooser.pool.pids) == 1


@every_game
@pytest.mark.usefixtures("diary")
async def test_a_whole_match_against_bots_that_think(hub: Hub, game_id: str) -> None:
    anna = await seated(hub, "brisk", game_id, people_at(game_id))
    await anna.play_to_the_end()
    assert anna.table.phase == "finished"


@pytest.mark.usefixtures("diary")
async def test_the_log_names_table_and_seat_of_a_bot_that_failed(hub: Hub, journal: io.StringIO) -> None:
    anna = await seated(hub, "failing", seats=3)
    await until(lambda: '"bot failed"' in journal.getvalue())
    told = next(
        line for line in map(json.loads, journal.getvalue().splitlines()) if line["event"] == "bot failed"
    )
    assert (told["table"], told["bot"]) == (anna.table.id, "failing")
    assert told["seat"] in {1, 2}


async def test_people_go_on_while_a_bot_thinks(hub: Hub, diary: Diary) -> None:
    anna = await seated(hub, "patient")
    await until(lambda: diary.count("begun"))
    await anna.play(0, 1)
    beate = await seated(hub, "greedy")
    await beate.play_to_the_end()


def excuses(client: Client) -> list[str]:
    """What somebody was told of bots that think for long."""
    told = (str(message.text) for message in client.sent if isinstance(message, Notice))
    return [sentence for sentence in told if "still thinking" in sentence]


async def test_who_waits_long_for_a_bot_is_told_that_it_still_thinks(hub: Hub, diary: Diary) -> None:
    first = await seated(hub, "patient")
    await until(lambda: diary.count("begun"))
    # no process is free for the second table's bot
    anna, clock = await seated(hub, "brisk"), Clock(stands=False)
    await clock.forward(SLOW)
    assert excuses(anna) == []  # she has not chosen herself
    await anna.play(0, 1)
    await clock.forward(SLOW - 1)
    assert excuses(anna) == []
    await clock.forward(1)
    await anna.until(excuses)
    assert excuses(anna) == [f"{anna.table.seats[1].name} is still thinking."]
    assert excuses(first) == []


async def test_a_bot_that_has_moved_makes_no_excuse(hub: Hub, diary: Diary) -> None:
    anna, clock = await seated(hub, "brisk"), Clock(stands=False)
    await anna.play(0, 1)
    await until(lambda: diary.count("ended"))
    await anna.until(lambda c: 0 in c.observation.active)
    await clock.forward(2 * SLOW)
    assert excuses(anna) == []


async def test_undo_ends_the_search_and_the_bot_thinks_anew(hub: Hub, diary: Diary) -> None:
    anna = await seated(hub, "patient")
    await until(lambda: diary.count("begun") == 1)
    await anna.play(0, 1)
    await until(lambda: diary.count("begun") == 2)
    assert diary.count("ended") == 1
    await anna.do(Undo, 0)
    await until(lambda: diary.count("begun") == 3)
    assert diary.count("ended") == 2


async def test_a_table_that_is_closed_ends_its_search(hub: Hub, diary: Diary) -> None:
    anna = await seated(hub, "patient")
    table = anna.table.id
    await until(lambda: diary.count("begun"))
    await anna.go_to(None)
    await anna.do(CloseTable, table)
    await until(lambda: diary.count("ended"))


async def test_after_a_restart_a_bot_that_thought_makes_its_move(tmp_path: Path, diary: Diary) -> None:
    hub = Hub(await open_log(tmp_path / "log.sqlite"), bot_pause=0, bot_processes=1, limits=PLENTY)
    anna = await seated(hub, "patient")
    table = anna.table.id
    await until(lambda: diary.count("begun"))
    await hub.close()
    assert [pid for _, pid in diary.lines if is_running(pid)] == []
    hub = Hub(await open_log(tmp_path / "log.sqlite"), bot_pause=0, bot_processes=1, limits=PLENTY)
    await hub.load()
    await until(lambda: diary.count("begun") == 2)
    again = Client(hub.connect("anna"))
    await again.go_to(table)
    os.kill(diary.lines[-1][1], signal.SIGKILL)
    await again.until(lambda c: 1 not in c.observation.active)
    await hub.close()


# -- hints ---------------------------------------------------------------------------------------------------


async def hinting(hub: Hub, *, hints: bool, seed: bytes | None = None) -> Client:
    """Anna on the first seat of a table in her turn; with a seed, always in the same deal."""
    anna = Client(hub.connect("anna"))
    await anna.do(OpenTable, "land_cards", {}, 3, "", hints)
    await anna.sit(0, 1)
    await anna.seat_bots(2)
    await (await hub.table(anna.table.id)).start("anna", seed)
    await anna.until(lambda client: client.table.match is not None)
    return anna


async def test_whoever_plays_gets_a_hint_where_the_table_allows_it(hub: Hub) -> None:
    anna = await hinting(hub, hints=True)
    await anna.look(0)
    assert anna.table.hints
    reply = await anna.ask(Hint, 0)
    assert isinstance(reply, Hinted)
    assert {advice.move for advice in reply.moves} <= set(anna.observation.legal_moves)
    assert reply.moves


@pytest.mark.usefixtures("quick_hints")
async def test_a_hint_goes_by_all_that_its_seat_has_seen(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[BotKnowledge] = []
    advise = Chooser.advise

    async def noted(
        self: Chooser, game: AnyGame, observation: CommonObservation, known: BotKnowledge
    ) -> tuple[Advice, ...]:
        told.append(known)
        return await advise(self, game, observation, known)

    monkeypatch.setattr(Chooser, "advise", noted)
    anna = await hinting(hub, hints=True)
    plies = 0
    while (seat := anna.observation.active[0]) != 0 or not plies:
        await anna.look(seat)
        await anna.play(seat, anna.observation.legal_moves[0])
        plies += 1
        await anna.until(lambda c: c.observation.active[0] != 2)
    await anna.look(0)
    assert isinstance(await anna.ask(Hint, 0), Hinted)
    (known,) = told
    assert anna.table.match is not None
    assert len(known.moves) == anna.table.match.ply
    assert {seen.observation.viewer for seen in known.moves} == {0}


async def test_at_a_table_without_hints_nobody_gets_any_and_nobody_thinks(hub: Hub) -> None:
    anna = await hinting(hub, hints=False)
    assert not anna.table.hints
    assert "Hints are off" in await anna.refused(Hint, 0)
    assert hub.chooser.pool.pids == ()


async def test_a_hint_is_for_a_seat_of_ones_own(hub: Hub) -> None:
    anna = await hinting(hub, hints=True)
    assert "not your seat" in await anna.refused(Hint, 2)
    assert "no seat 9" in await anna.refused(Hint, 9)


async def test_who_is_not_to_move_gets_an_empty_hint(hub: Hub) -> None:
    anna = await hinting(hub, hints=True)
    reply = await anna.ask(Hint, 1)
    assert isinstance(reply, Hinted)
    assert reply.moves == ()


async def test_at_home_hints_are_always_allowed(tmp_path: Path) -> None:
    async with home_hub(tmp_path) as hub:
        anna = await hinting(hub, hints=False)
        assert anna.table.hints


async def test_a_table_allows_hints_after_a_restart_too(tmp_path: Path) -> None:
    hub = Hub(await open_log(tmp_path / "log.sqlite"), limits=PLENTY)
    anna = await hinting(hub, hints=True)
    table = anna.table.id
    await hub.close()
    hub = Hub(await open_log(tmp_path / "log.sqlite"), limits=PLENTY)
    await hub.load()
    assert (await hub.table(table)).has_hints
    await hub.close()


@pytest.mark.usefixtures("quick_hints")
async def test_what_is_asked_while_a_hint_is_looked_for_is_answered_before_it(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    advise, found = Chooser.advise, asyncio.Event()

    async def slowly(*asked: Any) -> tuple[Advice, ...]:
        await found.wait()
        return await advise(*asked)

    monkeypatch.setattr(Chooser, "advise", slowly)
    anna = await hinting(hub, hints=True)
    await anna.look(0)
    hint = asyncio.create_task(anna.ask(Hint, 0))
    await asyncio.sleep(0)
    assert "on its way" in await anna.refused(Hint, 0)
    await anna.play(0, anna.observation.legal_moves[0])
    assert not hint.done()
    found.set()
    assert isinstance(await hint, Hinted)


# -- the coach -----------------------------------------------------------------------------------------------


@pytest.fixture
def a_word_on_every_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hardly a move is so good that nothing is said of it."""
    monkeypatch.setattr(Pool, "study", studied_here)
    monkeypatch.setattr(Pool, "weigh", _weighed_here)


async def _weighed_here(
    _pool: Pool, rules: AnyGame, observation: CommonObservation, found: Study, move: Move, seed: bytes
) -> Judgement | None:
    """Little is thought, in this process, and each point counts as much."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(review, "_LOOKS", (40,))
        patch.setattr(review, "_CERTAIN", 0.0)
        patch.setattr(review, "MUCH", 1)
        return weigh(rules, observation, found, move, Chance(seed))


async def first_told_of(anna: Client, seat: int = 0) -> CostlyMove:
    """The first of a seat's moves of which the coach says anything."""
    for move in anna.observation.legal_moves:
        reply = await anna.ask(Weigh, seat, anna.match.ply, move)
        assert isinstance(reply, Weighed)
        if reply.point is not None:
            assert reply.point.played.move == move
            return reply.point
    raise AssertionError("every move is the best one")


async def test_a_worker_studies_a_position_as_long_as_a_hint_is_studied_and_weighs_a_move(
    pool: Pool,
) -> None:
    rules, observation = first_turn()
    seed = bytes(32)
    found = await pool.study(rules, observation, NOTHING, seed)
    assert found == study(rules, observation, Chance(seed), Budget(SIMULATIONS))
    shown = [advice.move for advice in found.moves]
    others = [move for move in observation.legal_moves if move not in shown]  # which takes thought
    for move in (*shown, others[0]):
        here = weigh(rules, observation, found, move, Chance(seed))
        assert await pool.weigh(rules, observation, found, move, seed) == here
    assert here is not None, "the last of them is a mistake"


def answered(rules: AnyGame, asked: Question) -> Reply:
    """The reply of a worker, which is in this process, over the bytes of its pipes."""
    worker = BotWorker(Event())
    worker.learn(Rules(asked.game, asked.version, config.canonical_json(rules.rules_data)))
    order = decode_order(encode(asked)[LENGTH_BYTES:])
    assert isinstance(order, Question)
    return decode_reply(encode(worker.answer(order))[LENGTH_BYTES:])


@every_game
def test_a_worker_studies_a_position_and_weighs_a_move_as_the_rules_of_both_say(
    game_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_worker, "SIMULATIONS", 40)
    monkeypatch.setattr(review, "_LOOKS", (10, 20))
    rules, observation = first_turn(game_id)
    key, seed = (game_id, rules.rules_version), bytes(32)
    told = answered(rules, hint_question(rules, observation, NOTHING, seed, UNHURRIED))
    assert isinstance(told, AdviceReply)
    found = told.study
    assert found == study(rules, observation, Chance(seed), Budget(40))
    shown = [advice.move for advice in found.moves]
    others = [move for move in observation.legal_moves if move not in shown]  # which takes thought
    for move in (shown[-1], *others[:1]):
        values = encode_observation(observation)
        told = answered(rules, WeighRequest(*key, values, found, move, seed, UNHURRIED))
        assert isinstance(told, WeighReply)
        assert told.judgement == weigh(rules, observation, found, move, Chance(seed))


@every_game
async def test_what_is_weighed_is_the_same_whatever_the_seat_cannot_know(
    game_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[object, ...]] = []

    async def noted(_pool: Pool, *question: object) -> Study:
        asked.append(question)
        return Study()

    monkeypatch.setattr(Pool, "study", noted)
    monkeypatch.setattr(Pool, "weigh", noted)
    table, chance = Table(game_id, people_at(game_id)), Chance(bytes(32))
    choices = ((table.game.observe(match.state, seat), seat) for match, seat in choices_of(table, 8))
    *_, (observation, seat) = islice(choices, 2)
    move = observation.legal_moves[0]
    for _ in range(5):
        twin = table.game.determinise(observation, chance)
        await Chooser(Pool(1)).weigh(table.game, table.game.observe(twin, seat), move)
    assert len(asked) == 10
    assert all(question == asked[number % 2] for number, question in enumerate(asked))


@pytest.mark.usefixtures("a_word_on_every_move")
@pytest.mark.parametrize("first", [Hint, Weigh])
async def test_hint_and_coach_say_the_same_whichever_is_asked_first(
    first: type[Hint | Weigh], hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    studied: list[bytes] = []

    async def counted(*asked: Any) -> Study:
        studied.append(asked[-1])
        return await studied_here(*asked)

    monkeypatch.setattr(Pool, "study", counted)
    anna = await hinting(hub, hints=True, seed=bytes(32))
    await anna.look(0)
    legal = anna.observation.legal_moves
    hint = await anna.ask(Hint, 0) if first is Hint else None
    told = [await anna.ask(Weigh, 0, 0, move) for move in legal]
    hint = hint or await anna.ask(Hint, 0)
    assert isinstance(hint, Hinted)
    best, shown = hint.moves[0], {advice.move: advice for advice in hint.moves}
    said = [reply.point for reply in told if isinstance(reply, Weighed)]
    points = dict(zip(legal, said, strict=True))
    for move, advice in shown.items():
        point, cost = points[move], best.margin - advice.margin
        is_costly = round(cost) >= 1 and not is_even(best, advice)
        assert (None if point is None else point.cost) == (cost if is_costly else None)
    warned = [point for point in points.values() if point is not None]
    assert {point.better for point in warned} == {best}
    assert {point.played.move for point in warned} - shown.keys()
    assert len(studied) == 1, "both speak from one search"


@pytest.mark.usefixtures("a_word_on_every_move")
async def test_a_choice_of_who_is_coached_is_studied_while_they_think_and_no_longer(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, ended, found = list[bytes](), list[bytes](), asyncio.Event()

    async def slowly(*asked: Any) -> Study:
        begun.append(asked[-1])
        try:
            await found.wait()
        finally:
            ended.append(asked[-1])
        return await studied_here(*asked)

    # a deal in which several moves follow the first one: where only one does, nothing is studied
    anna = await hinting(hub, hints=True, seed=bytes([2]) * SEED_BYTES)
    await anna.look(0)
    assert begun == [], "nobody is known to have a coach"
    await anna.ask(Weigh, 0, 0, anna.observation.legal_moves[0])
    monkeypatch.setattr(Pool, "study", slowly)
    await anna.play(0, anna.observation.legal_moves[0])
    assert anna.observation.active == (0,), "the turn goes on"
    await until(lambda: begun)
    weighed = asyncio.create_task(anna.ask(Weigh, 0, 1, anna.observation.legal_moves[0]))
    found.set()
    assert isinstance(await weighed, Weighed)
    assert (len(begun), ended) == (1, begun), "what is under way is waited for"
    found.clear()
    await anna.play(0, anna.observation.legal_moves[0])
    await until(lambda: len(begun) == 2)
    await anna.play(0, anna.observation.legal_moves[0])
    await until(lambda: len(ended) == 2)


@pytest.mark.usefixtures("a_word_on_every_move")
async def test_who_has_not_called_yet_hears_the_same_after_others_have_called(hub: Hub) -> None:
    anna = Client(hub.connect("anna"))
    await anna.do(OpenTable, "ku_ka_king", {}, 3, "", True)
    await anna.sit(0, 1, 2)
    await anna.start()

    async def said() -> list[object]:
        await anna.look(0)
        found = [await anna.ask(Weigh, 0, anna.match.ply, row) for row in anna.observation.legal_moves]
        told = [reply.point for reply in found if isinstance(reply, Weighed)]
        return [None if point is None else (point.played, point.better) for point in told]

    before = await said()
    assert any(before)
    for seat in (1, 2):
        await anna.look(seat)
        await anna.play(seat, anna.observation.legal_moves[0])
        assert await said() == before


@pytest.mark.usefixtures("a_word_on_every_move")
async def test_a_move_that_gives_away_much_is_met_with_a_better_one_and_nothing_has_happened(
    hub: Hub,
) -> None:
    anna = await hinting(hub, hints=True)
    await anna.look(0)
    before = anna.table
    point = await first_told_of(anna)
    assert (point.ply, point.seat) == (0, 0)
    assert point.better.move in set(anna.observation.legal_moves) - {point.played.move}
    assert point.cost > 0
    assert anna.table == before
    again = await anna.ask(Weigh, 0, 0, point.played.move)
    assert isinstance(again, Weighed)
    assert again.point == point
    await anna.play(0, point.played.move)
    assert anna.match.ply == 1


async def test_at_a_table_without_hints_nobody_is_coached_and_nobody_thinks(hub: Hub) -> None:
    anna = await hinting(hub, hints=False)
    await anna.look(0)
    assert "The coach is off" in await anna.refused(Weigh, 0, 0, anna.observation.legal_moves[0])
    assert hub.chooser.pool.pids == ()


async def test_only_moves_that_may_be_made_now_are_weighed(hub: Hub) -> None:
    anna = await hinting(hub, hints=True)
    await anna.look(0)
    legal = anna.observation.legal_moves
    illegal = next(move for move in range(10**6) if move not in legal)
    assert await anna.refused(Weigh, 0, 0, illegal)
    assert "moved on" in await anna.refused(Weigh, 0, 1, legal[0])
    await anna.play(0, legal[0])
    assert "moved on" in await anna.refused(Weigh, 0, 0, legal[0])
    assert hub.chooser.pool.pids == ()


@pytest.mark.parametrize("then", [Weigh, Play])
async def test_a_move_that_is_made_or_weighed_ends_the_weighing_before(
    then: type[Weigh | Play], hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[Move] = []

    async def stuck(
        _: Chooser, _game: AnyGame, _seen: CommonObservation, move: Move, _known: BotKnowledge
    ) -> None:
        begun.append(move)
        if len(begun) == 1:
            await asyncio.Event().wait()

    monkeypatch.setattr(Chooser, "weigh", stuck)
    anna = await hinting(hub, hints=True)
    await anna.look(0)
    first, second = anna.observation.legal_moves[:2]
    waiting = asyncio.create_task(anna.ask(Weigh, 0, 0, first))
    await until(lambda: begun)
    reply = await anna.ask(then, 0, 0, second)
    assert not isinstance(reply, Refused)
    assert isinstance(await waiting, Refused)
