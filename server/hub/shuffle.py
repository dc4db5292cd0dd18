"""What the next match of a table will be shuffled with: the host's bytes, and those that people add."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from kk_core.chance import SEED_BYTES
from kk_core.seeds import commitment
from kk_core.types import Seat
from kk_core.wire.views import ShuffleView
from server.storage.entries import Holder


class Shuffle:
    """The host has drawn its bytes before anybody adds some, and shows their SHA-256 all the time."""

    def __init__(self) -> None:
        self.host_seed = secrets.token_bytes(SEED_BYTES)
        self._added: dict[str, bytes] = {}

    def add(self, user: str, drawn: bytes) -> None:
        """Add somebody's bytes, in place of those that he has added before."""
        self._added[user] = drawn

    def contributions(self, seats: Sequence[Holder]) -> tuple[tuple[Seat, str], ...]:
        """What those have added who sit there, in hex digits, by the first seat of each."""
        first: dict[str, Seat] = {}
        for seat, holder in enumerate(seats):
            if holder.owner in self._added:
                first.setdefault(holder.owner or "", seat)
        return tuple((seat, self._added[user].hex()) for user, seat in first.items())

    def view(self) -> ShuffleView:
        """What everybody may know of it."""
        return ShuffleView(commitment(self.host_seed), tuple(sorted(self._added)))
