"""What an app needs to run beside others in one process, for somebody far away."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable
from contextvars import Context
from itertools import chain
from typing import Any

import textual.timer
from rich.console import Console
from textual.app import App, SystemCommand, _NullFile
from textual.dom import DOMNode
from textual.screen import Screen
from textual.worker import WorkerFailed

from kk_core.errors import where
from kk_core.text import Text
from server.counts import counts
from server.front.driver import ChannelDriver, Terminal
from server.front.rings import break_rings, forget_queries, nodes_of
from server.hub.tasks import spawn
from server.log import get_logger

_log = get_logger()


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


class HostedApp(App[None]):
    """A mix-in to put before the class of an app: nothing of one player reaches the host or another.

    Takes the keyword argument `terminal`; everything else goes to the app, which paints its frames itself,
    for its own terminal (`paint`).
    """

    def __init__(self, *args: Any, terminal: Terminal, **kwargs: Any) -> None:
        self.terminal = terminal
        self.has_failed = False
        self._is_down = self._is_left = False
        self._nodes_left: list[DOMNode] = []
        self._freeing: dict[asyncio.Task[None], list[DOMNode]] = {}
        """What frees closed screens once they have ended, and what it frees."""
        super().__init__(*args, **kwargs)
        self.driver_class = ChannelDriver
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
            self._freeing[spawn(self._free(nodes), "free a closed screen")] = nodes

    async def _free(self, nodes: list[DOMNode]) -> None:
        await self._end_of(nodes)
        is_refreshed = asyncio.Event()
        self.call_after_refresh(is_refreshed.set)  # after what was called for before, as by closed widgets
        await is_refreshed.wait()
        break_rings(nodes)
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
            spawn(self._free_all(), "free an app")

    async def _free_all(self) -> None:
        """A screen that was closed a moment ago may take longer to end than the app."""
        for freeing in self._freeing:
            freeing.cancel()
        nodes = [*chain.from_iterable(self._freeing.values()), *self._nodes_left, *self._registry]
        await self._end_of(nodes)
        break_rings([*nodes, self])

    def paint(self) -> None:
        """Paint, or leave it where the reader is behind: what comes later makes up for it."""
        counts.dropped_frames += self.terminal.writer.is_paused
        super().paint()  # type: ignore[misc]  # of the app that this is mixed into

    def post_display_hook(self) -> None:
        """A picture was drawn, or a piece of a very large one."""
        super().post_display_hook()
        if not self.screen._compositor._dirty_regions:
            self.terminal.has_painted.set()

    def tell(self, sentence: Text) -> None:
        """Show something that did not come over the link."""

    # -- faults ----------------------------------------------------------------------------------------------

    def _handle_exception(self, error: Exception) -> None:
        """Stop this app: a line without locals for the host; the player is told once the screen is back.

        An app that is on its way out may fail by that, in the middle of opening a screen: that is no fault.
        """
        if not self._exit:
            _log.error("app failed", error=where(error.error if isinstance(error, WorkerFailed) else error))
        self.has_failed = True
        self._return_code = 1
        self._close_messages_no_wait()

    def _fatal_error(self) -> None:
        self.has_failed = True
        self._close_messages_no_wait()

    def _print_error_renderables(self) -> None:
        """Nothing on the host's standard error: hands would be in it."""
        self._exit_renderables.clear()

    # -- what a player must not do to the host ---------------------------------------------------------------

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:  # noqa: ARG002
        """None: Textual's would save a picture on the server."""
        return ()

    def open_url(self, url: str, *, new_tab: bool = True) -> None:
        """Nothing: the browser would open on the server."""

    def action_suspend_process(self) -> None:
        """Nothing: it would stop the server."""

    def deliver_screenshot(self, *_: Any, **__: Any) -> str | None:
        """Nothing: the file would be written on the server."""
        return None

    def save_screenshot(self, *_: Any, **__: Any) -> str:
        """Nothing: the file would be written on the server."""
        return ""
