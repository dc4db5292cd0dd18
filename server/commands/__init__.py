"""What the command line does; each module is one command, loaded when it is asked for."""

from __future__ import annotations

from kk_core.text import LONGEST_LINE, Text, printable, shortened


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
