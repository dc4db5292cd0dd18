"""Quick play in simulations: calls at random."""

from __future__ import annotations

from collections.abc import Callable

from kk_core.games.ku_ka_king.model import Printed
from kk_core.games.ku_ka_king.rules import reveal
from kk_core.games.ku_ka_king.state import SEATS_OF, State


def go_on(deck: Printed, position: State, draw: Callable[[], float]) -> None:
    """Make all missing calls and reveal them; `draw` gives random numbers from 0 to 1."""
    calls, rows = bytearray(position.calls), position.open_rows
    for seat in SEATS_OF[position.waiting]:
        calls[seat] = rows[int(draw() * len(rows))]
    position.calls = bytes(calls)
    reveal(deck, position)
