"""Shuffling and dealing."""

from __future__ import annotations

from kk_core.chance import Chance
from kk_core.errors import InvalidOptions
from kk_core.games.web_of_power.meta import END_OF_ROUND, IMMEDIATE, INTERIM_SCORING, META
from kk_core.games.web_of_power.model import (
    CARDS,
    COUNTRIES,
    HAND,
    NO_COUNTRY,
    OPEN_CARDS,
    PLACING,
    Map,
)
from kk_core.games.web_of_power.state import Deal, State
from kk_core.text import text
from kk_core.types import Options


def deal_cards(land: Map, options: Options, seats: int, seed: bytes) -> State:
    """Everything laid out before the first turn; its legal moves are not worked out yet.

    After the shuffle the top cards go to seat 0, the next to seat 1 and so on, the next ones are the open
    cards, and the rest is the draw pile. Raises `InvalidOptions`.
    """
    end_of_round = _is_end_of_round(options)
    if not META.min_seats <= seats <= META.max_seats:
        raise InvalidOptions(
            text(
                "{game} is for {low} to {high} players, not {seats}.",
                game=META.name, low=META.min_seats, high=META.max_seats, seats=seats,
            )
        )  # fmt: skip
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
        legal=(),
    )


def unshuffled(counts: bytes | tuple[int, ...]) -> list[int]:
    """So many cards of each kind in the order in which they stand before a shuffle: kind by kind."""
    return [kind for kind, count in enumerate(counts) for _ in range(count)]


def _is_end_of_round(options: Options) -> bool:
    value = options.get(INTERIM_SCORING, IMMEDIATE)
    if value not in (IMMEDIATE, END_OF_ROUND):
        raise InvalidOptions(
            text(
                "Option {name} cannot be {value}; possible: {known}.",
                name=INTERIM_SCORING, value=repr(value), known=f"{IMMEDIATE}, {END_OF_ROUND}",
            )
        )  # fmt: skip
    return value == END_OF_ROUND
