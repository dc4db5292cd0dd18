"""What the one at the keyboard can do now: header, prompt line and keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kk_core.games.ku_ka_king.model import Observation
from kk_core.text import Text, text
from kk_core.types import Move
from kk_tui.games.ku_ka_king.reveal import standing
from kk_tui.games.ku_ka_king.theme import SHORT_NAMES, sign
from kk_tui.i18n import render
from kk_tui.keymap import Action, choice
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs


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
