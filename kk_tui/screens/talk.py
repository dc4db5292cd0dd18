"""The chat at a table, beside the board, and the commands that a line can give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import zip_longest
from typing import Final

from rich.cells import cell_len, set_cell_size
from textual.app import ComposeResult
from textual.containers import Center
from textual.content import Content
from textual.events import Key
from textual.screen import ModalScreen
from textual.widgets import Static

from kk_core.errors import KkError
from kk_core.protocol.messages import (
    Find,
    Found,
    GoTo,
    Invite,
    Join,
    Propose,
    Report,
    Say,
    Start,
    TakeSeat,
    more_of_title,
)
from kk_core.protocol.typed_codes import bare_code, codes_in, could_be_invitation, is_invitation
from kk_core.text import Text, text
from kk_core.views import GUEST_MARK, LobbyView, TableView, bare_name
from kk_tui.chat import parse_line
from kk_tui.i18n import _, render
from kk_tui.keymap import PHRASE_KEYS, Action
from kk_tui.screens.base import KkScreen
from kk_tui.screens.dialogs import Dialog
from kk_tui.widgets.talk import Talk

COMMANDS: Final = (
    (text("/join"), text("take a free seat, here or at the table under the cursor")),
    (text("/join NAME"), text("the same, by the start of a title or a player's name")),
    (text("/join CODE"), text("go to the table of an invitation")),
    (text("/start"), text("begin the match, or say that you're ready")),
    (text("/watch NAME"), text("watch, by the start of a title or a player's name")),
    (text("/invite NAME"), text("invite somebody who is connected to your table")),
    (text("/shuffle WORDS"), text("add these words to the shuffle of the next match here")),
    (text("/mute NAME"), text("hide somebody's messages; /unmute shows them again")),
    (text("/report NAME WHY"), text("report somebody, and the latest chat, to the host")),
    (text("/help"), text("this page")),
)
"""The commands that a line can give, with their meanings."""

_GAP: Final = 2
"""Columns between a command and its meaning, and between two phrases."""

_AROUND: Final = 4
"""Columns around the help page."""


class NotDone(KkError):
    """A command that cannot be carried out."""


class NotEnough(NotDone):
    """A command that needs more words."""


class TalkHelpDialog(Dialog):
    """The help page for the commands."""

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
        room = self.app.size.width - _AROUND
        return Content("\n").join(
            [
                *_paired([(render(command), render(meaning)) for command, meaning in COMMANDS], room),
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


def _phrases() -> Iterator[Content]:
    """Yield the keys of the phrases and these, in two columns."""
    phrases = [(f"{key} ", render(phrase)) for key, phrase in PHRASE_KEYS]
    half = (len(phrases) + 1) // 2
    column = max(cell_len(key + phrase) for key, phrase in phrases[:half]) + _GAP
    for left, right in zip_longest(phrases[:half], phrases[half:], fillvalue=("", "")):
        said = [Content.assemble((key, "bold $gold"), (phrase, "$ink")) for key, phrase in (left, right)]
        yield Content.assemble(said[0].pad_right(column - said[0].cell_length), said[1])


class TalkScreen(KkScreen, ModalScreen[None]):
    """The chat over the side panel; the board stays visible and continues."""

    def __init__(self, words: str = "") -> None:
        """Start with `words` in the input."""
        super().__init__()
        self._words = words
        self._is_sent = False
        self._hearers = ""

    def body(self) -> ComposeResult:
        """Compose the talk."""
        yield Talk()

    def on_mount(self) -> None:
        """Take the width of the panel below, and focus the input."""
        self.set_class(self.app.screen_stack[-2].has_class("-broad"), "-broad")
        self.query_one(Talk).begin(self._words)
        self.kk.talk_is_open()
        # Enter was typed before the input existed
        if self._is_sent:
            self.query_one(Talk).submit()

    def type_early(self, event: Key) -> None:
        """Take a key that was typed before the input existed."""
        if self._is_sent:
            return
        if event.key == "enter":
            self._is_sent = bool(self._words)
        elif event.key == "backspace":
            self._words = self._words[:-1]
        elif event.is_printable and event.character is not None:
            self._words += event.character

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
        self.call_after_refresh(self.query_one(Talk).show, place.chat, self.kk.chat_reader)
        # otherwise the answer to a line stays in the prompt
        if self._hearers != hearers(place, self.kk.user):
            self._tell_hearers(place, self.query_one(Talk).words)

    def _tell_hearers(self, place: TableView | LobbyView, line: str) -> None:
        self._hearers = hearers(place, self.kk.user)
        self.say(line_words(line, self._hearers), "$ink-dim")

    def on_talk_spoken(self, event: Talk.Spoken) -> None:
        """Say a line, or run it as a command."""
        if self.kk.store.place is not None:
            self._tell_hearers(self.kk.store.place, "")
        speak(self, self.query_one(Talk), event.line)

    def on_talk_left(self) -> None:
        """Return to the board."""
        self.dismiss()

    def actions(self) -> Sequence[Action]:
        """Return Enter for the line, and back."""
        return (Action("do", enter_words(self.query_one(Talk).words)), Action("back"))

    def on_input_changed(self) -> None:
        """Update keys and prompt for what Enter does with the line."""
        self.show_keys()
        if self.kk.store.place is not None:
            self._tell_hearers(self.kk.store.place, self.query_one(Talk).words)


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


def speak(screen: KkScreen, talk: Talk, line: str, under_cursor: str | None = None) -> None:
    """Say a line, or run it as a command, for the table under the cursor of a list if none is named.

    A refused line stays in the input: a code typed after "/join" must not be said to everybody.
    """
    screen.work(_speak(screen, talk, line, under_cursor), lasting=True)


async def _speak(screen: KkScreen, talk: Talk, line: str, under_cursor: str | None) -> None:
    try:
        # a code is a secret: said publicly by mistake, it would admit everybody
        if not line.startswith("/") and is_invitation(line) and not talk.is_meant(line):
            raise NotDone(
                text("Did you mean /join {code}? Enter again sends it as chat.", code=bare_code(line))
            )
        await _do(screen, line, under_cursor)
    except KkError as error:
        talk.kept(None if isinstance(error, NotEnough) else _replaceable(line))
        raise
    talk.done()
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
    match command:
        case "":
            await screen.kk.request(partial(Say, words=line))
        case "join":
            await _join(screen, rest, under_cursor)
        case "watch":
            await _watch(screen, rest, under_cursor)
        case "start":
            table = screen.kk.store.table
            is_mine = table is not None and table.owner == screen.kk.user
            await screen.kk.request(Start if is_mine else partial(Propose, what="start"))
        case "invite":
            await screen.kk.request(partial(Invite, user=rest))
            screen.say(text("{name} has been invited.", name=rest))
        case "shuffle" if rest:
            await screen.kk.add_words(rest)
        case "mute" if bare_name(rest) == bare_name(screen.kk.user):
            raise NotDone(text("That's you."))
        case "mute" if rest:
            await _mute(screen, rest)
        case "unmute" if rest:
            screen.kk.chat_reader.unmute(rest)
            screen.renew()
            screen.say(text("{name} is no longer muted.", name=rest))
        case "report" if rest:
            await _report(screen, rest)
        case "help":
            screen.app.push_screen(TalkHelpDialog())
        case "shuffle" | "mute" | "unmute" | "report":
            raise NotDone(text("/{command} needs something after it; see /help.", command=command))
        case _:
            raise NotDone(text("Unknown command /{command}; see /help.", command=command))


async def _mute(screen: KkScreen, name: str) -> None:
    """Mute a name, even one that nobody here has."""
    place = screen.kk.store.place
    is_known = place is not None and bare_name(name) in set(map(bare_name, _known(place)))
    # the lobby does not list everybody, so ask the server
    if not is_known and isinstance(place, LobbyView):
        found: Found = await screen.kk.request(partial(Find, words=name))
        is_known = bare_name(found.name) == bare_name(name)
    # they may have left, or the name may be mistyped; the user is told so
    screen.kk.chat_reader.mute(name)
    screen.renew()
    if is_known:
        screen.say(text("{name} is muted for you; /unmute {name} undoes that.", name=name))
    else:
        screen.say(text("Nobody called {name} is here; they will be muted if they join.", name=name))


def _known(place: TableView | LobbyView) -> Iterator[str]:
    """Yield the names of everybody visible at a place, and of those who spoke there."""
    for line in place.chat.recent():
        yield from (line.user, line.name)
    if isinstance(place, LobbyView):
        yield from place.users
    else:
        yield from place.watchers
    for table in place.tables if isinstance(place, LobbyView) else (place,):
        for seat in table.seats:
            yield from (seat.name, seat.owner or "")


async def _report(screen: KkScreen, rest: str) -> None:
    place = screen.kk.store.place
    names = list(() if place is None else _known(place))
    if isinstance(place, LobbyView):  # which does not list everybody
        found: Found = await screen.kk.request(partial(Find, words=rest))
        names.append(found.name)
    name, why = parted(rest, names)
    await screen.kk.request(partial(Report, user=name, words=why))
    screen.say(text("Your report goes to the host of this server, with the latest chat."))


def parted(rest: str, names: Iterable[str]) -> tuple[str, str]:
    """Split a line into the longest of `names` that it begins with, or its first word, and the rest.

    The mark of a guest may be left out.
    """
    # names may have spaces, so the first word need not be the whole name
    known = {each for name in names for each in (name, name.removeprefix(GUEST_MARK))}
    begins = [name for name in known if f"{rest} ".lower().startswith(f"{name} ".lower())]
    name = max(begins, key=len, default=rest.partition(" ")[0])
    return rest[: len(name)], rest[len(name) :].strip()


async def _join(screen: KkScreen, name: str, under_cursor: str | None) -> None:
    before = screen.kk.store.table
    if name or screen.kk.store.table is None:
        found = await _table_of(screen, name) if name else under_cursor
        if name and found is None and could_be_invitation(name):
            await screen.kk.request(partial(Join, code=name))
            return
        if name and found is None:
            raise _not_found(screen)
        await screen.kk.request(partial(GoTo, table=found))
        # the table just entered is in the newest copy, which is not decoded yet
        screen.kk.take_newest()
        if screen.kk.my_seats:
            return  # they are back on their seat
    table = screen.kk.store.table
    if table is None:
        return
    free = [index for index, seat in enumerate(table.seats) if not seat.owner and not seat.bot]
    if table.phase == "open" and free:
        await screen.kk.request(partial(TakeSeat, seat=free[0]))
    elif before is not None:  # somebody who has only just come sees that on the table's own screen
        raise NotDone(text("This table has no free seat."))


async def _watch(screen: KkScreen, name: str, under_cursor: str | None) -> None:
    found = await _table_of(screen, name) if name else under_cursor
    if found is None:
        raise _not_found(screen)
    await screen.kk.request(partial(GoTo, table=found))


def _not_found(screen: KkScreen) -> NotDone:
    if screen.kk.store.lobby is None:
        return NotDone(text("Other tables are in the lobby: leave this one first."))
    return NotDone(text("No table here has this title or code, or a player of this name."))


async def _table_of(screen: KkScreen, name: str) -> str | None:
    """Return the table with a title or a person. Raises `NotEnough` if several titles begin like that."""
    if screen.kk.store.lobby is None:
        return None
    found: Found = await screen.kk.request(partial(Find, words=name))
    if found.table is None and found.n:
        raise NotEnough(more_of_title(found.titles, found.n))
    return found.table
