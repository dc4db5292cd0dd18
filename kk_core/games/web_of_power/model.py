"""Moves, events, observations and the map of the board game: all that a client may know.

A space is an index into `Printed.spaces`, a country one into COUNTRIES, a kind (of card) one into CARDS.
Owners are seats. `read` and `read_event` turn moves and events into dataclasses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import msgspec

from kk_core.checks import no_such_move
from kk_core.text import text
from kk_core.types import CommonObservation, Event, Meta, Move, Option, OptionValue

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
MAX_PIECES: Final = 2
"""The most pieces in a turn (3-2-1 rule); the limit of three cards follows from the hand size."""
OPEN_CARDS: Final = 2

SHORTEST: Final = 4
"""The fewest cloisters of a chain."""

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
"""Names of the countries for people, in the order of COUNTRIES."""

CARD_NAMES: Final = (
    text("Franken/Aragon"),
    text("Bayern/Burgund"),
    text("Lothringen/Italien"),
    text("England/Schwaben"),
    text("Frankreich"),
)
"""Names of the cards for people, in the order of CARDS."""

CARD_COUNTRIES: Final = tuple(tuple(COUNTRIES.index(name) for name in card.split("/")) for card in CARDS)
"""The one or two countries that each kind of card names."""

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
"""In `board`: a space without a cloister."""

CLOISTER_OF: Final = 1
"""In `board`: CLOISTER_OF + seat, a space with that seat's cloister."""

NO_CARD: Final = len(CARDS)
"""In `face_up`: a place whose card was taken and is not yet replaced."""

NO_COUNTRY: Final = len(COUNTRIES)
"""The value of `begun` while nothing has been placed in this turn."""

DREW: Final = len(CARDS)
"""In `OldCards.since`: a card was drawn from the pile."""

# -- phases of a turn ----------------------------------------------------------------------------------------

PLACING, DRAWING, OVER = range(3)

# -- moves ---------------------------------------------------------------------------------------------------

# Up to 200 placements are legal: as numbers they are picked out of tables, 0.02 us each; creating the
# dataclasses below would take 0.4 us each.

END_PLACING: Final = 0
DRAW_PILE: Final = 1
EXCHANGE: Final = 2
DRAW_FACE_UP: Final = 8
ADVISOR: Final = 16
ADVISOR_STRIDE: Final = len(COUNTRIES)
CLOISTER: Final = 128
CLOISTER_STRIDE: Final = MAX_SPACES

SINGLE: Final = 0
"""Payment: one card that names the country."""
PAIR: Final = 1
"""Payment: PAIR + kind, two cards of that kind as a joker."""
PAYMENTS: Final = PAIR + len(CARDS)

MOVES_END: Final = CLOISTER + PAYMENTS * CLOISTER_STRIDE


@dataclass(frozen=True, slots=True)
class EndPlacing:
    """Stop placing in this turn."""

    @property
    def move(self) -> Move:
        """The number of the move."""
        return END_PLACING


@dataclass(frozen=True, slots=True)
class DrawFromPile:
    """Draw the top card of the draw pile."""

    @property
    def move(self) -> Move:
        """The number of the move."""
        return DRAW_PILE


@dataclass(frozen=True, slots=True)
class DrawFaceUp:
    """Take a face-up card of a kind."""

    kind: int

    @property
    def move(self) -> Move:
        """The number of the move."""
        return DRAW_FACE_UP + self.kind


@dataclass(frozen=True, slots=True)
class Exchange:
    """Discard a card of a kind instead of placing pieces."""

    kind: int

    @property
    def move(self) -> Move:
        """The number of the move."""
        return EXCHANGE + self.kind


@dataclass(frozen=True, slots=True)
class PlaceCloister:
    """Place a cloister on a space."""

    space: int
    payment: int

    @property
    def move(self) -> Move:
        """The number of the move."""
        return CLOISTER + self.payment * CLOISTER_STRIDE + self.space


@dataclass(frozen=True, slots=True)
class PlaceAdvisor:
    """Place an advisor in a country."""

    country: int
    payment: int

    @property
    def move(self) -> Move:
        """The number of the move."""
        return ADVISOR + self.payment * ADVISOR_STRIDE + self.country


AnyMove: TypeAlias = EndPlacing | DrawFromPile | DrawFaceUp | Exchange | PlaceCloister | PlaceAdvisor


def cards_of(country: int, payment: int) -> tuple[int, ...]:
    """Return the kinds of the cards of a payment for a country."""
    return (KIND_OF_COUNTRY[country],) if payment == SINGLE else (payment - PAIR,) * 2


# -- events --------------------------------------------------------------------------------------------------

TURNED_UP, RESHUFFLED, INTERIM_SCORED, LAST_ROUND, NOBODY_CAN_PLACE = range(5)
"""The first items of events; the others are the details, in the order of the fields below."""


@dataclass(frozen=True, slots=True)
class TurnedUp:
    """A card of this kind was turned up to replace an open one."""

    kind: int


@dataclass(frozen=True, slots=True)
class Reshuffled:
    """The discard pile became the new draw pile; `cards` is their number."""

    cards: int


@dataclass(frozen=True, slots=True)
class InterimScored:
    """The interim scoring took place."""


@dataclass(frozen=True, slots=True)
class LastRound:
    """The draw pile ran out again; the round is played to its end."""


@dataclass(frozen=True, slots=True)
class NobodyCanPlace:
    """No piece can be placed any more; the match is over."""


AnyEvent: TypeAlias = TurnedUp | Reshuffled | InterimScored | LastRound | NobodyCanPlace

_EVENTS: Final = (TurnedUp, Reshuffled, InterimScored, LastRound, NobodyCanPlace)


def read_event(event: Event) -> AnyEvent:
    """Return the meaning of an event."""
    kind, *particulars = event
    made: AnyEvent = _EVENTS[int(kind)](*particulars)  # type: ignore[arg-type]
    return made


# -- what is known -------------------------------------------------------------------------------------------


class Printed(msgspec.Struct, frozen=True, array_like=True):
    """The board and the deck.

    Spaces are indexes into `spaces`, which holds their identifiers; those of a country are consecutive.
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
        """Return the number of cards of each kind that are taken out, by number of players."""
        return dict(self.removed)[seats]

    def deck_for(self, seats: int) -> tuple[int, ...]:
        """Return the number of cards of each kind that are in play, by number of players."""
        return tuple(count - self.removed_of_each(seats) for count in self.deck)


def counts_of(points: Sequence[int]) -> tuple[int, ...]:
    """Return every seat's cloisters in a country, from the points that they gave in a scoring.

    No two ways of sharing a country give the same points.
    """
    if not any(points):
        return (0,) * len(points)
    total, *above = sorted({*points} - {0}, reverse=True)
    # each place scores the count of the one above, so only the last count is not among the points
    rest = total - sum(
        count * points.count(place) for count, place in zip(above, (total, *above), strict=False)
    )
    last = (total, *above)[-1]
    counts = dict(zip((total, *above), (*above, rest // points.count(last)), strict=True))
    return tuple(counts[own] if own else 0 for own in points)


def read(land: Printed, move: Move) -> AnyMove:
    """Return the meaning of a move on a map. Raises `InvalidMove` for any other number."""
    # not `isinstance`, which accepts True and False
    if type(move) is not int or not 0 <= move < MOVES_END:
        raise no_such_move(move)
    if move >= CLOISTER:
        payment, space = divmod(move - CLOISTER, CLOISTER_STRIDE)
        if space < len(land.spaces):
            return PlaceCloister(space, payment)
    elif move >= ADVISOR:
        payment, country = divmod(move - ADVISOR, ADVISOR_STRIDE)
        if payment < PAYMENTS:
            return PlaceAdvisor(country, payment)
    elif DRAW_FACE_UP <= move < DRAW_FACE_UP + len(CARDS):
        return DrawFaceUp(move - DRAW_FACE_UP)
    elif EXCHANGE <= move < EXCHANGE + len(CARDS):
        return Exchange(move - EXCHANGE)
    elif move < EXCHANGE:
        return DrawFromPile() if move == DRAW_PILE else EndPlacing()
    raise no_such_move(move)


# gc=False: searches create thousands of them, and they cannot contain reference cycles
class OldCards(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A note of a viewer from when the draw pile ran out and the discard pile became the new one.

    At that moment everybody knew which cards all hands held together. Old cards are those of them that a seat
    may still hold, without those taken from the face-up cards. `own` are the kinds of the viewer's old cards,
    `others` those of all others together, both ascending; `counts` has each seat's number of them.

    `since` has, for each seat with old cards, what has happened since it first drew from the new pile: DREW
    for each card drawn from the pile, and the kind of each hidden card played, which may have been old or
    not.
    """

    own: bytes
    others: bytes
    counts: bytes
    since: tuple[bytes, ...]


class Observation(CommonObservation, frozen=True, array_like=True, gc=False):
    """A match of the board game as one viewer may know it.

    `board` has one byte per space (FREE, or CLOISTER_OF + seat), `advisors` counts per country and seat
    (country * seats + seat). `cloisters_left` and `advisors_left` count the supply per seat.
    `hand` has the kinds of the viewer's own cards, ascending (empty for a spectator), `hand_sizes` the number
    of cards per seat, `shown` the kinds that each seat is publicly known to hold, ascending, since it took
    them from the face-up cards. `pile` is the number of cards in the draw pile, `face_up` the kinds of the
    face-up cards (or NO_CARD), `discards` the number of discarded cards per kind, which are public. `old` is
    None before the draw pile has run out.

    `turn` counts from 0. `begun` is the country of this turn (or NO_COUNTRY), `placed` the number of pieces
    placed in it, and `begun_empty` is true if it was empty before. `pile_runs` is how often the draw pile has
    run out: 1 begins the second half, 2 the last round. `interim_scored` is true after the interim scoring,
    `end_of_round` if that waits for the end of a round. After the end, `chains` holds the scoring chains of
    every seat as the spaces along each of them.
    """

    printed: Printed
    board: bytes
    advisors: bytes
    cloisters_left: bytes
    advisors_left: bytes
    hand: bytes
    hand_sizes: bytes
    shown: tuple[bytes, ...]
    old: OldCards | None
    pile: int
    face_up: bytes
    discards: bytes
    turn: int
    phase: int
    begun: int
    begun_empty: bool
    placed: int
    pile_runs: int
    interim_scored: bool
    end_of_round: bool
    chains: tuple[tuple[bytes, ...], ...]

    @property
    def round(self) -> int:
        """The number of the round, from 1."""
        return self.turn // len(self.hand_sizes) + 1

    @property
    def unseen(self) -> tuple[int, ...]:
        """The number of cards of each kind that the viewer neither sees nor knows to be in a hand."""
        shown = b"".join(cards for seat, cards in enumerate(self.shown) if seat != self.viewer)
        seen = self.hand + self.face_up + shown
        deck = self.printed.deck_for(len(self.hand_sizes))
        return tuple(deck[kind] - self.discards[kind] - seen.count(kind) for kind in range(len(CARDS)))


SEA: Final = "."
"""Water in `MapPicture.land`."""

FOREIGN: Final = ":"
"""Land in `MapPicture.land` outside the game's countries."""


class MapPicture(msgspec.Struct, frozen=True, array_like=True):
    """The map drawn by hand on a grid of `width` x `height` cells, for boards of at least the size `least`.

    `land` has every row of the grid as runs such as "12.8a" (12 cells of SEA, 8 of country 0; "b" is country
    1). `points` are the places of the spaces as (column, row), None for a space that has none; `crests` and
    `names` are the best places for a country's, `numbers` for an alliance's, None if anywhere near will do.
    `ornaments` are decorations in the sea, by name.
    """

    least: Pair
    width: int
    height: int
    land: tuple[str, ...]
    points: tuple[Pair | None, ...]
    crests: tuple[Pair | None, ...]
    names: tuple[Pair | None, ...]
    numbers: tuple[Pair | None, ...]
    ornaments: tuple[tuple[str, Pair], ...]


class Drawing(msgspec.Struct, frozen=True, array_like=True):
    """The drawing of the map; not part of the rules.

    `pictures` are for boards of different sizes, smallest first; `sea_roads` are the roads that cross water,
    as in `Printed.roads`.
    """

    pictures: tuple[MapPicture, ...]
    sea_roads: tuple[Pair, ...]


# -- the entry in the lobby ----------------------------------------------------------------------------------

INTERIM_SCORING: Final = "interim_scoring"
IMMEDIATE: Final = "immediate"
END_OF_ROUND: Final = "end_of_round"

META: Final = Meta(
    id="web_of_power",
    name=text("Kardinal & König: the board game"),
    summary=text("Build cloisters along the roads of Europe, and send advisors to its courts."),
    min_seats=3,
    max_seats=5,
    moves=MOVES_END,
    order=2,
    tie_break=text("pieces left"),
    options=(
        Option(
            INTERIM_SCORING,
            text("Interim scoring"),
            (
                OptionValue(IMMEDIATE, text("as soon as the draw pile is empty")),
                OptionValue(END_OF_ROUND, text("at the end of the round in which it runs out")),
            ),
        ),
    ),
)
