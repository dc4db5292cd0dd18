"""Whose eyes the screen shows the table through, and when it is handed over."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kk_core.protocol.messages import Look, Propose
from kk_core.text import text
from kk_core.types import Viewer
from kk_server.hub.hub import Hub
from kk_server.storage.memory_log import MemoryLog
from kk_tui.client.client import Refusal
from kk_tui.games import faces
from kk_tui.match.hotseat import Decision, HandOver, Hotseat, Show, Situation, next_viewer
from kk_tui.match.table import TableScreen
from kk_tui.screens.dialogs import HandoverDialog
from tests.server.client import Client
from tests.tui.conftest import Stage, at_rest, shown, until
from tests.tui.playing import begin, can_act, scene_in, sit_down

FRIDAY, SATURDAY = b"friday", b"saturday"


def situation(
    viewer: Viewer,
    mine: tuple[int, ...],
    active: tuple[int, ...],
    *,
    secret: tuple[int, ...] = (),
    revealed: int | None = None,
    match: bytes = FRIDAY,
) -> Situation:
    return Situation(match, viewer, mine, active, frozenset(secret), revealed, is_over=False)


def decisions(*scenes: Situation, start: Hotseat | None = None) -> list[Decision]:
    """What is to be done for one scene after the other."""
    hotseat, found = start or Hotseat(), []
    for scene in scenes:
        hotseat, decision = hotseat.follow(scene)
        found.append(decision)
    return found


@pytest.mark.parametrize(
    ("active", "mine", "viewer", "wanted"),
    [
        ((0,), (), None, None),  # a spectator stays one
        ((2,), (0,), 0, 0),  # one person alone never gives the screen away
        ((2,), (0,), None, 0),
        ((1,), (0, 1), 0, 1),
        ((2,), (0, 1), 0, 0),  # a bot plays: the screen stays
        ((0, 1, 2), (0, 2), 0, 0),  # all call at once: who can act keeps the screen
        ((1, 2), (0, 2), 0, 2),  # and then it is the next one's
        ((0,), (0, 2), 2, 0),
        ((3,), (0, 1), None, None),
    ],
)
def test_the_screen_shows_the_seat_here_that_can_act(
    active: tuple[int, ...], mine: tuple[int, ...], viewer: int | None, wanted: int | None
) -> None:
    assert next_viewer(active, mine, viewer) == wanted


def test_one_person_looks_through_the_own_seat_and_nothing_is_ever_covered() -> None:
    assert decisions(
        situation(None, (1,), (0,), secret=(1,)),
        situation(1, (1,), (1,), secret=(1,)),
        situation(1, (1,), (0,), secret=(1,), revealed=3),
    ) == [Show(1), None, None]


def test_several_people_without_secrets_take_turns_and_cover_nothing() -> None:
    assert decisions(
        situation(0, (0, 1), (0,)),
        situation(0, (0, 1), (1,)),
        situation(1, (0, 1), (1,)),
    ) == [None, Show(1), None]


def test_whose_view_has_secrets_gets_the_screen_only_when_it_is_handed_over() -> None:
    assert decisions(situation(0, (0, 1), (1,), secret=(0,))) == [Show(1)]
    assert decisions(situation(0, (0, 1), (1,), secret=(1,))) == [HandOver(1)]
    assert decisions(situation(None, (0, 1), (0,), secret=(0, 1))) == [HandOver(0)]


def test_while_a_bot_moves_nobodys_secrets_are_shown_where_another_person_here_comes_next() -> None:
    bot_moves = situation(0, (0, 2), (1,), secret=(0, 2))
    assert decisions(
        bot_moves,
        replace(bot_moves, viewer=None),
        replace(bot_moves, viewer=None, active=(2,)),
    ) == [Show(None), None, HandOver(2)]
    own_turn_next = situation(2, (0, 2), (1,), secret=(0, 2))
    assert decisions(own_turn_next) == [None], "they are next themselves"
    assert decisions(situation(0, (0, 2), (1,))) == [None], "there is nothing to hide"
    assert decisions(situation(0, (0,), (1,), secret=(0,))) == [None], "nobody else is here"
    assert decisions(replace(bot_moves, is_over=True)) == [None]


def test_what_was_asked_for_is_not_asked_for_again_until_it_is_there() -> None:
    covered = situation(None, (0, 1), (1,), secret=(1,))
    assert decisions(situation(0, (0, 1), (1,), secret=(1,)), covered, covered) == [HandOver(1), None, None]
    taken_over = replace(covered, viewer=1)
    back = situation(1, (0, 1), (0,), secret=(0,))
    assert decisions(taken_over, back) == [None, HandOver(0)]


def test_after_a_refusal_the_next_scene_asks_again() -> None:
    scene = situation(0, (0, 1), (1,))
    hotseat, first = Hotseat().follow(scene)
    assert first == Show(1)
    assert decisions(scene, start=hotseat) == [None]
    assert decisions(scene, start=hotseat.refused()) == [Show(1)]


async def test_after_a_refusal_the_app_asks_for_the_eyes_again_when_anything_changes(
    stage: Stage,
) -> None:
    async with stage.play() as (app, pilot):
        await begin(app, pilot, humans=2)
        await until(pilot, lambda: can_act(app))
        first, asked, refused = scene_in(app).viewer, app.request, list[Look]()

        async def refusing(make: Any) -> Any:
            if isinstance(message := make(0), Look):
                refused.append(message)
                raise Refusal(text("Not so fast."))
            return await asked(make)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(app, "request", refusing)
            while not refused:
                ply = scene_in(app).match.ply
                await pilot.press("enter")
                await until(pilot, lambda ply=ply: scene_in(app).match.ply > ply)  # type: ignore[misc]
            await until(pilot, lambda: shown(app, "prompt") == "Not so fast.")
        assert scene_in(app).viewer == first
        assert app.store.table is not None
        beate = Client(stage.hub.connect("beate"))
        await beate.go_to(app.store.table.id)
        await until(pilot, lambda: can_act(app) and scene_in(app).viewer == refused[0].seat != first)
        await beate.close()


async def test_nobody_hands_the_screen_to_one_who_has_given_up_and_who_is_left_plays_as_one_alone(
    tmp_path: Path,
) -> None:
    hub = Hub(MemoryLog(), bot_pause=3600)  # the others, and the bot that plays on, have yet to choose
    async with Stage(hub, tmp_path).play("anna", local=False, games=faces()) as (app, pilot):
        await sit_down(app, "ku_ka_king", 3, 0, 1)
        await until(pilot, lambda: isinstance(app.screen, HandoverDialog) and scene_in(app).viewer is None)
        await pilot.press("enter")
        await until(pilot, lambda: can_act(app) and "A●" in shown(app, "prompt"))
        await app.request(lambda n: Propose(n, "resign", 1))
        await until(pilot, lambda: app.seats_in_play == (0,) and "A●" not in shown(app, "prompt"))
        await pilot.press("3")
        await until(pilot, lambda: scene_in(app).observation.active == (1, 2))
        await at_rest(pilot)
        assert isinstance(app.screen, TableScreen)
        assert scene_in(app).viewer == 0
        assert "given up" not in shown(app, "prompt")
        await app.request(lambda n: Propose(n, "resign", 0))
        await until(pilot, lambda: "You have given up: a bot plays for you." in shown(app, "prompt"))
        await at_rest(pilot)
        assert isinstance(app.screen, TableScreen)
        assert scene_in(app).viewer == 0
    await hub.close()


def test_a_spectator_sees_every_scene_as_a_spectator() -> None:
    assert decisions(
        situation(None, (), (0,)),
        situation(None, (), (0, 1), revealed=2),
        situation(None, (), ()),
    ) == [None, None, None]


# -- reveals -------------------------------------------------------------------------------------------------

REVEAL = situation(1, (0, 1), (0, 1), secret=(0, 1), revealed=4)
"""Seat 1 was the last to choose; now all choose again."""


def test_a_reveal_is_shown_to_all_until_somebody_hands_the_screen_over() -> None:
    hotseat, decision = Hotseat().follow(REVEAL)
    assert (hotseat.holding, decision) == (0, Show(None))
    seen_by_all = replace(REVEAL, viewer=None)
    for _ in range(3):
        hotseat, decision = hotseat.follow(seen_by_all)
        assert (hotseat.holding, decision) == (0, None)
    hotseat, decision = hotseat.hand_over(seen_by_all)
    assert (hotseat.holding, decision) == (None, HandOver(0))
    hotseat, decision = hotseat.follow(seen_by_all)
    assert (hotseat.holding, decision) == (None, None)
    assert hotseat.follow(replace(REVEAL, viewer=0)) == (replace(hotseat, asked=None), None)


def test_the_screen_is_not_handed_over_before_all_can_look() -> None:
    hotseat, _ = Hotseat().follow(REVEAL)
    assert hotseat.hand_over(REVEAL) == (hotseat, None)


def test_where_no_reveal_stands_there_is_nothing_to_hand_over() -> None:
    for viewer in (None, 0):
        hotseat, _ = Hotseat().follow(situation(viewer, (0, 1), (0,)))
        assert hotseat.hand_over(situation(viewer, (0, 1), (0,))) == (hotseat, None)


def test_each_reveal_is_held_once() -> None:
    seen = Hotseat(seen=REVEAL.reveal)
    assert decisions(REVEAL, start=seen) == [None]
    later = replace(REVEAL, revealed=9)
    hotseat, decision = seen.follow(later)
    assert (hotseat.holding, decision) == (0, Show(None))


def test_a_reveal_is_held_neither_for_one_alone_nor_where_nobody_here_chooses_in_secret_next() -> None:
    assert decisions(replace(REVEAL, mine=(1,))) == [None]
    assert Hotseat().follow(replace(REVEAL, active=(2,)))[0].holding is None
    assert decisions(replace(REVEAL, secret=frozenset())) == [None]


def test_after_the_end_the_screen_stays_as_it_is() -> None:
    assert decisions(replace(REVEAL, is_over=True)) == [None]
    assert decisions(replace(situation(0, (0, 1), (1,), secret=(1,)), is_over=True)) == [None]
    holding, _ = Hotseat().follow(REVEAL)
    assert holding.follow(replace(REVEAL, is_over=True))[0].holding is None


def test_after_a_reconnect_a_reveal_that_stands_is_held_again() -> None:
    held, _ = Hotseat().follow(REVEAL)
    handed_over, _ = held.hand_over(replace(REVEAL, viewer=None))
    assert decisions(replace(REVEAL, viewer=None), start=handed_over) == [None]
    anew, decision = Hotseat().follow(replace(REVEAL, viewer=None))
    assert (anew.holding, decision) == (0, None)


def test_after_a_reconnect_in_the_middle_of_a_turn_the_screen_is_handed_over_again() -> None:
    assert decisions(situation(None, (0, 1), (1,), secret=(0, 1))) == [HandOver(1)]


def test_in_a_rematch_the_reveal_of_the_same_ply_is_another_one() -> None:
    seen = Hotseat(seen=REVEAL.reveal)
    again, decision = seen.follow(replace(REVEAL, match=SATURDAY))
    assert (again.holding, decision) == (0, Show(None))


def test_a_rematch_begins_with_a_hand_over_like_any_match() -> None:
    over = replace(REVEAL, viewer=0, is_over=True)
    begun = situation(0, (0, 1), (0, 1), secret=(0, 1), match=SATURDAY)
    assert decisions(over, replace(begun, viewer=None)) == [None, HandOver(0)]
