"""The map as a widget: choose cards, point at what they allow, place; then draw."""

from __future__ import annotations

from typing import ClassVar

from textual.actions import SkipAction
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Click

from kk_core.games.web_of_power.model import (
    DRAW_FACE_UP,
    DRAW_PILE,
    DRAWING,
    END_PLACING,
    HAND,
    NO_CARD,
    PLACING,
    Observation,
)
from kk_core.text import Text, text
from kk_core.types import Move
from kk_tui.games.web_of_power.choices import (
    Payments,
    Target,
    attempt,
    keep,
    next_of,
    payable,
    placements,
    sources,
    step,
)
from kk_tui.games.web_of_power.mapview import DETAIL, MapView
from kk_tui.games.web_of_power.panels import card_lines
from kk_tui.keymap import KEYS
from kk_tui.scene import Scene


class MapBoard(MapView):
    """Keeps the cursor, the chosen cards and the place in the score; says which moves they mean."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "step(-1, 0)", show=False),
        Binding("right", "step(1, 0)", show=False),
        Binding("up", "step(0, -1)", show=False),
        Binding("down", "step(0, 1)", show=False),
        Binding(KEYS["next"].key, "jump(1)", show=False),
        Binding(KEYS["previous"].key, "jump(-1)", show=False),
        Binding(KEYS["do"].key, "do", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.chosen: tuple[int, ...] = ()
        """Positions in the hand."""
        self.pointing = False
        """Whether Enter places a piece, since the cursor has been moved after choosing cards."""
        self.joker = False
        """Whether a pair is preferred where a single card pays as well."""
        self.source = 0
        """Which of the draws is highlighted."""
        self.note: Text | None = None
        """What the prompt says once, instead of what can be done."""
        self._placements: Payments = {}
        self._open: tuple[tuple[int, ...], Payments] | None = None

    # -- what is known

    @property
    def kinds(self) -> tuple[int, ...]:
        """The kinds of the chosen cards."""
        return tuple(self.view.hand[position] for position in self.chosen)

    @property
    def open(self) -> Payments:
        """What the chosen cards allow; worked out once for each choice."""
        if self._open is None or self._open[0] != self.kinds:
            self._open = self.kinds, payable(self.land, self._placements, self.kinds)
        return self._open[1]

    @property
    def sources(self) -> list[Move]:
        """The draws that are possible now."""
        return sources(self.view.face_up, self.scene.legal) if self.scene else []

    def payment_at_cursor(self) -> int | None:
        """How Enter would pay under the cursor; None when nothing can be placed there."""
        payments = sorted(self.open.get(self.cursor, ()))
        return None if not payments else payments[-1] if self.joker else payments[0]

    def aside(self) -> list[Content]:
        """The cards, beside the map."""
        return [] if self.scene is None else card_lines(self.scene, self, self.glyphs)

    # -- a new scene

    def scene_changed(self, before: Scene[Observation] | None, now: Scene[Observation]) -> None:
        """Keep the chosen cards that are still there while the same turn goes on."""
        view = now.observation
        old = before.observation if before else None
        same = old is not None and (old.viewer, old.round, old.active, old.phase) == (
            view.viewer, view.round, view.active, view.phase,
        )  # fmt: skip
        kinds = [old.hand[position] for position in self.chosen] if old and same else []
        self.chosen = keep(view.hand, kinds) if view.phase == PLACING else ()
        self._placements, self._open = placements(now.legal), None
        self.note = None
        self.score_line = self._score_line(old, view)
        self.joker = self.joker and same
        self.source = 0
        self.pointing = self.pointing and bool(self.open)
        if self.pointing and self.cursor not in self.open:
            self.cursor = next_of(self._points(), self.open, self.cursor, 1)
        self._redraw_all()

    def _score_line(self, old: Observation | None, now: Observation) -> int | None:
        """The tour of the score begins by itself when the interim scoring has been; it lasts over moves."""
        if now.outcome is not None or not self.score:
            return None
        if old is not None and now.interim_scored and not old.interim_scored:
            return 0
        return self.score_line

    def _changed(self) -> None:
        """The choice has changed: map, prompt and keys may look different."""
        self._redraw_all()
        self.post_message(self.Cursor())

    # -- pointing

    def action_step(self, right: int, down: int) -> None:
        """Move the cursor, the place in the score, or the choice between the draws."""
        if self.score_line is not None:
            self._walk(right + down)
        elif self.sources:
            self._next_source(right + down)
        else:
            self._go(step(self._points(), self.cursor, right, down))

    def action_jump(self, by: int) -> None:
        """To the next thing that is possible; where nothing is, to the next line of the score."""
        if self.score_line is None and self.sources:
            self._next_source(by)
        elif self.score_line is None and (self.open or self._placements):
            self._go(next_of(self._points(), self.open or self._placements, self.cursor, by))
        elif self.score:
            self._walk(by)

    def _walk(self, by: int) -> None:
        """To another line of the score."""
        lines, at = len(self.score), self.score_line
        self.score_line = (0 if by > 0 else -1) % lines if at is None else (at + by) % lines
        self._changed()

    def _walk_on(self) -> None:
        """To the next line of the score; from the last one back to the match."""
        if self.score_line == len(self.score) - 1:
            self.step_back()
        else:
            self._walk(1)

    def _go(self, target: Target) -> None:
        before, self.cursor, self._hover = self.cursor, target, None
        noted, self.note = self.note, None
        self.pointing = bool(self.open)
        if self.score_line is not None:
            self.score_line = None
            self._redraw_all()
        elif before == target and not noted:
            return
        else:
            self._redraw(before, target)
        self.post_message(self.Cursor())

    def _next_source(self, by: int) -> None:
        self.source = (self.source + by) % len(self.sources)
        self.post_message(self.Cursor())

    # -- doing

    def action_do(self) -> None:
        """Enter: the next line of the score, draw, end placing, continue, place, or say why not."""
        if self.scene is None or self.scene.is_over:
            raise SkipAction
        if self.score_line is not None:
            self._walk_on()
        elif self.pending:
            return
        elif self.sources:
            self.choose(self.sources[self.source])
        elif self.scene.legal == {END_PLACING}:
            self.choose(END_PLACING)
        elif self.open and not (self.pointing and self.cursor in self.open):
            self.action_continue()
        else:
            self._point(self.cursor)

    def action_continue(self) -> None:
        """From the cards to the map: the cursor goes to the nearest thing that they allow."""
        points = self._points()
        x, y = points[self.cursor]
        self._go(min(self.open, key=lambda t: abs(points[t][0] - x) + 2 * abs(points[t][1] - y)))
        self.pointing = True
        self.post_message(self.Cursor())

    def _point(self, target: Target) -> None:
        """Place a piece; choose cards for it; or let the engine say why that is not possible."""
        payment = self.payment_at_cursor()
        if payment is not None:
            self.choose(self.open[target][payment])
        elif target not in self._placements:
            move = attempt(self.land, target, self.kinds)
            if self.scene is not None and move not in self.scene.legal:
                self.choose(move)
        elif self.chosen:
            self._say(text("The chosen cards do not allow that: choose others with the keys 1 to 3."))
        else:
            self._choose_for(target)

    def _choose_for(self, target: Target) -> None:
        """Choose the fewest cards that pay for a target."""
        for size in (1, 2):
            for kind in dict.fromkeys(self.view.hand):
                kinds = [kind] * size
                if target in payable(self.land, self._placements, kinds):
                    self.chosen, self.pointing, self.note = keep(self.view.hand, kinds), True, None
                    self._changed()
                    return

    def _say(self, sentence: Text) -> None:
        self.note = sentence
        self.post_message(self.Cursor())

    def press(self, number: int) -> None:
        """A card was clicked: 1 to 3 are the hand, 4 and 5 the open cards, 6 the pile."""
        if self.scene is None:
            return
        if number <= HAND:
            self._toggle(number - 1)
        elif number == HAND + len(self.view.face_up) + 1:
            self.choose(DRAW_PILE)
        elif self.view.face_up[number - HAND - 1] != NO_CARD:
            self.choose(DRAW_FACE_UP + self.view.face_up[number - HAND - 1])

    def _toggle(self, position: int) -> None:
        if position >= len(self.view.hand) or self.view.phase != PLACING or not self._placing_turn():
            return
        self.chosen = tuple(sorted(set(self.chosen) ^ {position}))
        self.pointing, self.note, self.score_line = False, None, None
        self._changed()

    def _placing_turn(self) -> bool:
        return self.scene is not None and self.scene.may_act and not self.pending

    def perform(self, action: str) -> None:
        """A key of the footer that needs more than a move."""
        if action.startswith("choice_"):
            self.press(int(action.removeprefix("choice_")))
        elif action == "exchange":
            self._say(text("Choose the one card that you want to discard, then x again."))
        elif action == "mode":
            self.joker = not self.joker
            self.note = None
            self.post_message(self.Cursor())

    def step_back(self) -> bool:
        """Esc: out of the score, then back from the map to the cards, then no card."""
        if self.score_line is not None:
            self.score_line = None
        elif self.pointing and self.open:
            self.pointing = False
        elif self.chosen:
            self.chosen = ()
        else:
            return False
        self.note = None
        self._changed()
        return True

    # -- the mouse

    def on_click(self, event: Click) -> None:
        """Point at what was clicked; a click on the words of the score goes on to its next line."""
        if self.score_line is not None and event.y >= self.size.height - DETAIL:
            self._walk_on()
            return
        target = self._under(event.x, event.y)
        if target is None or self.scene is None or self.pending:
            return
        self._go(target)
        if self.scene.is_over:
            return
        if self.view.phase == DRAWING:
            self.choose(attempt(self.land, target, ()))
        else:
            self._point(target)
