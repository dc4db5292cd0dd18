"""The lesson of the card game: a three-player match from its middle on."""

from __future__ import annotations

from typing import Final

from kk_core.games.land_cards.layout import LIMIT
from kk_core.games.land_cards.model import CHAIN, COUNTRIES, TAKEN
from kk_core.games.land_cards.rules import STONES_ON_CARDS
from kk_core.games.land_cards.scoring import LAW_PENALTY, CardCounts, count_cards
from kk_core.lesson import LEARNER, Lesson, LessonMoment, LessonStep
from kk_core.text import Text, text
from kk_core.types import Seat

_JUTTA, _EMMA = 1, 2
"""The others' seats; the names are only for this file, and differ at tables."""


def _counts(moment: LessonMoment) -> CardCounts:
    """Return everybody's cards after a step."""
    state = moment.after
    return count_cards(state.deal.faces, state.board, len(moment.names))


def _cards(moment: LessonMoment, country: str, seat: Seat = LEARNER) -> int:
    """Return a seat's number of cards of a country after a step."""
    return _counts(moment).lands[COUNTRIES.index(country)][seat]


def _both(country: str) -> tuple[str, str]:
    """Return a country's lines of the score sheet."""
    return f"land:{country}", f"symbols:{country}"


# -- before the first step -----------------------------------------------------------------------------------

_GOAL: Final = text(
    "Collect cards of nine countries, and have the most points when all cards are taken.\n\n"
    "On your turn you first take cards from the left or right ends of the rows: at least "
    "one, and all from the same country. You may also take cards that this uncovers.\n\n"
    "Then you may place one of your stones on a card you want for later."
)


def _countries(moment: LessonMoment) -> Text:
    most = _counts(moment).totals[0]
    return text(
        "The number on a card shows how many cards its country has in the game, and how many "
        "points you get for having the most. Second place gets a point for each card the "
        "first has, third place a point for each card the second has, and so on.\n\n"
        "Frankreich has {most} cards. With {first} of them you'd get {most} points, somebody "
        "with {second} would get {first}, and somebody with {third} would get {second}.\n\n"
        "Tied players get the same, and the next place follows at once: if two have {tied} "
        "cards each, both get {most}, and somebody with {behind} gets {tied}.",
        most=most, first=5, second=2, third=1, tied=3, behind=2,
    )  # fmt: skip


def _symbols(moment: LessonMoment) -> Text:  # noqa: ARG001
    return text(
        "Most cards show one or two symbols: cross, fan, lion, eagle or tower. In each "
        "country, only the kind you have most of counts. Whoever has the highest number there "
        "gets that many points, and nobody else gets any. So two lions in Bayern give you two "
        "points if nobody has three of one kind there. Somebody with two eagles there gets two "
        "as well; one eagle gives nothing.\n\n"
        "The cards you take in one turn may show {limit} symbols in all, no more. You may "
        "always add cards without symbols.\n\n"
        "Ships and carriages aren't symbols. {chain} or more ships, from any countries, are "
        "a chain and give a point each; fewer give nothing. The same goes for carriages.",
        limit=LIMIT, chain=CHAIN,
    )  # fmt: skip


_STONES: Final = text(
    "A stone makes a card costly for others: to take it, they must give up a stone of "
    "theirs for good, one from their supply or one on a card, and yours returns to your "
    "supply. If you take the card yourself, your stone returns, too.\n\n"
    "If only cards under others' stones are left to take, you must take one. Without any "
    "stone of your own you can't, and skip your turn.\n\n"
    "Once all your stones are on cards, you may move one instead of placing one. After the "
    "last card of the match no stone is placed."
)


def _law_cards(moment: LessonMoment) -> Text:  # noqa: ARG001
    return text(
        "Some cards have a law card on them, face down, marked §. Whoever takes the card "
        "gets it, and only they see it. Three kinds help on one of your turns, even on the one "
        "in which you take them: the first returns a stone you gave up, the second lets you "
        "take three symbols, the third lets you take cards of several countries. One law card "
        "in four is of the fourth kind, which costs {points} points at the end.",
        points=LAW_PENALTY,
    )  # fmt: skip


_FIRST_GAIN: Final = 6
"""The points that the first marked card brings, all of them for its country."""


def _keys(moment: LessonMoment) -> Text:
    return text(
        "We start in the middle of a match. Your points are what you'd have if all were "
        "scored now; they can still change.\n\n"
        "Cards show symbols: † cross, ▽ fan, ☼ lion, Ψ eagle, ⌂ tower. “As things stand” shows "
        "everybody's cards of each country, their most common symbol and, if there is room, their "
        "points. In Bayern, {name} has {cards}☼{symbols}: {cards} card with {symbols} lions. "
        "▶+{gain} means that the card under the cursor would "
        "bring {gain} points. Beside your name is all it brings, in the line of a country what it brings "
        "there.",
        name=moment.name(_EMMA), cards=_cards(moment, "Bayern", _EMMA),
        symbols=moment.has("symbols:Bayern", seat=_EMMA), gain=_FIRST_GAIN,
    )  # fmt: skip


_BOARD: Final = text(
    "Bright cards can be chosen now. A faint card with its taker's sign has just been taken, a "
    "frame is around a stone just placed, and a letter in brackets is where a stone has just left.\n\n"
    "What the lesson asks for is marked. Enter takes the card under the cursor; or click "
    "one. Home and End go to the ends of a row.\n\n"
    "t shows who leads in what, a full stop explains a sign, u takes a move back."
)


# -- what the steps say --------------------------------------------------------------------------------------


def _tie(moment: LessonMoment) -> Text:
    return text(
        "You and {name} tie for the most, with {n} card each: both get the number on the card, {points}.",
        n=_cards(moment, "Bayern"), name=moment.name(_EMMA), points=moment.gain("land:Bayern"),
    )  # fmt: skip


def _leader(moment: LessonMoment) -> Text:
    return text(
        "You lead with {n} cards, so {name} gets only {n} points. Your {symbols} eagles tie with {name}'s "
        "{symbols} lions: {points} points for both.",
        n=_cards(moment, "Bayern"), name=moment.name(_EMMA), symbols=moment.gain("symbols:Bayern"),
        points=moment.has("symbols:Bayern", seat=_EMMA),
    )  # fmt: skip


def _asks_place(moment: LessonMoment) -> Text:
    return text(
        "The marked card of Franken, in row 2, would tie you with {name} there. It isn't at "
        "an end yet: place a stone on it.",
        name=moment.name(_JUTTA),
    )  # fmt: skip


def _skips_first(moment: LessonMoment) -> Text:
    return text(
        "Next, {jutta} takes Kastilien. {emma} takes a card of Sachsen, gets back the stone "
        "they had on it, and places it on Bayern.",
        jutta=moment.name(_JUTTA), emma=moment.name(_EMMA),
    )  # fmt: skip


def _with_law(moment: LessonMoment) -> Text:
    return text(
        "Your law card: several countries. Seeing one can't be undone in a match. One more cross in "
        "Kastilien: {points} point.",
        points=moment.gain(*_both("Kastilien")),
    )  # fmt: skip


def _skips_second(moment: LessonMoment) -> Text:
    return text(
        "Next, {jutta} takes England, and {emma} takes Frankreich and overtakes you in its symbols.",
        jutta=moment.name(_JUTTA), emma=moment.name(_EMMA),
    )  # fmt: skip


def _ship(moment: LessonMoment) -> Text:
    return text(
        "Only you have Italien: {points} points. You have {n} ships; {chain} make a chain.",
        points=moment.gain("land:Italien"), n=_counts(moment).ships[LEARNER], chain=CHAIN,
    )  # fmt: skip


def _asks_law(moment: LessonMoment) -> Text:
    return text(
        "{name} has {n} cards of Ungarn: second place there gives {n} points. To take another country's "
        "card this turn, play your law: press {number}.",
        name=moment.name(_JUTTA), n=_cards(moment, "Ungarn", _JUTTA),
        number=1 + len(set(moment.before.hands[LEARNER][:-1])),
    )  # fmt: skip


def _follower(moment: LessonMoment) -> Text:
    return text(
        "You're second in Ungarn. {name} is first with {n} cards, so you get {points} points.",
        n=_cards(moment, "Ungarn", _JUTTA), name=moment.name(_JUTTA), points=moment.gain("land:Ungarn"),
    )  # fmt: skip


def _skips_third(moment: LessonMoment) -> Text:
    return text(
        "Next, {jutta} takes Franken, so you get a point more there as second, and places a stone on "
        "Italien. {emma} takes Ungarn.",
        jutta=moment.name(_JUTTA), emma=moment.name(_EMMA),
    )  # fmt: skip


def _asks_stone(moment: LessonMoment) -> Text:
    return text(
        "The marked card of Frankreich would tie you with the others there. It has {name}'s "
        "stone on it. Take it anyway.",
        name=moment.name(_EMMA),
    )  # fmt: skip


def _owed(moment: LessonMoment) -> Text:
    return text("You now owe a stone for it, and {name}'s returns to their supply.", name=moment.name(_EMMA))


def _given_up(moment: LessonMoment) -> Text:
    return text(
        "Frankreich gives you {points} points: {land} for cards, as all three of you tie for the most, "
        "and {symbols} for your fans.",
        points=moment.has(*_both("Frankreich")), land=moment.has("land:Frankreich"),
        symbols=moment.has("symbols:Frankreich"),
    )  # fmt: skip


def _skips_fourth(moment: LessonMoment) -> Text:
    return text(
        "Next, {jutta} takes Dänemark, and {emma} takes Ungarn; each places a stone.",
        jutta=moment.name(_JUTTA), emma=moment.name(_EMMA),
    )  # fmt: skip


def _decided(moment: LessonMoment) -> Text:
    return text(
        "All cards of Ungarn are taken, and all three of you tie for the most: these "
        "{points} points are yours for good.",
        points=moment.has("land:Ungarn"),
    )  # fmt: skip


def _skips_fifth(moment: LessonMoment) -> Text:
    return text(
        "Next, {jutta} takes Sachsen, and {emma} takes Kastilien and places a stone.",
        jutta=moment.name(_JUTTA), emma=moment.name(_EMMA),
    )  # fmt: skip


def _asks_chain(moment: LessonMoment) -> Text:
    state = moment.before
    carriages = count_cards(state.deal.faces, state.board, len(moment.names)).carriages[LEARNER]
    return text(
        "You have {n} carriages, worth nothing yet; {chain} make a chain, worth a point "
        "each. Take the marked card of Bayern, at the left end of row 2.",
        n=carriages, chain=CHAIN,
    )  # fmt: skip


def _end(moment: LessonMoment) -> Text:
    return text(
        "A chain of {n} carriages: {points} points. You have {own} now, {jutta} has {second} and {emma} "
        "{third}. The other {left} cards are taken before the match is scored.",
        n=_counts(moment).carriages[LEARNER], points=moment.gain("carriages"), own=moment.has(),
        jutta=moment.name(_JUTTA), second=moment.has(seat=_JUTTA),
        emma=moment.name(_EMMA), third=moment.has(seat=_EMMA),
        left=sum(lies < TAKEN for lies in moment.after.board),
    )  # fmt: skip


# -- after the last step -------------------------------------------------------------------------------------


def _learnt_limit(moment: LessonMoment) -> Text:  # noqa: ARG001
    return text(
        "A turn: one card or more, of one country, with {limit} symbols at most; then a stone.",
        limit=LIMIT,
    )


def _learnt_chains(moment: LessonMoment) -> Text:  # noqa: ARG001
    return text("Ships, carriages: {chain} or more give a point each. They aren't symbols.", chain=CHAIN)


def _learnt_stones(moment: LessonMoment) -> Text:  # noqa: ARG001
    few, *_more, many = sorted(STONES_ON_CARDS)
    return text(
        "With more than {few} players, only {limit} of your stones may be on cards at once.",
        few=few, limit=STONES_ON_CARDS[many],
    )  # fmt: skip


def _learnt_laws(moment: LessonMoment) -> Text:  # noqa: ARG001
    return text(
        "Law cards are secret. Three kinds help on one turn; one costs {points} points at the end.",
        points=LAW_PENALTY,
    )


_OPENING: Final = (
    "0 take 3 1; 0 end; 0 place 2 10; 1 take 3 2; 1 take 2 1; 1 end; 1 place 1 2; 2 take 4 14; "
    "2 end; 2 pass; 0 take 3 14; 0 take 3 3; 0 end; 0 pass; 1 take 1 1; 1 end; 1 pass; "
    "2 take 3 13; 2 end; 2 place 3 4; 0 take 2 14; 0 end; 0 pass; 1 take 1 2; 1 end; 1 pass; "
    "2 take 1 3; 2 end; 2 pass; 0 take 4 13; 0 end; 0 pass; 1 take 2 2; 1 take 2 3; 1 end; 1 pass; "
    "2 take 4 12; 2 end; 2 place 1 4"
)
_STONE_PLACED: Final = "1 take 4 11; 1 end; 1 pass; 2 take 3 4; 2 end; 2 place 2 11"
_LAW: Final = "0 end; 0 pass; 1 take 4 9; 1 end; 1 pass; 2 take 4 2; 2 end; 2 pass"
_PLAYED: Final = "0 end; 0 pass; 1 take 3 11; 1 end; 1 place 1 14; 2 take 3 10; 2 end; 2 pass"
_GIVEN_UP: Final = "0 end; 0 pass; 1 take 3 9; 1 end; 1 place 1 5; 2 take 4 3; 2 end; 2 place 2 6"
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
    intro=(_GOAL, _countries, _keys, _BOARD),
    steps=(
        LessonStep(
            text("Take a card"),
            text(
                "Take the marked card of Bayern, at the left end of row 4: go there and press Enter, or "
                "click it."
            ),
            ("take 4 1",),
            _tie,
            holds=lambda moment: moment.has("land:Bayern") == moment.has("land:Bayern", seat=_EMMA) > 0
            and _cards(moment, "Bayern") == _cards(moment, "Bayern", _EMMA) == 1
            # the points that were announced
            and moment.gain() == moment.gain("land:Bayern") == _FIRST_GAIN,
            about=("land:Bayern",),
        ),
        LessonStep(
            text("Take another one"),
            text(
                "One symbol so far, so you may take another: the card of Bayern at the right end of row 3."
            ),
            ("take 3 12",),
            _leader,
            holds=lambda moment: moment.gain("symbols:Bayern") == 2
            and moment.has("symbols:Bayern", seat=_EMMA) == 2
            and moment.has("land:Bayern", seat=_EMMA) == _cards(moment, "Bayern"),
            about=("land:Bayern", "symbols:Bayern"),
            pages=(_symbols,),
        ),
        LessonStep(
            text("End taking"),
            text("Two symbols are the limit: end taking, press e."),
            ("end",),
            text("Now you may place a stone on any card in the rows."),
        ),
        LessonStep(
            text("Place a stone"),
            _asks_place,
            ("place 2 7",),
            text(
                "Anybody else who takes this card must give up a stone for it. If you take it "
                "yourself, you get your stone back."
            ),
            skips=_skips_first,
            later=_STONE_PLACED,
            holds=lambda moment: _cards(moment, "Franken") + 1 == _cards(moment, "Franken", _JUTTA),
            about=("land:Franken",),
            pages=(_STONES,),
        ),
        LessonStep(
            text("Take a card with a law"),
            text("The next card of Kastilien, at the right end of row 4, has a law card on it. Take it."),
            ("take 4 10",),
            _with_law,
            skips=_skips_second,
            later=_LAW,
            holds=lambda moment: moment.gain(*_both("Kastilien")) == 1,
            about=("land:Kastilien", "symbols:Kastilien"),
            pages=(_law_cards,),
        ),
        LessonStep(
            text("Take a ship"),
            text(
                "Nobody has a card of Italien yet. Take the one at the right end of row 4; its ship "
                "isn't a symbol."
            ),
            ("take 4 8",),
            _ship,
            holds=lambda moment: moment.gain("land:Italien") > 0,
            about=("land:Italien", "ships"),
        ),
        LessonStep(
            text("Play a law"),
            _asks_law,
            ("law different_colours",),
            text("This turn, your cards may be of several countries."),
            holds=lambda moment: [bool(_cards(moment, "Ungarn", seat)) for seat in range(3)]
            == [False, True, False],
            about=("land:Ungarn",),
        ),
        LessonStep(
            text("Be second in a country"),
            text("Take the card of Ungarn at the left end of row 3."),
            ("take 3 5",),
            _follower,
            skips=_skips_third,
            later=_PLAYED,
            holds=lambda moment: moment.gain("land:Ungarn") == _cards(moment, "Ungarn", _JUTTA),
            about=("land:Ungarn",),
        ),
        LessonStep(
            text("Take a card with a stone"),
            _asks_stone,
            ("take 1 4",),
            _owed,
            # the point that was announced
            holds=lambda moment: moment.has("land:Franken") == _cards(moment, "Franken", _JUTTA) == 3,
            about=("land:Frankreich", "symbols:Frankreich"),
        ),
        LessonStep(
            text("Give up a stone for it"),
            text("Give up the one in your supply: press Enter, or y."),
            ("give supply",),
            _given_up,
            skips=_skips_fourth,
            later=_GIVEN_UP,
            holds=lambda moment: len({_cards(moment, "Frankreich", seat) for seat in range(3)}) == 1
            and moment.has("symbols:Frankreich") > 0,
            about=("land:Frankreich", "symbols:Frankreich"),
        ),
        LessonStep(
            text("Take a country's last card"),
            text("Row 4 has the last card of Ungarn. Take it."),
            ("take 4 7",),
            _decided,
            skips=_skips_fifth,
            later=_DECIDED,
            holds=lambda moment: moment.gain("land:Ungarn") > 0
            and len({_cards(moment, "Ungarn", seat) for seat in range(3)}) == 1,
            about=("land:Ungarn",),
        ),
        LessonStep(
            text("Make a chain"),
            _asks_chain,
            ("take 2 4",),
            _end,
            skips=text("The other cards are taken the same way, and the match is scored."),
            later=_END,
            holds=lambda moment: moment.gain("carriages") == CHAIN,
            about=("carriages",),
        ),
    ),
    learnt=(
        _learnt_limit,
        text("Most cards of a country: its number; second: as many as the first has."),
        text("Symbols: in a country only the highest number of one kind scores."),
        text("Those who tie get the full points, and the next place follows at once."),
        _learnt_chains,
        text("A card with somebody's stone costs you a stone; no stone, no card."),
        text("Your own stone returns with its card; once all are on cards, move one."),
        _learnt_stones,
        _learnt_laws,
        text("The most points win; if they tie, the most land cards."),
    ),
    words=(
        (
            text("symbol"),
            text("cross, fan, lion, eagle or tower; {limit} at most on the cards of a turn", limit=LIMIT),
        ),
        (text("ship, carriage"), text("not symbols; {chain} or more of one are a chain", chain=CHAIN)),
        (text("stone"), text("placed on a card you want; others pay a stone to take it")),
        (text("law card"), text("face down on a card; take both, and keep it secret")),
        (text("supply"), text("your stones that aren't on cards")),
        (text("to tie"), text("to have as many as somebody else; both get the points")),
    ),
)  # fmt: skip
