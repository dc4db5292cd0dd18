"""Which row somebody has called, in a word, and what the others got since one's own last call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.content import Content

from kk_core.games.ku_ka_king.model import (
    NO_CALL,
    Clashed,
    FirstScored,
    Observation,
    Revealed,
    Taken,
    read_event,
)
from kk_core.games.ku_ka_king.notation import first_points
from kk_core.types import Seat, Viewer
from kk_core.wire.views import LogEntry
from kk_tui.games import News
from kk_tui.games.ku_ka_king.theme import SHORT_NAMES, group, group_variable
from kk_tui.i18n import _, render
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs


def brief(_scene: Scene[Observation], entry: LogEntry, _glyphs: Glyphs) -> Content:
    """Nothing while the call is a secret."""
    return Content() if entry.move is None else Content(_("called row {row}", row=entry.move))


def news(scene: Scene[Observation]) -> News:
    """What everybody else took from the last reveal on in which the viewer had a part; a round at most."""
    told: dict[Seat, Sequence[Content]] = {}
    reached: Sequence[int] | None = None
    since, entries = _since(scene)
    for entry in entries:
        for event in entry.events:
            match read_event(event):
                case FirstScored():  # what stays counts once more from then on, which nobody took now
                    reached = first_points(scene.observation)
                case Taken(seat, row, cards):
                    told[seat] = list(_took(row, cards))
                case Clashed(row, seats):
                    told |= {seat: [Content(_("clashed at row {row}", row=row))] for seat in seats}
    return News(since, {seat: told[seat] for seat in sorted(told) if seat != scene.viewer}, reached)


def _since(scene: Scene[Observation]) -> tuple[int | None, list[LogEntry]]:
    """The ply of the reveal that the news begin with, and the plies from there on; none before the first."""
    log = scene.match.recent()
    since = max((ply for ply, entry in log if _has_part(entry, scene.viewer)), default=None)
    return since, [] if since is None else [entry for ply, entry in log if ply >= since]


def _has_part(entry: LogEntry, viewer: Viewer) -> bool:
    """Whether a reveal shows a call of the viewer; for a spectator every one counts."""
    calls = [event.calls for event in map(read_event, entry.events) if isinstance(event, Revealed)]
    return any(viewer is None or call[viewer] != NO_CALL for call in calls)


def _took(row: int, cards: bytes) -> Iterator[Content]:
    """The row, and in their colours the cards that lay in it."""
    names = [(render(SHORT_NAMES[card]), f"${group_variable(group(card))}-ink") for card in cards]
    first, *others = [Content.styled(*name) for name in names]
    yield Content.assemble(Content(_("row {row}:", row=row)), " ", first)
    yield from others
