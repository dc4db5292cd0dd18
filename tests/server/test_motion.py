"""Who is shown motion: whoever takes what they are sent, at a host who wants it."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest

from kk_server.frontend.terminal import HostedKkApp, make_app
from kk_server.serve.server import start
from tests.server.hosting import here, probing
from tests.server.probe import apps
from tests.server.remote import screen
from tests.waiting import wait_for

LARGE = (400, 200)


@pytest.mark.parametrize("motion", [True, False])
async def test_nothing_moves_on_the_screens_of_a_host_who_does_not_want_it(
    tmp_path: Path, motion: bool
) -> None:
    made: list[HostedKkApp] = []

    def make(*about: Any) -> HostedKkApp:
        made.append(make_app(*about))
        return made[-1]

    server = await start(here(tmp_path, motion=motion), make)
    terminal = await screen(server)
    await wait_for(lambda: made)
    assert made[0].has_motion is motion
    await terminal.close()
    await server.close()


async def test_who_does_not_read_what_was_sent_over_the_channel_does_not_keep_up(tmp_path: Path) -> None:
    async with probing(tmp_path) as server:
        terminal = await screen(server, size=LARGE, window=20_000)
        await terminal.until("size=400x200.")
        app = apps[-1]
        await wait_for(lambda: app.keeps_up)

        def paint() -> bool:
            app.painter.forget()
            app.paint()
            return not app.keeps_up

        await wait_for(paint)
        app.show("late news.")
        await terminal.until("late news.")
        await wait_for(lambda: app.keeps_up)
        await terminal.close()


async def test_a_slow_line_is_known_long_before_it_is_full(tmp_path: Path) -> None:
    async with probing(tmp_path) as server:
        terminal = await screen(server, size=LARGE)
        await terminal.until("size=400x200.")
        app = apps[-1]
        await wait_for(lambda: app.keeps_up)
        line: Any = terminal.connection
        line.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line._transport.pause_reading()

        def paint() -> bool:
            app.painter.forget()
            app.paint()
            return not app.keeps_up

        await wait_for(paint)
        assert not app.terminal.writer.is_paused
        line._transport.resume_reading()
        app.show("late news.")
        await terminal.until("late news.")
        await wait_for(lambda: app.keeps_up)
        await terminal.close()
