"""The entries of a table's log: replaying them in order reconstructs the table."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from kk_core.bot_names import STAND_IN
from kk_core.errors import KkError
from kk_core.reasons import shape_reason
from kk_core.text import text
from kk_core.types import Seat
from kk_core.views import ClockRule


class BadEntry(KkError):
    """A log entry that cannot be read, or does not fit the ones before it."""


class SeatHolder(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The holder of a seat: a user (`owner`), a bot, or nobody; `name` is shown there.

    `stand_in` is a bot that plays for the owner until they are back, or to the end if they have resigned
    (`has_given_up`). If `program`, a program plays there for its owner.
    """

    name: str = ""
    owner: str | None = None
    bot: str | None = None
    stand_in: str | None = None
    has_given_up: bool = False
    program: bool = False

    @property
    def player(self) -> str | None:
        """The bot that makes the moves; None if a person does."""
        return self.bot or self.stand_in

    @property
    def is_free(self) -> bool:
        """True if nobody sits here."""
        return self.owner is None and self.bot is None


# unknown fields are refused: ignoring fields of a newer version would replay a different table
class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="entry"):
    pass


class Created(_Entry, tag="created", frozen=True, omit_defaults=True):
    """A table was opened: always the first entry, and only there.

    `host` opened it. With `hints`, people may ask for hints. With a `code` it is private, and the code leads
    there. Unless `watched`, only people who sit there see the match. If `rated`, matches count for ratings.
    The bot `stand_in` plays for anybody who is away. At a `lesson` table the host plays the game's lesson
    alone, and nothing counts. At a `daily` table they play the deal of that day, such as 2026-11-24, alone
    against bots, which play as in version `bots` (`kk_core.daily.BOTS_VERSION`); it `counts` if it is an
    account's first try.
    """

    title: str
    host: str
    game: str
    options: dict[str, str]
    seats: int
    hints: bool = False
    code: str | None = None
    watched: bool = True
    clock: ClockRule | None = None
    rated: bool = False
    stand_in: str = STAND_IN
    lesson: bool = False
    daily: str = ""
    counts: bool = False
    bots: int = 0


class HandedOn(_Entry, tag="owner", frozen=True):
    """The table belongs to another user from now on."""

    owner: str


class Invited(_Entry, tag="invited", frozen=True):
    """An account may enter a private table: it was invited, or used the code."""

    user: str


class Seated(_Entry, tag="seated", frozen=True):
    """The seats as they are from now on."""

    seats: tuple[SeatHolder, ...]


class Started(_Entry, tag="started", frozen=True, omit_defaults=True):
    """A match began, the first or another one; `seed` in hex digits.

    `rules` is the digest of the rules data it is dealt with, `drawing` that of what it is drawn with (None
    if nothing is drawn). `contributions` are the seats' additions to the seed, in hex digits and in order.
    `moves` are plies taken over from another match, in the form of `Moved`.
    """

    seed: str
    rules_version: str
    seats: tuple[SeatHolder, ...]
    rules: str
    moves: tuple[str, ...] = ()
    drawing: str | None = None
    contributions: tuple[tuple[Seat, str], ...] = ()


class Moved(_Entry, tag="moved", frozen=True):
    """A move in the form of records: "SEAT NOTATION"."""

    line: str


class Undone(_Entry, tag="undone", frozen=True, omit_defaults=True):
    """A seat took its last step back; in a lesson, all steps after the first `to`."""

    seat: Seat
    to: int | None = None


class Reopened(_Entry, tag="reopened", frozen=True):
    """The match was aborted or is over; the next one is awaited, with these seats."""

    seats: tuple[SeatHolder, ...]


class Closed(_Entry, tag="closed", frozen=True):
    """The table is gone from the lobby; its matches stay in the log."""


class Ended(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The result of a match, as a line of its people's history; it follows from the entries.

    `match` counts the matches of a table from 1; `at` is in seconds since 1970. `replayed` is how many of its
    plies were taken over from another match. If `rated`, it counts for its people's ratings. `daily` is the
    day whose deal it was, if any.
    """

    table: str
    match: int
    at: int
    game: str
    seats: tuple[SeatHolder, ...]
    points: tuple[int, ...]
    winners: tuple[Seat, ...]
    plies: int
    replayed: int
    rated: bool = False
    daily: str = ""

    def share_of_win(self, seat: Seat) -> float:
        """Return the share of the win: 1 for a sole winner, 0 for a loser or anybody who resigned."""
        if seat not in self.winners or self.seats[seat].has_given_up:
            return 0.0
        return 1 / len(self.winners)


Entry: TypeAlias = Created | HandedOn | Invited | Seated | Started | Moved | Undone | Reopened | Closed

_decoder: msgspec.json.Decoder[Entry] = msgspec.json.Decoder(Entry)


def encode_entry(entry: Entry) -> bytes:
    """Encode an entry for the log."""
    return msgspec.json.encode(entry)


def decode_entry(data: bytes) -> Entry:
    """Decode what `encode_entry` made. Raises `BadEntry`."""
    try:
        return _decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BadEntry(text("Not an entry of a table: {reason}", reason=shape_reason(error))) from None
