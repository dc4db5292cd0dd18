"""How the board game is dealt, by the words of docs/records/web_of_power.md and docs/protocol.md."""

from __future__ import annotations

from typing import Any

from kk_core.registry import game
from tests.core.kk1 import of_each, shuffled, words
from tests.records_page import DOC, SEED, Json, names, standing
from tests.server import stranger

RARE = frozenset({'{"rule": "nobody_can_place"'})
"""Events of the page that a few random matches may lack."""


def dealt(seats: int) -> Json:
    """The `setup` of an export, for the seed of the page."""
    data, kinds = game("web_of_power").rules_data, names("web_of_power", "Cards")
    out = data["removed"][str(seats)]
    cards = DOC.shuffled(standing(kinds, {k: data["cards"][k] - out for k in kinds}), DOC.words(SEED))
    hands = [sorted(cards[3 * seat : 3 * seat + 3], key=kinds.index) for seat in range(seats)]
    first = 3 * seats
    return {
        "hands": hands,
        "face_up": cards[first : first + 2],
        "draw_pile": cards[first + 2 :],
        "removed": standing(kinds, dict.fromkeys(kinds, out)),
    }


def written() -> str:
    """The block `deal` of the page."""
    kinds = names("web_of_power", "Cards")

    def numbers(cards: list[str]) -> str:
        return " ".join(str(kinds.index(card)) for card in cards)

    deal = dealt(3)
    stream = DOC.words(SEED)
    DOC.shuffled(range(45), stream)  # the deal
    again = DOC.shuffled(standing(kinds, dict.fromkeys(kinds, 5)), stream)
    return "\n".join(
        [
            "hands: " + " | ".join(map(numbers, deal["hands"])),
            f"open: {numbers(deal['face_up'])}",
            f"draw pile: {numbers(deal['draw_pile'])}",
            f"reshuffle: {numbers(again)}",
        ]
    )


def sheet() -> list[str]:
    """The items of the sheet."""
    order = game("web_of_power").rules_data["scoring_order"]
    cloisters = [f"{scoring}:cloisters:{name}" for scoring in ("interim", "final") for name in order]
    return [*cloisters, *(f"alliance:{n}" for n in range(1, 16)), "chains"]


def is_dealt(first: Any, seed: bytes) -> bool:
    """Whether a match, as a client of the protocol first sees it, was dealt by a seed."""
    seats = len(first[stranger.OBSERVATION][11])
    deck, removed = first[stranger.PRINTED][7], dict(first[stranger.PRINTED][8])
    cards = shuffled(of_each([count - removed.get(seats, 0) for count in deck]), words(seed))
    viewer, hand, face_up = (first[stranger.OBSERVATION][n] for n in (1, 10, 15))
    is_mine = sorted(cards[3 * viewer : 3 * viewer + 3]) == sorted(hand)
    return is_mine and cards[3 * seats : 3 * seats + 2] == list(face_up)
