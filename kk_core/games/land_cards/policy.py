"""How good the moves of the card game look at first sight, in points; a search begins with the best."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from kk_core.games.land_cards.model import (
    CELLS,
    COLUMNS,
    END_TAKING,
    FREE,
    MOVE,
    PASS,
    PLACE,
    PLAY_LAW,
    SKIP,
    STONE,
    STONE_STEP,
    TAKE,
    TAKE_BACK_STONE,
    TAKEN,
    TAKING,
)
from kk_core.games.land_cards.position import Position
from kk_core.games.land_cards.quick import GUARD_FOR, kept, law_gain
from kk_core.types import Move

FOLLOW: Final = 0.9
"""How much a second card of the turn counts when the first one is chosen."""
DEPTH: Final = (1.0, 1.0, 0.6)
"""How much a guarded card counts, by how far it lies from the end of its row."""


def values(position: Position, moves: Sequence[Move]) -> list[float | None]:
    """How good every legal move looks; None for those that nobody would make."""
    if position.phase == TAKING:
        return _takes(position, moves)
    if position.phase == STONE_STEP:
        return _stones(position, moves)
    return [-kept(position, position.seat, move) for move in moves]


def _takes(position: Position, moves: Sequence[Move]) -> list[float | None]:
    seat = position.seat
    gains = {move - TAKE: position.net_gain(move - TAKE, seat) for move in moves if move >= TAKE}
    found: list[float | None] = []
    for move in moves:
        if move >= TAKE:
            found.append(gains[move - TAKE] + FOLLOW * _second(position, move - TAKE, gains))
        elif move in (END_TAKING, SKIP):
            found.append(0.0)
        else:
            found.append(_law(position, move - PLAY_LAW))
    return found


def _second(position: Position, cell: int, gains: dict[int, float]) -> float:
    """The most that another card can gain in the same turn after this one."""
    countries, costs = position.worths.country, position.worths.cost
    room = position.limit - position.symbols - costs[cell]
    country, any_colour = countries[cell], position.any_colour
    more = 0.0
    for other, gain in gains.items():
        fits = (any_colour or countries[other] == country) and costs[other] <= room
        if fits and gain > more and other != cell:
            more = gain
    for other in _uncovered(position, cell):
        if (any_colour or countries[other] == country) and costs[other] <= room and other not in gains:
            more = max(more, position.net_gain(other, position.seat))
    return more


def _uncovered(position: Position, cell: int) -> Iterator[int]:
    """The neighbours that are at an end once the card of a cell is taken."""
    if not position.deal.at_start_only:
        column, board = cell % COLUMNS, position.board
        if column and board[cell - 1] < TAKEN:
            yield cell - 1
        if column < COLUMNS - 1 and board[cell + 1] < TAKEN:
            yield cell + 1


def _law(position: Position, law: int) -> float:
    if law == TAKE_BACK_STONE:
        return GUARD_FOR
    return law_gain(position, position.seat, law) if position.taken else -GUARD_FOR


def _stones(position: Position, moves: Sequence[Move]) -> list[float | None]:
    worth = _guarded(position)
    found: list[float | None] = []
    for move in moves:
        if move >= MOVE:
            start, target = divmod(move - MOVE, CELLS)
            more = worth.get(target, 0.0) - worth.get(start, 0.0)
            found.append(more if more > 0 else None)
        elif move >= PLACE:
            found.append(worth.get(move - PLACE))
        else:
            found.append(GUARD_FOR + (move != PASS))
    return found


def _guarded(position: Position) -> dict[int, float]:
    """What a stone guards on each card near an end, where that is something."""
    seat, board = position.seat, position.board
    worth: dict[int, float] = {}
    for first in range(0, CELLS, COLUMNS):
        row = [cell for cell in range(first, first + COLUMNS) if board[cell] < TAKEN]
        for share, left, right in zip(DEPTH, row, reversed(row), strict=False):
            for cell in (left, right):
                if cell not in worth and board[cell] in (FREE, STONE + seat):
                    gain = position.gain(cell, seat)
                    if gain > 0:
                        worth[cell] = share * gain
    return worth
