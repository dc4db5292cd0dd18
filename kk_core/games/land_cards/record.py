"""What an exported record says about the card game."""

from __future__ import annotations

from typing import Any

from kk_core.games.land_cards.model import (
    CELLS,
    COLUMNS,
    COUNTRIES,
    END_TAKING,
    GIVE_UP,
    GIVE_UP_SUPPLY,
    LAWS,
    MOVE,
    PASS,
    PLACE,
    PLAY_LAW,
    ROUTES,
    ROWS,
    SKIP,
    SYMBOLS,
    TAKE,
    country_of,
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
    if move >= MOVE:
        start, target = divmod(move - MOVE, CELLS)
        return {"type": "move", "from": _place(start), "to": _place(target)}
    if move >= PLACE:
        return {"type": "place", **_place(move - PLACE)}
    if move >= GIVE_UP:
        return {"type": "give_up", "from": _place(move - GIVE_UP)}
    if move >= TAKE:
        return {"type": "take", **_place(move - TAKE)}
    if move == GIVE_UP_SUPPLY:
        return {"type": "give_up", "from": "supply"}
    if move >= PLAY_LAW:
        return {"type": "play_law", "law": LAWS[move - PLAY_LAW]}
    return {"type": {END_TAKING: "end_taking", PASS: "pass", SKIP: "skip"}[move]}


def _place(cell: int) -> dict[str, int]:
    row, column = row_and_column(cell)
    return {"row": row, "column": column}


def export_event(event: Event) -> dict[str, Any]:
    """A seat that was passed over."""
    return {"rule": "skip", "seat": event[1]}
