"""What was chosen last in the form of a new game, so that the next one begins with it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import msgspec

from kk_tui.settings import replace_file

_LARGEST = 20_000
"""Bytes that the file may have."""


class Choice(msgspec.Struct, frozen=True):
    """A table of one game; `seats` have a bot's name (or "" for a person) and a person's."""

    options: dict[str, str] = {}
    seats: tuple[tuple[str, str], ...] = ()


class Recent(msgspec.Struct, frozen=True):
    """The game that was begun last, and the last table of each game."""

    game: str = ""
    tables: dict[str, Choice] = {}

    def begun(self, game: str, choice: Choice) -> Recent:
        """With a table that was begun now."""
        return Recent(game, {**self.tables, game: choice})


class RecentFile:
    """Keeps the choices in a file, or without one as long as the app runs.

    They are a comfort: a file that cannot be read or written is passed over in silence.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._kept = Recent()

    def load(self) -> Recent:
        """What was kept."""
        if self._path is not None:
            with suppress(OSError, msgspec.MsgspecError, UnicodeDecodeError), self._path.open("rb") as file:
                self._kept = msgspec.json.decode(file.read(_LARGEST), type=Recent)
        return self._kept

    def save(self, recent: Recent) -> None:
        """Keep it."""
        self._kept = recent
        if self._path is not None:
            with suppress(OSError):
                self._path.parent.mkdir(parents=True, exist_ok=True)
                replace_file(self._path, msgspec.json.encode(recent))
