"""Tables, seats and people by lines."""

from __future__ import annotations

import asyncio
import dataclasses
import re
from random import Random
from typing import Any

import pytest

from kk_core.games.land_cards.model import SYMBOLS
from kk_core.protocol.messages import MOST_LINES, CloseTable, LookBack, OpenTable, Weigh, Weighed
from kk_core.text import in_ascii, text
from kk_core.views import Advice, CostlyMove
from kk_server.hub.hub import Hub
from kk_tui.games import faces
from kk_tui.games.land_cards.theme import GLYPHS
from kk_tui.rules_pages import sections
from tests.plain.script import Script
from tests.plain.test_matches import make_a_move, play_on
from tests.server.client import Client
from tests.server.hosting import PLENTY, retitle
from tests.server.test_storage import Slow
from tests.waiting import Clock, patience, wait_for


async def arrived(hub: Hub, user: str, language: str | None = None, *, go_to: str | None = None) -> Script:
    reader = Script(hub, user, language=language, local=False, go_to=go_to)
    await reader.begin()
    return reader


async def match_of_two(hub: Hub) -> tuple[Script, Script]:
    """Anna and Beate, who have just begun a match."""
    anna, beate = await arrived(hub, "anna"), await arrived(hub, "beate")
    await anna.type("open ku_ka_king 2")
    await beate.type("join anna")
    await anna.type("start")
    return anna, beate


async def test_people_meet_by_a_code_talk_and_play(hub: Hub) -> None:
    anna, beate = await arrived(hub, "anna"), await arrived(hub, "beate", "de")
    opened = await anna.type("open ku_ka_king private")
    (code,) = [found[1] for line in opened if (found := re.search(r"with the code (\w+)\.", line))]
    assert "Du sitzt jetzt auf Platz 2: beate." in await beate.type(f"mitspielen {code}")
    await wait_for(lambda: "beate now has seat 2." in anna.lines)
    await anna.type("say welcome")
    await wait_for(lambda: "anna: welcome" in beate.lines)
    await anna.type("start")
    await wait_for(lambda: any(line.startswith("Du bist dran.") for line in beate.lines))
    await anna.type("call 2")
    assert anna.lines[-1] == "Waiting for beate."
    await beate.type("2")
    await wait_for(lambda: any("both call row 2" in line for line in anna.lines))
    await anna.end()
    await beate.end()


async def test_of_a_table_nobody_sits_at_is_said_who_opened_it(hub: Hub) -> None:
    await hub.open_table("beate", OpenTable(0, "ku_ka_king", {}, 2, "Friday"))
    anna = await arrived(hub, "anna")
    (line,) = [line for line in await anna.type("tables") if "Friday" in line]
    assert line.endswith(": free, free; opened by beate.")
    await anna.end()


async def test_a_proposal_is_answered_with_yes_or_no(hub: Hub) -> None:
    anna, beate = await arrived(hub, "anna"), await arrived(hub, "beate")
    await anna.type("open ku_ka_king")
    await beate.type("tables")
    await beate.type("join 1")
    await anna.type("start")
    await anna.type("propose abort")
    await wait_for(lambda: beate.lines[-1].endswith(": yes or no?"))
    asked = beate.lines[-1]
    assert asked in await beate.type("look")
    assert (await anna.type("look"))[-1].endswith("; waiting for beate.")
    await beate.type("yes")
    said = "The match was aborted; it has no winner. Everybody moves up one seat."
    await wait_for(lambda: said in anna.lines)
    await anna.end()
    await beate.end()


async def test_while_the_database_does_not_answer_everybody_reads_that_the_table_waits_for_it() -> None:
    log = Slow()
    hub = Hub(log, bot_pause=0, limits=PLENTY)
    anna, beate = await arrived(hub, "anna"), await arrived(hub, "beate")
    for script, line in (anna, "open ku_ka_king"), (beate, "tables"), (beate, "join 1"), (anna, "start"):
        await script.type(line)
    log.asked.clear()
    log.is_done.clear()
    clock = Clock(stands=False)
    calling = asyncio.create_task(anna.type("call 1"))
    await log.asked.wait()
    await clock.forward(1.1)
    waits = "The server's database isn't answering: the table waits for it."
    await wait_for(lambda: anna.lines[-1] == beate.lines[-1] == waits)
    assert (await beate.type(""))[0] == waits
    log.is_done.set()
    await calling
    for script in (anna, beate):
        await wait_for(lambda: "The database answers again, and the table goes on." in script.lines)  # noqa: B023
        await script.end()
    await hub.close()


async def test_who_watches_reads_what_happens_and_has_no_moves(hub: Hub) -> None:
    anna, eve = await arrived(hub, "anna"), await arrived(hub, "eve")
    for line in ("open land_cards", "bots random", "start"):
        await anna.type(line)
    await eve.type("tables")
    await eve.type("watch 1")
    assert await eve.type("moves") == ["Waiting for anna."]
    assert await eve.type("take 1 left") == ["You are watching; only players can do this."]
    assert await eve.type("undo") == ["You are watching; only players can do this."]
    await anna.type("take 1 left")
    await wait_for(lambda: any(line.startswith("anna takes ") for line in eve.lines))
    assert "Watching: eve." in await anna.type("who")
    await anna.end()
    await eve.end()


@pytest.mark.parametrize("comes_from", ["the lobby", "a table"])
async def test_who_joins_a_table_that_is_full_or_where_a_match_is_running_is_told_that_they_watch(
    hub: Hub, comes_from: str
) -> None:
    anna, eve = await arrived(hub, "anna"), await arrived(hub, "eve")
    await anna.type("open ku_ka_king 2 private")
    await anna.type("bots random")
    for told in ("No seat is free: you are watching.", "The match has begun: you are watching."):
        if comes_from == "a table":
            await eve.type("open ku_ka_king 2")
        said = await eve.type(f"join {anna.client.store.table.code}")  # type: ignore[union-attr]
        assert said[-1] == told
        assert "'start' begins the match." not in said
        await eve.type("leave")
        await anna.type("start")
    await anna.end()
    await eve.end()


async def test_who_is_told_with_what_each_bot_likes(hub: Hub) -> None:
    anna = await arrived(hub, "anna")
    for line in ("open land_cards", "bots easy", "start"):
        await anna.type(line)
    told = await anna.type("who")
    table, face = anna.client.store.table, faces()["land_cards"]
    assert table is not None
    for seat in table.seats:
        (line,) = (line for line in told if f": {seat.name} (" in line)
        likes = face.styles.get(seat.style or "")
        assert line.endswith(str(likes)) if likes is not None else "They like" not in line
    await anna.end()


async def test_several_people_at_one_keyboard_look_through_one_seat_after_the_other(
    hub: Hub, anna: Script
) -> None:
    await anna.type("open ku_ka_king")
    await anna.type("join 2")
    written = await anna.type("start")
    assert written == ["The match begins.", "Waiting for home, home 2. 'seat 1' plays for home."]
    await anna.type("seat 1")
    assert (await anna.type("call 1"))[-1] == "Waiting for home 2. 'seat 2' plays for home 2."
    assert (await anna.type("seat 2"))[0].startswith("Your turn.")
    written = await anna.type("call 2")
    assert any("Ku ... Ka ... King!" in line for line in written), written


async def test_what_a_player_alone_is_shown_is_told_to_them_alone(hub: Hub) -> None:
    anna, eve = await arrived(hub, "anna"), await arrived(hub, "eve")
    for line in ("open web_of_power", "bots random", "start"):
        await anna.type(line)
    await eve.type("tables")
    await eve.type("watch 1")
    await anna.type("discard 1")
    drawn = await anna.type("draw pile")
    assert re.fullmatch(r"You have drawn \w+(/\w+)?\.", drawn[1])
    await wait_for(lambda: drawn[0] in eve.lines)
    assert not any("You have drawn" in line for line in eve.lines)
    assert "You have nothing that others can't see." in await eve.type("hand")
    await anna.end()
    await eve.end()


async def test_an_earlier_position_and_the_rules_can_be_read(anna: Script) -> None:
    for line in ("open land_cards", "bots random", "start"):
        await anna.type(line)
    before = [line for line in await anna.type("look") if line.startswith("Row ")]
    await anna.type("take 1 left")
    assert before == [line for line in await anna.type("back 0") if line.startswith("Row ")]
    assert (await anna.type("back 0"))[0] == "After 0 of 1 steps."
    assert await anna.type("back 2") == ["Type a number of steps, 0 to 1, after it."]
    assert "Taking cards" in await anna.type("rules")
    assert (await anna.type("rules taking"))[0] == "Taking cards"


@pytest.mark.parametrize("ascii_only", [False, True])
@pytest.mark.parametrize(
    ("language", "deck"),
    [
        (None, "two crosses, cross fan, two fans, cross ship, cross carriage, fan ship"),
        ("de", "zwei Kreuze, Kreuz Fächer, zwei Fächer, Kreuz Schiff, Kreuz Kutsche, Fächer Schiff"),
    ],
)
async def test_the_rules_in_lines_spell_out_the_signs_of_cards(
    hub: Hub, language: str | None, deck: str, *, ascii_only: bool
) -> None:
    anna = Script(hub)
    anna.client.reader.use(language)
    anna.client.reader.ascii_only = ascii_only
    await anna.begin()
    await anna.type("open land_cards")
    told = list[str]()
    for section in sections("land_cards", (language or "",)):
        told += await anna.type(f"rules {section.title}")
    assert any(line.startswith(f"Frankreich; 8; {in_ascii(deck) if ascii_only else deck}, ") for line in told)
    signs = "".join(GLYPHS[f"land_cards-symbol-{letter}"][0] for letter in SYMBOLS) + "≈⊕"
    assert [line for line in told if not line or set(line) & set(signs)] == []
    await anna.end()


async def test_a_stand_in_is_told_and_the_seat_taken_back_with_join(hub: Hub) -> None:
    anna, beate = await arrived(hub, "anna"), Client(hub.connect("beate"))
    await anna.type("open ku_ka_king 2")
    await beate.go_to(next(iter(hub.tables)))
    await beate.sit(1)
    await anna.type("start")
    table = next(iter(hub.tables.values()))
    await table._stand_in(0, text("A bot plays for anna."))  # as a vote decides
    told = "A bot plays for you; 'join' takes your seat back."
    await wait_for(lambda: told in anna.lines)
    for line in ("call 3", "why call 3", "hint", "undo"):
        assert await anna.type(line) == [told], line
    await anna.type("join")
    await wait_for(lambda: anna.client.store.scene is not None and not anna.client.store.scene.stood_in)
    await beate.close()
    await anna.end()


async def test_who_comes_back_to_a_seat_that_a_bot_has_held_is_told_once(hub: Hub) -> None:
    anna, beate = await match_of_two(hub)
    await beate.end()
    await wait_for(lambda: anna.lines[-1] == "beate is no longer online.")
    table = next(iter(hub.tables.values()))
    await table._stand_in(1, text("A bot plays for beate."))  # as a vote decides
    beate = await arrived(hub, "beate")
    await wait_for(lambda: any("beate is back and playing again." in line for line in anna.lines))
    assert "beate is online again." not in anna.lines
    for reader in (anna, beate):
        await reader.end()


async def test_who_has_given_up_is_not_promised_the_seat_again(hub: Hub) -> None:
    anna, beate = await match_of_two(hub)
    await anna.type("propose resign")
    await wait_for(lambda: beate.lines[-1].endswith(": yes or no?"))
    await beate.type("yes")
    gone = "You have given up: a bot plays for you."
    await wait_for(lambda: gone in anna.lines)
    await wait_for(lambda: anna.client.store.scene is not None and not anna.client.store.scene.may_act)
    assert anna.lines.count(gone) == 1, anna.lines
    for line in ("moves", "hint", "why", "why call 3", "call 3", "3", "ok", "undo", "join"):
        assert await anna.type(line) == [gone], line
    assert not any("takes your seat back" in line for line in anna.lines)
    for reader in (anna, beate):
        await reader.end()


async def test_who_joins_where_they_are_is_told_their_seat_or_the_table(hub: Hub) -> None:
    anna, beate = await arrived(hub, "anna"), await arrived(hub, "beate")
    await anna.type("open ku_ka_king 3 title Test")
    await beate.type("join Test")
    for line in ("join 1", "join anna"):
        assert (await anna.type(line))[0] == "You have seat 1 already: anna.", line
    assert await anna.type("join test") == [
        "You are at the table Test already.",
        "'bot' gives the free seats to bots; 'start' begins.",
    ]
    assert await anna.type("join beate") == ["beate has this seat."]
    assert await anna.type("join Other") == ["No seat here is 'Other'; other tables are in the lobby."]
    await anna.type("bot random 3")
    await anna.type("start")
    assert await anna.type("join 1") == ["You have seat 1 already: anna."]
    for reader in (anna, beate):
        await reader.end()


async def test_who_watches_and_types_a_move_of_any_game_is_told_that_only_players_move(hub: Hub) -> None:
    anna, beate = await arrived(hub, "anna"), await arrived(hub, "beate")
    await anna.type("open web_of_power 3")
    await anna.type("bots random")
    await anna.type("start")
    await beate.type("join anna")
    for line in ("call 3", "3", "take 1 left", "place cloister", "why call 3", "hint"):
        assert await beate.type(line) == ["You are watching; only players can do this."], line
    assert await beate.type("calls") == ["'calls' is for the lobby; 'leave' leads there."]
    assert (await beate.type("help"))[0] == "Type one of these words, or its beginning:"
    # for a player it is no word here, rather than the beginning of one of the lobby
    assert await anna.type("call 3") == [
        "'call 3' is neither a word nor a move here. Type 'moves' or 'help'."
    ]
    for reader in (anna, beate):
        await reader.end()


@pytest.mark.usefixtures("quick_hints")
async def test_a_hint_and_a_list_hold_while_others_choose_at_the_same_moment(hub: Hub) -> None:
    anna, beate = await match_of_two(hub)
    assert anna.client.store.scene is not None
    before = anna.client.store.scene.position
    listed = await anna.type("moves")
    (best,) = [line for line in await anna.type("hint") if line.startswith("a. ")]
    await beate.type("call 2")
    await wait_for(lambda: anna.client.store.scene is not None and anna.client.store.scene.position != before)
    _move, said = best.split(". Win chance: ")
    assert said in (await anna.type("why a"))[0]
    row = re.search(r"call (\d)", best)
    assert row is not None
    assert any(line.startswith(f"{row[1]}. ") for line in listed)
    assert (await anna.type("a"))[0] == f"anna calls row {row[1]}."
    for reader in (anna, beate):
        await reader.end()


async def test_who_takes_a_call_back_is_asked_again(hub: Hub) -> None:
    anna, beate = await match_of_two(hub)
    await anna.type("call 2")
    told = await anna.type("undo")
    assert told[0] == "anna takes 1 step back."
    assert told[1].startswith("It's your turn again. Call a row: "), told
    await wait_for(lambda: "anna takes 1 step back." in beate.lines)
    assert (await anna.type("propose undo"))[0].startswith("A step is not taken back by agreement: 'undo'")
    for reader in (anna, beate):
        await reader.end()


async def test_nothing_that_a_server_says_steers_the_terminal(hub: Hub) -> None:
    anna = await arrived(hub, "anna")
    hub.sessions.tell("anna", text("{words}", words="a\x1b[2Jb\rc"))
    await wait_for(lambda: anna.lines[-1].startswith("* a"))
    assert "\r" not in anna.lines[-1]
    await anna.end()


async def test_whoever_leaves_a_match_is_told_the_way_back(hub: Hub) -> None:
    anna = await arrived(hub, "anna")
    for line in ("open ku_ka_king", "bots random", "start"):
        await anna.type(line)
    left = await anna.type("leave")
    assert "Your match at anna goes on: 'join anna' leads back." in left
    assert "It's your turn." in " ".join([*await anna.type("join anna"), *await anna.type("look")])
    await anna.end()


async def test_where_a_stone_lies_is_told_by_the_numbers_that_moves_have(anna: Script) -> None:
    for line in ("open land_cards", "bots random", "start", "take 1 left", "end"):
        await anna.type(line)
    told = await anna.type("place 3 7")
    assert any(line == "home's stone lies in row 3 on card 7." for line in told), told


async def test_a_table_is_handed_on_and_phrases_are_read_in_everybody_s_language(hub: Hub) -> None:
    anna, beate = await arrived(hub, "anna"), await arrived(hub, "beate", "de")
    await anna.type("open ku_ka_king")
    await beate.type("join anna")
    assert (await anna.type("owner 3"))[0].startswith("Type the number of a seat")
    assert (await anna.type("owner beate"))[-1] == "beate owns this table."
    assert next(iter(hub.tables.values())).state.owner == "beate"
    assert (await anna.type("phrase"))[1] == "2. Hello!"
    await anna.type("phrase 2")
    await wait_for(lambda: "anna: Hallo!" in beate.lines)
    assert (await anna.type("phrase 99"))[0].startswith("Type a number after it, 1 to ")
    for reader in (anna, beate):
        await reader.end()


async def test_a_seat_is_given_up_by_its_name_where_somebody_has_several(hub: Hub) -> None:
    anna, beate = await arrived(hub, "anna"), await arrived(hub, "beate")
    await anna.type("open ku_ka_king 3")
    await anna.type("join 2")
    await beate.type("join anna")
    await anna.type("start")
    assert (await anna.type("propose resign"))[0].startswith("Type the number of a seat")
    await anna.type("propose resign 2")
    await wait_for(lambda: beate.lines[-1].endswith(": yes or no?"))
    assert (await anna.type("propose bot beate"))[0]
    for reader in (anna, beate):
        await reader.end()


async def test_a_match_at_home_that_is_not_over_is_deleted_by_its_number(anna: Script) -> None:
    for line in ("open ku_ka_king", "bots random", "start", "leave"):
        await anna.type(line)
    assert (await anna.type("delete 9"))[0] == "Type the number of a match after it: see 'tables'."
    await anna.type("tables")
    assert await anna.type("delete 1") == ["The match is deleted."]
    assert await anna.type("tables") == ["No table is open."]


async def test_the_coach_warns_of_a_costly_move_once_and_the_same_again_makes_it(anna: Script) -> None:
    for line in ("open ku_ka_king", "bots random", "start"):
        await anna.type(line)
    assert (await anna.type("coach"))[0].startswith("The coach warns you")
    request, weighed = anna.client.request, list[Weigh]()

    async def costly(make):  # type: ignore[no-untyped-def]
        if not isinstance(message := make(0), Weigh):
            return await request(make)
        weighed.append(message)
        best, worst = Advice(0, 0.5, 9.0, 0.0, ()), Advice(message.move, 0.5, 1.0, 0.0, ())
        return Weighed(0, CostlyMove(message.ply, message.seat, worst, best))

    anna.client.request = costly  # type: ignore[method-assign]
    (warned,) = await anna.type("call 3")
    assert warned.startswith("call 3: This gives away about 8 points. Better: "), warned
    assert not any("home calls" in line for line in anna.lines)
    await anna.type("call 3")
    assert len(weighed) == 1
    assert any("home calls row 3" in line or "both call row 3" in line for line in anna.lines)
    assert (await anna.type("coach"))[0] == "The coach is off."


async def test_the_coach_warns_of_a_move_that_brings_nothing_however_little_it_costs(
    anna: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    face = dataclasses.replace(faces()["ku_ka_king"], in_vain=lambda *_: text("It is raining."))
    monkeypatch.setattr("kk_tui.games.ku_ka_king.face.FACE", face)
    for line in ("open ku_ka_king", "bots random", "start", "coach"):
        await anna.type(line)
    request = anna.client.request

    async def cheap(make):  # type: ignore[no-untyped-def]
        return Weighed(0, None) if isinstance(make(0), Weigh) else await request(make)

    anna.client.request = cheap  # type: ignore[method-assign]
    again = "Typed again, it is made all the same."
    assert await anna.type("call 3") == [f"call 3: This would bring you nothing now. It is raining. {again}"]
    assert not any("home calls" in line for line in anna.lines)
    await anna.type("call 3")
    assert any("home calls row 3" in line or "both call row 3" in line for line in anna.lines)


async def test_whoever_sits_down_or_stands_up_is_told_as_news(hub: Hub) -> None:
    anna, beate = await arrived(hub, "anna"), await arrived(hub, "beate")
    told = await anna.type("open ku_ka_king 3")
    assert told[1:3] == ["3 seats, which are all free.", "You now have seat 1: anna."]
    told = await beate.type("join anna")
    assert told[1:3] == ["Seats: 1 anna, 2 free, 3 free.", "You now have seat 2: beate."]
    await beate.type("stand")
    await wait_for(lambda: anna.lines[-1] == "Seat 2 is now free.")
    for reader in (anna, beate):
        await reader.end()


async def test_who_goes_away_from_a_table_and_comes_back_is_told_to_the_others(hub: Hub) -> None:
    anna, beate = await match_of_two(hub)
    await beate.end()
    await wait_for(lambda: anna.lines[-1] == "beate is no longer online.")
    assert "Seat 2: beate (away)." in await anna.type("who")
    beate = await arrived(hub, "beate")
    await wait_for(lambda: anna.lines[-1] == "beate is online again.")
    assert await anna.type("who") == ["Seat 1: anna (you).", "Seat 2: beate."]
    for reader in (anna, beate):
        await reader.end()


async def test_what_concerns_everybody_at_a_table_is_told_once(hub: Hub) -> None:
    anna, beate = await match_of_two(hub)

    async def told_once(answer: str, said: str) -> None:
        told = await anna.type("propose abort")
        assert told[-1].endswith("without a result; waiting for beate."), told
        await wait_for(lambda: beate.lines[-1].endswith(": yes or no?"))
        before = len(beate.lines)
        await beate.type(answer)
        await wait_for(lambda: said in anna.lines)
        hub.sessions.tell("anna", text("That is all."))
        await wait_for(lambda: anna.lines[-1] == "* That is all.")
        for lines in (anna.lines, beate.lines[before:]):
            assert sum(said in line for line in lines) == 1, lines
        assert sum(line.startswith("Seats: ") for line in beate.lines[before:]) <= 1

    await told_once("no", "beate does not agree.")
    await told_once("yes", "The match was aborted; it has no winner. Everybody moves up one seat.")
    for reader in (anna, beate):
        await reader.end()


async def test_nobody_is_invited_to_the_table_where_they_are(hub: Hub) -> None:
    anna, beate = await arrived(hub, "anna"), await arrived(hub, "beate")
    await anna.type("open ku_ka_king 2")
    await anna.type("invite beate")
    await wait_for(lambda: beate.lines[-1] == "* anna invites you to the table anna. 'join' goes there.")
    await beate.type("join anna")
    assert await anna.type("invite Beate") == ["beate is at this table already."]
    for reader in (anna, beate):
        await reader.end()


async def test_who_is_called_to_a_table_reads_the_words_that_lead_there_from_where_they_are(hub: Hub) -> None:
    anna, beate, carla = [await arrived(hub, name) for name in ("anna", "beate", "carla")]
    await anna.type("open ku_ka_king 2 private title Sunday")
    await carla.type("open land_cards")
    for guest, way in ((beate, "'join' goes there."), (carla, "'leave' and then 'join' take you there.")):
        await anna.type(f"invite {guest.client.user}")
        await wait_for(lambda way=way, guest=guest: guest.lines[-1].endswith(f"Sunday. {way}"))  # type: ignore[misc]
    told = await beate.type("join")
    assert "Table Sunday: Ku-Ka-King." in told
    assert "You now have seat 2: beate." in told
    await carla.type("leave")
    assert "Table Sunday: Ku-Ka-King." in await carla.type("watch")
    for guest in (beate, carla):  # who have been there
        await guest.type("leave")
        (refused,) = await guest.type("join")
        assert refused.startswith("Type the number of a table")
    for reader in (anna, beate, carla):
        await reader.end()


async def test_a_table_that_has_called_and_is_gone_is_refused_once_and_then_no_longer_meant(hub: Hub) -> None:
    anna, beate = await arrived(hub, "anna"), await arrived(hub, "beate")
    await anna.type("open ku_ka_king 2")
    await anna.type("invite beate")
    await wait_for(lambda: beate.lines[-1].endswith("'join' goes there."))
    (table,) = hub.tables
    await anna.type("leave")
    await hub.close_table("anna", table)
    assert await beate.type("join") == [f"There is no table {table!r}."]
    (asked,) = await beate.type("join")
    assert asked.startswith("Type the number of a table")
    for reader in (anna, beate):
        await reader.end()


PAGE = "https://kk.example.org/"


async def test_links_lead_where_they_lead_in_a_browser_and_only_join_sits_down_there(hub: Hub) -> None:
    hub.web_for = lambda _origin: PAGE
    anna, beate, carla, dora = [await arrived(hub, name) for name in ("anna", "beate", "carla", "dora")]
    await anna.type("open ku_ka_king 3 private title Sunday")
    table = anna.client.store.table
    assert table is not None
    assert f"In a browser: {PAGE}join/{table.code}" in await anna.type("look")
    await beate.type(f"join {PAGE}join/{table.code}")
    await carla.type(f"watch HTTPS://KK.example.org:443/join/{table.code}")
    await dora.type(f"{PAGE}join/{table.code}")
    for reader in (beate, carla, dora):
        assert "Table Sunday: Ku-Ka-King." in reader.lines
    for reader in (beate, carla, dora):
        await reader.type("look")
        assert reader.lines[-2] == "Seats: 1 anna, 2 beate, 3 free."
    await carla.type("leave")
    await carla.type("open land_cards title Monday")
    monday = carla.client.store.table
    assert monday is not None
    await dora.type(f"join {PAGE}table/{monday.id},")  # from another table, as it stands in a sentence
    assert any(line.startswith("Table Monday: ") for line in dora.lines)
    for reader in (anna, beate, carla, dora):
        await reader.end()


async def test_links_that_lead_elsewhere_or_nowhere_are_refused_in_a_sentence(hub: Hub) -> None:
    home = Script(hub)
    await home.begin()
    (refused,) = await home.type("join https://kk.example.org/join/ABCDE2")
    assert refused.startswith("No links can be followed here; open 'https://kk.")
    hub.web_for = lambda _origin: PAGE
    anna = await arrived(hub, "anna")
    for word in ("join ", "watch ", "replay ", ""):
        for url in ("https://kk.example.net/join/ABCDE2", "https://kk.example.org:8080/match/1a-1"):
            told = await anna.type(f"{word}{url}")
            assert told == [f"Links here begin with {PAGE}; open {url!r} in a browser."]
        places = "table/x", "table/1a/2", "table/1a-1", "match/1a", "match/1a-0"
        for path in ("", "plain", "join/", "join/ABC", *places):
            told = await anna.type(f"{word}{PAGE}{path}")
            assert told == [f"'{PAGE}{path}' leads to no table and to no match."]
    assert "There is no table '1a'." in await anna.type(f"join {PAGE}table/1a")
    assert "No table here has this code" in (await anna.type(f"join {PAGE}join/ABCDE2"))[0]
    for reader in (home, anna):
        await reader.end()


async def test_of_several_tables_with_one_title_the_own_match_is_meant_or_a_number_is_asked_for(
    hub: Hub,
) -> None:
    anna = await arrived(hub, "anna")
    for line in ("open land_cards", "leave", "open ku_ka_king", "bots random", "start", "leave"):
        await anna.type(line)
    for table in hub.tables.values():
        retitle(hub, table, "anna")
    beate = await arrived(hub, "beate")
    *listed, asked = await beate.type("join anna")
    assert [line.split(",")[0] for line in listed] == ["1. anna", "2. anna"]
    assert asked == "2 tables are called 'anna': type the number of one of them instead."
    assert await beate.type("join ann") == [*listed, asked]
    assert (await anna.type("join ann"))[0] == "Table anna: Ku-Ka-King."
    await anna.type("leave")
    assert (await anna.type("join anna"))[0] == "Table anna: Ku-Ka-King."
    for reader in (anna, beate):
        await reader.end()


@pytest.mark.parametrize(("title", "begun"), [("Sunday", "sun"), ("01", "0")])
async def test_tables_of_one_title_are_listed_by_number_for_its_beginning_however_many_they_are(
    hub: Hub, title: str, begun: str
) -> None:
    people = [Client(hub.connect(f"p{number}")) for number in range(6)]
    for person in people[:5]:
        retitle(hub, hub.tables[await person.open("ku_ka_king", 2)], title)
        await person.sit(0)
    anna = await arrived(hub, "anna")
    *listed, asked = await anna.type(f"join {begun}")
    assert [line.split(",")[0] for line in listed] == [f"{n}. {title}" for n in range(1, 6)]
    assert asked == f"5 tables are called '{title}': type the number of one of them instead."
    await people[5].open("ku_ka_king", 2, title=f"{title} evening")
    await people[5].sit(0)
    (more,) = await anna.type(f"join {begun}")
    assert more == f"2 titles match; type more of one: {title}, {title} evening"
    for person in people:
        await person.close()
    await anna.end()


async def test_of_several_own_matches_with_one_title_the_one_is_meant_that_the_lobby_names(hub: Hub) -> None:
    anna = await arrived(hub, "anna")
    for line in ("lesson land_cards", "leave", "open ku_ka_king", "bots random", "start", "leave"):
        told = await anna.type(line)
    assert "Your match at anna goes on: 'join anna' leads back." in told
    assert (await anna.type("join anna"))[0] == "Table anna: Ku-Ka-King."
    await anna.end()


async def test_of_two_tables_with_one_title_none_is_joined_though_the_list_shows_one(hub: Hub) -> None:
    people = [Client(hub.connect(f"p{number:02}")) for number in range(MOST_LINES // 8 + 2)]
    first, last = people[0], people[-1]
    for person in people:
        for number in range(8):
            is_sunday = number == 7 and person in (first, last)
            table = await person.open("ku_ka_king", 2)
            retitle(hub, hub.tables[table], "Sunday" if is_sunday else f"Table {number}")
            await person.sit(0)
    anna = await arrived(hub, "anna")
    listed = [line for line in await anna.type("tables") if "Sunday" in line]
    assert len(listed) == 1
    (asked,) = await anna.type("join Sunday")
    assert asked == "2 tables are called 'Sunday': type the name of somebody there instead."
    table = last.table.id
    await last.go_to(None)
    await last.do(CloseTable, table)
    assert (await anna.type("join Sunday"))[0] == "Table Sunday: Ku-Ka-King."
    for person in people:
        await person.close()
    await anna.end()


async def test_whoever_comes_back_lands_where_they_were_or_at_the_match_in_which_it_is_their_turn(
    hub: Hub,
) -> None:
    anna, beate, carla = [Client(hub.connect(name)) for name in ("anna", "beate", "carla")]
    own = await anna.open("ku_ka_king", 2)
    await anna.sit(0)
    await beate.go_to(own)
    await beate.sit(1)
    await anna.start()
    watched = await carla.open("ku_ka_king", 2)
    await anna.play(0, anna.observation.legal_moves[0])
    on_turn, waiting, gone = "beate", "anna", "f" * 12
    for user, was_at, there in (
        (on_turn, watched, own), (waiting, watched, watched), (waiting, own, own), (on_turn, None, own),
        (waiting, gone, own), (on_turn, gone, own),
    ):  # fmt: skip
        reader = await arrived(hub, user, go_to=was_at)
        assert reader.client.store.table is not None, (user, was_at)
        assert reader.client.store.table.id == there, (user, was_at)
        await reader.end()
    for person in (anna, beate, carla):
        await person.close()
    await reader.end()


async def test_whose_stone_comes_back_and_who_gets_a_law_card_is_told_with_the_card(anna: Script) -> None:
    for line in ("open land_cards", "bots random", "start"):
        await anna.type(line)
    table = anna.client.store.table
    assert table is not None
    await play_on(anna, Random(1))
    names = "|".join(re.escape(seat.name) for seat in table.seats)
    taken = "\n".join(anna.lines)
    back = re.findall(rf"(.*)\n({names})'s stone lay on it; \2 gets it back\.", taken)
    laws = re.findall(rf"(.*)\n({names}) gets the law card on it\.", taken)
    assert back
    assert laws
    for line, *_who in back:
        assert " takes " in line, line
    news = set(anna.lines)
    for line in await anna.type("log 48"):
        assert re.sub(r"^\d+\. ", "", line) in news


async def away(hub: Hub) -> tuple[Script, Script, str]:
    """Anna in the lobby, and Beate, whose turn it is, at the match of both, with its title.

    Anna has had a turn, and to tell her what has happened since takes a request.
    """
    anna, beate, chance = await arrived(hub, "anna"), await arrived(hub, "beate"), Random(1)
    await anna.type("open land_cards")
    assert anna.client.store.table is not None
    title = anna.client.store.table.title
    await beate.type(f"join {title}")
    for line in ("bots random", "start"):
        await anna.type(line)
    for reader in (anna, beate, anna):
        while True:
            await reader.type("wait")
            await make_a_move(reader, chance)
            scene = reader.client.store.scene
            assert scene is not None
            if not scene.may_act:
                break
    await anna.type("leave")
    await beate.type("wait")
    return anna, beate, title


async def test_what_is_said_and_done_while_somebody_arrives_is_told_after_it_and_once(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, beate, title = await away(hub)
    asked, held, request = asyncio.Event(), asyncio.Event(), anna.client.request

    async def slow(make: Any) -> Any:
        if isinstance(make(0), LookBack):
            asked.set()
            await held.wait()
        return await request(make)

    monkeypatch.setattr(anna.client, "request", slow)
    arriving = asyncio.create_task(anna.type(f"watch {title}"))
    async with asyncio.timeout(patience()):
        await asked.wait()
    await beate.type("say hello anna")
    moved = [line for line in await make_a_move(beate, Random(2)) if line.startswith("beate ")]
    await beate.type("say bye anna")
    await beate.end()
    held.set()
    told = await arriving
    news = ["beate: hello anna", *moved, "beate: bye anna"]
    await wait_for(lambda: "beate is no longer online." in anna.lines)
    assert moved
    assert sorted(line for line in told if line.partition(". ")[2] in moved or line in news) == sorted(news)
    before = told[: min(map(told.index, news))]
    assert any(re.match(r"\d+\. ", line) for line in before), "what had happened comes first"
    await anna.end()


async def test_who_arrives_at_what_a_newer_server_tells_of_earlier_reads_the_rest(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, beate, title = await away(hub)
    tried = list[object]()

    def broken(*told: object) -> None:
        tried.append(told)
        raise ValueError

    monkeypatch.setattr(anna.client.store, "past", broken)
    told = await anna.type(f"watch {title}")
    assert tried
    assert any(re.match(r"\d+\. ", line) for line in told)
    await beate.type("say hello anna")
    await wait_for(lambda: "beate: hello anna" in anna.lines)
    for reader in (anna, beate):
        await reader.end()


async def test_nothing_is_asked_for_an_arrival_at_a_game_whose_log_says_it_all(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, asked = await arrived(hub, "anna"), list[object]()
    request = anna.client.request

    async def noted(make: Any) -> Any:
        asked.append(make(0))
        return await request(make)

    for line in ("open ku_ka_king 2", "bots random", "start", "call 1", "leave"):
        await anna.type(line)
    monkeypatch.setattr(anna.client, "request", noted)
    await anna.type("join 1")
    assert not [message for message in asked if isinstance(message, LookBack)]
    await anna.end()


async def test_how_a_match_has_ended_is_told_once_to_whoever_comes_to_it(hub: Hub) -> None:
    anna, beate = await arrived(hub, "anna"), await arrived(hub, "beate")
    for line in ("open ku_ka_king 2", "bots random", "start"):
        await anna.type(line)
    await play_on(anna, Random(1))
    assert anna.client.store.table is not None
    told = await beate.type(f"watch {anna.client.store.table.title}")
    await anna.type("say well played")
    await wait_for(lambda: "anna: well played" in beate.lines)
    assert sum(line.startswith("Final score: ") for line in beate.lines) == 1, told
    for reader in (anna, beate):
        await reader.end()
