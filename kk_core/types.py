"""The basic types that all games share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import msgspec

from kk_core.text import Text

Seat: TypeAlias = int
"""Index at the table, from 0; seat 0 is the start player."""

Viewer: TypeAlias = int | None
"""The person a view is for: a seat, or None for a spectator."""

Move: TypeAlias = int
"""An atomic choice of a seat, as a small number from 0 that the game's model defines."""

Ends: TypeAlias = Literal["nothing", "choice", "secret", "turn"]
"""What a move ends for good: "nothing", so it can be taken back; a "choice", once all others have made theirs
in the same simultaneous choice; a "secret", since it shows something; or its "turn", which may be the match's
last one.
"""

Event: TypeAlias = tuple[int | bytes, ...]
"""Something that rules or chance did: a kind, defined by the game's model, and its details."""

Options: TypeAlias = Mapping[str, str]
"""A value for every option of the game."""

Tree: TypeAlias = Any
"""Wire primitives: None, bool, int, str, bytes and lists of these. No maps: these mark edits in patches."""


Sheet: TypeAlias = tuple[tuple[int, ...], ...]
"""A score sheet: a row for each line of the game's `sheet`, with one number of points per seat."""


def totals(sheet: Sheet) -> tuple[int, ...]:
    """Return each seat's sum over all lines."""
    return tuple([sum(column) for column in zip(*sheet, strict=True)])


SEED_BYTES: Final = 32
"""Bytes of a match's seed."""


class OptionValue(msgspec.Struct, frozen=True):
    """One value of an option: its fixed identifier and its label."""

    value: str
    label: Text


class Option(msgspec.Struct, frozen=True):
    """A table option; the first of its values is the default."""

    name: str
    label: Text
    values: tuple[OptionValue, ...]


class Meta(msgspec.Struct, frozen=True):
    """All that a lobby needs to know about a game; lists show the lowest `order` first."""

    id: str
    name: Text
    summary: Text
    min_seats: int
    max_seats: int
    moves: int
    """All moves are numbers from 0 to below this."""
    options: tuple[Option, ...] = ()
    order: int = 100
    has_secrets: bool = True
    """True if seats may know things that others do not: a hand, or their part of a simultaneous choice."""
    tie_break: Text | None = None
    """The figure compared if the top totals tie, e.g. "land cards"; None if there is none."""

    def default_options(self) -> dict[str, str]:
        """Return every option with its default value."""
        return {option.name: option.values[0].value for option in self.options}


class Outcome(msgspec.Struct, frozen=True, array_like=True):
    """The outcome of a finished match; `winners` is empty if the rules name nobody.

    `tie_break` holds each seat's tie-break figure if the top totals tied, otherwise None.
    """

    winners: tuple[Seat, ...]
    tie_break: tuple[int, ...] | None = None


class CommonObservation(msgspec.Struct, frozen=True, array_like=True):
    """A state as one viewer may know it: the part that every game's observation has.

    `printed` describes cards and boards (the game's `Printed`): constant during a match, and public.
    `legal_moves` are the viewer's, ascending; empty if it is not their turn. `sheet` holds the current
    points: during the match as far as public information goes, after it the final ones.
    """

    printed: Any
    viewer: Viewer
    active: tuple[Seat, ...]
    legal_moves: tuple[Move, ...]
    sheet: Sheet
    outcome: Outcome | None

    @property
    def points(self) -> tuple[int, ...]:
        """The total of the sheet, per seat."""
        return totals(self.sheet)


class SeenMove(NamedTuple):
    """A move with its seat, a viewer's observation before it, of the game's own type, and the public events
    that followed.

    The move is None if it is secret to that viewer.
    """

    observation: Any
    seat: Seat
    move: Move | None
    events: tuple[Event, ...] = ()
