"""What a server answers while its database is away, or stores nothing for want of its standby."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from kk_core.text import Text
from kk_server.accounts.accounts import Accounts, AccountStore
from kk_server.serve.server import Server, start
from kk_server.storage.table_log import Unreachable
from kk_server.visits.orders import Announce, ReadBans
from tests.server.client import Client
from tests.server.hosting import here, probing
from tests.server.ports import free_address
from tests.server.postgres import Postgres, replicated_postgres, running_postgres
from tests.server.probe import make_probe
from tests.server.test_accounts import come, told
from tests.server.test_admins import ELSEWHERE, public
from tests.server.test_console import Said, ask
from tests.server.test_served_nodes import folders
from tests.waiting import patience, wait_for

pytest.importorskip("asyncpg", reason="left out: asyncpg not installed")

from kk_server.cluster.cluster import Cluster
from kk_server.storage.postgres import open_postgres

TWO_SECONDS = 0.06
"""And the time that a connection takes here, as a part of the patience of tests."""


HALF_A_MINUTE = 0.6


@asynccontextmanager
async def hosted(path: Path, store: str) -> AsyncIterator[Server]:
    """A server with an admin."""
    (path / "admins.txt").write_text(public("root"))
    async with probing(path / "data", store=store, admins=str(path / "admins.txt")) as server:
        yield server


async def by_root(server: Server, command: str) -> Said:
    return await ask(server, command, "root", address=ELSEWHERE)


async def soon(server: Server, user: str, command: str, **how: Any) -> Said:
    async with asyncio.timeout(TWO_SECONDS * patience()):
        return await ask(server, command, user, address=ELSEWHERE, **how)


def take_away(database: Postgres, *, is_frozen: bool) -> None:
    if is_frozen:
        database.signal(signal.SIGSTOP)
    else:
        database.control("stop", "-m", "immediate")


def give_back(database: Postgres, *, is_frozen: bool) -> None:
    if is_frozen:
        database.signal(signal.SIGCONT)
    else:
        database.control("start")


@pytest.mark.parametrize("is_frozen", [False, True])
@pytest.mark.parametrize("user", ["root", "eve", "guest"])
async def test_health_is_told_within_two_seconds_and_to_admins_why_nothing_can_be_stored(
    tmp_path: Path, user: str, is_frozen: bool
) -> None:
    is_guest = user == "guest"
    with running_postgres() as database:
        async with hosted(tmp_path, database.new_database()) as server:
            anna = Client(server.hub.connect("anna"))
            await anna.open("land_cards", 3)
            assert (await soon(server, user, "health --json", is_guest=is_guest)).json["status"] == "ok"
            take_away(database, is_frozen=is_frozen)
            try:
                for _ in range(2):
                    said = (await soon(server, user, "health --json", is_guest=is_guest)).json
                    assert said["status"] == "not storing"
                    assert (said["storage"] is not None) == (user == "root")
                    assert (said["people"], said["tables"]["open"]) == (1, 1)
                words = (await soon(server, user, "health", is_guest=is_guest)).out
                assert words.startswith("status: nothing can be stored" + ": " * (user == "root"))
                assert "Admins: disconnect" in (await soon(server, user, "help kick", is_guest=is_guest)).out
            finally:
                give_back(database, is_frozen=is_frozen)
            async with asyncio.timeout(patience()):
                while (await ask(server, "health --json", user, is_guest=is_guest)).json["status"] != "ok":  # noqa: ASYNC110
                    await asyncio.sleep(0.1)
            assert "isn't answering" not in (await ask(server, "tables", user, is_guest=is_guest)).err


async def test_a_server_that_has_stored_nothing_for_long_says_in_health_whether_anything_can_be_stored(
    tmp_path: Path,
) -> None:
    with running_postgres() as database:
        address = database.new_database()
        name = urlsplit(address).path[1:]

        def let(is_read_only: str) -> None:
            change = f"ALTER DATABASE {name} SET default_transaction_read_only = {is_read_only}"
            database.ask("psql", "-d", "postgres", "-c", change)

        async with hosted(tmp_path, address) as server:
            assert (await by_root(server, "health")).out.startswith("status: ok")
            let("on")
            await server._database._pool.expire_connections()  # type: ignore[attr-defined]
            why = "status: nothing can be stored: cannot execute UPDATE in a read-only transaction"
            assert (await by_root(server, "health")).out.startswith(why)
            let("off")
            await server._database._pool.expire_connections()  # type: ignore[attr-defined]
            assert (await by_root(server, "health")).out.startswith("status: ok")


class LookedAt:
    """A database that counts how often somebody has looked whether it is away."""

    def __init__(self) -> None:
        self.looks = 0
        self.is_away = False

    @property
    def fault(self) -> Text | None:
        self.looks += 1
        return Text("no answer") if self.is_away else None


async def test_a_question_is_given_up_if_the_database_goes_away_late_or_is_too_slow_and_goes_on_by_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("kk_server.accounts.accounts._SOON", 0.01)
    monkeypatch.setattr("kk_server.accounts.accounts._LOOK", 0.01)
    monkeypatch.setattr("kk_server.accounts.accounts._AT_MOST", patience())
    database: Any = LookedAt()
    accounts = Accounts(AccountStore(database))
    answered, answers = asyncio.Event(), list[str]()

    async def question() -> str:
        await answered.wait()
        answers.append("eve")
        return "eve"

    asked = [asyncio.create_task(accounts.soon(question())) for _ in range(2)]
    await wait_for(lambda: database.looks > 2 * len(asked))  # well after the first look
    assert not any(each.done() for each in asked)
    asked[0].cancel()
    database.is_away = True
    with pytest.raises(Unreachable):
        await asked[1]
    database.is_away = False
    monkeypatch.setattr("kk_server.accounts.accounts._AT_MOST", 0.05)
    with pytest.raises(Unreachable):
        await accounts.soon(question())
    answered.set()
    await wait_for(lambda: len(answers) == 3)
    assert await accounts.soon(question()) == "eve"


async def test_whoever_is_banned_is_not_told_how_the_server_is_while_its_database_is_away(
    tmp_path: Path,
) -> None:
    with running_postgres() as database:
        async with hosted(tmp_path, database.new_database()) as server:
            assert (await by_root(server, "ban eve")).status == 0
            database.control("stop", "-m", "immediate")
            said = await ask(server, "health", "eve")
            assert (said.status, said.out) == (2, "")
            assert "You are banned" in said.err
            assert "isn't answering" in (await ask(server, "tables", "anna")).err


async def test_whoever_tries_again_while_nothing_is_confirmed_leaves_no_sessions_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("kk_server.storage.postgres._PATIENCE", 0.5)
    with replicated_postgres() as databases:
        database = await open_postgres(databases.new_database())
        databases.lose_standby()
        for _ in range(6):
            with pytest.raises(Unreachable):
                await database.settled()
        count = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'kk'"
        async with asyncio.timeout(patience()):
            # the first waits for the standby, whatever becomes of whoever has sent it
            while int(databases.primary.ask("psql", "-At", "-d", "postgres", "-c", count)) > 1:  # noqa: ASYNC110
                await asyncio.sleep(0.1)
        await database.close()


@pytest.mark.parametrize("command", ["ban eve", "mute eve"])
async def test_while_the_database_is_away_nobody_is_banned_or_muted_and_admins_are_told_so(
    tmp_path: Path, command: str
) -> None:
    with running_postgres() as database:
        async with hosted(tmp_path, database.new_database()) as server:
            eve = await come(server, "eve")
            database.control("stop", "-m", "immediate")
            said = await by_root(server, command)
            assert (said.status, said.out) == (2, "")
            assert "isn't answering" in said.err
            assert server.moderation.bans.all == server.moderation.mutes.all == ()
            database.control("start")
            async with asyncio.timeout(patience()):
                while (await by_root(server, command)).status != 0:  # noqa: ASYNC110
                    await asyncio.sleep(0.1)
            await wait_for(lambda: eve.goodbye is not None or "has muted you" in told(eve))
            await eve.close()


async def test_a_ban_that_a_standby_has_not_confirmed_holds_nowhere_until_it_has_and_then_at_all_nodes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kk_server.storage.postgres._PATIENCE", 1.0)
    monkeypatch.setattr("kk_server.visits.moderation._AGAIN", 0.1)
    with replicated_postgres() as databases:
        store, (one, other) = databases.new_database(), folders(tmp_path, 2)
        (tmp_path / "admins.txt").write_text(public("root"))
        admins = str(tmp_path / "admins.txt")
        async with (
            probing(one, store=store, node=free_address(), admins=admins) as asked,
            probing(other, store=store, node=free_address(), admins=admins) as elsewhere,
        ):
            assert (await by_root(asked, "bans")).out == "Nobody is banned.\n"
            eve = await come(elsewhere, "eve")
            databases.lose_standby()
            for _ in range(2):
                said = await by_root(asked, "ban eve")
                assert (said.status, said.out) == (2, "")
                assert "it isn't known yet whether this was stored. Nothing has changed so far" in said.err
                assert (await by_root(asked, "health --json")).json["status"] == "not storing"
            assert asked.moderation.bans.all == elsewhere.moderation.bans.all == ()
            assert eve.goodbye is None
            databases.find_standby()
            await wait_for(lambda: asked.moderation.bans.all and elsewhere.moderation.bans.all)
            assert len(await asked.moderation.bans.read()) == 1
            await eve.until(lambda client: client.goodbye is not None)
            assert "You are banned" in str(eve.goodbye)
            assert (await by_root(asked, "unban eve")).status == 0
            assert asked.moderation.bans.all == ()
            await wait_for(lambda: not elsewhere.moderation.bans.all)


async def test_a_ban_in_doubt_holds_at_the_others_once_it_is_stored_although_the_asked_node_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kk_server.storage.postgres._PATIENCE", 1.0)
    monkeypatch.setattr("kk_server.visits.moderation._AGAIN", 0.1)
    monkeypatch.setattr("kk_server.cluster.ordering._AGAIN", 0.1)
    with replicated_postgres() as databases:
        store, (one, other) = databases.new_database(), folders(tmp_path, 2)
        (tmp_path / "admins.txt").write_text(public("root"))
        admins = str(tmp_path / "admins.txt")
        async with probing(other, store=store, node=free_address(), admins=admins) as elsewhere:
            asked = await start(here(one, store=store, node=free_address(), admins=admins), make_probe)
            await wait_for(lambda: elsewhere.hub.nodes.has_others and asked.hub.nodes.has_others)
            eve = await come(elsewhere, "eve")
            databases.lose_standby()
            assert "it isn't known yet" in (await by_root(asked, "ban eve")).err
            nodes = asked.hub.nodes
            assert isinstance(nodes, Cluster)
            nodes.order(ReadBans())
            # what waits for the database holds up nothing else
            nodes.order(Announce(Text("Cake!")))
            await eve.until(lambda client: "Cake!" in told(client))
            await wait_for(
                lambda: [each.order for each in nodes._given._given.values() if each.missing] == [ReadBans()]
            )
            assert elsewhere.moderation.bans.all == asked.moderation.bans.all == ()
            assert eve.goodbye is None
            await asked.close()
            assert elsewhere.moderation.bans.all == ()
            databases.find_standby()
            await wait_for(lambda: elsewhere.moderation.bans.all)
            await eve.until(lambda client: client.goodbye is not None)


@pytest.mark.parametrize("is_node", [False, True])
async def test_a_server_ends_although_its_database_does_not_answer(tmp_path: Path, is_node: bool) -> None:
    with running_postgres() as database:
        store, node = database.new_database(), free_address() if is_node else None
        server = await start(here(tmp_path, store=store, node=node), make_probe)
        anna = Client(server.hub.connect("anna"))
        await anna.open("land_cards", 3)
        database.signal(signal.SIGSTOP)
        try:
            # where deploy/kk.service has it killed
            async with asyncio.timeout(HALF_A_MINUTE * patience()):
                await server.close()
        finally:
            database.signal(signal.SIGCONT)
