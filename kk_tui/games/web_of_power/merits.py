"""What speaks for cards that are drawn, and for pieces, where no line of the score sheet tells it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kk_core.games.web_of_power.model import (
    CARD_COUNTRIES,
    CLOISTER_OF,
    COUNTRY_NAMES,
    FREE,
    DrawFaceUp,
    DrawFromPile,
    Observation,
    PlaceAdvisor,
    PlaceCloister,
    read,
)
from kk_core.types import Move
from kk_tui.games.web_of_power.counts import advisors
from kk_tui.i18n import _, ngettext, render
from kk_tui.scene import Scene

_PAIR: Final = 2
"""Two cards of a kind are good for any country."""


def merits(scene: Scene[Observation], move: Move) -> str:
    """What an open card makes with the hand, and where there are free spaces in its countries; what those of
    the pile may make; where roads from a cloister lead; what advisors there are then.
    """
    match read(scene.observation.printed, move):
        case DrawFaceUp(kind):
            return "; ".join(_open_card(scene.observation, kind))
        case DrawFromPile():
            return _from_pile(scene.observation)
        case PlaceCloister(space, _payment):
            return "; ".join(_roads(scene.observation, space))
        case PlaceAdvisor(country, _payment):
            return _advisors(scene, country)
    return ""


def _from_pile(view: Observation) -> str:
    all_of, fitting = sum(view.unseen), sum(view.unseen[kind] for kind in set(view.hand))
    if not fitting:
        return ""
    return _("{n} of {all} cards not seen have their like in the hand", n=fitting, all=all_of)


def _roads(view: Observation, space: int) -> Iterator[str]:
    lying = [view.board[other] for other in view.printed.neighbours[space]]
    own, free = lying.count(CLOISTER_OF + (view.viewer or 0)), lying.count(FREE)
    if own:
        yield ngettext("a road to {n} of your cloisters", "roads to {n} of your cloisters", own, n=own)
    if free:
        yield ngettext("a road to {n} free space", "roads to {n} free spaces", free, n=free)


def _advisors(scene: Scene[Observation], country: int) -> str:
    """Those of the viewer, and of the other who has the most."""
    view = scene.observation
    there, name = advisors(view, country), render(COUNTRY_NAMES[country])
    own = there[view.viewer or 0] + 1
    told = ngettext("then {n} advisor in {name}", "then {n} advisors in {name}", own, n=own, name=name)
    most, rival = max((n, -seat) for seat, n in enumerate(there) if seat != view.viewer)
    return f"{told}, {scene.name(-rival)} {most}" if most else told


def _open_card(view: Observation, kind: int) -> Iterator[str]:
    alike = view.hand.count(kind) + 1
    if alike == _PAIR:
        yield _("makes a pair, which pays for a piece in any country")
    elif alike > _PAIR:
        yield _("then all three of the hand are alike")
    for country in CARD_COUNTRIES[kind]:
        if free := sum(view.board[space] == FREE for space in view.printed.spaces_of[country]):
            name = render(COUNTRY_NAMES[country])
            yield ngettext("{name}: {n} free space", "{name}: {n} free spaces", free, name=name, n=free)
