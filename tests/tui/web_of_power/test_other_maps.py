"""Maps that a host has corrected: with a space more or less they are drawn, or it is said why not."""

from __future__ import annotations

from itertools import chain

import pytest

from kk_core import config
from kk_core.config import Source
from kk_core.errors import BadData
from kk_core.games.web_of_power.data import DRAWING_FILE as DRAWING_FILE
from kk_core.games.web_of_power.data import FILE, drawing, parse_board, printed
from kk_core.games.web_of_power.model import Drawing, Printed
from kk_tui.games.web_of_power.layout import MapLayout, layout_for
from kk_tui.scene import CannotDraw
from tests.tui.web_of_power.test_layout import CODES, NAMES, REGIONS

RULES = config.read_shipped(FILE).text
PLACES = config.read_shipped(DRAWING_FILE).text

every_region = pytest.mark.parametrize("size", REGIONS, ids="{0[0]}x{0[1]}".format)


def replaced(text: str, *changes: tuple[str, str]) -> Source:
    """A data file with some lines corrected."""
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return Source("mine.toml", text)


def land_of(*changes: tuple[str, str]) -> Printed:
    return printed("mine.toml", parse_board(replaced(RULES, *changes)))


def one_more() -> Printed:
    """Lothringen has a sixth space."""
    return land_of(
        ('"LO4", "LO5"]', '"LO4", "LO5", "LO6"]'),
        ('"LO4-LO5"]', '"LO4-LO5", "LO5-LO6"]'),
        ("spaces = 54", "spaces = 55"),
        ("roads = 68", "roads = 69"),
    )


def one_less() -> Printed:
    """England has lost the end of its road."""
    return land_of(
        ('"EN5", "EN6"]', '"EN5"]'),
        (', "EN5-EN6"]', "]"),
        ("spaces = 54", "spaces = 53"),
        ("roads = 68", "roads = 67"),
    )


def drawing_of(land: Printed, *changes: tuple[str, str], complete: bool = True) -> Drawing:
    return drawing(replaced(PLACES, *changes), land, complete=complete)


def check(layout: MapLayout, land: Printed) -> None:
    """Everything has cells of its own, on its own land."""
    boxes = (*layout.spaces, *layout.crests, *layout.numbers, *(name.box for name in layout.names))
    cells = list(chain.from_iterable(box.cells() for box in boxes))
    assert len(set(cells)) == len(cells)
    assert all(0 <= x < layout.width and 0 <= y < layout.height for x, y in cells)
    for country, box in zip(land.country_of, layout.spaces, strict=True):
        assert {layout.land.ground[y][x] for x, y in box.cells()} == {country}


@every_region
def test_a_space_more_is_drawn_where_the_host_puts_it(size: tuple[int, int]) -> None:
    land = one_more()
    small, large = "LO5 = [28, 8]", "LO5 = [72, 25]"
    drawn = drawing_of(land, (small, f"{small}\nLO6 = [22, 7]"), (large, f"{large}\nLO6 = [62, 26]"))
    layout = layout_for(land, drawn, *size, NAMES, CODES)
    assert len(layout.spaces) == 55
    check(layout, land)


def test_a_space_more_without_a_place_is_refused_to_the_host_and_told_to_guests() -> None:
    land = one_more()
    with pytest.raises(BadData, match="Space LO6 has no place"):
        drawing_of(land)
    with pytest.raises(CannotDraw, match="The position of space LO6 is missing"):
        layout_for(land, drawing_of(land, complete=False), *REGIONS[0], NAMES, CODES)


@every_region
def test_a_space_less_leaves_the_others_where_they_are(size: tuple[int, int]) -> None:
    land = one_less()
    layout = layout_for(land, drawing_of(land), *size, NAMES, CODES)
    assert len(layout.spaces) == 53
    check(layout, land)


@every_region
def test_a_picture_that_is_left_out_is_made_up_for_by_the_others(size: tuple[int, int]) -> None:
    land = land_of()
    only = Drawing(drawing_of(land).pictures[1:], ())
    check(layout_for(land, only, *size, NAMES, CODES), land)
