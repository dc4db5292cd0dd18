"""Colours, each with its own number for every depth, and the nearest ones for all others."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from kk_core.text import text

_LEVELS: Final = (0, 95, 135, 175, 215, 255)
"""The steps of red, green and blue in colours 16 to 231 of 256."""

_SIXTEEN: Final = (
    (0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205), (0, 205, 205),
    (229, 229, 229), (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0), (92, 92, 255),
    (255, 0, 255), (0, 255, 255), (255, 255, 255),
)  # fmt: skip
"""The sixteen colours of xterm; those of other terminals differ, but not by much."""


def nearest_256(red: int, green: int, blue: int) -> int:
    """Return the nearest of colours 16 to 255; the first sixteen depend on the user's theme."""
    steps = [_step(part) for part in (red, green, blue)]
    cube = [_LEVELS[step] for step in steps]
    grey = nearest_grey(red, green, blue)
    wanted = (red, green, blue)
    if _distance(wanted, rgb_of_256(grey)) < _distance(wanted, (cube[0], cube[1], cube[2])):
        return grey
    return 16 + 36 * steps[0] + 6 * steps[1] + steps[2]


def nearest_grey(red: int, green: int, blue: int) -> int:
    """Return the grey of the same lightness, from colours 232 to 255."""
    return 232 + min(max((red + green + blue) // 3 - 3, 0) // 10, 23)  # of 8, 18, ... 238


def is_too_dark_for_hues(red: int, green: int, blue: int) -> bool:
    """Return whether a colour is so dark that the 256 colours only have greys near it."""
    return max(red, green, blue) < _LEVELS[1]


def nearest_16(red: int, green: int, blue: int) -> int:
    """Return the nearest of the sixteen colours."""
    wanted = (red, green, blue)
    return min(range(16), key=lambda index: _distance(wanted, _SIXTEEN[index]))


def rgb_of_256(number: int) -> tuple[int, int, int]:
    """Return red, green and blue of one of the 256 colours, as in xterm."""
    if number < 16:
        return rgb_of_16(number)
    if number >= 232:
        level = 8 + 10 * (number - 232)
        return level, level, level
    red, rest = divmod(number - 16, 36)
    return _LEVELS[red], _LEVELS[rest // 6], _LEVELS[rest % 6]


def rgb_of_16(number: int) -> tuple[int, int, int]:
    """Return red, green and blue of one of the 16 colours, as in xterm."""
    return _SIXTEEN[number]


def luminance(red: int, green: int, blue: int) -> float:
    """Return the luminance of a colour, from 0 to 255."""
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _step(part: int) -> int:
    return min(range(6), key=lambda step: abs(_LEVELS[step] - part))


def _distance(one: tuple[int, int, int], other: tuple[int, int, int]) -> float:
    # Squared, and weighted by what the eye distinguishes better: the "redmean" approximation.
    mean = (one[0] + other[0]) / 2
    red, green, blue = (a - b for a, b in zip(one, other, strict=True))
    return (2 + mean / 256) * red * red + 4 * green * green + (2 + (255 - mean) / 256) * blue * blue


Rgb: TypeAlias = tuple[int, int, int]

PATTERNS: Final = {"░": ":", "╱": "/", "·": ".", "_": "_"}
"""Signs that cover blanks if there are too few colours, with their ASCII twins."""

SOLID: Final = "█"
"""Stands in place of a pattern for a ground that is filled on monochrome terminals."""

_FORM: Final = re.compile(
    r"#(?P<rgb>[0-9a-f]{6})"
    r"(?: (?P<indexed>\d{1,3})(?: (?P<sixteen>\d{1,2})(?:(?P<pattern>[░╱·_-])(?P<over>\d{1,2}))?"
    r"(?: (?P<mono>[░╱·_█-]))?)?)?"
)


class Colour(NamedTuple):
    """A colour in every depth, with the pattern that covers the blanks of such a ground.

    With 16 colours a ground is `sixteen`, covered with `pattern` in the colour `over`; as ink it is `over`.
    Without colours only the pattern `mono` remains; "█" is a ground filled with the colour of the text.
    """

    rgb: Rgb
    indexed: int
    sixteen: int
    pattern: str = " "
    over: int | None = None
    mono: str = " "

    @property
    def hex(self) -> str:
        """The colour as Textual reads it, e.g. "#1c1914"."""
        red, green, blue = self.rgb
        return f"#{red:02x}{green:02x}{blue:02x}"

    @property
    def ink(self) -> int:
        """The number among 16 for text in this colour."""
        return self.sixteen if self.over is None else self.over


@lru_cache(maxsize=4096)
def parse_colour(words: str) -> Colour:
    """Parse e.g. "#54282b 52 0░1 ╱": truecolor, of 256, of 16 with a pattern, pattern in monochrome.

    Numbers left out at the end are those of the nearest colours, without a pattern. The pattern "-" means
    none: "11-8" is yellow as a ground and grey as an ink. Raises `ValueError` with a `Text`.
    """
    found = _FORM.fullmatch(words)
    if found is None:
        raise ValueError(text("{words} is not a colour", words=repr(words)))
    red, green, blue = bytes.fromhex(found["rgb"])
    indexed = nearest_256(red, green, blue) if found["indexed"] is None else int(found["indexed"])
    sixteen = nearest_16(red, green, blue) if found["sixteen"] is None else int(found["sixteen"])
    over = None if found["over"] is None else int(found["over"])
    if indexed > 255 or sixteen > 15 or (over is not None and over > 15):
        raise ValueError(text("{words} has an invalid palette number", words=repr(words)))
    pattern = (found["pattern"] or " ").replace("-", " ")
    mono = (found["mono"] or pattern).replace("-", " ")
    return Colour((red, green, blue), indexed, sixteen, pattern, over, mono)


@dataclass(frozen=True, eq=False)
class Colours:
    """The colours of an app in every depth; colours outside its palettes are shown as the nearest ones.

    Apps with the same colours share one object, which is the key of their shared caches. `is_dark` is light
    text on a dark page. `ascii_only` gives patterns as their twins. `page` is the ground of everything: on a
    light one, colours mixed with it are shifted as far as the page itself was for 256 colours.
    """

    by_rgb: Mapping[Rgb, Colour] = field(default_factory=dict)
    is_dark: bool = True
    ascii_only: bool = False
    page: Colour | None = None

    def knows(self, rgb: Rgb) -> bool:
        """Return whether a palette has this colour."""
        return rgb in self.by_rgb

    def of_256(self, rgb: Rgb) -> int:
        """Return the number among 256."""
        found = self.by_rgb.get(rgb)
        if found is not None:
            return found.indexed
        lit = self._in_its_light(rgb)
        # Under a dialog everything dark turns grey, since only a few such colours would keep their hue.
        return nearest_grey(*lit) if is_too_dark_for_hues(*lit) else nearest_256(*lit)

    def _in_its_light(self, rgb: Rgb) -> Rgb:
        if self.page is None or self.is_dark:
            return rgb
        shown = rgb_of_256(self.page.indexed)
        red, green, blue = (
            min(255, part * there // max(1, here))
            for part, here, there in zip(rgb, self.page.rgb, shown, strict=True)
        )
        return red, green, blue

    def of_16(self, rgb: Rgb, *, ground: bool) -> int:
        """Return the number among 16."""
        found = self.by_rgb.get(rgb)
        if found is None:
            return nearest_16(*rgb)
        return found.sixteen if ground else found.ink

    def cover_of_16(self, rgb: Rgb) -> tuple[str, int] | None:
        """Return the sign that covers blanks of a ground with 16 colours, and the sign's number."""
        found = self.by_rgb.get(rgb)
        if found is None or found.over is None or found.pattern == " ":
            return None
        return self._sign(found.pattern), found.over

    def cover_of_mono(self, rgb: Rgb) -> str | None:
        """Return the sign that covers blanks of a ground in monochrome."""
        found = self.by_rgb.get(rgb)
        return None if found is None or found.mono in (" ", SOLID) else self._sign(found.mono)

    def is_solid(self, rgb: Rgb) -> bool:
        """Return whether a ground is filled in monochrome, whatever is written on it."""
        found = self.by_rgb.get(rgb)
        return found is not None and found.mono == SOLID

    def _sign(self, pattern: str) -> str:
        return PATTERNS[pattern] if self.ascii_only else pattern
