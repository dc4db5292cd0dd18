"""The base of all screens: header, prompt line, footer, and the keys of the one keymap."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import cached_property, wraps
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Concatenate,
    Final,
    ParamSpec,
    Protocol,
    TypeAlias,
    TypeVar,
    cast,
)

from textual.app import App, ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.css.query import NoMatches
from textual.events import Key

from kk_core.errors import KkError
from kk_core.protocol.messages import ClientMessage, Notice, OpenLesson, WelcomePage
from kk_core.text import Text, text
from kk_core.types import Seat
from kk_core.views import TableLine, TableView
from kk_tui.chat import ChatReader
from kk_tui.client.client import Client
from kk_tui.games import Appearance, Face
from kk_tui.i18n import _, render, spelled
from kk_tui.keymap import KEYS, Action
from kk_tui.press_guard import PressGuard
from kk_tui.saving import SaveState
from kk_tui.server_address import ServerAddress
from kk_tui.settings import NAMELESS, AppSettings, RecentFile
from kk_tui.table.place_store import PlaceStore
from kk_tui.terminal.capabilities import ColourDepth
from kk_tui.terminal.painted_screen import PaintedScreen
from kk_tui.theme import PaletteName
from kk_tui.theme.glyphs import SEATS, Glyphs, letter
from kk_tui.theme.palette import Palette
from kk_tui.widgets import points as looks
from kk_tui.widgets.agreement import AgreementStrip
from kk_tui.widgets.bars import KeyBar, TextLine
from kk_tui.widgets.canvas import Canvas

if TYPE_CHECKING:
    from kk_tui.screens.chat_console import ChatConsole

_PADDING: Final = 2
"""Columns of the prompt line that stay empty."""

_NOTICED: Final = 3.0
"""Seconds until a sentence that appears has been noticed."""

_A_SECOND: Final = 20
"""Characters of it read per second after that."""


def reading(sentence: Text) -> float:
    """Return the seconds that it takes to read a sentence: then it disappears, as it may cover something."""
    return _NOTICED + len(render(sentence)) / _A_SECOND


_OWN_KEYS = ("do", "next", "previous")  # their meaning is left to the focused widget

_Sentence: TypeAlias = tuple[str | Text | Content, str]
"""What the prompt line says, and its style."""

S = TypeVar("S", bound="KkScreen")
P = ParamSpec("P")


def guarded(method: Callable[Concatenate[S, P], None]) -> Callable[Concatenate[S, P], None]:
    """Wrap a method that draws with a game's face: if it fails, a sentence is shown and the app continues."""

    @wraps(method)
    def drawn(screen: S, /, *args: P.args, **kwargs: P.kwargs) -> None:
        try:
            method(screen, *args, **kwargs)
        except Exception as error:
            screen.give_up(error)

    return drawn


def send_key(app: App[Any], action: str) -> None:
    """Send the key of an action, as if it had been pressed."""
    app.post_message(Key(KEYS[action].key, None))


class AppOfScreens(Protocol):
    """The interface of the app for its screens; the app knows all of them, they know only this."""

    local: bool
    """True if the match is played at home, without other people on other screens."""
    user: str
    glyphs: Glyphs
    faces: Mapping[str, Face[Any]]
    games: Mapping[str, Appearance]
    settings: AppSettings
    settings_fault: Text | None
    store: PlaceStore
    client: Client | None
    save_state: SaveState
    records: Path | None
    """The folder where records may be saved."""
    recent: RecentFile
    pages_read: set[tuple[str, int]]
    chat_reader: ChatReader
    chat_console: ChatConsole
    """What carries out the words that are typed in the chat after a slash."""
    notice: Text | None
    """The last notice from the other side."""
    server_address: ServerAddress
    languages: Sequence[str]
    press_guard: PressGuard
    page: WelcomePage | None
    first_key: str | None
    only_replay: bool
    return_to: Callable[[], KkScreen] | None
    """The screen to open when the user is back in the menu or the lobby."""
    came_from: str | None
    # column and row of the list's cursor, kept while a table from the list is open
    left_list_at: tuple[int, int]

    @property
    def revision(self) -> int:
        """The revision of the client's copy; -1 before the first."""
        ...

    @property
    def keeps_up(self) -> bool:
        """True if the terminal has taken everything it was sent."""
        ...

    @property
    def has_motion(self) -> bool:
        """True unless the host of the app has disabled motion."""
        ...

    @property
    def my_seats(self) -> tuple[int, ...]:
        """The seats at this table that belong to the user."""
        ...

    @property
    def seats_in_play(self) -> tuple[int, ...]:
        """The user's seats that have not given up."""
        ...

    @property
    def has_company(self) -> bool:
        """True while other people share the table, playing or watching."""
        ...

    @property
    def own_name(self) -> str:
        """The name of the user if none was entered."""
        ...

    @property
    def table_actions(self) -> tuple[Action, ...]:
        """Actions at a table with other people."""
        ...

    @property
    def palette(self) -> Palette:
        """The colours in use."""
        ...

    @property
    def depth(self) -> ColourDepth:
        """The number of colours that the terminal is sent."""
        ...

    @property
    def warning(self) -> Text | None:
        """Why nothing that is played is saved, if so."""
        ...

    @property
    def news(self) -> Text | None:
        """The notice while it is too new to have been read."""
        ...

    @property
    def kept_notice(self) -> Notice | None:
        """The notice that stays until it has been read."""
        ...

    @property
    def screen_in_front(self) -> KkScreen:
        """The screen in view, or the one under the command palette."""
        ...

    async def request(self, make: Callable[[int], ClientMessage]) -> Any:
        """Send a request and return the answer. Raises `KkError` if refused or not connected."""
        ...

    async def add_words(self, words: str) -> None:
        """Add words typed by the user to the next shuffle here. Raises `KkError`."""
        ...

    def is_in_shuffle(self, table: TableView) -> bool:
        """Return whether the user's bytes were in the shuffle of the match at a table."""
        ...

    def connect(self) -> None:
        """Open the link, stay on it until it ends, and then say so."""
        ...

    def take_newest(self) -> None:
        """Decode the newest copy, which has the changes of a request by the time its answer arrives."""
        ...

    def show_notice(self, sentence: Text) -> None:
        """Show a sentence like a notice from the hub, on any screen."""
        ...

    def change_settings(self, **changes: Any) -> None:
        """Use other settings from now on and save them. Raises `KkError`."""
        ...

    def palette_of(self, name: PaletteName, *, is_dark: bool) -> Palette:
        """Return another palette."""
        ...

    def hurry(self) -> bool:
        """Let bots play without waiting; False if their pace is not the user's to set."""
        ...

    def above(self) -> Content | None:
        """Return the line above the header, if there is one now."""
        ...

    def press_above(self) -> None:
        """Do what the line above the header offers."""
        ...

    def read_welcome(self) -> None:
        """Mark the welcome page as read."""
        ...

    def chat_is_open(self) -> None:
        """Note that the chat is open: from now on its input takes the keys."""
        ...

    def cannot_show(self, error: Exception) -> None:
        """Show in the table's place why it cannot be drawn."""
        ...

    def show_help(self, section: str | None = None, game: str = "") -> None:
        """Open rules and keys over the current screen."""
        ...

    def show_settings(self) -> None:
        """Open the settings over the current screen."""
        ...

    def show_chat(self, words: str) -> None:
        """Open the chat at this table with these words in its input."""
        ...

    def show_table_menu(self) -> None:
        """Open the menu of the table."""
        ...

    def step_in(self, replay: str) -> int | None:
        """Return the step at which a replay is, or was when its reader left, if it is known."""
        ...

    def note_step(self, step: int) -> None:
        """Note the step at which the replay here is, for a reader who comes back to it."""
        ...

    def ask_leave_table(self) -> None:
        """Go back to menu or lobby, after a question."""
        ...

    def leave_table(self) -> None:
        """Go back to menu or lobby; what is typed until they are there is meant for them."""
        ...

    def travel(self, task: Coroutine[Any, Any, Any], *, is_line: bool = False) -> None:
        """Run a coroutine that leads to another place, or a line of the chat that may lead there.

        What is typed until it is there is kept. A refusal goes to the prompt line.
        """
        ...

    def ask_quit(self) -> None:
        """Ask whether to quit the program."""
        ...


class KkScreen(PaintedScreen):
    """A screen with the frame around its body.

    Subclasses provide `body`, `actions`, and a method `do_ACTION` for each of those actions.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            key.binding
            for key in KEYS.values()
            # these are bound by the widgets that know what they mean
            if key.action not in _OWN_KEYS
        ),
        Binding("f1", "act('help')", show=False),
        Binding("down", "app.focus_next", show=False),
        Binding("up", "app.focus_previous", show=False),
    ]

    _prompt_words: _Sentence = "", "$ink"
    """What to do here, in the prompt line unless something is told there."""

    _told_words: _Sentence | None = None
    """What has happened, or why nothing has; it lies over the prompt until the next key or click."""

    @property
    def kk(self) -> AppOfScreens:
        """The app as screens know it."""
        return cast("AppOfScreens", self.app)

    @property
    def is_alive(self) -> bool:
        """True while there is something to draw on: from the first drawing until the app closes."""
        return self.app.is_running and self.is_attached and self.is_mounted and not self.is_leaving

    def compose(self) -> ComposeResult:
        """Compose header, body, prompt line, footer, and the line shown instead in a small terminal."""
        yield TextLine("header")
        yield from self.body()
        if not self.is_modal:
            # a modal screen lies over one that already has this strip
            yield AgreementStrip()
        prompt = TextLine("prompt")
        prompt.display = not self.is_modal  # an empty line must not cut off what is below
        yield prompt
        yield KeyBar()
        yield TextLine("small")

    def body(self) -> ComposeResult:
        """Yield the widgets between header and prompt line."""
        return iter(())

    def actions(self) -> Sequence[Action]:
        """Return the actions that are possible now."""
        return ()

    def on_mount(self) -> None:
        """Show what is known from the start; the rest follows when the screen is resumed."""
        self.kk.press_guard.changed()
        self.say_small()

    def say_small(self, more: str = "") -> None:
        """Set the line shown when the terminal is too small for anything else."""
        # 23 rows, since in a tmux window of 24 the status line takes one
        needs = _("kk needs at least {columns} x {rows} characters.", columns=80, rows=23)
        self._small.say(f"{needs} {more}")

    def place_changed(self) -> None:
        """Hook: react to a change of the place that the app shows; by default updates the footer."""
        self.show_keys()

    def renew(self) -> None:
        """Update everything after the place has changed, or may have while this screen was covered."""
        self.show_above()
        self.place_changed()
        self._lay_strip()

    def show_above(self) -> None:
        """Update the line above the header."""
        if self._strip is not None:
            self._strip.show(self.kk.above(), is_whole=self.kk.kept_notice is not None)
        self._lay_strip()

    def on_screen_resume(self) -> None:
        """Update what may have become stale while the screen was covered."""
        if self.is_alive:
            self.renew()
        self._show_prompt()  # what was said before the screen was composed

    def mouse_pressed(self) -> None:
        """Count a mouse press as a press, like a key; whoever presses has read what was told."""
        self.kk.press_guard.press("mouse")
        self.take_back()

    def take_key(self, event: Key) -> bool:  # noqa: ARG002
        """Hook: handle a key before the widgets see it; return False to pass it on."""
        return False

    def title_line(self, title: str | Content, style: str = "") -> None:
        """Show a title in the header."""
        self._header.say(title, style)
        self._lay_strip()

    def _lay_strip(self) -> None:
        if self._strip is not None:
            header, width = self._header, self.size.width
            # a short terminal shows no header, so the strip may take the whole line
            title, least = (header.length, self.least_title) if header.display else (width, 0)
            self._strip.stand_beside(title, width, least)

    @cached_property
    def _header(self) -> TextLine:
        return self.query_one("#header", TextLine)

    @cached_property
    def _strip(self) -> AgreementStrip | None:
        return None if self.is_modal else self.query_one(AgreementStrip)

    @property
    def prompt_width(self) -> int:
        """The columns of the prompt line, known even before it is laid out."""
        return self._prompt_line.content_size.width or self.app.size.width - _PADDING

    def say(self, sentence: str | Text | Content, style: str = "$ink") -> None:
        """Show what to do here in the prompt line, below what is told there."""
        self._prompt_words = sentence, style
        self._show_prompt()

    def tell(self, sentence: Text, style: str = "$happened") -> None:
        """Show what has been done or has happened in place of the prompt, until the next key or click."""
        self._told_words = sentence, style
        self._show_prompt()

    def tell_awhile(self, sentence: Text, style: str = "$happened") -> None:
        """Tell something that need not be known for long: the prompt below it comes back by itself."""
        self.tell(sentence, style)
        self.set_timer(reading(sentence), lambda: self._withdraw(sentence))

    def complain(self, reason: Text) -> None:
        """Show why something was not done in place of the prompt, until the next key or click."""
        self.tell(reason, "$refused")

    def take_back(self) -> None:
        """Withdraw what was told: it has been read, or no longer holds."""
        if self._told_words is not None:
            self._told_words = None
            self._show_prompt()

    def _withdraw(self, sentence: Text) -> None:
        """Withdraw a sentence unless another one has been told since."""
        if self._told_words is not None and self._told_words[0] is sentence:
            self.take_back()

    def _show_prompt(self) -> None:
        sentence, style = self._told_words or self._prompt_words
        words = render(sentence) if isinstance(sentence, Text) else sentence
        try:
            self._prompt_line.say(words, style)
            self._prompt_line.display = bool(str(words)) or not self.is_modal
        except NoMatches:
            pass  # not composed yet: it is shown when the screen is resumed

    @cached_property
    def _small(self) -> TextLine:
        return self.query_one("#small", TextLine)

    @cached_property
    def _prompt_line(self) -> TextLine:
        return self.query_one("#prompt", TextLine)

    @cached_property
    def _key_bar(self) -> KeyBar:
        return self.query_one(KeyBar)

    def notice(self, sentence: Text) -> None:
        """Hook: take a notice from the server; by default shows it in the prompt line."""
        self.take_back()  # it would cover this
        self.say(sentence)  # as a prompt: a key that was on its way must not take it back unread

    def say_news(self) -> bool:
        """Show a notice too new to have been read in the prompt line; return False if there is none."""
        if (news := self.kk.news) is not None:
            self.say(news)
        return news is not None

    def show_keys(self) -> None:
        """Update the footer."""
        self._key_bar.show(self.actions(), self.warning)

    least_title = 0
    """Columns of the title that the line above the header never covers."""

    @property
    def warning(self) -> Text | None:
        """Hook: a warning that stays in the footer."""
        return self.kk.warning

    def keeping_changed(self) -> None:
        """React when saving has stopped, or works again."""
        self.show_keys()
        # every screen updates its footer, but only the one in front shows the sentence
        if self is not self.kk.screen_in_front:
            return
        if self.kk.warning is not None:
            self.complain(self.kk.warning)
        else:
            self.tell(text("Matches are being saved again."))

    def action_act(self, name: str) -> None:
        """Do an action of the keymap if it is possible now."""
        possible = {action.name for action in self.actions()}
        if name == "leave" and name not in possible:  # where nothing else can be left, the screen is
            name = "back"
        if name in possible:
            self.do(name)

    def do(self, name: str) -> None:
        """Do a possible action by calling `do_NAME`."""
        method: Callable[[], None] = getattr(self, f"do_{name}")
        method()

    def on_key_bar_pressed(self, event: KeyBar.Pressed) -> None:
        """Treat a click in the footer as a key."""
        self.press(event.action)

    def on_key_bar_moved(self) -> None:
        """Ignore a click on a key that has only just moved there, and say so for a moment."""
        self.tell_awhile(text("This key has only just moved there; click again."), "$refused")

    def press(self, name: str) -> None:
        """Do what the key of an action does."""
        if name in _OWN_KEYS:
            send_key(self.app, name)
        elif name == "commands":
            self.app.action_command_palette()
        else:
            self.action_act(name)

    def on_canvas_failed(self, event: Canvas.Failed) -> None:
        """Report that board or chart cannot be drawn."""
        event.stop()
        self.give_up(event.error)

    def give_up(self, error: Exception) -> None:
        """Show that the table can't be drawn."""
        # a screen that is being taken apart fails to draw, too, and another one is shown by then
        if not self.is_leaving:
            self.kk.cannot_show(error)

    def on_agreement_strip_pressed(self) -> None:
        """Do what the line above the header offers."""
        self.kk.press_above()

    def do_help(self) -> None:
        """Open rules and keys."""
        self.kk.show_help(self.help_section, game=self.game_chosen)

    help_section: str | None = None
    """The section of the help about this screen; None if it is about the game."""

    @property
    def game_chosen(self) -> str:
        """Hook: the game that the user is looking at before there is a table, or an empty string."""
        return ""

    def do_chat(self) -> None:
        """Open the chat."""
        self.open_chat("")

    def do_command(self) -> None:
        """Open the chat with a slash, for a command."""
        self.open_chat("/")

    def open_chat(self, words: str) -> None:
        """Open the chat with these words in its input."""
        self.kk.show_chat(words)

    def do_table(self) -> None:
        """Open the menu of the table."""
        self.kk.show_table_menu()

    def do_settings(self) -> None:
        """Open the settings."""
        self.kk.show_settings()

    def do_quit(self) -> None:
        """Ask whether to quit."""
        self.kk.ask_quit()

    def dismiss(self, result: None = None) -> AwaitComplete:
        """Close this screen, once, and only while it's in front; a covered one is renewed once it is."""
        # a double click asks twice, and the second time would close the screen below
        if not self.is_active:
            return AwaitComplete()
        self.kk.press_guard.changed()
        return super().dismiss(result)

    def do_back(self) -> None:
        """Return to the screen below."""
        self.dismiss()

    def do_leave(self) -> None:
        """Ask whether to leave the table or, without one, the game."""
        self.kk.ask_leave_table() if self.kk.store.scene else self.kk.ask_quit()

    def game_name(self, game: str) -> str:
        """Return the name of a game, or its identifier if this program does not know it."""
        known = self.kk.games.get(game)
        return render(known.meta.name) if known else game

    def person(
        self, seat: Seat, colour: Seat, name: str, style: str, *more: str | tuple[str, str]
    ) -> Content:
        """Return a person for a line of people at any table, after the sign of their seat."""
        colour %= SEATS
        sign = (f"{letter(seat)}{self.kk.glyphs[f'owner-{colour}']}", f"bold $seat-{colour}")
        return Content.assemble(sign, " ", (spelled(name), style), *more, "   ")

    def points_of(self, table: TableLine, seat: Seat, *, is_wide: bool = True) -> looks.Part:
        """Return a seat's points for a line about a table, in the look that they have there; "" for none."""
        game = self.kk.games.get(table.game)
        are_scored = table.phase != "playing" or (game is not None and game.scores_rarely)
        if seat >= len(table.points) or (are_scored and not any(table.points)):
            return "", ""
        points = table.points[seat]
        words, style = looks.scored(points) if are_scored else looks.standing(points, is_wide=is_wide)
        return f" {words}", style

    def learn(self, game: str, *, anew: bool = False) -> None:
        """Go to the lesson of a game, where it was left or, with `anew`, from its first step."""
        name = (self.kk.own_name or NAMELESS) if self.kk.local else ""
        self.visit(lambda number: OpenLesson(number, game, name, anew))

    def visit(self, make: Callable[[int], ClientMessage]) -> None:
        """Send a request that leads to another place; a refusal appears in the prompt line."""
        self.kk.travel(self.kk.request(make))

    def ask(self, make: Callable[[int], ClientMessage]) -> None:
        """Send a request without waiting; a refusal appears in the prompt line."""
        self.work(self.kk.request(make))

    def work(self, task: Coroutine[Any, Any, Any], *, lasting: bool = False) -> None:
        """Run a coroutine alongside the screen; a refusal goes to the prompt line.

        It ends with the screen unless `lasting`: then a refusal is shown on whichever screen follows.
        """

        async def guarded() -> None:
            try:
                await task
            except KkError as error:
                # the screen may have gone before the answer arrived
                (self if self.is_alive else self.kk.screen_in_front).complain(error.reason)
            except NoMatches:
                if self.is_alive:  # otherwise its widgets have gone before the answer arrived
                    raise

        (self.app if lasting else self).run_worker(guarded(), exit_on_error=True)

    def on_resize(self) -> None:
        """Fit the footer and the line above the header to the new width."""
        self._key_bar.refresh()
        self._lay_strip()
