"""Moves as lines of text for records and typing, moves and events as sentences for the log."""

from __future__ import annotations

from kk_core.errors import InvalidMove
from kk_core.games.web_of_power.model import (
    ADVISOR,
    ADVISOR_STRIDE,
    CARD_NAMES,
    CARDS,
    CLOISTER,
    CLOISTER_STRIDE,
    COUNTRIES,
    COUNTRY_NAMES,
    DRAW_FACE_UP,
    DRAW_PILE,
    END_PLACING,
    EXCHANGE,
    FACE_UP,
    INTERIM,
    KIND_OF_COUNTRY,
    LAST_ROUND,
    PAIR,
    RESHUFFLE,
    SINGLE,
    Printed,
    advisor_move,
    cloister_move,
)
from kk_core.text import Text, text, texts
from kk_core.types import Event, Move


def cards_of(country: int, payment: int) -> tuple[int, ...]:
    """The kinds of the cards that a payment for a country takes."""
    return (KIND_OF_COUNTRY[country],) if payment == SINGLE else (payment - PAIR,) * 2


def format_move(land: Printed, move: Move) -> str:
    """One line that names everything by its fixed identifier, e.g. "cloister FR3 Frankreich"."""
    if move >= CLOISTER:
        payment, space = divmod(move - CLOISTER, CLOISTER_STRIDE)
        return f"cloister {land.spaces[space]} {_cards(land.country_of[space], payment)}"
    if move >= ADVISOR:
        payment, country = divmod(move - ADVISOR, ADVISOR_STRIDE)
        return f"advisor {COUNTRIES[country]} {_cards(country, payment)}"
    if move >= DRAW_FACE_UP:
        return f"draw {CARDS[move - DRAW_FACE_UP]}"
    if move >= EXCHANGE:
        return f"exchange {CARDS[move - EXCHANGE]}"
    return "draw pile" if move == DRAW_PILE else "end"


def _cards(country: int, payment: int) -> str:
    return "+".join(CARDS[kind] for kind in cards_of(country, payment))


def parse_move(land: Printed, line: str) -> Move:
    """The move of `format_move`. Raises `InvalidMove`, which quotes the part that is wrong."""
    match line.split():
        case ["end"]:
            return END_PLACING
        case ["draw", "pile"]:
            return DRAW_PILE
        case ["draw", card]:
            return DRAW_FACE_UP + _index(CARDS, card)
        case ["exchange", card]:
            return EXCHANGE + _index(CARDS, card)
        case ["cloister", name, cards]:
            space = _index(land.spaces, name)
            return cloister_move(space, _payment(land.country_of[space], cards))
        case ["advisor", name, cards]:
            country = _index(COUNTRIES, name)
            return advisor_move(country, _payment(country, cards))
    raise InvalidMove(text("{line} is not a move of the board game.", line=repr(line)))


def _index(names: tuple[str, ...], name: str) -> int:
    if name not in names:
        raise InvalidMove(
            text("{name} is not known; possible: {known}.", name=repr(name), known=", ".join(names))
        )
    return names.index(name)


def _payment(country: int, cards: str) -> int:
    kinds = [_index(CARDS, card) for card in cards.split("+")]
    if kinds == [KIND_OF_COUNTRY[country]]:
        return SINGLE
    if len(kinds) == 2 and kinds[0] == kinds[1]:
        return PAIR + kinds[0]
    raise InvalidMove(
        text(
            "{cards} does not pay for {country}: one card that names it does, or two of one kind.",
            cards=repr(cards), country=COUNTRY_NAMES[country],
        )
    )  # fmt: skip


def describe_move(land: Printed, move: Move, name: str) -> Text:
    """What the one called `name` did, as a sentence."""
    if move >= CLOISTER:
        payment, space = divmod(move - CLOISTER, CLOISTER_STRIDE)
        return _describe_cloister(land, space, payment, name)
    if move >= ADVISOR:
        return _describe_advisor(*divmod(move - ADVISOR, ADVISOR_STRIDE), name)
    if move >= DRAW_FACE_UP:
        return text("{name} takes the open card {card}.", name=name, card=CARD_NAMES[move - DRAW_FACE_UP])
    if move >= EXCHANGE:
        return text("{name} exchanges {card}.", name=name, card=CARD_NAMES[move - EXCHANGE])
    if move == DRAW_PILE:
        return text("{name} draws from the pile.", name=name)
    return text("{name} ends placing.", name=name)


def _describe_cloister(land: Printed, space: int, payment: int, name: str) -> Text:
    country = land.country_of[space]
    where, what = land.spaces[space], COUNTRY_NAMES[country]
    card = CARD_NAMES[cards_of(country, payment)[0]]
    if payment == SINGLE:
        return text(
            "{name} places a cloister on {space} in {country} with {card}.",
            name=name, space=where, country=what, card=card,
        )  # fmt: skip
    return text(
        "{name} places a cloister on {space} in {country} with a joker, two cards {card}.",
        name=name, space=where, country=what, card=card,
    )  # fmt: skip


def _describe_advisor(payment: int, country: int, name: str) -> Text:
    what, card = COUNTRY_NAMES[country], CARD_NAMES[cards_of(country, payment)[0]]
    if payment == SINGLE:
        return text("{name} sends an advisor to {country} with {card}.", name=name, country=what, card=card)
    return text(
        "{name} sends an advisor to {country} with a joker, two cards {card}.",
        name=name, country=what, card=card,
    )  # fmt: skip


def describe_event(event: Event) -> Text:
    """What rule or chance did, as a sentence."""
    match event:
        case (kind, int(card)) if kind == FACE_UP:
            return text("{card} is turned up.", card=CARD_NAMES[card])
        case (kind, int(cards)) if kind == RESHUFFLE:
            return texts(
                "The discards are shuffled: {n} card in the draw pile.",
                "The discards are shuffled: {n} cards in the draw pile.",
                cards,
            )
        case (kind,) if kind == INTERIM:
            return text("Interim scoring: the cloisters count.")
        case (kind,) if kind == LAST_ROUND:
            return text("The draw pile has run out again: this is the last round.")
        case _:
            return text("Nobody can place a piece any more: the match is over.")
