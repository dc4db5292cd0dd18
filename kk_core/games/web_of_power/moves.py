"""What may be done, and what it does. This is the hot path: bytes and small ints, looked up in tables."""

from __future__ import annotations

from functools import cache
from itertools import compress
from typing import Final, TypeAlias

from kk_core.edit import BYTE, with_byte, with_item
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
    note_draw,
    note_play,
    replace_open_cards,
    run_out_if_empty,
    score_interim,
    with_card,
)
from kk_core.games.web_of_power.state import Draft, State
from kk_core.types import Move, Seat

Counts: TypeAlias = bytes | bytearray

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


def room_in(country: int, cloisters: Counts, advisors: Counts, seats: int) -> int:
    """Free advisor places of a country: as many as the strongest has cloisters, less those taken."""
    start = country * seats
    stop = start + seats
    return max(cloisters[start:stop]) - sum(advisors[start:stop])


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
        draft = Draft(state)
        self.act(draft, seat, move)
        return draft.finished(self.legal(draft))

    def act(self, draft: Draft, seat: Seat, move: Move) -> None:
        """Make a move that is legal for the seat."""
        draft.events = ()
        if move >= CLOISTER:
            self.place_cloister(draft, seat, *divmod(move - CLOISTER, CLOISTER_STRIDE))
        elif move >= ADVISOR:
            self.place_advisor(draft, seat, *divmod(move - ADVISOR, ADVISOR_STRIDE))
        elif move >= DRAW_FACE_UP:
            self.draw_face_up(draft, seat, move - DRAW_FACE_UP)
        elif move >= EXCHANGE:
            _play(draft, seat, move - EXCHANGE, 1)
            self._go_on_drawing(draft, seat)
        elif move == DRAW_PILE:
            self.draw_from_pile(draft, seat)
        else:
            self.end_placing(draft, seat)

    # -- legal moves, ascending ------------------------------------------------------------------------------

    def legal(self, state: State | Draft) -> tuple[Move, ...]:
        """The moves of the seat whose turn it is, worked out anew."""
        if state.phase == PLACING:
            return (
                self._second_piece(state, state.seat)
                if state.placed
                else self._first_piece(state, state.seat)
            )
        return draws(state.face_up, bool(state.pile)) if state.phase == DRAWING else ()

    def _first_piece(self, state: State | Draft, seat: Seat) -> tuple[Move, ...]:
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

    def _second_piece(self, state: State | Draft, seat: Seat) -> tuple[Move, ...]:
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

    def place_cloister(self, draft: Draft, seat: Seat, payment: int, space: int) -> None:
        """The seat places a cloister and pays for it."""
        seats = draft.deal.seats
        country = self._country_of[space]
        first = country * seats
        if not any(draft.cloisters[first : first + seats]):
            draft.begun_empty = True
        draft.board = with_byte(draft.board, space, CLOISTER_OF + seat)
        draft.cloisters = _one_more(draft.cloisters, first + seat)
        draft.cloisters_left = _one_less(draft.cloisters_left, seat)
        _pay(draft, seat, payment, country)

    def place_advisor(self, draft: Draft, seat: Seat, payment: int, country: int) -> None:
        """The seat places an advisor and pays for it."""
        draft.advisors = _one_more(draft.advisors, country * draft.deal.seats + seat)
        draft.advisors_left = _one_less(draft.advisors_left, seat)
        _pay(draft, seat, payment, country)

    def end_placing(self, draft: Draft, seat: Seat) -> None:
        """The seat places nothing more; the match is over when nobody can."""
        if can_anybody_place(draft):
            self._go_on_drawing(draft, seat)
            return
        draft.phase = OVER
        draft.events = ((NOBODY_CAN_PLACE,),)
        if self._rules >= INTERIM_BEFORE_THE_END and is_interim_due(draft):
            score_interim(draft)

    def draw_face_up(self, draft: Draft, seat: Seat, kind: int) -> None:
        """The seat takes an open card."""
        draft.hands = with_item(draft.hands, seat, with_card(draft.hands[seat], kind))
        draft.shown = with_item(draft.shown, seat, with_card(draft.shown[seat], kind))
        draft.face_up = draft.face_up.replace(BYTE[kind], BYTE[NO_CARD], 1)
        self._go_on_drawing(draft, seat)

    def draw_from_pile(self, draft: Draft, seat: Seat) -> None:
        """The seat draws the top card of the pile."""
        draft.hands = with_item(draft.hands, seat, with_card(draft.hands[seat], draft.pile[0]))
        draft.pile = draft.pile[1:]
        note_draw(draft, seat)
        run_out_if_empty(draft)
        self._go_on_drawing(draft, seat)

    def _go_on_drawing(self, draft: Draft, seat: Seat) -> None:
        """Draw until the hand is full, or nothing is left in the last round (ruling 3)."""
        if len(draft.hands[seat]) < HAND and draws(draft.face_up, bool(draft.pile)):
            draft.phase = DRAWING
        else:
            self._end_turn(draft, seat)

    def _end_turn(self, draft: Draft, seat: Seat) -> None:
        """Replace the open cards that were taken; after the last seat's turn a round is over."""
        if NO_CARD in draft.face_up:
            replace_open_cards(draft)
        if seat + 1 == draft.deal.seats:
            if is_interim_due(draft):
                score_interim(draft)
            if draft.pile_runs > 1:
                draft.phase = OVER
                return
        draft.turn += 1
        draft.phase, draft.begun, draft.begun_empty, draft.placed = PLACING, NO_COUNTRY, False, 0


def _pay(draft: Draft, seat: Seat, payment: int, country: int) -> None:
    """A piece of the seat stands in the country, and is paid for."""
    bit = 1 << country
    has_room = room_in(country, draft.cloisters, draft.advisors, draft.deal.seats) > 0
    draft.room = draft.room | bit if has_room else draft.room & ~bit
    draft.begun = country
    draft.placed += 1
    _play(draft, seat, *((KIND_OF_COUNTRY[country], 1) if payment == SINGLE else (payment - PAIR, 2)))


def _play(draft: Draft, seat: Seat, kind: int, cards: int) -> None:
    """The seat plays so many cards of a kind."""
    if draft.old or kind in draft.shown[seat]:
        note_play(draft, seat, kind, cards)
    draft.hands = with_item(draft.hands, seat, draft.hands[seat].replace(BYTE[kind], b"", cards))
    draft.discards = with_byte(draft.discards, kind, draft.discards[kind] + cards)


def _one_more(counts: bytes, index: int) -> bytes:
    return with_byte(counts, index, counts[index] + 1)


def _one_less(counts: bytes, index: int) -> bytes:
    return with_byte(counts, index, counts[index] - 1)


def can_anybody_place(state: State | Draft) -> bool:
    """Whether any piece that is left still has a place to go to (ruling 8)."""
    return bool(
        (state.room and any(state.advisors_left)) or (FREE in state.board and any(state.cloisters_left))
    )


def is_interim_due(state: State | Draft) -> bool:
    """Whether the interim scoring still waits for the end of the round (ruling 1)."""
    return bool(state.pile_runs and not state.interim)
