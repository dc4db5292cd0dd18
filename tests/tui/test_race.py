"""Contests beside the board: nobody is left out, however narrow the lines are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from kk_tui.games import Best, Race, faces
from kk_tui.i18n import render
from kk_tui.table.race import FIGURE, race_lines
from kk_tui.theme.glyphs import Glyphs
from tests.tui.scenes import games_with, match_of, scene_of_match

_POINTED = 7
"""Columns of a seat in a table from which it shows points."""

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
        assert all(shown) or len(points) >= len(shown) or _in_table(lines[0].plain, words, race, glyphs), (
            words
        )


def _in_table(head: str, words: str, race: Race, glyphs: Glyphs) -> bool:
    """Whether everybody's count, and points or second figure, stand under their sign, and nothing under
    others'.
    """
    ends = [head.index(glyphs.owner(seat)) + 2 for seat in range(len(race.counts))]
    width = ends[1] - ends[0]
    for end, count, points, best in zip(ends, race.counts, race.points, race.best, strict=True):
        cell = words[end - width : end]
        figures = f"{glyphs[best.sign]}{best.count}" if best else ""
        if not count:
            is_right = not cell.strip()
        elif width < _POINTED or not points:  # a 0 tells nothing
            is_right = cell.split() == [f"{count}{figures}"]
        else:
            is_right = cell.replace(" ", "") == f"{count}{figures}{points}" and cell.endswith(f" {points}")
        if not is_right or (count and not cell.startswith(" ")):
            return False
    return True


def test_a_table_of_contests_shows_who_has_most_in_bold_and_the_symbol_that_scores_on_its_badge() -> None:
    face = faces()["land_cards"]
    scene = scene_of_match(match_of("land_cards", 3, 90))
    races = face.race(scene)
    _head, *lines = race_lines(scene, races, Glyphs(ascii_only=False, more=[face.glyphs]), 41)
    for line, race in zip(lines, races, strict=True):
        styles = [str(span.style) for span in line.spans]
        most = max(race.counts)
        bold = {seat for seat in range(3) if f"bold $seat-{seat}" in styles}
        assert bold >= {seat for seat, count in enumerate(race.counts) if count == most > 0}
        best = [best.count if best else 0 for best in race.best]
        badges = sum(" on $land_cards-symbol-" in style for style in styles)
        assert badges == sum(count == max(best) > 0 for count in best)


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (20, ["FRA", "2▽3", "1▽3"]),
        (27, ["FRA", "2▽3", "11", "1▽3", "8"]),
        (33, ["FRA", "2", "▽3", "11", "1", "▽3", "8"]),
    ],
)
def test_a_table_of_contests_drops_points_before_the_number_of_a_symbol(width: int, shown: list[str]) -> None:
    glyphs, scene, race = _leading_fans()
    _head, line = race_lines(scene, [race], glyphs, width)
    assert line.plain.split() == shown


def _leading_fans() -> tuple[Glyphs, Any, Race]:
    face = faces()["land_cards"]
    scene = scene_of_match(match_of("land_cards", 3, 90))
    glyphs = Glyphs(ascii_only=False, more=[face.glyphs])
    best = Best("land_cards-symbol-F", 3, "$ink")
    race = replace(face.race(scene)[0], counts=(2, 1, 0), points=(11, 8, 0), best=(best, best, None))
    return glyphs, scene, race


@pytest.mark.parametrize("width", [20, 33, 41, 60])
def test_the_signs_over_a_table_of_contests_end_where_their_figures_end(width: int) -> None:
    glyphs, scene, race = _leading_fans()
    head, line = (each.plain for each in race_lines(scene, [race], glyphs, width))
    last = "11" if width > 20 else "3"
    assert line.index(f"{last} ") + len(last) == head.index("A●") + 2


def test_what_the_move_under_the_cursor_would_change_stands_beside_what_is_there_in_a_table_too() -> None:
    glyphs, scene, race = _leading_fans()
    preview = [list(line) for line in scene.standing]
    preview[0] = [figure + gain for figure, gain in zip(preview[0], (3, 0, 8), strict=True)]
    for width, cells in (
        (20, ["FRA", "2▽3+3", "1▽3", "▶+8"]),
        (27, ["FRA", "2▽3", "+3", "1▽3", "8", "▶+8"]),
        (33, ["FRA", "2", "▽3", "▶+3", "1", "▽3", "8", "▶+8"]),
    ):
        (_head, line) = race_lines(scene, [race], glyphs, width, tuple(map(tuple, preview)))
        assert line.plain.split() == cells
        assert line.cell_length <= width


@pytest.mark.parametrize(
    ("gains", "shown"),
    [
        # a cell that fills its columns takes one of the next
        ((0, 3, 0), "FRA   2▽3 1▽3+3 1▽3"),
        ((0, 0, 3), "FRA   2▽3 1▽3 1▽3+3"),
        # what would change for others stands alone where it has no room beside their counts
        ((3, -1, -1), "FRA  2▽3+3 ▶-1  ▶-1"),
        ((0, -10, -10), "FRA   2▽3 ▶-10 ▶-10"),
    ],
)
def test_between_the_narrow_cells_of_a_table_stays_a_blank(gains: tuple[int, ...], shown: str) -> None:
    glyphs, scene, race = _leading_fans()
    race = replace(race, counts=(2, 1, 1), best=(race.best[0],) * 3)
    preview = [list(line) for line in scene.standing]
    preview[0] = [figure + gain for figure, gain in zip(preview[0], gains, strict=True)]
    (_head, line) = race_lines(scene, [race], glyphs, 20, tuple(map(tuple, preview)))
    assert line.plain.strip() == shown


def test_where_a_table_of_the_counts_has_no_room_the_points_of_who_has_most_are_lit() -> None:
    face = faces()["land_cards"]
    glyphs, scene = (
        Glyphs(ascii_only=False, more=[face.glyphs]),
        scene_of_match(match_of("land_cards", 5, 90)),
    )
    races = face.race(scene)
    _heads, *lines = race_lines(scene, races, glyphs, 20)
    for race, line in zip(races, lines, strict=True):
        lit = {str(span.style) for span in line.spans if "bold $seat-" in str(span.style)}
        most = {seat for seat, count in enumerate(race.counts) if count == max(race.counts)}
        assert lit == {f"italic bold $seat-{seat}" for seat in most}


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
    short = [render(race.short or race.label) for race in races]
    assert names in ([render(race.label) for race in races], short, codes)
    # the short names are there so that none reaches the end of its colour
    assert (
        races[0].short is None
        or names == codes
        or all(line.plain[span.end - 1] == " " for line, span in zip(lines, first, strict=False))
    )


@pytest.mark.parametrize("counts", [(2, 7, 2, 10), (4, 9, 5, 13)])
def test_beside_a_board_at_120_columns_the_counts_of_a_bar_stand_apart(counts: tuple[int, ...]) -> None:
    scene, face = scene_of_match(match_of("ku_ka_king", 4)), faces()["ku_ka_king"]
    glyphs = Glyphs(ascii_only=False, more=[face.glyphs])
    races = [replace(race, counts=counts, points=(2, 10, 2, 18)) for race in face.race(scene)]
    _heads, line, *_others = [line.plain for line in race_lines(scene, races, glyphs, 33)]
    order = sorted(range(4), key=lambda seat: -counts[seat])
    assert " ".join(f"{counts[seat]}{glyphs[f'owner-{seat}']}" for seat in order) + " " in line


@every_game
def test_points_of_contests_look_different_once_they_are_scored(game: str) -> None:
    face = faces()[game]
    seats = face.meta.max_seats
    running, over = (scene_of_match(match_of(game, seats, plies)) for plies in (20, 5000))
    assert over.is_over
    assert not running.is_over
    glyphs = Glyphs(ascii_only=False, more=[face.glyphs])
    slanted = [
        sum(
            "italic" in str(span.style)
            for line in race_lines(scene, face.race(scene), glyphs, 42)
            for span in line.spans
        )
        for scene in (running, over)
    ]
    assert slanted[0]
    assert not slanted[1]


@pytest.mark.parametrize("width", [20, 21])
def test_few_players_see_beside_short_labels_what_everybody_has_in_a_narrow_panel(width: int) -> None:
    face = faces()["web_of_power"]
    scene = scene_of_match(match_of("web_of_power", 3, 90))
    glyphs = Glyphs(ascii_only=False, more=[face.glyphs])
    _head, *lines = race_lines(scene, face.race(scene), glyphs, width)
    assert {line.cell_length for line in lines} == {width}
    for line, race in zip(lines, face.race(scene), strict=True):
        label, _blank, rest = line.plain.partition(" ")
        assert label == str(race.code or race.label)
        bar = rest[: -(FIGURE - 1) * 3]
        signs = [glyphs[f"owner-{seat}"] for seat in range(3)]
        assert [sign in bar for sign in signs] == [*map(bool, race.counts)]
