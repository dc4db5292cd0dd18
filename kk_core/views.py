"""Views: what snapshots, deltas and answers tell, as structs and as trees on the wire."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final, TypeAlias, TypeVar

import msgspec
from msgspec.structs import astuple, replace

from kk_core.text import Text
from kk_core.tree import to_tree
from kk_core.types import CommonObservation, Event, Meta, Move, Seat, Sheet, Tree
from kk_core.values import pack_moves, unpack_moves


# arrays, so that no names of fields are sent
class _View(msgspec.Struct, frozen=True, array_like=True):
    pass


# -- talk ----------------------------------------------------------------------------------------------------

CHAT_SLOTS: Final = 60
"""The number of last lines a view carries."""


class ChatLine(_View, frozen=True):
    """A user's words, under their name there; or an event, as nobody's words.

    A phrase sent with a key is a sentence of the `PHRASES`. `at` is in seconds since 1970; `is_admin` marks
    those who run the server.
    """

    at: int
    user: str
    name: str
    words: Text | str
    is_admin: bool = False


class ChatView(_View, frozen=True):
    """The last lines in a ring: number n, from 0, stands at n % CHAT_SLOTS. `said` is how many there were."""

    said: int = 0
    ring: tuple[ChatLine | None, ...] = ()

    def recent(self) -> tuple[ChatLine, ...]:
        """Return the lines that the ring still holds, oldest first."""
        slots = len(self.ring)
        numbers = range(max(0, self.said - slots), self.said)
        return tuple(line for number in numbers if (line := self.ring[number % slots]) is not None)


# -- clocks --------------------------------------------------------------------------------------------------

DAY: Final = 24 * 3600


# clients send these, too, when they open a table
class _Clock(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    pass


class ClockRule(_Clock, frozen=True):
    """Seconds that everybody has for each turn, and in a bank for the whole match."""

    move: Annotated[int, msgspec.Meta(ge=1, le=30 * DAY)]
    bank: Annotated[int, msgspec.Meta(ge=0, le=DAY)] = 0


class SeatClock(_Clock, frozen=True):
    """Seconds that a seat still has for this turn and in its bank, when the view was made; and if it runs."""

    move: int
    bank: int
    runs: bool


class ClockView(_Clock, frozen=True):
    """The clocks of a match, by seat; before the first there are none."""

    rule: ClockRule
    seats: tuple[SeatClock, ...] = ()


# -- ratings -------------------------------------------------------------------------------------------------

SETTLED: Final = 10
"""Rated matches of a game after which a rating is no longer a first guess."""


class RatingView(_View, frozen=True):
    """A user's rating in a game; `change` is the effect of the match here, once it is over."""

    shown: int
    is_settled: bool = False
    change: int | None = None


class LeaderLine(_View, frozen=True):
    """A line of a leaderboard; `place` counts from 1, and is 0 for those whose rating is not settled.

    `won` counts wins; one that several share is a part of one for each.
    """

    place: int
    name: str
    rating: RatingView
    played: int
    won: float


# -- matches, tables and the lobby ---------------------------------------------------------------------------

O = TypeVar("O", bound=CommonObservation)  # noqa: E741 - the letter that the Game protocol uses

LOG_SLOTS: Final = 48
"""The number of last plies a view carries."""


class LogEntry(_View, frozen=True):
    """One ply as a viewer may see it; `move` is None where the choice is a secret."""

    seat: Seat
    move: Move | None
    events: tuple[Event, ...] = ()


class ShuffleView(_View, frozen=True):
    """The next seed so far: the SHA-256 of the host's bytes, and the users who have added theirs."""

    commitment: bytes
    added: tuple[str, ...] = ()


class MatchView(_View, frozen=True):
    """A match as one viewer may see it.

    The log is a ring: ply p stands at p % LOG_SLOTS, so that a step changes one place and undo is a change
    like any other. `seed` and `host_seed` stay None until the match has ended, and for a deal of the day
    until the day is over; `contributions` are what seats have added to the host's bytes. `printed` and
    `drawing` are trees that never change, so that they are sent once; `observation` leaves them out, and has
    its moves packed, in a tree. `standing` has the points as if everything were scored now, or nothing where
    the observation's own sheet says just that.
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
        """Return the plies that the ring still holds with their numbers from 0, oldest first."""
        first = max(0, self.ply - LOG_SLOTS)
        entries = ((ply, self.log[ply % LOG_SLOTS]) for ply in range(first, self.ply))
        return [(ply, entry) for ply, entry in entries if entry is not None]

    def observed(self, shape: type[O], printed: object = None) -> O:
        """Return the observation in the shape of its game's model; `printed` when that was decoded before.

        Raises `msgspec.ValidationError` when it has another shape.
        """
        if isinstance(self.observation, shape):
            return self.observation
        return decode_observation(self.observation, shape, self.printed if printed is None else printed)


class SeatView(_View, frozen=True):
    """The occupant of a seat: a user (its owner), a bot, or nobody.

    `colour` counts the colours and shapes of seats; people keep theirs when they change seats. `away` is
    since when the owner is not online, in seconds since 1970; 0 where that is not known. `stand_in` is the
    bot that plays for them meanwhile, or to the end, if they have given up. `rating` is the owner's, where
    matches are rated. `stood_in` is how many moves stand-ins have made since the owner's own last one. A
    `program` is one that the owner lets play there, and that has said so (see `Hello`).
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
    """A proposal at a table: see `Propose`. `waits` are the users whose answer is missing."""

    what: str
    seat: Seat | None
    user: str
    agreed: tuple[str, ...]
    waits: tuple[str, ...]


class LessonView(_View, frozen=True):
    """A lesson at the step `step` of `steps`, from 1; at the end it is the last one, and nothing is asked.

    `told` says what the last step has done to the score, `asks` what is to be done next, by one of the moves
    `wanted`; nobody is asked while others move. After another move the learner has `strayed`: then `told`
    meets it, and it can be taken back. Where the lesson passes over some moves, `skips` says which, and they
    are made after `GoOn`. Before the first step, `intro` says what the game is about, a page each; after the
    last one, `learnt` has the rules in short lines.
    """

    step: int
    steps: int
    told: Text | None
    asks: Text | None
    wanted: tuple[Move, ...]
    strayed: bool
    skips: Text | None = None
    intro: tuple[Text, ...] = ()
    learnt: tuple[Text, ...] = ()


class DailyMark(_View, frozen=True):
    """The deal of the `day` that is played at a table.

    It `counts` where it is the first try of an account, and is finished before the day is over, in UTC. Where
    the deal is `secret`, nobody sees the seed or the record until then.
    """

    day: str
    counts: bool
    secret: bool


class TableView(_View, frozen=True, tag="table", tag_field="place"):
    """A table as one viewer may see it; `phase` is "open", "playing", "finished" or "replay".

    `owner` is the user whose table it is. With `hints`, those who play may ask for them. `code` is the one by
    which people are invited, where not everybody may come. `watchers` are the spectators. Where it is
    `rated`, matches count for the ratings of their people. The bot `stand_in` plays for absent players: where
    there is no clock, if the others wish so, once somebody has been away for `absence` seconds. `lesson` is
    there where a lesson is played: then every step can be taken back. `daily` is there where a deal of the
    day is played: then none can.
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
    lesson: LessonView | None = None
    daily: DailyMark | None = None


class TableLine(_View, frozen=True):
    """One line of the lobby.

    Before the match, `round` is 0 and nobody has points. `points` are the public ones, `active` the seats
    that are waited for; `at` is when the table last changed, in seconds since 1970. A `private` table is
    shown only to those who are invited. One that is not `watched` admits only those who sit there, once the
    match has begun. Where the match cannot go on here, `unplayable` says why. A `lesson` is played alone, and
    counts for nothing. `daily` is the day whose deal is played there, as 2026-11-24; "" at other tables.
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
    lesson: bool = False
    daily: str = ""


class LobbyView(_View, frozen=True, tag="lobby", tag_field="place"):
    """The lobby as one user sees it: some of the tables, and the people who are here.

    `own` are the user's tables and those to which they are invited. `others` are some of the other `total`
    that it `shows` (see `Browse`), behind the first `first`; of these `at` is 0. Of the people who are
    `here`, `users` has the first by name; `programs` are those of them who have said that they are one. The
    `admins` run the server.
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


# -- as trees ------------------------------------------------------------------------------------------------

_PLACE: Any = PlaceView

# 1 more each: the tag stands in front of the fields
_OWN: Final = 1 + LobbyView.__struct_fields__.index("own")
_OTHERS: Final = 1 + LobbyView.__struct_fields__.index("others")
_CHAT: Final = 1 + LobbyView.__struct_fields__.index("chat")

_MATCH: Final = 1 + TableView.__struct_fields__.index("match")  # behind the tag
_PRINTED: Final = CommonObservation.__struct_fields__.index("printed")
_LEGAL: Final = CommonObservation.__struct_fields__.index("legal_moves")
_MATCH_PRINTED: Final = MatchView.__struct_fields__.index("printed")
_MATCH_DRAWING: Final = MatchView.__struct_fields__.index("drawing")


def encode_place(place: PlaceView) -> Tree:
    """Return the tree of a place; what is printed is not copied but shared by all trees of a match."""
    if isinstance(place, LobbyView) or place.match is None:
        return to_tree(place)
    tree = to_tree(replace(place, match=None))
    tree[_MATCH] = encode_match(place.match)
    return tree


def lobby_tree(**parts: Tree) -> Tree:
    """Return the tree of a `LobbyView` by trees of its fields, so that unchanged ones are shared."""
    return [LobbyView.__struct_config__.tag, *(parts[name] for name in LobbyView.__struct_fields__)]


def encode_match(match: MatchView) -> Tree:
    """Return the tree of a match whose observation is still a value of its game's model."""
    values = encode_observation(match.observation)
    tree = to_tree(replace(match, observation=values, printed=None, drawing=None))
    tree[_MATCH_PRINTED], tree[_MATCH_DRAWING] = match.printed, match.drawing
    return tree


def encode_observation(observation: CommonObservation) -> list[Any]:
    """Return an observation that can be encoded, without what is printed, and with its moves packed."""
    values = list(astuple(observation))
    values[_PRINTED], values[_LEGAL] = None, pack_moves(values[_LEGAL])
    return values


def decode_observation(values: Sequence[Any], shape: type[O], printed: object) -> O:
    """Return the observation of `encode_observation`, in the shape of its game's model.

    Raises `msgspec.ValidationError` when it has another one.
    """
    fields = list(values)
    fields[_PRINTED], fields[_LEGAL] = printed, unpack_moves(fields[_LEGAL])
    return msgspec.convert(fields, shape, builtin_types=(bytes,))


def encode_past(match: MatchView) -> Tree:
    """Return a match as it stood earlier, without what never changes: the reader has its tree of now."""
    tree = encode_match(match)
    tree[_MATCH_PRINTED] = tree[_MATCH_DRAWING] = None
    return tree


def decode_past(tree: Tree, now: MatchView) -> MatchView:
    """Return the view of `encode_past`. Raises `msgspec.ValidationError` when it has another shape."""
    then: MatchView = msgspec.convert(tree, MatchView, builtin_types=(bytes,))
    return replace(then, printed=now.printed, drawing=now.drawing)


def decode_place(tree: Tree) -> PlaceView:
    """Decode the view of a place from its tree. Raises `msgspec.ValidationError` for another shape."""
    place: PlaceView = msgspec.convert(tree, _PLACE, builtin_types=(bytes,))
    return place


def decode_next(tree: Tree, last: Tree, place: PlaceView) -> PlaceView:
    """Return the view of a tree that has come of an earlier one: of the lobby only what differs is decoded.

    Raises `msgspec.ValidationError` when it has another shape.
    """
    if not (isinstance(place, LobbyView) and is_lobby(tree) and is_lobby(last)):
        return decode_place(tree)
    # a patch keeps unchanged parts of a tree as the same objects, so identity tells what is new
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
            # not by `get`, as above: slots that are empty yet are None in the ring
            ring=tuple(ring[id(line)] if id(line) in ring else next(said) for line in tree[_CHAT][1]),
        ),
    )


def is_lobby(tree: Tree) -> bool:
    """Return whether a tree is that of a lobby, as far as its parts are looked at one by one."""
    return (
        isinstance(tree, list)
        and len(tree) == 1 + len(LobbyView.__struct_fields__)
        and tree[0] == LobbyView.__struct_config__.tag
        and all(isinstance(tree[part], list) for part in (_OWN, _OTHERS, _CHAT))
        and len(tree[_CHAT]) == len(ChatView.__struct_fields__)
        and isinstance(tree[_CHAT][1], list)
    )


# -- matches of the past -------------------------------------------------------------------------------------


class Course(_View, frozen=True):
    """The course of a finished match. Positions count the plies made: 0 is the one before the first.

    `movers` has the seat of each ply; `turns` and `rounds` the positions at which a new one began, `scorings`
    those at which one was held, the end among them; `points` has for each position what everybody would have
    had if the match had ended there.
    """

    movers: tuple[Seat, ...]
    turns: tuple[int, ...]
    rounds: tuple[int, ...]
    scorings: tuple[int, ...]
    points: tuple[tuple[int, ...], ...]


class PastMatch(_View, frozen=True):
    """One line of a user's history: the match number `match` (from 1) of a table.

    It ended `at`, in seconds since 1970. `names` and `bots` are those of the seats, a bot's name or None,
    `mine` the user's own seats. `replayed` is how many of its plies were taken over from another match,
    `colours` are those of the seats (see `SeatView`); on the seats of `programs` a program played that was
    not one of the bots here.
    """

    table: str
    match: int
    at: int
    game: str
    names: tuple[str, ...]
    bots: tuple[str | None, ...]
    mine: tuple[Seat, ...]
    points: tuple[int, ...]
    winners: tuple[Seat, ...]
    plies: int
    replayed: int
    colours: tuple[Seat, ...]
    programs: tuple[Seat, ...] = ()


# -- hints ---------------------------------------------------------------------------------------------------


class Change(_View, frozen=True):
    """The effect of a move on a line of the score sheet, as things stand after it: means over what may be.

    `own` are the adviser's points; `rival` is the seat that loses the most there, and `loss` how much (0 or
    below). `leads` tells whether the adviser then has the most points of the line, and had not before.
    """

    line: int
    own: float
    rival: Seat | None
    loss: float
    leads: bool


class Rival(_View, frozen=True):
    """The gain of a seat that chooses at the same moment by the same choice, and how likely it makes it."""

    seat: Seat
    gain: float
    likely: float


class Advice(_View, frozen=True):
    """A move worth considering.

    `share` is how much of the search went to it (0 to 1), `margin` the points by which the seat may expect to
    end before the best of the others. `contested` is how likely somebody chooses the same at the same moment;
    `changes` are those when nobody does. `then` is the likely continuation of the same turn, where that is
    clear; the changes are those of both. `promised` is what will change once the seat has what the move keeps
    for it. `rivals` are the others who choose at the same moment, where any do.
    """

    move: Move
    share: float
    margin: float
    contested: float
    changes: tuple[Change, ...]
    then: Move | None = None
    promised: tuple[Change, ...] = ()
    rivals: tuple[Rival, ...] = ()


# -- reviews -------------------------------------------------------------------------------------------------

TOLD: Final = 3
"""The most turning points shown, of the match or of one seat."""


class Forecast(_View, frozen=True):
    """The expectations of everybody after so many plies.

    `margins` says by how many points each seat would end before the best of the others, `chances` how likely
    it would win (0 to 1, together 1). At the end of the match both are the actual result.
    """

    ply: int
    margins: tuple[float, ...]
    chances: tuple[float, ...]


class TurningPoint(_View, frozen=True):
    """A move that costs its seat much: the one made after `ply` plies, or about to be, and a better one.

    The margins of the two come from as many simulations in the same worlds; their difference is the cost.
    `weight` tells how much a point meant for who wins, 1 where the seat's chances were even, little where the
    match was decided for it.
    """

    ply: int
    seat: Seat
    played: Advice
    better: Advice
    weight: float = 1.0

    @property
    def cost(self) -> float:
        """The points by which the better move is better."""
        return self.better.margin - self.played.margin


class Analysis(_View, frozen=True):
    """The findings so far; `share` of the work is done (0 to 1).

    `forecasts` are in the order of their plies, `turning_points` the costliest first: three of the match, and
    as many of each seat, one of each turn. Until all is done, others may still take their places.
    """

    share: float
    forecasts: tuple[Forecast, ...]
    turning_points: tuple[TurningPoint, ...]

    def costliest(self, seat: Seat | None = None) -> tuple[TurningPoint, ...]:
        """Return the costliest turning points of the match, by chances to win, or of one seat, by points."""
        if seat is None:
            points = sorted(self.turning_points, key=lambda point: -point.cost * point.weight)
        else:
            points = [point for point in self.turning_points if point.seat == seat]
        return tuple(points[:TOLD])


# -- people --------------------------------------------------------------------------------------------------

GUEST_MARK: Final = "~"
"""The mark before the name of a guest, who has no key; it survives where a list cuts names."""


def is_guest(user: str) -> bool:
    """Return whether a user has come without a key."""
    return user.startswith(GUEST_MARK)


def bare_name(user: str) -> str:
    """Return a name without its case and the mark of guests, as people may type it."""
    return user.removeprefix(GUEST_MARK).casefold()


class KeyLine(_View, frozen=True):
    """An SSH key that opens an account: its fingerprint as `ssh-keygen -l` prints it, and its name.

    It has done so `since`, and was last `used` then, to the hour, in seconds since 1970; 0 where that is not
    known.
    """

    fingerprint: str
    name: str
    since: int
    used: int


# -- games ---------------------------------------------------------------------------------------------------


class LessonLine(_View, frozen=True):
    """A game that can be learned by a lesson.

    `table` is the one where the user has begun it; `is_new` is true until they have finished some matches, or
    with an account the lesson.
    """

    game: str
    table: str | None
    is_new: bool


class DailyLine(_View, frozen=True):
    """The result of somebody's first try at a deal of the day; `place` counts from 1, and can be shared.

    `won` is their share of the win over the bots: 1 where nobody had as many points.
    """

    place: int
    name: str
    points: int
    won: float


class DailyPast(_View, frozen=True):
    """The user's result in the deal of a game on a day; `won` is their share of the win over the bots."""

    day: str
    game: str
    points: int
    won: float


class DailyTable(_View, frozen=True):
    """The deal of a game on a `day` (as 2026-11-24, in UTC), and how it went for everybody.

    It is played alone against bots of one level, on so many `seats`. `commitment` is the SHA-256 of the seed;
    the `seed` itself is shown once the day is over. So many accounts have `finished`; `lines` has them, the
    best first, for those who have finished too, and for everybody once the day is over. `own` is the user's
    line, `signs` how their match went, and `streak` the days in a row on which they have finished a deal of
    any game. `table` is where they play it now; they have `tried` once they have begun it. `earlier` and
    `later` are the days next to this one that have a deal. Where it is not `ranked`, as at home, `lines` are
    all the user's own results. `server` is the name under which people know the server, or its address; "" at
    home. `bots` are the names of those on the other seats. `left` is the number of seconds until the day is
    over; 0 once it is. `past` has the user's results of the last weeks in all games, the newest first.
    """

    game: str
    day: str
    is_over: bool
    seats: int
    bot: str
    commitment: bytes
    seed: bytes | None = None
    finished: int = 0
    lines: tuple[DailyLine, ...] = ()
    own: DailyLine | None = None
    signs: str = ""
    streak: int = 0
    table: str | None = None
    tried: bool = False
    earlier: str | None = None
    later: str | None = None
    ranked: bool = True
    server: str = ""
    bots: tuple[str, ...] = ()
    left: int = 0
    past: tuple[DailyPast, ...] = ()


class OptionLine(_View, frozen=True):
    """An option of a game: its values with what people read, the default first."""

    name: str
    label: Text
    values: tuple[tuple[str, Text], ...]


class GameLine(_View, frozen=True):
    """A game: all its moves are numbers from 0 to below `moves`."""

    id: str
    name: Text
    rules_version: str
    min_seats: int
    max_seats: int
    moves: int
    options: tuple[OptionLine, ...]


def game_line(meta: Meta, rules_version: str) -> GameLine:
    """Return the line of a game."""
    options = tuple(
        OptionLine(option.name, option.label, tuple((value.value, value.label) for value in option.values))
        for option in meta.options
    )
    return GameLine(meta.id, meta.name, rules_version, meta.min_seats, meta.max_seats, meta.moves, options)
