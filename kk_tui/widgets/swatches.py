"""Samples of colours, each exactly as it would look: "which looks right?"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from kk_tui.terminal.codes import AS_IS
from kk_tui.terminal.colour import PATTERNS, Colour
from kk_tui.terminal.kinds import Depth
from kk_tui.theme.glyphs import SEATS, Glyphs
from kk_tui.theme.palette import Palette

WIDTH: Final = 36
_WIDE: Final = 2
"""Cells of a sample."""


@dataclass(frozen=True)
class Sample:
    """A setting and a value of it, what that is called, and how it looks; without a palette a heading."""

    setting: str
    value: str
    label: str
    palette: Palette | None = None
    depth: Depth = Depth.TRUE


class Swatches(Widget):
    """Choices under each other, a line with the name and a line of samples each; a click chooses."""

    class Chosen(Message):
        """A choice was clicked."""

        def __init__(self, sample: Sample) -> None:
            super().__init__()
            self.sample = sample

    def __init__(self, glyphs: Glyphs, grounds: Sequence[str], *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._glyphs = glyphs
        self._grounds = tuple(grounds)
        self._lines: list[tuple[Sample, Strip]] = []

    def show(self, samples: Sequence[Sample], chosen: frozenset[tuple[str, str]]) -> None:
        """Show samples, those marked that are chosen, by setting and value."""
        self._lines = []
        for sample in samples:
            is_chosen = (sample.setting, sample.value) in chosen
            self._lines.append((sample, self._head(sample, is_chosen)))
            if sample.palette is not None:
                self._lines.append((sample, self._samples(sample, sample.palette)))
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One line."""
        if y >= len(self._lines):
            return Strip.blank(self.size.width, self.rich_style)
        return self._lines[y][1].adjust_cell_length(self.size.width, self.rich_style)

    def on_click(self, event: events.Click) -> None:
        """Choose what is under the mouse."""
        if event.y < len(self._lines) and (sample := self._lines[event.y][0]).palette is not None:
            self.post_message(self.Chosen(sample))

    def _head(self, sample: Sample, is_chosen: bool) -> Strip:
        variables = self.app.theme_variables
        ink = "gold" if sample.palette is None else "ink" if is_chosen else "ink-dim"
        sign = "" if sample.palette is None else f"{self._glyphs['chosen' if is_chosen else 'unchosen']} "
        style = Style(color=variables[ink], bgcolor=variables["ground"], bold=is_chosen)
        return Strip([Segment(f"{sign}{sample.label}", style)])

    def _samples(self, sample: Sample, palette: Palette) -> Strip:
        colours = palette.colours
        page = colours["ground"]
        parts = [Segment(" ", _style(page, page, sample.depth))]
        for name in self._grounds:
            ground = colours[name]
            parts.append(
                Segment(self._blank(ground, sample.depth) * _WIDE, _style(ground, ground, sample.depth))
            )
        parts.append(Segment(" ", _style(page, page, sample.depth)))
        for seat in range(SEATS):
            style = _style(colours["seat-ink"], colours[f"seat-{seat}"], sample.depth)
            parts.append(Segment(self._glyphs.owner(seat), style))
        parts.append(Segment(" ", _style(page, page, sample.depth)))
        return Strip(parts)

    def _blank(self, ground: Colour, depth: Depth) -> str:
        patterns = {Depth.SIXTEEN: ground.pattern, Depth.MONO: ground.mono}
        sign = patterns.get(depth, " ")
        return PATTERNS.get(sign, sign) if self._glyphs.ascii_only else sign


def _style(ink: Colour, ground: Colour, depth: Depth) -> Style:
    """How it would look, whatever the terminal is sent otherwise."""
    if depth is Depth.MONO:
        return Style(reverse=True, meta={AS_IS: True})
    if depth is Depth.TRUE:
        return Style(color=ink.hex, bgcolor=ground.hex, meta={AS_IS: True})
    before, behind = (ink.ink, ground.sixteen) if depth is Depth.SIXTEEN else (ink.indexed, ground.indexed)
    return Style(color=Color.from_ansi(before), bgcolor=Color.from_ansi(behind), meta={AS_IS: True})
