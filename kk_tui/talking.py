"""What is said, for the one who reads it, and what a line that begins with a slash asks for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from textual.content import Content

from kk_core.protocol.views import ChatLine, ChatView, bare_name
from kk_core.text import Text
from kk_tui.i18n import _, render, spelled

FRESH: Final = 12.0
"""Seconds that a line stands over a table whose talk is not open."""


_INDENT: Final = "  "


def parse_line(line: str) -> tuple[str, str]:
    """The command of a line and what follows it, as ("join", "ABCDEF"); ("", line) for what is said.

    Of a command typed behind another one, the last counts.
    """
    if not line.startswith("/"):
        return "", line
    command, _, rest = line[1:].partition(" ")
    if rest.lstrip().startswith("/"):
        return parse_line(rest.lstrip())
    return command.casefold() or "help", rest.strip()


@dataclass
class Talking:
    """Whom one does not want to hear, and what one has heard already."""

    muted: set[str] = field(default_factory=set)
    _place: str = ""
    _said: int = 0
    _fresh: tuple[float, ChatLine] | None = None

    def hears(self, line: ChatLine) -> bool:
        """Whether a line is shown."""
        return self.muted.isdisjoint((bare_name(line.user), bare_name(line.name)))

    def mute(self, name: str) -> None:
        """Hear nothing more of somebody."""
        self.muted.add(bare_name(name))

    def unmute(self, name: str) -> None:
        """Hear somebody again."""
        self.muted.discard(bare_name(name))

    def follow(self, place: str, chat: ChatView, user: str, *, is_open: bool) -> None:
        """Take over what was said at a place; `is_open` where it is seen anyway."""
        is_new = place == self._place and chat.said > self._said
        heard = [line for line in chat.recent() if line.user not in ("", user) and self.hears(line)]
        if is_open or place != self._place:
            self._fresh = None
        elif is_new and heard and heard[-1] is chat.recent()[-1]:
            self._fresh = monotonic(), heard[-1]
        self._place, self._said = place, chat.said

    def read(self) -> None:
        """What was said last is being read."""
        self._fresh = None

    @property
    def heard_at(self) -> float:
        """When that was, by a clock that never goes back; 0 where there is nothing."""
        return 0.0 if self._fresh is None else self._fresh[0]

    @property
    def fresh(self) -> ChatLine | None:
        """What was said just now and may not have been read."""
        if self._fresh is None or monotonic() - self._fresh[0] > FRESH:
            return None
        return self._fresh[1]


def said(line: ChatLine) -> Content:
    """A line as it is shown."""
    words = render(line.words) if isinstance(line.words, Text) else spelled(line.words)
    if not line.user:
        return Content.styled(words, "$happened")
    mark = f" {admin_mark()}" if line.is_admin else ""
    return Content.assemble(
        (spelled(line.name), "bold $gold"), (mark, "bold $possible"), (": ", "bold $gold"), (words, "$ink")
    )


def admin_mark() -> str:
    """What stands behind the name of those who run the server; names have no brackets."""
    return _("[admin]")


def shown(line: ChatLine, width: int) -> Iterator[Content]:
    """A line, indented where it goes on: nothing that a person says begins where names and notices do."""
    whole = said(line)
    is_long = whole.cell_length > max(8, width)
    first, *others = whole.wrap(max(8, width - len(_INDENT))) if is_long else [whole]
    yield first
    yield from (Content.assemble(_INDENT, other) for other in others)
