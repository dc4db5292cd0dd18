"""The lesson of Ku-Ka-King: a two-player match, from the first round to the last."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from kk_core.games.ku_ka_king.model import FIRST_SCORING_AT, KING, KNIGHT, ROW_CARDS, CardValues
from kk_core.lesson import LEARNER, Lesson, LessonMoment, LessonStep
from kk_core.text import Text, text
from kk_core.types import Seat

_OTHER: Final[Seat] = 1
"""The only other player."""

_FIRST: Final = tuple(
    f"first:{line}" for line in ("kings", "churches", "points", "knights", "animals", "farm")
)


def _scale(moment: LessonMoment) -> CardValues:
    scale: CardValues = moment.game.printed.scale
    return scale


def _count(moment: LessonMoment, card: int, seat: Seat = LEARNER) -> int:
    """Return a seat's number of cards of a type after a step."""
    count: int = moment.after.collections[seat][card]
    return count


def _listed(points: Sequence[int]) -> str:
    """Return the points for 1, 2, 3 ... cards as a list."""
    return ", ".join(map(str, points[1:]))


# -- before the first step -----------------------------------------------------------------------------------


def _goal(moment: LessonMoment) -> Text:
    return text(
        "Collect cards, which are scored twice: in the middle of the game and at the end. "
        "Whoever has the most points wins.\n\n"
        "In each round, all call the number of a row at once: Ku-Ka-King! If only you call it, you "
        "take its cards. If others do, too, that's a clash: nobody gets the row, and it loses its "
        "outermost card, at the right end.\n\n"
        "You two have {rows} rows; more players have more.",
        rows=len(moment.before.rows),
    )  # fmt: skip


def _signs(moment: LessonMoment) -> Text:
    return text(
        "Each card shows how many of it are in the game and, at the bottom, its points: a list like "
        "{points} is for one, two, three such cards and so on. A card with a tick "
        "stays with you after the first scoring and counts again in the final one; a card "
        "with a cross counts once, then goes into the box, out of play until the last round.\n\n"
        "What the lesson asks for is marked on the table: Enter does it. Or press the row's "
        "number, or click it, and confirm with Enter, as you would call any row. The . key steps "
        "through the signs and explains them, u takes a move back.\n\n"
        "You're playing against {name}.",
        name=moment.name(_OTHER), points=" ".join(map(str, _scale(moment).animals[1:])),
    )  # fmt: skip


# -- what the steps say --------------------------------------------------------------------------------------


def _first_row(moment: LessonMoment) -> Text:
    return text(
        "Only you called row 3, so it's yours: two kings ({kings}) and the most churches "
        "({churches} points). The top line counts the largest collection; at {at} cards the first "
        "scoring follows.",
        kings=moment.gain("first:kings"), churches=moment.gain("first:churches"), at=FIRST_SCORING_AT,
    )  # fmt: skip


def _kings_square(moment: LessonMoment) -> bool:
    """Return whether each additional king brings more than the one before."""
    points = _scale(moment).kings[: 1 + 2 * 3]
    # the lesson's sentence about kings holds only for a scale that grows like squares
    gains = [after - before for before, after in pairwise(points)]
    return gains[1:] == sorted(set(gains[1:]))


def _third_king(moment: LessonMoment) -> Text:
    return text(
        "Your third king: {has} points now instead of {had}. Each further king is worth more "
        "than the last. The pig brings {pig}, the knight {knight}; {one} once others have more knights.",
        had=moment.had("first:kings"), has=moment.has("first:kings"),
        knight=moment.gain("first:knights"), one=_scale(moment).knight, pig=moment.gain("first:animals"),
    )  # fmt: skip


def _asks_clash(moment: LessonMoment) -> Text:
    return text(
        "{name} has an eye on the king in row 5. Call row 5, too, and see what happens.",
        name=moment.name(_OTHER),
    )


def _pair(moment: LessonMoment) -> Text:
    return text(
        "A farmer and a wife make a pair: {points} points. Then all rows were refilled to "
        "{n} cards from the pile. New cards are laid at the outer end, as in row 5.",
        points=moment.gain("first:farm"), n=ROW_CARDS,
    )  # fmt: skip


def _trio(moment: LessonMoment) -> Text:
    return text(
        "The house makes your pair a trio: {has} points instead of {had}. Your fourth king: "
        "{kings} instead of {before}.",
        has=moment.has("first:farm"), had=moment.had("first:farm"),
        kings=moment.has("first:kings"), before=moment.had("first:kings"),
    )  # fmt: skip


def _asks_thirteenth(moment: LessonMoment) -> Text:
    return text(
        "A match has two passes. The first one ends with the round in which anybody gets to {most} cards, "
        "and is scored. You have {n}.\n\nRow 3 has a second pig: call it.",
        n=sum(moment.before.collections[LEARNER]), most=FIRST_SCORING_AT,
    )  # fmt: skip


def _first_scoring(moment: LessonMoment) -> Text:
    return text(
        "First scoring: {own} points for you, {other} for {name}. Kings, knights and animals stay for the "
        "second pass; with them you have {total} as things stand.",
        own=moment.has(*_FIRST), other=moment.has(*_FIRST, seat=_OTHER), name=moment.name(_OTHER),
        total=moment.has(),
    )  # fmt: skip


def _knights(moment: LessonMoment) -> Text:
    return text(
        "You have {n} knights to {name}'s {other}: the most, so yours count {most} each, "
        "{points} points in all.",
        n=_count(moment, KNIGHT), other=_count(moment, KNIGHT, _OTHER), name=moment.name(_OTHER),
        most=_scale(moment).most_knights, points=moment.has("final:knights"),
    )  # fmt: skip


def _asks_last(moment: LessonMoment) -> Text:
    own, other = (moment.before.collections[seat][KNIGHT] for seat in (LEARNER, _OTHER))
    return text(
        "Five rounds later, {name} has {other} knights, so your {own} are worth {points} "
        "now. The pile is empty: this is the last round.\n\nRow 5 has a king and a farmer for a "
        "second trio: call it.",
        name=moment.name(_OTHER), other=other, own=own, points=moment.had("final:knights"),
    )  # fmt: skip


def _end(moment: LessonMoment) -> Text:
    return text(
        "Final scoring: {kings} points for {n} kings, {farm} for two trios. Both scorings together: {own} "
        "for you, {other} for {name}.",
        kings=moment.has("final:kings"), n=_count(moment, KING), farm=moment.has("final:farm"),
        own=moment.has(), other=moment.has(seat=_OTHER), name=moment.name(_OTHER),
    )  # fmt: skip


# -- after the last step -------------------------------------------------------------------------------------


def _growing(moment: LessonMoment) -> Text:
    scale = _scale(moment)
    return text(
        "Kings: {kings}; more than {n} still give {most}. Each kind of animal: {animals}.",
        kings=_listed(scale.kings), n=len(scale.kings) - 1, most=scale.kings[-1],
        animals=_listed(scale.animals),
    )  # fmt: skip


def _majorities(moment: LessonMoment) -> Text:
    scale = _scale(moment)
    return text(
        "Most churches, ties too: {churches}. Most knights, ties too: {most} each; others {one}.",
        churches=scale.churches, most=scale.most_knights, one=scale.knight,
    )  # fmt: skip


def _farm(moment: LessonMoment) -> Text:
    scale = _scale(moment)
    return text(
        "Farmer and wife: {pair}; with a house: {trio}. You can have several.",
        pair=scale.pair, trio=scale.trio,
    )  # fmt: skip


def _scorings(moment: LessonMoment) -> Text:  # noqa: ARG001
    return text(
        "At {most} cards, the round ends with the first scoring; kings, knights and animals stay.",
        most=FIRST_SCORING_AT,
    )


LESSON: Final = Lesson(
    seats=2,
    seed="dc738908c0757f99c72d92e10909b4ad54711c40d1377d24dc95fe8c171929d7",
    deal="0354684de8cb329781eaca124dc8b0da1ede49d994444844d1cd071ed0375af4",
    opening="",
    intro=(_goal, _signs),
    steps=(
        LessonStep(
            text("Call a row"),
            text("Row 3 has two kings and a church. Call it: press 3, then Enter to confirm."),
            ("call 3",),
            _first_row,
            "1 call 2",
            holds=lambda moment: moment.gain("first:kings") > 0 and moment.gain("first:churches") > 0,
            about=("first:kings", "first:churches"),
        ),
        LessonStep(
            text("Collect kings"),
            text("The rows that were taken have new cards. Row 6 has a king, your third: call it."),
            ("call 6",),
            _third_king,
            "1 call 4",
            holds=lambda moment: _kings_square(moment) and _count(moment, KING) == 3
            and moment.gain("first:knights") == _scale(moment).most_knights,
            about=("first:kings", "first:knights", "first:animals"),
        ),
        LessonStep(
            text("Clash"),
            _asks_clash,
            ("call 5",),
            text(
                "A clash! Nobody gets row 5, and its outermost card, the king, goes into the box. "
                "You both call again, row 5 if you like. Only rows without cards are "
                "out for the round, such as those taken."
            ),
            "1 call 5",
        ),
        LessonStep(
            text("Collect a pair"),
            text("Row 4 has a farmer and a wife: call it."),
            ("call 4",),
            _pair,
            "1 call 6",
            holds=lambda moment: moment.gain("first:farm") == _scale(moment).pair,
            about=("first:farm",),
        ),
        LessonStep(
            text("Make it a trio"),
            text("Row 2 has a house for them, and a king. Call it."),
            ("call 2",),
            _trio,
            "1 call 1",
            holds=lambda moment: moment.has("first:farm") == _scale(moment).trio > moment.had("first:farm"),
            about=("first:farm", "first:kings"),
        ),
        LessonStep(
            text("Reach the first scoring"),
            _asks_thirteenth,
            ("call 3",),
            _first_scoring,
            "1 call 5",
            holds=lambda moment: sum(moment.before.collections[LEARNER]) < FIRST_SCORING_AT
            and all(moment.game.printed.kept[:KNIGHT + 1]) and not any(moment.game.printed.kept[KNIGHT + 1:]),
            about=("first:kings", "first:churches", "first:farm"),
        ),
        LessonStep(
            text("Keep collecting"),
            text("What stays counts again at the end. Row 3 has two knights: call it."),
            ("call 3",),
            _knights,
            "1 call 2",
            text("The lesson now skips five rounds, in which you both collect more cards."),
            "0 call 4; 1 call 5; 0 call 6; 1 call 1; 0 call 1; 1 call 4; "
            "0 call 2; 1 call 3; 0 call 5; 1 call 6",
            holds=lambda moment: _count(moment, KNIGHT) > _count(moment, KNIGHT, _OTHER),
            about=("final:knights",),
        ),
        LessonStep(
            text("Reach the end"),
            _asks_last,
            ("call 5",),
            _end,
            "1 call 1",
            holds=lambda moment: moment.has("final:farm") == 2 * _scale(moment).trio
            and moment.before.collections[LEARNER][KNIGHT] < moment.before.collections[_OTHER][KNIGHT],
            about=("final:kings", "final:farm"),
        ),
    ),
    learnt=(
        text("Call a row alone and you take it; it is then out for the round."),
        text("A clash costs the row its outermost card; those who clashed call again."),
        _growing,
        _majorities,
        _farm,
        _scorings,
        text(
            "An empty pile starts the last round; cards from the box may fill its rows."
        ),
        text("In a match, h gives hints, and the coach warns of bad moves."),
    ),
    words=(
        (text("to call"), text("to choose a row, in secret and all at once")),
        (text("clash"), text("a row called by several players: nobody gets it")),
        (text("outermost card"), text("the one at the outer end of a row, lost in a clash")),
        (text("box"), text("for cards that are out of play until the last round")),
        (text("pair, trio"), text("a farmer and a wife; both with a house")),
        (text("to tie"), text("to have as many as somebody else; both get the points")),
    ),
)  # fmt: skip
