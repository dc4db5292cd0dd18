"""The end of a match: who stands where, how it went, and where the points come from."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from rich.style import Style
from textual.widgets import Static

from kk_core.chance import Chance
from kk_core.errors import KkError
from kk_core.games.land_cards.model import COUNTRIES, MINUS_TWO
from kk_core.match import Match, Replay
from kk_core.protocol.messages import Propose
from kk_core.registry import game
from kk_core.search.bots import bot
from kk_core.search.search import Budget
from kk_core.text import text
from kk_core.types import Outcome, Seat, Viewer, totals
from kk_core.views import Course, ProposalView
from kk_server.hub.hub import Hub
from kk_server.storage.memory_log import MemoryLog
from kk_tui.app import KkApp
from kk_tui.games import faces
from kk_tui.languages import languages, translate
from kk_tui.match.replay import ReplayScreen
from kk_tui.match.result import (
    ResultScreen,
    beat_weaker_bots,
    best_sources,
    own_words,
    point_sources,
    verdict,
)
from kk_tui.match.table import TableScreen
from kk_tui.match.table_menu import TableMenuScreen
from kk_tui.match.table_setup import TableSetupScreen
from kk_tui.pixels import number
from kk_tui.scene import Scene
from kk_tui.screens.dialogs import ConfirmScreen
from kk_tui.screens.lobby import LobbyScreen
from kk_tui.screens.menu import MenuScreen
from kk_tui.table.decisive import Swing, decisive, deeds, moment_of, swing_words, with_deeds
from kk_tui.table_words import as_remembered, beside_name, kind_marks, watching_words
from kk_tui.theme.glyphs import GLYPHS, SEATS
from kk_tui.widgets.bars import TextLine
from kk_tui.widgets.board import Board
from kk_tui.widgets.podium import Podium, arranged, heights, standings
from kk_tui.widgets.point_bars import PointBars, PointSource
from kk_tui.widgets.score_graph import ScoreGraph, above_average
from kk_tui.widgets.score_graph import heights_of as rows_of_lines
from tests.core.contract.tables import Table, people_at
from tests.tui.conftest import Running, Stage, at_rest, shown, until
from tests.tui.playing import at_table, begin, can_act, is_over, keys_of, scene_in, sit_down
from tests.tui.scenes import SEED, lines_of, match_of, scene_of_match

every_game = pytest.mark.parametrize("game_id", faces())


@cache
def finished(game_id: str) -> Match:
    """A match between bots that has a winner, the same for every run; nobody plays on in it."""
    matches = map(partial(_played, game_id), (SEED, *(bytes([number] * 32) for number in range(20))))
    return next(match for match in matches if _has_winner(match))


def _has_winner(match: Match) -> bool:
    outcome = match.game.outcome(match.state)
    return outcome is not None and bool(outcome.winners)


def _played(game_id: str, seed: bytes) -> Match:
    chance, seats = Chance(seed), people_at(game_id, faces()[game_id].meta.min_seats + 1)
    match = Match(game(game_id), {}, ("Anna", "Beate", "Claus")[:seats], seed)
    player = bot("greedy", match.game)
    while active := match.game.active_seats(match.state):
        seen_by = match.game.observe(match.state, active[0])
        match.play(active[0], player.choose(seen_by, chance, Budget(1)))
    return match


def seen(app: KkApp) -> str:
    return "\n".join(lines_of(app))


# -- who stands where ----------------------------------------------------------------------------------------


def test_the_podium_has_the_best_first() -> None:
    found = standings(("A", "B", "C"), (10, 30, 20), Outcome((1,)))
    assert [(one.name, one.place) for one in found] == [("B", 1), ("C", 2), ("A", 3)]


def test_who_shares_the_win_shares_the_first_step() -> None:
    found = standings(("A", "B", "C"), (30, 30, 20), Outcome((0, 1)))
    assert [one.place for one in found] == [1, 1, 3]


def test_who_loses_a_tie_break_stands_lower() -> None:
    found = standings(("A", "B"), (30, 30), Outcome((1,), (3, 4)))
    assert [(one.name, one.place) for one in found] == [("B", 1), ("A", 2)]


def test_the_best_stands_in_the_middle() -> None:
    found = standings(("A", "B", "C", "D", "E"), (50, 40, 30, 20, 10), Outcome((0,)))
    assert [one.name for one in arranged(found)] == ["D", "B", "A", "C", "E"]


def steps(points: Sequence[int], most: int, outcome: Outcome | None = None) -> list[int]:
    return heights(standings([str(each) for each in points], points, outcome), most)


def test_the_steps_of_the_podium_are_as_high_as_the_points_on_them() -> None:
    assert steps((60, 30, 45), 40) == [40, 30, 20]
    assert steps((60, 45, 60), 40) == [40, 40, 30]


def test_who_stands_lower_on_the_podium_has_a_lower_step_however_close_the_points() -> None:
    assert steps((60, 59, 58, 57), 15) == [15, 14, 13, 12]
    assert steps((30, 30), 15, Outcome((1,), (3, 4))) == [15, 14]
    assert steps((20, 3, 2, 1, 0), 8) == [8, 7, 6, 5, 4]


def test_points_below_zero_have_the_lowest_step_of_the_podium() -> None:
    assert steps((-3, -5), 15) == [15, 4]
    assert steps((8, -5), 15) == [15, 4]


def sources(*points: int) -> list[PointSource]:
    return [PointSource(f"{each} points", str(each), each) for each in points]


@every_game
def test_the_sources_of_points_add_up_to_the_points_of_everybody(game_id: str) -> None:
    match = finished(game_id)
    scene = scene_of_match(match)
    found = point_sources(scene, faces()[game_id])
    assert [sum(source.points for source in own) for own in found] == list(scene.observation.points)
    assert all(len({source.name for source in own}) == len(own) for own in found)


@asynccontextmanager
async def sources_of(
    game_id: str, seats: int, size: tuple[int, int], folder: Path
) -> AsyncIterator[tuple[PointBars, Scene[Any]]]:
    """Where the points come from, on the page of a match for so many."""
    match = match_of(game_id, seats, 10_000)
    async with at_table(match, folder, games=faces(), size=size) as (app, pilot):
        await shows(app, pilot, "Where the points come from")
        yield app.screen.query_one(PointBars), scene_in(app)


@pytest.mark.parametrize("size", [(110, 36), (120, 40), (200, 60)])
@pytest.mark.parametrize("game_id", ["land_cards", "ku_ka_king"])
async def test_of_everybody_a_bar_on_one_axis_tells_where_their_points_come_from(
    game_id: str, size: tuple[int, int], tmp_path: Path
) -> None:
    for seats in range(faces()[game_id].meta.min_seats, faces()[game_id].meta.max_seats + 1):
        async with sources_of(game_id, seats, size, tmp_path / str(seats)) as (bars, scene):
            assert bars.app.screen.find_widget(bars).visible_region.height >= len(bars.painter)
            found = point_sources(scene, faces()[game_id])
            gained = [sum(source.points for source in own if source.points > 0) for own in found]
            lines = [line for line in bars.painter[1:] if line]
            heads = [y for y, line in enumerate(lines) if any(name in line[0].text for name in scene.names)]
            placed = standings(scene.names, scene.observation.points, scene.observation.outcome)
            assert [lines[y][1].text for y in heads] == [f" {one.points}" for one in placed]
            for y, one in zip(heads, placed, strict=True):
                unit = bars.size.width / max(gained)
                parts = [source.points for source in found[one.seat] if source.points > 0]
                assert sum(part.cell_length for part in lines[y + 1]) == round(gained[one.seat] * unit)
                for points, part in zip(parts, lines[y + 1], strict=True):
                    assert abs(part.cell_length - points * unit) <= 1
                    has_room = len(str(points)) <= part.cell_length
                    assert part.text.strip() == (str(points) if has_room else "")


async def test_points_below_zero_are_told_beside_the_name_and_are_no_part_of_the_bar(tmp_path: Path) -> None:
    async with sources_of("land_cards", 5, (120, 40), tmp_path) as (bars, scene):
        found = point_sources(scene, faces()["land_cards"])
        lost = {seat: each.points for seat, own in enumerate(found) for each in own if each.points < 0}
        assert lost
        told = ["".join(part.text for part in line) for line in bars.painter]
        for seat, points in lost.items():
            assert any(scene.names[seat] in line and f"(-2 points {points})" in line for line in told)


async def test_the_names_of_countries_in_the_bars_are_all_short_or_all_whole(tmp_path: Path) -> None:
    match, told = match_of("land_cards", 5, 10_000), set[bool]()
    async with at_table(match, tmp_path, games=faces(), size=(200, 60)) as (app, pilot):
        await shows(app, pilot, "Where the points come from")
        bars = app.screen.query_one(PointBars)
        for width in range(30, 110, 4):
            bars.styles.width = width
            await until(pilot, lambda: bars.outer_size.width == width)  # noqa: B023
            words = {part.text.strip() for line in bars.painter for part in line}
            whole, short = words & {*COUNTRIES}, {*filter(re.compile(r"[A-ZÄ]{3}").fullmatch, words)}
            assert bool(whole) != bool(short)
            assert len(whole | short) >= 3
            told.add(bool(short))
    assert told == {True, False}


async def test_parts_of_no_country_stand_out_from_the_page_and_from_each_other(tmp_path: Path) -> None:
    async with sources_of("land_cards", 5, (200, 60), tmp_path) as (bars, _scene):
        plain = [PointSource("Ships", "Ship", 6), PointSource("Carriages", "Carr", 5)]
        bars._sources = [plain] * len(bars._sources)
        told = [line for line in bars.make_painter() if [part.text.strip() for part in line] == ["6", "5"]]
        assert len(told) == len(bars._sources)
        for line in told:
            grounds = {part.style.bgcolor for part in line if part.style}
            assert len({*grounds, bars.ink("ink", on="ground").bgcolor}) == 3


async def test_where_no_colours_tell_parts_apart_lines_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PointBars, "has_colours", False)
    async with sources_of("land_cards", 5, (200, 60), tmp_path) as (bars, scene):
        found = point_sources(scene, faces()["land_cards"])
        bars_of_seats = [line for line in bars.painter if line and line[0].text.startswith(bars.glyphs["v"])]
        assert len(bars_of_seats) == 2 * len(found)
        assert all(part.text.startswith(bars.glyphs["v"]) for line in bars_of_seats for part in line)


# -- how it went ---------------------------------------------------------------------------------------------

COURSE = Course(
    movers=(0, 1, 0, 1),
    turns=(1, 2, 3),
    rounds=(2,),
    scorings=(4,),
    points=((0, 0), (3, 0), (3, 5), (12, 5), (12, 9)),
)


def by_leads(*leads: int, scorings: tuple[int, ...] = ()) -> Course:
    """A match for two in which seat 0 is so far ahead after every turn; a round has two turns."""
    plies = len(leads)
    return Course(
        movers=tuple(ply % 2 for ply in range(plies)),
        turns=tuple(range(1, plies)),
        rounds=tuple(range(2, plies, 2)),
        scorings=(*scorings, plies),
        points=((0, 0), *((max(0, lead), max(0, -lead)) for lead in leads)),
    )


def said_of(course: Course) -> str:
    swing = decisive(course, Outcome((0,)))
    assert swing is not None
    return str(swing_words(swing, "Anna")[0])


def test_the_decisive_moment_is_the_turn_in_which_the_winner_took_the_lead_for_good() -> None:
    assert decisive(COURSE, Outcome((0,))) == Swing(0, 2, start=2, ply=3, before=-2, after=7, for_good=True)
    assert said_of(COURSE) == (
        "The decisive moment: in round 2 Anna took the lead for good (2 points behind, then 7 points ahead)."
    )
    # a lead that was lost again decided nothing, however large the swing
    assert said_of(by_leads(1, -9, 20, -1, -1, 0, 2, 3)) == (
        "The decisive moment: in round 4 Anna took the lead for good (level, then 2 points ahead)."
    )


def test_the_short_sentence_too_says_that_it_was_for_good() -> None:
    for course, said in (
        (COURSE, "Decisive: in round 2 Anna took the lead for good."),
        (by_leads(0, -3, 0, -2, -2, 0), "Decisive: in round 3 Anna caught up for good."),
    ):
        swing = decisive(course, Outcome((0,)))
        assert swing is not None
        assert str(swing_words(swing, "Anna")[1]) == said


def test_a_swing_that_leaves_the_winner_behind_is_not_the_decisive_one() -> None:
    swing = decisive(by_leads(0, -20, -20, -21, -1, -2, 1, 2), Outcome((0,)))
    assert swing is not None
    assert (swing.before, swing.after) == (-2, 1)


def test_who_was_never_behind_is_decided_for_by_the_turn_in_which_the_lead_grew_most() -> None:
    swing = decisive(by_leads(3, 2, 4, 13, 21, 20), Outcome((0,)))
    assert swing == Swing(0, round=2, start=3, ply=4, before=4, after=13)
    assert str(swing_words(swing, "Anna")[0]) == (
        "The decisive moment: in round 2 Anna pulled away (4 points ahead, then 13 points ahead)."
    )


def test_leads_before_everybody_has_had_a_turn_change_no_hands() -> None:
    course = replace(by_leads(3, -1, -1, -1, -8, -9))
    swing = decisive(course, Outcome((1,)))
    assert swing == Swing(1, round=3, start=4, ply=5, before=1, after=8)


def test_who_wins_a_tie_caught_up_for_good_in_the_last_turn_that_made_them_level() -> None:
    assert said_of(by_leads(0, -3, 0, -2, -2, 0)) == (
        "The decisive moment: in round 3 Anna caught up for good, from 2 points behind."
    )


def test_a_swing_by_a_scoring_is_called_so_and_stands_behind_a_turn_that_moved_half_as_much() -> None:
    assert said_of(by_leads(4, -8, 8, 8, scorings=(3,))) == (
        "The decisive moment: at the first scoring in round 2 "
        "Anna took the lead for good (8 points behind, then 8 points ahead)."
    )
    chosen = decisive(by_leads(1, 9, 25, 25, scorings=(3,)), Outcome((0,)))
    assert chosen == Swing(0, round=1, start=1, ply=2, before=1, after=9)
    chosen = decisive(by_leads(1, 8, 25, 25, scorings=(3,)), Outcome((0,)))
    assert chosen == Swing(0, round=2, start=2, ply=3, before=8, after=25, scoring=1)


def test_the_end_is_no_scoring_that_moves_anything() -> None:
    course = Course(movers=(0, 1), turns=(1,), rounds=(), scorings=(2,), points=((0, 0), (0, 0), (0, 9)))
    assert decisive(course, Outcome((1,))) == Swing(1, round=1, start=1, ply=2, before=0, after=9)


@every_game
def test_who_looks_reads_their_place_their_distance_and_what_gave_them_most(game_id: str) -> None:
    scene, face = scene_of_match(finished(game_id)), faces()[game_id]
    points, winners = scene.observation.points, scene.observation.outcome.winners
    for one in standings(scene.names, points, scene.observation.outcome):
        said = " ".join(own_words(scene, face, [one.seat]))
        place = ("1st", "2nd", "3rd")[one.place - 1]
        lead = points[one.seat] - max(own for seat, own in enumerate(points) if seat != one.seat)
        word = f", {lead} ahead" if lead > 0 else f", {-lead} behind" if lead else ""
        best = best_sources(point_sources(scene, face)[one.seat])
        most = f" Most points: {best[0].name} {best[0].points}." if best else ""
        assert said.startswith("You: ")
        assert f"{place} with {one.points}{word}.{most}" in said
        assert ("ahead" not in said) if one.seat not in winners else ("behind" not in said)
    assert not own_words(scene, face, []), "who only watched"
    assert not own_words(scene, face, [0, 1]), "several at one screen"


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_how_the_viewer_did_stands_beside_the_winner_and_below_if_there_is_no_room(
    size: tuple[int, int], tmp_path: Path
) -> None:
    async with at_table(finished("land_cards"), tmp_path, games=faces(), size=size) as (app, pilot):
        screen, scene = app.screen, scene_in(app)
        assert isinstance(screen, ResultScreen)
        where = own_words(scene, faces()["land_cards"], app.my_seats)
        await until(pilot, lambda: f" wins.  {where[0]}" in seen(app))
        assert (" ".join(where) in seen(app)) == (size[0] > 80)
        screen._show_verdict(30)
        await until(pilot, lambda: f"\n  {' '.join(where)}" in seen(app))


@pytest.mark.parametrize("can_save", [True, False])
async def test_only_who_can_save_a_record_is_told_the_command_that_checks_it(
    can_save: bool, tmp_path: Path
) -> None:
    async with at_table(finished("land_cards"), tmp_path, games=faces()) as (app, pilot):
        app.records = tmp_path if can_save else None
        await shows(app, pilot, "Result")
        app.screen.place_changed()  # type: ignore[attr-defined]
        await until(pilot, lambda: "record proves" in shown(app, "prompt"))
        assert ("kk record verify" in shown(app, "prompt")) is can_save


async def test_the_sign_of_a_scoring_stays_beside_that_of_the_decisive_moment(tmp_path: Path) -> None:
    async with at_table(finished("ku_ka_king"), tmp_path, games=faces()) as (app, pilot):
        await until(pilot, lambda: "decisive" in seen(app))
        graph = app.screen.query_one(ScoreGraph)
        course = graph._course
        assert course is not None
        for ply in course.scorings:
            graph.point(ply)
            cells = graph._time(course)
            assert cells[graph._column(ply)].text == app.glyphs["ornament"]
            assert app.glyphs["up"] in [cell.text for cell in cells]
        graph.point(1)
        assert graph._time(course)[graph._column(1)].text == app.glyphs["up"]


def test_where_nobody_wins_the_decisive_moment_is_of_those_who_are_first() -> None:
    points = ((0, 0, 0), (9, 9, 0), (9, 9, 8), (10, 9, 8), (10, 10, 8))
    course = Course(movers=(0, 2, 0, 1), turns=(1, 2, 3), rounds=(2,), scorings=(4,), points=points)
    swing = decisive(course, Outcome((), (3, 3, 2)))
    assert swing is not None
    assert swing.seat == 0


@every_game
@pytest.mark.parametrize(("width", "rows"), [(73, 12), (160, 60)])
def test_the_chart_shows_the_leads_that_are_told_of_the_decisive_turn(
    game_id: str, width: int, rows: int
) -> None:
    for nth in range(12):
        match = Table(game_id, people_at(game_id)).finished(nth)
        course = Replay(match).course()
        swing = decisive(course, match.game.outcome(match.state))
        if swing is None:
            continue
        told = swing.start, swing.ply
        values = [value for _ply, column in above_average(course, told) for value in column]
        unit = (rows - 1) / max(1, max(values) - min(values))
        drawn, _level = rows_of_lines(course, width, rows, told)
        last = round(swing.ply * (width - 1) / len(course.movers))
        first = min(last - 1, round(swing.start * (width - 1) / len(course.movers)))
        for x, lead in ((first, swing.before), (last, swing.after)):
            own = drawn[x][swing.seat]
            best = min(row for seat, row in enumerate(drawn[x]) if seat != swing.seat)
            assert abs(best - own - lead * unit) <= 1, "but for rounding both rows"


@every_game
async def test_the_page_tells_the_chart_of_the_decisive_turn(game_id: str, tmp_path: Path) -> None:
    async with at_table(finished(game_id), tmp_path, games=faces()) as (app, pilot):
        await until(pilot, lambda: "decisive" in str(app.screen.query_one("#moment").render()).lower())
        assert isinstance(app.screen, ResultScreen)
        moment = app.screen._moment
        assert moment is not None
        assert app.screen.query_one(ScoreGraph)._told == (moment.swing.start, moment.swing.ply)


def test_without_a_swing_there_is_no_decisive_moment() -> None:
    assert decisive(Course((0,), (), (), (1,), ((0, 0), (0, 0))), Outcome((0, 1))) is None


def test_of_a_match_without_an_end_no_turn_is_said_to_have_decided_it() -> None:
    assert decisive(COURSE, None) is None


@every_game
async def test_of_the_decisive_turn_is_told_who_did_what_and_what_it_changed_most(game_id: str) -> None:
    match = finished(game_id)
    replay, face = Replay(match), faces()[game_id]
    moment = moment_of(replay.course(), scene_of_match(match))
    assert moment is not None
    swing = moment.swing

    async def look(ply: int, seat: Viewer) -> Scene[Any]:
        return scene_of_match(replay.at(ply), seat)

    told = (await deeds(replay.course(), swing, look, face)).whole
    turn = range(swing.start, swing.ply)
    assert {match.seats[match.plies[ply].seat] for ply in turn} & set(told.split()), "who did it"
    before, after = (totals(match.game.score(replay.at(ply).state)) for ply in (swing.start, swing.ply))
    assert before != after
    changed = re.findall(r"[+-]\d+", told)
    assert changed
    assert all(int(figure) for figure in changed)
    # the longest form has all of it, and none of them is without a sentence about the lead
    assert dataclasses.replace(moment, deeds=told).forms[0] == f"{moment.sentence} {told}"
    assert moment.forms == (moment.sentence, moment.short)


def told_changes(match: Match, swing: Swing) -> tuple[list[str], bool]:
    """What is to be told of a turn by the game's own score, and whether somebody lost anything."""
    replay, face = Replay(match), faces()[match.game.meta.id]
    sheets = [match.game.score(replay.at(ply).state) for ply in (swing.start, swing.ply)]
    lines = [[now - then for then, now in zip(*line, strict=True)] for line in zip(*sheets, strict=True)]
    scene = scene_of_match(replay.at(swing.ply), swing.seat)
    told = [(swing.seat, "Gain", {n: own[swing.seat] for n, own in enumerate(lines) if own[swing.seat] > 0})]
    lost = {
        seat: {n: own[seat] for n, own in enumerate(lines) if own[seat] < 0}
        for seat in range(len(match.seats))
        if seat != swing.seat
    }
    loser = min(lost, key=lambda seat: sum(lost[seat].values()))
    told.append((loser, "Loss", lost[loser]))
    said = []
    for seat, word, changes in told:
        most = sorted(changes, key=lambda line: -abs(changes[line]))[:2]
        words = [(str((face.line_words or face.sheet_label)(scene, line)), changes[line]) for line in most]
        if words:
            figures = ", ".join(f"{label} {points:+}" for label, points in words)
            said.append(f"{word} for {match.seats[seat]}: {figures}.")
    return said, bool(lost[loser])


def last_turn(match: Match) -> Swing:
    """The turn that ends a match, as one that moved something for who had it."""
    course = Replay(match).course()
    seat, end = course.movers[-1], len(course.movers)
    start = max(ply for ply in (0, *course.turns) if ply < end)
    return Swing(seat, len(course.rounds) + 1, start, end, 0, 1)


async def deeds_of(match: Match, swing: Swing) -> str:
    replay = Replay(match)

    async def look(ply: int, seat: Viewer) -> Scene[Any]:
        return scene_of_match(replay.at(ply), seat)

    return (await deeds(replay.course(), swing, look, faces()[match.game.meta.id])).whole


async def test_what_gave_the_lead_is_the_largest_gain_in_the_score_sheet_and_the_largest_loss() -> None:
    match = finished("land_cards")
    course = Replay(match).course()
    losses = 0
    for start, end in list(pairwise((0, *course.turns, len(course.movers))))[-20:]:
        swing = Swing(course.movers[start], 1, start, end, 0, 1)
        expected, is_loss = told_changes(match, swing)
        told = await deeds_of(match, swing)
        assert re.findall(r"(?:Gain|Loss) for .+?: .+? [+-]\d+\.", told) == expected
        losses += is_loss
    assert losses


async def test_what_the_end_reveals_is_not_told_as_a_loss_of_the_last_turn() -> None:
    """In the card game, others see a "-2" card only then, though it has cost its holder all along."""

    def lost_before(match: Match, ply: int, but: Seat) -> bool:
        own = match.game.score(Replay(match).at(ply).state)[-1]
        return any(points < 0 for seat, points in enumerate(own) if seat != but)

    ends = ((match, last_turn(match)) for match in map(Table("land_cards", 3).finished, range(40)))
    match, swing = next(
        (match, swing) for match, swing in ends if lost_before(match, swing.start, swing.seat)
    )
    told = await deeds_of(match, swing)
    expected, _is_loss = told_changes(match, swing)
    assert re.findall(r"(?:Gain|Loss) for .+?: .+? [+-]\d+\.", told) == expected


async def test_where_hidden_cards_make_another_lead_than_everybody_saw_that_is_said() -> None:
    """In the card game, a "-2" card counts for its holder from the turn in which it comes to them."""

    def lead(points: Sequence[int], seat: Seat) -> int:
        return points[seat] - max(own for other, own in enumerate(points) if other != seat)

    told = set[bool]()
    for match in map(Table("land_cards", 3).finished, range(12)):
        replay, last = Replay(match), last_turn(match)
        points = replay.course().points[last.start]
        held = [hand.count(MINUS_TWO) for hand in replay.at(last.start).state.hands]
        seen = [own + 2 * cards for own, cards in zip(points, held, strict=True)]
        before, after = lead(points, last.seat), lead(replay.course().points[-1], last.seat)
        is_hidden = lead(seen, last.seat) != before
        said = await deeds_of(match, dataclasses.replace(last, before=before, after=after))
        assert ("Cards still hidden then are counted." in said) is is_hidden
        told.add(is_hidden)
    assert told == {True, False}


async def test_of_a_turn_is_told_what_may_be_known_while_some_views_are_secret() -> None:
    match = finished("land_cards")
    replay, face = Replay(match), faces()["land_cards"]
    moment = moment_of(replay.course(), scene_of_match(match))
    assert moment is not None
    own = moment.swing.seat

    async def look(ply: int, seat: Viewer) -> Scene[Any]:
        if seat != own:
            raise KkError(text("This is not your seat."))
        return scene_of_match(replay.at(ply), seat)

    told = (await with_deeds(moment, replay.course(), look, face)).deeds
    assert f"Gain for {match.seats[own]}: " in told
    assert "Loss" not in told

    async def refused(ply: int, seat: Viewer) -> Scene[Any]:
        raise KkError(text("This is not your seat."))

    assert await with_deeds(moment, replay.course(), refused, face) == moment


async def test_where_a_face_fails_at_what_was_done_the_sentence_about_the_moment_stays() -> None:
    match = finished("land_cards")
    replay = Replay(match)
    moment = moment_of(replay.course(), scene_of_match(match))
    assert moment is not None

    async def look(ply: int, seat: Viewer) -> Scene[Any]:
        return scene_of_match(replay.at(ply), seat)

    def fails(*_args: Any) -> Any:
        raise IndexError

    face = dataclasses.replace(faces()["land_cards"], move_words=fails)
    assert await with_deeds(moment, replay.course(), look, face) == moment


async def test_what_was_done_twice_in_the_decisive_turn_is_told_once() -> None:
    face = dataclasses.replace(faces()["web_of_power"], move_words=lambda *_move: text("Anna builds."))
    told = list[str]()
    for match in map(Table("web_of_power", people_at("web_of_power")).finished, range(6)):
        replay = Replay(match)
        moment = moment_of(replay.course(), scene_of_match(match))
        assert moment is not None

        async def look(ply: int, seat: Viewer, replay: Replay = replay) -> Scene[Any]:
            return scene_of_match(replay.at(ply), seat)

        told.append((await with_deeds(moment, replay.course(), look, face)).deeds)
    assert any(said.startswith("Anna builds. Once more the same. Gain") for said in told)
    assert all(said.count("Anna builds") == 1 for said in told)


def test_the_best_sources_of_points_come_first_and_those_without_points_not_at_all() -> None:
    assert [source.points for source in best_sources(sources(1, 7, 0, -2))] == [7, 1]


# -- the page ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game_id", "size"),
    [
        *((game_id, (80, 24)) for game_id in faces()),
        *(("web_of_power", size) for size in ((100, 30), (120, 40), (160, 50), (200, 60))),
    ],
)
async def test_the_page_shows_podium_line_of_the_score_and_decisive_moment(
    game_id: str, size: tuple[int, int], tmp_path: Path
) -> None:
    match = finished(game_id)
    async with at_table(match, tmp_path, games=faces(), size=size) as (app, pilot):
        moment = app.screen.query_one("#moment", Static)
        await until(pilot, lambda: "decisive" in str(moment.render()).lower())
        for widget in (Podium, ScoreGraph):
            assert app.screen.query_one(widget).region.area > 0
        points = scene_in(app).observation.points
        await until(pilot, lambda: "1st" in seen(app) and "█" in seen(app))
        assert sum(points) == sum(match.game.observe(match.state, None).points)
        chart = app.screen.query_one("#chart")
        assert (chart.region.area > 0) == (size[0] >= 110)
        assert chart.region.intersection(app.screen.query_one(Podium).region).area == 0


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
@every_game
async def test_under_the_lines_of_the_score_stands_what_they_measure(
    game_id: str, size: tuple[int, int], tmp_path: Path
) -> None:
    async with at_table(finished(game_id), tmp_path, games=faces(), size=size) as (app, pilot):
        await until(pilot, lambda: "points above average  ▲ decisive moment" in seen(app))
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen))
        line = app.screen.query_one(ScoreGraph)
        await until(pilot, lambda: "points above average" in seen(app))
        below = [line.render_line(y).text.strip() for y in range(line.size.height)]
        assert below[-3] == "points above average"


@every_game
async def test_the_podium_says_what_gave_each_seat_most_where_no_bars_do(
    game_id: str, tmp_path: Path
) -> None:
    async with at_table(finished(game_id), tmp_path, games=faces(), size=(80, 24)) as (app, pilot):
        await until(pilot, lambda: "1st" in seen(app))
        scene, face = scene_in(app), faces()[game_id]
        placed = standings(scene.names, scene.observation.points, scene.observation.outcome)
        found = [best_sources(point_sources(scene, face)[one.seat]) for one in placed]
        for best, *_rest in filter(None, found[:2]):  # who has no points has no sources either
            assert any(f"{name} {best.points}" in seen(app) for name in (best.name, best.code))
        podium, bars = app.screen.query_one(Podium), app.screen.query_one(PointBars)
        await pilot.resize_terminal(200, 60)
        await until(pilot, lambda: app.screen.size == (200, 60) and podium.region.height > 9)
        has_bars, best = bars.region.area > 0, found[0][0]
        told = "\n".join(podium.render_line(y).text for y in range(podium.size.height))
        assert any(f"{name} {best.points}" in told for name in (best.name, best.code)) is not has_bars


def moment_in(app: KkApp) -> str:
    """What the page says of the decisive moment."""
    return str(app.screen.query_one("#moment", Static).render()).replace("\n", " ")


@every_game
async def test_with_the_decisive_moment_the_page_tells_what_was_done_and_in_a_small_one_what_that_changed(
    game_id: str, tmp_path: Path
) -> None:
    async with at_table(finished(game_id), tmp_path, games=faces(), size=(200, 60)) as (app, pilot):
        await until(pilot, lambda: re.search(r" [+-]\d", moment_in(app)) is not None)
        assert isinstance(app.screen, ResultScreen)
        moment = app.screen._moment
        assert moment is not None
        assert moment.deeds in moment_in(app)
        for size in ((80, 24), (120, 40)):
            await pilot.resize_terminal(*size)
            await until(pilot, lambda: app.screen.size == size)  # noqa: B023
            await until(pilot, lambda: 0 < app.screen.query_one("#moment").region.height <= 4)
            assert moment_in(app) in moment.forms
            assert re.search(r" [+-]\d", moment_in(app))


@every_game
async def test_in_few_words_too_it_is_told_who_did_what_and_what_it_brought(game_id: str) -> None:
    for match in map(Table(game_id, people_at(game_id)).finished, range(12)):
        replay = Replay(match)
        moment = moment_of(replay.course(), scene_of_match(match))
        assert moment is not None

        async def look(ply: int, seat: Viewer, replay: Replay = replay) -> Scene[Any]:
            return scene_of_match(replay.at(ply), seat)

        found = await with_deeds(moment, replay.course(), look, faces()[game_id])
        movers = {match.seats[match.plies[ply].seat] for ply in range(moment.swing.start, moment.swing.ply)}
        assert re.match(r"Decisive (in round|at the \w+ scoring)", found.brief)
        assert any(f": {name} " in found.brief for name in movers)
        # the sentences of all moves are whole, as translators wrote them
        _opening, told = found.brief.split(": ", 1)
        assert told.endswith(".")
        assert found.deeds.startswith(told)
        assert {*re.findall(r"[+-]\d+", found.brief)} <= {*re.findall(r"[+-]\d+", found.deeds)}
        assert len(found.brief) < len(f"{found.short} {found.deeds}")
        assert bool(found.result) == (moment.swing.for_good and moment.swing.after > 0)


async def test_a_face_that_fails_at_what_was_done_ends_neither_the_result_nor_the_replay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = 0

    def fails(*_args: Any) -> Any:
        nonlocal tried
        tried += 1
        raise IndexError

    monkeypatch.setattr("kk_tui.table.decisive.line_changes", fails)
    async with at_table(finished("land_cards"), tmp_path, games=faces()) as (app, pilot):
        await until(pilot, lambda: "decisive" in moment_in(app).lower() and tried == 1)
        await at_rest(pilot)
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen) and tried == 2)
        await pilot.press("d")
        await until(pilot, lambda: "The decisive moment" in seen(app))


async def shows(app: KkApp, pilot: Running, words: str) -> None:
    await until(pilot, lambda: words in seen(app))


async def test_where_there_is_little_room_a_key_turns_to_the_chart_and_back(tmp_path: Path) -> None:
    async with at_table(finished("ku_ka_king"), tmp_path, games=faces()) as (app, pilot):
        await until(pilot, lambda: "s score sheet" in keys_of(app))
        await pilot.press("s")
        await shows(app, pilot, "Total")
        await until(pilot, lambda: "s podium" in keys_of(app))
        await pilot.press("s")
        await until(pilot, lambda: "Total" not in seen(app))


@every_game
async def test_a_game_without_a_chart_shows_its_score_sheet(game_id: str, tmp_path: Path) -> None:
    face = dataclasses.replace(faces()[game_id], chart=None)
    async with at_table(finished(game_id), tmp_path, games={game_id: face}) as (app, pilot):
        scene = scene_in(app)
        await until(pilot, lambda: "s score sheet" in keys_of(app))
        await pilot.press("s")
        await shows(app, pilot, "Score sheet")
        lines = [
            line.split() for line in str(app.screen.query_one("#chart Static", Static).render()).split("\n")
        ]
        assert ["Total", *map(str, scene.observation.points)] in lines
        entries = [
            face.sheet_entry(scene, line)
            for line, points in enumerate(scene.observation.sheet)
            if any(points)
        ]
        names = [str(entry.name).split() for entry in entries if not entry.adds]
        assert names
        assert all(any(line[: len(name)] == name for line in lines) for name in names)


async def test_where_there_is_room_the_sources_of_all_points_stand_beside_the_chart(tmp_path: Path) -> None:
    async with at_table(finished("ku_ka_king"), tmp_path, games=faces(), size=(200, 60)) as (app, pilot):
        await shows(app, pilot, "Where the points come from")
        assert "score sheet" not in keys_of(app)
        assert app.screen.query_one(PointBars).region.area > 0


async def test_the_sources_of_points_are_those_of_everybody_or_of_nobody(tmp_path: Path) -> None:
    match = match_of("land_cards", 5, 10_000)
    async with at_table(match, tmp_path, games=faces(), size=(110, 36)) as (app, pilot):
        await shows(app, pilot, "Where the points come from")
        bars, scene = app.screen.query_one(PointBars), scene_in(app)
        for height in range(4, 30):
            bars.styles.height = height
            await until(pilot, lambda: bars.size.height == height)  # noqa: B023
            told = "\n".join("".join(part.text for part in line) for line in bars.painter)
            assert len(bars.painter) <= height
            assert all((name in told) == bool(told) for name in scene.names)
            assert bool(told) == (height >= 11)


async def test_large_digits_can_be_read_on_plain_terminals(tmp_path: Path) -> None:
    match = finished("ku_ka_king")
    async with at_table(match, tmp_path, games=faces(), size=(200, 60), ascii_only=True) as (app, pilot):
        for points in match.game.observe(match.state, None).points:
            for row in number(points, scale=2)[::2]:
                await shows(app, pilot, f" {row.replace('.', ' ')} ")


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_plain_terminals_get_nothing_but_ascii(size: tuple[int, int], tmp_path: Path) -> None:
    match = finished("ku_ka_king")
    async with at_table(match, tmp_path, games=faces(), size=size, ascii_only=True) as (app, pilot):
        await until(pilot, lambda: "decisive" in seen(app))
        assert seen(app).isascii()


async def test_v_opens_the_replay(tmp_path: Any) -> None:
    async with at_table(finished("ku_ka_king"), tmp_path, games=faces()) as (app, pilot):
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen))


async def test_what_is_proposed_meanwhile_is_answered_in_the_replay_too(tmp_path: Path) -> None:
    async with at_table(finished("ku_ka_king"), tmp_path, games=faces()) as (app, pilot):
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen) and len(app.screen.actions()) > 3)
        await pilot.press("j")
        await until(pilot, lambda: isinstance(app.screen, TableMenuScreen))


async def test_leaving_says_what_becomes_of_a_match_that_is_over(tmp_path: Path) -> None:
    async with at_table(finished("ku_ka_king"), tmp_path, games=faces()) as (app, pilot):
        await pilot.press("q")
        await shows(app, pilot, "closes")


# -- once more -----------------------------------------------------------------------------------------------


def colours(app: KkApp) -> dict[str, tuple[str, str]]:
    """Everybody's shape and colour, as the table shows them."""
    names, signs, variables = scene_in(app).names, app.glyphs, app.theme_variables
    return {name: (signs[f"owner-{seat}"], variables[f"seat-{seat}"]) for seat, name in enumerate(names)}


async def test_in_a_rematch_another_one_begins_and_everybody_keeps_shape_and_colour(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kk_tui.match.result.GLANCE", 0)
    async with stage.play() as (app, pilot):
        await begin(app, pilot, humans=2)
        first, order = colours(app), scene_in(app).names
        while not is_over(app):
            await pilot.press("enter")
            await until(pilot, lambda: can_act(app) or is_over(app))
        await pilot.press("r")
        await until(pilot, lambda: scene_in(app).names != order)
        assert scene_in(app).names == (*order[1:], order[0])
        await until(pilot, lambda: "all move up a seat" in seen(app))
        await until(pilot, lambda: colours(app) == first)
        assert len(set(first.values())) == len(order)
        board = app.screen.query_one("#board", Board)
        assert board.ink("seat-0").color == Style(color=first[order[1]][1]).color
        await pilot.press("q", "y")
        await until(pilot, lambda: isinstance(app.screen, MenuScreen))
        assert app.theme_variables["seat-0"] == first[order[0]][1]  # elsewhere each seat has its own
        written = seen(app)
        assert all(f"{first[name][0]} {name}" in written for name in order)


def painted(app: KkApp) -> dict[str, set[str]]:
    """All signs of seats on the screen, letter and shape, with the colours in which they are drawn."""
    signs = "".join(GLYPHS[f"owner-{seat}"][0] for seat in range(SEATS))
    found: dict[str, set[str]] = {}
    for strip in app.screen._compositor.render_strips():
        for segment in strip:
            for sign in re.findall(f"[A-E][{signs}]", segment.text):
                inks = (segment.style and segment.style.color, segment.style and segment.style.bgcolor)
                found.setdefault(sign, set()).update(ink.name for ink in inks if ink)
    return found


async def test_who_comes_back_to_a_rematch_sees_everybody_in_his_own_colour(tmp_path: Path) -> None:
    async with at_table(finished("ku_ka_king"), tmp_path, games=faces(), size=(120, 40)) as (app, pilot):
        own = {seat: app.theme_variables[f"seat-{seat}"] for seat in range(3)}
        signs = [GLYPHS[f"owner-{seat}"][0] for seat in range(3)]
        await app.request(lambda number: Propose(number, "rematch"))
        await until(
            pilot, lambda: isinstance(app.screen, TableSetupScreen) and f"C{signs[0]}" in painted(app)
        )
        for _ in range(2):
            await pilot.press("escape")
            await until(pilot, lambda: isinstance(app.screen, LobbyScreen) and f"C{signs[0]}" in painted(app))
            assert app.theme_variables["seat-0"] == own[0]  # in the lobby each seat has its own
            await pilot.press("enter")
            await until(
                pilot, lambda: isinstance(app.screen, TableSetupScreen) and f"C{signs[0]}" in painted(app)
            )
            assert own[2] in painted(app)[f"B{signs[2]}"]
            assert own[0] in painted(app)[f"C{signs[0]}"]


async def test_a_rematch_ends_the_replay_of_the_match_before(stage: Stage) -> None:
    async with stage.play() as (app, pilot):
        await begin(app, pilot, humans=2)
        while not is_over(app):
            await pilot.press("enter")
            await until(pilot, lambda: can_act(app) or is_over(app))
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen) and len(app.screen.actions()) > 3)
        before = scene_in(app).match.commitment
        await app.request(lambda number: Propose(number, "rematch"))
        await until(pilot, lambda: scene_in(app).match.commitment != before)
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        await until(pilot, lambda: "all move up a seat" in seen(app))


def test_who_beat_bots_that_are_not_the_strongest_may_look_for_stronger_ones() -> None:
    scene = scene_of_match(finished("ku_ka_king"))
    (winner, *_), seats = scene.observation.outcome.winners, len(scene.names)
    loser = next(seat for seat in range(seats) if seat not in scene.observation.outcome.winners)

    def against(*bots: str | None) -> Scene[Any]:
        told = iter(bots)
        seen_by = [
            view if seat == winner else replace(view, bot=next(told))
            for seat, view in enumerate(scene.table.seats)
        ]
        return dataclasses.replace(scene, table=replace(scene.table, seats=tuple(seen_by)))

    rivals = seats - 1
    assert beat_weaker_bots(against(*["easy"] * rivals), {winner})
    assert not beat_weaker_bots(against(*["expert"] * rivals), {winner})
    assert not beat_weaker_bots(against(*[None] * rivals), {winner}), "people"
    assert not beat_weaker_bots(against(*["easy"] * rivals), {loser})
    assert not beat_weaker_bots(against(*["easy"] * rivals), ()), "who only watched"
    assert not beat_weaker_bots(scene, range(seats)), "alone at the table"


async def test_a_rematch_right_after_the_result_has_come_asks_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kk_tui.match.result.GLANCE", 3600)
    async with at_table(finished("ku_ka_king"), tmp_path, games=faces()) as (app, pilot):
        await pilot.press("r")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen) and app.screen.focused)
        await pilot.press("enter")
        await until(pilot, lambda: is_over(app))
        assert scene_in(app).is_over


async def test_a_rematch_from_a_result_that_was_asked_for_again_does_not_ask(tmp_path: Path) -> None:
    async with at_table(finished("ku_ka_king"), tmp_path, games=faces()) as (app, pilot):
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        await pilot.press("enter")
        await until(pilot, lambda: "r rematch" in keys_of(app))
        await pilot.press("r")
        await until(pilot, lambda: app.store.scene is None or not app.store.scene.is_over)


async def test_a_click_that_was_meant_for_the_scoring_starts_nothing_on_the_result_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kk_tui.press_guard.SEEN", 3600)
    async with at_table(finished("ku_ka_king"), tmp_path, games=faces()) as (app, pilot):
        await until(pilot, lambda: "v replay" in keys_of(app))
        where = (keys_of(app).index("v replay"), 0)
        await pilot.click("#keys", offset=where)
        await at_rest(pilot)
        assert is_over(app)
        monkeypatch.setattr("kk_tui.press_guard.SEEN", 0)
        await pilot.click("#keys", offset=where)
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen))


async def test_the_keys_for_others_stand_there_only_where_others_share_the_table(tmp_path: Path) -> None:
    async with at_table(finished("ku_ka_king"), tmp_path) as (app, pilot):
        await until(pilot, lambda: "rematch" in seen(app))
        names = {action.name for action in app.screen_in_front.actions()}
        assert {"chat", "table"} <= names
        assert app.store.table is not None
        alone = [replace(seat, owner=app.user) for seat in app.store.table.seats]
        app.store.place = replace(app.store.table, seats=tuple(alone))
        names -= {action.name for action in app.screen_in_front.actions()}
        assert names == {"chat", "table", "command"}


async def test_who_has_given_up_reads_that_a_bot_plays_and_the_result_and_the_replay_tell_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = Hub(MemoryLog(), bot_pause=3600)
    async with Stage(hub, tmp_path).play(games=faces()) as (app, pilot):
        titles = list[str | None]()
        monkeypatch.setattr(app, "set_window_title", titles.append)
        await sit_down(app, "land_cards", 3, 0)
        await until(pilot, lambda: can_act(app))
        assert titles[-1] is not None
        assert titles[-1].startswith("Your turn: ")
        await app.request(lambda n: Propose(n, "resign", 0))
        await until(pilot, lambda: "You have given up: a bot plays for you." in seen(app))
        assert not scene_in(app).may_act
        assert 0 in scene_in(app).observation.active, "the bot takes its time"
        assert titles[-1] == "Kardinal & König: the card game"
        assert "any key" not in keys_of(app)
        assert "Enter" not in keys_of(app)
        scene, glyphs = scene_in(app), app.glyphs
    told = verdict(scene, faces()["land_cards"].meta, glyphs).plain
    assert f"\n{scene.name(0)} gave up; a bot played on." in told
    later = as_remembered(scene.table)
    assert beside_name(later, 0, 0.0, 18).plain == " (gave up)"
    assert beside_name(scene.table, 0, 0.0, 18).plain == " (a bot plays)"
    over = replace(scene.table, phase="finished")
    assert watching_words(scene.table, "anna") == "You have given up: a bot plays for you."
    assert watching_words(over, "anna") == "", "nobody plays any more"
    await hub.close()


@every_game
@pytest.mark.parametrize("size", [(120, 40), (200, 60)])
async def test_on_high_steps_the_digits_stand_clear_of_the_edge(
    game_id: str, size: tuple[int, int], tmp_path: Path
) -> None:
    async with at_table(finished(game_id), tmp_path, games=faces(), size=size) as (app, pilot):
        await until(pilot, lambda: isinstance(app.screen, ResultScreen))
        lines = app.screen.query_one(Podium).make_painter()
        steps = list[list[str]]()
        for name in scene_in(app).names:
            head, column = next(
                (y, n) for y, line in enumerate(lines) for n, part in enumerate(line) if name in part.text
            )
            steps.append([line[column].text.strip() for line in lines[head + 1 :]])
        digits = max(sum(not re.search(r"[^ ▀▄█]", text) and bool(text) for text in step) for step in steps)
        is_high = min(map(len, steps)) > digits + 2  # with the place below
        assert is_high or min(scene_in(app).observation.points) < 9
        assert [bool(step[0]) for step in steps] == [not is_high] * len(steps)


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_bots_are_marked_on_the_podium_and_where_they_win(
    size: tuple[int, int], tmp_path: Path
) -> None:
    """Also beside a name that has hardly room on a step."""
    match = finished("land_cards")
    async with at_table(match, tmp_path, games=faces(), size=size) as (app, pilot):
        await until(pilot, lambda: isinstance(app.screen, ResultScreen))
        scene = scene_in(app)
        names = ("Somebody with a very long name", *scene.names[1:])
        bots = tuple(
            replace(seat, bot="easy", owner=None, name=name)
            for seat, name in zip(scene.table.seats, names, strict=True)
        )
        played = dataclasses.replace(scene, table=replace(scene.table, seats=bots), names=names)
        outcome = played.observation.outcome
        assert outcome is not None
        told = verdict(played, faces()["land_cards"].meta, app.glyphs).plain.partition("\n")[0]
        assert told.count(" (easy bot)") == len(outcome.winners)
        podium = app.screen.query_one(Podium)
        assert podium._marks == [kind_marks(seat) for seat in scene.table.seats]
        podium._standing = standings(names, played.observation.points, outcome)
        podium._marks = [kind_marks(seat) for seat in bots]
        said = "\n".join("".join(part.text for part in line) for line in podium.make_painter())
        assert len(re.findall(r"\((easy bot|easy|bot|b)\)", said)) == len(names)


async def test_a_proposal_leaves_in_view_which_move_of_a_replay_is_shown(tmp_path: Path) -> None:
    match = finished("land_cards")
    async with at_table(match, tmp_path, games=faces()) as (app, pilot):
        await pilot.press("v")
        where = f"Move 0 of {len(match.plies)}"
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen) and where in seen(app))
        assert app.store.table is not None
        asked = ProposalView("rematch", None, app.user, (app.user,), ("Somebody with a very long name",))
        app.store.place = replace(app.store.table, proposal=asked)
        app.screen_in_front.renew()
        await until(pilot, lambda: "would like a rematch - waiting for" in seen(app))
        assert where in lines_of(app)[0]


@every_game
async def test_the_end_of_a_replay_tells_of_the_final_scoring_and_who_has_won(
    game_id: str, tmp_path: Path
) -> None:
    match = finished(game_id)
    async with at_table(match, tmp_path, games=faces()) as (app, pilot):
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen) and "Move 0 of" in seen(app))
        await pilot.press("end")
        await until(pilot, lambda: f"Move {len(match.plies)} of" in seen(app))
        scene = scene_in(app)
        told = str(app.screen.query_one("#prompt", TextLine).content)
        assert told.startswith("Final score: ")
        for name, points in zip(scene.names, scene.observation.points, strict=True):
            assert f"{name} {points}" in told
        assert re.fullmatch(r".+\. .+ (wins|share the win)\.( …|  The decisive moment: .+)?", told), told
        await pilot.press("left")
        await until(pilot, lambda: f"Move {len(match.plies) - 1} of" in seen(app))
        assert "Final scoring" not in seen(app)


@pytest.mark.parametrize("language", languages())
def test_what_proves_a_shuffle_takes_one_line_so_that_it_covers_nothing_of_the_chart(language: str) -> None:
    said = (
        text("Your part is in the shuffle; a saved record proves it: kk record verify."),
        text("A saved record proves a fair shuffle: kk record verify."),
        text("Your part is in the shuffle; the match's record proves it."),
        text("The match's record proves a fair shuffle."),
        text("You beat these bots; a new game can have stronger ones."),
    )
    assert all(len(translate(sentence, language)) <= 78 for sentence in said)
