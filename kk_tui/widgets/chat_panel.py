"""The chat: what was said, and the input."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.events import Key, MouseScrollDown, MouseScrollUp, Resize
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip
from textual.widgets import Input, Static
from textual.widgets.input import Selection

from kk_core.views import ChatLine, PlaceView, TableView
from kk_tui.chat import ChatReader, audience, seat_of, shown
from kk_tui.i18n import _
from kk_tui.terminal.widgets import is_leaving
from kk_tui.widgets.canvas import Canvas, thumb_of
from kk_tui.widgets.form import TextField

LONGEST = 240

_WHEEL: Final = 2
"""Rows scrolled by one step of the mouse wheel."""

_PAGES: Final = {"pageup": 1, "pagedown": -1}
"""Pages by which a key scrolls back."""


class Said(Canvas[None]):
    """The last lines, the newest at the bottom."""

    DEFAULT_CSS = "Said { height: 1fr; }"

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[tuple[ChatLine, Sequence[_Row]]] = []
        self._rows: list[_Row] = []
        self._shown: tuple[PlaceView, ChatReader] | None = None
        self._muted = frozenset[str]()
        self._seated: Sequence[str | None] = ()
        self._answered = 0
        self._is_made = False  # for this size and these colours
        self._back = 0  # how many of the newest rows are out of sight
        self._width = 0  # in which the rows were made
        self._height_wanted = 1  # where its height follows what was said

    def show(self, place: PlaceView, chat_reader: ChatReader) -> None:
        """Show what was said at a place; nothing is drawn if it is already there."""
        is_same = self._is_made and self._shown is not None and _is_same(self._shown[0], place)
        self._shown = place, chat_reader
        muted = frozenset(chat_reader.muted)
        is_answered = chat_reader.answered != self._answered
        self._answered = chat_reader.answered
        seated = [seat.owner for seat in place.seats] if isinstance(place, TableView) else []
        if muted != self._muted or seated != self._seated:
            self._lines, self._muted, self._seated = [], muted, seated
        elif is_same and not is_answered:
            return
        self._take(place, chat_reader.lines(place), chat_reader.latest if is_answered else 0)

    def _take(self, place: PlaceView, heard: list[ChatLine], answers: int) -> None:
        """Make rows of the new lines, the last of which are so many answers to one command."""
        self._width = self.size.width
        width = self._width - 2 * self._margin
        if width <= 0:
            return
        was_made, self._is_made = self._is_made, True
        made = dict(self._lines)
        self._lines = [
            # earlier lines are already wrapped
            (
                line,
                made.get(line)
                or [_Row(self.pieces(row), {}) for row in shown(line, width, seat_of(place, line))],
            )
            for line in heard
        ]
        before, self._rows = self._rows, [row for _line, rows in self._lines for row in rows]
        height, now = self.size.height, len(self._rows)
        if answers:  # a long one is read from its beginning
            self._back = max(0, sum(len(rows) for _line, rows in self._lines[-answers:]) - height)
        elif self._back:  # keep the view of somebody reading earlier lines
            new = sum(len(rows) for line, rows in self._lines if line not in made)
            self._back = min(max(0, now - height), self._back + new)
        if before == self._rows and was_made:
            return
        if self._grows(now):
            self.refresh(layout=True)
            return
        # while everything fits, new lines do not move old ones
        if before and max(len(before), now) <= height and before == self._rows[: len(before)]:
            self.refresh(*(Region(0, y, self.size.width, 1) for y in range(len(before), now)))
        else:
            self.refresh()

    def _grows(self, rows: int) -> bool:
        """Return whether so many rows change its height, where that follows what was said."""
        height, before = self.size.height, self._height_wanted
        self._height_wanted = max(1, rows)
        # rows that do not fit change nothing
        is_full = before > height and self._height_wanted >= height
        return self.styles.auto_dimensions and self._height_wanted != before and not is_full

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """Return the rows of what was said, at least one."""
        return self._height_wanted

    @property
    def rows(self) -> Sequence[str]:
        """All rows as text."""
        return ["".join(segment.text for segment in row.segments) for row in self._rows]

    @property
    def _margin(self) -> int:
        return 1 if self.screen.is_modal and self.screen.has_class("-normal") else 2

    def on_resize(self, event: Resize) -> None:
        """Wrap the rows in another width; in another height alone, show more or fewer of them."""
        if self._is_made and event.size.width == self._width:
            self._back = max(0, min(self._back, len(self._rows) - event.size.height))
        else:
            super().on_resize(event)

    def forget(self) -> None:
        """Rebuild all rows, for another width or in other colours."""
        super().forget()
        self._lines, self._rows, self._back, self._is_made = [], [], 0, False
        self.call_after_refresh(self._show_again)

    def _show_again(self) -> None:
        if self._shown is not None:  # which may be another one by now
            self.show(*self._shown)

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        """Scroll back."""
        event.stop()
        self._scroll_by(_WHEEL)

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        """Scroll towards the newest."""
        event.stop()
        self._scroll_by(-_WHEEL)

    def end(self) -> None:
        """Scroll to the newest."""
        self._scroll_by(-len(self._rows))

    def turn(self, pages: int) -> None:
        """Scroll back by so many pages."""
        self._scroll_by(pages * max(1, self.size.height - 1))

    def _scroll_by(self, rows: int) -> None:
        back = max(0, min(self._back + rows, len(self._rows) - self.size.height))
        if back != self._back:
            self._back = back
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw a row, with a scrollbar beside it if not all fit."""
        height, width = self.size.height, self.size.width
        first, bar = max(0, len(self._rows) - height - self._back), ""
        if len(self._rows) > height:
            bar = "thumb" if y in thumb_of(height, len(self._rows), first) else "track"
        if not self._rows and self._is_made:
            return self._nothing(y)
        if first + y >= len(self._rows):
            return Strip.blank(width, self.ink("ink", on="ground"))
        row = self._rows[first + y]
        if bar not in row.strips:  # every new line moves it to another row of the screen
            row.strips[bar] = self._strip(row.segments, bar, width)
        return row.strips[bar]

    def _nothing(self, y: int) -> Strip:
        """Return a line of the text shown before anything is said."""
        width, ground = self.size.width, self.ink("ink", on="ground")
        said = Content.styled(_("No messages yet; they will appear here."), "$ink-dim")
        lines = said.wrap(max(1, width - 2 * self._margin))
        parts = self.pieces(lines[y]) if y < len(lines) else []
        return Strip([Segment(" " * self._margin, ground), *parts]).adjust_cell_length(width, ground)

    def _strip(self, segments: Sequence[Segment], bar: str, width: int) -> Strip:
        ground = self.ink("ink", on="ground")
        room = width - self._margin - bool(bar)
        words = Strip([Segment(" " * self._margin, ground), *segments])
        words = words.adjust_cell_length(self._margin + room, ground)
        if not bar:
            return words
        style = self.ink("ink-line", on="ground-deep") + Style(reverse=bar == "thumb")
        return Strip([*words, Segment(" ", style)], width)


def _is_same(before: PlaceView, now: PlaceView) -> bool:
    return before.chat == now.chat and audience(before) == audience(now)


class _Row(NamedTuple):
    """The pieces of a row, and the strips made of them with and without a scrollbar."""

    segments: Sequence[Segment]
    strips: dict[str, Strip]


class ChatField(TextField):
    """The input; a refused part is selected, so that typing replaces it."""

    _offered = Selection.cursor(0)

    def offer(self, start: int) -> None:
        """Select everything from a position on."""
        self.selection = self._offered = Selection(start, len(self.value))

    def action_delete_left(self) -> None:
        """Delete a letter, also of a refused part, which is then corrected letter by letter."""
        self._go_on()
        super().action_delete_left()

    def action_delete_left_all(self) -> None:
        """Delete all letters before the cursor, also those before a refused part."""
        self._go_on()
        super().action_delete_left_all()

    def on_key(self, event: Key) -> None:
        """A space continues after the refused part."""
        if event.key == "space":
            self._go_on()

    def _go_on(self) -> None:
        if self.selection == self._offered and not self.selection.is_empty:
            self.cursor_position = len(self.value)


class ChatPanel(Vertical):
    """The last lines, and the input below them."""

    DEFAULT_CSS = """
    ChatPanel { height: auto; }
    ChatPanel Input { height: 1; margin: 0 1; }
    ChatPanel #heading { height: 1; padding: 0 2; color: $gold; text-style: bold; }
    KkScreen.-normal.-over ChatPanel #heading { padding: 0 1; }
    """

    class Spoken(Message):
        """A line was sent; it stays in the input until `done` or `kept` is called."""

        def __init__(self, line: str) -> None:
            super().__init__()
            self.line = line

    class Left(Message):
        """Esc was pressed in the input."""

    def __init__(self, complete: Callable[[str], str], heading: str = "") -> None:
        """Take what completes the last word of a line, and a heading if it needs one."""
        super().__init__()
        self._complete = complete
        self._heading = heading
        self.said = Said()
        """The lines that were said."""
        hint = _("chat, or /help")
        self._line = ChatField("", hint, max_length=LONGEST, compact=True, select_on_focus=False, id="say")
        self._is_refused = False
        self._sent: str | None = None
        """The line that waits for its answer."""
        self._doubted: str | None = None
        """The last line that the user was asked about."""

    def compose(self) -> ComposeResult:
        """Compose heading, lines and input."""
        if self._heading:
            yield Static(self._heading, id="heading", markup=False)
        yield self.said
        yield self._line

    def show(self, place: PlaceView, chat_reader: ChatReader) -> None:
        """Show what was said at a place."""
        if self.is_attached and self.is_mounted and not is_leaving(self):
            self.said.show(place, chat_reader)

    @property
    def is_written_in(self) -> bool:
        """True while keys are text."""
        return self._line.has_focus

    @property
    def words(self) -> str:
        """The words in the input."""
        return self._line.value

    @property
    def unsent(self) -> str:
        """The words in the input after a line that waits for its answer; all of them if none does."""
        return self.words if self._sent is None else self.words.lstrip().removeprefix(self._sent).lstrip()

    def begin(self, words: str = "") -> None:
        """Start typing, after these words."""
        self.screen.set_focus(self._line)  # at once: the next key may have arrived already
        if words:
            self._line.value = words
            self._line.cursor_position = len(words)
        elif self._is_refused:
            self._line.offer(0)

    def clear(self) -> None:
        """Empty the input."""
        self._line.value = ""

    def drop_command(self) -> None:
        """Empty the input of a command, which may tell what its author knows."""
        if self.words.lstrip().startswith("/"):
            self.clear()

    def submit(self) -> None:
        """Say the line, unless the previous one waits for its answer; leave the input if it is empty."""
        line = self.words.strip()
        if self._sent is not None:
            return
        if line:
            self._sent = line
            self.post_message(self.Spoken(line))
        else:
            self.post_message(self.Left())

    def done(self) -> None:
        """Remove the line that was said or carried out; what was typed after it stays."""
        sent, self._sent, self._is_refused = self._sent or "", None, False
        if not sent.startswith("/"):
            self.said.end()
        if self.is_attached and self.is_mounted and self.words.lstrip().startswith(sent):
            with self._line.prevent(Input.Changed):  # which is for what the user types
                self._line.value = self.words.lstrip()[len(sent) :].lstrip()

    def kept(self, start: int | None) -> None:
        """Keep the refused line, so that it can be corrected.

        What is after `start` is replaced by what is typed next, or was typed before the answer came.
        """
        sent, self._sent, self._is_refused = self._sent or "", None, True
        if start is None or not (self.is_attached and self.is_mounted):
            return
        line, typed = self.words.lstrip(), ""
        if line.startswith(sent):
            typed = line[len(sent) :].lstrip()
        if typed:
            with self._line.prevent(Input.Changed):  # so that the reason stays in the prompt
                self._line.value = sent[:start] + typed
            self._line.cursor_position = len(self._line.value)
        elif line == sent:
            self._line.value = sent
            self._line.offer(start)

    def is_meant(self, line: str) -> bool:
        """Return whether a line that may be a mistake is said for the second time."""
        before, self._doubted = self._doubted, line
        if before == line:
            self._doubted = None
        return before == line

    def on_key(self, event: Key) -> None:
        """Leave the input on Esc; complete a word with Tab, and turn pages."""
        if event.key == "escape":
            self.post_message(self.Left())
        elif event.key == "tab" and self.words.startswith("/"):
            at_end = self._line.cursor_position == len(self.words)
            if at_end and (line := self._complete(self.words)) != self.words:
                self._line.value = line
                self._line.cursor_position = len(line)
        elif event.key in _PAGES:
            self.said.turn(_PAGES[event.key])
        else:
            return
        event.stop().prevent_default()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Say the line."""
        event.stop()
        self.submit()
