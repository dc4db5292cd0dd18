"""The card game through the app, on a real hub."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from kk_core.games.land_cards.model import (
    CELLS,
    END_TAKING,
    GIVE_UP_SUPPLY,
    MOVE,
    MOVES_END,
    PASS,
    PLAY_LAW,
    SKIP,
    STONE_STEP,
    TAKING,
    EndTaking,
    PlaceStone,
    read,
)
from kk_core.match import Match
from kk_core.protocol.messages import Answer, Previewed
from kk_core.types import Move
from kk_tui.app import KkApp
from kk_tui.games.land_cards.face import FACE
from kk_tui.games.land_cards.panels import own_laws
from kk_tui.match.moves import Previewer
from kk_tui.match.result import ResultScreen
from kk_tui.match.table import TableScreen
from kk_tui.screens.dialogs import HandoverDialog
from kk_tui.settings import AppSettings, SessionSettings
from tests.tui.conftest import Running, Stage, at_rest, shown, until
from tests.tui.playing import at_table, begin, board_in, can_act, is_over, keys_of, scene_in
from tests.tui.scenes import lines_of, match_of

FACES = {"land_cards": FACE}


def cells_of(move: Move) -> tuple[int, ...]:
    """The cells that are chosen one after the other for a move."""
    if MOVE <= move < MOVES_END:
        return divmod(move - MOVE, CELLS)
    return (move % 64,) if move >= CELLS else ()


def key_of(app: KkApp, move: Move) -> str:
    """The key of a move that names no cell."""
    named = {END_TAKING: "e", PASS: "p", SKIP: "p", GIVE_UP_SUPPLY: "y"}
    return named.get(move) or str(1 + own_laws(scene_in(app).observation).index(move - PLAY_LAW))


async def by_keys(app: KkApp, pilot: Running, move: Move) -> None:
    """Tab to each cell and press Enter, or press the key of the move."""
    for cell in cells_of(move):
        while board_in(app).cursor != cell:
            await pilot.press("tab")
        await pilot.press("enter")
    if not cells_of(move):
        await pilot.press(key_of(app, move))


async def by_mouse(app: KkApp, pilot: Running, move: Move) -> None:
    """Click each cell, or the label in the footer."""
    for cell in cells_of(move):
        await pilot.click("#board", offset=place_of(app, cell))
    if not cells_of(move):
        found = re.search(rf"(?<=  |./){key_of(app, move)}(?= |/)", f" {keys_of(app)}")
        assert found is not None
        await pilot.click("#keys", offset=(found.start() - 1, 0))


def place_of(app: KkApp, cell: int) -> tuple[int, int]:
    """Where a card lies on the board."""
    layout = board_in(app).painter.layout
    row, column = divmod(cell, 14)
    return layout.left + column * layout.pitch_x + 1, row * layout.pitch_y + 2


async def play(
    app: KkApp, pilot: Running, make: Callable[[KkApp, Running, Move], Awaitable[None]]
) -> set[str]:
    """Play random moves to the end; the kinds of moves that were made."""
    chance, kinds = Random(7), set()
    while not is_over(app):
        before = scene_in(app)
        wanted = chance.choice(sorted(before.legal))
        await make(app, pilot, wanted)
        await until(pilot, lambda ply=before.match.ply: scene_in(app).match.ply > ply)  # type: ignore[misc]
        made = scene_in(app).match.log[before.match.ply % 48]
        assert made is not None
        assert (made.seat, made.move) == (before.viewer, wanted)
        kinds.add("move" if wanted >= MOVE else str(wanted // 64))
        await until(pilot, lambda: can_act(app) or is_over(app))
    return kinds


async def test_a_match_is_played_to_its_result_by_keys(stage: Stage) -> None:
    async with stage.play(games=FACES) as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        assert {"0", "1", "3", "move"} <= await play(app, pilot, by_keys)
        await until(pilot, lambda: isinstance(app.screen, ResultScreen))
        await pilot.press("s")
        await until(pilot, lambda: "Subtotal" in "\n".join(lines_of(app)))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        await pilot.press("enter")
        await until(pilot, lambda: is_over(app))


async def test_a_match_is_played_to_its_result_by_mouse(stage: Stage) -> None:
    async with stage.play(games=FACES, size=(120, 40)) as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        assert {"0", "1", "3", "move"} <= await play(app, pilot, by_mouse)
        await until(pilot, lambda: "Subtotal" in "\n".join(lines_of(app)))


async def test_a_step_that_ends_the_turn_is_done_when_it_is_chosen_once_more(stage: Stage) -> None:
    asking = SessionSettings(AppSettings(motion="off"))
    async with stage.play(games=FACES, settings=asking) as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        await pilot.press("enter")
        await until(pilot, lambda: scene_in(app).match.ply == 1 and can_act(app))
        await pilot.press("e")
        await until(pilot, lambda: scene_in(app).observation.phase == STONE_STEP and can_act(app))
        ply = scene_in(app).match.ply
        board = board_in(app)
        for away in ("escape", "tab", "s"):
            await pilot.click("#board", offset=place_of(app, sorted(board._choices.open(None))[0]))
            await until(pilot, lambda: is_asked(app))
            assert shown(app, "prompt").startswith("This ends your turn: no undo. Enter ")
            assert "Enter do it" in keys_of(app)
            await pilot.press("space")
            await at_rest(pilot)
            assert shown(app, "prompt").startswith("This ends your turn: no undo. Enter "), "it is not hidden"
            await pilot.press(away)
            if away != "s":
                await until(pilot, lambda: not is_asked(app))
        assert is_asked(app), "a drawer is no other choice"
        await pilot.press("e")  # it is refused, and another choice all the same
        await until(pilot, lambda: not is_asked(app) and "Enter do it" not in keys_of(app))
        await pilot.press("p")
        await until(pilot, lambda: "Enter leaves the stones as they are" in shown(app, "prompt"))
        assert scene_in(app).match.ply == ply
        await pilot.press("enter")
        await until(pilot, lambda: scene_in(app).match.ply > ply)
        assert isinstance(app.screen, TableScreen)


async def test_a_stone_laid_out_by_the_cursor_is_placed_by_enter_once(stage: Stage) -> None:
    asking = SessionSettings(AppSettings(motion="off"))
    async with stage.play(games=FACES, settings=asking) as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        await pilot.press("enter")
        await until(pilot, lambda: scene_in(app).match.ply == 1 and can_act(app))
        await pilot.press("e")
        await until(pilot, lambda: scene_in(app).observation.phase == STONE_STEP and can_act(app))
        ply = scene_in(app).match.ply
        await pilot.press("tab")
        await until(pilot, lambda: "and ends your turn" in shown(app, "prompt"))
        await pilot.press("enter")
        await until(pilot, lambda: scene_in(app).match.ply > ply)
        placed = scene_in(app).match.recent()[ply][1].move
        assert placed is not None
        assert isinstance(read(placed), PlaceStone)


async def test_a_step_without_an_alternative_is_done_at_once(tmp_path: Path) -> None:
    match = next(
        match
        for match in (match_of("land_cards", 3, plies) for plies in range(1000))
        if match.game.legal_moves(match.state, 0) == (EndTaking().move,) and match.may_undo(0)
    )
    async with at_table(
        match, tmp_path, games=FACES, settings=SessionSettings(AppSettings(motion="off"))
    ) as (app, pilot):
        await until(pilot, lambda: can_act(app))
        ply = scene_in(app).match.ply
        await pilot.press("e")
        await until(pilot, lambda: scene_in(app).match.ply > ply)


async def test_why_a_step_is_refused_is_not_told_any_more_once_another_one_was_chosen(stage: Stage) -> None:
    asking, held = SessionSettings(AppSettings(motion="off")), asyncio.Event()
    async with stage.play(games=FACES, settings=asking) as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        await pilot.press("enter")
        await until(pilot, lambda: scene_in(app).match.ply == 1 and can_act(app))
        await pilot.press("e")
        await until(pilot, lambda: scene_in(app).observation.phase == STONE_STEP and can_act(app))
        asked, reasons = app.request, list[object]()

        async def late(make: Any) -> Any:
            answer = await asked(make)
            if isinstance(answer, Answer):
                reasons.append(answer.reason)
                await held.wait()
            return answer

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(app, "request", late)
            await pilot.press("e")
            await until(pilot, lambda: reasons)
            await pilot.press("p")
            await until(pilot, lambda: is_asked(app))
            held.set()
            await at_rest(pilot)
        assert "Enter leaves the stones as they are" in shown(app, "prompt")
        await pilot.press("e")
        await until(pilot, lambda: shown(app, "prompt") == str(reasons[0]))


async def test_a_step_that_is_given_up_before_it_is_known_what_it_ends_is_not_done(stage: Stage) -> None:
    asking, held = SessionSettings(AppSettings(motion="off")), asyncio.Event()
    async with stage.play(games=FACES, settings=asking) as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        asked, ends = app.request, list[str]()

        async def late(make: Any) -> Any:
            answer = await asked(make)
            if isinstance(answer, Previewed):
                ends.append(answer.ends)
                await held.wait()
            return answer

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(app, "request", late)
            # never known before it is asked, however long the cursor has stood there
            patch.setattr(Previewer, "ends", property(lambda _: None, lambda *_: None), raising=False)
            await pilot.press("enter")
            await until(pilot, lambda: "nothing" in ends)
            await pilot.press("right", "left")
            held.set()
            await at_rest(pilot)
        assert scene_in(app).match.ply == 0
        assert not is_asked(app)
        await pilot.press("enter")
        await until(pilot, lambda: scene_in(app).match.ply == 1)


async def test_a_step_that_ends_nothing_is_done_at_once(stage: Stage) -> None:
    asking = SessionSettings(AppSettings(motion="off"))
    async with stage.play(games=FACES, settings=asking) as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        await pilot.press("enter")
        await until(pilot, lambda: scene_in(app).match.ply == 1 and can_act(app))
        assert scene_in(app).match.may_undo
        await pilot.press("e")
        await until(pilot, lambda: scene_in(app).match.ply == 2 and can_act(app))


async def test_the_same_card_clicked_twice_gets_a_stone_that_ends_the_turn(stage: Stage) -> None:
    asking = SessionSettings(AppSettings(motion="off"))
    async with stage.play(games=FACES, settings=asking) as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        await pilot.press("enter")
        await until(pilot, lambda: scene_in(app).match.ply == 1)
        await pilot.press("e")
        await until(pilot, lambda: scene_in(app).observation.phase == STONE_STEP and can_act(app))
        board, ply = board_in(app), scene_in(app).match.ply
        first, second = sorted(board._choices.open(None))[:2]
        for cell in (first, second):
            await pilot.click("#board", offset=place_of(app, cell))
            await until(pilot, lambda: is_asked(app))
            assert board.cursor == cell
        assert scene_in(app).match.ply == ply
        await pilot.click("#board", offset=place_of(app, second))
        await until(pilot, lambda: scene_in(app).match.ply > ply)


def is_asked(app: KkApp) -> bool:
    """Whether a step waits to be chosen once more."""
    return isinstance(app.screen, TableScreen) and app.screen.mover.asked is not None


async def test_a_card_inside_a_row_is_refused_with_the_engines_reason_until_the_next_key(
    stage: Stage,
) -> None:
    async with stage.play(games=FACES) as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        await pilot.press("right", "enter")
        await until(pilot, lambda: shown(app, "prompt") == "This card is not at an end of its row.")
        await pilot.hover(offset=(20, 8))
        app.screen.place_changed()  # type: ignore[attr-defined]
        assert shown(app, "prompt") == "This card is not at an end of its row."
        await pilot.press("e")
        await until(pilot, lambda: shown(app, "prompt") == "You must take at least one card.")
        await pilot.press("left")
        await until(pilot, lambda: "Take a card" in shown(app, "prompt"))


async def test_three_people_play_at_one_screen_and_law_cards_are_covered_between_them(stage: Stage) -> None:
    async with stage.play(games=FACES) as (app, pilot):
        await begin(app, pilot, humans=3)
        chance, covered = Random(3), 0
        while covered < 2 and not is_over(app):
            await until(pilot, lambda: can_act(app) or isinstance(app.screen, HandoverDialog) or is_over(app))
            if isinstance(app.screen, HandoverDialog):
                covered += 1
                await until(pilot, lambda: scene_in(app).viewer is None)
                await pilot.press("enter")
                await until(pilot, lambda: can_act(app))
            elif not is_over(app):
                scene = scene_in(app)
                app.press_guard.press("a key")
                board_in(app).choose(chance.choice(sorted(scene.legal)))
                await until(pilot, lambda ply=scene.match.ply: scene_in(app).match.ply > ply)  # type: ignore[misc]
        assert covered == 2


async def test_a_click_on_a_card_asks_before_it_takes_the_place_of_a_law_that_waits(tmp_path: Path) -> None:
    match = match_of("land_cards", 3)
    chance = Random(4)
    # with cards left to choose from besides
    while (
        match.state.seat != 0 or match.state.phase != TAKING or not _laws(match) or len(match.state.legal) < 6
    ):
        (seat,) = match.game.active_seats(match.state)
        match.play(seat, chance.choice(match.game.legal_moves(match.state, seat)))
    async with at_table(
        match, tmp_path, games=FACES, settings=SessionSettings(AppSettings(motion="off"))
    ) as (app, pilot):
        await until(pilot, lambda: can_act(app))
        ply, cells = scene_in(app).match.ply, board_in(app)._choices.open(None)
        await pilot.press(key_of(app, _laws(match)[0]))
        await until(pilot, lambda: is_asked(app))
        cell = next(cell for cell in sorted(cells) if cell != board_in(app).cursor)
        await pilot.click("#board", offset=place_of(app, cell))
        await until(pilot, lambda: "instead" in shown(app, "prompt"))
        assert scene_in(app).match.ply == ply
        assert board_in(app).cursor == cell
        await pilot.press("enter")
        await until(pilot, lambda: scene_in(app).match.ply > ply)


def _laws(match: Match) -> list[Move]:
    """The law cards that the first player may play."""
    return [move for move in match.game.legal_moves(match.state, 0) if PLAY_LAW <= move < PLAY_LAW + 3]
