"""What has just happened on the rows: cards that were taken, stones that came, stones that went."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kk_core.games.land_cards.model import (
    FREE,
    STONE,
    TAKEN,
    GiveUp,
    MoveStone,
    Observation,
    Place,
    Take,
    read,
)
from kk_core.types import Move, Seat
from kk_tui.scene import Scene


@dataclass(frozen=True, slots=True)
class Traces:
    """By cell the seat that has just taken the card, laid a stone on it, or whose stone has left it."""

    taken: Mapping[int, Seat] = field(default_factory=dict)
    laid: Mapping[int, Seat] = field(default_factory=dict)
    left: Mapping[int, Seat] = field(default_factory=dict)


def traces_of(scene: Scene[Observation]) -> Traces:
    """The traces of the plies since the viewer's own turn, as far as the rows still show them; after the end
    who has taken what in the whole match."""
    taken, laid, left = dict[int, Seat](), dict[int, Seat](), dict[int, Seat]()
    board = scene.observation.board
    if scene.is_over:
        return Traces({cell: lies - TAKEN for cell, lies in enumerate(board) if lies >= TAKEN})
    for entry in reversed(scene.just_happened()):
        for cell, lies in _came(entry.move, entry.seat):
            if board[cell] == lies:
                (taken if lies >= TAKEN else laid)[cell] = entry.seat
        gone = _went(entry.move)
        if gone is not None and board[gone] == FREE:
            left[gone] = entry.seat
    return Traces(taken, laid, left)


def _came(move: Move | None, seat: Seat) -> list[tuple[int, int]]:
    """The cell that a move concerns, and what lies there after it."""
    match None if move is None else read(move):
        case Take(cell):
            return [(cell, TAKEN + seat)]
        case Place(cell) | MoveStone(_, cell):
            return [(cell, STONE + seat)]
    return []


def _went(move: Move | None) -> int | None:
    """The cell that a stone has left."""
    match None if move is None else read(move):
        case MoveStone(cell, _) | GiveUp(int(cell)):
            return cell
    return None
