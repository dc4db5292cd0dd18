"""The trees that snapshots and deltas keep in step, with their shapes."""

from __future__ import annotations

from typing import Any, Final, TypeAlias, TypeVar

import msgspec
from msgspec.structs import astuple, replace

from kk_core.moveset import pack_moves, unpack_moves
from kk_core.types import Event, Move, Observation, Seat, Tree
from kk_core.wire.frames import to_tree

O = TypeVar("O", bound=Observation)  # noqa: E741 - the letter that the Game protocol uses

LOG_SLOTS: Final = 48
"""How many of the last plies a view carries."""


class _View(msgspec.Struct, frozen=True, array_like=True):
    pass


class LogEntry(_View, frozen=True):
    """One ply as a viewer may see it; `move` is None where the choice is a secret."""

    seat: Seat
    move: Move | None
    events: tuple[Event, ...] = ()


class MatchView(_View, frozen=True):
    """A match as one viewer may see it.

    The log is a ring: ply p stands at p % LOG_SLOTS, so that a step changes one place and undo is a change
    like any other. `seed` stays None until the match has ended. `printed` and `drawing` are trees that never
    change, so that they are sent once; `observation` leaves them out, and has its moves packed, in a tree.
    """

    game: str
    rules_version: str
    options: tuple[tuple[str, str], ...]
    commitment: bytes
    seed: bytes | None
    printed: Tree
    drawing: Tree
    ply: int
    may_undo: bool
    observation: Any
    log: tuple[LogEntry | None, ...]

    def recent(self) -> list[tuple[int, LogEntry]]:
        """The plies that the ring still holds with their numbers from 0, oldest first."""
        first = max(0, self.ply - LOG_SLOTS)
        entries = ((ply, self.log[ply % LOG_SLOTS]) for ply in range(first, self.ply))
        return [(ply, entry) for ply, entry in entries if entry is not None]

    def observed(self, shape: type[O], printed: object = None) -> O:
        """The observation in the shape of its game's model; `printed` when that was decoded before.

        Raises `msgspec.ValidationError` when it has another shape.
        """
        if isinstance(self.observation, shape):
            return self.observation
        values = list(self.observation)
        values[_PRINTED] = self.printed if printed is None else printed
        values[_LEGAL] = unpack_moves(values[_LEGAL])
        return msgspec.convert(values, shape, builtin_types=(bytes,))


class Course(_View, frozen=True):
    """How a finished match went. Positions count the plies made: 0 is the one before the first.

    `movers` has the seat of each ply; `turns` and `rounds` the positions at which a new one began, `scorings`
    those at which one was held, the end among them; `points` has for each position what everybody would
    have had if the match had ended there.
    """

    movers: tuple[Seat, ...]
    turns: tuple[int, ...]
    rounds: tuple[int, ...]
    scorings: tuple[int, ...]
    points: tuple[tuple[int, ...], ...]


class SeatView(_View, frozen=True):
    """Who sits on a seat: a user (its owner), a bot, or nobody."""

    name: str
    owner: str | None
    bot: str | None
    online: bool


class TableView(_View, frozen=True, tag="table", tag_field="place"):
    """A table as one viewer may see it; `phase` is "open", "playing" or "finished"."""

    id: str
    title: str
    host: str
    game: str
    options: tuple[tuple[str, str], ...]
    phase: str
    seats: tuple[SeatView, ...]
    viewer: Seat | None
    match: MatchView | None


class TableLine(_View, frozen=True):
    """One line of the lobby."""

    id: str
    title: str
    game: str
    phase: str
    seats: tuple[SeatView, ...]


class LobbyView(_View, frozen=True, tag="lobby", tag_field="place"):
    """All tables that can be seen, and who is here."""

    tables: tuple[TableLine, ...]
    users: tuple[str, ...]


PlaceView: TypeAlias = TableView | LobbyView


def encode_place(place: PlaceView) -> Tree:
    """The tree of a place; what is printed is not copied but shared by all trees of a match."""
    if isinstance(place, LobbyView) or place.match is None:
        return to_tree(place)
    tree = to_tree(replace(place, match=None))
    tree[-1] = encode_match(place.match)
    return tree


def encode_match(match: MatchView) -> Tree:
    """The tree of a match whose observation is still a value of its game's model."""
    values = list(astuple(match.observation))
    values[_PRINTED], values[_LEGAL] = None, pack_moves(values[_LEGAL])
    tree = to_tree(replace(match, observation=values, printed=None, drawing=None))
    tree[_MATCH_PRINTED], tree[_MATCH_DRAWING] = match.printed, match.drawing
    return tree


def decode_place(tree: Tree) -> PlaceView:
    """The view of a place from its tree. Raises `msgspec.ValidationError` when it has another shape."""
    place: PlaceView = msgspec.convert(tree, _PLACE, builtin_types=(bytes,))
    return place


_PLACE: Any = PlaceView

_PRINTED: Final = Observation.__struct_fields__.index("printed")
_LEGAL: Final = Observation.__struct_fields__.index("legal_moves")
_MATCH_PRINTED: Final = MatchView.__struct_fields__.index("printed")
_MATCH_DRAWING: Final = MatchView.__struct_fields__.index("drawing")
