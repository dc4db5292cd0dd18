"""The base of table and replay: a board, and beside it people, text and drawers; and looking back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Final

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.events import Key
from textual.screen import ModalScreen
from textual.widget import Widget

from kk_core.protocol.messages import GetRecord, LookBack, PastPosition, RecordText
from kk_core.text import Text, text
from kk_core.types import Viewer
from kk_tui import record_file
from kk_tui.games import NO_CONTESTS, Face
from kk_tui.i18n import _, render
from kk_tui.keymap import KEYS, Action
from kk_tui.match.motion_player import MotionPlayer
from kk_tui.match.pointing import Explainer, ExplainingScreen, SignFrame
from kk_tui.scene import Scene
from kk_tui.screens.base import KkScreen, guarded
from kk_tui.table.score_sheet import sheet_over_board
from kk_tui.table.side_panel import DRAWERS, Beside, SidePanel
from kk_tui.widgets.board import Board
from kk_tui.widgets.explanation import Explanation
from kk_tui.widgets.lines import SCROLLS, Lines
from kk_tui.widgets.motion import MotionFrame


class MatchScreen(ExplainingScreen):
    """A screen that shows a scene of the app's match."""

    SIDE: ClassVar[type[SidePanel]] = SidePanel
    BINDINGS: ClassVar[list[BindingType]] = [Binding("f1", "rule", show=False)]

    def __init__(self) -> None:
        super().__init__()
        self.motion = MotionPlayer(self, self._show_frame)
        self._scene: Scene[Any]  # the last one, as long as the screen exists
        self._face: Face[Any]

    def body(self) -> ComposeResult:
        """Compose the board on the left and the people on the right."""
        scene, face = self.kk.store.scene, self.kk.store.face
        assert scene is not None, "the app shows a match only with a scene"
        assert face is not None, "and a scene only with a face"
        self._scene, self._face = scene, face
        with Horizontal(id="middle"):
            try:
                # a board that fails to build must not take the screen down with it
                board = face.board(scene)
                self.set_class(board.IS_BROAD, "-broad")
                yield board
            except Exception as error:
                self.kk.cannot_show(error)
            yield self.SIDE(self.kk.glyphs)
        yield SignFrame()

    @cached_property
    def board(self) -> Board[Any, Any]:
        """The game's board."""
        return self.query_one(Board)

    @cached_property
    def side(self) -> SidePanel:
        """The panel beside the board."""
        return self.query_one(SidePanel)

    @property
    def face(self) -> Face[Any]:
        """The face of the game on the screen."""
        return self._face

    @property
    def shown(self) -> Scene[Any]:
        """The scene on the screen."""
        return self._scene

    def beside(self) -> Beside:
        """Return what the side shows in addition to the scene."""
        return Beside(self.board.panel())

    # -- what moves ------------------------------------------------------------------------------------------

    @guarded
    def _show_frame(self, frame: MotionFrame | None) -> None:
        """Draw a frame of a motion on and beside the board; None clears it."""
        board, side = self.board, self.side
        with self.at_once(board, side.people):
            down = side.people.region.y - board.region.y
            rows = {seat: row + down for seat, row in side.name_rows.items()} if frame is not None else {}
            board.play(frame, rows)
            side.light(frame.lit if frame is not None else ())

    def rest(self) -> None:
        """End what only the last step has shown, because something was pressed."""
        self.motion.end()

    def take_key(self, event: Key) -> bool:  # noqa: ARG002
        """End a motion; the key still has its usual effect."""
        self.rest()
        return False

    def mouse_pressed(self) -> None:
        """Count the press, and end a motion as a key does."""
        super().mouse_pressed()
        self.rest()

    def on_unmount(self) -> None:
        """Skip any remaining motion."""
        self.motion.stop()

    # -- what signs mean -------------------------------------------------------------------------------------

    def action_rule(self) -> None:
        """Open the rules at what is explained now, or at what the cursor is on."""
        meaning = self.board.explain_cursor()
        self.kk.show_help(self._pointing.section or (meaning.section if meaning else None) or None)

    @property
    def explainable(self) -> Sequence[tuple[Widget, Explainer]]:
        """The board, the people beside it, and the title."""
        people = self.side.people
        return (
            (self.board, self.board.explain), (people, people.explain), (self._header, self._explain_header),
        )  # fmt: skip

    @property
    def cursor_at(self) -> tuple[int, int] | None:
        """The place on the screen of what the board's cursor is on."""
        place = self.board.cursor_place()
        return None if place is None else (self.board.region.x + place.x, self.board.region.y + place.y)

    def _explain_header(self, x: int, y: int) -> Explanation | None:  # noqa: ARG002
        """Return the meaning of a part of the title."""
        title = str(self._header.content)
        if x > cell_len(title):
            return None
        own = list(self._face.explain_status(self.shown))
        # counted from the end, where the game's own parts are
        behind = title[x:].count("|") + 1
        if behind <= len(own):
            return Explanation(own[-behind])
        return Explanation(text("The game being played here; {key} opens its rules.", key=KEYS["help"].word))

    @guarded
    def show_side(self) -> None:
        """Draw the side panel."""
        if self.is_alive:
            self.board.is_crowded = self.side.is_low and self.side.drawer is not None
            self.side.show(self.shown, self._face, self.beside())

    def on_resize(self) -> None:
        """Redraw the side, which fills its own lines, once it has its new size."""
        self.motion.end()
        self.call_after_refresh(self.show_side)

    def action_act(self, name: str) -> None:
        """Open or close a drawer; do anything else as other screens do."""
        if name == "race" and not self._face.has_contests:
            self.complain(NO_CONTESTS)
        elif name == "sheet" and self.side.drawer != name and self._sheet_lacks_room:
            self.app.push_screen(SheetScreen(self))
        elif name in DRAWERS:
            self.turn_drawer(None if self.side.drawer == name else name)
        else:
            super().action_act(name)

    @property
    def _sheet_lacks_room(self) -> bool:
        return self.side.lacks_room_for_sheet(self.shown, self._face, self.beside())

    @property
    def drawer_actions(self) -> Sequence[Action]:
        """The actions that open and close the drawers; none for the contests of a game without any."""
        labels = {"collections": self._face.collections_label}
        names = [name for name in DRAWERS if name != "race" or self._face.has_contests]
        return [Action(name, labels.get(name), minor=True) for name in names]

    def turn_drawer(self, name: str | None) -> None:
        """Open a drawer; None closes it."""
        with self.at_once(self.side.people, is_answer=True):
            self.side.turn(name)
            self.show_side()


class SheetScreen(KkScreen, ModalScreen[None]):
    """The score sheet over a board beside which it has no room; the match goes on beside it."""

    def __init__(self, below: MatchScreen) -> None:
        """Take the screen with the board."""
        super().__init__()
        self._below = below
        self._viewer = below.shown.viewer

    def body(self) -> ComposeResult:
        """Compose the one widget for all lines."""
        yield Lines(id="sheet-page")

    def on_mount(self) -> None:
        """Lie over the board."""
        self._fit()
        self.say(_("The score sheet: {key} or Esc closes it.", key=KEYS["sheet"].shown))

    def on_resize(self) -> None:
        """Lie over the board in its new size."""
        super().on_resize()
        self.call_after_refresh(self._fit)

    def renew(self) -> None:
        """Update the table below too, since it stays visible."""
        super().renew()
        if self.is_current:
            self._below.renew()

    def place_changed(self) -> None:
        """Show the points as they are now, unless somebody else sits at this screen."""
        super().place_changed()
        if self._below.shown.viewer != self._viewer:
            self.do_back()
        else:
            self.show_keys()
            self.call_after_refresh(self._fill)

    def _fit(self) -> None:
        if not (self.is_active and self._below.is_alive):
            return
        if not self._below.side.is_low:  # there is room now
            self.do_back()
            self._below.turn_drawer("sheet")
        else:
            page, place = self.query_one("#sheet-page", Lines), self._below.board.region
            page.styles.width, page.styles.height, page.styles.offset = *place.size, place.offset
            self.call_after_refresh(self._fill)

    @guarded
    def _fill(self) -> None:
        if not (self.is_alive and self._below.is_alive):
            return
        page, below = self.query_one("#sheet-page", Lines), self._below
        sheet = sheet_over_board(
            below.shown, below.face, self.kk.glyphs, page.size.width - 1, page.size.height
        )
        within, foot = sheet.parted(page.size.height - len(sheet.head))
        page.show(sheet.head, within, foot, tells_more=True)

    def take_key(self, event: Key) -> bool:
        """Scroll."""
        by = SCROLLS.get(event.key)
        if by is not None:
            self.query_one("#sheet-page", Lines).scroll_lines(by)
        return by is not None

    def do_sheet(self) -> None:
        """Close it."""
        self.do_back()

    def do_back(self) -> None:
        """Close it."""
        if self.is_active:
            self.dismiss()

    def actions(self) -> Sequence[Action]:
        """Return how to close it, and how to answer a proposal, which stands above it."""
        table = self.kk.store.table
        is_asked = table is not None and table.proposal is not None
        answer = [Action("table", text("answer"))] if is_asked else []
        return (Action("sheet", text("the board")), *answer, Action("back"))


async def save_record(screen: KkScreen, folder: Path) -> None:
    """Save the record of the match into a folder, and say where or why not."""
    reply, scene = await screen.kk.request(GetRecord), screen.kk.store.scene
    if not isinstance(reply, RecordText) or scene is None:
        return
    try:
        said = record_file.save_record(folder, scene, reply)
    except record_file.RecordNotSaved as error:
        screen.complain(error.reason)
    else:
        screen.tell(said)


class LookingBack:
    """The position in the past being shown, if any; `changed` is called when that changes."""

    def __init__(self, screen: KkScreen, changed: Callable[[], None]) -> None:
        self._screen = screen
        self._changed = changed
        self._ply = 0  # the last one requested
        self.scene: Scene[Any] | None = None
        """The past scene on the screen; None for the present."""

    def check(self, now: Scene[Any], *, is_handed_over: bool) -> None:
        """Forget a past scene of another match or viewer, or from before a handover."""
        if is_handed_over or not _fits(self.scene, now):
            self.scene = None

    def step(self, by: int, now: Scene[Any]) -> None:
        """Move some plies forward or back; after the last ply comes the present."""
        ply = (self._ply if self.scene else now.match.ply) + by
        if ply < 0:
            self._screen.complain(text("This is the start of the match."))
        elif ply >= now.match.ply and self.scene is None:
            key = KEYS["earlier"].shown
            self._screen.complain(text("You're already at the present; {key} looks back.", key=key))
        elif ply >= now.match.ply:
            self.leave()
        else:
            self._ply = ply
            self._screen.work(self._fetch(ply, now.viewer))

    def leave(self) -> None:
        """Return to the present, whatever requests are still pending."""
        self.scene, self._ply = None, -1
        self._changed()

    async def _fetch(self, ply: int, viewer: Viewer) -> None:
        store = self._screen.kk.store
        reply = await self._screen.kk.request(lambda number: LookBack(number, ply, viewer))
        # only the answer to the last request counts
        is_last = isinstance(reply, PastPosition) and ply == self._ply
        if not is_last or not self._screen.is_alive or not store.scene:
            return
        past = store.past(reply.match, viewer)
        if _fits(past, store.scene):
            self.scene = past
            self._changed()


BETWEEN: Final = "  |  "
"""Stands between the parts of a title."""


def fitted_title(parts: Sequence[str], width: int) -> str:
    """Return a title of all parts that have room: closer together if not all do, and the first anyway."""
    whole = BETWEEN.join(parts)
    close = (" | ".join(parts[:n]) for n in range(len(parts), 0, -1))
    return next((title for title in (whole, *close) if cell_len(title) <= width), parts[0])


def past_title(face: Face[Any], then: Scene[Any], now: Scene[Any]) -> Sequence[str]:
    """Return the parts of the title while looking back: the ply shown and the status then."""
    looking = _("LOOKING BACK: move {ply} of {end}", ply=then.match.ply, end=now.match.ply)
    return looking, *map(render, face.status(then))


def past_words(face: Face[Any], then: Scene[Any], now: Scene[Any]) -> str:
    """Return the prompt: the ply shown, the way back, whose turn it is now, and what was done then."""
    said = last_ply(face, then)
    ply, end, key = then.match.ply, now.match.ply, KEYS["back"].shown
    if now.may_act:
        where = _("Looking back, {ply} of {end} ({key}: now, it's your turn).", ply=ply, end=end, key=key)
    else:
        where = _("Looking back, {ply} of {end} ({key}: now).", ply=ply, end=end, key=key)
    return f"{where} {render(said[0])}"


def last_ply(face: Face[Any], then: Scene[Any]) -> Sequence[Text]:
    """Return what was done last and what came of it, even if the log does not mention it."""
    recent = then.match.recent()
    if not recent:
        return (text("Before the first move."),)
    entry = recent[-1][1]
    if said := face.describe(then, entry):
        return said
    if entry.move is None:
        return (text("{name} has chosen in secret.", name=then.name(entry.seat)),)
    return (face.move_words(then, entry.seat, entry.move),)


def _fits(past: Scene[Any] | None, now: Scene[Any]) -> bool:
    return past is not None and (past.viewer, past.match.commitment) == (now.viewer, now.match.commitment)
