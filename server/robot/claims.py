"""Which seats a process plays for: of two under one name, neither plays for the seat of the other."""

from __future__ import annotations

import errno
import fcntl
import os
from hashlib import sha256
from pathlib import Path

from kk_core.types import Seat


class Claims:
    """Places in a file that are locked, one for each seat; the system lets go of them with the process."""

    def __init__(self, file: Path) -> None:
        """Raises `OSError` where there can be no such file."""
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._file = os.open(file, os.O_CREAT | os.O_RDWR, 0o600)

    def take(self, table: str, seat: Seat) -> bool:
        """Play for a seat, unless another process does."""
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _place(table, seat))
        except OSError as error:
            return error.errno not in (errno.EACCES, errno.EAGAIN)  # where nothing can be locked, nobody is
        return True

    def give_up(self, table: str, seat: Seat) -> None:
        """Play for a seat no more."""
        fcntl.lockf(self._file, fcntl.LOCK_UN, 1, _place(table, seat))


def _place(table: str, seat: Seat) -> int:
    return int.from_bytes(sha256(f"{table}/{seat}".encode()).digest()[:6], "big")
