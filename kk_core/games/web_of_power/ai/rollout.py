"""A good player's turns in long simulations, by weights learned from whole matches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

import msgspec

from kk_core.config import read_weights
from kk_core.games.web_of_power.ai.evaluation import Spaces, spaces_in
from kk_core.games.web_of_power.ai.policy import (
    NOTHING,
    Noise,
    Position,
    Tables,
    can_go_on,
    exchange,
    pieces_of,
    plans,
    put,
    take_turn,
)
from kk_core.games.web_of_power.data import WEIGHTS
from kk_core.games.web_of_power.model import (
    ADVISOR,
    CARD_COUNTRIES,
    DRAW_FACE_UP,
    DRAW_PILE,
    DRAWING,
    EXCHANGE,
    NO_CARD,
    SINGLE,
)
from kk_core.types import Move, Seat


class Weights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The weights of a player, in points; pairs of numbers are for before and after the interim scoring."""

    country: tuple[float, float]
    """For each point over the others that a cloister now scores in its country."""
    chains: float
    """For each point that it scores in chains."""
    links: float
    """For each road to another cloister of the seat, up to two."""
    groups: tuple[float, float, float]
    """For two, three, or more cloisters of the seat that are then connected."""
    room: float
    """For each free space that a road leads to."""
    beyond: float
    """For each free space at two roads' distance."""
    courts: tuple[float, float]
    """For each point over the others that an advisor gains."""
    pair: float
    """The cost of paying with a pair."""
    second: float
    """For each point of the first piece, if a second one can be paid for in its country."""
    exchange: float
    """The cost of placing nothing."""
    pile: float
    """For a card from the pile."""
    cards: tuple[float, float, float]
    """For a face-up card, by how many of its kind are in the hand."""
    lands: float
    """For each country with free spaces that a face-up card names."""


class Keen:
    """A good player with given weights, on a map with a number of seats."""

    def __init__(self, tables: Tables, weights: Weights) -> None:
        self._tables, self._weights = tables, weights
        chains = tables.chains
        self._beyond = [chains.around(near) & ~near & ~(1 << space) for space, near in enumerate(chains.near)]

    def play_turn(self, position: Position, noise: Noise) -> None:
        """Play on to the end of the turn; deterministic, whatever `noise` gives."""
        take_turn(position, noise, self._place_first, self._place_second, self._draw)

    def values(self, position: Position, moves: Sequence[Move]) -> list[float]:
        """Rate every legal move in points."""
        seat, weights = position.seat, self._weights
        if position.phase == DRAWING:
            return [
                weights.pile if move == DRAW_PILE else self._card(position, seat, move - DRAW_FACE_UP)
                for move in moves
            ]
        pieces, hand, counts = pieces_of(self._tables.land.country_of), position.hands[seat], position.counts
        half, is_first = position.interim != b"", not position.placed
        places = dict(self._places(position, seat, position.free))
        found = []
        for move in moves:
            if move < ADVISOR:
                found.append(-weights.exchange if move >= EXCHANGE else 0.0)
                continue
            space, country, payment = pieces[move]
            if space < 0:
                value = weights.courts[half] * position.advisor_gain(country, seat)
            else:
                value = weights.country[half] * position.country_gain(country, seat)
                value += places[space]
            if payment != SINGLE:
                value -= weights.pair
            if is_first and counts[country] and can_go_on(hand, country, payment):
                value += weights.second * max(0.0, self._piece(position, seat, country)[0])
            found.append(value)
        return found

    def _place_first(self, position: Position, seat: Seat, noise: Noise) -> None:  # noqa: ARG002
        weights, counts, hand = self._weights, position.counts, position.hands[seat]
        best, chosen = -weights.exchange, -1
        for country, payment, _, goes_on in plans(hand):
            gain, space = self._piece(position, seat, country)
            value = gain if payment == SINGLE else gain - weights.pair
            if goes_on and gain > 0 and counts[country]:
                value += weights.second * gain
            if value > best:
                best, chosen, paid, where = value, country, payment, space
        if chosen < 0:
            exchange(position, seat)
        else:
            put(position, seat, chosen, paid, where)

    def _place_second(self, position: Position, seat: Seat) -> None:
        country = position.begun
        for where, payment, _, _ in plans(position.hands[seat]):
            if where == country:
                gain, space = self._piece(position, seat, country)
                if gain > (0.0 if payment == SINGLE else self._weights.pair):
                    put(position, seat, country, payment, space)
                return

    def _piece(self, position: Position, seat: Seat, country: int) -> tuple[float, int]:
        # returns the greater gain, of a cloister or an advisor, with the cloister's space or -1
        half, weights = position.interim != b"", self._weights
        gain, space = NOTHING, -1
        if position.free & self._tables.sets[country] and position.cloisters_left[seat]:
            gain, space = self._best(position, seat, country)
            gain += weights.country[half] * position.country_gain(country, seat)
        if position.room >> country & 1 and position.advisors_left[seat]:
            other = weights.courts[half] * position.advisor_gain(country, seat)
            if other > gain:
                return other, -1
        return gain, space

    def _best(self, position: Position, seat: Seat, country: int) -> tuple[float, int]:
        best, chosen = NOTHING, -1
        for space, worth in self._places(position, seat, position.free & self._tables.sets[country]):
            if worth > best:
                best, chosen = worth, space
        return best, chosen

    def _places(self, position: Position, seat: Seat, spaces: Spaces) -> Iterator[tuple[int, float]]:
        weights, chains, beyond = self._weights, self._tables.chains, self._beyond
        free, own, parts, near_of = position.free, position.spaces[seat], position.parts[seat], chains.near
        for space in spaces_in(spaces):
            near = near_of[space]
            worth = (
                weights.room * (near & free).bit_count() + weights.beyond * (beyond[space] & free).bit_count()
            )
            if near & own:
                joined, before = chains.joined(parts, space)
                worth += weights.links * min(2, (near & own).bit_count())
                worth += weights.groups[min(joined.bit_count(), 4) - 2]
                worth += weights.chains * (chains.points[joined] - before)
            yield space, worth

    def _card(self, position: Position, seat: Seat, kind: int) -> float:
        weights, free, sets = self._weights, position.free, self._tables.sets
        lands = sum([free & sets[country] != 0 for country in CARD_COUNTRIES[kind]])
        value = weights.cards[min(2, position.hands[seat].count(kind))]
        return value + weights.lands * lands if lands else value - 1.0

    def _draw(self, position: Position, seat: Seat) -> None:
        best, chosen = self._weights.pile if position.pile else NOTHING, NO_CARD
        for kind in position.face_up:
            if kind != NO_CARD:
                value = self._card(position, seat, kind)
                if value > best:
                    best, chosen = value, kind
        if chosen == NO_CARD:
            position.moves.draw_from_pile(position, seat)
        else:
            position.moves.draw_face_up(position, seat, chosen)


@cache
def _weights() -> Weights:
    return read_weights(WEIGHTS, Weights)


@lru_cache(maxsize=16)
def keen_of(tables: Tables) -> Keen:
    """Return a good player with the shipped weights, for a map with a number of seats."""
    return Keen(tables, _weights())
