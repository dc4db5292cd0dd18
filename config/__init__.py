"""The data files: decks and maps, with the functions that read them.

An owner of a printed game who finds a line wrong corrects it in a copy of this folder and names the copy
in the environment variable KK_CONFIG; files missing there are taken from here. The folder `first` is never
corrected: it holds the rules data of the first release, whose matches did not keep theirs.
"""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Final

VARIABLE: Final = "KK_CONFIG"

_SUFFIX: Final = ".toml"


@dataclass(frozen=True)
class Source:
    """A data file as text, with the name that error messages give it."""

    name: str
    text: str


def names() -> tuple[str, ...]:
    """The names of all data files, in alphabetical order."""
    files = resources.files(__package__).iterdir()
    return tuple(sorted(file.name for file in files if file.name.endswith(_SUFFIX)))


def own_folder() -> Path | None:
    """The folder in KK_CONFIG, whether it is there or not."""
    override = os.environ.get(VARIABLE)
    return Path(override) if override else None


def own_names() -> tuple[str, ...]:
    """The names of the files in that folder that look like data files."""
    folder = own_folder()
    return tuple(sorted(path.name for path in folder.glob(f"*{_SUFFIX}"))) if folder else ()


def read(name: str) -> Source:
    """Read a data file, e.g. "land_cards.toml". Raises OSError when there is none, or it is no text."""
    folder = own_folder()
    if folder is None or not os.path.lexists(path := folder / name):
        return read_shipped(name)
    if not path.is_file():
        raise OSError(errno.EINVAL, "It is no regular file", str(path))
    try:
        return Source(str(path), path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise OSError(errno.EILSEQ, f"Byte {error.start} is not UTF-8", str(path)) from None


def read_shipped(name: str) -> Source:
    """Read a data file as it came with the program. Raises OSError when there is none."""
    return Source(f"config/{name}", resources.files(__package__).joinpath(name).read_text(encoding="utf-8"))
