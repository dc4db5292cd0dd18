"""Hands that others may hold, by what everybody saw since the draw pile was made anew.

Old cards are those that were in the hands at that moment; it was known which ones all hands held together.
A hand is explained by saying which of the cards that its holder has played since were old ones, and which of
those in hand are. Cards can lie as they do when all hands together can be explained with just the old cards.

All that is possible is drawn equally often: ways to lie are proposed until one is possible, either by
shuffling, or by choosing an explanation first and shuffling what it leaves open. In the second way, what
has n explanations is proposed n times as often, so that only one in n is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import combinations
from math import comb, factorial
from typing import Final, NamedTuple, TypeAlias, TypeVar

from kk_core.chance import Chance
from kk_core.games.web_of_power.model import CARDS, DREW

K = TypeVar("K")

Cards: TypeAlias = int
"""Several cards as a sum of _ONE: a byte for the number of each kind, so that sets add up quickly."""

Ways: TypeAlias = dict[Cards, int]
"""By cards, in how many ways they can be something."""

_ONE: Final[tuple[Cards, ...]] = tuple(1 << 8 * kind for kind in range(len(CARDS)))
_SIGNS: Final = 0x80 * sum(_ONE)


class Holder(NamedTuple):
    """A seat with old cards: its hidden cards, how many were old at first, what has happened since.

    `since` is coded as in `OldCards`.
    """

    hidden: int
    old: int
    since: bytes


class PossibleHands:
    """All that the hidden cards of some holders can be, given all unseen cards and all of their old ones."""

    def __init__(self, unseen: bytes, old: bytes, holders: tuple[Holder, ...]) -> None:
        self._unseen = unseen
        self._old = _sum_of(old)
        self._holders = holders
        self._played = tuple(played_old(holder.since, holder.old, self._old) for holder in holders)
        self._ways_played = self._in_all(self._places_of(seat) for seat in range(len(holders)))
        self._weights = {
            cards: n * self._ways_to_lie(self._old - cards) for cards, n in self._ways_played[0].items()
        }
        proposals = sum(self._weights.values())
        if not proposals:
            raise ValueError("no cards fit what was seen")
        self._explained_first = proposals < factorial(len(unseen))
        self._explanations: tuple[dict[bytes, Ways], ...] = tuple({} for _ in holders)

    def draw(self, chance: Chance) -> tuple[list[bytes], list[bytes], list[int]]:
        """The hidden cards of every holder, the old cards that they had, and the cards that are left."""
        while True:
            hands, left = self._explained(chance) if self._explained_first else self._shuffled(chance)
            ways = self._in_all(self._explain(seat, hand) for seat, hand in enumerate(hands))
            explanations = ways[0].get(self._old, 0)
            if explanations and not (self._explained_first and _below(chance, explanations)):
                return hands, self._old_of(chance, hands, ways), left

    def _in_all(self, ways: Iterable[Ways]) -> list[Ways]:
        """For every holder, the ways that add up over it and all after it; at last, the one way of nobody."""
        found: list[Ways] = [{0: 1}]
        limit = self._old | _SIGNS
        for own in reversed(list(ways)):
            sums: Ways = {}
            for cards, n in own.items():
                for others, m in found[-1].items():
                    if (limit - cards - others) & _SIGNS == _SIGNS:  # no more of a kind than there are
                        sums[cards + others] = sums.get(cards + others, 0) + n * m
            found.append(sums)
        return found[::-1]

    # -- proposing

    def _shuffled(self, chance: Chance) -> tuple[list[bytes], list[int]]:
        left = list(self._unseen)
        return [bytes(sorted(_take(chance, left, holder.hidden))) for holder in self._holders], left

    def _explained(self, chance: Chance) -> tuple[list[bytes], list[int]]:
        played = _pick(chance, self._weights)
        old, left = _list_of(self._old - played), list(self._unseen)
        for kind in old:
            left.remove(kind)
        hands = []
        for seat, holder in enumerate(self._holders):
            own = _pick(chance, _shares(self._places_of(seat), self._ways_played[seat + 1], played))
            played -= own
            kept = _take(chance, old, holder.old - len(_list_of(own)))
            hands.append(bytes(sorted(kept + _take(chance, left, holder.hidden - len(kept)))))
        return hands, left

    def _places_of(self, seat: int) -> Ways:
        """By the old cards that a holder has played, how many choices of places its other ones have."""
        hidden, old, _ = self._holders[seat]
        return {cards: comb(hidden, old - n) for cards, n in self._played[seat] if old - n <= hidden}

    def _ways_to_lie(self, old: Cards) -> int:
        """How many ways all unseen cards have to lie, when these old ones have given places."""
        size = len(_list_of(old))
        ways = factorial(size) * factorial(len(self._unseen) - size)
        for kind in range(len(CARDS)):
            ways *= comb(self._unseen.count(kind), old >> 8 * kind & 0xFF)
        return ways

    # -- explaining

    def _explain(self, seat: int, hand: bytes) -> Ways:
        """By the old cards that a holder may have had, the explanations of a hand."""
        known = self._explanations[seat]
        if hand not in known:
            found: Ways = {}
            for played, n in self._played[seat]:
                for kept in combinations(hand, self._holders[seat].old - n):
                    cards = played + _sum_of(kept)
                    found[cards] = found.get(cards, 0) + 1
            known[hand] = found
        return known[hand]

    def _old_of(self, chance: Chance, hands: list[bytes], ways: list[Ways]) -> list[bytes]:
        """The old cards of every holder by one of the explanations."""
        left, found = self._old, []
        for seat, hand in enumerate(hands):
            own = _pick(chance, _shares(self._explain(seat, hand), ways[seat + 1], left))
            left -= own
            found.append(bytes(_list_of(own)))
        return found


@lru_cache(maxsize=4096)
def played_old(since: bytes, old: int, among: Cards) -> tuple[tuple[Cards, int], ...]:
    """What a holder may have played of its `old` cards, which were `among` others, and how many these are.

    Every card that it played was an old one, or one of those that it had drawn before.
    """
    found = {(0, 0)}
    drawn = played = 0
    limit = among | _SIGNS
    for step in since:
        if step == DREW:
            drawn += 1
            continue
        played += 1
        card = _ONE[step]
        was_new = {(cards, n) for cards, n in found if played - n <= drawn}
        found = was_new | {
            (cards + card, n + 1)
            for cards, n in found
            if n < old and (limit - cards - card) & _SIGNS == _SIGNS
        }
    return tuple(sorted(found))


def _shares(own: Ways, others: Ways, cards: Cards) -> Ways:
    """By a holder's part of some cards, in how many ways it and those after it share them."""
    return {part: n * others.get(cards - part, 0) for part, n in own.items()}


def _sum_of(kinds: Iterable[int]) -> Cards:
    return sum([_ONE[kind] for kind in kinds])


def _list_of(cards: Cards) -> list[int]:
    return [kind for kind in range(len(CARDS)) for _ in range(cards >> 8 * kind & 0xFF)]


def _take(chance: Chance, cards: list[int], n: int) -> list[int]:
    """Take cards out at random."""
    taken = []
    for _ in range(n):
        place = chance.below(len(cards))
        cards[place], cards[-1] = cards[-1], cards[place]
        taken.append(cards.pop())
    return taken


def _pick(chance: Chance, weights: Mapping[K, int]) -> K:
    """One of several, as likely as it has weight."""
    left = _below(chance, sum(weights.values()))
    for choice, weight in weights.items():
        if left < weight:
            return choice
        left -= weight
    raise AssertionError("the number is below the sum of the weights")


def _below(chance: Chance, k: int) -> int:
    """`Chance.below` for numbers of any size."""
    words = (k.bit_length() + 31) // 32
    end = 1 << 32 * words
    while True:
        number = 0
        for _ in range(words):
            number = number << 32 | chance.word()
        if number < end - end % k:
            return number % k
