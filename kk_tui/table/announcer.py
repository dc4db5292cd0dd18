"""What is announced at a table, once: that the lead has changed hands, and turns of the match itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from textual.content import Content

from kk_core.text import texts
from kk_core.types import Seat, totals
from kk_tui.games import Face
from kk_tui.i18n import render
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs

_STYLE: Final = "bold $happened"


class Announcer:
    """Remembers who was the last to lead alone, since that may be several steps ago."""

    def __init__(self) -> None:
        self._match = b""
        self._leader: Seat | None = None

    def follow(
        self, before: Scene[Any], now: Scene[Any], face: Face[Any], glyphs: Glyphs, width: int
    ) -> Content | None:
        """Return what is to be announced of a new scene, as much as fits; None without anything."""
        led = self._leader if self._match == now.match.commitment else leader(before)
        self._match, leads = now.match.commitment, leader(now)
        self._leader = led if leads is None else leads
        if now.is_over or now.match.ply <= before.match.ply:
            return None
        said = [Content.styled(render(each), _STYLE) for each in face.announcements(before, now)]
        if led is not None and leads is not None and leads != led:
            said.append(_taken(now, leads, glyphs))
        fitting = [n for n in range(1, len(said) + 1) if _joined(said[:n]).cell_length <= width]
        return _joined(said[: max(fitting, default=1)]) if said else None


def _taken(now: Scene[Any], seat: Seat, glyphs: Glyphs) -> Content:
    """Return who leads now, and by how much."""
    most, *others = sorted(totals(now.standing), reverse=True)
    told = texts(
        "{name} takes the lead, by {n} point", "{name} takes the lead, by {n} points",
        most - max(others, default=0), name=now.name(seat),
    )  # fmt: skip
    return Content.assemble((f"{glyphs.owner(seat)} ", f"bold $seat-{seat}"), (render(told), _STYLE))


def _joined(said: Sequence[Content]) -> Content:
    return Content.styled("  |  ", "$ink-dim").join(said)


def leader(scene: Scene[Any]) -> Seat | None:
    """Return who alone has the most points as things stand, as far as the viewer knows; else None."""
    points = totals(scene.standing)
    most = max(points)
    return points.index(most) if points.count(most) == 1 else None
