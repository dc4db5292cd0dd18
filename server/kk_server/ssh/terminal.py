"""The app on a player's terminal; the only module of the server that knows the app's screens."""

from __future__ import annotations

import asyncio
import inspect
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import suppress
from contextvars import Context
from itertools import chain
from typing import Any, Final, TypeAlias
from weakref import WeakValueDictionary

import msgspec
import textual.timer
from rich.console import Console
from textual.app import App, SystemCommand, _NullFile
from textual.cache import LRUCache
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import WorkerFailed

from kk_core.errors import KkError, where
from kk_core.protocol.messages import Notice
from kk_core.protocol.stream import ClientLink
from kk_core.text import Text, text
from kk_server.counts import counts
from kk_server.gateway import Visit
from kk_server.language import language_of, translate
from kk_server.limits import ServerLimits, TokenBuckets
from kk_server.log import get_logger
from kk_server.ssh.driver import ChannelDriver, Terminal
from kk_server.ssh.input_throttle import InputThrottle
from kk_server.tasks import spawn
from kk_tui.app import KkApp
from kk_tui.games import faces
from kk_tui.settings import Settings, SettingsStore
from kk_tui.terminal.kinds import kind_of
from kk_tui.theme.glyphs import wants_ascii

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
            spawn(self._free_all(), "free an app")

    async def _free_all(self) -> None:
        """A screen that was closed a moment ago may take longer to end than the app."""
        for freeing in self._freeing:
            freeing.cancel()
        nodes = [*chain.from_iterable(self._freeing.values()), *self._nodes_left, *self._registry]
        await self._end_of(nodes)
        break_cycles([*nodes, self])

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


_LONGEST: Final = 2.0
"""Seconds after which the next one begins, whatever became of the one before."""

_SHARE: Final = 0.25
"""After each, others have this part of the time that it took, in which nobody arrives."""

_REST: Final = 0.2
"""Seconds that this lasts at most."""


class FirstPaintQueue:
    """Gives turns, in which the networks that people come from alternate.

    A network from which many have come of late gets one now and then only.
    """

    def __init__(self, limits: ServerLimits) -> None:
        self.use(limits)
        self._turn = asyncio.Lock()
        self._networks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def use(self, limits: ServerLimits) -> None:
        """Have these limits count for whoever comes from now on."""
        self._rates = TokenBuckets(limits.connections_per_second, limits.connections_at_once)

    async def wait(self, network: str, is_done: asyncio.Event) -> None:
        """Wait for a turn, which lasts until `is_done`."""
        begun = asyncio.Event()
        spawn(self._hold(network, begun, is_done), "arrival")
        await begun.wait()

    async def _hold(self, network: str, begun: asyncio.Event, is_done: asyncio.Event) -> None:
        loop, own = asyncio.get_running_loop(), self._networks.setdefault(network, asyncio.Lock())
        async with own:
            while pause := self._rates.wait_for(network):  # noqa: ASYNC110 - time alone fills it
                await asyncio.sleep(pause)
            async with self._turn:
                begun.set()
                since = loop.time()
                with suppress(TimeoutError):
                    async with asyncio.timeout(_LONGEST):
                        await is_done.wait()
                await asyncio.sleep(min(_SHARE * (loop.time() - since), _REST))


_LEAVING: Final = 5.0
"""Seconds that an app has to end when its player is gone."""

MakeApp: TypeAlias = Callable[
    [Callable[[], Awaitable[ClientLink]], Terminal, SettingsStore | None], HostedApp
]
"""Makes an app from what opens its link to the hub, its terminal, and where its user's settings are kept."""


class AccountSettings:
    """The settings of an account, kept by the server: they are there at the next login, too."""

    def __init__(self, kept: str | None, keep: Callable[[str], Awaitable[None]]) -> None:
        """`kept` is what `keep` was given last."""
        self._kept = kept
        self._keep = keep

    def load(self) -> Settings:
        """What was kept, or the defaults. Raises `KkError` when what was kept cannot be used."""
        if self._kept is None:
            return Settings()
        try:
            return msgspec.json.decode(self._kept, type=Settings, strict=True)
        except msgspec.DecodeError as error:
            raise KkError(
                text("The settings that were kept here cannot be used: {reason}.", reason=str(error))
            ) from None

    def save(self, settings: Settings) -> None:
        """Keep them; nobody waits for it."""
        self._kept = msgspec.json.encode(settings).decode()
        spawn(self._store(self._kept), "keep settings")

    async def _store(self, settings: str) -> None:
        try:
            await self._keep(settings)
        except KkError as error:
            _log.warning("settings not kept", error=type(error).__name__)


class TerminalHandler:
    """Runs one app on one channel, from the first frame to the restored screen."""

    def __init__(
        self,
        visit: Visit,
        network: str,
        terminal: Terminal,
        make_app: MakeApp,
        settings: SettingsStore | None,
        limits: ServerLimits,
        arrivals: FirstPaintQueue,
    ) -> None:
        """`network` is where somebody comes from; turns go by it."""
        self._visit = visit
        self._network = network
        self._terminal = terminal
        self._links: list[ClientLink] = []
        self._reason: Text | None = None
        self._make_app = make_app
        self._settings = settings
        self._arrivals = arrivals
        self._app: HostedApp | None = None
        self._task: asyncio.Task[object] | None = None
        self._gate = InputThrottle(
            limits.keys_per_second, limits.keys_at_once, terminal.feed, terminal.writer.stop_reading
        )

    async def run(self) -> int:
        """Run the app until it ends; gives the exit status."""
        await self._arrivals.wait(self._network, self._terminal.has_painted)
        if self._terminal.writer.is_closed:
            return 0
        if self._reason is not None:  # the end has come before the beginning
            self._say(self._reason)
            return 0
        self._app = app = self._make_app(self._connect, self._terminal, self._settings)
        self._task = asyncio.current_task()
        try:
            await app.run_async(size=self._terminal.size)
        finally:
            self._terminal.has_painted.set()
            for link in self._links:
                await link.close()
            self._app = None
            app.take_apart()
        if self._reason is not None:  # an app that has to end while it begins may fail
            self._say(self._reason)
        elif app.has_failed:
            self._say(text("Something went wrong in the program. Your seat is kept: please connect again."))
            return 1
        return 0

    def feed(self, data: bytes) -> None:
        """Keys and mouse."""
        self._gate.feed(data)

    def resize(self, width: int, height: int) -> None:
        """The window has a new size."""
        self._terminal.resize(width, height)

    async def leave(self) -> None:
        """The connection is lost: end the app, gently at first."""
        self._gate.close()
        self._terminal.writer.close()
        self._terminal.has_painted.set()
        if self._app is None or self._task is None:
            return
        self._app.exit()
        await asyncio.wait([self._task], timeout=_LEAVING)
        self._task.cancel()

    def tell(self, sentence: Text) -> None:
        """The app shows it."""
        if self._app is not None:
            self._app.tell(sentence)

    def end(self, reason: Text) -> None:
        """The server stops: give the terminal back and say why."""
        self._reason = reason
        if self._app is not None:
            self._app.exit()

    async def _connect(self) -> ClientLink:
        link = await self._visit.link()
        self._links.append(link)
        return link

    def _say(self, sentence: Text) -> None:
        """A line on the restored terminal, in its language."""
        words = translate(sentence, language_of(self._terminal.environment))
        self._terminal.writer.write(f"{words}\r\n".encode())


class HostedKkApp(HostedApp, KkApp):
    """The app for somebody far away."""

    _BASE_PATH = inspect.getfile(KkApp)  # styles are named relative to it

    def tell(self, sentence: Text) -> None:
        """Show it like a notice of the hub's."""
        self.post_message(self.Noticed(Notice(sentence)))


async def prepare() -> None:
    """Load what games look like, one after the other: else all would wait for it when a table opens."""
    for game in faces():
        _ = faces()[game]
        await asyncio.sleep(0)


def make_app(
    connect: Callable[[], Awaitable[ClientLink]], terminal: Terminal, settings: SettingsStore | None
) -> HostedKkApp:
    """The app for a terminal, in its language and with its characters."""
    environment = terminal.environment
    return HostedKkApp(
        connect,
        local=False,
        language=language_of(environment),
        ascii_only=wants_ascii({**environment, "TERM": terminal.kind}),
        kind=kind_of(terminal.kind, environment),
        terminal=terminal,
        settings=settings,
    )
