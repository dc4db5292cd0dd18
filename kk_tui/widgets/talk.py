"""What was said, and the line in which one says something."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.events import Key
from textual.message import Message
from textual.widgets import Input
from textual.widgets.input import Selection

from kk_core.wire.chat import ChatView
from kk_tui.i18n import _
from kk_tui.talking import Talking
from kk_tui.widgets.entry import Entry
from kk_tui.widgets.lines import Lines

LONGEST = 240


class Talk(Vertical):
    """The last lines, the newest at the bottom, and the line for one's own."""

    DEFAULT_CSS = """
    Talk { height: auto; }
    Talk VerticalScroll { height: 1fr; padding: 0 2; }
    Talk Lines { height: auto; }
    Talk Input { height: 1; margin: 0 1; }
    """

    class Spoken(Message):
        """A line was written; it stays until it is known what became of it: `done` or `kept`."""

        def __init__(self, line: str) -> None:
            super().__init__()
            self.line = line

    class Left(Message):
        """Esc was pressed in the line."""

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[ChatView, frozenset[str], int] | None = None
        self._last: tuple[ChatView, Talking] | None = None
        self._sent: str | None = None
        """The line that waits for its answer."""

    def compose(self) -> ComposeResult:
        """Lines and line."""
        with VerticalScroll(can_focus=False):
            yield Lines(id="said")
        hint = _("talk, or /help")
        yield Entry("", hint, max_length=LONGEST, compact=True, select_on_focus=False, id="say")

    def show(self, chat: ChatView, talking: Talking) -> None:
        """Take over what was said; nothing is drawn anew where it was shown so already."""
        if not self.is_attached or not self.is_mounted or self._pruning or self._closing:
            return
        self._last = chat, talking
        scroll = self.query_one(VerticalScroll)
        shown = chat, frozenset(talking.muted), scroll.content_size.width
        if shown != self._shown:
            self._shown = shown
            self.query_one("#said", Lines).show(talking.lines(chat, scroll.content_size.width))
            self.call_after_refresh(scroll.scroll_end, animate=False)

    def on_resize(self) -> None:
        """The same in another width."""
        if self._last is not None:
            self.call_after_refresh(self.show, *self._last)

    @property
    def is_written_in(self) -> bool:
        """Whether keys are letters now."""
        return self.query_one(Input).has_focus

    @property
    def words(self) -> str:
        """What is written in the line."""
        return self.query_one(Input).value

    def begin(self, words: str = "") -> None:
        """Write in the line, behind these words."""
        line = self.query_one(Input)
        self.screen.set_focus(line)  # at once: the next key may be here already
        if words:
            line.value = words
            line.cursor_position = len(words)

    def clear(self) -> None:
        """Write something else."""
        self.query_one(Input).value = ""

    def submit(self) -> None:
        """Say the line, unless the one before waits for its answer; an empty one is left."""
        line = self.words.strip()
        if self._sent is not None:
            return
        if line:
            self._sent = line
            self.post_message(self.Spoken(line))
        else:
            self.post_message(self.Left())

    def done(self) -> None:
        """The line was said or carried out: what was typed behind it meanwhile is left."""
        sent, self._sent = self._sent or "", None
        if self.is_attached and self.is_mounted and self.words.lstrip().startswith(sent):
            self.query_one(Input).value = self.words.lstrip()[len(sent) :].lstrip()

    def kept(self) -> None:
        """The line was refused: it stays to be mended, and what follows a command is typed over."""
        sent, self._sent = self._sent or "", None
        if self.is_attached and self.is_mounted and sent.startswith("/") and self.words.strip() == sent:
            line = self.query_one(Input)
            line.value = sent
            line.selection = Selection(sent.find(" ") + 1, len(sent))

    def on_key(self, event: Key) -> None:
        """Esc leaves the line."""
        if event.key == "escape":
            event.stop().prevent_default()
            self.post_message(self.Left())

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Say it."""
        event.stop()
        self.submit()
