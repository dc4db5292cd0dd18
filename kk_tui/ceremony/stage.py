"""What a ceremony lays over the table: large letters over the board, a scoring over or beside it."""

from __future__ import annotations

from functools import cached_property
from typing import Final

from rich.cells import cell_len
from rich.segment import Segment
from textual.geometry import Region
from textual.strip import Strip

from kk_tui.ceremony import Banner, Step
from kk_tui.ceremony.ledger import Ledger, Words
from kk_tui.pixels import halves, large
from kk_tui.widgets.canvas import Canvas

_GROUND: Final = "ground-deep"


class Stage(Canvas[None]):
    """Drawn over the table while a step has something to show there, otherwise not there at all."""

    DEFAULT_CSS = """
    Stage { layer: stage; display: none; }
    """

    def __init__(self) -> None:
        super().__init__(id="stage")
        self._lines: list[Words] = []
        self._shown: tuple[Step | None, Region, Region] = None, Region(), Region()

    @cached_property
    def _ledger(self) -> Ledger:
        return Ledger(self.glyphs)

    @property
    def hidden(self) -> int:
        """How many lines of the table of what is counted are only in a sum."""
        return self._ledger.hidden

    def play(self, step: Step | None, board: Region, side: Region) -> None:
        """Show what a step has for the stage; the regions are those of the board and of what is beside it."""
        if step is not self._shown[0]:
            self._ledger.back = 0
        self._shown = step, board, side
        self._lay_out(*self._shown)

    def scroll(self, lines: int) -> bool:
        """Go so many lines on in the table of what is counted, or back; False where there are no others."""
        if not self._ledger.scroll(lines):
            return False
        self._lay_out(*self._shown)
        return True

    def on_mouse_scroll_down(self) -> None:
        """Scroll the table of what is counted."""
        self.scroll(1)

    def on_mouse_scroll_up(self) -> None:
        """Scroll the table of what is counted."""
        self.scroll(-1)

    def _lay_out(self, step: Step | None, board: Region, side: Region) -> None:
        shown, self._ledger.glyphs, self._ledger.hidden = step and (step.banner or step.tally), self.glyphs, 0
        if not shown:
            self.display = False
            return
        if isinstance(shown, Banner):
            self._lines = banner_lines(shown, board.width - 4, ascii_only=self.glyphs.ascii_only)
            width = 4 + max(cell_len(words) for line in self._lines for words, *_rest in line)
            self._place(_middle(board, width, len(self._lines) + 2))
        elif shown.over_board:
            whole = board.union(side)
            self._lines = self._ledger.lines(shown, whole.width - 4, whole.height - 1)
            self._place(whole)
        else:
            self._lines = self._ledger.lines(shown, side.width - 3, side.height - 1)
            self._place(side)
        self._lines.insert(0, [])
        self.refresh()

    def _place(self, region: Region) -> None:
        self.styles.offset = region.offset
        self.styles.width, self.styles.height = region.width, region.height
        self.display = True

    def make_painter(self) -> None:
        """Nothing is kept for a size."""

    def render_line(self, y: int) -> Strip:
        """A line of what is shown, with a margin around it."""
        ground = self.ink("ink", on=_GROUND)
        parts = [Segment("  ", ground)]
        for words, colour, on, bold in self._lines[y] if y < len(self._lines) else ():
            parts.append(Segment(words, self.ink(colour, on=on or _GROUND, bold=bold)))
        return Strip(parts).adjust_cell_length(self.size.width, ground)


def banner_lines(banner: Banner, room: int, *, ascii_only: bool) -> list[Words]:
    """Large letters, as large as a width allows."""
    pixels = large(banner.letters, room)
    return [[(line, banner.colour, None, True)] for line in halves(pixels, ascii_only=ascii_only)]


def _middle(of: Region, width: int, height: int) -> Region:
    """A region of a size in the middle of another one."""
    width, height = min(width, of.width), min(height, of.height)
    return Region(of.x + (of.width - width) // 2, of.y + (of.height - height) // 2, width, height)
