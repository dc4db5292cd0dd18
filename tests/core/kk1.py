"""The chance stream "kk-1" as docs/records.md tells it, written without the engine, for referees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import chain
from typing import TypeVar

T = TypeVar("T")


def of_each(counts: Iterable[int]) -> list[int]:
    """Cards kind by kind."""
    return list(chain.from_iterable([kind] * count for kind, count in enumerate(counts)))


def words(seed: bytes) -> Iterator[int]:
    """The words of the stream."""
    number = 0
    while True:
        block = sha256(seed + number.to_bytes(8, "big")).digest()
        yield from (int.from_bytes(block[i : i + 4], "big") for i in range(0, 32, 4))
        number += 1


def shuffled(cards: Sequence[T], stream: Iterator[int]) -> list[T]:
    """Fisher-Yates from the end."""
    shuffled = list(cards)
    for i in range(len(shuffled) - 1, 0, -1):
        k = i + 1
        j = next(word for word in stream if word < 2**32 - 2**32 % k) % k
        shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
    return shuffled
