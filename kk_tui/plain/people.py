"""Words about the people here: who they are, what is said, and whom one does not want to hear."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Final

from kk_core.protocol.messages import PHRASES, Find, Found, Invite, Report, Say, SayPhrase
from kk_core.text import text, text_in
from kk_core.views import GUEST_MARK, LobbyView, TableView, bare_name
from kk_tui.i18n import _, ngettext, render, typed
from kk_tui.plain import phrases
from kk_tui.plain.console import TextConsole
from kk_tui.plain.words import TooFewWords, TypedWord, UnknownWords

_PHRASE: Final = text_in("typed", "phrase")
_UNMUTE: Final = text_in("typed", "unmute")


class PeopleWords:
    """Words about people, in the lobby and at tables."""

    def __init__(self, console: TextConsole) -> None:
        self._console = console
        name, words, somebody = text_in("typed", "NAME"), text_in("typed", "WORDS"), ("Anna",)
        self.everywhere = (
            TypedWord(text_in("typed", "who"), text("who is here"), self._who),
            TypedWord(text_in("typed", "say"), text("say something to all who are here"), self._say, words,
                    example=PHRASES[:1]),
            TypedWord(_PHRASE, text("say something that everybody reads in their own language"),
                    self._say_phrase, text_in("typed", "[N]"), example=(1,)),
            TypedWord(text_in("typed", "mute"), text("hide somebody's messages"), self._mute, name,
                    example=somebody),
            TypedWord(_UNMUTE, text("show somebody's messages again"), self._unmute, name, example=somebody),
            TypedWord(text_in("typed", "report"), text("report somebody, and the latest chat, to the host"),
                      self._report, text_in("typed", "NAME WHY"), example=(*somebody, "spam")),
        )  # fmt: skip
        self.at_table = (
            TypedWord(text_in("typed", "invite"), text("call somebody to this table"), self._invite, name,
                    example=somebody),
            TypedWord(text_in("typed", "shuffle"), text("add these words to the shuffle of the next match"),
                      self._shuffle, words, example=PHRASES[:1]),
        )  # fmt: skip

    async def _who(self, _rest: str) -> None:
        store = self._console.store
        if store.table is not None:
            if store.scene is not None and store.face is not None:
                self._console.say(*phrases.players(store.scene, store.face))
            else:
                self._console.say(phrases.seats(store.table))
            if store.table.watchers:
                self._console.say(_("Watching: {names}.", names=", ".join(store.table.watchers)))
        elif store.lobby is not None:
            names = ", ".join(store.lobby.users)
            self._console.say(
                ngettext("{n} here: {names}", "{n} here: {names}", store.lobby.here, names=names)
            )

    async def _say(self, rest: str) -> None:
        if not rest:
            raise UnknownWords(text("Type what you want to say after it."))
        await self._console.request(lambda number: Say(number, rest))

    async def _say_phrase(self, rest: str) -> None:
        if not rest:
            for number, phrase in enumerate(PHRASES, 1):
                self._console.say(f"{number}. {render(phrase)}")
        elif not rest.isdecimal() or not 0 < int(rest) <= len(PHRASES):
            raise UnknownWords(
                text("Type a number after it, 1 to {n}; {phrase} lists them.",
                     n=len(PHRASES), phrase=typed(_PHRASE))
            )  # fmt: skip
        else:
            await self._console.request(partial(SayPhrase, phrase=int(rest) - 1))

    async def _invite(self, rest: str) -> None:
        await self._console.request(partial(Invite, user=_named(rest)))
        self._console.say(_("{name} has been invited.", name=rest))

    async def _shuffle(self, rest: str) -> None:
        if not rest:
            raise TooFewWords(text("Type some words after it."))
        await self._console.add_words(rest)
        self._console.say(_("Your words will be part of the next shuffle here."))

    async def _mute(self, rest: str) -> None:
        """Mute a name, even one that nobody here has."""
        name = _named(rest)
        if bare_name(name) == bare_name(self._console.user):
            raise UnknownWords(text("That's you."))
        place = self._console.store.place
        is_known = place is not None and bare_name(name) in set(map(bare_name, _known(place)))
        # the lobby does not list everybody, so ask the server
        if not is_known and isinstance(place, LobbyView):
            found: Found = await self._console.request(partial(Find, words=name))
            is_known = bare_name(found.name) == bare_name(name)
        # they may have left, or the name may be mistyped; the user is told so
        self._console.chat_reader.mute(name)
        if is_known:
            undo = typed(_UNMUTE, name)
            self._console.say(_("{name} is muted for you; {unmute} undoes that.", name=name, unmute=undo))
        else:
            self._console.say(_("Nobody called {name} is here; they will be muted if they join.", name=name))

    async def _unmute(self, rest: str) -> None:
        self._console.chat_reader.unmute(_named(rest))
        self._console.say(_("{name} is no longer muted.", name=rest))

    async def _report(self, rest: str) -> None:
        _named(rest)
        place = self._console.store.place
        names = list(() if place is None else _known(place))
        if isinstance(place, LobbyView):  # which does not list everybody
            found: Found = await self._console.request(partial(Find, words=rest))
            names.append(found.name)
        name, why = parted(rest, names)
        await self._console.request(partial(Report, user=name, words=why))
        self._console.say(_("Your report goes to the host of this server, with the latest chat."))


def _named(rest: str) -> str:
    """Return the name that was typed. Raises `TooFewWords` if there is none."""
    if not rest:
        raise TooFewWords(text("Type a name after it."))
    return rest


def _known(place: TableView | LobbyView) -> Iterator[str]:
    """Yield the names of everybody visible at a place, and of those who spoke there."""
    for line in place.chat.recent():
        yield from (line.user, line.name)
    if isinstance(place, LobbyView):
        yield from place.users
    else:
        yield from place.watchers
    for table in place.tables if isinstance(place, LobbyView) else (place,):
        for seat in table.seats:
            yield from (seat.name, seat.owner or "")


def parted(rest: str, names: Iterable[str]) -> tuple[str, str]:
    """Split a line into the longest of `names` that it begins with, or its first word, and the rest.

    The mark of a guest may be left out.
    """
    # names may have spaces, so the first word need not be the whole name
    known = {each for name in names for each in (name, name.removeprefix(GUEST_MARK))}
    begins = [name for name in known if f"{rest} ".lower().startswith(f"{name} ".lower())]
    name = max(begins, key=len, default=rest.partition(" ")[0])
    return rest[: len(name)], rest[len(name) :].strip()
