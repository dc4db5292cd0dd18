"""The lock of a data folder, which only one process can use at a time.

A separate module because Windows has no `fcntl`, and records can be read there.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from kk_core.errors import KkError
from kk_core.reasons import system_reason
from kk_core.text import Text, text
from kk_server.storage.sqlite import LOCK


class FolderNotHeld(KkError):
    """A data folder that cannot be used; the sentence says why."""


class FolderInUse(FolderNotHeld):
    """A data folder that another process has."""


def hold_folder(data: Path, in_use: Text) -> int:
    """Lock a folder for this process, creating it if needed; closing the returned descriptor unlocks it.

    The system also unlocks it when the process ends in any way. Raises `FolderNotHeld`; if another process
    has it, that is `FolderInUse` with the sentence `in_use`.
    """
    try:
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        # the lock file stays: deleting it would let two processes lock different files
        lock = os.open(data / LOCK, os.O_CREAT | os.O_RDWR, 0o600)
    except OSError as error:
        raise FolderNotHeld(
            text("{folder} cannot be used: {reason}", folder=str(data), reason=system_reason(error))
        ) from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise FolderInUse(in_use) from None
    return lock


def mark_used(lock: int) -> None:
    """Note in a lock file that its folder has a database: an empty one is not new from then on."""
    with suppress(OSError):  # then only this is not noticed
        if not os.fstat(lock).st_size:
            os.pwrite(lock, b"used\n", 0)
