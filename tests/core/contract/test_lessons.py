"""Every game's lesson, played to its end by its own data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from kk_core.config import digest
from kk_core.errors import KkError
from kk_core.lesson import LEARNER, LessonCourse, LessonProgress, LessonUnfit
from kk_core.registry import game, game_for, game_ids, has_lesson, lesson_of
from kk_core.text import Text
from kk_core.types import Move, Seat

GAMES = [game_id for game_id in game_ids() if has_lesson(game_id)]

NAMES_WITH_DIGITS = re.compile(r"\b(row|press|round|number) \d+|\b[A-Z]{2}\d\b", re.IGNORECASE)
"""Digits that are the name of a place or a key, not a figure."""

LONGEST = 250
"""Characters of what is said after one step and before the next, at most."""

LONGEST_TITLE = 28
"""Characters of the title of a step, at most: as many as fit beside a board at 120x40."""

each = pytest.mark.parametrize("game_id", GAMES)


@cache
def course_of(game_id: str) -> LessonCourse:
    return lesson_of(game(game_id))


def names_at(course: LessonCourse) -> list[str]:
    return [f"Name{seat}" for seat in range(course.script.seats)]


def stops(course: LessonCourse, choice: int = 0) -> Iterator[tuple[list[tuple[Seat, Move]], LessonProgress]]:
    """The plies wherever the lesson waits for the learner, and at the end, with what is said there."""
    line, left = [*course.line(choice)], 0
    for n in range(len(course.opening), len(line) + 1):
        progress = course.progress(line[:n], names_at(course))
        # what is skipped is read before, and then goes on by itself
        if progress.due is None or progress.left > left:
            yield line[:n], progress
        left = progress.left


def steps(course: LessonCourse, choice: int = 0) -> Iterator[tuple[list[tuple[Seat, Move]], LessonProgress]]:
    """Those of them at which a move is asked for."""
    return ((plies, progress) for plies, progress in stops(course, choice) if progress.wanted)


def said(course: LessonCourse) -> Iterator[Text]:
    for _, progress in stops(course):
        sentences = (progress.told, progress.skips, progress.asks, *progress.intro, *progress.learnt)
        yield from (sentence for sentence in sentences if sentence is not None)


def test_the_games_that_come_with_the_program_have_lessons_that_fit() -> None:
    assert {"ku_ka_king", "land_cards", "web_of_power"} <= set(GAMES)


@each
def test_a_lesson_goes_on_step_by_step_to_the_end_of_its_match(game_id: str) -> None:
    course = course_of(game_id)
    asked = [progress.step for _, progress in steps(course)]
    assert asked == list(range(len(course.script.steps)))
    plies, last = [*stops(course)][-1]
    state = state_after(course, plies)
    assert not course.game.active_seats(state)
    assert last.step == len(course.script.steps)
    assert last.asks is None
    assert last.told is not None
    assert last.learnt


@each
def test_the_pages_of_a_step_are_there_while_it_is_asked_for_and_those_of_the_lesson_at_its_first(
    game_id: str,
) -> None:
    course = course_of(game_id)
    for number, (_, progress) in enumerate(stops(course)):
        own = course.script.steps[progress.step].pages if progress.asks is not None else ()
        first = course.script.intro if number == 0 else ()
        assert len(progress.intro) == len(first) + len(own)


@each
def test_what_was_learnt_is_said_once_the_last_step_is_done_and_not_before(game_id: str) -> None:
    for _, progress in stops(course_of(game_id)):
        assert bool(progress.learnt) is (progress.step == len(course_of(game_id).script.steps))


@each
def test_each_step_has_a_short_title_and_a_word_of_the_game_is_explained_once(game_id: str) -> None:
    script = course_of(game_id).script
    titles, words = [str(step.title) for step in script.steps], [str(word) for word, _meaning in script.words]
    assert all(0 < len(title) <= LONGEST_TITLE for title in titles)
    assert len({*titles}) == len(titles)
    assert words
    assert len({*words}) == len(words)


@each
def test_a_step_speaks_of_lines_of_the_score_sheet_while_it_is_asked_for_or_told(game_id: str) -> None:
    course = course_of(game_id)
    told = [progress for _, progress in stops(course) if progress.about]
    assert told
    assert all(0 <= line < len(course.game.sheet) for progress in told for line in progress.about)
    for step, (plies, progress) in enumerate(steps(course)):
        about = {course.game.sheet[line] for line in progress.about}
        # what is asked for, and what the step before has told of where that is still said
        assert about >= {*course.script.steps[step].about}
        assert about <= {*course.script.steps[step].about, *course.script.steps[step - 1].about}, plies


@each
def test_nobody_s_turn_passes_without_a_word(game_id: str) -> None:
    course = course_of(game_id)
    every = [*stops(course)]
    for (before, asked), (after, _) in pairwise(every):
        own = sum(seat == LEARNER for seat, _move in after[len(before) :])
        assert own == 1 if asked.wanted else asked.skips is not None


@each
def test_a_lesson_that_is_interrupted_while_it_skips_waits_again(game_id: str) -> None:
    course, tried = course_of(game_id), 0
    line = [*course.line()]
    for n in range(len(course.opening), len(line)):
        progress = course.progress(line[:n], names_at(course))
        if progress.left:
            assert progress.skips is not None
            assert progress.due == line[n]
            assert not progress.wanted
            tried += 1
    assert tried


@each
def test_a_step_that_skips_ahead_says_so(game_id: str) -> None:
    script = course_of(game_id).script
    silent = tuple(replace(step, skips=None) for step in script.steps)
    with pytest.raises(LessonUnfit, match="skips ahead without saying so"):
        LessonCourse(replace(script, steps=silent), game(game_id))


def state_after(course: LessonCourse, plies: list[tuple[Seat, Move]]) -> Any:
    state = course.game.setup(course.script.options, course.script.seats, course.seed)
    for seat, move in plies:
        state = course.game.apply(state, seat, move)
    return state


@each
def test_all_moves_that_a_step_asks_for_lead_to_the_next_one(game_id: str) -> None:
    course = course_of(game_id)
    for choice in range(max(len(step.moves) for step in course.script.steps)):
        reached = [progress for _, progress in stops(course, choice)]
        assert sum(bool(progress.wanted) for progress in reached) == len(course.script.steps)
        assert not any(progress.strayed for progress in reached)


@each
def test_every_other_legal_move_is_met_and_can_be_taken_back(game_id: str) -> None:
    course, tried = course_of(game_id), 0
    for plies, progress in steps(course):
        for move in course.game.legal_moves(state_after(course, plies), LEARNER):
            if move not in progress.wanted:
                met = course.progress([*plies, (LEARNER, move)], names_at(course))
                assert met.strayed
                assert met.told is not None
                assert met.due is None, "the others wait"
                assert met.back == len(plies)
                # what to do instead stays in sight
                assert (met.asks, met.wanted) == (progress.asks, progress.wanted)
                tried += 1
    assert tried


@each
def test_a_step_back_leads_to_the_step_before(game_id: str) -> None:
    course = course_of(game_id)
    before: list[tuple[Seat, Move]] | None = None
    for plies, progress in stops(course):
        assert progress.back == (None if before is None else len(before))
        before = plies if progress.wanted else before


@each
def test_no_sentence_has_a_figure_that_was_typed_in(game_id: str) -> None:
    for sentence in said(course_of(game_id)):
        assert not re.search(r"\d", NAMES_WITH_DIGITS.sub("", sentence.msgid)), sentence.msgid


@each
def test_what_is_said_at_once_is_short(game_id: str) -> None:
    for _, progress in stops(course_of(game_id)):
        whole = f"{progress.told or ''} {progress.skips or ''} {progress.asks or ''}"
        assert len(whole) <= LONGEST, whole
        assert not re.search(r"[{}]", whole)


@each
def test_a_lesson_is_refused_where_other_cards_are_dealt(game_id: str) -> None:
    course, rules = course_of(game_id), game(game_id)
    script = course.script
    other = replace(script, seed="00" * 32)
    with pytest.raises(LessonUnfit, match="does not fit the cards or the map"):
        LessonCourse(other, rules)


def changed(data: Any, by: int) -> Iterator[Any]:
    """The same data with one number made greater, each in turn."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield from (data | {key: other} for other in changed(value, by))
    elif isinstance(data, list | tuple):
        for n, value in enumerate(data):
            yield from ([*data[:n], other, *data[n + 1 :]] for other in changed(value, by))
    elif type(data) is int:
        yield data + by


@each
def test_where_cards_are_corrected_a_lesson_still_fits_or_is_refused(game_id: str) -> None:
    tried = 0
    for course in corrected(game_id):
        tried += 1
        if course is not None:
            assert [*stops(course)][-1][1].step == len(course.script.steps)
    assert tried


def test_where_values_are_corrected_a_lesson_says_the_new_ones() -> None:
    usual = [str(sentence) for sentence in said(course_of("ku_ka_king"))]
    fitting = [course for course in corrected("ku_ka_king") if course is not None]
    assert any([str(sentence) for sentence in said(course)] != usual for course in fitting)


def corrected(game_id: str) -> Iterator[LessonCourse | None]:
    """The lesson with each number of the rules data changed in turn; None where it is refused."""
    rules = game(game_id)
    number = rules.rules_version.partition("-")[0]
    for data in changed(rules.rules_data, 1):
        try:
            other = game_for(game_id, f"{number}-{digest(data)[:8]}", data)
        except KkError:  # no deck or map of this game any more
            continue
        try:
            yield lesson_of(other)
        except LessonUnfit:
            yield None
