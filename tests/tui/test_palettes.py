"""In every palette, at every depth, what must be told apart can be, and what is written can be read.

Distances are CIEDE2000. `APART` says how far countries and cards that count now, those at rest, and owners
are from each other and owners from all of them; to eyes that lack a kind of cone in the palette for them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import combinations, product
from math import atan2, degrees
from pathlib import Path

import pytest
from textual.app import App, ComposeResult
from textual.content import Content

import kk_tui
from kk_core.errors import BadData
from kk_tui.games import faces
from kk_tui.games.web_of_power.heraldry import ARMS
from kk_tui.games.web_of_power.theme import land_variable
from kk_tui.languages import translate
from kk_tui.terminal.colour import SOLID, Colour, rgb_of_16, rgb_of_256
from kk_tui.theme.palette import Palette, palettes, read_palettes
from kk_tui.widgets.options import Options
from tests.tui.conftest import at_rest
from tests.tui.ku_ka_king.grounds import CARDS
from tests.tui.land_cards.grounds import BODY, COUNTRIES, SYMBOLS
from tests.tui.vision import DICHROMACY, Rgb, contrast, difference, lab_of, named, seen_with
from tests.tui.web_of_power.grounds import KINDS, LANDS

READABLE = 4.5
"""The contrast that WCAG asks of a text."""

VISIBLE = 3.0
"""The contrast that WCAG asks of what is no text."""

DOTTED = 2.0
"""The least contrast of dots that are to be quieter than the roads beside them."""

UNDER = 4.5
"""The least distance of the head of a card from that of one under others."""

BADGES, ON_CARD = 12.0, 8.0
"""The least distance of badges of symbols from each other, and from cards."""

CHARGED, ON_LAND = 20.0, 16.0
"""The least distance of what is on a shield from the shield, and of the one or the other from its land."""

ONE_HUE = 25.0
"""Degrees between hues that have the same name."""

PALETTES = palettes(face.colours for face in faces().values())
DEEP = ("truecolor", "256")
OWNERS = [f"seat-{seat}" for seat in range(5)]
BESIDE = [*OWNERS, "ground", "ground-deep", "ink-line"]
"""What bars and lines of the score are made of, and what they stand on."""


@dataclass(frozen=True)
class Apart:
    """The least distance of grounds that count, of those at rest, of owners, of owners from grounds."""

    lit: float
    rest: float
    owners: float
    owner_and_ground: float


APART = {
    "kk-manuscript-dark": Apart(10, 6, 12, 10),
    "kk-manuscript-light": Apart(10, 4.5, 12, 10),
    "kk-contrast-dark": Apart(9, 6, 12, 9.5),
    "kk-contrast-light": Apart(9, 4.5, 12, 10),
    "kk-colour-blind-dark": Apart(5, 3, 8.5, 5.5),
    "kk-colour-blind-light": Apart(4, 2.7, 8.5, 5.5),
}


OF_GAMES = [
    import_module(f"tests.tui.{game_id}.grounds").GROUNDS
    for game_id in faces()
    if find_spec(f"tests.tui.{game_id}.grounds") is not None
]
LIT = [family for game in OF_GAMES for family in game.lit]
REST = [family for game in OF_GAMES for family in game.rest]
BOTH = [family for game in OF_GAMES for family in game.both]
GROUNDS = sorted({name for family in (*LIT, *REST) for name in family})

TEXTS: list[tuple[str, list[str]]] = [
    ("seat-ink", OWNERS),
    ("ink", ["ground", "ground-deep", "ink-line"]),
    ("ink-dim", ["ground", "ground-deep", "field"]),
    ("gold", ["ground", "ground-deep"]),
    ("possible", ["ground"]),
    ("happened", ["ground"]),
    ("refused", ["ground"]),
    ("cursor-ink", ["cursor", "possible", "happened"]),
    *((owner, ["ground", "ground-deep"]) for owner in OWNERS),
    *(written for game in OF_GAMES for written in game.texts.items()),
]
"""Inks, and the grounds that they are written on."""


@pytest.fixture(params=PALETTES)
def palette(request: pytest.FixtureRequest) -> Palette:
    return PALETTES[request.param]


def rgb(palette: Palette, depth: str, name: str) -> Rgb:
    colour = palette.colours[name]
    return colour.rgb if depth == "truecolor" else rgb_of_256(colour.indexed)


def eyes(palette: Palette) -> list[str | None]:
    return [None, *DICHROMACY] if palette.name == "colour-blind" else [None]


def near(palette: Palette, depth: str, pairs: Iterator[tuple[str, str]], least: float) -> list[str]:
    """The pairs that are too near to each other."""
    found = []
    for (one, other), eye in product(pairs, eyes(palette)):
        distance = difference(*(seen_with(eye, rgb(palette, depth, name)) for name in (one, other)))
        if distance < least:
            found.append(f"{one} {other} {eye}: {distance:.1f}")
    return found


def in_families(families: list[list[str]]) -> Iterator[tuple[str, str]]:
    for family in families:
        yield from combinations(family, 2)


@pytest.mark.parametrize(
    ("words", "where", "reason"),
    [
        ("[manuscript]\nink\n", "file", "Expected '=' after a key in a key/value pair (at line 2, column 4)"),
        ('[sepia]\nink = ["#000000", "#ffffff"]\n', "sepia", "no such palette"),
        ('ink = ["#000000", "#ffffff"]\n', "ink", "no such palette"),
        (
            '[contrast]\nink = "#000000"\n',
            "contrast.ink",
            "it must be two colours, for a dark background and for a light one",
        ),
        ('[contrast]\nink = ["#000000", "white"]\n', "contrast.ink", "'white' is not a colour"),
        (
            '[contrast]\nink = ["#000000 256", "#ffffff"]\n',
            "contrast.ink",
            "'#000000 256' has an invalid palette number",
        ),
    ],
)
def test_a_file_of_palettes_that_cannot_be_used_names_file_palette_and_colour(
    tmp_path: Path, words: str, where: str, reason: str
) -> None:
    path = tmp_path / "palettes.toml"
    path.write_text(words, encoding="utf-8")
    with pytest.raises(BadData) as refused:
        dict(read_palettes(path))
    assert str(refused.value) == f"{path}: {where}: {reason}"
    assert reason not in translate(refused.value.reason, "de")


def test_every_palette_has_the_same_variables() -> None:
    assert len({frozenset(palette.colours) for palette in PALETTES.values()}) == 1


def test_colours_that_are_one_on_the_screen_are_one_at_every_depth(palette: Palette) -> None:
    for one, other in combinations(palette.colours.values(), 2):
        assert one == other or one.rgb != other.rgb


@pytest.mark.parametrize("depth", DEEP)
def test_countries_and_cards_that_count_are_apart(palette: Palette, depth: str) -> None:
    assert not near(palette, depth, in_families(LIT), APART[palette.theme_name].lit)


@pytest.mark.parametrize("depth", DEEP)
def test_countries_and_cards_at_rest_are_apart(palette: Palette, depth: str) -> None:
    assert not near(palette, depth, in_families(REST), APART[palette.theme_name].rest)


@pytest.mark.parametrize("depth", DEEP)
def test_what_rests_is_apart_from_what_counts(palette: Palette, depth: str) -> None:
    assert not near(palette, depth, in_families(BOTH), APART[palette.theme_name].rest)


@pytest.mark.parametrize("depth", DEEP)
def test_a_card_is_apart_from_one_of_its_kind_that_lies_under_others(palette: Palette, depth: str) -> None:
    assert not near(palette, depth, zip(CARDS, named(CARDS, "-under"), strict=True), UNDER)


@pytest.mark.parametrize("depth", DEEP)
@pytest.mark.parametrize(
    "dark",
    [palette for palette in PALETTES.values() if palette.is_dark],
    ids=lambda palette: palette.name,
)
def test_in_the_dark_no_card_lies_like_a_hole_in_the_page(dark: Palette, depth: str) -> None:
    drawn = [name for family in REST for name in family if not name.startswith("web_of_power")]
    lights = {name: contrast(rgb(dark, depth, name), (0, 0, 0)) for name in drawn}
    page = contrast(rgb(dark, depth, "ground"), (0, 0, 0))
    assert not {name: light for name, light in lights.items() if light <= page}


@pytest.mark.parametrize("depth", DEEP)
def test_badges_are_apart_from_each_other_and_from_the_cards_that_they_are_on(
    palette: Palette, depth: str
) -> None:
    assert not near(palette, depth, in_families([SYMBOLS]), BADGES)
    assert not near(palette, depth, iter(product(SYMBOLS, [*COUNTRIES, BODY])), ON_CARD)


def test_with_16_colours_badges_are_apart_by_the_symbols_on_them(palette: Palette) -> None:
    inks = {palette.colours[name].ink for name in named(SYMBOLS, "-ink")}
    assert len(inks) == len(SYMBOLS)
    assert not inks & {palette.colours[name].sixteen for name in SYMBOLS}


@pytest.mark.parametrize("depth", DEEP)
def test_the_frame_of_a_hint_is_apart_from_every_card_and_from_every_owner(
    palette: Palette, depth: str
) -> None:
    least = APART[palette.theme_name]
    assert not near(palette, depth, iter(product(["cursor"], [*COUNTRIES, BODY])), least.lit)
    # an owner's frame has thin lines, and no letter
    assert not near(palette, depth, iter(product(["cursor"], OWNERS)), least.rest)


@pytest.mark.parametrize("depth", DEEP)
def test_owners_are_apart(palette: Palette, depth: str) -> None:
    assert not near(palette, depth, in_families([OWNERS]), APART[palette.theme_name].owners)


@pytest.mark.parametrize("depth", DEEP)
def test_owners_are_apart_from_all_grounds(palette: Palette, depth: str) -> None:
    least = APART[palette.theme_name].owner_and_ground
    assert not near(palette, depth, iter(product(OWNERS, GROUNDS)), least)


@pytest.mark.parametrize("depth", DEEP)
def test_what_is_written_can_be_read(palette: Palette, depth: str) -> None:
    faint = []
    for ink, grounds in TEXTS:
        for ground in grounds:
            ratio = contrast(rgb(palette, depth, ink), rgb(palette, depth, ground))
            if ratio < READABLE:
                faint.append(f"{ink} on {ground}: {ratio:.2f}")
    assert not faint


@pytest.mark.parametrize("depth", DEEP)
def test_a_country_whose_card_has_gone_is_quieter_than_a_card_that_is_still_there(
    palette: Palette, depth: str
) -> None:
    page, body = rgb(palette, depth, "ground"), rgb(palette, depth, BODY)
    there = contrast(rgb(palette, depth, f"{BODY}-ink"), body)
    gone = [contrast(rgb(palette, depth, name), page) for name in named(COUNTRIES, "-gone")]
    assert max(gone) < there


def test_a_veil_over_a_page_by_day_has_no_colour_that_the_page_has_not() -> None:
    by_day = PALETTES["kk-manuscript-light"]
    page, deep = (by_day.colours[name] for name in ("ground", "ground-deep"))
    veil = tuple((3 * one + 7 * other) // 10 for one, other in zip(page.rgb, deep.rgb, strict=True))
    shown = rgb_of_256(by_day.on(ascii_only=False).of_256((veil[0], veil[1], veil[2])))
    assert len(set(shown)) == len(set(rgb_of_256(page.indexed))) == 1


class Chooser(App[None]):
    """A list whose lines are written in every ink of the page."""

    CSS_PATH = Path(kk_tui.__file__).parent / "styles/app.tcss"

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self.register_theme(palette.theme())
        self.theme = palette.theme_name

    def compose(self) -> ComposeResult:
        inks = ("ink", "ink-dim", "gold", "possible", "happened", *OWNERS)
        line = Content.assemble(*((f"{ink} ", f"${ink}") for ink in inks))
        yield Options(line, line)


@pytest.mark.parametrize("depth", DEEP)
async def test_the_lit_line_of_a_list_can_be_read_in_whatever_ink_it_is_written(
    palette: Palette, depth: str
) -> None:
    app = Chooser(palette)
    async with app.run_test(size=(100, 10)) as pilot:
        options = app.query_one(Options)
        options.focus()
        options.highlighted = 1
        await at_rest(pilot)
        styles = [segment.style for segment in options.render_line(1) if segment.text.strip()]
    variable_of: dict[tuple[int, ...], str] = {colour.rgb: name for name, colour in palette.colours.items()}
    pairs = {
        tuple(variable_of[tuple(colour.get_truecolor())] for colour in (style.color, style.bgcolor) if colour)
        for style in styles
        if style
    }
    assert {ground for _, ground in pairs} == {"cursor", *OWNERS}
    for ink, ground in pairs:
        assert contrast(rgb(palette, depth, ink), rgb(palette, depth, ground)) >= READABLE


@pytest.mark.parametrize("depth", DEEP)
def test_the_dotted_lines_of_alliances_are_seen_on_the_sea_and_on_countries_at_rest(
    palette: Palette, depth: str
) -> None:
    line = rgb(palette, depth, "web_of_power-tie")
    faint = {name: contrast(line, rgb(palette, depth, name)) for name in (*LANDS, "web_of_power-sea")}
    assert not {name: found for name, found in faint.items() if found < DOTTED}


@pytest.mark.parametrize("depth", DEEP)
def test_arms_are_seen_on_their_shields(palette: Palette, depth: str) -> None:
    assert not near(palette, depth, ((arms.field, arms.charge) for arms in ARMS), CHARGED)


@pytest.mark.parametrize("depth", DEEP)
def test_a_shield_or_what_is_on_it_is_seen_on_its_country(palette: Palette, depth: str) -> None:
    hidden = []
    for country, arms in enumerate(ARMS):
        for lit, eye in product((False, True), eyes(palette)):
            land = seen_with(eye, rgb(palette, depth, land_variable(country, lit=lit)))
            tinctures = [seen_with(eye, rgb(palette, depth, name)) for name in (arms.field, arms.charge)]
            if max(difference(tincture, land) for tincture in tinctures) < ON_LAND:
                hidden.append((country, lit, eye))
    assert not hidden


@pytest.mark.parametrize("depth", DEEP)
def test_bars_are_seen_on_the_page_and_beside_each_other(palette: Palette, depth: str) -> None:
    for owner, ground in product(OWNERS, ("ground", "ground-deep")):
        assert contrast(rgb(palette, depth, owner), rgb(palette, depth, ground)) >= VISIBLE
    pairs = (pair for pair in combinations(BESIDE, 2) if {*pair} & {*OWNERS})
    assert not near(palette, depth, pairs, APART[palette.theme_name].owners)


def hue(colour: Rgb) -> float:
    """The angle of a colour in degrees."""
    _light, red, yellow = lab_of(colour)
    return degrees(atan2(yellow, red)) % 360


@pytest.mark.parametrize("owner", OWNERS)
def test_an_owner_has_the_same_hue_with_256_colours_as_with_all(palette: Palette, owner: str) -> None:
    if palette.theme_name == "kk-colour-blind-dark" and owner == "seat-4":
        return  # it is white
    turned = hue(rgb(palette, "truecolor", owner)) - hue(rgb(palette, "256", owner))
    assert abs((turned + 180) % 360 - 180) <= ONE_HUE


@pytest.mark.parametrize("kind", range(len(KINDS)))
def test_with_256_colours_a_country_has_one_hue_on_the_map_lit_or_not_and_on_its_card(
    palette: Palette, kind: int
) -> None:
    if palette.name == "colour-blind":
        return  # there lightness tells countries apart
    hues = [hue(rgb(palette, "256", name)) for name in (KINDS[kind], LANDS[kind], f"{LANDS[kind]}-lit")]
    assert max(hues) - min(hues) <= ONE_HUE


# -- sixteen colours -------------------------------------------------------------------------------------


def shown_in_16(colour: Colour) -> tuple[int, str, int | None]:
    return colour.sixteen, colour.pattern, colour.over


def test_in_16_colours_grounds_are_apart_by_colour_or_by_pattern(palette: Palette) -> None:
    for family in (*LIT, *REST, *BOTH, OWNERS):
        assert len({shown_in_16(palette.colours[name]) for name in family}) == len(family), family
    owners, grounds = ({shown_in_16(palette.colours[name]) for name in names} for names in (OWNERS, GROUNDS))
    assert not owners & grounds


def test_in_16_colours_no_road_looks_like_the_pattern_of_a_country_at_rest(palette: Palette) -> None:
    """In ASCII both may be made of strokes."""
    road = palette.colours["web_of_power-road"].ink
    assert road not in {palette.colours[land].over for land in LANDS}


def test_a_line_to_fill_in_is_seen_where_colours_are_few(palette: Palette) -> None:
    for name in ("field", "field-open"):
        field = palette.colours[name]
        assert field.mono == "_"
        assert field.pattern == "_" or field.sixteen != palette.colours["ground"].sixteen


def test_in_16_colours_arms_are_seen_on_their_shields(palette: Palette) -> None:
    for arms in ARMS:
        assert palette.colours[arms.field].ink != palette.colours[arms.charge].ink


def test_in_16_colours_what_is_written_on_countries_cards_and_owners_can_be_read(palette: Palette) -> None:
    faint = []
    for ink, grounds in TEXTS:
        for ground in set(grounds) & {*GROUNDS, *OWNERS}:
            over = rgb_of_16(palette.colours[ink].ink)
            ratio = contrast(over, rgb_of_16(palette.colours[ground].sixteen))
            if ratio < READABLE:
                faint.append(f"{ink} on {ground}: {ratio:.2f}")
    assert not faint


# -- no colours ------------------------------------------------------------------------------------------


def test_without_colours_countries_of_the_map_are_filled_while_they_count(palette: Palette) -> None:
    assert {palette.colours[name].mono for name in named(LANDS, "-lit")} == {SOLID}
    assert SOLID not in {palette.colours[name].mono for name in LANDS}
