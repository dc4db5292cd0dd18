"""What an exported record says about the card game."""

from __future__ import annotations

from typing import Any

from kk_core.games.land_cards import model
from kk_core.games.land_cards.notation import row_and_column
from kk_core.games.land_cards.state import State
from kk_core.types import Event, Move


def export_setup(state: State) -> dict[str, Any]:
    """The layout, row by row, with the law cards that lie on it."""
    cards = [_card(face, law) for face, law in zip(state.deal.faces, state.deal.laws, strict=True)]
    return {"layout": [cards[row * model.COLUMNS : (row + 1) * model.COLUMNS] for row in range(model.ROWS)]}


def _card(face: int, law: int) -> dict[str, Any]:
    return {
        "country": model.COUNTRIES[model.country_of(face)],
        "symbols": [model.SYMBOLS[symbol] for symbol in model.symbols_of(face)],
        "route": model.ROUTES[model.route_of(face)] or None,
        "law": model.LAWS[law - 1] if law else None,
    }


def export_move(move: Move) -> dict[str, Any]:
    """A legal move by its name and places."""
    match model.read(move):
        case model.Take(cell):
            return {"type": "take", **_place(cell)}
        case model.GiveUp(cell):
            return {"type": "give_up", "from": "supply" if cell is None else _place(cell)}
        case model.PlayLaw(law):
            return {"type": "play_law", "law": model.LAWS[law]}
        case model.EndTaking():
            return {"type": "end_taking"}
        case model.Place(cell):
            return {"type": "place", **_place(cell)}
        case model.MoveStone(start, target):
            return {"type": "move", "from": _place(start), "to": _place(target)}
        case model.Pass():
            return {"type": "pass"}
        case model.Skip():
            return {"type": "skip"}


def _place(cell: int) -> dict[str, int]:
    row, column = row_and_column(cell)
    return {"row": row, "column": column}


def export_event(event: Event) -> dict[str, Any]:
    """A seat that was passed over."""
    return {"rule": "skip", "seat": model.read_event(event).seat}
