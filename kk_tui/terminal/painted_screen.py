"""Screens that are drawn once for everything that a key changes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from time import monotonic
from typing import Final, cast

import textual.content
from rich.color import Color
from rich.segment import Segment, Segments
from rich.style import Style
from textual.await_complete import AwaitComplete
from textual.await_remove import AwaitRemove
from textual.events import Event, MouseDown, MouseMove, ScreenResume
from textual.geometry import Size
from textual.messages import Layout
from textual.screen import Screen
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.timer import Timer
from textual.widget import AwaitMount, Widget

from kk_tui.terminal.driver import PaintedApp, Scheduler, TakenTurn, Turn
from kk_tui.terminal.rows import RowCompositor
from kk_tui.terminal.widgets import DirectRefresh, is_leaving

_SOON: Final = 0.004
"""Seconds from the first change until all are drawn."""

_APART: Final = 1 / 60
"""Minimum seconds between two drawings."""


class FrameTimer:
    """The timer of a screen that draws all changes of a few milliseconds in one frame.

    Textual's own sends the screen a message for each frame, and waits for up to a sixtieth of a second even
    when nothing has been drawn for long. Many apps may share one loop: a frame that no key has asked for
    waits for its turn, and takes in what changes meanwhile.
    """

    def __init__(self, draw: Callable[[], None], scheduler: Callable[[], Scheduler]) -> None:
        """Call `draw` to draw; `scheduler` returns the app's, and is called once, while the app runs."""
        self._draw = draw
        self._find_scheduler = scheduler
        self._drawn = 0.0
        self._next: asyncio.TimerHandle | None = None
        self._turn: Turn = TakenTurn()
        """The one in which the next frame will be drawn, unless a key has it drawn before."""
        self._is_asked = False
        """True if a key has asked for some of what the next frame shows."""
        self._answers: float | None = None
        """When the key was pressed whose effect the next frame shows; None if it shows none as a whole."""

    @cached_property
    def _scheduler(self) -> Scheduler:
        return self._find_scheduler()

    def resume(self) -> None:
        """Draw soon, because something has changed."""
        is_asked = self._scheduler.is_asked
        if self._turn.is_waiting and is_asked:
            self.pause()
        self._is_asked |= is_asked
        if self._next is None and not self._turn.is_waiting:
            loop = asyncio.get_running_loop()
            self._next = loop.call_at(max(loop.time() + _SOON, self._drawn + _APART), self._fire)

    def at_once(self, *, is_answer: bool = False) -> None:
        """Draw now what the user is waiting for, since it is complete, unless a frame was just drawn.

        If it `is_answer`, they wait for nothing more.
        """
        if is_answer:
            self._answers = self._scheduler.touched_at
        if asyncio.get_running_loop().time() < self._drawn + _APART or not self._scheduler.is_asked:
            self.resume()
        else:
            self._draw_now()

    def pause(self) -> None:
        """Cancel the next frame, because everything has been or is being drawn."""
        if self._next is not None:
            self._next.cancel()
        self._next = None
        self._turn.cancel()
        self._is_asked = False

    def _fire(self) -> None:
        self._next = None
        if self._is_asked:  # a turn might be far away, even if nothing more is waited for by now
            self._draw_now()
        else:
            self._turn = self._scheduler.draw(self._draw_now)

    def _draw_now(self) -> None:
        self.pause()
        self._drawn = asyncio.get_running_loop().time()
        self._draw()
        answers, self._answers = self._answers, None
        if answers is not None:
            self._scheduler.answer(answers)


_NONE: Final = Color.default()


class WholeCells(ScrollBarRender):
    """A scrollbar of coloured blanks: the partial blocks at the ends of Textual's have no ASCII twins."""

    @classmethod
    def render_bar(
        cls,
        size: int = 25,
        virtual_size: float = 50,
        window_size: float = 20,
        position: float = 0,
        thickness: int = 1,
        vertical: bool = True,
        back_color: Color = _NONE,
        bar_color: Color = _NONE,
    ) -> Segments:
        """Return the cells; if anything is out of sight, at least one is the thumb's and one is not."""
        hidden = virtual_size - window_size if window_size else 0
        thumb = max(1, min(size - 1, round(size * window_size / virtual_size))) if hidden > 0 else 0
        before = round((size - thumb) * position / hidden) if hidden > 0 else 0
        blank = " " * (thickness if vertical else 1)
        cells = [
            Segment(
                blank,
                Style(color=colour, bgcolor=back_color, reverse=bool(colour), meta={"@mouse.down": does}),
            )
            for count, colour, does in (
                (before, None, "scroll_up"),
                (thumb, bar_color, "grab"),
                (size - before - thumb, None, "scroll_down"),
            )
            for _ in range(count)
        ]
        return Segments(cells, new_lines=True) if vertical else Segments([*cells, Segment.line()] * thickness)


ScrollBar.renderer = WholeCells
for _called in (AwaitMount, AwaitRemove, AwaitComplete):  # otherwise Textual inspects each instance
    _called._param_count = 0  # type: ignore[union-attr]

_stripped = textual.content._strip_control_codes


def _strip_control_codes(words: str) -> str:
    # a sixth of the time that translating each string takes
    return words if words.isprintable() else _stripped(words)


textual.content._strip_control_codes = _strip_control_codes  # type: ignore[assignment]

_TOO_SMALL = ("-narrow", "-low")  # the classes with which nothing is shown


class BlankScreen(Screen[None]):
    """Textual's default screen, never visible: another one covers it before anything is drawn."""

    def _refresh_layout(self, size: Size | None = None, scroll: bool = False) -> None: ...

    def _compositor_refresh(self) -> None: ...


class PaintedScreen(Screen[None]):
    """A screen laid out once when it opens, and drawn once for everything that a key changes.

    Textual's own is drawn after every step of a change, and laid out again for each widget that is mounted.
    """

    def __init__(self) -> None:
        super().__init__()
        self._compositor = RowCompositor()
        self._gather = FrameTimer(self._draw, self._scheduler)
        self._had_focus: Widget | None = None
        self._is_fresh = True
        self._laid_out_at = 0.0  # the time of the first layout; 0 until then

    def _scheduler(self) -> Scheduler:
        return cast("PaintedApp", self.app).scheduler

    @property
    def _update_timer(self) -> Timer:
        return cast("Timer", self._gather)

    @property
    def is_leaving(self) -> bool:
        """True while the screen is being closed, widget by widget."""
        return is_leaving(self)

    async def _message_loop_exit(self) -> None:
        if isinstance(self.app, PaintedApp):
            self.app.closing(self)
        await super()._message_loop_exit()
        self._gather.pause()  # a turn that waits keeps the app alive

    def mouse_pressed(self) -> None:
        """Hook: a mouse button was pressed; no widget has heard of it yet."""

    def mouse_moved(self, x: int, y: int) -> None:
        """Hook: the mouse is over another cell of the screen."""

    def _clear_tooltip(self) -> None:
        """Do nothing: there are no tooltips, and Textual looks for one at every key."""

    def _forward_event(self, event: Event) -> None:
        # All mouse events pass here, before they go to a widget.
        if isinstance(event, MouseDown):
            self.mouse_pressed()
        super()._forward_event(event)
        if isinstance(event, MouseMove):
            self.mouse_moved(int(event.screen_x), int(event.screen_y))

    @contextmanager
    def at_once(self, *widgets: DirectRefresh, is_answer: bool = False) -> Iterator[None]:
        """Hold the changes of some widgets and draw them all at the end, without a message from each.

        Widgets that are already held are drawn by whoever holds them. If it `is_answer`, this is all that a
        key changes, and what follows is others' doing.
        """
        held = [widget for widget in widgets if not widget.is_held]
        for widget in held:
            widget.is_held = True
        try:
            yield
        finally:
            for widget in held:
                widget.is_held = False
            # not `is_current`, which in a terminal is also true for a screen under a translucent one
            if self is self.app.screen:
                self._take_changes(held, is_answer=is_answer)
            else:
                for widget in held:
                    widget.check_idle()

    def _take_changes(self, widgets: Iterable[DirectRefresh], *, is_answer: bool) -> None:
        for widget in widgets:
            is_drawn, is_laid_out = widget.take_change()
            if is_drawn:
                self._dirty_widgets.add(widget)
            self._layout_required |= is_laid_out
        if self._dirty_widgets or self._layout_required:
            self._gather.at_once(is_answer=is_answer)

    async def _invoke_and_clear_callbacks(self) -> None:
        if self.is_leaving:  # callbacks would look for widgets that are gone
            self._callbacks.clear()
        await super()._invoke_and_clear_callbacks()

    def _draw(self) -> None:
        if self.is_running and not self.is_leaving:
            self._on_timer_update()

    def _on_timer_update(self) -> None:
        """Lay out if required, then draw all changes."""
        if self._layout_required:
            self._scroll_required = False  # a layout includes it, but would be skipped in its favour
        super()._on_timer_update()
        self._gather.pause()
        if self.app._batch_count:
            if not self.app._exit:  # an app that is ending draws no more
                self._gather.resume()
        elif self is self.app.screen and (self._dirty_widgets or self._compositor._dirty_regions):
            super()._compositor_refresh()
            if self._compositor._dirty_regions:  # the rest of a very large picture
                self._gather.resume()

    def _compositor_refresh(self) -> None:
        if self is self.app.screen:
            self._gather.resume()
        else:
            super()._compositor_refresh()

    def _screen_resized(self, size: Size) -> None:
        if size != self._compositor.size:  # a screen that has just opened is sent the size it already has
            super()._screen_resized(size)

    async def _compose(self) -> None:
        # Before there are widgets, since all their styles would be recomputed for the new classes.
        self.update_classes(self._classes_at(self.app.size), animate=False)
        await super()._compose()

    def _on_screen_resume(self, event: ScreenResume) -> None:
        # A screen that opens for the first time has its styles already.
        event.refresh_styles = event.refresh_styles and not self._is_fresh
        self._is_fresh = False

    def _classes_at(self, size: Size) -> dict[str, bool]:
        """Return the breakpoint classes, each with whether the screen has it at a size."""
        across, down = self.app.HORIZONTAL_BREAKPOINTS or [], self.app.VERTICAL_BREAKPOINTS or []
        fitting = self._get_breakpoint_classes(size.width, across)
        fitting |= self._get_breakpoint_classes(size.height, down)
        # "-over" is for modal screens: selectors know only the first base of a class, not `ModalScreen`.
        return {"-over": self.is_modal} | {name: name in fitting for _, name in across + down}

    async def _on_layout(self, message: Layout) -> None:
        if message.time < self._laid_out_at:  # the first layout has already done it
            message.stop().prevent_default()

    def _refresh_layout(self, size: Size | None = None, scroll: bool = False) -> None:
        if not (self.outer_size if size is None else size):
            return  # nothing can be laid out yet
        if not self._laid_out_at:  # all requests so far were for this layout
            self._laid_out_at, self._layout_required = monotonic(), False
        if size is not None:  # classes first: Textual sets them later, and then lays everything out again
            classes = self._classes_at(size)
            self.update_classes(classes, animate=False)
            self._keep_focus(is_hidden=any(classes[name] for name in _TOO_SMALL))
        has_requests = self._take_requests()
        # Textual does nothing besides a scroll, unless somebody's request came as a message.
        super()._refresh_layout(size, scroll and not has_requests)
        for widget in self._compositor.widgets:
            # Widgets that do not scroll only need another layout because they now have another size.
            if widget.styles.overflow_x == widget.styles.overflow_y == "hidden":
                widget._layout_required = False

    def _take_requests(self) -> bool:
        """Take over the requests of widgets about to ask for a layout; return whether there were any."""
        asking = [widget for widget in self.walk_children(Widget) if widget._layout_required]
        with self.prevent(Layout):
            for widget in asking:
                widget._check_refresh()
        return bool(asking)

    def _keep_focus(self, *, is_hidden: bool) -> None:
        # Textual takes the focus from widgets that are hidden, and does not give it back.
        if is_hidden:
            self._had_focus = self.focused or self._had_focus
        elif self._had_focus is not None:
            self.call_after_refresh(self._give_back, self._had_focus)
            self._had_focus = None

    def _reset_focus(self, widget: Widget, avoiding: list[Widget] | None = None) -> None:
        if avoiding is None or self not in avoiding:  # else the whole screen is closing
            super()._reset_focus(widget, avoiding)

    def _give_back(self, widget: Widget) -> None:
        if self.focused is None and widget.is_attached:
            self.set_focus(widget)
