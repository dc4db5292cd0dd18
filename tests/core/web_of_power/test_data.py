"""The data file is what the printed rules and the research say, and every slip in it is named."""

from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kk_core import config
from kk_core.config import Source
from kk_core.errors import BadData
from kk_core.games.web_of_power.data import DRAWING_FILE as DRAWING_FILE
from kk_core.games.web_of_power.data import FILE, drawing
from kk_core.games.web_of_power.game import create, restore
from kk_core.games.web_of_power.model import CARDS, COUNTRIES, MapPicture
from tests.core.web_of_power.positions import DRAWING, GAME, LAND

SOURCE = config.read(FILE).text


def sides(a: tuple[int, int], b: tuple[int, int], c: tuple[int, int]) -> int:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


@pytest.mark.parametrize("picture", DRAWING.pictures)
def test_no_two_roads_cross(picture: MapPicture) -> None:
    places = [point for point in picture.points if point is not None]
    pairs = [(*one, *other) for one, other in combinations(LAND.roads, 2) if not set(one) & set(other)]
    assert len(pairs) > 1000
    for spaces in pairs:
        p, q, r, s = (places[space] for space in spaces)
        crossing = sides(p, q, r) * sides(p, q, s) < 0 and sides(r, s, p) * sides(r, s, q) < 0
        assert not crossing, [LAND.spaces[space] for space in spaces]


def test_what_is_drawn_is_small_enough_to_be_sent_to_everybody() -> None:
    assert len(msgspec.msgpack.encode(DRAWING)) < 4000


def test_every_space_has_one_to_four_roads() -> None:
    assert {len(near) for near in LAND.neighbours} == {1, 2, 3, 4}


def test_roads_lead_both_ways() -> None:
    for space, near in enumerate(LAND.neighbours):
        assert all(space in LAND.neighbours[other] for other in near)


def test_the_countries_have_the_spaces_of_the_rules() -> None:
    sizes = {name: len(own) for name, own in zip(COUNTRIES, LAND.spaces_of, strict=True)}
    assert sizes == {
        "England": 6, "Franken": 7, "Bayern": 6, "Italien": 6, "Aragon": 6, "Frankreich": 8, "Lothringen": 5,
        "Schwaben": 4, "Burgund": 6,
    }  # fmt: skip
    assert (len(LAND.spaces), len(LAND.roads), len(LAND.alliances)) == (54, 68, 15)


def test_schwaben_is_allied_with_franken_burgund_and_bayern_only() -> None:
    schwaben = COUNTRIES.index("Schwaben")
    allies = {COUNTRIES[a + b - schwaben] for a, b in LAND.alliances if schwaben in (a, b)}
    assert allies == {"Franken", "Burgund", "Bayern"}


def test_allied_countries_need_no_common_road() -> None:
    joined = {(LAND.country_of[a], LAND.country_of[b]) for a, b in LAND.roads}
    joined |= {(b, a) for a, b in joined}
    aragon, italien = COUNTRIES.index("Aragon"), COUNTRIES.index("Italien")
    assert (italien, aragon) in LAND.alliances
    assert (italien, aragon) not in joined


def test_with_four_players_one_card_of_each_kind_is_taken_out_with_three_two() -> None:
    assert LAND.deck == (13, 12, 11, 10, 9)
    assert [sum(LAND.deck_for(seats)) for seats in (3, 4, 5)] == [45, 50, 55]
    assert LAND.deck_for(3) == (11, 10, 9, 8, 7)
    assert len(CARDS) == 5


@pytest.mark.parametrize(
    ("old", "new", "where", "why"),
    [
        ("spaces = 54", "spaces = 55", "totals.spaces", "The file has 54, not 55."),
        ("roads = 68", "roads = 67", "totals.roads", "The file has 68, not 67."),
        ("cards = 55", "cards = 56", "totals.cards", "The file has 55, not 56."),
        ('"EN1-EN2"', '"EN1-EN9"', "countries.England.roads[0]", "Unknown name 'EN9'."),
        ('"EN1-EN2"', '"EN1-FR2"', "countries.England.roads[0]", "Both ends must be in England."),
        ('"EN1-EN2"', '"EN1-EN1"', "countries.England.roads[0]", "'EN1-EN1' is not of the form A-B."),
        ('"EN1-EN2"', '"EN3-EN1"', "roads", "Duplicate road EN1-EN3."),
        ('"FR1-LO2"', '"LO1-LO5"', "border_roads[1]", "The ends must be in different countries."),
        ('"AR1-AR2", ', '"AR4-AR3", ', "roads", "Duplicate road AR3-AR4."),
        ('"AR1-AR2", ', '"AR2-AR4", ', "roads", "No roads lead from EN1 to AR1."),
        ('"FR2", "FR3",', '"EN2", "FR3",', "countries.Frankreich.spaces[1]", "Duplicate space EN2."),
        ('"EN2", "EN3",', '"en2", "EN3",', "countries.England.spaces[1]", "capital letters"),
        ('"England-Frankreich",', "", "alliances", "The file has 14, not 15."),
        ('"England-Frankreich"', '"Bayern-Italien"', "alliances[14]", "Duplicate alliance."),
        ('"England-Frankreich"', '"England-France"', "alliances[0]", "Unknown name 'France'."),
        ('    "England", "Fran', '    "Fran', "scoring_order", "'England' must appear exactly once."),
        ("[countries.Aragon", "[countries.Spanien", "countries", "Unknown name 'Spanien'."),
        ('"Frankreich" = 9', '"France" = 9', "cards", "Unknown name 'France'."),
        ("3 = 2", "3 = 9", 'removed.3|cards."Frankreich"', "none is left"),
        ("3 = 2", "6 = 2", "removed", "Unknown name '6'."),
        ("3 = 2", "3 = -1", "removed.3", "This cannot be below 0."),
        ("5 = 0", "5 = 5", "removed.5", "5 players need at least 33 cards."),
        ("cloisters = 20", "cloisters = 0", "pieces.cloisters", "There must be 1 to 22 of them."),
        ("cloisters = 20", "cloisters = 23", "pieces.cloisters", "There must be 1 to 22 of them."),
        ('"Frankreich" = 9', '"Frankreich" = 100', 'cards."Frankreich"', "There must be 1 to 99 of them."),
        ("cloisters = 20", "cloister = 20", "$.pieces", "unknown field `cloister`"),
        ("[totals]", "[totals", "line ", ""),
    ],
)  # fmt: skip
def test_a_slip_in_the_file_is_refused_with_file_key_and_reason(
    old: str, new: str, where: str, why: str
) -> None:
    assert old in SOURCE
    with pytest.raises(BadData) as caught:
        create(Source("mine.toml", SOURCE.replace(old, new)))
    sentence = str(caught.value)
    assert sentence.startswith("mine.toml: ")
    assert any(part in sentence for part in where.split("|"))
    assert why in sentence


@pytest.mark.parametrize("space", ["EN1", "FR6"])
def test_a_map_on_which_the_best_chains_would_be_long_to_find_is_refused(space: str) -> None:
    """Spaces may have eight roads beyond their third, all together."""
    others = [f'"{space}-SW{n}"' for n in range(1, 5)] + [f'"{space}-AR{n}"' for n in range(1, 7)]

    def with_more(n: int) -> Source:
        more = SOURCE.replace("border_roads = [", f"border_roads = [{', '.join(others[:n])},")
        return Source("mine.toml", more.replace("roads = 68", f"roads = {68 + n}"))

    def excess(n: int) -> int:
        """How many roads spaces have beyond their third."""
        ends = Counter(end for road in LAND.roads for end in road)
        for other in others[:n]:
            ends.update(LAND.spaces.index(name) for name in other.strip('"').split("-"))
        return sum(max(0, count - 3) for count in ends.values())

    most = max(n for n in range(len(others)) if excess(n) <= 8)
    assert most
    create(with_more(most))
    with pytest.raises(BadData, match=r"^mine.toml: roads: Too many roads meet: .*; at most 8 are allowed"):
        create(with_more(most + 1))


def test_a_map_on_which_every_space_is_joined_to_every_other_is_refused() -> None:
    data = msgspec.to_builtins(GAME.rules_data)
    data["border_roads"] = [
        f"{a}-{b}"
        for (i, a), (j, b) in combinations(enumerate(LAND.spaces), 2)
        if LAND.country_of[i] != LAND.country_of[j]
    ]
    data["totals"]["roads"] += len(data["border_roads"]) - len(GAME.rules_data["border_roads"])
    with pytest.raises(BadData, match="Too many roads meet"):
        restore(data)


def test_a_corrected_map_gives_other_rules_versions() -> None:
    corrected = SOURCE.replace('"EN1-EN2", ', '"EN1-EN4", ', 1)
    assert create(Source("mine.toml", corrected)).rules_version != GAME.rules_version


@pytest.mark.parametrize(
    ("old", "new", "where", "why"),
    [
        ("EN2 = [30, 8]", "EN2 = [19, 2]", "pictures.large.spaces.EN2", "EN1 is already drawn here."),
        ("EN2 = [30, 8]", "EN2 = [144, 8]", "pictures.large.spaces.EN2", "off the grid of 144 x 55"),
        ("EN2 = [30, 8]", "EN2 = [30]", "$.pictures[...].spaces[...]", "Expected `array` of length 2"),
        ("EN2 = [30, 8]", "", "pictures.large.spaces", "Space EN2 has no place."),
        ("EN2 = [30, 8]", "EN2 = [60, 2]", "pictures.large.spaces.EN2", "is not in England"),
        ("ship = [12, 25]", "ship = [12, 55]", "pictures.large.ornaments.ship", "off the grid of 144 x 55"),
        ('Aragon = "A"', 'Aragon = "AR"', "letters.Aragon", "'AR' is not one letter."),
        ('Aragon = "A"', 'Aragon = "B"', "letters.", "has this letter."),
        ('Aragon = "A"', "", "letters", "Aragon has no letter."),
        ('Aragon = "A"', 'Arragon = "A"', "letters.Arragon", "Unknown name 'Arragon'."),
        ("\n...EEEEEEEEEE.", "\n...EEEEEEEEEE?", "pictures.small.land[0]", "Unknown sign '?'."),
        ("\n...EEEEEEEEEE.", "\n" + 201 * ".", "pictures.small.land", "at most 200 columns and 80 rows"),
        ("Bayern = [50, 12]", "Baiern = [50, 12]", "pictures.small.names.Baiern", "Unknown name 'Baiern'"),
        ("[letters]", "[letter]", "$", "unknown field `letter`"),
    ],
)
def test_a_slip_in_the_drawing_is_refused_with_file_key_and_reason(
    old: str, new: str, where: str, why: str
) -> None:
    source = config.read(DRAWING_FILE).text
    assert old in source
    with pytest.raises(BadData) as caught:
        drawing(Source("mine.toml", source.replace(old, new)), LAND, complete=True)
    assert str(caught.value).startswith(f"mine.toml: {where}")
    assert why in str(caught.value)


def test_a_space_moved_on_the_screen_is_no_change_of_the_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved = config.read(DRAWING_FILE).text.replace("EN2 = [30, 8]", "EN2 = [29, 8]")
    (tmp_path / DRAWING_FILE).write_text(moved, encoding="utf-8")
    monkeypatch.setenv("KK_CONFIG", str(tmp_path))
    changed: Any = create()
    assert changed.drawing != DRAWING
    assert changed.rules_version == GAME.rules_version
