"""What people say reaches those who may hear it, and nothing else of it reaches their terminals."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from kk_core.protocol.messages import PHRASES, Join, OpenTable, Propose, Say, SayPhrase, Vote
from kk_core.protocol.typed_codes import DIGITS, LETTERS, LINK_LENGTH, codes_in, readings
from kk_core.views import CHAT_SLOTS
from kk_server.accounts.link_codes import new_code
from kk_server.hub import hub as hub_hub
from kk_server.hub.hub import Hub, Invitations
from kk_server.limits import LimitReached, Limits
from kk_server.storage.memory_log import MemoryLog
from kk_server.tables.chat import Audience, Chat
from kk_server.tables.place import NotPossible
from tests.server.client import Client
from tests.server.conftest import Connect
from tests.server.hosting import probing
from tests.server.test_owners import table_of

GAME = "land_cards"
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
    assert "no visible characters" in await anna.refused(Say, " \x07\u200b ")


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


async def private_table(connect: Connect, user: str, *, code: str = "K3RTZW") -> Client:
    """Somebody at a table of their own, by invitation, of which the code is known."""
    client = connect(user)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hub_hub, "new_code", lambda _length: code)
        await client.do(OpenTable, GAME, {}, 3, "", False, True)
    return client


FORMS = [
    "K3RTZW", "k3rtzw", "K3R-TZW", "k3r tzw", "the code is K3RTZW.", "(k3rtzw)", "join K3 RT ZW now",
    "code:K3RTZW!", "k3r\u00a0tzw", "joinK3RTZW", "/joink3rtzw", "K3RTZWW", "2K3RTZW", "K3RTZWK3RTZW",
    "\uff2b\uff13\uff32\uff34\uff3a\uff37",
]  # fmt: skip


@pytest.mark.parametrize("line", FORMS)
async def test_no_line_with_the_code_of_an_invitation_is_said_anywhere(connect: Connect, line: str) -> None:
    beate, anna = await private_table(connect, "beate"), connect("anna")
    for client in (anna, beate):
        assert "Your message wasn't sent" in await client.refused(Say, line)
    await anna.do(Say, "hello")
    await beate.do(Say, "hello")
    assert heard(anna) == ["anna: hello"]
    assert heard(beate) == ["beate: hello"]
    await anna.do(Join, "K3RTZW")
    assert "Your message wasn't sent" in await anna.refused(Say, line)


async def test_no_table_has_the_code_of_an_invitation_in_its_title(connect: Connect) -> None:
    await private_table(connect, "beate")
    anna = connect("anna")
    assert "can't be a title" in await anna.refused(OpenTable, GAME, {}, 3, "come by k3r-tzw")
    await anna.do(OpenTable, GAME, {}, 3, "come by")


async def test_no_title_reads_as_if_the_server_said_it(tmp_path: Path) -> None:
    async with probing(tmp_path) as server:
        anna = Client(server.hub.connect("anna"))
        said = await anna.refused(OpenTable, GAME, {}, 3, "The host says: hi")
        assert "reads like a message from the server" in said
        await anna.do(OpenTable, GAME, {}, 3, "Anna says hi")


async def test_a_code_that_leads_nowhere_any_more_is_a_word_like_others(connect: Connect) -> None:
    beate, anna = await private_table(connect, "beate"), connect("anna")
    await beate.do(Propose, "close")
    await anna.do(Say, "it was K3RTZW")
    assert heard(anna) == ["anna: it was K3RTZW"]


async def test_what_may_be_a_code_counts_as_a_try_so_that_nobody_finds_any_by_talking(hub: Hub) -> None:
    limits = Limits(codes_per_minute=1e-9, codes_at_once=10, lines_per_second=1e6)
    hub.use(limits, 0, "never")
    await hub.open_table("beate", OpenTable(0, GAME, {}, 3, private=True))
    guesses = " ".join(f"QWER{n}{m}" for n in range(2, 6) for m in range(2, 6))
    with pytest.raises(LimitReached, match="Too many codes tried"):
        await hub.say("eve", None, guesses)
    with pytest.raises(LimitReached, match="Too many codes tried"):
        await hub.join("eve", "QWER22")
    for line in ("Thanks for the match, friend!", "Played well"):
        await hub.say("eve", None, line)


async def test_a_code_that_leads_somewhere_is_no_try_however_often_it_is_not_said(hub: Hub) -> None:
    hub.use(Limits(codes_per_minute=1e-9, codes_at_once=3, lines_per_second=1e6), 0, "never")
    table = await hub.open_table("beate", OpenTable(0, GAME, {}, 3, private=True))
    for _ in range(10):
        with pytest.raises(NotPossible, match="Your message wasn't sent"):
            await hub.say("eve", None, f"Come to {table.code}")
    assert await hub.join("eve", table.code or "") is table


def test_every_code_has_a_digit_so_that_words_are_none() -> None:
    codes = [Invitations(Limits()).new() for _ in range(300)] + [new_code(LINK_LENGTH) for _ in range(300)]
    assert all(set(code) & set(DIGITS) for code in codes)
    assert list(codes_in("Please come to the garden party")) == []


@pytest.mark.parametrize("code", ["K3RTZW", "K3RTZWQA"])
def test_a_code_is_found_in_whatever_pieces_it_is_said(code: str) -> None:
    for first, second in combinations(range(len(code) + 1), 2):
        line = f"it is {code[:first]} {code[first:second]}-{code[second:].lower()}, you see"
        assert (code,) in codes_in(line), line


IN_OTHER_LETTERS = [
    "\u041a3RTZW", "\u041a3R\u0422ZW", "\u03ba3r\u03c4\u03b6w", "\uff2b\uff13\uff32\uff34\uff3a\uff37",
    "\u24c03\u24e1\u24e3\u24e9\u24e6", "\U0001f1f0 3 \U0001f1f7 \U0001f1f9 \U0001f1ff \U0001f1fc",
    "K\u03363\u0336R\u0336T\u0336Z\u0336W", "\U0001d40a\u0663RTZW", "\u1d0b3\u0280\u1d1b\u1d22\u1d21",
    "\U0001f17a3\U0001f181\U0001f183\U0001f189\U0001f186", "K\u200b3R\u2013T\u00a0Z\u3000W",
    "\u041b3\u041a\u0415\u042f\u0426", "\u043b3\u043a \u0435-\u044f\u0446",
]  # fmt: skip
"""K3RTZW in Cyrillic, Greek and wide letters, in frames, struck through, as flags, and as it is typed by who
has forgotten to leave the Russian keyboard layout."""


@pytest.mark.parametrize("typed", IN_OTHER_LETTERS)
async def test_a_code_in_look_alike_letters_or_on_another_keyboard_is_not_said_and_leads_to_its_table(
    connect: Connect, typed: str
) -> None:
    beate, anna = await private_table(connect, "beate"), connect("anna")
    assert "Your message wasn't sent" in await anna.refused(Say, f"it is {typed}, you see")
    await anna.do(Join, typed)
    assert anna.table.id == beate.table.id


LAYOUTS = {
    "Russian": "фисвуапролдьтзйкыегмцчня",
    "Ukrainian": "фисвуапролдьтзйкіегмцчня",
    "Greek": "αβψδεφγηξκλμνπ;ρστθωςχυζ",
}  # fmt: skip
"""What comes of the keys of a code's letters, in the order of the alphabet, without I and O."""


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_letter_of_a_code_can_be_typed_on_another_keyboard(layout: str) -> None:
    letters = [letter for letter in LETTERS if letter not in DIGITS]
    anchor = LAYOUTS[layout][letters.index("Z")]  # a line of nothing but ASCII is taken as it is
    for letter, typed in zip(letters, LAYOUTS[layout], strict=True):
        assert f"{letter}3Z" in readings(f"{typed}3{anchor}"), letter
        if typed != "ς":  # whose capital is that of another letter
            assert f"{letter}3Z" in readings(f"{typed}3{anchor}".upper()), letter


def test_letters_with_marks_are_on_keys_of_their_own_however_they_are_encoded() -> None:
    for typed in ("Й3КЕЯЦ", "Й3КЕЯЦ"):
        assert "Q3RTZW" in readings(typed)
        assert "B3RTZW" not in readings(typed)


async def test_a_code_that_may_be_of_two_tables_leads_to_none(connect: Connect) -> None:
    anna, typed = connect("anna"), "\u041a3\u0420\u0422\u0412\u0421"
    # as it is drawn, and by the keys of the Russian layout
    beate = await private_table(connect, "beate", code="K3PTBC")
    await anna.do(Join, typed)
    await anna.go_to(None)
    await private_table(connect, "carl", code="R3HNDC")
    assert "No table here has this code" in await anna.refused(Join, typed)
    await anna.do(Join, "K3PTBC")
    assert anna.table.id == beate.table.id


async def test_each_reading_of_a_wrong_code_is_a_try_and_none_of_a_right_one(hub: Hub) -> None:
    hub.use(Limits(codes_per_minute=1e-9, codes_at_once=4, lines_per_second=1e6), 0, "never")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hub_hub, "new_code", lambda _length: "K3RTZW")
        table = await hub.open_table("beate", OpenTable(0, GAME, {}, 3, private=True))
    # by the keys of the Russian layout; what is wrong is a code as it is drawn, too
    russian, wrong = "\u041b3\u041a\u0415\u042f\u0426", "\u041a3\u0420\u0422\u0412\u0421"
    for _ in range(5):
        assert await hub.join("eve", russian) is table
    for _ in range(2):
        with pytest.raises(NotPossible, match="No table here has this code"):
            await hub.join("eve", wrong)
    with pytest.raises(LimitReached, match="Too many codes tried"):
        await hub.join("eve", wrong)


async def test_the_readings_of_a_line_in_other_letters_count_as_one_try(hub: Hub) -> None:
    hub.use(Limits(codes_per_minute=1e-9, codes_at_once=4, lines_per_second=1e6), 0, "never")
    # "at 7 in the morning": "\u04307\u0443\u0442\u0440\u0430" and what is beside it, in two readings each
    await hub.say("anna", None, "\u0432 7 \u0443\u0442\u0440\u0430 \u0443 \u0430\u043d\u043d\u044b")


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
    await anna.do(Propose, "abort")
    await beate.do(Vote, True)
    for client in (anna, beate, eve):
        await client.until(lambda c: len(heard(c)) == 4)
        assert heard(client)[:3] == ["eve: before", "anna: to players", "eve: to watchers"]


async def test_who_plays_on_several_seats_and_looks_through_none_is_not_heard_by_watchers(
    connect: Connect,
) -> None:
    anna, eve = connect("anna"), connect("eve")
    table = await anna.open(GAME, 3)
    await anna.sit(0, 1, 2)
    await anna.start()
    await eve.go_to(table)
    await anna.do(Say, "to players")
    await eve.do(Say, "to watchers")
    assert anna.table.viewer is None
    assert heard(eve) == ["eve: to watchers"]
    await anna.do(Say, "once more")
    assert heard(anna) == ["anna: to players", "anna: once more"]


async def test_what_all_are_told_at_a_table_stands_among_what_is_said(connect: Connect) -> None:
    anna, beate = await table_of(connect, "anna", "beate")
    await anna.start()
    await anna.do(Propose, "abort")
    await beate.do(Vote, True)
    said = ": The match was aborted; it has no winner. Everybody moves up one seat."
    await anna.until(lambda c: heard(c) == [said])


async def test_who_says_much_at_once_has_to_wait() -> None:
    hub = Hub(MemoryLog(), limits=Limits(lines_per_second=0, lines_at_once=2))
    anna, again, beate = (Client(hub.connect(user)) for user in ("anna", "anna", "beate"))
    await anna.do(Say, "one")
    await again.do(Say, "two")
    assert "You're sending messages too fast" in await anna.refused(Say, "three")
    await beate.do(Say, "hello")
    await hub.close()


async def test_new_limits_of_talk_count_from_now_on(hub: Hub, connect: Connect) -> None:
    anna = connect("anna")
    await anna.do(Say, "one")
    hub.use(Limits(lines_per_second=1e-9, lines_at_once=2), 0, "never")
    for words in ("two", "three"):
        await anna.do(Say, words)
    assert "You're sending messages too fast" in await anna.refused(Say, "four")


def test_only_the_last_lines_are_kept() -> None:
    chat = Chat(CLOCK)
    for number in range(CHAT_SLOTS + 5):
        chat.say("anna", "Anna", str(number))
    view = chat.view()
    assert [line.words for line in view.recent()] == [str(n) for n in range(5, CHAT_SLOTS + 5)]
    assert view.said == CHAT_SLOTS + 5
    chat.join()
    assert chat.view() == view, "nothing was said apart"


def test_what_was_said_apart_comes_together_in_the_order_of_time() -> None:
    chat = Chat(CLOCK)
    chat.say("anna", "Anna", "1", Audience.PLAYERS)
    chat.say("eve", "eve", "2", Audience.WATCHERS)
    chat.say("anna", "Anna", "3", Audience.PLAYERS)
    assert [line.words for line in chat.view(Audience.WATCHERS).recent()] == ["2"]
    chat.join()
    for audience in Audience:
        assert [line.words for line in chat.view(audience).recent()] == ["1", "2", "3"]
