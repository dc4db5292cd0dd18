"""The entries that the log keeps of a table: replaying them in order gives the table as it was."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from kk_core.bot_names import STAND_IN
from kk_core.errors import KkError
from kk_core.text import text
from kk_core.types import Seat
from kk_core.views import ClockRule


class BadEntry(KkError):
    """An entry of the log that cannot be read, or does not fit the ones before it."""


class SeatHolder(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The holder of a seat: a user (`owner`), a bot, or nobody; `name` is shown there.

    `stand_in` is a bot that plays for the owner until they are back, or to the end, if they have resigned
    (`has_given_up`). With `program`, a program plays there for its owner.
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


# unknown fields are refused: ignoring those of a newer version would replay another table
class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="entry"):
    pass


class Created(_Entry, tag="created", frozen=True, omit_defaults=True):
    """A table was opened: always the first entry, and only there.

    `host` has opened it. With `hints`, people may ask for them. With a `code`, it is private, and the code
    leads there. If it is not `watched`, only people who sit there see the match. If it is `rated`, matches
    count. The bot `stand_in` plays for anybody who is away. At the table of a `lesson` the host plays alone
    what the game's lesson has prepared, and it counts for nothing. At that of a `daily` deal they play the
    one of a day, as 2026-11-24, alone against bots; it `counts` if it is an account's first try.
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


class HandedOn(_Entry, tag="owner", frozen=True):
    """The table belongs to another user from now on."""

    owner: str


class Invited(_Entry, tag="invited", frozen=True):
    """An account may come to a private table: it was invited, or knows the code."""

    user: str


class Seated(_Entry, tag="seated", frozen=True):
    """The seats as they are from now on."""

    seats: tuple[SeatHolder, ...]


class Started(_Entry, tag="started", frozen=True, omit_defaults=True):
    """A match began, the first or another one; `seed` in hex digits.

    `rules` is the digest of the rules data it is dealt with, `drawing` that of what it is drawn with, None
    where nothing is drawn.
    `contributions` are what seats added to it, in hex digits, in their order.
    `moves` are plies that were taken over from another match, in the form of `Moved`.
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
    """The match was broken off, or is over: the next one is waited for, with these seats."""

    seats: tuple[SeatHolder, ...]


class Closed(_Entry, tag="closed", frozen=True):
    """The table is gone from the lobby; its matches stay in the log."""


class Ended(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The result of a match, as a line of its people's history; it follows from the entries.

    `match` counts the matches of a table from 1; `at` is in seconds since 1970. `replayed` is how many of its
    plies were taken over from another match. With `rated`, it counts for the ratings of its people. `daily`
    is the day whose deal it was, if it was one.
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
        """Return the share of the win: 1 for a sole winner, 0 for anybody who has resigned."""
        if seat not in self.winners or self.seats[seat].has_given_up:
            return 0.0
        return 1 / len(self.winners)


Entry: TypeAlias = Created | HandedOn | Invited | Seated | Started | Moved | Undone | Reopened | Closed

_decoder: msgspec.json.Decoder[Entry] = msgspec.json.Decoder(Entry)


def encode_entry(entry: Entry) -> bytes:
    """Encode an entry for the log."""
    return msgspec.json.encode(entry)


def decode_entry(data: bytes) -> Entry:
    """Decode the entry of `encode_entry`. Raises `BadEntry`."""
    try:
        return _decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BadEntry(text("Not an entry of a table: {reason}", reason=str(error))) from None
