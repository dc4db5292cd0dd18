"""Every game has a cover on the first screen, at every size and in every look."""

from __future__ import annotations

import dataclasses
from collections import Counter
from pathlib import Path

import pytest
from msgspec import structs
from rich.style import Style

from kk_core.views import SeatView, TableLine
from kk_tui.cover import Cover
from kk_tui.games import Appearance, appearances, faces
from kk_tui.games.ku_ka_king import cover as ku_ka_king
from kk_tui.games.land_cards import cover as land_cards
from kk_tui.games.web_of_power import cover as web_of_power
from kk_tui.screens.dialogs import HandoverDialog
from kk_tui.screens.game_card import CoverView, GameCard
from kk_tui.screens.menu import MenuScreen
from kk_tui.screens.new_game import NewGameScreen
from kk_tui.terminal.sgr import PIXEL
from tests.tui.conftest import Stage, at_rest, until
from tests.tui.playing import at_table
from tests.tui.scenes import NAMES, games_with, lines_of, match_of

SIZES = [(80, 24), (100, 30), (120, 40), (160, 50), (200, 60)]


@pytest.mark.parametrize("game", faces())
def test_a_game_looks_before_a_table_opens_as_its_face_says(game: str) -> None:
    known, face = appearances()[game], faces()[game]
    names = [field.name for field in dataclasses.fields(Appearance)]
    assert [getattr(known, name) for name in names] == [getattr(face, name) for name in names]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("game", games_with("cover"))
async def test_a_cover_is_drawn_with_the_colours_that_the_app_has(
    stage: Stage, game: str, size: tuple[int, int]
) -> None:
    async with stage.play(games=faces(), size=size) as (app, pilot):
        card = app.screen.query_one(f"#game-{game}", GameCard)
        await until(pilot, lambda: card.size.height > 2)
        for y in range(card.size.height):
            assert card.render_line(y).cell_length == card.size.width
        assert isinstance(card.painter, Cover)
        assert (card.painter.width, card.painter.height // 2) <= (card.size.width, card.size.height)


@pytest.mark.parametrize("height", [1, 2, 3])
@pytest.mark.parametrize(
    ("game", "words"),
    [("land_cards", "the card game"), ("web_of_power", "the board game"), ("ku_ka_king", "Ku-Ka-King")],
)
async def test_where_there_are_few_lines_for_a_game_the_end_of_its_name_stands_there(
    stage: Stage, game: str, words: str, height: int
) -> None:
    async with stage.play(games=faces()) as (app, pilot):
        card = app.screen.query_one(f"#game-{game}", GameCard)
        card.styles.height = height
        await until(pilot, lambda: card.size.height == height)
        assert words in [card.render_line(y).text.strip() for y in range(height)]


@pytest.mark.parametrize(("most", "words"), [(2, "2 players"), (3, "2 to 3 players")])
async def test_under_the_name_stands_for_how_many_a_game_is(stage: Stage, most: int, words: str) -> None:
    face = faces()["ku_ka_king"]
    changed = dataclasses.replace(face, meta=structs.replace(face.meta, max_seats=most))
    async with stage.play(games={"ku_ka_king": changed}, size=(120, 40)) as (app, pilot):
        await until(pilot, lambda: any(line.strip(" │┃") == words for line in lines_of(app)))


@pytest.mark.parametrize("height", range(6, 14))
async def test_either_all_games_with_a_cover_have_a_picture_or_none_has(stage: Stage, height: int) -> None:
    async with stage.play(games=faces(), size=(80, 24)) as (app, pilot):
        cards = [app.screen.query_one(f"#game-{game}", GameCard) for game in games_with("cover")]
        assert len(cards) > 2
        for card in cards:
            card.styles.height = height
        await until(pilot, lambda: all(card.size.height == height for card in cards))
        assert len({card.painter is None for card in cards}) == 1


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("matches", range(6))
async def test_all_games_are_pictured_however_many_matches_are_under_way(
    matches: int, size: tuple[int, int], stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = tuple(SeatView(name, None, None, online=True, colour=n) for n, name in enumerate(NAMES[:3]))
    lines = [TableLine(str(n), "", "ku_ka_king", "playing", people, 1, (7, 5, 6)) for n in range(matches)]
    monkeypatch.setattr(MenuScreen, "_going_on", lambda _screen: lines)
    async with stage.play(games=faces(), size=size) as (app, pilot):
        await at_rest(pilot)
        cards = [app.screen.query_one(f"#game-{game}", GameCard) for game in games_with("cover")]
        assert all(isinstance(card.painter, Cover) for card in cards)
        shown = lines_of(app)
        assert sum("Anna (7)" in line for line in shown) == min(matches, 3 if size[1] <= 30 else 4)
        assert sum("players" in line for line in shown) == (matches < 3 or size[1] >= 30)
        assert sum("Past matches" in line for line in shown) == 1


@pytest.mark.parametrize("height", range(28, 120, 2))
def test_signs_and_stones_stand_in_the_middle_of_their_cards(height: int) -> None:
    wide, tall = land_cards._size(70, height // 4)
    card = land_cards._Box(0, 0, wide, tall)
    assert tall < height // 4
    for country, seat in ((0, None), (4, None), (0, 0)):  # a cross, a fan, a stone
        picture = Cover(wide, tall)
        land_cards._card(picture, card, country, seat)
        signs = {"land_cards-open-ink", "ground-deep", "seat-0"}
        points = [(x, y) for x in range(wide) for y in range(tall) if picture.at(x, y) in signs]
        assert points
        turned = [(wide - 1 - x, tall - 1 - y) for x, y in points]
        assert min(x for x, _y in points) == min(x for x, _y in turned)
        assert min(y for _x, y in points) == min(y for _x, y in turned)


def figures_in(cards: tuple[str, ...], top: int, tall: int, step: int = 26) -> list[list[int]]:
    """The rows of pixels of each figure in a row of cards, of which `step` columns are seen of inner ones."""
    inner, outermost, ink = step * (len(cards) - 1), 26, "ku_ka_king-card-ink"
    picture = Cover(inner + outermost, top + tall)
    ku_ka_king._row(picture, (0, top, step, tall), outermost, cards)
    places = [range(at, at + step) for at in range(0, inner, step)] + [range(inner, inner + outermost)]
    return [[y for y in range(top + tall) if any(picture.at(x, y) == ink for x in xs)] for xs in places]


@pytest.mark.parametrize("name", ["farmer", "farmhouse", "church"])
@pytest.mark.parametrize("tall", [22, 23, 30, 31, 34, 41])
@pytest.mark.parametrize("top", [0, 3])
def test_a_figure_with_much_room_stands_in_the_middle_of_its_card_on_whole_characters(
    name: str, tall: int, top: int
) -> None:
    (figure,) = figures_in((name,), top, tall)
    above, below = figure[0] - top, top + tall - 1 - figure[-1]
    assert above + below >= 6
    assert abs(above - below) <= 3
    assert figure[0] % 2 == 0


@pytest.mark.parametrize("tall", [17, 20, 21, 25, 29])
def test_a_figure_with_little_room_stands_on_the_lower_edge_of_its_card(tall: int) -> None:
    (figure,) = figures_in(("farmer",), 3, tall)
    assert figure[-1] == 3 + tall - 1


@pytest.mark.parametrize("top", [0, 9])
@pytest.mark.parametrize("height", [42, 43, 54])
def test_rows_of_an_even_height_end_on_whole_characters_inside_their_room(top: int, height: int) -> None:
    picture = Cover(60, top + height)
    ku_ka_king._rows(picture, (0, top, 60, height), 3)
    drawn = [y for y in range(top + height) if picture.at(0, y) is not None]
    edges = [y + 1 for y in drawn if y + 1 not in drawn]
    assert len(edges) == 3
    assert all(edge % 2 == 0 and edge <= top + height for edge in edges)


@pytest.mark.parametrize("tall", [19, 22, 27, 30, 33, 40])
@pytest.mark.parametrize("step", [14, 17])
def test_figures_of_several_sizes_in_a_row_stand_on_one_line(tall: int, step: int) -> None:
    figures = figures_in(("farmer", "church", "knight"), 3, tall, step)
    assert len({len(figure) for figure in figures}) > 1
    assert len({figure[-1] for figure in figures}) == 1


@pytest.mark.parametrize("size", [(26, 36), (24, 26), (38, 31)])
def test_where_rows_of_cards_would_be_too_small_one_whole_card_has_its_largest_figure(
    size: tuple[int, int],
) -> None:
    picture = ku_ka_king.cover(*size)
    points = [[picture.at(x, y) for x in range(picture.width)] for y in range(picture.height)]
    ink = [["#" if point == "ku_ka_king-card-ink" else "." for point in row] for row in points]
    drawn = next(ku_ka_king._drawings("king"))
    rows = "\n".join("".join(row) for row in ink)
    at = [row for row in drawn if row.strip(".")]
    left = min(row.index("#") for row in at)
    for row in at:
        assert row[left:].rstrip(".") in rows, "all of it is drawn"
    assert {point for row in points for point in row} - {None} == {
        "ku_ka_king-kings", "ku_ka_king-card-ink",
    }  # fmt: skip


def test_a_narrow_picture_of_europe_shows_a_part_of_it_and_does_not_squeeze_the_whole() -> None:
    def britain(width: int, height: int, until: int) -> float:
        picture = web_of_power.cover(width, height)
        points = [
            (x, y)
            for x in range(until)
            for y in range(height // 2)
            if picture.at(x, y) == "web_of_power-kind-3"
        ]
        columns, rows = {x for x, _y in points}, {y for _x, y in points}
        return len(columns) / len(rows)

    assert britain(26, 36, 20) > britain(54, 36, 27) * 0.75, "half as wide it would be squeezed to a half"


def test_in_a_narrow_picture_of_europe_houses_do_not_hide_the_lands() -> None:
    picture = web_of_power.cover(26, 36)
    drawn = Counter(picture.at(x, y) for x in range(26) for y in range(36))
    houses = sum(n for colour, n in drawn.items() if colour and colour.startswith("seat-"))
    lands = sum(n for colour, n in drawn.items() if colour and colour.startswith("web_of_power-kind-"))
    assert 0 < houses * 8 < lands


async def test_in_ascii_a_cover_has_nothing_else(stage: Stage) -> None:
    async with stage.play(games=faces(), ascii_only=True) as (app, pilot):
        await until(pilot, lambda: app.screen.query(GameCard))
        words = "".join(line for line in lines_of(app)).replace("ö", "").replace("Ö", "")
        assert words.isascii()


def test_what_lies_under_another_card_is_a_ground_since_its_ink_may_be_black_among_sixteen_colours() -> None:
    cover = Cover(4, 2)
    cover.block(0, 0, 2, 2, "kings-under")
    cover.dot(1, 1, "card-ink")
    cover.block(2, 0, 1, 2, "kings")

    def ink(colour: str | None, on: str | None = None, *, bold: bool = False) -> Style:
        return Style(meta={"ink": colour, "on": on, "bold": bold})

    cover.dot(3, 1, "kings-under")
    under, half, above, edge = cover.segments(0, ink, is_ascii=False, has_colours=True)
    assert (under.text, under.style and under.style.meta["on"]) == (" ", "kings-under")
    assert (half.text, half.style and half.style.meta["on"]) == ("▄", "kings-under")
    assert (edge.text, edge.style and edge.style.meta["on"]) == ("▀", "kings-under")
    assert (above.text, above.style and above.style.meta["ink"]) == ("█", "kings")


def test_a_polygon_fills_what_it_encloses() -> None:
    cover = Cover(10, 10)
    cover.polygon(((0.2, 0.2), (0.8, 0.2), (0.8, 0.8), (0.2, 0.8)), "ink")
    filled = {(x, y) for x in range(10) for y in range(10) if cover.at(x, y) == "ink"}
    assert filled == {(x, y) for x in range(2, 8) for y in range(2, 8)}


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_new_game_has_its_picture_beside_the_form_until_its_options_need_the_room(
    stage: Stage, size: tuple[int, int]
) -> None:
    async with stage.play(games=faces(), size=size) as (app, pilot):
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewGameScreen) and app.screen.query("#kind-1"))
        await at_rest(pilot)
        await until(pilot, lambda: any("█" in line or "▀" in line for line in lines_of(app)))
        app.screen.query_one("#rules").focus()
        await pilot.press("right")
        is_broad = size[0] > 80
        await until(pilot, lambda: any("█" in line or "▀" in line for line in lines_of(app)) == is_broad)


def _no_ink(colour: str | None, on: str | None = None, *, bold: bool = False) -> Style:
    return Style()


@pytest.mark.parametrize("has_colours", [True, False])
def test_in_letters_what_is_drawn_in_the_colour_of_a_ground_is_left_free(has_colours: bool) -> None:
    """Of sixteen colours it is the page's, so that a letter would be seen without colours alone."""
    picture = Cover(3, 2)
    picture.block(0, 0, 3, 2, "seat-1")
    picture.block(1, 0, 1, 2, "web_of_power-number-ground")
    drawn = picture.segments(0, _no_ink, is_ascii=True, has_colours=has_colours)
    words = "".join(segment.text for segment in drawn)
    assert words[1] == " "
    assert words[0] == words[2] != " "


@pytest.mark.parametrize("other", ["ink", "seat-0", "land_cards-card-ink", "land_cards-3-rest"])
def test_in_a_cell_with_something_else_a_card_is_the_ink_since_as_a_ground_it_may_be_white(
    other: str,
) -> None:
    """Among sixteen colours, where a pattern tells white cards apart."""
    cells = []

    def ink(colour: str | None, on: str | None = None, *, bold: bool = False) -> Style:
        cells.append((colour, on))
        return Style()

    picture = Cover(2, 2)
    for x, colours in enumerate((("land_cards-3", other), (other, "land_cards-3"))):
        for y, colour in enumerate(colours):
            picture.dot(x, y, colour)
    drawn = picture.segments(0, ink, is_ascii=False, has_colours=True)
    assert cells == [("land_cards-3", other)] * 2
    assert [segment.text for segment in drawn] == ["▀", "▄"]


def test_in_a_cell_of_two_lands_both_are_pixels_and_beside_other_things_the_other_is_a_ground() -> None:
    picture = Cover(3, 2)
    for x, below in enumerate(("web_of_power-kind-4", "web_of_power-number-ground", "ground")):
        picture.dot(x, 0, "web_of_power-kind-0")
        picture.dot(x, 1, below)
    drawn = picture.segments(0, _no_ink, is_ascii=False, has_colours=True)
    assert [PIXEL in (segment.style or Style()).meta for segment in drawn] == [True, False, False]


@pytest.mark.parametrize(
    ("size", "is_pictured"),
    [
        ((80, 24), False),
        ((100, 30), False),
        ((120, 24), False),
        ((120, 29), False),
        ((120, 30), True),
        ((120, 40), True),
        ((200, 24), False),
        ((200, 60), True),
    ],
)
async def test_while_the_screen_is_handed_over_the_game_is_pictured_where_that_has_room(
    tmp_path: Path, size: tuple[int, int], is_pictured: bool
) -> None:
    match = match_of("ku_ka_king", 2)
    async with at_table(match, tmp_path, games=faces(), size=size) as (app, pilot):
        app.push_screen(HandoverDialog(1, "Beate"))
        await until(pilot, lambda: any("I am Beate" in line for line in lines_of(app)))
        view = app.screen.query_one(CoverView)
        assert view.display is is_pictured
        assert not is_pictured or view.painter is not None
        dialog = app.screen.query_one("#dialog")
        assert app.screen.find_widget(dialog).visible_region == dialog.region, "with all of its frame"
        button = app.screen.query_one("#ready")
        assert app.screen.find_widget(button).visible_region == button.region
        assert button.region.height == 1


async def test_for_a_game_without_a_picture_the_screen_is_handed_over_without_a_gap(tmp_path: Path) -> None:
    games = {"ku_ka_king": dataclasses.replace(faces()["ku_ka_king"], cover=None)}
    async with at_table(match_of("ku_ka_king", 2), tmp_path, games=games, size=(120, 40)) as (app, pilot):
        app.push_screen(HandoverDialog(1, "Beate"))
        await until(pilot, lambda: any("I am Beate" in line for line in lines_of(app)))
        assert not app.screen.query_one(CoverView).display
