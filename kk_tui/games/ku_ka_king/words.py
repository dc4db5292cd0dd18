"""The words of Ku-Ka-King that are drawn on cards and in tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kk_core.games.ku_ka_king.model import (
    ANIMALS,
    CHURCH,
    FARMHOUSE,
    KING,
    KNIGHT,
    POINTS2,
    POINTS4,
    Scale,
)
from kk_core.text import Text, text
from kk_tui.i18n import _

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


def listed(items: Sequence[Text | str]) -> Text | str:
    """One after the other, with commas."""
    *before, last = items
    for item in reversed(before):
        last = text("{first}, {others}", first=item, others=last)
    return last


def figures(points: Sequence[int], room: int, ellipsis: str) -> str:
    """Points for 1, 2, 3 ... cards; those before the last are left out where there is no room."""
    every = [str(figure) for figure in points]
    full = " ".join(every)
    for shown in range(len(every) - 1, 0, -1):
        if len(full) <= room:
            break
        full = f"{' '.join(every[: shown - 1])}{ellipsis}{every[-1]}"
    return full


def scoring(card: int, scale: Scale, room: int, ellipsis: str) -> str:
    """What a card scores, in the words at the bottom of the card; in full where `room` allows."""
    if card < ANIMALS:
        return figures(scale.animals[1:], room, ellipsis)
    if card == KING:
        return figures(scale.kings[1:], room, ellipsis)
    long, short = _words(card, scale)
    return long if len(long) <= room else short


def _words(card: int, scale: Scale) -> tuple[str, str]:
    """In full, and in about 10 columns."""
    if card == KNIGHT:
        one, most = scale.knight, scale.most_knights
        return _("{one} each, {most} for the most", one=one, most=most), _(
            "{one}, most {most}", one=one, most=most
        )
    if card == CHURCH:
        return _("{points} for the most", points=scale.churches), _("most {points}", points=scale.churches)
    if POINTS2 <= card <= POINTS4:
        points = scale.points[card - POINTS2]
        return _("worth {points} points", points=points), _("worth {points}", points=points)
    full = _("pair {pair}, with house {trio}", pair=scale.pair, trio=scale.trio)
    if card == FARMHOUSE:
        return full, _("trio {points}", points=scale.trio)
    return full, _("pair {points}", points=scale.pair)


def title(round_: int, *, second: bool, last: bool, pile: int, box: int) -> Text:
    """The header's words: round, pass, and what is left."""
    if last:
        return text(
            "Round {round}, the last one  |  pile {pile}, box {box}", round=round_, pile=pile, box=box
        )
    number = 2 if second else 1
    return text(
        "Round {round}, pass {number} of 2  |  pile {pile}, box {box}",
        round=round_, number=number, pile=pile, box=box,
    )  # fmt: skip
