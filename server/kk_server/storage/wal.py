"""The write-ahead log (WAL) of a SQLite file, read without SQLite.

SQLite drops everything in a WAL that follows the first bad frame, and says nothing; here this is found out.
The format is described at https://sqlite.org/walformat.html.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from struct import Struct, unpack_from
from typing import Final, NamedTuple, TypeAlias

_HEADER: Final = Struct(">8I")
_FRAME: Final = Struct(">6I")
_MAGIC: Final = 0x377F0682
"""The magic number of a WAL file; plus 1 if its checksums use big-endian words."""

_INDEX_SIZE: Final = 48
"""The size of the header in a WAL index; the index holds it twice."""

_TRIES: Final = 3
"""Attempts at reading the WAL, since a server may be writing."""

Sum: TypeAlias = tuple[int, int]


def wal_of(path: Path) -> Path:
    """Return the path of the WAL, where SQLite keeps the latest writes to a file."""
    return path.with_name(f"{path.name}-wal")


def are_lost(path: Path) -> bool | None:
    """Return whether finished transactions in the WAL are unreadable; None if that cannot be determined."""
    verdicts = []
    for _ in range(_TRIES):
        try:
            # read the index first, so that it is never ahead of the WAL
            index = _read(path.with_name(f"{path.name}-shm"))
            verdicts.append(_breaks_early(wal_of(path).read_bytes(), index))
        except OSError:
            return False
        if verdicts[-1] is False:
            return False
    return True if all(verdicts) else None


def with_wal(content: bytes, wal: bytes) -> bytes:
    """Return a database file with the transactions that its WAL has finished."""
    header = _header(wal)
    if header is None:
        return content
    merged, size, waiting = bytearray(content), header.size, dict[int, bytes]()
    for frame in _frames(wal, header):
        if frame.salts != header.salts or not frame.is_sound:
            break
        waiting[frame.page] = frame.image
        if frame.pages:
            merged.extend(bytes(max(0, frame.pages * size - len(merged))))
            for number, image in waiting.items():
                merged[(number - 1) * size : number * size] = image
            del merged[frame.pages * size :]
            waiting.clear()
    return bytes(merged)


def _read(path: Path) -> bytes:
    with suppress(OSError):
        return path.read_bytes()
    return b""


class _WalHeader(NamedTuple):
    """A WAL's header; `order` is the byte order of its sums, and `sum` where the first frame's continues."""

    size: int
    salts: list[int]
    order: str
    sum: Sum


class _WalFrame(NamedTuple):
    """A page as written; `pages` is the file's size after a transaction that ends here, else 0."""

    page: int
    pages: int
    salts: list[int]
    is_sound: bool
    image: bytes


def _header(wal: bytes) -> _WalHeader | None:
    """Return the header of a WAL; None if it is damaged."""
    if len(wal) < _HEADER.size:
        return None
    magic, _, size, _, *salts, first, second = _HEADER.unpack_from(wal)
    order = ">" if magic & 1 else "<"
    found = _sum(wal[: _HEADER.size - 8], (0, 0), order)
    is_sound = magic & ~1 == _MAGIC and found == (first, second)
    return _WalHeader(size, salts, order, found) if is_sound else None


def _frames(wal: bytes, header: _WalHeader) -> Iterator[_WalFrame]:
    """Yield the frames of a WAL."""
    size, _, order, found = header
    is_sound, step = True, _FRAME.size + size
    for start in range(_HEADER.size, len(wal) - step + 1, step):
        page, pages, *salts, first, second = _FRAME.unpack_from(wal, start)
        image = wal[start + _FRAME.size : start + step]
        # sums continue from frame to frame: after a wrong one, none can be proven right
        if is_sound:
            found = _sum(wal[start : start + 8] + image, found, order)
            is_sound = found == (first, second)
        yield _WalFrame(page, pages, salts, is_sound, image)


def _breaks_early(wal: bytes, index: bytes) -> bool | None:
    header = _header(wal)
    if header is None:
        return len(wal) > _HEADER.size
    committed, sound, finished, is_broken = _committed(index, wal), 0, 0, False
    for number, frame in enumerate(_frames(wal, header), 1):
        is_own = frame.salts == header.salts
        if is_broken:
            # SQLite stops at the first bad frame: transactions finished after it are lost
            if is_own and frame.pages:
                return True
        elif is_own and frame.is_sound:
            sound, finished = number, number if frame.pages else finished
        elif frame.is_sound and frame.pages:  # salts are not covered by the sum, so only they are damaged
            return True
        elif _is_older(frame.salts, header.salts):
            break
        else:
            is_broken = True
    if committed is not None and committed > sound:
        return True
    # the last frame may be damaged, or was never completely written
    return None if is_broken and committed != finished else False


def _is_older(own: list[int], salts: list[int]) -> bool:
    """Return whether a frame is from before the WAL was last restarted."""
    # the first salt is incremented at each restart
    return 0 < (salts[0] - own[0]) & 0xFFFFFFFF < 2**20


def _committed(index: bytes, wal: bytes) -> int | None:
    """Return the number of committed frames in a WAL index; None if it belongs to another WAL."""
    header, order = index[:_INDEX_SIZE], "=" if len(index) >= 2 * _INDEX_SIZE else ""
    if not order or header != index[_INDEX_SIZE : 2 * _INDEX_SIZE] or header[32:40] != wal[16:24]:
        return None
    if _sum(header[:40], (0, 0), order) != unpack_from("=2I", header, 40):
        return None
    (frames,) = unpack_from("=I", header, 16)
    return int(frames)


def _sum(content: bytes, before: Sum, order: str) -> Sum:
    one, two = before
    words = unpack_from(f"{order}{len(content) // 4}I", content)
    for word, other in zip(words[::2], words[1::2], strict=True):
        one = (one + word + two) & 0xFFFFFFFF
        two = (two + other + one) & 0xFFFFFFFF
    return one, two
