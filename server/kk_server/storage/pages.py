"""Reads rows from the pages of a SQLite file when SQLite itself can no longer reach them.

A table is a tree of pages, with its rows on the leaves. If the schema or a page above them is damaged,
SQLite gives up on all leaves below, although nothing is wrong with them. The format is described at
https://sqlite.org/fileformat2.html; its numbers are big-endian.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from struct import error as CutShort  # noqa: N812
from struct import unpack_from
from typing import Any, Final

MAGIC: Final = b"SQLite format 3\0"

_USUAL_SIZE: Final = 4096
"""The page size to assume if the header is damaged: this program uses no other."""

_HEADER_SIZE: Final = 100  # on the first page, before what other pages begin with

_TABLE_LEAF: Final = 0x0D
_INDEX_LEAF: Final = 0x0A

_NUMBERS: Final = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
"""The sizes of integers in bytes, by serial type."""


class _Use(IntEnum):
    """The use of a page, as a pointer map has it."""

    ROOT = 1
    FREE = 2
    TREE = 5


@dataclass(frozen=True)
class PageRow:
    """A row on a leaf page; `is_sure` is false if its page may have been freed.

    `number` is the rowid; None in an index, and in a table without rowids.
    """

    page: int
    number: int | None
    values: tuple[Any, ...]
    is_sure: bool


class Pages:
    """The pages of a file, numbered from 1."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._has_header = content.startswith(MAGIC)
        self._size, reserved = _USUAL_SIZE, 0
        if self._has_header:
            (stored,), reserved = unpack_from(">H", content, 16), content[20]
            size = 65536 if stored == 1 else stored
            if size >= 512 and not size & (size - 1):
                self._size = size
        self._usable = self._size - (reserved if reserved < self._size - 480 else 0)
        self._count = len(content) // self._size
        self._free = self._read_free()
        # a map comes before the pages it describes; files of this program always have maps
        self._has_map = not self._has_header or any(content[52:56])

    def rows(self) -> Iterator[PageRow]:
        """Yield the rows of all tables and indexes, from pages that are not free."""
        for page in range(1, self._count + 1):
            start = (page - 1) * self._size
            at = start + _HEADER_SIZE * (page == 1)
            kind = self._content[at]
            if kind not in (_TABLE_LEAF, _INDEX_LEAF):
                continue
            is_free = self._is_free(page)
            if is_free:
                continue
            for number, values in self._on_leaf(start, at, kind):
                yield PageRow(page, number, values, is_free is not None)

    # -- which pages are in use ------------------------------------------------------------------------------

    def _read_free(self) -> set[int] | None:
        """Return the free pages; None if the list of them is damaged."""
        if not self._has_header:
            return None
        free: set[int] = set()
        trunk, count = unpack_from(">II", self._content, 32)
        while trunk:
            if trunk in free or not 1 < trunk <= self._count:
                return None
            free.add(trunk)
            start = (trunk - 1) * self._size
            trunk, n = unpack_from(">II", self._content, start)
            if n > self._usable // 4 - 2:
                return None
            free.update(unpack_from(f">{n}I", self._content, start + 8))
        return free if len(free) == count else None

    def _is_free(self, page: int) -> bool | None:
        """Return whether a page is in no tree; None if that cannot be determined."""
        mapped = self._mapped(page) if self._has_map and page > 1 else None
        if self._free is None:
            return mapped
        is_free = page in self._free
        # if the list and the map disagree, either may be damaged
        return None if mapped is not None and mapped != is_free else is_free

    def _mapped(self, page: int) -> bool | None:
        each = self._usable // 5  # pages described by one map
        map_page = (page - 2) // (each + 1) * (each + 1) + 2
        if map_page == page:
            return True
        use = self._content[(map_page - 1) * self._size + 5 * (page - map_page - 1)]
        if use in (_Use.ROOT, _Use.TREE):
            return False
        # 0 means damage; the others are overflow pages, which may look like a leaf
        return True if use else None

    # -- what a leaf holds -----------------------------------------------------------------------------------

    def _on_leaf(self, start: int, at: int, kind: int) -> Iterator[tuple[int | None, tuple[Any, ...]]]:
        (count,) = unpack_from(">H", self._content, at + 3)
        if count > self._usable // 4:
            return
        for offset in unpack_from(f">{count}H", self._content, at + 8):
            # a damaged cell is skipped; its neighbours may be fine
            try:
                yield self._cell(start, start + offset, kind)
            except (IndexError, ValueError, CutShort):
                continue

    def _cell(self, start: int, at: int, kind: int) -> tuple[int | None, tuple[Any, ...]]:
        length, at = _varint(self._content, at)
        number = None
        if kind == _TABLE_LEAF:
            number, at = _varint(self._content, at)
            number -= (number >> 63) << 64
        most = self._usable - 35 if kind == _TABLE_LEAF else (self._usable - 12) * 64 // 255 - 23
        here = length
        if length > most:
            least = (self._usable - 12) * 32 // 255 - 23
            here = least + (length - least) % (self._usable - 4)
            here = here if here <= most else least
        if at + here > start + self._usable:
            raise ValueError("a cell ends beyond its page")
        payload = self._content[at : at + here]
        if here < length:
            (following,) = unpack_from(">I", self._content, at + here)
            payload += self._overflow(following, length - here)
        return number, _record(payload)

    def _overflow(self, page: int, left: int) -> bytes:
        parts = []
        if left > len(self._content):
            raise ValueError("a row is longer than its file")
        while left > 0:
            if not 1 < page <= self._count:
                raise ValueError("a long row goes on nowhere")
            start = (page - 1) * self._size
            part = self._content[start + 4 : start + min(self._usable, 4 + left)]
            (page,) = unpack_from(">I", self._content, start)
            parts.append(part)
            left -= len(part)
        return b"".join(parts)


def _varint(content: bytes, at: int) -> tuple[int, int]:
    """Return a number of 1 to 9 bytes, and where it ends."""
    value = 0
    for place in range(8):
        byte = content[at + place]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + place + 1
    return value << 8 | content[at + 8], at + 9


def _record(payload: bytes) -> tuple[Any, ...]:
    """Return the values of a row. Raises `IndexError` or `ValueError` if it cannot be decoded."""
    end, at = _varint(payload, 0)
    if not at < end <= len(payload):
        raise ValueError("a row has no values")
    types, values, place = [], [], end
    while at < end:
        kind, at = _varint(payload, at)
        types.append(kind)
    for kind in types:
        size = _NUMBERS.get(kind, 8 if kind == 7 else (kind - 12) // 2 if kind >= 12 else 0)
        stored = payload[place : place + size]
        if len(stored) < size:
            raise ValueError("a row is cut short")
        place += size
        values.append(_value(kind, stored))
    return tuple(values)


def _value(kind: int, stored: bytes) -> Any:
    if kind == 0:
        return None
    if kind in _NUMBERS:
        return int.from_bytes(stored, "big", signed=True)
    if kind == 7:
        return unpack_from(">d", stored)[0]
    if kind in (8, 9):
        return kind - 8
    if kind < 12:
        raise ValueError("a value is of no known type")
    return stored.decode("utf-8", "surrogateescape") if kind % 2 else stored
