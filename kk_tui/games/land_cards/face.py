"""The card game on the screen: the one object that the app asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from textual._context import active_app
from textual.content import Content
from textual.widget import Widget

from kk_core.games.land_cards.meta import META
from kk_core.games.land_cards.model import (
    COUNTRIES,
    GIVING_UP,
    OVER,
    STONE_STEP,
    TAKING,
    EndTaking,
    Observation,
    Skip,
)
from kk_core.games.land_cards.notation import COUNTRY_NAMES, describe_event, describe_move
from kk_core.text import Text, text
from kk_core.types import Meta, Seat
from kk_core.wire.views import LogEntry
from kk_tui.games import Action, Face
from kk_tui.games.land_cards import panels, prompts
from kk_tui.games.land_cards.board import LandCardsBoard
from kk_tui.games.land_cards.chart import ScoreChart
from kk_tui.games.land_cards.signs import COLOURS, GLYPHS
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs, Pairs
from kk_tui.widgets.board import Board

_SECTIONS: Final = {
    TAKING: "taking-cards",
    GIVING_UP: "cards-under-stones",
    STONE_STEP: "placing-a-stone",
    OVER: "scoring",
}
_LAST_LINES: Final = (text("Ships"), text("Carriages"), text("-2 cards"))


def create() -> Face[Observation]:
    """The one face of the game."""
    return LandCardsFace()


class LandCardsFace:
    """Every member hands on to the module that knows; see the `Face` protocol."""

    meta: Final[Meta] = META
    observation: Final = Observation
    drawing: Final = None
    colours: Final[Mapping[str, tuple[str, str]]] = COLOURS
    glyphs: Final[Pairs] = GLYPHS

    def board(self) -> LandCardsBoard:
        """The four rows."""
        return LandCardsBoard()

    def chart(self, scene: Scene[Observation]) -> Widget:
        """The printed scoring chart."""
        return ScoreChart(scene, _signs())

    def status(self, scene: Scene[Observation]) -> Text:
        """The phase of the turn and what is left to take."""
        return prompts.status(scene.observation)

    def prompt(self, scene: Scene[Observation], board: Board[Observation]) -> Text:
        """What can be done now."""
        return prompts.prompt(scene, _picked(board))

    def actions(self, scene: Scene[Observation], board: Board[Observation]) -> Sequence[Action]:
        """The keys that count now, Enter by what it does to the card under the cursor."""
        assert isinstance(board, LandCardsBoard), "the table has the board that this face made"
        enter = (Action("do", prompts.enter(scene, board.picked, board.cursor)),) if board.can_choose else ()
        return (*enter, *prompts.actions(scene))

    def person(self, scene: Scene[Observation], seat: Seat) -> Content:
        """Stones, law cards and land cards."""
        return panels.person_line(scene.observation, seat, _signs())

    def panel(self, scene: Scene[Observation]) -> Sequence[Content]:
        """Limits of the turn and law cards."""
        return panels.panel_lines(scene)

    def collections(self, scene: Scene[Observation]) -> Sequence[Content]:
        """Who has how much of which country."""
        return panels.collection_lines(scene, _signs())

    def sheet_label(self, scene: Scene[Observation], line: int) -> Text:  # noqa: ARG002
        """What a line of the score is for."""
        country, is_symbols = divmod(line, 2)
        if country >= len(COUNTRIES):
            return _LAST_LINES[line - 2 * len(COUNTRIES)]
        name = COUNTRY_NAMES[country]
        return text("{country}, symbols", country=name) if is_symbols else text("{country}", country=name)

    def holds_secrets(self, scene: Scene[Observation], seat: Seat) -> bool:
        """Whoever has law cards in hand holds them secretly."""
        return scene.observation.outcome is None and scene.observation.law_counts[seat] > 0

    def describe(self, scene: Scene[Observation], entry: LogEntry) -> Sequence[Text]:
        """The move, then whom the rules passed over; that taking has ended goes without saying."""
        name = scene.name(entry.seat)
        moves = (
            ()
            if entry.move in (None, EndTaking().move)
            else (describe_move(scene.observation, name, entry.move),)
        )
        return (*moves, *(describe_event(event, scene.names) for event in entry.events))

    def help_section(self, scene: Scene[Observation]) -> str:
        """The rules of the step of the turn."""
        if Skip().move in scene.legal:
            return "skipping-a-turn"
        return _SECTIONS[scene.observation.phase]


def _picked(board: Board[Observation]) -> int | None:
    assert isinstance(board, LandCardsBoard), "the table has the board that this face made"
    return board.picked


def _signs() -> Glyphs:
    """The signs that the terminal of the active app can draw."""
    app: Any = active_app.get()
    found: Glyphs = app.glyphs
    return found
