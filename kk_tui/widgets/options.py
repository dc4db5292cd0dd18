"""A list to choose from, whose highlighted line is legible in any ink, and whose lines are never cut."""

from __future__ import annotations

from typing import cast

from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from kk_tui.i18n import ngettext
from kk_tui.terminal.widgets import MeasuredList
from kk_tui.theme.glyphs import SEATS, Glyphs


class Options(MeasuredList):
    """A list that writes its highlighted line in a single ink, which is legible on that line's ground.

    In that line the colours of seats become the grounds of their signs. An option whose lines do not all fit
    is left out, and the last line says how many more there are below.
    """

    def on_resize(self) -> None:
        """Keep the highlighted option visible."""
        self.call_after_refresh(self.scroll_to_highlight)

    def scroll_to_highlight(self, top: bool = False) -> None:  # noqa: ARG002 - Textual's name
        """Show all of the highlighted option, with the start of an option in the first line."""
        here, height = self.highlighted, self.scrollable_content_region.height
        if here is None or not self.is_mounted or not height or here not in self.starts:
            return
        starts = self.starts
        start, end = starts[here], starts[here] + self.heights[here]
        first = self.scroll_offset.y
        if not first <= start < end <= first + self._room(first):
            # the last line is kept free for the number of options below
            fitting = (at for at in starts.values() if end - at <= height - 1)
            first = start if start < first else min(fitting, default=start)
        self.scroll_to(y=min(first, start, self.max_scroll_y), animate=False, force=True, immediate=True)

    def _room(self, first: int) -> int:
        """Return the number of lines for options from this first one on."""
        height = self.scrollable_content_region.height
        # the last line says how many more there are below
        return height - (first + height < self.line_count)

    def render_line(self, y: int) -> Strip:
        """Draw a line of the list."""
        first = self.scroll_offset.y
        end = first + self._room(first)
        if first + y >= self.line_count:
            return super().render_line(y)
        if first + y >= end:
            return self._more(sum(start + self.heights[i] > end for i, start in self.starts.items()))
        index = self.option_on(first + y)
        start = self.starts[index]
        # an option that does not fit is not shown at all, unless it is the highlighted one
        if index != self.highlighted and not first <= start <= end - self.heights[index]:
            return self._free_line()
        return self._inked(super().render_line(y))

    def _free_line(self) -> Strip:
        style = self.get_visual_style("option-list--option").rich_style
        return Strip.blank(self.scrollable_content_region.width, style)

    def _more(self, n: int) -> Strip:
        """Return how many options there are below, after the key that leads there."""
        style = self.get_visual_style("option-list--option").rich_style
        variables = self.app.theme_variables
        key = cast("Glyphs", getattr(self.app, "glyphs"))["down"]  # noqa: B009 - every app of ours has them
        said = [
            Segment(f" {key} ", style + Style(color=variables["gold"])),
            Segment(ngettext("{n} more", "{n} more", n), style + Style(color=variables["ink-dim"])),
        ]
        return Strip(said).adjust_cell_length(self.scrollable_content_region.width, style)

    def _inked(self, strip: Strip) -> Strip:
        lit = self.get_component_rich_style("option-list--option-highlighted")
        inks = self._seat_inks()

        def inked(style: Style) -> Style:
            return style + inks.get(style.color, Style(color=lit.color, dim=False))

        return Strip(
            [
                Segment(words, inked(style) if style and style.bgcolor == lit.bgcolor else style, control)
                for words, style, control in strip
            ],
            strip.cell_length,
        )

    def _seat_inks(self) -> dict[Color | None, Style]:
        """Return, by the colour of a seat on the page, the style of its sign on the highlighted line."""
        variables = self.app.theme_variables
        grounds = [Color.parse(variables[f"seat-{seat}"]) for seat in range(SEATS)]
        return {ground: Style(color=variables["seat-ink"], bgcolor=ground) for ground in grounds}


class OpenList(Options):
    """A list with something below it: past its end the cursor moves there."""

    def action_cursor_down(self) -> None:
        """Move to the next line, or to what is below the list."""
        if self.highlighted == self.option_count - 1:
            self.app.action_focus_next()
        else:
            super().action_cursor_down()

    def action_cursor_up(self) -> None:
        """Move to the previous line."""
        if self.highlighted:
            super().action_cursor_up()
