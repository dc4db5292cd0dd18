"""What is kept on this machine: whether matches at home are, and the record of one as a file of one's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

from kk_core.protocol.messages import GetRecord, RecordText
from kk_core.text import Text, text, texts
from kk_tui.i18n import _
from kk_tui.screens.base import KkScreen
from kk_tui.settings import replace_file


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


async def save_record(screen: KkScreen, folder: Path) -> None:
    """Write the record of the match on the screen into a folder, and say where, or why not."""
    reply, scene = await screen.kk.request(GetRecord), screen.kk.store.scene
    if not isinstance(reply, RecordText) or scene is None:
        return
    target = folder / f"{scene.match.game}-{scene.match.commitment.hex()[:12]}.json"
    try:
        _write(target, reply)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        screen.complain(
            text("The record cannot be saved as {file}: {reason}", file=str(target), reason=reason)
        )
        return
    screen.say(_("Saved as {file}", file=str(target)), "$happened")


def _write(target: Path, record: RecordText) -> None:
    """The record byte for byte, and beside it the signature that was made of these bytes."""
    target.parent.mkdir(parents=True, exist_ok=True)
    replace_file(target, record.text.encode())
    if record.signature is not None:
        replace_file(Path(f"{target}.sig"), record.signature.encode())
