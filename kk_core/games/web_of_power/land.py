"""The board and the deck of the board game as one value, and the identifiers that never change."""

from __future__ import annotations

from typing import Final, TypeAlias

import msgspec

COUNTRIES: Final = (
    "England",
    "Franken",
    "Bayern",
    "Italien",
    "Aragon",
    "Frankreich",
    "Lothringen",
    "Schwaben",
    "Burgund",
)
"""The countries in the order of scoring; a country is an index into this."""

CARDS: Final = ("Franken/Aragon", "Bayern/Burgund", "Lothringen/Italien", "England/Schwaben", "Frankreich")
"""The kinds of cards; a kind is an index into this."""

ALLIANCES: Final = 15
HAND: Final = 3
OPEN_CARDS: Final = 2

MAX_SPACES: Final = 64
MAX_SPACES_OF_COUNTRY: Final = 8

Pair: TypeAlias = tuple[int, int]


class Map(msgspec.Struct, frozen=True):
    """The board and the deck: all of it is printed, so everybody may know it.

    Spaces are indexes into `spaces`, which holds their identifiers; those of a country stand together.
    `points` are their places on the drawing grid as (column, row). `roads` holds every road once, the lower
    space first; `sea_roads` are those of them that cross water. `deck` counts the cards of each kind in the
    box, `removed` has (seats, cards of each kind taken out).
    """

    width: int
    height: int
    spaces: tuple[str, ...]
    points: tuple[Pair, ...]
    country_of: bytes
    spaces_of: tuple[tuple[int, ...], ...]
    roads: tuple[Pair, ...]
    sea_roads: tuple[Pair, ...]
    neighbours: tuple[tuple[int, ...], ...]
    alliances: tuple[Pair, ...]
    scoring_order: tuple[int, ...]
    deck: tuple[int, ...]
    removed: tuple[Pair, ...]
    cloisters: int
    advisors: int

    def removed_of_each(self, seats: int) -> int:
        """How many cards of each kind are taken out with so many players."""
        return dict(self.removed)[seats]

    def deck_for(self, seats: int) -> tuple[int, ...]:
        """How many cards of each kind are in play with so many players."""
        return tuple(count - self.removed_of_each(seats) for count in self.deck)
