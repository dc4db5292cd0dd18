"""The entry of Noughts and bids in the lobby."""

from __future__ import annotations

from typing import Final

from kk_core.games.noughts.model import CELLS, PLACE
from kk_core.text import text
from kk_core.types import Meta

META: Final = Meta(
    id="noughts",
    name=text("Noughts and bids"),
    summary=text("Three in a line wins; who may place is decided by a bid that both make in secret."),
    min_seats=2,
    max_seats=2,
    moves=PLACE + CELLS,
    order=4,
)
