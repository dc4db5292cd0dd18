"""Scrollbars of whole cells, the same with and without UTF-8."""

from __future__ import annotations

from typing import Final

from rich.color import Color
from rich.segment import Segment, Segments
from rich.style import Style
from textual.scrollbar import ScrollBarRender

_NONE: Final = Color.default()


class WholeCells(ScrollBarRender):
    """Coloured blanks alone: of the parts of blocks that Textual puts at the ends, ASCII has none."""

    @classmethod
    def render_bar(
        cls,
        size: int = 25,
        virtual_size: float = 50,
        window_size: float = 20,
        position: float = 0,
        thickness: int = 1,
        vertical: bool = True,
        back_color: Color = _NONE,
        bar_color: Color = _NONE,
    ) -> Segments:
        """Of `size` cells at least one is the thumb, and one is not where anything is out of sight."""
        hidden = virtual_size - window_size if window_size else 0
        thumb = max(1, min(size - 1, round(size * window_size / virtual_size))) if hidden > 0 else 0
        before = round((size - thumb) * position / hidden) if hidden > 0 else 0
        blank = " " * (thickness if vertical else 1)
        cells = [
            Segment(
                blank,
                Style(color=colour, bgcolor=back_color, reverse=bool(colour), meta={"@mouse.down": does}),
            )
            for count, colour, does in (
                (before, None, "scroll_up"),
                (thumb, bar_color, "grab"),
                (size - before - thumb, None, "scroll_down"),
            )
            for _ in range(count)
        ]
        return Segments(cells, new_lines=True) if vertical else Segments([*cells, Segment.line()] * thickness)
