"""A player of Ku-Ka-King who wants the row worth most, yet rather one that nobody else may want.

It sees an observation and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from operator import add, mul
from typing import Final

from kk_core.chance import Chance
from kk_core.games.ku_ka_king import scoring
from kk_core.games.ku_ka_king.model import CHURCH, KNIGHT, Observation, Scale
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
    collected = observation.collections
    cards = [observation.rows[row - 1] for row in rows]
    values = _gains(observation, collected, seat, cards)
    if not observation.second_pass:
        kept = [bytes(map(mul, collection, observation.printed.kept)) for collection in collected]
        green = [bytes(card for card in row if observation.printed.kept[card]) for row in cards]
        values = list(map(add, values, _gains(observation, kept, seat, green)))
    if not observation.last_round:
        more = [bytes(n + 1 for n in collection) for collection in collected]
        ahead = _gains(observation, more, seat, cards)
        values = [value + _LOOK_AHEAD * later for value, later in zip(values, ahead, strict=True)]
    return values


def _gains(
    observation: Observation, collections: Sequence[bytes], seat: Seat, rows: Sequence[bytes]
) -> list[float]:
    """How much further a seat would lead the average of the others with each of several rows."""
    before = _lead(observation.printed.scale, collections, seat)
    owned = list[Sequence[int]](collections)
    gains = []
    for cards in rows:
        own = bytearray(collections[seat])
        for card in cards:
            own[card] += 1
        owned[seat] = own
        gains.append(_lead(observation.printed.scale, owned, seat) - before)
    return gains


def _lead(scale: Scale, collections: Sequence[Sequence[int]], seat: Seat) -> float:
    """Points before the average of the others, but for what no row of this seat could change."""
    own = collections[seat]
    points: float = (
        scoring.kings(own, scale)
        + scoring.victory_points(own, scale)
        + scoring.animals(own, scale)
        + scoring.farm(own, scale)
    )
    churches = scoring.churches([cards[CHURCH] for cards in collections], scale)
    knights = scoring.knights([cards[KNIGHT] for cards in collections], scale)
    for line in (churches, knights):
        points += line[seat] - (sum(line) - line[seat]) / (len(line) - 1)
    return points


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
