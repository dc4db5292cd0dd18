"""The score sheet as lines: a line for each entry, a column for each player."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, zip_longest
from typing import Any, Final, NamedTuple

from rich.cells import cell_len
from textual.content import Content

from kk_core.text import Text, text, text_in
from kk_core.types import Sheet
from kk_core.types import totals as sums_of
from kk_tui.games import Face, SheetEntry
from kk_tui.i18n import _, render
from kk_tui.scene import Scene
from kk_tui.table.race import FIGURE
from kk_tui.theme.glyphs import Glyphs
from kk_tui.widgets import points as looks
from kk_tui.widgets.explanation import explained
from kk_tui.widgets.lines import code_lines

_HUNDRED: Final = 100
"""From this on, a figure has three digits."""

_WIDEST: Final = 12
"""Columns of a seat at most."""


@dataclass(frozen=True)
class ScoreSheet:
    """The score sheet as lines: title and signs of the seats, entries under headings, totals, a legend."""

    head: Sequence[Content] = ()
    lines: Sequence[Content] = ()
    foot: Sequence[Content] = ()
    codes: Sequence[Content] = ()
    is_cut: bool = False
    """True if codes or the word for what has been scored have no room."""
    headings: Sequence[int] = ()
    """The places of the headings among the lines."""

    @property
    def rows(self) -> int:
        """The rows of all of it."""
        return sum(map(len, (self.head, self.lines, self.foot, self.codes)))

    def parted(self, room: int) -> tuple[Sequence[Content], Sequence[Content]]:
        """Return the lines that may scroll in so many rows, and the totals if they have to stay below."""
        whole = (*self.lines, *self.foot, *self.codes)
        # where the codes alone do not fit, a row says so
        if len(whole) <= room or len(self.lines) + len(self.foot) < room:
            return whole, ()
        return (*self.lines, *self.codes), self.foot


class _Line(NamedTuple):
    """A line of the sheet, with the points of the next one if that is shown in it after a plus."""

    entry: SheetEntry
    points: Sequence[int]
    more: Sequence[int] = ()
    stands: bool = False
    """True for points as things stand."""

    @property
    def sums(self) -> list[int]:
        """Everybody's points, those after a plus among them."""
        return [sum(pair) for pair in zip_longest(self.points, self.more, fillvalue=0)]

    def cells(self) -> Iterator[tuple[str, str]]:
        """Yield everybody's points, and those after a plus."""
        for seat, points in enumerate(self.points):
            more = self.more[seat] if self.more else 0
            yield str(points or ""), f"+{more}" if more else ""


@dataclass(frozen=True)
class _Columns:
    """The columns for labels, and for each seat."""

    label: int
    figure: int

    def row(self, label: Content, cells: Iterable[tuple[str, str]], styles: Iterable[str]) -> Content:
        """Return a label, and everybody's cell in a style of its own."""
        return Content.assemble(
            label.truncate(self.label, pad=True),
            *(
                (f"{first + more:>{self.figure}}", style)
                for (first, more), style in zip(cells, styles, strict=False)
            ),
        )

    def line(self, label: Content, line: _Line) -> Content:
        """Return a line of the sheet: whoever got most of it is bold."""
        most = max(line.sums)
        styles = (
            looks.in_table(f"{'bold ' * (points == most)}$seat-{seat}", stands=line.stands)
            for seat, points in enumerate(line.sums)
        )
        return self.row(label, line.cells(), styles)

    def heading(self, part: str, lines: Sequence[_Line]) -> Content:
        """Return the name of a part, with everybody's points in its lines where both have room."""
        stands = all(line.stands for line in lines)
        style = looks.in_table("$ink-dim", stands=stands)
        if stands:
            has_room = cell_len(part) >= self.label or cell_len(looks.bracketed(part)) < self.label
            whole = self.label + self.figure * len(lines[0].points)
            part = looks.bracketed(part) if has_room and cell_len(part) + 2 <= whole else part
        if cell_len(part) >= self.label or len(lines) == 1:
            return Content.styled(part, style)
        sums = [(str(sum(column) or ""), "") for column in zip(*(line.sums for line in lines), strict=True)]
        return self.row(Content.styled(part, style), sums, [style] * len(sums))


def score_sheet(scene: Scene[Any], face: Face[Any], glyphs: Glyphs, width: int) -> ScoreSheet:
    """Return the sheet in so many columns.

    An entry that adds to the one before is shown in its line if there is room, and summed up with it if not
    even its code has any; if names are too long, codes stand for them.
    """
    seats = len(scene.names)
    lines = list(_folded(scene, face))
    columns = _columns(lines, width, seats)
    if not any(line.more for line in lines) or columns.label < _longest(line.entry.code for line in lines):
        lines = list(_unfolded(scene, face))
        columns = _columns(lines, width, seats)
        if columns.label < _longest(line.entry.code for line in lines):
            lines = [line._replace(points=line.sums, more=()) for line in _folded(scene, face)]
            columns = _columns(lines, width, seats)
    named = _longest(line.entry.name for line in lines) + _CHIP
    is_short = columns.label < named
    longest = _longest(line.entry.code for line in lines) if is_short else named
    chip = max(longest, columns.label - 1)
    drawn, headings = list[Content](), list[int]()
    for part, some in groupby(lines, lambda line: render(line.entry.part)):
        within = list(some)
        told = text("The lines below belong to: {part}", part=part)
        headings.append(len(drawn))
        drawn.append(explained(columns.heading(part, within), told))
        for line in within:
            label = _label(line.entry, chip, is_short=is_short)
            meaning = partial(_line_words, scene, line)
            drawn.append(explained(columns.line(label, line), meaning, "scoring"))
    meanings = _meanings(line.entry for line in lines) if is_short else {}
    codes = [*code_lines(meanings, meanings.values())] if meanings else []
    signs = [(glyphs.owner(seat), "") for seat in range(seats)]
    totals = [(str(points), "") for points in sums_of(_sheet(scene, face))]
    title, inks = (
        Content.styled(_("Score sheet"), "bold $gold"),
        [f"bold $seat-{seat}" for seat in range(seats)],
    )
    head = [columns.row(title, signs, inks)]
    if columns.label < title.cell_length:
        head = [title, columns.row(Content(), signs, inks)]
    about = text("All points, line by line; those in slanted letters can still be lost.")
    sums = text("All points so far; whoever has the most at the end wins.")
    stands = _is_open(scene, face, len(scene.observation.sheet) - 1)
    whole = [looks.heading_of_total()] if stands else []
    whole += [
        Content.styled(words, "bold $gold") for words in (render(text_in("short", "Total")), glyphs["sum"])
    ]
    word = next((form for form in whole if form.cell_length <= columns.label), whole[-1])
    sum_inks = [looks.in_table(ink, stands=stands) for ink in inks]
    return ScoreSheet(
        [explained(line, about, "scoring") for line in head],
        drawn,
        [explained(line, sums, "the-end") for line in _totals(word, columns, totals, sum_inks, width)],
        codes,
        columns.label < max(_longest(line.entry.code for line in lines), word.cell_length),
        headings,
    )


def sheet_over_board(scene: Scene[Any], face: Face[Any], glyphs: Glyphs, width: int, rows: int) -> ScoreSheet:
    """Return the sheet in so many columns; in two halves side by side if only these fit into the rows."""
    whole, wide = score_sheet(scene, face, glyphs, width), (width - len(_BETWEEN)) // 2
    half = score_sheet(scene, face, glyphs, wide)
    if whole.rows <= rows or half.is_cut:
        return whole

    def abreast(left: Sequence[Content], right: Sequence[Content]) -> Sequence[Content]:
        pairs = zip_longest(left, right, fillvalue=Content())
        return [Content.assemble(a.truncate(wide, pad=True), _BETWEEN, b) for a, b in pairs]

    def parted(at: int) -> ScoreSheet:
        return ScoreSheet(
            abreast(half.head, half.head),
            abreast(half.lines[:at], half.lines[at:]),
            abreast((), half.foot),
            [*half.codes[:1], *abreast(half.codes[1::2], half.codes[2::2])],  # after a free line
        )

    middle = -(-len(half.lines) // 2)
    # parts stay whole where that has room
    later = [at for at in half.headings if at]
    if later and (between := parted(min(later, key=lambda at: abs(at - middle)))).rows <= rows:
        return between
    return parted(middle - (middle - 1 in half.headings))  # no heading is parted from its lines


_BETWEEN: Final = "  "
"""Between the halves of a sheet."""


def _line_words(scene: Scene[Any], line: _Line) -> Text:
    """Return whom a line of the sheet gave what."""
    each = ", ".join(f"{scene.name(seat)} {points:+}" for seat, points in enumerate(line.sums) if points)
    return text("{part}, {line}: {points}.", part=line.entry.part, line=line.entry.name, points=each)


def _sheet(scene: Scene[Any], face: Face[Any]) -> Sheet:
    """Return the points of all lines; those as things stand with what only the viewer knows of, as beside
    the names.
    """
    public: Sheet = scene.observation.sheet
    open_lines = [_is_open(scene, face, line) for line in range(len(public))]
    return tuple(
        now if is_open else scored
        for scored, now, is_open in zip(public, scene.standing, open_lines, strict=True)
    )


def _folded(scene: Scene[Any], face: Face[Any]) -> Iterator[_Line]:
    """Yield the lines with points; those that add to the one before are joined to it."""
    sheet = _sheet(scene, face)
    entries = [face.sheet_entry(scene, line) for line in range(len(sheet))]
    for line, entry in enumerate(entries):
        adds = line + 1 < len(sheet) and entries[line + 1].adds
        more = sheet[line + 1] if adds else ()
        if not entry.adds and (any(sheet[line]) or any(more)):
            yield _Line(entry, sheet[line], more, stands=_is_open(scene, face, line))


def _unfolded(scene: Scene[Any], face: Face[Any]) -> Iterator[_Line]:
    """Yield the lines with points, each by itself."""
    for line, points in enumerate(_sheet(scene, face)):
        if any(points):
            yield _Line(face.sheet_entry(scene, line), points, stands=_is_open(scene, face, line))


def _is_open(scene: Scene[Any], face: Face[Any], line: int) -> bool:
    """Return whether the points of a line are as things stand."""
    return face.scored_lines is not None and not scene.is_over and line >= face.scored_lines(scene)


_CHIP: Final = 1
"""Columns before a name on the colour of its line; behind it, figures of two digits begin with a blank."""


def _label(entry: SheetEntry, chip: int, *, is_short: bool) -> Content:
    """Return a line's name or code, on so many columns of its colour where it has one."""
    words = render(entry.code if is_short else entry.name)
    if entry.colour is None:
        return Content.styled(words if is_short else f" {words}", "$ink")
    ground = f"$country-ink on ${entry.colour}"
    shown = words if is_short else f" {words}"
    return Content.styled(shown.ljust(chip), ground)


def _columns(lines: Sequence[_Line], width: int, seats: int) -> _Columns:
    """Choose the columns."""
    more = max((len(cell) for line in lines for _points, cell in line.cells()), default=0)
    most = max((points for line in lines for points in line.points), default=0)
    named = _longest(line.entry.name for line in lines) + _CHIP
    # figures of two digits stand closer if that makes room for the names, and wider apart if these leave much
    figure = FIGURE + more - (most < _HUNDRED and width - (FIGURE + more) * seats < named)
    figure = max(figure, min(_WIDEST, (width - 2 * named) // seats))
    return _Columns(width - figure * seats, figure)


def _totals(
    word: Content, columns: _Columns, totals: Sequence[tuple[str, str]], inks: Sequence[str], width: int
) -> Iterator[Content]:
    """Yield the totals after a word, in two lines if only they have three digits."""
    if max((len(total) for total, _more in totals), default=0) < columns.figure:
        yield columns.row(word, totals, inks)
    else:
        yield word
        wide = replace(columns, label=width - FIGURE * len(totals), figure=FIGURE)
        yield wide.row(Content(), totals, inks)


def _meanings(entries: Iterable[SheetEntry]) -> dict[str, str]:
    """Return the names by their codes, except for codes that are just a part of the name."""
    names = {render(entry.code): render(entry.name) for entry in entries}
    return {code: name for code, name in names.items() if code not in name and " " not in code}


def _longest(labels: Iterable[Text]) -> int:
    return max((cell_len(render(label)) for label in labels), default=0)
