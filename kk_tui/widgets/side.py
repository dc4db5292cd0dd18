"""The right of the table: the people, what the game adds, and the drawers over it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.widgets import Static

from kk_core.types import Seat
from kk_tui.games import Face
from kk_tui.i18n import _, render
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs, letter
from kk_tui.widgets.board import PRESS

DRAWERS = ("log", "sheet", "collections")


class Side(Vertical):
    """People on top; under them the game's lines and the last of the log, or an open drawer."""

    class Pressed(Message):
        """A part of the board's own lines was clicked."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="side")
        self._glyphs = glyphs
        self.drawer: str | None = None
        self._aside: Content | None = None

    def compose(self) -> ComposeResult:
        """People and the part below them."""
        yield Static(id="people", markup=False)
        yield Static(id="aside", markup=False)
        with VerticalScroll(id="drawer", can_focus=False):
            yield Static(id="below", markup=False)

    def show(self, scene: Scene[Any], face: Face[Any], aside: Sequence[Content]) -> None:
        """Draw a scene; `aside` are the board's own lines."""
        self.query_one("#people", Static).update(Content("\n").join(self._people(scene, face)))
        below = Content("\n").join(self._below(scene, face))
        self.query_one("#below", Static).update(below)
        if self.drawer in (None, "log"):
            self.query_one("#drawer", VerticalScroll).scroll_end(animate=False)

        self.show_aside(aside)

    def show_aside(self, aside: Sequence[Content]) -> None:
        """Draw the board's own lines, which an open drawer covers; nothing is sent when they are the same."""
        wanted = Content("\n").join(["", *aside] if aside and self.drawer is None else [])
        if self._aside is None or not wanted.is_same(self._aside):
            self._aside = wanted
            self.query_one("#aside", Static).update(wanted)

    def on_click(self, event: Click) -> None:
        """What was clicked of the board's own lines is the board's business."""
        number = event.style.meta.get(PRESS)
        if number is not None:
            self.post_message(self.Pressed(number))

    def _people(self, scene: Scene[Any], face: Face[Any]) -> Iterable[Content]:
        points = scene.observation.points
        width = max(self.query_one("#people").content_size.width, 21)
        for seat, name in enumerate(scene.names):
            turn = self._glyphs["turn"] if seat in scene.observation.active else " "
            start = self._glyphs["start"] if seat == 0 else " "
            room = width - 7 - len(str(points[seat])) if points else width - 6
            style = "bold $ink" if seat == scene.viewer else "$ink"
            yield Content.assemble(
                (turn, "bold $possible"), (start, "$ink-dim"), " ",
                (self._glyphs.owner(seat), f"bold $seat-{seat}"), " ",
                Content.styled(name, style).truncate(room, ellipsis=True, pad=True), " ",
                (str(points[seat]) if points else "", "bold $gold"),
            )  # fmt: skip
            if self.drawer is None:
                yield Content.assemble("   ", face.person(scene, seat))

    def _below(self, scene: Scene[Any], face: Face[Any]) -> Iterable[Content]:
        if self.drawer == "log":
            yield from self._headed(_("Log"), log_lines(scene, face, self._glyphs))
        elif self.drawer == "sheet":
            yield from self._headed(_("Score sheet"), sheet_lines(scene, face))
        elif self.drawer == "collections":
            yield from self._headed(_("Collections"), face.collections(scene))
        else:
            yield from (
                "",
                *face.panel(scene),
                *self._headed(_("Log"), log_lines(scene, face, self._glyphs)[-12:]),
            )  # type: ignore[misc]

    def _headed(self, title: str, lines: Iterable[Content]) -> Iterable[Content]:
        lines = list(lines)
        if not lines and self.drawer is None:
            return
        yield Content.assemble(("\n" if self.drawer is None else "", ""), (title, "bold $gold"))
        yield from lines


def log_lines(scene: Scene[Any], face: Face[Any], glyphs: Glyphs) -> Sequence[Content]:
    """What has happened, oldest first, each sentence with the sign of its player."""
    lines = []
    for _ply, entry in scene.match.recent():
        said = [render(sentence) for sentence in face.describe(scene, entry)]
        sign = (f"{glyphs.owner(entry.seat)} ", f"bold $seat-{entry.seat}")
        lines += [Content.assemble(sign, (words, "$ink")) for words in said[:1]]
        lines += [Content.styled(words, "$ink-dim") for words in said[1:]]
    return lines


def sheet_lines(scene: Scene[Any], face: Face[Any]) -> Iterable[Content]:
    """The lines of the score sheet that gave somebody points, and the totals."""
    seats: range = range(len(scene.names))
    yield Content.assemble(*_figures([letter(seat) for seat in seats]))
    for line, points in enumerate(scene.observation.sheet):
        if any(points):
            yield Content.styled(render(face.sheet_label(scene, line)), "$ink-dim")
            yield Content.assemble(*_figures([str(n) if n else "" for n in points]))
    yield Content.styled(_("Total"), "$gold")
    yield Content.assemble(*_figures([str(n) for n in scene.observation.points]))


def _figures(cells: Sequence[str]) -> Iterable[tuple[str, str]]:
    """A column of four for each seat, in its colour."""
    return [(f"{cell:>4}", f"$seat-{seat}") for seat, cell in enumerate(cells)]


def waiting_for(scene: Scene[Any]) -> str:
    """Who is to act, in words."""
    seats: Sequence[Seat] = scene.observation.active
    return ", ".join(scene.name(seat) for seat in seats)
