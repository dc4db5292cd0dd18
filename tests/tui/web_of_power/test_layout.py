"""Where things stand on the map, at every size that it is drawn in."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from itertools import chain, product

import pytest
from msgspec.structs import replace
from rich.style import Style
from syrupy.assertion import SnapshotAssertion

from kk_core.games.web_of_power.model import COUNTRIES, COUNTRY_NAMES, OVER, Drawing, Observation
from kk_tui.games.web_of_power.choices import CREST
from kk_tui.games.web_of_power.heraldry import BLOCKS, ornament
from kk_tui.games.web_of_power.land import (
    FOREIGN,
    INK,
    SEA,
    Box,
    MapScale,
    draw_land,
    points_of,
    rows_of,
    scale_for,
)
from kk_tui.games.web_of_power.layout import LEAST, MOST, MapLayout, join, layout_for, picture_for
from kk_tui.games.web_of_power.picture import (
    Cell,
    Marks,
    Painter,
    SpaceLook,
    around,
    crest,
    house,
    still_lines,
)
from kk_tui.games.web_of_power.theme import COUNTRY_CODES, GLYPHS
from kk_tui.scene import CannotDraw
from kk_tui.theme.glyphs import Glyphs
from tests.core.web_of_power.positions import DRAWING, LAND

NAMES = [str(name) for name in COUNTRY_NAMES]
CODES = [str(code) for code in COUNTRY_CODES]
SEATS = 5

REGIONS = ((56, 19), (70, 25), (84, 35), (116, 45), (144, 55))
"""What is left for the map at 80x24, 100x30, 120x40, 160x50 and 200x60."""

BETWEEN = ((57, 19), (62, 21), (76, 30), (80, 33), (79, 45), (96, 40), (108, 42), (130, 44), MOST)

every_size = pytest.mark.parametrize("size", [*REGIONS, *BETWEEN], ids="{0[0]}x{0[1]}".format)
every_region = pytest.mark.parametrize("size", REGIONS, ids="{0[0]}x{0[1]}".format)


def layout_of(size: tuple[int, int], drawing: Drawing = DRAWING) -> MapLayout:
    return layout_for(LAND, drawing, *size, NAMES, CODES)


def things_of(layout: MapLayout) -> list[Box]:
    """Everything that takes cells: spaces, crests, numbers and names."""
    return [*layout.spaces, *layout.crests, *layout.numbers, *(name.box for name in layout.names)]


def full_view() -> Observation:
    """Every space has an owner, every crest all the advisors that it can hold."""
    land = LAND
    board = bytearray(len(land.spaces))
    advisors = bytearray(len(land.spaces_of) * SEATS)
    for country, spaces in enumerate(land.spaces_of):
        for space in spaces:
            board[space] = 1 + country % SEATS
        advisors[country * SEATS + (country + 1) % SEATS] = len(spaces)
    return Observation(
        printed=LAND, viewer=None, active=(), legal_moves=(), sheet=(), outcome=None,
        board=bytes(board), advisors=bytes(advisors),
        cloisters_left=bytes(SEATS), advisors_left=bytes(SEATS), hand=b"", hand_sizes=bytes(SEATS),
        shown=(b"",) * SEATS, old=None, pile=0, face_up=b"", discards=b"", turn=0, phase=OVER, begun=0,
        begun_empty=False, placed=0, pile_runs=2, interim_scored=True, end_of_round=False, chains=(),
    )  # fmt: skip


def empty_view() -> Observation:
    view = full_view()
    return replace(view, board=bytes(len(view.board)), advisors=bytes(len(view.advisors)))


def drawn(
    layout: MapLayout,
    view: Observation,
    marks: Marks | None = None,
    *,
    ascii_only: bool = False,
    has_colours: bool = True,
) -> list[str]:
    """The map as plain text."""
    painter = Painter(
        layout,
        LAND,
        DRAWING,
        Glyphs(ascii_only=ascii_only, more=[GLYPHS]),
        lambda colour, on=None, *, bold=False: Style(),
        has_colours=has_colours,
    )
    shown = marks or Marks()
    return ["".join(part.text for part in painter.line(view, shown, y)) for y in range(layout.height)]


@every_size
def test_the_map_fills_all_the_room_there_is(size: tuple[int, int]) -> None:
    layout = layout_of(size)
    assert (layout.width, layout.height) == size
    assert all(len(line) == size[0] for line in drawn(layout, full_view()))


@pytest.mark.parametrize(
    ("size", "drawn_at"), [((30, 10), LEAST), ((300, 100), MOST), ((56, 100), (56, MOST[1]))]
)
def test_too_little_room_shows_a_part_and_too_much_leaves_a_margin(
    size: tuple[int, int], drawn_at: tuple[int, int]
) -> None:
    layout = layout_of(size)
    assert (layout.width, layout.height) == drawn_at


@every_size
def test_every_space_crest_number_and_name_has_cells_of_its_own(size: tuple[int, int]) -> None:
    layout = layout_of(size)
    cells = list(chain.from_iterable(thing.cells() for thing in things_of(layout)))
    assert len(set(cells)) == len(cells)
    assert all(0 <= x < layout.width and 0 <= y < layout.height for x, y in cells)


@every_size
def test_beside_every_space_and_crest_there_is_room_for_the_cursor(size: tuple[int, int]) -> None:
    layout = layout_of(size)
    taken = set(chain.from_iterable(thing.cells() for thing in things_of(layout)))
    for box in (*layout.spaces, *layout.crests):
        beside = set(box.grown(1).cells()) - set(box.cells())
        assert not beside & taken
        assert all(0 <= x < layout.width for x, _ in beside)


@every_size
def test_every_road_leads_from_house_to_house_without_a_gap(size: tuple[int, int]) -> None:
    layout, land = layout_of(size), LAND
    for (a, b), road in zip(land.roads, layout.roads, strict=True):
        ends = set(layout.spaces[b].cells())
        reached = set(layout.spaces[a].cells())
        border = list(reached)
        while border:
            x, y = border.pop()
            for near in ((x + right, y + down) for right in (-1, 0, 1) for down in (-1, 0, 1)):
                if near not in reached and (near in road or near in ends):
                    reached.add(near)
                    border.append(near)
        assert ends <= reached, (land.spaces[a], land.spaces[b])


@every_size
def test_most_of_every_road_can_be_seen(size: tuple[int, int]) -> None:
    layout = layout_of(size)
    hidden = set(chain.from_iterable(thing.cells() for thing in things_of(layout)))
    for road in layout.roads:
        assert len(hidden & road.keys()) <= max(2, len(road) * 0.7)


@every_size
def test_no_road_is_hidden_whole(size: tuple[int, int]) -> None:
    layout, land = layout_of(size), LAND
    hidden = set(chain.from_iterable(thing.cells() for thing in things_of(layout)))
    lost = [
        tuple(land.spaces[end] for end in ends)
        for ends, road in zip(land.roads, layout.roads, strict=True)
        if road and hidden >= road.keys()
    ]
    # beside the shield of Bayern there is nothing but the place of its first advisor
    assert lost in ([], [("FK7", "BA1")])


@every_size
def test_no_strip_of_a_country_is_left_beyond_the_line_of_its_border(size: tuple[int, int]) -> None:
    picture = picture_for(DRAWING, *size)
    points, land = points_of(rows_of(picture), *size), draw_land(picture, *size, inked=True)
    lines = {cell: edge for cell, edge in land.edges.items() if edge.ink == INK}
    assert lines
    for (x, y), edge in lines.items():
        bare = [(bit // 2, bit % 2) for bit in range(4) if not edge.pattern >> bit & 1]
        assert {points[2 * y + down][2 * x + right] for down, right in bare} <= {edge.ground}


@every_size
def test_where_two_roads_share_a_cell_the_sides_of_both_are_drawn(size: tuple[int, int]) -> None:
    layout = layout_of(size)
    signs = dict[tuple[int, int], set[str]]()
    for road in layout.roads:
        for cell, sign in road.items():
            signs.setdefault(cell, set()).add(sign)
    lines = drawn(layout, empty_view())
    covered = {cell for thing in things_of(layout) for cell in thing.cells()}
    for (x, y), both in signs.items():
        joined = reduce(join, sorted(both))
        assert (x, y) in covered or lines[y][x] == Glyphs(ascii_only=False, more=[GLYPHS])[joined]


def test_roads_that_meet_are_joined() -> None:
    assert join("h", "web_of_power-sw") == "web_of_power-swe"
    assert join("v", "h") == "web_of_power-nswe"
    assert join("v", "v") == "v"
    assert join("web_of_power-falling", "h") == "h"


@every_size
def test_without_colours_coasts_and_borders_are_no_blocks(size: tuple[int, int]) -> None:
    layout = layout_of(size)
    lines = drawn(layout, empty_view(), has_colours=False)
    things = {cell for box in (*layout.spaces, *layout.crests) for cell in box.cells()}
    adorned = {
        (left + right, top + down)
        for name, (left, top) in layout.ornaments
        for down, line in enumerate(ornament(name, layout.scale))
        for right in range(len(line))
    }
    seen = {(x, y) for y, line in enumerate(lines) for x, sign in enumerate(line) if sign in BLOCKS.strip()}
    assert seen <= things | adorned


@every_size
def test_in_ascii_coasts_and_borders_are_not_written_in_the_ink_of_roads(size: tuple[int, int]) -> None:
    layout = layout_of(size)
    lines = still_lines(layout, LAND, DRAWING, Glyphs(ascii_only=True, more=[GLYPHS]))
    roads = {cell for road in layout.roads for cell in road}
    assert {lines[y][x].colour for x, y in layout.land.edges.keys() - roads} == {"web_of_power-tie"}
    assert {lines[y][x].colour for x, y in roads} == {"web_of_power-road", "web_of_power-sea-road"}


@every_size
def test_under_every_space_crest_and_name_lies_the_land_of_its_country(size: tuple[int, int]) -> None:
    layout, land = layout_of(size), LAND
    boxes = list(zip(land.country_of, layout.spaces, strict=True))
    boxes += list(enumerate(layout.crests))
    boxes += [(country, name.box) for country, name in enumerate(layout.names)]
    for country, box in boxes:
        assert {layout.land.ground[y][x] for x, y in box.cells()} == {country}


@every_size
def test_england_is_an_island(size: tuple[int, int]) -> None:
    ground = layout_of(size).land.ground
    england = 0
    cells = {(x, y) for y, line in enumerate(ground) for x, here in enumerate(line) if here == england}
    near = {(x + right, y + down) for x, y in cells for right, down in ((1, 0), (0, 1), (-1, 0), (0, -1))}
    inside = [(x, y) for x, y in near if 0 <= y < len(ground) and 0 <= x < len(ground[0])]
    assert {ground[y][x] for x, y in inside} == {england, SEA}


@every_size
def test_a_click_on_a_cell_finds_what_is_drawn_there(size: tuple[int, int]) -> None:
    layout = layout_of(size)
    for target, box in layout.boxes.items():
        assert {layout.target_at(x, y) for x, y in box.cells()} == {target}
    assert layout.target_at(-1, -1) is None


@every_size
def test_the_cursor_gets_to_every_space_and_crest_by_different_points(size: tuple[int, int]) -> None:
    layout = layout_of(size)
    assert len(set(layout.points.values())) == len(LAND.spaces) + len(LAND.spaces_of)


@every_size
def test_arrows_that_point_to_a_marked_place_get_there_from_everywhere(size: tuple[int, int]) -> None:
    layout = layout_of(size)
    for goal, start in product(layout.points, layout.points):
        at, steps = start, 0
        while at != goal:
            (x, y), (to_x, to_y) = layout.points[at], layout.points[goal]
            right, down = to_x - x, to_y - y
            is_level = abs(right) > 2 * abs(down)
            way = (right > 0) - (right < 0), (down > 0) - (down < 0)
            at = layout.step(at, way[0] if is_level else 0, 0 if is_level else way[1], frozenset((goal,)))
            steps += 1
            assert steps < len(layout.points), (start, goal)


@every_size
def test_without_colour_every_owner_is_told_by_letter_and_shape(size: tuple[int, int]) -> None:
    layout, view = layout_of(size), full_view()
    lines = drawn(layout, view)
    signs = Glyphs(ascii_only=False)
    for space, box in enumerate(layout.spaces):
        assert signs.owner(view.board[space] - 1) in lines[box.y + box.height - 1][box.x : box.x + box.width]
    for country, box in enumerate(layout.crests):
        letters = "".join(lines[y][box.x : box.x + box.width] for y in range(box.y, box.y + box.height))
        assert letters.count("ABCDE"[(country + 1) % SEATS]) == len(LAND.spaces_of[country])


@pytest.mark.parametrize("size", REGIONS[2:], ids="{0[0]}x{0[1]}".format)
def test_a_frame_around_a_piece_has_whole_sides_or_none(size: tuple[int, int]) -> None:
    layout = layout_of(size)
    taken = {cell for thing in things_of(layout) for cell in thing.cells()}
    frames = 0
    for target, room in layout.boxes.items():
        lines = drawn(layout, empty_view(), Marks(recent=frozenset({target})))
        # beside the shield of a crest there is nothing yet
        box = room if target < CREST else room._replace(width=layout.scale.shield[0])
        for y in (y for y in (box.y - 1, box.y + box.height) if 0 <= y < layout.height):
            side = lines[y][box.x : box.x + box.width]
            is_free = not any((x, y) in taken for x in range(box.x, box.x + box.width))
            is_framed = set(side) in ({"▄"}, {"▀"})
            assert is_framed == is_free
            frames += is_framed
    assert frames


@every_region
def test_a_road_that_goes_up_or_down_stands_beside_one_name_at_most(size: tuple[int, int]) -> None:
    layout = layout_of(size)
    strokes = {cell: sign for road in layout.roads for cell, sign in road.items()}
    ends = ((x, name.y) for name in layout.names for x in (name.x - 1, name.x + len(name.words)))
    assert [strokes.get(end, "h") for end in ends if strokes.get(end, "h") == "v"] in ([], ["v"])


@every_size
def test_no_name_stands_far_from_its_country(size: tuple[int, int]) -> None:
    layout = layout_of(size)
    for country, name in enumerate(layout.names):
        own = [box for space, box in enumerate(layout.spaces) if LAND.country_of[space] == country]
        away = [abs(box.middle[0] - name.box.middle[0]) + abs(box.y - name.y) for box in own]
        assert min(away) <= size[0] / 8
        assert name.words.replace(" ", "") in (NAMES[country].upper(), CODES[country])


@every_size
def test_in_ascii_nothing_else_is_drawn(size: tuple[int, int]) -> None:
    layout = layout_of(size)
    marks = Marks(cursor=1, hovered=2, open=frozenset(range(20)), recent=frozenset({3, CREST}))
    for view in (full_view(), empty_view()):
        assert "\n".join(drawn(layout, view, marks, ascii_only=True)).isascii()


@every_region
@pytest.mark.parametrize("ascii_only", [False, True], ids=["unicode", "ascii"])
def test_the_full_map_looks_like_this(
    size: tuple[int, int], ascii_only: bool, snapshot: SnapshotAssertion
) -> None:
    assert "\n".join(drawn(layout_of(size), full_view(), ascii_only=ascii_only)) == snapshot


def test_the_empty_map_looks_like_this(snapshot: SnapshotAssertion) -> None:
    assert "\n".join(drawn(layout_of((84, 35)), empty_view())) == snapshot


HELD = (1,)
ALLIED = tuple(HELD if number % 2 else () for number in range(len(LAND.alliances)))
"""Every other alliance is held by the second seat."""


@every_region
def test_the_line_of_an_alliance_shows_that_somebody_holds_it(size: tuple[int, int]) -> None:
    layout, own = layout_of(size), GLYPHS["web_of_power-own-tie"][0]
    lines = drawn(layout, empty_view(), Marks(holders=ALLIED))
    held = {cell for holders, tie in zip(ALLIED, layout.ties, strict=True) if holders for cell in tie}
    every = {cell for tie in layout.ties for cell in tie}
    assert {(x, y) for x, y in every if lines[y][x] == own} == held
    assert held < every


@pytest.mark.parametrize("holders", [(1,), (0, 2)])
def test_beside_the_number_of_an_alliance_stand_the_letters_of_one_or_two_who_hold_it(
    holders: tuple[int, ...],
) -> None:
    layout = layout_of((84, 35))
    box = layout.numbers[4]
    allied = tuple(holders if number == 4 else () for number in range(len(LAND.alliances)))
    written = drawn(layout, empty_view(), Marks(holders=allied))[box.y][box.x : box.x + box.width]
    assert [sign for sign in written if sign.isalpha()] == sorted("ABC"[seat] for seat in holders)[::-1]
    assert "5" in written


def test_where_more_than_two_hold_an_alliance_it_is_drawn_as_nobodys() -> None:
    layout = layout_of((84, 35))
    allied = ((0, 1, 2),) * len(LAND.alliances)
    assert drawn(layout, empty_view(), Marks(holders=allied)) == drawn(layout, empty_view())


@pytest.mark.parametrize("size", [(84, 35), (116, 45), (144, 55)], ids="{0[0]}x{0[1]}".format)
def test_few_advisors_of_a_country_have_heads_and_many_only_their_letters(size: tuple[int, int]) -> None:
    layout, view = layout_of(size), full_view()
    box = layout.crests[0]

    def heads(count: int) -> int:
        advisors = bytearray(len(view.advisors))
        advisors[1] = count
        lines = drawn(layout, replace(view, advisors=bytes(advisors)))
        beside = range(box.x + scale_for(*size).shield[0], box.x + box.width)
        return sum(lines[y][x] == "▖" for y in range(box.y, box.y + box.height) for x in beside)

    assert [heads(count) for count in (1, 2, len(LAND.spaces_of[0]))] == [1, 2, 0]


def test_every_region_has_a_scale_of_its_own() -> None:
    assert [scale_for(*size) for size in REGIONS] == [
        MapScale.SMALL, MapScale.SMALL, MapScale.MEDIUM, MapScale.LARGE, MapScale.HUGE,
    ]  # fmt: skip


def bad_drawings() -> Iterator[Drawing]:
    """Drawings that a host may send by mistake."""
    picture = DRAWING.pictures[0]
    yield replace(DRAWING, pictures=())
    yield replace(DRAWING, pictures=(replace(picture, land=picture.land[1:]),))
    yield replace(DRAWING, pictures=(replace(picture, land=("56?", *picture.land[1:])),))
    yield replace(DRAWING, pictures=(replace(picture, land=("55.", *picture.land[1:])),))
    yield replace(DRAWING, pictures=(replace(picture, width=0, height=0, land=()),))
    yield replace(DRAWING, pictures=(replace(picture, points=picture.points[1:]),))
    yield replace(DRAWING, pictures=(replace(picture, points=(None, *picture.points[1:])),))


@pytest.mark.parametrize("drawing", list(bad_drawings()))
def test_a_drawing_that_makes_no_sense_is_refused_with_a_sentence(drawing: Drawing) -> None:
    with pytest.raises(CannotDraw) as caught:
        layout_of(LEAST, drawing)
    assert str(caught.value).endswith(".")


def test_land_that_no_country_owns_is_drawn_as_such() -> None:
    assert any(FOREIGN in line for line in layout_of((144, 55)).land.ground)


def test_on_the_smallest_map_the_dots_of_a_new_advisor_stand_close_to_it() -> None:
    layout, glyphs = layout_of(REGIONS[0]), Glyphs(ascii_only=False, more=[GLYPHS])
    country = COUNTRIES.index("Burgund")
    box, spaces = layout.crests[country], LAND.spaces_of[country]
    for sent in (1, len(spaces)):
        # as many cloisters as advisors, so that no dots for more stand behind them
        built = set(spaces[:sent])
        board = bytes(space in built for space in range(len(LAND.spaces)))
        advisors = bytearray(len(COUNTRIES) * SEATS)
        advisors[country * SEATS] = sent
        view = replace(empty_view(), board=board, advisors=bytes(advisors))
        line = drawn(layout, view, Marks(recent=frozenset({CREST + country})))[box.y]
        assert line[box.x - 1] == glyphs["happened"]
        assert line[box.x + layout.scale.shield[0] + sent * layout.scale.advisor] == glyphs["happened"]


# -- marks of a hint ---------------------------------------------------------------------------------------


def hinted(target: int, *, is_recent: bool = False, builder: int | None = None) -> SpaceLook:
    return SpaceLook(
        target=target, owner=None, advisors=(), room=0, is_open=True, has_cursor=False, is_hovered=False,
        is_laid=False, is_recent=is_recent, is_shown=False, viewer=0, hint="a", builder=builder,
    )  # fmt: skip


def marked(look: SpaceLook, scale: MapScale, *, ascii_only: bool = False) -> dict[tuple[int, int], Cell]:
    """The cells of a hinted space or crest, and around it, from its upper left one."""
    glyphs = Glyphs(ascii_only=ascii_only, more=[GLYPHS])
    size, draw = (scale.house, house) if look.target < CREST else (scale.shield, crest)
    box = Box(0, 0, *size)
    return {**dict(around(look, scale, box, glyphs)), **dict(draw(look, scale, box, glyphs))}


@pytest.mark.parametrize("target", [0, CREST])
@pytest.mark.parametrize("scale", MapScale)
def test_letter_and_piece_of_a_hint_stand_in_the_middle_of_its_block(scale: MapScale, target: int) -> None:
    height = (scale.house if target < CREST else scale.shield)[1]
    cells = marked(hinted(target), scale)
    lines = [y for (x, y), cell in cells.items() if x >= 0 and cell.sign in ("a", "⌂", "♙")]
    assert sum(lines) / len(lines) == (height - 1) / 2
    columns = {cell.sign: x for (x, _y), cell in cells.items()}
    assert height % 2 or columns["a"] == columns["⌂" if target < CREST else "♙"]


@pytest.mark.parametrize("target", [0, CREST])
@pytest.mark.parametrize("scale", MapScale)
def test_where_something_has_just_been_placed_a_hint_has_its_block_all_the_same(
    scale: MapScale, target: int
) -> None:
    cells = marked(hinted(target), scale)
    assert marked(hinted(target, is_recent=True), scale) == cells
    assert marked(hinted(target, builder=1), scale) == cells


@pytest.mark.parametrize("scale", MapScale)
def test_in_ascii_no_side_of_a_hints_block_looks_like_a_road(scale: MapScale) -> None:
    cells = marked(hinted(0), scale, ascii_only=True)
    width, height = scale.house
    roads = {plain for name, (_drawn, plain) in GLYPHS.items() if "own" in name} | {"|", "-"}
    assert not roads & {cells[x, y].sign for x in (-1, width) for y in range(height)}
