"""A list to choose from, whose lit line can be read whatever is written in it."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widgets import OptionList


class Options(OptionList):
    """Writes the lit line in one ink: inks made for the page could not be read on its ground."""

    def render_line(self, y: int) -> Strip:
        """A line of the list."""
        strip = super().render_line(y)
        lit = self.get_component_rich_style("option-list--option-highlighted")
        one_ink = Style(color=lit.color, dim=False)
        return Strip(
            [
                Segment(words, style + one_ink if style and style.bgcolor == lit.bgcolor else style, control)
                for words, style, control in strip
            ],
            strip.cell_length,
        )
