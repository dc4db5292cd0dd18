"""Words in the lobby: the tables and games that there are, and the ways to a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from string import ascii_lowercase
from typing import Final

from kk_core.protocol.messages import (
    MOST_LINES,
    Browse,
    CloseTable,
    Find,
    Found,
    Games,
    GetGames,
    GoTo,
    Join,
    OpenTable,
    TakeSeat,
    more_of_title,
)
from kk_core.protocol.typed_codes import could_be_invitation
from kk_core.text import joined, quoted, text, text_in
from kk_core.views import GameLine, TableLine, bare_name
from kk_tui.client.client import Refusal
from kk_tui.games import faces
from kk_tui.i18n import _, ngettext, render, typed
from kk_tui.matching import meant, ways_of, words_of
from kk_tui.plain import phrases
from kk_tui.plain.at_table import bot_levels, say_next, tell_rules
from kk_tui.plain.console import TextConsole, own_seats
from kk_tui.plain.lessons_and_rankings import LESSON
from kk_tui.plain.links import follow_link
from kk_tui.plain.opening import CLOCK, CLOCKS, FLAGS, OPTIONS, Opening, example_of, rules_of
from kk_tui.plain.words import TooFewWords, TypedWord, UnknownWords
from kk_tui.table.ranks import YOUR_TURN, YOURS, rank, running_match, state_of
from kk_tui.table_words import PRESETS, after_name, format_rule, opener_words

_OPEN: Final = text_in("typed", "open")
_DELETE: Final = text_in("typed", "delete")
_TABLES: Final = text_in("typed", "tables")


def _opening() -> Sequence[object]:
    """Return how a table may be opened, for an example."""
    game, face = next(iter(faces().items()))
    return game, face.meta.min_seats, FLAGS["private"]


class LobbyWords:
    """Words for the lobby alone; with `lists_all`, "tables" asks for more than is shown."""

    def __init__(self, console: TextConsole, *, lists_all: bool) -> None:
        self._console = console
        self._lists_all = lists_all
        self._tables: Sequence[TableLine] = ()
        game = tuple(faces())[:1]
        self.words: tuple[TypedWord, ...] = (
            TypedWord(_TABLES, text("the tables"), self._list_tables, also=(phrases.LOOK,)),
            TypedWord(text_in("typed", "games"), text("the games, and the bots"), self._list_games),
            TypedWord(phrases.RULES, text("the sections of a game's rules, or one of them"), self._tell_rules,
                    text_in("typed", "GAME [SECTION]"), example=game),
            TypedWord(_OPEN, text("open a table and sit down there"), self._open,
                    text_in("typed", "GAME [SEATS] [...]"), example=_opening),
            TypedWord(OPTIONS, text("what a table can be opened with: rules, clocks and others"),
                    self._list_options, text_in("typed", "GAME"), example=game),
            TypedWord(phrases.JOIN, text("go to a table, and sit down if a seat is free"),
                    self._join, text_in("typed", "N|CODE|LINK|NAME"), example=("Anna",)),
            TypedWord(text_in("typed", "watch"), text("go to a table without sitting down"), self._watch,
                    text_in("typed", "N|LINK|NAME"), example=("Anna",)),
        )  # fmt: skip
        if console.local:
            delete = text("delete a match that is not over, for good")
            self.words += (TypedWord(_DELETE, delete, self._delete, text_in("typed", "N"), example=(1,)),)

    def arrival(self, help_word: str) -> Iterator[str]:
        """Yield where the reader is, and what can be done here."""
        lobby = self._console.store.lobby
        n = 0 if lobby is None else len(lobby.own) + lobby.total
        yield ngettext("Lobby: {n} table.", "Lobby: {n} tables.", n)
        own = None if lobby is None else running_match(lobby, self._console.user)
        if own is not None:
            back = typed(phrases.JOIN, own.title)
            yield _("Your match at {title} goes on: {join} leads back.", title=own.title, join=back)
        yield _(
            "{tables} lists them, {open} opens one, {help} says more.",
            tables=typed(_TABLES), open=typed(_OPEN), help=help_word,
        )  # fmt: skip

    async def _browse(self) -> Sequence[TableLine]:
        if self._lists_all:
            await self._console.request(lambda number: Browse(number, 0, MOST_LINES))
        lobby = self._console.store.lobby
        return () if lobby is None else lobby.tables

    async def _list_tables(self, _rest: str) -> None:
        self._tables = await self._browse()
        if not self._tables:
            self._console.say(_("No table is open."))
        for number, line in enumerate(self._tables, 1):
            self._console.say(self._line(number, line))

    def _line(self, number: int, line: TableLine) -> str:
        people = ", ".join(
            f"{seat.name}{after_name(seat)}" if seat.name else _("free") for seat in line.seats
        )
        people = "; ".join(filter(None, (people, opener_words(line))))
        return _(
            "{n}. {title}, {game}, {phase}: {people}.",
            n=number, title=line.title, game=phrases.game_name(line.game),
            phase=state_of(line, self._console.user), people=people,
        )  # fmt: skip

    async def _list_games(self, _rest: str) -> None:
        reply: Games = await self._console.request(GetGames)
        for game in reply.games:
            seats = f"{game.min_seats}-{game.max_seats}"
            self._console.say(_("{id}: {name}, {seats} seats.", id=game.id, name=game.name, seats=seats))
            if (face := faces().get(game.id)) is not None:
                self._console.say(render(face.meta.summary))
        self._console.say(_("Bots: {bots}.", bots=bot_levels()))
        if reply.games:
            first = reply.games[0].id
            self._console.say(
                _(
                    "{lesson} teaches a game, {rules} tells its rules, {open} opens a table.",
                    lesson=typed(LESSON, first), rules=typed(phrases.RULES, first), open=typed(_OPEN, first),
                )
            )  # fmt: skip

    async def _tell_rules(self, rest: str) -> None:
        words = words_of(rest.replace("_", " "))
        # the game may have several words, and so may the section behind it
        for n in range(len(words), 0, -1):
            _how, found = meant(words[:n], self._named_games())
            if len(found) == 1:
                tell_rules(self._console, found[0], " ".join(words[n:]), found[0])
                return
        ids = joined([*faces()], is_choice=True)
        raise TooFewWords(text("Which game? Type {open} with {games}.", open=typed(phrases.RULES), games=ids))

    def _named_games(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        for game, face in faces().items():
            yield game, (game.replace("_", " "), *ways_of(face.meta.name))

    async def _list_options(self, rest: str) -> None:
        game = await self._game(words_of(rest.replace("_", " ")), typed(OPTIONS))
        for number, option in enumerate(rules_of(game.id), 1):
            for mark, value in zip(ascii_lowercase, option.values, strict=False):
                usual = value is option.values[0]
                line = _("{option}: {value} (usual).", option=option.label, value=value.label)
                other = _("{option}: {value}.", option=option.label, value=value.label)
                self._console.say(f"{number}{mark}. {line if usual else other}")
        clocks = [f"{render(CLOCKS[name])}: {format_rule(rule)}" for name, rule in PRESETS.items()]
        self._console.say(_("Clocks: {clocks}.", clocks="; ".join(clocks)))
        others = *FLAGS.values(), text_in("typed", "standin LEVEL"), text_in("typed", "title WORDS")
        self._console.say(_("Others: {words}.", words=", ".join(map(render, others))))
        clock = render(CLOCK), render(CLOCKS["usual"])
        example = typed(_OPEN, game.id, game.min_seats, *clock, *example_of(game.id))
        self._console.say(_("For example: {open}.", open=example))

    async def _open(self, rest: str) -> None:
        chosen = Opening()
        game = await self._game(chosen.take(rest), typed(_OPEN))
        n = chosen.seats or game.min_seats
        if not game.min_seats <= n <= game.max_seats:
            raise UnknownWords(
                text(
                    "{game} has {least} to {most} seats.",
                    game=game.name, least=game.min_seats, most=game.max_seats,
                )
            )  # fmt: skip
        options = chosen.options(game.id)
        await self._console.request(
            lambda number: OpenTable(
                number, game.id, options, n, title=chosen.title, hints=chosen.hints, private=chosen.private,
                watched=chosen.watched, clock=chosen.clock, rated=chosen.rated, stand_in=chosen.stand_in,
            )
        )  # fmt: skip
        await self._console.request(lambda number: TakeSeat(number, 0, self._console.name))
        say_next(self._console)

    async def _game(self, words: Sequence[str], asked: str) -> GameLine:
        """Return the game that words mean. Raises `TooFewWords` if it may be several, or none."""
        reply: Games = await self._console.request(GetGames)
        choices = [(game, (game.id.replace("_", " "), *ways_of(game.name))) for game in reply.games]
        _how, found = meant(words, choices)
        if len(found) != 1:
            ids = joined([game.id for game in reply.games], is_choice=True)
            raise TooFewWords(text("Which game? Type {open} with {games}.", open=asked, games=ids))
        return found[0]

    async def _join(self, rest: str) -> None:
        if not await follow_link(self._console, rest):
            await self._go(rest)
        here = self._console.store.table
        if here is None:
            return
        # whoever comes back has their seat
        seat = None if own_seats(self._console) else phrases.free_seat(here)
        if here.phase == "open" and seat is not None:
            await self._console.request(lambda number: TakeSeat(number, seat, self._console.name))
        say_next(self._console)

    async def _go(self, rest: str, *, by_code: bool = True) -> None:
        """Go to the table that is meant. Raises `KkError`."""
        table = await self._table_of(rest)
        if table is not None:
            try:
                await self._console.request(partial(GoTo, table=table))
            except Refusal:
                if table == self._console.pointed:
                    self._console.pointed = None  # or it would be meant, and refused, for ever
                raise
        elif by_code and could_be_invitation(rest):
            await self._console.request(lambda number: Join(number, rest))
        else:
            raise UnknownWords(text("No table here has this title or code, or a player of this name."))

    async def _watch(self, rest: str) -> None:
        if not await follow_link(self._console, rest):
            await self._go(rest, by_code=False)
        if self._console.store.table is not None:
            say_next(self._console)

    async def _delete(self, rest: str) -> None:
        tables = self._tables or await self._browse()
        if not rest.isdecimal() or not 0 < int(rest) <= len(tables):
            raise UnknownWords(
                text("Type the number of a match after it: see {tables}.", tables=typed(_TABLES))
            )
        table = tables[int(rest) - 1]
        await self._console.request(partial(CloseTable, table=table.id))
        self._tables = [other for other in tables if other is not table]
        self._console.say(_("The match is deleted."))

    async def _table_of(self, rest: str) -> str | None:
        """Return the table of a number in the list, an identifier, a title or a person.

        Raises `TooFewWords` if nothing says which one is meant.
        """
        if not rest and self._console.pointed is None:
            raise TooFewWords(
                text("Type the number of a table in the list, a name, a code or a link after it.")
            )
        if not rest:
            return self._console.pointed
        if rest.isdecimal():
            tables = self._tables or await self._browse()
            if 0 < int(rest) <= len(tables):
                return tables[int(rest) - 1].id
        tables = await self._browse()
        return rest if any(line.id == rest for line in tables) else await self._called(rest, tables)

    async def _called(self, title: str, tables: Sequence[TableLine]) -> str | None:
        """Return the table of a title or its beginning, or of a person. Raises `TooFewWords` likewise."""
        called = [line for line in tables if bare_name(title) == bare_name(line.title)]
        user, lobby = self._console.user, self._console.store.lobby
        urgent = None if lobby is None else running_match(lobby, user)
        if urgent is not None and any(line.id == urgent.id for line in called):
            return urgent.id  # whose title is said on arrival
        mine = [line for line in called if line.phase == "playing" and rank(line, user) in (YOUR_TURN, YOURS)]
        if len(mine) == 1 or (len(called) == 1 and self._are_all_listed):
            return (mine or called)[0].id
        if len(called) > 1:
            self._tables = tables
            self._console.say(*(self._line(n, line) for n, line in enumerate(tables, 1) if line in called))
            raise TooFewWords(
                text("{n} tables are called {title}: type the number of one of them instead.",
                     n=len(called), title=quoted(title))
            )  # fmt: skip
        found: Found = await self._console.request(partial(Find, words=title))
        titles = {*map(bare_name, found.titles)}
        if found.table is None and titles == {bare_name(title)}:
            raise TooFewWords(
                text("{n} tables are called {title}: type the name of somebody there instead.",
                     n=found.n, title=quoted(title))
            )  # fmt: skip
        if found.table is None and len(titles) == 1:
            return await self._called(found.titles[0], tables)  # more of it would not tell them apart
        if found.table is None and titles:
            raise TooFewWords(more_of_title(found.titles, found.n))
        return found.table

    @property
    def _are_all_listed(self) -> bool:
        """True if there is no table that the view of the lobby leaves out."""
        lobby = self._console.store.lobby
        return lobby is not None and lobby.shows == "all" and len(lobby.others) == lobby.total
