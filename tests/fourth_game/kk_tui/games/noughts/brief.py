"""A ply in a few words, and the bids that were turned over last."""

from __future__ import annotations

from textual.content import Content

from kk_core.games.noughts.model import Bid, Observation, read, read_event
from kk_core.games.noughts.notation import describe, name_of
from kk_core.text import Text
from kk_core.views import LogEntry
from kk_tui.i18n import _
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs


def brief(_scene: Scene[Observation], entry: LogEntry, _glyphs: Glyphs) -> Content:
    """Describe a ply; nothing while a bid is a secret."""
    if entry.move is None:
        return Content()
    meant = read(entry.move)
    if isinstance(meant, Bid):
        return Content(_("bid {n}", n=meant.coins))
    return Content(_("marked {space}", space=name_of(meant.space)))


def last_reveal(scene: Scene[Observation]) -> int | None:
    """Return the ply of the last reveal; None before the first."""
    return max((ply for ply, entry in scene.match.recent() if entry.events), default=None)


def opened(scene: Scene[Observation]) -> Text | None:
    """Return the last bids that were turned over; None before the first."""
    events = [entry.events for _ply, entry in scene.match.recent() if entry.events]
    if not events:
        return None
    bid = read_event(events[-1][0])
    return describe(scene.names, bid.seat, None, events[-1])[-1]
