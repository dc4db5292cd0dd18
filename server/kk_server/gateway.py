"""The interface between the frontends of a server and its hub, in the same process or another."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

import asyncssh
from msgspec import Struct

from kk_core.protocol.stream import ClientLink, Writer
from kk_core.text import Text, text

LINK: Final = "link"
"""The command that links another key to an account, using a code."""
JOIN: Final = "join"
"""The command that leads straight to a table, using an invitation code."""
PLAIN: Final = "plain"
"""The command to play in lines of text, with or without a terminal."""
TABLE: Final = "table"
"""The command that leads straight to a table by its ID."""
MATCH: Final = "match"
"""The command that leads straight to the replay of a finished match, by its number."""
PLACES: Final = (JOIN, TABLE, MATCH)
"""The commands that lead straight to a place of the app."""

SHELL: Final = "shell"
"""The purpose of a session without a command, which is the app."""
SUBSYSTEM: Final = "kk-sync"
"""The subsystem for client programs."""
SFTP: Final = "sftp"
"""The subsystem for downloading one's records."""

NEEDS_TERMINAL: Final = text("The games need a terminal: connect from one with ssh -t.")


@dataclass
class Caller:
    """A client before login: the name it claims, and the key it has proved to own."""

    address: str
    name: str = ""
    key: asyncssh.SSHKey | None = None
    """The key it has signed with."""
    refusal: Text | None = None
    """Why a key it offered was not accepted."""
    origin: str = ""
    """The checked origin of the page that it came by; empty for another door."""

    @property
    def fingerprint(self) -> str | None:
        """The fingerprint of its key, as printed by `ssh-keygen -l`."""
        return None if self.key is None else self.key.get_fingerprint()

    @property
    def key_name(self) -> str:
        """The default name of a key: its type, such as ed25519."""
        kind = "" if self.key is None else self.key.get_algorithm()
        return kind.partition("@")[0].removeprefix("ssh-")


# structs from here to `CommandRequest`, since with workers these are sent to another process
class SessionRequest(Struct, frozen=True):
    """The purpose of a session, for the log: `LINK`, `JOIN`, `TABLE` or `MATCH` with a code, or else the
    game.
    """

    purpose: str
    has_terminal: bool
    command: str = ""
    code: str = ""


class Admission(Struct, frozen=True):
    """The user that a caller is logged in as, and their account's stored settings with the language in them.

    If `said` is given, it is the whole answer, and the session ends with it; likewise with `nowhere`, the
    reason why the place that they asked for does not exist, or is not for them.
    """

    user: str
    has_account: bool = False
    settings: str | None = None
    language: str | None = None
    said: Text | None = None
    nowhere: Text | None = None


class CommandRequest(Struct, frozen=True):
    """A command, the language for its answer, and its line ending; `is_sent` if another node has sent it."""

    command: str
    language: str | None
    newline: bytes
    is_sent: bool = False


def nobody(_: Text) -> None:
    """Do nothing; replaces the callback of an ended session, which a visit must not keep alive."""


class Visit(Protocol):
    """One session of a user, as the hub knows it."""

    async def enter(self, request: SessionRequest) -> Admission:
        """Log in. Raises `KkError`."""
        ...

    async def link(self) -> ClientLink:
        """Return a link for this user's app, or a new one after the last has ended. Raises `KkError`."""
        ...

    async def serve(self, subsystem: str, reader: asyncio.StreamReader, writer: Writer) -> int:
        """Serve a subsystem until it ends; returns the exit status. Raises `KkError`."""
        ...

    async def run(self, request: CommandRequest, writer: Writer) -> None:
        """Run a command and write its answer. Raises `KkError` if it is refused."""
        ...

    async def language(self) -> str | None:
        """Return the language that the caller has chosen for their account, if any, and if it can be read.

        Raises `LinkClosed`.
        """
        ...

    async def keep(self, settings: str, before: str | None) -> None:
        """Store what differs from the settings `before`, or if there were none, all. Raises `KkError`."""
        ...

    def send_away(self, reason: Text) -> None:
        """End anything served there, with a reason."""
        ...

    def leave(self) -> None:
        """Note that the session has ended."""
        ...


class Gateway(Protocol):
    """The way into a hub."""

    async def why_not(self, caller: Caller, key: asyncssh.SSHKey) -> Text | None:
        """Return why this key is refused, or None if it is accepted; the caller may have others."""
        ...

    def visit(self, session: str, caller: Caller, end: Callable[[Text], None]) -> Visit:
        """Begin a session; `end` is called with a reason if it should end."""
        ...
