"""The terminal that the app was started on."""

from __future__ import annotations

import os
from codecs import getincrementaldecoder
from dataclasses import replace
from select import select
from subprocess import DEVNULL, SubprocessError, run
from typing import Final

from textual.drivers._writer_thread import WriterThread
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message

from kk_tui.terminal.answers import AnswerParser, questions
from kk_tui.terminal.kinds import Depth, Kind, is_multiplexed, kind_of

_READ: Final = 4096
_TICK: Final = 0.1
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

    def start_application_mode(self) -> None:
        """Take the terminal over, and ask it."""
        super().start_application_mode()  # type: ignore[no-untyped-call]
        if self._writer_thread is not None and self._file is not None:
            self._writer_thread.stop()
            self._writer_thread = AtOnce(self._file)
        term = os.environ.get("TERM", "")
        self.write(questions("tmux" if is_multiplexed(term, os.environ) else term))

    def send_message(self, message: Message) -> None:
        """Hand a key on to the app; Textual makes a task and two futures for each."""
        self._loop.call_soon_threadsafe(self._app.post_message, message)

    def set_mouse(self, on: bool) -> None:
        """Take the mouse, or leave it to the terminal."""
        if not on:
            self._disable_mouse_support()
        self._mouse = on
        if on:
            self._enable_mouse_support()
        self.flush()

    def run_input_thread(self) -> None:
        """Read until the app ends, or the terminal does, of which the system tells the process."""
        decode = getincrementaldecoder("utf-8")("replace").decode
        parser = AnswerParser(self._debug)
        parser.expect()
        while not self.exit_event.is_set():
            if select([self.fileno], [], [], _TICK)[0]:
                try:
                    data = os.read(self.fileno, _READ)
                except OSError:
                    return
                if not data:
                    return
                if typed := decode(data):
                    for message in parser.feed(typed):
                        self.process_message(message)
            for message in parser.tick():
                self.process_message(message)
