"""Contests beside the board: nobody is left out, however narrow the lines are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kk_tui.games import faces
from kk_tui.i18n import render
from kk_tui.table.race import FIGURE, race_lines
from kk_tui.theme.glyphs import Glyphs
from tests.tui.scenes import games_with, match_of, scene_of_match

every_game = pytest.mark.parametrize("game", games_with("race"))


@every_game
@pytest.mark.parametrize("width", [20, 26, 35, 42, 54])
def test_every_line_of_the_contests_fits_and_shows_everybody_who_has_something(game: str, width: int) -> None:
    face = faces()[game]
    scene = scene_of_match(match_of(game, face.meta.max_seats, 90))
    races = face.race(scene)
    assert any(any(race.counts) for race in races)
    glyphs = Glyphs(ascii_only=False, more=[face.glyphs])
    lines = list(race_lines(scene, races, glyphs, width))
    assert max(line.cell_length for line in lines) <= width
    assert len(lines) == 1 + len(races)
    for line, race in zip(lines[1:], races, strict=True):
        words = line.plain
        shown = [glyphs[f"owner-{seat}"] in words for seat, n in enumerate(race.counts) if n]
        points = words[-(FIGURE - 1) * len(race.counts) :].split()
        assert all(shown) or len(points) >= len(shown), words


@every_game
@pytest.mark.parametrize("width", [21, 27, 33, 54])
def test_the_names_of_contests_are_all_codes_or_none_and_their_colours_equally_wide(
    game: str, width: int
) -> None:
    face = faces()[game]
    scene = scene_of_match(match_of(game, face.meta.max_seats, 90))
    races = [race for race in face.race(scene) if race.colour is not None]
    _heads, *lines = race_lines(scene, races, Glyphs(ascii_only=False, more=[face.glyphs]), width)
    first = [
        max(lines[at].spans, key=lambda span: "country-ink" in str(span.style)) for at in range(len(races))
    ]
    assert len({(span.start, span.end) for span in first}) == 1
    names = [line.plain[span.start : span.end].strip() for line, span in zip(lines, first, strict=True)]
    codes = [None if race.code is None else render(race.code) for race in races]
    assert names == [render(race.label) for race in races] or names == codes


@pytest.mark.parametrize("counts", [(2, 7, 2, 10), (4, 9, 5, 13)])
def test_beside_a_board_at_120_columns_the_counts_of_a_bar_stand_apart(counts: tuple[int, ...]) -> None:
    scene, face = scene_of_match(match_of("ku_ka_king", 4)), faces()["ku_ka_king"]
    glyphs = Glyphs(ascii_only=False, more=[face.glyphs])
    races = [replace(race, counts=counts, points=(2, 10, 2, 18)) for race in face.race(scene)]
    _heads, line, *_others = [line.plain for line in race_lines(scene, races, glyphs, 33)]
    order = sorted(range(4), key=lambda seat: -counts[seat])
    assert " ".join(f"{counts[seat]}{glyphs[f'owner-{seat}']}" for seat in order) + " " in line
