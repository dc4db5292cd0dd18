"""The score line by line, each with a sentence of explanation; at the end beside a map that shows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from textwrap import wrap
from typing import ClassVar, Final

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.events import Click
from textual.strip import Strip

from kk_core.games.web_of_power.model import (
    COUNTRIES,
    COUNTRY_NAMES,
    KIND_OF_COUNTRY,
    SHORTEST,
    Observation,
    Pair,
    counts_of,
)
from kk_core.text import Text, listed, text, texts
from kk_core.types import Seat
from kk_tui.games.web_of_power.panels import advisors, chained_roads, cloisters, seats_of
from kk_tui.games.web_of_power.picture import NOTHING_SHOWN, Highlight, Marks, Painter, painter_for
from kk_tui.games.web_of_power.theme import COUNTRY_CODES, SHORT_NAMES, kind_variable
from kk_tui.i18n import _, is_on_screen, render
from kk_tui.keymap import KEYS
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs, figures, letter
from kk_tui.widgets.canvas import Canvas
from kk_tui.widgets.lines import GLUE, glued_figures

INTERIM, FINAL, ALLIANCES, CHAINS = range(4)
PARTS: Final = (text("Interim scoring"), text("Final scoring"), text("Alliances"), text("Chains"))
"""The parts of the score in scoring order."""

_FINAL_ROWS: Final = len(COUNTRIES)
_ALLIANCE_ROWS: Final = 2 * len(COUNTRIES)


@dataclass(frozen=True)
class ChartLine:
    """A line of the score: its part, label, everybody's points, its place on the map, and the reason.

    `shorter` are labels for where there is less room, the longest first. `colour` is the theme variable of
    its label's ground, if it has one. `built` are everybody's cloisters in its country when it was scored.
    `rule` says what gives points in such a line.
    """

    part: int
    label: Text
    points: tuple[int, ...]
    shown: Highlight
    why: Text
    rule: Text
    colour: str | None = None
    built: tuple[int, ...] = ()
    shorter: tuple[Text, ...] = ()


_CLOISTERS_SCORE: Final = text("First: a point per cloister there; others: per cloister of the place ahead.")
_ALLIANCES_SCORE: Final = text("Most advisors in both countries, or a tie: a point for each advisor there.")
_CHAINS_SCORE: Final = text(
    "{least} or more cloisters in a line along roads, without branches: a point each.", least=SHORTEST
)


def score_lines(scene: Scene[Observation]) -> list[ChartLine]:
    """Return all lines that gave somebody points, in scoring order."""
    found = [*_countries(scene.observation), *_alliances(scene.observation)]
    return [line for line in (*found, *chains(scene)) if any(line.points)]


def _countries(view: Observation) -> Iterator[ChartLine]:
    for part, first in ((INTERIM, 0), (FINAL, _FINAL_ROWS)):
        for country in view.printed.scoring_order:
            points, name = view.sheet[first + country], COUNTRY_NAMES[country]
            # from the points, since after the interim scoring more may have been built
            built = counts_of(points)
            said: dict[str, str | Text] = {
                "country": name, "cloisters": figures(built), "points": figures(points),
            }  # fmt: skip
            why = text("{country}; cloisters: {cloisters}; points: {points}.", **said)
            if part == INTERIM and figures(built) != figures(cloisters(view, country)):
                why = text(
                    "{country} at the interim scoring; cloisters: {cloisters}; points: {points}.", **said
                )
            shown, colour = Highlight(frozenset((country,))), kind_variable(KIND_OF_COUNTRY[country])
            code = COUNTRY_CODES[country]
            yield ChartLine(part, name, points, shown, why, _CLOISTERS_SCORE, colour, built, (code,))


def _alliances(view: Observation) -> Iterator[ChartLine]:
    for number, pair in enumerate(view.printed.alliances, 1):
        points = view.sheet[_ALLIANCE_ROWS + number - 1]
        first, second = (COUNTRY_NAMES[country] for country in pair)
        why = text(
            "Alliance {number}; advisors: {first} {ours}, {second} {theirs}; points: {points}.",
            number=number, first=first, ours=figures(advisors(view, pair[0])),
            second=second, theirs=figures(advisors(view, pair[1])), points=figures(points),
        )  # fmt: skip
        label, *shorter = (
            alliance_name(number, pair, names) for names in (COUNTRY_NAMES, SHORT_NAMES, COUNTRY_CODES)
        )
        shorter.append(Text(f"#{number}"))  # a number alone would look like one of lines left out
        shown = Highlight(frozenset(pair), alliances=frozenset((number,)))
        yield ChartLine(ALLIANCES, label, points, shown, why, _ALLIANCES_SCORE, shorter=tuple(shorter))


def alliance_name(number: int, pair: Pair, names: Sequence[Text]) -> Text:
    """Return an alliance as it is named everywhere: its number, which is on the map, then its countries."""
    first, second = (names[country] for country in pair)
    return text("{number} {first}-{second}", number=number, first=first, second=second)


def chains(scene: Scene[Observation]) -> Iterator[ChartLine]:
    """Yield the chains that have scored, which are known once the match is over."""
    view = scene.observation
    for seat, own in enumerate(view.chains):
        for chain in own:
            countries = [view.printed.country_of[space] for space in chain]
            points = tuple(len(chain) if each == seat else 0 for each in seats_of(view))
            label, *shorter = (
                text("{letter}: {countries}", letter=letter(seat), countries=_ends(countries, names))
                for names in (COUNTRY_NAMES, SHORT_NAMES, COUNTRY_CODES)
            )
            shorter.append(_ends(countries, COUNTRY_CODES))  # its points show whose it is
            shown = Highlight(frozenset(countries), frozenset(chain), chained_roads(view, chain))
            why = _chain_words(scene, seat, chain)
            yield ChartLine(CHAINS, label, points, shown, why, _CHAINS_SCORE, shorter=tuple(shorter))


def _ends(countries: Sequence[int], names: Sequence[Text]) -> Text:
    """Return where a chain begins and ends."""
    first, last = names[countries[0]], names[countries[-1]]
    return first if countries[0] == countries[-1] else text("{first}-{second}", first=first, second=last)


def _chain_words(scene: Scene[Observation], seat: Seat, chain: Sequence[int]) -> Text:
    """Return whose a chain is, and where: in countries, or in lines of text from space to space."""
    printed = scene.observation.printed
    said: dict[str, int | str] = {"name": scene.name(seat), "length": len(chain)}
    if not is_on_screen():
        spaces = "-".join(printed.spaces[space] for space in chain)
        return text(
            "{name}'s chain of {length} cloisters gives {length} points: {spaces}.", spaces=spaces, **said
        )
    countries = [COUNTRY_NAMES[printed.country_of[space]] for space in chain]
    where = [country for country, _same in groupby(countries)]
    return text(
        "{name}'s chain of {length} cloisters gives {length} points: {countries}.",
        countries=listed(where), **said,
    )  # fmt: skip


def in_groups(
    lines: Iterable[ChartLine], start: Sequence[int]
) -> Iterator[tuple[Sequence[ChartLine], Seat | None]]:
    """Yield the lines of each part together, in two groups if somebody takes the lead for good within it.

    With each group comes the seat that takes the lead with its last line. `start` are the points before.
    """
    points = tuple(start)
    for _part, same in groupby(lines, key=attrgetter("part")):
        part = list(same)
        ahead = [_ahead(points)]
        for line in part:
            points = tuple(map(sum, zip(points, line.points, strict=True)))
            ahead.append(_ahead(points))
        behind = [at for at, seat in enumerate(ahead) if seat != ahead[-1]]
        if ahead[-1] is None or not behind:
            yield part, None
            continue
        turn = behind[-1] + 1
        yield part[:turn], ahead[-1]
        if part[turn:]:
            yield part[turn:], None


def _ahead(points: Sequence[int]) -> Seat | None:
    """Return the seat with the most points, if there is only one."""
    most = max(points)
    return points.index(most) if points.count(most) == 1 else None


def together(scene: Scene[Observation], lines: Sequence[ChartLine], leader: Seat | None) -> ChartLine:
    """Return several lines of a part as one; `leader` takes the lead with them."""
    (first, *_others), n = lines, len(lines)
    shown = [line.shown for line in lines]
    what = {
        ALLIANCES: texts("{n} alliance", "{n} alliances", n),
        CHAINS: texts("{n} chain", "{n} chains", n),
    }.get(first.part, texts("{n} country", "{n} countries", n))
    points = tuple(map(sum, zip(*(line.points for line in lines), strict=True)))
    why = text("{what}; points: {points}.", what=what, points=figures(points))
    if leader is not None:
        name = scene.name(leader)
        why = text(
            "{what}; points: {points}. {name} is ahead now.", what=what, points=figures(points), name=name
        )
    marked = Highlight(
        # all the countries of several alliances would be nearly all there are
        frozenset[int]()
        if first.part == ALLIANCES
        else frozenset[int]().union(*(one.countries for one in shown)),
        frozenset[int]().union(*(one.spaces for one in shown)),
        frozenset[int]().union(*(one.roads for one in shown)),
        frozenset[int]().union(*(one.alliances for one in shown)),
    )
    return ChartLine(first.part, what, points, marked, why, first.rule)


def inked_lines(sentence: Text, ink: str, width: int) -> list[tuple[str, str]]:
    """Return a sentence in lines of a width, each with its ink."""
    # a chain is one long word, which may be broken at its dashes
    return [(line.replace(GLUE, " "), ink) for line in wrap(glued_figures(render(sentence)), width)]


_FIGURE: Final = 3
"""Columns of a seat's points."""

_LABEL: Final = 11
"""Minimum columns of a label, including the signs around it."""

_BROAD: Final = 100
"""Columns from which labels have more room than they need; below, the map gets all the rest."""

_HEAD: Final = 2
"""Lines above the list that stay: the seats and their totals."""
_WORDS: Final = 2
"""Lines below list and map for the reason and the rule; list and map give way where these need more."""

_HIGH: Final = 24
"""Lines from which there is one more, for the keys to the other lines."""


class MapScoreChart(Canvas[Painter], can_focus=True):
    """A list to walk through, and the map; a small map shows the part that the line is about."""

    DEFAULT_CSS = "MapScoreChart { height: 100%; width: 100%; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(f"down,right,{KEYS['next'].key}", "walk(1)", show=False),
        Binding(f"up,left,{KEYS['previous'].key}", "walk(-1)", show=False),
        Binding("pagedown", "walk(8)", show=False),
        Binding("pageup", "walk(-8)", show=False),
        Binding("end", "walk(999)", show=False),
        Binding("home", "walk(-999)", show=False),
    ]

    def __init__(self, scene: Scene[Observation], _glyphs: Glyphs) -> None:
        super().__init__()
        self.scene = scene
        self.lines = score_lines(scene)
        self.at = 0
        self._rows = list(_rows(self.lines))
        self._words_told: list[tuple[str, str]] | None = None

    # -- measures --------------------------------------------------------------------------------------------

    def make_painter(self) -> Painter:
        """Return the painter of the map for the room that the list leaves."""
        width = self.size.width
        least = _LABEL + _FIGURE * len(self.scene.names)
        wide = width - max(least, width // 3 if width >= _BROAD else 0)
        high = max(1, self.size.height - self._least_words)
        return painter_for(self.scene, wide, high, self.glyphs, self.ink, has_colours=self.has_colours)

    @property
    def list_width(self) -> int:
        """Columns of the list."""
        return self.size.width - self.painter.layout.width

    @property
    def room(self) -> int:
        """Lines for the map, and for the list including its head."""
        return max(1, self.size.height - max(self._least_words, len(self._told())))

    @property
    def _least_words(self) -> int:
        """Lines below list and map, at least."""
        return _WORDS + (self.size.height >= _HIGH)

    def _told(self) -> list[tuple[str, str]]:
        """Return the reason for the points of the chosen line, then its rule, in lines with their inks."""
        # cached: every line of the chart asks how many there are
        if self._words_told is None:
            width = self.size.width - 1
            self._words_told = []
            for line in self.lines[self.at : self.at + 1]:
                self._words_told += inked_lines(line.why, "gold", width)
                self._words_told += inked_lines(line.rule, "ink", width)
        return self._words_told

    def forget(self) -> None:
        """Forget the words too."""
        super().forget()
        self._words_told = None

    # -- walking ---------------------------------------------------------------------------------------------

    def action_walk(self, by: int) -> None:
        """Move to another line."""
        if self.lines:
            self._go((self.at + by) % len(self.lines) if abs(by) == 1 else self.at + by)

    def _go(self, to: int) -> None:
        self.at, self._words_told = max(0, min(len(self.lines) - 1, to)), None
        self.refresh()

    def on_click(self, event: Click) -> None:
        """Move to the line that was clicked in the list."""
        row = event.y - _HEAD + self._first_row()
        if event.x < self.list_width and _HEAD <= event.y < self.room and row < len(self._rows):
            number = self._rows[row]
            if isinstance(number, int):
                self._go(number)

    def _first_row(self) -> int:
        """Return the first visible row of a list that is too long: the chosen line is in the middle."""
        room = self.room - _HEAD
        row = self._rows.index(self.at) if self.lines else 0
        return max(0, min(row - room // 2, len(self._rows) - room))

    def _first_line(self) -> int:
        """Return the first line of a map that is too high, so that it shows what the chosen line is about."""
        layout = self.painter.layout
        if layout.height <= self.room or not self.lines:
            return 0
        shown = self.lines[self.at].shown
        heights = [layout.spaces[space].y for space in shown.spaces]
        heights += [] if heights else [layout.crests[country].y for country in shown.countries]
        heights += [layout.numbers[number - 1].y for number in shown.alliances]
        middle = (min(heights) + max(heights)) // 2
        return max(0, min(middle - self.room // 2, layout.height - self.room))

    # -- drawing ---------------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """Draw a line of list and map, or of the text below them."""
        width = self.size.width
        ground = self.ink("ink", on="ground")
        if y >= self.room:
            return Strip(self._words(y - self.room)).adjust_cell_length(width, ground)
        return Strip([*self._list(y), *self._map(y)]).adjust_cell_length(width, ground)

    def _words(self, row: int) -> list[Segment]:
        """Return a row about the chosen line or, if that leaves the last one free, the keys to the others."""
        told = self._told()
        if row < len(told):
            words, ink = told[row]
            return [Segment(f" {words}", self.ink(ink, on="ground", bold=ink == "gold"))]
        if row < self.size.height - self.room - 1 or not self.lines:
            return []
        others = _("{at} of {lines}: up and down for the others.", at=self.at + 1, lines=len(self.lines))
        return [Segment(f" {others}", self.ink("ink-dim", on="ground"))]

    def _map(self, y: int) -> list[Segment]:
        line = y + self._first_line()
        if line >= self.painter.layout.height:
            return []
        shown = self.lines[self.at].shown if self.lines else NOTHING_SHOWN
        return self.painter.line(self.scene.observation, Marks(shown=shown), line)

    def _list(self, y: int) -> list[Segment]:
        seats = range(len(self.scene.names))
        if y == 0:
            return self._row("", [self.glyphs.owner(seat) for seat in seats], "ink-dim")
        if y == 1:
            return self._row(_("Total"), [str(points) for points in self.scene.observation.points], "gold")
        number = y - _HEAD + self._first_row()
        if number >= len(self._rows):
            return [Segment(" " * self.list_width, self.ink("ink", on="ground"))]
        row = self._rows[number]
        more = self._more(y, number)
        if isinstance(row, str):
            return self._row(row, [], "gold", more=more)
        line = self.lines[row]
        points = [str(n or "") for n in line.points]
        return self._row(
            f" {self._label(line)}", points, "ink", chosen=row == self.at, more=more, ground=line.colour
        )

    def _more(self, y: int, number: int) -> str:
        """Return a sign for the first and the last visible row if the list continues there."""
        if y == _HEAD and number > 0:
            return self.glyphs["up"]
        return self.glyphs["down"] if y == self.room - 1 and number < len(self._rows) - 1 else " "

    def _label(self, line: ChartLine) -> str:
        """Return the longest form of a label that the list is wide enough for in all lines of its part."""
        room = self.list_width - 3 - _FIGURE * len(line.points)
        part = [[*map(render, (one.label, *one.shorter))] for one in self.lines if one.part == line.part]
        every = enumerate(zip(*part, strict=True))
        fitting = (form for form, labels in every if max(map(cell_len, labels)) <= room)
        return render((line.label, *line.shorter)[next(fitting, -1)])

    def _row(
        self, label: str, points: Sequence[str], colour: str, *, chosen: bool = False, more: str = " ",
        ground: str | None = None,
    ) -> list[Segment]:  # fmt: skip
        """Return a label and the seats' points; the chosen line has a pointer and the cursor's colour.

        The highest points are bold. `more` stands on the left, since on the right it would touch a figure.
        """
        on = "cursor" if chosen else "ground"
        style = self.ink("cursor-ink" if chosen else colour, on=on, bold=chosen or colour == "gold")
        room = self.list_width - 2 - _FIGURE * len(points)
        label = label if cell_len(label) <= room else label.lstrip()
        mark = Segment(more, self.ink("gold", on="ground"))
        if chosen:
            mark = Segment(self.glyphs["cursor"], style)
        if ground is not None and not chosen:
            style = self.ink("country-ink", on=ground)
        most = max(map(_figure, points), default=0)
        figures = [
            Segment(
                f"{figure:>{_FIGURE}}",
                self.ink("cursor-ink" if chosen else f"seat-{seat}", on, bold=_figure(figure) == most),
            )
            for seat, figure in enumerate(points)
        ]
        words = Segment(set_cell_size(label, room), style)
        return [mark, words, *figures, Segment(" ", self.ink("ink", on="ground"))]


def _figure(words: str) -> int:
    """Return the text of a cell as a number; 0 for a sign, or if empty."""
    return int(words) if words.isdecimal() else 0


def _rows(lines: Sequence[ChartLine]) -> Iterator[int | str]:
    """Yield the numbers of the lines, with a heading before each part."""
    part = None
    for number, line in enumerate(lines):
        if line.part != part:
            part = line.part
            yield render(PARTS[part])
        yield number
