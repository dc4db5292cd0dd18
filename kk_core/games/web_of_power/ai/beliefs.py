"""Beliefs about the hands of others, from everything that their holders have done.

A seat that takes an open card is likely to have its like, and a seat that leaves a good place alone is not
likely to have the card for it. So each move of another seat is weighed against every hand that it may have:
how likely would it have been with this one? From the pile comes any card that nobody has seen.
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
"""The probability of each hand of one seat, all together 1; none where nothing is known but what is seen."""
Counts: TypeAlias = Sequence[float]
"""Number of cards of each kind."""

HANDS: Final[tuple[Hand, ...]] = tuple(
    bytes(hand) for size in range(HAND + 1) for hand in combinations_with_replacement(range(len(CARDS)), size)
)

# The share of moves in which a plain player does what is expected.
_FAITHFUL: Final = 0.98
# The share of moves in which another player goes by what scores now; otherwise they may do anything.
_CHOOSY: Final = 0.7
# Points by which a move must score more to be e times as likely then.
_TEMPERATURE: Final = 0.5
# A hand that is less likely is given up.
_LEAST: Final = 1e-4
# Moves that differ by less look alike: sums in another order.
_EQUAL: Final = 1e-9
_PARTS: Final = 1 << 24


class Beliefs:
    """The beliefs of one viewer about the hands of all others at a table."""

    def __init__(self, moves: Moves, tables: Tables, weights: Sequence[float] = ()) -> None:
        self._moves, self._tables = moves, tables
        firsts = range(0, tables.seats * len(HANDS), len(HANDS))
        self._of = [_noted(weights[first : first + len(HANDS)]) for first in firsts]

    def weights(self) -> tuple[float, ...]:
        """Return all beliefs as numbers, from which they can be made again."""
        return tuple(belief.get(hand, 0.0) for belief in self._of for hand in HANDS)

    def of(self, seen: Observation, seat: Seat) -> Belief:
        """Return the hands of another seat, as believed as far as that agrees with what is seen."""
        shown, size = seen.shown[seat], seen.hand_sizes[seat]
        belief = {
            hand: weight
            for hand, weight in self._of[seat].items()
            if len(hand) == size and all(hand.count(kind) >= shown.count(kind) for kind in shown)
        }
        return _normal(belief or _possible(seen.unseen, shown, size))

    def dealer(self, seen: Observation) -> Dealer:
        """Return a dealer for what the viewer of an observation believes."""
        others = [seat for seat in range(self._tables.seats) if seat != seen.viewer]
        return Dealer(seen, {seat: self.of(seen, seat) for seat in others})

    def learn(self, seen: Observation, seat: Seat, move: Move, trust: float, chance: Chance) -> float:
        """Learn from a move that another seat made when this was seen; `trust` is how likely it plays
        plainly.

        Returns by how much likelier it plays plainly, as a logarithm of odds.
        """
        position = Position(determinise(self._moves, seen, chance), self._moves, self._tables)
        hands, after = position.hands, self._after(seen, seat, move)
        plainly = otherwise = 0.0
        belief: Belief = {}
        for hand, weight in self.of(seen, seat).items():
            position.hands = with_item(hands, seat, hand)
            legal = self._moves.legal(position)
            # a hand with which the move was impossible is none that it can have had
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
        # Cards hidden in the seat's own hand are counted with the pile; `_after` takes those of each hand
        # away.
        left: list[float] = [*seen.unseen]
        for other in range(self._tables.seats):
            if other not in (seat, seen.viewer):
                for hand, weight in self.of(seen, other).items():
                    for kind in _without(hand, seen.shown[other]):
                        left[kind] -= weight
        return left


class Dealer:
    """A dealer of the cards that a viewer cannot see, as likely as the viewer believes."""

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
        """Deal all hands and the draw pile: hand after hand in any order, as the cards left allow."""
        seen, left = self._seen, [*self._unknown]
        hands, others = [seen.hand] * len(seen.hand_sizes), [*self._hands]
        # the first hand has the free choice; a fixed order would favour one seat in every world
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
    # Returns how likely a plain player makes the move, and how likely any other player.
    best = max(looks) - _EQUAL
    plain = (1 - _FAITHFUL) / len(looks)
    if looks[made] >= best:
        plain += _FAITHFUL / sum(look >= best for look in looks)
    return plain, _CHOOSY * likely(looks, _TEMPERATURE)[made] + (1 - _CHOOSY) / len(looks)


def _possible(left: Sequence[int], shown: Hand, size: int) -> Belief:
    # A hand weighs as much as there are ways for the cards left to make it.
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
    return hand


def _with(hand: Hand, kind: int) -> Hand:
    return bytes(sorted((*hand, kind)))


def _without(hand: Hand, cards: Sequence[int]) -> Hand:
    left = [*hand]
    for kind in cards:
        left.remove(kind)
    return bytes(left)
