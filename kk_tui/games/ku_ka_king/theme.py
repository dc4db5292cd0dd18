"""The theme of Ku-Ka-King: names of its colours, signs with an ASCII twin, short names, figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from kk_core.games.ku_ka_king.model import (
    ANIMALS,
    CARDS,
    CHURCH,
    FARMER,
    FARMERS_WIFE,
    FARMHOUSE,
    KING,
    KNIGHT,
    LINES,
    POINTS2,
    POINTS3,
    POINTS4,
)
from kk_core.text import Text, text, text_in
from kk_tui.i18n import render
from kk_tui.pixels import Pixels, quadrants, read_pictures
from kk_tui.scoring_animation import Pictogram
from kk_tui.theme.glyphs import Glyphs
from kk_tui.theme.palette import read_palettes

_CARD_SIGNS: Final[Mapping[int, tuple[str, str]]] = {
    KING: ("♔", "K"),
    KNIGHT: ("♘", "N"),
    CHURCH: ("†", "t"),
    FARMER: ("♂", "F"),
    FARMERS_WIFE: ("♀", "W"),
    FARMHOUSE: ("⌂", "H"),
}
"""Cards that a common sign stands for, with an ASCII twin."""

_LETTERS: Final[Mapping[int, Text]] = {
    # Translators: one or two letters for a king, knight, farmer, farmer's wife and house, without accents
    KING: text_in("letters", "K"),
    KNIGHT: text_in("letters", "N"),
    FARMER: text_in("letters", "F"),
    FARMERS_WIFE: text_in("letters", "W"),
    FARMHOUSE: text_in("letters", "H"),
}
"""Letters for cards where their signs cannot be shown."""

COLOURS: Final = read_palettes(Path(__file__).with_name("palettes.toml"))

GLYPHS: Final[Mapping[str, tuple[str, str]]] = {
    **{f"ku_ka_king-{CARDS[card]}": pair for card, pair in _CARD_SIGNS.items()},
    "ku_ka_king-stays": ("✓", "+"),
    "ku_ka_king-goes": ("✗", "x"),
    "ku_ka_king-edge": ("▌", "|"),
    "ku_ka_king-upper": ("▀", "="),
    "ku_ka_king-corner": ("▝", " "),
    "ku_ka_king-hover": ("│", "|"),
    "ku_ka_king-left-half": ("▌", "<"),
    "ku_ka_king-right-half": ("▐", ">"),
    "ku_ka_king-crack-down": ("╲", "\\"),
    "ku_ka_king-crack-up": ("╱", "/"),
    "ku_ka_king-shard": ("▚", "#"),
    "ku_ka_king-shard-2": ("▘", "'"),
}
"""Cards, the tick and the cross on them, the edge of one that lies on another, frames, and cracks."""


def group(card: int) -> str:
    """Return the line of the score sheet that a card counts for."""
    if card < ANIMALS:
        return "animals"
    named = {KING: "kings", KNIGHT: "knights", CHURCH: "churches"}
    return named.get(card) or ("points" if POINTS2 <= card <= POINTS4 else "farm")


def group_variable(name: str) -> str:
    """Return the theme variable of a scoring's colour.

    With `-under` it is that of a card under others, with `-ink` text on the page, with `-rest` and
    `-rest-ink` ground and ink of a card that cannot be called.
    """
    return f"ku_ka_king-{name}"


def sign(card: int, glyphs: Glyphs) -> str:
    """Return a card in one or two columns: by its sign, or by letters where no sign would be understood."""
    if glyphs.ascii_only and card in _LETTERS:
        return render(_LETTERS[card])
    return glyphs[f"ku_ka_king-{CARDS[card]}"] if card in _CARD_SIGNS else render(_ABBREVIATIONS[card])


def pictogram(card: int) -> Pictogram:
    """Return a card's sign and figures."""
    pictures = tuple(figure(card, size) for size in reversed(range(len(FIGURE_SIZES))))
    ground = group_variable(group(card))
    letters = None if card in _CARD_SIGNS else _ABBREVIATIONS[card]
    return Pictogram(f"ku_ka_king-{CARDS[card]}", "ku_ka_king-card-ink", ground, pictures, letters)


def line_sign(line: str, glyphs: Glyphs) -> str:
    """Return a line of the score sheet in one or two columns, where there is no room for its cards."""
    return sign(_OF_LINE[line], glyphs) if line in _OF_LINE else render(_LINE_ABBREVIATIONS[line])


def signed_name(card: int, glyphs: Glyphs, names: Sequence[Text] | None = None) -> str:
    """Return a card's name, by default its short one, after its sign where it has one."""
    name = render((names or SHORT_NAMES)[card])
    return f"{sign(card, glyphs)} {name}" if card in _CARD_SIGNS else name


LINE_NAMES: Final[tuple[Text, ...]] = (
    text("kings"),
    text("churches"),
    text("points"),
    text("knights"),
    text("animals"),
    text("farm"),
)
"""The lines of a scoring, in at most 8 columns."""


def line_name(kind: int) -> Text:
    """Return a line of a scoring by its cards in whole words: "points" alone could be anything's."""
    return text("point cards") if LINES[kind] == "points" else LINE_NAMES[kind]


SHEET_CODES: Final[tuple[Text, ...]] = (
    # Translators: labels of lines of points, in at most 7 columns
    text_in("sheet", "king"),
    text_in("sheet", "church"),
    text_in("sheet", "points"),
    text_in("sheet", "knight"),
    text_in("sheet", "animals"),
    text_in("sheet", "farm"),
)
"""The lines of a scoring beside columns of figures, in at most 7 columns."""

FIRST_NAMES: Final[tuple[Text, ...]] = (
    text("First: kings"),
    text("First: churches"),
    text("First: point cards"),
    text("First: knights"),
    text("First: animals"),
    text("First: farm"),
)
"""The lines of the first scoring on the score sheet, in at most 22 columns."""

FINAL_NAMES: Final[tuple[Text, ...]] = (
    text("Final: kings"),
    text("Final: churches"),
    text("Final: point cards"),
    text("Final: knights"),
    text("Final: animals"),
    text("Final: farm"),
)
"""The lines of the final scoring on the score sheet, in at most 22 columns."""

SHORT_NAMES: Final[tuple[Text, ...]] = (
    text_in("short", "sheep"),
    text_in("short", "horse"),
    text_in("short", "pig"),
    text_in("short", "cow"),
    text_in("short", "chicken"),
    text_in("short", "goose"),
    text_in("short", "goat"),
    text_in("short", "rabbit"),
    text_in("short", "king"),
    text_in("short", "knight"),
    text_in("short", "church"),
    text("2 pts"),
    text("3 pts"),
    text("4 pts"),
    text_in("short", "farmer"),
    text_in("short", "wife"),
    text_in("short", "house"),
)
"""The types of cards, in at most 7 columns."""

_ABBREVIATIONS: Final[Mapping[int, Text]] = {
    0: text("Sh"),  # sheep
    1: text("Ho"),  # horse
    2: text("Pi"),  # pig
    3: text("Co"),  # cow
    4: text("Ch"),  # chicken
    5: text("Gs"),  # goose
    6: text("Gt"),  # goat
    7: text("Ra"),  # rabbit
    POINTS2: text("2p"),
    POINTS3: text("3p"),
    POINTS4: text("4p"),
}
"""The types without a sign, in two columns."""

_OF_LINE: Final = {"kings": KING, "churches": CHURCH, "knights": KNIGHT, "farm": FARMHOUSE}
_LINE_ABBREVIATIONS: Final[Mapping[str, Text]] = {"points": text("pt"), "animals": text("an")}

FIGURE_SIZES: Final = ((12, 6), (8, 4), (6, 3), (6, 2))
"""Columns and lines of the figures, the largest first."""

_FIGURES: Final = Path(__file__).parent / "art" / "figures.txt"


@cache
def figure(card: int, size: int) -> tuple[str, ...]:
    """Return the lines of a card's figure, blocks and blanks, in one of `FIGURE_SIZES`."""
    return tuple(quadrants(figure_points(card, size)))


def figure_points(card: int, size: int) -> Pixels:
    """Return a card's figure in one of `FIGURE_SIZES`, `#` for ink; a point is half as wide as high."""
    return read_pictures(_FIGURES, each=len(FIGURE_SIZES))[CARDS[card]][size]
