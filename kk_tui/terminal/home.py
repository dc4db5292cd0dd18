"""The terminal that the app was started on."""

from __future__ import annotations

import os
from asyncio import TimerHandle
from codecs import getincrementaldecoder
from dataclasses import replace
from select import select
from subprocess import DEVNULL, SubprocessError, run
from typing import Final

from textual.constants import ESCAPE_DELAY
from textual.drivers._writer_thread import WriterThread
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message

from kk_tui.terminal.answers import AnswerParser, questions
from kk_tui.terminal.kinds import Depth, Kind, is_multiplexed, kind_of

_READ: Final = 4096
_TICK: Final = ESCAPE_DELAY + 0.01
"""Seconds after which the beginning of a sequence was a key."""


_PATIENCE: Final = 0.5
"""Seconds that tmux has for an answer."""


def kind_here() -> Kind:
    """The kind of the terminal of this process; tmux is asked what the terminal around it can do."""
    kind = kind_of(os.environ.get("TERM", ""), os.environ)
    is_asked = kind.depth is Depth.INDEXED and "TMUX" in os.environ
    return replace(kind, depth=Depth.TRUE) if is_asked and "RGB" in _features_around_tmux() else kind


def _features_around_tmux() -> list[str]:
    """What tmux knows of its terminal, by tmux's own names."""
    command = ["tmux", "display-message", "-p", "#{client_termfeatures}"]
    try:
        answer = run(command, stdin=DEVNULL, capture_output=True, timeout=_PATIENCE, check=False, text=True)
    except (OSError, SubprocessError):
        return []
    return answer.stdout.strip().split(",")


class AtOnce(WriterThread):
    """Writes by itself: to wake a thread for each frame costs a tenth of a key."""

    def start(self) -> None:
        """There is no thread."""

    def write(self, text: str) -> None:
        """Write all of it, as fast as the terminal takes it."""
        data = text.encode(getattr(self._file, "encoding", None) or "utf-8", "replace")
        while data:
            try:
                data = data[os.write(self._file.fileno(), data) :]
            except BlockingIOError:  # some shells leave it so
                select([], [self._file], [])

    def stop(self) -> None:
        """All is written."""


class HomeDriver(LinuxDriver):
    """Textual's driver, which also asks the terminal about its colours."""

    _tick: TimerHandle | None = None

    def start_application_mode(self) -> None:
        """Take the terminal over, and ask it."""
        super().start_application_mode()  # type: ignore[no-untyped-call]
        if self._writer_thread is not None and self._file is not None:
            self._writer_thread.stop()
            self._writer_thread = AtOnce(self._file)
        self._parser, self._decode = (
            AnswerParser(self._debug),
            getincrementaldecoder("utf-8")("replace").decode,
        )
        self._parser.expect()
        self._loop.add_reader(self.fileno, self._read)
        term = os.environ.get("TERM", "")
        self.write(questions("tmux" if is_multiplexed(term, os.environ) else term))

    def send_message(self, message: Message) -> None:
        """Hand a key on to the app; Textual makes a task and two futures for each."""
        self._app.post_message(message)

    def set_mouse(self, on: bool) -> None:
        """Take the mouse, or leave it to the terminal."""
        if not on:
            self._disable_mouse_support()
        self._mouse = on
        if on:
            self._enable_mouse_support()
        self.flush()

    def disable_input(self) -> None:
        """Take no more keys."""
        if not self._loop.is_closed():
            self._loop.remove_reader(self.fileno)
        if self._tick is not None:
            self._tick.cancel()
        super().disable_input()

    def run_input_thread(self) -> None:
        """Nothing: the loop reads, since a thread has to wake it for each key."""

    def _read(self) -> None:
        """Take what was typed; when the terminal has ended, the system tells the process."""
        try:
            data = os.read(self.fileno, _READ)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._loop.remove_reader(self.fileno)
        if typed := self._decode(data):  # feeding nothing would end the parser
            for message in self._parser.feed(typed):
                self.process_message(message)
        if self._parser.is_waiting:
            self._tick_later()

    def _tick_later(self) -> None:
        if self._tick is not None:
            self._tick.cancel()
        self._tick = self._loop.call_later(_TICK, self._on_tick)

    def _on_tick(self) -> None:
        """Time has passed; what was held for an answer is a key, and has to wait its own time."""
        was_holding = self._parser.is_holding
        for message in self._parser.tick():
            self.process_message(message)
        if was_holding and not self._parser.is_holding:
            self._tick_later()
