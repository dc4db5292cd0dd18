"""A face without any art for tests: it lists the legal moves as numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.segment import Segment
from textual import events
from textual.binding import Binding
from textual.content import Content
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from kk_core.games.land_cards import meta, model
from kk_core.text import Text, text
from kk_core.types import Meta, Observation, Seat
from kk_core.wire.views import LogEntry
from kk_tui.i18n import _, ngettext
from kk_tui.keymap import Action
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Pairs
from kk_tui.widgets.board import Board

IMPOSSIBLE = 190
"""A move that land_cards never allows."""


class PlainBoard(Board[Any]):
    """One legal move a line; the last line is one that is never legal."""

    BINDINGS = [Binding("enter", "do", show=False), Binding("x", "try", show=False)]  # noqa: RUF012

    def action_do(self) -> None:
        if self.scene is not None and self.scene.legal:
            self.choose(min(self.scene.legal))

    def action_try(self) -> None:
        self.choose(IMPOSSIBLE)

    def on_click(self, event: events.Click) -> None:
        if self.scene is not None and event.y < len(self.scene.legal):
            self.choose(sorted(self.scene.legal)[event.y])

    def render_line(self, y: int) -> Strip:
        moves = sorted(self.scene.legal) if self.scene else []
        words = f"move {moves[y]}" if y < len(moves) else ""
        style = self.ink("possible", on="ground")
        return Strip([Segment(words.ljust(self.size.width), style)])


@dataclass(frozen=True)
class PlainFace:
    """Land_cards without a picture. `secrets` makes every seat hold some."""

    secrets: bool = False

    @property
    def meta(self) -> Meta:
        return meta.META

    @property
    def observation(self) -> type[Observation]:
        return model.Observation

    @property
    def drawing(self) -> None:
        return None

    @property
    def colours(self) -> Mapping[str, tuple[str, str]]:
        return {"plain-own": ("#ffffff", "#000000")}

    @property
    def glyphs(self) -> Pairs:
        return {"plain-sign": ("◊", "%")}

    def board(self) -> PlainBoard:
        return PlainBoard()

    def chart(self, scene: Scene[Any]) -> Widget:
        return Static(f"chart {scene.observation.points}", markup=False)

    def status(self, scene: Scene[Any]) -> Text:
        return text("ply {ply}", ply=scene.match.ply)

    def prompt(self, scene: Scene[Any], board: Board[Any]) -> Text:
        return text("{name}, choose a move.", name=scene.name(scene.viewer or 0))

    def actions(self, scene: Scene[Any], board: Board[Any]) -> Sequence[Action]:
        named = (("end", model.END_TAKING, text("end taking")), ("pass", model.PASS, text("no stone")))
        return [Action(name, label, move) for name, move, label in named if move in scene.legal]

    def person(self, scene: Scene[Any], seat: Seat) -> Content:
        return Content(ngettext("{n} stone", "{n} stones", scene.observation.supply[seat]))

    def panel(self, scene: Scene[Any]) -> Sequence[Content]:
        return [Content(f"phase {scene.observation.phase}")]

    def collections(self, scene: Scene[Any]) -> Sequence[Content]:
        return [Content(_("nothing yet"))]

    def sheet_label(self, scene: Scene[Any], line: int) -> Text:
        return text("{line}", line=model.SHEET[line])

    def holds_secrets(self, scene: Scene[Any], seat: Seat) -> bool:
        return self.secrets

    def describe(self, scene: Scene[Any], entry: LogEntry) -> Sequence[Text]:
        return [text("{name}: move {move}", name=scene.name(entry.seat), move=entry.move or 0)]

    def help(self) -> Sequence[Text]:
        return [text("# Rules"), text("Choose any move.")]
