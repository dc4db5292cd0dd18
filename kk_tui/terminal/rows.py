"""A compositor that asks widgets only for the rows that are to be drawn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from textual._compositor import ChopsUpdate, Compositor
from textual.geometry import Region
from textual.strip import Strip

Rows = tuple[int, int]
"""The first row and the one after the last."""


class RowCompositor(Compositor):
    """Textual's own has every widget that lies in the frame of all changes render all its lines."""

    def __init__(self) -> None:
        super().__init__()
        self._bands: list[Rows] | None = None

    def render_partial_update(self) -> ChopsUpdate | None:
        """Render what has changed; None when nothing has."""
        self._bands = list(bands(self._dirty_regions))
        try:
            return super().render_partial_update()
        finally:
            self._bands = None

    def _get_renders(self, crop: Region | None = None) -> Iterable[tuple[Region, Region, list[Strip]]]:
        if self._bands is None:
            yield from super()._get_renders(crop)
            return
        for widget, (region, clip) in self.visible_widgets.items():
            seen = region.intersection(clip)
            rows = [band for band in self._bands if band[0] < seen.bottom and band[1] > seen.y]
            if rows and seen:
                top, bottom = max(seen.y, rows[0][0]), min(seen.bottom, rows[-1][1])
                part = Region(seen.x, top, seen.width, bottom - top)
                yield region, part, widget.render_lines(part.translate(-region.offset))


def bands(regions: Iterable[Region]) -> Iterator[Rows]:
    """The rows that regions lie in, from top to bottom, those that touch taken together."""
    ordered = sorted((region.y, region.bottom) for region in regions if region)
    if not ordered:
        return
    top, bottom = ordered[0]
    for start, end in ordered[1:]:
        if start > bottom:
            yield top, bottom
            top = start
        bottom = max(bottom, end)
    yield top, bottom
