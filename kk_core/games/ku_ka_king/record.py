"""The exported form of a match of Ku-Ka-King, for referees that don't know our code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kk_core.games.ku_ka_king import model
from kk_core.games.ku_ka_king.state import State
from kk_core.types import Event, Move


def export_setup(state: State) -> dict[str, Any]:
    """Rows with the outermost card last, the pile with the next card first, and the box."""
    return {
        "rows": [_names(row) for row in state.rows],
        "draw_pile": _names(state.pile),
        "box": _names(state.box),
    }


def export_move(move: Move) -> dict[str, Any]:
    """A call."""
    return {"type": "call", "row": move}


def export_event(after: State, event: Event) -> dict[str, Any] | None:
    """What rule or chance did; all that a reveal brings about is one event of the record."""
    match event:
        case (model.REVEALED, _):
            return _reveal(after)
        case (model.ROUND_OVER, _):
            return {"rule": "round_over"}
        case (model.FIRST_SCORED, bytes(cards)):
            return {"rule": "first_scoring", "returned": _names(cards)}
        case (model.FILLED, *rows):
            return {"chance": "fill", "rows": [_names(cards) for cards in rows]}
        case (model.LAST_ROUND,):
            return {"rule": "last_round"}
        case (model.BOX_SHUFFLED,):
            return {"chance": "box_shuffle", "cards": _names(_shuffled_box(after))}
    return None


def _reveal(after: State) -> dict[str, Any]:
    return {
        "rule": "reveal",
        "taken": [[seat, row] for _, seat, row, _ in _of(after, model.TAKEN)],
        "clashes": [
            {"row": row, "seats": list(seats), "removed": model.CARDS[card]}
            for _, row, seats, card in _of(after, model.CLASHED)
        ],
    }


def _shuffled_box(after: State) -> bytes:
    """What has just been laid out from the box, and what is still in it."""
    *_, (_, *laid_out) = _of(after, model.FILLED)
    return b"".join(laid_out) + after.box


def _of(after: State, kind: int) -> Iterator[Any]:
    return (event for event in after.events if event[0] == kind)


def _names(cards: Any) -> list[str]:
    return [model.CARDS[card] for card in cards]
