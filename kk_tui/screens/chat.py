"""The chat at a table, beside the board, and the commands that a line can give."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import zip_longest
from textwrap import wrap
from typing import Final

from rich.cells import cell_len, set_cell_size
from textual.app import ComposeResult
from textual.containers import Center
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from kk_core.errors import KkError
from kk_core.protocol.messages import (
    Say,
)
from kk_core.protocol.typed_codes import bare_code, codes_in, is_invitation
from kk_core.text import Text, text
from kk_core.views import LobbyView, TableView
from kk_tui.chat import Audience, audience, is_for_others, parse_line
from kk_tui.i18n import _, render
from kk_tui.keymap import PHRASE_KEYS, Action
from kk_tui.plain.words import TooFewWords
from kk_tui.screens.base import KkScreen
from kk_tui.screens.dialogs import Dialog
from kk_tui.widgets.chat_panel import ChatPanel

_GAP: Final = 2
"""Columns between a command and its meaning, and between two phrases."""

_AROUND: Final = 4
"""Columns around the help page."""

_UNBROKEN: Final = "\N{NO-BREAK SPACE}"

_ROWS_AROUND: Final = 14
"""Rows of the help page besides the commands."""


class ChatHelpDialog(Dialog):
    """The help page for the commands."""

    is_framed = False

    def __init__(self) -> None:
        super().__init__(text("Slash commands"), {"back": text("Back")})

    def below(self) -> ComposeResult:
        """Yield commands and phrases, in one block."""
        yield Center(Static(self._table(), id="commands", markup=False))

    def on_resize(self) -> None:
        """Wrap the block for the new width."""
        super().on_resize()
        self.query_one("#commands", Static).update(self._table())

    def place_changed(self) -> None:
        """Set the title."""
        super().place_changed()
        self.title_line(_("Chat"))

    def _table(self) -> Content:
        room, words = self.app.size.width - _AROUND, self.kk.chat_console.words()
        paired = [*_paired(words, room)]
        is_short = len(paired) + _ROWS_AROUND <= self.app.size.height
        return Content("\n").join(
            [
                *(paired if is_short else _listed(words, room)),
                Content(),
                Content.styled(_("Quick phrases"), "bold $gold"),
                *_phrases(),
            ]
        )

    def on_line_button_pressed(self) -> None:
        """Close the page."""
        self.do_back()

    def actions(self) -> Sequence[Action]:
        """Return back."""
        return (Action("do", text("back")), Action("back"))


def _paired(pairs: Sequence[tuple[str, str]], room: int) -> Iterator[Content]:
    """Yield words and their meanings in two columns; a meaning that is too long goes on below its start."""
    column = max(cell_len(words) for words, _meaning in pairs) + _GAP
    for words, meaning in pairs:
        first, *others = Content.styled(meaning, "$ink").wrap(max(_GAP, room - column))
        yield Content.assemble((set_cell_size(words, column), "bold $gold"), first)
        yield from (Content.assemble(" " * column, other) for other in others)


def _listed(pairs: Sequence[tuple[str, str]], room: int) -> Iterator[Content]:
    """Yield words without their meanings, and how to ask for these."""
    # a command is not broken: its blanks are replaced until the lines are made
    listed = ", ".join(words.replace(" ", _UNBROKEN) for words, _meaning in pairs)
    for line in wrap(listed, max(_GAP, room), break_on_hyphens=False):
        yield Content.styled(line.replace(_UNBROKEN, " "), "bold $gold")
    yield Content.styled(_("/help and one of these words says what it does."), "$ink")


def _phrases() -> Iterator[Content]:
    """Yield the keys of the phrases and these, in two columns."""
    phrases = [(f"{key} ", render(phrase)) for key, phrase in PHRASE_KEYS]
    half = (len(phrases) + 1) // 2
    column = max(cell_len(key + phrase) for key, phrase in phrases[:half]) + _GAP
    for left, right in zip_longest(phrases[:half], phrases[half:], fillvalue=("", "")):
        said = [Content.assemble((key, "bold $gold"), (phrase, "$ink")) for key, phrase in (left, right)]
        yield Content.assemble(said[0].pad_right(column - said[0].cell_length), said[1])


class ChatScreen(KkScreen, ModalScreen[None]):
    """The chat over the side panel; the board stays visible and continues."""

    def __init__(self, words: str = "") -> None:
        """Start with `words` in the input."""
        super().__init__()
        self._words = words
        self._hearers = ""
        self._reader: Audience | None = None

    def body(self) -> ComposeResult:
        """Compose the chat."""
        yield ChatPanel(self.kk.chat_console.completed, _("Chat"))

    def on_mount(self) -> None:
        """Take the width of the panel below, and focus the input."""
        self.set_class(self.app.screen_stack[-2].has_class("-broad"), "-broad")
        self.query_one(ChatPanel).begin(self._words)
        self.kk.chat_is_open()

    def renew(self) -> None:
        """Update the table below too, since it stays visible."""
        super().renew()
        below = self.app.screen_stack[-2]
        if isinstance(below, KkScreen) and self.is_current:
            below.renew()

    def place_changed(self) -> None:
        """Show what has been said."""
        super().place_changed()
        place = self.kk.store.place
        if place is None:
            return
        chat, reader = self.query_one(ChatPanel), audience(place)
        self.call_after_refresh(chat.show, place, self.kk.chat_reader)
        if self._reader is not None and is_for_others(self._reader, reader):
            # what was typed, and why it was refused, is nothing for the next person at this screen
            chat.drop_command()
            self.take_back()
            self._hearers = ""
        self._reader = reader
        # otherwise the answer to a line stays in the prompt
        if self._hearers != hearers(place, self.kk.user):
            self._tell_hearers(place, chat.words)

    def _tell_hearers(self, place: TableView | LobbyView, line: str) -> None:
        self._hearers = hearers(place, self.kk.user)
        self.say(line_words(line, self._hearers), "$ink-dim")

    def on_chat_panel_spoken(self, event: ChatPanel.Spoken) -> None:
        """Say a line, or run it as a command."""
        if self.kk.store.place is not None:
            self._tell_hearers(self.kk.store.place, "")
        speak(self, self.query_one(ChatPanel), event.line)

    def on_chat_panel_left(self) -> None:
        """Return to the board."""
        self.dismiss()

    def actions(self) -> Sequence[Action]:
        """Return Enter for the line, and back."""
        return (Action("do", enter_words(self.query_one(ChatPanel).words)), Action("back"))

    def on_input_changed(self) -> None:
        """Update keys and prompt for what Enter does with the line."""
        self.show_keys()
        if self.kk.store.place is not None:
            self._tell_hearers(self.kk.store.place, self.query_one(ChatPanel).words)


def line_words(line: str, heard: str) -> str:
    """Return who will hear a line; nobody hears a command."""
    if line.lstrip().startswith("/"):
        return _("A line that begins with a slash is a command, not chat; see /help.")
    return heard


def enter_words(line: str) -> Text:
    """Return what Enter does with a line."""
    match parse_line(line.strip())[0]:
        case "":
            return text("send")
        case "join":
            return text("go there")
        case "watch":
            return text("watch")
        case _:
            return text("do it")


def hearers(place: TableView | LobbyView, user: str) -> str:
    """Return who hears what the user says."""
    if not isinstance(place, TableView) or place.phase != "playing":
        return _("Everybody here will see this.")
    if any(seat.owner == user for seat in place.seats):
        return _("Players see this now, spectators after the match.")
    return _("Spectators see this now, players after the match.")


def speak(screen: KkScreen, chat: ChatPanel, line: str, under_cursor: str | None = None) -> None:
    """Say a line, or run it as a command, for the table under the cursor of a list if none is named.

    A refused line stays in the input: a code typed after "/join" must not be said to everybody.
    """
    task = _speak(screen, chat, line, under_cursor)
    if screen.kk.chat_console.may_lead_away(line):
        screen.kk.travel(task, is_line=True)
    else:
        screen.work(task, lasting=True)


async def _speak(screen: KkScreen, chat: ChatPanel, line: str, under_cursor: str | None) -> None:
    try:
        # a code is a secret: said publicly by mistake, it would admit everybody
        if not line.startswith("/") and is_invitation(line) and not chat.is_meant(line):
            raise KkError(
                text("Did you mean /join {code}? Enter again sends it as chat.", code=bare_code(line))
            )
        await _do(screen, line, under_cursor)
    except KkError as error:
        chat.kept(None if isinstance(error, TooFewWords) else _replaceable(line))
        raise
    chat.done()
    if screen.is_alive:
        screen.show_keys()


def _replaceable(line: str) -> int | None:
    """Return where the part of a refused line begins that people will retype."""
    if not line.startswith("/"):
        # a line with a code is retyped as a whole; somebody who was only too fast keeps their line
        return 0 if any(codes_in(line)) else None
    rest = parse_line(line)[1]
    # everything after the command
    return len(line) - len(rest) if rest else None


async def _do(screen: KkScreen, line: str, under_cursor: str | None) -> None:
    """Say a line or run it as a command. Raises `KkError`."""
    command, rest = parse_line(line)
    if not command:
        await screen.kk.request(partial(Say, words=line))
    elif not rest and command in ("help", "?"):
        screen.app.push_screen(ChatHelpDialog())
    else:
        await screen.kk.chat_console.do(f"{command} {rest}", under_cursor)
