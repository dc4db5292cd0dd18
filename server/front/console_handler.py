"""One command on a channel: the house carries it out."""

from __future__ import annotations

from kk_core.text import Text
from server.front.reception import Order, Visit
from server.front.writer import ChannelWriter


class ConsoleHandler:
    """One command: nothing is read from the other side, whose end of input means nothing either."""

    def __init__(self, visit: Visit, order: Order, writer: ChannelWriter) -> None:
        self._visit = visit
        self._order = order
        self._writer = writer

    async def run(self) -> int:
        """Have it carried out; gives the exit status. Raises `KkError` where it is refused."""
        await self._visit.run(self._order, self._writer)
        return 0

    def feed(self, data: bytes) -> None:
        """Nobody reads it."""

    def resize(self, width: int, height: int) -> None:
        """Lines have no window."""

    async def leave(self) -> None:
        """The connection is lost."""
        self._visit.leave()

    def tell(self, sentence: Text) -> None:
        """Nothing: it is no line of the answer."""

    def end(self, reason: Text) -> None:
        """The session is to end."""
        self._visit.send_away(reason)
