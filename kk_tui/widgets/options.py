"""A list to choose from, whose lit line can be read whatever is written in it."""

from __future__ import annotations

from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widgets import OptionList

from kk_tui.theme.glyphs import SEATS


class Options(OptionList):
    """Writes the lit line in one ink, since inks made for the page could not be read on its ground; there the
    colours of seats are the grounds of their signs."""

    def render_line(self, y: int) -> Strip:
        """A line of the list."""
        strip = super().render_line(y)
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
        """By the colour of a seat on the page how its sign is drawn on the lit line."""
        variables = self.app.theme_variables
        grounds = [Color.parse(variables[f"seat-{seat}"]) for seat in range(SEATS)]
        return {ground: Style(color=variables["seat-ink"], bgcolor=ground) for ground in grounds}


class OpenList(Options):
    """A list with something below: beyond its end the cursor leaves it."""

    def action_cursor_down(self) -> None:
        """The next line, or what is below."""
        if self.highlighted == self.option_count - 1:
            self.app.action_focus_next()
        else:
            super().action_cursor_down()

    def action_cursor_up(self) -> None:
        """The line before."""
        if self.highlighted:
            super().action_cursor_up()
