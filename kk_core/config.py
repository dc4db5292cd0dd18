"""Reading the data files: decks, maps, settings, and what bots have learned.

To correct one of the TOML files, copy it into a folder and set the environment variable KK_CONFIG to that;
files missing there are read from the shipped folder.
"""

from __future__ import annotations

import errno
import os
import tomllib
from dataclasses import dataclass
from hashlib import sha256
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from kk_core.errors import BadData
from kk_core.reasons import shape_reason, toml_reason

VARIABLE: Final = "KK_CONFIG"

_SUFFIX: Final = ".toml"


@dataclass(frozen=True)
class Source:
    """A data file as text, with the name that error messages give it."""

    name: str
    text: str


def _shipped() -> Traversable:
    # a wheel has the data files inside the package, a checkout beside it
    inside = resources.files("kk_core") / "data"
    return inside if inside.is_dir() else Path(__file__).parents[1] / "config"


def names() -> tuple[str, ...]:
    """Return the names of all data files, in alphabetical order."""
    files = _shipped().iterdir()
    return tuple(sorted(file.name for file in files if file.name.endswith(_SUFFIX)))


def own_folder() -> Path | None:
    """Return the folder in KK_CONFIG, whether it exists or not."""
    override = os.environ.get(VARIABLE)
    return Path(override) if override else None


def own_names() -> tuple[str, ...]:
    """Return the names of the files in that folder that look like data files."""
    folder = own_folder()
    return tuple(sorted(path.name for path in folder.glob(f"*{_SUFFIX}"))) if folder else ()


def read(name: str) -> Source:
    """Read a data file, e.g. "land_cards.toml". Raises `OSError` if it is missing or not UTF-8 text."""
    folder = own_folder()
    # `lexists`, since a broken link is a mistake to report, not a missing file
    if folder is None or not os.path.lexists(path := folder / name):
        return read_shipped(name)
    if not path.is_file():
        raise OSError(errno.EINVAL, "Not a regular file", str(path))
    try:
        return Source(str(path), path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise OSError(errno.EILSEQ, f"Byte {error.start} is not UTF-8", str(path)) from None


def read_shipped(name: str) -> Source:
    """Read a shipped data file, whatever KK_CONFIG has. Raises `OSError` if it is missing."""
    return Source(f"config/{name}", _shipped().joinpath(name).read_text(encoding="utf-8"))


T = TypeVar("T")


def parse(source: Source, shape: type[T]) -> T:
    """Parse a TOML file into `shape`, a Struct that forbids unknown fields. Raises `BadData`."""
    try:
        raw = tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as error:
        raise BadData(source.name, _line(str(error)), toml_reason(error)) from None
    return convert(source.name, raw, shape)


def convert(name: str, raw: Any, shape: type[T]) -> T:
    """Convert a tree into `shape`; errors give `name` as its source. Raises `BadData`."""
    try:
        # strict, so that a quoted number in a data file is an error
        return msgspec.convert(raw, shape, strict=True)
    except msgspec.ValidationError as error:
        # msgspec names the key at the end of its sentence
        where = str(error).partition(" - at ")[2].strip("`")
        raise BadData(name, where or "$", shape_reason(error, is_placed=False)) from None


def _line(message: str) -> str:
    """Return the "line N" of a TOML error, or "file" if it names no line."""
    _, found, rest = message.partition("(at line ")
    return f"line {rest.split(',')[0]}" if found else "file"


def read_averages(name: str) -> dict[tuple[int | str, ...], float]:
    """Read a shipped table of averages: each line of its JSON is a key, then a number."""
    lines = msgspec.json.decode(read_shipped(name).text, type=list[tuple[list[int | str], float]])
    return {tuple(key): average for key, average in lines}


def read_weights(name: str, shape: type[T]) -> T:
    """Read a shipped JSON file, such as weights, as a value of `shape`."""
    return msgspec.json.decode(read_shipped(name).text, type=shape)


def canonical_json(tree: Any) -> bytes:
    """Return the canonical JSON of a tree: keys sorted, no whitespace, UTF-8."""
    return msgspec.json.encode(tree, order="sorted")


def digest(rules_data: Any) -> str:
    """Return the SHA-256 of rules data in hex digits; equal content gives equal digests."""
    return sha256(canonical_json(rules_data)).hexdigest()


def version(rules: int, rules_data: Any) -> str:
    """Return a rules version: the code's rules number, "-", and the first 8 digits of the data's digest."""
    return f"{rules}-{digest(rules_data)[:8]}"
