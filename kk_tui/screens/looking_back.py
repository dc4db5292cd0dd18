"""Looking back during a match: the table some plies ago, as far as the viewer could see it then."""

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
    """The past that is shown, if any; `changed` is called when it changes."""

    def __init__(self, screen: KkScreen, changed: Callable[[], None]) -> None:
        self._screen = screen
        self._changed = changed
        self._ply = 0  # the one that was asked for last
        self.scene: Scene[Any] | None = None
        """The scene of the past on the screen; None for the present."""

    def check(self, now: Scene[Any], *, is_handed_over: bool) -> None:
        """Forget a past of another match, another viewer, or one from before a handover."""
        if is_handed_over or not _fits(self.scene, now):
            self.scene = None

    def step(self, by: int, now: Scene[Any]) -> None:
        """Move some plies on or back; the ply after the last one is the present."""
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
        """Return to the present, whatever is still on its way."""
        self.scene, self._ply = None, -1
        self._changed()

    async def _fetch(self, ply: int, viewer: Viewer) -> None:
        store = self._screen.kk.store
        reply = await self._screen.kk.request(lambda number: LookBack(number, ply, viewer))
        # an answer counts only if it is the one to the last request
        if not isinstance(reply, Past) or not self._screen.is_alive or ply != self._ply or not store.scene:
            return
        past = store.past(reply.match, viewer)
        if _fits(past, store.scene):
            self.scene = past
            self._changed()


def title(face: Face[Any], then: Scene[Any], now: Scene[Any]) -> str:
    """Return the title of the past: the ply shown and the status then."""
    return _(
        "LOOKING BACK: move {ply} of {end}  |  {status}",
        ply=then.match.ply, end=now.match.ply, status=face.status(then),
    )  # fmt: skip


def words(face: Face[Any], then: Scene[Any], now: Scene[Any]) -> str:
    """Return the prompt: the ply shown, the way back, whose turn it is now, and what was done there."""
    said = last_ply(face, then)
    ply, end, key = then.match.ply, now.match.ply, KEYS["back"].shown
    if now.may_act:
        where = _("Looking back, {ply} of {end} ({key}: now, it is your turn).", ply=ply, end=end, key=key)
    else:
        where = _("Looking back, {ply} of {end} ({key}: now).", ply=ply, end=end, key=key)
    return f"{where} {render(said[0])}"


def last_ply(face: Face[Any], then: Scene[Any]) -> Sequence[Text]:
    """Return what was done last and what came of it, also where the log has no word for it."""
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
    return past is not None and (past.viewer, past.match.commitment) == (now.viewer, now.match.commitment)
