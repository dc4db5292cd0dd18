"""Rules, rulings and keys."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from kk_core.text import Text, text
from kk_tui.i18n import _, render
from kk_tui.keymap import KEYS, Action
from kk_tui.screens.base import KkScreen

_ABOUT: tuple[Text, ...] = (
    text("# At the table"),
    text("The line above the footer always says what you can do now; the footer shows the keys that count."),
    text("Arrow keys move the cursor, Tab jumps to the next thing that is possible, Enter does it."),
    text(
        "Everything can be done with the mouse as well: click a thing of the board, or a key in the footer."
    ),
    text(
        "Esc goes one step back and never loses anything. What is not possible is explained when you try it."
    ),
    text("Beside the names: * whose turn it is, S the start player. Each player has a letter and a shape."),
    text("# Keys"),
)


class Help(KkScreen):
    """One long page per game; of the table's game where there is one."""

    def body(self) -> ComposeResult:
        """The page, which scrolls."""
        with VerticalScroll(id="page"):
            yield Static(Content("\n").join(self._paragraphs()), markup=False)

    def _paragraphs(self) -> Iterable[Content]:
        face = self.kk.store.face
        for shown in [face] if face else list(self.kk.faces.values()):
            yield Content.styled(render(shown.meta.name), "bold $gold")
            yield from _laid_out(shown.help())
        yield from _laid_out(_ABOUT)
        for key in KEYS.values():
            if not key.action.startswith("choice_"):
                yield Content.assemble((f"  {key.shown:<10}", "bold $gold"), render(key.label))
        yield Content.assemble(("  1 - 9     ", "bold $gold"), _("choose the thing with this number"))

    def place_changed(self) -> None:
        """Nothing here changes with the place but the footer."""
        super().place_changed()
        self.title_line(_("Rules & help"))
        self.say(_("Scroll with the arrow keys or the wheel; Esc goes back."))
        self.query_one("#page").focus()

    def actions(self) -> Sequence[Action]:
        """Back."""
        return (Action("back"),)

    def do_back(self) -> None:
        """To where one was."""
        self.dismiss()


def _laid_out(paragraphs: Iterable[Text]) -> Iterable[Content]:
    """Headings in gold, paragraphs apart."""
    for paragraph in paragraphs:
        words = render(paragraph)
        if words.startswith("# "):
            yield Content.styled(f"\n{words[2:]}", "bold $gold")
        else:
            yield Content(f"{words}\n")
