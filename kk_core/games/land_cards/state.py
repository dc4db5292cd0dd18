"""The full truth of one play of the card game, flat and small."""

from __future__ import annotations

import msgspec

from kk_core.types import Event, Move, Seat


class Deal(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The part of a play that never changes.

    `kinds` are those of the faces, as `layout.kinds_of` gives them. `laws` has one byte per cell: 0, or 1 +
    the kind of the law card laid there. At most `stone_limit` stones of a seat may lie on cards. With
    `at_start_only`, only cards that were at an end when the turn began may be taken.
    """

    faces: tuple[int, ...]
    kinds: bytes
    laws: bytes
    seats: int
    stone_limit: int
    at_start_only: bool


class State(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A position; `seat` is the one whose turn `turn` it is.

    `board` is coded as in the model. `ends` are the cells, ascending, whose place allows taking them in this
    turn. `hands` are the kinds of law cards each seat holds, in the order in which it took them; `law_log` is
    what everybody has seen of law cards, coded as in the model. `symbols` of at most `limit` circle symbols
    are on the cards `taken` in this turn. `legal` are the moves of `seat`, ascending: they follow from the
    rest and are kept here so that they are worked out only once. `events` are those of the step that led
    here.
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
    """A copy of a state, of which nobody else knows, to be changed; its fields mean the same.

    Made empty and then filled, since every step does that: an `__init__` would make it 2 % slower. What is
    not a number is replaced where it changes: most moves leave most of it alone.
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
        """Return the state that has come of it, with its legal moves."""
        # by place, because by name it takes several times as long
        return State(
            self.deal, self.board, self.ends, self.supply, self.gone, self.hands, self.law_log,
            self.phase, self.seat, self.turn, self.taken, self.symbols, self.limit, self.any_colour,
            legal, self.events,
        )  # fmt: skip
