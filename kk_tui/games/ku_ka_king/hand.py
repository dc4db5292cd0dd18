"""The collections under the rows: everybody's cards, drawn as large as there is room for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from rich.cells import cell_len, set_cell_size

from kk_core.games.ku_ka_king.model import CARDS, LINES, Observation
from kk_core.types import Seat
from kk_tui.games.ku_ka_king.detail import Line, clip
from kk_tui.games.ku_ka_king.figures import SIZES, figure
from kk_tui.games.ku_ka_king.theme import SHORT_NAMES, group, group_variable, sign
from kk_tui.i18n import _, render
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs

Held: TypeAlias = Sequence[tuple[int, int]]
"""Types of cards and how many of each, in the order of scoring."""

IN_ORDER: Final = tuple(card for line in LINES for card in range(len(CARDS)) if group(card) == line)
"""All types in the order of scoring."""

_SMALL: Final = len(SIZES) - 1
_DRAWN: Final = SIZES[_SMALL][1] + 1
"""Lines of a drawn collection, with one left free."""

_TILE: Final = SIZES[_SMALL][0] + 3
_OWNER, _LONGEST = 11, 25
"""Columns of a name before a collection, and those of the longest."""


def collection_strip(scene: Scene[Observation], width: int, room: int, glyphs: Glyphs) -> list[Line]:
    """At most `room` lines: the own collection first, with figures where there is room for them."""
    seats = sorted(range(len(scene.names)), key=lambda seat: seat != scene.viewer)
    if room < len(seats):
        seats = seats[:room] if scene.viewer is None else seats[:1]
    wide = _widest(scene, seats)
    drawn = 0 if glyphs.ascii_only else min(len(seats), max(0, room - len(seats)) // (_DRAWN - 1))
    lines: list[Line] = []
    for place, seat in enumerate(seats):
        collection = scene.observation.collections[seat]
        held = [(card, collection[card]) for card in IN_ORDER if collection[card]]
        if place < drawn and 0 < len(held) <= (width - wide) // _TILE:
            lines += _figures(scene, seat, held, glyphs, wide)
        else:
            lines += _chips(scene, seat, held, width, glyphs, wide)
    return [clip(line, width, glyphs["ellipsis"]) for line in lines[:room]]


def _owner(scene: Scene[Observation], seat: Seat, glyphs: Glyphs, wide: int) -> Line:
    name = f" {scene.name(seat)}" if wide >= _OWNER else ""
    words = set_cell_size(f" {glyphs.owner(seat)}{name}", wide - 1) + " "
    return [(words, f"seat-{seat}", True)]


def _widest(scene: Scene[Observation], seats: Sequence[Seat]) -> int:
    """Columns before the collections, so that names are whole up to a length."""
    longest = max((cell_len(scene.name(seat)) for seat in seats), default=0)
    return min(_LONGEST, max(_OWNER, longest + 5))


def _figures(scene: Scene[Observation], seat: Seat, held: Held, glyphs: Glyphs, wide: int) -> Iterator[Line]:
    """A figure for each type, its number beside it; a line free under them."""
    count = _("{n} cards", n=sum(n for _card, n in held))
    for y in range(SIZES[_SMALL][1]):
        line = _owner(scene, seat, glyphs, wide) if y == 0 else [(f" {count}".ljust(wide), "ink-dim", False)]
        for card, n in held:
            number = f"{glyphs['times']}{n}" if y else ""
            ink = f"{group_variable(group(card))}-ink"
            line += [
                (figure(card, _SMALL)[y], ink, False),
                (number.ljust(_TILE - SIZES[_SMALL][0]), "ink", True),
            ]
        yield line
    yield []


def _chips(
    scene: Scene[Observation], seat: Seat, held: Held, width: int, glyphs: Glyphs, wide: int
) -> Iterator[Line]:
    """One line: sign and number for each type, with its name where there is room."""
    for columns, named in ((wide, True), (wide, False), (5, False)):
        line = _owner(scene, seat, glyphs, columns)
        if not held:
            line.append((_("no cards yet"), "ink-dim", False))
        for card, n in held:
            label = f"{glyphs[sign(card)]} {render(SHORT_NAMES[card])} " if named else glyphs[sign(card)]
            line += [
                (label, f"{group_variable(group(card))}-ink", True),
                (f"{n}  " if named else f"{n} ", "ink", True),
            ]
        if sum(cell_len(words) for words, *_rest in line) <= width:
            break
    yield line
