"""What stands beside the board."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import pytest
from msgspec.structs import replace
from textual.app import App, ComposeResult
from textual.content import Content
from textual.style import Style

from kk_tui.games import Face, RevealSummary, faces
from kk_tui.games.land_cards.theme import COUNTRY_CODES
from kk_tui.table.news import news_lines
from kk_tui.table.race import race_lines
from kk_tui.table.side_panel import DRAWERS, Beside, SidePanel
from kk_tui.theme.glyphs import Glyphs
from kk_tui.theme.palette import palette
from kk_tui.widgets.board import PRESS
from kk_tui.widgets.explanation import explanation_at
from tests.core.contract.tables import people_at
from tests.tui.conftest import at_rest
from tests.tui.scenes import lines_of, match_of, scene_of_match


class Panel(App[None]):
    """The panel alone, in the colours of a game."""

    def __init__(self, face: Face[Any]) -> None:
        super().__init__()
        theme = palette("manuscript", [face.colours]).theme()
        self.register_theme(theme)
        self.theme = theme.name
        self.glyphs = Glyphs(ascii_only=False, more=[face.glyphs])

    def compose(self) -> ComposeResult:
        yield SidePanel(self.glyphs)


@pytest.mark.parametrize("width", [21, 22, 34, 42, 54])
@pytest.mark.parametrize("game", faces())
async def test_to_the_right_of_points_a_column_stays_free(game: str, width: int) -> None:
    scene, face = scene_of_match(match_of(game, people_at(game), 30)), faces()[game]
    page = Panel(face)
    async with page.run_test(size=(width, 50)) as pilot:
        panel = page.query_one(SidePanel)
        panel.show(scene, face, Beside())
        await at_rest(pilot)
        lines = [line.ljust(width) for line in lines_of(page)]
    for name, points in zip(scene.names, scene.observation.points, strict=True):
        line = next(line for line in lines if name in line)
        # points as things stand are in brackets, before those that are scored
        assert re.search(rf"[( ]{points}\)?(?: \d+)? $" if points else " $", line)


@pytest.mark.parametrize("width", [22, 34, 42, 54])
@pytest.mark.parametrize("game", faces())
async def test_no_news_and_no_line_of_the_log_reach_into_the_last_column(game: str, width: int) -> None:
    page, match = Panel(faces()[game]), match_of(game, people_at(game), 30)
    async with page.run_test(size=(width, 50)) as pilot:
        page.query_one(SidePanel).show(scene_of_match(match), faces()[game], Beside())
        await at_rest(pilot)
        lines = [line.ljust(width) for line in lines_of(page)]
    assert any("Log" in line or "Before that" in line for line in lines)
    assert [line for line in lines if not line.endswith(" ")] == []


@pytest.mark.parametrize("plies", [0, 30])
def test_the_bars_of_the_races_end_near_the_points(plies: int) -> None:
    scene = scene_of_match(match_of("ku_ka_king", 3, plies))
    face = faces()["ku_ka_king"]
    races = face.race(scene)
    glyphs = Glyphs(ascii_only=False, more=[face.glyphs])
    head, *lines = [line.plain for line in race_lines(scene, races, glyphs, 53)]
    longest = max(sum(race.counts) for race in races)
    assert head.index("A") <= 13 + longest + 16 + 4
    assert {len(line) for line in (head, *lines)} == {len(head)}


@pytest.mark.parametrize("width", range(21, 60))
@pytest.mark.parametrize("game", faces())
def test_a_bots_level_is_told_wherever_its_whole_name_leaves_room(game: str, width: int) -> None:
    seats, face = people_at(game), faces()[game]
    names = ("Anna", "Benno", "Mathilde")[:seats]
    scene = scene_of_match(match_of(game, seats, 30, names))
    bots = (scene.table.seats[0], *(replace(seat, owner=None, bot="easy") for seat in scene.table.seats[1:]))
    scene = dataclasses.replace(scene, table=replace(scene.table, seats=bots))
    panel = SidePanel(Glyphs(ascii_only=False, more=[face.glyphs]))
    # a stock in the same line is worth more where hardly a name fits beside it
    has_stock = any(face.stock(scene, seat, panel._glyphs).plain for seat in range(seats))
    for is_short in (True, False) if width >= 28 or not has_stock else (False,):
        said = [line.plain for line in panel._people(scene, face, width, Beside(), is_short=is_short)]
        assert all(any(name in line for line in said) for name in names)
        levels = "".join(said).count("(easy)") + "".join(said).count("(easy bot)")
        assert levels == seats - 1 or (is_short and width < 30)
        assert max(map(len, said)) <= width


def test_that_somebody_is_the_start_player_is_said_where_there_is_one() -> None:
    for game, face in faces().items():
        scene = scene_of_match(match_of(game, people_at(game)))
        lines = list(
            SidePanel(Glyphs(ascii_only=False, more=[face.glyphs]))._people(scene, face, 34, Beside())
        )
        told = [str(found.sentence) for x in range(34) if (found := explanation_at(lines[0], x)) is not None]
        assert any("is the start player" in words for words in told) is face.has_start_player


def _told(parts: list[Content]) -> str:
    """What is told of seat 1 in one line."""
    face = dataclasses.replace(
        faces()["land_cards"], news=lambda _scene: RevealSummary(None, {1: parts}, {1: parts})
    )
    scene = scene_of_match(match_of("land_cards", 3, 0))
    glyphs = Glyphs(ascii_only=False, more=[face.glyphs])
    return "".join(str(line) for line in news_lines(scene, face, glyphs, 90, None))


def test_between_cards_on_their_grounds_no_comma_is_astray() -> None:
    card = Content.assemble("took ", (" FRA ", "$ink on $ground"))
    word = Content("placed no stone")
    assert _told([card, word]).rstrip() == "B■ took  FRA  placed no stone"
    assert _told([word, card, card]).rstrip() == "B■ placed no stone, took  FRA  took  FRA"


# -- what is scored, and what is not yet ---------------------------------------------------------------------


@pytest.mark.parametrize("width", [22, 28, 34, 54])
@pytest.mark.parametrize("drawer", [None, *DRAWERS])
@pytest.mark.parametrize("game", ["land_cards", "web_of_power"])
async def test_stocks_stay_in_sight_whichever_drawer_is_open(
    game: str, drawer: str | None, width: int
) -> None:
    scene, face = scene_of_match(match_of(game, 5, 40)), faces()[game]
    page = Panel(face)
    async with page.run_test(size=(width, 50)) as pilot:
        panel = page.query_one(SidePanel)
        panel.turn(drawer)
        panel.show(scene, face, Beside())
        await at_rest(pilot)
        told = "\n".join(lines_of(page)).replace(" ", "")
    for seat in range(5):
        assert face.stock(scene, seat, page.glyphs).plain.replace(" ", "") in told


@pytest.mark.parametrize("width", [22, 54])
@pytest.mark.parametrize(("plies", "is_over"), [(40, False), (1000, True)])
async def test_points_as_things_stand_have_a_word_and_a_look_that_scored_ones_have_not(
    width: int, plies: int, is_over: bool
) -> None:
    scene, face = scene_of_match(match_of("land_cards", 3, plies)), faces()["land_cards"]
    assert scene.is_over is is_over
    page = Panel(face)
    async with page.run_test(size=(width, 50)) as pilot:
        page.query_one(SidePanel).show(scene, face, Beside())
        await at_rest(pilot)
        first = lines_of(page)[0]
    panel = SidePanel(page.glyphs)
    line = next(iter(panel._people(scene, face, width, Beside())))
    assert ("(as things stand)" in first) is not is_over
    assert ("bold $gold" in [str(span.style) for span in line.spans]) is is_over
    assert ("italic $ink" in [str(span.style) for span in line.spans]) is not is_over


@pytest.mark.parametrize("seats", range(3, 6))
@pytest.mark.parametrize("game", ["land_cards", "web_of_power"])
async def test_beside_a_board_at_120_columns_all_contests_are_shown_without_a_key(
    game: str, seats: int
) -> None:
    scene, face = scene_of_match(match_of(game, seats, 80)), faces()[game]
    page = Panel(face)
    async with page.run_test(size=(34, 38)) as pilot:
        panel = page.query_one(SidePanel)
        panel.show(scene, face, Beside())
        await at_rest(pilot)
        lines = lines_of(page)
    for race in face.race(scene):
        sign = panel._glyphs[race.sign] if race.sign else None
        labels = [str(label) for label in (race.label, race.code, race.part, sign) if label is not None]
        assert any(line.strip().startswith(label) for line in lines for label in labels)


@pytest.mark.parametrize("plies", [0, 30, 90, 1000])
async def test_beside_a_small_board_too_a_table_of_contests_is_shown_without_a_key(plies: int) -> None:
    scene, face = scene_of_match(match_of("land_cards", 3, plies)), faces()["land_cards"]
    page = Panel(face)
    async with page.run_test(size=(22, 22)) as pilot:
        page.query_one(SidePanel).show(scene, face, Beside())
        await at_rest(pilot)
        lines = [line.strip() for line in lines_of(page)]
    for race in face.race(scene):
        label = page.glyphs[race.sign] if race.sign else str(race.code)
        assert any(line.startswith(label) for line in lines)
    told = "\n".join(lines).partition("Since your turn")[2]
    others = {entry.seat for entry in scene.just_happened()} - {scene.viewer}
    assert all(f"\n{page.glyphs.owner(seat)}" in told for seat in others if not scene.is_over)


def _law(number: int) -> Content:
    return Content(f"law {number}").stylize(Style.from_meta({PRESS: f"choice-{number}"}))


@pytest.mark.parametrize(("laws", "shown"), [(2, 11), (6, 11), (8, 8), (10, 6), (14, 0)])
def test_beside_a_small_board_the_last_contests_give_way_to_law_cards(laws: int, shown: int) -> None:
    scene, face = scene_of_match(match_of("land_cards", 3, 90)), faces()["land_cards"]
    panel = SidePanel(Glyphs(ascii_only=False, more=[face.glyphs]))
    panel._panel = tuple(map(_law, range(laws)))
    lines = [line.plain for line in panel._over_news(scene, face, 20, 22, Beside(panel._panel))]
    begun = [race for race in face.race(scene) if any(race.counts)]
    labels = [panel._glyphs[race.sign] if race.sign else str(race.code) for race in begun]
    assert [label for label in labels if any(line.strip().startswith(label) for line in lines)] == labels[
        :shown
    ]
    assert ("…" in lines) is (0 < shown < len(labels))
    assert [line for line in lines if line.startswith("law")] == [f"law {law}" for law in range(laws)]


def test_where_not_all_contests_have_room_those_that_nobody_can_change_give_way_first() -> None:
    scene, face = scene_of_match(match_of("land_cards", 3, 140)), faces()["land_cards"]
    panel = SidePanel(Glyphs(ascii_only=False, more=[face.glyphs]))
    races = face.race(scene)
    open_ones = [race for race in races if not race.is_settled]
    assert 0 < len(open_ones) < len(races)
    laws = [_law(law) for law in range(3)]
    panel._panel = (Content("symbols"), Content("head"), *laws)
    for height in range(4 + len(laws) + 2 + len(open_ones) + 3, 24):
        lines = [line.plain for line in panel._over_news(scene, face, 20, height, Beside(panel._panel))]
        labels = [panel._glyphs[race.sign] if race.sign else str(race.code) for race in races]
        shown = [
            race for race, label in zip(races, labels, strict=True)
            if any(line.strip().startswith(label) for line in lines)
        ]  # fmt: skip
        assert {*open_ones} <= {*shown}
        assert len(shown) == len(races) or any(line == "…" for line in map(str.strip, lines))


@pytest.mark.parametrize("width", range(16, 34))
def test_a_few_contests_of_two_figures_are_lines_where_a_table_of_them_has_no_room(width: int) -> None:
    scene, face = scene_of_match(match_of("land_cards", 5, 80)), faces()["land_cards"]
    few = dataclasses.replace(face, race=lambda scene: face.race(scene)[:3])
    panel = SidePanel(Glyphs(ascii_only=False, more=[face.glyphs]))
    lines = [line.plain for line in panel._over_news(scene, few, width, 38, Beside())]
    assert any(line.startswith("As things stand") for line in lines) is (width >= 23)


def test_alliances_are_only_numbered_where_the_news_would_have_no_room_otherwise() -> None:
    scene, face = scene_of_match(match_of("web_of_power", 5, 160)), faces()["web_of_power"]
    panel = SidePanel(Glyphs(ascii_only=False, more=[face.glyphs]))
    panel._panel = tuple(Content("card") for _line in range(9))
    held = [race.number for race in face.race(scene) if race.number and any(race.points)]
    assert held == [3, 4, 7, 12, 15]
    for height, named in ((37, True), (33, False)):
        lines = [line.plain for line in panel._over_news(scene, face, 33, height, Beside(panel._panel))]
        assert any(" 3 FR-LO E4" in line for line in lines) is named
        assert any(line.startswith(" 3 E4   4 E4 ") for line in lines) is not named


@pytest.mark.parametrize(("width", "said"), [(33, "cards, symbols"), (54, "cards, symbols, points")])
def test_over_a_table_of_contests_stands_what_its_figures_are(width: int, said: str) -> None:
    scene, face = scene_of_match(match_of("land_cards", 5, 80)), faces()["land_cards"]
    panel = SidePanel(Glyphs(ascii_only=False, more=[face.glyphs]))
    lines = [line.plain for line in panel._over_news(scene, face, width, 38, Beside())]
    assert f"As things stand  {said}" in lines


def test_law_cards_that_are_not_pressed_stay_in_sight_while_news_leave_room_for_a_few_contests() -> None:
    scene, face = scene_of_match(match_of("land_cards", 3, 80)), faces()["land_cards"]
    panel = SidePanel(Glyphs(ascii_only=False, more=[face.glyphs]))
    panel._panel = (Content("symbols"), Content("head"), _law(0), Content("-2 points"))
    for height in (20, 21, 22):
        lines = [line.plain for line in panel._over_news(scene, face, 20, height, Beside(panel._panel))]
        assert {"symbols", "head", "-2 points"} <= {*lines}
        assert sum(line.strip()[:3] in map(str, COUNTRY_CODES) for line in lines) >= 4


@pytest.mark.parametrize("width", [21, 34, 54])
@pytest.mark.parametrize("is_short", [True, False])
@pytest.mark.parametrize("game", faces())
def test_points_that_are_scored_stand_in_gold_before_the_total_as_things_stand_in_every_width(
    game: str, width: int, *, is_short: bool
) -> None:
    face = faces()[game]
    scene = scene_of_match(match_of(game, people_at(game), 90))
    seats = range(len(scene.names))
    scored = [sum(line[seat] for line in scene.observation.sheet) for seat in seats]
    if face.scored_lines is not None and not scene.is_over:
        lines = scene.observation.sheet[: face.scored_lines(scene)]
        scored = [sum(line[seat] for line in lines) for seat in seats]
    panel = SidePanel(Glyphs(ascii_only=False, more=[face.glyphs]))
    people = [*panel._people(scene, face, width, Beside(), is_short=is_short)]
    figures = panel._figures_of(scene, face)
    has_room = figures.has_room_for_scored(width, is_short=is_short)
    assert has_room or any(face.stock(scene, seat, panel._glyphs) for seat in seats)
    assert max(line.cell_length for line in people) <= width
    for seat, line in panel._names:
        gold = [line.plain[span.start : span.end] for span in line.spans if str(span.style) == "bold $gold"]
        assert [int(words) for words in gold] == ([scored[seat]] if any(scored) and has_room else [])
    for head in figures.over_points(width, is_short=is_short):
        assert head.plain.strip().startswith("scored (total") is (any(scored) and has_room)
        assert head.cell_length <= width


@pytest.mark.parametrize("plies", range(60, 200, 20))
def test_beside_its_stock_a_name_is_worth_more_than_scored_points(plies: int) -> None:
    face, names = faces()["web_of_power"], ("Anna", "Gisela", "Notker", "Wibald", "Hilde")
    scene = scene_of_match(match_of("web_of_power", 5, plies, names))
    panel = SidePanel(Glyphs(ascii_only=False, more=[face.glyphs]))
    said = [line.plain for line in panel._people(scene, face, 21, Beside(), is_short=True)]
    assert all(name in line for name, line in zip(names, said, strict=True))
