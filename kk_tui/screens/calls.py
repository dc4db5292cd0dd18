"""The page for ways to be called when it is the user's turn and they are away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from kk_core.protocol.messages import CallWays, ConfirmCalls, GetCalls, OrderCalls, StopCalls
from kk_core.text import Text, text
from kk_tui.account_words import FORGOTTEN, about_calls, called_at, confirmed
from kk_tui.i18n import _, render
from kk_tui.keymap import Action
from kk_tui.keys_page import OUTSIDE
from kk_tui.screens.base import KkScreen
from kk_tui.screens.dialogs import ConfirmScreen
from kk_tui.widgets.form import TextField
from kk_tui.widgets.options import Options

_LONGEST: Final = 254
"""Most characters of an address."""

_ORDER, _CONFIRM, _STOP = "order", "confirm", "stop"
"""What can be chosen."""


class CallsScreen(KkScreen):
    """A menu for calls, and an input for an address or the code that was sent there."""

    help_section = OUTSIDE

    CSS = """
    CallsScreen #own-calls { height: 1fr; align-horizontal: center; }
    CallsScreen.-large #own-calls, CallsScreen.-huge #own-calls { align-vertical: middle; }
    CallsScreen #own-calls > * { max-width: 96; }
    CallsScreen #called-at { height: auto; padding: 1 2 0 2; color: $ink; text-style: bold; }
    CallsScreen #about-calls { height: auto; padding: 1 2; color: $ink-dim; }
    CallsScreen #call-choices { height: auto; padding: 0 1; margin-top: 1; }
    CallsScreen #call-word { margin: 0 1; display: none; }
    CallsScreen #call-word.-shown { display: block; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._known = CallWays(0, ())
        self._wanted = ""
        """What the words in the input are for; empty while there is none."""

    def body(self) -> ComposeResult:
        """Compose where the user is called, what they can do about it, and how calls work."""
        with Vertical(id="own-calls"):
            yield Static("", id="called-at", markup=False)
            yield Options(id="call-choices")
            yield TextField("", max_length=_LONGEST, compact=True, select_on_focus=False, id="call-word")
            yield Static("", id="about-calls", markup=False)

    def on_mount(self) -> None:
        """Request what the server knows."""
        self.title_line(_("Calls when it is your turn"))
        self.query_one(OptionList).focus()
        self.work(self._fetch())

    async def _fetch(self, said: Text | None = None) -> None:
        reply = await self.kk.request(GetCalls)
        if isinstance(reply, CallWays) and self.is_alive:
            self._known = reply
            self.query_one("#called-at", Static).update(render(called_at(reply)))
            self.query_one("#about-calls", Static).update("\n\n".join(map(render, about_calls(reply))))
            choices = self.query_one(OptionList)
            choices.set_options([Option(render(words), id=name) for name, words in self._choices()])
            choices.highlighted = 0 if choices.option_count else None
            self._explain()
            if said is not None:
                self.tell(said, "$ink")

    def notice(self, sentence: Text) -> None:
        """Show it, and what the server knows now: a code may not have arrived."""
        self.work(self._fetch(sentence))

    def _choices(self) -> Sequence[tuple[str, Text]]:
        known = self._known
        first = [(_CONFIRM, text("Type the code"))] if known.unconfirmed else []
        other = text("Be called at another address") if known.address else text("Be called at an address")
        way = [(_ORDER, other)] if known.ways else []
        has_address = bool(known.address or known.unconfirmed)
        gone = [(_STOP, text("No longer be called, and have the address forgotten"))] if has_address else []
        return (*first, *way, *gone)

    def _explain(self) -> None:
        self.show_keys()
        if self._wanted == _CONFIRM:
            self.say(_("Type the code that was sent to you, then Enter."))
        elif self._wanted == _ORDER:
            self.say(_("Type the address, then Enter: a code is sent there."))
        else:
            self.say("")

    # -- keys ------------------------------------------------------------------------------------------------

    def actions(self) -> Sequence[Action]:
        """Return the actions for what is chosen."""
        if self._wanted:
            return (Action("do", text("send")), Action("back"))
        own = [Action("do")] if self._choices() else []
        return (*own, Action("help", minor=True), Action("back"))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Open the input for an address or a code, or ask before the address is forgotten."""
        if event.option_id == _STOP:
            question = text("No longer be called when it is your turn?")
            stop = StopCalls(0)
            self.app.push_screen(
                ConfirmScreen(question, lambda: self.work(self._change(stop, FORGOTTEN)), text("Stop"))
            )
            return
        self._wanted = event.option_id or ""
        word = self.query_one(Input)
        word.value = ""
        word.add_class("-shown")
        word.focus()
        self._explain()

    def do_back(self) -> None:
        """Return to the lobby or, while something is being typed, to the choices."""
        if self._wanted:
            self._end_typing()
        else:
            super().do_back()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Order calls at an address, or confirm them by the code that was sent there."""
        event.stop()
        wanted, typed = self._wanted, event.value.strip()
        self._end_typing()
        if not typed:
            return
        if wanted == _CONFIRM:
            self.work(self._change(ConfirmCalls(0, typed), confirmed(self._known.unconfirmed)))
        else:
            self.work(self._change(OrderCalls(0, typed), None))

    def _end_typing(self) -> None:
        self._wanted = ""
        self.query_one(Input).remove_class("-shown")
        self.query_one(OptionList).focus()
        self._explain()

    async def _change(self, message: OrderCalls | ConfirmCalls | StopCalls, done: Text | None) -> None:
        await self.kk.request(lambda number: replace(message, request=number))
        await self._fetch(done)
