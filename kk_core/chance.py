"""The provable chance stream "kk-1": every shuffle follows from the seed by a documented algorithm.

The stream is SHA-256(seed || n) for n = 0, 1, 2, ... (n as 8 bytes, big-endian), read as 4-byte
big-endian words. `random.Random` is not used because it does not promise stability across Python versions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import chain, islice
from struct import Struct
from typing import TypeAlias, TypeVar

# the alias tells type checkers that this is a re-export
from kk_core.types import SEED_BYTES as SEED_BYTES

T = TypeVar("T")

RNG = "kk-1"

_WORDS_PER_BLOCK = 8
_WORDS_OF = Struct(f">{_WORDS_PER_BLOCK}I").unpack
_WORD_RANGE = 1 << 32


def _blocks_from(seed: bytes, position: int) -> Iterator[tuple[int, ...]]:
    """Yield the endless stream from word `position` on, block by block."""
    number, offset = divmod(position, _WORDS_PER_BLOCK)
    # hash the seed once and copy the state for each block, which is faster
    seeded = sha256(seed)
    while True:
        block = seeded.copy()
        block.update(number.to_bytes(8, "big"))
        yield _WORDS_OF(block.digest())[offset:]
        number += 1
        offset = 0


class Chance:
    """A reader of the stream at word `position`. States do not hold one: they keep seed and position."""

    __slots__ = ("_words", "position")

    def __init__(self, seed: bytes, position: int = 0) -> None:
        self._words: Iterator[int] = chain.from_iterable(_blocks_from(seed, position))
        self.position = position

    def word(self) -> int:
        """Return the next word, from 0 to 2**32 - 1."""
        self.position += 1
        return next(self._words)

    def below(self, k: int) -> int:
        """Return an integer from 0 to k - 1, each equally likely."""
        word = self.word()
        # words from the last multiple of k up would make low numbers likelier
        while word >= _WORD_RANGE - _WORD_RANGE % k:
            word = self.word()
        return word % k

    def shuffle(self, items: list[T]) -> None:
        """Shuffle in place: Fisher-Yates from the end."""
        # `below` inlined, since dealing is a good part of the cost of a short match; a word below `always`
        # is acceptable for every k up to the number of items
        words, always, refused, k = self._words, _WORD_RANGE - len(items), 0, len(items)
        for word in islice(words, max(k - 1, 0)):
            while word >= always and word >= _WORD_RANGE - _WORD_RANGE % k:
                word = next(words)
                refused += 1
            j = word % k
            k -= 1
            items[k], items[j] = items[j], items[k]
        self.position += max(len(items) - 1, 0) + refused


Contribution: TypeAlias = tuple[int, bytes]
"""A seat, and the 32 bytes that it adds to the host's seed."""


def commitment(host_seed: bytes) -> bytes:
    """Return the SHA-256 of the host's bytes; published first, so that the host cannot change them later."""
    return sha256(host_seed).digest()


def mix_seed(host_seed: bytes, contributions: Sequence[Contribution]) -> bytes:
    """Return the seed of a match: the SHA-256 of the host's bytes and the seats' contributions, by seat.

    Without contributions, it is the host's bytes themselves.
    """
    if not contributions:
        return host_seed
    # sorted, so that it does not matter who contributed first
    added = b"".join(bytes([seat]) + drawn for seat, drawn in sorted(contributions))
    return sha256(host_seed + added).digest()
