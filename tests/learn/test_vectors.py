"""Observations as numbers: of one length all through a match, nothing secret, seats seen from the viewer."""

from __future__ import annotations

import pytest

from kk_core.chance import Chance
from kk_core.errors import IllegalMove, InvalidOptions
from kk_core.registry import game
from kk_learn.play import Episodes, Reward
from kk_learn.vectors import MOST, layout, learnt_games, parts, vector
from tests.core.contract.outside.nim.game import Nim
from tests.core.contract.tables import Table, tables_of

every_table = pytest.mark.parametrize(
    "table", [table for game_id in learnt_games() for table in tables_of(game_id)], ids=str
)
sample_tables = pytest.mark.parametrize(
    "table", [tables_of(game_id)[i] for game_id in learnt_games() for i in (0, -1)], ids=str
)


@every_table
def test_a_vector_has_the_same_parts_all_through_a_match_for_every_seat(table: Table) -> None:
    places = layout(table.game, table.seats, dict(table.options))
    size = max(place.stop for place in places.values())
    for match in table.glimpses(30):
        for seat in range(table.seats):
            seen = table.game.observe(match.state, seat)
            numbers = vector(table.game_id, seen)
            assert len(numbers) == size
            assert max(map(abs, numbers)) <= MOST
            for name, part in parts(table.game_id, seen):
                assert numbers[places[name]].tolist() == list(part)


@sample_tables
def test_a_vector_is_the_same_whatever_its_viewer_must_not_know(table: Table) -> None:
    chance = Chance(b"others".ljust(32))
    for match in table.glimpses(31):
        for seat in range(table.seats):
            seen = table.game.observe(match.state, seat)
            twin = table.game.observe(table.game.determinise(seen, chance), seat)
            assert vector(table.game_id, twin) == vector(table.game_id, seen)


@pytest.mark.parametrize("game_id", learnt_games())
def test_the_viewer_always_stands_in_the_same_place(game_id: str) -> None:
    match = Table(game_id, 3).finished(32)
    for seat in range(3):
        seen = match.game.observe(match.state, seat)
        assert dict(parts(game_id, seen))["points"] == [seen.points[(seat + i) % 3] for i in range(3)]


@pytest.mark.parametrize(("game_id", "part"), [("land_cards", "own_laws"), ("web_of_power", "hand")])
def test_what_a_seat_holds_stands_in_its_own_vector(game_id: str, part: str) -> None:
    play, held = Episodes(game_id, 3), 0
    while active := play.active():
        for seat in range(3):
            hand = play.vector(play.seen(seat))[play.layout[part]]
            assert hand.tolist() == [play.state.hands[seat].count(kind) for kind in range(len(hand))]
            held += seat * len(play.state.hands[seat])
        play.step(active[0], play.seen(active[0]).legal_moves[0])
    assert held, "somebody else than the first seat had some"


def test_an_own_cloister_and_a_rivals_are_told_apart_by_who_looks() -> None:
    play = Episodes("web_of_power", 3)
    while not any(play.state.board):
        play.step(play.active()[0], play.seen(play.active()[0]).legal_moves[-1])
    space = next(space for space, code in enumerate(play.state.board) if code)
    owner = play.state.board[space] - 1
    for further in range(3):
        seen = play.vector(play.seen((owner + further) % 3))[play.layout[f"space:{space}"]]
        assert seen.tolist() == [0, *(int(place == -further % 3) for place in range(3))]


@pytest.mark.parametrize("game_id", learnt_games())
@pytest.mark.parametrize("reward", Reward)
def test_what_a_match_is_worth_adds_up_to_nothing_and_the_winner_has_most(
    game_id: str, reward: Reward
) -> None:
    play = Episodes(game_id)
    assert play.rewards(play.state, reward) == [0.0] * play.seats
    while active := play.active():
        play.step(active[0], play.seen(active[0]).legal_moves[0])
    rewards, outcome = play.rewards(play.state, reward), play.game.outcome(play.state)
    assert sum(rewards) == pytest.approx(0)
    assert outcome is not None
    assert all(rewards[seat] == max(rewards) for seat in outcome.winners)


def test_deals_differ_and_come_again_by_their_number() -> None:
    play = Episodes("web_of_power")
    assert play.dealt(1) == play.dealt(1)
    assert play.game.observe(play.dealt(1), 0) != play.game.observe(play.dealt(2), 0)


def test_a_game_that_cannot_be_dealt_is_refused_and_a_wrong_move_changes_nothing() -> None:
    with pytest.raises(InvalidOptions):
        Episodes("land_cards", 9)
    with pytest.raises(InvalidOptions, match="Nim cannot be learned here; known: ku_ka_king, land_cards, "):
        layout(Nim(), 2, {})
    with pytest.raises(InvalidOptions):
        Episodes("chess")
    play = Episodes("ku_ka_king")
    before = play.state
    with pytest.raises(IllegalMove):
        play.step(0, game("ku_ka_king").meta.moves - 1 + 5)
    assert play.state is before
