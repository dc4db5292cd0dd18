"""Both scorings at the end, line by line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from textual.content import Content
from textual.widgets import Static

from kk_core.games.ku_ka_king.model import LINES, Observation
from kk_tui.games.ku_ka_king.theme import LINE_NAMES, group_variable
from kk_tui.i18n import _, render
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs

_LABEL: Final = 10
_COLUMN: Final = 16
"""Columns of a label, and of each seat."""


def chart(scene: Scene[Observation], _glyphs: Glyphs) -> Static:
    """The chart never changes: one text."""
    shown = Static(Content("\n").join(chart_lines(scene)), markup=False)
    shown.styles.width = "auto"
    return shown


def chart_lines(scene: Scene[Observation]) -> Iterable[Content]:
    """Both scorings side by side, line by line, with sums."""
    view, count = scene.observation, len(LINES)
    first, final = view.sheet[:count], view.sheet[count:]
    names = [Content(name).truncate(_COLUMN - 3, ellipsis=True).plain for name in scene.names]
    yield _chart_row("", names, "$gold")
    yield _chart_row("", [_pair(_("first"), _("final"))] * len(names), "$ink-dim", figures="$ink-dim")
    for line, label, *rows in zip(LINES, LINE_NAMES, first, final, strict=True):
        pairs = [_pair(*points) for points in zip(*rows, strict=True)]
        yield _chart_row(render(label), pairs, f"${group_variable(line)}-ink")
    sums = ([sum(column) for column in zip(*rows, strict=True)] for rows in (first, final))
    yield Content("")
    yield _chart_row(_("together"), [_pair(*points) for points in zip(*sums, strict=True)], "$ink")
    yield _chart_row(_("Total"), [str(points) for points in view.points], "bold $gold")


def _pair(first: int | str, final: int | str) -> str:
    return f"{first:>6}{final:>7}"


def _chart_row(label: str, cells: Sequence[str], style: str, *, figures: str | None = None) -> Content:
    parts = [(f"{cell:>{_COLUMN}}", figures or f"$seat-{seat}") for seat, cell in enumerate(cells)]
    return Content.assemble((f"{label:<{_LABEL}}", style), *parts)
