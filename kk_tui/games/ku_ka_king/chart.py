"""Both scorings at the end, line by line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from rich.cells import cell_len, set_cell_size
from textual.content import Content
from textual.widgets import Static

from kk_core.games.ku_ka_king.model import CHURCH, FARMHOUSE, KING, KNIGHT, LINES, POINTS2, Observation
from kk_core.types import Seat
from kk_tui.games.ku_ka_king.theme import LINE_NAMES, group_variable, sign
from kk_tui.i18n import _, render
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs

_LABEL: Final = 11
_COLUMN: Final = 16
"""Columns of a label with its sign, and of each seat."""

_FREE: Final = 3
"""Columns that stay free before a seat's name, which begins over its first scoring."""

_SIGNS: Final = (KING, CHURCH, POINTS2, KNIGHT, 0, FARMHOUSE)
"""A card of each line, whose sign stands before its name."""


def chart(scene: Scene[Observation], glyphs: Glyphs) -> Static:
    """The chart never changes: one text."""
    shown = Static(Content("\n").join(chart_lines(scene, glyphs)), markup=False)
    shown.styles.width = "auto"
    return shown


def chart_lines(scene: Scene[Observation], glyphs: Glyphs) -> Iterable[Content]:
    """Both scorings side by side, line by line, with sums."""
    view, count = scene.observation, len(LINES)
    first, final = view.sheet[:count], view.sheet[count:]
    yield _chart_row("", [_head(scene, seat, glyphs) for seat in range(len(scene.names))], "$gold")
    yield _chart_row("", [_pair(_("first"), _("final"))] * len(scene.names), "$ink-dim", figures="$ink-dim")
    for line, card, label, *rows in zip(LINES, _SIGNS, LINE_NAMES, first, final, strict=True):
        pairs = [_pair(*points) for points in zip(*rows, strict=True)]
        yield _chart_row(f"{glyphs[sign(card)]} {render(label)}", pairs, f"${group_variable(line)}-ink")
    sums = ([sum(column) for column in zip(*rows, strict=True)] for rows in (first, final))
    yield Content("")
    yield _chart_row(_("together"), [_pair(*points) for points in zip(*sums, strict=True)], "$ink")
    yield _chart_row(_("Total"), [str(points) for points in view.points], "bold $gold")


def _head(scene: Scene[Observation], seat: Seat, glyphs: Glyphs) -> str:
    """Sign and name over both columns of a seat."""
    owner = glyphs.owner(seat)
    room = _COLUMN - _FREE - cell_len(owner) - 1
    name = Content(scene.names[seat]).truncate(room, ellipsis=not glyphs.ascii_only).plain
    return set_cell_size(f"{' ' * _FREE}{owner} {name}", _COLUMN)


def _pair(first: int | str, final: int | str) -> str:
    return f"{first:>{_COLUMN // 2}}{final:>{_COLUMN // 2}}"


def _chart_row(label: str, cells: Sequence[str], style: str, *, figures: str | None = None) -> Content:
    parts = [(f"{cell:>{_COLUMN}}", figures or f"$seat-{seat}") for seat, cell in enumerate(cells)]
    return Content.assemble((f"{label:<{_LABEL}}", style), *parts)
