"""The exported form of a match of Noughts and bids, for referees that don't know our code."""

from __future__ import annotations

from typing import Any

from kk_core.games.noughts.model import Bid, read, read_event
from kk_core.games.noughts.notation import name_of
from kk_core.games.noughts.state import State
from kk_core.types import Event, Move


def export_setup(state: State) -> dict[str, Any]:
    """Return the coins, and whose bid wins a tie."""
    return {"coins": list(state.coins), "favoured": state.favoured}


def export_move(move: Move) -> dict[str, Any]:
    """Return a bid or a mark."""
    meant = read(move)
    if isinstance(meant, Bid):
        return {"type": "bid", "coins": meant.coins}
    return {"type": "place", "space": name_of(meant.space)}


def export_event(event: Event) -> dict[str, Any]:
    """Return the bids that were turned over."""
    opened = read_event(event)
    return {"rule": "bids", "coins": list(opened.bids), "winner": opened.seat}
