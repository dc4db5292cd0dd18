"""The words that all games share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import msgspec

from kk_core.text import Text

Seat: TypeAlias = int
"""Index at the table, from 0; seat 0 is the start player."""

Viewer: TypeAlias = int | None
"""Whose eyes: a seat, or None for a spectator."""

Move: TypeAlias = int
"""One choice of one seat, as a small number from 0 that the game's model defines."""

Event: TypeAlias = tuple[int | bytes, ...]
"""Something that rule or chance did: a kind, defined by the game's model, and its particulars."""

Options: TypeAlias = Mapping[str, str]
"""A value for every option of the game."""

Tree: TypeAlias = Any
"""Wire primitives: None, bool, int, str, bytes and lists of these. Never a map: deltas use those."""


class OptionValue(msgspec.Struct, frozen=True):
    """One value of an option: its fixed identifier, and what people read."""

    value: str
    label: Text


class Option(msgspec.Struct, frozen=True):
    """A table option; the first of its values is the default."""

    name: str
    label: Text
    values: tuple[OptionValue, ...]


class Meta(msgspec.Struct, frozen=True):
    """All that a lobby needs to know of a game; lists show the lowest `order` first."""

    id: str
    name: Text
    summary: Text
    min_seats: int
    max_seats: int
    options: tuple[Option, ...] = ()
    order: int = 100
    tie_break: Text | None = None
    """What is compared when totals tie at the top, e.g. "land cards"; None where nothing is."""

    def default_options(self) -> dict[str, str]:
        """Every option with its default value."""
        return {option.name: option.values[0].value for option in self.options}


class ScoreItem(msgspec.Struct, frozen=True, array_like=True):
    """One line of a score sheet: its fixed identifier and the points of every seat."""

    item: str
    points: tuple[int, ...]


class ScoreSheet(msgspec.Struct, frozen=True, array_like=True):
    """Totals with every line that made them; the lines stand in the order of scoring."""

    items: tuple[ScoreItem, ...]

    @property
    def totals(self) -> tuple[int, ...]:
        """The sum of all lines, per seat."""
        return tuple(sum(column) for column in zip(*(item.points for item in self.items), strict=True))


class Outcome(msgspec.Struct, frozen=True, array_like=True):
    """How a finished match ended; `winners` is empty where the rules name nobody.

    `tie_break` holds the compared figure per seat when totals tied at the top, otherwise None.
    """

    winners: tuple[Seat, ...]
    tie_break: tuple[int, ...] | None = None


class Observation(msgspec.Struct, frozen=True, array_like=True, kw_only=True):
    """What one viewer may know of a state: the part that every game's observation has.

    `printed` is what stands on cards and boards (the game's `Printed`): the same all through a match, and
    no secret. `legal_moves` are the viewer's, ascending; none when it is not the viewer's turn. `sheet` holds
    one row of points per line of the game's `SHEET`, each with one number per seat: during the match as far
    as public information tells, after it the final one.
    """

    printed: Any
    viewer: Viewer
    active: tuple[Seat, ...]
    legal_moves: tuple[Move, ...]
    sheet: tuple[tuple[int, ...], ...]
    outcome: Outcome | None

    @property
    def points(self) -> tuple[int, ...]:
        """The total of the sheet, per seat."""
        return tuple(sum(column) for column in zip(*self.sheet, strict=True))
