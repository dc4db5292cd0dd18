"""The full truth of one play of the board game, flat and small."""

from __future__ import annotations

from typing import Final

import msgspec

from kk_core.games.web_of_power.meta import META
from kk_core.games.web_of_power.model import OVER
from kk_core.types import Event, Move, Seat

NOBODY: Final[tuple[Seat, ...]] = ()
ALONE: Final = tuple((seat,) for seat in range(META.max_seats))
"""The seat by itself."""


class Deal(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What never changes during a play; `seed` is that of the chance stream."""

    seats: int
    end_of_round: bool
    seed: bytes


class State(msgspec.Struct, array_like=True, gc=False):
    """A position; `turn` counts the turns from 0, so that seat and round follow from it.

    A value like any other, but that `moves` works on a copy of its own until the step is done.

    `board`, `phase`, `face_up`, `begun` and `placed` are coded as in the model; `begun_empty` tells whether
    the country of this turn was empty before it. `cloisters` and `advisors` count the pieces in the
    countries (country * seats + seat), the other two those in the supplies. `room` has the bit
    1 << country of every country with a free advisor place.

    `hands` are ascending kinds, `pile` has the next card first, `discards` counts the cards per kind.
    `position` is how far the chance stream has been read, `pile_runs` how often the pile ran out, `interim`
    the points of the interim scoring (country * seats + seat), empty before it.

    `shown` are the kinds in the hands that were taken from the open cards. `old` has the other kinds that
    the hands held when the pile ran out first, less those surely played since, `since` what has happened
    since then as in `OldCards`; both are empty before. `legal` are the moves of the seat, ascending: they
    follow from the rest and are kept here so that they are worked out only once. `events` are those of the
    step that led here.
    """

    deal: Deal
    turn: int
    phase: int
    begun: int
    begun_empty: bool
    placed: int
    board: bytes
    cloisters: bytes
    advisors: bytes
    cloisters_left: bytes
    advisors_left: bytes
    room: int
    hands: tuple[bytes, ...]
    pile: bytes
    face_up: bytes
    discards: bytes
    position: int
    pile_runs: int
    interim: bytes
    shown: tuple[bytes, ...]
    old: tuple[bytes, ...]
    since: tuple[bytes, ...]
    legal: tuple[Move, ...]
    events: tuple[Event, ...] = ()

    @property
    def seat(self) -> Seat:
        """Whose turn it is, or was last when the match is over."""
        return self.turn % self.deal.seats

    @property
    def is_over(self) -> bool:
        """Whether nobody has anything left to do."""
        return self.phase == OVER
