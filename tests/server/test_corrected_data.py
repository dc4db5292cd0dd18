"""Running tables and records outlive a corrected deck, map or scale."""

from __future__ import annotations

import io
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from kk_core import config
from kk_core.config import digest
from kk_core.protocol.messages import OpenTable, PlayOn, Propose
from kk_core.record import parse_record, replay
from kk_core.registry import game
from kk_core.tree import to_tree
from kk_server.accounts.names import AT_HOME
from kk_server.cli.play import home_hub
from kk_server.hub.history import match_of, until
from kk_server.hub.hub import Hub
from kk_server.storage.files import RecordFolder
from kk_server.storage.sql_log import open_log
from kk_server.storage.summaries import PLAYING
from tests.server.client import Client
from tests.server.hosting import PLENTY

CORRECTIONS = {
    "land_cards": ('Frankreich = ["KK", "KF",', 'Frankreich = ["KK", "KK",'),
    "web_of_power": ('"SW4-BU3", "SW4-IT1"', '"SW4-BU6", "SW4-IT1"'),
    "ku_ka_king": ("kings = [0, 0, 1, 4,", "kings = [0, 0, 2, 4,"),
}
"""A line of each game's data file, and what an owner of the printed game makes of it: deck, map and scale."""

every_game = pytest.mark.parametrize("game_id", CORRECTIONS)

Correct = Callable[[str], None]


@pytest.fixture
def correct(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Correct]:
    """Lets the host correct a game's data file; the program then starts anew."""

    def correct(game_id: str) -> None:
        folder = tmp_path / "config"
        folder.mkdir()
        source = config.read_shipped(f"{game_id}.toml").text
        found, instead = CORRECTIONS[game_id]
        assert source.count(found) == 1
        (folder / f"{game_id}.toml").write_text(source.replace(found, instead), encoding="utf-8")
        monkeypatch.setenv("KK_CONFIG", str(folder))
        game.cache_clear()

    yield correct
    monkeypatch.undo()
    game.cache_clear()


async def open_hub(folder: Path) -> Hub:
    log = await open_log(folder / "log.sqlite")
    hub = Hub(log, bot_pause=0, limits=PLENTY, keep_record=RecordFolder(folder / "records").keep)
    await hub.load()
    return hub


async def begin(hub: Hub, game_id: str, plies: int) -> Client:
    """A match after so many moves, all by one person."""
    anna = Client(hub.connect("anna"))
    await anna.open(game_id, 3)
    await anna.sit(0, 1, 2)
    await anna.start()
    while anna.match.ply < plies:
        seat = anna.observation.active[0]
        await anna.look(seat)
        await anna.play(seat, anna.observation.legal_moves[0])
    return anna


async def come_back(hub: Hub, table: str) -> Client:
    anna = Client(hub.connect("anna"))
    await anna.go_to(table)
    return anna


@every_game
async def test_a_running_match_goes_on_with_its_data_and_the_next_one_takes_the_corrected(
    game_id: str, tmp_path: Path, correct: Correct
) -> None:
    hub = await open_hub(tmp_path)
    anna = await begin(hub, game_id, 12)
    await anna.look(0)
    before, begun_with = anna.table, anna.match.rules_version
    await hub.close()
    correct(game_id)
    hub = await open_hub(tmp_path)
    anna = await come_back(hub, before.id)
    await anna.look(0)
    assert anna.table == before
    await anna.play_to_the_end()
    assert anna.match.rules_version == begun_with != game(game_id).rules_version
    await anna.do(Propose, "rematch")
    assert anna.match.rules_version == game(game_id).rules_version
    await anna.play_to_the_end()
    await hub.close()
    old, new = (replay(parse_record(path.read_bytes())) for path in sorted((tmp_path / "records").iterdir()))
    versions = {old.game.rules_version, new.game.rules_version}
    assert versions == {begun_with, game(game_id).rules_version}


@every_game
async def test_an_old_record_verifies_where_the_data_are_others(
    game_id: str, tmp_path: Path, correct: Correct
) -> None:
    hub = await open_hub(tmp_path)
    await (await begin(hub, game_id, 0)).play_to_the_end()
    await hub.close()
    (path,) = (tmp_path / "records").iterdir()
    record = parse_record(path.read_bytes())
    correct(game_id)
    assert record.rules_version != game(game_id).rules_version
    assert replay(record).is_over


@every_game
async def test_each_content_is_kept_once_however_many_matches_are_dealt_with_it(
    game_id: str, tmp_path: Path, correct: Correct
) -> None:
    hub = await open_hub(tmp_path)
    for _ in range(3):
        await begin(hub, game_id, 1)
    await hub.close()
    correct(game_id)
    hub = await open_hub(tmp_path)
    anna = await begin(hub, game_id, 1)
    assert hub.table_cache.phases() == {PLAYING: 4}
    await anna.close()
    await hub.close()
    log = await open_log(tmp_path / "log.sqlite")
    ((count,),) = await log._database.rows("SELECT count(*) FROM rules")
    await log.close()
    assert count == 2 + (game(game_id).drawing is not None)


RENAMED = "EN6", "EN7"
"""A space of the map as it comes, and what an owner of the printed game finds that it is called."""


@pytest.fixture
def rename(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Lets a space leave the map and its drawing, and another one come; the program then starts anew."""

    def rename() -> None:
        folder = tmp_path / "config"
        folder.mkdir()
        for name in ("web_of_power.toml", "web_of_power.drawing.toml"):
            content = config.read_shipped(name).text.replace(*RENAMED)
            (folder / name).write_text(content, encoding="utf-8")
        monkeypatch.setenv("KK_CONFIG", str(folder))
        game.cache_clear()

    yield rename
    monkeypatch.undo()
    game.cache_clear()


async def test_a_match_is_drawn_as_it_began_whatever_leaves_the_drawing(
    tmp_path: Path, rename: Callable[[], None]
) -> None:
    hub = await open_hub(tmp_path)
    anna = await begin(hub, "web_of_power", 6)
    table, drawing = anna.table.id, anna.match.drawing
    await hub.close()
    rename()
    hub = await open_hub(tmp_path)
    anna = await come_back(hub, table)
    assert anna.match.drawing == drawing
    await anna.look(0)
    await anna.play_to_the_end()
    await come_back(hub, table)  # somebody stays, so that the table does, too
    await anna.do(PlayOn, 6, ("", "random", "random"), "Anna")
    assert anna.table.id != table
    assert anna.match.drawing == drawing
    await anna.go_to(table)
    await anna.do(Propose, "rematch")
    assert anna.match.printed != game("web_of_power").printed
    assert anna.match.drawing == to_tree(game("web_of_power").drawing)
    await hub.close()
    hub = await open_hub(tmp_path)
    replayed = await match_of(hub._log, until((await hub._log.read(table)).entries, 1))
    assert replayed is not None
    assert to_tree(replayed.drawing) == drawing
    await hub.close()


@pytest.mark.parametrize("kept", [None, "{}", "[1]"])
async def test_where_the_drawing_of_a_match_is_lost_or_of_another_kind_todays_is_taken(
    tmp_path: Path, kept: str | None
) -> None:
    hub = await open_hub(tmp_path)
    anna = await begin(hub, "web_of_power", 3)
    table, drawing = anna.table.id, anna.match.drawing
    await hub.close()
    with closing(sqlite3.connect(tmp_path / "log.sqlite")) as connection, connection:
        ((started,),) = connection.execute("SELECT entry FROM entries WHERE kind = 'started'")
        key = json.loads(started)["drawing"]
        assert connection.execute("DELETE FROM rules WHERE digest = ?", (key,)).rowcount == 1
        if kept is not None:
            new = digest(json.loads(kept))
            connection.execute("INSERT INTO rules (digest, data) VALUES (?, ?)", (new, kept))
            connection.execute("UPDATE entries SET entry = replace(entry, ?, ?)", (key, new))
    hub = await open_hub(tmp_path)
    assert (await come_back(hub, table)).match.drawing == drawing
    await hub.close()


@every_game
async def test_data_that_an_owner_has_corrected_reach_the_record(
    game_id: str, tmp_path: Path, correct: Correct
) -> None:
    correct(game_id)
    hub = await open_hub(tmp_path)
    await (await begin(hub, game_id, 0)).play_to_the_end()
    await hub.close()
    (path,) = (tmp_path / "records").iterdir()
    corrected = json.loads(path.read_text())["rules_data"]
    assert corrected == json.loads(json.dumps(game(game_id).rules_data))


async def test_guests_are_told_nothing_of_the_hosts_files(
    tmp_path: Path, correct: Correct, journal: io.StringIO
) -> None:
    correct("land_cards")
    hub = await open_hub(tmp_path)
    file = tmp_path / "config" / "land_cards.toml"
    file.write_text("cards = 3")
    told = await Client(hub.connect("anna")).refused(OpenTable, "land_cards", {}, 3, "")
    await hub.close()
    assert str(tmp_path) not in told
    assert "the host's log says why" in told
    assert "data cannot be used" in journal.getvalue()


async def test_somebody_at_home_is_told_what_is_wrong_with_a_file_before_anything_is_played(
    tmp_path: Path, correct: Correct
) -> None:
    correct("land_cards")
    (tmp_path / "config" / "land_cards.toml").write_text("cards = 3")
    async with home_hub(tmp_path / "home") as hub:
        told = await Client(hub.connect(AT_HOME)).refused(OpenTable, "land_cards", {}, 3, "")
        assert not len(hub.table_cache)
    assert "land_cards.toml: $.cards: Expected `object`, got `int`" in told
