"""The findings of a search about a move, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from kk_core.types import Move, Seat
from kk_core.views import Change
from kk_tui.games import Face
from kk_tui.i18n import _, ngettext, render
from kk_tui.scene import Scene

_CHANGES: Final = 3
"""Lines of the score that are told of a move, at most."""

_SURE: Final = 100
"""Percent that no search may claim."""


def move_words(scene: Scene[Any], face: Face[Any], seat: Seat, move: Move) -> str:
    """Return a move in words, without its subject."""
    nameless = replace(scene, names=("",) * len(scene.names))
    return render(face.move_words(nameless, seat, move)).strip()


def reasons(scene: Scene[Any], face: Face[Any], changes: Sequence[Change]) -> str:
    """Return the changes of the score by a move, the largest first; "" if they are next to nothing."""
    changed = _told(scene, face, changes)
    if face.all_at_once:  # the others' choices decide, so these are means
        return changed and _("on average {changes}", changes=changed)
    return changed and _("as things stand {changes}", changes=changed)


def later(scene: Scene[Any], face: Face[Any], promised: Sequence[Change]) -> str:
    """Return the points that a move saves for later, the most first; "" if they are next to nothing."""
    changed = _told(scene, face, promised)
    return changed and _("kept for later {changes}", changes=changed)


def percent(likely: float) -> str:
    """Format a probability from 0 to 1 as percents; no search is quite sure."""
    n = round(100 * likely)
    return str(n) if n < _SURE else f"> {_SURE - 1}"


def _told(scene: Scene[Any], face: Face[Any], changes: Sequence[Change]) -> str:
    return "; ".join(filter(None, (_words(scene, face, change) for change in changes[:_CHANGES])))


def _words(scene: Scene[Any], face: Face[Any], change: Change) -> str:
    """Return the change of one line of the score; "" if it is next to nothing."""
    said = []
    if own := round(change.own):
        said.append(ngettext("{gain} point", "{gain} points", abs(own), gain=f"{own:+}"))
    if change.leads:
        said.append(_("the most there"))
    if change.rival is not None and (loss := round(change.loss)):
        said.append(f"{scene.name(change.rival)} {loss:+}")
    label = render((face.line_words or face.sheet_label)(scene, change.line))
    return _("“{label}”: {changes}", label=label, changes=", ".join(said)) if said else ""
