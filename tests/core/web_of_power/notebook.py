"""A watcher with a notebook: every way in which the hands of others can be, written out and crossed out.

It knows what lies open and the viewer's own cards, and nothing of how the engine draws worlds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations_with_replacement
from math import factorial, prod

from kk_core.games.web_of_power.model import (
    CARDS,
    HAND,
    DrawFaceUp,
    DrawFromPile,
    Exchange,
    Observation,
    PlaceAdvisor,
    PlaceCloister,
    Printed,
    Reshuffled,
    TurnedUp,
    cards_of,
    read,
    read_event,
)
from kk_core.games.web_of_power.state import State
from kk_core.types import Event, Move, Seat, Viewer

Counts = tuple[int, ...]
"""How many cards of each kind."""

Hands = tuple[Counts, ...]
"""The hands of the others."""


def counted(cards: Iterable[int]) -> Counts:
    found = Counter(cards)
    return tuple(found[kind] for kind in range(len(CARDS)))


ONE = tuple(counted([kind]) for kind in range(len(CARDS)))
FULL_HANDS = tuple(counted(cards) for cards in combinations_with_replacement(range(len(CARDS)), HAND))


def plus(a: Counts, b: Counts) -> Counts:
    return tuple(x + y for x, y in zip(a, b, strict=True))


def minus(a: Counts, b: Counts) -> Counts:
    return tuple(x - y for x, y in zip(a, b, strict=True))


def orders(cards: Counts) -> int:
    """In how many ways cards can lie in a row."""
    return factorial(sum(cards)) // prod(map(factorial, cards))


class Notebook:
    """All possible hands of the others, from the deal on; `seen` is the viewer's first observation."""

    def __init__(self, seen: Observation) -> None:
        self.viewer: Viewer = seen.viewer
        self.land: Printed = seen.printed
        self.others: list[Seat] = [seat for seat in range(len(seen.hand_sizes)) if seat != seen.viewer]
        deck = self.land.deck_for(len(seen.hand_sizes))
        self.hidden = minus(minus(deck, counted(seen.hand)), counted(seen.face_up))
        """The cards that the viewer does not see: in other hands, and in the pile."""
        self.discards = counted([])
        self.taken_openly: dict[Seat, Counts] = dict.fromkeys(self.others, counted([]))
        self.possible: set[Hands] = set(self._deals(len(self.others), self.hidden))

    def _deals(self, hands: int, cards: Counts) -> Iterator[Hands]:
        if not hands:
            yield ()
            return
        for hand in FULL_HANDS:
            left = minus(cards, hand)
            if min(left) >= 0:
                for others in self._deals(hands - 1, left):
                    yield (hand, *others)

    def pile(self, hands: Hands) -> Counts:
        """What must be in the draw pile when the others hold this."""
        left = self.hidden
        for hand in hands:
            left = minus(left, hand)
        return left

    # -- watching --------------------------------------------------------------------------------------------

    def watch(self, seat: Seat, move: Move, before: State, after: State) -> None:
        """Write down what the viewer sees of a move."""
        match read(self.land, move):
            case PlaceCloister(space, payment):
                self._plays(seat, cards_of(self.land.country_of[space], payment))
            case PlaceAdvisor(country, payment):
                self._plays(seat, cards_of(country, payment))
            case Exchange(kind):
                self._plays(seat, (kind,))
            case DrawFaceUp(kind):
                self._takes_openly(seat, kind)
            case DrawFromPile():
                self._draws(seat, before.pile[0] if seat == self.viewer else None)
        for event in after.events:
            self._happens(event)

    def _plays(self, seat: Seat, kinds: tuple[int, ...]) -> None:
        for kind in kinds:
            self.discards = plus(self.discards, ONE[kind])
            if seat != self.viewer:
                self.possible = self._changed(seat, -1, kind, self.possible)
                self.hidden = minus(self.hidden, ONE[kind])
                if self.taken_openly[seat][kind]:
                    self.taken_openly[seat] = minus(self.taken_openly[seat], ONE[kind])

    def _takes_openly(self, seat: Seat, kind: int) -> None:
        if seat != self.viewer:
            self.possible = self._changed(seat, 1, kind, self.possible)
            self.hidden = plus(self.hidden, ONE[kind])
            self.taken_openly[seat] = plus(self.taken_openly[seat], ONE[kind])

    def _draws(self, seat: Seat, own: int | None) -> None:
        if own is not None:
            return self._leaves_the_pile(own)
        drawn: set[Hands] = set()
        for kind in range(len(CARDS)):
            drawn |= self._changed(
                seat, 1, kind, {hands for hands in self.possible if self.pile(hands)[kind]}
            )
        self.possible = drawn
        return None

    def _leaves_the_pile(self, kind: int) -> None:
        self.possible = {hands for hands in self.possible if self.pile(hands)[kind]}
        self.hidden = minus(self.hidden, ONE[kind])

    def _happens(self, event: Event) -> None:
        match read_event(event):
            case TurnedUp(kind):
                self._leaves_the_pile(kind)
            case Reshuffled():
                self.possible = {hands for hands in self.possible if not any(self.pile(hands))}
                self.hidden = plus(self.hidden, self.discards)
                self.discards = counted([])

    def _changed(self, seat: Seat, by: int, kind: int, all_hands: set[Hands]) -> set[Hands]:
        """One card more or less in a hand; hands that do not have it are crossed out."""
        at = self.others.index(seat)
        changed = set()
        for hands in all_hands:
            hand = plus(hands[at], ONE[kind]) if by > 0 else minus(hands[at], ONE[kind])
            if hand[kind] >= 0:
                changed.add((*hands[:at], hand, *hands[at + 1 :]))
        return changed

    # -- reading ---------------------------------------------------------------------------------------------

    def hands_in(self, state: State) -> Hands:
        """The hands of the others in a state."""
        return tuple(counted(state.hands[seat]) for seat in self.others)

    def arrangements(self, hands: Hands) -> int:
        """In how many ways the cards can lie so: in the places not taken openly, and in the pile."""
        hidden = (minus(hand, self.taken_openly[seat]) for seat, hand in zip(self.others, hands, strict=True))
        return prod(map(orders, hidden)) * orders(self.pile(hands))
