"""Helpers for flat values on hot paths: bytes and tuples, numbers, a memo, sets of moves."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import exp
from typing import Final, TypeVar

K = TypeVar("K")
T = TypeVar("T")

BYTE: Final = tuple(bytes((value,)) for value in range(256))
"""Every byte value as a `bytes` of length 1."""


# -- bytes and tuples ----------------------------------------------------------------------------------------


def with_byte(values: bytes, index: int, value: int) -> bytes:
    """Return a copy of the bytes with another value at an index."""
    return values[:index] + BYTE[value] + values[index + 1 :]


def with_item(values: tuple[T, ...], index: int, value: T) -> tuple[T, ...]:
    """Return a copy of the tuple with another value at an index."""
    items = [*values]
    items[index] = value
    return tuple(items)


# -- figures -------------------------------------------------------------------------------------------------


def softmax(values: Sequence[float], temperature: float) -> list[float]:
    """Return probabilities; a value greater by `temperature` is e times as likely."""
    # relative to the best, so that no exponential overflows
    best = max(values)
    weights = [exp((value - best) / temperature) for value in values]
    total = sum(weights)
    return [weight / total for weight in weights]


def over_others(points: Sequence[float]) -> list[float]:
    """Return each seat's points minus the mean of the others'."""
    total, others = sum(points), len(points) - 1
    return [own - (total - own) / others for own in points]


def with_others(figures: list[int]) -> Iterator[tuple[int, list[int]]]:
    """Yield each seat's figure together with the list of the others'."""
    for seat, own in enumerate(figures):
        yield own, figures[:seat] + figures[seat + 1 :]


# -- a memo --------------------------------------------------------------------------------------------------


MOST: Final = 1 << 15


class Memo(dict[K, T]):
    """A cache of a function's results by key; cleared when it has `most` entries."""

    __slots__ = ("_most", "_work_out")

    def __init__(self, work_out: Callable[[K], T], most: int = MOST) -> None:
        super().__init__()
        self._work_out, self._most = work_out, most

    def __missing__(self, key: K) -> T:
        found = self._work_out(key)
        # clearing is cheaper than tracking use, and a search soon has again what it needs
        if len(self) >= self._most:
            self.clear()
        self[key] = found
        return found


# -- sets of moves -------------------------------------------------------------------------------------------


def has_move(moves: Sequence[int], move: object) -> bool:
    """Return whether `move` is in ascending `moves`; False for anything but an int."""
    # True == 1, but it is not a move
    return type(move) is int and (index := bisect_left(moves, move)) < len(moves) and moves[index] == move


def _put(out: bytearray, number: int) -> None:
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)


def pack_moves(moves: Iterable[int]) -> bytes:
    """Pack a set of moves as runs of consecutive numbers: gap, then length minus one, as varints."""
    out = bytearray()
    end = 0
    run: list[int] = []
    for move in sorted(moves):
        if run and move == run[-1] + 1:
            run.append(move)
            continue
        if run:
            _put(out, run[0] - end)
            _put(out, len(run) - 1)
            end = run[-1] + 1
        run = [move]
    if run:
        _put(out, run[0] - end)
        _put(out, len(run) - 1)
    return bytes(out)


def unpack_moves(packed: bytes) -> tuple[int, ...]:
    """Return the moves that `pack_moves` packed, ascending."""
    numbers: list[int] = []
    value = shift = 0
    for byte in packed:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            numbers.append(value)
            value = shift = 0
    moves: list[int] = []
    start = 0
    for gap, more in zip(numbers[::2], numbers[1::2], strict=True):
        start += gap
        moves.extend(range(start, start + more + 1))
        start += more + 1
    return tuple(moves)
