"""Reading data files: text in, checked values out, every fault named by file, line or key.

What a file says of the rules is kept as a tree, the rules data, from which the same game can be made again.
"""

from __future__ import annotations

import tomllib
from hashlib import sha256
from typing import Any, TypeVar

import msgspec

import config
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
    return convert(source.name, raw, shape)


def convert(name: str, raw: Any, shape: type[T]) -> T:
    """A tree that came from `name` as a value of `shape`. Raises `BadData`."""
    try:
        return msgspec.convert(raw, shape, strict=True)
    except msgspec.ValidationError as error:
        reason, _, where = str(error).partition(" - at ")
        raise BadData(name, where.strip("`") or "$", text("{reason}", reason=reason)) from None


def _line(message: str) -> str:
    """The "line N" of a TOML error, or the whole file."""
    _, found, rest = message.partition("(at line ")
    return f"line {rest.split(',')[0]}" if found else "file"


def read_averages(name: str) -> dict[tuple[int | str, ...], float]:
    """A table of averages that came with the program: every line of its JSON is a key, then the number."""
    lines = msgspec.json.decode(config.read_shipped(name).text, type=list[tuple[list[int | str], float]])
    return {tuple(key): average for key, average in lines}


def read_weights(name: str, shape: type[T]) -> T:
    """Weights that came with the program, as a value of `shape` (a msgspec.Struct)."""
    return msgspec.json.decode(config.read_shipped(name).text, type=shape)


def canonical_json(tree: Any) -> bytes:
    """A tree as the one JSON text that stands for it: keys sorted, no blanks, UTF-8."""
    return msgspec.json.encode(tree, order="sorted")


def digest(rules_data: Any) -> str:
    """The SHA-256 of rules data in hex digits: the same for the same content."""
    return sha256(canonical_json(rules_data)).hexdigest()


def version(rules: int, rules_data: Any) -> str:
    """A rules version: the number of the rules in code and the beginning of the digest of their data."""
    return f"{rules}-{digest(rules_data)[:8]}"
