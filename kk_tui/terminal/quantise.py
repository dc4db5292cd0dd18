"""The colour of a small palette that comes nearest to one of 16 million."""

from __future__ import annotations

from typing import Final

_LEVELS: Final = (0, 95, 135, 175, 215, 255)
"""The steps of red, green and blue in the colours 16 to 231 of 256."""

_SIXTEEN: Final = (
    (0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205), (0, 205, 205),
    (229, 229, 229), (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0), (92, 92, 255),
    (255, 0, 255), (0, 255, 255), (255, 255, 255),
)  # fmt: skip
"""The sixteen colours as xterm has them; terminals differ, none by much."""


def nearest_256(red: int, green: int, blue: int) -> int:
    """The nearest of the colours 16 to 255; the sixteen below are everybody's own."""
    steps = [_step(part) for part in (red, green, blue)]
    cube = [_LEVELS[step] for step in steps]
    grey = nearest_grey(red, green, blue)
    wanted = (red, green, blue)
    if _distance(wanted, rgb_of_256(grey)) < _distance(wanted, (cube[0], cube[1], cube[2])):
        return grey
    return 16 + 36 * steps[0] + 6 * steps[1] + steps[2]


def nearest_grey(red: int, green: int, blue: int) -> int:
    """The grey among the colours 232 to 255 that is as light."""
    return 232 + min(max((red + green + blue) // 3 - 3, 0) // 10, 23)


def is_too_dark_for_hues(red: int, green: int, blue: int) -> bool:
    """Whether 256 colours have only greys and full colours that are so dark."""
    return max(red, green, blue) < _LEVELS[1]


def nearest_16(red: int, green: int, blue: int) -> int:
    """The nearest of the sixteen colours."""
    wanted = (red, green, blue)
    return min(range(16), key=lambda index: _distance(wanted, _SIXTEEN[index]))


def rgb_of_256(number: int) -> tuple[int, int, int]:
    """Red, green and blue of a colour of 256, as xterm has them."""
    if number < 16:
        return rgb_of_16(number)
    if number >= 232:
        level = 8 + 10 * (number - 232)
        return level, level, level
    red, rest = divmod(number - 16, 36)
    return _LEVELS[red], _LEVELS[rest // 6], _LEVELS[rest % 6]


def rgb_of_16(number: int) -> tuple[int, int, int]:
    """Red, green and blue of a colour of 16, as xterm has them."""
    return _SIXTEEN[number]


def luminance(red: int, green: int, blue: int) -> float:
    """How light a colour is, from 0 to 255."""
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _step(part: int) -> int:
    return min(range(6), key=lambda step: abs(_LEVELS[step] - part))


def _distance(one: tuple[int, int, int], other: tuple[int, int, int]) -> float:
    """Squared, with more weight on what the eye sees better ("redmean")."""
    mean = (one[0] + other[0]) / 2
    red, green, blue = (a - b for a, b in zip(one, other, strict=True))
    return (2 + mean / 256) * red * red + 4 * green * green + (2 + (255 - mean) / 256) * blue * blue
