"""OpenSpiel's own test of games in Python, and what it does not ask."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from kk_core.registry import game
from kk_learn.vectors import learnt_games

pyspiel: Any = pytest.importorskip("pyspiel", reason="needs the extra: pip install kk[learn]")
spiel: Any = pytest.importorskip("kk_learn.spiel", reason="needs the extra: pip install kk[learn]")

every_game = pytest.mark.parametrize("game_id", learnt_games())


def dealt(name: str, deal: int = 3) -> Any:
    state = pyspiel.load_game(name).new_initial_state()
    state.apply_action(deal)
    return state


@every_game
@pytest.mark.parametrize("players", ["fewest", "most"])
def test_every_game_passes_the_simulation_test(game_id: str, players: str) -> None:
    meta = game(game_id).meta
    seats = meta.min_seats if players == "fewest" else meta.max_seats
    loaded = pyspiel.load_game(f"python_kk_{game_id}(players={seats},deals=5)")
    pyspiel.random_sim_test(loaded, num_sims=2, serialize=True, verbose=False)
    assert loaded.num_players() == seats
    assert loaded.num_distinct_actions() == meta.moves


@every_game
def test_a_match_is_the_same_as_the_engine_plays_it(game_id: str) -> None:
    rules, dice = game(game_id), Random(4)
    state = dealt(f"python_kk_{game_id}")
    own = state.position
    while not state.is_terminal():
        assert state.current_player() == rules.active_seats(own)[0]
        assert state.legal_actions() == sorted(rules.legal_moves(own, state.current_player()))
        move = dice.choice(state.legal_actions())
        own = rules.apply(own, state.current_player(), move)
        state.apply_action(move)
    assert not rules.active_seats(own)
    outcome = rules.outcome(own)
    assert outcome is not None
    assert sum(state.returns()) == pytest.approx(0)
    best = [seat for seat, reward in enumerate(state.returns()) if reward == max(state.returns())]
    assert tuple(best) == outcome.winners


def test_a_clone_goes_its_own_way() -> None:
    state = dealt("python_kk_land_cards")
    twin = state.clone()
    twin.apply_action(twin.legal_actions()[0])
    assert len(twin.history()) == len(state.history()) + 1
    assert twin.position != state.position


def test_options_are_parameters() -> None:
    option = game("land_cards").meta.options[0]
    value = option.values[-1].value
    loaded = pyspiel.load_game("python_kk_land_cards", {option.name: value, "players": 4})
    assert loaded.num_players() == 4
    assert loaded.get_parameters()[option.name] == value


def test_what_a_player_is_told_is_the_same_for_what_he_cannot_tell_apart() -> None:
    calls = []
    for row in (1, 2):
        state = dealt("python_kk_ku_ka_king")
        state.apply_action(row)
        calls.append((state.observation_string(1), state.observation_tensor(1)))
    assert calls[0] == calls[1]
