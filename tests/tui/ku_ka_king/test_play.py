"""Ku-Ka-King through the app, on a real hub."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from kk_core.games.ku_ka_king.model import NO_CALL
from kk_core.protocol.messages import GoTo, OpenTable, Start, TakeSeat
from kk_tui.app import KkApp
from kk_tui.games.ku_ka_king.face import FACE
from kk_tui.games.ku_ka_king.reveal import standing
from kk_tui.match.table import TableScreen
from kk_tui.screens.dialogs import HandoverDialog
from kk_tui.settings import AppSettings, SessionSettings
from tests.tui.conftest import Running, Stage, at_rest, shown, until
from tests.tui.playing import begin, board_in, can_act, is_over, keys_of, scene_in
from tests.tui.scenes import lines_of

FACES = {"ku_ka_king": FACE}


async def test_a_match_is_played_with_the_number_keys(stage: Stage) -> None:
    async with stage.play(games=FACES) as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        while not is_over(app):
            await pilot.press(str(min(scene_in(app).legal)))
            await until(pilot, lambda: can_act(app) or is_over(app))
        await pilot.press("s")
        await until(pilot, lambda: "kings" in "\n".join(lines_of(app)))
        assert "Total" in "\n".join(lines_of(app))


async def test_a_match_is_played_by_clicking_rows(stage: Stage) -> None:
    async with stage.play(games=FACES, size=(120, 40)) as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        while not is_over(app):
            place, *_more = board_in(app).places(max(scene_in(app).legal))
            await pilot.click("#board", offset=(place.x + place.width // 2, place.y + place.height // 2))
            await until(pilot, lambda: can_act(app) or is_over(app))


async def test_arrows_move_the_cursor_tab_skips_rows_without_cards_and_enter_calls(stage: Stage) -> None:
    async with stage.play(games=FACES) as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        board = board_in(app)
        await pilot.press("enter")
        await until(pilot, lambda: shown(app, "prompt").startswith("Choose a row first"))
        await pilot.press("down", "down", "down")
        assert board.cursor == 3
        await pilot.press("shift+tab", "shift+tab", "shift+tab")
        assert board.cursor == max(scene_in(app).legal)
        await pilot.press("enter")
        await until(pilot, lambda: can_act(app))
        reveal = standing(scene_in(app))
        assert reveal is not None
        assert reveal.calls[0] == 6


async def test_the_footer_says_which_row_enter_calls(stage: Stage) -> None:
    async with stage.play(games=FACES) as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        await pilot.press("down", "down", "down")
        await until(pilot, lambda: "Enter call 3" in keys_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: (seen := standing(scene_in(app))) is not None and seen.calls[0] == 3)


async def test_a_row_that_is_not_there_is_refused_in_words(stage: Stage) -> None:
    async with stage.play(games=FACES) as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        await pilot.press("8")
        await until(pilot, lambda: shown(app, "prompt") == "There is no row 8.")


# -- two people at one screen --------------------------------------------------------------------------------


async def test_at_one_screen_nobody_sees_the_call_of_the_one_before(stage: Stage) -> None:
    async with stage.play(games=FACES) as (app, pilot):
        await begin(app, pilot, humans=2)
        await until(pilot, lambda: isinstance(app.screen, HandoverDialog))
        await pilot.press("enter")
        await until(pilot, lambda: can_act(app))
        assert scene_in(app).viewer == 0
        await pilot.press("3")
        await until(pilot, lambda: isinstance(app.screen, HandoverDialog))
        seen = [lines_of(app)]
        await until(pilot, lambda: scene_in(app).viewer is None)
        seen.append(lines_of(app))
        assert "Beate" in "\n".join(seen[0])
        await pilot.press("enter")
        while not can_act(app):
            await at_rest(pilot)
            seen.append(lines_of(app))
        assert scene_in(app).viewer == 1
        assert board_in(app).cursor is None, "the cursor must not stay on the row that Anna has called"
        assert "called, 0 cards" in "\n".join(lines_of(app))
        await pilot.press("l")
        seen.append(lines_of(app))
        for lines in seen:
            text = "\n".join(lines)
            assert "Your call" not in text
            assert "calls row" not in text
            assert "3A●" not in text, "nobody's sign stands at the row's number"
        await pilot.press("5")
        await until(pilot, lambda: standing(scene_in(app)) is not None)
        assert "A● 3  B■ 5" in lines_of(app)[1]


def waits_for_all(app: KkApp) -> bool:
    """Whether a reveal stands for all who share the screen."""
    shows_all = isinstance(app.screen, TableScreen) and scene_in(app).viewer is None
    return shows_all and "Everybody may look" in shown(app, "prompt")


async def take_over(app: KkApp, pilot: Running) -> None:
    """The next one sits down and looks."""
    await until(pilot, lambda: isinstance(app.screen, HandoverDialog) and scene_in(app).viewer is None)
    await pilot.press("enter")
    await until(pilot, lambda: can_act(app))


async def call(app: KkApp, pilot: Running, row: int) -> None:
    await pilot.press(str(row))
    await until(pilot, lambda: is_over(app) or isinstance(app.screen, HandoverDialog) or waits_for_all(app))


async def test_at_one_screen_a_hand_over_comes_before_every_call(stage: Stage) -> None:
    async with stage.play(games=FACES) as (app, pilot):
        await begin(app, pilot, humans=2)
        while not is_over(app):
            if waits_for_all(app):
                await pilot.press("enter")
            await take_over(app, pilot)
            scene = scene_in(app)
            assert scene.observation.own_call == NO_CALL
            assert board_in(app).cursor is None
            # both would clash for ever on one row; the second takes the last one
            rows = sorted(scene.legal)
            await call(app, pilot, rows[0] if scene.viewer == 0 else rows[-1])


async def test_at_one_screen_a_reveal_stays_for_all_until_somebody_hands_over(stage: Stage) -> None:
    async with stage.play(games=FACES) as (app, pilot):
        await begin(app, pilot, humans=2)
        for row in (3, 5):
            await take_over(app, pilot)
            await call(app, pilot, row)
        assert waits_for_all(app)
        assert "Anna" in shown(app, "prompt")
        assert "A● 3  B■ 5" in lines_of(app)[1]
        ply = scene_in(app).match.ply
        await pilot.press("4")
        await pilot.click("#board", offset=(20, board_in(app).painter.layout.region(2).y))
        await at_rest(pilot)
        assert waits_for_all(app)
        assert scene_in(app).match.ply == ply
        where = keys_of(app).index("hand over")
        await pilot.click("#keys", offset=(where, 0))
        await take_over(app, pilot)
        assert scene_in(app).viewer == 0
        assert scene_in(app).match.ply == ply
        assert "A● 3  B■ 5" in lines_of(app)[1], "who calls next still sees what was called"


async def test_at_one_screen_after_a_clash_the_screen_goes_to_those_who_call_again(stage: Stage) -> None:
    async with stage.play(games=FACES) as (app, pilot):
        await begin(app, pilot, humans=3)
        for row in (1, 4, 4):
            await take_over(app, pilot)
            await call(app, pilot, row)
        assert waits_for_all(app)
        assert "Beate" in shown(app, "prompt")
        assert "A● 1  clash:  B■ 4  C▲ 4" in lines_of(app)[1]
        await pilot.press("enter")
        await take_over(app, pilot)
        assert scene_in(app).viewer == 1
        await call(app, pilot, 2)
        await take_over(app, pilot)
        assert scene_in(app).viewer == 2


async def test_one_alone_at_the_screen_is_never_asked_to_hand_it_over(stage: Stage) -> None:
    async with stage.play(games=FACES) as (app, pilot):
        await begin(app, pilot)
        for _ in range(3):
            await until(pilot, lambda: can_act(app))
            await pilot.press(str(min(scene_in(app).legal)))
            await until(pilot, lambda: can_act(app))
            assert not waits_for_all(app)


# -- over the network ----------------------------------------------------------------------------------------


@asynccontextmanager
async def two_guests(
    stage: Stage, *, confirm: bool = False
) -> AsyncIterator[tuple[tuple[KkApp, Running], tuple[KkApp, Running]]]:
    """Anna, asked before last steps if so, and Beate with an own screen each, at one table."""
    settings = SessionSettings(AppSettings(motion="off", confirm=confirm))
    async with (
        stage.play("anna", local=False, games=FACES, settings=settings) as anna,
        stage.play("beate", local=False, games=FACES) as beate,
    ):
        host, guest = anna[0].client, beate[0].client
        assert host is not None
        assert guest is not None
        await host.request(lambda n: OpenTable(n, "ku_ka_king", {}, 2))
        (table,) = stage.hub.tables
        await guest.request(lambda n: GoTo(n, table))
        await host.request(lambda n: TakeSeat(n, 0))
        await guest.request(lambda n: TakeSeat(n, 1))
        await host.request(Start)
        for app, pilot in (anna, beate):
            await until(pilot, lambda app=app: can_act(app))  # type: ignore[misc]
        yield anna, beate


async def test_a_call_can_be_changed_until_the_last_one_has_called(stage: Stage) -> None:
    async with two_guests(stage) as ((anna, first), (beate, second)):
        seat = scene_in(anna).viewer
        await first.press("2")
        await until(first, lambda: scene_in(anna).observation.own_call == 2)
        assert "Your call: row 2." in "\n".join(lines_of(anna))
        await until(second, lambda: seat in scene_in(beate).observation.called)
        assert "Your call" not in "\n".join(lines_of(beate))
        await until(first, lambda: scene_in(anna).match.may_undo and not board_in(anna).pending)
        await first.press("u")
        await until(first, lambda: can_act(anna) and scene_in(anna).observation.own_call == NO_CALL)
        await first.press("4")
        await until(first, lambda: scene_in(anna).observation.own_call == 4)
        await second.press("5")
        for app, pilot in ((anna, first), (beate, second)):
            await until(pilot, lambda app=app: standing(scene_in(app)) is not None)  # type: ignore[misc]
            reveal = standing(scene_in(app))
            assert reveal is not None
            assert sorted(reveal.calls.values()) == [4, 5]


async def test_what_a_call_ends_is_told_anew_when_others_call_or_take_back(stage: Stage) -> None:
    async with two_guests(stage, confirm=True) as ((anna, first), (beate, second)):
        await first.press("2")
        await until(first, lambda: shown(anna, "prompt").startswith("It counts as soon as all have chosen. "))
        await second.press("5")
        await until(first, lambda: shown(anna, "prompt").startswith("Everybody else has chosen. "))
        await until(second, lambda: scene_in(beate).match.may_undo and not board_in(beate).pending)
        await second.press("u")
        await until(first, lambda: shown(anna, "prompt").startswith("It counts as soon as all have chosen. "))


async def test_who_has_called_is_told_so_when_calling_again(stage: Stage) -> None:
    async with two_guests(stage) as ((anna, first), _):
        await first.press("2")
        await until(first, lambda: scene_in(anna).observation.own_call == 2 and not board_in(anna).pending)
        await first.press("3")
        await until(first, lambda: shown(anna, "prompt") == "You have already called.")
