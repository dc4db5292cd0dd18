"""Moves as text: the stable notation of stored records, and sentences for a log."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from kk_core.errors import InvalidMove
from kk_core.games.land_cards import model
from kk_core.games.land_cards.model import Observation
from kk_core.text import Text, listed, text
from kk_core.types import Event, Move, Seat

COUNTRY_NAMES: Final = (
    text("Frankreich"),
    text("Sachsen"),
    text("Ungarn"),
    text("Kastilien"),
    text("Franken"),
    text("Bayern"),
    text("Italien"),
    text("England"),
    text("Dänemark"),
)
"""Names of the countries for people, in the order of COUNTRIES."""

SYMBOL_NAMES: Final = (text("cross"), text("fan"), text("lion"), text("eagle"), text("tower"))
"""Names of the symbols for people, in the order of SYMBOLS."""

PAIR_NAMES: Final = (
    text("two crosses"),
    text("two fans"),
    text("two lions"),
    text("two eagles"),
    text("two towers"),
)
"""Names of two symbols of a kind on a card for people, in the order of SYMBOLS."""

ROUTE_NAMES: Final = (text("no route"), text("ship"), text("carriage"))
"""Names of the routes for people, in the order of ROUTES."""

LAW_NAMES: Final = (
    text("Take back a stone"),
    text("Up to 3 symbols"),
    text("Several countries"),
    text("-2 points"),
)
"""Names of the law cards for people, in the order of LAWS; at most 18 columns each."""

_PLAIN: Final[dict[str, model.AnyMove]] = {
    "end": model.EndTaking(),
    "pass": model.Pass(),
    "skip": model.Skip(),
    "give supply": model.GiveUp(None),
}
_KINDS: Final[dict[str, type[model.Take | model.GiveUp | model.PlaceStone]]] = {
    "take": model.Take,
    "give": model.GiveUp,
    "place": model.PlaceStone,
}
_ON_A_CELL: Final = re.compile(r"(take|give|place) ([1-4]) ([1-9][0-9]?)", re.ASCII)
_FROM_CELL_TO_CELL: Final = re.compile(r"move ([1-4]) ([1-9][0-9]?) ([1-4]) ([1-9][0-9]?)", re.ASCII)


def row_and_column(cell: int) -> tuple[int, int]:
    """Return row and column of a cell, both counted from 1."""
    row, column = divmod(cell, model.COLUMNS)
    return row + 1, column + 1


# -- stable notation -----------------------------------------------------------------------------------------


def format_move(move: Move) -> str:
    """Return a move in one line, e.g. "take 1 14"; rows and columns count from 1. Raises `InvalidMove`."""
    match model.read(move):
        case model.Take(cell):
            return f"take {_place(cell)}"
        case model.GiveUp(cell):
            return "give supply" if cell is None else f"give {_place(cell)}"
        case model.PlayLaw(law):
            return f"law {model.LAWS[law]}"
        case model.EndTaking():
            return "end"
        case model.PlaceStone(cell):
            return f"place {_place(cell)}"
        case model.MoveStone(start, target):
            return f"move {_place(start)} {_place(target)}"
        case model.Pass():
            return "pass"
        case model.Skip():
            return "skip"


def _place(cell: int) -> str:
    return "{} {}".format(*row_and_column(cell))


def parse_move(line: str) -> Move:
    """Parse a move that `format_move` wrote. Raises `InvalidMove`."""
    if line in _PLAIN:
        return _PLAIN[line].move
    word, _, law = line.partition(" ")
    if word == "law" and law in model.LAWS:
        return model.PlayLaw(model.LAWS.index(law)).move
    if found := _ON_A_CELL.fullmatch(line):
        return _KINDS[found[1]](_parse_cell(line, found[2], found[3])).move
    if found := _FROM_CELL_TO_CELL.fullmatch(line):
        start, target = _parse_cell(line, found[1], found[2]), _parse_cell(line, found[3], found[4])
        return model.MoveStone(start, target).move
    raise InvalidMove(text("{line} is not a move of this game.", line=repr(line)))


def _parse_cell(line: str, row: str, column: str) -> int:
    if int(column) > model.COLUMNS:
        raise InvalidMove(
            text(
                "{line}: there are {rows} rows of {columns}.",
                line=repr(line),
                rows=model.ROWS,
                columns=model.COLUMNS,
            )
        )
    return (int(row) - 1) * model.COLUMNS + int(column) - 1


# -- sentences -----------------------------------------------------------------------------------------------


def card_name(face: int) -> Text:
    """Name a card by its country and what is on it, e.g. "Sachsen (two lions, ship)"."""
    shown, route = model.symbols_of(face), model.route_of(face)
    pair = len(shown) > len(set(shown))
    signs: list[Text | str] = [PAIR_NAMES[shown[0]]] if pair else [SYMBOL_NAMES[one] for one in shown]
    if route:
        signs.append(ROUTE_NAMES[route])
    if not signs:
        signs.append(text("no symbol"))
    country = COUNTRY_NAMES[model.country_of(face)]
    return text("{country} ({signs})", country=country, signs=listed(signs))


def describe_move(observation: Observation, seat_name: str, move: Move) -> Text:
    """Describe a seat's move as a sentence for the log. Raises `InvalidMove`."""

    def card(cell: int) -> Text:
        return card_name(observation.faces[cell])

    name = seat_name
    match model.read(move):
        case model.Take(cell):
            row, _ = row_and_column(cell)
            return text("{name} takes {card} from row {row}.", name=name, card=card(cell), row=row)
        case model.GiveUp(cell):
            if cell is None:
                return text("{name} gives up a stone from the supply.", name=name)
            return text("{name} gives up the stone on {card}.", name=name, card=card(cell))
        case model.PlayLaw(law):
            return text("{name} plays the law “{law}”.", name=name, law=LAW_NAMES[law])
        case model.EndTaking():
            return text("{name} takes no more cards.", name=name)
        case model.PlaceStone(cell):
            return text("{name} places a stone on {card}.", name=name, card=card(cell))
        case model.MoveStone(start, target):
            return text(
                "{name} moves a stone from {start} to {target}.",
                name=name, start=card(start), target=card(target),
            )  # fmt: skip
        case model.Pass():
            return text("{name} leaves the stones as they are.", name=name)
        case model.Skip():
            return text("{name} skips the turn.", name=name)


def describe_event(event: Event, seat_names: Sequence[str]) -> Text:
    """Describe an event as a sentence for the log."""
    skipped = model.read_event(event)
    return text("{name} can't take a card and must skip.", name=seat_names[skipped.seat])


def describe(
    observation: Observation, names: Sequence[str], seat: Seat, move: Move | None, events: Sequence[Event]
) -> Sequence[Text]:
    """Describe a ply for the log: the move, unless it only ends the taking, then seats passed over."""
    said = [describe_event(event, names) for event in events]
    if move is not None and move != model.EndTaking().move:
        said.insert(0, describe_move(observation, names[seat], move))
    return tuple(said)
