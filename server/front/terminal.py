"""The app on a player's terminal; the only module of the server that knows the app."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, TypeAlias

from kk_core.text import Text, text
from kk_core.wire.link import ClientLink
from kk_tui.app import KkApp
from kk_tui.i18n import language_of, translator
from kk_tui.terminal.kinds import kind_of
from kk_tui.theme.glyphs import wants_ascii
from server.accounts.accounts import Login
from server.front.driver import Terminal
from server.front.hosted import HostedApp
from server.hub.hub import Hub

_LEAVING: Final = 5.0
"""Seconds that an app has to end when its player is gone."""

MakeApp: TypeAlias = Callable[[Callable[[], Awaitable[ClientLink]], Terminal], HostedApp]
"""Makes an app from what opens its link to the hub, and its terminal."""


class TerminalHandler:
    """Runs one app on one channel, from the first frame to the restored screen."""

    def __init__(self, hub: Hub, login: Login, terminal: Terminal, make_app: MakeApp) -> None:
        self._hub = hub
        self._login = login
        self._terminal = terminal
        self._links: list[ClientLink] = []
        self._reason: Text | None = None
        self._make_app = make_app
        self._app: HostedApp | None = None
        self._task: asyncio.Task[object] | None = None

    async def run(self) -> int:
        """Run the app until it ends; gives the exit status."""
        self._app = app = self._make_app(self._connect, self._terminal)
        self._task = asyncio.current_task()
        try:
            await app.run_async(size=self._terminal.size)
        finally:
            for link in self._links:
                await link.close()
        if app.has_failed:
            self._say(text("Something went wrong in the program. Your seat is kept: please connect again."))
            return 1
        if self._reason is not None:
            self._say(self._reason)
        return 0

    def feed(self, data: bytes) -> None:
        """Keys and mouse."""
        self._terminal.on_input(data)

    def resize(self, width: int, height: int) -> None:
        """The window has a new size."""
        self._terminal.resize(width, height)

    async def leave(self) -> None:
        """The connection is lost: end the app, gently at first."""
        self._terminal.writer.close()
        if self._app is None or self._task is None:
            return
        self._app.exit()
        await asyncio.wait([self._task], timeout=_LEAVING)
        self._task.cancel()

    def end(self, reason: Text) -> None:
        """The server stops: give the terminal back and say why."""
        self._reason = reason
        if self._app is not None:
            self._app.exit()

    async def _connect(self) -> ClientLink:
        link = self._hub.connect(self._login.user, () if self._links else self._login.notices)
        self._links.append(link)
        return link

    def _say(self, sentence: Text) -> None:
        """A line on the restored terminal, in its language."""
        self._terminal.writer.write(f"{translate(sentence, self._terminal.environment)}\r\n".encode())


class HostedKkApp(HostedApp, KkApp):
    """The app for somebody far away."""

    _BASE_PATH = inspect.getfile(KkApp)  # styles are named relative to it


def make_app(connect: Callable[[], Awaitable[ClientLink]], terminal: Terminal) -> HostedKkApp:
    """The app for a terminal, in its language and with its characters."""
    environment = terminal.environment
    return HostedKkApp(
        connect,
        local=False,
        language=language_of(environment),
        ascii_only=wants_ascii({**environment, "TERM": terminal.kind}),
        kind=kind_of(terminal.kind, environment),
        terminal=terminal,
    )


def translate(sentence: Text, environment: Mapping[str, str]) -> str:
    """A sentence in the language that a terminal's environment asks for."""
    chosen = translator(language_of(environment))
    return sentence.render(chosen.gettext, chosen.ngettext)
