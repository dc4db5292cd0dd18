"""The first screen at home: continue a match or choose a game."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import ClassVar, Final

from rich.cells import cell_len
from rich.segment import Segment
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from kk_core.protocol.messages import CloseTable, GetLessons, GoTo, Lessons
from kk_core.text import in_ascii, text
from kk_core.views import TableLine
from kk_tui.i18n import _, format_date, format_when, render
from kk_tui.keymap import Action
from kk_tui.pixels import beside, halves, read_pictures, scaled
from kk_tui.screens.base import KkScreen
from kk_tui.screens.daily import DailyRow, DailyScreen
from kk_tui.screens.dialogs import ConfirmScreen
from kk_tui.screens.game_card import LEAST_BARE, LEAST_PICTURED, GameCard, LessonRow
from kk_tui.screens.history import PastMatchesScreen
from kk_tui.screens.new_game import NewGameScreen
from kk_tui.widgets.bars import TextLine
from kk_tui.widgets.canvas import Canvas
from kk_tui.widgets.form import LineButton
from kk_tui.widgets.lines import packed
from kk_tui.widgets.options import OpenList

WORDS: Final = "KARDINAL & KÖNIG"

_LETTERS: Final = Path(__file__).parents[1] / "art" / "title.txt"

_TWICE: Final = 150
"""Columns from which the letters are drawn twice as large."""


class Title(Canvas[list[str]]):
    """The program's name in large letters, three rows high, or six on a large screen."""

    DEFAULT_CSS = "Title { height: 3; width: 100%; }"

    def __init__(self) -> None:
        super().__init__(id="name")

    def make_painter(self) -> list[str]:
        """Return the lines, in plain letters if the terminal has no others."""
        if self.glyphs.ascii_only:
            return ["", " ".join(in_ascii(WORDS.title()).upper()), ""]
        letters = read_pictures(_LETTERS)
        pixels = beside(letters[letter][0] for letter in WORDS)
        return halves(scaled(pixels, 2) if self.size.height >= len(pixels) else pixels)

    def render_line(self, y: int) -> Strip:
        """Draw a line of the letters."""
        words = self.painter[y] if y < len(self.painter) else ""
        return Strip(
            [Segment(words.center(self.size.width)[: self.size.width], self.ink("gold", on="ground"))]
        )

    def fit(self, columns: int, rows: int) -> None:
        """Set the height for a screen of this size."""
        self.styles.height = 6 if columns >= _TWICE and rows >= 40 and not self.glyphs.ascii_only else 3


_HIGH: Final = 30
"""Rows from which the parts are spaced out."""

_SHOWN: Final = 3
"""Matches that a list with few lines shows at once."""

_AROUND, _AROUND_HIGH = 12, 17
"""Rows without list and cards: below `_HIGH` rows, and from there on."""


class MenuScreen(KkScreen):
    """The matches under way, the games, and the rest on one line."""

    CSS = """
    MenuScreen #notice { height: auto; padding: 0 3; margin-top: 1; color: $refused; display: none; }
    MenuScreen #notice.-shown { display: block; }
    MenuScreen OpenList { width: 100%; height: auto; max-height: 8; padding: 0 3; margin-top: 1; }
    MenuScreen OpenList > .option-list--option-highlighted { background: $ground-deep; color: $ink; }
    MenuScreen #games { height: 1fr; padding: 0 2; margin-top: 1; }
    MenuScreen #more { height: 1; width: 100%; align: center middle; margin-top: 1; }
    MenuScreen #more LineButton { margin: 0 1; }
    MenuScreen.-high Title { margin: 1 0; }
    MenuScreen.-high #notice { margin: 0 0 1 0; }
    MenuScreen.-high OpenList { max-height: 9; margin-top: 0; }
    MenuScreen DailyRow, MenuScreen.-high LessonRow { margin-top: 1; }
    MenuScreen.-high #more { margin: 1 0; }
    MenuScreen.-listed OpenList { max-height: 7; }
    MenuScreen.-listed #games { height: 1fr; min-height: 3; }
    MenuScreen.-listed #more, MenuScreen.-packed DailyRow, MenuScreen.-scrolled #games { margin-top: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "go(0, -1)", show=False),
        Binding("down", "go(0, 1)", show=False),
        Binding("left", "go(-1, 0)", show=False),
        Binding("right", "go(1, 0)", show=False),
        Binding("backspace", "act('delete')", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._known: set[str] = set()  # the matches under way at the last update
        self._has_asked = False  # for lessons and the deal of the day
        self._is_welcomed = False  # whether a newcomer has been taken to the lessons

    def body(self) -> ComposeResult:
        """Compose title, matches, games and buttons."""
        yield Title()
        yield TextLine("notice")
        yield OpenList(id="going")
        with Horizontal(id="games"):
            for game in self.kk.games.values():
                yield GameCard(game)
        yield LessonRow(self.kk.games.values())
        yield DailyRow()
        with Horizontal(id="more"):
            yield LineButton(_("Past matches"), id="log")
            yield LineButton(_("Settings"), id="settings")
            yield LineButton(_("Rules & help"), id="help")
            yield LineButton(_("Quit"), id="leave")

    def on_mount(self) -> None:
        """Fit into the screen."""
        self._fit()

    def on_resize(self) -> None:
        """Fit into the screen's new size."""
        self._fit()

    def _fit(self) -> None:
        self.set_class(self.size.height >= _HIGH, "-high")
        self.query_one(Title).fit(*self.size)
        self._list()

    def _fit_cards(self, matches: int) -> None:
        """Give the cards free lines if the list would leave them too low for their pictures."""
        around = _AROUND_HIGH if self.size.height >= _HIGH else _AROUND
        left = self.size.height - around - (2 * min(matches, 4) + 1)
        is_listed = matches > 0 and left < LEAST_PICTURED
        self.set_class(is_listed, "-listed")
        self.set_class(is_listed and left < LEAST_BARE, "-packed")
        # the line that tells how many more there are stands between list and cards
        self.set_class(is_listed and matches > _SHOWN, "-scrolled")

    def place_changed(self) -> None:
        """Update matches and notices, and focus the list when it has a new match."""
        super().place_changed()
        self.title_line("kk")
        if not self._has_asked:  # once; after a match there is a new screen
            self._has_asked = True
            self.work(self._fill_rows())
        self._tell()
        self._list()
        if self.is_current:
            now = {table.id for table in self._going_on()}
            # otherwise the focus stays where the user has put it
            if self.focused is None or not self.focused.display or not now <= self._known:
                # at once, so that anything focused later, such as a lesson, comes after it
                self.set_focus(self._first())
            self._known = now
            self._explain()
            self._lead_newcomer()

    def _first(self) -> Widget:
        """Return what has the focus first: the matches, unless one comes from a match that is over, or else
        the game that was played last.
        """
        menu, last, left = self.query_one(OpenList), self.kk.recent.load().game, self.kk.came_from
        if menu.display and (left is None or left in {table.id for table in self._going_on()}):
            return menu
        cards = self.query(GameCard)
        return next((card for card in cards if card.shown.meta.id == last), cards.first())

    async def _fill_rows(self) -> None:
        # in this order, since the focus goes to the lessons once they are laid out
        await self._offer_lessons()
        await self.query_one(DailyRow).load(self)

    async def _offer_lessons(self) -> None:
        """Offer the lessons of all games."""
        reply = await self.kk.request(GetLessons)
        row = self.query_one(LessonRow)
        if not isinstance(reply, Lessons) or not self.is_alive:
            return
        row.show(reply.lessons, self.kk.recent.load().learnt)
        if self.is_current:
            self._explain()  # a game may have turned out not to be new
        # for a newcomer they are the first thing to do
        self._lead_newcomer()

    def _lead_newcomer(self) -> None:
        """Take a newcomer to the first lesson, once; the answer may come before the screen is in front."""
        row = self.query_one(LessonRow)
        is_unknown = self.kk.save_state.unread is not None
        is_new = row.is_all_new and not self._going_on() and not self._is_welcomed and not is_unknown
        # a user who has started choosing is not interrupted
        if is_new and self.is_current and self.kk.press_guard.is_untouched:
            self._is_welcomed = True
            self.set_focus(row.offered[0])

    def _list(self) -> None:
        """List the matches, the newest first, keeping the cursor on its match, at first the one just left."""
        menu, going = self.query_one(OpenList), self._going_on()
        # setting the options moves the cursor away
        here = menu.highlighted_option.id if menu.highlighted_option else self.kk.came_from
        menu.set_options([Option(self._words(table, i == 0), id=table.id) for i, table in enumerate(going)])
        ids = [table.id for table in going]
        menu.highlighted = ids.index(here) if here in ids else 0 if ids else None
        menu.display = bool(ids)
        self._fit_cards(len(ids))

    def _tell(self) -> None:
        """Show what must stay in view, for example that matches are not saved."""
        told = [render(sentence) for sentence in (self.kk.warning, self.kk.notice) if sentence is not None]
        line = self.query_one("#notice", TextLine)
        line.set_class(bool(told), "-shown")
        line.update(Content.styled("\n".join(told), "$refused"))

    @property
    def warning(self) -> None:
        """None: the warning is shown below the title, not in the footer."""

    def keeping_changed(self) -> None:
        """Update the warning below the title, and what depends on earlier matches."""
        self._tell()
        self.work(self._fill_rows())

    def _explain(self) -> None:
        if self.kk.settings_fault is not None:
            self.say(self.kk.settings_fault, "$refused")
        elif isinstance(self.focused, OpenList):
            self.say(_("Enter continues this match, Del deletes it; new games are below."))
        elif self.focused is not None and self.focused.id == "daily":
            self.say(_("Enter opens today's deal: the same cards for everybody, unranked at home."))
        elif self.focused in (row := self.query_one(LessonRow)).offered:
            if row.game_of(self.focused) not in row.new:
                self.say(_("Press Enter to take this game's lesson again."))
            elif self.kk.save_state.unread is None:
                self.say(_("New to this game? Press Enter to learn it by playing, in a few minutes."))
            else:  # nobody knows who is new
                self.say(_("Press Enter to learn this game by playing, in a few minutes."))
        else:
            self.say(_("Choose with the arrow keys and Enter, or with a click."))

    def _rows(self) -> list[list[Widget]]:
        """Return what can have the focus, row by row."""
        menu = self.query_one(OpenList)
        rows: list[list[Widget]] = [[menu]] if menu.display else []
        rows.append(list(self.query(GameCard)))
        lesson_row = self.query_one(LessonRow)
        if lessons := {lesson_row.game_of(button): button for button in lesson_row.offered}:
            # where no lesson is offered, the card stands in for it, so that Right and Left reach every game
            rows.append([lessons.get(card.shown.meta.id, card) for card in self.query(GameCard)])
        rows.append(list(self.query("DailyRow LineButton")))
        return [*rows, list(self.query("#more LineButton").results(LineButton))]

    def _going_on(self) -> Sequence[TableLine]:
        lobby = self.kk.store.lobby
        playing = [table for table in lobby.tables if table.phase == "playing"] if lobby else []
        return sorted(playing, key=lambda table: -table.at)

    def _words(self, table: TableLine, is_first: bool) -> Content:
        """Return game, round and date on one line, with the people and their points below."""
        game = self.game_name(table.game)
        if table.lesson:
            game = _("Lesson: {game}", game=game)
        elif table.daily:
            game = _(
                "Deal of the day {day}: {game}", day=format_date(date.fromisoformat(table.daily)), game=game
            )
        head = _("Continue") if is_first else ""
        lead = " " * (cell_len(_("Continue")) + 2)
        left = f"{head:<{len(lead)}}{game}"
        right = format_when(table.at)
        # the round is unknown until the match has been loaded from its log
        if table.round:
            rounds = _("round {n}, {when}", n=table.round, when=right)
            # a line more would cost another match its place
            right = rounds if cell_len(left) + 2 + cell_len(rounds) <= self.size.width - 9 else right
        room = max(2, self.size.width - 9 - cell_len(left) - cell_len(right))
        people = [
            self.person(
                seat, holder.colour, holder.name, "bold $ink" if seat in table.active else "$ink-dim",
                self.points_of(table, seat),
            )
            for seat, holder in enumerate(table.seats)
        ]  # fmt: skip
        return Content.assemble(
            (f"{head:<{len(lead)}}", "bold $gold"), (game, "bold $ink"), " " * room, (right, "$ink-dim"),
            packed(people, self.size.width - 8, len(lead)),
        )  # fmt: skip

    # -- choosing --------------------------------------------------------------------------------------------

    def action_go(self, right: int, down: int) -> None:
        """Move the focus to a neighbour."""
        rows = self._rows()
        at = next(
            ((y, row.index(here)) for y, row in enumerate(rows) if (here := self.focused) in row), (0, 0)
        )
        y = max(0, min(len(rows) - 1, at[0] + down))
        if y != at[0] and self.focused in rows[y]:
            y += down  # past the row in which a card stands in for its lesson
        row = rows[y]
        row[max(0, min(len(row) - 1, at[1] + right))].focus()

    def on_descendant_focus(self) -> None:
        """Update keys and prompt, which depend on the focus."""
        self.show_keys()
        self._explain()

    def on_canvas_failed(self, event: Canvas.Failed) -> None:
        """Leave the card blank when its cover cannot be drawn, without giving up the screen."""
        event.stop()
        self.log.error(repr(event.error))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Continue a match."""
        chosen = event.option_id
        self.visit(lambda number: GoTo(number, chosen))

    def on_game_card_pressed(self, event: GameCard.Pressed) -> None:
        """Open the form for a game."""
        self.app.push_screen(NewGameScreen(event.game))

    def on_line_button_pressed(self, event: LineButton.Pressed) -> None:
        """Do the action that the button is named after."""
        name, _, game = (event.button.id or "").partition("-")
        if name == "lesson":
            self.learn(game)
        elif name == "daily":
            self.do_draw()
        else:
            self.do(name)

    @property
    def game_chosen(self) -> str:
        """The game of the focused card, of the lesson below it, or of the match in the list."""
        if isinstance(self.focused, GameCard):
            return self.focused.shown.meta.id
        if isinstance(self.focused, OpenList) and (option := self.focused.highlighted_option) is not None:
            return next((line.game for line in self._going_on() if line.id == option.id), "")
        return self.query_one(LessonRow).game_of(self.focused)

    def actions(self) -> Sequence[Action]:
        """Return the actions of lists and buttons."""
        delete = [Action("delete")] if isinstance(self.focused, OpenList) else []
        return (
            Action("do"),
            *delete,
            Action("new", text("new game")),
            *([Action("lesson", minor=True)] if self.query_one(LessonRow).teaches(self.game_chosen) else []),
            Action("draw", text("deal of the day"), minor=True),
            Action("log", text("past matches")),
            Action("settings"),
            Action("help"),
            Action("leave", text("quit")),
        )

    def do_new(self) -> None:
        """Open the form for a new game."""
        self.app.push_screen(NewGameScreen(self.game_chosen))

    def do_draw(self) -> None:
        """Open the deals of the day."""
        self.app.push_screen(DailyScreen(self.game_chosen or self.kk.recent.load().game))

    def do_lesson(self) -> None:
        """Go to the lesson of the game in focus."""
        if game := self.game_chosen:
            self.learn(game)

    def do_log(self) -> None:
        """Open the matches of the past."""
        self.app.push_screen(PastMatchesScreen())

    def do_delete(self) -> None:
        """Delete the match under the cursor, after a question."""
        option = self.query_one(OpenList).highlighted_option
        table = next((line for line in self._going_on() if option and line.id == option.id), None)
        if table is not None:
            names = ", ".join(seat.name for seat in table.seats)
            question = text("Delete the match of {names}? This can't be undone.", names=names)
            chosen = table.id
            self.app.push_screen(
                ConfirmScreen(
                    question, lambda: self.ask(lambda number: CloseTable(number, chosen)), text("Delete it")
                )
            )
