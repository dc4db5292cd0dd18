"""Messages as bytes: the only place that knows msgpack.

A frame on a stream is its length (4 bytes, big-endian) and then one msgpack value. `FrameReader` takes
bytes as they come and gives whole frames; it does no input or output itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import Any, Final

import msgpack
import msgspec

from kk_core.errors import KkError
from kk_core.text import text
from kk_core.types import Tree
from kk_core.wire.faults import fault_of
from kk_core.wire.messages import PROTOCOL_VERSION, ClientMessage, Hello, ServerMessage

MAX_CLIENT_FRAME: Final = 16 * 1024
"""The most bytes that a server takes for one message of a client."""

MAX_SERVER_FRAME: Final = 4 * 1024 * 1024
"""The most bytes that a client takes for one message of a server."""

_LENGTH: Final = 4
_HELLO: Final = str(Hello.__struct_config__.tag)
_VERSION: Final = 1 + Hello.__struct_fields__.index("version")


class BadFrame(KkError):
    """Bytes that are not a message of the protocol; the connection cannot go on."""


def pack(value: object) -> bytes:
    """A value of wire primitives as msgpack."""
    packed: bytes = msgpack.packb(value)
    return packed


def unpack(data: bytes) -> Any:
    """The value of `pack`. Raises `BadFrame` for anything that is not exactly one msgpack value."""
    try:
        return msgpack.unpackb(data, strict_map_key=False)
    except (ValueError, TypeError, msgpack.exceptions.UnpackException, RecursionError) as error:
        raise BadFrame(text("Not msgpack: {reason}", reason=type(error).__name__)) from None


def fingerprint(tree: Tree) -> bytes:
    """Four bytes that tell two versions of a tree apart."""
    return fingerprint_of(pack(tree))


def fingerprint_of(packed: bytes) -> bytes:
    """The fingerprint of a tree that is packed already."""
    return blake2b(packed, digest_size=4).digest()


def to_tree(value: object) -> Tree:
    """Structs and tuples as wire primitives: lists, since a delta looks into lists only."""
    return msgspec.msgpack.decode(msgspec.msgpack.encode(value))


def encode_message(message: msgspec.Struct) -> bytes:
    """A message as one msgpack value, without the length."""
    return pack(to_tree(message))


def decode_client_message(data: bytes) -> ClientMessage:
    """What a client said. Raises `BadFrame`."""
    message: ClientMessage = _convert(_known_of_hello(unpack(data)), ClientMessage)
    return message


def _known_of_hello(value: Any) -> Any:
    """A client of another version may say other things in its `Hello`; it is to be told the version."""
    if not isinstance(value, list) or value[:1] != [_HELLO]:
        return value
    is_ours = value[_VERSION : _VERSION + 1] == [PROTOCOL_VERSION]
    return value[: 1 + len(Hello.__struct_fields__)] if is_ours else value[: _VERSION + 1]


def decode_server_message(data: bytes) -> ServerMessage:
    """What a server said. Raises `BadFrame`."""
    message: ServerMessage = _convert(unpack(data), ServerMessage)
    return message


def _convert(value: Any, shape: Any) -> Any:
    try:
        return msgspec.convert(value, shape, builtin_types=(bytes,))
    except (msgspec.ValidationError, RecursionError) as error:
        raise BadFrame(fault_of(value, shape, str(error))) from None


def frame(data: bytes) -> bytes:
    """A packed message with its length in front, ready for a stream."""
    return len(data).to_bytes(_LENGTH, "big") + data


class FrameReader:
    """Cuts a stream into packed messages of at most `limit` bytes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Every message completed by `data`. Raises `BadFrame` when one is announced over the limit."""
        self._buffer += data
        while len(self._buffer) >= _LENGTH:
            length = int.from_bytes(self._buffer[:_LENGTH], "big")
            if length > self._limit:
                raise BadFrame(
                    text("A message of {n} bytes is over the limit of {limit}.", n=length, limit=self._limit)
                )
            if len(self._buffer) < _LENGTH + length:
                return
            whole = bytes(self._buffer[_LENGTH : _LENGTH + length])
            del self._buffer[: _LENGTH + length]
            yield whole
