"""The worth of a move of the board game beyond its points: one sentence about what stands on the board."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from kk_core.games.web_of_power.model import (
    CARD_COUNTRIES,
    CARD_NAMES,
    CLOISTER_OF,
    COUNTRY_NAMES,
    FREE,
    SHORTEST,
    DrawFaceUp,
    DrawFromPile,
    EndPlacing,
    Exchange,
    Observation,
    PlaceAdvisor,
    PlaceCloister,
    cards_of,
    read,
)
from kk_core.games.web_of_power.prospects import Pieces
from kk_core.text import Text, joined
from kk_core.types import Move, Seat
from kk_tui.games.web_of_power.panels import free_spaces
from kk_tui.i18n import _, is_on_screen, ngettext, render
from kk_tui.scene import Scene

_PAIR: Final = 2
"""Cards of a kind that pay for a piece in any country."""


def merits(scene: Scene[Observation], move: Move) -> str:
    """Return what a move brings beyond points, for a hint: what the next piece could make of it first.

    Failing that, whom it stands in the way of, and at last what lies around it.
    """
    match read(scene.observation.printed, move):
        case DrawFaceUp(kind):
            return " ".join(_open_card(scene.observation, kind))
        case DrawFromPile():
            return _from_pile(scene.observation)
        case PlaceCloister(space, _payment):
            return _first(_cloister(scene, space))
        case PlaceAdvisor(country, _payment):
            return _first(_advisor(scene, country))
        case Exchange(kind):
            return _kept_cards(scene.observation.hand.replace(bytes((kind,)), b"", 1))
        case EndPlacing():
            return _kept_cards(scene.observation.hand)
    return ""


def promises(scene: Scene[Observation], better: Move, other: Move) -> str:
    """Return what one placement has in its favour beyond points where another one has less of it.

    The same piece in the same place is compared by what it costs. Placements in other countries are compared
    by what these are good for: alliances, roads, free spaces.
    """
    printed = scene.observation.printed
    match read(printed, better), read(printed, other):
        case (PlaceCloister(space, paid), PlaceCloister(beside, instead)):
            if space == beside:
                return _saved(printed.country_of[space], paid, instead)
            return _first(_more_from(scene.observation, space, beside))
        case (PlaceAdvisor(country, paid), PlaceAdvisor(elsewhere, instead)):
            if country == elsewhere:
                return _saved(country, paid, instead)
            return _more_alliances(scene.observation, country, elsewhere)
    return ""


def _saved(country: int, payment: int, instead: int) -> str:
    """Return that a payment takes fewer cards than another one for the same piece."""
    paid, others = (len(cards_of(country, each)) for each in (payment, instead))
    return _("It does the same with one card instead of two.") if paid < others else ""


def _more_from(view: Observation, space: int, other: int) -> Iterator[str]:
    """Yield what a cloister on one space has before it, and one on another less."""
    country, elsewhere = (view.printed.country_of[each] for each in (space, other))
    yield _more_alliances(view, country, elsewhere)
    yield _more_roads(view, space, other)
    free, others = (free_spaces(view, each) - 1 for each in (country, elsewhere))
    if free > others:
        yield ngettext(
            "{country} has {n} free space left, {other} {m}.",
            "{country} has {n} free spaces left, {other} {m}.",
            free, country=render(COUNTRY_NAMES[country]), other=render(COUNTRY_NAMES[elsewhere]), m=others,
        )  # fmt: skip


def _more_alliances(view: Observation, country: int, other: int) -> str:
    """Return that a country is in more alliances, while there are advisors to send."""
    n, m = (sum(each in pair for pair in view.printed.alliances) for each in (country, other))
    if n <= m or not view.advisors_left[view.viewer or 0]:
        return ""
    return ngettext(
        "{country} counts in {n} alliance, {other} only in {m}.",
        "{country} counts in {n} alliances, {other} only in {m}.",
        n, country=render(COUNTRY_NAMES[country]), other=render(COUNTRY_NAMES[other]), m=m,
    )  # fmt: skip


def _more_roads(view: Observation, space: int, other: int) -> str:
    """Return that a chain, equally long so far, could grow along more roads from one space than another."""
    own, before = view.viewer or 0, Pieces.of(view)
    pieces = [before.with_cloister(own, each) for each in (space, other)]
    lines = [after.line(own, each) for after, each in zip(pieces, (space, other), strict=True)]
    room = pieces[0].line(own, space, is_to_come=True)
    if lines[0] != lines[1] or lines[0] >= SHORTEST or room < SHORTEST:
        return ""
    n, m = (sum(view.board[near] == FREE for near in before.land.neighbours[each]) for each in (space, other))
    if n <= m:
        return ""
    if not is_on_screen():  # lines of text name spaces, since one types their names
        return ngettext(
            "From {space} {n} road leads on for a chain, from {other} {m}.",
            "From {space} {n} roads lead on for a chain, from {other} {m}.",
            n, m=m, space=view.printed.spaces[space], other=view.printed.spaces[other],
        )  # fmt: skip
    return ngettext(
        "From there {n} road leads on for a chain, from the other place {m}.",
        "From there {n} roads lead on for a chain, from the other place {m}.",
        n, m=m,
    )  # fmt: skip


def _first(sentences: Iterable[str]) -> str:
    return next(filter(None, sentences), "")


def _others(scene: Scene[Observation]) -> Sequence[Seat]:
    return [seat for seat in range(len(scene.names)) if seat != scene.observation.viewer]


# -- cloisters -----------------------------------------------------------------------------------------------


def _cloister(scene: Scene[Observation], space: int) -> Iterator[str]:
    view, own = scene.observation, scene.observation.viewer or 0
    before = Pieces.of(view)
    after = before.with_cloister(own, space)
    line = after.line(own, space)
    yield _in_the_way(scene, before, space)
    yield _one_short(view, after, space, line)
    yield _new_room(view, before, after, view.printed.country_of[space])
    yield _beginning(after, own, space, line)
    yield _built(scene, after, view.printed.country_of[space])


def _in_the_way(scene: Scene[Observation], before: Pieces, space: int) -> str:
    """Return whom a cloister keeps from a chain, the longest first."""
    builders = [seat for seat in _others(scene) if scene.observation.cloisters_left[seat]]
    lines = [(before.with_cloister(seat, space).line(seat, space), seat) for seat in builders]
    # beside the middle of a chain, one more cloister makes it no longer
    chains = [(length, seat) for length, seat in lines if length > _longest_at(before, seat, space)]
    length, seat = max(chains, key=lambda chain: chain[0], default=(0, 0))
    if length < SHORTEST:
        return ""
    return _("It keeps {name} from a chain of {n}.", name=scene.name(seat), n=length)


def _longest_at(before: Pieces, seat: Seat, space: int) -> int:
    """Return a seat's longest line through the neighbours of a space."""
    near = [each for each in before.land.neighbours[space] if before.board[each] == CLOISTER_OF + seat]
    return max((before.line(seat, each) for each in near), default=0)


def _one_short(view: Observation, after: Pieces, space: int, line: int) -> str:
    """Return where one more cloister makes a chain with a new one."""
    own = view.viewer or 0
    spaces = after.growing(own, space) if view.cloisters_left[own] > 1 else ()
    if not spaces:
        return ""
    names = _names((view.printed.country_of[each] for each in spaces), is_choice=True)
    if line == 1:
        return _("One more in {where} would join it to a chain.", where=names)
    return _("It makes a line of {n}; one more in {where} makes a chain.", n=line, where=names)


def _new_room(view: Observation, before: Pieces, after: Pieces, country: int) -> str:
    """Return what an advisor would win in the first free place that a cloister makes in its country."""
    own = view.viewer or 0
    if before.room(country) > 0 or not view.advisors_left[own]:
        return ""
    won = len(after.won_by(own, country))
    return ngettext(
        "It makes room for an advisor in {country}, who would win you an alliance.",
        "It makes room for an advisor in {country}, who would win you {n} alliances.",
        won, country=render(COUNTRY_NAMES[country]),
    ) if won else ""  # fmt: skip


def _beginning(after: Pieces, own: Seat, space: int, line: int) -> str:
    """Return how far a line is from a chain for which there is room."""
    if line >= SHORTEST or after.line(own, space, is_to_come=True) < SHORTEST:
        return ""
    if line > 1:
        return _("It makes a line of {n}, with room for a chain of {all}.", n=line, all=SHORTEST)
    country_of, here = after.land.country_of, after.land.country_of[space]
    ways = {country_of[near] for near in after.land.neighbours[space] if after.board[near] == FREE}
    if abroad := ways - {here}:
        return _("A chain could grow along roads to {where}.", where=_names(abroad, is_choice=False))
    return _("A chain could grow along roads in {where}.", where=render(COUNTRY_NAMES[here]))


def _built(scene: Scene[Observation], after: Pieces, country: int) -> str:
    """Return the cloisters of the viewer in a country, and of the other player who has the most."""
    built, name = after.cloisters(country), render(COUNTRY_NAMES[country])
    own = built[scene.observation.viewer or 0]
    told = ngettext(
        "It gives you {n} cloister in {name}.", "It gives you {n} cloisters in {name}.", own, name=name
    )
    return f"{told} {_strongest(scene, built)}".strip()


def _strongest(scene: Scene[Observation], counts: Sequence[int]) -> str:
    """Return which other player has most of something; "" if none has any."""
    most, rival = max((counts[seat], -seat) for seat in _others(scene))
    return _("{rival} has {most}.", rival=scene.name(-rival), most=most) if most else ""


# -- advisors ------------------------------------------------------------------------------------------------


def _advisor(scene: Scene[Observation], country: int) -> Iterator[str]:
    view, own = scene.observation, scene.observation.viewer or 0
    before = Pieces.of(view)
    after = before.with_advisor(own, country)
    if view.advisors_left[own] > 1:
        yield _next_advisor(own, before, after)
    yield _kept_from(scene, before, after, country)
    yield _there(scene, after, country)


def _next_advisor(own: Seat, before: Pieces, after: Pieces) -> str:
    """Return where one more advisor would win most alliances, some of them not without this one."""
    # what could have been won before is no merit, but is won with it
    new = {
        country: after.won_by(own, country)
        for country in range(len(COUNTRY_NAMES))
        if after.won_by(own, country) - before.won_by(own, country)
    }
    if not new:
        return ""
    country = max(new, key=lambda each: len(new[each]))
    return ngettext(
        "One more advisor in {country} would then win an alliance.",
        "One more advisor in {country} would then win {n} alliances.",
        len(new[country]), country=render(COUNTRY_NAMES[country]),
    )  # fmt: skip


def _kept_from(scene: Scene[Observation], before: Pieces, after: Pieces, country: int) -> str:
    """Return who could win most alliances by one advisor there, and cannot do so any more."""
    lost = [
        (len(before.won_by(seat, country) - after.won_by(seat, country)), seat)
        for seat in _others(scene)
        if scene.observation.advisors_left[seat]
    ]
    most, seat = max(lost, key=lambda each: each[0], default=(0, 0))
    return ngettext(
        "It keeps {name} from winning an alliance with one advisor there.",
        "It keeps {name} from winning {n} alliances with one advisor there.",
        most, name=scene.name(seat),
    ) if most else ""  # fmt: skip


def _there(scene: Scene[Observation], after: Pieces, country: int) -> str:
    """Return the advisors of the viewer in a country, and of the other player who has the most."""
    court, name = after.court(country), render(COUNTRY_NAMES[country])
    own = court[scene.observation.viewer or 0]
    told = ngettext(
        "It gives you {n} advisor in {name}.", "It gives you {n} advisors in {name}.", own, name=name
    )
    return f"{told} {_strongest(scene, court)}".strip()


# -- cards ---------------------------------------------------------------------------------------------------


def _kept_cards(hand: bytes) -> str:
    """Return what is left in the viewer's hand; "" if nothing is."""
    pairs = [kind for kind in sorted(set(hand)) if hand.count(kind) >= _PAIR]
    if pairs:
        return _(
            "You keep a pair of {card}, which pays for a piece in any country.",
            card=render(CARD_NAMES[pairs[0]]),
        )
    if not hand:
        return ""
    return _("You keep {cards}.", cards=joined([render(CARD_NAMES[kind]) for kind in hand]))


def _from_pile(view: Observation) -> str:
    all_of, fitting = sum(view.unseen), sum(view.unseen[kind] for kind in set(view.hand))
    if not fitting:
        return ""
    return _("{n} of the {all} unseen cards match one in your hand.", n=fitting, all=all_of)


def _open_card(view: Observation, kind: int) -> Iterator[str]:
    alike = view.hand.count(kind) + 1
    if alike == _PAIR:
        yield _("It makes a pair, which pays for a piece in any country.")
    elif alike > _PAIR:
        yield _("It makes all three of your cards alike.")
    told = _first(say(view, country) for say in (_would_win, _would_join) for country in CARD_COUNTRIES[kind])
    if told:
        yield told
        return
    for country in CARD_COUNTRIES[kind]:
        if free := free_spaces(view, country):
            name = render(COUNTRY_NAMES[country])
            yield ngettext(
                "{name} has {n} free space.", "{name} has {n} free spaces.", free, name=name, n=free
            )


def _would_win(view: Observation, country: int) -> str:
    """Return the alliances that an advisor in a country would win."""
    own = view.viewer or 0
    won = len(Pieces.of(view).won_by(own, country)) if view.advisors_left[own] else 0
    return ngettext(
        "As things stand, an advisor in {country} would win you an alliance.",
        "As things stand, an advisor in {country} would win you {n} alliances.",
        won, country=render(COUNTRY_NAMES[country]),
    ) if won else ""  # fmt: skip


def _would_join(view: Observation, country: int) -> str:
    """Return the longest chain that a cloister in a country would make."""
    own, pieces = view.viewer or 0, Pieces.of(view)
    free = [space for space in view.printed.spaces_of[country] if view.board[space] == FREE]
    longest = max((pieces.with_cloister(own, space).line(own, space) for space in free), default=0)
    if longest < SHORTEST or not view.cloisters_left[own]:
        return ""
    name = render(COUNTRY_NAMES[country])
    return _("A cloister in {country} would make a chain of {n}.", country=name, n=longest)


def _names(countries: Iterable[int], *, is_choice: bool) -> Text | str:
    """Return the names of one or more countries as a list, or as a choice."""
    names = [render(COUNTRY_NAMES[country]) for country in sorted({*countries})]
    return joined(names, is_choice=is_choice)
