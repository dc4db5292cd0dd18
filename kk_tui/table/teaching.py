"""The words of a lesson or the coach beside the board, and their room between the board's own lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from textual.content import Content
from textual.style import Style

from kk_core.text import Text, text
from kk_core.views import LessonView
from kk_tui.i18n import _, render
from kk_tui.keymap import KEYS
from kk_tui.table.advice import InVain, Verdict, warning
from kk_tui.theme.glyphs import Glyphs
from kk_tui.widgets.board import PRESS
from kk_tui.widgets.explanation import explained
from kk_tui.widgets.lines import heading, sentence_lines

_LESSON: Final = text("Your progress in the lesson. Esc leaves it; it continues here another time.")
_COURSE: Final = text("The steps of the lesson: done, current and still to come.")
_WORDS: Final = text(
    "Terms used in this lesson; {key} opens the rules, with all the others.", key=KEYS["help"].word
)

_PARAGRAPH: Final = "\n\n"
"""Stands between the reasons for a step and what is to be done."""

_FRAME: Final = 2
"""Columns around what to do next where it is large."""


def lesson_lines(lesson: LessonView, width: int, *, is_large: bool = False) -> Iterator[Content]:
    """Yield a lesson's sentences: what the last step has done, then what to do next, which may be large."""
    yield heading(_("Lesson, {n} of {all}", n=lesson.step, all=lesson.steps), _LESSON)
    for said, style in ((lesson.told, "$ink"), (lesson.skips, "$happened")):
        if said is not None and not (lesson.learnt and said is lesson.skips):
            yield from sentence_lines(said, style, width)
            yield Content()
    if lesson.strayed:
        yield from _pressed(text("{key} takes it back.", key=KEYS["undo"].shown), "undo", width)
        yield Content()
    if lesson.asks is not None:
        *reasons, order = render(lesson.asks).split(_PARAGRAPH)
        for reason in reasons:
            yield from sentence_lines(reason, "$ink" if lesson.wanted else "$ink-dim", width)
            yield Content()
        if lesson.wanted and is_large:
            yield from _framed(sentence_lines(order, "bold $ground", width - 2 * _FRAME), width)
        else:
            yield from sentence_lines(order, "bold $possible" if lesson.wanted else "$ink-dim", width)
    elif lesson.learnt:
        yield from _pressed(text("Lesson complete: {key}.", key=KEYS["do"].shown), "do", width)
    elif lesson.skips is not None:
        yield from _pressed(text("{key} continues.", key=KEYS["do"].shown), "do", width)


def _framed(lines: Sequence[Content], width: int) -> Iterator[Content]:
    """Yield lines on a bright ground that is larger than they are."""
    edge = Content(" " * width)
    for line in (edge, *(line.pad_left(_FRAME) for line in lines), edge):
        yield line.truncate(width, pad=True).stylize_before("on $possible")


def course_lines(lesson: LessonView, glyphs: Glyphs) -> Iterator[Content]:
    """Yield a lesson's steps: done, current and still to come."""
    yield heading(_("Lesson steps"), _COURSE)
    for title, (sign, style) in zip(lesson.titles, _course(lesson, glyphs), strict=True):
        yield explained(Content.styled(f"{sign} {render(title)}", style), _COURSE)


def course_line(lesson: LessonView, glyphs: Glyphs) -> Content:
    """Return the signs of all steps in one line."""
    return explained(Content.assemble(*_course(lesson, glyphs)), _COURSE)


def _course(lesson: LessonView, glyphs: Glyphs) -> Iterator[tuple[str, str]]:
    """Yield the sign of each step, and its style."""
    now = lesson.steps + 1 if lesson.learnt else lesson.step
    for step in range(1, lesson.steps + 1):
        if step == now:
            yield glyphs["cursor"], "bold $possible"
        else:
            yield (glyphs["chosen"], "$gold") if step < now else (glyphs["unchosen"], "$ink-dim")


def glossary_lines(lesson: LessonView, width: int) -> Iterator[Content]:
    """Yield the words of the game that a lesson uses, and what they mean."""
    if lesson.words:
        yield heading(_("Game terms"), _WORDS)
    for word, meaning in lesson.words:
        said = Content.assemble((render(word), "$gold"), (f": {render(meaning)}", "$ink-dim"))
        yield from said.wrap(max(8, width))


def coach_words(warned: Verdict | InVain, *, is_marked: bool, is_asked: bool) -> Sequence[Content]:
    """Return what the coach says of a move, and what can be done where it asks, a paragraph each.

    Where the better place `is_marked` on the board, it is not told in words.
    """
    said = [*warning(warned, is_marked=is_marked)]
    if is_asked:
        said.append(Content())
        for key, label in (("do", text("play anyway")), ("back", text("take it back"))):
            words = _("{key} {label}", key=KEYS[key].shown, label=label)
            said.append(_pressable(Content.styled(words, "$possible"), key))
    return said


def arranged(
    panel: Sequence[Content], taught: Sequence[Content], room: int, *, is_first: bool
) -> tuple[Sequence[Content], Sequence[Content]]:
    """Return the board's own lines and what is said under them as they fit into some rows.

    Free lines give way first, then those of the board, except for the ones that are pressed: first what is
    below these, then what is over them, at last also what separates them, such as a heading; all of them
    where nothing is pressed before what is said has been read: where it `is_first`.
    """
    panel, gap = [line for line in panel if line], [Content()]
    dense = [line for line in taught if line]
    found = [at for at, line in enumerate(panel) if is_pressed(line)]
    kept = panel[: found[-1] + 1] if found else []
    parted = kept[found[0] :] if found else []
    ways: list[tuple[Sequence[Content], Sequence[Content], Sequence[Content]]] = [
        (panel, gap, taught), (panel, gap, dense), (panel, (), dense), (kept, gap, dense), (kept, (), dense),
        (parted, gap, dense), (parted, (), dense), ([panel[at] for at in found], (), dense),
    ]  # fmt: skip
    if is_first:
        ways.append(((), gap, dense))
    over, free, said = next((way for way in ways if sum(map(len, way)) <= room), ways[-1])
    return [*over, *free], said


def _pressed(sentence: Text, action: str, width: int) -> Iterator[Content]:
    """Yield a sentence that a click does."""
    for line in sentence_lines(sentence, "bold $possible", width):
        yield _pressable(line, action)


def _pressable(words: Content, action: str) -> Content:
    return words.stylize(Style.from_meta({PRESS: action}))


def is_pressed(line: Content) -> bool:
    """Return whether a click on a line does something."""
    return any(PRESS in getattr(span.style, "meta", {}) for span in line.spans)
