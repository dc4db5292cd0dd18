"""Whole matches by nothing but lines."""

from __future__ import annotations

import re
from random import Random

import pytest

from kk_server.hub.hub import Hub
from kk_tui.games import Face, faces
from kk_tui.games.plain import plain_face
from kk_tui.i18n import render
from tests.plain.script import Script
from tests.waiting import wait_for

every_game = pytest.mark.parametrize("game", faces())


def offered(lines: list[str]) -> list[str]:
    """What a list of moves offers: the numbers of its lines."""
    return [found[1] for line in lines if (found := re.match(r"(\d+)\. ", line))]


async def play_on(reader: Script, chance: Random) -> list[str]:
    """Make moves of the lists until the match is over; return what was written."""
    written = list[str]()
    while not any(line.startswith("Final score: ") for line in written):
        written += await reader.type("wait")
        written += await make_a_move(reader, chance)
    return written


async def make_a_move(reader: Script, chance: Random) -> list[str]:
    """Make a move of the list, if there is one; return what was written to it."""
    lines = await reader.type("moves")
    numbers = offered(lines)
    if not numbers:  # they are too many for a list, which is asked for with a word of theirs
        word = chance.choice([word for line in lines for word in re.findall(r"\w{3,}", line)])
        numbers = offered(await reader.type(f"moves {word}"))
    return await reader.type(chance.choice(numbers)) if numbers else []


@every_game
async def test_a_script_plays_a_whole_match_by_lines_alone(anna: Script, game: str) -> None:
    await anna.type(f"open {game}")
    await anna.type("bots random")
    written = await anna.type("start")
    assert written[0] == "The match begins."
    written += await play_on(anna, Random(1))
    assert sum(line.startswith("Your turn.") for line in written) > 2
    (result,) = [line for line in written if line.startswith("Final score: ")]
    assert re.fullmatch(r"Final score: .+ \d+, .+ \d+.*\. .+", result)


@every_game
@pytest.mark.usefixtures("quick_hints")
async def test_a_hint_names_moves_that_its_letters_make(anna: Script, game: str) -> None:
    for line in (f"open {game}", "bots random", "start", "wait"):
        await anna.type(line)
    hint = await anna.type("hint")
    assert hint[0] == "Looking for a good move; what you type meanwhile is done afterwards."
    letters = [line[0] for line in hint if re.match(r"[abc]\. .+\.", line)]
    assert letters == ["a", "b", "c"][: len(letters)]
    scene = anna.client.store.scene
    assert scene is not None
    assert await anna.type("a")
    assert anna.client.store.scene is not scene


@every_game
@pytest.mark.usefixtures("quick_hints")
async def test_asked_why_a_hinted_move_is_good_the_hint_says_it_again(anna: Script, game: str) -> None:
    for line in (f"open {game}", "bots random", "start", "wait"):
        await anna.type(line)
    (first,) = [line for line in await anna.type("hint") if line.startswith("a. ")]
    _move, *said = first.partition("Win chance: ")
    (why,) = await anna.type("why a")
    assert why.startswith("This is possible.")
    assert "".join(said)
    assert "".join(said) in why


@every_game
async def test_points_is_another_word_for_the_score(anna: Script, game: str) -> None:
    for line in (f"open {game}", "bots random", "start", "wait"):
        await anna.type(line)
    assert await anna.type("points") == await anna.type("score")


async def test_a_game_without_contests_says_so(anna: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Face, "has_contests", False)
    for line in ("open ku_ka_king", "bots random", "start", "wait"):
        await anna.type(line)
    assert await anna.type("race") == ["This game has no contests."]


async def test_whoever_waits_at_the_end_of_a_match_reads_on(anna: Script) -> None:
    for line in ("open ku_ka_king", "bots random", "start"):
        await anna.type(line)
    await play_on(anna, Random(1))
    (told,) = await anna.type("wait")
    assert told.startswith("Final score: ")
    assert await anna.type("moves") == ["The match is over."]


async def test_a_hint_where_there_is_one_move_names_it(anna: Script) -> None:
    for line in ("open web_of_power", "bots random", "start", "wait", "place cloister"):
        await anna.type(line)
    await anna.type("moves cloister")
    while len(anna.client.store.scene.legal) != 1:  # type: ignore[union-attr]
        await anna.type("moves")
        await anna.type("moves cloister")
        await anna.type("1")
    (only,) = await anna.type("hint")
    scene = anna.client.store.scene
    assert scene is not None
    (move,) = scene.legal
    assert only == f"There is one move: {render(plain_face('web_of_power').typed(scene, move)[0])}. Type ok."


async def test_the_log_tells_what_has_happened_since_one_s_last_turn(hub: Hub) -> None:
    anna = Script(hub, "anna", local=False)
    await anna.begin()
    for line in ("open land_cards 3", "bots random", "start", "wait"):
        await anna.type(line)
    for line in ("take 1 left", "end", "pass"):
        if anna.client.store.scene is not None and anna.client.store.scene.observation.active == (0,):
            await anna.type(line)
    await anna.type("wait")
    since = await anna.type("log")
    assert since
    assert not any("anna takes" in line for line in since)
    assert any("anna takes" in line for line in await anna.type("log 60"))
    await anna.end()
    again = Script(hub, "anna", local=False)
    await again.begin()
    assert set(since) <= set(again.lines)
    await again.end()


async def test_what_is_proposed_is_typed_in_the_reader_s_language(hub: Hub) -> None:
    anna, beate = Script(hub, "anna", language="de", local=False), Script(hub, "beate", local=False)
    for reader in (anna, beate):
        await reader.begin()
    await anna.type("open ku_ka_king")
    await beate.type("tables")
    await beate.type("join 1")
    await anna.type("start")
    assert (await anna.type("vorschlagen tanz"))[0].startswith("Gib dahinter ein, was du vorschl")
    await anna.type("vorschlagen abbruch")
    await wait_for(lambda: beate.lines[-1].endswith(": yes or no?"))
    for reader in (anna, beate):
        await reader.end()
