"""The base of every game's board: it shows a scene and posts what the player wants; it knows no rules."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import ClassVar, Final, Generic, TypeVar

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Click, Leave, MouseMove
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.strip import Strip

from kk_core.text import Text, text
from kk_core.types import CommonObservation, Ends, Move, Seat, Sheet
from kk_tui.keymap import KEYS, Action
from kk_tui.scene import Scene
from kk_tui.widgets.canvas import RIGHT, Canvas, P
from kk_tui.widgets.explanation import Explanation
from kk_tui.widgets.motion import Away, Chip, MotionFrame, Name, Spot, Thing, way

PRESS = "press"
"""The meta key of clickable parts of `Board.panel`: the name of an action."""

_STEPS: Final = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}
_JUMPS: Final = {KEYS["next"].key: 1, KEYS["previous"].key: -1}

CURSOR_KEYS: Final = (*_STEPS, *_JUMPS)
"""The keys that move a board's cursor."""

_THICK: Final = 30
"""Lines of a board from which things moving across it are more than a line high."""

HINT_MARKS: Final = "abc"
"""The marks of a hint's moves on the board, the best first: letters, since boards have numbers."""

BETTER, PLAYED = "!", "?"
"""The marks of a better move and of the one played instead, as players annotate moves."""


def mark_ground(mark: str) -> str:
    """Return the theme variable of the ground of a mark."""
    return "ink-dim" if mark == PLAYED else "happened"


_AFTERWARDS: Final = ("rematch", "save")
"""Actions that belong to the result page."""

O = TypeVar("O", bound=CommonObservation)  # noqa: E741 - the letter that the Game protocol uses
T = TypeVar("T", int, tuple[int, int, int])


class Board(Canvas[P], Generic[O, P], can_focus=True):
    """The main part of the table screen; a game subclasses it and draws its own lines (`render_line`).

    The table screen calls `show` once before the first drawing and again for every change. A board keeps no
    state except its cursor position and the first half of a choice that takes two steps. Arrows, Tab and
    Enter are its own keys; every other key of the keymap arrives through `perform`.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(key, f"steer('{key}')", show=False) for key in CURSOR_KEYS),
        Binding(KEYS["do"].key, "do", show=False),
    ]

    class Chosen(Message):
        """The player wants to make a legal move, which they have seen on the board if it `is_laid_out`."""

        def __init__(self, move: Move, *, is_laid_out: bool = False) -> None:
            super().__init__()
            self.move = move
            self.is_laid_out = is_laid_out

    class Tried(Message):
        """The player wants a move that is not legal; the table screen asks why and shows the answer."""

        def __init__(self, move: Move) -> None:
            super().__init__()
            self.move = move

    class Refused(Message):
        """The player wants something that is not a move; the table screen shows the reason."""

        def __init__(self, reason: Text) -> None:
            super().__init__()
            self.reason = reason

    class Cursor(Message):
        """The cursor or a half-made choice has changed, so prompt and keys may change too."""

    IS_BROAD: ClassVar[bool] = False
    """True for a board that takes a column from the side, which then has 21 at 80x24."""

    def __init__(self, scene: Scene[O]) -> None:
        super().__init__(id="board")
        self.scene = scene
        self.pending = False
        self.has_hand = True
        """True if the hand is among the lines of `panel`; False if all hands are shown below the names."""
        self.is_crowded = False
        """True if `panel` must leave most lines to something else, such as a drawer on a small screen."""
        self.first: Sequence[Seat] = ()
        """Seats whose things come first, where the end of what is shown of everybody may be covered."""
        self.is_waiting = False
        """True while a lesson waits, so that Enter is not for what the cursor is on."""
        self.is_bare = False
        """True while a lesson does not speak of signs yet: what has just happened is unmarked."""
        self.hovered: int | None = None
        """The number of the thing under the mouse."""
        self._shown: Scene[O] | None = None
        self._lit: frozenset[Move] = frozenset()
        self._over: list[tuple[Offset, Strip]] = []
        """The strips that a motion lays over the board, each with its position."""

    # -- what is shown ---------------------------------------------------------------------------------------

    def show(self, scene: Scene[O], *, pending: bool) -> None:
        """Show a scene; while `pending`, a move is under way and no second one is accepted."""
        before, self._shown, self.scene, self.pending = self._shown, scene, scene, pending
        # another match may be played with another board or deck
        if before is not None and before.match.commitment != scene.match.commitment:
            self.forget()
        if scene is not before:
            self.scene_changed(before, scene)

    def scene_changed(self, before: Scene[O] | None, now: Scene[O]) -> None:  # noqa: ARG002
        """Hook: adapt the cursor and refresh what differs; by default everything is redrawn."""
        self.refresh()

    def highlight(self, mark: object) -> None:
        """Hook: show the mark of a step of the game's own animation; None clears it."""

    def light(self, moves: Collection[Move], *, is_waiting: bool = False, is_bare: bool = False) -> None:
        """Mark the places where these moves are made, whatever else is drawn there."""
        wanted = frozenset(moves), is_waiting, is_bare
        if (self._lit, self.is_waiting, self.is_bare) != wanted:
            self._lit, self.is_waiting, self.is_bare = wanted
            self.refresh()

    def uncut(self, rows: int) -> int:
        """Hook: return how many of so many rows from the top end where they cut through nothing."""
        return rows

    def places(self, move: Move) -> Sequence[Region]:  # noqa: ARG002
        """Hook: return the parts of the widget where a move is made; none if it has no place there."""
        return ()

    def marks(self, place: Region) -> Iterator[tuple[int, int, str]]:
        """Hook: yield column, line and sign of each arrow at a place; by default from both sides."""
        for y in range(place.y, place.bottom):
            yield place.x - 1, y, "cursor"
            yield place.right, y, "cursor-right"

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return the lines of a part of the widget, with arrows at what is lit, below any motion."""
        strips = super().render_lines(crop)
        for (x, y), strip in (*self._arrows(), *self._over):
            start, end = max(x, crop.x), min(x + strip.cell_length, crop.right)
            if crop.y <= y < crop.bottom and start < end:
                under, at = strips[y - crop.y], start - crop.x
                seen, rest = strip.crop(start - x, end - x), under.crop(end - crop.x)
                strips[y - crop.y] = Strip.join([under.crop(0, at), seen, rest])
        return strips

    def _arrows(self) -> Iterator[tuple[Offset, Strip]]:
        for place in [place for move in self._lit for place in self.places(move)]:
            style = self.ink("ground", on="possible", bold=True)
            for x, y, sign in self.marks(place):
                yield Offset(x, y), Strip([Segment(self.glyphs[sign], style)], 1)

    # -- the motion of a step --------------------------------------------------------------------------------

    def play(self, frame: MotionFrame | None, rows: Mapping[Seat, int]) -> None:
        """Draw a frame of a motion over the scene; None clears it.

        `rows` are the lines of the board level with the visible names beside it.
        """
        before = self._over
        chips = frame.chips if frame is not None else ()
        self._over = [piece for chip in chips for piece in self._pieces_of(chip, rows)]
        self.show_moving(frame and frame.mark)
        if changed := [Region(*place, strip.cell_length, 1) for place, strip in (*before, *self._over)]:
            self.refresh(*(region.intersection(self.size.region) for region in changed))

    def show_moving(self, mark: object) -> None:
        """Hook: draw a frame's own mark; None clears it."""

    @property
    def banner_place(self) -> Region:
        """Hook: the part of the widget over which large letters appear."""
        return self.size.region

    def region_of(self, thing: int) -> Region:  # noqa: ARG002
        """Hook: return the part of the widget that a thing occupies, for `Thing`."""
        return self.size.region

    def _pieces_of(self, chip: Chip, rows: Mapping[Seat, int]) -> Iterator[tuple[Offset, Strip]]:
        """Yield the words and the trail of a chip; nothing if one of its ends is not visible."""
        start, end = (self._place(spot, chip, rows) for spot in (chip.start, chip.end))
        if start is None or end is None:
            return
        here, dots = way(start, end, chip.words.cell_length, chip.share)
        sign = Strip(
            [Segment(self.glyphs[f"owner-{chip.seat}"], self.ink(f"seat-{chip.seat}", on="ground"))], 1
        )
        yield from ((dot, sign) for dot in dots)
        pieces = self.pieces(chip.words)
        yield here, Strip(pieces)
        ground = pieces[0].style.bgcolor if pieces[0].style else None
        if self.size.height >= _THICK and not self.glyphs.ascii_only:
            edge = self.ink(None, on="ground") + Style(color=ground)
            for y, half in ((-1, "▄"), (1, "▀")):
                yield Offset(here.x, here.y + y), Strip([Segment(half * chip.words.cell_length, edge)])

    def _place(self, spot: Spot, chip: Chip, rows: Mapping[Seat, int]) -> Region | None:
        size = Size(chip.words.cell_length, 1)
        match spot:
            case Thing(number):
                return self.region_of(number)
            case Name(seat):
                right = self.size.width - size.width
                return Region(right, rows[seat], *size) if seat in rows else None
            case Away():
                x, _y = self.region_of(chip.start.number).center if isinstance(chip.start, Thing) else (0, 0)
                return Region(int(x), -2, *size)
        return self.size.region

    def mark_moves(self, moves: Sequence[Move], marks: Sequence[str] = HINT_MARKS) -> None:
        """Hook: mark the places where these moves are made, the first one above all; if empty, remove the
        marks.
        """

    def panel(self) -> Sequence[Content]:
        """Hook: return lines (at most 21 columns at 80x24) below the people: limits, piles, cards.

        A part of a line with the meta `PRESS: action` can be clicked, which does the same as the action's
        key.
        """
        return ()

    # -- what can be done ------------------------------------------------------------------------------------

    def prompt(self) -> Text:
        """Hook: return what the viewer, who may act, can do now: a sentence of at most 78 columns."""
        raise NotImplementedError

    def actions(self) -> Sequence[Action]:
        """Hook: return the actions with keys besides moving the cursor, the most important first."""
        return ()

    def candidate(self) -> Move | None:
        """Hook: return the move that Enter would make now; None if it would make none."""
        return None

    def foresee(self, preview: Sheet | None, ends: Ends | None, wanted: Sequence[int] = ()) -> None:
        """Hook: show the score sheet as if `candidate` were scored, and what it ends; None if unknown.

        `wanted` is what each seat would gain by it alone, if several choose at once.
        """

    def follows(self) -> Move | None:
        """Hook: return the only move left after the player's last, if it reveals nothing to them.

        It is made automatically, unless something would be lost by it.
        """
        return None

    def perform(self, name: str) -> Text | None:
        """Hook: do what a key of the game means now, even if it is not among the actions.

        Choose a move, so that the engine says why if it is not legal; or return the reason for doing nothing.
        """
        key, label = KEYS[name].shown, KEYS[name].label
        if self.scene.is_over and name in _AFTERWARDS:
            return text("{key} ({label}) is on the result page; Enter opens it.", key=key, label=label)
        # without its label, which may be another game's
        return text("{key} does nothing in this game right now.", key=key)

    def tell(self) -> None:
        """Post `Cursor`."""
        # directly to the screen, since nothing between it and the board listens
        self.screen.post_message(self.Cursor())

    def choose(self, move: Move, *, is_laid_out: bool = False) -> None:
        """Ask for a move: post `Chosen` if it is legal, `Tried` if not; do nothing while one is pending."""
        if self.pending:
            return
        is_legal = move in self.scene.legal
        self.post_message(self.Chosen(move, is_laid_out=is_laid_out) if is_legal else self.Tried(move))

    def step_back(self) -> bool:
        """Hook for Esc: undo the first half of a choice; return whether there was one."""
        return False

    def action_steer(self, key: str) -> None:
        """Move the cursor with one of its keys."""
        if key in _JUMPS:
            self.action_jump(_JUMPS[key])
        else:
            self.action_step(*_STEPS[key])

    def action_step(self, right: int, down: int) -> None:
        """Hook: move the cursor to the next thing in a direction."""

    def action_jump(self, by: int) -> None:
        """Hook: move the cursor to the next or previous thing that is possible now."""

    def go_to_end(self, by: int) -> bool:  # noqa: ARG002
        """Hook: move the cursor to the first (-1) or last (1) thing in its row; False without rows."""
        return False

    def action_do(self) -> None:
        """Hook: do the highlighted thing."""

    def point_at(self, move: Move) -> bool:
        """Hook: put the cursor where a legal move is made, so that Enter makes it; return False if it has no
        place.

        A choice that takes two steps is made as far as that.
        """
        raise NotImplementedError

    @property
    def is_aimed(self) -> bool:
        """Hook: False while the cursor points at nothing yet, so that Enter has no meaning."""
        return True

    # -- what is meant ---------------------------------------------------------------------------------------

    def explain(self, x: int, y: int) -> Explanation | None:  # noqa: ARG002
        """Hook: return the meaning of the sign at a place in the widget; None if nothing is drawn there."""
        return None

    def explain_cursor(self) -> Explanation | None:
        """Hook: return the meaning of what the cursor is on."""
        return None

    def cursor_place(self) -> Region | None:
        """Hook: return the part of the widget that the cursor is on; by default where Enter makes a move."""
        move = self.candidate()
        return None if move is None else next(iter(self.places(move)), None)

    # -- the mouse -------------------------------------------------------------------------------------------

    def thing_at(self, x: int, y: int) -> int | None:  # noqa: ARG002
        """Hook: return the number of the thing at a place in the widget, if the board explains it."""
        return None

    def hover_changed(self) -> None:
        """Hook: show that the mouse is now over another thing, or over none."""

    def on_mouse_move(self, event: MouseMove) -> None:
        """Explain what is under the mouse."""
        self._hover(self.thing_at(event.x, event.y))

    def on_click(self, event: Click) -> None:
        """Do what a click means, except for the right button, which the screen handles."""
        if event.button != RIGHT:
            self.clicked(event.x, event.y)

    def clicked(self, x: int, y: int) -> None:
        """Hook: do what a click at a place in the widget means."""

    def on_leave(self, _event: Leave) -> None:
        """Explain what is under the cursor again."""
        self._hover(None)

    def _hover(self, thing: int | None) -> None:
        if thing != self.hovered:
            self.hovered = thing
            self.hover_changed()


def next_of(ordered: Sequence[T], here: T | None, by: int) -> T:
    """Return the next (`by` 1) or previous (-1) of some things in ascending order, wrapping around.

    `here` need not be one of them; None is before the first.
    """
    if by > 0:
        return next((thing for thing in ordered if here is None or thing > here), ordered[0])
    return next((thing for thing in reversed(ordered) if here is not None and thing < here), ordered[-1])
