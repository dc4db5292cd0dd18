"""Motion in a step of the card game: cards to their takers, stones that come and go, laws."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from textual.content import Content

from kk_core.games.land_cards.model import (
    COLUMNS,
    STONE,
    TAKEN,
    GiveUp,
    MoveStone,
    Observation,
    PlaceStone,
    PlayLaw,
    Take,
    read,
    read_event,
)
from kk_core.games.land_cards.notation import LAW_NAMES
from kk_core.text import Text, texts
from kk_core.types import Seat
from kk_core.views import LogEntry
from kk_tui.games.land_cards.panels import cards_left, chip
from kk_tui.games.land_cards.picture import LAW, CellLook, Frames, Traces, impact, looks_of
from kk_tui.i18n import _, render
from kk_tui.scene import Scene
from kk_tui.scoring_animation import since
from kk_tui.theme.glyphs import Glyphs
from kk_tui.widgets.motion import MOST, Away, Chip, Lit, Middle, MotionFrame, Name, Spot, Thing


@dataclass(frozen=True)
class Moving:
    """Cells that look different from what they are, and frames around some."""

    looks: Mapping[int, CellLook] = field(default_factory=dict)
    frames: Frames = field(default_factory=dict)


def motion(before: Scene[Observation], after: Scene[Observation], glyphs: Glyphs) -> Sequence[MotionFrame]:
    """Return what moves in a single ply."""
    entries = since(before, after)
    if len(entries) != 1:
        return ()
    (entry,) = entries
    frames = [*_moved(before, after, entry, glyphs)]
    skipped = (read_event(event).seat for event in entry.events)
    if lit := tuple(Lit(seat, _beside(_("skips"), seat)) for seat in skipped):
        frames = [replace(frame, lit=(*frame.lit, *lit)) for frame in frames or (MotionFrame(),) * MOST]
    return frames


def _moved(
    before: Scene[Observation], after: Scene[Observation], entry: LogEntry, glyphs: Glyphs
) -> Iterator[MotionFrame]:
    seat = entry.seat
    match None if entry.move is None else read(entry.move):
        case Take(cell):
            yield from _taken(before, after, cell, seat, glyphs)
        case PlaceStone(cell):
            yield from _set(before, Name(seat), cell, seat, glyphs)
        case MoveStone(start, cell):
            yield from _set(before, Thing(start), cell, seat, glyphs)
        case GiveUp(cell):
            yield from _given_up(before, cell, seat, glyphs)
        case PlayLaw(law):
            words = f" {glyphs['land_cards-law']} {render(LAW_NAMES[law])} "
            card = Content.styled(words, f"bold $land_cards-law-ink on ${LAW}")
            for share in (0.3, 0.7, 1.0):
                yield MotionFrame(chips=(Chip(card, Name(seat), Middle(), share, seat),))


def _taken(
    before: Scene[Observation], after: Scene[Observation], cell: int, seat: Seat, glyphs: Glyphs
) -> Iterator[MotionFrame]:
    """Yield a card that is lifted and goes to its taker, and the stone on it that goes back to its owner."""
    card, look = chip(before.observation.faces[cell], glyphs), _look(before, cell)
    lit = [Lit(seat, Content.assemble(_beside("+ ", seat), card))]
    stones = list[tuple[Content, Seat]]()
    owner = look.lies - STONE
    if owner >= 0 and after.observation.supply[owner] > before.observation.supply[owner]:
        stones = [(_stone(owner, glyphs), owner)]
        lit += [Lit(owner, _beside(_("gets the stone back"), owner))] if owner != seat else []
    chips = [(card, seat), *stones]
    yield MotionFrame(Moving({cell: look}, {cell: impact(seat)}))
    for share, shown in ((0.5, ()), (1.0, tuple(lit))):
        going = [Chip(words, Thing(cell), Name(to), share, to) for words, to in chips]
        yield MotionFrame(chips=tuple(going), lit=shown)


def _set(
    before: Scene[Observation], start: Spot, cell: int, seat: Seat, glyphs: Glyphs
) -> Iterator[MotionFrame]:
    """Yield a stone that comes from the supply or from another card, and lands on the card."""
    looks = {cell: _look(before, cell)}
    stone = _stone(seat, glyphs)
    away = {start.number: _look(before, start.number)} if isinstance(start, Thing) else {}
    yield MotionFrame(Moving({**looks, **away}), (Chip(stone, start, Thing(cell), 0.3, seat),))
    yield MotionFrame(Moving(looks), (Chip(stone, start, Thing(cell), 0.7, seat),))
    yield MotionFrame(Moving(frames={cell: impact(seat)}))


def _given_up(
    before: Scene[Observation], cell: int | None, seat: Seat, glyphs: Glyphs
) -> Iterator[MotionFrame]:
    """Yield a stone that is thrown out, from a card or from the supply."""
    lit = (Lit(seat, _beside(_("gives up a stone"), seat)),)
    if cell is None:
        yield from (MotionFrame(lit=lit),) * MOST
        return
    yield MotionFrame(Moving({cell: _look(before, cell)}, {cell: impact(seat)}), lit=lit)
    for share in (0.35, 0.7):
        yield MotionFrame(chips=(Chip(_stone(seat, glyphs), Thing(cell), Away(), share, seat),), lit=lit)


def _look(scene: Scene[Observation], cell: int) -> CellLook:
    """Return the look that a card had for the viewer."""
    opened = frozenset({cell} if Take(cell).move in scene.legal else ())
    return looks_of(scene.observation, opened, Traces())[cell]


def _stone(seat: Seat, glyphs: Glyphs) -> Content:
    return Content.styled(f" {glyphs.owner(seat)} ", f"bold $seat-ink on $seat-{seat}")


def _beside(words: str, seat: Seat) -> Content:
    return Content.styled(words, f"bold $seat-ink on $seat-{seat}")


def announcements(before: Scene[Observation], after: Scene[Observation]) -> Sequence[Text]:
    """Return that only one row is left, if the others have just been taken."""
    left = cards_left(after.observation)
    if len(_rows(before.observation)) == 1 or len(_rows(after.observation)) != 1:
        return ()
    return (texts("Last row: {n} card left.", "Last row: {n} cards left.", left),)


def _rows(view: Observation) -> set[int]:
    """Return the rows that have cards."""
    return {cell // COLUMNS for cell, lies in enumerate(view.board) if lies < TAKEN}
