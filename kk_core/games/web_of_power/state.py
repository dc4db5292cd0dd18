"""The full truth of a match of the board game."""

from __future__ import annotations

from typing import Final

import msgspec

from kk_core.games.web_of_power.model import META, OVER
from kk_core.types import Event, Move, Seat

NOBODY: Final[tuple[Seat, ...]] = ()
ALONE: Final = tuple((seat,) for seat in range(META.max_seats))
"""By seat: the tuple of this seat alone."""


class Deal(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The part of a state that never changes; `seed` is that of the chance stream."""

    seats: int
    end_of_round: bool
    seed: bytes


class State(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A position; `turn` counts the turns from 0, so that seat and round follow from it.

    `board`, `phase`, `face_up`, `begun` and `placed` are coded as in the model; `begun_empty` is true if the
    country of this turn was empty before. `cloisters` and `advisors` count the pieces in the countries
    (country * seats + seat), `cloisters_left` and `advisors_left` those in the supplies. `room` has the bit
    1 << country for every country with a free advisor place.

    `hands` are ascending kinds, `pile` has the next card first, `discards` counts the cards per kind.
    `position` is the number of used words of the chance stream, `pile_runs` how often the pile has run out,
    `interim` the points of the interim scoring (country * seats + seat), empty before it.

    `shown` are the kinds in the hands that were taken from the face-up cards. `old` has the other kinds that
    the hands held when the pile first ran out, without those certainly played since, `since` what has
    happened since then as in `OldCards`; both are empty before. `legal` are the moves of the seat, ascending;
    they follow from the rest and are cached here. `events` are those of the step that led here.
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
        """True once the match is over."""
        return self.phase == OVER


class Draft:
    """A mutable, private copy of a state; its fields mean the same.

    Bytes and tuples are replaced when they change, since most moves leave most of them alone.
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
        """Return the draft as a state, with its legal moves."""
        # positional arguments: keywords take several times as long
        return State(
            self.deal, self.turn, self.phase, self.begun, self.begun_empty, self.placed, self.board,
            self.cloisters, self.advisors, self.cloisters_left,
            self.advisors_left, self.room, self.hands, self.pile, self.face_up,
            self.discards, self.position, self.pile_runs, self.interim, self.shown,
            self.old, self.since, legal, self.events,
        )  # fmt: skip
