"""The footer: the keys that count now, each of them clickable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from kk_core.text import Text
from kk_tui.i18n import render
from kk_tui.keymap import KEYS


@dataclass(frozen=True)
class Offer:
    """An action that can be done now; `label` None takes the keymap's. `minor` ones shrink first."""

    action: str
    label: Text | None = None
    minor: bool = False

    def words(self) -> str:
        """What the footer says."""
        return render(self.label or KEYS[self.action].label)


class KeyBar(Widget):
    """One line of key letters with their labels; labels of minor keys are left out where it gets too long."""

    class Pressed(Message):
        """A label was clicked."""

        def __init__(self, action: str) -> None:
            super().__init__()
            self.action = action

    def __init__(self) -> None:
        super().__init__(id="keys")
        self._offers: tuple[Offer, ...] = ()
        self._ends: list[tuple[int, str]] = []

    def show(self, offers: Sequence[Offer]) -> None:
        """Take over what can be done now."""
        if tuple(offers) != self._offers:
            self._offers = tuple(offers)
            self.refresh()

    def render(self) -> Content:
        """The line, and where each label ends."""
        minor = sum(offer.minor for offer in self._offers)
        for labelled in range(minor, -1, -1):
            pieces = self._pieces(labelled)
            if sum(cell_len(key + words) + 2 for key, words, _ in pieces) <= self.size.width + 2:
                break
        self._ends, column = [], 0
        parts: list[tuple[str, str] | str] = []
        for key, words, action in pieces:
            parts += [(key, "bold $gold"), (words, "$ink"), "  "]
            column += cell_len(key + words) + 2
            self._ends.append((column, action))
        return Content.assemble(*parts)

    def _pieces(self, labelled: int) -> list[tuple[str, str, str]]:
        """Key, label and action of each offer; of the minor ones only the first few have a label."""
        pieces = []
        for offer in self._offers:
            words = f" {offer.words()}" if not offer.minor or labelled > 0 else ""
            labelled -= offer.minor
            pieces.append((KEYS[offer.action].shown, words, offer.action))
        return pieces

    def on_click(self, event: events.Click) -> None:
        """Post the action under the mouse."""
        where = event.x - self.gutter.left
        action = next((action for end, action in self._ends if where < end), None)
        if action is not None:
            self.post_message(self.Pressed(action))
