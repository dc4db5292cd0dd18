"""An app that gives nobody at its terminal anything of the machine that it runs on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from textual.app import App, SystemCommand
from textual.screen import Screen

from kk_core.errors import where
from kk_core.text import text
from kk_tui.i18n import render


class Confined(App[None]):
    """A mix-in for apps, which may run on somebody else's machine: a server has many in one process."""

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:  # noqa: ARG002
        """None: Textual's save pictures, and change colours beside the settings."""
        return ()

    def open_url(self, url: str, *, new_tab: bool = True) -> None:
        """Nothing: the app may run on somebody else's machine."""

    def action_suspend_process(self) -> None:
        """Nothing: it would stop every game of a hosting server."""

    def deliver_screenshot(
        self,
        filename: str | None = None,  # noqa: ARG002
        path: str | None = None,  # noqa: ARG002
        time_format: str | None = None,  # noqa: ARG002
    ) -> str | None:
        """Nothing: it would write a file on the machine the app runs on."""
        return None

    def _fatal_error(self) -> None:
        """Close with one sentence instead of a traceback, which would show hands."""
        sentence = render(
            text(
                "kk had to stop because of a fault of its own: {fault}",
                fault=where(self._exception) if self._exception else "",
            )
        )
        self._exit_renderables.append(sentence)
        self._close_messages_no_wait()
