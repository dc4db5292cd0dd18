"""The score sheet beside a board: lines that gave somebody points, between the names and the totals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from rich.cells import cell_len
from textual.content import Content

from kk_core.text import Text
from kk_tui.games import Face, SheetEntry
from kk_tui.i18n import _, render
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs
from kk_tui.widgets.lines import code_lines
from kk_tui.widgets.race import FIGURE

_HUNDRED: Final = 100


@dataclass(frozen=True)
class ScoreSheet:
    """A table of a width: title and whose the columns are, lines under the headings of their parts, totals,
    and what codes stand for."""

    head: Sequence[Content] = ()
    lines: Sequence[Content] = ()
    foot: Sequence[Content] = ()
    codes: Sequence[Content] = ()

    def parted(self, room: int) -> tuple[Sequence[Content], Sequence[Content]]:
        """What may scroll in so many rows, and what stays under it: the totals, unless they come to lie there
        without that."""
        if len(self.lines) + len(self.foot) <= room:
            return (*self.lines, *self.foot, *self.codes), ()
        return (*self.lines, *self.codes), self.foot


class _Line(NamedTuple):
    """A line of the sheet as it is drawn, and the one that stands behind a plus in it."""

    entry: SheetEntry
    points: Sequence[int]
    more: Sequence[int] = ()

    def cells(self) -> Iterator[tuple[str, str]]:
        """Everybody's points."""
        for seat, points in enumerate(self.points):
            more = self.more[seat] if self.more else 0
            yield str(points or ""), f"+{more}" if more else ""


@dataclass(frozen=True)
class _Columns:
    """So many columns for labels, for each seat, and of these for what stands behind a plus."""

    label: int
    figure: int
    more: int = 0

    def row(self, label: str, cells: Iterable[tuple[str, str]], style: str) -> Content:
        """A label, and everybody's cell in his colour."""
        return Content.assemble(
            Content.styled(label, style).truncate(self.label, pad=True),
            *(
                (f"{first:>{self.figure - self.more}}{more:<{self.more}}", f"$seat-{seat}")
                for seat, (first, more) in enumerate(cells)
            ),
        )


def score_sheet(scene: Scene[Any], face: Face[Any], glyphs: Glyphs, width: int) -> ScoreSheet:
    """The sheet in so many columns.

    An entry that adds to the one before stands in its line, if there is room for that. Where names are too
    long, codes stand for them.
    """
    seats, sheet = len(scene.names), scene.observation.sheet
    folded = list(_folded(scene, face))
    labels, columns = None, _columns(folded, width, seats)
    if any(line.more for line in folded) and columns.label >= _longest(line.entry.code for line in folded):
        lines = folded
    else:
        shown = [line for line, points in enumerate(sheet) if any(points)]
        lines = [_Line(face.sheet_entry(scene, line), sheet[line]) for line in shown]
        names = [face.sheet_label(scene, line) for line in shown]
        columns = _columns(lines, width, seats, names)
        labels = names if columns.label >= _longest(names) else None
    is_short = columns.label < _longest(line.entry.name for line in lines)
    drawn, part = list[Content](), ""
    for number, line in enumerate(lines):
        if labels is None and part != (part := render(line.entry.part)):
            drawn.append(Content.styled(part, "$ink-dim"))
        label = labels[number] if labels else line.entry.code if is_short else line.entry.name
        drawn.append(columns.row(render(label), line.cells(), "$ink"))
    meanings = _meanings(line.entry for line in lines) if labels is None and is_short else {}
    codes = [*code_lines(meanings, meanings.values())] if meanings else []
    signs = [(glyphs.owner(seat), "") for seat in range(seats)]
    totals = [(str(points), "") for points in scene.observation.points]
    title, style = _("Score sheet"), "bold $gold"
    head = [columns.row(title, signs, style)]
    if columns.label < cell_len(title):
        head = [Content.styled(title, style), columns.row("", signs, style)]
    return ScoreSheet(head, drawn, list(_totals(columns, totals, width)), codes)


def _folded(scene: Scene[Any], face: Face[Any]) -> Iterator[_Line]:
    """The lines with points, those that add to the one before in its line."""
    sheet = scene.observation.sheet
    entries = [face.sheet_entry(scene, line) for line in range(len(sheet))]
    for line, entry in enumerate(entries):
        adds = line + 1 < len(sheet) and entries[line + 1].adds
        more = sheet[line + 1] if adds else ()
        if not entry.adds and (any(sheet[line]) or any(more)):
            yield _Line(entry, sheet[line], more)


def _columns(lines: Sequence[_Line], width: int, seats: int, names: Sequence[Text] = ()) -> _Columns:
    """Columns of the table; figures of two digits stand closer where that saves the names."""
    more = max((len(cell) for line in lines for _points, cell in line.cells()), default=0)
    most = max((points for line in lines for points in line.points), default=0)
    named = _longest(names or [line.entry.name for line in lines])
    figure = FIGURE + more - (most < _HUNDRED and width - (FIGURE + more) * seats < named)
    return _Columns(width - figure * seats, figure, more)


def _totals(columns: _Columns, totals: Sequence[tuple[str, str]], width: int) -> Iterator[Content]:
    """The last line; in two, where there are three figures and two were enough for all the rest."""
    if max((len(total) for total, _more in totals), default=0) < columns.figure - columns.more:
        yield columns.row(_("Total"), totals, "bold $gold")
    else:
        yield Content.styled(_("Total"), "bold $gold")
        yield _Columns(width - FIGURE * len(totals), FIGURE).row("", totals, "")


def _meanings(entries: Iterable[SheetEntry]) -> dict[str, str]:
    """What the codes of a score sheet stand for; but for those that only leave something out of the name."""
    names = {render(entry.code): render(entry.name) for entry in entries}
    return {code: name for code, name in names.items() if code not in name and " " not in code}


def _longest(labels: Iterable[Text]) -> int:
    return max((cell_len(render(label)) for label in labels), default=0)
