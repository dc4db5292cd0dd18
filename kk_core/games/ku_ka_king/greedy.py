"""A player of Ku-Ka-King who wants the row worth most, yet rather one that nobody else may want.

It sees an observation and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import Final

from kk_core.chance import Chance
from kk_core.games.ku_ka_king import scoring
from kk_core.games.ku_ka_king.model import Observation
from kk_core.types import Move, Seat

_TEMPERATURE: Final = 5.0
"""Points by which a row must be better to be called e times as often by others."""

_OWN_TEMPERATURE: Final = 0.7
"""The same for the own call: a little chance, so that equal players don't clash for ever."""

_LOOK_AHEAD: Final = 1.0
"""Weight of what a row is worth to somebody who goes on collecting."""

_CLASH_COST: Final = 0.6
"""What is left of an average row to who has to call again."""

_PRECISION: Final = 1 << 20


def choose(observation: Observation, chance: Chance) -> Move:
    """A row to call, for the viewer of an observation who is to call."""
    rows = observation.legal_moves
    seat = observation.viewer
    assert seat is not None, "only seats have moves to choose from"
    own = _values(observation, seat, rows)
    rivals = [
        _weights(_values(observation, rival, rows), _TEMPERATURE)
        for rival in observation.affected
        if rival != seat
    ]
    second_choice = _CLASH_COST * sum(own) / len(own)
    expected = []
    for i, value in enumerate(own):
        alone = 1.0
        for weights in rivals:
            alone *= 1 - weights[i]
        expected.append(alone * value + (1 - alone) * second_choice)
    return rows[_draw(_weights(expected, _OWN_TEMPERATURE), chance)]


def _values(observation: Observation, seat: Seat, rows: Sequence[Move]) -> list[float]:
    """What each row is worth to a seat, in points."""
    collected = [list(collection) for collection in observation.collections]
    kept = [_kept(observation, collection) for collection in collected]
    ahead = [[n + 1 for n in collection] for collection in collected]
    values = []
    for row in rows:
        cards = observation.rows[row - 1]
        value = _gain(observation, collected, seat, cards)
        if not observation.second_pass:
            green = bytes(card for card in cards if observation.kept[card])
            value += _gain(observation, kept, seat, green)
        if not observation.last_round:
            value += _LOOK_AHEAD * _gain(observation, ahead, seat, cards)
        values.append(value)
    return values


def _kept(observation: Observation, collection: Sequence[int]) -> list[int]:
    """What the first scoring will leave of a collection."""
    return [n * mark for n, mark in zip(collection, observation.kept, strict=True)]


def _gain(observation: Observation, collections: list[list[int]], seat: Seat, cards: bytes) -> float:
    """How much more a seat has than the others have on average, with some cards more."""
    before = _lead(observation, collections, seat)
    for card in cards:
        collections[seat][card] += 1
    after = _lead(observation, collections, seat)
    for card in cards:
        collections[seat][card] -= 1
    return after - before


def _lead(observation: Observation, collections: list[list[int]], seat: Seat) -> float:
    points = scoring.totals(scoring.score(collections, observation.scale))
    others = sum(points) - points[seat]
    return points[seat] - others / (len(points) - 1)


def _weights(values: Sequence[float], temperature: float) -> list[float]:
    """How likely each of several values is chosen by who likes more better."""
    best = max(values)
    weights = [exp((value - best) / temperature) for value in values]
    total = sum(weights)
    return [weight / total for weight in weights]


def _draw(weights: Sequence[float], chance: Chance) -> int:
    """An index, each as likely as its weight."""
    point = chance.below(_PRECISION) / _PRECISION
    for i, weight in enumerate(weights):
        point -= weight
        if point < 0:
            return i
    return len(weights) - 1
