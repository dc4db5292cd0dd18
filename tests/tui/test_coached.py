"""The coach at the table: what is said of a move that gives away much, before it is made."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace
from textual.widgets import Input, OptionList, Static

from kk_core.game import AnyGame
from kk_core.games.land_cards.model import PASS, STONE_STEP
from kk_core.protocol.messages import OpenTable, SetBot, Start, TakeSeat
from kk_core.registry import part_of
from kk_core.search.opponents import BotKnowledge
from kk_core.search.review import MUCH, Judgement
from kk_core.text import text
from kk_core.types import CommonObservation, Move
from kk_core.views import Advice, Change
from kk_server.bots.pool import Chooser, NoHint
from kk_server.hub.hub import Hub
from kk_server.storage.memory_log import MemoryLog
from kk_tui.app import KkApp
from kk_tui.games import faces
from kk_tui.match import moves
from kk_tui.match.hint import HintScreen
from kk_tui.match.table import TableScreen
from kk_tui.match.table_menu import TableMenuScreen, offers
from kk_tui.press_guard import TOO_SOON
from kk_tui.screens.dialogs import HandoverDialog
from kk_tui.screens.new_game import NewGameScreen
from kk_tui.settings import AppSettings, Recent, RecentFile, SessionSettings
from kk_tui.widgets.form import LineSelect
from kk_tui.widgets.lines import Lines
from tests.server.client import Client
from tests.tui.conftest import Running, Stage, at_rest, renewed, shown, until
from tests.tui.playing import board_in, can_act, keys_of, scene_in, sit_down

every_game = pytest.mark.parametrize(
    "game", [game for game in faces() if part_of(game, "ai.strategy") is not None]
)
"""A game that is played by plain chance gives its coach nothing to say."""

COST = 5
CHANGES = (Change(0, 4.0, None, 0.0, leads=False),)

Weighing = Callable[[Move], "Move | None"]
"""What would be better than a move; None if nothing is."""


@contextmanager
def weighing(better: Weighing) -> Iterator[list[Move]]:
    """Moves are weighed like this; yields those that were."""
    asked: list[Move] = []

    async def weigh(
        _: Chooser, game: AnyGame, observation: CommonObservation, move: Move, known: BotKnowledge
    ) -> Judgement | None:
        asked.append(move)
        found = better(move)
        if found is None:
            return None
        return Judgement(Advice(move, 0.5, 0.0, 0.0, ()), Advice(found, 0.5, float(COST), 0.0, CHANGES))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Chooser, "weigh", weigh)
        yield asked


@asynccontextmanager
async def coached(
    game: str, folder: Path, *, hints: bool = True, confirm: bool = True, **more: object
) -> AsyncIterator[tuple[KkApp, Running, TableScreen]]:
    """Anna, who has chosen the coach, in her turn at a table with bots that take their time."""
    hub = Hub(MemoryLog(), hints=hints, bot_pause=3600)
    settings = SessionSettings(AppSettings(motion="off", confirm=confirm))
    async with Stage(hub, folder).play("anna", games=faces(), settings=settings, **more) as (app, pilot):  # type: ignore[arg-type]
        app.recent.save(Recent(coached=("anna",)))
        await sit_down(app, game, faces()[game].meta.min_seats, 0)
        await until(pilot, lambda: can_act(app))
        assert isinstance(app.screen, TableScreen)
        yield app, pilot, app.screen
    await hub.close()


def two_moves(app: KkApp) -> tuple[Move, Move]:
    """Two moves that have places on the board."""
    board = board_in(app)
    first, second, *_ = [move for move in sorted(scene_in(app).legal) if board.places(move)]
    return first, second


async def choose(app: KkApp, pilot: Running, move: Move) -> None:
    """By the keys of the board: the cursor goes there, and Enter makes the move."""
    board_in(app).point_at(move)
    await at_rest(pilot)
    await pilot.press("enter")


def beside(app: KkApp) -> str:
    """All that stands beside the board."""
    side = app.screen_stack[1].query_one("#people", Lines)
    return " ".join(line.plain.strip() for line in side._lines)


def is_warned(app: KkApp) -> bool:
    """Whether the coach speaks."""
    return f"gives away about {COST} points" in shown(app, "prompt")


# -- a costly move -------------------------------------------------------------------------------------------


@every_game
@pytest.mark.parametrize("confirm", [True, False])
@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_a_costly_move_is_met_before_it_is_sent_and_made_by_enter_once_more(
    game: str, confirm: bool, size: tuple[int, int], tmp_path: Path
) -> None:
    async with coached(game, tmp_path, confirm=confirm, size=size) as (app, pilot, table):
        costly, better = two_moves(app)
        before = scene_in(app)
        with weighing(lambda _: better) as asked:
            await choose(app, pilot, costly)
            await until(pilot, lambda: is_warned(app))
            assert app.screen is table, "no box lies over the board"
            assert table.query_one("#prompt").region.height == 1
            assert scene_in(app) is before
            assert asked == [costly]
            assert "Better: " in shown(app, "prompt")
            assert "The coach" in beside(app)
            assert "Better, marked a: " in beside(app)
            assert "brings 4 points" in beside(app)
            assert "Esc take it back" in beside(app)
            assert not table.side.people.hidden
            assert "Enter play anyway" in keys_of(app)
            assert "Esc take it back" in keys_of(app)
            await pilot.press("enter")
            await until(pilot, lambda: scene_in(app).match.ply > before.match.ply)
            assert asked == [costly]
        assert dict(scene_in(app).match.recent())[before.match.ply].move in (costly, None)
        await until(pilot, lambda: "The coach" not in beside(app))


@every_game
async def test_escape_takes_it_back_and_of_the_same_move_the_same_is_said_again(
    game: str, tmp_path: Path
) -> None:
    async with coached(game, tmp_path, confirm=False) as (app, pilot, _):
        costly, better = two_moves(app)
        before, marks = scene_in(app), list[list[Move]]()
        with weighing(lambda _: better) as asked, pytest.MonkeyPatch.context() as patch:
            patch.setattr(type(board_in(app)), "mark_moves", lambda _, moves, *_marks: marks.append([*moves]))
            await choose(app, pilot, costly)
            await until(pilot, lambda: is_warned(app))
            assert marks[-1] == [better]
            await pilot.press("escape")
            await until(pilot, lambda: not is_warned(app) and "The coach" not in beside(app))
            assert marks[-1] == []
            assert scene_in(app) is before
            await choose(app, pilot, costly)
            await until(pilot, lambda: is_warned(app))
            assert asked == [costly, costly]
            await pilot.press("enter")
            await until(pilot, lambda: scene_in(app).match.ply > before.match.ply)


@every_game
async def test_what_the_coach_said_stays_while_the_cursor_goes_to_the_better_move(
    game: str, tmp_path: Path
) -> None:
    async with coached(game, tmp_path) as (app, pilot, table):
        costly, better = two_moves(app)
        with weighing(lambda move: better if move == costly else None):
            await choose(app, pilot, costly)
            await until(pilot, lambda: is_warned(app))
            board_in(app).point_at(better)
            board_in(app).tell()
            await until(pilot, lambda: table.mover.asked is None)
            assert "The coach" in beside(app)
            assert "play anyway" not in keys_of(app)
            await pilot.press("escape")
            await until(pilot, lambda: "The coach" not in beside(app))
            assert app.screen is table


async def test_a_move_that_costs_little_goes_its_usual_way(tmp_path: Path) -> None:
    async with coached("ku_ka_king", tmp_path) as (app, pilot, _):
        before = scene_in(app)
        with weighing(lambda _: None) as asked:
            await pilot.press("3")
            await until(pilot, lambda: "It counts as soon as all have chosen" in shown(app, "prompt"))
            assert "The coach" not in beside(app)
            await pilot.press("enter")
            await until(pilot, lambda: scene_in(app).match.ply > before.match.ply)
            assert asked == [3]


async def test_a_move_that_brings_nothing_is_met_too_unless_more_than_that_speaks_against_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    face = faces()["ku_ka_king"]
    patched = dataclasses.replace(face, in_vain=lambda _, move: text("It is raining.") if move == 3 else None)
    monkeypatch.setattr("kk_tui.games.ku_ka_king.face.FACE", patched)
    async with coached("ku_ka_king", tmp_path, confirm=False) as (app, pilot, _):
        before, words = scene_in(app), "This would bring you nothing now. It is raining."
        with weighing(lambda _: 2):
            await pilot.press("3")
            await until(pilot, lambda: is_warned(app))
            assert "nothing" not in beside(app)
            await pilot.press("escape")
            await until(pilot, lambda: not is_warned(app))
        with weighing(lambda _: None):
            await pilot.press("3")
            await until(pilot, lambda: words in shown(app, "prompt"))
            assert all(
                said in beside(app) for said in ("The coach", "This would bring you", "It is raining.")
            )
            assert "Better" not in beside(app)
            assert scene_in(app) is before
            await pilot.press("escape")
            await until(pilot, lambda: "The coach" not in beside(app))
            await pilot.press("3")
            await until(pilot, lambda: words in shown(app, "prompt"))
            await pilot.press("enter")
            await until(pilot, lambda: scene_in(app).match.ply > before.match.ply)


@every_game
async def test_what_can_be_done_is_clicked_beside_the_board(game: str, tmp_path: Path) -> None:
    async with coached(game, tmp_path, confirm=False) as (app, pilot, _):
        costly, better = two_moves(app)
        before = scene_in(app)
        with weighing(lambda _: better):
            for words, plies in (("Esc take it back", 0), ("Enter play anyway", 1)):
                await choose(app, pilot, costly if not plies else better)
                await until(pilot, lambda: is_warned(app))
                side = app.screen.query_one("#people", Lines)
                row = next(y for y, line in enumerate(side._lines) if line.plain.startswith(words))
                await pilot.click(side, offset=(2, row))
                await until(pilot, lambda: not is_warned(app))
                await until(pilot, lambda: (scene_in(app).match.ply > before.match.ply) is bool(plies))  # noqa: B023


async def test_the_key_of_a_move_that_the_coach_speaks_against_does_not_make_it(tmp_path: Path) -> None:
    async with coached("ku_ka_king", tmp_path, confirm=False) as (app, pilot, table):
        before = scene_in(app)
        with weighing(lambda _: 2):
            await pilot.press("3")
            await until(pilot, lambda: is_warned(app))
            await pilot.press("3")
            await at_rest(pilot)
            assert is_warned(app)
            assert table.mover.asked is not None
            assert scene_in(app) is before
            await pilot.press("enter")
            await until(pilot, lambda: scene_in(app).match.ply > before.match.ply)


async def test_a_key_pressed_before_the_words_could_be_read_does_not_make_the_move(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with coached("ku_ka_king", tmp_path) as (app, pilot, _):
        before = scene_in(app)
        with weighing(lambda _: 2):
            await pilot.press("3")
            await until(pilot, lambda: is_warned(app))
            monkeypatch.setattr("kk_tui.press_guard.SEEN", 3600.0)
            await pilot.press("enter")
            await until(pilot, lambda: str(TOO_SOON) in shown(app, "prompt"))
            assert scene_in(app) is before
            monkeypatch.setattr("kk_tui.press_guard.SEEN", 0.0)
            await pilot.press("enter")
            await until(pilot, lambda: scene_in(app).match.ply > before.match.ply)


# -- while it thinks -----------------------------------------------------------------------------------------


@asynccontextmanager
async def thinking(app: KkApp, pilot: Running, key: str) -> AsyncIterator[asyncio.Event]:
    """The coach looks at the move of a key until the event is set, and would speak against it."""
    found = asyncio.Event()

    async def slowly(
        _: Chooser, game: AnyGame, seen: CommonObservation, move: Move, known: BotKnowledge
    ) -> Judgement:
        await found.wait()
        better = min(set(seen.legal_moves) - {move})
        return Judgement(Advice(move, 0.5, 0.0, 0.0, ()), Advice(better, 0.5, float(COST), 0.0, CHANGES))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Chooser, "weigh", slowly)
        await pilot.press(key)
        await until(pilot, lambda: "The coach is " in shown(app, "prompt"))
        yield found


@pytest.mark.parametrize("again", ["enter", "3"])
@pytest.mark.parametrize("confirm", [True, False])
async def test_a_move_chosen_twice_out_of_habit_waits_for_what_the_coach_has_to_say(
    again: str, confirm: bool, tmp_path: Path
) -> None:
    async with coached("ku_ka_king", tmp_path, confirm=confirm) as (app, pilot, _):
        before = scene_in(app)
        async with thinking(app, pilot, "3") as found:
            await pilot.press(again, again)
            await at_rest(pilot)
            assert scene_in(app) is before
            assert "The coach is thinking" in shown(app, "prompt")
            found.set()
            await until(pilot, lambda: is_warned(app))
            assert scene_in(app) is before


async def test_enter_after_the_key_of_a_move_is_about_that_move_and_not_about_the_cursor(
    tmp_path: Path,
) -> None:
    async with coached("land_cards", tmp_path) as (app, pilot, table):
        assert isinstance(table, TableScreen)
        with weighing(lambda _: None):
            await pilot.press("enter")
            await until(pilot, lambda: scene_in(app).match.ply > 0 and can_act(app))
            if scene_in(app).observation.phase != STONE_STEP:  # another card may be taken
                await pilot.press("e")
            await until(pilot, lambda: scene_in(app).observation.phase == STONE_STEP and can_act(app))
        before = scene_in(app)
        async with thinking(app, pilot, "p") as found:
            assert "Esc take it back" in keys_of(app)
            assert "place a stone" not in keys_of(app), "as Enter would not now"
            await pilot.press("enter")
            await at_rest(pilot)
            assert "The coach is thinking" in shown(app, "prompt")
            found.set()
            await until(pilot, lambda: is_warned(app))
        assert scene_in(app) is before
        assert table.mover.asked is not None
        assert table.mover.asked.move == PASS


async def test_once_the_cursor_has_moved_on_enter_is_about_what_is_there_and_no_longer_about_that_move(
    tmp_path: Path,
) -> None:
    async with coached("ku_ka_king", tmp_path, confirm=False) as (app, pilot, table):
        before = scene_in(app)
        async with thinking(app, pilot, "3") as found:
            assert "Esc take it back" in keys_of(app)
            await choose(app, pilot, 5)
            found.set()
            await until(pilot, lambda: is_warned(app))
        assert table.mover.asked is not None
        assert table.mover.asked.move == 5
        assert scene_in(app) is before


async def test_a_move_that_is_chosen_while_the_coach_looks_at_another_is_asked_for_whatever_it_ends(
    tmp_path: Path,
) -> None:
    """Nobody asks about steps here, and nothing speaks against this one; but the other is dropped for it."""
    async with coached("ku_ka_king", tmp_path, confirm=False) as (app, pilot, table):
        before = scene_in(app)
        async with thinking(app, pilot, "3"):
            with weighing(lambda _: None) as asked:
                await pilot.press("5")
                await until(pilot, lambda: table.mover.asked is not None)
            assert asked == [5]
            assert table.mover.asked is not None
            assert (table.mover.asked.move, table.mover.asked.instead) == (5, True)
            assert scene_in(app) is before
            await pilot.press("enter")
            await until(pilot, lambda: scene_in(app).match.ply > before.match.ply)


async def test_nobody_has_to_wait_for_a_coach_that_takes_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moves, "_SLOW", 0.2)
    async with coached("ku_ka_king", tmp_path) as (app, pilot, _):
        before = scene_in(app)
        async with thinking(app, pilot, "3") as found:
            await until(pilot, lambda: "Enter plays at once" in shown(app, "prompt"))
            assert "Enter play at once" in keys_of(app)
            assert scene_in(app) is before
            await pilot.press("enter")
            await until(pilot, lambda: scene_in(app).match.ply > before.match.ply)
            found.set()
            await at_rest(pilot)
            assert not is_warned(app)


async def test_escape_while_the_coach_thinks_takes_the_move_back(tmp_path: Path) -> None:
    async with coached("ku_ka_king", tmp_path) as (app, pilot, table):
        before = scene_in(app)
        async with thinking(app, pilot, "3") as found:
            await pilot.press("escape")
            await until(pilot, lambda: "Call a row" in shown(app, "prompt"))
            found.set()
            await at_rest(pilot)
            assert (app.screen, scene_in(app)) == (table, before)
            assert not is_warned(app)


async def test_a_cursor_that_moves_while_the_coach_thinks_takes_nothing_back(tmp_path: Path) -> None:
    async with coached("ku_ka_king", tmp_path) as (app, pilot, _):
        before = scene_in(app)
        async with thinking(app, pilot, "3") as found:
            await pilot.press("down", "down")
            found.set()
            await until(pilot, lambda: is_warned(app))
            assert board_in(app).cursor == 3, "back at the move that is spoken of"
            assert scene_in(app) is before


async def test_who_looks_back_or_asks_for_a_hint_hears_nothing_more_of_the_move(tmp_path: Path) -> None:
    async with coached("ku_ka_king", tmp_path) as (app, pilot, table):
        with weighing(lambda _: 2), pytest.MonkeyPatch.context() as patch:
            await pilot.press("3")
            await until(pilot, lambda: is_warned(app))

            async def advise(*_: object) -> tuple[Advice, ...]:
                return tuple(Advice(row, 0.5, 0.0, 0.0, ()) for row in (4, 5))

            patch.setattr(Chooser, "advise", advise)
            await pilot.press("h")
            await until(pilot, lambda: isinstance(app.screen, HintScreen))
            await pilot.press("escape")
            await until(pilot, lambda: app.screen is table)
            assert "The coach" not in beside(app)
            assert not is_warned(app)


# -- when it speaks ------------------------------------------------------------------------------------------


async def test_of_a_call_the_same_is_said_after_others_have_called(tmp_path: Path) -> None:
    hub = Hub(MemoryLog(), hints=True)
    confirming = SessionSettings(AppSettings(motion="off"))
    async with Stage(hub, tmp_path).play(local=False, games=faces(), settings=confirming) as (app, pilot):
        app.recent.save(Recent(coached=("anna",)))
        beate = Client(hub.connect("beate"))
        await app.request(lambda n: OpenTable(n, "ku_ka_king", {}, 2))
        await app.request(lambda n: TakeSeat(n, 0))
        assert app.store.table is not None
        await beate.go_to(app.store.table.id)
        await beate.sit(1)
        await app.request(Start)
        await until(pilot, lambda: can_act(app))
        with weighing(lambda _: 2) as asked:
            await pilot.press("3")
            await until(pilot, lambda: is_warned(app))
            ply = scene_in(app).match.ply
            await beate.play(1, 1)
            await until(pilot, lambda: scene_in(app).match.ply > ply)
            assert is_warned(app), "it is not changed by what others choose"
            await pilot.press("escape")
            await until(pilot, lambda: not is_warned(app))
            await pilot.press("3")
            await until(pilot, lambda: is_warned(app))
            assert asked == [3, 3]
        await beate.close()
    await hub.close()


@pytest.mark.parametrize(("hints", "chosen"), [(True, False), (False, True)])
async def test_nobody_is_coached_who_has_not_chosen_it_or_where_the_table_gives_no_hints(
    hints: bool, chosen: bool, tmp_path: Path
) -> None:
    async with coached("ku_ka_king", tmp_path, hints=hints, confirm=False) as (app, pilot, _):
        app.recent.save(Recent(coached=("anna",) if chosen else ()))
        before = scene_in(app)
        with weighing(lambda _: 2) as asked:
            await pilot.press("3")
            await until(pilot, lambda: scene_in(app).match.ply > before.match.ply)
            assert asked == []


async def test_a_coach_that_fails_holds_nobody_up(tmp_path: Path) -> None:
    async def fails(*_: object) -> None:
        raise NoHint(text("It failed."))

    async with coached("ku_ka_king", tmp_path, confirm=False) as (app, pilot, _):
        before = scene_in(app)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Chooser, "weigh", fails)
            await pilot.press("3")
            await until(pilot, lambda: scene_in(app).match.ply > before.match.ply)


async def test_at_one_screen_only_those_are_coached_who_have_chosen_it(tmp_path: Path) -> None:
    hub = Hub(MemoryLog(), hints=True)
    confirming = SessionSettings(AppSettings(motion="off"))
    async with Stage(hub, tmp_path).play(games=faces(), settings=confirming) as (app, pilot):
        app.recent.save(Recent(coached=("Beate",)))
        await app.request(lambda n: OpenTable(n, "ku_ka_king", {}, 2))
        for seat, name in enumerate(("Anna", "Beate")):
            await app.request(lambda n, s=seat, who=name: TakeSeat(n, s, who))  # type: ignore[misc]
        await app.request(Start)
        with weighing(lambda _: 2) as asked:
            for seat, row in enumerate((1, 3)):
                await until(pilot, lambda: isinstance(app.screen, HandoverDialog))
                await pilot.press("enter")
                await until(pilot, lambda: can_act(app) and scene_in(app).viewer == seat)  # noqa: B023
                ply = scene_in(app).match.ply
                await pilot.press(str(row))
                if seat == 0:
                    await until(pilot, lambda: str(moves.COUNTS) in shown(app, "prompt"))
                    await pilot.press("enter")
                    await until(pilot, lambda: scene_in(app).match.ply > ply)  # noqa: B023
            await until(pilot, lambda: is_warned(app))
            assert asked == [3]
    await hub.close()


# -- chosen --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("local", [True, False])
async def test_the_menu_of_the_table_begins_and_ends_coaching(local: bool, tmp_path: Path) -> None:
    hub = Hub(MemoryLog(), hints=True, bot_pause=3600)
    async with Stage(hub, tmp_path).play(local=local, games=faces()) as (app, pilot):
        await sit_down(app, "ku_ka_king", 2, 0)
        await until(pilot, lambda: can_act(app))
        table = app.screen
        for label, coached_now in (("Play with the coach", ("anna",)), ("Play without the coach", ())):
            await pilot.press("j")
            await until(pilot, lambda: isinstance(app.screen, TableMenuScreen))
            menu = app.screen.query_one(OptionList)
            labels = [str(option.prompt) for option in menu.options]
            assert (len(labels) == 1) is local, "at home, there is nobody else to agree with"
            coach, shuffle = (
                str(app.screen.query_one(name, Static).render()) for name in ("#coach", "#shuffle")
            )
            assert f"gives away about {MUCH} points or more" in coach
            assert ("SHA-256" in shuffle) is not local, "at home nobody deals for others"
            menu.highlighted = labels.index(label)
            await pilot.press("enter")
            await until(pilot, lambda: app.screen is table)
            assert app.recent.kept.coached == coached_now
            await until(pilot, lambda: "coach" in shown(app, "prompt"))
            renewed(app)
            assert "coach" in shown(app, "prompt"), "it stays until the next key, whoever comes or goes"
            await until(pilot, lambda: ("|  coach" in shown(app, "header")) is bool(coached_now))  # noqa: B023
    await hub.close()


async def test_at_one_screen_each_person_is_named_in_the_menu(tmp_path: Path) -> None:
    hub = Hub(MemoryLog(), hints=True, bot_pause=3600)
    async with Stage(hub, tmp_path).play(games=faces()) as (app, pilot):
        await begin_for_two(app, pilot)
        table = app.store.table
        assert table is not None
        labels = [str(offer.label) for offer in offers(table, app.user, ("Beate",), is_alone=True)]
        names = [seat.name for seat in table.seats]
        assert labels == [f"{names[0]} plays with the coach", f"{names[1]} plays without the coach"]
        finished = replace(table, phase="finished")
        assert not offers(finished, app.user, is_alone=True)
        assert not offers(replace(table, hints=False), app.user, is_alone=True)
    await hub.close()


async def begin_for_two(app: KkApp, pilot: Running) -> None:
    """Anna and Beate at one screen."""
    await app.request(lambda n: OpenTable(n, "land_cards", {}, 3))
    for seat, name in enumerate(("Anna", "Beate")):
        await app.request(lambda n, s=seat, who=name: TakeSeat(n, s, who))  # type: ignore[misc]
    await app.request(lambda n: SetBot(n, 2, "random"))
    await app.request(Start)
    await until(pilot, lambda: isinstance(app.screen, TableScreen))


async def in_form(app: KkApp, pilot: Running) -> LineSelect:
    """The coach's row of the form for a new game."""
    await pilot.press("n")
    await until(pilot, lambda: isinstance(app.screen, NewGameScreen) and app.screen.query("#coach"))
    await at_rest(pilot)
    return app.screen.query_one("#coach", LineSelect)


def values(select: LineSelect) -> list[str]:
    """All that may be chosen."""
    return [value for value, _ in select._values]


async def test_in_the_form_the_coach_is_off_until_somebody_chooses_it_and_is_off_or_on_then(
    tmp_path: Path,
) -> None:
    hub, recent = Hub(MemoryLog(), hints=True, bot_pause=3600), RecentFile(tmp_path / "recent.json")
    async with Stage(hub, tmp_path).play(games=faces(), recent=recent) as (app, pilot):
        row = await in_form(app, pilot)
        assert (row.value, values(row)) == ("off", ["off", "all"])
        row.focus()
        await pilot.press("right", "g")
        await until(pilot, lambda: isinstance(app.screen, TableScreen | HandoverDialog))
        assert len(RecentFile(tmp_path / "recent.json").load().coached) == 1
    async with Stage(hub, tmp_path).play(games=faces(), recent=RecentFile(tmp_path / "recent.json")) as (
        app,
        pilot,
    ):
        assert (await in_form(app, pilot)).value == "all", "as it was chosen last"
    await hub.close()


async def test_in_the_form_for_several_each_of_them_may_be_coached_alone(tmp_path: Path) -> None:
    hub = Hub(MemoryLog(), hints=True, bot_pause=3600)
    async with Stage(hub, tmp_path).play(games=faces()) as (app, pilot):
        row = await in_form(app, pilot)
        app.screen.query_one("#kind-1", LineSelect).choose("")
        await until(pilot, lambda: values(row) == ["off", "0", "1", "all"])
        row.choose("1")
        second = app.screen.query_one("#name-1", Input).value
        await pilot.press("g")
        await until(pilot, lambda: isinstance(app.screen, TableScreen | HandoverDialog))
        assert app.recent.kept.coached == (second,)
    await hub.close()


async def test_at_a_server_the_form_offers_the_coach_where_there_are_hints(tmp_path: Path) -> None:
    hub = Hub(MemoryLog())
    async with Stage(hub, tmp_path).play(local=False, games=faces()) as (app, pilot):
        row = await in_form(app, pilot)
        assert not row.display
        app.screen.query_one("#hints", LineSelect).choose("yes")
        await until(pilot, lambda: row.display)
        row.choose("all")
        app.screen.query_one("#rated", LineSelect).choose("yes")
        await until(pilot, lambda: not row.display)
        app.screen.query_one("#rated", LineSelect).choose("no")
        await until(pilot, lambda: row.display)
        await pilot.press("g")
        await until(pilot, lambda: app.store.table is not None)
        assert app.recent.kept.coached == ("anna",)
        assert app.store.table is not None
        assert app.store.table.hints
    await hub.close()


def test_whose_choice_it_is_changes_nobody_elses_and_few_names_are_kept() -> None:
    recent = Recent(coached=("Anna", "Beate"))
    assert recent.with_coach({"Beate": False, "Claus": True}).coached == ("Anna", "Claus")
    assert recent.with_coach({"Anna": True}).coached == ("Beate", "Anna")
    many = Recent().with_coach({str(n): True for n in range(100)}).coached
    assert len(many) < 50
    assert many[-1] == "99"
