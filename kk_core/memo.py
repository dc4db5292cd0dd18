"""A table that works out what it does not know yet; the hot path of simulations, so plain and short."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

K = TypeVar("K")
T = TypeVar("T")

MOST: Final = 1 << 15


class Memo(dict[K, T]):
    """What a function makes of each key, remembered; when there is too much of it, all is forgotten first."""

    __slots__ = ("_most", "_work_out")

    def __init__(self, work_out: Callable[[K], T], most: int = MOST) -> None:
        super().__init__()
        self._work_out, self._most = work_out, most

    def __missing__(self, key: K) -> T:
        found = self._work_out(key)
        if len(self) >= self._most:
            self.clear()
        self[key] = found
        return found
