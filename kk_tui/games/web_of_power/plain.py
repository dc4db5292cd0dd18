"""The board game in lines of text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from kk_core.games.web_of_power import model, notation
from kk_core.games.web_of_power.model import (
    CARD_NAMES,
    CLOISTER_OF,
    COUNTRY_NAMES,
    FREE,
    DrawFaceUp,
    Observation,
)
from kk_core.text import Text, listed, text, text_in, texts
from kk_core.types import Move, Seat
from kk_tui.games import Race
from kk_tui.games.plain import PlainFace, Topic, Verb
from kk_tui.games.web_of_power.chart import chains
from kk_tui.games.web_of_power.face import sheet_entry
from kk_tui.games.web_of_power.meaning import Kind, Sign, explain
from kk_tui.games.web_of_power.panels import (
    ALLIANCES,
    CHAINS,
    CLOISTERS,
    advisors,
    cloisters,
    free_spaces,
    may_be_last,
)
from kk_tui.matching import meant, ways_of, words_of
from kk_tui.scene import Scene


def hand(scene: Scene[Observation]) -> Iterator[Text]:
    """Yield the viewer's cards with the numbers by which they are discarded."""
    if cards := scene.observation.hand:
        yield text("Your hand: {cards}.", cards=_numbered(cards))


def news(before: Scene[Observation], after: Scene[Observation]) -> Iterator[Text]:
    """Yield the cards that the viewer has drawn from the pile, which the log does not name."""
    if after.match.ply <= before.match.ply:  # taken back, or nothing new
        return
    gained = Counter(after.observation.hand) - Counter(before.observation.hand)
    for ply, entry in after.match.recent():
        if ply < before.match.ply or entry.seat != after.viewer or entry.move is None:
            continue
        if isinstance(drawn := model.read(after.observation.printed, entry.move), DrawFaceUp):
            gained[drawn.kind] -= 1
    if cards := [CARD_NAMES[kind] for kind in (+gained).elements()]:
        yield text("You have drawn {cards}.", cards=listed(list(cards)))


def _numbered(kinds: Sequence[int]) -> Text | str:
    return listed([text("{n} {name}", n=n, name=CARD_NAMES[kind]) for n, kind in enumerate(kinds, 1)])


def board(scene: Scene[Observation]) -> Iterator[Text]:
    """Yield the cards to draw, then the countries with somebody in them, and the others."""
    view = scene.observation
    open_cards = _open_cards(view)
    pile = texts("{n} card in the pile", "{n} cards in the pile", view.pile)
    if open_cards:
        yield text("Face up: {cards}; {pile}.", cards=_numbered(open_cards), pile=pile)
    else:
        yield text("No card is face up; {pile}.", pile=pile)
    empty = list[Text | str]()
    for country, name in enumerate(COUNTRY_NAMES):
        if any(cloisters(view, country)):
            yield _country_line(scene, country)
        else:
            empty.append(text("{country} {n}", country=name, n=len(view.printed.spaces_of[country])))
    if empty:
        yield text("Empty, with their spaces: {countries}.", countries=listed(empty))


def _cloisters(n: int) -> Text:
    return texts("{n} cloister", "{n} cloisters", n)


def _advisors(n: int) -> Text:
    return texts("{n} advisor", "{n} advisors", n)


def _country_line(scene: Scene[Observation], country: int) -> Text:
    """Return who has what in a country, and what is free there."""
    view = scene.observation
    built, sent = cloisters(view, country), advisors(view, country)
    parts = list[Text | str]()
    for seat, name in enumerate(scene.names):
        counted = (_cloisters(built[seat]), built[seat]), (_advisors(sent[seat]), sent[seat])
        if held := [pieces for pieces, n in counted if n]:
            parts.append(text("{name} {pieces}", name=name, pieces=listed(held)))
    return text(
        "{country}: {parts}; {free} free.",
        country=COUNTRY_NAMES[country], parts=listed(parts), free=free_spaces(view, country),
    )  # fmt: skip


def _country(scene: Scene[Observation], typed: str) -> Iterator[Text]:
    """Yield everything about a country: its spaces with their roads, its court, its alliances."""
    view, land = scene.observation, scene.observation.printed
    names = ((n, (*ways_of(name), *ways_of(same))) for n, (same, name) in enumerate(_SYNONYMS))
    _how, found = meant(words_of(typed), names)
    if len(found) != 1:
        yield text("Which country? There are {countries}.", countries=listed(list(COUNTRY_NAMES)))
        return
    (country,) = found
    yield explain(scene, Sign(Kind.GROUND, country)).sentence
    for space in land.spaces_of[country]:
        owner = view.board[space]
        holder = text("free") if owner == FREE else Text(scene.name(owner - CLOISTER_OF))
        roads = listed([land.spaces[other] for other in land.neighbours[space]])
        yield text(
            "{space} {holder}; roads to {roads}.", space=land.spaces[space], holder=holder, roads=roads
        )
    yield explain(scene, Sign(Kind.CREST, country)).sentence
    own = [number for number, pair in enumerate(land.alliances) if country in pair]
    yield from _alliance_lines(scene, own)


def _chains(scene: Scene[Observation], _typed: str) -> Iterator[Text]:
    """Yield the chains that have scored, or what everybody's would score now."""
    scored = [chain.why for chain in chains(scene)]
    yield from scored
    if scene.is_over:
        if not scored:
            yield text("Nobody had a chain: four cloisters or more in a line, along roads.")
        return
    points = scene.standing[CHAINS]
    if not any(points):
        yield text("Nobody has a chain so far: four cloisters or more in a line, along roads.")
    for seat, n in enumerate(points):
        if n:
            yield text("{name}'s chains would score {n} points now.", name=scene.name(seat), n=n)


def _alliances(scene: Scene[Observation], _typed: str) -> Iterator[Text]:
    yield from _alliance_lines(scene, range(len(scene.observation.printed.alliances)))


def _alliance_lines(scene: Scene[Observation], numbers: Iterable[int]) -> Iterator[Text]:
    """Yield who leads in some alliances, then those in which nobody does."""
    land, open_ = scene.observation.printed, list[Text | str]()
    for number in numbers:
        if any(scene.standing[ALLIANCES + number]):
            yield explain(scene, Sign(Kind.NUMBER, number)).sentence
            continue
        first, second = (COUNTRY_NAMES[country] for country in land.alliances[number])
        open_.append(text("{number} {first} and {second}", number=number + 1, first=first, second=second))
    if open_:
        yield text(
            "Nobody has the most advisors in each country of alliances {alliances}.", alliances=listed(open_)
        )


def holdings(scene: Scene[Observation], seat: Seat) -> Text:
    """Return what a player still has to place."""
    view = scene.observation
    return text(
        "{cloisters} and {advisors} left",
        cloisters=_cloisters(view.cloisters_left[seat]), advisors=_advisors(view.advisors_left[seat]),
    )  # fmt: skip


def score_label(scene: Scene[Observation], line: int) -> Text:
    """Return a line of the score sheet with its scoring, or with the names of the allies.

    Before any scoring a country stands alone: the next scoring need not be the final one.
    """
    if line < ALLIANCES:
        name = COUNTRY_NAMES[line % CLOISTERS]
        if line >= CLOISTERS and not (scene.is_over or scene.observation.interim_scored):
            return name
        return text("{scoring}, {line}", scoring=sheet_entry(scene, line).part, line=name)
    if line == CHAINS:
        return text("Chains")
    number = line - ALLIANCES
    first, second = (COUNTRY_NAMES[country] for country in scene.observation.printed.alliances[number])
    return text("Alliance {number}, {first} and {second}", number=number + 1, first=first, second=second)


def contest_label(scene: Scene[Observation], race: Race) -> Text:
    """Return a contest with what is counted in it."""
    land, (line,) = scene.observation.printed, race.line
    if line < ALLIANCES:
        return text("Cloisters in {country}", country=race.label)
    if line == CHAINS:
        return race.label
    number = line - ALLIANCES
    first, second = (COUNTRY_NAMES[country] for country in land.alliances[number])
    return text(
        "Advisors of alliance {number}, {first} and {second}", number=number + 1, first=first, second=second
    )


def typed(scene: Scene[Observation], move: Move) -> Sequence[Text]:
    """Return the ways to type a move: in words, and as in records."""
    view = scene.observation
    return [*_ways(view, move), Text(notation.format_move(view.printed, move))]


def _ways(view: Observation, move: Move) -> Iterator[Text]:
    land = view.printed
    match model.read(land, move):
        case model.PlaceCloister(space, payment):
            country = land.country_of[space]
            where, card = land.spaces[space], CARD_NAMES[model.cards_of(country, payment)[0]]
            if payment == model.SINGLE:
                yield text_in("typed", "place cloister {space} with {card}", space=where, card=card)
            else:
                yield text_in("typed", "place cloister {space} with two {card}", space=where, card=card)
            name = COUNTRY_NAMES[country]
            yield text_in("typed", "place cloister {country} {space}", country=name, space=where)
        case model.PlaceAdvisor(country, payment):
            name, card = COUNTRY_NAMES[country], CARD_NAMES[model.cards_of(country, payment)[0]]
            if payment == model.SINGLE:
                yield text_in("typed", "place advisor {country} with {card}", country=name, card=card)
            else:
                yield text_in("typed", "place advisor {country} with two {card}", country=name, card=card)
        case model.DrawFaceUp(kind):
            yield text_in("typed", "draw {card}", card=CARD_NAMES[kind])
            for n in _places(view, kind):
                yield text_in("typed", "draw {n}", n=n)
        case model.DrawFromPile():
            yield text_in("typed", "draw pile")
        case model.Exchange(kind):
            yield text_in("typed", "discard {card}", card=CARD_NAMES[kind])
            for n, held in enumerate(view.hand, 1):
                if held == kind:
                    yield text_in("typed", "discard {n}", n=n)
        case model.EndPlacing():
            yield text_in("typed", "end")
            yield text_in("typed", "continue")


def detail(scene: Scene[Observation], move: Move) -> Text | None:
    """Return what the end of placing means."""
    is_end = isinstance(model.read(scene.observation.printed, move), model.EndPlacing)
    return text("place no more pieces in this turn") if is_end else None


def _open_cards(view: Observation) -> list[int]:
    return [kind for kind in view.face_up if kind != model.NO_CARD]


def _places(view: Observation, kind: int) -> list[int]:
    """Return the numbers of the open cards of a kind, as `board` counts them."""
    return [n for n, shown in enumerate(_open_cards(view), 1) if shown == kind]


def number(scene: Scene[Observation], move: Move) -> int | None:
    """Return the number of an open card that is drawn, or the one after them for the pile."""
    view = scene.observation
    match model.read(view.printed, move):
        case model.DrawFaceUp(kind) if places := _places(view, kind):
            return places[0]
        case model.DrawFromPile():
            return len(_open_cards(view)) + 1
    return None


def gone(scene: Scene[Observation], move: Move) -> Text | None:
    """Return who has drawn the last card of a kind that was face up."""
    view = scene.observation
    match model.read(view.printed, move):
        case model.DrawFaceUp(kind) if view.phase == model.DRAWING and kind not in view.face_up:
            drawn = [entry.seat for _ply, entry in scene.match.recent() if entry.move == move]
            return text("{name} drew the last one.", name=scene.name(drawn[-1])) if drawn else None
    return None


def choices(scene: Scene[Observation]) -> Iterator[Text]:
    """Yield where pieces can be placed, for each way to pay, and what else can be done."""
    view, land = scene.observation, scene.observation.printed
    places: dict[tuple[int, bool], tuple[list[int], list[Text | str]]] = {}
    others = list[Text]()
    for move in sorted(scene.legal):
        match model.read(land, move):
            case model.PlaceCloister(space, payment):
                cards = model.cards_of(land.country_of[space], payment)
                places.setdefault((cards[0], len(cards) > 1), ([], []))[0].append(space)
            case model.PlaceAdvisor(country, payment):
                cards = model.cards_of(country, payment)
                places.setdefault((cards[0], len(cards) > 1), ([], []))[1].append(COUNTRY_NAMES[country])
            case _:
                others.append(next(_ways(view, move)))
    for (kind, is_pair), (spaces, courts) in sorted(places.items(), key=lambda item: item[0][::-1]):
        card = text("two {card}", card=CARD_NAMES[kind]) if is_pair else CARD_NAMES[kind]
        if spaces:
            yield text("With {card}, cloister: {places}.", card=card, places=_ranges(land, spaces))
        if courts:
            yield text("With {card}, advisor: {places}.", card=card, places=listed(courts))
    if others:
        yield text("Or: {moves}.", moves=listed(list(others)))


def _ranges(land: model.Printed, spaces: Sequence[int]) -> Text | str:
    """Return spaces in as few words as possible: "FR1-FR4, FR7"."""
    ranges = list[list[int]]()
    for space in spaces:
        is_next = bool(ranges) and space == ranges[-1][-1] + 1
        if is_next and land.country_of[space] == land.country_of[space - 1]:
            ranges[-1].append(space)
        else:
            ranges.append([space])
    names = [[land.spaces[space] for space in one] for one in ranges]
    return listed([one[0] if len(one) == 1 else f"{one[0]}-{one[-1]}" for one in names])


def prompt(scene: Scene[Observation]) -> Text | None:
    """Return what can be done in this step of the turn."""
    view = scene.observation
    if len(scene.legal) == 1:
        return None
    if view.phase == model.DRAWING:
        n = model.HAND - len(view.hand)
        return texts(
            "Draw {n} card: from the pile, or a face-up card.",
            "Draw {n} cards: from the pile, or face-up cards.",
            n,
        )
    if view.begun != model.NO_COUNTRY:
        country = COUNTRY_NAMES[view.begun]
        return text("Place a second piece in {country}, or end placing.", country=country)
    if may_be_last(view):
        return text("If the pile runs out now, this round is the last. Place a piece, or discard a card.")
    return text("Place a cloister or an advisor, or discard a card.")


_VERBS: Final = (
    Verb(text_in("typed", "place"),
         text("place a cloister on a space; pay with a card of its country, or with two equal ones"),
         text_in("typed", "cloister SPACE with [two] CARD")),
    Verb(text_in("typed", "place"),
         text("place an advisor in a country; pay with a card of it, or with two equal ones"),
         text_in("typed", "advisor COUNTRY with [two] CARD")),
    Verb(text_in("typed", "discard"), text("discard a card of your hand, instead of placing"),
         text_in("typed", "N|CARD")),
    Verb(text_in("typed", "draw"), text("draw a card from the pile, or one of the face-up cards"),
         text_in("typed", "pile|N|CARD")),
    Verb(text_in("typed", "end"), text("place no more pieces in this turn")),
)  # fmt: skip

_SYNONYMS: Final = tuple(
    zip(
        (text_in("usual", "England"), text("Franconia"), text("Bavaria"), text("Italy"),
         text_in("usual", "Aragon"), text("France"), text("Lorraine"), text("Swabia"), text("Burgundy")),
        COUNTRY_NAMES, strict=True,
    )
)  # fmt: skip
"""What the countries are called in the reader's language; the board has their German names."""

PLAIN: Final = PlainFace(
    board=board,
    hand=hand,
    holdings=holdings,
    score_label=score_label,
    contest_label=contest_label,
    typed=typed,
    verbs=_VERBS,
    synonyms=_SYNONYMS,
    detail=detail,
    number=number,
    gone=gone,
    choices=choices,
    news=news,
    prompt=prompt,
    topics=(
        Topic(
            text_in("typed", "country"), text("spaces, roads and alliances of a country"), _country,
            text_in("typed", "COUNTRY"), lambda _scene: COUNTRY_NAMES[0],
        ),
        Topic(text_in("typed", "alliances"), text("all alliances, and who leads in them"), _alliances),
        Topic(text_in("typed", "chains"), text("what chains score, after the end space by space"), _chains),
    ),
)  # fmt: skip
