"""The end of a match: who has won, the score chart, the shuffle's proof, and what next."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from kk_core.text import text
from kk_core.types import Meta
from kk_core.wire.messages import GetRecord, RecordText, Rematch
from kk_tui.i18n import _, ngettext
from kk_tui.keymap import Action
from kk_tui.scene import Scene
from kk_tui.screens.base import KkScreen
from kk_tui.screens.replay import Replay
from kk_tui.theme.glyphs import Glyphs


class Result(KkScreen):
    """Pushed over the table; Esc shows the final board."""

    def body(self) -> ComposeResult:
        """The verdict and the game's own chart."""
        scene, face = self.kk.store.scene, self.kk.store.face
        if scene is None or face is None:
            return
        yield Static(verdict(scene, face.meta, self.kk.glyphs), id="verdict", markup=False)
        with VerticalScroll(id="chart"):
            try:
                yield face.chart(scene, self.kk.glyphs)
            except Exception as error:
                self.kk.cannot_show(error)

    def place_changed(self) -> None:
        """A rematch closes the result."""
        super().place_changed()
        scene = self.kk.store.scene
        if scene is None or not scene.is_over:
            if self.is_current:
                self.dismiss()
            return
        self.title_line(_("The result"))
        if self.is_current:
            chart = self.query_one("#chart")
            next((part for part in chart.walk_children(Widget) if part.can_focus), chart).focus()
            self.say(self._proof(scene), "$ink-dim")

    def _proof(self, scene: Scene[Any]) -> str:
        seed = scene.match.seed
        return "" if seed is None else _("Seed: {seed}", seed=seed.hex())

    def actions(self) -> Sequence[Action]:
        """Again, keep the record, back to the board, away."""
        again = [Action("rematch")] if self.kk.my_seats else []
        save = [Action("save")] if self.kk.records is not None else []
        return (
            *again,
            Action("view"),
            *save,
            Action("back", text("the board")),
            Action("help"),
            Action("leave"),
        )

    def do_rematch(self) -> None:
        """The same people again."""
        self.ask(Rematch)

    def do_view(self) -> None:
        """The match once more, ply by ply."""
        self.app.push_screen(Replay())

    def do_save(self) -> None:
        """Write the record into the records folder."""
        if self.kk.records is not None:
            self.work(self._save(self.kk.records))

    async def _save(self, folder: Path) -> None:
        reply = await self.kk.request(GetRecord)
        scene = self.kk.store.scene
        if not isinstance(reply, RecordText) or scene is None:
            return
        target = folder / f"{scene.match.game}-{scene.match.commitment.hex()[:12]}.json"
        try:
            _write(target, reply)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            self.complain(
                text("The record cannot be saved as {file}: {reason}", file=str(target), reason=reason)
            )
            return
        self.say(_("Saved as {file}", file=str(target)), "$happened")

    def do_back(self) -> None:
        """To the final board."""
        self.dismiss()

    def do_leave(self) -> None:
        """To menu or lobby; asks."""
        self.kk.ask_leave_table()


def _write(target: Path, record: RecordText) -> None:
    """The record byte for byte, and beside it the signature that was made of these bytes."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(record.text.encode())
    if record.signature is not None:
        Path(f"{target}.sig").write_bytes(record.signature.encode())


def verdict(scene: Scene[Any], meta: Meta, glyphs: Glyphs) -> Content:
    """Who has won, or why nobody has, and everybody's points."""
    outcome = scene.observation.outcome
    winners = outcome.winners if outcome else ()
    tie = outcome.tie_break if outcome else None
    names = ", ".join(f"{glyphs.owner(seat)} {scene.name(seat)}" for seat in winners)
    if not winners:
        head = _("Nobody wins: points and tie-break are equal.")
    else:
        head = ngettext("{names} wins.", "{names} share the win.", len(winners), names=names)
    points = scene.observation.points
    figures = _tie_words(scene, meta, tie) if tie else ""
    order = sorted(range(len(points)), key=lambda seat: -points[seat])
    people = [
        Content.assemble((glyphs.owner(seat), f"bold $seat-{seat}"), f" {scene.name(seat)} {points[seat]}   ")
        for seat in order
    ]
    tied = f"{figures}\n" if figures else ""
    return Content.assemble((f"{head}\n", "bold $gold"), (tied, "$ink-dim"), *people)


def _tie_words(scene: Scene[Any], meta: Meta, figures: Sequence[int]) -> str:
    """Who had the same points, what was compared then, and how that came out."""
    most = max(scene.observation.points)
    tied = [seat for seat, points in enumerate(scene.observation.points) if points == most]
    compared = ", ".join(f"{scene.name(seat)} {figures[seat]}" for seat in tied)
    if meta.tie_break is None:
        return _("{points} points each; the tie-break figures: {compared}.", points=most, compared=compared)
    return _(
        "{points} points each, so {what} are compared: {compared}.",
        points=most,
        what=meta.tie_break,
        compared=compared,
    )
