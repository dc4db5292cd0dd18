"""All words that can be typed at a place, and what is done with a line of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Final

from kk_core.protocol.messages import Look
from kk_core.text import Text, joined, quoted, text, text_in
from kk_core.types import Move
from kk_tui.games import faces
from kk_tui.games.plain import plain_face
from kk_tui.i18n import _, render, typed
from kk_tui.matching import Fit, meant, ways_of, words_of
from kk_tui.plain import phrases
from kk_tui.plain.account import AccountWords
from kk_tui.plain.at_table import TableWords, say_next, seat_meant
from kk_tui.plain.console import (
    LineConsole,
    TextConsole,
    own_seats,
    plain_here,
    scene_here,
    table_here,
    viewer_here,
)
from kk_tui.plain.lessons_and_rankings import LessonAndRankingWords
from kk_tui.plain.links import follow_link
from kk_tui.plain.lobby import LobbyWords
from kk_tui.plain.match import MatchWords
from kk_tui.plain.moves import usage, verbs
from kk_tui.plain.people import PeopleWords
from kk_tui.plain.replay import COACH, HistoryWords, ReplayWords
from kk_tui.plain.settings import SettingWords
from kk_tui.plain.turn import TurnWords
from kk_tui.plain.words import HELP, TypedWord, UnknownWords, word_meant
from kk_tui.scene import Scene
from kk_tui.table_words import DATABASE_WAITS

QUIT: Final = text_in("typed", "quit")
"""The word that ends the session."""


class Commands:
    """Everything that can be typed on a console, with words of its own for tables if it has them."""

    def __init__(
        self, console: TextConsole, *, lists_all: bool = False, own_words: Sequence[TypedWord] = ()
    ) -> None:
        self._console = console
        self._lobby = LobbyWords(console, lists_all=lists_all)
        self._table = TableWords(console)
        self._turn = TurnWords(console)
        self._match = MatchWords(console)
        self._lessons = LessonAndRankingWords(console)
        self._history = HistoryWords(console, self._show_step)
        self._replay = ReplayWords(console, self._history)
        # at home there are no accounts
        account = () if console.local else AccountWords(console).words
        self._in_lobby = (*self._lobby.words, *self._lessons.words, *self._history.words, *account)
        self._people = PeopleWords(console)
        self._own = own_words
        self._always = (
            TypedWord(HELP, text("what can be typed here"), self._help,
                    text_in("typed", "[WORD]"), (Text("?"),), example=(QUIT,)),
            *SettingWords(console).words,
            TypedWord(QUIT, text("end; your seats are kept"), self._quit,
                    also=(Text("exit"),)),
        )  # fmt: skip

    def all(self) -> Sequence[TypedWord]:
        """Return the words of this place, those first that matter most."""
        store, everywhere = self._console.store, (*self._people.everywhere, *self._always)
        if store.table is None:
            return (*self._in_lobby, *everywhere)
        at_table = (*self._table.words, *self._people.at_table)
        if store.scene is None:
            return (*at_table, *everywhere)
        if not store.scene.is_over:
            return (
                *self._turn.words,
                self._match.back,
                *self._match.words,
                *self._own,
                *at_table,
                *everywhere,
            )
        if store.table.phase == "replay":
            return (*self._replay.words, *self._match.words, *self._table.about, *everywhere)
        # there the coach is another one, who speaks of the moves that have been made
        own = (one for one in self._own if one.word != COACH)
        return (*at_table, *self._replay.words, *self._match.words, *own, *everywhere)

    async def do(self, line: str) -> None:
        """Carry out a line. Raises `KkError`, which says what was not possible and what is."""
        line = line.strip().removeprefix("/").strip()
        if not line:
            self._say_where()
            return
        if await follow_link(self._console, line):
            if self._console.store.table is not None:
                say_next(self._console)
            return
        word, _space, rest = line.partition(" ")
        how_named, named = word_meant(word, self.all())
        if how_named in (Fit.WHOLE, Fit.WORDS) and len(named) == 1:
            await named[0].do(rest.strip())
            return
        store, how, moves = self._console.store, None, list[Move]()
        if store.scene is not None and store.face is not None:
            how, moves = await self._turn.meant(line)
        # of a word alone nobody knows which is meant; with others behind it, they must fit, too
        if moves and (not named or how == Fit.WHOLE or " " in line):
            await self._turn.play_one(moves, line)
        elif len(named) == 1 and not moves:
            await named[0].do(rest.strip())
        elif named:
            self._turn.refuse_all(line, [one.usage_of(word) for one in named], moves)
        else:
            # a move that is not possible is rather meant than the beginning of a word of another place
            self._refuse_elsewhere(word, Fit.WHOLE)
            await self._turn.refuse(line, partial(self._refuse_elsewhere, word, Fit.BEGINNINGS))

    def _say_where(self) -> None:
        """Say where the reader is and what they can do, as an empty line asks."""
        store = self._console.store
        if store.table is not None and store.table.waits and not self._console.local:
            self._console.say(render(DATABASE_WAITS))
        if store.scene is None or store.face is None:
            self._console.say(*self.arrival())
            if store.table is not None:
                say_next(self._console)
        elif store.scene.may_act:
            asked = phrases.prompt(store.scene, store.face, plain_here(self._console))
            self._console.say(_("Your turn. {what}", what=asked))
        elif store.scene.is_over:
            self._console.say(*self._replay.where())
            if own_seats(self._console):
                self._console.say(phrases.next_words(store.scene.table))
        else:
            self._console.say(phrases.whose_turn(store.scene, self._console.user))

    def _refuse_elsewhere(self, word: str, least: Fit) -> None:
        """Raise `UnknownWords` if a word that fits at `least` so well can be typed at another place."""
        store = self._console.store
        at_match = (*self._turn.words, *self._replay.words, *self._match.words, *self._own)
        if store.table is None:
            at_table = (*self._table.words, *self._people.at_table, *at_match)
            found = [*_fitting(word, at_table, least), *_kinds(word, faces(), least)]
            if found:
                shown = joined([*map(quoted, dict.fromkeys(found))], is_choice=True)
                raise UnknownWords(text("{word} is for a table; you are in the lobby.", word=shown))
            return
        is_move = word.isdecimal() or bool(_kinds(word, faces(), Fit.WHOLE))
        if is_move and store.scene is not None and not store.scene.is_over:
            viewer_here(self._console)  # which is refused to those who have no moves
        # a move of another game is rather meant than the beginning of a word of the lobby
        elif found := _fitting(word, self._in_lobby, least):
            shown, leave = joined([*map(quoted, found)], is_choice=True), typed(phrases.LEAVE)
            raise UnknownWords(text("{word} is for the lobby; {leave} leads there.", word=shown, leave=leave))
        if _fitting(word, at_match, least) or (
            store.scene is None and _kinds(word, [store.table.game], least)
        ):
            scene_here(self._console)  # which is refused where there is none
            now = store.scene  # not the position that somebody has gone to
            is_over = now is not None and now.is_over
            over, plays = text("The match is over."), text("The match is still being played.")
            raise UnknownWords(over if is_over else plays)

    def complete(self, line: str) -> list[str]:
        """Return the words that may stand at the end of a line, in which the last one may be begun."""
        store = self._console.store
        before = line.rpartition(" ")[0].split()
        if not before:
            found = [render(one.word) for one in self.all()]
        elif store.table is None:
            found = list(faces())
        else:
            found = [seat.name for seat in store.table.seats]
        if store.scene is not None:
            plain = plain_here(self._console)
            for move in sorted(store.scene.legal):
                ways = [render(way).split() for way in plain.typed(store.scene, move)]
                found += [way[len(before)] for way in ways if way[: len(before)] == before < way]
        return sorted({*found})

    def forget_past(self) -> None:
        """Look at a finished match as it ended, and through the reader's own eyes, on arrival."""
        self._console.past = None
        self._replay.seen_by = None

    async def look_at(self, step: int) -> None:
        """Look at a finished match as it was after so many steps. Raises `KkError`."""
        await self._replay.look_at(step)

    async def _show_step(self, step: int) -> None:
        """Go to a step of the replay here, and say so. Raises `KkError`."""
        await self._replay.look_at(step)
        self._console.say(*self._replay.where())

    def untold(self) -> int | None:
        """Return the ply before which an arrival needs a scene to tell everything; None if it needs none."""
        return None if self._console.store.table is None else self._table.untold()

    def arrival(self, before: Scene[Any] | None = None) -> Iterator[str]:
        """Yield where the reader is now, what has happened, and what can be done there.

        `before` is a scene from before what has happened, if there is any.
        """
        if self._console.store.table is None:
            yield from self._lobby.arrival(typed(HELP))
        else:
            yield from self._table.arrival(before)
            if self._console.store.scene is not None and table_here(self._console).phase == "replay":
                yield from self._replay.where()

    async def _help(self, rest: str) -> None:
        store, plain = self._console.store, plain_here(self._console)
        is_played = store.scene is not None and not store.scene.is_over
        if rest:
            _how, found = word_meant(rest, self.all())
            kinds = verbs(plain, rest) if is_played else []
            if not found and not kinds:
                for least in (Fit.WHOLE, Fit.BEGINNINGS):
                    self._refuse_elsewhere(rest, least)
                raise UnknownWords(text("{line} is no word here.", line=quoted(rest)))
            for one in found:
                self._console.say(one.help, *one.examples())
            for kind in kinds:
                self._console.say(_("{use}: {about}", use=usage(kind), about=kind.about))
            if kinds:
                self._console.say(*self._turn.example_of(rest))
            return
        if store.scene is not None:
            if is_played and store.scene.viewer is not None:
                if plain.verbs:
                    self._console.say(_("Moves: {moves}.", moves=", ".join(map(usage, plain.verbs))))
                self._console.say(_("Type a move in words or their beginnings, or one of these words:"))
            else:
                self._console.say(_("Type one of these words, or its beginning:"))
            # so many that what each does would take minutes to hear
            self._console.say(", ".join(one.usage for one in self.all()))
            self._console.say(_("{help} and a word says what it does.", help=typed(HELP)))
            return
        self._console.say(_("Type one of these words, or its beginning:"))
        for one in self.all():
            self._console.say(one.help)

    async def _quit(self, _rest: str) -> None:
        self._console.leave()


def _fitting(word: str, words: Sequence[TypedWord], least: Fit) -> list[str]:
    """Return those of some words that a typed one fits at `least` so well, as they are typed."""
    how, found = word_meant(word, words)
    if how is None or how > least:
        return []
    return [word] if how is Fit.WHOLE else [one.usage_of(word) for one in found]


def _kinds(word: str, games: Iterable[str], least: Fit) -> list[str]:
    """Return likewise the kinds of moves in some games."""
    kinds = [(kind, ways_of(kind.word)) for game in games for kind in plain_face(game).verbs]
    how, found = meant(words_of(word), kinds)
    if how is None or how > least:
        return []
    return [word] if how is Fit.WHOLE else [usage(kind) for kind in found]


class LineWords:
    """Words for a match that only a session in lines needs: the screen has other ways."""

    def __init__(self, console: LineConsole) -> None:
        self._console = console
        self.words = (
            TypedWord(phrases.SEAT, text("look through another seat of yours"), self._eyes,
                    text_in("typed", "SEAT"), example=(2,)),
            TypedWord(COACH, text("have a coach warn you before a costly move, or no longer"), self._coach),
            TypedWord(text_in("typed", "wait"), text("read on when it is your turn"), self._wait),
        )  # fmt: skip

    async def _eyes(self, rest: str) -> None:
        seat, scene = seat_meant(self._console, rest), self._console.store.scene
        await self._console.request(partial(Look, seat=seat))
        if scene is not None and scene.viewer == seat:
            self._console.say(
                _("You look through seat {n} already: {name}.", n=seat + 1, name=scene.name(seat))
            )

    async def _coach(self, _rest: str) -> None:
        console = self._console
        if not table_here(console).hints:
            raise UnknownWords(text("This table has no hints, and no coach."))
        console.is_coached = not console.is_coached
        if console.is_coached:
            console.say(_("The coach warns you before a costly move; {coach} ends that.", coach=typed(COACH)))
        else:
            console.say(_("The coach is off."))

    async def _wait(self, _rest: str) -> None:
        """Return when the viewer may act, or the match is over or gone."""
        console = self._console
        here = console.store.scene
        if here is not None and (here.may_act or here.is_over):
            console.say(phrases.whose_turn(here, console.user))
        while not console.has_left:
            console.changed.clear()
            scene = console.store.scene
            if scene is None or scene.is_over or scene.may_act:
                return
            await console.changed.wait()
