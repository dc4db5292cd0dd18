"""What an exported record says about the card game."""

from __future__ import annotations

from typing import Any

from kk_core.games.land_cards.model import (
    COLUMNS,
    COUNTRIES,
    LAWS,
    ROUTES,
    ROWS,
    SYMBOLS,
    EndTaking,
    GiveUp,
    MoveStone,
    Pass,
    Place,
    PlayLaw,
    Skip,
    Take,
    country_of,
    read,
    read_event,
    route_of,
    symbols_of,
)
from kk_core.games.land_cards.notation import row_and_column
from kk_core.games.land_cards.state import State
from kk_core.types import Event, Move


def export_setup(state: State) -> dict[str, Any]:
    """The layout, row by row, with the law cards that lie on it."""
    cards = [_card(face, law) for face, law in zip(state.deal.faces, state.deal.laws, strict=True)]
    return {"layout": [cards[row * COLUMNS : (row + 1) * COLUMNS] for row in range(ROWS)]}


def _card(face: int, law: int) -> dict[str, Any]:
    return {
        "country": COUNTRIES[country_of(face)],
        "symbols": [SYMBOLS[symbol] for symbol in symbols_of(face)],
        "route": ROUTES[route_of(face)] or None,
        "law": LAWS[law - 1] if law else None,
    }


def export_move(move: Move) -> dict[str, Any]:
    """A legal move by its name and places."""
    match read(move):
        case Take(cell):
            return {"type": "take", **_place(cell)}
        case GiveUp(cell):
            return {"type": "give_up", "from": "supply" if cell is None else _place(cell)}
        case PlayLaw(law):
            return {"type": "play_law", "law": LAWS[law]}
        case EndTaking():
            return {"type": "end_taking"}
        case Place(cell):
            return {"type": "place", **_place(cell)}
        case MoveStone(start, target):
            return {"type": "move", "from": _place(start), "to": _place(target)}
        case Pass():
            return {"type": "pass"}
        case Skip():
            return {"type": "skip"}


def _place(cell: int) -> dict[str, int]:
    row, column = row_and_column(cell)
    return {"row": row, "column": column}


def export_event(event: Event) -> dict[str, Any]:
    """A seat that was passed over."""
    return {"rule": "skip", "seat": read_event(event).seat}
