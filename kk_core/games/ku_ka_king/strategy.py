"""How Ku-Ka-King is played well: what collections promise, what is likely to be called, how play goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from math import exp, sqrt
from operator import mul
from random import Random
from typing import Final

from kk_core.chance import Chance
from kk_core.game import Game
from kk_core.games.ku_ka_king import scoring
from kk_core.games.ku_ka_king.model import CARDS, CHURCH, FARMER, KNIGHT, Observation, Printed, Scale
from kk_core.games.ku_ka_king.moves import act, with_cards
from kk_core.games.ku_ka_king.observe import determinise
from kk_core.games.ku_ka_king.state import SEATS_OF, Draft, State
from kk_core.types import Move, Seat

# Points; measured by letting the bots play against each other.
TEMPERATURE: Final = 2.0
"""How much better a row must be to be called e times as often."""
RIVALS: Final = 4.0
"""The same of rivals, whose taste is known less well."""
PLAYING_ON: Final = 3.0
"""The same when play goes on."""
CLASH: Final = 0.6
"""What is left of an average row to who has to call again."""
LOOK_AHEAD: Final = 1.0
"""How much points count that one more card of every type would make possible."""
CHURCH_LEAD: Final = 8.0
KNIGHT_LEAD: Final = 2.0
"""What a further church or knight is worth near the lead, when play goes on; a quarter of it elsewhere."""
SPREAD: Final = 6.0
"""How much a round may change margins."""

_FIRST_PASS, _SECOND_PASS, _LAST_ROUND = range(3)
_MOST: Final = 16
"""More cards of a type nobody has."""


class Promises:
    """What collections promise in one of three stages: the points of now, those kept, those yet to come.

    Types that count by themselves are added up, and so is the farm; how much, the rules of scoring tell.
    """

    def __init__(self, deck: Printed, stage: int) -> None:
        self._deck, self._stage = deck, stage
        worths = [[self._promise({card: n}) for n in range(_MOST + 2)] for card in range(FARMER)]
        self._nothing = worths[0][0]
        self._alone = [[worth - self._nothing for worth in row] for row in worths]
        self._more = [[after - worth for worth, after in pairwise(row)] for row in worths]
        self._farms: dict[bytes, tuple[float, list[float]]] = {}

    def of(self, cards: bytes) -> float:
        """What a collection promises."""
        alone = sum([row[n] for row, n in zip(self._alone, cards, strict=False)])
        return alone + self._farm(cards[FARMER:])[0] + self._nothing

    def of_one_more(self, cards: bytes) -> list[float]:
        """How much more it promises with one card more, for every type."""
        return [row[n] for row, n in zip(self._more, cards, strict=False)] + self._farm(cards[FARMER:])[1]

    def _farm(self, farm: bytes) -> tuple[float, list[float]]:
        found = self._farms.get(farm)
        if found is None:
            counts = {FARMER + i: n for i, n in enumerate(farm)}
            now = self._promise(counts)
            more = [self._promise(counts | {card: n + 1}) - now for card, n in counts.items()]
            found = self._farms[farm] = now - self._nothing, more
        return found

    def _promise(self, counts: Mapping[int, int]) -> float:
        cards = bytes(counts.get(card, 0) for card in range(len(CARDS)))
        scale = self._deck.scale
        promise: float = _own_points(cards, scale)
        if self._stage == _FIRST_PASS:
            promise += _own_points(bytes(map(mul, cards, self._deck.kept)), scale)
        if self._stage != _LAST_ROUND:
            promise += LOOK_AHEAD * _own_points(bytes(n + 1 for n in cards), scale)
        return promise


def _own_points(cards: bytes, scale: Scale) -> int:
    """The lines of one scoring that look at one collection only."""
    return (
        scoring.kings(cards, scale)
        + scoring.victory_points(cards, scale)
        + scoring.animals(cards, scale)
        + scoring.farm(cards, scale)
    )


_promises: Final = lru_cache(maxsize=64)(Promises)


class Strategy:
    """How to play on from one observation; a `kk_core.bots.strategy.Strategy`."""

    def __init__(self, game: Game[State, Observation], observation: Observation) -> None:  # noqa: ARG002
        self._observation = observation
        self._deck = observation.printed
        self._seats = len(observation.collections)
        self._everybody = (1 << self._seats) - 1
        self._promises = [_promises(self._deck, stage) for stage in (_FIRST_PASS, _SECOND_PASS, _LAST_ROUND)]
        self._own: dict[tuple[bytes, int], float] = {}
        self._more: dict[tuple[bytes, int], list[float]] = {}
        self._leads: dict[tuple[int, ...], float] = {}

    def world(self, chance: Chance) -> Draft:
        """Whoever has called already has done so in secret: here all who are affected choose anew."""
        draft = Draft(determinise(self._observation, chance))
        draft.waiting = draft.affected
        draft.calls = bytearray(self._seats)
        return draft

    def copy(self, position: Draft) -> Draft:
        return Draft(position)

    def active(self, position: Draft) -> tuple[Seat, ...]:
        return SEATS_OF[position.waiting]

    def legal(self, position: Draft, seat: Seat) -> tuple[Move, ...]:  # noqa: ARG002
        return position.open_rows

    def step(self, position: Draft, seat: Seat, move: Move) -> None:
        act(self._deck, position, seat, move)

    # -- evaluation ------------------------------------------------------------------------------------------

    def expected(self, position: Draft) -> Sequence[float]:
        collections = position.collections
        if position.affected:
            stage = _stage(position)
            points = [
                self._promise(cards, stage) + self._lead(collections, seat)
                for seat, cards in enumerate(collections)
            ]
        else:
            lines = scoring.score(collections, self._deck.scale)
            points = [float(sum(column)) for column in zip(*lines, strict=True)]
        for line in position.first:
            for seat, more in enumerate(line):
                points[seat] += more
        return points

    def spread(self, position: Draft) -> float:
        if not position.affected:
            return 0.5
        rounds = len(position.pile) / (3 * self._seats) + (0 if position.first else 3)
        return 2 + SPREAD * sqrt(rounds)

    def _promise(self, cards: bytes, stage: int) -> float:
        found = self._own.get((cards, stage))
        if found is None:
            found = self._own[cards, stage] = self._promises[stage].of(cards)
        return found

    def _lead(self, collections: Sequence[bytes], seat: Seat) -> float:
        """By how much churches and knights put a seat before the others."""
        churches = [cards[CHURCH] for cards in collections]
        knights = [cards[KNIGHT] for cards in collections]
        key = (seat, *churches, *knights)
        found = self._leads.get(key)
        if found is None:
            scale = self._deck.scale
            lines = (scoring.churches(churches, scale), scoring.knights(knights, scale))
            found = sum(line[seat] - (sum(line) - line[seat]) / (len(line) - 1) for line in lines)
            self._leads[key] = found
        return found

    # -- policy ----------------------------------------------------------------------------------------------

    def priors(self, position: Draft, seat: Seat, moves: Sequence[Move]) -> list[float]:
        own = self._gains(position, seat)
        alone = [1.0] * len(moves)
        for rival in SEATS_OF[position.affected]:
            if rival != seat:
                for i, weight in enumerate(_weights(self._gains(position, rival), RIVALS)):
                    alone[i] *= 1 - weight
        second = CLASH * sum(own) / len(own)
        expected = [a * gain + (1 - a) * second for a, gain in zip(alone, own, strict=True)]
        return _weights(expected, TEMPERATURE)

    def _gains(self, position: Draft, seat: Seat) -> list[float]:
        """What each open row is worth to a seat, over the others."""
        stage, rows, mine = _stage(position), position.rows, position.collections[seat]
        before = self._promise(mine, stage) + self._lead(position.collections, seat)
        owned = list(position.collections)
        gains = []
        for row in position.open_rows:
            owned[seat] = with_cards(mine, rows[row - 1])
            gains.append(self._promise(owned[seat], stage) + self._lead(owned, seat) - before)
        return gains

    # -- playing on ------------------------------------------------------------------------------------------

    def playout(self, position: Draft, random: Random) -> None:
        while position.affected:
            stage, rows = _stage(position), position.open_rows
            for seat in SEATS_OF[position.waiting]:
                gains = self._quick_gains(position, seat, stage)
                best = max(gains)
                weights = [exp((gain - best) / PLAYING_ON) for gain in gains]
                self.step(position, seat, random.choices(rows, weights)[0])

    def _quick_gains(self, position: Draft, seat: Seat, stage: int) -> list[float]:
        """Much like `_gains`: what the cards of a row would bring, each by itself."""
        mine = position.collections[seat]
        more = self._more.get((mine, stage))
        if more is None:
            more = self._more[mine, stage] = self._promises[stage].of_one_more(mine)
        for card, worth in ((CHURCH, CHURCH_LEAD), (KNIGHT, KNIGHT_LEAD)):
            most = max([cards[card] for other, cards in enumerate(position.collections) if other != seat])
            more[card] = worth if most - 1 <= mine[card] <= most else worth / 4
        rows = position.rows
        return [sum([more[card] for card in rows[row - 1]]) for row in position.open_rows]


def _stage(position: Draft) -> int:
    if position.last_round:
        return _LAST_ROUND
    return _SECOND_PASS if position.first else _FIRST_PASS


def _weights(values: Sequence[float], temperature: float) -> list[float]:
    """How likely each of several values is chosen by who likes more better."""
    best = max(values)
    weights = [exp((value - best) / temperature) for value in values]
    total = sum(weights)
    return [weight / total for weight in weights]
