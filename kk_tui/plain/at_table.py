"""Words at a table, before, during and after its matches: seats, bots, proposals and the rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Final

from kk_core.bot_names import DEFAULT_BOT, bot_choices, level_of
from kk_core.protocol.messages import (
    GoTo,
    HandOn,
    Join,
    LeaveSeat,
    Propose,
    SetBot,
    Start,
    TakeSeat,
    Vote,
)
from kk_core.protocol.typed_codes import is_invitation
from kk_core.text import Text, joined, quoted, text, text_in
from kk_core.types import Seat
from kk_core.views import TableView
from kk_tui.games import appearances
from kk_tui.games.plain import plain_face
from kk_tui.i18n import _, render, typed
from kk_tui.matching import meant, ways_of, words_of
from kk_tui.plain import phrases
from kk_tui.plain.console import TextConsole, own_seats, plain_here, scene_here, table_here
from kk_tui.plain.lesson import UNDO
from kk_tui.plain.links import follow_link
from kk_tui.plain.words import TypedWord, UnknownWords, may_mean
from kk_tui.rules_pages import Section, sections
from kk_tui.scene import Scene
from kk_tui.table_words import bot_level, given_up_words, replay_words

_BOT: Final = text_in("typed", "bot")

_PROPOSALS: Final = {
    "start": phrases.START,
    "rematch": text_in("typed", "rematch"),
    "abort": text_in("typed", "abort"),
    "close": text_in("typed", "close"),
    "resign": text_in("typed", "resign"),
    "bot": _BOT,
}
"""What can be proposed, and how that is typed; the last two are about a seat."""


class TableWords:
    """Words for every table."""

    def __init__(self, console: TextConsole) -> None:
        self._console = console
        self.words = (
            TypedWord(phrases.LOOK, text("the whole table"), self._look),
            TypedWord(phrases.JOIN, text("take a seat, or your own seat back"), self._sit,
                    text_in("typed", "[SEAT]"), (Text("sit"),), (2,)),
            TypedWord(text_in("typed", "stand"), text("free your seat, or all of yours"), self._stand,
                    text_in("typed", "[SEAT]"), example=(2,)),
            TypedWord(_BOT, text("give free seats to bots"), self._bots,
                    text_in("typed", "[LEVEL] [SEAT]"), (Text("bots"),), (level_of(DEFAULT_BOT), 2)),
            TypedWord(phrases.START, text("begin the match"), self._start, also=(Text("rematch"),)),
            TypedWord(phrases.RULES, text("the sections of the rules, or one of them"),
                      self._rules, text_in("typed", "[SECTION]"), example=self._section),
            TypedWord(phrases.LEAVE, text("back to the lobby; your seat is kept"), self._leave,
                    also=(Text("lobby"),)),
            TypedWord(text_in("typed", "propose"), text("ask the others"), self._propose,
                    text_in("typed", "start|rematch|abort|close|resign [SEAT]|bot SEAT"),
                    example=(_PROPOSALS["rematch"],)),
            TypedWord(text_in("typed", "yes"), text("agree to a proposal"), self._agree),
            TypedWord(text_in("typed", "no"), text("refuse a proposal, or withdraw your own"), self._refuse),
            TypedWord(text_in("typed", "owner"), text("make somebody else who sits here the table's owner"),
                    self._hand_on, text_in("typed", "SEAT"), example=(2,)),
        )  # fmt: skip

        self.about = tuple(
            one for one in self.words if one.word in (phrases.LOOK, phrases.RULES, phrases.LEAVE)
        )
        """The words that are left where nobody sits down any more: in a replay."""

    def untold(self) -> int | None:
        """Return the ply before which an arrival needs a scene to tell everything; None if it needs none."""
        scene = self._console.store.scene
        if table_here(self._console).phase != "playing" or scene is None:
            return None
        if plain_here(self._console).described is None:
            return None
        plies = phrases.since(scene)
        return scene.match.recent()[-plies:][0][0] if plies else None

    def arrival(self, before: Scene[Any] | None) -> Iterator[str]:
        """Yield what table this is, who sits here, and what has happened; `before` is a scene before that."""
        store, table = self._console.store, table_here(self._console)
        address = self._console.server_address
        yield from phrases.head_lines(table, address, local=self._console.local)
        if table.phase == "open":
            yield phrases.seats(table)
        elif table.phase == "finished" and store.scene is not None:
            yield phrases.whose_turn(store.scene, self._console.user)
            if again := replay_words(table, address):
                yield again
        elif store.scene is not None and store.face is not None:
            yield from phrases.log(store.scene, store.face, phrases.since(store.scene), before)

    async def _look(self, _rest: str) -> None:
        if self._console.store.scene is None:
            self._console.say(*self.arrival(None), *self._proposed())
            say_next(self._console)
            return
        scene, face = scene_here(self._console)
        self._console.say(*phrases.look(scene, face, plain_here(self._console), self._console.user))
        self._console.say(*self._proposed())

    def _proposed(self) -> Iterator[str]:
        table = table_here(self._console)
        if table.proposal is not None:
            yield phrases.proposed(table, table.proposal, self._console.user)

    async def _sit(self, rest: str) -> None:
        table = table_here(self._console)
        if await follow_link(self._console, rest):
            say_next(self._console)
            return
        if is_invitation(rest) and not any(rest == seat.name for seat in table.seats):
            await self._console.request(lambda number: Join(number, rest))
            say_next(self._console)
            return
        own = own_seats(self._console)
        if rest and not _seats_meant(table, rest):
            if meant(words_of(rest), [(True, (table.title,))])[1]:
                self._console.say(_("You are at the table {title} already.", title=table.title))
                say_next(self._console)
                return
            raise UnknownWords(
                text("No seat here is {line}; other tables are in the lobby.", line=quoted(rest))
            )
        if rest:
            seat: Seat | None = seat_meant(self._console, rest)
        else:
            seat = own[0] if table.phase == "playing" and own else phrases.free_seat(table)
        if seat is None:
            raise UnknownWords(text("No seat is free here."))
        if table.phase == "playing" and seat in own and table.seats[seat].has_given_up:
            raise UnknownWords(Text(given_up_words()))
        held = table.seats[seat]
        if table.phase != "playing" or seat not in own or held.stand_in is not None:
            await self._console.request(lambda number: TakeSeat(number, seat, self._console.name))
        if seat in own and table_here(self._console).seats[seat] == held:  # not even the name is another
            self._console.say(_("You have seat {n} already: {name}.", n=seat + 1, name=held.name))
        say_next(self._console)

    async def _stand(self, rest: str) -> None:
        seats = [seat_meant(self._console, rest)] if rest else own_seats(self._console)
        if not seats:
            raise UnknownWords(text("You have no seat here."))
        for seat in seats:
            await self._console.request(partial(LeaveSeat, seat=seat))

    async def _bots(self, rest: str) -> None:
        words, seats = list(words_of(rest)), list[Seat]()
        table = table_here(self._console)
        if words and words[-1].isdecimal():
            seats = [seat_meant(self._console, words.pop())]
        else:
            seats = [n for n, seat in enumerate(table.seats) if not (seat.owner or seat.bot)]
        if not seats:
            raise UnknownWords(text("No seat is free here."))
        bot = bot_meant(words or [DEFAULT_BOT])
        for seat in seats:
            await self._console.request(partial(SetBot, seat=seat, bot=bot))
        say_next(self._console)

    async def _start(self, _rest: str) -> None:
        table = table_here(self._console)
        if table.phase == "finished":
            await self._console.request(lambda number: Propose(number, "rematch"))
        elif table.owner == self._console.user:
            await self._console.request(Start)
        else:
            await self._console.request(lambda number: Propose(number, "start"))

    async def _leave(self, _rest: str) -> None:
        await self._console.request(lambda number: GoTo(number, None))

    async def _propose(self, rest: str) -> None:
        asked, _space, who = rest.partition(" ")
        _how, found = meant(words_of(asked), ((what, ways_of(word)) for what, word in _PROPOSALS.items()))
        if meant(words_of(asked), [(True, ways_of(UNDO))])[1]:
            raise UnknownWords(
                text(
                    "A step is not taken back by agreement: {undo} takes back your own, in your own turn, "
                    "until it has shown something new.",
                    undo=typed(UNDO),
                )
            )  # fmt: skip
        if len(found) > 1:
            raise UnknownWords(may_mean(asked, [render(_PROPOSALS[what]) for what in found]))
        if not found:
            known = joined([render(word) for word in _PROPOSALS.values()], is_choice=True)
            raise UnknownWords(text("Type what you propose after it: {known}.", known=known))
        own, what = own_seats(self._console), found[0]
        seat: Seat | None = None
        if what == "bot" or (what == "resign" and (who or len(own) > 1)):
            seat = seat_meant(self._console, who)
        elif what == "resign" and own:
            seat = own[0]
        await self._console.request(lambda number: Propose(number, what, seat))

    async def _hand_on(self, rest: str) -> None:
        seat = table_here(self._console).seats[seat_meant(self._console, rest)]
        if seat.owner is None:
            raise UnknownWords(text("Nobody who could own the table has this seat."))
        await self._console.request(partial(HandOn, user=seat.owner))
        self._console.say(_("{name} owns this table.", name=seat.name))

    async def _agree(self, _rest: str) -> None:
        await self._console.request(lambda number: Vote(number, yes=True))

    async def _refuse(self, _rest: str) -> None:
        await self._console.request(lambda number: Vote(number, yes=False))

    async def _rules(self, rest: str) -> None:
        tell_rules(self._console, table_here(self._console).game, rest)

    def _section(self) -> Sequence[str]:
        """Return a section of the rules, for an example."""
        return [page.title for page in _pages(self._console, table_here(self._console).game)[1:2]]


def _pages(console: TextConsole, game: str) -> Sequence[Section]:
    reader = console.reader
    twins = appearances()[game].twins if reader.ascii_only else None
    names = {sign: render(name) for sign, name in plain_face(game).signs.items()}
    return sections(game, reader.languages, twins=twins, names=names)


def tell_rules(console: TextConsole, game: str, typed_words: str, *before: str) -> None:
    """Tell the section of a game's rules that is meant, or which there are; `before` are words before it."""
    pages = _pages(console, game)
    _how, found = meant(words_of(typed_words), ((page, (page.title, page.slug)) for page in pages))
    if found:
        console.say(found[0].title, *phrases.rules(found[0]))
        return
    console.say(*(page.title for page in pages))
    if len(pages) > 1:
        example = typed(phrases.RULES, *before, pages[1].title)
        console.say(_("Type one of them after it, or its beginning: {rules}.", rules=example))


def bot_forms() -> Iterator[tuple[str, Iterable[str]]]:
    """Yield the bots, each with the ways to type it."""
    for bot in bot_choices():
        yield bot, (bot, *ways_of(level_of(bot)))


def bot_meant(words: Sequence[str]) -> str:
    """Return the bot that words mean. Raises `UnknownWords` if it may be several, or none."""
    _how, found = meant(words, bot_forms())
    if len(found) != 1:
        raise UnknownWords(text("Which bot? There are {bots}.", bots=bot_levels()))
    return found[0]


def bot_levels() -> Text | str:
    """Return which bots there are."""
    return joined([*map(bot_level, bot_choices())])


def seat_meant(console: TextConsole, words: str) -> Seat:
    """Return the seat of a number from 1, or of a name. Raises `UnknownWords`."""
    table = table_here(console)
    found = _seats_meant(table, words)
    if len(found) != 1:
        raise UnknownWords(text("Type the number of a seat, 1 to {n}, or a name.", n=len(table.seats)))
    return found[0]


def _seats_meant(table: TableView, words: str) -> list[Seat]:
    if words.isdecimal() and 0 < int(words) <= len(table.seats):
        return [int(words) - 1]
    return meant(words_of(words), ((n, (seat.name,)) for n, seat in enumerate(table.seats)))[1]


def say_next(console: TextConsole) -> None:
    """Say what can be done at a table before the match, and to whoever comes during it that they watch."""
    table = table_here(console)
    if table.phase == "open":
        console.guide(_next_at(table, console.user))
    elif table.phase == "playing" and not own_seats(console):
        console.guide(_("The match has begun: you are watching."))


def _next_at(table: TableView, user: str) -> str:
    free = phrases.free_seat(table) is not None
    is_here = any(seat.owner == user for seat in table.seats)
    join, bot, start = typed(phrases.JOIN), typed(_BOT), typed(phrases.START)
    if free and is_here and table.owner == user:
        return _("{bot} gives the free seats to bots; {start} begins.", bot=bot, start=start)
    if free and not is_here:
        return _("{join} takes a seat.", join=join)
    if free:
        return _("Waiting for people to sit down.")
    if not is_here and table.owner != user:
        return _("No seat is free: you are watching.")
    return _("{start} begins the match.", start=start)
