"""The line above the header: proposals, calls to a table, notices, and what was just said."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from textual.content import Content
from textual.message import Message

from kk_core.protocol.messages import Notice
from kk_core.text import Text, text_in
from kk_core.views import ChatLine, PlaceView, TableView
from kk_tui.chat import said, seat_of
from kk_tui.i18n import _, render
from kk_tui.keymap import KEYS
from kk_tui.table_words import played_for, proposal_words, waits_for
from kk_tui.widgets.bars import TextLine

_GAP: Final = 4
"""Columns between title and line when they are side by side."""

CALL_STAYS: Final = 60.0
"""Seconds for which a call to a table is shown."""


class AgreementStrip(TextLine):
    """The line above the header; hidden while there is nothing to show."""

    DEFAULT_CSS = """
    AgreementStrip { display: none; height: 1; dock: top; layer: strip; padding: 0 1;
        background: $ground-deep; text-overflow: ellipsis; text-wrap: nowrap; }
    AgreementStrip.-whole { height: auto; max-height: 6; text-overflow: fold; text-wrap: wrap; }
    """

    def __init__(self) -> None:
        super().__init__("agreement")
        self._length = 0

    class Pressed(Message):
        """The line was clicked."""

    def on_click(self) -> None:
        """Do what the key named in the line does."""
        self.post_message(self.Pressed())

    def show(self, words: Content | None, *, is_whole: bool = False) -> None:
        """Show some words, in as many lines as they need if `is_whole`; None hides the line."""
        self.display = words is not None
        self.set_class(is_whole, "-whole")
        if words is not None:
            self.say(words)
            self._length = words.cell_length

    def stand_beside(self, title: int, width: int, least: int = 0) -> None:
        """Leave a title of `title` columns visible if both fit, else at least its first `least` columns."""
        if not self.display:  # placing it would lay out the whole screen again
            return
        # with a space on either side
        own = self._length + 2
        short = least + _GAP if least else 0
        left = width - own if title + _GAP + own <= width else short
        self.styles.width, self.styles.offset = width - left, (left, 0)


@dataclass(frozen=True)
class Summons:
    """A call to a table."""

    sentence: Text
    table: str
    since: float = field(default_factory=monotonic)

    @property
    def is_old(self) -> bool:
        """True once it need no longer be shown."""
        return monotonic() - self.since > CALL_STAYS

    def words(self) -> Content:
        """Return the words of the line."""
        said = render(self.sentence)
        return Content.styled(
            _("{call} {key} goes there.", call=said, key=text_in("key", "Ctrl+G")), "bold $possible"
        )


def kept_line(notice: Notice) -> Content:
    """Return the line for a notice that stays until it is read; only the host's looks like this."""
    words = render(notice.text)
    if not notice.from_host:
        return Content.styled(words, "bold $happened")
    return Content.assemble((_("[Announcement]"), "bold $possible"), (f" {words}", "bold $ink"))


def heard_line(place: PlaceView | None, line: ChatLine) -> Content:
    """Return the line for what somebody has just said at a place, with the name as it is in the chat."""
    answer = _("  ({key} answers)", key=KEYS["chat"].shown)
    return Content.assemble(said(line, seat_of(place, line)), (answer, "$ink-dim"))


def proposal_line(table: TableView, user: str) -> Content | None:
    """Return what is proposed at a table, or that a bot plays for the user."""
    proposal, key = table.proposal, KEYS["table"].shown
    if proposal is None:
        if played_for(table, user):
            back = _("A bot plays for you: {key} takes your seat back.", key=key)
            return Content.styled(back, "bold $possible")
        return None
    said = render(proposal_words(table, proposal))
    if user in proposal.waits:
        return Content.styled(_("{proposal}: {key} answers.", proposal=said, key=key), "bold $possible")
    waiting = _("{proposal} - waiting for {names}.", proposal=said, names=waits_for(table, proposal))
    return Content.styled(waiting, "$happened")
