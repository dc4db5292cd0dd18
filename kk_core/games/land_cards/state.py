"""The full truth of a match of the card game."""

from __future__ import annotations

import msgspec

from kk_core.types import Event, Move, Seat


class Deal(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The part of a state that never changes.

    `kinds` are those of the faces, as `layout.kinds_of` gives them. `laws` has one byte per cell: 0, or 1 +
    the kind of the law card laid there. At most `stone_limit` stones of a seat may be on cards. With
    `at_start_only`, only cards that were at an end when the turn began may be taken.
    """

    faces: tuple[int, ...]
    kinds: bytes
    laws: bytes
    seats: int
    stone_limit: int
    at_start_only: bool


class State(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A position in turn number `turn`, which is `seat`'s.

    `board` is coded as in the model. `ends` are the cells, ascending, whose place allows taking them in this
    turn. `hands` are the kinds of law cards each seat holds, in the order in which it took them; `law_log` is
    coded as in the model. `symbols` is the number of circle symbols on the cards `taken` in this turn, of
    which `limit` are allowed. `legal` are the moves of `seat`, ascending; they follow from the rest and are
    cached here. `events` are those of the step that led here.
    """

    deal: Deal
    board: bytes
    ends: bytes
    supply: bytes
    gone: bytes
    hands: tuple[bytes, ...]
    law_log: bytes
    phase: int
    seat: Seat
    turn: int
    taken: bytes
    symbols: int
    limit: int
    any_colour: bool
    legal: tuple[Move, ...] = ()
    events: tuple[Event, ...] = ()


class Draft:
    """A mutable, private copy of a state; its fields mean the same.

    Created empty and then filled: an `__init__` would make every step 2 % slower. Bytes and tuples are
    replaced when they change, since most moves leave most of them alone.
    """

    __slots__ = (
        "any_colour", "board", "deal", "ends", "events", "gone", "hands", "law_log", "limit", "phase", "seat",
        "supply", "symbols", "taken", "turn",
    )  # fmt: skip

    def fill(self, state: State) -> None:
        """Become a copy of a state, without its events."""
        self.deal = state.deal
        self.board = state.board
        self.ends = state.ends
        self.supply = state.supply
        self.gone = state.gone
        self.hands = state.hands
        self.law_log = state.law_log
        self.phase = state.phase
        self.seat = state.seat
        self.turn = state.turn
        self.taken = state.taken
        self.symbols = state.symbols
        self.limit = state.limit
        self.any_colour = state.any_colour
        self.events: tuple[Event, ...] = ()

    def finished(self, legal: tuple[Move, ...]) -> State:
        """Return the draft as a state, with its legal moves."""
        # positional arguments: keywords take several times as long
        return State(
            self.deal, self.board, self.ends, self.supply, self.gone, self.hands, self.law_log,
            self.phase, self.seat, self.turn, self.taken, self.symbols, self.limit, self.any_colour,
            legal, self.events,
        )  # fmt: skip
