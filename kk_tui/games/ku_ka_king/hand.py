"""The collections under the rows: everybody's cards, drawn as large as there is room for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final, TypeAlias

from rich.cells import cell_len, set_cell_size
from textual.content import Content

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

_FIGURE: Final = SIZES[_SMALL][0]
_OWNER: Final = 11
"""Columns that a name before a collection may always have; and where all have so many times as many."""

_NUMBER: Final = 3
"""Columns of a number with its sign."""

_GAP: Final = "  "
"""Between one chip and the next."""

_FORMS: Final = ((True, _GAP, "1"), (False, " ", "1"), (False, " ", ""), (False, "", ""))
"""How several collections stand in a line, the best first: whether cards have names, what is between them,
and how a single one is told."""

_TIMES: Final = 6
_EMPTY: Final = 16
"""Columns that are free for the word that there are no cards yet."""

_AROUND_NAME: Final = 5


def collection_strip(
    scene: Scene[Observation],
    width: int,
    room: int,
    glyphs: Glyphs,
    collections: Sequence[bytes] | None = None,
) -> list[Line]:
    """At most `room` lines: the own collection first, with figures where there is room for them.

    Where not everybody has a line, one's own is shown alone; who has none sees all of them, packed.
    `collections` are shown in place of the scene's.
    """
    collections = collections or scene.observation.collections
    seats = sorted(range(len(scene.names)), key=lambda seat: seat != scene.viewer)
    if room < len(seats) and scene.viewer is None:
        packed = _together(scene, collections, width, room, glyphs)
        return [clip(line, width, glyphs["ellipsis"]) for line in packed[:room]]
    if room < len(seats):
        seats = seats[:1]
    longest = _AROUND_NAME + max(cell_len(scene.names[seat]) for seat in seats)
    wide = max(_OWNER, min(longest, width // _TIMES))
    if all(longest + _columns(_held(collections[seat]), glyphs) <= width for seat in seats):
        wide = max(_OWNER, longest)
    drawn = 0 if glyphs.ascii_only else min(len(seats), max(0, room - len(seats)) // (_DRAWN - 1))
    lines: list[Line] = []
    for place, seat in enumerate(seats):
        held = _held(collections[seat])
        most = room - len(lines) - (len(seats) - place - 1)
        tiles = _tiles(held, width - wide) if place < drawn else ()
        if tiles:
            lines += _figures(scene, seat, held, wide, tiles, glyphs)
        else:
            lines += _chips(scene, seat, held, wide, width, most, glyphs)
    return [clip(line, width, glyphs["ellipsis"]) for line in lines[:room]]


def _held(collection: bytes) -> Held:
    return [(card, collection[card]) for card in IN_ORDER if collection[card]]


def _columns(held: Held, glyphs: Glyphs) -> int:
    """How many the chips of a collection take with their names."""
    return sum(cell_len(_chip(card, glyphs)) + cell_len(str(n)) + len(_GAP) for card, n in held) or _EMPTY


def _chip(card: int, glyphs: Glyphs) -> str:
    return f"{glyphs[sign(card)]} {render(SHORT_NAMES[card])} "


def _owner(scene: Scene[Observation], seat: Seat, glyphs: Glyphs, wide: int) -> Line:
    room = wide - _AROUND_NAME
    name = Content(scene.name(seat)).truncate(room, ellipsis=not glyphs.ascii_only).plain if room else ""
    return [(set_cell_size(f" {glyphs.owner(seat)} {name}", wide), f"seat-{seat}", True)]


def _figures(
    scene: Scene[Observation], seat: Seat, held: Held, wide: int, tiles: Sequence[int], glyphs: Glyphs
) -> Iterator[Line]:
    """A figure for each type, beside it its name and its number; a line free under all."""
    count = _("{n} cards", n=sum(n for _card, n in held))
    for y in range(SIZES[_SMALL][1]):
        line = _owner(scene, seat, glyphs, wide) if y == 0 else [(f" {count}".ljust(wide), "ink-dim", False)]
        for (card, n), tile in zip(held, tiles, strict=True):
            words = f"{glyphs['times']}{n}" if y else render(SHORT_NAMES[card])
            ink = f"{group_variable(group(card))}-ink"
            line += [
                (figure(card, _SMALL)[y], ink, False),
                (set_cell_size(f" {words}", tile - _FIGURE), "ink" if y else ink, True),
            ]
        yield line
    yield []


def _tiles(held: Held, width: int) -> Sequence[int]:
    """Columns of each figure with what stands beside it, where all fit into a width with whole names."""
    names = [max(cell_len(render(SHORT_NAMES[card])), _NUMBER) for card, _n in held]
    forms = [[_FIGURE + 1 + name + gap for name in names] for gap in (len(_GAP), 1)]
    return next((tiles for tiles in forms if sum(tiles) <= width), ())


def _together(
    scene: Scene[Observation], collections: Sequence[bytes], width: int, room: int, glyphs: Glyphs
) -> list[Line]:
    """Everybody's collection in so few lines that some share one: those that leave the cards of most lines
    their names."""
    seats = range(len(collections))

    def shared(some: Sequence[Seat]) -> tuple[int, Line]:
        lines = [_in_a_line(scene, some, collections, form, glyphs) for form in _FORMS]
        fits = (n for n, line in enumerate(lines) if sum(cell_len(words) for words, *_ in line) <= width)
        number = next(fits, len(_FORMS) - 1)
        return number, lines[number]

    def divided(cuts: Sequence[int]) -> list[tuple[int, Line]]:
        ends = zip((0, *cuts), (*cuts, len(seats)), strict=True)
        return [shared(seats[first:end]) for first, end in ends]

    ways = map(divided, combinations(range(1, len(seats)), max(1, room) - 1))
    best = min(ways, key=lambda lines: sum(number for number, _line in lines))
    return [line for _number, line in best]


def _in_a_line(
    scene: Scene[Observation],
    seats: Sequence[Seat],
    collections: Sequence[bytes],
    form: tuple[bool, str, str],
    glyphs: Glyphs,
) -> Line:
    """Some collections, one after the other, in one of `_FORMS`."""
    is_named, gap, one = form
    line: Line = []
    for seat in seats:
        line += _owner(scene, seat, glyphs, _AROUND_NAME)
        for card, n in _held(collections[seat]):
            label = _chip(card, glyphs) if is_named else glyphs[sign(card)]
            line += [*_parts(card, label, str(n) if n > 1 else one), (gap, "ink", False)]
    return line[:-1] if line[-1][0] == gap else line


def _chips(
    scene: Scene[Observation], seat: Seat, held: Held, owner: int, width: int, most: int, glyphs: Glyphs
) -> Iterator[Line]:
    """Sign, name and number for each type in at most so many lines; without names in one where that is too
    little."""
    named = _wrapped(held, width - owner, glyphs)
    if not held:
        yield [*_owner(scene, seat, glyphs, owner), (_("no cards yet"), "ink-dim", False)]
    elif len(named) <= most:
        heads = [_owner(scene, seat, glyphs, owner), *[[(" " * owner, "ink", False)]] * (len(named) - 1)]
        yield from ([*head, *line] for head, line in zip(heads, named, strict=True))
    else:
        signs = [part for card, n in held for part in _parts(card, glyphs[sign(card)], f"{n} ")]
        columns = sum(cell_len(words) for words, *_rest in signs)
        yield [*_owner(scene, seat, glyphs, owner if owner + columns <= width else _AROUND_NAME), *signs]


def _wrapped(held: Held, width: int, glyphs: Glyphs) -> list[Line]:
    """Chips in as few lines as they fit into in their order."""
    lines: list[Line] = []
    used = width
    for card, n in held:
        chip = _parts(card, _chip(card, glyphs), str(n))
        columns = len(_GAP) + sum(cell_len(words) for words, *_rest in chip)
        if used + columns <= width:
            lines[-1] += [(_GAP, "ink", False), *chip]
            used += columns
        else:
            lines.append(chip)
            used = columns - len(_GAP)
    return lines


def _parts(card: int, label: str, number: str) -> Line:
    return [(label, f"{group_variable(group(card))}-ink", True), (number, "ink", True)]
