"""What is known of a table without replaying it, kept beside its entries; they make it again."""

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
    """A table after so many entries of its log, as the lobby and those who wait for time to pass need it.

    It follows from these entries, which never change, and is stored with their number: so it may be older
    than the log, which shows, but never at odds with it. `rules` are the version and the digest of the rules
    data of the match; `at` is when it last changed, in seconds since 1970. It `is_kept` when the result
    and the record of the match that is over were. `stood_in` is how many moves stand-ins have made for a seat
    since its owner's last one.
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
    rules: tuple[str, str] | None = None
    at: int = 0
    is_kept: bool = False
    stood_in: dict[Seat, int] = {}

    @property
    def number(self) -> int:
        """The number of the match, from 1: of the one that goes on or is over, or else of the next one."""
        return self.matches + (self.phase == OPEN)

    @property
    def is_private(self) -> bool:
        """Whether only those come who are invited."""
        return self.created.code is not None

    @property
    def people(self) -> set[str]:
        """Whom the table concerns: its owner, and those who sit there."""
        return {self.owner, *(holder.owner for holder in self.seats if holder.owner is not None)}

    def admits(self, user: str) -> bool:
        """Whether somebody may come."""
        return not self.is_private or user in self.invited or user in self.people


def outlined(entries: Iterable[Entry], at: int) -> Summary:
    """What the entries of a table tell that are no moves; of a match that may be over, that it goes on.

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
    """A summary as it is stored."""
    return msgspec.json.encode(summary).decode()


def decode_summary(stored: object) -> Summary | None:
    """The summary of `encode_summary`; None where it was lost or is of another release."""
    try:
        return _decoder.decode(stored) if isinstance(stored, str | bytes) else None
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
