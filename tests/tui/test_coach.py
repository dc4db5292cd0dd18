"""What is said of a match that is over, in the replay: chances, the decisive moment and costly moves."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from textual.content import Content
from textual.geometry import Region

from kk_core.game import AnyGame
from kk_core.match import Replay
from kk_core.search import review
from kk_core.search.analysis import Effort, Question, answer
from kk_core.search.review import Expectation, Judgement, SearchDepth
from kk_core.text import text
from kk_core.types import Move, Seat
from kk_core.views import Advice, Analysis, Change, CostlyMove, Rival
from kk_server.bots import pool as bots_pool
from kk_server.bots.pool import Pool
from kk_server.hub.history import Analyses
from kk_server.limits import LimitReached
from kk_server.tables.place import Place
from kk_tui.app import KkApp
from kk_tui.games import faces
from kk_tui.match.replay import CourseLine, ReplayScreen, WholeScreen, apart, bands_of
from kk_tui.match.result import ResultScreen
from kk_tui.table.advice import Coach, ahead, contrast, percents, verdict
from kk_tui.table.analysis import COACH, coach_lines
from kk_tui.table.decisive import DecisiveMoment, moment_of
from kk_tui.table.side_panel import SidePanel
from kk_tui.theme.glyphs import Glyphs
from kk_tui.widgets.board import BETTER, PLAYED, Board, mark_ground
from kk_tui.widgets.lines import GLUE, Lines, wrapped_with_figures
from kk_tui.widgets.score_graph import ScoreGraph
from tests.tui.conftest import Running, at_rest, shown, until
from tests.tui.playing import at_table, keys_of
from tests.tui.scenes import match_of, scene_of_match
from tests.tui.test_past import at, finished, replay_of, says

LITTLE = Effort(1, SearchDepth(1, 2), 6, 3)

every_game = pytest.mark.parametrize("game", faces())


async def _at_once(_pool: Pool, game: AnyGame, question: Question) -> Expectation | Judgement | None:
    await asyncio.sleep(0)
    return answer(game, question)


@pytest.fixture(autouse=True)
def little_effort(monkeypatch: pytest.MonkeyPatch) -> None:
    """Little is thought, and that in this process: a worker gives way to whoever waits for it."""
    monkeypatch.setattr(Place, "effort", LITTLE)
    monkeypatch.setattr(Pool, "think", _at_once)
    monkeypatch.setattr(review, "_LOOKS", (20,))
    monkeypatch.setattr(review, "_CERTAIN", 0.0)
    monkeypatch.setattr(bots_pool, "PIECE", 0.0)


def drawer(app: KkApp) -> str:
    """What the open drawer says, down to its end."""
    return "\n".join(line.plain for line in app.screen.query_one("#people", Lines).within)


def below_line(app: KkApp) -> str:
    """The two rows under the time."""
    line = app.screen.query_one(CourseLine)
    return "\n".join(line.render_line(line.size.height - row).text for row in (2, 1))


def says_in_drawer(app: KkApp, words: str) -> bool:
    """Whether the open drawer has these words, in however many lines."""
    return words in " ".join(drawer(app).split())


async def coached(app: KkApp, pilot: Running) -> ReplayScreen:
    """From the result to the replay with all that is found."""
    await until(pilot, lambda: isinstance(app.screen, ResultScreen) and "h analysis" in keys_of(app))
    await pilot.press("h")
    await until(pilot, lambda: isinstance(app.screen, ReplayScreen) and "chances" in below_line(app))
    assert isinstance(app.screen, ReplayScreen)
    return app.screen


@every_game
async def test_one_key_leads_from_the_result_to_chances_and_costly_moves_and_digits_to_each(
    game: str, tmp_path: Path
) -> None:
    match = finished(game)
    outcome = match.game.outcome(match.state)
    assert outcome is not None
    async with at_table(match, tmp_path, games=faces()) as (app, pilot):
        screen = await coached(app, pilot)
        told = screen._coach.verdicts
        assert 1 <= len(told) <= 3
        assert told == sorted(told, key=lambda verdict: -verdict.point.cost)
        for number, verdict in enumerate(told, 1):
            in_short = f"{verdict.played.rstrip('.')} {verdict.cost}"
            in_words = f" {verdict.played.rstrip('.')}: {verdict.cost} points lost"
            await pilot.press(str(number))
            await at(app, pilot, verdict.ply)
            # the one that is looked at has its move in words, also where the others have a row each
            assert says_in_drawer(app, in_short) or says_in_drawer(app, in_words)
            await says(app, pilot, "prompt", f"Better ({verdict.cost} points)")
            assert match.plies[verdict.point.ply].seat == verdict.point.seat
            prompt, line = app.screen.query_one("#prompt").region, screen.query_one(CourseLine).region
            assert prompt.y >= line.bottom, "what the figures are stays in view"
        assert {row[-1] for row in screen.query_one(CourseLine).painter.pixels} == set(outcome.winners)
        await pilot.press("end")
        await at(app, pilot, len(match.plies))
        first = "ABCDE"[outcome.winners[0]]
        percent = round(100 / len(outcome.winners))
        await until(pilot, lambda: re.search(rf"{first}{percent}%? ", below_line(app)))


@every_game
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_what_the_figures_below_the_line_mean_is_read_whole(
    game: str, size: tuple[int, int], tmp_path: Path
) -> None:
    meanings = (
        "winning chances; lead over the best other",
        "chances; lead over best other",
        "chances, lead",
        "winning chances in %",
        "chances %",
    )
    async with at_table(finished(game), tmp_path, games=faces(), size=size) as (app, pilot):
        await coached(app, pilot)
        await until(pilot, lambda: below_line(app).split("\n")[-1].strip() in meanings)
        assert ("%" in below_line(app).split("\n")[-1]) is ("%" not in below_line(app).split("\n")[-2])


@every_game
async def test_before_the_first_move_nobody_is_said_to_be_ahead(game: str, tmp_path: Path) -> None:
    async with at_table(finished(game), tmp_path, games=faces(), size=(120, 40)) as (app, pilot):
        await coached(app, pilot)
        await pilot.press("home")
        await at(app, pilot, 0)
        await until(pilot, lambda: "+0" in below_line(app))
        figures = re.findall(r"[A-E](\d+)% (\S+)", below_line(app))
        assert len(figures) == faces()[game].meta.min_seats
        assert len({*figures}) == 1


async def test_the_list_tells_who_did_what_and_more_of_it_the_more_room_there_is(tmp_path: Path) -> None:
    async with at_table(finished("ku_ka_king"), tmp_path, games=faces(), size=(120, 40)) as (app, pilot):
        screen, glyphs = await coached(app, pilot), app.glyphs
        coach, names = screen._coach, screen._scene.names
        told, width = coach.verdicts, 30

        def said(room: int) -> str:
            lines = coach_lines(coach, names, glyphs, width, room)
            return " ".join(" ".join(line.plain for line in lines).split())

        apart = coach_lines(coach, names, glyphs, width, 1000)
        dense, short = [line for line in apart if line], coach_lines(coach, names, glyphs, width, 1)
        assert len(short) < len(dense) < len(apart)
        assert max(line.cell_length for line in (*apart, *short)) <= width
        for verdict in told:
            owner, did = glyphs.owner(verdict.point.seat), verdict.played.rstrip(".")
            assert f"{owner} {did} {verdict.cost}" in said(1)
            who = f"{names[verdict.point.seat]} (round {verdict.round})"
            assert f"{owner} {PLAYED} {who} {did}: {verdict.cost} points lost" in said(len(dense) - 1)
            assert f"{BETTER} Better: {verdict.better}." not in said(len(dense) - 1)
            assert f"{BETTER} Better: {verdict.better}." in said(len(dense))
        assert [verdict.cost for verdict in told] == sorted((v.cost for v in told), key=float, reverse=True)
        note = f"The costliest moves: press 1-{len(told)} or click to go there."
        assert note not in said(len(short) - 1), "what happened comes first"
        assert note in said(len(dense) - 1)
        assert f"{note} v shows each player's." in said(1000)
        assert coach_lines(coach, names, glyphs, width, len(dense)) == dense
        assert coach_lines(coach, names, glyphs, width, len(apart)) == apart
        # of those not looked at, a row each is kept
        here, narrow = told[0].ply, 16
        whole = coach_lines(coach, names, glyphs, narrow, 1)
        block = coach_lines(coach, names, glyphs, narrow, len(whole) - 1, here)
        assert len(block) < len(whole)
        for verdict in told[1:]:
            in_short = f"{glyphs.owner(verdict.point.seat)} round {verdict.round} {verdict.cost}"
            assert in_short in " ".join(" ".join(line.plain for line in block).split())


async def test_through_the_eyes_of_a_player_the_coach_tells_what_cost_him_most(tmp_path: Path) -> None:
    async with at_table(finished("ku_ka_king"), tmp_path, games=faces(), size=(120, 40)) as (app, pilot):
        screen = await coached(app, pilot)
        told = 0
        for seat, name in enumerate(screen._scene.names):
            await pilot.press("v")
            head = f"What cost {name} most"
            await until(pilot, partial(says_in_drawer, app, head))
            verdicts = screen._coach.verdicts
            assert {verdict.point.seat for verdict in verdicts} <= {seat}
            assert len(screen.query_one(CourseLine)._marks()) == len(verdicts)
            assert f"costly move {len(verdicts) + 1}" not in keys_of(app)
            for verdict in verdicts[:1]:
                await pilot.press("1")
                await at(app, pilot, verdict.ply)
            told += len(verdicts)
        assert told
        await pilot.press("v", "v")
        await until(pilot, lambda: "Costliest moves" in drawer(app))


@pytest.mark.parametrize(
    ("share", "seat", "said"),
    [
        (0.5, None, "Looking for them..."),
        (0.5, 1, "Looking for them..."),
        (1.0, None, "No costly mistakes found."),
        (1.0, 1, "No costly mistake was found."),
    ],
)
def test_where_no_costly_move_is_known_it_is_said_whether_one_may_still_be_found(
    share: float, seat: Seat | None, said: str
) -> None:
    coach = Coach()
    coach.share, coach.seat = share, seat
    told = coach_lines(coach, ("Anna", "Beate"), Glyphs(ascii_only=False), 30, 10)
    lines = [str(line) for line in told]
    assert lines[1] == said
    assert ("Under the chart: everybody's" in lines) is (share < 1), "until then it does not say so itself"


@pytest.mark.parametrize("width", range(18, 60))
def test_no_line_of_a_sentence_begins_with_the_figure_of_the_word_before_it(width: int) -> None:
    said = "Mathilde (round 12) calls row 3: 6.9 points lost. Better (6.9 points): call row 6."
    lines = wrapped_with_figures(Content.assemble(("A ", "bold"), (said, "dim")), width)
    assert " ".join(line.plain for line in lines) == f"A {said}"
    assert all(line.cell_length <= width for line in lines)
    assert not [line.plain for line in lines if line.plain.split()[0] in ("12)", "3:", "6.")]
    assert lines[-1].spans, "and keeps its colours"


@pytest.mark.parametrize("width", range(40, 76))
def test_no_long_line_ends_with_the_figure_of_the_word_behind_it(width: int) -> None:
    said = (
        "The decisive moment: in round 10 Anna took the lead for good (1 point behind, then 4 points ahead)."
    )
    lines = [line.plain for line in wrapped_with_figures(Content(said), width)]
    assert " ".join(lines) == said
    assert not [line for line in lines if line.endswith(("(1", " 4", "in round"))]


async def test_costly_moves_are_reached_by_the_mouse_in_the_list_and_under_the_line(tmp_path: Path) -> None:
    async with at_table(finished("ku_ka_king"), tmp_path, games=faces(), size=(120, 40)) as (app, pilot):
        screen = await coached(app, pilot)
        line, last = screen.query_one(CourseLine), screen._coach.verdicts[-1]
        await pilot.click(CourseLine, offset=(line._marks()[-1][2], line.size.height - 3))
        await at(app, pilot, last.ply)
        first = screen._coach.verdicts[0]
        row = next(y for y, words in enumerate(drawer(app).splitlines()) if words.startswith("1 "))
        side = screen.query_one("#people", Lines)
        await pilot.click(side, offset=(3, side.window.start + row - side.top))
        await at(app, pilot, first.ply)


def whole(app: KkApp) -> str:
    """What is said of a costly move or the decisive moment, under the board or in the box over it."""
    parts = [shown(app, "prompt"), *(str(each.render()) for each in app.screen.query("#question Static"))]
    return " ".join(" ".join(parts).split())


@every_game
@pytest.mark.parametrize("size", [(80, 24), (80, 23), (100, 30)])
async def test_the_reason_for_a_better_move_can_be_read_whole_on_a_small_screen(
    game: str, size: tuple[int, int], tmp_path: Path
) -> None:
    async with at_table(finished(game), tmp_path, games=faces(), size=size) as (app, pilot):
        screen = await coached(app, pilot)
        told = screen._coach.verdicts
        assert told
        for number, one in enumerate(told, 1):
            await pilot.press(str(number))
            await until(pilot, lambda: screen.query_one(ScoreGraph)._ply == one.ply)  # noqa: B023
            await until(pilot, lambda: f"Better ({one.cost} points)" in whole(app))  # noqa: B023
            await pilot.press("enter")
            await until(pilot, lambda: one.why in whole(app))  # noqa: B023
            await at_rest(pilot)
            if app.screen is not screen:  # where there was no room under the board
                await pilot.press("enter")
                await until(pilot, lambda: app.screen is screen)


async def test_all_that_is_said_of_a_costly_move_is_read_by_the_mouse_too_and_offered_only_if_it_is_cut(
    tmp_path: Path,
) -> None:
    async with at_table(finished("ku_ka_king"), tmp_path, games=faces()) as (app, pilot):
        screen = await coached(app, pilot)
        assert "read all" not in keys_of(app)
        for number in range(1, len(screen._coach.verdicts) + 1):
            await pilot.press(str(number))
            await at(app, pilot, screen._coach.verdicts[number - 1].ply)
            if shown(app, "prompt").endswith("…"):
                break
        await until(pilot, lambda: "Enter read all" in keys_of(app))
        await pilot.click("#keys", offset=(keys_of(app).index("Enter read all") + 1, 0))
        await until(pilot, lambda: isinstance(app.screen, WholeScreen))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)
        await pilot.press("home")
        await until(pilot, lambda: "read all" not in keys_of(app))


# -- the decisive moment -------------------------------------------------------------------------------------


def moment_at(app: KkApp) -> DecisiveMoment:
    """The decisive moment in the replay, once it is known what was done in it."""
    screen = app.screen
    assert isinstance(screen, ReplayScreen)
    assert screen._moment is not None
    return screen._moment


@every_game
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_key_leads_to_the_decisive_moment_and_tells_who_did_what_in_it(
    game: str, size: tuple[int, int], tmp_path: Path
) -> None:
    async with at_table(finished(game), tmp_path, games=faces(), size=size) as (app, pilot):
        await coached(app, pilot)
        await until(pilot, lambda: bool(moment_at(app).deeds))
        moment = moment_at(app)
        assert any(f"d ▲ {form[:9]}" in drawer(app) for form in moment.forms)
        await at(app, pilot, moment.swing.ply)  # the analysis begins there
        await pilot.press("home")
        await at(app, pilot, 0)
        await pilot.press("d")
        await at(app, pilot, moment.swing.ply)
        await until(pilot, lambda: moment.sentence in whole(app) or "read all" in keys_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: moment.sentence in whole(app) and moment.deeds in whole(app))


async def test_the_decisive_moment_stands_above_the_costliest_moves_and_is_reached_by_the_mouse(
    tmp_path: Path,
) -> None:
    async with at_table(finished("ku_ka_king"), tmp_path, games=faces(), size=(120, 40)) as (app, pilot):
        screen = await coached(app, pilot)
        await until(pilot, lambda: bool(moment_at(app).deeds))
        lines, ply = drawer(app).splitlines(), moment_at(app).swing.ply
        row = next(y for y, words in enumerate(lines) if words.startswith("d "))
        assert row < lines.index("Costliest moves")
        side = screen.query_one("#people", Lines)
        await pilot.press("home")
        await at(app, pilot, 0)
        await pilot.click(side, offset=(3, side.window.start + row - side.top))
        await at(app, pilot, ply)
        await pilot.press("home")
        await at(app, pilot, 0)
        line = screen.query_one(CourseLine)
        key, _ply, column = line._marks()[0]
        assert (key, _ply) == ("▲", ply)
        await pilot.click(CourseLine, offset=(column, line.size.height - 3))
        await at(app, pilot, ply)
        # what one player did has its own list
        await pilot.press("v")
        await until(pilot, lambda: "What cost" in drawer(app) and "ecisive" not in drawer(app))


def test_where_a_move_is_looked_at_and_little_fits_the_decisive_moment_leaves_it_the_room() -> None:
    match = match_of("ku_ka_king", 3, 10_000)
    scene, face = scene_of_match(match), faces()["ku_ka_king"]
    moment = moment_of(Replay(match).course(), scene)
    assert moment is not None
    ply = next(ply for ply in range(9) if ply != moment.swing.ply)
    lost = CostlyMove(ply, 1, Advice(1, 0.5, 0.0, 0.0, ()), Advice(2, 0.5, 5.0, 0.0, ()))
    coach, glyphs = Coach(), Glyphs(ascii_only=False)
    coach.share, coach._analysis = 1.0, Analysis(1.0, (), (lost,))
    coach._verdicts = {lost: verdict(lost, scene, face)}

    def said(room: int, here: int | None) -> str:
        lines = coach_lines(coach, scene.names, glyphs, 40, room, here, moment)
        return " ".join(" ".join(line.plain for line in lines).split())

    assert "ecisive" in said(12, None)
    assert "1 B■ ? Beate" in said(12, None)
    # what was done in a costly move gives way to the moment, but its row does not
    assert f"1 B■ round 1 {5.0}" in said(3, None)
    assert "1 B■ round" not in said(3, ply)
    assert "ecisive" in said(12, moment.swing.ply)
    # the line below marks it by its sign, of which the key and the meaning are always told
    assert said(12, ply).startswith("d ▲ decisive moment Costliest moves")
    assert "ecisive" in said(30, ply)
    coach.seat = 1
    assert "ecisive" not in said(30, None)


@pytest.mark.parametrize("room", range(-1, 6))
def test_without_costly_moves_the_analysis_never_takes_more_lines_than_there_are(room: int) -> None:
    match = match_of("ku_ka_king", 3, 10_000)
    scene = scene_of_match(match)
    moment = moment_of(Replay(match).course(), scene)
    assert moment is not None
    for share in (0.5, 1.0):
        coach = Coach()
        coach.share = share
        lines = coach_lines(coach, scene.names, Glyphs(ascii_only=False), 20, room, None, moment)
        assert len(lines) <= max(0, room)


def test_of_the_decisive_moment_no_more_forms_are_laid_out_than_are_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    match = match_of("ku_ka_king", 3, 10_000)
    scene = scene_of_match(match)
    moment = moment_of(Replay(match).course(), scene)
    assert moment is not None
    wrapped, wrap = list[str](), Content.wrap

    def counted(content: Content, width: int) -> list[Content]:
        wrapped.append(content.plain.replace(GLUE, " ").removeprefix("▲ "))
        return wrap(content, width)

    monkeypatch.setattr(Content, "wrap", counted)
    told = replace(moment, deeds="Anna takes a card.")
    coach_lines(Coach(), scene.names, Glyphs(ascii_only=False), 40, 40, None, told)
    assert [words for words in wrapped if words in told.forms] == [told.forms[0]]


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_costly_move_right_after_the_decisive_moment_is_told_beside_it(
    size: tuple[int, int], tmp_path: Path
) -> None:
    async with at_table(finished("ku_ka_king"), tmp_path, games=faces(), size=size) as (app, pilot):
        screen = await coached(app, pilot)
        await until(pilot, lambda: bool(moment_at(app).deeds))
        told = screen._coach.verdicts[0]
        moment = moment_at(app)
        screen._mark(replace(moment, swing=replace(moment.swing, ply=told.ply)))
        for key in ("d", "home", "1"):
            await pilot.press(key)
            await at(app, pilot, 0 if key == "home" else told.ply)
        await until(pilot, lambda: moment.short in whole(app) and f"{PLAYED} Played:" in whole(app))
        await pilot.press("enter")
        for words in (moment.sentence, moment.deeds, f"{PLAYED} Played: ", told.why):
            await until(pilot, lambda: words in whole(app))  # noqa: B023


async def test_h_in_a_replay_opens_the_analysis_and_leads_back_to_the_points(tmp_path: Path) -> None:
    async with at_table(finished("ku_ka_king"), tmp_path, games=faces()) as (app, pilot):
        screen = await replay_of(app, pilot)
        assert "h analysis" in keys_of(app)
        before = screen.query_one(CourseLine).painter.pixels
        await pilot.press("h")
        await until(pilot, lambda: "chances" in below_line(app))
        assert screen.query_one(SidePanel).drawer == COACH
        assert screen.query_one(CourseLine).painter.pixels != before
        await pilot.press("h")
        await until(pilot, lambda: screen.query_one(SidePanel).drawer is None)
        assert screen.query_one(CourseLine).painter.pixels == before
        await pilot.press("1")
        await at(app, pilot, 0)


async def test_while_it_is_looked_for_a_bar_says_how_far_it_has_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = 30

    async def stuck(pool: Pool, game: AnyGame, question: Question) -> Expectation | Judgement | None:
        nonlocal left
        left -= 1
        if left < 0:
            await asyncio.Event().wait()
        return await _at_once(pool, game, question)

    monkeypatch.setattr(Pool, "think", stuck)
    async with at_table(finished("ku_ka_king"), tmp_path, games=faces(), size=(120, 40)) as (app, pilot):
        await replay_of(app, pilot)
        await pilot.press("h")
        await until(pilot, lambda: "█" in below_line(app) and "%" in below_line(app))
        assert "analysing" in below_line(app)  # a figure without a word for it could be anything
        assert "Looking for them..." in drawer(app).replace("\n", " ")


async def test_who_leaves_the_replay_asks_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shares: list[float] = []
    go_on = Analyses.go_on

    async def counted(self: Analyses, user: str, place: Place, known: int) -> Analysis:
        shares.append((found := await go_on(self, user, place, known)).share)
        return found

    thinking = asyncio.Semaphore(3)

    async def slowly(pool: Pool, game: AnyGame, question: Question) -> Expectation | Judgement | None:
        await thinking.acquire()
        return await _at_once(pool, game, question)

    monkeypatch.setattr(Analyses, "go_on", counted)
    monkeypatch.setattr(Pool, "think", slowly)
    async with at_table(finished("land_cards"), tmp_path, games=faces()) as (app, pilot):
        await replay_of(app, pilot)
        await pilot.press("h")
        await until(pilot, lambda: shares)
        await pilot.press("escape", "escape")
        await until(pilot, lambda: isinstance(app.screen, ResultScreen))
        so_far = len(shares)
        for _ in range(1000):  # whoever asks from now on is answered before the app is at rest
            thinking.release()
        await at_rest(pilot)
        assert len(shares) <= so_far + 1
        assert shares[-1] < 1, "there was more to ask for"


async def test_why_it_cannot_be_looked_for_is_said_and_the_replay_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refused(self: Analyses, user: str, place: Place, known: int) -> object:
        raise LimitReached(text("Not now."))

    async with at_table(finished("ku_ka_king"), tmp_path, games=faces()) as (app, pilot):
        await replay_of(app, pilot)
        with monkeypatch.context() as patch:
            patch.setattr(Analyses, "go_on", refused)
            await pilot.press("h")
            await says(app, pilot, "prompt", "Not now.")
        await pilot.press("h", "h")
        await until(pilot, lambda: "chances" in below_line(app))
        await pilot.press("right")
        await at(app, pilot, 1)
        assert shown(app, "prompt")


def test_until_all_are_found_no_number_leads_to_a_costly_move() -> None:
    scene, face = scene_of_match(match_of("ku_ka_king", 3)), faces()["ku_ka_king"]
    lost = CostlyMove(4, 1, Advice(1, 0.5, 0.0, 0.0, ()), Advice(2, 0.5, 5.0, 0.0, ()))
    coach, names, glyphs = Coach(), ("Anna", "Beate", "Carla"), Glyphs(ascii_only=False)
    coach._analysis, coach._verdicts = Analysis(0.5, (), (lost,)), {lost: verdict(lost, scene, face, (3,))}
    for share, sign, shows in ((0.5, "  B■", "Still looking"), (1.0, "1 B■", "1 or a click")):
        coach.share = share
        told = [line.plain for line in coach_lines(coach, names, glyphs, 40, 30)]
        assert told[1].startswith(f"{sign} {PLAYED} Beate (round 2) calls row 1")
        assert shows in " ".join(told)
        assert [one.point for one in coach.numbered] == [lost] * (share == 1)


def test_of_the_whole_match_oneself_is_told_the_same_as_through_ones_own_eyes() -> None:
    scene, face = scene_of_match(match_of("ku_ka_king", 3)), faces()["ku_ka_king"]
    # what cost most may have decided least
    points = tuple(
        CostlyMove(ply, 0, Advice(1, 0.5, 0.0, 0.0, ()), Advice(2, 0.5, cost, 0.0, ()), weight)
        for ply, cost, weight in ((1, 9.0, 0.1), (2, 5.0, 0.1), (3, 3.0, 1.0))
    )
    coach = Coach()
    coach.share, coach.own = 1.0, (0,)
    coach._analysis = Analysis(1.0, (), points)
    coach._verdicts = {point: verdict(point, scene, face) for point in points}
    whole = coach.verdicts
    coach.seat = 0
    assert whole == coach.verdicts


def test_of_the_whole_match_what_cost_oneself_most_is_told_and_the_costliest_first() -> None:
    def lost(ply: int, seat: Seat, cost: float) -> CostlyMove:
        return CostlyMove(ply, seat, Advice(1, 0.5, 0.0, 0.0, ()), Advice(2, 0.5, cost, 0.0, ()))

    scene, face = scene_of_match(match_of("ku_ka_king", 3)), faces()["ku_ka_king"]
    points = [
        lost(4, 1, 9.0),
        lost(7, 2, 8.0),
        lost(1, 1, 7.0),
        lost(9, 0, 6.0),
        lost(6, 0, 5.0),
        lost(3, 0, 2.0),
    ]
    coach = Coach()
    coach._analysis = Analysis(1.0, (), tuple(points))
    coach._verdicts = {point: verdict(point, scene, face) for point in points}

    def told() -> list[tuple[int, Seat]]:
        return [(one.ply, one.point.seat) for one in coach.verdicts]

    assert told() == [(4, 1), (7, 2), (1, 1)], "who has no seat there sees the costliest of all"
    coach.own = (0,)
    assert told() == [(4, 1), (9, 0), (6, 0)]
    coach.seat = 1
    assert told() == [(4, 1), (1, 1)]


async def test_where_the_side_has_room_no_words_cover_the_foot_of_the_board(tmp_path: Path) -> None:
    async with at_table(finished("ku_ka_king"), tmp_path, games=faces(), size=(120, 40)) as (app, pilot):
        screen = await coached(app, pilot)
        told = screen._coach.verdicts
        assert told
        for number, one in enumerate(told, 1):
            await pilot.press(str(number))
            await at(app, pilot, one.ply)
            await says(app, pilot, "prompt", f"Better ({one.cost} points)")
            assert screen.query_one("#prompt").region.height == 1
            await until(pilot, lambda: says_in_drawer(app, one.why))  # noqa: B023


def test_what_a_move_is_worth_beyond_the_score_is_told_where_that_is_most_of_it() -> None:
    scene, face = scene_of_match(match_of("ku_ka_king", 3)), faces()["ku_ka_king"]
    changes = (Change(2, 4.0, None, 0.0, leads=False),)
    promised, merits = face.promises(scene, 2, 1), face.merits(scene, 2)
    assert promised
    assert merits
    for cost, tells_more in ((5.9, False), (6.1, True)):
        played, better = Advice(1, 0.5, 0.0, 0.0, ()), Advice(2, 0.5, cost, 0.0, changes)
        for each, worth in ((face, promised), (replace(face, promises=lambda *_: ""), merits)):
            told = verdict(CostlyMove(0, 0, played, better), scene, each)
            assert "4 points for point cards" in told.why
            assert (worth in told.why) is tells_more


def test_a_warning_whose_reasons_explain_little_of_the_cost_says_how_the_rest_is_known() -> None:
    scene, face = scene_of_match(match_of("ku_ka_king", 3)), faces()["ku_ka_king"]
    less, more = ((Change(0, points, None, 0.0, leads=False),) for points in (1.0, 8.0))
    rest = "Played on many times, the better move came out ahead: a little in many places."
    for better, played, cost, is_told in (
        (more, less, 10.0, False),
        (more, less, 18.0, True),
        (less, more, 3.0, True),
    ):
        point = CostlyMove(0, 0, Advice(1, 0.5, 0.0, 0.0, played), Advice(2, 0.5, cost, 0.0, better))
        assert (rest in verdict(point, scene, face).why) is is_told


@pytest.mark.parametrize(("cost", "is_spread"), [(8.9, False), (9.1, True)])
def test_a_costly_move_tells_where_the_better_one_did_better_and_whether_that_is_all(
    cost: float, is_spread: bool
) -> None:
    scene, face = scene_of_match(match_of("ku_ka_king", 3)), faces()["ku_ka_king"]
    missed = (Change(4, 4.0, None, 0.0, leads=False), Change(3, 0.0, 1, -2.0, leads=False))
    played, better = Advice(1, 0.5, 0.0, 0.0, (), missed=missed), Advice(2, 0.5, cost, 0.0, ())
    told = verdict(CostlyMove(0, 0, played, better), scene, face).why
    where = "Played on many times, the better move brought 4 points more for animals than the chosen move."
    assert told.count(where) == 1
    assert told.count(f"After the better move, {scene.name(1)} ended with 2 points less for knights.") == 1
    assert ("The rest is spread out: a little in many places." in told) is is_spread


@pytest.mark.parametrize(("cost", "is_told"), [(4.4, True), (4.6, False)])
def test_a_costly_move_whose_better_one_brings_more_at_once_than_it_is_worth_says_why(
    cost: float, is_told: bool
) -> None:
    scene, face = scene_of_match(match_of("land_cards", 3)), faces()["land_cards"]
    gain = (Change(0, 6.0, None, 0.0, leads=False),)
    follows = min(scene.legal)
    for then, chosen in ((None, "move"), (follows, "turn")):
        better, played = Advice(1, 0.5, cost, 0.0, gain), Advice(2, 0.5, 0.0, 0.0, (), then)
        told = verdict(CostlyMove(0, 0, played, better), scene, face).why
        assert (f"The chosen {chosen} makes up for some of that later." in told) is is_told


def test_where_no_line_stands_out_a_costly_move_tells_who_ended_with_more_and_which_rival_with_less() -> None:
    scene, face = scene_of_match(match_of("land_cards", 3)), faces()["land_cards"]
    for cost, is_spread in ((7.0, False), (8.0, True)):
        played = Advice(2, 0.5, 0.0, 0.0, (), ended=(2.0, 0.0, -3.0))
        better = Advice(2, 0.5, cost, 0.0, ())
        told = verdict(CostlyMove(0, 0, played, better), scene, face).why
        assert "the better move brought more points in all than the chosen move." in told
        assert f"After the better move, {scene.name(2)} ended with 3 points less in all." in told
        assert ("The rest is spread out" in told) is is_spread


def test_what_a_rival_does_not_get_is_told_beside_what_the_better_move_brings() -> None:
    scene, face = scene_of_match(match_of("ku_ka_king", 3)), faces()["ku_ka_king"]
    gain = (Change(0, 1.0, None, 0.0, leads=False),)
    better = Advice(2, 0.5, 18.0, 0.0, gain, rivals=(Rival(1, 15.0, 0.9),))
    told = verdict(CostlyMove(0, 0, Advice(1, 0.5, 0.0, 0.0, ()), better), scene, face)
    assert "1 point for kings, unlike the chosen move" in told.why
    assert f"The better move denies {scene.name(1)} 15 points." in told.why
    assert "later" not in told.why


def test_a_better_move_is_told_as_advice_with_the_one_that_is_counted_with_it() -> None:
    scene, face = scene_of_match(match_of("land_cards", 3)), faces()["land_cards"]
    first, second, played = sorted(scene.legal)[:3]
    better = Advice(first, 0.5, 5.0, 0.0, (Change(0, 5.0, None, 0.0, leads=True),), then=second)
    told = verdict(CostlyMove(0, 0, Advice(played, 0.5, 0.0, 0.0, ()), better), scene, face)
    assert re.fullmatch(r"take .+ from row \d, then take .+ from row \d", told.better)
    assert told.why.startswith("The better turn brings 5 points for Frankreich (the most there)")


def test_where_what_usually_follows_is_counted_with_the_chosen_move_that_is_said() -> None:
    """Otherwise a card without a symbol would seem to bring points for symbols."""
    scene, face = scene_of_match(match_of("land_cards", 3)), faces()["land_cards"]
    best, second, chosen = sorted(scene.legal)[:3]
    better = Advice(best, 0.5, 5.0, 0.0, (Change(0, 5.0, None, 0.0, leads=False),))
    gain = (Change(1, 1.0, None, 0.0, leads=False),)
    alone, both = (Advice(chosen, 0.5, 0.0, 0.0, gain, then) for then in (None, second))
    told = verdict(CostlyMove(0, 0, both, better), scene, face).why
    assert "the chosen turn brings 1 point for symbols of Frankreich." in told
    assert re.search(r"The chosen turn is counted with what usually follows: take .+ from row \d\.$", told)
    told = verdict(CostlyMove(0, 0, alone, better), scene, face).why
    assert "the chosen move brings 1 point for symbols of Frankreich." in told
    assert "usually follows" not in told
    # nothing is said of it where it counts for nothing
    idle = Advice(chosen, 0.5, 0.0, 0.0, (), second)
    point = CostlyMove(0, 0, idle, Advice(best, 0.5, 5.0, 0.0, ()))
    assert "usually follows" not in verdict(point, scene, replace(face, merits=lambda *_: "")).why
    told = verdict(CostlyMove(0, 0, idle, better), scene, face).why
    assert "unlike the chosen turn" in told
    assert "usually follows" not in told
    missed = Advice(chosen, 0.5, 0.0, 0.0, (), second, missed=(Change(4, 4.0, None, 0.0, leads=False),))
    told = verdict(CostlyMove(0, 0, missed, Advice(best, 0.5, 5.0, 0.0, ())), scene, face).why
    assert "4 points more" in told
    assert "usually follows" in told


def test_where_no_line_of_the_score_speaks_for_the_better_move_its_merits_do() -> None:
    scene = scene_of_match(match_of("ku_ka_king", 3))
    face = replace(faces()["ku_ka_king"], promises=lambda *_: "")
    played, better = (Advice(row, 0.5, float(row), 0.0, ()) for row in (1, 2))
    told = verdict(CostlyMove(0, 0, played, better), scene, face)
    rest = "Played on many times, the better move came out ahead: a little in many places."
    assert told.why == f"{face.merits(scene, 2)} {rest}"
    nothing = replace(face, merits=lambda _scene, _move: "")
    assert verdict(told.point, scene, nothing).why == (
        "Played on many times, the better move came out ahead: a little in many places."
    )


def marks_on(board: Board[Any, Any]) -> set[str]:
    """The marks of the coach on a board, each on its own ground or on that of the words around it."""
    drawn = [part for strip in board.render_lines(Region(0, 0, *board.size)) for part in strip]
    grounds = {sign: board.ink("cursor-ink", on=mark_ground(sign)).bgcolor for sign in (BETTER, PLAYED)}
    others = {board.ink("ink", on=on).bgcolor for on in ("ground", "cursor")}
    return {
        sign
        for sign in grounds
        for part in drawn
        if part.text.strip().startswith(sign)
        and part.style is not None
        and part.style.bgcolor in {grounds[sign], *others}
    }


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
@every_game
async def test_on_the_board_and_in_words_the_move_played_and_the_better_one_have_the_same_marks(
    game: str, size: tuple[int, int], tmp_path: Path
) -> None:
    async with at_table(finished(game), tmp_path, games=faces(), size=size) as (app, pilot):
        screen = await coached(app, pilot)
        for number, told in enumerate(screen._coach.verdicts, 1):
            await pilot.press(str(number))
            await at(app, pilot, told.point.ply)
            board, moves = screen.board, (told.point.better.move, told.point.played.move)
            placed = [board.places(move) for move in moves]
            # of two on the same place the better one is marked there
            marks = (BETTER, PLAYED) if placed[0] != placed[1] else (BETTER,)
            here = {mark for mark, places in zip(marks, placed, strict=False) if places}
            await until(pilot, lambda: marks_on(board) == here)  # noqa: B023
            await says(app, pilot, "prompt", f"{PLAYED} Played: ")
            better = f"{BETTER} Better"
            await until(pilot, lambda: better in whole(app) or says_in_drawer(app, better))  # noqa: B023
        await pilot.press("home")
        await at(app, pilot, 0)
        await until(pilot, lambda: not marks_on(screen.board))


@every_game
async def test_a_costly_move_is_shown_before_it_is_made_and_the_board_points_at_the_better_one(
    game: str, tmp_path: Path
) -> None:
    async with at_table(finished(game), tmp_path, games=faces()) as (app, pilot):
        screen = await coached(app, pilot)
        pointed: list[Move] = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(type(screen.board), "point_at", lambda _, move: pointed.append(move))
            for number, told in enumerate(screen._coach.verdicts, 1):
                await pilot.press(str(number))
                await at(app, pilot, told.point.ply)
                await says(app, pilot, "prompt", f"{PLAYED} Played: ")
                await says(app, pilot, "header", f"Before move {told.number} of ")
                assert told.number == told.point.ply + 1
                assert screen.shown.viewer == told.point.seat
                named = [seat for seat, each in enumerate(screen.shown.names) if each in told.why]
                assert screen.board.first[0] == told.point.seat
                assert {*screen.board.first[1:]} == {*named} - {told.point.seat}
                await until(pilot, lambda: pointed and pointed[-1] == told.point.better.move)  # noqa: B023


def test_what_both_moves_bring_speaks_for_neither_and_what_the_other_one_loses_does() -> None:
    alike, gain = Change(0, 5.0, None, 0.0, leads=True), Change(1, 4.0, 2, -3.0, leads=True)
    lost, less = Change(2, -10.0, None, 0.0, leads=False), Change(1, 3.0, 2, -1.0, leads=False)
    assert contrast([alike, gain], [alike, lost, less]) == [
        Change(2, 10.0, None, 0.0, leads=False),
        Change(1, 1.0, 2, -2.0, leads=True),
    ]


def test_a_line_in_which_the_better_move_is_worse_does_not_speak_for_it() -> None:
    assert contrast([], [Change(0, 5.0, 1, -2.0, leads=True)]) == []


@pytest.mark.parametrize(
    ("columns", "shown"),
    [([3, 9], [3, 9]), ([3, 4, 9], [3, 5, 9]), ([8, 3, 3], [8, 3, 5]), ([9, 9, 9], [5, 7, 9]), ([], [])],
)
def test_no_digit_under_the_line_touches_or_hides_another(columns: list[int], shown: list[int]) -> None:
    assert apart(columns, 10) == shown


@pytest.mark.parametrize(
    ("chances", "shown"),
    [
        ((0.254, 0.376, 0.0, 0.37), [25, 38, 0, 37]),
        ((0.255, 0.375, 0.0, 0.37), [26, 37, 0, 37]),
        ((0.334, 0.333, 0.333), [34, 33, 33]),
        ((0.0, 1.0), [0, 100]),
    ],
)
def test_chances_add_up_to_a_hundred_percent(chances: tuple[float, ...], shown: list[int]) -> None:
    assert percents(chances) == shown


def test_equal_chances_are_told_alike() -> None:
    assert percents((1 / 3, 1 / 3, 1 / 3)) == [33, 33, 33]


def test_a_band_is_as_high_as_its_chance_and_empty_where_none_is_known() -> None:
    columns = bands_of([(0.5, 0.25, 0.25), None, (0.0, 1.0, 0.0)], 4)
    assert [[row[x] for row in columns] for x in range(3)] == [[0, 0, 1, 2], [None] * 4, [1] * 4]


@pytest.mark.parametrize(
    ("margin", "digits", "said"),
    [(-0.04, 1, "+0.0"), (-0.0, 1, "+0.0"), (-0.4, 0, "+0"), (-0.06, 1, "-0.1"), (12.3, 0, "+12")],
)
def test_nobody_is_ahead_by_less_than_nothing(margin: float, digits: int, said: str) -> None:
    assert ahead(margin, digits) == said
