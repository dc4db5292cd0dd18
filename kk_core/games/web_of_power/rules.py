"""The rules of the board game: set-up, legal moves, their effects, and why moves are refused.

A hot path, hence bytes, small integers and lookup tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import compress
from typing import Final, TypeAlias

from kk_core.chance import Chance
from kk_core.checks import checked_setup
from kk_core.errors import InvalidMove
from kk_core.games.web_of_power import model
from kk_core.games.web_of_power.model import (
    ADVISOR,
    ADVISOR_STRIDE,
    CARD_COUNTRIES,
    CARDS,
    CLOISTER,
    CLOISTER_OF,
    CLOISTER_STRIDE,
    COUNTRIES,
    DRAW_FACE_UP,
    DRAW_PILE,
    DRAWING,
    DREW,
    END_OF_ROUND,
    END_PLACING,
    EXCHANGE,
    FREE,
    HAND,
    INTERIM_SCORED,
    INTERIM_SCORING,
    KIND_OF_COUNTRY,
    LAST_ROUND,
    MAX_PIECES,
    META,
    NO_CARD,
    NO_COUNTRY,
    NOBODY_CAN_PLACE,
    OPEN_CARDS,
    OVER,
    PAIR,
    PAYMENTS,
    PLACING,
    RESHUFFLED,
    SINGLE,
    TURNED_UP,
    PlaceAdvisor,
    PlaceCloister,
    Printed,
)
from kk_core.games.web_of_power.scoring import cloister_points
from kk_core.games.web_of_power.state import Deal, Draft, State
from kk_core.text import Text, text
from kk_core.types import Move, Options, Seat
from kk_core.values import BYTE, has_move, with_byte, with_item

# -- set-up --------------------------------------------------------------------------------------------------


def deal_cards(land: Printed, options: Options, seats: int, seed: bytes) -> State:
    """Return the state before the first turn, without its legal moves.

    After the shuffle the top cards go to seat 0, the next to seat 1 and so on, the next ones are the face-up
    cards, and the rest is the draw pile. Raises `InvalidOptions`.
    """
    end_of_round = checked_setup(META, options, seats, seed)[INTERIM_SCORING] == END_OF_ROUND
    chance = Chance(seed)
    cards = unshuffled(land.deck_for(seats))
    chance.shuffle(cards)
    dealt = bytes(cards)
    stop = HAND * seats
    return State(
        deal=Deal(seats, end_of_round, seed),
        turn=0,
        phase=PLACING,
        begun=NO_COUNTRY,
        begun_empty=False,
        placed=0,
        board=bytes(len(land.spaces)),
        cloisters=bytes(len(COUNTRIES) * seats),
        advisors=bytes(len(COUNTRIES) * seats),
        cloisters_left=bytes((land.cloisters,) * seats),
        advisors_left=bytes((land.advisors,) * seats),
        room=0,
        hands=tuple(bytes(sorted(dealt[first : first + HAND])) for first in range(0, stop, HAND)),
        pile=dealt[stop + OPEN_CARDS :],
        face_up=dealt[stop : stop + OPEN_CARDS],
        discards=bytes(len(CARDS)),
        position=chance.position,
        pile_runs=0,
        interim=b"",
        shown=(b"",) * seats,
        old=(),
        since=(),
        legal=(),
    )


def unshuffled(counts: Sequence[int]) -> list[int]:
    """Return cards in their order before a shuffle, kind by kind, given the number of each kind."""
    return [kind for kind, count in enumerate(counts) for _ in range(count)]


# -- the draw pile -------------------------------------------------------------------------------------------


def replace_open_cards(draft: Draft) -> None:
    """Replace face-up cards that were taken by the top cards of the pile."""
    for place, kind in enumerate(draft.face_up):
        if kind == NO_CARD and draft.pile:
            top = draft.pile[0]
            draft.pile = draft.pile[1:]
            draft.face_up = with_byte(draft.face_up, place, top)
            draft.events += ((TURNED_UP, top),)
            # after each card, since the next one may come from the new pile
            run_out_if_empty(draft)


def run_out_if_empty(draft: Draft) -> None:
    """Start the second half, or the last round, if the pile is empty."""
    if draft.pile:
        return
    if draft.pile_runs:
        draft.pile_runs = 2
        draft.events += ((LAST_ROUND,),)
        return
    if not draft.deal.end_of_round:
        score_interim(draft)
    # continues the chance stream where the deal stopped
    chance = Chance(draft.deal.seed, draft.position)
    cards = unshuffled(draft.discards)
    chance.shuffle(cards)
    draft.pile = bytes(cards)
    draft.discards = bytes(len(CARDS))
    draft.position = chance.position
    draft.pile_runs = 1
    # with an empty pile everybody knows the sum of all hands, so it matters which hidden cards are from
    # before this moment
    draft.old = tuple(map(without, draft.hands, draft.shown))
    draft.since = (b"",) * draft.deal.seats
    draft.events += ((RESHUFFLED, len(cards)),)


def score_interim(draft: Draft) -> None:
    """Score the cloisters; the points stay, whatever happens on the board later."""
    seats = draft.deal.seats
    draft.interim = b"".join(
        bytes(cloister_points(draft.cloisters[start : start + seats]))
        for start in range(0, len(draft.cloisters), seats)
    )
    draft.events += ((INTERIM_SCORED,),)


# -- what everybody can note ---------------------------------------------------------------------------------


def note_play(draft: Draft, seat: Seat, kind: int, cards: int) -> None:
    """Update public knowledge after a seat has played cards of a kind; face-up cards count as played first.

    Which of two equal cards it plays makes no difference to anybody.
    """
    shown, old, since = [*draft.shown], [*draft.old], [*draft.since]
    for _ in range(cards):
        if kind in shown[seat]:
            shown[seat] = without(shown[seat], BYTE[kind])
        elif old and old[seat]:
            if since[seat]:
                since[seat] += BYTE[kind]
            else:  # nothing drawn since, so it was an old one
                old[seat] = without(old[seat], BYTE[kind])
    draft.shown, draft.old, draft.since = tuple(shown), tuple(old), tuple(since)


def note_draw(draft: Draft, seat: Seat) -> None:
    """Update public knowledge after a seat that may have old cards has drawn from the new pile."""
    if draft.old and draft.old[seat]:
        draft.since = with_item(draft.since, seat, draft.since[seat] + BYTE[DREW])


# -- bytes ---------------------------------------------------------------------------------------------------


@cache
def with_card(hand: bytes, kind: int) -> bytes:
    """Return a hand with a card added."""
    return bytes(sorted(hand + BYTE[kind]))


def without(hand: bytes, cards: bytes) -> bytes:
    """Return a hand without some of its cards."""
    for kind in cards:
        hand = hand.replace(BYTE[kind], b"", 1)
    return hand


Counts: TypeAlias = bytes | bytearray

_IS_FREE: Final = bytes(value == FREE for value in range(256))
_ALL: Final = (1 << len(COUNTRIES)) - 1
_END: Final = (END_PLACING,)
_NAMED: Final = tuple(sum(1 << country for country in named) for named in CARD_COUNTRIES)
# by payment and set of countries (bit 1 << country)
_ADVISORS: Final = tuple(
    tuple(
        tuple(PlaceAdvisor(country, payment).move for country in range(len(COUNTRIES)) if room >> country & 1)
        for room in range(_ALL + 1)
    )
    for payment in range(PAYMENTS)
)


@cache
def payments(hand: bytes) -> tuple[tuple[int, int], ...]:
    """Return a hand's payments, ascending: (payment, set of the countries it is good for)."""
    named = 0
    pairs = []
    for kind in sorted(set(hand)):
        named |= _NAMED[kind]
        if hand.count(kind) > 1:
            # two of a kind are a joker, good for every country
            pairs.append((PAIR + kind, _ALL))
    return ((SINGLE, named), *pairs) if named else ()


@cache
def exchanges(hand: bytes) -> tuple[Move, ...]:
    """Return the exchanges of a hand, ascending."""
    return tuple(EXCHANGE + kind for kind in sorted(set(hand)))


@cache
def draws(face_up: bytes, pile: bool) -> tuple[Move, ...]:
    """Return the possible draws, ascending; `pile` is whether the draw pile has cards."""
    lying = sorted({*face_up} - {NO_CARD})
    return (*(DRAW_PILE,) * pile, *(DRAW_FACE_UP + kind for kind in lying))


def room_in(country: int, cloisters: Counts, advisors: Counts, seats: int) -> int:
    """Return a country's free advisor places: the most cloisters of any seat there, less the advisors."""
    start = country * seats
    stop = start + seats
    return max(cloisters[start:stop]) - sum(advisors[start:stop])


# -- moves ---------------------------------------------------------------------------------------------------


class Moves:
    """The moves on a map.

    The active seat always has a move: its hand is full when its turn begins, since drawing can end earlier
    only in the last round, in which the seat has no further turn. So it always has a card to exchange, even
    with nothing left to draw for it.
    """

    def __init__(self, land: Printed) -> None:
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
        """Return the position after a legal move of the seat."""
        draft = Draft(state)
        self.act(draft, seat, move)
        return draft.finished(self.legal(draft))

    def act(self, draft: Draft, seat: Seat, move: Move) -> None:
        """Make a legal move of the seat."""
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
        """Compute the legal moves of the active seat."""
        if state.phase == PLACING:
            return (
                self._second_piece(state, state.seat)
                if state.placed
                else self._first_piece(state, state.seat)
            )
        return draws(state.face_up, bool(state.pile)) if state.phase == DRAWING else ()

    def _first_piece(self, state: State | Draft, seat: Seat) -> tuple[Move, ...]:
        # exchanges, and pieces anywhere for every payment of the hand
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
        # returns for every space whether it is in one of the countries, and the moves there with one card
        if countries not in self._single:
            spaces = bytes(countries >> country & 1 for country in self._country_of)
            self._single[countries] = spaces, tuple(compress(self._cloisters[SINGLE], spaces))
        return self._single[countries]

    def _second_piece(self, state: State | Draft, seat: Seat) -> tuple[Move, ...]:
        # the end, and pieces in the country of this turn for every payment of the hand
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
        """Place a cloister and pay for it."""
        seats = draft.deal.seats
        country = self._country_of[space]
        first = country * seats
        # 3-2-1 rule: a country that was empty gets only this piece in this turn
        if not any(draft.cloisters[first : first + seats]):
            draft.begun_empty = True
        draft.board = with_byte(draft.board, space, CLOISTER_OF + seat)
        draft.cloisters = _one_more(draft.cloisters, first + seat)
        draft.cloisters_left = _one_less(draft.cloisters_left, seat)
        _pay(draft, seat, payment, country)

    def place_advisor(self, draft: Draft, seat: Seat, payment: int, country: int) -> None:
        """Place an advisor and pay for it."""
        draft.advisors = _one_more(draft.advisors, country * draft.deal.seats + seat)
        draft.advisors_left = _one_less(draft.advisors_left, seat)
        _pay(draft, seat, payment, country)

    def end_placing(self, draft: Draft, seat: Seat) -> None:
        """End placing; the match is over if nobody can place any more (ruling 8)."""
        if can_anybody_place(draft):
            self._go_on_drawing(draft, seat)
            return
        draft.phase = OVER
        draft.events = ((NOBODY_CAN_PLACE,),)
        # a scoring that waited for the end of this round is still held
        if is_interim_due(draft):
            score_interim(draft)

    def draw_face_up(self, draft: Draft, seat: Seat, kind: int) -> None:
        """Take a face-up card."""
        draft.hands = with_item(draft.hands, seat, with_card(draft.hands[seat], kind))
        draft.shown = with_item(draft.shown, seat, with_card(draft.shown[seat], kind))
        draft.face_up = draft.face_up.replace(BYTE[kind], BYTE[NO_CARD], 1)
        self._go_on_drawing(draft, seat)

    def draw_from_pile(self, draft: Draft, seat: Seat) -> None:
        """Draw the top card of the pile."""
        draft.hands = with_item(draft.hands, seat, with_card(draft.hands[seat], draft.pile[0]))
        draft.pile = draft.pile[1:]
        note_draw(draft, seat)
        run_out_if_empty(draft)
        self._go_on_drawing(draft, seat)

    def _go_on_drawing(self, draft: Draft, seat: Seat) -> None:
        """Continue drawing until the hand is full, or nothing is left in the last round (ruling 3)."""
        if len(draft.hands[seat]) < HAND and draws(draft.face_up, bool(draft.pile)):
            draft.phase = DRAWING
        else:
            self._end_turn(draft, seat)

    def _end_turn(self, draft: Draft, seat: Seat) -> None:
        # replaces face-up cards, and holds a due scoring or ends the match after a round
        if NO_CARD in draft.face_up:
            replace_open_cards(draft)
        # seat 0 starts the match, so the last seat's turn completes a round
        if seat + 1 == draft.deal.seats:
            if is_interim_due(draft):
                score_interim(draft)
            if draft.pile_runs > 1:
                draft.phase = OVER
                return
        draft.turn += 1
        draft.phase, draft.begun, draft.begun_empty, draft.placed = PLACING, NO_COUNTRY, False, 0


def _pay(draft: Draft, seat: Seat, payment: int, country: int) -> None:
    # called after the piece is on the board, so that the room counts it
    bit = 1 << country
    has_room = room_in(country, draft.cloisters, draft.advisors, draft.deal.seats) > 0
    draft.room = draft.room | bit if has_room else draft.room & ~bit
    draft.begun = country
    draft.placed += 1
    _play(draft, seat, *((KIND_OF_COUNTRY[country], 1) if payment == SINGLE else (payment - PAIR, 2)))


def _play(draft: Draft, seat: Seat, kind: int, cards: int) -> None:
    if draft.old or kind in draft.shown[seat]:
        note_play(draft, seat, kind, cards)
    draft.hands = with_item(draft.hands, seat, draft.hands[seat].replace(BYTE[kind], b"", cards))
    draft.discards = with_byte(draft.discards, kind, draft.discards[kind] + cards)


def _one_more(counts: bytes, index: int) -> bytes:
    return with_byte(counts, index, counts[index] + 1)


def _one_less(counts: bytes, index: int) -> bytes:
    return with_byte(counts, index, counts[index] - 1)


def can_anybody_place(state: State | Draft) -> bool:
    """Return whether any seat has a piece left with a place to go to (ruling 8)."""
    return bool(
        (state.room and any(state.advisors_left)) or (FREE in state.board and any(state.cloisters_left))
    )


def is_interim_due(state: State | Draft) -> bool:
    """Return whether the interim scoring waits for the end of the round (ruling 1)."""
    return bool(state.pile_runs and not state.interim)


# -- why a move is refused -----------------------------------------------------------------------------------


def why_not(land: model.Printed, state: State, seat: Seat, move: Move) -> Text | None:
    """Explain why a move is not legal; None if it is."""
    if seat == state.seat and has_move(state.legal, move):
        return None
    try:
        tried = model.read(land, move)
    except InvalidMove as error:
        return error.reason
    if state.is_over:
        return text("The match is over.")
    if seat != state.seat:
        return text("It is not your turn.")
    if state.phase == model.DRAWING:
        return _while_drawing(state, tried)
    return _while_placing(land, state, tried)


def _while_drawing(state: State, tried: model.AnyMove) -> Text:
    match tried:
        case model.DrawFromPile():
            return text("The draw pile is empty.")
        case model.DrawFaceUp(kind):
            return text("No {card} card is face up.", card=model.CARD_NAMES[kind])
    if state.begun_empty:
        return text(
            "{country} was empty, so only one cloister: now draw back up to three cards.",
            country=model.COUNTRY_NAMES[state.begun],
        )
    if state.placed:
        return text("You're done placing: now draw until you have three cards again.")
    return text("You discarded a card: now draw one.")


def _while_placing(land: model.Printed, state: State, tried: model.AnyMove) -> Text:
    match tried:
        case model.PlaceCloister(space, payment):
            country = land.country_of[space]
            return (
                _no_turn_for(state, country)
                or _no_cloister(land, state, space)
                or _no_cards(state, country, payment)
            )
        case model.PlaceAdvisor(country, payment):
            return (
                _no_turn_for(state, country)
                or _no_advisor(state, country)
                or _no_cards(state, country, payment)
            )
        case model.EndPlacing():
            return text("Place a piece or discard a card first.")
        case model.Exchange(kind):
            if state.placed:
                return text("You can discard a card only instead of placing pieces.")
            return text("You have no {card} card.", card=model.CARD_NAMES[kind])
        case model.DrawFaceUp() | model.DrawFromPile():
            if state.placed:
                return text("End placing first; then you draw.")
            return text("Place a piece or discard a card first; then you draw.")


def _no_turn_for(state: State, country: int) -> Text | None:
    # 3-2-1 rule: at most three cards, two pieces, one country
    if not state.placed:
        return None
    if country != state.begun:
        return text(
            "One country per turn: you started in {country}.", country=model.COUNTRY_NAMES[state.begun]
        )
    if state.begun_empty:
        return text(
            "{country} was empty: you may place only one cloister there this turn.",
            country=model.COUNTRY_NAMES[country],
        )
    if state.placed == MAX_PIECES:
        return text("Two pieces per turn: you have placed both.")
    return None


def _no_cloister(land: model.Printed, state: State, space: int) -> Text | None:
    if state.board[space] != model.FREE:
        return text("{space} already has a cloister.", space=land.spaces[space])
    if not state.cloisters_left[state.seat]:
        return text("You have no cloisters left.")
    return None


def _no_advisor(state: State, country: int) -> Text | None:
    seats = state.deal.seats
    start = country * seats
    most = max(state.cloisters[start : start + seats])
    if not most:
        return text(
            "{country} is empty: you may place only one cloister there, no advisor.",
            country=model.COUNTRY_NAMES[country],
        )
    if room_in(country, state.cloisters, state.advisors, seats) <= 0:
        return text(
            "Advisors in {country}: {taken} of {most}, the most cloisters that one player has there.",
            country=model.COUNTRY_NAMES[country], taken=sum(state.advisors[start : start + seats]), most=most,
        )  # fmt: skip
    if not state.advisors_left[state.seat]:
        return text("You have no advisors left.")
    return None


def _no_cards(state: State, country: int, payment: int) -> Text:
    if payment == model.SINGLE:
        return text(
            "For {country} you need one {card} card, or two of a kind.",
            country=model.COUNTRY_NAMES[country], card=model.CARD_NAMES[model.KIND_OF_COUNTRY[country]],
        )  # fmt: skip
    kind = payment - model.PAIR
    held = state.hands[state.seat].count(kind)
    return text("A joker takes two {card} cards; you have {held}.", card=model.CARD_NAMES[kind], held=held)
