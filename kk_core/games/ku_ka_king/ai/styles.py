"""What bots of Ku-Ka-King like beyond what a row gains, by style."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Final, TypeAlias

from kk_core.config import read_weights
from kk_core.games.ku_ka_king.data import STYLES
from kk_core.games.ku_ka_king.model import ANIMALS, CHURCH, FARMER, KING, KNIGHT
from kk_core.types import Seat

Gains: TypeAlias = Mapping[Seat, Sequence[float]]
"""The expected gain of each open row, for every seat that calls one."""

_COURT: Final = (KING, KNIGHT)


@cache
def _weights() -> dict[str, float]:
    return read_weights(STYLES, dict[str, float])


def preferences(style: str, rows: Sequence[bytes], own: bytes, gains: Gains, seat: Seat) -> list[float]:
    """Return what the owner of a collection likes about each of these rows, in points."""
    weight = _weights()[style]
    return [weight * liked for liked in _LIKED[style](rows, own, gains, seat)]


def _more_of_the_same(rows: Sequence[bytes], own: bytes, _gains: Gains, _seat: Seat) -> list[float]:
    # animals and kings score more each, the more there are
    return [sum((card < ANIMALS or card == KING) and own[card] > 0 for card in row) for row in rows]


def _the_court(rows: Sequence[bytes], _own: bytes, _gains: Gains, _seat: Seat) -> list[float]:
    return [sum(card in _COURT for card in row) for row in rows]


def _what_others_want(rows: Sequence[bytes], _own: bytes, gains: Gains, seat: Seat) -> list[float]:
    nothing = [0.0] * len(rows)
    wanted = [nothing, *(_over_mean(of_one) for other, of_one in gains.items() if other != seat)]
    return [max(column) for column in zip(*wanted, strict=True)]


def _all_or_nothing(rows: Sequence[bytes], _own: bytes, _gains: Gains, _seat: Seat) -> list[float]:
    # churches count for those with the most, and a farm's cards only together
    return [sum(card == CHURCH or card >= FARMER for card in row) for row in rows]


def _over_mean(figures: Sequence[float]) -> list[float]:
    mean = sum(figures) / len(figures)
    return [figure - mean for figure in figures]


_LIKED: Final[dict[str, Callable[[Sequence[bytes], bytes, Gains, Seat], list[float]]]] = {
    "builder": _more_of_the_same,
    "courtier": _the_court,
    "denier": _what_others_want,
    "gambler": _all_or_nothing,
}
