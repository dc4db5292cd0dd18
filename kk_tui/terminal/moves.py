"""The shortest way of the cursor from one cell to another."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=16384)
def move(row: int | None, column: int | None, to_row: int, to_column: int, has_columns: bool) -> str:
    """Codes from a cell, counted from 0, to another; None is a row or column that nobody knows."""
    ways = [_absolute(to_row, to_column)]
    if row is not None:
        down = to_row - row
        along = [_step(down, "B", "A")] if column == to_column else []
        if down or column != to_column:
            along += [_step(down, "B", "A") + way for way in _in_row(column, to_column, has_columns)]
        ways += along
    return min(ways, key=len)


def _absolute(row: int, column: int) -> str:
    if column:
        return f"\x1b[{row + 1};{column + 1}H"
    return f"\x1b[{row + 1}H" if row else "\x1b[H"


def _in_row(column: int | None, to: int, has_columns: bool) -> list[str]:
    ways = [f"\x1b[{to + 1}G"] if has_columns else []
    ways.append("\r" + _step(to, "C", "D"))
    if column is not None and to > column:
        ways.append(_step(to - column, "C", "D"))
    elif column is not None:
        ways += ["\b" * (column - to), _step(to - column, "C", "D")]
    return ways


def _step(by: int, forward: str, back: str) -> str:
    if not by:
        return ""
    letter = forward if by > 0 else back
    return f"\x1b[{letter}" if abs(by) == 1 else f"\x1b[{abs(by)}{letter}"
