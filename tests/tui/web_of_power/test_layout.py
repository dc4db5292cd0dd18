"""Where things stand on the map, at every size that it is drawn in."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
from rich.style import Style
from syrupy.assertion import SnapshotAssertion

from kk_core.games.web_of_power.model import COUNTRY_NAMES, OVER, Observation
from kk_tui.games.web_of_power.layout import CHIP, SIZES, Layout, Place, layout_for
from kk_tui.games.web_of_power.picture import Marks, Painter
from kk_tui.games.web_of_power.territories import SEA
from kk_tui.games.web_of_power.theme import GLYPHS
from kk_tui.theme.glyphs import Glyphs
from tests.core.web_of_power.positions import DRAWING, LAND

NAMES = [str(name) for name in COUNTRY_NAMES]
SEATS = 5

every_size = pytest.mark.parametrize("size", SIZES, ids="{0[0]}x{0[1]}".format)


def layout_of(size: tuple[int, int]) -> Layout:
    return layout_for(LAND, DRAWING, *size, NAMES)


def words_of(layout: Layout) -> Iterator[tuple[Place, int]]:
    """Everything that takes cells: place and width of spaces, crests, numbers and names."""
    yield from ((place, CHIP) for place in layout.spaces)
    yield from layout.crests
    yield from ((place, len(str(number))) for number, place in enumerate(layout.numbers, 1))
    yield from ((place, len(name)) for place, name in layout.names)


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
    seats = len(view.hand_sizes)
    return Observation(
        **{
            **{name: getattr(view, name) for name in view.__struct_fields__},
            "board": bytes(len(view.board)),
            "advisors": bytes(len(LAND.spaces_of) * seats),
        }
    )


def drawn(layout: Layout, view: Observation, *, ascii_only: bool = False) -> list[str]:
    """The map as plain text."""
    painter = Painter(
        layout,
        LAND,
        DRAWING,
        Glyphs(ascii_only=ascii_only, more=[GLYPHS]),
        lambda colour, on=None, *, bold=False: Style(),
    )
    return ["".join(part.text for part in painter.line(view, Marks(), y)) for y in range(layout.height)]


@every_size
def test_every_space_crest_number_and_name_has_cells_of_its_own(size: tuple[int, int]) -> None:
    layout = layout_of(size)
    cells = [(x + by, y) for (x, y), wide in words_of(layout) for by in range(wide)]
    assert len(set(cells)) == len(cells)
    assert all(0 <= x < layout.width and 0 <= y < layout.height for x, y in cells)


@every_size
def test_beside_every_space_and_crest_there_is_room_for_the_cursor(size: tuple[int, int]) -> None:
    layout = layout_of(size)
    taken = {(x + by, y) for (x, y), wide in words_of(layout) for by in range(wide)}
    for (x, y), wide in [*((place, CHIP) for place in layout.spaces), *layout.crests]:
        for cell in ((x - 1, y), (x + wide, y)):
            assert cell not in taken
            assert 0 <= cell[0] < layout.width


@every_size
def test_every_road_is_drawn_from_space_to_space_and_beside_no_other(size: tuple[int, int]) -> None:
    layout, land = layout_of(size), LAND
    for (a, b), road in zip(land.roads, layout.roads, strict=True):
        ends = [(x + 1, y) for x, y in (layout.spaces[a], layout.spaces[b])]
        hidden = {(x + by, y) for (x, y), wide in words_of(layout) for by in range(wide)}
        reached, border = {ends[0]}, [ends[0]]
        while border:
            x, y = border.pop()
            for near in ((x + right, y + down) for right in (-1, 0, 1) for down in (-1, 0, 1)):
                if near not in reached and (near in road or near == ends[1]):
                    reached.add(near)
                    border.append(near)
        assert ends[1] in reached, (land.spaces[a], land.spaces[b])
        assert not road or set(road) - hidden or len(road) <= 2


@every_size
def test_every_space_lies_in_its_country_and_england_is_an_island(size: tuple[int, int]) -> None:
    layout, land = layout_of(size), LAND
    for space, (x, y) in enumerate(layout.spaces):
        assert layout.ground[y][x + 1] == land.country_of[space]
    england = 0
    touching = set()
    for line in (*layout.ground, *zip(*layout.ground, strict=True)):
        touching |= {there for here, there in pairwise(line) if here == england}
    assert touching == {england, SEA}


@every_size
def test_every_crest_and_every_name_stands_in_its_country(size: tuple[int, int]) -> None:
    layout = layout_of(size)
    names = [(place, len(name)) for place, name in layout.names]
    for country, words in enumerate(zip(layout.crests, names, strict=True)):
        for (x, y), wide in words:
            assert set(layout.ground[y][x : x + wide]) == {country}


@every_size
def test_a_click_on_a_thing_finds_it(size: tuple[int, int]) -> None:
    layout = layout_of(size)
    for space, (x, y) in enumerate(layout.spaces):
        assert layout.target_at(x, y) == space
        assert layout.target_at(x + 1, y) == space
    assert layout.target_at(-1, -1) is None


@pytest.mark.parametrize("size", [(84, 35), (56, 19)], ids=["large", "small"])
@pytest.mark.parametrize("ascii_only", [False, True], ids=["unicode", "ascii"])
def test_the_full_map_looks_like_this(
    size: tuple[int, int], ascii_only: bool, snapshot: SnapshotAssertion
) -> None:
    lines = drawn(layout_of(size), full_view(), ascii_only=ascii_only)
    assert all(len(line) == size[0] for line in lines)
    assert not ascii_only or "\n".join(lines).isascii()
    assert "\n".join(lines) == snapshot


def test_the_empty_map_looks_like_this(snapshot: SnapshotAssertion) -> None:
    assert "\n".join(drawn(layout_of((84, 35)), empty_view())) == snapshot


@every_size
def test_without_colour_every_owner_is_told_by_letter_and_shape(size: tuple[int, int]) -> None:
    layout, view = layout_of(size), full_view()
    lines = drawn(layout, view)
    signs = Glyphs(ascii_only=False)
    for space, (x, y) in enumerate(layout.spaces):
        assert lines[y][x : x + CHIP] == signs.owner(view.board[space] - 1)
