"""Quick play in simulations: calls at random, and those of plain players."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import log
from random import Random
from typing import Final

from kk_core.games.ku_ka_king.model import MAX_ROWS, Printed
from kk_core.games.ku_ka_king.rules import reveal
from kk_core.games.ku_ka_king.state import SEATS_OF, State
from kk_core.types import Seat

_NOISES: Final = 4096
_RANDOM: Final = Random(1)
# Gumbel noise: added to logarithms of weights, it makes the greatest sum a draw by these weights
_NOISE: Final = tuple(-log(-log(1 - _RANDOM.random())) for _ in range(_NOISES + MAX_ROWS))


def go_on(
    deck: Printed, position: State, draw: Callable[[], float], appeal: Mapping[Seat, Sequence[float]]
) -> None:
    """Make all missing calls and reveal them; `draw` gives random numbers from 0 to 1.

    `appeal` has the logarithms of the weights by which plain players call the open rows. All others call at
    random.
    """
    calls, rows = bytearray(position.calls), position.open_rows
    for seat in SEATS_OF[position.waiting]:
        wanted = appeal.get(seat)
        if wanted is None:
            calls[seat] = rows[int(draw() * len(rows))]
        else:
            first = int(draw() * _NOISES)
            noisy = list(map(float.__add__, wanted, _NOISE[first : first + len(rows)]))
            calls[seat] = rows[noisy.index(max(noisy))]
    position.calls = bytes(calls)
    reveal(deck, position)
