"""What a terminal shows after every frame is what Textual has drawn, in codes that the terminal knows."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual._ansi_theme import MONOKAI
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.color import Color as Background
from textual.filter import ANSIToTruecolor
from textual.geometry import Region
from textual.strip import Strip

from kk_tui.terminal.capabilities import Attribute, ColourDepth, TerminalKind, kind_of
from kk_tui.terminal.colour import (
    Colour,
    Colours,
    luminance,
    nearest_16,
    nearest_256,
    nearest_grey,
    parse_colour,
    rgb_of_256,
)
from kk_tui.terminal.painter import TerminalPainter
from kk_tui.terminal.sgr import BARE, BLOCK, PIXEL, Rendition, SgrCodes
from tests.tui.picture import CODE, Picture, Terminal, drawn

WIDTH, HEIGHT = 12, 4
TRUE = TerminalKind(ColourDepth.TRUE, has_erase_colour=True)
KINDS = [
    "xterm", "xterm-256color", "screen-256color", "tmux-256color", "xterm-kitty", "linux", "vt100",
]  # fmt: skip

COLOURS = [None, *(Color.from_rgb(*rgb) for rgb in ((0, 0, 0), (200, 30, 40), (250, 240, 200)))]
STYLES = st.builds(
    Style,
    color=st.sampled_from(COLOURS),
    bgcolor=st.sampled_from(COLOURS),
    bold=st.booleans(),
    underline=st.booleans(),
    reverse=st.booleans(),
)
SIGNS = ["a", "b", " ", "  ", "\u2500", "\u256c", "\u4e2d", "\u56fd", "e\u0301"]
TEXTS = st.lists(st.sampled_from(SIGNS), max_size=WIDTH).map("".join)


@st.composite
def strips(draw: Any, width: int = WIDTH) -> Strip:
    segments = draw(st.lists(st.builds(lambda text, style: Segment(text, style), TEXTS, STYLES), max_size=4))
    return Strip(segments).adjust_cell_length(width, draw(STYLES))


@st.composite
def layouts(draw: Any) -> LayoutUpdate:
    return layout([draw(strips()) for _ in range(HEIGHT)])


@st.composite
def parts(draw: Any) -> ChopsUpdate:
    """Some pieces of some lines."""
    chops: list[dict[int, Strip | None]] = []
    ends, spans = [], []
    for row in range(HEIGHT):
        cuts = sorted({0, WIDTH, *draw(st.lists(st.integers(1, WIDTH - 1), max_size=2))})
        pairs = list(pairwise(cuts))
        chops.append({left: draw(strips(right - left)) for left, right in pairs})
        ends.append(cuts[1:])
        if draw(st.booleans()):
            spans.append((row, *draw(st.sampled_from(pairs))))
    return ChopsUpdate(chops, spans, ends)


def layout(lines: list[Strip]) -> LayoutUpdate:
    return LayoutUpdate([[line] for line in lines], Region(0, 0, lines[0].cell_length, len(lines)))


def plain(*lines: str, style: Style | None = None) -> LayoutUpdate:
    return layout([Strip([Segment(line, style)]) for line in lines])


def repainted(painter: TerminalPainter) -> Picture:
    """What a terminal shows that has seen nothing before."""
    terminal = Terminal(*painter.size)
    painter.forget()
    terminal.feed(painter.frame())
    return terminal.picture


# -- pictures --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("has_erase_colour", [True, False])
@settings(deadline=None, max_examples=40)
@given(updates=st.lists(layouts(), min_size=1, max_size=4))
def test_after_every_frame_the_terminal_shows_what_was_drawn(
    has_erase_colour: bool, updates: list[LayoutUpdate]
) -> None:
    painter, terminal = (
        TerminalPainter(TerminalKind(has_erase_colour=has_erase_colour)),
        Terminal(WIDTH, HEIGHT),
    )
    for update in updates:
        painter.take(update)
        terminal.feed(painter.frame())
        lines = [strip for row in update.strips for strip in row]
        assert terminal.picture == drawn(lines, ANSIToTruecolor(MONOKAI), Background(0, 0, 0))


@settings(deadline=None, max_examples=40)
@given(first=layouts(), updates=st.lists(parts(), min_size=1, max_size=5), split=st.booleans())
def test_after_changes_of_pieces_the_terminal_shows_what_a_repaint_would(
    first: LayoutUpdate, updates: list[ChopsUpdate], split: bool
) -> None:
    painter, terminal = TerminalPainter(TRUE, rests=split), Terminal(WIDTH, HEIGHT)
    painter.take(first)
    for update in updates:
        terminal.feed(painter.frame())
        painter.take(update)
        if split:
            terminal.feed(painter.frame((3, 1)))
    terminal.feed(painter.frame())
    assert terminal.picture == repainted(painter)


@pytest.mark.parametrize("term", KINDS)
@settings(deadline=None, max_examples=12)
@given(updates=st.lists(layouts(), min_size=2, max_size=3))
def test_changes_and_repaints_look_the_same_on_every_kind_of_terminal(
    term: str, updates: list[LayoutUpdate]
) -> None:
    painter, terminal = TerminalPainter(kind_of(term, {})), Terminal(WIDTH, HEIGHT)
    for update in updates:
        painter.take(update)
        terminal.feed(painter.frame())
    assert terminal.picture == repainted(painter)


def test_frames_that_could_not_be_sent_are_made_good_by_the_next() -> None:
    painter, terminal = TerminalPainter(TRUE), Terminal(4, 1)
    for words in ("aaaa", "abba", "acca"):
        painter.take(plain(words))
    terminal.feed(painter.frame())
    assert terminal.text == "acca"


def test_half_a_wide_character_is_blank() -> None:
    painter, terminal = TerminalPainter(TRUE), Terminal(4, 1)
    painter.take(plain("\u4e2d\u56fd"))
    terminal.feed(painter.frame())
    painter.take(ChopsUpdate([{0: None, 1: Strip([Segment("ab")])}], [(0, 1, 3)], [[1, 3]]))
    terminal.feed(painter.frame())
    assert terminal.text == " ab "


def test_marks_on_nothing_are_left_out() -> None:
    painter, terminal = TerminalPainter(TRUE), Terminal(3, 1)
    painter.take(plain("\u0301e\u0301x"))
    terminal.feed(painter.frame())
    assert terminal.text == "\u00e9x "


def test_the_last_cell_is_written_without_scrolling() -> None:
    painter, terminal = TerminalPainter(TRUE), Terminal(3, 2)
    painter.take(plain("abc", "def"))
    terminal.feed(painter.frame())
    painter.take(plain("abC", "xeF"))
    terminal.feed(painter.frame())
    assert terminal.text == "abC\nxeF"


# -- bytes -----------------------------------------------------------------------------------------------


def sent(painter: TerminalPainter, *updates: LayoutUpdate) -> str:
    """The last of the frames."""
    text = ""
    for update in updates:
        painter.take(update)
        text = painter.frame()
    return text


def test_nothing_is_sent_for_what_is_shown_already() -> None:
    assert sent(TerminalPainter(TRUE), plain("abc"), plain("abc")) == ""


def test_what_is_shown_already_is_rewritten_where_that_is_shorter_than_to_move_over_it() -> None:
    before, near, far = "a" + "-" * 20 + "b", "x--x" + "-" * 17 + "b", "x" + "-" * 20 + "y"
    assert sent(TerminalPainter(TRUE), plain(before), plain(near)) == "\rx--x"
    assert sent(TerminalPainter(TRUE), plain(before), plain(far)) == "\rx\x1b[22Gy"


def test_only_what_differs_from_the_pen_is_set() -> None:
    red, bold = (
        Style(color="#ff0000", bgcolor="#000000"),
        Style(color="#ff0000", bgcolor="#000000", bold=True),
    )
    text = sent(
        TerminalPainter(TRUE), layout([Strip([Segment("a", red), Segment("b c", bold), Segment("d", red)])])
    )
    assert text == "\x1b[H\x1b[0;38;2;255;0;0;48;2;0;0;0ma\x1b[1mb c\x1b[22md"


@pytest.mark.parametrize(("stays", "code"), [(int(Attribute.DIM), "2"), (int(Attribute.BOLD), "1")])
def test_of_bold_and_dim_one_goes_and_the_other_stays_though_one_code_ends_both(
    stays: int, code: str
) -> None:
    both = Rendition("39", "49", Attribute.BOLD | Attribute.DIM)
    sent, pen = SgrCodes(kind_of("xterm-256color", {})).change(both, Rendition("39", "49", stays))
    assert sent in (f"\x1b[22;{code}m", f"\x1b[0;{code}m")
    assert pen.attributes == stays


def test_blanks_are_erased_where_erasing_takes_the_background_and_written_elsewhere() -> None:
    ground = Style(bgcolor="#102030")
    blank = plain(" " * 40, style=ground)
    assert sent(TerminalPainter(TRUE), blank).endswith("m\x1b[K")
    assert sent(TerminalPainter(kind_of("screen-256color", {})), blank).endswith("m" + " " * 40)


def test_blanks_behind_which_nothing_is_painted_are_erased_as_soon_as_that_is_shorter() -> None:
    before, after = "abcdefgh" + "-" * 20, "abc     " + "-" * 20
    assert sent(TerminalPainter(TRUE), plain(before), plain(after)) == "\x1b[4G\x1b[5X"


def test_words_that_are_taken_away_are_erased_at_once_with_the_blanks_between_them() -> None:
    before, after = "a law card is on it" + "-" * 20, " " * 19 + "-" * 20
    assert sent(TerminalPainter(TRUE), plain(before), plain(after)) == "\r\x1b[19X"
    there = "a law" + " " * 20 + "card" + "-" * 20
    assert sent(TerminalPainter(TRUE), plain(there), plain(" " * 29 + "-" * 20)) == "\r\x1b[5X\x1b[26G    "


def test_the_sides_of_a_high_frame_are_painted_from_top_to_bottom_one_after_the_other() -> None:
    before = plain(*[" " * 24] * 30)
    after = plain(*[f"{number:>10}|         |   " for number in range(30)])
    painter, terminal = TerminalPainter(TRUE), Terminal(24, 30)
    for update in (before, after, before):
        painter.take(update)
        terminal.feed(painter.frame())
    painter.take(plain(*["          |         |   "] * 30))
    text = painter.frame()
    terminal.feed(text)
    assert text.count("|") == 60
    assert len(text) < 60 * len("|\x1b[B\b") + 20
    assert terminal.picture == repainted(painter)


def test_the_cursor_goes_where_the_app_wants_it() -> None:
    painter, terminal = TerminalPainter(TRUE), Terminal(5, 2)
    painter.take(plain("abcde", "fghij"))
    terminal.feed(painter.frame((2, 1)))
    assert terminal.cursor == (2, 1)
    assert painter.frame((2, 1)) == ""
    terminal.feed(painter.frame((4, 0)))
    assert terminal.cursor == (4, 0)


def test_orders_in_a_text_never_reach_the_terminal() -> None:
    text = sent(TerminalPainter(TRUE), plain("a\x1b]0;x\x07\x9b2Jb\u202ec"))
    assert CODE.sub("", text) == "a]0;x2Jbc"


# -- kinds -----------------------------------------------------------------------------------------------

ALL = [
    Style(color=colour, bgcolor=ground, bold=bold, italic=not bold, underline=bold, strike=True, dim=bold)
    for colour in ("#c80a28", "#ffffff", "red", "color(200)", None)
    for ground in ("#285a28", "bright_blue", None)
    for bold in (True, False)
]
BASE = {0, 1, 4, 5, 7, 39, 49}
OFF = {22, 24, 25, 27}
SIXTEEN = {*range(30, 38), *range(40, 48), *range(90, 98), *range(100, 108)}
UNDERSTOOD: dict[str, tuple[set[int], str]] = {
    "vt100": (BASE - {39, 49}, ""),
    "linux": (BASE | OFF | SIXTEEN, ""),
    "xterm": (BASE | OFF | SIXTEEN | {2, 3, 9, 23, 29}, ""),
    "screen-256color": (BASE | OFF | SIXTEEN | {2}, "5"),
    "xterm-256color": (BASE | OFF | SIXTEEN | {2, 3, 9, 23, 29}, "5"),
    "tmux-256color": (BASE | OFF | SIXTEEN | {2, 3, 9, 23, 29}, "5"),
    "xterm-kitty": (BASE | OFF | SIXTEEN | {2, 3, 9, 23, 29}, "25"),
}


def all_styles() -> LayoutUpdate:
    return layout([Strip([Segment("ab      ", style), Segment("c" * 32, style)]) for style in ALL])


@pytest.mark.parametrize("term", KINDS)
def test_every_terminal_gets_only_codes_that_it_understands(term: str) -> None:
    painter = TerminalPainter(kind_of(term, {}))
    text = sent(painter, all_styles())
    text += sent(painter, plain(*["xyz".center(40)] * len(ALL)))
    known, deep = UNDERSTOOD[term]
    letters = {letter for _, _, letter in CODE.findall(text)}
    assert letters <= set("mHABCDK" if term == "vt100" else "mHABCDGKX")
    looks = [numbers for _, numbers, letter in CODE.findall(text) if letter == "m"]
    assert looks
    for numbers in looks:
        rest, found = re.subn(r"[34]8;(?:5;\d+|2;\d+;\d+;\d+)(;|$)", "", numbers)
        assert not found or set(re.findall(r"[34]8;([25]);", numbers)) <= set(deep)
        assert {int(number or 0) for number in rest.split(";")} <= known


@pytest.mark.parametrize("term", KINDS)
@pytest.mark.parametrize("other", KINDS)
def test_frames_do_not_depend_on_who_else_is_connected(term: str, other: str) -> None:
    styles = all_styles()
    alone = sent(TerminalPainter(kind_of(term, {})), styles)
    sent(TerminalPainter(kind_of(other, {})), styles)
    assert sent(TerminalPainter(kind_of(term, {})), styles) == alone


def test_without_colours_what_is_lit_is_reversed() -> None:
    lit, dark = Style(color="#000000", bgcolor="#ffcc00"), Style(color="#ffffff", bgcolor="#000000")
    update = layout([Strip([Segment("a", dark), Segment("b", lit), Segment("c", dark)])])
    assert sent(TerminalPainter(kind_of("vt100", {})), update) == "\x1b[H\x1b[ma\x1b[7mb\x1b[mc"


def test_without_colours_a_ground_that_a_palette_fills_is_reversed_whatever_is_written_on_it() -> None:
    fills = parse_colour("#867439 100 3 █")
    known = Colours({fills.rgb: fills})
    light, dark = (Style(color=ink, bgcolor=fills.hex) for ink in ("#ffffef", "#000000"))
    for style in (light, dark):
        assert (
            sent(TerminalPainter(kind_of("vt100", {}), known), plain("a b", style=style))
            == "\x1b[H\x1b[0;7ma b"
        )
    assert sent(TerminalPainter(kind_of("vt100", {})), plain("a b", style=light)) == "\x1b[H\x1b[ma b"


FAINT = Style(color="#3a352b", bgcolor="#131d26")
LANDS = [Colour((0x3A, 0x35, 0x2B), 236, 0), Colour((0x13, 0x1D, 0x26), 17, 0)]
KNOWN = Colours({colour.rgb: colour for colour in LANDS})


def test_without_colours_what_a_palette_hardly_shows_with_them_is_left_out() -> None:
    assert sent(TerminalPainter(kind_of("vt100", {}), KNOWN), plain("▀a", style=FAINT)) == "\x1b[H\x1b[m  "
    assert sent(TerminalPainter(kind_of("vt100", {})), plain("▀a", style=FAINT)) == "\x1b[H\x1b[m▀a"


def test_without_colours_no_ground_is_shown_light_that_is_hardly_lighter_than_its_neighbour() -> None:
    """The borders of countries: else one of them in two would be a white line."""
    other_way_round = Style(color=FAINT.bgcolor, bgcolor=FAINT.color)
    shown = plain("▀a", style=other_way_round)
    assert sent(TerminalPainter(kind_of("vt100", {}), KNOWN), shown) == "\x1b[H\x1b[m  "


def test_two_colours_that_a_palette_shows_as_one_are_left_so() -> None:
    assert (
        sent(TerminalPainter(kind_of("xterm", {}), KNOWN), plain("▀", style=FAINT)) == "\x1b[H\x1b[0;30;40m▀"
    )


def test_wide_blanks_of_a_ground_are_covered_where_colours_are_few() -> None:
    colour = Colour((0x54, 0x28, 0x2B), 52, 0, "░", 1, "╱")
    known = Colours({colour.rgb: colour})
    ground = Style(color="#ffffff", bgcolor="#54282b")
    shown = {"xterm": "░░a b░░", "vt100": "╱╱a b╱╱", "xterm-256color": "  a b  "}
    for term, words in shown.items():
        terminal = Terminal(7, 1)
        terminal.feed(sent(TerminalPainter(kind_of(term, {}), known), plain("  a b  ", style=ground)))
        assert terminal.text == words


def test_of_two_grounds_that_patterns_stand_for_neither_is_an_ink() -> None:
    """The borders of countries with 16 colours: all else of them is a pattern, a block of one is a bar."""
    one, other = Colour((0x76, 0x40, 0x1C), 94, 0, "╱", 3), Colour((0x54, 0x4E, 0x22), 58, 0, "░", 3)
    known = Colours({colour.rgb: colour for colour in (one, other)})
    border = Style(color=one.hex, bgcolor=other.hex)
    shown = {"xterm": "░░░", "xterm-256color": "▀▀▀"}
    for term, words in shown.items():
        terminal = Terminal(3, 1)
        terminal.feed(sent(TerminalPainter(kind_of(term, {}), known), plain("▀▀▀", style=border)))
        assert terminal.text == words


@pytest.mark.parametrize("page", [0, 15])
def test_a_land_that_a_pattern_stands_for_goes_as_far_as_its_blocks_on_the_page(page: int) -> None:
    """The coasts of countries with 16 colours: a block of one would be a bar, much brighter than the land."""
    land, sea = Colour((0x76, 0x40, 0x1C), 94, page, "╱", 3), Colour((0x13, 0x1D, 0x26), 233, page)
    known = Colours({colour.rgb: colour for colour in (land, sea)})
    coast = Style(color=land.hex, bgcolor=sea.hex)
    for term, words in {"xterm": "╱╱╱", "xterm-256color": "▀▀▀"}.items():
        terminal = Terminal(3, 1)
        terminal.feed(sent(TerminalPainter(kind_of(term, {}), known), plain("▀▀▀", style=coast)))
        assert terminal.text == words


def test_of_two_pixels_in_a_cell_either_has_the_colour_that_it_has_as_an_ink() -> None:
    """As a ground it may be white with a pattern, of which half a cell has no room."""
    one, other = Colour((0xD8, 0x5F, 0x77), 168, 7, "░", 1), Colour((0x8F, 0x78, 0xCF), 140, 7, "╱", 5)
    painter = TerminalPainter(kind_of("xterm", {}), Colours({colour.rgb: colour for colour in (one, other)}))
    pixels = Style(color=one.hex, bgcolor=other.hex, meta={PIXEL: True})
    assert sent(painter, plain("▀", style=pixels)) == "\x1b[H\x1b[0;31;45m▀"


def test_the_blocks_of_a_ground_have_its_colour_and_not_that_of_its_pattern() -> None:
    """The coasts of a country that counts: in the colour of its pattern they would seem to be another one."""
    land, sea = Colour((0x8B, 0x38, 0x41), 131, 7, "░", 1), Colour((0x13, 0x1D, 0x26), 233, 0)
    painter = TerminalPainter(kind_of("xterm", {}), Colours({colour.rgb: colour for colour in (land, sea)}))
    coast = Style(color=land.hex, bgcolor=sea.hex, meta={BLOCK: True})
    assert sent(painter, plain("▀", style=coast)) == "\x1b[H\x1b[0;37;40m▀"


@pytest.mark.parametrize(("page", "shown"), [(0, 40), (15, 107)])
def test_with_16_colours_the_page_can_be_laid_under_what_has_the_colour_of_an_owner(
    page: int, shown: int
) -> None:
    """Such as a yellow road through a country that counts, which is yellow or white then."""
    colours = [Colour((0x66, 0x56, 0x8C), 98, 7, "╱", 5), Colour((0xF5, 0xE4, 0x00), 220, 11)]
    ground = Colour((0x1C, 0x19, 0x14), 234, page)
    known = Colours({colour.rgb: colour for colour in (*colours, ground)}, page=ground)
    road = Style(color=colours[1].hex, bgcolor=colours[0].hex, meta={BARE: True})
    assert (
        sent(TerminalPainter(kind_of("xterm", {}), known), plain("━", style=road))
        == f"\x1b[H\x1b[0;93;{shown}m━"
    )


def test_in_ascii_the_stops_that_cover_a_ground_keep_away_from_words() -> None:
    """Else a series of numbers would seem to go on, and a word to end a sentence."""
    colour = Colour((0x54, 0x28, 0x2B), 52, 0, "·", 1)
    known = Colours({colour.rgb: colour}, ascii_only=True)
    terminal = Terminal(12, 1)
    painter = TerminalPainter(kind_of("xterm", {}), known)
    terminal.feed(sent(painter, plain("    5 10    ", style=Style(color="#ffffff", bgcolor="#54282b"))))
    assert terminal.text == "..  5 10 ..."


def test_what_is_written_is_seen_even_if_ink_and_ground_have_the_same_nearest_colour() -> None:
    for ground, ink in (("#707070", 97), ("#f8f8f8", 30)):
        near = Style(color="#777777" if ink == 97 else "#ffffff", bgcolor=ground)
        assert f"0;{ink};" in sent(TerminalPainter(kind_of("xterm", {})), plain("a", style=near))


def test_which_colour_of_a_small_palette_stands_for_another_can_be_chosen() -> None:
    colour = Colour((0x12, 0x34, 0x56), 99, 0)
    painter = TerminalPainter(TerminalKind(ColourDepth.INDEXED), Colours({colour.rgb: colour}))
    assert sent(painter, plain("a", style=Style(color="#123456"))) == "\x1b[H\x1b[0;38;5;99ma"


@pytest.mark.parametrize(
    ("wanted", "of_256", "of_16"),
    [
        ((0, 0, 0), 16, 0),
        ((255, 255, 255), 231, 15),
        ((255, 0, 0), 196, 9),
        ((95, 135, 175), 67, 8),
        ((8, 8, 8), 232, 0),
        ((238, 238, 238), 255, 7),
        ((128, 128, 128), 244, 8),
    ],
)
def test_the_nearest_colour_is_found(wanted: tuple[int, int, int], of_256: int, of_16: int) -> None:
    assert (nearest_256(*wanted), nearest_16(*wanted)) == (of_256, of_16)


def test_a_grey_is_one_of_the_256_that_is_nobodys_own_and_no_other_grey_of_them_is_nearer() -> None:
    greys = {number: rgb_of_256(number)[0] for number in range(232, 256)}
    for level in range(256):
        found = greys[nearest_grey(level, level, level)]
        assert abs(found - level) == min(abs(other - level) for other in greys.values())
        assert 16 <= nearest_256(level, level, level) < 256


@pytest.mark.parametrize(
    ("term", "colorterm", "depth"),
    [
        ("xterm-256color", "", ColourDepth.INDEXED),
        ("xterm-256color", "truecolor", ColourDepth.TRUE),
        ("xterm-kitty", "", ColourDepth.TRUE),
        ("screen-256color", "", ColourDepth.INDEXED),
        ("tmux-256color", "truecolor", ColourDepth.INDEXED),
        ("screen", "truecolor", ColourDepth.INDEXED),
        ("tmux-direct", "", ColourDepth.TRUE),
        ("xterm", "", ColourDepth.SIXTEEN),
        ("linux", "", ColourDepth.SIXTEEN),
        ("vt100", "", ColourDepth.MONO),
        ("", "", ColourDepth.MONO),
        ("never-heard-of", "", ColourDepth.SIXTEEN),
    ],
)
def test_how_many_colours_a_terminal_has_follows_from_term_and_colorterm(
    term: str, colorterm: str, depth: ColourDepth
) -> None:
    assert kind_of(term, {"COLORTERM": colorterm}).depth is depth


def test_all_colours_under_a_veil_are_grey_where_256_have_but_few_hues_so_dark() -> None:
    colours = Colours()
    for red, green, blue in ((255, 215, 0), (255, 95, 95), (0, 175, 255), (95, 215, 95), (215, 95, 255)):
        shown = rgb_of_256(colours.of_256((3 * red // 10 + 12, 3 * green // 10 + 12, 3 * blue // 10 + 12)))
        assert len(set(shown)) == 1


def test_what_is_dim_stays_dim_where_256_colours_have_but_one_for_ink_and_ground() -> None:
    codes = SgrCodes(TerminalKind(ColourDepth.INDEXED))
    for ink, ground in (("#1b1813", "#17150f"), ("#17150f", "#1b1813")):
        look = codes.renditions(Style(color=ink, bgcolor=ground)).signs
        shade, under = (int(code.rsplit(";", 1)[1]) for code in (look.ink, look.ground))
        assert shade != under
        assert abs(luminance(*rgb_of_256(shade)) - luminance(*rgb_of_256(under))) < 40
