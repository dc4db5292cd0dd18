"""The line over the header: what somebody proposes, who has not answered yet, and what was just said."""

from __future__ import annotations

from textual.content import Content

from kk_core.wire.chat import ChatLine
from kk_core.wire.views import TableView
from kk_tui.i18n import _, render
from kk_tui.keymap import KEYS
from kk_tui.people import proposal_words, waits_for
from kk_tui.talking import said
from kk_tui.widgets.bars import Line


class AgreementStrip(Line):
    """There while something is proposed, a bot plays for the one who looks, or something was just said."""

    DEFAULT_CSS = """
    AgreementStrip { display: none; height: 1; dock: top; layer: strip; padding: 0 1;
        background: $ground-deep; text-overflow: ellipsis; text-wrap: nowrap; }
    """

    def __init__(self) -> None:
        super().__init__("agreement")

    def show(self, table: TableView | None, user: str, fresh: ChatLine | None) -> None:
        """Take over how a table stands, and what was said there."""
        words = None if table is None else _words(table, user) or _said(fresh)
        self.display = words is not None
        if words is not None:
            self.say(words)


def _said(line: ChatLine | None) -> Content | None:
    if line is None:
        return None
    return Content.assemble(said(line), (_("  ({key} answers)", key=KEYS["talk"].shown), "$ink-dim"))


def _words(table: TableView, user: str) -> Content | None:
    proposal, key = table.proposal, KEYS["table"].shown
    if proposal is None:
        if any(seat.owner == user and seat.stand_in and not seat.has_given_up for seat in table.seats):
            back = _("A bot plays for you: {key} takes your seat back.", key=key)
            return Content.styled(back, "bold $possible")
        return None
    said = render(proposal_words(table, proposal))
    if user in proposal.waits:
        return Content.styled(_("{proposal}: {key} answers.", proposal=said, key=key), "bold $possible")
    waiting = _("{proposal} - waiting for {names}.", proposal=said, names=waits_for(table, proposal))
    return Content.styled(waiting, "$happened")
