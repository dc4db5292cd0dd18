"""One's account by lines: its keys, being called, and its settings."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from kk_server.serve.server import Server, start
from tests.server.hosting import PLENTY, here
from tests.server.remote import dial, key_of
from tests.server.test_plain import talk
from tests.waiting import wait_for


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    server = await start(here(tmp_path, bot_pause=0.0, limits=PLENTY, address="kk.example.org"))
    yield server
    await server.close()


async def test_a_second_key_is_added_by_its_code_named_and_removed(server: Server) -> None:
    anna = await talk(server)
    anna.type("keys")
    assert "this one" in await anna.until("^1\\. ")
    anna.type("keys add")
    command = await anna.until("^ssh -t .* link ")
    await anna.until("works once")
    async with await dial(server.port, "anna", key_of("anna's laptop")) as laptop:
        linked = await laptop.run(f"link {command.split()[-1]}")
        assert linked.exit_status == 0
    anna.type("keys", "keys name 2 laptop")
    assert "this one" not in await anna.until("^2\\. ")
    await anna.until("is now called laptop")
    anna.type("keys remove 2", "keys")
    await anna.until("no longer opens your account")
    await anna.until("^1\\. ")
    anna.type("keys remove 2", "keys dance", "keys name 1")
    await anna.until("Type the number of a key")
    await anna.until("'dance' is no word here; there are 'keys add'")
    await anna.until("Type a name after it.")
    assert len(await server.hub.accounts.keys_of("anna")) == 1
    await anna.close()


async def test_the_key_that_somebody_is_connected_with_is_removed_only_when_that_is_typed_twice(
    server: Server,
) -> None:
    anna = await talk(server)
    anna.type("keys remove 1")
    await anna.until("This is your only key")
    anna.type("keys add")
    command = await anna.until("^ssh -t .* link ")
    async with await dial(server.port, "anna", key_of("anna's laptop")) as laptop:
        assert (await laptop.run(f"link {command.split()[-1]}")).exit_status == 0
    await anna.until("remove it in the lobby: with k, or in lines of text with 'keys'.")
    anna.type("keys remove 1")  # by the list of before, in which it was the only one
    await anna.until("is the key you're connected with. Type that again to remove it")
    assert len(await server.hub.accounts.keys_of("anna")) == 2
    anna.type("keys", "keys remove 1")  # what is typed between takes the warning back
    await anna.until("Type that again to remove it")
    anna.type("keys remove 1")
    await anna.until("The SSH key you connected with no longer opens the account anna.")
    assert len(await server.hub.accounts.keys_of("anna")) == 1
    await anna.close()


async def test_a_guest_is_told_what_is_missing(server: Server) -> None:
    connection = await dial(server.port, "gerd", is_guest=True)
    async with connection, connection.create_process("plain") as process:
        process.stdin.write("keys\ncalls\n")
        process.stdin.write_eof()
        said = await process.stdout.read()
    assert said.count("Guests have no account") == 2


async def test_whoever_is_away_is_called_at_an_address_that_they_give_and_confirm(tmp_path: Path) -> None:
    pytest.importorskip("aiosmtpd", reason="left out: aiosmtpd not installed")
    from tests.server.test_being_called import by_mail, inbox

    async with inbox() as box:
        server = await start(here(tmp_path, limits=PLENTY, calls=by_mail(box), address="kk.example.org"))
        anna = await talk(server)
        anna.type("calls")
        await anna.until("You are not called yet.")
        await anna.until("NAME@HOST")
        anna.type("calls at nowhere", "calls at anna@example.net")
        assert (await anna.until("can't be called")).endswith("Here it can be: NAME@HOST")
        await anna.until("A code is on its way to anna@example.net: type 'calls confirm CODE'.")
        await wait_for(lambda: box.mails)
        anna.type(f"calls confirm {box.code()}", "calls")
        await anna.until("From now on you are called at anna@example.net.")
        await anna.until("You are called at anna@example.net.")
        anna.type("calls stop", "calls")
        await anna.until("your address is forgotten")
        await anna.until("You are not called yet.")
        await anna.close()
        await server.close()


async def test_a_setting_chosen_in_lines_is_the_account_s_from_then_on(server: Server) -> None:
    anna = await talk(server)
    anna.type("settings animation none", "settings language deutsch", "who")
    await anna.until("^Animation: none")
    await anna.until("^Sprache: Deutsch")
    await anna.until("hier: anna")
    anna.type("quit")
    assert await anna.rest() == 0
    await anna.close()
    again = await talk(server)
    await again.until("^Lobby: 0 Tische")
    again.type("settings")
    await again.until("^Animation: keine")
    await again.close()
