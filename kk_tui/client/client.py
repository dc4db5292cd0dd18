"""The client's half of the protocol: numbered requests, and an up-to-date copy of the place."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from random import random
from typing import Any, Final

from kk_core.errors import KkError, OutOfStep
from kk_core.protocol.frames import MAX_SERVER_FRAME
from kk_core.protocol.messages import (
    ClientMessage,
    Delta,
    Goodbye,
    Notice,
    Refused,
    Resync,
    ServerMessage,
    Snapshot,
)
from kk_core.protocol.stream import ClientLink, LinkClosed
from kk_core.text import Text, text
from kk_core.tree import fingerprint_of, pack, patch
from kk_core.types import Tree


class Refusal(KkError):
    """The hub has refused a request; nothing has changed."""


class Client:
    """One connection; `changed` is called after each visible change of the place, `noticed` for each notice.

    What the trees mean is left to `table.place_store`, and how they are shown to the app.
    """

    def __init__(
        self,
        link: ClientLink,
        *,
        changed: Callable[[], object],
        noticed: Callable[[Notice], object],
    ) -> None:
        self._link = link
        self._changed = changed
        self._noticed = noticed
        self._waiting: dict[int, asyncio.Future[ServerMessage]] = {}
        self._number = 0
        self._in_step = False
        self._lost: KkError | None = None
        self.tree: Tree = None
        self.revision = -1

    async def request(self, make: Callable[[int], ClientMessage]) -> Any:
        """Send the message that `make` builds for the next request number, and return the answer.

        Raises `Refusal` with the reason, or `LinkClosed` if the connection ends before the answer.
        """
        if self._lost is not None:
            raise LinkClosed(self._lost.reason)
        self._number += 1
        number = self._number
        answer: asyncio.Future[ServerMessage] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            await self._link.send(make(number))
            reply = await answer
        finally:
            self._waiting.pop(number, None)
        if isinstance(reply, Refused):
            raise Refusal(reply.reason)
        return reply

    async def run(self) -> Text:
        """Receive messages until the connection ends, and return the reason. Run it as one task."""
        try:
            while True:
                await self._take(await self._link.receive())
        except KkError as error:
            self._lost = error
            return error.reason
        finally:
            self._abandon(self._lost or LinkClosed(text("The connection was closed.")))

    async def close(self) -> None:
        """End the connection."""
        await self._link.close()

    def _abandon(self, error: KkError) -> None:
        self._lost = error
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(LinkClosed(error.reason))

    async def _take(self, message: ServerMessage) -> None:
        match message:
            case Snapshot(revision, tree):
                self._show(revision, tree)
            case Delta():
                await self._step(message)
            case Notice():
                self._noticed(message)
            case Goodbye(reason):
                raise LinkClosed(reason)
            case _:  # an answer; a `Resync` or a cancelled request has nobody waiting for it
                answer = self._waiting.get(message.request)
                if answer is not None and not answer.done():
                    answer.set_result(message)

    async def _step(self, delta: Delta) -> None:
        """Apply a delta to the copy."""
        if not self._in_step:  # deltas sent before the snapshot are useless
            return
        try:
            packed = pack(self.tree)
            # a frame is bounded by its reader, but the copy could grow through many small deltas
            if len(packed) > MAX_SERVER_FRAME:
                raise LinkClosed(text("The server sent more than this program can show."))
            if fingerprint_of(packed) != delta.base:  # applied to any other copy, it would give nonsense
                raise OutOfStep(text("A change doesn't fit the local copy."))
            tree = patch(self.tree, delta.patch)
        # no attempt at a repair: a snapshot replaces the whole copy
        except OutOfStep:
            self._in_step = False
            self._number += 1
            await self._link.send(Resync(self._number))
            return
        self._show(delta.revision, tree)

    def _show(self, revision: int, tree: Tree) -> None:
        # an empty patch gives the same tree: something has changed that this viewer may not see
        is_new = tree is not self.tree
        self.tree, self.revision, self._in_step = tree, revision, True
        if is_new:
            self._changed()


_FIRST: Final = 1.0
_LONGEST: Final = 30.0
"""Seconds of the first pause before an attempt to reconnect, and of the longest."""


def pauses(chance: Callable[[], float] = random) -> Iterator[float]:
    """Yield the seconds before each attempt to reconnect, doubling up to half a minute."""
    pause = _FIRST
    while True:  # randomised, so that not everybody reconnects to a server at the same moment
        yield pause * (1 + chance() / 4)
        pause = min(_LONGEST, 2 * pause)
