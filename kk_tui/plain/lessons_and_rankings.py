"""Words in the lobby about lessons, and about rankings: the deal of the day and the leaderboard."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Final

from msgspec.structs import replace

from kk_core.bot_names import level_of
from kk_core.daily import daily_words, share_text
from kk_core.protocol.messages import (
    Daily,
    GetDaily,
    GetLeaders,
    GetLessons,
    Leaders,
    Lessons,
    OpenDaily,
    OpenLesson,
)
from kk_core.text import joined, text, text_in, texts
from kk_core.views import DailyTable
from kk_tui.games import faces
from kk_tui.i18n import _, render, typed
from kk_tui.matching import meant, ways_of, words_of
from kk_tui.plain import phrases
from kk_tui.plain.console import TextConsole
from kk_tui.plain.words import TooFewWords, TypedWord, UnknownWords
from kk_tui.table_words import format_rating, signs_in_ascii

_LISTED: Final = 10
"""Lines of a ranking."""

_DAY: Final = text_in("typed", "day")
_SHARE: Final = text_in("typed", "share")
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
LESSON: Final = text_in("typed", "lesson")
_LEADERS: Final = text_in("typed", "leaders")
_ANEW: Final = text_in("typed", "anew")


class LessonAndRankingWords:
    """Words of the lobby for lessons, the deals of the day and the leaderboard."""

    def __init__(self, console: TextConsole) -> None:
        self._console = console
        game, one = text_in("typed", "GAME"), tuple(faces())[:1]
        self.words = (
            TypedWord(LESSON, text("learn a game by playing; anew begins it from its first step"),
                    self._learn, text_in("typed", "GAME [anew]"), example=one),
            TypedWord(_DAY, text("the deals of the day, today's or of a date; or play today's"), self._day,
                    text_in("typed", "[DATE|GAME]"), example=one),
            TypedWord(_SHARE, text("your result of a deal of the day, to show others"),
                    self._share, text_in("typed", "GAME [DATE]"), example=one),
            TypedWord(_LEADERS, text("the best players of a game"), self._leaders, game, example=one),
        )  # fmt: skip

    async def _learn(self, rest: str) -> None:
        reply: Lessons = await self._console.request(GetLessons)
        words = [*words_of(rest.replace("_", " "))]
        is_anew = bool(meant(words[-1:], [(True, ways_of(_ANEW))])[1]) and len(words) > 1
        game = _game(words[:-1] if is_anew else words, [line.game for line in reply.lessons], typed(LESSON))
        name = self._console.name
        await self._console.request(lambda number: OpenLesson(number, game, name, is_anew))

    async def _day(self, rest: str) -> None:
        if rest and not _DATE.fullmatch(rest):
            game, name = _game(words_of(rest.replace("_", " ")), [*faces()], typed(_DAY)), self._console.name
            await self._console.request(lambda number: OpenDaily(number, game, name))
            return
        for game in faces():
            reply: Daily = await self._console.request(partial(GetDaily, game=game, day=rest))
            self._tell_day(reply.table)
        if not rest:
            self._console.say(_("{day} and a game plays it.", day=typed(_DAY)))

    async def _share(self, rest: str) -> None:
        begun, _space, last = rest.rpartition(" ")
        words, day = (begun, last) if _DATE.fullmatch(last) else (rest, "")
        game = _game(words_of(words.replace("_", " ")), [*faces()], typed(_SHARE))
        reply: Daily = await self._console.request(partial(GetDaily, game=game, day=day))
        is_ascii, signs = self._console.reader.ascii_only, reply.table.signs
        shown = replace(reply.table, signs=signs_in_ascii(signs) if is_ascii else signs)
        lines = share_text(shown, faces()[game].meta.name)
        if not lines:
            raise UnknownWords(text("You haven't finished this deal of the day."))
        self._console.say(*map(render, lines))

    def _tell_day(self, table: DailyTable) -> None:
        head = texts("{game}, deal of the day {day} (UTC), against {n} {level} bot",
                     "{game}, deal of the day {day} (UTC), against {n} {level} bots",
                     table.seats - 1, game=phrases.game_name(table.game), day=table.day,
                     level=level_of(table.bot))  # fmt: skip
        # the digest of the seed is nothing to be heard
        said = [*daily_words(table, is_guest=not self._console.has_account)]
        sentences = [render(head), *map(render, said[:-1] if table.ranked else said)]
        self._console.say(" ".join(f"{one.rstrip('.')}." for one in sentences))
        for line in table.lines[:_LISTED] if table.ranked else ():
            self._console.say(
                _("{n}. {name}: {points} points.", n=line.place, name=line.name, points=line.points)
            )

    async def _leaders(self, rest: str) -> None:
        game = _game(words_of(rest.replace("_", " ")), [*faces()], typed(_LEADERS))
        reply: Leaders = await self._console.request(lambda number: GetLeaders(number, game))
        if not reply.lines:
            self._console.say(_("Nobody has a rating in this game yet."))
        for line in reply.lines[:_LISTED]:
            self._console.say(
                _(
                    "{place}. {name}: {rating}, {n} matches.",
                    place=line.place or "-", name=line.name, rating=format_rating(line.rating), n=line.played,
                )
            )  # fmt: skip


def _game(words: Sequence[str], games: Sequence[str], asked: str) -> str:
    """Return the one of some games that is meant. Raises `TooFewWords` if it may be several, or none."""
    known = {game: face.meta.name for game, face in faces().items() if game in games}
    _how, found = meant(
        words, ((game, (game.replace("_", " "), *ways_of(one))) for game, one in known.items())
    )
    if len(found) != 1:
        ids = joined([*known], is_choice=True)
        raise TooFewWords(text("Which game? Type {open} with {games}.", open=asked, games=ids))
    return found[0]
