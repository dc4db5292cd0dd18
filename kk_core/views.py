"""Views: the content of snapshots, deltas and answers, as structs and as trees on the wire."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final, TypeAlias, TypeVar

import msgspec
from msgspec.structs import astuple, replace

from kk_core.text import Text
from kk_core.tree import to_tree
from kk_core.types import CommonObservation, Event, Meta, Move, Seat, Sheet, Tree
from kk_core.values import pack_moves, unpack_moves


# arrays, so that field names are not sent
class _View(msgspec.Struct, frozen=True, array_like=True):
    pass


# -- chat ----------------------------------------------------------------------------------------------------

CHAT_SLOTS: Final = 60
"""The number of latest lines in a view."""


class ChatLine(_View, frozen=True):
    """A user's words, under their name at that place; or an event, if `user` is empty.

    A phrase sent with a key is one of the `PHRASES`. `at` is in seconds since 1970; `is_admin` marks admins'
    lines.
    """

    at: int
    user: str
    name: str
    words: Text | str
    is_admin: bool = False


class ChatView(_View, frozen=True):
    """The latest lines in a ring: line n, from 0, is at n % CHAT_SLOTS. `said` is the number of all lines."""

    said: int = 0
    ring: tuple[ChatLine | None, ...] = ()

    def recent(self) -> tuple[ChatLine, ...]:
        """Return the lines still in the ring, oldest first."""
        slots = len(self.ring)
        numbers = range(max(0, self.said - slots), self.said)
        return tuple(line for number in numbers if (line := self.ring[number % slots]) is not None)


# -- clocks --------------------------------------------------------------------------------------------------

DAY: Final = 24 * 3600


# clients send these, too, when opening a table, so unknown fields are forbidden
class _Clock(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    pass


class ClockRule(_Clock, frozen=True):
    """The seconds that each player has per turn, and in a bank for the whole match."""

    move: Annotated[int, msgspec.Meta(ge=1, le=30 * DAY)]
    bank: Annotated[int, msgspec.Meta(ge=0, le=DAY)] = 0


class SeatClock(_Clock, frozen=True):
    """The seconds left to a seat when the view was made, for this turn and in its bank."""

    move: int
    bank: int
    runs: bool


class ClockView(_Clock, frozen=True):
    """The clocks of a match, by seat; no seats before the first match."""

    rule: ClockRule
    seats: tuple[SeatClock, ...] = ()


# -- ratings -------------------------------------------------------------------------------------------------

SETTLED: Final = 10
"""The rated matches of a game after which a rating counts as settled."""


class RatingView(_View, frozen=True):
    """A user's rating in a game; `change` is the effect of the match here, once it is over."""

    shown: int
    is_settled: bool = False
    change: int | None = None


class LeaderLine(_View, frozen=True):
    """A line of a leaderboard; `place` counts from 1, and is 0 if the rating is not settled.

    `won` counts wins; a shared win counts as a part for each winner. `deviation` is the standard deviation of
    the rating, its uncertainty.
    """

    place: int
    name: str
    rating: RatingView
    played: int
    won: float
    deviation: int = 0


# -- matches, tables and the lobby ---------------------------------------------------------------------------

O = TypeVar("O", bound=CommonObservation)  # noqa: E741 - the letter that the Game protocol uses

LOG_SLOTS: Final = 48
"""The number of latest plies in a view."""


class LogEntry(_View, frozen=True):
    """A ply as a viewer may see it; `move` is None if the choice is secret."""

    seat: Seat
    move: Move | None
    events: tuple[Event, ...] = ()


class ShuffleView(_View, frozen=True):
    """The seed of the next match so far: the host's commitment, and the users who have contributed."""

    commitment: bytes
    added: tuple[str, ...] = ()


class MatchView(_View, frozen=True):
    """A match as one viewer may see it.

    The log is a ring: ply p is at p % LOG_SLOTS, so that a step changes one slot, and undo is a change like
    any other. `seed` and `host_seed` are None until the match has ended, and for a deal of the day until the
    day is over; `contributions` are the bytes that seats have added to the host's. `printed` and `drawing`
    are trees that never change, so they are sent once; in a tree, `observation` lacks them and has its moves
    packed. `standing` has the points as if everything were scored now; empty if the observation's own sheet
    says the same. `turn_start` is the ply that the current turn or simultaneous choice begins with.
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
    turn_start: int = 0

    def recent(self) -> list[tuple[int, LogEntry]]:
        """Return the plies still in the ring with their numbers from 0, oldest first."""
        first = max(0, self.ply - LOG_SLOTS)
        entries = ((ply, self.log[ply % LOG_SLOTS]) for ply in range(first, self.ply))
        return [(ply, entry) for ply, entry in entries if entry is not None]

    def observed(self, shape: type[O], printed: object = None) -> O:
        """Return the observation as `shape`, of its game's model; `printed` if already decoded.

        Raises `msgspec.ValidationError` if it does not fit.
        """
        if isinstance(self.observation, shape):
            return self.observation
        return decode_observation(self.observation, shape, self.printed if printed is None else printed)


class SeatView(_View, frozen=True):
    """The occupant of a seat: a user (its owner), a bot, or nobody.

    `colour` is the number of the seat's colour and shape; people keep theirs when they change seats. `away`
    is the time since which the owner has been offline, in seconds since 1970; 0 if unknown. `stand_in` is the
    bot that plays for them meanwhile, or to the end, if they have given up. `rating` is the owner's, if
    matches are rated. `stood_in` is the number of moves that stand-ins have made since the owner's last own
    one. `program` is true if the owner is a program that has declared itself (see `Hello`). `style` is the
    bot's, one of `kk_core.bot_names.STYLES`, or None.
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
    style: str | None = None


class ProposalView(_View, frozen=True):
    """A proposal at a table: see `Propose`. `waits` are the users who have not answered."""

    what: str
    seat: Seat | None
    user: str
    agreed: tuple[str, ...]
    waits: tuple[str, ...]


class LessonView(_View, frozen=True):
    """A lesson at step `step` of `steps`, from 1; at the end it is the last one, and nothing is asked.

    `told` says what the last step has done to the score; `asks` is the next task, done by one of the moves
    `wanted`, and None while others move. After any other move the learner has `strayed`: then `told` comments
    on it, and it can be taken back. If the lesson skips some moves, `skips` says which, and they are made
    after `GoOn`. `intro` has pages to be read before the step, at the first one those that introduce the
    game; after the last one, `learnt` has the rules in short lines. `titles` name all steps; `words` is a
    glossary, each word with its meaning; `about` has the lines of the score sheet that the step is about.
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
    titles: tuple[Text, ...] = ()
    words: tuple[tuple[Text, Text], ...] = ()
    about: tuple[int, ...] = ()


class DailyMark(_View, frozen=True):
    """The deal of the day that is played at a table; `day` is in UTC.

    It `counts` if it is an account's first try and is finished before the day is over. While the deal is
    `secret`, until then, nobody sees the seed or the record.
    """

    day: str
    counts: bool
    secret: bool


class TableView(_View, frozen=True, tag="table", tag_field="place"):
    """A table as one viewer may see it; `phase` is "open", "playing", "finished" or "replay".

    `owner` is the user who owns it. With `hints`, players may ask for them. `code` is the invitation code of
    a private table. `watchers` are the spectators. If it is `rated`, matches count for the ratings of their
    people. The bot `stand_in` plays for absent players; without a clock, only if the others agree, once
    somebody has been away for `absence` seconds. `lesson` is set during a lesson: then every step can be
    taken back. `daily` is set for a deal of the day: then none can. `waits` is true while a change waits for
    the server's database; it is made as soon as it is stored. `number` is that of the match, from 1, which
    names its replay; 0 before the first, and in a replay.
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
    waits: bool = False
    number: int = 0


class TableLine(_View, frozen=True):
    """One line of the lobby.

    Before the match, `round` is 0 and nobody has points. `points` are the public ones, `active` the seats
    whose turn it is; `at` is the time of the table's last change, in seconds since 1970. A `private` table is
    shown only to people who are invited. One that is not `watched` admits only people seated there, once the
    match has begun. If the match cannot continue here, `unplayable` says why. A `lesson` is played alone, and
    its result does not count. `daily` is the day whose deal is played there, as 2026-11-24; "" at other
    tables.
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

    def waits_for(self, user: str) -> bool:
        """Return whether it is a user's turn; lessons and deals of the day, played alone, do not wait."""
        if self.phase != "playing" or self.unplayable is not None or self.lesson or self.daily:
            return False
        seats = (self.seats[seat] for seat in self.active)
        return any(seat.owner == user and not seat.has_given_up for seat in seats)


class LobbyView(_View, frozen=True, tag="lobby", tag_field="place"):
    """The lobby as one user sees it: some of the tables, and the people who are here.

    `own` are the user's tables and those they are invited to. `others` are some of the `total` other tables
    that it `shows` (see `Browse`), starting at number `first`; their `at` is 0. `here` is the number of
    people here, and `users` has the first of them by name; `programs` and `admins` are those who are programs
    and admins.
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
        """All lines of the view."""
        return (*self.own, *self.others)


PlaceView: TypeAlias = TableView | LobbyView


# -- as trees ------------------------------------------------------------------------------------------------

_PLACE: Any = PlaceView

# each plus 1: the tag comes before the fields
_OWN: Final = 1 + LobbyView.__struct_fields__.index("own")
_OTHERS: Final = 1 + LobbyView.__struct_fields__.index("others")
_CHAT: Final = 1 + LobbyView.__struct_fields__.index("chat")

_MATCH: Final = 1 + TableView.__struct_fields__.index("match")
_PRINTED: Final = CommonObservation.__struct_fields__.index("printed")
_LEGAL: Final = CommonObservation.__struct_fields__.index("legal_moves")
_MATCH_PRINTED: Final = MatchView.__struct_fields__.index("printed")
_MATCH_DRAWING: Final = MatchView.__struct_fields__.index("drawing")


def encode_place(place: PlaceView) -> Tree:
    """Return the tree of a place; all trees of a match share the same `printed` and `drawing`."""
    if isinstance(place, LobbyView) or place.match is None:
        return to_tree(place)
    tree = to_tree(replace(place, match=None))
    tree[_MATCH] = encode_match(place.match)
    return tree


def lobby_tree(**parts: Tree) -> Tree:
    """Return the tree of a `LobbyView` from the trees of its fields, so that unchanged ones are shared."""
    return [LobbyView.__struct_config__.tag, *(parts[name] for name in LobbyView.__struct_fields__)]


def encode_match(match: MatchView) -> Tree:
    """Return the tree of a match whose observation is still a struct of its game's model."""
    values = encode_observation(match.observation)
    tree = to_tree(replace(match, observation=values, printed=None, drawing=None))
    tree[_MATCH_PRINTED], tree[_MATCH_DRAWING] = match.printed, match.drawing
    return tree


def encode_observation(observation: CommonObservation) -> list[Any]:
    """Return an observation's fields for encoding: without `printed`, and with its moves packed."""
    values = list(astuple(observation))
    values[_PRINTED], values[_LEGAL] = None, pack_moves(values[_LEGAL])
    return values


def decode_observation(values: Sequence[Any], shape: type[O], printed: object) -> O:
    """Return the observation that `encode_observation` encoded, as `shape`, of its game's model.

    Raises `msgspec.ValidationError` if it does not fit.
    """
    fields = list(values)
    fields[_PRINTED], fields[_LEGAL] = printed, unpack_moves(fields[_LEGAL])
    return msgspec.convert(fields, shape, builtin_types=(bytes,))


def encode_past(match: MatchView) -> Tree:
    """Return the tree of an earlier position, without `printed` and `drawing`: the reader has these."""
    tree = encode_match(match)
    tree[_MATCH_PRINTED] = tree[_MATCH_DRAWING] = None
    return tree


def decode_past(tree: Tree, now: MatchView) -> MatchView:
    """Return the view that `encode_past` encoded, completed from the current one.

    Raises `msgspec.ValidationError` if the tree does not fit.
    """
    then: MatchView = msgspec.convert(tree, MatchView, builtin_types=(bytes,))
    return replace(then, printed=now.printed, drawing=now.drawing)


def decode_place(tree: Tree) -> PlaceView:
    """Decode the view of a place from its tree. Raises `msgspec.ValidationError` if it does not fit."""
    place: PlaceView = msgspec.convert(tree, _PLACE, builtin_types=(bytes,))
    return place


def decode_next(tree: Tree, last: Tree, place: PlaceView) -> PlaceView:
    """Decode a tree that a patch made from `last`, whose view is `place`; reuses unchanged lobby lines.

    Raises `msgspec.ValidationError` if it does not fit.
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
            # not `get`, as above: empty slots of the ring are None
            ring=tuple(ring[id(line)] if id(line) in ring else next(said) for line in tree[_CHAT][1]),
        ),
    )


def is_lobby(tree: Tree) -> bool:
    """Return whether a tree is a lobby's, with all parts that `decode_next` relies on."""
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
    """The course of a finished match. Positions count the plies made: 0 is before the first.

    `movers` has the seat of each ply; `turns` and `rounds` the positions at which a new one began, `scorings`
    those after each scoring, including the final one; `points` has each seat's points for each position, as
    if the match had ended there.
    """

    movers: tuple[Seat, ...]
    turns: tuple[int, ...]
    rounds: tuple[int, ...]
    scorings: tuple[int, ...]
    points: tuple[tuple[int, ...], ...]


class PastMatch(_View, frozen=True):
    """One line of a user's history: the match number `match` (from 1) of a table.

    It ended `at`, in seconds since 1970. `names` are the seats' names, `bots` their bots or None, `mine` the
    user's own seats. `replayed` is the number of plies that came from another match, `colours` are those of
    the seats (see `SeatView`); `programs` are the seats where an outside program played.
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
    """The immediate effect of a move on a line of the score sheet, as a mean over possible worlds.

    `own` is the viewer's gain in points; `rival` is the seat that loses most there, and `loss` how much (0 or
    below). `leads` says whether the viewer then has the most points in the line, and did not before.
    """

    line: int
    own: float
    rival: Seat | None
    loss: float
    leads: bool


class Rival(_View, frozen=True):
    """Another seat in a simultaneous choice: its gain by the same choice, and how likely it makes it.

    `cost` is what the viewer would lose by that, such as a lead. `gains` are the lines of the score sheet
    in which it would gain, with the points, greatest first.
    """

    seat: Seat
    gain: float
    likely: float
    cost: float = 0.0
    gains: tuple[tuple[int, float], ...] = ()


CLOSE: Final = 1.5
"""Points that moves of a hint must be apart where others choose at the same moment, for the better one to be
known: the standard error of a search.
"""


class Advice(_View, frozen=True):
    """A move worth considering.

    `share` is the part of the search that went to it (0 to 1), `margin` the expected final lead, in points,
    over the best of the others. `contested` is how likely somebody makes the same simultaneous choice;
    `changes` are those if nobody does. `then` is the likely continuation of the same turn, if clear; the
    changes are then those of both. `promised` are the changes once the seat gets what the move reserves for
    it. `rivals` are the others in a simultaneous choice. `missed` is by how much the score sheets differ when
    this move and the best one have been played on many times: what the best one brings more, and whom less.
    `chance` is the probability of winning (0 to 1), None if unknown. `ended` is by how many points each seat
    ended higher after the best move than after this one, 0 where that may be chance; `error` is the standard
    error of the difference between the two margins.
    """

    move: Move
    share: float
    margin: float
    contested: float
    changes: tuple[Change, ...]
    then: Move | None = None
    promised: tuple[Change, ...] = ()
    rivals: tuple[Rival, ...] = ()
    missed: tuple[Change, ...] = ()
    chance: float | None = None
    ended: tuple[float, ...] = ()
    error: float = 0.0


_EVEN: Final = 0.5
"""Points from which a move is worse than the best one, where nobody else chooses at the same moment."""

_NOISE: Final = 2.0
"""Standard errors that a difference must exceed not to be noise."""


def noise(other: Advice) -> float:
    """Return the points that a move must be worse than the best one for a search to tell them apart."""
    return CLOSE if other.rivals else max(_EVEN, _NOISE * other.error)


def is_even(best: Advice, other: Advice) -> bool:
    """Return whether a move is about as good as the best one, as far as a search can tell."""
    return best.margin - other.margin < noise(other)


# -- reviews -------------------------------------------------------------------------------------------------

TOLD: Final = 3
"""The number of costly moves shown at most, of the match or of one seat."""


class Forecast(_View, frozen=True):
    """The expected result after `ply` plies.

    `margins` has each seat's final lead over the best of the others in points, `chances` its probability of
    winning (adding up to 1). At the end of the match both are the actual result.
    """

    ply: int
    margins: tuple[float, ...]
    chances: tuple[float, ...]


class CostlyMove(_View, frozen=True):
    """A costly move, made after `ply` plies or about to be, and a better one.

    The margins of the two come from equally many simulations in the same worlds; their difference is the
    cost. `weight` says how much a point mattered for winning: 1 if the seat's chances were even, little if
    they were already decided.
    """

    ply: int
    seat: Seat
    played: Advice
    better: Advice
    weight: float = 1.0

    @property
    def cost(self) -> float:
        """The points that the played move gives away."""
        return self.better.margin - self.played.margin


class Analysis(_View, frozen=True):
    """The findings so far; `share` of the work is done (0 to 1).

    `forecasts` are in the order of their plies, `costly_moves` costliest first: up to three of each seat,
    at most one per turn. Until all is done, others may still replace them.
    """

    share: float
    forecasts: tuple[Forecast, ...]
    costly_moves: tuple[CostlyMove, ...]

    def costliest(self, seat: Seat | None = None) -> tuple[CostlyMove, ...]:
        """Return the match's costliest moves, by chances of winning, or one seat's, by points."""
        if seat is None:
            return self.by_chances()[:TOLD]
        return tuple(point for point in self.costly_moves if point.seat == seat)[:TOLD]

    def by_chances(self) -> tuple[CostlyMove, ...]:
        """Return all costly moves, those first that cost the most chances of winning."""
        return tuple(sorted(self.costly_moves, key=lambda point: -point.cost * point.weight))


# -- people --------------------------------------------------------------------------------------------------

GUEST_MARK: Final = "~"
"""The mark before a guest's name; in front, so that it survives where a list truncates names."""


def is_guest(user: str) -> bool:
    """Return whether a user connected without a key."""
    return user.startswith(GUEST_MARK)


def bare_name(user: str) -> str:
    """Return a name for comparison: casefolded and without the guest mark, as people may type it."""
    return user.removeprefix(GUEST_MARK).casefold()


class KeyLine(_View, frozen=True):
    """An SSH key that opens an account: its fingerprint as `ssh-keygen -l` prints it, and its name.

    `since` is when it was added, `used` when it was last used, to the hour; both in seconds since 1970, 0 if
    unknown.
    """

    fingerprint: str
    name: str
    since: int
    used: int


# -- games ---------------------------------------------------------------------------------------------------


class LessonLine(_View, frozen=True):
    """A game with a lesson.

    `table` is where the user has begun it, if anywhere; `is_new` is true until they have finished some
    matches, or with an account the lesson.
    """

    game: str
    table: str | None
    is_new: bool


class DailyLine(_View, frozen=True):
    """The result of an account's first try at a deal of the day; `place` counts from 1, and can be shared.

    `won` is the share of the win over the bots: 1 if no bot had as many points.
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

    It is played alone against bots of one level; `seats` is the number of all seats. `commitment` is the
    SHA-256 of the seed; the `seed` itself is shown once the day is over. `finished` is the number of accounts
    that have finished; `lines` has them, best first, once the user has finished too or the day is over. `own`
    is the user's line, `signs` how their match went, and `streak` the days in a row on which they have
    finished a deal of any game. `table` is where they play it now; `tried` is true once they have begun it.
    `earlier` and `later` are the nearest days with a deal. If it is not `ranked`, as at home, `lines` are all
    the user's own results. `server` is the server's name or address; "" at home. `bots` are the names of the
    bots. `left` is the number of seconds until the day is over; 0 once it is. `past` has the user's results
    of the last weeks in all games, newest first.
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
    """An option of a game: its values with their labels, the default first."""

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
