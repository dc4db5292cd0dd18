"""What lies in front of everybody, counted for the tables on the screen."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from kk_core.games.land_cards.model import (
    COUNTRIES,
    STONE,
    TAKEN,
    Observation,
    country_of,
    route_of,
    symbols_of,
)
from kk_core.types import Seat


@dataclass(frozen=True, slots=True)
class Collected:
    """One seat's cards: per country how many and the most of one circle symbol; ships and carriages."""

    cards: tuple[int, ...]
    best: tuple[int, ...]
    ships: int
    carriages: int


def collected(view: Observation, seat: Seat) -> Collected:
    """Count the cards in front of a seat."""
    faces = [face for face, lies in zip(view.faces, view.board, strict=True) if lies == TAKEN + seat]
    cards = Counter(country_of(face) for face in faces)
    symbols = [Counter[int]() for _ in COUNTRIES]
    for face in faces:
        symbols[country_of(face)].update(symbols_of(face))
    routes = Counter(route_of(face) for face in faces)
    return Collected(
        cards=tuple(cards[country] for country in range(len(COUNTRIES))),
        best=tuple(max(counts.values(), default=0) for counts in symbols),
        ships=routes[1],
        carriages=routes[2],
    )


def stones_on_cards(view: Observation, seat: Seat) -> int:
    """How many stones of a seat lie on cards of the layout."""
    return view.board.count(STONE + seat)


def cards_left(view: Observation) -> int:
    """How many cards still lie in the layout."""
    return sum(lies < TAKEN for lies in view.board)
