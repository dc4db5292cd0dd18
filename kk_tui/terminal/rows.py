"""A compositor that renders only those parts of widgets that are visible and have changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from textual._compositor import Compositor, CompositorUpdate
from textual._context import visible_screen_stack
from textual.geometry import Offset, Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

Span = tuple[int, int]
"""A first column and the one after the last."""

_AT_ONCE: Final = 12_000
"""Cells drawn in one go, as many as 200 columns by 60 rows: until then a server serves nobody else."""

Placed = tuple[int, int, Strip]
"""A row and a column, and the strip that goes there."""


class PartsUpdate(CompositorUpdate):
    """Strips and their positions on the screen."""

    def __init__(self, size: tuple[int, int], parts: list[Placed]) -> None:
        """Keep the parts; `size` is that of the whole screen, in columns and rows."""
        self.size = size
        self.parts = parts


class RowCompositor(Compositor):
    """A compositor that asks widgets only for changed and visible lines.

    Textual's own makes every widget within the bounds of all changes render all its lines, covered or not. Of
    a very large picture the upper rows are drawn first; the others stay dirty until the next time.
    """

    def render_update(  # type: ignore[override]
        self, full: bool = False, screen_stack: list[Screen[Any]] | None = None, simplify: bool = False
    ) -> CompositorUpdate | None:
        """Return the changes, or everything if `full`, as far as may be drawn in one go; None if none."""
        if simplify:
            update = super().render_update(full, screen_stack, simplify)
            return update if isinstance(update, CompositorUpdate) else None
        # Widgets with a translucent ground use this for the screens below them.
        visible_screen_stack.set([] if screen_stack is None else screen_stack)
        dirty = [self.size.region] if full else list(self._dirty_regions)
        self._dirty_regions.clear()
        dirty, later = self._split(dirty)
        self._dirty_regions.update(later)
        return PartsUpdate(self.size, list(self._parts(dirty))) if dirty else None

    def _split(self, dirty: list[Region]) -> tuple[list[Region], list[Region]]:
        """Split dirty regions into those drawn now and the rows below them, which wait."""
        cells: Counter[int] = Counter()
        for row, start, end in self._regions_to_spans(dirty):
            cells[row] += end - start
        drawn = 0
        for row in sorted(cells):
            drawn += cells[row]
            # when screens of 400x200 were still drawn in one go, somebody else's move took up to 1,800 ms
            if drawn > _AT_ONCE:
                above, below = self.size.region.split_horizontal(row)
                return [part for region in dirty if (part := region.intersection(above))], [
                    part for region in dirty if (part := region.intersection(below))
                ]
        return dirty, []

    def _parts(self, dirty: list[Region]) -> Iterator[Placed]:
        """Yield the strips of widgets where changes are visible."""
        changed: dict[int, list[Span]] = {}  # and not drawn by a widget in front
        for row, start, end in self._regions_to_spans(dirty):
            changed.setdefault(row, []).append((start, end))
        for widget, (region, clip) in self.visible_widgets.items():  # from front to back
            seen = region.intersection(clip)
            pieces = {}
            for row in seen.line_range:
                if row in changed and (spans := _common(changed[row], seen.x, seen.right)):
                    pieces[row] = spans
                    changed[row] = _without(changed[row], seen.x, seen.right)
            yield from _place(widget, region.offset, pieces)


def _place(widget: Widget, offset: Offset, pieces: dict[int, list[Span]]) -> Iterator[Placed]:
    """Yield the strips for pieces of a widget's rows; `offset` is the widget's position on the screen."""
    for top, bottom, spans in _blocks(pieces):
        for start, end in spans:
            part = Region(start, top, end - start, bottom - top)
            for row, strip in enumerate(widget.render_lines(part.translate(-offset)), top):
                yield row, start, strip


def _blocks(pieces: dict[int, list[Span]]) -> list[tuple[int, int, list[Span]]]:
    """Join adjacent rows with the same spans."""
    blocks: list[tuple[int, int, list[Span]]] = []
    for row, spans in pieces.items():
        # a widget renders several lines at once more cheaply
        if blocks and blocks[-1][1:] == (row, spans):
            blocks[-1] = blocks[-1][0], row + 1, spans
        else:
            blocks.append((row, row + 1, spans))
    return blocks


def _common(spans: list[Span], start: int, end: int) -> list[Span]:
    """Return the parts of spans inside another span."""
    return [(max(first, start), min(last, end)) for first, last in spans if first < end and last > start]


def _without(spans: list[Span], start: int, end: int) -> list[Span]:
    """Return the parts of spans outside another span."""
    parts = [part for first, last in spans for part in ((first, min(last, start)), (max(first, end), last))]
    return [(first, last) for first, last in parts if first < last]
