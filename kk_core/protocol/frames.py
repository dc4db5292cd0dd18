"""Messages as bytes.

A frame on a stream is its length (4 bytes, big-endian) and then one msgpack value. `FrameReader` cuts
incoming bytes into frames; it does no input or output itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, get_args

import msgspec

from kk_core.protocol.messages import (
    PROTOCOL_VERSION,
    ClientMessage,
    Hello,
    Notice,
    Previewed,
    ServerMessage,
    Welcome,
)
from kk_core.text import Text, quoted, text
from kk_core.tree import BadFrame, pack, to_tree, unpack

# msgspec ends its messages with the path of the element at fault.
_PLACE: Final = re.compile(r"at `\$\[(\d+)\]")


def fault_of(value: Any, shape: Any, reason: str) -> Text:
    """Explain why a value is not a message of a union; `reason` comes from msgspec."""
    name = value[0] if isinstance(value, list) and value else None
    if not isinstance(name, str):
        return text("Not a message of this protocol: it must be a list that begins with a name.")
    fields = {message.__struct_config__.tag: message.__struct_fields__ for message in get_args(shape)}
    if name not in fields:
        return text("Not a message of this protocol: unknown name {name}.", name=quoted(name))
    found = _PLACE.search(reason)
    number = int(found[1]) - 1 if found else -1
    if 0 <= number < len(fields[name]):
        return text(
            "Not a message of this protocol: {name} has a wrong value in its field {field}.",
            name=quoted(name), field=fields[name][number],
        )  # fmt: skip
    return text(
        "Not a message of this protocol: {name} takes the fields {fields}.",
        name=quoted(name), fields=", ".join(fields[name]),
    )  # fmt: skip


MAX_CLIENT_FRAME: Final = 16 * 1024
"""The most bytes of a client's message that a server accepts."""

MAX_SERVER_FRAME: Final = 4 * 1024 * 1024
"""The most bytes of a server's message that a client accepts."""

_LENGTH: Final = 4
_HELLO: Final = str(Hello.__struct_config__.tag)
_VERSION: Final = 1 + Hello.__struct_fields__.index("version")


_LATER: Final[dict[type[msgspec.Struct], tuple[str, ...]]] = {
    Welcome: ("web",),
    Notice: ("lapses",),
    Previewed: ("shows",),
}
"""The last fields of messages that programs of the same version of the protocol didn't always know."""


def encode_message(message: msgspec.Struct) -> bytes:
    """Return a message as one msgpack value, without its length.

    Later fields are left out while they have their defaults: earlier programs refuse what they don't know.
    """
    tree = to_tree(message)
    kind = type(message)
    later = _LATER.get(kind, ())
    for field, default in zip(reversed(later), reversed(kind.__struct_defaults__), strict=False):
        if getattr(message, field) != default:
            break
        tree = tree[:-1]
    return pack(tree)


def decode_client_message(data: bytes) -> ClientMessage:
    """Decode a client's message. Raises `BadFrame`."""
    message: ClientMessage = _convert(_known_of_hello(unpack(data)), ClientMessage)
    return message


def _known_of_hello(value: Any) -> Any:
    # A client of another version may have other fields in its `Hello`, and still has to learn ours.
    if not isinstance(value, list) or value[:1] != [_HELLO]:
        return value
    # a newer client of the same version may send more fields: those are dropped
    is_ours = value[_VERSION : _VERSION + 1] == [PROTOCOL_VERSION]
    return value[: 1 + len(Hello.__struct_fields__)] if is_ours else value[: _VERSION + 1]


def decode_server_message(data: bytes) -> ServerMessage:
    """Decode a server's message. Raises `BadFrame`."""
    message: ServerMessage = _convert(unpack(data), ServerMessage)
    return message


def _convert(value: Any, shape: Any) -> Any:
    try:
        return msgspec.convert(value, shape, builtin_types=(bytes,))
    except (msgspec.ValidationError, RecursionError) as error:
        raise BadFrame(fault_of(value, shape, str(error))) from None


def frame(data: bytes) -> bytes:
    """Return a packed message preceded by its length, ready for a stream."""
    return len(data).to_bytes(_LENGTH, "big") + data


class FrameReader:
    """Cuts a stream into packed messages of at most `limit` bytes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield every message completed by `data`. Raises `BadFrame` when one is over the limit."""
        self._buffer += data
        while len(self._buffer) >= _LENGTH:
            length = int.from_bytes(self._buffer[:_LENGTH], "big")
            # refused by its length, before anything is buffered
            if length > self._limit:
                raise BadFrame(
                    text("A message of {n} bytes is over the limit of {limit}.", n=length, limit=self._limit)
                )
            if len(self._buffer) < _LENGTH + length:
                return
            whole = bytes(self._buffer[_LENGTH : _LENGTH + length])
            del self._buffer[: _LENGTH + length]
            yield whole
