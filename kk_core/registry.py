"""The games that are installed: every folder of `kk_core.games` is one."""

from __future__ import annotations

from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any

import msgspec

from kk_core import games
from kk_core.config import canonical_json, own_names
from kk_core.errors import InvalidOptions, KkError, UnknownRules
from kk_core.game import AnyGame
from kk_core.lesson import LessonCourse, LessonUnfit
from kk_core.text import text
from kk_core.types import Tree


@cache
def game_ids() -> tuple[str, ...]:
    """Return the identifiers of all games, in alphabetical order."""
    return tuple(sorted(module.name for module in iter_modules(games.__path__) if module.ispkg))


@cache
def game(game_id: str) -> AnyGame:
    """Return a game with today's data. Raises `InvalidOptions` for an unknown one, or `BadData`."""
    created: AnyGame = _module(game_id).create()
    return created


def game_for(game_id: str, rules_version: str, rules_data: Tree) -> AnyGame:
    """Return the game a match was begun with, whatever today's deck or map is.

    Raises `InvalidOptions` for an unknown game, `UnknownRules` or `BadData` for unknown rules.
    """
    check_rules(game_id, rules_version)
    made = _game_with(game_id, canonical_json(rules_data))
    if made.rules_version != rules_version:
        raise UnknownRules(
            text("These are not the cards or the map of rules {theirs}, but of {ours}.",
                 theirs=repr(rules_version), ours=made.rules_version)
        )  # fmt: skip
    return made


def check_rules(game_id: str, rules_version: str) -> None:
    """Refuse a rules version with another rules number. Raises `InvalidOptions` or `UnknownRules`."""
    # see `kk_core.config.version` for its form
    number = _module(game_id).RULES
    if rules_version.partition("-")[0] != str(number):
        raise UnknownRules(
            text("This version knows only rules {ours} of {game}, not {theirs}.",
                 theirs=repr(rules_version), game=game_id, ours=number)
        )  # fmt: skip


@lru_cache(maxsize=64)
def _game_with(game_id: str, rules_data: bytes) -> AnyGame:
    # many matches on a server share the same rules data
    created: AnyGame = _module(game_id).restore(msgspec.json.decode(rules_data))
    return created


def part_of(game_id: str, name: str) -> Any:
    """Return a module of a game's package, e.g. "model" or "ai.strategy"; None if it has none."""
    return import_module(_name_of(game_id, name)) if _has_part(game_id, name) else None


def _name_of(game_id: str, name: str) -> str:
    return f"{games.__name__}.{game_id}.{name}"


def _has_part(game_id: str, name: str) -> bool:
    try:
        return game_id in game_ids() and find_spec(_name_of(game_id, name)) is not None
    except ModuleNotFoundError:  # not even the subpackage exists
        return False


def lesson_of(rules: AnyGame) -> LessonCourse:
    """Return a game's lesson, to be played with the game's data.

    Raises `LessonUnfit` if there is no lesson or it does not fit the data.
    """
    lesson = part_of(rules.meta.id, "lesson")
    if lesson is None:
        raise LessonUnfit(text("{game} has no lesson.", game=rules.meta.name))
    return LessonCourse(lesson.LESSON, rules)


@cache
def has_lesson(game_id: str) -> bool:
    """Return whether a game has a lesson that fits today's data."""
    if not own_names():  # lessons fit the shipped data; checking would load all rules
        return _has_part(game_id, "lesson")
    try:
        lesson_of(game(game_id))
    except KkError:
        return False
    return True


@cache
def _module(game_id: str) -> Any:
    if game_id not in game_ids():
        known = ", ".join(game_ids())
        raise InvalidOptions(
            text("Unknown game {game}; known games: {known}.", game=repr(game_id), known=known)
        )
    return import_module(f"{games.__name__}.{game_id}.game")
