"""A lesson at its table: the pages before its first step and after its last one, and what it does to keys."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from itertools import accumulate, chain
from typing import Any, ClassVar, Final

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.geometry import Offset, Region
from textual.screen import ModalScreen
from textual.widgets import Static

from kk_core.protocol.messages import GoOn
from kk_core.text import Text, text
from kk_core.types import Move
from kk_core.views import LessonView
from kk_tui.i18n import _, render
from kk_tui.keymap import KEYS, Action
from kk_tui.match.moves import Mover
from kk_tui.match.result import ResultScreen
from kk_tui.match.screen import LookingBack, MatchScreen
from kk_tui.scene import Scene
from kk_tui.screens.base import KkScreen
from kk_tui.screens.dialogs import ConfirmScreen
from kk_tui.screens.new_game import NewGameScreen
from kk_tui.table.side_panel import RACE_WIDTH
from kk_tui.widgets.form import LineButton

_PAGE: Final = 78
"""Columns of a page's frame."""

_PAGE_SIDES: Final = 4
"""Columns of the frame and of the space beside the words."""

_PAGE_ROWS: Final = 8
"""Rows of a screen without the words of its page: frame, buttons, prompt and footer."""

_INDENT: Final = 2
"""Columns before a rule, for its bullet."""

_PARAGRAPH: Final = "\n\n"
"""Stands between the paragraphs of a page."""

_FRAMING: Final = 3
"""Rows of a page before a step without its words: frame and button."""

_AIR: Final = 2
"""Free rows over and under its words where there is room for them."""

_BELOW: Final = 2
"""Rows under every page: prompt and footer."""

_LOW: Final = 30
"""Rows of a screen up to which a page over its lower part has no free ones."""

_WIDEST: Final = 100
"""Columns of a page over the lower part of the screen, at most."""


class LessonPage(KkScreen, ModalScreen[None]):
    """A page of a lesson in a frame with a title over the board: words that may scroll, and buttons."""

    CSS = """
    #lesson-page { width: 78; max-width: 100%; height: auto; max-height: 100%; padding: 0 1;
                   background: $ground; border: round $gold;
                   border-title-color: $gold; border-title-style: bold; }
    #lesson-page VerticalScroll { height: auto; max-height: 1fr; }
    #lesson-page #words { width: 100%; color: $ink; }
    #lesson-page Horizontal { dock: bottom; height: 1; align: center middle; }
    #lesson-page LineButton { margin: 0 1; }
    """

    def body(self) -> ComposeResult:
        """Compose words and buttons."""
        with Vertical(id="lesson-page"):
            with VerticalScroll(can_focus=False):
                yield Static(id="words", markup=False)
            with Horizontal():
                yield from self.buttons()

    def buttons(self) -> Iterator[LineButton]:
        """Yield the buttons; the first one is focused."""
        raise NotImplementedError

    def on_mount(self) -> None:
        """Focus the first button."""
        self.query(LineButton).first().focus()

    def write(self, head: str, words: Content | str) -> None:
        """Write on the page."""
        self.query_one("#lesson-page").border_title = Content(head)
        self.query_one("#words", Static).update(words)


class LessonIntro(LessonPage):
    """The pages before a step, one after the other; Enter goes on, Esc goes back.

    They speak of what is on the table, so they cover as little of it as they can: they stand beside the
    board, under the names and the cards, or over the lower part of a screen that has no room for that. A page
    that is too long for its place becomes several, of a paragraph or more each.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,space,down", "turn(1)", show=False),
        Binding("left,backspace,up", "turn(-1)", show=False),
    ]

    def __init__(
        self, title: Text, pages: Sequence[Text], read: Callable[[], None], hold: Callable[[int], Region],
        uncut: Callable[[int], int], turned: Callable[[str], None],
    ) -> None:  # fmt: skip
        """`read` notes that the learner has come to the end of the pages.

        `hold` keeps so many rows free beside the board, and returns all the place that there is for them;
        `uncut` returns where pages may begin over the board, at or above a row, to cut through nothing;
        `turned` takes the words of each page that is shown.
        """
        super().__init__()
        self._title = title
        self._paragraphs = [render(page).split(_PARAGRAPH) for page in pages]
        self._read = read
        self._hold = hold
        self._uncut = uncut
        self._turned = turned
        self._pages: Sequence[str] = ()
        self._width = self._air = 0
        self._at = 0

    def buttons(self) -> Iterator[LineButton]:
        """Yield the one that turns the page."""
        yield LineButton(_("Next: Enter"), id="on")

    def on_mount(self) -> None:
        """Show the first page."""
        super().on_mount()
        self.fit()

    def on_resize(self) -> None:
        """Find the place anew."""
        super().on_resize()
        self.fit()

    @property
    def is_at_last(self) -> bool:
        """True on the last page, which tells of the step that follows."""
        return self._at + 1 == len(self._pages)

    def fit(self) -> None:
        """Lay the pages out where there is room for them, and show the one that begins as the last did."""
        beside, whole = self._hold(0), self.app.size
        width, most = beside.width - _PAGE_SIDES, beside.height - _FRAMING
        longest = max(_rows(words, width) for words in chain.from_iterable(self._paragraphs))
        is_beside = beside.width >= RACE_WIDTH and longest <= most
        if not is_beside:
            width = min(_WIDEST, whole.width) - _PAGE_SIDES
            longest = max(_rows(words, width) for words in chain.from_iterable(self._paragraphs))
            most = (whole.height - _BELOW) // 2 - _FRAMING
        self._air = _AIR if longest <= most - _AIR and (is_beside or whole.height > _LOW) else 0
        most -= self._air
        read = sum(page.count(_PARAGRAPH) + 1 for page in self._pages[: self._at])
        self._pages = [page for paragraphs in self._paragraphs for page in _parted(paragraphs, width, most)]
        begins = accumulate((page.count(_PARAGRAPH) + 1 for page in self._pages), initial=0)
        self._at = max(n for n, first in enumerate(begins) if first <= read and n < len(self._pages))
        # all are as high as the longest, so that nothing jumps as they are turned
        rows = max(_rows(page, width) for page in self._pages) + _FRAMING + self._air
        rows = min(rows, whole.height - _BELOW)
        if is_beside:
            place = self._hold(rows).offset
        else:
            place = Offset(0, self._uncut(whole.height - _BELOW - rows))
            rows = whole.height - _BELOW - place.y
        self._width, frame = width, self.query_one("#lesson-page")
        frame.styles.width, frame.styles.height = width + _PAGE_SIDES, rows
        frame.styles.offset = place
        self._show_page()

    def _show_page(self) -> None:
        head = render(self._title)
        if len(self._pages) > 1:
            number = {"n": self._at + 1, "all": len(self._pages)}
            whole = _("{game}: page {n} of {all}", game=head, **number)
            head = whole if cell_len(whole) <= self._width else _("Page {n} of {all}", **number)
        self.write(head, "\n" * (self._air // 2) + self._pages[self._at])
        self._turned(self._pages[self._at])
        if self._at:
            self.say(_("Enter: next page; Esc: previous page."))
        else:
            self.say(_("Enter: next page; Esc: leave the lesson."))

    def on_line_button_pressed(self, event: LineButton.Pressed) -> None:
        """Turn the page."""
        event.stop()
        self.action_turn(1)

    def action_turn(self, by: int) -> None:
        """Show another page; after the last one the step begins."""
        if not self.is_active:
            return
        if self._at + by == len(self._pages):
            self._read()
            self.dismiss()
        elif self._at + by >= 0:
            self._at += by
            self._show_page()

    def do_back(self) -> None:
        """Show the page before, or leave the lesson from the first one."""
        if self._at:
            self.action_turn(-1)
        else:
            self.do_leave()

    def do_leave(self) -> None:
        """Leave the lesson."""
        if self.is_active:
            self.dismiss()
            self.kk.ask_leave_table()

    def actions(self) -> Sequence[Action]:
        """Return how to turn the pages."""
        return (Action("do", text("go on")), Action("back"), Action("leave", in_footer=False))


def _rows(words: str, width: int) -> int:
    """Return the lines that words take in a width."""
    return len(Content(words).wrap(max(1, width)))


def _parted(paragraphs: Sequence[str], width: int, most: int) -> Sequence[str]:
    """Return paragraphs on as few pages as fit into some rows, which are as equal as they can be."""
    pages, least = [*_packed(paragraphs, width, most)], max(_rows(words, width) for words in paragraphs)
    for rows in range(most - 1, least - 1, -1):
        even = [*_packed(paragraphs, width, rows)]
        if len(even) > len(pages):
            break
        pages = even
    return pages


def _packed(paragraphs: Sequence[str], width: int, most: int) -> Iterator[str]:
    """Yield paragraphs in their order, as many together as fit into some rows, and at least one."""
    page = paragraphs[0]
    for paragraph in paragraphs[1:]:
        longer = f"{page}{_PARAGRAPH}{paragraph}"
        if _rows(longer, width) > most:
            yield page
            longer = paragraph
        page = longer
    yield page


class LessonEnd(LessonPage):
    """The end of a lesson: the rules that it has taught, and what can be done next."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,up", "app.focus_previous", show=False),
        Binding("right,down", "app.focus_next", show=False),
    ]

    def __init__(
        self, game: str, told: Text | None, learnt: Sequence[Text], see_scores: Callable[[], None]
    ) -> None:
        """`see_scores` shows how the match of the lesson is scored."""
        super().__init__()
        self._game = game
        self._told = told
        self._learnt = learnt
        self._see_scores = see_scores

    def buttons(self) -> Iterator[LineButton]:
        """Yield what can be done next."""
        yield LineButton(_("Play a match ({key})", key=KEYS["new"].shown), id="new")
        yield LineButton(_("Play with the coach ({key})", key=KEYS["hint"].shown), id="hint")
        yield LineButton(_("See the scoring ({key})", key=KEYS["view"].shown), id="view")

    def on_mount(self) -> None:
        """Show the rules."""
        self.write(_("Lesson complete."), self._words())
        self.say(_("Choose with arrows and Enter; Esc goes back to the board."))

    def _words(self) -> Content:
        told = [] if self._told is None else Content.styled(render(self._told), "$happened").wrap(self._width)
        heading = Content.styled(_("You have learnt:"), "bold $ink")
        rules = [self._rule(line) for line in self._learnt]
        spare = self.app.size.height - _PAGE_ROWS - len(told) - 1 - sum(map(len, rules))
        # blank lines where there is room for them, the most useful first
        gaps = 2 + len(rules) - 1
        between = [Content()] if spare >= gaps else []
        return Content("\n").join(
            [
                *([Content()] if spare >= 2 else []), *told, *([Content()] if told and spare >= 1 else []),
                heading, *(line for i, rule in enumerate(rules) for line in (*between * bool(i), *rule)),
            ]
        )  # fmt: skip

    def _rule(self, rule: Text) -> list[Content]:
        """Return the lines of a rule, indented after its bullet."""
        bullet = self.kk.glyphs["bullet"]
        return [
            Content.assemble((f"{' ' if i else bullet} ", "bold $gold"), part)
            for i, part in enumerate(Content(render(rule)).wrap(self._width - _INDENT))
        ]

    @property
    def _width(self) -> int:
        """The columns of the words, known before they are laid out."""
        return min(_PAGE, self.app.size.width) - _PAGE_SIDES

    def on_resize(self) -> None:
        """Wrap the rules to the new width."""
        super().on_resize()
        self.write(_("Lesson complete."), self._words())

    def on_line_button_pressed(self, event: LineButton.Pressed) -> None:
        """Do what the button says."""
        event.stop()
        self.do(event.button.id or "")

    def do_new(self) -> None:
        """Open the form of a match against bots."""
        self.app.push_screen(NewGameScreen(self._game, is_alone=True))

    def do_hint(self) -> None:
        """Open the form of a match with the coach."""
        self.app.push_screen(NewGameScreen(self._game, is_coached=True, is_alone=True))

    def do_view(self) -> None:
        """Show how the match of the lesson is scored."""
        if self.is_active:
            self.dismiss()
            self._see_scores()

    def do_undo(self) -> None:
        """Go back to the board: there the last step is taken back."""
        self.do_back()

    def do_back(self) -> None:
        """Go back to the board."""
        self.dismiss()

    def actions(self) -> Sequence[Action]:
        """Return what can be done next."""
        return (
            Action("do"),
            Action("new", text("a match of this game")),
            Action("hint", text("play with the coach")),
            Action("view", text("the scoring")),
            Action("back", text("the board")),
            Action("help", minor=True),
            Action("leave"),
        )


class LessonGuide:
    """Leads through a lesson: shows its pages, holds moves up while it waits, and makes those it asks for."""

    def __init__(self, screen: MatchScreen, mover: Mover, past: LookingBack) -> None:
        """Take a table's screen, what sends its moves, and the past that may be shown there."""
        self._screen = screen
        self._mover = mover
        self._past = past
        self._opened = 0  # the step before which pages have been shown
        self._has_ended = False  # whether the page after the last one has been read
        self._instead: Move | None = None  # what is made once another move is taken back
        self._about: Sequence[int] = ()  # the lines of the score sheet that it spoke of last
        self._pages: LessonIntro | None = None  # those that are being read
        self._aside: str | None = None  # the drawer that is closed as long as it speaks of contests

    # -- what it says ----------------------------------------------------------------------------------------

    def lesson(self, scene: Scene[Any]) -> LessonView | None:
        """Return the lesson, while the table is shown as it is now."""
        return scene.table.lesson if self._past.scene is None else None

    def is_over(self, scene: Scene[Any]) -> bool:
        """Return whether no lesson has anything more to say."""
        return scene.table.lesson is None or self._has_ended

    def has_strayed(self, scene: Scene[Any]) -> bool:
        """Return whether a move waits to be taken back."""
        lesson = self.lesson(scene)
        return lesson is not None and lesson.strayed

    def waits(self, scene: Scene[Any]) -> bool:
        """Return whether it wants to go on, or to have a move back, before the next one is made."""
        return self.waiting_words(scene) is not None

    def waiting_words(self, scene: Scene[Any]) -> Text | None:
        """Return what it waits for; None if it does not wait."""
        lesson = self.lesson(scene)
        if lesson is None:
            return None
        go, undo, back = (KEYS[name].shown for name in ("do", "undo", "back"))
        if lesson.strayed:
            return text("{go}, {back} or {undo} takes your move back.", go=go, back=back, undo=undo)
        if lesson.learnt:
            return text("The lesson is over: {go} shows what comes next.", go=go)
        return None if lesson.skips is None else text("{go} continues.", go=go)

    def wanted(self, scene: Scene[Any]) -> Collection[Move]:
        """Return the moves that it asks for now."""
        lesson = self.lesson(scene)
        return () if lesson is None or self._mover.pending or self._is_apart else lesson.wanted

    @property
    def _is_apart(self) -> bool:
        """True while its pages speak of anything but the step that follows."""
        return self._pages is not None and not self._pages.is_at_last

    def light(self, scene: Scene[Any]) -> None:
        """Mark on the board what it asks for, and nothing of what its pages do not speak of yet."""
        self._screen.board.light(self.wanted(scene), is_waiting=self.waits(scene), is_bare=self._is_apart)

    # -- as the match goes on --------------------------------------------------------------------------------

    def follow(self, scene: Scene[Any]) -> None:
        """Show what it says before a step and after its last one."""
        lesson = self.lesson(scene)
        if lesson is None:
            return
        self._set_aside(lesson)
        if not self._screen.is_current:
            return
        game, read = scene.table.game, self._screen.kk.pages_read
        if not lesson.learnt and not scene.is_over and lesson.asks is not None:
            self._has_ended = False  # also after a step back
        if lesson.intro and self._opened != lesson.step and (game, lesson.step) not in read:
            self._opened = lesson.step
            title = self._screen.face.meta.name if lesson.step == 1 else lesson.titles[lesson.step - 1]
            note = partial(read.add, (game, lesson.step))
            turned = partial(self._turned, scene)
            self._pages = LessonIntro(title, lesson.intro, note, self._hold, self._uncut, turned)
            self._screen.app.push_screen(self._pages, self._pages_read)
        elif lesson.learnt and not self._has_ended:
            self._conclude(scene, lesson)
        elif (move := self._instead) is not None and not lesson.strayed and scene.may_act:
            self._instead = None
            self._mover.play(scene, scene.viewer or 0, move, is_laid_out=True)

    def fit(self) -> None:
        """Lay pages that are being read out for a screen of another size."""
        if self._pages is not None and self._pages.is_alive:
            self._pages.fit()

    def _hold(self, rows: int) -> Region:
        """Keep rows beside the board free for pages, and return all the place that there is for them."""
        self._screen.side.held = rows
        self._screen.show_side()
        return self._screen.side.place_for_pages

    def _turned(self, scene: Scene[Any], words: str) -> None:
        """Show what a page speaks of, and nothing else."""
        self._screen.side.read = words
        self._screen.show_side()
        self.light(scene)

    def _uncut(self, row: int) -> int:
        """Return a row of the screen, or the last one above it from which pages cut through nothing."""
        board = self._screen.board
        return board.region.y + board.uncut(row - board.region.y)

    def _pages_read(self, _result: None) -> None:
        self._pages = self._screen.side.held = None
        self._screen.show_side()

    def _set_aside(self, lesson: LessonView) -> None:
        """Close a drawer while the lesson speaks of contests, which stand in its place, and open it again."""
        is_passing = lesson.told is lesson.asks is lesson.skips is None
        if is_passing or lesson.about == self._about:
            return
        self._about, drawer = lesson.about, self._screen.side.drawer
        if lesson.about and drawer is not None:
            self._aside = drawer
            self._screen.turn_drawer(None)
        elif not lesson.about and self._aside is not None:
            self._screen.turn_drawer(self._aside)
            self._aside = None

    def drawer_turned(self) -> None:
        """Note that the learner has opened or closed a drawer, which then stays as it is."""
        self._aside = None

    def _conclude(self, scene: Scene[Any], lesson: LessonView) -> None:
        self._has_ended, recent = True, self._screen.kk.recent
        recent.save(recent.load().with_lesson(scene.table.game))
        self._forget_pages(scene.table.game)  # whoever takes it again reads them again
        see_scores = partial(self._score, is_over=scene.is_over)
        end = LessonEnd(scene.table.game, lesson.told, lesson.learnt, see_scores)
        self._screen.app.push_screen(end)

    def _score(self, *, is_over: bool) -> None:
        """Show how its match is scored, once it is over."""
        if is_over:
            self._screen.app.push_screen(ResultScreen(is_asked_for=True))
        else:
            self._screen.ask(GoOn)

    # -- keys ------------------------------------------------------------------------------------------------

    def takes_enter(self, scene: Scene[Any]) -> bool:
        """Return whether Enter is for the lesson: it waits, or the cursor points at nothing yet."""
        return self.waits(scene) or self._is_unaimed(scene)

    def _is_unaimed(self, scene: Scene[Any]) -> bool:
        """Return whether it marks the one place for a move, and the cursor points at nothing yet."""
        lesson, board = self.lesson(scene), self._screen.board
        if lesson is None or not lesson.wanted or not scene.may_act:
            return False
        return not board.is_aimed and bool(board.places(lesson.wanted[0]))

    def go_on(self, scene: Scene[Any]) -> None:
        """Do what it waits for, or make the move that it has marked."""
        lesson = self.lesson(scene)
        if lesson is None or self._mover.pending:
            return
        if lesson.strayed:
            self._mover.undo(scene.viewer or 0)
        elif lesson.learnt:
            self._conclude(scene, lesson)
        elif lesson.skips is not None:
            self._screen.ask(GoOn)
        else:
            self._mover.play(scene, scene.viewer or 0, lesson.wanted[0], is_laid_out=True)

    def holds_up(self, scene: Scene[Any], move: Move | None) -> bool:
        """Return whether it waits; the move that it asks for takes another one back."""
        lesson, waiting = self.lesson(scene), self.waiting_words(scene)
        if lesson is None or waiting is None:
            return False
        meant = None if move is None else self._meant(lesson, move)
        if lesson.strayed and meant is not None:
            self._instead = meant
            self._mover.undo(scene.viewer or 0)
        else:
            self._screen.complain(waiting)
        return True

    def _meant(self, lesson: LessonView, move: Move) -> Move | None:
        """Return the move that it asks for, if this one is made at the same place."""
        # after another move, the same place may mean another one than before
        board = self._screen.board
        place = board.places(move)
        there = [each for each in lesson.wanted if each == move or (place and board.places(each) == place)]
        return next(iter(there), None)

    def ask_anew(self, scene: Scene[Any]) -> None:
        """Begin the lesson anew, after a question."""
        if scene.table.lesson is None:
            self._screen.complain(text("This is a match; you can start lessons from the first screen."))
            return
        question, game = text("Restart the lesson from its first step?"), scene.table.game
        begin = partial(self._begin_anew, game)
        self._screen.app.push_screen(ConfirmScreen(question, begin, text("Restart")))

    def _forget_pages(self, game: str) -> None:
        read = self._screen.kk.pages_read
        read -= {page for page in read if page[0] == game}

    def _begin_anew(self, game: str) -> None:
        self._opened = 0
        self._forget_pages(game)
        self._screen.learn(game, anew=True)
