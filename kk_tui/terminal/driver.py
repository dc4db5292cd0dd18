"""Queries to a terminal and its answers, the driver at home, and the app that paints its own screens."""

from __future__ import annotations

import asyncio
import os
import re
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise, takewhile
from math import inf
from select import select
from subprocess import DEVNULL, SubprocessError, run
from time import monotonic
from typing import Any, ClassVar, Final, Protocol, Self, cast

from rich.console import RenderableType
from textual import events, on
from textual._callback import invoke
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual._xterm_parser import XTermParser
from textual.app import App, SystemCommand
from textual.constants import ESCAPE_DELAY
from textual.dom import DOMNode
from textual.drivers._writer_thread import WriterThread
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message
from textual.screen import Screen
from textual.widget import AwaitMount, Widget

from kk_tui.terminal.capabilities import ColourDepth, TerminalKind, is_multiplexed, kind_of
from kk_tui.terminal.colour import Colours, luminance
from kk_tui.terminal.painter import TerminalPainter
from kk_tui.terminal.parsed_styles import SharedStylesheet
from kk_tui.terminal.rows import PartsUpdate
from kk_tui.terminal.title import title_codes

_BACKGROUND: Final = "\x1b]11;?\x1b\\"  # OSC 11
# Set a colour and query the pen (DECRQSS): a terminal with fewer colours reports another one.
_TRUE_COLOUR: Final = "\x1b[48;2;1;2;3m\x1bP$qm\x1b\\\x1b[m"
# DA1, which all terminals answer: after its answer, no other one will come.
_FENCE: Final = "\x1b[c"

_ASKABLE: Final = re.compile(
    "xterm|tmux|screen|rxvt|kitty|alacritty|foot|wezterm|ghostty|konsole|gnome|vte|putty|mintty|iterm|contour|st-"
)
"""Terminals that answer such queries or ignore them; others might print them."""

_ANSWER: Final = re.compile(
    r"\x1b(?:"
    r"\]11;(?P<background>[^\x07\x1b]{0,64})(?:\x07|\x1b\\)"
    r"|P[01]\$r(?P<pen>[^\x07\x1b]{0,128})(?:\x07|\x1b\\)"
    r"|\[\?(?P<fence>[\d;]{0,64})c"
    r")"
)
_BEGUN: Final = re.compile(
    r"\x1b(?:"
    r"|\](?:|1|11|11;[^\x07\x1b]{0,64}\x1b?)"
    r"|P(?:|[01]|[01]\$|[01]\$r[^\x07\x1b]{0,128}\x1b?)"
    r"|\[(?:|\?[\d;]{0,64})"
    r")\Z"
)
"""The beginning of an answer at the end of the input."""

_TYPED: Final = 3
"""Characters up to which the beginning of an answer may also be a key."""

_LATEST_ANSWER: Final = 3.0
"""Seconds after a query in which a lone escape may begin an answer; later it is the Escape key."""

_COLOUR: Final = re.compile(r"rgba?:([0-9a-f]{1,4})/([0-9a-f]{1,4})/([0-9a-f]{1,4})(?:/[0-9a-f]{1,4})?", re.I)
_KEPT: Final = re.compile(r"(?:^|;)48(?:;2;1;2;3|:2:(?:\d*:)?1:2:3)(?:;|$|m)")


class TerminalAnswered(Message):
    """An answer of the terminal: is its page light, does it have 16 million colours; None if unknown."""

    def __init__(self, *, is_light: bool | None = None, has_true_colour: bool | None = None) -> None:
        super().__init__()
        self.is_light = is_light
        self.has_true_colour = has_true_colour


def questions(term: str) -> str:
    """Return the queries for a terminal with this name; "" if it might print them."""
    if not _ASKABLE.match(term.lower()):
        return ""
    # GNU screen passes on DCS contents as text; tmux claims colours that its terminal does not show.
    pen = "" if term.lower().startswith(("screen", "tmux")) else _TRUE_COLOUR
    return f"{_BACKGROUND}{pen}{_FENCE}"


class AnswerParser(XTermParser):
    """Textual's parser, which would take answers for keys, with a filter that removes them first."""

    def __init__(self, debug: bool = False) -> None:
        self._held = ""
        self._until = 0.0
        super().__init__(debug)

    # Textual's cache on this method would keep the parsers of ended apps alive, and the apps with them.
    _parse_extended_key = XTermParser._parse_extended_key.__wrapped__  # type: ignore[assignment]

    def expect(self) -> None:
        """Expect an answer, because a query was sent."""
        self._until = monotonic() + _LATEST_ANSWER

    @property
    def is_holding(self) -> bool:
        """True while the beginning of an answer waits for the rest, or for a tick."""
        return bool(self._held)

    @property
    def is_waiting(self) -> bool:
        """True while held input may become a key just by waiting."""
        return self.is_holding or self._timeout_time is not None

    def feed(self, data: str) -> Iterable[Message]:
        """Yield keys and other messages from input."""
        text, self._held = self._held + data, ""
        at = 0
        for answer in _ANSWER.finditer(text):
            if typed := text[at : answer.start()]:
                yield from super().feed(typed)
            at = answer.end()
            message = self._understood(answer)
            if message is not None:
                yield message
        begun = _BEGUN.search(text, at)
        if begun is not None and (len(begun[0]) > 1 or monotonic() < self._until):
            self._held = begun[0]
        if typed := text[at : len(text) - len(self._held)]:
            yield from super().feed(typed)

    def tick(self) -> Iterable[Message]:
        """Yield held input as keys, since no answer has followed in time."""
        if 0 < len(self._held) <= _TYPED:
            typed, self._held = self._held, ""
            yield from super().feed(typed)
        yield from super().tick()

    def _understood(self, answer: re.Match[str]) -> Message | None:
        if answer["fence"] is not None:
            self._until = 0.0
            return None
        if answer["pen"] is not None:
            return TerminalAnswered(has_true_colour=_KEPT.search(answer["pen"]) is not None)
        found = _COLOUR.fullmatch(answer["background"])
        return TerminalAnswered(is_light=_is_light(*found.groups())) if found else None


def _is_light(*parts: str) -> bool:
    """Return whether a colour, in 1 to 4 hexadecimal digits per part, is closer to white than to black."""
    red, green, blue = (255 * int(part, 16) // int("f" * len(part), 16) for part in parts)
    return luminance(red, green, blue) > 127


_READ: Final = 4096
_TICK: Final = ESCAPE_DELAY + 0.01
"""Seconds after which the beginning of a sequence is a key."""

_PATIENCE: Final = 0.5
"""Seconds that tmux has for an answer."""


def kind_here() -> TerminalKind:
    """Return the kind of this process's terminal; tmux is asked about the terminal around it."""
    kind = kind_of(os.environ.get("TERM", ""), os.environ)
    is_asked = kind.depth is ColourDepth.INDEXED and "TMUX" in os.environ
    return replace(kind, depth=ColourDepth.TRUE) if is_asked and "RGB" in _features_around_tmux() else kind


def _features_around_tmux() -> list[str]:
    command = ["tmux", "display-message", "-p", "#{client_termfeatures}"]
    try:
        answer = run(command, stdin=DEVNULL, capture_output=True, timeout=_PATIENCE, check=False, text=True)
    except (OSError, SubprocessError):
        return []
    return answer.stdout.strip().split(",")


class DirectWriter(WriterThread):
    """A writer without a thread: waking one for each frame takes a tenth of a key's time."""

    def start(self) -> None:
        """Start no thread."""

    def write(self, text: str) -> None:
        """Write everything, as fast as the terminal accepts it."""
        data = text.encode(getattr(self._file, "encoding", None) or "utf-8", "replace")
        while data:
            try:
                data = data[os.write(self._file.fileno(), data) :]
            except BlockingIOError:  # some shells leave the terminal in non-blocking mode
                select([], [self._file], [])

    def stop(self) -> None:
        """Do nothing, since everything has been written."""


class HomeDriver(LinuxDriver):
    """Textual's driver without its threads, which queries the terminal's colours."""

    _tick: asyncio.TimerHandle | None = None

    def start_application_mode(self) -> None:
        """Take over the terminal, and query its colours."""
        super().start_application_mode()  # type: ignore[no-untyped-call]
        if self._writer_thread is not None and self._file is not None:
            self._writer_thread.stop()
            self._writer_thread = DirectWriter(self._file)
        self._parser, self._decode = (
            AnswerParser(self._debug),
            getincrementaldecoder("utf-8")("replace").decode,
        )
        self._parser.expect()
        self._loop.add_reader(self.fileno, self._read)
        term = os.environ.get("TERM", "")
        self.write(questions("tmux" if is_multiplexed(term, os.environ) else term))

    def send_message(self, message: Message) -> None:
        """Hand a message on to the app."""
        # Not with `run_coroutine_threadsafe`, as Textual does: there is no thread, and it creates three
        # objects.
        self._app.post_message(message)

    def set_mouse(self, on: bool) -> None:
        """Capture the mouse, or leave it to the terminal."""
        if not on:
            self._disable_mouse_support()
        self._mouse = on
        if on:
            self._enable_mouse_support()
        self.flush()

    def disable_input(self) -> None:
        """Accept no more keys."""
        if not self._loop.is_closed():
            self._loop.remove_reader(self.fileno)
        if self._tick is not None:
            self._tick.cancel()
        super().disable_input()

    def run_input_thread(self) -> None:
        """Do nothing: the loop reads directly, since a thread would have to wake it for each key."""

    def _read(self) -> None:
        try:
            data = os.read(self.fileno, _READ)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:  # the terminal is gone, and the system sends a hangup
            self._loop.remove_reader(self.fileno)
        if typed := self._decode(data):  # to the parser an empty string means the end of input
            for message in self._parser.feed(typed):
                self.process_message(message)
        if self._parser.is_waiting:
            self._tick_later()

    def _tick_later(self) -> None:
        if self._tick is not None:
            self._tick.cancel()
        self._tick = self._loop.call_later(_TICK, self._on_tick)

    def _on_tick(self) -> None:
        was_holding = self._parser.is_holding
        for message in self._parser.tick():
            self.process_message(message)
        if was_holding and not self._parser.is_holding:  # it may still be the beginning of a key's sequence
            self._tick_later()


_THEMES: Final = 512
"""Themes cached: one for every palette and order of colours at a table."""

_variables: Final[dict[tuple[str, frozenset[tuple[str, str]]], dict[str, str]]] = {}
"""Style variables of themes, by the themes' names and values."""

_SYNC: Final = "\x1b[?2026h", "\x1b[?2026l"  # synchronized output: the frame appears as a whole


_ASKED: Final = 0.3
"""Seconds after a key or click in which any change is probably the one that the user is waiting for."""

_SETTLED: Final = 0.05
"""Seconds after the effect of a key was drawn in which something else that it changes may follow."""

_ROUNDS: Final = 100
"""Rounds of the loop for which a key waits at most: one of those on its way may be waiting for something."""


class Turn(Protocol):
    """Work of an app that waits until it is the app's turn."""

    @property
    def is_waiting(self) -> bool:
        """True until the work is done or cancelled."""
        ...

    def cancel(self) -> None:
        """Give the turn up."""


class TakenTurn:
    """A turn that has been taken at once."""

    is_waiting = False

    def cancel(self) -> None:
        """Do nothing."""


class Scheduler:
    """Decides when an app does its work: at once, unless it shares its process with others."""

    def __init__(self) -> None:
        self.touched_at = -inf
        """The loop's time when a key or the mouse was last used; earlier if that has had its effect."""
        self.is_at_match = False
        """True while a match is shown, where others' moves are followed."""

    @property
    def is_asked(self) -> bool:
        """True while the user is probably waiting for something."""
        return asyncio.get_running_loop().time() < self.touched_at + _ASKED

    def ask(self) -> None:
        """Note that the user waits for something from now on."""
        self.touched_at = asyncio.get_running_loop().time()

    def answer(self, touched_at: float) -> None:
        """Note that what the user was waiting for since `touched_at` has been drawn."""
        if self.touched_at == touched_at:  # else they have pressed another key meanwhile
            self.touched_at = min(touched_at, asyncio.get_running_loop().time() - _ASKED + _SETTLED)

    def run(self, do: Callable[[], None]) -> Turn:
        """Hook: do something at once, or in the app's next turn, which is returned."""
        do()
        return TakenTurn()

    def draw(self, frame: Callable[[], None]) -> Turn:
        """Hook: draw a frame at once, or in the app's next turn, which is returned."""
        frame()
        return TakenTurn()


@cache
def hears_keys(kind: type[DOMNode]) -> bool:
    """Return whether nodes of a class have a method for keys, apart from bindings."""
    own = takewhile(lambda base: base is not Widget, kind.__mro__)
    names = {name for base in own for name in vars(base)}
    return any(name in ("on_key", "_on_key") or name.startswith("key_") for name in names)


class PaintedApp(App[None]):
    """An app with its own painter, which may run on somebody else's machine beside many others.

    `kind` describes the terminal; None detects this process's.
    """

    ANSWERS: ClassVar[tuple[type[Message], ...]] = (TerminalAnswered,)
    """Messages that `input_parser` produces besides Textual's own."""

    def __init__(self, *args: Any, kind: TerminalKind | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.stylesheet = SharedStylesheet(variables=self.get_css_variables())
        self._disable_tooltips = self._disable_notifications = True  # else two more widgets in every screen
        self._filters = []  # the painter reduces colours once per style, filters would do so per line
        self.kind = kind or kind_here()
        self.has_light_page = False
        self.scheduler = Scheduler()
        """Decides when it does its work."""
        self._window_title: str | None = None
        if kind is None:
            self.driver_class = HomeDriver
        self.has_colours = self.kind.depth is not ColourDepth.MONO
        # At home the pen is reset between frames, since Textual's driver leaves the terminal as it is.
        self.painter = TerminalPainter(self.kind, rests=kind is None)

    @property
    def _background_screens(self) -> list[Screen[Any]]:
        """The screens visible through those above."""
        seen: list[Screen[Any]] = []
        for above, screen in pairwise(reversed(self.screen_stack)):
            # Textual's own version also returns the next one, which is covered
            if above.styles.background.a == 1:
                break
            seen.append(screen)
        return seen[::-1]

    def get_css_variables(self) -> dict[str, str]:
        """Return the variables of the theme, computed once for all apps that have it."""
        theme = self.current_theme
        key = theme.name, frozenset(theme.variables.items())
        if key not in _variables:
            if len(_variables) >= _THEMES:
                _variables.clear()
            _variables[key] = super().get_css_variables()
        self.theme_variables = _variables[key]
        return self.theme_variables

    def input_parser(self) -> AnswerParser:
        """Return a parser for keys, mouse and the terminal's answers."""
        return AnswerParser()

    def questions(self, term: str) -> str:
        """Return what a driver asks a terminal with this name at the start; see `hear_terminal`."""
        return questions(term)

    @on(TerminalAnswered)
    def hear_terminal(self, event: TerminalAnswered) -> None:
        """Take in an answer: more colours than the terminal's name promised, or a light page."""
        if event.has_true_colour and self.kind.depth in (ColourDepth.SIXTEEN, ColourDepth.INDEXED):
            self.kind = replace(self.kind, depth=ColourDepth.TRUE)
        if event.is_light is not None:
            self.has_light_page = event.is_light
        self.show_colours()

    def show_colours(self) -> None:
        """Show colours as the terminal can."""
        self.paint_with(self.kind, Colours(is_dark=not self.has_light_page))

    def paint_with(self, kind: TerminalKind, colours: Colours) -> None:
        """Use these colours for a terminal of this kind from now on, and repaint everything."""
        self.painter.use(kind, colours)
        self.has_colours = kind.depth is not ColourDepth.MONO
        if self.is_running and self.screen_stack:
            self.screen.refresh()

    def _get_screen(self, screen: Screen[Any] | str) -> tuple[Screen[Any], AwaitMount]:
        found, mounted = super()._get_screen(screen)
        # Once mounted, Textual refreshes the layout of this parent; the app's `refresh` does no layout.
        mounted._parent = cast("Widget", self)
        return found, mounted

    def refresh(self, *, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:  # noqa: ARG002
        """Redraw everything, but without a layout: the screens have laid themselves out."""
        return super().refresh(repaint=repaint, recompose=recompose)

    def closing(self, screen: Screen[Any]) -> None:
        """Hook: a screen is about to be closed."""

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        if isinstance(renderable, LayoutUpdate | ChopsUpdate | PartsUpdate):
            if not self.is_headless:
                # not rendered by Rich, which caches codes in its styles whatever the terminal: the first
                # terminal's colours would reach all others
                self.painter.take(renderable)
                self.paint()
            self.post_display_hook()
        else:
            super()._display(screen, renderable)

    def paint(self) -> None:
        """Send what the terminal does not show yet, in one piece; nothing while its reader is behind."""
        driver = self._driver
        if driver is None or not self.is_running or self._closed or self._batch_count:
            return
        if getattr(driver, "is_behind", False):  # a server's driver may be; one at home never is
            return
        cursor = self.screen.outer_size.clamp_offset(self.cursor_position)
        text = self.painter.frame(cursor or None)
        if text:
            driver.write(text if not self._sync_available else text.join(_SYNC))
            driver.flush()

    @property
    def keeps_up(self) -> bool:
        """True if the terminal has received everything it was sent; a driver at home waits until it has."""
        has_drained: bool = getattr(self._driver, "has_drained", True)
        return has_drained

    def take_mouse(self, on: bool) -> None:
        """Capture the mouse, or leave it to the terminal; do nothing if the driver does not support it."""
        set_mouse = getattr(self._driver, "set_mouse", None)
        if set_mouse is not None:
            set_mouse(on)

    def last_words(self, error: Exception | None) -> str | None:  # noqa: ARG002
        """Hook: return a sentence for an app that ends by a fault; if None, Textual shows a traceback."""
        return None

    def _fatal_error(self) -> None:
        sentence = self.last_words(self._exception)
        if sentence is None:
            super()._fatal_error()
            return
        self._exit_renderables.append(sentence)
        self._close_messages_no_wait()

    def set_window_title(self, words: str | None) -> None:
        """Set the title of the terminal's window; None restores the previous one."""
        if words == self._window_title or not self.kind.has_title or self._driver is None:
            return
        self._driver.write(title_codes(self._window_title, words))
        self._window_title = words
        self._driver.flush()

    def ring(self, title: str) -> None:
        """Ring while the window has another title, which a browser shows in a notification."""
        before = self._window_title
        self.set_window_title(title)
        self.bell()
        self.set_window_title(before)

    def _set_pointer_shape(self, shape: str) -> None:
        """Do nothing: some terminals print the code for the shape of the mouse pointer."""

    def take_early(self, event: events.Event) -> bool:  # noqa: ARG002
        """Hook: handle an event before Textual does; return False to pass it on."""
        return False

    async def on_event(self, event: events.Event) -> None:
        """Note user activity; repaint everything after a resize, or when the terminal is back."""
        if isinstance(event, events.InputEvent):
            self.scheduler.ask()
        if isinstance(event, events.Key | events.Paste):
            await self.settle()
            if not self.is_running:  # it has ended meanwhile
                return
        if self.take_early(event):
            return
        if isinstance(event, events.Resize):
            self.painter.forget()
            if self.painter.size == tuple(event.size):
                self.call_later(self.paint)
        if isinstance(event, events.Key):
            await self._take_key(event)
        else:
            await super().on_event(event)

    async def settle(self) -> None:
        """Let all between focus and app handle what waits for them, such as the effects of earlier keys.

        What waits for something else in the middle of being handled, such as an answer, is not waited for.
        """
        for _ in range(_ROUNDS):
            if not self.is_running or not any(node.message_queue_size for node in self._on_the_way()):
                break
            await asyncio.sleep(0)

    def _on_the_way(self) -> Sequence[DOMNode]:
        """Return those that may hear a key before the app, from the focus up."""
        return (self.focused or self.screen).ancestors_with_self[:-1]

    async def _take_key(self, event: events.Key) -> None:
        """Have a key heard by all that hear keys, from the focus up, and then look for bindings.

        All of it is done before the next key. Textual's own way goes through the queues of all on that way to
        the end of the app's, where keys that were typed later may have been handled before.
        """
        # whoever types is at this terminal, even if it has not reported that the focus is back
        self.app_focus = True
        if await self._check_bindings(event.key, priority=True):
            return
        event._set_forwarded()
        for node in self._on_the_way():
            if hears_keys(type(node)):
                for _base, hear in node._get_dispatch_methods("on_key", event):
                    await invoke(hear, event)
            if event._stop_propagation:
                return
        await super().on_event(event)

    # -- disabled, since the app may run in a server's process
    # --------------------------------------------------

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:  # noqa: ARG002
        """Return none: Textual's would save screenshots, and change colours bypassing the settings."""
        return ()

    def open_url(self, url: str, *, new_tab: bool = True) -> None:
        """Do nothing: the browser would open on the machine that the app runs on."""

    def action_suspend_process(self) -> None:
        """Do nothing: it would stop all games of a server."""

    def deliver_screenshot(self, *_: Any, **__: Any) -> str | None:
        """Do nothing: it would write a file on the machine that the app runs on."""
        return None
