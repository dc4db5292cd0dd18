"""Shuffling and dealing."""

from __future__ import annotations

from collections.abc import Sequence

from kk_core.chance import Chance
from kk_core.checks import checked_setup
from kk_core.games.web_of_power.meta import END_OF_ROUND, INTERIM_SCORING, META
from kk_core.games.web_of_power.model import (
    CARDS,
    COUNTRIES,
    HAND,
    NO_COUNTRY,
    OPEN_CARDS,
    PLACING,
    Printed,
)
from kk_core.games.web_of_power.state import Deal, State
from kk_core.types import Options


def deal_cards(land: Printed, options: Options, seats: int, seed: bytes) -> State:
    """Everything laid out before the first turn; its legal moves are not worked out yet.

    After the shuffle the top cards go to seat 0, the next to seat 1 and so on, the next ones are the open
    cards, and the rest is the draw pile. Raises `InvalidOptions`.
    """
    end_of_round = checked_setup(META, options, seats, seed)[INTERIM_SCORING] == END_OF_ROUND
    chance = Chance(seed)
    cards = unshuffled(land.deck_for(seats))
    chance.shuffle(cards)
    dealt = bytes(cards)
    stop = HAND * seats
    return State(
        deal=Deal(seats, end_of_round, seed),
        turn=0,
        phase=PLACING,
        begun=NO_COUNTRY,
        begun_empty=False,
        placed=0,
        board=bytes(len(land.spaces)),
        cloisters=bytes(len(COUNTRIES) * seats),
        advisors=bytes(len(COUNTRIES) * seats),
        cloisters_left=bytes((land.cloisters,) * seats),
        advisors_left=bytes((land.advisors,) * seats),
        room=0,
        hands=tuple(bytes(sorted(dealt[first : first + HAND])) for first in range(0, stop, HAND)),
        pile=dealt[stop + OPEN_CARDS :],
        face_up=dealt[stop : stop + OPEN_CARDS],
        discards=bytes(len(CARDS)),
        position=chance.position,
        pile_runs=0,
        interim=b"",
        shown=(b"",) * seats,
        old=(),
        since=(),
        legal=(),
    )


def unshuffled(counts: Sequence[int]) -> list[int]:
    """So many cards of each kind in the order in which they stand before a shuffle: kind by kind."""
    return [kind for kind, count in enumerate(counts) for _ in range(count)]
