"""What moves is seen moving for a moment where terminal and loop keep up, and holds nobody up."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import pairwise
from math import inf
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from textual.content import Content

from kk_core.protocol.messages import GoTo
from kk_core.protocol.stream import ClientLink
from kk_core.text import Text, text
from kk_tui.app import KkApp
from kk_tui.games import Face, faces
from kk_tui.match import motion_player
from kk_tui.match.motion_player import Announcer, MotionPlayer
from kk_tui.match.replay import ReplayScreen
from kk_tui.match.scoring_player import ScoringPlayer
from kk_tui.match.table import TableScreen
from kk_tui.scene import Scene
from kk_tui.screens.help import HelpScreen
from kk_tui.settings import AppSettings, SessionSettings
from kk_tui.terminal.capabilities import ColourDepth, TerminalKind
from kk_tui.theme.glyphs import Glyphs
from kk_tui.widgets.board import Board
from kk_tui.widgets.motion import MOST, Chip, Lit, Middle, MotionFrame, Name
from tests.core.contract.tables import people_at
from tests.tui.conftest import Running, Stage, at_rest, renewed, shown, until
from tests.tui.emulated import ShownApp, settled
from tests.tui.picture import Terminal
from tests.tui.plain import plain_faces
from tests.tui.playing import at_table, begin, beside, board_in, can_act, hub_at, scene_in
from tests.tui.scenes import games_with, lines_of, match_of, scene_of_match

TRUE = TerminalKind(ColourDepth.TRUE, has_erase_colour=True)

NEVER = 3600.0
GO_ON = ScoringPlayer._run_out
"""What a timer does when a step of an animation has stood long enough."""


@pytest.fixture(autouse=True)
def _stands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every frame stands until the test has the next one shown."""
    monkeypatch.setattr(motion_player, "SECONDS", (NEVER,) * MOST)
    monkeypatch.setattr(motion_player, "APART", 0.0)


def flown(_before: Scene[Any], after: Scene[Any], _glyphs: Glyphs) -> Sequence[MotionFrame]:
    """A word that flies to whoever has moved, whose name is lit up in the end."""
    seat = after.match.recent()[-1][1].seat
    word = Content.styled("flies", "$ink on $seat-0")
    ways = [(Chip(word, Middle(), Name(seat), share, seat),) for share in (0.0, 0.5, 1.0)]
    return (
        MotionFrame(chips=ways[0]),
        MotionFrame(chips=ways[1]),
        MotionFrame(chips=ways[2], lit=(Lit(seat, Content("here")),)),
    )


def faces_with(**parts: Any) -> Mapping[str, Face[Any]]:
    return {game: replace(face, motion=flown, **parts) for game, face in plain_faces().items()}


def moving(motion: Any = "full") -> SessionSettings:
    return SessionSettings(AppSettings(motion=motion, confirm=False))


@asynccontextmanager
async def at_own_turn(stage: Stage, **more: Any) -> AsyncIterator[tuple[KkApp, Running, MotionPlayer]]:
    """A table at which it is the user's turn, and of which it is known that the terminal keeps up."""
    options = {"games": faces_with(), "settings": moving(), **more}
    async with stage.play(**options) as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        assert isinstance(app.screen, TableScreen)
        player = app.screen.motion
        player._look(inf)
        yield app, pilot, player


async def step(app: KkApp, pilot: Running) -> None:
    """The user's first possible move, of all that can be made."""
    before = scene_in(app).match.ply
    await pilot.press("enter")
    await until(pilot, lambda: scene_in(app).match.ply > before)


def words(app: KkApp) -> str:
    return "\n".join(lines_of(app))


# -- a motion ------------------------------------------------------------------------------------------------


async def test_a_step_is_there_at_once_and_moves_in_three_frames_until_all_is_at_rest(stage: Stage) -> None:
    async with at_own_turn(stage) as (app, pilot, player):
        await step(app, pilot)
        await until(pilot, lambda: "flies" in words(app))
        assert board_in(app).scene is scene_in(app), "nothing waits for the motion"
        places = [words(app).index("flies")]
        for _ in range(MOST - 1):
            player._look(inf)
            await at_rest(pilot)
            places.append(words(app).index("flies"))
        assert len(set(places)) == MOST
        assert "A● here" in words(app)
        player._look(inf)
        await at_rest(pilot)
        assert not player.is_playing
        assert "flies" not in words(app)
        assert "here" not in words(app)


async def test_a_motion_goes_on_where_it_is_whoever_comes_or_goes_meanwhile(stage: Stage) -> None:
    async with at_own_turn(stage) as (app, pilot, player):
        await step(app, pilot)
        await until(pilot, lambda: "flies" in words(app))
        for _ in range(MOST - 1):
            player._look(inf)
        last = player._frames[-1]
        renewed(app)
        await at_rest(pilot)
        assert player._frames[player._at] is last
        assert "A● here" in words(app)
        player._look(inf)
        assert not player.is_playing


async def test_no_timer_runs_and_nothing_is_drawn_once_all_is_at_rest(stage: Stage) -> None:
    async with at_own_turn(stage) as (app, pilot, player):
        await step(app, pilot)
        for _ in range(MOST):
            assert player._timer is not None
            player._look(inf)
        await at_rest(pilot)
        assert player._timer is None
        drawn: list[Any] = []
        app.post_display_hook = lambda: drawn.append(1)  # type: ignore[method-assign]
        await at_rest(pilot)
        assert not drawn


@pytest.mark.parametrize("key", ["down", "l", "x"])
async def test_any_key_ends_a_motion_and_does_at_once_what_it_means(stage: Stage, key: str) -> None:
    async with at_own_turn(stage) as (app, pilot, player):
        await step(app, pilot)
        assert player.is_playing
        await pilot.press(key)
        assert not player.is_playing
        assert player._timer is None
        await until(pilot, lambda: "flies" not in words(app))
        assert isinstance(app.screen, TableScreen)
        done = {
            "l": lambda: app.screen.side.drawer == "log",
            "x": lambda: shown(app, "prompt") != "",
            "down": lambda: app.focused is board_in(app),
        }
        await until(pilot, done[key])


async def test_a_move_chosen_during_a_motion_is_made(stage: Stage) -> None:
    async with at_own_turn(stage) as (app, pilot, player):
        await step(app, pilot)
        await until(pilot, lambda: can_act(app))
        assert player.is_playing
        await step(app, pilot)


async def test_a_click_ends_a_motion(stage: Stage) -> None:
    async with at_own_turn(stage) as (app, pilot, player):
        await step(app, pilot)
        await pilot.click("#people", offset=(2, 15))
        assert not player.is_playing


async def test_a_further_step_shows_the_one_before_at_rest(stage: Stage) -> None:
    async with at_own_turn(stage) as (app, pilot, player):
        await step(app, pilot)
        first = player._frames
        await until(pilot, lambda: can_act(app))
        await step(app, pilot)
        assert player._frames is not first
        assert player._at == 0


async def test_a_step_right_after_another_one_is_only_shown(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with at_own_turn(stage) as (app, pilot, player):
        monkeypatch.setattr(motion_player, "APART", NEVER)
        await step(app, pilot)
        assert player.is_playing
        await until(pilot, lambda: can_act(app))
        await step(app, pilot)
        assert not player.is_playing


async def test_a_change_that_is_no_step_leaves_a_motion_where_it_is(stage: Stage) -> None:
    async with at_own_turn(stage) as (app, pilot, player):
        await until(pilot, lambda: can_act(app))
        await step(app, pilot)
        frames = player._frames
        assert isinstance(app.screen, TableScreen)
        app.screen.place_changed()
        await at_rest(pilot)
        assert player._frames is frames
        assert "flies" in words(app)


async def test_undo_moves_nothing(stage: Stage) -> None:
    async with at_own_turn(stage) as (app, pilot, player):
        await step(app, pilot)
        assert scene_in(app).match.may_undo
        await pilot.press("u")
        await until(pilot, lambda: scene_in(app).match.ply == 0)
        assert not player.is_playing


async def test_another_size_ends_a_motion(stage: Stage) -> None:
    async with at_own_turn(stage) as (app, pilot, player):
        await step(app, pilot)
        await pilot.resize_terminal(120, 40)
        await until(pilot, lambda: not player.is_playing)


async def test_a_motion_that_cannot_be_drawn_is_told_as_any_other_fault_of_drawing(stage: Stage) -> None:
    def broken(*_: Any) -> Sequence[MotionFrame]:
        raise ValueError("broken")

    broken_faces = {game: replace(face, motion=broken) for game, face in plain_faces().items()}
    async with at_own_turn(stage, games=broken_faces) as (app, pilot, _player):
        await pilot.press("enter")
        await until(pilot, lambda: app.store.fault is not None)


# -- who is shown none ---------------------------------------------------------------------------------------


async def test_nothing_moves_where_the_user_does_not_want_it(stage: Stage) -> None:
    async with at_own_turn(stage, settings=moving("off")) as (app, pilot, player):
        await step(app, pilot)
        assert not player.is_playing
        assert player._timer is None


async def test_nothing_moves_where_the_host_does_not_want_it(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(KkApp, "has_motion", False)
    async with at_own_turn(stage) as (app, pilot, player):
        await step(app, pilot)
        assert not player.is_playing


async def test_nothing_moves_before_it_is_known_that_the_terminal_keeps_up(stage: Stage) -> None:
    async with at_own_turn(stage) as (app, pilot, player):
        player.stop()
        player._keeps_up = False
        await step(app, pilot)
        assert not player.is_playing
        assert player._timer is not None, "a look at the line"
        player._look(inf)
        await until(pilot, lambda: can_act(app))
        await step(app, pilot)
        assert player.is_playing


async def test_a_terminal_that_has_not_taken_what_it_was_sent_is_shown_all_at_rest(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with at_own_turn(stage) as (app, pilot, player):
        await step(app, pilot)
        with monkeypatch.context() as patch:
            patch.setattr(KkApp, "keeps_up", False)
            player._look(inf)
        await at_rest(pilot)
        assert not player.is_playing
        assert "flies" not in words(app)
        await until(pilot, lambda: can_act(app))
        await step(app, pilot)
        assert not player.is_playing, "until a look has found all of it taken"


async def test_where_the_loop_is_late_all_is_at_rest(stage: Stage) -> None:
    async with at_own_turn(stage) as (app, pilot, player):
        await step(app, pilot)
        player._look(-inf)
        assert not player.is_playing
        await until(pilot, lambda: can_act(app))
        await step(app, pilot)
        assert not player.is_playing


async def test_nothing_moves_under_another_screen(stage: Stage) -> None:
    async with at_own_turn(stage) as (app, pilot, player):
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        scene = scene_in(app)
        table = stage.hub.tables[scene.table.id]
        await table.play("anna", 0, scene.match.ply, min(scene.legal))
        await until(pilot, lambda: scene_in(app).match.ply > scene.match.ply)
        await at_rest(pilot)
        assert not player.is_playing


async def test_a_name_that_is_not_in_sight_is_nobodys_goal(stage: Stage) -> None:
    async with at_own_turn(stage) as (app, _pilot, _player):
        board: Board[Any, Any] = board_in(app)
        chip = Chip(Content("flies"), Middle(), Name(0), 0.5, 0)
        board.play(MotionFrame(chips=(chip,)), {1: 5})
        assert not board._over
        board.play(MotionFrame(chips=(chip,)), {0: 5})
        assert board._over


# -- replays -------------------------------------------------------------------------------------------------


async def test_a_step_on_in_a_replay_moves_but_not_a_jump_or_a_step_back(tmp_path: Path) -> None:
    match = match_of("land_cards", 3, 10_000)
    async with at_table(match, tmp_path, games=faces_with(), settings=moving()) as (app, pilot):
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen) and app.screen._course is not None)
        assert isinstance(app.screen, ReplayScreen)
        screen, player = app.screen, app.screen.motion
        await until(pilot, lambda: screen._scene.match.ply == 0 and board_in(app).visible)
        course = screen._course
        assert course is not None
        ahead = next(ply for ply in course.rounds if ply > 1)
        for key, ply, is_moving in (("right", 1, True), ("left", 0, False), ("pagedown", ahead, False)):
            player._look(inf)
            await pilot.press(key)
            await until(pilot, lambda ply=ply: screen._scene.match.ply == ply)  # type: ignore[misc]
            assert player.is_playing is is_moving, key


# -- what is announced ---------------------------------------------------------------------------------------


def always(_before: Scene[Any], _after: Scene[Any]) -> Sequence[Text]:
    return (text("Something begins"),)


async def test_what_is_announced_stands_in_place_of_the_title_until_a_key_is_pressed(stage: Stage) -> None:
    async with at_own_turn(stage, games=faces_with(announcements=always)) as (app, pilot, _player):
        title = shown(app, "header")
        await step(app, pilot)
        await until(pilot, lambda: shown(app, "header") == "Something begins")
        prompt = shown(app, "prompt")
        assert "Something begins" not in beside(app) + prompt
        await pilot.press("down")
        await until(pilot, lambda: shown(app, "header").startswith(title.split("|")[0]))


def standing_at(scene: Scene[Any], ply: int, *points: int) -> Scene[Any]:
    """The same at another ply, with other points as things stand."""
    everybody = (*points, *[0] * (len(scene.names) - len(points)))
    return replace(scene, match=msgspec.structs.replace(scene.match, ply=ply, standing=(everybody,)))


@pytest.mark.parametrize("game_id", faces())
def test_a_lead_that_changes_hands_is_announced_once_by_what_the_viewer_sees(game_id: str) -> None:
    announcer, face = Announcer(), replace(faces()[game_id], announcements=lambda *_: ())
    glyphs = Glyphs(ascii_only=True, more=[face.glyphs])
    scene = scene_of_match(match_of(game_id, people_at(game_id)), None)
    course = ((0, 0), (4, 0), (4, 3), (4, 4), (4, 5), (4, 6), (6, 6), (8, 6))
    scenes, said = [standing_at(scene, ply, *points) for ply, points in enumerate(course)], []
    for before, now in pairwise(scenes):
        told = announcer.follow(before, now, face, glyphs, 78)
        said.append(None if told is None else told.plain)
    name, other = scene.name(1), scene.name(0)
    assert said == [
        None, None, None, f"B# As things stand, {name} takes the lead by 1 point", None, None,
        f"Ao As things stand, {other} takes the lead by 2 points",
    ]  # fmt: skip
    assert announcer.follow(scenes[-1], scenes[-2], face, glyphs, 78) is None, "a step taken back"


@pytest.mark.parametrize("game_id", faces())
def test_whoever_takes_the_lead_is_told_so_as_you_unless_others_look_at_the_same_screen(game_id: str) -> None:
    face = replace(faces()[game_id], announcements=lambda *_: ())
    glyphs, said = Glyphs(ascii_only=True, more=[face.glyphs]), []
    seats = people_at(game_id)
    for owners in ([f"person{seat}" for seat in range(seats)], ["anna"] * seats):
        announcer, scene = Announcer(), scene_of_match(match_of(game_id, seats), 0, owners)
        told = announcer.follow(standing_at(scene, 0, 0, 1), standing_at(scene, 1, 3, 1), face, glyphs, 78)
        assert told is not None
        said.append(told.plain)
    assert said[0] == "Ao As things stand, you take the lead by 2 points"
    assert said[1] == f"Ao As things stand, {scene.name(0)} takes the lead by 2 points"


def test_of_several_announcements_those_are_made_that_fit_the_first_of_all() -> None:
    face = replace(next(iter(faces().values())), announcements=lambda *_: (text("one"), text("another")))
    glyphs, seats = Glyphs(ascii_only=True, more=[face.glyphs]), people_at(face.meta.id)
    scene = scene_of_match(match_of(face.meta.id, seats))
    said = [Announcer().follow(scene, standing_at(scene, 1), face, glyphs, width) for width in (80, 14, 2)]
    assert [told.plain for told in said if told is not None] == ["one  |  another", "one", "one"]


async def test_nothing_is_announced_where_nothing_moves(stage: Stage) -> None:
    games = faces_with(announcements=always)
    async with at_own_turn(stage, games=games, settings=moving("off")) as (app, pilot, _player):
        await step(app, pilot)
        await at_rest(pilot)
        assert "Something begins" not in shown(app, "header")


# -- of every game -------------------------------------------------------------------------------------------

moving_game = pytest.mark.parametrize("game_id", games_with("motion"))


@moving_game
def test_everybody_sees_the_same_moving_so_that_it_tells_nobody_a_secret(game_id: str) -> None:
    face, chance = faces()[game_id], Random(game_id)
    glyphs = Glyphs(ascii_only=False, more=[face.glyphs])
    match, eyes = match_of(game_id, people_at(game_id)), (None, *range(people_at(game_id)))
    before = {viewer: scene_of_match(match, viewer) for viewer in eyes}
    seen = 0
    while active := match.game.active_seats(match.state):
        match.play(active[0], chance.choice(match.game.legal_moves(match.state, active[0])))
        after = {viewer: scene_of_match(match, viewer) for viewer in eyes}
        motions = [face.motion(before[viewer], after[viewer], glyphs) for viewer in eyes]
        told = [[(frame.chips, frame.lit) for frame in frames] for frames in motions]
        assert told == [told[0]] * len(eyes)
        assert len(told[0]) in (0, MOST)
        seen, before = seen + bool(told[0]), after
    assert seen


async def watched(game_id: str, size: tuple[int, int], steps: int, *, moves: bool) -> list[list[int]]:
    """The bytes of all that is drawn on its own for somebody who watches some steps, step by step."""
    match, chance = match_of(game_id, people_at(game_id)), Random(2)
    hub, found = await hub_at(match), list[list[int]]()

    async def connect() -> ClientLink:
        return hub.connect("~ines")

    app = ShownApp(connect, local=False, kind=TRUE, terminal=Terminal(*size), settings=moving("timed"))
    async with app.run_test(size=size, headless=False) as pilot:
        await until(pilot, lambda: app.user)
        await app.request(lambda n: GoTo(n, "table"))
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        assert isinstance(app.screen, TableScreen)
        await settled(app, pilot)
        if moves:
            app.screen.motion._look(inf)
        for ply in range(steps):
            seat = match.game.active_seats(match.state)[0]
            move = chance.choice(match.game.legal_moves(match.state, seat))
            match.play(seat, move)
            begun = received(app)
            await hub.tables["table"].play(match.seats[seat].lower(), seat, ply, move)
            found.append(await seen_to_the_end(app, pilot, ply + 1, begun))
    await hub.close()
    return found


def received(app: ShownApp) -> int:
    """The bytes sent so far."""
    return len(app.terminal.sent.encode())


async def seen_to_the_end(app: ShownApp, pilot: Running, ply: int, begun: int) -> list[int]:
    """The bytes of a step, and of each picture of whatever is played with it."""
    screen, sizes = app.screen, list[int]()
    assert isinstance(screen, TableScreen)
    await until(pilot, lambda: screen.scoring_player.is_playing or screen._scene.match.ply == ply)
    while True:
        await settled(app, pilot)
        sizes.append(received(app) - begun)
        begun += sizes[-1]
        if screen.scoring_player.is_playing:
            GO_ON(screen.scoring_player)
        elif screen.motion.is_playing:
            screen.motion._look(inf)
        else:
            return sizes


@moving_game
@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
async def test_a_motion_takes_three_frames_and_four_kilobytes_more_at_most(
    game_id: str, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ScoringPlayer, "_run_out", lambda _: None)
    moving_steps = await watched(game_id, size, 12, moves=True)
    still_steps = await watched(game_id, size, 12, moves=False)
    for with_it, without in zip(moving_steps, still_steps, strict=True):
        assert len(with_it) - len(without) <= MOST
        assert sum(with_it) - sum(without) <= 4096
    assert sum(map(len, moving_steps)) > sum(map(len, still_steps))
