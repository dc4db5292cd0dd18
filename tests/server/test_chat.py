"""What people say reaches those who may hear it, and nothing else of it reaches their terminals."""

from __future__ import annotations

from kk_core.wire.chat import CHAT_SLOTS
from kk_core.wire.messages import Agree, Ask, Say, SayPhrase
from kk_core.wire.phrases import PHRASES
from server.hub.chat import Audience, Chat
from server.hub.hub import Hub
from server.hub.limits import Limits
from server.storage.memory import MemoryLog
from tests.server.client import Client
from tests.server.conftest import Connect
from tests.server.test_owners import table_of

CLOCK = iter(range(10**6)).__next__


def heard(client: Client) -> list[str]:
    """The lines that somebody sees."""
    return [f"{line.name}: {line.words}" for line in client.place.chat.recent()]


async def test_what_is_said_in_the_lobby_is_heard_there_and_by_those_who_come_later(connect: Connect) -> None:
    anna, beate = connect("anna"), connect("beate")
    await anna.do(Say, "hello")
    await beate.until(lambda c: heard(c) == ["anna: hello"])
    late = connect("late")
    await late.until(lambda c: heard(c) == ["anna: hello"])


async def test_control_and_unseen_characters_are_left_out_of_what_is_said(connect: Connect) -> None:
    anna = connect("anna")
    await anna.do(Say, "a\x1b[31mb\x07\u202ec\nd\u200b" + "\u0301" * 50)
    (line,) = heard(anna)
    assert line.startswith("anna: a[31mbc d")
    assert len(line) < 25
    assert "Nothing was said" in await anna.refused(Say, " \x07\u200b ")


async def test_a_phrase_is_heard_by_those_who_would_hear_words_as_a_sentence_to_translate(
    connect: Connect,
) -> None:
    anna, beate = connect("anna"), connect("beate")
    await anna.do(SayPhrase, 2)
    await beate.until(lambda c: heard(c) == ["anna: Well played!"])
    assert beate.place.chat.recent()[0].words == PHRASES[2]
    assert "There is no phrase 99" in await anna.refused(SayPhrase, 99)


async def test_a_long_line_is_cut(connect: Connect) -> None:
    anna = connect("anna")
    await anna.do(Say, "x" * 1000)
    assert len(heard(anna)[0]) < 260


async def test_while_a_match_runs_players_and_watchers_hear_only_each_other_and_afterwards_all(
    connect: Connect,
) -> None:
    anna, beate = await table_of(connect, "anna", "beate")
    eve = connect("eve")
    await eve.go_to(anna.table.id)
    await eve.do(Say, "before")
    await anna.start()
    await anna.do(Say, "to players")
    await eve.do(Say, "to watchers")
    await beate.until(lambda c: heard(c)[-1] == "anna: to players")
    assert heard(beate) == ["eve: before", "anna: to players"]
    assert heard(eve) == ["eve: before", "eve: to watchers"]
    await anna.do(Ask, "abort")
    await beate.do(Agree, True)
    for client in (anna, beate, eve):
        await client.until(lambda c: len(heard(c)) == 4)
        assert heard(client)[:3] == ["eve: before", "anna: to players", "eve: to watchers"]


async def test_what_all_are_told_at_a_table_stands_among_what_is_said(connect: Connect) -> None:
    anna, beate = await table_of(connect, "anna", "beate")
    await anna.start()
    await anna.do(Ask, "abort")
    await beate.do(Agree, True)
    await anna.until(lambda c: heard(c) == [": The match was broken off; nobody has won it."])


async def test_who_says_much_at_once_has_to_wait() -> None:
    hub = Hub(MemoryLog(), limits=Limits(lines_per_second=0, lines_at_once=2))
    anna, again, beate = (Client(hub.connect(user)) for user in ("anna", "anna", "beate"))
    await anna.do(Say, "one")
    await again.do(Say, "two")
    assert "You say much" in await anna.refused(Say, "three")
    await beate.do(Say, "hello")
    await hub.close()


def test_only_the_last_lines_are_kept() -> None:
    chat = Chat(CLOCK)
    for number in range(CHAT_SLOTS + 5):
        chat.say("anna", "Anna", str(number))
    view = chat.view()
    assert [line.words for line in view.recent()] == [str(n) for n in range(5, CHAT_SLOTS + 5)]
    assert view.said == CHAT_SLOTS + 5


def test_what_was_said_apart_comes_together_in_the_order_of_time() -> None:
    chat = Chat(CLOCK)
    chat.say("anna", "Anna", "1", Audience.PLAYERS)
    chat.say("eve", "eve", "2", Audience.WATCHERS)
    chat.say("anna", "Anna", "3", Audience.PLAYERS)
    assert [line.words for line in chat.view(Audience.WATCHERS).recent()] == ["2"]
    chat.join()
    for audience in Audience:
        assert [line.words for line in chat.view(audience).recent()] == ["1", "2", "3"]
