"""Other maps, decks and numbers of pieces, as an owner of a printed game might correct them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from kk_core.games.web_of_power.model import CARDS, COUNTRIES

SHIPPED_CARDS = (13, 12, 11, 10, 9)


def corrected(
    sizes: Sequence[int],
    cards: Sequence[int] = SHIPPED_CARDS,
    removed: Sequence[int] = (2, 1, 0),
    cloisters: int = 20,
    advisors: int = 8,
) -> dict[str, Any]:
    """Rules data with so many spaces in each country, every country a ring, and all in one big ring."""
    spaces = {
        name: [f"{'ABCDEFGHI'[country]}{n}" for n in range(1, size + 1)]
        for country, (name, size) in enumerate(zip(COUNTRIES, sizes, strict=True))
    }
    inside = {name: _ring(own) for name, own in spaces.items()}
    ends = [f"{spaces[name][-1]}-{spaces[COUNTRIES[i - 8]][0]}" for i, name in enumerate(COUNTRIES)]
    return {
        "scoring_order": list(reversed(COUNTRIES)),
        "alliances": [f"{COUNTRIES[i]}-{COUNTRIES[i - by]}" for by in (2, 4) for i in range(9)][:15],
        "border_roads": ends,
        "totals": {"spaces": sum(sizes), "roads": sum(map(len, inside.values())) + 9, "cards": sum(cards)},
        "pieces": {"cloisters": cloisters, "advisors": advisors},
        "cards": dict(zip(CARDS, cards, strict=True)),
        "removed": dict(zip("345", removed, strict=True)),
        "countries": {name: {"spaces": spaces[name], "roads": inside[name]} for name in COUNTRIES},
    }


def _ring(spaces: Sequence[str]) -> list[str]:
    roads = [f"{a}-{b}" for a, b in pairwise(spaces)]
    return [*roads, f"{spaces[-1]}-{spaces[0]}"] if len(spaces) > 2 else roads


SMALLEST = corrected((1,) * 9, cards=(9, 8, 6, 5, 5), cloisters=3, advisors=1)
"""A space in each country, and as few cards as there may be."""

MAPS = {
    "one space in each country": corrected((1,) * 9),
    "as many spaces and cloisters as there may be": corrected((8, 8, 8, 8, 8, 8, 8, 4, 4), cloisters=22),
    "all sizes, many cards": corrected((1, 8, 2, 7, 3, 6, 4, 5, 1), (20, 3, 9, 30, 14), (1, 2, 0), 9, 3),
}
