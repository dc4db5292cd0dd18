"""Collections and points as lines and tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from textual.content import Content

from kk_core.games.ku_ka_king.model import CARDS, LINES, Observation, with_cards
from kk_core.types import Move
from kk_tui.games import Race
from kk_tui.games.ku_ka_king.theme import (
    LINE_NAMES,
    SHORT_NAMES,
    group,
    group_variable,
    sign,
)
from kk_tui.i18n import _, render
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs

_LABEL: Final = 9
"""Columns of a label; a seat has a column of `_FIGURE` beside it."""

_FIGURE: Final = 3


def race(scene: Scene[Observation]) -> Sequence[Race]:
    """How many cards of each group everybody has, and what they stand for."""
    view = scene.observation
    first = view.standing_from
    return [
        Race(
            LINE_NAMES[index],
            group_variable(line),
            held(view.collections, line),
            view.sheet[first + index],
            line=(first + index,),
        )
        for index, line in enumerate(LINES)
    ]


def held(collections: Sequence[bytes], line: str) -> tuple[int, ...]:
    """How many cards that count for a line every seat has."""
    types = [card for card in range(len(CARDS)) if group(card) == line]
    return tuple(sum(cards[card] for card in types) for cards in collections)


def merits(scene: Scene[Observation], row: Move) -> str:
    """How many cards of each type in a row the viewer would have with them; some score only later."""
    view = scene.observation
    if view.viewer is None:
        return ""
    cards = view.rows[row - 1]
    then = with_cards(view.collections[view.viewer], cards)
    words = (f"{render(SHORT_NAMES[card])} {then[card]}" for card in sorted(set(cards)))
    return _("then in the collection: {cards}", cards=", ".join(words))


def clash(scene: Scene[Observation], row: Move) -> str:
    """The outermost card of a row that several call goes into the box; who does not call it leaves it to the
    others, which is why it may be called nevertheless.
    """
    lost = render(SHORT_NAMES[scene.observation.rows[row - 1][-1]])
    return _(
        "then the outermost card ({card}) goes and you choose again; staying away leaves the row to them",
        card=lost,
    )


def collection_lines(scene: Scene[Observation], glyphs: Glyphs, *, points: bool = True) -> Iterable[Content]:
    """How many cards of each type everybody has, in the order of scoring; heading and points where wanted.

    Nothing before anybody has a card.
    """
    view = scene.observation
    if points and any(map(any, view.collections)):
        yield _row("", [glyphs.owner(seat) for seat in range(len(scene.names))], "$gold")
    for index, line in enumerate(LINES):
        types = [card for card in range(len(CARDS)) if group(card) == line]
        held = [card for card in types if any(cards[card] for cards in view.collections)]
        for card in held:
            label = f"{glyphs[sign(card)]} {render(SHORT_NAMES[card])}"
            yield _row(
                label, _figures([cards[card] for cards in view.collections]), f"${group_variable(line)}-ink"
            )
        if held and points:
            now = view.sheet[view.standing_from + index]
            yield _row(f"  {_('points')}", _zeros(now), "$gold", figures="$gold")


def _figures(numbers: Iterable[int]) -> list[str]:
    return [str(number) if number else "" for number in numbers]


def _zeros(numbers: Iterable[int]) -> list[str]:
    return [str(number) for number in numbers]


def _row(label: str, cells: Sequence[str], style: str, *, figures: str | None = None) -> Content:
    """A label and a column for each seat, in its colour."""
    parts = [(f"{cell:>{_FIGURE}}", figures or f"$seat-{seat}") for seat, cell in enumerate(cells)]
    return Content.assemble((f"{label[:_LABEL]:<{_LABEL}}", style), *parts)
