"""Faces without any art for tests: any registered game, its legal moves listed as numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rich.segment import Segment
from textual.content import Content
from textual.strip import Strip
from textual.widgets import Static

from kk_core.text import Text, text
from kk_core.types import Meta, Option, OptionValue
from kk_tui.games import Face, SheetEntry, faces
from kk_tui.i18n import _
from kk_tui.keymap import Action
from kk_tui.terminal.colour import parse_colour
from kk_tui.widgets.board import Board

IMPOSSIBLE = 1_000_000
"""A move that no game has."""

_WINDS = (OptionValue("north", text("from the north")), OptionValue("south", text("from the south")))
MADE_UP = Meta(
    id="made_up",
    name=text("A made-up game"),
    summary=text("Nobody has its rules."),
    min_seats=3,
    max_seats=4,
    moves=1,
    options=(Option("wind", text("The wind comes"), _WINDS),),
    order=0,
)
"""A game that no server has."""


class PlainBoard(Board[Any, None]):
    """One legal move a line; the key x tries a move that is never legal."""

    def prompt(self) -> Text:
        return text("{name}, choose a move.", name=self.scene.name(self.scene.viewer or 0))

    def panel(self) -> list[Content]:
        return [Content(_("ply {ply}", ply=self.scene.match.ply))]

    def actions(self) -> list[Action]:
        return [Action("do")] if self.scene.legal else []

    def perform(self, name: str) -> Text | None:
        if name != "exchange":
            return super().perform(name)
        self.choose(IMPOSSIBLE)
        return None

    def action_do(self) -> None:
        if self.scene.legal:
            self.choose(min(self.scene.legal))

    def clicked(self, x: int, y: int) -> None:
        if y < len(self.scene.legal):
            self.choose(sorted(self.scene.legal)[y])

    def render_line(self, y: int) -> Strip:
        moves = sorted(self.scene.legal)
        words = f"move {moves[y]}" if y < len(moves) else ""
        return Strip([Segment(words.ljust(self.size.width), self.ink("possible", on="ground"))])


def plain(face: Face[Any], *, secrets: bool = False) -> Face[Any]:
    """A game's face without its picture. `secrets` makes every seat hold some."""
    return replace(
        face,
        drawing=None,
        samples=("plain-own",),
        colours={"manuscript": {"plain-own": (parse_colour("#ffffff"), parse_colour("#000000"))}},
        cover=None,
        drawn={},
        brief=lambda _scene, _entry, _glyphs: None,
        tight=None,
        gathered=None,
        glyphs={"plain-sign": ("◊", "%")},
        board=PlainBoard,
        chart=lambda scene, _glyphs: Static(f"chart {scene.observation.points}", markup=False),
        status=lambda scene: [text("ply {ply}", ply=scene.match.ply)],
        person=lambda scene, seat, _glyphs: Content(_("seat {seat}", seat=seat)),
        stock=lambda _scene, _seat, _glyphs: Content(),
        scored_lines=None,
        race=lambda scene: [replace(race, best=()) for race in face.race(scene)],
        collections=lambda _scene, _glyphs, _width: [Content(_("nothing yet"))],
        sheet_label=lambda _scene, line: text("line {line}", line=line),
        sheet_entry=lambda _scene, line: SheetEntry(
            text("lines"), text("line {line}", line=line), text("{line}", line=line)
        ),
        describe=lambda scene, entry: [
            text("{name}: move {move}", name=scene.name(entry.seat), move=entry.move or 0)
        ],
        help_section=lambda _scene: "",
        holds_secrets=lambda _scene, _seat: secrets,
        last_reveal=lambda _scene: None,
    )


def plain_faces(*, secrets: bool = False) -> Mapping[str, Face[Any]]:
    """All registered games without pictures."""
    return {game: plain(face, secrets=secrets) for game, face in faces().items()}


def made_up() -> Face[Any]:
    """The face of a game that no server has."""
    return replace(plain(next(iter(faces().values()))), meta=MADE_UP)
