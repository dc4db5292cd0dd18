"""Records a turn and a reveal as a terminal shows them: `make pictures`; `asciinema play FILE` plays them.

The files have the format asciicast 2: a line with the size and the title, then one for each piece of output,
with its time in seconds.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.chance import VARIABLE
from tests.terminal import KK, Terminal

FOLDER: Final = Path(__file__).parent

COLUMNS, ROWS = 80, 24

_SEEN: Final = 1.2
"""Seconds between two keys, so that people can follow."""

_LONGEST: Final = 2.0
"""The longest pause in seconds; longer ones are cut."""


@dataclass(frozen=True)
class Recording:
    """A match against easy bots from a fixed seed, from the first output to a moment after the last key."""

    name: str
    title: str
    game: str
    begins: str
    keys: Sequence[str]
    lasts: float


RECORDINGS: Final = (
    Recording(
        "turn",
        "A turn of the board game",
        "web_of_power",
        "Tab shows where",
        ("1", "\r", "\r", "d", "\r"),
        6.0,
    ),
    Recording("reveal", "A reveal at Ku-Ka-King", "ku_ka_king", "Call a row", ("2", "\r"), 9.0),
)


class RecordedTerminal(Terminal):
    """A terminal that notes what was written, and when."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], size: tuple[int, int]) -> None:
        super().__init__(command, environment, size)
        self.written: list[tuple[float, str]] = []

    def _read(self, seconds: float = 0.2) -> bool:
        before = len(self.raw)
        goes_on = super()._read(seconds)
        if len(self.raw) > before:
            self.written.append((time.monotonic(), self.raw[before:]))
        return goes_on


def record(recording: Recording) -> str:
    """Play and return the text of the file."""
    with tempfile.TemporaryDirectory() as home:
        environment = {
            "TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8", "USER": "anna",
            "XDG_DATA_HOME": home, "XDG_CONFIG_HOME": home, VARIABLE: recording.name,
        }  # fmt: skip
        command = [*KK, "play", recording.game, "--seats", "me,easy,easy", "--seed", "5"]
        terminal = RecordedTerminal(command, environment, (COLUMNS, ROWS))
        try:
            terminal.until(recording.begins)
            for key in recording.keys:
                terminal.read_for(_SEEN)
                terminal.type(key)
            terminal.read_for(recording.lasts)
        finally:
            terminal.close()
    head = {"version": 2, "width": COLUMNS, "height": ROWS, "title": recording.title}
    lines = [json.dumps(head), *(json.dumps([at, "o", words]) for at, words in _timed(terminal.written))]
    return "\n".join(lines) + "\n"


def _timed(written: Sequence[tuple[float, str]]) -> Iterator[tuple[float, str]]:
    now, last = 0.0, written[0][0]
    for at, words in written:
        now, last = now + min(at - last, _LONGEST), at
        yield round(now, 3), words


def main() -> None:
    """Make all recordings."""
    for recording in RECORDINGS:
        (FOLDER / f"{recording.name}.cast").write_text(record(recording), encoding="utf-8")


if __name__ == "__main__":
    main()
