"""Lessons, the deal of the day and the leaderboard by lines."""

from __future__ import annotations

import asyncio
import re
from itertools import pairwise
from random import Random

import pytest

from kk_core.registry import has_lesson
from kk_server.hub.hub import Hub
from kk_tui.games import faces
from kk_tui.languages import languages
from tests.plain.script import Script
from tests.plain.test_matches import play_on
from tests.waiting import patience, wait_for


async def learn(anna: Script, game: str) -> list[str]:
    """Take a lesson to its end by what it says is typed."""
    await anna.type(f"lesson {game}")
    async with asyncio.timeout(patience()):
        while True:
            table = anna.client.store.table
            assert table is not None
            assert table.lesson is not None
            if table.lesson.learnt:
                return anna.lines
            scene = anna.client.store.scene
            if table.lesson.skips is not None or (
                table.lesson.wanted and scene is not None and scene.may_act
            ):
                await anna.type("ok")
            else:
                await asyncio.sleep(0)


@pytest.mark.parametrize("game", [game for game in faces() if has_lesson(game)])
@pytest.mark.parametrize("language", languages())
async def test_a_lesson_is_taken_to_its_end_by_lines_alone(hub: Hub, game: str, language: str) -> None:
    anna = Script(hub, language=language)
    await anna.begin()
    written = await learn(anna, game)
    table = anna.client.store.table
    assert table is not None
    assert table.lesson is not None
    steps = table.lesson.steps
    assert sum(f" {steps}: " in line for line in written) == steps
    assert not any(line in ("", "None") or "{" in line for line in written)
    if language == "en":
        assert not any("rematch" in line for line in await anna.type(""))
        assert "You have learnt:" in written
        pairs = pairwise(written)
        asked = [words for words, next_ in pairs if re.fullmatch(r"Type '.+', or 'ok'\.", next_)]
        assert asked
        assert not [words for words in asked if written.count(words) != asked.count(words)], "asked, yet done"
    await anna.end()


async def test_who_strays_in_a_lesson_is_told_and_takes_it_back(anna: Script) -> None:
    written = await anna.type("lesson land_cards")
    asked = re.fullmatch(r"Type '(.+)', or 'ok'\.", written[-1])
    assert asked is not None
    scene = anna.client.store.scene
    assert scene is not None
    await anna.type("moves")
    lesson = scene.table.lesson
    assert lesson is not None
    others = [str(n) for n, move in enumerate(sorted(scene.legal), 1) if move not in lesson.wanted]
    strayed = await anna.type(others[0])
    assert strayed[-1] == "'undo' takes it back."
    again = await anna.type("ok")
    assert again[-1] == written[-1]
    assert await anna.type(asked[1])


async def test_a_lesson_waits_where_it_was_left_and_begins_anew_if_wanted(anna: Script) -> None:
    await anna.type("lesson land")
    await anna.type("ok")
    await wait_for(lambda: any(line.startswith("Lesson, step 2 of ") for line in anna.lines))
    await anna.type("leave")
    assert any(line.startswith("Lesson, step 2 of ") for line in await anna.type("lesson land"))
    await anna.type("leave")
    assert any(line.startswith("Lesson, step 1 of ") for line in await anna.type("lesson land anew"))
    await anna.type("leave")
    assert (await anna.type("lesson chess"))[0].startswith("Which game? Type 'lesson' with ")


@pytest.mark.parametrize("language", languages())
async def test_the_deals_of_the_day_are_told_and_played(hub: Hub, language: str) -> None:
    anna = Script(hub, language=language)
    await anna.begin()
    told = await anna.type("day")
    assert len(told) == len(faces()) + 1
    assert not any(re.search(r"[0-9a-f]{32}", line) for line in told)
    await anna.type("day ku_ka_king")
    table = anna.client.store.table
    assert table is not None
    assert table.daily is not None
    await anna.end()


async def test_where_nothing_is_rated_there_is_no_leaderboard(anna: Script) -> None:
    assert await anna.type("leaders land") == ["Matches here are not rated."]


async def test_an_earlier_day_is_told_by_its_date_and_a_result_is_shared(anna: Script) -> None:
    assert len(await anna.type("day 2026-01-02")) == len(faces())
    assert await anna.type("share ku_ka_king") == ["You haven't finished this deal of the day."]
    await anna.type("day ku_ka_king")
    await play_on(anna, Random(1))
    after = "'score' tells where the points come from; 'leave' goes back to the lobby."
    assert after in anna.lines
    assert (await anna.type(""))[-1] == after
    await anna.type("leave")
    shared = await anna.type("share ku_ka_king")
    assert len(shared) == 4
    assert shared[0].startswith("Ku-Ka-King, deal of the day ")
