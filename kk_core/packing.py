"""Values as msgpack: the one place that knows it."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import msgpack
import msgspec

from kk_core.errors import KkError
from kk_core.text import text
from kk_core.types import Tree


class BadFrame(KkError):
    """Bytes that are not a message of the protocol; the connection cannot go on."""


def pack(value: object) -> bytes:
    """Return a value of wire primitives as msgpack."""
    packed: bytes = msgpack.packb(value)
    return packed


def unpack(data: bytes) -> Any:
    """Return the value of `pack`. Raises `BadFrame` for anything that is not exactly one msgpack value."""
    try:
        return msgpack.unpackb(data, strict_map_key=False)
    except (ValueError, TypeError, msgpack.exceptions.UnpackException, RecursionError) as error:
        raise BadFrame(text("Not msgpack: {reason}", reason=type(error).__name__)) from None


def fingerprint(tree: Tree) -> bytes:
    """Return four bytes that tell two versions of a tree apart."""
    return fingerprint_of(pack(tree))


def fingerprint_of(packed: bytes) -> bytes:
    """Return the fingerprint of a tree that is packed already."""
    return blake2b(packed, digest_size=4).digest()


def to_tree(value: object) -> Tree:
    """Return structs and tuples as wire primitives: lists, since a delta looks into lists only."""
    return msgspec.msgpack.decode(msgspec.msgpack.encode(value))
