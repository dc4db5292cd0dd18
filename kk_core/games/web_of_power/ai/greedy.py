"""The greedy player of the board game: it does what gains most over the others in this turn.

It sees an observation and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kk_core.chance import Chance
from kk_core.games.web_of_power.chains import best_chains
from kk_core.games.web_of_power.model import (
    CARD_COUNTRIES,
    CLOISTER_OF,
    FREE,
    KIND_OF_COUNTRY,
    SHORTEST,
    SINGLE,
    AnyMove,
    DrawFaceUp,
    DrawFromPile,
    EndPlacing,
    Exchange,
    Observation,
    PlaceAdvisor,
    PlaceCloister,
    cards_of,
    read,
)
from kk_core.games.web_of_power.scoring import alliance_points, cloister_points
from kk_core.types import Move

# In points, for prospects that do not score yet.

# the worth of a road to another cloister of the seat, as the beginning of a chain
_LINK: Final = 0.7
# the worth of an advisor who shares the lead, for each alliance that may still come
_COURT: Final = 0.5
# the weight of a turn's second piece in the choice of the first
_SECOND: Final = 0.6
# the worth of the second card of a pair
_JOKER: Final = 0.6
# the gain above which a second piece is placed at all
_WORTHWHILE: Final = 0.0


def choose(observation: Observation, chance: Chance) -> Move:
    """Choose a legal move for the observation's viewer; chance only breaks ties."""
    choices = [read(observation.printed, move) for move in observation.legal_moves]
    eyes = _Eyes(observation, choices)
    values = [eyes.value(choice) for choice in choices]
    most = max(values)
    best = [move for move, worth in zip(observation.legal_moves, values, strict=True) if worth == most]
    return best[chance.below(len(best))]


class _Eyes:
    """An observation, with what every move would gain for its viewer."""

    def __init__(self, observation: Observation, choices: Sequence[AnyMove]) -> None:
        assert observation.viewer is not None
        self._seen = observation
        self._land = observation.printed
        self._me = observation.viewer
        self._seats = len(observation.hand_sizes)
        # until the interim scoring is held, cloisters count in it and at the end
        self._halves = 1 if observation.interim_scored else 2
        mine = CLOISTER_OF + self._me
        self._own = [space for space, owner in enumerate(observation.board) if owner == mine]
        self._chains = self._chain_points(self._own)
        self._advisor_gains: dict[int, float] = {}
        self._cloister_gains: dict[int, float] = {}
        self._country_gains: dict[int, float] = {}
        self._best_in: dict[int, float] = {}
        for choice in choices:
            if isinstance(choice, PlaceCloister | PlaceAdvisor):
                country, gain = self._gain(choice)
                self._best_in[country] = max(gain, self._best_in.get(country, gain))

    def value(self, choice: AnyMove) -> float:
        """Rate a move: placements in points over the others, draws by the card's prospects."""
        match choice:
            case PlaceCloister() | PlaceAdvisor() as piece:
                return self._placement_value(piece)
            case Exchange(kind):
                return -1.0 - 0.5 * self._seen.hand.count(kind)
            case DrawFaceUp(kind):
                return self._draw_value(kind)
            case DrawFromPile():
                return 1.0
            case EndPlacing():
                return _WORTHWHILE

    def _draw_value(self, kind: int) -> float:
        # a face-up card that makes a pair is best, then the pile, then any other
        held = self._seen.hand.count(kind)
        open_land = sum(self._has_free_space(country) for country in CARD_COUNTRIES[kind])
        return (0.5, 2.0, 1.5)[min(held, 2)] + 0.1 * open_land - (open_land == 0)

    def _has_free_space(self, country: int) -> bool:
        return any(self._seen.board[space] == FREE for space in self._land.spaces_of[country])

    def _placement_value(self, piece: PlaceCloister | PlaceAdvisor) -> float:
        country, gain = self._gain(piece)
        if piece.payment != SINGLE:
            gain -= _JOKER
        if not self._seen.placed and self._can_go_on(country, piece.payment):
            gain += _SECOND * max(0.0, self._best_in[country])
        return gain

    def _gain(self, piece: PlaceCloister | PlaceAdvisor) -> tuple[int, float]:
        # returns the country, too; cached without the payment, which does not matter here
        if isinstance(piece, PlaceCloister):
            if piece.space not in self._cloister_gains:
                self._cloister_gains[piece.space] = self._cloister_gain(piece.space)
            return self._land.country_of[piece.space], self._cloister_gains[piece.space]
        if piece.country not in self._advisor_gains:
            self._advisor_gains[piece.country] = self._advisor_gain(piece.country)
        return piece.country, self._advisor_gains[piece.country]

    def _can_go_on(self, country: int, payment: int) -> bool:
        if not any(self._cloisters(country)):
            return False
        hand = list(self._seen.hand)
        for paid in cards_of(country, payment):
            hand.remove(paid)
        return KIND_OF_COUNTRY[country] in hand or any(hand.count(other) > 1 for other in hand)

    def _over_others(self, before: Sequence[int], after: Sequence[int]) -> float:
        changes = [new - old for old, new in zip(before, after, strict=True)]
        mine = changes[self._me]
        return mine - (sum(changes) - mine) / (self._seats - 1)

    def _cloisters(self, country: int) -> list[int]:
        board = [self._seen.board[space] for space in self._land.spaces_of[country]]
        return [board.count(CLOISTER_OF + seat) for seat in range(self._seats)]

    def _cloister_gain(self, space: int) -> float:
        country = self._land.country_of[space]
        if country not in self._country_gains:
            counts = self._cloisters(country)
            before = cloister_points(counts)
            counts[self._me] += 1
            self._country_gains[country] = self._halves * self._over_others(before, cloister_points(counts))
        near = self._land.neighbours[space]
        links = sum(neighbour in self._own for neighbour in near)
        chains = self._chain_points([*self._own, space]) - self._chains if links else 0
        return self._country_gains[country] + chains + _LINK * min(links, 2)

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
