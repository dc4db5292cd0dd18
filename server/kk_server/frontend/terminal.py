"""The app on a player's terminal; the only module of the server that knows the app's screens."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from math import inf
from typing import Any, Final, TypeAlias
from weakref import WeakValueDictionary

import msgspec
from textual.widgets import Input

from kk_core.errors import KkError, where
from kk_core.protocol.stream import ClientLink
from kk_core.reasons import shape_reason
from kk_core.text import Text, text
from kk_server.background import spawn
from kk_server.counts import counts
from kk_server.frontend.channel import FAILED, SessionFailed
from kk_server.frontend.driver import ChannelDriver, Terminal
from kk_server.frontend.input_throttle import InputThrottle
from kk_server.gateway import Visit
from kk_server.limits import ServerLimits, TokenBuckets
from kk_server.log import get_logger
from kk_tui.app import KkApp
from kk_tui.games import faces
from kk_tui.languages import demanded_language, language_of, settled_language, translate
from kk_tui.screens.chat_console import RequestRate
from kk_tui.settings import AppSettings, SettingsStore
from kk_tui.terminal.capabilities import kind_of
from kk_tui.terminal.driver import Scheduler, Turn
from kk_tui.terminal.hosted import IsolatedApp
from kk_tui.theme.glyphs import wants_ascii

_logger = get_logger()


_COMES_OF_IT: Final = 0.25
"""Seconds after the turn in which an app was told of news, within which a frame shows these."""


class SharedScheduler(Scheduler):
    """Gives an app that shares its process with others its turns: what no key has asked for waits.

    The first picture does not wait with it: whoever has connected waits for that as for the effect of a key.
    """

    def __init__(self, terminal: Terminal) -> None:
        super().__init__()
        self._terminal = terminal
        self._last_turn = -inf
        """The loop's time of the app's last turn."""

    def run(self, do: Callable[[], None]) -> Turn:
        """Do something at once if the user is waiting for it, else in the app's next turn."""
        if self.is_asked:
            return super().run(do)
        return self._queue(partial(self._in_turn, do))

    def draw(self, frame: Callable[[], None]) -> Turn:
        """Draw a frame at once if the user waits for it, else in a turn: the very next if it comes of one."""
        if self.is_asked:
            return super().draw(frame)
        now, since = asyncio.get_running_loop().time(), self._last_turn
        self._last_turn = -inf
        return self._queue(frame, is_next=now < since + _COMES_OF_IT)

    def _in_turn(self, do: Callable[[], None]) -> None:
        self._last_turn = asyncio.get_running_loop().time()
        do()

    def _queue(self, do: Callable[[], None], *, is_next: bool = False) -> Turn:
        queue = self._terminal.run_queue
        if not self._terminal.has_painted.is_set():
            return queue.key(do)
        return (queue.match if self.is_at_match else queue.other)(do, is_next=is_next)


class HostedApp(IsolatedApp):
    """A mix-in that shows an app on a remote terminal; it comes before the app's class.

    It takes the keyword argument `terminal` and passes all others to the app, which paints its own frames
    (`paint`).
    """

    def __init__(self, *args: Any, terminal: Terminal, **kwargs: Any) -> None:
        self.terminal = terminal
        super().__init__(*args, **kwargs)
        self.driver_class = ChannelDriver
        self.scheduler: Scheduler = SharedScheduler(terminal)

    def paint(self) -> None:
        """Paint a frame, unless the reader is behind: a later frame makes up for it."""
        counts.dropped_frames += self.terminal.writer.is_paused
        super().paint()  # type: ignore[misc]  # of the app that this is mixed into

    def picture_done(self) -> None:
        """Let the next app start."""
        self.terminal.has_painted.set()

    def failed(self, error: Exception) -> None:
        """Log an error without local variables; the player is told once the screen is restored."""
        _logger.error("app failed", error=where(error))

    def tell(self, sentence: Text) -> None:
        """Show a sentence that did not come over the link."""


_LONGEST: Final = 2.0
"""Seconds after which the next turn begins, whether or not the last app has painted."""

_SHARE: Final = 0.25
"""After each turn nobody arrives for this share of its time, so that others get some."""

_REST: Final = 0.2
"""Maximum seconds of that."""


class FirstPaintQueue:
    """Starts apps one by one, alternating between the networks that people come from.

    A network with many recent arrivals gets fewer turns.
    """

    def __init__(self, limits: ServerLimits) -> None:
        self.use(limits)
        self._turn = asyncio.Lock()
        # weak: a network is forgotten with its last arrival, since arrivals hold the lock
        self._networks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def use(self, limits: ServerLimits) -> None:
        """Apply new limits."""
        self._rates = TokenBuckets(limits.connections_per_second, limits.connections_at_once)

    async def wait(self, network: str, is_done: asyncio.Event) -> None:
        """Wait for a turn, which lasts until `is_done`."""
        begun = asyncio.Event()
        spawn(self._hold(network, begun, is_done), "arrival")
        await begun.wait()

    async def _hold(self, network: str, begun: asyncio.Event, is_done: asyncio.Event) -> None:
        loop, own = asyncio.get_running_loop(), self._networks.setdefault(network, asyncio.Lock())
        # one at a time per network; its others wait here, not in the common queue
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
"""Seconds that an app has to end once its player is gone."""

MakeApp: TypeAlias = Callable[
    [Callable[[], Awaitable[ClientLink]], Terminal, SettingsStore | None], HostedApp
]
"""Creates an app from a function that opens its link, its terminal, and the store of its settings."""


class AccountSettings:
    """The settings of an account, stored by the server."""

    def __init__(self, kept: str | None, keep: Callable[[str, str | None], Awaitable[None]]) -> None:
        """Take the stored settings, and the function that stores new ones, given those before."""
        self._kept = kept
        self._keep = keep
        self._is_usable = True

    def load(self) -> AppSettings:
        """Return the stored settings, or the defaults. Raises `KkError` if they cannot be used."""
        if self._kept is None:
            return AppSettings()
        try:
            return msgspec.json.decode(self._kept, type=AppSettings, strict=True)
        except msgspec.DecodeError as error:
            self._is_usable = False
            raise KkError(
                text("Your saved settings cannot be used: {reason}.", reason=shape_reason(error))
            ) from None

    def save(self, settings: AppSettings) -> None:
        """Store settings in the background."""
        # what cannot be used is replaced as a whole
        before = (self._kept or _encoded(AppSettings())) if self._is_usable else None
        self._kept, self._is_usable = _encoded(settings), True
        spawn(self._store(self._kept, before), "keep settings")

    async def _store(self, settings: str, before: str | None) -> None:
        try:
            await self._keep(settings, before)
        except KkError as error:
            _logger.warning("settings not kept", error=type(error).__name__)


def _encoded(settings: AppSettings) -> str:
    return msgspec.json.encode(settings).decode()


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
        """Take everything the app needs; turns to start go by `network`."""
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
        """Run the app until it ends; returns the exit status. Raises `SessionFailed` if the app has."""
        # starting an app blocks the loop for a while: many at once would freeze everybody
        await self._arrivals.wait(self._network, self._terminal.has_painted)
        if self._terminal.writer.is_closed:
            return 0
        if self._reason is not None:  # it was ended before it began
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
            # frees the app's objects now, instead of leaving them to a full collection
            app.take_apart()
        if self._reason is not None:  # an app that is ended while starting may fail
            self._say(self._reason)
        elif app.has_failed:
            self._say(FAILED)
            raise SessionFailed(FAILED)
        return 0

    def feed(self, data: bytes) -> None:
        """Handle input."""
        self._gate.feed(data)

    def resize(self, width: int, height: int) -> None:
        """Handle a new window size."""
        self._terminal.resize(width, height)

    async def leave(self) -> None:
        """Handle a lost connection: end the app, by force if it takes too long."""
        self._gate.close()
        self._terminal.writer.close()
        # the next in the queue need not wait for a frame that nobody will see
        self._terminal.has_painted.set()
        if self._app is None or self._task is None:
            return
        self._app.exit()
        await asyncio.wait([self._task], timeout=_LEAVING)
        self._task.cancel()

    def tell(self, sentence: Text) -> None:
        """Show a sentence in the app."""
        if self._app is not None:
            self._app.tell(sentence)

    def end(self, reason: Text) -> None:
        """End the app, restore the terminal and show the reason."""
        self._reason = reason
        if self._app is not None:
            self._app.exit()

    async def _connect(self) -> ClientLink:
        link = await self._visit.link()
        self._links.append(link)
        return link

    def _say(self, sentence: Text) -> None:
        chosen: str | None = None
        with suppress(KkError):
            chosen = self._settings.load().language if self._settings is not None else None
        words = translate(sentence, settled_language(self._terminal.environment, chosen))
        self._terminal.writer.write(f"{words}\r\n".encode())


class HostedKkApp(HostedApp, KkApp):
    """kk's own app, on a remote terminal."""

    @property
    def has_motion(self) -> bool:
        """True unless the host has disabled motion."""
        return self.terminal.has_motion

    def tell(self, sentence: Text) -> None:
        """Show it like a notice from the hub."""
        self.show_notice(sentence)

    _is_typing = False
    """True if the client was told last that text is typed."""

    def paint(self) -> None:
        """Paint a frame, and tell the client if a field for text has been entered or left."""
        super().paint()
        if not self.is_running or not self.screen_stack:
            return
        is_typing = isinstance(self.focused, Input)
        if is_typing != self._is_typing:
            self._is_typing = is_typing
            self.terminal.writer.note_typing(is_typing)

    def note_place(self, place: str) -> None:
        """Tell the client, which may come back."""
        self.terminal.writer.note_place(place)


async def prepare() -> None:
    """Import the drawing of all games, one by one."""
    # otherwise everybody would wait for it when the first table opens
    for game in faces():
        _ = faces()[game]
        await asyncio.sleep(0)


def make_app(
    connect: Callable[[], Awaitable[ClientLink]], terminal: Terminal, settings: SettingsStore | None
) -> HostedKkApp:
    """Create the app for a terminal, in its language and with its characters."""
    environment, limits = terminal.environment, terminal.limits
    return HostedKkApp(
        connect,
        local=False,
        language=language_of(environment),
        demanded_language=demanded_language(environment),
        ascii_only=wants_ascii({**environment, "TERM": terminal.kind}),
        kind=kind_of(terminal.kind, environment),
        terminal=terminal,
        settings=settings,
        go_to=terminal.place or None,
        request_rate=RequestRate(limits.requests_per_second, limits.requests_at_once),
    )
