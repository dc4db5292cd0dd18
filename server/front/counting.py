"""How many connections there are, all together and from each address."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial

from server.accounts.guests import network_of
from server.front.limits import ServerLimits


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
        self.limits = limits
        self.open = 0
        """Connections that were not turned away at once."""
        self._addresses: Counter[str] = Counter()
        self._strangers: Counter[str] = Counter()

    def count(self, address: str) -> Counted | None:
        """Count a connection; None where too many are there of which it is not known whose they are."""
        network = network_of(address)
        is_crowd = self._strangers.total() >= self.limits.unauthenticated
        if is_crowd or self._strangers[network] >= self.limits.unauthenticated_per_address:
            return None
        refusal = self._refusal(network)
        self._strangers[network] += 1
        self._addresses[network] += refusal is None
        self.open += 1
        on_known = partial(_count_down, self._strangers, network)
        return Counted(address, refusal, on_known, partial(self._end, network, is_counted=refusal is None))

    def _refusal(self, network: str) -> str | None:
        if self._addresses.total() >= self.limits.connections:
            return "This server is full; please try again later."
        if self._addresses[network] >= self.limits.connections_per_address:
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
