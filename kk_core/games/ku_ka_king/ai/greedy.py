"""The greedy player of Ku-Ka-King: it wants the most valuable row, but prefers one that nobody else may want.

It sees an observation and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kk_core.chance import Chance
from kk_core.games.ku_ka_king.ai.evaluation import Progress, Promises, lead, scorings_ahead
from kk_core.games.ku_ka_king.model import Observation, with_cards
from kk_core.types import Move, Seat
from kk_core.values import softmax

# the points by which a row must be better for others to call it e times as often
_TEMPERATURE: Final = 10.0

# the same for the bot's own call: some randomness, so that equal players do not clash forever
_OWN_TEMPERATURE: Final = 0.7

# the value of having to call again, as a share of an average row
_CLASH_COST: Final = 0.9

_PRECISION: Final = 1 << 20


def choose(observation: Observation, chance: Chance) -> Move:
    """Choose a row to call for the observation's viewer."""
    rows = observation.legal_moves
    seat = observation.viewer
    assert seat is not None, "only seats have moves to choose from"
    promises = _promises(observation)
    own = _values(observation, promises, seat, rows)
    rivals = [
        softmax(_values(observation, promises, rival, rows), _TEMPERATURE)
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
    return rows[_draw(softmax(expected, _OWN_TEMPERATURE), chance)]


def _promises(observation: Observation) -> Promises:
    collections = observation.collections
    progress = Progress(
        observation.pile, max(map(sum, collections)), observation.second_pass, observation.last_round
    )
    deck = observation.printed
    return Promises(deck.scale, scorings_ahead(deck, collections, progress))


def _values(observation: Observation, promises: Promises, seat: Seat, rows: Sequence[Move]) -> list[float]:
    held: list[bytes] = list(observation.collections)
    worths = []
    for cards in (b"", *(observation.rows[row - 1] for row in rows)):
        held[seat] = with_cards(observation.collections[seat], cards)
        ahead = lead(observation.printed.scale, held, seat, is_second_pass=observation.second_pass)
        worths.append(promises.of(held[seat]) + ahead)
    return [worth - worths[0] for worth in worths[1:]]


def _draw(weights: Sequence[float], chance: Chance) -> int:
    point = chance.below(_PRECISION) / _PRECISION
    for i, weight in enumerate(weights):
        point -= weight
        if point < 0:
            return i
    return len(weights) - 1  # reached only through rounding
