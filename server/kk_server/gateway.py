"""What the SSH side of a server asks of its house: in the same process, or in another one."""

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
"""The subsystem of those who fetch their records."""

NEEDS_TERMINAL: Final = text("The games need a terminal: connect with ssh -t from one.")


@dataclass
class Caller:
    """A client before login: the name they claim, and the key they have proved to be theirs."""

    address: str
    name: str = ""
    key: asyncssh.SSHKey | None = None
    """The key they have signed with."""
    refusal: Text | None = None
    """Why a key they offered was of no use."""

    @property
    def fingerprint(self) -> str | None:
        """That of their key, as `ssh-keygen -l` prints it."""
        return None if self.key is None else self.key.get_fingerprint()

    @property
    def key_name(self) -> str:
        """What the key is called until its owner calls it something else: its kind, as ed25519."""
        kind = "" if self.key is None else self.key.get_algorithm()
        return kind.partition("@")[0].removeprefix("ssh-")


class SessionRequest(Struct, frozen=True):
    """What somebody has come for: a purpose for the log, `LINK` or `JOIN` with a code, or else the game."""

    purpose: str
    has_terminal: bool
    command: str = ""
    code: str = ""


class Admission(Struct, frozen=True):
    """Who somebody is here, and the settings their account has kept.

    With `said`, that was all they wanted to hear.
    """

    user: str
    has_account: bool = False
    settings: str | None = None
    said: Text | None = None


class CommandRequest(Struct, frozen=True):
    """A command, the language that its answer is to have, and how lines end there."""

    command: str
    language: str | None
    newline: bytes


def nobody(_: Text) -> None:
    """Ends nothing: what a visit has in place of its session once that has left, so as not to keep it."""


class Visit(Protocol):
    """One session of somebody, as its house knows it."""

    async def enter(self, request: SessionRequest) -> Admission:
        """Be let in. Raises `KkError`."""
        ...

    async def link(self) -> ClientLink:
        """A link for the app of who was let in; a further one where the last has ended. Raises `KkError`."""
        ...

    async def serve(self, subsystem: str, reader: asyncio.StreamReader, writer: Writer) -> int:
        """Serve a client of a subsystem to its end; gives the exit status. Raises `KkError`."""
        ...

    async def run(self, request: CommandRequest, writer: Writer) -> None:
        """Carry a command out, and write its answer. Raises `KkError` where it is refused."""
        ...

    async def keep(self, settings: str) -> None:
        """Keep settings for the account. Raises `KkError`."""
        ...

    def send_away(self, reason: Text) -> None:
        """End what is served there, with a reason for it."""
        ...

    def leave(self) -> None:
        """The session has ended."""
        ...


class Gateway(Protocol):
    """Receives those who come."""

    async def why_not(self, caller: Caller, key: asyncssh.SSHKey) -> Text | None:
        """Why a key is of no use to a caller, who may have others; None where it is."""
        ...

    def visit(self, session: str, caller: Caller, end: Callable[[Text], None]) -> Visit:
        """A session has begun; the house may ask for its `end`, with a reason."""
        ...
