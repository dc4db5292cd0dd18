"""What can be played at a server, for clients that know no game by themselves."""

from __future__ import annotations

import msgspec

from kk_core.text import Text
from kk_core.types import Meta


class _Catalogue(msgspec.Struct, frozen=True, array_like=True):
    pass


class OptionLine(_Catalogue, frozen=True):
    """An option of a game: its values with what people read, the default first."""

    name: str
    label: Text
    values: tuple[tuple[str, Text], ...]


class GameLine(_Catalogue, frozen=True):
    """A game: all its moves are numbers from 0 to below `moves`."""

    id: str
    name: Text
    rules_version: str
    min_seats: int
    max_seats: int
    moves: int
    options: tuple[OptionLine, ...]


def game_line(meta: Meta, rules_version: str) -> GameLine:
    """The line of a game."""
    options = tuple(
        OptionLine(option.name, option.label, tuple((value.value, value.label) for value in option.values))
        for option in meta.options
    )
    return GameLine(meta.id, meta.name, rules_version, meta.min_seats, meta.max_seats, meta.moves, options)
