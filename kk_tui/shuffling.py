"""Has a part in shuffles, and checks that it counted: so that not even the host can choose the cards."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from kk_core.seeds import mix_seed
from kk_core.text import Text, text
from kk_core.types import Seat
from kk_core.wire.views import MatchView, TableView


@dataclass(frozen=True)
class Part:
    """What one has added at a table, and which commitment of the host's was shown at that time."""

    commitment: bytes
    drawn: bytes


class Shuffling:
    """Remembers what one has added to shuffles; `draws` gives 32 bytes."""

    def __init__(
        self, *, by_itself: bool, draws: Callable[[], bytes] = lambda: secrets.token_bytes(32)
    ) -> None:
        """`by_itself`: add to every shuffle without being asked."""
        self._by_itself = by_itself
        self._draws = draws
        self._coming: dict[str, Part] = {}  # by table: for the match that is to come
        self._confirmed: set[bytes] = set()
        self._playing: dict[str, Part] = {}  # for the one that goes on, or the last one

    def follow(self, table: TableView, user: str) -> bytes | None:
        """Take a table in; what is to be added to its next shuffle now, if anything."""
        coming, shuffle = self._coming.get(table.id), table.shuffle
        if table.phase == "playing" and coming is not None:
            self._playing[table.id] = self._coming.pop(table.id)
        if shuffle is None or all(seat.owner != user for seat in table.seats):
            return None
        is_due = self._by_itself if coming is None else coming.commitment != shuffle.commitment
        return self.add(table, self._draws()) if is_due else None

    def add(self, table: TableView, drawn: bytes) -> bytes:
        """Remember what is added at a table now, which is to be sent."""
        if table.shuffle is not None:
            self._coming[table.id] = Part(table.shuffle.commitment, drawn)
        return drawn

    def confirm(self, drawn: bytes) -> None:
        """The server has taken it: from now on it has to count."""
        self._confirmed.add(drawn)

    def fault(self, table: TableView, own: Sequence[Seat]) -> Text | None:
        """What is wrong with the shuffle of a match that one has added to; None where nothing is."""
        match, part = table.match, self._playing.get(table.id)
        if match is None or part is None or part.drawn not in self._confirmed:
            return None
        return shuffle_fault(match, part, own)

    def is_in(self, table: TableView) -> bool:
        """Whether one's own part was in the shuffle of the match here."""
        match, part = table.match, self._playing.get(table.id)
        return match is not None and any(drawn == (part and part.drawn) for _, drawn in match.contributions)


def shuffle_fault(match: MatchView, part: Part, own: Sequence[Seat]) -> Text | None:
    """What is wrong with a shuffle, as far as one can tell now: all of it only after the end."""
    if match.commitment != part.commitment:
        return text("The host has changed its bytes after you had added yours: this shuffle proves nothing.")
    if not any(seat in own and drawn == part.drawn for seat, drawn in match.contributions):
        return text("What you have added to the shuffle was left out: this shuffle proves nothing.")
    if match.host_seed is None or match.seed is None:
        return None
    is_committed = sha256(match.host_seed).digest() == part.commitment
    if not is_committed or mix_seed(match.host_seed, match.contributions) != match.seed:
        return text("The seed is not what the host's bytes and yours make: this shuffle proves nothing.")
    return None


def digest_of(words: str) -> bytes:
    """What somebody's words add to a shuffle."""
    return sha256(words.encode()).digest()
