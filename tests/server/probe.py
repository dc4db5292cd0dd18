"""A small app that tells what it was told, for tests of the way to a terminal."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.widgets import Static

from kk_server.frontend.driver import Terminal
from kk_server.frontend.terminal import HostedApp
from kk_tui.settings import SettingsStore, changed
from kk_tui.terminal.capabilities import kind_of
from kk_tui.terminal.driver import PaintedApp

SECRET = "the-kings-hand"


class Probe(PaintedApp):
    """Shows the last key, click, paste or size as a word; keeps a setting, and tells which was kept."""

    kept: SettingsStore | None = None

    def compose(self) -> ComposeResult:
        yield Static("ready")

    def show(self, words: str) -> None:
        self.query_one(Static).update(words)

    def on_key(self, event: events.Key) -> None:
        if event.key == "q":
            self.exit()
        elif event.key == "x":
            hand = SECRET
            raise RuntimeError(f"broken with {hand}")
        elif event.key == "w":
            self.run_worker(self._fail())
        elif event.key == "s" and self.kept is not None:
            self.show(f"kept={self.kept.load().palette}.")
            self.kept.save(changed(self.kept.load(), palette="contrast"))
        elif event.key == "p":
            print("printed")  # noqa: T201
        else:
            self.show(f"key={event.key}.")

    async def _fail(self) -> None:
        raise RuntimeError(SECRET)

    def on_click(self, event: events.Click) -> None:
        self.show(f"click={event.screen_x},{event.screen_y}.")

    def on_paste(self, event: events.Paste) -> None:
        self.show(f"paste={len(event.text)}.")

    def on_resize(self, event: events.Resize) -> None:
        self.show(f"size={event.size.width}x{event.size.height}.")


class HostedProbe(HostedApp, Probe):
    """The probe on a channel."""


apps: list[HostedProbe] = []
"""All probes made in this process."""


def make_probe(_connect: object, terminal: Terminal, settings: SettingsStore | None) -> HostedProbe:
    apps.append(HostedProbe(terminal=terminal, kind=kind_of(terminal.kind, terminal.environment)))
    apps[-1].kept = settings
    return apps[-1]
