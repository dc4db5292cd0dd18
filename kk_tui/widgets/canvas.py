"""The base of widgets that draw their own lines: styles from theme variables, a painter for the size."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final, Generic, TypeVar

from rich.segment import Segment
from rich.style import Style
from textual.content import Content
from textual.events import Event, Resize
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip

from kk_tui.terminal.widgets import LineWidget
from kk_tui.theme.glyphs import Glyphs
from kk_tui.widgets.explanation import without_explanations

RIGHT: Final = 3
"""The number of the right mouse button, which asks what something means."""

P = TypeVar("P")


class Canvas(LineWidget, Generic[P]):
    """A widget with a painter, which draws its lines at the current size and in the current theme.

    Any error in drawing, or in handling an event, is posted as `Failed`: data from elsewhere may contain
    something this program cannot draw, which must end neither the app nor the connection.
    """

    class Failed(Message):
        """The widget cannot be drawn."""

        def __init__(self, error: Exception) -> None:
            super().__init__()
            self.error = error

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._painter: P | None = None
        self._painter_for = Size(0, 0), True
        self._styles: dict[tuple[str | None, str | None, bool], Style] = {}

    def make_painter(self) -> P:
        """Hook: return a painter for the current size."""
        raise NotImplementedError

    @property
    def painter(self) -> P:
        """The painter for the current size."""
        # Textual may ask for lines before the event of a new size arrives; `size` is slower to look up
        now = self.outer_size, self.has_colours
        if self._painter is None or self._painter_for != now:
            self._painter, self._painter_for = self.make_painter(), now
        return self._painter

    def forget(self) -> None:
        """Forget what was drawn, because size, theme or match has changed."""
        self._painter = None

    def on_resize(self, _event: Resize) -> None:
        """Redraw in the new size."""
        self.forget()

    def notify_style_update(self) -> None:
        """Redraw in the new theme."""
        self._styles.clear()
        self.forget()
        super().notify_style_update()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return the lines of a part of the widget; blank ones if they cannot be drawn."""
        try:
            return self.render_part(crop) if crop.width < self.size.width else super().render_lines(crop)
        except Exception as error:
            self.post_message(self.Failed(error))
            return [Strip.blank(crop.width)] * crop.height

    def render_part(self, crop: Region) -> list[Strip]:
        """Hook: return the lines of a part narrower than the widget; by default cut from whole ones."""
        return super().render_lines(crop)

    async def on_event(self, event: Event) -> None:
        """Handle an event; a failure is posted as `Failed`."""
        try:
            await super().on_event(event)
        except Exception as error:
            self.post_message(self.Failed(error))

    @property
    def glyphs(self) -> Glyphs:
        """The signs that this terminal can draw."""
        app: Any = self.app
        found: Glyphs = app.glyphs
        return found

    @property
    def has_colours(self) -> bool:
        """True if the terminal has colours; without any, what is darker than its ground is shown reversed."""
        return getattr(self.app, "has_colours", True)

    def ink(self, colour: str | None, on: str | None = None, *, bold: bool = False) -> Style:
        """Return a style from theme variables, e.g. `ink("seat-0", on="ground-deep")`; cached."""
        key = (colour, on, bold)
        found = self._styles.get(key)
        if found is None:
            variables = self.app.theme_variables
            found = Style(
                color=variables[colour] if colour else None, bgcolor=variables[on] if on else None, bold=bold
            )
            self._styles[key] = found
        return found

    def pieces(self, row: Content) -> list[Segment]:
        """Return the pieces of a row in their styles, e.g. "bold $gold on $ground-deep"; default "$ink".

        Styles have to be names; what the row explains is not drawn.
        """
        row, words = without_explanations(row), row.plain
        styles = {span.start: span for span in row.spans if isinstance(span.style, str)}
        ends = sorted({0, len(words), *(end for span in styles.values() for end in (span.start, span.end))})
        found = list[Segment]()
        for start, end in pairwise(ends):
            # where styles overlap, the last one wins
            over = [span.style for span in styles.values() if span.start <= start < span.end]
            found.append(Segment(words[start:end], self._named(str(over[-1]) if over else "$ink")))
        return found

    def _named(self, style: str) -> Style:
        names = style.split()
        colours = [name.removeprefix("$") for name in names if name.startswith("$")]
        on = colours.pop() if "on" in names else "ground"
        drawn = self.ink(colours[0] if colours else "ink", on=on, bold="bold" in names)
        return drawn + Style(italic=True) if "italic" in names else drawn


def thumb_of(height: int, lines: int, first: int) -> range:
    """Return the rows of a scrollbar's thumb if `height` out of `lines` lines are visible."""
    long = max(1, min(height - 1, round(height * height / lines)))
    start = round((height - long) * first / (lines - height))
    return range(start, start + long)
