"""How Ku-Ka-King looks: colours by candle light and by day, signs with an ASCII twin, short names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from kk_core.games.ku_ka_king.model import ANIMALS, CARDS, CHURCH, KING, KNIGHT, LINES, POINTS2, POINTS4
from kk_core.text import Text, text
from kk_tui.theme.palette import GROUND, INK, Shade, blend

_CARD_SIGNS: Final = (
    ("ω", "m"),  # sheep: the wool
    ("∩", "n"),  # horse: the shoe
    ("σ", "o"),  # pig: the tail
    ("Ψ", "Y"),  # cow: the horns
    ("ж", "k"),  # chicken: the foot
    ("ς", "s"),  # goose: the neck
    ("γ", "y"),  # goat: the beard
    ("ν", "v"),  # rabbit: the ears
    ("♔", "K"),
    ("♘", "N"),
    ("†", "t"),
    ("♦", "*"),
    ("♦", "*"),
    ("♦", "*"),
    ("♂", "F"),
    ("♀", "W"),
    ("⌂", "H"),
)

GLYPHS: Final[Mapping[str, tuple[str, str]]] = {
    **{f"ku_ka_king-{name}": pair for name, pair in zip(CARDS, _CARD_SIGNS, strict=True)},
    "ku_ka_king-stays": ("✓", "+"),
    "ku_ka_king-goes": ("✗", "x"),
    "ku_ka_king-edge": ("▌", "|"),
    "ku_ka_king-upper": ("▀", "="),
    "ku_ka_king-corner": ("▝", " "),
    "ku_ka_king-left-half": ("▌", "#"),
    "ku_ka_king-right-half": ("▐", "#"),
    "ku_ka_king-crack-down": ("╲", "\\"),
    "ku_ka_king-crack-up": ("╱", "/"),
    "ku_ka_king-shard": ("▚", "#"),
    "ku_ka_king-shard-2": ("▘", "'"),
}
"""The cards, the green tick, the red cross, the edge of a card that lies on another, frames, and cracks."""

_GROUPS: Final = {
    "animals": ("#98b569", "#a3b45c"),
    "kings": ("#e0b540", "#dcb53e"),
    "knights": ("#86a9d0", "#86a9d4"),
    "churches": ("#b895d4", "#b596d6"),
    "points": ("#d5806f", "#dc8878"),
    "farm": ("#bf9a78", "#cba37c"),
}
"""Every scoring's colour by candle light and by day."""


def group(card: int) -> str:
    """The line of the score sheet that a card counts for."""
    if card < ANIMALS:
        return "animals"
    named = {KING: "kings", KNIGHT: "knights", CHURCH: "churches"}
    return named.get(card) or ("points" if POINTS2 <= card <= POINTS4 else "farm")


def group_variable(name: str) -> str:
    """The theme variable of a scoring's colour.

    With `-body` the quieter ground of a card, with `-under` the same in another one's shade, with `-ink`
    writing on the page, with `-rest` and `-rest-ink` ground and ink of a card that cannot be called.
    """
    return f"ku_ka_king-{name}"


def sign(card: int) -> str:
    """The name of a card's sign in the table of glyphs."""
    return f"ku_ka_king-{CARDS[card]}"


def _shades(name: str) -> Iterator[tuple[str, Shade]]:
    colour, variable = _GROUPS[name], group_variable(name)
    yield variable, colour
    yield f"{variable}-under", blend(colour, (GROUND[0], INK[1]), (0.28, 0.14))
    yield f"{variable}-body", blend(colour, GROUND, (0.74, 0.5))
    yield f"{variable}-under-body", blend(colour, GROUND, (0.82, 0.38))
    yield f"{variable}-rest", blend(colour, GROUND, (0.88, 0.78))
    yield f"{variable}-rest-ink", blend(colour, (GROUND[0], INK[1]), (0.35, 0.45))
    yield f"{variable}-ink", blend(colour, INK, (0.1, 0.55))


COLOURS: Final[Mapping[str, Shade]] = {
    "ku_ka_king-card-ink": ("#14120e", "#14120e"),
    "ku_ka_king-body-ink": ("#e4d8bd", "#2b2419"),
    "ku_ka_king-number": ("#453a25", "#d9c595"),
    "ku_ka_king-number-rest": ("#25211a", "#e6d9ba"),
    "ku_ka_king-good": ("#86d07a", "#1c6a2c"),
    "ku_ka_king-bad": ("#f2806c", "#a8201a"),
    **{name: pair for line in LINES for name, pair in _shades(line)},
}
"""Theme variables: name to (by candle light, by day)."""

LINE_NAMES: Final[tuple[Text, ...]] = (
    text("kings"),
    text("churches"),
    text("points"),
    text("knights"),
    text("animals"),
    text("farm"),
)
"""The lines of a scoring, in at most 8 columns."""

FIRST_NAMES: Final[tuple[Text, ...]] = (
    text("First: kings"),
    text("First: churches"),
    text("First: victory points"),
    text("First: knights"),
    text("First: animals"),
    text("First: farm"),
)
"""The lines of the first scoring on the score sheet, in at most 22 columns."""

FINAL_NAMES: Final[tuple[Text, ...]] = (
    text("Final: kings"),
    text("Final: churches"),
    text("Final: victory points"),
    text("Final: knights"),
    text("Final: animals"),
    text("Final: farm"),
)
"""The lines of the final scoring on the score sheet, in at most 22 columns."""

SHORT_NAMES: Final[tuple[Text, ...]] = (
    text("sheep"),
    text("horse"),
    text("pig"),
    text("cow"),
    text("hen"),
    text("goose"),
    text("goat"),
    text("rabbit"),
    text("king"),
    text("knight"),
    text("church"),
    text("2 pts"),
    text("3 pts"),
    text("4 pts"),
    text("farmer"),
    text("wife"),
    text("house"),
)
"""The types of cards, in at most 6 columns, to stand behind their signs."""
