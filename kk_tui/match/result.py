"""The end of a match: winners, score chart, the proof of the shuffle, and what to do next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from functools import partial
from time import monotonic
from typing import Any, Final

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from kk_core.bot_names import LEVELS
from kk_core.daily import streak_words
from kk_core.protocol.messages import GetCourse, GetRemarks, MatchCourse, Propose, Remarks, Undo
from kk_core.text import Text, text, texts
from kk_core.types import Meta, Seat, Sheet
from kk_core.views import DailyTable, TableView
from kk_tui.games import Face
from kk_tui.i18n import _, render
from kk_tui.keymap import Action
from kk_tui.match.replay import ReplayScreen
from kk_tui.match.screen import save_record
from kk_tui.scene import Scene
from kk_tui.screens.base import KkScreen
from kk_tui.screens.daily import DailyScreen, copy_to_share, daily_table, shown_signs
from kk_tui.screens.dialogs import ConfirmScreen
from kk_tui.screens.new_game import NewGameScreen
from kk_tui.table.decisive import DecisiveMoment, moment_of, with_deeds
from kk_tui.table.outcome import outcome_notes, winner_words
from kk_tui.table.place_store import past_scene
from kk_tui.table.score_sheet import score_sheet
from kk_tui.table_words import format_rating, kind_marks, replay_words
from kk_tui.theme.glyphs import Glyphs
from kk_tui.widgets.bars import KeyBar
from kk_tui.widgets.canvas import Canvas
from kk_tui.widgets.lines import wrapped_with_figures
from kk_tui.widgets.podium import Podium, place_words, standings
from kk_tui.widgets.point_bars import PointBars, PointSource
from kk_tui.widgets.score_graph import ScoreGraph


def beat_weaker_bots(scene: Scene[Any], own: Collection[Seat]) -> bool:
    """Return whether the viewer's seats won against bots alone, none of them of the strongest level."""
    outcome = scene.observation.outcome
    winners = set() if outcome is None else {*outcome.winners}
    others = {view.bot for seat, view in enumerate(scene.table.seats) if seat not in own}
    return bool(winners and others) and winners <= {*own} and others <= {*LEVELS[1:]}


_AROUND: Final = 4
"""Columns around a sentence."""
_MOMENT: Final = 2
"""Lines that the decisive moment may take above a prompt of one line; one more on a high screen."""

_HIGH: Final = 30
"""Lines from which the decisive moment may take one more."""

_ROOMY = (110, 36)
"""Columns and lines from which everything fits on one page."""

_MANY: Final = 4
"""Lines of a part without colours up to which each is told by itself on the podium."""

_REMARKS: Final = 2
"""Maximum number of remarks about the match."""

GLANCE = 2.0
"""Seconds after the result has appeared in which a rematch asks first."""

_TALL, _HUGE = 46, 56
"""Lines from which podium and score line take more of the page than a chart that is only a table."""


_SHEET: Final = 60
"""Columns of a score sheet that stands in for a chart."""


def _sheet_chart(face: Face[Any], scene: Scene[Any], glyphs: Glyphs) -> Static:
    """Return the score sheet, for a game without a chart."""
    sheet = score_sheet(scene, face, glyphs, _SHEET)
    lines = (*sheet.head, *sheet.lines, *sheet.foot, *sheet.codes)
    shown = Static(Content("\n").join(lines), markup=False)
    shown.styles.width = "auto"
    return shown


class ResultScreen(KkScreen):
    """The result over the table; Esc shows the final board.

    Podium, score line and chart are on one page if there is room, otherwise on two.
    """

    CSS = """
    #result { height: 1fr; }
    #verdict { height: auto; padding: 0 2; }
    #ratings, #daily { height: auto; padding: 0 2; display: none; }
    #top { height: 1fr; }
    #podium { height: 9; }
    #score-graph { height: 1fr; margin: 1 2 0 2; }
    #moment, #remarks { height: auto; padding: 0 2; color: $happened; }
    #remarks { display: none; color: $gold; }
    #link { height: auto; padding: 0 2; display: none; color: $ink-dim; }
    #bottom { height: 1fr; display: none; }
    #chart { height: 1fr; width: 1fr; padding: 0 2; }
    #sources { width: 1fr; height: 1fr; padding: 0 1; display: none; }
    ResultScreen.-normal.-with-chart #chart { padding: 0; }
    ResultScreen.-normal.-with-chart.-with-sources #chart { padding: 0 2; }
    ResultScreen.-with-chart #top { display: none; }
    ResultScreen.-with-chart #bottom { display: block; }
    ResultScreen.-one-page #top { height: 40%; layout: horizontal; display: block; }
    ResultScreen.-one-page.-huge-page #top { height: 30%; }
    ResultScreen.-one-page #bottom { display: block; padding-top: 1; }
    ResultScreen.-one-page #podium { width: 40%; min-width: 60; height: 1fr; }
    ResultScreen.-one-page #story { width: 1fr; }
    ResultScreen.-one-page.-with-sources.-huge-page #top { height: 48%; }
    ResultScreen.-one-page.-with-sources #chart { width: auto; max-width: 70%; }
    ResultScreen.-one-page.-with-sources #sources { display: block; }
    """

    def __init__(self, *, is_asked_for: bool = False) -> None:
        super().__init__()
        # a result that was asked for has been seen before
        self._since = monotonic() - (GLANCE if is_asked_for else 0)
        self._daily: DailyTable | None = None
        self._moment: DecisiveMoment | None = None

    def body(self) -> ComposeResult:
        """Compose verdict, podium and story of the match, and the game's own chart."""
        scene, face = self.kk.store.scene, self.kk.store.face
        if scene is None or face is None:
            return
        yield Static(id="verdict", markup=False)
        yield Static(id="ratings", markup=False)
        yield Static(id="daily", markup=False)
        with Vertical(id="top"):
            standing = standings(scene.names, scene.observation.points, scene.observation.outcome)
            sources = point_sources(scene, face)
            best = [[_forms_of(source) for source in best_sources(own)] for own in sources]
            yield Podium(standing, [kind_marks(holder) for holder in scene.table.seats], best)
            with Vertical(id="story"):
                yield ScoreGraph(has_keys=False)
                yield Static(id="moment", markup=False)
                yield Static(id="remarks", markup=False)
                yield Static(id="link", markup=False)
        with Horizontal(id="bottom"):
            with VerticalScroll(id="chart"):
                try:
                    chart = (face.chart or partial(_sheet_chart, face))(scene, self.kk.glyphs)
                    # a chart that is a canvas takes all the room, so there are no sources beside it
                    self.set_class(not isinstance(chart, Canvas), "-with-sources")
                    yield chart
                except Exception as error:
                    self.kk.cannot_show(error)
            yield PointBars(standing, sources)

    def on_mount(self) -> None:
        """Request the course of the match."""
        self._fit()  # before the first frame, which would briefly show the wrong page
        if not self._is_of_match:
            # nobody has won it by moves of their own, so there is nothing to show of its course
            self.query_one("#podium").display = self.query_one("#story").display = False
            self.query_one("#top").display = False
            self.set_class(True, "-with-chart")
            return
        self.work(self._ask_for_course())
        self.work(self._ask_for_remarks())
        table = self.kk.store.table
        if table is not None and table.daily is not None:
            game = table.game
            self.kk.return_to = lambda: DailyScreen(game)
            self.work(self._ask_for_daily(game, table.daily.day))

    async def _ask_for_remarks(self) -> None:
        reply = await self.kk.request(GetRemarks)
        if isinstance(reply, Remarks) and reply.remarks and self.is_alive:
            line = self.query_one("#remarks", Static)
            line.update("\n".join(map(render, reply.remarks[:_REMARKS])))
            line.display = True

    async def _ask_for_daily(self, game: str, day: str) -> None:
        self._daily = found = await daily_table(self.kk, game, day)
        if found is None or not self.is_alive:
            return
        line = self.query_one("#daily", Static)
        words = _daily_words(found, self.kk.store.table, shown_signs(self.kk, found))
        line.update(Content.styled(render(words), "$happened"))
        line.display = True
        self.show_keys()

    async def _ask_for_course(self) -> None:
        reply, scene = await self.kk.request(GetCourse), self.kk.store.scene
        if not isinstance(reply, MatchCourse) or scene is None or not self.is_alive:
            return
        self._moment = moment = moment_of(reply.course, scene)
        told = () if moment is None else moment.plies
        self.query_one(ScoreGraph).take(reply.course, self.kk.my_seats, told)
        if moment is None:
            return
        self.query_one(ScoreGraph).point(moment.swing.ply)
        self._show_moment()
        look, face = partial(past_scene, self.kk, scene.match_key), self.kk.faces[scene.match.game]
        self._moment = await with_deeds(moment, reply.course, look, face)
        self._show_moment()

    def _show_moment(self) -> None:
        """Show as much of the decisive moment as there is room for."""
        if self._moment is None or not self.is_alive:
            return
        room = (self.query_one("#story").size.width or self.size.width) - _AROUND
        most = _MOMENT + (self.size.height >= _HIGH)
        lines = 1 if self._prompt_line.length > self.prompt_width else most
        moment = self._moment
        # a line more is well spent on what was done
        tried = [(moment.telling, lines), (moment.telling[-1:], lines + 1), (moment.forms, lines)]
        told = ((wrapped_with_figures(Content(form), room), most) for forms, most in tried for form in forms)
        shown = next((form for form, most in told if len(form) <= most), [Content(moment.short)])
        self.query_one("#moment", Static).update(Content("\n").join(shown))

    def on_resize(self) -> None:
        """Lay out one page or two."""
        self._fit()
        self.call_after_refresh(self._show_moment)
        self.show_keys()

    def _fit(self) -> None:
        width, height = self.app.size
        self.set_class(width >= _ROOMY[0] and height >= _ROOMY[1], "-one-page")
        self.set_class(_TALL <= height < _HUGE, "-tall-page")
        self.set_class(height >= _HUGE, "-huge-page")
        for podium in self.query(Podium):
            podium.tell_best(tells_best=not (self.has_class("-one-page") and self.has_class("-with-sources")))
        self._show_verdict(width - _AROUND)

    def _show_verdict(self, room: int) -> None:
        """Show who has won, and beside it if there is room, or below, how the viewer did."""
        scene, face = self.kk.store.scene, self.kk.store.face
        if scene is None or face is None:
            return
        said = verdict(scene, face.meta, self.kk.glyphs)
        seats = self.kk.my_seats if self._is_of_match else ()
        if own := own_words(scene, face, seats):
            first, *others = said.split("\n")
            whole = Content.styled(" ".join(own), "$ink")
            # what gave most is left out where it would take a line of the rest
            beside = [Content.assemble(first, "  ", each) for each in (whole, Content.styled(own[0], "$ink"))]
            heads = next(([each] for each in beside if each.cell_length <= room), [first, whole])
            said = Content("\n").join([*heads, *others])
        for line in self.query("#verdict").results(Static):
            line.update(said)

    def place_changed(self) -> None:
        """Update the result; close it for a rematch."""
        super().place_changed()
        scene = self.kk.store.scene
        if scene is None or not scene.is_over:
            self.dismiss()
            return
        self.title_line(_("Result"))
        self._show_ratings(scene)
        self._show_link(scene.table)
        if self.is_current:
            chart = next(iter(self.query("#chart")), None)
            if chart is None:  # it was composed while there was no match to show
                self.dismiss()
                return
            next((part for part in chart.walk_children(Widget) if part.can_focus), chart).focus()
            self.say(self._proof(scene) if self._is_of_match else _("Esc shows the board."), "$ink-dim")

    def _show_ratings(self, scene: Scene[Any]) -> None:
        words = [
            self.person(seat, view.colour, view.name, "$ink", (f" {format_rating(view.rating)}", "$gold"))
            for seat, view in enumerate(scene.table.seats)
            if view.rating is not None
        ]
        for ratings in self.query("#ratings").results(Static):
            ratings.display = bool(words)
            ratings.update(Content.assemble((_("Ratings: "), "$ink-dim"), *words))

    def _show_link(self, table: TableView) -> None:
        words = replay_words(table, self.kk.server_address)
        for line in self.query("#link").results(Static):
            line.display = bool(words)
            line.update(words)

    def _proof(self, scene: Scene[Any]) -> str:
        seed, daily = scene.match.seed, scene.table.daily
        if seed is None:
            is_secret = daily is not None and daily.secret
            return _("The seed is revealed once the day is over (UTC).") if is_secret else ""
        # where records cannot be saved there may be no command line either
        can_save = self.kk.records is not None
        if self.kk.is_in_shuffle(scene.table):
            if can_save:
                return _("Your part is in the shuffle; a saved record proves it: kk record verify.")
            return _("Your part is in the shuffle; the match's record proves it.")
        if daily is None and beat_weaker_bots(scene, self.kk.my_seats):
            return _("You beat these bots; a new game can have stronger ones.")
        if can_save:
            return _("A saved record proves a fair shuffle: kk record verify.")
        return _("The match's record proves a fair shuffle.")

    def actions(self) -> Sequence[Action]:
        """Return the actions after a match: rematch, replay, saving, leaving."""
        again = [Action("rematch")] if self.kk.my_seats else []
        table = self.kk.store.table
        if table is not None and table.lesson is not None:
            again = [Action("new", text("a match of this game")), Action("undo", text("a step back"))]
        daily = None if table is None else table.daily
        if daily is not None:
            again = [Action("new", text("deal of the day") if self.kk.local else text("day's ranking"))]
        if self._daily is not None and self._daily.own is not None:
            again.append(Action("collections", text("copy to share")))
        again += self.kk.table_actions if self.kk.has_company else ()
        is_secret = daily is not None and daily.secret
        save = [Action("save")] if self.kk.records is not None and not is_secret else []
        coach = Action("hint", text("analysis") if self._is_of_match else text("play with the coach"))
        back = [] if is_secret else [Action("view"), coach]
        turn = text("podium") if self.has_class("-with-chart") else text("score sheet")
        pages = [] if self.has_class("-one-page") or not self._is_of_match else [Action("sheet", turn)]
        rest = (Action("back", text("the board")), Action("help"), Action("leave"))
        return (*pages, *again, *back, *save, *rest)

    @property
    def _is_of_match(self) -> bool:
        """True unless this was a lesson, in which no move was anybody's own choice."""
        table = self.kk.store.table
        return table is None or table.lesson is None

    def do_sheet(self) -> None:
        """Turn the page."""
        if not self._is_of_match:
            return
        self.toggle_class("-with-chart")
        self.show_keys()

    def on_key_bar_pressed(self, event: KeyBar.Pressed) -> None:
        """Drop a click that was meant for the scoring before."""
        if not self.kk.press_guard.is_meant:
            event.prevent_default()

    def do_rematch(self) -> None:
        """Propose a rematch, after a question if the result has only just appeared."""
        if monotonic() - self._since < GLANCE:
            question = text("Begin a rematch now? The result has just appeared.")
            self.app.push_screen(ConfirmScreen(question, lambda: self._ask_for_rematch(), text("Rematch")))
        else:
            self._ask_for_rematch()

    def _ask_for_rematch(self) -> None:
        self.ask(lambda number: Propose(number, "rematch"))

    def do_new(self) -> None:
        """Open the form of a match, to play what a lesson has taught; or the ranking of the day."""
        table = self.kk.store.table
        if table is not None and table.daily is not None:
            self.app.push_screen(DailyScreen(table.game))
        else:
            self._open_form(is_coached=False)

    def _open_form(self, *, is_coached: bool) -> None:
        if (table := self.kk.store.table) is not None:
            self.app.push_screen(NewGameScreen(table.game, is_coached=is_coached))

    def do_collections(self) -> None:
        """Copy the text for sharing a deal of the day."""
        if self._daily is not None:
            copy_to_share(self, self._daily)

    def do_undo(self) -> None:
        """Take back the last step of a lesson."""
        seats = self.kk.my_seats
        self.ask(lambda number: Undo(number, seats[0]))

    def do_view(self) -> None:
        """Open the replay."""
        self.app.push_screen(ReplayScreen())

    def do_hint(self) -> None:
        """Open the replay with the coach, which shows the costliest moves; after a lesson, the form."""
        if self._is_of_match:
            self.app.push_screen(ReplayScreen(coached=True))
        else:
            self._open_form(is_coached=True)

    def do_save(self) -> None:
        """Save the record into the records folder."""
        if self.kk.records is not None:
            self.work(save_record(self, self.kk.records))


def _daily_words(found: DailyTable, table: TableView | None, signs: str) -> Text:
    """Return how a deal of the day went compared with others, as far as that is known."""
    streak, stood = streak_words(found.streak), text("Your standing, start to end: {signs}", signs=signs)
    if found.own is not None and not found.ranked:
        if found.finished == 1:
            return text("Deal of the day, unranked. {streak}. {stood}", streak=streak, stood=stood)
        points = found.own.points
        return text("Deal of the day, played again: your first try scored {points} points.", points=points)
    counts = table is not None and table.daily is not None and table.daily.counts
    if not counts or found.own is None:
        return text("This was practice: only an account's first try at the deal of the day counts.")
    place = texts(
        "So far, only you have finished this deal of the day.",
        "Deal of the day: place {place} of {n} so far.",
        found.finished, place=found.own.place,
    )  # fmt: skip
    return text("{place} {streak}. {stood}", place=place, streak=streak, stood=stood)


def verdict(scene: Scene[Any], meta: Meta, glyphs: Glyphs) -> Content:
    """Return the winners, or why there are none, with tie-break, resignations and programs."""
    marks = [next(iter(kind_marks(holder)), "") if holder.bot else "" for holder in scene.table.seats]
    names = [f"{glyphs.owner(seat)} {scene.name(seat)}{mark}" for seat, mark in enumerate(marks)]
    head = winner_words(scene, names)
    lines = outcome_notes(scene, meta)
    if scene.table.lesson is not None:
        return Content.styled(_("The lesson's match, scored."), "$gold")
    return Content.assemble((head, "bold $gold"), *((f"\n{line}", "$ink-dim") for line in lines))


def own_words(scene: Scene[Any], face: Face[Any], own: Collection[Seat]) -> Sequence[str]:
    """Return how the viewer's one seat did, and what gave it most; nothing without one, or with several."""
    if len(own) != 1:
        return ()
    (seat,) = own
    placed = standings(scene.names, scene.observation.points, scene.observation.outcome)
    one = next(each for each in placed if each.seat == seat)
    place = place_words(placed, one)
    lead = one.points - max(other.points for other in placed if other is not one)
    said = _("You: {place} with {points}.", place=place, points=one.points)
    if lead > 0:
        said = _("You: {place} with {points}, {n} ahead.", place=place, points=one.points, n=lead)
    elif lead < 0:
        said = _("You: {place} with {points}, {n} behind.", place=place, points=one.points, n=-lead)
    sources = point_sources(scene, face)
    most = best_sources(sources[seat])[:1] if sources else ()
    more = [_("Most points: {source} {points}.", source=each.name, points=each.points) for each in most]
    return said, *more


# -- where the points come from ----------------------------------------------------------------------------


def point_sources(scene: Scene[Any], face: Face[Any]) -> Sequence[Sequence[PointSource]]:
    """Return by seat where its points come from.

    What scores several times in a match is one source, and so are the many small lines of a part.
    """
    sheet: Sheet = scene.observation.sheet
    if not sheet:
        return ()
    entries = [face.sheet_entry(scene, line) for line in range(len(sheet))]
    plain = Counter(entry.part for entry in entries if entry.colour is None)
    found: dict[tuple[Text, Text, str | None], list[int]] = {}
    key = entries[0].name, entries[0].code, entries[0].colour
    for entry, points in zip(entries, sheet, strict=True):
        if not entry.adds:
            key = entry.name, entry.code, entry.colour
            if entry.source is not None:
                key = *entry.source, None
            elif entry.colour is None and plain[entry.part] > _MANY:
                key = entry.part, entry.part, None
        so_far = found.get(key, [0] * len(points))
        found[key] = [sum(pair) for pair in zip(so_far, points, strict=True)]
    return [
        [
            PointSource(render(name), render(code), points[seat], colour)
            for (name, code, colour), points in found.items()
            if points[seat]
        ]
        for seat in range(len(scene.names))
    ]


def _forms_of(source: PointSource) -> tuple[str, ...]:
    """Return a source with its points, in a long and a short form."""
    return tuple(f"{name} {source.points}" for name in (source.name, source.code))


def best_sources(sources: Sequence[PointSource]) -> Sequence[PointSource]:
    """Return those that gave points, the best first."""
    return sorted((one for one in sources if one.points > 0), key=lambda source: -source.points)
