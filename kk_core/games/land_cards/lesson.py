"""The lesson of the card game: a match of three, from the middle of it to its last card."""

from __future__ import annotations

from typing import Final

from kk_core.games.land_cards.model import CHAIN, COUNTRIES
from kk_core.lesson import LEARNER, Lesson, LessonMoment, LessonStep
from kk_core.text import Text, text

_LANDS: Final = tuple(f"land:{country}" for country in COUNTRIES)
_SYMBOLS: Final = tuple(f"symbols:{country}" for country in COUNTRIES)
_CHAINS: Final = ("ships", "carriages")


def _first(moment: LessonMoment) -> Text:
    return text(
        "You tie for the most cards of Bayern, so you get the number on its cards: {points}.",
        points=moment.gain("land:Bayern"),
    )  # fmt: skip


def _second(moment: LessonMoment) -> Text:
    return text(
        "The most symbols of one kind count, too: two eagles, {points} more.",
        points=moment.gain("symbols:Bayern"),
    )  # fmt: skip


def _with_law(moment: LessonMoment) -> Text:
    return text(
        "Only you know that your law says: different colours. The card gave {points}.",
        points=moment.gain(*_LANDS, *_SYMBOLS),
    )  # fmt: skip


def _ship(moment: LessonMoment) -> Text:
    return text("Most of Italien: {points} points.", points=moment.gain("land:Italien"))


def _asks_law(moment: LessonMoment) -> Text:
    return text(
        "Now only Italien would be allowed. Play your law: press {number}.",
        number=1 + len(set(moment.before.hands[LEARNER][:-1])),
    )  # fmt: skip


def _follower(moment: LessonMoment) -> Text:
    return text(
        "The second most of a country get as many points as the first has cards: {points}.",
        points=moment.gain("land:Ungarn"),
    )  # fmt: skip


def _asks_stone(moment: LessonMoment) -> Text:
    return text(
        "The marked card of Frankreich is under {name}'s stone. Take it all the same.", name=moment.name(2)
    )


def _paid(moment: LessonMoment) -> Text:
    return text(
        "Your stone is out, but Frankreich gives you {points} points now.",
        points=moment.has("land:Frankreich", "symbols:Frankreich"),
    )  # fmt: skip


def _decided(moment: LessonMoment) -> Text:
    return text(
        "Ungarn is decided: you tie for the most, and its {points} points are sure.",
        points=moment.has("land:Ungarn"),
    )  # fmt: skip


def _end(moment: LessonMoment) -> Text:
    return text(
        "Chains of {least} or more ships or carriages gave you {chains}, lands {lands}, symbols {symbols}: "
        "{own} points.",
        least=CHAIN, chains=moment.has(*_CHAINS), lands=moment.has(*_LANDS), symbols=moment.has(*_SYMBOLS),
        own=moment.has(),
    )  # fmt: skip


_OPENING: Final = (
    "0 take 3 1; 0 end; 0 place 2 10; 1 take 3 2; 1 take 2 1; 1 end; 1 place 1 2; 2 take 4 14; "
    "2 end; 2 pass; 0 take 3 14; 0 take 3 3; 0 end; 0 pass; 1 take 1 1; 1 end; 1 pass; "
    "2 take 3 13; 2 end; 2 place 3 4; 0 take 2 14; 0 end; 0 pass; 1 take 1 2; 1 end; 1 pass; "
    "2 take 1 3; 2 end; 2 pass; 0 take 4 13; 0 end; 0 pass; 1 take 2 2; 1 take 2 3; 1 end; 1 pass; "
    "2 take 4 12; 2 end; 2 place 1 4"
)
_STONE_LAID: Final = "1 take 4 11; 1 end; 1 pass; 2 take 3 4; 2 end; 2 place 2 11"
_LAW: Final = "0 end; 0 pass; 1 take 4 9; 1 end; 1 pass; 2 take 4 2; 2 end; 2 pass"
_PLAYED: Final = "0 end; 0 pass; 1 take 3 11; 1 end; 1 place 1 14; 2 take 3 10; 2 end; 2 pass"
_PAID: Final = "0 end; 0 pass; 1 take 3 9; 1 end; 1 place 1 5; 2 take 4 3; 2 end; 2 place 2 6"
_DECIDED: Final = "0 end; 0 pass; 1 take 4 4; 1 end; 1 pass; 2 take 3 8; 2 end; 2 place 2 13"
_END: Final = (
    "0 end; 0 pass; 1 take 1 14; 1 end; 1 pass; 2 take 4 6; 2 end; 2 pass; 0 take 1 13; 0 end; "
    "0 pass; 1 take 2 5; 1 end; 1 place 4 5; 2 take 3 6; 2 take 2 6; 2 end; 2 pass; 0 take 1 12; "
    "0 take 4 5; 0 give 2 10; 0 end; 0 pass; 1 take 3 7; 1 end; 1 pass; 2 take 1 11; 2 end; "
    "2 pass; 0 take 2 7; 0 end; 0 pass; 1 take 1 5; 1 end; 1 pass; 2 take 1 6; 2 end; 2 pass; "
    "0 take 1 7; 0 end; 0 place 2 10; 1 take 2 8; 1 end; 1 place 2 9; 2 take 2 13; 2 end; "
    "2 place 2 12; 0 take 1 8; 0 end; 0 pass; 1 take 2 9; 1 end; 1 place 1 10; 2 take 2 12; 2 end; "
    "2 pass; 0 take 2 10; 0 end; 0 place 1 9; 1 take 1 10; 1 end; 1 pass; 2 take 2 11; 2 end; "
    "2 pass; 0 take 1 9; 0 end"
)

LESSON: Final = Lesson(
    seats=3,
    seed="fca94d456b8c44051587fd7401fca04cb6c1c131da0d349f0327c3da6b990337",
    deal="e2e06482405af781982d82b58f89f81996038919dcf1b3ac5cea1611e937e386",
    opening=_OPENING,
    intro=(),
    learnt=(),
    steps=(
        LessonStep(
            text(
                "Cards are taken from the ends of rows. Go to the marked card of Bayern, and take it: Enter."
            ),
            ("take 4 1",),
            _first,
            holds=lambda moment: moment.gain("land:Bayern") > 0,
        ),
        LessonStep(
            text("All cards of a turn are of one country. Take the other card of Bayern, too."),
            ("take 3 12",),
            _second,
            holds=lambda moment: moment.gain("symbols:Bayern") == 2,
        ),
        LessonStep(
            text("Two circle symbols are the limit of a turn, so end taking with e."),
            ("end",),
            text("After that you may lay a stone on any card."),
        ),
        LessonStep(
            text("Lay one on the marked card of Franken, which you want."),
            ("place 2 7",),
            text("Whoever takes that card now loses a stone for it. The others had their turns."),
            skips=text("The others have their turns."),
            later=_STONE_LAID,
        ),
        LessonStep(
            text("On some cards lies a law card, face down. Take the marked one of Kastilien."),
            ("take 4 10",),
            _with_law,
            skips=text("The others have their turns."),
            later=_LAW,
            holds=lambda moment: moment.gain(*_LANDS, *_SYMBOLS) > 0,
        ),
        LessonStep(
            text("Take the card of Italien. Its ship is no circle symbol: it costs nothing of the limit."),
            ("take 4 8",),
            _ship,
            holds=lambda moment: moment.gain("land:Italien") > 0,
        ),
        LessonStep(
            _asks_law,
            ("law different_colours",),
            text("In this turn your cards may be of different countries."),
        ),
        LessonStep(
            text("Take the marked card of Ungarn, too."),
            ("take 3 5",),
            _follower,
            skips=text("The others have their turns."),
            later=_PLAYED,
            holds=lambda moment: moment.gain("land:Ungarn") > 0,
        ),
        LessonStep(
            _asks_stone,
            ("take 1 4",),
            text("It costs you a stone: theirs goes home, one of yours leaves the game."),
        ),
        LessonStep(
            text("Give up one in hand: y."),
            ("give supply",),
            _paid,
            skips=text("The others have their turns."),
            later=_PAID,
        ),
        LessonStep(
            text("This is the last card of Ungarn. Take it."),
            ("take 4 7",),
            _decided,
            skips=text("The others have their turns."),
            later=_DECIDED,
            holds=lambda moment: moment.gain("land:Ungarn") > 0,
        ),
        LessonStep(
            text("One carriage more makes a chain of yours. Take the marked card of Bayern."),
            ("take 2 4",),
            _end,
            skips=text("The others have their turns."),
            later=_END,
            holds=lambda moment: moment.has("carriages") >= CHAIN > moment.had("carriages"),
        ),
    ),
)
