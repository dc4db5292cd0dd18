"""A reader who sees nothing but lines, and types lines."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

from kk_core.protocol.stream import ClientLink
from kk_core.text import Text
from kk_server.accounts.names import AT_HOME
from kk_server.hub.hub import Hub
from kk_tui.i18n import PlainReader
from kk_tui.languages import translator
from kk_tui.plain.client import PlainClient
from tests.waiting import patience


async def freely(_requests: int) -> None:
    """Let anything be done at once."""


class Script:
    """Types a line when it is told to, and waits until that line has been carried out."""

    def __init__(
        self,
        hub: Hub,
        user: str = AT_HOME,
        *,
        language: str | None = None,
        local: bool = True,
        records: Path | None = None,
        spend: Callable[[int], Awaitable[None]] = freely,
        go_to: str | None = None,
        reconnects: bool = False,
    ) -> None:
        self.lines = list[str]()
        """All that was written."""
        self._hub, self._user = hub, user
        self._next: asyncio.Queue[str | None] = asyncio.Queue()
        self._idle = asyncio.Event()
        self._news = asyncio.Condition()
        self.client = PlainClient(
            self._connect,
            self._write,
            PlainReader(translator(language)),
            local=local,
            language=language,
            records=records,
            spend=spend,
            go_to=go_to,
            reconnects=reconnects,
        )
        self.link: ClientLink | None = None
        self.task: asyncio.Task[Text | None] | None = None

    async def _connect(self) -> ClientLink:
        self.link = self._hub.connect(self._user)
        return self.link

    def _write(self, line: str) -> None:
        assert "\n" not in line
        assert r"\n" not in line, "it would be read out"
        assert "can't draw" not in line
        assert "\x1b" not in line
        self.lines.append(line)

    async def _typed(self) -> AsyncIterator[str]:
        while True:
            self._idle.set()
            line = await self._next.get()
            if line is None:
                return
            yield line

    async def begin(self) -> None:
        """Arrive."""
        self.task = asyncio.create_task(self.client.run(self._typed()))
        await self.rest()

    async def rest(self) -> None:
        """Wait until nothing is being carried out."""
        async with asyncio.timeout(patience()):
            await self._idle.wait()

    async def type(self, line: str) -> list[str]:
        """Type a line; returns what was written until it had been carried out."""
        await self.rest()
        before = len(self.lines)
        self._idle.clear()
        self._next.put_nowait(line)
        await self.rest()
        return self.lines[before:]

    async def end(self) -> None:
        """Type no more."""
        self._next.put_nowait(None)
        assert self.task is not None
        async with asyncio.timeout(patience()):
            await self.task
