"""The one door from the server to the app: puts it on a player's terminal."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping

from kk_core.text import Text
from kk_core.wire.link import ClientLink
from kk_tui.app import KkApp
from kk_tui.i18n import language_of, translator
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


def speak(sentence: Text, environment: Mapping[str, str]) -> str:
    """A sentence in the language that a terminal's environment asks for."""
    chosen = translator(language_of(environment))
    return sentence.render(chosen.gettext, chosen.ngettext)


def _make_app(connect: Callable[[], Awaitable[ClientLink]], terminal: Terminal) -> HostedKk:
    environment = terminal.environment
    return HostedKk(
        connect,
        local=False,
        language=language_of(environment),
        ascii_only=wants_ascii({**environment, "TERM": terminal.kind}),
        terminal=terminal,
    )
