"""The games as Python games of OpenSpiel; importing this module registers them with `pyspiel`.

All randomness of a match follows from its seed, so there is a single chance node, which chooses the deal.
Seats that choose at the same moment do so in turn, without seeing each other's choices. Clones share the
engine's immutable states.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec
import numpy as np
import pyspiel
from msgspec.structs import replace

from kk_core.registry import game
from kk_core.types import CommonObservation, Meta, Move, Seat
from kk_learn.play import Episodes, Reward
from kk_learn.vectors import learnt_games

DEALS: Final = 1000
"""The default number of deals, for the parameter `deals`."""

LONGEST: Final = 4000
"""An upper bound of a match's moves."""


def _type_of(meta: Meta) -> Any:
    kinds = pyspiel.GameType
    return kinds(
        short_name=f"python_kk_{meta.id}",
        long_name=f"Python kk {meta.id}",
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kinds.Information.IMPERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=meta.max_seats,
        min_num_players=meta.min_seats,
        provides_information_state_string=False,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={
            "players": meta.min_seats,
            "deals": DEALS,
            **{option.name: option.values[0].value for option in meta.options},
        },
    )


class KkGame(pyspiel.Game):
    """A game with a number of players; parameters are `players`, `deals` and the options of the game."""

    def __init__(self, kind: Any, meta: Meta, params: Mapping[str, Any]) -> None:
        given = {**kind.parameter_specification, **params}
        seats = int(given["players"])
        self.deals = int(given["deals"])
        self.play = Episodes(
            meta.id, seats, {option.name: str(given[option.name]) for option in meta.options}
        )
        super().__init__(
            kind,
            pyspiel.GameInfo(
                num_distinct_actions=meta.moves,
                max_chance_outcomes=self.deals,
                num_players=seats,
                min_utility=-1.0,
                max_utility=1.0,
                utility_sum=0.0,
                max_game_length=LONGEST,
            ),
            dict(params),
        )

    def new_initial_state(self) -> KkState:
        """Return the state before the deal."""
        return KkState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> KkObserver:  # noqa: ARG002
        """Return an observer of what a seat knows, as numbers and as text."""
        return KkObserver(self.play)


class _Shared:
    """A reference to an immutable value, which deep copies share."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __deepcopy__(self, _memo: object) -> _Shared:
        return self


class KkState(pyspiel.State):
    """A match. OpenSpiel clones states by deep copies of all attributes, hence `_Shared`."""

    def __init__(self, of: KkGame) -> None:
        super().__init__(of)
        self._deals = of.deals
        self._shared_play, self._position = _Shared(of.play), _Shared(None)

    @property
    def _play(self) -> Episodes:
        play: Episodes = self._shared_play.value
        return play

    @property
    def position(self) -> Any:
        """The engine's state; None before the deal."""
        return self._position.value

    def current_player(self) -> int:
        """Return the seat to move; in a simultaneous choice, the first that has not chosen."""
        if self.position is None:
            return int(pyspiel.PlayerId.CHANCE)
        active = self._play.game.active_seats(self.position)
        return active[0] if active else int(pyspiel.PlayerId.TERMINAL)

    def _legal_actions(self, player: Seat) -> list[Move]:
        return sorted(self._play.game.legal_moves(self.position, player))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return all deals, equally likely."""
        return [(deal, 1 / self._deals) for deal in range(self._deals)]

    def _apply_action(self, action: int) -> None:
        play, now = self._play, self.position
        after = play.dealt(action) if now is None else play.game.apply(now, self.current_player(), action)
        self._position = _Shared(after)

    def _action_to_string(self, player: int, action: int) -> str:
        return f"deal {action}" if player < 0 else self._play.game.format_move(action)

    def is_terminal(self) -> bool:
        """Return whether the match is over."""
        return self.position is not None and not self._play.game.active_seats(self.position)

    def returns(self) -> list[float]:
        """Return each seat's share of the win, less an equal share."""
        if self.position is None:
            return [0.0] * self._play.seats
        return self._play.rewards(self.position, Reward.WIN)

    def __str__(self) -> str:
        return str(self.history_str())


class KkObserver:
    """A seat's knowledge as numbers (`kk_learn.vectors`); `dict` has the parts by name."""

    def __init__(self, play: Episodes) -> None:
        self._play = play
        self.tensor = np.zeros(play.size, np.float32)
        self.dict = {name: self.tensor[place] for name, place in play.layout.items()}

    def set_from(self, state: KkState, player: Seat) -> None:
        """Set the numbers to what a player knows; zeros before the deal."""
        self.tensor.fill(0)
        if state.position is not None:
            self.tensor[:] = self._play.vector(self._play.game.observe(state.position, player))

    def string_from(self, state: KkState, player: Seat) -> str:
        """Return what a player knows as JSON, equal for states that they cannot tell apart."""
        if state.position is None:
            return ""
        seen: CommonObservation = self._play.game.observe(state.position, player)
        return msgspec.json.encode(replace(seen, printed=None)).decode()


def _register(game_id: str) -> None:
    meta = game(game_id).meta
    kind = _type_of(meta)

    class Registered(KkGame):
        def __init__(self, params: Mapping[str, Any] | None = None) -> None:
            super().__init__(kind, meta, params or {})

    pyspiel.register_game(kind, Registered)


for _game_id in learnt_games():
    _register(_game_id)
