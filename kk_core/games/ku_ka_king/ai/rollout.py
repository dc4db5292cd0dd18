"""Quick play in simulations: rows by the worth of single cards, with some randomness."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, log
from random import Random
from typing import Final

from kk_core.games.ku_ka_king.model import MAX_ROWS, Printed
from kk_core.games.ku_ka_king.rules import reveal
from kk_core.games.ku_ka_king.state import SEATS_OF, State
from kk_core.types import Move

PLAYING_ON: Final = 1.0
"""The points by which a row must be better to be called e times as often."""

_NOISES: Final = 4096

Worth = Callable[[int], float]
"""The worth of one more card of each type to a seat."""


def _noise() -> tuple[float, ...]:
    # Gumbel noise: the greatest of some values plus noise is distributed as by `softmax` at `PLAYING_ON`,
    # without computing it
    random = Random(1)
    return tuple(-PLAYING_ON * log(-log(random.random())) for _ in range(_NOISES + MAX_ROWS))


_NOISE: Final = _noise()


class RowValues:
    """The worth of a round's rows to every seat, by the worth of cards at the start of the round.

    That does not change during the round: a seat that calls again has got no cards in it.
    """

    def __init__(self, rows: Sequence[bytes], worths: Sequence[Worth]) -> None:
        self._rows, self._worths = rows, worths
        self.of = [[sum(map(worth, row)) for row in rows] for worth in worths]

    def look_again(self, position: State) -> None:
        """Update the rows that have changed, for seats that call again."""
        for row, (before, after) in enumerate(zip(self._rows, position.rows, strict=True)):
            if before is not after:
                for seat in SEATS_OF[position.waiting]:
                    self.of[seat][row] = sum(map(self._worths[seat], after))
        self._rows = position.rows


def go_on(deck: Printed, position: State, looks: RowValues, noise: Callable[[], float]) -> None:
    """Make all missing calls and reveal them; `noise` gives random numbers from 0 to 1."""
    calls = bytearray(position.calls)
    for seat in SEATS_OF[position.waiting]:
        calls[seat] = _call(looks.of[seat], position.open_rows, int(noise() * _NOISES))
    position.calls = bytes(calls)
    reveal(deck, position)


def _call(looks: Sequence[float], open_rows: Sequence[Move], at: int) -> Move:
    best, called = -inf, 0
    for row, more in zip(open_rows, _NOISE[at : at + MAX_ROWS], strict=False):
        look = looks[row - 1] + more
        if look > best:
            best, called = look, row
    return called
