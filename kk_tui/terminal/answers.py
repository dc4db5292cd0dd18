"""What a terminal answers when it is asked about its colours, and a parser of keys that knows answers.

Asked are the background (OSC 11), and whether a colour of 16 million is kept as it was set (DECRQSS); DA1
comes last, since every terminal answers it: after it nothing more is to be expected. Nobody waits for any
of this. Answers never become keys, in however many pieces they come.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from time import monotonic
from typing import Final

from textual._xterm_parser import XTermParser
from textual.message import Message

from kk_tui.terminal.quantise import luminance

_BACKGROUND: Final = "\x1b]11;?\x1b\\"
_TRUE_COLOUR: Final = "\x1b[48;2;1;2;3m\x1bP$qm\x1b\\\x1b[m"
_FENCE: Final = "\x1b[c"

_ASKABLE: Final = re.compile(
    "xterm|tmux|screen|rxvt|kitty|alacritty|foot|wezterm|ghostty|konsole|gnome|vte|putty|mintty|iterm|contour|st-"
)
"""Terminals that know such questions, or are silent; others might show them."""

_ANSWER: Final = re.compile(
    r"\x1b(?:"
    r"\]11;(?P<background>[^\x07\x1b]{0,64})(?:\x07|\x1b\\)"
    r"|P[01]\$r(?P<pen>[^\x07\x1b]{0,128})(?:\x07|\x1b\\)"
    r"|\[\?(?P<fence>[\d;]{0,64})c"
    r")"
)
_BEGUN: Final = re.compile(
    r"\x1b(?:"
    r"|\](?:|1|11|11;[^\x07\x1b]{0,64}\x1b?)"
    r"|P(?:|[01]|[01]\$|[01]\$r[^\x07\x1b]{0,128}\x1b?)"
    r"|\[(?:|\?[\d;]{0,64})"
    r")\Z"
)
"""The beginning of an answer at the end of what has come."""

_TYPED: Final = 3
"""Characters up to which the beginning of an answer may as well be a key."""

_PATIENCE: Final = 3.0
"""Seconds after a question in which an answer may begin with a lone escape; later that is the key."""

_COLOUR: Final = re.compile(r"rgba?:([0-9a-f]{1,4})/([0-9a-f]{1,4})/([0-9a-f]{1,4})(?:/[0-9a-f]{1,4})?", re.I)
_KEPT: Final = re.compile(r"(?:^|;)48(?:;2;1;2;3|:2:(?:\d*:)?1:2:3)(?:;|$|m)")


class TerminalAnswered(Message):
    """Whether the page is light, or whether 16 million colours are shown; None where that was not told."""

    def __init__(self, *, is_light: bool | None = None, has_true_colour: bool | None = None) -> None:
        super().__init__()
        self.is_light = is_light
        self.has_true_colour = has_true_colour


def questions(term: str) -> str:
    """What to ask a terminal of this kind; nothing where a question might be shown."""
    if not _ASKABLE.match(term.lower()):
        return ""
    # GNU screen passes the contents of DCS on as they are; tmux knows colours that its terminal does not show
    pen = "" if term.lower().startswith(("screen", "tmux")) else _TRUE_COLOUR
    return f"{_BACKGROUND}{pen}{_FENCE}"


class AnswerParser(XTermParser):
    """Textual's parser, which takes answers for keys, behind a sieve that takes them out."""

    def __init__(self, debug: bool = False) -> None:
        self._held = ""
        self._until = 0.0
        super().__init__(debug)

    # Textual's cache of these would keep the parsers of apps that have ended, and the apps with them
    _parse_extended_key = XTermParser._parse_extended_key.__wrapped__  # type: ignore[assignment]

    def expect(self) -> None:
        """A question has been asked."""
        self._until = monotonic() + _PATIENCE

    @property
    def is_holding(self) -> bool:
        """Whether something waits for what comes after it, or for a tick."""
        return bool(self._held)

    @property
    def is_waiting(self) -> bool:
        """Whether time alone may make a key of what has come."""
        return self.is_holding or self._timeout_time is not None

    def feed(self, data: str) -> Iterable[Message]:
        """Keys and other messages in what has come."""
        text, self._held = self._held + data, ""
        at = 0
        for answer in _ANSWER.finditer(text):
            if typed := text[at : answer.start()]:
                yield from super().feed(typed)
            at = answer.end()
            message = self._understood(answer)
            if message is not None:
                yield message
        begun = _BEGUN.search(text, at)
        if begun is not None and (len(begun[0]) > 1 or monotonic() < self._until):
            self._held = begun[0]
        if typed := text[at : len(text) - len(self._held)]:
            yield from super().feed(typed)

    def tick(self) -> Iterable[Message]:
        """Time has passed: what might have begun an answer was a key."""
        if 0 < len(self._held) <= _TYPED:
            typed, self._held = self._held, ""
            yield from super().feed(typed)
        yield from super().tick()

    def _understood(self, answer: re.Match[str]) -> Message | None:
        if answer["fence"] is not None:
            self._until = 0.0
            return None
        if answer["pen"] is not None:
            return TerminalAnswered(has_true_colour=_KEPT.search(answer["pen"]) is not None)
        found = _COLOUR.fullmatch(answer["background"])
        return TerminalAnswered(is_light=_is_light(*found.groups())) if found else None


def _is_light(*parts: str) -> bool:
    """Whether a colour, written in 1 to 4 digits for each part, is nearer to white than to black."""
    red, green, blue = (255 * int(part, 16) // int("f" * len(part), 16) for part in parts)
    return luminance(red, green, blue) > 127
