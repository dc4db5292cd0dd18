"""Finished matches by lines: the list of them, replays step by step, and what cost most."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from functools import partial
from itertools import repeat
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from kk_core.protocol.messages import Analyse, Analysed, GetHistory, History, LookBack, OpenReplay
from kk_core.types import Viewer
from kk_server.accounts.daily import DailyDeals, DailyStore
from kk_server.hub.hub import Hub
from kk_server.storage.entries import Ended, SeatHolder
from kk_server.storage.memory_log import MemoryLog
from kk_server.storage.sqlite import open_database
from kk_server.tables.place import Place
from kk_tui.languages import languages
from kk_tui.plain import replay
from kk_tui.plain.commands import Commands
from tests.chance import seeded
from tests.core.contract.test_analysis import LITTLE
from tests.plain.script import Script
from tests.plain.test_matches import make_a_move, play_on
from tests.server.hosting import PLENTY
from tests.server.test_daily import Days
from tests.waiting import wait_for


async def finished(anna: Script, game: str = "ku_ka_king") -> None:
    """Play a match to its end."""
    for line in (f"open {game}", "bots random", "start"):
        await anna.type(line)
    await play_on(anna, Random(1))


async def test_a_match_is_found_in_the_list_and_gone_through_step_by_step(anna: Script) -> None:
    assert await anna.type("history") == ["You haven't finished a match yet."]
    await finished(anna)
    await anna.type("leave")
    listed = await anna.type("history")
    day = "(today|yesterday)"  # before midnight, a moment ago
    assert re.fullmatch(rf"1\. {day} \d\d:\d\d, Ku-Ka-King: home \d+, .+ \d+\. Won: .+\.", listed[0])
    assert listed[1] == "'replay 1' shows one."
    arrived = await anna.type("replay 1")
    assert "'back 0' goes to the beginning, 'next' one step on" in arrived[-1]
    begun = await anna.type("back 0")
    assert begun[0].startswith("After 0 of ")
    assert any(line.startswith("home (you): 0 points") for line in begun)
    assert await anna.type("back") == ["This is the beginning of the match."]
    assert re.match(r"\d\. home calls row \d\.", (await anna.type("next"))[0])
    assert any(line.startswith("Row 1") for line in await anna.type("map"))
    first_scoring = await anna.type("next scoring")
    assert len(first_scoring) > 5
    assert re.fullmatch(r"After \d+ of \d+ steps\.", first_scoring[-1])
    assert (await anna.type("back"))[0].startswith("After ")
    while "This is the end of the match." not in (told := await anna.type("next scoring")):
        ended = told
    assert any(line.startswith("Final score: ") for line in ended)
    parts = "'next turn', 'next round' or 'next scoring'"
    for part in ("dance", "5"):
        assert await anna.type(f"next {part}") == [f"'{part}' is no part of a match: type {parts}."]
    assert (await anna.type("help"))[0] == "Type one of these words, or its beginning:"
    await anna.type("leave")
    assert await anna.type("forget 1") == ["The match is deleted from your history."]
    assert await anna.type("history") == ["You haven't finished a match yet."]


async def test_who_gave_up_does_not_read_after_the_end_that_a_bot_plays_for_them(hub: Hub) -> None:
    anna = Script(hub)
    await anna.begin()
    for line in ("open ku_ka_king", "bots random", "start", "propose resign"):
        await anna.type(line)
    await wait_for(lambda: any(line.startswith("Final score: ") for line in anna.lines))
    for line in ("back 3", "view 1", ""):
        told = await anna.type(line)
        assert any("Waiting for " in each for each in told), told
        assert not any("You have given up" in each for each in told), told
    await anna.end()


async def test_a_replay_says_at_which_step_it_is_and_how_to_go_on_when_it_opens_and_when_it_is_asked(
    anna: Script,
) -> None:
    await finished(anna)
    end, result, ways, after = await anna.type("")
    assert re.fullmatch(r"After (\d+) of \1 steps\.", end)
    assert result.startswith("Final score: ")
    assert "'next' one step on" in ways
    assert "'start' asks for a rematch" in after
    await anna.type("leave")
    assert await anna.type("replay 1") == ["Ku-Ka-King.", end, result, ways]
    assert await anna.type("") == [end, result, ways]
    then, waiting, *_rows = await anna.type("back 3")
    assert then.startswith("After 3 of ")
    assert await anna.type("") == [then, waiting.split(".")[0] + ".", ways]


@pytest.fixture
async def in_chains() -> AsyncIterator[Script]:
    """A reader after a match in which people have chains, which not every match has, whatever `--chance`."""
    with seeded("a match with chains"):
        hub = Hub(MemoryLog(), bot_pause=0, limits=PLENTY, hints=True)
        anna = Script(hub)
        await anna.begin()
        for line in ("open web_of_power", "bots random", "start"):
            await anna.type(line)
        assert (await anna.type("chains"))[0].startswith("Nobody has a chain so far: ")
        await play_on(anna, Random(1))
    yield anna
    await anna.end()
    await hub.close()


async def test_what_chains_score_is_told_among_the_contests_and_by_a_word_of_its_own(
    in_chains: Script,
) -> None:
    anna = in_chains
    told = await anna.type("race")
    assert told[0].startswith("Cloisters in England: ")
    assert any(re.match(r"Advisors of alliance \d+, \w+ and \w+: ", line) for line in told)
    (figures,) = re.findall(r"^Chains, points: (.*)\.", "\n".join(told), re.MULTILINE)
    scored = {name: int(points) for name, points in re.findall(r"(\w+) (\d+)", figures)}
    found = [re.match(r"(\w+)'s chain of (\d+) cloisters gives \2 points: \w+-", line)
             for line in await anna.type("chains")]  # fmt: skip
    own = dict.fromkeys(scored, 0)
    for chain in found:
        assert chain
        own[chain[1]] += int(chain[2])
    assert own == scored
    assert scored
    await anna.type("back 120")
    now = await anna.type("chains")
    assert all(re.match(r"Nobody|\w+'s chains would score \d+ points now\.", line) for line in now)


async def test_the_words_of_a_finished_match_work_at_its_table_and_end_with_the_rematch(anna: Script) -> None:
    await finished(anna)
    told = await anna.type("log")
    assert 1 <= len({line.split(".")[0] for line in told if line[0].isdigit()}) <= 3, told
    assert (await anna.type("back 0"))[0].startswith("After 0 of ")
    assert (await anna.type("score"))[0].startswith("As things stand")
    assert await anna.type("undo") == ["The match is over."]  # whatever the position is that is looked at
    begun = await anna.type("start")
    assert sum("The rematch has begun: everybody moves up one seat." in line for line in begun) == 1, begun
    assert "It's your turn." in (await anna.type("look"))[0]
    await anna.type("call 1")


async def test_the_decisive_moment_is_told_at_once_and_then_the_moves_that_cost_most_with_better_ones(
    anna: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Place, "effort", LITTLE)
    await finished(anna)
    moment, looking = await anna.type("coach")
    did = r"([^.:]+) calls row \d\. Gain for \1: .+ \+\d+.*\."
    found = re.fullmatch(rf"The decisive moment: .+\. {did} 'back (\d+)' goes there\.", moment)
    assert found
    assert (await anna.type(f"back {found[2]}"))[0].startswith(f"After {found[2]} of ")
    assert looking == "Looking for the moves that cost most; you can go on meanwhile."
    assert (await anna.type("score"))[0].startswith(("Points", "As things stand"))
    await wait_for(lambda: re.match(r"\d\. Step \d+, |No costly", anna.lines[-1]) is not None)


async def test_of_a_deal_that_is_still_secret_the_decisive_moment_is_told_without_what_bots_saw(
    tmp_path: Path,
) -> None:
    database = await open_database(tmp_path / "tables.sqlite")
    hub = Hub(MemoryLog(), bot_pause=0, limits=PLENTY, daily=DailyDeals(DailyStore(database), Days()))
    anna = Script(hub, "anna", local=False)
    await anna.begin()
    await anna.type("day ku_ka_king")
    await play_on(anna, Random(1))
    assert anna.client.store.scene is not None
    winners = anna.client.store.scene.observation.outcome
    assert winners is not None
    assert 0 not in winners.winners, "the moment is one of a bot"
    told = await anna.type("coach")
    assert re.match(r"The decisive moment: .+ 'back \d+' goes there\.", told[0])
    assert "seat" not in " ".join(told)
    await anna.end()
    await hub.close()
    await database.close()


async def test_who_waits_for_the_moves_that_cost_most_is_told_how_far_the_search_is(
    anna: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    await finished(anna)
    request, shares = anna.client.request, iter((0.25, 0.6))

    async def slow(make: Any) -> Any:
        reply = await request(make)
        if not isinstance(reply, Analysed):
            return reply
        return replace(reply, analysis=replace(reply.analysis, share=next(shares, 1.0)))

    monkeypatch.setattr(anna.client, "request", slow)
    monkeypatch.setattr(replay, "_PATIENCE", 0.0)
    await anna.type("coach")
    await wait_for(lambda: re.match(r"\d\. Step \d+, |No costly", anna.lines[-1]) is not None)
    told = [line for line in anna.lines if line.startswith("Still looking")]
    assert told == ["Still looking: 25 % of the match.", "Still looking: 60 % of the match."]


@pytest.mark.parametrize("form", ["{name}", "https://kk.example.org/match/{name}"])
async def test_a_replay_is_opened_by_the_name_or_the_link_of_its_match_and_at_a_step(
    hub: Hub, form: str
) -> None:
    hub.web_for = lambda _origin: "https://kk.example.org/"
    anna, eve = (Script(hub, name, local=False) for name in ("anna", "eve"))
    await anna.begin()
    await finished(anna)
    table = anna.client.store.table
    assert table is not None
    which = form.format(name=f"{table.id}-1")
    await eve.begin()
    end, result, ways = (await eve.type(f"replay {which}"))[-3:]
    assert re.fullmatch(r"After (\d+) of \1 steps\.", end)
    await eve.type("leave")
    assert (await eve.type(f"replay {which} 3"))[-3].startswith("After 3 of ")
    # what is chosen in secret is told when it is revealed
    assert (await eve.type("next"))[0].startswith(("4. ", "5. "))
    await eve.type("leave")
    *arrival, refused = await eve.type(f"replay {which} 9999")
    assert (arrival[-1], "only" in refused) == (ways, True)
    await anna.type("leave")
    assert (await anna.type("replay 1 3"))[-3].startswith("After 3 of ")
    assert result.startswith("Final score: ")
    await anna.type("leave")
    assert await anna.type("replay 0a-1") == ["There is no match '0a' that you may view."]
    for reader in (anna, eve):
        await reader.end()


async def test_a_match_that_is_played_is_looked_at_as_it_stands_whatever_step_is_asked_for(hub: Hub) -> None:
    hub.web_for = lambda _origin: "https://kk.example.org/"
    anna, eve = (Script(hub, name, local=False) for name in ("anna", "eve"))
    for reader in (anna, eve):
        await reader.begin()
    for line in ("open ku_ka_king 2", "bot random 2", "start"):
        await anna.type(line)
    table = anna.client.store.table
    assert table is not None
    *_arrival, refused = await eve.type(f"replay https://kk.example.org/table/{table.id} 0")
    assert refused == "The match is still being played."
    assert eve.client.store.table is not None
    again = Script(hub, "eve", local=False, go_to=f"{table.id} 0")
    await again.begin()
    for reader in (eve, again):
        assert reader.client.past is None
    for reader in (anna, eve, again):
        await reader.end()


async def test_ones_own_replay_is_seen_through_ones_own_seat_however_one_has_come_there(
    anna: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kk_server.hub.history.PAGE", 1)
    await finished(anna)
    for line in ("leave", "open ku_ka_king 2", "stand", "join 2", "bot random 1", "start"):
        await anna.type(line)
    await play_on(anna, Random(2))
    await anna.type("leave")
    await anna.type("replay 1")
    eyes, request = list[Viewer](), anna.client.request

    async def noted(make: Any) -> Any:
        if isinstance(message := make(0), LookBack):
            eyes.append(message.eyes)
        return await request(make)

    monkeypatch.setattr(anna.client, "request", noted)
    await anna.type("back 0")
    histories: list[History] = [await request(partial(GetHistory, skip=skip)) for skip in (0, 1)]
    (newest,), (other,) = [history.matches for history in histories]
    assert (newest.mine, other.mine) == ((1,), (0,))
    await request(lambda n: OpenReplay(n, other.table, other.match))
    await anna.type("back 0")
    assert eyes == [1, 0]
    again = Script(anna._hub, go_to=f"{newest.table}-{newest.match}")  # as after a reload
    await again.begin()
    assert any("home (you)" in line for line in await again.type("back 2"))
    await again.type("play random")
    table = again.client.store.table
    assert table is not None
    assert [seat.bot for seat in table.seats] == ["random", None]
    await again.end()


async def test_a_replay_of_somebody_elses_match_is_seen_as_by_a_spectator(hub: Hub, anna: Script) -> None:
    await finished(anna)
    table = anna.client.store.table
    assert table is not None
    eve = Script(hub, "eve", local=False, go_to=f"{table.id}-1")
    await eve.begin()
    told = await eve.type("back 0")
    assert told[0].startswith("After 0 of ")
    assert not any("(you)" in line for line in told)
    await eve.end()


def search() -> asyncio.Task[Any]:
    """What looks for the moves that cost most."""
    (task,) = [task for task in asyncio.all_tasks() if "ReplayWords._find" in repr(task.get_coro())]
    return task


async def test_the_search_ends_with_the_match_or_the_session_in_which_it_was_asked_for(
    anna: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    await finished(anna)
    await anna.type("leave")
    await finished(anna)
    answered, held, request = list[Analysed](), asyncio.Event(), anna.client.request

    async def slow(make: Any) -> Any:
        if not isinstance(make(0), Analyse):
            return await request(make)
        reply = await request(make)
        answered.append(reply)
        await held.wait()
        # as if there were more to come
        return replace(reply, analysis=replace(reply.analysis, share=0.5))

    monkeypatch.setattr(anna.client, "request", slow)
    await anna.type("coach")
    await wait_for(lambda: len(answered) == 1)
    assert await anna.type("coach") == ["Still looking."]
    for line in ("leave", "replay 2"):
        await anna.type(line)
    first = search()
    held.set()
    await wait_for(first.done)
    assert len(answered) == 1, "nothing is asked of the other match"
    held.clear()
    looking = "Looking for the moves that cost most; you can go on meanwhile."
    assert (await anna.type("coach"))[-1] == looking
    await wait_for(lambda: len(answered) == 2)
    second = search()
    await anna.end()
    assert second.cancelled()


async def test_a_finished_match_is_seen_as_others_saw_it_and_as_nobody_did(anna: Script) -> None:
    await finished(anna)
    await anna.type("back 0")
    seats = anna.client.store.table.seats  # type: ignore[union-attr]
    assert any(line.startswith(f"{seats[1].name} (you): 0 points") for line in await anna.type("view 2"))
    assert any(f"{seats[1].name} (you)" in line for line in await anna.type("back 1"))
    assert not any("(you)" in line for line in await anna.type("view"))
    assert (await anna.type("view zzz"))[0].startswith("Type the number of a seat")


async def test_after_a_broken_connection_a_replay_is_at_the_step_where_it_was(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kk_tui.plain.client.pauses", lambda: repeat(0.0))
    anna = Script(hub, "anna", local=False, reconnects=True)
    await anna.begin()
    await finished(anna)
    for line in ("leave", "replay 1"):
        await anna.type(line)
    _after, *before = await anna.type("back 3")
    assert await anna.type("look") == before
    assert anna.link is not None
    await anna.link.close()
    await wait_for(lambda: "Connected again." in anna.lines)
    assert await anna.type("look") == before
    await anna.end()


async def test_a_replay_opens_at_its_end_whatever_was_looked_at_before(anna: Script) -> None:
    await finished(anna)
    for line in ("back 3", "view 2"):
        assert re.match(r"After 3 of \d+ steps\.", (await anna.type(line))[0])
    for line in ("leave", "replay 1"):
        await anna.type(line)
    assert (await anna.type("look"))[0].startswith("Final score: ")
    for line in ("back 3", "view 2", "leave", "replay 1"):
        await anna.type(line)
    assert (await anna.type("look"))[0].startswith("Final score: ")
    assert any(line.startswith("home (you)") for line in await anna.type("back 3"))


async def test_a_replay_opens_at_its_end_for_whoever_comes_back_to_a_step_that_cannot_be_shown(
    anna: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    await finished(anna)
    await anna.type("leave")
    (newest,) = (await anna.client.request(lambda number: GetHistory(number))).matches

    async def fails(*_: object) -> None:
        raise LookupError

    monkeypatch.setattr(Commands, "look_at", fails)
    again = Script(anna._hub, go_to=f"{newest.table}-{newest.match} 3")
    await again.begin()
    assert re.search(r"After (\d+) of \1 steps", " ".join(again.lines))
    assert (await again.type("next")) == ["This is the end of the match."]
    await again.end()


async def test_a_match_is_played_on_from_a_step_of_it(anna: Script) -> None:
    await finished(anna)
    await anna.type("leave")
    await anna.type("replay 1")
    assert (await anna.type("play"))[0].startswith("This is the end of the match; 'back' and a number")
    await anna.type("back 2")
    await anna.type("play random")
    table = anna.client.store.table
    assert table is not None
    assert table.phase == "playing"
    assert [seat.bot for seat in table.seats] == [None, "random"]
    assert await anna.type("moves")


async def test_a_match_that_is_played_on_is_told_as_it_stands_whatever_its_replay_shows(anna: Script) -> None:
    await finished(anna)
    await anna.type("leave")
    for line in ("replay 1", "back 4", "play random"):
        await anna.type(line)
    table = anna.client.store.table
    assert table is not None
    played_on = table.title
    assert (await anna.type("look"))[0].startswith("It's your turn.")
    for line in ("leave", "replay 1", "back 2", "leave", f"join {played_on}", "moves", "1"):
        assert not any("taken back" in told for told in await anna.type(line))
    assert (await anna.type("look"))[0].startswith("It's your turn.")


async def test_matches_older_than_a_page_are_listed_replayed_and_deleted_by_their_numbers(
    hub: Hub, anna: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kk_server.hub.history.PAGE", 12)
    await finished(anna)
    await anna.type("leave")
    seats = (SeatHolder("home", "home"), SeatHolder("Ben"))
    for number in range(1, 31):
        await hub._log.keep_result(Ended("t", number, number, "ku_ka_king", seats, (number, 4), (0,), 9, 0))

    async def listed(line: str) -> list[str]:
        return [told.split(" home ")[-1].split(",")[0] if told[0].isdigit() else told
                for told in await anna.type(line)]  # fmt: skip

    ten = [str(number) for number in range(30, 20, -1)]
    assert await listed("history 2") == [*ten, "'history 12' lists older ones."]
    assert await listed("history 20") == [*map(str, range(12, 2, -1)), "'history 30' lists older ones."]
    assert await listed("history 30") == ["2", "1", "'replay 30' shows one."]
    assert await anna.type("history 32") == ["There are no more."]
    assert await anna.type(f"history {10**30}") == ["There are no more."]
    assert await anna.type("forget 31") == ["The match is deleted from your history."]
    assert await anna.type("forget 31") == ["That match is deleted; 'history' lists the others anew."]
    assert await listed("history 30") == ["2", "'replay 30' shows one."]
    assert "Type the number of a match after it" in (await anna.type("replay 31"))[0]
    assert "'back 0' goes to the beginning" in (await anna.type("replay 1"))[-1]


async def test_matches_keep_the_numbers_they_were_listed_with_and_the_others_are_counted_anew(
    hub: Hub, anna: Script
) -> None:
    seats = (SeatHolder("home", "home"), SeatHolder("Ben"))

    async def end(number: int) -> None:
        await hub._log.keep_result(Ended("t", number, number, "ku_ka_king", seats, (number, 4), (0,), 9, 0))

    async def kept() -> list[int]:
        history: History = await anna.client.request(GetHistory)
        return [match.match for match in history.matches]

    for number in range(1, 13):
        await end(number)
    assert await anna.type("forget 1") == ["The match is deleted from your history."]
    await end(13)
    await anna.type("forget 1")
    assert await kept() == [*range(11, 0, -1)], "what was not listed is the newest there is now"
    assert (await anna.type("history"))[0].startswith("1. ")
    await end(14)
    for line in ("forget 2", "forget 3"):
        assert await anna.type(line) == ["The match is deleted from your history."]
    assert await kept() == [14, 11, *range(8, 0, -1)]
    assert await anna.type("replay 2") == ["That match is deleted; 'history' lists the others anew."]
    await anna.type("forget 11")
    assert await kept() == [14, 11, *range(8, 0, -1)], "there are ten"


async def test_the_record_of_a_match_is_saved_where_somebody_has_a_folder_for_it(
    hub: Hub, tmp_path: Path
) -> None:
    anna = Script(hub, records=tmp_path / "records")
    await anna.begin()
    await finished(anna)
    (said,) = await anna.type("save")
    (file,) = (tmp_path / "records").iterdir()
    assert said == f"Saved as {file}"
    assert json.loads(file.read_text())["game"] == "ku_ka_king"
    await anna.end()


@pytest.mark.parametrize("language", languages())
async def test_a_replay_can_be_read_in_every_language(hub: Hub, language: str) -> None:
    anna = Script(hub, language=language)
    await anna.begin()
    for line in ("open ku_ka_king", "bots random", "start"):
        await anna.type(line)
    while anna.client.store.scene is None or not anna.client.store.scene.is_over:
        await anna.type("wait")
        for line in await anna.type("moves"):
            if number := re.match(r"\d+(?=\. )", line):
                await anna.type(number[0])
                break
    for line in ("leave", "history", "replay 1", "back 0", "next", "next round", "next turn", "back", "look"):
        assert await anna.type(line)
    await anna.end()


async def test_a_replay_tells_whose_stone_lay_on_a_card_however_long_before_it_was_placed(
    anna: Script,
) -> None:
    await finished(anna, "land_cards")
    in_match = [line for line in anna.lines if "stone lay on it" in line]
    for line in ("leave", "replay 1", "back 0"):
        await anna.type(line)
    told = list[str]()
    while "This is the end of the match." not in (step := await anna.type("next")):
        told += [line for line in step if "stone lay on it" in line]
    assert told == in_match
    assert in_match


def stones(lines: list[str]) -> list[str]:
    """The lines of a log that tell whose stone lay on a card."""
    return [line for line in lines if "stone lay on it" in line]


async def test_the_log_tells_whose_stone_lay_on_a_card_however_long_before_it_was_placed(
    anna: Script,
) -> None:
    await finished(anna, "land_cards")
    in_match = stones(anna.lines)
    for steps in (48, 24):
        told = stones(await anna.type(f"log {steps}"))
        await anna.type(f"back {end_of(await anna.type('back 0')) - steps}")
        stepwise = [line for _step in range(steps) for line in stones(await anna.type("next"))]
        assert told == stepwise
        assert told == in_match[-len(told) :]


async def test_whoever_comes_back_reads_whose_stone_lay_on_a_card_however_long_ago_it_was_placed(
    anna: Script,
) -> None:
    for line in ("open land_cards", "bots random", "start"):
        await anna.type(line)
    table, chance = anna.client.store.table, Random(1)
    assert table is not None
    own = re.compile(r"home (takes|gives|plays|places|moves|leaves|skips) ")
    others = re.compile(r"(?!home )\w+ (takes|gives|plays|places|moves|leaves) ")
    since, told = list[str](), list[str]()
    while not any(line.startswith("Final score: ") for line in since):
        before = len(anna.lines)
        await make_a_move(anna, chance)
        await anna.type("wait")
        since += anna.lines[before:]
        for line in [line for line in since if own.match(line)]:
            del since[: since.index(line) + 1]
        scene = anna.client.store.scene
        assert scene is not None
        if scene.match.ply == scene.match.turn_start and not scene.is_over:
            await anna.type("leave")
            before = len(anna.lines)
            await anna.type(f"watch {table.title}")
            await wait_for(lambda: anna.lines[-1].startswith("Your turn."))
            # while nobody has moved since, the turn before is told
            if any(map(others.match, since)):
                back = [line.partition(". ")[2] or line for line in anna.lines[before:]]
                assert stones(back) == stones(since)
                told += stones(since)
    assert told


def end_of(told: list[str]) -> int:
    """The number of steps of the match that is looked at."""
    (end,) = re.findall(r"After \d+ of (\d+) steps\.", told[0])
    return int(end)


async def test_a_log_of_secret_choices_alone_tells_what_was_revealed_before_them(anna: Script) -> None:
    for line in ("open ku_ka_king", "join 2", "start"):
        await anna.type(line)
    for seat, row in ((2, 1), (1, 1), (2, 2)):  # both call the same row, and one has called anew
        await anna.type(f"seat {seat}")
        await anna.type(f"call {row}")
    await anna.type("seat 1")
    assert any("both call row 1" in line for line in await anna.type("log"))


async def test_a_log_that_is_asked_for_more_steps_than_are_kept_says_how_many_are_left_out(
    anna: Script,
) -> None:
    await finished(anna, "land_cards")
    first, second, *_rest = await anna.type("log 60")
    assert first == "12 steps before these are left out."
    first_kept = end_of(await anna.type("back 0")) - 47
    assert int(second.split(".")[0]) in (first_kept, first_kept + 1), "an end without words may stand before"


async def test_steps_of_which_the_log_is_too_short_are_counted(anna: Script) -> None:
    await finished(anna, "land_cards")
    await anna.type("leave")
    for line in ("replay 1", "back 0"):
        await anna.type(line)
    told = await anna.type("next scoring")
    (left_out,) = re.findall(r"(\d+) steps before these are left out\.", told[0])
    first = next(int(found[1]) for line in told if (found := re.match(r"(\d+)\. ", line)))
    assert int(left_out) + 1 <= first <= int(left_out) + 2, "at most an end without words stands between"
