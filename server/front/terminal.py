"""The one door from the server to the app: puts it on a player's terminal."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable

from kk_core.wire.link import ClientLink
from kk_tui.app import KkApp
from kk_tui.theme.glyphs import wants_ascii
from server.front.driver import Terminal
from server.front.guest import TerminalGuest
from server.front.hosted import Hosted
from server.hub.hub import Hub


class HostedKk(Hosted, KkApp):
    """The app for somebody far away."""

    _BASE_PATH = inspect.getfile(KkApp)  # styles are named relative to it


def open_terminal(hub: Hub, user: str, terminal: Terminal) -> TerminalGuest:
    """The guest who plays on a terminal."""
    return TerminalGuest(hub, user, terminal, _make_app)


def _make_app(connect: Callable[[], Awaitable[ClientLink]], terminal: Terminal) -> HostedKk:
    environment = terminal.environment
    return HostedKk(
        connect,
        local=False,
        language=environment.get("LC_ALL") or environment.get("LC_MESSAGES") or environment.get("LANG"),
        ascii_only=wants_ascii({**environment, "TERM": terminal.kind}),
        terminal=terminal,
    )
