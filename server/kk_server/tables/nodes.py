"""The nodes that share a store, as a hub sees them; a hub is `Alone` unless it is told of others."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple, Protocol

import msgspec

from kk_core.errors import KkError
from kk_core.protocol.messages import ClientMessage
from kk_core.protocol.stream import CLOSED, ClientLink, LinkClosed
from kk_core.text import Text, text


class ForwardedCommand(msgspec.Struct, frozen=True, tag=True):
    """A command that somebody has typed at one node about a table of another; `language` is its answer's."""

    user: str
    command: str
    language: str | None
    newline: bytes


class Visitor(msgspec.Struct, frozen=True, tag=True):
    """Somebody at one node who goes to a table of another; the fields are as in `Session`."""

    user: str
    network: str | None
    key: str | None
    is_admin: bool
    is_program: bool


class Node(NamedTuple):
    """A node as the others see it; `share` is the part of all tables that it serves, from 0 to 1.

    `is_outdated` is true while there is one of a newer version, so that it takes no tables any more, and
    `is_reached` is false if this node could not connect to it at the last attempt.
    """

    address: str
    is_here: bool
    is_draining: bool
    share: float
    is_outdated: bool
    is_reached: bool


class Elsewhere(KkError):
    """The table is served by another node, which `message` goes to if it isn't the request that failed."""

    def __init__(self, table: str, message: ClientMessage | None = None) -> None:
        super().__init__(text("The table {table} is served by another node.", table=table))
        self.table = table
        self.message = message


class Nodes(Protocol):
    """All nodes that share a store."""

    @property
    def summaries_kept_every(self) -> float:
        """Seconds between two stores of summaries, by which other nodes know the tables here."""
        ...

    @property
    def has_others(self) -> bool:
        """True if there are other nodes."""
        ...

    def all(self) -> tuple[Node, ...]:
        """Return all nodes, by address; none if there can only be one."""
        ...

    @property
    def has_room(self) -> bool:
        """True if tables can be opened at this node."""
        ...

    @property
    def is_keeper(self) -> bool:
        """True at the one node that does what is done once for all tables."""
        ...

    def is_home(self, table: str) -> bool:
        """Return whether this node serves a table, which then exists nowhere else."""
        ...

    async def link(self, table: str, visitor: Visitor) -> ClientLink:
        """Return a link to the node that serves a table. Raises `LinkClosed` if there is none now."""
        ...

    async def look_again(self) -> None:
        """Learn of tables that were opened at other nodes a moment ago. Raises `StorageFailed`."""
        ...

    def tables_changed(self, tables: Collection[str]) -> None:
        """Note that the summaries of tables served here were stored."""
        ...

    def table_gone(self, table: str) -> None:
        """Note that a table served here was closed."""
        ...

    def admitted(self, table: str, guests: Collection[str]) -> None:
        """Note that guests were admitted to a private table served here."""
        ...

    def presence_changed(self, user: str) -> None:
        """Note that a user has come to this node, or gone."""
        ...

    def said(self, user: str, words: str | Text, *, is_admin: bool) -> None:
        """Note that somebody at this node has said something in the lobby."""
        ...

    def tell(self, user: str, sentence: Text, table: str | None, *, stays: bool) -> None:
        """Notify a user's sessions at other nodes."""
        ...

    def rated(self, game: str, accounts: Iterable[str]) -> None:
        """Note that ratings have changed at this node."""
        ...


class Alone:
    """The only node, which serves every table."""

    has_room = is_keeper = True
    has_others = False
    summaries_kept_every = 5.0

    def all(self) -> tuple[Node, ...]:
        """Return nothing: there are no nodes."""
        return ()

    def is_home(self, table: str) -> bool:  # noqa: ARG002
        """Return True."""
        return True

    async def link(self, table: str, visitor: Visitor) -> ClientLink:  # noqa: ARG002
        """Raise `LinkClosed`: there is nobody else."""
        raise LinkClosed(CLOSED)

    async def look_again(self) -> None:
        """Do nothing, as in all that follows: there is nobody else."""

    def tables_changed(self, tables: Collection[str]) -> None:
        """Do nothing."""

    def table_gone(self, table: str) -> None:
        """Do nothing."""

    def admitted(self, table: str, guests: Collection[str]) -> None:
        """Do nothing."""

    def presence_changed(self, user: str) -> None:
        """Do nothing."""

    def said(self, user: str, words: str | Text, *, is_admin: bool) -> None:
        """Do nothing."""

    def tell(self, user: str, sentence: Text, table: str | None, *, stays: bool) -> None:
        """Do nothing."""

    def rated(self, game: str, accounts: Iterable[str]) -> None:
        """Do nothing."""
