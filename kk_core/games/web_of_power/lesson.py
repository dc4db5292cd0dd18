"""The lesson of the board game: a match of three, from its fifth round on."""

from __future__ import annotations

from typing import Final

from kk_core.games.web_of_power.model import COUNTRIES, KIND_OF_COUNTRY
from kk_core.games.web_of_power.scoring import SHORTEST
from kk_core.lesson import LEARNER, Lesson, LessonMoment, LessonStep
from kk_core.text import Text, text

_ARAGON: Final = "final:cloisters:Aragon"
_ALLIANCE: Final = "alliance:4"
_INTERIM: Final = tuple(f"interim:cloisters:{country}" for country in COUNTRIES)
_ALLIANCES: Final = tuple(f"alliance:{number}" for number in range(1, 16))


def _first(moment: LessonMoment) -> Text:
    return text("You tie with another in Aragon: {points} points each now.", points=moment.has(_ARAGON))


def _second(moment: LessonMoment) -> Text:
    return text(
        "You have the most in Aragon: a point for each cloister there, {points}. The second gets as many as "
        "you have: {second}.",
        points=moment.has(_ARAGON), second=moment.has(_ARAGON, seat=2),
    )  # fmt: skip


def _joker(moment: LessonMoment) -> Text:
    return text(
        "Aragon gives you {points} now. Cloisters are scored twice in a match.", points=moment.has(_ARAGON)
    )


def _allied(moment: LessonMoment) -> Text:
    return text(
        "An alliance! You lead in both its courts, so each advisor there is a point: {points}.",
        points=moment.gain(_ALLIANCE),
    )  # fmt: skip


def _asks_discard(moment: LessonMoment) -> Text:
    kind = KIND_OF_COUNTRY[COUNTRIES.index("Aragon")]
    return text(
        "You may discard a card instead of building: press {number}, then x.",
        number=1 + moment.before.hands[LEARNER].index(kind),
    )  # fmt: skip


def _interim(moment: LessonMoment) -> Text:
    return text(
        "Interim scoring: your cloisters gave {own}, which you keep. The discards are the new pile.",
        own=moment.has(*_INTERIM),
    )  # fmt: skip


def _end(moment: LessonMoment) -> Text:
    return text(
        "A chain of {least} or more joined cloisters gives a point for each: {chain}. With cloisters again, "
        "{alliances} for alliances and the interim scoring you have {own}.",
        least=SHORTEST, chain=moment.has("chains"), alliances=moment.has(*_ALLIANCES), own=moment.has(),
    )  # fmt: skip


_OPENING: Final = (
    "0 cloister FR8 Frankreich; 0 end; 0 draw Lothringen/Italien; 1 cloister IT2 Lothringen/Italien; "
    "1 end; 1 draw Frankreich; 2 cloister BU6 Bayern/Burgund; 2 end; 2 draw Bayern/Burgund; "
    "0 cloister BA4 Bayern/Burgund; 0 end; 0 draw Franken/Aragon; 1 cloister FK1 Franken/Aragon; "
    "1 end; 1 draw England/Schwaben; 2 advisor Burgund England/Schwaben+England/Schwaben; "
    "2 cloister BU5 Bayern/Burgund; 2 end; 2 draw Bayern/Burgund; 2 draw pile; 2 draw pile; "
    "0 cloister FK2 Franken/Aragon; 0 end; 0 draw Franken/Aragon; 1 advisor Frankreich Frankreich; "
    "1 end; 1 draw England/Schwaben; 2 cloister AR2 Franken/Aragon; 2 end; 2 draw Bayern/Burgund; "
    "0 cloister LO2 Lothringen/Italien; 0 end; 0 draw pile; 1 cloister EN6 England/Schwaben; 1 end; "
    "1 draw pile; 2 cloister IT3 Lothringen/Italien; 2 end; 2 draw pile"
)
_SECOND: Final = (
    "0 draw pile; 1 cloister EN2 England/Schwaben; 1 end; 1 draw Bayern/Burgund; "
    "2 cloister BA2 Bayern/Burgund; 2 cloister BA6 Bayern/Burgund; 2 end; 2 draw Frankreich; "
    "2 draw pile"
)
_THIRD: Final = (
    "0 end; 0 draw Franken/Aragon; 0 draw Franken/Aragon; 1 advisor Italien Lothringen/Italien; "
    "1 end; 1 draw Frankreich; 2 cloister FR1 Lothringen/Italien+Lothringen/Italien; "
    "2 cloister FR7 Frankreich; 2 end; 2 draw pile; 2 draw England/Schwaben; 2 draw pile"
)
_FOURTH: Final = (
    "0 end; 0 draw Franken/Aragon; 1 advisor Bayern Bayern/Burgund; 1 cloister BA1 Bayern/Burgund; "
    "1 end; 1 draw pile; 1 draw Frankreich; 2 cloister SW3 England/Schwaben+England/Schwaben; 2 end; "
    "2 draw Franken/Aragon; 2 draw pile"
)
_FIFTH: Final = (
    "0 end; 0 draw Franken/Aragon; 1 cloister FK5 Franken/Aragon; 1 end; 1 draw Bayern/Burgund; "
    "2 exchange Franken/Aragon; 2 draw Bayern/Burgund"
)
_REST: Final = (
    "1 exchange Frankreich; 1 draw pile; 2 advisor Bayern Bayern/Burgund; "
    "2 cloister BA3 Bayern/Burgund; 2 end; 2 draw Frankreich; 2 draw Frankreich; "
    "0 cloister FK3 Franken/Aragon; 0 cloister FK7 Franken/Aragon; 0 end; 0 draw Lothringen/Italien; "
    "0 draw England/Schwaben; 1 cloister FR3 Frankreich; 1 end; 1 draw pile; "
    "2 cloister SW1 England/Schwaben; 2 end; 2 draw Franken/Aragon; "
    "0 cloister BA5 England/Schwaben+England/Schwaben; 0 end; 0 draw England/Schwaben; "
    "0 draw Lothringen/Italien; 1 cloister IT6 Lothringen/Italien; 1 end; 1 draw England/Schwaben; "
    "2 cloister EN3 Frankreich+Frankreich; 2 end; 2 draw Lothringen/Italien; 2 draw Bayern/Burgund; "
    "0 cloister FR6 Lothringen/Italien+Lothringen/Italien; 0 end; 0 draw pile; "
    "0 draw England/Schwaben; 1 cloister FK6 Franken/Aragon; 1 end; 1 draw Franken/Aragon; "
    "2 cloister BU1 Bayern/Burgund; 2 end; 2 draw pile; "
    "0 cloister LO4 England/Schwaben+England/Schwaben; 0 end; 0 draw pile; 0 draw pile; "
    "1 cloister AR6 Franken/Aragon; 1 end; 1 draw pile; 2 cloister AR4 Franken/Aragon; 2 end; "
    "2 draw Bayern/Burgund; 0 cloister LO5 Lothringen/Italien; 0 end; 0 draw pile; "
    "1 advisor England England/Schwaben; 1 end; 1 draw England/Schwaben; "
    "2 advisor Burgund Bayern/Burgund; 2 end; 2 draw pile; "
    "0 cloister LO3 Franken/Aragon+Franken/Aragon; 0 end; 0 draw Frankreich; 0 draw Frankreich; "
    "1 advisor Franken Bayern/Burgund+Bayern/Burgund; 1 end; 1 draw Lothringen/Italien; 1 draw pile; "
    "2 cloister IT1 Lothringen/Italien; 2 cloister IT5 Lothringen/Italien; 2 end; "
    "2 draw Franken/Aragon; 2 draw pile"
)
_END: Final = (
    "0 end; 0 draw Bayern/Burgund; 1 cloister EN1 Lothringen/Italien+Lothringen/Italien; "
    "1 cloister EN4 England/Schwaben; 1 end; 1 draw pile; 1 draw Franken/Aragon; 1 draw pile; "
    "2 advisor England England/Schwaben; 2 end; 2 draw pile"
)

LESSON: Final = Lesson(
    seats=3,
    seed="c5130c93912f6e7643e09ebe5d7f4437ad281c8338002b3280f9e1602a8034be",
    deal="412f23ba318737ecf217b86773bc0bdb9ec15435adceb9a62ee17f85f623387b",
    opening=_OPENING,
    intro=(),
    learnt=(),
    steps=(
        LessonStep(
            text(
                "A card builds in a country it names. Go to AR1 (arrows, Tab); Enter lays a cloister out, "
                "Enter again builds it."
            ),
            ("cloister AR1 Franken/Aragon",),
            _first,
            holds=lambda moment: moment.has(_ARAGON) == moment.has(_ARAGON, seat=2),
        ),
        LessonStep(
            text("A second piece may go to the same country: build on AR3."),
            ("cloister AR3 Franken/Aragon",),
            _second,
            holds=lambda moment: moment.gain(_ARAGON) > 0,
        ),
        LessonStep(
            text("Two pieces are the limit. Enter ends placing."),
            ("end",),
            text("Now you draw, until you hold three cards again."),
        ),
        LessonStep(
            text("Take the open card Lothringen/Italien: Enter, or press 4."),
            ("draw Lothringen/Italien",),
            text("Your third card came from the pile, and the others had their turns."),
            skips=text("The others have their turns."),
            later=_SECOND,
        ),
        LessonStep(
            text("No card of yours names Aragon, but a pair is a joker for any country: build on AR5."),
            ("cloister AR5 Lothringen/Italien+Lothringen/Italien",),
            _joker,
            skips=text("The others have their turns."),
            later=_THIRD,
            holds=lambda moment: moment.gain(_ARAGON) > 0,
        ),
        LessonStep(
            text("Cards send advisors, too: send one to the crest of Franken."),
            ("advisor Franken Franken/Aragon",),
            text(
                "This court is full: it has room for as many advisors as the strongest there has cloisters. "
                "No points yet."
            ),
            skips=text("The others have their turns."),
            later=_FOURTH,
            holds=lambda moment: moment.gain(*_ALLIANCES) == 0,
        ),
        LessonStep(
            text("Line 4 allies Franken with Lothringen: send one there, too."),
            ("advisor Lothringen Lothringen/Italien",),
            _allied,
            skips=text("The others have their turns."),
            later=_FIFTH,
            holds=lambda moment: moment.gain(_ALLIANCE) > 0,
        ),
        LessonStep(
            _asks_discard,
            ("exchange Franken/Aragon",),
            text("Only one card at a time may be discarded."),
        ),
        LessonStep(
            text("Draw the last card of the pile with d, and see what happens."),
            ("draw pile",),
            _interim,
            skips=text("The others have their turns."),
            later=_REST,
        ),
        LessonStep(
            text("Some rounds later: AR5, FR8 and FR6 are yours, and roads join them with BU2. Build there."),
            ("cloister BU2 Bayern/Burgund",),
            _end,
            skips=text("The others have their turns."),
            later=_END,
            holds=lambda moment: moment.gain("chains") == SHORTEST,
        ),
    ),
)
