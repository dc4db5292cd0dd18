"""What a cell means as a choice: which move it stands for now, and where the cursor goes from it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from kk_core.games.land_cards.model import (
    COLUMNS,
    GIVING_UP,
    ROWS,
    STONE_STEP,
    TAKEN,
    GiveUp,
    MoveStone,
    Place,
    Take,
    read,
)
from kk_core.types import Move


@dataclass(frozen=True, slots=True)
class Choices:
    """The legal moves that name cells: `direct` by cell, `moves` of a stone by cell from and cell to."""

    direct: Mapping[int, Move] = field(default_factory=dict)
    moves: Mapping[int, Mapping[int, Move]] = field(default_factory=dict)

    def open(self, picked: int | None) -> frozenset[int]:
        """The cells that may be chosen now; `picked` is the stone to move, once it is chosen."""
        if picked is not None:
            return frozenset(self.moves.get(picked, ()))
        return frozenset(self.direct) | frozenset(self.moves)

    def move_to(self, picked: int | None, cell: int) -> Move | None:
        """The move that choosing a cell makes; None when it makes none (yet)."""
        return self.direct.get(cell) if picked is None else self.moves.get(picked, {}).get(cell)


def sort_moves(legal: Collection[Move]) -> Choices:
    """The choices in a set of legal moves."""
    direct: dict[int, Move] = {}
    moves: dict[int, dict[int, Move]] = {}
    for move in legal:
        match read(move):
            case MoveStone(start, target):
                moves.setdefault(start, {})[target] = move
            case Take(int(cell)) | GiveUp(int(cell)) | Place(int(cell)):
                direct[cell] = move
    return Choices(direct, moves)


def attempt(phase: int, picked: int | None, cell: int) -> Move:
    """The move that somebody has in mind who chooses a cell that cannot be chosen."""
    if picked is not None:
        return MoveStone(picked, cell).move
    if phase == GIVING_UP:
        return GiveUp(cell).move
    return (Place(cell) if phase == STONE_STEP else Take(cell)).move


def step(board: bytes, cell: int, right: int, down: int) -> int:
    """The nearest card of the layout in a direction; the same cell when there is none."""
    row, column = divmod(cell, COLUMNS)
    if right:
        columns = range(column + 1, COLUMNS) if right > 0 else range(column - 1, -1, -1)
        return next((row * COLUMNS + x for x in columns if board[row * COLUMNS + x] < TAKEN), cell)
    rows = range(row + 1, ROWS) if down > 0 else range(row - 1, -1, -1)
    for y in rows:
        here = [y * COLUMNS + x for x in range(COLUMNS) if board[y * COLUMNS + x] < TAKEN]
        if here:
            return min(here, key=lambda near: abs(near % COLUMNS - column))
    return cell


def nearest(cells: Collection[int], cell: int | None) -> int | None:
    """The cell nearest to another one, the first in reading order when there is no other."""
    if not cells:
        return None
    row, column = divmod(cell or 0, COLUMNS)
    return min(cells, key=lambda near: (3 * abs(near // COLUMNS - row) + abs(near % COLUMNS - column), near))
