"""The map as a widget: choose cards, point at what they allow, place; then draw."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from textual.content import Content
from textual.geometry import Region

from kk_core.games.web_of_power.model import (
    DRAW_PILE,
    DRAWING,
    END_PLACING,
    FREE,
    HAND,
    NO_CARD,
    PLACING,
    DrawFaceUp,
    Exchange,
    Observation,
    cards_of,
    read,
)
from kk_core.text import Text, text
from kk_core.types import Move
from kk_tui.games.web_of_power import panels
from kk_tui.games.web_of_power.chart import ChartLine
from kk_tui.games.web_of_power.choices import (
    CREST,
    Payments,
    Selection,
    Target,
    attempt,
    country_of,
    keep,
    payable,
    placements,
    sources,
    target_of,
)
from kk_tui.games.web_of_power.land import Box, MapScale
from kk_tui.games.web_of_power.mapview import MapView
from kk_tui.games.web_of_power.panels import card_lines
from kk_tui.keymap import CHOICE_OF, KEYS, Action
from kk_tui.scene import Scene
from kk_tui.widgets.board import HINT_MARKS, next_of


class MapBoard(MapView):
    """The map with a half-made choice: cursor, chosen cards, and the place in the score."""

    def __init__(self, scene: Scene[Observation]) -> None:
        super().__init__(scene)
        self.chosen: tuple[int, ...] = ()
        """Positions of the chosen cards in the hand."""
        self.pointing = False
        """True if Enter places a piece, because the cursor has been moved after choosing cards."""
        self.joker = False
        """True if a pair is preferred even if a single card is enough."""
        self._are_laid_out = False  # the cards, chosen for a piece and not by hand: they go back with it
        self.source = 0
        """The index of the highlighted draw."""
        self._placements: Payments = {}
        self._pointed_in = -1  # the ply in which the cursor was moved last
        self._open: tuple[tuple[int, ...], Payments] | None = None
        self._cards: tuple[tuple[object, ...], list[Content]] | None = None
        self._selection: tuple[tuple[object, ...], Selection] | None = None

    # -- what is known ---------------------------------------------------------------------------------------

    @property
    def kinds(self) -> tuple[int, ...]:
        """The kinds of the chosen cards."""
        return tuple(self.view.hand[position] for position in self.chosen)

    @property
    def open(self) -> Payments:
        """The placements that the chosen cards allow; computed once for each choice."""
        if self._open is None or self._open[0] != self.kinds:
            self._open = self.kinds, payable(self.printed, self._placements, self.kinds)
        return self._open[1]

    @property
    def selection(self) -> Selection:
        """The half-made choice as one value; cached, since a key asks for it many times."""
        made_of = (
            self.scene, self.cursor, self.chosen, self.pointing, self.joker, self.source, self.score_line,
            self._placements, self._lit, self._pointed_in, self.is_waiting,
        )  # fmt: skip
        if self._selection is None or self._selection[0] != made_of:
            self._selection = made_of, self._selected()
        return self._selection[1]

    def _selected(self) -> Selection:
        return Selection(
            cursor=self.cursor,
            chosen=self.chosen,
            kinds=self.kinds,
            open=self.open,
            is_pointing=self.pointing,
            prefers_pair=self.joker,
            sources=() if self.is_waiting else sources(self.view.face_up, self.scene.legal),
            source=self.source,
            is_in_score=self.score_line is not None,
            is_led=self._is_led,
            is_idle=self._is_idle,
            is_payable=not self.chosen and not self._is_idle and self.cursor in self._placements,
        )

    def prompt(self) -> Text:
        """Return what can be done now."""
        # nothing is ever taken back in a deal of the day
        is_final = self.scene.table.daily is not None or self.ends in ("secret", "turn")
        return self._discarding or panels.prompt(self.scene, self.selection, is_final=is_final)

    @property
    def _is_pointed(self) -> bool:
        """True if the cursor was moved in this step."""
        return self._pointed_in == self.scene.match.ply

    @property
    def _discarding(self) -> Text | None:
        """The words that tell how to discard a card, if that is asked for and no piece is laid out."""
        for move in self._lit & self.scene.legal:
            if isinstance(discard := read(self.printed, move), Exchange) and not self.pointing:
                return panels.discarding(self.view, discard.kind, self.chosen)
        return None

    def actions(self) -> Sequence[Action]:
        """Return the keys that count now."""
        actions = panels.actions(self.scene, self.selection)
        is_refused = self._discarding is not None and not self._is_pointed
        return tuple(action for action in actions if action.name != "do" or not is_refused)

    def forget(self) -> None:
        """Forget the cards too, which may have to be drawn with other signs."""
        super().forget()
        self._cards = None

    def panel(self) -> Sequence[Content]:
        """Return the cards beside the map."""
        selection = self.selection
        seen = (
            self.scene, selection.chosen, selection.draw, self.glyphs, self.size.width, self.has_hand,
            self.is_crowded,
        )  # fmt: skip
        # cached: they cost more than the map, and mostly only the cursor moves
        if self._cards is None or self._cards[0] != seen:
            lines = card_lines(
                self.scene, selection, self.glyphs, self.size.width, has_hand=self.has_hand,
                is_crowded=self.is_crowded,
            )  # fmt: skip
            self._cards = seen, lines
        return self._cards[1]

    @property
    def _is_idle(self) -> bool:
        """True if a step has begun in which nothing is pointed at or chosen, so that Enter places nothing."""
        is_placing = self.view.phase == PLACING and self.scene.may_act and self.scene.legal != {END_PLACING}
        is_in_score = self.score_line is not None
        return is_placing and not (self.chosen or self._is_pointed or self._wanted or is_in_score)

    @property
    def _shown_cursor(self) -> Target | None:
        """The target at which the cursor is shown; None before it points at something."""
        return None if self._is_idle else super()._shown_cursor

    # -- a new scene -----------------------------------------------------------------------------------------

    def scene_changed(self, before: Scene[Observation] | None, now: Scene[Observation]) -> None:
        """Keep the chosen cards that are still there while the same turn continues."""
        view = now.observation
        old = before.observation if before else None
        same = old is not None and (old.viewer, old.round, old.active, old.phase) == (
            view.viewer, view.round, view.active, view.phase,
        )  # fmt: skip
        # by their kinds, since positions shift when a card is played
        kinds = [old.hand[position] for position in self.chosen] if old and same else []
        self.chosen = keep(view.hand, kinds) if now.legal != {END_PLACING} and view.phase == PLACING else ()
        self._placements, self._open = placements(view.printed, now.legal), None
        self.score_line = self._score_line(before, now)
        self.joker = self.joker and same
        self.source = 0
        # after a step nothing is laid out, or the same key would also place the next piece
        is_still = same and before is not None and before.match.ply == now.match.ply
        self.pointing = self.pointing and is_still and self.cursor in self.open
        self._redraw_all()

    def _score_line(self, before: Scene[Observation] | None, now: Scene[Observation]) -> int | None:
        """Return the line of the score to show after a new scene.

        The walk through the score begins automatically after the interim scoring, and continues over moves.
        Viewers of the past are not led through it, nor those who come back from there.
        """
        if now.is_over or not self.score or now.is_past or (before is not None and before.is_past):
            return None
        if before is not None and now.observation.interim_scored > before.observation.interim_scored:
            return 0
        return self.score_line

    def highlight(self, mark: object) -> None:
        """Point out a line of the score, or several as one, while it is counted."""
        self.counted = mark if isinstance(mark, ChartLine) and self.score else None
        if self.counted is None:
            self.score_line = None
        else:
            self.score_line = self.score.index(self.counted) if self.counted in self.score else 0
        self._redraw_all()

    def _changed(self) -> None:
        """Redraw after the choice has changed."""
        self._redraw_all()
        self.tell()

    # -- pointing --------------------------------------------------------------------------------------------

    def action_step(self, right: int, down: int) -> None:
        """Move the cursor, the place in the score, or the choice between the draws."""
        if self.score_line is not None:
            self._walk(right + down)
        elif self.selection.sources:
            self._next_source(right + down)
        else:
            self._go(self.painter.layout.step(self.cursor, right, down, self._wanted))

    def action_jump(self, by: int) -> None:
        """Move to the next possible thing; if there is nothing to do, to the next line of the score."""
        if self.score_line is None and self.selection.sources:
            self._next_source(by)
        elif self.score_line is None and (self.open or self._placements):
            self._lead_to(self._next_target(by))
        elif self.score and (self.score_line is not None or not self.scene.may_act):
            self._walk(by)

    @property
    def _wanted(self) -> frozenset[Target]:
        """The targets of the moves that are lit, as a lesson asks for them."""
        placed = (target_of(self.printed, move) for move in self._lit)
        return frozenset(found[0] for found in placed if found is not None and found[0] in self._placements)

    @property
    def _is_led(self) -> bool:
        """True if Enter goes to a lit target: the cursor is elsewhere, and no piece is laid out there."""
        return bool(self._wanted) and self.cursor not in self._wanted and self.laid is None

    def _next_target(self, by: int) -> Target:
        """Return the next or previous possible target, one of the lit ones if any is.

        The first is the nearest, where Enter would lead; then come spaces from left to right, then crests.
        """
        possible, layout = self._wanted or self.open or self._placements, self.painter.layout
        if self.cursor not in possible or (self.open and self.laid is None):
            return self._nearest(possible)

        def place(target: Target) -> tuple[int, int, Target]:
            x, y = layout.points[target]
            return x + layout.width * (target >= CREST), y, target

        return next_of(sorted(map(place, possible)), place(self.cursor), by)[-1]

    def _nearest(self, possible: Collection[Target]) -> Target:
        """Return the nearest of some targets, a space if there is one: most pieces are cloisters."""
        points = self.painter.layout.points
        x, y = points[self.cursor]
        return min(possible, key=lambda t: (t >= CREST, abs(points[t][0] - x) + 2 * abs(points[t][1] - y)))

    def _walk(self, by: int) -> None:
        lines, at = len(self.score), self.score_line
        self.score_line = (0 if by > 0 else -1) % lines if at is None else (at + by) % lines
        self._changed()

    def _walk_on(self) -> None:
        """Move to the next line of the score; from the last one back to the match."""
        if self.score_line == len(self.score) - 1:
            self.step_back()
        else:
            self._walk(1)

    @property
    def laid(self) -> Target | None:
        """The target of the piece that Enter would place: until then it can be laid out elsewhere."""
        return self.cursor if self.pointing and self.cursor in self.open else None

    def _go(self, target: Target) -> None:
        before, self.cursor, self.hovered = (self._shown_cursor, self.laid), target, None
        self.has_pointed, self._pointed_in = True, self.scene.match.ply
        self.pointing = bool(self.open)
        if self.score_line is not None:
            self.score_line = None
            self._redraw_all()
        elif before == (self.cursor, self.laid):
            return
        else:
            self._redraw(*(each for each in (before[0], target) if each is not None))
        self.tell()

    def light(self, moves: Collection[Move], *, is_waiting: bool = False, is_bare: bool = False) -> None:
        """Also choose the draw that is asked for, so that Enter does what the words beside the board say."""
        super().light(moves, is_waiting=is_waiting, is_bare=is_bare)
        wanted = [number for number, move in enumerate(self.selection.sources) if move in self._lit]
        if wanted and self.source not in wanted:
            self.source = wanted[0]
            self._redraw_all()

    def mark_moves(self, moves: Sequence[Move], marks: Sequence[str] = HINT_MARKS) -> None:
        """Mark the spaces and crests where pieces would be placed."""
        placed = [target_of(self.printed, move) for move in moves]
        marked = {found[0]: mark for found, mark in reversed([*zip(placed, marks, strict=False)]) if found}
        self.marked = tuple(sorted(marked.items()))
        self._redraw_all()

    def point_at(self, move: Move) -> bool:
        """Move to the space or crest, with the cards that pay for it, or to the card drawn or discarded."""
        placed, draws = target_of(self.printed, move), self.selection.sources
        if placed is not None:
            target, payment = placed
            cards = cards_of(country_of(self.printed, target), payment)
            self.chosen, self.cursor, self.pointing = keep(self.view.hand, cards), target, True
            self.joker = payment != min(self.open[target])
            self._are_laid_out, self.score_line = True, None
        elif move in draws:
            self.source = list(draws).index(move)
        elif move != END_PLACING:
            hand, self.pointing = enumerate(self.view.hand), False
            self.chosen = next((place,) for place, kind in hand if Exchange(kind).move == move)
        self._changed()
        return placed is not None or move in draws

    def places(self, move: Move) -> Sequence[Region]:
        """Return the space or crest where a piece is placed."""
        placed = target_of(self.printed, move)
        if placed is None:
            return ()
        target, (left, top) = placed[0], self.corner
        box, is_small = (
            self.painter.box(self.view, self._marks, target),
            self.painter.layout.scale is MapScale.SMALL,
        )
        if is_small and self._is_free(target) and target not in (self.cursor, self.hovered):
            box = Box(box.x + 1, box.y, box.width - 1, box.height)  # the left half of its sign is blank
        return (Region(left + box.x, top + box.y, box.width, box.height),)

    def _is_free(self, target: Target) -> bool:
        return target < CREST and self.view.board[target] == FREE

    def _next_source(self, by: int) -> None:
        self.source = (self.source + by) % len(self.selection.sources)
        self.tell()

    # -- doing -----------------------------------------------------------------------------------------------

    def action_do(self) -> None:
        """Do what Enter means: next line of the score, draw, end placing, continue, place, or say why not."""
        selection = self.selection
        if self.score_line is not None:
            self._walk_on()
        elif self.pending:
            return
        elif selection.draw is not None:
            self.choose(selection.draw)
        elif self.scene.legal == {END_PLACING}:
            self.choose(END_PLACING)
        elif (asked := self._discarding) is not None and not self._is_pointed:
            # whoever presses Enter on and on builds nothing
            self._refuse(text("Not Enter: {words}", words=asked))
        elif selection.is_idle:
            self._refuse(panels.unpointed(self.scene))
        elif selection.is_led or (self.open and not self.pointing):
            self.action_continue()
        else:
            self._point(self.cursor)

    def action_continue(self) -> None:
        """Move from the cards to the nearest thing on the map that they allow, or to one that is lit."""
        self._lead_to(self._nearest(self._wanted or self.open or self._placements))

    def _lead_to(self, target: Target) -> None:
        """Move to a target; where the chosen cards do not pay there, take others."""
        self._go(target)
        if self.chosen and target not in self.open:
            self._choose_for(target)

    def _point(self, target: Target) -> None:
        """Place the piece laid out there, choose cards for one, or let the engine say why there is none."""
        payment = self.selection.payment
        if payment is not None:
            self.choose(self.open[target][payment], is_laid_out=True)
        elif target not in self._placements:
            move = attempt(self.printed, target, self.kinds)
            if move not in self.scene.legal:
                self.choose(move)
        elif self.chosen:
            self._refuse(panels.other_cards(country_of(self.printed, target)))
        else:
            self._choose_for(target)

    def _choose_for(self, target: Target) -> None:
        """Choose the fewest cards that pay for a target."""
        for size in (1, 2):
            for kind in dict.fromkeys(self.view.hand):
                kinds = [kind] * size
                if target in payable(self.printed, self._placements, kinds):
                    self.chosen, self.pointing = keep(self.view.hand, kinds), True
                    self._are_laid_out = True
                    self._changed()
                    return

    def _refuse(self, reason: Text) -> None:
        self.post_message(self.Refused(reason))

    def candidate(self) -> Move | None:
        """Return what Enter would place, draw or end."""
        selection = self.selection
        if selection.is_in_score or selection.draw is not None:
            return None if selection.is_in_score else selection.draw
        target = self.hovered if self.hovered in self.open else self.cursor if self.pointing else None
        if target is not None and target in self.open:
            payments = self.open[target]
            return payments[max(payments) if self.joker else min(payments)]
        return END_PLACING if self.scene.legal == {END_PLACING} else None

    def follows(self) -> Move | None:
        """Return the end of placing if nothing more can be placed."""
        return END_PLACING if self.scene.legal == {END_PLACING} else None

    def perform(self, name: str) -> Text | None:
        """Choose or draw a card by its number, draw from the pile, end, discard, change the payment."""
        if name in CHOICE_OF and CHOICE_OF[name] <= HAND + len(self.view.face_up):
            return self._press_card(CHOICE_OF[name])
        if name == "draw":
            self.choose(DRAW_PILE)
        elif name == "end":
            self.choose(END_PLACING)
        elif name == "exchange":
            self._exchange()
        elif name == "mode":
            return self._change_payment()
        elif name == "influence":
            self.has_values = not self.has_values
            self._changed()
        else:
            return super().perform(name)
        return None

    def _press_card(self, number: int) -> Text | None:
        """Choose or draw a card: 1 to 3 are the hand, then come the face-up cards."""
        if number <= HAND:
            return self._toggle(number - 1)
        kind = self.view.face_up[number - HAND - 1]
        if kind == NO_CARD:
            return text("There is no card there.")
        self.choose(DrawFaceUp(kind).move)
        return None

    def _toggle(self, position: int) -> Text | None:
        if not self.scene.may_act or self.pending:
            self.choose(END_PLACING)  # so that the engine says whose turn it is
        elif self.view.phase != PLACING:
            return text("Cards in hand pay for pieces; now it's time to draw.")
        elif self.scene.legal == {END_PLACING}:
            return panels.only_end(self.view, may_undo=self.scene.match.may_undo)
        elif position >= len(self.view.hand):
            return text("You have no card {number}.", number=position + 1)
        else:
            self.chosen = tuple(sorted(set(self.chosen) ^ {position}))
            self._are_laid_out = False
            self.pointing, self.score_line = False, None
            self._changed()
        return None

    def _exchange(self) -> None:
        """Discard the one chosen card, or ask the player to choose one."""
        some = any(Exchange(kind).move in self.scene.legal for kind in self.view.hand)
        if some and len(self.chosen) != 1:
            self._refuse(
                text(
                    "Choose the one card you want to discard, then press {exchange} again.",
                    exchange=KEYS["exchange"].word,
                )
            )
        else:
            self.choose(Exchange((*self.kinds, *self.view.hand, 0)[0]).move)

    def _change_payment(self) -> Text | None:
        if len(self.open.get(self.cursor, ())) < 2:
            return text(
                "{mode} switches between a single card and a joker only where either would pay.",
                mode=KEYS["mode"].word,
            )
        self.joker = not self.joker
        self.tell()
        return None

    def step_back(self) -> bool:
        """Leave the score, hide the values, take back the piece laid out, or deselect the cards.

        Only the first of these that applies is done; cards that were not chosen by hand go with the piece.
        """
        if self.score_line is not None:
            self.score_line = None
        elif self.has_values:
            self.has_values = False
        elif self.pointing and self.open:
            self.pointing = False
            if self._are_laid_out:
                self.chosen = ()
        elif self.chosen:
            self.chosen = ()
        else:
            return False
        self._changed()
        return True

    # -- the mouse -------------------------------------------------------------------------------------------

    def clicked(self, x: int, y: int) -> None:
        """Point at what was clicked, or go on to the next line of the score."""
        if self.score_line is not None and y >= self.size.height - self.told_lines:
            self._walk_on()
            return
        target = self.thing_at(x, y)
        if target is None or self.pending:
            return
        was_laid = self.laid
        self._go(target)
        if self.scene.is_over:
            return
        if self.view.phase == DRAWING:
            self.choose(attempt(self.printed, target, ()))
        elif target == was_laid or target != self.laid:  # the first click lays a piece out there
            self._point(target)
