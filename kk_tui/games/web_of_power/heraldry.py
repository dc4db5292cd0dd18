"""Shields with the arms of the countries, and what adorns the sea: drawings of a few cells."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from kk_tui.games.web_of_power.land import Place
from kk_tui.games.web_of_power.scales import Scale

BLOCKS: Final = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"
"""A sign for every pattern of quarters: 1 2 over 4 8."""

_ASCII: Final = str.maketrans(
    {
        **dict(zip(BLOCKS, " '`\".|//,\\|\\_\\/#", strict=True)),
        "╱": "/", "╲": "\\", "│": "|", "─": "-", "┼": "+", "◇": "o", "‡": "+", "≈": "~", "·": ".",
    }
)  # fmt: skip


def in_ascii(signs: str) -> str:
    """Signs of a drawing as far as ASCII can draw them."""
    return signs.translate(_ASCII)


class Arms(NamedTuple):
    """A shield: the tinctures of the field, of what is on it, and of its foot; and the lines per scale.

    A small one is a banner. Of the lowest line of others only what is between the corners is given.
    """

    field: str
    charge: str
    foot: str
    small: str
    medium: tuple[str, str]
    large: tuple[str, str, str]


OR, ARGENT, GULES, AZURE, SABLE = (
    f"web_of_power-{tincture}" for tincture in ("or", "argent", "gules", "azure", "sable")
)

_LIONS: Final = ("▚▖", ("▟▄▄▞", "▄▞"), (" ▟▄▄▞ ", " ▟▄▄▞ ", "▟▄▄▞"))
_LILIES: Final = ("‡‡", ("‡ ‡ ", "‡ "), ("‡ ‡ ‡ ", " ‡ ‡ ‡", "‡ ‡ "))

ARMS: Final[tuple[Arms, ...]] = (
    Arms(GULES, OR, GULES, *_LIONS),
    Arms(GULES, ARGENT, ARGENT, "▗▖", ("▗▖▗▖", "██"), ("▗▖▗▖▗▖", "██████", "████")),
    Arms(AZURE, ARGENT, AZURE, "▚▚", ("▚▚▚▚", "▚▚"), ("▚▚▚▚▚▚", "▚▚▚▚▚▚", "▚▚▚▚")),
    Arms(ARGENT, GULES, ARGENT, "▐▌", ("▄▟▙▄", "▐▌"), ("  ▐▌  ", "▄▄▟▙▄▄", " ▐▌ ")),
    Arms(OR, GULES, OR, "▌▌", ("▌▌▌▌", "▌▌"), ("▌▌▌▌▌▌", "▌▌▌▌▌▌", "▌▌▌▌")),
    Arms(AZURE, OR, AZURE, *_LILIES),
    Arms(OR, GULES, OR, "▜▙", ("▜▙▖ ", "▝▜"), ("▜▙▖   ", " ▝▜▙▖ ", "  ▝▜")),
    Arms(OR, SABLE, OR, *_LIONS),
    Arms(AZURE, OR, AZURE, "╱╱", ("╱╱╱╱", "╱╱"), ("╱╱╱╱╱╱", "╱╱╱╱╱╱", "╱╱╱╱")),
)
"""The arms of every country, in the order of COUNTRIES."""

_LEFT, _RIGHT = "▜", "▛"
"""The corners at the foot of a shield."""


def shield(country: int, scale: Scale) -> Iterator[tuple[Place, str, str, str | None]]:
    """Every cell of a shield: where, the sign, its colour, and what is under it (None: the land)."""
    arms = ARMS[country]
    if scale is Scale.SMALL:
        yield from (((x, 0), sign, arms.charge, arms.field) for x, sign in enumerate(arms.small))
        return
    lines = arms.medium if scale is Scale.MEDIUM else arms.large
    last, width = len(lines) - 1, scale.shield[0]
    for y, line in enumerate(lines):
        for x, sign in enumerate(line, 1 if y == last else 0):
            yield (x, y), sign, arms.charge, arms.field
    yield (0, last), _LEFT, arms.foot, None
    yield (width - 1, last), _RIGHT, arms.foot, None


def plain_shield(code: str, scale: Scale) -> Iterator[tuple[Place, str]]:
    """A shield in ASCII, with the letters of its country."""
    width, height = scale.shield
    lines = [f"|{code:^{width - 2}}|" for _ in range(height - 1)]
    lines.append("\\" + "_" * (width - 2) + "/")
    if len(lines) > 2:
        lines[0] = "+" + "-" * (width - 2) + "+"
    yield from (((x, y), sign) for y, line in enumerate(lines) for x, sign in enumerate(line))


_COMPASS: Final = (
    ("  N  ", "W─┼─E", "  S  "),
    ("     N     ", "   ╲ │ ╱   ", "W ───◇─── E", "   ╱ │ ╲   ", "     S     "),
)
_SHIP: Final = (
    ("  ▟▌▟▌ ", "▜▄▄▄▄▄▛", " ·≈·≈· "),
    ("   ▗▖  ▗▖   ", "  ▟█▌ ▟█▌   ", "  ▀▀▌ ▀▀▌▗▖ ", " ▜▄▄▄▄▄▄▟█▘ ", "≈ ▀▀▀▀▀▀▀▘ ≈"),
)
_SERPENT: Final = (
    ("▗▄ ▗▄ ▗▟▘", "  ▀▘ ▀▘  "),
    ("  ▄▄   ▄▄   ▗▟█▖", " ▟▀▀▙ ▟▀▀▙ ▗█▘▝ ", "≈▘  ▝≈▘  ▝≈▀▘ ≈ "),
)
ORNAMENTS: Final = {"compass": _COMPASS, "ship": _SHIP, "serpent": _SERPENT}
"""What can adorn the sea, small and large; any other name is written there as words."""


def ornament(name: str, scale: Scale) -> tuple[str, ...]:
    """The lines of an ornament."""
    drawn = ORNAMENTS.get(name)
    if drawn is None:
        return (" ".join(name) if scale >= Scale.LARGE else name,)
    return drawn[scale >= Scale.LARGE]
