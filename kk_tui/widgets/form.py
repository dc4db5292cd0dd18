"""Parts of forms: a choice on one line, a button, a text field."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, Final

from rich.cells import cell_len, set_cell_size
from textual import events
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.events import Paste
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Input

LABEL_GAP: Final = 2
"""Columns between a label and its value."""

_MANY: Final = 4
"""Values from which a choice says which of how many is chosen."""

_ARROWS: Final = 4
"""Columns of the arrows around a value, and of the blanks between."""


class Form(VerticalScroll, can_focus=False, inherit_bindings=False):
    """A form that scrolls to what has the focus; the arrow keys move the focus instead."""


class LineSelect(Widget, can_focus=True):
    """A choice, `Label  < value >`: left and right change it, Enter and a click take the next value."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "turn(-1)", show=False),
        Binding("right,enter,space", "turn(1)", show=False),
    ]

    class Changed(Message):
        """Another value was chosen."""

        def __init__(self, select: LineSelect) -> None:
            super().__init__()
            self.select = select

    def __init__(self, label: str, values: Sequence[tuple[str, str]], value: str = "", *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._label = label
        self._columns = cell_len(label)
        self._values = tuple(values)
        self._index = next((i for i, (known, _) in enumerate(self._values) if known == value), 0)

    @property
    def label_columns(self) -> int:
        """Columns of the label itself."""
        return cell_len(self._label)

    def align(self, columns: int) -> None:
        """Let the label take these columns, so that the values of a form begin in one column."""
        self._columns = columns
        self.refresh(layout=True)

    @property
    def value(self) -> str:
        """The chosen value."""
        return self._values[self._index][0]

    @property
    def offered(self) -> Sequence[str]:
        """The values to choose from."""
        return [value for value, _label in self._values]

    def offer(self, values: Sequence[tuple[str, str]]) -> None:
        """Offer other values; the chosen one stays if it is still there, otherwise the first is chosen."""
        chosen = self.value
        self._values = tuple(values)
        self._index = next((i for i, (known, _) in enumerate(self._values) if known == chosen), 0)
        self.refresh(layout=True)

    def action_turn(self, by: int) -> None:
        """Take the next or previous value."""
        self._take((self._index + by) % len(self._values))

    def choose(self, value: str) -> None:
        """Choose a value."""
        self._take(self.offered.index(value))

    def restore(self, value: str) -> None:
        """Choose a value, if it is offered, without posting `Changed`."""
        if value in self.offered:
            self._index = self.offered.index(value)
            self.refresh(layout=True)

    def _take(self, index: int) -> None:
        self._index = index
        self.refresh(layout=True)
        self.post_message(self.Changed(self))

    def on_focus(self) -> None:
        """Make room for the number of the value."""
        self.refresh(layout=True)

    def on_blur(self) -> None:
        """Give it back."""
        self.refresh(layout=True)

    def on_click(self, event: events.Click) -> None:
        """Take the previous value on a click on the left arrow, the next one on a click anywhere else."""
        left = self._columns + LABEL_GAP if self._label else 0
        self.action_turn(-1 if left <= event.x - self.gutter.left <= left + 1 else 1)

    def render(self) -> Content:
        """Return the line."""
        signs = getattr(self.app, "glyphs")  # noqa: B009 - all our apps have them
        label = set_cell_size(self._label, self._columns + LABEL_GAP) if self._label else ""
        shown = self._values[self._index][1]
        if cell_len(label) + cell_len(shown) + _ARROWS > self.size.width:
            shown = shown.rpartition(": ")[2]
        arrow = "" if self.has_focus else "$gold"
        return Content.assemble(
            (label, "" if self.has_focus else "$ink-dim"),
            (signs["left"], arrow),
            f" {shown} ",
            (signs["right"], arrow),
            self._place() if self.has_focus else "",
        )

    def _place(self) -> str:
        """Return which of its values is chosen, so that one knows how many there are to look through."""
        values = len(self._values)
        return f"  {self._index + 1}/{values}" if values >= _MANY else ""


def align(selects: Iterable[LineSelect]) -> int:
    """Let the values of choices begin in one column; return the columns of their labels."""
    labelled = [select for select in selects if select.label_columns]
    columns = max(select.label_columns for select in labelled)
    for select in labelled:
        select.align(columns)
    return columns


class LineButton(Widget, can_focus=True):
    """Words that can be pressed with Enter or a click."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,space", "press", show=False)]

    class Pressed(Message):
        """The button was pressed."""

        def __init__(self, button: LineButton) -> None:
            super().__init__()
            self.button = button

    def __init__(self, label: str, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._label = label

    @property
    def columns(self) -> int:
        """Columns of the button."""
        return cell_len(self._label) + 2

    def say(self, label: str) -> None:
        """Show other words."""
        if label != self._label:
            self._label = label
            self.refresh(layout=True)

    def action_press(self) -> None:
        """Post `Pressed`."""
        self.post_message(self.Pressed(self))

    def on_click(self) -> None:
        """Press the button, like Enter."""
        self.action_press()

    def render(self) -> Content:
        """Return the words."""
        return Content(f" {self._label} ")


class TextField(Input):
    """A field that takes the beginning of a paste that is too long for it; Textual's takes nothing."""

    # a blinking one would keep sending data to an idle terminal, day and night
    cursor_blink = reactive(False, init=False)

    def on_paste(self, event: Paste) -> None:
        """Cut what Textual is about to take."""
        if self.max_length:
            # a field has one line
            line = next(iter(event.text.splitlines()), "")
            event.text = line[: max(0, self.max_length - len(self.value) + len(self.selected_text))]
