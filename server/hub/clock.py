"""The clocks of a match: how much time everybody has left. A value; whoever asks says what time it is."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from kk_core.types import Seat
from kk_core.wire.clock import ClockRule, ClockView, SeatClock


class Side(msgspec.Struct, frozen=True):
    """Seconds that a seat has left for turn number `turn`, and in its bank."""

    move: float
    bank: float
    turn: int = -1

    def after(self, seconds: float) -> Side:
        """So many seconds later: the bank pays for what the turn has not."""
        beyond = max(0.0, seconds - self.move)
        return replace(self, move=max(0.0, self.move - seconds), bank=max(0.0, self.bank - beyond))

    @property
    def left(self) -> float:
        """Seconds until the time is over."""
        return self.move + self.bank


class Clock(msgspec.Struct, frozen=True):
    """All clocks of match number `match`, as they were at a moment; those of `running` seats go on.

    Moments are counted in seconds that servers have run: clocks stand still while none does.
    """

    rule: ClockRule
    match: int
    sides: tuple[Side, ...]
    running: frozenset[Seat] = frozenset()
    at: float = 0.0

    def now(self, now: float) -> Clock:
        """The clocks as they are at a later moment."""
        gone = max(0.0, now - self.at)
        sides = tuple(
            side.after(gone) if seat in self.running else side for seat, side in enumerate(self.sides)
        )
        return replace(self, sides=sides, at=now)

    def run(self, turns: Mapping[Seat, int], now: float) -> Clock:
        """From now on these seats are waited for, each in a turn; a new turn has its own time."""
        sides = list(self.now(now).sides)
        for seat, turn in turns.items():
            if sides[seat].turn != turn:
                sides[seat] = Side(float(self.rule.move), sides[seat].bank, turn)
        return replace(self, sides=tuple(sides), running=frozenset(turns), at=now)

    @property
    def turns(self) -> dict[Seat, int]:
        """The seats whose time runs, and in which turn."""
        return {seat: self.sides[seat].turn for seat in self.running}

    def fresh(self, seat: Seat) -> Clock:
        """A seat has all time for a turn again."""
        sides = list(self.sides)
        sides[seat] = replace(sides[seat], turn=-1)
        return replace(self, sides=tuple(sides))

    def is_over(self, seat: Seat, now: float) -> bool:
        """Whether the time of a seat is over that is waited for."""
        return seat in self.running and self.now(now).sides[seat].left <= 0

    def rest(self, now: float) -> float | None:
        """Seconds until the first time is over; None while nobody's runs."""
        sides = self.now(now).sides
        return min((sides[seat].left for seat in self.running), default=None)

    @property
    def end(self) -> float | None:
        """When the first time is over; None while nobody's runs."""
        rest = self.rest(self.at)
        return None if rest is None else self.at + rest

    def view(self, now: float) -> ClockView:
        """As clients see it."""
        sides = enumerate(self.now(now).sides)
        seats = tuple(
            SeatClock(round(side.move), round(side.bank), seat in self.running) for seat, side in sides
        )
        return ClockView(self.rule, seats)


def new_clock(rule: ClockRule, match: int, seats: int) -> Clock:
    """The clocks at the beginning of a match."""
    return Clock(rule, match, (Side(float(rule.move), float(rule.bank)),) * seats)


def encode_clock(clock: Clock) -> str:
    """What is kept of the clocks; they go on from there while a server runs."""
    return msgspec.json.encode(clock).decode()


def decode_clock(kept: str) -> Clock | None:
    """The clocks of `encode_clock`; None where they cannot be read."""
    try:
        return msgspec.json.decode(kept, type=Clock)
    except msgspec.MsgspecError:
        return None
