"""An evening at a server with the programs that people use: OpenSSH, `kk connect` and `kk serve`."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import asyncssh
import pytest

from kk_core.protocol.messages import OpenTable
from kk_core.record import parse_record, replay
from kk_core.views import ClockRule
from kk_tui.client import remote
from tests.commands.calling import kk
from tests.server.client import Client
from tests.server.playing import play_on
from tests.server.programs import ADDRESS, Guest, Host

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(
        shutil.which("ssh") is None or shutil.which("ssh-keygen") is None,
        reason="there is no OpenSSH on this machine",
    ),
]

GAME = "ku_ka_king"
ENTER, UP = "\r", "\x1b[A"
A_TURN = ClockRule(15)
"""Long enough for what people say to each other during one turn, on a slow machine too."""


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    """A server that tells people where it is, and whose bots play no match to its end meanwhile."""
    options = (f"address={ADDRESS}", "bot_pause=5", "limits.requests_at_once=9999")
    with Host(
        tmp_path / "data", *(word for option in options for word in ("--set", option))
    ).serving() as host:
        yield host


class People:
    """Those who come this evening, by name."""

    def __init__(self, homes: Path) -> None:
        self.anna, self.beate, self.carla, self.eve = [
            Guest(homes, name) for name in ("anna", "beate", "carla", "eve")
        ]
        self.all = (self.anna, self.beate, self.carla, self.eve)


@pytest.fixture
def people(tmp_path: Path) -> Iterator[People]:
    people = People(tmp_path / "homes")
    yield people
    for guest in people.all:
        guest.leave()


async def at_home(host: Host, guest: Guest) -> Client:
    """A further session of somebody, over the connection that `kk connect` makes."""
    keys = list(asyncssh.load_keypairs(str(guest.home / ".ssh" / "id_ed25519")))
    return Client(await remote.connect(guest.name, ADDRESS, host.port, guest.home / "known", own=keys))


async def opens_a_table(host: Host, guest: Guest) -> None:
    """By invitation, rated, and with a clock that is faster than those of the form."""
    client = await at_home(host, guest)
    await client.do(OpenTable, GAME, {}, 2, "Friday", False, True, True, A_TURN, True)
    await client.close()


async def play_to_the_end(host: Host, table: str, *guests: Guest) -> None:
    """All of them play what is left of the match."""
    clients = [await at_home(host, guest) for guest in guests]
    for client in clients:
        await client.go_to(table)
    await asyncio.gather(
        *(play_on(client, guest.name) for client, guest in zip(clients, guests, strict=True))
    )
    for client in clients:
        await client.close()


def test_an_evening_from_the_invitation_to_the_rematch(host: Host, people: People, tmp_path: Path) -> None:
    anna, beate, carla, eve = people.all

    # Anna comes with ssh and opens a table; the waiting room shows what the others have to type
    annas = anna.ssh(host.port)
    annas.until("The name anna is now yours: it belongs to your key.")
    asyncio.run(opens_a_table(host, anna))
    annas.until("Friday")
    annas.type(UP + ENTER)
    annas.until("By invitation")
    invitation = re.search(rf"ssh -t -p {host.port} {ADDRESS} join ([A-Z2-9]{{6}})", annas.text)
    assert invitation is not None
    annas.until_typed(ENTER, "anna 1500? (you)")

    # nobody comes in by calling himself Anna, or to the table by guessing
    mask = eve.ssh(host.port, user="anna")
    assert mask.status() == 2
    assert "The name anna belongs to somebody's key." in mask.words
    guess = eve.ssh(host.port, "join", "AAAAAA")
    assert guess.status() == 2
    assert "No table here has this code" in guess.words

    # Beate comes with kk connect and sits down, Carla with the line that she was told, to look on
    beates = beate.connect(host.port, "--join", invitation[1])
    beates.until("First visit")
    beates.type(ENTER)
    beates.until("Table: Friday")
    beates.until_typed(ENTER, "beate 1500? (you)")
    carlas = carla.type_ssh(invitation[0])
    carlas.until("the match begins soon")

    # they begin; who plays and who looks on talk among themselves
    annas.until("press g to begin")
    annas.type("g")
    annas.until("Call a row")
    annas.type("1")
    annas.until("Called: A●")
    beates.until("Call a row")
    beates.type("ohello anna" + ENTER)
    beates.until("beate: hello anna")
    carlas.until("You are watching")
    carlas.type("ogood luck" + ENTER)
    carlas.until("carla: good luck")
    annas.type("o")
    annas.until("beate: hello anna")
    assert "good luck" not in annas.text

    # Beate's connection is cut; her time runs out and a bot plays for her, until she is back
    beate.leave()
    annas.until("beate's time is up")
    beates = beate.connect(host.port)
    annas.until("beate is back")
    beates.until("Stood in for you")

    # the server is killed and started again: kk connect returns to the table by itself
    host.kill()
    assert annas.status() == 255
    beates.until("Connection lost")
    host.start()
    beates.until("t as things stand")

    # they play to the end, and the match counts
    (line,) = json.loads(anna.asks(host.port, "tables", "--json"))
    asyncio.run(play_to_the_end(host, line["id"], anna, beate))
    beates.until("Ratings:")
    (ended,) = json.loads(anna.asks(host.port, "history", "--json"))
    leaders = {each["name"]: each for each in json.loads(anna.asks(host.port, "leaderboard", "--json"))[GAME]}
    assert [leaders[name]["played"] for name in ("anna", "beate")] == [1, 1]
    ahead = leaders["anna"]["rating"] - leaders["beate"]["rating"]
    wins = [int(name in ended["winners"]) for name in ("anna", "beate")]
    assert (ahead > 0) - (ahead < 0) == wins[0] - wins[1]

    # Anna wants a rematch, and Beate agrees
    annas = anna.ssh(host.port)
    annas.until("Friday")
    annas.type(ENTER)
    annas.until("Ratings:")
    annas.type("j")
    annas.until("Propose a rematch")
    annas.until_typed(ENTER, "would like a rematch")
    beates.until("anna would like a rematch")
    beates.type("j")
    beates.until("Disagree")
    beates.until_typed(ENTER, "Call a row")
    annas.until("Call a row")
    (again,) = json.loads(anna.asks(host.port, "tables", "--json"))
    assert [seat["name"] for seat in again["seats"]] == ["beate", "anna"]

    # Anna fetches the record, and everybody can check it
    record, signature = tmp_path / "record.json", tmp_path / "record.json.sig"
    record.write_bytes(anna.asks(host.port, "record", ended["id"]))
    signature.write_bytes(anna.asks(host.port, "record", ended["id"], "--signature"))
    assert replay(parse_record(record.read_text())).is_over
    told = kk("record", "verify", str(record), XDG_DATA_HOME=str(beate.home))
    assert told.code == 0, told.err
    assert f"Signed by [{ADDRESS}]:{host.port}" in told.out
    known, here = str(beate.home / "kk" / "known_hosts"), f"[{ADDRESS}]:{host.port}"
    verify = ["ssh-keygen", "-Y", "verify", "-f", known, "-I", here, "-n", "kk-record", "-s", str(signature)]
    subprocess.run(verify, input=record.read_bytes(), check=True, capture_output=True)
