"""The trees that snapshots and deltas keep in step, with their shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias, TypeVar

import msgspec
from msgspec.structs import astuple, replace

from kk_core.moveset import pack_moves, unpack_moves
from kk_core.text import Text
from kk_core.types import Event, Move, Observation, Seat, Sheet, Tree
from kk_core.wire.chat import ChatView
from kk_core.wire.clock import ClockRule, ClockView
from kk_core.wire.frames import to_tree
from kk_core.wire.ratings import RatingView

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


class ShuffleView(_View, frozen=True):
    """What is known of the next seed: the SHA-256 of the host's bytes, and the users who have added some."""

    commitment: bytes
    added: tuple[str, ...] = ()


class MatchView(_View, frozen=True):
    """A match as one viewer may see it.

    The log is a ring: ply p stands at p % LOG_SLOTS, so that a step changes one place and undo is a change
    like any other. `seed` and `host_seed` stay None until the match has ended; `contributions` are what seats
    have added to the host's bytes. `printed` and `drawing` are trees that never
    change, so that they are sent once; `observation` leaves them out, and has its moves packed, in a tree.
    `standing` has the points as if everything were scored now, or nothing where the observation's own sheet
    says just that.
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
    standing: Sheet = ()
    contributions: tuple[tuple[Seat, bytes], ...] = ()
    host_seed: bytes | None = None

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
        return decode_observation(self.observation, shape, self.printed if printed is None else printed)


class SeatView(_View, frozen=True):
    """Who sits on a seat: a user (its owner), a bot, or nobody.

    `colour` counts the colours and shapes of seats: whoever moves on to another seat keeps his. `away` is
    since when the owner is not online, in seconds since 1970; 0 where that is not known. `stand_in` is the
    bot that plays for him meanwhile, or to the end, if he has given up. `rating` is that of the owner, where
    matches are rated. `stood_in` is how many moves stand-ins have made for him since his own last one.
    A `program` is one that the owner lets play there, and that has said so (see `Hello`).
    """

    name: str
    owner: str | None
    bot: str | None
    online: bool
    colour: Seat
    away: int = 0
    stand_in: str | None = None
    has_given_up: bool = False
    rating: RatingView | None = None
    stood_in: int = 0
    program: bool = False


class ProposalView(_View, frozen=True):
    """What somebody proposes at a table: see `Ask`. `waits` are the users whose answer is missing."""

    what: str
    seat: Seat | None
    user: str
    agreed: tuple[str, ...]
    waits: tuple[str, ...]


class TableView(_View, frozen=True, tag="table", tag_field="place"):
    """A table as one viewer may see it; `phase` is "open", "playing", "finished" or "replay".

    `owner` is the user whose table it is. With `hints`, those who play may ask for them. `code` is the one by
    which people are invited, where not everybody may come. `watchers` are the users who look on. Where
    it is `rated`, matches count for the ratings of their people. The bot `stand_in` plays on for who is away:
    where there is no clock, if the others wish so, once somebody has been away for `absence` seconds.
    """

    id: str
    title: str
    owner: str
    game: str
    options: tuple[tuple[str, str], ...]
    hints: bool
    phase: str
    seats: tuple[SeatView, ...]
    viewer: Seat | None
    match: MatchView | None
    code: str | None = None
    watched: bool = True
    watchers: tuple[str, ...] = ()
    proposal: ProposalView | None = None
    chat: ChatView = ChatView()
    rated: bool = False
    clock: ClockView | None = None
    shuffle: ShuffleView | None = None
    stand_in: str = ""
    absence: int = 0


class TableLine(_View, frozen=True):
    """One line of the lobby. Before the match, `round` is 0 and nobody has points.

    `points` are those that everybody knows of, `active` the seats that are waited for; `at` is when the table
    last changed, in seconds since 1970. To a `private` one come only those who are invited; it is not shown
    to others. One that is not `watched` is entered by those who sit there alone, once the match has begun.
    Where the match cannot go on here, `unplayable` says why.
    """

    id: str
    title: str
    game: str
    phase: str
    seats: tuple[SeatView, ...]
    round: int = 0
    points: tuple[int, ...] = ()
    active: tuple[Seat, ...] = ()
    at: int = 0
    owner: str = ""
    private: bool = False
    watched: bool = True
    clock: ClockRule | None = None
    rated: bool = False
    unplayable: Text | None = None


class LobbyView(_View, frozen=True, tag="lobby", tag_field="place"):
    """What one looks at of the tables that can be seen, and who is here.

    `own` are the user's tables and those to which they are invited. `others` are some of the other
    `total` that it `shows` (see `Browse`), behind the first `first`; of these `at` is 0. Of the people who
    are `here`, `users` has the first by name; those of them who have said to be a program are the `programs`.
    The `admins` run the server.
    """

    own: tuple[TableLine, ...] = ()
    others: tuple[TableLine, ...] = ()
    first: int = 0
    total: int = 0
    shows: str = "all"
    here: int = 0
    users: tuple[str, ...] = ()
    chat: ChatView = ChatView()
    admins: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()

    @property
    def tables(self) -> tuple[TableLine, ...]:
        """All lines that are here."""
        return (*self.own, *self.others)


PlaceView: TypeAlias = TableView | LobbyView


def encode_place(place: PlaceView) -> Tree:
    """The tree of a place; what is printed is not copied but shared by all trees of a match."""
    if isinstance(place, LobbyView) or place.match is None:
        return to_tree(place)
    tree = to_tree(replace(place, match=None))
    tree[_MATCH] = encode_match(place.match)
    return tree


def lobby_tree(**parts: Tree) -> Tree:
    """The tree of a `LobbyView` by trees of its fields, so that those which stay the same are shared."""
    return [LobbyView.__struct_config__.tag, *(parts[name] for name in LobbyView.__struct_fields__)]


def encode_match(match: MatchView) -> Tree:
    """The tree of a match whose observation is still a value of its game's model."""
    values = encode_observation(match.observation)
    tree = to_tree(replace(match, observation=values, printed=None, drawing=None))
    tree[_MATCH_PRINTED], tree[_MATCH_DRAWING] = match.printed, match.drawing
    return tree


def encode_observation(observation: Observation) -> list[Any]:
    """An observation that can be encoded, without what is printed, and with its moves packed."""
    values = list(astuple(observation))
    values[_PRINTED], values[_LEGAL] = None, pack_moves(values[_LEGAL])
    return values


def decode_observation(values: Sequence[Any], shape: type[O], printed: object) -> O:
    """The observation of `encode_observation`, in the shape of its game's model.

    Raises `msgspec.ValidationError` when it has another one.
    """
    fields = list(values)
    fields[_PRINTED], fields[_LEGAL] = printed, unpack_moves(fields[_LEGAL])
    return msgspec.convert(fields, shape, builtin_types=(bytes,))


def encode_past(match: MatchView) -> Tree:
    """A match as it stood earlier, for one who has the tree of it now: what never changes is left out."""
    tree = encode_match(match)
    tree[_MATCH_PRINTED] = tree[_MATCH_DRAWING] = None
    return tree


def decode_past(tree: Tree, now: MatchView) -> MatchView:
    """The view of `encode_past`. Raises `msgspec.ValidationError` when it has another shape."""
    then: MatchView = msgspec.convert(tree, MatchView, builtin_types=(bytes,))
    return replace(then, printed=now.printed, drawing=now.drawing)


def decode_place(tree: Tree) -> PlaceView:
    """The view of a place from its tree. Raises `msgspec.ValidationError` when it has another shape."""
    place: PlaceView = msgspec.convert(tree, _PLACE, builtin_types=(bytes,))
    return place


def decode_next(tree: Tree, last: Tree, place: PlaceView) -> PlaceView:
    """The view of a tree that has come of an earlier one: of the lobby only what differs is decoded.

    Raises `msgspec.ValidationError` when it has another shape.
    """
    if not (isinstance(place, LobbyView) and is_lobby(tree) and is_lobby(last)):
        return decode_place(tree)
    lines = dict(zip(map(id, last[_OWN] + last[_OTHERS]), place.tables, strict=True))
    ring = dict(zip(map(id, last[_CHAT][1]), place.chat.ring, strict=True))
    lean = list(tree)
    for part in (_OWN, _OTHERS):
        lean[part] = [line for line in tree[part] if id(line) not in lines]
    lean[_CHAT] = [tree[_CHAT][0], [line for line in tree[_CHAT][1] if id(line) not in ring]]
    new = decode_place(lean)
    assert isinstance(new, LobbyView)
    own, others, said = iter(new.own), iter(new.others), iter(new.chat.ring)
    return replace(
        new,
        own=tuple(lines.get(id(line)) or next(own) for line in tree[_OWN]),
        others=tuple(lines.get(id(line)) or next(others) for line in tree[_OTHERS]),
        chat=place.chat
        if tree[_CHAT] is last[_CHAT]
        else replace(
            new.chat,
            ring=tuple(ring[id(line)] if id(line) in ring else next(said) for line in tree[_CHAT][1]),
        ),
    )


def is_lobby(tree: Tree) -> bool:
    """Whether a tree is that of a lobby, as far as its parts are looked at one by one."""
    return (
        isinstance(tree, list)
        and len(tree) == 1 + len(LobbyView.__struct_fields__)
        and tree[0] == LobbyView.__struct_config__.tag
        and all(isinstance(tree[part], list) for part in (_OWN, _OTHERS, _CHAT))
        and len(tree[_CHAT]) == len(ChatView.__struct_fields__)
        and isinstance(tree[_CHAT][1], list)
    )


_PLACE: Any = PlaceView

_OWN: Final = 1 + LobbyView.__struct_fields__.index("own")
_OTHERS: Final = 1 + LobbyView.__struct_fields__.index("others")
_CHAT: Final = 1 + LobbyView.__struct_fields__.index("chat")

_MATCH: Final = 1 + TableView.__struct_fields__.index("match")  # behind the tag
_PRINTED: Final = Observation.__struct_fields__.index("printed")
_LEGAL: Final = Observation.__struct_fields__.index("legal_moves")
_MATCH_PRINTED: Final = MatchView.__struct_fields__.index("printed")
_MATCH_DRAWING: Final = MatchView.__struct_fields__.index("drawing")
