"""What lies in front of everybody, counted for the tables on the screen."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from kk_core.games.land_cards import model
from kk_core.games.land_cards.model import Observation
from kk_core.types import Seat


@dataclass(frozen=True, slots=True)
class Collected:
    """One seat's cards: per country how many, the most of one circle symbol and which; ships, carriages.

    `best_symbol` is an index into SYMBOLS, the first of those that tie; without a symbol it means nothing.
    """

    cards: tuple[int, ...]
    best: tuple[int, ...]
    best_symbol: tuple[int, ...]
    ships: int
    carriages: int


def collected(view: Observation, seat: Seat) -> Collected:
    """Count the cards in front of a seat."""
    faces = [face for face, lies in zip(view.faces, view.board, strict=True) if lies == model.TAKEN + seat]
    cards = Counter(model.country_of(face) for face in faces)
    symbols = [Counter[int]() for _ in model.COUNTRIES]
    for face in faces:
        symbols[model.country_of(face)].update(model.symbols_of(face))
    routes = Counter(model.route_of(face) for face in faces)
    return Collected(
        cards=tuple(cards[country] for country in range(len(model.COUNTRIES))),
        best=tuple(max(counts.values(), default=0) for counts in symbols),
        best_symbol=tuple(max(range(len(model.SYMBOLS)), key=lambda one: counts[one]) for counts in symbols),
        ships=routes[1],
        carriages=routes[2],
    )


def stones_on_cards(view: Observation, seat: Seat) -> int:
    """How many stones of a seat lie on cards of the layout."""
    return view.board.count(model.STONE + seat)


def cards_left(view: Observation) -> int:
    """How many cards still lie in the layout."""
    return sum(lies < model.TAKEN for lies in view.board)


def in_rows(view: Observation, country: int) -> int:
    """How many cards of a country still lie in the layout."""
    return sum(
        lies < model.TAKEN and model.country_of(face) == country
        for face, lies in zip(view.faces, view.board, strict=True)
    )
