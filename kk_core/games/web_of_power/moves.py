"""What may be done, and what it does. This is the hot path: bytes and small ints, looked up in tables."""

from __future__ import annotations

from functools import cache
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
    PlaceAdvisor,
    PlaceCloister,
    Printed,
)
from kk_core.games.web_of_power.pile import (
    BYTE,
    add,
    note_draw,
    note_play,
    put,
    replace_open_cards,
    score_interim,
    when_run_out,
    with_card,
    with_hand,
)
from kk_core.games.web_of_power.state import State
from kk_core.moveset import has_move
from kk_core.types import Move, Seat

MAX_PIECES: Final = 2
"""Pieces of one turn (the 3-2-1 rule); that no more than three cards are played follows from the hand."""

INTERIM_BEFORE_THE_END: Final = 2
"""From these rules on, an interim scoring that is still due is held when nobody can place any piece."""

_IS_FREE: Final = bytes(value == FREE for value in range(256))
_ALL: Final = (1 << len(COUNTRIES)) - 1
_END: Final = (END_PLACING,)
_NAMED: Final = tuple(sum(1 << country for country in named) for named in CARD_COUNTRIES)
_ADVISORS: Final = tuple(
    tuple(
        tuple(PlaceAdvisor(country, payment).move for country in range(len(COUNTRIES)) if room >> country & 1)
        for room in range(_ALL + 1)
    )
    for payment in range(PAYMENTS)
)
"""By payment and set of countries."""


@cache
def payments(hand: bytes) -> tuple[tuple[int, int], ...]:
    """What a hand can pay, ascending: (payment, set of the countries it is good for)."""
    named = 0
    pairs = []
    for kind in sorted(set(hand)):
        named |= _NAMED[kind]
        if hand.count(kind) > 1:
            pairs.append((PAIR + kind, _ALL))
    return ((SINGLE, named), *pairs) if named else ()


@cache
def exchanges(hand: bytes) -> tuple[Move, ...]:
    """The cards that can be exchanged, ascending."""
    return tuple(EXCHANGE + kind for kind in sorted(set(hand)))


@cache
def draws(face_up: bytes, pile: bool) -> tuple[Move, ...]:
    """What can be drawn, ascending, from the open cards and a pile that has cards or not."""
    lying = sorted({*face_up} - {NO_CARD})
    return (*(DRAW_PILE,) * pile, *(DRAW_FACE_UP + kind for kind in lying))


def room_in(country: int, cloisters: bytes, advisors: bytes, seats: int) -> int:
    """Free advisor places of a country: as many as the strongest has cloisters, less those taken."""
    start = country * seats
    stop = start + seats
    return max(cloisters[start:stop]) - sum(advisors[start:stop])


def is_legal(state: State, seat: Seat, move: Move) -> bool:
    """Whether a seat may make a move."""
    return seat == state.seat and has_move(state.legal, move)


class Moves:
    """The moves on one map by the rules of a number.

    Nobody is ever without a move: a hand is full when its turn begins, since only in the last round can
    drawing end before that, and then no further turn of this seat follows. So there is always a card to
    exchange, even with nothing left to draw for it.
    """

    def __init__(self, land: Printed, rules: int) -> None:
        self._rules = rules
        self._country_of = land.country_of
        self._bounds = tuple((own[0], own[-1] + 1) for own in land.spaces_of)
        self._cloisters = tuple(
            tuple(PlaceCloister(space, payment).move for space in range(len(land.spaces)))
            for payment in range(PAYMENTS)
        )
        self._cloisters_in = tuple(
            tuple(moves[start:stop] for start, stop in self._bounds) for moves in self._cloisters
        )
        self._single: dict[int, tuple[bytes, tuple[Move, ...]]] = {}

    def apply_legal(self, state: State, seat: Seat, move: Move) -> State:
        """The position after a move that is legal for the seat."""
        if move >= CLOISTER:
            return self._place_cloister(state, seat, *divmod(move - CLOISTER, CLOISTER_STRIDE))
        if move >= ADVISOR:
            return self._place_advisor(state, seat, *divmod(move - ADVISOR, ADVISOR_STRIDE))
        if move >= DRAW_FACE_UP:
            return self._draw_face_up(state, seat, move - DRAW_FACE_UP)
        if move >= EXCHANGE:
            return self._go_on_drawing(_played(state, seat, move - EXCHANGE, 1), seat)
        if move == DRAW_PILE:
            return self._draw_from_pile(state, seat)
        return self._end_placing(state, seat)

    # -- legal moves, ascending ------------------------------------------------------------------------------

    def legal(self, state: State) -> tuple[Move, ...]:
        """The moves of the seat whose turn it is, worked out anew."""
        if state.phase == PLACING:
            return (
                self._second_piece(state, state.seat)
                if state.placed
                else self._first_piece(state, state.seat)
            )
        return draws(state.face_up, bool(state.pile)) if state.phase == DRAWING else ()

    def _first_piece(self, state: State, seat: Seat) -> tuple[Move, ...]:
        """Exchanges, and pieces anywhere, for every payment that the hand has."""
        hand = state.hands[seat]
        can_pay = payments(hand)
        moves: list[Move] = []
        if state.advisors_left[seat]:
            room = state.room
            for payment, good_for in can_pay:
                moves += _ADVISORS[payment][room & good_for]
        if state.cloisters_left[seat]:
            free = state.board.translate(_IS_FREE)
            for payment, good_for in can_pay:
                if payment:
                    moves += compress(self._cloisters[payment], free)
                else:
                    spaces, there = self._in_countries(good_for)
                    moves += compress(there, compress(free, spaces))
        return (*exchanges(hand), *moves)

    def _in_countries(self, countries: int) -> tuple[bytes, tuple[Move, ...]]:
        """For every space whether it lies in one of the countries; the moves there with one card."""
        if countries not in self._single:
            spaces = bytes(countries >> country & 1 for country in self._country_of)
            self._single[countries] = spaces, tuple(compress(self._cloisters[SINGLE], spaces))
        return self._single[countries]

    def _second_piece(self, state: State, seat: Seat) -> tuple[Move, ...]:
        """The end, and pieces in the country of this turn, for every payment that the hand has."""
        if state.placed == MAX_PIECES or state.begun_empty:
            return _END
        country = state.begun
        bit = 1 << country
        can_pay = [payment for payment, good_for in payments(state.hands[seat]) if good_for & bit]
        moves: list[Move] = []
        if can_pay and state.room & bit and state.advisors_left[seat]:
            moves += [_ADVISORS[payment][bit][0] for payment in can_pay]
        if can_pay and state.cloisters_left[seat]:
            start, stop = self._bounds[country]
            free = state.board[start:stop].translate(_IS_FREE)
            for payment in can_pay:
                moves += compress(self._cloisters_in[payment][country], free)
        return (END_PLACING, *moves)

    # -- steps -----------------------------------------------------------------------------------------------

    def _place_cloister(self, state: State, seat: Seat, payment: int, space: int) -> State:
        seats = state.deal.seats
        country = self._country_of[space]
        first = country * seats
        was_empty = not any(state.cloisters[first : first + seats])
        after = replace(
            state,
            begun_empty=state.begun_empty or was_empty,
            board=put(state.board, space, CLOISTER_OF + seat),
            cloisters=add(state.cloisters, first + seat, 1),
            cloisters_left=add(state.cloisters_left, seat, -1),
        )
        return self._placed(after, seat, payment, country)

    def _place_advisor(self, state: State, seat: Seat, payment: int, country: int) -> State:
        after = replace(
            state,
            advisors=add(state.advisors, country * state.deal.seats + seat, 1),
            advisors_left=add(state.advisors_left, seat, -1),
        )
        return self._placed(after, seat, payment, country)

    def _placed(self, state: State, seat: Seat, payment: int, country: int) -> State:
        """A piece of the seat stands in the country; pay for it."""
        bit = 1 << country
        has_room = room_in(country, state.cloisters, state.advisors, state.deal.seats) > 0
        kind, cards = (KIND_OF_COUNTRY[country], 1) if payment == SINGLE else (payment - PAIR, 2)
        after = _played(
            state, seat, kind, cards,
            begun=country, placed=state.placed + 1, room=state.room | bit if has_room else state.room & ~bit,
        )  # fmt: skip
        return replace(after, legal=self._second_piece(after, seat))

    def _end_placing(self, state: State, seat: Seat) -> State:
        if can_anybody_place(state):
            return self._go_on_drawing(replace(state, events=()), seat)
        state = replace(state, phase=OVER, legal=(), events=((NOBODY_CAN_PLACE,),))
        if self._rules >= INTERIM_BEFORE_THE_END and is_interim_due(state):
            return score_interim(state)
        return state

    def _draw_face_up(self, state: State, seat: Seat, kind: int) -> State:
        after = replace(
            state,
            hands=with_hand(state.hands, seat, with_card(state.hands[seat], kind)),
            shown=with_hand(state.shown, seat, with_card(state.shown[seat], kind)),
            face_up=state.face_up.replace(BYTE[kind], BYTE[NO_CARD], 1),
            events=(),
        )
        return self._go_on_drawing(after, seat)

    def _draw_from_pile(self, state: State, seat: Seat) -> State:
        pile = state.pile
        after = replace(
            state,
            hands=with_hand(state.hands, seat, with_card(state.hands[seat], pile[0])),
            pile=pile[1:],
            since=note_draw(state, seat) if state.old else (),
            events=(),
        )
        return self._go_on_drawing(after if after.pile else when_run_out(after), seat)

    def _go_on_drawing(self, state: State, seat: Seat) -> State:
        """Draw until the hand is full, or nothing is left in the last round (ruling 3)."""
        if len(state.hands[seat]) < HAND:
            legal = draws(state.face_up, bool(state.pile))
            if legal:
                return replace(state, phase=DRAWING, legal=legal)
        return self._end_turn(state, seat)

    def _end_turn(self, state: State, seat: Seat) -> State:
        """Replace the open cards that were taken; after the last seat's turn a round is over."""
        if NO_CARD in state.face_up:
            state = replace_open_cards(state)
        following = seat + 1
        if following == state.deal.seats:
            following = 0
            if is_interim_due(state):
                state = score_interim(state)
            if state.pile_runs > 1:
                return replace(state, phase=OVER, legal=())
        return replace(
            state, turn=state.turn + 1, phase=PLACING, begun=NO_COUNTRY, begun_empty=False, placed=0,
            legal=self._first_piece(state, following),
        )  # fmt: skip


def _played(state: State, seat: Seat, kind: int, cards: int, **changes: int) -> State:
    """The seat has played so many cards of a kind, with other changes that go with it."""
    shown, old, since = state.shown, state.old, state.since
    if old or kind in shown[seat]:
        shown, old, since = note_play(state, seat, kind, cards)
    return replace(
        state,
        hands=with_hand(state.hands, seat, state.hands[seat].replace(BYTE[kind], b"", cards)),
        discards=add(state.discards, kind, cards),
        shown=shown,
        old=old,
        since=since,
        events=(),
        **changes,
    )


def can_anybody_place(state: State) -> bool:
    """Whether any piece that is left still has a place to go to (ruling 8)."""
    return bool(
        (state.room and any(state.advisors_left)) or (FREE in state.board and any(state.cloisters_left))
    )


def is_interim_due(state: State) -> bool:
    """Whether the interim scoring still waits for the end of the round (ruling 1)."""
    return bool(state.pile_runs and not state.interim)
