"""The board game on the screen: the one object that the app asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from textual.content import Content
from textual.widget import Widget

from kk_core.games.web_of_power.meta import META
from kk_core.games.web_of_power.model import COUNTRIES, COUNTRY_NAMES, INTERIM, Drawing, Observation
from kk_core.games.web_of_power.notation import describe_event, describe_move
from kk_core.text import Text, text
from kk_core.types import Meta, Seat
from kk_core.wire.views import LogEntry
from kk_tui.games.web_of_power import panels, prompts
from kk_tui.games.web_of_power.board import MapBoard
from kk_tui.games.web_of_power.chart import ScoreChart
from kk_tui.games.web_of_power.rules import RULES
from kk_tui.games.web_of_power.score import figures
from kk_tui.games.web_of_power.theme import COLOURS, COUNTRY_CODES, GLYPHS
from kk_tui.keymap import Action
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Pairs
from kk_tui.widgets.board import Board


def create() -> WebOfPowerFace:
    """The face of the game."""
    return WebOfPowerFace()


@dataclass(frozen=True)
class WebOfPowerFace:
    """Every member hands on to the module that knows."""

    @property
    def meta(self) -> Meta:
        """Name, seats and options."""
        return META

    @property
    def observation(self) -> type[Observation]:
        """The shape of its views."""
        return Observation

    @property
    def drawing(self) -> type[Drawing]:
        """Where the map is drawn."""
        return Drawing

    @property
    def colours(self) -> Mapping[str, tuple[str, str]]:
        """Lands, sea and roads."""
        return COLOURS

    @property
    def glyphs(self) -> Pairs:
        """What is drawn on the map."""
        return GLYPHS

    def board(self) -> MapBoard:
        """The map."""
        return MapBoard()

    def chart(self, scene: Scene[Observation]) -> Widget:
        """The score line by line."""
        return ScoreChart(scene)

    def status(self, scene: Scene[Observation]) -> Text:
        """Round and phase."""
        return prompts.status(scene.observation)

    def prompt(self, scene: Scene[Observation], board: Board[Observation]) -> Text:
        """What can be done now."""
        assert isinstance(board, MapBoard), "the table has the board that this face made"
        return prompts.prompt(scene, board)

    def actions(self, scene: Scene[Observation], board: Board[Observation]) -> Sequence[Action]:
        """The keys that count now."""
        assert isinstance(board, MapBoard), "the table has the board that this face made"
        return tuple(prompts.actions(scene, board))

    def person(self, scene: Scene[Observation], seat: Seat) -> Content:
        """Pieces in the supply."""
        return panels.person_line(scene.observation, seat)

    def panel(self, scene: Scene[Observation]) -> Sequence[Content]:  # noqa: ARG002
        """Nothing but the cards, which the board itself shows."""
        return ()

    def collections(self, scene: Scene[Observation]) -> Sequence[Content]:
        """What stands in which country."""
        return tuple(panels.collection_lines(scene))

    def sheet_label(self, scene: Scene[Observation], line: int) -> Text:
        """What a line of the score is for."""
        countries = len(COUNTRIES)
        if line < countries:
            return text("Interim: {country}", country=COUNTRY_NAMES[line])
        if line < 2 * countries:
            return text("Final: {country}", country=COUNTRY_NAMES[line - countries])
        number = line - 2 * countries + 1
        if number > len(scene.observation.printed.alliances):
            return text("Chains")
        first, second = scene.observation.printed.alliances[number - 1]
        return text(
            "Alliance {number} {first}-{second}",
            number=number, first=COUNTRY_CODES[first], second=COUNTRY_CODES[second],
        )  # fmt: skip

    def holds_secrets(self, scene: Scene[Observation], seat: Seat) -> bool:  # noqa: ARG002
        """Hands are secret until the match is over."""
        return scene.observation.outcome is None

    def describe(self, scene: Scene[Observation], entry: LogEntry) -> Sequence[Text]:
        """The move, then what rule and chance did."""
        name = scene.name(entry.seat)
        moves = () if entry.move is None else (describe_move(scene.observation.printed, entry.move, name),)
        events = [describe_event(event) for event in entry.events]
        if (INTERIM,) in entry.events:
            rows = scene.observation.sheet[: len(COUNTRIES)]
            totals = figures([sum(column) for column in zip(*rows, strict=True)])
            events.append(text("Points of the interim scoring: {points}.", points=totals))
        return (*moves, *events)

    def help(self) -> Sequence[Text]:
        """Rules, rulings and keys."""
        return RULES
