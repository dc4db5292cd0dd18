"""Summaries: what is known of a table without replaying it. They follow from the entries."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from kk_core.text import text
from kk_core.types import Seat
from kk_server.storage.entries import (
    BadEntry,
    Created,
    Entry,
    HandedOn,
    Invited,
    Reopened,
    Seated,
    SeatHolder,
    Started,
)

OPEN = "open"
PLAYING = "playing"
FINISHED = "finished"


class Summary(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A summary of a table after some number of entries, for the lobby and for timers.

    It follows from these entries, which never change, and is stored with their number: it may be older than
    the log, which can be detected, but never contradicts it. `rules` are the version and the digest of the
    match's rules data; `at` is when the table last changed, in seconds since 1970. `is_kept` is true once the
    result and record of the last match are stored. `turn` is the number of plies before the current turn or
    simultaneous choice. `stood_in` counts the moves that stand-ins have made on a
    seat since its owner's last one.
    """

    created: Created
    owner: str
    seats: tuple[SeatHolder, ...]
    phase: str = OPEN
    matches: int = 0
    invited: tuple[str, ...] = ()
    round: int = 0
    points: tuple[int, ...] = ()
    active: tuple[Seat, ...] = ()
    turn: int = 0
    rules: tuple[str, str] | None = None
    at: int = 0
    is_kept: bool = False
    # not shared: msgspec makes a new dict for every summary
    stood_in: dict[Seat, int] = {}

    @property
    def number(self) -> int:
        """The number of the match, from 1: the current or last one, or else the next."""
        return self.matches + (self.phase == OPEN)

    @property
    def is_private(self) -> bool:
        """True if the table is by invitation only, or for one person."""
        return self.created.code is not None or self.created.lesson or bool(self.created.daily)

    @property
    def people(self) -> set[str]:
        """The users it concerns: its owner, and everybody who sits there."""
        return {self.owner, *(holder.owner for holder in self.seats if holder.owner is not None)}

    def waits_for(self, user: str) -> bool:
        """Return whether it is a user's own turn, and somebody else plays there, too."""
        if self.phase != PLAYING:
            return False
        own = any(self.seats[seat].owner == user and not self.seats[seat].player for seat in self.active)
        return own and any(holder.owner not in (None, user) for holder in self.seats)

    def admits(self, user: str) -> bool:
        """Return whether a user may enter."""
        return not self.is_private or user in self.invited or user in self.people


def outlined(entries: Iterable[Entry], at: int) -> Summary:
    """Summarise entries without moves; a match counts as running even if it may be over.

    Raises `BadEntry`.
    """
    first, *others = entries
    if not isinstance(first, Created):
        raise BadEntry(text("The first entry does not open the table."))
    made = Summary(first, first.host, (SeatHolder(),) * first.seats, at=at)
    for entry in others:
        match entry:
            case Seated():
                made = replace(made, seats=entry.seats)
            case HandedOn():
                made = replace(made, owner=entry.owner)
            case Invited():
                made = replace(made, invited=tuple(sorted({*made.invited, entry.user})))
            case Started():
                rules = entry.rules_version, entry.rules
                made = replace(made, seats=entry.seats, phase=PLAYING, matches=made.matches + 1, rules=rules)
            case Reopened():
                made = replace(made, seats=entry.seats, phase=OPEN)
    return made


_decoder = msgspec.json.Decoder(Summary)


def encode_summary(summary: Summary) -> str:
    """Encode a summary for the log."""
    return msgspec.json.encode(summary).decode()


def decode_summary(stored: object) -> Summary | None:
    """Decode what `encode_summary` made; None if it is missing or from another release."""
    try:
        # whatever does not fit is rebuilt from the entries
        return _decoder.decode(stored) if isinstance(stored, str | bytes) else None
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
