"""Whether matches at home are kept, and what is lost where they are not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime

from kk_core.text import Text, text, texts


class Keeping:
    """Whether what is played is kept; it is, unless whoever keeps it here tells otherwise.

    `unkept` gives the tables whose matches end with the program as things stand, and since when, in seconds
    since 1970, their moves are not kept; None where the whole match is not. `changed` is called when
    something is told.
    """

    def __init__(self) -> None:
        self.fault: Text | None = None
        """Why nothing is kept now."""
        self.unkept: Callable[[], Mapping[str, int | None]] = dict
        self.changed: Callable[[], object] = lambda: None

    def tell(self, fault: Text | None) -> None:
        """Nothing is kept from now on, for this reason; with None, everything is."""
        self.fault = fault
        self.changed()

    @property
    def sentence(self) -> Text | None:
        """That nothing is kept, and why; None while that is not so."""
        if self.fault is None:
            return None
        return text("What is played now is not kept: {reason}", reason=self.fault)

    def lost_with(self, table: str, *, is_over: bool) -> Text | None:
        """What of a table's match is lost when the program ends; None where nothing is."""
        unkept = self.unkept()
        if self.fault is None or table not in unkept:
            return None
        since = unkept[table]
        if is_over:
            return text("The match is over; when you quit, its result is lost.")
        if since is None:
            return text("You can come back until you quit; then the match is lost.")
        time = f"{datetime.fromtimestamp(since):%H:%M}"
        return text("You can come back until you quit; then what was played since {time} is lost.", time=time)

    def lost(self) -> Text | None:
        """What is lost when the program ends now, and why; None where nothing is."""
        if self.fault is None or not (unkept := self.unkept()):
            return None
        n, reason = len(unkept), self.fault
        if all(since is None for since in unkept.values()):
            return texts(
                "{n} match is lost then: {reason}", "{n} matches are lost then: {reason}", n, reason=reason
            )
        return texts(
            "The last moves of {n} match are lost then: {reason}",
            "The last moves of {n} matches, or all of them, are lost then: {reason}",
            n, reason=reason,
        )  # fmt: skip
