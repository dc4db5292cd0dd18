"""The words that all games share."""

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
"""One choice of one seat, as a small number from 0 that the game's model defines."""

Ends: TypeAlias = Literal["nothing", "choice", "secret", "turn"]
"""The scope that a move ends for good: nothing, so that it can be taken back; a choice, as soon as all others
have made theirs at the same moment; a secret, since it shows something; or its turn, with the last one the
match.
"""

Event: TypeAlias = tuple[int | bytes, ...]
"""Something that rule or chance did: a kind, defined by the game's model, and its particulars."""

Options: TypeAlias = Mapping[str, str]
"""A value for every option of the game."""

Tree: TypeAlias = Any
"""Wire primitives: None, bool, int, str, bytes and lists of these. Never a map: deltas use those."""


Sheet: TypeAlias = tuple[tuple[int, ...], ...]
"""A score sheet: one row of points for each line of the game's `sheet`, each with one number per seat."""


def totals(sheet: Sheet) -> tuple[int, ...]:
    """Return the sum of all lines, per seat."""
    return tuple([sum(column) for column in zip(*sheet, strict=True)])


SEED_BYTES: Final = 32
"""Bytes of the seed from which all chance of a match follows."""


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
    moves: int
    """All moves are numbers from 0 to below this."""
    options: tuple[Option, ...] = ()
    order: int = 100
    has_secrets: bool = True
    """True where a seat may know what others do not: a hand, a choice that all make at the same moment."""
    tie_break: Text | None = None
    """The figure compared when totals tie at the top, e.g. "land cards"; None where nothing is."""

    def default_options(self) -> dict[str, str]:
        """Return every option with its default value."""
        return {option.name: option.values[0].value for option in self.options}


class Outcome(msgspec.Struct, frozen=True, array_like=True):
    """The end of a finished match; `winners` is empty where the rules name nobody.

    `tie_break` holds the compared figure per seat when totals tied at the top, otherwise None.
    """

    winners: tuple[Seat, ...]
    tie_break: tuple[int, ...] | None = None


class CommonObservation(msgspec.Struct, frozen=True, array_like=True):
    """A state as one viewer may know it: the part that every game's observation has.

    `printed` is the text of cards and boards (the game's `Printed`): the same all through a match, and no
    secret. `legal_moves` are the viewer's, ascending; none when it is not the viewer's turn. `sheet` holds
    the points as they stand: during the match as far as public information tells, after it the final one.
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
    """A move with its seat and what a viewer saw before it, an observation of the game's own kind.

    The move is None where it is a secret to that viewer.
    """

    observation: Any
    seat: Seat
    move: Move | None
