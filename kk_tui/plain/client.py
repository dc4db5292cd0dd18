"""A client of the protocol in lines of text: it reads lines and writes lines, whatever carries them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any

import msgspec

from kk_core.errors import KkError, where
from kk_core.protocol.messages import (
    PROTOCOL_VERSION,
    ClientMessage,
    Contribute,
    GetRemarks,
    Hello,
    Notice,
    ReadWelcome,
    Remarks,
    Welcome,
)
from kk_core.protocol.stream import ClientLink, LinkClosed
from kk_core.text import Text, printable, text
from kk_core.views import TableView, is_guest
from kk_tui.chat import ChatReader
from kk_tui.client.client import Client, pauses
from kk_tui.client.shuffling import Shuffling
from kk_tui.games import faces
from kk_tui.i18n import PlainReader, _, render, typed, writing_for
from kk_tui.languages import first_language
from kk_tui.plain.commands import QUIT, Commands, LineWords
from kk_tui.plain.console import scene_here
from kk_tui.plain.news import News
from kk_tui.scene import Scene
from kk_tui.server_address import ServerAddress
from kk_tui.settings import (
    AppSettings,
    KeysIgnored,
    PaceControl,
    SessionSettings,
    SettingsStore,
    changed,
    set_pace,
)
from kk_tui.table.landing import at_step, land, stepless
from kk_tui.table.place_store import PlaceStore, past_scene
from kk_tui.table.turn_signal import Signal, TurnSignal

Write = Callable[[str], object]
"""Writes one line."""


class PlainClient:
    """One person at a hub who reads and types lines; `write` is called with each line.

    `go_to` is the table to begin at, `name` what is shown on a seat instead of the user's name. One that is
    `local` has nobody else to talk to; one that `goes_back` begins at the match that its user is in, one that
    `reconnects` does so when the connection is lost, one that `contributes` adds to every shuffle. `language`
    is that of the terminal, for a user who has chosen none, in their `settings` or for their account;
    `demanded_language` precedes these until they are changed. Bots keep the `pace` that the settings say.
    `records` is the folder for records of matches. Before each request, and before work that takes as long as
    several, `spend` is called with their number; it may wait. `note_place` is called with each table or
    replay that is gone to, "" for the lobby, and `signal` with what tells people who look elsewhere whose
    turn it is.
    """

    def __init__(
        self,
        connect: Callable[[], Awaitable[ClientLink]],
        write: Write,
        reader: PlainReader,
        *,
        local: bool = False,
        name: str = "",
        go_to: str | None = None,
        goes_back: bool = True,
        reconnects: bool = False,
        contributes: bool = False,
        settings: SettingsStore | None = None,
        pace: PaceControl | None = None,
        language: str | None = None,
        demanded_language: str | None = None,
        records: Path | None = None,
        spend: Callable[[int], Awaitable[None]] | None = None,
        note_place: Callable[[str], None] = lambda _: None,
        signal: Callable[[Signal], None] = lambda _: None,
    ) -> None:
        self.records = records
        self._signal = signal
        self._turns = TurnSignal(monotonic)
        self._last_signal = Signal(False, None)
        self._note_place = note_place
        self._spend = spend
        self._settings_store = settings or SessionSettings()
        self._pace = pace
        self._terminal_language = language
        self._account_language = ""
        self._demanded_language = demanded_language
        self.settings, self._settings_fault = _loaded(self._settings_store)
        set_pace(self._pace, self.settings)
        self._connect = connect
        self._write = write
        self._reader = reader
        at, self._step = stepless(go_to or "")  # of the replay that is gone to
        self._go_to = at or None
        self._goes_back = goes_back and not local
        self._reconnects = reconnects
        self._shuffling = Shuffling(by_itself=contributes)
        self._fault: Text | None = None
        self._started = set[asyncio.Task[None]]()
        self._client: Client | None = None
        self.chat_reader = ChatReader()
        self._news = News(self.chat_reader, local=local)
        self._has_left = asyncio.Event()
        self._is_greeted = False
        self._has_arrived = False  # once the first place has been told
        self._coming: asyncio.Task[None] | None = None
        self._followed: Client | None = None  # whose place is newer than the one that is being told
        self.changed = asyncio.Event()
        """Set whenever the place has changed."""
        self.local = local
        self.name = name
        self.store = PlaceStore(faces())
        self.user = ""
        self.server_address = ServerAddress()
        self.pointed: str | None = None
        """The table that has called last, until they go there or cannot: a line points at nothing else."""
        self._past: Scene[Any] | None = None
        self.is_coached = False
        self.commands = Commands(self, lists_all=True, own_words=LineWords(self).words)

    @property
    def past(self) -> Scene[Any] | None:
        """The earlier position of the match here that is looked at, if any."""
        return self._past

    @past.setter
    def past(self, scene: Scene[Any] | None) -> None:
        self._past = scene
        if scene is not None and self.store.table is not None and self.store.table.phase == "replay":
            self._note_place(at_step(self._where, scene.match.ply))

    def say(self, *lines: str) -> None:
        """Write lines, without anything in them that would steer a terminal."""
        for line in lines:
            self._write(printable(line))

    def guide(self, line: str) -> None:
        """Write what can be done next."""
        self.say(line)

    def leave(self) -> None:
        """End the session."""
        self._has_left.set()
        self.changed.set()

    @property
    def has_account(self) -> bool:
        """True unless the user is a guest."""
        return not is_guest(self.user)

    @property
    def reader(self) -> PlainReader:
        """Whoever reads."""
        return self._reader

    def change_settings(self, **changes: Any) -> None:
        """Use other values from now on, and keep them. Raises `KkError`."""
        before, self.settings = self.settings, changed(self.settings, **changes)
        if self.settings.language != before.language:
            # what is chosen now precedes what was chosen elsewhere
            self._demanded_language, self._account_language = None, ""
            self._use_language()
        set_pace(self._pace, self.settings)
        self._settings_store.save(self.settings)

    def _use_language(self) -> None:
        language = first_language(
            self._demanded_language, self.settings.language, self._account_language, self._terminal_language
        )
        self._reader.use(language)

    def complete(self, line: str) -> list[str]:
        """Return the words that may stand at the end of a line, in which the last one may be begun."""
        with writing_for(self._reader):
            return self.commands.complete(line)

    def interrupted(self) -> None:
        """Say how the session is ended, to somebody who has pressed Ctrl+C."""
        with writing_for(self._reader):
            self.say(_("Ctrl+D or {quit} ends.", quit=typed(QUIT)))

    @property
    def has_left(self) -> bool:
        """True once the session ends."""
        return self._has_left.is_set()

    async def request(self, make: Callable[[int], ClientMessage]) -> Any:
        """Send a request and return its answer. Raises `Refusal`, or `LinkClosed` without a connection."""
        await self.spend(1)
        if self._client is None:
            raise LinkClosed(text("Not connected yet."))
        answer = await self._client.request(make)
        if self._coming is not asyncio.current_task():
            await self._come_to_rest()  # or the answer would not be seen in the place yet
        return answer

    async def spend(self, requests: int) -> None:
        """Wait until something may be done that takes as long as so many requests."""
        if self._spend is not None:
            await self._spend(requests)

    def start(self, task: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Carry something out while more is typed; it ends with the session."""
        started = asyncio.create_task(task)
        self._started.add(started)
        started.add_done_callback(self._started.discard)
        return started

    # -- from beginning to end -------------------------------------------------------------------------------

    async def run(self, lines: AsyncIterator[str]) -> Text | None:
        """Carry out one line after the other until there are no more, or somebody leaves.

        Returns why the connection was lost, if that ended it. Raises `KkError` if there never was one.
        """
        with writing_for(self._reader):
            return await self._run(lines)

    async def _run(self, lines: AsyncIterator[str]) -> Text | None:
        if self._settings_fault is not None:
            self.say(render(self._settings_fault))
        running = await self._arrive()
        staying = asyncio.create_task(self._stay(running))
        typing = asyncio.create_task(self._read(lines))
        leaving = asyncio.create_task(self._has_left.wait())
        try:
            done, _going_on = await asyncio.wait(
                {staying, typing, leaving}, return_when=asyncio.FIRST_COMPLETED
            )
            for task in done:
                task.result()  # raises what has ended it
            return staying.result() if staying.done() and not self.has_left else None
        finally:
            self.leave()
            tasks = {staying, typing, leaving, *self._started}
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            if self._client is not None:
                await self._client.close()

    async def _read(self, lines: AsyncIterator[str]) -> None:
        await self._come_to_rest()
        async for line in lines:
            if self.has_left:
                return
            try:
                await self.commands.do(line)
            except KkError as error:
                self.say(render(error.reason))
            except Exception as error:  # a table from a newer server may be wrong in any way
                self._give_up(error)
            await self._come_to_rest()

    async def _come_to_rest(self) -> None:
        """Wait until the place is told where somebody arrives: what they type next is meant for that."""
        while self._coming is not None:
            await asyncio.wait({self._coming})

    def _give_up(self, error: Exception) -> None:
        """Say that the table here cannot be told, and tell nothing more of it."""
        if self.store.scene is None:
            raise error
        self.store.give_up(where(error))
        self._complain()

    async def _arrive(self) -> asyncio.Task[Text]:
        """Connect and go where somebody is wanted; returns the task that receives. Raises `KkError`."""
        client = Client(await self._connect(), changed=lambda: self._follow(client), noticed=self._notice)
        self._is_greeted = False
        running = asyncio.create_task(client.run())
        try:
            welcome = await client.request(lambda number: Hello(number, PROTOCOL_VERSION))
            assert isinstance(welcome, Welcome)
            self._client = client
            self.user = self._news.user = welcome.user
            address = ServerAddress(welcome.host, welcome.port, welcome.web)
            self.server_address = self._news.server_address = address
            if welcome.language != self._account_language:
                self._account_language = welcome.language
                self._use_language()
            if welcome.page is not None:
                page = welcome.page
                for part in filter(None, (page.name, page.rules, page.news)):
                    self.say(*part.splitlines())
                await client.request(ReadWelcome)
            await self._go_back(client)
        except BaseException:
            running.cancel()
            with suppress(KkError):
                await client.close()
            raise
        self._is_greeted = True
        self._follow(client)
        return running

    async def _go_back(self, client: Client) -> None:
        with suppress(KkError, msgspec.ValidationError):  # a broken link ends what receives
            await land(client, self.user, self._go_to, goes_back=self._goes_back)

    async def _stay(self, running: asyncio.Task[Text]) -> Text:
        """Stay connected; returns why that is not possible any more."""
        while True:
            reason = await running
            if not self._reconnects or self.has_left:
                return reason
            self._client = None
            self.say(_("{reason} Connecting again...", reason=reason))
            table = self.store.table
            self._go_to = None if table is None else table.id
            for pause in pauses():
                await asyncio.sleep(pause)
                with suppress(KkError):
                    running = await self._arrive()
                    self.say(_("Connected again."))
                    break

    # -- what happens ----------------------------------------------------------------------------------------

    def _follow(self, client: Client) -> None:
        if self._coming is not None:
            self._followed = client  # what changes meanwhile is news afterwards
            return
        was_at = None if self.store.place is None else self._where
        self.store.take(client.tree)
        # before the welcome nobody knows who reads this
        if not self._is_greeted or self.store.place is None:
            self._complain()
            return
        if self._where != was_at or not self._has_arrived:
            self._has_arrived = True
            self.pointed = None if self._where == self.pointed else self.pointed
            self.commands.forget_past()
            self._note_place(self._where)
            step, self._step = self._step, None
            if step is not None and self._where == self._go_to:
                self._come_after(lambda: self.commands.look_at(step))
                return
            if (ply := self.commands.untold()) is not None:
                self._come_after(lambda: self._past_here(ply))
                return
            self._tell_arrival()
        self._tell()

    async def _past_here(self, ply: int) -> Scene[Any]:
        here = scene_here(self)[0]
        return await past_scene(self, here.match_key, ply, here.viewer)

    def _come_after(self, look: Callable[[], Awaitable[Scene[Any] | None]]) -> None:
        """Tell a match where somebody arrives after a look at its past; news wait for that.

        What `look` returns is the scene from before what has happened there.
        """
        self._coming = self.start(self._come(look))

    async def _come(self, look: Callable[[], Awaitable[Scene[Any] | None]]) -> None:
        before = None
        try:
            with suppress(Exception):  # without it, a little less is told, or a replay as it ended
                before = await look()
        finally:
            self._coming = None
        self._tell_arrival(before)
        self._tell()
        if (client := self._followed) is not None:
            self._followed = None
            self._follow(client)

    def _tell_arrival(self, before: Scene[Any] | None = None) -> None:
        """Tell the place where somebody arrives; `before` is a scene from before what has happened there."""
        try:
            self.say(*self.commands.arrival(before))
        except Exception as error:  # a table from a newer server may be wrong in any way
            self._give_up(error)

    def _tell(self) -> None:
        """Tell what is new at this place."""
        assert self.store.place is not None, "somebody has arrived"
        try:
            self.say(*self._news.follow(self.store.place, self.store.scene, self.store.face))
        except Exception as error:  # likewise
            self._give_up(error)
        self._complain()
        self._last_signal = self._turns.follow_table(
            self.store.table, self.store.scene, self.store.face, self.user
        )
        self._signal(self._last_signal)
        if self.store.table is not None:
            self._shuffle(self.store.table)
        if self._news.has_ended:
            self.start(self._remark())
        self.changed.set()

    async def _remark(self) -> None:
        """Say how the match that has just ended compares with earlier ones."""
        with suppress(KkError):
            reply: Remarks = await self.request(GetRemarks)
            self.say(*map(render, reply.remarks))

    def _shuffle(self, table: TableView) -> None:
        """Add to the shuffle of the next match if that is due, and check the one of this match."""
        drawn = self._shuffling.follow(table, self.user)
        if drawn is not None:
            self.start(self._contribute(drawn))
        own = [seat for seat, holder in enumerate(table.seats) if holder.owner == self.user]
        fault = self._shuffling.fault(table, own)
        if fault is not None and fault != self._fault:
            self.say(render(fault))
        self._fault = fault

    async def _contribute(self, drawn: bytes) -> None:
        with suppress(KkError):
            await self._send_part(drawn)

    async def _send_part(self, drawn: bytes) -> None:
        await self.request(lambda number: Contribute(number, drawn))
        self._shuffling.confirm(drawn)

    async def add_words(self, words: str) -> None:
        """Add words to the next shuffle here. Raises `KkError`."""
        await self._send_part(self._shuffling.add_words(self.store.table, words))

    @property
    def _where(self) -> str:
        return "" if self.store.table is None else self.store.table.id

    def _complain(self) -> None:
        if self.store.fault is not None:
            self.say(render(self.store.fault))

    def _notice(self, notice: Notice) -> None:
        if notice.table in (None, self._where):
            self.say(*self._news.notice(notice.text))
            return
        self.pointed = notice.table
        self.say(*self._news.call(notice.text, is_at_table=self.store.table is not None))
        # a notification has the title that stands there when it rings
        self._signal(Signal(True, notice.text))
        self._signal(replace(self._last_signal, rings=False))


def _loaded(store: SettingsStore) -> tuple[AppSettings, Text | None]:
    """Return somebody's settings, or why those that were kept cannot be used."""
    try:
        return store.load(), None
    except KeysIgnored as error:
        return error.rest, None  # lines have no keys
    except KkError as error:
        return AppSettings(), error.reason
