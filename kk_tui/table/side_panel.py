"""The panel beside the board: news, score sheet and log as lines, and the widget that arranges them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import accumulate, chain, groupby, pairwise, zip_longest
from operator import attrgetter
from time import monotonic
from typing import Any, Final, NamedTuple

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.style import Style

from kk_core.text import Text, text, texts
from kk_core.types import Seat, Sheet, Viewer, totals
from kk_core.views import LessonView, LogEntry
from kk_tui.games import Befell, Face, Race, RevealSummary, SheetEntry
from kk_tui.i18n import _, ngettext, render
from kk_tui.keymap import KEYS
from kk_tui.scene import Scene, changes
from kk_tui.table.race import FIGURE, race_lines
from kk_tui.table_words import beside_name, bot_label, needed_beside_name
from kk_tui.theme.glyphs import Glyphs, letter
from kk_tui.widgets import points as looks
from kk_tui.widgets.board import PRESS
from kk_tui.widgets.canvas import RIGHT
from kk_tui.widgets.explanation import explained
from kk_tui.widgets.lines import Lines, code_lines
from kk_tui.widgets.motion import Lit

_GLUE = "\ue000"
"""Stands for a blank while lines are broken: a private character, which no text has."""

_INDENT = 3
"""Columns of the sign of a player, by which further lines are indented."""


class ScoreBaseline:
    """The points from which the gains in the news are counted."""

    def __init__(self) -> None:
        self._earlier: Scene[Any] | None = None
        self._own: tuple[object, tuple[int, ...]] = (None, ())
        self._revealed: dict[int, tuple[int, ...]] = {}

    def follow(self, scene: Scene[Any]) -> None:
        """Take a new scene in."""
        earlier, self._earlier = self._earlier, scene
        recent, key = scene.match.recent(), (scene.match.commitment, scene.viewer)
        is_own = not recent or (recent[-1][1].seat == scene.viewer and not scene.stood_in)
        if is_own or self._own[0] != key:
            self._own = key, scene.observation.points
        if earlier is None or earlier.match.commitment != scene.match.commitment:
            self._revealed = {}
            return
        new = [ply for ply, entry in recent if ply >= earlier.match.ply and entry.events]
        if new:
            self._revealed[new[0]] = earlier.observation.points

    def before(self, scene: Scene[Any], face: Face[Any]) -> tuple[int, ...] | None:
        """Return the points at the end of the viewer's turn, or before a reveal; None if they are unknown."""
        news = face.news(scene)
        if news is None:
            return self._own[1] or None
        return None if news.since is None else self._revealed.get(news.since)


def news_lines(
    scene: Scene[Any], face: Face[Any], glyphs: Glyphs, width: int, before: Sequence[int] | None
) -> Iterator[Content]:
    """Yield the news of each player in the order of their turns, wrapped to a width.

    `before` are the points at the end of the viewer's turn.
    """
    return chain.from_iterable(_news_of_each(scene, face, glyphs, width, before))


def _news_of_each(
    scene: Scene[Any], face: Face[Any], glyphs: Glyphs, width: int, before: Sequence[int] | None
) -> Iterator[list[Content]]:
    """Yield the lines of each player."""
    news = face.news(scene)
    reached = scene.observation.points if news is None or news.reached is None else news.reached
    for seat, parts in _told(scene, face, glyphs, news).items():
        if before is not None and (gain := reached[seat] - before[seat]):
            figure = f"{gain:+}"
            words = _("scored {points}", points=figure) if face.scores_rarely else figure
            if face.all_at_once and gain < 0:  # which nobody's own choice brings about
                words = _("{points}, others now have the most", points=figure)
            parts.append(Content.styled(words, "bold $gold"))
        if parts:
            said = parts[0]
            for last, part in pairwise(parts):
                comma = " " if last.plain.endswith(" ") else ", "  # the edge of a card's ground divides, too
                said = Content.assemble(said, (comma, "$ink-dim"), part)
            sign = Content.styled(f"{glyphs.owner(seat)} ", f"bold $seat-{seat}")
            meaning = text("What {name} has done and got lately.", name=scene.name(seat))
            lines = list[Content]()
            for line in _glued(said).wrap(max(8, width - _INDENT)):
                told = Content.assemble(sign, Content(line.plain.replace(_GLUE, " "), list(line.spans)))
                lines.append(explained(told, meaning))
                sign = Content(" " * _INDENT)
            yield lines


def _glued(said: Content) -> Content:
    """Return the same with blanks that no line breaks within words on a ground or in an ink of their own."""
    plain = list(said.plain)
    for span in said.spans:
        if " on " in str(span.style) or str(span.style).endswith("-ink"):
            plain[span.start : span.end] = said.plain[span.start : span.end].replace(" ", _GLUE)
    return Content("".join(plain), list(said.spans))


def _told(
    scene: Scene[Any], face: Face[Any], glyphs: Glyphs, news: RevealSummary | None
) -> dict[Seat, list[Content]]:
    """Return the news by seat, as the game tells them or else ply by ply."""
    if news is not None:
        return {seat: list(parts) for seat, parts in news.told.items()}
    told = {
        seat: list(_counted(part for entry in entries for part in _parts(scene, face, entry, glyphs)))
        for seat, entries in _by_seat(scene).items()
    }
    for befell in lately_befell(scene, face):
        told.setdefault(befell.seat, []).append(Content.styled(render(befell.told), "$happened"))
    return told


def lately_befell(scene: Scene[Any], face: Face[Any]) -> list[Befell]:
    """Return what befell anybody since the viewer's own turn, oldest first."""
    recent = scene.match.recent()
    since = max(0, len(recent) - len(scene.just_happened()) - 1)
    return [befell for _ply, entry in recent[since:] for befell in face.befell(entry)]


def _counted(parts: Iterable[Content]) -> Iterator[Content]:
    """Join equal words in a row into one, with their number."""
    for _words, same in groupby(parts, attrgetter("plain")):
        part, *again = same
        if again:
            times = _("twice") if len(again) == 1 else _("{n} times", n=1 + len(again))
            part = Content.assemble(part, " ", (times, "$ink-dim"))
        yield part


def _by_seat(scene: Scene[Any]) -> dict[Seat, list[LogEntry]]:
    """Return the newest plies by seat, oldest first, whoever acted first in front."""
    found: dict[Seat, list[LogEntry]] = {}
    for entry in reversed(scene.just_happened()):
        found.setdefault(entry.seat, []).append(entry)
    # the viewer's own are no news, unless a stand-in made them or there are no others
    if scene.stood_in:
        return found
    others = {seat: entries for seat, entries in found.items() if seat != scene.viewer}
    return others or found


def _parts(scene: Scene[Any], face: Face[Any], entry: LogEntry, glyphs: Glyphs) -> Sequence[Content]:
    brief = face.brief(scene, entry, glyphs)
    if brief is not None:
        return [brief] if brief.plain else []
    return [Content.styled(render(sentence).rstrip("."), "$ink") for sentence in face.describe(scene, entry)]


_HUNDRED: Final = 100


@dataclass(frozen=True)
class ScoreSheet:
    """The score sheet as lines: title and signs of the seats, entries under headings, totals, a legend."""

    head: Sequence[Content] = ()
    lines: Sequence[Content] = ()
    foot: Sequence[Content] = ()
    codes: Sequence[Content] = ()

    def parted(self, room: int) -> tuple[Sequence[Content], Sequence[Content]]:
        """Return the lines that may scroll in so many rows, and the totals if they have to stay below."""
        if len(self.lines) + len(self.foot) <= room:
            return (*self.lines, *self.foot, *self.codes), ()
        return (*self.lines, *self.codes), self.foot


class _Line(NamedTuple):
    """A line of the sheet, with the points of the next one if that is shown in it behind a plus."""

    entry: SheetEntry
    points: Sequence[int]
    more: Sequence[int] = ()
    stands: bool = False
    """True for points as things stand."""

    @property
    def sums(self) -> list[int]:
        """Everybody's points, those behind a plus among them."""
        return [sum(pair) for pair in zip_longest(self.points, self.more, fillvalue=0)]

    def cells(self) -> Iterator[tuple[str, str]]:
        """Yield everybody's points, and those behind a plus."""
        for seat, points in enumerate(self.points):
            more = self.more[seat] if self.more else 0
            yield str(points or ""), f"+{more}" if more else ""


@dataclass(frozen=True)
class _Columns:
    """The columns for labels, for each seat, and of the latter for points behind a plus."""

    label: int
    figure: int
    more: int = 0

    def row(self, label: Content, cells: Iterable[tuple[str, str]], styles: Iterable[str]) -> Content:
        """Return a label, and everybody's cell in a style of its own."""
        return Content.assemble(
            label.truncate(self.label, pad=True),
            *(
                (f"{first:>{self.figure - self.more}}{more:<{self.more}}", style)
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
        if cell_len(part) >= self.label or len(lines) == 1:
            return Content.styled(part, "$ink-dim")
        sums = [(str(sum(column) or ""), "") for column in zip(*(line.sums for line in lines), strict=True)]
        return self.row(Content.styled(part, "$ink-dim"), sums, ["$ink-dim"] * len(sums))


def score_sheet(scene: Scene[Any], face: Face[Any], glyphs: Glyphs, width: int) -> ScoreSheet:
    """Return the sheet in so many columns.

    An entry that adds to the one before is shown in its line if there is room; if names are too long, codes
    stand for them.
    """
    seats = len(scene.names)
    lines = list(_folded(scene, face))
    columns = _columns(lines, width, seats)
    if not any(line.more for line in lines) or columns.label < _longest(line.entry.code for line in lines):
        lines = list(_unfolded(scene, face))
        columns = _columns(lines, width, seats)
    is_short = columns.label < _longest(line.entry.name for line in lines) + _CHIP
    drawn = list[Content]()
    for part, some in groupby(lines, lambda line: render(line.entry.part)):
        within = list(some)
        told = text("The lines below belong to: {part}", part=part)
        drawn.append(explained(columns.heading(part, within), told))
        for line in within:
            label = _label(line.entry, columns.label, is_short=is_short)
            meaning = partial(_line_words, scene, line)
            drawn.append(explained(columns.line(label, line), meaning, "scoring"))
    meanings = _meanings(line.entry for line in lines) if is_short else {}
    codes = [*code_lines(meanings, meanings.values())] if meanings else []
    signs = [(glyphs.owner(seat), "") for seat in range(seats)]
    totals = [(str(points), "") for points in scene.observation.points]
    title, inks = (
        Content.styled(_("Score sheet"), "bold $gold"),
        [f"bold $seat-{seat}" for seat in range(seats)],
    )
    head = [columns.row(title, signs, inks)]
    if columns.label < title.cell_length:
        head = [title, columns.row(Content(), signs, inks)]
    about = text("The points scored so far, line by line, a column for each player.")
    sums = text("All points so far; who has most at the end wins.")
    # beside the names stand points as things stand, and these are others
    is_part = face.scored_lines is not None and face.scored_lines(scene) == len(scene.observation.sheet)
    word = _("Scored") if is_part and not scene.is_over else _("Total")
    return ScoreSheet(
        [explained(line, about, "scoring") for line in head],
        drawn,
        [explained(line, sums, "the-end") for line in _totals(word, columns, totals, inks, width)],
        codes,
    )


def _line_words(scene: Scene[Any], line: _Line) -> Text:
    """Return whom a line of the sheet gave what."""
    each = ", ".join(f"{scene.name(seat)} {points:+}" for seat, points in enumerate(line.sums) if points)
    return text("{part}, {line}: {points}.", part=line.entry.part, line=line.entry.name, points=each)


def _folded(scene: Scene[Any], face: Face[Any]) -> Iterator[_Line]:
    """Yield the lines with points; those that add to the one before are joined to it."""
    sheet = scene.observation.sheet
    entries = [face.sheet_entry(scene, line) for line in range(len(sheet))]
    for line, entry in enumerate(entries):
        adds = line + 1 < len(sheet) and entries[line + 1].adds
        more = sheet[line + 1] if adds else ()
        if not entry.adds and (any(sheet[line]) or any(more)):
            yield _Line(entry, sheet[line], more, stands=_is_open(scene, face, line))


def _unfolded(scene: Scene[Any], face: Face[Any]) -> Iterator[_Line]:
    """Yield the lines with points, each by itself."""
    for line, points in enumerate(scene.observation.sheet):
        if any(points):
            yield _Line(face.sheet_entry(scene, line), points, stands=_is_open(scene, face, line))


def _is_open(scene: Scene[Any], face: Face[Any], line: int) -> bool:
    """Return whether the points of a line are as things stand."""
    return face.scored_lines is not None and not scene.is_over and line >= face.scored_lines(scene)


_CHIP: Final = 2
"""Columns around a name on the colour of its line."""


def _label(entry: SheetEntry, room: int, *, is_short: bool) -> Content:
    """Return a line's name or code, on its colour where it has one."""
    words = render(entry.code if is_short else entry.name)
    if entry.colour is None:
        return Content.styled(words if is_short else f" {words}", "$ink")
    ground = f"$country-ink on ${entry.colour}"
    shown = words if is_short else f" {words}"
    return Content.styled(shown.ljust(room - 1) if cell_len(shown) < room else shown, ground)


def _columns(lines: Sequence[_Line], width: int, seats: int) -> _Columns:
    """Choose the columns."""
    more = max((len(cell) for line in lines for _points, cell in line.cells()), default=0)
    most = max((points for line in lines for points in line.points), default=0)
    named = _longest(line.entry.name for line in lines) + _CHIP
    # figures of two digits stand closer if that makes room for the names
    figure = FIGURE + more - (most < _HUNDRED and width - (FIGURE + more) * seats < named)
    return _Columns(width - figure * seats, figure, more)


def _totals(
    word: str, columns: _Columns, totals: Sequence[tuple[str, str]], inks: Sequence[str], width: int
) -> Iterator[Content]:
    """Yield the totals behind a word, in two lines if only they have three digits."""
    if max((len(total) for total, _more in totals), default=0) < columns.figure - columns.more:
        yield columns.row(Content.styled(word, "bold $gold"), totals, inks)
    else:
        yield Content.styled(word, "bold $gold")
        wide = replace(columns, label=width - FIGURE * len(totals), figure=FIGURE, more=0)
        yield wide.row(Content(), totals, inks)


def _meanings(entries: Iterable[SheetEntry]) -> dict[str, str]:
    """Return the names by their codes, except for codes that are just a part of the name."""
    names = {render(entry.code): render(entry.name) for entry in entries}
    return {code: name for code, name in names.items() if code not in name and " " not in code}


def _longest(labels: Iterable[Text]) -> int:
    return max((cell_len(render(label)) for label in labels), default=0)


DRAWERS: Final = ("log", "sheet", "collections", "race")

RACE_WIDTH: Final = 33
"""Columns from which all contests are shown without a drawer."""

_FEW: Final = 6
"""Contests up to which they are shown in any width."""

_LEAST: Final = 8
"""Rows of a drawer from which there is a free line above the board's own lines."""

_AMPLE: Final = 24
"""Rows of a drawer from which there is a free line below them, too."""

_TELLING: Final = 4
"""Rows in which some of the board's own lines make sense: a free one, heading, line, and ellipsis."""

_NEWS_ROOM: Final = 6
"""Rows that are kept for the news where contests, or people, can be shown in fewer."""

_SIGNS: Final = 7
"""Columns of the signs of start, seat and turn beside a name, and of blanks."""

_CLOSE_SIGNS: Final = 5
"""Those where names need the room: the sign of the turn stands in the place of that of the start."""

_HEADS: Final = 2
"""Rows over the news, and over the log: a free one and a heading."""

_OWN_LINES: Final = 9
"""Rows that cards and piles of a game take, at most, in the lines of its board."""

_SHORTEST: Final = 4
"""Columns to which a name may be cut in favour of what is beside it."""

_BRACKETED: Final = 26
"""Columns from which points as things stand are in brackets."""

_MARGIN: Final = 1
"""Columns that stay free on the right."""


@dataclass(frozen=True)
class Beside:
    """The content of the panel besides the scene: the board's own lines, and points to compare with.

    `before` are the points at the end of the viewer's last turn, `preview` the sheet after the move that
    Enter would make; None if they are unknown.
    """

    panel: Sequence[Content] = ()
    before: Sequence[int] | None = None
    preview: Sheet | None = None
    hands: Mapping[Seat, Sequence[Content]] = field(default_factory=dict)
    """The hidden things of each seat, where everything is open."""
    told: Sequence[Content] = ()
    """What the coach says, a paragraph each: it takes the place of all but the people."""


class SidePanel(Vertical):
    """The people on top; below them the game's lines, then contests and news, or an open drawer."""

    class Pressed(Message):
        """A part of the board's own lines was clicked."""

        def __init__(self, action: str) -> None:
            super().__init__()
            self.action = action

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="side")
        self._glyphs = glyphs
        self.drawer: str | None = None
        self._panel: tuple[Content, ...] = ()
        self._names: list[tuple[Seat, Content]] = []
        """The lines with the names of the people, in each of the forms that have been tried."""
        self._lit: Sequence[Lit] = ()

    def compose(self) -> ComposeResult:
        """Make the one widget for all lines."""
        yield Lines(id="people")

    def show(self, scene: Scene[Any], face: Face[Any], beside: Beside) -> None:
        """Draw a scene."""
        self._names = []
        self._show(scene, face, beside)
        if self._lit:  # their rows may be others now
            self.light(self._lit)

    def light(self, lit: Sequence[Lit]) -> None:
        """Light up the names of some seats with words behind them, and no others."""
        self._lit, rows = lit, self.name_rows
        self.people.cover({rows[one.seat]: self._bright(one) for one in lit if one.seat in rows})

    def _bright(self, lit: Lit) -> Content:
        width = self.content_size.width - _MARGIN
        style = f"bold $seat-ink on $seat-{lit.seat}"
        name = Content.styled(f" {self._glyphs.owner(lit.seat)} ", style)
        return Content.assemble(name, lit.words, Content.styled(" " * width, style)).truncate(width)

    @property
    def name_rows(self) -> Mapping[Seat, int]:
        """The rows of the names that are in sight."""
        found = ((seat, self.people.row_of(line)) for seat, line in self._names)
        return {seat: row for seat, row in found if row is not None}

    def _show(self, scene: Scene[Any], face: Face[Any], beside: Beside) -> None:
        self._panel = tuple(beside.panel)
        people = self.people
        width, height = self.content_size.width, self.rows
        if beside.told:
            self.people.top = 0
            parts = [part.wrap(max(8, width - _MARGIN)) for part in beside.told]
            self._teach(scene, face, [*chain.from_iterable(parts)], beside)
            return
        if scene.table.lesson is not None and self.drawer is None:
            self._teach(scene, face, [*lesson_lines(scene.table.lesson, width - _MARGIN)], beside)
            return
        if self.drawer is None:
            lines = self._over_news(scene, face, width - _MARGIN, height, beside)
            lines += self._news(scene, face, width - _MARGIN, height - len(lines), beside.before)
            people.show(lines)
            return
        lines = [*_over_points(scene, face, width - _MARGIN)]
        lines += self._people(scene, face, width - _MARGIN, beside)
        if height > _AMPLE and len(lines) + len(beside.panel) + _LEAST < height:
            lines.append(Content())
        width -= _MARGIN
        is_sheet = self.drawer == "sheet"
        sheet = score_sheet(scene, face, self._glyphs, width) if is_sheet else ScoreSheet()
        lines += beside.panel
        if beside.panel and len(lines) + _AMPLE < height:
            lines.append(Content())
        lines += sheet.head if is_sheet else self._title(scene)
        within, foot = sheet.parted(height - len(lines))
        shown = within if is_sheet else self._drawn(scene, face, width, height - len(lines), beside.preview)
        people.show(lines, shown, foot, is_at_end=self.drawer == "log")  # whose newest lines are the last

    def _over_news(
        self, scene: Scene[Any], face: Face[Any], width: int, height: int, beside: Beside
    ) -> list[Content]:
        """Return everything over the news while no drawer is open.

        For the contests, of which there are all or none, people may be shown in short, and contests of a part
        in one line for their sum and as few others as they fit into.
        """
        head = [*_over_points(scene, face, width)]
        short = [*head, *self._people(scene, face, width, beside, is_short=True)]
        whole = short
        if not _has_one_row(scene, face, width, height):
            whole = [*head, *self._people(scene, face, width, beside)]
        races = face.race(scene)
        contests = [
            [Content(), *lines, *more]
            for some, more in ((races, ()), ([*_summed(races)], _each_summed(scene, races, width)))
            if (lines := [*self._races(scene, some, width, beside.preview)])
        ]
        for people in (whole, short):
            over = [*people, *self._panel_in(height - len(people))]
            for place, lines in enumerate(contests, 1):
                is_last = people is short and place == len(contests)
                if len(over) + len(lines) + (0 if is_last else _NEWS_ROOM) <= height:
                    room = height - len(over) - len(lines) if people is whole else 0
                    return [*over, *self._with_whys(scene, face, lines, width, room, beside.before)]
        people = whole if len(whole) <= height else short[len(head) :]
        return [*people, *self._panel_in(height - len(people))]

    def _with_whys(
        self, scene: Scene[Any], face: Face[Any], lines: Sequence[Content], width: int, room: int,
        before: Sequence[int] | None,
    ) -> Sequence[Content]:  # fmt: skip
        """Return the contests, under each what gives points in it, if all that and the news have room."""
        races = face.race(scene)
        whys = [_wrapped(race.why, "$ink-dim", width - 1) if race.why else () for race in races]
        room -= sum(map(len, whys)) + _HEADS
        if not any(whys) or len(races) > len(lines) or room < 0:
            return lines
        if len(list(news_lines(scene, face, self._glyphs, width, before))) > room:
            return lines
        told = text("What gives points in the contest above.")
        first = len(lines) - len(races)
        return [
            *lines[:first],
            *(
                line
                for contest, why in zip(lines[first:], whys, strict=True)
                for line in (contest, *(explained(words.pad_left(1), told, "scoring") for words in why))
            ),
        ]

    def _teach(self, scene: Scene[Any], face: Face[Any], taught: Sequence[Content], beside: Beside) -> None:
        """Draw the people in short, the game's lines, and what a lesson or the coach says."""
        width = self.content_size.width - _MARGIN
        people = [*self._people(scene, face, width, beside, is_short=True)]
        panel, gap = [line for line in beside.panel if line], [Content()]
        dense = [line for line in taught if line]
        pressed = [line for line in panel if any(_is_pressed(span.style) for span in line.spans)]
        ways: list[tuple[Sequence[Content], Sequence[Content], Sequence[Content]]] = [
            (panel, gap, taught), (panel, gap, dense), (panel, (), dense), (pressed, gap, dense)
        ]  # fmt: skip
        lesson = scene.table.lesson
        if beside.told or (lesson is not None and (lesson.strayed or lesson.skips is not None)):
            # nothing there is pressed before what is said has been read
            ways.append(((), gap, dense))
        room = self.rows - len(people)
        over, free, said = next((way for way in ways if sum(map(len, way)) <= room), ways[-1])
        self.people.show([*people, *over, *free], said)

    @cached_property
    def people(self) -> Lines:
        """The widget with all lines: those of the people, and everything below them."""
        return self.query_one("#people", Lines)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.content_size.height

    @property
    def is_low(self) -> bool:
        """True where a drawer needs most of the rows."""
        return self.rows <= _AMPLE

    def shows(self, panel: Sequence[Content]) -> bool:
        """Return whether these lines of the board are drawn already."""
        if len(panel) != len(self._panel):
            return False
        return all(old.is_same(new) for old, new in zip(self._panel, panel, strict=True))

    def on_click(self, event: Click) -> None:
        """Tell the board of a click on one of its own lines."""
        action = event.style.meta.get(PRESS)
        if action is not None and event.button != RIGHT:
            self.post_message(self.Pressed(action))

    def turn(self, drawer: str | None) -> None:
        """Open a drawer, or close it with None; it is drawn by the next `show`."""
        self.drawer = drawer
        self.people.top = 0

    def scroll(self, pages: int) -> None:
        """Scroll the open drawer by a page up (-1) or down (1)."""
        self.people.scroll_lines(pages * max(1, len(self.people.window) - 1))

    def _people(
        self, scene: Scene[Any], face: Face[Any], width: int, beside: Beside, *, is_short: bool = False
    ) -> Iterator[Content]:
        """Yield names with points and holdings, which are left out if it `is_short` of room."""
        gains = changes(scene, beside.preview)
        has_more = self.drawer is None and not is_short
        is_tight = not has_more and self._cuts_names(scene, face, width)
        for seat, name in enumerate(scene.names):
            turn = self._glyphs["turn"] if seat in scene.observation.active else " "
            start = self._glyphs["start"] if seat == 0 and face.has_start_player else " "
            reached = _reached(scene, face, seat, width)
            gain = looks.changed(gains[seat], self._glyphs)[0]
            gain += " " if gain else ""
            style = "bold $ink" if seat == scene.viewer else "$ink"
            elapsed = monotonic() - scene.seen_at
            room = width - (_CLOSE_SIGNS if is_tight else _SIGNS) - reached.cell_length
            # For this the gain is left out, and the name is cut.
            needed = needed_beside_name(scene.table, seat, elapsed)
            stock = Content() if has_more else face.stock(scene, seat, self._glyphs)
            room -= stock.cell_length + bool(stock)
            person, below = face.person(scene, seat, self._glyphs), Content()
            closing = cell_len(turn) if needed and turn.strip() and not is_tight else 0
            if has_more and cell_len(name) + needed + closing > room:
                below, needed = beside_name(scene.table, seat, elapsed, width - 2), 0
            if stock and room - len(gain) - needed < _SHORTEST:
                gain, needed = "", 0  # the name and the stock are worth more
            behind = "" if needed or below or is_tight else turn
            gain = "" if needed and room - len(gain) < needed + _SHORTEST else gain
            room -= len(gain)
            shown = self._cut(Content.styled(name, style), room - needed)
            on_turn = explained((turn, "bold $possible"), turn_words(scene, face, seat))
            if not (behind or is_tight) and turn.strip() and shown.cell_length + needed < room:
                shown = Content.assemble(shown, on_turn)
            left = 0 if below else room - shown.cell_length
            status = beside_name(scene.table, seat, elapsed, left - len(behind))
            whole = beside_name(scene.table, seat, elapsed, left)
            if whole.cell_length > status.cell_length:  # without the sign of the turn there is room for more
                status, behind = whole, ""
            shown = Content.assemble(shown, status)
            begins = text("{name} is the start player.", name=name)
            first = explained((start, "$ink-dim"), begins) if start.strip() else start
            owner = (self._glyphs.owner(seat), f"bold $seat-{seat}")
            signs = Content.assemble(first, " ", owner, " ", on_turn)
            if is_tight:
                signs = Content.assemble(on_turn if turn.strip() else first, owner, " ")
            line = Content.assemble(
                signs, self._fitted(shown, on_turn if behind else Content(), room), " ",
                stock, " " if stock else "",
                explained((gain, looks.CHANGED), gain_words(name, gains[seat])),
                reached,
            )  # fmt: skip
            line = explained(line, partial(who, scene, seat, self._glyphs))
            self._names.append((seat, line))
            yield line
            below = explained(below, partial(who, scene, seat, self._glyphs))
            if has_more:
                yield from _second_lines(person, below, _scored_below(scene, face, seat, width), width)
            if self.drawer is None:
                told = text("The hand of {name}, which is open here.", name=name)
                hand = _packed(beside.hands.get(seat, ()), width - 3)
                yield from (explained(Content.assemble("   ", line), told) for line in hand)

    def _cuts_names(self, scene: Scene[Any], face: Face[Any], width: int) -> bool:
        """Return whether names would be cut beside the stock, so that signs have to stand closer."""
        for seat, name in enumerate(scene.names):
            stock = face.stock(scene, seat, self._glyphs)
            beside = stock.cell_length + bool(stock) + _reached(scene, face, seat, width).cell_length
            if width - _SIGNS - beside < cell_len(name) + 1:  # the turn's sign closes it
                return True
        return False

    def _cut(self, name: Content, width: int) -> Content:
        return name.truncate(max(0, width), ellipsis=not self._glyphs.ascii_only)

    def _fitted(self, name: Content, turn: Content, width: int) -> Content:
        """Return a name in a width, with the sign of the turn right behind it."""
        marked = Content.assemble(self._cut(name, width - turn.cell_length), turn)
        return marked.truncate(width, pad=True)

    def _races(
        self, scene: Scene[Any], races: Sequence[Race], width: int, preview: Sheet | None
    ) -> Iterable[Content]:
        if not races or (len(races) > _FEW and width + _MARGIN < RACE_WIDTH):
            return ()
        lines = race_lines(scene, races, self._glyphs, width, preview)
        is_table = any(race.best for race in races)
        return (_heading(_race_title(scene), _STANDING), *lines) if is_table else lines

    def _panel_in(self, room: int) -> Iterable[Content]:
        """Return the board's own lines under a free one, or as many of them as fit and make sense."""
        if not self._panel or room < min(_TELLING, 1 + len(self._panel)):
            return ()
        if len(self._panel) <= room:
            return (*[Content()] * (len(self._panel) < room), *self._panel)
        more = explained(
            (self._glyphs["ellipsis"], "$ink-dim"), text("There is no room here for more cards.")
        )
        return (Content(), *self._panel[: room - 2], more)

    def _news(
        self, scene: Scene[Any], face: Face[Any], width: int, room: int, before: Sequence[int] | None
    ) -> Iterable[Content]:
        """Return the news under a heading and, if there is room, the log before them, newest first."""
        each = list(_news_of_each(scene, face, self._glyphs, width, before))
        news = list(chain.from_iterable(each))
        if room <= _HEADS:
            return ()
        lines: list[Content] = []
        if news:
            own = (entry.seat == scene.viewer for entry in scene.just_happened())
            is_own = not face.news(scene) and all(own) and not scene.stood_in
            title = _("The last turn") if scene.is_over else self._since(scene.viewer, is_own=is_own)
            head = [Content(), _heading(title, _NEWS), *_stood_in(scene, width)]
            if len(news) + len(head) > room:
                del head[0]
            if len(news) > room - len(head):
                news = self._cut_news(each, room - len(head), width) if room > len(head) else []
            lines = [*head, *news]
        kept: list[Content] = []
        recent = scene.match.recent()
        for _ply, entry in reversed(recent[: len(recent) - len(scene.just_happened())]):
            told = list(entry_lines(scene, face, entry, self._glyphs, width))
            if len(lines) + _HEADS + len(kept) + len(told) > room:
                break
            kept += told
        earlier = _("Before that") if news else _("Log")
        return (*lines, Content(), _heading(earlier, _LOG), *kept) if kept else lines

    def _cut_news(self, each: Sequence[Sequence[Content]], room: int, width: int) -> list[Content]:
        """Return the beginning of everybody's news, or where even that has no room, how many are left out."""
        if len(each) > room:
            left = len(each) - room + 1
            more = (ngettext("{n} more", "{n} more", left), "$ink-dim")
            rest = Content.assemble((f"{self._glyphs['down']}  ", "$gold"), more)
            return [*self._cut_news(each[: room - 1], room - 1, width), explained(rest, _MORE)]
        rows = [1] * len(each)
        longer = [seat for seat, lines in enumerate(each) if len(lines) > 1]
        while longer and sum(rows) < room:
            shortest = min(longer, key=lambda place: rows[place])
            rows[shortest] += 1
            longer = [place for place in longer if rows[place] < len(each[place])]
        cut = explained((self._glyphs["ellipsis"], "$ink-dim"), _MORE)
        shown = list[Content]()
        for lines, share in zip(each, rows, strict=True):
            *first, last = lines[:share]
            is_cut = share < len(lines)
            shown += [*first, Content.assemble(last.truncate(width - 1), cut) if is_cut else last]
        return shown

    def _since(self, viewer: Viewer, *, is_own: bool) -> str:
        if viewer is None:  # spectators have no turn to count from
            return _("The last turns")
        return _("Your turn so far") if is_own else _("Since your turn")

    def _title(self, scene: Scene[Any]) -> list[Content]:
        """Return the heading of the open drawer, which does not scroll with it."""
        titles = {
            "collections": (_("Collections"), text("What everybody has; c shows it and hides it.")),
            "race": (_race_title(scene), _STANDING),
            "log": (_("Log"), _LOG),
        }
        return [_heading(*title) for drawer, title in titles.items() if drawer == self.drawer]

    def _drawn(
        self, scene: Scene[Any], face: Face[Any], width: int, room: int, preview: Sheet | None
    ) -> Iterable[Content]:
        """Return the lines of the open drawer, if it is not the score sheet; `room` rows are visible."""
        match self.drawer:
            case "collections":
                return list(face.collections(scene, self._glyphs)) or _note(_("Nobody has cards yet."), width)
            case "race":
                return race_lines(scene, face.race(scene), self._glyphs, width, preview)
            case _:
                log = log_lines(scene, face, self._glyphs, width, room)
                return log or _note(_("There is nothing to tell yet."), width)


def _race_title(scene: Scene[Any]) -> str:
    """Return the word over the contests."""
    return _("Scored") if scene.is_over else _("As things stand")


def _stands(scene: Scene[Any], face: Face[Any]) -> bool:
    """Return whether everybody's points are those as things stand."""
    return face.scored_lines is not None and not scene.is_over


def _scored(scene: Scene[Any], face: Face[Any]) -> Sequence[int]:
    """Return everybody's points that nobody can lose any more."""
    if face.scored_lines is None or scene.is_over:
        every: Sequence[int] = scene.observation.points
        return every
    lines = scene.observation.sheet[: face.scored_lines(scene)]
    return [sum(line[seat] for line in lines) for seat in range(len(scene.names))]


def _reached(scene: Scene[Any], face: Face[Any], seat: Seat, width: int) -> Content:
    """Return the points of a seat behind its name: as things stand, and scored where both fit."""
    done, told = _scored(scene, face), partial(points_words, scene, face, seat)
    if not _stands(scene, face):
        return explained(looks.scored(done[seat]) if done else "", told, "scoring")
    every, is_wide = totals(scene.standing), width >= _BRACKETED
    longest = max(len(looks.standing(points, is_wide=is_wide)[0]) for points in every)
    words, style = looks.standing(every[seat], is_wide=is_wide)
    shown = Content.styled(words.rjust(longest), style)
    if is_wide and any(done):
        words, style = looks.scored(done[seat])
        shown = Content.assemble(shown, (f" {words:>{len(str(max(done)))}}", style))
    return explained(shown, told, "scoring")


def _scored_below(scene: Scene[Any], face: Face[Any], seat: Seat, width: int) -> Content:
    """Return the points of a seat that are scored, where behind its name only those as things stand fit."""
    done = _scored(scene, face)
    if not _stands(scene, face) or width >= _BRACKETED or not any(done):
        return Content()
    return explained(looks.scored(done[seat]), partial(points_words, scene, face, seat), "scoring")


def _second_lines(person: Content, below: Content, done: Content, width: int) -> Iterator[Content]:
    """Yield what stands under a name: things, then what is said of the person, in one line if they fit."""
    if 3 + person.cell_length + below.cell_length > width:
        yield from (Content.assemble("   ", person), Content.assemble("  ", below))
        return
    line = Content.assemble("   ", person, below)
    room = width - line.cell_length - done.cell_length
    yield Content.assemble(line, " " * room, done) if done and room > 0 else line


def _summed(races: Sequence[Race]) -> Iterator[Race]:
    """Yield contests, those of a part that has a label for all of them as one."""
    for part, some in groupby(races, key=attrgetter("part")):
        if part is None:
            yield from some
            continue
        same = [*some]
        points = [sum(column) for column in zip(*(race.points for race in same), strict=True)]
        lines = [line for race in same for line in race.line]
        yield Race(part, None, (0,) * len(points), tuple(points), line=tuple(lines))


def _each_summed(scene: Scene[Any], races: Sequence[Race], width: int) -> Sequence[Content]:
    """Return the contests that `_summed` joins and who gets what of them, close together."""
    told = list[Content]()
    for race in races:
        if race.part is None or not any(race.points):
            continue
        best = [(seat, points) for seat, points in enumerate(race.points) if points]
        figures = [(f"{letter(seat)}{points}", f"$seat-{seat}") for seat, points in best]
        name = render(race.label if race.code is None else race.code)
        line = Content.assemble((f"{name}:", "$gold"), *figures)
        each = ", ".join(f"{scene.name(seat)} {points}" for seat, points in best)
        meaning = text("{part}, {label}: {each}.", part=race.part, label=race.label, each=each)
        told.append(explained(line, meaning, "scoring"))
    return [*_packed(told, width)]


def _has_one_row(scene: Scene[Any], face: Face[Any], width: int, height: int) -> bool:
    """Return whether each person has one row for good, where a second one would tell nothing else.

    So it is where one has room for all, and where two would leave none for everybody's news.
    """
    seats, heads = len(scene.names), 2
    needed = heads + 2 * seats + _OWN_LINES + seats - 1
    return face.person is face.stock and (width + _MARGIN >= RACE_WIDTH or needed > height)


def _over_points(scene: Scene[Any], face: Face[Any], width: int) -> Iterator[Content]:
    """Yield the word over everybody's points, unless they are scored."""
    if _stands(scene, face):
        word = looks.heading()
        told = text("The points below are those if all were scored now; they can still be lost.")
        if width >= _BRACKETED and any(_scored(scene, face)):
            word = Content.assemble(word, " ", looks.heading_of_scored())
            told = text(
                "In brackets all points if the rest were scored now; behind them those scored for good."
            )
        yield explained(word.pad_left(width - word.cell_length), told, "scoring")


def lesson_lines(lesson: LessonView, width: int) -> Iterator[Content]:
    """Yield a lesson's sentences: what the last step has done, then what to do next."""
    yield _heading(_("Lesson, {n} of {all}", n=lesson.step, all=lesson.steps), _LESSON)
    for said, style in ((lesson.told, "$ink"), (lesson.skips, "$happened")):
        if said is not None and not (lesson.learnt and said is lesson.skips):
            yield from _wrapped(said, style, width)
            yield Content()
    if lesson.strayed:
        yield from _pressed(text("{key} takes it back.", key=KEYS["undo"].shown), "undo", width)
        yield Content()
    if lesson.asks is not None:
        yield from _wrapped(lesson.asks, "bold $possible" if lesson.wanted else "$ink-dim", width)
    elif lesson.learnt:
        yield from _pressed(text("This was the lesson: {key}.", key=KEYS["do"].shown), "do", width)
    elif lesson.skips is not None:
        yield from _pressed(text("{key} goes on.", key=KEYS["do"].shown), "do", width)


def _pressed(sentence: Text, action: str, width: int) -> Iterator[Content]:
    """Yield a sentence that a click does."""
    for line in _wrapped(sentence, "bold $possible", width):
        yield line.stylize(Style.from_meta({PRESS: action}))


def _is_pressed(style: object) -> bool:
    return PRESS in getattr(style, "meta", {})


def _wrapped(sentence: Text, style: str, width: int) -> Sequence[Content]:
    return Content.styled(render(sentence), style).wrap(max(8, width))


def _note(words: str, width: int) -> list[Content]:
    note = explained((words, "$ink-dim"), text("Nothing stands here yet."))
    return note.wrap(max(8, width))


def _packed(things: Iterable[Content], width: int) -> Iterator[Content]:
    """Yield things in as few lines as they fit into, in their order."""
    line = Content()
    for thing in things:
        longer = Content.assemble(line, " ", thing) if line else thing
        if line and longer.cell_length > width:
            yield line
            longer = thing
        line = longer
    if line:
        yield line


def _stood_in(scene: Scene[Any], width: int) -> Sequence[Content]:
    if not scene.stood_in or scene.is_over:
        return ()
    said = ngettext(
        "Stood in for you: {bot}, {n} move", "Stood in for you: {bot}, {n} moves", scene.stood_in,
        bot=bot_label(scene.table.stand_in),
    )  # fmt: skip
    told = text("A bot has played for you while you were away; you may take the seat back any time.")
    return explained((said, "$happened"), told).wrap(max(8, width))


def _heading(words: str, meaning: Text) -> Content:
    return explained((words, "bold $gold"), meaning)


def log_lines(scene: Scene[Any], face: Face[Any], glyphs: Glyphs, width: int, room: int) -> list[Content]:
    """Return the log, oldest first, each sentence with the sign of its player, in lines of a width.

    It ends with free lines, so that the last `room` rows begin with the first line of a ply.
    """
    entries = [list(entry_lines(scene, face, entry, glyphs, width)) for _ply, entry in scene.match.recent()]
    lines = list(chain.from_iterable(entries))
    seen = max((n for n in accumulate(map(len, reversed(entries))) if n <= room), default=room)
    return lines if len(lines) <= room else [*lines, *[Content()] * (room - seen)]


def entry_lines(
    scene: Scene[Any], face: Face[Any], entry: LogEntry, glyphs: Glyphs, width: int
) -> Iterator[Content]:
    """Yield the sentences of one ply, in lines of a width, with the sign of its player."""
    sign = Content.styled(f"{glyphs.owner(entry.seat)} ", f"bold $seat-{entry.seat}")
    if entry.move is None:  # it is secret: the events of such a ply are not of its player alone
        sign = Content("   ")
    meaning = text("From the log: what {name} did, and what came of it.", name=scene.name(entry.seat))
    for number, sentence in enumerate(face.describe(scene, entry)):
        style = "$ink" if number == 0 else "$ink-dim"
        for line in Content.styled(render(sentence), style).wrap(max(8, width - 3)):
            yield explained(Content.assemble(sign, line), meaning)
            sign = Content("   ")


_NEWS: Final = text("What has happened since your last turn, in the order of the turns.")
_STANDING: Final = text("What all contests would give if the match ended now.")
_LESSON: Final = text("How far you are in the lesson. Esc leaves it, and it goes on there another time.")
_LOG: Final = text("What has happened in this match; l shows all of it and hides it.")
_MORE: Final = text("There is no room here for more; l shows all that has happened.")


def who(scene: Scene[Any], seat: Seat, glyphs: Glyphs) -> Text:
    """Return who sits on a seat, and the sign by which what is theirs is known."""
    there, name, sign = scene.table.seats[seat], scene.name(seat), glyphs.owner(seat)
    if there.stand_in:
        return text("A bot plays for {name} now; what is theirs has the sign {sign}.", name=name, sign=sign)
    if there.bot:
        label = bot_label(there.bot)
        return text("{name}, {bot}: what is theirs has the sign {sign}.", name=name, sign=sign, bot=label)
    if seat == scene.viewer and not scene.is_through_other_eyes:
        return text(
            "{name}: this is you; what is yours has the sign {sign} and this colour.", name=name, sign=sign
        )
    return text("{name}: what is theirs has the sign {sign} and this colour.", name=name, sign=sign)


def turn_words(scene: Scene[Any], face: Face[Any], seat: Seat) -> Text:
    """Return what the sign of somebody's turn says."""
    if face.all_at_once:
        return text("{name} has not chosen yet.", name=scene.name(seat))
    return text("It is {name}'s turn.", name=scene.name(seat))


def gain_words(name: str, gain: int) -> Text:
    """Return what the figure before somebody's points says."""
    return text(
        "{gain} for {name} by the move under the cursor, if it were scored then.", gain=f"{gain:+}", name=name
    )


def points_words(scene: Scene[Any], face: Face[Any], seat: Seat) -> Text:
    """Return somebody's points, and those as things stand where only scorings change them."""
    name, points = scene.name(seat), _scored(scene, face)[seat]
    if not _stands(scene, face):
        return texts("{name} has {n} point.", "{name} has {n} points.", points, name=name)
    all_of = totals(scene.standing)[seat]
    return texts(
        "{name} has {n} point so far; if all were scored now, {all}.",
        "{name} has {n} points so far; if all were scored now, {all}.",
        points, name=name, all=all_of,
    )  # fmt: skip


def waiting_for(scene: Scene[Any]) -> str:
    """Return the names of those who are to act."""
    return ", ".join(scene.name(seat) for seat in scene.observation.active)


def last_words(scene: Scene[Any], face: Face[Any], width: int, before: str = "") -> str:
    """Return the last event and, if the width allows, the names of those who are to act.

    `before` is put in front of it in any case.
    """
    if before:
        return f"{before} {last_words(scene, face, width - cell_len(before) - 1)}"
    recent, names = scene.match.recent(), waiting_for(scene)
    own = [befell.to_viewer for befell in lately_befell(scene, face) if befell.seat == scene.viewer]
    said: Sequence[Text] = own
    if recent and not own:
        said = face.describe(scene, recent[-1][1])
    if not said:
        return _("Waiting for {names}.", names=names)
    last = render(said[0])
    if scene.observation.active == (recent[-1][1].seat,) and not own:
        return last
    both = _("{last} - waiting for {names}.", last=last.rstrip("."), names=names)
    return both if cell_len(both) <= width else last
