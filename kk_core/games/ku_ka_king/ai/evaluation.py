"""Estimates of a collection's final score: a mean over the cards likely to come."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import Final, NamedTuple

from kk_core.games.ku_ka_king import scoring
from kk_core.games.ku_ka_king.model import (
    ANIMALS,
    CARDS,
    CHURCH,
    FARMER,
    FIRST_SCORING_AT,
    KING,
    KNIGHT,
    ROW_CARDS,
    CardValues,
    Printed,
    with_cards,
)
from kk_core.types import Seat

# how many times as many cards of a type come to somebody who looks for it as by chance
_TAKEN: Final = 1.3

# the number of cards of a type that the mean covers: more hardly ever come
_MOST_TO_COME: Final = 7

_ALL: Final = bytes((1,)) * len(CARDS)


class UpcomingScoring(NamedTuple):
    """A future scoring: which types of the current cards count in it (1 or 0), and how many more of each type
    a seat gets until then on average.
    """

    counted: bytes
    more: tuple[float, ...]


class Progress(NamedTuple):
    """The progress of a match: cards in the pile, the largest collection, and which scorings are left."""

    pile: int
    most: int
    is_second_pass: bool
    is_last_round: bool


def scorings_ahead(
    deck: Printed, collections: Sequence[bytes], progress: Progress
) -> tuple[UpcomingScoring, ...]:
    """Return the scorings that are left."""
    held = map(sum, zip(*collections, strict=True))
    left = [count - n for count, n in zip(deck.counts, held, strict=True)]
    share = _TAKEN * ROW_CARDS / max(1, sum(left))
    rounds = progress.pile / (ROW_CARDS * len(collections)) + (not progress.is_last_round)

    def more(rounds: float) -> tuple[float, ...]:
        return tuple([share * rounds * n for n in left])

    if progress.is_second_pass:
        return (UpcomingScoring(_ALL, more(rounds)),)
    soon = max(0.0, (FIRST_SCORING_AT - progress.most) / ROW_CARDS - 1)
    return UpcomingScoring(_ALL, more(min(soon, rounds))), UpcomingScoring(deck.kept, more(rounds))


class Promises:
    """Estimates of a collection's points in the scorings that are left; caches everything."""

    def __init__(self, scale: CardValues, scorings: tuple[UpcomingScoring, ...]) -> None:
        self._scale, self._scorings = scale, scorings
        self._alone: list[dict[int, float]] = [{} for _ in range(FARMER)]
        self._farms: dict[bytes, float] = {}
        self._gains: dict[tuple[bytes, bytes], float] = {}

    def of(self, cards: bytes) -> float:
        """Return the expected points of a collection."""
        promise = self._farm(cards[FARMER:])
        for card, known in enumerate(self._alone):
            n = cards[card]
            if n:
                found = known.get(n)
                promise += self._type(card, n) if found is None else found
        return promise

    def gain(self, own: bytes, cards: bytes) -> float:
        """Return the expected gain in points of adding some cards to a collection."""
        key = own, cards
        found = self._gains.get(key)
        if found is None:
            found = self._gains[key] = self.of(with_cards(own, cards)) - self.of(own)
        return found

    def _type(self, card: int, n: int) -> float:
        scale = self._scale
        points = 0.0
        for counted, more in self._scorings:
            if card == KING or card < ANIMALS:
                steps = scale.kings if card == KING else scale.animals
                points += _mean(steps, n * counted[card], more[card]) - _mean(steps, 0, more[card])
            else:
                cards = bytes(card) + bytes((n * counted[card],)) + bytes(len(CARDS) - card - 1)
                points += scoring.victory_points(cards, scale)
        self._alone[card][n] = points
        return points

    def _farm(self, farm: bytes) -> float:
        # the current points, and what one more card of each type is likely to add
        found = self._farms.get(farm)
        if found is None:
            found = 0.0
            for counted, more in self._scorings:
                cards = list(bytes(FARMER) + farm) if counted[FARMER] else [0] * len(CARDS)
                now = scoring.farm(cards, self._scale)
                found += now
                for card in range(FARMER, len(CARDS)):
                    cards[card] += 1
                    found += (1 - exp(-more[card])) * (scoring.farm(cards, self._scale) - now)
                    cards[card] -= 1
            self._farms[farm] = found
        return found


def _mean(points: Sequence[int], n: int, more: float) -> float:
    # cards come at random, `more` on average, so their number has a Poisson distribution
    likely, found, last = exp(-more), 0.0, len(points) - 1
    for k in range(_MOST_TO_COME):
        found += likely * points[min(n + k, last)]
        likely *= more / (k + 1)
    return found


def standing(scale: CardValues, collections: Sequence[Sequence[int]], *, is_second_pass: bool) -> list[int]:
    """Return the current points for churches and knights, summed over the scorings that are left."""
    churches = scoring.churches([cards[CHURCH] for cards in collections], scale)
    knights = scoring.knights([cards[KNIGHT] for cards in collections], scale)
    times = 1 if is_second_pass else 2
    return [church + times * knight for church, knight in zip(churches, knights, strict=True)]


def lead(
    scale: CardValues, collections: Sequence[Sequence[int]], seat: Seat, *, is_second_pass: bool
) -> float:
    """Return a seat's lead in these points over the mean of the others."""
    points = standing(scale, collections, is_second_pass=is_second_pass)
    return points[seat] - (sum(points) - points[seat]) / (len(points) - 1)
