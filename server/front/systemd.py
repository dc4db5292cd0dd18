"""What a service manager is told: `sd_notify` of systemd, a datagram to the socket that it names."""

from __future__ import annotations

import os
import socket
from time import CLOCK_MONOTONIC, clock_gettime_ns
from typing import Final

from server.log import get_logger

SOCKET: Final = "NOTIFY_SOCKET"

_log = get_logger()


def ready() -> None:
    """The server listens, or has taken its settings in."""
    _notify("READY=1")


def reloading() -> None:
    """The server takes its settings in."""
    now = clock_gettime_ns(CLOCK_MONOTONIC) // 1000
    _notify(f"RELOADING=1\nMONOTONIC_USEC={now}")


def stopping() -> None:
    """The server says goodbye to everybody."""
    _notify("STOPPING=1")


def _notify(state: str) -> None:
    """Nothing where no manager listens; that it does not hear is no reason to serve nobody."""
    address = os.environ.get(SOCKET, "")
    if not address:
        return
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as channel:
            channel.connect("\0" + address[1:] if address.startswith("@") else address)
            channel.sendall(state.encode())
    except OSError as error:
        _log.warning("service manager not told", error=error.strerror)
