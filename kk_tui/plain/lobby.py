"""Words in the lobby: the tables and games that there are, and the ways to a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from kk_core.bot_names import bot_choices
from kk_core.protocol.messages import (
    MOST_LINES,
    Browse,
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
from kk_core.text import joined, text, text_in
from kk_core.views import TableLine
from kk_tui.i18n import _, ngettext, typed
from kk_tui.matching import meant, ways_of, words_of
from kk_tui.plain import table as lines
from kk_tui.plain.at_table import say_next
from kk_tui.plain.console import TextConsole, own_seats
from kk_tui.plain.words import TooFewWords, TypedWord, UnknownWords
from kk_tui.table.ranks import state_of
from kk_tui.table_words import behind_name

_OPEN: Final = text_in("typed", "open")
_TABLES: Final = text_in("typed", "tables")
_PRIVATE: Final = text_in("typed", "private")


class LobbyWords:
    """What can be typed in the lobby alone; with `lists_all`, "tables" asks for more than is shown."""

    def __init__(self, console: TextConsole, *, lists_all: bool) -> None:
        self._console = console
        self._lists_all = lists_all
        self._tables: Sequence[TableLine] = ()
        self.words = (
            TypedWord(_TABLES, text("the tables"), self._list_tables, also=(lines.LOOK,)),
            TypedWord(text_in("typed", "games"), text("the games, and the bots"), self._list_games),
            TypedWord(_OPEN, text("open a table and sit down there"), self._open,
                    text_in("typed", "GAME [SEATS] [private]")),
            TypedWord(lines.JOIN, text("go to a table, and sit down if a seat is free"),
                    self._join, text_in("typed", "N|CODE|NAME")),
            TypedWord(text_in("typed", "watch"), text("go to a table without sitting down"), self._watch,
                    text_in("typed", "N|NAME")),
        )  # fmt: skip

    def arrival(self, help_word: str) -> Iterator[str]:
        """Yield where the reader is, and what can be done here."""
        lobby = self._console.store.lobby
        n = 0 if lobby is None else len(lobby.own) + lobby.total
        yield ngettext("Lobby: {n} table.", "Lobby: {n} tables.", n)
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
            people = ", ".join(
                f"{seat.name}{behind_name(seat)}" if seat.name else _("free") for seat in line.seats
            )
            self._console.say(
                _(
                    "{n}. {title}, {game}, {phase}: {people}.",
                    n=number, title=line.title, game=lines.game_name(line.game),
                    phase=state_of(line, self._console.user), people=people,
                )
            )  # fmt: skip

    async def _list_games(self, _rest: str) -> None:
        reply: Games = await self._console.request(GetGames)
        for game in reply.games:
            seats = f"{game.min_seats}-{game.max_seats}"
            self._console.say(_("{id}: {name}, {seats} seats.", id=game.id, name=game.name, seats=seats))
        self._console.say(_("Bots: {bots}.", bots=", ".join(bot_choices())))

    async def _open(self, rest: str) -> None:
        reply: Games = await self._console.request(GetGames)
        typed_words = words_of(rest.replace("_", " "))
        private = meant(typed_words[-1:], [(True, ways_of(_PRIVATE))])[1] == [True]
        typed_words = typed_words[:-1] if private else typed_words
        seats = typed_words[-1] if typed_words and typed_words[-1].isdecimal() else ""
        typed_words = typed_words[:-1] if seats else typed_words
        choices = [(game, (game.id.replace("_", " "), *ways_of(game.name))) for game in reply.games]
        _how, found = meant(typed_words, choices)
        if len(found) != 1:
            ids = joined([game.id for game in reply.games], is_choice=True)
            raise TooFewWords(text("Which game? Type {open} with {games}.", open=typed(_OPEN), games=ids))
        n = int(seats) if seats else found[0].min_seats
        if not found[0].min_seats <= n <= found[0].max_seats:
            raise UnknownWords(
                text(
                    "{game} has {least} to {most} seats.",
                    game=found[0].name, least=found[0].min_seats, most=found[0].max_seats,
                )
            )  # fmt: skip
        await self._console.request(
            lambda number: OpenTable(number, found[0].id, {}, n, hints=True, private=private)
        )
        await self._console.request(lambda number: TakeSeat(number, 0, self._console.name))
        say_next(self._console)

    async def _join(self, rest: str) -> None:
        table = await self._table_of(rest)
        if table is None and not could_be_invitation(rest):
            raise UnknownWords(text("No table here has this title or code, or a player of this name."))
        if table is None:
            await self._console.request(lambda number: Join(number, rest))
        else:
            await self._console.request(lambda number: GoTo(number, table))
        here = self._console.store.table
        if here is None:
            return
        # whoever comes back has their seat
        seat = None if own_seats(self._console) else lines.free_seat(here)
        if here.phase == "open" and seat is not None:
            await self._console.request(lambda number: TakeSeat(number, seat, self._console.name))
        say_next(self._console)

    async def _watch(self, rest: str) -> None:
        table = await self._table_of(rest)
        if table is None:
            raise UnknownWords(text("No table here has this title or code, or a player of this name."))
        await self._console.request(partial(GoTo, table=table))
        say_next(self._console)

    async def _table_of(self, rest: str) -> str | None:
        """Return the table of a number in the list, an identifier, a title or a person.

        Raises `TooFewWords` if nothing says which one is meant.
        """
        if not rest and self._console.pointed is None:
            raise TooFewWords(text("Type the number of a table in the list, a name or a code after it."))
        if not rest:
            return self._console.pointed
        tables = self._tables or await self._browse()
        if rest.isdecimal() and 0 < int(rest) <= len(tables):
            return tables[int(rest) - 1].id
        listed = next((line.id for line in tables if rest == line.id), None)
        if listed is not None:
            return listed
        found: Found = await self._console.request(partial(Find, words=rest))
        if found.table is None and found.n:
            raise TooFewWords(more_of_title(found.titles, found.n))
        return found.table
