"""The map as a widget to look at: lines drawn once and cached, and words about one thing on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rich.cells import cell_len
from rich.segment import Segment
from textual.content import Content
from textual.geometry import Region
from textual.strip import Strip

from kk_core.games.web_of_power.model import (
    CLOISTER_OF,
    COUNTRY_NAMES,
    FREE,
    KIND_OF_COUNTRY,
    Observation,
    Printed,
)
from kk_core.text import Text, text
from kk_core.types import Ends, Seat, Sheet, totals
from kk_tui.games import Race
from kk_tui.games.web_of_power.chart import ChartLine, alliance_name, inked_lines, score_lines
from kk_tui.games.web_of_power.choices import CREST, Payments, Target, country_of
from kk_tui.games.web_of_power.land import SEA
from kk_tui.games.web_of_power.meaning import GROUNDS, explain, target_sign
from kk_tui.games.web_of_power.panels import (
    ALLIANCES,
    CHAINS,
    CLOISTERS,
    advisors,
    blocked_chains,
    cloisters,
    free_spaces,
    newest_target,
    recent_targets,
    seats_of,
)
from kk_tui.games.web_of_power.picture import NOTHING_SHOWN, Marks, Painter, Rising, Values, painter_for
from kk_tui.games.web_of_power.theme import COUNTRY_CODES, SHORT_NAMES, kind_variable
from kk_tui.i18n import _, render
from kk_tui.scene import Scene, changes
from kk_tui.theme.glyphs import figures, letter
from kk_tui.widgets.board import Board
from kk_tui.widgets.explanation import Explanation
from kk_tui.widgets.points import bracketed


def detail(scene: Scene[Observation], target: Target, width: int) -> tuple[Text, Text]:
    """Return what a target is and whose, and what its country is like, in `width` columns if possible."""
    printed = scene.observation.printed
    country = country_of(printed, target)
    if target >= CREST:
        partners = _partners(scene, country, COUNTRY_NAMES)
        if cell_len(render(partners)) > width:
            partners = _partners(scene, country, COUNTRY_CODES)
        return _crest(scene.observation, country), partners
    return _space(scene, target), _country(scene.observation, country)


def _space(scene: Scene[Observation], space: int) -> Text:
    """Return whose a space is; its name is not on the map, where the cursor shows it."""
    view = scene.observation
    owner, country = view.board[space], COUNTRY_NAMES[view.printed.country_of[space]]
    if owner == FREE:
        return text("{country}: a free space", country=country)
    name = scene.name(owner - CLOISTER_OF)
    if blocked := blocked_chains(view, space):
        others = scene.names_of(sorted(blocked))
        return text("{country}: {name} blocks a chain of {others}", country=country, name=name, others=others)
    return text("{country}: a cloister of {name}", country=country, name=name)


def _country(view: Observation, country: int) -> Text:
    return text(
        "Cloisters {cloisters}, {free} free; advisors {advisors}",
        cloisters=figures(cloisters(view, country)),
        free=free_spaces(view, country),
        advisors=figures(advisors(view, country)),
    )


def _crest(view: Observation, country: int) -> Text:
    present, name = advisors(view, country), COUNTRY_NAMES[country]
    most = max(cloisters(view, country))
    if not most:
        return text("Crest of {country}: no advisors until there are cloisters", country=name)
    if not any(present):
        return text("Crest of {country}: no advisors yet, room for {most}", country=name, most=most)
    return text(
        "Crest of {country}: {taken} of {most} advisors, {advisors}",
        country=name, taken=sum(present), most=most, advisors=figures(present),
    )  # fmt: skip


def _partners(scene: Scene[Observation], country: int, names: Sequence[Text]) -> Text:
    """Return the alliances of a country, each with the letters of those who hold it."""
    held, partners = holders(scene.standing), list[str]()
    for number, pair in enumerate(scene.observation.printed.alliances):
        if country in pair:
            signs = "".join(map(letter, held[number]))
            partner = f"{number + 1} {render(names[sum(pair) - country])}"
            partners.append(f"{partner} {bracketed(signs)}" if signs else partner)
    return text("Alliances: {partners}", partners=", ".join(partners))


def races(scene: Scene[Observation]) -> Sequence[Race]:
    """Return all contests in scoring order, with the points that each would give now."""
    return (*_countries(scene), *_alliances(scene), *_chains(scene))


def values(standing: Sheet) -> Values:
    """Return the points of a sheet that can be written over the map."""
    return Values(standing[CLOISTERS:ALLIANCES], standing[ALLIANCES:CHAINS])


def holders(standing: Sheet) -> tuple[tuple[Seat, ...], ...]:
    """Return the seats that each alliance would give points to now."""
    return tuple(
        tuple(seat for seat, points in enumerate(line) if points) for line in standing[ALLIANCES:CHAINS]
    )


def _countries(scene: Scene[Observation]) -> Iterator[Race]:
    view = scene.observation
    for country in view.printed.scoring_order:
        line = CLOISTERS + country
        yield Race(
            label=COUNTRY_NAMES[country],
            code=COUNTRY_CODES[country],
            short=SHORT_NAMES[country],
            colour=kind_variable(KIND_OF_COUNTRY[country]),
            counts=cloisters(view, country),
            points=scene.standing[line],
            line=(line,),
        )


def _alliances(scene: Scene[Observation]) -> Iterator[Race]:
    """Yield the alliances for which somebody has sent advisors to both countries, with all who are there."""
    view = scene.observation
    for number, (first, second) in enumerate(view.printed.alliances):
        both = [*zip(advisors(view, first), advisors(view, second), strict=True)]
        points = scene.standing[ALLIANCES + number]
        if any(a and b for a, b in both):
            yield Race(
                label=alliance_name(number + 1, (first, second), COUNTRY_CODES),
                part=text("Alliances"),
                number=number + 1,
                colour=None,
                counts=tuple(a + b for a, b in both),
                points=points,
                line=(ALLIANCES + number,),
                why=None if any(points) else text("Nobody has the most in both."),
            )


def _chains(scene: Scene[Observation]) -> Iterator[Race]:
    points = scene.standing[CHAINS]
    yield Race(text("Chains"), None, tuple(0 for _ in seats_of(scene.observation)), points, line=(CHAINS,))


def _headed(words: Iterable[str]) -> list[tuple[str, str]]:
    """Return lines with their inks, the first that of a heading."""
    return [(line, "ink-dim" if number else "gold") for number, line in enumerate(words)]


DETAIL: Final = 2
"""Lines below the map; words about a line of the score that need more lie over its lowest lines."""


_APART: Final = 2
"""Blanks at least between the words below the map and the signs on it that are named beside them."""


class MapView(Board[Observation, Painter]):
    """The map, its cursor and the place in the score."""

    def __init__(self, scene: Scene[Observation]) -> None:
        super().__init__(scene)
        self.cursor: Target = 0
        self.has_pointed = False
        """True once the cursor has been moved: until then it is nowhere for those who only watch."""
        self.score_line: int | None = None
        self.counted: ChartLine | None = None
        """The line of the score, or several as one, that an animation shows; None if the board's keys do."""
        self.has_values = False
        """True if the points that countries and alliances would give now are written over the map."""
        self.marked: tuple[tuple[Target, str], ...] = ()
        """The targets of a hint's moves with their marks."""
        self._preview: Sheet | None = None
        self.ends: Ends | None = None
        """What the move of Enter would end; None while unknown."""
        self._marks = Marks()
        self._rising: Rising | None = None
        self._lines: dict[int, Strip] = {}
        self._words: list[tuple[str, str]] | None = None
        self._told: tuple[Scene[Observation] | None, dict[tuple[Target, int], list[str]]] = None, {}

    # -- what is known ---------------------------------------------------------------------------------------

    @property
    def view(self) -> Observation:
        """The viewer's observation."""
        return self.scene.observation

    @property
    def printed(self) -> Printed:
        """The board and the deck of this match."""
        return self.view.printed

    @property
    def score(self) -> list[ChartLine]:
        """The lines of the score so far."""
        return score_lines(self.scene)

    @property
    def open(self) -> Payments:
        """Hook: the placements that are possible now."""
        return {}

    # -- drawing ---------------------------------------------------------------------------------------------

    def make_painter(self) -> Painter:
        """Return the painter for the current size."""
        width, height = self.size.width, self.size.height - DETAIL
        return painter_for(self.scene, width, height, self.glyphs, self.ink, has_colours=self.has_colours)

    @property
    def corner(self) -> tuple[int, int]:
        """The column and line of the widget where the map begins."""
        (width, height), layout = self.size, self.painter.layout
        return max(0, (width - layout.width) // 2), max(0, (height - DETAIL - layout.height) // 2)

    def forget(self) -> None:
        """Forget the lines too."""
        super().forget()
        self._lines.clear()
        self._words = None

    def render_line(self, y: int) -> Strip:
        """Draw a line, once until it changes."""
        if y not in self._lines:
            self._lines[y] = self._line(y)
        return self._lines[y]

    def render_part(self, crop: Region) -> list[Strip]:
        """Draw a part of the map without the rest of its lines."""
        left, top = self.corner
        painter = self.painter
        part, layout = crop.translate((-left, -top)), painter.layout
        is_inside = Region(0, 0, layout.width, layout.height).contains_region(part)
        if not is_inside or crop.bottom > self.size.height - self.told_lines:
            return super().render_part(crop)
        columns = range(*part.column_span)
        lines = (painter.part(self.view, self._marks, y, columns) for y in part.line_range)
        return [Strip(line, crop.width) for line in lines]

    def _line(self, y: int) -> Strip:
        width, height = self.size
        sea = self.ink("web_of_power-wave", on="web_of_power-sea")
        above = height - self.told_lines
        if y >= above:
            ground = self.ink("ink", on="ground")
            return Strip(self._detail(y - above)).adjust_cell_length(width, ground)
        left, top = self.corner
        if not top <= y < top + self.painter.layout.height:
            return Strip([Segment(" " * width, sea)], width)
        line = [Segment(" " * left, sea), *self.painter.line(self.view, self._marks, y - top)]
        return Strip(line).adjust_cell_length(width, sea)

    def _detail(self, line: int) -> list[Segment]:
        shown, ink = self._below[line] if line < len(self._below) else ("", "ink")
        style = self.ink(ink, on="ground", bold=ink == "gold")
        words = f" {shown[: self.size.width - 2]}"
        return [Segment(words, style), *self._legend(line, self.size.width - 1 - cell_len(words))]

    def _legend(self, line: int, room: int) -> list[Segment]:
        """Return what the numbers on the map are, or its thick roads, right of the words if there is room."""
        if self.score_line is not None or line >= DETAIL:
            return []
        numbers = f"1-{len(self.printed.alliances)}", "web_of_power-alliance-ink", "web_of_power-alliance"
        road = 2 * self.glyphs["web_of_power-own-h"], "ink", "ground"
        (sign, ink, on), name = ((numbers, _("alliances")), (road, _("chain")))[line]
        words = f" {name}"
        gap = room - cell_len(sign) - cell_len(words)
        if gap < _APART:
            return []
        plain = self.ink("ink-dim", on="ground")
        return [
            Segment(" " * gap, plain),
            Segment(sign, self.ink(ink, on=on, bold=True)),
            Segment(words, plain),
        ]

    @property
    def _below(self) -> list[tuple[str, str]]:
        """The words below the map, in lines with their inks."""
        # cached: every line of the map asks how many there are
        if self._words is None:
            if self.score_line is not None:
                self._words = self._about_score(self.score_line)
            elif self.has_values:
                self._words = _headed(map(render, self._about_values()))
            else:
                target = self._told_target
                self._words = _headed(() if target is None else self._with_preview(self._about(target)))
        return self._words

    @property
    def told_lines(self) -> int:
        """The lines of words, at least those below the map."""
        return max(DETAIL, len(self._below))

    def _about_score(self, at: int) -> list[tuple[str, str]]:
        """Return the reason for a line of the score, then its rule, in lines with their inks.

        While the line is counted the prompt tells the reason, and covers as many lines as that takes beyond
        its own.
        """
        room, score = self.size.width - 2, self.score
        line = self.counted or score[at]
        rule = inked_lines(line.rule, "ink", room)
        if self.counted is not None:
            covered = len(Content(render(line.why)).wrap(self.screen.size.width - 2)) - 1
            return [*rule, *[("", "ink")] * covered]
        reason = text("{at} of {lines}. {why}", at=at + 1, lines=len(score), why=line.why)
        return [*inked_lines(reason, "gold", room), *rule]

    def _about(self, target: Target) -> list[str]:
        # cached: both lines ask for them, and again when the cursor comes back
        if self._told[0] is not self.scene:
            self._told = self.scene, {}
        told, room = self._told[1], self.size.width - 2
        if (target, room) not in told:
            told[target, room] = [render(sentence) for sentence in detail(self.scene, target, room)]
        return told[target, room]

    @property
    def laid(self) -> Target | None:
        """Hook: the target where a piece that Enter would place is laid out."""
        return None

    def foresee(self, preview: Sheet | None, ends: Ends | None, wanted: Sequence[int] = ()) -> None:  # noqa: ARG002
        """Show below the map what a scoring right after the move under the cursor would change."""
        self.ends = ends
        if preview is not self._preview:
            self._preview = preview
            self._redraw()

    def _with_preview(self, about: list[str]) -> list[str]:
        """Return the words about a thing, with those about the move there added or replacing them."""
        gains = changes(self.scene, self._preview)
        if not any(gains):
            return about
        points = " ".join(f"{letter(seat)} {gain:+}" for seat, gain in enumerate(gains) if gain)
        told = render(text("If scored after this move: {points}", points=points))
        both = f"{about[1]}  {told}"
        return [about[0], both if cell_len(both) <= self.size.width - 2 else told]

    def _about_values(self) -> tuple[Text, Text]:
        standing = self.scene.standing
        chained, head = standing[CHAINS], text("If scored now: {points}", points=figures(totals(standing)))
        if any(chained):  # which have no place on the map where their points could be written
            return head, text("On the map, and for chains: {points}", points=figures(chained))
        return head, text("Points on the map; Esc takes them off.")

    def _redraw(self, *targets: Target) -> None:
        """Redraw some targets with the signs beside them, and the words below the map."""
        self._mark()
        size = self.size
        (left, top), boxes = self.corner, self.painter.layout.boxes
        regions = [Region(0, size.height - self.told_lines, size.width, self.told_lines)]
        for box in (boxes[target] for target in targets):
            beside = Region(left + box.x - 1, top + box.y, box.width + 2, box.height)
            regions.append(beside.intersection(size.region))
        for y in (y for region in regions for y in region.line_range):
            self._lines.pop(y, None)
        self.refresh(*regions)

    def _redraw_all(self) -> None:
        """Redraw the lines that look different now."""
        self._mark()
        for y in range(self.size.height):
            old, new = self._lines.get(y), self._line(y)
            if new != old:
                self._lines[y] = new
                self.refresh(Region(0, y, self.size.width, 1))

    def _mark(self) -> None:
        """Take what is marked now; the words below the map may be others."""
        self._words = None
        is_map = self.score_line is None
        shown = NOTHING_SHOWN
        if self.score_line is not None:
            shown = (self.counted or self.score[self.score_line]).shown
        self._marks = Marks(
            cursor=self._shown_cursor if is_map else None,
            hovered=self.hovered if is_map else None,
            laid=self.laid if is_map else None,
            open=frozenset(self.open),
            # while points are counted, nothing else is framed
            recent=recent_targets(self.scene) if is_map else frozenset(),
            shown=shown,
            marked=self.marked,
            values=values(self.scene.standing) if self.has_values and is_map else None,
            holders=self._holders if is_map else (),
            rising=self._rising,
        )

    @property
    def _holders(self) -> tuple[tuple[Seat, ...], ...]:
        before = None if self._rising is None else self._rising.holders
        return holders(self.scene.standing) if before is None else before

    # -- the motion of a step --------------------------------------------------------------------------------

    def show_moving(self, mark: object) -> None:
        """Show a piece as it rises, or everything as it is."""
        rising = mark if isinstance(mark, Rising) else None
        if rising != self._rising:
            self._rising = rising
            self._redraw_all()

    def region_of(self, thing: int) -> Region:
        """Return a space or crest."""
        (left, top), box = self.corner, self.painter.layout.boxes[thing]
        return Region(left + box.x, top + box.y, box.width, box.height)

    # -- what is meant ---------------------------------------------------------------------------------------

    def explain(self, x: int, y: int) -> Explanation:
        """Return the meaning of a place on the map; everything around it is sea."""
        if y >= self.size.height - self.told_lines:
            return Explanation(
                text("These lines describe what is under the cursor or the mouse."), "on-the-screen"
            )
        (left, top), layout, sign = self.corner, self.painter.layout, GROUNDS[SEA]
        if 0 <= x - left < layout.width and 0 <= y - top < layout.height:
            sign = self.painter.sign(self.view, self._marks, x - left, y - top)
        return explain(self.scene, sign)

    @property
    def _shown_cursor(self) -> Target | None:
        """The target at which the cursor is shown; None where nothing can be pointed at, as in a replay."""
        is_hidden = self.scene.viewer is None and not self.has_pointed
        is_hidden = is_hidden or (self.scene.is_past and not self.scene.may_act)
        return None if is_hidden else self.cursor

    @property
    def _told_target(self) -> Target | None:
        """The target that the words below the map are about: if none is pointed at, the last placed."""
        target = self._shown_cursor if self.hovered is None else self.hovered
        return newest_target(self.scene) if target is None else target

    def explain_cursor(self) -> Explanation | None:
        """Return the meaning of the space or crest under the cursor, if it is shown."""
        target = self._shown_cursor
        return None if target is None else explain(self.scene, target_sign(target))

    def cursor_place(self) -> Region | None:
        """Return the space or crest under the cursor, if it is shown."""
        target = self._shown_cursor
        return None if target is None else self.region_of(target)

    # -- the mouse -------------------------------------------------------------------------------------------

    def thing_at(self, x: int, y: int) -> int | None:
        """Return the space or crest at a place."""
        left, top = self.corner
        return self.painter.layout.target_at(x - left, y - top)

    def hover_changed(self) -> None:
        """Update the words below the map, and what a click would do."""
        targets = (self._marks.hovered, self.hovered)
        self._redraw(*(target for target in targets if target is not None))
        if self.open:
            self.tell()
