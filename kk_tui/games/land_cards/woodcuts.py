"""A small picture for every country, as a woodcut: our own drawings, in two sizes.

A picture is lines of points, `#` where ink is. Four points make one cell of the terminal, two beside and two
above each other; a point is half as wide as high.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

from kk_tui.pixels import quadrants


@dataclass(frozen=True, slots=True)
class Woodcut:
    """A picture as lines of blocks, all of one length."""

    lines: tuple[str, ...]

    @property
    def width(self) -> int:
        """Columns."""
        return len(self.lines[0])

    @property
    def height(self) -> int:
        """Lines."""
        return len(self.lines)


@cache
def woodcut(country: int, width: int, height: int) -> Woodcut | None:
    """The largest picture of a country that fits into so many columns and lines; None when none does."""
    fitting = [
        picture for picture in _pictures(country) if picture.width <= width and picture.height <= height
    ]
    return max(fitting, key=lambda picture: picture.width, default=None)


def _pictures(country: int) -> list[Woodcut]:
    return [Woodcut(tuple(quadrants(points.split()))) for points in DRAWINGS[country]]


_LILY: Final = (
    """
    ......##......
    .....####.....
    .##..####..##.
    ####.####.####
    ##.##.##.##.##
    ...###..###...
    ..##########..
    .....####.....
    ...###..###...
    ......##......
    """,
    """
    ....##....
    .#.####.#.
    ##.####.##
    #.#.##.#.#
    ..##..##..
    .########.
    ...####...
    ..##..##..
    """,
)

_CROWN_OF_RUE: Final = (
    """
    ####.#########
    ..###.........
    #..###.#######
    ....###.......
    ###..###..####
    ......###.....
    #####..###..##
    ........###...
    ########.###..
    ..........####
    """,
    """
    ####.#####
    .###......
    #.###..###
    ...###....
    ##..###..#
    .....###..
    ####..###.
    ......####
    """,
)

_DOUBLE_CROSS: Final = (
    """
    ......##......
    ......##......
    ....######....
    ......##......
    ......##......
    ..##########..
    ......##......
    ......##......
    ..##..##..##..
    ##############
    """,
    """
    ....##....
    ..######..
    ....##....
    .########.
    ....##....
    ....##....
    .##.##.##.
    ##########
    """,
)

_CASTLE: Final = (
    """
    ....#.##.#....
    ....######....
    ....##..##....
    #.#.##..##.#.#
    ####.####.####
    ##############
    #.####..####.#
    #.###....###.#
    #####....#####
    #####....#####
    """,
    """
    ...#..#...
    ...####...
    #.#.##.#.#
    ##########
    #.######.#
    ####..####
    ####..####
    ####..####
    """,
)

_RAKE: Final = (
    """
    ##############
    ##############
    ##.###..###.##
    ##.###..###.##
    #...#....#...#
    #...#....#...#
    #............#
    #............#
    .##........##.
    ...########...
    """,
    """
    ##########
    ##########
    #.##..##.#
    #.##..##.#
    #..#..#..#
    #........#
    .##....##.
    ...####...
    """,
)

_LOZENGES: Final = (
    """
    .##...##...##.
    ####.####.####
    .##...##...##.
    ...##...##...#
    .####.####.###
    ...##...##...#
    .##...##...##.
    ####.####.####
    .##...##...##.
    ..............
    """,
    """
    .##...##..
    ####.####.
    .##...##..
    ...##...##
    #.####.###
    ...##...##
    .##...##..
    ####.####.
    """,
)

_LEANING_TOWER: Final = (
    """
    ........#####.
    .......##.#.##
    .......#######
    ......##.#.##.
    .....########.
    .....##.#.##..
    ....########..
    ....##.#.##...
    ...########...
    .############.
    """,
    """
    .....####.
    ....#.#.##
    ....######
    ...#.#.##.
    ...######.
    ..#.#.##..
    ..######..
    .########.
    """,
)

_STANDING_STONES: Final = (
    """
    ..............
    #######.......
    #######.######
    .##.##..######
    .##.##...#..##
    .##.##..##..##
    .##.##..##..##
    .##.##..##..##
    .##.##..##..##
    ##############
    """,
    """
    ######....
    ######....
    .#..#.####
    .#..#.####
    .#..#..#.#
    ##.##.##.#
    ##.##.##.#
    ##########
    """,
)

_BANNER: Final = (
    """
    ##############
    #####..#######
    #####..######.
    ##............
    #####..######.
    #####..#######
    ##############
    ##............
    ##............
    ##............
    """,
    """
    ##########
    ####..####
    ####..###.
    ##........
    ####..###.
    ####..####
    ##########
    ##........
    """,
)

DRAWINGS: Final = (
    _LILY,
    _CROWN_OF_RUE,
    _DOUBLE_CROSS,
    _CASTLE,
    _RAKE,
    _LOZENGES,
    _LEANING_TOWER,
    _STANDING_STONES,
    _BANNER,
)
"""The drawings of the countries in the order of the scoring chart, the larger one first."""
