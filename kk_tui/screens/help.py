"""Rules, rulings and keys, section by section."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content

from kk_core.text import Text, text
from kk_tui import rules_text
from kk_tui.i18n import _, render
from kk_tui.keymap import ALWAYS, KEYS, Action
from kk_tui.rules_text import Paragraph, Section, Table
from kk_tui.screens.base import KkScreen
from kk_tui.widgets.book import Book

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

    def body(self) -> ComposeResult:
        """The index and the page."""
        yield Book()

    @cached_property
    def _book(self) -> Book:
        return self.query_one(Book)

    def on_mount(self) -> None:
        """Open it at the section that was asked for."""
        self.say(_("Up, down: scroll. Left, right, or a click in the index: other sections."))
        rules = dict(self._rules())
        chapters = [*rules.values(), [_keys()], *([[seal]] if (seal := self._seal()) else [])]
        first = list(rules).index(self._game) if self._game in rules else 0
        wanted = (
            (i, j)
            for i, chapter in enumerate(chapters)
            for j, section in enumerate(chapter)
            if section.slug == self._wanted
        )
        self._book.show(chapters, next(wanted, (first, 0)))

    def on_book_moved(self) -> None:
        """Say where the reader is."""
        title, read = self._book.read
        self.title_line(_("Rules & help  |  {title}  |  {read} %", title=title, read=read))

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
        self._book.turn(by)

    def action_read_on(self) -> None:
        """A page down, and from the end of a text to the next one."""
        self._book.read_on()


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
