"""Lessons: a prepared match in which each thing is done once, and explained by what it does to the score.

A lesson is data in its game's `lesson` module. The learner has seat 0, the moves of all others are written
down, and what is said after a step takes its figures from the states before and after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, NamedTuple, TypeAlias

from kk_core.config import digest
from kk_core.errors import KkError
from kk_core.game import AnyGame
from kk_core.text import Text, text
from kk_core.types import Move, Seat, Sheet, totals

LEARNER: Final[Seat] = 0
"""The seat of whoever takes a lesson."""


class LessonUnfit(KkError):
    """A lesson that does not fit the cards or the map of its game here."""


@dataclass(frozen=True)
class LessonMoment:
    """The states around a step: when it began, and when all that belongs to it had been done."""

    game: AnyGame
    before: Any
    after: Any
    names: Sequence[str]

    def name(self, seat: Seat) -> str:
        """Return the name of a seat."""
        return self.names[seat]

    @cached_property
    def was(self) -> Sheet:
        """The learner's score sheet when the step began, as if all were scored then."""
        return self.game.standing(self.before, LEARNER)

    @cached_property
    def now(self) -> Sheet:
        """The learner's score sheet when the step was over."""
        return self.game.standing(self.after, LEARNER)

    def had(self, *lines: str, seat: Seat = LEARNER) -> int:
        """Return a seat's points in some lines of the sheet when the step began; in all by default."""
        return self._sum(self.was, lines, seat)

    def has(self, *lines: str, seat: Seat = LEARNER) -> int:
        """Return a seat's points in some lines of the sheet when the step was over; in all by default."""
        return self._sum(self.now, lines, seat)

    def gain(self, *lines: str, seat: Seat = LEARNER) -> int:
        """Return by how much the step has changed a seat's points in some lines of the sheet."""
        return self.has(*lines, seat=seat) - self.had(*lines, seat=seat)

    def _sum(self, sheet: Sheet, lines: Sequence[str], seat: Seat) -> int:
        if not lines:
            return totals(sheet)[seat]
        return sum(sheet[self.game.sheet.index(line)][seat] for line in lines)


Words: TypeAlias = Text | Callable[[LessonMoment], Text]
"""A sentence, or a function that fills in what the step has changed."""


@dataclass(frozen=True)
class LessonStep:
    """One thing to be done: what the learner is asked to do, and what is said once it is done.

    Any of `moves`, in notation, is right. `then` are plies that are played automatically before anything is
    said. `later` are plies of others, and of the learner where the lesson skips ahead: `skips` says what they
    are, and they follow once the learner has read it. Both have the form "SEAT MOVE; SEAT MOVE ...". `holds`
    is false where what is said would be wrong. `other` meets another legal move; where the step `is_strict`,
    another one is refused, since it would lead too far to be taken back without confusion. `title` names the
    step in a few words, and `about` the lines of the score sheet that its sentences speak of. `pages` are
    read before it: the rules that it relies on.
    """

    title: Text
    asks: Words
    moves: tuple[str, ...]
    told: Words
    then: str = ""
    skips: Words | None = None
    later: str = ""
    holds: Callable[[LessonMoment], bool] = lambda _moment: True
    other: Text | None = None
    is_strict: bool = False
    about: tuple[str, ...] = ()
    pages: tuple[Words, ...] = ()


@dataclass(frozen=True)
class Lesson:
    """A lesson: the match that it is played in, the plies that lead to its position, and its steps.

    `deal` is the digest of the cards as they are dealt, which tells whether they are those that it was
    written for. The pages of `intro` are read before the first step: what the game is about. `learnt` are
    the rules that the lesson has taught, in short lines, for its end. `words` are those of the game that its
    sentences use, each with what it means.
    """

    seats: int
    seed: str
    deal: str
    opening: str
    steps: tuple[LessonStep, ...]
    intro: tuple[Words, ...]
    learnt: tuple[Words, ...]
    words: tuple[tuple[Text, Text], ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)


class LessonProgress(NamedTuple):
    """Progress in a lesson: the step that is asked for, from 0, and what is said and highlighted now.

    `wanted` are the moves that are asked for, none while others move. `strayed` is true after a move that was
    not asked for: then what is asked stands as before. `back` is the number of plies to which a step back
    leads; None if there is none. `due` is the ply that is played automatically; where `skips` says what it
    begins, only once the learner goes on, with all `left` plies of it. `intro` are the pages to be read
    before this step, `learnt` is there after the last one, when nothing is asked any more. `about` are the
    lines of the score sheet that is spoken of.
    """

    step: int
    told: Text | None
    asks: Text | None
    wanted: tuple[Move, ...]
    strayed: bool
    back: int | None
    due: tuple[Seat, Move] | None = None
    skips: Text | None = None
    left: int = 0
    intro: tuple[Text, ...] = ()
    learnt: tuple[Text, ...] = ()
    about: tuple[int, ...] = ()


class _Due(NamedTuple):
    """A ply of the course: its step, its seat, and the moves that are right."""

    step: int
    seat: Seat
    moves: tuple[Move, ...]
    is_asked: bool
    is_ahead: bool


class LessonCourse:
    """A lesson as a game plays it."""

    def __init__(self, script: Lesson, game: AnyGame) -> None:
        """Play the lesson to its end. Raises `LessonUnfit` if it does not fit the game's data."""
        self.script = script
        self.game = game
        self.seed: Final = bytes.fromhex(script.seed)
        try:
            self._start = game.setup(script.options, script.seats, self.seed)
            self.opening = [*_parsed(game, script.opening)]
            self._due = [*self._plies()]
            self._about = [tuple(map(game.sheet.index, step.about)) for step in script.steps]
            self._check()
        except KkError as error:
            raise LessonUnfit(
                text("The lesson does not fit the cards or the map used here: {reason}", reason=error.reason)
            ) from None

    def progress(self, plies: Sequence[tuple[Seat, Move]], names: Sequence[str]) -> LessonProgress:
        """Return how far a match of this lesson has come; `names` are those of its seats."""
        done, back = 0, None
        opened = len(self.opening)
        played = plies[opened:]
        for due, (seat, move) in zip(self._due, played, strict=False):
            if seat != due.seat or move not in due.moves:
                break
            back = opened + done if due.is_asked else back
            done += 1
        strayed = done < len(played) or [*plies[:opened]] != self.opening
        if strayed:
            return self._strayed(done, plies, names)
        if done == len(self._due):
            return self._after(len(self.script.steps) - 1, plies, names, back)
        now = self._due[done]
        if now.is_ahead:
            ahead = [due for due in self._due[done:] if due.step == now.step]
            return self._after(now.step, plies, names, back, ahead)
        # what is skipped was read before: what was told then may not be true any more
        is_told = now.is_asked and now.step > 0 and not self.script.steps[now.step - 1].later
        told = (
            self._said(self.script.steps[now.step - 1].told, now.step - 1, plies, names) if is_told else None
        )
        asks = self._said(self.script.steps[now.step].asks, now.step, plies, names)
        about = (
            self._about[now.step] if told is None else (*self._about[now.step - 1], *self._about[now.step])
        )
        if not now.is_asked:
            follows = now.seat, now.moves[0]
            return LessonProgress(now.step, told, asks, (), False, back, follows, about=about)
        pages = self.script.steps[now.step].pages
        intro = self._pages(pages if played else (*self.script.intro, *pages), now.step, plies, names)
        return LessonProgress(now.step, told, asks, now.moves, False, back, intro=intro, about=about)

    def _after(
        self, step: int, plies: Sequence[tuple[Seat, Move]], names: Sequence[str], back: int | None,
        ahead: Sequence[_Due] = (),
    ) -> LessonProgress:  # fmt: skip
        """Return the progress once all that belongs to a step has been done."""
        script = self.script.steps[step]
        is_last = step + 1 == len(self.script.steps)
        told = self._said(script.told, step, plies, names)
        learnt = self._pages(self.script.learnt, step, plies, names) if is_last else ()
        at = step + 1 if is_last else step
        about = self._about[step]
        if not ahead or script.skips is None:
            return LessonProgress(at, told, None, (), False, back, learnt=learnt, about=about)
        due, skips = (ahead[0].seat, ahead[0].moves[0]), self._said(script.skips, step, plies, names)
        return LessonProgress(
            at, told, None, (), False, back, due, skips, len(ahead), learnt=learnt, about=about
        )

    def _strayed(self, done: int, plies: Sequence[tuple[Seat, Move]], names: Sequence[str]) -> LessonProgress:
        now = self._due[min(done, len(self._due) - 1)]
        step = self.script.steps[now.step]
        told = step.other or text("The rules allow that, too, but this lesson needs another move.")
        before = plies[: len(self.opening) + done]
        asks = self._said(step.asks, now.step, before, names)
        wanted, about = now.moves if now.is_asked else (), self._about[now.step]
        return LessonProgress(now.step, told, asks, wanted, True, len(before), about=about)

    def moment(self, step: int, plies: Sequence[tuple[Seat, Move]], names: Sequence[str]) -> LessonMoment:
        """Return the states around a step, in a match that has reached that step, or is beyond it."""
        first = len(self.opening) + sum(due.step < step for due in self._due)
        last = first + sum(due.step == step and not due.is_ahead for due in self._due)
        before = self._state(plies[:first])
        after = before
        for seat, move in plies[first:last]:
            after = self.game.apply(after, seat, move)
        return LessonMoment(self.game, before, after, names)

    def line(self, choice: int = 0) -> Iterator[tuple[Seat, Move]]:
        """Yield all plies from the first on; of several moves that are right, the one of this number."""
        yield from self.opening
        for due in self._due:
            yield due.seat, due.moves[min(choice, len(due.moves) - 1)]

    def plies_to(self, step: int) -> list[tuple[Seat, Move]]:
        """Return the plies after the opening that lead to a step; at most to the last one."""
        step = min(step, len(self.script.steps) - 1)
        return [(due.seat, due.moves[0]) for due in self._due if due.step < step]

    def _state(self, plies: Sequence[tuple[Seat, Move]]) -> Any:
        state = self._start
        for seat, move in plies:
            state = self.game.apply(state, seat, move)
        return state

    def _said(
        self, words: Words, step: int, plies: Sequence[tuple[Seat, Move]], names: Sequence[str]
    ) -> Text:
        return words if isinstance(words, Text) else words(self.moment(step, plies, names))

    def _pages(
        self, pages: Sequence[Words], step: int, plies: Sequence[tuple[Seat, Move]], names: Sequence[str]
    ) -> tuple[Text, ...]:
        return tuple(self._said(page, step, plies, names) for page in pages)

    def _plies(self) -> Iterator[_Due]:
        for number, step in enumerate(self.script.steps):
            moves = tuple(self.game.parse_move(line) for line in step.moves)
            yield _Due(number, LEARNER, moves, is_asked=True, is_ahead=False)
            for seat, move in _parsed(self.game, step.then):
                yield _Due(number, seat, (move,), is_asked=False, is_ahead=False)
            if step.later and step.skips is None:
                raise LessonUnfit(text("step {n} skips ahead without saying so.", n=number + 1))
            for seat, move in _parsed(self.game, step.later):
                yield _Due(number, seat, (move,), is_asked=False, is_ahead=True)

    def _check(self) -> None:
        found = digest(self.game.export_setup(self._start))
        if found != self.script.deal:
            raise LessonUnfit(text("other cards are dealt ({digest}).", digest=found[:12]))
        names = [str(seat) for seat in range(self.script.seats)]
        # every right move is tried, the others among them followed by the same plies
        for choice in range(max(len(step.moves) for step in self.script.steps)):
            plies = [*self.line(choice)]
            self._state(plies)
            for number, step in enumerate(self.script.steps):
                if not step.holds(self.moment(number, plies, names)):
                    raise LessonUnfit(text("step {n} explains other values.", n=number + 1))


def _parsed(game: AnyGame, lines: str) -> Iterator[tuple[Seat, Move]]:
    for line in lines.split("; ") if lines else ():
        seat, _, move = line.partition(" ")
        yield int(seat), game.parse_move(move)
