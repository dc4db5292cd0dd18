"""Where everybody's points come from: the best lines of the score sheet, seat beside seat."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, Final

from textual.content import Content
from textual.widget import Widget

from kk_tui.course import best_lines
from kk_tui.games import Face
from kk_tui.i18n import _, render
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs
from kk_tui.widgets.podium import Standing, standings

_COLUMN: Final = 38
"""Columns that the lines of a seat need."""

_LINES: Final = 6
_LABEL: Final = 22
_BAR: Final = 8


class Sources(Widget):
    """The winner first; as many seats side by side as there is room for."""

    DEFAULT_CSS = "Sources { height: auto; width: 100%; }"

    def __init__(self, scene: Scene[Any], face: Face[Any], glyphs: Glyphs) -> None:
        super().__init__()
        self._scene = scene
        self._face = face
        self._glyphs = glyphs

    def render(self) -> Content:
        """All of it at the present width."""
        view = self._scene.observation
        blocks = [list(self._block(one)) for one in standings(self._scene.names, view.points, view.outcome)]
        abreast = max(1, self.size.width // _COLUMN)
        lines = [Content.styled(_("Where the points come from"), "bold $gold")]
        for first in range(0, len(blocks), abreast):
            lines.append(Content())
            for parts in zip_longest(*blocks[first : first + abreast], fillvalue=Content()):
                lines.append(Content("").join(part.pad_right(_COLUMN - part.cell_length) for part in parts))
        return Content("\n").join(lines)

    def _block(self, one: Standing) -> Iterator[Content]:
        """A seat's best lines."""
        sheet, colour = self._scene.observation.sheet, f"$seat-{one.seat}"
        most = max(1, *(points for line in sheet for points in line))
        name = f"{self._glyphs.owner(one.seat)} {one.name}"
        yield Content.styled(name, f"bold {colour}").truncate(_COLUMN - 1)
        for line, points in best_lines(sheet, one.seat)[:_LINES]:
            label = Content(render(self._face.sheet_label(self._scene, line))).truncate(_LABEL - 1)
            bar = self._glyphs["full"] * max(1, points * _BAR // most)
            yield Content.assemble(
                (f"{points:>4} ", "bold $ink"), label.stylize("$ink-dim"),
                " " * (_LABEL - label.cell_length), (bar, colour),
            )  # fmt: skip
