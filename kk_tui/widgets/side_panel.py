"""The right of the table: the people, what the game adds, and the drawers over it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Final

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.widgets import Static

from kk_core.wire.views import LogEntry
from kk_tui.games import Face
from kk_tui.i18n import _, render
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs, letter
from kk_tui.widgets.board import PRESS

DRAWERS: Final = ("log", "sheet", "collections")


class SidePanel(Vertical):
    """People on top; under them the game's lines and the last of the log, or an open drawer."""

    class Pressed(Message):
        """A part of the board's own lines was clicked."""

        def __init__(self, action: str) -> None:
            super().__init__()
            self.action = action

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="side")
        self._glyphs = glyphs
        self.drawer: str | None = None
        self._panel: tuple[Content, ...] = ()

    def compose(self) -> ComposeResult:
        """What always stands there, and the drawer that is mostly shut."""
        yield Static(id="people", markup=False)
        with VerticalScroll(id="drawer", can_focus=False):
            yield Static(id="below", markup=False)

    def show(self, scene: Scene[Any], face: Face[Any], panel: Sequence[Content]) -> None:
        """Draw a scene; `panel` are the board's own lines."""
        self._panel = tuple(panel)
        people = self.query_one("#people", Static)
        width, height = self.content_size
        lines = list(self._people(scene, face, width))
        if self.drawer is None:
            lines += [Content(), *panel]
            lines += self._last_lines(scene, face, width, height - len(lines))
            people.update(_page(lines), layout=False)
            return
        people.update(_page(lines))
        self.query_one("#below", Static).update(_page(self._drawn(scene, face, width - 1)))
        if self.drawer == "log":
            self.query_one("#drawer", VerticalScroll).scroll_end(animate=False)

    def shows(self, panel: Sequence[Content]) -> bool:
        """Whether these lines of the board are drawn already, or covered by a drawer."""
        if self.drawer is not None or len(panel) != len(self._panel):
            return self.drawer is not None
        return all(old.is_same(new) for old, new in zip(self._panel, panel, strict=True))

    def on_click(self, event: Click) -> None:
        """What was clicked of the board's own lines is the board's business."""
        action = event.style.meta.get(PRESS)
        if action is not None:
            self.post_message(self.Pressed(action))

    def turn(self, drawer: str | None) -> None:
        """Open a drawer, another one, or None."""
        self.drawer = drawer
        self.set_class(drawer is not None, "-open")
        self.query_one("#drawer", VerticalScroll).scroll_home(animate=False)

    def scroll(self, pages: int) -> None:
        """Scroll the open drawer by a page up (-1) or down (1)."""
        drawer = self.query_one("#drawer", VerticalScroll)
        drawer.scroll_relative(y=pages * max(1, drawer.size.height - 1), animate=False)

    def _people(self, scene: Scene[Any], face: Face[Any], width: int) -> Iterator[Content]:
        points = scene.observation.points
        for seat, name in enumerate(scene.names):
            turn = self._glyphs["turn"] if seat in scene.observation.active else " "
            start = self._glyphs["start"] if seat == 0 else " "
            figure = str(points[seat]) if points else ""
            style = "bold $ink" if seat == scene.viewer else "$ink"
            room = width - 7 - len(figure)
            yield Content.assemble(
                (start, "$ink-dim"), " ", (self._glyphs.owner(seat), f"bold $seat-{seat}"), " ",
                (turn, "bold $possible"), self._fitted(Content.styled(name, style), turn, room), " ",
                (figure, "bold $gold"),
            )  # fmt: skip
            if self.drawer is None:
                yield Content.assemble("   ", face.person(scene, seat, self._glyphs))

    def _fitted(self, name: Content, turn: str, width: int) -> Content:
        """A name with the sign of the turn behind it, too."""
        short = name.truncate(width - 1, ellipsis=not self._glyphs.ascii_only)
        return Content.assemble(short, (turn, "bold $possible")).truncate(width, pad=True)

    def _last_lines(self, scene: Scene[Any], face: Face[Any], width: int, room: int) -> Iterable[Content]:
        """The end of the log under a line left free and a heading: the last plies that fit as a whole.

        Before the first ply it is the seal of the shuffles that stands there.
        """
        kept: list[Content] = []
        if not scene.match.ply and len(seal := list(seal_lines(scene, width))) <= room - 2:
            kept = seal
        for entry in reversed(scene.match.recent()):
            lines = list(entry_lines(scene, face, entry[1], self._glyphs, width))
            if len(kept) + len(lines) > room - 2:
                # of a last ply that is too long for the room its end is still better than nothing
                kept = kept or (lines[2 - room :] if room > 2 else [])
                break
            kept = [*lines, *kept]
        return (Content(), _heading(_("Log")), *kept) if kept else ()

    def _drawn(self, scene: Scene[Any], face: Face[Any], width: int) -> Iterable[Content]:
        """What the open drawer holds."""
        if self.drawer == "sheet":
            return chain((_heading(_("Score sheet")),), sheet_lines(scene, face))
        if self.drawer == "collections":
            return chain((_heading(_("Collections")),), face.collections(scene, self._glyphs))
        log = log_lines(scene, face, self._glyphs, width)
        return chain((_heading(_("Log")),), seal_lines(scene, width), log)


def _page(lines: Iterable[Content]) -> Content:
    return Content("\n").join(list(lines))


def _heading(words: str) -> Content:
    return Content.styled(words, "bold $gold")


def seal_lines(scene: Scene[Any], width: int) -> Iterable[Content]:
    """What proves, once the seed is shown, that nobody has chosen it afterwards."""
    digest = scene.match.commitment.hex()
    words = _("The shuffles are sealed. SHA-256 of their seed: {digest}", digest=digest)
    return Content.styled(words, "$ink-dim").wrap(max(8, width))


def log_lines(scene: Scene[Any], face: Face[Any], glyphs: Glyphs, width: int) -> Iterator[Content]:
    """What has happened, oldest first, each sentence with the sign of its player, in lines of a width."""
    for _ply, entry in scene.match.recent():
        yield from entry_lines(scene, face, entry, glyphs, width)


def entry_lines(
    scene: Scene[Any], face: Face[Any], entry: LogEntry, glyphs: Glyphs, width: int
) -> Iterator[Content]:
    """The sentences of one ply, with the sign of its player, in lines of a width."""
    sign = Content.styled(f"{glyphs.owner(entry.seat)} ", f"bold $seat-{entry.seat}")
    for number, sentence in enumerate(face.describe(scene, entry)):
        style = "$ink" if number == 0 else "$ink-dim"
        for line in Content.styled(render(sentence), style).wrap(max(8, width - 3)):
            yield Content.assemble(sign, line)
            sign = Content("   ")


def sheet_lines(scene: Scene[Any], face: Face[Any]) -> Iterator[Content]:
    """The lines of the score sheet that gave somebody points, and the totals."""
    yield _figures([letter(seat) for seat in range(len(scene.names))])
    for line, points in enumerate(scene.observation.sheet):
        if any(points):
            yield Content.styled(render(face.sheet_label(scene, line)), "$ink-dim")
            yield _figures([str(n) if n else "" for n in points])
    yield Content.styled(_("Total"), "$gold")
    yield _figures([str(n) for n in scene.observation.points])


def _figures(cells: Sequence[str]) -> Content:
    """A column of four for each seat, in its colour."""
    return Content.assemble(*((f"{cell:>4}", f"$seat-{seat}") for seat, cell in enumerate(cells)))


def waiting_for(scene: Scene[Any]) -> str:
    """Who is to act, in words."""
    return ", ".join(scene.name(seat) for seat in scene.observation.active)


def last_words(scene: Scene[Any], face: Face[Any], width: int) -> str:
    """What happened last and, if there is room for it in so many columns, who is to act."""
    recent, names = scene.match.recent(), waiting_for(scene)
    said = face.describe(scene, recent[-1][1]) if recent else ()
    if not said:
        return _("Waiting for {names}.", names=names)
    last = render(said[0])
    both = _("{last} - waiting for {names}.", last=last.rstrip("."), names=names)
    return both if cell_len(both) <= width else last
