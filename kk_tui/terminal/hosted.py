"""Apps that share a process: isolated from each other, and freed completely when they end."""

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
    """Return all nodes of a screen; call it before the screen is closed."""
    return [node for widget in _widgets(screen) for node in _parts(widget)]


def _parts(widget: Widget) -> Iterator[DOMNode]:
    """Yield a widget, its scrollbars, and the nodes that carry the styles of its parts."""
    yield widget
    yield from widget._get_virtual_dom()
    yield from (styles.node for styles in widget._component_styles.values() if styles.node is not None)


def forget_queries(screen: Screen[Any]) -> None:
    """Empty caches that Textual, when the screen is closed, would clear in a way that leaves a cycle."""
    for widget in _widgets(screen):
        _empty(widget._query_one_cache)


def _widgets(screen: Screen[Any]) -> Iterable[Widget]:
    return screen.walk_children(Widget, with_self=True)


def break_cycles(nodes: Iterable[DOMNode]) -> None:
    """Strip nodes of everything but plain values, such as flags that late callers still read."""
    for node in nodes:
        own = vars(node)
        for value in own.values():
            if isinstance(value, LRUCache):
                _empty(value)
        plain = {name: value for name, value in own.items() if isinstance(value, _PLAIN)}
        own.clear()
        own.update(plain)


def _empty(cache: LRUCache[Any, Any]) -> None:
    # The cache is a ring of lists that link to each other: dropping it is not enough.
    links = list(cache._cache.values())
    cache.clear()
    for link in links:
        link.clear()


async def sleep_apart(seconds: float) -> None:
    """Sleep, leaving nothing behind when cancelled."""
    # asyncio keeps the timer of a cancelled sleep until it is due, and with its context the app.
    is_over = asyncio.Event()
    timer = asyncio.get_running_loop().call_later(seconds, is_over.set, context=Context())
    try:
        await is_over.wait()
    finally:
        timer.cancel()


# Textual's timers sleep by this name, and an app has many that are cancelled when it ends.
textual.timer.sleep = sleep_apart  # type: ignore[attr-defined, assignment]


def _apart(work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
    """Run work in an empty context; it starts later."""
    # a copy of the caller's context would keep the app alive
    return asyncio.Task(work, loop=asyncio.get_running_loop(), name=name, context=Context())


class IsolatedApp(App[None]):
    """A mix-in that comes before the class of an app which shares its process with others.

    Nothing of one player reaches the host or another player, and an app is freed once it has ended.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.has_failed = False
        self._is_down = self._is_left = False
        self._nodes_left: list[DOMNode] = []
        self._freeing: dict[asyncio.Task[None], list[DOMNode]] = {}
        """The tasks that free closed screens once they have ended, and the nodes to free."""
        super().__init__(*args, **kwargs)
        self._draw_in_colour()
        # Textual redirects the process's output while an app runs and restores what it found: with several
        # apps, that of one which ended long ago. So each "redirects" to where the output goes anyway.
        self._capture_stdout = sys.stdout  # type: ignore[assignment]
        self._capture_stderr = sys.stderr  # type: ignore[assignment]

    def _draw_in_colour(self) -> None:
        # The server's own NO_COLOR or TERM must not count: the painter knows the player's terminal.
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
        # Textual has just set a task factory for the whole loop, which all connections share.
        asyncio.get_running_loop().set_task_factory(None)
        await super()._process_messages(*args, **kwargs)

    async def _close_all(self) -> None:
        self._nodes_left += self._registry
        await super()._close_all()

    def closing(self, screen: Screen[Any]) -> None:
        """Free a screen's nodes once it has ended and nothing can reach them."""
        nodes = nodes_of(screen)
        forget_queries(screen)
        if self._exit:
            self._nodes_left += nodes
        else:
            self._freeing[_apart(self._free(nodes), "free a closed screen")] = nodes

    async def _free(self, nodes: list[DOMNode]) -> None:
        await self._end_of(nodes)
        is_refreshed = asyncio.Event()
        self.call_after_refresh(is_refreshed.set)  # after the callbacks that closed widgets have requested
        await is_refreshed.wait()
        break_cycles(nodes)
        self._freeing = {task: left for task, left in self._freeing.items() if left is not nodes}

    async def _end_of(self, nodes: Iterable[DOMNode]) -> None:
        """Wait for the tasks and workers of nodes, however long they take to end."""
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
        """Free everything the app holds once it has ended, which may be later than now."""
        self._is_left = True
        self._free_all_at_end()

    def _free_all_at_end(self) -> None:
        if self._is_down and self._is_left:
            _apart(self._free_all(), "free an app")

    async def _free_all(self) -> None:
        # A screen that was just closed may take longer to end than the app.
        for freeing in self._freeing:
            freeing.cancel()
        nodes = [*chain.from_iterable(self._freeing.values()), *self._nodes_left, *self._registry]
        await self._end_of(nodes)
        break_cycles([*nodes, self])

    def post_display_hook(self) -> None:
        """Call `picture_done` once all pieces of a very large picture are drawn."""
        super().post_display_hook()
        if not self.screen._compositor._dirty_regions:
            self.picture_done()

    def picture_done(self) -> None:
        """Hook: a whole picture was drawn."""

    # -- faults ----------------------------------------------------------------------------------------------

    def _handle_exception(self, error: Exception) -> None:
        if not self._exit:  # an app that ends while opening a screen may fail; that is not a fault
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
        self._exit_renderables.clear()  # keep it off the host's standard error: it may contain hands

    def save_screenshot(self, *_: Any, **__: Any) -> str:
        """Do nothing: the file would be written on the server."""
        return ""
