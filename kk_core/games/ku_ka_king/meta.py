"""The entry of Ku-Ka-King in the lobby."""

from __future__ import annotations

from typing import Final

from kk_core.games.ku_ka_king.model import MAX_ROWS
from kk_core.text import text
from kk_core.types import Meta

META: Final = Meta(
    id="ku_ka_king",
    name=text("Ku-Ka-King"),
    summary=text("Call a row of cards at the same moment as everybody else; who calls it alone gets it."),
    min_seats=2,
    max_seats=4,
    moves=MAX_ROWS + 1,
    order=3,
)
