"""At home a match outlives the store that it is kept in, and is kept as soon as that can be again."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from itertools import count
from pathlib import Path

import pytest

from kk_core.protocol.messages import GetHistory, GoTo, History, OpenLesson
from kk_core.registry import game_ids
from kk_core.text import Text
from kk_server.accounts.names import AT_HOME
from kk_server.cli import Failure, play
from kk_server.cli.play import newest
from kk_server.hub.hub import Hub
from kk_server.serve.server import start
from kk_server.storage import memory_log
from kk_server.storage.entries import Created, Ended, Entry, Moved, SeatHolder
from kk_server.storage.memory_log import FallbackLog, MemoryLog
from kk_server.storage.sql_log import SqlLog, open_log
from kk_server.storage.sqlite import DATABASE, LOCK
from kk_server.storage.table_log import Conflict, Damaged, StorageFailed, TableLog
from kk_tui.saving import SaveState
from tests.core.contract.tables import people_at
from tests.server.client import Client
from tests.server.hosting import PLENTY, here
from tests.waiting import wait_for

AGAIN = 0.02
"""Seconds after which a file is tried again here."""

NEVER = 1e6


@asynccontextmanager
async def home_hub(folder: Path, save_state: SaveState | None = None) -> AsyncIterator[Hub]:
    """The hub at home, whose bots take no time."""
    async with play.home_hub(folder, save_state=save_state) as hub:
        hub.pace.seconds = 0.0
        yield hub


async def over(file: TableLog, told: Callable[[Text | None], None] = lambda _fault: None) -> FallbackLog:
    """A log over one that is open, and tried again at the end alone."""

    async def open_file() -> TableLog:
        return file

    log = FallbackLog(open_file, told, again=NEVER)
    await log.open()
    return log


async def begin(hub: Hub, game: str) -> Client:
    anna = Client(hub.connect(AT_HOME))
    seats = people_at(game)
    await anna.open(game, seats)
    await anna.sit(0)
    await anna.seat_bots(*range(1, seats))
    await anna.start()
    return anna


async def fill_up(log: SqlLog) -> None:
    """Let the disk be full from now on."""
    ((pages,),) = await log._database.rows("PRAGMA page_count")
    await log._database.rows(f"PRAGMA max_page_count = {pages}")
    for size in (2000, 200, 1):
        with suppress(StorageFailed):
            for number in count():
                await log.keep_data([size, number, "x" * size])
        with suppress(StorageFailed):
            for number in count():
                await log.append(f"other-{size}-{number}", 0, Created("x" * size, "x", "x", {}, 2))


@pytest.mark.parametrize("game", game_ids())
async def test_a_match_goes_on_to_its_end_when_the_disk_is_full_and_what_fitted_is_kept(
    game: str, tmp_path: Path
) -> None:
    said: list[Text | None] = []
    file = await open_log(tmp_path / "log.sqlite")
    hub = Hub(await over(file, said.append), bot_pause=0, limits=PLENTY)
    await hub.load()
    anna = await begin(hub, game)
    table = anna.table.id
    await anna.until(lambda c: 0 in c.observation.active)
    kept = len((await file.read(table)).entries)
    await fill_up(file)
    await anna.play_to_the_end()
    assert anna.table.phase == "finished"
    (reason,) = said
    assert "full" in str(reason)
    history = await anna.ask(GetHistory)
    assert isinstance(history, History)
    assert [match.table for match in history.matches] == [table]
    await hub.close()
    again = await open_log(tmp_path / "log.sqlite")
    stored = await again.read(table)
    assert stored.damage is None
    assert len(stored.entries) >= kept
    await again.close()


async def make_room(log: SqlLog) -> None:
    """Let the disk have room again."""
    await log._database.rows("PRAGMA max_page_count = 1000000")


@pytest.mark.parametrize("game", game_ids())
async def test_once_the_disk_has_room_again_the_file_has_all_that_was_played_meanwhile(
    game: str, tmp_path: Path
) -> None:
    said: list[Text | None] = []
    file = await open_log(tmp_path / "log.sqlite")

    async def open_file() -> TableLog:
        return file

    log = FallbackLog(open_file, said.append, AGAIN)
    await log.open()
    hub = Hub(log, bot_pause=0, limits=PLENTY)
    await hub.load()
    anna = await begin(hub, game)
    table = anna.table.id
    await anna.until(lambda c: 0 in c.observation.active)
    await fill_up(file)
    assert log.unkept() == {}
    await anna.play_to_the_end()
    history = await anna.ask(GetHistory)
    assert isinstance(history, History)
    assert [match.table for match in history.matches] == [table]
    since = log.unkept()[table]
    assert since is not None
    await make_room(file)
    await wait_for(lambda: said[-1] is None)
    assert log.unkept() == {}
    played = await log.read(table)
    await hub.close()
    again = await open_log(tmp_path / "log.sqlite")
    stored = await again.read(table)
    assert stored.entries[: len(played.entries)] == played.entries
    assert sum(isinstance(entry, Moved) for entry in stored.entries) == anna.match.ply
    assert [ended.table for ended in await again.results_of(AT_HOME)] == [table]
    await again.close()


async def test_what_waits_for_the_file_is_written_when_the_program_ends(tmp_path: Path) -> None:
    said: list[Text | None] = []
    file = await open_log(tmp_path / "log.sqlite")
    log = await over(file, said.append)
    await fill_up(file)
    await log.append("t", 0, Created("t", "x", "x", {}, 2))
    await log.append("t", 1, Moved("0 1"))
    assert log.unkept().keys() == {"t"}
    await make_room(file)
    await log.close()
    assert said[-1] is None
    again = await open_log(tmp_path / "log.sqlite")
    assert len((await again.read("t")).entries) == 2
    await again.close()


async def test_a_match_that_began_while_nothing_was_kept_is_lost_as_a_whole_another_in_part(
    tmp_path: Path,
) -> None:
    file = await open_log(tmp_path / "log.sqlite")
    hub = Hub(log := await over(file), bot_pause=0, limits=PLENTY)
    await hub.load()
    anna = await begin(hub, "ku_ka_king")
    before = anna.table.id
    await anna.until(lambda c: 0 in c.observation.active)
    await file._database.rows("PRAGMA query_only = ON")  # a full disk may still have room for one more move
    await anna.play(0, anna.observation.legal_moves[0])
    beside = await begin(hub, "land_cards")
    later = beside.table.id
    unkept = log.unkept()
    assert unkept.keys() == {before, later}
    assert unkept[before] is not None
    assert unkept[later] is None
    await beside.go_to(None)
    await hub.close_table(AT_HOME, later)
    assert log.unkept().keys() == {before}
    await hub.close()


async def test_past_matches_stay_in_sight_and_deleted_ones_out_of_it_while_the_disk_is_full(
    tmp_path: Path,
) -> None:
    file = await open_log(tmp_path / "log.sqlite")
    log = await over(file)
    anna = (SeatHolder("Anna", "anna"),)
    first, second, third = (Ended(each, 1, n, "x", anna, (3,), (0,), 9, 0) for n, each in enumerate("abc"))
    for ended in (first, second):
        await log.keep_result(ended)
    await fill_up(file)
    await log.keep_result(third)
    assert await log.results_of("anna") == [third, second, first]
    await log.forget_result("anna", "a", 1)
    assert await log.results_of("anna") == [third, second]
    await make_room(file)
    await log.close()
    again = await open_log(tmp_path / "log.sqlite")
    assert await again.results_of("anna") == [third, second]
    await again.close()


async def test_a_table_that_nobody_has_looked_at_can_be_closed_and_is_not_known_half(tmp_path: Path) -> None:
    file = await open_log(tmp_path / "log.sqlite")
    await file.append("t", 0, Created("t", "x", "x", {}, 2))
    await file.append("t", 1, Moved("0 1"))
    log = await over(file)
    await fill_up(file)
    await log.append("t", 2, Moved("0 2"))
    assert [type(entry) for entry in (await log.read("t")).entries] == [Created, Moved, Moved]
    with pytest.raises(Conflict):
        await log.append("t", 2, Moved("0 2"))
    await make_room(file)
    await log.close()
    again = await open_log(tmp_path / "log.sqlite")
    assert len((await again.read("t")).entries) == 3
    await again.close()


async def test_a_file_that_is_damaged_is_written_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[Text | None] = []
    file = await open_log(tmp_path / "log.sqlite")
    log = await over(file, said.append)

    async def damaged(*_: object) -> None:
        raise Damaged(Text("The file is damaged."))

    monkeypatch.setattr(file, "append", damaged)
    await log.append("t", 0, Created("t", "x", "x", {}, 2))
    monkeypatch.undo()
    await log.append("t", 1, Moved("0 1"))
    await log.close()
    assert said == [Text("The file is damaged.")]
    again = await open_log(tmp_path / "log.sqlite")
    assert (await again.read("t")).entries == ()
    await again.close()


async def test_what_was_stored_though_the_file_said_that_it_was_not_is_stored_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[Text | None] = []
    file = await open_log(tmp_path / "log.sqlite")
    log, append = await over(file, said.append), file.append

    async def unsure(table: str, revision: int, entry: Entry, at: int) -> None:
        await append(table, revision, entry, at)
        raise StorageFailed(Text("The disk isn't responding."))

    entries = Created("t", "x", "x", {}, 2), Moved("0 1"), Moved("0 2")
    await log.append("t", 0, entries[0])
    with monkeypatch.context() as troubled:
        troubled.setattr(file, "append", unsure)
        await log.append("t", 1, entries[1])
    await log.append("t", 2, entries[2])
    await log.close()
    assert said == [Text("The disk isn't responding."), None]
    again = await open_log(tmp_path / "log.sqlite")
    assert (await again.read("t")).entries == entries
    await again.close()


async def test_tables_of_before_go_on_in_memory_too(tmp_path: Path) -> None:
    async with home_hub(tmp_path) as hub:
        anna = await begin(hub, "ku_ka_king")
        await anna.until(lambda c: 0 in c.observation.active)
        ply = anna.match.ply
        table = anna.table.id
    file = await open_log(tmp_path / DATABASE)
    hub = Hub(await over(file), bot_pause=0, limits=PLENTY)
    await hub.load()
    await fill_up(file)
    anna = Client(hub.connect(AT_HOME))
    await anna.go_to(table)
    assert anna.match.ply >= ply
    await anna.play_to_the_end()
    await hub.close()


async def test_what_nobody_can_go_on_with_is_closed_at_the_next_start(tmp_path: Path) -> None:
    async with home_hub(tmp_path) as hub:
        anna = Client(hub.connect(AT_HOME))
        await anna.open("ku_ka_king", 2)
        await anna.sit(0)
        await anna.go_to(None)
        playing = await begin(hub, "land_cards")
        kept = playing.table.id
        assert len(hub.tables) == 2
    async with home_hub(tmp_path) as hub:
        assert hub.table_cache.ids() == [kept]


async def test_a_second_hub_on_the_same_folder_keeps_nothing_and_harms_nothing(tmp_path: Path) -> None:
    async with home_hub(tmp_path) as first:
        playing = await begin(first, "land_cards")
        async with home_hub(tmp_path) as second:
            assert second.table_cache.ids() == []
            await begin(second, "ku_ka_king")
        await playing.until(lambda c: 0 in c.observation.active)
        await playing.play(0, playing.observation.legal_moves[0])
        kept = playing.table.id
    async with home_hub(tmp_path) as again:
        assert again.table_cache.ids() == [kept]


async def test_the_second_of_two_keeps_its_matches_from_when_the_first_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_log, "AGAIN", AGAIN)
    one, two = SaveState(), SaveState()
    async with home_hub(tmp_path, save_state=two) as second:
        assert two.fault is None
    async with home_hub(tmp_path, save_state=one) as first:
        await begin(first, "ku_ka_king")
        late = home_hub(tmp_path, save_state=two)
        second = await late.__aenter__()
        assert "kk is already running" in str(two.fault)
        anna = await begin(second, "land_cards")
        kept = anna.table.id
        assert two.unkept() == {kept: None}
        assert one.fault is None
    await wait_for(lambda: two.fault is None)
    assert two.unkept() == {}
    async with home_hub(tmp_path, save_state=one):
        assert "kk is already running" in str(one.fault)
    await late.__aexit__(None, None, None)
    async with home_hub(tmp_path) as again:
        assert kept in again.table_cache.ids()
        assert len(again.table_cache.ids()) == 2


@pytest.mark.parametrize("in_the_way", ["kk", f"kk/{DATABASE}", f"kk/{LOCK}"])
async def test_from_when_the_folder_can_be_used_matches_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_the_way: str
) -> None:
    monkeypatch.setattr(memory_log, "AGAIN", AGAIN)
    obstacle, save_state = tmp_path / in_the_way, SaveState()
    obstacle.parent.mkdir(exist_ok=True)
    if in_the_way == "kk":
        obstacle.touch()
    else:
        obstacle.mkdir()
    async with home_hub(tmp_path / "kk", save_state=save_state) as hub:
        assert str(tmp_path / "kk") in str(save_state.fault)
        kept = (await begin(hub, "land_cards")).table.id
        assert save_state.unkept() == {kept: None}
        obstacle.unlink() if in_the_way == "kk" else obstacle.rmdir()
        await wait_for(lambda: save_state.fault is None)
    async with home_hub(tmp_path / "kk") as hub:
        assert hub.table_cache.ids() == [kept]


def close_folder(folder: Path) -> None:
    """Let a folder be one that can be read, but not used, by root as well."""
    (folder / LOCK).unlink()
    (folder / LOCK).mkdir()


async def played_once(folder: Path) -> tuple[str, str]:
    """A folder with a match that goes on, and one that was played to its end: their tables."""
    async with home_hub(folder) as hub:
        going_on = (await begin(hub, "land_cards")).table.id
        anna = await begin(hub, "ku_ka_king")
        await anna.play_to_the_end()
        return going_on, anna.table.id


async def history_of(client: Client) -> list[str]:
    reply = await client.ask(GetHistory)
    assert isinstance(reply, History)
    return [match.table for match in reply.matches]


async def test_matches_of_a_folder_that_can_only_be_read_are_known_and_go_on_as_in_any_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kk_server.cli.play._LIMITS", PLENTY)
    monkeypatch.setattr(memory_log, "AGAIN", AGAIN)
    going_on, over = await played_once(tmp_path)
    close_folder(tmp_path)
    before, save_state = (tmp_path / DATABASE).read_bytes(), SaveState()
    async with home_hub(tmp_path, save_state=save_state) as hub:
        assert "cannot be used" in str(save_state.fault)
        assert save_state.unread is None
        assert newest(hub) == going_on
        anna = Client(hub.connect(AT_HOME))
        assert await history_of(anna) == [over]
        await anna.go_to(going_on)
        await anna.until(lambda c: 0 in c.observation.active)
        await anna.play(0, anna.observation.legal_moves[0])
        assert save_state.unkept().keys() == {going_on}
        assert (tmp_path / DATABASE).read_bytes() == before
        (tmp_path / LOCK).rmdir()
        await wait_for(lambda: save_state.fault is None)
        assert save_state.unkept() == {}
        await wait_for(lambda: hub.table_cache.ids() == [going_on])  # that of the other match is closed
        ply = anna.match.ply
    async with home_hub(tmp_path) as again:
        assert again.table_cache.ids() == [going_on]
        table = await again.table(going_on)
        assert table.match is not None
        assert len(table.match.plies) >= ply


async def test_a_file_that_is_only_read_is_closed_in_the_end() -> None:
    closed: list[bool] = []

    async def open_file() -> TableLog:
        raise StorageFailed(Text("The folder is closed."))

    @asynccontextmanager
    async def read_file() -> AsyncIterator[TableLog]:
        yield MemoryLog()
        closed.append(True)

    log = FallbackLog(open_file, lambda _fault: None, NEVER, read_file)
    await log.open()
    assert (log.is_unread, closed) == (False, [])
    await log.close()
    assert closed


async def test_the_lesson_of_a_folder_that_can_only_be_read_goes_on_where_it_was_left(tmp_path: Path) -> None:
    async with home_hub(tmp_path) as hub:
        begun = (await hub.open_lesson(AT_HOME, OpenLesson(0, "ku_ka_king", "Anna"))).id
    close_folder(tmp_path)
    async with home_hub(tmp_path) as hub:
        assert (await hub.open_lesson(AT_HOME, OpenLesson(0, "ku_ka_king", "Anna"))).id == begun


async def test_what_was_played_before_is_known_as_soon_as_the_folder_is_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kk_server.cli.play._LIMITS", PLENTY)
    monkeypatch.setattr(memory_log, "AGAIN", AGAIN)
    going_on, over = await played_once(tmp_path)
    save_state = SaveState()
    async with home_hub(tmp_path):
        late = home_hub(tmp_path, save_state=save_state)
        second = await late.__aenter__()
        unread = "Your past matches can't be read: kk is already running on this machine."
        assert str(save_state.unread) == unread
        anna = Client(second.connect(AT_HOME))
        begun_here = (await begin(second, "ku_ka_king")).table.id
        assert await history_of(anna) == []
    await anna.until(lambda c: {table.id for table in c.lobby.tables} == {going_on, begun_here})
    assert save_state.unread is None
    assert await history_of(anna) == [over]
    assert second.table_cache.ids() == [going_on, begun_here]  # the oldest first
    await anna.go_to(going_on)
    await anna.play_to_the_end()
    await late.__aexit__(None, None, None)


async def test_going_on_where_another_kk_is_open_is_refused_with_that_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(play, "data_folder", lambda: tmp_path)
    nothing = "There is no match to continue."
    with pytest.raises(Failure, match=nothing):
        await play._play(None, 0, go_on=True)
    async with home_hub(tmp_path) as hub:
        await begin(hub, "land_cards")
        with pytest.raises(Failure, match="matches can't be read: kk is already running on this machine"):
            await play._play(None, 0, go_on=True)


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


async def test_at_home_an_emptied_file_is_not_taken_for_a_new_one(tmp_path: Path) -> None:
    async with home_hub(tmp_path) as hub:
        await begin(hub, "land_cards")
    (tmp_path / DATABASE).write_bytes(b"")
    assert names_in(tmp_path) == {DATABASE, LOCK}
    save_state = SaveState()
    async with home_hub(tmp_path, save_state=save_state):
        assert f"{tmp_path / DATABASE} is empty, although" in str(save_state.unread)
    assert (tmp_path / DATABASE).read_bytes() == b""


@pytest.mark.parametrize("is_running", [True, False])
async def test_at_home_the_file_of_a_server_is_left_alone(tmp_path: Path, *, is_running: bool) -> None:
    served, home = tmp_path / "served", tmp_path / "home"
    home.mkdir()
    server = await start(here(served))
    beate = Client(server.hub.connect("beate"))
    await beate.open("ku_ka_king", 2)
    if not is_running:
        await server.close()
    (home / DATABASE).symlink_to(served / DATABASE)
    save_state = SaveState()
    async with home_hub(home, save_state=save_state) as hub:
        said = "kk is already running" if is_running else "belongs to a server, not to matches at home."
        assert said in str(save_state.fault)
        assert hub.table_cache.ids() == []
        if not is_running:
            server = await start(here(served))  # its folder is not held
    assert len(server.hub.tables) + len(server.hub.table_cache.unloaded) == 1
    await server.close()


def delete(folder: Path) -> None:
    shutil.rmtree(folder)


def move_away(folder: Path) -> None:
    folder.rename(folder.with_name("elsewhere"))


def replace_file(folder: Path) -> None:
    """Put a copy in its place, as restoring a backup does."""
    (folder / DATABASE).rename(folder / "before")
    shutil.copyfile(folder / "before", folder / DATABASE)


def delete_last_writes(folder: Path) -> None:
    (folder / f"{DATABASE}-wal").unlink()


@pytest.mark.parametrize("harm", [delete, move_away, replace_file, delete_last_writes])
async def test_a_match_is_not_kept_in_a_file_that_is_not_there_any_more_and_it_is_said(
    tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    save_state, folder = SaveState(), tmp_path / "kk"
    async with home_hub(folder, save_state=save_state) as hub:
        anna = await begin(hub, "land_cards")
        await anna.until(lambda c: 0 in c.observation.active)
        assert save_state.fault is None
        harm(folder)
        await anna.play(0, anna.observation.legal_moves[0])
        gone = f"{folder / DATABASE} was deleted, moved or replaced while it was in use."
        assert str(save_state.fault) == gone
        # what the file had of the match may be gone with it
        assert save_state.unkept() == {anna.table.id: None}
        assert str(save_state.lost()) == f"1 match will be lost: {gone}"


async def test_a_folder_that_is_put_back_gets_all_that_was_played_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_log, "AGAIN", AGAIN)
    save_state, folder = SaveState(), tmp_path / "kk"
    async with home_hub(folder, save_state=save_state) as hub:
        anna = await begin(hub, "ku_ka_king")
        table = anna.table.id
        await anna.until(lambda c: 0 in c.observation.active)
        move_away(folder)
        await anna.play(0, anna.observation.legal_moves[0])
        assert save_state.fault is not None
        folder.with_name("elsewhere").rename(folder)
        await wait_for(lambda: save_state.fault is None)
        assert save_state.unkept() == {}
        played = await hub._log.read(table)
    log = await open_log(folder / DATABASE)
    stored = await log.read(table)
    assert stored.entries[: len(played.entries)] == played.entries
    await log.close()


async def test_a_table_that_cannot_be_read_is_counted_and_left_out(tmp_path: Path) -> None:
    async with home_hub(tmp_path) as hub:
        table = (await begin(hub, "ku_ka_king")).table.id
    log = await open_log(tmp_path / DATABASE)
    await log._database.rows("UPDATE entries SET entry = 'burnt' WHERE revision = 2")
    await log.close()
    async with home_hub(tmp_path) as hub:
        assert table in await Client(hub.connect(AT_HOME)).refused(GoTo, table)
        assert (hub.table_cache.ids(), hub.left_out) == ([], 1)
