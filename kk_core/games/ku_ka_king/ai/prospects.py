"""The points that collections will bring until the end of the match: a linear model for every stage of it.

`python -m tools.bench.prospects` fits the weights to whole matches; docs/bots.md tells which matches.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from operator import mul
from typing import Final

import msgspec

from kk_core.config import read_weights
from kk_core.games.ku_ka_king.data import PROSPECTS
from kk_core.games.ku_ka_king.model import (
    ANIMALS,
    CHURCH,
    FARMER,
    KING,
    KNIGHT,
    ROW_CARDS,
    CardValues,
)

# numbers of cards, or leads in them, from which on more make no difference to the model
_MANY_ANIMALS: Final = 5
_MANY_KINGS: Final = 8
_FAR_AHEAD: Final = 2


class StageWeights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The weights of all features at a stage of the match, and the standard error in points of a seat."""

    error: float
    weights: tuple[float, ...]


class Stages(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The stages of both passes: by the full rows in the largest collection, and by the full rounds left."""

    first: tuple[StageWeights, ...]
    second: tuple[StageWeights, ...]


@cache
def stages(seats: int) -> Stages:
    """Return the learned stages for a number of seats."""
    return read_weights(PROSPECTS, dict[int, Stages])[seats]


def stage_number(collections: Sequence[bytes], pile: int, *, is_second_pass: bool) -> int:
    """Return the number of the stage in its pass."""
    rows = pile / len(collections) if is_second_pass else max(map(sum, collections))
    return int(-(-rows // ROW_CARDS))


# -- features ------------------------------------------------------------------------------------------------


def features(collections: Sequence[bytes], counts: Sequence[int], scale: CardValues) -> list[list[float]]:
    """Return the features of every seat's collection; `counts` are the cards of each type in the deck."""
    left = [count - sum(held) for count, held in zip(counts, zip(*collections, strict=True), strict=True)]
    found = []
    for cards, most_churches, most_knights in _compared(collections):
        animals = zip(*map(_animal, cards[:ANIMALS], left), strict=True)
        found.append(
            [
                1.0,
                float(sum(cards)),
                *map(sum, animals),
                *_kings(cards[KING], left[KING]),
                *_others(cards[KNIGHT:], most_churches, most_knights, scale),
            ]
        )
    return found


def _compared(collections: Sequence[bytes]) -> list[tuple[bytes, int, int]]:
    # each collection with the most churches and the most knights of any other seat
    churches, knights = [cards[CHURCH] for cards in collections], [cards[KNIGHT] for cards in collections]
    return [
        (cards, max(churches[:seat] + churches[seat + 1 :]), max(knights[:seat] + knights[seat + 1 :]))
        for seat, cards in enumerate(collections)
    ]


def _animal(n: int, left: int) -> list[float]:
    n = min(n, _MANY_ANIMALS)
    found = [0.0] * (2 * _MANY_ANIMALS)
    if n:
        found[n - 1], found[_MANY_ANIMALS + n - 1] = 1.0, left
    return [*found, float(not n and left >= ROW_CARDS)]


def _kings(n: int, left: int) -> list[float]:
    found = [float(min(n, _MANY_KINGS) == k + 1) for k in range(_MANY_KINGS)]
    return [*found, n * left, left if n >= ROW_CARDS else 0.0]


def _others(cards: bytes, most_churches: int, most_knights: int, scale: CardValues) -> list[float]:
    # the types from knights on
    knights, churches, *points = cards[: FARMER - KNIGHT]
    ahead = knights - most_knights
    return [
        *[(churches or most_churches) and lead for lead in _lead(churches - most_churches)],
        churches,
        *_lead(ahead),
        knights,
        knights * (ahead > 0),
        knights * (ahead == 0),
        sum(map(mul, points, scale.points)),
        *_farm(*cards[FARMER - KNIGHT :]),
    ]


def _lead(ahead: int) -> list[float]:
    near = max(-_FAR_AHEAD, min(_FAR_AHEAD, ahead))
    return [float(near == step) for step in range(-_FAR_AHEAD, _FAR_AHEAD + 1)]


def _farm(farmers: int, wives: int, houses: int) -> list[float]:
    pairs = min(farmers, wives)
    trios = min(pairs, houses)
    lone, lone_wives, has_house = farmers - pairs, wives - pairs, houses > trios
    return [
        pairs,
        trios,
        pairs - trios,
        lone > 0,
        lone_wives > 0,
        max(0, lone - 1),
        max(0, lone_wives - 1),
        has_house,
        has_house and lone > 0,
        has_house and lone_wives > 0,
    ]


# -- the sum of the features by their weights ----------------------------------------------------------------

_OF_ANIMAL: Final = len(_animal(0, 0))
_OF_KINGS: Final = len(_kings(0, 0))


class Prospects:
    """The points that collections will bring from a stage on, without those of a scoring already held.

    The same as the sum of the `features` by the stage's weights, but looked up.
    """

    def __init__(self, stage: StageWeights, counts: Sequence[int], scale: CardValues) -> None:
        self.error, self._scale = stage.error, scale
        self._level, self._card, *weights = stage.weights
        animal, kings = weights[:_OF_ANIMAL], weights[_OF_ANIMAL : _OF_ANIMAL + _OF_KINGS]
        self._other_weights = weights[_OF_ANIMAL + _OF_KINGS :]
        # by type, the number in a collection, and that in all of them
        self._tables = [
            [[_sum(animal, _animal(n, count - held)) for held in range(count + 1)] for n in range(count + 1)]
            for count in counts[:ANIMALS]
        ]
        count = counts[KING]
        self._tables.append(
            [[_sum(kings, _kings(n, count - held)) for held in range(count + 1)] for n in range(count + 1)]
        )
        self._known: dict[tuple[bytes, int, int], float] = {}

    def of(self, collections: Sequence[bytes]) -> list[float]:
        """Return the points of every seat."""
        held = list(map(sum, zip(*collections, strict=True)))
        found = []
        for cards, churches, knights in _compared(collections):
            key = cards[KNIGHT:], churches, knights
            others = self._known.get(key)
            if others is None:
                others = self._known[key] = _sum(self._other_weights, _others(*key, self._scale))
            by_type = zip(self._tables, cards, held, strict=False)
            found.append(
                self._level
                + self._card * sum(cards)
                + others
                + sum([table[n][all_] for table, n, all_ in by_type])
            )
        return found


def _sum(weights: Sequence[float], values: Sequence[float]) -> float:
    return sum([weight * value for weight, value in zip(weights, values, strict=True)])
