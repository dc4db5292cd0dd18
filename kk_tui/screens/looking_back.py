"""Looking back during a match: the table as it stood some plies ago, as far as one could see it then."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kk_core.protocol.messages import LookBack, Past
from kk_core.text import Text, text
from kk_core.types import Viewer
from kk_tui.games import Face
from kk_tui.i18n import _, render
from kk_tui.keymap import KEYS
from kk_tui.scene import Scene
from kk_tui.screens.base import KkScreen


class LookingBack:
    """What is shown of the past, if anything; `changed` is called when that is something else."""

    def __init__(self, screen: KkScreen, changed: Callable[[], None]) -> None:
        self._screen = screen
        self._changed = changed
        self._ply = 0  # the one that was asked for last
        self.scene: Scene[Any] | None = None
        """The past that is shown; None for the present."""

    def check(self, now: Scene[Any], *, is_handed_over: bool) -> None:
        """Forget what does not belong to this match, was seen with other eyes, or by another one."""
        if is_handed_over or not _fits(self.scene, now):
            self.scene = None

    def step(self, by: int, now: Scene[Any]) -> None:
        """Some plies on or back, from where one looks; on from the last one is the present."""
        ply = (self._ply if self.scene else now.match.ply) + by
        if ply < 0:
            self._screen.complain(text("Nothing was before."))
        elif ply >= now.match.ply and self.scene is None:
            key = KEYS["earlier"].shown
            self._screen.complain(text("This is the table as it is now; {key} looks back.", key=key))
        elif ply >= now.match.ply:
            self.leave()
        else:
            self._ply = ply
            self._screen.work(self._fetch(ply, now.viewer))

    def leave(self) -> None:
        """Back to the present, whatever is still on its way."""
        self.scene, self._ply = None, -1
        self._changed()

    async def _fetch(self, ply: int, viewer: Viewer) -> None:
        store = self._screen.kk.store
        reply = await self._screen.kk.request(lambda number: LookBack(number, ply, viewer))
        if not isinstance(reply, Past) or not self._screen.is_alive or ply != self._ply or not store.scene:
            return
        past = store.past(reply.match, viewer)
        if _fits(past, store.scene):
            self.scene = past
            self._changed()


def title(face: Face[Any], then: Scene[Any], now: Scene[Any]) -> str:
    """That this is the past, where in it one is, and the way back."""
    return _(
        "LOOKING BACK: move {ply} of {end}  |  {status}",
        ply=then.match.ply, end=now.match.ply, status=face.status(then),
    )  # fmt: skip


def words(face: Face[Any], then: Scene[Any], now: Scene[Any]) -> str:
    """The same where there is no title, whether one is waited for meanwhile, and what was done there."""
    said = last_ply(face, then)
    ply, end, key = then.match.ply, now.match.ply, KEYS["back"].shown
    if now.may_act:
        where = _("Looking back, {ply} of {end} ({key}: now, it is your turn).", ply=ply, end=end, key=key)
    else:
        where = _("Looking back, {ply} of {end} ({key}: now).", ply=ply, end=end, key=key)
    return f"{where} {render(said[0])}"


def last_ply(face: Face[Any], then: Scene[Any]) -> Sequence[Text]:
    """What was done last, and what came of it; also where the log has no word for it."""
    recent = then.match.recent()
    if not recent:
        return (text("Before the first move."),)
    entry = recent[-1][1]
    if said := face.describe(then, entry):
        return said
    if entry.move is None:
        return (text("{name} has chosen in secret.", name=then.name(entry.seat)),)
    return (face.move_words(then, entry.seat, entry.move),)


def _fits(past: Scene[Any] | None, now: Scene[Any]) -> bool:
    """Whether the past is that of this match, seen through the eyes of now."""
    return past is not None and (past.viewer, past.match.commitment) == (now.viewer, now.match.commitment)
