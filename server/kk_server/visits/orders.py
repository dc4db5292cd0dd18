"""What one node has all others do to the people who came to them."""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

import msgspec

from kk_core.text import Text

LIFE: Final = 600.0
"""Seconds after which an order is neither repeated nor tried again."""


class Answers(NamedTuple):
    """The number of nodes that were given orders, and addresses of those that have not carried them out."""

    asked: int
    missing: tuple[str, ...]


class Order(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Base of all orders: an array that begins with the name of its class."""


class Kick(Order, frozen=True):
    """End all sessions of a user, whose name may be typed in other letters; `by` is the admin."""

    name: str
    by: str


class DropKey(Order, frozen=True):
    """End the sessions of an account that came with a key which was removed."""

    user: str
    fingerprint: str


class Announce(Order, frozen=True):
    """Notify everybody."""

    words: Text


class TellAdmins(Order, frozen=True):
    """Notify all admins."""

    words: Text


class Close(Order, frozen=True):
    """Close a table, wherever it is served."""

    table: str


class AddressSeen(Order, frozen=True):
    """Remember where a user has come from."""

    user: str
    address: str


class ReadBans(Order, frozen=True):
    """Read bans and mutes anew, and end the sessions of people who are banned."""


Orders: TypeAlias = Kick | DropKey | Announce | TellAdmins | Close | AddressSeen | ReadBans
