"""Runs of words in one ink, of which a list's rows are made: how wide they are, filled, cut and packed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from rich.cells import cell_len, set_cell_size

Run: TypeAlias = tuple[str, str, bool]
"""Words, the name of their ink, and whether they are bold; the sign of a seat has the ink of its colour."""

Row: TypeAlias = Sequence[Run]


def columns_of(runs: Row) -> int:
    """Return the columns that runs take."""
    return sum(cell_len(words) for words, _ink, _bold in runs)


def filled(runs: Row, width: int) -> Row:
    """Return runs with blanks after them, so that they take at least so many columns."""
    return [*runs, (" " * max(0, width - columns_of(runs)), "ink", False)]


def cut_runs(runs: Row, width: int, sign: str) -> Row:
    """Return runs that take at most so many columns, with a sign at the end if some are left out."""
    if columns_of(runs) <= width:
        return runs
    kept, room = list[Run](), width - cell_len(sign)
    for words, ink, bold in runs:
        columns = cell_len(words)
        kept.append((words if columns <= room else set_cell_size(words, room), ink, bold))
        room -= columns
        if room <= 0:
            break
    return [*kept, (sign, "ink-dim", False)]


def packed_runs(parts: Sequence[Row], width: int) -> Sequence[Row]:
    """Return parts one after the other, none of them broken, in rows."""
    rows, room = list[list[Run]](), 0
    for part in parts:
        columns = columns_of(part)
        bare = columns - (cell_len(part[-1][0]) - cell_len(part[-1][0].rstrip()))
        if not rows or bare > room:
            rows.append([])
            room = width
        rows[-1].extend(part)
        room -= columns
    return rows
