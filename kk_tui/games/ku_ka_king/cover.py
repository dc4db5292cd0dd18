"""Ku-Ka-King on the first screen: rows of overlapping cards, and the king's crown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from kk_core.games.ku_ka_king.model import CARDS, META
from kk_tui.cover import Cover
from kk_tui.games import Appearance
from kk_tui.games.ku_ka_king.theme import COLOURS, GLYPHS, figure_points, group, group_variable
from kk_tui.pixels import Pixels, read_pictures

Box: TypeAlias = tuple[int, int, int, int]
"""Left, top, width, height."""

_ART: Final = Path(__file__).parent / "art" / "cover.txt"
_GOLD: Final = {"o": "possible", "#": "gold", "r": "seat-0", "b": "seat-1"}

_ROWS: Final = (
    ("farmer", "king", "cow"),
    ("sheep", "church", "knight"),
    ("knight", "horse", "farmhouse"),
    ("king", "pig", "rabbit"),
)
"""The cards, the outermost last."""

_ROOMY: Final = 40
"""Columns and rows of pixels from which there are rows of cards, and the crown above them."""

_AMPLE: Final = 6
"""Rows of pixels over the highest figure of a row from which the figures stand further up, in the middle."""


def cover(width: int, height: int) -> Cover:
    """Return the picture at a size in pixels."""
    picture = Cover(width, height)
    king = next(_drawings("king"))
    if width < _ROOMY and height < _ROOMY and max(map(len, king)) < width and len(king) < height // 2 * 2:
        # rows of cards would be too small for their figures to be known
        tall = min(height, width * 3 // 2) // 2 * 2
        _row(picture, (0, 0, width, tall), width, ("king",))
        return picture
    (crown,) = read_pictures(_ART, signs="#.orb")["crown"]
    tall, wide = len(crown), len(crown[0])
    if height >= _ROOMY:
        scale = max(1, min(width * 6 // 10 // wide, height // 5 // tall))
        picture.stamp((width - wide * scale) // 2, 0, crown, _GOLD, (scale, scale))
        _rows(picture, (0, tall * scale + 2, width, height - tall * scale - 2), 3, is_centred=True)
    else:
        scale = max(1, min(width * 6 // 10 // wide, height * 8 // 10 // tall))
        picture.stamp(width - wide * scale, (height - tall * scale) // 2, crown, _GOLD, (scale, scale))
        _rows(picture, (0, 0, width - wide * scale - max(1, width // 12), height), len(_ROWS))
    return picture


def _rows(picture: Cover, box: Box, number: int, *, is_centred: bool = False) -> None:
    """Draw `number` rows one below the other, centred or from the left."""
    left, top, width, height = box
    pitch = height // number
    step, outermost = _columns(width, pitch - 1)
    if is_centred:
        left += (width - (len(_ROWS[0]) - 1) * step - outermost) // 2
    first = top + (height - pitch * number + 1) // 2
    # no gap is needed below the last row, so that lower edges can be between two characters
    first += (first + pitch - 1) % 2
    for row, cards in enumerate(_ROWS[:number]):
        _row(picture, (left, first + row * pitch, step, pitch - 1), outermost, cards)


def _columns(width: int, tall: int) -> tuple[int, int]:
    """Return the columns from one card of a row to the next, and those of the outermost one."""
    step = max(2, width // 3 if width >= _ROOMY else width // 4)
    return step, min(width - (len(_ROWS[0]) - 1) * step, max(3, tall * 6 // 5))


def _row(picture: Cover, box: Box, outermost: int, cards: tuple[str, ...]) -> None:
    """Draw a row of cards, each over the one to its left, with a figure on its visible part.

    `box` is that of the innermost card. All figures stand on one line.
    """
    left, top, step, tall = box
    visible = (*(step - 1 for _card in cards[1:]), outermost)
    figures = [_figure(name, wide, tall) for name, wide in zip(cards, visible, strict=True)]
    line = top + tall - _lift(figures, top, tall)
    for column, (name, wide, drawn) in enumerate(zip(cards, visible, figures, strict=True)):
        is_outermost = column == len(cards) - 1
        x = left + column * step
        ground = group_variable(group(CARDS.index(name)))
        if column and tall >= 3:
            picture.block(x - 1, top, 1, tall, "ground-deep")
        picture.block(x, top, wide + (not is_outermost), tall, ground if is_outermost else f"{ground}-under")
        middle = x + (wide - max(map(len, drawn), default=0) + 1) // 2
        picture.stamp(middle, line - len(drawn), drawn, {"#": "ku_ka_king-card-ink"})


def _lift(figures: Sequence[Pixels], top: int, tall: int) -> int:
    """Return the rows of pixels from the lower edge of a row of cards to the line on which its figures stand.

    The line is between two characters, so that none shows half of what is drawn twice.
    """
    over = tall - max(map(len, figures))
    return over // 2 + (top + tall - over // 2) % 2 if over >= _AMPLE else 0


def _figure(name: str, width: int, tall: int) -> Pixels:
    """Return the largest figure of a card that fits; nothing if none does."""
    return next(
        (drawn for drawn in _drawings(name) if max(map(len, drawn)) < width and len(drawn) < tall), []
    )


def _drawings(name: str) -> Iterator[Pixels]:
    """Yield the figure of a card in pixels, the largest first."""
    # its points are half as wide as high
    drawn = [[row.rstrip(".") for row in figure_points(CARDS.index(name), size)] for size in range(3)]
    for rows in drawn[:2]:
        yield [row for row in rows for _ in range(2)]
    for rows in drawn:
        yield ["".join("#" if "#" in row[x : x + 2] else "." for x in range(0, len(row), 2)) for row in rows]


_BESIDE: Final = "[│|][^│|]+"
DRAWN: Final = {
    rf"[^│|]+(?={_BESIDE * 2}[│|] [d-f]$)": "$ku_ka_king-card-ink on $ku_ka_king-kings-under",
    rf"[^│|]+(?={_BESIDE}[│|] [d-f]$)": "$ku_ka_king-card-ink on $ku_ka_king-churches-under",
    r"[^│|]+(?=[│|] [d-f]$)": "$ku_ka_king-card-ink on $ku_ka_king-farm",
}
"""The three cards of the row that the rules draw, two of them partly covered."""

APPEARANCE: Final = Appearance(meta=META, colours=COLOURS, glyphs=GLYPHS, cover=cover, drawn=DRAWN)
