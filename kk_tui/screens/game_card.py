"""A game's picture: beside a form, and on a card with its name and number of players."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Final

from msgspec.structs import replace
from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from kk_core.views import LessonLine
from kk_tui.cover import Cover, drawn_once
from kk_tui.games import Appearance
from kk_tui.i18n import _, render
from kk_tui.widgets.canvas import Canvas
from kk_tui.widgets.form import LineButton

_SMALLEST: Final = 10
"""Minimum rows of pixels for a picture."""

FRAMED: Final = 5
"""Minimum rows of a card for a frame; a lower one needs them all for its words."""

LEAST_PICTURED: Final = _SMALLEST // 2 + FRAMED
"""Minimum rows of a framed card for a picture above three lines of words."""

LEAST_BARE: Final = _SMALLEST // 2 + 2
"""Minimum rows of a card without a frame for a picture above two lines of words."""

_AIRY: Final = 9
"""Lines for a picture from which one more keeps it apart from the words."""

_LEAST_BESIDE: Final = 20
"""Minimum rows of pixels for a picture beside a form."""

_KEPT: Final = 256
"""Wrapped names in the cache: some languages and widths."""


class LessonRow(Horizontal):
    """Below the game cards, a button for the lesson of each game; without any, it takes up no line."""

    def __init__(self, games: Iterable[Appearance]) -> None:
        super().__init__(id="lessons")
        self._games = games
        self.lines: Sequence[LessonLine] = ()

    def compose(self) -> ComposeResult:
        """Make a button for each game."""
        for game in self._games:
            button = LineButton(_("Learn by playing"), id=f"lesson-{game.meta.id}")
            button.visible = button.can_focus = False  # until it is known which games have lessons
            yield button

    def show(self, lines: Sequence[LessonLine], learnt: Collection[str] = ()) -> None:
        """Offer lessons, as new those of games that are new to the user and that they have not `learnt`."""
        self.lines = [replace(line, is_new=line.is_new and line.game not in learnt) for line in lines]
        offered = {f"lesson-{line.game}" for line in self.lines}
        self.set_class(any(button.id in offered for button in self.query(LineButton)), "-shown")
        for button in self.query(LineButton):
            is_new = self.game_of(button) in self.new
            button.say(_("Learn by playing") if is_new else _("Learn again"))
            # not with a class, which would hide it and keep the focus away until the next idle moment
            button.visible = button.can_focus = button.id in offered

    def teaches(self, game: str) -> bool:
        """Return whether there is a lesson of a game, new or not."""
        return any(line.game == game for line in self.lines)

    @property
    def new(self) -> set[str]:
        """The games that are new to the user and have lessons."""
        known = {game.meta.id for game in self._games}
        return {line.game for line in self.lines if line.is_new and line.game in known}

    def game_of(self, widget: Widget | None) -> str:
        """Return the game of a button of this row; empty for anything else."""
        name = widget.id or "" if isinstance(widget, LineButton) and widget.parent is self else ""
        return name.removeprefix("lesson-")

    @property
    def first(self) -> str:
        """The first game that is new to the user; empty if there is none."""
        return next((game.meta.id for game in self._games if game.meta.id in self.new), "")

    @property
    def offered(self) -> Sequence[LineButton]:
        """The buttons that can be pressed."""
        return [button for button in self.query(LineButton) if button.can_focus]

    @property
    def is_all_new(self) -> bool:
        """True for a user who has finished none of the games."""
        return bool(self.offered) and all(line.is_new for line in self.lines)


class CoverView(Canvas[Cover | None]):
    """A game's picture, where there is room: beside a form or a list, or above a question."""

    def __init__(self) -> None:
        super().__init__()
        self._shown: Appearance | None = None

    def show(self, game: Appearance | None) -> None:
        """Show the picture of a game."""
        if game is not self._shown:
            self._shown = game
            self.forget()
            self.refresh()

    def make_painter(self) -> Cover | None:
        """Return the picture for the current size."""
        width, rows = self.size.width, 2 * self.size.height
        if self._shown is None or self._shown.cover is None or rows < _LEAST_BESIDE:
            return None
        return drawn_once(self._shown.cover, width, rows)

    def render_line(self, y: int) -> Strip:
        """Draw two rows of pixels."""
        picture = self.painter
        if picture is None or 2 * y >= picture.height:
            return Strip.blank(self.size.width, self.ink("ink", on="ground"))
        return Strip(
            picture.segments(y, self.ink, is_ascii=self.glyphs.ascii_only, has_colours=self.has_colours)
        )


class GameCard(Canvas[Cover | None], can_focus=True):
    """A card that posts `Pressed` when it is chosen; it has a heavy frame while focused."""

    DEFAULT_CSS = "GameCard { width: 1fr; height: 100%; margin: 0 1; }"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,space", "press", show=False)]

    class Pressed(Message):
        """The game was chosen."""

        def __init__(self, game: str) -> None:
            super().__init__()
            self.game = game

    def __init__(self, shown: Appearance, *, opens_table: bool = False) -> None:
        """`opens_table` if it says that choosing it opens a table."""
        super().__init__(id=f"game-{shown.meta.id}")
        self.shown = shown
        self._opens_table = opens_table

    def action_press(self) -> None:
        """Choose the game."""
        self.post_message(self.Pressed(self.shown.meta.id))

    def on_click(self) -> None:
        """Choose the game, as Enter does."""
        self.action_press()

    # -- drawing ---------------------------------------------------------------------------------------------

    def make_painter(self) -> Cover | None:
        """Return the picture for the space inside, or None if one of the cards has no room for its own."""
        rows, frame = self._pictured, 4 if self._is_framed else 0
        if self.shown.cover is None or not rows:
            return None
        return drawn_once(self.shown.cover, self.size.width - frame, rows)

    @property
    def _is_framed(self) -> bool:
        """True where there is room for a frame, and it does not take that of a picture."""
        return self.size.height >= FRAMED and (self._under_frame >= _SMALLEST or not self._is_bare)

    @property
    def _is_bare(self) -> bool:
        """True where only without a frame there is room for a picture."""
        return self._under_frame < _SMALLEST and self.size.height >= LEAST_BARE

    @property
    def _under_frame(self) -> int:
        """The rows of pixels within a frame and above the words, with a free line below if there are many."""
        lines = self.size.height - 3 - self._longest_title()
        return 2 * (lines - (lines > _AIRY))

    @property
    def _pictured(self) -> int:
        """The rows of pixels of the picture; 0 if one of the cards has no room for its own."""
        if self._is_bare:
            return 2 * max(_SMALLEST // 2, self.size.height - 1 - self._longest_title())
        return self._under_frame if self._under_frame >= _SMALLEST else 0

    def _longest_title(self) -> int:
        cards = [self, *(other for other in self.siblings if isinstance(other, GameCard))]
        return max(len(card._title_lines()) for card in cards)

    def _title_lines(self) -> Sequence[str]:
        return _title_lines(render(self.shown.meta.name), max(8, self.size.width - 4))

    def render_line(self, y: int) -> Strip:
        """Draw a line of frame, picture or words."""
        height, inner = self.size.height, self.size.width - 2
        if not self._is_framed:
            return self._bare_line(y)
        # heavy as well as gold, for terminals without colours
        edge = self.ink("gold" if self.has_focus else "ink-line", on="ground", bold=self.has_focus)
        names = ("H", "V", "NW", "NE", "SW", "SE") if self.has_focus else ("h", "v", "nw", "ne", "sw", "se")
        across, down, *corners = (self.glyphs[name] for name in names)
        if y in (0, height - 1):
            left, right = corners[:2] if y == 0 else corners[2:]
            return Strip([Segment(f"{left}{across * inner}{right}", edge)])
        return Strip([Segment(down, edge), *self._inside(y - 1, inner), Segment(down, edge)])

    def _bare_line(self, y: int) -> Strip:
        """Draw a line of picture or words without a frame, on a ground of its own."""
        picture = self.painter
        if picture and 2 * y < picture.height:
            is_ascii, has_colours = self.glyphs.ascii_only, self.has_colours
            return Strip(picture.segments(y, self.ink, is_ascii=is_ascii, has_colours=has_colours))
        rows = self.size.height - (picture.height // 2 if picture else 0)
        # the players in all cards or in none
        words = self._words(rows if rows > self._longest_title() else min(rows, len(self._title_lines())))
        # at the bottom, so that the players stand on one line in all cards
        line = y - (self.size.height - len(words))
        shown, is_small = words[line] if line >= 0 else ("", True)
        if self.has_focus:
            ink = self._ink_of(is_small)
        else:
            ink = self.ink("ink-dim" if is_small else "ink", on="ground-deep", bold=not is_small)
        return Strip([Segment(_centred(shown, self.size.width), ink)])

    def _inside(self, y: int, width: int) -> list[Segment]:
        picture, ground = self.painter, self.ink("ink", on="ground")
        rows = picture.height // 2 if picture else 0
        if picture and y < rows:
            drawn = picture.segments(
                y, self.ink, is_ascii=self.glyphs.ascii_only, has_colours=self.has_colours
            )
            return [Segment(" ", ground), *drawn, Segment(" ", ground)]
        words = self._words(self.size.height - 2 - rows)
        # so that the players stand on one line in all cards
        block = max(len(words), min(self.size.height - 2, self._longest_title() + 1))
        below = 0 if picture else (self.size.height - 1 - block) // 2
        line = y - (self.size.height - 2 - below - len(words))
        if not 0 <= line < len(words):
            return [Segment(" " * width, ground)]
        shown, is_small = words[line]
        return [Segment(_centred(shown, width), self._ink_of(is_small))]

    def _words(self, rows: int) -> list[tuple[str, bool]]:
        """Return the lines of words: the name and, marked as small, the number of players."""
        name = [(line, False) for line in self._title_lines()]
        # if rows are few, the end of the name is kept, since it distinguishes games of one family
        if rows > len(name):
            return [*name, (self._seats(), True)]
        shown = name[-max(1, rows) :]
        if self._opens_table and len(shown) == 1:  # no line says so
            shown = [(self._fitting(_("New: {what}", what=shown[0][0]), shown[0][0]), False)]
        return shown

    def _ink_of(self, is_small: bool) -> Any:
        if self.has_focus:
            return self.ink("cursor-ink", on="cursor", bold=not is_small)
        return self.ink("ink-dim" if is_small else "ink", on="ground", bold=not is_small)

    def _seats(self) -> str:
        seats = self._players()
        if not self._opens_table:
            return seats
        whole, short = _("New table: {seats}", seats=seats), _("New: {what}", what=seats)
        return self._fitting(whole, short, f"+ {seats}", seats)

    def _fitting(self, *forms: str) -> str:
        """Return the first of several forms that fits, or the last."""
        return next((form for form in forms if cell_len(form) <= self.size.width - 2), forms[-1])

    def _players(self) -> str:
        meta = self.shown.meta
        if meta.min_seats == meta.max_seats:
            return _("{n} players", n=meta.max_seats)
        return _("{least} to {most} players", least=meta.min_seats, most=meta.max_seats)

    def on_focus(self) -> None:
        """Redraw the frame."""
        self.refresh()

    def on_blur(self) -> None:
        """Redraw the frame."""
        self.refresh()


def _centred(words: str, width: int) -> str:
    room = max(0, width - len(words))
    return set_cell_size(" " * (room // 2) + words, width)


@lru_cache(_KEPT)
def _title_lines(name: str, width: int) -> Sequence[str]:
    """Wrap a name, with the words after a colon on a separate line."""
    parts = [name] if cell_len(name) <= width else name.replace(": ", ":\n").split("\n")
    return [str(line) for part in parts for line in Content(part).wrap(width)]
