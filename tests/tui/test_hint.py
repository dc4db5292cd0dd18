"""A hint: what an expert would think of, over the table."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import pytest
from msgspec.structs import replace as replaced
from textual.content import Content

from kk_core.games.ku_ka_king.model import CHURCH, KING, KNIGHT
from kk_core.games.land_cards.model import CELLS, STONE, EndTaking, GiveUp, Skip, Take
from kk_core.games.web_of_power.model import COUNTRY_NAMES, PlaceCloister, read
from kk_core.match import Match
from kk_core.registry import part_of
from kk_core.text import text
from kk_core.types import Move, Seat
from kk_core.views import Advice, Change, Rival
from kk_server.bots.pool import Chooser
from kk_server.hub.hub import Hub
from kk_server.storage.memory_log import MemoryLog
from kk_tui.app import KkApp
from kk_tui.games import faces
from kk_tui.i18n import render
from kk_tui.match.hint import HintScreen, stacked
from kk_tui.match.table import TableScreen
from kk_tui.scene import Scene
from kk_tui.screens.dialogs import ConfirmScreen, HandoverDialog
from kk_tui.table.advice import CLASHING, beside_others, later, likelihood, reasons, why_better
from kk_tui.table.hint_words import HintWords
from kk_tui.widgets.board import HINT_MARKS, Board
from kk_tui.widgets.lines import Lines
from tests.tui.conftest import Running, Stage, at_rest, renewed, shown, until
from tests.tui.playing import at_table, board_in, can_act, keys_of, scene_in, sit_down
from tests.tui.scenes import match_of, scene_of_match


def first_where(condition: Callable[[Sequence[Move]], bool]) -> Match:
    """A match of the card game in which the first seat may make such moves."""
    for plies in range(1000):
        match = match_of("land_cards", 3, plies)
        if 0 in match.game.active_seats(match.state) and condition(match.game.legal_moves(match.state, 0)):
            return match
    raise AssertionError("there is none")


every_game = pytest.mark.parametrize("game", faces())
every_searched_game = pytest.mark.parametrize(
    "game", [game for game in faces() if part_of(game, "ai.strategy") is not None]
)
"""The board of a small game may do with the letters of a hint."""


def said_in(app: KkApp) -> str:
    """All words of the hint in front, in one line."""
    hint = app.screen.query_one("#hint", Lines)
    head = hint.render().plain.partition("\n")[0]
    return " ".join(" ".join([head, *(line.plain for line in hint.within)]).split())


def moves_at_different_places(board: Board[Any, Any]) -> list[Move]:
    """Up to three moves that lead the cursor to different places of the board."""
    found: dict[object, Move] = {}
    for move in sorted(board.scene.legal):
        if board.point_at(move):
            found.setdefault(getattr(board, "cursor", move), move)
    for _ in range(3):
        board.step_back()
    return list(found.values())[:3]


def around_mark(board: Board[Any, Any], move: Move) -> list[str]:
    """Mark a move, and return the signs at and around its letter."""
    drawn: list[list[str]] = []
    for moves in ((), (move,)):
        board.mark_moves(moves)
        drawn.append([strip.text for strip in board.render_lines(board.size.region)])
    before, after = drawn
    x, y = next(
        (x, y)
        for y, line in enumerate(after)
        for x, sign in enumerate(line)
        if sign == HINT_MARKS[0] != before[y][x]
    )
    return [line[max(0, x - 2) : x + 3] for line in after[max(0, y - 1) : y + 3]]


@pytest.mark.parametrize("size", [(80, 23), (80, 24), (120, 40)])
@every_game
async def test_the_moves_of_a_hint_are_marked_on_the_board_as_long_as_it_is_read(
    game: str, size: tuple[int, int], tmp_path: Path
) -> None:
    match = match_of(game, faces()[game].meta.min_seats)
    seat = match.game.active_seats(match.state)[0]
    assert seat == 0
    async with at_table(match, tmp_path, hints=True, size=size, games=faces()) as (app, pilot):
        await until(pilot, lambda: can_act(app))
        board = board_in(app)

        def drawn() -> list[str]:
            return [strip.text for strip in board.render_lines(board.size.region)]

        places = moves_at_different_places(board)
        before = drawn()
        moves = tuple(Advice(move, 0.3, 1.0, 0.0, ()) for move in places)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Chooser, "advise", AsyncMock(return_value=moves))
            await pilot.press("h")
            await until(pilot, lambda: isinstance(app.screen, HintScreen))
        await until(pilot, lambda: drawn() != before)
        differ = [
            now
            for old, new in zip(before, drawn(), strict=True)
            for was, now in zip(old, new, strict=True)
            if was != now
        ]
        assert {*HINT_MARKS} & set(differ) == set(HINT_MARKS[: len(places)])
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, TableScreen) and drawn() == before)


@pytest.mark.parametrize(("size", "least"), [((80, 24), 4), ((120, 40), 12)])
@every_searched_game
async def test_the_marks_of_a_hint_are_much_larger_than_their_letters(
    game: str, size: tuple[int, int], least: int, tmp_path: Path
) -> None:
    match = match_of(game, faces()[game].meta.min_seats)
    async with at_table(match, tmp_path, hints=True, size=size, games=faces()) as (app, pilot):
        await until(pilot, lambda: can_act(app))
        board = board_in(app)
        name = "cursor" if game == "land_cards" else "happened"
        colour = app.palette.colours[name].hex

        def marked() -> int:
            return sum(
                len(segment.text)
                for strip in board.render_lines(board.size.region)
                for segment in strip
                if segment.style and colour in str(segment.style)
            )

        before, places = marked(), moves_at_different_places(board)
        board.mark_moves(places)
        assert marked() - before >= least * len(places)
        board.mark_moves(())
        assert marked() == before


@pytest.mark.parametrize("ascii_only", [False, True])
@every_searched_game
async def test_the_cursor_is_seen_on_a_mark_by_its_signs_alone(
    game: str, ascii_only: bool, tmp_path: Path
) -> None:
    match = match_of(game, faces()[game].meta.min_seats)
    async with at_table(match, tmp_path, hints=True, ascii_only=ascii_only, games=faces()) as (app, pilot):
        await until(pilot, lambda: can_act(app))
        board = board_in(app)
        here, there, *_others = moves_at_different_places(board)
        seen = []
        for pointed in (here, there):
            board.point_at(pointed)
            seen.append(around_mark(board, here))
        assert seen[0] != seen[1]


@every_game
@pytest.mark.usefixtures("quick_hints")
async def test_a_hint_tells_moves_with_what_speaks_for_them_and_leads_back(game: str, tmp_path: Path) -> None:
    hub = Hub(MemoryLog(), hints=True, bot_pause=3600)
    stage = Stage(hub, tmp_path)
    async with stage.play(games=faces()) as (app, pilot):
        await sit_down(app, game, faces()[game].meta.min_seats, 0)
        await until(pilot, lambda: can_act(app))
        assert " h " in keys_of(app)
        before = scene_in(app)
        await pilot.press("h")
        await until(pilot, lambda: isinstance(app.screen, HintScreen))
        await until(pilot, lambda: "An expert would" in said_in(app))
        assert " a " in said_in(app)
        drawer, table = app.screen.query_one("#hint"), app.screen_stack[-2]
        await until(pilot, lambda: drawer.region.width)
        assert isinstance(table, TableScreen)
        assert drawer.region.x == table.side.region.x  # beside the board, of which nothing is covered
        assert drawer.region == table.side.region, "nothing of the side is left to be seen"
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        assert scene_in(app) is before
    await hub.close()


@every_game
async def test_the_letter_of_a_hint_leads_on_the_board_to_where_that_move_is_made(
    game: str, tmp_path: Path
) -> None:
    hub = Hub(MemoryLog(), hints=True, bot_pause=3600)
    async with Stage(hub, tmp_path).play(games=faces()) as (app, pilot):
        await sit_down(app, game, faces()[game].meta.min_seats, 0)
        await until(pilot, lambda: can_act(app))
        board = board_in(app)
        move = max(scene_in(app).legal)
        app.push_screen(
            HintScreen(
                scene_in(app), faces()[game], 0, [Advice(move, 1.0, 0.0, 0.0, ())], board.point_at, print
            )
        )
        await until(pilot, lambda: isinstance(app.screen, HintScreen))
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        await pilot.press("enter")
        await until(pilot, lambda: scene_in(app).match.ply > 0)
        assert scene_in(app).match.recent()[0][1].move in (move, None)
    await hub.close()


async def test_who_goes_back_while_a_hint_is_looked_for_is_shown_none_until_he_asks_again(
    tmp_path: Path,
) -> None:
    hub = Hub(MemoryLog(), hints=True, bot_pause=3600)
    async with Stage(hub, tmp_path).play(games=faces()) as (app, pilot):
        await sit_down(app, "ku_ka_king", 2, 0)
        await until(pilot, lambda: can_act(app))
        found = asyncio.Event()

        async def slowly(*_: object) -> tuple[Advice, ...]:
            await found.wait()
            return (Advice(2, 0.5, 0.0, 0.0, ()),)

        def is_waiting() -> bool:
            return "Looking for a good move" in shown(app, "prompt")

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Chooser, "advise", slowly)
            await pilot.press("h")
            await until(pilot, is_waiting)
            await pilot.press("escape")
            await until(pilot, lambda: not is_waiting())
            await pilot.press("h")
            await until(pilot, is_waiting)
            renewed(app)
            await pilot.press("a")  # the letter of its best move, too early
            await at_rest(pilot)
            assert is_waiting()
            found.set()
            await until(pilot, lambda: isinstance(app.screen, HintScreen))
            await pilot.press("escape")
            await until(pilot, lambda: isinstance(app.screen, TableScreen))
            assert not is_waiting()
            found.clear()
            await pilot.press("h")
            await until(pilot, is_waiting)
            await pilot.press("escape", "a")
            await at_rest(pilot)
            assert not is_waiting(), "it was given up"
            assert isinstance(app.screen, TableScreen)
            table = app.screen
            found.set()
            await until(pilot, lambda: not table._hints.is_asking)
            assert isinstance(app.screen, TableScreen)
            found.clear()
            await pilot.press("h")
            await until(pilot, is_waiting)
            app.push_screen(ConfirmScreen(text("Leave?"), lambda: None))
            await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
            found.set()
            await until(pilot, lambda: not table._hints.is_asking)
            await at_rest(pilot)
            assert isinstance(app.screen, ConfirmScreen), "nothing comes up over a question"
    await hub.close()


async def test_at_one_screen_a_hint_that_comes_after_the_hand_over_is_shown_to_nobody(tmp_path: Path) -> None:
    hub, found = Hub(MemoryLog(), hints=True), asyncio.Event()

    async def slowly(*_: object) -> tuple[Advice, ...]:
        await found.wait()
        return (Advice(2, 0.5, 0.0, 0.0, ()),)

    async def take_over(app: KkApp, pilot: Running, seat: Seat) -> frozenset[Move]:
        await until(pilot, lambda: isinstance(app.screen, HandoverDialog) and scene_in(app).viewer is None)
        await pilot.press("enter")
        await until(pilot, lambda: can_act(app) and scene_in(app).viewer == seat)
        return scene_in(app).legal

    async with Stage(hub, tmp_path).play(games=faces()) as (app, pilot):
        await sit_down(app, "ku_ka_king", 2, 0, 1)
        legal, table = await take_over(app, pilot, 0), app.screen
        assert isinstance(table, TableScreen)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Chooser, "advise", slowly)
            await pilot.press("h")
            await until(pilot, lambda: table._hints.is_asking)
            await pilot.press("3")
            assert await take_over(app, pilot, 1) == legal, "by the moves alone it could be the same hint"
        found.set()
        await until(pilot, lambda: not table._hints.is_asking)
        await at_rest(pilot)
        assert app.screen is table
    await hub.close()


async def test_enter_does_what_a_hint_says_that_has_no_place_on_the_board_until_another_key_is_pressed(
    tmp_path: Path,
) -> None:
    match = first_where(lambda legal: EndTaking().move in legal and len(legal) > 1)
    async with at_table(match, tmp_path, hints=True, games=faces()) as (app, pilot):
        await until(pilot, lambda: can_act(app))
        advice = (Advice(EndTaking().move, 1.0, 0.0, 0.0, ()),)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Chooser, "advise", AsyncMock(return_value=advice))
            await pilot.press("h")
            await until(pilot, lambda: isinstance(app.screen, HintScreen))
        before, enter = scene_in(app), "Enter, as the hint says, takes no more cards."
        await pilot.press("a")
        await until(pilot, lambda: enter in shown(app, "prompt"))
        assert "follow the hint" in keys_of(app)
        await pilot.press("left")
        await until(pilot, lambda: enter not in shown(app, "prompt"))
        assert "follow the hint" not in keys_of(app)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Chooser, "advise", AsyncMock(return_value=advice))
            await pilot.press("h")
            await until(pilot, lambda: isinstance(app.screen, HintScreen))
        await pilot.press("a")
        await until(pilot, lambda: enter in shown(app, "prompt"))
        await pilot.press("a")
        await until(pilot, lambda: "Enter follows the hint" in shown(app, "prompt"))
        assert scene_in(app) is before
        await pilot.press("enter")
        await until(pilot, lambda: scene_in(app).match.ply > before.match.ply)
        assert scene_in(app).match.recent()[-1][1].move == EndTaking().move


def turn_of_two_cloisters() -> tuple[Match, Sequence[Move]]:
    """A match of the board game in which the first seat may build twice in this turn, and how."""
    printed = scene_of_match(match_of("web_of_power", 3, 0), 0).observation.printed

    def places(match: Match) -> Sequence[Move]:
        legal = match.game.legal_moves(match.state, 0)
        return [move for move in sorted(legal) if isinstance(read(printed, move), PlaceCloister)]

    for plies in range(200):
        for number in range(len(places(match_of("web_of_power", 3, plies)))):
            before, after = (match_of("web_of_power", 3, plies) for _ in range(2))
            first = places(before)[number]
            after.play(0, first)
            if then := places(after):
                return before, (first, then[0])
    raise AssertionError("there is none")


async def test_after_the_first_move_of_a_hinted_turn_enter_makes_the_second(tmp_path: Path) -> None:
    match, (first, then) = turn_of_two_cloisters()
    async with at_table(match, tmp_path, hints=True, games=faces()) as (app, pilot):
        await until(pilot, lambda: can_act(app))
        begun = scene_in(app).match.ply
        with pytest.MonkeyPatch.context() as patch:
            advice = (Advice(first, 1.0, 0.0, 0.0, (), then=then),)
            patch.setattr(Chooser, "advise", AsyncMock(return_value=advice))
            await pilot.press("h")
            await until(pilot, lambda: isinstance(app.screen, HintScreen))
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, TableScreen) and board_in(app).candidate() == first)
        await at_rest(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: board_in(app).candidate() == then)
        await pilot.press("enter")
        await until(pilot, lambda: scene_in(app).match.ply >= begun + 2)
        made = [entry.move for _ply, entry in scene_in(app).match.recent()]
        assert made[made.index(first) + 1] == then


async def test_who_makes_another_move_than_a_hint_says_is_not_led_to_its_second(tmp_path: Path) -> None:
    match, (first, then) = turn_of_two_cloisters()
    async with at_table(match, tmp_path, hints=True, games=faces()) as (app, pilot):
        await until(pilot, lambda: can_act(app))
        begun = scene_in(app).match.ply
        with pytest.MonkeyPatch.context() as patch:
            advice = (Advice(then, 1.0, 0.0, 0.0, (), then=first),)
            patch.setattr(Chooser, "advise", AsyncMock(return_value=advice))
            await pilot.press("h")
            await until(pilot, lambda: isinstance(app.screen, HintScreen))
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, TableScreen) and board_in(app).candidate() == then)
        await at_rest(pilot)
        board_in(app).point_at(first)
        await pilot.press("enter")
        await until(pilot, lambda: scene_in(app).match.ply == begun + 1)
        await at_rest(pilot)
        assert board_in(app).candidate() is None


async def test_the_letter_of_a_hint_pressed_twice_does_nothing_else_on_the_table(tmp_path: Path) -> None:
    hub = Hub(MemoryLog(), hints=True, bot_pause=3600)
    async with Stage(hub, tmp_path).play(games=faces()) as (app, pilot):
        await sit_down(app, "ku_ka_king", 2, 0)
        await until(pilot, lambda: can_act(app))
        advice = tuple(Advice(row, 0.5, 0.0, 0.0, ()) for row in (2, 4, 5))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Chooser, "advise", AsyncMock(return_value=advice))
            await pilot.press("h")
            await until(pilot, lambda: isinstance(app.screen, HintScreen))
        await pilot.press("c")
        await until(pilot, lambda: isinstance(app.screen, TableScreen) and board_in(app).cursor == 5)
        await pilot.press("c")
        await until(pilot, lambda: "Enter follows the hint" in shown(app, "prompt"))
        table = app.screen
        assert isinstance(table, TableScreen)
        assert table.side.drawer is None
        await pilot.press("c")
        await until(pilot, lambda: table.side.drawer == "collections")
    await hub.close()


async def test_while_a_hint_is_read_a_digit_calls_the_row_of_its_number(tmp_path: Path) -> None:
    hub = Hub(MemoryLog(), hints=True, bot_pause=3600)
    async with Stage(hub, tmp_path).play(games=faces()) as (app, pilot):
        await sit_down(app, "ku_ka_king", 2, 0)
        await until(pilot, lambda: can_act(app))
        advice = tuple(Advice(row, 0.5, 0.0, 0.0, ()) for row in (2, 4, 5))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Chooser, "advise", AsyncMock(return_value=advice))
            await pilot.press("h")
            await until(pilot, lambda: isinstance(app.screen, HintScreen))
        await pilot.press("3")
        await until(pilot, lambda: isinstance(app.screen, TableScreen) and scene_in(app).match.ply > 0)
        assert scene_in(app).match.recent()[0][1].move == 3
    await hub.close()


async def test_who_has_a_single_move_is_told_which(tmp_path: Path) -> None:
    match = first_where(lambda legal: legal == (EndTaking().move,))
    async with at_table(match, tmp_path, hints=True, games=faces()) as (app, pilot):
        await until(pilot, lambda: can_act(app))
        await pilot.press("h")
        only = "You have no choice: an expert in your place takes no more cards."
        await until(pilot, lambda: only in shown(app, "prompt"))


@every_game
@pytest.mark.parametrize("key", ["enter", "h"])
async def test_a_key_that_closes_a_hint_does_nothing_on_the_board(
    game: str, key: str, tmp_path: Path
) -> None:
    hub = Hub(MemoryLog(), hints=True, bot_pause=3600)
    async with Stage(hub, tmp_path).play(games=faces()) as (app, pilot):
        await sit_down(app, game, faces()[game].meta.min_seats, 0)
        await until(pilot, lambda: can_act(app))
        table, board, before = app.screen, board_in(app), scene_in(app)
        board.point_at(max(before.legal))
        acted: list[str] = []
        app.push_screen(HintScreen(before, faces()[game], 0, [Advice(0, 1.0, 0.0, 0.0, ())], print, print))
        await until(pilot, lambda: isinstance(app.screen, HintScreen))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(type(table), "key_enter", lambda _, event: acted.append(event.key))
            patch.setattr(type(table), "do_hint", lambda _: acted.append("h"))
            await pilot.press(key)
            await until(pilot, lambda: app.screen is table)
            await at_rest(pilot)
        assert acted == []
        assert scene_in(app) is before
    await hub.close()


@pytest.mark.parametrize(
    ("likely", "said"),
    [(0.0, "probably not"), (0.14, "probably not"), (0.3, "perhaps"), (0.5, "likely"), (1.0, "very likely")],
)
def test_what_others_choose_is_told_in_words_none_of_which_claims_to_be_sure(
    likely: float, said: str
) -> None:
    assert likelihood(likely) == said


def test_a_reason_is_a_whole_sentence_that_says_what_its_figures_are() -> None:
    scene, face = scene_of_match(match_of("land_cards", 3)), faces()["land_cards"]
    changes = [Change(0, 2.0, None, 0.0, leads=True), Change(1, 1.0, 2, -3.0, leads=False)]
    assert reasons(scene, face, changes) == (
        "As things stand, it brings 2 points for Frankreich (the most there)"
        " and 1 point for symbols of Frankreich. It takes 3 points for symbols of Frankreich from Claus."
    )
    assert reasons(scene, face, [Change(0, -2.0, None, 0.0, leads=False)]) == (
        "It costs you 2 points for Frankreich."
    )


def test_a_reason_that_names_a_part_of_what_a_move_brings_says_how_much_it_is_in_all() -> None:
    scene, face = scene_of_match(match_of("web_of_power", 3)), faces()["web_of_power"]
    first, second = (Change(line, 1.0, None, 0.0, leads=False) for line in (0, 1))
    whole = reasons(scene, face, [first, second], total="+2")
    assert whole == "As things stand, it brings 1 point for England and 1 point for Franken."
    assert reasons(scene, face, [first], total="+2") == (
        "As things stand: +2, including 1 point for England."
    )


def test_where_all_choose_at_once_a_reason_says_the_total_and_what_it_includes() -> None:
    scene, face = scene_of_match(match_of("ku_ka_king", 3)), faces()["ku_ka_king"]
    kings, animals = (Change(line, gain, None, 0.0, leads=False) for line, gain in ((0, 1.0), (4, 3.0)))
    assert reasons(scene, face, [animals]) == "If you alone call it: 3 points for animals."
    assert reasons(scene, face, [animals], total="+4") == (
        "If you alone call it: +4, including 3 points for animals."
    )
    assert reasons(scene, face, [animals, kings], total="+4") == (
        "If you alone call it: +4 (3 points for animals and 1 point for kings)."
    )
    besides = "This move brings 3 points for animals."
    assert reasons(scene, face, [animals], besides, "+4") == "If you alone call it: +4 in all."
    screen = HintScreen(
        scene,
        face,
        0,
        [Advice(1, 0.2, 3.0, 0.0, (animals, kings), rivals=(Rival(1, 7.0, 0.9),))],
        print,
        print,
    )
    told = " ".join(line.plain for line in screen.lines(0, 1, 200))
    assert told.count("If you alone call it: ") == 1


def rows_laid_out(*rows: bytes, collections: Sequence[bytes] = ()) -> Scene[Any]:
    """A round of Ku-Ka-King with these first rows."""
    scene = scene_of_match(match_of("ku_ka_king", 3))
    view = scene.observation
    laid_out = (*rows, *view.rows[len(rows) :])
    held = tuple(collections) or view.collections
    return replace(scene, observation=view.__replace__(rows=laid_out, collections=held))


NAMES = "This move", "b"
LESS = "This move brings 7 points less at once than b"
TRIED = "did better when both were played on many times"


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ((b"", b""), f"{LESS}, but {TRIED}."),
        (
            (bytes((KING, KNIGHT, CHURCH)), bytes((CHURCH, 14, 15))),
            "Cards that stay count twice: king and knight.",
        ),
        ((bytes((KING, KING)), bytes((0, KNIGHT))), "Each further king is worth more than the last."),
        (
            (bytes((14, 16)), bytes((CHURCH, 0))),
            "Farmers, wives and houses may still become pairs and trios.",
        ),
        ((bytes((11, 12)), bytes((CHURCH, 16))), "The lead in churches from row 2 can still be lost."),
    ],
)
def test_of_a_row_that_brings_less_at_once_than_the_next_best_it_is_told_what_follows(
    rows: Sequence[bytes], said: str
) -> None:
    scene, face = rows_laid_out(*rows), faces()["ku_ka_king"]
    little, much = ((Change(0, points, None, 0.0, leads=False),) for points in (1.0, 8.0))
    better, other = Advice(1, 0.5, 3.0, 0.0, little), Advice(2, 0.5, 1.0, 0.0, much)
    told, _beyond = why_better(scene, face, better, other, NAMES)
    assert told.startswith(LESS)
    assert told.endswith(said)
    assert (
        why_better(scene, face, other, better, NAMES)[0]
        == "This move brings more than b: 7 points for kings."
    )
    as_good = Advice(1, 0.5, 1.2, 0.0, little)
    even, _beyond = why_better(scene, face, as_good, other, NAMES)
    assert even.startswith(f"{LESS}, but about as much in the end."), "nobody knows that it is better then"


def test_a_move_that_brings_as_much_elsewhere_is_not_told_to_bring_nothing() -> None:
    scene, face = scene_of_match(match_of("land_cards", 3)), faces()["land_cards"]
    here, there = Change(0, 2.0, None, 0.0, leads=False), Change(2, 2.0, None, 0.0, leads=False)
    better, other = Advice(1, 0.5, 3.0, 0.0, (here,)), Advice(2, 0.5, 1.0, 0.0, (there,))
    told, _beyond = why_better(scene, face, better, other, NAMES)
    assert told.startswith("This move brings 2 points for Frankreich; b brings 2 points for ")


def test_what_only_the_other_move_costs_is_told_as_its_cost_and_not_as_a_gain_of_this_one() -> None:
    scene, face = scene_of_match(match_of("land_cards", 3)), faces()["land_cards"]
    law = len(scene.standing) - 1
    gain, cost = Change(0, 2.0, None, 0.0, leads=False), Change(law, -2.0, None, 0.0, leads=False)
    better, other = Advice(1, 0.5, 3.0, 0.0, (gain,)), Advice(2, 0.5, 1.0, 0.0, (gain, cost))
    told, _beyond = why_better(scene, face, better, other, NAMES)
    assert told == "With b, you lose 2 points for “-2” law cards."


def test_a_row_that_would_cost_the_viewer_much_in_a_rival_s_hands_is_better_for_that() -> None:
    scene, face = rows_laid_out(), faces()["ku_ka_king"]
    little, much = ((Change(0, points, None, 0.0, leads=False),) for points in (1.0, 8.0))
    rivals = (Rival(1, 3.0, 0.2, 1.0), Rival(2, 3.0, 0.2, 10.0))
    guarded = Advice(1, 0.5, 3.0, 0.2, little, rivals=rivals)
    told, _beyond = why_better(scene, face, guarded, Advice(2, 0.5, 1.0, 0.0, much), NAMES)
    assert told == f"{LESS}. If {scene.name(2)} gets it, you lose 10 points."


def test_a_row_that_is_better_because_a_rival_must_not_get_it_says_so() -> None:
    scene, face = rows_laid_out(b"", b""), faces()["ku_ka_king"]
    little, much = ((Change(0, points, None, 0.0, leads=False),) for points in (1.0, 8.0))
    other = Advice(2, 0.5, 1.0, 0.0, much)
    for likely, said in ((0.9, f"{LESS}. This move denies {scene.name(1)} 24 points."), (0.1, LESS)):
        wanted = Advice(1, 0.5, 3.0, likely, little, rivals=(Rival(1, 24.0, likely),))
        assert why_better(scene, face, wanted, other, NAMES)[0].startswith(said)


def test_a_row_that_others_hardly_want_need_not_promise_more_than_one_that_they_do() -> None:
    scene, face = rows_laid_out(b"", b""), faces()["ku_ka_king"]
    little, much = ((Change(0, points, None, 0.0, leads=False),) for points in (1.0, 8.0))
    free, wanted = Advice(1, 0.5, 3.0, 0.0, little), Advice(2, 0.5, 1.0, 0.9, much)
    told, _beyond = why_better(scene, face, free, wanted, NAMES)
    assert told == f"Somebody else will very likely choose b, too. {LESS}."


@pytest.mark.parametrize(("most", "is_told"), [(9, False), (12, True), (10, True)])
def test_a_hint_says_that_the_first_scoring_comes_after_this_round(most: int, is_told: bool) -> None:
    scene = rows_laid_out(collections=[bytes([most]).ljust(17, b"\0"), *[bytes(17)] * 2])
    said = f"The first scoring follows this round: {most} of 13 cards."
    assert faces()["ku_ka_king"].due(scene) == (said if is_told else "")
    scene = rows_laid_out(collections=[bytes([15]).ljust(17, b"\0"), *[bytes(17)] * 2])
    assert faces()["ku_ka_king"].due(scene) == "The first scoring follows this round: somebody has 15 cards."
    assert faces()["land_cards"].due(scene_of_match(match_of("land_cards", 3))) == ""


@pytest.mark.parametrize(("margins", "said"), [((2.0, 0.9), "About as good"), ((2.0, 0.2), "2 points less")])
def test_where_others_choose_too_a_search_that_cannot_tell_two_rows_apart_says_so(
    margins: Sequence[float], said: str
) -> None:
    scene, rivals = rows_laid_out(), (Rival(1, 3.0, 0.1),)
    moves = [Advice(row, 0.3, margin, 0.1, (), rivals=rivals) for row, margin in enumerate(margins, 1)]
    screen = HintScreen(scene, faces()["ku_ka_king"], 0, moves, print, print)
    assert said in " ".join(line.plain for line in screen.lines(1, 1, 70))


@pytest.mark.parametrize(
    ("game", "line", "name"),
    [
        ("web_of_power", 9, "Frankreich"),
        ("ku_ka_king", 2, "point cards"),
        ("ku_ka_king", 5, "farms"),
        ("ku_ka_king", 11, "farms"),
        ("land_cards", 1, "symbols of Frankreich"),
        ("land_cards", 18, "ships"),
        ("land_cards", 20, "“-2” law cards"),
    ],
)
def test_a_reason_names_what_lies_there_and_not_the_scoring_in_which_it_counts(
    game: str, line: int, name: str
) -> None:
    scene, face = scene_of_match(match_of(game, 3)), faces()[game]
    if game == "web_of_power":
        line = len(COUNTRY_NAMES) + [render(country) for country in COUNTRY_NAMES].index(name)
    assert f"2 points for {name}" in reasons(scene, face, [Change(line, 2.0, None, 0.0, leads=False)])


@pytest.mark.parametrize("size", [(80, 23), (80, 24), (120, 40)])
async def test_what_a_row_gives_and_what_others_would_get_from_it_is_told_of_all_three(
    size: tuple[int, int], tmp_path: Path
) -> None:
    hub = Hub(MemoryLog(), hints=True, bot_pause=3600)
    async with Stage(hub, tmp_path).play(size=size, games=faces()) as (app, pilot):
        await sit_down(app, "ku_ka_king", 2, 0)
        await until(pilot, lambda: can_act(app))
        scene, face = scene_in(app), faces()["ku_ka_king"]
        many = (Change(8, 4.0, None, 0.0, leads=True), Change(10, 15.0, None, 0.0, leads=True))
        rivals = (Rival(1, 7.0, 0.9),)
        moves = [Advice(move, 0.3, -12.0, 0.9, many, rivals=rivals) for move in (1, 2, 3)]
        app.push_screen(HintScreen(scene, face, 0, moves, print, print))
        await until(pilot, lambda: isinstance(app.screen, HintScreen) and "very likely" in said_in(app))
        hint = app.screen.query_one("#hint", Lines)
        assert hint.region.bottom <= app.size.height - 1
        told = scene.name(1)
        in_sight = " ".join(hint.render().plain.split())
        # in short, it is said of the first one that this is worth it
        is_short = f"worth a clash with {told}." in in_sight
        assert in_sight.count(f"{told} will very likely call it") + is_short == len(moves)
        assert in_sight.count("+19") >= len(moves)
        assert f"This move denies {told} 7 points." in said_in(app)
        assert said_in(app).count("+7") == len(moves)
        await pilot.press(*["down"] * hint.hidden)
        await until(pilot, lambda: not hint.hidden or hint.within[-1].plain in hint.render().plain)


@pytest.mark.parametrize("size", [(80, 23), (80, 24), (120, 40)])
async def test_a_hint_tells_as_many_reasons_as_have_room_and_scrolls_where_there_is_too_little(
    size: tuple[int, int], tmp_path: Path
) -> None:
    hub = Hub(MemoryLog(), hints=True, bot_pause=3600)
    async with Stage(hub, tmp_path).play(size=size, games=faces()) as (app, pilot):
        await sit_down(app, "land_cards", 3, 0)
        await until(pilot, lambda: can_act(app))
        scene, face = scene_of_match(match_of("land_cards", 3)), faces()["land_cards"]
        many = tuple(Change(line, 3.0, 1, -2.0, leads=True) for line in (0, 2, 4))
        legal = sorted(scene.legal)
        moves = [Advice(move, 0.3, -12.0, 0.0, many, legal[-1], many) for move in legal[:3]]
        app.push_screen(HintScreen(scene, face, 0, moves, print, print))
        await until(pilot, lambda: isinstance(app.screen, HintScreen) and "An expert" in said_in(app))
        told = {}
        for columns, rows in ((200, 60), (100, 30), (80, 23)):
            await pilot.resize_terminal(columns, rows)
            hint = app.screen.query_one("#hint", Lines)
            await until(pilot, lambda: hint.region.right == app.size.width)  # noqa: B023
            await at_rest(pilot)
            told[rows] = " ".join(hint.render().plain.split()).count("from Beate")
            last = hint.within[-1].plain
            await pilot.press(*["pagedown"] * 8)
            await until(pilot, lambda: last in hint.render().plain)  # noqa: B023
        assert told[60] > told[23]
    await hub.close()


def test_each_move_after_the_best_one_says_how_much_less_it_brings() -> None:
    scene, face = scene_of_match(match_of("land_cards", 3)), faces()["land_cards"]
    legal = sorted(scene.legal)
    margins = (2.4, 2.2, 1.1)
    moves = [Advice(move, 0.2, margin, 0.0, ()) for move, margin in zip(legal, margins, strict=False)]
    screen = HintScreen(scene, face, 0, moves, print, print)
    told = [" ".join(line.plain for line in screen.lines(n, 1, 70)) for n in range(len(moves))]
    assert "than a" not in told[0]
    assert "About as good as a." in told[1]
    assert "1 point less than a." in told[2]


def test_what_a_move_brings_is_told_once_and_at_that_move() -> None:
    scene, face = scene_of_match(match_of("land_cards", 3)), faces()["land_cards"]
    lead, both = Change(0, 1.0, None, 0.0, leads=True), Change(2, 3.0, None, 0.0, leads=False)
    first, second = sorted(scene.legal)[:2]
    moves = [Advice(first, 0.2, 3.0, 0.0, (both, lead)), Advice(second, 0.2, 1.0, 0.0, (both,))]
    screen = HintScreen(scene, face, 0, moves, print, print)
    each = [" ".join(line.plain.strip() for line in screen.lines(place, 4, 70)) for place in (0, 1)]
    assert each[0].count("1 point for Frankreich (the most there)") == 1
    assert [told.count("3 points for") for told in each] == [1, 1]


def test_equal_points_in_two_places_are_not_given_as_the_reason_alone() -> None:
    scene, face = scene_of_match(match_of("land_cards", 3)), faces()["land_cards"]
    first, second = sorted(scene.legal)[:2]
    here, there = (Change(line, 1.0, None, 0.0, leads=False) for line in (0, 2))

    def told(margin: float) -> str:
        better, other = Advice(first, 0.2, margin, 0.0, (here,)), Advice(second, 0.2, 1.0, 0.0, (there,))
        return why_better(scene, face, better, other, ("This move", "b"))[0]

    assert told(3.0).endswith("Both bring as much at once; b brings less later.")
    assert "later" not in told(1.2), "nobody knows that of moves that are as good"


def test_what_one_move_brings_more_in_a_line_is_not_told_as_all_that_it_brings() -> None:
    scene, face = scene_of_match(match_of("land_cards", 3)), faces()["land_cards"]
    first, second = sorted(scene.legal)[:2]
    better, other = (
        Advice(move, 0.2, margin, 0.0, tuple(Change(n, own, None, 0.0, leads=False) for n, own in lines))
        for move, margin, lines in ((first, 3.0, ((0, 4.0), (2, 1.0))), (second, 1.0, ((0, 1.0), (2, 2.0))))
    )
    told, _beyond = why_better(scene, face, better, other, ("This move", "b"))
    assert told.startswith("Compared with b: Frankreich +3, ")
    assert told.endswith(" -1.")


def test_a_lesser_move_that_promises_more_at_once_says_what_speaks_against_it() -> None:
    scene, face = scene_of_match(match_of("ku_ka_king", 3)), faces()["ku_ka_king"]
    rivals = (Rival(1, 2.0, 0.1),)

    def told(margin: float, contested: float) -> str:
        moves = [
            Advice(row, 0.3, lead, risk, (Change(0, own, None, 0.0, leads=False),), rivals=rivals)
            for row, lead, risk, own in ((1, 9.0, 0.0, 2.0), (2, 8.0, 0.0, 2.0), (3, margin, contested, 7.0))
        ]
        screen = HintScreen(scene, face, 0, moves, print, print)
        return " ".join(line.plain.strip() for line in screen.lines(2, 1, 200))

    assert "5 points more at once than a, but less in the end." in told(5.0, 0.0)
    assert "5 points more at once than a, but only if nobody else chooses it." in told(5.0, 0.5)
    assert "5 points more at once than a, but about as much in the end." in told(9.0, 0.0)


def rows_compared(*missed: Change, more_at_once: float = 0.0) -> list[str]:
    """What is said of each of three rows, of which the others fell short of the first in some lines."""
    scene, face = rows_laid_out(b"", b"", b""), faces()["ku_ka_king"]
    kings = [(Change(0, points, None, 0.0, leads=False),) for points in (2.0, 2.0 + more_at_once)]
    moves = [Advice(1, 0.3, 9.0, 0.0, kings[0], rivals=(Rival(1, 0.0, 0.0),))]
    moves += [
        Advice(row, 0.3, 5.0, 0.0, kings[1], rivals=(Rival(1, 0.0, 0.0),), missed=missed) for row in (2, 3)
    ]
    words = HintWords(scene, face, 0, moves)
    return [" ".join(said for said, _style in words.why(place, 4)) for place in range(3)]


def test_a_hint_says_where_the_first_move_did_better_when_both_were_played_on() -> None:
    animals, knights = Change(4, 3.2, None, 0.0, leads=False), Change(3, 0.0, 1, -2.1, leads=False)
    name = rows_laid_out().name(1)
    best, *_others = rows_compared(animals, knights)
    assert "Played on many times, a brought 3 points more for animals than b." in best
    assert f"After a, {name} ended with 2 points less for knights." in best
    assert "later" not in best
    for one_line in (knights, Change(3, 1.2, 1, -2.1, leads=False)):
        best, *_others = rows_compared(one_line)
        assert f"Played on many times: {name} ended with 2 points less for knights than after b." in best
    best, *_others = rows_compared(Change(4, -3.0, None, 0.0, leads=False))
    assert "Played on" not in best, "what the other one brings more is no reason"


def test_what_a_rival_ended_with_less_in_two_lines_is_told_with_the_name_once() -> None:
    knights, animals = (Change(line, 0.0, 1, -points, leads=False) for line, points in ((3, 3.1), (4, 2.1)))
    names = [rows_laid_out().name(seat) for seat in range(3)]
    best, *_others = rows_compared(knights, animals)
    assert (
        f"Played on many times: {names[1]} ended with 3 points less for knights and 2 points less for animals"
        " than after b."
    ) in best
    best, *_others = rows_compared(knights, Change(4, 0.0, 2, -2.1, leads=False))
    assert (
        f"Played on many times: {names[1]} ended with 3 points less for knights and {names[2]} ended with"
        " 2 points less for animals than after b."
    ) in best


def test_a_move_that_brings_more_at_once_says_where_the_first_one_did_better() -> None:
    animals, knights = Change(4, 3.2, None, 0.0, leads=False), Change(3, 0.0, 1, -2.1, leads=False)
    name = rows_laid_out().name(1)
    best, _second, third = rows_compared(animals, knights, more_at_once=2.0)
    assert "This move brings 2 points less at once than b." in best
    assert "2 points more at once than a, but less in the end." in third
    assert (
        "Played on many times, a brought 3 points more for animals."
        f" After a, {name} ended with 2 points less for knights."
    ) in third
    *_others, third = rows_compared(knights, more_at_once=2.0)
    assert f"Played on many times: after a, {name} ended with 2 points less for knights." in third


def alike(*others: Advice) -> list[str]:
    """What is said of moves of the card game that bring the same at once, the best of which leads by 9."""
    scene, face = scene_of_match(match_of("land_cards", 3)), faces()["land_cards"]
    words = HintWords(scene, face, 0, [as_good(), *others])
    return [" ".join(said for said, _style in words.why(place, 4)) for place in range(1 + len(others))]


def as_good(error: float = 0.0, margin: float = 9.0) -> Advice:
    return Advice(Skip().move, 0.3, margin, 0.0, (), error=error)


def test_where_nothing_speaks_for_the_first_move_it_is_said_which_ones_are_as_good() -> None:
    said = "About as good as {}: played on many times, no clear difference was seen."
    assert alike(as_good())[0] == said.format("b")
    assert alike(as_good(), as_good())[0] == said.format("b and c")
    assert alike(as_good(error=1.0, margin=7.1))[0] == said.format("b"), "it is within the noise"
    first, second, third = alike(as_good(), as_good(margin=7.0))
    worse = "Played on many times, a did better than c: a little in many places."
    assert first == f"{said.format('b')} {worse}"
    assert (second, third) == ("", "")


def test_a_move_is_as_good_as_the_best_one_within_two_standard_errors() -> None:
    scene, face = scene_of_match(match_of("land_cards", 3)), faces()["land_cards"]
    first, second = sorted(scene.legal)[:2]
    for error, said in ((0.5, "2 points less than a."), (1.1, "About as good as a.")):
        moves = [Advice(first, 0.3, 9.0, 0.0, ()), Advice(second, 0.3, 7.0, 0.0, (), error=error)]
        assert HintWords(scene, face, 0, moves).figures(1)[0][0] == said


def test_where_no_line_stands_out_it_is_told_without_a_second_figure_that_one_ended_with_more() -> None:
    name = scene_of_match(match_of("land_cards", 3)).name(2)
    worse = as_good(margin=6.0)
    for ended, said in (
        ((1.2, 0.0, 0.0), "Played on many times, a brought more points in all than b."),
        (
            (1.6, 0.9, -1.7),
            "Played on many times, a brought more points in all than b."
            f" After a, {name} ended with 2 points less in all.",
        ),
        ((-0.8, 0.0, -3.0), f"Played on many times: {name} ended with 3 points less in all than after b."),
    ):
        assert said in alike(replaced(worse, ended=ended))[0]
    line = Change(0, 2.0, None, 0.0, leads=False)
    told = alike(replaced(worse, ended=(3.0, 0.0, 0.0), missed=(line,)))[0]
    assert "2 points more for Frankreich than b" in told
    assert "in all" not in told


def test_each_move_of_a_hint_tells_the_chance_to_win_as_far_as_it_is_known() -> None:
    scene, face = rows_laid_out(), faces()["ku_ka_king"]
    chances = (0.999, 0.4349, None, 0.9995)
    margins = (8.0, 7.0, 6.0, 8.1)
    moves = [
        Advice(row, 0.3, margin, 0.0, (), chance=chance)
        for row, (margin, chance) in enumerate(zip(margins, chances, strict=True), 1)
    ]
    words = HintWords(scene, face, 0, moves)
    told = [" ".join(said for said, _style in words.figures(place)) for place in range(4)]
    assert told[0] == "Win chance: 99 %.", "nothing is sure before the end"
    assert told[1] == "Win chance: 43 %. 1 point less than a."
    assert told[2] == "2 points less than a.", "the chance is not known"
    assert told[3] == "About as good as a.", "nobody knows that it is likelier to win"
    for width, second, last in (
        (30, "Wins 43 %; 1 point less than a", "About as good as a."),
        (29, "Wins 43 %; 1 point less", "About as good as a."),
        (22, "1 point less than a", "About as good as a."),
        (18, "1 point less", "About as good"),
    ):
        few = [" ".join(said for said, _style in words.figures(place, width)) for place in range(4)]
        assert few == ["Win chance: 99 %.", second, "2 points less than a.", last]
    assert words.figures(3, 17)[0][0] == "About as good"


def test_a_row_says_what_it_keeps_from_whom() -> None:
    scene, face = rows_laid_out(), faces()["ku_ka_king"]
    changes = (Change(0, 1.0, None, 0.0, leads=False),)
    for likely in (0.5, 0.3):
        rival = Rival(1, 9.0, likely, gains=((4, 6.0), (0, 2.0), (2, 1.0)))
        moves = [Advice(1, 0.3, 9.0, likely, changes, rivals=(rival,)), Advice(2, 0.3, 5.0, 0.0, changes)]
        told = " ".join(said for said, _style in HintWords(scene, face, 0, moves).why(0, 4))
        kept = f"This move denies {scene.name(1)} 6 points for animals and 2 points for kings."
        assert (kept in told) == (likely >= CLASHING), "what a rival hardly wants is not kept from them"


def test_points_of_two_scorings_in_one_sentence_have_two_labels() -> None:
    scene, face = scene_of_match(match_of("web_of_power", 3)), faces()["web_of_power"]
    lines = (0, len(COUNTRY_NAMES))
    both = [
        Change(line, points, None, 0.0, leads=False) for line, points in zip(lines, (2.0, 3.0), strict=True)
    ]
    name = render(COUNTRY_NAMES[0])
    assert reasons(scene, face, both) == (
        f"As things stand, it brings 2 points for {name} (Interim scoring)"
        f" and 3 points for {name} (Final scoring so far)."
    )
    assert reasons(scene, face, both[:1]) == f"As things stand, it brings 2 points for {name}."


@every_game
async def test_in_the_list_of_all_keys_each_letter_of_a_hint_is_named(game: str, tmp_path: Path) -> None:
    scene = scene_of_match(match_of(game, faces()[game].meta.min_seats))
    moves = [Advice(move, 0.3, 0.0, 0.0, ()) for move in sorted(scene.legal)[:3]]
    screen = HintScreen(scene, faces()[game], 0, moves, print, print)
    named = [action.whole_words() for action in screen.actions()[: len(moves)]]
    assert named == [f"show {mark} on the board" for mark in HINT_MARKS[: len(moves)]]


def test_what_a_move_brings_later_is_told_once_however_many_lines_there_are() -> None:
    scene, face = scene_of_match(match_of("land_cards", 3)), faces()["land_cards"]
    promised = tuple(Change(line, 3.0, None, 0.0, leads=False) for line in (0, 2))
    first, second = sorted(scene.legal)[:2]
    moves = [Advice(first, 0.2, 3.0, 0.0, (), promised=promised), Advice(second, 0.2, 1.0, 0.0, ())]
    screen = HintScreen(scene, face, 0, moves, print, print)
    for reasons_each in (1, 4):
        told = " ".join(line.plain.strip() for line in screen.lines(0, reasons_each, 70))
        assert told.count("Later, it brings") == 1


def test_the_name_of_a_space_that_is_not_on_the_map_is_not_in_a_hint() -> None:
    scene, face = scene_of_match(match_of("web_of_power", 3)), faces()["web_of_power"]
    moves = [Advice(move, 0.2, 3.0, 0.0, ()) for move in sorted(scene.legal)]
    screen = HintScreen(scene, face, 0, moves[:3], print, print)
    told = "\n".join(line.plain for place in range(3) for line in screen.lines(place, 4, 200))
    assert "build in" in told
    assert not any(space in told for space in scene.observation.printed.spaces)


def test_only_where_it_counts_who_has_most_it_is_told() -> None:
    scene, face = scene_of_match(match_of("land_cards", 3)), faces()["land_cards"]
    lines = len(scene.standing)
    told = [reasons(scene, face, [Change(line, 1.0, None, 0.0, leads=True)]) for line in range(lines)]
    assert ["the most there" in words for words in told] == [True] * (lines - 3) + [False] * 3
    assert reasons(scene, face, [Change(0, 0.0, None, 0.0, leads=True)]).endswith("the lead in Frankreich.")


@pytest.mark.parametrize("game", ["land_cards", "web_of_power", "ku_ka_king"])
async def test_where_room_is_short_each_move_shows_its_figures_and_its_first_reason_at_once(
    game: str, tmp_path: Path
) -> None:
    hub = Hub(MemoryLog(), hints=True, bot_pause=3600)
    async with Stage(hub, tmp_path).play(size=(80, 24), games=faces()) as (app, pilot):
        await sit_down(app, game, 3, 0)
        await until(pilot, lambda: can_act(app))
        scene = scene_in(app)
        changes = tuple(Change(line, 3.0 - line, None, 0.0, leads=True) for line in (0, 1))
        rivals = (Rival(1, 7.0, 0.9),) if game == "ku_ka_king" else ()
        moves = [
            Advice(move, 0.3, 9.0 - 3 * place, 0.9 * bool(rivals), changes, rivals=rivals, chance=0.4)
            for place, move in enumerate(sorted(scene.legal)[:3])
        ]
        app.push_screen(HintScreen(scene, faces()[game], 0, moves, print, print))
        await until(pilot, lambda: isinstance(app.screen, HintScreen) and "An expert" in said_in(app))
        hint = app.screen.query_one("#hint", Lines)
        in_sight = " ".join(hint.render().plain.split())
        assert "Win chance: 40 %." in in_sight
        assert "3 points less" in in_sight
        assert "6 points less" in in_sight
        assert in_sight.count("Alone: +5" if rivals else "Now +5") == len(moves)
        assert f"{hint.hidden} more: PgDn" in in_sight
        lines = [line.ljust(hint.size.width) for line in hint.render().plain.split("\n")]
        assert all(lines[row][-2] == " " for row in hint.window), "sentences stay clear of the scrollbar"
        await pilot.press(*["pagedown"] * 9)
        await until(pilot, lambda: f"{hint.hidden} above: PgUp" in hint.render().plain)
    await hub.close()


@pytest.mark.parametrize(
    ("owner", "words"), [(None, "a take "), (0, " under your stone "), (1, "'s stone, for one of yours ")]
)
async def test_in_a_narrow_hint_what_is_in_sight_on_the_board_gives_way_to_what_a_card_is_worth(
    stage: Stage, owner: int | None, words: str
) -> None:
    async with stage.play(size=(80, 24), games=faces()) as (app, pilot):
        await sit_down(app, "land_cards", 3, 0)
        await until(pilot, lambda: can_act(app))
        scene = scene_in(app)
        moves = [Take(cell).move for cell in range(CELLS) if Take(cell).move in scene.legal][:3]
        if owner is not None:
            board = bytearray(scene.observation.board)
            for cell in (cell for cell in range(CELLS) if Take(cell).move in moves[:2]):
                board[cell] = STONE + owner
            scene = replace(scene, observation=replaced(scene.observation, board=bytes(board)))
        known = zip(moves, (9.0, 7.0, 5.0), (2.0, 1.0, 3.0), strict=True)
        advice = [
            Advice(move, 0.3, margin, 0.0, (Change(0, own, None, 0.0, leads=False),), chance=0.4)
            for move, margin, own in known
        ]
        app.push_screen(HintScreen(scene, faces()["land_cards"], 0, advice, print, print))
        await until(pilot, lambda: isinstance(app.screen, HintScreen) and "An expert" in said_in(app))
        in_sight = " ".join(app.screen.query_one("#hint", Lines).render().plain.split())
        assert words in in_sight
        assert "from row" not in in_sight
        assert "more in the end" in in_sight
        assert "less in the end" in in_sight


def test_what_is_told_in_short_is_not_told_again_in_full() -> None:
    scene, face = scene_of_match(match_of("land_cards", 3)), faces()["land_cards"]
    known = zip(sorted(scene.legal), (9.0, 7.0, 5.0), (2.0, 1.0, 3.0), strict=False)
    moves = [
        Advice(move, 0.3, margin, 0.0, (Change(0, own, None, 0.0, leads=False),))
        for move, margin, own in known
    ]
    words = HintWords(scene, face, 0, moves)
    doubled = [[said for said, _style in words.doubled(place)] for place in range(3)]
    assert doubled[0] == ["As things stand, it brings 2 points for Frankreich."]
    assert doubled[2] == [
        "As things stand, it brings 3 points for Frankreich.",
        "1 point more at once than a, but less in the end.",
    ]
    leading = [replaced(moves[0], changes=(Change(0, 2.0, None, 0.0, leads=True),)), *moves[1:]]
    assert HintWords(scene, face, 0, leading).doubled(0) == [], "who has most is told in full alone"


def test_what_has_no_room_above_stands_apart_even_if_all_of_the_best_move_has() -> None:
    blocks, rest = [[Content(f"{mark} moves")] for mark in "abc"], [[Content("why")] for _ in "abc"]
    for nothing in range(3):
        left = [*rest[:nothing], [], *rest[nothing + 1 :]]
        lines, found = stacked(blocks, left, is_apart=False)
        assert [line.plain for line in lines] == ["a moves", "b moves", "c moves", "", "why", "why"]
        assert found[3:] == [*zip([4, 5], [place for place in range(3) if place != nothing], strict=True)]
    assert len(stacked(blocks, rest, is_apart=True)[0]) == 11


def test_a_stone_is_told_by_what_its_card_will_bring() -> None:
    scene, face = scene_of_match(match_of("land_cards", 3)), faces()["land_cards"]
    promised = [Change(0, 2.0, None, 0.0, leads=True)]
    assert later(scene, face, promised) == "Later, it brings 2 points for Frankreich (the most there)."
    assert later(scene, face, []) == ""


def test_what_depends_on_hidden_cards_is_told_as_an_average() -> None:
    scene, face = scene_of_match(match_of("land_cards", 3)), faces()["land_cards"]
    told = reasons(scene, face, [Change(len(scene.standing) - 1, -0.625, None, 0.0, leads=False)])
    assert told == "It costs you on average 1 point for “-2” law cards."


def test_of_a_stone_to_give_up_a_hint_says_what_becomes_of_the_card_it_guards() -> None:
    scene, face = scene_of_match(match_of("land_cards", 3)), faces()["land_cards"]
    assert face.merits(scene, GiveUp(None).move).startswith("Your stones on cards stay there")
    assert face.merits(scene, GiveUp(5).move).startswith("Its card loses its guard; ")


def test_where_room_is_short_a_row_says_in_one_sentence_what_speaks_for_it_or_against_it() -> None:
    scene, face = rows_laid_out(), faces()["ku_ka_king"]
    name = scene.name(1)

    def told(likely: float, own: float = 3.0, margin: float = 4.0, cost: float = 0.0) -> list[str]:
        rivals = Rival(1, 3.0, likely, cost), Rival(2, 4.0, 0.0)
        gains = [(Change(0, points, None, 0.0, leads=False),) for points in (2.0, own)]
        moves = [Advice(1, 0.3, 9.0, likely, gains[0], rivals=rivals)]
        moves.append(Advice(2, 0.3, margin, likely, gains[1], rivals=rivals))
        words = HintWords(scene, face, 0, moves)
        return [" ".join(said for said, _style in words.brief(place)) for place in (0, 1)]

    nobody = "Alone: {}, and probably nobody else calls it."
    assert told(0.05) == [nobody.format("+2"), "Alone: +3, but less in the end."]
    assert told(0.05, own=2.0)[1] == nobody.format("+2")
    assert told(0.05, margin=9.0)[1] == nobody.format("+3"), "it is as good in the end"
    assert told(0.5) == [
        f"Alone: +2, worth a clash with {name}.", f"Alone: +3, but {name} will likely call it.",
    ]  # fmt: skip
    assert told(0.5, cost=7.0)[0] == f"Alone: +2. If {name} gets it, you lose 7 points."


def test_where_room_is_short_it_is_said_what_more_points_at_once_are_worth() -> None:
    scene, face = scene_of_match(match_of("land_cards", 3)), faces()["land_cards"]

    def told(own: float, margin: float = 4.0) -> list[str]:
        gains = [(Change(0, points, None, 0.0, leads=False),) for points in (2.0, own)]
        moves = [Advice(move, 0.3, lead, 0.0, gain) for move, lead, gain in zip(
            sorted(scene.legal), (9.0, margin), gains, strict=False
        )]  # fmt: skip
        words = HintWords(scene, face, 0, moves)
        return [" ".join(said for said, _style in words.brief(place)) for place in (0, 1)]

    now = "Now Frankreich"
    assert told(3.0) == [f"{now} +2, more in the end", f"{now} +3, less in the end"]
    assert told(3.0, margin=9.0) == [f"{now} +2", f"{now} +3"], "it is as good in the end"
    assert told(2.0) == [f"{now} +2", f"{now} +2, less later"]
    assert told(1.0) == [f"{now} +2", f"{now} +1"]


def test_what_a_rival_ended_with_less_where_no_move_touches_it_is_only_told_if_nothing_else_is() -> None:
    scene, face = scene_of_match(match_of("land_cards", 3)), faces()["land_cards"]
    missed = (Change(2, 0.0, 1, -2.0, leads=False),)
    first, second = sorted(scene.legal)[:2]
    for line in (0, 2):
        gains = [(Change(line, points, None, 0.0, leads=False),) for points in (2.0, 1.0)]
        better = Advice(first, 0.3, 9.0, 0.0, gains[0])
        other = Advice(second, 0.3, 4.0, 0.0, gains[1], missed=missed)
        told = " ".join(said for said, _style in HintWords(scene, face, 0, [better, other]).why(0, 4))
        lost = f"{scene.name(1)} ended with 2 points less"
        assert (lost in told) is (line == 2)
        assert lost in beside_others(scene, face, [better, other], "ab"), "where there is nothing else to say"


def test_of_a_card_a_hint_tells_the_law_card_under_it() -> None:
    scene, face = scene_of_match(match_of("land_cards", 3)), faces()["land_cards"]
    laws = scene.observation.law_cells
    assert laws
    for cell in range(CELLS):
        told = face.merits(scene, Take(cell).move)
        assert told.endswith("You get its law card, too.") == (cell in laws)


def test_a_row_that_brings_no_points_yet_says_what_one_would_have_of_its_cards() -> None:
    scene, face = scene_of_match(match_of("ku_ka_king", 3)), faces()["ku_ka_king"]
    cards = bytes((KING, CHURCH, KING))
    scene = replace(
        scene, observation=scene.observation.__replace__(rows=(cards, *scene.observation.rows[1:]))
    )
    assert face.merits(scene, 1) == "Of its cards you would then have: king ×2, church."
