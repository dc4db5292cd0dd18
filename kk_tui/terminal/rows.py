"""A compositor that renders of the widgets in a change only what is seen and has changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from textual._compositor import Compositor, CompositorUpdate
from textual._context import visible_screen_stack
from textual.geometry import Offset, Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

Span = tuple[int, int]
"""The first column and the one after the last."""

Placed = tuple[int, int, Strip]
"""Row and column at which a strip is to be laid."""


class PartsUpdate(CompositorUpdate):
    """Strips and where they lie."""

    def __init__(self, size: tuple[int, int], parts: list[Placed]) -> None:
        """`size` is that of the whole screen, columns and rows."""
        self.size = size
        self.parts = parts


class RowCompositor(Compositor):
    """Textual's own has every widget in the frame around all changes render all its lines, covered or not."""

    def render_update(  # type: ignore[override]
        self, full: bool = False, screen_stack: list[Screen[Any]] | None = None, simplify: bool = False
    ) -> CompositorUpdate | None:
        """What has changed since the last time, or all; None when nothing has."""
        if simplify:
            update = super().render_update(full, screen_stack, simplify)
            return update if isinstance(update, CompositorUpdate) else None
        visible_screen_stack.set([] if screen_stack is None else screen_stack)
        dirty = [self.size.region] if full else list(self._dirty_regions)
        self._dirty_regions.clear()
        return PartsUpdate(self.size, list(self._parts(dirty))) if dirty else None

    def _parts(self, dirty: list[Region]) -> Iterator[Placed]:
        """The rows of widgets that changes lie in, where they are seen; widgets come from front to back."""
        changed: dict[int, list[Span]] = {}
        for row, start, end in self._regions_to_spans(dirty):
            changed.setdefault(row, []).append((start, end))
        free = {row: [(0, self.size.width)] for row in changed}
        for widget, (region, clip) in self.visible_widgets.items():
            seen = region.intersection(clip)
            pieces = {}
            for row in seen.line_range:
                if row in free and (found := _common(free[row], seen.x, seen.right)):
                    free[row] = _without(free[row], seen.x, seen.right)
                    if spans := [span for piece in found for span in _common(changed[row], *piece)]:
                        pieces[row] = spans
            yield from _place(widget, region.offset, pieces)


def _place(widget: Widget, offset: Offset, pieces: dict[int, list[Span]]) -> Iterator[Placed]:
    """The strips of pieces of a widget's rows; `offset` is where it lies."""
    for top, bottom, spans in _blocks(pieces):
        for start, end in spans:
            part = Region(start, top, end - start, bottom - top)
            for row, strip in enumerate(widget.render_lines(part.translate(-offset)), top):
                yield row, start, strip


def _blocks(pieces: dict[int, list[Span]]) -> list[tuple[int, int, list[Span]]]:
    """Rows one under the other with the same spans, taken together."""
    blocks: list[tuple[int, int, list[Span]]] = []
    for row, spans in pieces.items():
        if blocks and blocks[-1][1:] == (row, spans):
            blocks[-1] = blocks[-1][0], row + 1, spans
        else:
            blocks.append((row, row + 1, spans))
    return blocks


def _common(spans: list[Span], start: int, end: int) -> list[Span]:
    """The parts of spans that lie in another."""
    return [(max(first, start), min(last, end)) for first, last in spans if first < end and last > start]


def _without(spans: list[Span], start: int, end: int) -> list[Span]:
    """Spans less another."""
    parts = [part for first, last in spans for part in ((first, min(last, start)), (max(first, end), last))]
    return [(first, last) for first, last in parts if first < last]
