"""Apps that share a process: each leaves the others alone, and nothing behind when it has ended."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine, Iterable, Iterator
from contextvars import Context
from itertools import chain
from typing import Any, Final

import textual.timer
from rich.console import Console
from textual.app import App, _NullFile
from textual.cache import LRUCache
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import WorkerFailed

_PLAIN: Final = (bool, int, float, str, type(None))


def nodes_of(screen: Screen[Any]) -> list[DOMNode]:
    """All that a screen consists of, to be asked for before it is closed."""
    return [node for widget in _widgets(screen) for node in _parts(widget)]


def _parts(widget: Widget) -> Iterator[DOMNode]:
    """A widget, its scroll bars, and what stands for its parts that have styles of their own."""
    yield widget
    yield from widget._get_virtual_dom()
    yield from (styles.node for styles in widget._component_styles.values() if styles.node is not None)


def forget_queries(screen: Screen[Any]) -> None:
    """Empty what Textual, when the screen is closed, will clear in a way that leaves a ring."""
    for widget in _widgets(screen):
        _empty(widget._query_one_cache)


def _widgets(screen: Screen[Any]) -> Iterable[Widget]:
    return screen.walk_children(Widget, with_self=True)


def break_cycles(nodes: Iterable[DOMNode]) -> None:
    """Have nodes keep nothing but plain values: whether they run, for whoever still asks."""
    for node in nodes:
        own = vars(node)
        for value in own.values():
            if isinstance(value, LRUCache):
                _empty(value)
        plain = {name: value for name, value in own.items() if isinstance(value, _PLAIN)}
        own.clear()
        own.update(plain)


def _empty(cache: LRUCache[Any, Any]) -> None:
    """Its links know each other."""
    links = list(cache._cache.values())
    cache.clear()
    for link in links:
        link.clear()


async def sleep_apart(seconds: float) -> None:
    """Sleep, and when cancelled leave nothing behind.

    asyncio keeps the timer of a cancelled sleep until its time has come, and with its context an app.
    """
    is_over = asyncio.Event()
    timer = asyncio.get_running_loop().call_later(seconds, is_over.set, context=Context())
    try:
        await is_over.wait()
    finally:
        timer.cancel()


textual.timer.sleep = sleep_apart  # type: ignore[attr-defined, assignment]


def _apart(work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
    """Run in an empty context, and not before the caller gives way: an app leaves itself in its own."""
    return asyncio.Task(work, loop=asyncio.get_running_loop(), name=name, context=Context())


class IsolatedApp(App[None]):
    """A mix-in to put before the class of an app that has others beside it in its process.

    Nothing of one player reaches the host or another, and nothing is left of an app once it has ended.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.has_failed = False
        self._is_down = self._is_left = False
        self._nodes_left: list[DOMNode] = []
        self._freeing: dict[asyncio.Task[None], list[DOMNode]] = {}
        """What frees closed screens once they have ended, and what it frees."""
        super().__init__(*args, **kwargs)
        self._draw_in_colour()
        # Textual redirects the process's output while an app runs and puts back what it found: with several
        # apps, that of one which is long dead. So each "redirects" to where the output goes anyway.
        self._capture_stdout = sys.stdout  # type: ignore[assignment]
        self._capture_stderr = sys.stderr  # type: ignore[assignment]

    def _draw_in_colour(self) -> None:
        """Draw in colour, whatever the server's own environment says; the painter shows what it can."""
        self.no_color = False
        self.console = Console(
            color_system="truecolor",
            file=_NullFile(),  # type: ignore[arg-type]
            markup=True,
            highlight=False,
            emoji=False,
            legacy_windows=False,
            _environ={},
            force_terminal=True,
            safe_box=False,
            soft_wrap=False,
        )

    async def _process_messages(self, *args: Any, **kwargs: Any) -> None:
        # Textual has just set a task factory for the whole loop, which all connections share
        asyncio.get_running_loop().set_task_factory(None)
        await super()._process_messages(*args, **kwargs)

    async def _close_all(self) -> None:
        self._nodes_left += self._registry
        await super()._close_all()

    def closing(self, screen: Screen[Any]) -> None:
        """Once a screen has ended and nothing can come to it any more, free what it holds."""
        nodes = nodes_of(screen)
        forget_queries(screen)
        if self._exit:
            self._nodes_left += nodes
        else:
            self._freeing[_apart(self._free(nodes), "free a closed screen")] = nodes

    async def _free(self, nodes: list[DOMNode]) -> None:
        await self._end_of(nodes)
        is_refreshed = asyncio.Event()
        self.call_after_refresh(is_refreshed.set)  # after what was called for before, as by closed widgets
        await is_refreshed.wait()
        break_cycles(nodes)
        self._freeing = {task: left for task, left in self._freeing.items() if left is not nodes}

    async def _end_of(self, nodes: Iterable[DOMNode]) -> None:
        """Wait until nothing runs for nodes any more, however long they take to close."""
        ending = set(nodes)
        while running := [
            task
            for task in (
                *(node._task for node in ending),
                *(worker._task for worker in self.workers if worker.node in ending),
            )
            if task is not None and not task.done()
        ]:
            await asyncio.wait(running)

    async def _shutdown(self) -> None:
        try:
            await super()._shutdown()
        finally:
            self._is_down = True
            self._free_all_at_end()

    def take_apart(self) -> None:
        """Free what the app held, once it has ended; who waited for that may have waited no longer."""
        self._is_left = True
        self._free_all_at_end()

    def _free_all_at_end(self) -> None:
        if self._is_down and self._is_left:
            _apart(self._free_all(), "free an app")

    async def _free_all(self) -> None:
        """A screen that was closed a moment ago may take longer to end than the app."""
        for freeing in self._freeing:
            freeing.cancel()
        nodes = [*chain.from_iterable(self._freeing.values()), *self._nodes_left, *self._registry]
        await self._end_of(nodes)
        break_cycles([*nodes, self])

    def post_display_hook(self) -> None:
        """A picture was drawn, or a piece of a very large one."""
        super().post_display_hook()
        if not self.screen._compositor._dirty_regions:
            self.picture_done()

    def picture_done(self) -> None:
        """Hook: all of a picture was drawn."""

    # -- faults ----------------------------------------------------------------------------------------------

    def _handle_exception(self, error: Exception) -> None:
        """Stop this app.

        An app that is on its way out may fail by that, in the middle of opening a screen: that is no fault.
        """
        if not self._exit:
            self.failed(error.error if isinstance(error, WorkerFailed) else error)  # type: ignore[arg-type]
        self.has_failed = True
        self._return_code = 1
        self._close_messages_no_wait()

    def failed(self, error: Exception) -> None:
        """Hook: the app is about to stop because of this."""

    def _fatal_error(self) -> None:
        self.has_failed = True
        self._close_messages_no_wait()

    def _print_error_renderables(self) -> None:
        """Nothing on the host's standard error: hands would be in it."""
        self._exit_renderables.clear()

    def save_screenshot(self, *_: Any, **__: Any) -> str:
        """Nothing: the file would be written on the server."""
        return ""
