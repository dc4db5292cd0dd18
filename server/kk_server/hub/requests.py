"""Requests: carries out each message of a client on the hub."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import kk_core
from kk_core.bot_names import bot_choices
from kk_core.protocol.messages import (
    PHRASES,
    PROTOCOL_VERSION,
    Analyse,
    Analysed,
    Answer,
    Browse,
    CallWays,
    ClientMessage,
    CloseTable,
    ConfirmCalls,
    Contribute,
    Daily,
    Done,
    Find,
    Forget,
    Found,
    Games,
    GetCalls,
    GetCourse,
    GetDaily,
    GetGames,
    GetHistory,
    GetKeys,
    GetLeaders,
    GetLessons,
    GetLinkCode,
    GetRecord,
    GetRemarks,
    GoOn,
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
    Lessons,
    LinkCode,
    Look,
    LookBack,
    MatchCourse,
    NameKey,
    OpenDaily,
    OpenLesson,
    OpenReplay,
    OpenTable,
    OrderCalls,
    PastPosition,
    Play,
    PlayOn,
    Preview,
    Previewed,
    Propose,
    ReadWelcome,
    RecordText,
    Remarks,
    RemoveKey,
    Report,
    Resync,
    Say,
    SayPhrase,
    ServerMessage,
    SetBot,
    Start,
    StopCalls,
    TakeSeat,
    Undo,
    Vote,
    Weigh,
    Weighed,
    Welcome,
    WhyNot,
)
from kk_core.record import format_record
from kk_core.registry import game, game_ids
from kk_core.text import Text, text
from kk_core.views import encode_past, game_line
from kk_server.hub.session import Session
from kk_server.storage.summaries import FINISHED
from kk_server.tables.place import NotPossible, Place, Window
from kk_server.tables.table import Table

if TYPE_CHECKING:
    from kk_server.hub.hub import Hub

WORDS_OF_A_NAME: Final = 8  # 20 columns hold hardly more


_LOOKS: Final = (GoTo, Look, Resync, OpenReplay, GetHistory, GetDaily, TakeSeat, LeaveSeat, SetBot)
"""Requests that make the server build a view, or notify everybody at the table."""


async def answer(hub: Hub, session: Session, message: ClientMessage) -> ServerMessage:
    """Carry out one request. Raises `KkError` when it is refused; then nothing has changed."""
    # counted first, so that refused requests count too
    if isinstance(message, OpenTable | OpenLesson | OpenDaily | PlayOn):
        hub.count_opening(session.user, session.network)
    elif isinstance(message, _LOOKS):
        hub.count_look(session.user, session.network)
    match message:
        case Hello():
            check_version(message)
            session.page = await hub.welcome_for(session.user)
            if message.program:
                hub.sessions.be_program(session)
            host, port = hub.address
            return Welcome(
                message.request, session.user, PROTOCOL_VERSION, kk_core.__version__,
                host or hub.host_for(session.origin), port, session.page,
                await hub.language_of(session.user), hub.web_for(session.origin),
            )  # fmt: skip
        case ReadWelcome():
            await hub.welcome_read(session.user, session.page)
        case OpenTable():
            await session.go_to(await hub.open_table(session.user, message, session.network))
        case OpenLesson():
            await session.go_to(await hub.open_lesson(session.user, message, session.network))
        case OpenDaily():
            await session.go_to(await hub.open_daily(session.user, message, session.network))
        case OpenReplay():
            await session.go_to(await hub.open_replay(session.user, message.table, message.match))
        case GoTo():
            await session.go_to(
                None if message.table is None else await hub.place(session.user, message.table)
            )
        case Browse():
            session.browse(Window(message.first, message.size, message.shows))
        case Find():
            return await _find(hub, session.user, message)
        case Say():
            await hub.say(session.user, session.place, message.words, is_admin=session.is_admin)
        case SayPhrase():
            await hub.say(session.user, session.place, _phrase(message.phrase), is_admin=session.is_admin)
        case Report():
            await hub.report(session.user, message.user, message.words)
        case Join():
            await session.go_to(await hub.join(session.user, message.code))
        case CloseTable():
            await hub.close_table(session.user, message.table)
        case Forget():
            await hub.history.forget(session.user, message.table, message.match)
        case GetGames():
            rules = map(game, game_ids())
            lines = tuple(game_line(each.meta, each.rules_version) for each in rules)
            return Games(message.request, lines, bot_choices())
        case GetLessons():
            return Lessons(message.request, await hub.lessons(session.user))
        case GetDaily():
            return Daily(message.request, await hub.daily_table(session.user, message.game, message.day))
        case GetHistory():
            return History(message.request, *await hub.history.lines(session.user, message.skip))
        case GetLeaders():
            return Leaders(message.request, hub.leaders(session.user, message.game))
        case GetLinkCode():
            return LinkCode(message.request, *await hub.new_link_code(session.user))
        case GetKeys():
            return Keys(message.request, await hub.accounts.keys_of(session.user), session.key)
        case NameKey():
            await hub.check_named(session.user, message.name)
            await hub.accounts.name_key(session.user, message.fingerprint, message.name)
        case RemoveKey():
            await hub.accounts.remove_key(session.user, message.fingerprint)
        case GetCalls() | OrderCalls() | ConfirmCalls() | StopCalls():
            return await _of_calls(hub, session.user, message)
        case Resync():
            session.resync()
        case Analyse():
            place = _place_of(session)
            found = await hub.analyses.go_on(session.user, place, message.known)
            return Analysed(message.request, found)
        case LookBack() | GetCourse() | GetRemarks() | GetRecord() | PlayOn():
            return await _of_match(hub, session, message)
        case _:
            table = _table_of(session)
            if isinstance(message, Invite):
                # an invitation shows a name and a table's title to somebody who asked for neither
                hub.check_heard(session.user)
            if isinstance(message, Propose | Invite):
                # both interrupt others as much as a chat line does
                hub.count_line(session.user)
            return await _at_table(table, session, message)
    return Done(message.request)


async def _find(hub: Hub, user: str, message: Find) -> Found:
    found = await hub.lobby.search(user, message.words)
    words = message.words.split(" ")
    begins = (" ".join(words[:n]) for n in range(min(len(words), WORDS_OF_A_NAME), 0, -1))
    # names may contain spaces: the longest beginning that is somebody's name wins
    name = next((each for each in begins if hub.presence.find(each) is not None), "")
    return Found(message.request, found.table, found.titles, found.n, name)


def check_version(hello: Hello) -> None:
    """Refuse a client with another protocol version. Raises `NotPossible`."""
    if hello.version != PROTOCOL_VERSION:
        raise NotPossible(
            text(
                "Your client speaks protocol version {theirs}, this server version {ours}; plain ssh "
                "works with any version.",
                theirs=hello.version, ours=PROTOCOL_VERSION,
            )
        )  # fmt: skip


async def _of_calls(
    hub: Hub, user: str, message: GetCalls | OrderCalls | ConfirmCalls | StopCalls
) -> ServerMessage:
    caller = hub.caller
    match message:
        case GetCalls():
            return CallWays(
                message.request, caller.ways, caller.address_of(user), caller.unconfirmed(user),
                caller.settings.away_minutes,
            )  # fmt: skip
        case OrderCalls():
            caller.order(user, message.address)
        case ConfirmCalls():
            await caller.confirm(user, message.code)
        case StopCalls():
            await caller.stop(user)
    return Done(message.request)


async def _of_match(
    hub: Hub, session: Session, message: LookBack | GetCourse | GetRemarks | GetRecord | PlayOn
) -> ServerMessage:
    place = _place_of(session)
    match message:
        case LookBack():
            then = place.look_back(session.user, message.ply, message.eyes)
            return PastPosition(message.request, encode_past(then))
        case GetCourse():
            return MatchCourse(message.request, place.course())
        case GetRemarks():
            table = _table_of(session)
            await table.result_kept()  # people ask as soon as they see the end
            found = await hub.history.remarks(session.user, table.id, table.match_number)
            return Remarks(message.request, found if table.state.phase == FINISHED else ())
        case GetRecord():
            record = format_record(place.record())
            return RecordText(message.request, record, hub.sign(record.encode()))
        case PlayOn():
            table = await hub.play_on(session.user, place.cut(message.ply), message, session.network)
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
        case Weigh():
            point = await table.weigh(user, message.seat, message.ply, message.move)
            return Weighed(message.request, point)
        case Play():
            await table.play(user, message.seat, message.ply, message.move, is_program=session.is_program)
        case Undo():
            await table.undo(user, message.seat)
        case GoOn():
            await table.go_on(user)
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
        case Propose():
            await table.propose(user, message.what, message.seat)
        case Vote():
            await table.vote(user, yes=message.yes)
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
        raise NotPossible(text("This is a replay; you can't change anything here."))
    return place
