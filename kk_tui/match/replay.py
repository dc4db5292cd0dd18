"""The replay of a match ply by ply: through anybody's eyes, with a coach, and as a start for playing on."""

from __future__ import annotations

import asyncio
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Final

from rich.cells import cell_len
from rich.segment import Segment
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import Click, Key
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from kk_core.bot_names import DEFAULT_BOT
from kk_core.protocol.messages import GetCourse, LookBack, MatchCourse, PastPosition, PlayOn
from kk_core.text import Text, text, text_in
from kk_core.types import Move, Seat, Sheet, Viewer
from kk_core.views import Course
from kk_tui.games import Face
from kk_tui.i18n import _, render
from kk_tui.keymap import CHOICE_OF, KEYS, Action, bound, choice
from kk_tui.match.pointing import Explainer, asks
from kk_tui.match.screen import MatchScreen, fitted_title, last_ply, save_record
from kk_tui.scene import Scene
from kk_tui.screens.base import KkScreen, guarded
from kk_tui.table.advice import Coach, Verdict, ahead, better_words, percents
from kk_tui.table.analysis import COACH, coach_lines
from kk_tui.table.decisive import DecisiveMoment, moment_of, with_deeds
from kk_tui.table.outcome import end_words
from kk_tui.table.place_store import past_scene
from kk_tui.table.side_panel import Beside, SidePanel
from kk_tui.table_words import as_remembered, bot_values
from kk_tui.theme.glyphs import letter
from kk_tui.widgets.board import BETTER, PLAYED, Board
from kk_tui.widgets.canvas import RIGHT
from kk_tui.widgets.explanation import Explanation
from kk_tui.widgets.form import LineButton, LineSelect
from kk_tui.widgets.score_graph import ScoreGraph, ScorePlot


class PlayOnFromScreen(KkScreen, ModalScreen[None]):
    """The question before playing on: a seat for the user, a kind of bot for all others."""

    CSS = "PlayOnFromScreen #question Static { margin-bottom: 1; }"

    def __init__(self, scene: Scene[Any], ply: int) -> None:
        super().__init__()
        self._scene = scene
        self._ply = ply

    def body(self) -> ComposeResult:
        """Compose the text, the two choices and the button."""
        owner = self.kk.glyphs.owner
        seats = [(str(seat), f"{owner(seat)} {name}") for seat, name in enumerate(self._scene.names)]
        turn = str((self._scene.observation.active or (0,))[0])
        with Vertical(id="question"):
            yield Static(_("A new match continues from here; this one is kept."), markup=False)
            yield LineSelect(_("You play as"), seats, turn, id="as")
            yield LineSelect(_("Everybody else"), bot_values(), DEFAULT_BOT, id="others")
            yield LineButton(_("Play on"), id="begin")

    def on_mount(self) -> None:
        """Focus the button, so that Enter begins."""
        self.query_one("#begin").focus()

    def on_line_button_pressed(self) -> None:
        """Open a table for the new match; the app goes there."""
        mine = int(self.query_one("#as", LineSelect).value)
        bot = self.query_one("#others", LineSelect).value
        seats = tuple("" if seat == mine else bot for seat in range(len(self._scene.names)))
        was_bot = self._scene.table.seats[mine].bot is not None
        name = self.kk.own_name if was_bot else self._scene.name(mine)
        self.visit(lambda number: PlayOn(number, self._ply, seats, name))

    def actions(self) -> Sequence[Action]:
        """Return begin and back."""
        return (Action("do"), Action("start", text("play on")), Action("back"))

    def do_start(self) -> None:
        """Begin."""
        self.on_line_button_pressed()


class WholeScreen(KkScreen, ModalScreen[None]):
    """All there is to say of a moment or a move, over the board; Enter or Esc goes back."""

    CSS = "WholeScreen #question Static { margin-bottom: 1; text-align: left; text-style: none; }"

    def __init__(self, sentences: Sequence[str]) -> None:
        super().__init__()
        self._sentences = sentences

    def body(self) -> ComposeResult:
        """Compose the sentences, each a paragraph, and the button."""
        with Vertical(id="question"):
            for sentence in self._sentences:
                yield Static(sentence, markup=False)
            yield LineButton(_("Back"), id="leave")

    def on_mount(self) -> None:
        """Focus the button, so that Enter goes back."""
        self.query_one("#leave").focus()

    def on_line_button_pressed(self) -> None:
        """Go back."""
        self.dismiss()

    def actions(self) -> Sequence[Action]:
        """Return Enter and Esc, which do the same."""
        return (Action("do", text("back")), Action("back"))


_HUNDRED: Final = 100

_WIDE: Final = 110
"""Columns from which the prompt has one line, since the side panel has room for more."""

_FIGURE: Final = 11
"""Columns for a seat's chance and margin."""

_GAP: Final = "  "
"""Between two sentences of the prompt."""

_OF_COACH: Final = 2
"""Rows for the coach's figures and what they mean."""

_LEAST_BAR: Final = 4
"""Columns that a bar needs beside other words."""


class CourseLine(ScoreGraph):
    """A score line with a coach: each seat's chance to win as a band, the decisive moment, and costly moves.

    Without a coach it shows the points.
    """

    def __init__(self) -> None:
        super().__init__()
        self._coach: Coach | None = None
        self._moment: DecisiveMoment | None = None

    def mark(self, moment: DecisiveMoment | None) -> None:
        """Mark the decisive moment, as long as there is a coach."""
        self._moment = moment

    def expect(self, coach: Coach | None) -> None:
        """Show what a coach has found so far; None shows the points again."""
        self._coach = coach
        self.forget()
        self.refresh()

    @property
    def _has_ends(self) -> bool:
        """Return whether there are lines, and no bands."""
        return self._coach is None and super()._has_ends

    def make_painter(self) -> ScorePlot:
        """Return the bands, or the lines of the points."""
        if self._coach is None or self._course is None:
            return super().make_painter()
        width = self._columns
        plies = [x * self._end / max(1, width - 1) for x in range(width)]
        found = [self._coach.forecast(ply) for ply in plies]
        return ScorePlot(bands_of([None if known is None else known.chances for known in found], self._rows))

    def _mark(self, pixels: list[list[int | None]], x: int, y: int) -> Segment:
        here = pixels[2 * y][x] if self._coach is not None and self.has_colours else None
        if here is None:
            return super()._mark(pixels, x, y)
        return Segment(self.glyphs["v"], self.ink("ground-deep", on=f"seat-{here}"))

    def _time(self, course: Course) -> list[Segment]:
        cells = super()._time(course)
        for key, ply, column in self._marks():
            ink, ground = ("cursor-ink", "cursor") if ply == self._ply else ("happened", "ground")
            cells[column] = Segment(key, self.ink(ink, on=ground, bold=True))
        return cells

    def _marks(self) -> list[tuple[str, int, int]]:
        """Return signs, plies and columns of the decisive moment and the moves; no two columns touch."""
        coach = self._coach
        told = [(str(number), each.ply) for number, each in enumerate(coach.numbered if coach else (), 1)]
        if self._moment is not None and coach is not None and coach.seat is None:
            told.insert(0, (self.glyphs["up"], self._moment.swing.ply))
        columns = apart([self._column(ply) for _key, ply in told], self._columns)
        return [(*each, column) for each, column in zip(told, columns, strict=True)]

    @property
    def _below(self) -> int:
        """Return the rows below the time: with a coach, figures and what they mean."""
        return super()._below if self._coach is None else _OF_COACH

    def _below_time(self, row: int) -> Strip:
        if self._coach is None:
            return super()._below_time(row)
        width, dim = self.size.width, self.ink("ink-dim", on="ground")
        pieces = list(self._figures(self._coach) if row == 0 else self._progress(self._coach.share))
        return Strip(pieces).adjust_cell_length(width, dim)

    @property
    def _has_room(self) -> bool:
        """True if margins fit beside chances: `A100% -12  ` for each seat."""
        seats = len(self._course.points[0]) if self._course else 0
        return self.size.width >= _FIGURE * seats

    def _progress(self, share: float) -> Iterator[Segment]:
        """Yield a bar of the coach's progress until it is done, then the meaning of the figures and bands."""
        dim, width = self.ink("ink-dim", on="ground"), self.size.width - 1
        if share >= 1:
            yield Segment(self._meaning(width), dim)
            return
        figure = f" {int(_HUNDRED * share)} %"
        room = width - cell_len(figure)
        doing = _("analysing")
        if room - cell_len(doing) > _LEAST_BAR:
            yield Segment(f"{doing} ", dim)
            room -= cell_len(doing) + 1
        room = max(1, room)
        done = round(share * room)
        yield Segment(self.glyphs["full"] * done, self.ink("gold", on="ground"))
        yield Segment(self.glyphs["shade"] * (room - done) + figure, dim)

    def _meaning(self, room: int) -> str:
        """Return what the figures mean, in short if there is no room for more."""
        if self._has_room:
            forms = [_("winning chances; lead over the best other"), _("chances; lead over best other")]
            short = _("chances, lead")
        else:
            forms, short = [_("winning chances in %")], _("chances %")
        return next((form for form in forms if cell_len(form) <= room), short)

    def _figures(self, coach: Coach) -> Iterator[Segment]:
        """Yield the chances at the ply shown, as percentages with the margins if there is room, or else as
        figures whose unit stands below.
        """
        found = coach.forecast(self._ply)
        if found is None:
            return
        percent = "%" if self._has_room else ""
        for seat, (chance, margin) in enumerate(zip(percents(found.chances), found.margins, strict=True)):
            yield Segment(letter(seat), self.ink(f"seat-{seat}", on="ground", bold=True))
            yield Segment(f"{chance}{percent} ", self.ink("ink", on="ground"))
            if self._has_room:
                yield Segment(f"{ahead(margin)}  ", self.ink("ink-dim", on="ground"))

    def explain(self, x: int, y: int) -> Explanation:  # noqa: ARG002
        """Return what the line shows."""
        if self._coach is not None:
            return Explanation(text("Winning chances, move by move, and costly moves; a click goes there."))
        return Explanation(
            text("How far above or below the average everybody was; a click goes to that move.")
        )

    def on_click(self, event: Click) -> None:
        """Go to the moment or move whose sign was clicked, or to the ply of that column."""
        if event.button == RIGHT:
            return
        for _key, ply, column in self._marks():
            if event.x == column:
                event.prevent_default()
                self.post_message(self.Chosen(ply))
                return


def apart(columns: Sequence[int], width: int) -> list[int]:
    """Return columns near the given ones, below a width, between any two of which one is free."""
    order = sorted(range(len(columns)), key=lambda place: columns[place])
    found, least = list(columns), 0
    for place in order:
        found[place] = least = max(columns[place], least)
        least += 2
    most = width - 1
    for place in reversed(order):
        found[place] = most = min(found[place], most)
        most -= 2
    return found


def bands_of(chances: Sequence[Sequence[float] | None], height: int) -> list[list[int | None]]:
    """Return a column for each set of chances, divided among the seats from the top; empty if unknown."""
    columns = [_band(shares, height) for shares in chances]
    return [[column[row] for column in columns] for row in range(height)]


def _band(shares: Sequence[float] | None, height: int) -> list[int | None]:
    if not shares:
        return [None] * height
    ends = [sum(shares[: seat + 1]) * height for seat in range(len(shares))]
    last = len(ends) - 1
    # a row goes to the seat that covers its middle; the last seat takes what rounding leaves
    return [next((seat for seat, end in enumerate(ends) if row + 0.5 < end), last) for row in range(height)]


OPEN = -1
"""A view: through the eyes of the player who has just moved, with everybody's hands beside the board."""

_SPECTATOR = -2


class _Side(SidePanel):
    """The table's side panel above the score line, with an additional drawer for the coach."""

    coach: Coach | None = None
    moment: DecisiveMoment | None = None
    here: int | None = None
    """The ply shown."""

    def compose(self) -> ComposeResult:
        """Compose side panel and score line."""
        yield from super().compose()
        yield CourseLine()

    @property
    def rows(self) -> int:
        """The rows above the score line."""
        line = self.query_one(ScoreGraph)
        return super().rows - line.size.height - line.styles.margin.bottom

    def _since(self, scene: Scene[Any], *, is_own: bool) -> str:
        if is_own:
            return _("The turn so far") if scene.is_turn_begun else _("The last turn")
        return _("Since the last turn")

    def _drawn(
        self, scene: Scene[Any], face: Face[Any], width: int, room: int, preview: Sheet | None
    ) -> Iterable[Content]:
        if self.drawer == COACH and self.coach is not None:
            return coach_lines(self.coach, scene.names, self._glyphs, width, room, self.here, self.moment)
        return super()._drawn(scene, face, width, room, preview)


class ReplayScreen(MatchScreen):
    """The table of a finished match: a replay's own screen, or pushed over the finished table."""

    CSS = """
    ReplayScreen #score-graph { height: 10; width: 100%; }
    /* What the coach says takes two lines more of the prompt. */
    ReplayScreen.-coached #score-graph { height: 7; margin-bottom: 2; }
    ReplayScreen.-roomy #score-graph { height: 11; }
    ReplayScreen.-wide #score-graph { height: 13; }
    ReplayScreen.-large #score-graph, ReplayScreen.-huge #score-graph { height: 17; }
    """
    SIDE = _Side
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "act('do')", show=False, priority=True),
        Binding("left", "step(-1)", show=False, priority=True),
        Binding("right", "step(1)", show=False, priority=True),
        bound("up", text_in("key", "Up"), "mark('turns', -1)", text("a turn back")),
        bound("down", text_in("key", "Down"), "mark('turns', 1)", text("a turn forward")),
        bound("pageup", text_in("key", "PgUp"), "mark('rounds', -1)", text("a round back")),
        bound("pagedown", text_in("key", "PgDn"), "mark('rounds', 1)", text("a round forward")),
        bound("shift+tab", text_in("key", "Shift+Tab"), "mark('scorings', -1)", text("previous scoring")),
        Binding("tab", "mark('scorings', 1)", show=False, priority=True),
        bound("home", text_in("key", "Home"), "step(-100000)", text("the beginning")),
        bound("end", text_in("key", "End"), "step(100000)", text("the end")),
    ]

    def __init__(self, *, coached: bool = False) -> None:
        """With `coached`, open the analysis at once, at the decisive moment."""
        super().__init__()
        self._coach = Coach()
        self._moment: DecisiveMoment | None = None
        self._whole: Sequence[str] = ()
        """What there is to say of a moment or a move, where the prompt has no room for all of it."""
        self._is_coached = coached
        self._course: Course | None = None
        self._ply = 0
        self._eyes = OPEN
        self._hands: Mapping[Seat, Sequence[Content]] = {}
        self._marked: Sequence[Move] = ()
        """The moves marked on the board: the better one and the one played."""

    def on_mount(self) -> None:
        """Request the course of the match and show its beginning."""
        for board in self.query(Board):
            board.can_focus = False
            board.visible = False  # until the start of the match can be shown
        self.title_line(render(self._face.meta.name))
        self.work(self._begin())

    async def _begin(self) -> None:
        reply = await self.kk.request(GetCourse)
        if isinstance(reply, MatchCourse) and self.is_alive:
            self._course = reply.course
            self._mark(moment := moment_of(reply.course, self._scene))
            told = () if moment is None else moment.plies
            self.query_one(ScoreGraph).take(reply.course, self.kk.my_seats, told)
            look = partial(past_scene, self.kk, self._scene.match_key)
            step = self.kk.step_in(self._scene.table.id) or 0
            if self._is_coached and self._moment is not None:
                step = step or self._moment.swing.ply
            self.go(step)
            if self._is_coached:
                self._ask_coach()
            if self._moment is not None:
                moment = await with_deeds(self._moment, reply.course, look, self._face)
                if self.is_alive:
                    self._mark(moment)
                    if self.board.visible:
                        self._show_coach()

    def _mark(self, moment: DecisiveMoment | None) -> None:
        """Have the drawer and the line show the decisive moment."""
        self._moment = self.query_one(_Side).moment = moment
        self.query_one(CourseLine).mark(moment)

    def place_changed(self) -> None:
        """Close this when a rematch begins at the table below, which no longer has the match shown.

        Everybody there is told of it by the hub.
        """
        super().place_changed()
        if self.is_active and not self._is_of(self.kk.store.scene):
            self.dismiss()

    def _is_of(self, scene: Scene[Any] | None) -> bool:
        """Return whether a scene belongs to the match shown here."""
        return scene is None or scene.match.commitment == self._scene.match.commitment

    # -- moving ----------------------------------------------------------------------------------------------

    @property
    def _end(self) -> int:
        return len(self._course.movers) if self._course else 0

    def go(self, ply: int) -> None:
        """Show the match after `ply` plies."""
        self._ply = max(0, min(self._end, ply))
        self.kk.note_step(self._ply)
        # exclusive, so that of several quick steps only the last one is fetched
        self.run_worker(self._fetch(self._ply, self._viewer()), group="look", exclusive=True)

    def _viewer(self) -> Viewer:
        """Return the viewer; with all hands open, whoever makes a costly move here, or made the last one."""
        if self._eyes >= 0 or self._course is None:
            return self._eyes if self._eyes >= 0 else None
        if self._eyes == OPEN and (verdict := self._verdict()) is not None:
            return verdict.point.seat
        movers = self._course.movers
        return movers[max(0, self._ply - 1)] if self._eyes == OPEN and movers else None

    async def _fetch(self, ply: int, eyes: Viewer) -> None:
        """Request the match through these eyes and, with all hands open, through those of every seat."""
        # with all hands open, each is shown below its player's name
        wanted = {eyes, *(range(len(self._scene.names)) if self._eyes == OPEN else ())}
        seen = dict(await asyncio.gather(*(self._past(ply, viewer) for viewer in wanted)))
        # a rematch may have begun in the meantime
        if self.is_alive and self._is_of(seen[eyes]):
            self._take(eyes, seen)

    async def _past(self, ply: int, viewer: Viewer) -> tuple[Viewer, Scene[Any]]:
        reply: PastPosition = await self.kk.request(lambda number: LookBack(number, ply, viewer))
        scene = self.kk.store.past(reply.match, viewer)
        return viewer, replace(scene, table=as_remembered(scene.table), is_through_other_eyes=True)

    def beside(self) -> Beside:
        """Return the hands if all are open; the coach's drawer replaces the panel."""
        is_coach = self.side.drawer == COACH
        return Beside(() if is_coach else self.board.panel(), hands=self._hands)

    @guarded
    def _take(self, eyes: Viewer, seen: Mapping[Viewer, Scene[Any]]) -> None:
        with self.at_once(self.board, self.side.people):
            self.motion.end()
            before = self._scene
            self._show(eyes, seen)
            # after a jump there is no motion
            if self._scene.match.ply == before.match.ply + 1 and self.board.visible:
                self.motion.begin(before, self._scene, self._face)

    def _show(self, eyes: Viewer, seen: Mapping[Viewer, Scene[Any]]) -> None:
        self._scene = scene = self._with_verdict(seen[eyes])
        is_open = self._eyes == OPEN
        self._hands = {seat: self._face.hand(seen[seat]) for seat in seen if is_open and seat is not None}
        self.query_one(ScoreGraph).point(self._ply)
        self.board.has_hand = not is_open
        self.board.first = self._told_of()
        # pending, since nothing can be chosen here
        self.board.show(scene, pending=True)
        marked: Sequence[Move] = ()
        if (verdict := self._verdict()) is not None and scene.may_act:
            marked = verdict.point.better.move, verdict.point.played.move
            # what is told of the place under the cursor is then of the better move
            self.board.point_at(marked[0])
        if marked != self._marked:
            self._marked = marked
            self.board.mark_moves(marked, (BETTER, PLAYED))
        self.board.visible = True
        self._pointing.rest()
        self.query_one(_Side).here = self._ply
        self.show_side()
        self._tell()
        self.show_keys()

    def _told_of(self) -> Sequence[Seat]:
        """Return who makes a costly move here, and whom the reason for a better one names."""
        if (verdict := self._verdict()) is None:
            return ()
        mover, names = verdict.point.seat, self._scene.names
        named = {seat: place for seat, name in enumerate(names) if (place := verdict.why.find(name)) >= 0}
        return [mover, *(seat for seat in sorted(named, key=named.__getitem__) if seat != mover)]

    def _with_verdict(self, scene: Scene[Any]) -> Scene[Any]:
        """Make the board show two moves at a costly one: the one made and the better one."""
        verdict = self._verdict()
        if verdict is None or verdict.point.seat != scene.viewer:
            return scene
        return replace(scene, legal=frozenset((verdict.point.played.move, verdict.point.better.move)))

    @guarded
    def on_board_cursor(self) -> None:
        """Update the side for what is under the mouse."""
        self.show_side()

    @property
    def explainable(self) -> Sequence[tuple[Widget, Explainer]]:
        """The widgets whose signs explain themselves, including the score line."""
        line = self.query_one(CourseLine)
        return (*super().explainable, (line, line.explain))

    def say_what_counts(self) -> None:
        """Show what a sign means, or what happened."""
        if self._course is not None:
            self._tell()

    def on_key(self, event: Key) -> None:
        """End an explanation at any key except those about it."""
        is_leaving = self._pointing.takes_back and event.key == KEYS["back"].key
        if not asks(event.key) and not is_leaving:
            self._pointing.rest()

    def on_click(self, event: Click) -> None:
        """Explain what is clicked with the right button; any other click ends an explanation."""
        if not self.take_click(event):
            self._pointing.rest()

    def on_resize(self) -> None:
        """Fit the prompt to the new width."""
        self.call_after_refresh(self._tell_again)

    @guarded
    def _tell_again(self) -> None:
        if self.is_alive and self._course is not None:
            self._tell()
            self.show_keys()

    def _tell(self) -> None:
        """Show ply and viewer; then what a sign means, what the coach says, or what happened."""
        move = _("Move {ply} of {end}", ply=self._ply, end=self._end)
        if (verdict := self._verdict()) is not None:
            move = _("Before move {n} of {end}", n=verdict.number, end=self._end)
        # the strip above the header must leave the ply in view
        self.least_title = cell_len(move)
        parts = move, render(self._whose()), *map(render, self._face.status(self._scene))
        self.title_line(fitted_title(parts, self.size.width - 2))
        sentences, whole = self._said()
        # a second line would cover the foot of the board; where there is room, log and drawer have all of it
        most = 1 if self.app.size.width >= _WIDE else 3 if whole and self._is_coached else 2
        words = self._in_short(sentences, most)
        self._whole = whole if words != _GAP.join(whole) else ()
        if self.say_meaning():
            return
        if self.has_class("-short"):  # there is no title then
            words = _("{ply} of {end}, {eyes}: {words}",
                      ply=self._ply, end=self._end, eyes=self._whose(), words=words)  # fmt: skip
        self.say(words, "$happened" if self._ply else "$ink-dim")

    def _said(self) -> tuple[Sequence[str], Sequence[str]]:
        """Return the sentences about this ply, and all that can be said of a costly move or the moment."""
        happened = [render(sentence) for sentence in last_ply(self._face, self._scene)]
        end = [end_words(self._scene)] if self._scene.is_over else []
        moment = self._moment if self._moment is not None and self._moment.swing.ply == self._ply else None
        whole = [] if moment is None else [*end, *filter(None, (moment.sentence, moment.deeds))]
        if (verdict := self._verdict()) is not None:
            played = self._face.move_words(self._scene, verdict.point.seat, verdict.point.played.move)
            told = _("{mark} Played: {played}", mark=PLAYED, played=played)
            better, why = better_words(verdict)
            costly = [told, f"{BETTER} {better}", *filter(None, [why])]
            # where the moment is followed by a costly move, there is room for little of either
            return [*([] if moment is None else [moment.short]), *costly], [*whole, *costly]
        return whole or end or happened, whole

    def _verdict(self) -> Verdict | None:
        """Return the coach's verdict on the next move, if it is a costly one."""
        told = self._coach.verdicts if self._is_coached else ()
        return next((verdict for verdict in told if verdict.ply == self._ply), None)

    def _in_short(self, sentences: Sequence[str], lines: int) -> str:
        """Return the sentences that fit into `lines` lines; log and drawer have all of them."""
        words = ""
        for sentence in sentences:
            longer = f"{words}{_GAP}{sentence}".strip()
            if words and cell_len(longer) + lines > lines * self.prompt_width:
                return f"{words} {self.kk.glyphs['ellipsis']}"
            words = longer
        return words

    def _whose(self) -> Text:
        if self._eyes == OPEN:
            return text("all revealed")
        if self._eyes == _SPECTATOR:
            return text("as spectators saw it")
        return text("as {name} saw it", name=self._scene.name(self._eyes))

    # -- keys ------------------------------------------------------------------------------------------------

    def actions(self) -> Sequence[Action]:
        """Return steps, scorings, eyes, coach, playing on."""
        if self._course is None:
            return (Action("back"), Action("help"), Action("leave", in_footer=False))
        on = [Action("start", text("play on"))] if self._ply < self._end else []
        told = self._coach.numbered if self._is_coached else ()
        jumps = [
            Action(choice(number), text("costly move {number}", number=number), in_footer=False)
            for number in range(1, len(told) + 1)
        ]
        move = text("move")
        whole = [Action("do", text("read all"))] if self._whole else []
        moment = [Action("draw", text("decisive moment"), minor=True)] if self._moment is not None else []
        return (
            *whole,
            # one label for both, since analysis and playing on should be in sight too
            Action("earlier", move, whole=text("one move back")),
            Action("later", move, whole=text("one move on")),
            Action("back"),
            Action("next", text("scoring"), minor=True),
            # what is cut off can be read first, and from here one may want to play on
            Action("view", text("view"), minor=bool(whole)),
            Action("hint", text("analysis"), minor=bool(whole)),
            *moment,
            *jumps,
            *on,
            *self.drawer_actions,
            Action("what", minor=True),
            *self._around(),
            *([Action("save", minor=True)] if self.kk.records is not None else ()),
            Action("help", minor=True),
            Action("leave", in_footer=False),
        )

    def _around(self) -> Sequence[Action]:
        """Return the actions for the table below, such as agreeing on a rematch."""
        table = self.kk.store.table
        return () if table is None or table.phase == "replay" else self.kk.table_actions

    def action_step(self, by: int) -> None:
        """Move some plies forward or back."""
        self.go(self._ply + by)

    def action_mark(self, kind: str, by: int) -> None:
        """Move to the next or previous turn, round or scoring."""
        if self._course is None:
            return
        marks = [0, *getattr(self._course, kind), self._end]
        at = bisect_right(marks, self._ply) if by > 0 else bisect_left(marks, self._ply) - 1
        self.go(marks[max(0, min(len(marks) - 1, at))])

    def on_side_panel_pressed(self, event: SidePanel.Pressed) -> None:
        """Treat a click on a moment or a move as its key."""
        self.action_act(event.action)

    def on_score_graph_chosen(self, event: ScoreGraph.Chosen) -> None:
        """Move to the ply that was clicked."""
        self.go(event.ply)

    # -- the coach -------------------------------------------------------------------------------------------

    def do_hint(self) -> None:
        """Show the analysis, or the points again."""
        if self.side.drawer == COACH:
            self._is_coached = False
            self.turn_drawer(None)
            self._show_coach()
        else:
            self._is_coached = True
            self._ask_coach()

    def _ask_coach(self) -> None:
        """Show what is found so far, and have the coach find the rest."""
        self._coach.own = self.kk.my_seats
        self._coach.rounds = () if self._course is None else self._course.rounds
        self.query_one(_Side).coach = self._coach
        self.turn_drawer(COACH)
        self._show_coach()
        if self._coach.share < 1 and not self._coach.is_asking:
            self.work(self._coach.follow(self.kk.request, self._before, self._face, self._show_coach))

    async def _before(self, ply: int, seat: Seat) -> Scene[Any]:
        """Return the scene that a seat saw when it moved."""
        return (await self._past(ply, seat))[1]

    @guarded
    def _show_coach(self) -> None:
        if self.is_alive:
            self.set_class(self._is_coached, "-coached")
            self.query_one(CourseLine).expect(self._coach if self._is_coached else None)
            self.show_side()
            self._tell()
            self.show_keys()

    def do(self, name: str) -> None:
        """Go to a costly move by its digit."""
        if name in CHOICE_OF:
            self.go(self._coach.numbered[CHOICE_OF[name] - 1].ply)
        else:
            super().do(name)

    def do_do(self) -> None:
        """Show all there is to say here."""
        if self._whole:
            self.app.push_screen(WholeScreen(self._whole))

    def do_draw(self) -> None:
        """Go to the decisive moment."""
        if self._moment is not None:
            self.go(self._moment.swing.ply)

    def do_save(self) -> None:
        """Save the record into the records folder."""
        if self.kk.records is not None:
            self.work(save_record(self, self.kk.records))

    def do_earlier(self) -> None:
        """Move a ply back."""
        self.action_step(-1)

    def do_later(self) -> None:
        """Move a ply on."""
        self.action_step(1)

    def do_view(self) -> None:
        """Change the viewer: all hands open, then each seat, then a spectator."""
        order = [OPEN, *range(len(self._scene.names)), _SPECTATOR]
        self._eyes = order[(order.index(self._eyes) + 1) % len(order)]
        # through a seat's eyes, the coach says what that seat could have done better
        self._coach.seat = self._eyes if self._eyes >= 0 else None
        self._show_coach()
        self.go(self._ply)

    def do_start(self) -> None:
        """Play on from here, after a question."""
        self.app.push_screen(PlayOnFromScreen(self._scene, self._ply))

    def do_back(self) -> None:
        """Close the drawer or, if none is open, the replay."""
        table = self.kk.store.table
        if self._pointing.leave():
            return
        if self.side.drawer is not None:
            self.turn_drawer(None)
        elif table is None or table.phase != "replay":
            self.dismiss()
        elif self.kk.only_replay:
            self.app.exit()
        else:
            self.kk.leave_table()

    def do_leave(self) -> None:
        """Do the same as back, since nothing can be lost here."""
        self.do_back()
