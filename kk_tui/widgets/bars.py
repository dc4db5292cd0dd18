"""The lines around every screen: header, prompt, and the footer with the keys."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from time import monotonic
from typing import Final, TypeAlias

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.content import Content
from textual.message import Message
from textual.strip import Strip
from textual.widgets import Static

from kk_core.text import Text
from kk_tui.i18n import _, render
from kk_tui.keymap import ALWAYS, KEYS, Action
from kk_tui.terminal.widgets import DirectRefresh
from kk_tui.widgets.canvas import Canvas

_GROUND: Final = "ground-deep"


_FIRST: Final = ("do", "help")
"""Actions that the footer shows before all others."""

_ALL: Final = next(key for key in ALWAYS if key.action == "commands")

_KEPT: Final = 32
"""Lines of keys in the cache."""

STOOD: Final = 0.4
"""Seconds that a label must have been in place before a click there can be meant for it."""

_GAP: Final = "  "
"""The gap between two keys; keys with the same label have a slash there."""
_SAME: Final = "/"

Pieces: TypeAlias = tuple[tuple[str, str, str], ...]
"""Key, label with the gap after it, and action of each."""

Ends: TypeAlias = list[tuple[int, str, str]]
"""The column after each piece, its label and action."""


class TextLine(DirectRefresh, Static):
    """A line of text. If styles let it grow, text that is too long for it covers what is above."""

    def __init__(self, name: str) -> None:
        super().__init__(id=name, markup=False)
        self._shown: Content | None = None

    @property
    def length(self) -> int:
        """Columns of its text."""
        return 0 if self._shown is None else self._shown.cell_length

    def say(self, content: Content | str, style: str = "") -> None:
        """Show other text; nothing is drawn if it is the same."""
        line = Content.styled(content, style) if isinstance(content, str) else content
        if self._shown is None or not line.is_same(self._shown):
            self._shown = line
            width, height = self.content_size
            rows = len(line.wrap(width)) if 0 < width < line.cell_length else 1
            self.update(line, layout=self.styles.auto_dimensions and rows != height)


class KeyBar(Canvas[None]):
    """The footer: keys with their labels; if there is little room, minor keys are left out first.

    At its end is the warning of the screen, if there is one.
    """

    class Pressed(Message):
        """A label was clicked."""

        def __init__(self, action: str) -> None:
            super().__init__()
            self.action = action

    class Moved(Message):
        """A label was clicked that has only just moved there."""

    def __init__(self) -> None:
        super().__init__(id="keys")
        self._actions: tuple[Action, ...] = ()
        self._warning: Text | None = None
        self._ends: Ends = []
        self._gone: list[tuple[float, Ends]] = []  # what was shown there recently, and until when
        self._drawn: dict[tuple[tuple[Action, ...], Text | None], tuple[Strip, Ends]] = {}
        self._enter = 0
        """The most columns that Enter and its label have taken."""

    def forget(self) -> None:
        """Forget the cached lines too."""
        super().forget()
        self._drawn.clear()

    def show(self, actions: Sequence[Action], warning: Text | None = None) -> None:
        """Take the actions and the warning to show."""
        # some actions are only for the command palette
        shown = tuple(action for action in actions if action.in_footer)
        if (shown, warning) != (self._actions, self._warning):
            if not _steady(shown) & _steady(self._actions):  # then nothing has to stay where it is
                self._enter = 0
                self._drawn.clear()
            self._actions, self._warning = shown, warning
            self.refresh()

    def render_line(self, y: int) -> Strip:  # noqa: ARG002
        """Draw the line."""
        shown = self._actions, self._warning
        # cached, since a cursor goes back and forth between the same keys
        if shown not in self._drawn:
            if len(self._drawn) >= _KEPT:
                self._drawn.clear()
            self._drawn[shown] = self._line()
        strip, ends = self._drawn[shown]
        if ends != self._ends:
            self._gone = [*self._lately(), *([(monotonic(), self._ends)] if self._ends else [])]
            self._ends = ends
        return strip

    def _lately(self) -> list[tuple[float, Ends]]:
        """Return what was shown there when the current click may have been aimed."""
        return [gone for gone in self._gone if monotonic() - gone[0] < STOOD]

    def _line(self) -> tuple[Strip, Ends]:
        key_ink, ink = self.ink("gold", on=_GROUND, bold=True), self.ink("ink", on=_GROUND)
        warning = self._warned()
        width = self.size.width - cell_len(warning)
        # the last key touches the edge no more than the first
        pieces, column = self._steadied(width if warning else width - 1)
        ends = list[tuple[int, str, str]]()
        segments = [Segment(" " * column, ink)]
        for key, words, action in pieces:
            segments += [Segment(key, key_ink), Segment(words, ink)]
            column += cell_len(key + words)
            ends.append((column, words.strip(), action))
        keys = Strip(segments).adjust_cell_length(width, ink)
        return Strip([*keys, Segment(warning, self.ink("refused", on=_GROUND, bold=True))]), ends

    def _steadied(self, width: int) -> tuple[Pieces, int]:
        """Return the keys that fit, and the column of the first, so that those after Enter stay where they
        are.

        What Enter does differs from one cursor position to the next. Minor keys that fit only without Enter
        are left out for that; if its room would cost others theirs, or Enter shares its label with another
        key, the keys do move.
        """
        pieces = fitting(self._actions, width)
        key, words, action = pieces[0] if pieces else ("", "", "")
        own = cell_len(key + words) if action == "do" else 0
        shares = bool(own) and not words.endswith(_GAP)
        if not shares and own > self._enter:
            self._enter = own
            self._drawn.clear()
        more = self._enter - own
        steady = fitting(self._actions, width - more)
        if shares or not self._major(pieces) <= self._major(steady):
            return pieces, 1
        return (((key, words + " " * more, action), *steady[1:]), 1) if own else (steady, 1 + more)

    def _major(self, pieces: Pieces) -> set[str]:
        """Return the actions of pieces that are not minor."""
        return {action for _key, _words, action in pieces} - {
            each.name for each in self._actions if each.minor
        }

    def _warned(self) -> str:
        """Return the warning, shortened until all keys fit; in two words if nothing helps."""
        if self._warning is None:
            return ""
        room = self.size.width - _columns(_pieces(self._actions))
        said = (f"{_GAP}{words} " for words in (render(self._warning), _("Matches are not saved")))
        return next((words for words in said if cell_len(words) <= room), _GAP + _("Not saved") + " ")

    def on_click(self, event: events.Click) -> None:
        """Post the action under the mouse, if it has been there long enough to be meant."""
        piece = _piece(self._ends, event.x)
        if piece is None:
            return
        is_meant = all(_piece(ends, event.x) == piece for _until, ends in self._lately())
        self.post_message(self.Pressed(piece[1]) if is_meant else self.Moved())


def _steady(actions: Sequence[Action]) -> set[str]:
    """Return the actions that are worth keeping in their place: not Enter's, and not those of every page."""
    return {action.name for action in actions} - {"do", "help"}


def _piece(ends: Ends, column: int) -> tuple[str, str] | None:
    """Return label and action at a column."""
    return next(((words, action) for end, words, action in ends if column < end), None)


def fitting(actions: Sequence[Action], width: int) -> Pieces:
    """Return the keys that fit, in their order, with their labels.

    Enter and help come first, then the important keys, then the minor ones. If some are left out, the key of
    the command palette comes last.
    """
    whole = _pieces(actions)
    if _columns(whole) <= width:
        return whole
    # keys are given room in this order, but shown in their own
    in_order = sorted(actions, key=lambda action: (action.name not in _FIRST, action.minor))
    more: Pieces = ((_ALL.shown, " " + _("more") + _GAP, _ALL.action),)
    for last in (more, ()):
        kept: list[Action] = []
        for action in in_order:
            longer = [each for each in actions if each in kept or each is action]
            if _columns((*_pieces(longer), *last)) <= width:
                kept = longer
        if kept:
            return (*_pieces(kept), *last)
    return ()


def _columns(pieces: Pieces) -> int:
    """Return the columns of pieces with the space before them; the last needs no gap."""
    return 1 - len(_GAP) + sum(cell_len(key + words) for key, words, _name in pieces)


def _pieces(actions: Sequence[Action]) -> Pieces:
    """Return a piece for each action."""
    pieces = []
    for action, after in zip_longest(actions, actions[1:]):
        # of neighbours with the same label, only the last shows it
        is_same = after is not None and after.words() == action.words()
        pieces.append(
            (KEYS[action.name].shown, _SAME if is_same else f" {action.words()}{_GAP}", action.name)
        )
    return tuple(pieces)
