"""The face of Ku-Ka-King."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from textual._context import active_app
from textual.content import Content
from textual.widgets import Static

from kk_core.games.ku_ka_king.meta import META
from kk_core.games.ku_ka_king.model import Observation
from kk_core.text import Text, text, texts
from kk_core.types import Meta, Seat
from kk_core.wire.views import LogEntry
from kk_tui.games import Face
from kk_tui.games.ku_ka_king import panels, prompts, reveal, rules
from kk_tui.games.ku_ka_king.board import KuKaKingBoard
from kk_tui.games.ku_ka_king.theme import COLOURS, GLYPHS
from kk_tui.i18n import render
from kk_tui.keymap import Action
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Pairs
from kk_tui.widgets.board import Board

_TALL: Final = 36
"""Lines of a screen on which the collections always stand beside the board."""


def create() -> Face[Observation]:
    """The one face of the game."""
    return KuKaKingFace()


class KuKaKingFace:
    """Rows of cards, secret calls; see the `Face` protocol."""

    meta: Final[Meta] = META
    observation: Final = Observation
    drawing: Final = None
    colours: Final[Mapping[str, tuple[str, str]]] = COLOURS
    glyphs: Final[Pairs] = GLYPHS

    def board(self) -> KuKaKingBoard:
        """The rows."""
        return KuKaKingBoard()

    def chart(self, scene: Scene[Observation]) -> Static:
        """Both scorings, line by line."""
        return Static(Content("\n").join(panels.chart_lines(scene)), markup=False)

    def status(self, scene: Scene[Observation]) -> Text:
        """Round and pass, pile and box."""
        view = scene.observation
        return prompts.title(
            view.round, second=view.second_pass, last=view.last_round, pile=view.pile, box=view.box
        )

    def prompt(self, scene: Scene[Observation], board: Board[Observation]) -> Text:  # noqa: ARG002
        """What to do; a reminder to look away where several play at one screen."""
        view, name = scene.observation, scene.name(scene.viewer or 0)
        last = reveal.standing(scene)
        again = last is not None and not last.ended_round
        if _share_screen(scene):
            if again:
                return text(
                    "{name}, call again; the others look away. 1-{rows} or Enter.",
                    name=name,
                    rows=len(view.rows),
                )
            return text(
                "{name}, call a row; the others look away. 1-{rows} or Enter.", name=name, rows=len(view.rows)
            )
        if again:
            return text("Call again: a key from 1 to {rows}, or Enter.", rows=len(view.rows))
        return text("Call a row: a key from 1 to {rows}, or Enter.", rows=len(view.rows))

    def actions(self, scene: Scene[Observation], board: Board[Observation]) -> Sequence[Action]:
        """What Enter does; the rows' own keys the board has."""
        if isinstance(board, KuKaKingBoard) and board.cursor in scene.legal:
            return (Action("do", text("call {row}", row=board.cursor)),)
        return ()

    def person(self, scene: Scene[Observation], seat: Seat) -> Content:
        """How many cards, and whether a call is still awaited."""
        view = scene.observation
        held = sum(view.collections[seat])
        if scene.is_over or seat not in view.affected:
            said = texts("{n} card", "{n} cards", held)
        elif seat in view.called:
            said = texts("called, {n} card", "called, {n} cards", held)
        else:
            said = texts("choosing, {n} card", "choosing, {n} cards", held)
        return Content.styled(render(said), "$ink-dim")

    def panel(self, scene: Scene[Observation]) -> Sequence[Content]:
        """The points that stand now; where the screen is tall enough, all collections, too."""
        lines = list(panels.points_lines(scene))
        if _app().size.height < _TALL:
            return lines
        return [*lines, Content(), *panels.collection_lines(scene, _app().glyphs, points=False)]

    def collections(self, scene: Scene[Observation]) -> Sequence[Content]:
        """All collections, with the points that they stand for."""
        return list(panels.collection_lines(scene, _app().glyphs))

    def sheet_label(self, scene: Scene[Observation], line: int) -> Text:  # noqa: ARG002
        """A line of one of the two scorings."""
        return panels.sheet_label(line)

    def holds_secrets(self, scene: Scene[Observation], seat: Seat) -> bool:
        """Whoever is to call does so unseen."""
        return seat in scene.observation.affected

    def describe(self, scene: Scene[Observation], entry: LogEntry) -> Sequence[Text]:
        """The call, and what the reveal brought."""
        return reveal.describe(scene, entry)

    def help(self) -> Sequence[Text]:
        """Rules and rulings."""
        return rules.HELP


def _share_screen(scene: Scene[Observation]) -> bool:
    """Whether several seats belong to the one who looks."""
    if scene.viewer is None:
        return False
    owner = scene.table.seats[scene.viewer].owner
    return sum(seat.owner == owner for seat in scene.table.seats) > 1


def _app() -> Any:
    """The active app, for the size and the signs of its terminal."""
    return active_app.get()
