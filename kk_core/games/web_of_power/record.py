"""The board game's part of an exported record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kk_core.games.web_of_power import model
from kk_core.games.web_of_power.setup import unshuffled
from kk_core.games.web_of_power.state import State
from kk_core.types import Event, Move


def export_setup(land: model.Printed, state: State) -> dict[str, Any]:
    """The deal, from the state before the first move."""
    return {
        "hands": [_names(hand) for hand in state.hands],
        "face_up": _names(state.face_up),
        "draw_pile": _names(state.pile),
        "removed": _names(unshuffled((land.removed_of_each(state.deal.seats),) * len(model.CARDS))),
    }


def export_move(land: model.Printed, before: State, move: Move) -> dict[str, Any]:
    """A move; a card drawn from the pile is named, since the state knows it."""
    match model.read(land, move):
        case model.PlaceCloister(space, payment):
            cards = _names(model.cards_of(land.country_of[space], payment))
            return {"type": "place", "piece": "cloister", "space": land.spaces[space], "cards": cards}
        case model.PlaceAdvisor(country, payment):
            cards = _names(model.cards_of(country, payment))
            return {"type": "place", "piece": "advisor", "country": model.COUNTRIES[country], "cards": cards}
        case model.DrawFaceUp(kind):
            return {"type": "draw", "from": "face_up", "card": model.CARDS[kind]}
        case model.DrawFromPile():
            return {"type": "draw", "from": "pile", "card": model.CARDS[before.pile[0]]}
        case model.EndPlacing():
            return {"type": "end_placing"}
        case model.Exchange(kind):
            return {"type": "exchange", "card": model.CARDS[kind]}


def export_event(after: State, event: Event) -> dict[str, Any]:
    """A chance or rule event; the order of a reshuffled pile is read from the state after it."""
    match model.read_event(event):
        case model.TurnedUp(kind):
            return {"chance": "face_up", "card": model.CARDS[kind]}
        case model.Reshuffled():
            return {"chance": "reshuffle", "draw_pile": _reshuffled(after, event)}
        case model.InterimScored():
            return {"rule": "interim_scoring"}
        case model.LastRound():
            return {"rule": "last_round"}
        case model.NobodyCanPlace():
            return {"rule": "nobody_can_place"}


def _reshuffled(after: State, event: Event) -> list[str]:
    """The whole new pile: open cards replaced in the same step have left it again already."""
    since = map(model.read_event, after.events[after.events.index(event) + 1 :])
    gone = [later.kind for later in since if isinstance(later, model.TurnedUp)]
    return _names((*gone, *after.pile))


def _names(kinds: Sequence[int]) -> list[str]:
    return [model.CARDS[kind] for kind in kinds]
