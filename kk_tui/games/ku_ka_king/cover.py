"""Ku-Ka-King on the first screen: rows of overlapping cards, and the king's crown."""

from __future__ import annotations

from typing import Final

from kk_tui.cover import Cover

_CROWN: Final = (
    "o....o....o",
    "#....#....#",
    "##..###..##",
    "##..###..##",
    "###########",
    "#r##b#b##r#",
    "###########",
)
_GOLD: Final = {"o": "possible", "#": "gold", "r": "seat-0", "b": "seat-1"}

_ROWS: Final = (
    ("animals", "knights", "churches"),
    ("farm", "animals", "points"),
    ("kings", "churches", "animals"),
    ("knights", "points", "farm"),
)
"""The kinds of the cards, the outermost last."""


def cover(width: int, height: int) -> Cover:
    """The picture at a size in pixels."""
    picture = Cover(width, height)
    scale = max(1, min(width * 6 // 10 // len(_CROWN[0]), height * 8 // 10 // len(_CROWN)))
    crown = len(_CROWN[0]) * scale
    room = width - crown - max(1, width // 12)
    pitch = max(3, height // len(_ROWS))
    top = (height - pitch * len(_ROWS) + 1) // 2
    for row, cards in enumerate(_ROWS):
        _row(picture, top + row * pitch, pitch - 1, room, cards)
    picture.stamp(width - crown, (height - len(_CROWN) * scale) // 2, _CROWN, _GOLD, scale)
    return picture


def _row(picture: Cover, top: int, tall: int, room: int, cards: tuple[str, ...]) -> None:
    """A row of cards, each over the one to its left, with a picture on the outermost."""
    step = max(2, room // (len(cards) + 1))
    wide = min(room - step * (len(cards) - 1), max(3, tall * 4 // 5))
    for column, kind in enumerate(cards):
        left = column * step
        if column and tall >= 3:
            picture.block(left - 1, top, 1, tall, "ground-deep")
        picture.block(left, top, wide, tall, f"ku_ka_king-{kind}")
        if tall >= 5:
            picture.block(left + 1, top + 1, max(1, step // 3), 2, "ku_ka_king-card-ink")
    if tall >= 5:
        left, size = (len(cards) - 1) * step, max(1, wide // 3)
        picture.block(left + (wide - size + 1) // 2, top + tall - size - 1, size, size, "ku_ka_king-card-ink")
