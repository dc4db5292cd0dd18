"""Rules, rulings and keys, section by section."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from kk_core.text import Text, text
from kk_tui import rules_text
from kk_tui.i18n import _, render
from kk_tui.keymap import ALWAYS, KEYS, Action
from kk_tui.rules_text import Paragraph, Section, Table
from kk_tui.screens.base import KkScreen
from kk_tui.widgets.options import Options
from kk_tui.widgets.prose import Prose

_AT_THE_TABLE: Final[tuple[Text, ...]] = (
    text("The line above the footer always says what you can do now; the footer shows the keys that count."),
    text("Arrow keys move the cursor, Tab jumps to the next thing that is possible, Enter does it."),
    text(
        "Everything can be done with the mouse as well: click a thing of the board, or a key in the footer."
    ),
    text(
        "Esc goes one step back and never loses anything. What is not possible is explained when you try it."
    ),
    text("Beside the names: * whose turn it is, S the start player. Each player has a letter and a shape."),
)


class Help(KkScreen):
    """An index beside the text that it belongs to: of the table's game where there is one, else of all games.

    `section` is the slug of the section to begin with.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,tab", "turn(1)", show=False, priority=True),
        Binding("left,shift+tab", "turn(-1)", show=False, priority=True),
        Binding("enter,space", "read_on", show=False, priority=True),
    ]

    def __init__(self, section: str | None = None, game: str = "") -> None:
        super().__init__()
        self._wanted = section
        self._game = game
        self._chapters: Sequence[Sequence[Section]] = ()
        self._at = (0, 0)  # chapter and section
        self._starts: Sequence[int] = ()  # the lines on which the sections of the chapter begin

    def body(self) -> ComposeResult:
        """The index, and a page that scrolls."""
        with Horizontal(id="book"):
            yield Options(id="index")
            with VerticalScroll(id="page"):
                yield Prose(self.kk.glyphs)

    def on_mount(self) -> None:
        """Open it at the section that was asked for."""
        self.say(_("Up, down: scroll. Left, right, or a click in the index: other sections."))
        rules = dict(self._rules())
        self._chapters = [*rules.values(), [_keys()], *([[seal]] if (seal := self._seal()) else [])]
        self.query_one(OptionList).can_focus = False
        self.query_one("#page").focus()
        self.watch(self.query_one("#page"), "scroll_y", self._follow, init=False)
        wanted = (at for at in self._places() if self._section(at).slug == self._wanted)
        first = list(rules).index(self._game) if self._game in rules else 0
        self._show_chapter(next(wanted, (first, 0)))

    def _rules(self) -> Iterator[tuple[str, Sequence[Section]]]:
        face = self.kk.store.face
        for shown in [face] if face else self.kk.games.values():
            if written := rules_text.sections(
                shown.meta.id, self.kk.languages, ascii_only=self.kk.glyphs.ascii_only
            ):
                yield shown.meta.id, written

    def _seal(self) -> Section | None:
        """What proves, once the seed is shown, that nobody has chosen it afterwards."""
        scene = self.kk.store.scene
        if scene is None:
            return None
        digest, seed = scene.match.commitment.hex(), scene.match.seed
        head = _("All shuffles follow from one seed. Its SHA-256 was there before the first move:")
        if seed is None:
            tail = [_("After the last move the seed itself is shown, and anybody can check that it fits.")]
        else:
            tail = [_("The match is over, and this is the seed:"), seed.hex()]
        said = tuple(Paragraph(Content(words)) for words in (head, digest, *tail))
        return Section("shuffles", _("The shuffles of this match"), said)

    def _places(self) -> list[tuple[int, int]]:
        return [(i, j) for i, chapter in enumerate(self._chapters) for j in range(len(chapter))]

    def _section(self, at: tuple[int, int]) -> Section:
        return self._chapters[at[0]][at[1]]

    # -- moving ----------------------------------------------------------------------------------------------

    def _open(self, at: tuple[int, int]) -> None:
        """Bring a section to the top of the page."""
        if at[0] != self._at[0]:
            self._show_chapter(at)
            return
        self._at = at
        self._go_there()

    def _show_chapter(self, at: tuple[int, int]) -> None:
        """Show another text, to be scrolled to a section of it, and list all its sections in the index."""
        self._at = at
        index = self.query_one(OptionList)
        index.set_options(
            Option(self._entry(other), id=f"{other[0]} {other[1]}")
            for other in self._places()
            if other[0] == at[0] or other[1] == 0
        )
        self.query_one(Prose).show(self._chapters[at[0]])

    def _entry(self, at: tuple[int, int]) -> Content:
        title = self._section(at).title
        return Content(f"  {title}") if at[1] else Content.styled(title, "bold")

    def _go_there(self) -> None:
        """Scroll to the section; a text that is not laid out yet says so when it is."""
        self._starts = self.query_one(Prose).starts
        if self._starts:
            start = self._starts[self._at[1]]
            self.query_one("#page").scroll_to(y=start, animate=False, force=True, immediate=True)
            self._point()

    def on_prose_laid_out(self) -> None:
        """For the first time, or for another width."""
        self._go_there()

    def _follow(self) -> None:
        """The page has moved: by the reader, or in a new layout that has not been taken in yet."""
        if self._starts and self._starts is self.query_one(Prose).starts:
            top = self.query_one("#page").scroll_offset.y
            self._at = self._at[0], bisect_right(self._starts, top) - 1
            self._point()

    def _point(self) -> None:
        """Say where the reader is."""
        page, index = self.query_one("#page"), self.query_one(OptionList)
        index.highlighted = index.get_option_index(f"{self._at[0]} {self._at[1]}")
        read = 100 * page.scroll_offset.y // page.max_scroll_y if page.max_scroll_y else 100
        title = self._chapters[self._at[0]][0].title
        self.title_line(_("Rules & help  |  {title}  |  {read} %", title=title, read=read))

    # -- keys ------------------------------------------------------------------------------------------------

    def actions(self) -> Sequence[Action]:
        """On, to other sections, and back."""
        return (
            Action("do", text("read on")),
            Action("next", text("next section")),
            Action("previous", text("section before")),
            Action("back"),
        )

    def action_turn(self, by: int) -> None:
        """To another section, if there is one."""
        places = self._places()
        wanted = places.index(self._at) + by
        if 0 <= wanted < len(places):
            self._open(places[wanted])

    def action_read_on(self) -> None:
        """A page down, and from the end of a text to the next one."""
        page = self.query_one("#page")
        if page.scroll_offset.y < page.max_scroll_y:
            page.scroll_page_down(animate=False)
        else:
            self.action_turn(1)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """A click in the index opens the section."""
        chapter, section = map(int, (event.option_id or "").split())
        self._open((chapter, section))


def _keys() -> Section:
    """What is the same in all games."""
    rows = [(_("key"), _("what it does"))]
    rows += [(key.shown, render(key.label)) for key in KEYS.values() if not key.action.startswith("choice_")]
    rows.append(("1 - 9", _("choose the thing with this number")))
    rows += [(key.shown, render(key.label)) for key in ALWAYS]
    return Section(
        "keys",
        _("Keys and mouse"),
        (
            *(Paragraph(Content(render(paragraph))) for paragraph in _AT_THE_TABLE),
            Table(tuple((Content.styled(key, "bold $gold"), Content(words)) for key, words in rows)),
        ),
    )
