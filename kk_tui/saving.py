"""The warnings of a program whose matches cannot be saved: the reason, and the loss when it ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime

from kk_core.text import Text, text, texts


class SaveState:
    """The state of saving matches at home: they are saved unless `tell` reports a fault.

    `unkept` returns the tables with unsaved moves, each with the time since which they are unsaved, in
    seconds since 1970; None if the whole match is. `is_unread` says whether nothing is known of earlier
    matches. `changed` is called after each `tell`.
    """

    def __init__(self) -> None:
        self.fault: Text | None = None
        """Why nothing is saved now; None while everything is."""
        self.unkept: Callable[[], Mapping[str, int | None]] = dict
        self.is_unread: Callable[[], bool] = lambda: False
        self.changed: Callable[[], object] = lambda: None

    def tell(self, fault: Text | None) -> None:
        """Report why nothing is saved from now on; None means that everything is."""
        self.fault = fault
        self.changed()

    @property
    def sentence(self) -> Text | None:
        """The warning that nothing is saved, with the reason; None while everything is."""
        if self.fault is None:
            return None
        return text("Matches are not being saved: {reason}", reason=self.fault)

    @property
    def unread(self) -> Text | None:
        """The sentence that nothing is known of earlier matches, with the reason; None if they are known."""
        if self.fault is None or not self.is_unread():
            return None
        return text("Your past matches can't be read: {reason}", reason=self.fault)

    def lost_with(self, table: str, *, is_over: bool) -> Text | None:
        """Return what is lost of a table's match when the program ends; None if nothing is."""
        unkept = self.unkept()
        if self.fault is None or table not in unkept:
            return None
        since = unkept[table]
        if is_over:
            return text("The match is over; its result will be lost when you quit.")
        if since is None:
            return text("You can come back until you quit; then the match is lost.")
        time = f"{datetime.fromtimestamp(since):%H:%M}"
        return text("You can come back until you quit; then everything since {time} is lost.", time=time)

    def lost(self) -> Text | None:
        """Return what would be lost if the program ended now, and why; None if nothing."""
        if self.fault is None or not (unkept := self.unkept()):
            return None
        n, reason = len(unkept), self.fault
        if all(since is None for since in unkept.values()):
            return texts(
                "{n} match will be lost: {reason}", "{n} matches will be lost: {reason}", n, reason=reason
            )
        return texts(
            "The last moves of {n} match will be lost: {reason}",
            "The last moves of {n} matches, or all of them, will be lost: {reason}",
            n, reason=reason,
        )  # fmt: skip
