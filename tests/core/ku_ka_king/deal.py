"""How Ku-Ka-King is dealt, by the words of docs/records/ku_ka_king.md and docs/protocol.md."""

from __future__ import annotations

from typing import Any

from kk_core.registry import game
from tests.core.kk1 import of_each, shuffled, words
from tests.records_page import DOC, SEED, Json, names, standing, wrapped
from tests.server import stranger

RARE = frozenset({'{"chance": "box_shuffle"'})
"""Events of the page that a few random matches may lack."""


def dealt(seats: int) -> Json:
    """The `setup` of an export, for the seed of the page."""
    data, kinds = game("ku_ka_king").rules_data, names("ku_ka_king", "Cards")
    counts = {kind["type"]: kind["count"] for kind in data["cards"]}
    cards = DOC.shuffled(standing(kinds, counts), DOC.words(SEED))
    (table,) = (table for table in data["tables"] if table["seats"] == seats)
    laid_out = 3 * table["rows"]
    return {
        "rows": [cards[i : i + 3] for i in range(0, laid_out, 3)],
        "draw_pile": cards[laid_out : table["cards"]],
        "box": cards[table["cards"] :],
    }


def written() -> str:
    """The block `deal` of the page."""
    deal = dealt(2)
    numbered = [f"row {number}: {' '.join(row)}" for number, row in enumerate(deal["rows"], 1)]
    return "\n".join([*numbered, wrapped("draw pile", deal["draw_pile"]), wrapped("box", deal["box"])])


def sheet() -> list[str]:
    """The items of the sheet."""
    lines = ("kings", "churches", "points", "knights", "animals", "farm")
    return [f"{scoring}:{line}" for scoring in ("first", "final") for line in lines]


def is_dealt(first: Any, seed: bytes) -> bool:
    """Whether a match, as a client of the protocol first sees it, was dealt by a seed."""
    rows = first[stranger.OBSERVATION][6]
    cards = shuffled(of_each(first[stranger.PRINTED][0]), words(seed))
    return [list(row) for row in rows] == [cards[3 * n : 3 * n + 3] for n in range(len(rows))]
