"""The contests as things stand: for each one a bar of everybody's shapes, and everybody's points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from rich.cells import cell_len
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
    """A heading with the seats' letters, then every contest; where one line is too narrow, the points follow
    in another one, if there are any."""
    seats = len(scene.names)
    in_one = width >= _LABEL + _SHORTEST_BAR + FIGURE * seats
    labels = max((cell_len(render(race.label)) + 3 for race in races), default=0)
    label = _LABEL if in_one else min(_LABEL, labels)
    bar = width - label - (FIGURE * seats if in_one else 0)
    letters = ((f"{letter(seat):>{FIGURE}}", f"bold $seat-{seat}") for seat in range(seats))
    yield Content.assemble(" " * (width - FIGURE * seats), *letters)
    for race in races:
        figures = _figures(scene, race, preview)
        drawn = _bar(race, glyphs, bar if in_one else bar + 1)  # the last column of a line need not be free
        whole = Content.assemble(_label(race, glyphs, label), drawn)
        if in_one:
            yield Content.assemble(whole, figures)
        else:
            yield whole.rstrip()
            if figures.plain.strip():
                yield Content.assemble(" " * (width - FIGURE * seats), figures)


def _label(race: Race, glyphs: Glyphs, width: int) -> Content:
    words = render(race.label)
    if race.colour is None:
        return _fitted(Content.styled(words, "$ink"), glyphs, width)
    return _fitted(Content.styled(f" {words} ", f"$country-ink on ${race.colour}"), glyphs, width)


def _bar(race: Race, glyphs: Glyphs, width: int) -> Content:
    """Everybody's shapes, who has most first; numbers before them where there are too many, a 1 left out
    where it must be."""
    order = sorted(range(len(race.counts)), key=lambda seat: (-race.counts[seat], seat))
    there = [seat for seat in order if race.counts[seat]]
    parts = [(glyphs[f"owner-{seat}"] * race.counts[seat], f"$seat-{seat}") for seat in there]
    for gap in (" ", ""):
        if sum(len(words) for words, _ in parts) >= width:
            parts = [
                (_counted(race.counts[seat], glyphs[f"owner-{seat}"], gap), f"$seat-{seat}") for seat in there
            ]
    return _fitted(Content.assemble(*parts), glyphs, width)


def _counted(count: int, sign: str, gap: str) -> str:
    return f"{count if gap or count > 1 else ''}{sign}{gap}"


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
