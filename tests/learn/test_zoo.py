"""PettingZoo's own tests, and what they do not ask."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from kk_core.errors import IllegalMove
from kk_learn.vectors import learnt_games

test_of = pytest.importorskip("pettingzoo.test", reason="needs the extra: pip install kk[learn]")
zoo: Any = pytest.importorskip("kk_learn.zoo", reason="needs the extra: pip install kk[learn]")

every_game = pytest.mark.parametrize("game_id", learnt_games())
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def played(env: Any, seed: int) -> list[float]:
    """Random moves to the end; the rewards of all."""
    dice = Random(seed)
    env.reset(seed=seed)
    total = dict.fromkeys(env.agents, 0.0)
    for agent in env.agent_iter():
        seen, reward, is_over, is_cut, _ = env.last()
        total[agent] += reward
        legal = [move for move, allowed in enumerate(seen["action_mask"]) if allowed]
        env.step(None if is_over or is_cut else dice.choice(legal))
    return list(total.values())


@every_game
@pytest.mark.parametrize("settings", [{}, {"seats": 4, "reward": "margin"}], ids=str)
def test_every_game_passes_the_test_of_the_api(game_id: str, settings: dict[str, Any]) -> None:
    test_of.api_test(zoo.env(game_id, **settings), num_cycles=200)


@every_game
def test_the_same_seed_gives_the_same_deals(game_id: str) -> None:
    test_of.seed_test(lambda: zoo.env(game_id), num_cycles=50)


def test_ku_ka_king_passes_the_test_of_the_parallel_api() -> None:
    test_of.parallel_api_test(zoo.KuKaKingEnv(seats=4), num_cycles=200)


@every_game
def test_rewards_come_at_the_end_and_add_up_to_nothing(game_id: str) -> None:
    env = zoo.env(game_id)
    rewards = played(env, 3)
    assert sum(rewards) == pytest.approx(0)
    assert max(rewards) > 0


def test_whoever_makes_an_illegal_move_ends_the_match_and_pays_for_it() -> None:
    env = zoo.env("land_cards")
    env.reset(seed=1)
    loser = env.agent_selection
    mask = env.observe(loser)["action_mask"]
    env.step(next(move for move, allowed in enumerate(mask) if not allowed))
    assert all(env.terminations.values())
    assert env._cumulative_rewards[loser] == -1


def test_who_calls_second_sees_nothing_of_the_first_call() -> None:
    seen = []
    for row in (1, 2):
        env = zoo.TurnEnv("ku_ka_king")
        env.reset(seed=5)
        env.step(row)
        seen.append(env.observe(env.agent_selection)["observation"].tolist())
    assert seen[0] == seen[1]


def test_all_at_once_a_wrong_call_is_refused_and_nothing_changes() -> None:
    env = zoo.KuKaKingEnv()
    env.reset(seed=2)
    before = env._all.play.state
    with pytest.raises(IllegalMove):
        env.step({"player_0": 1, "player_1": 0})
    assert env._all.play.state is before
