"""Ports for what is started later, or again: nobody else gets them meanwhile.

Those that the system gives out go, once they are closed, to the next connection of whatever test runs beside.
"""

from __future__ import annotations

import os
import socket
from contextlib import closing, suppress
from itertools import count

_ports = count(20_000 + os.getpid() * 7417 % 12_000)
"""Below those that the system gives out; processes that begin one after the other are far apart."""


def free_port() -> int:
    """A port of this machine that nobody uses."""
    for port in _ports:
        with suppress(OSError), closing(socket.create_server(("127.0.0.1", port))):
            return port
    raise AssertionError("there are so many")


def free_address() -> str:
    """An address of this machine that nobody uses."""
    return f"127.0.0.1:{free_port()}"
