"""Observations of Ku-Ka-King as numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kk_core.games.ku_ka_king import model
from kk_core.types import Seat
from kk_learn.games import Part, counts, flags, one_of


def parts(seen: model.Observation, order: Sequence[Seat]) -> Iterator[Part]:
    """Yield the parts of this game's vectors; `order` has the seats, the viewer's first."""
    kinds = len(model.CARDS)
    for row in range(model.MAX_ROWS):
        cards = seen.rows[row] if row < len(seen.rows) else b""
        yield f"row:{row + 1}", counts(cards, kinds)
    yield "taken", flags(seen.taken, range(1, model.MAX_ROWS + 1))
    for place, seat in enumerate(order):
        yield f"collection:{place}", list(seen.collections[seat])
    yield "box_seen", counts(seen.box_seen, kinds)
    yield "cards", [seen.pile, seen.box]
    yield "turn", [seen.round, seen.turn, int(seen.second_pass), int(seen.last_round)]
    yield "affected", flags(seen.affected, order)
    yield "called", flags(seen.called, order)
    yield "own_call", one_of(seen.own_call, model.MAX_ROWS + 1)
