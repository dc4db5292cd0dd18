"""The first greedy player of Ku-Ka-King: a yardstick that stays the same while "greedy" improves.

It wants the row with the highest value as things are, and gives less weight to rivals' wishes than the
current one does. Seated from outside, by the entry point in this folder:

    PYTHONPATH=tools/bench/outside:. kk arena ku_ka_king --bots hard,earlier_greedy,earlier_greedy
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, prod
from typing import Final, cast

from kk_core.chance import Chance
from kk_core.game import AnyGame
from kk_core.games.ku_ka_king import scoring
from kk_core.games.ku_ka_king.model import Observation, with_cards
from kk_core.search.bots import BotKind
from kk_core.search.search import Budget
from kk_core.types import CommonObservation, Move, Seat, totals

_TEMPERATURE: Final = 5.0
"""Points by which a row must be better to be called e times as often by others."""

_OWN_TEMPERATURE: Final = 0.7
"""Temperature of its own call: a little randomness, so that equal players do not clash forever."""

_CLASH_COST: Final = 0.6
"""The share of an average row that a player who has to call again still gets."""

_PRECISION: Final = 1 << 20


class EarlierGreedy:
    """A bot that sees nothing but an observation of Ku-Ka-King."""

    def __init__(self, game: AnyGame) -> None:
        self._game = game

    def choose(self, seen: CommonObservation, chance: Chance, budget: Budget) -> Move:
        """Choose a row to call."""
        observation, seat = cast(Observation, seen), seen.viewer
        assert seat is not None, "only seats have moves to choose from"
        rows = observation.legal_moves
        own = _values(observation, seat, rows)
        rivals = [
            _weights(_values(observation, rival, rows), _TEMPERATURE)
            for rival in observation.affected
            if rival != seat
        ]
        second_choice = _CLASH_COST * sum(own) / len(own)
        expected = []
        for i, value in enumerate(own):
            alone = prod(1 - weights[i] for weights in rivals)
            expected.append(alone * value + (1 - alone) * second_choice)
        point = chance.below(_PRECISION) / _PRECISION
        for row, weight in zip(rows, _weights(expected, _OWN_TEMPERATURE), strict=True):
            point -= weight
            if point < 0:
                return row
        return rows[-1]


KIND: Final = BotKind(EarlierGreedy)


def _values(observation: Observation, seat: Seat, rows: Sequence[Move]) -> list[float]:
    """Return the values of the rows for a seat: now, after the first scoring, and for further collecting."""
    collected = observation.collections
    kept = observation.printed.kept
    values = []
    for row in rows:
        cards = observation.rows[row - 1]
        value = _gain(observation, collected, seat, cards)
        if not observation.second_pass:
            left = [bytes(n * mark for n, mark in zip(own, kept, strict=True)) for own in collected]
            value += _gain(observation, left, seat, bytes(card for card in cards if kept[card]))
        if not observation.last_round:
            value += _gain(observation, [bytes(n + 1 for n in own) for own in collected], seat, cards)
        values.append(value)
    return values


def _gain(observation: Observation, collections: Sequence[bytes], seat: Seat, cards: bytes) -> float:
    """Return how much more a seat has than the others on average, with some more cards."""
    owned = list(collections)
    before = _lead(observation, owned, seat)
    owned[seat] = with_cards(owned[seat], cards)
    return _lead(observation, owned, seat) - before


def _lead(observation: Observation, collections: Sequence[bytes], seat: Seat) -> float:
    points = totals(scoring.score(collections, observation.printed.scale))
    return points[seat] - (sum(points) - points[seat]) / (len(points) - 1)


def _weights(values: Sequence[float], temperature: float) -> list[float]:
    """Return the probabilities of several values for somebody who prefers higher ones."""
    best = max(values)
    weights = [exp((value - best) / temperature) for value in values]
    return [weight / sum(weights) for weight in weights]
