"""The meaning of every sign on the rows of cards, in one sentence with this match's own figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kk_core.games.land_cards import model
from kk_core.games.land_cards.model import COLUMNS, ROWS, STONE, TAKEN, Observation
from kk_core.games.land_cards.notation import COUNTRY_NAMES, SYMBOL_NAMES
from kk_core.text import Text, text
from kk_core.types import Seat
from kk_tui.games.land_cards.panels import cards_left, collected, in_rows
from kk_tui.games.land_cards.picture import BoardLayout, BoardPicture, CellLook, Part, part_at
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import figures
from kk_tui.widgets.explanation import Explanation

_CARDS, _TAKING, _STONES, _LAWS, _SCORING, _SCREEN = (
    "the-cards", "taking-cards", "cards-under-stones", "law-cards", "scoring", "on-the-screen",
)  # fmt: skip
"""Sections of the rules."""


def explain_place(
    scene: Scene[Observation], picture: BoardPicture, layout: BoardLayout, x: int, y: int
) -> Explanation | None:
    """Return the meaning of a place in the rows: a card's part, a frame, or the number of a row."""
    if y >= ROWS * layout.pitch_y or x >= layout.right - 1:
        return _frame(picture, layout, x, y)
    if x < layout.left:
        row = text("Row {row}: take cards from its left or right end.", row=y // layout.pitch_y + 1)
        return Explanation(row, _TAKING) if y % layout.pitch_y else None
    column, row_number = (x - layout.left) // layout.pitch_x, y // layout.pitch_y
    inside_x, inside_y = (x - layout.left) % layout.pitch_x - 1, y % layout.pitch_y - 1
    if inside_x < 0 or inside_y < 0:
        return _frame(picture, layout, x, y)
    cell = row_number * COLUMNS + column
    look = picture.looks[cell]
    if look.is_gone:
        taker, country = scene.name(look.lies - TAKEN), COUNTRY_NAMES[model.country_of(look.face)]
        words = text("{name} has taken this card of {country}.", name=taker, country=country)
        return Explanation(words, _SCREEN)
    if look.is_ghost:
        taker = scene.name(look.lies - TAKEN)
        return Explanation(text("{name} has taken this card since your turn.", name=taker), _SCREEN)
    part, symbol = part_at(look, layout.card_width, layout.card_height, inside_x, inside_y)
    return _part(scene, look, part, symbol)


def _frame(picture: BoardPicture, layout: BoardLayout, x: int, y: int) -> Explanation | None:
    """Return the meaning of a gap between cards: a row's number, a mark, or a frame of a card beside it."""
    (column, right), (row, down) = divmod(x - layout.left, layout.pitch_x), divmod(y, layout.pitch_y)
    if not layout.left and x == 0 and down == layout.middle:
        return Explanation(text("Row {row}: take cards from either end.", row=row + 1), _TAKING)
    below = picture.frames.get(row * COLUMNS + column) if right and not down else None
    if below is not None and below.label:
        return Explanation(_FRAMES["hint"], _SCREEN)
    beside = ((row - by, column - to) for by in (0, 1) for to in (0, 1))
    cells = [above * COLUMNS + left for above, left in beside if 0 <= above < ROWS and 0 <= left < COLUMNS]
    kinds = {picture.frames[cell].kind for cell in cells if cell in picture.frames}
    for kind, words in _FRAMES.items():
        if kind in kinds:
            return Explanation(words, _SCREEN, gives_way=kind in ("cursor", "hover"))
    return None


_FRAMES: Final = {
    "hint": text("Marks a card from the hint, or in an analysis the better and the played one."),
    "cursor": text("The frame marks the cursor; the lines below describe its card."),
    "picked": text("The frame marks the stone being moved."),
    "hover": text("The frame marks the card under the mouse."),
    "new": text("The player of this colour has just placed a stone here."),
}


def _part(scene: Scene[Observation], look: CellLook, part: Part, symbol: int) -> Explanation:
    """Return the meaning of a part of a card in the rows."""
    country = model.country_of(look.face)
    match part:
        case Part.SYMBOL:
            return Explanation(symbol_words(scene, country, symbol), _SCORING)
        case Part.ROUTE:
            return Explanation(route_words(scene, model.route_of(look.face)), _SCORING)
        case Part.NUMBER:
            return Explanation(
                text(
                    "{n} cards of {country} in the game, {left} of them still in the rows.",
                    n=look.printed, country=COUNTRY_NAMES[country], left=in_rows(scene.observation, country),
                ),
                _CARDS,
            )  # fmt: skip
        case Part.COUNTRY:
            return Explanation(country_words(scene, country), _SCORING)
        case Part.FIELD if look.lies >= STONE:
            return _stone(scene, look)
        case Part.FIELD if look.has_law:
            told = text("A face-down law card: whoever takes the card gets it, in secret.")
            return Explanation(told, _LAWS)
        case Part.FIELD if look.offered is not None:
            name = scene.name(look.offered)
            return Explanation(text("{name}'s stone would be placed here.", name=name), _SCREEN)
        case Part.FIELD if look.left is not None:
            name = scene.name(look.left)
            return Explanation(text("{name}'s stone was here, and has just left.", name=name), _SCREEN)
    if look.is_open:
        return Explanation(
            text("A bright card of {country}: it can be chosen now.", country=COUNTRY_NAMES[country]),
            _TAKING,
        )
    return Explanation(
        text("A dim card of {country}: it can't be chosen now.", country=COUNTRY_NAMES[country]),
        _TAKING,
    )


def _stone(scene: Scene[Observation], look: CellLook) -> Explanation:
    """Return what a stone on a card does, or at the end who took the card."""
    name = scene.name(look.lies - STONE)
    if scene.is_over:
        return Explanation(text("{name} took this card.", name=name), _SCREEN)
    if look.has_law:
        return Explanation(
            text("{name}'s stone beside a law card: others pay a stone to take both.", name=name), _STONES
        )
    return Explanation(text("{name}'s stone: others pay a stone to take this card.", name=name), _STONES)


def symbol_words(scene: Scene[Observation], country: int, symbol: int) -> Text:
    """Return what a circle symbol counts for."""
    best = [collected(scene.observation, seat).best[country] for seat in _seats(scene)]
    names = {"symbol": SYMBOL_NAMES[symbol], "country": COUNTRY_NAMES[country]}
    if not any(best):
        return text("{symbol}: in {country}, most of any one symbol scores; nobody has any.", **names)
    return text(
        "{symbol}: in {country}, most of any one symbol scores; so far {counts}.",
        counts=figures(best),
        **names,
    )


def route_words(scene: Scene[Observation], route: int) -> Text:
    """Return what ships or carriages count for."""
    all_of = [collected(scene.observation, seat) for seat in _seats(scene)]
    if route == 1:
        ships = figures([of.ships for of in all_of])
        return text("At the end, 5 or more ships score 1 each; so far {counts}.", counts=ships)
    carriages = figures([of.carriages for of in all_of])
    return text("At the end, 5 or more carriages score 1 each; so far {counts}.", counts=carriages)


def country_words(scene: Scene[Observation], country: int) -> Text:
    """Return who has how many cards of a country."""
    counts = [collected(scene.observation, seat).cards[country] for seat in _seats(scene)]
    return text(
        "{country}: the most cards score the most; so far {counts}.",
        country=COUNTRY_NAMES[country], counts=figures(counts),
    )  # fmt: skip


def _seats(scene: Scene[Observation]) -> Sequence[Seat]:
    return range(len(scene.names))


def explain_status(scene: Scene[Observation]) -> Sequence[Text]:
    """Return what a turn consists of, and when the match ends."""
    left = cards_left(scene.observation)
    turn = text("A turn: take cards of one country, then place a stone if you like.")
    if not left:
        return (text("The last card has been taken: the match is over."),)
    return turn, text("The match ends when the last of these {n} cards is taken.", n=left)
