"""Words about finished matches: the list of them, each step by step, what decided them and what cost most."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Any, Final

from kk_core.bot_names import DEFAULT_BOT, level_of
from kk_core.errors import KkError
from kk_core.match_name import match_name, parse_match_name
from kk_core.protocol.messages import (
    ClientMessage,
    Forget,
    GetCourse,
    GetHistory,
    GetRecord,
    GoTo,
    History,
    MatchCourse,
    OpenReplay,
    PlayOn,
    RecordText,
)
from kk_core.text import joined, quoted, text, text_in
from kk_core.types import Seat, Viewer
from kk_core.views import Course, PastMatch
from kk_tui.i18n import _, format_when, render, typed
from kk_tui.matching import meant, ways_of, words_of
from kk_tui.plain import phrases
from kk_tui.plain.at_table import bot_forms, seat_meant
from kk_tui.plain.console import TextConsole, own_seats, plain_here, scene_here, table_here
from kk_tui.plain.links import follow_link
from kk_tui.plain.words import TypedWord, UnknownWords
from kk_tui.record_file import save_record
from kk_tui.scene import Scene
from kk_tui.table.advice import Coach, better_words
from kk_tui.table.decisive import moment_of, with_deeds
from kk_tui.table.landing import stepless
from kk_tui.table.place_store import past_scene
from kk_tui.table_words import as_remembered

_LISTED: Final = 10
"""Matches that are listed at once."""

_MOST: Final = 2**31
"""The largest number of a match that is asked for."""

_PATIENCE: Final = 15.0
"""Seconds after which somebody who waits for the moves that cost most is told how far the search is."""

_HISTORY: Final = text_in("typed", "history")
_REPLAY: Final = text_in("typed", "replay")
_NEXT: Final = text_in("typed", "next")
_BACK: Final = text_in("typed", "back")
_VIEW: Final = text_in("typed", "view")
_PLAY: Final = text_in("typed", "play")

_MARKS: Final = {
    "turns": text_in("typed", "turn"),
    "rounds": text_in("typed", "round"),
    "scorings": text_in("typed", "scoring"),
}
"""The parts of a match through which `next` can step, by their names in `Course`."""


class HistoryWords:
    """Words of the lobby for the user's finished matches."""

    def __init__(self, console: TextConsole, show_step: Callable[[int], Awaitable[None]]) -> None:
        """Take the place where they are typed, and what goes to a step of the replay there."""
        self._console = console
        self._show_step = show_step
        self._listed: dict[int, PastMatch | None] = {}
        """The matches that were listed last, by the numbers they had then; None for one deleted since."""
        self._mine: dict[str, Sequence[Seat]] = {}
        """The user's seats in each match whose replay was looked at, by its name."""
        n = text_in("typed", "N")
        self.words = (
            TypedWord(_HISTORY, text("your finished matches, from the Nth newest on"), self._list,
                    text_in("typed", "[N]"), example=(_LISTED + 1,)),
            TypedWord(_REPLAY, text("look at a finished match, step by step"), self._open,
                    text_in("typed", "N|ID-N|LINK [STEP]"), example=(1,)),
            TypedWord(text_in("typed", "forget"), text("delete a match from your history, for good"),
                    self._forget, n, example=(1,)),
        )  # fmt: skip

    async def _fetch(self, first: int) -> History:
        """Request the matches from the Nth newest on."""
        reply: History = await self._console.request(lambda number: GetHistory(number, first - 1))
        return reply

    async def _list(self, rest: str) -> None:
        first = _number(rest) or 1
        reply = await self._fetch(first)
        shown = reply.matches[:_LISTED]
        if shown:
            self._listed = dict(enumerate(shown, first))
        if not shown:
            self._console.say(
                _("You haven't finished a match yet.") if first == 1 else _("There are no more.")
            )
        for number, match in enumerate(shown, first):
            people = ", ".join(
                render(text_in("figures", "{name} {points}", name=name, points=points))
                for name, points in zip(match.names, match.points, strict=True)
            )
            won = ", ".join(match.names[seat] for seat in match.winners)
            self._console.say(
                _(
                    "{n}. {when}, {game}: {people}. Won: {won}.",
                    n=number, when=format_when(match.at), game=phrases.game_name(match.game), people=people,
                    won=won or _("nobody"),
                )
            )  # fmt: skip
        if len(reply.matches) > _LISTED or reply.has_older:
            self._console.say(_("{history} lists older ones.", history=typed(_HISTORY, first + _LISTED)))
        elif shown:
            self._console.say(_("{replay} shows one.", replay=typed(_REPLAY, first)))

    async def _match(self, rest: str) -> PastMatch:
        """Return the match listed with a number; the Nth newest if none was. Raises `UnknownWords`."""
        number = _number(rest)
        if number in self._listed:
            match = self._listed[number]
            if match is None:
                raise UnknownWords(text("That match is deleted; {history} lists the others anew.",
                                        history=typed(_HISTORY)))  # fmt: skip
            return match
        found = (await self._fetch(number)).matches if number else ()
        if not found:
            raise UnknownWords(text("Type the number of a match after it: see {history}.",
                                    history=typed(_HISTORY)))  # fmt: skip
        return found[0]

    async def _open(self, rest: str) -> None:
        which, step = stepless(rest)
        if not await follow_link(self._console, which):
            await self._open_match(which)
        if step is not None:
            await self._show_step(step)

    async def _open_match(self, which: str) -> None:
        """Go to the replay of a match by its number in the list, or by its name. Raises `KkError`."""
        named = parse_match_name(which)
        if named is not None and named[1] is not None:
            await self._console.request(partial(GoTo, table=which))
            return
        match = await self._match(which)
        self._mine[match_name(match.table, match.match)] = match.mine
        await self._console.request(lambda number: OpenReplay(number, match.table, match.match))

    async def mine(self, name: str) -> Sequence[Seat]:
        """Return the user's seats in a match, by its name, which is that of its replay; none in others' ones.

        Raises `KkError`.
        """
        if name not in self._mine:
            self._mine[name] = await self._find_mine(name)
        return self._mine[name]

    async def _find_mine(self, name: str) -> Sequence[Seat]:
        first, has_older = 1, self._console.has_account
        while has_older:
            reply = await self._fetch(first)
            for match in reply.matches:
                if match_name(match.table, match.match) == name:
                    return match.mine
            first, has_older = first + len(reply.matches), reply.has_older
        return ()

    async def _forget(self, rest: str) -> None:
        match = await self._match(rest)
        await self._console.request(lambda number: Forget(number, match.table, match.match))
        # the others keep their numbers: the list still stands there
        self._listed = {n: None if one == match else one for n, one in self._listed.items()}
        self._console.say(_("The match is deleted from your history."))


def _number(rest: str) -> int:
    """Return the number that somebody types, at most `_MOST`; 0 for anything else."""
    return min(int(rest), _MOST) if rest.isdecimal() else 0


COACH: Final = text_in("typed", "coach")
"""The word that asks for the moves that cost most."""


def _seat_and_bot(console: TextConsole, typed_words: str) -> tuple[Seat | None, str]:
    """Return the seat and the level of bots that somebody types, each of which they may leave out.

    Raises `UnknownWords`.
    """
    words = typed_words.split()
    _how, found = meant(words_of(" ".join(words[-1:])), bot_forms())
    if len(found) == 1:
        words.pop()
    seat = seat_meant(console, " ".join(words)) if words else None
    return seat, found[0] if len(found) == 1 else DEFAULT_BOT


class _HasLeftError(Exception):
    """The reader is no longer at the match that is searched."""


class ReplayWords:
    """Words that step through a finished match; all words about a match refer to the step reached."""

    def __init__(self, console: TextConsole, history: HistoryWords) -> None:
        self._console = console
        self._history = history
        self._course: tuple[tuple[str, bytes], Course] | None = None
        self._searched: Course | None = None
        """The match that is searched for the moves that cost most."""
        self.seen_by: tuple[tuple[str, bytes], Viewer] | None = None
        """The match that is seen through eyes that were asked for, and whose these are."""
        self._words = (
            TypedWord(_NEXT, text("a step on, or to the next turn, round or scoring"), self._go_on,
                    text_in("typed", "[turn|round|scoring]"), example=(_MARKS["scorings"],)),
            TypedWord(_BACK, text("a step back, or the table after N steps"), self._go_back,
                    text_in("typed", "[N]"), example=(10,)),
            TypedWord(COACH, text("the decisive moment; the costliest moves, and better ones"), self._coach),
            TypedWord(_VIEW, text("the match as somebody saw it; without a name, as spectators did"),
                    self._look_as, text_in("typed", "[SEAT]"), example=(2,)),
            TypedWord(_PLAY, text("play on from the step reached, in a new match against bots"),
                    self._play_on, text_in("typed", "[SEAT] [LEVEL]"), example=(1, level_of(DEFAULT_BOT))),
        )  # fmt: skip

    def where(self) -> Iterator[str]:
        """Yield the step that is looked at, how the match stands there, and what leads to others."""
        scene, _face = scene_here(self._console)
        newest = self._console.store.scene
        assert newest is not None, "there is a match here"
        yield _("After {ply} of {end} steps.", ply=scene.match.ply, end=newest.match.ply)
        yield phrases.whose_turn(scene, self._console.user)
        begin, next_, coach = typed(_BACK, 0), typed(_NEXT), typed(COACH)
        yield _(
            "{begin} goes to the beginning, {next} one step on, {coach} tells what decided the match.",
            begin=begin, next=next_, coach=coach,
        )  # fmt: skip

    async def _go_on(self, rest: str) -> None:
        course, before = await self._known(), scene_here(self._console)[0]
        ply = before.match.ply
        marks: Sequence[int] = range(len(course.movers) + 1)
        if rest:
            _how, found = meant(words_of(rest), ((kind, ways_of(word)) for kind, word in _MARKS.items()))
            if len(found) != 1:
                known = joined([typed(_NEXT, render(word)) for word in _MARKS.values()], is_choice=True)
                raise UnknownWords(
                    text("{line} is no part of a match: type {known}.", line=quoted(rest), known=known)
                )
            marks = getattr(course, found[0])
        if ply == len(course.movers):
            raise UnknownWords(text("This is the end of the match."))
        for after in (*(mark for mark in marks if mark > ply), len(course.movers)):
            await self.look_at(after)
            scene, face = scene_here(self._console)
            # what is chosen in secret is told when it is revealed
            if told := [*phrases.log(scene, face, after - ply, before)]:
                break
        left_out = after - ply - len(scene.match.recent()[ply - after :])
        if left_out:
            # with steps missing between, nobody knows what has become of what lay on the table then
            since = await self._past(ply + left_out, await self._eyes())
            told = [*phrases.log(scene, face, after - ply, since)]
        self._console.say(*phrases.left_out(left_out), *told)
        if after - ply > 1:
            self._console.say(_("After {ply} of {end} steps.", ply=after, end=len(course.movers)))
        if scene.is_over:
            self._console.say(*phrases.outcome(scene, face))

    async def _go_back(self, rest: str) -> None:
        end = len((await self._known()).movers)
        if not rest and not self._ply:
            raise UnknownWords(text("This is the beginning of the match."))
        if rest and (not rest.isdecimal() or int(rest) > end):
            raise UnknownWords(text("Type a number of steps, 0 to {n}, after it.", n=end))
        await self.look_at(int(rest) if rest else self._ply - 1)
        scene, face = scene_here(self._console)
        self._console.say(_("After {ply} of {end} steps.", ply=self._ply, end=end))
        self._console.say(*phrases.look(scene, face, plain_here(self._console), self._console.user))

    @property
    def words(self) -> Sequence[TypedWord]:
        """The words of a finished match; its record is saved where the user has a folder for it."""
        save = TypedWord(text_in("typed", "save"), text("save the record of the match"), self._save)
        return self._words if self._console.records is None else (*self._words, save)

    @property
    def _ply(self) -> int:
        return scene_here(self._console)[0].match.ply

    async def _known(self) -> Course:
        """Return the course of the match here. Raises `KkError` while it is played."""
        key = scene_here(self._console)[0].match_key
        if self._course is None or self._course[0] != key:
            reply: MatchCourse = await self._console.request(GetCourse)
            self._course = key, reply.course
        return self._course[1]

    async def look_at(self, ply: int) -> None:
        """Have all words refer to the match after so many steps, through the user's own eyes.

        Raises `KkError`, also while the match is played.
        """
        scene_here(self._console)  # which is refused where there is none
        newest = self._console.store.scene
        if newest is not None and not newest.is_over:
            raise UnknownWords(text("The match is still being played."))
        self._console.past = await self._past(ply, await self._eyes())

    async def _eyes(self) -> Viewer:
        """Return the viewer for whom the match here is told."""
        if self.seen_by is not None and self.seen_by[0] == scene_here(self._console)[0].match_key:
            return self.seen_by[1]
        own = await self._own()
        return own[0] if own else None

    async def _look_as(self, rest: str) -> None:
        end = len((await self._known()).movers)
        eyes = seat_meant(self._console, rest) if rest else None
        self.seen_by = scene_here(self._console)[0].match_key, eyes
        await self.look_at(self._ply)
        scene, face = scene_here(self._console)
        self._console.say(_("After {ply} of {end} steps.", ply=self._ply, end=end))
        self._console.say(*phrases.look(scene, face, plain_here(self._console), self._console.user))

    async def _save(self, _rest: str) -> None:
        scene, folder = scene_here(self._console)[0], self._console.records
        reply: RecordText = await self._console.request(GetRecord)
        assert folder is not None, "else there is no such word"
        self._console.say(render(save_record(folder, scene, reply)))

    async def _play_on(self, rest: str) -> None:
        end = len((await self._known()).movers)
        ply, scene = self._ply, scene_here(self._console)[0]
        if ply == end:
            raise UnknownWords(
                text("This is the end of the match; {back} and a number go back.", back=typed(_BACK))
            )
        who, level = _seat_and_bot(self._console, rest)
        active = scene.observation.active
        eyes = await self._eyes()
        mine = who if who is not None else eyes if eyes is not None else active[0]
        seats = tuple("" if seat == mine else level for seat in range(len(scene.names)))
        # somebody else's name is not for the user
        is_own = mine in await self._own()
        name = scene.table.seats[mine].name if is_own else self._console.name
        await self._console.request(partial(PlayOn, ply=ply, seats=seats, name=name))

    async def _own(self) -> Sequence[Seat]:
        table = table_here(self._console)
        # in a replay, nobody sits on the seats
        return own_seats(self._console) if table.phase != "replay" else await self._history.mine(table.id)

    async def _past(self, ply: int, eyes: Viewer) -> Scene[Any]:
        scene = await past_scene(self._console, scene_here(self._console)[0].match_key, ply, eyes)
        return replace(scene, table=as_remembered(scene.table), legal=frozenset())

    async def _coach(self, _rest: str) -> None:
        course = await self._known()
        if self._searched is course:
            raise UnknownWords(text("Still looking."))
        await self._tell_moment(course)
        self._console.say(_("Looking for the moves that cost most; you can go on meanwhile."))
        self._searched = course
        self._console.start(self._find(course))

    async def _tell_moment(self, course: Course) -> None:
        """Tell the decisive moment, and what was done in it."""
        newest, (_scene, face) = self._console.store.scene, scene_here(self._console)
        assert newest is not None, "there is a match here"
        if (moment := moment_of(course, newest)) is not None:
            moment = await with_deeds(moment, course, self._past, face)
            there = _("{back} goes there.", back=typed(_BACK, moment.swing.ply))
            self._console.say(" ".join(filter(None, (moment.sentence, moment.deeds, there))))

    async def _find(self, course: Course) -> None:
        try:
            await self._search(course)
        except (KkError, _HasLeftError):
            pass  # nobody waits for what would be found
        finally:
            if self._searched is course:
                self._searched = None

    async def _search(self, course: Course) -> None:
        """Tell the moves that cost most. Raises `KkError`, or `_HasLeftError` if the reader is elsewhere."""
        scene, face = scene_here(self._console)
        coach = Coach()
        coach.own, coach.rounds = await self._own(), course.rounds

        def check() -> None:
            here = self._console.store.scene
            if self._searched is not course or here is None or here.match_key != scene.match_key:
                raise _HasLeftError

        async def request(make: Callable[[int], ClientMessage]) -> Any:
            check()  # the server would answer for the match where the reader is now
            reply = await self._console.request(make)
            check()
            return reply

        async def before(ply: int, seat: Seat) -> Scene[Any]:
            check()
            return await self._past(ply, seat)

        told_at = monotonic()

        def tell_share() -> None:
            nonlocal told_at
            if coach.share < 1 and monotonic() - told_at >= _PATIENCE:
                told_at = monotonic()
                self._console.say(_("Still looking: {n} % of the match.", n=int(100 * coach.share)))

        await coach.follow(request, before, face, tell_share)
        check()
        if not coach.numbered:
            self._console.say(_("No costly mistakes found."))
        for number, told in enumerate(coach.numbered, 1):
            name, played = scene.name(told.point.seat), told.played.rstrip(".")
            head = _(
                "{n}. Step {ply}, {name} (round {round}): {played}: {cost} points lost.",
                n=number, ply=told.number, name=name, round=told.round, played=played, cost=told.cost,
            )  # fmt: skip
            self._console.say(" ".join(filter(None, (head, *better_words(told)))))
