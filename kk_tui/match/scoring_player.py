"""Plays scoring animations on a screen, one after the other; no timer runs while none is playing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import dropwhile
from time import monotonic
from typing import Any, Final, TypeAlias

from textual.events import Key
from textual.screen import Screen
from textual.timer import Timer

from kk_core.text import text
from kk_tui.games import Face
from kk_tui.i18n import _, render
from kk_tui.keymap import ALWAYS, KEYS, Action
from kk_tui.match.screen import MatchScreen
from kk_tui.scene import Scene
from kk_tui.scoring_animation import Step
from kk_tui.scoring_animation.stage import Stage
from kk_tui.widgets.lines import SCROLLS

Make: TypeAlias = Callable[[Scene[Any], Scene[Any]], Sequence[Step]]

_GO_ON: Final = KEYS["do"].key
_ALL: Final = KEYS["all"].key
_DETAILS: Final = {KEYS["next"].key: 1, KEYS["previous"].key: -1}
"""Steps by which each key goes through a scoring that counts several lines at once."""

_ELSEWHERE: Final = (KEYS["help"], KEYS["settings"], KEYS["leave"], *ALWAYS)
"""Keys that open other screens, and later return to a scoring that waits."""

_LATE: Final = 1.0
"""Seconds in which a key may still be meant for a step that is gone."""


class ScoringPlayer:
    """Plays the animation that leads from the last scene shown of a match to the next one.

    `show` draws a step, or None to clear it. After the last step `ended` is called, which fetches the newest
    scene and offers it again, since there may be another animation for what has happened since.
    """

    def __init__(
        self, screen: Screen[Any], show: Callable[[Step | None], None], ended: Callable[[], None]
    ) -> None:
        self._screen = screen
        self._show = show
        self._ended = ended
        self._steps: Sequence[Step] = ()
        self._at = 0
        self._timer: Timer | None = None
        self._is_timed = False
        self._ran_out = -_LATE  # when the last step timed out
        self._last: tuple[object, Scene[Any]] | None = None
        self._hurries = False  # until the viewer's next move
        self.has_run_out = False
        """True if the last animation timed out, and nobody ended it."""

    @property
    def is_playing(self) -> bool:
        """True while an animation is being shown."""
        return bool(self._steps)

    @property
    def step(self) -> Step | None:
        """The step being shown."""
        return self._steps[self._at] if self._steps else None

    @property
    def is_waiting(self) -> bool:
        """True while a step waits until somebody continues."""
        return self.is_playing and self._timer is None

    @property
    def has_details(self) -> bool:
        """True if there are lines that are only shown one by one to those who want it."""
        return any(step.is_detail for step in self._steps)

    @property
    def is_last(self) -> bool:
        """True while the last step is being shown."""
        return self._at + 1 >= len(self._steps)

    def takes(self, scene: Scene[Any], make: Make | None, link: object, *, is_timed: bool = False) -> bool:
        """Return whether a scene has to wait for an animation, its own or an earlier one.

        `make` is None if animations are not wanted. `link` is the connection that the scene came over: people
        who were away for a while are not shown what they missed. Steps of a scoring wait for a key, but time
        out if `is_timed`.
        """
        before, self._is_timed = self._last, is_timed
        if before is None or before[0] is not link or not _follows(before[1], scene):
            self._stop()
        elif self.is_playing:
            return True
        # nothing is played under another screen
        elif make is not None and scene.match.ply > before[1].match.ply and self._screen.is_current:
            self._hurries = self._hurries and not before[1].may_act
            self._steps = make(before[1], scene)
            if self._hurries:
                self._steps = [*dropwhile(lambda step: not step.waits, self._steps)]
        self._last = link, scene
        if self.is_playing:
            self._go_to(0)
        return self.is_playing

    def takes_key(self, event: Key) -> bool:
        """Return whether a key is only for the animation; any other key ends it, and still has its usual
        effect.

        A waiting scoring is not ended by a key meant for what it covers. A key of its own that comes right
        after it timed out does nothing.
        """
        skip = KEYS["skip"].pressed, KEYS["back"].key
        own = _GO_ON, _ALL, *skip
        if not self.is_playing:
            return event.key in own and monotonic() - self._ran_out < _LATE
        if event.key == _GO_ON:
            self.go_on()
        elif event.key == _ALL:
            self.show_all()
        elif event.key in _DETAILS and self.is_waiting and self.has_details:
            self._go_to(max(0, min(len(self._steps) - 1, self._at + _DETAILS[event.key])))
            return True
        elif event.key in skip or not self.is_waiting:
            self.skip()
        if event.key not in own and self.is_waiting:
            return event.key not in {key.pressed for key in _ELSEWHERE}
        return event.key in own

    def takes_click(self) -> None:
        """Go on to the next line of a waiting scoring; skip any other animation."""
        if self.is_waiting:
            self.go_on()
        else:
            self.skip()

    def go_on(self) -> None:
        """Show the next step that is no detail; after the last one the animation is over."""
        later = range(self._at + 1, len(self._steps))
        at = next((at for at in later if not self._steps[at].is_detail), None)
        if at is None:
            self.end()
        else:
            self._go_to(at)

    def _run_out(self) -> None:
        self._ran_out = monotonic()
        self.has_run_out = True
        self.go_on()

    def show_all(self) -> None:
        """Show the last step, which has everything, and of what comes before the viewer's next move only
        scorings.
        """
        self._hurries = self._last is not None and self._last[1].viewer is not None
        if self._at + 1 < len(self._steps):
            self._go_to(len(self._steps) - 1)

    def show_again(self) -> None:
        """Draw the current step again, since the screen has changed size."""
        if self.step is not None:
            self._show(self.step)

    def skip(self) -> None:
        """Skip the rest of a scoring, or of what comes before one: who skips a reveal has not seen it."""
        is_before = self.step is not None and not self.step.waits
        scorings = (at for at, step in enumerate(self._steps) if step.waits and not step.is_detail)
        at = next((at for at in scorings if at > self._at), None)
        if is_before and at is not None:
            self._go_to(at)
        else:
            self.end()

    def end(self) -> None:
        """Show nothing more."""
        if self.is_playing:
            self._stop()
            # a covered screen fetches the newest scene itself when it is resumed
            if self._screen.is_current:
                self._ended()

    def _go_to(self, at: int) -> None:
        self._at, self.has_run_out = at, False
        step = self._steps[at]
        if self._timer is not None:
            self._timer.stop()
        # everybody reads scorings at their own pace
        waits = step.waits and not self._is_timed
        self._timer = None if waits else self._screen.set_timer(step.seconds, self._run_out)
        self._show(step)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if self.is_playing:
            self._steps = ()
            self._show(None)


def _follows(before: Scene[Any], after: Scene[Any]) -> bool:
    """Return whether the second scene is the first or a later one of the same match."""
    same = before.match.commitment == after.match.commitment
    return same and after.match.ply >= before.match.ply


class BoardScoringPlayer(ScoringPlayer):
    """Plays animations over the board of a table; `show` has to `draw` a step, and what is around it."""

    def __init__(
        self, screen: MatchScreen, show: Callable[[Step | None], None], ended: Callable[[], None]
    ) -> None:
        super().__init__(screen, show, ended)
        self._table = screen
        self._game = ""

    def leads_to(self, scene: Scene[Any], face: Face[Any], *, is_cut: bool = False) -> bool:
        """Return whether a scene has to wait for an animation, and say so if others are waiting.

        There is no animation if the table `is_cut` to the scene.
        """
        kk, self._game = self._table.kk, render(face.meta.name)
        make = None if kk.settings.motion == "off" or is_cut else face.scoring_animation
        waits = self.takes(scene, make, kk.client, is_timed=kk.settings.motion == "timed")
        if waits:
            self.say_again()
        return waits

    def say_again(self) -> None:
        """Say what the current step is about, if there is one."""
        if self.step is not None:
            self._say(self.step)

    def draw(self, step: Step | None) -> None:
        """Draw a step on board and stage; None clears it."""
        board = self._table.board
        banner = board.banner_place.translate(board.region.offset)
        self._stage.play(step, board.region, self._table.side.region, banner)
        if step is not None:
            board.show(step.scene, pending=True)
            self._say(step)
        board.highlight(step and step.mark)

    def takes_key(self, event: Key) -> bool:
        """Return whether a key is only for the animation; some scroll the lines of a scoring."""
        lines = SCROLLS.get(event.key) if self.is_playing else None
        return (lines is not None and self._stage.scroll(lines)) or super().takes_key(event)

    def actions(self) -> Sequence[Action]:
        """Return the keys that count during a step."""
        is_scoring = self.step is not None and self.step.waits
        end = text("end the scoring")
        if self.is_last:
            return (Action("do", end if is_scoring else text("go on")), Action("help", minor=True))
        details = [Action("next", text("line by line"))] if self.has_details else []
        skip = Action("skip", end if is_scoring else None)
        return (Action("do", text("go on")), skip, Action("all"), *details, Action("help", minor=True))

    @property
    def _stage(self) -> Stage:
        return self._table.query_one(Stage)

    def _say(self, step: Step) -> None:
        """Show what a step is about, and that others are waiting: the latter in any header."""
        table = self._table
        table.say(step.says, "$happened")
        if self._stage.hidden and step.scoring is not None and step.scoring.is_done:
            table.say(_("Up and down show the other lines; the score sheet has them all."), "$happened")
        if self._others_wait():
            key = KEYS["do" if self.is_last else "skip"].shown
            words = _("It's your turn, and the others are waiting; {key} ends this.", key=key)
            table.title_line(words, "$possible")
            if not table.query_one("#header").display:
                table.say(words, "$possible")
        elif step.scoring is not None:
            table.title_line(_("{game}  |  {status}", game=self._game, status=step.scoring.title))

    def _others_wait(self) -> bool:
        """Return whether others have played on behind a scoring that waits here."""
        kk = self._table.kk
        newest = kk.store.scene
        if newest is None or not newest.may_act or not self.is_waiting:
            return False
        return any(seat.owner not in (None, kk.user) for seat in newest.table.seats)
