"""The board of Ku-Ka-King: the rows of cards, a cursor, the last reveal, all collections."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final, TypeAlias

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.content import Content
from textual.events import Resize
from textual.geometry import Region
from textual.strip import Strip

from kk_core.games.ku_ka_king.model import CARDS, LINES, POINTS2, POINTS4, Observation
from kk_core.text import Text, text
from kk_core.types import Ends, Move, Seat, Sheet
from kk_tui.games.ku_ka_king import panels
from kk_tui.games.ku_ka_king.meaning import call_of, explain_head, explain_notes, explain_row
from kk_tui.games.ku_ka_king.motion import Waiting
from kk_tui.games.ku_ka_king.panels import Words, clip, head_lines
from kk_tui.games.ku_ka_king.picture import (
    GAPPED,
    BoardLayout,
    Moment,
    Painter,
    RowLook,
    layout_for,
    looks,
)
from kk_tui.games.ku_ka_king.reveal import Reveal, standing
from kk_tui.games.ku_ka_king.theme import (
    LINE_NAMES,
    SHORT_NAMES,
    group,
    group_variable,
    line_sign,
    sign,
)
from kk_tui.i18n import _, render
from kk_tui.keymap import CHOICE_OF, Action
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs
from kk_tui.widgets.board import HINT_MARKS, Board, next_of
from kk_tui.widgets.explanation import Explanation

Held: TypeAlias = Sequence[tuple[int, int]]
"""Types of cards and the number of each, in scoring order."""

IN_ORDER: Final = tuple(card for line in LINES for card in range(len(CARDS)) if group(card) == line)
"""All types in scoring order."""

GROUNDS: Final = frozenset(map(group_variable, LINES))
"""The grounds of cards, on which types are shown in collections."""

_POINTS_LINE: Final = LINES.index("points")
_OWNER: Final = 11
"""Columns that a name before a collection may always take; `_TIMES` as many make room for longer ones."""

_NUMBER: Final = 3
"""Columns of a number with its sign."""

_FREE: Final = 1
"""Columns between chips and what is beside the board."""

_GAP: Final = "  "
"""The gap between two chips."""

_Form: TypeAlias = tuple[bool, bool, str]
"""Whether players and cards have names; the gap between two chips.

Where it is wide, a blank stands before the number, too. Without one, cards that score together share a chip.
"""

_FORMS: Final[tuple[_Form, ...]] = (
    (True, True, _GAP),
    (False, True, _GAP),
    (False, True, " "),
    (False, False, " "),
    (False, False, ""),
)
"""Forms of several collections in a line, the best first."""

_STYLES: Final[tuple[_Form, ...]] = ((True, True, _GAP), (True, True, " "), (True, False, " "))
"""Forms of collections that have lines of their own, the best first."""

_TIMES: Final = 6
_AROUND_NAME: Final = 5
_BEGUN_NAME: Final = _AROUND_NAME + 3
"""Columns from which the beginning of a name is worth showing."""

_HANGING: Final = 4
"""Columns before further lines of a collection in a block."""


def collection_strip(
    scene: Scene[Observation],
    width: int,
    room: int,
    glyphs: Glyphs,
    collections: Sequence[bytes] | None = None,
    first: Sequence[Seat] = (),
) -> list[Words]:
    """Return at most `room` lines: everybody's collection in one style, as a table if there is room for it.

    If not everybody gets a line, the viewer's comes first and the others share the rest; spectators see all
    of them packed. `collections` are shown in place of the scene's; those of some seats come `first`.
    """
    collections = collections or scene.observation.collections
    seats = [*first, *(seat for seat in range(len(scene.names)) if seat not in first)]
    if room < len(seats):
        shared = _shared(scene, collections, width, room, glyphs)
        return [clip(line, width, glyphs["ellipsis"]) for line in shared[:room]]
    if is_table(scene, width, room, glyphs):
        return list(_table(scene, seats, collections, width, room, glyphs))
    width -= _FREE
    longest = _AROUND_NAME + max(cell_len(scene.names[seat]) for seat in seats)
    wide = max(_OWNER, min(longest, width // _TIMES))
    if all(longest + _NUMBER * len(_held(collections[seat])) <= width for seat in seats):
        wide = max(_OWNER, longest)
    for form in _STYLES:
        each = [
            list(_chips(scene, seat, _held(collections[seat]), wide, width, form, glyphs)) for seat in seats
        ]
        if sum(map(len, each)) <= room:
            break
    lines = [line for some in each for line in some]
    return [clip(line, width, glyphs["ellipsis"]) for line in lines[:room]]


def is_table(scene: Scene[Observation], width: int, room: int, glyphs: Glyphs) -> bool:
    """Return whether all collections fit as a table into so many columns and lines."""
    return width >= _TABLED and room >= _HEADS + len(scene.names) and not glyphs.ascii_only


def collection_block(
    scene: Scene[Observation],
    width: int,
    room: int,
    glyphs: Glyphs,
    collections: Sequence[bytes] | None = None,
    *,
    hangs: bool = True,
) -> list[Words]:
    """Return everybody's collection in one style in at most `room` lines, each around its owner's name, or
    beside it unless it `hangs`.
    """
    collections = collections or scene.observation.collections
    seats, width = range(len(scene.names)), width - _FREE
    owner = _AROUND_NAME + max(map(cell_len, scene.names))
    lines: list[Words] = []
    for form in _STYLES:
        each = [
            list(_chips(scene, seat, _held(collections[seat]), owner, width, form, glyphs, hangs=hangs))
            for seat in seats
        ]
        gaps = len(each) - 1 if sum(map(len, each)) + len(each) - 1 <= room else 0
        lines = [line for some in each for line in (*some, *[[]] * bool(gaps))]
        if sum(map(len, each)) + gaps <= room:
            break
    return [clip(line, width, glyphs["ellipsis"]) for line in lines[:room]]


def _shared(
    scene: Scene[Observation], collections: Sequence[bytes], width: int, room: int, glyphs: Glyphs
) -> list[Words]:
    """Return the viewer's collection in a line, and the others in those that are left, all in one style."""
    own = [] if scene.viewer is None else [scene.viewer]
    others = [seat for seat in range(len(scene.names)) if seat not in own and any(collections[seat])]
    lines: list[Words] = []
    for form in _FORMS:
        lines = [line for seat in own for line in _whole(scene, seat, collections, width, form, glyphs)]
        fits = len(lines) <= len(own)
        if others and room > len(lines):
            packed = _together(scene, collections, others, room - len(lines), form, glyphs)
            lines += packed
            fits = fits and all(sum(cell_len(words) for words, *_ in line) <= width for line in packed)
        if fits:
            break
    return lines


_CELL: Final = 6
_COLUMN: Final = _CELL + 2
_POINTS: Final = range(POINTS2, POINTS4 + 1)
_KINDS: Final = tuple(card for card in IN_ORDER if card not in _POINTS[1:])
"""A column in the table of collections each; victory points share one."""

_HEADS: Final = 2
"""Lines above the first collection in the table: a blank one, and names."""

_COUNTS: Final = 2
"""Lines for the numbers of all kinds, in the game and in the rows."""

_TABLED: Final = _COLUMN * len(_KINDS) + _OWNER + _NUMBER
"""Columns from which collections are a table."""


def _table(
    scene: Scene[Observation],
    seats: Sequence[Seat],
    collections: Sequence[bytes],
    width: int,
    room: int,
    glyphs: Glyphs,
) -> Iterator[Words]:
    """Yield all collections below the names of all kinds of cards, spaced out if there is room.

    Before them come the numbers of those in the game and in the rows, if there is room for that.
    """
    wide = width - _COLUMN * len(_KINDS)
    inks = [f"{group_variable(group(card))}-ink" for card in _KINDS]
    margin = (" " * wide, "ink", False)
    yield []
    names = (render(LINE_NAMES[_POINTS_LINE] if card in _POINTS else SHORT_NAMES[card]) for card in _KINDS)
    yield [
        margin,
        *((set_cell_size(name, _COLUMN), ink, True) for name, ink in zip(names, inks, strict=True)),
    ]
    room -= _HEADS + len(seats)
    if room >= _COUNTS:
        room -= _COUNTS
        counts = scene.observation.printed.counts
        lying = b"".join(scene.observation.rows)
        there = [
            (_("in the game"), counts),
            (_("in the rows"), [lying.count(card) for card in range(len(CARDS))]),
        ]
        for words, numbers in there:
            cells = (str(n or glyphs["bullet"]).rjust(_NUMBER).ljust(_COLUMN) for n in _by_kind(numbers))
            yield [
                (set_cell_size(f" {words}", wide), "ink-dim", False),
                *((cell, "ink-dim", False) for cell in cells),
            ]
    is_spaced = room >= len(seats)
    for seat in seats:
        yield from ([[]] if is_spaced else [])
        line = _owner(scene, seat, glyphs, wide)
        for card, ink, n in zip(_KINDS, inks, _by_kind(collections[seat]), strict=True):
            words = f"{glyphs['times']}{n}" if n else glyphs["bullet"]
            cell = words.center(_CELL)
            line += [
                (cell, group_variable(group(card)) if n else ink, bool(n)),
                (" " * (_COLUMN - _CELL), "ink", False),
            ]
        yield line


def _by_kind(numbers: Sequence[int]) -> list[int]:
    """Return numbers by type as numbers by column of the table."""
    return [sum(numbers[each] for each in (_POINTS if card in _POINTS else (card,))) for card in _KINDS]


def _held(collection: bytes) -> Held:
    return [(card, collection[card]) for card in IN_ORDER if collection[card]]


def _chip(card: int, n: int, glyphs: Glyphs, form: _Form) -> tuple[str, str, bool]:
    """Return a type and its number, unless that is 1, on the ground of its cards."""
    _has_owner, is_named, gap = form
    label = render(SHORT_NAMES[card]) if is_named else sign(card, glyphs)
    count = f"{' ' * (gap == _GAP)}{glyphs['times']}{n}" if n > 1 else ""
    return f"{label}{count}", group_variable(group(card)), True


def _owner(scene: Scene[Observation], seat: Seat, glyphs: Glyphs, wide: int) -> Words:
    room = wide - _AROUND_NAME
    name = Content(scene.name(seat)).truncate(room, ellipsis=not glyphs.ascii_only).plain if room else ""
    return [(set_cell_size(f" {glyphs.owner(seat)} {name}", wide), f"seat-{seat}", True)]


def _whole(
    scene: Scene[Observation],
    seat: Seat,
    collections: Sequence[bytes],
    width: int,
    form: _Form,
    glyphs: Glyphs,
) -> list[Words]:
    """Return a collection after its owner's whole name."""
    name = max(_OWNER, min(_AROUND_NAME + cell_len(scene.names[seat]), width // _TIMES))
    return list(_chips(scene, seat, _held(collections[seat]), name, width, form, glyphs))


def _together(
    scene: Scene[Observation],
    collections: Sequence[bytes],
    seats: Sequence[Seat],
    room: int,
    form: _Form,
    glyphs: Glyphs,
) -> list[Words]:
    """Return some collections on few lines in a form; the longest of these is as short as it can be."""

    def divided(cuts: Sequence[int]) -> list[Words]:
        ends = zip((0, *cuts), (*cuts, len(seats)), strict=True)
        return [_in_a_line(scene, seats[first:end], collections, form, glyphs) for first, end in ends]

    count = max(1, min(room, len(seats)))  # so far, few may have cards
    ways = map(divided, combinations(range(1, len(seats)), count - 1))
    return min(ways, key=lambda lines: max(sum(cell_len(words) for words, *_ in line) for line in lines))


def _in_a_line(
    scene: Scene[Observation],
    seats: Sequence[Seat],
    collections: Sequence[bytes],
    form: _Form,
    glyphs: Glyphs,
) -> Words:
    """Return some collections, one after the other, in one of `_FORMS`."""
    has_owner, _is_named, gap = form
    line: Words = []
    for seat in seats:
        line += _owner(scene, seat, glyphs, _AROUND_NAME + cell_len(scene.name(seat)) * has_owner)
        if not gap:
            line += _by_line(collections[seat], glyphs)
            continue
        for card, n in _held(collections[seat]):
            line += [_chip(card, n, glyphs, form), (gap, "ink", False)]
    return line[:-1] if line[-1][0] == gap else line


def _by_line(collection: bytes, glyphs: Glyphs) -> Iterator[tuple[str, str, bool]]:
    """Yield the number of cards for each line of the score sheet, on their ground."""
    for line in LINES:
        (n,) = panels.held([collection], line)
        if n:
            yield f"{line_sign(line, glyphs)}{glyphs['times']}{n}", group_variable(line), True


def _chips(
    scene: Scene[Observation],
    seat: Seat,
    held: Held,
    owner: int,
    width: int,
    form: _Form,
    glyphs: Glyphs,
    *,
    hangs: bool = False,
) -> Iterator[Words]:
    """Yield sign, name and number for each type; by signs, all on one line.

    Further lines begin below the first type, or where the block `hangs` below the name.
    """
    _has_owner, is_named, gap = form
    if not held:
        yield [*_owner(scene, seat, glyphs, owner), (_("no cards yet"), "ink-dim", False)]
    elif is_named:
        indent = _HANGING if hangs else owner
        lines = _wrapped(held, width - owner, form, glyphs, width - indent)
        heads = [_owner(scene, seat, glyphs, owner), *[[(" " * indent, "ink", False)]] * (len(lines) - 1)]
        yield from ([*head, *line] for head, line in zip(heads, lines, strict=True))
    else:
        chips = [_chip(card, n, glyphs, form) for card, n in held] if gap else []
        signs = [part for chip in chips for part in (chip, (gap, "ink", False))][:-1]
        signs = signs or [*_by_line(bytes(dict(held).get(card, 0) for card in range(len(CARDS))), glyphs)]
        columns = sum(cell_len(words) for words, *_rest in signs)
        # as much of the name as there is room for, if it is more than a letter
        room = min(owner, width - columns)
        yield [*_owner(scene, seat, glyphs, room if room >= _BEGUN_NAME else _AROUND_NAME), *signs]


def _wrapped(held: Held, width: int, form: _Form, glyphs: Glyphs, later: int) -> list[Words]:
    """Return chips in their order on as few lines as they fit on: the first of a width, others of a later."""
    lines: list[Words] = []
    _has_owner, _is_named, gap = form
    used = width
    for card, n in held:
        chip = _chip(card, n, glyphs, form)
        columns = len(gap) + cell_len(chip[0])
        if used + columns <= (later if len(lines) > 1 else width):
            lines[-1] += [(gap, "ink", False), chip]
            used += columns
        else:
            lines.append([chip])
            used = columns - len(gap)
    return lines


_AROUND_PROMPT: Final = 2
"""Columns beside the line above the keys."""

_BANNER: Final = 4
"""Lines of the lowest large letters."""

_NAMED: Final = 110
"""Screen columns from which names are beside the signs everywhere."""


_Around: TypeAlias = tuple[Reveal | None, list[Words], list[Words], list[Words]]
"""The reveal that is shown, and the words above, below and beside the rows."""


class KuKaKingBoard(Board[Observation, Painter]):
    """The rows of cards; calling a row is one step."""

    IS_BROAD = True

    def __init__(self, scene: Scene[Observation]) -> None:
        super().__init__(scene)
        self.cursor: Move | None = None
        """The row pointed at since this choice began; None before that."""
        self._moment: Moment | None = None
        self._waiting = Waiting()
        self._marked: dict[Move, str] = {}
        self._foreseen: tuple[Sheet | None, Sequence[int]] = (None, ())
        self._looks: tuple[RowLook, ...] = ()
        self._head: list[Words] = []
        self._notes: list[Words] = []
        self._block: list[Words] = []
        self._around: tuple[tuple[object, ...], _Around] | None = None

    # -- what is shown ---------------------------------------------------------------------------------------

    def scene_changed(self, before: Scene[Observation] | None, now: Scene[Observation]) -> None:
        """Keep the cursor as long as the same choice continues."""
        # after the first scoring the cards no longer say what it makes of them
        is_scored = before is not None and before.observation.second_pass is not now.observation.second_pass
        if is_scored:
            self.forget()
        if before is None or is_scored or before.match.commitment != now.match.commitment:
            self.refresh()
        # where the previous viewer left it would reveal their call
        is_same = before is not None and before.viewer == now.viewer and before.may_act
        if not (is_same and before and before.observation.turn == now.observation.turn and now.may_act):
            self.cursor = None
        self._look()

    def highlight(self, mark: object) -> None:
        """Show the rows as an animation has them, or as they are."""
        moment = mark if isinstance(mark, Moment) else None
        if moment != self._moment:
            self._moment = moment
            self._look()

    def show_moving(self, mark: object) -> None:
        """Show some rows as they were before they were refilled, or all as they are."""
        waiting = mark if isinstance(mark, Waiting) else Waiting()
        if waiting != self._waiting:
            self._waiting = waiting
            self._look()

    def region_of(self, thing: int) -> Region:
        """Return a row."""
        return self.painter.layout.region(thing)

    def uncut(self, rows: int) -> int:
        """Return rows up to the end of a row of cards."""
        layout = self.painter.layout
        return rows - (rows - layout.top) % layout.pitch if layout.top < rows < layout.bottom else rows

    @property
    def banner_place(self) -> Region:
        """The lines below the rows or beside them, so that all cards stay in sight, if there are enough."""
        layout = self.painter.layout
        below = Region(0, layout.bottom, layout.width, layout.notes)
        places = (place for place in (below, layout.beside_rows) if place.height >= _BANNER)
        return next(places, super().banner_place)

    def _look(self) -> None:
        """Compute the looks of everything, and redraw what differs."""
        if not self.size:
            return
        painter, moment = self.painter, self._moment
        layout, made_of = painter.layout, (painter, self.scene, moment, self.first)
        # cached: mostly only the cursor moves, which changes none of it
        if self._around is None or self._around[0] != made_of:
            self._around = made_of, self._said_around(layout)
        reveal, head, notes, block = self._around[1]
        if moment is not None:
            rows = moment.rows
        else:
            rows = looks(self.scene, reveal, self.cursor, self.hovered)
            rows = tuple(replace(row, hint=self._marked.get(row.row, "")) for row in rows)
            rows = tuple(self._waiting.rows.get(row.row, row) for row in rows)
        for old, new in zip(self._looks, rows, strict=False):
            # a row under both cursor and mouse looks as it does under the cursor alone
            if old != new and (parts := painter.changed(old, new)):
                self.refresh(*parts)
        if head != self._head:
            self.refresh(Region(0, 0, layout.width, layout.top))
        if notes != self._notes:
            self.refresh(Region(0, layout.bottom, layout.width, layout.notes))
        if block != self._block:
            self.refresh(layout.beside_rows)
        self._looks, self._head, self._notes, self._block = rows, head, notes, block

    def _said_around(self, layout: BoardLayout) -> _Around:
        """Return the reveal that is shown, and the words above, below and beside the rows."""
        moment, reveal = self._moment, None
        if moment is not None:
            head = moment.head(self.glyphs, layout.width)
        else:
            reveal = standing(self.scene)
            head = head_lines(self.scene, reveal, self.glyphs, layout.width, layout.top)
        held = moment.collections if moment else None
        block, notes, beside = list[Words](), list[Words](), layout.beside_rows
        if beside and not is_table(self.scene, layout.width, layout.notes, self.glyphs):
            block = collection_block(self.scene, beside.width, beside.height, self.glyphs, held)
        else:
            notes = collection_strip(self.scene, layout.width, layout.notes, self.glyphs, held, self.first)
        if layout.pitch < GAPPED and len(notes) < layout.notes:
            notes = [[], *notes]  # there is no free line below the last row
        return reveal, head[: layout.top], notes, block

    def forget(self) -> None:
        """Redraw the lines above and below the rows too, which may have other signs."""
        super().forget()
        if self._looks:
            self.call_later(self._look)

    def make_painter(self) -> Painter:
        """Return the painter for the current size."""
        view = self.scene.observation
        return Painter(layout_for(*self.size, len(view.rows)), self.glyphs, self.ink, view)

    def on_resize(self, event: Resize) -> None:
        """Fit the cards to the new size."""
        super().on_resize(event)
        self._look()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw a line: of the head, the rows, or the collections below them."""
        width, ground = self.size.width, self.ink("ink", on="ground")
        if not self._looks:
            return Strip([Segment(" " * width, ground)], width)
        layout = self.painter.layout
        bottom = layout.bottom
        if layout.top <= y < bottom:
            line = self.painter.line(self._looks, y)
        else:
            words = self._head[y : y + 1] if y < layout.top else self._notes[y - bottom : y - bottom + 1]
            line = [self._segment(part) for said in words for part in said]
        beside = layout.beside_rows
        if self._block and y >= beside.y:
            first = Strip(line).adjust_cell_length(beside.x, ground)
            words = self._block[y - beside.y : y - beside.y + 1]
            line = [*first, *(self._segment(part) for said in words for part in said)]
        return Strip(line).adjust_cell_length(width, ground)

    def _segment(self, part: tuple[str, str, bool]) -> Segment:
        words, colour, is_bold = part
        return Segment(words, self._style(colour, is_bold=is_bold))

    def _style(self, colour: str, *, is_bold: bool) -> Style:
        """Return the style of words; on tiles like those of cards, `colour` is the ground."""
        if colour in GROUNDS:
            return self.ink("ku_ka_king-card-ink", on=colour, bold=is_bold)
        return self.ink(colour, on="ground", bold=is_bold)

    def render_part(self, crop: Region) -> list[Strip]:
        """Draw a row without the one beside it."""
        layout, row = self.painter.layout, self.painter.layout.row_at(crop.x, crop.y)
        region = layout.region(row) if row is not None else Region()
        if row is None or row > len(self._looks) or not region.contains_region(crop):
            return super().render_part(crop)
        strips = self.painter.strips(self._looks[row - 1])
        start, end = crop.x - region.x, crop.right - region.x
        return [strips[y - region.y].crop(start, end) for y in crop.line_range]

    # -- what is chosen --------------------------------------------------------------------------------------

    def candidate(self) -> Move | None:
        """Return the row under the cursor, if it can be called."""
        return self.cursor if self.cursor in self.scene.legal else None

    def foresee(self, preview: Sheet | None, ends: Ends | None, wanted: Sequence[int] = ()) -> None:  # noqa: ARG002
        """Show in the prompt what the row under the cursor would bring to a sole caller, viewer or other."""
        self._foreseen = preview, wanted

    def prompt(self) -> Text:
        """Return how to call a row, and what it would bring.

        On a small screen, while that is not known, the cards under the cursor are described with what they
        score.
        """
        said, width = panels.prompt(self.scene, self.cursor), self.screen.size.width
        sheet, wanted = self._foreseen
        if self.cursor is not None and sheet is not None:
            brings = panels.foretold(self.scene, self.cursor, sheet, wanted, self.glyphs)
            fitting = (form for form in brings if cell_len(render(form)) <= width - _AROUND_PROMPT)
            return next(fitting, said)
        if self.cursor is None or width >= _NAMED or not self.scene.observation.rows[self.cursor - 1]:
            return said
        rows = [
            panels.told_row(self.scene, self.cursor, self.glyphs, with_points=with_points)
            for with_points in (True, False)
        ]
        # the footer says what Enter does too
        whole, named = (text("{said}  {row}", said=said, row=row) for row in rows)
        forms = (whole, rows[0], named)
        return next((form for form in forms if cell_len(render(form)) <= width - _AROUND_PROMPT), said)

    def actions(self) -> Sequence[Action]:
        """Return what Enter calls."""
        return tuple(panels.actions(self.scene, self.cursor))

    def perform(self, name: str) -> Text | None:
        """Call a row by its digit."""
        if name not in CHOICE_OF:
            return super().perform(name)
        self._call(CHOICE_OF[name])
        return None

    def action_step(self, right: int, down: int) -> None:
        """Move the cursor to the next or previous row, or to the one beside it."""
        rows, layout = len(self.scene.observation.rows), self.painter.layout
        if down:
            start = self.cursor if self.cursor is not None else 0 if down > 0 else rows + 1
            self._go(max(1, min(rows, start + down)))
        elif layout.columns > 1:
            beside = (self.cursor or 1) + right * layout.deep * (self.cursor is not None)
            self._go(beside if 1 <= beside <= rows else self.cursor)

    def action_jump(self, by: int) -> None:
        """Move the cursor to the next or previous row that can be called, wrapping around."""
        if self.scene.legal:
            self._go(next_of(sorted(self.scene.legal), self.cursor, by))

    @property
    def is_aimed(self) -> bool:
        """False until a row has been pointed at."""
        return self.cursor is not None

    def action_do(self) -> None:
        """Call the row under the cursor, once there is one."""
        if self.cursor is not None:
            self.choose(self.cursor, is_laid_out=True)
        elif self.scene.may_act:
            self.post_message(self.Refused(text("Choose a row first: by number, arrows or click.")))
        else:
            self.choose(1)  # the engine says why none can be called

    def step_back(self) -> bool:
        """Remove the cursor."""
        had_cursor = self.cursor is not None and self.scene.may_act
        if had_cursor:
            self._go(None)
        return had_cursor

    def _go(self, row: Move | None) -> None:
        if row == self.cursor:
            return
        self.cursor = row
        self._look()
        self.tell()

    def mark_moves(self, moves: Sequence[Move], marks: Sequence[str] = HINT_MARKS) -> None:
        """Mark the rows that a hint or the coach is about."""
        self._marked = dict(zip(moves, marks, strict=False))
        self._look()

    def point_at(self, move: Move) -> bool:
        """Move the cursor to the row that is called."""
        self._go(move)
        return True

    def places(self, move: Move) -> Sequence[Region]:
        """Return the row that is called."""
        row = self.painter.layout.region(move)
        return (Region(row.x + 1, row.y, row.width - 2, self.painter.layout.full),)

    def _call(self, row: Move) -> None:
        if row <= len(self.scene.observation.rows):
            self._go(row)
        self.choose(row)

    def explain(self, x: int, y: int) -> Explanation | None:
        """Return the meaning of a place in the rows, or above or below them."""
        layout = self.painter.layout
        if not self._looks:
            return None
        if y < layout.top:
            return explain_head(self.scene, standing(self.scene), self._head, x, y)
        beside = layout.beside_rows
        if self._block and beside.contains(x, y):
            return explain_notes(self.scene, self._block, x - beside.x, y - beside.y)
        if y < layout.bottom:
            return explain_row(self.scene, self._looks, layout, x, y)
        return explain_notes(self.scene, self._notes, x, y - layout.bottom)

    def explain_cursor(self) -> Explanation | None:
        """Return what calling the row under the cursor means."""
        return None if self.cursor is None else Explanation(call_of(self.cursor), "choosing-a-row")

    def thing_at(self, x: int, y: int) -> Move | None:
        """Return the row at a place."""
        return self.painter.layout.row_at(x, y)

    def hover_changed(self) -> None:
        """Show which row a click would call."""
        self._look()

    def clicked(self, x: int, y: int) -> None:
        """Call the row that was clicked."""
        row = self.painter.layout.row_at(x, y)
        if row is not None:
            self._call(row)
