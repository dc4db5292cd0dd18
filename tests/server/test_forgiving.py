"""At home a match outlives the store that it is kept in."""

from __future__ import annotations

from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

from kk_core.registry import game_ids
from kk_core.text import Text
from kk_core.wire.messages import GetHistory, GoTo, History
from server.commands.home import USER, home_hub
from server.hub.hub import Hub
from server.storage.database import DATABASE
from server.storage.entries import Created
from server.storage.forgiving import ForgivingLog
from server.storage.sqlite import SqliteLog, open_log
from server.storage.table_log import StorageFailed
from tests.server.client import Client
from tests.server.hosting import PLENTY


async def begin(hub: Hub, game: str) -> Client:
    anna = Client(hub.connect(USER))
    await anna.open(game, 3)
    await anna.sit(0)
    await anna.seat_bots(1, 2)
    await anna.start()
    return anna


async def fill_up(log: SqliteLog) -> None:
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
    said: list[Text] = []
    file = await open_log(tmp_path / "log.sqlite")
    hub = Hub(ForgivingLog(file, said.append), bot_pause=0, limits=PLENTY)
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


async def test_tables_of_before_go_on_in_memory_too(tmp_path: Path) -> None:
    async with home_hub(tmp_path) as hub:
        anna = await begin(hub, "ku_ka_king")
        await anna.until(lambda c: 0 in c.observation.active)
        ply = anna.match.ply
        table = anna.table.id
    file = await open_log(tmp_path / DATABASE)
    hub = Hub(ForgivingLog(file, lambda _reason: None), bot_pause=0, limits=PLENTY)
    await hub.load()
    await fill_up(file)
    anna = Client(hub.connect(USER))
    await anna.go_to(table)
    assert anna.match.ply >= ply
    await anna.play_to_the_end()
    await hub.close()


async def test_what_nobody_can_go_on_with_is_closed_at_the_next_start(tmp_path: Path) -> None:
    async with home_hub(tmp_path) as hub:
        anna = Client(hub.connect(USER))
        await anna.open("ku_ka_king", 2)
        await anna.sit(0)
        await anna.go_to(None)
        playing = await begin(hub, "land_cards")
        kept = playing.table.id
        assert len(hub.tables) == 2
    async with home_hub(tmp_path) as hub:
        assert hub.shelf.ids() == [kept]


async def test_a_second_hub_on_the_same_folder_keeps_nothing_and_harms_nothing(tmp_path: Path) -> None:
    async with home_hub(tmp_path) as first:
        playing = await begin(first, "land_cards")
        async with home_hub(tmp_path) as second:
            assert second.shelf.ids() == []
            await begin(second, "ku_ka_king")
        await playing.until(lambda c: 0 in c.observation.active)
        await playing.play(0, playing.observation.legal_moves[0])
        kept = playing.table.id
    async with home_hub(tmp_path) as again:
        assert again.shelf.ids() == [kept]


async def test_a_table_that_cannot_be_read_is_counted_and_left_out(tmp_path: Path) -> None:
    async with home_hub(tmp_path) as hub:
        table = (await begin(hub, "ku_ka_king")).table.id
    log = await open_log(tmp_path / DATABASE)
    await log._database.rows("UPDATE entries SET entry = 'burnt' WHERE revision = 2")
    await log.close()
    async with home_hub(tmp_path) as hub:
        assert table in await Client(hub.connect(USER)).refused(GoTo, table)
        assert (hub.shelf.ids(), hub.left_out) == ([], 1)
