"""What has just happened, read from the log: the cells to mark until the next move."""

from __future__ import annotations

from collections.abc import Sequence

from kk_core.games.land_cards.model import MoveStone, Place, Take, read
from kk_core.types import Move, Seat, Viewer
from kk_core.wire.views import LogEntry


def recent_cells(log: Sequence[tuple[int, LogEntry]], viewer: Viewer) -> dict[int, Seat]:
    """The cells touched since the viewer's own turn (his own until somebody else acts), by seat.

    A spectator sees those of the last seat that acted. `log` holds plies with their numbers, oldest first.
    """
    marked: dict[int, Seat] = {}
    last = log[-1][1].seat if log else None
    for _, entry in reversed(log):
        if entry.seat != last and (viewer in (None, last) or entry.seat == viewer):
            break
        cell = _touched(entry.move)
        if cell is not None:
            marked.setdefault(cell, entry.seat)
    return marked


def _touched(move: Move | None) -> int | None:
    if move is None:
        return None
    match read(move):
        case Take(cell) | Place(cell) | MoveStone(_, cell):
            return cell
    return None
