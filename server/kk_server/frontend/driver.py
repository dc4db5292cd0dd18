"""Textual over a channel: the remote terminal, and the driver through which an app uses it."""

from __future__ import annotations

import asyncio
from codecs import getincrementaldecoder
from collections import deque
from collections.abc import Callable, Mapping
from contextvars import Context
from functools import partial
from typing import Any, Final, cast

from textual import constants, events
from textual.app import App
from textual.driver import Driver
from textual.geometry import Size
from textual.message import Message
from textual.messages import TerminalSupportsSynchronizedOutput

from kk_core.errors import where
from kk_server.counts import counts
from kk_server.frontend.channel import ChannelWriter
from kk_server.frontend.run_queue import RunQueue
from kk_server.limits import ServerLimits
from kk_server.log import get_logger

_logger = get_logger()


_DEFAULT_SIZE: Final = (80, 24)
_SMALLEST: Final = (20, 8)

_RESIZES_APART: Final = 0.1
"""Minimum seconds between two sizes that are drawn; of those in between, only the last one is."""

_CELLS_PER_SECOND: Final = 80_000
"""Maximum cells per second drawn for new sizes: a large screen is redrawn less often."""

_LARGE: Final = 16_000
"""From this number of cells, a screen takes long to draw: 200 columns by 80 lines."""

_DRAGGED: Final = 200_000
"""Cells drawn for one window's new sizes, 100 times 80x24, after which it has to wait for all others."""

_DRAGGED_PER_SECOND: Final = 2_000
"""Cells per second that are deducted from these."""

# Not 1003, which reports every motion: for 50 players that takes a whole processor.
_MOUSE_ON: Final = "\x1b[?1000h\x1b[?1002h\x1b[?1006h"
"""Buttons, dragging, wide coordinates; no plain motion."""
_MOUSE_OFF: Final = "\x1b[?1006l\x1b[?1002l\x1b[?1000l"

_ENTER: Final = (
    "\x1b[?1049h"  # alternate screen
    f"{_MOUSE_ON}"
    "\x1b[?25l"  # no cursor
    "\x1b[?7l"  # no line wrap
    "\x1b[?2004h"  # bracketed paste
    "\x1b[?2026$p"  # is synchronised output supported?
)
_RESTORE: Final = f"\x1b[?2026l\x1b[?2004l{_MOUSE_OFF}\x1b[?7h\x1b[0m\x1b[?1049l\x1b[?25h"

_WELCOME_EVENTS: Final = (
    events.Key,
    events.MouseEvent,
    events.Paste,
    TerminalSupportsSynchronizedOutput,
)
"""The messages accepted from a terminal. Sizes come only from the client, and are clamped."""

_PAINTS_NOTHING: Final = 1.0
"""Seconds after which a frame no longer counts as the effect of a key."""

LONGEST_PASTE: Final = 1000
"""Characters of a paste that are accepted."""


class Lane:
    """A queue in which terminals are redrawn for new sizes, at a limited number of cells per second."""

    def __init__(self, cells_per_second: int) -> None:
        self._per_second = cells_per_second
        self._waiting: deque[Terminal] = deque()
        self._free = 0.0

    def queue(self, terminal: Terminal) -> None:
        """Queue a terminal."""
        self._waiting.append(terminal)
        if len(self._waiting) == 1:
            self._come()

    def _come(self) -> None:
        # in an empty context: the timer must not keep the first terminal's app alive
        asyncio.get_running_loop().call_at(self._free, self._next, context=Context())

    def _next(self) -> None:
        try:
            # a terminal that has moved to another lane draws nothing here, and costs nothing
            drawn = self._waiting.popleft().draw(self)
            self._free = asyncio.get_running_loop().time() + drawn / self._per_second
        finally:
            if self._waiting:
                self._come()


class Resizes:
    """The lanes of a process: new sizes get a share of the million cells that it can draw per second."""

    def __init__(self) -> None:
        self._small = Lane(160_000)
        self._large = Lane(240_000)
        self._endless = Lane(40_000)

    def lane(self, cells: int, *, is_endless: bool) -> Lane:
        """Return the lane for a screen of this size, or for a window that is being resized endlessly."""
        if is_endless:
            return self._endless
        return self._large if cells > _LARGE else self._small


class Terminal:
    """A remote terminal: its properties, and the ways to write to it and to hear from it."""

    def __init__(
        self,
        writer: ChannelWriter,
        kind: str,
        size: tuple[int, int],
        environment: Mapping[str, str],
        limits: ServerLimits,
        resizes: Resizes | None = None,
        run_queue: RunQueue | None = None,
        *,
        has_motion: bool = True,
        place: str = "",
    ) -> None:
        """Take a channel's terminal; `resizes` and `run_queue` are shared by all terminals of the process.

        `has_motion` is the host's setting, `place` where its user was before they came back.
        """
        self.writer = writer
        self.place = place
        self.kind = kind
        self.environment = environment
        self.has_motion = has_motion
        self.limits = limits
        """The host's, when it was opened."""
        self._largest = limits.columns, limits.rows
        self.size = clamp(*size, self._largest)
        self._resizes = resizes or Resizes()
        self.run_queue = run_queue or RunQueue()
        self._resize: asyncio.TimerHandle | None = None
        self._rested = 0.0
        """The time from which the next size may be drawn, by the loop's clock."""
        self._dragged = self._drawn_at = 0.0
        """Cells recently drawn for new sizes, and the time of the last ones."""
        self.has_painted = asyncio.Event()
        """Set once a first frame was sent, or when none will be."""
        self.on_input: Callable[[bytes], None] = lambda _: None
        self.on_resize: Callable[[], object] = lambda: None

    def feed(self, data: bytes) -> None:
        """Handle input."""
        self.on_input(data)

    def resize(self, width: int, height: int) -> None:
        """Note a new size; more may follow soon."""
        self.size = clamp(width, height, self._largest)
        if self._resize is None:
            loop = asyncio.get_running_loop()
            self._resize = loop.call_at(max(loop.time() + _RESIZES_APART, self._rested), self._queue)

    def _queue(self) -> None:
        self._lane().queue(self)

    def _lane(self) -> Lane:
        return self._resizes.lane(cells(self.size), is_endless=self._dragged_now() > _DRAGGED)

    def _dragged_now(self) -> float:
        passed = asyncio.get_running_loop().time() - self._drawn_at
        return max(0.0, self._dragged - passed * _DRAGGED_PER_SECOND)

    def draw(self, lane: Lane) -> int:
        """Draw the last size if it belongs in this lane; returns the number of cells drawn."""
        if self.writer.is_closed:
            return 0
        if (other := self._lane()) is not lane:
            other.queue(self)
            return 0
        self._dragged = self._dragged_now() + cells(self.size)
        self._drawn_at = asyncio.get_running_loop().time()
        # large screens wait longer, so that dragging a window costs the same for any size
        self._rested = self._drawn_at + rest_after(self.size)
        self._resize = None
        self.on_resize()
        return cells(self.size)


def cells(size: tuple[int, int]) -> int:
    """Return the number of cells of a screen."""
    return size[0] * size[1]


def rest_after(size: tuple[int, int]) -> float:
    """Return the seconds after drawing a new size during which no other is drawn."""
    return cells(size) / _CELLS_PER_SECOND


def clamp(width: int, height: int, largest: tuple[int, int]) -> tuple[int, int]:
    """Clamp a size to what can be drawn: clients may send 0 for "unknown", or anything up to 2**32."""
    if not width or not height:
        return _DEFAULT_SIZE
    columns = min(max(width, _SMALLEST[0]), largest[0])
    rows = min(max(height, _SMALLEST[1]), largest[1])
    return columns, rows


class ChannelDriver(Driver):
    """Reads keys from the channel and writes frames to it, without a backlog for slow readers.

    The app provides the parser and the terminal queries (`kk_tui.terminal.driver`). It checks `is_behind`
    before making a frame, and its `paint` is called once the reader has caught up.
    """

    def __init__(
        self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        self._terminal: Terminal = app.terminal  # type: ignore[attr-defined]
        super().__init__(app, debug=debug, mouse=mouse, size=size or self._terminal.size)
        self._shown = cast("Any", app)
        self._timers = asyncio.get_running_loop()
        self._new_parser = self._shown.input_parser
        self._parser = self._new_parser()
        self._welcome: tuple[type[Message], ...] = (*_WELCOME_EVENTS, *self._shown.ANSWERS)
        self._decode = getincrementaldecoder("utf-8")("replace").decode
        self._tick: asyncio.TimerHandle | None = None
        self._is_ended = False
        self._typed: float | None = None
        """The time of the first key since the last frame."""

    # -- out -------------------------------------------------------------------------------------------------

    @property
    def is_behind(self) -> bool:
        """True while the reader has not taken what was written."""
        return self._terminal.writer.is_paused

    @property
    def has_drained(self) -> bool:
        """True once the reader has taken everything that was written."""
        return self._terminal.writer.has_drained

    def write(self, data: str) -> None:
        """Send a frame; anything else (such as a bell) is dropped while the reader is behind."""
        if self.is_behind:
            return
        frame = data.encode("utf-8", "replace")
        counts.frame_bytes += len(frame)
        self._terminal.writer.write(frame)
        if self._typed is not None and (took := self._timers.time() - self._typed) < _PAINTS_NOTHING:
            counts.key_to_paint.add(took)
        self._typed = None

    def start_application_mode(self) -> None:
        """Take over the terminal."""
        questions: str = self._shown.questions(self._terminal.kind)
        self._parser.expect()
        self._terminal.writer.write(f"{_ENTER}{questions}".encode())
        self._terminal.writer.on_resume = self._shown.paint
        self._terminal.on_input = self._feed
        self._terminal.on_resize = partial(self._terminal.run_queue.other, self._resized)
        self._resized()

    def set_mouse(self, on: bool) -> None:
        """Capture the mouse, or leave it to the terminal."""
        # not through `write`, which drops data while the reader is behind
        self._terminal.writer.write((_MOUSE_ON if on else _MOUSE_OFF).encode())

    def disable_input(self) -> None:
        """Accept no more input."""
        self._is_ended = True
        self._terminal.on_input = lambda _: None
        self._terminal.on_resize = lambda: None
        if self._tick is not None:
            self._tick.cancel()

    def stop_application_mode(self) -> None:
        """Restore the terminal, even for a slow reader."""
        self.disable_input()
        self._terminal.writer.on_resume = lambda: None
        self._terminal.writer.write(_RESTORE.encode())

    # -- in --------------------------------------------------------------------------------------------------

    def _resized(self) -> None:
        if self._is_ended:
            return
        size = Size(*self._terminal.size)
        self.send_message(events.Resize(size, size))

    def _feed(self, data: bytes) -> None:
        self._typed = self._typed or self._timers.time()
        self._terminal.run_queue.key(partial(self._read, data))

    def _read(self, data: bytes) -> None:
        if self._is_ended:
            return
        if typed := self._decode(data):  # feeding an empty string would end the parser
            self._parse(lambda: self._parser.feed(typed))
        if self._tick is not None:
            self._tick.cancel()
        self._tick_later()

    def _tick_later(self) -> None:
        # slightly more than the parser's own delay, or `tick` would find it not yet over
        self._tick = self._timers.call_later(constants.ESCAPE_DELAY + 0.01, self._on_tick)

    def _on_tick(self) -> None:
        # input held as the start of an answer may be a key after all, and then has to wait for its own delay
        was_holding = self._parser.is_holding
        self._parse(self._parser.tick)
        if was_holding and not self._parser.is_holding:
            self._tick_later()

    def _parse(self, read: Callable[[], Any]) -> None:
        try:
            for message in read():
                self.process_message(message)
        except Exception as error:  # any bytes may arrive: start over with a new parser
            _logger.info("input not understood", error=where(error))
            self._parser = self._new_parser()

    def process_message(self, message: Message) -> None:
        """Pass on keys, mouse and pastes, and nothing else."""
        if isinstance(message, self._welcome):
            if isinstance(message, events.Paste):
                message.text = message.text[:LONGEST_PASTE]
            super().process_message(message)

    # -- what a driver must not do to the host ---------------------------------------------------------------

    def open_url(self, url: str, new_tab: bool = True) -> None:
        """Do nothing: the browser would open on the server."""

    def deliver_binary(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing: the file would be written on the server."""
