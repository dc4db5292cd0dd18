"""The one way between a table and those who look at it, whatever carries it."""

from __future__ import annotations

from typing import Protocol, TypeAlias, TypeVar

from kk_core.errors import KkError
from kk_core.wire.messages import ClientMessage, ServerMessage

Out = TypeVar("Out", contravariant=True)
In = TypeVar("In", covariant=True)


class LinkClosed(KkError):
    """The other side is gone, or this side has closed the link; nothing can be sent or received."""


class Link(Protocol[Out, In]):
    """One end of a connection: whole, checked messages both ways."""

    async def send(self, message: Out) -> None:
        """Send a message; waits while the other side is slow. Raises `LinkClosed`."""
        ...

    async def receive(self) -> In:
        """The next message; what was sent before a close still arrives. Raises `LinkClosed`."""
        ...

    async def close(self) -> None:
        """End the connection for both sides; may be called more than once."""
        ...


ClientLink: TypeAlias = Link[ClientMessage, ServerMessage]
"""The end of those who look."""


class ServerLink(Link[ServerMessage, ClientMessage], Protocol):
    """The end of the hub."""

    def offer(self, message: ServerMessage) -> bool:
        """Send a message if nobody has to wait for that; whether it was sent. Raises `LinkClosed`."""
        ...
