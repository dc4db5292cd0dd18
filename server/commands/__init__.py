"""What the command line does; each module is one command, loaded when it is asked for."""

from __future__ import annotations

from kk_core.text import Text


class Failure(Exception):
    """A command that could not do its work: one line on stderr, exit status 1."""

    def __init__(self, reason: Text) -> None:
        super().__init__(str(reason))
        self.reason = reason


class Usage(Failure):
    """A command that was called wrongly: one line on stderr, exit status 2."""
