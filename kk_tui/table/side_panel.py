"""The panel beside the board: news, score sheet and log as lines, and the widget that arranges them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from itertools import chain, groupby
from operator import attrgetter, is_
from time import monotonic
from typing import Any, Final

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.events import Click
from textual.geometry import Region
from textual.message import Message

from kk_core.text import Text, text, text_in, texts
from kk_core.types import Seat, Sheet, totals
from kk_core.views import LessonView
from kk_tui.games import Face, Race
from kk_tui.i18n import _, current, ngettext, render
from kk_tui.keymap import KEYS
from kk_tui.scene import Scene, changes
from kk_tui.table.news import cut_news, entry_lines, log_lines, news_lines, news_of_each
from kk_tui.table.race import count_lines, has_points, is_table, race_lines
from kk_tui.table.score_sheet import ScoreSheet, score_sheet
from kk_tui.table.teaching import (
    arranged,
    course_line,
    course_lines,
    glossary_lines,
    is_pressed,
    lesson_lines,
)
from kk_tui.table_words import (
    beside_name,
    bot_label,
    gives_way,
    name_ink,
    needed_beside_name,
    shared_form,
    tells_time,
)
from kk_tui.theme.glyphs import Glyphs, letter
from kk_tui.widgets import points as looks
from kk_tui.widgets.board import PRESS
from kk_tui.widgets.canvas import RIGHT
from kk_tui.widgets.explanation import explained
from kk_tui.widgets.lines import Lines, heading, sentence_lines, wrapped_with_figures
from kk_tui.widgets.motion import Lit

DRAWERS: Final = ("log", "sheet", "collections", "race")

RACE_WIDTH: Final = 33
"""Columns from which all contests are shown without a drawer."""

_FEW: Final = 6
"""Contests up to which they are shown in any width."""

_LEAST: Final = 8
"""Rows of a drawer from which there is a free line above the board's own lines."""

_AMPLE: Final = 24
"""Rows of a drawer from which there is a free line below them, too, even if not all of it fits."""

_TELLING: Final = 4
"""Rows in which some of the board's own lines make sense: a free one, heading, line, and ellipsis."""

_NEWS_ROOM: Final = 6
"""Rows that are kept for the news where contests, or people, can be shown in fewer."""

_SIGNS: Final = 7
"""Columns of the signs of start, turn and seat before a name, and of blanks."""

_CLOSE_SIGNS: Final = 5
"""Those where names need the room: the sign of the start is left out."""

_INDENT: Final = 3
"""Columns before what stands under a name."""

_HEADS: Final = 2
"""Rows over the news, and over the log: a free one and a heading."""

_OWN_LINES: Final = 9
"""Rows that cards and piles of a game take, at most, in the lines of its board."""

_GAIN: Final = 4
"""Columns of what the move under the cursor would change, and a blank."""

_LEAST_CELL: Final = 5
"""Columns of everybody's part in a table of contests that is shown though it is narrow."""

_FEWEST: Final = 4
"""Contests of a table that are worth their room if the last ones have none."""

_SHORTEST: Final = 4
"""Columns to which a name may be cut in favour of what is beside it."""

_UNCOURSED: Final = 40
"""Rows without the titles of a lesson's steps from which these are shown."""

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


class _Figures:
    """Parts of a scene for several lines, made once: many forms of the lines are tried until one fits."""

    def __init__(self, scene: Scene[Any], face: Face[Any], glyphs: Glyphs) -> None:
        self.scene, self.face = scene, face
        self._glyphs = glyphs
        self._reached: dict[tuple[int, bool], Sequence[Content]] = {}
        self._news: dict[tuple[int, tuple[int, ...]], Sequence[Content]] = {}

    @cached_property
    def stocks(self) -> Sequence[Content]:
        """The things of each seat in the line of its name."""
        seats = range(len(self.scene.names))
        return [self.face.stock(self.scene, seat, self._glyphs) for seat in seats]

    @cached_property
    def things(self) -> Sequence[Content]:
        """The things of each seat under its name."""
        seats = range(len(self.scene.names))
        return [self.face.person(self.scene, seat, self._glyphs) for seat in seats]

    @cached_property
    def scored(self) -> Sequence[int]:
        """The points of each seat that nobody can lose any more."""
        return _scored(self.scene, self.face)

    @cached_property
    def races(self) -> Sequence[Race]:
        """All contests."""
        return self.face.race(self.scene)

    def news(self, width: int, before: Sequence[int] | None) -> Sequence[Content]:
        """Return the news in full; `before` are the points at the end of the viewer's last turn."""
        key = width, tuple(before or ())
        if key not in self._news:
            lines = news_lines(self.scene, self.face, self._glyphs, width, before)
            self._news[key] = [*lines]
        return self._news[key]

    def reached(self, width: int, *, with_scored: bool = True) -> Sequence[Content]:
        """Return the points after each name: those scored, if any, and those as things stand."""
        key = width, with_scored
        if key not in self._reached:
            self._reached[key] = [*self._points(width, with_scored=with_scored)]
        return self._reached[key]

    def _points(self, width: int, *, with_scored: bool) -> Iterator[Content]:
        scene, face = self.scene, self.face
        forms = [Content.assemble(looks.scored(points)) for points in self.scored] or [Content()] * len(
            scene.names
        )
        if _stands(scene, face):
            every = [looks.standing(points, is_wide=width >= _BRACKETED) for points in totals(scene.standing)]
            longest = max(len(words) for words, _style in every)
            standing = [Content.styled(words.rjust(longest), style) for words, style in every]
            if any(self.scored) and with_scored:
                forms = [
                    Content.assemble(*both) for both in zip(forms, [" "] * len(forms), standing, strict=True)
                ]
            else:
                forms = standing
        for seat, form in enumerate(forms):
            yield explained(form, partial(points_words, scene, face, seat), "scoring")

    def beside_bots(
        self, width: int, reached: Sequence[Content], *, is_tight: bool, is_short: bool
    ) -> Mapping[Seat, int]:
        """Return the columns after the name of each bot."""
        found: dict[Seat, int] = {}
        for seat, name in enumerate(self.scene.names):
            if self.scene.table.seats[seat].bot:
                stock = self.stocks[seat] if is_short else Content()
                taken = stock.cell_length + bool(stock) + reached[seat].cell_length + cell_len(name)
                found[seat] = width - taken - (_CLOSE_SIGNS if is_tight else _SIGNS)
        return found

    def cuts_names(self, width: int, *, is_short: bool) -> bool:
        """Return whether names would be cut, so that signs have to stand closer.

        If people are shown in short, stock and kind of player are in the line of the name.
        """
        scene = self.scene
        for seat, (name, reached) in enumerate(zip(scene.names, self.reached(width), strict=True)):
            stock = self.stocks[seat] if is_short else Content()
            beside = stock.cell_length + bool(stock) + reached.cell_length
            beside += _GAIN if seat == scene.viewer else 0
            beside += needed_beside_name(scene.table, seat, 0) if is_short else 0
            if width - _SIGNS - beside < cell_len(name):
                return True
        return False

    def has_room_for_scored(self, width: int, *, is_short: bool) -> bool:
        """Return whether names and stocks leave room for scored points beside those as things stand."""
        needed = [
            _CLOSE_SIGNS + cell_len(name) + 1 + stock.cell_length + points.cell_length
            for name, stock, points in zip(self.scene.names, self.stocks, self.reached(width), strict=True)
        ]
        return not (is_short and any(self.stocks)) or max(needed) <= width

    def over_points(self, width: int, *, is_short: bool) -> Iterator[Content]:
        """Yield the word over everybody's points, unless they are scored."""
        if _stands(self.scene, self.face):
            word = looks.heading()
            told = text("Points if everything were scored now; they can still be lost.")
            if any(self.scored) and self.has_room_for_scored(width, is_short=is_short):
                word = Content.assemble(looks.heading_of_scored(), " ", looks.heading_of_total())
                told = text("The points already scored; then all points if the rest were scored now.")
            yield explained(word.pad_left(max(0, width - word.cell_length)), told, "scoring")


@dataclass(frozen=True)
class _Kept:
    """Lines, the names among them, and what they were made of."""

    made_of: tuple[object, ...]
    panel: Sequence[Content]
    lines: Sequence[Content]
    names: list[tuple[Seat, Content]]

    def has_panel(self, panel: Sequence[Content]) -> bool:
        """Return whether the board's own lines are the very same, and so are their meanings."""
        return len(panel) == len(self.panel) and all(map(is_, panel, self.panel))


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
        self.held: int | None = None
        """The rows that are kept for pages of a lesson, in place of its words and of a drawer."""
        self.read = ""
        """The words of the page that is being read there."""
        self._held_from = 0
        self._panel: tuple[Content, ...] = ()
        self._names: list[tuple[Seat, Content]] = []
        """The lines with the names of the people, in each of the forms that have been tried."""
        self._lit: Sequence[Lit] = ()
        self._figures: _Figures | None = None
        self._look: tuple[object, ...] = ()
        self._kept: _Kept | None = None

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
        """Light up the names of some seats with words after them, and no others."""
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
        people, look = self.people, (self._glyphs.form, current())
        if look != self._look:  # other signs, or another language
            self._look, self._figures = look, None
        width, height = self.content_size.width, self.rows
        if beside.told:
            self.people.top = 0
            # a column stays free before the scrollbar
            parts = [wrapped_with_figures(part, width - 2 * _MARGIN) for part in beside.told]
            self._teach(scene, face, [*chain.from_iterable(parts)], beside)
            return
        if scene.table.lesson is not None and (self.drawer is None or self.held is not None):
            self._teach_step(scene, face, scene.table.lesson, beside)
            return
        if self.drawer is None:
            people.show(self._undrawered(scene, face, width - _MARGIN, height, beside))
            return
        lines = [*self._figures_of(scene, face).over_points(width - _MARGIN, is_short=True)]
        lines += self._people(scene, face, width - _MARGIN, beside)
        if (height > _AMPLE or not beside.panel) and len(lines) + len(beside.panel) + _LEAST < height:
            lines.append(Content())
        width -= _MARGIN
        is_sheet = self.drawer == "sheet"
        lines += beside.panel
        sheet = self._sheet(scene, face, width, height - len(lines)) if is_sheet else ScoreSheet()
        is_ample = len(lines) + _AMPLE < height
        for gap in ([Content()], []) if beside.panel else ([],):
            over = [*lines, *gap]
            over += self._over_drawer(scene, width, height - len(over))
            over += sheet.head if is_sheet else self._title(scene, face)
            within, foot = sheet.parted(height - len(over))
            shown = (
                within if is_sheet else self._drawn(scene, face, width, height - len(over), beside.preview)
            )
            if is_ample or len([*shown, *foot]) <= height - len(over):
                break
        is_log = self.drawer == "log"  # whose newest lines are the last
        people.show(over, shown, foot, is_at_end=is_log, tells_more=is_sheet)

    def _figures_of(self, scene: Scene[Any], face: Face[Any]) -> _Figures:
        kept = self._figures
        if kept is None or kept.scene is not scene or kept.face is not face:
            kept = self._figures = _Figures(scene, face, self._glyphs)
        return kept

    def _undrawered(
        self, scene: Scene[Any], face: Face[Any], width: int, height: int, beside: Beside
    ) -> Sequence[Content]:
        """Return all lines while no drawer is open.

        Without a preview they are kept: a cursor that leaves a move brings them back.
        """
        made_of = self._figures_of(scene, face), width, height, beside.before
        kept, is_kept = self._kept, beside.preview is None and not beside.hands
        if is_kept and kept is not None and kept.made_of == made_of and kept.has_panel(self._panel):
            self._names = kept.names
            return kept.lines
        lines = self._over_news(scene, face, width, height, beside)
        lines += self._news(scene, face, width, height - len(lines), beside.before)
        if is_kept and not tells_time(scene.table):
            self._kept = _Kept(made_of, self._panel, lines, self._names)
        return lines

    def _over_news(
        self, scene: Scene[Any], face: Face[Any], width: int, height: int, beside: Beside
    ) -> list[Content]:
        """Return everything over the news while no drawer is open.

        For the contests, of which there are all or none, people may be shown in short. Those in which nobody
        has anything are left out first, then those of a part stand in columns under a line for their sum.
        """

        @cache
        def people(*, is_short: bool) -> list[Content]:
            points = self._figures_of(scene, face).over_points(width, is_short=is_short)
            return [*points, *self._people(scene, face, width, beside, is_short=is_short)]

        contests = self._forms_of_contests(scene, face, width, beside.preview)
        longest = [Content(), *contests[0]()] if contests else []
        has_one_row = _has_one_row(scene, face, width, height - len(longest))
        forms = (True,) if has_one_row else (False, True)
        for is_short in forms if contests else ():
            over = [*people(is_short=is_short), *self._panel_in(height - len(people(is_short=is_short)))]
            for place, make in enumerate(contests, 1):
                lines = [Content(), *make()]
                is_last = is_short and place == len(contests)
                if len(over) + len(lines) + (0 if is_last else _NEWS_ROOM) <= height:
                    room = height - len(over) - len(lines) if is_short is forms[0] else 0
                    return [*over, *self._with_whys(scene, face, lines, width, room, beside.before)]
        if not contests and self._has_table(scene, face, width):
            table = self._low_table(scene, face, people(is_short=True), width, height, beside)
            if table is not None:
                return table
        shown = people(is_short=forms[0])
        if len(shown) > height:
            head = [*self._figures_of(scene, face).over_points(width, is_short=True)]
            shown = people(is_short=True)[len(head) :]
        return [*shown, *self._panel_in(height - len(shown))]

    def _forms_of_contests(
        self, scene: Scene[Any], face: Face[Any], width: int, preview: Sheet | None
    ) -> Sequence[Callable[[], Iterable[Content]]]:
        """Return what makes the lines of the contests, the longest first; nothing where they have no room."""
        races = self._figures_of(scene, face).races
        lines = [*self._races(scene, face, races, width, preview)]
        if not lines:
            return ()
        begun = [race for race in races if any((*race.counts, *race.points))]
        if not begun or any(race.best for race in races):
            return (lambda: lines,)
        summed = partial(self._summed_races, scene, face, begun, width, preview)
        shorter = partial(self._races, scene, face, begun, width, preview)
        return (lambda: lines, shorter, partial(summed, numbered=False), partial(summed, numbered=True))

    def _has_table(self, scene: Scene[Any], face: Face[Any], width: int) -> bool:
        """Return whether the contests are a table that is wide enough to be read."""
        is_table = any(race.best for race in self._figures_of(scene, face).races)
        return is_table and width // len(scene.names) >= _LEAST_CELL

    def _low_table(
        self, scene: Scene[Any], face: Face[Any], people: Sequence[Content], width: int, height: int,
        beside: Beside,
    ) -> list[Content] | None:  # fmt: skip
        """Return people in short over the board's own lines and a table of contests, without a heading.

        Where all of them leave too little room for the news, those in which nobody has anything are left out,
        then news of the viewer's own turn, which the board shows, then contests that nobody can change any
        more, and the last ones. A few are left: where there is no room even for a row of news for each, only
        those of the board's lines are there that are pressed. None if that does not help.
        """
        races = self._figures_of(scene, face).races
        spaced = [*people, *self._panel_in(height - len(people))]
        dense, begun = [line for line in spaced if line], [race for race in races if any(race.counts)]
        pressed = [*people, *filter(is_pressed, self._panel)]
        told = len(self._figures_of(scene, face).news(width, beside.before))
        # a row for the heading of the news
        whole, least = 1 + told, 0 if _tells_own(scene, face) else 1 + min(told, len(scene.names) - 1)
        wanted = whole if least else 0
        for over, some, news in (
            (spaced, races, whole), (dense, races, whole), (dense, begun, whole), (dense, begun, wanted),
        ):  # fmt: skip
            room = height - len(over) - (1 + len(some)) - news  # a row for the signs over the table
            if room >= 0:
                table = race_lines(scene, some, self._glyphs, width, beside.preview)
                return [*over, *[Content()] * (room > 0 and over is spaced), *table]
        for over in (dense, pressed):
            free = height - len(over) - 2  # the signs over the table, and the one for the rest
            if free >= _FEWEST + least:
                break
        else:
            return None
        kept = [*sorted(begun, key=attrgetter("is_settled"))][: max(_FEWEST, free - wanted)]
        table = race_lines(
            scene, [race for race in begun if race in kept], self._glyphs, width, beside.preview
        )
        rest = explained(
            (self._glyphs["ellipsis"], "$ink-dim"),
            text("No room for more here; {race} shows it all.", race=KEYS["race"].word),
        )
        return [*over, *table, *([rest] if len(kept) < len(begun) else [])]

    def _with_whys(
        self, scene: Scene[Any], face: Face[Any], lines: Sequence[Content], width: int, room: int,
        before: Sequence[int] | None,
    ) -> Sequence[Content]:  # fmt: skip
        """Return the contests, under each what gives points in it, if all that and the news have room."""
        whole = _whole_contests(self._figures_of(scene, face).races, lines, width)
        room -= len(whole) - len(lines) + _HEADS
        is_too_long = room < 0 or len(self._figures_of(scene, face).news(width, before)) > room
        return lines if is_too_long else whole

    def _teach(self, scene: Scene[Any], face: Face[Any], taught: Sequence[Content], beside: Beside) -> None:
        """Draw the people in short, the game's lines, and what the coach says."""
        people = [*self._people(scene, face, self.content_size.width - _MARGIN, beside, is_short=True)]
        over, said = arranged(beside.panel, taught, self.rows - len(people), is_first=True)
        self.people.show([*people, *over], said, tells_more=True)

    def _teach_step(self, scene: Scene[Any], face: Face[Any], lesson: LessonView, beside: Beside) -> None:
        """Draw the people in short, the game's lines, what a lesson says, and what helps if it has room."""
        width = self.content_size.width - _MARGIN
        people = [*self._people(scene, face, width, beside, is_short=True)]
        # two figures after each name need a heading, and one has it where there are many rows
        head = [*self._figures_of(scene, face).over_points(width, is_short=True)]
        if not self.is_low:
            people, head = [*head, *people], []
        elif not any(self._figures_of(scene, face).scored):
            head = []
        is_large = not self.is_low and width + _MARGIN >= RACE_WIDTH
        taught = [*lesson_lines(lesson, width, is_large=is_large)]
        if self.held is not None:
            taught = [Content(" ")] * self.held
        contests = self._contests(scene, face, lesson, width, beside.preview)
        # the same lines at every step, at the bottom, where neither long words nor short ones move them
        course = self._course(lesson, width)
        is_first = lesson.strayed or lesson.skips is not None
        # free lines give way to the contests it speaks of, unless a move is to be taken back, but no headings
        spoken = len(contests[-1]) if contests and lesson.about and not lesson.strayed else 0
        for signs, kept in ((course, spoken), ([], spoken), (course, 0), ([], 0)):
            room = self.rows - len(people) - len(signs)
            over, said = arranged(beside.panel, taught, room - kept, is_first=is_first)
            is_whole = sum(map(bool, over)) == sum(map(bool, beside.panel))
            if is_whole and len(over) + len(said) <= room - kept:
                break
        course = signs
        if len(head) + len(over) + len(said) + kept <= room:
            people, room = [*head, *people], room - len(head)
        self._held_from = len(people) + len(over)
        free = room - len(over) - len(said)
        is_covered = self.held is not None and self.is_low  # pages lie over the lower part
        if is_covered:
            contests = contests[-1:] if self._is_read_of(scene, face, lesson) else ()
        below = [*_first_within(contests, free)]
        gap = list[Content]()
        if not is_covered:
            words = [*glossary_lines(lesson, width)]
            said = [*said, *_first_within([[Content(), *words]] if words else [], free - len(below))]
            gap = [Content()] * (room - len(over) - len(said) - len(below))
            below += course
        self.people.show([*people, *over], [*said, *gap, *below])

    def _contests(
        self, scene: Scene[Any], face: Face[Any], lesson: LessonView, width: int, preview: Sheet | None
    ) -> Sequence[Sequence[Content]]:
        """Return the contests as they stand beside a lesson, in forms from the longest on.

        Where a step speaks of some, these alone stand where there is no room for all, or the last ones of
        them: first come those of the step before.
        """
        races, title = self._figures_of(scene, face).races, heading(_race_title(scene), _STANDING)
        spoken = [race for race in races if {*race.line} & {*lesson.about}]
        forms: list[Sequence[Content]] = []
        if races and (spoken or not self.is_low):
            forms.append([Content(), title, *race_lines(scene, races, self._glyphs, width, preview)])
        places = sorted(
            {lesson.about.index(line) for race in spoken for line in race.line if line in lesson.about}
        )
        for first in places:
            some = [race for race in spoken if {*race.line} & {*lesson.about[first:]}]
            short = [title, *race_lines(scene, some, self._glyphs, width, preview)]
            forms += [[Content(), *short], short]
        return sorted(forms, key=len, reverse=True)

    def _is_read_of(self, scene: Scene[Any], face: Face[Any], lesson: LessonView) -> bool:
        """Return whether the page that is being read names a contest that its step speaks of."""
        names = (render(face.sheet_entry(scene, line).name) for line in lesson.about)
        return any(name.casefold() in self.read.casefold() for name in names)

    def _course(self, lesson: LessonView, width: int) -> Sequence[Content]:
        """Return the steps of a lesson: with their titles where there is much room, else their signs."""
        lines = [*course_lines(lesson, self._glyphs)]
        is_roomy = self.rows - len(lines) >= _UNCOURSED
        if is_roomy and all(line.cell_length <= width for line in lines):
            return [Content(), *lines]
        return [course_line(lesson, self._glyphs)]

    def _over_drawer(self, scene: Scene[Any], width: int, room: int) -> Sequence[Content]:
        """Return what a lesson says, if a drawer leaves room for it."""
        lesson = scene.table.lesson
        said = () if lesson is None else (Content(), *lesson_lines(lesson, width), Content())
        return said if len(said) + _AMPLE // 2 <= room else ()

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

    @property
    def place_for_pages(self) -> Region:
        """The place on the screen under the names and the board's own lines, all the way down."""
        x, y, width, height = self.people.region
        return Region(x, y + self._held_from, width, height - self._held_from)

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
        gains, figures = changes(scene, beside.preview), self._figures_of(scene, face)
        has_more = self.drawer is None and not is_short
        is_tight = figures.cuts_names(width, is_short=not has_more)
        with_scored = figures.has_room_for_scored(width, is_short=not has_more)
        every = figures.reached(width, with_scored=with_scored)
        rooms = figures.beside_bots(width, every, is_tight=is_tight, is_short=not has_more)
        form = shared_form(scene.table, rooms)
        under = [figures.things[seat].cell_length for seat in rooms]
        form_below = shared_form(scene.table, {
            seat: width - _INDENT - taken for seat, taken in zip(rooms, under, strict=True)
        }) or 0  # fmt: skip
        for seat, name in enumerate(scene.names):
            start = self._glyphs["start"] if seat == 0 and face.has_start_player else " "
            reached = every[seat]
            gain = looks.changed(gains[seat], self._glyphs)[0]
            gain += " " if gain else ""
            style = "bold $ink" if seat == scene.viewer else name_ink(scene.table, seat)
            elapsed = monotonic() - scene.seen_at
            room = width - (_CLOSE_SIGNS if is_tight else _SIGNS) - reached.cell_length
            # For this the gain is left out, and the name is cut.
            needed = needed_beside_name(scene.table, seat, elapsed)
            stock = Content() if has_more else figures.stocks[seat]
            room -= stock.cell_length + bool(stock)
            if stock and gain and cell_len(name) > room - len(gain):
                bare = f"{gains[seat]:+} "  # its colour says the same as the sign
                if cell_len(name) <= room - len(bare):
                    gain = bare
                elif seat != scene.viewer:
                    gain = ""  # the row of its contest tells it, too
            person, below = figures.things[seat], Content()
            is_full = cell_len(name) + needed > room - len(gain) * (not has_more)
            if is_full or (has_more and form is None and seat in rooms):
                if has_more:
                    below, needed = beside_name(scene.table, seat, elapsed, width - 2, form_below), 0
                elif gives_way(scene.table, seat):
                    needed = 0  # who plays is worth more than how well, or whether they are there
            if stock and room - len(gain) - needed < _SHORTEST:
                gain, needed = "", 0  # the name and the stock are worth more
            gain = "" if needed and room - len(gain) < needed + _SHORTEST else gain
            room -= len(gain)
            shown = self._cut(Content.styled(name, style), room - needed)
            left = 0 if below else room - shown.cell_length
            shown = Content.assemble(shown, beside_name(scene.table, seat, elapsed, left, form or 0))
            on_turn: Content | str = " "
            if seat in scene.observation.active:
                sign = (self._glyphs["turn"], "bold $possible")
                on_turn = explained(sign, turn_words(scene, face, seat))
            begins = text("{name} is the start player and begins every round.", name=name)
            first = explained((start, "$ink-dim"), begins) if start.strip() else start
            owner = (self._glyphs.owner(seat), f"bold $seat-{seat}")
            line = Content.assemble(
                *(() if is_tight else (first, " ")), on_turn, owner, " ",
                shown.truncate(max(0, room), pad=True), " ",
                stock, " " if stock else "",
                explained((gain, looks.CHANGED), gain_words(name, gains[seat])),
                reached,
            )  # fmt: skip
            line = explained(line, partial(who, scene, face, seat, self._glyphs))
            self._names.append((seat, line))
            yield line
            below = explained(below, partial(who, scene, face, seat, self._glyphs))
            if has_more:
                yield from _second_lines(person, below, width)
            if self.drawer is None:
                told = text("{name}'s hand, which is open here.", name=name)
                hand = _packed(beside.hands.get(seat, ()), width - 3)
                yield from (explained(Content.assemble("   ", line), told) for line in hand)

    def _cut(self, name: Content, width: int) -> Content:
        return name.truncate(max(0, width), ellipsis=not self._glyphs.ascii_only)

    def _races(
        self, scene: Scene[Any], face: Face[Any], races: Sequence[Race], width: int, preview: Sheet | None
    ) -> Iterable[Content]:
        if not races or (len(races) > _FEW and width + _MARGIN < RACE_WIDTH):
            return ()
        lines = race_lines(scene, races, self._glyphs, width, preview)
        has_heading = is_table(races, len(scene.names), width)
        return (_table_heading(scene, face, width), *lines) if has_heading else lines

    def _summed_races(
        self, scene: Scene[Any], face: Face[Any], races: Sequence[Race], width: int, preview: Sheet | None,
        *, numbered: bool,
    ) -> Iterator[Content]:  # fmt: skip
        """Yield contests, those of a part in a line for their sum, and under it who gets what of them."""
        summed = list(_summed(races))
        lines = [*self._races(scene, face, summed, width, preview)]
        first = len(lines) - len(summed)
        yield from lines[:first]
        for race, line in zip(summed, lines[first:], strict=False):
            yield line
            within = [one for one in races if one.part == race.label]
            yield from _in_columns(scene, within, width, numbered=numbered)

    def _panel_in(self, room: int) -> Iterable[Content]:
        """Return the board's own lines under a free one, or as many of them as fit and make sense."""
        if not self._panel or room < min(_TELLING, 1 + len(self._panel)):
            return ()
        if len(self._panel) <= room:
            return (*[Content()] * (len(self._panel) < room), *self._panel)
        more = explained((self._glyphs["ellipsis"], "$ink-dim"), text("No room for more cards here."))
        return (Content(), *self._panel[: room - 2], more)

    def _news(
        self, scene: Scene[Any], face: Face[Any], width: int, room: int, before: Sequence[int] | None
    ) -> Iterable[Content]:
        """Return the news under a heading and, if there is room, the end of the log before them."""
        news = self._figures_of(scene, face).news(width, before)
        if room < _HEADS:
            return ()
        lines: list[Content] = []
        if news:
            title = (
                _("The last turn") if scene.is_over else self._since(scene, is_own=_tells_own(scene, face))
            )
            head = [Content(), heading(title, _NEWS), *_stood_in(scene, width)]
            if len(news) + len(head) > room:
                del head[0]
            if len(news) > room - len(head):
                news = self._brief_news(scene, face, width, room - len(head), before)
            lines = [*head, *news]
        kept: list[Content] = []
        recent = scene.match.recent()
        for _ply, entry in reversed(recent[: len(recent) - len(scene.just_happened())]):
            told = list(entry_lines(scene, face, entry, self._glyphs, width))
            if len(lines) + _HEADS + len(kept) + len(told) > room:
                break
            kept = [*told, *kept]  # like the log, and what one ply led to
        earlier = _("Before that") if news else _("Log")
        return (*lines, Content(), heading(earlier, _LOG), *kept) if kept else lines

    def _brief_news(
        self, scene: Scene[Any], face: Face[Any], width: int, room: int, before: Sequence[int] | None
    ) -> Sequence[Content]:
        """Return the news in few words, in signs if these do not fit, or the beginning of everybody's."""
        each = [*news_of_each(scene, face, self._glyphs, width, before, is_brief=True)]
        news = face.news(scene)
        has_shorter = face.bare is not None if news is None else news.in_signs is not None
        if sum(map(len, each)) > room and has_shorter:
            told = news_of_each(scene, face, self._glyphs, width, before, is_brief=True, in_signs=True)
            each = [*told]
        return cut_news(each, room, width, self._glyphs) if room > 0 else []

    def _since(self, scene: Scene[Any], *, is_own: bool) -> str:
        if scene.viewer is None:  # spectators have no turn to count from
            return _("The last turns")
        if is_own:
            return _("Your turn so far") if scene.is_turn_begun else _("Your last turn")
        return _("Since your turn")

    def _sheet(self, scene: Scene[Any], face: Face[Any], width: int, room: int) -> ScoreSheet:
        """Return the score sheet; in so few rows that it scrolls, its figures stay clear of the scrollbar if
        its words leave a column for that.
        """
        sheet = score_sheet(scene, face, self._glyphs, width)
        apart = score_sheet(scene, face, self._glyphs, width - _MARGIN) if sheet.rows > room else sheet
        return sheet if apart.is_cut else apart

    def lacks_room_for_sheet(self, scene: Scene[Any], face: Face[Any], beside: Beside) -> bool:
        """Return whether the panel is too low for all of the score sheet under names, free line and cards.

        Beside the words of a lesson it has to do.
        """
        width = self.content_size.width - _MARGIN
        people = [*self._figures_of(scene, face).over_points(width, is_short=True)]
        room = self.rows - len(people) - len(scene.names) - 1 - len(beside.panel)
        may_be_elsewhere = self.is_low and scene.table.lesson is None
        return may_be_elsewhere and score_sheet(scene, face, self._glyphs, width).rows > room

    def _title(self, scene: Scene[Any], face: Face[Any]) -> list[Content]:
        """Return the heading of the open drawer, which does not scroll with it."""
        titles = {
            "collections": (
                render(face.collections_title),
                text("What everybody has; c shows and hides it."),
            ),
            "race": (_race_title(scene), _STANDING),
            "log": (_("Log"), _LOG),
        }
        return [heading(*title) for drawer, title in titles.items() if drawer == self.drawer]

    def _begun(
        self, scene: Scene[Any], races: Sequence[Race], width: int, preview: Sheet | None
    ) -> Sequence[Content]:
        """Return the contests in which somebody has something, with everybody's counts below each, where they
        have to scroll; none where the lines of the contests tell the counts themselves.
        """
        begun = [race for race in races if any((*race.counts, *race.points))]
        counts = count_lines(scene, begun, self._glyphs, width - _MARGIN)
        lines = [*race_lines(scene, begun, self._glyphs, width - _MARGIN, preview)]
        return _whole_contests(begun, lines, width, counts, has_whys=False) if any(counts) else ()

    def _drawn(
        self, scene: Scene[Any], face: Face[Any], width: int, room: int, preview: Sheet | None
    ) -> Iterable[Content]:
        """Return the lines of the open drawer, if it is not the score sheet; `room` rows are visible."""
        match self.drawer:
            case "collections":
                return list(face.collections(scene, self._glyphs, width)) or _note(
                    _("Nothing here yet."), width
                )
            case "race":
                races = self._figures_of(scene, face).races
                lines = [*race_lines(scene, races, self._glyphs, width, preview)]
                if len(lines) > room:  # figures would touch the sign of what is below
                    lines = [*race_lines(scene, races, self._glyphs, width - _MARGIN, preview)]
                counts = count_lines(scene, races, self._glyphs, width - _MARGIN)
                forms = (
                    _whole_contests(races, lines, width, counts),
                    _whole_contests(races, lines, width, counts, has_whys=False),
                    _whole_contests(races, lines, width),
                )
                fitting = next((form for form in forms if len(form) <= room), None)
                return fitting or self._begun(scene, races, width, preview) or lines
            case _:
                # a column stays free before the scrollbar, which sentences would touch
                log = log_lines(scene, face, self._glyphs, width - _MARGIN, room)
                return log or _note(_("Nothing has happened yet."), width)


def _first_within(forms: Iterable[Sequence[Content]], room: int) -> Sequence[Content]:
    """Return the first of some forms that fits into some rows; nothing if none does."""
    return next((lines for lines in forms if len(lines) <= room), ())


def _table_heading(scene: Scene[Any], face: Face[Any], width: int) -> Content:
    """Return the word over a table of contests, and if there is room, what its figures are."""
    title = heading(_race_title(scene), _STANDING)
    counted = [
        *face.counted,
        *([text_in("counted", "points")] if has_points(len(scene.names), width) else []),
    ]
    told = explained(("  " + ", ".join(map(render, counted)), "$ink-dim"), _STANDING)
    return Content.assemble(title, told) if title.cell_length + told.cell_length <= width else title


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


def _second_lines(person: Content, below: Content, width: int) -> Iterator[Content]:
    """Yield what stands under a name: things, then what is said of the person, in one line if both fit."""
    is_apart = bool(below) and _INDENT + person.cell_length + below.cell_length > width
    indent = " " * min(_INDENT, max(0, width - person.cell_length))
    yield Content.assemble(indent, person) if is_apart else Content.assemble(indent, person, below)
    if is_apart:
        yield Content.assemble("  ", below)


def _whole_contests(
    races: Sequence[Race], lines: Sequence[Content], width: int, counts: Sequence[Content] = (),
    *, has_whys: bool = True,
) -> Sequence[Content]:  # fmt: skip
    """Return the lines of contests, under each its line of `counts`, if any, and what gives points in it."""
    if len(races) > len(lines):
        return lines
    told = text("What gives points in the contest above.")
    first = len(lines) - len(races)
    whole, counts = [*lines[:first]], counts or [Content()] * len(races)
    for race, contest, count in zip(races, lines[first:], counts, strict=True):
        whole += [contest, count] if count else [contest]
        if has_whys and race.why:
            why = sentence_lines(race.why, "$ink-dim", width - 1)
            whole += [explained(words.pad_left(1), told, "scoring") for words in why]
    return whole


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


def _in_columns(scene: Scene[Any], races: Sequence[Race], width: int, *, numbered: bool) -> Iterator[Content]:
    """Yield contests, or only their numbers, and who gets what of them, as many in a row as fit."""
    told = list[Content]()
    for race in races:
        best = [(seat, points) for seat, points in enumerate(race.points) if points]
        if not best:
            continue
        figures = [(f" {letter(seat)}{points}", f"$seat-{seat}") for seat, points in best]
        each = ", ".join(f"{scene.name(seat)} {points}" for seat, points in best)
        meaning = text("{part}, {label}: {each}.", part=race.part or "", label=race.label, each=each)
        label = race.number if numbered and race.number is not None else render(race.label)
        told.append(explained(Content.assemble((f" {label}", "$ink"), *figures), meaning, "scoring"))
    cell = max((one.cell_length for one in told), default=1) + 1
    columns = max(1, (width + 1) // cell)
    for first in range(0, len(told), columns):
        row = [one.pad_right(cell - one.cell_length) for one in told[first : first + columns]]
        yield Content.assemble(*row).rstrip()


def _has_one_row(scene: Scene[Any], face: Face[Any], width: int, height: int) -> bool:
    """Return whether each person has one of `height` rows for good.

    So it is where one has room for all that a second one would tell, and where two would leave none for what
    everybody did one after the other.
    """
    seats, heads = len(scene.names), 2
    needed = heads + 2 * seats + _OWN_LINES + seats - 1
    is_crowded = needed > height and not face.all_at_once
    return is_crowded or (face.person is face.stock and width + _MARGIN >= RACE_WIDTH)


def _tells_own(scene: Scene[Any], face: Face[Any]) -> bool:
    """Return whether the news are those of the viewer's own turn."""
    own = (entry.seat == scene.viewer for entry in scene.just_happened())
    return not face.news(scene) and all(own) and not scene.stood_in


def _note(words: str, width: int) -> list[Content]:
    note = explained((words, "$ink-dim"), text("Nothing to show yet."))
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
    told = text("A bot played for you while you were away; you can take your seat back any time.")
    return explained((said, "$happened"), told).wrap(max(8, width))


_NEWS: Final = text("What has happened since your last turn, in turn order.")
_STANDING: Final = text("What all contests would score if the match ended now.")
_LOG: Final = text("What has happened in this match; {log} shows and hides it all.", log=KEYS["log"].word)


def who(scene: Scene[Any], face: Face[Any], seat: Seat, glyphs: Glyphs) -> Text:
    """Return who sits on a seat, the sign by which what is theirs is known, and a bot's style."""
    there, name, sign = scene.table.seats[seat], scene.name(seat), glyphs.owner(seat)
    if there.stand_in:
        return text("A bot is playing for {name}; their sign is {sign}.", name=name, sign=sign)
    if there.bot:
        label, style = bot_label(there.bot), face.styles.get(there.style or "")
        if style is not None:
            return text(
                "{name}, {bot}: their sign is {sign}. {style}", name=name, sign=sign, bot=label, style=style
            )
        return text("{name}, {bot}: their sign is {sign}.", name=name, sign=sign, bot=label)
    if seat == scene.viewer and not scene.is_through_other_eyes:
        return text("{name}: this is you; your sign is {sign}, in this colour.", name=name, sign=sign)
    return text("{name}: their sign is {sign}, in this colour.", name=name, sign=sign)


def turn_words(scene: Scene[Any], face: Face[Any], seat: Seat) -> Text:
    """Return what the sign of somebody's turn says."""
    if face.all_at_once:
        return text("{name} has not chosen yet.", name=scene.name(seat))
    return text("It is {name}'s turn.", name=scene.name(seat))


def gain_words(name: str, gain: int) -> Text:
    """Return what the figure before somebody's points says."""
    return text(
        "{gain} for {name} from the move under the cursor, if scored then.", gain=f"{gain:+}", name=name
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
