"""The findings of a search about a move, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from kk_core.types import Move, Seat
from kk_core.views import Advice, Change
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


def hinted_words(scene: Scene[Any], face: Face[Any], seat: Seat, move: Move) -> str:
    """Return a move in the words of a hint, beside which its place is numbered on the board."""
    if face.hint_words is None:
        return move_words(scene, face, seat, move)
    return render(face.hint_words(scene, move))


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


_RISKY: Final = 0.1
"""Probability from which it is worth saying that somebody else may choose the same."""


def why_better(scene: Scene[Any], face: Face[Any], better: Advice, other: Advice) -> str:
    """Return what speaks for one move and not for another; "" if that is next to nothing."""
    said = []
    if other.contested - better.contested >= _RISKY:
        likely = percent(other.contested)
        said.append(_("{n} % that somebody else chooses the other, too", n=likely))
    said.append(_told(scene, face, contrast(better.changes, other.changes)))
    said.append(later(scene, face, better.promised))
    return "; ".join(filter(None, said))


def contrast(better: Sequence[Change], played: Sequence[Change]) -> list[Change]:
    """Return what one move brings and another does not, by lines of the score sheet, the most first."""
    lines = {change.line: [change, None] for change in better}
    for change in played:
        lines.setdefault(change.line, [None, None])[1] = change
    found = [_more(line, *pair) for line, pair in lines.items()]
    brings = [change for change in found if round(change.own) > 0 or round(change.loss) < 0]
    return sorted(brings, key=lambda change: change.loss - change.own)


def _more(line: int, better: Change | None, played: Change | None) -> Change:
    """Return the difference of two changes of a line; a loss counts against the same rival's alone."""
    nothing = Change(line, 0.0, None, 0.0, leads=False)
    one, other = better or nothing, played or nothing
    spared = other.loss if other.rival == one.rival else 0.0
    loss = min(0.0, one.loss - spared)
    return Change(line, one.own - other.own, one.rival, loss, one.leads and not other.leads)
