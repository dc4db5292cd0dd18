"""Splits terminal input into keys before anything reads them, and passes them on at a limited rate.

Handling a key costs thousands of times as much as receiving it, and everybody's apps share the process. So
if a client sends more than anybody can type, only as much is read as one person types; the rest is dropped in
whole keys.
"""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Callable
from typing import Final, NamedTuple

from kk_server.counts import counts
from kk_server.frontend.driver import LONGEST_PASTE
from kk_server.limits import TokenBucket

_KEY: Final = re.compile(
    rb"\x1b?\x1b\[[0-?]{0,64}[ -/]{0,4}[@-~]"  # arrows, function keys, mouse, answers
    rb"|\x1b?\x1bO[@-~]"
    rb"|\x1b\][^\x07\x1b]{0,64}(?:\x07|\x1b\\)"  # answers about colours
    rb"|\x1bP[^\x07\x1b]{0,128}\x1b\\"
    rb"|(?P<begun>"  # the beginning of any of these, or of a letter, at the end of the input
    rb"\x1b(?:\x1b?(?:\[[0-?]{0,64}[ -/]{0,4}|O)?|\][^\x07\x1b]{0,64}\x1b?|P[^\x07\x1b]{0,128}\x1b?)\Z"
    rb"|\x1b?[\xc0-\xff][\x80-\xbf]{0,2}\Z)"
    rb"|\x1b?[\x00-\x1a\x1c-\x7f]"  # a letter, also with Alt
    rb"|\x1b?[\xc0-\xff][\x80-\xbf]{1,3}"
    rb"|[\x00-\xff]",
    re.DOTALL,
)
_LONGEST_BEGUN: Final = 140  # bytes: slightly more than the longest beginning in `_KEY`

_PASTE: Final = b"\x1b[200~"
_PASTED: Final = b"\x1b[201~"
_PASTE_BYTES: Final = 4 * LONGEST_PASTE
_PASTE_PER_KEY: Final = 100
"""Bytes of a paste that cost as much as one key."""

_BROKEN_OFF: Final = 10.0
"""Seconds without a byte after which a paste is over, because its end was lost in transit."""

_APART: Final = 0.004
"""Seconds between two keys that arrived together, so that others get their turn."""

_REST: Final = 1.0
"""Seconds without reading after a client has sent too much."""


class _Key(NamedTuple):
    """A whole key, a part of one, or a paste, and its cost in keys."""

    typed: bytes
    cost: int = 1


class InputThrottle:
    """Passes whole keys to `pass_on`; if there are too many, calls `stop_reading` with seconds."""

    def __init__(
        self,
        per_second: float,
        at_once: int,
        pass_on: Callable[[bytes], None],
        stop_reading: Callable[[float], None],
    ) -> None:
        self._bucket = TokenBucket(per_second, at_once)
        self._room = at_once
        self._pass_on = pass_on
        self._stop_reading = stop_reading
        self._waiting: deque[_Key] = deque()
        self._next: asyncio.TimerHandle | None = None
        self._begun = b""
        self._is_begun_kept = True
        self._paste: _Paste | None = None
        self._fed = 0.0
        self._is_closed = False

    def feed(self, data: bytes) -> None:
        """Take input."""
        before, self._fed = self._fed, asyncio.get_running_loop().time()
        if self._paste is not None and self._fed - before > _BROKEN_OFF:
            self._end_paste(self._paste)
        data = self._go_on(data)
        at = 0
        while at < len(data) and not self._is_closed:
            # a paste is one key, so its bytes are always taken
            if self._paste is None and len(self._waiting) >= self._room:
                self._drop(data[-_LONGEST_BEGUN:])
                break
            at = self._take(data, at)
        if self._next is None:
            self._let_through()

    def close(self) -> None:
        """Drop what is queued."""
        self._is_closed = True
        self._waiting.clear()
        if self._next is not None:
            self._next.cancel()

    # -- in --------------------------------------------------------------------------------------------------

    def _take(self, data: bytes, at: int) -> int:
        """Take one key, or as much of a paste as has arrived; returns the position after it."""
        if self._paste is not None:
            return self._take_paste(data, at)
        key = _key_at(data, at)
        if key[0] == _PASTE:
            self._paste = _Paste(_PASTE)
        else:
            self._waiting.append(_Key(key[0]))
            self._begun, self._is_begun_kept = key["begun"] or b"", True
        return key.end()

    def _take_paste(self, data: bytes, at: int) -> int:
        assert self._paste is not None
        end = self._paste.take(data, at)
        if self._paste.is_whole:
            self._end_paste(self._paste)
        elif self._paste.is_too_long:
            self._stop_reading(_REST)
        return end

    def _end_paste(self, paste: _Paste) -> None:
        typed = paste.typed()
        self._waiting.append(_Key(typed, min(1 + len(typed) // _PASTE_PER_KEY, self._room)))
        self._paste = None

    def _go_on(self, data: bytes) -> bytes:
        """Take the rest of an incomplete key; returns what comes after it."""
        begun, self._begun = self._begun, b""
        if not begun or not data:
            return data
        key = _key_at(begun + data, 0)
        if key.end() <= len(begun):
            return data
        rest = key[0][len(begun) :]
        if key["begun"]:
            self._begun = key[0]
        if key[0] == _PASTE and self._is_begun_kept:
            self._paste = _Paste(rest)
        elif self._is_begun_kept:
            # its beginning has already cost a token
            self._waiting.append(_Key(rest, 0))
        return data[len(rest) :]

    def _drop(self, rest: bytes) -> None:
        counts.dropped_keys += 1
        self._stop_reading(_REST)
        at = max(rest.rfind(b"\x1b"), 0)
        # the rest of a key that is cut here must not be taken for separate keys
        self._begun, self._is_begun_kept = _key_at(rest, at)["begun"] or b"", False

    # -- out -------------------------------------------------------------------------------------------------

    def _let_through(self) -> None:
        self._next = None
        if not self._waiting:
            return
        wait = self._bucket.wait_for(self._waiting[0].cost)
        if not wait:
            self._pass_on(self._waiting.popleft().typed)
        if self._waiting:
            self._next = asyncio.get_running_loop().call_later(wait or _APART, self._let_through)


class _Paste:
    """A paste that arrives in pieces; only the beginning of a long one is kept."""

    def __init__(self, head: bytes) -> None:
        """Begin a paste with the bytes of its opening code."""
        self._head = head
        self._kept = bytearray()
        self._tail = b""
        self.is_whole = False

    @property
    def is_too_long(self) -> bool:
        """True if not all of it is kept."""
        return len(self._kept) >= _PASTE_BYTES

    def take(self, data: bytes, at: int) -> int:
        """Take a piece; returns the position in it after the paste."""
        piece = self._tail + data[at:]
        end = piece.find(_PASTED)
        self.is_whole = end >= 0
        # the closing code may be split: hold back as many bytes as its beginning can have
        content = piece[:end] if self.is_whole else piece[: 1 - len(_PASTED)]
        self._kept += content[: max(0, _PASTE_BYTES - len(self._kept))]
        if not self.is_whole:
            self._tail = piece[len(content) :]
            return len(data)
        return at + end + len(_PASTED) - len(self._tail)

    def typed(self) -> bytes:
        """Return the bytes to pass on."""
        return self._head + bytes(self._kept) + _PASTED


def _key_at(data: bytes, at: int) -> re.Match[bytes]:
    key = _KEY.match(data, at)
    assert key is not None  # any byte is a key
    return key
