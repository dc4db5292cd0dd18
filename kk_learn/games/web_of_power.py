"""Observations of the board game as numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kk_core.games.web_of_power import model
from kk_core.types import Seat
from kk_learn.games import Part, counts, one_of, ordered


def parts(seen: model.Observation, order: Sequence[Seat]) -> Iterator[Part]:
    """Yield the parts of this game's vectors; `order` has the seats, the viewer's first."""
    seats = len(order)
    kinds, countries = len(model.CARDS), len(model.COUNTRIES)
    for space, code in enumerate(seen.board):
        owners = [model.CLOISTER_OF + seat for seat in order]
        yield f"space:{space}", [int(code == other) for other in (model.FREE, *owners)]
    for country in range(countries):
        own = seen.advisors[country * seats : (country + 1) * seats]
        yield f"advisors:{country}", ordered(own, order)
    yield "cloisters_left", ordered(seen.cloisters_left, order)
    yield "advisors_left", ordered(seen.advisors_left, order)
    yield "hand", counts(seen.hand, kinds)
    yield "hand_sizes", ordered(seen.hand_sizes, order)
    for place, seat in enumerate(order):
        yield f"shown:{place}", counts(seen.shown[seat], kinds)
    yield "face_up", [n for card in seen.face_up for n in one_of(card, kinds + 1)]
    yield "discards", list(seen.discards)
    yield "cards", [seen.pile, seen.pile_runs]
    yield "phase", one_of(seen.phase, model.OVER + 1)
    yield "turn", [seen.turn, seen.placed, int(seen.begun_empty)]
    yield "begun", one_of(seen.begun, countries)
    yield "scoring", [int(seen.interim_scored), int(seen.end_of_round)]
