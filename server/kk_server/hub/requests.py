"""What each message of a client asks of the hub."""

from __future__ import annotations

from typing import Final, Protocol

import kk_core
from kk_core.bot_names import bot_choices
from kk_core.match import Match
from kk_core.protocol.messages import (
    PHRASES,
    PROTOCOL_VERSION,
    Agree,
    Analyse,
    Analysed,
    Answer,
    Ask,
    Browse,
    ClientMessage,
    CloseTable,
    Contribute,
    Done,
    Find,
    Forget,
    Found,
    Games,
    GetCourse,
    GetGames,
    GetHistory,
    GetKeys,
    GetLeaders,
    GetLinkCode,
    GetRecord,
    GoTo,
    HandOn,
    Hello,
    Hint,
    Hinted,
    History,
    Invite,
    Join,
    Keys,
    Leaders,
    LeaveSeat,
    LinkCode,
    Look,
    LookBack,
    NameKey,
    OpenReplay,
    OpenTable,
    Past,
    Play,
    PlayOn,
    Preview,
    Previewed,
    ReadWelcome,
    RecordText,
    RemoveKey,
    Report,
    Resync,
    Say,
    SayPhrase,
    ServerMessage,
    SetBot,
    Start,
    TakeSeat,
    Undo,
    Welcome,
    WelcomePage,
    Went,
    WhyNot,
)
from kk_core.protocol.views import GameLine, LeaderLine, encode_past, game_line
from kk_core.record import format_record
from kk_core.registry import game, game_ids
from kk_core.text import Text, text
from kk_server.accounts.accounts import Accounts
from kk_server.hub.history import Analyses
from kk_server.hub.history import History as Histories
from kk_server.hub.lobby import Lobby
from kk_server.hub.place import NotPossible, Place, Window
from kk_server.hub.presence import Presence
from kk_server.hub.session import Session, Sessions
from kk_server.hub.table import Table

_WORDS_OF_A_NAME: Final = 8


class Tables(Protocol):
    """The tables that requests are about."""

    history: Histories
    address: tuple[str, int]
    analyses: Analyses
    sessions: Sessions
    lobby: Lobby
    presence: Presence

    async def open_table(self, user: str, wish: OpenTable, network: str | None = None) -> Table:
        """Open a table. Raises `KkError`."""
        ...

    def count_opening(self, user: str, network: str | None) -> None:
        """Somebody wants to open a table, which has a limit. Raises `KkError`."""
        ...

    def count_look(self, user: str, network: str | None) -> None:
        """Somebody looks about or changes their place, which has a limit. Raises `KkError`."""
        ...

    def count_line(self, user: str) -> None:
        """Somebody asks or invites: that others hear it has a limit. Raises `KkError`."""
        ...

    def say(self, user: str, place: Place | None, words: str | Text, *, is_admin: bool = False) -> None:
        """Let those at a place, or in the lobby, hear something. Raises `KkError`."""
        ...

    async def welcome_for(self, user: str) -> WelcomePage | None:
        """What somebody is to read who comes; None where there is nothing, or he has read it."""
        ...

    async def welcome_read(self, user: str, page: WelcomePage | None) -> None:
        """Somebody has read a page. Raises `KkError`."""
        ...

    def check_named(self, user: str, name: str) -> None:
        """Refuse what others could read as a name that a user gives to something. Raises `KkError`."""
        ...

    def check_heard(self, user: str) -> None:
        """Whether others may hear a user. Raises `KkError`."""
        ...

    async def report(self, user: str, about: str, why: str) -> None:
        """Tell the host of somebody. Raises `KkError`."""
        ...

    async def join(self, user: str, code: str) -> Table:
        """The table of an invitation, to which somebody may come from now on. Raises `KkError`."""
        ...

    async def close_table(self, user: str, table_id: str) -> None:
        """Close a table of a user's. Raises `KkError`."""
        ...

    async def play_on(self, user: str, match: Match, wish: PlayOn, network: str | None = None) -> Table:
        """Open a table where a match goes on that has ended elsewhere. Raises `KkError`."""
        ...

    async def open_replay(self, user: str, table_id: str, number: int) -> Place:
        """A match of a user's history. Raises `KkError`."""
        ...

    def leaders(self, user: str, game: str) -> tuple[LeaderLine, ...]:
        """Who plays a game best. Raises `KkError`."""
        ...

    def new_link_code(self, user: str) -> tuple[str, int]:
        """A code that links a further key to a user's account, and its life in seconds. Raises `KkError`."""
        ...

    @property
    def accounts(self) -> Accounts:
        """Whose keys they are that people come with. Raises `NotPossible` where there are no accounts."""
        ...

    async def place(self, place_id: str) -> Place:
        """A table or a replay by its identifier. Raises `KkError`."""
        ...

    def sign(self, content: bytes) -> str | None:
        """The signature of what leaves this house; None where nobody signs."""
        ...


_LOOKS: Final = (GoTo, Look, Resync, OpenReplay, GetHistory, TakeSeat, LeaveSeat, SetBot)
"""What costs a view, or what all who look are told of."""


async def answer(tables: Tables, session: Session, message: ClientMessage) -> ServerMessage:
    """Carry out one request. Raises `KkError` when it is refused; then nothing has changed."""
    if isinstance(message, OpenTable | PlayOn):
        tables.count_opening(session.user, session.network)
    elif isinstance(message, _LOOKS):
        tables.count_look(session.user, session.network)
    match message:
        case Hello():
            check_version(message)
            session.page = await tables.welcome_for(session.user)
            if message.program:
                tables.sessions.be_program(session)
            return Welcome(
                message.request, session.user, PROTOCOL_VERSION, kk_core.__version__, *tables.address,
                session.page,
            )  # fmt: skip
        case ReadWelcome():
            await tables.welcome_read(session.user, session.page)
        case OpenTable():
            await session.go_to(await tables.open_table(session.user, message, session.network))
        case OpenReplay():
            await session.go_to(await tables.open_replay(session.user, message.table, message.match))
        case GoTo():
            await session.go_to(None if message.table is None else await tables.place(message.table))
        case Browse():
            session.browse(Window(message.first, message.size, message.shows))
        case Find():
            return await _find(tables, session.user, message)
        case Say():
            tables.say(session.user, session.place, message.words, is_admin=session.is_admin)
        case SayPhrase():
            tables.say(session.user, session.place, _phrase(message.phrase), is_admin=session.is_admin)
        case Report():
            await tables.report(session.user, message.user, message.words)
        case Join():
            await session.go_to(await tables.join(session.user, message.code))
        case CloseTable():
            await tables.close_table(session.user, message.table)
        case Forget():
            await tables.history.forget(session.user, message.table, message.match)
        case GetGames():
            return Games(message.request, _games(), bot_choices())
        case GetHistory():
            return History(message.request, *await tables.history.lines(session.user, message.skip))
        case GetLeaders():
            return Leaders(message.request, tables.leaders(session.user, message.game))
        case GetLinkCode():
            return LinkCode(message.request, *tables.new_link_code(session.user))
        case GetKeys():
            return Keys(message.request, await tables.accounts.keys_of(session.user), session.key)
        case NameKey():
            tables.check_named(session.user, message.name)
            await tables.accounts.name_key(session.user, message.fingerprint, message.name)
        case RemoveKey():
            await tables.accounts.remove_key(session.user, message.fingerprint)
        case Resync():
            session.resync()
        case Analyse():
            place = _place_of(session)
            found = await tables.analyses.go_on(session.user, place, message.known)
            return Analysed(message.request, found)
        case LookBack() | GetCourse() | GetRecord() | PlayOn():
            return await _of_match(tables, session, message)
        case _:
            table = _table_of(session)
            if isinstance(message, Invite):
                tables.check_heard(session.user)
            if isinstance(message, Ask | Invite):
                tables.count_line(session.user)
            return await _at_table(table, session, message)
    return Done(message.request)


async def _find(tables: Tables, user: str, message: Find) -> Found:
    found = await tables.lobby.search(user, message.words)
    words = message.words.split(" ")
    begins = (" ".join(words[:n]) for n in range(min(len(words), _WORDS_OF_A_NAME), 0, -1))
    name = next((each for each in begins if tables.presence.find(each) is not None), "")
    return Found(message.request, *found, name=name)


def _games() -> tuple[GameLine, ...]:
    rules = [game(game_id) for game_id in game_ids()]
    return tuple(game_line(each.meta, each.rules_version) for each in rules)


def check_version(hello: Hello) -> None:
    """Refuse a client of another version. Raises `NotPossible`."""
    if hello.version != PROTOCOL_VERSION:
        raise NotPossible(
            text(
                "You speak version {theirs} of the protocol, this server version {ours}; "
                "plain ssh works with any version.",
                theirs=hello.version, ours=PROTOCOL_VERSION,
            )
        )  # fmt: skip


async def _of_match(
    tables: Tables, session: Session, message: LookBack | GetCourse | GetRecord | PlayOn
) -> ServerMessage:
    """What can be asked at a table and at a replay alike."""
    place = _place_of(session)
    match message:
        case LookBack():
            then = place.look_back(session.user, message.ply, message.eyes)
            return Past(message.request, encode_past(then))
        case GetCourse():
            return Went(message.request, place.course())
        case GetRecord():
            record = format_record(place.record())
            return RecordText(message.request, record, tables.sign(record.encode()))
        case PlayOn():
            table = await tables.play_on(session.user, place.cut(message.ply), message, session.network)
            await session.go_to(table)
            return Done(message.request)


async def _at_table(table: Table, session: Session, message: ClientMessage) -> ServerMessage:
    user = session.user
    match message:
        case WhyNot():
            return Answer(message.request, table.why_not(user, message.seat, message.move))
        case Preview():
            return Previewed(message.request, *table.preview(user, message.seat, message.move))
        case Hint():
            return Hinted(message.request, await table.hint(user, message.seat))
        case Play():
            await table.play(user, message.seat, message.ply, message.move, is_program=session.is_program)
        case Undo():
            await table.undo(user, message.seat)
        case Look():
            session.look(message.seat)
        case TakeSeat():
            await table.take_seat(user, message.seat, message.name, is_program=session.is_program)
        case LeaveSeat():
            await table.leave_seat(user, message.seat)
        case SetBot():
            await table.set_bot(user, message.seat, message.bot)
        case Start():
            await table.start(user)
        case HandOn():
            await table.hand_on(user, message.user)
        case Invite():
            await table.invite(user, message.user)
        case Contribute():
            await table.contribute(user, message.drawn)
        case Ask():
            await table.ask(user, message.what, message.seat)
        case Agree():
            await table.agree(user, yes=message.yes)
    return Done(message.request)


def _phrase(number: int) -> Text:
    if number >= len(PHRASES):
        raise NotPossible(text("There is no phrase {n}.", n=number))
    return PHRASES[number]


def _place_of(session: Session) -> Place:
    if session.place is None:
        raise NotPossible(text("You are in the lobby; go to a table first."))
    return session.place


def _table_of(session: Session) -> Table:
    place = _place_of(session)
    if not isinstance(place, Table):
        raise NotPossible(text("This is a replay; nothing can be changed here."))
    return place
