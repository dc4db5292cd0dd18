"""The language of each person on a server: that of their account, or of their terminal."""

from __future__ import annotations

import re
from contextlib import AsyncExitStack
from pathlib import Path

import msgspec
import pytest

from kk_core.protocol.messages import PROTOCOL_VERSION, Hello, Welcome
from kk_core.protocol.stream import ClientLink
from kk_server.serve.server import Server, start
from kk_tui.app import KkApp
from kk_tui.settings import AppSettings, SessionSettings
from tests.server.emulator import emulator
from tests.server.hosting import PLENTY, here
from tests.server.remote import dial, screen
from tests.server.test_console import COMMANDS
from tests.server.test_over_ssh import begun, play_by_keys
from tests.tui.conftest import until
from tests.tui.test_languages import footer_of

CAPITALS = re.compile(r"\b[A-Z]{2,}\b")


async def stored(server: Server, user: str, language: str) -> None:
    """Let somebody who has an account have chosen a language in their settings."""
    settings = msgspec.json.encode(AppSettings(language=language)).decode()
    await server.hub.accounts.keep_settings(user, settings)


async def claimed(server: Server, user: str) -> None:
    """Let somebody come once, which makes their account."""
    terminal = await screen(server, user)
    await terminal.until("you are")
    await terminal.close()


async def said(server: Server, command: str, language: str = "") -> str:
    """What Anna's command prints, with her terminal in a language."""
    connection = await dial(server.port, "anna")
    answer = await connection.run(command, encoding="utf-8", env={"LANG": language} if language else {})
    connection.close()
    await connection.wait_closed()
    return str(answer.stdout) + str(answer.stderr)


@pytest.mark.parametrize("workers", [1, 2])
async def test_commands_answer_in_the_language_of_the_account_before_that_of_the_terminal(
    tmp_path: Path, workers: int
) -> None:
    server = await start(here(tmp_path, workers=workers))
    await claimed(server, "anna")
    assert "Usage: ssh HOST COMMAND" in await said(server, "help")
    assert "Aufruf: ssh HOST BEFEHL" in await said(server, "help", "de_DE.UTF-8")
    await stored(server, "anna", "es")
    assert "Uso: ssh HOST COMANDO" in await said(server, "help", "de_DE.UTF-8")
    refused = await said(server, "watch", "de_DE.UTF-8")
    assert "Uso: ssh HOST watch MESA" in refused
    await server.close()


async def test_help_and_mistakes_of_commands_name_what_is_typed_in_the_language_of_their_reader(
    tmp_path: Path,
) -> None:
    server = await start(here(tmp_path, limits=PLENTY))
    own = {"HOST", "ID", "JSON", "UTC", "SSH", "SHA"}
    for command in COMMANDS:
        english = CAPITALS.findall(await said(server, f"help {command}"))
        spanish = CAPITALS.findall(await said(server, f"help {command}", "es_ES.UTF-8"))
        assert set(english) & set(spanish) <= own, command
    assert "Aufruf: ssh HOST announce TEXT" in await said(server, "announce", "de_DE.UTF-8")
    refused = await said(server, "ban anna soon", "es_ES.UTF-8")
    assert "ssh HOST ban QUIÉN [DÍAS] [MOTIVO]" in refused
    await server.close()


@pytest.mark.parametrize("workers", [1, 2])
async def test_the_app_over_ssh_speaks_the_language_of_the_account(tmp_path: Path, workers: int) -> None:
    server = await start(here(tmp_path, workers=workers))
    await claimed(server, "anna")
    await stored(server, "anna", "nl")
    terminal = await screen(server, env={"LANG": "de_DE.UTF-8"})
    await terminal.until("je bent")
    await terminal.close()
    guest = await screen(server, "beate", env={"LANG": "de_DE.UTF-8"})
    await guest.until("du bist")
    await guest.close()
    await server.close()


async def test_an_app_elsewhere_is_told_the_language_of_its_account(tmp_path: Path) -> None:
    server = await start(here(tmp_path))
    await claimed(server, "anna")
    await stored(server, "anna", "es")
    link = server.hub.connect("anna")
    await link.send(Hello(1, PROTOCOL_VERSION))
    answers: list[object] = []
    while not any(isinstance(answer, Welcome) for answer in answers):
        answers.append(await link.receive())
    (welcome,) = (answer for answer in answers if isinstance(answer, Welcome))
    assert welcome.language == "es"
    await link.close()

    async def connect() -> ClientLink:
        return server.hub.connect("anna")

    for own, word in (("", "ayuda"), ("de", "Hilfe")):
        app = KkApp(
            connect, local=False, settings=SessionSettings(AppSettings(language=own)), language="nl_NL"
        )
        async with app.run_test(size=(80, 24)) as pilot:
            await until(pilot, lambda app=app, word=word: word in footer_of(app))  # type: ignore[misc]
            app.change_settings(language="nl")
            app.change_settings(language="")
            await until(pilot, lambda app=app: "help" in footer_of(app))  # type: ignore[misc]
    await server.close()


@pytest.mark.e2e
async def test_two_people_at_one_table_read_the_same_match_each_in_their_language(tmp_path: Path) -> None:
    server = await start(here(tmp_path))
    table = await begun(server, "ku_ka_king")
    async with AsyncExitStack() as stack:
        german = await stack.enter_async_context(emulator(server, "anna", language="de_DE.UTF-8"))
        spanish = await stack.enter_async_context(emulator(server, "beate", language="es_ES.UTF-8"))
        await german.until(lambda screen: "? Hilfe" in screen)
        await spanish.until(lambda screen: "? ayuda" in screen)
        await play_by_keys(german, table)
        await play_by_keys(spanish, table)  # now both calls are revealed
        await german.until(lambda screen: "Reihe 1" in screen)
        await spanish.until(lambda screen: "fila 1" in screen)
    await server.close()


async def test_a_stored_language_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    server = await start(here(tmp_path))
    await claimed(server, "anna")
    await server.hub.accounts.keep_settings("anna", '{"language": 7}')
    assert "Aufruf" in await said(server, "help", "de")
    await server.close()
