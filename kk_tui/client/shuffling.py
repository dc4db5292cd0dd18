"""The user's additions to shuffles, and the check that a match has kept them."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from kk_core.chance import mix_seed
from kk_core.errors import KkError
from kk_core.text import Text, text
from kk_core.types import Seat
from kk_core.views import MatchView, TableView


@dataclass(frozen=True)
class OwnContribution:
    """The bytes that the user has added to a shuffle, and the host's commitment shown at that time."""

    commitment: bytes
    drawn: bytes


class Shuffling:
    """Remembers what the user has added to shuffles, to check them later; `draws` returns 32 bytes."""

    def __init__(
        self, *, by_itself: bool, draws: Callable[[], bytes] = lambda: secrets.token_bytes(32)
    ) -> None:
        """Add to every shuffle without being asked if `by_itself`."""
        self._by_itself = by_itself
        self._draws = draws
        self._coming: dict[str, OwnContribution] = {}  # by table: for the next match
        self._confirmed: set[bytes] = set()
        self._playing: dict[str, OwnContribution] = {}  # for the running match, or the last one

    def follow(self, table: TableView, user: str) -> bytes | None:
        """Take in a table; return what must be added to its next shuffle now, if anything."""
        coming, shuffle = self._coming.get(table.id), table.shuffle
        if table.phase == "playing" and coming is not None:
            self._playing[table.id] = self._coming.pop(table.id)
        if shuffle is None or all(seat.owner != user for seat in table.seats):
            return None
        # Bytes added under another commitment do not count: the host has drawn its own again since.
        is_due = self._by_itself if coming is None else coming.commitment != shuffle.commitment
        return self.add(table, self._draws()) if is_due else None

    def add(self, table: TableView, drawn: bytes) -> bytes:
        """Remember what is added at a table now, and return it to be sent."""
        if table.shuffle is not None:
            self._coming[table.id] = OwnContribution(table.shuffle.commitment, drawn)
        return drawn

    def add_words(self, table: TableView | None, words: str) -> bytes:
        """Add a digest of words; return it to be sent. Raises `KkError` if no shuffle is due."""
        if table is None or table.shuffle is None:
            raise KkError(text("There is no shuffle to add words to right now."))
        return self.add(table, digest_of(words))

    def confirm(self, drawn: bytes) -> None:
        """Note that the server has accepted it: from now on it must count."""
        self._confirmed.add(drawn)

    def fault(self, table: TableView, own: Sequence[Seat]) -> Text | None:
        """Return what is wrong with the shuffle of a match that the user has added to; None if nothing is."""
        match, part = table.match, self._playing.get(table.id)
        if match is None or part is None or part.drawn not in self._confirmed:
            return None
        return shuffle_fault(match, part, own)

    def is_in(self, table: TableView) -> bool:
        """Return whether the user's bytes were in the shuffle of the match here."""
        match, part = table.match, self._playing.get(table.id)
        return match is not None and any(drawn == (part and part.drawn) for _, drawn in match.contributions)


def shuffle_fault(match: MatchView, part: OwnContribution, own: Sequence[Seat]) -> Text | None:
    """Return what is wrong with a shuffle, as far as is known; the seed can be checked after the end."""
    if match.commitment != part.commitment:
        return text("The host changed its bytes after you added yours: this shuffle proves nothing.")
    if not any(seat in own and drawn == part.drawn for seat, drawn in match.contributions):
        return text("Your contribution to the shuffle was left out: this shuffle proves nothing.")
    if match.host_seed is None or match.seed is None:  # both are secret until the end
        return None
    is_committed = sha256(match.host_seed).digest() == part.commitment
    if not is_committed or mix_seed(match.host_seed, match.contributions) != match.seed:
        return text("The seed doesn't match the host's bytes and yours: this shuffle proves nothing.")
    return None


def digest_of(words: str) -> bytes:
    """Return the bytes that a user's words add to a shuffle."""
    return sha256(words.encode()).digest()
