"""What is announced at a table, once: that the lead has changed hands, and turns of the match itself."""

from __future__ import annotations

from collections.abc import Iterator
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

    def follow(self, before: Scene[Any], now: Scene[Any], face: Face[Any], glyphs: Glyphs) -> Content | None:
        """Return what is to be announced of a new scene; None if it is nothing, or the match is over."""
        led = self._leader if self._match == now.match.commitment else leader(before)
        self._match, leads = now.match.commitment, leader(now)
        self._leader = led if leads is None else leads
        if now.is_over or now.match.ply <= before.match.ply:
            return None
        said = [Content.styled(render(each), _STYLE) for each in face.announcements(before, now)]
        if led is not None and leads not in (None, led):
            said += self._change_of_lead(now, glyphs)
        return Content.styled("  |  ", "$ink-dim").join(said) if said else None

    def _change_of_lead(self, now: Scene[Any], glyphs: Glyphs) -> Iterator[Content]:
        seat = self._leader
        assert seat is not None, "there is a new one"
        last, *others = sorted(totals(now.standing), reverse=True)
        lead = last - max(others, default=0)
        told = texts(
            "{name} takes the lead, by {n} point", "{name} takes the lead, by {n} points", lead,
            name=now.name(seat),
        )  # fmt: skip
        yield Content.assemble((f"{glyphs.owner(seat)} ", f"bold $seat-{seat}"), (render(told), _STYLE))


def leader(scene: Scene[Any]) -> Seat | None:
    """Return who alone has the most points as things stand, as far as the viewer knows; else None."""
    points = totals(scene.standing)
    most = max(points)
    return points.index(most) if points.count(most) == 1 else None
