"""Observations as vectors of numbers, of the same length and meaning all through a match.

What a viewer knows stands there by parts with names. Seats are counted from the viewer, so that the same
place says the same whoever looks: 0 is the viewer, 1 who comes after him.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any, Final, TypeAlias

from kk_core.game import AnyGame
from kk_core.games.ku_ka_king import model as ku_ka_king
from kk_core.games.land_cards import model as land_cards
from kk_core.games.web_of_power import model as web_of_power
from kk_core.types import Observation, Seat

Part: TypeAlias = tuple[str, Sequence[int]]
"""A part of a vector: its name and its numbers."""

MOST: Final = 1000
"""No number is above it, none below its negative."""


def vector(game_id: str, seen: Observation) -> array[int]:
    """What a seat knows, as numbers. Raises `KeyError` for a game without a vector."""
    return array("h", list(chain.from_iterable([numbers for _, numbers in parts(game_id, seen)])))


def layout(game: AnyGame, seats: int, options: Mapping[str, str]) -> dict[str, slice]:
    """Where in a vector each part stands."""
    seen = game.observe(game.setup(options, seats, bytes(32)), 0)
    places: dict[str, slice] = {}
    begun = 0
    for name, numbers in parts(game.meta.id, seen):
        places[name] = slice(begun, begun + len(numbers))
        begun += len(numbers)
    return places


def parts(game_id: str, seen: Observation) -> Iterator[Part]:
    """What a seat knows, part by part: first what all games share."""
    assert seen.viewer is not None, "only seats learn"
    order = _order(seen.viewer, len(seen.points))
    yield "active", _flags(seen.active, order)
    yield "points", _ordered(seen.points, order)
    yield from _PARTS[game_id](seen, order)


def _order(viewer: Seat, seats: int) -> list[Seat]:
    """All seats from the viewer on."""
    return [(viewer + further) % seats for further in range(seats)]


def _ordered(numbers: Sequence[int], order: Iterable[Seat]) -> list[int]:
    return [numbers[seat] for seat in order]


def _flags(chosen: Iterable[int], among: Iterable[int]) -> list[int]:
    known = set(chosen)
    return [int(one in known) for one in among]


@cache
def _one_of(number: int, count: int) -> tuple[int, ...]:
    """A one at a place, zeros elsewhere; nothing but zeros for what is no place."""
    return tuple([int(place == number) for place in range(count)])


def _counts(kinds: Iterable[int], count: int) -> list[int]:
    """How many there are of each kind."""
    found = [0] * count
    for kind in kinds:
        found[kind] += 1
    return found


# -- the card game -------------------------------------------------------------------------------------------


def _land_cards(seen: land_cards.Observation, order: Sequence[Seat]) -> Iterator[Part]:
    model, seats = land_cards, len(order)
    places = {code: place for place, code in enumerate(_codes(order))}
    laws, taken = seen.law_cells, seen.taken
    for cell, (face, code) in enumerate(zip(seen.faces, seen.board, strict=True)):
        yield f"cell:{cell}", _cell(face, cell in laws, cell in taken, places[code], 1 + 2 * seats)
    yield "phase", _one_of(seen.phase, model.OVER + 1)
    yield "turn", [seen.turn, seen.symbols, seen.symbol_limit, seen.stone_limit]
    yield "ends", [int(seen.any_colour), int(seen.at_start_only)]
    yield "supply", _ordered(seen.supply, order)
    yield "gone", _ordered(seen.gone, order)
    yield "law_counts", _ordered(seen.law_counts, order)
    yield "own_laws", _counts(seen.hands[order[0]] if seen.hands else (), len(model.LAWS))
    yield "played_laws", _counts(seen.played, len(model.LAWS))
    yield "idle_laws", _flags(seen.idle_laws, range(len(model.LAWS)))


@cache
def _cell(face: int, has_law: bool, is_taken: bool, place: int, places: int) -> tuple[int, ...]:
    """Country, both symbols and route of a land card; a law card on it, taken just now; what lies there."""
    model = land_cards
    symbols = [(face >> 4 & 7) - 1, (face >> 7 & 7) - 1]
    return (
        *_one_of(face & 15, len(model.COUNTRIES)),
        *_counts((symbol for symbol in symbols if symbol >= 0), len(model.SYMBOLS)),
        *_one_of(face >> 10, len(model.ROUTES))[1:],
        int(has_law),
        int(is_taken),
        *_one_of(place, places),
    )


def _codes(order: Sequence[Seat]) -> list[int]:
    """What may lie on a cell: nothing, somebody's stone, or the card is in front of somebody."""
    model = land_cards
    return [model.FREE, *(model.STONE + seat for seat in order), *(model.TAKEN + seat for seat in order)]


# -- the board game ------------------------------------------------------------------------------------------


def _web_of_power(seen: web_of_power.Observation, order: Sequence[Seat]) -> Iterator[Part]:
    model, seats = web_of_power, len(order)
    kinds, countries = len(model.CARDS), len(model.COUNTRIES)
    for space, code in enumerate(seen.board):
        owners = [model.CLOISTER_OF + seat for seat in order]
        yield f"space:{space}", [int(code == other) for other in (model.FREE, *owners)]
    for country in range(countries):
        own = seen.advisors[country * seats : (country + 1) * seats]
        yield f"advisors:{country}", _ordered(own, order)
    yield "cloisters_left", _ordered(seen.cloisters_left, order)
    yield "advisors_left", _ordered(seen.advisors_left, order)
    yield "hand", _counts(seen.hand, kinds)
    yield "hand_sizes", _ordered(seen.hand_sizes, order)
    for place, seat in enumerate(order):
        yield f"shown:{place}", _counts(seen.shown[seat], kinds)
    yield "face_up", [n for card in seen.face_up for n in _one_of(card, kinds + 1)]
    yield "discards", list(seen.discards)
    yield "cards", [seen.pile, seen.pile_runs]
    yield "phase", _one_of(seen.phase, model.OVER + 1)
    yield "turn", [seen.turn, seen.placed, int(seen.begun_empty)]
    yield "begun", _one_of(seen.begun, countries)
    yield "scoring", [int(seen.interim_scored), int(seen.end_of_round)]


# -- Ku-Ka-King ----------------------------------------------------------------------------------------------


def _ku_ka_king(seen: ku_ka_king.Observation, order: Sequence[Seat]) -> Iterator[Part]:
    model = ku_ka_king
    kinds = len(model.CARDS)
    for row in range(model.MAX_ROWS):
        cards = seen.rows[row] if row < len(seen.rows) else b""
        yield f"row:{row + 1}", _counts(cards, kinds)
    yield "taken", _flags(seen.taken, range(1, model.MAX_ROWS + 1))
    for place, seat in enumerate(order):
        yield f"collection:{place}", list(seen.collections[seat])
    yield "box_seen", _counts(seen.box_seen, kinds)
    yield "cards", [seen.pile, seen.box]
    yield "turn", [seen.round, seen.turn, int(seen.second_pass), int(seen.last_round)]
    yield "affected", _flags(seen.affected, order)
    yield "called", _flags(seen.called, order)
    yield "own_call", _one_of(seen.own_call, model.MAX_ROWS + 1)


_PARTS: Final[Mapping[str, Callable[[Any, Sequence[Seat]], Iterator[Part]]]] = {
    "land_cards": _land_cards,
    "web_of_power": _web_of_power,
    "ku_ka_king": _ku_ka_king,
}
