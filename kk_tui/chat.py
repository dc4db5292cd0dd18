"""Chat for one reader: commands in a line, muted people, unread lines, and lines as they are shown."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from time import monotonic
from typing import Final, TypeAlias

from textual.content import Content

from kk_core.text import Text
from kk_core.types import Seat, Viewer
from kk_core.views import ChatLine, PlaceView, TableView, bare_name
from kk_tui.i18n import _, render, spelled

FRESH: Final = 12.0
"""Seconds for which a line is shown above a table whose chat is not open."""

_ANSWERS: Final = 200
"""Lines of answers that are kept."""

_INDENT: Final = "  "

Audience: TypeAlias = tuple[str, Viewer]
"""The table where something is read, "" for the lobby, and the seat through whose eyes."""


def audience(place: PlaceView) -> Audience:
    """Return who reads at a place: several people may share a screen, and not all may read everything."""
    return (place.id, place.viewer) if isinstance(place, TableView) else ("", None)


def is_for_others(written: Audience, reading: Audience) -> bool:
    """Return whether something was written for other eyes; what a spectator may read, all at a table may."""
    return written not in (reading, (reading[0], None))


def parse_line(line: str) -> tuple[str, str]:
    """Split a line into a command and the rest, such as ("join", "ABCDEF"); ("", line) if there is none."""
    if not line.startswith("/"):
        return "", line
    command, _, rest = line[1:].partition(" ")
    if rest.lstrip().startswith("/"):  # a command typed after another one is meant to replace it
        return parse_line(rest.lstrip())
    return command.casefold() or "help", rest.strip()


@dataclass
class ChatReader:
    """The people whom the user has muted, the newest line that may be unread, and answers to the user."""

    muted: set[str] = field(default_factory=set)
    answered: int = 0
    """How many lines of answers there have been."""

    _begun: int = 0
    _place: str = ""
    _said: int = 0
    _fresh: tuple[float, ChatLine] | None = None
    _answers: deque[tuple[int, ChatLine]] = field(default_factory=lambda: deque(maxlen=_ANSWERS))
    _asked_by: Audience = ("", None)

    def hears(self, line: ChatLine) -> bool:
        """Return whether a line is shown, because its author is not muted."""
        return self.muted.isdisjoint((bare_name(line.user), bare_name(line.name)))

    def begin_answer(self) -> None:
        """Note that what follows answers another command."""
        self._begun = self.answered

    @property
    def latest(self) -> int:
        """The number of lines that answer the last command."""
        return min(self.answered - self._begun, len(self._answers))

    def answer(self, place: PlaceView, line: str) -> None:
        """Take a line that answers the user alone at a place."""
        self._turn_to(audience(place))
        self._answers.append((place.chat.said, ChatLine(0, "", "", line)))
        self.answered += 1

    def _turn_to(self, reader: Audience) -> None:
        """Forget the answers to somebody else."""
        if is_for_others(self._asked_by, reader):
            self._answers.clear()
        self._asked_by = reader

    def lines(self, place: PlaceView) -> list[ChatLine]:
        """Return what is shown of the chat of a place: the lines that are heard, and answers between them."""
        chat = place.chat
        recent, shown = chat.recent(), list[ChatLine]()
        answers = [] if is_for_others(self._asked_by, audience(place)) else list(self._answers)
        for number, line in enumerate(recent, chat.said - len(recent)):
            while answers and answers[0][0] <= number:
                shown.append(answers.pop(0)[1])
            if self.hears(line):
                shown.append(line)
        return [*shown, *(line for _said, line in answers)]

    def mute(self, name: str) -> None:
        """Hide all lines of a user or a name."""
        self.muted.add(bare_name(name))

    def unmute(self, name: str) -> None:
        """Show somebody's lines again."""
        self.muted.discard(bare_name(name))

    def follow(self, here: PlaceView, user: str, *, is_open: bool) -> None:
        """Take in the chat of a place; with `is_open` it is on the screen anyway."""
        self._turn_to(audience(here))
        (place, _viewer), chat = self._asked_by, here.chat
        is_new = place == self._place and chat.said > self._said
        heard = [line for line in chat.recent() if line.user not in ("", user) and self.hears(line)]
        if is_open or place != self._place:
            self._fresh = None
        elif is_new and heard and heard[-1] is chat.recent()[-1]:
            self._fresh = monotonic(), heard[-1]
        self._place, self._said = place, chat.said

    def read(self) -> None:
        """Note that the chat is being read."""
        self._fresh = None

    @property
    def heard_at(self) -> float:
        """The monotonic time of the line that may not have been read; 0 if there is none."""
        return 0.0 if self._fresh is None else self._fresh[0]

    @property
    def fresh(self) -> ChatLine | None:
        """The newest line, while it may not have been read."""
        if self._fresh is None or monotonic() - self._fresh[0] > FRESH:
            return None
        return self._fresh[1]


def seat_of(place: PlaceView | None, line: ChatLine) -> Seat | None:
    """Return the first seat of whoever said a line; None for others."""
    seats = place.seats if isinstance(place, TableView) else ()
    return next((seat for seat, one in enumerate(seats) if line.user and one.owner == line.user), None)


def said(line: ChatLine, seat: Seat | None = None) -> Content:
    """Return a line as it is shown, the name in the colour of its seat, if it has one."""
    words = render(line.words) if isinstance(line.words, Text) else spelled(line.words)
    if not line.user:
        return Content.styled(words, "$happened")
    mark = f" {admin_mark()}" if line.is_admin else ""
    style = "bold $gold" if seat is None else f"bold $seat-{seat}"
    return Content.assemble(
        (spelled(line.name), style), (mark, "bold $possible"), (": ", style), (words, "$ink")
    )


def admin_mark() -> str:
    """Return the mark after the name of an administrator."""
    return _("[admin]")  # nobody can fake it: names cannot contain brackets


def shown(line: ChatLine, width: int, seat: Seat | None = None) -> Iterator[Content]:
    """Wrap a line as it is shown to a width, the name in the colour of its seat, if it has one."""
    # Further lines are indented, so that nobody can type what looks like another name or a notice.
    whole = said(line, seat)
    is_long = whole.cell_length > max(8, width)
    first, *others = whole.wrap(max(8, width - len(_INDENT))) if is_long else [whole]
    yield first
    yield from (Content.assemble(_INDENT, other) for other in others)
