"""A lesson in lines: its pages, what each step asks for and how that is typed, and what has been learnt."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from kk_core.text import Text, text_in
from kk_core.views import LessonView
from kk_tui.games import Face
from kk_tui.games.plain import plain_face
from kk_tui.i18n import _, render, typed
from kk_tui.plain import phrases
from kk_tui.plain.moves import name
from kk_tui.scene import Scene

OK: Final = text_in("typed", "ok")
UNDO: Final = text_in("typed", "undo")
"""The words that go on with a lesson, or make the move that it asks for, and that take a move back."""


class LessonNews:
    """Remembers what of a lesson has been told."""

    def __init__(self) -> None:
        self._table = ""
        self._read = set[int]()
        self._told: LessonView | None = None

    def follow(self, scene: Scene[Any], face: Face[Any]) -> Iterator[str]:
        """Yield what is new in the lesson at a table."""
        lesson = scene.table.lesson
        if lesson is None:
            return
        if self._table != scene.table.id or (
            lesson.step == 1 and self._told is not None and self._told.step > 1
        ):
            self._table, self._read, self._told = scene.table.id, set(), None
        before, self._told = self._told, lesson
        if before is None or before.step != lesson.step:
            title = lesson.titles[lesson.step - 1] if lesson.titles else ""
            yield _("Lesson, step {n} of {all}: {title}.", n=lesson.step, all=lesson.steps, title=title)
        if before is None or before.told != lesson.told:
            yield from _lines(lesson.told)
        if lesson.step not in self._read and not lesson.learnt:
            self._read.add(lesson.step)
            for page in lesson.intro:
                yield from _lines(page)
        if lesson.strayed:
            yield _("{undo} takes it back.", undo=typed(UNDO))
        elif lesson.learnt and (before is None or not before.learnt):
            yield _("You have learnt:")
            yield from map(render, lesson.learnt)
            yield _("The lesson is over; {leave} leads back to the lobby.", leave=typed(phrases.LEAVE))
        elif lesson.asks is not None and (before is None or _is_asked_anew(before, lesson)):
            yield from _lines(lesson.asks)
            if lesson.wanted:
                move = name(scene, face, plain_face(scene.match.game), lesson.wanted[0])
                yield _("Type {move}, or {ok}.", move=f"'{move}'", ok=typed(OK))
        elif lesson.skips is not None and (before is None or before.skips != lesson.skips):
            yield from _lines(lesson.skips)
            yield _("{ok} continues.", ok=typed(OK))


def _is_asked_anew(before: LessonView, lesson: LessonView) -> bool:
    if (before.step, before.asks) != (lesson.step, lesson.asks):
        return True
    # with no move to make it has been done, and others are at it
    return bool(lesson.wanted) and (before.wanted, before.strayed) != (lesson.wanted, lesson.strayed)


def _lines(words: Text | None) -> Iterator[str]:
    if words is not None:
        yield from filter(None, render(words).splitlines())
