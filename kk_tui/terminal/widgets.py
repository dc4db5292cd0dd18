"""Bases for widgets that ask more of Textual than its public names give."""

from __future__ import annotations

from collections.abc import Mapping

from textual._styles_cache import StylesCache
from textual.geometry import Region, Size
from textual.messages import Layout, Update
from textual.strip import Strip
from textual.style import Style
from textual.widget import Widget
from textual.widgets import OptionList


def is_leaving(widget: Widget) -> bool:
    """Whether a widget is being taken away, and what is in it."""
    return widget._pruning or widget._closing


class DirectRefresh(Widget):
    """Textual tells a screen of a change by two messages; where the screen asks for it itself, by none."""

    is_held = False
    """Whether the screen looks by itself for what changes."""

    def check_idle(self) -> None:
        """Have it told that something has changed."""
        if not self.is_held:
            super().check_idle()

    def _size_updated(
        self,
        size: Size,
        virtual_size: Size,
        container_size: Size,
        layout: bool = False,  # noqa: ARG002
    ) -> bool:
        """Take the size that a layout gives; nothing lies in it that would ask for a second one."""
        return super()._size_updated(size, virtual_size, container_size, layout=False)

    def take_change(self) -> tuple[bool, bool]:
        """Whether it is to be drawn again, and whether all is to be laid out; both are left to the asker."""
        is_changed = self._repaint_required and self.display, self._layout_required
        with self.screen.prevent(Update, Layout):
            self._check_refresh()
        return is_changed


class WholeLines(StylesCache):
    """The lines of a widget that draws them from edge to edge, kept until they are to be drawn again.

    Textual's own puts padding, borders and outlines around each line, which takes twice as long as to draw
    the lines of a board; where a widget has a padding, that is still done.
    """

    def render_widget(self, widget: Widget, crop: Region) -> list[Strip]:
        """The lines in a part of the widget."""
        if widget.styles.gutter:
            return super().render_widget(widget, crop)
        width = widget.size.width
        if width != self._width:
            self.clear()
            self._width = width
        for y in crop.line_range:
            if y in self._dirty_lines or y not in self._cache:
                self._cache[y] = widget.render_line(y).adjust_cell_length(width)
        self._dirty_lines.difference_update(crop.line_range)
        strips = [self._cache[y] for y in crop.line_range]
        return (
            strips if crop.column_span == (0, width) else [strip.crop(*crop.column_span) for strip in strips]
        )


class LineWidget(DirectRefresh):
    """A widget that draws its lines from edge to edge (`render_line`)."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._styles_cache = WholeLines()

    def style_of(self, style: str | Style) -> Style:
        """A style by its name, as markup has it."""
        return self._get_style(style)


class SizedInAdvance(Widget):
    """A mix-in for a widget that lays out what it shows before anything is drawn at another size."""

    def take_size(self, size: Size) -> bool:
        """Hook: the size that the widget will have; tells whether to call `size_taken`."""
        raise NotImplementedError

    def size_taken(self) -> None:
        """Hook: the widget has its size."""

    def _size_updated(
        self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True
    ) -> bool:
        is_other = self.take_size(size)
        is_resized = super()._size_updated(size, virtual_size, container_size, layout)
        if is_other:
            self.size_taken()
        return is_resized


class MeasuredList(OptionList):
    """A list that tells on which lines its options stand, wrapped as they are."""

    @property
    def starts(self) -> Mapping[int, int]:
        """The first line of each option, by its number."""
        return self._index_to_line

    @property
    def heights(self) -> Mapping[int, int]:
        """How many lines each option takes, by its number."""
        return self._heights

    @property
    def line_count(self) -> int:
        """How many lines there are."""
        return len(self._lines)

    def option_on(self, line: int) -> int:
        """The number of the option on a line."""
        return self._lines[line][0]
