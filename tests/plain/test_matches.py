"""Whole matches by nothing but lines."""

from __future__ import annotations

import re
from random import Random

import pytest

from kk_tui.games import faces
from tests.plain.script import Script

every_game = pytest.mark.parametrize("game", faces())


def offered(lines: list[str]) -> list[str]:
    """What a list of moves offers: the numbers of its lines."""
    return [found[1] for line in lines if (found := re.match(r"(\d+)\. ", line))]


async def play_on(reader: Script, chance: Random) -> list[str]:
    """Make moves of the lists until the match is over; return what was written."""
    written = list[str]()
    while not any(" win" in line for line in written):
        written += await reader.type("wait")
        lines = await reader.type("moves")
        numbers = offered(lines)
        if not numbers:  # they are too many for a list, which is asked for with a word of theirs
            word = chance.choice([word for line in lines for word in re.findall(r"\w{3,}", line)])
            numbers = offered(await reader.type(f"moves {word}"))
        if numbers:
            written += await reader.type(chance.choice(numbers))
    return written


@every_game
async def test_a_script_plays_a_whole_match_by_lines_alone(anna: Script, game: str) -> None:
    await anna.type(f"open {game}")
    await anna.type("bots random")
    written = await anna.type("start")
    assert written[0] == "The match begins."
    written += await play_on(anna, Random(1))
    assert sum(line.startswith("Your turn.") for line in written) > 2
    (result,) = [line for line in written if line.startswith("Final scoring: ")]
    assert re.fullmatch(r"Final scoring: .+ \d+, .+ \d+.*\. .+", result)


@every_game
async def test_a_hint_names_moves_that_its_letters_make(anna: Script, game: str) -> None:
    for line in (f"open {game}", "bots random", "start", "wait"):
        await anna.type(line)
    hint = await anna.type("hint")
    assert hint[0] == "Looking for a good move..."
    letters = [line[0] for line in hint if re.match(r"[abc]\. .+\.", line)]
    assert letters == ["a", "b", "c"][: len(letters)]
    scene = anna.client.store.scene
    assert scene is not None
    assert await anna.type("a")
    assert anna.client.store.scene is not scene
