"""The speed of the environments for learning: `python -m tools.bench.learning`, in random play.

Needs the extra `learn`. A step is a move, with the observation of the next seat to move.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from random import Random
from time import perf_counter
from typing import Any

import pyspiel

from kk_core.registry import game_ids
from kk_learn import spiel, zoo

SECONDS = 3.0


def measured(episode: Callable[[Random], int]) -> float:
    """Return the steps per second of matches played one after the other."""
    dice, steps, begun = Random(1), 0, perf_counter()
    while perf_counter() < begun + SECONDS:
        steps += episode(dice)
    return steps / (perf_counter() - begun)


def in_turns(env: Any) -> Callable[[Random], int]:
    """Play a match of an AEC environment."""

    def episode(dice: Random) -> int:
        steps = 0
        env.reset(seed=dice.randrange(2**31))
        for _agent in env.agent_iter():
            seen, _, is_over, is_cut, _ = env.last()
            legal = seen["action_mask"].nonzero()[0]
            env.step(None if is_over or is_cut else int(dice.choice(legal)))
            steps += not is_over
        return steps

    return episode


def at_once(env: Any) -> Callable[[Random], int]:
    """Play a match of a parallel environment; a step is one of all agents."""

    def episode(dice: Random) -> int:
        steps = 0
        seen, _ = env.reset(seed=dice.randrange(2**31))
        while env.agents:
            actions = {
                agent: int(dice.choice(seen[agent]["action_mask"].nonzero()[0])) for agent in env.agents
            }
            seen, *_ = env.step(actions)
            steps += 1
        return steps

    return episode


def in_a_tree(name: str) -> Callable[[Random], int]:
    """Play a match of an OpenSpiel game, with the tensor of the player to move."""
    loaded = pyspiel.load_game(name)

    def episode(dice: Random) -> int:
        steps, state = 0, loaded.new_initial_state()
        state.apply_action(dice.randrange(spiel.DEALS))
        while not state.is_terminal():
            state.observation_tensor(state.current_player())
            state.apply_action(dice.choice(state.legal_actions()))
            steps += 1
        return steps

    return episode


def main() -> None:
    """Print a line for each game and environment."""
    for game_id in game_ids():
        turns = zoo.TurnEnv(game_id, seats=4)
        size = turns.observation_space("player_0")["observation"].shape[0]
        sys.stdout.write(f"{game_id}: vector of {size}, AEC {measured(in_turns(turns)):.0f} steps/s, ")
        tree = in_a_tree(f"python_kk_{game_id}(players=4)")
        sys.stdout.write(f"OpenSpiel {measured(tree):.0f} steps/s\n")
    sys.stdout.write(f"ku_ka_king, parallel: {measured(at_once(zoo.KuKaKingEnv(seats=4))):.0f} steps/s\n")


if __name__ == "__main__":
    main()
