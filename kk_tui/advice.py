"""What a bot that searches says of a move, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from kk_core.types import Move, Seat
from kk_core.wire.advice import Change
from kk_core.wire.views import LogEntry
from kk_tui.games import Face
from kk_tui.i18n import _, render
from kk_tui.scene import Scene

_CHANGES: Final = 3
"""So many lines of the score are told of a move at most."""


def move_words(scene: Scene[Any], face: Face[Any], seat: Seat, move: Move) -> str:
    """What a move does in a scene, without its subject."""
    nameless = replace(scene, names=("",) * len(scene.names))
    said = face.describe(nameless, LogEntry(seat, move))
    return render(said[0]).strip() if said else _("does nothing more in this turn.")


def reasons(scene: Scene[Any], face: Face[Any], changes: Sequence[Change]) -> str:
    """What a move changes in the score, the most first; nothing where that is next to nothing."""
    return "; ".join(filter(None, (_words(scene, face, change) for change in changes[:_CHANGES])))


def _words(scene: Scene[Any], face: Face[Any], change: Change) -> str:
    """A line of the score, what it gains or loses, and to whom; nothing where that is next to nothing."""
    takes = change.rival is not None and round(change.loss) != 0
    if not (round(change.own) or change.leads or takes):
        return ""
    label = render(face.sheet_label(scene, change.line))
    words = f"{label} {change.own:+.0f}" if round(change.own) else label
    if change.leads:
        words += " " + _("(the most)")
    if change.rival is not None and takes:
        words += f", {scene.name(change.rival)} {change.loss:+.0f}"
    return words
