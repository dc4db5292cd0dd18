"""Errors of the core; each states the problem and the reason in a translatable sentence."""

from __future__ import annotations

from kk_core.text import Text, text


class KkError(Exception):
    """Base of all errors shown to people; `reason` is the sentence to show."""

    def __init__(self, reason: Text) -> None:
        super().__init__(str(reason))
        self.reason = reason


class InvalidMove(KkError):
    """A move that does not exist in the game."""


class IllegalMove(KkError):
    """A move that the rules do not allow here; nothing has changed."""


class InvalidSeat(KkError):
    """Something that is not a seat of the match."""


class UndoRefused(KkError):
    """An undo that is not possible here; nothing has changed."""


class InvalidOptions(KkError):
    """A seat count, an option or a seed that the game does not know."""


class BotFailed(KkError):
    """A bot that cannot be created, fails while it thinks, or returns an illegal move."""


class UnknownRules(KkError):
    """Rules, or cards and maps, that this version does not know."""


class BadData(KkError):
    """An unusable data file: `source` is the file, `where` the line or key."""

    def __init__(self, source: str, where: str, reason: Text) -> None:
        super().__init__(text("{source}: {where}: {reason}", source=source, where=where, reason=reason))


class BadRecord(KkError):
    """A record that cannot be replayed; the sentence says which ply or field is wrong."""


class OutOfStep(KkError):
    """A delta that does not fit the local copy; only a snapshot helps."""


def told(error: BaseException) -> str:
    """Return an error's type, place and message, which may contain secret values."""
    return f"{where(error)}: {error}" if str(error) else where(error)


def where(error: BaseException) -> str:
    """Return an error's type and the line that raised it, without its message, which may contain secrets."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return type(error).__name__
    return f"{type(error).__name__} in {trace.tb_frame.f_code.co_qualname}:{trace.tb_lineno}"
