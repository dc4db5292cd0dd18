"""Guests: people without a key, under marked names that can never be an account's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network
from time import monotonic
from typing import Final

from kk_core.views import GUEST_MARK
from kk_server.accounts.names import NAME_COLUMNS, cut, skeleton

_KEPT: Final = 24 * 3600.0
"""Seconds after its last use that a name stays reserved for its address."""

_NAMES_PER_ADDRESS: Final = 20
"""Names reserved per address; further ones replace the oldest."""


@dataclass(frozen=True)
class _Use:
    network: str
    at: float


class Guests:
    """Gives guests their names: a name in use elsewhere gets a number.

    A guest has nothing to prove their identity. So a name is reserved for the address it is used from, and
    nobody else can take a guest's seat by typing their name.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._uses: dict[str, _Use] = {}
        self.used: Callable[[str, str], None] | None = None
        """Called with each name that is used, as `reserve` takes it."""

    def reserved(self) -> dict[str, str]:
        """Return the networks that names are reserved for, by the skeletons of the names."""
        self._forget()
        return {key: use.network for key, use in self._uses.items()}

    def reserve(self, key: str, network: str) -> None:
        """Reserve a name, given by its skeleton, for a network where it is used at another node."""
        if key not in self._uses or self._uses[key].network == network:
            self._keep(key, network)

    def has_used(self, name: str, address: str) -> bool:
        """Return whether a name, without its mark, is reserved for this address."""
        self._forget()
        use = self._uses.get(skeleton(name))
        return use is not None and use.network == network_of(address)

    def name_for(self, name: str, address: str) -> str:
        """Return the marked name for a guest, and reserve it for their address."""
        self._forget()
        network, number, candidate = network_of(address), 1, cut(name, NAME_COLUMNS - len(GUEST_MARK))
        while (use := self._uses.get(skeleton(candidate))) is not None and use.network != network:
            number += 1
            suffix = f" {number}"
            candidate = cut(name, NAME_COLUMNS - len(GUEST_MARK) - len(suffix)) + suffix
        self._keep(skeleton(candidate), network)
        if self.used is not None:
            self.used(skeleton(candidate), network)
        return GUEST_MARK + candidate

    def _keep(self, key: str, network: str) -> None:
        self._uses.pop(key, None)
        own = [other for other, use in self._uses.items() if use.network == network]
        # dicts keep insertion order, so the first ones are the oldest
        for oldest in own[: max(0, len(own) + 1 - _NAMES_PER_ADDRESS)]:
            del self._uses[oldest]
        self._uses[key] = _Use(network, self._clock())

    def _forget(self) -> None:
        old = self._clock() - _KEPT
        self._uses = {key: use for key, use in self._uses.items() if use.at > old}


def is_address(host: str) -> bool:
    """Return whether a host is given by its address, not by a name."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def network_of(address: str) -> str:
    """Return the part of an address that identifies a machine: for IPv6, the first 64 bits."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    return str(ip_network((parsed, 64), strict=False)) if isinstance(parsed, IPv6Address) else str(parsed)
