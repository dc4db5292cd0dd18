"""What may be done, and what it does. This is the hot path: bytes and small ints, looked up in tables."""

from __future__ import annotations

from itertools import compress
from typing import Final

from msgspec.structs import replace

from kk_core.games.web_of_power.model import (
    ADVISOR,
    ADVISOR_STRIDE,
    CARD_COUNTRIES,
    CLOISTER,
    CLOISTER_OF,
    CLOISTER_STRIDE,
    COUNTRIES,
    DRAW_FACE_UP,
    DRAW_PILE,
    DRAWING,
    END_PLACING,
    EXCHANGE,
    FREE,
    HAND,
    KIND_OF_COUNTRY,
    NO_CARD,
    NO_COUNTRY,
    NOBODY_CAN_PLACE,
    OVER,
    PAIR,
    PAYMENTS,
    PLACING,
    SINGLE,
    Printed,
    advisor_move,
    cloister_move,
)
from kk_core.games.web_of_power.pile import (
    BYTE,
    add,
    put,
    score_interim,
    turn_up,
    when_run_out,
    with_card,
    with_hand,
)
from kk_core.games.web_of_power.state import State
from kk_core.moveset import has_move
from kk_core.types import Move, Seat

MAX_PIECES: Final = 2
"""Pieces of one turn (the 3-2-1 rule); that no more than three cards are played follows from the hand."""

_IS_FREE: Final = bytes(value == FREE for value in range(256))
_ALL: Final = (1 << len(COUNTRIES)) - 1
_NAMED: Final = tuple(sum(1 << country for country in named) for named in CARD_COUNTRIES)
_ADVISORS: Final = tuple(
    tuple(
        tuple(advisor_move(country, payment) for country in range(len(COUNTRIES)) if room >> country & 1)
        for room in range(_ALL + 1)
    )
    for payment in range(PAYMENTS)
)
"""By payment and set of countries."""


def payments(hand: bytes) -> list[tuple[int, int]]:
    """What a hand can pay, ascending: (payment, set of the countries it is good for)."""
    named = 0
    pairs = []
    for kind in sorted(set(hand)):
        named |= _NAMED[kind]
        if hand.count(kind) > 1:
            pairs.append((PAIR + kind, _ALL))
    return [(SINGLE, named), *pairs] if named else []


def room_in(country: int, cloisters: bytes, advisors: bytes, seats: int) -> int:
    """Free advisor places of a country: as many as the strongest has cloisters, less those taken."""
    start = country * seats
    stop = start + seats
    return max(cloisters[start:stop]) - sum(advisors[start:stop])


def is_legal(state: State, seat: Seat, move: Move) -> bool:
    """Whether a seat may make a move."""
    return seat == state.seat and has_move(state.legal, move)


class Moves:
    """The moves on one map.

    Nobody is ever without a move: a hand is full when its turn begins, since only in the last round can
    drawing end before that, and then no further turn of this seat follows. So there is always a card to
    exchange, even with nothing left to draw for it.
    """

    def __init__(self, land: Printed) -> None:
        self._country_of = land.country_of
        self._bounds = tuple((own[0], own[-1] + 1) for own in land.spaces_of)
        spaces = range(len(land.spaces))
        self._cloisters = tuple(
            tuple(cloister_move(space, payment) for space in spaces) for payment in range(PAYMENTS)
        )
        self._cloisters_in = tuple(
            tuple(all_moves[start:stop] for start, stop in self._bounds) for all_moves in self._cloisters
        )
        self._payments: dict[bytes, list[tuple[int, int]]] = {}
        self._exchanges: dict[bytes, tuple[Move, ...]] = {}

    def first(self, dealt: State) -> State:
        """The position before the first move, from the cards as they were dealt."""
        return replace(dealt, legal=self.legal(dealt))

    def apply_legal(self, state: State, move: Move) -> State:
        """The position after a move that is known to be legal."""
        if move >= CLOISTER:
            return self._place_cloister(state, *divmod(move - CLOISTER, CLOISTER_STRIDE))
        if move >= ADVISOR:
            return self._place_advisor(state, *divmod(move - ADVISOR, ADVISOR_STRIDE))
        if move >= DRAW_FACE_UP:
            return self._draw_face_up(state, move - DRAW_FACE_UP)
        if move >= EXCHANGE:
            return self._exchange(state, move - EXCHANGE)
        if move == DRAW_PILE:
            return self._draw_from_pile(state)
        return self._end_placing(state)

    # -- legal moves, ascending ------------------------------------------------------------------------------

    def legal(self, state: State) -> tuple[Move, ...]:
        """The moves of the seat whose turn it is, worked out anew."""
        if state.phase == PLACING:
            hand = state.hands[state.seat]
            if not state.placed:
                return (*self._exchanges_of(hand), *self._placements(state, hand, _ALL))
            if state.placed == MAX_PIECES or state.begun_empty:
                return (END_PLACING,)
            return (END_PLACING, *self._placements(state, hand, 1 << state.begun))
        return self._draws(state) if state.phase == DRAWING else ()

    def _placements(self, state: State, hand: bytes, allowed: int) -> list[Move]:
        """Pieces in the countries allowed, for every payment that the hand has."""
        if hand not in self._payments:
            self._payments[hand] = payments(hand)
        can_pay = self._payments[hand]
        seat = state.seat
        moves: list[Move] = []
        if state.advisors_left[seat]:
            room = state.room & allowed
            for payment, good_for in can_pay:
                moves += _ADVISORS[payment][room & good_for]
        if state.cloisters_left[seat]:
            free = state.board.translate(_IS_FREE)
            for payment, good_for in can_pay:
                good_for &= allowed
                if good_for == _ALL:
                    moves += compress(self._cloisters[payment], free)
                    continue
                in_country = self._cloisters_in[payment]
                while good_for:
                    country = (good_for & -good_for).bit_length() - 1
                    start, stop = self._bounds[country]
                    moves += compress(in_country[country], free[start:stop])
                    good_for &= good_for - 1
        return moves

    def _exchanges_of(self, hand: bytes) -> tuple[Move, ...]:
        if hand not in self._exchanges:
            self._exchanges[hand] = tuple(EXCHANGE + kind for kind in sorted(set(hand)))
        return self._exchanges[hand]

    def _draws(self, state: State) -> tuple[Move, ...]:
        first, second = sorted(state.face_up)
        moves = [DRAW_PILE] if state.pile else []
        if first != NO_CARD:
            moves.append(DRAW_FACE_UP + first)
        if second not in (first, NO_CARD):
            moves.append(DRAW_FACE_UP + second)
        return tuple(moves)

    # -- steps -----------------------------------------------------------------------------------------------

    def _place_cloister(self, state: State, payment: int, space: int) -> State:
        seat, seats = state.seat, state.deal.seats
        country = self._country_of[space]
        index = country * seats + seat
        was_empty = not any(state.cloisters[country * seats : (country + 1) * seats])
        cloisters = add(state.cloisters, index, 1)
        return self._placed(
            state, country, payment,
            begun_empty=state.begun_empty or was_empty,
            board=put(state.board, space, CLOISTER_OF + seat),
            cloisters=cloisters,
            cloisters_left=add(state.cloisters_left, seat, -1),
            advisors=state.advisors,
            advisors_left=state.advisors_left,
        )  # fmt: skip

    def _place_advisor(self, state: State, payment: int, country: int) -> State:
        seat = state.seat
        return self._placed(
            state, country, payment,
            begun_empty=False,
            board=state.board,
            cloisters=state.cloisters,
            cloisters_left=state.cloisters_left,
            advisors=add(state.advisors, country * state.deal.seats + seat, 1),
            advisors_left=add(state.advisors_left, seat, -1),
        )  # fmt: skip

    def _placed(
        self, state: State, country: int, payment: int, *, begun_empty: bool, board: bytes,
        cloisters: bytes, cloisters_left: bytes, advisors: bytes, advisors_left: bytes,
    ) -> State:  # fmt: skip
        """A piece of the seat stands in the country; pay for it."""
        seat = state.seat
        kind, cards = (KIND_OF_COUNTRY[country], 1) if payment == SINGLE else (payment - PAIR, 2)
        hand = state.hands[seat].replace(BYTE[kind], b"", cards)
        bit = 1 << country
        has_room = room_in(country, cloisters, advisors, state.deal.seats) > 0
        after = State(
            state.deal, state.turn, PLACING, country, begun_empty, state.placed + 1, board, cloisters,
            advisors, cloisters_left, advisors_left, state.room | bit if has_room else state.room & ~bit,
            with_hand(state.hands, seat, hand), state.pile, state.face_up,
            add(state.discards, kind, cards), state.position, state.pile_runs, state.interim, (),
        )  # fmt: skip
        return replace(after, legal=self.legal(after))

    def _end_placing(self, state: State) -> State:
        state = replace(state, events=())
        if not can_anybody_place(state):
            return replace(state, phase=OVER, legal=(), events=((NOBODY_CAN_PLACE,),))
        return self._go_on_drawing(replace(state, phase=DRAWING))

    def _exchange(self, state: State, kind: int) -> State:
        hand = state.hands[state.seat].replace(BYTE[kind], b"", 1)
        hands = with_hand(state.hands, state.seat, hand)
        discards = add(state.discards, kind, 1)
        return self._go_on_drawing(replace(state, phase=DRAWING, hands=hands, discards=discards, events=()))

    def _draw_face_up(self, state: State, kind: int) -> State:
        face_up = state.face_up.replace(BYTE[kind], BYTE[NO_CARD], 1)
        return self._go_on_drawing(replace(state, hands=with_card(state, kind), face_up=face_up, events=()))

    def _draw_from_pile(self, state: State) -> State:
        hands = with_card(state, state.pile[0])
        return self._go_on_drawing(when_run_out(replace(state, hands=hands, pile=state.pile[1:], events=())))

    def _go_on_drawing(self, state: State) -> State:
        """Draw until the hand is full, or nothing is left in the last round (ruling 3)."""
        if len(state.hands[state.seat]) < HAND:
            legal = self._draws(state)
            if legal:
                return replace(state, legal=legal)
        return self._end_turn(state)

    def _end_turn(self, state: State) -> State:
        """Replace the open cards that were taken; after the last seat's turn a round is over."""
        for place, kind in enumerate(state.face_up):
            if kind == NO_CARD and state.pile:
                state = turn_up(state, place)
        if state.seat == state.deal.seats - 1:
            if state.pile_runs and not state.interim:
                state = score_interim(state)
            if state.pile_runs > 1:
                return replace(state, phase=OVER, legal=())
        after = replace(
            state, turn=state.turn + 1, phase=PLACING, begun=NO_COUNTRY, begun_empty=False, placed=0
        )
        return replace(after, legal=self.legal(after))


def can_anybody_place(state: State) -> bool:
    """Whether any piece that is left still has a place to go to (ruling 8)."""
    return bool(
        (state.room and any(state.advisors_left)) or (FREE in state.board and any(state.cloisters_left))
    )
