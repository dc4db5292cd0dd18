"""Every sign on the table says what it means: by mouse, by keys, and in the rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final
from unittest.mock import patch

import pytest
from rich.cells import cell_len
from textual.content import Content
from textual.strip import Strip
from textual.widget import Widget

from kk_core.games.web_of_power.model import COUNTRY_NAMES
from kk_core.protocol.messages import GoTo, Play
from kk_core.text import text
from kk_tui.app import KkApp
from kk_tui.games import faces
from kk_tui.games.web_of_power.choices import CREST
from kk_tui.i18n import render
from kk_tui.match.pointing import SignFrame
from kk_tui.match.replay import ReplayScreen
from kk_tui.match.result import ResultScreen
from kk_tui.match.screen import MatchScreen
from kk_tui.match.table import TableScreen
from kk_tui.rules_pages import sections
from kk_tui.screens.help import Book, HelpScreen
from kk_tui.screens.menu import Title
from kk_tui.table.side_panel import DRAWERS, SidePanel
from kk_tui.widgets.board import Board
from kk_tui.widgets.explanation import Explanation, explained
from tests.tui.conftest import Running, Stage, at_rest, shown, until
from tests.tui.playing import at_table, beside_one_who_is_away, board_in, scene_in
from tests.tui.scenes import match_of, running_match

NOT_YET: Final[tuple[str, ...]] = ()
"""Games of which not every sign says what it means."""

WALKED: Final = sorted(set(faces()) - set(NOT_YET))

SIZES: Final = ((80, 24), (120, 40))
KEYS_PRESSED: Final = ("tab", "1", "enter", "right", "i", "2", "down", "i")
"""Keys after which the table is looked at once more: things are chosen, laid out and written over it."""

STAGES: Final = (0, 1, 2, 12, 25, 70, 110)
"""Plies after which a match is looked at, the last ones after a scoring."""


def _table(app: KkApp) -> TableScreen:
    assert isinstance(app.screen, TableScreen)
    return app.screen


def _unexplained(screen: MatchScreen, known: dict[Widget, Sequence[Strip]] | None = None) -> Iterator[str]:
    """Yield each line with a sign that says nothing of itself, or more than there is room for.

    What looks as it did the last time is not looked at again where it is `known`.
    """
    blank = screen.board.ink("ink", on="ground").bgcolor
    slugs = {section.slug for section in sections(screen.shown.match.game)} | {""}
    width, words_of = screen.prompt_width, cache(render)  # the same for every cell of a sign
    for widget, explain in screen.explainable:
        strips = widget.render_lines(widget.size.region)
        if known is not None and known.get(widget) == strips:
            continue
        if known is not None:
            known[widget] = strips
        for y, strip in enumerate(strips):
            x = 0
            for segment in strip:
                ground = segment.style.bgcolor if segment.style else blank
                for sign in segment.text:
                    is_drawn = sign != " " or (widget is screen.board and ground != blank)
                    meaning = explain(x, y) if is_drawn else None
                    words = "" if meaning is None else words_of(meaning.sentence)
                    if is_drawn and not 10 <= cell_len(words) <= width:
                        yield f"{sign!r} at {x}, {y} of {strip.text!r}: {words!r}, not 10 to {width} columns"
                    if "{" in words or (meaning is not None and meaning.section not in slugs):
                        yield f"{sign!r} at {x}, {y}: {words!r} in {meaning and meaning.section!r}"
                    x += cell_len(sign)


async def _walk(app: KkApp, pilot: Running) -> None:
    """Look at every cell, with each drawer open and with none."""
    if isinstance(app.screen, ResultScreen):
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
    known = dict[Widget, Sequence[Strip]]()  # a drawer changes nothing of the board
    for name in (None, *DRAWERS):
        screen = _table(app)
        screen.turn_drawer(name)
        await at_rest(pilot)
        assert not list(_unexplained(screen, known)), name
    _table(app).turn_drawer(None)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: "{}x{}".format(*size))
@pytest.mark.parametrize("plies", STAGES)
@pytest.mark.parametrize("game", WALKED)
async def test_every_sign_on_the_table_says_what_it_means(
    game: str, plies: int, size: tuple[int, int], tmp_path: Path
) -> None:
    match = match_of(game, faces()[game].meta.min_seats, plies)
    async with at_table(match, tmp_path, size=size, games=faces()) as (app, pilot):
        await _walk(app, pilot)
        for key in KEYS_PRESSED if not match.is_over else ():  # after the end Enter leads away
            await pilot.press(key)
            await at_rest(pilot)
            assert not list(_unexplained(_table(app))), key


@pytest.mark.parametrize("size", SIZES, ids=lambda size: "{}x{}".format(*size))
@pytest.mark.parametrize("game", WALKED)
async def test_every_sign_on_a_table_that_is_over_says_what_it_means(
    game: str, size: tuple[int, int], tmp_path: Path
) -> None:
    match = match_of(game, faces()[game].meta.max_seats, 9999)
    async with at_table(match, tmp_path, size=size, games=faces()) as (app, pilot):
        await _walk(app, pilot)


def _cells(screen: MatchScreen) -> Iterator[tuple[int, int, Explanation]]:
    """Yield column, row and meaning of all signs on the screen."""
    for widget, explain in screen.explainable:
        left, top = widget.region.offset
        for y in range(widget.region.height):
            for x in range(widget.region.width):
                if (meaning := explain(x, y)) is not None:
                    yield left + x, top + y, meaning


@pytest.mark.parametrize("game", WALKED)
async def test_the_prompt_says_what_is_under_the_mouse_until_it_moves_on_or_a_key_is_pressed(
    game: str, tmp_path: Path
) -> None:
    match = running_match(game, faces()[game].meta.min_seats, 12)
    async with at_table(match, tmp_path, games=faces()) as (app, pilot):
        screen = _table(app)
        asked = shown(app, "prompt")
        told = [(x, y, meaning) for x, y, meaning in _cells(screen) if not meaning.gives_way]
        for x, y, meaning in told[:: max(1, len(told) // 20)]:
            await pilot.hover(offset=(x, y))
            assert shown(app, "prompt") == render(meaning.sentence)
        await pilot.press("Z")
        assert shown(app, "prompt") == asked
        x, y, meaning = told[0]
        await pilot.hover(offset=(x, y))
        assert shown(app, "prompt") == render(meaning.sentence)
        await pilot.hover(offset=(5, 22))
        assert shown(app, "prompt") == asked


@pytest.mark.parametrize("game", WALKED)
async def test_a_mouse_that_moves_over_one_sign_changes_nothing(game: str, tmp_path: Path) -> None:
    match = running_match(game, faces()[game].meta.min_seats, 12)
    async with at_table(match, tmp_path, games=faces()) as (app, pilot):
        told = {(x, y): meaning.sentence for x, y, meaning in _cells(_table(app))}
        (x, y) = next(at for at in told if told[at] == told.get((at[0] + 1, at[1])))
        await pilot.hover(offset=(x, y))
        with patch.object(_table(app)._pointing, "_changed") as changed:
            await pilot.hover(offset=(x + 1, y))
        assert not changed.called


@pytest.mark.parametrize("game", WALKED)
async def test_a_key_walks_through_one_sign_of_each_kind_and_lays_a_frame_over_it(
    game: str, tmp_path: Path
) -> None:
    match = running_match(game, faces()[game].meta.min_seats, 12)
    async with at_table(match, tmp_path, games=faces()) as (app, pilot):
        screen, said = _table(app), list[str]()
        cells = {(x, y): meaning for x, y, meaning in _cells(screen)}
        kinds = {meaning.kind for meaning in cells.values()}
        asked, frame = shown(app, "prompt"), screen.query_one(SignFrame)

        def framed() -> str:
            x, y = frame.region.offset
            return render(cells[x, y].sentence)

        for _kind in kinds:
            await pilot.press("full_stop")
            assert frame.display
            # the words stand before the frame does, which has to be laid out
            await until(pilot, lambda: shown(app, "prompt").removesuffix("  . next") == framed())
            said.append(shown(app, "prompt"))
        assert len(set(said)) == len(kinds)
        await pilot.press("full_stop")
        assert not frame.display
        assert shown(app, "prompt") not in (asked, *said)
        await pilot.press("full_stop")
        assert shown(app, "prompt") == said[0]
        await pilot.press("escape")
        assert not frame.display
        assert shown(app, "prompt") == asked


@pytest.mark.parametrize("game", WALKED)
async def test_the_walk_begins_with_what_the_cursor_is_on_and_says_how_it_goes_on(
    game: str, tmp_path: Path
) -> None:
    match = running_match(game, faces()[game].meta.min_seats, 12)
    async with at_table(match, tmp_path, games=faces(), size=(120, 40)) as (app, pilot):
        board, frame, steps = board_in(app), _table(app).query_one(SignFrame), list[str]()
        for key in ("down", "right", "down"):
            await pilot.press(key)
            place = board.cursor_place()
            await pilot.press("full_stop")
            steps.append(shown(app, "prompt"))
            lit = frame.region.translate(-board.region.offset)
            assert place is None or lit.contains(place.x, place.y)
            await pilot.press("escape")
        assert any(said.endswith("  . next") for said in steps)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_the_walk_goes_on_beside_what_the_cursor_is_on(size: tuple[int, int], tmp_path: Path) -> None:
    match = match_of("web_of_power", 3, 60)
    async with at_table(match, tmp_path, games=faces(), size=size) as (app, pilot):
        board, frame = board_in(app), _table(app).query_one(SignFrame)
        for country in range(len(COUNTRY_NAMES)):
            board.cursor = CREST + country
            around = board.cursor_place().grow((4, 8, 4, 8))
            await pilot.press("full_stop")
            for _step in range(3):
                await pilot.press("full_stop")
                # at first it may be hidden, or stand where it was
                await until(
                    pilot,
                    lambda around=around: frame.region.translate(-board.region.offset).overlaps(around),  # type: ignore[misc]
                )
                assert "sea" not in shown(app, "prompt")
            await pilot.press("escape")


@pytest.mark.parametrize("game", WALKED)
async def test_a_walk_goes_on_while_others_come_and_ends_when_somebody_moves(game: str, stage: Stage) -> None:
    async with (
        stage.play(local=False, games=faces()) as (app, pilot),
        beside_one_who_is_away(stage, app, pilot, game) as scene,
    ):
        await pilot.press("full_stop")
        frame = _table(app).query_one(SignFrame)
        await until(pilot, lambda: frame.display)
        beate = stage.hub.connect("beate")
        await beate.send(GoTo(1, scene.table.id))
        await until(pilot, lambda: "beate" in scene_in(app).table.watchers)
        assert frame.display
        match, move = scene.match, min(scene.legal)
        await app.request(lambda number: Play(number, 0, match.ply, move))
        await until(pilot, lambda: not frame.display)
        # Escape was meant to end the walk, and does not leave the table instead
        screen = app.screen
        await pilot.press("escape")
        await at_rest(pilot)
        assert app.screen is screen
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is not screen)
        await beate.close()


@pytest.mark.parametrize("game", WALKED)
async def test_f1_opens_the_rule_about_what_is_explained_and_else_about_what_the_cursor_is_on(
    game: str, tmp_path: Path
) -> None:
    match = running_match(game, faces()[game].meta.min_seats, 12)
    async with at_table(match, tmp_path, games=faces()) as (app, pilot):
        screen = _table(app)
        cells = [(x, y, meaning) for x, y, meaning in _cells(screen) if meaning.section]
        for section in {meaning.section for _x, _y, meaning in cells}:
            x, y, _meaning = next(cell for cell in cells if cell[2].section == section)
            await pilot.hover(offset=(x, y))
            await pilot.press("f1")
            await until(pilot, lambda: isinstance(app.screen, HelpScreen))
            assert _opened(app) == section
            await pilot.press("escape")
            await until(pilot, lambda: app.screen is screen)
        await pilot.press("full_stop", "full_stop")
        x, y = screen.query_one(SignFrame).region.offset
        walked = next(meaning for column, row, meaning in _cells(screen) if (column, row) == (x, y))
        await pilot.press("f1")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        assert _opened(app) == (walked.section or faces()[game].help_section(screen.shown))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)
        await pilot.press("down", "f1")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        under_cursor = screen.board.explain_cursor()
        assert under_cursor is not None
        assert _opened(app) == under_cursor.section


def _opened(app: KkApp) -> str:
    """The section at the top of the help."""
    book = app.screen.query_one(Book)
    chapter, section = book.at
    return book._chapters[chapter][section].slug


@pytest.mark.parametrize("game", WALKED)
async def test_the_right_button_explains_what_it_clicks_and_plays_nothing(game: str, tmp_path: Path) -> None:
    match = running_match(game, faces()[game].meta.min_seats, 12)
    async with at_table(match, tmp_path, games=faces()) as (app, pilot):
        screen, frame = _table(app), _table(app).query_one(SignFrame)
        asked, plies = shown(app, "prompt"), screen.shown.match.ply
        told = [*_cells(screen)]
        for x, y, meaning in told[:: max(1, len(told) // 12)]:
            with patch.object(Board, "choose") as choose, patch.object(SidePanel, "Pressed") as pressed:
                await pilot.click(offset=(x, y), button=3)
            assert shown(app, "prompt").removesuffix("  . next") == render(meaning.sentence)
            assert frame.display
            assert frame.region.contains(x, y)
            assert not choose.called
            assert not pressed.called
        await pilot.press("escape")
        assert not frame.display
        assert (shown(app, "prompt"), screen.shown.match.ply) == (asked, plies)


@pytest.mark.parametrize("game", WALKED)
async def test_in_a_replay_signs_explain_themselves_by_mouse_and_key_as_at_the_table(
    game: str, tmp_path: Path
) -> None:
    match = match_of(game, faces()[game].meta.min_seats, 9999)
    async with at_table(match, tmp_path, games=faces()) as (app, pilot):
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen) and app.screen.board.visible)
        await at_rest(pilot)
        screen = app.screen
        assert isinstance(screen, ReplayScreen)
        await pilot.press("pagedown")
        await at_rest(pilot)
        assert not list(_unexplained(screen))
        told = [(x, y, meaning) for x, y, meaning in _cells(screen) if not meaning.gives_way]
        for x, y, meaning in told[:: max(1, len(told) // 12)]:
            await pilot.hover(offset=(x, y))
            assert shown(app, "prompt") == render(meaning.sentence)
        said = shown(app, "prompt")
        await pilot.press("full_stop")
        assert screen.query_one(SignFrame).display
        await pilot.press("escape")
        assert app.screen is screen
        assert shown(app, "prompt") == said


async def test_a_canvas_draws_words_that_explain_themselves_like_any_others(stage: Stage) -> None:
    words = Content.assemble(("3", "$gold"), " coins")
    async with stage.play() as (app, _pilot):
        canvas = app.screen.query_one(Title)
        assert canvas.pieces(explained(words, text("These are coins."))) == canvas.pieces(words)
