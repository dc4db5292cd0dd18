"""The SSH keys of the user's account: naming, removing and adding them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, Final

from msgspec.structs import replace
from rich.cells import cell_len, set_cell_size
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from kk_core.protocol.messages import GetKeys, GetLinkCode, Keys, LinkCode, NameKey, RemoveKey
from kk_core.text import Text, text
from kk_core.views import KeyLine
from kk_tui.account_words import key_words, link_commands, link_terms, name_of_key
from kk_tui.i18n import _, format_when, render, spelled
from kk_tui.keymap import KEYS, Action
from kk_tui.keys_page import OUTSIDE
from kk_tui.screens.base import KkScreen
from kk_tui.screens.dialogs import ConfirmScreen, Dialog
from kk_tui.server_address import ServerAddress
from kk_tui.widgets.form import TextField
from kk_tui.widgets.options import Options

_NAME: Final = 20
"""Most letters of a key's name."""

_GAP: Final = 3
"""Columns between a key's name and what else is said of it."""

_LINES: Final = "\n"
_PARAGRAPHS: Final = "\n\n"


def _about() -> Sequence[Text]:
    return (
        text(
            "This server knows you by your key: every key listed here opens your account, without a password."
        ),
        text(
            "To play from another machine too, press {key} and type there the command that you are shown: "
            "it adds that machine's key to this list.",
            key=KEYS["key"].shown,
        ),
        text("Name each key after its machine, and remove it here if you lose that machine."),
    )


class SshKeysScreen(KkScreen):
    """The list of keys, the oldest first, and an input to name one."""

    help_section = OUTSIDE

    CSS = """
    SshKeysScreen #own-keys { height: 1fr; align-horizontal: center; }
    SshKeysScreen.-large #own-keys, SshKeysScreen.-huge #own-keys { align-vertical: middle; }
    SshKeysScreen.-large #about-keys, SshKeysScreen.-huge #about-keys { height: auto; }
    SshKeysScreen #keys-of-account, SshKeysScreen #about-keys, SshKeysScreen #key-name { max-width: 96; }
    SshKeysScreen #keys-of-account { height: auto; max-height: 60%; padding: 0 1; margin-top: 1; }
    SshKeysScreen #about-keys { height: 1fr; padding: 1 2; color: $ink-dim; }
    SshKeysScreen #key-name { margin: 0 1; display: none; }
    SshKeysScreen #key-name.-shown { display: block; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("backspace", "act('delete')", show=False)]

    def __init__(self) -> None:
        super().__init__()
        self._keys: Sequence[KeyLine] = ()
        self._own: str | None = None

    def body(self) -> ComposeResult:
        """Compose the list, and the input below it that is shown while a key is being named."""
        with Vertical(id="own-keys"):
            yield Options(id="keys-of-account")
            yield TextField("", max_length=_NAME, compact=True, select_on_focus=False, id="key-name")
            yield Static("\n\n".join(map(render, _about())), id="about-keys", markup=False)

    def on_mount(self) -> None:
        """Request the keys."""
        self.title_line(_("SSH keys of {name}", name=self.kk.user))
        self.query_one(OptionList).focus()
        self.work(self._fetch())

    async def _fetch(self) -> None:
        reply = await self.kk.request(GetKeys)
        if isinstance(reply, Keys) and self.is_alive:
            self._keys, self._own = reply.keys, reply.own
            keys = self.query_one(OptionList)
            here = keys.highlighted or 0
            keys.set_options([Option(self._line(key)) for key in self._keys])
            keys.highlighted = min(here, len(self._keys) - 1) if self._keys else None
            self._explain()

    def _line(self, key: KeyLine) -> Content:
        """Return name and times on one line, with the fingerprint below."""
        mark = _("this one") if key.fingerprint == self._own else ""
        since = _("since {when}", when=format_when(key.since)) if key.since else ""
        used = _("last used {when}", when=format_when(key.used)) if key.used else ""
        said = "   ".join(filter(None, (since, used)))
        column = max(cell_len(spelled(name_of_key(each))) for each in self._keys) + _GAP
        name = set_cell_size(spelled(name_of_key(key)), column)
        return Content.assemble(
            (name, "bold $ink" if key.name else "$ink-dim"), (said, "$ink"),
            (f"   {mark}" if mark else "", "$gold"), (f"\n  {spelled(key.fingerprint)}", "$ink-dim"),
        )  # fmt: skip

    def _explain(self) -> None:
        self.show_keys()
        if self._is_naming:
            self.say(_("Type a name for this key, such as the machine it is on, then Enter."))
        elif len(self._keys) > 1:
            self.say(_("Anybody with one of these keys can log in as you. Del removes one."))
        else:
            self.say(
                _("This is your only key, so it can't be removed; {key} adds another.", key=KEYS["key"].shown)
            )

    @property
    def _is_naming(self) -> bool:
        return self.query_one("#key-name").has_class("-shown")

    @property
    def _here(self) -> KeyLine | None:
        at = self.query_one(OptionList).highlighted
        return self._keys[at] if at is not None and at < len(self._keys) else None

    # -- keys ------------------------------------------------------------------------------------------------

    def actions(self) -> Sequence[Action]:
        """Return the actions for the key under the cursor."""
        if self._is_naming:
            return (Action("do", text("save name")), Action("back"))
        own = [Action("do", text("name it"))] if self._keys else []
        gone = [Action("delete", text("remove it"))] if len(self._keys) > 1 else []
        more = Action("key", text("add another"))
        return (*own, *gone, more, Action("help", minor=True), Action("back"))

    def on_option_list_option_selected(self) -> None:
        """Open the input for naming a key."""
        line, key = self.query_one(Input), self._here
        if key is None:
            return
        line.value = key.name
        line.cursor_position = len(key.name)
        line.add_class("-shown")
        line.focus()
        self._explain()

    def do_back(self) -> None:
        """Return to the lobby or, while a key is being named, to the list."""
        if self._is_naming:
            self._end_naming()
        else:
            super().do_back()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Give the key its name."""
        event.stop()
        key, name = self._here, event.value
        self._end_naming()
        if key is not None:
            self.work(self._change(NameKey(0, key.fingerprint, name)))

    def _end_naming(self) -> None:
        self.query_one("#key-name").remove_class("-shown")
        self.query_one(OptionList).focus()
        self._explain()

    def do_delete(self) -> None:
        """Remove the key under the cursor, after a question."""
        key = self._here
        if key is None:
            return
        if key.fingerprint == self._own:
            question = text(
                "Remove {name}, the key you're connected with? You'll be disconnected at once and "
                "need another key to return.",
                name=key_words(key),
            )
        else:
            question = text(
                "Remove {name}? Anybody connected with it is disconnected at once and can't use it again.",
                name=key_words(key),
            )
        yes = text("Remove it")
        gone = RemoveKey(0, key.fingerprint)
        self.app.push_screen(ConfirmScreen(question, lambda: self.work(self._change(gone)), yes))

    async def _change(self, message: NameKey | RemoveKey) -> None:
        await self.kk.request(lambda number: replace(message, request=number))
        await self._fetch()

    def do_key(self) -> None:
        """Request a code with which another key can open the same account."""
        self.work(self._show_code())

    async def _show_code(self) -> None:
        answer = await self.kk.request(GetLinkCode)
        if isinstance(answer, LinkCode) and self.is_current:
            dialog = FurtherKeyDialog(self.kk.user, answer, self.kk.server_address, self._keys)
            self.app.push_screen(dialog)

    def on_screen_resume(self) -> None:
        """Request the keys again, since the code may have been used."""
        super().on_screen_resume()
        if self._keys:
            self.work(self._fetch())


def _joined(sentences: Iterable[Text], between: str) -> Text:
    """Join sentences to one, each below the one before."""
    first, *others = sentences
    for other in others:
        first = Text(f"{{first}}{between}{{other}}", (("first", first), ("other", other)))
    return first


class FurtherKeyDialog(Dialog):
    """The commands to type on the other machine, until the code in them is used or expires."""

    def __init__(
        self, account: str, code: LinkCode, server_address: ServerAddress, keys: Sequence[KeyLine]
    ) -> None:
        """Take the code, and the keys that the account has before it is used."""
        self._seconds = code.seconds
        self._before = {key.fingerprint for key in keys}
        commands = _joined(link_commands(code, server_address), _LINES)
        said = _joined((commands, *link_terms(code, server_address)), _PARAGRAPHS)
        super().__init__(text("Another SSH key for {name}", name=account), {"back": text("Back")}, said)

    def on_mount(self) -> None:
        """Wait for the code to expire."""
        self.set_timer(self._seconds, lambda: self._end(text("The code has expired; ask for another one.")))

    def show_above(self) -> None:
        """Check whether the code was used, as the notice of a new key is shown above."""
        super().show_above()
        if self.kk.kept_notice is not None:
            self.work(self._look())

    async def _look(self) -> None:
        reply = await self.kk.request(GetKeys)
        new = [key for key in reply.keys if key.fingerprint not in self._before]
        if new and self.is_alive:
            used = text("The code has been used: {key} now opens your account.", key=key_words(new[-1]))
            self._end(used)

    def _end(self, sentence: Text) -> None:
        self.query_one("#reason", Static).update(render(sentence))

    def on_line_button_pressed(self) -> None:
        """Close the dialog."""
        self.do_back()

    def actions(self) -> Sequence[Action]:
        """Return the keys of the dialog."""
        return (Action("do", text("back")), Action("back"), Action("help"))
