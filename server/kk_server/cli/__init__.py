"""What the command line does; each module is one command, loaded when it is asked for."""

from __future__ import annotations

from typing import Final

from kk_core.text import LONGEST_LINE, Text, printable, shortened, text, texts

ELSEWHERE: Final = text(
    "kk runs on Linux, macOS and WSL; on Windows itself, play on a server with ssh (ssh -t NAME@HOST) "
    "or run kk inside WSL."
)
"""What is said where Python has no such modules as terminals and files of Unix need."""


class Failure(Exception):
    """A command that could not do its work: a line for each reason on stderr, exit status 1."""

    def __init__(self, *reasons: Text) -> None:
        super().__init__(str(reasons[0]))
        self.reasons = reasons


class Usage(Failure):
    """A command that was called wrongly: a line for each reason on stderr, exit status 2."""


def error_line(message: str) -> str:
    """What stands on stderr, whatever the message holds."""
    return shortened(printable(" ".join(f"kk: {message}".split())), LONGEST_LINE)


def interrupted(done: int, games: int) -> Text:
    """How many matches of so many had ended when somebody pressed Ctrl+C."""
    if not done:
        return text("Interrupted before any match had ended.")
    return texts(
        "Interrupted after {n} match of {games}.",
        "Interrupted after {n} matches of {games}.",
        done,
        games=games,
    )
