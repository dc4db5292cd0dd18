"""How many connections there are, all together and from each address."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Final

from kk_core.errors import KkError
from kk_core.text import text
from server.accounts.guests import network_of
from server.front.limits import ServerLimits
from server.hub.limits import TokenBuckets

_CROWDED: Final = text("Too many connections that have not logged in; please try again later.")
_TOO_FAST: Final = text("Too many new connections from your address; please try again in a minute.")


class TurnedAway(KkError):
    """Somebody is not even spoken with; the sentence says why."""


class Counted:
    """A connection that is counted; `refusal` says why there is no room for it."""

    def __init__(
        self, address: str, refusal: str | None, on_known: Callable[[], None], on_over: Callable[[], None]
    ) -> None:
        self.address = address
        self.refusal = refusal
        self._on_known = on_known
        self._on_over = on_over
        self._is_known = self._is_over = False

    def know(self) -> None:
        """It is known whose it is; may be said more than once."""
        if not self._is_known:
            self._is_known = True
            self._on_known()

    def end(self) -> None:
        """It has ended; may be said more than once."""
        self.know()
        if not self._is_over:
            self._is_over = True
            self._on_over()


class Counting:
    """All connections of a server."""

    def __init__(self, limits: ServerLimits) -> None:
        self.use(limits)
        self.open = 0
        """Connections that were not turned away at once."""
        self._addresses: Counter[str] = Counter()
        self._strangers: Counter[str] = Counter()

    def use(self, limits: ServerLimits) -> None:
        """Have these limits count for whoever comes from now on."""
        self._limits = limits
        self._rates = TokenBuckets(limits.connections_per_second, limits.connections_at_once)

    def count(self, address: str) -> Counted:
        """Count a connection. Raises `TurnedAway` where that costs too much already."""
        network = network_of(address)
        is_crowd = self._strangers.total() >= self._limits.unauthenticated
        if is_crowd or self._strangers[network] >= self._limits.unauthenticated_per_address:
            raise TurnedAway(_CROWDED)
        if not self._rates.take(network):
            raise TurnedAway(_TOO_FAST)
        refusal = self._refusal(network)
        self._strangers[network] += 1
        self._addresses[network] += refusal is None
        self.open += 1
        on_known = partial(_count_down, self._strangers, network)
        return Counted(address, refusal, on_known, partial(self._end, network, is_counted=refusal is None))

    def _refusal(self, network: str) -> str | None:
        if self._addresses.total() >= self._limits.connections:
            return "This server is full; please try again later."
        if self._addresses[network] >= self._limits.connections_per_address:
            return "There are too many connections from your address."
        return None

    def _end(self, network: str, *, is_counted: bool) -> None:
        self.open -= 1
        if is_counted:
            _count_down(self._addresses, network)


def _count_down(counter: Counter[str], key: str) -> None:
    counter[key] -= 1
    if not counter[key]:
        del counter[key]
