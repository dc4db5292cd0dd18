"""A table as replayed from the entries of its log: the only place where entries take effect."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from time import perf_counter
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from kk_core.chance import SEED_BYTES, commitment
from kk_core.checks import complete_options
from kk_core.config import digest
from kk_core.game import AnyGame
from kk_core.match import Match, Ply
from kk_core.record import play_line
from kk_core.registry import game, game_for
from kk_core.text import text
from kk_core.types import Seat, Tree
from kk_core.views import ShuffleView
from kk_server.storage.entries import (
    BadEntry,
    Closed,
    Created,
    Entry,
    HandedOn,
    Invited,
    Moved,
    Reopened,
    Seated,
    SeatHolder,
    Started,
    Undone,
)
from kk_server.storage.summaries import FINISHED, OPEN, PLAYING, Summary
from kk_server.storage.table_log import StoredTable, TableLog, data_for, unknown_rules

_WORK: Final = 0.004
"""Seconds of work before the event loop is yielded."""

_PAUSE: Final = 0.004
"""Minimum seconds to yield for."""


class CooperativeYield:
    """Lets long background work yield to other tasks; call `pause` often."""

    def __init__(self) -> None:
        self._since = perf_counter()

    async def pause(self) -> None:
        """Yield, if it is time."""
        if perf_counter() - self._since >= _WORK:
            await asyncio.sleep(_PAUSE)
            self._since = perf_counter()


class TableState:
    """The seats and the match of a table; `revision` counts the entries applied."""

    def __init__(self, created: Created, kept: Mapping[str, Tree] | None = None) -> None:
        """Open the table; `kept` has the rules data and drawings of earlier matches, by digest."""
        self._kept = kept or {}
        self.created = created
        self.owner = created.host
        self.invited: set[str] = set()
        self.rules = game(created.game)
        self.options = complete_options(self.rules.meta, created.seats, created.options)
        self.seats: tuple[SeatHolder, ...] = (SeatHolder(),) * created.seats
        self.stood_in: Counter[Seat] = Counter()
        """Moves that stand-ins have made on a seat since its owner's last one."""
        self.match: Match | None = None
        self.matches = 0
        self._begun_with: tuple[str, str] | None = None
        self.is_closed = False
        self.revision = 1

    @property
    def phase(self) -> str:
        """Open, playing or finished, as named in views."""
        if self.match is None:
            return OPEN
        return FINISHED if self.match.is_over else PLAYING

    def apply(self, entry: Entry, ply: Ply | None = None) -> None:
        """Apply an entry. Raises `KkError` if it does not fit; then nothing has changed.

        `ply` is the move of a `Moved`, if it is known without parsing its text.
        """
        match entry:
            case Started():
                self._start(entry)
            case Moved():
                match = self._running()
                if ply is None:
                    play_line(match, entry.line)
                else:
                    match.play(*ply)
                self._count_for(match.plies[-1].seat)
            case Undone(to=int(first)):
                self._running().rewind(first)
            case Undone():
                self._running().take_back(entry.seat)
                self.stood_in -= Counter([entry.seat])  # never below 0
            case Seated():
                self._check_seats(entry.seats)
                self.seats = entry.seats
            case HandedOn():
                self.owner = entry.owner
            case Invited():
                self.invited.add(entry.user)
            case Reopened():
                self._check_seats(entry.seats)
                self.match, self.seats = None, entry.seats
                self.stood_in.clear()
            case Closed():
                self.is_closed = True
            case Created():
                raise BadEntry(text("A table cannot be opened twice."))
        self.revision += 1

    def _count_for(self, seat: Seat) -> None:
        if self.seats[seat].stand_in is None:
            # deleting a missing key from a `Counter` is no error
            del self.stood_in[seat]
        else:
            self.stood_in[seat] += 1

    @property
    def number(self) -> int:
        """The number of the match, from 1: the current or last one, or else the next."""
        return self.matches + (self.match is None)

    def summary(self, at: int, *, is_kept: bool) -> Summary:
        """Return the summary that describes the table without replaying it."""
        made = Summary(
            self.created, self.owner, self.seats, self.phase, self.matches, tuple(sorted(self.invited)),
            rules=self._begun_with, at=at, is_kept=is_kept,
        )  # fmt: skip
        if self.match is None:
            return made
        rules, now = self.match.game, self.match.state
        return replace(
            made, round=rules.round(now), points=rules.observe(now, None).points,
            active=rules.active_seats(now), turn=self.match.turn_start, stood_in=dict(self.stood_in),
        )  # fmt: skip

    def seats_of(self, user: str) -> tuple[Seat, ...]:
        """Return the seats that a user owns."""
        return tuple(seat for seat, holder in enumerate(self.seats) if holder.owner == user)

    def _start(self, entry: Started) -> None:
        self._check_seats(entry.seats)
        names = tuple(holder.name for holder in entry.seats)
        rules = self._rules_of(entry)
        drawing = self._drawing_of(entry, rules)
        added = [(seat, _seed(digits)) for seat, digits in entry.contributions]
        match = Match(rules, self.options, names, _seed(entry.seed), added, drawing=drawing)
        for line in entry.moves:
            play_line(match, line)
        # a continued match: the steps before it cannot be taken back
        if entry.moves:
            match.close_replayed()
        self.match = match
        self.seats = entry.seats
        self.stood_in.clear()
        self.matches += 1
        self._begun_with = entry.rules_version, entry.rules

    def _rules_of(self, entry: Started) -> AnyGame:
        if entry.rules == digest(self.rules.rules_data) and entry.rules_version == self.rules.rules_version:
            return self.rules
        # the deck or map may have changed since the match began
        if entry.rules not in self._kept:
            raise unknown_rules(entry.rules)
        return game_for(self.created.game, entry.rules_version, self._kept[entry.rules])

    def _drawing_of(self, entry: Started, rules: AnyGame) -> Any:
        """Return the drawing a match began with; None to use today's."""
        # a drawing changes no rule: without it the match continues, drawn as new matches are
        if entry.drawing is None or entry.drawing not in self._kept:
            return None
        try:
            return msgspec.convert(self._kept[entry.drawing], type(rules.drawing))
        except msgspec.ValidationError:  # from a release with another drawing format
            return None

    def _check_seats(self, seats: tuple[SeatHolder, ...]) -> None:
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


def replay_states(entries: Iterable[Entry], kept: Mapping[str, Tree] | None = None) -> Iterator[TableState]:
    """Yield the table after each of its entries, always the same object.

    Raises `KkError`, naming the first entry that does not fit.
    """
    rest = iter(entries)
    first = next(rest, None)
    if not isinstance(first, Created):
        raise BadEntry(text("The first entry does not open the table."))
    yield (state := TableState(first, kept))
    for entry in rest:
        state.apply(entry)
        yield state


def replayed(entries: Iterable[Entry], kept: Mapping[str, Tree] | None = None) -> TableState:
    """Return the table that results from entries. Raises `KkError`, naming the first that does not fit."""
    *_, state = replay_states(entries, kept)
    return state


async def restore(log: TableLog, stored: StoredTable, yielding: CooperativeYield | None = None) -> TableState:
    """Return a table as its log has it. Raises `KkError` if the log is damaged."""
    if stored.damage is not None:
        raise stored.damage
    kept = await data_for(log, stored.entries)
    if yielding is None:
        return replayed(stored.entries, kept)
    states = replay_states(stored.entries, kept)
    state = next(states)
    for _ in states:  # the same object after each entry
        await yielding.pause()
    return state


class Shuffle:
    """The bytes that the next match is shuffled with.

    The host draws its own before anybody adds theirs, and shows their SHA-256 from then on. They are for one
    match: `matches` is the number of those begun before it.
    """

    def __init__(
        self, matches: int, host_seed: bytes | None = None, added: Mapping[str, bytes] | None = None
    ) -> None:
        """Draw the host's bytes, unless they are known, with what users have `added`."""
        self.matches = matches
        self.host_seed = host_seed or secrets.token_bytes(SEED_BYTES)
        self._added = dict(added or {})

    @property
    def added(self) -> Mapping[str, bytes]:
        """The bytes that each user has added."""
        return self._added

    def add(self, user: str, drawn: bytes) -> None:
        """Add a user's bytes, replacing any earlier ones."""
        self._added[user] = drawn

    def contributions(self, seats: Sequence[SeatHolder]) -> tuple[tuple[Seat, str], ...]:
        """Return the contributions of seated people, as hex digits, each by the person's first seat."""
        first: dict[str, Seat] = {}
        for seat, holder in enumerate(seats):
            if holder.owner in self._added:
                first.setdefault(holder.owner or "", seat)
        return tuple((seat, self._added[user].hex()) for user, seat in first.items())

    def view(self) -> ShuffleView:
        """Return the part that everybody may know."""
        return ShuffleView(commitment(self.host_seed), tuple(sorted(self._added)))
