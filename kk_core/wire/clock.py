"""How much time people have, as clients see it."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from msgspec import Meta

DAY: Final = 24 * 3600


class _Clock(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    pass


class ClockRule(_Clock, frozen=True):
    """Seconds that everybody has for each turn, and besides for all turns of the match together."""

    move: Annotated[int, Meta(ge=1, le=30 * DAY)]
    bank: Annotated[int, Meta(ge=0, le=DAY)] = 0


class SeatClock(_Clock, frozen=True):
    """Seconds that a seat still has for this turn and in its bank, when the view was made; and if it runs."""

    move: int
    bank: int
    runs: bool


class ClockView(_Clock, frozen=True):
    """The clocks of a match, by seat; before the first there are none."""

    rule: ClockRule
    seats: tuple[SeatClock, ...] = ()
