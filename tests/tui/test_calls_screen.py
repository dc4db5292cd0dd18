"""On a screen of their own, people choose where they are called when it is their turn."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("aiosmtpd", reason="left out: aiosmtpd not installed")

from textual.widgets import OptionList

from kk_core.protocol.stream import ClientLink
from kk_server.calls.ways import CallSettings
from kk_server.serve.server import Server, start
from kk_tui.app import KkApp
from kk_tui.screens.calls import CallsScreen
from kk_tui.screens.dialogs import ConfirmScreen
from tests.server.hosting import here
from tests.server.test_being_called import by_mail, inbox
from tests.tui.conftest import shown, until
from tests.tui.plain import plain_faces
from tests.tui.scenes import lines_of


def app_at(server: Server) -> KkApp:
    async def connect() -> ClientLink:
        return server.hub.connect("anna")

    return KkApp(connect, local=False, games=plain_faces())


async def test_an_address_is_given_confirmed_by_its_code_and_forgotten_after_a_question(
    tmp_path: Path,
) -> None:
    async with inbox() as box:
        server = await start(here(tmp_path, calls=by_mail(box), address="kk.example.org"))
        app = app_at(server)
        async with app.run_test(size=(80, 24)) as pilot:

            def says(words: str) -> bool:
                return isinstance(app.screen, CallsScreen) and words in " ".join(lines_of(app))

            await until(pilot, lambda: app.store.lobby is not None and app.user == "anna")
            await pilot.press("m")
            await until(pilot, lambda: says("You are not called yet."))
            assert says("NAME@HOST")
            await pilot.press("enter", *"anna@example.net", "escape")
            await until(pilot, lambda: app.screen.query_one(OptionList).has_focus)
            assert not box.mails
            await pilot.press("enter", *"anna", "enter")
            await until(pilot, lambda: "can't be called" in shown(app, "prompt"))
            await pilot.press("enter", *"anna@example.net", "enter")
            await until(pilot, lambda: box.mails and says("A code is on its way to anna@example.net."))
            await pilot.press("enter", *box.code(), "enter")
            await until(pilot, lambda: says("You are called at anna@example.net."))
            await pilot.press("down", "enter")
            await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
            await pilot.press("y")
            await until(pilot, lambda: says("You are not called yet."))
            assert server.hub.caller.address_of("anna") == ""
        await server.close()


async def test_a_code_that_cannot_be_sent_is_no_longer_awaited(tmp_path: Path) -> None:
    async with inbox() as box:
        calls = by_mail(box)
    server = await start(here(tmp_path, calls=calls, address="kk.example.org"))  # nobody takes mails now
    app = app_at(server)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.store.lobby is not None and app.user == "anna")
        await pilot.press("m")
        await until(pilot, lambda: "You are not called yet." in " ".join(lines_of(app)))
        await pilot.press("enter", *"anna@example.net", "enter")
        await until(pilot, lambda: "couldn't be sent to 'anna@example.net'" in shown(app, "prompt"))
        await until(pilot, lambda: "You are not called yet." in " ".join(lines_of(app)))
        assert "Type the code" not in " ".join(lines_of(app))
    await server.close()


async def test_where_the_host_has_not_set_calls_up_the_screen_says_so(tmp_path: Path) -> None:
    server = await start(here(tmp_path, calls=CallSettings()))
    app = app_at(server)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.store.lobby is not None and app.user == "anna")
        await pilot.press("m")
        await until(pilot, lambda: "This server calls nobody" in " ".join(lines_of(app)))
    await server.close()
