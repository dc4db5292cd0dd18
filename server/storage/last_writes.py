"""Whether what was written last can be read: the file that SQLite keeps beside its own (`-wal`).

SQLite reads it up to the first frame whose checksum is wrong, as after a power cut, and says nothing of what
follows. Where transactions follow that were finished, these are lost.
The format: https://www.sqlite.org/fileformat2.html#the_write_ahead_log
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from struct import Struct, unpack_from
from typing import Final, TypeAlias

_HEADER: Final = Struct(">8I")
_FRAME: Final = Struct(">6I")
_MAGIC: Final = 0x377F0682
"""With 1 added where checksums are of big-endian words."""

_TRIES: Final = 3
"""A server may write while it is read."""

Sum: TypeAlias = tuple[int, int]


def last_writes(path: Path) -> Path:
    """Where SQLite keeps what was written last to a file."""
    return path.with_name(f"{path.name}-wal")


def are_lost(path: Path) -> bool:
    """Whether transactions that were finished cannot be read any more, of those that were written last."""
    try:
        return all(_breaks_early(last_writes(path).read_bytes()) for _ in range(_TRIES))
    except OSError:
        return False


def _breaks_early(wal: bytes) -> bool:
    """Whether a frame is damaged before the end of a transaction."""
    if len(wal) < _HEADER.size:
        return False
    magic, _, size, _, *salts, first, second = _HEADER.unpack_from(wal)
    order = ">" if magic & 1 else "<"
    found = _sum(wal[: _HEADER.size - 8], (0, 0), order)
    if magic & ~1 != _MAGIC or found != (first, second):
        return len(wal) > _HEADER.size
    is_broken = False
    for start in _frames(wal, size):
        _, pages, *own, first, second = _FRAME.unpack_from(wal, start)
        if not is_broken:
            end = start + _FRAME.size
            found = _sum(wal[start : start + 8] + wal[end : end + size], found, order)
            is_broken = own != salts or found != (first, second)
        elif own == salts and pages:  # older frames have other salts; this one ends a transaction
            return True
    return False


def _frames(wal: bytes, size: int) -> Iterator[int]:
    """Where whole frames begin."""
    step = _FRAME.size + size
    return iter(range(_HEADER.size, len(wal) - step + 1, step))


def _sum(content: bytes, before: Sum, order: str) -> Sum:
    """The checksum that SQLite has for a file of last writes."""
    one, two = before
    words = unpack_from(f"{order}{len(content) // 4}I", content)
    for word, other in zip(words[::2], words[1::2], strict=True):
        one = (one + word + two) & 0xFFFFFFFF
        two = (two + other + one) & 0xFFFFFFFF
    return one, two
