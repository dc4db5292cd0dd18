"""A table as the entries of its log make it: the one place where entries take effect."""

from __future__ import annotations

from collections.abc import Iterable

from kk_core.chance import SEED_BYTES
from kk_core.checks import complete_options
from kk_core.match import Match
from kk_core.record import play_line
from kk_core.registry import game
from kk_core.text import text
from kk_core.types import Seat
from server.storage.entries import BadEntry, Closed, Created, Entry, Holder, Moved, Seated, Started, Undone

OPEN = "open"
PLAYING = "playing"
FINISHED = "finished"


class Standing:
    """Who sits where and how the match stands; `revision` counts the entries applied."""

    def __init__(self, created: Created) -> None:
        self.created = created
        self.rules = game(created.game)
        self.options = complete_options(self.rules.meta, created.seats, created.options)
        self.seats: tuple[Holder, ...] = (Holder(),) * created.seats
        self.match: Match | None = None
        self.matches = 0
        self.is_closed = False
        self.revision = 1

    @property
    def phase(self) -> str:
        """Open, playing or finished, as views name it."""
        if self.match is None:
            return OPEN
        return FINISHED if self.match.is_over else PLAYING

    def apply(self, entry: Entry) -> None:
        """Take an entry over. Raises `KkError` when it does not fit; then nothing has changed."""
        match entry:
            case Started():
                self._start(entry)
            case Moved():
                play_line(self._running(), entry.line)
            case Undone():
                self._running().undo(entry.seat)
            case Seated():
                self._check_seats(entry.seats)
                self.seats = entry.seats
            case Closed():
                self.is_closed = True
            case Created():
                raise BadEntry(text("A table cannot be opened twice."))
        self.revision += 1

    def seats_of(self, user: str) -> tuple[Seat, ...]:
        """The seats that a user owns."""
        return tuple(seat for seat, holder in enumerate(self.seats) if holder.owner == user)

    def _start(self, entry: Started) -> None:
        self._check_seats(entry.seats)
        if entry.rules_version != self.rules.rules_version:
            raise BadEntry(
                text(
                    "This match was begun with rules {theirs}; here are rules {ours}.",
                    theirs=entry.rules_version, ours=self.rules.rules_version,
                )
            )  # fmt: skip
        names = tuple(holder.name for holder in entry.seats)
        self.match = Match(self.rules, self.options, names, _seed(entry.seed))
        self.seats = entry.seats
        self.matches += 1

    def _check_seats(self, seats: tuple[Holder, ...]) -> None:
        if len(seats) != len(self.seats):
            raise BadEntry(text("The table has {n} seats, not {other}.", n=len(self.seats), other=len(seats)))

    def _running(self) -> Match:
        if self.match is None:
            raise BadEntry(text("The match has not begun."))
        return self.match


def _seed(digits: str) -> bytes:
    try:
        seed = bytes.fromhex(digits)
    except ValueError:
        raise BadEntry(text("The seed is not written in hex digits.")) from None
    if len(seed) != SEED_BYTES:
        raise BadEntry(text("The seed has {n} bytes, not {wanted}.", n=len(seed), wanted=SEED_BYTES))
    return seed


def stand(entries: Iterable[Entry]) -> Standing:
    """The table that entries make. Raises `KkError`, naming the first entry that does not fit."""
    rest = iter(entries)
    first = next(rest, None)
    if not isinstance(first, Created):
        raise BadEntry(text("The first entry does not open the table."))
    standing = Standing(first)
    for entry in rest:
        standing.apply(entry)
    return standing
