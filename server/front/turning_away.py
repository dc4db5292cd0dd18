"""Tells those for whom there is no room why, at the price of one small packet, and lets them go."""

from __future__ import annotations

import asyncio
import socket
from typing import Final

import asyncssh
from asyncssh.packet import Byte, String, UInt32

AT_ONCE: Final = 16
"""So many of them keep a file of the process open, at most."""

_READING: Final = 3.0

_VERSION: Final = b"SSH-2.0-kk\r\n"
_BLOCK: Final = 8
_DISCONNECT: Final = 1


class TurningAway:
    """Those who are being turned away.

    They are told by what SSH says when it disconnects, which may come before keys are exchanged: clients show
    that, while lines before the version are shown by none of them. A socket that is closed with something
    unread takes back what was sent, and clients always speak first: so it stays open until that was read, or
    others need the room.
    """

    def __init__(self, seconds: float = _READING) -> None:
        """So many seconds somebody has to read it."""
        self._seconds = seconds
        self._reading: dict[socket.socket, asyncio.TimerHandle] = {}

    def tell(self, connection: socket.socket, reason: str) -> None:
        """Tell somebody, and let him go."""
        try:
            connection.send(_VERSION + _farewell(reason))
            connection.shutdown(socket.SHUT_WR)
        except OSError:  # he does not wait for it
            connection.close()
            return
        if len(self._reading) >= AT_ONCE:
            self._let_go(next(iter(self._reading)))
        loop = asyncio.get_running_loop()
        self._reading[connection] = loop.call_later(self._seconds, self._let_go, connection)

    def close(self) -> None:
        """Wait for none of them."""
        for connection in list(self._reading):
            self._let_go(connection)

    def _let_go(self, connection: socket.socket) -> None:
        self._reading.pop(connection).cancel()
        connection.close()


def _farewell(reason: str) -> bytes:
    """A packet that disconnects, as it is before keys are exchanged."""
    code = UInt32(asyncssh.DISC_TOO_MANY_CONNECTIONS)
    said = Byte(_DISCONNECT) + code + String(reason) + String("en")
    padding = _BLOCK + -(5 + len(said)) % _BLOCK  # at least four bytes, until whole blocks are full
    return UInt32(1 + len(said) + padding) + Byte(padding) + said + bytes(padding)
