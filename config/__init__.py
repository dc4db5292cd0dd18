"""The data files: decks, maps and settings, with the one function that reads them.

An owner of a printed game who finds a line wrong corrects it in a copy of this folder and names the copy
in the environment variable KK_CONFIG; files missing there are taken from here. The folder `first` is never
corrected: it holds the rules data of the first release, whose matches did not keep theirs.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib import resources
from pathlib import Path


@dataclass(frozen=True)
class Source:
    """A data file as text, with the name that error messages give it."""

    name: str
    text: str


def read(name: str) -> Source:
    """Read a data file, e.g. "land_cards.toml". Raises OSError when there is none."""
    override = os.environ.get("KK_CONFIG")
    if override and (path := Path(override) / name).is_file():
        return Source(str(path), path.read_text(encoding="utf-8"))
    return read_shipped(name)


def read_shipped(name: str) -> Source:
    """Read a data file as it came with the program. Raises OSError when there is none."""
    return Source(f"config/{name}", resources.files(__package__).joinpath(name).read_text(encoding="utf-8"))
