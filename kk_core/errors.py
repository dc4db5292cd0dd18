"""Errors of the core; each names the thing and the reason in a translatable sentence."""

from __future__ import annotations

from kk_core.text import Text, text


class KkError(Exception):
    """Base of all errors that are meant for a person; `reason` is the sentence to show."""

    def __init__(self, reason: Text) -> None:
        super().__init__(str(reason))
        self.reason = reason


class InvalidMove(KkError):
    """A move that cannot be understood at all."""


class IllegalMove(KkError):
    """A move that the rules do not allow here; nothing has changed."""


class InvalidSeat(KkError):
    """Something that is none of the seats of a match."""


class UndoRefused(KkError):
    """Taking back is not possible here; nothing has changed."""


class InvalidOptions(KkError):
    """A seat count, an option or a seed that the game does not know."""


class BotFailed(KkError):
    """A bot that cannot be made, fails while it thinks, or answers with something that is no legal move."""


class UnknownRules(KkError):
    """Rules, or the cards and maps they were played with, that are not known here."""


class BadData(KkError):
    """A data file that cannot be used: `source` is the file, `where` the line or key."""

    def __init__(self, source: str, where: str, reason: Text) -> None:
        super().__init__(text("{source}: {where}: {reason}", source=source, where=where, reason=reason))


class BadRecord(KkError):
    """A record that cannot be replayed; the sentence says which ply or field is wrong."""


class OutOfStep(KkError):
    """A delta that does not fit the copy it should be applied to; only a snapshot helps."""


def told(error: BaseException) -> str:
    """Return a fault in full, for readers who may see all values at hand: its type, place and message."""
    return f"{where(error)}: {error}" if str(error) else where(error)


def where(error: BaseException) -> str:
    """Return a fault without any value that was at hand: the error's type and the line that raised it."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return type(error).__name__
    return f"{type(error).__name__} in {trace.tb_frame.f_code.co_qualname}:{trace.tb_lineno}"
