"""Lines tell a viewer only what they may know: they are the same in all states that look the same."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from kk_core.chance import Chance
from kk_core.types import Move, Viewer
from kk_tui.games import Face, faces
from kk_tui.games.plain import PlainFace, plain_face
from kk_tui.i18n import PlainReader, render, writing_for
from kk_tui.languages import languages, translator
from kk_tui.plain import phrases
from kk_tui.plain.moves import MoveWords, label
from kk_tui.scene import Scene
from kk_tui.server_address import ServerAddress
from tests.core.contract.tables import with_state
from tests.plain.script import freely
from tests.tui.scenes import match_of, scene_of_match

every_game = pytest.mark.parametrize("game", faces())

TYPED = ("", "1", "2", "anna", "frankreich", "king", "zzz")
"""What may be typed after a word."""

PLIES = 120
"""Steps of a match that are looked at, every few."""


def lines_at(scene: Scene[Any], face: Face[Any], plain: PlainFace[Any]) -> Iterator[str]:
    """All lines that can be asked for at a table."""
    yield from phrases.head_lines(scene.table, ServerAddress(), local=False)
    yield from phrases.look(scene, face, plain, "Anna")
    yield from phrases.score(scene, face)
    yield from phrases.contests(scene, face)
    yield from phrases.log(scene, face, 60)
    for topic in plain.topics:
        for typed in TYPED:
            yield from map(render, topic.tell(scene, typed))
    yield from map(render, plain.choices(scene))
    for move in sorted(scene.legal):
        yield label(scene, face, plain, move)
    if scene.may_act:
        yield phrases.prompt(scene, face, plain)
    if scene.is_over:
        yield from phrases.outcome(scene, face)


def read(match: Any, viewer: Viewer) -> list[str]:
    """All that a viewer can read of a match."""
    game = match.game.meta.id
    return list(lines_at(scene_of_match(match, viewer), faces()[game], plain_face(game)))


def meant(match: Any, viewer: Viewer) -> list[Move]:
    """The moves, legal or not, that a word of a viewer may mean, which looks at the words of all of them."""
    game = match.game.meta.id
    words = MoveWords(scene_of_match(match, viewer), faces()[game], plain_face(game), freely)
    return asyncio.run(words.any(("1",)))


@every_game
def test_what_a_viewer_reads_does_not_depend_on_what_they_must_not_know(game: str) -> None:
    seats, chance = faces()[game].meta.min_seats, Chance(b"read".ljust(32))
    for plies in range(0, PLIES, 11):
        match = match_of(game, seats, plies)
        for viewer in (None, *range(seats)):
            seen = match.game.observe(match.state, viewer)
            twin = with_state(match, match.game.determinise(seen, chance))
            assert read(twin, viewer) == read(match, viewer)
            assert meant(twin, viewer) == meant(match, viewer)


@every_game
@pytest.mark.parametrize("language", languages())
def test_every_line_can_be_read_at_every_step_by_everybody(game: str, language: str) -> None:
    seats = faces()[game].meta.max_seats
    with writing_for(PlainReader(translator(language), ascii_only=language == "de")):
        for plies in (*range(0, PLIES, 17), 5000):
            match = match_of(game, seats, plies)
            for viewer in (None, 0, seats - 1):
                for line in read(match, viewer):
                    assert line == line.strip()
                    assert "\n" not in line
                    assert "{" not in line
                    assert language != "de" or line.isascii()
                meant(match, viewer)  # every move has words in this language
