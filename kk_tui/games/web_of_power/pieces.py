"""What stands on the map, as cells: houses, shields with their advisors, and the marks around them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from kk_core.types import Seat, Viewer
from kk_tui.games.web_of_power.cells import Cell
from kk_tui.games.web_of_power.choices import CREST, Target
from kk_tui.games.web_of_power.heraldry import in_ascii, plain_shield, shield
from kk_tui.games.web_of_power.scales import Box, Scale
from kk_tui.games.web_of_power.theme import COUNTRY_CODES, label_variable
from kk_tui.i18n import render
from kk_tui.theme.glyphs import Glyphs

Place: TypeAlias = tuple[int, int]

_OPEN: Final = ("cursor-ink", "possible", True)
_ROOFS: Final = ("", "▟▙", "▗▟▙▖", "▗▟▙▖")
_WALLS: Final = ("", "▛▜", "▐▛▜▌", "▐▛▜▌")
"""The walls of a house of nobody; small houses are a sign."""


@dataclass(frozen=True)
class Look:
    """All that the look of a space or crest depends on.

    `owner` is whose house it is; a crest has `advisors`, a seat for each, and `room` for more of them.
    `viewer` is who looks; where `is_laid`, a piece of theirs is laid out that is not placed yet.
    """

    target: Target
    owner: Seat | None
    advisors: tuple[Seat, ...]
    room: int
    is_open: bool
    has_cursor: bool
    is_hovered: bool
    is_laid: bool
    is_recent: bool
    is_shown: bool
    viewer: Viewer

    @property
    def offered(self) -> Seat | None:
        """Whose piece would stand there."""
        return self.viewer if self.is_open and (self.is_hovered or self.is_laid) else None


def house(look: Look, scale: Scale, box: Box, glyphs: Glyphs) -> Iterator[tuple[Place, Cell]]:
    """The cells of a house, counted from its left upper one; a cell without a sign lets a road be seen."""
    if look.owner is not None:
        yield from _owned(look.owner, scale, box, glyphs, f"seat-{look.owner}")
    elif look.offered is not None:
        yield from _owned(look.offered, scale, box, glyphs, "possible")
    elif look.is_open:
        plus = glyphs["web_of_power-lit"]
        yield from _roof(scale, "possible", glyphs)
        walls = (plus, glyphs["web_of_power-free"]) if scale is Scale.SMALL else (plus, plus)
        yield from _walled(walls, scale, box, glyphs, "possible", "cursor-ink")
    else:
        yield from _free(look, scale, glyphs)


def _owned(seat: Seat, scale: Scale, box: Box, glyphs: Glyphs, colour: str) -> Iterator[tuple[Place, Cell]]:
    yield from _roof(scale, colour, glyphs)
    signs = glyphs.owner(seat)
    yield from _walled((signs[0], signs[1]), scale, box, glyphs, colour, "seat-ink")


def _roof(scale: Scale, colour: str, glyphs: Glyphs) -> Iterator[tuple[Place, Cell]]:
    for x, sign in enumerate(_signs(_ROOFS[scale], glyphs)):
        yield (x, 0), Cell(sign, colour, None, True)


def _walled(
    signs: tuple[str, str], scale: Scale, box: Box, glyphs: Glyphs, colour: str, ink: str
) -> Iterator[tuple[Place, Cell]]:
    """Two signs on the colour of a house, between its walls where it has some."""
    left, y = (box.width - 2) // 2, box.height - 1
    if scale >= Scale.LARGE:
        yield (0, y), Cell(_signs("▐", glyphs), colour, None, True)
        yield (box.width - 1, y), Cell(_signs("▌", glyphs), colour, None, True)
    for by, sign in enumerate(signs):
        yield (left + by, y), Cell(sign, ink, colour, True)


def _free(look: Look, scale: Scale, glyphs: Glyphs) -> Iterator[tuple[Place, Cell]]:
    on, ink = ("cursor", "cursor-ink") if look.has_cursor else (None, "ink")
    if scale is Scale.SMALL:
        yield (0, 0), Cell(" " if look.has_cursor else "", ink, on)
        yield (1, 0), Cell(glyphs["web_of_power-free"], ink, on, True)
        return
    roof, walls = (_signs(lines[scale], glyphs) for lines in (_ROOFS, _WALLS))
    for x, sign in enumerate(roof):
        yield (x, 0), Cell(sign, ink if on else "web_of_power-road", on)
    for x, sign in enumerate(walls):
        yield (x, 1), Cell(sign, ink, on)


def crest(look: Look, scale: Scale, box: Box, glyphs: Glyphs) -> Iterator[tuple[Place, Cell]]:
    """The shield, a letter for every advisor, and a dot for every place that is free now."""
    country = look.target - CREST
    label = label_variable(country)
    on, ink = ("cursor", "cursor-ink") if look.has_cursor else (None, label)
    if look.has_cursor:  # else a road is seen where no advisors stand yet
        yield from (((x, y), Cell(" ", ink, on)) for y in range(box.height) for x in range(box.width))
    if glyphs.ascii_only:
        for place, sign in plain_shield(render(COUNTRY_CODES[country]), scale):
            yield place, Cell(sign, ink, on, True)
    else:
        for place, sign, colour, under in shield(country, scale):
            yield place, Cell(sign, colour, under or on, True)
    width, height = scale.shield
    columns = (box.width - width) // scale.advisor
    for number in range(min(len(look.advisors) + look.room, columns * height)):
        y, x = divmod(number, columns)
        for by, cell in enumerate(_advisor(look, number, scale, glyphs, on, ink)):
            yield (width + x * scale.advisor + by, y), cell


def _advisor(
    look: Look, number: int, scale: Scale, glyphs: Glyphs, on: str | None, ink: str
) -> Iterator[Cell]:
    """One advisor or one free place."""
    if number < len(look.advisors):
        seat = look.advisors[number]
        signs, colours = glyphs.owner(seat), ("seat-ink", f"seat-{seat}", True)
    elif look.offered is not None and number == len(look.advisors):
        signs, colours = glyphs.owner(look.offered), ("seat-ink", "possible", True)
    elif look.is_open:
        signs, colours = glyphs["web_of_power-lit"] * 2, _OPEN
    else:
        dot = glyphs["web_of_power-seat"]
        for sign in (dot, " ")[: scale.advisor]:
            yield Cell(sign, ink, on, True)
        return
    for sign in signs[: scale.advisor]:
        yield Cell(sign, *colours)


def around(look: Look, scale: Scale, box: Box, glyphs: Glyphs) -> Iterator[tuple[Place, Cell]]:
    """The signs beside what the cursor stands on, the mouse is over, the score speaks of; a halo for news."""
    sides = (
        ("[]", "cursor-ink", "cursor") if look.has_cursor
        else ("()", "cursor-ink", "possible") if look.is_shown
        else ("[]", "possible", None) if look.is_hovered
        else None
    )  # fmt: skip
    if look.is_recent:
        yield from _halo(scale, box, glyphs)
    if sides is not None:
        signs, colour, on = sides
        for y in range(box.y, box.y + box.height):
            yield (box.x - 1, y), Cell(signs[0], colour, on, True)
            yield (box.x + box.width, y), Cell(signs[1], colour, on, True)


def _halo(scale: Scale, box: Box, glyphs: Glyphs) -> Iterator[tuple[Place, Cell]]:
    """Around what has just come."""
    if scale is Scale.SMALL:
        for x in (box.x - 1, box.x + box.width):
            yield (x, box.y), Cell(glyphs["happened"], "happened", None, True)
        return
    ring = (f"▗{'▄' * box.width}▖", *("▐▌" for _ in range(box.height)), f"▝{'▀' * box.width}▘")
    for y, line in enumerate(ring, box.y - 1):
        columns = range(box.x - 1, box.x + box.width + 1) if len(line) > 2 else (box.x - 1, box.x + box.width)
        for x, sign in zip(columns, _signs(line, glyphs), strict=True):
            yield (x, y), Cell(sign, "happened", None, True)


def _signs(drawn: str, glyphs: Glyphs) -> str:
    return in_ascii(drawn) if glyphs.ascii_only else drawn
