"""Moves, observations and the board of the board game: all that a client may know.

A space is an index into `Printed.spaces`, a country one into COUNTRIES, a kind (of card) one into CARDS.
Owners are seats.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import msgspec

from kk_core.text import text
from kk_core.types import Move
from kk_core.types import Observation as CommonObservation

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

COUNTRY_NAMES: Final = (
    text("England"),
    text("Franken"),
    text("Bayern"),
    text("Italien"),
    text("Aragon"),
    text("Frankreich"),
    text("Lothringen"),
    text("Schwaben"),
    text("Burgund"),
)
"""What people read, in the order of COUNTRIES."""

CARD_NAMES: Final = (
    text("Franken/Aragon"),
    text("Bayern/Burgund"),
    text("Lothringen/Italien"),
    text("England/Schwaben"),
    text("Frankreich"),
)
"""What people read, in the order of CARDS."""

CARD_COUNTRIES: Final = tuple(tuple(COUNTRIES.index(name) for name in card.split("/")) for card in CARDS)
"""The countries that each kind of card names, one or two."""

KIND_OF_COUNTRY: Final = tuple(
    next(kind for kind, named in enumerate(CARD_COUNTRIES) if country in named)
    for country in range(len(COUNTRIES))
)
"""The one kind of card that names each country."""

SHEET: Final = (
    *(f"interim:cloisters:{country}" for country in COUNTRIES),
    *(f"final:cloisters:{country}" for country in COUNTRIES),
    *(f"alliance:{number}" for number in range(1, ALLIANCES + 1)),
    "chains",
)
"""The lines of a score sheet, in the order of scoring."""

# -- what lies where -----------------------------------------------------------------------------------------

FREE: Final = 0
"""In `board`: nobody's cloister."""

CLOISTER_OF: Final = 1
"""In `board`: CLOISTER_OF + seat."""

NO_CARD: Final = len(CARDS)
"""In `face_up`: a place whose card was taken and is not replaced yet."""

NO_COUNTRY: Final = len(COUNTRIES)
"""In `begun`: nothing has been placed in this turn."""

# -- phases of a turn ----------------------------------------------------------------------------------------

PLACING, DRAWING, OVER = range(3)

# -- moves ---------------------------------------------------------------------------------------------------

END_PLACING: Final = 0
DRAW_PILE: Final = 1
EXCHANGE: Final = 2
"""EXCHANGE + kind of the card given away."""
DRAW_FACE_UP: Final = 8
"""DRAW_FACE_UP + kind: an open card of that kind."""
ADVISOR: Final = 16
"""ADVISOR + payment * ADVISOR_STRIDE + country."""
ADVISOR_STRIDE: Final = len(COUNTRIES)
CLOISTER: Final = 128
"""CLOISTER + payment * CLOISTER_STRIDE + space."""
CLOISTER_STRIDE: Final = MAX_SPACES

SINGLE: Final = 0
"""Payment: the one card that names the country."""
PAIR: Final = 1
"""Payment: PAIR + kind, two cards of that kind as a joker."""
PAYMENTS: Final = PAIR + len(CARDS)

MOVES_END: Final = CLOISTER + PAYMENTS * CLOISTER_STRIDE


def cloister_move(space: int, payment: int) -> Move:
    """The move that places a cloister on a space."""
    return CLOISTER + payment * CLOISTER_STRIDE + space


def advisor_move(country: int, payment: int) -> Move:
    """The move that places an advisor in a country."""
    return ADVISOR + payment * ADVISOR_STRIDE + country


# -- events --------------------------------------------------------------------------------------------------

FACE_UP: Final = 0
"""(FACE_UP, kind): an open card was replaced by this one."""
RESHUFFLE: Final = 1
"""(RESHUFFLE, cards): the discards became the new draw pile of so many cards."""
INTERIM: Final = 2
"""(INTERIM,): the interim scoring took place."""
LAST_ROUND: Final = 3
"""(LAST_ROUND,): the draw pile ran out again; the round is played to its end."""
NOBODY_CAN_PLACE: Final = 4
"""(NOBODY_CAN_PLACE,): no piece can be placed any more; the match is over."""


class Printed(msgspec.Struct, frozen=True, array_like=True):
    """The board and the deck.

    Spaces are indexes into `spaces`, which holds their identifiers; those of a country stand together.
    `roads` holds every road once, the lower space first. `deck` counts the cards of each kind in the box,
    `removed` has (seats, cards of each kind taken out).
    """

    spaces: tuple[str, ...]
    country_of: bytes
    spaces_of: tuple[tuple[int, ...], ...]
    roads: tuple[Pair, ...]
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


class Drawing(msgspec.Struct, frozen=True, array_like=True):
    """Where the map is drawn: no part of the rules.

    `points` are the places of the spaces on a grid of `width` x `height`, as (column, row), None for a space
    that has none; `sea_roads` are the roads that cross water, as in `Printed.roads`.
    """

    width: int
    height: int
    points: tuple[Pair | None, ...]
    sea_roads: tuple[Pair, ...]


class Observation(CommonObservation, frozen=True, array_like=True, kw_only=True):
    """What one viewer may know of a match of the board game.

    `board` has one byte per space (FREE, or CLOISTER_OF + seat), `advisors` counts per country and seat
    (country * seats + seat). `cloisters_left` and `advisors_left` count the supply per seat.
    `hand` has the kinds of the viewer's own cards, ascending (nothing for a spectator), `hand_sizes` the
    number of cards per seat. `pile` is the number of cards in the draw pile, `face_up` the kinds of the open
    cards (or NO_CARD), `discards` the number of discarded cards per kind: they were played for all to see.

    `round` counts from 1. `begun` is the country of this turn (or NO_COUNTRY) and `placed` the number of
    pieces placed in it. `pile_runs` is how often the draw pile ran out: 1 begins the second half, 2 the
    last round. `interim_scored` tells whether the interim scoring has been. `chains` holds, after the end,
    the scoring chains of every seat as the spaces along each of them.
    """

    printed: Printed
    board: bytes
    advisors: bytes
    cloisters_left: bytes
    advisors_left: bytes
    hand: bytes
    hand_sizes: bytes
    pile: int
    face_up: bytes
    discards: bytes
    round: int
    phase: int
    begun: int
    placed: int
    pile_runs: int
    interim_scored: bool
    chains: tuple[tuple[bytes, ...], ...]
