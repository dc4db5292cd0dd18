"""The cards: hands, open cards, the draw pile, and what follows when it runs out."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from kk_core.chance import Chance
from kk_core.games.web_of_power.model import CARDS, FACE_UP, INTERIM, LAST_ROUND, RESHUFFLE
from kk_core.games.web_of_power.scoring import cloister_points
from kk_core.games.web_of_power.setup import unshuffled
from kk_core.games.web_of_power.state import State
from kk_core.types import Seat

BYTE: Final = tuple(bytes((value,)) for value in range(256))
"""Every byte as bytes."""


def turn_up(state: State, place: int) -> State:
    """The top card of the pile becomes an open card."""
    kind = state.pile[0]
    return when_run_out(
        replace(
            state,
            pile=state.pile[1:],
            face_up=put(state.face_up, place, kind),
            events=(*state.events, (FACE_UP, kind)),
        )
    )


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
        events=(*state.events, (RESHUFFLE, len(cards))),
    )


def score_interim(state: State) -> State:
    """Only cloisters count; the points stay, whatever happens on the board later."""
    seats = state.deal.seats
    points = b"".join(
        bytes(cloister_points(state.cloisters[start : start + seats]))
        for start in range(0, len(state.cloisters), seats)
    )
    return replace(state, interim=points, events=(*state.events, (INTERIM,)))


def with_card(state: State, kind: int) -> tuple[bytes, ...]:
    """All hands, the seat's own with one card more."""
    seat = state.seat
    return with_hand(state.hands, seat, bytes(sorted(state.hands[seat] + BYTE[kind])))


def with_hand(hands: tuple[bytes, ...], seat: Seat, hand: bytes) -> tuple[bytes, ...]:
    """All hands, that of the seat replaced."""
    return (*hands[:seat], hand, *hands[seat + 1 :])


def put(values: bytes, index: int, value: int) -> bytes:
    """The values with one of them replaced."""
    return values[:index] + BYTE[value] + values[index + 1 :]


def add(values: bytes, index: int, more: int) -> bytes:
    """The values with one of them raised, or lowered."""
    return put(values, index, values[index] + more)
