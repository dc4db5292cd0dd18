"""What is new in the lobby is told together, and the less often the more look."""

from __future__ import annotations

from typing import cast

from kk_core.wire.messages import PROTOCOL_VERSION, Delta, Hello, Say
from server.hub.gathered import Gathered
from server.hub.hub import Hub
from server.hub.publisher import Eyes, Subscriber
from tests.server.client import Client
from tests.server.conftest import Connect
from tests.waiting import Clock


class Looker:
    """Somebody who looks, and counts how often he is told that there is something new."""

    user = "eve"

    def __init__(self) -> None:
        self.told = 0

    def changed(self) -> None:
        self.told += 1


async def test_the_first_change_is_told_at_once_and_further_ones_together_after_a_pause() -> None:
    clock, told = Clock(), list[str]()
    gathered = Gathered(lambda: told.append("told"), lambda: 0.25)
    gathered.want()
    assert len(told) == 1
    for _ in range(20):
        gathered.want()
        await clock.forward(0.01)
    assert len(told) == 1
    await clock.forward(0.05)
    assert len(told) == 2


async def test_a_lobby_that_many_look_at_is_told_less_often(hub: Hub) -> None:
    hub.lobby.subscribers.update(cast("list[Subscriber]", [Looker() for _ in range(10)]))
    assert hub.lobby.pause() == 0.25
    hub.lobby.subscribers.update(cast("list[Subscriber]", [Looker() for _ in range(390)]))
    assert hub.lobby.pause() == 4.0
    hub.lobby.subscribers.clear()


async def test_of_many_who_come_at_once_those_in_the_lobby_are_told_together(
    hub: Hub, connect: Connect
) -> None:
    anna = connect("anna")
    await anna.until(lambda c: c.lobby.users == ("anna",))
    anna.sent.clear()
    others = [connect(f"p{number:02}") for number in range(30)]
    for other in others:
        await other.ask(Hello, PROTOCOL_VERSION)
    await anna.until(lambda c: len(c.lobby.users) == 31)
    assert sum(isinstance(message, Delta) for message in anna.sent) <= 10
    assert len(hub.presence.users()) == 31


async def test_who_comes_to_the_lobby_sees_it_as_it_is_whenever_others_are_told(connect: Connect) -> None:
    anna = connect("anna")
    await anna.until(lambda c: c.lobby.users == ("anna",))
    for number in range(5):
        other = connect(f"p{number}")
        await other.until(lambda c, name=f"p{number}": name in c.lobby.users)
        assert len(other.trees) == 1


async def test_what_somebody_in_the_lobby_has_asked_for_he_sees_before_the_answer(connect: Connect) -> None:
    anna = connect("anna")
    for words in ("one", "two", "three"):
        await anna.do(Say, words)
        assert words in str(anna.lobby.chat)


async def test_a_change_that_is_the_same_for_many_is_worked_out_once(hub: Hub) -> None:
    lobby = hub.lobby
    lobby.publish()
    before = {user: lobby.tree(Eyes(user)) for user in ("anna", "beate")}
    hub.presence.come("carl")
    lobby.publish()
    steps = [lobby.step(tree, Eyes(user)) for user, tree in before.items()]
    assert steps[0] is steps[1]
    hub.presence.go("carl")


async def test_who_has_seen_all_is_sent_nothing(hub: Hub) -> None:
    anna = Client(hub.connect("anna"))
    await anna.ask(Hello, PROTOCOL_VERSION)
    anna.sent.clear()
    await anna.ask(Hello, PROTOCOL_VERSION)
    assert [type(message).__name__ for message in anna.sent] == ["Welcome"]
    await anna.link.close()
