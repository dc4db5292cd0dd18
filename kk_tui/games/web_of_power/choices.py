"""Targets on the map, the moves they mean with the chosen cards, and steps of the cursor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import hypot
from typing import Final, TypeAlias

import msgspec

from kk_core.games.web_of_power.model import (
    KIND_OF_COUNTRY,
    MAX_SPACES,
    PAIR,
    SINGLE,
    DrawFaceUp,
    DrawFromPile,
    PlaceAdvisor,
    PlaceCloister,
    Printed,
    cards_of,
    read,
)
from kk_core.types import Move

Place: TypeAlias = tuple[int, int]
"""Column and line."""

Target: TypeAlias = int
"""A space, or CREST + a country."""

CREST: Final = MAX_SPACES

Payments: TypeAlias = Mapping[Target, Mapping[int, Move]]
"""Moves by target and payment."""


class Selection(msgspec.Struct, frozen=True):
    """A half-made choice: the cursor, the `chosen` positions of the hand, and what they amount to.

    `kinds` are those of the chosen cards, `open` is what they allow. `is_pointing` means that Enter places a
    piece, because the cursor was moved after choosing; `prefers_pair` that a pair pays even if a single card
    would be enough. `sources` are the possible draws, `source` is the index of the highlighted one. While it
    `is_led`, Enter goes to a place that is marked; while it `is_idle`, nothing is pointed at or chosen yet,
    and Enter has no meaning. Where it `is_payable`, Enter chooses the cards for the place under the cursor.
    """

    cursor: Target
    chosen: tuple[int, ...]
    kinds: tuple[int, ...]
    open: Payments
    is_pointing: bool
    prefers_pair: bool
    sources: Sequence[Move]
    source: int
    is_in_score: bool
    is_led: bool = False
    is_idle: bool = False
    is_payable: bool = False

    @property
    def draw(self) -> Move | None:
        """The highlighted draw."""
        return self.sources[self.source] if self.sources else None

    @property
    def payment(self) -> int | None:
        """The payment of Enter under the cursor; None if nothing can be placed there."""
        payments = sorted(self.open.get(self.cursor, ()))
        return None if not payments else payments[-1] if self.prefers_pair else payments[0]


def country_of(printed: Printed, target: Target) -> int:
    """Return the country that a target lies in."""
    return target - CREST if target >= CREST else printed.country_of[target]


def target_of(printed: Printed, move: Move | None) -> tuple[Target, int] | None:
    """Return where a move places a piece, and the payment; None if it places none."""
    match None if move is None else read(printed, move):
        case PlaceAdvisor(country, payment):
            return CREST + country, payment
        case PlaceCloister(space, payment):
            return space, payment
        case _:
            return None


def move_at(target: Target, payment: int) -> Move:
    """Return the move that places a piece at a target."""
    if target >= CREST:
        return PlaceAdvisor(target - CREST, payment).move
    return PlaceCloister(target, payment).move


def placements(printed: Printed, legal: Collection[Move]) -> Payments:
    """Return all legal moves that place a piece."""
    found: dict[Target, dict[int, Move]] = {}
    for move in legal:
        placed = target_of(printed, move)
        if placed is not None:
            found.setdefault(placed[0], {})[placed[1]] = move
    return found


def payable(printed: Printed, all_of: Payments, chosen: Iterable[int]) -> Payments:
    """Return those placements that the chosen cards (kinds) pay for."""
    cards = Counter(chosen)
    found: dict[Target, dict[int, Move]] = {}
    for target, moves in all_of.items():
        country = country_of(printed, target)
        fitting = {
            payment: move
            for payment, move in moves.items()
            if not Counter(cards_of(country, payment)) - cards
        }
        if fitting:
            found[target] = fitting
    return found


def attempt(printed: Printed, target: Target, chosen: Sequence[int]) -> Move:
    """Return the move that a player has in mind when pointing at a target where nothing is possible."""
    kind = KIND_OF_COUNTRY[country_of(printed, target)]
    pairs = [held for held, count in Counter(chosen).items() if count > 1]
    payment = PAIR + pairs[0] if pairs and kind not in chosen else SINGLE
    return move_at(target, payment)


def sources(face_up: bytes, legal: Collection[Move]) -> list[Move]:
    """Return the possible draws, in the order of the cards: face-up cards, then the pile."""
    moves = [DrawFaceUp(kind).move for kind in face_up]
    return [move for move in dict.fromkeys((*moves, DrawFromPile().move)) if move in legal]


def keep(hand: bytes, kinds: Iterable[int]) -> tuple[int, ...]:
    """Return the positions of these kinds in a hand, as far as it has them."""
    wanted = Counter(kinds)
    kept = []
    for position, kind in enumerate(hand):
        if wanted[kind]:
            wanted[kind] -= 1
            kept.append(position)
    return tuple(kept)


_LINE: Final = 2.0
"""Columns that count as far as one line."""


def step(
    points: Mapping[Target, Place], start: Target, right: int, down: int, marked: Collection[Target] = ()
) -> Target:
    """Return the nearest target in a direction, or the same one if there is none.

    Nobody is led past a `marked` one that lies in that direction: where the step would not come nearer to
    it, it goes there.
    """
    x, y = points[start]

    def cost(target: Target) -> float:
        dx, dy = points[target][0] - x, (points[target][1] - y) * _LINE
        ahead, aside = (dx * right, abs(dy)) if right else (dy * down, abs(dx))
        return ahead + 2 * aside if ahead > 0 and aside <= 2.5 * ahead else 1e9

    def away(here: Target, target: Target) -> float:
        return hypot(points[target][0] - points[here][0], (points[target][1] - points[here][1]) * _LINE)

    best = min(points, key=cost)
    best = best if cost(best) < 1e9 else start
    ahead = [each for each in marked if (points[each][0] - x) * right + (points[each][1] - y) * down > 0]
    goal = min(ahead, key=lambda each: away(start, each), default=None)
    return best if goal is None or away(best, goal) < away(start, goal) else goal
