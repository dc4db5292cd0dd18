"""Having what was written to a file reach the disk."""

from __future__ import annotations

import os

try:
    import fcntl
except ImportError:  # on Windows, where records are verified
    _FULL = None
else:
    _FULL = getattr(fcntl, "F_FULLFSYNC", None)
    """The request for it on macOS, where `fsync` leaves everything in the cache of the drive."""


def sync(file: int) -> None:
    """Wait until all that was written to a file is on the disk. Raises OSError."""
    if _FULL is not None:
        try:
            fcntl.fcntl(file, _FULL)
        except OSError:  # not every file system knows it
            pass
        else:
            return
    os.fsync(file)
