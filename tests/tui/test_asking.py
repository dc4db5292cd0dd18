"""A step that ends something is asked for: the reason is true, and what is dropped for it is said."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from kk_core.protocol.messages import OpenDaily, Preview, Previewed
from kk_core.types import Move, Seat, Viewer
from kk_server.accounts.daily import DailyDeals, DailyStore
from kk_server.hub.hub import Hub
from kk_server.storage.memory_log import MemoryLog
from kk_server.storage.sqlite import open_database
from kk_tui.app import KkApp
from kk_tui.games import faces
from kk_tui.match.moves import Asked, Effect, Previewer
from kk_tui.match.table import TableScreen
from kk_tui.settings import AppSettings, SessionSettings
from tests.server.client import Client
from tests.server.hosting import PLENTY
from tests.server.test_daily import Days, deal
from tests.tui.conftest import Running, Stage, at_rest, shown, until
from tests.tui.playing import can_act, scene_in, sit_down

ASKING = SessionSettings(AppSettings(motion="off"))
GAME = "web_of_power"

every_game = pytest.mark.parametrize("game_id", faces())


@pytest.fixture
async def hub(tmp_path: Path) -> AsyncIterator[Hub]:
    database = await open_database(tmp_path / "days.sqlite")
    hub = Hub(MemoryLog(), bot_pause=0, limits=PLENTY, daily=DailyDeals(DailyStore(database), Days()))
    await hub.load()
    yield hub
    await hub.close()
    await database.close()


ENDS = "This ends your turn: no undo. Enter draws from the pile."


def truth(hub: Hub, client: Client, move: Move) -> str | None:
    """What makes a step final by the rules, in the words of the prompt."""
    match = hub.tables[client.table.id]._running()
    game, before, after = match.game, match.state, match.game.apply(match.state, 0, move)
    viewers: tuple[Viewer, ...] = (*range(1, len(match.seats)), None)
    if game.turn(before) != game.turn(after) or not game.active_seats(after):
        return "This ends your turn: no undo"
    if game.reveals(before, after, 0):
        return "This shows you something new: no undo"
    if any(game.reveals(before, after, viewer) for viewer in viewers):
        return "Others see what only you knew: no undo"
    return None if len(game.active_seats(before)) < 2 else "It counts as soon as all have chosen"


@every_game
@pytest.mark.parametrize("is_daily", [False, True])
async def test_what_a_step_is_asked_for_is_true_where_there_is_undo_and_where_there_is_none(
    game_id: str, is_daily: bool, hub: Hub
) -> None:
    anna = Client(hub.connect("anna"))
    await anna.until(lambda c: c.tree[0] == "lobby")
    if is_daily:
        await deal(anna, game_id)
    else:
        seats = faces()[game_id].meta.min_seats
        await anna.open(game_id, seats)
        await anna.sit(0)
        await anna.seat_bots(*range(1, seats))
        await anna.start()
    said = set[str | None]()
    for _ in range(24):
        await anna.until(lambda c: 0 in c.observation.active or c.observation.outcome is not None)
        if anna.observation.outcome is not None:
            break
        for move in anna.observation.legal_moves[::7]:
            before = truth(hub, anna, move)
            reply = await anna.ask(Preview, 0, move)
            assert isinstance(reply, Previewed)
            loss = Asked(0, move, reply.ends, reply.shows).loss
            words = None if loss is None else str(loss)
            assert words in (before, truth(hub, anna, move))  # a bot may choose meanwhile
            said.add(words)
        await anna.play(0, anna.observation.legal_moves[0])
    assert said
    await anna.close()


async def draws_one(app: KkApp, pilot: Running) -> None:
    """Place a piece in an empty country, so that one card is to be drawn."""
    await sit_down(app, GAME, 3, 0)
    await until(pilot, lambda: can_act(app))
    await pilot.press("1", "enter", "enter")
    await until(pilot, lambda: can_act(app) and "Draw 1" in shown(app, "prompt"))


async def test_in_a_deal_of_the_day_placing_in_an_empty_country_leads_straight_to_drawing(
    hub: Hub, tmp_path: Path
) -> None:
    async with Stage(hub, tmp_path).play("anna", games=faces(), settings=ASKING) as (app, pilot):
        await app.request(lambda number: OpenDaily(number, GAME))
        await until(pilot, lambda: isinstance(app.screen, TableScreen) and can_act(app))
        assert shown(app, "prompt").startswith("Tab shows where you can place")
        await pilot.press("1", "enter")
        await until(pilot, lambda: shown(app, "prompt").endswith(" (no undo)."))
        await pilot.press("enter")
        await until(pilot, lambda: "Draw 1: Enter takes" in shown(app, "prompt"))


async def test_a_second_choice_says_that_it_drops_the_first_and_its_key_pressed_again_makes_it(
    hub: Hub, tmp_path: Path
) -> None:
    async with Stage(hub, tmp_path).play("anna", games=faces(), settings=ASKING) as (app, pilot):
        await draws_one(app, pilot)
        before = scene_in(app)
        await pilot.press("d")
        await until(pilot, lambda: shown(app, "prompt") == ENDS)
        await pilot.press("4")
        await until(pilot, lambda: "Enter takes the face-up card" in shown(app, "prompt"))
        assert shown(app, "prompt").endswith(" instead.")
        await pilot.press("d")
        words = "This ends your turn: no undo. Enter draws from the pile instead."
        await until(pilot, lambda: shown(app, "prompt") == words)
        assert scene_in(app).match.ply == before.match.ply
        await pilot.press("d")
        await until(pilot, lambda: scene_in(app).match.ply > before.match.ply)


async def test_a_key_typed_ahead_drops_no_move_that_the_engine_is_asked_about(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered, ask = asyncio.Event(), Previewer.ask

    async def asked_late(previewer: Previewer, seat: Seat, move: Move) -> Effect:
        await answered.wait()
        return await ask(previewer, seat, move)

    async with Stage(hub, tmp_path).play("anna", games=faces(), settings=ASKING) as (app, pilot):
        await draws_one(app, pilot)
        monkeypatch.setattr(Previewer, "ask", asked_late)
        await pilot.press("d", "x")  # while drawing nothing can be discarded
        answered.set()
        await until(pilot, lambda: shown(app, "prompt") == ENDS)


async def test_while_a_step_waits_for_enter_a_full_stop_explains_signs_and_enter_first_ends_that(
    hub: Hub, tmp_path: Path
) -> None:
    async with Stage(hub, tmp_path).play("anna", games=faces(), settings=ASKING) as (app, pilot):
        await draws_one(app, pilot)
        ply, question = scene_in(app).match.ply, ENDS
        await pilot.press("d")
        await until(pilot, lambda: shown(app, "prompt") == question)
        for key in ("enter", "escape"):
            await pilot.press(".")
            await until(pilot, lambda: shown(app, "prompt") != question)
            await pilot.press(key)
            await until(pilot, lambda: shown(app, "prompt") == question)
            await at_rest(pilot)
            assert scene_in(app).match.ply == ply
        await pilot.press("enter")
        await until(pilot, lambda: scene_in(app).match.ply > ply)
