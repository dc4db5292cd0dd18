"""Players that see an observation and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TypeAlias

from kk_core import games
from kk_core.bot_names import BOTS
from kk_core.chance import Chance
from kk_core.errors import InvalidOptions
from kk_core.registry import game_ids
from kk_core.text import text
from kk_core.types import Move, Observation

Bot: TypeAlias = Callable[[Observation, Chance], Move]
"""Chooses one of the legal moves of the observation's viewer."""


def bot(name: str, game_id: str) -> Bot:
    """The bot of a name for a game. Raises `InvalidOptions`."""
    if name not in BOTS:
        raise InvalidOptions(
            text("There is no bot {name}; known: {known}.", name=repr(name), known=", ".join(BOTS))
        )
    if game_id not in game_ids():
        known = ", ".join(game_ids())
        raise InvalidOptions(
            text("There is no game {game}; known: {known}.", game=repr(game_id), known=known)
        )
    if name == "random":
        return choose_at_random
    choose: Bot = import_module(f"{games.__name__}.{game_id}.{name}").choose
    return choose


def choose_at_random(observation: Observation, chance: Chance) -> Move:
    """Any legal move, all equally likely."""
    moves = observation.legal_moves
    return moves[chance.below(len(moves))]
