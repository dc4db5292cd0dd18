"""Bases for widgets that need more of Textual than its public API gives."""

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
    """Return whether a widget is being removed, with its children."""
    return widget._pruning or widget._closing


class DirectRefresh(Widget):
    """A widget whose changes a screen may collect itself; Textual's would send two messages for each."""

    is_held = False
    """True while the screen will check for changes itself."""

    def check_idle(self) -> None:
        """Report a change to the screen, unless it will check itself."""
        if not self.is_held:
            super().check_idle()

    def _size_updated(
        self,
        size: Size,
        virtual_size: Size,
        container_size: Size,
        layout: bool = False,  # noqa: ARG002
    ) -> bool:
        """Take the size from a layout."""
        # there are no children that would need a second layout
        return super()._size_updated(size, virtual_size, container_size, layout=False)

    def take_change(self) -> tuple[bool, bool]:
        """Return whether to draw the widget, and whether to lay out the screen; the caller does so."""
        is_changed = self._repaint_required and self.display, self._layout_required
        with self.screen.prevent(Update, Layout):  # this resets the flags without sending the messages
            self._check_refresh()
        return is_changed


class WholeLines(StylesCache):
    """A cache for the lines of a widget that draws them from edge to edge.

    Textual's own puts padding, borders and outlines around each line, which takes twice as long as drawing
    the lines of a board; it is used only for widgets that have any.
    """

    def render_widget(self, widget: Widget, crop: Region) -> list[Strip]:
        """Return the lines of a part of the widget."""
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
        """Return a style by its name in markup."""
        return self._get_style(style)


class SizedInAdvance(Widget):
    """A mix-in for a widget that lays out its content before anything is drawn at another size."""

    def take_size(self, size: Size) -> bool:
        """Hook: the widget will have this size; return True if `size_taken` should be called."""
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
    """A list that knows on which lines its options are, wrapped or not."""

    @property
    def starts(self) -> Mapping[int, int]:
        """The first line of each option, by its number."""
        return self._index_to_line

    @property
    def heights(self) -> Mapping[int, int]:
        """The number of lines of each option, by its number."""
        return self._heights

    @property
    def line_count(self) -> int:
        """The number of lines."""
        return len(self._lines)

    def option_on(self, line: int) -> int:
        """Return the number of the option on a line."""
        return self._lines[line][0]
