"""Playing in lines of text: on a terminal with line editing, or through pipes and files."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import termios
import threading
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from kk_core.text import printable
from kk_server.cli import Failure
from kk_server.cli.language import language
from kk_tui.i18n import PlainReader, render, writing_for
from kk_tui.languages import codes, translator
from kk_tui.plain.client import PlainClient, Write
from kk_tui.plain.editor import LineEditor
from kk_tui.plain.lines import TypedLines, unfinished_words
from kk_tui.theme.glyphs import wants_ascii

_CHUNK: Final = 4096
"""Bytes read in one go."""


async def converse(make: Callable[[Write, PlainReader], PlainClient]) -> None:
    """Run the client that `make` makes of a function that writes a line, and of whoever reads it.

    Raises `Failure` if the connection is lost.
    """
    lines = TypedLines()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, lines.end)
    reader = PlainReader(translator(language()), wants_ascii(os.environ), codes(language()))
    if sys.stdin.isatty() and sys.stdout.isatty():
        with _edited(lines) as (write, clients):
            client = make(write, reader)
            clients.append(client)
            reason = await client.run(aiter(lines))
    else:
        threading.Thread(target=_read, args=(lines, asyncio.get_running_loop()), daemon=True).start()
        reason = await make(_write, reader).run(aiter(lines))
        if said := unfinished_words(lines):
            with writing_for(reader):
                _write(printable(render(said)))
    if reason is not None:
        raise Failure(reason)


def _write(line: str) -> None:
    print(line, flush=True)  # noqa: T201


def _read(lines: TypedLines, loop: asyncio.AbstractEventLoop) -> None:
    """Read standard input, which may be a file, until its end or the end of the program."""
    # not through `sys.stdin`, whose lock a reader would hold when the program ends
    try:
        while data := os.read(0, _CHUNK):
            loop.call_soon_threadsafe(lines.feed, data)
        loop.call_soon_threadsafe(lines.end)
    except (OSError, RuntimeError):  # closed by the other side, or the loop by this one
        pass


@contextmanager
def _edited(lines: TypedLines) -> Iterator[tuple[Write, list[PlainClient]]]:
    """Edit lines on the terminal; yields what writes a line, and a list for the client that they are for."""
    loop, clients = asyncio.get_running_loop(), list[PlainClient]()

    def interrupted() -> None:
        for client in clients:
            client.interrupted()

    editor = LineEditor(
        _send, lines.put, lines.end, interrupted,
        lambda line: clients[0].complete(line) if clients else [],
        kind=os.environ.get("TERM", "dumb"), width=_width(),
    )  # fmt: skip
    before = termios.tcgetattr(0)
    tty.setraw(0, termios.TCSADRAIN)
    try:
        loop.add_reader(0, lambda: _feed(editor, lines))
        loop.add_signal_handler(signal.SIGWINCH, lambda: editor.resize(_width()))
        yield editor.show, clients
    finally:
        loop.remove_reader(0)
        termios.tcsetattr(0, termios.TCSADRAIN, before)


def _feed(editor: LineEditor, lines: TypedLines) -> None:
    try:
        data = os.read(0, _CHUNK)
    except OSError:  # the terminal is gone
        data = b""
    if data:
        editor.feed(data)
    else:
        asyncio.get_running_loop().remove_reader(0)
        lines.end()


def _send(words: str) -> None:
    sys.stdout.write(words)
    sys.stdout.flush()


def _width() -> int:
    try:
        return os.get_terminal_size(1).columns
    except OSError:
        return 0
