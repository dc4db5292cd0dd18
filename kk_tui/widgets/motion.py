"""The motion of a step: a few pictures of the board one after the other, after which everything is at rest.

A motion is a pure value: at most `MOST` frames. A face makes them from two scenes, the one shown last and
the one shown now; the log of the second has what came between. A board draws a frame over the second scene
(`Board.play`), and `kk_tui.match.motion_player` plays them. No information is shown by motion only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from textual.content import Content
from textual.geometry import Offset, Region

from kk_core.types import Seat

MOST: Final = 3
"""Frames of a motion: the first is drawn together with the step, and after the last everything is at rest."""

_DOTS: Final = 6
_APART: Final = 3
"""Maximum dots of a trail, and minimum columns between two."""


@dataclass(frozen=True)
class Thing:
    """The place of a thing on the board, by its number there (see `Board.region_of`)."""

    number: int


@dataclass(frozen=True)
class Name:
    """The place of a seat's name, beside the board."""

    seat: Seat


@dataclass(frozen=True)
class Middle:
    """The middle of the board, for what has no place there."""


@dataclass(frozen=True)
class Away:
    """A place above the board, where nothing is visible any more, for what leaves the game."""


Spot: TypeAlias = Thing | Name | Middle | Away


@dataclass(frozen=True)
class Chip:
    """A few words that have gone a `share` (0 to 1) of the way from one place to another.

    Their trail is made of the signs of the `seat` they belong to.
    """

    words: Content
    start: Spot
    end: Spot
    share: float
    seat: Seat


@dataclass(frozen=True)
class Lit:
    """A seat whose name is lit up, and the words after it."""

    seat: Seat
    words: Content


@dataclass(frozen=True)
class MotionFrame:
    """A picture: a `mark` for the game's own board, things moving across it, names that are lit up."""

    mark: object = None
    chips: tuple[Chip, ...] = ()
    lit: tuple[Lit, ...] = ()


def way(start: Region, end: Region, width: int, share: float) -> tuple[Offset, Sequence[Offset]]:
    """Return where words of a width are on the way between two places, and the dots of their trail."""
    (x, y), (to_x, to_y) = start.center, end.center

    def point(part: float) -> Offset:
        return Offset(int(x + (to_x - x) * part), int(y + (to_y - y) * part))

    middle = point(share)
    words = Region(middle.x - width // 2, middle.y, width, 1)
    long = max(abs(to_x - x) / _APART, abs(to_y - y)) * share
    count = min(_DOTS, int(long))
    dots = {point(share * (number + 0.5) / count) for number in range(count)}
    return words.offset, sorted(dot for dot in dots if not words.grow((0, 1, 0, 1)).contains_point(dot))
