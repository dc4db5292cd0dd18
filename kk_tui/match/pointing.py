"""Explanations of signs on the table: the one under the mouse, or by key one of each kind in turn.

The key begins with what the cursor is on, and what is beside it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, Final, NamedTuple, TypeAlias

from rich.segment import Segment
from textual.content import Content
from textual.errors import NoWidget
from textual.events import Click
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from kk_core.text import Text, text
from kk_tui.i18n import _, render
from kk_tui.keymap import KEYS
from kk_tui.scene import Scene
from kk_tui.screens.base import KkScreen, guarded
from kk_tui.widgets.canvas import RIGHT, Canvas
from kk_tui.widgets.explanation import Explanation

Explainer: TypeAlias = Callable[[int, int], Explanation | None]
"""Returns the meaning of the cell at a column and row of a widget."""


def asks(key: str) -> bool:
    """Return whether a key asks what something means, so that it does not end an explanation."""
    return key in (KEYS["what"].pressed, KEYS["help"].pressed, "f1")


_BESIDE: Final = 4
"""Rows, of two columns each, within which signs are beside what the cursor is on."""


class SignFrame(Canvas[None]):
    """A copy of some cells in colours that neither they nor the cursor have, laid over them."""

    DEFAULT_CSS = "SignFrame { layer: banner; display: none; position: absolute; }"

    def __init__(self) -> None:
        super().__init__(id="sign")
        self._lines: Sequence[str] = ()

    def lie_over(self, place: Region, lines: Sequence[str]) -> None:
        """Show lines at a place on the screen."""
        self._lines = lines
        self.styles.width, self.styles.height, self.styles.offset = *place.size, place.offset
        self.display = True
        self.refresh()

    def clear(self) -> None:
        """Uncover what is below."""
        self.display = False

    def render_line(self, y: int) -> Strip:
        """Draw a line."""
        words = self._lines[y] if y < len(self._lines) else ""
        return Strip([Segment(words, self.ink("cursor-ink", on="happened", bold=True))])


class _Found(NamedTuple):
    """A sign on the walk, and its place in a widget."""

    widget: Widget
    place: Region
    meaning: Explanation

    def has(self, x: int) -> bool:
        """Return whether a column of the widget belongs to the sign."""
        return self.place.x <= x < self.place.right

    def away(self, other: _Found) -> int:
        """Return how far another sign is: the columns between them, two for each row."""
        one, two = self.place, other.place
        return max(0, two.x - one.right, one.x - two.right) + 2 * max(
            0, two.y - one.bottom, one.y - two.bottom
        )


class Pointing:
    """Keeps what is being explained; `changed` is called when that changes."""

    def __init__(self, screen: ExplainingScreen, changed: Callable[[], None]) -> None:
        self._screen = screen
        self._changed = changed
        self._under: Explanation | None = None
        self._is_quiet = False
        self._seen = set[tuple[str, ...]]()
        self._shown: _Found | None = None
        self._is_cut_short = False
        self._ahead: Iterator[_Found] | None = None
        """The rest of a walk; each key continues where the last one stopped."""

    @property
    def is_walking(self) -> bool:
        """True while walking through signs by key."""
        return self._shown is not None

    @property
    def takes_back(self) -> bool:
        """True while a step back ends the walk, or was meant to end one that a move has cut short."""
        return self.is_walking or self._is_cut_short

    @property
    def words(self) -> Text | None:
        """The sentence to show; None if there is none, or the prompt says more."""
        if self._shown is not None:
            return self._shown.meaning.sentence
        under = self._under
        is_silent = under is None or self._is_quiet or (under.gives_way and self._screen.shown.may_act)
        return None if is_silent or under is None else under.sentence

    @property
    def section(self) -> str:
        """The section of the rules about what is explained; empty if there is none."""
        meaning = self._shown.meaning if self._shown is not None else self._under
        return "" if meaning is None else meaning.section

    # -- by the mouse ----------------------------------------------------------------------------------------

    def move(self, x: int, y: int) -> None:
        """Explain what the mouse is on; do nothing if that is the same as before."""
        found, before = self._screen.explain_at(x, y), self._under
        self._under = found
        if before is found or (before and found and before.sentence == found.sentence):
            return
        self._is_quiet = False
        self._end_walk()
        self._changed()

    def rest(self, *, is_steered: bool = False) -> None:
        """Stop explaining what the mouse is on until it is on something else: a key or click matters now.

        If keys move the cursor, the mouse does not count for the rules either.
        """
        was_said = self.words is not None
        self._is_quiet = True
        if is_steered:
            self._under = None
        self._end_walk()
        if was_said:
            self._changed()

    # -- by keys ---------------------------------------------------------------------------------------------

    def cut_short(self) -> None:
        """End an explanation because somebody has moved."""
        was_walking = self.takes_back
        self.rest()
        self._is_cut_short = was_walking

    def walk(self) -> Text | None:
        """Explain a sign of the next kind; return a sentence instead when all have been shown."""
        self._ahead = self._ahead or self._from_cursor()
        found = next(self._ahead, None)
        if found is None:
            self._end_walk()
            self._seen.clear()
            return text("That was every sign on the table; F1 opens the rules about them.")
        self._show(found)
        self._changed()
        return None

    def _show(self, found: _Found) -> None:
        self._is_cut_short = False
        self._seen.add(found.meaning.kind)
        self._shown = found
        drawn = found.widget.render_lines(found.place)
        place = found.place.translate(found.widget.region.offset)
        self._screen.query_one(SignFrame).lie_over(place, [line.text for line in drawn])

    def ask(self, x: int, y: int) -> None:
        """Explain the sign at a place on the screen, framing it; do nothing if there is none."""
        self._end_walk()
        if (found := self._sign_at(x, y)) is not None:
            self._show(found)
            self._changed()

    def leave(self) -> bool:
        """End the walk, even one that a move has cut short; return whether there was one."""
        was_shown = self.takes_back
        self._end_walk()
        self._seen.clear()
        if was_shown:
            self._changed()
        return was_shown

    def _end_walk(self) -> None:
        self._ahead, self._is_cut_short = None, False
        if self._shown is not None:
            self._shown = None
            self._screen.query_one(SignFrame).clear()

    def _sign_at(self, x: int, y: int) -> _Found | None:
        """Return the sign at a place of the screen."""
        for widget, explain in self._screen.explainable:
            if widget.region.contains(x, y) and self._screen.explain_at(x, y) is not None:
                here = x - widget.region.x
                return next(
                    found for found in self._on(widget, explain, y - widget.region.y) if found.has(here)
                )
        return None

    def _from_cursor(self) -> Iterator[_Found]:
        """Yield the sign under the cursor, then those of other kinds beside it, then all others."""
        place = self._screen.cursor_at
        if place is not None and (found := self._sign_at(*place)) is not None:
            yield found
            yield from self._beside(found)
        yield from self._unseen()

    def _beside(self, sign: _Found) -> Iterator[_Found]:
        """Yield signs of kinds not yet shown that are close to another, the closest first.

        Those that give way, as the sea does, have their turn among all others.
        """
        rows = range(
            max(0, sign.place.y - _BESIDE), min(sign.widget.region.height, sign.place.bottom + _BESIDE)
        )
        explain = next(explain for widget, explain in self._screen.explainable if widget is sign.widget)
        close = [
            (away, number, found)
            for number, found in enumerate(found for y in rows for found in self._on(sign.widget, explain, y))
            if not found.meaning.gives_way and (away := sign.away(found)) <= 2 * _BESIDE
        ]
        for _away, _number, found in sorted(close, key=itemgetter(0, 1)):
            if found.meaning.kind not in self._seen:
                yield found

    def _unseen(self) -> Iterator[_Found]:
        """Yield signs of kinds not yet shown, from the board to the side, each with all its columns."""
        for widget, explain in self._screen.explainable:
            for y in range(widget.region.height):
                yield from (
                    found for found in self._on(widget, explain, y) if found.meaning.kind not in self._seen
                )

    @staticmethod
    def _on(widget: Widget, explain: Explainer, y: int) -> Iterator[_Found]:
        """Yield the signs on a line of a widget."""
        row, at = [explain(x, y) for x in range(widget.region.width)], 0
        # neighbouring cells with the same meaning are one sign, however many pieces it was drawn in
        for _said, run in groupby(None if meaning is None else meaning.sentence for meaning in row):
            start, at = at, at + len(list(run))
            meaning = row[start]
            if meaning is not None:
                yield _Found(widget, _whole(widget, explain, Region(start, y, at - start, 1)), meaning)


def _whole(widget: Widget, explain: Explainer, part: Region) -> Region:
    """Return the lines above and below a part of a sign that mean the same in all its columns."""
    sentence = explain(part.x, part.y)

    def is_same(y: int) -> bool:
        row = [explain(x, y) for x in range(part.x, part.right)] if 0 <= y < widget.region.height else []
        return bool(row) and all(one and sentence and one.sentence == sentence.sentence for one in row)

    above, below = part.y, part.bottom
    while is_same(above - 1):
        above -= 1
    while is_same(below):
        below += 1
    return Region(part.x, above, part.width, below - above)


class ExplainingScreen(KkScreen):
    """A screen whose signs explain themselves."""

    def __init__(self) -> None:
        super().__init__()
        self._pointing = Pointing(self, self.say_what_counts)

    @property
    @abstractmethod
    def shown(self) -> Scene[Any]:
        """The scene on the screen."""

    @property
    @abstractmethod
    def explainable(self) -> Sequence[tuple[Widget, Explainer]]:
        """The widgets whose signs explain themselves, each with the function that explains its cells."""

    @property
    def cursor_at(self) -> tuple[int, int] | None:
        """Hook: return the place on the screen of what the cursor is on."""
        return None

    def say_what_counts(self) -> None:
        """Hook: show in the prompt what a sign means, or else the usual prompt."""

    def say_meaning(self) -> bool:
        """Show what a sign means; return whether one is pointed at."""
        meaning = self._pointing.words
        if meaning is not None:
            said = Content(render(meaning)).truncate(self.prompt_width, ellipsis=True)
            more = Content.assemble((f"  {KEYS['what'].shown}", "bold $gold"), (" " + _("next"), "$ink-dim"))
            has_room = said.cell_length + more.cell_length <= self.prompt_width
            self.say(Content.assemble(said, more) if self._pointing.is_walking and has_room else said)
        return meaning is not None

    @guarded
    def mouse_moved(self, x: int, y: int) -> None:
        """Show what the sign under the mouse means."""
        if self.is_alive:
            self._pointing.move(x, y)

    def do_what(self) -> None:
        """Explain a sign of the next kind."""
        if (said := self._pointing.walk()) is not None:
            self.tell(said, "$ink")

    def take_click(self, event: Click) -> bool:
        """Explain what was clicked with the right button; return whether it was that button."""
        is_asking: bool = event.button == RIGHT
        if is_asking:
            self._pointing.ask(int(event.screen_x), int(event.screen_y))
        return is_asking

    def explain_at(self, x: int, y: int) -> Explanation | None:
        """Return the meaning of a cell of the screen; None if it is empty, or a dialog covers it."""
        try:
            widget, _region = self.get_widget_at(x, y)
        except NoWidget:
            return None
        for each, explain in self.explainable:
            # what is lit keeps its meaning
            if each is widget or (isinstance(widget, SignFrame) and each.region.contains(x, y)):
                return explain(x - each.region.x, y - each.region.y)
        return None
