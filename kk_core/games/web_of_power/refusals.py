"""Why a move is not legal: one sentence for everything that a player could try."""

from __future__ import annotations

from kk_core.games.web_of_power.model import (
    ADVISOR,
    ADVISOR_STRIDE,
    CARD_NAMES,
    CARDS,
    CLOISTER,
    CLOISTER_STRIDE,
    COUNTRY_NAMES,
    DRAW_FACE_UP,
    DRAW_PILE,
    DRAWING,
    END_PLACING,
    EXCHANGE,
    FREE,
    KIND_OF_COUNTRY,
    MOVES_END,
    PAIR,
    SINGLE,
    Printed,
)
from kk_core.games.web_of_power.moves import MAX_PIECES, is_legal, room_in
from kk_core.games.web_of_power.state import State
from kk_core.text import Text, text
from kk_core.types import Move, Seat


def is_move(land: Printed, move: Move) -> bool:
    """Whether a number stands for a move of the game at all."""
    if move >= CLOISTER:
        return move < MOVES_END and (move - CLOISTER) % CLOISTER_STRIDE < len(land.spaces)
    if move >= ADVISOR:
        return move < ADVISOR + (PAIR + len(CARDS)) * ADVISOR_STRIDE
    return (
        move in (END_PLACING, DRAW_PILE)
        or EXCHANGE <= move < EXCHANGE + len(CARDS)
        or DRAW_FACE_UP <= move < DRAW_FACE_UP + len(CARDS)
    )


def why_not(land: Printed, state: State, seat: Seat, move: Move) -> Text | None:
    """The reason against a move; None when it is legal."""
    if is_legal(state, seat, move):
        return None
    if not is_move(land, move):
        return text("The board game has no move {move}.", move=move)
    if state.is_over:
        return text("The match is over.")
    if not 0 <= seat < state.deal.seats or seat != state.seat:
        return text("It is not your turn.")
    if state.phase == DRAWING:
        return _while_drawing(state, move)
    return _while_placing(land, state, move)


def _while_drawing(state: State, move: Move) -> Text:
    if move == DRAW_PILE:
        return text("The draw pile is empty.")
    if DRAW_FACE_UP <= move < ADVISOR:
        return text("No {card} lies open.", card=CARD_NAMES[move - DRAW_FACE_UP])
    if state.placed:
        return text("Your placing is over: draw cards now, until you hold three again.")
    return text("You have exchanged a card: draw one now.")


def _while_placing(land: Printed, state: State, move: Move) -> Text:
    if move >= CLOISTER:
        payment, space = divmod(move - CLOISTER, CLOISTER_STRIDE)
        country = land.country_of[space]
        return (
            _no_turn_for(state, country)
            or _no_cloister(land, state, space)
            or _no_cards(state, country, payment)
        )
    if move >= ADVISOR:
        payment, country = divmod(move - ADVISOR, ADVISOR_STRIDE)
        return (
            _no_turn_for(state, country) or _no_advisor(state, country) or _no_cards(state, country, payment)
        )
    if move == END_PLACING:
        return text("Place a piece or exchange a card first.")
    if move == DRAW_PILE or move >= DRAW_FACE_UP:
        if state.placed:
            return text("End placing first; then you draw.")
        return text("Place a piece or exchange a card first; then you draw.")
    if state.placed:
        return text("A card can be exchanged only instead of placing pieces.")
    return text("You hold no {card}.", card=CARD_NAMES[move - EXCHANGE])


def _no_turn_for(state: State, country: int) -> Text | None:
    """What the 3-2-1 rule has against one more piece in a country."""
    if not state.placed:
        return None
    if country != state.begun:
        return text("One country per turn: you have begun in {country}.", country=COUNTRY_NAMES[state.begun])
    if state.begun_empty:
        return text(
            "{country} was empty: in an empty country only one cloister may be placed in a turn, no advisor.",
            country=COUNTRY_NAMES[country],
        )
    if state.placed == MAX_PIECES:
        return text("Two pieces per turn: you have placed both.")
    return None


def _no_cloister(land: Printed, state: State, space: int) -> Text | None:
    if state.board[space] != FREE:
        return text("On {space} there is a cloister already.", space=land.spaces[space])
    if not state.cloisters_left[state.seat]:
        return text("You have no cloister left.")
    return None


def _no_advisor(state: State, country: int) -> Text | None:
    seats = state.deal.seats
    start = country * seats
    most = max(state.cloisters[start : start + seats])
    if not most:
        return text(
            "{country} is empty: in an empty country only one cloister may be placed, no advisor.",
            country=COUNTRY_NAMES[country],
        )
    if room_in(country, state.cloisters, state.advisors, seats) <= 0:
        return text(
            "Advisors in {country}: {taken} of {most}, the most cloisters that one player has there.",
            country=COUNTRY_NAMES[country], taken=sum(state.advisors[start : start + seats]), most=most,
        )  # fmt: skip
    if not state.advisors_left[state.seat]:
        return text("You have no advisor left.")
    return None


def _no_cards(state: State, country: int, payment: int) -> Text:
    if payment == SINGLE:
        return text(
            "For {country} you need a card {card}, or two cards of one kind.",
            country=COUNTRY_NAMES[country], card=CARD_NAMES[KIND_OF_COUNTRY[country]],
        )  # fmt: skip
    kind = payment - PAIR
    held = state.hands[state.seat].count(kind)
    return text("A joker takes two cards {card}; you hold {held}.", card=CARD_NAMES[kind], held=held)
