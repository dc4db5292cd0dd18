"""The board game's part of an exported record."""

from __future__ import annotations

from typing import Any

from kk_core.games.web_of_power.model import (
    ADVISOR,
    ADVISOR_STRIDE,
    CARDS,
    CLOISTER,
    CLOISTER_STRIDE,
    COUNTRIES,
    DRAW_FACE_UP,
    DRAW_PILE,
    END_PLACING,
    EXCHANGE,
    FACE_UP,
    INTERIM,
    LAST_ROUND,
    RESHUFFLE,
    Printed,
)
from kk_core.games.web_of_power.notation import cards_of
from kk_core.games.web_of_power.setup import unshuffled
from kk_core.games.web_of_power.state import State
from kk_core.types import Event, Move


def export_setup(land: Printed, state: State) -> dict[str, Any]:
    """The deal, from the state before the first move."""
    return {
        "hands": [_names(hand) for hand in state.hands],
        "face_up": _names(state.face_up),
        "draw_pile": _names(state.pile),
        "removed": _names(unshuffled((land.removed_of_each(state.deal.seats),) * len(CARDS))),
    }


def export_move(land: Printed, before: State, move: Move) -> dict[str, Any]:
    """A move; a card drawn from the pile is named, since the state knows it."""
    if move >= CLOISTER:
        payment, space = divmod(move - CLOISTER, CLOISTER_STRIDE)
        cards = _names(cards_of(land.country_of[space], payment))
        return {"type": "place", "piece": "cloister", "space": land.spaces[space], "cards": cards}
    if move >= ADVISOR:
        payment, country = divmod(move - ADVISOR, ADVISOR_STRIDE)
        cards = _names(cards_of(country, payment))
        return {"type": "place", "piece": "advisor", "country": COUNTRIES[country], "cards": cards}
    if move >= DRAW_FACE_UP:
        return {"type": "draw", "from": "face_up", "card": CARDS[move - DRAW_FACE_UP]}
    if move == DRAW_PILE:
        return {"type": "draw", "from": "pile", "card": CARDS[before.pile[0]]}
    if move == END_PLACING:
        return {"type": "end_placing"}
    return {"type": "exchange", "card": CARDS[move - EXCHANGE]}


def export_event(after: State, event: Event) -> dict[str, Any]:
    """A chance or rule event; the order of a reshuffled pile is read from the state after it."""
    match event:
        case (kind, int(card)) if kind == FACE_UP:
            return {"chance": "face_up", "card": CARDS[card]}
        case (kind, _) if kind == RESHUFFLE:
            return {"chance": "reshuffle", "draw_pile": _reshuffled(after, event)}
        case (kind,) if kind == INTERIM:
            return {"rule": "interim_scoring"}
        case (kind,) if kind == LAST_ROUND:
            return {"rule": "last_round"}
        case _:
            return {"rule": "nobody_can_place"}


def _reshuffled(after: State, event: Event) -> list[str]:
    """The whole new pile: open cards replaced in the same step have left it again already."""
    since = after.events[after.events.index(event) + 1 :]
    gone = [later[1] for later in since if later[0] == FACE_UP and isinstance(later[1], int)]
    return _names((*gone, *after.pile))


def _names(kinds: bytes | list[int] | tuple[int, ...]) -> list[str]:
    return [CARDS[kind] for kind in kinds]
