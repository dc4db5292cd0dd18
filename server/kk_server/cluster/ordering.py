"""Orders between nodes, each with a number, so that it is known who has carried it out.

A node that was not heard asks who is there when it is back. Those who have given orders meanwhile repeat them
then; what it has carried out already, it does not do twice.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from time import monotonic, time_ns
from typing import Final

from kk_server.visits.orders import Answers, Orders

LIFE: Final = 600.0
"""Seconds after which an order is not repeated any more."""

_PATIENCE: Final = 2.0
"""Seconds that whoever has given an order waits for the others."""

_MOST: Final = 1000
"""Orders that are remembered: those given, and those carried out."""


@dataclass
class _Given:
    """An order, the nodes it was given to, and those that have not carried it out yet."""

    order: Orders
    nodes: frozenset[str]
    missing: set[str]
    at: float


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
            self._changed.set()

    def missing_at(self, node: str) -> Iterator[tuple[int, Orders]]:
        """Yield the orders that a node has not carried out, with their numbers, in order."""
        self._forget_old()
        for number, given in self._given.items():
            if node in given.missing:
                yield number, given.order

    def forget(self, nodes: Collection[str]) -> None:
        """Expect nothing from nodes that are gone."""
        for given in self._given.values():
            given.missing.difference_update(nodes)
        self._changed.set()

    async def answers(self, after: int) -> Answers:
        """Return who has carried out the orders after number `after`; waits a while for all to do so."""
        given = [given for number, given in self._given.items() if number > after]
        try:
            async with asyncio.timeout(_PATIENCE):
                while any(each.missing for each in given):
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            pass
        asked = frozenset[str]().union(*(each.nodes for each in given))
        missing = set[str]().union(*(each.missing for each in given))
        return Answers(len(asked), tuple(sorted(missing)))


class TakenOrders:
    """The orders of other nodes that this one has carried out."""

    def __init__(self) -> None:
        self._taken: OrderedDict[tuple[str, int], None] = OrderedDict()

    def __contains__(self, order: tuple[str, int]) -> bool:
        return order in self._taken

    def add(self, node: str, number: int) -> None:
        """Note that an order of a node was carried out."""
        self._taken[node, number] = None
        while len(self._taken) > _MOST:
            self._taken.popitem(last=False)
