"""What all screens share: header, prompt line, footer, keys by the one keymap."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import cached_property, wraps
from pathlib import Path
from typing import Any, ClassVar, Concatenate, Final, ParamSpec, Protocol, TypeVar, cast

from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.css.query import NoMatches
from textual.events import Key

from kk_core.errors import KkError
from kk_core.protocol.messages import ClientMessage, Notice, WelcomePage
from kk_core.protocol.views import TableView
from kk_core.text import Text, text
from kk_core.types import Seat
from kk_tui.client.client import Client
from kk_tui.doorway import Doorway
from kk_tui.games import Appearance, Face
from kk_tui.i18n import _, render, spelled
from kk_tui.keeping import Keeping
from kk_tui.keymap import KEYS, Action
from kk_tui.presses import Presses
from kk_tui.settings import AppSettings, RecentFile
from kk_tui.table.store import Store
from kk_tui.talking import Talking
from kk_tui.terminal.kinds import ColourDepth
from kk_tui.terminal.painted_screen import PaintedScreen
from kk_tui.theme import PaletteName
from kk_tui.theme.glyphs import SEATS, Glyphs, letter
from kk_tui.theme.palette import Palette
from kk_tui.widgets.agreement import AgreementStrip
from kk_tui.widgets.bars import KeyBar, TextLine
from kk_tui.widgets.canvas import Canvas

_PADDING: Final = 2
"""Columns of the prompt line that stay empty."""

_OWN_KEYS = ("do", "next", "previous")  # what has the focus knows what these mean

S = TypeVar("S", bound="KkScreen")
P = ParamSpec("P")


def guarded(method: Callable[Concatenate[S, P], None]) -> Callable[Concatenate[S, P], None]:
    """For what draws by a game's face: a failure there ends in a sentence, not in the end of the app."""

    @wraps(method)
    def drawn(screen: S, /, *args: P.args, **kwargs: P.kwargs) -> None:
        try:
            method(screen, *args, **kwargs)
        except Exception as error:
            screen.give_up(error)

    return drawn


class AppOfScreens(Protocol):
    """What a screen may ask of the app around it, which knows the other screens."""

    local: bool
    """Whether it is played at home, where there is nobody else."""
    user: str
    glyphs: Glyphs
    faces: Mapping[str, Face[Any]]
    games: Mapping[str, Appearance]
    settings: AppSettings
    settings_fault: Text | None
    store: Store
    client: Client | None
    keeping: Keeping
    records: Path | None
    """The folder where records may be saved."""
    recent: RecentFile
    talking: Talking
    notice: Text | None
    """What the other side has said last."""
    doorway: Doorway
    languages: Sequence[str]
    front: Presses
    page: WelcomePage | None
    first_key: str | None
    only_replay: bool
    return_to: type[KkScreen] | None
    """The screen to open when one is back in menu or lobby."""
    came_from: str | None
    left_list_at: tuple[int, int]

    @property
    def revision(self) -> int:
        """The revision of the client's copy; -1 before the first."""
        ...

    @property
    def my_seats(self) -> tuple[int, ...]:
        """The seats at this table that belong to the user."""
        ...

    @property
    def has_company(self) -> bool:
        """Whether other people share the table, on a seat or looking on."""
        ...

    @property
    def own_name(self) -> str:
        """What one is called where nothing else was written."""
        ...

    @property
    def table_actions(self) -> tuple[Action, ...]:
        """What can be done at a table with others."""
        ...

    @property
    def palette(self) -> Palette:
        """The colours shown now."""
        ...

    @property
    def depth(self) -> ColourDepth:
        """How many colours the terminal is sent."""
        ...

    @property
    def warning(self) -> Text | None:
        """That nothing is kept of what is played, and why."""
        ...

    @property
    def has_news(self) -> bool:
        """Whether the notice is so fresh that it may not have been read yet."""
        ...

    @property
    def kept_notice(self) -> Notice | None:
        """The notice that stays until it was read."""
        ...

    @property
    def screen_in_front(self) -> KkScreen:
        """The screen that one sees, or that the palette of commands lies over."""
        ...

    async def request(self, make: Callable[[int], ClientMessage]) -> Any:
        """The answer to a request. Raises `KkError`: a refusal, or that there is no connection."""
        ...

    async def add_words(self, words: str) -> None:
        """Add what somebody has typed to the next shuffle here. Raises `KkError`."""
        ...

    def is_in_shuffle(self, table: TableView) -> bool:
        """Whether one's own part was in the shuffle of the match at a table."""
        ...

    def connect(self) -> None:
        """Open the link and stay on it until it ends; then say so."""
        ...

    def take_newest(self) -> None:
        """Decode the newest copy; what a request has changed is in it when the answer comes."""
        ...

    def show_notice(self, sentence: Text) -> None:
        """Say something as the other side does, wherever one is."""
        ...

    def change_settings(self, **changes: Any) -> None:
        """Take other values from now on, and keep them. Raises `KkError`."""
        ...

    def palette_of(self, name: PaletteName, *, is_dark: bool) -> Palette:
        """Another palette."""
        ...

    def hurry(self) -> bool:
        """Let bots play without waiting; False where their pace is not ours."""
        ...

    def above(self) -> Content | None:
        """What stands over the header now."""
        ...

    def press_above(self) -> None:
        """Do what the line over the header names."""
        ...

    def read_welcome(self) -> None:
        """What was to be read before all else is read."""
        ...

    def talk_is_open(self) -> None:
        """The line takes its keys itself from now on."""
        ...

    def cannot_show(self, error: Exception) -> None:
        """Show why the table here cannot be drawn, instead of it."""
        ...

    def show_help(self, section: str | None = None, game: str = "") -> None:
        """Rules and keys, over whatever is shown."""
        ...

    def show_settings(self) -> None:
        """Settings, over whatever is shown."""
        ...

    def show_talk(self, words: str) -> None:
        """The talk at this table, with these words in the line."""
        ...

    def show_table_menu(self) -> None:
        """What can be done around the table."""
        ...

    def ask_leave_table(self) -> None:
        """Back to menu or lobby, after a question."""
        ...

    def ask_quit(self) -> None:
        """Ask whether to leave the program."""
        ...


class KkScreen(PaintedScreen):
    """A screen with the skeleton around its body.

    Subclasses give `body`, `actions` and a method `do_ACTION` for each action that they give.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(key.key, f"act('{key.action}')", show=False)
            for key in KEYS.values()
            if key.action not in _OWN_KEYS
        ),
        Binding("down", "app.focus_next", show=False),
        Binding("up", "app.focus_previous", show=False),
    ]

    _said_early: tuple[str | Content, str] | None = None

    @property
    def kk(self) -> AppOfScreens:
        """The app."""
        return cast("AppOfScreens", self.app)

    @property
    def is_alive(self) -> bool:
        """Whether there is something to draw on: not before the first drawing, nor while the app closes."""
        return self.app.is_running and self.is_attached and self.is_mounted and not self.is_leaving

    def compose(self) -> ComposeResult:
        """Header, body, prompt line and footer; and what is said instead when the terminal is too small."""
        yield TextLine("header")
        yield from self.body()
        if not self.is_modal:
            yield AgreementStrip()
        prompt = TextLine("prompt")
        prompt.display = not self.is_modal  # what stands below is not cut by a line that says nothing
        yield prompt
        yield KeyBar()
        yield TextLine("small")

    def body(self) -> ComposeResult:
        """What stands between header and prompt line."""
        return iter(())

    def actions(self) -> Sequence[Action]:
        """What can be done now."""
        return ()

    def on_mount(self) -> None:
        """Say what is there from the first; the rest when the screen comes up."""
        self.kk.front.changed()
        self.say_small()

    def say_small(self, more: str = "") -> None:
        """What is said where the terminal is too small for everything else."""
        needs = _("kk needs at least {columns} x {rows} characters.", columns=80, rows=23)
        self._small.say(f"{needs} {more}")

    def place_changed(self) -> None:
        """Hook: the place that the app looks at has changed; by default only the footer is renewed."""
        self.show_keys()

    def renew(self) -> None:
        """The place has changed, or may have while this screen was covered."""
        self.show_above()
        self.place_changed()
        self._lay_strip()

    def show_above(self) -> None:
        """Renew the line over the header."""
        if self._strip is not None:
            self._strip.show(self.kk.above(), is_whole=self.kk.kept_notice is not None)
        self._lay_strip()

    def on_screen_resume(self) -> None:
        """What was covered may be out of date."""
        if self.is_alive:
            self.renew()
        if self._said_early is not None:
            early, self._said_early = self._said_early, None
            self.say(*early)

    def mouse_pressed(self) -> None:
        """Take it for a press, as a key is."""
        self.kk.front.press("mouse")

    def take_key(self, event: Key) -> bool:  # noqa: ARG002
        """Hook: handle a key before it takes its way through the widgets; False if it shall take it."""
        return False

    def title_line(self, title: str, style: str = "") -> None:
        """Show a title in the header."""
        self._header.say(title, style)
        self._lay_strip()

    def _lay_strip(self) -> None:
        """Beside the title, where there is room."""
        if self._strip is not None:
            header, width = self._header, self.size.width
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
        """Columns of the prompt line, also before it is laid out."""
        return self._prompt_line.content_size.width or self.app.size.width - _PADDING

    def say(self, sentence: str | Text | Content, style: str = "$ink") -> None:
        """Show a sentence in the prompt line; one that comes before there is a line waits for it."""
        words = render(sentence) if isinstance(sentence, Text) else sentence
        try:
            self._prompt_line.say(words, style)
            self._prompt_line.display = bool(str(words)) or not self.is_modal
        except NoMatches:
            self._said_early = words, style

    @cached_property
    def _small(self) -> TextLine:
        return self.query_one("#small", TextLine)

    @cached_property
    def _prompt_line(self) -> TextLine:
        return self.query_one("#prompt", TextLine)

    @cached_property
    def _key_bar(self) -> KeyBar:
        return self.query_one(KeyBar)

    def complain(self, reason: Text) -> None:
        """Show in the prompt line why something was not done."""
        self.say(reason, "$refused")

    def show_keys(self) -> None:
        """Renew the footer."""
        self._key_bar.show(self.actions(), self.warning)

    least_title = 0
    """Columns of the title that the line over the header leaves in view in any case."""

    @property
    def warning(self) -> Text | None:
        """Hook: what stands in the footer as long as it is so."""
        return self.kk.warning

    def keeping_changed(self) -> None:
        """What is played is kept no more, or again."""
        self.show_keys()
        if self is not self.kk.screen_in_front:
            return
        if self.kk.warning is not None:
            self.complain(self.kk.warning)
        else:
            self.take_back()
            self.say(_("What is played is kept again."), "$happened")

    def take_back(self) -> None:
        """Hook: what was complained of is so no more."""

    def action_act(self, name: str) -> None:
        """Do an action of the keymap, if it is possible now."""
        if any(action.name == name for action in self.actions()):
            self.do(name)

    def do(self, name: str) -> None:
        """Do a possible action: calls `do_NAME`."""
        method: Callable[[], None] = getattr(self, f"do_{name}")
        method()

    def on_key_bar_pressed(self, event: KeyBar.Pressed) -> None:
        """A click in the footer is a key."""
        self.press(event.action)

    def on_key_bar_moved(self) -> None:
        """A click that was meant for what stood there before does nothing."""
        self.complain(text("These words have only just come there; click once more."))

    def press(self, name: str) -> None:
        """Do what the key of an action does."""
        if name in _OWN_KEYS:
            key = Key(KEYS[name].key, None)
            key.set_sender(self.app)  # a key sent by the screen itself would not be passed on by the app
            self.app.post_message(key)
        elif name == "commands":
            self.app.action_command_palette()
        else:
            self.action_act(name)

    def on_canvas_failed(self, event: Canvas.Failed) -> None:
        """Board or chart cannot be drawn."""
        event.stop()
        self.give_up(event.error)

    def give_up(self, error: Exception) -> None:
        """Say that this cannot be drawn; not while the screen is taken apart, since another one is shown."""
        if not self.is_leaving:
            self.kk.cannot_show(error)

    def on_agreement_strip_pressed(self) -> None:
        """A click on the line over the header."""
        self.kk.press_above()

    def do_help(self) -> None:
        """Rules and keys."""
        self.kk.show_help(game=self.game_chosen)

    @property
    def game_chosen(self) -> str:
        """Hook: the game that is being looked at before there is a table; nothing, if none is."""
        return ""

    def do_talk(self) -> None:
        """Say something."""
        self.talk("")

    def do_command(self) -> None:
        """Ask for something by a line that begins with a slash."""
        self.talk("/")

    def talk(self, words: str) -> None:
        """Write something, behind these words."""
        self.kk.show_talk(words)

    def do_table(self) -> None:
        """What can be done around the table."""
        self.kk.show_table_menu()

    def do_settings(self) -> None:
        """Colours, pace, signals."""
        self.kk.show_settings()

    def do_quit(self) -> None:
        """Out of the game; asks."""
        self.kk.ask_quit()

    def dismiss(self, result: None = None) -> AwaitComplete:
        """Go away; where this is asked twice, by a double click, the screen below stays."""
        self.kk.front.changed()
        return super().dismiss(result) if self.is_current else AwaitComplete()

    def do_back(self) -> None:
        """To where one was."""
        self.dismiss()

    def do_leave(self) -> None:
        """Away from the table, or from the game; asks."""
        self.kk.ask_leave_table() if self.kk.store.scene else self.kk.ask_quit()

    def game_name(self, game: str) -> str:
        """What a game is called, also one that this program does not know."""
        known = self.kk.games.get(game)
        return render(known.meta.name) if known else game

    def person(
        self, seat: Seat, colour: Seat, name: str, style: str, *more: str | tuple[str, str]
    ) -> Content:
        """Somebody in a line of people of any table, behind his sign."""
        colour %= SEATS
        sign = (f"{letter(seat)}{self.kk.glyphs[f'owner-{colour}']}", f"bold $seat-{colour}")
        return Content.assemble(sign, " ", (spelled(name), style), *more, "   ")

    def ask(self, make: Callable[[int], ClientMessage]) -> None:
        """Send a request without waiting; a refusal appears in the prompt line."""
        self.work(self.kk.request(make))

    def work(self, task: Coroutine[Any, Any, Any], *, lasting: bool = False) -> None:
        """Run something that waits for answers beside the screen; its refusal goes to the prompt line.

        It ends with the screen, unless it is `lasting`: then a refusal is told on the one that came after.
        """

        async def guarded() -> None:
            try:
                await task
            except KkError as error:
                (self if self.is_alive else self.kk.screen_in_front).complain(error.reason)

        (self.app if lasting else self).run_worker(guarded(), exit_on_error=True)

    def on_resize(self) -> None:
        """Keep the footer fitting, and the line over the header."""
        self._key_bar.refresh()
        self._lay_strip()
