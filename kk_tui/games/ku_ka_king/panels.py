"""Collections and points as lines and tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from textual.content import Content

from kk_core.games.ku_ka_king.model import CARDS, LINES, Observation, with_cards
from kk_core.text import Text, text
from kk_core.types import Move
from kk_tui.games import Race
from kk_tui.games.ku_ka_king.reveal import standing
from kk_tui.games.ku_ka_king.theme import LINE_NAMES, SHORT_NAMES, group, group_variable, sign
from kk_tui.i18n import _, render
from kk_tui.keymap import Action, choice
from kk_tui.table.scene import Scene
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


def status(scene: Scene[Observation]) -> Text:
    """Round and pass, and what is left, for the header."""
    view = scene.observation
    if view.last_round:
        return text(
            "Round {round}, the last one  |  pile {pile}, box {box}",
            round=view.round, pile=view.pile, box=view.box,
        )  # fmt: skip
    return text(
        "Round {round}, pass {number} of 2  |  pile {pile}, box {box}",
        round=view.round, number=2 if view.second_pass else 1, pile=view.pile, box=view.box,
    )  # fmt: skip


def prompt(scene: Scene[Observation], cursor: Move | None) -> Text:
    """What to do, and what Enter does; a reminder to look away where several play at one screen."""
    if cursor is not None and cursor in scene.legal:
        return text("Enter calls row {row}.", row=cursor)
    rows, name = len(scene.observation.rows), scene.name(scene.viewer or 0)
    last = standing(scene)
    again = last is not None and not last.ended_round
    if _shares_screen(scene):
        if again:
            return text("{name}, call again; the others look away: 1-{rows} or arrows.", name=name, rows=rows)
        return text("{name}, call a row; the others look away: 1-{rows} or arrows.", name=name, rows=rows)
    if again:
        return text("Call again: {rows}, arrows or a click.", rows=_one_of(sorted(scene.legal)))
    return text("Call a row: 1-{rows}, arrows or a click.", rows=rows)


def told_row(scene: Scene[Observation], row: Move, glyphs: Glyphs) -> Text:
    """The cards of a row by signs and names: what the signs are that stand for cards elsewhere."""
    cards = (f"{glyphs[sign(card)]} {render(SHORT_NAMES[card])}" for card in scene.observation.rows[row - 1])
    return text("Row {row}: {cards}", row=row, cards=", ".join(cards))


def actions(scene: Scene[Observation], cursor: Move | None) -> Iterator[Action]:
    """What Enter does; that the digits call rows is in the prompt."""
    if cursor in scene.legal:
        yield Action("do", text("call {row}", row=cursor))
    for row in sorted(scene.legal):
        yield Action(choice(row), text("call {row}", row=row), in_footer=False)


def _one_of(rows: Sequence[Move]) -> Text | str:
    """The rows that are left, as numbers to choose from."""
    *others, last = map(str, rows)
    return text("{some} or {last}", some=", ".join(others), last=last) if others else last


def _shares_screen(scene: Scene[Observation]) -> bool:
    """Whether several seats belong to the one who looks."""
    if scene.viewer is None:
        return False
    owner = scene.table.seats[scene.viewer].owner
    return sum(seat.owner == owner for seat in scene.table.seats) > 1
