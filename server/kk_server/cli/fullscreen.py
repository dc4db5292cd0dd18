"""Parts shared by the full-screen commands."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import platformdirs

from kk_core.text import text
from kk_server.cli import ELSEWHERE, Failure, Usage
from kk_server.cli.common import account_name
from kk_server.cli.language import settings_path
from kk_server.frontend.garbage_collection import YOUNG
from kk_tui.app import Connect, KkApp
from kk_tui.languages import demanded_language, language_of
from kk_tui.saving import SaveState
from kk_tui.settings import PaceControl, RecentFile, SettingsFile
from kk_tui.theme.glyphs import wants_ascii

_HANG_UP: Final = 3
"""Seconds that the app has to end by itself once its terminal is gone."""


def need_terminal() -> None:
    """Refuse to run without a terminal. Raises `Usage`, and `Failure` on Windows."""
    if find_spec("termios") is None:
        raise Failure(ELSEWHERE)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Usage(text("This needs an interactive terminal."))


def settings_file() -> SettingsFile:
    """Return the settings file of this machine's user."""
    return SettingsFile(settings_path())


def records_folder() -> Path:
    """Return the folder for records that this machine's user saves."""
    return platformdirs.user_data_path("kk", appauthor=False) / "records"


def recent_file() -> RecentFile:
    """Return the file of the last choices of this machine's user."""
    return RecentFile(platformdirs.user_data_path("kk", appauthor=False) / "recent.json")


def home_app(
    connect: Connect,
    *,
    local: bool,
    go_to: str | None = None,
    only_replay: bool = False,
    pace: PaceControl | None = None,
    save_state: SaveState | None = None,
    is_visit: bool = False,
    first_key: str | None = None,
) -> KkApp:
    """Return the app for this terminal, in its user's language.

    Settings and records are stored in the user's folders. On a visit to a server it reconnects by itself and
    adds to every shuffle; `first_key` is the fingerprint of a server that was not met before.
    """
    return KkApp(
        connect,
        local=local,
        go_to=go_to,
        only_replay=only_replay,
        records=records_folder(),
        language=language_of(os.environ),
        demanded_language=demanded_language(os.environ),
        ascii_only=wants_ascii(os.environ),
        settings=settings_file(),
        pace=pace,
        save_state=save_state,
        reconnects=is_visit,
        contributes=is_visit,
        first_key=first_key,
        recent=recent_file(),
        account=account_name(),
    )


async def run(app: KkApp) -> None:
    """Run the app until it is left, or until the terminal or the system asks it to end."""
    # what is there by now, modules above all, mostly stays to the end and need not be looked at again
    gc.freeze()
    gc.set_threshold(YOUNG)
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, app.exit)
    # programs started in the background may inherit an ignored SIGHUP; without a terminal this one would read
    # its end forever
    loop.add_signal_handler(signal.SIGHUP, _hang_up, app)
    await app.run_async()


def _hang_up(app: KkApp) -> None:
    # Textual may wait forever to write to the lost terminal: the alarm ends the process then
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(_HANG_UP)
    app.exit()
