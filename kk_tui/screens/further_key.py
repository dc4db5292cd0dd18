"""A code for a further key: how another machine comes to the same account."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kk_core.text import text, texts
from kk_core.wire.messages import LinkCode
from kk_tui.doorway import Doorway
from kk_tui.keymap import Action
from kk_tui.screens.dialogs import Dialog

_OTHER: Final = text("On the other machine:")
_UNKNOWN: Final = text("On the other machine, where ADDRESS is what you typed to come here:")


class FurtherKey(Dialog):
    """Says what to type on the other machine."""

    def __init__(self, account: str, code: LinkCode, doorway: Doorway) -> None:
        minutes = texts("{n} minute", "{n} minutes", code.seconds // 60)
        super().__init__(
            text("Another SSH key for {name}", name=account),
            {"back": text("Back")},
            text(
                "{machine}\n\n"
                "ssh -t {ssh} link {code}\n"
                "kk connect {connect} --link {code}\n\n"
                "The code is good once, for {minutes}. Tell it nobody: whoever has it can be you.",
                machine=_OTHER if doorway.host else _UNKNOWN,
                ssh=doorway.for_ssh,
                connect=doorway.for_connect,
                code=code.code,
                minutes=minutes,
            ),
        )

    def on_line_button_pressed(self) -> None:
        """Like Esc."""
        self.do_back()

    def actions(self) -> Sequence[Action]:
        """Back, rules."""
        return (Action("do", text("back")), Action("back"), Action("help"))
