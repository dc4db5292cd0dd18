"""The contests as things stand: for each one a bar of everybody's shapes, and everybody's points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from textual.content import Content

from kk_core.types import Sheet
from kk_tui.games import Race
from kk_tui.i18n import render
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs, letter

FIGURE: Final = 4
"""Columns of one seat's points."""

_LABEL: Final = 13
"""Columns of a label that shares its line with the bar."""

_SHORTEST_BAR: Final = 6

_BAR_STEP: Final = 8
"""The bars' room grows by so many columns, so that the points beside them stay where they are for a while."""


def changes(scene: Scene[Any], preview: Sheet | None) -> tuple[int, ...]:
    """What each seat's total would gain or lose; nothing without a preview."""
    if preview is None:
        return (0,) * len(scene.names)
    return _gains(scene.standing, preview, range(len(preview)))


def _gains(sheet: Sheet, preview: Sheet, lines: Sequence[int]) -> tuple[int, ...]:
    rows = [[new - old for new, old in zip(preview[at], sheet[at], strict=True)] for at in lines]
    return tuple(sum(column) for column in zip(*rows, strict=True))


def race_lines(
    scene: Scene[Any], races: Sequence[Race], glyphs: Glyphs, width: int, preview: Sheet | None = None
) -> Iterator[Content]:
    """A heading with the seats' letters, then every contest; in two lines each where one is too narrow."""
    seats = len(scene.names)
    in_one = width >= _LABEL + _SHORTEST_BAR + FIGURE * seats
    bar = width - FIGURE * seats - (_LABEL if in_one else 0)
    if in_one:
        bar = min(bar, _BAR_STEP * (2 + max(sum(race.counts) for race in races) // _BAR_STEP))
    letters = ((f"{letter(seat):>{FIGURE}}", f"bold $seat-{seat}") for seat in range(seats))
    yield Content.assemble(" " * (bar + _LABEL if in_one else bar), *letters)
    for race in races:
        figures = _figures(scene, race, preview)
        if in_one:
            yield Content.assemble(_label(race, glyphs, _LABEL), _bar(race, glyphs, bar), figures)
        else:
            yield _label(race, glyphs, width)
            yield Content.assemble(_bar(race, glyphs, bar), figures)


def _label(race: Race, glyphs: Glyphs, width: int) -> Content:
    words = render(race.label)
    if race.colour is None:
        return _fitted(Content.styled(words, "$ink"), glyphs, width)
    return _fitted(Content.styled(f" {words} ", f"$country-ink on ${race.colour}"), glyphs, width)


def _bar(race: Race, glyphs: Glyphs, width: int) -> Content:
    """Everybody's shapes, who has most first; numbers before them where there are too many."""
    order = sorted(range(len(race.counts)), key=lambda seat: (-race.counts[seat], seat))
    there = [seat for seat in order if race.counts[seat]]
    parts = [(glyphs[f"owner-{seat}"] * race.counts[seat], f"$seat-{seat}") for seat in there]
    if sum(race.counts) >= width:
        parts = [(f"{race.counts[seat]}{glyphs[f'owner-{seat}']} ", f"$seat-{seat}") for seat in there]
    return _fitted(Content.assemble(*parts), glyphs, width)


def _fitted(line: Content, glyphs: Glyphs, width: int) -> Content:
    """A line cut or filled to a width, the last column left free."""
    cut = line.truncate(width - 1, ellipsis=not glyphs.ascii_only)
    return Content.assemble(cut, " " * (width - cut.cell_length))


def _figures(scene: Scene[Any], race: Race, preview: Sheet | None) -> Content:
    """The points; those that the move under the cursor would change stand out as they would be then."""
    gains = (0,) * len(race.points)
    if preview is not None and race.line:
        gains = _gains(scene.standing, preview, race.line)
    return Content.assemble(
        *(
            (f"{points + gain or '':>{FIGURE}}", "bold $possible" if gain else f"$seat-{seat}")
            for seat, (points, gain) in enumerate(zip(race.points, gains, strict=True))
        )
    )
