"""Why a move is not legal: one sentence for everything that a player could try."""

from __future__ import annotations

from kk_core.errors import InvalidMove
from kk_core.games.web_of_power import model
from kk_core.games.web_of_power.moves import MAX_PIECES, room_in
from kk_core.games.web_of_power.state import State
from kk_core.moveset import has_move
from kk_core.text import Text, text
from kk_core.types import Move, Seat


def why_not(land: model.Printed, state: State, seat: Seat, move: Move) -> Text | None:
    """The reason against a move; None when it is legal."""
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
            return text("No {card} lies open.", card=model.CARD_NAMES[kind])
    if state.placed:
        return text("Your placing is over: draw cards now, until you hold three again.")
    return text("You have exchanged a card: draw one now.")


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
            return text("Place a piece or exchange a card first.")
        case model.Exchange(kind):
            if state.placed:
                return text("A card can be exchanged only instead of placing pieces.")
            return text("You hold no {card}.", card=model.CARD_NAMES[kind])
        case model.DrawFaceUp() | model.DrawFromPile():
            if state.placed:
                return text("End placing first; then you draw.")
            return text("Place a piece or exchange a card first; then you draw.")


def _no_turn_for(state: State, country: int) -> Text | None:
    """What the 3-2-1 rule has against one more piece in a country."""
    if not state.placed:
        return None
    if country != state.begun:
        return text(
            "One country per turn: you have begun in {country}.", country=model.COUNTRY_NAMES[state.begun]
        )
    if state.begun_empty:
        return text(
            "{country} was empty: only one cloister may be placed there in this turn.",
            country=model.COUNTRY_NAMES[country],
        )
    if state.placed == MAX_PIECES:
        return text("Two pieces per turn: you have placed both.")
    return None


def _no_cloister(land: model.Printed, state: State, space: int) -> Text | None:
    if state.board[space] != model.FREE:
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
            "{country} is empty: only one cloister may be placed there, no advisor.",
            country=model.COUNTRY_NAMES[country],
        )
    if room_in(country, state.cloisters, state.advisors, seats) <= 0:
        return text(
            "Advisors in {country}: {taken} of {most}, the most cloisters that one player has there.",
            country=model.COUNTRY_NAMES[country], taken=sum(state.advisors[start : start + seats]), most=most,
        )  # fmt: skip
    if not state.advisors_left[state.seat]:
        return text("You have no advisor left.")
    return None


def _no_cards(state: State, country: int, payment: int) -> Text:
    if payment == model.SINGLE:
        return text(
            "For {country} you need a card {card}, or two cards of one kind.",
            country=model.COUNTRY_NAMES[country], card=model.CARD_NAMES[model.KIND_OF_COUNTRY[country]],
        )  # fmt: skip
    kind = payment - model.PAIR
    held = state.hands[state.seat].count(kind)
    return text("A joker takes two cards {card}; you hold {held}.", card=model.CARD_NAMES[kind], held=held)
