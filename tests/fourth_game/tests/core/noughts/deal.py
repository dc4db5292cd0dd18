"""The deal of Noughts and bids, by the words of docs/records/noughts.md and docs/protocol.md."""

from __future__ import annotations

from typing import Any

from tests.core.kk1 import words
from tests.records_page import DOC, SEED, Json
from tests.server import stranger

RARE = frozenset[str]()
"""Events of the page that a few random matches may lack."""


def dealt(seats: int) -> Json:
    """Return the `setup` of an export, for the seed of the page."""
    return {"coins": [5] * seats, "favoured": DOC.below(2, DOC.words(SEED))}


def written() -> str:
    """Return the block `deal` of the page."""
    deal = dealt(2)
    return f"coins: {' '.join(map(str, deal['coins']))}\nfavoured: {deal['favoured']}"


def sheet() -> list[str]:
    """Return the items of the sheet."""
    return ["lines"]


def is_dealt(first: Any, seed: bytes) -> bool:
    """Return whether a match, as a client of the protocol first sees it, was dealt by a seed."""
    coins, favoured = (first[stranger.OBSERVATION][n] for n in (7, 9))
    return list(coins) == [5, 5] and favoured == next(words(seed)) % 2
