"""Moves as text: the stable notation of stored records; and moves and events as sentences for the log."""

from __future__ import annotations

from collections.abc import Sequence

from kk_core.errors import InvalidMove
from kk_core.games.web_of_power import model
from kk_core.text import Text, text, texts
from kk_core.types import Event, Move, Seat, totals


def format_move(land: model.Printed, move: Move) -> str:
    """Return a move in one line of fixed identifiers, e.g. "cloister FR3 Frankreich".

    Raises `InvalidMove`.
    """
    match model.read(land, move):
        case model.PlaceCloister(space, payment):
            return f"cloister {land.spaces[space]} {_cards(land.country_of[space], payment)}"
        case model.PlaceAdvisor(country, payment):
            return f"advisor {model.COUNTRIES[country]} {_cards(country, payment)}"
        case model.DrawFaceUp(kind):
            return f"draw {model.CARDS[kind]}"
        case model.Exchange(kind):
            return f"exchange {model.CARDS[kind]}"
        case model.DrawFromPile():
            return "draw pile"
        case model.EndPlacing():
            return "end"


def _cards(country: int, payment: int) -> str:
    return "+".join(model.CARDS[kind] for kind in model.cards_of(country, payment))


def parse_move(land: model.Printed, line: str) -> Move:
    """Parse a move that `format_move` wrote. Raises `InvalidMove`, which quotes the faulty part."""
    match line.split(" "):
        case ["end"]:
            return model.EndPlacing().move
        case ["draw", "pile"]:
            return model.DrawFromPile().move
        case ["draw", card]:
            return model.DrawFaceUp(_index(model.CARDS, card)).move
        case ["exchange", card]:
            return model.Exchange(_index(model.CARDS, card)).move
        case ["cloister", name, cards]:
            space = _index(land.spaces, name)
            return model.PlaceCloister(space, _payment(land.country_of[space], cards)).move
        case ["advisor", name, cards]:
            country = _index(model.COUNTRIES, name)
            return model.PlaceAdvisor(country, _payment(country, cards)).move
    raise InvalidMove(text("{line} is not a move of the board game.", line=repr(line)))


def _index(names: tuple[str, ...], name: str) -> int:
    if name not in names:
        raise InvalidMove(
            text("Unknown name {name}; valid names: {known}.", name=repr(name), known=", ".join(names))
        )
    return names.index(name)


def _payment(country: int, cards: str) -> int:
    kinds = [_index(model.CARDS, card) for card in cards.split("+")]
    if kinds == [model.KIND_OF_COUNTRY[country]]:
        return model.SINGLE
    if len(kinds) == 2 and kinds[0] == kinds[1]:
        return model.PAIR + kinds[0]
    raise InvalidMove(
        text(
            "{cards} doesn't pay for {country}: use one card that names it, or two of a kind.",
            cards=repr(cards), country=model.COUNTRY_NAMES[country],
        )
    )  # fmt: skip


def describe_move(land: model.Printed, move: Move, name: str) -> Text:
    """Describe a move of the player `name` as a sentence."""
    match model.read(land, move):
        case model.PlaceCloister(space, payment):
            return _describe_cloister(land, space, payment, name)
        case model.PlaceAdvisor(country, payment):
            return _describe_advisor(country, payment, name)
        case model.DrawFaceUp(kind):
            return text("{name} takes the face-up card {card}.", name=name, card=model.CARD_NAMES[kind])
        case model.Exchange(kind):
            return text("{name} discards {card}.", name=name, card=model.CARD_NAMES[kind])
        case model.DrawFromPile():
            return text("{name} draws from the pile.", name=name)
        case model.EndPlacing():
            return text("{name} ends placing.", name=name)


def _describe_cloister(land: model.Printed, space: int, payment: int, name: str) -> Text:
    country = land.country_of[space]
    where, what = land.spaces[space], model.COUNTRY_NAMES[country]
    card = model.CARD_NAMES[model.cards_of(country, payment)[0]]
    if payment == model.SINGLE:
        return text(
            "{name} places a cloister on {space} in {country} with {card}.",
            name=name, space=where, country=what, card=card,
        )  # fmt: skip
    return text(
        "{name} places a cloister on {space} in {country} with a joker (two {card}).",
        name=name, space=where, country=what, card=card,
    )  # fmt: skip


def _describe_advisor(country: int, payment: int, name: str) -> Text:
    what, card = model.COUNTRY_NAMES[country], model.CARD_NAMES[model.cards_of(country, payment)[0]]
    if payment == model.SINGLE:
        return text("{name} sends an advisor to {country} with {card}.", name=name, country=what, card=card)
    return text(
        "{name} sends an advisor to {country} with a joker (two {card}).",
        name=name, country=what, card=card,
    )  # fmt: skip


def turn_limit(observation: model.Observation) -> Text | None:
    """Return a phrase for the limit of pieces that this turn has reached; None if it has not."""
    if observation.begun_empty:
        return text("{country} was empty: one piece only", country=model.COUNTRY_NAMES[observation.begun])
    if observation.placed == model.MAX_PIECES:
        return text("Two pieces are the limit")
    return None


def describe_event(event: Event) -> Text:
    """Describe an event as a sentence."""
    match model.read_event(event):
        case model.TurnedUp(kind):
            return text("{card} is turned up.", card=model.CARD_NAMES[kind])
        case model.Reshuffled(cards):
            return texts(
                "The discard pile is shuffled: {n} card in the draw pile.",
                "The discard pile is shuffled: {n} cards in the draw pile.",
                cards,
            )
        case model.InterimScored():
            return text("Interim scoring: the cloisters count.")
        case model.LastRound():
            return text("The draw pile has run out again: this is the last round.")
        case model.NobodyCanPlace():
            return text("No player can place another piece: the match is over.")


def describe(
    observation: model.Observation,
    names: Sequence[str],
    seat: Seat,
    move: Move | None,
    events: Sequence[Event],
) -> Sequence[Text]:
    """Describe a ply for the log: the move, then its events, with the points of an interim scoring."""
    said = [] if move is None else [describe_move(observation.printed, move, names[seat])]
    said += [describe_event(event) for event in events]
    if model.InterimScored() in map(model.read_event, events):
        scored = zip(names, totals(observation.sheet[: len(model.COUNTRIES)]), strict=True)
        points = ", ".join(f"{name} {n}" for name, n in scored)
        said.append(text("Points in the interim scoring: {points}.", points=points))
    return tuple(said)
