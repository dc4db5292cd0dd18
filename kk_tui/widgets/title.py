"""The name of the games in drawn letters."""

from __future__ import annotations

from typing import Final

from rich.segment import Segment
from textual.strip import Strip

from kk_tui.pixels import Pixels, beside, halves, scaled
from kk_tui.spelling import in_ascii
from kk_tui.widgets.canvas import Canvas

WORDS: Final = "KARDINAL & KÖNIG"

_LETTERS: Final[dict[str, Pixels]] = {
    "K": ("....", "#..#", "#.#.", "##..", "#.#.", "#..#"),
    "A": ("....", ".##.", "#..#", "####", "#..#", "#..#"),
    "R": ("....", "###.", "#..#", "###.", "#.#.", "#..#"),
    "D": ("....", "###.", "#..#", "#..#", "#..#", "###."),
    "I": (".", "#", "#", "#", "#", "#"),
    "N": (".....", "#...#", "##..#", "#.#.#", "#..##", "#...#"),
    "L": ("...", "#..", "#..", "#..", "#..", "###"),
    "G": ("....", ".###", "#...", "#.##", "#..#", ".###"),
    "Ö": ("#..#", "....", ".##.", "#..#", "#..#", ".##."),
    "&": ("....", ".#..", "#.#.", ".#..", "#.##", ".#.#"),
    " ": (".",) * 6,
}
"""4 x 5 pixels for most, under a row for the dots."""

_TWICE: Final = 150
"""Columns from which on the letters are drawn twice as large."""


class Title(Canvas[list[str]]):
    """One line of large letters in the middle, three rows high, or six where the screen is large."""

    DEFAULT_CSS = "Title { height: 3; width: 100%; }"

    def __init__(self) -> None:
        super().__init__(id="name")

    def make_painter(self) -> list[str]:
        """The lines; plain letters where the terminal has no others."""
        if self.glyphs.ascii_only:
            return ["", " ".join(in_ascii(WORDS.title()).upper()), ""]
        pixels = beside(_LETTERS[letter] for letter in WORDS)
        return halves(scaled(pixels, 2) if self.size.height >= len(pixels) else pixels)

    def render_line(self, y: int) -> Strip:
        """A line of the letters."""
        words = self.painter[y] if y < len(self.painter) else ""
        return Strip(
            [Segment(words.center(self.size.width)[: self.size.width], self.ink("gold", on="ground"))]
        )

    def fit(self, columns: int, rows: int) -> None:
        """Take the room that a screen of this size has for it."""
        self.styles.height = 6 if columns >= _TWICE and rows >= 40 and not self.glyphs.ascii_only else 3
