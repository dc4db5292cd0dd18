"""Packets that an SSH connection sends."""

from __future__ import annotations

from collections.abc import Callable

from asyncssh.connection import SSHConnection
from asyncssh.constants import MSG_IGNORE


def send_no_ignored(connection: SSHConnection) -> None:
    """Have a connection send only what means something.

    asyncssh precedes every packet by an empty one, which guards the first bytes of ciphers in CBC mode (RFC
    4251, 9.3.1). None of those are used here, and it would cost as much as the packet itself, at both ends.
    """
    send: Callable[..., None] = connection.send_packet

    def send_packet(kind: int, *parts: bytes, **options: object) -> None:
        if kind != MSG_IGNORE:
            send(kind, *parts, **options)

    connection.send_packet = send_packet  # type: ignore[method-assign, assignment]
