"""The full truth of one play of the board game, flat and small."""

from __future__ import annotations

from typing import Final

import msgspec

from kk_core.games.web_of_power.model import META, OVER
from kk_core.types import Event, Move, Seat

NOBODY: Final[tuple[Seat, ...]] = ()
ALONE: Final = tuple((seat,) for seat in range(META.max_seats))
"""The seat by itself."""


class Deal(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The part of a play that never changes; `seed` is that of the chance stream."""

    seats: int
    end_of_round: bool
    seed: bytes


class State(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A position; `turn` counts the turns from 0, so that seat and round follow from it.

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
        """The seat whose turn it is, or was last when the match is over."""
        return self.turn % self.deal.seats

    @property
    def is_over(self) -> bool:
        """True when nobody has anything left to do."""
        return self.phase == OVER


class Draft:
    """A copy of a state, of which nobody else knows, to be changed; its fields mean the same.

    What is not a number is replaced where it changes: most moves leave most of it alone.
    """

    __slots__ = (
        "advisors", "advisors_left", "begun", "begun_empty", "board", "cloisters", "cloisters_left", "deal",
        "discards", "events", "face_up", "hands", "interim", "old", "phase", "pile", "pile_runs", "placed",
        "position", "room", "shown", "since", "turn",
    )  # fmt: skip

    def __init__(self, state: State) -> None:
        self.deal = state.deal
        self.turn = state.turn
        self.phase = state.phase
        self.begun = state.begun
        self.begun_empty = state.begun_empty
        self.placed = state.placed
        self.board = state.board
        self.cloisters = state.cloisters
        self.advisors = state.advisors
        self.cloisters_left = state.cloisters_left
        self.advisors_left = state.advisors_left
        self.room = state.room
        self.hands = state.hands
        self.pile = state.pile
        self.face_up = state.face_up
        self.discards = state.discards
        self.position = state.position
        self.pile_runs = state.pile_runs
        self.interim = state.interim
        self.shown = state.shown
        self.old = state.old
        self.since = state.since
        self.events: tuple[Event, ...] = ()

    @property
    def seat(self) -> Seat:
        """The seat whose turn it is, or was last when the match is over."""
        return self.turn % self.deal.seats

    def finished(self, legal: tuple[Move, ...]) -> State:
        """Return the state that has come of it, with its legal moves."""
        # by place, because by name it takes several times as long
        return State(
            self.deal, self.turn, self.phase, self.begun, self.begun_empty, self.placed, self.board,
            self.cloisters, self.advisors, self.cloisters_left,
            self.advisors_left, self.room, self.hands, self.pile, self.face_up,
            self.discards, self.position, self.pile_runs, self.interim, self.shown,
            self.old, self.since, legal, self.events,
        )  # fmt: skip
