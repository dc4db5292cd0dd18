"""The interface between the SSH side of a server and its hub, in the same process or in another one."""

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
"""The command that links a further key to an account, by a code."""
JOIN: Final = "join"
"""The command that leads straight to a table, by the code of an invitation."""

SUBSYSTEM: Final = "kk-sync"
"""The subsystem of client programs."""
SFTP: Final = "sftp"
"""The subsystem for downloading one's records."""

NEEDS_TERMINAL: Final = text("The games need a terminal: connect with ssh -t from one.")


@dataclass
class Caller:
    """A client before login: the name they claim, and the key they have proved to be theirs."""

    address: str
    name: str = ""
    key: asyncssh.SSHKey | None = None
    """The key they have signed with."""
    refusal: Text | None = None
    """The reason why a key they offered was not accepted."""

    @property
    def fingerprint(self) -> str | None:
        """The fingerprint of their key, as `ssh-keygen -l` prints it."""
        return None if self.key is None else self.key.get_fingerprint()

    @property
    def key_name(self) -> str:
        """The name of a key that has not been named: its type, such as ed25519."""
        kind = "" if self.key is None else self.key.get_algorithm()
        return kind.partition("@")[0].removeprefix("ssh-")


# structs from here to `CommandRequest`: with workers, these cross to another process
class SessionRequest(Struct, frozen=True):
    """The purpose of a session, for the log: `LINK` or `JOIN` with a code, or else the game."""

    purpose: str
    has_terminal: bool
    command: str = ""
    code: str = ""


class Admission(Struct, frozen=True):
    """The user that a caller was let in as, and the settings stored for their account.

    If `said` is given, it is all they wanted, and the session ends with it.
    """

    user: str
    has_account: bool = False
    settings: str | None = None
    said: Text | None = None


class CommandRequest(Struct, frozen=True):
    """A command, the language its answer should be in, and its line ending."""

    command: str
    language: str | None
    newline: bytes


def nobody(_: Text) -> None:
    """End nothing: replaces the callback of a session that has ended, which a visit must not keep alive."""


class Visit(Protocol):
    """One session of somebody, as the hub knows it."""

    async def enter(self, request: SessionRequest) -> Admission:
        """Log in. Raises `KkError`."""
        ...

    async def link(self) -> ClientLink:
        """Return a link for the app of this user; a further one once the last has ended. Raises `KkError`."""
        ...

    async def serve(self, subsystem: str, reader: asyncio.StreamReader, writer: Writer) -> int:
        """Serve a subsystem until it ends; returns the exit status. Raises `KkError`."""
        ...

    async def run(self, request: CommandRequest, writer: Writer) -> None:
        """Run a command and write its answer. Raises `KkError` if it is refused."""
        ...

    async def keep(self, settings: str) -> None:
        """Store settings for the account. Raises `KkError`."""
        ...

    def send_away(self, reason: Text) -> None:
        """End whatever is served there, with a reason."""
        ...

    def leave(self) -> None:
        """Note that the session has ended."""
        ...


class Gateway(Protocol):
    """The entrance to a hub."""

    async def why_not(self, caller: Caller, key: asyncssh.SSHKey) -> Text | None:
        """Return why this key is refused, or None if it is accepted; the caller may have others."""
        ...

    def visit(self, session: str, caller: Caller, end: Callable[[Text], None]) -> Visit:
        """Begin a session; `end` is called with a reason if it should end."""
        ...
