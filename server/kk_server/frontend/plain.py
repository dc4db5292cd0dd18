"""Playing in lines of text over SSH: with line editing on a terminal, or through a pipe."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping

from kk_core.text import Text, printable
from kk_server.frontend.channel import ChannelWriter, SessionFailed
from kk_server.frontend.input_throttle import InputThrottle
from kk_server.gateway import Visit
from kk_server.limits import ServerLimits, TokenBucket
from kk_tui.i18n import PlainReader, render, writing_for
from kk_tui.languages import codes, demanded_language, language_of, translator
from kk_tui.plain.client import PlainClient
from kk_tui.plain.editor import LineEditor
from kk_tui.plain.lines import LONGEST, TypedLines, unfinished_words
from kk_tui.settings import SettingsStore
from kk_tui.table.turn_signal import Signal
from kk_tui.terminal.title import title_codes
from kk_tui.theme.glyphs import wants_ascii


class PlainHandler:
    """One person who reads and types lines on one channel; `term` is None without a terminal."""

    _title: str | None = None
    """The title that the terminal was given last."""
    _wanted_title: Text | None = None
    """The title that says whose turn it is now."""

    def __init__(
        self,
        visit: Visit,
        writer: ChannelWriter,
        limits: ServerLimits,
        language: str | None,
        environment: Mapping[str, str],
        term: str | None,
        width: int,
        settings: SettingsStore | None,
        place: str = "",
        *,
        has_title: bool = False,
    ) -> None:
        """Serve a channel whose user was at a `place` before they came back.

        A title, where the terminal `has_title`, says whose turn it is, and its bell that it is the user's.
        """
        self._writer = writer
        self._has_title = has_title
        self._lines = TypedLines(self._hold)
        self._bucket = TokenBucket(limits.requests_per_second, limits.requests_at_once)
        self._at_once = limits.requests_at_once
        self._spending = asyncio.Lock()
        self._editor: LineEditor | None = None
        ascii_only = wants_ascii({**environment, "TERM": term or ""})
        reader = PlainReader(translator(language), ascii_only, codes(language))
        self._reader = reader
        self._client = PlainClient(
            visit.link, self._write, reader, settings=settings, language=language_of(environment),
            demanded_language=demanded_language(environment), spend=self._spend, go_to=place or None,
            note_place=writer.note_place, signal=self._signal,
        )  # fmt: skip
        if term is not None:
            self._editor = LineEditor(
                self._send, self._lines.put, self._lines.end, self._client.interrupted, self._client.complete,
                kind=term, width=width,
            )  # fmt: skip
        # a line may come at once, from dictation or the clipboard
        at_once = max(limits.keys_at_once, LONGEST)
        self._gate = InputThrottle(limits.keys_per_second, at_once, self._take_keys, writer.stop_reading)

    async def run(self) -> int:
        """Talk until the person leaves; returns the exit status.

        Raises `KkError` if it cannot begin, and `SessionFailed` if the connection behind it is lost.
        """
        reason = await self._client.run(self._paced())
        if reason is not None:
            self.tell(reason)
            raise SessionFailed(reason)
        if said := unfinished_words(self._lines):
            self.tell(said)
        return 0

    async def _paced(self) -> AsyncIterator[str]:
        """Yield lines, each of which counts as a request, while their answers are read."""
        async for line in self._lines:
            await self._spend(1)
            await self._writer.drain()
            yield line
            self._entitle()  # the line may have switched titles on or off

    async def _spend(self, requests: int) -> None:
        """Wait until so many requests may be made; who waits for many is not overtaken by who needs one."""
        async with self._spending:
            while pause := self._bucket.wait_for(min(requests, self._at_once)):  # noqa: ASYNC110 - time alone fills it
                await asyncio.sleep(pause)

    def feed(self, data: bytes) -> None:
        """Take keys, or bytes from a pipe."""
        if self._editor is None:
            self._lines.feed(data)
        else:
            self._gate.feed(data)

    def feed_eof(self) -> None:
        """Take the end of what comes through a pipe; what came before is still carried out."""
        self._lines.end()

    def _take_keys(self, data: bytes) -> None:
        if self._editor is not None:
            self._editor.feed(data)

    def resize(self, width: int, height: int) -> None:  # noqa: ARG002
        """Handle a new window size."""
        if self._editor is not None:
            self._editor.resize(width)

    async def leave(self) -> None:
        """Handle a lost connection."""
        self._gate.close()
        self._writer.close()
        self._client.leave()

    def tell(self, sentence: Text) -> None:
        """Show a sentence that did not come over the link."""
        with writing_for(self._reader):
            self._write(printable(render(sentence)))

    def end(self, reason: Text) -> None:
        """End, and say why."""
        self.tell(reason)
        self._client.leave()

    def _signal(self, signal: Signal) -> None:
        """Say in the title whose turn it is, and ring, as far as the reader wants that."""
        self._wanted_title = signal.title
        self._entitle(rings=signal.rings)

    def _entitle(self, *, rings: bool = False) -> None:
        if not self._has_title:
            return
        settings, wanted = self._client.settings, self._wanted_title
        with writing_for(self._reader):
            title = render(wanted) if wanted is not None and settings.window_title else None
        # what rings is told by its title
        codes = title_codes(self._title, title) + ("\a" if rings and settings.bell else "")
        self._title = title
        if codes:
            self._send(codes)

    def _hold(self, held: bool) -> None:
        channel = self._writer.channel
        (channel.pause_reading if held else channel.resume_reading)()

    def _write(self, line: str) -> None:
        if self._editor is None:
            self._send(f"{line}\n")
        else:
            self._editor.show(line)

    def _send(self, words: str) -> None:
        self._writer.write(words.encode())
