"""Orders between nodes, each with a number, so that it is known who has carried it out.

A node that was not heard, or was taken for gone, asks who is there when it is back. Those who have given
orders meanwhile repeat them then; what it has carried out already, it does not do twice. What it could not
carry out, it tries again.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Iterator
from dataclasses import dataclass, field
from time import monotonic, time_ns
from typing import Final

from kk_server.background import spawn
from kk_server.visits.orders import LIFE, Answers, Orders

_AGAIN: Final = 3.0
"""Seconds until an order that could not be carried out is tried again."""

_PATIENCE: Final = 2.0
"""Seconds that whoever has given an order waits for the others."""

_MOST: Final = 1000
"""Orders that are remembered: those given, and those carried out."""


@dataclass
class _Given:
    """An order, the nodes it was given to, those that are waited for, and those that have carried it out."""

    order: Orders
    nodes: frozenset[str]
    missing: set[str]
    at: float
    done: set[str] = field(default_factory=set)


class GivenOrders:
    """The orders that this node has given."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._given: dict[int, _Given] = {}
        self._changed = asyncio.Event()
        self.last = 0
        """The number of the last one."""

    def give(self, order: Orders, nodes: Collection[str]) -> int:
        """Return the number of a new order to these nodes."""
        # greater than any that this node has given before it was started again
        self.last = max(self.last + 1, time_ns())
        self._given[self.last] = _Given(order, frozenset(nodes), set(nodes), self._clock())
        self._forget_old()
        return self.last

    def _forget_old(self) -> None:
        since = self._clock() - LIFE
        kept = {number: given for number, given in self._given.items() if given.at > since}
        self._given = dict(list(kept.items())[-_MOST:])

    def carried_out(self, node: str, number: int) -> None:
        """Note that a node has carried out an order."""
        if number in self._given:
            self._given[number].missing.discard(node)
            self._given[number].done.add(node)
            self._changed.set()

    def missed_by(self, node: str, since: int) -> Iterator[tuple[int, Orders]]:
        """Yield the orders that a node has not carried out, with their numbers, in order.

        Those before `since`, in nanoseconds since 1970, are left out: they concerned people who came to an
        earlier process.
        """
        self._forget_old()
        for number, given in self._given.items():
            if number > since and node not in given.done:
                yield number, given.order

    def forget(self, nodes: Collection[str]) -> None:
        """Wait no longer for nodes that are gone; when they are back, they can ask what they have missed."""
        for given in self._given.values():
            given.missing.difference_update(nodes)
        self._changed.set()

    async def answers(self, after: int) -> Answers:
        """Return who has carried out the orders after number `after`; waits a while for all to do so."""
        given = [given for number, given in self._given.items() if number > after]
        latest = max((each.at for each in given), default=0.0)
        try:
            # whoever asks again does not wait again
            async with asyncio.timeout(max(0.0, latest + _PATIENCE - self._clock())):
                while any(each.missing for each in given):
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            pass
        asked = frozenset[str]().union(*(each.nodes for each in given))
        missing = set[str]().union(*(each.missing for each in given))
        return Answers(len(asked), tuple(sorted(missing)))


class TakenOrders:
    """The orders of other nodes: those that this one has carried out, and those that it tries again."""

    def __init__(
        self,
        carry_out: Callable[[Orders], Awaitable[bool]],
        answer: Callable[[str, int], None],
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """`carry_out` returns whether an order has been carried out; then `answer` tells its giver."""
        self._carry_out = carry_out
        self._answer = answer
        self._clock = clock
        self._done: OrderedDict[tuple[str, int], None] = OrderedDict()
        self._begun = set[tuple[str, int]]()
        """Those that are tried for the first time."""
        self._waiting: dict[tuple[str, int], tuple[Orders, float]] = {}
        self._trying: asyncio.Task[None] | None = None

    async def take(self, node: str, number: int, order: Orders) -> None:
        """Carry out an order of a node, unless that is done or begun; if it fails, try again for a while."""
        if (node, number) in self._done:
            self._answer(node, number)
        # one that is repeated before it is done is answered with the first
        elif (node, number) not in self._begun and (node, number) not in self._waiting:
            self._begun.add((node, number))
            try:
                is_done = await self._try(node, number, order)
            finally:
                self._begun.discard((node, number))
            if not is_done:
                self._waiting[node, number] = order, self._clock()
                if self._trying is None or self._trying.done():
                    self._trying = spawn(self._try_again(), "try orders again")

    async def _try(self, node: str, number: int, order: Orders) -> bool:
        if not await self._carry_out(order):
            return False
        self._done[node, number] = None
        while len(self._done) > _MOST:
            self._done.popitem(last=False)
        self._answer(node, number)
        return True

    async def _try_again(self) -> None:
        while self._waiting:
            await asyncio.sleep(_AGAIN)
            for (node, number), (order, at) in list(self._waiting.items()):
                if self._clock() - at > LIFE or await self._try(node, number, order):
                    del self._waiting[node, number]

    def close(self) -> None:
        """Try nothing more."""
        if self._trying is not None:
            self._trying.cancel()
