"""The messages of the protocol. Each side validates what it receives against these shapes.

A client looks at one place at a time, the lobby or a table, and is kept in sync by snapshots and deltas of
that place's tree (see `kk_core.views`). Everything else is request and answer: a client numbers its requests,
and each gets exactly one answer with its number: `Done`, `Refused`, or what it asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, TypeAlias

import msgspec
from msgspec import Meta

from kk_core.bot_names import STAND_IN
from kk_core.text import Text, text, texts
from kk_core.types import Ends, Sheet, Tree
from kk_core.views import (
    Advice,
    Analysis,
    ClockRule,
    CostlyMove,
    Course,
    DailyTable,
    GameLine,
    KeyLine,
    LeaderLine,
    LessonLine,
    PastMatch,
)

PROTOCOL_VERSION = 12

MOST_LINES: Final = 64
"""The most lobby lines a client may look at, besides those of its user's own tables."""

# Longer than anything accepted, so that a name of 21 columns is refused in words, not as a bad frame.
Name: TypeAlias = Annotated[str, Meta(max_length=200)]
Words: TypeAlias = Annotated[str, Meta(max_length=1000)]
Number: TypeAlias = Annotated[int, Meta(ge=0, le=2**32)]
SeatNumber: TypeAlias = Annotated[int, Meta(ge=0, le=15)]


class _Message(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Base of all messages: a list whose first element names the message."""


# -- what a client says --------------------------------------------------------------------------------------


class Hello(_Message, tag="hello", frozen=True):
    """The client's first message, with its protocol version."""

    request: Number
    version: Number
    program: bool = False
    """True if a program chooses the moves instead of a person: everybody sees that."""


class OpenTable(_Message, tag="open", frozen=True):
    """Open a table and go there."""

    request: Number
    game: Name
    options: dict[Name, Name]
    seats: SeatNumber
    title: Name = ""
    hints: bool = False
    """True if players may ask for hints."""
    private: bool = False
    """True if only people who are invited or know the table's code may come."""
    watched: bool = True
    """True if spectators may watch once the match has begun."""
    clock: ClockRule | None = None
    """The time that people have; None for no limit."""
    rated: bool = False
    """True if matches count for the ratings of their people, who must all have an account."""
    stand_in: Name = STAND_IN
    """The bot that plays for people who are away or have given up; always the default at rated tables."""


class OpenLesson(_Message, tag="learn", frozen=True):
    """Go to the table where the user learns a game: an earlier one, or a new one.

    `name` is shown there (default: the user's). With `anew` the lesson starts over.
    """

    request: Number
    game: Name
    name: Name = ""
    anew: bool = False


class OpenDaily(_Message, tag="daily", frozen=True):
    """Go to the table where the user plays today's deal of a game: an earlier one, or a new one.

    `name` is shown there (default: the user's).
    """

    request: Number
    game: Name
    name: Name = ""


class GoTo(_Message, tag="goto", frozen=True):
    """Go to a table, to the replay ID-N of a match that you may see, or with None back to the lobby.

    Seats are kept.
    """

    request: Number
    table: Name | None


class Browse(_Message, tag="browse", frozen=True):
    """Look at other lines of the lobby: `size` of them, starting at number `first` (from 0).

    `shows` chooses "all", "open" or "playing" tables, or none but the user's with "own". The user's own
    tables are always there.
    """

    request: Number
    first: Number
    size: Annotated[int, Meta(ge=1, le=MOST_LINES)]
    shows: Name = "all"


class Find(_Message, tag="find", frozen=True):
    """Ask for a table by its title, the beginning of it, or a person there, as typed."""

    request: Number
    words: Words


class Join(_Message, tag="join", frozen=True):
    """Go to the table of an invitation code."""

    request: Number
    code: Name


class TakeSeat(_Message, tag="sit", frozen=True):
    """Take a free seat before the match, or a bot's as the table's owner.

    `name` is shown there (default: the user's).
    """

    request: Number
    seat: SeatNumber
    name: Name = ""


class LeaveSeat(_Message, tag="stand", frozen=True):
    """Free a seat of your own before the match, or anybody's as the table's owner."""

    request: Number
    seat: SeatNumber


class SetBot(_Message, tag="bot", frozen=True):
    """As the table's owner, put a bot on a free seat before the match, or with None remove it."""

    request: Number
    seat: SeatNumber
    bot: Name | None


class Start(_Message, tag="start", frozen=True):
    """As the table's owner, start the match; all seats must be taken."""

    request: Number


class HandOn(_Message, tag="hand", frozen=True):
    """As the table's owner, make another user seated there the owner."""

    request: Number
    user: Name


class Invite(_Message, tag="invite", frozen=True):
    """Notify a user who is here about the table, and admit them."""

    request: Number
    user: Name


class Say(_Message, tag="say", frozen=True):
    """Say something to people at the same place; during a match, players and spectators are separate."""

    request: Number
    words: Words


class SayPhrase(_Message, tag="phrase", frozen=True):
    """Say one of the `PHRASES`, by its number from 0, to the people who would hear a `Say`."""

    request: Number
    phrase: Number


class Report(_Message, tag="report", frozen=True):
    """Report a user to the admins, with the last lines said; `words` says why."""

    request: Number
    user: Name
    words: Words = ""


class ReadWelcome(_Message, tag="read", frozen=True):
    """The page of the last `Welcome` was read; accounts do not get it again."""

    request: Number


class Contribute(_Message, tag="add", frozen=True):
    """Add 32 bytes to the seed of the next match here, once the host has committed to its own."""

    request: Number
    drawn: Annotated[bytes, Meta(min_length=32, max_length=32)]


# the tags of this and the next one are older than their names: clients know them
class Propose(_Message, tag="ask", frozen=True):
    """Propose something to the others seated here; if nobody else has to agree, it is done at once.

    `what` is "start", "rematch", "abort", "close", or, for a `seat`, "resign" (the user gives up their own)
    or "bot" (a bot plays for its absent owner).
    """

    request: Number
    what: Name
    seat: SeatNumber | None = None


class Vote(_Message, tag="agree", frozen=True):
    """Vote on the proposal here; a no ends it, even from its proposer."""

    request: Number
    yes: bool


class Look(_Message, tag="look", frozen=True):
    """See the table through a seat of your own, or with None as a spectator sees it."""

    request: Number
    seat: SeatNumber | None


class Play(_Message, tag="play", frozen=True):
    """Make a move; `ply` is the number of plies the client had seen, so that an outdated move is refused."""

    request: Number
    seat: SeatNumber
    ply: Number
    move: Number


class Undo(_Message, tag="undo", frozen=True):
    """Take back the seat's last step."""

    request: Number
    seat: SeatNumber


class GoOn(_Message, tag="next", frozen=True):
    """In a lesson, play the skipped plies, once the sentence about them has been read."""

    request: Number


class WhyNot(_Message, tag="why", frozen=True):
    """Ask why a move is not legal."""

    request: Number
    seat: SeatNumber
    move: Number


class Preview(_Message, tag="preview", frozen=True):
    """Ask for the score sheet after a move of your own, and what the move would end."""

    request: Number
    seat: SeatNumber
    move: Number


class Hint(_Message, tag="hint", frozen=True):
    """Ask for advice for a seat of your own, at a table that allows it; other requests are not delayed."""

    request: Number
    seat: SeatNumber


class Weigh(_Message, tag="weigh", frozen=True):
    """Ask whether a move that you are about to make gives much away, at a table that allows hints.

    Other requests are not delayed. `ply` is the number of plies that the client had seen.
    """

    request: Number
    seat: SeatNumber
    ply: Number
    move: Number


class GetRecord(_Message, tag="record", frozen=True):
    """Ask for the record of the finished match."""

    request: Number


class CloseTable(_Message, tag="close", frozen=True):
    """Close a table that the user owns, with its match, if nobody else sits there or watches."""

    request: Number
    table: Name


class GetGames(_Message, tag="games", frozen=True):
    """Ask for the games that can be played here, and the bots."""

    request: Number


class GetLessons(_Message, tag="lessons", frozen=True):
    """Ask for the games that can be learned here."""

    request: Number


class GetDaily(_Message, tag="deal", frozen=True):
    """Ask for the deal of a game on a day, as 2026-11-24 ("" for today), and how it went for everybody."""

    request: Number
    game: Name
    day: Name = ""


class GetHistory(_Message, tag="history", frozen=True):
    """Ask for up to a thousand of the user's finished matches, after skipping the newest `skip`."""

    request: Number
    skip: Number = 0


class GetLeaders(_Message, tag="leaders", frozen=True):
    """Ask for the best players of a game."""

    request: Number
    game: Name


class GetLinkCode(_Message, tag="code", frozen=True):
    """Ask for a code that links another SSH key to the user's account."""

    request: Number


class GetKeys(_Message, tag="keys", frozen=True):
    """Ask for the SSH keys that open the user's account."""

    request: Number


class NameKey(_Message, tag="namekey", frozen=True):
    """Name a key of the user's account, given by its fingerprint."""

    request: Number
    fingerprint: Name
    name: Name


class RemoveKey(_Message, tag="unkey", frozen=True):
    """Remove a key of the user's account, given by its fingerprint; sessions that came with it end."""

    request: Number
    fingerprint: Name


class GetCalls(_Message, tag="calls", frozen=True):
    """Ask where the server calls the user when it is their turn and they are away."""

    request: Number


class OrderCalls(_Message, tag="call", frozen=True):
    """Have a code sent to an address, such as a mail address or a webhook's, to be called there."""

    request: Number
    address: Words


class ConfirmCalls(_Message, tag="callcode", frozen=True):
    """Have the user called at the address that this code was sent to."""

    request: Number
    code: Name


class StopCalls(_Message, tag="uncall", frozen=True):
    """Have the address where the user is called forgotten."""

    request: Number


class OpenReplay(_Message, tag="replay", frozen=True):
    """Go to the replay of a match in your history: number `match`, from 1, of a table."""

    request: Number
    table: Name
    match: Number


class Forget(_Message, tag="forget", frozen=True):
    """Remove a match from your history: number `match`, from 1, of a table."""

    request: Number
    table: Name
    match: Number


class LookBack(_Message, tag="back", frozen=True):
    """Ask how the match here looked after `ply` plies.

    `eyes` is a seat of your own, or None for a spectator's view; after the end it may be any seat.
    """

    request: Number
    ply: Number
    eyes: SeatNumber | None


class GetCourse(_Message, tag="course", frozen=True):
    """Ask for the course of the finished match here."""

    request: Number


class GetRemarks(_Message, tag="remark", frozen=True):
    """Ask for remarks to the user about the finished match here."""

    request: Number


class Analyse(_Message, tag="analyse", frozen=True):
    """Ask for some work on the analysis of the finished match here; other requests are not delayed.

    `known` is the number of forecasts the client already has. Ask until `share` is 1; the server works on it
    only when asked.
    """

    request: Number
    known: Number = 0


class PlayOn(_Message, tag="on", frozen=True):
    """Open a table where the finished match here continues from a ply, and go there.

    `seats` has a bot's name for each seat, or "" for the user, who is shown as `name`.
    """

    request: Number
    ply: Number
    seats: tuple[Name, ...]
    name: Name = ""


class Resync(_Message, tag="resync", frozen=True):
    """Ask for a snapshot after a delta that did not fit."""

    request: Number


ClientMessage: TypeAlias = (
    Hello | OpenTable | OpenLesson | OpenDaily | GoTo | Browse | Find | Join | TakeSeat | LeaveSeat | SetBot
    | Start | HandOn | Invite | Say | SayPhrase | Report | ReadWelcome | Contribute | Propose | Vote | Look
    | Play | Undo | GoOn | WhyNot | Preview | Hint | Weigh | GetRecord | CloseTable | GetGames | GetLessons
    | GetDaily | GetHistory | GetLeaders | GetLinkCode | GetKeys | NameKey | RemoveKey | GetCalls | OrderCalls
    | ConfirmCalls | StopCalls | OpenReplay | Forget | LookBack | GetCourse | GetRemarks | Analyse | PlayOn
    | Resync
)  # fmt: skip


# -- what a server says --------------------------------------------------------------------------------------


class WelcomePage(msgspec.Struct, frozen=True, array_like=True):
    """The welcome page: the server's name, its house rules, its news; each may be empty."""

    name: str = ""
    rules: str = ""
    news: str = ""


class Welcome(_Message, tag="welcome", frozen=True):
    """Answer to `Hello`: the user's name on the server, and the versions of protocol and program.

    `host` and `port` are what people type to get there; "" and 0 if the server does not know. `page` is to
    be shown before anything else; None if there is none, or the user has read it. `language` is the code of
    the language that the user has chosen for their account, "" if none. `web` is the address of the page for
    browsers, to which join/CODE, table/ID or match/ID-N can be added; "" if there is none.
    """

    request: Number
    user: str
    version: int
    server: str
    host: str = ""
    port: int = 0
    page: WelcomePage | None = None
    language: str = ""
    web: str = ""


class Done(_Message, tag="done", frozen=True):
    """A request was carried out, and what it changed is stored."""

    request: Number


class Refused(_Message, tag="refused", frozen=True):
    """A request was not carried out; nothing has changed."""

    request: Number
    reason: Text


class Answer(_Message, tag="answer", frozen=True):
    """Answer to `WhyNot`: the reason, or None if the move is legal."""

    request: Number
    reason: Text | None


class Previewed(_Message, tag="previewed", frozen=True):
    """Answer to `Preview`: the score sheet after the move, without what the move would show.

    The sheet is None if that cannot be left out; `shows` if the player would see something new.
    `ends` says whether the move could be taken back: "nothing" can, and a "choice" can until all others have
    made theirs at the same moment. A move that shows a "secret", or ends the "turn", cannot. In a deal of the
    day nothing can, whatever it ends. In a simultaneous choice, the sheet is as if only this seat had made
    the choice, and `wanted` is what each seat would gain if it alone made it.
    """

    request: Number
    sheet: Sheet | None
    ends: Ends = "nothing"
    wanted: tuple[int, ...] = ()
    shows: bool = False


class Hinted(_Message, tag="hinted", frozen=True):
    """Answer to `Hint`: the best moves, the best first; none if there is nothing to choose."""

    request: Number
    moves: tuple[Advice, ...]


class Weighed(_Message, tag="weighed", frozen=True):
    """Answer to `Weigh`: the move beside a better one.

    None if it gives little away, or if there was no time to find out.
    """

    request: Number
    point: CostlyMove | None


class RecordText(_Message, tag="recorded", frozen=True):
    """Answer to `GetRecord`: the text of the record's file, and its signature.

    `signature` is the server's, over the bytes of `text`, for a separate file; None if nobody signs.
    """

    request: Number
    text: str
    signature: str | None = None


class Games(_Message, tag="playable", frozen=True):
    """Answer to `GetGames`: the games, and the names to seat bots by."""

    request: Number
    games: tuple[GameLine, ...]
    bots: tuple[str, ...]


class Lessons(_Message, tag="taught", frozen=True):
    """Answer to `GetLessons`."""

    request: Number
    lessons: tuple[LessonLine, ...]


class Daily(_Message, tag="dealt", frozen=True):
    """Answer to `GetDaily`."""

    request: Number
    table: DailyTable


class History(_Message, tag="played", frozen=True):
    """Answer to `GetHistory`: the matches, newest first, and whether there are older ones."""

    request: Number
    matches: tuple[PastMatch, ...]
    has_older: bool = False


class Leaders(_Message, tag="led", frozen=True):
    """Answer to `GetLeaders`: the best first; the user is always included if they have a rating."""

    request: Number
    lines: tuple[LeaderLine, ...]


class LinkCode(_Message, tag="coded", frozen=True):
    """Answer to `GetLinkCode`: the code, which is good for one key, and the seconds it is valid."""

    request: Number
    code: str
    seconds: int


class Keys(_Message, tag="keyed", frozen=True):
    """Answer to `GetKeys`: the keys, oldest first; `own` is the fingerprint of this session's key."""

    request: Number
    keys: tuple[KeyLine, ...]
    own: str | None = None


class CallWays(_Message, tag="called", frozen=True):
    """Answer to `GetCalls`: the forms of addresses that the server can call; none if it calls nobody.

    `address` is where the user is called, and `unconfirmed` where a code was sent that they have to type
    first; each may be empty. They are called once they have been away for `minutes`.
    """

    request: Number
    ways: tuple[str, ...]
    address: str = ""
    unconfirmed: str = ""
    minutes: int = 0


class Found(_Message, tag="found", frozen=True):
    """Answer to `Find`: the table with that title, or of that user, or the only one that begins like that.

    If several have it, or begin like that, `n` is the number of their titles and `titles` are the first of
    these, or `n` is the number of tables that have the only one. `name` is the longest beginning of the words
    that is the name of a user here.
    """

    request: Number
    table: str | None
    titles: tuple[str, ...] = ()
    n: int = 0
    name: str = ""


def more_of_title(titles: Sequence[str], n: int) -> Text:
    """Return the sentence that asks for more of a title; `titles` are the first of the `n` that match."""
    shown = ", ".join(titles)
    return texts(
        "{n} title matches; type more of it: {titles}",
        "{n} titles match; type more of one: {titles}",
        n,
        titles=shown if n <= len(titles) else f"{shown}, ...",
    )


class PastPosition(_Message, tag="then", frozen=True):
    """Answer to `LookBack`: the tree of the match at that ply, without `printed` and `drawing`."""

    request: Number
    match: Tree


class MatchCourse(_Message, tag="went", frozen=True):
    """Answer to `GetCourse`."""

    request: Number
    course: Course


class Remarks(_Message, tag="remarked", frozen=True):
    """Answer to `GetRemarks`: how the match compares with the user's earlier ones."""

    request: Number
    remarks: tuple[Text, ...]


class Analysed(_Message, tag="analysed", frozen=True):
    """Answer to `Analyse`: the findings so far, without the forecasts the client already has."""

    request: Number
    analysis: Analysis


class Snapshot(_Message, tag="snap", frozen=True):
    """The whole tree of the place that the client looks at."""

    revision: int
    tree: Tree


class Delta(_Message, tag="delta", frozen=True):
    """A patch from the revision last sent to this one; `base` is the fingerprint of the tree before it."""

    revision: int
    base: bytes
    patch: Tree


class Notice(_Message, tag="notice", frozen=True):
    """An unrequested message to the user; `table` is where it leads, if anywhere.

    With `stays` it is shown until it has been read; with `from_host` it must look like nothing else. With
    `lapses` it is over once the connection is, or the next such notice comes.
    """

    text: Text
    table: str | None = None
    stays: bool = False
    from_host: bool = False
    lapses: bool = False


class Goodbye(_Message, tag="bye", frozen=True):
    """The server ends the connection, for this reason."""

    reason: Text


ServerMessage: TypeAlias = (
    Welcome | Done | Refused | Answer | Previewed | Hinted | Weighed | RecordText | Games | Lessons | Daily
    | History | Leaders | LinkCode | Keys | CallWays | Found | PastPosition | MatchCourse | Remarks
    | Analysed | Snapshot | Delta | Notice | Goodbye
)  # fmt: skip


PHRASES: Final = (
    text("Good luck, and have fun!"),
    text("Hello!"),
    text("Well played!"),
    text("Oops!"),
    text("One moment, please."),
    text("I'm back."),
    text("Another game?"),
    text("Thanks, that was fun. Bye!"),
)
