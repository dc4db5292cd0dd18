"""Observations of the card game as numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from kk_core.games.land_cards import model
from kk_core.types import Seat
from kk_learn.games import Part, counts, flags, one_of, ordered


def parts(seen: model.Observation, order: Sequence[Seat]) -> Iterator[Part]:
    """Yield the parts of this game's vectors; `order` has the seats, the viewer's first."""
    seats = len(order)
    # a cell's card is free, under a seat's stone, or in front of a seat
    codes = [model.FREE, *(model.STONE + seat for seat in order), *(model.TAKEN + seat for seat in order)]
    places = {code: place for place, code in enumerate(codes)}
    laws, taken = seen.law_cells, seen.taken
    for cell, (face, code) in enumerate(zip(seen.faces, seen.board, strict=True)):
        yield f"cell:{cell}", _cell(face, cell in laws, cell in taken, places[code], 1 + 2 * seats)
    yield "phase", one_of(seen.phase, model.OVER + 1)
    yield "turn", [seen.turn, seen.symbols, seen.symbol_limit, seen.stone_limit]
    yield "ends", [int(seen.any_colour), int(seen.at_start_only)]
    yield "supply", ordered(seen.supply, order)
    yield "gone", ordered(seen.gone, order)
    yield "law_counts", ordered(seen.law_counts, order)
    yield "own_laws", counts(seen.hands[order[0]] if seen.hands else (), len(model.LAWS))
    yield "played_laws", counts(seen.played, len(model.LAWS))
    yield "idle_laws", flags(seen.idle_laws, range(len(model.LAWS)))


@cache
def _cell(face: int, has_law: bool, is_taken: bool, place: int, places: int) -> tuple[int, ...]:
    # country, symbols and route of the land card; whether it has a law card; whether it was taken in this
    # turn; and its place
    symbols = [(face >> 4 & 7) - 1, (face >> 7 & 7) - 1]
    return (
        *one_of(face & 15, len(model.COUNTRIES)),
        *counts((symbol for symbol in symbols if symbol >= 0), len(model.SYMBOLS)),
        *one_of(face >> 10, len(model.ROUTES))[1:],
        int(has_law),
        int(is_taken),
        *one_of(place, places),
    )
