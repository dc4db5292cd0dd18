"""What the others have done since one's own turn, a line or two for each of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from textual.content import Content

from kk_core.types import Seat
from kk_core.wire.views import LogEntry
from kk_tui.games import Face
from kk_tui.i18n import render
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs

_INDENT = 3
"""Columns of the sign of a player, and of what follows it in further lines."""


def news_lines(
    scene: Scene[Any], face: Face[Any], glyphs: Glyphs, width: int, before: Sequence[int] | None
) -> Iterator[Content]:
    """A line per player, who acted last first, wrapped to a width.

    `before` are the points at the end of the viewer's turn.
    """
    for seat, entries in _by_seat(scene).items():
        parts = [part for entry in entries for part in _parts(scene, face, entry, glyphs)]
        if before is not None and (gain := scene.observation.points[seat] - before[seat]):
            parts.append(Content.styled(f"{gain:+}", "bold $gold"))
        if parts:
            said = Content.styled(", ", "$ink-dim").join(parts)
            sign = Content.styled(f"{glyphs.owner(seat)} ", f"bold $seat-{seat}")
            for line in said.wrap(max(8, width - _INDENT)):
                yield Content.assemble(sign, line)
                sign = Content(" " * _INDENT)


def _by_seat(scene: Scene[Any]) -> dict[Seat, list[LogEntry]]:
    """The newest plies, oldest first, by who made them last; one's own only while there are no others."""
    found: dict[Seat, list[LogEntry]] = {}
    for entry in scene.just_happened():
        found.setdefault(entry.seat, []).insert(0, entry)
    others = {seat: entries for seat, entries in found.items() if seat != scene.viewer}
    return others or found


def _parts(scene: Scene[Any], face: Face[Any], entry: LogEntry, glyphs: Glyphs) -> Sequence[Content]:
    brief = face.brief(scene, entry, glyphs)
    if brief is not None:
        return [brief] if brief.plain else []
    return [Content.styled(render(sentence).rstrip("."), "$ink") for sentence in face.describe(scene, entry)]
