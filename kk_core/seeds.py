"""The seed of a match: what the host draws and commits to, and what seats add to it."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import TypeAlias

Contribution: TypeAlias = tuple[int, bytes]
"""A seat, and the 32 bytes that it adds to the host's."""


def commitment(host_seed: bytes) -> bytes:
    """The SHA-256 of what the host draws: shown before anything else, so that nobody can choose it later."""
    return sha256(host_seed).digest()


def mix_seed(host_seed: bytes, contributions: Sequence[Contribution]) -> bytes:
    """The seed of a match: SHA-256 of what the host drew and what the seats added, in seat order.

    Where nobody added anything, it is what the host drew.
    """
    if not contributions:
        return host_seed
    added = b"".join(bytes([seat]) + drawn for seat, drawn in sorted(contributions))
    return sha256(host_seed + added).digest()
