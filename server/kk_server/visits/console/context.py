"""The context of a command: who runs it, what it acts on, and where its output goes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from rich.cells import cell_len

from kk_core.errors import KkError
from kk_core.protocol.stream import Writer
from kk_core.text import Text, printable, text
from kk_core.views import GUEST_MARK, is_guest
from kk_server.accounts.addresses import Addresses
from kk_server.gateway import Caller, CommandRequest
from kk_server.hub.hub import Hub
from kk_server.log import get_logger
from kk_server.tables.nodes import Elsewhere, ForwardedCommand
from kk_server.visits.moderation import Moderation
from kk_server.visits.visits import Visits
from kk_tui.languages import translate


class CommandRefused(KkError):
    """A command that is not carried out; nothing has changed."""


@dataclass(frozen=True)
class Asker:
    """The user of a command: name, key fingerprint, address, and whether they are an admin."""

    user: str
    key: str | None
    address: str
    is_admin: bool

    @property
    def signature(self) -> str:
        """The name for the audit log: an admin needs no account, but must not look like a guest."""
        if self.key is None or not is_guest(self.user):
            return self.user
        return f"{self.user.removeprefix(GUEST_MARK)} ({self.key})"


class HostedServer(Protocol):
    """The server as commands see it."""

    hub: Hub
    visits: Visits
    moderation: Moderation
    addresses: Addresses

    @property
    def connections(self) -> int:
        """Number of open connections."""
        ...

    async def storage_fault(self) -> Text | None:
        """Return why nothing can be stored, after a second at most; None if it can."""
        ...

    @property
    def uptime(self) -> float:
        """Seconds since the start."""
        ...

    @property
    def is_draining(self) -> bool:
        """True if it will stop soon."""
        ...

    async def close_table(self, table: str) -> None:
        """Close a table, and notify its people. Raises `KkError`."""
        ...

    async def forward(self, table: str, forwarded: ForwardedCommand, writer: Writer) -> None:
        """Have the node that serves a table carry out a command, and write its answer. Raises `KkError`."""
        ...

    def drain(self, minutes: int | None) -> Text:
        """Stop soon; returns the announcement. Raises `KkError`."""
        ...

    async def reload(self) -> list[Text]:
        """Reload the settings and lists; returns what has changed. Raises `KkError`."""
        ...


class CommandContext:
    """The context of one command."""

    def __init__(
        self,
        server: HostedServer,
        asker: Asker,
        writer: Writer,
        request: CommandRequest,
    ) -> None:
        self.server = server
        self.asker = asker
        self.noted: dict[str, Any] = {}
        """What the audit log keeps besides the command and its outcome."""
        self._writer = writer
        self._request = request

    async def tell(self, said: Text | str) -> None:
        """Write a line, without control characters."""
        words = self.in_words(said) if isinstance(said, Text) else said
        await self._write(printable(words).encode("utf-8", "replace") + self._request.newline)

    async def tell_json(self, value: Any) -> None:
        """Write a value as one line of JSON, in ASCII."""
        await self._write(json.dumps(value).encode() + self._request.newline)

    async def give(self, content: bytes) -> None:
        """Write the bytes of a file as they are."""
        await self._write(content)

    async def ask_home_of(self, elsewhere: Elsewhere) -> None:
        """Have the node that serves a table carry out the same command. Raises `KkError`."""
        if self._request.is_sent:  # and the table has moved on since
            raise elsewhere
        request = self._request
        forwarded = ForwardedCommand(self.asker.user, request.command, request.language, request.newline)
        await self.server.forward(elsewhere.table, forwarded, self._writer)

    def in_words(self, sentence: Text) -> str:
        """Translate a sentence into the user's language."""
        return translate(sentence, self._request.language)

    async def _write(self, line: bytes) -> None:
        # before writing, so that a client that does not read slows down the command
        await self._writer.drain()
        self._writer.write(line)


Run = Callable[[CommandContext], Awaitable[None]]


@dataclass(frozen=True)
class ParsedCommand:
    """A parsed command; `is_admins` if only admins may run it, `is_forwarded` if other nodes may send it.

    One that changes something (`is_change`), as all commands of admins may, cannot be stopped once begun. One
    that `is_for_anybody` does not depend on who runs it, and so is answered while accounts can't be read.
    """

    run: Run
    is_admins: bool = False
    is_change: bool = False
    is_forwarded: bool = False
    is_for_anybody: bool = False


_log = get_logger()


class RunningCommand:
    """A command being carried out."""

    def __init__(
        self,
        server: HostedServer,
        parsed: ParsedCommand,
        caller: Caller,
        request: CommandRequest,
        writer: Writer,
    ) -> None:
        self._server = server
        self._parsed = parsed
        self._caller = caller
        self._request = request
        self._writer = writer
        self._task: asyncio.Task[object] | None = None
        self._reason: Text | None = None

    @property
    def is_for_anybody(self) -> bool:
        """True if it doesn't depend on who runs it."""
        return self._parsed.is_for_anybody

    async def run(self, user: str, *, is_admin: bool) -> None:
        """Carry it out for `user`. Raises `KkError` if it is refused."""
        asker = Asker(user, self._caller.fingerprint, self._caller.address, is_admin)
        context = CommandContext(self._server, asker, self._writer, self._request)
        self._task = asyncio.current_task()
        try:
            await (self._audited(context) if self._parsed.is_admins else self._parsed.run(context))
        except asyncio.CancelledError:
            if self._reason is None:
                raise
            raise CommandRefused(self._reason) from None

    async def _audited(self, context: CommandContext) -> None:
        if not context.asker.is_admin:
            self._audit(context.asker, "refused: not an admin")
            raise CommandRefused(text("Only this server's admins can do this."))
        self._server.moderation.audit.check()  # nothing is done that could not be logged
        # unless overwritten below, since an unexpected error is logged too
        outcome, before = "failed", self._server.visits.last_order()
        try:
            await self._parsed.run(context)
            outcome = "done"
            await self._tell_answers(context, before)
        except KkError as error:
            outcome = f"refused: {error}"
            raise
        finally:
            self._audit(context.asker, outcome, **context.noted)

    async def _tell_answers(self, context: CommandContext, before: int) -> None:
        """Say which other nodes have not yet carried out what was ordered after an order."""
        if self._server.visits.last_order() == before:
            return
        asked, missing = await self._server.visits.answers(before)
        if not missing:
            return
        context.noted["unanswered"] = missing
        await context.tell(
            text(
                "{n} of {all} nodes have answered. Not heard yet: {nodes}. They are told again as soon as "
                "they are back, within ten minutes.",
                n=1 + asked - len(missing), all=1 + asked, nodes=", ".join(missing),
            )
        )  # fmt: skip

    def _audit(self, asker: Asker, outcome: str, **noted: Any) -> None:
        command = self._request.command
        said = {"address": asker.address, "user": asker.signature, "command": command, "outcome": outcome}
        _log.info("admin command", **said)
        try:
            self._server.moderation.audit.add(
                asker.signature, asker.key, asker.address, command, outcome, **noted
            )
        except KkError as error:
            _log.error("not in the audit log", reason=str(error))

    def stop(self, reason: Text | None = None) -> None:
        """Stop it, unless it has begun to change something; `reason` is shown to the user."""
        self._reason = self._reason or reason
        if self._task is not None and not (self._parsed.is_admins or self._parsed.is_change):
            self._task.cancel()


_GAP = "  "


def in_columns(rows: Sequence[Sequence[str]], right: Container[int] = ()) -> Iterator[str]:
    """Yield a line for each row, with aligned columns; those in `right`, from 0, are right-aligned."""
    # cells rather than characters: names may have wide ones
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield _GAP.join(
            _filled(words, width, is_right=number in right)
            for number, (words, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()


def _filled(words: str, width: int, *, is_right: bool) -> str:
    """Return words with blanks to so many columns."""
    blanks = " " * (width - cell_len(words))
    return blanks + words if is_right else words + blanks
