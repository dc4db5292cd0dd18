"""The words that can be typed, and what each of them does."""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from kk_core.bot_names import DEFAULT_BOT, bot_choices, level_of
from kk_core.errors import KkError
from kk_core.protocol.messages import (
    MOST_LINES,
    Answer,
    Browse,
    Games,
    GetGames,
    GoTo,
    Hint,
    Hinted,
    Invite,
    Join,
    LeaveSeat,
    Look,
    LookBack,
    OpenTable,
    PastPosition,
    Play,
    Preview,
    Propose,
    Say,
    SetBot,
    Start,
    TakeSeat,
    Undo,
    Vote,
    WhyNot,
)
from kk_core.text import Text, joined, quoted, text, text_in
from kk_core.types import Move, Seat
from kk_core.views import LobbyView, TableLine, TableView
from kk_tui.games import Face, faces
from kk_tui.i18n import _, ngettext, render
from kk_tui.matching import Fit, meant, ways_of, words_of
from kk_tui.plain import table as words
from kk_tui.plain.moves import MoveWords, label, name
from kk_tui.rules_pages import sections
from kk_tui.scene import Scene, changes
from kk_tui.table.hint_words import HintWords
from kk_tui.table.ranks import state_of
from kk_tui.table_words import behind_name
from kk_tui.widgets.board import HINT_MARKS

if TYPE_CHECKING:
    from kk_tui.plain.client import PlainClient

_LISTED: Final = 20
"""Moves that are listed at once."""

_OFFERED: Final = 4
"""Moves, or words, that are named where one was not understood."""

_REASONS: Final = 2
"""Kinds of reasons given for a move of a hint."""

_LOG: Final = 10
"""Plies that "log" tells without a number."""


_BOT: Final = text_in("typed", "bot")
_HELP: Final = text_in("typed", "help")
_MOVES: Final = text_in("typed", "moves")
_OPEN: Final = text_in("typed", "open")
_TABLES: Final = text_in("typed", "tables")

_PRIVATE: Final = text_in("typed", "private")


class UnknownWords(KkError):
    """What was typed means nothing here, or several things."""


@dataclass(frozen=True)
class TypedWord:
    """A word, what may follow it, and what it does; `also` are other words for it."""

    word: Text
    about: Text
    do: Callable[[str], Awaitable[None]]
    argument: Text | None = None
    also: tuple[Text, ...] = ()

    def forms(self) -> Iterator[str]:
        """Yield the ways to type it, in the reader's language and in English."""
        for word in (self.word, *self.also):
            yield from ways_of(word)

    @property
    def usage(self) -> str:
        """The word, and what may follow it."""
        word = render(self.word)
        return word if self.argument is None else f"{word} {render(self.argument)}"

    @property
    def help(self) -> str:
        """The line that says what it does."""
        return f"{self.usage}: {render(self.about)}"


class Commands:
    """Everything that one reader can type."""

    def __init__(self, client: PlainClient) -> None:
        self._client = client
        self.has_arrived = False
        """True once the first place has been told."""
        self._listed: tuple[object, Sequence[Move]] = (None, ())
        self._hinted: tuple[object, Sequence[Move]] = (None, ())
        self._words_here: MoveWords | None = None
        self._tables: Sequence[TableLine] = ()
        self._everywhere = (
            TypedWord(_HELP, text("what can be typed here"), self._help,
                    text_in("typed", "[WORD]"), (Text("?"),)),
            TypedWord(text_in("typed", "who"), text("who is here"), self._who),
            TypedWord(text_in("typed", "say"), text("say something to all who are here"), self._say,
                    text_in("typed", "WORDS")),
            TypedWord(text_in("typed", "quit"), text("end; your seats are kept"), self._quit,
                    also=(Text("exit"),)),
        )  # fmt: skip
        self._in_lobby = (
            TypedWord(_TABLES, text("the tables"), self._list_tables, also=(Text("look"),)),
            TypedWord(text_in("typed", "games"), text("the games, and the bots"), self._list_games),
            TypedWord(_OPEN, text("open a table and sit down there"), self._open,
                    text_in("typed", "GAME [SEATS] [private]")),
            TypedWord(words.JOIN, text("go to a table, and sit down if a seat is free"),
                    self._join, text_in("typed", "N|CODE")),
            TypedWord(text_in("typed", "watch"), text("go to a table without sitting down"), self._go,
                    text_in("typed", "N")),
        )  # fmt: skip
        self._at_table = (
            TypedWord(text_in("typed", "look"), text("the whole table"), self._look),
            TypedWord(words.JOIN, text("take a seat, or your own seat back"), self._sit,
                    text_in("typed", "[SEAT]"), (Text("sit"),)),
            TypedWord(text_in("typed", "stand"), text("free your seat"), self._stand),
            TypedWord(_BOT, text("give free seats to bots"), self._bots,
                    text_in("typed", "[LEVEL] [SEAT]"), (Text("bots"),)),
            TypedWord(text_in("typed", "invite"), text("call somebody to this table"), self._invite,
                    text_in("typed", "NAME")),
            TypedWord(words.START, text("begin the match"), self._start, also=(Text("rematch"),)),
            TypedWord(text_in("typed", "rules"), text("the sections of the rules, or one of them"),
                      self._rules, text_in("typed", "[SECTION]")),
            TypedWord(words.LEAVE, text("back to the lobby; your seat is kept"), self._leave,
                    also=(Text("lobby"),)),
            TypedWord(text_in("typed", "propose"), text("ask the others"), self._propose,
                    Text("start|rematch|abort|close|resign")),
            TypedWord(text_in("typed", "yes"), text("agree to a proposal"), self._agree),
            TypedWord(text_in("typed", "no"), text("refuse a proposal"), self._refuse),
        )  # fmt: skip
        self._at_match = (
            TypedWord(_MOVES, text("your moves, or those with these words"), self._moves,
                    text_in("typed", "[WORDS]")),
            TypedWord(text_in("typed", "ok"), text("the only move, or end this step"), self._ok,
                    also=(text_in("typed", "continue"),)),
            TypedWord(text_in("typed", "undo"), text("take back your last step"), self._undo),
            TypedWord(text_in("typed", "why"), text("why a move is not possible, or what it brings"),
                    self._why, text_in("typed", "MOVE")),
            TypedWord(text_in("typed", "hint"), text("what an expert would do, and why"), self._hint),
            TypedWord(text_in("typed", "hand"), text("what only you have"), self._hand),
            TypedWord(text_in("typed", "map"), text("what lies on the table"), self._map,
                    also=(Text("board"),)),
            TypedWord(text_in("typed", "score"), text("the points as they stand"), self._score),
            TypedWord(text_in("typed", "race"), text("who has what in each contest"), self._race),
            TypedWord(text_in("typed", "log"), text("the last N steps"), self._log, text_in("typed", "[N]")),
            TypedWord(text_in("typed", "back"), text("the table as it was after so many steps"), self._back,
                      text_in("typed", "N")),
            TypedWord(words.SEAT, text("look through another seat of yours"), self._eyes,
                    text_in("typed", "SEAT")),
            TypedWord(text_in("typed", "wait"), text("read on when it is your turn"), self._wait),
        )  # fmt: skip

    # -- what was typed --------------------------------------------------------------------------------------

    def all(self) -> Sequence[TypedWord]:
        """Return the commands of this place."""
        store = self._client.store
        if store.table is None:
            return (*self._in_lobby, *self._everywhere)
        topics = [
            TypedWord(topic.word, topic.about, self._telling(topic.tell), topic.argument)
            for topic in self._client.plain.topics
        ]
        here = () if store.scene is None else (*self._at_match, *topics)
        if store.table.phase == "playing":
            return (*here, *self._at_table, *self._everywhere)
        return (*self._at_table, *here, *self._everywhere)

    async def do(self, line: str) -> None:
        """Carry out a line. Raises `KkError`, which says what was not possible and what is."""
        line = line.strip().removeprefix("/").strip()
        if not line:
            return
        word, _space, rest = line.partition(" ")
        named = word_meant(word, self.all())
        if named[0] in (Fit.WHOLE, Fit.WORDS) and len(named[1]) == 1:
            await named[1][0].do(rest.strip())
            return
        scene, face = self._client.store.scene, self._client.store.face
        how, moves = None, list[Move]()
        if scene is not None and face is not None:
            how, moves = self._moves_of(scene, face, line)
        # of a word alone nobody knows which is meant; with others behind it, they must fit, too
        if moves and (not named[1] or how == Fit.WHOLE or " " in line):
            await self._play_one(moves, line)
        elif len(named[1]) == 1 and not moves:
            await named[1][0].do(rest.strip())
        elif named[1]:
            self._refuse_all(line, [one.usage for one in named[1]], moves)
        else:
            await self._refuse_move(line)

    def _moves_of(self, scene: Scene[Any], face: Face[Any], line: str) -> tuple[Fit | None, list[Move]]:
        """Return the legal moves that a line may mean: by words, or by the number of a list."""
        how, moves = self._words(scene, face).legal(words_of(line))
        position, listed = self._listed
        place = HINT_MARKS.find(line) if len(line) == 1 else -1
        if self._hinted[0] == scene.position and 0 <= place < len(self._hinted[1]):
            return Fit.WHOLE, [self._hinted[1][place]]
        if how != Fit.WHOLE and line.isdecimal() and position == scene.position:
            if not 0 < int(line) <= len(listed):
                raise UnknownWords(
                    text("The list has moves from 1 to {n}, not {line}.", n=len(listed), line=line)
                )
            return Fit.WHOLE, [listed[int(line) - 1]]
        return how, moves

    async def _play_one(self, moves: Sequence[Move], line: str) -> None:
        if len(moves) > 1:
            self._refuse_all(line, (), moves)
        await self._play(moves[0])

    def _refuse_all(self, line: str, named: Sequence[str], moves: Sequence[Move]) -> None:
        """Say what a line may mean. Raises `UnknownWords`."""
        scene, face = self._client.store.scene, self._client.store.face
        found = [*named]
        if scene is not None and face is not None:
            found += [name(scene, face, self._client.plain, move) for move in moves]
        shown = joined([*map(quoted, found[:_OFFERED])], is_choice=True)
        if len(found) > _OFFERED:
            raise UnknownWords(
                text(
                    "{line} may mean {found}, or {n} others.",
                    line=quoted(line), found=", ".join(map(quoted, found[:_OFFERED])),
                    n=len(found) - _OFFERED,
                )
            )  # fmt: skip
        raise UnknownWords(text("{line} may mean {found}.", line=quoted(line), found=shown))

    async def _refuse_move(self, line: str) -> None:
        """Say why a line is not possible, if it is some move, or else what is possible. Raises `KkError`."""
        scene = self._client.store.scene
        if scene is not None and not scene.is_over:
            others = self._others_meant(line)
            if len(others) == 1:
                await self._explain(others[0])
                return
            if not scene.may_act:
                raise UnknownWords(
                    text(
                        "{line} is no word here. {turn}",
                        line=quoted(line),
                        turn=words.whose_turn(scene, self._client.user),
                    )
                )
            raise UnknownWords(
                text(
                    "{line} is neither a word nor a move here. Type {moves} or {help}.",
                    line=quoted(line), moves=_typed(_MOVES),
                    help=_typed(_HELP),
                )
            )  # fmt: skip
        raise UnknownWords(
            text(
                "{line} is no word here. Type {help}.",
                line=quoted(line), help=_typed(_HELP),
            )
        )  # fmt: skip

    def _others_meant(self, line: str) -> list[Move]:
        """Return the moves, legal or not, that a line may mean."""
        return self._words(*self._scene()).any(words_of(line))

    def _words(self, scene: Scene[Any], face: Face[Any]) -> MoveWords:
        words_here = MoveWords(scene, face, self._client.plain)
        if self._words_here is None or self._words_here.key != words_here.key:
            self._words_here = words_here
        return self._words_here

    def _scene(self) -> tuple[Scene[Any], Face[Any]]:
        """Return the match here. Raises `UnknownWords` if there is none."""
        scene, face = self._client.store.scene, self._client.store.face
        if scene is None or face is None:
            raise UnknownWords(text("No match has begun here."))
        return scene, face

    def _table(self) -> TableView:
        table = self._client.store.table
        assert table is not None, "only at tables"
        return table

    def _label(self, move: Move) -> str:
        scene, face = self._scene()
        return label(scene, face, self._client.plain, move)

    def complete(self, line: str) -> list[str]:
        """Return the words that may stand at the end of a line, in which the last one may be begun."""
        before = line.rpartition(" ")[0].split()
        if not before:
            found = [render(one.word) for one in self.all()]
        elif self._client.store.table is None:
            found = list(faces())
        else:
            found = [seat.name for seat in self._client.store.table.seats]
        scene, face = self._client.store.scene, self._client.store.face
        if scene is not None and face is not None:
            for move in sorted(scene.legal):
                ways = [render(way).split() for way in self._client.plain.typed(scene, move)]
                found += [way[len(before)] for way in ways if way[: len(before)] == before < way]
        return sorted({*found})

    # -- help ------------------------------------------------------------------------------------------------

    def arrival(self) -> Iterator[str]:
        """Yield where the reader is now, and what can be done there."""
        table = self._client.store.table
        if table is None:
            yield from self._lobby_lines()
            return
        yield from words.head_lines(table, local=self._client.local)
        if table.phase == "open":
            yield words.seats(table)
        elif table.phase == "finished" and self._client.store.scene is not None:
            yield words.whose_turn(self._client.store.scene, self._client.user)

    def _say_next(self) -> None:
        """Say what can be done at a table before the match."""
        table = self._table()
        if table.phase == "open":
            self._client.say(self._next_at(table))

    def _next_at(self, table: TableView) -> str:
        free = [seat for seat in table.seats if not (seat.owner or seat.bot)]
        is_here = any(seat.owner == self._client.user for seat in table.seats)
        join, bot = _typed(words.JOIN), _typed(_BOT)
        start = _typed(words.START)
        if free and is_here and table.owner == self._client.user:
            return _("{bot} gives the free seats to bots; {start} begins.", bot=bot, start=start)
        if free and not is_here:
            return _("{join} takes a seat.", join=join)
        if free:
            return _("Waiting for people to sit down.")
        return _("{start} begins the match.", start=start)

    async def _help(self, rest: str) -> None:
        if rest:
            _how, found = word_meant(rest, self.all())
            if not found:
                raise UnknownWords(text("{line} is no word here.", line=quoted(rest)))
            for one in found:
                self._client.say(one.help)
            return
        if self._client.store.scene is not None:
            self._client.say(_("Type a move in words or their beginnings, or one of these words:"))
            # so many that what each does would take minutes to hear
            self._client.say(", ".join(one.usage for one in self.all()))
            self._client.say(_("{help} and a word says what it does.", help=_typed(_HELP)))
            return
        self._client.say(_("Type one of these words, or its beginning:"))
        for one in self.all():
            self._client.say(one.help)

    # -- the lobby -------------------------------------------------------------------------------------------

    def _lobby(self) -> LobbyView:
        lobby = self._client.store.lobby
        assert lobby is not None, "only in the lobby"
        return lobby

    def _lobby_lines(self) -> Iterator[str]:
        lobby = self._lobby()
        n = len(lobby.own) + lobby.total
        yield ngettext("Lobby: {n} table.", "Lobby: {n} tables.", n)
        yield _(
            "{tables} lists them, {open} opens one, {help} says more.",
            tables=_typed(_TABLES), open=_typed(_OPEN),
            help=_typed(_HELP),
        )  # fmt: skip

    async def _list_tables(self, _rest: str) -> None:
        await self._client.request(lambda number: Browse(number, 0, MOST_LINES))
        self._tables = self._lobby().tables
        if not self._tables:
            self._client.say(_("No table is open."))
        for number, line in enumerate(self._tables, 1):
            people = ", ".join(
                f"{seat.name}{behind_name(seat)}" if seat.name else _("free") for seat in line.seats
            )
            self._client.say(
                _(
                    "{n}. {title}, {game}, {phase}: {people}.",
                    n=number, title=line.title, game=words.game_name(line.game),
                    phase=state_of(line, self._client.user), people=people,
                )
            )  # fmt: skip

    async def _list_games(self, _rest: str) -> None:
        reply: Games = await self._client.request(GetGames)
        for game in reply.games:
            seats = f"{game.min_seats}-{game.max_seats}"
            self._client.say(_("{id}: {name}, {seats} seats.", id=game.id, name=game.name, seats=seats))
        self._client.say(_("Bots: {bots}.", bots=", ".join(bot_choices())))

    async def _open(self, rest: str) -> None:
        reply: Games = await self._client.request(GetGames)
        typed = words_of(rest.replace("_", " "))
        private = meant(typed[-1:], [(True, ways_of(_PRIVATE))])[1] == [True]
        typed = typed[:-1] if private else typed
        seats = typed[-1] if typed and typed[-1].isdecimal() else ""
        typed = typed[:-1] if seats else typed
        choices = [(game, (game.id.replace("_", " "), *ways_of(game.name))) for game in reply.games]
        _how, found = meant(typed, choices)
        if len(found) != 1:
            ids = joined([game.id for game in reply.games], is_choice=True)
            raise UnknownWords(text("Which game? Type {open} with {games}.",
                                     open=_typed(_OPEN), games=ids))  # fmt: skip
        n = int(seats) if seats else found[0].min_seats
        if not found[0].min_seats <= n <= found[0].max_seats:
            raise UnknownWords(
                text(
                    "{game} has {least} to {most} seats.",
                    game=found[0].name, least=found[0].min_seats, most=found[0].max_seats,
                )
            )  # fmt: skip
        await self._client.request(
            lambda number: OpenTable(number, found[0].id, {}, n, hints=True, private=private)
        )
        await self._sit("")

    async def _join(self, rest: str) -> None:
        line = await self._listed_table(rest)
        if line is None:
            await self._client.request(lambda number: Join(number, rest))
        else:
            await self._client.request(lambda number: GoTo(number, line.id))
        table = self._client.store.table
        if table is not None and table.phase == "open" and _free(table) is not None and not self._own(table):
            await self._sit("")
        elif table is not None:
            self._say_next()

    async def _go(self, rest: str) -> None:
        line = await self._listed_table(rest)
        if line is None:
            raise UnknownWords(text("Type the number of a table in the list."))
        await self._client.request(lambda number: GoTo(number, line.id))
        self._say_next()

    async def _listed_table(self, rest: str) -> TableLine | None:
        """Return the table of a number in the list, or of an identifier or a title."""
        if not self._tables:
            await self._client.request(lambda number: Browse(number, 0, MOST_LINES))
        tables = self._tables or self._lobby().tables
        if rest.isdecimal() and 0 < int(rest) <= len(tables):
            return tables[int(rest) - 1]
        return next((line for line in tables if rest and rest in (line.id, line.title)), None)

    # -- a table ---------------------------------------------------------------------------------------------

    def _own(self, table: TableView) -> list[Seat]:
        return [seat for seat, holder in enumerate(table.seats) if holder.owner == self._client.user]

    def _seat(self, typed: str) -> Seat:
        """Return the seat of a number from 1, or of a name. Raises `UnknownWords`."""
        seats = self._table().seats
        if typed.isdecimal() and 0 < int(typed) <= len(seats):
            return int(typed) - 1
        _how, found = meant(words_of(typed), ((n, (seat.name,)) for n, seat in enumerate(seats)))
        if len(found) != 1:
            raise UnknownWords(text("Type the number of a seat, 1 to {n}, or a name.", n=len(seats)))
        return found[0]

    async def _look(self, _rest: str) -> None:
        scene, face = self._client.store.scene, self._client.store.face
        if scene is None or face is None:
            self._client.say(*self.arrival())
            self._say_next()
            return
        self._client.say(*words.look(scene, face, self._client.plain, self._client.user))

    async def _sit(self, rest: str) -> None:
        table = self._table()
        own = self._own(table)
        seat = self._seat(rest) if rest else own[0] if table.phase == "playing" and own else _free(table)
        if seat is None:
            raise UnknownWords(text("No seat is free here."))
        await self._client.request(lambda number: TakeSeat(number, seat, self._client.name))
        self._say_next()

    async def _stand(self, rest: str) -> None:
        seats = [self._seat(rest)] if rest else self._own(self._table())
        if not seats:
            raise UnknownWords(text("You have no seat here."))
        for seat in seats:
            await self._client.request(partial(LeaveSeat, seat=seat))

    async def _bots(self, rest: str) -> None:
        typed, seats = list(words_of(rest)), list[Seat]()
        table = self._table()
        if typed and typed[-1].isdecimal():
            seats = [self._seat(typed.pop())]
        else:
            seats = [n for n, seat in enumerate(table.seats) if not (seat.owner or seat.bot)]
        if not seats:
            raise UnknownWords(text("No seat is free here."))
        named = ((bot, (bot, *ways_of(level_of(bot)))) for bot in bot_choices())
        _how, found = meant(typed or [DEFAULT_BOT], named)
        if len(found) != 1:
            raise UnknownWords(text("Which bot? There are {bots}.", bots=joined(list(bot_choices()))))
        for seat in seats:
            await self._client.request(partial(SetBot, seat=seat, bot=found[0]))
        self._say_next()

    async def _invite(self, rest: str) -> None:
        await self._client.request(lambda number: Invite(number, rest))
        self._client.say(_("{name} has been called.", name=rest))

    async def _start(self, _rest: str) -> None:
        table = self._table()
        if table.phase == "finished":
            await self._client.request(lambda number: Propose(number, "rematch"))
        elif table.owner == self._client.user:
            await self._client.request(Start)
        else:
            await self._client.request(lambda number: Propose(number, "start"))

    async def _leave(self, _rest: str) -> None:
        await self._client.request(lambda number: GoTo(number, None))

    async def _propose(self, rest: str) -> None:
        own = self._own(self._table())
        seat = own[0] if rest == "resign" and own else None
        await self._client.request(lambda number: Propose(number, rest, seat))

    async def _agree(self, _rest: str) -> None:
        await self._client.request(lambda number: Vote(number, yes=True))

    async def _refuse(self, _rest: str) -> None:
        await self._client.request(lambda number: Vote(number, yes=False))

    # -- a match ---------------------------------------------------------------------------------------------

    def _telling(self, tell: Callable[[Scene[Any], str], Any]) -> Callable[[str], Awaitable[None]]:
        async def do(rest: str) -> None:
            self._client.say(*map(render, tell(self._scene()[0], rest)))

        return do

    async def _moves(self, rest: str) -> None:
        scene, face = self._scene()
        plain = self._client.plain
        if not scene.may_act:
            raise UnknownWords(Text(words.whose_turn(scene, self._client.user)))
        legal = sorted(scene.legal)
        if not rest and len(legal) > _LISTED and (grouped := list(map(render, plain.choices(scene)))):
            self._client.say(*grouped)
            return
        found = self._words(scene, face).legal(words_of(rest))[1] if rest else legal
        if not found:
            raise UnknownWords(text("None of your moves has {words} in it.", words=quoted(rest)))
        shown = found[:_LISTED]
        self._listed = scene.position, shown
        for number, move in enumerate(shown, 1):
            self._client.say(f"{number}. {self._label(move)}")
        if more := len(found) - len(shown):
            moves = _typed(_MOVES)
            self._client.say(
                ngettext(
                    "{n} more: type {moves} and a word of it.",
                    "{n} more: type {moves} and a word of them.",
                    more, moves=moves,
                )
            )  # fmt: skip

    async def _ok(self, _rest: str) -> None:
        scene, face = self._scene()
        if len(scene.legal) == 1:
            await self._play(min(scene.legal))
            return
        _how, ends = self._words(scene, face).legal(("continue",))
        if len(ends) != 1:
            raise UnknownWords(
                text("There is a choice: type {moves}.", moves=_typed(_MOVES))
                if scene.may_act
                else Text(words.whose_turn(scene, self._client.user))
            )
        await self._play(ends[0])

    async def _play(self, move: Move) -> None:
        scene, _face = self._scene()
        seat, ply = scene.viewer, scene.match.ply
        assert seat is not None, "only players have moves"
        await self._client.request(lambda number: Play(number, seat, ply, move))

    async def _undo(self, _rest: str) -> None:
        seat = self._viewer()
        await self._client.request(lambda number: Undo(number, seat))

    def _viewer(self) -> Seat:
        seat = self._scene()[0].viewer
        if seat is None:
            raise UnknownWords(text("You are watching; only players can do this."))
        return seat

    async def _why(self, rest: str) -> None:
        scene, face = self._scene()
        if not rest:
            raise UnknownWords(text("Type a move after it."))
        found = self._moves_of(scene, face, rest)[1] or self._others_meant(rest)
        if not found:
            raise UnknownWords(text("{line} is no move of this game.", line=quoted(rest)))
        if len(found) > 1:
            self._refuse_all(rest, (), found)
        await self._explain(found[0])

    async def _hint(self, _rest: str) -> None:
        scene, face = self._scene()
        seat = self._viewer()
        if scene.table.hints and scene.may_act:
            self._client.say(_("Looking for a good move..."))
        reply: Hinted = await self._client.request(lambda number: Hint(number, seat))
        if not reply.moves:
            raise UnknownWords(text("You have nothing to choose right now."))
        if due := face.due(scene):
            self._client.say(due)
        said, moves = HintWords(scene, face, seat, reply.moves), [advice.move for advice in reply.moves]
        for place, move in enumerate(moves):
            _title, *less = [words for words, _style in said.title(place)]
            why = [words for words, _style in said.why(place, _REASONS)]
            typed = name(scene, face, self._client.plain, move)
            self._client.say(" ".join((f"{HINT_MARKS[place]}. {typed}.", *less, *filter(None, why))))
        self._hinted = scene.position, moves

    async def _explain(self, move: Move) -> None:
        """Say why a move is not possible, or else what it brings."""
        scene, face = self._scene()
        seat = self._viewer()
        reply: Answer = await self._client.request(lambda number: WhyNot(number, seat, move))
        if reply.reason is not None:
            self._client.say(render(reply.reason))
            return
        previewed = await self._client.request(lambda number: Preview(number, seat, move))
        points = [
            f"{scene.name(each)} {change:+}" for each, change in enumerate(changes(scene, previewed.sheet))
            if change
        ]  # fmt: skip
        said = face.merits(scene, move)
        brings = _("Points: {figures}.", figures=", ".join(points)) if points else _("No points at once.")
        self._client.say(" ".join(filter(None, (_("This is possible."), brings, said))))

    async def _hand(self, _rest: str) -> None:
        scene, face = self._scene()
        lines = list(words.hand(scene, face, self._client.plain))
        self._client.say(*(lines or [_("You have nothing that others can't see.")]))

    async def _map(self, _rest: str) -> None:
        scene, face = self._scene()
        lines = list(words.board(scene, self._client.plain))
        self._client.say(*(lines or words.people(scene, face, self._client.plain)))

    async def _score(self, _rest: str) -> None:
        self._client.say(*words.score(*self._scene()))

    async def _race(self, _rest: str) -> None:
        lines = list(words.contests(*self._scene()))
        self._client.say(*(lines or [_("Nobody has anything that counts yet.")]))

    async def _log(self, rest: str) -> None:
        if rest and not rest.isdecimal():
            raise UnknownWords(text("{line} is no number of steps.", line=quoted(rest)))
        lines = list(words.log(*self._scene(), int(rest) if rest else _LOG)) if rest != "0" else []
        self._client.say(*(lines or [_("Nothing has happened yet.")]))

    async def _back(self, rest: str) -> None:
        scene, face = self._scene()
        if not rest.isdecimal() or int(rest) > scene.match.ply:
            raise UnknownWords(text("Type a number of steps, 0 to {n}, after it.", n=scene.match.ply))
        ply, eyes = int(rest), scene.viewer
        reply: PastPosition = await self._client.request(lambda number: LookBack(number, ply, eyes))
        then = self._client.store.past(reply.match, eyes)
        shown = dataclasses.replace(then, legal=frozenset())
        self._client.say(*words.look(shown, face, self._client.plain, self._client.user))

    async def _rules(self, rest: str) -> None:
        reader = self._client.reader
        pages = sections(self._table().game, reader.languages, ascii_only=reader.ascii_only)
        _how, found = meant(words_of(rest), ((page, (page.title, page.slug)) for page in pages))
        if not found:
            for page in pages:
                self._client.say(page.title)
            return
        self._client.say(found[0].title, *words.rules(found[0]))

    async def _eyes(self, rest: str) -> None:
        seat = self._seat(rest)
        await self._client.request(lambda number: Look(number, seat))

    async def _wait(self, _rest: str) -> None:
        """Return when the viewer may act, or the match is over or gone."""
        client = self._client
        while not client.has_left:
            client.changed.clear()
            scene = client.store.scene
            if scene is None or scene.is_over or scene.may_act:
                return
            await client.changed.wait()

    # -- people ----------------------------------------------------------------------------------------------

    async def _who(self, _rest: str) -> None:
        store = self._client.store
        if store.table is not None:
            if store.scene is not None and store.face is not None:
                self._client.say(*words.people(store.scene, store.face, self._client.plain))
            else:
                self._client.say(words.seats(store.table))
            if store.table.watchers:
                self._client.say(_("Watching: {names}.", names=", ".join(store.table.watchers)))
        elif store.lobby is not None:
            lobby = store.lobby
            self._client.say(ngettext("{n} here: {names}", "{n} here: {names}", lobby.here,
                                      names=", ".join(lobby.users)))  # fmt: skip

    async def _say(self, rest: str) -> None:
        if not rest:
            raise UnknownWords(text("Type what you want to say after it."))
        await self._client.request(lambda number: Say(number, rest))

    async def _quit(self, _rest: str) -> None:
        self._client.leave()


def word_meant(word: str, commands: Sequence[TypedWord]) -> tuple[Fit | None, list[TypedWord]]:
    """Return the commands that a typed word may mean, and how well it fits."""
    if word == "?":
        return Fit.WHOLE, [one for one in commands if Text("?") in one.also]
    return meant(words_of(word), ((one, one.forms()) for one in commands))


def _typed(word: Text) -> str:
    """Return a word as one types it, for a sentence."""
    return f"'{render(word)}'"


def _free(table: TableView) -> Seat | None:
    return next((n for n, seat in enumerate(table.seats) if not (seat.owner or seat.bot)), None)
