"""Files that are there whole, or as they were before."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, in the place of another one if there is any. Raises OSError."""
    unfinished = Path(f"{path}.tmp")
    with unfinished.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)
