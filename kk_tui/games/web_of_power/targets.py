"""What can be pointed at on the map, and which move pointing at it means with the chosen cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, TypeAlias

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

Target: TypeAlias = int
"""A space, or CREST + a country."""

CREST: Final = MAX_SPACES

Payments: TypeAlias = Mapping[Target, Mapping[int, Move]]
"""By target the moves there, by payment."""


def country_of(land: Printed, target: Target) -> int:
    """The country that a target lies in."""
    return target - CREST if target >= CREST else land.country_of[target]


def target_of(land: Printed, move: Move | None) -> tuple[Target, int] | None:
    """Where a move places a piece, and the payment; None when it places none."""
    match None if move is None else read(land, move):
        case PlaceAdvisor(country, payment):
            return CREST + country, payment
        case PlaceCloister(space, payment):
            return space, payment
        case _:
            return None


def move_at(target: Target, payment: int) -> Move:
    """The move that places a piece at a target."""
    if target >= CREST:
        return PlaceAdvisor(target - CREST, payment).move
    return PlaceCloister(target, payment).move


def placements(land: Printed, legal: Collection[Move]) -> Payments:
    """All legal moves that place a piece."""
    found: dict[Target, dict[int, Move]] = {}
    for move in legal:
        placed = target_of(land, move)
        if placed is not None:
            found.setdefault(placed[0], {})[placed[1]] = move
    return found


def payable(land: Printed, all_of: Payments, chosen: Iterable[int]) -> Payments:
    """Those of the placements that the chosen cards (kinds) pay for."""
    cards = Counter(chosen)
    found: dict[Target, dict[int, Move]] = {}
    for target, moves in all_of.items():
        country = country_of(land, target)
        fitting = {
            payment: move
            for payment, move in moves.items()
            if not Counter(cards_of(country, payment)) - cards
        }
        if fitting:
            found[target] = fitting
    return found


def attempt(land: Printed, target: Target, chosen: Sequence[int]) -> Move:
    """The move that somebody has in mind who points at a target where nothing is possible."""
    kind = KIND_OF_COUNTRY[country_of(land, target)]
    pairs = [held for held, count in Counter(chosen).items() if count > 1]
    payment = PAIR + pairs[0] if pairs and kind not in chosen else SINGLE
    return move_at(target, payment)


def sources(face_up: bytes, legal: Collection[Move]) -> list[Move]:
    """The draws that are possible, in the order in which the cards are shown: open cards, then the pile."""
    moves = [DrawFaceUp(kind).move for kind in face_up]
    return [move for move in dict.fromkeys((*moves, DrawFromPile().move)) if move in legal]


def keep(hand: bytes, kinds: Iterable[int]) -> tuple[int, ...]:
    """Positions in a hand that hold these kinds, as far as it has them."""
    wanted = Counter(kinds)
    kept = []
    for position, kind in enumerate(hand):
        if wanted[kind]:
            wanted[kind] -= 1
            kept.append(position)
    return tuple(kept)
