"""The farewell to an SSH client that is turned away before keys are exchanged."""

from __future__ import annotations

from typing import Final

import asyncssh
from asyncssh.packet import Byte, String, UInt32

_VERSION: Final = b"SSH-2.0-kk\r\n"
_BLOCK: Final = 8  # bytes that packets are padded to before keys are exchanged (RFC 4253, 6)
_DISCONNECT: Final = 1  # SSH_MSG_DISCONNECT


def farewell(reason: str) -> bytes:
    """Return a version and a disconnect message, which may be sent before keys are exchanged.

    Clients show its reason, but no lines before the version.
    """
    code = UInt32(asyncssh.DISC_TOO_MANY_CONNECTIONS)
    said = Byte(_DISCONNECT) + code + String(reason) + String("en")
    padding = _BLOCK + -(5 + len(said)) % _BLOCK  # at least four bytes, up to whole blocks
    packet = UInt32(1 + len(said) + padding) + Byte(padding) + said + bytes(padding)
    return _VERSION + packet
