"""Beliefs about the others' hands, from everything that they have done.

A seat that takes a face-up card probably has more like it, and one that leaves a good place alone probably
lacks the card for it. So each move of another seat is weighed against every hand that it may have: how likely
would it have been with this one? A card from the pile may be any unseen one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations_with_replacement
from math import comb, log
from typing import Final, TypeAlias

from kk_core.chance import Chance
from kk_core.games.web_of_power.ai.policy import Position, Tables, likely, pieces_of, plain_values
from kk_core.games.web_of_power.model import (
    ADVISOR,
    CARDS,
    DRAW_FACE_UP,
    DRAW_PILE,
    END_PLACING,
    EXCHANGE,
    HAND,
    Observation,
    cards_of,
)
from kk_core.games.web_of_power.observe import determinise
from kk_core.games.web_of_power.rules import Moves
from kk_core.types import Move, Seat
from kk_core.values import with_item

Hand: TypeAlias = bytes
"""Kinds of cards, ascending."""
Belief: TypeAlias = dict[Hand, float]
"""The probabilities of a seat's hands, which add up to 1; empty if only the observation is known."""
Counts: TypeAlias = Sequence[float]
"""The (expected) number of cards of each kind."""

HANDS: Final[tuple[Hand, ...]] = tuple(
    bytes(hand) for size in range(HAND + 1) for hand in combinations_with_replacement(range(len(CARDS)), size)
)

# how often a plain player does what is expected
_FAITHFUL: Final = 0.98
# how often any other player goes by what scores now; otherwise they may do anything
_CHOOSY: Final = 0.7
# the points by which a move must score more to be e times as likely then
_TEMPERATURE: Final = 0.5
# less likely hands are dropped
_LEAST: Final = 1e-4
# the tolerance for equal ratings, which may be summed in different orders
_EQUAL: Final = 1e-9
_PARTS: Final = 1 << 24


class Beliefs:
    """A viewer's beliefs about the hands of all others."""

    def __init__(self, moves: Moves, tables: Tables, weights: Sequence[float] = ()) -> None:
        self._moves, self._tables = moves, tables
        firsts = range(0, tables.seats * len(HANDS), len(HANDS))
        self._of = [_noted(weights[first : first + len(HANDS)]) for first in firsts]

    def weights(self) -> tuple[float, ...]:
        """Return all beliefs as numbers, from which they can be restored."""
        return tuple(belief.get(hand, 0.0) for belief in self._of for hand in HANDS)

    def of(self, seen: Observation, seat: Seat) -> Belief:
        """Return the belief about another seat's hand, restricted to hands possible in the observation."""
        shown, size = seen.shown[seat], seen.hand_sizes[seat]
        belief = {
            hand: weight
            for hand, weight in self._of[seat].items()
            if len(hand) == size and all(hand.count(kind) >= shown.count(kind) for kind in shown)
        }
        return _normal(belief or _possible(seen.unseen, shown, size))

    def dealer(self, seen: Observation) -> Dealer:
        """Return a dealer for the beliefs of the observation's viewer."""
        others = [seat for seat in range(self._tables.seats) if seat != seen.viewer]
        return Dealer(seen, {seat: self.of(seen, seat) for seat in others})

    def learn(self, seen: Observation, seat: Seat, move: Move, trust: float, chance: Chance) -> float:
        """Learn from another seat's move after this observation; `trust` is how likely it plays plainly.

        Returns the change in its log odds of playing plainly.
        """
        position = Position(determinise(self._moves, seen, chance), self._moves, self._tables)
        hands, after = position.hands, self._after(seen, seat, move)
        plainly = otherwise = 0.0
        belief: Belief = {}
        for hand, weight in self.of(seen, seat).items():
            position.hands = with_item(hands, seat, hand)
            legal = self._moves.legal(position)
            # the seat cannot have had a hand with which the move was impossible
            if move not in legal:
                continue
            plain, other = _likelihoods(plain_values(position, legal), legal.index(move))
            plainly += weight * plain
            otherwise += weight * other
            for then, share in after(hand):
                belief[then] = belief.get(then, 0.0) + weight * share * (trust * plain + (1 - trust) * other)
        self._of[seat] = _normal(belief)
        return log(plainly / otherwise) if belief else 0.0

    def _after(
        self, seen: Observation, seat: Seat, move: Move
    ) -> Callable[[Hand], Sequence[tuple[Hand, float]]]:
        if move == DRAW_PILE:
            pile = self._expected_in_pile(seen, seat)

            def drawn(hand: Hand) -> Sequence[tuple[Hand, float]]:
                hidden = _without(hand, seen.shown[seat])
                left = [max(0.0, count - hidden.count(kind)) for kind, count in enumerate(pile)]
                total = sum(left)
                return [(_with(hand, kind), count / total) for kind, count in enumerate(left) if count]

            return drawn
        if DRAW_FACE_UP <= move < DRAW_FACE_UP + len(CARDS):
            return lambda hand: ((_with(hand, move - DRAW_FACE_UP), 1.0),)
        cards = self._played(move)
        return lambda hand: ((_without(hand, cards), 1.0),)

    def _played(self, move: Move) -> Sequence[int]:
        if move == END_PLACING:
            return ()
        if move < ADVISOR:
            return (move - EXCHANGE,)
        _, country, payment = pieces_of(self._tables.land.country_of)[move]
        return cards_of(country, payment)

    def _expected_in_pile(self, seen: Observation, seat: Seat) -> Counts:
        # includes the cards hidden in the seat's own hand, which `_after` subtracts for each hand
        left: list[float] = [*seen.unseen]
        for other in range(self._tables.seats):
            if other not in (seat, seen.viewer):
                for hand, weight in self.of(seen, other).items():
                    for kind in _without(hand, seen.shown[other]):
                        left[kind] -= weight
        return left


class Dealer:
    """Deals the cards that a viewer cannot see, with the probabilities of the viewer's beliefs."""

    def __init__(self, seen: Observation, beliefs: Mapping[Seat, Belief]) -> None:
        self._seen, self._unknown = seen, seen.unseen
        self._hands = {
            seat: [
                (hand, hidden, weight, _ways(hidden, self._unknown))
                for hand, weight in belief.items()
                for hidden in (_without(hand, seen.shown[seat]),)
            ]
            for seat, belief in beliefs.items()
        }

    def lay(self, chance: Chance) -> tuple[tuple[Hand, ...], bytes]:
        """Return all hands and the draw pile; hands are dealt one by one, as far as the cards left allow."""
        seen, left = self._seen, [*self._unknown]
        hands, others = [seen.hand] * len(seen.hand_sizes), [*self._hands]
        # in random order, since the first hand is dealt without constraints
        chance.shuffle(others)
        for seat in others:
            fitting: Belief = {}
            for hand, hidden, weight, ways_before in self._hands[seat]:
                ways = _ways(hidden, left)
                if ways:
                    fitting[hand] = weight * ways / ways_before
            shown = seen.shown[seat]
            hands[seat] = _pick(fitting or _possible(left, shown, seen.hand_sizes[seat]), chance)
            for kind in _without(hands[seat], shown):
                left[kind] -= 1
        pile = [kind for kind, count in enumerate(left) for _ in range(count)]
        chance.shuffle(pile)
        return tuple(hands), bytes(pile)


def _likelihoods(looks: Sequence[float], made: int) -> tuple[float, float]:
    # returns the move's probability for a plain player, and for any other
    best = max(looks) - _EQUAL
    plain = (1 - _FAITHFUL) / len(looks)
    if looks[made] >= best:
        plain += _FAITHFUL / sum(look >= best for look in looks)
    return plain, _CHOOSY * likely(looks, _TEMPERATURE)[made] + (1 - _CHOOSY) / len(looks)


def _possible(left: Sequence[int], shown: Hand, size: int) -> Belief:
    # a hand's weight is the number of ways to draw it from the cards left
    ways = {hidden: _ways(hidden, left) for hidden in HANDS if len(hidden) == size - len(shown)}
    return {bytes(sorted(hidden + shown)): float(count) for hidden, count in ways.items() if count}


def _ways(hidden: Hand, left: Sequence[int]) -> int:
    ways = 1
    for kind in {*hidden}:
        ways *= comb(left[kind], hidden.count(kind))
    return ways


def _noted(weights: Sequence[float]) -> Belief:
    return {hand: weight for hand, weight in zip(HANDS, weights, strict=True) if weight} if weights else {}


def _normal(belief: Belief) -> Belief:
    total = sum(belief.values())
    return {hand: weight / total for hand, weight in belief.items() if weight > _LEAST * total}


def _pick(belief: Belief, chance: Chance) -> Hand:
    point = chance.below(_PARTS) / _PARTS * sum(belief.values())
    for hand, weight in belief.items():
        point -= weight
        if point < 0:
            return hand
    return hand  # reached only through rounding


def _with(hand: Hand, kind: int) -> Hand:
    return bytes(sorted((*hand, kind)))


def _without(hand: Hand, cards: Sequence[int]) -> Hand:
    left = [*hand]
    for kind in cards:
        left.remove(kind)
    return bytes(left)
