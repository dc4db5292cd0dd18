"""Lines of three, and who has won; of a board alone, so that bots may ask."""

from __future__ import annotations

from kk_core.games.noughts.model import FREE, LINES, SIDE
from kk_core.types import Outcome, Seat, Sheet


def lines_of(board: bytes, seat: Seat) -> int:
    """Count the lines that a seat has all spaces of (scoring 1)."""
    return sum(all(board[space] == seat + 1 for space in line) for line in LINES)


def sheet(board: bytes) -> Sheet:
    """Return a point for each line."""
    return (tuple(lines_of(board, seat) for seat in range(2)),)


def is_over(board: bytes) -> bool:
    """Return whether a seat has a line, or no space is free."""
    return any(map(sum, sheet(board))) or FREE not in board


def outcome(board: bytes) -> Outcome | None:
    """Return who has a line; nobody where the board is full without one (ruling 4)."""
    if not is_over(board):
        return None
    return Outcome(tuple(seat for seat, lines in enumerate(sheet(board)[0]) if lines))


def open_lines(board: bytes, seat: Seat, space: int) -> float:
    """Rate a free space for a seat by what stands in the lines through it without the other seat."""
    worth = 0.0
    for line in LINES:
        marks = [board[place] for place in line]
        if space in line and 2 - seat not in marks:
            worth += float(SIDE ** (2 * marks.count(seat + 1)))
    return worth
