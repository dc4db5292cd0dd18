"""Lessons at a hub: a lesson is played at a table of its own, alone, and counts for nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from kk_core.bot_names import DEFAULT_BOT
from kk_core.checks import complete_options
from kk_core.lesson import LEARNER, LessonCourse, LessonProgress, LessonUnfit
from kk_core.match import Match, Ply
from kk_core.registry import game_ids, has_lesson, lesson_of
from kk_core.text import Text, text
from kk_core.types import Ends, Move, Seat, Sheet
from kk_core.views import LessonLine, LessonView, TableLine, TableView
from kk_server.accounts.names import clean_title
from kk_server.log import get_logger
from kk_server.storage.entries import Closed, Created, Ended, Entry, Moved, Started, Undone
from kk_server.storage.summaries import PLAYING
from kk_server.storage.table_log import StorageFailed
from kk_server.tables.bots import BotTurn, alone_with_bots
from kk_server.tables.place import NotPossible, Viewpoint
from kk_server.tables.table import Table

_logger = get_logger()

PLAYED_WITHOUT: Final = 1
"""Finished matches of a game after which somebody counts as experienced."""


def lesson_lines(begun: dict[str, str], known: frozenset[str]) -> tuple[LessonLine, ...]:
    """Return the lessons that fit the games here, for somebody who has begun some, and knows some games."""
    return tuple(
        LessonLine(game_id, begun.get(game_id), game_id not in known)
        for game_id in game_ids()
        if has_lesson(game_id)
    )


def lessons_begun(own: Iterable[TableLine]) -> dict[str, str]:
    """Return the tables of somebody's unfinished lessons by game, among the tables that concern them."""
    return {line.game: line.id for line in own if line.lesson and line.phase == PLAYING}


def lesson_entries(
    user: str, own_name: str, course: LessonCourse, rules: str, drawing: str | None, *, step: int = 0
) -> list[Entry]:
    """Return the entries of a table where a user learns a game, from a step on, counted from 0.

    `rules` and `drawing` are digests.
    """
    game, script = course.game, course.script
    holders = alone_with_bots(user, own_name, script.seats, DEFAULT_BOT, at=LEARNER)
    options = complete_options(game.meta, script.seats, script.options)
    created = Created(
        clean_title("", user), user, game.meta.id, options, script.seats, watched=False, lesson=True
    )
    opening, done = (
        tuple(f"{seat} {game.format_move(move)}" for seat, move in plies)
        for plies in (course.opening, course.plies_to(step))
    )
    started = Started(script.seed, game.rules_version, holders, rules, opening, drawing)
    # the steps are moves like any other, so that they can be taken back
    return [created, started, *map(Moved, done)]


class LessonTable(Table):
    """A table where somebody plays the lesson of a game."""

    has_hints = False
    is_private = True
    is_counted = False
    _lesson: LessonCourse | None = None
    _progress: tuple[int, LessonProgress | None] = -1, None
    _is_passing: bool = False
    """True while moves are made that the lesson skips; not stored: after a restart it asks again."""
    _is_finished: bool = False
    """True once it is stored that the lesson is finished."""

    @property
    def lesson(self) -> LessonCourse | None:
        """The lesson played here. Raises `LessonUnfit` if it does not fit the match any more."""
        if self._lesson is None and self.state.match is not None:
            self._lesson = lesson_of(self.state.match.game)
        return self._lesson

    @property
    def progress(self) -> LessonProgress | None:
        """The progress of the lesson; None where it does not fit the match any more."""
        match = self.state.match
        try:
            lesson = self.lesson
        except LessonUnfit:  # nobody comes here, but the table can be closed
            return None
        if lesson is None or match is None:
            return None
        # a step explains itself by playing the match up to it, so once per revision is enough
        if self._progress[0] != self.state.revision:
            names = [seat.name for seat in self._views.seats()]
            self._progress = self.state.revision, lesson.progress(match.plies, names)
        return self._progress[1]

    @property
    def is_needed(self) -> bool:
        """True until the last step is done, also where the match could go on."""
        progress = self.progress
        return super().is_needed and not (progress is not None and progress.learnt)

    async def go_on(self, user: str) -> None:
        """Let the moves happen that the lesson skips. Raises `NotPossible`."""
        async with self._lock:
            self._check_player(user, LEARNER)
            progress = self.progress
            if progress is None or progress.skips is None:
                raise NotPossible(text("There's nothing to skip; the lesson is waiting for your move."))
            self._is_passing = True
        self._bots.wake()

    def on_applied(self, entry: Entry | None) -> None:
        """Follow an applied entry: once all is done that was skipped, the lesson waits again."""
        super().on_applied(entry)
        progress = self.progress
        if not isinstance(entry, Moved) or progress is None or progress.skips is None:
            self._is_passing = False

    def publish(self) -> None:
        """Show the table; of the moves that the lesson skips, only the last one and what is before it."""
        progress = self.progress
        if not self._is_passing or progress is None or progress.left <= 1:
            super().publish()

    async def play(self, user: str, seat: Seat, ply: int, move: Move, *, is_program: bool = False) -> None:
        """Make a move on the learner's seat, unless the lesson has something else first. Raises `KkError`."""
        progress = self.progress
        if progress is not None and progress.skips is not None:
            raise NotPossible(text("Press Enter first: the lesson continues."))
        if progress is not None and self.lesson is not None and progress.step < len(self.lesson.script.steps):
            is_strict = self.lesson.script.steps[progress.step].is_strict and progress.wanted
            if is_strict and move not in progress.wanted:
                raise NotPossible(text("You could do that, but here the lesson needs the move it asks for."))
        await super().play(user, seat, ply, move, is_program=is_program)

    async def begin_anew(self) -> None:
        """Take back everything after the opening of the lesson. Raises `KkError`."""
        async with self._lock:
            lesson, match = self.lesson, self._running()
            if lesson is not None and len(match.plies) > len(lesson.opening):
                await self._commit(Undone(LEARNER, len(lesson.opening)))

    async def close_for(self, user: str) -> None:
        """Close the table for the learner, who begins the lesson anew another time. Raises `KkError`."""
        await super().close_for(user)
        await self._context.lessons.leave(user, self.state.created.game, 0)

    async def resume(self) -> None:
        """Continue where the log stopped; if all steps were done by then, the lesson is finished."""
        await super().resume()
        await self._finish()

    async def count(self, ended: Ended) -> bool:  # noqa: ARG002
        """Note that the lesson is finished. Returns False if that has failed."""
        return await self._finish()

    async def _commit(self, entry: Entry, ply: Ply | None = None) -> None:
        progress = self.progress
        if isinstance(entry, Closed) and progress is not None and not progress.learnt:
            await self._context.lessons.leave(self.state.owner, self.state.created.game, progress.step)
        await super()._commit(entry, ply)
        # as soon as the last step is done: the match may go on
        await self._finish()

    async def _finish(self) -> bool:
        """Store that the lesson is finished, if it is. Returns False if that has failed."""
        progress = self.progress
        if self._is_finished or progress is None or not progress.learnt:
            return True
        try:
            await self._context.lessons.finish(self.state.owner, self.state.created.game)
        except StorageFailed as error:
            _logger.error("lesson not kept", table=self.id, error=type(error).__name__)
            return False
        self._is_finished = True
        return True

    def _words_on_expiry(self) -> Text:
        game = self._running().game.meta.name
        return text("Your lesson in {game} is waiting where you left it.", game=game)

    def preview(self, user: str, seat: Seat, move: Move) -> tuple[Sheet | None, Ends, tuple[int, ...], bool]:
        """Return what a move would bring; it ends nothing, since every step can be taken back.

        Where all choose at once it is a choice as in a match, which the lesson teaches to confirm.
        """
        sheet, ends, wanted, shows = super().preview(user, seat, move)
        return sheet, ends if ends == "choice" else "nothing", wanted, shows

    def view(self, viewpoint: Viewpoint) -> TableView:
        """Return the table with what the lesson says now."""
        view, progress, lesson = super().view(viewpoint), self.progress, self.lesson
        if view.match is None or progress is None or lesson is None:
            return view
        steps = len(lesson.script.steps)
        shown = LessonView(
            min(progress.step + 1, steps), steps, None, None, (), strayed=False,
            titles=tuple(step.title for step in lesson.script.steps), words=lesson.script.words,
        )  # fmt: skip
        if not self._is_passing:
            shown = replace(
                shown, told=progress.told, asks=progress.asks, wanted=progress.wanted,
                strayed=progress.strayed, skips=progress.skips, intro=progress.intro, learnt=progress.learnt,
                about=progress.about,
            )  # fmt: skip
        return replace(view, match=replace(view.match, may_undo=progress.back is not None), lesson=shown)

    def _check_may_enter(self, user: str) -> None:
        super()._check_may_enter(user)
        _ = self.lesson  # refuses a lesson that the match here was not dealt for

    def check_company(self) -> None:
        """Refuse whatever takes several people."""
        raise NotPossible(text("This is a lesson, which you play alone."))

    def _undone(self, match: Match, seat: Seat) -> Undone:  # noqa: ARG002
        progress = self.progress
        if progress is None or progress.back is None:
            raise NotPossible(text("This is the first step of the lesson."))
        # whatever it has shown: what a lesson deals is no secret
        return Undone(seat, progress.back)

    def _next_turn(self, match: Match) -> BotTurn | None:
        progress = self.progress
        if progress is None or progress.due is None or (progress.skips is not None and not self._is_passing):
            return None
        seat, move = progress.due
        seen = match.game.observe(match.state, seat)
        bot = self.state.seats[seat].player or ""
        return BotTurn(seat, bot, match, seen, match.state, move, progress.left > 1)
