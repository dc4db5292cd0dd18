"""An app whose screen is painted by our own painter."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any, ClassVar, Final, Self, cast

from rich.console import RenderableType
from textual import events, on
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.app import App
from textual.message import Message
from textual.screen import Screen
from textual.widget import AwaitMount, Widget

from kk_core.text import printable
from kk_tui.styles.parsed import SharedStylesheet
from kk_tui.terminal.answers import AnswerParser, TerminalAnswered, questions
from kk_tui.terminal.colour import Colours
from kk_tui.terminal.home import HomeDriver, kind_here
from kk_tui.terminal.kinds import Depth, Kind
from kk_tui.terminal.painter import Painter
from kk_tui.terminal.rows import PartsUpdate

_KEEP_TITLE: Final = "\x1b[22;2t"
_OLD_TITLE: Final = "\x1b[23;2t"
_THEMES: Final = 512
"""How many themes are kept: one for every palette and order of colours at a table."""

_variables: Final[dict[tuple[str, frozenset[tuple[str, str]]], dict[str, str]]] = {}
"""Of themes, by their names and what they say."""

_SYNC: Final = "\x1b[?2026h", "\x1b[?2026l"


class Painted(App[None]):
    """A mix-in for apps. `kind` is that of the terminal; None is that of this process."""

    ANSWERS: ClassVar[tuple[type[Message], ...]] = (TerminalAnswered,)
    """What `input_parser` gives besides Textual's own."""

    def __init__(self, *args: Any, kind: Kind | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.stylesheet = SharedStylesheet(variables=self.get_css_variables())
        self._disable_tooltips = self._disable_notifications = True  # two widgets in every screen
        self._filters = []  # the painter knows what to make of each style, once and not for each line
        self.kind = kind or kind_here()
        self.has_light_page = False
        self._window_title: str | None = None
        if kind is None:
            self.driver_class = HomeDriver
        self.has_colours = self.kind.depth is not Depth.MONO
        # at home the pen rests between frames, since Textual's driver gives the terminal back as it is
        self.painter = Painter(self.kind, rests=kind is None)

    @property
    def _background_screens(self) -> list[Screen[Any]]:
        """The screens that are seen through those above; Textual's own has one more, which is covered."""
        seen: list[Screen[Any]] = []
        for above, screen in pairwise(reversed(self.screen_stack)):
            if above.styles.background.a == 1:
                break
            seen.append(screen)
        return seen[::-1]

    def get_css_variables(self) -> dict[str, str]:
        """The variables of the theme, worked out once for all apps that have it."""
        theme = self.current_theme
        key = theme.name, frozenset(theme.variables.items())
        if key not in _variables:
            if len(_variables) >= _THEMES:
                _variables.clear()
            _variables[key] = super().get_css_variables()
        self.theme_variables = _variables[key]
        return self.theme_variables

    def input_parser(self) -> AnswerParser:
        """What a driver reads keys, mouse and the terminal's answers with."""
        return AnswerParser()

    def questions(self, term: str) -> str:
        """What a driver asks a terminal of this name at the start; see `hear_terminal`."""
        return questions(term)

    @on(TerminalAnswered)
    def hear_terminal(self, event: TerminalAnswered) -> None:
        """Take in what the terminal says of itself: more colours than its name promised, and the page."""
        if event.has_true_colour and self.kind.depth in (Depth.SIXTEEN, Depth.INDEXED):
            self.kind = replace(self.kind, depth=Depth.TRUE)
        if event.is_light is not None:
            self.has_light_page = event.is_light
        self.show_colours()

    def show_colours(self) -> None:
        """Show what the terminal can."""
        self.paint_with(self.kind, Colours(is_dark=not self.has_light_page))

    def paint_with(self, kind: Kind, colours: Colours) -> None:
        """Show these colours from now on, as a terminal of this kind can; all is painted anew."""
        self.painter.use(kind, colours)
        self.has_colours = kind.depth is not Depth.MONO
        if self._running and self.screen_stack:
            self.screen.refresh()

    def _get_screen(self, screen: Screen[Any] | str) -> tuple[Screen[Any], AwaitMount]:
        """A screen to come up, and what waits for it; Textual's then lays it out once more."""
        found, mounted = super()._get_screen(screen)
        mounted._parent = cast("Widget", self)
        return found, mounted

    def refresh(self, *, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:  # noqa: ARG002
        """Draw all again; a screen that comes up, or is there again, is laid out already."""
        return super().refresh(repaint=repaint, recompose=recompose)

    def closing(self, screen: Screen[Any]) -> None:
        """Hook: a screen is about to be taken away."""

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        """Take in what Textual has drawn, and send what differs."""
        if isinstance(renderable, LayoutUpdate | ChopsUpdate | PartsUpdate):
            if not self.is_headless:
                self.painter.take(renderable)
                self.paint()
            self.post_display_hook()
        else:
            super()._display(screen, renderable)

    def paint(self) -> None:
        """Send what the terminal does not show yet, in one piece; later, if its reader is behind."""
        driver = self._driver
        if driver is None or not self._running or self._closed or self._batch_count:
            return
        if getattr(driver, "is_behind", False):
            return
        cursor = self.screen.outer_size.clamp_offset(self.cursor_position)  # where a widget wants it, if any
        text = self.painter.frame(cursor or None)
        if text:
            driver.write(text if not self._sync_available else text.join(_SYNC))
            driver.flush()

    def set_window_title(self, words: str | None) -> None:
        """Call the terminal's window something; None gives back what it was called before."""
        if words == self._window_title or not self.kind.has_title or self._driver is None:
            return
        keep = _KEEP_TITLE if self._window_title is None else ""
        self._window_title = words
        self._driver.write(_OLD_TITLE if words is None else f"{keep}\x1b]2;{printable(words)}\x07")
        self._driver.flush()

    def _set_pointer_shape(self, shape: str) -> None:
        """Nothing: not every terminal keeps quiet about a code for the form of the mouse pointer."""

    async def on_event(self, event: events.Event) -> None:
        """A terminal that says its size may have been resized, or come back from elsewhere."""
        if isinstance(event, events.Resize):
            self.painter.forget()
            if self.painter.size == tuple(event.size):
                self.call_later(self.paint)
        await super().on_event(event)
