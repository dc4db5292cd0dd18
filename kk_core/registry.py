"""The games that are installed: every folder of `kk_core.games` is one."""

from __future__ import annotations

from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any

import msgspec

from kk_core import config, games
from kk_core.config import canonical_json, digest
from kk_core.errors import InvalidOptions, UnknownRules
from kk_core.game import AnyGame
from kk_core.text import text
from kk_core.types import Tree


@cache
def game_ids() -> tuple[str, ...]:
    """The identifiers of all games, in alphabetical order."""
    return tuple(sorted(module.name for module in iter_modules(games.__path__) if module.ispkg))


@cache
def game(game_id: str) -> AnyGame:
    """The game of an identifier with the data of today. Raises `InvalidOptions`, or `BadData`."""
    created: AnyGame = _module(game_id).create()
    return created


def game_for(game_id: str, rules_version: str, rules_data: Tree | None) -> AnyGame:
    """The game with which a match was begun, whatever deck or map counts today.

    Without `rules_data` only matches of the first rules with the data of the first release are known.
    Raises `InvalidOptions` for an unknown game, `UnknownRules` or `BadData` for unknown rules.
    """
    number = known_rules(game_id, rules_version)
    module = _module(game_id)
    if rules_data is None:
        if rules_version != getattr(module, "FIRST_VERSION", None):  # of games that are as old as that
            raise UnknownRules(
                text("The cards or the map of rules {theirs} of {game} are not known here.",
                     theirs=repr(rules_version), game=game_id)
            )  # fmt: skip
        return _first_game(game_id)
    made = _game_with(game_id, number, canonical_json(rules_data))
    if made.rules_version != rules_version:
        raise UnknownRules(
            text("These are not the cards or the map of rules {theirs}, but of {ours}.",
                 theirs=repr(rules_version), ours=made.rules_version)
        )  # fmt: skip
    return made


def known_rules(game_id: str, rules_version: str) -> int:
    """The number of the rules of a version. Raises `InvalidOptions` or `UnknownRules` if it is not known."""
    module = _module(game_id)
    number = rules_version.partition("-")[0]
    if number not in map(str, range(1, module.RULES + 1)):
        raise UnknownRules(
            text("Rules {theirs} of {game} are not known here; the newest are {ours}.",
                 theirs=repr(rules_version), game=game_id, ours=module.RULES)
        )  # fmt: skip
    return int(number)


@lru_cache(maxsize=64)
def _game_with(game_id: str, rules: int, rules_data: bytes) -> AnyGame:
    created: AnyGame = _module(game_id).restore(msgspec.json.decode(rules_data), rules)
    return created


@cache
def _first_game(game_id: str) -> AnyGame:
    """The game as it was before matches kept their rules data, whatever was corrected since."""
    source = config.read_shipped(f"first/{game_id}.json")
    try:
        rules_data = msgspec.json.decode(source.text)
    except msgspec.DecodeError:
        rules_data = None
    if digest(rules_data) != _module(game_id).FIRST_DATA:
        raise UnknownRules(
            text("{file} has not the cards or the map of the first release.", file=source.name)
        )
    return _game_with(game_id, 1, canonical_json(rules_data))


def part_of(game_id: str, name: str) -> Any:
    """A module of a game's folder, e.g. "model" or "ai.strategy"; None where it has none of this name."""
    folder = f"{games.__name__}.{game_id}"
    if game_id not in game_ids():
        return None
    try:
        found = find_spec(f"{folder}.{name}")
    except ModuleNotFoundError:  # not even the folder of a part in a folder
        return None
    return None if found is None else import_module(f"{folder}.{name}")


@cache
def _module(game_id: str) -> Any:
    if game_id not in game_ids():
        known = ", ".join(game_ids())
        raise InvalidOptions(
            text("There is no game {game}; known: {known}.", game=repr(game_id), known=known)
        )
    return import_module(f"{games.__name__}.{game_id}.game")
