"""Which row somebody has called, in a word; what came of it stands on the rows."""

from __future__ import annotations

from textual.content import Content

from kk_core.games.ku_ka_king.model import Observation
from kk_core.wire.views import LogEntry
from kk_tui.i18n import _
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs


def brief(_scene: Scene[Observation], entry: LogEntry, _glyphs: Glyphs) -> Content:
    """Nothing while the call is a secret."""
    return Content() if entry.move is None else Content(_("called row {row}", row=entry.move))
