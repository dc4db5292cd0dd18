"""The lesson of the board game: a three-player match from its fifth round on."""

from __future__ import annotations

from typing import Final

from kk_core.games.web_of_power.model import COUNTRIES, KIND_OF_COUNTRY, SHORTEST
from kk_core.lesson import LEARNER, Lesson, LessonMoment, LessonStep
from kk_core.text import Text, text

_ARAGON: Final = "final:cloisters:Aragon"
_ALLIANCE: Final = "alliance:4"
_BURGUND: Final = "final:cloisters:Burgund"
_INTERIM: Final = tuple(f"interim:cloisters:{country}" for country in COUNTRIES)
_ALLIANCES: Final = tuple(f"alliance:{number}" for number in range(1, 16))

JUTTAS_ALLIANCE: Final = 15
"""The number of the first alliance that somebody has, which is the other player's."""

_JUTTA, _EMMA = 1, 2
"""The others' seats; the names are only for this file, and differ at tables."""


# -- before the first step -----------------------------------------------------------------------------------


def _goal(moment: LessonMoment) -> Text:
    return text(
        "You build cloisters and send advisors, and want the most points at the end. Three "
        "things score:\n"
        "Cloisters in countries, twice: in the middle of the match and at its end.\n"
        "Advisors in allied countries, at the end.\n"
        "Chains of cloisters along roads, at the end.\n\n"
        "You are {own}; {jutta} and {emma} play against you. The sign before a name is also "
        "on that player's pieces.",
        own=moment.name(LEARNER), jutta=moment.name(_JUTTA), emma=moment.name(_EMMA),
    )  # fmt: skip


_TURN: Final = text(
    "On your turn you place one or two pieces in one country. Each costs a card that names the "
    "country. Then you draw until you have three cards again. Other rules come as we meet them.\n\n"
    "The first three cards are your hand; the last two lie face up for everybody. Beside each name "
    "stand the cloisters and advisors left to place, then the points if all were scored now.\n\n"
    "What the lesson asks for is marked. Arrows and Tab lead there; Enter chooses the card for a "
    "piece, Enter again places it; or click twice. t shows who leads in what, a full stop explains "
    "a sign, u takes a move back."
)


# -- what the steps say --------------------------------------------------------------------------------------


def _first(moment: LessonMoment) -> Text:
    return text(
        "You tie with {name} for the most cloisters in Aragon: {points} points for each of you, one for each "
        "cloister there.",
        name=moment.name(_EMMA), points=moment.has(_ARAGON),
    )  # fmt: skip


def _second(moment: LessonMoment) -> Text:
    return text(
        "Now you alone have the most: {points} points. {name}, in second place, gets one for "
        "each of yours: {second}. Third place would get one for each of {name}'s. Ties get the same.",
        points=moment.has(_ARAGON), name=moment.name(_EMMA), second=moment.has(_ARAGON, seat=_EMMA),
    )  # fmt: skip


def _skips_first(moment: LessonMoment) -> Text:
    return text(
        "You draw the third from the pile. Then {jutta} builds in England, and {emma} twice in Bayern.",
        jutta=moment.name(_JUTTA),
        emma=moment.name(_EMMA),
    )


def _joker(moment: LessonMoment) -> Text:
    return text(
        "Aragon: {points} points for you now, {second} for {name}. With a third card that names the country, "
        "you could place a second piece there.",
        points=moment.has(_ARAGON), second=moment.has(_ARAGON, seat=_EMMA), name=moment.name(_EMMA),
    )  # fmt: skip


def _skips_second(moment: LessonMoment) -> Text:
    return text(
        "You draw two face-up cards. {jutta} sends an advisor to Italien; {emma} builds twice in Frankreich.",
        jutta=moment.name(_JUTTA),
        emma=moment.name(_EMMA),
    )


def _skips_third(moment: LessonMoment) -> Text:
    return text(
        "You draw. {jutta} builds in Bayern, sends an advisor and wins an alliance, number {number}. {emma} "
        "builds in Schwaben.",
        jutta=moment.name(_JUTTA), emma=moment.name(_EMMA), number=JUTTAS_ALLIANCE,
    )  # fmt: skip


def _allied(moment: LessonMoment) -> Text:
    return text(
        "You have the most advisors in both countries: {points} points, and the number takes your colour. "
        "The most in just one would give nothing. A country counts for all its alliances.",
        points=moment.gain(_ALLIANCE),
    )  # fmt: skip


def _skips_fourth(moment: LessonMoment) -> Text:
    return text(
        "You draw. {jutta} builds in Franken, {emma} discards a card.",
        jutta=moment.name(_JUTTA),
        emma=moment.name(_EMMA),
    )


def _asks_discard(moment: LessonMoment) -> Text:
    kind = KIND_OF_COUNTRY[COUNTRIES.index("Aragon")]
    return text(
        "You can't pass: if no card helps you, or you have no pieces left, you discard one. "
        "Try it: press {number} to choose a card, then x.",
        number=1 + moment.before.hands[LEARNER].index(kind),
    )  # fmt: skip


def _interim(moment: LessonMoment) -> Text:
    return text(
        "The pile ran out, so every country scored, as you learnt in Aragon: {own} points for "
        "you, {jutta_points} for {jutta}, {emma_points} for {emma}, which nobody can lose. At the end "
        "countries score again.",
        own=moment.has(*_INTERIM), jutta=moment.name(_JUTTA),
        jutta_points=moment.has(*_INTERIM, seat=_JUTTA),
        emma=moment.name(_EMMA), emma_points=moment.has(*_INTERIM, seat=_EMMA),
    )  # fmt: skip


def _end(moment: LessonMoment) -> Text:
    return text(
        "A chain of {least}: {chain} points, and {burgund} more in Burgund. A cloister counts in only one "
        "chain. Points now: you {own}, {jutta} {second}, {emma} {third}.",
        least=SHORTEST, chain=moment.gain("chains"), burgund=moment.gain(_BURGUND), own=moment.has(),
        jutta=moment.name(_JUTTA),
        second=moment.has(seat=_JUTTA), emma=moment.name(_EMMA), third=moment.has(seat=_EMMA),
    )  # fmt: skip


def _learnt_chains(moment: LessonMoment) -> Text:  # noqa: ARG001
    return text(
        "Chain: {least} or more of your cloisters in a line, a point each; no branches.",
        least=SHORTEST,
    )


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
    intro=(_goal, _TURN),
    steps=(
        LessonStep(
            text("Build a cloister"),
            text(
                "Two of your cards name Aragon. Go to its marked space, at the left edge of the map; Enter "
                "chooses a card, Enter again builds a cloister."
            ),
            ("cloister AR1 Franken/Aragon",),
            _first,
            holds=lambda moment: moment.has(_ARAGON) == moment.has(_ARAGON, seat=_EMMA),
            about=(_ARAGON,),
        ),
        LessonStep(
            text("Build a second one"),
            text("You may place a second piece in the same country: build on the marked space."),
            ("cloister AR3 Franken/Aragon",),
            _second,
            holds=lambda moment: moment.gain(_ARAGON) > 0,
            about=(_ARAGON,),
        ),
        LessonStep(
            text("End placing"),
            text("Two pieces a turn is the limit: Enter ends placing."),
            ("end",),
            text(
                "In a country without cloisters you may place only one piece, a cloister. Now you draw until "
                "you have three cards again."
            ),
        ),
        LessonStep(
            text("Draw a card"),
            text("Take the face-up card Lothringen/Italien: Enter, or press 4."),
            ("draw Lothringen/Italien",),
            text("You now have two cards of this kind. Face-up cards are replaced only after your "
                 "turn."),
            skips=_skips_first,
            later=_SECOND,
        ),
        LessonStep(
            text("Build with a joker"),
            text(
                "No card in your hand names Aragon, but two of a kind are a joker for any country: "
                "build on its marked space."
            ),
            ("cloister AR5 Lothringen/Italien+Lothringen/Italien",),
            _joker,
            skips=_skips_second,
            later=_THIRD,
            holds=lambda moment: moment.gain(_ARAGON) > 0,
            about=(_ARAGON,),
        ),
        LessonStep(
            text("Send an advisor"),
            text(
                "Now an advisor, which costs a card, too. A crest holds as many advisors in total as the "
                "leading player has cloisters there: one in Franken. Send one there."
            ),
            ("advisor Franken Franken/Aragon",),
            text(
                "You need no cloister there. If a crest is full, a cloister built first can make room. "
                "Advisors bring points in alliances, which come next."
            ),
            skips=_skips_third,
            later=_FOURTH,
            holds=lambda moment: moment.gain(*_ALLIANCES) == 0,
        ),
        LessonStep(
            text("Win an alliance"),
            text(
                "Number 4 allies Franken and Lothringen. Whoever has, or ties for, the most "
                "advisors in each of them gets a point for each advisor there, no matter whose. Send one to "
                "Lothringen."
            ),
            ("advisor Lothringen Lothringen/Italien",),
            _allied,
            skips=_skips_fourth,
            later=_FIFTH,
            holds=lambda moment: moment.gain(_ALLIANCE) > 0,
            about=(_ALLIANCE,),
        ),
        LessonStep(
            text("Discard a card"),
            _asks_discard,
            ("exchange Franken/Aragon",),
            text("Now draw one to replace it."),
        ),
        LessonStep(
            text("Empty the pile"),
            text("One card is left in the pile. Draw it with d, and see what happens."),
            ("draw pile",),
            _interim,
            skips=text(
                "The discard pile becomes the draw pile. We skip to round 16, the last."
            ),
            later=_REST,
            is_strict=True,
        ),
        LessonStep(
            text("Join a chain"),
            text(
                "The last round. A chain is {least} or more of your cloisters in a line "
                "along roads, without branches: a point for each. Roads join the marked space in Burgund to "
                "three of yours: build there.",
                least=SHORTEST,
            ),
            ("cloister BU2 Bayern/Burgund",),
            _end,
            skips=text(
                "The pile runs out once more: after this round all is scored, cloisters again, "
                "alliances, chains."
            ),
            later=_END,
            holds=lambda moment: moment.gain("chains") == SHORTEST and moment.gain(_BURGUND) > 0,
            about=("chains", _BURGUND),
        ),
    ),
    learnt=(
        text("A turn: one or two pieces in a country, or discard; then draw."),
        text("A piece costs a card that names the country, or two of a kind."),
        text("In a country without cloisters: one piece only, a cloister."),
        text(
            "Most cloisters in a country: a point for each there. Second: one for each that the first has."
        ),
        text("Room on a crest: the most cloisters that any one player has there."),
        text("Most advisors in each of two allied countries: a point for each there."),
        _learnt_chains,
        text("The pile runs out once: cloisters are scored."),
        text("It runs out twice: the round is finished, then all is scored."),
    ),
    words=(
        (text("cloister"), text("a piece on a space of a country")),
        (text("advisor"), text("a piece on the crest of a country")),
        (text("alliance"), text("a number on the map, between the crests of two countries")),
        (text("chain"), text("{least} or more of your cloisters in a line of roads", least=SHORTEST)),
        (text("joker"), text("two cards of a kind, for any country")),
        (text("to tie"), text("to have as many as somebody else; both get the points")),
    ),
)  # fmt: skip
