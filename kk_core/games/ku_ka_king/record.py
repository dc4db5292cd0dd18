"""The exported form of a match of Ku-Ka-King, for referees that don't know our code."""

from __future__ import annotations

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
    return {"type": "call", "row": model.read(move).row}


def export_event(after: State, event: Event) -> dict[str, Any] | None:
    """What rule or chance did; all that a reveal brings about is one event of the record."""
    match model.read_event(event):
        case model.Revealed():
            return _reveal(after)
        case model.RoundOver():
            return {"rule": "round_over"}
        case model.FirstScored(cards):
            return {"rule": "first_scoring", "returned": _names(cards)}
        case model.Filled(rows):
            return {"chance": "fill", "rows": [_names(cards) for cards in rows]}
        case model.LastRound():
            return {"rule": "last_round"}
        case model.BoxShuffled():
            return {"chance": "box_shuffle", "cards": _names(_shuffled_box(after))}
    return None


def _reveal(after: State) -> dict[str, Any]:
    events = [model.read_event(event) for event in after.events]
    return {
        "rule": "reveal",
        "taken": [[event.seat, event.row] for event in events if isinstance(event, model.Taken)],
        "clashes": [
            {"row": event.row, "seats": list(event.seats), "removed": model.CARDS[event.card]}
            for event in events
            if isinstance(event, model.Clashed)
        ],
    }


def _shuffled_box(after: State) -> bytes:
    """What has just been laid out from the box, and what is still in it."""
    last = model.read_event(after.events[-1])
    assert isinstance(last, model.Filled), "the rows are filled from a box that was shuffled"
    return b"".join(last.rows) + after.box


def _names(cards: bytes) -> list[str]:
    return [model.CARDS[card] for card in cards]
