"""How colours look to people: distance, contrast, and what those see who lack a kind of cone.

CIEDE2000 is written after Sharma, Wu and Dalal, "The CIEDE2000 Color-Difference Formula" (2005), contrast
after WCAG 2.2, dichromacy after Machado, Oliveira and Fernandes (2009) at severity 1.
"""

from __future__ import annotations

from math import atan2, cos, degrees, exp, hypot, radians, sin, sqrt
from typing import Final, NamedTuple

Rgb = tuple[int, int, int]
Lab = tuple[float, float, float]


class Grounds(NamedTuple):
    """Variables of a game: families of grounds that count now, and of those at rest or in the lower part of
    a card; families in which what rests must look different from what counts; inks with their grounds."""

    lit: list[list[str]]
    rest: list[list[str]]
    both: list[list[str]]
    texts: dict[str, list[str]]


def named(names: list[str], end: str) -> list[str]:
    """Variables of one kind."""
    return [f"{name}{end}" for name in names]


_WHITE: Final = (0.95047, 1.0, 1.08883)
_TO_XYZ: Final = (
    (0.4124564, 0.3575761, 0.1804375),
    (0.2126729, 0.7151522, 0.0721750),
    (0.0193339, 0.1191920, 0.9503041),
)
DICHROMACY: Final = {
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}


def _linear(part: float) -> float:
    part /= 255
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)


def _encoded(part: float) -> int:
    part = min(max(part, 0.0), 1.0)
    return round(255 * (12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055))


def seen_with(kind: str | None, rgb: Rgb) -> Rgb:
    """A colour as it is seen with a kind of dichromacy; None is the eye that most have."""
    if kind is None:
        return rgb
    parts = [_linear(part) for part in rgb]
    red, green, blue = (
        _encoded(sum(a * b for a, b in zip(row, parts, strict=True))) for row in DICHROMACY[kind]
    )
    return red, green, blue


def contrast(one: Rgb, other: Rgb) -> float:
    """The contrast of WCAG, from 1 to 21."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(rgb: Rgb) -> float:
    red, green, blue = map(_linear, rgb)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def lab_of(rgb: Rgb) -> Lab:
    """L*, a*, b* under D65."""
    parts = [_linear(part) for part in rgb]
    x, y, z = (
        _root(sum(a * b for a, b in zip(row, parts, strict=True)) / white)
        for row, white in zip(_TO_XYZ, _WHITE, strict=True)
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def _root(part: float) -> float:
    return float(part ** (1 / 3)) if part > 216 / 24389 else (24389 / 27 * part + 16) / 116


def difference(one: Rgb, other: Rgb) -> float:
    """CIEDE2000; below 1 nobody sees it, from 10 on one sees it at a glance."""
    return ciede2000(lab_of(one), lab_of(other))


def ciede2000(one: Lab, other: Lab) -> float:
    """The distance of two colours of CIELAB, all weights being 1."""
    mean = (hypot(one[1], one[2]) + hypot(other[1], other[2])) / 2
    stretch = 1.5 - sqrt(mean**7 / (mean**7 + 25**7)) / 2
    chroma1, hue1 = _polar(one[1] * stretch, one[2])
    chroma2, hue2 = _polar(other[1] * stretch, other[2])
    turn = _turn(hue1, hue2) if chroma1 * chroma2 else 0.0
    hue = _mean_hue(hue1, hue2) if chroma1 * chroma2 else hue1 + hue2
    lightness, chroma = (one[0] + other[0]) / 2, (chroma1 + chroma2) / 2
    weight = (
        1
        - 0.17 * cos(radians(hue - 30))
        + 0.24 * cos(radians(2 * hue))
        + 0.32 * cos(radians(3 * hue + 6))
        - 0.20 * cos(radians(4 * hue - 63))
    )
    by_lightness = (other[0] - one[0]) / (
        1 + 0.015 * (lightness - 50) ** 2 / sqrt(20 + (lightness - 50) ** 2)
    )
    by_chroma = (chroma2 - chroma1) / (1 + 0.045 * chroma)
    by_hue = 2 * sqrt(chroma1 * chroma2) * sin(radians(turn / 2)) / (1 + 0.015 * chroma * weight)
    twist = 2 * sqrt(chroma**7 / (chroma**7 + 25**7)) * sin(radians(60 * exp(-(((hue - 275) / 25) ** 2))))
    return sqrt(max(0.0, by_lightness**2 + by_chroma**2 + by_hue**2 - twist * by_chroma * by_hue))


def _polar(a: float, b: float) -> tuple[float, float]:
    return hypot(a, b), degrees(atan2(b, a)) % 360 if a or b else 0.0


def _turn(hue1: float, hue2: float) -> float:
    turn = hue2 - hue1
    return turn if abs(turn) <= 180 else turn - 360 if turn > 180 else turn + 360


def _mean_hue(hue1: float, hue2: float) -> float:
    total = hue1 + hue2
    if abs(hue1 - hue2) <= 180:
        return total / 2
    return (total + 360) / 2 if total < 360 else (total - 360) / 2
