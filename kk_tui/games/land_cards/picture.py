"""The rows of cards as lines of styled text: a pure drawing of what every cell looks like."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from rich.segment import Segment

from kk_core.games.land_cards import model
from kk_core.games.land_cards.model import COLUMNS, Observation
from kk_tui.games.land_cards.frames import Frames, Gaps
from kk_tui.games.land_cards.layout import Layout
from kk_tui.games.land_cards.tiles import GONE, Look, Tiles
from kk_tui.games.land_cards.traces import Traces
from kk_tui.theme.glyphs import Glyphs
from kk_tui.theme.palette import Ink


@dataclass(frozen=True, slots=True)
class Picture:
    """What every cell looks like, and the frames around some."""

    looks: tuple[Look, ...] = ()
    frames: Frames = field(default_factory=dict)

    def changed(self, before: Picture) -> Iterator[int]:
        """The cells that are drawn in another way than before."""
        for cell, look in enumerate(self.looks):
            same = before.looks and before.looks[cell] == look
            if not same or before.frames.get(cell) != self.frames.get(cell):
                yield cell


def looks_of(
    view: Observation, opened: frozenset[int], traces: Traces, offered: int | None = None
) -> tuple[Look, ...]:
    """What the cells look like when some may be chosen now, one of them for a stone that is `offered` it.

    When no card is left, they all lie there once more, with stones of their takers.
    """
    printed = _printed(view.faces)
    hollow = {**traces.left, **({} if offered is None or view.viewer is None else {offered: view.viewer})}
    if len(traces.taken) == len(view.faces):
        return tuple(
            Look(face, model.STONE + traces.taken[cell], printed=printed[model.country_of(face)])
            for cell, face in enumerate(view.faces)
        )
    return tuple(
        Look(
            face, lies, has_law=cell in view.law_cells, is_open=cell in opened,
            printed=printed[model.country_of(face)], hollow=hollow.get(cell),
        )
        if lies < model.TAKEN
        else Look(face, lies, printed=printed[model.country_of(face)], is_ghost=True)
        if cell in traces.taken
        else GONE
        for cell, (face, lies) in enumerate(zip(view.faces, view.board, strict=True))
    )  # fmt: skip


@lru_cache(maxsize=16)
def _printed(faces: tuple[int, ...]) -> tuple[int, ...]:
    """How many cards every country has."""
    countries = [model.country_of(face) for face in faces]
    return tuple(countries.count(country) for country in range(len(model.COUNTRIES)))


class Painter:
    """Draws the rows for one size, look and set of signs."""

    def __init__(self, layout: Layout, glyphs: Glyphs, ink: Ink, *, has_colours: bool = True) -> None:
        self.layout = layout
        self._tiles = Tiles(layout, glyphs, ink, has_colours=has_colours)
        self._gaps = Gaps(layout, glyphs, ink)

    def line(self, picture: Picture, y: int) -> list[Segment]:
        """One line of the rows, from 0; `layout.bottom` is the first that is not drawn here."""
        row, inside = divmod(y, self.layout.pitch_y)
        return [self._gaps.margin(row, inside), *self.cards(picture, y, range(COLUMNS))]

    def cards(self, picture: Picture, y: int, columns: range) -> list[Segment]:
        """A line of some cards, and the gaps around them."""
        row, inside = divmod(y, self.layout.pitch_y)
        if inside == 0:
            return self._gaps.level(picture.frames, row, columns)
        line: list[Segment] = []
        for column in columns:
            line.append(self._gaps.upright(picture.frames, row, column, inside))
            line += self._tiles.tile(picture.looks[row * COLUMNS + column])[inside - 1]
        line.append(self._gaps.upright(picture.frames, row, columns.stop, inside))
        return line
