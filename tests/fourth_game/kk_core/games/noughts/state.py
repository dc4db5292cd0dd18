"""The full truth of a match of Noughts and bids."""

from __future__ import annotations

import msgspec

from kk_core.types import Event, Seat


class State(msgspec.Struct, frozen=True, array_like=True):
    """A match between two steps: as in the observation, with the bids of both seats."""

    board: bytes
    coins: bytes
    bids: bytes
    placer: Seat | None
    favoured: Seat
    turn: int
    opened: bytes
    events: tuple[Event, ...] = ()
