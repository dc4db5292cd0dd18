"""How play goes on in simulations: quickly, by what single cards are worth, with some chance in it."""

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
"""Points by which a row must be better to be called e times as often."""

_NOISES: Final = 4096

Worth = Callable[[int], float]
"""What one card more of a type is worth to somebody."""


def _noise() -> tuple[float, ...]:
    """Numbers drawn so that who adds them to what he likes and takes the best chooses by `PLAYING_ON`."""
    random = Random(1)
    return tuple(-PLAYING_ON * log(-log(random.random())) for _ in range(_NOISES + MAX_ROWS))


_NOISE: Final = _noise()


class RowValues:
    """What the rows of a round are worth to everybody, by what cards were worth when it began.

    That holds for the whole round: who calls again has got no cards in it.
    """

    def __init__(self, rows: Sequence[bytes], worths: Sequence[Worth]) -> None:
        self._rows, self._worths = rows, worths
        self.of = [[sum(map(worth, row)) for row in rows] for worth in worths]

    def look_again(self, position: State) -> None:
        """Who calls again looks at the rows that have changed."""
        for row, (before, after) in enumerate(zip(self._rows, position.rows, strict=True)):
            if before is not after:
                for seat in SEATS_OF[position.waiting]:
                    self.of[seat][row] = sum(map(self._worths[seat], after))
        self._rows = position.rows


def go_on(deck: Printed, position: State, looks: RowValues, noise: Callable[[], float]) -> None:
    """All who are to call do so, and the calls are revealed; `noise` gives random numbers from 0 to 1."""
    calls = bytearray(position.calls)
    for seat in SEATS_OF[position.waiting]:
        calls[seat] = _call(looks.of[seat], position.open_rows, int(noise() * _NOISES))
    position.calls = bytes(calls)
    reveal(deck, position)


def _call(looks: Sequence[float], open_rows: Sequence[Move], at: int) -> Move:
    """The row that looks best with some chance in it, drawn from a place of `_NOISE`."""
    best, called = -inf, 0
    for row, more in zip(open_rows, _NOISE[at : at + MAX_ROWS], strict=False):
        look = looks[row - 1] + more
        if look > best:
            best, called = look, row
    return called
