"""The meaning of every sign on the map, in one sentence with this match's own figures."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
from typing import Final, NamedTuple

from kk_core.games.web_of_power.model import (
    CARD_NAMES,
    CLOISTER_OF,
    COUNTRIES,
    COUNTRY_NAMES,
    FREE,
    KIND_OF_COUNTRY,
    Observation,
)
from kk_core.text import Text, text, texts
from kk_core.types import Seat
from kk_tui.games.web_of_power.choices import CREST, Target, country_of
from kk_tui.games.web_of_power.land import SEA
from kk_tui.games.web_of_power.panels import (
    ALLIANCES,
    CLOISTERS,
    advisors,
    blocked_chains,
    chained_roads,
    chains,
    cloisters,
)
from kk_tui.scene import Scene
from kk_tui.widgets.explanation import Explanation


class Kind(Enum):
    """A kind of sign; its number is that of a country, a space, a road, an alliance or a target."""

    GROUND = auto()
    BORDER = auto()
    ORNAMENT = auto()
    ROAD = auto()
    TIE = auto()
    NUMBER = auto()
    NAME = auto()
    SPACE = auto()
    CREST = auto()
    ADVISOR = auto()
    PLACE = auto()
    PLUS = auto()
    LAID = auto()
    CURSOR = auto()
    RECENT = auto()
    SHOWN = auto()
    HINT = auto()
    OF_COUNTRY = auto()
    OF_ALLIANCE = auto()


class Sign(NamedTuple):
    """A sign on the map; an advisor has a seat too."""

    kind: Kind
    number: int = 0
    seat: Seat = 0


GROUNDS: Final = tuple(Sign(Kind.GROUND, code) for code in range(SEA + 1))
BORDER: Final = Sign(Kind.BORDER)
ORNAMENT: Final = Sign(Kind.ORNAMENT)


def target_sign(target: Target) -> Sign:
    """Return the sign of a space or a crest itself."""
    return Sign(Kind.CREST, target - CREST) if target >= CREST else Sign(Kind.SPACE, target)


_SECTIONS: Final = {
    Kind.GROUND: "the-map",
    Kind.BORDER: "the-map",
    Kind.ORNAMENT: "the-map",
    Kind.ROAD: "scoring",
    Kind.TIE: "scoring",
    Kind.NUMBER: "scoring",
    Kind.NAME: "placing-pieces",
    Kind.SPACE: "where-pieces-stand",
    Kind.CREST: "where-pieces-stand",
    Kind.ADVISOR: "scoring",
    Kind.PLACE: "where-pieces-stand",
    Kind.PLUS: "placing-pieces",
    Kind.LAID: "on-the-screen",
    Kind.CURSOR: "on-the-screen",
    Kind.RECENT: "on-the-screen",
    Kind.SHOWN: "scoring",
    Kind.HINT: "on-the-screen",
    Kind.OF_COUNTRY: "scoring",
    Kind.OF_ALLIANCE: "scoring",
}


def explain(scene: Scene[Observation], sign: Sign) -> Explanation:
    """Return what a sign means."""
    is_sea = sign.kind is Kind.GROUND and sign.number >= len(COUNTRIES)
    gives_way = is_sea or sign.kind in (Kind.BORDER, Kind.ORNAMENT, Kind.PLUS, Kind.LAID)
    return Explanation(_sentence(scene, sign), _SECTIONS[sign.kind], gives_way=gives_way)


def _sentence(scene: Scene[Observation], sign: Sign) -> Text:
    number, printed = sign.number, scene.observation.printed
    match sign.kind:
        case Kind.GROUND:
            return _ground(scene, number)
        case Kind.BORDER:
            return text("A coast or a border: roads and chains may cross it.")
        case Kind.ORNAMENT:
            return text("A decoration in the sea; it has no meaning in the game.")
        case Kind.ROAD:
            return _road(scene, number)
        case Kind.TIE:
            first, second = (COUNTRY_NAMES[country] for country in printed.alliances[number])
            if any(scene.standing[ALLIANCES + number]):
                return _alliance(scene, number)
            return text(
                "A dotted line to the number of alliance {number}: {first} and {second}.",
                number=number + 1, first=first, second=second,
            )  # fmt: skip
        case Kind.NUMBER:
            return _alliance(scene, number)
        case Kind.NAME:
            card = CARD_NAMES[KIND_OF_COUNTRY[number]]
            deck = printed.deck_for(len(scene.names))
            return text(
                "{country}: a {card} card ({n} of {all}) pays here, or any two alike.",
                country=COUNTRY_NAMES[number], card=card, n=deck[KIND_OF_COUNTRY[number]], all=sum(deck),
            )  # fmt: skip
        case Kind.SPACE:
            return _space(scene, number)
        case Kind.CREST:
            return _crest(scene.observation, number)
        case Kind.ADVISOR:
            return text(
                "{name}'s advisor in {country}, where {name} has {n}; alliances count them.",
                name=scene.name(sign.seat), country=COUNTRY_NAMES[number],
                n=advisors(scene.observation, number)[sign.seat],
            )  # fmt: skip
        case Kind.PLACE:
            return texts(
                "A dot: room for {n} more advisor in {country}, {most} in all.",
                "Dots: room for {n} more advisors in {country}, {most} in all.",
                places_left(scene.observation, number),
                country=COUNTRY_NAMES[number], most=max(cloisters(scene.observation, number)),
            )  # fmt: skip
        case Kind.PLUS:
            if number >= CREST:
                return text("A plus: the chosen cards pay for an advisor here.")
            return text("A plus: the chosen cards pay for a cloister here.")
        case Kind.LAID:
            where = COUNTRY_NAMES[country_of(printed, number)]
            return text("A piece about to be placed in {country}; only you can see it.", country=where)
        case Kind.CURSOR:
            return text("The brackets show where the cursor or the mouse is.")
        case Kind.RECENT:
            where = COUNTRY_NAMES[country_of(printed, number)]
            return text("The frame marks what has just been placed, here in {country}.", country=where)
        case Kind.SHOWN:
            return text("Marked on the map: what the score line below is about.")
        case Kind.HINT:
            return text("Marks a place from the hint, or in an analysis the better and the played one.")
        case Kind.OF_COUNTRY:
            return _figures(scene, COUNTRY_NAMES[number], scene.standing[CLOISTERS + number])
        case Kind.OF_ALLIANCE:
            name = text("Alliance {number}", number=number + 1)
            return _figures(scene, name, scene.standing[ALLIANCES + number])


def places_left(view: Observation, country: int) -> int:
    """Return how many more advisors a crest takes, up to the most cloisters of a player (printed rules)."""
    return max(cloisters(view, country)) - sum(advisors(view, country))


def _ground(scene: Scene[Observation], code: int) -> Text:
    if code == SEA:
        return text("The sea: roads across it join cloisters like any others.")
    if code >= len(COUNTRIES):
        return text("Land outside the game: nothing can be built here.")
    return country_words(scene, code)


def country_words(scene: Scene[Observation], country: int) -> Text:
    """Return how far a country is built up, and who leads there."""
    built, spaces, name = _built(scene, country), _spaces(scene, country), COUNTRY_NAMES[country]
    if not any(built):
        return text(
            "{country}: {spaces} spaces, all free; the first piece here must be a cloister.",
            country=name,
            spaces=spaces,
        )
    return text(
        "{country}: {built} of {spaces} cloisters built; {lead}.",
        country=name, built=sum(built), spaces=spaces, lead=_lead(scene, built),
    )  # fmt: skip


def _built(scene: Scene[Observation], country: int) -> Sequence[int]:
    return cloisters(scene.observation, country)


def _spaces(scene: Scene[Observation], country: int) -> int:
    return len(scene.observation.printed.spaces_of[country])


def _lead(scene: Scene[Observation], counts: Sequence[int]) -> Text:
    """Return who has the most of something that somebody has."""
    most = max(counts)
    ahead = [seat for seat, count in enumerate(counts) if count == most]
    if len(ahead) == 1:
        return text("{name} leads with {n}", name=scene.name(ahead[0]), n=most)
    return text("{names} lead with {n}", names=scene.names_of(ahead), n=most)


def _road(scene: Scene[Observation], road: int) -> Text:
    view = scene.observation
    ends = view.printed.roads[road]
    held = [view.board[space] for space in ends]
    if FREE not in held:
        owner, other = (seat - CLOISTER_OF for seat in held)
        if owner != other:
            return text(
                "{name} and {other} hold the ends of this road: no chain runs along it.",
                name=scene.name(owner), other=scene.name(other),
            )  # fmt: skip
        name = scene.name(owner)
        length = next((len(chain) for chain in chains(view, owner) if road in chained_roads(view, chain)), 0)
        if not length:
            return text("{name} holds both ends of this road, but it is in no chain of four.", name=name)
        if scene.is_over:
            return text("A road of {name}'s chain, which scored {n}.", name=name, n=length)
        return text("A road of {name}'s chain, which would score {n} now.", name=name, n=length)
    first, second = (COUNTRY_NAMES[view.printed.country_of[space]] for space in ends)
    if first == second:
        return text("A road in {country}: four cloisters of a player in a line make a chain.", country=first)
    return text("A road from {first} to {second}: chains may cross borders.", first=first, second=second)


def _alliance(scene: Scene[Observation], number: int) -> Text:
    first, second = (COUNTRY_NAMES[country] for country in scene.observation.printed.alliances[number])
    said: dict[str, int | Text] = {"number": number + 1, "first": first, "second": second}
    points = scene.standing[ALLIANCES + number]
    if not any(points):
        return text("Alliance {number}, {first} and {second}: nobody has the most advisors in each.", **said)
    return text("Alliance {number}, {first} and {second}: {won}.", won=_won(scene, points), **said)


def _won(scene: Scene[Observation], points: Sequence[int]) -> Text:
    """Return who gets, or got, the most points for something."""
    most = max(points)
    best = [seat for seat, figure in enumerate(points) if figure == most]
    names = scene.names_of(best)
    if scene.is_over:
        return text("{names} got {n}", names=names, n=most)
    return text("{names} would get {n} now", names=names, n=most)


def _space(scene: Scene[Observation], space: int) -> Text:
    view = scene.observation
    country, owner = view.printed.country_of[space], view.board[space]
    name, built, spaces = COUNTRY_NAMES[country], _built(scene, country), _spaces(scene, country)
    if not any(built):
        return text(
            "Free space in {country}; all {spaces} are free: begin with a cloister.",
            country=name, spaces=spaces,
        )  # fmt: skip
    said: dict[str, int | Text] = {"built": sum(built), "spaces": spaces, "lead": _lead(scene, built)}
    if owner == FREE:
        return text("Free space in {country}: {built} of {spaces} built; {lead}.", country=name, **said)
    if blocked := blocked_chains(view, space):
        other = max(blocked, key=lambda seat: blocked[seat])
        return text(
            "{name}'s cloister keeps {other} from a chain of {n}.",
            name=scene.name(owner - CLOISTER_OF), other=scene.name(other), n=blocked[other],
        )  # fmt: skip
    return text(
        "{name}'s cloister in {country}: {built} of {spaces} built; {lead}.",
        name=scene.name(owner - CLOISTER_OF), country=name, **said,
    )  # fmt: skip


def _crest(view: Observation, country: int) -> Text:
    most, name = max(cloisters(view, country)), COUNTRY_NAMES[country]
    if not most:
        return text("Crest of {country}: no advisors until somebody has a cloister there.", country=name)
    taken = sum(advisors(view, country))
    if not taken:
        return text(
            "Crest of {country}: room for {most}, the most cloisters of one player.",
            country=name, most=most,
        )  # fmt: skip
    return text(
        "Crest of {country}: {taken} of {most} places taken; cloisters add more.",
        country=name, taken=taken, most=most,
    )  # fmt: skip


def _figures(scene: Scene[Observation], what: Text, points: Sequence[int]) -> Text:
    each = ", ".join(f"{scene.name(seat)} {figure}" for seat, figure in enumerate(points) if figure)
    if scene.is_over:
        return text("{what} scored: {each}.", what=what, each=each)
    return text("{what} as things stand: {each}.", what=what, each=each)
