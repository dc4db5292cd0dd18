"""The lesson of Ku-Ka-King: a match of two, from its first round to its last."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from kk_core.games.ku_ka_king.model import FIRST_SCORING_AT, KING, KNIGHT, CardValues
from kk_core.lesson import LEARNER, Lesson, LessonMoment, LessonStep
from kk_core.text import Text, text


def _scale(moment: LessonMoment) -> CardValues:
    scale: CardValues = moment.game.printed.scale
    return scale


def _count(moment: LessonMoment, card: int) -> int:
    """Return the learner's number of cards of a type when a step was over."""
    count: int = moment.after.collections[LEARNER][card]
    return count


def _first_row(moment: LessonMoment) -> Text:
    return text(
        "Ku-Ka-King! You alone called row 3, so its cards are yours: two kings are worth {kings}, and the "
        "most churches {churches}.",
        kings=moment.gain("first:kings"), churches=moment.gain("first:churches"),
    )  # fmt: skip


def _kings_square(moment: LessonMoment) -> bool:
    """Return whether each further king brings more than the one before."""
    points = _scale(moment).kings[: 1 + 2 * 3]
    # what the lesson says of kings holds only on a scale like that of squares
    gains = [after - before for before, after in pairwise(points)]
    return gains[1:] == sorted(set(gains[1:]))


def _third_king(moment: LessonMoment) -> Text:
    return text(
        "That is why kings matter: two gave {had}, three give {has}, and the points grow with the square.",
        had=moment.had("first:kings"), has=moment.has("first:kings"),
    )  # fmt: skip


def _asks_clash(moment: LessonMoment) -> Text:
    return text(
        "{name} has an eye on the king in row 5. Call row 5, too, and see what happens.", name=moment.name(1)
    )


def _pair(moment: LessonMoment) -> Text:
    return text(
        "Farmer and wife are a pair: {points} points. {name} took row 6.",
        points=moment.gain("first:farm"), name=moment.name(1),
    )  # fmt: skip


def _trio(moment: LessonMoment) -> Text:
    return text(
        "With the house the pair is a trio: {has} points instead of {had}. Your fourth king: {kings} instead "
        "of {before}.",
        has=moment.has("first:farm"), had=moment.had("first:farm"),
        kings=moment.has("first:kings"), before=moment.had("first:kings"),
    )  # fmt: skip


def _asks_thirteenth(moment: LessonMoment) -> Text:
    return text(
        "You hold {n} cards. When somebody has {most}, the round ends with the first scoring. Row 3 has a "
        "second pig: call it.",
        n=sum(moment.before.collections[LEARNER]), most=FIRST_SCORING_AT,
    )  # fmt: skip


def _first_scoring(moment: LessonMoment) -> Text:
    return text(
        "First scoring: {own} points for you, {other} for {name}. Cards with a cross went back into the box; "
        "kings, knights and animals stay.",
        own=moment.has(*_FIRST), other=moment.has(*_FIRST, seat=1), name=moment.name(1),
    )  # fmt: skip


def _knights(moment: LessonMoment) -> Text:
    scale = _scale(moment)
    return text(
        "You have the most knights: {most} points each, so {points}. Others get {one} each.",
        most=scale.most_knights, points=moment.has("final:knights"), one=scale.knight,
    )  # fmt: skip


def _end(moment: LessonMoment) -> Text:
    return text(
        "The last row brought {gain}: your kings alone are worth {kings}. Both scorings count: {own} points "
        "for you, {other} for {name}.",
        gain=moment.gain(), kings=moment.has("final:kings"), own=moment.has(), other=moment.has(seat=1),
        name=moment.name(1),
    )  # fmt: skip


_FIRST: Final = tuple(
    f"first:{line}" for line in ("kings", "churches", "points", "knights", "animals", "farm")
)

LESSON: Final = Lesson(
    seats=2,
    seed="dc738908c0757f99c72d92e10909b4ad54711c40d1377d24dc95fe8c171929d7",
    deal="0354684de8cb329781eaca124dc8b0da1ede49d994444844d1cd071ed0375af4",
    opening="",
    steps=(
        LessonStep(
            text(
                "All call a row in secret, at the same moment. Row 3 has two kings: call it, by its number, "
                "or with arrows and Enter."
            ),
            ("call 3",),
            _first_row,
            "1 call 2",
            holds=lambda moment: moment.gain("first:kings") > 0 and moment.gain("first:churches") > 0,
        ),
        LessonStep(
            text("The rows taken have been filled up again. Row 6 has a third king: call it."),
            ("call 6",),
            _third_king,
            "1 call 4",
            holds=lambda moment: _kings_square(moment) and _count(moment, KING) == 3,
        ),
        LessonStep(
            _asks_clash,
            ("call 5",),
            text(
                "A clash! Both called row 5, so nobody gets it, and its outermost card, the king, goes into "
                "the box."
            ),
            "1 call 5",
        ),
        LessonStep(
            text("Now both call again. Row 4 has a farmer and a wife: call it."),
            ("call 4",),
            _pair,
            "1 call 6",
            holds=lambda moment: moment.gain("first:farm") == _scale(moment).pair,
        ),
        LessonStep(
            text("Row 2 has a farmhouse for them, and another king. Call it."),
            ("call 2",),
            _trio,
            "1 call 1",
            holds=lambda moment: moment.has("first:farm") == _scale(moment).trio > moment.had("first:farm"),
        ),
        LessonStep(
            _asks_thirteenth,
            ("call 3",),
            _first_scoring,
            "1 call 5",
            holds=lambda moment: sum(moment.before.collections[LEARNER]) < FIRST_SCORING_AT
            and all(moment.game.printed.kept[:KNIGHT + 1]) and not any(moment.game.printed.kept[KNIGHT + 1:]),
        ),
        LessonStep(
            text("What stays counts once more at the end, so collect on. Row 3 has two knights: call it."),
            ("call 3",),
            _knights,
            "1 call 2",
            "0 call 4; 1 call 5; 0 call 6; 1 call 1; 0 call 1; 1 call 4; "
            "0 call 2; 1 call 3; 0 call 5; 1 call 6",
            holds=lambda moment: moment.has("final:knights") == 3 * _scale(moment).most_knights,
        ),
        LessonStep(
            text(
                "Some rounds later the pile is empty: this is the last round. Row 5 has a king, and a farmer "
                "for your second trio: call it."
            ),
            ("call 5",),
            _end,
            "1 call 1",
            holds=lambda moment: moment.has("final:farm") == 2 * _scale(moment).trio,
        ),
    ),
)  # fmt: skip
