"""The games as PettingZoo environments: AEC for all games, and parallel for Ku-Ka-King."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils import wrappers

from kk_core.errors import IllegalMove
from kk_core.games.ku_ka_king.model import NO_CALL
from kk_core.text import text
from kk_core.types import Seat
from kk_learn.play import Episodes, Reward
from kk_learn.vectors import MOST

# fits into the signed 64-bit integers that numpy draws
_DEALS: Final = 2**62


def env(game: str, **settings: Any) -> Any:
    """Return a game's environment with the usual wrappers: an illegal move ends the match for all.

    `settings` are the arguments of `TurnEnv`.
    """
    turns = wrappers.TerminateIllegalWrapper(TurnEnv(game, **settings), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(turns))


class _Agents:
    """The seats' names, spaces and observations."""

    def __init__(self, game: str, seats: int | None, options: Mapping[str, str] | None, reward: str) -> None:
        self.play, self.reward = Episodes(game, seats, options), Reward(reward)
        self.names = [f"player_{seat}" for seat in range(self.play.seats)]
        shape, moves = (self.play.size,), (self.play.moves,)
        self.observations = {
            name: spaces.Dict(
                {
                    "observation": spaces.Box(-MOST, MOST, shape, np.float32),
                    "action_mask": spaces.Box(0, 1, moves, np.int8),
                }
            )
            for name in self.names
        }
        self.actions = {name: spaces.Discrete(self.play.moves) for name in self.names}
        self.draw, _ = seeding.np_random()

    def deal(self, seed: int | None) -> None:
        """Deal a new match; the same seed starts the same series of deals."""
        if seed is not None:
            self.draw, _ = seeding.np_random(seed)
        self.play.state = self.play.dealt(int(self.draw.integers(_DEALS)))

    def see(self, seat: Seat) -> dict[str, Any]:
        """Return a seat's observation and its mask of legal moves."""
        seen = self.play.seen(seat)
        mask = np.zeros(self.play.moves, np.int8)
        mask[list(seen.legal_moves)] = 1
        return {"observation": np.array(self.play.vector(seen), np.float32), "action_mask": mask}

    def rewards(self) -> dict[str, float]:
        """Return the rewards by agent; zeros until the match is over."""
        return dict(zip(self.names, self.play.rewards(self.play.state, self.reward), strict=True))


class TurnEnv(AECEnv):
    """Any game, one agent after the other; in a simultaneous choice, agents do not see the others' choices.

    `reward` is "win" or "margin" (`kk_learn.play.Reward`).
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "kk_v0", "render_modes": [], "is_parallelizable": False}

    def __init__(
        self,
        game: str,
        seats: int | None = None,
        options: Mapping[str, str] | None = None,
        reward: str = "win",
    ) -> None:
        super().__init__()
        self._all = _Agents(game, seats, options, reward)
        self.possible_agents = list(self._all.names)
        self.agents = list(self._all.names)
        self.observation_spaces, self.action_spaces = self._all.observations, self._all.actions
        self.render_mode = None

    def __str__(self) -> str:
        return f"kk_{self._all.play.game.meta.id}_v0"

    def observation_space(self, agent: str) -> Any:
        """Return a vector of numbers and a mask of legal moves."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the numbers of all moves."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Deal a new match."""
        self._all.deal(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self._next()

    def observe(self, agent: str) -> dict[str, Any]:
        """Return an agent's current observation."""
        return self._all.see(self.possible_agents.index(agent))

    def step(self, action: int | None) -> None:
        """Make the move of the selected agent; None once the match is over."""
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        assert action is not None, "an agent that plays has to move"
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._all.play.step(self.possible_agents.index(self.agent_selection), int(action))
        if self._all.play.active():
            self.agent_selection = self._next()
        else:
            self.rewards = self._all.rewards()
            self.terminations = dict.fromkeys(self.agents, True)
            self._accumulate_rewards()

    def _next(self) -> str:
        return self.possible_agents[self._all.play.active()[0]]

    def render(self) -> None:
        """Do nothing: `kk record show` shows matches."""

    def close(self) -> None:
        """Do nothing: no resource is held."""


class KuKaKingEnv(ParallelEnv):
    """Ku-Ka-King, all agents at once; agents that do not call in a choice have the single action 0."""

    metadata: ClassVar[dict[str, Any]] = {"name": "kk_ku_ka_king_parallel_v0", "render_modes": []}

    def __init__(
        self, seats: int | None = None, options: Mapping[str, str] | None = None, reward: str = "win"
    ) -> None:
        self._all = _Agents("ku_ka_king", seats, options, reward)
        self.possible_agents = list(self._all.names)
        self.agents: list[str] = []
        self.observation_spaces, self.action_spaces = self._all.observations, self._all.actions
        self.render_mode = None

    def observation_space(self, agent: str) -> Any:
        """Return a vector of numbers and a mask of legal moves."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the numbers of all moves, including 0, not to call."""
        return self.action_spaces[agent]

    def reset(
        self,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Deal a new match."""
        self._all.deal(seed)
        self.agents = list(self.possible_agents)
        return self._see(), {agent: {} for agent in self.agents}

    def step(self, actions: Mapping[str, int]) -> tuple[dict[str, Any], ...]:
        """Make all calls of a choice. Raises `IllegalMove` for an illegal one, without any change."""
        play, agents = self._all.play, list(self.agents)
        callers = play.active()
        for agent in agents:
            self._check(agent, int(actions[agent]), callers)
        for seat in callers:
            play.step(seat, int(actions[self.possible_agents[seat]]))
        seen = self._see()
        is_over = not play.active()
        if is_over:
            self.agents = []
        rewards = self._all.rewards()
        ends, cuts = dict.fromkeys(agents, is_over), dict.fromkeys(agents, False)
        return seen, rewards, ends, cuts, {agent: {} for agent in agents}

    def _check(self, agent: str, action: int, callers: tuple[Seat, ...]) -> None:
        """Refuse an illegal action before anything has changed."""
        play, seat = self._all.play, self.possible_agents.index(agent)
        if seat in callers:
            if (reason := play.game.why_not(play.state, seat, action)) is not None:
                raise IllegalMove(reason)
        elif action != NO_CALL:
            raise IllegalMove(text("{agent} does not call now.", agent=agent))

    def _see(self) -> dict[str, Any]:
        # agents that do not call have the single action `NO_CALL`
        seen = {agent: self._all.see(seat) for seat, agent in enumerate(self.possible_agents)}
        for view in seen.values():
            if not view["action_mask"].any():
                view["action_mask"][NO_CALL] = 1
        return seen

    def render(self) -> None:
        """Do nothing: `kk record show` shows matches."""

    def close(self) -> None:
        """Do nothing: no resource is held."""
