"""How play goes on in simulations: quickly, by what gains most, with some chance in it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final, TypeAlias

from kk_core.games.web_of_power.model import (
    CARD_COUNTRIES,
    COUNTRIES,
    DRAWING,
    EXCHANGE,
    KIND_OF_COUNTRY,
    NO_CARD,
    PLACING,
    SINGLE,
    cards_of,
)
from kk_core.games.web_of_power.moves import exchanges, payments
from kk_core.games.web_of_power.position import Position
from kk_core.types import Seat

# All in points; measured by letting the bots play against each other.
NOISE: Final = 1.0
"""By how much a country is misjudged at random."""
SECOND: Final = 0.6
"""How much a second piece of the same turn counts when the first is chosen."""
JOKER: Final = 0.6
"""What the second card of a pair is worth."""
EXCHANGE_COSTS: Final = 1.5
"""What is lost by placing nothing in a turn."""
PILE: Final = 1.0
OPEN_CARD: Final = (0.5, 2.0, 1.5, 1.5)
"""What a card is worth, from the pile, and openly by how many of its kind are in the hand."""

NOTHING: Final = -100.0
"""Less than anything is worth."""

Noise: TypeAlias = Callable[[], float]
"""Gives random numbers from 0 to 1."""


def go_on(position: Position, noise: Noise) -> None:
    """Play on to the end of the turn."""
    take_turn(position, noise, _place_first, _place_second, _draw)


def take_turn(
    position: Position,
    noise: Noise,
    place_first: Callable[[Position, Seat, Noise], None],
    place_second: Callable[[Position, Seat], None],
    draw: Callable[[Position, Seat], None],
) -> None:
    """Go through what is left of a turn, each of its steps made by one of the functions."""
    turn, seat = position.turn, position.seat
    if position.phase == PLACING:
        if not position.placed:
            place_first(position, seat, noise)
        if position.placed == 1 and not position.begun_empty:
            place_second(position, seat)
        if position.phase == PLACING and position.turn == turn:
            position.moves.end_placing(position, seat)
    while position.turn == turn and position.phase == DRAWING:
        draw(position, seat)


@cache
def plans(hand: bytes) -> tuple[tuple[int, int, float, bool], ...]:
    """For every country that a hand can pay for: the country, how, what that costs, and whether a second
    piece could be paid for there.
    """
    ways: dict[int, int] = {}
    for payment, countries in payments(hand):
        for country in range(len(COUNTRIES)):
            if countries >> country & 1:
                ways.setdefault(country, payment)
    return tuple(
        (country, payment, JOKER * (payment != SINGLE), can_go_on(hand, country, payment))
        for country, payment in sorted(ways.items())
    )


@cache
def can_go_on(hand: bytes, country: int, payment: int) -> bool:
    """Whether another piece could be paid for in the same country."""
    left = list(hand)
    for kind in cards_of(country, payment):
        left.remove(kind)
    return KIND_OF_COUNTRY[country] in left or any(left.count(kind) > 1 for kind in left)


def _place_first(position: Position, seat: Seat, noise: Noise) -> None:
    """A piece in the country where it gains most, together with what a second one would."""
    tables, counts, room, free = position.tables, position.counts, position.room, position.free
    if not position.cloisters_left[seat]:
        free = 0
    if not position.advisors_left[seat]:
        room = 0
    sets, gains, border = tables.sets, tables.gains[position.interim != b""], position.borders[seat]
    chains, own = tables.chains, position.spaces[seat]
    court_gains, courts_of, courts = tables.court_gains, tables.courts_of, position.courts
    best, chosen, where = -EXCHANGE_COSTS, -1, -1
    for country, payment, cost, goes_on in plans(position.hands[seat]):
        spaces, gain, space = free & sets[country], NOTHING, -1
        if spaces:
            gain = gains[country][counts[country]][seat]
            touching = spaces & border
            if touching:
                line, space = chains.bests.get((own, touching)) or position.best_line(seat, touching)
                gain += line
            else:
                space = (spaces & -spaces).bit_length() - 1
        if room >> country & 1:
            other = court_gains[courts_of[country](courts)][seat]
            if other > gain:
                gain, space = other, -1
        value = gain - cost + NOISE * noise()
        if goes_on and gain > 0 and counts[country]:
            value += SECOND * gain
        if value > best:
            best, chosen, paid, where = value, country, payment, space
    if chosen < 0:
        exchange(position, seat)
    else:
        put(position, seat, chosen, paid, where)


def _place_second(position: Position, seat: Seat) -> None:
    """One more piece in the same country, if it gains."""
    country = position.begun
    for where, payment, cost, _ in plans(position.hands[seat]):
        if where == country:
            gain, space = _piece(position, seat, country)
            if gain > cost:
                put(position, seat, country, payment, space)
            return


def _piece(position: Position, seat: Seat, country: int) -> tuple[float, int]:
    """What the better of cloister and advisor gains in a country, and the cloister's space or -1."""
    gain, space = NOTHING, -1
    if position.free & position.tables.sets[country] and position.cloisters_left[seat]:
        line, space = position.best_space(country, seat)
        gain = line + position.country_gain(country, seat)
    if position.room >> country & 1 and position.advisors_left[seat]:
        other = position.advisor_gain(country, seat)
        if other > gain:
            return other, -1
    return gain, space


def put(position: Position, seat: Seat, country: int, payment: int, space: int) -> None:
    """Place a cloister on a space, or with -1 an advisor."""
    if space < 0:
        position.place_advisor(seat, payment, country)
    else:
        position.place_cloister(seat, payment, space)


def exchange(position: Position, seat: Seat) -> None:
    """The card of which the hand has the fewest goes."""
    hand = position.hands[seat]
    position.moves.act(position, seat, min(exchanges(hand), key=lambda move: hand.count(move - EXCHANGE)))


def draw_value(position: Position, seat: Seat, kind: int) -> float:
    """What an open card is worth: it should make a pair, and lead to countries with free spaces."""
    free, sets = position.free, position.tables.sets
    value = OPEN_CARD[position.hands[seat].count(kind)]
    lands = 0
    for country in CARD_COUNTRIES[kind]:
        if free & sets[country]:
            lands += 1
    return value + 0.1 * lands if lands else value - 1.0


def _draw(position: Position, seat: Seat) -> None:
    """The open card that is worth most, or from the pile; one without its like in the hand is worth less."""
    best, chosen = PILE if position.pile else NOTHING, NO_CARD
    hand = position.hands[seat]
    for kind in position.face_up:
        if kind in hand or (kind != NO_CARD and not position.pile):
            value = draw_value(position, seat, kind)
            if value > best:
                best, chosen = value, kind
    if chosen == NO_CARD:
        position.moves.draw_from_pile(position, seat)
    else:
        position.moves.draw_face_up(position, seat, chosen)
