"""A player that looks one turn ahead: it takes what gains the most over the others now.

It sees an observation and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from kk_core.chance import Chance
from kk_core.games.web_of_power.chains import SHORTEST, best_chains
from kk_core.games.web_of_power.model import (
    ADVISOR,
    ADVISOR_STRIDE,
    CARD_COUNTRIES,
    CLOISTER,
    CLOISTER_OF,
    CLOISTER_STRIDE,
    DRAW_FACE_UP,
    DRAW_PILE,
    DRAWING,
    END_PLACING,
    EXCHANGE,
    KIND_OF_COUNTRY,
    PAIR,
    SINGLE,
    Observation,
)
from kk_core.games.web_of_power.scoring import alliance_points, cloister_points
from kk_core.types import Move

# What points do not say yet.
_LINK: Final = 0.7
"""A road to one more own cloister, as the beginning of a chain."""
_COURT: Final = 0.5
"""An advisor, for each alliance that it may yet help in."""
_SECOND: Final = 0.6
"""How much a second piece of the same turn counts when the first is chosen."""
_JOKER: Final = 0.6
"""What the second card of a pair is worth."""
_WORTHWHILE: Final = 0.0
"""Gain from which a second piece is placed at all."""


def choose(observation: Observation, chance: Chance) -> Move:
    """A legal move of the viewer, whose turn it is; chance only breaks ties."""
    if observation.phase == DRAWING:
        return _best(observation.legal_moves, lambda move: _draw_value(observation, move), chance)
    return _best(observation.legal_moves, _Eyes(observation).value, chance)


def _best(moves: Sequence[Move], value: Callable[[Move], float], chance: Chance) -> Move:
    values = [value(move) for move in moves]
    most = max(values)
    best = [move for move, worth in zip(moves, values, strict=True) if worth == most]
    return best[chance.below(len(best))]


def _draw_value(observation: Observation, move: Move) -> float:
    """Prefer an open card that makes a pair, then the pile, then what is left."""
    if move == DRAW_PILE:
        return 1.0
    kind = move - DRAW_FACE_UP
    held = observation.hand.count(kind)
    open_land = sum(_free_spaces(observation, country) > 0 for country in CARD_COUNTRIES[kind])
    return (0.5, 2.0, 1.5)[min(held, 2)] + 0.1 * open_land - (open_land == 0)


def _free_spaces(observation: Observation, country: int) -> int:
    return sum(observation.board[space] < CLOISTER_OF for space in observation.printed.spaces_of[country])


class _Eyes:
    """One observation, and what every placement would gain for its viewer."""

    def __init__(self, observation: Observation) -> None:
        assert observation.viewer is not None
        self._seen = observation
        self._land = observation.printed
        self._me = observation.viewer
        self._seats = len(observation.hand_sizes)
        self._halves = 1 if observation.interim_scored else 2
        mine = CLOISTER_OF + self._me
        self._own = [space for space, owner in enumerate(observation.board) if owner == mine]
        self._chains = self._chain_points(self._own)
        self._advisor_gains: dict[int, float] = {}
        self._cloister_gains: dict[int, float] = {}
        self._land_gains: dict[int, float] = {}
        self._best_in: dict[int, float] = {}
        for move in observation.legal_moves:
            if move >= ADVISOR:
                country, _, gain = self._placement(move)
                self._best_in[country] = max(gain, self._best_in.get(country, gain))

    def value(self, move: Move) -> float:
        """What a move is worth, in points over the others."""
        if move == END_PLACING:
            return _WORTHWHILE
        if move < ADVISOR:
            kind = move - EXCHANGE
            return -1.0 - 0.5 * self._seen.hand.count(kind)
        country, payment, gain = self._placement(move)
        if payment != SINGLE:
            gain -= _JOKER
        if not self._seen.placed and self._can_go_on(country, payment):
            gain += _SECOND * max(0.0, self._best_in[country])
        return gain

    def _placement(self, move: Move) -> tuple[int, int, float]:
        """Country, payment and gain of a placement."""
        if move >= CLOISTER:
            payment, space = divmod(move - CLOISTER, CLOISTER_STRIDE)
            if space not in self._cloister_gains:
                self._cloister_gains[space] = self._cloister_gain(space)
            return self._land.country_of[space], payment, self._cloister_gains[space]
        payment, country = divmod(move - ADVISOR, ADVISOR_STRIDE)
        if country not in self._advisor_gains:
            self._advisor_gains[country] = self._advisor_gain(country)
        return country, payment, self._advisor_gains[country]

    def _can_go_on(self, country: int, payment: int) -> bool:
        """Whether another piece could follow in the same country."""
        if not any(self._cloisters(country)):
            return False
        kind = KIND_OF_COUNTRY[country]
        hand = list(self._seen.hand)
        for paid in (kind,) if payment == SINGLE else (payment - PAIR,) * 2:
            hand.remove(paid)
        return kind in hand or any(hand.count(other) > 1 for other in hand)

    def _over_others(self, before: Sequence[int], after: Sequence[int]) -> float:
        """The viewer's change of points less the others' average one."""
        changes = [new - old for old, new in zip(before, after, strict=True)]
        mine = changes[self._me]
        return mine - (sum(changes) - mine) / (self._seats - 1)

    def _cloisters(self, country: int) -> list[int]:
        board = [self._seen.board[space] for space in self._land.spaces_of[country]]
        return [board.count(CLOISTER_OF + seat) for seat in range(self._seats)]

    def _cloister_gain(self, space: int) -> float:
        country = self._land.country_of[space]
        if country not in self._land_gains:
            counts = self._cloisters(country)
            before = cloister_points(counts)
            counts[self._me] += 1
            self._land_gains[country] = self._halves * self._over_others(before, cloister_points(counts))
        near = self._land.neighbours[space]
        links = sum(neighbour in self._own for neighbour in near)
        chains = self._chain_points([*self._own, space]) - self._chains if links else 0
        return self._land_gains[country] + chains + _LINK * min(links, 2)

    def _chain_points(self, own: list[int]) -> int:
        if len(own) < SHORTEST:
            return 0
        return sum(map(len, best_chains(self._land.neighbours, bytes(sorted(own)))))

    def _court(self, country: int) -> list[int]:
        start = country * self._seats
        return list(self._seen.advisors[start : start + self._seats])

    def _advisor_gain(self, country: int) -> float:
        before = self._court(country)
        after = before.copy()
        after[self._me] += 1
        gain = 0.0
        for pair in self._land.alliances:
            if country in pair:
                other = self._court(pair[0] if pair[1] == country else pair[1])
                gain += self._over_others(alliance_points(before, other), alliance_points(after, other))
                if after[self._me] == max(after):
                    gain += _COURT
        return gain
