"""The cards: hands, open cards, the draw pile, what follows when it runs out, and what can be noted."""

from __future__ import annotations

from functools import cache
from typing import Final

from msgspec.structs import replace

from kk_core.chance import Chance
from kk_core.games.web_of_power.model import (
    CARDS,
    DREW,
    INTERIM_SCORED,
    LAST_ROUND,
    NO_CARD,
    RESHUFFLED,
    TURNED_UP,
)
from kk_core.games.web_of_power.scoring import cloister_points
from kk_core.games.web_of_power.setup import unshuffled
from kk_core.games.web_of_power.state import State
from kk_core.types import Seat

BYTE: Final = tuple(bytes((value,)) for value in range(256))
"""Every byte as bytes."""

Noted = tuple[tuple[bytes, ...], tuple[bytes, ...], tuple[bytes, ...]]
"""`shown`, `old` and `since` of a state."""


def replace_open_cards(state: State) -> State:
    """The top cards of the pile take the places of the open cards that were drawn."""
    for place, kind in enumerate(state.face_up):
        if kind == NO_CARD and state.pile:
            top = state.pile[0]
            state = when_run_out(
                replace(
                    state,
                    pile=state.pile[1:],
                    face_up=put(state.face_up, place, top),
                    events=(*state.events, (TURNED_UP, top)),
                )
            )
    return state


def when_run_out(state: State) -> State:
    """What follows directly when the last card has left the pile: the second half, then the last round."""
    if state.pile:
        return state
    if state.pile_runs:
        return replace(state, pile_runs=2, events=(*state.events, (LAST_ROUND,)))
    if not state.deal.end_of_round:
        state = score_interim(state)
    chance = Chance(state.deal.seed, state.position)
    cards = unshuffled(state.discards)
    chance.shuffle(cards)
    return replace(
        state,
        pile=bytes(cards),
        discards=bytes(len(CARDS)),
        position=chance.position,
        pile_runs=1,
        old=tuple(map(without, state.hands, state.shown)),
        since=(b"",) * state.deal.seats,
        events=(*state.events, (RESHUFFLED, len(cards))),
    )


def score_interim(state: State) -> State:
    """Only cloisters count; the points stay, whatever happens on the board later."""
    seats = state.deal.seats
    points = b"".join(
        bytes(cloister_points(state.cloisters[start : start + seats]))
        for start in range(0, len(state.cloisters), seats)
    )
    return replace(state, interim=points, events=(*state.events, (INTERIM_SCORED,)))


# -- what everybody can note ---------------------------------------------------------------------------------


def note_play(state: State, seat: Seat, kind: int, cards: int) -> Noted:
    """A seat has played cards of a kind: those that it had taken from the open cards count as played first.

    Which of two equal cards it plays makes no difference to anybody.
    """
    shown, old, since = state.shown, state.old, state.since
    for _ in range(cards):
        if kind in shown[seat]:
            shown = with_hand(shown, seat, without(shown[seat], BYTE[kind]))
        elif old and old[seat]:
            if since[seat]:
                since = with_hand(since, seat, since[seat] + BYTE[kind])
            else:  # nothing was drawn since: it was an old one
                old = with_hand(old, seat, without(old[seat], BYTE[kind]))
    return shown, old, since


def note_draw(state: State, seat: Seat) -> tuple[bytes, ...]:
    """A seat that may have old cards draws from the new pile: `since` from now on."""
    if state.old[seat]:
        return with_hand(state.since, seat, state.since[seat] + BYTE[DREW])
    return state.since


# -- bytes ---------------------------------------------------------------------------------------------------


@cache
def with_card(hand: bytes, kind: int) -> bytes:
    """A hand with one card more."""
    return bytes(sorted(hand + BYTE[kind]))


def without(hand: bytes, cards: bytes) -> bytes:
    """A hand without some of its cards."""
    for kind in cards:
        hand = hand.replace(BYTE[kind], b"", 1)
    return hand


def with_hand(hands: tuple[bytes, ...], seat: Seat, hand: bytes) -> tuple[bytes, ...]:
    """All hands, that of the seat replaced."""
    return (*hands[:seat], hand, *hands[seat + 1 :])


def put(values: bytes, index: int, value: int) -> bytes:
    """The values with one of them replaced."""
    return values[:index] + BYTE[value] + values[index + 1 :]


def add(values: bytes, index: int, more: int) -> bytes:
    """The values with one of them raised, or lowered."""
    return put(values, index, values[index] + more)
