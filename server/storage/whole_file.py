"""Files that are there whole, or as they were before."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: Path, content: bytes, mode: int = 0o666) -> None:
    """Write a file, in the place of another one if there is any. Raises OSError.

    `mode` is what others may do with it, as far as the process lets them.
    """
    unfinished = Path(f"{path}.tmp")
    unfinished.unlink(missing_ok=True)  # one that was left behind may be open to more people
    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)
