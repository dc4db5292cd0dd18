"""How large things are drawn, by the room that the map gets."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple


class Scale(IntEnum):
    """How large houses, shields and numbers are; the largest has more room between them."""

    SMALL, MEDIUM, LARGE, HUGE = range(4)

    @property
    def house(self) -> tuple[int, int]:
        """Columns and lines of a house."""
        return ((2, 1), (2, 2), (4, 2), (4, 2))[self]

    @property
    def shield(self) -> tuple[int, int]:
        """Columns and lines of a shield."""
        return ((2, 1), (4, 2), (6, 3), (6, 3))[self]

    @property
    def advisor(self) -> int:
        """Columns of an advisor: a letter, with the shape where there is room."""
        return 2 if self is Scale.HUGE else 1

    def crest(self, advisors: int) -> tuple[int, int]:
        """Columns and lines of a shield with so many advisors beside it."""
        width, height = self.shield
        return width + self.advisor * -(-advisors // height), height

    def number(self, number: int) -> int:
        """Columns of the number of an alliance."""
        return len(str(number)) + (0 if self is Scale.SMALL else 2)


def scale_for(width: int, height: int) -> Scale:
    """The scale of a map of so many columns and lines."""
    if width < 80 or height < 33:
        return Scale.SMALL
    if width < 108 or height < 42:
        return Scale.MEDIUM
    return Scale.LARGE if width < 132 or height < 51 else Scale.HUGE


class Box(NamedTuple):
    """Some cells: the left upper one, columns and lines."""

    x: int
    y: int
    width: int
    height: int

    def cells(self) -> list[tuple[int, int]]:
        """All its cells, line by line."""
        return [(self.x + right, self.y + down) for down in range(self.height) for right in range(self.width)]

    def grown(self, columns: int, lines: int = 0) -> Box:
        """With so many columns and lines more on every side."""
        return Box(self.x - columns, self.y - lines, self.width + 2 * columns, self.height + 2 * lines)

    @property
    def middle(self) -> tuple[float, float]:
        """Its middle."""
        return self.x + (self.width - 1) / 2, self.y + (self.height - 1) / 2


@dataclass(frozen=True)
class Label:
    """Words on the map, from a cell on to the right."""

    x: int
    y: int
    words: str

    @property
    def box(self) -> Box:
        """The cells of the words."""
        return Box(self.x, self.y, len(self.words), 1)
