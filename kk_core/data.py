"""Reading data files: text in, checked values out, every fault named by file, line or key."""

from __future__ import annotations

import tomllib
from hashlib import sha256
from typing import TypeVar

import msgspec

from config import Source
from kk_core.errors import BadData
from kk_core.text import text

T = TypeVar("T")


def parse(source: Source, shape: type[T]) -> T:
    """A TOML file as a value of `shape` (a msgspec.Struct that forbids unknown fields). Raises `BadData`."""
    try:
        raw = tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as error:
        raise BadData(source.name, _line(str(error)), text("{reason}", reason=str(error))) from None
    try:
        return msgspec.convert(raw, shape, strict=True)
    except msgspec.ValidationError as error:
        reason, _, where = str(error).partition(" - at ")
        raise BadData(source.name, where.strip("`") or "$", text("{reason}", reason=reason)) from None


def _line(message: str) -> str:
    """The "line N" of a TOML error, or the whole file."""
    _, found, rest = message.partition("(at line ")
    return f"line {rest.split(',')[0]}" if found else "file"


def version(rules: int, data: object) -> str:
    """A rules version: the number of the rules in code and a digest of the data they were given."""
    return f"{rules}-{sha256(msgspec.json.encode(data, order='deterministic')).hexdigest()[:8]}"
