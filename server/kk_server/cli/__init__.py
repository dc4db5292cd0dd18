"""The command line; each module is one command, imported when it is called."""

from __future__ import annotations

from typing import Final

from kk_core.text import LONGEST_LINE, Text, printable, shortened, text, texts

ELSEWHERE: Final = text(
    "kk runs on Linux, macOS and WSL; on Windows itself, play on a server with ssh (ssh -t NAME@HOST) "
    "or run kk inside WSL."
)
"""The error on systems whose Python lacks the modules for Unix terminals and files."""


class Failure(Exception):
    """A command that could not do its work: exit status 1, with a line for each reason on stderr."""

    def __init__(self, *reasons: Text) -> None:
        super().__init__(str(reasons[0]))
        self.reasons = reasons


class Usage(Failure):
    """A command that was called wrongly: exit status 2, with a line for each reason on stderr."""


def error_line(message: str) -> str:
    """Format a message for stderr as one printable line."""
    return shortened(printable(" ".join(f"kk: {message}".split())), LONGEST_LINE)


def interrupted(done: int, games: int) -> Text:
    """Return how many of so many matches had ended when somebody pressed Ctrl+C."""
    if not done:
        return text("Interrupted before any match had ended.")
    return texts(
        "Interrupted after {n} of {games} matches.",
        "Interrupted after {n} of {games} matches.",
        done,
        games=games,
    )
