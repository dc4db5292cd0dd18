"""The board of the card game: four rows of cards, a cursor, and two lines about the card under it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rich.cells import cell_len
from rich.segment import Segment
from textual.content import Content
from textual.geometry import Region
from textual.strip import Strip

from kk_core.games.land_cards import model
from kk_core.games.land_cards.model import (
    COLUMNS,
    GIVING_UP,
    ROWS,
    STONE_STEP,
    TAKEN,
    GiveUp,
    MoveStone,
    Observation,
    PlaceStone,
    Take,
    read,
)
from kk_core.games.land_cards.notation import COUNTRY_NAMES, ROUTE_NAMES, SYMBOL_NAMES
from kk_core.text import Text, text
from kk_core.types import Move
from kk_tui.games.land_cards import panels
from kk_tui.games.land_cards.meaning import country_words, explain_place
from kk_tui.games.land_cards.motion import Moving
from kk_tui.games.land_cards.outlook import Outlook, free_rows, outlook
from kk_tui.games.land_cards.picture import (
    CLOSED,
    CURSOR,
    DETAIL,
    HINTED,
    HOVER,
    PICKED,
    BoardPicture,
    Frame,
    Painter,
    Part,
    Traces,
    halo,
    layout_for,
    looks_of,
    part_at,
    traces_of,
)
from kk_tui.i18n import _, render
from kk_tui.keymap import Action
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs
from kk_tui.widgets.board import HINT_MARKS, Board, mark_ground, next_of
from kk_tui.widgets.explanation import Explanation, explained, explanation_at


@dataclass(frozen=True, slots=True)
class Choices:
    """The legal moves that name cells: `direct` by cell, `moves` of a stone by cell from and cell to."""

    direct: Mapping[int, Move] = field(default_factory=dict)
    moves: Mapping[int, Mapping[int, Move]] = field(default_factory=dict)

    def open(self, picked: int | None) -> frozenset[int]:
        """Return the cells that may be chosen now; `picked` is the stone to move, once chosen."""
        if picked is not None:
            return frozenset(self.moves.get(picked, ()))
        return frozenset(self.direct) | frozenset(self.moves)

    def move_to(self, picked: int | None, cell: int) -> Move | None:
        """Return the move that choosing a cell makes; None if it makes none (yet)."""
        return self.direct.get(cell) if picked is None else self.moves.get(picked, {}).get(cell)


def sort_moves(legal: Collection[Move]) -> Choices:
    """Return the choices in a set of legal moves."""
    direct: dict[int, Move] = {}
    moves: dict[int, dict[int, Move]] = {}
    for move in legal:
        match read(move):
            case MoveStone(start, target):
                moves.setdefault(start, {})[target] = move
            case Take(int(cell)) | GiveUp(int(cell)) | PlaceStone(int(cell)):
                direct[cell] = move
    return Choices(direct, moves)


def _cell_of(move: Move) -> int | None:
    """Return the card that a move takes or puts a stone on; None for a move without a place."""
    match read(move):
        case Take(int(cell)) | GiveUp(int(cell)) | PlaceStone(int(cell)) | MoveStone(_, int(cell)):
            return cell
    return None


def _asked_cell(before: Scene[Observation] | None, now: Scene[Observation]) -> int | None:
    """Return the card that a lesson has begun to ask for; None if it asks for none, or did so before."""
    lesson = now.table.lesson
    if lesson is None or (before is not None and before.table.lesson == lesson):
        return None
    return next((cell for move in lesson.wanted if move in now.legal for cell in [_cell_of(move)]), None)


def attempt(phase: int, picked: int | None, cell: int) -> Move:
    """Return the move that a player has in mind when choosing a cell that cannot be chosen."""
    if picked is not None:
        return MoveStone(picked, cell).move
    if phase == GIVING_UP:
        return GiveUp(cell).move
    return (PlaceStone(cell) if phase == STONE_STEP else Take(cell)).move


def step(board: bytes, cell: int, right: int, down: int, opened: Collection[int] = ()) -> int:
    """Return the nearest card of the layout in a direction, or the same cell if there is none.

    In another row it is one of those that may be chosen now, `opened`, if it has any.
    """
    row, column = divmod(cell, COLUMNS)
    if right:
        columns = range(column + 1, COLUMNS) if right > 0 else range(column - 1, -1, -1)
        return next((row * COLUMNS + x for x in columns if board[row * COLUMNS + x] < TAKEN), cell)
    rows = range(row + 1, ROWS) if down > 0 else range(row - 1, -1, -1)
    for y in rows:
        here = [y * COLUMNS + x for x in range(COLUMNS) if board[y * COLUMNS + x] < TAKEN]
        if here:
            meant = [near for near in here if near in opened] or here
            return min(meant, key=lambda near: abs(near % COLUMNS - column))
    return cell


def row_end(board: bytes, cell: int, by: int) -> int:
    """Return the first card in the row of a cell (-1), or the last one (1)."""
    row = cell // COLUMNS * COLUMNS
    cells = [each for each in range(row, row + COLUMNS) if board[each] < TAKEN]
    return cells[-1 if by > 0 else 0]


def nearest(cells: Collection[int], cell: int | None) -> int | None:
    """Return the cell nearest to another one; if that is None, the first in reading order."""
    if not cells:
        return None
    row, column = divmod(cell or 0, COLUMNS)
    # a row counts three times: vertically, cards are farther apart than horizontally
    return min(cells, key=lambda near: (3 * abs(near // COLUMNS - row) + abs(near % COLUMNS - column), near))


def face_words(face: int, glyphs: Glyphs) -> str:
    """Return symbols and route of a card, each with its sign and name."""
    parts = [
        _(
            "{sign} {name}",
            sign=glyphs[f"land_cards-symbol-{model.SYMBOLS[symbol]}"],
            name=SYMBOL_NAMES[symbol],
        )
        for symbol in model.symbols_of(face)
    ]
    route = model.route_of(face)
    if route:
        sign = glyphs[f"land_cards-route-{model.ROUTES[route]}"]
        parts.append(_("{sign} {name}", sign=sign, name=ROUTE_NAMES[route]))
    return "  ".join(parts) or _("no symbol")


def detail_lines(view: Observation, cell: int, names: Sequence[str], glyphs: Glyphs) -> tuple[str, str, str]:
    """Return a card in words: its country and face, how many are left of it, what lies on it."""
    face = view.faces[cell]
    country = model.country_of(face)
    here = [i for i, other in enumerate(view.faces) if model.country_of(other) == country]
    left = sum(view.board[i] < model.TAKEN for i in here)
    title = f"{render(COUNTRY_NAMES[country])}  {face_words(face, glyphs)}"
    count = _("{left} of {all} in the rows", left=left, all=len(here))
    return title, count, _lying(view, cell, names, glyphs)


def _lying(view: Observation, cell: int, names: Sequence[str], glyphs: Glyphs) -> str:
    lies, law = view.board[cell], cell in view.law_cells
    if lies == model.FREE:
        return _("A face-down law card is on it.") if law else ""
    seat = lies - model.STONE
    stone = glyphs.owner(seat)
    if law:
        return _("{name}'s stone {stone}, a law card: others pay a stone.", name=names[seat], stone=stone)
    return _("{name}'s stone {stone}: others pay a stone for it.", name=names[seat], stone=stone)


class LandCardsBoard(Board[Observation, Painter]):
    """The rows of cards; the first half of a choice that takes two cells is kept as `picked`."""

    IS_BROAD = True  # so that the frame around the last column closes

    def __init__(self, scene: Scene[Observation]) -> None:
        super().__init__(scene)
        self.picked: int | None = None
        self.cursor: int | None = None
        self._choices = Choices()
        self._marked: Mapping[int, str] = {}
        self._pointed_in = -1  # the ply in which the cursor was last moved
        self._traces = Traces()
        self._moving = Moving()
        self._picture = BoardPicture()
        self._words: Sequence[str] = ()
        self._outlook, self._outlook_in = Outlook(), self._picture
        self._legend_in: tuple[Painter, Sequence[Content]] | None = None
        self._panel: tuple[tuple[object, ...], Sequence[Content]] | None = None

    # -- what is shown ---------------------------------------------------------------------------------------

    def scene_changed(self, before: Scene[Observation] | None, now: Scene[Observation]) -> None:
        """Drop a half-made choice and put the cursor on a card that can be chosen, if there is one."""
        view = now.observation
        self._choices = sort_moves(now.legal)
        self.picked = None
        opened = frozenset[int]() if self._is_from_supply else self._choices.open(None)
        still = self.cursor is not None and view.board[self.cursor] < TAKEN
        asked = _asked_cell(before, now)
        if asked is not None:
            self.cursor = asked
        elif opened and (not still or self.cursor not in opened):
            self.cursor = nearest(opened, self.cursor)
        elif not still:
            self.cursor = nearest([cell for cell, lies in enumerate(view.board) if lies < TAKEN], self.cursor)
        if self.hovered is not None and view.board[self.hovered] >= TAKEN:
            self.hovered = None
        self._traces = traces_of(now)
        self._words = ()
        if before is None:
            self._picture = self._pictured()
            self.refresh()
        else:
            self._redraw()
            self._redraw_below()

    def _pictured(self) -> BoardPicture:
        """Return the rows as they should look now."""
        opened = self._choices.open(self.picked)
        traces = Traces() if self.is_bare else self._traces
        frames: dict[int, Frame] = {cell: halo(seat) for cell, seat in traces.laid.items()}
        frames |= self._moving.frames
        if self.hovered is not None:
            frames[self.hovered] = HOVER if self.hovered in {*opened, self.picked} else CLOSED
        # later ones cover earlier ones: what is new, the mouse, the picked stone, the cursor, a hint
        if self.picked is not None:
            frames[self.picked] = PICKED
        if self.cursor is not None and not self._is_from_supply:  # then Enter is not about its card
            # the cursor has the colour of marks, so it is drawn lightly beside them
            frames[self.cursor] = HOVER if self._marked else CURSOR
        for cell, mark in self._marked.items():
            frame = CURSOR if cell == self.cursor else HINTED
            colour = frame.colour if mark in HINT_MARKS else mark_ground(mark)
            frames[cell] = replace(frame, colour=colour, label=mark)
        # beside marks, where stones have left says too much
        traces = replace(traces, left={}) if self._marked else traces
        looks = looks_of(self.scene.observation, opened, traces, self._offered())
        if self._moving.looks:
            moving = self._moving.looks
            looks = tuple(moving.get(cell, look) for cell, look in enumerate(looks))
        return BoardPicture(looks, frames)

    def light(self, moves: Collection[Move], *, is_waiting: bool = False, is_bare: bool = False) -> None:
        """Also draw the cards without the traces of what has happened, or with them again."""
        was_bare = self.is_bare
        super().light(moves, is_waiting=is_waiting, is_bare=is_bare)
        if self.is_bare is not was_bare:
            self._redraw()

    def uncut(self, rows: int) -> int:
        """Return rows up to the end of a row of cards, with the frames below it."""
        layout = self.painter.layout
        return rows - (rows - 1) % layout.pitch_y if 0 < rows < layout.bottom else rows

    def mark_moves(self, moves: Sequence[Move], marks: Sequence[str] = HINT_MARKS) -> None:
        """Mark the cards that are taken or get a stone."""
        marked = [*zip(map(_cell_of, moves), marks, strict=False)]
        self._marked = {cell: mark for cell, mark in reversed(marked) if cell is not None}
        self._redraw()

    def show_moving(self, mark: object) -> None:
        """Show cards as they look during a motion, or as they are."""
        moving = mark if isinstance(mark, Moving) else Moving()
        if moving != self._moving:
            self._moving = moving
            self._redraw()

    def region_of(self, thing: int) -> Region:
        """Return the card of a cell."""
        return self.painter.layout.card(thing)

    def _offered(self) -> int | None:
        """Return the card that would get a stone, if the one pointed at were chosen."""
        pointed = self.cursor if self.hovered is None else self.hovered
        move = None if pointed is None else self._choices.move_to(self.picked, pointed)
        match None if move is None else read(move):
            case PlaceStone(cell) | MoveStone(_, cell):
                return cell
        return None

    def make_painter(self) -> Painter:
        """Return the painter for the current size."""
        layout = layout_for(*self.size)
        return Painter(layout, self.glyphs, self.ink, has_colours=self.has_colours)

    def forget(self) -> None:
        """Forget the lines below the cards too."""
        super().forget()
        self._words = ()
        self._outlook, self._outlook_in = Outlook(), BoardPicture()

    def render_line(self, y: int) -> Strip:
        """Draw a line: of the cards, or of the words below them."""
        layout = self.painter.layout
        if y in self.outlook.lines:
            # no number: the row is no more, and the words are about all rows
            margin = Segment(" " * (layout.left + 2), self.ink("ink", on="ground"))
            return self._strip([margin, *self.pieces(self.outlook.line(y))])
        if y < layout.bottom:
            return self._strip(self.painter.line(self._picture, y), layout.right)
        if layout.detail <= y < layout.detail + DETAIL:
            line = self._detail(y - layout.detail)
        else:
            line = self._legend(y - layout.legend.start) if y in layout.legend else []
        return self._strip(line)

    def render_part(self, crop: Region) -> list[Strip]:
        """Draw a few cards without those beside them."""
        painter = self.painter
        layout = painter.layout
        if not Region(layout.left, 0, layout.right - layout.left, layout.bottom).contains_region(crop):
            return super().render_part(crop)
        if {*crop.line_range} & {*self.outlook.lines}:
            return super().render_part(crop)
        first = (crop.x - layout.left) // layout.pitch_x
        last = (crop.right - layout.left - 2) // layout.pitch_x
        start = layout.left + first * layout.pitch_x
        lines = (painter.cards(self._picture, y, range(first, last + 1)) for y in crop.line_range)
        return [Strip(line).crop(crop.x - start, crop.right - start) for line in lines]

    @property
    def outlook(self) -> Outlook:
        """The words about what is still to be won, where rows have run out."""
        if self._outlook_in is not self._picture:
            self._outlook_in = self._picture
            free, known = free_rows(self._picture.looks), self._outlook
            if known.scene is not self.scene or known.free != free:
                self._outlook = self._looked_out(free)
        return self._outlook

    def _looked_out(self, free: range) -> Outlook:
        layout = self.painter.layout
        high, width = layout.pitch_y, layout.right - layout.left - 3
        words = outlook(self.scene, self.glyphs, width, len(free) * high - 1) if free else []
        # in the rows above what it needs, places still show who has taken their cards
        rows = -(-(len(words) + 1) // high)
        lines = range((free.stop - rows) * high + 1, free.stop * high)
        return Outlook(self.scene, free, lines if words else range(0), words)

    def _strip(self, line: list[Segment], length: int | None = None) -> Strip:
        return Strip(line, length).adjust_cell_length(self.size.width, self.ink("ink", on="ground"))

    def _detail(self, y: int) -> list[Segment]:
        cell = self.cursor if self.hovered is None else self.hovered
        if cell is None:
            return []
        if not self._words:
            title, count, lying = detail_lines(self.scene.observation, cell, self.scene.names, self.glyphs)
            if (seat := self.scene.viewer) is not None and cell == self._offered():
                stone = self.glyphs["cursor"] + self.glyphs.owner(seat)
                words = f"{lying} ".lstrip() + _("{stone} would be your stone.", stone=stone)
                lying = words if cell_len(words) <= self.size.width - self.painter.layout.margin else lying
            self._words = title, count, lying
        title, count, lying = self._words
        margin = " " * self.painter.layout.margin
        if y:
            return [Segment(margin + lying, self.ink("ink", on="ground"))]
        return [
            Segment(f"{margin}{title}  ", self.ink("gold", on="ground", bold=True)),
            Segment(count, self.ink("ink-dim", on="ground")),
        ]

    def _legend(self, y: int) -> list[Segment]:
        layout = self.painter.layout
        lines = self._drawn_legend()
        if not lines:
            width = self.size.width - layout.margin
            lines = panels.whole_legend(self.glyphs, width, len(layout.legend))
        margin = Segment(" " * layout.margin, self.ink("ink", on="ground"))
        return [margin, *self.pieces(lines[y])] if y < len(lines) else []

    def _drawn_legend(self) -> Sequence[Content]:
        """Return the legend in pictures where the cards have them; nothing where they or it have no room."""
        painter = self.painter  # another one in another size, theme, or with other signs
        if self._legend_in is None or self._legend_in[0] is not painter:
            width, room = self.size.width - painter.layout.margin, len(painter.layout.legend)
            has_room = painter.draws_symbols
            self._legend_in = painter, panels.drawn_legend(self.glyphs, width, room) if has_room else ()
        return self._legend_in[1]

    def panel(self) -> Sequence[Content]:
        """Return what the legend under the board has no room for; limits; own law cards."""
        # cached: a cursor changes none of it
        made_of = self.painter, self.scene, self.is_crowded, self.has_hand
        if self._panel is None or self._panel[0] != made_of:
            lines = list[Content]()
            if not self.painter.layout.legend or self._drawn_legend():
                told = text("What the signs beside the names mean.")
                lines = [explained((panels.legend(self.glyphs), "$ink-dim"), told), Content("")]
            own = panels.panel_lines(self.scene, is_crowded=self.is_crowded, has_hand=self.has_hand)
            self._panel = made_of, [*lines, *own]
        return self._panel[1]

    def _redraw(self) -> None:
        """Redraw the cards that look different now."""
        said = self._outlook
        before, self._picture = self._picture, self._pictured()
        layout = self.painter.layout
        if not self.outlook.is_same(said):
            changed_lines = {*said.lines, *self.outlook.lines}
            self.refresh(*(Region(0, y, self.size.width, 1) for y in sorted(changed_lines)))
        if changed := [layout.framed(cell) for cell in self._picture.changed(before)]:
            self.refresh(*changed)

    def _redraw_below(self) -> None:
        """Redraw the words below the cards."""
        layout, size = self.painter.layout, self.size
        self.refresh(Region(0, layout.detail, size.width, max(0, size.height - layout.detail)))

    def _redraw_detail(self) -> None:
        """Redraw the lines about one card."""
        self._words = ()
        self.refresh(Region(0, self.painter.layout.detail, self.size.width, DETAIL))

    # -- what is chosen --------------------------------------------------------------------------------------

    def prompt(self) -> Text:
        """Return what can be done now."""
        if self._is_laid_out:
            return text("Enter places your stone on this card and ends your turn.")
        if self._is_from_supply and len(self.scene.legal) > 1:
            return text("You owe a stone: Enter gives up one from your supply, or choose one on a card.")
        return panels.wanted_law(self.scene, self._lit) or panels.prompt(self.scene, self.picked)

    def actions(self) -> Sequence[Action]:
        """Return Enter, labelled with what it does to the card under the cursor, then the keys that count."""
        others = tuple(panels.actions(self.scene))
        if self._is_from_supply:
            return (Action("do", others[0].label), *others)
        if self.cursor is not None and self.cursor in {*self._choices.open(self.picked), self.picked}:
            return (Action("do", panels.enter(self.scene, self.picked, self.cursor)), *others)
        if self._only() is not None:
            return (Action("do", others[0].label), *others)  # a law card that is idle is not the first
        return others

    def _only(self) -> Move | None:
        """Return what Enter does if no card is chosen: the only thing to do, or what is mostly meant."""
        if self._is_from_supply:
            return GiveUp(None).move
        idle = {model.PlayLaw(kind).move for kind in self.scene.observation.idle_laws}
        rest = [move for move in self.scene.legal if move not in idle]
        return rest[0] if len(rest) == 1 and not self._choices.open(None) else None

    @property
    def _is_from_supply(self) -> bool:
        """True if a stone is owed that the supply has, unless the cursor has been moved to another."""
        return GiveUp(None).move in self.scene.legal and self._pointed_in != self.scene.match.ply

    def candidate(self) -> Move | None:
        """Return the move that Enter would make now."""
        if (only := self._only()) is not None:
            return only
        return None if self.cursor is None else self._choices.move_to(self.picked, self.cursor)

    def perform(self, name: str) -> Text | None:
        """Make the move of a key."""
        meant = panels.meaning(self.scene, name)
        if isinstance(meant, int):
            self.choose(meant)
            return None
        return meant or super().perform(name)

    def action_step(self, right: int, down: int) -> None:
        """Move the cursor to the next card in a direction."""
        if self.cursor is not None:
            opened = self._choices.open(self.picked)
            self._go(step(self.scene.observation.board, self.cursor, right, down, opened))

    def go_to_end(self, by: int) -> bool:
        """Move the cursor to the left or right end of its row."""
        if self.cursor is not None:
            self._go(row_end(self.scene.observation.board, self.cursor, by))
        return True

    def action_jump(self, by: int) -> None:
        """Move the cursor to the next or previous card that may be chosen now, in reading order."""
        opened = sorted(self._choices.open(self.picked))
        if opened:
            self._go(next_of(opened, self.cursor, by))

    def _go(self, cell: int) -> None:
        before, self.cursor, self.hovered = self.cursor, cell, None
        if before != cell or self._is_from_supply:
            self._pointed_in = self.scene.match.ply
            self._redraw()
            self._redraw_detail()
            self.tell()

    def point_at(self, move: Move) -> bool:
        """Move the cursor to the card that is taken or gets a stone; pick the stone, if one is moved."""
        match read(move):
            case Take(cell) | PlaceStone(cell) | GiveUp(int(cell)):
                self._go(cell)
            case MoveStone(start, target):
                self._pick(start)
                self._go(target)
            case _:
                return False
        return True

    def places(self, move: Move) -> Sequence[Region]:
        """Return the card that is taken or gets a stone."""
        match read(move):
            case Take(int(cell)) | PlaceStone(cell) | GiveUp(int(cell)) | MoveStone(_, cell):
                return (self.painter.layout.card(cell),)
        return ()

    def marks(self, place: Region) -> Iterator[tuple[int, int, str]]:
        """Point at a card from above and below: from the sides, its neighbours would look marked too."""
        for x in range(place.x, place.right):
            yield x, place.y - 1, "down"
            yield x, place.bottom, "up"

    def action_do(self) -> None:
        """Choose the card under the cursor, or do what is left or meant if none is chosen."""
        if (only := self._only()) is not None:
            self.choose(only)
        elif self.cursor is not None:
            self._choose_cell(self.cursor, is_laid_out=self._is_laid_out)

    @property
    def _is_laid_out(self) -> bool:
        """True if the cursor was moved to where a stone is now drawn as it would lie there."""
        return self._pointed_in == self.scene.match.ply and self._offered() == self.cursor

    def _choose_cell(self, cell: int, *, is_laid_out: bool = False) -> None:
        if self.pending:
            return
        if cell == self.picked:
            self.step_back()
        elif (move := self._choices.move_to(self.picked, cell)) is not None:
            self.choose(move, is_laid_out=is_laid_out)
        elif cell in self._choices.moves:
            self._pick(cell)
        else:
            # not legal: the engine says why
            self.choose(attempt(self.scene.observation.phase, self.picked, cell))

    def _pick(self, cell: int | None) -> None:
        self.picked = cell
        self._redraw()
        self._redraw_detail()
        self.tell()

    def step_back(self) -> bool:
        """Deselect the stone that was to be moved."""
        if self.picked is None:
            return False
        self._pick(None)
        return True

    # -- what is meant ---------------------------------------------------------------------------------------

    def explain(self, x: int, y: int) -> Explanation | None:
        """Return the meaning of a place in the rows or of the lines below them."""
        layout = self.painter.layout
        if y in self.outlook.lines:
            place = x - layout.left - 2
            return explanation_at(self.outlook.line(y), place) if place >= 0 else None
        if y < layout.bottom:
            return explain_place(self.scene, self._picture, layout, x, y)
        if layout.detail <= y < layout.detail + DETAIL:
            words = text("These lines describe the card under the cursor or the mouse.")
        elif y in layout.legend:
            words = text("What the signs on the cards and beside the names mean.")
        else:
            return None
        return Explanation(words, "on-the-screen")

    def explain_cursor(self) -> Explanation | None:
        """Return what the card under the cursor counts for."""
        if self.cursor is None:
            return None
        country = model.country_of(self.scene.observation.faces[self.cursor])
        return Explanation(country_words(self.scene, country), "scoring")

    def cursor_place(self) -> Region | None:
        """Return the first circle symbol, or other sign, of the card under the cursor."""
        if self.cursor is None:
            return None
        layout, look = self.painter.layout, self._picture.looks[self.cursor]
        card = layout.card(self.cursor)
        places = [(x, y) for y in range(card.height) for x in range(card.width)]
        parts = [part_at(look, card.width, card.height, x, y)[0] for x, y in places]
        first = next(place for place, part in zip(places, parts, strict=True) if part is not Part.REST)
        return Region(card.x + first[0], card.y + first[1], 1, 1)

    # -- the mouse -------------------------------------------------------------------------------------------

    def clicked(self, x: int, y: int) -> None:
        """Choose the card that was clicked."""
        cell = self.painter.layout.cell_at(x, y)
        if cell is None:
            return
        if self.scene.observation.board[cell] < TAKEN:
            if self.pending or self._choices.move_to(self.picked, cell) is None:
                self._go(cell)
            else:
                # a move that waits to be confirmed must not be forgotten before this one takes its place
                with self.prevent(Board.Cursor):
                    self._go(cell)
        self._choose_cell(cell)

    def thing_at(self, x: int, y: int) -> int | None:
        """Return the card at a place."""
        cell = self.painter.layout.cell_at(x, y)
        return None if cell is None or self.scene.observation.board[cell] >= TAKEN else cell

    def hover_changed(self) -> None:
        """Update the frames, and the words below the cards."""
        self._redraw()
        self._redraw_detail()
